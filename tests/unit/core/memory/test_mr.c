/* Memory regions: keys, bounds, rights, and a reader that races with the control thread. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <stdio.h>

#include "memory/mr_check.h"
#include "rig.h"

static uint8_t mem[4096];

static struct rn_mr_attr region(uint64_t iova, uint64_t length, uint32_t access)
{
	return (struct rn_mr_attr){
		.ptr = mem, .iova = iova, .length = length, .pd = 7, .access = access};
}

#define RW (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE)

/* rn_mr_check() checks bounds, PD, rights and key of an access. The table has accesses at each
 * bound and just beyond it. */
static void test_check(void **state)
{
	static const struct {
		uint64_t addr, len;
		uint32_t pd, need;
		enum rn_verdict v;
	} rows[] = {
		{0x1000, 4096, 7, RW, RN_V_OK},
		{0x1000, 1, 7, 0, RN_V_OK},
		{0x1FFF, 1, 7, 0, RN_V_OK},
		{0x2000, 0, 7, 0, RN_V_OK},
		{0x2000, 1, 7, 0, RN_V_REQ_BOUNDS},
		{0x2001, 0, 7, 0, RN_V_REQ_BOUNDS},
		{0x0FFF, 0, 7, 0, RN_V_REQ_BOUNDS},
		{0x0FFF, 1, 7, 0, RN_V_REQ_BOUNDS},
		{0x0FFF, 2, 7, 0, RN_V_REQ_BOUNDS},
		{0x1000, 4097, 7, 0, RN_V_REQ_BOUNDS},
		{0x1001, UINT64_MAX, 7, 0, RN_V_REQ_BOUNDS},
		{UINT64_MAX, 1, 7, 0, RN_V_REQ_BOUNDS},
		{UINT64_MAX - 3, 8, 7, 0, RN_V_REQ_BOUNDS},
		{0x1000, 1, 8, 0, RN_V_REQ_RKEY},
		{0x1000, 1, 7, RN_ACCESS_REMOTE_READ, RN_V_REQ_RIGHTS},
		{0x1000, 1, 7, RW | RN_ACCESS_REMOTE_READ, RN_V_REQ_RIGHTS},
	};
	struct rn_mr_table *t = rn_mr_table_create(16, &(struct rn_secret){{1}});
	struct rn_mr_attr a = region(0x1000, 4096, RW);
	uint32_t l, k;
	void *ptr;

	assert_int_equal(rn_mr_add(t, &a, &l, &k), 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		assert_int_equal(rn_mr_check(t, k, rows[i].pd, rows[i].addr, rows[i].len,
					     rows[i].need, &ptr),
				 rows[i].v);
		if (rows[i].v == RN_V_OK)
			assert_ptr_equal(ptr, mem + rows[i].addr - 0x1000);
	}
	for (unsigned bit = 0; bit < 32; bit++)
		assert_int_equal(rn_mr_check(t, k ^ 1u << bit, 7, 0x1000, 1, 0, &ptr),
				 RN_V_REQ_RKEY);
	assert_int_equal(rn_mr_check(t, 0, 7, 0x1000, 1, 0, &ptr), RN_V_REQ_RKEY);
	a = region(UINT64_MAX - 10, 12, RW);
	assert_int_equal(rn_mr_add(t, &a, &l, &k), -EINVAL);
	rn_mr_table_destroy(t);
}

/* Accesses to a removed region are refused at once. The region's slot is free only after
 * rn_mr_reclaim(). */
static void test_life(void **state)
{
	struct rn_mr_table *t = rn_mr_table_create(2, &(struct rn_secret){{9}});
	struct rn_mr_attr a = region(0, 16, RW);
	uint32_t k[2], x;
	void *ptr;

	assert_int_equal(rn_mr_add(t, &a, &k[0], &x), 0);
	assert_int_equal(rn_mr_add(t, &a, &k[1], &x), 0);
	assert_int_equal(rn_mr_add(t, &a, &x, &x), -ENOSPC);
	assert_int_equal(rn_mr_remove(t, k[0] ^ 0x100), -ENOENT);
	assert_int_equal(rn_mr_remove(t, k[0]), 0);
	assert_int_equal(rn_mr_remove(t, k[0]), -ENOENT);
	assert_int_equal(rn_mr_check(t, k[0], 7, 0, 1, 0, &ptr), RN_V_REQ_RKEY);
	/* the slot is not free before rn_mr_reclaim() */
	assert_int_equal(rn_mr_add(t, &a, &x, &x), -ENOSPC);
	rn_mr_reclaim(t, k[0]);
	/* Reuse one slot many times: an old key neither matches nor predicts the slot's new key. */
	for (unsigned i = 0; i < 300; i++) {
		assert_int_equal(rn_mr_add(t, &a, &x, &x), 0);
		assert_int_not_equal(x >> 8, k[0] >> 8);
		assert_int_not_equal(x & 0xFF, 0);
		assert_int_equal(rn_mr_check(t, k[0], 7, 0, 1, 0, &ptr), RN_V_REQ_RKEY);
		k[0] = x;
		assert_int_equal(rn_mr_remove(t, x), 0);
		rn_mr_reclaim(t, x);
	}
	assert_int_equal(rn_mr_count(t), 1);
	rn_mr_table_destroy(t);
}

/* A region is changed under its keys; between the two steps nobody can use it. */
static void test_change(void **state)
{
	struct rn_mr_table *t = rn_mr_table_create(2, &(struct rn_secret){{9}});
	struct rn_mr_attr a = region(0, 16, RW), b = region(0x4000, 8, 0);
	uint32_t key;
	void *ptr;

	b.ptr = mem + 100;
	b.pd = 8;
	assert_int_equal(rn_mr_add(t, &a, &key, &key), 0);
	assert_int_equal(rn_mr_suspend(t, key ^ 0x100, &b), -ENOENT);
	a.iova = UINT64_MAX - 3;
	assert_int_equal(rn_mr_suspend(t, key, &a), -EINVAL);
	assert_int_equal(rn_mr_check(t, key, 7, 0, 16, RW, &ptr), RN_V_OK);
	assert_int_equal(rn_mr_suspend(t, key, &b), 0);
	assert_int_equal(rn_mr_check(t, key, 7, 0, 16, 0, &ptr), RN_V_REQ_RKEY);
	assert_int_equal(rn_mr_suspend(t, key, &b), -ENOENT);
	assert_int_equal(rn_mr_remove(t, key), -ENOENT);
	assert_int_equal(rn_mr_count(t), 1);
	rn_mr_resume(t, key, &b);
	assert_int_equal(rn_mr_check(t, key, 7, 0x4000, 8, 0, &ptr), RN_V_REQ_RKEY);
	assert_int_equal(rn_mr_check(t, key, 8, 0x4000, 8, RW, &ptr), RN_V_REQ_RIGHTS);
	assert_int_equal(rn_mr_check(t, key, 8, 0x4000, 9, 0, &ptr), RN_V_REQ_BOUNDS);
	assert_int_equal(rn_mr_check(t, key, 8, 0x4001, 7, 0, &ptr), RN_V_OK);
	assert_ptr_equal(ptr, mem + 101);
	assert_int_equal(rn_mr_remove(t, key), 0);
	assert_int_equal(rn_mr_suspend(t, key, &b), -ENOENT);
	rn_mr_reclaim(t, key);
	assert_int_equal(rn_mr_count(t), 0);
	rn_mr_table_destroy(t);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* k holds the keys in the order of their registration. A step is the difference between the upper
 * 24 bits of two keys that lie `apart` registrations apart. Returns the number of different
 * steps. */
static uint32_t distinct_steps(const uint32_t *k, uint32_t n, uint32_t apart)
{
	uint32_t *step = malloc(n * sizeof(*step)), distinct = 1;

	for (uint32_t i = 0; i < n - apart; i++)
		step[i] = ((k[i + apart] >> 8) - (k[i] >> 8)) & 0xFFFFFF;
	qsort(step, n - apart, sizeof(*step), by_value);
	for (uint32_t i = 1; i < n - apart; i++)
		distinct += step[i] != step[i - 1];
	free(step);
	return distinct;
}

/* A caller that remembers where its last key was finds the region of that key again. It no longer
 * finds the region once the region is removed, even if its slot has another region. */
static void test_last_key(void **state)
{
	struct rn_mr_table *t = rn_mr_table_create(1, &(struct rn_secret){{9}});
	struct rn_mr_attr a = region(0, 16, RW);
	struct rn_mr_last last = {0};
	const struct rn_region *r;
	uint32_t key, next;

	assert_null(rn_mr_published_again(t, &last, 0));
	assert_int_equal(rn_mr_add(t, &a, &key, &key), 0);
	assert_null(rn_mr_published_again(t, &last, key ^ 0x100));
	r = rn_mr_published_again(t, &last, key);
	assert_ptr_equal(r, rn_mr_published(t, key));
	for (unsigned i = 0; i < 50; i++) {
		assert_ptr_equal(rn_mr_published_again(t, &last, key), r);
		assert_null(rn_mr_published_again(t, &last, key ^ 1));
		assert_null(rn_mr_published_again(t, &last, 0));
		assert_int_equal(rn_mr_remove(t, key), 0);
		assert_null(rn_mr_published_again(t, &last, key));
		rn_mr_reclaim(t, key);
		assert_int_equal(rn_mr_add(t, &a, &next, &next), 0);
		assert_null(rn_mr_published_again(t, &last, key));
		r = rn_mr_published_again(t, &last, next);
		assert_ptr_equal(r, rn_mr_published(t, next));
		key = next;
	}
	rn_mr_table_destroy(t);
}

static void test_many(void **state) /* all keys differ; no key can be computed from another key */
{
	enum { N = 1 << 17 };
	struct rn_mr_table *t = rn_mr_table_create(N, &(struct rn_secret){{3}});
	uint32_t *k = malloc(N * sizeof(*k)), same_step = 0, x;
	struct rn_mr_attr a = region(0, 16, 0);
	void *ptr;

	for (unsigned i = 0; i < N; i++)
		assert_int_equal(rn_mr_add(t, &a, &k[i], &x), 0);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(rn_mr_check(t, k[i], 7, 0, 16, 0, &ptr), RN_V_OK);
	for (unsigned i = 2; i < N; i++)
		same_step += ((k[i] >> 8) - (k[i - 1] >> 8)) == ((k[i - 1] >> 8) - (k[i - 2] >> 8));
	assert_true(same_step < N / 100);
	/* Keys that are registered much later cannot be predicted either. If keys were computed
	 * from a counter, keys a power of two apart would differ by only a few different steps. */
	for (unsigned apart = 1; apart < N; apart *= 2)
		assert_true(distinct_steps(k, N, apart) > (N - apart) / 100 * 99);
	qsort(k, N, sizeof(*k), by_value);
	for (unsigned i = 1; i < N; i++)
		assert_true(k[i] >> 8 != k[i - 1] >> 8);
	free(k);
	rn_mr_table_destroy(t);
}

/* rn_place() and rn_gather() copy within the region. Both functions copy nothing when the check
 * fails. */
static void test_gather_place(void **state)
{
	struct rn_mr_table *t = rn_mr_table_create(2, &(struct rn_secret){{9}});
	struct rn_mr_attr a = region(0x1000, 100, RN_ACCESS_LOCAL_WRITE);
	uint8_t b[16];
	uint32_t k;

	assert_int_equal(rn_mr_add(t, &a, &k, &k), 0);
	assert_int_equal(
		rn_place(t, &rn_mem_plain, k, 7, 0x1010, 5, RN_ACCESS_LOCAL_WRITE, "hello"),
		RN_V_OK);
	assert_memory_equal(mem + 0x10, "hello", 5);
	assert_int_equal(rn_gather(t, &rn_mem_plain, k, 7, 0x1011, 3, 0, b, NULL), RN_V_OK);
	assert_memory_equal(b, "ell", 3);
	assert_int_equal(rn_place(t, &rn_mem_plain, k, 7, 0x1010, 5, RW, "HELLO"), RN_V_REQ_RIGHTS);
	assert_int_equal(rn_place(t, &rn_mem_plain, k, 7, 0x1060, 5, 0, "HELLO"), RN_V_REQ_BOUNDS);
	assert_memory_equal(mem + 0x10, "hello", 5);
	rn_mr_table_destroy(t);
}

/* State shared with a reader thread, which looks up keys while regions are added and removed. A
 * lookup must never combine a key with the fields of another region. `quiet` counts the reader's
 * finished lookups. A removed region's slot may be reused when `quiet` has grown by two. */
struct race {
	struct rn_mr_table *t;
	_Atomic uint64_t name; /* what the reader looks up: key << 32 | number of the region */
	_Atomic uint64_t quiet;
	_Atomic bool stop;
	uint64_t seen, wrong;
};

static void *reader(void *arg)
{
	struct race *r = arg;

	while (!atomic_load(&r->stop)) {
		uint64_t name = atomic_load(&r->name);
		uint32_t key = name >> 32, which = (uint32_t)name;
		void *ptr;

		/* All fields of a region (iova, PD, address) contain the region's number. So a
		 * mixture of two regions would be detected. */
		if (rn_mr_check(r->t, key, which, which, 16, 0, &ptr) == RN_V_OK) {
			r->seen++;
			r->wrong += ptr != mem + (which & 0xFF);
		}
		atomic_fetch_add(&r->quiet, 1);
	}
	return NULL;
}

/* Beside busy processes each wait for the reader can take as long as their turns. */
#define RACE_ROUNDS 1000
#define RACE_S	    20

static void test_race(void **state)
{
	const time_t end = time(NULL) + RACE_S;
	const struct rn_secret keys = {{5}};
	struct race r = {.t = rn_mr_table_create(1, &keys)};
	/* A second table with the same secret hands out the same keys. Each region is added to this
	 * twin table first. So the reader thread can look up the key before the key is valid in
	 * r.t. */
	struct rn_mr_table *twin = rn_mr_table_create(1, &keys);
	pthread_t th;

	assert_int_equal(pthread_create(&th, NULL, reader, &r), 0);
	for (unsigned i = 1; i <= RACE_ROUNDS && time(NULL) < end; i++) {
		struct rn_mr_attr a = {.ptr = mem + (i & 0xFF), .iova = i, .length = 16, .pd = i};
		uint32_t key, next;
		uint64_t q;

		assert_int_equal(rn_mr_add(twin, &a, &next, &next), 0);
		atomic_store(&r.name, (uint64_t)next << 32 | i);
		assert_int_equal(rn_mr_add(r.t, &a, &key, &key), 0);
		assert_int_equal(key, next);
		q = atomic_load(&r.quiet);
		while (atomic_load(&r.quiet) < q + 2)
			sched_yield();
		assert_int_equal(rn_mr_remove(r.t, key), 0);
		q = atomic_load(&r.quiet);
		while (atomic_load(&r.quiet) < q + 2)
			sched_yield();
		rn_mr_reclaim(r.t, key);
		assert_int_equal(rn_mr_remove(twin, key), 0);
		rn_mr_reclaim(twin, key);
	}
	atomic_store(&r.stop, true);
	pthread_join(th, NULL);
	assert_true(r.seen > 0);
	assert_int_equal(r.wrong, 0);
	rn_mr_table_destroy(r.t);
	rn_mr_table_destroy(twin);
}

static long resident_mb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld %ld", &size, &resident), 2);
	fclose(f);
	return resident / 256;
}

/* A table of four million slots takes 270 MB of address space; unused slots take no memory. (With a
 * sanitizer, unused slots take shadow memory, an eighth of their size.) */
static void test_unused_slots_are_free(void **state)
{
	struct rn_mr_attr a = region(0x1000, 4096, RW);
	struct rn_mr_table *t;
	uint32_t l, k;
	long before;

	/* Some test runners make malloc() fill new memory, which would make the whole table
	 * resident. */
	mallopt(M_PERTURB, 0);
	before = resident_mb();
	t = rn_mr_table_create(1u << 22, &(struct rn_secret){{1}});
	assert_non_null(t);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(rn_mr_add(t, &a, &l, &k), 0);
	assert_true(resident_mb() - before < 64);
	rn_mr_table_destroy(t);
}

/* An atomic needs 8 bytes aligned to 8, both at the address that the peer names and in local
 * memory. */
static void test_atomic(void **state)
{
	static const struct {
		uint32_t skip; /* offset of the region's memory in `word` */
		uint64_t addr;
		enum rn_verdict v;
	} rows[] = {
		{0, 0x1000, RN_V_OK},
		{0, 0x1038, RN_V_OK},
		{0, 0x1039, RN_V_REQ_BOUNDS},
		{0, 0x1004, RN_V_REQ_MISALIGNED},
		{4, 0x1000, RN_V_REQ_MISALIGNED},
		{4, 0x1004, RN_V_REQ_MISALIGNED},
	};
	const struct rn_atomic three = {.swap_add = 3};
	const struct rn_mr_via via = {.pd = 7, .qpn = 100};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		static _Alignas(8) uint8_t word[72];
		struct rn_mr_table *t = rn_mr_table_create(2, &(struct rn_secret){{9}});
		struct rn_mr_attr a = region(0x1000, 64, RW | RN_ACCESS_REMOTE_ATOMIC);
		uint64_t old = 9, now;
		uint32_t key;

		memset(word, 0, sizeof(word));
		a.ptr = word + rows[i].skip;
		assert_int_equal(rn_mr_add(t, &a, &key, &key), 0);
		assert_int_equal(rn_atomic_remote(t, &rn_mem_plain, key, via, rows[i].addr, false,
						  &three, &old),
				 rows[i].v);
		assert_int_equal(old, rows[i].v == RN_V_OK ? 0 : 9);
		memcpy(&now, word + (rows[i].v == RN_V_OK ? rows[i].addr - 0x1000 : 0), 8);
		assert_int_equal(now, rows[i].v == RN_V_OK ? 3 : 0);
		rn_mr_table_destroy(t);
	}
}

static struct {
	size_t bytes;
	bool huge;
} advised[2];
static unsigned nadvised;

static void note_advice(void *memory, size_t bytes, bool huge)
{
	assert_non_null(memory);
	assert_true(nadvised < RN_ARRAY_SIZE(advised));
	advised[nadvised].bytes = bytes;
	advised[nadvised++].huge = huge;
}

/* 65,536 slots are 1,024 pages of 4 KiB. The first regions have a page each, so the table asks for
 * small pages, and for huge ones, once, when there are regions in most pages. */
static void test_huge_pages_for_a_filled_table(void **state)
{
	struct rn_mr_table *t = rn_mr_table_create(65536, &(struct rn_secret){{9}});
	struct rn_mr_attr a = region(0x1000, 4096, RW);
	uint32_t l, k;

	assert_non_null(t);
	nadvised = 0;
	rn_mr_table_advise(t, note_advice);
	assert_int_equal(nadvised, 1);
	assert_false(advised[0].huge);
	for (unsigned i = 0; i < 5000; i++) {
		assert_int_equal(nadvised, i < 4096 ? 1 : 2);
		assert_int_equal(rn_mr_add(t, &a, &l, &k), 0);
	}
	assert_true(advised[1].huge);
	for (unsigned i = 0; i < 2; i++)
		assert_true(advised[i].bytes >= 65536 * 64);
	rn_mr_table_destroy(t);
}

/* A table of any size can be filled and emptied, and each key finds its region. */
static void test_every_slot_can_be_taken(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 64, 100};
	struct rn_mr_attr a = region(0x1000, 4096, RW);
	void *ptr;

	for (unsigned s = 0; s < RN_ARRAY_SIZE(sizes); s++) {
		uint32_t n = sizes[s], k[100], x;
		struct rn_mr_table *t = rn_mr_table_create(n, &(struct rn_secret){{9}});

		for (unsigned round = 0; round < 3; round++) {
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(rn_mr_add(t, &a, &k[i], &x), 0);
			assert_int_equal(rn_mr_add(t, &a, &x, &x), -ENOSPC);
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(rn_mr_check(t, k[i], 7, 0x1000, 1, 0, &ptr),
						 RN_V_OK);
			for (uint32_t i = 0; i < n; i++) {
				assert_int_equal(rn_mr_remove(t, k[i]), 0);
				rn_mr_reclaim(t, k[i]);
				assert_int_equal(rn_mr_remove(t, k[i]), -ENOENT);
			}
		}
		rn_mr_table_destroy(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_last_key),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_gather_place),
		cmocka_unit_test(test_atomic),
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_unused_slots_are_free),
		cmocka_unit_test(test_huge_pages_for_a_filled_table),
		cmocka_unit_test(test_every_slot_can_be_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
