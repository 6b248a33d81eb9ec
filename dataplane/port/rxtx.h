/* Moves frames between a port and a shard. Each shard has one struct rn_rxtx, which only the
 * shard's thread uses. Any thread may read the counters. */
#ifndef RN_RXTX_H
#define RN_RXTX_H

#include "shard/core.h"
#include "base/impair.h"
#include "port/port.h"
#include "port/steer.h"

struct rte_mbuf;
struct rte_mempool_cache;
struct rn_capture;

/* clang-format off */
#define RN_RXTX_STAT_ROWS(X) /* the counters of a shard's port: name, description */ \
	X(rx_frames,     "frames received from the port") \
	X(rx_bytes,      "bytes received from the port") \
	X(rx_chained,    "received frames in several buffers, which were linearised") \
	X(rx_dropped,    "received frames too long to linearise") \
	X(tx_frames,     "frames the port took") \
	X(tx_bytes,      "bytes built by the shard") \
	X(tx_full,       "bursts of which the port took only a part") \
	X(tx_discarded,  "frames dropped because the port had taken none for a second") \
	X(tx_no_mbuf,    "poll iterations that could not send because there were no free buffers") \
	X(loop_frames,   "frames looped back inside the adapter, never given to the port") \
	X(loop_lost,     "multicast datagrams not looped back to local members: no free buffers") \
	X(handed_off,    "packets handed to the shard that owns their QP") \
	X(handoff_full,  "packets dropped because that shard's ring was full") \
	X(impaired_lost, "sent frames dropped on purpose") \
	X(impaired_dup,  "sent frames duplicated on purpose") \
	X(impaired_late, "sent frames delayed on purpose") \
	X(impaired_bad,  "sent frames corrupted on purpose") \
	X(impaired_data, "sent frames whose data was changed on purpose, with a matching ICRC")
/* clang-format on */

struct rn_rxtx_stats {
#define X(name, text) uint64_t name;
	RN_RXTX_STAT_ROWS(X)
#undef X
};

#define RN_BURST_MAX   256
#define RN_LOOP_MAX    1024
#define RN_OUT_MAX     1024
#define RN_HELD_MAX    2048
#define RN_TX_PATIENCE RN_S(1)

struct rn_held {
	rn_time when;
	struct rte_mbuf *m;
};

struct rn_rxtx {
	struct rn_port *port;
	unsigned index, nshards, txq;
	unsigned burst, turn_bytes;
	/* data_at: offset in bytes of the data area from the address of an empty mbuf; data_room:
	 * size in bytes of the data area */
	unsigned data_at, data_room;
	bool sent_all;	     /* the last rn_tx_turn() left nothing to build or to send */
	bool share_txq;	     /* another shard uses the same transmit queue */
	enum rn_calls calls; /* bursts of the driver during which cancellation is disabled */
	/* the port's own MAC, as the first 8 bytes of a frame << 16: the destination MAC in the
	 * upper 48 bits */
	uint64_t own_mac;
	uint64_t rearm; /* struct rte_mbuf.rearm_data of each frame */
	bool watched;	/* built frames are captured or impaired */
	/* lcore id that a thread has while polling this shard; selects a cache of the mempool */
	unsigned lcore_id;
	/* `cache` was created for this shard, because no lcore id was free, and is freed at
	 * close */
	bool own_cache;
	struct rte_mempool_cache *cache;
	struct rn_capture *capture; /* NULL if frames are not captured */
	struct rn_rxtx_stats stats;
	/* how many mbufs of kept packets the shard holds (rn_shard_hold()), and how many at most */
	unsigned nkept, kept_max;

	/* fresh[fresh_at..burst): empty mbufs for the next frames. buf[i] describes fresh[i] to the
	 * shard; buf[i].cap never changes. */
	struct rte_mbuf *fresh[RN_BURST_MAX];
	struct rn_txbuf buf[RN_BURST_MAX];
	unsigned fresh_at;
	/* out[out_head..out_head + nout): frames that were built but not yet taken by the port, in
	 * order */
	struct rte_mbuf *out[RN_OUT_MAX];
	unsigned out_head, nout;
	rn_time refused_since; /* when the port stopped taking frames; 0 while it takes frames */
	/* looped-back frames, to be received in the next poll iteration */
	struct rte_mbuf *loop[RN_LOOP_MAX];
	unsigned nloop;
	/* frames that rn_rx_take() or rn_rx_quiet() has taken from the port, for rn_rx_turn() */
	struct rte_mbuf *in[RN_BURST_MAX];
	unsigned nin;

	bool impaired;
	struct rn_impair rule;
	/* Two random number generators: `rng` decides about loss, duplicates, delay and corrupted
	 * bits, and `tamper` about changed data. So tampering does not change the decisions of
	 * `rng`. */
	struct rn_rng rng, tamper;
	/* array of RN_HELD_MAX frames held back by impairment, sorted by time; NULL without
	 * impairment */
	struct rn_held *held;
	unsigned nheld;
};

struct rn_rxtx_cfg {
	struct rn_port *port;
	unsigned index, nshards;
	unsigned burst; /* frames per burst, 1..RN_BURST_MAX */
	/* limit in bytes for the frames built per poll iteration; the last frame may exceed the
	 * limit */
	unsigned turn_bytes;
	/* maximum number of mbufs of kept packets that the shard holds; further kept packets are
	 * copied */
	unsigned kept_max;
	/* A frame to this MAC is looped back inside the adapter, because a switch would not send it
	 * back. All zero: no such frame. That is for a port of softrnicd, whose clients all have
	 * this MAC: only the daemon knows which of them a frame is for. Copies for local members of
	 * a multicast group are looped back all the same. */
	uint8_t mac[6];
	struct rn_impair impair;
	uint64_t impair_seed;
	struct rn_capture *capture;
	/* application threads poll the shard, which has no thread of its own (inline idle
	 * policy) */
	bool lent;
};

/* To be called in the control thread while no thread polls the shard. rn_rxtx_open() returns 0 or
 * -ENOMEM. rn_rxtx_close() frees all mbufs; the shard must hold none, so rn_shard_abandon() and
 * rn_rxtx_take_back() come before. */
int rn_rxtx_open(struct rn_rxtx *x, const struct rn_rxtx_cfg *cfg);
void rn_rxtx_close(struct rn_rxtx *x);

/* Takes a burst of frames from the port, unless one waits already, and keeps the frames for
 * rn_rx_turn(), which the caller then calls in the same poll iteration. */
void rn_rx_take(struct rn_rxtx *x);
/* Has no frame come? If frames have come from the port, keeps them for rn_rx_turn(), which the
 * caller then calls in the same poll iteration. Returns false, without looking at the port, if
 * looped-back frames wait or the shard has several receive queues. */
bool rn_rx_quiet(struct rn_rxtx *x);

/* Receives all frames that earlier poll iterations looped back, then one burst from every receive
 * queue of this shard. Returns the number of frames received. */
unsigned rn_rx_turn(struct rn_rxtx *x, struct rn_shard *sh, struct rn_steer *st, rn_time now);

/* Sends the frames left over from earlier poll iterations, then lets the shard build new frames.
 * Builds no frame while the port has not taken all of the previous burst, or while no mbuf is free.
 * Returns the number of frames that were sent or built.
 *
 * Without impairment, a built frame is dropped in two cases:
 * - This port, or the port joined to it, was unplugged.
 * - The port has taken frames before, but none for RN_TX_PATIENCE. The port's link then counts as
 *   down, and dropping the frames lets the shard's work requests time out. */
unsigned rn_tx_turn(struct rn_rxtx *x, struct rn_shard *sh, rn_time now);

/* Frees n mbufs whose packets the shard has processed, in this order, since the last call. Leaves
 * the mbufs of packets that the shard keeps to the shard, and frees those that the shard no longer
 * needs. */
void rn_rxtx_finish(struct rn_rxtx *x, struct rn_shard *sh, struct rte_mbuf **m, unsigned n);
/* Frees the mbufs that the shard no longer needs. */
void rn_rxtx_take_back(struct rn_rxtx *x, struct rn_shard *sh);

/* Do built frames wait to be sent, or looped-back frames to be received? The next poll iteration
 * then has work even if the shard has none. */
static inline bool rn_rxtx_backlog(const struct rn_rxtx *x)
{
	return x->nout > 0 || x->nloop > 0;
}
/* May the driver lack mbufs for frames that are in the port? It has then read what wakes the shard.
 */
bool rn_rxtx_short(const struct rn_rxtx *x);
/* Returns the time at which the next frame held back by impairment is due. Returns RN_TIME_NEVER if
 * no frame is held back. */
static inline rn_time rn_rxtx_next(const struct rn_rxtx *x)
{
	return x->nheld > 0 ? x->held[0].when : RN_TIME_NEVER;
}

#endif
