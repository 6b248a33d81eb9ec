/* Variants of the captures that a replay (replay.h) uses. The captured hosts have one memory region
 * each and send no WRITE with immediate data. A variant changes the packets of both hosts in the
 * same way, as if there were several memory regions or immediate data. */
#ifndef RN_REPLAY_VARIANT_H
#define RN_REPLAY_VARIANT_H

#include "wire/frame.h"
#include "wire/opcode.h"

enum variant {
	AS_IT_IS,
	APART,	   /* each work request uses another memory region, 4 GiB above the previous one */
	IMMEDIATE, /* each WRITE carries immediate data */
};

/* Changes a packet of the capture. A retransmission is changed like its original. number: the
 * number of the packet's work request (record.number). */
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
