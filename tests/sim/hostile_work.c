/* The work requests of the client: valid ones of every kind, and a few that name memory without the
 * right to access it. See hostile_work.h. */
#include "hostile_work.h"

#include "hostile_ledger.h"
#include "hostile_memory.h"
#include "hostile_raw.h"
#include "hostile_window.h"
#include "queue/srq.h"

/* Offsets in the arena: receive buffers, then data to send, then memory that the peer writes and
 * reads. */
#define INBOX  (1u << 20)
#define OUTBOX (2u << 20)
#define TARGET (4u << 20)

void hostile_post(struct hostile *h, unsigned node, unsigned q, const struct sim_op *op,
		  bool forbidden)
{
	bool recv = op->kind == RN_WQE_RECV, shared = recv && h->sim.node[node].srq;
	struct ledger_entry e = {.recv = recv,
				 .must = recv || forbidden || op->flags & RN_WQE_SIGNALED,
				 .forbidden = forbidden};
	struct sim_op with = *op;
	with.wr_id = ledger_enter(h, node, shared ? LEDGER_SHARED : q, e);
	if (shared)
		sim_post_shared(&h->sim, &with);
	else
		sim_post(&h->sim, node, q, &with);
}

void hostile_receive(struct hostile *h, unsigned node, unsigned q, unsigned receives)
{
	const struct sim_qp *qp = &h->sim.node[node].qp[q];
	const struct rn_srq *srq = h->sim.node[node].srq;
	/* A message longer than its receive ends an RC connection. On UD the datagram is dropped
	 * and the receive stays posted. */
	bool ud = h->sim.spec.type == RN_QPT_UD;
	for (unsigned n = 0; n < receives; n++) {
		struct sim_op op = {.kind = RN_WQE_RECV, .local = INBOX, .length = 16384};
		if (one_in(h, ud ? 300 : 150))
			op.length = ud ? 100 : 8;
		if (srq ? atomic_load(&srq->shared.posted) - atomic_load(&srq->shared.taken) >=
				    2 * receives
			: qp->rq_posted - atomic_load(&qp->shared->rq_retired) >= receives)
			return;
		/* Sometimes the receive names a region without write access. */
		op.lkey = one_in(h, 200) ? h->key[node][READABLE] : 0;
		hostile_post(h, node, q, &op, false);
	}
}

static enum rn_wqe_kind some_kind(struct hostile *h)
{
	static const enum rn_wqe_kind kinds[] = {
		RN_WQE_SEND,	  RN_WQE_SEND, RN_WQE_SEND_IMM,	  RN_WQE_WRITE,
		RN_WQE_WRITE_IMM, RN_WQE_READ, RN_WQE_READ,	  RN_WQE_CMP_SWAP,
		RN_WQE_FETCH_ADD, RN_WQE_NOP,  RN_WQE_SEND_INVAL,
	};
	for (;;) {
		enum rn_wqe_kind kind = kinds[below(h, RN_ARRAY_SIZE(kinds))];
		if (kind == RN_WQE_SEND_INVAL && !one_in(h, 4))
			continue;
		if (rn_sq_kinds(h->sim.spec.type) >> kind & 1)
			return kind;
	}
}

/* Aims the work request at a memory window of the peer, mostly a window that is bound on this QP.
 * The window may forbid the access. */
static void use_window(struct hostile *h, unsigned node, unsigned q, struct sim_op *op)
{
	unsigned i = below(h, WINDOWS), kind = hostile_window_region(i);
	if (!hostile_window_on(h, 1 - node, i, q) && !one_in(h, 30))
		return;
	op->rkey = h->window[1 - node][i].key;
	op->remote = hostile_offset(
		h, 1 - node, hostile_region(h, 1 - node, kind) + PART / 4 + below(h, PART / 4));
	op->length = below(h, 400);
}

/* Makes the SEND invalidate a memory window of the peer. A window that is not bound on this QP
 * would cause an error and end the connection. So in this case the SEND mostly stays a plain
 * SEND. */
static void invalidate_there(struct hostile *h, unsigned node, unsigned q, struct sim_op *op)
{
	unsigned i = below(h, WINDOWS);
	op->imm = h->window[1 - node][i].key;
	if (!hostile_window_on(h, 1 - node, i, q) && !one_in(h, 30))
		op->kind = RN_WQE_SEND;
}

static bool name_forbidden(struct hostile *h, unsigned node, struct sim_op *op)
{
	static const unsigned regions[] = {FOREIGN, STALE, GONE};
	unsigned kind =
		op->kind == RN_WQE_READ ? READABLE : regions[below(h, RN_ARRAY_SIZE(regions))];
	bool moves_data = op->kind >= RN_WQE_SEND && op->kind <= RN_WQE_READ;
	if (!moves_data || op->flags & RN_WQE_INLINE || op->length == 0)
		return false;
	op->local = hostile_offset(h, node, hostile_region(h, node, kind));
	op->length = RN_MIN(op->length, PART);
	op->lkey = h->key[node][kind];
	return true;
}

static void send_one(struct hostile *h, unsigned node, unsigned q)
{
	struct sim_op op = {.kind = some_kind(h),
			    .local = OUTBOX,
			    .remote = TARGET,
			    .length = one_in(h, 8) ? 0 : below(h, 9000)};
	bool forbidden = false;
	op.flags = (one_in(h, 2) ? RN_WQE_SIGNALED : 0) | (one_in(h, 6) ? RN_WQE_FENCE : 0) |
		   (one_in(h, 4) ? RN_WQE_SOLICITED : 0);
	if (h->sim.spec.type == RN_QPT_UD)
		op.length = below(h, (128u << h->sim.spec.path_mtu) + (one_in(h, 100) ? 9 : 1));
	if (op.kind == RN_WQE_NOP) {
		op.length = 0;
	} else if (op.kind == RN_WQE_CMP_SWAP || op.kind == RN_WQE_FETCH_ADD) {
		op.length = 8;
		op.atomic.swap_add = below(h, 100);
	} else if ((op.kind == RN_WQE_SEND || op.kind == RN_WQE_WRITE) && one_in(h, 5)) {
		op.flags |= RN_WQE_INLINE;
		op.length = below(h, 65);
	} else if ((op.kind == RN_WQE_WRITE || op.kind == RN_WQE_READ) && one_in(h, 8)) {
		use_window(h, node, q, &op);
	}
	if (op.kind == RN_WQE_SEND_INVAL)
		invalidate_there(h, node, q, &op);
	if (one_in(h, 300))
		forbidden = name_forbidden(h, node, &op);
	hostile_post(h, node, q, &op, forbidden);
}

void hostile_work(struct hostile *h, unsigned node, unsigned q)
{
	const struct sim_qp *qp = &h->sim.node[node].qp[q];
	/* Sometimes no receive is posted. */
	hostile_receive(h, node, q, below(h, 6));
	for (unsigned n = 0; n < 6 && qp->sq_posted - atomic_load(&qp->shared->sq_retired) < 6;
	     n++) {
		if (h->sim.spec.type != RN_QPT_UD && one_in(h, 12))
			hostile_window_work(h, node, q);
		else
			send_one(h, node, q);
	}
	if (one_in(h, h->pace_raw))
		hostile_raw_post(h, node, q);
}
