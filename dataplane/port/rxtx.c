/* Turns mbufs into packets for a shard, and a shard's frames into mbufs for a port. Owns every mbuf
 * between rx_burst and free, and between allocation and tx_burst. Runs in the shard's thread. */
#include "port/rxtx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_prefetch.h>

#include "port/cancel.h"
#include "port/capture.h"
#include "wire/frame.h"
#include "port/handover.h"
#include "shard/ahead.h"
#include "wire/tamper.h"

/* borrowed[id] is true while a shard uses this lcore id, which EAL does not use. The lock of the
 * in-process link (inproc.c) protects the array. */
static bool borrowed[RTE_MAX_LCORE];

/* Returns an unused lcore id for a shard, or LCORE_ID_ANY if there is none. A mempool has one cache
 * per lcore id, through which a driver allocates and frees mbufs. Without an lcore id, the driver
 * needs an atomic operation on the pool for every mbuf that it frees. Such an operation also waits
 * for all earlier stores (payload written to the application's memory). */
static unsigned borrow_lcore_id(void)
{
	for (unsigned id = RTE_MAX_LCORE; id-- > 0;)
		if (!borrowed[id] && rte_eal_lcore_role(id) == ROLE_OFF) {
			borrowed[id] = true;
			return id;
		}
	return LCORE_ID_ANY;
}

int rn_rxtx_open(struct rn_rxtx *x, const struct rn_rxtx_cfg *cfg)
{
	rn_assert(cfg->burst >= 1 && cfg->burst <= RN_BURST_MAX);
	memset(x, 0, sizeof(*x));
	x->port = cfg->port;
	x->index = cfg->index;
	x->nshards = cfg->nshards;
	x->txq = cfg->index % cfg->port->ntxq;
	x->share_txq = cfg->port->ntxq < cfg->nshards;
	x->burst = x->fresh_at = cfg->burst;
	x->turn_bytes = cfg->turn_bytes;
	x->kept_max = cfg->kept_max;
	x->capture = cfg->capture;
	x->calls = cfg->lent ? cfg->port->wake->calls : RN_CALLS_NONE;
	memcpy(&x->own_mac, cfg->mac, 6);
	x->own_mac <<= 16;
	/* is_to_us() finds no frame with bits in the lower part. */
	if (x->own_mac == 0)
		x->own_mac = 1;
	const struct rte_mbuf frame = {
		.data_off = RTE_PKTMBUF_HEADROOM,
		.refcnt = 1,
		.nb_segs = 1,
		.port = RTE_MBUF_PORT_INVALID,
	};
	memcpy(&x->rearm, &frame.rearm_data, sizeof(x->rearm));
	x->data_at = sizeof(struct rte_mbuf) + rte_pktmbuf_priv_size(cfg->port->pool) +
		     RTE_PKTMBUF_HEADROOM;
	x->data_room = rte_pktmbuf_data_room_size(cfg->port->pool) - RTE_PKTMBUF_HEADROOM;
	for (unsigned i = 0; i < x->burst; i++)
		x->buf[i].cap = x->data_room;
	x->impaired = !rn_impair_none(&cfg->impair);
	x->watched = x->impaired || x->capture != NULL;
	x->rule = cfg->impair;
	rn_rng_seed(&x->rng, cfg->impair_seed + cfg->index);
	rn_rng_seed(&x->tamper, ~(cfg->impair_seed + cfg->index));
	x->lcore_id = borrow_lcore_id();
	x->cache = rte_mempool_default_cache(x->port->pool, x->lcore_id);
	/* If all lcore ids are taken, use a private cache. Only this file can use a private cache;
	 * the driver cannot. */
	x->own_cache = x->cache == NULL;
	if (x->own_cache)
		x->cache = rte_mempool_cache_create(RTE_MEMPOOL_CACHE_MAX_SIZE, SOCKET_ID_ANY);
	if (x->impaired)
		x->held = calloc(RN_HELD_MAX, sizeof(*x->held));
	if (x->cache == NULL || (x->impaired && x->held == NULL)) {
		rn_rxtx_close(x);
		return -ENOMEM;
	}
	return 0;
}

/* Puts an empty mbuf of this port's pool into `fresh`, which has room. The address of the data is
 * computed and not read from the mbuf: the shard fills only some of the mbufs, and the others then
 * cause no cache misses. */
static inline void put_fresh(struct rn_rxtx *x, struct rte_mbuf *m)
{
	x->fresh[--x->fresh_at] = m;
	x->buf[x->fresh_at].data = (uint8_t *)m + x->data_at;
	x->buf[x->fresh_at].loop = false;
}

static __attribute__((noinline)) void put_back(struct rn_rxtx *x, struct rte_mbuf **m, unsigned n)
{
	rn_handover_give(m, n);
	rte_mempool_generic_put(x->port->pool, (void **)m, n, x->cache);
}

/* Frees an mbuf that is chained, shared, or of another pool. */
static __attribute__((noinline)) void free_other(struct rte_mbuf *m)
{
	rte_pktmbuf_free(m);
}

/* Is this a single-segment mbuf of this port's pool with its own data, which nothing else refers
 * to? Such an mbuf is empty at once. Its member `next` is NULL, as DPDK requires of a single
 * segment; `next` is not read, so that the second cache line of an mbuf is not used at all. */
static inline bool is_plain(const struct rn_rxtx *x, const struct rte_mbuf *m)
{
	/* `refcnt` and `nb_segs` in one comparison. The load is atomic, since another shard may
	 * give up its reference meanwhile. */
	static_assert(offsetof(struct rte_mbuf, rearm_data) % sizeof(uint64_t) == 0 &&
			      offsetof(struct rte_mbuf, refcnt) ==
				      offsetof(struct rte_mbuf, rearm_data) + 2 &&
			      offsetof(struct rte_mbuf, nb_segs) ==
				      offsetof(struct rte_mbuf, rearm_data) + 4,
		      "bytes 2 to 5 of one aligned word");
	uint32_t counts =
		(uint32_t)(__atomic_load_n((const uint64_t *)&m->rearm_data, __ATOMIC_RELAXED) >>
			   16);

	return m->pool == x->port->pool && counts == (1u << 16 | 1) && RTE_MBUF_DIRECT(m);
}

/* Reuses plain mbufs for the next frames, as many as there is room for in `fresh`. Frees the others
 * in bulk through the cache. */
static void free_mbufs(struct rn_rxtx *x, struct rte_mbuf **m, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		if (rn_unlikely(!is_plain(x, m[i])))
			free_other(m[i]);
		else if (x->fresh_at > 0)
			put_fresh(x, m[i]);
		else
			m[kept++] = m[i];
	}
	if (kept > 0)
		put_back(x, m, kept);
}

/* Leaves those of n mbufs to the shard whose packets it keeps. Moves the others to the start of m,
 * and returns their number. An mbuf that is not plain may come from a small pool of the driver, or
 * may be shared with another shard: such a packet is copied. */
static unsigned leave_kept(struct rn_rxtx *x, struct rn_shard *sh, struct rte_mbuf **m, unsigned n)
{
	unsigned others = 0;

	for (unsigned i = 0; i < n; i++) {
		bool may = x->nkept < x->kept_max && is_plain(x, m[i]);

		if (rn_shard_hold(sh, rte_pktmbuf_mtod(m[i], const uint8_t *), may ? m[i] : NULL))
			x->nkept++;
		else
			m[others++] = m[i];
	}
	rn_shard_settle(sh);
	return others;
}

void rn_rxtx_take_back(struct rn_rxtx *x, struct rn_shard *sh)
{
	struct rte_mbuf *m[RN_BURST_MAX];
	unsigned n;

	while ((n = rn_shard_give_back(sh, (void **)m, RN_BURST_MAX)) > 0) {
		x->nkept -= n;
		free_mbufs(x, m, n);
	}
}

/* Gives the mbufs of newly kept packets to the shard, and takes back those that the shard no longer
 * needs. Returns how many of n are left in m. */
static __attribute__((noinline)) unsigned swap_kept(struct rn_rxtx *x, struct rn_shard *sh,
						    struct rte_mbuf **m, unsigned n)
{
	n = leave_kept(x, sh, m, n);
	rn_rxtx_take_back(x, sh);
	return n;
}

void rn_rxtx_finish(struct rn_rxtx *x, struct rn_shard *sh, struct rte_mbuf **m, unsigned n)
{
	if (rn_unlikely(rn_shard_keeps(sh)))
		n = swap_kept(x, sh, m, n);
	free_mbufs(x, m, n);
}

void rn_rxtx_close(struct rn_rxtx *x)
{
	rn_assert(x->nkept == 0);
	rte_pktmbuf_free_bulk(x->fresh + x->fresh_at, x->burst - x->fresh_at);
	rte_pktmbuf_free_bulk(x->out + x->out_head, x->nout);
	rte_pktmbuf_free_bulk(x->loop, x->nloop);
	rte_pktmbuf_free_bulk(x->in, x->nin);
	for (unsigned i = 0; i < x->nheld; i++)
		rte_pktmbuf_free(x->held[i].m);
	x->fresh_at = x->burst;
	x->nout = x->nloop = x->nin = x->nheld = 0;
	free(x->held);
	x->held = NULL;
	if (x->cache != NULL) {
		rte_mempool_cache_flush(x->cache, x->port->pool);
		if (x->own_cache)
			rte_mempool_cache_free(x->cache);
		x->cache = NULL;
	}
	if (x->lcore_id < RTE_MAX_LCORE)
		borrowed[x->lcore_id] = false;
}

/* ---- receiving frames ---- */

/* Makes *m one contiguous frame with its VLAN tag in place, as the parser needs it. Returns false
 * on failure; the frame must then be dropped. */
static inline __attribute__((always_inline)) bool linearize(struct rn_rxtx *x, struct rte_mbuf **m)
{
	if (rn_unlikely((*m)->nb_segs > 1)) {
		if (rte_pktmbuf_linearize(*m) != 0) {
			x->stats.rx_dropped++;
			return false;
		}
		x->stats.rx_chained++;
	}
	if (rn_unlikely((*m)->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED)) {
		(*m)->ol_flags &= ~(uint64_t)(RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_VLAN);
		if (rte_vlan_insert(m) != 0) {
			x->stats.rx_dropped++;
			return false;
		}
	}
	return true;
}

/* Returns the shard that owns the packet's QP. Shard 0 handles ARP, neighbour discovery and
 * ICMP. */
static unsigned owner_of(const struct rn_rxtx *x, const struct rn_pkt *pkt)
{
	return pkt->kind == RN_PKT_IB ? rn_qpn_shard(pkt->dest_qpn, x->nshards) : 0;
}

/* Passes a multicast packet to every shard with members of its multicast group. If no shard has
 * members, rn_shard_rx() of this shard drops the packet and counts the drop. */
static void deliver_to_group(struct rn_rxtx *x, struct rn_shard *sh, struct rn_steer *st,
			     struct rte_mbuf *m, const struct rn_pkt *pkt, rn_time now)
{
	uint32_t shards = rn_shard_group_shards(sh, &pkt->dst), here = 1u << x->index,
		 others = shards & ~here;

	if (others != 0) {
		uint32_t sent = rn_steer_group(st, others, m, pkt);
		x->stats.handed_off += (unsigned)__builtin_popcount(sent);
		x->stats.handoff_full += (unsigned)__builtin_popcount(others & ~sent);
	}
	if (shards == 0 || (shards & here) != 0)
		rn_shard_rx(sh, pkt, now);
}

/* Delivers one frame. An ordinary packet for a QP of this shard takes the short way
 * (qp/short_rx.h), without rn_frame_parse(). Any other frame is parsed first. Returns true when the
 * mbuf now belongs to another shard. */
static inline __attribute__((always_inline)) bool receive_frame(struct rn_rxtx *x,
								struct rn_shard *sh,
								struct rn_steer *st,
								struct rte_mbuf *m, rn_time now)
{
	struct rn_pkt pkt;
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	enum rn_verdict v;

	if (rn_unlikely(x->capture != NULL))
		rn_capture_frame(x->capture, frame, rte_pktmbuf_data_len(m), now);
	if (rn_likely(rn_shard_rx_short(sh, frame, rte_pktmbuf_data_len(m), &v, now)))
		return false;
	v = rn_frame_parse(frame, rte_pktmbuf_data_len(m), &pkt);
	if (rn_unlikely(v != RN_V_OK)) {
		rn_shard_refused(sh, v);
		return false;
	}
	if (rn_unlikely(pkt.dest_qpn == RN_MCAST_QPN)) {
		deliver_to_group(x, sh, st, m, &pkt, now);
		return false;
	}
	unsigned owner = owner_of(x, &pkt);
	if (rn_likely(owner == x->index)) {
		rn_shard_rx(sh, &pkt, now);
		return false;
	}
	if (!rn_steer_packet(st, owner, m, &pkt)) {
		x->stats.handoff_full++;
		return false;
	}
	x->stats.handed_off++;
	return true;
}

/* The first step of ahead.h for one frame. A frame in several buffers, whose first buffer may end
 * within the headers, is left out. */
static uint32_t first_step(struct rn_ahead *a, const void *burst, unsigned i)
{
	const struct rte_mbuf *m = ((struct rte_mbuf *const *)burst)[i];

	return m->nb_segs > 1 ? 0
			      : rn_ahead_rx(a, rte_pktmbuf_mtod(m, const uint8_t *),
					    rte_pktmbuf_data_len(m));
}

/* receive() for one value of `ahead`, the result of rn_ahead_what(). */
static inline __attribute__((always_inline)) void
receive_with(struct rn_rxtx *x, struct rn_shard *sh, struct rn_steer *st, struct rte_mbuf **m,
	     unsigned n, unsigned ahead, rn_time now)
{
	unsigned ndone = 0;
	struct rn_ahead walk;

	if (ahead != 0)
		rn_ahead_begin(&walk, sh, ahead);
	for (unsigned i = 0; i < n; i++) {
		struct rte_mbuf *one = m[i];
		if (ahead != 0)
			rn_ahead_walk(&walk, i, n, m, first_step, rn_ahead_rx_qp);
		if (linearize(x, &one) && receive_frame(x, sh, st, one, now))
			continue;
		m[ndone++] = one;
	}
	rn_rxtx_finish(x, sh, m, ndone);
}

static __attribute__((noinline)) void receive_many(struct rn_rxtx *x, struct rn_shard *sh,
						   struct rn_steer *st, struct rte_mbuf **m,
						   unsigned n, unsigned ahead, rn_time now)
{
	receive_with(x, sh, st, m, n, ahead, now);
}

/* Processes n frames, at most RN_BURST_MAX, from the port or from loopback, and frees or hands over
 * all their mbufs. A shard with few QPs and regions has code of its own, which does not look
 * ahead. */
static void receive(struct rn_rxtx *x, struct rn_shard *sh, struct rn_steer *st,
		    struct rte_mbuf **m, unsigned n, rn_time now)
{
	unsigned ahead = rn_ahead_what(sh);

	if (rn_unlikely(ahead != 0))
		receive_many(x, sh, st, m, n, ahead, now);
	else
		receive_with(x, sh, st, m, n, 0, now);
}

static __attribute__((noinline)) unsigned rx_burst_uncancelled(const struct rn_rxtx *x,
							       unsigned queue, struct rte_mbuf **m)
{
	RN_UNCANCELLED;

	return rte_eth_rx_burst(x->port->id, (uint16_t)queue, m, (uint16_t)x->burst);
}

/* Receives a burst from the port. Under the inline policy an application's thread may run this
 * function. If the driver's receive burst makes system calls, cancellation is disabled during the
 * burst, because a system call is a cancellation point. */
static unsigned rx_burst(const struct rn_rxtx *x, unsigned queue, struct rte_mbuf **m)
{
	if (rn_unlikely(x->calls == RN_CALLS_BOTH))
		return rx_burst_uncancelled(x, queue, m);
	return rte_eth_rx_burst(x->port->id, (uint16_t)queue, m, (uint16_t)x->burst);
}

/* Counts n frames that came, and loads the first two cache lines of each, together with its mbuf:
 * where the data begins is computed, as in put_fresh(), because a load of the mbuf would have to
 * come first. For an mbuf that differs, loading has no effect. The third line holds the end of a
 * short message behind longer headers (RETH, IPv6). It is loaded only if the frame is that long;
 * the branch is predicted, so this load does not wait for the length either. */
static __attribute__((noinline)) void note_frames(struct rn_rxtx *x, struct rte_mbuf **m,
						  unsigned n)
{
	uint64_t bytes = 0;

	rn_handover_take(m, n);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *data = (const uint8_t *)m[i] + x->data_at;

		rte_prefetch0(data);
		rte_prefetch0(data + RTE_CACHE_LINE_SIZE);
		if (m[i]->pkt_len > 2 * RTE_CACHE_LINE_SIZE)
			rte_prefetch0(data + 2 * RTE_CACHE_LINE_SIZE);
		bytes += m[i]->pkt_len;
	}
	x->stats.rx_frames += n;
	x->stats.rx_bytes += bytes;
}

/* Takes a burst from one receive queue. */
static inline unsigned take_burst(struct rn_rxtx *x, unsigned queue, struct rte_mbuf **m)
{
	unsigned n = rx_burst(x, queue, m);

	if (n > 0)
		note_frames(x, m, n);
	return n;
}

static inline void take_first(struct rn_rxtx *x)
{
	if (x->index < x->port->nrxq &&
	    rn_likely(!atomic_load_explicit(&x->port->quiet, memory_order_acquire)))
		x->nin = take_burst(x, x->index, x->in);
}

void rn_rx_take(struct rn_rxtx *x)
{
	if (x->nin == 0)
		take_first(x);
}

bool rn_rx_quiet(struct rn_rxtx *x)
{
	if (x->nloop > 0 || x->port->nrxq > x->nshards)
		return false;
	take_first(x);
	return x->nin == 0;
}

/* Receives all looped-back frames, which may be more than a burst. */
static __attribute__((noinline)) void receive_looped(struct rn_rxtx *x, struct rn_shard *sh,
						     struct rn_steer *st, rn_time now)
{
	unsigned n = x->nloop;

	x->nloop = 0;
	for (unsigned i = 0; i < n; i += RN_BURST_MAX)
		receive(x, sh, st, x->loop + i, RN_MIN(n - i, RN_BURST_MAX), now);
}

unsigned rn_rx_turn(struct rn_rxtx *x, struct rn_shard *sh, struct rn_steer *st, rn_time now)
{
	struct rte_mbuf *m[RN_BURST_MAX];
	unsigned seen = x->nloop + x->nin;

	if (x->nloop > 0)
		receive_looped(x, sh, st, now);
	if (x->nin > 0) {
		unsigned n = x->nin;
		x->nin = 0;
		receive(x, sh, st, x->in, n, now);
	}
	if (rn_unlikely(atomic_load_explicit(&x->port->quiet, memory_order_acquire))) {
		/* Queue pairs may have failed or been destroyed meanwhile. */
		rn_rxtx_take_back(x, sh);
		return seen;
	}
	/* Shard i polls the receive queues i, i + nshards and so on; the first is that of
	 * rn_rx_take(). A shard without a queue gets all its packets from other shards. */
	for (unsigned q = x->index + x->nshards; q < x->port->nrxq; q += x->nshards) {
		unsigned n = take_burst(x, q, m);

		receive(x, sh, st, m, n, now);
		seen += n;
	}
	return seen;
}

/* ---- building and sending frames ---- */

/* Frees all frames that the port has not taken. Returns the number of frames freed. */
static unsigned discard_output(struct rn_rxtx *x)
{
	unsigned n = x->nout;

	free_mbufs(x, x->out + x->out_head, n);
	x->nout = x->out_head = 0;
	return n;
}

/* To be called when the port took no frame of `out`. If a port that worked before has taken no
 * frame for RN_TX_PATIENCE, its link counts as lost. The frames are then discarded, so that
 * retransmission timers can run out and connections can fail. */
static void port_took_none(struct rn_rxtx *x, rn_time now)
{
	if (x->refused_since == 0)
		x->refused_since = now;
	if (now - x->refused_since >= RN_TX_PATIENCE && x->stats.tx_frames > 0)
		x->stats.tx_discarded += discard_output(x);
}

static __attribute__((noinline)) unsigned tx_burst_uncancelled(struct rn_rxtx *x)
{
	RN_UNCANCELLED;

	return rte_eth_tx_burst(x->port->id, (uint16_t)x->txq, x->out + x->out_head,
				(uint16_t)x->nout);
}

static unsigned tx_burst(struct rn_rxtx *x)
{
	if (x->calls != RN_CALLS_NONE)
		return tx_burst_uncancelled(x);
	return rte_eth_tx_burst(x->port->id, (uint16_t)x->txq, x->out + x->out_head,
				(uint16_t)x->nout);
}

/* Offers the frames of `out` to the port. Returns the number of frames that the port took. If the
 * port is cut off (`cut`), discards the frames and returns the number of frames discarded. */
static unsigned flush(struct rn_rxtx *x, rn_time now)
{
	struct rn_port *p = x->port;

	if (x->nout == 0)
		return 0;
	if (rn_unlikely(atomic_load_explicit(&p->cut, memory_order_relaxed)))
		return discard_output(x);
	if (rn_unlikely(atomic_load_explicit(&p->quiet, memory_order_acquire))) {
		port_took_none(x, now);
		return 0;
	}
	/* If another shard is sending through this transmit queue, do not wait: keep the frames for
	 * the next poll iteration. */
	if (x->share_txq && atomic_exchange_explicit(&p->tx_lock, 1, memory_order_acquire) != 0)
		return 0;
	rn_handover_give(x->out + x->out_head, x->nout);
	unsigned n = tx_burst(x);
	if (x->share_txq)
		atomic_store_explicit(&p->tx_lock, 0, memory_order_release);
	x->stats.tx_frames += n;
	x->stats.tx_full += n < x->nout;
	if (rn_unlikely(n == 0)) {
		port_took_none(x, now);
		return 0;
	}
	x->refused_since = 0;
	x->nout -= n;
	x->out_head = x->nout > 0 ? x->out_head + n : 0;
	if (p->peer[x->txq] != NULL)
		rn_wake_ring(p->peer[x->txq]);
	return n;
}

/* Makes room for n more frames at the end of the array `out`. If needed, moves the unsent frames to
 * the start of the array. */
static void make_room(struct rn_rxtx *x, unsigned n)
{
	if (x->out_head + x->nout + n <= RN_OUT_MAX)
		return;
	memmove(x->out, x->out + x->out_head, x->nout * sizeof(x->out[0]));
	x->out_head = 0;
}

static inline bool is_to_us(const struct rn_rxtx *x, const uint8_t *frame)
{
	uint64_t first;

	memcpy(&first, frame, sizeof(first));
	return first << 16 == x->own_mac;
}

/* Queues a built frame for the port. Queues a frame to the port's own MAC for loopback, because a
 * switch would not send such a frame back. */
static inline void dispatch(struct rn_rxtx *x, struct rte_mbuf *m, const uint8_t *frame)
{
	if (rn_unlikely(is_to_us(x, frame))) {
		x->loop[x->nloop++] = m;
		x->stats.loop_frames++;
	} else {
		x->out[x->out_head + x->nout++] = m;
	}
}

/* Loops a copy of a multicast frame back for the group's members on this adapter. The members
 * receive the copy in the next poll iteration. */
static void loop_copy(struct rn_rxtx *x, struct rte_mbuf *m)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(m, x->port->pool, 0, UINT32_MAX);

	if (copy == NULL) {
		x->stats.loop_lost++;
		return;
	}
	x->loop[x->nloop++] = copy;
	x->stats.loop_frames++;
}

/* Holds a frame back until `when`. `held` is sorted by time; frames of the same time stay in
 * order. */
static void hold(struct rn_rxtx *x, struct rte_mbuf *m, rn_time when)
{
	unsigned i = x->nheld++;

	for (; i > 0 && x->held[i - 1].when > when; i--)
		x->held[i] = x->held[i - 1];
	x->held[i] = (struct rn_held){when, m};
	x->stats.impaired_late++;
}

/* Dispatches held frames whose time has come, but at most `room` frames. `out` and `loop` have
 * space for `room` frames. */
static void release_held(struct rn_rxtx *x, unsigned room, rn_time now)
{
	unsigned n = 0;

	for (; n < x->nheld && n < room && x->held[n].when <= now; n++)
		dispatch(x, x->held[n].m, rte_pktmbuf_mtod(x->held[n].m, uint8_t *));
	x->nheld -= n;
	memmove(x->held, x->held + n, x->nheld * sizeof(x->held[0]));
}

/* Applies the configured impairment to a built frame. */
static void impair_frame(struct rn_rxtx *x, struct rte_mbuf *m, rn_time now)
{
	struct rn_fate fate = rn_impair_decide(&x->rule, &x->rng, rte_pktmbuf_data_len(m));
	struct rte_mbuf *copy[2] = {m, NULL};

	if (fate.copies == 0) {
		x->stats.impaired_lost++;
		/* not free_mbufs(): build() is reading `fresh` */
		rn_handover_give(&m, 1);
		rte_pktmbuf_free(m);
		return;
	}
	/* Tampering uses its own random number generator (x->tamper), and so does not change the
	 * decisions of rn_impair_decide(). */
	bool tampered = rn_rng_chance(&x->tamper, x->rule.tamper_ppm);
	uint64_t bit = rn_rng_next(&x->tamper);
	if (tampered)
		x->stats.impaired_data += rn_tamper_frame(rte_pktmbuf_mtod(m, uint8_t *),
							  rte_pktmbuf_data_len(m), bit);
	if (fate.copies > 1) {
		copy[1] = rte_pktmbuf_copy(m, x->port->pool, 0, UINT32_MAX);
		x->stats.impaired_dup += copy[1] != NULL;
	}
	if (fate.corrupt) {
		rte_pktmbuf_mtod(m, uint8_t *)[fate.corrupt_bit / 8] ^=
			(uint8_t)(1u << (fate.corrupt_bit % 8));
		x->stats.impaired_bad++;
	}
	for (unsigned i = 0; i < 2 && copy[i] != NULL; i++) {
		if (fate.delay_ns[i] > 0)
			hold(x, copy[i], now + fate.delay_ns[i]);
		else
			dispatch(x, copy[i], rte_pktmbuf_mtod(copy[i], uint8_t *));
	}
}

/* Captures a built frame, and queues it for the port, with the configured impairment. */
static __attribute__((noinline)) void watch_frame(struct rn_rxtx *x, struct rte_mbuf *m,
						  const struct rn_txbuf *buf, rn_time now)
{
	if (x->capture != NULL)
		rn_capture_frame(x->capture, buf->data, buf->len, now);
	if (x->impaired)
		impair_frame(x, m, now);
	else
		dispatch(x, m, buf->data);
}

/* top_up() if `fresh` holds fewer than `want` mbufs. */
static __attribute__((noinline)) unsigned fetch_fresh(struct rn_rxtx *x, unsigned want)
{
	struct rte_mbuf *m[RN_BURST_MAX];

	while (x->burst - x->fresh_at < want) {
		unsigned n = want - (x->burst - x->fresh_at);
		while (n > 0 &&
		       rte_mempool_generic_get(x->port->pool, (void **)m, n, x->cache) != 0)
			n /= 2;
		if (n == 0)
			break;
		rn_handover_take(m, n);
		for (unsigned i = 0; i < n; i++)
			put_fresh(x, m[i]);
	}
	return RN_MIN(want, x->burst - x->fresh_at);
}

bool rn_rxtx_short(const struct rn_rxtx *x)
{
	const struct rte_mempool *pool = x->port->pool;
	/* mbufs in the pool's caches for other lcore ids: neither this shard nor the driver in its
	 * receive burst can take them */
	unsigned others = 0;

	for (unsigned i = 0; pool->cache_size > 0 && i < RTE_MAX_LCORE; i++)
		if (&pool->local_cache[i] != x->cache)
			others += pool->local_cache[i].len;
	return rte_mempool_avail_count(pool) < others + x->burst;
}

/* Fills `fresh` up to `want` empty mbufs, or to fewer if the pool has no more. Returns the number
 * of mbufs in `fresh`, but at most `want`. */
static inline unsigned top_up(struct rn_rxtx *x, unsigned want)
{
	return rn_likely(x->burst - x->fresh_at >= want) ? want : fetch_fresh(x, want);
}

/* Makes an empty mbuf, as it comes from the pool, the buffer of a built frame. In such an mbuf
 * `next` is NULL. `tx_offload` means nothing without flags in `ol_flags`, and stays as it is: a
 * store there would move the mbuf's second cache line between the CPUs of sender and receiver. */
static inline void set_frame(const struct rn_rxtx *x, struct rte_mbuf *m, uint32_t len)
{
	memcpy(&m->rearm_data, &x->rearm, sizeof(x->rearm));
	m->ol_flags = 0;
	m->packet_type = 0;
	m->pkt_len = len;
	m->data_len = (uint16_t)len;
	m->vlan_tci = 0;
}

/* Lets the shard build up to n frames in fresh mbufs. Returns the number of frames built, and adds
 * their length in bytes to *bytes. */
static unsigned build(struct rn_rxtx *x, struct rn_shard *sh, unsigned n, size_t *bytes,
		      rn_time now)
{
	struct rn_txbuf *buf = x->buf + x->fresh_at;
	struct rte_mbuf **fresh = x->fresh + x->fresh_at;
	unsigned built = rn_shard_tx(sh, buf, n, now);
	size_t sum = 0;

	x->fresh_at += built;
	make_room(x, 2 * built);
	for (unsigned i = 0; i < built; i++) {
		set_frame(x, fresh[i], buf[i].len);
		sum += buf[i].len;
		if (rn_unlikely(buf[i].loop))
			loop_copy(x, fresh[i]);
		if (rn_unlikely(x->watched))
			watch_frame(x, fresh[i], &buf[i], now);
		else
			dispatch(x, fresh[i], buf[i].data);
	}
	*bytes += sum;
	/* The shard may have begun a frame in the next buffer, and then not built it. */
	if (built < n)
		buf[built].loop = false;
	return built;
}

static bool room_for_a_burst(const struct rn_rxtx *x)
{
	/* Impairment may duplicate a frame, so each frame of a burst may need two places in `loop`
	 * and two in `held`. A multicast frame and its duplicate go to `out`; only the copy that
	 * loop_copy() makes needs a place in `loop`. */
	return x->nout == 0 && x->nloop + 2 * x->burst <= RN_LOOP_MAX &&
	       (!x->impaired || x->nheld + 2 * x->burst <= RN_HELD_MAX);
}

/* How many mbufs to offer to the shard, which may still build `left` bytes? */
static unsigned frames_to_offer(const struct rn_rxtx *x, size_t left)
{
	/* This comparison nearly always decides, and costs less than a division. */
	if (rn_likely(left >= (size_t)x->burst * x->port->frame_bytes))
		return x->burst;
	return RN_MIN(x->burst, (unsigned)(left / x->port->frame_bytes + 1));
}

unsigned rn_tx_turn(struct rn_rxtx *x, struct rn_shard *sh, rn_time now)
{
	size_t bytes = 0;
	unsigned work = x->nout > 0 ? flush(x, now) : 0;
	bool all_built = false;

	if (x->nheld > 0 && room_for_a_burst(x)) {
		release_held(x, x->burst, now);
		work += flush(x, now);
	}
	while (bytes < x->turn_bytes && room_for_a_burst(x)) {
		if (!rn_shard_wants_tx(sh, now)) {
			all_built = true;
			break;
		}
		unsigned n = top_up(x, frames_to_offer(x, x->turn_bytes - bytes));
		if (n == 0) {
			x->stats.tx_no_mbuf++;
			break;
		}
		unsigned built = build(x, sh, n, &bytes, now);
		work += built;
		flush(x, now);
		/* A shard that filled fewer mbufs than offered has nothing more to send. */
		if (built < n) {
			all_built = true;
			break;
		}
	}
	x->sent_all = all_built && x->nout == 0;
	x->stats.tx_bytes += bytes;
	return work;
}
