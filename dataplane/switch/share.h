/* How a table is divided among clients: each client has a share that it cannot exceed, and a part
 * that the others cannot take from it, even if all of them use their full share. */
#ifndef RN_SHARE_H
#define RN_SHARE_H

#include <stdint.h>

#include "ground/client_number.h"

/* Returns the number of entries that a table of `max` entries keeps for each client: together they
 * are half of the table. */
static inline uint32_t rn_share_kept(uint32_t max)
{
	return max / 2 / RN_CLIENT_MAX;
}

/* Returns what a client with `own` entries has not used of the entries that are kept for it. */
static inline uint32_t rn_share_unused(uint32_t own, uint32_t max)
{
	return own < rn_share_kept(max) ? rn_share_kept(max) - own : 0;
}

#endif
