/* Checks that each posted work request completes once and in order, and that no other work request
 * completes; see hostile_ledger.h. */
#include "hostile_ledger.h"

#include <stdlib.h>
#include <string.h>

#include "hostile_bystander.h"
#include "shard/shard.h"
#include "queue/srq.h"

uint64_t ledger_enter(struct hostile *h, unsigned node, unsigned q, struct ledger_entry e)
{
	if (h->nentries == h->capentries) {
		h->capentries = h->capentries ? 2 * h->capentries : 4096;
		h->entry = realloc(h->entry, h->capentries * sizeof(*h->entry));
		if (h->entry == NULL)
			abort();
	}
	e.state = LEDGER_POSTED;
	e.node = (uint8_t)node;
	e.q = (uint8_t)q;
	h->shared_open += q == LEDGER_SHARED;
	h->entry[h->nentries++] = e;
	return h->nentries;
}

static void check_order(struct hostile *h, unsigned node, const struct rn_cqe *c,
			const struct ledger_entry *e)
{
	struct hostile_life *life = &h->life[node][c->qp_ctx];
	if (e->q == LEDGER_SHARED)
		return;
	if (c->wr_id <= life->last[e->recv])
		OBJECT(h, "node %u QP %u: request %u completes after %u", node, e->q,
		       (unsigned)c->wr_id, life->last[e->recv]);
	life->last[e->recv] = (uint32_t)c->wr_id;
}

static void count(struct hostile *h, const struct ledger_entry *e, const struct rn_cqe *c)
{
	bool sound = c->status == RN_STATUS_SUCCESS,
	     refused = !sound && c->status != RN_STATUS_WR_FLUSH_ERR;
	h->t->done[c->kind % 32] += sound;
	h->t->seen[HOSTILE_SHARED_RECV] += e->q == LEDGER_SHARED && sound;
	h->t->seen[HOSTILE_FORBIDDEN] += e->forbidden && refused;
	h->t->seen[HOSTILE_BIND_FOREIGN] += e->forbidden && refused && c->kind == RN_WQE_BIND;
	h->t->seen[HOSTILE_WINDOW_BOUND] += sound && c->kind == RN_WQE_BIND;
	h->t->seen[HOSTILE_INVALIDATED] += sound && c->kind == RN_WQE_INVALIDATE;
	h->t->seen[HOSTILE_RAW_DONE] += e->raw && sound;
	h->t->seen[HOSTILE_RAW_REFUSED] += e->raw && refused;
}

static void take_one(struct hostile *h, unsigned node, const struct rn_cqe *c)
{
	static const char *const was[] = {
		[LEDGER_DONE] = "twice", [LEDGER_VOID] = "after its queue pair was gone"};
	if (c->wr_id == 0 || c->wr_id > h->nentries || c->qp_ctx >= SIM_MAX_QP) {
		OBJECT(h, "node %u: a completion of nothing that was posted (%llx)", node,
		       (unsigned long long)c->wr_id);
		return;
	}
	struct ledger_entry *e = &h->entry[c->wr_id - 1];
	if (e->node != node || (e->q != LEDGER_SHARED && e->q != c->qp_ctx) ||
	    e->recv != !!(c->flags & RN_CQE_RECV))
		OBJECT(h, "node %u QP %u: the completion of another queue's request", node,
		       (unsigned)c->qp_ctx);
	else if (e->state != LEDGER_POSTED)
		OBJECT(h, "node %u QP %u: request %u completes %s", node, e->q, (unsigned)c->wr_id,
		       was[e->state]);
	else if (e->forbidden && c->status == RN_STATUS_SUCCESS)
		OBJECT(h, "node %u QP %u: a forbidden request of kind %u succeeds", node, e->q,
		       c->kind);
	else
		check_order(h, node, c, e);
	e->state = LEDGER_DONE;
	h->shared_open -= e->q == LEDGER_SHARED;
	count(h, e, c);
	hostile_bystander_take(h, node, c);
}

void ledger_take(struct hostile *h)
{
	struct rn_cqe c;
	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(&h->sim, node, &c))
			take_one(h, node, &c);
}

void ledger_begin(struct hostile *h, unsigned node, unsigned q)
{
	h->life[node][q] = (struct hostile_life){.first = h->nentries};
}

void ledger_end(struct hostile *h, unsigned node, unsigned q)
{
	uint32_t qpn = h->sim.node[node].qp[q].qpn;
	const struct rn_qp *qp = rn_shard_qp(shard_of_qpn(h, node, qpn), qpn);
	sim_send(&h->sim, node, 0); /* makes the shard publish its completions */
	ledger_take(h);
	if (h->sim.node[node].srq && qp)
		h->shared_lost += qp->rq.tail - qp->rq.head;
	bool all_ended = qp_state(h, node, q) == RN_QPS_ERR;
	for (uint32_t i = h->life[node][q].first; i < h->nentries; i++) {
		struct ledger_entry *e = &h->entry[i];
		if (e->node != node || e->q != q || e->state != LEDGER_POSTED)
			continue;
		if (all_ended && e->must)
			OBJECT(h, "node %u QP %u: in the error state without a completion of %u",
			       node, q, i + 1);
		e->state = LEDGER_VOID;
	}
	h->life[node][q].first = h->nentries;
}

/* Checks the SRQ: each receive without a completion is still in the SRQ, is held by a message that
 * is arriving, or was lost with its QP. */
static void check_shared(struct hostile *h)
{
	const struct rn_srq *srq = h->sim.node[1].srq;
	if (srq == NULL)
		return;
	uint64_t in_queue = atomic_load(&srq->shared.posted) - atomic_load(&srq->shared.taken);
	if (h->shared_open < in_queue + h->shared_lost ||
	    h->shared_open > in_queue + h->shared_lost + h->sim.spec.qps)
		OBJECT(h,
		       "shared queue: %u receives not completed, %u in it, %u lost with their queue pair",
		       h->shared_open, (unsigned)in_queue, h->shared_lost);
}

void ledger_check(struct hostile *h)
{
	for (uint32_t i = 0; i < h->nentries; i++) {
		const struct ledger_entry *e = &h->entry[i];
		if (e->state != LEDGER_POSTED || e->q == LEDGER_SHARED || !e->must)
			continue;
		if (!e->recv || qp_state(h, e->node, e->q) == RN_QPS_ERR)
			OBJECT(h, "node %u QP %u: %s %u has ended without a completion", e->node,
			       e->q, e->recv ? "receive" : "request", i + 1);
	}
	check_shared(h);
}

void ledger_free(struct hostile *h)
{
	free(h->entry);
}
