/*
 * Tests of types and macros: types have the widths of 64-bit Windows, and macros give the same
 * results as on Windows. test_types_cpp.cc compiles the same tests as C++.
 */
#include "testing.h"

#include <ndspi.h>
#include <ntstatus.h>

#ifdef __cplusplus
#define _Static_assert static_assert
#endif

#define WIDTH(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)

WIDTH(BYTE, 1);
WIDTH(BOOLEAN, 1);
WIDTH(CHAR, 1);
WIDTH(UCHAR, 1);
WIDTH(SHORT, 2);
WIDTH(USHORT, 2);
WIDTH(WORD, 2);
WIDTH(BOOL, 4);
WIDTH(INT, 4);
WIDTH(UINT, 4);
WIDTH(LONG, 4);
WIDTH(ULONG, 4);
WIDTH(DWORD, 4);
WIDTH(LONG32, 4);
WIDTH(HRESULT, 4);
WIDTH(NTSTATUS, 4);
WIDTH(LONGLONG, 8);
WIDTH(ULONGLONG, 8);
WIDTH(DWORDLONG, 8);
WIDTH(LONG64, 8);
WIDTH(ULONG64, 8);
WIDTH(DWORD64, 8);
WIDTH(__int8, 1);
WIDTH(__int16, 2);
WIDTH(__int32, 4);
WIDTH(unsigned __int64, 8);
WIDTH(SIZE_T, 8);
WIDTH(SSIZE_T, 8);
WIDTH(ULONG_PTR, 8);
WIDTH(LONG_PTR, 8);
WIDTH(KAFFINITY, 8);
WIDTH(HANDLE, 8);
WIDTH(HMODULE, 8);
WIDTH(LARGE_INTEGER, 8);
WIDTH(ULARGE_INTEGER, 8);
WIDTH(FILETIME, 8);
WIDTH(GUID, 16);
WIDTH(OVERLAPPED, 32);
WIDTH(OVERLAPPED_ENTRY, 32);
WIDTH(PROCESSOR_NUMBER, 4);
WIDTH(GROUP_AFFINITY, 16);
WIDTH(SLIST_ENTRY, 16);
C_ASSERT(sizeof(SECURITY_ATTRIBUTES) == 24);

struct row {
	int before;
	LIST_ENTRY link;
	DWORD many[8];
};

__declspec(align(32)) static char aligned[5];
DECLSPEC_ALIGN(64) static char more_aligned[5];
static __declspec(thread) int mine = 3;
__declspec(noinline) static int WINAPI answer(_In_ int a, _Out_opt_ int *b)
{
	return a + !b;
}

static __forceinline int __cdecl forced(int a)
{
	UNREFERENCED_PARAMETER(a);
	return 4;
}

static void layouts(void **state)
{
	struct row row;
	LARGE_INTEGER large;
	enum { i = 3 };

	large.QuadPart = -2;
	assert_true(large.LowPart == 0xFFFFFFFE && large.HighPart == -1 && large.u.HighPart == -1);
	assert_true(CONTAINING_RECORD(&row.link, struct row, link) == &row);
	assert_int_equal(FIELD_OFFSET(struct row, link), 8);
	assert_int_equal(FIELD_OFFSET(struct row, many[i]), 24 + 12);
	assert_int_equal(FIELD_OFFSET(SOCKET_ADDRESS_LIST, Address[i]), 8 + 48);
	assert_int_equal(RTL_FIELD_SIZE(struct row, many), 32);
	assert_int_equal(_countof(row.many), 8);
	assert_int_equal(ARRAYSIZE(row.many), 8);
	assert_int_equal((ULONG_PTR)aligned % 32, 0);
	assert_int_equal((ULONG_PTR)more_aligned % 64, 0);
	assert_int_equal(answer(1, NULL) + forced(1) + mine, 9);
	ZeroMemory(&row, sizeof(row));
	FillMemory(&row.before, sizeof(row.before), 0xFF);
	CopyMemory(&row.many[1], &row.before, sizeof(DWORD));
	MoveMemory(&row.many[2], &row.many[1], sizeof(DWORD));
	assert_true(row.before == -1 && row.many[2] == 0xFFFFFFFF && row.many[3] == 0);
	assert_true(RtlEqualMemory(&row.many[1], &row.many[2], 4));
}

static void arithmetic(void **state)
{
	ULONG a = 3;
	SIZE_T b = 5;

	assert_true(min(a, b) == 3 && max(a, b) == 5);
	assert_true(min(a + 4, 5u) == 5 && max(-1, 2) == 2 && min(1.5, 1) == 1);
	assert_int_equal(MAKEWORD(2, 1), 0x0102);
	assert_int_equal(MAKELONG(0x5678, 0x1234), 0x12345678);
	assert_int_equal(LOWORD(0x12345678), 0x5678);
	assert_int_equal(HIWORD(0x12345678), 0x1234);
	assert_int_equal(LOBYTE(0x1234), 0x34);
	assert_int_equal(HIBYTE(0x1234), 0x12);
	assert_true(UInt32x32To64(0xFFFFFFFF, 2) == 0x1FFFFFFFE && Int32x32To64(-1, 2) == -2);
	assert_true(MAXDWORD == 0xFFFFFFFF && MAXLONG == 0x7FFFFFFF &&
		    MAXULONG_PTR == ~(ULONG_PTR)0);
	assert_true(HandleToUlong((HANDLE)0x1122334455667788) == 0x55667788);
}

static void results(void **state)
{
	const struct {
		HRESULT hr;
		DWORD number;
	} rows[] = {
		{S_OK, 0},
		{S_FALSE, 1},
		{E_PENDING, 0x8000000A},
		{E_ABORT, 0x80004004},
		{E_FAIL, 0x80004005},
		{E_UNEXPECTED, 0x8000FFFF},
		{E_ACCESSDENIED, 0x80070005},
		{E_HANDLE, 0x80070006},
		{E_OUTOFMEMORY, 0x8007000E},
		{E_INVALIDARG, 0x80070057},
		{E_NOT_SUFFICIENT_BUFFER, 0x8007007A},
		{HRESULT_FROM_WIN32(ERROR_SUCCESS), 0},
		{HRESULT_FROM_WIN32(ERROR_TIMEOUT), 0x800705B4},
		{HRESULT_FROM_WIN32(WSAECONNREFUSED), 0x8007274D},
		{HRESULT_FROM_WIN32(0xC0000120), 0xC0000120},
		{HRESULT_FROM_NT(STATUS_CANCELLED), 0xD0000120},
		{MAKE_HRESULT(SEVERITY_ERROR, FACILITY_ITF, 0x200), 0x80040200},
	};

	for (size_t i = 0; i < _countof(rows); i++)
		assert_int_equal((DWORD)rows[i].hr, rows[i].number);
	assert_int_equal(HRESULT_CODE(E_INVALIDARG), ERROR_INVALID_PARAMETER);
	assert_int_equal(HRESULT_FACILITY(E_INVALIDARG), FACILITY_WIN32);
	assert_int_equal(HRESULT_SEVERITY(E_INVALIDARG), 1);
	assert_true(IS_ERROR(E_FAIL) && !IS_ERROR(S_FALSE));
	assert_true(NT_SUCCESS(STATUS_TIMEOUT) && NT_WARNING(STATUS_BUFFER_OVERFLOW) &&
		    NT_ERROR(STATUS_CANCELLED));
	assert_true(!NT_INFORMATION(STATUS_CANCELLED) &&
		    STATUS_BUFFER_TOO_SMALL == (NTSTATUS)0xC0000023);
	assert_true(INVALID_HANDLE_VALUE == (HANDLE)-1 && INFINITE == 0xFFFFFFFF &&
		    WAIT_TIMEOUT == 258);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
