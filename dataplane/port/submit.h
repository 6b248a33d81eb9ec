/* The submission ring of one shard: application threads enqueue work requests in 64-byte slots, the
 * shard dequeues.
 *
 * A work request takes wqe->slots consecutive slots, enqueued as a whole. The ring is in the
 * process's heap, not in a DPDK memzone. Producers use rte_ring's RTS mode (relaxed tail
 * synchronisation) without a limit for the distance between head and tail: a producer that is
 * preempted in the middle of an enqueue delays the requests after it, but no other producer spins
 * (docs/decisions/0003-submission-ring.md). */
#ifndef RN_SUBMIT_H
#define RN_SUBMIT_H

#include "shard/core.h"
#include "rn/abi.h"

struct rte_ring;

struct rn_submit {
	struct rte_ring *ring;
};

/* Creates a ring of `slots` slots: a power of two, at least 64, of which one stays unused. Returns
 * 0, -ENOMEM or -EINVAL. rn_submit_destroy() may be called only when no thread uses the ring any
 * more. */
int rn_submit_create(struct rn_submit *s, uint32_t slots);
void rn_submit_destroy(struct rn_submit *s);

/* Enqueues a copy of the request; any thread may call this function. Returns false, with nothing
 * enqueued, when the ring has no room for the request at the moment. */
bool rn_submit_put(struct rn_submit *s, const struct rn_wqe *wqe);

/* Returns the position in the ring up to which slots are assigned to requests. Every request whose
 * enqueue began before this call has its slots before that position. Any thread may call this
 * function. */
uint32_t rn_submit_position(const struct rn_submit *s);

/* True when the shard has drained all requests that lie before `position`, a result of
 * rn_submit_position(). Any thread may call this function. */
bool rn_submit_drained(const struct rn_submit *s, uint32_t position);

/* True when the shard has drained all requests whose enqueue began before the call. Any thread may
 * call this function. rn_submit_empty() does not tell this. While an older enqueue of another
 * thread is unfinished, rn_submit_empty() does not count the requests behind it, even if their
 * producers have already rung the doorbell. */
bool rn_submit_idle(const struct rn_submit *s);

/* rn_submit_empty() tells whether the ring is empty, rn_submit_count() how many slots are in use.
 * Any thread may call them, but the results are exact only in the shard's thread. */
bool rn_submit_empty(const struct rn_submit *s);
unsigned rn_submit_count(const struct rn_submit *s);

/* Called by the shard. Takes whole requests from the ring, up to max slots (>= RN_WQE_MAX_SLOTS),
 * and posts them to the shard's QPs. Returns the number of slots taken. */
unsigned rn_submit_drain(struct rn_submit *s, struct rn_shard *sh, unsigned max, rn_time now);

#endif
