/* The shard: what all its QPs share, and the tables that find them. Private to core. Shard thread. */
#ifndef RN_SHARD_H
#define RN_SHARD_H

#include "cm/cm.h"
#include "shard/core.h"
#include "base/list.h"
#include "net/neigh.h"
#include "qp/lane.h"
#include "qp/qp.h"
#include "wire/stats.h"

/* Somebody asked for this address with RESOLVE. */
struct rn_resolving {
	struct rn_av av; /* dmac: once `known` */
	uint64_t user;
	int32_t err; /* likewise */
	bool known;
};
#define RN_RESOLVING 16u

struct rn_shard {
	struct rn_lane lane;     /* first: what its QPs use of it */
	struct rn_list cnp;      /* QPs that owe a congestion notification */
	struct rn_list tell_cq;  /* CQs with events not told */
	bool gone;               /* the port is no more */

	/* QPs by number: QPN = k * nshards + index, table slot = k & qp_mask */
	struct rn_qp **qp;
	uint32_t qp_mask;
	uint64_t qpn_inv;        /* ceil(2^32 / nshards): division by multiplication, exact below 2^24 */
	uint32_t qpn_first, qpn_count; /* range of k */
	struct rn_secret qpn_order;    /* of this shard alone */
	uint32_t qpn_next;             /* how many of them have had their turn in this round */
	uint32_t nqp, gen;

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

void rn_shard_tell_cq(struct rn_shard *sh, struct rn_cq *cq, unsigned kind);
/* QPs whose next hop is addr send to mac from now on. */
void rn_shard_new_mac(struct rn_shard *sh, const struct rn_gid *addr, const uint8_t mac[6]);

#endif
