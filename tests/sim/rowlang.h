/* The text form of outcomes and keys in rows, shared by rows.h, which runs rows against a shard,
 * and tests/port/test_rows.c, which runs them against an adapter. */
#ifndef SIM_ROWLANG_H
#define SIM_ROWLANG_H

#include "sim.h"

/* Areas in the arena of the NIC under test, as offsets. */
#define SOURCE 0u /* data of its SENDs and WRITEs: byte i is i >> 8 */
/* receive buffers: + id * 64 KiB */
#define RECVS (1u << 20) /* + id * 64 KiB */
#define V     (2u << 20) /* target of the peer's requests; byte i is i >> 8 */
#define READS (3u << 20) /* target of its own READs */

enum { KEY_K, KEY_RO, KEY_WO, KEY_LO, KEY_PD2, KEY_TINY, KEYS };
struct row_key {
	const char *name;
	uint32_t length, pd, access; /* region at V; the QP's PD is SIM_PD */
};
extern const struct row_key row_keys[KEYS];

/* Writes the part of a line after "  < " and the time, newline included. sim provides the first
 * PSNs and node 0's addresses. */
void rowlang_frame(FILE *f, const struct sim *sim, unsigned from, const struct rn_pkt *pkt);
/* Writes a whole line. inv: name of the invalidated key. */
void rowlang_cqe(FILE *f, const struct rn_cqe *c, const char *inv);
void rowlang_event(FILE *f, unsigned kind);

/* The request kind for a command such as "send"; UINT32_MAX if there is none. */
unsigned rowlang_kind(const char *word);

#endif
