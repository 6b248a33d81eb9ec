#ifndef RN_PERF_PUMP_H
#define RN_PERF_PUMP_H
/* The bare frame pump (bench_pump): options, memory shared by both ends, results. The pump sends
 * frames without a protocol, with one copy and one CRC on each side. */
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "distance.h"
#include "sample.h"

struct rn_pump_options {
	/* true: memif between two processes (one if `solo`); false: net_ring in one process */
	bool memif;
	bool solo;  /* one lcore does the work of both ends, in one process */
	bool write; /* true: the frames are those of a WRITE, with a RETH; false: those of a SEND */
	bool bare;  /* write only headers, copy no payload and compute no CRC */
	bool rtt;
	/* false: the sending end is memif's client; true: it is the server */
	bool reverse;
	bool json;
	bool no_huge;
	bool stack; /* true: a stack (last in, first out) holds the free mbufs; false: a ring */
	unsigned size, mtu, burst, mbufs, mbuf_size, ring, rsize, bsize;
	/* bytes of message memory at each end; each message uses the next part of this memory */
	size_t buffer;
	double secs;
	unsigned cpu[2];
};

enum pump_phase { PUMP_PROBE, PUMP_STREAM, PUMP_ECHO, PUMP_QUIT };

/* Memory that both ends share, as threads of one process or as two processes. */
struct rn_pump_shared {
	struct rn_distance distance;
	/* phase that both ends should enter; set by end a */
	volatile uint32_t phase __attribute__((aligned(256)));
	/* phase that end b has entered; set by end b */
	volatile uint32_t entered __attribute__((aligned(256)));
	volatile uint32_t server_ready, b_failed;
	/* frames that end b received in PUMP_STREAM */
	volatile uint64_t b_frames __attribute__((aligned(256)));
	volatile uint64_t b_messages, b_bad;
};

/* One end of the pump. Each end is used by one thread. */
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
	int64_t lost; /* frames sent minus frames received; negative if the DPDK port duplicated
		       * frames */
};

/* In pump_port.c. A function that fails prints a message and exits, but rn_pump_wait_link() returns
 * false instead. `cpus` of rn_pump_eal() is EAL's list of lcores. */
void rn_pump_eal(const struct rn_pump_options *o, const char *cpus, const char *name);
void rn_pump_open_rings(const struct rn_pump_options *o, struct rn_pump_end *a,
			struct rn_pump_end *b);
void rn_pump_open_memif(const struct rn_pump_options *o, struct rn_pump_end *e, bool server,
			const char *socket);
bool rn_pump_wait_link(uint16_t port, unsigned ms);

/* In pump_run.c:
 * - rn_pump_drive() measures at end a. Returns false if end b does not respond.
 * - rn_pump_serve() receives and answers at end b until the phase is PUMP_QUIT.
 * - rn_pump_solo() does the work of both ends on one lcore. */
bool rn_pump_drive(const struct rn_pump_options *o, struct rn_pump_end *a,
		   struct rn_pump_shared *sh, struct rn_pump_result *r);
void rn_pump_serve(const struct rn_pump_options *o, struct rn_pump_end *b,
		   struct rn_pump_shared *sh);
void rn_pump_solo(const struct rn_pump_options *o, struct rn_pump_end *a, struct rn_pump_end *b,
		  struct rn_pump_result *r);

#endif
