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

/* Largest payload of a packet in bytes, which is the largest path MTU. */
#define RN_KEEP_BYTES 4096
/* Maximum number of frames that wait for rn_keep_hold() at the same time. The payload of further
 * frames is copied immediately. */
#define RN_KEEP_FRESH 256u

/* Slots are numbered from 1; 0 means none. */
struct rn_kept {
	uint32_t next; /* the slot with the next PSN, or the next unused slot */
	/* The buffer of the port in which the packet arrived. It belongs to the pool until
	 * rn_keep_give_back(). NULL if the payload was copied, or before rn_keep_hold(). */
	void *buffer;
	/* pkt.frame is NULL if the payload was copied, and in an unused slot */
	struct rn_pkt pkt;
};

struct rn_keep_pool {
	struct rn_kept *slots;
	uint8_t (*copies)[RN_KEEP_BYTES]; /* memory for the payload of each slot */
	uint32_t n;
	uint32_t unused;  /* first of the slots that were used before and are unused now */
	uint32_t used;	  /* how many slots are used now */
	uint32_t touched; /* how many slots were ever used: memory of others is not touched */
	uint32_t done;	  /* first of the slots whose buffer is to be given back */
	/* Set by the owner: frames stay as they are until rn_keep_settle(), so that a payload need
	 * not be copied if the caller leaves the buffer of the frame to the pool. */
	bool lent;
	/* packets that were put since the last rn_keep_settle(), in the order of their arrival */
	struct {
		uint32_t slot;
		const uint8_t *frame;
	} fresh[RN_KEEP_FRESH];
	uint32_t nfresh, fresh_at;
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

/* Keeps a packet whose PSN lies after epsn, the expected PSN. Keeps nothing if the PSN is
 * kept already or too far ahead, or if the pool or the QP's share of the pool is used up. Returns
 * true if the packet is kept. Copies the payload, unless p->lent is set and pkt->frame is the frame
 * of the packet: then rn_keep_hold() or rn_keep_settle() must follow before the frame changes. */
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

/* ---- buffers of frames, with p->lent ---- */

/* Has the caller anything to do: rn_keep_settle(), or buffers to take back? */
static inline bool rn_keep_waits(const struct rn_keep_pool *p)
{
	return p->nfresh || p->done;
}
/* If a packet of this frame is kept, takes the frame's buffer and returns true: the caller must not
 * use the buffer until it is given back. To be called for all frames since the last
 * rn_keep_settle(), in the order of their arrival. With `buffer` NULL, copies a kept payload and
 * returns false. */
bool rn_keep_hold(struct rn_keep_pool *p, const uint8_t *frame, void *buffer);
/* To be called when rn_keep_hold() has been called for a burst: copies the payload of each kept
 * packet whose frame was not among them. The frames may then change. */
void rn_keep_settle(struct rn_keep_pool *p);
/* Moves up to n buffers that are no longer needed to `buffers`. Returns their number. */
unsigned rn_keep_give_back(struct rn_keep_pool *p, void **buffers, unsigned n);
/* Makes rn_keep_give_back() give all buffers back. Only rn_keep_pool_fini() may follow: lists of
 * QPs may still refer to the slots. */
void rn_keep_abandon(struct rn_keep_pool *p);

#endif
