/* What a client made: protection domains, regions, windows, completion queues, queue pairs; who uses whom, so that nothing dies
 * while in use. Tables of one adapter, under the adapter's control lock. */
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
	unsigned users; /* regions, windows, queue pairs, shared receive queues */
};

/* The part of a CQ that one shard feeds. */
struct rn_nic_feed {
	struct rn_cq_ring *newest; /* NULL: no QP of this shard was ever attached */
	uint64_t depths;           /* sum over the attached queues, and what their shares of SRQs add */
	struct rn_nic_share *shares;
	uint64_t gone;             /* depths of QPs destroyed since the newest ring was linked */
};

struct rn_nic_cq {
	struct rn_cq_view view; /* first: what link->cq_view() returns */
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
	struct rn_nic_share *share; /* on an SRQ, else NULL */
	void *mem; /* the core's, given at creation */
};

struct rn_objects {
	uint32_t max_pd, max_cq, max_srq;
	struct rn_idpool pd_ids, cq_ids, srq_ids;
	struct rn_nic_pd *pd;  /* by id */
	struct rn_nic_cq **cq; /* by id */
	struct rn_nic_srq **srq; /* by id; posters look without the lock */
	struct rn_htab mrs, mws, qps;
	unsigned npd, ncq, nsrq;
	unsigned qps_of[RN_MAX_SHARDS];
};

/* Ids start at 1. 0 or -ENOMEM. */
int rn_objects_init(struct rn_objects *o, const struct rn_config_limits *limits, unsigned nshards);
/* Frees whatever clients left behind. */
void rn_objects_fini(struct rn_objects *o);

struct rn_nic_pd *rn_objects_pd(struct rn_objects *o, uint32_t id); /* NULL: no such */
struct rn_nic_cq *rn_objects_cq(struct rn_objects *o, uint32_t id);
struct rn_nic_srq *rn_objects_srq(struct rn_objects *o, uint32_t id);
struct rn_nic_mr *rn_objects_mr(struct rn_objects *o, uint32_t lkey);
struct rn_nic_mw *rn_objects_mw(struct rn_objects *o, uint32_t id);
struct rn_nic_qp *rn_objects_qp(struct rn_objects *o, uint32_t qpn);

/* Frees the CQ, its rings and its id; nobody may read or feed it any more. */
void rn_objects_free_cq(struct rn_objects *o, struct rn_nic_cq *cq);

/* Frees the queue, its rings and its id; nobody may take from it any more. */
void rn_objects_free_srq(struct rn_objects *o, struct rn_nic_srq *srq);

#endif
