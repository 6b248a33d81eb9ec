/* Hand-off between the shards of one adapter, through one single-producer single-consumer ring per
 * ordered pair of shards. The rings carry packets that arrived at a shard that does not own their
 * QP, and messages from one shard's protocol core to another's, both in order. */
#ifndef RN_STEER_H
#define RN_STEER_H

#include "shard/core.h"
#include "rn/link.h"

struct rte_mbuf;
struct rte_ring;
struct rn_lcore;

struct rn_steer {
	unsigned index, n;
	/* Rings to and from shard i. to[i] is the same ring as from[index] of shard i; NULL for i
	 * == index. */
	struct rte_ring *to[RN_MAX_SHARDS];
	struct rte_ring *from[RN_MAX_SHARDS];
	/* bit i: items were put into shard i's ring; the caller must ring its doorbell */
	uint32_t filled;
};

/* Creates the rings, of `slots` items (a power of two), between n shards. To be called in the
 * control thread before the shards start. Returns 0, or -ENOMEM with nothing allocated. */
int rn_steer_create(struct rn_steer *const all[], unsigned n, uint32_t slots);
void rn_steer_destroy(struct rn_steer *const all[], unsigned n);

/* Hands a packet over to shard `to`, together with *pkt, which is copied to the private area of
 * the mbuf. Returns false when the ring is full: the caller keeps the mbuf, drops it and counts
 * the drop, as a NIC would. */
bool rn_steer_packet(struct rn_steer *st, unsigned to, struct rte_mbuf *m,
		     const struct rn_pkt *pkt);

/* Hands one packet to several shards (bit i: shard i, never this one). Each of them gets a
 * reference to the mbuf; the caller keeps its own. Returns the bits of the shards whose ring had
 * room. */
uint32_t rn_steer_group(struct rn_steer *st, uint32_t shards, struct rte_mbuf *m,
			const struct rn_pkt *pkt);

/* Moves messages from this shard's protocol core to the rings of the shards that they are for.
 * Stops when one of the rings is full; the other messages stay in the core, so none is dropped.
 * Returns the number of messages moved. */
unsigned rn_steer_messages(struct rn_steer *st, struct rn_shard *sh);

/* Takes at most `max` items that other shards have handed to this one, and passes them to this
 * shard's protocol core. The caller must free the mbufs returned in done[0..*ndone). Returns the
 * number of items. */
unsigned rn_steer_drain(struct rn_steer *st, struct rn_shard *sh, struct rte_mbuf **done,
			unsigned *ndone, unsigned max, rn_time now);

/* True when no item from another shard waits for this shard. In the shard's own thread the result
 * is exact; in other threads it is only a hint. */
bool rn_steer_empty(const struct rn_steer *st);

#endif
