/* The core's contract: a RoCEv2 NIC as a function of (packet, work request, time).
 *
 * A shard is all protocol state served by one thread. That thread makes every call below. `now` is
 * in nanoseconds from any origin, and never decreases. Once the shard is created, no call blocks,
 * allocates, locks or reads a clock. A command that creates an object brings the memory for the
 * object (struct rn_exec.mem); rn_exec_bytes() returns its size.
 *
 * One poll iteration (`post` stands for rn_shard_post() and so on, * for any number of calls):
 *	post* -> rx*, inbox* -> done -> exec* -> tick -> tx -> done -> events, outbox
 *
 * Receiving never sends: rx, post and tick only change state and record what is owed; tx alone
 * builds packets. Queues, memory windows and records of READs hold (key, offset), never a pointer
 * into application memory. */
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

/* Creates a shard. mrs: the table of memory regions, which all shards share. The caller owns this
 * table and destroys it only after all shards. Returns NULL if there is no memory. */
struct rn_shard *rn_shard_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 struct rn_mr_table *mrs, const struct rn_mem_ops *mem,
				 rn_time now);
void rn_shard_destroy(struct rn_shard *sh);
/* To be called after a change of the port's attributes (addresses, MAC, MTU, VLAN): rebuilds the
 * headers of connected QPs. */
void rn_shard_port(struct rn_shard *sh, const struct rn_port_attr *port, rn_time now);
/* To be called when the link of the port is up again. Shard 0 announces the port's addresses to its
 * neighbours; the call has no effect on other shards. */
void rn_shard_link_up(struct rn_shard *sh);
/* To be called when the port no longer exists. All QPs except those in RESET enter the error state,
 * and their requests complete as flushed. From now on nothing is sent, no timer runs, no event is
 * reported, and only the commands of rn_cmd_outlives_port() succeed. */
void rn_shard_port_gone(struct rn_shard *sh, rn_time now);
/* True for the commands that must succeed without a port: those that destroy, detach or deregister
 * something, the transition of a QP to ERR, and queries of the port and of statistics. Without a
 * port all others fail with -ENODEV. */
bool rn_cmd_outlives_port(const struct rn_cmd *cmd);

/* post: takes one work request of wqe->slots slots. The caller has copied the request out of the
 * submission ring. A request for an unknown or former QP is counted and dropped; a malformed
 * request completes with an error. */
void rn_shard_post(struct rn_shard *sh, const struct rn_wqe *wqe, rn_time now);

/* rx: processes one packet that rn_frame_parse() accepted. Returns the verdict, which has been
 * counted. */
enum rn_verdict rn_shard_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* Counts a frame that rn_frame_parse() refused with verdict v. */
void rn_shard_refused(struct rn_shard *sh, enum rn_verdict v);

/* tx: builds up to n frames, complete with ICRC. Returns how many were built, in sending order. */
unsigned rn_shard_tx(struct rn_shard *sh, struct rn_txbuf *bufs, unsigned n, rn_time now);
/* True when rn_shard_tx() may have a frame to build now: the last call had too few buffers, or
 * there is new work. */
bool rn_shard_wants_tx(const struct rn_shard *sh, rn_time now);

/* True when rn_shard_tx() would build only ACKs. The caller may then delay the call a little, so
 * that the ACKs leave together with other packets. */
bool rn_shard_only_acks(const struct rn_shard *sh);

/* done: publishes the tail of each CQ ring that was written to since the last call. Then, behind a
 * full fence, it checks which of these CQs are armed, and records an RN_EVENT_CQ event for each
 * armed CQ. Returns true when there was a tail to publish. */
bool rn_shard_done(struct rn_shard *sh, rn_time now);

/* rn_shard_next() returns when the next timer expires (RN_TIME_NEVER: none). rn_shard_tick() is to
 * be called then. */
rn_time rn_shard_next(const struct rn_shard *sh);
void rn_shard_tick(struct rn_shard *sh, rn_time now);

/* exec: executes one command. `mem` is NULL unless the command creates an object that needs memory:
 * then it points to rn_exec_bytes() bytes of any content, 64-byte aligned. On return `freed` is
 * NULL unless the command destroyed an object: then it is the memory of that object, and the caller
 * frees it. */
struct rn_exec {
	const struct rn_cmd *cmd;
	struct rn_rsp *rsp;
	void *mem;
	void *freed;
};
size_t rn_exec_bytes(const struct rn_cmd *cmd, const struct rn_core_cfg *cfg);
void rn_shard_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now);

/* A CQ serves the whole NIC. A shard can use the CQ once the caller has linked a ring for the CQ to
 * this shard. If the shard has a ring for the CQ already, it writes all further completions to the
 * new ring. ring->size must be at least the sum of the depths of this shard's queues on that CQ.
 * The caller owns the memory of the ring, rn_cq_ring_bytes(entries) bytes. */
void rn_shard_cq_link(struct rn_shard *sh, uint32_t cq_id, struct rn_cq_shared *shared,
		      struct rn_cq_ring *ring, uint64_t user);
/* To be called when no QP of this shard uses the CQ any more. */
void rn_shard_cq_unlink(struct rn_shard *sh, uint32_t cq_id);

/* To be called on destruction of a memory window: calls rn_qp_unbind_window() if the QP belongs to
 * this shard. `key` may be any of the window's keys. */
void rn_shard_unbind_window(struct rn_shard *sh, uint32_t key, uint32_t qpn);

/* An SRQ serves the whole NIC. The caller links it to a shard with rn_shard_srq_link() before the
 * first QP of that shard uses it. The caller owns the memory of the SRQ and posts its receives
 * (srq.h). */
struct rn_srq;
void rn_shard_srq_link(struct rn_shard *sh, uint32_t srq_id, struct rn_srq *srq, uint64_t user);
/* To be called when no QP of this shard uses the SRQ any more. */
void rn_shard_srq_unlink(struct rn_shard *sh, uint32_t srq_id);

/* A multicast group exists for the whole NIC. The caller tells every shard which shards have
 * members of the group: bit i of `shards` stands for shard i, and 0 means that no shard has members
 * any more. The caller keeps the number of groups within RN_GROUPS (mcast.h). This call adds and
 * removes no members; the commands ATTACH_GROUP and DETACH_GROUP do that. */
void rn_shard_group(struct rn_shard *sh, const struct rn_gid *gid, uint32_t shards);
/* Does this shard have members of the group? */
bool rn_shard_group_here(const struct rn_shard *sh, const struct rn_gid *gid);
/* Returns the shards to which the caller hands packets for this group (bit i: shard i), or 0 if no
 * shard has members. */
uint32_t rn_shard_group_shards(const struct rn_shard *sh, const struct rn_gid *gid);

/* Moves up to n events for clients to ev, oldest first within each kind of object. Returns how
 * many. */
unsigned rn_shard_events(struct rn_shard *sh, struct rn_event *ev, unsigned n);

/* rn_shard_news() moves the oldest entry for the log to *news (news.h). It returns false if there
 * is none. The caller takes all entries at the end of each poll iteration. */
struct rn_news;
bool rn_shard_news(struct rn_shard *sh, struct rn_news *news);

/* Messages to (outbox) and from (inbox) other shards (msg.h). rn_shard_outbox() moves up to n
 * messages to m and returns how many. */
unsigned rn_shard_outbox(struct rn_shard *sh, struct rn_msg *m, unsigned n);
void rn_shard_inbox(struct rn_shard *sh, const struct rn_msg *m, rn_time now);

/* Returns the shard that owns a QPN; dataplane/port hands packets for the QPN to this shard. QPN 0
 * and 1 belong to shard 0. */
static inline uint32_t rn_qpn_shard(uint32_t qpn, uint32_t nshards)
{
	return qpn < 2 ? 0 : qpn % nshards;
}

/* rn_shard_stats() returns the shard's counters: the verdict table, then the rows of RN_STAT_ROWS
 * (stats.h). */
struct rn_stats;
const struct rn_stats *rn_shard_stats(const struct rn_shard *sh);

/* Number of objects that still exist: QPs, queued sends, owed replies, timers, CM ids. Tests check
 * that it is 0 after a teardown. */
unsigned rn_shard_leftovers(const struct rn_shard *sh);

#endif
