/* End-to-end credits: the credit codes in the AETH, and the last message that a requester may
 * start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/credit.h"

/* Number of receives for each credit code of the AETH (docs/spec/rocev2.md 3.6). */
static const uint32_t codes[31] = {0,	 1,    2,    3,	    4,	   6,	  8,	12,
				   16,	 24,   32,   48,    64,	   96,	  128,	192,
				   256,	 384,  512,  768,   1024,  1536,  2048, 3072,
				   4096, 6144, 8192, 12288, 16384, 24576, 32768};

static void test_codes(void **state)
{
	for (uint8_t c = 0; c < 31; c++)
		assert_int_equal(rn_credit_count(c), codes[c]);
	for (uint32_t n = 0; n < 40000; n++) {
		uint8_t c = rn_credit_code(n);

		assert_in_range(c, 0, 30);
		assert_true(codes[c] <= n && (c == 30 || codes[c + 1] > n));
	}
	assert_int_equal(rn_credit_code(UINT32_MAX), 30);
}

static bool starts(struct rn_credit *c, bool needs)
{
	bool first;

	return rn_credit_start(c, needs, 1, false, &first);
}

/* Until the first ACK with a credit count arrives, the number of messages is not limited. */
static void test_unheard_is_unlimited(void **state)
{
	struct rn_credit c;

	rn_credit_init(&c, true);
	for (unsigned i = 0; i < 100; i++)
		assert_true(starts(&c, true));
	assert_int_equal(c.ssn, 100);
}

/* An ACK with MSN 5 and 2 credits lets messages 6 and 7 start. Message 8 may start too, because one
 * message beyond the credits is allowed. Message 9 may not start. */
static void test_one_beyond(void **state)
{
	struct rn_credit c;
	bool first;

	rn_credit_init(&c, true);
	for (unsigned i = 0; i < 5; i++)
		assert_true(starts(&c, true));
	rn_credit_take(&c, 2, 5);
	for (unsigned i = 0; i < 3; i++)
		assert_true(starts(&c, true));
	assert_false(rn_credit_start(&c, true, 1, false, &first));
	assert_true(first);
	assert_false(rn_credit_start(&c, true, 1, false, &first));
	assert_false(first);
	/* Message 9 is a WRITE, which needs no receive, and may start. Message 10 is a SEND and may
	 * not start. */
	assert_true(starts(&c, false));
	assert_false(starts(&c, true));
	/* An ACK with MSN 9 and no credits. All nine messages are complete, so one message may
	 * still start. */
	rn_credit_take(&c, 0, 9);
	assert_true(starts(&c, true));
	assert_false(starts(&c, true));
	assert_int_equal(c.ssn, 10);
	rn_credit_take(&c, 1, 3); /* an ACK with an older MSN than the last one is ignored */
	assert_false(starts(&c, true));
	rn_credit_take(&c, RN_CREDIT_NONE, 9);
	for (unsigned i = 0; i < 100; i++)
		assert_true(starts(&c, true));
	/* Code 31 means that the peer reports no credits. After a code 31, a later credit count
	 * does not limit the requester again. */
	rn_credit_take(&c, 0, 9);
	assert_true(starts(&c, true));
}

/* The limit is compared modulo 2^24. So the wrap of SSN and MSN (24-bit message numbers) does no
 * harm. */
static void test_wrap(void **state)
{
	struct rn_credit c;

	rn_credit_init(&c, true);
	c.ssn = 0xFFFFFD;
	rn_credit_take(&c, 4, 0xFFFFFD); /* limit: 0xFFFFFD + 4 = SSN 1 (modulo 2^24) */
	for (unsigned i = 0; i < 5; i++)
		assert_true(starts(&c, true));
	assert_int_equal(c.ssn, 2);
	assert_false(starts(&c, true));
}

/* The peer's credit count does not follow the rules. Such a peer cannot stop the requester: with
 * nothing in flight one message may always start. */
static void test_nothing_in_flight(void **state)
{
	struct rn_credit c;
	bool first;

	rn_credit_init(&c, true);
	assert_true(starts(&c, true));
	rn_credit_take(&c, 0, 0); /* an ACK with MSN 0 and a credit count of 0 */
	assert_false(rn_credit_start(&c, true, 1, false, &first));
	assert_true(rn_credit_start(&c, true, 1, true, &first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_unheard_is_unlimited),
		cmocka_unit_test(test_one_beyond),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_nothing_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
