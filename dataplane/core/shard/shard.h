/* The shard: all state that its QPs share, and the tables for finding a QP. Only dataplane/core
 * includes this header. Runs on the shard's thread. */
#ifndef RN_SHARD_H
#define RN_SHARD_H

#include "cm/cm.h"
#include "shard/core.h"
#include "base/list.h"
#include "net/neigh.h"
#include "qp/lane.h"
#include "qp/qp.h"
#include "wire/stats.h"

/* A RESOLVE command that waits for its answer. */
struct rn_resolving {
	struct rn_av av; /* av.dmac is valid once `known` is true */
	uint64_t user;
	int32_t err; /* valid once `known` is true */
	bool known;
};
#define RN_RESOLVING 16u

struct rn_shard {
	struct rn_lane lane;	   /* first member: the part of a shard that QPs use */
	struct rn_list cnp;	   /* QPs that owe a congestion notification packet */
	struct rn_list pending_cq; /* CQs that have events to report */
	bool gone;		   /* the DPDK port no longer exists */

	/* table of QPs: the QP with QPN = k * nshards + index is in slot k & qp_mask */
	struct rn_qp **qp;
	uint32_t qp_mask;
	/* floor(2^32 / nshards) + 1; multiplying by this factor replaces dividing, exact for 24-bit
	 * QPNs */
	uint64_t qpn_inv;
	/* in the formula QPN = k * nshards + index: the smallest k in use, and the number of
	 * different k */
	uint32_t qpn_first, qpn_count;
	struct rn_secret qpn_order; /* secret key of the order in which this shard gives out QPNs */
	uint32_t qpn_next;	    /* next QPN to try, as a position in that order */
	uint32_t nqp, gen;

	struct rn_resolving resolving[RN_RESOLVING];
	unsigned nresolving;
};

/* Returns the slot of a QPN in the table of QPs. Another QP may have the slot. */
static inline struct rn_qp **rn_shard_slot(const struct rn_shard *sh, uint32_t qpn)
{
	return &sh->qp[(uint32_t)((uint64_t)qpn * sh->qpn_inv >> 32) & sh->qp_mask];
}

/* Returns the QP of this number. Returns NULL if the QP does not exist or belongs to another
 * shard. */
static inline struct rn_qp *rn_shard_qp(const struct rn_shard *sh, uint32_t qpn)
{
	struct rn_qp *qp = *rn_shard_slot(sh, qpn);

	return qp && qp->qpn == qpn ? qp : NULL;
}

/* Records an event (enum rn_event_kind) of this CQ; rn_shard_events() reports it. */
void rn_shard_report_cq(struct rn_shard *sh, struct rn_cq *cq, unsigned kind);
/* To be called when the MAC address of next hop `addr` has changed to `mac`. Rebuilds the headers
 * of all QPs that use this next hop. */
void rn_shard_new_mac(struct rn_shard *sh, const struct rn_gid *addr, const uint8_t mac[6]);

#endif
