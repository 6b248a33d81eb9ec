/*
 * Tests of the last error: each thread has its own last error. Each NTSTATUS is translated to the
 * error number that clients expect.
 */
#include <pthread.h>
#include "testing.h"
#include <ndstatus.h>
#include <winternl.h>

static void *set_five(void *seen)
{
	*(DWORD *)seen = GetLastError();
	SetLastError(5);
	return NULL;
}

static void test_GetLastError(void **state)
{
	pthread_t thread;
	DWORD seen = 1;

	SetLastError(0x20001234);
	assert_int_equal(pthread_create(&thread, NULL, set_five, &seen), 0);
	pthread_join(thread, NULL);
	assert_int_equal(seen, 0);
	assert_int_equal(GetLastError(), 0x20001234);
}

static void test_SetLastError(void **state)
{
	SetLastError(ERROR_IO_PENDING);
	assert_int_equal(GetLastError(), 997);
	SetLastError(0xFFFFFFFF);
	assert_int_equal(GetLastError(), 0xFFFFFFFF);
	SetLastError(0);
	assert_int_equal(GetLastError(), 0);
}

static void test_RtlNtStatusToDosError(void **state)
{
	static const struct {
		NTSTATUS status;
		DWORD error;
	} rows[] = {
		{ND_SUCCESS, 0},
		{ND_CANCELED, 995},
		{ND_CONNECTION_REFUSED, 1225},
		{ND_IO_TIMEOUT, 121},
		{ND_INVALID_HANDLE, 6},
		{ND_INVALID_PARAMETER, 87},
		{ND_INVALID_PARAMETER_7, 87},
		{ND_NO_MEMORY, 8},
		{ND_CONNECTION_ABORTED, 1236},
		{ND_NETWORK_UNREACHABLE, 1231},
		{ND_DEVICE_REMOVED, 1617},
		{STATUS_CONNECTION_DISCONNECTED, 64},
		{(NTSTATUS)0x80070005, 5},   /* an HRESULT that contains the error number 5 */
		{(NTSTATUS)0xC0009999, 317}, /* an unknown status becomes ERROR_MR_MID_NOT_FOUND */
	};

	for (size_t i = 0; i < _countof(rows); i++)
		assert_int_equal(RtlNtStatusToDosError(rows[i].status), rows[i].error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_GetLastError),
		cmocka_unit_test(test_SetLastError),
		cmocka_unit_test(test_RtlNtStatusToDosError),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
