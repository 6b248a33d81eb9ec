/* What the rows' text says of outcomes and keys, wherever the rows are run: rows.h against a bare shard, tests/port/test_rows.c
 * against a whole adapter. */
#ifndef SIM_ROWLANG_H
#define SIM_ROWLANG_H

#include "sim.h"

/* Areas of the NIC under test. */
#define SOURCE 0u         /* what its SENDs and WRITEs carry: byte i is i >> 8 */
#define RECVS  (1u << 20) /* + id * 64 KiB */
#define V      (2u << 20) /* what the peer may name; byte i is i >> 8 */
#define READS  (3u << 20) /* where its READs land */

enum { KEY_K, KEY_RO, KEY_WO, KEY_LO, KEY_PD2, KEY_TINY, KEYS };
struct row_key {
	const char *name;
	uint32_t length, pd, access; /* at V; pd: SIM_PD is the QP's */
};
extern const struct row_key row_keys[KEYS];

/* All of a line behind "  < " but for the time; newline included. sim tells first PSNs and node 0's addresses. */
void rowlang_frame(FILE *f, const struct sim *sim, unsigned from, const struct rn_pkt *pkt);
/* A whole line. inv: the name of the key that was invalidated. */
void rowlang_cqe(FILE *f, const struct rn_cqe *c, const char *inv);
void rowlang_event(FILE *f, unsigned kind);

/* The kind of a command like "send", or UINT32_MAX. */
unsigned rowlang_kind(const char *word);

#endif
