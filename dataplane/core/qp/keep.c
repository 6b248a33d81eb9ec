/* Which packets are kept until a lost packet has been sent again? Those of the next SPAN PSNs, in a
 * list per QP. Packets usually arrive in PSN order, so a new packet mostly goes to the end, and one
 * that is kept already mostly stands behind the packet before. Runs on the shard's thread. */
#include "qp/keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/types.h"
#include "wire/psn.h"

/* How far ahead of the expected PSN a kept packet may be. This also bounds the length of a list,
 * and so the search for the place of a packet. */
#define SPAN 1024u

bool rn_keep_pool_init(struct rn_keep_pool *p, uint32_t n)
{
	*p = (struct rn_keep_pool){.n = n};
	if (!n)
		return true;
	p->slots = malloc((size_t)n * sizeof(*p->slots));
	p->copies = malloc((size_t)n * sizeof(*p->copies));
	if (p->slots && p->copies)
		return true;
	rn_keep_pool_fini(p);
	return false;
}

void rn_keep_pool_fini(struct rn_keep_pool *p)
{
	free(p->slots);
	free(p->copies);
	*p = (struct rn_keep_pool){0};
}

static struct rn_kept *slot_at(const struct rn_keep_pool *p, uint32_t slot)
{
	return &p->slots[slot - 1];
}

static uint32_t psn_at(const struct rn_keep_pool *p, uint32_t slot)
{
	return slot_at(p, slot)->pkt.psn;
}

/* Returns an unused slot, or 0 if there is none. */
static uint32_t get_slot(struct rn_keep_pool *p)
{
	uint32_t slot = p->unused;

	if (slot)
		p->unused = slot_at(p, slot)->next;
	else if (p->touched < p->n)
		slot = ++p->touched;
	p->used += slot != 0;
	return slot;
}

static void put_slot(struct rn_keep_pool *p, uint32_t slot)
{
	slot_at(p, slot)->next = p->unused;
	p->unused = slot;
	p->used--;
}

/* A slot with a buffer stays in use until the buffer is given back: so there are never more buffers
 * than slots. */
void rn_keep_free(struct rn_keep_pool *p, uint32_t slot)
{
	struct rn_kept *s = slot_at(p, slot);

	s->pkt.frame = NULL;
	if (!s->buffer) {
		put_slot(p, slot);
		return;
	}
	s->next = p->done;
	p->done = slot;
}

/* Returns the slot after which a packet with this PSN belongs, or 0 if the packet comes first. Sets
 * *known if a packet with this PSN is in the list. */
static uint32_t place_of(const struct rn_keep_pool *p, const struct rn_keep *k, uint32_t psn,
			 bool *known)
{
	uint32_t before = 0, at = k->first;

	if (k->last && rn_psn_before(psn_at(p, k->last), psn)) {
		*known = false;
		return k->last;
	}
	/* Packets that come again come in PSN order too: begin where the search before ended. */
	if (k->near && rn_psn_before(psn_at(p, k->near), psn)) {
		before = k->near;
		at = slot_at(p, before)->next;
	}
	while (at && rn_psn_before(psn_at(p, at), psn)) {
		before = at;
		at = slot_at(p, at)->next;
	}
	*known = at && psn_at(p, at) == psn;
	return before;
}

static void link_after(struct rn_keep_pool *p, struct rn_keep *k, uint32_t before, uint32_t slot)
{
	uint32_t *from = before ? &slot_at(p, before)->next : &k->first;

	slot_at(p, slot)->next = *from;
	*from = slot;
	if (k->last == before)
		k->last = slot;
	k->n++;
}

static void copy_payload(struct rn_keep_pool *p, uint32_t slot)
{
	struct rn_kept *s = slot_at(p, slot);

	s->pkt.payload = memcpy(p->copies[slot - 1], s->pkt.payload, s->pkt.payload_len);
	s->pkt.frame = NULL;
}

bool rn_keep_put(struct rn_keep_pool *p, struct rn_keep *k, const struct rn_pkt *pkt, uint32_t epsn)
{
	struct rn_kept *s;
	uint32_t before, slot;
	bool known;

	/* No QP gets more slots than it leaves to the others: m peers that never send the lost
	 * packet leave 1 / (m + 1) of the pool. */
	if (rn_psn_steps(epsn, pkt->psn) - 1 >= SPAN || pkt->payload_len > RN_KEEP_BYTES ||
	    k->n >= p->n - p->used)
		return false;
	before = place_of(p, k, pkt->psn, &known);
	k->near = before;
	slot = known ? 0 : get_slot(p);
	if (!slot)
		return false;
	s = slot_at(p, slot);
	s->pkt = *pkt;
	s->pkt.ip = NULL;
	s->buffer = NULL;
	link_after(p, k, before, slot);
	if (!p->lent || !pkt->frame || p->nfresh == RN_KEEP_FRESH) {
		copy_payload(p, slot);
		return true;
	}
	p->fresh[p->nfresh].slot = slot;
	p->fresh[p->nfresh++].frame = pkt->frame;
	return true;
}

static uint32_t unlink_first(struct rn_keep_pool *p, struct rn_keep *k)
{
	uint32_t slot = k->first;

	k->first = slot_at(p, slot)->next;
	if (!k->first)
		k->last = 0;
	if (k->near == slot)
		k->near = 0;
	k->n--;
	return slot;
}

uint32_t rn_keep_take(struct rn_keep_pool *p, struct rn_keep *k, uint32_t epsn)
{
	while (k->n && rn_psn_before(psn_at(p, k->first), epsn))
		rn_keep_free(p, unlink_first(p, k));
	return k->n && psn_at(p, k->first) == epsn ? unlink_first(p, k) : 0;
}

void rn_keep_clear(struct rn_keep_pool *p, struct rn_keep *k)
{
	while (k->n)
		rn_keep_free(p, unlink_first(p, k));
}

/* ---- buffers of frames ---- */

/* Is the packet of entry i of `fresh` still kept? It may have had its turn, and another packet may
 * have its slot. */
static bool still_kept(const struct rn_keep_pool *p, uint32_t i)
{
	return slot_at(p, p->fresh[i].slot)->pkt.frame == p->fresh[i].frame;
}

bool rn_keep_hold(struct rn_keep_pool *p, const uint8_t *frame, void *buffer)
{
	uint32_t i = p->fresh_at;

	if (i == p->nfresh || p->fresh[i].frame != frame)
		return false;
	p->fresh_at++;
	if (!still_kept(p, i))
		return false;
	if (!buffer)
		copy_payload(p, p->fresh[i].slot);
	slot_at(p, p->fresh[i].slot)->buffer = buffer;
	return buffer != NULL;
}

void rn_keep_settle(struct rn_keep_pool *p)
{
	for (uint32_t i = p->fresh_at; i < p->nfresh; i++)
		if (still_kept(p, i))
			copy_payload(p, p->fresh[i].slot);
	p->nfresh = p->fresh_at = 0;
}

unsigned rn_keep_give_back(struct rn_keep_pool *p, void **buffers, unsigned n)
{
	unsigned k = 0;

	while (k < n && p->done) {
		uint32_t slot = p->done;

		p->done = slot_at(p, slot)->next;
		buffers[k++] = slot_at(p, slot)->buffer;
		slot_at(p, slot)->buffer = NULL;
		put_slot(p, slot);
	}
	return k;
}

void rn_keep_abandon(struct rn_keep_pool *p)
{
	p->done = p->nfresh = p->fresh_at = 0;
	for (uint32_t slot = 1; slot <= p->touched; slot++)
		if (slot_at(p, slot)->buffer) {
			slot_at(p, slot)->next = p->done;
			p->done = slot;
		}
}
