/* Shared receive queues (SRQ): receives that the messages of many QPs, on many shards, take in order of posting. The one
 * object without an owning shard.
 *
 * Receives are numbered from 0 for ever. They lie in a ring; when the queue grows, a larger one is linked behind it, in
 * which the next numbers live, and nothing moves. A queue keeps all its rings to its end: together they are smaller than
 * twice the newest, and nobody has to ask who still looks at an old one.
 *
 * Posting and growing: one thread at a time, the caller sees to that. Taking: any thread, any number, none waits for
 * another. Everything else: while nobody else uses the queue. */
#ifndef RN_SRQ_H
#define RN_SRQ_H

#include "rn/abi.h"
#include "queue/rq.h"
#include "base/types.h"

struct rn_srq_ring {
	RN_ATOMIC(struct rn_srq_ring *) next;
	uint64_t base;             /* number of the first receive that lives here */
	uint64_t mask;
	uint32_t stride;           /* words of one receive */
	RN_ATOMIC(uint64_t) word[]; /* zero or more SGEs behind {wr_id, number of SGEs} */
};

struct rn_srq {
	struct rn_srq_shared shared;
	RN_ATOMIC(struct rn_srq_ring *) ring; /* where takers begin to look: not behind the oldest receive */
	struct rn_srq_ring *first, *newest;
	uint32_t pd, max_sge;
};

/* Memory of a ring for `depth` receives. It comes from the caller, zeroed; so does that of the queue. */
size_t rn_srq_ring_bytes(uint32_t depth, uint32_t max_sge);
void rn_srq_init(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth, uint32_t max_sge, uint32_t pd);

/* Does the newest ring hold this many? */
bool rn_srq_fits(const struct rn_srq *srq, uint32_t depth);
void rn_srq_grow(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth);
/* The rings one by one, oldest first, for their owner to free; NULL behind the last. */
struct rn_srq_ring *rn_srq_next_ring(struct rn_srq *srq);

/* False, and nothing happened: more SGEs than the queue takes, or a ring full. */
bool rn_srq_post(struct rn_srq *srq, const struct rn_wqe *wqe);

/* The oldest receive, into *e, which has room for RN_WQE_MAX_SGE. False: there is none. *low: the queue was armed and has
 * fewer than its limit now; it is disarmed, and telling is the caller's. */
bool rn_srq_take(struct rn_srq *srq, struct rn_rqe *e, bool *low);

#endif
