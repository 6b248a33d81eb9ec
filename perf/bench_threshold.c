/* Finds the message size from which one kind of request is faster than another kind:
 * - small Sends: inline data against data by reference
 * - large transfers: a Send that the receiver copies into place against a Read by the receiver
 *
 * The two kinds alternate, so that other load on the machine affects both. The result is the median
 * of the ratio of their times. The adapter's InlineRequestThreshold and LargeRequestThreshold
 * should be the sizes where the ratio crosses 1. Both ends run in one process over net_ring with
 * the inline idle policy, in one thread or two (--two). */
#include <pthread.h>
#include <rte_cycles.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_link.h"
#include "options.h"

/* bytes of a message buffer: 256 KiB plus 65 cache lines, so that the buffers start in different
 * cache sets */
#define RECEIVE	   ((256u << 10) + 4160)
#define STREAM	   32u
#define FIN_BYTES  8u
#define CARD_BYTES 32u /* bytes of the Send that announces data to Read: address, length, key */
#define PATIENCE_S 10

enum way { BY_REFERENCE, INLINE, SEND_AND_COPY, READ };

static const unsigned small[] = {8, 16, 32, 64, 96, 128, 160, 192, 224, 256, 384, 512};
static const unsigned large[] = {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144};

struct bench {
	struct link_options o;
	struct link_end a, b;
	struct link_shared shared;
	unsigned rounds;
	bool two_threads;
	/* end a writes these three fields while end b is idle */
	_Atomic enum way way;
	_Atomic unsigned size;
	_Atomic bool quit;
	uint8_t *place; /* memory at end b, into which end b copies received data */
	size_t copy_at;
};

/* ---- posting ---- */

static void post(struct link_end *e, uint8_t kind, uint16_t flags, size_t off, unsigned bytes,
		 uint64_t wr_id)
{
	struct rn_sge sge = {(uintptr_t)e->mem + off, bytes, e->lkey};
	struct rn_client_wr wr = {
		.kind = kind,
		.flags = flags,
		.wr_id = wr_id,
		.remote_va = e->peer.va + off,
		.rkey = e->peer.rkey,
		.sge = &sge,
		.num_sge = 1,
	};

	if (rn_client_qp_post(e->qp, &wr) != 0) {
		fprintf(stderr, "bench_threshold: a request was refused\n");
		exit(EXIT_FAILURE);
	}
}

static size_t next_place(const struct bench *t, size_t at)
{
	return at + 2 * t->a.stride > t->o.buffer ? 0 : at + t->a.stride;
}

/* ---- end b: the receiver ---- */

static void receive(struct bench *t, const struct rn_cqe *cqe)
{
	struct link_end *b = &t->b;

	if (t->way == SEND_AND_COPY) {
		memcpy(t->place + t->copy_at, b->mem + t->copy_at, cqe->byte_len);
		post(b, RN_WQE_SEND, 0, 0, FIN_BYTES, 0);
	} else if (t->way == READ) {
		post(b, RN_WQE_READ, RN_WQE_SIGNALED, t->copy_at, t->size, 0);
	}
	t->copy_at = next_place(t, t->copy_at);
	link_post_recv(b);
}

static void serve(struct bench *t)
{
	struct rn_cqe cqe[32];
	bool fired;
	unsigned n;

	rn_client_cq_lock(t->b.cq);
	n = rn_client_cq_poll(t->b.cq, cqe, 32, &fired);
	rn_client_cq_unlock(t->b.cq);
	for (unsigned i = 0; i < n; i++) {
		t->b.bad += cqe[i].status != RN_STATUS_SUCCESS;
		if (cqe[i].flags & RN_CQE_RECV)
			receive(t, &cqe[i]);
		else if (cqe[i].kind == RN_WQE_READ)
			post(&t->b, RN_WQE_SEND, 0, 0, FIN_BYTES, 0);
	}
}

static void run_on(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *serve_in_thread(void *arg)
{
	struct bench *t = arg;

	run_on(1);
	while (!t->quit)
		serve(t);
	return NULL;
}

/* ---- end a: the sender ---- */

static void turn(struct bench *t, uint64_t since)
{
	link_poll(&t->a);
	if (!t->two_threads)
		serve(t);
	if (t->a.bad + t->b.bad != 0 || rte_rdtsc() - since > PATIENCE_S * rte_get_tsc_hz()) {
		fprintf(stderr,
			"bench_threshold: the other end does not respond, or a request failed\n");
		exit(EXIT_FAILURE);
	}
}

/* Posts STREAM Sends at once and waits until the peer has acknowledged all of them. Returns the
 * time in TSC ticks. */
static double stream(struct bench *t)
{
	uint16_t flags = t->way == INLINE ? RN_WQE_INLINE : 0;
	uint64_t t0 = rte_rdtsc(), last = t->a.send_done + STREAM;

	for (uint64_t i = t->a.send_done + 1; i <= last; i++)
		post(&t->a, RN_WQE_SEND, i == last ? flags | RN_WQE_SIGNALED : flags,
		     (i % STREAM) * 512, t->size, i);
	while (t->a.send_done != last)
		turn(t, t0);
	return (double)(rte_rdtsc() - t0);
}

/* Transfers one message to end b: by Send and copy, or by Read. Waits for the confirmation of end
 * b, a Send of FIN_BYTES. Returns the time in TSC ticks. */
static double transfer(struct bench *t)
{
	uint64_t t0 = rte_rdtsc(), before = t->a.recvd;

	post(&t->a, RN_WQE_SEND, 0, t->copy_at, t->way == READ ? CARD_BYTES : t->size, 0);
	while (t->a.recvd == before)
		turn(t, t0);
	link_post_recv(&t->a);
	return (double)(rte_rdtsc() - t0);
}

static double measure(struct bench *t, enum way way)
{
	t->way = way;
	return way == INLINE || way == BY_REFERENCE ? stream(t) : transfer(t);
}

static void compare(struct bench *t, enum way usual, enum way other, unsigned size, unsigned per)
{
	struct rn_sample times = {0}, ratios = {0};
	double ns = 1e9 / (double)rte_get_tsc_hz() / per;

	t->size = size;
	for (unsigned i = 0; i < t->rounds + 10; i++) {
		/* alternate the order, so that neither kind always runs second */
		bool swap = i & 1;
		double x = measure(t, swap ? other : usual), y = measure(t, swap ? usual : other);
		double u = swap ? y : x, o = swap ? x : y;

		if (i < 10)
			continue;
		rn_sample_add(&times, u * ns);
		rn_sample_add(&ratios, o / u);
	}
	printf("%8u %12.0f %10.2f %10.2f %10.2f\n", size, rn_sample_at(&times, 0.5),
	       rn_sample_at(&ratios, 0.5), rn_sample_at(&ratios, 0.25),
	       rn_sample_at(&ratios, 0.75));
	rn_sample_free(&times);
	rn_sample_free(&ratios);
}

static void run(struct bench *t)
{
	printf("%s, path MTU %u, %u rounds\n", t->two_threads ? "two threads" : "one thread",
	       t->o.mtu, t->rounds);
	printf("Sends inline, against by reference\n%8s %12s %10s %10s %10s\n", "bytes", "usual ns",
	       "ratio", "quartile", "quartile");
	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		compare(t, BY_REFERENCE, INLINE, small[i], STREAM);
	printf("Read by the receiver, against Send and copy\n%8s %12s %10s %10s %10s\n", "bytes",
	       "usual ns", "ratio", "quartile", "quartile");
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		compare(t, SEND_AND_COPY, READ, large[i], 1);
}

/* ---- set-up ---- */

static void write_config(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	fprintf(f, "adapters = (\n");
	for (unsigned i = 0; i < 2; i++)
		fprintf(f,
			"{ name = \"end%u\"; port = \"ring\"; peer = \"end%u\"; mac = \"02:00:00:00:00:%02u\";\n"
			"  ipv4 = [ \"192.0.2.%u/24\" ]; mtu = 9000; shards = 1; }%s\n",
			i, !i, i + 1, i + 1, i ? ");" : ",");
	fprintf(f, "idle = { policy = \"inline\"; };\neal = { hugepages = \"no\"; };\n");
	fclose(f);
}

static void open_ends(struct bench *t)
{
	char dir[] = "/tmp/bench_threshold.XXXXXX", config[64];

	if (mkdtemp(dir) == NULL)
		exit(EXIT_FAILURE);
	snprintf(config, sizeof(config), "%s/conf", dir);
	write_config(config);
	link_end_open(&t->o, &t->a, &t->shared, config, 0, 0);
	link_end_open(&t->o, &t->b, &t->shared, config, 1, 1);
	unlink(config);
	rmdir(dir);
	link_end_connect(&t->o, &t->a, &t->shared, 0);
	link_end_connect(&t->o, &t->b, &t->shared, 1);
	t->place = aligned_alloc(4096, t->o.buffer);
	memset(t->place, 0, t->o.buffer);
}

static void take_options(struct bench *o, int argc, char **argv)
{
	const struct rn_option options[] = {
		{"rounds", "N", "of each measurement [1000]", rn_option_number, &o->rounds},
		{"mtu", "BYTES", "256, 512, 1024, 2048 or 4096 [4096]", rn_option_number,
		 &o->o.mtu},
		{"two", NULL, "an end per thread, on CPUs 0 and 1; else one thread drives both",
		 rn_option_true, &o->two_threads},
		{0},
	};

	rn_options_take(
		"bench_threshold: up to which size inline, and from which size RDMA, is faster",
		options, argc, argv);
}

int main(int argc, char **argv)
{
	static struct bench t = {.rounds = 1000,
				 .o = {.kind = RN_WQE_SEND,
				       .size = RECEIVE,
				       .mtu = 4096,
				       .window = STREAM,
				       .burst = 32,
				       .buffer = 8u << 20,
				       .inline_bytes = 512}};
	pthread_t thread;

	take_options(&t, argc, argv);
	if (t.rounds == 0 || t.o.mtu < 256 || t.o.mtu > 4096 || (t.o.mtu & (t.o.mtu - 1)) != 0) {
		fprintf(stderr, "bench_threshold: --rounds is not 0, --mtu a path MTU\n");
		return 2;
	}
	open_ends(&t);
	run_on(0);
	if (t.two_threads && pthread_create(&thread, NULL, serve_in_thread, &t) != 0)
		return EXIT_FAILURE;
	run(&t);
	t.quit = true;
	if (t.two_threads)
		pthread_join(thread, NULL);
	link_end_close(&t.a);
	link_end_close(&t.b);
	free(t.place);
	return EXIT_SUCCESS;
}
