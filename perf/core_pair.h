#ifndef RN_PERF_CORE_PAIR_H
#define RN_PERF_CORE_PAIR_H
/* Two shards of the protocol core in one thread, each with RC queue pairs, connected to those of
 * the other. Messages use the queue pairs in turn, and memory regions at random. Side 0 is the
 * requester, side 1 the responder. The sides exchange complete frames in memory. Time is virtual:
 * each iteration of a side takes one microsecond. */
#include <stdbool.h>
#include <stdint.h>
#include "counted.h"
#include "shard/core.h"
#include "wire/frame.h"

#define PAIR_BURST_MAX 256
/* distance in bytes between the starts of two frame buffers, equal to the distance of DPDK mbufs
 * with 9216 bytes for data */
#define PAIR_FRAME 9472

struct pair_options {
	uint8_t kind; /* RN_WQE_SEND, _WRITE or _READ */
	/* true: the shards access memory through rn_mem_guarded, which survives unmapped memory, as
	 * in the data plane; false: by plain copies */
	bool guarded;
	bool ipv6;
	unsigned size, mtu, window, signal, burst;
	/* queue pairs and regions of each side; every region is the whole message memory, under
	 * keys of its own. With several queue pairs, `signal` is 1. */
	unsigned qps, regions;
	/* 0: `window` messages are outstanding, and each uses the next queue pair. Otherwise each
	 * queue pair has `depth` messages outstanding (`window` is depth * qps), and a queue pair
	 * whose message completes gets the next message. */
	unsigned depth;
	/* Choose queue pair and region for each message even if there is only one, so that this
	 * costs the same with one and with many. */
	bool choose;
	/* bytes of message memory on each side; each message uses the next part of this memory */
	size_t buffer;
};

/* The parts of an iteration whose times are measured separately while pair.split is set. */
enum pair_part { PAIR_RX, PAIR_APP, PAIR_TX, PAIR_PARTS };

struct pair_qp {
	uint32_t qpn, gen;
	unsigned pending; /* work requests without a completion; counted only if pair.many */
	void *mem;
};

/* The keys of a message: of its local region, and of its region on the responder. */
struct pair_keys {
	uint32_t lkey, rkey;
};

struct pair_side {
	struct rn_shard *sh;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	uint8_t *mem;
	uint32_t *keys;		/* of the regions */
	struct pair_keys *next; /* keys of the messages, in random order; used again and again */
	unsigned next_keys;	/* index in `next` of the keys of the next message */
	struct pair_qp *qp;	/* queue pair i is connected to queue pair i of the other side */
	unsigned next_qp;	/* index of the queue pair of the next message */
	struct rn_cq_shared cq_shared;
	struct rn_cq_ring *ring;
	uint8_t *frames;
	/* the frames that this side has built in its last iteration; the other side receives these
	 * frames in the next iteration */
	struct rn_txbuf out[PAIR_BURST_MAX];
	unsigned nout;
	size_t at; /* offset of the next message in mem */
	uint64_t posted, done;
	/* The request that a post completes and posts. An application prepares its requests once,
	 * as perftest's programs do. */
	struct rn_wqe wqe;
	unsigned unsignaled;	    /* how many requests are posted before the next signaled one */
	uint64_t ticks[PAIR_PARTS]; /* TSC ticks of each part, counted while pair.split is set */
};

struct pair {
	struct pair_options o;
	struct pair_side s[2];
	size_t stride;
	unsigned depth; /* of each send queue and receive queue */
	rn_time now;
	bool split;
	bool many;    /* the application chooses queue pair and region */
	uint64_t bad; /* number of refused frames and failed completions */
};

/* Creates both sides and connects them. o->size must be at most o->buffer, and o->signal at most
 * o->window. Exits with a message on failure. */
void rn_pair_open(struct pair *p, const struct pair_options *o);
/* Destroys both sides. Returns how many objects, timers and replies were left over on the shards; 0
 * is correct. */
unsigned rn_pair_close(struct pair *p);

/* Runs both sides until at least n more messages have completed. Exits with a message if there is
 * no progress. */
RN_COUNTED void rn_pair_run(struct pair *p, uint64_t n);

#endif
