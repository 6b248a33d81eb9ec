/* Hand-off between the shards of one adapter, through one single-producer single-consumer ring per
 * ordered pair of shards. The rings carry packets that arrived at a shard that does not own their
 * QP. They also carry messages from one shard's protocol core to another's. Packets and messages
 * stay in order. */
#ifndef RN_STEER_H
#define RN_STEER_H

#include "shard/core.h"
#include "rn/link.h"

struct rte_mbuf;
struct rte_ring;
struct rn_lcore;
struct rn_flow_rules;

struct rn_steer {
	unsigned index, n;
	/* to[i] and from[i]: rings to and from shard i. to[i] is the same ring as from[index] of
	 * shard i. Both are NULL for i == index. */
	struct rte_ring *to[RN_MAX_SHARDS];
	struct rte_ring *from[RN_MAX_SHARDS];
	/* bit i is set if items were put into shard i's ring, so the caller must ring shard i's
	 * doorbell */
	uint32_t filled;
	/* The port's rules, which save hand-offs, or NULL (flow_rule.h). Set by the caller of
	 * rn_steer_create(). */
	struct rn_flow_rules *rules;
};

/* Creates the rings between n shards. Each ring has `slots` slots (a power of two). To be called in
 * the control thread before the shards start. Returns 0 or -ENOMEM. After an error nothing is
 * allocated. */
int rn_steer_create(struct rn_steer *const all[], unsigned n, uint32_t slots);
void rn_steer_destroy(struct rn_steer *const all[], unsigned n);

/* Hands a packet over to shard `to`. Copies *pkt to the private area of the mbuf. Returns false if
 * the ring is full. The caller then keeps the mbuf, and drops and counts the packet as a NIC
 * would. */
bool rn_steer_packet(struct rn_steer *st, unsigned to, struct rte_mbuf *m,
		     const struct rn_pkt *pkt);

/* Hands one packet to several shards; bit i stands for shard i, which is never this shard. Each
 * shard gets a reference to the mbuf, and the caller keeps its own reference. Returns the bits of
 * the shards whose ring had room. */
uint32_t rn_steer_group(struct rn_steer *st, uint32_t shards, struct rte_mbuf *m,
			const struct rn_pkt *pkt);

/* Moves messages from this shard's protocol core to the rings of the shards to which the messages
 * are addressed. Stops when a ring is full; the other messages stay in the core, so no message is
 * dropped. Returns the number of messages moved. */
unsigned rn_steer_messages(struct rn_steer *st, struct rn_shard *sh);

/* Takes at most `max` items that other shards have handed to this shard, and passes the items to
 * this shard's protocol core. The caller must free the mbufs returned in done[0..*ndone). Returns
 * the number of items taken. */
unsigned rn_steer_drain(struct rn_steer *st, struct rn_shard *sh, struct rte_mbuf **done,
			unsigned *ndone, unsigned max, rn_time now);

/* Returns true if no item from another shard waits for this shard. The result is exact in the
 * shard's own thread, and a hint in other threads. */
bool rn_steer_empty(const struct rn_steer *st);

#endif
