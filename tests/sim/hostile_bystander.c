/* The bystander is a client of another protection domain, which an attack must not disturb. Its QP
 * on node 1 sends numbered messages to its QP on node 0. All of these messages must arrive once and
 * in order. */
#include "hostile_bystander.h"

#include <string.h>

#include "hostile_memory.h"
#include "hostile_window.h"
#include "hostile_work.h"

#define SLOTS	8u
#define MESSAGE 200u
#define SLOT(n) ((n) % SLOTS * 256u)

static uint8_t byte_of(uint32_t n, uint32_t i)
{
	return (uint8_t)(n * 31 + i * 3);
}

void hostile_bystander_start(struct hostile *h)
{
	unsigned q = h->sim.spec.foreign;
	if (q == 0)
		return;
	sim_connect(&h->sim, q);
	hostile_window_bind_foreign(h, 0, q);
	hostile_window_bind_foreign(h, 1, q);
}

void hostile_bystander_work(struct hostile *h)
{
	unsigned q = h->sim.spec.foreign;
	const struct sim_qp *to = &h->sim.node[0].qp[q], *from = &h->sim.node[1].qp[q];
	if (q == 0)
		return;
	while (to->rq_posted - atomic_load(&to->shared->rq_retired) < SLOTS) {
		uint8_t *at = hostile_region(h, 0, HOME) + SLOT(to->rq_posted);
		hostile_post(h, 0, q,
			     &(struct sim_op){.kind = RN_WQE_RECV,
					      .local = hostile_offset(h, 0, at),
					      .length = 256,
					      .lkey = h->key[0][HOME]},
			     false);
	}
	while (from->sq_posted - atomic_load(&from->shared->sq_retired) < SLOTS / 2) {
		uint8_t *at = hostile_region(h, 1, HOME) + SLOT(h->bystander_sent);
		for (uint32_t i = 0; i < MESSAGE; i++)
			at[i] = byte_of(h->bystander_sent, i);
		h->bystander_sent++;
		hostile_post(h, 1, q,
			     &(struct sim_op){.kind = RN_WQE_SEND,
					      .flags = RN_WQE_SIGNALED,
					      .length = MESSAGE,
					      .local = hostile_offset(h, 1, at),
					      .lkey = h->key[1][HOME]},
			     false);
	}
}

/* Checks a completion of the bystander. Its work requests may fail only in runs in which the
 * attacker sends ARP or ND messages. Such messages can redirect packets and so end a connection. */
void hostile_bystander_take(struct hostile *h, unsigned node, const struct rn_cqe *c)
{
	const uint8_t *at = hostile_region(h, 0, HOME) + SLOT(h->bystander_got);
	if (h->sim.spec.foreign == 0 || c->qp_ctx != h->sim.spec.foreign)
		return;
	if (c->status != RN_STATUS_SUCCESS) {
		if (!h->neighbours)
			OBJECT(h, "node %u: a request of the bystander ends with status %u", node,
			       c->status);
		return;
	}
	if (node != 0 || !(c->flags & RN_CQE_RECV))
		return;
	for (uint32_t i = 0; i < MESSAGE; i++)
		if (c->byte_len != MESSAGE || at[i] != byte_of(h->bystander_got, i)) {
			OBJECT(h, "the bystander's message %u arrives as another",
			       h->bystander_got);
			break;
		}
	h->bystander_got++;
	SEEN(h, BYSTANDER);
}
