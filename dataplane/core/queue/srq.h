/* Shared receive queue (SRQ): holds the receives for many QPs on many shards. A message that needs
 * a receive takes the oldest posted receive. An SRQ is the only object without an owning shard.
 *
 * Receives are numbered from 0 on without wrapping, and are stored in a ring. When the SRQ grows, a
 * larger ring is linked behind the newest ring. The larger ring stores the receives that are posted
 * from then on; no receive moves. All rings stay until the SRQ is destroyed: a thread may still be
 * reading an older ring. The older rings together are smaller than the newest ring.
 *
 * The caller ensures that only one thread at a time posts receives or grows the SRQ. Any number of
 * threads may take receives, and none of them waits. All other functions require that no other
 * thread uses the SRQ. */
#ifndef RN_SRQ_H
#define RN_SRQ_H

#include "rn/abi.h"
#include "queue/rq.h"
#include "base/types.h"

struct rn_srq_ring {
	RN_ATOMIC(struct rn_srq_ring *) next;
	uint64_t base; /* number of the first receive in this ring */
	uint64_t mask;
	uint32_t stride;	    /* 64-bit words per receive */
	RN_ATOMIC(uint64_t) word[]; /* words of each receive: wr_id, number of SGEs, SGEs */
};

struct rn_srq {
	struct rn_srq_shared shared;
	RN_ATOMIC(struct rn_srq_ring *) ring; /* the ring where the search for a receive begins */
	struct rn_srq_ring *first, *newest;
	uint32_t pd, max_sge;
};

/* Returns the bytes of a ring for `depth` receives. The caller allocates the ring and the struct
 * rn_srq, and zeroes the memory of both. */
size_t rn_srq_ring_bytes(uint32_t depth, uint32_t max_sge);
void rn_srq_init(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth, uint32_t max_sge,
		 uint32_t pd);

/* Is the newest ring large enough for `depth` receives? */
bool rn_srq_fits(const struct rn_srq *srq, uint32_t depth);
/* Links `ring`, which has rn_srq_ring_bytes() bytes, behind the newest ring. To be called by the
 * thread that posts receives. */
void rn_srq_grow(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth);
/* Returns one ring of the SRQ for the caller to free, the oldest first. Returns NULL after the last
 * ring. */
struct rn_srq_ring *rn_srq_next_ring(struct rn_srq *srq);

/* Posts a receive. Returns false, and changes nothing, if the newest ring is full or the receive is
 * malformed (for example, has too many SGEs). */
bool rn_srq_post(struct rn_srq *srq, const struct rn_wqe *wqe);

/* Takes the oldest receive into *e, which has room for RN_WQE_MAX_SGE SGEs. Returns false if the
 * SRQ is empty.
 * Sets *low to true if a limit was armed and fewer receives than the limit are left. The limit is
 * then disarmed, and the caller must report RN_EVENT_SRQ_LIMIT. */
bool rn_srq_take(struct rn_srq *srq, struct rn_rqe *e, bool *low);

#endif
