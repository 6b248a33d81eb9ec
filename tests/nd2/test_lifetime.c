/* Who keeps whom alive: objects are let go in every order, and in the end nothing is left. */
#include "fixture.h"

static void nd2_own_objects_are_counted(void **state)
{
	uint64_t before = live_objects("queue pair");
	struct pair p;

	pair_open_connected(&p, NULL);
	assert_int_equal(live_objects("queue pair"), before + 2);
	assert_int_equal(live_objects("completion queue"), 2);
	assert_int_equal(live_objects("memory region"), 2);
	assert_int_equal(live_objects("listener"), 1);
	assert_int_equal(live_objects("adapter"), 2);
	pair_close(&p);
}

/* What the adapters of the fixture are not needed for: opens and closes its own. */
static int nothing_is_left(void **state)
{
	close_adapters(state);
	nothing_lives();
	return open_adapters(state);
}

#define life(f) cmocka_unit_test_teardown(f, nothing_is_left)

static const struct CMUnitTest tests[] = {
	life(nd2_own_objects_are_counted),
};

nd2_main(tests)
