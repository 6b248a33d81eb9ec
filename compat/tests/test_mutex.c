/* Tests of mutexes: a mutex has one owner at a time, and the owner may take the mutex again. */
#include "threading.h"

static void *try_to_take(void *mutex)
{
	return (void *)(uintptr_t)WaitForSingleObject(mutex, 0);
}

static void *try_to_release(void *mutex)
{
	SetLastError(0);
	return (void *)(uintptr_t)(ReleaseMutex(mutex) ? 0 : GetLastError());
}

static DWORD elsewhere(void *(*function)(void *), HANDLE mutex)
{
	return (DWORD)(uintptr_t)run_elsewhere(function, mutex);
}

static void owned_from_the_start(HANDLE mutex)
{
	assert_non_null(mutex);
	assert_int_equal(elsewhere(try_to_take, mutex), WAIT_TIMEOUT);
	assert_true(ReleaseMutex(mutex));
	assert_fails(ReleaseMutex(mutex), ERROR_NOT_OWNER);
	assert_true(CloseHandle(mutex));
}

static void test_CreateMutexA(void **state)
{
	owned_from_the_start(CreateMutexA(NULL, TRUE, NULL));
	assert_fails(CreateMutexA(NULL, TRUE, "name"), ERROR_NOT_SUPPORTED);
}

static void test_CreateMutexW(void **state)
{
	owned_from_the_start(CreateMutexW(NULL, TRUE, NULL));
	assert_fails(CreateMutexW(NULL, TRUE, L"name"), ERROR_NOT_SUPPORTED);
}

static void test_CreateMutexExW(void **state)
{
	owned_from_the_start(
		CreateMutexExW(NULL, NULL, CREATE_MUTEX_INITIAL_OWNER, MUTEX_ALL_ACCESS));
}

struct counter {
	HANDLE mutex;
	int value;
};

static void *count(void *argument)
{
	struct counter *counter = argument;

	for (int i = 0; i < 500; i++) {
		if (WaitForSingleObject(counter->mutex, 20000) != WAIT_OBJECT_0)
			return counter;
		counter->value++;
		ReleaseMutex(counter->mutex);
	}
	return NULL;
}

static void test_ReleaseMutex(void **state)
{
	struct counter counter = {CreateMutex(NULL, FALSE, NULL), 0};
	pthread_t other;

	for (int i = 0; i < 3; i++)
		assert_int_equal(WaitForSingleObject(counter.mutex, INFINITE), WAIT_OBJECT_0);
	assert_int_equal(elsewhere(try_to_release, counter.mutex), ERROR_NOT_OWNER);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(elsewhere(try_to_take, counter.mutex), WAIT_TIMEOUT);
		assert_true(ReleaseMutex(counter.mutex));
	}
	assert_fails(ReleaseMutex(counter.mutex), ERROR_NOT_OWNER);
	assert_fails(ReleaseMutex(NULL), ERROR_INVALID_HANDLE);

	other = run_beside(count, &counter);
	assert_null(count(&counter));
	pthread_join(other, NULL);
	assert_int_equal(counter.value, 1000);
	CloseHandle(counter.mutex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_CreateMutexA),
		cmocka_unit_test(test_CreateMutexW),
		cmocka_unit_test(test_CreateMutexExW),
		cmocka_unit_test(test_ReleaseMutex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
