/* CM timeout codes: which time a code stands for, and which code a given time gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cm/cm_priv.h"

static void a_code_is_a_power_of_two_of_4_us(void **state)
{
	assert_int_equal(rn_cm_time_of(0), 4096);
	assert_int_equal(rn_cm_time_of(1), 8192);
	assert_int_equal(rn_cm_time_of(20), 4294967296);
	assert_int_equal(rn_cm_time_of(31), 8796093022208);
	assert_int_equal(rn_cm_time_of(32), rn_cm_time_of(0)); /* the field has 5 bits */
}

static void the_code_of_a_time_is_the_smallest_that_suffices(void **state)
{
	static const struct {
		rn_time t;
		uint8_t code;
	} rows[] = {
		{0, 0},		  {4096, 0},	       {4097, 1},	    {8192, 1},
		{8193, 2},	  {RN_MS(500), 17},    {RN_S(4), 20},	    {4294967296, 20},
		{4294967297, 21}, {8796093022208, 31}, {8796093022209, 31}, {RN_TIME_NEVER, 31},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++)
		assert_int_equal(rn_cm_code_of(rows[i].t), rows[i].code);
}

static void each_code_is_the_code_of_its_time(void **state)
{
	for (uint8_t code = 0; code < 32; code++)
		assert_int_equal(rn_cm_code_of(rn_cm_time_of(code)), code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_code_is_a_power_of_two_of_4_us),
		cmocka_unit_test(the_code_of_a_time_is_the_smallest_that_suffices),
		cmocka_unit_test(each_code_is_the_code_of_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
