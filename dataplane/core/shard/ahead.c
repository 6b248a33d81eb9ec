/* Which memory will the packets and work requests of a burst need? Loads it into the CPU's cache.
 * Owns nothing. Runs on the shard's thread. */
#include "shard/ahead.h"

#include "memory/mr_check.h"
#include "net/match.h"
#include "shard/shard.h"
#include "wire/hdr.h"
#include "wire/opcode.h"

/* The headers of an IPv4 frame up to the BTH fit into this many bytes of rn_match_seen.hdr. */
#define SEEN_IPV4 48u
/* From these numbers on, the hot state of the QPs and the table of regions exceed 1 MiB. With
 * fewer, the level 2 cache is fast enough, and loading ahead costs more than it gains (measured:
 * with 1,024 QPs, 150 ns a WRITE without and 162 ns with it). */
#define MANY_QPS     2048u
#define MANY_REGIONS 16384u

unsigned rn_ahead_what(const struct rn_shard *sh)
{
	return (sh->nqp >= MANY_QPS ? RN_AHEAD_QPS : 0) |
	       (rn_mr_count(sh->lane.mrs) >= MANY_REGIONS ? RN_AHEAD_REGIONS : 0);
}

/* gcc takes a function that only loads ahead for one without effect, and removes its calls. An asm
 * statement, although it is empty, keeps them. */
#define KEEP() __asm__ volatile("")

/* Loads the cache line of a member of struct rn_qp. */
#define LOAD(qp, member) __builtin_prefetch(&(qp)->member, 1)

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

/* Returns true if the frame may be a WRITE or READ with a RETH, and sets *rkey to the bytes at the
 * place of the R_Key. */
static bool has_rkey(const uint8_t *frame, uint32_t len, bool ipv4, uint32_t *rkey)
{
	uint32_t bth = rn_match_bth(ipv4);

	if (len < bth + RN_BTH_BYTES + RN_RETH_BYTES || frame[bth] < RN_OP_WRITE_FIRST ||
	    frame[bth] > RN_OP_READ_REQUEST)
		return false;
	*rkey = rn_load32(frame + bth + RN_BTH_BYTES + 8);
	return true;
}

void rn_ahead_rx(const struct rn_shard *sh, unsigned what, const uint8_t *frame, uint32_t len)
{
	uint32_t qpn, rkey;
	bool ipv4;

	KEEP();
	if (!rn_match_qpn(frame, len, &ipv4, &qpn))
		return;
	if (what & RN_AHEAD_QPS)
		__builtin_prefetch(rn_shard_slot(sh, qpn));
	if (what & RN_AHEAD_REGIONS && has_rkey(frame, len, ipv4, &rkey))
		__builtin_prefetch(rn_mr_slot(sh->lane.mrs, rkey));
}

void rn_ahead_rx_qp(const struct rn_shard *sh, const uint8_t *frame, uint32_t len)
{
	const struct rn_qp *qp;
	uint32_t qpn;
	bool ipv4;

	KEEP();
	if (!rn_match_qpn(frame, len, &ipv4, &qpn) || (qp = *rn_shard_slot(sh, qpn)) == NULL)
		return;
	if (frame[rn_match_bth(ipv4)] < RN_OP_READ_RESP_FIRST)
		load_responder(qp);
	else
		load_requester(qp, ipv4);
}

void rn_ahead_post(const struct rn_shard *sh, unsigned what, uint32_t qpn, uint32_t lkey)
{
	KEEP();
	if (what & RN_AHEAD_QPS)
		__builtin_prefetch(rn_shard_slot(sh, qpn & RN_PSN_MASK));
	if (what & RN_AHEAD_REGIONS)
		__builtin_prefetch(rn_mr_slot(sh->lane.mrs, lkey));
}

void rn_ahead_post_qp(const struct rn_shard *sh, uint32_t qpn)
{
	const struct rn_qp *qp = *rn_shard_slot(sh, qpn & RN_PSN_MASK);

	KEEP();
	if (qp != NULL)
		load_sender(qp);
}
