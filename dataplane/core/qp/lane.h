/* What a queue pair uses of its shard: configuration, memory, timers, counters, the lists it enters when it has something to
 * send or to report, and the way to the other shards. The shard owns it and makes it. Shard thread. */
#ifndef RN_LANE_H
#define RN_LANE_H

#include "base/list.h"
#include "base/wheel.h"
#include "ground/core_cfg.h"
#include "ground/msg.h"
#include "ground/news.h"
#include "memory/mem_ops.h"
#include "memory/mr.h"
#include "net/neigh.h"
#include "net/port_attr.h"
#include "qp/mcast.h"
#include "qp/qp.h"
#include "queue/cq.h"
#include "queue/srq.h"
#include "wire/stats.h"

#define RN_OUTBOX 256u

/* An SRQ as one shard knows it. */
struct rn_srq_ref {
	struct rn_srq *srq;  /* NULL: unknown here */
	uint32_t id;
	uint64_t user;
	struct rn_list tell; /* on the shard's list while its event is not told */
};

struct rn_cm;

struct rn_lane {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	const struct rn_mem_ops *mem;
	struct rn_wheel wheel;
	struct rn_wheel pace;    /* QPs whose rate is limited and who have data: when they may go on */
	struct rn_stats stats;
	struct rn_list active;   /* QPs that may have something to send */
	struct rn_list dirty_qp; /* QPs whose retired counts are not published */
	struct rn_list dirty_cq; /* CQs with unpublished entries */
	struct rn_list tell_qp, tell_srq; /* with events not told */
	bool overrun;            /* a CQ overran: its QPs are to be put in error */

	struct rn_cq *cq;        /* by id; ring == NULL: unknown here */
	struct rn_srq_ref *srq;  /* by id */
	struct rn_mcast mcast;

	struct rn_neigh *neigh;  /* shard 0 only */
	struct rn_cm *cm;        /* shard 0 only; known here by its pointer alone */
	void (*comm_est)(struct rn_cm *cm, uint32_t qpn, rn_time now); /* rn_cm_comm_est() */

	struct rn_msg outbox[RN_OUTBOX];
	uint32_t out_head, out_tail;
	struct rn_news_ring news;
};

/* The QP may have something to send. */
static inline void rn_lane_activate(struct rn_lane *lane, struct rn_qp *qp)
{
	if (rn_list_empty(&qp->active)) {
		rn_list_add_tail(&lane->active, &qp->active);
		qp->quota = lane->cfg.quota_packets;
	}
}

/* The counts of retired requests have changed: they are published at the end of the turn. */
static inline void rn_lane_mark_dirty(struct rn_qp *qp)
{
	if (rn_list_empty(&qp->dirty))
		rn_list_add_tail(&qp->lane->dirty_qp, &qp->dirty);
}

static inline void rn_lane_tell_qp(struct rn_lane *lane, struct rn_qp *qp, unsigned bits)
{
	qp->events |= bits;
	if (qp->events && rn_list_empty(&qp->tell))
		rn_list_add_tail(&lane->tell_qp, &qp->tell);
}

/* Its receives have become fewer than its limit. */
void rn_lane_tell_srq(struct rn_lane *lane, struct rn_srq_ref *ref);
/* To another shard, or RN_MSG_ALL. */
void rn_lane_send(struct rn_lane *lane, const struct rn_msg *m);
/* A request to this peer went without an answer: shard 0 looks whether it has moved (rn_neigh_doubt). */
void rn_lane_doubt(struct rn_lane *lane, const struct rn_gid *peer, rn_time now);
/* First packet on a QP in RTR. */
void rn_lane_comm_est(struct rn_lane *lane, struct rn_qp *qp, rn_time now);

#endif
