/* Tests of semaphores: the count, its maximum, and waiting. */
#include "threading.h"

static void check_count_of_two(HANDLE semaphore)
{
	assert_non_null(semaphore);
	for (int i = 0; i < 2; i++)
		assert_int_equal(WaitForSingleObject(semaphore, 0), WAIT_OBJECT_0);
	assert_int_equal(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
	/*
	 * NdsEventWait(), the wait for events, also accepts the handle of a semaphore. While the
	 * count is 0, this wait must time out.
	 */
	assert_int_equal(NdsEventWait(semaphore, 0), STATUS_TIMEOUT);
	assert_true(CloseHandle(semaphore));
	assert_fails(ReleaseSemaphore(semaphore, 1, NULL), ERROR_INVALID_HANDLE);
}

static void test_CreateSemaphoreA(void **state)
{
	check_count_of_two(CreateSemaphoreA(NULL, 2, 3, NULL));
	assert_fails(CreateSemaphoreA(NULL, -1, 3, NULL), ERROR_INVALID_PARAMETER);
	assert_fails(CreateSemaphoreA(NULL, 0, 0, NULL), ERROR_INVALID_PARAMETER);
	assert_fails(CreateSemaphoreA(NULL, 4, 3, NULL), ERROR_INVALID_PARAMETER);
	assert_fails(CreateSemaphoreA(NULL, 1, 3, "name"), ERROR_NOT_SUPPORTED);
}

static void test_CreateSemaphoreW(void **state)
{
	check_count_of_two(CreateSemaphoreW(NULL, 2, 3, NULL));
	assert_fails(CreateSemaphoreW(NULL, 1, 3, L"name"), ERROR_NOT_SUPPORTED);
}

static void test_CreateSemaphoreExW(void **state)
{
	check_count_of_two(CreateSemaphoreExW(NULL, 2, 2, NULL, 0, SEMAPHORE_ALL_ACCESS));
	assert_fails(CreateSemaphoreExW(NULL, 2, 2, NULL, 1, SEMAPHORE_ALL_ACCESS),
		     ERROR_INVALID_PARAMETER);
}

static void *pass_five(void *semaphore)
{
	for (int i = 0; i < 5; i++)
		if (WaitForSingleObject(semaphore, 20000) != WAIT_OBJECT_0)
			return semaphore;
	return NULL;
}

static void test_ReleaseSemaphore(void **state)
{
	HANDLE semaphore = CreateSemaphore(NULL, 0, 4, NULL),
	       event = CreateEvent(NULL, FALSE, FALSE, NULL);
	pthread_t threads[4];
	LONG previous = -1;
	void *failed;

	assert_true(ReleaseSemaphore(semaphore, 3, &previous));
	assert_int_equal(previous, 0);
	assert_fails(ReleaseSemaphore(semaphore, 2, &previous), ERROR_TOO_MANY_POSTS);
	assert_fails(ReleaseSemaphore(semaphore, 0x7FFFFFFF, &previous), ERROR_TOO_MANY_POSTS);
	assert_fails(ReleaseSemaphore(semaphore, 0, &previous), ERROR_INVALID_PARAMETER);
	assert_int_equal(previous, 0);
	assert_true(ReleaseSemaphore(semaphore, 1, NULL));
	assert_fails(ReleaseSemaphore(event, 1, NULL), ERROR_INVALID_HANDLE);

	/*
	 * The four threads make 20 waits in total. The count is 4 now, so 4 waits end. The loop
	 * below releases the semaphore 16 times, which ends the other 16 waits.
	 */
	for (size_t i = 0; i < _countof(threads); i++)
		threads[i] = run_beside(pass_five, semaphore);
	for (int i = 0; i < 16;)
		if (ReleaseSemaphore(semaphore, 1, NULL))
			i++;
		else
			Sleep(1);
	for (size_t i = 0; i < _countof(threads); i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
	CloseHandle(semaphore);
	CloseHandle(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_CreateSemaphoreA),
		cmocka_unit_test(test_CreateSemaphoreW),
		cmocka_unit_test(test_CreateSemaphoreExW),
		cmocka_unit_test(test_ReleaseSemaphore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
