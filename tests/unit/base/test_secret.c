/* Properties of the secrets:
 * - The keyed hash is SipHash-2-4.
 * - The keys of different purposes differ.
 * - A permutation yields every number once.
 * - The values of a stream look independent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/secret.h"

/* Two test vectors from the paper that published SipHash, with key 00 01 .. 0f and input 00 01
 * .. */
static void test_siphash_vectors(void **state)
{
	struct rn_secret s;
	uint8_t in[15];

	for (unsigned i = 0; i < sizeof(s.key); i++)
		s.key[i] = (uint8_t)i;
	for (unsigned i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)i;
	assert_true(rn_secret_hash(&s, in, 0) == UINT64_C(0x726fdb47dd0e0e31));
	assert_true(rn_secret_hash(&s, in, 15) == UINT64_C(0xa129ca6149be45e5));
}

static void test_seeds(void **state)
{
	struct rn_secrets a = rn_secrets_of_seed(7), same = rn_secrets_of_seed(7),
			  b = rn_secrets_of_seed(8);

	assert_memory_equal(&a, &same, sizeof(a));
	for (unsigned i = 0; i < RN_SECRETS; i++) {
		assert_memory_not_equal(&a.of[i], &b.of[i], sizeof(a.of[i]));
		for (unsigned j = 0; j < i; j++)
			assert_memory_not_equal(&a.of[i], &a.of[j], sizeof(a.of[i]));
	}
}

static void test_permutations(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 4, 5, 63, 64, 65, 1000, 16384, 70001};
	const struct rn_secrets s = rn_secrets_of_seed(3);

	for (unsigned i = 0; i < RN_ARRAY_SIZE(sizes); i++) {
		uint8_t *hit = calloc(1, sizes[i]);

		for (uint32_t x = 0; x < sizes[i]; x++) {
			uint32_t y = rn_secret_permute(&s.of[i % RN_SECRETS], x, sizes[i]);

			assert_true(y < sizes[i]);
			assert_int_equal(hit[y]++, 0);
		}
		free(hit);
	}
}

/* Permutes the QPN space, the largest space in use. The results of consecutive inputs must differ
 * in about half of their bits. The difference between consecutive results must not repeat, as it
 * would with an affine map. */
static void test_permutation_spreads(void **state)
{
	enum { N = 0xFFFFEE, MANY = 4096 };
	const struct rn_secrets s = rn_secrets_of_seed(4);
	uint32_t bits[24] = {0}, steps = 0, before = 0, step_before = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t y = rn_secret_permute(&s.of[RN_SECRET_QPNS], i, N), step = y - before;

		for (unsigned bit = 0; bit < 24; bit++)
			bits[bit] += (y ^ before) >> bit & 1;
		steps += step == step_before;
		before = y;
		step_before = step;
	}
	for (unsigned bit = 0; bit < 24; bit++)
		assert_in_range(bits[bit], MANY / 2 - MANY / 8, MANY / 2 + MANY / 8);
	assert_true(steps <= 1);
}

static void test_streams(void **state)
{
	enum { MANY = 4096 };
	const struct rn_secrets s = rn_secrets_of_seed(5);
	struct rn_stream a, same, another, other_purpose;
	uint32_t bits[64] = {0};
	uint64_t before = 0;

	rn_stream_init(&a, &s.of[RN_SECRET_TIDS], 0);
	rn_stream_init(&same, &s.of[RN_SECRET_TIDS], 0);
	rn_stream_init(&another, &s.of[RN_SECRET_TIDS], 1);
	rn_stream_init(&other_purpose, &s.of[RN_SECRET_KEYS], 0);
	for (unsigned i = 0; i < MANY; i++) {
		uint64_t x = rn_stream_next(&a);

		assert_true(x == rn_stream_next(&same));
		assert_true(x != rn_stream_next(&another));
		assert_true(x != rn_stream_next(&other_purpose));
		for (unsigned bit = 0; bit < 64; bit++)
			bits[bit] += (x ^ before) >> bit & 1;
		before = x;
	}
	for (unsigned bit = 0; bit < 64; bit++)
		assert_in_range(bits[bit], MANY / 2 - MANY / 8, MANY / 2 + MANY / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash_vectors), cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_permutations),	cmocka_unit_test(test_permutation_spreads),
		cmocka_unit_test(test_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
