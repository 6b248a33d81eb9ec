/* Random operations on the hash table and on an array must give the same results. The table has so
 * few buckets that chains form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/htab.h"
#include "base/rng.h"

#define THINGS 200

struct thing {
	struct rn_hnode node;
	uint64_t key;
	bool in;
};

static struct thing *find(const struct rn_htab *h, uint64_t key, uint64_t hash)
{
	for (struct rn_hnode *n = rn_htab_first(h, hash); n; n = rn_htab_next(n)) {
		struct thing *t = rn_container_of(n, struct thing, node);
		if (t->key == key)
			return t;
	}
	return NULL;
}

/* `hashes` limits the number of different hash values. With a low limit, different keys often have
 * equal hashes. */
static void random_operations(uint64_t hashes)
{
	struct rn_hnode *bucket[16];
	struct rn_htab h;
	struct thing thing[THINGS] = {0};
	struct rn_rng rng;
	uint32_t in = 0;

	rn_rng_seed(&rng, hashes);
	rn_htab_init(&h, bucket, RN_ARRAY_SIZE(bucket));
	for (unsigned i = 0; i < THINGS; i++)
		thing[i].key = rn_rng_next(&rng);
	for (unsigned step = 0; step < 20000; step++) {
		struct thing *t = &thing[rn_rng_below(&rng, THINGS)];
		uint64_t hash = rn_hash_u64(t->key) % hashes;
		assert_ptr_equal(find(&h, t->key, hash), t->in ? t : NULL);
		if (t->in)
			rn_htab_del(&h, &t->node);
		else
			rn_htab_add(&h, &t->node, hash);
		t->in = !t->in;
		in += t->in ? 1 : -1u;
		assert_int_equal(h.count, in);
	}
}

static void test_random(void **state)
{
	random_operations(3);
	random_operations(50);
	random_operations(UINT64_MAX);
}

static void test_newest_of_equal_keys_first(void **state)
{
	struct rn_hnode *bucket[1];
	struct rn_htab h;
	struct thing a = {.key = 1}, b = {.key = 1};
	rn_htab_init(&h, bucket, 1);
	rn_htab_add(&h, &a.node, 9);
	rn_htab_add(&h, &b.node, 9);
	assert_ptr_equal(find(&h, 1, 9), &b);
	assert_ptr_equal(rn_htab_next(&b.node), &a.node);
	assert_null(rn_htab_next(&a.node));
	assert_null(rn_htab_first(&h, 10));
}

static void test_hash_of_bytes(void **state)
{
	uint8_t key[24] = {0};
	uint64_t base = rn_hash_bytes(key, sizeof(key), 1);
	assert_true(base == rn_hash_bytes(key, sizeof(key), 1));
	assert_true(base != rn_hash_bytes(key, sizeof(key), 2));
	assert_true(base != rn_hash_bytes(key, sizeof(key) - 1, 1));
	for (unsigned bit = 0; bit < sizeof(key) * 8; bit++) {
		key[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_true(base != rn_hash_bytes(key, sizeof(key), 1));
		key[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_newest_of_equal_keys_first),
		cmocka_unit_test(test_hash_of_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
