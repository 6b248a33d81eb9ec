/* Packets that arrived ahead of a lost one: requests, or responses to READs and atomics
 * (read_gap.h). A responder may drop requests, because the requester sends all packets from the
 * lost one on again. A responder that keeps them needs the lost packet alone, and one ACK then
 * covers them all. The requester finds out which of the two its peer does (rn_window_patch()).
 *
 * The packets of all QPs of a shard share one pool of rn_core_cfg.keep_packets slots, which the
 * lane owns. A QP has a list of slots in PSN order. Runs on the shard's thread. */
#ifndef RN_KEEP_H
#define RN_KEEP_H

#include "wire/pkt.h"

/* Slots are numbered from 1; 0 means none. */
struct rn_kept {
	uint32_t next; /* the slot with the next PSN, or the next unused slot */
	struct rn_pkt pkt;
	uint8_t data[4096]; /* the payload, at most the largest path MTU */
};

struct rn_keep_pool {
	struct rn_kept *slots;
	uint32_t n;
	uint32_t unused;  /* first of the slots that were used before and are unused now */
	uint32_t used;	  /* how many slots are used now */
	uint32_t touched; /* how many slots were ever used: memory of others is not touched */
};

/* The packets that a QP has kept. All zero: none. */
struct rn_keep {
	uint32_t first, last;
	uint32_t near; /* the slot before the place of the newest packet, or 0 */
	uint32_t n;
};

/* Allocates a pool of n slots; n may be 0. Returns false if there is no memory. */
bool rn_keep_pool_init(struct rn_keep_pool *p, uint32_t n);
void rn_keep_pool_fini(struct rn_keep_pool *p);

/* Copies a request packet whose PSN lies after epsn, the expected PSN. Keeps nothing if the PSN is
 * kept already or too far ahead, or if the pool or the QP's share of the pool is used up. Returns
 * true if the packet was copied. */
bool rn_keep_put(struct rn_keep_pool *p, struct rn_keep *k, const struct rn_pkt *pkt,
		 uint32_t epsn);
/* Takes the packet with PSN epsn off the list. Returns its slot, for rn_keep_free(), or 0 if this
 * packet is not kept. Drops packets with an earlier PSN. */
uint32_t rn_keep_take(struct rn_keep_pool *p, struct rn_keep *k, uint32_t epsn);
static inline const struct rn_pkt *rn_keep_at(const struct rn_keep_pool *p, uint32_t slot)
{
	return &p->slots[slot - 1].pkt;
}
void rn_keep_free(struct rn_keep_pool *p, uint32_t slot);
/* Drops all packets of the QP. */
void rn_keep_clear(struct rn_keep_pool *p, struct rn_keep *k);

#endif
