/* Tests of sleeping: a sleep takes at least the given time. */
#include "threading.h"

static void test_Sleep(void **state)
{
	Sleep(0);
	assert_takes(30, Sleep(30));
}

static void test_SleepEx(void **state)
{
	assert_takes(10, assert_int_equal(SleepEx(10, TRUE), 0));
}

static void test_SwitchToThread(void **state)
{
	assert_true(SwitchToThread());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_Sleep),
		cmocka_unit_test(test_SleepEx),
		cmocka_unit_test(test_SwitchToThread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
