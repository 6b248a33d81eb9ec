/* The shard: what all its QPs share, and the tables that find them. Private to core. Shard thread. */
#ifndef RN_SHARD_H
#define RN_SHARD_H

#include "cm/cm.h"
#include "shard/core.h"
#include "queue/cq.h"
#include "base/list.h"
#include "qp/mcast.h"
#include "net/neigh.h"
#include "ground/news.h"
#include "qp/qp.h"
#include "queue/srq.h"
#include "wire/stats.h"
#include "base/wheel.h"

#define RN_OUTBOX 256u

/* Somebody asked for this address with RESOLVE. */
struct rn_resolving {
	struct rn_av av; /* dmac: once `known` */
	uint64_t user;
	int32_t err; /* likewise */
	bool known;
};
#define RN_RESOLVING 16u

/* An SRQ as one shard knows it. */
struct rn_srq_ref {
	struct rn_srq *srq;  /* NULL: unknown here */
	uint32_t id;
	uint64_t user;
	struct rn_list tell; /* on the shard's list while its event is not told */
};

struct rn_shard {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	const struct rn_mem_ops *mem;
	struct rn_wheel wheel;
	struct rn_wheel pace;    /* QPs whose rate is limited and who have data: when they may go on */
	struct rn_stats stats;
	struct rn_list active;   /* QPs that may have something to send */
	struct rn_list cnp;      /* QPs that owe a congestion notification */
	struct rn_list dirty_qp; /* QPs whose retired counts are not published */
	struct rn_list dirty_cq; /* CQs with unpublished entries */
	struct rn_list tell_qp, tell_cq, tell_srq; /* with events not told */
	bool overrun;            /* a CQ overran: its QPs are to be put in error */
	bool gone;               /* the port is no more */

	/* QPs by number: QPN = k * nshards + index, table slot = k & qp_mask */
	struct rn_qp **qp;
	uint32_t qp_mask;
	uint64_t qpn_inv;        /* ceil(2^32 / nshards): division by multiplication, exact below 2^24 */
	uint32_t qpn_first, qpn_count; /* range of k */
	struct rn_secret qpn_order;    /* of this shard alone */
	uint32_t qpn_next;             /* how many of them have had their turn in this round */
	uint32_t nqp, gen;

	struct rn_cq *cq;        /* by id; ring == NULL: unknown here */
	struct rn_srq_ref *srq;  /* by id */
	struct rn_mcast mcast;

	struct rn_cm *cm;        /* shard 0 only */
	struct rn_neigh *neigh;  /* shard 0 only */

	struct rn_msg outbox[RN_OUTBOX];
	uint32_t out_head, out_tail;
	struct rn_news_ring news;
	struct rn_resolving resolving[RN_RESOLVING];
	unsigned nresolving;
};

/* NULL: no such QP here. */
static inline struct rn_qp *rn_shard_qp(const struct rn_shard *sh, uint32_t qpn)
{
	uint32_t k = (uint32_t)((uint64_t)qpn * sh->qpn_inv >> 32);
	struct rn_qp *qp = sh->qp[k & sh->qp_mask];

	return qp && qp->qpn == qpn ? qp : NULL;
}

/* The QP may have something to send. */
static inline void rn_shard_activate(struct rn_shard *sh, struct rn_qp *qp)
{
	if (rn_list_empty(&qp->active)) {
		rn_list_add_tail(&sh->active, &qp->active);
		qp->quota = sh->cfg.quota_packets;
	}
}

static inline void rn_shard_tell_qp(struct rn_shard *sh, struct rn_qp *qp, unsigned bits)
{
	qp->events |= bits;
	if (qp->events && rn_list_empty(&qp->tell))
		rn_list_add_tail(&sh->tell_qp, &qp->tell);
}

/* Its receives have become fewer than its limit. */
void rn_shard_tell_srq(struct rn_shard *sh, struct rn_srq_ref *ref);
void rn_shard_tell_cq(struct rn_shard *sh, struct rn_cq *cq, unsigned kind);
/* To another shard, or RN_MSG_ALL. */
void rn_shard_send(struct rn_shard *sh, const struct rn_msg *m);
/* A request to this peer went without an answer: shard 0 looks whether it has moved (rn_neigh_doubt). */
void rn_shard_doubt(struct rn_shard *sh, const struct rn_gid *peer, rn_time now);
/* First packet on a QP in RTR. */
void rn_shard_comm_est(struct rn_shard *sh, struct rn_qp *qp, rn_time now);

#endif
