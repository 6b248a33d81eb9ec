/* The captures only contain hosts with one region and WRITEs without immediate data. Changing the
 * packets of both ends in the same way yields captures of other cases. */
#ifndef RN_REPLAY_VARIANT_H
#define RN_REPLAY_VARIANT_H

#include "wire/frame.h"
#include "wire/opcode.h"

enum variant {
	AS_IT_IS,
	APART,	   /* each request uses a region of its own, 4 GiB behind the one before */
	IMMEDIATE, /* each WRITE carries immediate data */
};

/* Changes a packet of the capture. A retransmission is changed in the same way as the first
 * transmission. number: the number of the request with an RETH or AtomicETH. */
static inline void variant_apply(enum variant variant, struct rn_pkt *p, unsigned number)
{
	if (variant == APART && (p->op->has_reth || p->op->has_atomic_eth))
		p->va += (uint64_t)number << 32;
	if (variant == IMMEDIATE && p->op->family == RN_F_WRITE && p->op->ends && !p->op->has_imm) {
		p->opcode++; /* each opcode with immediate data follows the one without */
		p->op = rn_opcode_row(p->opcode);
		p->imm = 0x01020304u * (p->psn + 1);
	}
}

#endif
