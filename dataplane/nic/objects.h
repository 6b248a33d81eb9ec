/* The objects that clients created: protection domains, memory regions, memory windows, CQs, SRQs
 * and QPs. An object that other objects use is not destroyed. The control lock of an adapter guards
 * the adapter's tables. */
#ifndef RN_NIC_OBJECTS_H
#define RN_NIC_OBJECTS_H

#include "base/htab.h"
#include "base/idpool.h"
#include "nic/srq_share.h"
#include "rn/abi.h"
#include "rn/link.h"

struct rn_config_limits;

struct rn_nic_pd {
	bool live;
	unsigned users; /* number of memory regions, memory windows, QPs and SRQs in this PD */
};

/* The part of a CQ that takes the completions of one shard. All sizes count completions. */
struct rn_nic_feed {
	/* ring into which the shard writes; NULL until a QP of this shard uses the CQ */
	struct rn_cq_ring *newest;
	/* room that this shard needs in the CQ: the sum of the depths of the shard's queues that
	 * complete to the CQ, plus the room for SRQs (srq_share.h) */
	uint64_t depths;
	struct rn_nic_share *shares;
	uint64_t gone; /* depths of the queues of QPs destroyed since `newest` was linked */
};

struct rn_nic_cq {
	struct rn_cq_view view; /* must be the first member; rn_link_ops.cq_view() returns `view` */
	struct rn_cq_shared shared;
	uint32_t id, depth;
	uint64_t user, affinity;
	unsigned users;
	struct rn_nic_feed feed[RN_MAX_SHARDS];
};

struct rn_nic_mr {
	struct rn_hnode node;
	uint32_t lkey, pd;
};

struct rn_nic_mw {
	struct rn_hnode node;
	uint32_t id, pd;
	struct rn_mw_shared shared;
};

struct rn_nic_qp {
	struct rn_hnode node;
	uint32_t qpn, gen, shard, pd;
	uint32_t sq_depth, rq_depth;
	struct rn_nic_cq *send_cq, *recv_cq;
	struct rn_nic_share *share; /* share of a QP with an SRQ (srq_share.h), else NULL */
	void *mem;		    /* memory of the core's struct rn_qp: rn_exec_bytes() bytes */
};

struct rn_objects {
	uint32_t max_pd, max_cq, max_srq;
	struct rn_idpool pd_ids, cq_ids, srq_ids;
	struct rn_nic_pd *pd;	 /* indexed by PD id */
	struct rn_nic_cq **cq;	 /* indexed by CQ id */
	struct rn_nic_srq **srq; /* indexed by SRQ id; posting a receive reads it without a lock */
	struct rn_htab mrs, mws, qps;
	unsigned npd, ncq, nsrq;
	unsigned qps_of[RN_MAX_SHARDS];
};

/* Allocates the tables. Ids start at 1. Returns 0 or -ENOMEM. */
int rn_objects_init(struct rn_objects *o, const struct rn_config_limits *limits, unsigned nshards);
/* Frees the tables and all objects that clients have not destroyed. */
void rn_objects_fini(struct rn_objects *o);

/* Each of these functions returns the object with this id, or NULL if there is no such object. */
struct rn_nic_pd *rn_objects_pd(struct rn_objects *o, uint32_t id);
struct rn_nic_cq *rn_objects_cq(struct rn_objects *o, uint32_t id);
struct rn_nic_srq *rn_objects_srq(struct rn_objects *o, uint32_t id);
struct rn_nic_mr *rn_objects_mr(struct rn_objects *o, uint32_t lkey);
struct rn_nic_mw *rn_objects_mw(struct rn_objects *o, uint32_t id);
struct rn_nic_qp *rn_objects_qp(struct rn_objects *o, uint32_t qpn);

/* Frees the CQ, its rings and its id. From the start of this call on, no thread may read or add
 * completions. */
void rn_objects_free_cq(struct rn_objects *o, struct rn_nic_cq *cq);

/* Frees the SRQ, its rings and its id. From the start of this call on, no thread may take receives
 * from the SRQ. */
void rn_objects_free_srq(struct rn_objects *o, struct rn_nic_srq *srq);

#endif
