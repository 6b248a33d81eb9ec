/* How long does it take until a Write is visible at the peer? The result is half of a round trip.
 * With -r the tool measures the time of a Read instead. Runs in one thread.
 *
 * A Write causes no completion at its target, so the target polls the last byte of its buffer.
 * These rules make sure that the target sees the whole message and no older data:
 * - The adapter stores a message in ascending order, the last byte last
 *   (ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED).
 * - Before the peer may send, the target changes the last byte of its buffer to an unexpected
 *   value.
 * - The last byte is read with acquire order, so that no byte read afterwards is older.
 * - The completion queue is polled too: this thread may have to drive the adapter, and the loss of
 *   the peer is reported in a completion.
 *
 * Messages arrive in two buffers alternately. Each side answers a message first and checks its data
 * while the answer travels. The peer writes to the same buffer again only after the answer to the
 * next message, which this side sends after the check. So every byte is compared at little cost. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoint/meter.h"
#include "endpoint/pattern.h"
#include "endpoint/row.h"
#include "endpoint/talk.h"

#define MOST 100000 /* greatest number of iterations of a table row */
/* Number of messages before the first row. Each has WARM_UP_BYTES, or the largest size if that size
 * is smaller. */
#define WARM_UP	      20
#define WARM_UP_BYTES 40
#define ORDERS	      4
#define NAP_US	      20 /* interval of polling memory with --blocking, in us */

static bool by_write, by_read;

/* One end of the connection. e.mem holds two receive buffers of `stride` bytes each, then the
 * pattern of this end. */
struct pong {
	struct endpoint e;
	struct options o;
	bool read, checked;
	uint32_t largest;
	size_t stride;
	uint8_t *theirs; /* copy of the peer's pattern, to check received data */
	uint64_t remote;
	uint32_t token;
	/* room: greatest number of requests in flight. in_flight: requests in flight now. */
	ULONG room, in_flight;
	/* an order (control message) that arrived while this end waited for another completion;
	 * kind 0: no order */
	struct order early;
	uint64_t next;
};

static const uint8_t *own_message(const struct pong *p, uint64_t number)
{
	return p->e.mem + 2 * p->stride + pattern_offset(number);
}

static uint8_t *buffer(const struct pong *p, uint64_t number)
{
	return p->e.mem + (number & 1) * p->stride;
}

/* Prepares the buffer for message `number`: gives the last byte a value that the message does not
 * have there. So the arrival of the message is visible. */
static void arm(struct pong *p, uint64_t number, uint32_t size)
{
	uint8_t last = p->theirs[pattern_offset(number) + size - 1];
	__atomic_store_n(buffer(p, number) + size - 1, (uint8_t)~last, __ATOMIC_RELEASE);
}

static bool arrived(const struct pong *p, uint64_t number, uint32_t size)
{
	uint8_t armed = (uint8_t)~p->theirs[pattern_offset(number) + size - 1];
	return __atomic_load_n(buffer(p, number) + size - 1, __ATOMIC_ACQUIRE) != armed;
}

static void check(const struct pong *p, uint64_t number, uint32_t size)
{
	if (p->checked)
		pattern_check(buffer(p, number), p->theirs, number, size);
}

/* Takes one completion. With `wait`, waits for a completion. Otherwise returns false if there is no
 * completion. */
static bool reap(struct pong *p, bool wait)
{
	ND2_RESULT r;
	if (wait)
		endpoint_next(&p->e, &r);
	else if (!endpoint_poll(&p->e, &r))
		return false;
	if (talk_is_own(&p->e, &r) || talk_take_order(&p->e, &r, &p->early))
		return true;
	if (p->in_flight == 0 || r.RequestContext != p)
		die("unexpected completion of a request");
	p->in_flight--;
	return true;
}

/* Waits for the next order (control message). The order may already have arrived in an earlier
 * wait, before this side's last Write completed. */
static void hear(struct pong *p, struct order *o)
{
	while (p->early.kind == 0)
		reap(p, true);
	*o = p->early;
	p->early.kind = 0;
	talk_post_receives(&p->e, 1);
}

static void send_message(struct pong *p, uint64_t number, uint32_t size)
{
	while (p->in_flight == p->room)
		reap(p, true);
	endpoint_write(&p->e, p, own_message(p, number), size, p->remote + (number & 1) * p->stride,
		       p->token, 0);
	p->in_flight++;
	while (p->o.blocking && p->in_flight > 0)
		reap(p, true);
}

static void await_message(struct pong *p, uint64_t number, uint32_t size)
{
	double began = 0;
	for (unsigned n = 1; !arrived(p, number, size); n++) {
		reap(p, false);
		if (n % 256 && !p->o.blocking)
			continue;
		if (p->o.blocking)
			usleep(NAP_US); /* sleeps, because a Write to memory wakes no thread */
		else
			sched_yield(); /* the peer's process may need this CPU */
		endpoint_interrupted(&p->e);
		double now = meter_now();
		began = began > 0 ? began : now;
		if (now - began > p->o.timeout_s)
			die("message %llu did not come within %u s", (unsigned long long)number,
			    p->o.timeout_s);
	}
}

static void finish_requests(struct pong *p)
{
	while (p->in_flight > 0)
		reap(p, true);
}

static void set_up(struct pong *p, uint32_t seed, uint32_t their_seed)
{
	ULONG receives = ORDERS, requests = p->o.pipeline + ORDERS;
	if (!(p->e.info.AdapterFlags & ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED))
		die("this adapter does not guarantee in-order stores (IN_ORDER_DMA): Writes cannot be polled");
	p->stride = ((size_t)p->largest + 63) & ~(size_t)63;
	endpoint_memory(&p->e, 2 * p->stride + pattern_bytes(p->largest),
			ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_RDMA_READ_SINK);
	/* touches all pages, so that no page fault occurs while the clock runs */
	memset(p->e.mem, 0, 2 * p->stride);
	pattern_fill(p->e.mem + 2 * p->stride, pattern_bytes(p->largest), seed);
	p->theirs = malloc(pattern_bytes(p->largest));
	if (p->theirs == NULL)
		die("no memory for %u bytes of pattern", p->largest);
	pattern_fill(p->theirs, pattern_bytes(p->largest), their_seed);
	endpoint_queues(&p->e, &receives, &requests);
	p->room = requests - ORDERS;
	talk_post_receives(&p->e, ORDERS);
}

/* Lets the peer access e.mem (receive buffers and pattern) through a memory window. Sends the
 * address of e.mem and the window's token to the peer. */
static void lend(struct pong *p)
{
	struct order go = {.kind = ORDER_GO, .addr = (uintptr_t)p->e.mem};
	go.token = endpoint_bind_window(&p->e, 2 * p->stride + pattern_bytes(p->largest),
					p->read ? ND_OP_FLAG_ALLOW_READ : ND_OP_FLAG_ALLOW_WRITE);
	talk_send(&p->e, &go);
}

static void hear_go(struct pong *p, struct order *go)
{
	hear(p, go);
	if (go->kind != ORDER_GO)
		die("protocol error: the peer sent message %u instead of %u", go->kind,
		    (unsigned)ORDER_GO);
}

static void borrow(struct pong *p)
{
	struct order go;
	hear_go(p, &go);
	p->remote = go.addr;
	p->token = go.token;
}

/* ---- client: writes or reads first, and measures ---- */

static void ping(struct pong *p, uint32_t size, uint64_t count)
{
	uint64_t k = p->next;
	for (uint64_t i = 0; i < count; i++, k++) {
		arm(p, k, size);
		send_message(p, k, size);
		if (i > 0)
			check(p, k - 1, size);
		await_message(p, k, size);
	}
	check(p, k - 1, size);
	finish_requests(p);
}

static void fetch(struct pong *p, uint32_t size, uint64_t count)
{
	for (uint64_t k = p->next; k < p->next + count; k++) {
		endpoint_read(&p->e, p, buffer(p, k), size,
			      p->remote + 2 * p->stride + pattern_offset(k), p->token, 0);
		p->in_flight++;
		if (k > p->next)
			check(p, k - 1, size);
		finish_requests(p);
	}
	check(p, p->next + count - 1, size);
}

static void run_batch(struct pong *p, uint32_t size, uint64_t count, struct meter *m)
{
	const struct order run = {
		.kind = ORDER_RUN, .size = size, .count = count, .first = p->next};
	struct order go;
	talk_send(&p->e, &run);
	hear_go(p, &go);
	meter_start(m);
	(p->read ? fetch : ping)(p, size, count);
	meter_stop(m);
	p->next += count;
}

static void run_row(struct pong *p, struct table *t, uint32_t size)
{
	struct row row;
	row_start(&row, &p->e, t, size, MOST, p->read ? 1 : 2);
	for (uint64_t n; (n = row_next(&row)) > 0;)
		run_batch(p, size, n, &row.meter);
	row_end(&row);
}

static void run_client(struct pong *p)
{
	const struct order hello = {.kind = ORDER_HELLO,
				    .size = p->largest,
				    .count = p->read,
				    .first = p->checked,
				    .seed = p->o.seed};
	struct order theirs;
	struct table t;
	struct meter idle = {0};
	set_up(p, p->o.seed, p->o.seed + 1);
	talk_connect(&p->e, &hello, &theirs);
	borrow(p);
	if (!p->read)
		lend(p);
	run_batch(p, p->largest < WARM_UP_BYTES ? p->largest : WARM_UP_BYTES, WARM_UP, &idle);
	printf("%s, scatter/gather entries: %u, %s\n",
	       p->read ? "Latency of a Read" : "Latency of a Write: half a round trip", p->e.pieces,
	       p->checked ? "checked" : "not checked");
	table_start(&t, table_default_columns, "ndrpingpong", &p->o);
	for (uint32_t size = p->o.sizes.min; size; size = sizes_next(&p->o.sizes, size))
		run_row(p, &t, size);
	table_end(&t);
	talk_send_bye(&p->e);
}

/* ---- server: answers the client's messages ---- */

static void pong(struct pong *p, const struct order *run)
{
	uint64_t end = run->first + run->count;
	for (uint64_t k = run->first; k < end; k++) {
		await_message(p, k, run->size);
		if (k + 1 < end)
			arm(p, k + 1, run->size);
		send_message(p, k, run->size);
		check(p, k, run->size);
	}
	finish_requests(p);
}

static void obey(struct pong *p, const struct order *run)
{
	if (run->kind != ORDER_RUN || run->size == 0 || run->size > p->largest || run->count == 0)
		die("protocol error: invalid order from the peer");
	arm(p, run->first, run->size);
	talk_send(&p->e, &(struct order){.kind = ORDER_GO});
	if (!p->read)
		pong(p, run);
	p->e.messages += run->count;
	p->e.bytes += run->count * run->size;
}

static void run_server(struct pong *p)
{
	const struct order mine = {.kind = ORDER_HELLO};
	struct order hello, o;
	talk_await(&p->e, &hello);
	p->read = hello.count;
	p->checked = hello.first;
	p->largest = hello.size;
	if (p->largest == 0 || p->largest > SIZE_LIMIT)
		die("the client announces messages of %u bytes: out of range", p->largest);
	set_up(p, hello.seed + 1, hello.seed);
	talk_accept(&p->e, &mine);
	lend(p);
	if (!p->read)
		borrow(p);
	while (hear(p, &o), o.kind != ORDER_BYE)
		obey(p, &o);
	printf("ndrpingpong: %llu messages, %llu bytes%s\n", (unsigned long long)p->e.messages,
	       (unsigned long long)p->e.bytes,
	       p->read	    ? " were read"
	       : p->checked ? ", data compared"
			    : " were written");
}

static const struct option_row rows[] = {
	{'w', "write", NULL, OPT_FLAG, OPT_ALL, &by_write, 0, 0,
	 "Writes in both directions (an option of the client; default)"},
	{'r', "read", NULL, OPT_FLAG, OPT_ALL, &by_read, 0, 0,
	 "single Reads (an option of the client)"},
	{.name = NULL},
};

static const struct tool tool = {
	.name = "ndrpingpong",
	.purpose =
		"Measures the latency of Write (ping-pong, half a round trip) or of a single Read.",
	.groups = OPT_PAIR | OPT_RUN | OPT_MESSAGE,
	.port = 54327,
	.defaults =
		{.pieces = 1, .pipeline = 16, .sizes = {1, 4 << 20}, .timeout_s = 30, .seed = 1},
	.address_needed = true,
	.rows = rows,
};

int main(int argc, char **argv)
{
	static struct pong p;
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
	free(p.theirs);
	NdCleanup();
	return status;
}
