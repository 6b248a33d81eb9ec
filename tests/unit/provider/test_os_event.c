/* Events through the Nds* calls: reset modes, timeouts, descriptors, many waiters. */
#include "os_testing.h"

static HANDLE new_event(bool manual, bool set)
{
	HANDLE event;

	assert_status(NdsEventCreate(manual, set, &event), ND_SUCCESS);
	return event;
}

static void manual_events_stay_set(void **state)
{
	HANDLE event = new_event(true, false);

	assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
	assert_status(NdsEventSet(event), ND_SUCCESS);
	assert_status(NdsEventWait(event, 0), ND_SUCCESS);
	assert_status(NdsEventWait(event, NDS_INFINITE), ND_SUCCESS);
	assert_status(NdsEventReset(event), ND_SUCCESS);
	assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
	NdsHandleClose(event);
}

static void automatic_events_release_one_wait(void **state)
{
	HANDLE event = new_event(false, true);

	assert_status(NdsEventWait(event, 0), ND_SUCCESS);
	assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
	NdsEventSet(event);
	NdsEventSet(event);
	assert_status(NdsEventWait(event, 0), ND_SUCCESS);
	assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
	NdsHandleClose(event);
}

static void waits_end_in_time(void **state)
{
	HANDLE event = new_event(true, false);
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_status(NdsEventWait(event, 50), ND_TIMEOUT);
	assert_true(seconds_since(&start) >= 0.049);
	NdsHandleClose(event);
}

static void descriptors_follow_the_flag(void **state)
{
	for (int manual = 0; manual < 2; manual++) {
		HANDLE event = new_event(manual, true);
		int fd = NdsEventGetFd(event);

		assert_true(readable(fd));
		assert_int_equal(NdsEventGetFd(event), fd);
		assert_status(NdsEventWait(event, 0), ND_SUCCESS);
		assert_int_equal(readable(fd), manual);
		NdsEventReset(event);
		assert_false(readable(fd));
		NdsEventSet(event);
		NdsEventSet(event);
		assert_true(readable(fd));
		NdsEventReset(event);
		assert_false(readable(fd));
		NdsHandleClose(event);
	}
}

static void closed_and_foreign_handles_are_refused(void **state)
{
	HANDLE event = new_event(true, true);
	HANDLE port;
	ULONG index;

	assert_status(NdsPortCreate(&port), ND_SUCCESS);
	assert_status(NdsEventSet(port), ND_INVALID_HANDLE);
	assert_status(NdsEventWait(with_bits(event, 1), 0), ND_SUCCESS);
	assert_status(NdsHandleClose(with_bits(event, 1)), ND_SUCCESS);
	assert_status(NdsEventSet(event), ND_INVALID_HANDLE);
	assert_status(NdsEventReset(event), ND_INVALID_HANDLE);
	assert_status(NdsEventWait(event, 0), ND_INVALID_HANDLE);
	assert_status(NdsEventWaitAny(&event, 1, 0, &index), ND_INVALID_HANDLE);
	assert_int_equal(NdsEventGetFd(event), -1);
	assert_status(NdsEventSet(NULL), ND_INVALID_HANDLE);
	NdsHandleClose(port);
}

struct setter {
	HANDLE event;
	unsigned int after_ms;
};

static void *set_later(void *arg)
{
	struct setter *setter = arg;

	usleep(setter->after_ms * 1000);
	NdsEventSet(setter->event);
	return NULL;
}

static void one_of_several_events(void **state)
{
	HANDLE events[3] = {new_event(true, false), new_event(false, false),
			    new_event(true, false)};
	struct setter setter = {events[1], 20};
	pthread_t thread;
	ULONG index = 9;

	assert_status(NdsEventWaitAny(events, 3, 10, &index), ND_TIMEOUT);
	NdsEventSet(events[1]);
	NdsEventSet(events[2]);
	assert_status(NdsEventWaitAny(events, 3, 0, &index), ND_SUCCESS);
	assert_int_equal(index, 1);
	assert_status(NdsEventWaitAny(events, 3, 0, &index), ND_SUCCESS);
	assert_int_equal(index, 2);
	NdsEventReset(events[2]);
	pthread_create(&thread, NULL, set_later, &setter);
	assert_status(NdsEventWaitAny(events, 3, NDS_INFINITE, &index), ND_SUCCESS);
	assert_int_equal(index, 1);
	pthread_join(thread, NULL);
	assert_status(NdsEventWaitAny(events, 0, 0, &index), ND_INVALID_PARAMETER);
	assert_status(NdsEventWaitAny(events, NDS_WAIT_MAX + 1, 0, &index), ND_INVALID_PARAMETER);
	for (int i = 0; i < 3; i++)
		NdsHandleClose(events[i]);
}

/* Two threads signal each other in turn through auto-reset events. A lost signal would end a wait
 * with ND_TIMEOUT. A signal that counts twice would leave an event set at the end. */
enum { TURNS = 5000 };

static void *answer(void *arg)
{
	HANDLE *pair = arg;

	for (int i = 0; i < TURNS; i++) {
		if (NdsEventWait(pair[0], 20000) != ND_SUCCESS)
			break;
		NdsEventSet(pair[1]);
	}
	return NULL;
}

static void signals_are_neither_lost_nor_doubled(void **state)
{
	HANDLE pair[2] = {new_event(false, false), new_event(false, false)};
	pthread_t thread;

	pthread_create(&thread, NULL, answer, pair);
	for (int i = 0; i < TURNS; i++) {
		NdsEventSet(pair[0]);
		assert_status(NdsEventWait(pair[1], 20000), ND_SUCCESS);
	}
	pthread_join(thread, NULL);
	assert_status(NdsEventWait(pair[0], 0), ND_TIMEOUT);
	assert_status(NdsEventWait(pair[1], 0), ND_TIMEOUT);
	NdsHandleClose(pair[0]);
	NdsHandleClose(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		os_test(manual_events_stay_set),
		os_test(automatic_events_release_one_wait),
		os_test(waits_end_in_time),
		os_test(descriptors_follow_the_flag),
		os_test(closed_and_foreign_handles_are_refused),
		os_test(one_of_several_events),
		os_test(signals_are_neither_lost_nor_doubled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
