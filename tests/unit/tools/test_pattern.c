/* The test data of the ND tools: every kind of damage to a message shows as a difference from the
 * pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/pattern.h"

#define SIZE	 4096u
#define MESSAGES 1021u

static uint8_t pattern[SIZE + PATTERN_SPREAD], got[2 * SIZE];

static const uint8_t *message(uint64_t number)
{
	return pattern + pattern_offset(number);
}

static void finds_every_wrong_byte(void **state)
{
	memcpy(got, message(5), SIZE);
	assert_int_equal(pattern_differs(got, message(5), SIZE), SIZE);
	for (size_t at = 0; at < SIZE; at++) {
		uint8_t bit = (uint8_t)(1u << at % 8);
		got[at] ^= bit;
		assert_int_equal(pattern_differs(got, message(5), SIZE), at);
		/* a difference behind the end of the message is not reported */
		assert_int_equal(pattern_differs(got, message(5), at), at);
		got[at] ^= bit;
	}
}

/* Bytes that are left out, repeated or moved by any distance are found near their position. */
static void finds_shifted_and_repeated_bytes(void **state)
{
	for (size_t by = 1; by < SIZE / 2; by++) {
		memcpy(got, message(9) + by, SIZE);
		assert_true(pattern_differs(got, message(9), SIZE) < 8);
		memcpy(got, message(9), SIZE);
		memcpy(got + by, message(9), SIZE - by);
		assert_true(pattern_differs(got, message(9), SIZE) < by + 8);
	}
}

/* The patterns of two messages, or of two seeds, differ within the first bytes. So a check notices
 * old data in a buffer. */
static void messages_differ(void **state)
{
	static uint8_t other[SIZE + PATTERN_SPREAD];
	for (uint64_t a = 0; a < MESSAGES; a++) {
		assert_true(pattern_offset(a) + SIZE <= sizeof(pattern) &&
			    pattern_offset(a) % 64 == 0);
		for (uint64_t b = 0; b < a; b++)
			assert_true(pattern_differs(message(a), message(b), 16) < 8);
	}
	assert_int_equal(pattern_offset(MESSAGES), pattern_offset(0));
	pattern_fill(other, sizeof(other), 2);
	for (size_t at = 0; at + 8 <= sizeof(other); at += 8)
		assert_true(memcmp(pattern + at, other + at, 8) != 0);
}

static void fills_no_more_than_asked(void **state)
{
	for (size_t n = 0; n < 70; n++) {
		uint8_t *exact = malloc(n + 1);
		exact[n] = 0xEE;
		pattern_fill(exact, n, 1);
		assert_memory_equal(exact, pattern, n);
		assert_int_equal(exact[n], 0xEE);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_every_wrong_byte),
		cmocka_unit_test(finds_shifted_and_repeated_bytes),
		cmocka_unit_test(messages_differ),
		cmocka_unit_test(fills_no_more_than_asked),
	};
	pattern_fill(pattern, sizeof(pattern), 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
