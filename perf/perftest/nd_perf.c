/* The eight programs nd_send_bw to nd_atomic_lat, which measure softrnic like perftest's programs.
 * The other end may be a perftest program on a Linux host. This file has the steps of a test. Both
 * ends wait for each other at the same points as perftest 4.5. Runs in one thread. */
#include "cm.h"
#include "common/counters.h"
#include "options.h"
#include "print.h"
#include "run.h"
#include "common/stop.h"
#include "talk.h"
#include "common/version.h"
#include "usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	struct pt_options *o;
	struct pt_end e;
	struct pt_talk t;
	struct pt_rates last;  /* the last result that this end has measured */
	uint64_t all;	       /* messages of the last run, also those that -D does not count */
	struct pt_usage usage; /* what the last run cost this end */
	bool too_slow;
};

/* True for the server of a READ or atomic latency test, which only the client measures. */
static bool is_silent(const struct pt_options *o)
{
	return o->tool->lat && o->tool->verb >= PT_READ && pt_is_server(o);
}

/* ---- setting up the test with the other end ---- */

static int connect_queue_pairs(struct test *x)
{
	struct pt_end *e = &x->e;

	/* Both ends wait for each other here: perftest's server starts its listener for the test's
	 * queue pairs only after this point. */
	if (x->o->cm && pt_talk_sync(&x->t) != 0)
		return -1;
	if (x->o->cm && (pt_is_server(x->o) ? pt_cm_accept_all(e) : pt_cm_connect_all(e)) != 0)
		return -1;
	if (x->o->cm && pt_talk_sync(&x->t) != 0)
		return -1;
	for (unsigned i = 0; i < x->o->qps; i++)
		if (pt_talk_card(&x->t, i) != 0)
			return -1;
	return x->o->cm ? 0 : pt_end_connect(e);
}

/* A datagram is one packet: limit the message size to the path MTU, on which both ends have agreed
 * before. */
static int fit_datagrams(struct test *x)
{
	unsigned mtu = 128u << x->e.mtu;

	if (x->o->type != RN_QPT_UD || x->o->size <= mtu)
		return 0;
	if (x->o->set['s'] && !x->o->all) {
		fprintf(stderr, "%s: -s %u, but the path MTU and so the longest datagram is %u\n",
			x->o->tool->name, x->o->size, mtu);
		return -1;
	}
	x->o->size = mtu;
	return 0;
}

static int meet(struct test *x)
{
	if (pt_json_open(x->o) != 0 || pt_end_open(&x->e, x->o) != 0)
		return -1;
	if (pt_usage_init(&x->usage, &x->e) != 0)
		return -1;
	if (pt_is_server(x->o))
		pt_print_waiting(x->o);
	if (pt_talk_open(&x->t, &x->e) != 0 || pt_talk_begin(&x->t) != 0)
		return -1;
	if (fit_datagrams(x) != 0 || pt_end_make(&x->e) != 0 || connect_queue_pairs(x) != 0)
		return -1;
	pt_print_test(&x->e);
	if (pt_talk_sync(&x->t) != 0)
		return -1;
	pt_print_cards(&x->e, false);
	for (unsigned i = 0; i < x->o->qps; i++)
		if (pt_talk_card(&x->t, i) != 0)
			return -1;
	pt_print_cards(&x->e, true);
	if (!is_silent(x->o))
		pt_print_head(x->o);
	return 0;
}

/* ---- bandwidth ---- */

static void report(struct test *x, const struct pt_rates *r)
{
	pt_print_rates(x->o, r, &x->usage);
	pt_print_usage(x->o, &x->usage, x->all);
	pt_json_rates(x->o, r, &x->usage, x->all);
	if (r->average < x->o->limit || r->mpps < x->o->limit_mpps)
		x->too_slow = true;
}

static int measure_bw(struct test *x, uint32_t size)
{
	int rc;

	pt_usage_start(&x->usage, &x->e);
	rc = pt_run_bw(&x->e, size, &x->last, &x->all);
	pt_usage_stop(&x->usage, &x->e);
	return rc;
}

/* To be called after a run failed. If the user interrupted the run, reports the result so far.
 * Returns -1. */
static int give_up(struct test *x)
{
	if (x->e.stopped && x->last.iters > 0)
		report(x, &x->last);
	return -1;
}

/* Finishes a run in both directions: exchanges the results with the other end and reports the
 * sum. */
static int report_sum(struct test *x)
{
	struct pt_rates theirs, sum;

	if (pt_talk_rates(&x->t, &x->last, &theirs) != 0)
		return -1;
	sum = pt_rates_sum(&x->last, &theirs);
	report(x, &sum);
	if (x->o->report_both)
		pt_print_both(x->o, &x->last, &theirs);
	return 0;
}

static int one_send_bw(struct test *x, uint32_t size)
{
	bool sums = x->o->bidi && !x->o->secs;

	if ((pt_is_server(x->o) || x->o->bidi) && pt_run_receives(&x->e) != 0)
		return -1;
	if (pt_talk_sync(&x->t) != 0)
		return -1;
	if (measure_bw(x, size) != 0)
		return give_up(x);
	if (!sums)
		report(x, &x->last);
	else if (report_sum(x) != 0)
		return -1;
	return x->o->all ? pt_talk_sync(&x->t) : 0;
}

/* Makes one bandwidth run of WRITEs, READs or atomics in both directions. */
static int one_bidi_bw(struct test *x, uint32_t size)
{
	if (pt_talk_sync(&x->t) != 0)
		return -1;
	if (measure_bw(x, size) != 0)
		return give_up(x);
	if (x->o->all && pt_talk_sync(&x->t) != 0)
		return -1;
	return report_sum(x);
}

/* Finishes a test of WRITEs, READs or atomics in one direction: the server gets and reports the
 * result of the client. */
static int report_to_server(struct test *x)
{
	struct pt_rates theirs;

	if (pt_is_server(x->o))
		pt_usage_start(&x->usage, &x->e);
	if (pt_talk_sync(&x->t) != 0 || pt_talk_rates(&x->t, &x->last, &theirs) != 0)
		return -1;
	if (pt_is_server(x->o)) {
		pt_usage_stop(&x->usage, &x->e);
		/* the client counts the messages of its sample alone */
		x->all = x->o->secs ? theirs.iters * x->o->secs / (x->o->secs - 2 * x->o->margin)
				    : theirs.iters;
		report(x, &theirs);
	}
	return 0;
}

static int one_bw(struct test *x, uint32_t size)
{
	if (x->o->tool->verb == PT_SEND)
		return one_send_bw(x, size);
	if (x->o->bidi)
		return one_bidi_bw(x, size);
	if (measure_bw(x, size) != 0)
		return give_up(x);
	report(x, &x->last);
	return 0;
}

static int run_bw(struct test *x)
{
	bool passive = !pt_posts_requests(x->o) && x->o->tool->verb != PT_SEND;

	for (uint32_t size = 2; x->o->all && !passive && size <= x->o->size; size *= 2)
		if (one_bw(x, size) != 0)
			return -1;
	if (!x->o->all && !passive && one_bw(x, x->o->size) != 0)
		return -1;
	if (x->o->tool->verb != PT_SEND && !x->o->bidi && report_to_server(x) != 0)
		return -1;
	pt_print_line(x->o);
	return pt_talk_end(&x->t);
}

/* ---- latency ---- */

static int one_lat(struct test *x, uint32_t size)
{
	static struct pt_lat_result r;
	int rc;

	if (x->o->tool->verb == PT_SEND &&
	    (pt_run_receives(&x->e) != 0 || pt_talk_sync(&x->t) != 0))
		return -1;
	pt_usage_start(&x->usage, &x->e);
	rc = pt_run_lat(&x->e, size, &r);
	pt_usage_stop(&x->usage, &x->e);
	if (x->o->cycles)
		pt_lat_result_scale(&r, pt_usage_cycles_per_us(&x->usage));
	if (rc == 0 || (x->e.stopped && r.n > 0)) {
		pt_print_latency(x->o, size, &r);
		if (x->o->percentiles)
			pt_print_percentiles(&r);
		pt_print_usage(x->o, &x->usage, r.n);
		pt_json_latency(x->o, size, &r, &x->usage);
	}
	pt_lat_result_free(&r);
	return rc;
}

static int run_lat(struct test *x)
{
	bool passive = is_silent(x->o);

	if (x->o->tool->verb != PT_SEND && pt_talk_sync(&x->t) != 0)
		return -1;
	for (uint32_t size = 2; x->o->all && !passive && size <= x->o->size; size *= 2)
		if (one_lat(x, size) != 0)
			return -1;
	if (!x->o->all && !passive && one_lat(x, x->o->size) != 0)
		return -1;
	pt_print_line(x->o);
	/* With WRITEs no message ends the test: the last byte of the last WRITE tells each end that
	 * the test is over. */
	return x->o->tool->verb == PT_WRITE ? 0 : pt_talk_end(&x->t);
}

static int run(struct test *x)
{
	int rc = meet(x);

	if (rc == 0)
		rc = x->o->tool->lat ? run_lat(x) : run_bw(x);
	if ((rc == 0 || (x->e.stopped && x->e.qp)) && pt_json_write(&x->e) != 0)
		rc = -1;
	if (rc == 0)
		pt_linger(&x->e, x->o->wait_secs);
	stop_leave(x->o->tool->name);
	if (x->o->cm && x->e.qp)
		pt_cm_disconnect_all(&x->e);
	pt_talk_close(&x->t);
	if (x->o->stats)
		counters_print(stdout);
	pt_end_close(&x->e);
	if (rc == 0 && x->too_slow) {
		fprintf(stderr, "%s: the figure is below the limit given with -w or -y\n",
			x->o->tool->name);
		rc = -1;
	}
	return rc;
}

int main(int argc, char **argv)
{
	const struct pt_tool *tool = pt_tool_find(ND_PERF_TOOL);
	static struct pt_options o;
	static struct test x;
	char err[160];

	if (pt_options_parse(&o, tool, argc, argv, err, sizeof(err)) != 0) {
		fprintf(stderr, "%s: %s\n", tool->name, err);
		return 2;
	}
	if (o.help) {
		pt_options_usage(tool);
		return 0;
	}
	if (o.version) {
		version_print(tool->name);
		printf("Version: 6.06 of perftest's protocol (perftest 4.5)\n");
		return 0;
	}
	x.o = &o;
	stop_catch();
	return stop_status(run(&x) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
