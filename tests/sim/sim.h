/* The simulator: NICs made of bare shards, joined by links with seeded impairments, under virtual
 * time.
 *
 * A sim owns two nodes (each with one shard, one MR table and one arena of registered memory), one
 * link per direction, and a heap of frames in flight. Nothing here reads a clock: time jumps to the
 * next arrival or timer. Every run is a function of its spec and seed. */
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
#define SIM_PD	      1u
#define SIM_QKEY      0x01234567u /* Q_Key of all UD QPs */

/* One direction of the link. Delays never reorder frames; only impair.reorder_ppm does. */
struct sim_link_spec {
	struct rn_impair impair;
	uint64_t rate; /* bits per second, 0 = infinite */
	/* The receiver does not poll for `nap` of every `nap_every`; it sees frames that arrive
	 * meanwhile at the end of the nap. */
	rn_time nap, nap_every;
};

struct sim_spec {
	uint64_t seed;
	struct sim_link_spec link[SIM_NODES]; /* link[i]: frames sent by node i */
	bool ipv6;
	bool vlan;
	uint32_t first_psn; /* requests of node i start at first_psn + i * 1000 */
	uint8_t path_mtu;   /* code 1..5 */
	uint8_t retry_cnt, rnr_retry, timeout, min_rnr_timer;
	uint8_t rd_atomic; /* max_rd_atomic of both sides */
	uint32_t sq_depth, rq_depth;
	unsigned qps;
	const struct rn_mem_ops *mem; /* NULL = rn_mem_plain */
	uint32_t quota, window;	      /* packets; 0 = the core's defaults */
	uint32_t access;	      /* enum rn_access: remote rights of the QPs */
	bool two_shards;	      /* node 1 has two shards; QP i is on shard i % 2 */
	uint8_t type;		      /* enum rn_qp_type */
	bool credits;		      /* end-to-end credits on both nodes */
	const struct rn_cc_cfg *cc;   /* NULL = the core's defaults */
	/* depth of node 1's shared receive queue; 0 = each QP has its own */
	uint32_t srq_depth;
	/* the QP with this number is in protection domain SIM_PD + 1; 0 = none */
	unsigned foreign;
};

/* A filter that sees each frame before the impairments; false drops the frame. NULL = no filter. */
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
	struct rn_shard *second; /* second shard, or NULL */
	struct rn_mr_table *mrs;
	struct rn_port_attr port;
	struct rn_core_cfg cfg;
	uint64_t seed; /* seed of the node's secrets */
	uint8_t *arena;
	uint32_t lkey, rkey;
	struct rn_cq_shared *cq_shared;
	struct rn_cq_ring *cq, *second_cq;
	struct rn_srq *srq; /* shared receive queue, or NULL */
	struct sim_qp qp[SIM_MAX_QP];
	rn_time link_free; /* time when the link has sent this node's last frame */
	rn_time last_arrival;
	uint64_t frames, dropped, duplicated, reordered, corrupted;
	uint64_t injected; /* frames that reached this node */
	uint64_t arrived;  /* number of them that came over the link */
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
	FILE *log; /* transcript, NULL = none */
	/* NULL = none; gets every frame a shard sends before loss or damage (record.h) */
	FILE *pcap;
	uint32_t verdicts[RN_V_COUNT]; /* sum of the verdicts of both nodes */
	/* events of each node, oldest first */
	struct rn_event *events[SIM_NODES];
	unsigned nevents[SIM_NODES], capevents[SIM_NODES];
};

void sim_spec_default(struct sim_spec *spec);
void sim_init(struct sim *sim, const struct sim_spec *spec);
/* Destroys everything. Returns the number of objects that were not released (0 = none). */
unsigned sim_fini(struct sim *sim);

/* Creates QP i on both nodes and connects the two by MODIFY_QP, without the CM. */
void sim_connect(struct sim *sim, unsigned i);
/* Replaces the shard of a one-shard node, as if its process had died and another started: with the
 * same port, memory and keys but no other state. */
void sim_restart(struct sim *sim, unsigned node, uint64_t seed);
/* sim_connect() in two parts: both ends to RTR, then one end to RTS (also from SQD and SQE). */
void sim_connect_rtr(struct sim *sim, unsigned i);
void sim_rts(struct sim *sim, unsigned node, unsigned i);
void sim_destroy_qp(struct sim *sim, unsigned node, unsigned i);
/* Only creates the QP and moves it to INIT. */
void sim_create_qp(struct sim *sim, unsigned node, unsigned i);
int sim_modify(struct sim *sim, unsigned node, unsigned i, uint32_t mask,
	       const struct rn_qp_attr *attr);
void sim_exec(struct sim *sim, unsigned node, const struct rn_cmd *cmd, struct rn_rsp *rsp);

struct sim_op {
	enum rn_wqe_kind kind;
	unsigned flags;
	uint64_t wr_id;
	uint64_t local;	 /* offset in the node's own arena */
	uint64_t remote; /* WRITE, READ: offset in the peer's arena; BIND: in the own one */
	uint32_t length;
	uint32_t rkey;	 /* 0 = the peer's arena; BIND, INVALIDATE: the window's key */
	uint32_t lkey;	 /* 0 = the own arena */
	uint32_t access; /* BIND: rights for `length` bytes */
	uint32_t imm;	 /* immediate data; SEND_INVAL: the key to invalidate */
	struct rn_atomic atomic;
	const struct rn_ud *ud; /* destination of a SEND on a UD QP; NULL = sim_ud() */
};
/* The destination for datagrams from a node's QP i to QP i of the other node. */
struct rn_ud sim_ud(const struct sim *sim, unsigned node, unsigned i);
/* Attaches a QP to a multicast group or detaches it. */
void sim_group(struct sim *sim, unsigned node, unsigned i, bool join, const struct rn_gid *gid);
void sim_post(struct sim *sim, unsigned node, unsigned qp, const struct sim_op *op);

/* Posts a receive to node 1's shared queue. The caller ensures that there is room. */
void sim_post_shared(struct sim *sim, const struct sim_op *op);
void sim_grow_shared(struct sim *sim, uint32_t depth);
/* The sum of the counters of a node's shards. */
struct rn_stats;
void sim_stats(const struct sim_node *node, struct rn_stats *sum);

/* Takes one completion. Returns false if there is none. */
bool sim_poll(struct sim *sim, unsigned node, struct rn_cqe *cqe);
/* Removes the oldest event of this kind from the queue. Returns false if there is none. */
bool sim_event(struct sim *sim, unsigned node, unsigned kind, struct rn_event *ev);

/* One step: does everything that is due, then moves the time on to the next event. Returns false
 * when nothing will happen before `until`; then now == until if `until` is finite. */
bool sim_step(struct sim *sim, rn_time until);
void sim_run(struct sim *sim, rn_time until);
/* Lets both nodes send until neither has a frame to send at this instant. */
void sim_settle(struct sim *sim);
/* Lets one node send at most max frames and publish completions and events. Returns the number of
 * frames. */
unsigned sim_speak(struct sim *sim, unsigned node, unsigned max);
/* The node to which a frame in flight is addressed. */
unsigned sim_frame_to(const struct sim_frame *frame);
/* Injects a frame into a node as if it had arrived. */
enum rn_verdict sim_inject(struct sim *sim, unsigned node, const uint8_t *frame, uint32_t len);

#endif
