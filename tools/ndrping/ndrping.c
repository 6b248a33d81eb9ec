/* What is the bandwidth of RDMA Write, or of RDMA Read? Runs in one thread.
 *
 * The server gives access to its memory through a memory window and sends the token. The client
 * writes or reads messages of one size, `pipeline` at a time, in batches. The messages of a batch
 * do not overlap at the target. After each batch, while the clock is stopped, the receiver of the
 * data checks every byte. The client checks Reads. The server checks Writes when the client's order
 * (a control message, endpoint/talk.h) arrives.
 *
 * With --no-check, messages overlap and batches are longer. The order then only shows the server
 * that the client is alive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/meter.h"
#include "endpoint/pattern.h"
#include "endpoint/row.h"
#include "endpoint/talk.h"

#define MOST 500000 /* greatest number of iterations of a table row */
/* bytes of memory for the data of a batch, but at least the length of the largest message */
#define ARRIVALS (16 << 20)
#define WARM_UP	 64 /* number of messages of one byte before the first row */
#define ORDERS	 4  /* number of receives for orders (control messages) that are always posted */

static bool by_write, by_read;

struct rping {
	struct endpoint e;
	struct options o;
	bool read, checked;
	uint32_t largest;
	uint64_t remote;
	uint32_t token;
	uint64_t next;	  /* number of the next message */
	uint64_t room;	  /* bytes of memory in which the data of a batch arrive */
	uint8_t *pattern; /* the expected data */
	ULONG pipeline;
};

static uint64_t arrivals(uint32_t largest)
{
	return largest > ARRIVALS ? largest : ARRIVALS;
}

/* Fills p->pattern with the sender's data. The sender copies the pattern to the memory from which
 * it sends. The receiver compares received data with the pattern. */
static void make_pattern(struct rping *p, uint32_t seed)
{
	p->pattern = malloc(pattern_bytes(p->largest));
	if (p->pattern == NULL)
		die("no memory for %u bytes of pattern", p->largest);
	pattern_fill(p->pattern, pattern_bytes(p->largest), seed);
}

static uint64_t slots(const struct rping *p, uint32_t size)
{
	return p->room / size;
}

/* Checks all messages of a batch and overwrites the messages with zeroes. So the next batch cannot
 * pass with old data. */
static void check_batch(const struct rping *p, uint32_t size, uint64_t count, uint64_t first)
{
	for (uint64_t i = 0; i < count; i++)
		pattern_check(p->e.mem + i * size, p->pattern, first + i, size);
	memset(p->e.mem, 0, count * size);
}

/* ---- client: moves the data and measures ---- */

static void post(struct rping *p, uint32_t size, uint64_t number, uint64_t slot)
{
	void *context = (void *)(uintptr_t)(number + 1);
	if (p->read)
		endpoint_read(&p->e, context, p->e.mem + slot * size, size,
			      p->remote + pattern_offset(number), p->token, 0);
	else
		endpoint_write(&p->e, context, p->e.mem + pattern_offset(number), size,
			       p->remote + slot * size, p->token, 0);
}

/* Moves one batch and waits for all its completions. The completions must come in the order of
 * posting. */
static void move_batch(struct rping *p, uint32_t size, uint64_t count)
{
	uint64_t posted = 0, done = 0, last = slots(p, size);
	ND2_RESULT r;
	while (done < count) {
		for (; posted < count && posted - done < p->pipeline; posted++)
			post(p, size, p->next + posted, posted % last);
		endpoint_next(&p->e, &r);
		if (talk_is_own(&p->e, &r))
			continue;
		if ((uintptr_t)r.RequestContext != p->next + ++done)
			die("a request completed out of order");
	}
}

/* Sends an order (control message) that asks the server to check the written data. The order
 * also shows that the client is alive: the server gets no completions for the client's Writes
 * and Reads. */
static void report_to_server(struct rping *p, uint32_t size, uint64_t count)
{
	const struct order ask = {
		.kind = ORDER_RUN, .size = size, .count = count, .first = p->next};
	struct order answer;
	talk_send(&p->e, &ask);
	talk_await_order(&p->e, ORDER_DONE, &answer);
	talk_post_receives(&p->e, 1);
}

static void run_batch(struct rping *p, uint32_t size, uint64_t count, struct meter *m)
{
	meter_start(m);
	move_batch(p, size, count);
	meter_stop(m);
	if (p->checked && p->read)
		check_batch(p, size, count, p->next);
	report_to_server(p, size, count);
	p->next += count;
}

static uint64_t batch_limit(const struct rping *p, uint32_t size)
{
	return !p->checked ? UINT64_MAX : slots(p, size);
}

static void run_row(struct rping *p, struct table *t, uint32_t size)
{
	struct row row;
	row_start(&row, &p->e, t, size, MOST, 1);
	row.plan.limit = batch_limit(p, size);
	for (uint64_t n; (n = row_next(&row)) > 0;)
		run_batch(p, size, n, &row.meter);
	row_end(&row);
}

static void run_client(struct rping *p)
{
	const struct order hello = {.kind = ORDER_HELLO,
				    .size = p->largest,
				    .count = p->read,
				    .first = p->checked,
				    .seed = p->o.seed};
	struct order theirs, go;
	struct table t;
	struct meter idle = {0};
	ULONG receives = ORDERS, requests = p->o.pipeline + ORDERS;
	p->room = arrivals(p->largest);
	endpoint_memory(&p->e, p->read ? p->room : pattern_bytes(p->largest),
			ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_RDMA_READ_SINK);
	make_pattern(p, p->o.seed);
	if (p->read)
		/* touches all pages, so that no page fault occurs while the clock runs */
		memset(p->e.mem, 0, p->room);
	else
		memcpy(p->e.mem, p->pattern, pattern_bytes(p->largest));
	endpoint_queues(&p->e, &receives, &requests);
	p->pipeline = requests - ORDERS;
	talk_post_receives(&p->e, ORDERS);
	talk_connect(&p->e, &hello, &theirs);
	talk_await_order(&p->e, ORDER_GO, &go);
	talk_post_receives(&p->e, 1);
	p->remote = go.addr;
	p->token = go.token;
	run_batch(p, 1, WARM_UP, &idle);
	printf("%s, %u under way, scatter/gather entries: %u, %s\n", p->read ? "Reads" : "Writes",
	       p->pipeline, p->e.pieces, p->checked ? "checked" : "not checked");
	table_start(&t, table_default_columns, "ndrping", &p->o);
	for (uint32_t size = p->o.sizes.min; size; size = sizes_next(&p->o.sizes, size))
		run_row(p, &t, size);
	table_end(&t);
	talk_send_bye(&p->e);
}

/* ---- server: lends memory and checks Writes ---- */

static void obey(struct rping *p, const struct order *o)
{
	bool check = p->checked && !p->read;
	if (o->kind != ORDER_RUN || o->size == 0 || o->size > p->largest ||
	    (check && o->count > slots(p, o->size)))
		die("protocol error: invalid order from the peer");
	if (check)
		check_batch(p, o->size, o->count, o->first);
	p->e.messages += o->count;
	p->e.bytes += o->count * o->size;
	talk_send(&p->e, &(struct order){.kind = ORDER_DONE});
}

static void run_server(struct rping *p)
{
	struct order hello, o = {.kind = ORDER_HELLO};
	ULONG receives = ORDERS, requests = ORDERS;
	talk_await(&p->e, &hello);
	p->read = hello.count;
	p->checked = hello.first;
	p->largest = hello.size;
	if (p->largest == 0 || p->largest > SIZE_LIMIT)
		die("the client announces messages of %u bytes: out of range", p->largest);
	p->room = p->read ? pattern_bytes(p->largest) : arrivals(p->largest);
	endpoint_memory(&p->e, p->room, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	make_pattern(p, hello.seed);
	if (p->read)
		memcpy(p->e.mem, p->pattern, p->room);
	else
		memset(p->e.mem, 0, p->room);
	endpoint_queues(&p->e, &receives, &requests);
	talk_post_receives(&p->e, ORDERS);
	talk_accept(&p->e, &o);
	o = (struct order){.kind = ORDER_GO, .addr = (uintptr_t)p->e.mem};
	o.token = endpoint_bind_window(&p->e, p->room,
				       p->read ? ND_OP_FLAG_ALLOW_READ : ND_OP_FLAG_ALLOW_WRITE);
	talk_send(&p->e, &o);
	while (talk_await_order(&p->e, 0, &o), o.kind != ORDER_BYE) {
		talk_post_receives(&p->e, 1);
		obey(p, &o);
	}
	printf("ndrping: %llu messages, %llu bytes%s\n", (unsigned long long)p->e.messages,
	       (unsigned long long)p->e.bytes,
	       p->read	    ? " were read"
	       : p->checked ? ", data compared"
			    : " were written");
}

static const struct option_row rows[] = {
	{'w', "write", NULL, OPT_FLAG, OPT_ALL, &by_write, 0, 0,
	 "Writes (the client says it; default)"},
	{'r', "read", NULL, OPT_FLAG, OPT_ALL, &by_read, 0, 0, "Reads (an option of the client)"},
	{.name = NULL},
};

static const struct tool tool = {
	.name = "ndrping",
	.purpose =
		"Measures how fast the client writes into the server's memory, or reads from it.",
	.groups = OPT_PAIR | OPT_RUN | OPT_MESSAGE,
	.port = 54326,
	.defaults =
		{.pieces = 1, .pipeline = 128, .sizes = {1, 4 << 20}, .timeout_s = 30, .seed = 1},
	.address_needed = true,
	.rows = rows,
};

int main(int argc, char **argv)
{
	static struct rping p;
	endpoint_program(&tool, &p.o, argc, argv);
	if (by_write && by_read)
		usage_error("-w and -r exclude each other");
	endpoint_open(&p.e, &p.o);
	p.read = by_read;
	p.checked = !p.o.unchecked;
	p.largest = p.o.sizes.max;
	if (p.o.server)
		run_server(&p);
	else
		run_client(&p);
	int status = endpoint_close(&p.e);
	free(p.pattern);
	NdCleanup();
	return status;
}
