/* Hand-off between the shards of one adapter: packets that arrived at a queue whose shard does not own their QP, and the
 * core's messages, in order with each other. One single-producer single-consumer ring per ordered pair of shards. */
#ifndef RN_STEER_H
#define RN_STEER_H

#include "core.h"
#include "rn/link.h"

struct rte_mbuf;
struct rte_ring;
struct rn_lcore;

struct rn_steer {
	unsigned index, n;
	struct rte_ring *to[RN_MAX_SHARDS];   /* to[i] is from[index] of shard i; NULL for i == index */
	struct rte_ring *from[RN_MAX_SHARDS];
	uint32_t filled; /* bit i: something went to shard i since the last flush */
};

/* Joins n shards with rings of `slots` items. 0 or -ENOMEM (nothing left behind). */
int rn_steer_create(struct rn_steer *const all[], unsigned n, uint32_t slots);
void rn_steer_destroy(struct rn_steer *const all[], unsigned n);

/* Hands a packet over, with what the parser found; the mbuf has room for that in its private area. False when the ring
 * is full: the mbuf stays the caller's (to be dropped and counted, as a NIC would). */
bool rn_steer_packet(struct rn_steer *st, unsigned to, struct rte_mbuf *m, const struct rn_pkt *pkt);

/* Hands one packet to all these shards (bit i: shard i; not this one), each of which has a reference to the mbuf then, as
 * the caller still has. Returns those that had room. */
uint32_t rn_steer_group(struct rn_steer *st, uint32_t shards, struct rte_mbuf *m, const struct rn_pkt *pkt);

/* Takes the core's outgoing messages as far as every receiver has room; they are never lost, the rest stays with the
 * core. */
unsigned rn_steer_messages(struct rn_steer *st, struct rn_shard *sh);

/* Gives everything handed to this shard to its core, at most `max` items; mbufs go to done[0..*ndone). */
unsigned rn_steer_drain(struct rn_steer *st, struct rn_shard *sh, struct rte_mbuf **done, unsigned *ndone, unsigned max,
			rn_time now);

bool rn_steer_empty(const struct rn_steer *st);

#endif
