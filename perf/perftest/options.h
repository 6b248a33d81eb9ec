#ifndef RN_PERFTEST_OPTIONS_H
#define RN_PERFTEST_OPTIONS_H
/* What a run is asked to do: perftest's flags under perftest's letters. One thread. */
#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

enum pt_verb { PT_SEND, PT_WRITE, PT_READ, PT_ATOMIC };

/* One of the eight programs. */
struct pt_tool {
	const char *name, *title;
	enum pt_verb verb;
	bool lat;
	unsigned size, iters; /* unless told otherwise */
};

struct pt_options {
	const struct pt_tool *tool;
	const char *server; /* NULL: this end is the server */
	const char *device; /* NULL: the first adapter */
	const char *json_file;
	enum rn_qp_type type;
	uint64_t size; /* bytes of a message; with `all` the largest one */
	unsigned iters;
	unsigned secs;	 /* 0: iterations count, not time */
	unsigned margin; /* seconds at each end of `secs` that do not count */
	unsigned qps, mtu, tx, rx, port, cq_mod, inline_bytes;
	unsigned timeout, retry, outs, sl, tclass;
	unsigned port_number;
	int gid; /* index; -1: the first that fits */
	double limit; /* averages below it fail */
	bool all, bidi, events, cm, cas, no_peak, unsorted, sorted;
	bool gbits, report_both, json, cpu_freq, help, version, stats;
	bool set[128]; /* by letter: given on the command line */
};

/* The program of this name; NULL: none. */
const struct pt_tool *pt_tool_find(const char *name);

/* Fills o from the words. 0; or -1, and err says what is wrong in one sentence. */
int pt_options_parse(struct pt_options *o, const struct pt_tool *tool, int argc, char **argv,
		     char *err, unsigned errlen);
void pt_options_usage(const struct pt_tool *tool);

static inline bool pt_is_server(const struct pt_options *o)
{
	return !o->server;
}

/* SENDs and, in both directions, everything else is asked for by this end. */
static inline bool pt_asks(const struct pt_options *o)
{
	return o->server || o->bidi;
}

#endif
