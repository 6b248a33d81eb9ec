/* What a queue pair uses of its shard: configuration, memory, timers, counters, the lists it
 * enters when it has something to send or to report, and messages to other shards. The shard
 * owns the lane. Shard thread. */
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

/* A shard's reference to an SRQ. */
struct rn_srq_ref {
	struct rn_srq *srq; /* NULL: not linked to this shard */
	uint32_t id;
	uint64_t user;
	struct rn_list tell; /* on the shard's list while its event is not reported */
};

struct rn_cm;

struct rn_lane {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	const struct rn_mem_ops *mem;
	struct rn_wheel wheel;
	struct rn_wheel pace; /* rate-limited QPs with data: when each may send again */
	struct rn_stats stats;
	struct rn_list active;		  /* QPs that may have something to send */
	struct rn_list dirty_qp;	  /* QPs whose retired counts are not published */
	struct rn_list dirty_cq;	  /* CQs with unpublished entries */
	struct rn_list tell_qp, tell_srq; /* QPs and SRQs with events not yet reported */
	bool overrun;			  /* a CQ overran: its QPs must enter ERR */

	struct rn_cq *cq;	/* by id; ring == NULL: not linked to this shard */
	struct rn_srq_ref *srq; /* by id */
	struct rn_mcast mcast;

	struct rn_neigh *neigh; /* shard 0 only */
	struct rn_cm *cm;	/* shard 0 only; an opaque pointer in this folder */
	/* rn_cm_comm_est() of cm/cm.h, so that qp/ need not include it */
	void (*comm_est)(struct rn_cm *cm, uint32_t qpn, rn_time now);

	struct rn_msg outbox[RN_OUTBOX];
	uint32_t out_head, out_tail;
	struct rn_news_ring news;
};

/* Puts the QP on the active list, because it may have something to send, with a new quota. */
static inline void rn_lane_activate(struct rn_lane *lane, struct rn_qp *qp)
{
	if (rn_list_empty(&qp->active)) {
		rn_list_add_tail(&lane->active, &qp->active);
		qp->quota = lane->cfg.quota_packets;
	}
}

/* The counts of retired requests have changed: publishes them at the end of the turn. */
static inline void rn_lane_mark_dirty(struct rn_qp *qp)
{
	if (rn_list_empty(&qp->dirty))
		rn_list_add_tail(&qp->lane->dirty_qp, &qp->dirty);
}

/* Reports these events (enum rn_qp_event_bit) at the end of the turn. */
static inline void rn_lane_tell_qp(struct rn_lane *lane, struct rn_qp *qp, unsigned bits)
{
	qp->events |= bits;
	if (qp->events && rn_list_empty(&qp->tell))
		rn_list_add_tail(&lane->tell_qp, &qp->tell);
}

/* Reports at the end of the turn that the SRQ has fewer receives than its limit. */
void rn_lane_tell_srq(struct rn_lane *lane, struct rn_srq_ref *ref);
/* Queues a message for another shard or RN_MSG_ALL. A full outbox drops it. */
void rn_lane_send(struct rn_lane *lane, const struct rn_msg *m);
/* This peer did not answer a request: shard 0 checks its MAC address anew (rn_neigh_doubt()). */
void rn_lane_doubt(struct rn_lane *lane, const struct rn_gid *peer, rn_time now);
/* The first packet came to this QP: reports COMM_EST if it is in RTR, and always to the
 * connection manager. */
void rn_lane_comm_est(struct rn_lane *lane, struct rn_qp *qp, rn_time now);

#endif
