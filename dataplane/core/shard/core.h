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

#include "ground/core_cfg.h"
#include "ground/msg.h"
#include "ground/txbuf.h"
#include "memory/mem_ops.h"
#include "memory/mr.h"
#include "wire/pkt.h"
#include "net/port_attr.h"
#include "queue/cq.h"
#include "rn/abi.h"
#include "base/secret.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_shard;

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

/* Messages for other shards (msg.h). */
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
