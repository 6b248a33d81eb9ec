/* Measures the CPU time of a message in the protocol core (dataplane/core), requester plus
 * responder. Compares the core with the bare pump, a loop that copies and checksums frames of the
 * same length. Runs of the core and of the pump alternate. Runs in one thread without DPDK: neither
 * a DPDK port nor CPU placement affects the figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core_pair.h"
#include "ops.h"
#include "pump_frame.h"
#include "sample.h"

#define NO_OP UINT8_MAX /* no --op was given */

struct options {
	struct pair_options pair;
	unsigned reps, ms, messages;
	bool split, json, one_row, scale;
};

/* the rows of the printed table; with --op the options give a single row instead */
static const struct {
	uint8_t kind;
	unsigned size, mtu;
} rows[] = {
	{RN_WQE_SEND, 64, 1024},	{RN_WQE_WRITE, 64, 1024},
	{RN_WQE_READ, 64, 1024},	{RN_WQE_SEND, 4096, 4096},
	{RN_WQE_WRITE, 1u << 20, 1024}, {RN_WQE_WRITE, 1u << 20, 4096},
	{RN_WQE_READ, 1u << 20, 4096},
};

static void take_options(struct options *o, int argc, char **argv)
{
	const struct rn_option options[] = {
		{"op", "send|write|read", "one row instead of the table", rn_option_op,
		 &o->pair.kind},
		{"size", "BYTES", "bytes of a message, with --op [64]", rn_option_number,
		 &o->pair.size},
		{"mtu", "BYTES", "256, 512, 1024, 2048 or 4096, with --op [1024]", rn_option_number,
		 &o->pair.mtu},
		{"window", "N", "messages outstanding [128; of 64 KiB and more 8]",
		 rn_option_number, &o->pair.window},
		{"signal", "N", "every Nth message is signaled [1]", rn_option_number,
		 &o->pair.signal},
		{"burst", "N", "frames per turn, at most 256 [32]", rn_option_number,
		 &o->pair.burst},
		{"mem", "plain|guarded", "memory access: the port's, or plain copies [guarded]",
		 rn_option_second, &o->pair.guarded},
		{"ipv6", NULL, "instead of IPv4", rn_option_true, &o->pair.ipv6},
		{"qps", "N", "queue pairs of each side, used in turn; needs --signal=1 [1]",
		 rn_option_number, &o->pair.qps},
		{"depth", "N", "messages outstanding on each queue pair, instead of --window",
		 rn_option_number, &o->pair.depth},
		{"regions", "N", "memory regions of each side, used at random [1]",
		 rn_option_number, &o->pair.regions},
		{"scale", NULL, "the rates with many queue pairs and regions; see --op and --size",
		 rn_option_true, &o->scale},
		{"buffer", "BYTES", "message memory of each side, used in turn [1048576]",
		 rn_option_bytes, &o->pair.buffer},
		{"reps", "N", "measurements, of which the median counts [25]", rn_option_number,
		 &o->reps},
		{"ms", "N", "length of one measurement [10]", rn_option_number, &o->ms},
		{"split", NULL,
		 "also print the time of each side for receive, application and send",
		 rn_option_true, &o->split},
		{"messages", "N", "run just that many, measure nothing (for callgrind); with --op",
		 rn_option_number, &o->messages},
		{"json", NULL, "one JSON object per row", rn_option_true, &o->json},
		{0},
	};

	rn_options_take("bench_core: two shards of the protocol core exchange messages in memory",
			options, argc, argv);
}

static const char *options_wrong(struct pair_options *p)
{
	if (p->mtu < 256 || p->mtu > 4096 || (p->mtu & (p->mtu - 1)) != 0)
		return "--mtu is 256, 512, 1024, 2048 or 4096";
	if (p->burst == 0 || p->burst > PAIR_BURST_MAX)
		return "--burst is 1..256";
	if (p->size > 1u << 30)
		return "--size is at most 1 GiB";
	if (p->window == 0)
		p->window = p->size >= 65536 ? 8 : 128;
	if (p->depth > 4096 || (p->depth > 0 && p->kind == RN_WQE_SEND))
		return "--depth is 1..4096, of a write or read";
	if (p->window > 4096 || p->signal == 0 || p->signal > p->window)
		return "--window is 1..4096, --signal 1..window";
	if (p->qps == 0 || p->qps > 65536 || (p->qps > 1 && p->signal != 1))
		return "--qps is 1..65536, and needs --signal=1 if it is above 1";
	if (p->regions == 0 || p->regions > RN_MR_MAX / 2)
		return "--regions is 1..4194304";
	if (p->buffer < p->size + 64u)
		p->buffer = p->size + 64u;
	return NULL;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* ---- the bare pump: copy and CRC without a protocol ---- */

struct bare {
	struct pump_flow tx, rx;
	uint8_t *source, *sink, *frames;
	uint16_t len[PAIR_BURST_MAX];
	unsigned burst;
};

static void bare_open(struct bare *b, const struct pair_options *o)
{
	*b = (struct bare){.burst = o->burst};
	b->source = aligned_alloc(4096, RN_ALIGN_UP(o->buffer, 4096));
	b->sink = aligned_alloc(4096, RN_ALIGN_UP(o->buffer, 4096));
	b->frames = aligned_alloc(4096, PAIR_BURST_MAX * PAIR_FRAME);
	if (b->source == NULL || b->sink == NULL || b->frames == NULL)
		exit(EXIT_FAILURE);
	memset(b->source, 1, o->buffer);
	memset(b->sink, 2, o->buffer);
	memset(b->frames, 3, PAIR_BURST_MAX * PAIR_FRAME);
	rn_pump_flow_init(&b->tx, o->kind == RN_WQE_WRITE, true, o->size, o->mtu, b->source,
			  o->buffer);
	rn_pump_flow_init(&b->rx, o->kind == RN_WQE_WRITE, true, o->size, o->mtu, b->sink,
			  o->buffer);
}

static void bare_close(struct bare *b)
{
	free(b->source);
	free(b->sink);
	free(b->frames);
}

static void bare_run(struct bare *b, uint64_t n)
{
	uint64_t until = b->rx.messages + n;

	while (b->rx.messages < until) {
		for (unsigned i = 0; i < b->burst; i++)
			b->len[i] =
				pump_frame_build(&b->tx, b->frames + (size_t)i * PAIR_FRAME + 128);
		for (unsigned i = 0; i < b->burst; i++)
			pump_frame_take(&b->rx, b->frames + (size_t)i * PAIR_FRAME + 128,
					b->len[i]);
	}
}

/* ---- measuring ---- */

struct figures {
	struct rn_sample ns, bare_ns, ratio;
	struct rn_sample part[2][PAIR_PARTS];
};

static uint64_t messages_in(struct pair *p, double s)
{
	uint64_t n = 1;
	double t0, t;

	/* The first messages fill the queues, which is not measured. */
	rn_pair_run(p, p->o.window);
	do {
		n *= 2;
		t0 = seconds();
		rn_pair_run(p, n);
		t = seconds() - t0;
	} while (t < s / 4);
	n = (uint64_t)((double)n * s / t);
	return n > 0 ? n : 1;
}

static void measure_parts(struct pair *p, struct figures *f, uint64_t n, double ns)
{
	double ticks = 0;

	for (int i = 0; i < 2; i++)
		for (int part = 0; part < PAIR_PARTS; part++)
			ticks += (double)p->s[i].ticks[part];
	for (int i = 0; i < 2; i++)
		for (int part = 0; part < PAIR_PARTS; part++)
			rn_sample_add(&f->part[i][part], ns * (double)p->s[i].ticks[part] / ticks);
}

/* Alternates runs of the core and of the bare pump, and adds the times per message to *f. With
 * --split, extra runs divide the time of the core into receive, application and send. The extra
 * runs read the TSC four times per poll iteration and are not timed as a whole. */
static void measure(const struct options *o, struct pair *p, struct bare *b, struct figures *f)
{
	uint64_t n = messages_in(p, o->ms * 1e-3);

	for (unsigned rep = 0; rep < o->reps; rep++) {
		double t0 = seconds(), t1, ns, bare_ns;

		rn_pair_run(p, n);
		t1 = seconds();
		ns = (t1 - t0) * 1e9 / (double)n;
		bare_run(b, n);
		bare_ns = (seconds() - t1) * 1e9 / (double)n;
		rn_sample_add(&f->ns, ns);
		rn_sample_add(&f->bare_ns, bare_ns);
		rn_sample_add(&f->ratio, bare_ns / ns);
		if (!o->split)
			continue;
		memset(p->s[0].ticks, 0, sizeof(p->s[0].ticks));
		memset(p->s[1].ticks, 0, sizeof(p->s[1].ticks));
		p->split = true;
		rn_pair_run(p, n);
		p->split = false;
		measure_parts(p, f, n, ns);
	}
}

/* ---- printing ---- */

static void print_heads(const struct options *o)
{
	const struct pair_options *p = &o->pair;

	printf("both sides in one thread, burst %u, signal %u, %s copies, IPv%d; medians of %u\n",
	       p->burst, p->signal, p->guarded ? "guarded" : "plain", p->ipv6 ? 6 : 4, o->reps);
	printf("%-6s %8s %5s %6s %10s %9s %8s %10s %6s\n", "op", "bytes", "mtu", "window", "ns/msg",
	       "min", "GB/s", "bare ns", "ratio");
}

static void print_row(const struct pair_options *p, struct figures *f, bool split)
{
	double ns = rn_sample_at(&f->ns, 0.5);
	static const char *const sides[] = {"requester", "responder"};

	printf("%-6s %8u %5u %6u %10.1f %9.1f %8.2f %10.1f %6.2f\n", rn_ops[p->kind], p->size,
	       p->mtu, p->window, ns, rn_sample_at(&f->ns, 0), p->size / ns,
	       rn_sample_at(&f->bare_ns, 0.5), rn_sample_at(&f->ratio, 0.5));
	for (int i = 0; split && i < 2; i++)
		printf("       %s: receive %.1f, application %.1f, send %.1f\n", sides[i],
		       rn_sample_at(&f->part[i][PAIR_RX], 0.5),
		       rn_sample_at(&f->part[i][PAIR_APP], 0.5),
		       rn_sample_at(&f->part[i][PAIR_TX], 0.5));
}

static void print_json(const struct pair_options *p, struct figures *f, bool split)
{
	static const char *const names[2][PAIR_PARTS] = {
		{"requester_rx", "requester_app", "requester_tx"},
		{"responder_rx", "responder_app", "responder_tx"}};
	double ns = rn_sample_at(&f->ns, 0.5);

	printf("{\"bench\": \"core\", \"op\": \"%s\", \"size\": %u, \"mtu\": %u, \"window\": %u, "
	       "\"signal\": %u, \"burst\": %u, \"qps\": %u, \"regions\": %u, \"guarded\": %s, \"ipv6\": %s, \"ns\": %.2f, "
	       "\"ns_min\": %.2f, \"gbytes\": %.3f, \"bare_ns\": %.2f, \"ratio\": %.3f",
	       rn_ops[p->kind], p->size, p->mtu, p->window, p->signal, p->burst, p->qps, p->regions,
	       p->guarded ? "true" : "false", p->ipv6 ? "true" : "false", ns,
	       rn_sample_at(&f->ns, 0), p->size / ns, rn_sample_at(&f->bare_ns, 0.5),
	       rn_sample_at(&f->ratio, 0.5));
	for (int i = 0; split && i < 2; i++)
		for (int part = 0; part < PAIR_PARTS; part++)
			printf(", \"%s_ns\": %.2f", names[i][part],
			       rn_sample_at(&f->part[i][part], 0.5));
	printf("}\n");
}

static void figures_free(struct figures *f)
{
	rn_sample_free(&f->ns);
	rn_sample_free(&f->bare_ns);
	rn_sample_free(&f->ratio);
	for (int i = 0; i < 2; i++)
		for (int part = 0; part < PAIR_PARTS; part++)
			rn_sample_free(&f->part[i][part]);
}

/* Measures and prints one row of the table: one operation with one message size and MTU. Returns
 * false if a shard refused frames, a completion failed, or objects still exist at the end. */
static bool run_row(const struct options *o)
{
	static struct pair p;
	static struct bare b;
	struct figures f = {0};
	unsigned left;

	rn_pair_open(&p, &o->pair);
	if (o->messages > 0) {
		rn_count_from_here();
		rn_pair_run(&p, o->messages);
	} else {
		bare_open(&b, &o->pair);
		measure(o, &p, &b, &f);
		(o->json ? print_json : print_row)(&o->pair, &f, o->split);
		bare_close(&b);
		figures_free(&f);
	}
	left = rn_pair_close(&p);
	if (p.bad != 0 || left != 0)
		fprintf(stderr,
			"bench_core: %lu frames or completions failed, %u objects left over\n",
			p.bad, left);
	return p.bad == 0 && left == 0;
}

static bool run_table(const struct options *o)
{
	bool ok = true;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options row = *o;

		row.pair.kind = rows[i].kind;
		row.pair.size = rows[i].size;
		row.pair.mtu = rows[i].mtu;
		ok = options_wrong(&row.pair) == NULL && run_row(&row) && ok;
	}
	return ok;
}

/* ---- many queue pairs, many regions ---- */

static const struct {
	unsigned qps, regions, depth;
} scales[] = {
	{1, 1, 0},	{64, 1, 0},	 {1024, 1, 0}, {10000, 1, 0},  {1, 1000, 0},
	{1, 100000, 0}, {1, 1000000, 0}, {64, 1, 128}, {1024, 1, 128}, {10000, 1, 128},
};

#define SCALES (sizeof(scales) / sizeof(scales[0]))

static void print_scale(const struct options *o, unsigned i, struct rn_sample *ns,
			struct rn_sample *ratio)
{
	printf(o->json ? "{\"bench\": \"scale\", \"op\": \"%s\", \"size\": %u, \"qps\": %u, "
			 "\"depth\": %u, \"regions\": %u, \"ns\": %.2f, \"ratio\": %.3f, "
			 "\"ns_min\": %.2f}\n"
		       : "%-6s %8u %6u %6u %8u %10.1f %6.2f %9.1f\n",
	       rn_ops[o->pair.kind], o->pair.size, scales[i].qps, scales[i].depth,
	       scales[i].regions, rn_sample_at(ns, 0.5), rn_sample_at(ratio, 0.5),
	       rn_sample_at(ns, 0));
}

/* Measures a row for each scale. Depth 0: 128 messages are outstanding in all, so that each of many
 * queue pairs has one at most. Runs of all scales alternate; the ratio is the rate of the scale
 * divided by that of one queue pair and one region in the same round. */
static bool run_scales(const struct options *o)
{
	/* --depth is not for SENDs, and the rows with a depth are the last three */
	unsigned rows_used = o->pair.kind == RN_WQE_SEND ? SCALES - 3 : SCALES;
	static struct pair p[SCALES];
	struct rn_sample ns[SCALES] = {{0}}, ratio[SCALES] = {{0}};
	bool ok = true;

	for (unsigned i = 0; i < rows_used; i++) {
		struct pair_options po = o->pair;
		po.qps = scales[i].qps;
		po.regions = scales[i].regions;
		po.depth = scales[i].depth;
		po.choose = true;
		rn_pair_open(&p[i], &po);
	}
	uint64_t n = messages_in(&p[0], o->ms * 1e-3);
	for (unsigned rep = 0; rep < o->reps; rep++) {
		double first = 0;
		for (unsigned i = 0; i < rows_used; i++) {
			rn_pair_run(&p[i], n / 2); /* loads the caches of the CPU */
			double t0 = seconds();
			rn_pair_run(&p[i], n);
			double t = (seconds() - t0) * 1e9 / (double)n;
			first = i == 0 ? t : first;
			rn_sample_add(&ns[i], t);
			rn_sample_add(&ratio[i], first / t);
		}
	}
	if (!o->json)
		printf("%-6s %8s %6s %6s %8s %10s %6s %9s\n", "op", "bytes", "qps", "depth",
		       "regions", "ns/msg", "ratio", "min");
	for (unsigned i = 0; i < rows_used; i++) {
		print_scale(o, i, &ns[i], &ratio[i]);
		ok = rn_pair_close(&p[i]) == 0 && p[i].bad == 0 && ok;
		rn_sample_free(&ns[i]);
		rn_sample_free(&ratio[i]);
	}
	return ok;
}

int main(int argc, char **argv)
{
	struct options o = {.pair = {.kind = NO_OP,
				     .guarded = true,
				     .size = 64,
				     .mtu = 1024,
				     .signal = 1,
				     .burst = 32,
				     .qps = 1,
				     .regions = 1,
				     .buffer = 1 << 20},
			    .reps = 25,
			    .ms = 10};
	struct pair_options check;
	const char *wrong;

	take_options(&o, argc, argv);
	o.one_row = o.pair.kind != NO_OP;
	if (!o.one_row)
		o.pair.kind = RN_WQE_SEND;
	check = o.pair;
	wrong = o.reps == 0 || o.ms == 0 ? "--reps and --ms are at least 1"
		: o.one_row || o.scale	 ? options_wrong(&o.pair)
					 : options_wrong(&check);
	if (wrong != NULL) {
		fprintf(stderr, "bench_core: %s\n", wrong);
		return 2;
	}
	if (o.scale)
		return run_scales(&o) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (!o.json && o.messages == 0)
		print_heads(&o);
	return (o.one_row ? run_row(&o) : run_table(&o)) ? EXIT_SUCCESS : EXIT_FAILURE;
}
