/* Many senders, one queue: flows of real shards that meet in a switch which marks packets, under virtual time.
 *
 * Each flow is a sim of its own (sim.h), one QP that carries data from node 0 to node 1. What node 0 sends takes its access link,
 * then the queue that all flows share, then the last link; what node 1 sends goes back undisturbed. The queue marks packets
 * as switches do: never below kmin bytes, with a probability that rises to pmax at kmax, always above; only beyond `buffer`
 * bytes it drops. */
#ifndef SIM_BOTTLENECK_H
#define SIM_BOTTLENECK_H

#include "sim.h"

#define BOTTLENECK_FLOWS 8

struct bottleneck_spec {
	unsigned flows;
	uint64_t seed;
	uint64_t access, line;     /* bits per second: of each sender's link, of the queue */
	rn_time delay;             /* of a way: sender to queue, and queue to receiver */
	uint32_t kmin, kmax, buffer; /* bytes */
	uint32_t pmax_ppm;
	uint8_t path_mtu;          /* enum 1..5 */
	uint32_t window;           /* packets */
	bool read;                 /* node 1 reads instead: the data are answers */
	struct rn_cc_cfg cc;
};

struct bottleneck_flow {
	uint64_t left;             /* requests it may still post */
	unsigned outstanding;
	rn_time link_free, done;   /* the access link; the last completion */
	uint64_t bytes;            /* of data frames that left the queue, since bottleneck_count() */
	uint64_t total;
};

struct bottleneck {
	struct bottleneck_spec spec;
	struct sim *sim;           /* one per flow */
	struct bottleneck_flow flow[BOTTLENECK_FLOWS];
	struct rn_rng rng;
	rn_time now, queue_free;
	struct bottleneck_frame **heap;
	unsigned nheap, capheap;
	uint64_t seq;
	/* since bottleneck_count() */
	rn_time since;
	uint64_t frames, marked, dropped;
	uint32_t deepest;          /* bytes in the queue, at most */
};

/* 10 Gb/s everywhere, 5 us per way, thresholds as published for 25 Gb/s but in proportion, 4 MiB of buffer, MTU 1024. */
void bottleneck_default(struct bottleneck_spec *spec);
void bottleneck_init(struct bottleneck *b, const struct bottleneck_spec *spec);
/* What was left over (0 = nothing). */
unsigned bottleneck_fini(struct bottleneck *b);
/* From now on flow i is busy: n WRITEs (READs) of BOTTLENECK_WRITE bytes, UINT64_MAX = for ever. */
void bottleneck_start(struct bottleneck *b, unsigned i, uint64_t n);
void bottleneck_stop(struct bottleneck *b, unsigned i);
void bottleneck_run(struct bottleneck *b, rn_time until);
#define BOTTLENECK_WRITE (256u << 10)

/* Begins a period of measurement. */
void bottleneck_count(struct bottleneck *b);
/* Bits per second of flow i in it, and of all against the line, 0..1. */
double bottleneck_rate(const struct bottleneck *b, unsigned i);
double bottleneck_use(const struct bottleneck *b);
/* Jain's index of the flows' rates: 1 = all equal, 1/n = one has all. */
double bottleneck_jain(const struct bottleneck *b);
/* Flows whose rate is limited now. */
unsigned bottleneck_limited(const struct bottleneck *b);
/* Requests sent again, of all flows since the beginning. */
uint64_t bottleneck_resent(const struct bottleneck *b);

#endif
