/*
 * Tests of thread local values: each thread has its own value, and the value of a new index is
 * NULL. When a thread ends, the routine given to FlsAlloc receives the thread's value.
 */
#include "threading.h"

static void *set_and_look(void *index)
{
	DWORD i = *(DWORD *)index;
	bool good = !TlsGetValue(i) && TlsSetValue(i, &i) && TlsGetValue(i) == &i;

	return good ? NULL : index;
}

static void test_TlsAlloc(void **state)
{
	DWORD indexes[200], n = 0;

	while (n < _countof(indexes) && (indexes[n] = TlsAlloc()) != TLS_OUT_OF_INDEXES)
		n++;
	assert_int_equal(GetLastError(), ERROR_NO_MORE_ITEMS);
	assert_true(n >= TLS_MINIMUM_AVAILABLE && n < _countof(indexes));
	for (DWORD i = 0; i < n; i++)
		assert_true(TlsSetValue(indexes[i], &indexes[i]));
	while (n--)
		assert_true(TlsGetValue(indexes[n]) == &indexes[n] && TlsFree(indexes[n]));
}

static void test_TlsFree(void **state)
{
	DWORD index = TlsAlloc();

	assert_true(TlsSetValue(index, state));
	assert_true(TlsFree(index));
	assert_fails(TlsFree(index), ERROR_INVALID_PARAMETER);
	/* TlsAlloc returns the freed index again, and the old value of the index is gone */
	assert_int_equal(TlsAlloc(), index);
	assert_null(TlsGetValue(index));
	assert_true(TlsFree(index));
	assert_fails(TlsFree(TLS_OUT_OF_INDEXES), ERROR_INVALID_PARAMETER);
}

static void test_TlsGetValue(void **state)
{
	DWORD index = TlsAlloc();

	SetLastError(5);
	assert_null(TlsGetValue(index));
	assert_int_equal(GetLastError(), 0);
	TlsFree(index);
	assert_fails(TlsGetValue(index), ERROR_INVALID_PARAMETER);
}

static void test_TlsSetValue(void **state)
{
	DWORD index = TlsAlloc();

	assert_true(TlsSetValue(index, state));
	assert_null(run_elsewhere(set_and_look, &index));
	assert_ptr_equal(TlsGetValue(index), state);
	TlsFree(index);
	assert_fails(TlsSetValue(index, state), ERROR_INVALID_PARAMETER);
}

static LONG ended;

static void count_ended(PVOID value)
{
	InterlockedAdd(&ended, *(LONG *)value);
}

static LONG five = 5;
static DWORD slot;

static DWORD store(LPVOID unused)
{
	return FlsSetValue(slot, &five) && FlsGetValue(slot) == &five;
}

static void *store_in_anothers_thread(void *unused)
{
	return (void *)(uintptr_t)store(NULL);
}

static void test_FlsAlloc(void **state)
{
	HANDLE thread;

	ended = 0;
	slot = FlsAlloc(count_ended);
	assert_int_not_equal(slot, FLS_OUT_OF_INDEXES);
	thread = CreateThread(NULL, 0, store, NULL, 0, NULL);
	assert_int_equal(WaitForSingleObject(thread, 20000), WAIT_OBJECT_0);
	assert_int_equal(ended, 5);
	assert_non_null(run_elsewhere(store_in_anothers_thread, NULL));
	assert_int_equal(ended, 10);
	CloseHandle(thread);
	assert_true(FlsFree(slot));
	assert_int_equal(ended, 10);
}

static void count_slowly(PVOID value)
{
	Sleep(50);
	count_ended(value);
}

static DWORD store_and_exit(LPVOID unused)
{
	store(NULL);
	ExitThread(7);
}

/*
 * The exit code of a thread remains STILL_ACTIVE until the routines given to FlsAlloc have run for
 * the values of that thread.
 */
static void threads_end_after_their_routines(void **state)
{
	DWORD code = STILL_ACTIVE;
	HANDLE thread;

	ended = 0;
	slot = FlsAlloc(count_slowly);
	thread = CreateThread(NULL, 0, store_and_exit, NULL, 0, NULL);
	while (code == STILL_ACTIVE) {
		Sleep(1);
		assert_true(GetExitCodeThread(thread, &code));
	}
	assert_int_equal(code, 7);
	assert_int_equal(ended, 5);
	assert_int_equal(WaitForSingleObject(thread, 20000), WAIT_OBJECT_0);
	CloseHandle(thread);
	FlsFree(slot);
}

static void test_FlsFree(void **state)
{
	ended = 0;
	slot = FlsAlloc(count_ended);
	assert_true(FlsSetValue(slot, &five));
	assert_true(FlsFree(slot));
	assert_int_equal(ended, 5);
	assert_fails(FlsFree(slot), ERROR_INVALID_PARAMETER);
	assert_int_equal(ended, 5);
}

static void test_FlsGetValue(void **state)
{
	slot = FlsAlloc(NULL);
	assert_null(FlsGetValue(slot));
	assert_true(FlsSetValue(slot, &five));
	assert_ptr_equal(FlsGetValue(slot), &five);
	assert_true(FlsFree(slot));
	assert_fails(FlsGetValue(slot), ERROR_INVALID_PARAMETER);
}

static void test_FlsSetValue(void **state)
{
	slot = FlsAlloc(NULL);
	assert_int_equal(store(NULL), 1);
	assert_true(FlsFree(slot));
	assert_fails(FlsSetValue(slot, NULL), ERROR_INVALID_PARAMETER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_TlsAlloc),
		cmocka_unit_test(test_TlsFree),
		cmocka_unit_test(test_TlsGetValue),
		cmocka_unit_test(test_TlsSetValue),
		cmocka_unit_test(test_FlsAlloc),
		cmocka_unit_test(threads_end_after_their_routines),
		cmocka_unit_test(test_FlsFree),
		cmocka_unit_test(test_FlsGetValue),
		cmocka_unit_test(test_FlsSetValue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
