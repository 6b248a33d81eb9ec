/* PSN arithmetic is right around the 24-bit wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/psn.h"
#include "base/types.h"

static void test_diff(void **state)
{
	/* clang-format off */
	static const struct {
		uint32_t a, b;
		int32_t diff;
	} row[] = {
		{0,        0,        0},
		{1,        0,        1},
		{0,        1,        -1},
		{0,        0xFFFFFF, 1},
		{0xFFFFFF, 0,        -1},
		{5,        0xFFFFFE, 7},
		{0x7FFFFF, 0,        0x7FFFFF},
		{0x800000, 0,        -0x800000},
		{0,        0x800000, -0x800000},
		{0,        0x800001, 0x7FFFFF},
		{0x123456, 0x123457, -1},
	};
	/* clang-format on */
	for (size_t i = 0; i < RN_ARRAY_SIZE(row); i++) {
		assert_int_equal(rn_psn_diff(row[i].a, row[i].b), row[i].diff);
		assert_int_equal(rn_psn_before(row[i].a, row[i].b), row[i].diff < 0);
	}
}

static void test_add(void **state)
{
	assert_int_equal(rn_psn_add(0xFFFFFE, 1), 0xFFFFFF);
	assert_int_equal(rn_psn_add(0xFFFFFE, 2), 0);
	assert_int_equal(rn_psn_add(0, 0xFFFFFF), 0xFFFFFF);
	assert_int_equal(rn_psn_add(5, (uint32_t)-6), 0xFFFFFF);
	assert_int_equal(RN_PSN_WINDOW, 0x800000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_add),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
