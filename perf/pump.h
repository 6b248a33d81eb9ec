#ifndef RN_PERF_PUMP_H
#define RN_PERF_PUMP_H
/* The bare frame pump: options, memory shared by both ends, results. */
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "distance.h"
#include "sample.h"

struct rn_pump_options {
	bool memif; /* two processes over memif, else net_ring */
	bool solo;  /* one lcore drives both ends */
	bool write; /* with a RETH, as a WRITE; else as a SEND */
	bool bare;  /* neither copy nor CRC */
	bool rtt;
	bool json;
	bool no_huge;
	bool stack; /* mbuf pool: last in, first out */
	unsigned size, mtu, burst, mbufs, mbuf_size, ring, rsize, bsize;
	size_t buffer; /* bytes at each end, used one message after another */
	double secs;
	unsigned cpu_a, cpu_b;
};

enum pump_phase { PUMP_PROBE, PUMP_STREAM, PUMP_ECHO, PUMP_QUIT };

/* In memory that both ends share, as threads or processes. */
struct rn_pump_shared {
	struct rn_distance distance;
	volatile uint32_t phase __attribute__((aligned(256))); /* set by end a */
	/* set by end b to the phase it has entered */
	volatile uint32_t entered __attribute__((aligned(256)));
	volatile uint32_t b_ready, b_failed;
	volatile uint64_t b_frames __attribute__((aligned(256))); /* taken in PUMP_STREAM */
	volatile uint64_t b_messages, b_bad;
};

/* One end of the pump; an end is used by one thread. */
struct rn_pump_end {
	uint16_t port;
	struct rte_mempool *pool;
	uint8_t *source, *sink;
};

struct rn_pump_result {
	struct rn_sample mpps[RN_REGIME_COUNT], mmsg[RN_REGIME_COUNT];
	struct rn_sample rtt_p50[RN_REGIME_COUNT], rtt_p99[RN_REGIME_COUNT];
	struct rn_sample probes;
	uint64_t bad, epochs;
	int64_t lost; /* negative: the port delivered more frames than it took */
};

/* pump_port.c: starts EAL with `cpus` (an lcore list) and the ports. Exits with a message on
 * failure. */
void rn_pump_eal(const struct rn_pump_options *o, const char *cpus, const char *name);
void rn_pump_open_rings(const struct rn_pump_options *o, struct rn_pump_end *a,
			struct rn_pump_end *b);
void rn_pump_open_memif(const struct rn_pump_options *o, struct rn_pump_end *e, bool server,
			const char *socket);
bool rn_pump_wait_link(uint16_t port, unsigned ms);

/* pump_run.c. End a drives the measurement, end b serves until PUMP_QUIT; false: the other end
 * does not respond. */
bool rn_pump_drive(const struct rn_pump_options *o, struct rn_pump_end *a,
		   struct rn_pump_shared *sh, struct rn_pump_result *r);
void rn_pump_serve(const struct rn_pump_options *o, struct rn_pump_end *b,
		   struct rn_pump_shared *sh);
void rn_pump_solo(const struct rn_pump_options *o, struct rn_pump_end *a, struct rn_pump_end *b,
		  struct rn_pump_result *r);

#endif
