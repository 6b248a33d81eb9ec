/* One poll iteration of a shard: finds the QP of a packet or a work request, lets QPs send in
 * turns, runs timers, publishes completions, and collects events. Packets of QPs are processed in
 * responder.c and requester.c, connections and neighbours (shard 0) in cm.c and neigh.c. Runs on
 * the shard's thread. */
#include "shard/shard.h"

#include <string.h>

#include "shard/cnp.h"
#include "shard/ahead.h"
#include "shard/resolve.h"
#include "wire/frame.h"
#include "shard/gsi.h"
#include "qp/pace.h"
#include "qp/qp_dispatch.h"
#include "qp/requester.h"
#include "qp/responder.h"
#include "qp/short_read.h"
#include "qp/short_rx.h"
#include "qp/short_tx.h"

/* rn_shard_only_acks() looks at no more than this number of QPs. If more QPs have something to
 * send, one of the QPs most likely has data. */
#define ACKS_LOOKED_AT 4

/* ---- post: work requests from the application ---- */

/* The generation differs if the work request was posted to a former QP with the same number. */
static struct rn_qp *qp_of(struct rn_shard *sh, const struct rn_wqe *wqe)
{
	struct rn_qp *qp = rn_shard_qp(sh, wqe->qpn & RN_PSN_MASK);

	return rn_likely(qp && qp->gen == wqe->qp_gen) ? qp : NULL;
}

static inline bool take_plain(struct rn_shard *sh, const struct rn_wqe *wqe, bool recv)
{
	struct rn_qp *qp = qp_of(sh, wqe);

	if (rn_unlikely(!qp || !rn_qp_take_plain(qp, wqe, recv)))
		return false;
	sh->lane.stats.posts++;
	return true;
}

bool rn_shard_take_request(struct rn_shard *sh, const struct rn_wqe *wqe)
{
	return take_plain(sh, wqe, false);
}

bool rn_shard_take_receive(struct rn_shard *sh, const struct rn_wqe *wqe)
{
	return take_plain(sh, wqe, true);
}

bool rn_shard_take(struct rn_shard *sh, const struct rn_wqe *wqe)
{
	struct rn_qp *qp = qp_of(sh, wqe);

	if (rn_unlikely(!qp || !rn_qp_take(qp, wqe)))
		return false;
	sh->lane.stats.posts++;
	return true;
}

static inline uint32_t take_list(struct rn_qp *qp, const struct rn_wqe *wqe, uint32_t n, bool recv)
{
	uint32_t taken = 0;

	for (; taken < n; taken++, wqe += wqe->slots)
		if (rn_unlikely(!rn_qp_take_plain(qp, wqe, recv)) && !rn_qp_take(qp, wqe))
			break;
	return taken;
}

uint32_t rn_shard_take_list(struct rn_shard *sh, const struct rn_wqe *wqe, uint32_t n)
{
	struct rn_qp *qp = qp_of(sh, wqe);
	uint32_t taken;

	if (rn_unlikely(!qp))
		return 0;
	taken = wqe->kind == RN_WQE_RECV ? take_list(qp, wqe, n, true)
					 : take_list(qp, wqe, n, false);
	sh->lane.stats.posts += taken;
	return taken;
}

/* Posts a work request that take_plain() has not taken. */
static __attribute__((noinline)) void post_any(struct rn_shard *sh, const struct rn_wqe *wqe,
					       rn_time now)
{
	struct rn_qp *qp = qp_of(sh, wqe);

	if (rn_unlikely(!qp)) {
		sh->lane.stats.posts_dropped++;
		return;
	}
	sh->lane.stats.posts++;
	rn_qp_post(qp, wqe, now);
}

void rn_shard_post(struct rn_shard *sh, const struct rn_wqe *wqe, rn_time now)
{
	if (rn_unlikely(!take_plain(sh, wqe, wqe->kind == RN_WQE_RECV)))
		post_any(sh, wqe, now);
}

/* ---- rx: received packets ---- */

static bool mac_is(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, 6) == 0;
}

/* Does the packet have the VLAN ID of the port? VLAN ID 0 (priority tag) counts as untagged. */
static bool vlan_fits(const struct rn_shard *sh, const struct rn_pkt *pkt)
{
	unsigned vid = pkt->has_vlan ? pkt->vlan_tci & 0xFFF : 0;
	unsigned own = sh->lane.port.has_vlan ? sh->lane.port.vlan_tci & 0xFFF : 0;

	return vid == own;
}

/* The port's only P_Key is 0xFFFF, that of a full member. So packets of both full and limited
 * members of the partition (bit 15 set or clear) are accepted. */
static bool pkey_fits(uint16_t pkey)
{
	return (pkey & 0x7FFF) == 0x7FFF;
}

/* Delivers a multicast packet to each member of the group on this shard. The packet counts as
 * accepted if at least one member accepts it. */
static enum rn_verdict to_group(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	const struct rn_mcast_group *g = rn_mcast_find(&sh->lane.mcast, &pkt->dst);
	enum rn_verdict v = RN_V_MULTICAST;
	uint64_t before = sh->lane.stats.rx_copies;

	if (!g)
		return RN_V_MULTICAST;
	if ((pkt->opcode & 0xE0) != RN_T_UD)
		return RN_V_QP_TRANSPORT;
	if (!pkey_fits(pkt->pkey))
		return RN_V_PKEY;
	for (uint32_t i = 0; i < g->nmembers; i++) {
		v = rn_qp_rx(g->member[i], pkt, now);
		sh->lane.stats.rx_copies += v == RN_V_OK;
	}
	return sh->lane.stats.rx_copies != before ? RN_V_OK : v;
}

/* Processes a CNP, or a packet whose destination QPN is no QP of this shard: QP0, QP1, the
 * multicast QPN, or an unknown QPN. */
static enum rn_verdict to_no_qp(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	if (pkt->op->known && pkt->op->family == RN_F_CNP)
		return pkey_fits(pkt->pkey) ? rn_cnp_rx(sh, pkt, now) : RN_V_PKEY;
	if (pkt->dest_qpn == 0)
		return RN_V_QP0;
	if (pkt->dest_qpn == RN_MCAST_QPN)
		return to_group(sh, pkt, now);
	if (rn_port_own(&sh->lane.port, &pkt->dst) < 0)
		return RN_V_IP_NOT_OURS;
	if (pkt->dest_qpn != RN_GSI_QPN)
		return RN_V_QP_UNKNOWN;
	return pkey_fits(pkt->pkey) ? rn_gsi_rx(sh, pkt, now) : RN_V_PKEY;
}

static enum rn_verdict to_qp(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	struct rn_qp *qp = rn_shard_qp(sh, pkt->dest_qpn);

	/* to_no_qp() also handles a CNP, although a CNP carries the QPN of a QP. */
	if (rn_unlikely(!qp || (pkt->opcode & 0xE0) == RN_T_CNP))
		return to_no_qp(sh, pkt, now);
	if ((pkt->opcode & 0xE0) != qp->transport)
		return RN_V_QP_TRANSPORT;
	/* A QP that has not reached RTR has no addresses to compare with those of the packet. */
	if (rn_unlikely(qp->state < RN_QPS_RTR))
		return RN_V_QP_STATE;
	if (!pkey_fits(pkt->pkey))
		return RN_V_PKEY;
	if (rn_unlikely(!rn_gid_equal(&pkt->dst, &qp->own) ||
			!rn_gid_equal(&pkt->src, &qp->peer))) {
		if (rn_port_own(&sh->lane.port, &pkt->dst) < 0)
			return RN_V_IP_NOT_OURS;
		/* A UD QP accepts packets from any source. */
		if (sh->lane.port.check_source && qp->type != RN_QPT_UD)
			return RN_V_QP_ADDRESS;
	}
	return rn_qp_rx(qp, pkt, now);
}

/* Passes on changes of the neighbour table. QPs and other shards get the new MAC address, and
 * waiting RESOLVE commands get their answer. Stops when the outbox is full: another shard that
 * missed a message would keep the old MAC address. */
static void spread_neighbours(struct rn_shard *sh, rn_time now)
{
	struct rn_msg m = {.to = RN_MSG_ALL, .kind = RN_MSG_NEIGH};
	enum rn_neigh_state state;

	while (sh->lane.out_tail - sh->lane.out_head < RN_OUTBOX &&
	       rn_neigh_changed(sh->lane.neigh, &m.gid, m.mac, &state)) {
		rn_resolve_look(sh, now);
		if (state != RN_NEIGH_READY)
			continue;
		rn_shard_new_mac(sh, &m.gid, m.mac);
		if (sh->lane.cfg.nshards > 1)
			rn_lane_send(&sh->lane, &m);
	}
}

static enum rn_verdict to_neighbour(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	enum rn_verdict v;

	if (!sh->lane.neigh)
		return RN_V_FRAME_ETHERTYPE;
	v = rn_neigh_rx(sh->lane.neigh, pkt, now);
	sh->lane.stats.address_conflicts = rn_neigh_conflicts(sh->lane.neigh);
	spread_neighbours(sh, now);
	return v;
}

static enum rn_verdict route(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	/* Broadcast and multicast frames are for ARP, neighbour discovery and multicast groups
	 * only. */
	bool group = pkt->dmac[0] & 1 && (pkt->kind != RN_PKT_IB || pkt->dest_qpn == RN_MCAST_QPN);

	if (rn_unlikely(!mac_is(pkt->dmac, sh->lane.port.mac)) && !group)
		return RN_V_FRAME_MAC;
	if (rn_unlikely(!vlan_fits(sh, pkt)))
		return RN_V_FRAME_VLAN;
	return rn_likely(pkt->kind == RN_PKT_IB) ? to_qp(sh, pkt, now) : to_neighbour(sh, pkt, now);
}

enum rn_verdict rn_shard_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	enum rn_verdict v = route(sh, pkt, now);

	sh->lane.stats.verdict[v]++;
	sh->lane.stats.rx_packets++;
	sh->lane.stats.rx_bytes += pkt->frame_len;
	/* ECN field 3 means "congestion experienced". */
	if (rn_unlikely((pkt->tclass & 3) == 3))
		rn_cnp_marked(sh, pkt, v, now);
	return v;
}

uint32_t rn_shard_detour(struct rn_shard *sh, const struct rn_pkt *pkt, enum rn_verdict v)
{
	if (v != RN_V_OK || pkt->kind != RN_PKT_IB)
		return 0;
	struct rn_qp *qp = rn_shard_qp(sh, pkt->dest_qpn);
	/* The addresses are compared here too: a port may be configured to accept packets from
	 * other ones. */
	if (qp == NULL || !rn_qp_has_peer(qp) || !rn_gid_equal(&pkt->src, &qp->peer) ||
	    !rn_gid_equal(&pkt->dst, &qp->own))
		return 0;
	return ++qp->rx.detours;
}

bool rn_shard_rx_short(struct rn_shard *sh, const uint8_t *frame, uint32_t len, enum rn_verdict *v,
		       rn_time now)
{
	struct rn_qp *qp;
	uint32_t qpn;
	bool ipv4;

	if (rn_unlikely(!rn_match_qpn(frame, len, &ipv4, &qpn)))
		return false;
	qp = rn_shard_qp(sh, qpn);
	return rn_likely(qp && qp->short_way) && rn_short_rx(qp, frame, len, ipv4, v, now);
}

void rn_shard_refused(struct rn_shard *sh, enum rn_verdict v)
{
	sh->lane.stats.rx_packets++;
	sh->lane.stats.verdict[v]++;
}

/* ---- buffers of kept packets ---- */

bool rn_shard_keeps(const struct rn_shard *sh)
{
	return rn_keep_waits(&sh->lane.keep);
}

bool rn_shard_hold(struct rn_shard *sh, const uint8_t *frame, void *buffer)
{
	return rn_keep_hold(&sh->lane.keep, frame, buffer);
}

void rn_shard_settle(struct rn_shard *sh)
{
	rn_keep_settle(&sh->lane.keep);
}

unsigned rn_shard_give_back(struct rn_shard *sh, void **buffers, unsigned n)
{
	return rn_keep_give_back(&sh->lane.keep, buffers, n);
}

void rn_shard_abandon(struct rn_shard *sh)
{
	rn_keep_abandon(&sh->lane.keep);
}

/* ---- tx: building frames ---- */

/* Builds the next packet of the neighbour table, or if there is none, of the connection manager.
 * Returns the frame length, or 0 if there is no packet to build. */
static unsigned control_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now)
{
	unsigned n = 0;

	if (rn_neigh_wants_tx(sh->lane.neigh))
		n = rn_neigh_tx(sh->lane.neigh, buf->data, buf->cap, now);
	if (n)
		sh->lane.stats.tx_arp_nd++;
	else if (rn_cm_wants_tx(sh->lane.cm))
		n = rn_gsi_tx(sh, buf, now);
	return n;
}

/* Returns true if a packet that goes before all data waits to be sent: an ARP, ND or ICMP message,
 * a CM message or a CNP. */
static inline bool urgent_waits(const struct rn_shard *sh)
{
	return !rn_list_empty(&sh->cnp) ||
	       (sh->lane.cm && (rn_neigh_wants_tx(sh->lane.neigh) || rn_cm_wants_tx(sh->lane.cm)));
}

/* Builds at most n packets that go before all data (urgent_waits()). Returns their number, and adds
 * their length in bytes to *bytes. */
static __attribute__((noinline)) unsigned urgent_tx(struct rn_shard *sh, struct rn_txbuf *bufs,
						    unsigned n, uint64_t *bytes, rn_time now)
{
	unsigned k = 0;

	for (; sh->lane.cm && k < n; k++) {
		bufs[k].len = control_tx(sh, &bufs[k], now);
		if (!bufs[k].len)
			break;
		*bytes += bufs[k].len;
	}
	for (; k < n && !rn_list_empty(&sh->cnp); k++)
		*bytes += bufs[k].len = rn_cnp_tx(sh, &bufs[k], now);
	return k;
}

/* Accounts for n packets that the QP has just sent. A QP with nothing left to send leaves the
 * active list at once: another visit would find nothing, and with many QPs each message has a visit
 * of its own. A QP with a rate limit stays for one more visit, in which rn_qp_tx_limited() notes
 * that the QP is idle. A QP that has used up its quota goes to the end of the list. */
static inline void account_sent(struct rn_shard *sh, struct rn_qp *qp, unsigned n)
{
	qp->quota = (uint16_t)(qp->quota - n);
	if (!rn_qp_has_more(qp) && rn_likely(!qp->cc.limited)) {
		qp->own_turn = false;
		rn_list_del(&qp->active);
	} else if (!qp->quota) {
		qp->quota = (uint16_t)sh->lane.cfg.quota_packets;
		rn_list_del(&qp->active);
		rn_list_add_tail(&sh->lane.active, &qp->active);
	}
}

/* Sends in this order:
 * - packets of the neighbour table and the connection manager
 * - CNPs
 * - packets of the QPs on the active list, in rounds of quota_packets packets per QP
 * The ICRC of a frame is written only after the next frame is built (rn_tmpl_seal() gives the
 * reason). */
unsigned rn_shard_tx(struct rn_shard *sh, struct rn_txbuf *bufs, unsigned n, rn_time now)
{
	unsigned k = 0;
	uint64_t bytes = 0;
	/* template of the last frame of a QP if the ICRC of this frame is missing; else NULL */
	struct rn_tmpl *open = NULL;

	if (rn_unlikely(sh->gone))
		return 0;
	if (rn_unlikely(urgent_waits(sh)))
		k = urgent_tx(sh, bufs, n, &bytes, now);
	while (k < n && !rn_list_empty(&sh->lane.active)) {
		struct rn_qp *qp = rn_container_of(sh->lane.active.next, struct rn_qp, active);
		bool ack = rn_responder_owes_only_ack(qp);

		/* with one QP, both neighbours are the head of the list */
		if (rn_unlikely(qp->active.next != qp->active.prev))
			rn_ahead_tx(sh, qp);
		unsigned run = ack || !qp->short_way ? 0 : rn_short_tx(qp, bufs + k, n - k, now);

		if (!ack && !run && rn_short_read_wants_tx(qp)) {
			run = rn_short_read_tx(qp, bufs + k, n - k, now);
			for (unsigned i = 0; i < run; i++)
				bytes += bufs[k + i].len;
		}
		if (run) {
			if (open)
				rn_tmpl_seal(open, bufs[k - 1].data, bufs[k - 1].len);
			open = NULL;
			k += run;
			account_sent(sh, qp, run);
			continue;
		}
		bufs[k].len = rn_likely(ack)		    ? rn_responder_tx_ack(qp, &bufs[k])
			      : rn_unlikely(qp->cc.limited) ? rn_qp_tx_limited(qp, &bufs[k], now)
							    : rn_qp_tx(qp, &bufs[k], now);
		if (!bufs[k].len) {
			/* A QP with nothing to send leaves the active list until rn_lane_activate()
			 * puts the QP back. */
			rn_list_del(&qp->active);
			continue;
		}
		if (open)
			rn_tmpl_seal(open, bufs[k - 1].data, bufs[k - 1].len);
		/* UD frames have an ICRC already */
		open = qp->type == RN_QPT_UD ? NULL : &qp->tmpl;
		bytes += bufs[k++].len;
		account_sent(sh, qp, 1);
	}
	if (open)
		rn_tmpl_seal(open, bufs[k - 1].data, bufs[k - 1].len);
	sh->lane.stats.tx_packets += k;
	sh->lane.stats.tx_bytes += bytes;
	return k;
}

bool rn_shard_wants_tx(const struct rn_shard *sh, rn_time now)
{
	if (rn_unlikely(sh->gone))
		return false;
	return !rn_list_empty(&sh->lane.active) || urgent_waits(sh);
}

bool rn_shard_only_acks(const struct rn_shard *sh)
{
	const struct rn_list *e;
	unsigned looked = 0;

	if (urgent_waits(sh))
		return false;
	rn_list_for_each(e, &sh->lane.active)
	{
		const struct rn_qp *qp = rn_container_of(e, struct rn_qp, active);

		if (++looked > ACKS_LOOKED_AT || !qp->rx.nowed || qp->sq.send != qp->sq.tail)
			return false;
		for (unsigned i = 0; i < qp->rx.nowed; i++)
			if (qp->rx.owed[i].kind != RN_OWE_ACK)
				return false;
	}
	return looked > 0;
}

/* ---- done: publishing completions at the end of a burst ---- */

static void publish_retired(struct rn_shard *sh)
{
	struct rn_list *e;

	while ((e = rn_list_pop(&sh->lane.dirty_qp))) {
		struct rn_qp *qp = rn_container_of(e, struct rn_qp, dirty);

		atomic_store_explicit(&qp->shared.sq_retired, qp->sq_retired, memory_order_release);
		atomic_store_explicit(&qp->shared.rq_retired, qp->rq_retired, memory_order_release);
	}
}

/* Reports the overrun of a CQ once. */
static void report_overrun(struct rn_shard *sh, struct rn_cq *cq)
{
	if (!cq->overrun || cq->overrun_handled)
		return;
	cq->overrun_handled = true;
	rn_shard_report_cq(sh, cq, RN_EVENT_CQ_OVERRUN);
}

/* Puts all QPs of overrun CQs into ERR. The flushed work requests of these QPs complete and may
 * overrun further CQs, so the loop repeats until no CQ overruns. */
static __attribute__((noinline)) void fail_overrun_qps(struct rn_shard *sh, rn_time now)
{
	while (sh->lane.overrun) {
		sh->lane.overrun = false;
		for (uint32_t i = 0; i <= sh->qp_mask; i++) {
			struct rn_qp *qp = sh->qp[i];

			if (!qp || !(qp->send_cq->overrun || qp->recv_cq->overrun))
				continue;
			report_overrun(sh, qp->send_cq);
			report_overrun(sh, qp->recv_cq);
			rn_qp_note_error(qp, "its completion queue overran");
			rn_qp_error(qp, RN_QPE_FATAL, false, now);
		}
	}
}

/* Publishes what rn_shard_done() has found to be unpublished. */
static __attribute__((noinline)) bool publish(struct rn_shard *sh, rn_time now)
{
	struct rn_list *e, *tmp;

	if (rn_unlikely(sh->lane.overrun))
		fail_overrun_qps(sh, now);
	/* Publish sq_retired and rq_retired before the completions: an application that sees a
	 * completion may post into the freed slot at once. */
	publish_retired(sh);
	if (rn_list_empty(&sh->lane.dirty_cq))
		return false;
	rn_list_for_each(e, &sh->lane.dirty_cq)
		rn_cq_publish(rn_container_of(e, struct rn_cq, dirty));
	/* The shard publishes the tails of the CQs, then reads `armed`. The application arms a CQ,
	 * then reads the tails again. With this fence the shard sees that the CQ is armed, or the
	 * application sees the new tails. */
	atomic_thread_fence(memory_order_seq_cst);
	rn_list_for_each_safe(e, tmp, &sh->lane.dirty_cq)
	{
		struct rn_cq *cq = rn_container_of(e, struct rn_cq, dirty);

		rn_list_del(e);
		if (rn_cq_fires(cq))
			rn_shard_report_cq(sh, cq, RN_EVENT_CQ);
		/* The CQ is dead if its ring on another shard has overrun. The next rn_shard_done()
		 * then puts the QPs of this shard that use the CQ into ERR. */
		if (rn_unlikely(rn_cq_dead_elsewhere(cq)))
			sh->lane.overrun = cq->overrun = true;
	}
	return true;
}

bool rn_shard_done(struct rn_shard *sh, rn_time now)
{
	/* A poll iteration calls this twice, and mostly finds nothing the second time. */
	if (rn_list_empty(&sh->lane.dirty_cq) && rn_list_empty(&sh->lane.dirty_qp) &&
	    rn_likely(!sh->lane.overrun))
		return false;
	return publish(sh, now);
}

/* ---- tick: timers ---- */

rn_time rn_shard_next(const struct rn_shard *sh)
{
	rn_time t = rn_wheel_next(&sh->lane.wheel), p = rn_wheel_next(&sh->lane.pace);

	/* Without a DPDK port no timer matters any more. */
	if (sh->gone)
		return RN_TIME_NEVER;
	t = RN_MIN(t, p);
	if (sh->lane.cm) {
		rn_time c = rn_cm_next(sh->lane.cm), n = rn_neigh_next(sh->lane.neigh);

		t = RN_MIN(t, RN_MIN(c, n));
	}
	return t;
}

void rn_shard_tick(struct rn_shard *sh, rn_time now)
{
	struct rn_timer *t;

	/* All timers on this wheel are retransmission timers of QPs. */
	while ((t = rn_wheel_expire(&sh->lane.wheel, now)))
		rn_requester_expired(rn_container_of(t, struct rn_qp, retry.timer), now);
	while ((t = rn_wheel_expire(&sh->lane.pace, now)))
		rn_pace_due(t);
	if (!sh->lane.cm)
		return;
	if (rn_neigh_next(sh->lane.neigh) <= now)
		rn_neigh_tick(sh->lane.neigh, now);
	spread_neighbours(sh, now);
	if (rn_cm_next(sh->lane.cm) <= now)
		rn_cm_tick(sh->lane.cm, now);
	sh->lane.stats.neigh_full = rn_neigh_full(sh->lane.neigh);
	sh->lane.stats.tx_given_up = rn_cm_dropped(sh->lane.cm) + rn_neigh_dropped(sh->lane.neigh);
}

/* ---- events, log entries, messages to other shards, counters ---- */

void rn_shard_report_cq(struct rn_shard *sh, struct rn_cq *cq, unsigned kind)
{
	cq->events |= 1u << kind;
	if (rn_list_empty(&cq->tell))
		rn_list_add_tail(&sh->pending_cq, &cq->tell);
}

/* Turns the lowest bit set in qp->events into an event. */
static void take_qp_event(struct rn_qp *qp, struct rn_event *ev)
{
	static const uint8_t kinds[] = {RN_EVENT_QP_FATAL,	RN_EVENT_QP_REQ_ERR,
					RN_EVENT_QP_ACCESS_ERR, RN_EVENT_COMM_EST,
					RN_EVENT_SQ_DRAINED,	RN_EVENT_QP_LAST_WQE};
	unsigned bit = __builtin_ctz(qp->events);

	*ev = (struct rn_event){
		.kind = kinds[bit], .id = qp->qpn, .gen = qp->gen, .user = qp->user};
	if (kinds[bit] == RN_EVENT_QP_FATAL) {
		ev->reason = qp->events & RN_QPE_COMPLETED ? RN_FATAL_COMPLETED : 0;
		qp->events &= (uint8_t)~RN_QPE_COMPLETED;
	}
	qp->events &= qp->events - 1;
	if (!qp->events)
		rn_list_del(&qp->tell);
}

static void take_cq_event(struct rn_cq *cq, struct rn_event *ev)
{
	unsigned kind = __builtin_ctz(cq->events);

	cq->events &= cq->events - 1;
	*ev = (struct rn_event){.kind = kind, .id = cq->id, .user = cq->user};
	if (!cq->events)
		rn_list_del(&cq->tell);
}

unsigned rn_shard_events(struct rn_shard *sh, struct rn_event *ev, unsigned n)
{
	struct rn_list *e;
	unsigned k = 0;

	if (sh->gone)
		return 0;
	while (k < n && !rn_list_empty(&sh->lane.pending_qp))
		take_qp_event(rn_container_of(sh->lane.pending_qp.next, struct rn_qp, tell),
			      &ev[k++]);
	while (k < n && !rn_list_empty(&sh->pending_cq))
		take_cq_event(rn_container_of(sh->pending_cq.next, struct rn_cq, tell), &ev[k++]);
	while (k < n && (e = rn_list_pop(&sh->lane.pending_srq))) {
		const struct rn_srq_ref *ref = rn_container_of(e, struct rn_srq_ref, tell);

		ev[k++] = (struct rn_event){
			.kind = RN_EVENT_SRQ_LIMIT, .id = ref->id, .user = ref->user};
	}
	while (sh->lane.cm && k < n &&
	       (rn_resolve_event(sh, &ev[k]) || rn_cm_event(sh->lane.cm, &ev[k])))
		k++;
	return k;
}

bool rn_shard_silent(const struct rn_shard *sh)
{
	if (!rn_news_none(&sh->lane.news) || (sh->lane.cm && !rn_cm_silent(sh->lane.cm)))
		return false;
	return sh->gone || (rn_list_empty(&sh->lane.pending_qp) && rn_list_empty(&sh->pending_cq) &&
			    rn_list_empty(&sh->lane.pending_srq) && sh->nresolving == 0);
}

bool rn_shard_news(struct rn_shard *sh, struct rn_news *news)
{
	return rn_news_take(&sh->lane.news, news) || (sh->lane.cm && rn_cm_news(sh->lane.cm, news));
}

unsigned rn_shard_outbox(struct rn_shard *sh, struct rn_msg *m, unsigned n)
{
	unsigned k = 0;

	while (k < n && sh->lane.out_head != sh->lane.out_tail)
		m[k++] = sh->lane.outbox[sh->lane.out_head++ % RN_OUTBOX];
	return k;
}

void rn_shard_inbox(struct rn_shard *sh, const struct rn_msg *m, rn_time now)
{
	switch (m->kind) {
	case RN_MSG_COMM_EST:
		if (sh->lane.cm)
			rn_cm_comm_est(sh->lane.cm, m->qpn, now);
		break;
	case RN_MSG_NEIGH:
		rn_shard_new_mac(sh, &m->gid, m->mac);
		break;
	case RN_MSG_PROBE:
		rn_lane_probe_peer(&sh->lane, &m->gid, now);
		break;
	}
}

const struct rn_stats *rn_shard_stats(const struct rn_shard *sh)
{
	return &sh->lane.stats;
}
