/* How many queues fit a driver? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "port/fit.h"

static void a_driver_is_asked_for_no_queue_that_a_card_lacks(void **state)
{
	assert_int_equal(rn_fit_queues("net_e1000_em"), 1);
	assert_int_equal(rn_fit_queues("net_e1000_igb"), UINT16_MAX);
	assert_int_equal(rn_fit_queues("net_virtio"), UINT16_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_driver_is_asked_for_no_queue_that_a_card_lacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
