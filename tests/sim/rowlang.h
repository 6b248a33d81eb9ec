/* Outcomes and memory keys in test scripts (rows.h), as text. Two programs use this text: rows.c
 * runs the scripts against a simulated shard, tests/port/test_rows.c runs them against an
 * adapter. */
#ifndef SIM_ROWLANG_H
#define SIM_ROWLANG_H

#include "sim.h"

/* Areas in the arena of the NIC under test, as offsets from its start. */
#define SOURCE 0u	  /* data of the NIC's SENDs and WRITEs: byte i has the value i >> 8 */
#define RECVS  (1u << 20) /* receive buffers: receive `id` is at RECVS + id * 64 KiB */
#define V      (2u << 20) /* target of the peer's requests: byte i has the value i >> 8 */
#define READS  (3u << 20) /* where the NIC's READs store their data */

enum { KEY_K, KEY_RO, KEY_WO, KEY_LO, KEY_PD2, KEY_TINY, KEYS };
struct row_key {
	const char *name;
	/* length, protection domain and access rights of the key's region. The region begins at V.
	 * The QP is in SIM_PD. */
	uint32_t length, pd, access;
};
extern const struct row_key row_keys[KEYS];

/* Writes the text of a frame: the part of an outcome line that follows " < " and the time, with
 * newline. The PSN of a request is written relative to the sender's first PSN, that of a response
 * relative to the receiver's first PSN. An address is written as an offset from area V in the
 * arena of node 0. */
void rowlang_frame(FILE *f, const struct sim *sim, unsigned from, const struct rn_pkt *pkt);
/* Writes a completion as a whole outcome line. inv: name of the key that the completed receive
 * reports as invalidated. */
void rowlang_cqe(FILE *f, const struct rn_cqe *c, const char *inv);
void rowlang_event(FILE *f, unsigned kind);

/* Returns the kind of work request (enum rn_wqe_kind) that a command such as "send" posts. Returns
 * UINT32_MAX if the command posts no work request. */
unsigned rowlang_kind(const char *word);

#endif
