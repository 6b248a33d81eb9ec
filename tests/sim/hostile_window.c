/* Memory windows of the client: valid BINDs, BINDs that must fail, and the destruction of all
 * memory windows at the end. See hostile_window.h. */
#include "hostile_window.h"

#include <errno.h>
#include <stdlib.h>

#include "shard/core.h"
#include "hostile_memory.h"
#include "hostile_work.h"

#define REMOTE (RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_ATOMIC)

enum hostile_region hostile_window_region(unsigned window)
{
	return window == FOREIGN_WINDOW ? FOREIGN : window == FOREIGN_WINDOW - 1 ? VIEW : LENT;
}

void hostile_window_make(struct hostile *h, unsigned node)
{
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct hostile_window *w = &h->window[node][i];
		if (rn_mw_add(h->sim.node[node].mrs, i == FOREIGN_WINDOW ? FOREIGN_PD : SIM_PD,
			      &w->shared, &w->id))
			abort();
		w->key = w->id;
	}
}

static bool is_free(const struct hostile_window *w)
{
	return !w->used || atomic_load(&w->shared.ended) == w->key;
}

bool hostile_window_on(const struct hostile *h, unsigned node, unsigned window, unsigned q)
{
	const struct hostile_window *w = &h->window[node][window];
	return !is_free(w) && w->q == q;
}

bool hostile_window_is(const struct hostile *h, unsigned node, uint32_t key)
{
	for (unsigned i = 0; i < FOREIGN_WINDOW; i++)
		if (h->window[node][i].used && h->window[node][i].key == key)
			return true;
	return false;
}

static uint32_t next_key(const struct hostile_window *w)
{
	uint32_t variant = (w->key + 1) & 0xFF;
	return (w->id & ~0xFFu) | (variant ? variant : 1);
}

static struct sim_op bind_over(struct hostile *h, unsigned node, struct hostile_window *w,
			       unsigned kind)
{
	struct sim_op op = {
		.kind = RN_WQE_BIND, .flags = RN_WQE_SIGNALED, .lkey = h->key[node][kind]};
	uint32_t start = kind == LENT ? PART / 4 + below(h, PART / 4) : below(h, PART / 2);
	op.rkey = next_key(w);
	op.remote = hostile_offset(h, node, hostile_region(h, node, kind) + start);
	op.length = 1 + below(h, PART / 2 + PART / 4 - start);
	op.access =
		kind == LENT ? (2u << below(h, 3)) | (2u << below(h, 3)) : RN_ACCESS_REMOTE_READ;
	return op;
}

/* Posts a BIND that must fail. */
static void bind_wrongly(struct hostile *h, unsigned node, unsigned q)
{
	unsigned i = below(h, FOREIGN_WINDOW);
	struct hostile_window *w = &h->window[node][i];
	struct sim_op op = bind_over(h, node, w, LENT);
	switch (below(h, 4)) {
	case 0: /* a memory window of another protection domain */
		w = &h->window[node][FOREIGN_WINDOW];
		op.rkey = next_key(w);
		break;
	case 1: /* a region of another protection domain */
		op.remote = hostile_offset(h, node, hostile_region(h, node, FOREIGN));
		op.lkey = h->key[node][FOREIGN];
		op.length = PART;
		break;
	case 2: /* past the end of the memory region, or past the end of the address space */
		op.length = one_in(h, 2) ? PART : UINT32_MAX;
		op.remote = one_in(h, 2) ? op.remote
					 : hostile_offset(h, node, (uint8_t *)(uintptr_t)-16);
		break;
	/* access rights that a memory window cannot give: local rights and the right to bind */
	case 3:
		op.access = RN_ACCESS_LOCAL_WRITE | RN_ACCESS_MW_BIND;
		break;
	}
	if (w == &h->window[node][i] && !is_free(w))
		return;
	if (w == &h->window[node][i]) {
		w->key = op.rkey;
		w->used = true;
	}
	hostile_post(h, node, q, &op, true);
}

void hostile_window_work(struct hostile *h, unsigned node, unsigned q)
{
	unsigned i = below(h, FOREIGN_WINDOW);
	struct hostile_window *w = &h->window[node][i];
	if (one_in(h, 30)) {
		bind_wrongly(h, node, q);
		return;
	}
	if (is_free(w)) {
		struct sim_op op = bind_over(h, node, w, hostile_window_region(i));
		w->key = op.rkey;
		w->used = true;
		w->q = (uint8_t)q;
		w->va = (uint64_t)(uintptr_t)h->sim.node[node].arena + op.remote;
		w->length = (uint32_t)op.length;
		hostile_post(h, node, q, &op, false);
	} else if (w->q == q && one_in(h, 3)) {
		struct sim_op op = {
			.kind = RN_WQE_INVALIDATE, .flags = RN_WQE_SIGNALED, .rkey = w->key};
		hostile_post(h, node, q, &op, false);
	}
}

void hostile_window_bind_foreign(struct hostile *h, unsigned node, unsigned q)
{
	struct hostile_window *w = &h->window[node][FOREIGN_WINDOW];
	struct sim_op op = {.kind = RN_WQE_BIND,
			    .flags = RN_WQE_SIGNALED,
			    .rkey = next_key(w),
			    .access = REMOTE,
			    .lkey = h->key[node][FOREIGN],
			    .length = PART,
			    .remote = hostile_offset(h, node, hostile_region(h, node, FOREIGN))};
	w->key = op.rkey;
	w->used = true;
	hostile_post(h, node, q, &op, false);
}

/* Destroys the memory windows as dataplane/nic/control.c does. A bound memory window must first be
 * released by the shard of its QP. */
void hostile_window_drop(struct hostile *h, unsigned node)
{
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct hostile_window *w = &h->window[node][i];
		uint32_t qpn = 0;
		int rc = -EBUSY;
		for (unsigned tries = 0; tries < 8 && rc == -EBUSY; tries++) {
			rc = rn_mw_remove(h->sim.node[node].mrs, w->id, &qpn);
			if (rc == -EBUSY)
				rn_shard_unbind_window(shard_of_qpn(h, node, qpn), w->id, qpn);
		}
		if (rc)
			OBJECT(h, "node %u: window %u cannot be unmade: %d", node, i, rc);
		else
			rn_mr_reclaim(h->sim.node[node].mrs, w->id);
	}
}
