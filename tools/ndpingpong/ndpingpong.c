/* What is the latency of a message? The client sends pings, and the server answers each ping with a
 * pong. The latency is half of the round trip. Received data is compared while the clock is
 * stopped. Runs in one thread. */
#include "endpoint/endpoint.h"
#include "endpoint/meter.h"
#include "endpoint/pattern.h"
#include "endpoint/row.h"
#include "endpoint/talk.h"

#define PORT	   54325
#define ITERATIONS 100000
#define WARM_UP	   1000
#define WARM_BYTES 40

/* One end of the connection. e.mem holds the pattern to send, then two sets of `burst` receive
 * buffers. */
struct side {
	struct endpoint e;
	uint32_t seed, stride;
	unsigned burst; /* pings sent together */
	uint8_t *buffers;
};

/* Returns the message number of a ping. Pings have even numbers, pongs have odd numbers. */
static uint64_t ping_number(uint64_t round)
{
	return 2 * round;
}

static uint64_t pong_number(uint64_t round)
{
	return 2 * round + 1;
}

static void prepare(struct side *s, uint32_t largest, uint64_t burst, uint32_t seed)
{
	size_t pattern = (pattern_bytes(largest) + 63) & ~(size_t)63;
	if (largest > SIZE_LIMIT || burst < 1 || burst > s->e.info.MaxReceiveQueueDepth / 4)
		die("%llu messages of %u bytes at a time are too much", (unsigned long long)burst,
		    largest);
	s->burst = (unsigned)burst;
	s->stride = (largest + 63) & ~63u;
	s->seed = seed;
	endpoint_memory(&s->e, pattern + 2 * burst * s->stride, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	pattern_fill(s->e.mem, pattern_bytes(largest), seed);
	s->buffers = s->e.mem + pattern;
	ULONG receives = 2 * s->burst + TALK_SLOTS, requests = s->burst + TALK_SLOTS;
	endpoint_queues(&s->e, &receives, &requests);
}

static uint8_t *buffer(const struct side *s, uint64_t round)
{
	return s->buffers + round % (2 * s->burst) * s->stride;
}

static void post_receives(struct side *s, uint64_t first, uint64_t n, uint32_t size)
{
	for (uint64_t i = first; i < first + n; i++)
		endpoint_receive(&s->e, buffer(s, i), buffer(s, i), size);
}

static void send_number(struct side *s, uint64_t number, uint32_t size)
{
	endpoint_send(&s->e, NULL, s->e.mem + pattern_offset(number), size, 0);
}

static uint64_t burst_of(const struct side *s, uint64_t left)
{
	return left < s->burst ? left : s->burst;
}

/* Takes one completion. Returns true for a receive, false for a send. */
static bool one_completion(struct side *s, uint32_t size)
{
	ND2_RESULT r;
	talk_next(&s->e, &r);
	if (r.RequestType == Nd2RequestTypeReceive && r.BytesTransferred != size)
		die("a message has %u bytes instead of %u", r.BytesTransferred, size);
	return r.RequestType == Nd2RequestTypeReceive;
}

static void check(struct side *s, uint64_t round, uint64_t number, uint32_t size)
{
	s->e.messages++;
	s->e.bytes += size;
	if (!s->e.o->unchecked)
		pattern_check(buffer(s, round), s->e.mem, number, size);
}

/* ---- client: sends pings and measures ---- */

static void ping(struct side *s, uint32_t size, uint64_t first, uint64_t count, struct meter *m)
{
	struct order run = {.kind = ORDER_RUN, .size = size, .first = first, .count = count}, go;
	talk_post_receives(&s->e, 1);
	talk_send(&s->e, &run);
	talk_await_order(&s->e, ORDER_GO, &go);
	for (uint64_t at = first, n; at < first + count; at += n) {
		uint64_t sends = n = burst_of(s, first + count - at), receives = n;
		post_receives(s, at, n, size);
		meter_start(m);
		for (uint64_t i = at; i < at + n; i++)
			send_number(s, ping_number(i), size);
		while (receives > 0)
			one_completion(s, size) ? receives-- : sends--;
		meter_stop(m);
		while (sends > 0)
			one_completion(s, size) ? receives-- : sends--;
		for (uint64_t i = at; i < at + n; i++)
			check(s, i, pong_number(i), size);
	}
}

static void measure(struct side *s, struct table *t, uint32_t size, uint64_t *round)
{
	struct row row;
	row_start(&row, &s->e, t, size, ITERATIONS, 2);
	for (uint64_t n; (n = row_next(&row)) > 0; *round += n)
		ping(s, size, *round, n, &row.meter);
	row_end(&row);
}

static void client(struct side *s, const struct options *o)
{
	struct order hello = {.kind = ORDER_HELLO,
			      .size = o->sizes.max,
			      .count = o->pipeline,
			      .seed = o->seed},
		     answer;
	struct order bye = {.kind = ORDER_BYE};
	struct meter warm = {0};
	struct table t;
	uint32_t small = o->sizes.max < WARM_BYTES ? o->sizes.max : WARM_BYTES;
	uint64_t round = o->iterations && o->iterations < WARM_UP ? o->iterations : WARM_UP;
	prepare(s, o->sizes.max, o->pipeline, o->seed);
	talk_connect(&s->e, &hello, &answer);
	ping(s, small, 0, round, &warm);
	table_start(&t, table_default_columns, "ndpingpong", o);
	for (uint32_t size = o->sizes.min; size; size = sizes_next(&o->sizes, size))
		measure(s, &t, size, &round);
	talk_post_receives(&s->e, 1);
	talk_send(&s->e, &bye);
	/* the server confirms that all pings had the right data */
	talk_await_order(&s->e, ORDER_DONE, &answer);
	table_end(&t);
}

/* ---- server: answers pings with pongs ---- */

/* Answers pings. While the pings in one set of receive buffers are answered and checked, the other
 * set is posted for the next pings. */
static void pong(struct side *s, const struct order *run)
{
	uint64_t first = run->first, end = first + run->count;
	post_receives(s, first, burst_of(s, run->count), run->size);
	talk_send(&s->e, &(struct order){.kind = ORDER_GO});
	for (uint64_t at = first, n; at < end; at += n) {
		uint64_t sends = n = burst_of(s, end - at), received = 0;
		if (at + n < end)
			post_receives(s, at + n, burst_of(s, end - at - n), run->size);
		else
			talk_post_receives(&s->e, 1);
		while (sends > 0)
			if (one_completion(s, run->size))
				send_number(s, pong_number(at + received++), run->size);
			else
				sends--;
		for (uint64_t i = at; i < at + n; i++)
			check(s, i, ping_number(i), run->size);
	}
}

static void server(struct side *s)
{
	struct order hello, run;
	talk_await(&s->e, &hello);
	prepare(s, hello.size, hello.count, hello.seed);
	talk_post_receives(&s->e, 1);
	talk_accept(&s->e, &(struct order){.kind = ORDER_HELLO});
	for (talk_await_order(&s->e, 0, &run); run.kind == ORDER_RUN;
	     talk_await_order(&s->e, 0, &run)) {
		if (run.size > hello.size)
			die("the client sends %u bytes, more than the %u it announced", run.size,
			    hello.size);
		pong(s, &run);
	}
	if (run.kind != ORDER_BYE)
		die("the client sent order %u", run.kind);
	talk_send(&s->e, &(struct order){.kind = ORDER_DONE});
	printf("ndpingpong: %llu messages, %llu bytes%s\n", (unsigned long long)s->e.messages,
	       (unsigned long long)s->e.bytes, s->e.o->unchecked ? "" : ", data compared");
}

static const struct tool tool = {
	.name = "ndpingpong",
	.purpose = "Measures the latency of Send: half of the round-trip time.",
	.groups = OPT_PAIR | OPT_RUN | OPT_MESSAGE,
	.port = PORT,
	.address_needed = true,
	.defaults = {.pieces = 1, .pipeline = 1, .sizes = {1, 4 << 20}, .timeout_s = 10},
};

int main(int argc, char **argv)
{
	struct options o;
	struct side s = {.burst = 0};
	endpoint_program(&tool, &o, argc, argv);
	endpoint_open(&s.e, &o);
	if (o.server)
		server(&s);
	else
		client(&s, &o);
	int status = endpoint_close(&s.e);
	NdCleanup();
	return status;
}
