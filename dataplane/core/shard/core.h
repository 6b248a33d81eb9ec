/* The interface of the core: a RoCEv2 NIC as a function of (packet, work request, time).
 *
 * A shard is all protocol state that one thread serves. That thread makes every call below. `now`
 * is in nanoseconds from any origin, and never decreases. Once the shard is created, no call
 * blocks, allocates, locks or reads a clock.
 *
 * One poll iteration, where `post` stands for rn_shard_post() and so on, and * for any number of
 * calls:
 *	post* -> rx*, inbox* -> done -> exec* -> tick -> tx -> done -> events, outbox
 *
 * Receiving never sends: rx, post and tick only change state and record which packets are due. Only
 * tx builds packets. Queues, memory windows and records of READs hold (key, offset), never a
 * pointer into application memory. */
#ifndef RN_CORE_H
#define RN_CORE_H

#include "ground/rx_shard.h"
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

/* Creates a shard. `mrs` is the table of memory regions, which all shards share. The caller owns
 * the table and destroys it after all shards. Returns NULL if there is no memory. */
struct rn_shard *rn_shard_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 struct rn_mr_table *mrs, const struct rn_mem_ops *mem,
				 rn_time now);
void rn_shard_destroy(struct rn_shard *sh);
/* To be called after a change of the port's addresses, MAC, MTU or VLAN. Rebuilds the headers of
 * connected QPs. */
void rn_shard_port(struct rn_shard *sh, const struct rn_port_attr *port, rn_time now);
/* To be called when the DPDK port has its link up again. Shard 0 announces the port's addresses to
 * its neighbours. The call has no effect on other shards. */
void rn_shard_link_up(struct rn_shard *sh);
/* To be called when the DPDK port no longer exists. All QPs except those in RESET enter the error
 * state, and their work requests complete as flushed. From now on the shard sends nothing, runs no
 * timer and reports no event. Only the commands of rn_cmd_outlives_port() succeed. */
void rn_shard_port_gone(struct rn_shard *sh, rn_time now);
/* Must this command succeed without a DPDK port? Without a port, all other commands fail with
 * -ENODEV. The function returns true for:
 * - commands that destroy, detach or deregister something
 * - the transition of a QP to ERR
 * - queries of the port and of statistics */
bool rn_cmd_outlives_port(const struct rn_cmd *cmd);

/* post: takes one work request of wqe->slots slots, which the caller has copied out of the
 * submission ring. A work request for an unknown or former QP is counted and dropped. A malformed
 * work request completes with an error. */
void rn_shard_post(struct rn_shard *sh, const struct rn_wqe *wqe, rn_time now);
/* post, for a work request that its queue takes. Has the same effect as rn_shard_post() then, and
 * returns true. Otherwise (the QP is unknown, its state permits no such work request, or the queue
 * is full) returns false without any effect. *wqe must not change during the call. */
bool rn_shard_take(struct rn_shard *sh, const struct rn_wqe *wqe);
/* rn_shard_take() for a request and for a receive of one slot and one SGE. Return false, without
 * any effect, for any other; rn_shard_take() then decides. */
bool rn_shard_take_request(struct rn_shard *sh, const struct rn_wqe *wqe);
bool rn_shard_take_receive(struct rn_shard *sh, const struct rn_wqe *wqe);
/* rn_shard_take() for a list of n work requests of one QP, either receives only or no receives;
 * each begins behind the last slot of the one before. Ends with the first one that is not taken.
 * Returns how many were taken. */
uint32_t rn_shard_take_list(struct rn_shard *sh, const struct rn_wqe *wqe, uint32_t n);

/* rx: processes one packet that rn_frame_parse() accepted. Counts and returns the verdict. */
enum rn_verdict rn_shard_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* To be called for a packet that another shard has received and handed over, after rn_shard_rx()
 * has returned v. If a QP with one peer (RC or UC) has accepted the packet from this peer, returns
 * how many such packets the QP has got since it was connected. Returns 0 for other packets. */
uint32_t rn_shard_detour(struct rn_shard *sh, const struct rn_pkt *pkt, enum rn_verdict v);
/* rx without parsing, for ordinary packets (qp/short_rx.h) to RC QPs of this shard. Processes such
 * a packet with the same effect as rn_frame_parse() and rn_shard_rx(), sets *v to the verdict,
 * counts the verdict and returns true. Returns false, without any effect, for any other frame. */
bool rn_shard_rx_short(struct rn_shard *sh, const uint8_t *frame, uint32_t len, enum rn_verdict *v,
		       rn_time now);
/* Counts a frame that rn_frame_parse() refused with verdict v. */
void rn_shard_refused(struct rn_shard *sh, enum rn_verdict v);

/* The shard keeps packets that arrive ahead of a lost one. With rn_core_cfg.lent_frames it keeps
 * their frames where they are, in buffers of the caller. After each burst of frames, and before the
 * caller frees any buffer of the burst:
 * 1. rn_shard_keeps() tells whether the shard has kept a frame of the burst, or no longer needs a
 *    buffer that it has kept before. If neither, the other steps may be left out.
 * 2. rn_shard_hold(), for each frame of the burst in the order of the calls of rx, returns true
 *    if the shard now owns the frame's buffer. With `buffer` NULL, the shard copies what it needs,
 *    and the result is false.
 * 3. rn_shard_settle() copies what the shard needs of all other frames.
 * 4. rn_shard_give_back() moves up to n buffers that the caller owns again to `buffers`, and
 *    returns their number. Called until it returns 0.
 * The shard holds at most rn_core_cfg.keep_packets buffers. */
bool rn_shard_keeps(const struct rn_shard *sh);
bool rn_shard_hold(struct rn_shard *sh, const uint8_t *frame, void *buffer);
void rn_shard_settle(struct rn_shard *sh);
unsigned rn_shard_give_back(struct rn_shard *sh, void **buffers, unsigned n);
/* Makes rn_shard_give_back() give all buffers back. To be called before rn_shard_destroy(); between
 * the two, the shard must not be used in any other way. */
void rn_shard_abandon(struct rn_shard *sh);

/* tx: builds up to n frames, each with its ICRC. Returns the number of frames built, which are in
 * sending order. */
unsigned rn_shard_tx(struct rn_shard *sh, struct rn_txbuf *bufs, unsigned n, rn_time now);
/* True when rn_shard_tx() may have a frame to build now: there is new work, or the last call had
 * too few buffers. */
bool rn_shard_wants_tx(const struct rn_shard *sh, rn_time now);

/* True when rn_shard_tx() would build only ACKs. The caller may then delay the call a little, so
 * that the ACKs leave together with other packets. */
bool rn_shard_only_acks(const struct rn_shard *sh);

/* done: publishes the tail of each CQ ring that was written to since the last call. Then executes a
 * full fence and records an RN_EVENT_CQ event for each of these CQs that is armed. Returns true if
 * there was a tail to publish. */
bool rn_shard_done(struct rn_shard *sh, rn_time now);

/* rn_shard_next() returns when the next timer expires, or RN_TIME_NEVER if no timer runs. At that
 * time rn_shard_tick() is to be called. */
rn_time rn_shard_next(const struct rn_shard *sh);
void rn_shard_tick(struct rn_shard *sh, rn_time now);

/* exec: executes one command. A command that creates an object may need memory, which the caller
 * passes in `mem`: rn_exec_bytes() bytes of any content, 64-byte aligned. For other commands `mem`
 * is NULL.
 * After a command that destroyed an object, `freed` is the memory of the object, which the caller
 * frees. After other commands `freed` is NULL. */
struct rn_exec {
	const struct rn_cmd *cmd;
	struct rn_rsp *rsp;
	void *mem;
	void *freed;
};
size_t rn_exec_bytes(const struct rn_cmd *cmd, const struct rn_core_cfg *cfg);
void rn_shard_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now);

/* Gives this shard a ring for a CQ, which serves the whole NIC. From then on the shard writes its
 * CQEs of this CQ into `ring`. A later call for the same CQ replaces the ring.
 * ring->size must be at least the sum of the depths of this shard's queues on the CQ. The caller
 * owns the memory of the ring, rn_cq_ring_bytes(ring->size) bytes. */
void rn_shard_cq_link(struct rn_shard *sh, uint32_t cq_id, struct rn_cq_shared *shared,
		      struct rn_cq_ring *ring, uint64_t user);
/* To be called when no QP of this shard uses the CQ any more. */
void rn_shard_cq_unlink(struct rn_shard *sh, uint32_t cq_id);

/* To be called when a memory window is destroyed. Calls rn_qp_unbind_window() for the QP `qpn` if
 * this shard has that QP. `key` may be any of the window's keys. */
void rn_shard_unbind_window(struct rn_shard *sh, uint32_t key, uint32_t qpn);

/* A shared receive queue, which serves the whole NIC. The caller calls rn_shard_srq_link() for a
 * shard before the first QP of that shard uses the SRQ. The caller owns the memory of the SRQ and
 * posts the receives (srq.h). */
struct rn_srq;
void rn_shard_srq_link(struct rn_shard *sh, uint32_t srq_id, struct rn_srq *srq, uint64_t user);
/* To be called when no QP of this shard uses the SRQ any more. */
void rn_shard_srq_unlink(struct rn_shard *sh, uint32_t srq_id);

/* Tells this shard which shards have members of a multicast group. Bit i of `shards` stands for
 * shard i; 0 means that no shard has members any more. The caller calls this function for every
 * shard, and keeps the number of groups within RN_GROUPS (mcast.h). Members are added and removed
 * by the commands ATTACH_GROUP and DETACH_GROUP. */
void rn_shard_group(struct rn_shard *sh, const struct rn_gid *gid, uint32_t shards);
/* Does this shard have members of the multicast group? */
bool rn_shard_group_here(const struct rn_shard *sh, const struct rn_gid *gid);
/* Returns the shards to which the caller hands packets for this multicast group (bit i: shard i).
 * Returns 0 if no shard has members. */
uint32_t rn_shard_group_shards(const struct rn_shard *sh, const struct rn_gid *gid);

/* Moves up to n events for clients to ev, oldest first within each kind of object. Returns the
 * number of events moved. */
unsigned rn_shard_events(struct rn_shard *sh, struct rn_event *ev, unsigned n);

/* Returns true if rn_shard_events() and rn_shard_news() have nothing to report. */
bool rn_shard_silent(const struct rn_shard *sh);

/* An entry for the log (news.h). rn_shard_news() moves the oldest entry to *news, or returns false
 * if there is no entry. The caller takes all entries at the end of each poll iteration. */
struct rn_news;
bool rn_shard_news(struct rn_shard *sh, struct rn_news *news);

/* outbox and inbox: messages to and from other shards (msg.h). rn_shard_outbox() moves up to n
 * messages to m and returns the number of messages moved. rn_shard_inbox() processes one
 * message. */
unsigned rn_shard_outbox(struct rn_shard *sh, struct rn_msg *m, unsigned n);
void rn_shard_inbox(struct rn_shard *sh, const struct rn_msg *m, rn_time now);

/* The counters of a shard: the verdict table, then the rows of RN_STAT_ROWS (stats.h). Returned by
 * rn_shard_stats(). */
struct rn_stats;
const struct rn_stats *rn_shard_stats(const struct rn_shard *sh);

/* Returns the number of objects that still exist: QPs, queued sends, owed replies, timers and CM
 * ids. Tests check that the number is 0 after a teardown. */
unsigned rn_shard_leftovers(const struct rn_shard *sh);

#endif
