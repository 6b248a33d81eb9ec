#ifndef RN_PERF_BENCH_LINK_H
#define RN_PERF_BENCH_LINK_H
/* The adapter over real ports, end to end: options, memory shared by both ends, results. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "distance.h"
#include "rn/client.h"
#include "sample.h"

struct link_options {
	bool memif; /* two processes over memif, else net_ring in one process */
	bool solo;  /* one thread drives both ends (net_ring) */
	bool rtt, json, huge, poll, stats;
	uint8_t kind;
	unsigned size, mtu, window, signal, burst, mbufs, ring;
	unsigned inline_bytes;
	size_t buffer; /* bytes at each end, used one message after another */
	double secs;
	unsigned cpu[2];
};

enum link_phase { LINK_PROBE, LINK_STREAM, LINK_ECHO, LINK_QUIT };

/* What an end needs to reach the other; written once, before `ready`. */
struct link_card {
	struct rn_gid gid;
	uint8_t mac[6];
	uint32_t qpn, rkey;
	uint64_t va;
	volatile uint32_t ready;
};

/* In memory that both ends share, as threads or processes. */
struct link_shared {
	struct rn_distance distance;
	volatile uint32_t phase __attribute__((aligned(256))); /* set by end a */
	/* set by end b to the phase it has entered */
	volatile uint32_t entered __attribute__((aligned(256)));
	volatile uint32_t b_failed;
	struct link_card card[2];
};

/* One end; an end is used by one thread. */
struct link_end {
	struct rn_link *link;
	struct rn_client *client;
	struct rn_client_cq *cq;
	struct rn_client_qp *qp;
	struct link_card peer;
	uint8_t *mem;
	uint32_t lkey, rkey, pd;
	size_t stride, send_at, recv_at;
	uint64_t sent, send_done; /* requests posted; requests known to have completed */
	uint64_t expected, recvd; /* receives posted; receives completed */
	uint64_t bad;
};

struct link_result {
	struct rn_sample mmsg[RN_REGIME_COUNT];
	struct rn_sample rtt_p50[RN_REGIME_COUNT], rtt_p99[RN_REGIME_COUNT];
	struct rn_sample probes;
	uint64_t bad, epochs;
};

/* link_end.c. Exits with a message on failure. */
void link_end_open(const struct link_options *o, struct link_end *e, struct link_shared *sh,
		   const char *config, unsigned adapter, unsigned side);
/* Waits for the other end's card and connects. */
void link_end_connect(const struct link_options *o, struct link_end *e, struct link_shared *sh,
		      unsigned side);
void link_end_close(struct link_end *e);
void link_post_recv(const struct link_options *o, struct link_end *e);
void link_post_request(const struct link_options *o, struct link_end *e, uint8_t kind);
/* Takes completions; if there are none, lets the adapter make a turn. */
void link_poll(struct link_end *e);

/* link_run.c. End a drives the measurement, end b serves until LINK_QUIT; false: the other end
 * does not respond. */
bool link_drive(const struct link_options *o, struct link_end *a, struct link_shared *sh,
		struct link_result *r);
void link_serve(const struct link_options *o, struct link_end *b, struct link_shared *sh);
void link_solo(const struct link_options *o, struct link_end *a, struct link_end *b,
	       struct link_result *r);

#endif
