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

/* slots: a power of two, at least 64; one slot stays unused. Returns 0, -ENOMEM or -EINVAL.
 * Destroy when no thread uses the ring any more. */
int rn_submit_create(struct rn_submit *s, uint32_t slots);
void rn_submit_destroy(struct rn_submit *s);

/* Any thread. Enqueues a copy of the request. Returns false, with nothing enqueued, when the ring
 * is full at the moment. */
bool rn_submit_put(struct rn_submit *s, const struct rn_wqe *wqe);

/* Any thread. Returns a position in the ring behind all requests whose enqueue began before the
 * call. */
uint32_t rn_submit_position(const struct rn_submit *s);

/* Called by the shard. True when all requests before `position` have been drained. */
bool rn_submit_drained(const struct rn_submit *s, uint32_t position);

/* Any thread. True when the shard has drained all requests whose enqueue began before the call. In
 * contrast to rn_submit_empty(), this also covers requests that cannot be dequeued yet because an
 * earlier enqueue by another thread is unfinished. The producers of such requests have already rung
 * the doorbell. */
bool rn_submit_idle(const struct rn_submit *s);

/* Whether the ring is empty, and how many slots are in use. Any thread may call these functions,
 * but the results are exact only for the shard. */
bool rn_submit_empty(const struct rn_submit *s);
unsigned rn_submit_count(const struct rn_submit *s);

/* Called by the shard. Takes whole requests from the ring, up to max slots (>= RN_WQE_MAX_SLOTS),
 * and posts them to the shard's QPs. Returns the number of slots taken. */
unsigned rn_submit_drain(struct rn_submit *s, struct rn_shard *sh, unsigned max, rn_time now);

#endif
