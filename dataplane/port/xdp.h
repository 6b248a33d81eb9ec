/* The sockets of the driver net_af_xdp. Called in the control thread. */
#ifndef RN_XDP_H
#define RN_XDP_H

#include <sys/types.h>

#include "rn/link.h"

/* AF_XDP sockets of the process, each with its inode number, by which the socket is recognised. */
struct rn_xdp_sockets {
	unsigned n;
	int fd[RN_MAX_SHARDS];
	ino_t inode[RN_MAX_SHARDS];
};

/* Finds all AF_XDP sockets of the process, except those in `known`. */
void rn_xdp_find(struct rn_xdp_sockets *found, const struct rn_xdp_sockets *known);

/* Closes those sockets that are still open, after their device was removed, and waits until the
 * kernel has very likely given their queues back. */
void rn_xdp_close(const struct rn_xdp_sockets *sockets);

#endif
