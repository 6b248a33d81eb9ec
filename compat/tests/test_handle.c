/*
 * Tests of closing handles: a handle can be closed only once, and its two low bits are ignored.
 * CloseHandle refuses a value that is no handle.
 */
#include "testing.h"

static void test_CloseHandle(void **state)
{
	HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
	HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);

	assert_true(CloseHandle((HANDLE)((ULONG_PTR)event | 1)));
	assert_fails(CloseHandle(event), ERROR_INVALID_HANDLE);
	assert_true(CloseHandle(port));
	assert_fails(CloseHandle(port), ERROR_INVALID_HANDLE);
	assert_fails(CloseHandle(NULL), ERROR_INVALID_HANDLE);
	assert_fails(CloseHandle((HANDLE)&event), ERROR_INVALID_HANDLE);
	assert_true(CloseHandle(GetCurrentThread()));
	assert_true(CloseHandle(GetCurrentThread()));
}

/* Closing a handle frees its record, so creating and closing many handles leaks nothing. */
static void closed_handles_leak_nothing(void **state)
{
	HANDLE handles[1000];

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < _countof(handles); i++)
			assert_non_null(handles[i] = CreateEvent(NULL, i % 2, FALSE, NULL));
		for (size_t i = 0; i < _countof(handles); i++)
			assert_true(SetEvent(handles[i]) && CloseHandle(handles[i]));
	}
	for (size_t i = 0; i < _countof(handles); i++)
		assert_fails(CloseHandle(handles[i]), ERROR_INVALID_HANDLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_CloseHandle),
		cmocka_unit_test(closed_handles_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
