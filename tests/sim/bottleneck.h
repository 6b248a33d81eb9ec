/* Several senders share one queue: flows of real shards meet in a switch that marks packets (ECN),
 * under virtual time.
 *
 * Each flow is a simulation of its own (sim.h) with one QP that carries data from node 0 to node
 * 1. Frames of node 0 pass its access link, then the queue that all flows share, then the last
 * link. Frames of node 1 go back without any queue. The queue marks as switches do: never below
 * kmin bytes, with a probability that rises to pmax at kmax, always above kmax. It drops frames
 * only when more than `buffer` bytes are queued. */
#ifndef SIM_BOTTLENECK_H
#define SIM_BOTTLENECK_H

#include "sim.h"

#define BOTTLENECK_FLOWS 8

struct bottleneck_spec {
	unsigned flows;
	uint64_t seed;
	/* bits per second: each sender's access link; the shared queue */
	uint64_t access, line;
	rn_time delay;		     /* from sender to queue, and from queue to receiver */
	uint32_t kmin, kmax, buffer; /* bytes */
	uint32_t pmax_ppm;
	uint8_t path_mtu; /* code 1..5 */
	uint32_t window;  /* packets */
	bool read;	  /* node 1 posts READs, so the data are READ responses */
	struct rn_cc_cfg cc;
};

struct bottleneck_flow {
	/* requests that are still to be posted; UINT64_MAX = without limit */
	uint64_t left;
	unsigned outstanding;
	rn_time link_free, done; /* when the access link is free; time of the last completion */
	/* bytes of data frames that left the queue since bottleneck_count() */
	uint64_t bytes;
	uint64_t total;
};

struct bottleneck {
	struct bottleneck_spec spec;
	struct sim *sim; /* array, one simulation per flow */
	struct bottleneck_flow flow[BOTTLENECK_FLOWS];
	struct rn_rng rng;
	rn_time now, queue_free;
	struct bottleneck_frame **heap;
	unsigned nheap, capheap;
	uint64_t seq;
	/* since bottleneck_count() */
	rn_time since;
	uint64_t frames, marked, dropped;
	uint32_t deepest; /* largest number of bytes in the queue */
};

/* Defaults: 10 Gb/s on all links, 5 us of delay per part of the path, published thresholds for 25
 * Gb/s scaled to 10 Gb/s, 4 MiB of buffer, path MTU 1024. */
void bottleneck_default(struct bottleneck_spec *spec);
void bottleneck_init(struct bottleneck *b, const struct bottleneck_spec *spec);
/* Destroys all flows. Returns the number of objects that were not released (0 = none). */
unsigned bottleneck_fini(struct bottleneck *b);
/* Starts flow i: n WRITEs (READs if spec.read) of BOTTLENECK_WRITE bytes; UINT64_MAX = without
 * end. */
void bottleneck_start(struct bottleneck *b, unsigned i, uint64_t n);
void bottleneck_stop(struct bottleneck *b, unsigned i);
void bottleneck_run(struct bottleneck *b, rn_time until);
#define BOTTLENECK_WRITE (256u << 10)

/* Starts a measuring period. */
void bottleneck_count(struct bottleneck *b);
/* In this period: bits per second of flow i; and the sum of all flows divided by the rate of the
 * queue, 0..1. */
double bottleneck_rate(const struct bottleneck *b, unsigned i);
double bottleneck_use(const struct bottleneck *b);
/* Jain's fairness index of the flows' rates: 1 = all equal, 1/n = one flow of n has everything. */
double bottleneck_jain(const struct bottleneck *b);
/* The number of flows whose rate congestion control limits now. */
unsigned bottleneck_limited(const struct bottleneck *b);
/* Packets that all flows have retransmitted since the start. */
uint64_t bottleneck_resent(const struct bottleneck *b);

#endif
