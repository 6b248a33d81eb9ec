/* The simulator: NICs made of bare shards, joined by links with seeded impairments, under virtual time.
 *
 * A sim owns nodes (one shard, one MR table, one arena of registered memory each), a link per direction, and a
 * heap of frames in flight. Nothing here reads a clock: time jumps to the next arrival or timer. Every run is a
 * function of its spec and seed.
 */
#ifndef SIM_H
#define SIM_H

#include <stdio.h>

#include "shard/core.h"
#include "wire/frame.h"
#include "base/impair.h"
#include "base/rng.h"

#define SIM_NODES     2
#define SIM_ARENA     (16u << 20)
#define SIM_FRAME_MAX 9216
#define SIM_CQ_SIZE   8192
#define SIM_MAX_QP    64
#define SIM_PD        1u
#define SIM_QKEY      0x01234567u /* of UD QPs */

/* One direction. Delays alone never reorder; impair.reorder_ppm does. */
struct sim_link_spec {
	struct rn_impair impair;
	uint64_t rate; /* bits per second, 0 = infinite */
	/* The receiver is away for `nap` of every `nap_every`: what arrives meanwhile is seen when it is back. */
	rn_time nap, nap_every;
};

struct sim_spec {
	uint64_t seed;
	struct sim_link_spec link[SIM_NODES]; /* link[i]: frames sent by node i */
	bool ipv6;
	bool vlan;
	uint32_t first_psn;   /* both directions; requests of node i start at first_psn + i * 1000 */
	uint8_t path_mtu;     /* enum 1..5 */
	uint8_t retry_cnt, rnr_retry, timeout, min_rnr_timer;
	uint8_t rd_atomic;    /* read depth, both sides */
	uint32_t sq_depth, rq_depth;
	unsigned qps;
	const struct rn_mem_ops *mem; /* NULL = rn_mem_plain */
	uint32_t quota, window;       /* packets; 0 = the core's defaults */
	uint32_t access;              /* remote rights of the QPs */
	bool two_shards;              /* node 1 has two; QP i lives on shard i % 2 */
	uint8_t type;                 /* enum rn_qp_type */
	bool credits;                 /* end-to-end credits, both nodes */
	const struct rn_cc_cfg *cc;   /* NULL = the core's defaults */
	uint32_t srq_depth;           /* node 1's QPs share one queue of receives this deep, 0 = each has its own */
	unsigned foreign;             /* QP of this number belongs to the protection domain SIM_PD + 1; 0 = none */
};

/* Decides about one frame before the seeded impairments do; NULL = none. Return false to drop it. */
struct sim;
typedef bool (*sim_filter)(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg);

struct sim_qp {
	uint32_t qpn, gen;
	struct rn_qp_shared *shared;
	bool live;
	uint32_t sq_posted, rq_posted;
};

struct sim_node {
	struct rn_shard *shard;
	struct rn_shard *second;  /* NULL: one shard */
	struct rn_mr_table *mrs;
	struct rn_port_attr port;
	struct rn_core_cfg cfg;
	uint64_t seed; /* of its secrets */
	uint8_t *arena;
	uint32_t lkey, rkey;
	struct rn_cq_shared *cq_shared;
	struct rn_cq_ring *cq, *second_cq;
	struct rn_srq *srq;       /* NULL: none */
	struct sim_qp qp[SIM_MAX_QP];
	rn_time link_free; /* when the last frame of this node has left the wire */
	rn_time last_arrival;
	uint64_t frames, dropped, duplicated, reordered, corrupted;
	uint64_t injected; /* frames that reached this node */
	uint64_t arrived;  /* those of them that came over the link */
};

struct sim_frame;

struct sim {
	struct sim_spec spec;
	struct sim_node node[SIM_NODES];
	struct rn_rng rng;
	rn_time now;
	uint64_t seq;
	struct sim_frame **heap;
	unsigned nheap, capheap;
	sim_filter filter;
	void *filter_arg;
	FILE *log;            /* transcript, NULL = none */
	FILE *pcap;           /* every frame a shard sends, before it is lost or damaged (record.h); NULL = none */
	uint32_t verdicts[RN_V_COUNT]; /* summed over nodes, at the receiver */
	/* events that arrived, oldest first */
	struct rn_event *events[SIM_NODES];
	unsigned nevents[SIM_NODES], capevents[SIM_NODES];
};

void sim_spec_default(struct sim_spec *spec);
void sim_init(struct sim *sim, const struct sim_spec *spec);
/* Destroys all; returns what was left over (0 = nothing). */
unsigned sim_fini(struct sim *sim);

/* QP i of both nodes, connected to each other by MODIFY_QP, without CM. */
void sim_connect(struct sim *sim, unsigned i);
/* The process of a node with one shard dies and another takes its place: same port, memory and keys, nothing else. */
void sim_restart(struct sim *sim, unsigned node, uint64_t seed);
/* The two halves: both ends in RTR, then one end in RTS (from SQD and SQE too). */
void sim_connect_rtr(struct sim *sim, unsigned i);
void sim_rts(struct sim *sim, unsigned node, unsigned i);
void sim_destroy_qp(struct sim *sim, unsigned node, unsigned i);
/* CREATE_QP and INIT only. */
void sim_create_qp(struct sim *sim, unsigned node, unsigned i);
int sim_modify(struct sim *sim, unsigned node, unsigned i, uint32_t mask, const struct rn_qp_attr *attr);
void sim_exec(struct sim *sim, unsigned node, const struct rn_cmd *cmd, struct rn_rsp *rsp);

struct sim_op {
	enum rn_wqe_kind kind;
	unsigned flags;
	uint64_t wr_id;
	uint64_t local;   /* offset in the own arena */
	uint64_t remote;  /* offset in the peer's arena: WRITE, READ; in the own one: BIND */
	uint32_t length;
	uint32_t rkey;    /* 0 = the peer's arena; BIND, INVALIDATE: the window's key */
	uint32_t lkey;    /* 0 = the own arena */
	uint32_t access;  /* BIND: of `length` bytes */
	uint32_t imm;     /* SEND_IMM, WRITE_IMM; SEND_INVAL: the key */
	struct rn_atomic atomic;
	const struct rn_ud *ud; /* SENDs of UD; NULL = sim_ud() */
};
/* From a node's QP i to that of the other node. */
struct rn_ud sim_ud(const struct sim *sim, unsigned node, unsigned i);
/* Has a QP join or leave a group. */
void sim_group(struct sim *sim, unsigned node, unsigned i, bool join, const struct rn_gid *gid);
void sim_post(struct sim *sim, unsigned node, unsigned qp, const struct sim_op *op);

/* A receive into node 1's shared queue; the caller counts. */
void sim_post_shared(struct sim *sim, const struct sim_op *op);
void sim_grow_shared(struct sim *sim, uint32_t depth);
/* Counters of a node, all shards. */
struct rn_stats;
void sim_stats(const struct sim_node *node, struct rn_stats *sum);

/* One completion, if there is one. */
bool sim_poll(struct sim *sim, unsigned node, struct rn_cqe *cqe);
/* An event of this kind, removed from the queue, if there is one. */
bool sim_event(struct sim *sim, unsigned node, unsigned kind, struct rn_event *ev);

/* One step: all that is due now, then time jumps to what comes next. False when nothing will ever happen, or nothing
 * before `until`; then now == until if until is finite. */
bool sim_step(struct sim *sim, rn_time until);
void sim_run(struct sim *sim, rn_time until);
/* Lets both nodes speak until they have nothing to say at this instant. */
void sim_settle(struct sim *sim);
/* At most max frames of one node; completions and events are published. Returns how many were sent. */
unsigned sim_speak(struct sim *sim, unsigned node, unsigned max);
/* The node a frame in flight is for. */
unsigned sim_frame_to(const struct sim_frame *frame);
/* Injects a frame into a node as if it had arrived. */
enum rn_verdict sim_inject(struct sim *sim, unsigned node, const uint8_t *frame, uint32_t len);

#endif
