/* Which memory will the packets and work requests of a burst need? Loads it into the CPU's cache.
 * Owns nothing. Runs on the shard's thread. */
#include "shard/ahead.h"

#include "memory/mr_check.h"
#include "net/match.h"
#include "shard/shard.h"
#include "wire/opcode.h"

/* The headers of an IPv4 frame up to the BTH fit into this many bytes of rn_match_seen.hdr. */
#define SEEN_IPV4 48u
/* Loading ahead begins at this many QPs and at this many regions. The QPs with their queues, or the
 * table of regions, are then larger than a level 2 cache of 1 MiB. With fewer, loading ahead costs
 * more time than it saves. With 1,024 QPs of depth 128 a WRITE of 64 bytes takes 92 ns with loading
 * ahead and 110 ns without. */
#define MANY_QPS     512u
#define MANY_REGIONS 16384u
/* No more requests of a QP than this are loaded before the QP sends: as many as it may send in a
 * turn of 32 frames. */
#define REQUESTS 32u

static inline bool many_qps(const struct rn_shard *sh)
{
	return sh->nqp >= MANY_QPS;
}

unsigned rn_ahead_what(const struct rn_shard *sh)
{
	return (many_qps(sh) ? RN_AHEAD_QPS : 0) |
	       (rn_mr_count(sh->lane.mrs) >= MANY_REGIONS ? RN_AHEAD_REGIONS : 0);
}

/* What rn_ahead_rx() returns: a QPN << 2, and these bits. */
#define REQUEST 2u
#define IPV4	1u

/* gcc takes a function that only loads ahead for one without effect, and removes its calls. An asm
 * statement, although it is empty, keeps them. */
#define KEEP() __asm__ volatile("")

/* Loads a cache line, to be changed. */
#define LOAD_LINE(at) __builtin_prefetch(at, 1)

/* Loads the cache line of a member of struct rn_qp. */
#define LOAD(qp, member) LOAD_LINE(&(qp)->member)

/* For a request of the peer, and its reply. */
static inline void load_responder(const struct rn_qp *qp)
{
	LOAD(qp, lane);
	LOAD(qp, rq);
	LOAD(qp, match.requests.hdr);
	LOAD(qp, cc.limited);
	LOAD(qp, tmpl.hdr);
	LOAD(qp, tmpl.bytes);
	LOAD(qp, rx.done);
}

/* For a response of the peer, which completes requests. */
static inline void load_requester(const struct rn_qp *qp, bool ipv4)
{
	LOAD(qp, lane);
	LOAD(qp, match.responses);
	if (!ipv4)
		LOAD(qp, match.responses.hdr[SEEN_IPV4]);
	LOAD(qp, tx_key);
	LOAD(qp, dirty);
	LOAD(qp, win.una);
	LOAD(qp, retry.timer);
	LOAD(qp, retry.full);
	LOAD(qp, shared);
}

/* For a request that is posted and then sent. */
static inline void load_sender(const struct rn_qp *qp)
{
	LOAD(qp, lane);
	LOAD(qp, tx_key);
	LOAD(qp, dirty);
	LOAD(qp, win.una);
	LOAD(qp, retry.timer);
	LOAD(qp, retry.full);
	LOAD(qp, tmpl.hdr);
	LOAD(qp, tmpl.bytes);
}

void rn_ahead_begin(struct rn_ahead *a, const struct rn_shard *sh, unsigned what)
{
	const struct rn_mr_table *t = sh->lane.mrs;

	static_assert(sizeof(*t->region) == sizeof(*a->regions), "a region is a line");
	a->sh = sh;
	a->what = what;
	a->next = a->first = a->head = a->tail = 0;
	/* no frame is so long, and no QPN so large: the first element differs from the last */
	a->end = UINT32_MAX;
	a->last = UINT64_MAX;
	a->mask = t->mask;
	a->regions = (const uint8_t(*)[64])t->region;
}

/* Notes the frame in *a, if it is an RoCEv2 frame without VLAN tag. Returns false if not. */
static bool note_frame(struct rn_ahead *a, const uint8_t *frame, uint32_t len, bool *ipv4)
{
	uint32_t qpn;

	if (!rn_match_qpn(frame, len, ipv4, &qpn))
		return false;
	a->bth = rn_match_bth(*ipv4);
	a->end = a->bth + RN_BTH_BYTES + RN_RETH_BYTES;
	a->last = rn_load64(frame + a->bth);
	/* Most of these opcodes have a RETH. In packets of the others, what is in its place is no
	 * key, or a wrong one. */
	a->reth = a->what & RN_AHEAD_REGIONS && frame[a->bth] >= RN_OP_WRITE_FIRST &&
		  frame[a->bth] <= RN_OP_READ_REQUEST;
	return true;
}

uint32_t rn_ahead_rx_other(struct rn_ahead *a, const uint8_t *frame, uint32_t len)
{
	uint64_t last = a->last;
	uint32_t qpn;
	bool ipv4;

	KEEP();
	if (!note_frame(a, frame, len, &ipv4))
		return 0;
	if (a->reth && len >= a->end)
		rn_ahead_region(a, rn_load32(frame + a->end - 8));
	if (!(a->what & RN_AHEAD_QPS) || a->last == last)
		return 0;
	qpn = (uint32_t)a->last & RN_PSN_MASK;
	__builtin_prefetch(rn_shard_slot(a->sh, qpn));
	return qpn << 2 | (frame[a->bth] < RN_OP_READ_RESP_FIRST ? REQUEST : 0) | (ipv4 ? IPV4 : 0);
}

void rn_ahead_rx_qp(const struct rn_shard *sh, uint32_t which)
{
	const struct rn_qp *qp = *rn_shard_slot(sh, which >> 2);

	KEEP();
	if (qp == NULL)
		return;
	if (which & REQUEST)
		load_responder(qp);
	else
		load_requester(qp, which & IPV4);
}

uint32_t rn_ahead_post_other(struct rn_ahead *a, uint32_t qpn)
{
	KEEP();
	a->last = qpn;
	if (!(a->what & RN_AHEAD_QPS))
		return 0;
	qpn &= RN_PSN_MASK;
	__builtin_prefetch(rn_shard_slot(a->sh, qpn));
	return qpn;
}

void rn_ahead_post_qp(const struct rn_shard *sh, uint32_t which)
{
	const struct rn_qp *qp = *rn_shard_slot(sh, which);

	KEEP();
	if (qp != NULL)
		load_sender(qp);
}

/* Loads the next requests that the QP sends. */
static void load_requests(const struct rn_sq *sq)
{
	uint32_t n = RN_MIN(sq->tail - sq->send, REQUESTS);

	for (uint32_t i = 0; i < n; i++)
		LOAD_LINE(rn_sq_at(sq, sq->send + i));
}

void rn_ahead_tx(const struct rn_shard *sh, const struct rn_qp *qp)
{
	const struct rn_list *end = &sh->lane.active, *e = qp->active.next;
	const struct rn_qp *next;

	KEEP();
	if (!many_qps(sh) || e == end)
		return;
	next = rn_container_of(e, struct rn_qp, active);
	load_requests(&next->sq);
	e = next->active.next;
	if (e != end)
		load_sender(rn_container_of(e, struct rn_qp, active));
}
