/* The core's contract: a RoCEv2 NIC as a function of (packet, work request, time).
 *
 * A shard is all protocol state served by one thread. Every call below is made by that thread. `now` is
 * nanoseconds from any origin, never decreasing. No call blocks, allocates, locks or reads a clock: memory comes
 * with rn_shard_create() and with commands (struct rn_exec.mem), sized by rn_exec_bytes().
 *
 * One turn:  post* -> rx*, inbox* -> done -> exec* -> tick -> tx -> done -> events, outbox
 *
 * Receiving never sends: rx, post and tick only change state and record what is owed; tx alone gives birth to
 * packets. Queues, windows and the READ record hold (key, offset), never a pointer into application memory.
 */
#ifndef RN_CORE_H
#define RN_CORE_H

#include "flow/cc.h"
#include "memory/mr.h"
#include "wire/pkt.h"
#include "net/port_attr.h"
#include "rn/abi.h"
#include "base/secret.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_shard;

/* The only ways to application memory. `ptr` comes from the MR table just now. Return false on a fault (memory
 * unmapped, protected or truncated by the application): nothing may crash. `place` stores ascending, the last
 * bytes last, as one ordinary store after a barrier: a client may poll the last byte. The last two are one step to every
 * CPU; ptr is 8-byte aligned, *old is what was there. */
struct rn_mem_ops {
	bool (*gather)(void *dst, const void *ptr, size_t n);
	bool (*place)(void *ptr, const void *src, size_t n);
	bool (*cmp_swap)(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old);
	bool (*fetch_add)(void *ptr, uint64_t add, uint64_t *old);
};
extern const struct rn_mem_ops rn_mem_plain; /* no fault recovery: simulator and tests */

/* READs and atomics a QP can have in flight, in either direction: the largest max_rd_atomic and max_dest_rd_atomic. */
#define RN_MAX_RD_ATOMIC 16

struct rn_static_neigh {
	struct rn_gid addr;
	uint8_t mac[6];
};

/* Limits and timers; rn_core_defaults() fills it. */
struct rn_core_cfg {
	uint32_t index, nshards;   /* this shard, of how many */
	uint32_t max_qp;           /* QPs per shard */
	uint32_t max_cq;           /* CQ ids, NIC-wide, are below it */
	uint32_t max_srq;          /* SRQ ids likewise */
	uint32_t max_cm;           /* connections and listeners (shard 0) */
	uint32_t max_cm_requests;  /* of them half-open: asked for, and not confirmed; 0 = a quarter */
	uint32_t max_timewait;
	uint32_t max_neigh;
	uint32_t window_packets;   /* upper bound of unacknowledged packets per QP */
	uint32_t quota_packets;    /* packets one QP may send before the next gets its turn */
	uint8_t ack_timeout;       /* default local ACK timeout code */
	uint8_t retry_cnt, min_rnr_timer;
	uint8_t rnr_retry;         /* most that a peer may announce; 7 = anything */
	rn_time rto_floor, rto_initial;
	rn_time cm_response_timeout;   /* REQ/REP resend interval basis, ns */
	rn_time cm_wait_max;           /* so long do a peer's MRAs prolong an attempt; 0 = an hour */
	uint8_t cm_max_retries;
	uint8_t cm_patience;           /* code of the time an MRA asks for */
	rn_time neigh_retry, neigh_reachable;
	uint8_t neigh_probes;
	struct rn_secrets secrets; /* all zero until the caller fills them; the same for all shards of a NIC */
	const struct rn_static_neigh *static_neigh;
	uint32_t nstatic_neigh;
	struct rn_cc_cfg cc;       /* congestion control */
	bool credits;              /* end-to-end credits, both ways; off: as if nobody counted */
};

void rn_core_defaults(struct rn_core_cfg *cfg);

/* mrs: shared by all shards, owned by the caller, outlives them. */
struct rn_shard *rn_shard_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 struct rn_mr_table *mrs, const struct rn_mem_ops *mem, rn_time now);
void rn_shard_destroy(struct rn_shard *sh);
void rn_shard_port(struct rn_shard *sh, const struct rn_port_attr *port, rn_time now);
/* Its link has come up again: who we are is announced to those on it. Shard 0; nothing to others. */
void rn_shard_link_up(struct rn_shard *sh);
/* The port is no more. All QPs enter the error state, their requests complete as flushed; from now on nothing is sent,
 * no timer runs, no event comes, and only commands that end things succeed (rn_cmd_outlives_port). */
void rn_shard_port_gone(struct rn_shard *sh, rn_time now);
/* Does the command end something, so that it must succeed without a port too? The others answer -ENODEV then. */
bool rn_cmd_outlives_port(const struct rn_cmd *cmd);

/* asked: one work request, wqe->slots slots long, already copied out of the ring. Checks form only: unknown or
 * stale QPs are counted and dropped; a malformed request completes with an error. */
void rn_shard_post(struct rn_shard *sh, const struct rn_wqe *wqe, rn_time now);

/* learn: one packet that rn_frame_parse() accepted. Returns what became of it (already counted). */
enum rn_verdict rn_shard_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* count a frame that rn_frame_parse() refused */
void rn_shard_refused(struct rn_shard *sh, enum rn_verdict v);

/* A place for one frame. The core fills data[0..len), len <= cap, and sets `loop`, which is false when it is offered. */
struct rn_txbuf {
	uint8_t *data;
	uint32_t cap;
	uint32_t len;
	bool loop; /* to a group that has members on this NIC: to be received here as well as sent */
};
/* speak: up to n frames, complete with ICRC; returns how many were written, in sending order. */
unsigned rn_shard_tx(struct rn_shard *sh, struct rn_txbuf *bufs, unsigned n, rn_time now);
/* true when tx would produce something now (fewer bufs than wanted, or fresh work) */
bool rn_shard_wants_tx(const struct rn_shard *sh, rn_time now);

/* true when all that tx would produce are ACKs: they may wait a moment for something to leave with */
bool rn_shard_only_acks(const struct rn_shard *sh);

/* report: publishes the tails of all CQ rings written since the last call, one full fence, then fires armed CQs
 * as RN_EVENT_CQ events. True when there was something to publish. */
bool rn_shard_done(struct rn_shard *sh, rn_time now);

/* when? and it is */
rn_time rn_shard_next(const struct rn_shard *sh);
void rn_shard_tick(struct rn_shard *sh, rn_time now);

/* obey. mem: rn_exec_bytes() zeroed bytes, 64-byte aligned, for commands that make an object, else NULL.
 * On return, freed is a block of an object that died (to be freed by the caller), or NULL. */
struct rn_exec {
	const struct rn_cmd *cmd;
	struct rn_rsp *rsp;
	void *mem;
	void *freed;
};
size_t rn_exec_bytes(const struct rn_cmd *cmd, const struct rn_core_cfg *cfg);
void rn_shard_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now);

/* CQs exist NIC-wide; a shard learns of one with its first ring. Linking a ring behind an older one retires the
 * old for the producer at once. ring->size entries must be >= the sum of the depths of this shard's queues on that
 * CQ. Memory stays the caller's. Ring memory: rn_cq_ring_bytes(entries). */
void rn_shard_cq_link(struct rn_shard *sh, uint32_t cq_id, struct rn_cq_shared *shared, struct rn_cq_ring *ring,
		      uint64_t user);
void rn_shard_cq_unlink(struct rn_shard *sh, uint32_t cq_id); /* no QP uses it any more */
size_t rn_cq_ring_bytes(uint32_t entries);
void rn_cq_ring_init(struct rn_cq_ring *ring, uint32_t entries);

/* A window is to be unmade: rn_qp_forget_window() if the QP is one of this shard. key: any of its keys. */
void rn_shard_forget_window(struct rn_shard *sh, uint32_t key, uint32_t qpn);

/* SRQs exist NIC-wide too: a shard learns of one before its first QP on it. Memory and posting (srq.h) are the caller's. */
struct rn_srq;
void rn_shard_srq_link(struct rn_shard *sh, uint32_t srq_id, struct rn_srq *srq, uint64_t user);
void rn_shard_srq_unlink(struct rn_shard *sh, uint32_t srq_id); /* no QP uses it any more */

/* Multicast groups exist NIC-wide: every shard is told which shards have members (bit i: shard i; 0: none any more), at most
 * RN_GROUPS (mcast.h) at a time. Members come and go with ATTACH_GROUP and DETACH_GROUP. */
void rn_shard_group(struct rn_shard *sh, const struct rn_gid *gid, uint32_t shards);
/* Has this shard members? */
bool rn_shard_group_here(const struct rn_shard *sh, const struct rn_gid *gid);
/* Where the port hands packets to a group: as above, 0 when nobody is in it. */
uint32_t rn_shard_group_shards(const struct rn_shard *sh, const struct rn_gid *gid);

/* tell: events for clients, oldest first. */
unsigned rn_shard_events(struct rn_shard *sh, struct rn_event *ev, unsigned n);

/* What has happened for people to know (news.h), oldest first; false: nothing more. Take all at the end of each turn. */
struct rn_news;
bool rn_shard_news(struct rn_shard *sh, struct rn_news *news);

/* Messages between shards of one NIC, carried by the port in order with handed-off packets. */
struct rn_msg {
	uint32_t to;   /* shard index, RN_MSG_ALL = every other shard */
	uint32_t kind; /* enum rn_msg_kind */
	uint32_t qpn;
	uint32_t arg;
	struct rn_gid gid;
	uint8_t mac[6];
};
#define RN_MSG_ALL UINT32_MAX
enum rn_msg_kind { RN_MSG_COMM_EST, RN_MSG_NEIGH, RN_MSG_DOUBT };
unsigned rn_shard_outbox(struct rn_shard *sh, struct rn_msg *m, unsigned n);
void rn_shard_inbox(struct rn_shard *sh, const struct rn_msg *m, rn_time now);

/* The shard that owns a QPN: where the port hands a packet off to. QPN 1 belongs to shard 0. */
static inline uint32_t rn_qpn_shard(uint32_t qpn, uint32_t nshards)
{
	return qpn < 2 ? 0 : qpn % nshards;
}

/* Counters: the verdict table, then the rows of RN_STAT_ROWS (stats.h). */
struct rn_stats;
const struct rn_stats *rn_shard_stats(const struct rn_shard *sh);

/* Nothing left? For teardown tests: live QPs, timers, owed replies, windows, CM ids; 0 when empty. */
unsigned rn_shard_leftovers(const struct rn_shard *sh);

#endif
