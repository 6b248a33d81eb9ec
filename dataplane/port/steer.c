/* How does a packet or a message get to the shard that owns its QP? Owns the rings between the
 * shards of an adapter. Each function runs in the thread of the shard whose struct rn_steer is
 * passed as `st`. */
#include "port/steer.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "port/flow_rule.h"

/* Number of slots in each ring that packets may not fill. These slots are for messages between
 * shards, which a flood of packets must not delay. */
#define MSG_RESERVE 16

enum item_kind { ITEM_PACKET, ITEM_MESSAGE };

struct item {
	uint64_t kind;
	union {
		struct rte_mbuf *mbuf;
		struct rn_msg msg;
	};
};
static_assert(sizeof(struct item) % 4 == 0, "rte_ring elements are multiples of 4 bytes");

/* Allocates a ring in ordinary memory. DPDK's rte_ring_create() would take a named memzone for each
 * ring. */
static struct rte_ring *ring_create(uint32_t slots)
{
	ssize_t bytes = rte_ring_get_memsize_elem(sizeof(struct item), slots);
	if (bytes < 0)
		return NULL;
	struct rte_ring *r =
		aligned_alloc(RTE_CACHE_LINE_SIZE, RN_ALIGN_UP((size_t)bytes, RTE_CACHE_LINE_SIZE));
	if (r != NULL && rte_ring_init(r, "rn_steer", slots, RING_F_SP_ENQ | RING_F_SC_DEQ) != 0) {
		free(r);
		r = NULL;
	}
	return r;
}

int rn_steer_create(struct rn_steer *const all[], unsigned n, uint32_t slots)
{
	rn_assert(n <= RN_MAX_SHARDS);
	for (unsigned i = 0; i < n; i++)
		*all[i] = (struct rn_steer){.index = i, .n = n};
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < n; j++) {
			if (i == j)
				continue;
			struct rte_ring *r = ring_create(slots);
			if (r == NULL) {
				rn_steer_destroy(all, n);
				return -ENOMEM;
			}
			all[i]->to[j] = all[j]->from[i] = r;
		}
	}
	return 0;
}

void rn_steer_destroy(struct rn_steer *const all[], unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < n; j++) {
			struct rte_ring *r = all[i]->to[j];
			struct item it;
			/* Free the packets that are still in the ring: each owns a reference to its
			 * mbuf. */
			while (r != NULL && rte_ring_dequeue_elem(r, &it, sizeof(it)) == 0)
				if (it.kind == ITEM_PACKET)
					rte_pktmbuf_free(it.mbuf);
			free(r);
			all[i]->to[j] = NULL;
		}
	}
}

bool rn_steer_packet(struct rn_steer *st, unsigned to, struct rte_mbuf *m, const struct rn_pkt *pkt)
{
	struct rte_ring *r = st->to[to];
	struct item it = {.kind = ITEM_PACKET, .mbuf = m};

	/* The free count cannot shrink before the enqueue below, because only this shard
	 * enqueues. */
	if (rte_ring_free_count(r) <= MSG_RESERVE)
		return false;
	*(struct rn_pkt *)rte_mbuf_to_priv(m) = *pkt;
	rte_ring_enqueue_elem(r, &it, sizeof(it));
	st->filled |= 1u << to;
	return true;
}

uint32_t rn_steer_group(struct rn_steer *st, uint32_t shards, struct rte_mbuf *m,
			const struct rn_pkt *pkt)
{
	struct item it = {.kind = ITEM_PACKET, .mbuf = m};
	uint32_t sent = 0;

	/* Store the parsed packet in the mbuf once, before any other shard can read the mbuf. */
	*(struct rn_pkt *)rte_mbuf_to_priv(m) = *pkt;
	for (unsigned i = 0; i < st->n; i++) {
		if (!(shards >> i & 1) || rte_ring_free_count(st->to[i]) <= MSG_RESERVE)
			continue;
		rte_mbuf_refcnt_update(m, 1);
		rte_ring_enqueue_elem(st->to[i], &it, sizeof(it));
		sent |= 1u << i;
	}
	st->filled |= sent;
	return sent;
}

static bool all_have_room(const struct rn_steer *st)
{
	for (unsigned i = 0; i < st->n; i++)
		if (i != st->index && rte_ring_full(st->to[i]))
			return false;
	return true;
}

unsigned rn_steer_messages(struct rn_steer *st, struct rn_shard *sh)
{
	struct item it = {.kind = ITEM_MESSAGE};
	unsigned n = 0;

	/* Take one message at a time from the shard's protocol core, and only while every ring has
	 * room: a message that was taken must be delivered. */
	while (all_have_room(st) && rn_shard_outbox(sh, &it.msg, 1) == 1) {
		for (unsigned i = 0; i < st->n; i++) {
			if (i == st->index || (it.msg.to != RN_MSG_ALL && it.msg.to != i))
				continue;
			rte_ring_enqueue_elem(st->to[i], &it, sizeof(it));
			st->filled |= 1u << i;
		}
		n++;
	}
	return n;
}

/* Delivers a packet that another shard has received. Asks for a rule of the port if that happens
 * again and again to packets of the same queue pair. */
static void deliver(const struct rn_steer *st, struct rn_shard *sh, const struct rn_pkt *pkt,
		    rn_time now)
{
	enum rn_verdict v = rn_shard_rx(sh, pkt, now);

	if (st->rules == NULL)
		return;
	uint32_t n = rn_shard_detour(sh, pkt, v);
	if (n > 0 && n % RN_FLOW_RULE_AFTER == 0)
		rn_flow_rule_wish(st->rules, st->index, pkt);
}

unsigned rn_steer_drain(struct rn_steer *st, struct rn_shard *sh, struct rte_mbuf **done,
			unsigned *ndone, unsigned max, rn_time now)
{
	unsigned taken = 0;
	struct item it;

	*ndone = 0;
	for (unsigned i = 0; i < st->n; i++) {
		/* Take at most max / n items from the ring of each of the n shards. A busy shard
		 * then does not starve the other shards. */
		for (unsigned k = 0; k < max / st->n && st->from[i] != NULL; k++) {
			if (rte_ring_dequeue_elem(st->from[i], &it, sizeof(it)) != 0)
				break;
			if (it.kind == ITEM_PACKET) {
				/* Do not parse the packet again: the other shard has stored the
				 * parsed packet in the mbuf. */
				deliver(st, sh, rte_mbuf_to_priv(it.mbuf), now);
				done[(*ndone)++] = it.mbuf;
			} else {
				rn_shard_inbox(sh, &it.msg, now);
			}
			taken++;
		}
	}
	return taken;
}

bool rn_steer_empty(const struct rn_steer *st)
{
	for (unsigned i = 0; i < st->n; i++)
		if (st->from[i] != NULL && !rte_ring_empty(st->from[i]))
			return false;
	return true;
}
