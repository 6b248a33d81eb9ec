#ifndef RN_PERF_BENCH_LINK_H
#define RN_PERF_BENCH_LINK_H
/* Declarations that bench_link and bench_threshold share: options, memory that both ends use, the
 * objects of one end, results, and the functions of link_end.c and link_run.c. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "counted.h"
#include "distance.h"
#include "port/clock.h"
#include "rn/client.h"
#include "sample.h"

struct link_options {
	bool memif; /* true: two processes over memif; false: net_ring in one process */
	bool solo;  /* one thread drives both ends (net_ring only) */
	bool rtt, json, huge, poll, stats;
	uint8_t kind;
	unsigned size, mtu, window, signal, burst, mbufs, ring;
	/* Requests and receives are posted in lists of so many; up to 1: one by one. A receive is
	 * then posted again when `list` of them have been used. */
	unsigned list;
	unsigned inline_bytes;
	/* bytes of message memory at each end; each message uses the next part of this memory */
	size_t buffer;
	double secs;
	double loss; /* per cent of the frames that each end drops on sending */
	bool turns;  /* every other epoch is without loss */
	bool drop;   /* end b drops packets that arrive ahead of a lost one (memif only) */
	/* with solo: number of messages to send; 0 = send until `secs` have passed */
	unsigned messages;
	/* with solo: number of polls to make without sending anything; 0 = send messages */
	unsigned idle;
	/* with solo: number of batches to post and reap, and requests of a batch */
	unsigned posts, batch;
	unsigned warm;	   /* messages that are sent before the o->messages */
	bool virtual_time; /* the adapters' clocks advance by LINK_STEP per poll, not with time */
	unsigned cpu[2];
};

#define LINK_BATCH_MAX 64
/* Virtual time advances by so many nanoseconds per poll, about as many as a poll takes. */
#define LINK_STEP 250

enum link_phase { LINK_PROBE, LINK_STREAM, LINK_CLEAN, LINK_ECHO, LINK_QUIT };

/* What an end publishes for the other end: addresses, queue pair number and memory key. Written
 * once, before `ready` is set. */
struct link_card {
	struct rn_gid gid;
	uint8_t mac[6];
	uint32_t qpn, rkey;
	uint64_t va;
	volatile uint32_t ready;
};

/* Memory that both ends share, as threads of one process or as two processes. */
struct link_shared {
	struct rn_distance distance;
	/* phase (enum link_phase) that both ends should enter; set by end a */
	volatile uint32_t phase __attribute__((aligned(256)));
	/* phase (enum link_phase) that end b has entered; set by end b */
	volatile uint32_t entered __attribute__((aligned(256)));
	volatile uint32_t b_failed;
	volatile uint64_t b_gaps; /* how often end b did not poll for more than GAP_NS */
	struct link_card card[2];
};

/* A list of prepared requests or receives, each with its SGE. */
struct link_list {
	struct rn_client_wr wr[LINK_BATCH_MAX];
	struct rn_sge sge[LINK_BATCH_MAX];
};

/* One end of the measured connection. Each end is used by one thread. */
struct link_end {
	struct rn_link *link;
	struct rn_client *client;
	struct rn_client_cq *cq;
	struct rn_client_qp *qp;
	struct rn_clock *clock; /* the adapter's clock if its time is virtual, or NULL */
	struct link_card peer;
	uint32_t loss_ppm; /* the configured loss, in parts per million */
	uint8_t *mem;
	uint32_t lkey, rkey, pd;
	size_t stride;
	/* The requests and receives, which are prepared once, as perftest's programs do it; a post
	 * sets the other fields. Messages are sent from and received in each place of the memory in
	 * turn, `last` being the address of the last one. */
	struct rn_client_wr request, receive;
	struct rn_sge from, into;
	uint64_t last;
	struct link_list requests, receives; /* with o->list above 1 */
	unsigned unsignaled;	  /* how many requests are posted before the next signaled one */
	uint64_t sent, send_done; /* work requests posted; work requests known to have completed */
	uint64_t expected, recvd; /* receives posted; receives completed */
	uint64_t bad;
};

struct link_result {
	struct rn_sample mmsg[RN_REGIME_COUNT];
	/* with o->turns: message rates of the epochs without loss, as many as `mmsg` has */
	struct rn_sample clean[RN_REGIME_COUNT];
	struct rn_sample rtt_p50[RN_REGIME_COUNT], rtt_p99[RN_REGIME_COUNT],
		rtt_p999[RN_REGIME_COUNT];
	uint64_t round_trips, removed; /* `removed` of them had a gap at one end */
	double start_ms;	       /* from the start of main() until end a was connected */
	struct rn_sample probes;
	struct rn_sample post_ns, reap_ns; /* with o->posts: time per request */
	uint64_t bad, epochs;
};

/* Returns the depth of the send and receive queues. With lists, up to o->list - 1 of the receives
 * have been used and wait for the list to be full. */
static inline unsigned link_depth(const struct link_options *o)
{
	return o->window + o->burst + (o->list > 1 ? o->list - 1 : 0);
}

/* In link_end.c. A function that fails prints a message and exits. link_end_open() opens the
 * adapter, creates the objects and publishes sh->card[side]. */
void link_end_open(const struct link_options *o, struct link_end *e, struct link_shared *sh,
		   const char *config, unsigned adapter, unsigned side);
/* Waits for the addresses of the other end in sh->card, then connects the queue pair to the other
 * end. */
void link_end_connect(const struct link_options *o, struct link_end *e, struct link_shared *sh,
		      unsigned side);
void link_end_close(struct link_end *e);
/* Ends the progress threads of the two adapters and stops their clocks; from then on link_poll()
 * and link_turn() advance the clock of their end by LINK_STEP. The counts of perf/instructions.sh
 * then do not depend on the speed of the CPU. Under the inline policy only. */
void link_virtual_time(struct link_end *a, struct link_end *b);
void link_post_recv(struct link_end *e);
void link_post_request(const struct link_options *o, struct link_end *e, uint8_t kind);
/* Post n receives, or n requests of o->kind, in lists of o->list. Not inlined, so that these
 * functions add nothing to the cost of posting one by one. */
__attribute__((noinline)) void link_post_recvs(const struct link_options *o, struct link_end *e,
					       unsigned n);
__attribute__((noinline)) void link_post_requests(const struct link_options *o, struct link_end *e,
						  unsigned n);
/* Turns the configured loss on or off for the frames that this end sends. Only the thread that
 * polls the end may call this function. Has no effect without o->loss. */
void link_set_loss(struct link_end *e, bool on);
/* Takes up to 32 completions. With the inline idle policy, if the completion queue is empty, also
 * polls the adapter's shards and tries again. */
void link_poll(struct link_end *e);
/* Polls the adapter's shards under the inline policy, without taking completions. */
void link_turn(struct link_end *e);
/* Posts o->batch requests of o->kind. perf/instructions.sh counts the instructions of this
 * function. */
RN_COUNTED void link_post_batch(const struct link_options *o, struct link_end *e);
/* Takes up to n completions in one call, n at most LINK_BATCH_MAX, without a second try if there
 * are fewer. Returns how many came. */
RN_COUNTED unsigned link_reap(struct link_end *e, unsigned n);

/* In link_run.c:
 * - link_drive() measures at end a. Returns false if end b does not respond or a work request
 *   failed.
 * - link_serve() receives and answers at end b until end a enters LINK_QUIT, for at most o->secs +
 *   20 s.
 * - link_solo() does the work of both ends in one thread. */
bool link_drive(const struct link_options *o, struct link_end *a, struct link_shared *sh,
		struct link_result *r);
void link_serve(const struct link_options *o, struct link_end *b, struct link_shared *sh);
void link_solo(const struct link_options *o, struct link_end *a, struct link_end *b,
	       struct link_result *r);
/* Sends o->messages messages from a to b; with o->rtt makes as many round trips instead. Returns
 * false if a message failed, or if a wait took longer than a minute. perf/instructions.sh counts
 * the instructions of this function and its callees. */
RN_COUNTED bool link_solo_messages(const struct link_options *o, struct link_end *a,
				   struct link_end *b);
/* Sends o->warm messages, or makes as many round trips, as link_solo_messages() does. */
bool link_solo_warm(const struct link_options *o, struct link_end *a, struct link_end *b);
/* Polls end a o->idle times while neither end has anything to do. */
RN_COUNTED void link_solo_idle(const struct link_options *o, struct link_end *a);
/* Posts and reaps o->posts batches, and adds the times per request to r->post_ns and r->reap_ns.
 * Turns run between the two; neither turns nor readings of the clock are part of the times.
 * Returns false if a message failed. */
bool link_solo_posts(const struct link_options *o, struct link_end *a, struct link_end *b,
		     struct link_result *r);

#endif
