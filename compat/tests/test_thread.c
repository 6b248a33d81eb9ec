/*
 * Tests of threads: start, exit code, waiting, and the functions that query or set a thread's
 * properties.
 */
#include "threading.h"

#include <process.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static DWORD answer(LPVOID parameter)
{
	return *(DWORD *)parameter + 1;
}

static DWORD exit_early(LPVOID parameter)
{
	if (parameter)
		ExitThread(77);
	return 1;
}

static DWORD wait_for(LPVOID event)
{
	WaitForSingleObject(event, 20000);
	return 3;
}

/* Waits for the thread, closes its handle and returns its exit code. */
static DWORD code_of(HANDLE thread)
{
	DWORD code = 0xBAD;

	assert_int_equal(WaitForSingleObject(thread, 20000), WAIT_OBJECT_0);
	assert_int_equal(WaitForSingleObject(thread, 0), WAIT_OBJECT_0);
	assert_true(GetExitCodeThread(thread, &code));
	assert_true(CloseHandle(thread));
	return code;
}

/* Starts a thread that runs until the caller sets *event. */
static HANDLE stay(HANDLE *event)
{
	HANDLE thread;

	*event = CreateEvent(NULL, FALSE, FALSE, NULL);
	thread = CreateThread(NULL, 0, wait_for, *event, 0, NULL);
	assert_non_null(thread);
	return thread;
}

static void let_go(HANDLE thread, HANDLE event)
{
	SetEvent(event);
	assert_int_equal(code_of(thread), 3);
	CloseHandle(event);
}

static void test_CreateThread(void **state)
{
	DWORD number = 41, id = 0;
	HANDLE thread = CreateThread(NULL, 0, answer, &number, 0, &id);

	assert_non_null(thread);
	assert_int_not_equal(id, 0);
	assert_int_not_equal(id, GetCurrentThreadId());
	assert_int_equal(code_of(thread), 42);
	assert_fails(CreateThread(NULL, 0, NULL, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
	assert_fails(CreateThread(NULL, 0, answer, NULL, 0x80000000, NULL),
		     ERROR_INVALID_PARAMETER);
	assert_int_equal(code_of(CreateThread(NULL, 64 << 20, answer, &number,
					      STACK_SIZE_PARAM_IS_A_RESERVATION, NULL)),
			 42);
}

static DWORD set_event(LPVOID event)
{
	SetEvent(event);
	return 0;
}

/* A thread continues to run after its handle is closed, even if the handle is closed at once. */
static void threads_outlive_their_handle(void **state)
{
	HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);

	for (int i = 0; i < 50; i++) {
		assert_true(CloseHandle(CreateThread(NULL, 0, set_event, event, 0, NULL)));
		assert_int_equal(WaitForSingleObject(event, 20000), WAIT_OBJECT_0);
	}
	CloseHandle(event);
}

static void test_ExitThread(void **state)
{
	assert_int_equal(code_of(CreateThread(NULL, 0, exit_early, state, 0, NULL)), 77);
	assert_int_equal(code_of(CreateThread(NULL, 0, exit_early, NULL, 0, NULL)), 1);
}

static void test_GetExitCodeThread(void **state)
{
	HANDLE event, thread = stay(&event);
	DWORD code = 0;

	assert_true(GetExitCodeThread(thread, &code));
	assert_int_equal(code, STILL_ACTIVE);
	assert_true(GetExitCodeThread(GetCurrentThread(), &code));
	assert_int_equal(code, STILL_ACTIVE);
	assert_fails(GetExitCodeThread(event, &code), ERROR_INVALID_HANDLE);
	let_go(thread, event);
	assert_fails(GetExitCodeThread(thread, &code), ERROR_INVALID_HANDLE);
}

static void test_ResumeThread(void **state)
{
	HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
	HANDLE thread = CreateThread(NULL, 0, set_event, event, CREATE_SUSPENDED, NULL);

	assert_int_equal(WaitForSingleObject(event, 50), WAIT_TIMEOUT);
	assert_int_equal(ResumeThread(thread), 1);
	assert_int_equal(WaitForSingleObject(event, 20000), WAIT_OBJECT_0);
	assert_int_equal(ResumeThread(GetCurrentThread()), 0);
	assert_int_equal(code_of(thread), 0);
	SetLastError(0);
	assert_int_equal(ResumeThread(event), (DWORD)-1);
	assert_int_equal(GetLastError(), ERROR_INVALID_HANDLE);
	CloseHandle(event);
}

static void test_GetCurrentThread(void **state)
{
	assert_ptr_equal(GetCurrentThread(), (HANDLE)(LONG_PTR)-2);
	assert_int_equal(WaitForSingleObject(GetCurrentThread(), 0), WAIT_FAILED);
}

static DWORD store_thread_id(LPVOID id)
{
	*(DWORD *)id = GetCurrentThreadId();
	return 0;
}

static void test_GetCurrentThreadId(void **state)
{
	DWORD seen = 0, told;
	HANDLE thread = CreateThread(NULL, 0, store_thread_id, &seen, 0, &told);

	assert_int_equal(code_of(thread), 0);
	assert_int_equal(seen, told);
	/* Linux gives the main thread the id of the process */
	assert_int_equal(GetCurrentThreadId(), getpid());
}

static void test_GetThreadId(void **state)
{
	HANDLE event, thread = stay(&event);

	assert_int_not_equal(GetThreadId(thread), GetCurrentThreadId());
	assert_int_equal(GetThreadId(GetCurrentThread()), GetCurrentThreadId());
	assert_fails(GetThreadId(event), ERROR_INVALID_HANDLE);
	let_go(thread, event);
}

static void test_SetThreadAffinityMask(void **state)
{
	HANDLE event, thread = stay(&event);
	DWORD_PTR all = SetThreadAffinityMask(thread, ~(DWORD_PTR)0), one = all & -all;

	assert_int_not_equal(all, 0);
	assert_int_equal(SetThreadAffinityMask(thread, one), all);
	assert_int_equal(SetThreadAffinityMask(thread, all), one);
	assert_fails(SetThreadAffinityMask(thread, 0), ERROR_INVALID_PARAMETER);
	assert_fails(SetThreadAffinityMask(event, one), ERROR_INVALID_HANDLE);
	assert_int_equal(SetThreadAffinityMask(GetCurrentThread(), one), all);
	assert_int_equal((DWORD_PTR)1 << GetCurrentProcessorNumber(), one);
	assert_int_equal(SetThreadAffinityMask(GetCurrentThread(), all), one);
	let_go(thread, event);
}

static void test_SetThreadGroupAffinity(void **state)
{
	GROUP_AFFINITY all = {.Mask = ~(KAFFINITY)0}, former = {.Group = 9},
		       second = {.Mask = 1, .Group = 1};

	assert_true(SetThreadGroupAffinity(GetCurrentThread(), &all, &former));
	assert_int_equal(former.Group, 0);
	assert_int_not_equal(former.Mask, 0);
	assert_true(SetThreadGroupAffinity(GetCurrentThread(), &former, NULL));
	assert_fails(SetThreadGroupAffinity(GetCurrentThread(), &second, NULL),
		     ERROR_INVALID_PARAMETER);
}

static void test_SetThreadIdealProcessor(void **state)
{
	HANDLE event, thread = stay(&event);

	assert_int_equal(SetThreadIdealProcessor(thread, 0), MAXIMUM_PROCESSORS);
	assert_int_equal(SetThreadIdealProcessor(thread, MAXIMUM_PROCESSORS), 0);
	assert_int_equal(SetThreadIdealProcessor(thread, 65), (DWORD)-1);
	let_go(thread, event);
}

static void test_SetThreadIdealProcessorEx(void **state)
{
	PROCESSOR_NUMBER one = {.Number = 1}, none = {.Group = 1}, former = {.Number = 9};
	HANDLE event, thread = stay(&event);

	assert_true(SetThreadIdealProcessorEx(thread, &one, NULL));
	assert_true(SetThreadIdealProcessorEx(thread, &one, &former));
	assert_int_equal(former.Number, 1);
	assert_fails(SetThreadIdealProcessorEx(thread, &none, NULL), ERROR_INVALID_PARAMETER);
	let_go(thread, event);
}

static void test_SetThreadPriority(void **state)
{
	HANDLE event, thread = stay(&event);

	assert_true(SetThreadPriority(thread, THREAD_PRIORITY_LOWEST));
	assert_int_equal(getpriority(PRIO_PROCESS, GetThreadId(thread)), 10);
	assert_true(SetThreadPriority(thread, THREAD_PRIORITY_HIGHEST));
	assert_fails(SetThreadPriority(thread, 7), ERROR_INVALID_PARAMETER);
	assert_fails(SetThreadPriority(event, 0), ERROR_INVALID_HANDLE);
	let_go(thread, event);
}

static void test_GetThreadPriority(void **state)
{
	HANDLE event, thread = stay(&event);

	assert_int_equal(GetThreadPriority(thread), THREAD_PRIORITY_NORMAL);
	SetThreadPriority(thread, THREAD_PRIORITY_IDLE);
	assert_int_equal(GetThreadPriority(thread), THREAD_PRIORITY_IDLE);
	assert_int_equal(GetThreadPriority(GetCurrentThread()), THREAD_PRIORITY_NORMAL);
	assert_int_equal(GetThreadPriority(event), THREAD_PRIORITY_ERROR_RETURN);
	let_go(thread, event);
}

static void test_SetThreadDescription(void **state)
{
	HANDLE event, thread = stay(&event);
	char path[64], name[32] = "";
	FILE *file;

	assert_int_equal(SetThreadDescription(thread, L"a name of more than sixteen"), S_OK);
	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", GetThreadId(thread));
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(name, sizeof(name), file));
	fclose(file);
	assert_string_equal(name, "a name of more \n");
	assert_int_equal(SetThreadDescription(event, L"no"),
			 HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE));
	let_go(thread, event);
}

static void test_GetCurrentProcessorNumber(void **state)
{
	assert_true(GetCurrentProcessorNumber() < (DWORD)sysconf(_SC_NPROCESSORS_CONF));
}

static void test_GetCurrentProcessorNumberEx(void **state)
{
	PROCESSOR_NUMBER number = {.Group = 5, .Number = 255};

	GetCurrentProcessorNumberEx(&number);
	assert_int_equal(number.Group, 0);
	assert_true(number.Number < sysconf(_SC_NPROCESSORS_CONF));
}

/* ---- _beginthread and _beginthreadex -------------------------------------------------------- */

static unsigned twice(void *number)
{
	return 2 * *(unsigned *)number;
}

static unsigned end_with_nine(void *unused)
{
	if (GetCurrentThreadId())
		_endthreadex(9);
	return 0;
}

static void set_and_return(void *event)
{
	SetEvent(event);
}

static void set_and_end(void *event)
{
	SetEvent(event);
	if (event)
		_endthread();
	SetEvent(NULL);
}

static void test__beginthreadex(void **state)
{
	unsigned number = 21, id = 0;
	HANDLE thread = (HANDLE)_beginthreadex(NULL, 0, twice, &number, 0, &id);

	assert_non_null(thread);
	assert_int_not_equal(id, 0);
	assert_int_equal(code_of(thread), 42);
	errno = 0;
	assert_int_equal(_beginthreadex(NULL, 0, NULL, NULL, 0, NULL), 0);
	assert_int_equal(errno, EINVAL);
}

static void test__endthreadex(void **state)
{
	assert_int_equal(code_of((HANDLE)_beginthreadex(NULL, 0, end_with_nine, NULL, 0, NULL)), 9);
}

static void runs_and_closes_itself(_beginthread_proc_type start)
{
	HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
	uintptr_t thread = _beginthread(start, 0, event);
	DWORD code;

	assert_int_not_equal(thread, (uintptr_t)-1);
	assert_int_equal(WaitForSingleObject(event, 20000), WAIT_OBJECT_0);
	for (int i = 0; i < 10000 && GetExitCodeThread((HANDLE)thread, &code); i++)
		Sleep(1);
	assert_fails(CloseHandle((HANDLE)thread), ERROR_INVALID_HANDLE);
	CloseHandle(event);
}

static void test__beginthread(void **state)
{
	runs_and_closes_itself(set_and_return);
	errno = 0;
	assert_int_equal(_beginthread(NULL, 0, NULL), (uintptr_t)-1);
	assert_int_equal(errno, EINVAL);
}

static void test__endthread(void **state)
{
	runs_and_closes_itself(set_and_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_CreateThread),
		cmocka_unit_test(threads_outlive_their_handle),
		cmocka_unit_test(test_ExitThread),
		cmocka_unit_test(test_GetExitCodeThread),
		cmocka_unit_test(test_ResumeThread),
		cmocka_unit_test(test_GetCurrentThread),
		cmocka_unit_test(test_GetCurrentThreadId),
		cmocka_unit_test(test_GetThreadId),
		cmocka_unit_test(test_SetThreadAffinityMask),
		cmocka_unit_test(test_SetThreadGroupAffinity),
		cmocka_unit_test(test_SetThreadIdealProcessor),
		cmocka_unit_test(test_SetThreadIdealProcessorEx),
		cmocka_unit_test(test_SetThreadPriority),
		cmocka_unit_test(test_GetThreadPriority),
		cmocka_unit_test(test_SetThreadDescription),
		cmocka_unit_test(test_GetCurrentProcessorNumber),
		cmocka_unit_test(test_GetCurrentProcessorNumberEx),
		cmocka_unit_test(test__beginthreadex),
		cmocka_unit_test(test__endthreadex),
		cmocka_unit_test(test__beginthread),
		cmocka_unit_test(test__endthread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
