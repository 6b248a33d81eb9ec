/* struct rn_lane is the part of a shard that its queue pairs use: configuration, memory, timers,
 * counters, messages to other shards, and lists of QPs that have something to send or to report.
 * Each shard has one struct rn_lane. Runs on the shard's thread. */
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
#include "qp/keep.h"
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
	/* node in rn_lane.pending_srq while a limit event waits to be reported */
	struct rn_list tell;
};

struct rn_cm;

struct rn_lane {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	const struct rn_mem_ops *mem;
	struct rn_wheel wheel;
	struct rn_wheel pace; /* timers of QPs that must wait for their rate limit */
	struct rn_stats stats;
	struct rn_list active; /* QPs that may have something to send: the active list */
	/* QPs whose sq_retired or rq_retired has changed since it was published */
	struct rn_list dirty_qp;
	struct rn_list dirty_cq;		/* CQs with entries that are not yet published */
	struct rn_list pending_qp, pending_srq; /* QPs and SRQs with events not yet reported */
	bool overrun; /* a CQ has overrun: the QPs that use it must enter ERR */

	/* array indexed by CQ id; an entry whose `ring` is NULL is not linked to this shard */
	struct rn_cq *cq;
	struct rn_srq_ref *srq; /* array indexed by SRQ id */
	struct rn_mcast mcast;
	struct rn_keep_pool keep;

	struct rn_neigh *neigh; /* neighbour table on shard 0; NULL on other shards */
	/* connection manager on shard 0; NULL on other shards */
	struct rn_cm *cm;
	/* Points to rn_cm_comm_est(), so that files in qp/ need not include cm/cm.h. */
	void (*comm_est)(struct rn_cm *cm, uint32_t qpn, rn_time now);

	struct rn_msg outbox[RN_OUTBOX];
	uint32_t out_head, out_tail;
	struct rn_news_ring news;
};

/* Puts a QP that may have something to send on the active list, with a new quota of packets. Has no
 * effect if the QP is on the list already. */
static inline void rn_lane_activate(struct rn_lane *lane, struct rn_qp *qp)
{
	if (rn_list_empty(&qp->active)) {
		rn_list_add_tail(&lane->active, &qp->active);
		qp->quota = (uint16_t)lane->cfg.quota_packets;
	}
}

/* Makes rn_shard_done() publish qp->sq_retired and qp->rq_retired to the application. Called after
 * a change of either count. */
static inline void rn_lane_mark_dirty(struct rn_qp *qp)
{
	if (rn_list_empty(&qp->dirty))
		rn_list_add_tail(&qp->lane->dirty_qp, &qp->dirty);
}

/* Adds the events `bits` (a set of enum rn_qp_event_bit) to qp->events. rn_shard_events() reports
 * them later. */
static inline void rn_lane_report_qp(struct rn_lane *lane, struct rn_qp *qp, unsigned bits)
{
	qp->events |= bits;
	if (qp->events && rn_list_empty(&qp->tell))
		rn_list_add_tail(&lane->pending_qp, &qp->tell);
}

/* Makes rn_shard_events() report that the SRQ holds fewer receives than its limit. */
void rn_lane_report_srq(struct rn_lane *lane, struct rn_srq_ref *ref);
/* Queues a message for another shard, or for all other shards (RN_MSG_ALL). If the outbox is full,
 * drops the message. */
void rn_lane_send(struct rn_lane *lane, const struct rn_msg *m);
/* Makes shard 0 probe the MAC address of a peer that did not answer (rn_neigh_probe()). */
void rn_lane_probe_peer(struct rn_lane *lane, const struct rn_gid *peer, rn_time now);
/* To be called when the QP has received its first packet. Informs the connection manager. If the QP
 * is in RTR, also reports the event COMM_EST to the application. */
void rn_lane_comm_est(struct rn_lane *lane, struct rn_qp *qp, rn_time now);

#endif
