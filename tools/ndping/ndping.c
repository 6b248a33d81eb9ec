/* What is the bandwidth of Send in one direction? The client sends; the server receives and
 * compares the data. The server reports how many receives are posted: by the control message
 * ORDER_GO at the start, later by ORDER_CREDIT. So no message arrives without a receive. Runs in
 * one thread. */
#include "endpoint/endpoint.h"
#include "endpoint/meter.h"
#include "endpoint/pattern.h"
#include "endpoint/row.h"
#include "endpoint/talk.h"

#define PORT	   54324
#define ITERATIONS 500000
#define WARM_UP	   1000
#define WARM_BYTES 40
/* limit for the bytes of all receive buffers together; two buffers are allowed even if they exceed
 * the limit */
#define ROOM (64u << 20)

/* One end of the connection. e.mem starts with the pattern, which the client sends and the server
 * compares with received data. The server's receive buffers follow the pattern. */
struct side {
	struct endpoint e;
	unsigned pipeline;
	uint8_t *buffers;
};

static size_t stride(uint32_t size)
{
	return ((size_t)size + 63) & ~(size_t)63;
}

/* Returns the number of receives to post for messages of this size. */
static uint64_t receives_of(const struct side *s, uint32_t size)
{
	uint64_t fit = ROOM / stride(size);
	fit = fit < 2 ? 2 : fit;
	return fit < s->pipeline ? fit : s->pipeline;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void prepare(struct side *s, uint32_t largest, uint64_t pipeline, uint32_t seed,
		    bool receives)
{
	size_t pattern = stride((uint32_t)pattern_bytes(largest)),
	       room = 2 * stride(largest) > ROOM ? 2 * stride(largest) : ROOM;
	if (largest < 1 || largest > SIZE_LIMIT || pipeline < 1 ||
	    pipeline > s->e.info.MaxReceiveQueueDepth / 2)
		die("%llu messages of %u bytes at a time are too much",
		    (unsigned long long)pipeline, largest);
	s->pipeline = (unsigned)pipeline;
	endpoint_memory(&s->e, pattern + (receives ? least(room, pipeline * stride(largest)) : 0),
			ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	pattern_fill(s->e.mem, pattern_bytes(largest), seed);
	s->buffers = s->e.mem + pattern;
	ULONG receive_depth = s->pipeline + TALK_SLOTS, request_depth = s->pipeline + TALK_SLOTS;
	endpoint_queues(&s->e, &receive_depth, &request_depth);
}

/* ---- client: sends the messages ---- */

struct sending {
	uint64_t next, end, credits, under_way;
	bool done;
};

static void take_completion(struct side *s, struct sending *f)
{
	ND2_RESULT r;
	struct order o;
	talk_next(&s->e, &r);
	if (!talk_take_order(&s->e, &r, &o)) {
		f->under_way--;
		return;
	}
	talk_post_receives(&s->e, 1);
	if (o.kind == ORDER_CREDIT)
		f->credits += o.count;
	f->done = o.kind == ORDER_DONE;
}

static void ping(struct side *s, uint32_t size, uint64_t first, uint64_t count, struct meter *m)
{
	struct order go;
	talk_send(&s->e,
		  &(struct order){.kind = ORDER_RUN, .size = size, .first = first, .count = count});
	talk_await_order(&s->e, ORDER_GO, &go);
	talk_post_receives(&s->e, 1);
	struct sending f = {.next = first, .end = first + count, .credits = go.count};
	meter_start(m);
	while (!f.done || f.under_way > 0) {
		for (; f.next < f.end && f.credits > 0 && f.under_way < s->pipeline;
		     f.next++, f.credits--, f.under_way++)
			endpoint_send(&s->e, NULL, s->e.mem + pattern_offset(f.next), size, 0);
		take_completion(s, &f);
	}
	meter_stop(m);
}

static void measure(struct side *s, struct table *t, uint32_t size, uint64_t *number)
{
	struct row row;
	row_start(&row, &s->e, t, size, ITERATIONS, 1);
	for (uint64_t n; (n = row_next(&row)) > 0; *number += n)
		ping(s, size, *number, n, &row.meter);
	row_end(&row);
}

static void client(struct side *s, const struct options *o)
{
	struct order hello = {.kind = ORDER_HELLO,
			      .size = o->sizes.max,
			      .count = o->pipeline,
			      .seed = o->seed},
		     answer;
	struct meter warm = {0};
	struct table t;
	uint32_t small = o->sizes.max < WARM_BYTES ? o->sizes.max : WARM_BYTES;
	uint64_t number = o->iterations && o->iterations < WARM_UP ? o->iterations : WARM_UP;
	prepare(s, o->sizes.max, o->pipeline, o->seed, false);
	talk_post_receives(&s->e, TALK_SLOTS);
	talk_connect(&s->e, &hello, &answer);
	ping(s, small, 0, number, &warm);
	table_start(&t, table_default_columns, "ndping", o);
	for (uint32_t size = o->sizes.min; size; size = sizes_next(&o->sizes, size))
		measure(s, &t, size, &number);
	talk_send(&s->e, &(struct order){.kind = ORDER_BYE});
	talk_await_order(&s->e, ORDER_DONE, &answer);
	table_end(&t);
}

/* ---- server: receives and compares the messages ---- */

static void receive_one(struct side *s, uint8_t *at, uint64_t number, uint32_t size)
{
	ND2_RESULT r;
	talk_next(&s->e, &r);
	if (r.BytesTransferred != size)
		die("message %llu has %u bytes instead of %u", (unsigned long long)number,
		    r.BytesTransferred, size);
	if (!s->e.o->unchecked)
		pattern_check(at, s->e.mem, number, size);
	s->e.messages++;
	s->e.bytes += size;
}

static void receive_all(struct side *s, const struct order *run)
{
	uint64_t depth = receives_of(s, run->size), new = 0;
	depth = depth < run->count ? depth : run->count;
	for (uint64_t i = 0; i < depth; i++)
		endpoint_receive(&s->e, NULL, s->buffers + i * stride(run->size), run->size);
	talk_send(&s->e, &(struct order){.kind = ORDER_GO, .count = depth});
	for (uint64_t i = 0; i < run->count; i++) {
		uint8_t *at = s->buffers + i % depth * stride(run->size);
		receive_one(s, at, run->first + i, run->size);
		if (i + depth >= run->count)
			continue;
		endpoint_receive(&s->e, NULL, at, run->size);
		if (++new >= (depth + 1) / 2 || i + depth + 1 == run->count) {
			talk_send(&s->e, &(struct order){.kind = ORDER_CREDIT, .count = new});
			new = 0;
		}
	}
}

static void server(struct side *s)
{
	struct order hello, run;
	talk_await(&s->e, &hello);
	prepare(s, hello.size, hello.count, hello.seed, true);
	talk_post_receives(&s->e, 1);
	talk_accept(&s->e, &(struct order){.kind = ORDER_HELLO});
	for (talk_await_order(&s->e, 0, &run); run.kind == ORDER_RUN;
	     talk_await_order(&s->e, 0, &run)) {
		if (run.size < 1 || run.size > hello.size)
			die("the client wants to send %u bytes, but announced %u at most", run.size,
			    hello.size);
		receive_all(s, &run);
		talk_post_receives(&s->e, 1);
		talk_send(&s->e, &(struct order){.kind = ORDER_DONE});
	}
	if (run.kind != ORDER_BYE)
		die("the client sent order %u", run.kind);
	talk_send(&s->e, &(struct order){.kind = ORDER_DONE});
	printf("ndping: %llu messages, %llu bytes%s\n", (unsigned long long)s->e.messages,
	       (unsigned long long)s->e.bytes, s->e.o->unchecked ? "" : ", data compared");
}

static const struct tool tool = {
	.name = "ndping",
	.purpose =
		"Measures the bandwidth of Send in one direction, from the client to the server.",
	.groups = OPT_PAIR | OPT_RUN | OPT_MESSAGE,
	.port = PORT,
	.address_needed = true,
	.defaults = {.pieces = 1, .pipeline = 128, .sizes = {1, 4 << 20}, .timeout_s = 10},
};

int main(int argc, char **argv)
{
	struct options o;
	struct side s = {.pipeline = 0};
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
