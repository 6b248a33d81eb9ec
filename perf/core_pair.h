#ifndef RN_PERF_CORE_PAIR_H
#define RN_PERF_CORE_PAIR_H
/* Two shards in one thread, joined in memory, with one connected QP each: side 0 requests, side 1
 * responds. Frames are real bytes. Time is virtual: one microsecond per turn. */
#include <stdbool.h>
#include <stdint.h>
#include "shard/core.h"
#include "wire/frame.h"

#define PAIR_BURST_MAX 256
#define PAIR_FRAME     9472 /* the distance of mbufs of 9216 bytes */

struct pair_options {
	uint8_t kind; /* RN_WQE_SEND, _WRITE or _READ */
	bool guarded; /* uses the port's fault-proof memory access, else plain copies */
	bool ipv6;
	unsigned size, mtu, window, signal, burst;
	size_t buffer; /* bytes of each side, used one message after another */
};

/* The parts that a side's time is divided into. */
enum pair_part { PAIR_RX, PAIR_APP, PAIR_TX, PAIR_PARTS };

struct pair_side {
	struct rn_shard *sh;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	uint8_t *mem;
	uint32_t key, qpn, gen;
	struct rn_cq_shared cq_shared;
	struct rn_cq_ring *ring;
	void *qp_mem;
	uint8_t *frames;
	struct rn_txbuf out[PAIR_BURST_MAX]; /* the burst sent last */
	unsigned nout;
	size_t at; /* offset of the next message in mem */
	uint64_t posted, done;
	uint64_t ticks[PAIR_PARTS]; /* TSC ticks, if the time is divided */
};

struct pair {
	struct pair_options o;
	struct pair_side s[2];
	size_t stride;
	rn_time now;
	bool split;
	uint64_t bad; /* refused frames and failed completions */
};

/* Needs o->size <= o->buffer and o->signal <= o->window. Exits with a message on failure. */
void rn_pair_open(struct pair *p, const struct pair_options *o);
/* Returns 0 if nothing was left over. */
unsigned rn_pair_close(struct pair *p);

/* Posts, moves and completes at least n more messages. Exits with a message if there is no
 * progress. */
void rn_pair_run(struct pair *p, uint64_t n);

#endif
