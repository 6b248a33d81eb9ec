#ifndef RN_PERFTEST_OPTIONS_H
#define RN_PERFTEST_OPTIONS_H
/* The options of a run: perftest's options with perftest's letters. One thread uses the options. */
#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

enum pt_verb { PT_SEND, PT_WRITE, PT_READ, PT_ATOMIC };

/* One of the eight programs nd_send_bw, nd_send_lat .. nd_atomic_lat. */
struct pt_tool {
	const char *name, *title;
	enum pt_verb verb;
	bool lat;
	unsigned size, iters; /* default number of bytes of a message, default number of messages */
};

/* --output: the whole report, or one figure alone */
enum pt_output { PT_OUT_ALL, PT_OUT_BANDWIDTH, PT_OUT_RATE, PT_OUT_LATENCY };

/* value of pt_options.gid without -x: the address is chosen by its family */
#define PT_ANY_GID RN_MAX_GIDS

struct pt_options {
	const struct pt_tool *tool;
	const char *server; /* name of the server; NULL: this end is the server */
	const char *device; /* name of the adapter; NULL: the first adapter of the configuration */
	const char *json_file;
	enum rn_qp_type type;
	unsigned size; /* bytes of a message; with `all`: of the largest message */
	unsigned iters;
	/* -D: length of a run in seconds; 0: a run has `iters` messages. With `endless`: seconds
	 * between two results */
	unsigned secs;
	/* -f: how many seconds are not counted at the beginning of a -D run, and again at its
	 * end */
	unsigned margin;
	unsigned qps, mtu, tx, rx, port, cq_mod, inline_bytes;
	unsigned timeout, retry, outs, sl, tclass;
	unsigned port_number;
	unsigned gid;	   /* -x: index of the adapter's address, or PT_ANY_GID */
	double limit;	   /* -w: the test fails if the average bandwidth is below this limit */
	double limit_mpps; /* -y: the same for the message rate, in million messages per second */
	unsigned list, recv_list; /* requests and receives that are posted at a time */
	double rate;		  /* --rate_limit in units of rate_unit; 0: no limit */
	char rate_unit;		  /* 'g': Gb/s, 'M': MB/s, 'p': messages per second */
	unsigned burst;		  /* messages that a rate limit lets through at a time */
	bool all, bidi, events, cm, cas, no_peak, unsorted, sorted;
	bool gbits, report_both, json, cpu_freq, help, version, stats;
	bool percentiles; /* percentiles and a histogram of the latencies are printed */
	unsigned gap_us;  /* pause before each message of a latency test, in us */
	bool cycles, cpu_util;
	const char *counters;  /* -W: names of counters, with commas between them; or NULL */
	bool cm_talk;	       /* -z and -R: parameters are exchanged through the RDMA CM */
	bool v6, v6_talk;      /* an IPv6 address of the adapter; the exchange over IPv6 */
	const char *source_ip; /* this end's address in the exchange of parameters; or NULL */
	unsigned hops, flow, pkey_index;
	bool no_versions; /* the exchange begins without the protocol versions */
	bool srq, mr_per_qp, hugepages;
	unsigned wait_secs; /* how long the queue pairs are kept after the test */
	bool warm_up;	    /* messages are sent before the clock starts */
	enum pt_output output;
	bool endless;  /* --run_infinitely: the run ends when the user interrupts it */
	bool progress; /* with -D: the rate of every second is printed */
	bool set[128]; /* set['s']: option -s was given; likewise for the other letters */
};

/* Returns the program with this name, or NULL. */
const struct pt_tool *pt_tool_find(const char *name);

/* Parses the command line into *o. Returns 0, or -1 with a reason of one line in err. */
int pt_options_parse(struct pt_options *o, const struct pt_tool *tool, int argc, char **argv,
		     char *err, unsigned errlen);
void pt_options_usage(const struct pt_tool *tool);

static inline bool pt_is_server(const struct pt_options *o)
{
	return !o->server;
}

/* True if this end posts work requests in the test. The client always does; the server does only in
 * tests of both directions (-b). */
static inline bool pt_posts_requests(const struct pt_options *o)
{
	return o->server || o->bidi;
}

#endif
