/* A shard must withstand any bytes in a slot of a submission ring. The client here posts slots of
 * random bytes; some fields then get likely values. Like a front end, this client checks only that
 * the queue has room. The shard must check everything else. */
#include "hostile_raw.h"

#include <string.h>

#include "hostile_ledger.h"
#include "hostile_memory.h"

union slots {
	struct rn_wqe head;
	struct rn_wqe slot[RN_WQE_MAX_SLOTS];
};

/* Chooses a local buffer: in the arena, or in another memory region. Returns false if no work
 * request may read that region. */
static bool some_local(struct hostile *h, unsigned node, struct rn_sge *sge)
{
	static const unsigned regions[] = {READABLE, FOREIGN, STALE, GONE};
	unsigned kind = regions[below(h, RN_ARRAY_SIZE(regions))];
	if (!one_in(h, 4)) {
		sge->lkey = h->sim.node[node].lkey;
		sge->addr = (uint64_t)(uintptr_t)h->sim.node[node].arena + (9u << 20);
		return true;
	}
	sge->lkey = h->key[node][kind];
	sge->addr = (uint64_t)(uintptr_t)hostile_region(h, node, kind);
	return kind == READABLE;
}

static void some_remote(struct hostile *h, unsigned node, struct rn_wqe *w)
{
	unsigned kind = below(h, REGIONS), window = below(h, WINDOWS);
	w->rkey = h->sim.node[node].rkey;
	w->remote_va = (uint64_t)(uintptr_t)h->sim.node[node].arena + (10u << 20);
	if (one_in(h, 6)) {
		w->rkey = h->key[node][kind];
		w->remote_va = (uint64_t)(uintptr_t)hostile_region(h, node, kind);
	} else if (one_in(h, 6)) {
		w->rkey = h->window[node][window].key;
		w->remote_va = (uint64_t)(uintptr_t)hostile_region(h, node, LENT) + below(h, PART);
	}
}

/* Makes a BIND that must fail, in one of two ways:
 * - The memory window is the client's. The region does not allow binding, or belongs to the other
 *   protection domain.
 * - The memory window belongs to the other protection domain. The region is the client's. */
static void some_bind(struct hostile *h, unsigned node, struct rn_wqe *w)
{
	bool foreign_window = one_in(h, 2);
	unsigned kind = one_in(h, 2) ? FOREIGN : READABLE;
	w->rkey = (h->window[node][FOREIGN_WINDOW].id & ~0xFFu) | below(h, 256);
	w->remote_va = (uint64_t)(uintptr_t)h->sim.node[node].arena;
	w->bind = (struct rn_bind){below(h, PART), h->sim.node[node].lkey, below(h, 32)};
	if (foreign_window)
		return;
	w->rkey = (h->window[node][below(h, FOREIGN_WINDOW)].id & ~0xFFu) | below(h, 256);
	w->remote_va = (uint64_t)(uintptr_t)hostile_region(h, node, kind);
	w->bind.lkey = h->key[node][kind];
}

static void fill(struct hostile *h, unsigned node, unsigned q, union slots *s,
		 struct ledger_entry *e)
{
	struct rn_wqe *w = &s->head;
	bool sound = true;
	for (unsigned i = 0; i < sizeof(*s) / 8; i++) {
		uint64_t v = rn_rng_next(&h->rng);
		memcpy((uint8_t *)s + 8 * i, &v, sizeof(v));
	}
	if (one_in(h, 2))
		w->slots = (uint8_t)(1 + below(h, RN_WQE_MAX_SLOTS));
	if (!one_in(h, 4))
		w->kind = (uint8_t)(one_in(h, 5) ? RN_WQE_RECV : below(h, 20));
	w->flags = one_in(h, 2) ? (uint16_t)below(h, 16) : w->flags;
	w->num_sge = one_in(h, 2) ? (uint16_t)below(h, 6) : w->num_sge;
	w->length = one_in(h, 2) ? below(h, 200) : w->length;
	if (one_in(h, 2)) { /* Make the work request almost valid. */
		w->slots = w->num_sge = 1;
		w->flags = (uint16_t)below(h, 2); /* RN_WQE_SIGNALED or no flag */
		w->length = w->kind == RN_WQE_CMP_SWAP || w->kind == RN_WQE_FETCH_ADD
				    ? 8
				    : 1 + below(h, 200);
		sound = some_local(h, node, &w->sge[0]);
		w->sge[0].length = one_in(h, 6) ? below(h, 200) : w->length;
		sound &= w->sge[0].length == w->length;
		some_remote(h, 1 - node, w);
		if (w->kind == RN_WQE_CMP_SWAP || w->kind == RN_WQE_FETCH_ADD)
			w->slots = RN_ATOMIC_SLOTS;
	}
	e->forbidden = !sound && w->kind >= RN_WQE_SEND && w->kind <= RN_WQE_FETCH_ADD;
	if (w->kind == RN_WQE_BIND) {
		some_bind(h, node, w);
		w->length = w->num_sge = 0;
		w->slots = 1;
		w->flags &= (uint16_t)~RN_WQE_INLINE;
		e->forbidden = true;
	}
	if (h->sim.spec.type == RN_QPT_UD && w->slots && w->slots < RN_WQE_MAX_SLOTS &&
	    one_in(h, 2)) {
		w->slots++; /* adds the slot with the UD destination */
		*rn_wqe_ud(w) = sim_ud(&h->sim, node, q);
		if (one_in(h, 2))
			((uint8_t *)rn_wqe_ud(w))[below(h, sizeof(struct rn_ud))] =
				(uint8_t)below(h, 256);
	}
}

/* Returns whether the QP has room for another work request: in the receive queue if `recv` is true,
 * otherwise in the send queue. A front end makes the same check before it posts. If the node has an
 * SRQ, the receive queue has no room. */
static bool has_room(const struct hostile *h, unsigned node, const struct sim_qp *qp, bool recv)
{
	if (!recv)
		return qp->sq_posted - atomic_load(&qp->shared->sq_retired) < h->sim.spec.sq_depth;
	return !h->sim.node[node].srq &&
	       qp->rq_posted - atomic_load(&qp->shared->rq_retired) < h->sim.spec.rq_depth;
}

void hostile_raw_post(struct hostile *h, unsigned node, unsigned q)
{
	struct sim_qp *qp = &h->sim.node[node].qp[q];
	struct ledger_entry e = {.raw = true};
	union slots s;
	struct rn_wqe *w = &s.head;
	fill(h, node, q, &s, &e);
	w->qpn = qp->qpn;
	w->wr_id = 0; /* 0: the work request is not in the ledger and must not complete */
	e.recv = w->kind == RN_WQE_RECV;
	if (one_in(h, 10)) {
		w->qp_gen = qp->gen + 1 + below(h, 5);
		SEEN(h, RAW_STALE);
	} else {
		w->qp_gen = qp->gen;
		if (!e.recv && !has_room(h, node, qp, false))
			return;
		if (has_room(h, node, qp, e.recv)) {
			e.must = e.recv || e.forbidden || w->flags & RN_WQE_SIGNALED;
			w->wr_id = ledger_enter(h, node, q, e);
			*(e.recv ? &qp->rq_posted : &qp->sq_posted) += 1;
		}
		h->t->seen[e.recv ? HOSTILE_RAW_RECEIVE : HOSTILE_RAW_REQUEST]++;
	}
	rn_shard_post(shard_of_qpn(h, node, qp->qpn), w, h->sim.now);
}
