/* Tests of events: creation, setting and resetting, the effect of a wait, and errors. */
#include "testing.h"

static DWORD look(HANDLE event)
{
	return WaitForSingleObject(event, 0);
}

/*
 * by_a, by_w, by_ex_a and by_ex_w call CreateEventA, CreateEventW, CreateEventExA and
 * CreateEventExW. Each creates an event with the given reset mode and initial state.
 */
static HANDLE by_a(BOOL manual, BOOL set)
{
	return CreateEventA(NULL, manual, set, NULL);
}

static HANDLE by_w(BOOL manual, BOOL set)
{
	return CreateEventW(NULL, manual, set, NULL);
}

static DWORD flags_of(BOOL manual, BOOL set)
{
	return (manual ? CREATE_EVENT_MANUAL_RESET : 0) | (set ? CREATE_EVENT_INITIAL_SET : 0);
}

static HANDLE by_ex_a(BOOL manual, BOOL set)
{
	return CreateEventExA(NULL, NULL, flags_of(manual, set), EVENT_ALL_ACCESS);
}

static HANDLE by_ex_w(BOOL manual, BOOL set)
{
	return CreateEventExW(NULL, NULL, flags_of(manual, set), EVENT_ALL_ACCESS);
}

static void creates(HANDLE (*create)(BOOL, BOOL))
{
	for (int manual = 0; manual < 2; manual++) {
		HANDLE event = create(manual, FALSE);

		assert_non_null(event);
		assert_int_equal(look(event), WAIT_TIMEOUT);
		assert_true(CloseHandle(event));
		event = create(manual, TRUE);
		assert_int_equal(look(event), WAIT_OBJECT_0);
		assert_int_equal(look(event), manual ? WAIT_OBJECT_0 : WAIT_TIMEOUT);
		assert_true(CloseHandle(event));
	}
}

static void test_CreateEventA(void **state)
{
	creates(by_a);
	assert_fails(CreateEventA(NULL, TRUE, FALSE, "name"), ERROR_NOT_SUPPORTED);
}

static void test_CreateEventW(void **state)
{
	creates(by_w);
	assert_fails(CreateEventW(NULL, TRUE, FALSE, L"name"), ERROR_NOT_SUPPORTED);
}

static void test_CreateEventExA(void **state)
{
	creates(by_ex_a);
	assert_fails(CreateEventExA(NULL, NULL, 4, 0), ERROR_INVALID_PARAMETER);
}

static void test_CreateEventExW(void **state)
{
	creates(by_ex_w);
	assert_fails(CreateEventExW(NULL, NULL, 8, 0), ERROR_INVALID_PARAMETER);
	assert_fails(CreateEventExW(NULL, L"name", 0, 0), ERROR_NOT_SUPPORTED);
}

static void test_SetEvent(void **state)
{
	HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
	HANDLE semaphore = CreateSemaphore(NULL, 0, 1, NULL);

	assert_true(SetEvent(event));
	assert_true(SetEvent((HANDLE)((ULONG_PTR)event | 1)));
	assert_int_equal(look(event), WAIT_OBJECT_0);
	assert_int_equal(look(event), WAIT_TIMEOUT);
	assert_fails(SetEvent(semaphore), ERROR_INVALID_HANDLE);
	assert_int_equal(look(semaphore), WAIT_TIMEOUT);
	assert_fails(SetEvent(NULL), ERROR_INVALID_HANDLE);
	CloseHandle(semaphore);
	CloseHandle(event);
	assert_fails(SetEvent(event), ERROR_INVALID_HANDLE);
}

static void test_ResetEvent(void **state)
{
	HANDLE event = CreateEvent(NULL, TRUE, TRUE, NULL);

	assert_true(ResetEvent(event));
	assert_int_equal(look(event), WAIT_TIMEOUT);
	assert_true(ResetEvent(event));
	CloseHandle(event);
	assert_fails(ResetEvent(event), ERROR_INVALID_HANDLE);
	assert_fails(ResetEvent(INVALID_HANDLE_VALUE), ERROR_INVALID_HANDLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_CreateEventA),   cmocka_unit_test(test_CreateEventW),
		cmocka_unit_test(test_CreateEventExA), cmocka_unit_test(test_CreateEventExW),
		cmocka_unit_test(test_SetEvent),       cmocka_unit_test(test_ResetEvent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
