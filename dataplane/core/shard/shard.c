/* A shard: all protocol state that one thread serves. This file creates and destroys a shard, links
 * CQs, SRQs and multicast groups to a shard, and applies changes of the port to QPs. Runs on the
 * shard's thread. */
#include "shard/shard.h"

#include <stdlib.h>
#include <string.h>

#include "shard/resolve.h"
#include "wire/frame.h"
#include "ground/client_number.h"

#define FIRST_QPN 16u
#define LAST_QPN  0xFFFFFEu

/* ---- creation and destruction ---- */

/* Returns the key of this shard's secret permutation of QPNs. Each shard has a key of its own. With
 * one key for all shards, the QPNs of one shard would reveal those of the other shards. */
static struct rn_secret qpn_order(const struct rn_core_cfg *cfg)
{
	struct rn_secret order;
	struct rn_stream draws;

	rn_stream_init(&draws, &cfg->secrets.of[RN_SECRET_QPNS], cfg->index);
	const uint64_t key[2] = {rn_stream_next(&draws), rn_stream_next(&draws)};
	static_assert(sizeof(key) == sizeof(order), "two numbers are a key");
	memcpy(&order, key, sizeof(order));
	return order;
}

/* Prepares the table of QPs, the sequence of QPNs and the start value of QP generations. */
static void set_up_numbers(struct rn_shard *sh)
{
	struct rn_stream generations;
	uint32_t n = sh->lane.cfg.nshards;
	uint32_t first = FIRST_QPN, last = LAST_QPN;

	if (sh->lane.cfg.client != RN_CLIENT_NONE) {
		first = sh->lane.cfg.client << RN_CLIENT_QPN_SHIFT;
		last = first | ((1u << RN_CLIENT_QPN_SHIFT) - 1);
	}
	/* The table has at least twice as many slots as there can be QPs, so a free slot for a new
	 * QPN is soon found. */
	sh->qp_mask = rn_pow2_up(2 * sh->lane.cfg.max_qp) - 1;
	/* rn_shard_qp() multiplies a QPN by qpn_inv instead of dividing the QPN by n. For 24-bit
	 * QPNs both have the same result. */
	sh->qpn_inv = ((uint64_t)1 << 32) / n + 1;
	/* New QPs get QPNs from `first` to `last`. QP0, QP1 and the multicast QPN are outside this
	 * range. */
	sh->qpn_first = RN_DIV_UP(first, n);
	sh->qpn_count = (last - sh->lane.cfg.index) / n + 1 - sh->qpn_first;
	sh->qpn_order = qpn_order(&sh->lane.cfg);
	rn_stream_init(&generations, &sh->lane.cfg.secrets.of[RN_SECRET_GENERATIONS],
		       sh->lane.cfg.index);
	sh->gen = (uint32_t)rn_stream_next(&generations);
}

struct rn_shard *rn_shard_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 struct rn_mr_table *mrs, const struct rn_mem_ops *mem, rn_time now)
{
	struct rn_shard *sh = calloc(1, sizeof(*sh));

	if (!sh)
		return NULL;
	rn_assert(cfg->client <= RN_CLIENT_MAX);
	rn_assert(cfg->client == RN_CLIENT_NONE ||
		  cfg->max_qp <= rn_client_shard_qpns(cfg->nshards));
	rn_assert(cfg->index < cfg->nshards && cfg->quota_packets &&
		  cfg->quota_packets <= UINT16_MAX);
	sh->lane.cfg = *cfg;
	sh->lane.port = *port;
	sh->lane.mrs = mrs;
	sh->lane.mem = mem;
	rn_wheel_init(&sh->lane.wheel, now);
	rn_wheel_init(&sh->lane.pace, now);
	rn_list_init(&sh->lane.active);
	rn_list_init(&sh->cnp);
	rn_list_init(&sh->lane.dirty_qp);
	rn_list_init(&sh->lane.dirty_cq);
	rn_list_init(&sh->lane.pending_qp);
	rn_list_init(&sh->pending_cq);
	rn_list_init(&sh->lane.pending_srq);
	set_up_numbers(sh);
	sh->qp = calloc(sh->qp_mask + 1, sizeof(struct rn_qp *));
	sh->lane.cq = calloc(cfg->max_cq, sizeof(*sh->lane.cq));
	sh->lane.srq = calloc(cfg->max_srq, sizeof(*sh->lane.srq));
	if (!rn_mcast_init(&sh->lane.mcast) ||
	    !rn_keep_pool_init(&sh->lane.keep, cfg->keep_packets) || !sh->qp || !sh->lane.cq ||
	    !sh->lane.srq)
		goto no_memory;
	sh->lane.keep.lent = cfg->lent_frames;
	/* Only shard 0 has a neighbour table and a connection manager. */
	if (cfg->index)
		return sh;
	sh->lane.neigh = rn_neigh_create(&sh->lane.cfg, &sh->lane.port, now);
	if (!sh->lane.neigh)
		goto no_memory;
	sh->lane.comm_est = rn_cm_comm_est;
	sh->lane.cm = rn_cm_create(&sh->lane.cfg, &sh->lane.port, sh->lane.neigh, now);
	if (sh->lane.cm)
		return sh;
no_memory:
	rn_shard_destroy(sh);
	return NULL;
}

void rn_shard_destroy(struct rn_shard *sh)
{
	if (!sh)
		return;
	if (sh->lane.cm)
		rn_cm_destroy(sh->lane.cm);
	if (sh->lane.neigh)
		rn_neigh_destroy(sh->lane.neigh);
	rn_mcast_fini(&sh->lane.mcast);
	rn_keep_pool_fini(&sh->lane.keep);
	free(sh->qp);
	free(sh->lane.cq);
	free(sh->lane.srq);
	free(sh);
}

/* ---- the port and its neighbours ---- */

void rn_shard_port(struct rn_shard *sh, const struct rn_port_attr *port, rn_time now)
{
	sh->lane.port = *port;
	if (sh->lane.neigh) {
		rn_neigh_port(sh->lane.neigh, &sh->lane.port, now);
		rn_resolve_look(sh, now); /* the change may have made a waiting RESOLVE fail */
	}
	for (uint32_t i = 0; i <= sh->qp_mask; i++) {
		struct rn_qp *qp = sh->qp[i];

		/* Only connected QPs store headers. UD QPs build headers for each work request. */
		if (qp && rn_qp_has_peer(qp))
			rn_qp_make_headers(qp);
	}
}

void rn_shard_link_up(struct rn_shard *sh)
{
	if (sh->lane.neigh)
		rn_neigh_announce(sh->lane.neigh);
}

void rn_shard_port_gone(struct rn_shard *sh, rn_time now)
{
	sh->gone = true;
	for (uint32_t i = 0; i <= sh->qp_mask; i++)
		if (sh->qp[i])
			rn_qp_error(sh->qp[i], 0, false, now);
}

/* Searches all QPs one by one, which is fast enough because MAC addresses change rarely. */
void rn_shard_new_mac(struct rn_shard *sh, const struct rn_gid *addr, const uint8_t mac[6])
{
	struct rn_gid hop;

	for (uint32_t i = 0; i <= sh->qp_mask; i++) {
		struct rn_qp *qp = sh->qp[i];

		if (!qp || !rn_qp_has_peer(qp) ||
		    !rn_port_next_hop(&sh->lane.port, &qp->peer, &hop) || !rn_gid_equal(&hop, addr))
			continue;
		memcpy(qp->attr.av.dmac, mac, 6);
		rn_qp_make_headers(qp);
	}
}

/* ---- CQs and SRQs ---- */

void rn_shard_cq_link(struct rn_shard *sh, uint32_t cq_id, struct rn_cq_shared *shared,
		      struct rn_cq_ring *ring, uint64_t user)
{
	rn_assert(cq_id < sh->lane.cfg.max_cq);
	rn_cq_link(&sh->lane.cq[cq_id], cq_id, shared, ring, user);
}

void rn_shard_cq_unlink(struct rn_shard *sh, uint32_t cq_id)
{
	struct rn_cq *cq = &sh->lane.cq[cq_id];

	rn_assert(cq_id < sh->lane.cfg.max_cq);
	if (!cq->ring)
		return;
	/* Publish before unlinking: the application may still read the last CQEs. */
	rn_cq_publish(cq);
	rn_list_del(&cq->dirty);
	rn_list_del(&cq->tell);
	cq->ring = NULL;
}

void rn_shard_srq_link(struct rn_shard *sh, uint32_t srq_id, struct rn_srq *srq, uint64_t user)
{
	struct rn_srq_ref *ref = &sh->lane.srq[srq_id];

	rn_assert(srq_id < sh->lane.cfg.max_srq);
	/* All QPs of the shard share one reference to the SRQ, which an earlier call may have
	 * set. */
	if (ref->srq)
		return;
	*ref = (struct rn_srq_ref){.srq = srq, .id = srq_id, .user = user};
	rn_list_init(&ref->tell);
}

void rn_shard_srq_unlink(struct rn_shard *sh, uint32_t srq_id)
{
	struct rn_srq_ref *ref = &sh->lane.srq[srq_id];

	rn_assert(srq_id < sh->lane.cfg.max_srq);
	if (!ref->srq)
		return;
	rn_list_del(&ref->tell);
	ref->srq = NULL;
}

/* ---- memory windows and multicast groups ---- */

void rn_shard_unbind_window(struct rn_shard *sh, uint32_t key, uint32_t qpn)
{
	struct rn_qp *qp = rn_shard_qp(sh, qpn & RN_PSN_MASK);

	if (qp)
		rn_qp_unbind_window(qp, key);
}

void rn_shard_group(struct rn_shard *sh, const struct rn_gid *gid, uint32_t shards)
{
	rn_mcast_shards(&sh->lane.mcast, gid, shards);
}

bool rn_shard_group_here(const struct rn_shard *sh, const struct rn_gid *gid)
{
	/* The multicast group may have no members here: the table also lists groups whose members
	 * are all on other shards. */
	const struct rn_mcast_group *g = rn_mcast_find(&sh->lane.mcast, gid);

	return g && g->nmembers;
}

uint32_t rn_shard_group_shards(const struct rn_shard *sh, const struct rn_gid *gid)
{
	const struct rn_mcast_group *g = rn_mcast_find(&sh->lane.mcast, gid);

	return g ? g->shards : 0;
}

/* ---- teardown ---- */

unsigned rn_shard_leftovers(const struct rn_shard *sh)
{
	unsigned n = sh->nqp + (sh->lane.cm ? rn_cm_live(sh->lane.cm) : 0);

	for (uint32_t i = 0; i <= sh->qp_mask; i++) {
		const struct rn_qp *qp = sh->qp[i];

		if (qp)
			n += qp->rx.nowed + (qp->sq.tail - qp->sq.head) + qp->retry.running +
			     rn_timer_armed(&qp->pace) + !rn_list_empty(&qp->cnp);
	}
	return n;
}
