/* The submission ring of one shard: many application threads produce 64-byte slots, the shard consumes.
 *
 * A work request takes wqe->slots consecutive slots, enqueued in one piece. Memory is our own: no memzone.
 * Producers are in RTS mode with no distance limit: one that is preempted in the middle of an enqueue delays what
 * comes after it, but no other producer spins for it (docs/decisions/0003-submission-ring.md).
 */
#ifndef RN_SUBMIT_H
#define RN_SUBMIT_H

#include "core.h"
#include "rn/abi.h"

struct rte_ring;

struct rn_submit {
	struct rte_ring *ring;
};

/* slots: a power of two, at least 64; one slot stays unused. 0, -ENOMEM or -EINVAL. */
int rn_submit_create(struct rn_submit *s, uint32_t slots);
void rn_submit_destroy(struct rn_submit *s);

/* Any thread. False when there is no room: momentary, nothing was enqueued. */
bool rn_submit_put(struct rn_submit *s, const struct rn_wqe *wqe);

/* Any thread. Everything whose enqueue began before the call lies in front of this position. */
uint32_t rn_submit_position(const struct rn_submit *s);

/* The shard. Has it drained everything in front of `position`? */
bool rn_submit_passed(const struct rn_submit *s, uint32_t position);

/* Any thread. Nothing in it that began before the call, not even behind an enqueue that somebody else has not finished:
 * such a request cannot be seen in the ring yet, though its producer has rung and gone. */
bool rn_submit_idle(const struct rn_submit *s);

/* Any thread; hints for anyone but the shard. Slots in use. */
bool rn_submit_empty(const struct rn_submit *s);
unsigned rn_submit_count(const struct rn_submit *s);

/* The shard: posts up to max slots (>= RN_WQE_MAX_SLOTS) worth of whole requests. Returns the slots taken. */
unsigned rn_submit_drain(struct rn_submit *s, struct rn_shard *sh, unsigned max, rn_time now);

#endif
