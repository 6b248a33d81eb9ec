/* Creates and releases ten thousand queue pairs, each with a completion queue, again and again. No
 * call fails, no object is left, no memory is lost. The test makes two rounds, or ten rounds if the
 * environment variable SOFTRNIC_TIER is ci or full. */
#include "fixture.h"

#include <malloc.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 10000 };

/* The limits allow MANY queue pairs and completion queues for the test, and one more of each for a
 * connected pair. Any further creation is refused. */
static const char config[] =
	"adapters = (\n"
	"{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
	"  ipv4 = [ \"192.0.2.1/24\" ]; },\n"
	"{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
	"  ipv4 = [ \"192.0.2.2/24\" ]; });\n"
	"eal = { hugepages = \"no\"; };\n"
	"limits = { max_qp = 10001; max_cq = 10001; };\n";

static IND2CompletionQueue *cqs[MANY];
static IND2QueuePair *qps[MANY];

static size_t resident(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Returns the number of bytes that malloc has given out. Returns 0 under a sanitizer, which finds
 * leaks itself. */
static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void one_more_of_each_is_refused(struct end *e)
{
	void *p;

	HR(CALL(adapters[0], CreateCompletionQueue, &IID_IND2CompletionQueue, e->file, 4, 0, 0, &p),
	   ND_INSUFFICIENT_RESOURCES);
	HR(CALL(adapters[0], CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)cqs[0],
		(IUnknown *)cqs[0], NULL, 4, 4, 1, 1, 0, &p),
	   ND_INSUFFICIENT_RESOURCES);
}

/* Releases all queue pairs and all completion queues. If queues_first is true, releases the
 * completion queues first. A released completion queue lives on until its queue pair is
 * released. */
static void release_all(bool queues_first)
{
	for (int i = 0; i < MANY; i++)
		if (queues_first)
			RELEASE(cqs[i]);
		else
			RELEASE(qps[i]);
	for (int i = MANY - 1; i >= 0; i--)
		if (queues_first)
			RELEASE(qps[i]);
		else
			RELEASE(cqs[i]);
}

static void one_round(struct pair *p, bool queues_first)
{
	const struct how how = {.depth = 4, .sge = 1, .inl = 16};

	for (uintptr_t i = 0; i < MANY; i++) {
		cqs[i] = new_cq(&p->a, 4);
		qps[i] = new_qp(&p->a, cqs[i], (void *)i, &how);
	}
	one_more_of_each_is_refused(&p->a);
	exchange(&p->a, &p->b);
	exchange(&p->b, &p->a);
	/* The first and the last queue pair complete a request. */
	for (uintptr_t i = 0; i < MANY; i += MANY - 1) {
		HR(CALL(qps[i], Receive, (void *)i, NULL, 0), ND_SUCCESS);
		HR(CALL(qps[i], Flush), ND_SUCCESS);
		reap_is(cqs[i], i, ND_CANCELED);
	}
	release_all(queues_first);
	exchange(&p->a, &p->b);
}

/* Waits until n objects of this kind are left. The library's delivery thread
 * (provider/os/delivery.h) may hold the last reference a moment longer. */
static void wait_for_live(const char *kind, uint64_t n)
{
	for (unsigned i = 0; i < 20000 && live_objects(kind) > n; i++)
		sleep_ms(1);
	assert_int_equal(live_objects(kind), n);
}

static void nd2_own_ten_thousand_queue_pairs_again_and_again(void **state)
{
	const char *tier = getenv("SOFTRNIC_TIER");
	unsigned rounds =
		tier != NULL && (strcmp(tier, "ci") == 0 || strcmp(tier, "full") == 0) ? 10 : 2;
	size_t before[2] = {0}, after[2];
	uint64_t live[2];
	struct pair p;

	pair_open_connected(&p, NULL);
	live[0] = live_objects("queue pair");
	live[1] = live_objects("completion queue");
	for (unsigned i = 0; i < rounds; i++) {
		time_t t = time(NULL);

		one_round(&p, i & 1);
		wait_for_live("queue pair", live[0]);
		wait_for_live("completion queue", live[1]);
		after[0] = resident();
		after[1] = allocated();
		print_message("round %u: %zu KB resident, %zu KB allocated, %ld s\n", i,
			      after[0] >> 10, after[1] >> 10, (long)(time(NULL) - t));
		if (i == 0)
			memcpy(before, after, sizeof(before));
	}
	pair_close(&p);
	assert_true(after[1] <= before[1] + (64u << 10));
#ifndef __SANITIZE_ADDRESS__
	assert_true(after[0] <= before[0] + (4u << 20));
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_ten_thousand_queue_pairs_again_and_again),
};

int main(void)
{
	use_config(config);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
