/* Captures show hosts with one region and WRITEs without immediate data. Changed in the same way
 * for both ends, the same packets tell of hosts that do otherwise. */
#ifndef RN_REPLAY_VARIANT_H
#define RN_REPLAY_VARIANT_H

#include "wire/frame.h"
#include "wire/opcode.h"

enum variant {
	AS_IT_IS,
	APART,	   /* each request names a region of its own, 4 GiB behind that of the one before */
	IMMEDIATE, /* each WRITE brings immediate data */
};

/* Changes a packet of the capture. What is sent again changes as it did the first time.
 * number: of the request with an address. */
static inline void variant_apply(enum variant variant, struct rn_pkt *p, unsigned number)
{
	if (variant == APART && (p->op->has_reth || p->op->has_atomic_eth))
		p->va += (uint64_t)number << 32;
	if (variant == IMMEDIATE && p->op->family == RN_F_WRITE && p->op->ends && !p->op->has_imm) {
		p->opcode++; /* WRITE_LAST_IMM behind WRITE_LAST, WRITE_ONLY_IMM behind WRITE_ONLY
			      */
		p->op = rn_opcode_row(p->opcode);
		p->imm = 0x01020304u * (p->psn + 1);
	}
}

#endif
