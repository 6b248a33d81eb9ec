/* Registers very many regions at once: a hundred thousand, or a million if the environment variable
 * SOFTRNIC_TIER is full. Writes to regions chosen at random must succeed. All objects must be freed
 * at the end.
 *
 * The test prints times and memory. Times are not checked; the memory must be less than 2000 bytes
 * per region. */
#include "fixture.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PIECE 64u

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long size = 0, resident = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu %lu", &size, &resident), 2);
	fclose(f);
	return resident * 4096ul;
}

static unsigned how_many(void)
{
	const char *tier = getenv("SOFTRNIC_TIER");

	return tier != NULL && strcmp(tier, "full") == 0 ? 1000000 : 100000;
}

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	return *x ^= *x << 5;
}

static void write_to(struct pair *p, IND2MemoryRegion *mr, uint8_t *at, HRESULT expected)
{
	struct end target = {.buf = at, .remote = CALL(mr, GetRemoteToken)};
	ULONG bytes = PIECE;

	HR(post_write(&p->a, 0, bytes, 1, 0, &target, 0), ND_SUCCESS);
	reap_is(p->a.cq, 1, expected);
	if (expected == ND_SUCCESS)
		assert_memory_equal(at, p->a.buf, bytes);
}

static void nd2_own_a_great_many_regions(void **state)
{
	const unsigned n = how_many();
	IND2MemoryRegion **mr = calloc(n, sizeof(*mr));
	uint8_t *memory = calloc(n, PIECE);
	uint32_t x = 12345;
	size_t before, during;
	double t[4], longest = 0;
	struct pair p;

	assert_non_null(mr);
	assert_non_null(memory);
	memset(memory, 1, (size_t)n * PIECE);
	pair_open_connected(&p, NULL);
	before = resident_bytes();
	t[0] = seconds();
	for (unsigned i = 0; i < n; i++) {
		double begin = seconds();

		mr[i] = new_mr(&p.b);
		register_mr(mr[i], memory + (size_t)i * PIECE, PIECE,
			    ND_MR_FLAG_ALLOW_REMOTE_WRITE);
		if (seconds() - begin > longest)
			longest = seconds() - begin;
	}
	t[1] = seconds();
	during = resident_bytes();
	for (unsigned i = 0; i < 2000; i++) {
		unsigned which = i < 2 ? i * (n - 1) : next_random(&x) % n;

		fill(&p.a, 0, PIECE, i);
		write_to(&p, mr[which], memory + (size_t)which * PIECE, ND_SUCCESS);
	}
	t[2] = seconds();
	/* Release the regions in random order. Every other region is deregistered before its
	 * Release. */
	for (unsigned i = 0; i < n; i++) {
		unsigned other = i + next_random(&x) % (n - i);
		IND2MemoryRegion *gone = mr[other];
		OVERLAPPED ov = {0};

		mr[other] = mr[i];
		mr[i] = NULL;
		if (i & 1)
			ENDS(gone, CALL(gone, Deregister, &ov), &ov, ND_SUCCESS);
		assert_int_equal(CALL(gone, Release), 0);
	}
	t[3] = seconds();
	print_message(
		"%u regions: %.1f us to register (longest %.1f ms), %.1f us to let go, %.0f bytes each; "
		"a Write to one of them %.1f us\n",
		n, (t[1] - t[0]) / n * 1e6, longest * 1e3, (t[3] - t[2]) / n * 1e6,
		(double)(during - before) / n, (t[2] - t[1]) / 2000 * 1e6);
	assert_true((double)(during - before) / n < 2000);
	assert_int_equal(live_objects("memory region"), 2);
	write_to(&p, p.b.mr, p.b.buf, ND_SUCCESS);
	pair_close(&p);
	free(memory);
	free(mr);
}

static int nothing_is_left(void **state)
{
	close_adapters(state);
	nothing_lives();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nd2_own_a_great_many_regions, open_adapters,
						nothing_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
