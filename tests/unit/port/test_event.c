/* The event queue delivers all events in order, however many are queued. Waiting for events has a
 * timeout and can be interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

#include "nic/event.h"

static struct rn_event_queue q;

static void keeps_all_in_order(void **state)
{
	struct rn_event ev[7];
	uint32_t put = 0, got = 0;

	assert_int_equal(rn_events_init(&q), 0);
	while (got < 5000) {
		for (unsigned i = 0; i < 11 && put < 5000; i++) {
			ev[0] = (struct rn_event){.id = put++};
			assert_true(rn_events_put(&q, &ev[0]));
		}
		unsigned n = rn_events_wait(&q, ev, 7, 0);
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(ev[i].id, got++);
	}
	assert_int_equal(rn_events_wait(&q, ev, 7, 0), 0);
	rn_events_fini(&q);
}

static void *put_later(void *arg)
{
	struct rn_event ev = {0};

	for (uint32_t i = 0; i < 3000; i++) {
		ev.id = i;
		rn_events_put(&q, &ev);
	}
	return NULL;
}

static void wakes_the_waiter(void **state)
{
	struct rn_event ev;
	pthread_t t;

	assert_int_equal(rn_events_init(&q), 0);
	assert_int_equal(rn_events_wait(&q, &ev, 1, 2), 0);
	pthread_create(&t, NULL, put_later, NULL);
	for (uint32_t i = 0; i < 3000; i++) {
		assert_int_equal(rn_events_wait(&q, &ev, 1, -1), 1);
		assert_int_equal(ev.id, i);
	}
	pthread_join(t, NULL);
	rn_events_interrupt(&q);
	assert_int_equal(rn_events_wait(&q, &ev, 1, -1), 0);
	assert_int_equal(rn_events_wait(&q, &ev, 1, 1), 0);
	rn_events_fini(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_all_in_order),
		cmocka_unit_test(wakes_the_waiter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
