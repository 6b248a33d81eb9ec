/* Shared receive queues (SRQ): one queue has the receives for many QPs on many shards. A message
 * that needs a receive takes the oldest posted one. An SRQ is the one object without an owning
 * shard.
 *
 * Receives are numbered from 0 on without wrapping. They are in a ring; when the queue grows, a
 * larger ring is linked behind it for the next numbers, and no receive moves. A queue keeps all its
 * rings until it is destroyed, so no thread has to know which rings are still being read. The older
 * rings together are smaller than the newest.
 *
 * Threads: one thread at a time may post or grow the queue, which the caller ensures. Any number of
 * threads may take, and none of them waits for another. All other functions require that no other
 * thread uses the queue. */
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
	RN_ATOMIC(uint64_t) word[]; /* of each receive: wr_id, number of SGEs, SGEs */
};

struct rn_srq {
	struct rn_srq_shared shared;
	RN_ATOMIC(struct rn_srq_ring *) ring; /* the ring where takers begin to search */
	struct rn_srq_ring *first, *newest;
	uint32_t pd, max_sge;
};

/* Bytes of a ring for `depth` receives. The caller allocates ring and queue, both zeroed. */
size_t rn_srq_ring_bytes(uint32_t depth, uint32_t max_sge);
void rn_srq_init(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth, uint32_t max_sge,
		 uint32_t pd);

/* Has the newest ring room for `depth` receives? */
bool rn_srq_fits(const struct rn_srq *srq, uint32_t depth);
/* Links `ring`, rn_srq_ring_bytes() long, behind the newest ring. To be called by the thread that
 * posts. */
void rn_srq_grow(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth);
/* Returns the rings one by one, oldest first, for their owner to free; NULL after the last. */
struct rn_srq_ring *rn_srq_next_ring(struct rn_srq *srq);

/* Posts a receive. Returns false, and changes nothing, if the receive is malformed (for example has
 * too many SGEs) or the newest ring is full. */
bool rn_srq_post(struct rn_srq *srq, const struct rn_wqe *wqe);

/* Takes the oldest receive into *e, which has room for RN_WQE_MAX_SGE SGEs. Returns false if the
 * queue is empty. Sets *low to true if the queue was armed and now has fewer receives than its
 * limit. The queue is then disarmed, and the caller must report RN_EVENT_SRQ_LIMIT. */
bool rn_srq_take(struct rn_srq *srq, struct rn_rqe *e, bool *low);

#endif
