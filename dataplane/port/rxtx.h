/* Frames between a port and a shard. One struct rn_rxtx per shard, used by its thread alone; the counters may be read by
 * anyone. */
#ifndef RN_RXTX_H
#define RN_RXTX_H

#include "core.h"
#include "impair.h"
#include "port.h"
#include "steer.h"

struct rte_mbuf;
struct rte_mempool_cache;
struct rn_capture;

/* clang-format off */
#define RN_RXTX_STAT_ROWS(X) /* name, text */ \
	X(rx_frames,     "frames received from the port") \
	X(rx_bytes,      "bytes received from the port") \
	X(rx_chained,    "received frames that came in several buffers and were linearised") \
	X(rx_dropped,    "received frames too long to linearise") \
	X(tx_frames,     "frames the port took") \
	X(tx_bytes,      "bytes built by the shard") \
	X(tx_full,       "bursts the port did not take whole") \
	X(tx_discarded,  "frames dropped because the port had taken none for a second") \
	X(tx_no_mbuf,    "turns that could not send for want of buffers") \
	X(loop_frames,   "frames to our own MAC, never given to the port") \
	X(loop_lost,     "copies of multicast datagrams for members here, lost for want of buffers") \
	X(handed_off,    "packets handed to the shard that owns their QP") \
	X(handoff_full,  "packets dropped because that shard's ring was full") \
	X(impaired_lost, "sent frames lost on purpose") \
	X(impaired_dup,  "sent frames doubled on purpose") \
	X(impaired_late, "sent frames held back on purpose") \
	X(impaired_bad,  "sent frames corrupted on purpose") \
	X(impaired_data, "sent frames whose data was changed on purpose, under an ICRC that fits")
/* clang-format on */

struct rn_rxtx_stats {
#define X(name, text) uint64_t name;
	RN_RXTX_STAT_ROWS(X)
#undef X
};

#define RN_BURST_MAX 256
#define RN_LOOP_MAX  1024
#define RN_OUT_MAX   1024
#define RN_HELD_MAX  2048
#define RN_TX_PATIENCE RN_S(1)

struct rn_held {
	rn_time when;
	struct rte_mbuf *m;
};

struct rn_rxtx {
	struct rn_port *port;
	unsigned index, nshards, txq;
	unsigned burst, turn_bytes;
	unsigned data_at, data_room; /* of an empty mbuf, from its address */
	bool share_txq; /* another shard uses our transmit queue too */
	enum rn_calls calls; /* of the driver, that an application's thread makes in our turns */
	uint8_t mac[6];
	unsigned lcore_id; /* that drivers are to see during a turn: names our cache in the pool */
	bool own_cache;    /* none in the pool: one of our own */
	struct rte_mempool_cache *cache;
	struct rn_capture *capture; /* NULL: off */
	struct rn_rxtx_stats stats;

	struct rte_mbuf *fresh[RN_BURST_MAX]; /* ours, empty, for the next frames */
	unsigned nfresh;
	struct rte_mbuf *out[RN_OUT_MAX]; /* out[head..head+nout): built, not yet taken by the port, in order */
	unsigned out_head, nout;
	rn_time refused_since; /* the port has taken nothing since; 0: it does */
	struct rte_mbuf *loop[RN_LOOP_MAX]; /* built, addressed to ourselves: received next turn */
	unsigned nloop;

	bool impaired;
	struct rn_impair rule;
	struct rn_rng rng, tamper; /* two: a rule leaves the choices of the others as they were */
	struct rn_held *held; /* by time; RN_HELD_MAX of them when impaired */
	unsigned nheld;
};

struct rn_rxtx_cfg {
	struct rn_port *port;
	unsigned index, nshards;
	unsigned burst;      /* frames at once, 1..RN_BURST_MAX */
	unsigned turn_bytes; /* bytes built in one turn, about; at least one frame */
	uint8_t mac[6];
	struct rn_impair impair;
	uint64_t impair_seed;
	struct rn_capture *capture;
	bool lent; /* application threads make the turns */
};

/* 0 or -ENOMEM. */
int rn_rxtx_open(struct rn_rxtx *x, const struct rn_rxtx_cfg *cfg);
void rn_rxtx_close(struct rn_rxtx *x);

/* One burst from every receive queue of this shard and everything looped back. Returns the frames seen. */
unsigned rn_rx_turn(struct rn_rxtx *x, struct rn_shard *sh, struct rn_steer *st, rn_time now);

/* What the port still owes us first, then fresh frames. Nothing is built while the port has not taken all of the former
 * burst, or without buffers. Nothing built is dropped, but by a port that took frames once and then none for
 * RN_TX_PATIENCE: its link is down, and who waits for an answer must be able to give up. Returns the frames that left or
 * were built. */
unsigned rn_tx_turn(struct rn_rxtx *x, struct rn_shard *sh, rn_time now);

/* Takes back mbufs whose packets were dealt with. */
void rn_rxtx_free(struct rn_rxtx *x, struct rte_mbuf **m, unsigned n);

/* Something is waiting for the port, not for the core. */
static inline bool rn_rxtx_backlog(const struct rn_rxtx *x)
{
	return x->nout > 0 || x->nloop > 0;
}
/* When the next held frame is due; RN_TIME_NEVER without one. */
static inline rn_time rn_rxtx_next(const struct rn_rxtx *x)
{
	return x->nheld > 0 ? x->held[0].when : RN_TIME_NEVER;
}

#endif
