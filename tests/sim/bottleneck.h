/* A bottleneck: flows from several senders, made of real shards, share one switch queue that marks
 * packets (ECN). Time is virtual.
 *
 * Each flow is a simulation of its own (sim.h). Its one QP carries data from node 0 to node 1. A
 * frame of node 0 passes node 0's access link, then the shared queue, then the last link. Frames of
 * node 1 go back without any queue.
 *
 * The shared queue marks packets as switches do, by the number of queued bytes:
 * - below kmin: no packet;
 * - between kmin and kmax: with a probability that rises to pmax;
 * - above kmax: every packet.
 * The queue drops a frame only when more than `buffer` bytes would be queued. */
#ifndef SIM_BOTTLENECK_H
#define SIM_BOTTLENECK_H

#include "sim.h"

#define BOTTLENECK_FLOWS 8

struct bottleneck_spec {
	unsigned flows;
	uint64_t seed;
	/* In bits per second. access: rate of each sender's access link. line: rate of the shared
	 * queue. */
	uint64_t access, line;
	/* Delay from a sending node to the shared queue. The delay from the shared queue to a
	 * receiving node is the same. */
	rn_time delay;
	/* In bytes. kmin, kmax: thresholds of the marking. buffer: size of the shared queue's
	 * buffer. */
	uint32_t kmin, kmax, buffer;
	uint32_t pmax_ppm;
	uint8_t path_mtu; /* path MTU code, 1..5 */
	uint32_t window;  /* greatest number of packets that a QP may have in flight */
	bool read;	  /* node 1 posts READs, so the flow's data are READ responses */
	struct rn_cc_cfg cc;
};

struct bottleneck_flow {
	/* number of work requests that are still to be posted; UINT64_MAX = without end */
	uint64_t left;
	unsigned outstanding;
	/* link_free: when the access link becomes free. done: time of the flow's last
	 * completion. */
	rn_time link_free, done;
	/* bytes of data frames that have left the shared queue since bottleneck_count() */
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
	/* start of the measuring period; the counters below count from this time */
	rn_time since;
	uint64_t frames, marked, dropped;
	uint32_t deepest; /* largest number of bytes that were in the shared queue at once */
};

/* Fills in the defaults: 10 Gb/s on all links, 5 us from node 0 to the shared queue and 5 us on to
 * node 1, 4 MiB of buffer, path MTU 1024. The marking thresholds are the published ones for 25
 * Gb/s, scaled to 10 Gb/s. */
void bottleneck_default(struct bottleneck_spec *spec);
void bottleneck_init(struct bottleneck *b, const struct bottleneck_spec *spec);
/* Destroys all flows. Returns the number of objects that were not released, which must be 0. */
unsigned bottleneck_fini(struct bottleneck *b);
/* Starts flow i with n WRITEs (READs if spec.read) of BOTTLENECK_WRITE bytes each. If n is
 * UINT64_MAX, the flow does not end by itself. */
void bottleneck_start(struct bottleneck *b, unsigned i, uint64_t n);
void bottleneck_stop(struct bottleneck *b, unsigned i);
void bottleneck_run(struct bottleneck *b, rn_time until);
#define BOTTLENECK_WRITE (256u << 10)

/* Starts a measuring period: sets the counters of the period to 0. */
void bottleneck_count(struct bottleneck *b);
/* Results for the current measuring period.
 * - bottleneck_rate() returns the rate of flow i in bits per second.
 * - bottleneck_use() returns the sum of all flows' rates as a fraction (0..1) of the shared queue's
 *   rate. */
double bottleneck_rate(const struct bottleneck *b, unsigned i);
double bottleneck_use(const struct bottleneck *b);
/* Returns Jain's fairness index of the flows' rates: 1 if all rates are equal, 1/n if one of n
 * flows has everything. */
double bottleneck_jain(const struct bottleneck *b);
/* Returns the number of flows whose rate is limited by congestion control at this moment. */
unsigned bottleneck_limited(const struct bottleneck *b);
/* Returns the number of packets that all flows have retransmitted since their start. */
uint64_t bottleneck_resent(const struct bottleneck *b);

#endif
