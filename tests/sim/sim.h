/* The simulator: NICs that consist of shards without threads, under virtual time. Links join the
 * NICs and lose, duplicate, reorder, corrupt and delay frames.
 *
 * A sim owns two nodes, one link per direction, and a heap of frames in flight. A node has one
 * shard (node 1 optionally two), one MR table and one arena of registered memory. No function reads
 * a clock: virtual time jumps to the next arrival or timer. The spec, with its seed, determines
 * every run. */
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

/* One direction of the link. Frames arrive in order unless impair.reorder_ppm is set. */
struct sim_link_spec {
	struct rn_impair impair;
	uint64_t rate; /* in bits per second; 0 = infinite */
	/* Each nap is a time in which the receiving node does not poll. `nap` is the length of a
	 * nap, and a nap begins at every multiple of `nap_every`. Frames that arrive during a nap
	 * are delivered when the nap ends. */
	rn_time nap, nap_every;
};

struct sim_spec {
	uint64_t seed;
	struct sim_link_spec link[SIM_NODES]; /* link[i] carries the frames that node i sends */
	bool ipv6;
	bool vlan;
	uint32_t first_psn; /* the requests of node i begin with PSN first_psn + i * 1000 */
	uint8_t path_mtu;   /* path MTU code, 1..5 */
	uint8_t retry_cnt, rnr_retry, timeout, min_rnr_timer;
	uint8_t rd_atomic; /* max_rd_atomic and max_dest_rd_atomic of both sides */
	uint32_t sq_depth, rq_depth;
	unsigned qps;
	const struct rn_mem_ops *mem; /* memory access functions; NULL = rn_mem_plain */
	/* quota: number of packets that a QP may send before the shard serves the next QP. window:
	 * number of packets that a QP may have in flight. 0 = the core's default. */
	uint32_t quota, window;
	uint32_t access; /* remote rights of the QPs, enum rn_access */
	bool two_shards; /* node 1 has two shards: QP i on shard i % 2 */
	uint8_t type;	 /* type of all QPs, enum rn_qp_type */
	bool credits;	 /* both nodes use end-to-end credits */
	bool drops;	 /* node 1 keeps no packets that arrive ahead of a lost one */
	int keep;	 /* rn_core_cfg.keep_packets of both nodes; below 0: as $SIM_KEEP says */
	const struct rn_cc_cfg *cc; /* congestion control; NULL = the core's defaults */
	/* depth of node 1's shared receive queue; 0 = each QP has a receive queue of its own */
	uint32_t srq_depth;
	/* Index of the QP in protection domain SIM_PD + 1; all other QPs are in SIM_PD. 0 = all QPs
	 * are in SIM_PD. */
	unsigned foreign;
};

/* Type of sim.filter. The filter sees each frame that node `from` sends, before the link's loss and
 * other impairments. The link drops the frame if the filter returns false. */
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
	struct rn_shard *second; /* second shard of the node, or NULL */
	struct rn_mr_table *mrs;
	struct rn_port_attr port;
	struct rn_core_cfg cfg;
	uint64_t seed; /* determines the node's secrets (keys, QPNs) */
	uint8_t *arena;
	uint32_t lkey, rkey;
	struct rn_cq_shared *cq_shared;
	struct rn_cq_ring *cq, *second_cq;
	struct rn_srq *srq; /* shared receive queue, or NULL */
	struct sim_qp qp[SIM_MAX_QP];
	rn_time link_free; /* time at which the link finishes sending the node's last frame */
	rn_time last_arrival;
	uint64_t frames, dropped, duplicated, reordered, corrupted;
	uint64_t injected; /* number of frames delivered to this node by the link or by a test */
	uint64_t arrived;  /* number of frames delivered to this node by the link */
	/* the part of `injected` that took the short way (qp/short_rx.h) */
	uint64_t short_way;
	uint64_t lent; /* number of frames whose memory the node's shards own (rn_shard_hold()) */
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
	FILE *log; /* transcript (transcript.h); NULL = none */
	/* capture file (record.h) of all frames that shards send, before loss and corruption; NULL
	 * = none */
	FILE *pcap;
	uint32_t verdicts[RN_V_COUNT]; /* received frames of both nodes together, by verdict */
	/* queued events of each node, oldest first */
	struct rn_event *events[SIM_NODES];
	unsigned nevents[SIM_NODES], capevents[SIM_NODES];
};

void sim_spec_default(struct sim_spec *spec);
/* Returns how many packets that arrive ahead of a lost one a node keeps. */
uint32_t sim_spec_keep(const struct sim_spec *spec, unsigned node);
/* Starts a simulation. If the environment variable SIM_GENERAL_WAY is set, its shards use no short
 * way (qp/short_rx.h, qp/short_tx.h). The environment variable SIM_KEEP names the nodes that keep
 * packets which arrive ahead of a lost one: 0, 1, 01 (the default) or none. */
void sim_init(struct sim *sim, const struct sim_spec *spec);
/* Destroys the simulation. Returns the number of objects that were not released, which must be
 * 0. */
unsigned sim_fini(struct sim *sim);

/* Creates QP i on both nodes and connects the two QPs by MODIFY_QP, without the CM. */
void sim_connect(struct sim *sim, unsigned i);
/* Replaces the shard of a one-shard node, as if its process had died and a new process had started.
 * The new shard has the same port, memory and keys but no other state. `seed` determines the
 * secrets of the new shard. */
void sim_restart(struct sim *sim, unsigned node, uint64_t seed);
/* The two steps of sim_connect(). sim_connect_rtr() creates both QPs and moves them to RTR.
 * sim_rts() moves one QP to RTS, also from SQD or SQE. */
void sim_connect_rtr(struct sim *sim, unsigned i);
void sim_rts(struct sim *sim, unsigned node, unsigned i);
void sim_destroy_qp(struct sim *sim, unsigned node, unsigned i);
/* Creates QP i of one node and moves it to INIT. */
void sim_create_qp(struct sim *sim, unsigned node, unsigned i);
int sim_modify(struct sim *sim, unsigned node, unsigned i, uint32_t mask,
	       const struct rn_qp_attr *attr);
void sim_exec(struct sim *sim, unsigned node, const struct rn_cmd *cmd, struct rn_rsp *rsp);

struct sim_op {
	enum rn_wqe_kind kind;
	unsigned flags;
	uint64_t wr_id;
	uint64_t local;	 /* offset in the node's own arena */
	uint64_t remote; /* offset in the peer's arena; for BIND, in the node's own arena */
	uint32_t length;
	/* 0 = key of the peer's arena; for BIND and INVALIDATE: the memory window's key */
	uint32_t rkey;
	uint32_t lkey;	 /* 0 = key of the node's own arena */
	uint32_t access; /* BIND: rights of the memory window over `length` bytes */
	uint32_t imm;	 /* immediate data; for SEND_INVAL: the key to invalidate */
	struct rn_atomic atomic;
	const struct rn_ud *ud; /* UD: destination of the SEND; NULL = sim_ud() */
};
/* Returns the destination for datagrams from QP i of a node to QP i of the other node. */
struct rn_ud sim_ud(const struct sim *sim, unsigned node, unsigned i);
/* Attaches QP i to a multicast group (join) or detaches it. */
void sim_group(struct sim *sim, unsigned node, unsigned i, bool join, const struct rn_gid *gid);
void sim_post(struct sim *sim, unsigned node, unsigned qp, const struct sim_op *op);

/* Posts a receive to the shared receive queue of node 1. The queue must have room. */
void sim_post_shared(struct sim *sim, const struct sim_op *op);
void sim_grow_shared(struct sim *sim, uint32_t depth);
/* sim_stats() stores in *sum the sums of the counters of all shards of a node. */
struct rn_stats;
void sim_stats(const struct sim_node *node, struct rn_stats *sum);

/* Takes one completion of a node. Returns false if there is none. */
bool sim_poll(struct sim *sim, unsigned node, struct rn_cqe *cqe);
/* Removes the node's oldest event of this kind. Returns false if there is none. */
bool sim_event(struct sim *sim, unsigned node, unsigned kind, struct rn_event *ev);

/* Makes one step. First both nodes send all they can. Then virtual time advances to the next
 * arrival or timer, and the nodes handle what is due. If nothing is due up to `until`, returns
 * false. In this case virtual time advances to `until`, unless `until` is RN_TIME_NEVER. */
bool sim_step(struct sim *sim, rn_time until);
void sim_run(struct sim *sim, rn_time until);
/* Lets both nodes send until no node has a frame that it may send at the current time. */
void sim_settle(struct sim *sim);
/* Lets one node send at most `max` frames and publish its completions and events. Returns the
 * number of frames sent. */
unsigned sim_send(struct sim *sim, unsigned node, unsigned max);
/* Returns the node to which a frame in flight is addressed. */
unsigned sim_frame_to(const struct sim_frame *frame);
/* Delivers a frame to a node as if it had arrived over the link. Returns the NIC's verdict. */
enum rn_verdict sim_inject(struct sim *sim, unsigned node, const uint8_t *frame, uint32_t len);

#endif
