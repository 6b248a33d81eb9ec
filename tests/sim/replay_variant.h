/* Captures show hosts with one region and WRITEs without immediate data. Changed in the same way
 * for both ends, the same packets tell of hosts that do otherwise. */
#ifndef RN_REPLAY_VARIANT_H
#define RN_REPLAY_VARIANT_H

#include "frame.h"
#include "opcode.h"

enum variant {
	AS_IT_IS,
	APART,	   /* each request names a region of its own, 4 GiB behind that of the one before */
	IMMEDIATE, /* each WRITE brings immediate data */
};

/* Changes a packet of the capture; *count: how many have been changed. */
static inline void variant_apply(enum variant variant, struct rn_pkt *p, unsigned *count)
{
	if (variant == APART && (p->op->has_reth || p->op->has_atomic_eth))
		p->va += (uint64_t)(*count)++ << 32;
	if (variant == IMMEDIATE && p->op->family == RN_F_WRITE && p->op->ends && !p->op->has_imm) {
		p->opcode++; /* WRITE_LAST_IMM behind WRITE_LAST, WRITE_ONLY_IMM behind WRITE_ONLY
			      */
		p->op = rn_opcode_row(p->opcode);
		p->imm = 0x01020304u * ++*count;
	}
}

#endif
