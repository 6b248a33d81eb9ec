/*
 * Tests of waiting for one, for any, and for all of several objects. To take an object means: the
 * wait resets an automatic event, lowers the count of a semaphore, or acquires a mutex. The tests
 * check which objects a wait takes, in which order, and how long the wait lasts.
 */
#include "threading.h"

static HANDLE event_of(BOOL manual, BOOL set)
{
	HANDLE event = CreateEvent(NULL, manual, set, NULL);

	assert_non_null(event);
	return event;
}

static void close_all(HANDLE *handles, size_t n)
{
	while (n)
		assert_true(CloseHandle(handles[--n]));
}

static void *set_soon(void *event)
{
	Sleep(30);
	SetEvent(event);
	return NULL;
}

static void test_WaitForSingleObject(void **state)
{
	HANDLE event = event_of(FALSE, FALSE), foreign;
	pthread_t setter = run_beside(set_soon, event);

	assert_int_equal(WaitForSingleObject(event, INFINITE), WAIT_OBJECT_0);
	pthread_join(setter, NULL);
	assert_takes(40, assert_int_equal(WaitForSingleObject(event, 40), WAIT_TIMEOUT));
	SetEvent(event);
	assert_int_equal(WaitForSingleObject((HANDLE)((ULONG_PTR)event | 1), 1000), WAIT_OBJECT_0);
	CloseHandle(event);
	SetLastError(0);
	assert_int_equal(WaitForSingleObject(event, 0), WAIT_FAILED);
	assert_int_equal(GetLastError(), ERROR_INVALID_HANDLE);
	assert_int_equal(WaitForSingleObject(NULL, INFINITE), WAIT_FAILED);

	/* WaitForSingleObject also accepts an event made directly with NdsEventCreate. */
	assert_int_equal(NdsEventCreate(FALSE, TRUE, &foreign), 0);
	assert_int_equal(WaitForSingleObject(foreign, 0), WAIT_OBJECT_0);
	assert_int_equal(WaitForSingleObject(foreign, 0), WAIT_TIMEOUT);
	assert_true(SetEvent(foreign) && CloseHandle(foreign));
}

static void test_WaitForSingleObjectEx(void **state)
{
	HANDLE event = event_of(FALSE, TRUE);

	assert_int_equal(WaitForSingleObjectEx(event, 0, TRUE), WAIT_OBJECT_0);
	assert_takes(10, assert_int_equal(WaitForSingleObjectEx(event, 10, TRUE), WAIT_TIMEOUT));
	CloseHandle(event);
}

static void test_WaitForMultipleObjects(void **state)
{
	HANDLE handles[MAXIMUM_WAIT_OBJECTS + 1];
	pthread_t setter;

	for (size_t i = 0; i < _countof(handles); i++)
		handles[i] = event_of(FALSE, i == 3 || i == 5);
	assert_int_equal(WaitForMultipleObjects(MAXIMUM_WAIT_OBJECTS, handles, FALSE, INFINITE),
			 WAIT_OBJECT_0 + 3);
	assert_int_equal(WaitForMultipleObjects(MAXIMUM_WAIT_OBJECTS, handles, FALSE, INFINITE),
			 WAIT_OBJECT_0 + 5);
	assert_takes(20,
		     assert_int_equal(WaitForMultipleObjects(8, handles, FALSE, 20), WAIT_TIMEOUT));
	setter = run_beside(set_soon, handles[63]);
	assert_int_equal(WaitForMultipleObjects(64, handles, FALSE, INFINITE), WAIT_OBJECT_0 + 63);
	pthread_join(setter, NULL);

	SetLastError(0);
	assert_int_equal(WaitForMultipleObjects(65, handles, FALSE, 0), WAIT_FAILED);
	assert_int_equal(GetLastError(), ERROR_INVALID_PARAMETER);
	assert_int_equal(WaitForMultipleObjects(0, handles, FALSE, 0), WAIT_FAILED);
	CloseHandle(handles[1]);
	SetLastError(0);
	assert_int_equal(WaitForMultipleObjects(3, handles, FALSE, 0), WAIT_FAILED);
	assert_int_equal(GetLastError(), ERROR_INVALID_HANDLE);
	handles[1] = event_of(FALSE, FALSE);
	close_all(handles, _countof(handles));
}

/*
 * A wait for all of four objects of different kinds takes no object until all four are signalled.
 */
static void wait_for_all_kinds_of_objects(void **state)
{
	HANDLE handles[] = {event_of(FALSE, TRUE), event_of(TRUE, FALSE),
			    CreateSemaphore(NULL, 2, 2, NULL), CreateMutex(NULL, TRUE, NULL)};
	HANDLE twice[] = {handles[0], handles[0]};
	pthread_t setter;
	LONG previous;

	assert_takes(20,
		     assert_int_equal(WaitForMultipleObjects(4, handles, TRUE, 20), WAIT_TIMEOUT));
	assert_int_equal(WaitForSingleObject(handles[0], 0), WAIT_OBJECT_0);
	SetEvent(handles[0]);
	setter = run_beside(set_soon, handles[1]);
	assert_int_equal(WaitForMultipleObjects(4, handles, TRUE, INFINITE), WAIT_OBJECT_0);
	pthread_join(setter, NULL);
	/* WaitForMultipleObjects has reset this automatic event */
	assert_int_equal(WaitForSingleObject(handles[0], 0), WAIT_TIMEOUT);
	/* WaitForMultipleObjects has left this manual event set */
	assert_int_equal(WaitForSingleObject(handles[1], 0), WAIT_OBJECT_0);
	assert_true(ReleaseSemaphore(handles[2], 1, &previous) && previous == 1);
	assert_true(ReleaseMutex(handles[3]) && ReleaseMutex(handles[3]));
	assert_fails(ReleaseMutex(handles[3]), ERROR_NOT_OWNER);

	SetLastError(0);
	assert_int_equal(WaitForMultipleObjects(2, twice, TRUE, 0), WAIT_FAILED);
	assert_int_equal(GetLastError(), ERROR_INVALID_PARAMETER);
	assert_int_equal(WaitForMultipleObjects(2, twice, FALSE, 0), WAIT_TIMEOUT);
	close_all(handles, _countof(handles));
}

enum { TURNS = 300 };

struct tug {
	HANDLE pair[2];
	LONG taken;
};

static void *wait_for_both(void *argument)
{
	struct tug *tug = argument;

	while (WaitForMultipleObjects(2, tug->pair, TRUE, 20000) == WAIT_OBJECT_0) {
		if (InterlockedIncrement(&tug->taken) >= TURNS)
			break;
		SetEvent(tug->pair[0]);
		SetEvent(tug->pair[1]);
	}
	return NULL;
}

static void *take_one(void *argument)
{
	struct tug *tug = argument;

	while (ReadAcquire(&tug->taken) < TURNS)
		if (WaitForSingleObject(tug->pair[1], 10) == WAIT_OBJECT_0)
			SetEvent(tug->pair[1]);
	return NULL;
}

/*
 * One thread waits for both events of tug.pair, takes both, and sets them again. Another thread
 * takes and sets only the second event. No signal is lost and no wait hangs.
 */
static void wait_for_all_with_contention(void **state)
{
	struct tug tug = {{event_of(FALSE, TRUE), event_of(FALSE, TRUE)}, 0};
	pthread_t first = run_beside(wait_for_both, &tug);
	pthread_t second = run_beside(take_one, &tug);

	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert_int_equal(tug.taken, TURNS);
	close_all(tug.pair, 2);
}

static void *hold_mutex(void *pair)
{
	HANDLE *handles = pair;

	WaitForSingleObject(handles[0], INFINITE);
	SetEvent(handles[1]);
	WaitForSingleObject(handles[2], INFINITE);
	ReleaseMutex(handles[0]);
	return NULL;
}

/*
 * Another thread owns the mutex both[1], but NdsEventSet() makes the mutex look signalled. A wait
 * for all objects of both[] takes the event both[0] and then fails to acquire the mutex. The wait
 * must then set the event both[0] again.
 */
static void failed_wait_for_all_takes_nothing(void **state)
{
	HANDLE handles[] = {CreateMutex(NULL, FALSE, NULL), event_of(FALSE, FALSE),
			    event_of(FALSE, FALSE)};
	HANDLE both[] = {event_of(FALSE, TRUE), handles[0]};
	pthread_t other = run_beside(hold_mutex, handles);

	assert_int_equal(WaitForSingleObject(handles[1], INFINITE), WAIT_OBJECT_0);
	assert_int_equal(NdsEventSet(handles[0]), 0);
	assert_int_equal(WaitForMultipleObjects(2, both, TRUE, 5), WAIT_TIMEOUT);
	assert_int_equal(WaitForSingleObject(both[0], 0), WAIT_OBJECT_0);
	SetEvent(handles[2]);
	pthread_join(other, NULL);
	CloseHandle(both[0]);
	close_all(handles, _countof(handles));
}

static double busy_seconds(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* A thread uses no processor time while it waits. */
static void waiting_uses_no_processor_time(void **state)
{
	HANDLE handles[] = {event_of(FALSE, TRUE), event_of(FALSE, FALSE)};
	HANDLE semaphore = CreateSemaphore(NULL, 0, 1, NULL);
	double began = busy_seconds();

	assert_int_equal(WaitForMultipleObjects(2, handles, TRUE, 300), WAIT_TIMEOUT);
	assert_int_equal(WaitForSingleObject(handles[1], 300), WAIT_TIMEOUT);
	assert_int_equal(WaitForSingleObject(semaphore, 300), WAIT_TIMEOUT);
	assert_true(busy_seconds() - began < 0.2);
	close_all((HANDLE[]){handles[0], handles[1], semaphore}, 3);
}

static void test_WaitForMultipleObjectsEx(void **state)
{
	HANDLE handles[] = {event_of(FALSE, FALSE), event_of(FALSE, TRUE)};

	assert_int_equal(WaitForMultipleObjectsEx(2, handles, FALSE, 0, TRUE), WAIT_OBJECT_0 + 1);
	assert_int_equal(WaitForMultipleObjectsEx(2, handles, TRUE, 0, TRUE), WAIT_TIMEOUT);
	close_all(handles, 2);
}

static void test_SignalObjectAndWait(void **state)
{
	HANDLE event = event_of(FALSE, FALSE), mutex = CreateMutex(NULL, TRUE, NULL);
	HANDLE semaphore = CreateSemaphore(NULL, 0, 1, NULL),
	       port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);

	assert_int_equal(SignalObjectAndWait(event, event, 0, FALSE), WAIT_OBJECT_0);
	assert_int_equal(SignalObjectAndWait(semaphore, semaphore, 0, FALSE), WAIT_OBJECT_0);
	assert_int_equal(SignalObjectAndWait(mutex, event, 0, FALSE), WAIT_TIMEOUT);
	assert_fails(ReleaseMutex(mutex), ERROR_NOT_OWNER);
	SetLastError(0);
	assert_int_equal(SignalObjectAndWait(port, event, 0, FALSE), WAIT_FAILED);
	assert_int_equal(GetLastError(), ERROR_INVALID_HANDLE);
	close_all((HANDLE[]){event, mutex, semaphore, port}, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_WaitForSingleObject),
		cmocka_unit_test(test_WaitForSingleObjectEx),
		cmocka_unit_test(test_WaitForMultipleObjects),
		cmocka_unit_test(wait_for_all_kinds_of_objects),
		cmocka_unit_test(wait_for_all_with_contention),
		cmocka_unit_test(failed_wait_for_all_takes_nothing),
		cmocka_unit_test(waiting_uses_no_processor_time),
		cmocka_unit_test(test_WaitForMultipleObjectsEx),
		cmocka_unit_test(test_SignalObjectAndWait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
