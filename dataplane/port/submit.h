/* The submission ring of one shard. Application threads enqueue work requests in 64-byte slots, and
 * the shard dequeues them. A work request takes wqe->slots consecutive slots, enqueued as a whole.
 * The ring is in the process's heap, not in a DPDK memzone.
 *
 * Producers use rte_ring's RTS mode (relaxed tail synchronisation) without a limit for the distance
 * between head and tail. A producer that is preempted in the middle of an enqueue delays the work
 * requests after it. No other producer spins (docs/decisions/0003-submission-ring.md). */
#ifndef RN_SUBMIT_H
#define RN_SUBMIT_H

#include "shard/core.h"
#include "rn/link.h"

struct rte_ring;

struct rn_submit {
	struct rte_ring *ring;
};

/* Creates a ring of `slots` slots: a power of two, at least 64. One slot stays unused. Returns 0,
 * -ENOMEM or -EINVAL. rn_submit_destroy() may be called when no thread uses the ring any more. */
int rn_submit_create(struct rn_submit *s, uint32_t slots);
void rn_submit_destroy(struct rn_submit *s);

/* Enqueues copies of n work requests, each of which begins behind the last slot of the one before,
 * all at once. Together they have at most RN_LINK_LIST_SLOTS slots. Returns false, with nothing
 * enqueued, if the ring has no room for all of them at the moment. Any thread may call this
 * function. */
bool rn_submit_put(struct rn_submit *s, const struct rn_wqe *wqe, uint32_t n);

/* Returns the position in the ring up to which slots are assigned to work requests. A work request
 * whose enqueue began before this call lies before that position. Any thread may call this
 * function. */
uint32_t rn_submit_position(const struct rn_submit *s);

/* Has the shard drained all work requests before `position`, a result of rn_submit_position()? Any
 * thread may call this function. */
bool rn_submit_drained(const struct rn_submit *s, uint32_t position);

/* Has the shard drained all work requests whose enqueue began before the call? Any thread may call
 * this function.
 * rn_submit_empty() does not answer this question. While an older enqueue of another thread is
 * unfinished, rn_submit_empty() does not count the later work requests, even if their producers
 * have already rung the doorbell. */
bool rn_submit_idle(const struct rn_submit *s);

/* rn_submit_empty() tells whether the ring is empty, and rn_submit_count() how many slots are in
 * use. Any thread may call these functions, but the results are exact only in the shard's
 * thread. */
bool rn_submit_empty(const struct rn_submit *s);
unsigned rn_submit_count(const struct rn_submit *s);

/* Takes whole work requests from the ring, up to `max` slots (>= RN_WQE_MAX_SLOTS), and posts them
 * to the shard's QPs. Returns the number of slots taken. Called by the shard. */
unsigned rn_submit_drain(struct rn_submit *s, struct rn_shard *sh, unsigned max, rn_time now);

#endif
