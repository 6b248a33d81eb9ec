/* CM messages that the switch owes: answers to messages for which there is no client. A fixed ring;
 * a message that does not fit is counted and lost, because the peer repeats what it asked. */
#ifndef RN_MAD_QUEUE_H
#define RN_MAD_QUEUE_H

#include "net/mad_pkt.h"
#include "wire/cm_msg.h"

#define RN_MAD_QUEUE_MAX 64

struct rn_owed_mad {
	struct rn_mad_way way;
	struct rn_cm_msg msg;
};

struct rn_mad_queue {
	struct rn_owed_mad of[RN_MAD_QUEUE_MAX];
	uint32_t head, count;
	uint64_t dropped;
};

/* Queues the answer `msg` to the sender of *pkt. An answer to a group MAC would reach many
 * hosts, so such an answer is dropped. */
void rn_mad_queue_answer(struct rn_mad_queue *q, const struct rn_pkt *pkt,
			 const struct rn_cm_msg *msg);
/* Takes the oldest message. Returns false if there is none. */
bool rn_mad_queue_take(struct rn_mad_queue *q, struct rn_owed_mad *owed);

/* Sets *answer to what the protocol demands for a CM message whose receiver does not exist, or is
 * `full` (docs/spec/rocev2.md 6): REQ: REJ with reason 8 (no service) or 3 (no resources);
 * SIDR_REQ: SIDR_REP with status 1 (no service) or 3 (no QP); REP: REJ with reason 6 (invalid
 * communication id); DREQ: DREP. Returns false for all other messages, which get no answer. */
bool rn_mad_answer(const struct rn_cm_msg *in, bool full, struct rn_cm_msg *answer);

#endif
