/*
 * Tests of heaps and pages: allocated or committed memory can be used, and released memory cannot
 * be used.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "testing.h"

static void test_heaps(void **state)
{
	HANDLE heap = HeapCreate(0, 0, 0), process = GetProcessHeap();
	char *a = HeapAlloc(heap, HEAP_ZERO_MEMORY, 100), *b = HeapAlloc(process, 0, 7), *moved;

	EXPECT(HeapCreate, heap != NULL);
	EXPECT(GetProcessHeap, process && process == GetProcessHeap());
	EXPECT(HeapAlloc, a && a[0] == 0 && a[99] == 0 && (uintptr_t)a % 16 == 0 && b &&
				  HeapAlloc(heap, 0, 10));
	EXPECT(HeapAlloc,
	       !HeapAlloc(heap, 0, SIZE_MAX - 8) && GetLastError() == ERROR_NOT_ENOUGH_MEMORY);
	EXPECT(HeapSize, HeapSize(heap, 0, a) == 100 && HeapSize(process, 0, b) == 7 &&
				 HeapSize(process, 0, a) == (SIZE_T)-1);
	EXPECT(HeapValidate, HeapValidate(heap, 0, a) && HeapValidate(heap, 0, NULL) &&
				     !HeapValidate(process, 0, a) && !HeapValidate(NULL, 0, NULL));
	strcpy(a, "kept");
	moved = HeapReAlloc(heap, HEAP_ZERO_MEMORY, a, 100000);
	EXPECT(HeapReAlloc,
	       moved && !strcmp(moved, "kept") && moved[100] == 0 && moved[99999] == 0);
	EXPECT(HeapReAlloc,
	       !HeapReAlloc(heap, HEAP_REALLOC_IN_PLACE_ONLY, moved, 200000) &&
		       HeapReAlloc(heap, HEAP_REALLOC_IN_PLACE_ONLY, moved, 50) == moved &&
		       HeapSize(heap, 0, moved) == 50);
	EXPECT(HeapReAlloc,
	       !HeapReAlloc(heap, 0, NULL, 5) && !HeapReAlloc(heap, 0, moved, SIZE_MAX));
	assert_fails(HeapFree(process, 0, moved), ERROR_INVALID_PARAMETER);
	EXPECT(HeapFree,
	       HeapFree(heap, 0, moved) && HeapFree(heap, 0, NULL) && HeapFree(process, 0, b));
	EXPECT(HeapSetInformation,
	       HeapSetInformation(heap, HeapEnableTerminationOnCorruption, NULL, 0));
	EXPECT(HeapDestroy, HeapDestroy(heap));
	assert_fails(HeapDestroy(process), ERROR_INVALID_PARAMETER);
}

static void test_local_and_global_memory(void **state)
{
	char *l = LocalAlloc(LPTR, 10), *g = GlobalAlloc(GMEM_FIXED, 20);
	HANDLE heap = HeapCreate(0, 0, 0);
	char *foreign = HeapAlloc(heap, 0, 1);

	EXPECT(LocalAlloc, l && l[9] == 0);
	EXPECT(LocalSize, LocalSize(l) == 10 && LocalSize(NULL) == 0);
	EXPECT(LocalReAlloc, (l = LocalReAlloc(l, 30, LMEM_ZEROINIT)) != NULL && l[29] == 0);
	EXPECT(LocalFree,
	       LocalFree(l) == NULL && LocalFree(foreign) == foreign && HeapDestroy(heap));
	EXPECT(GlobalAlloc, g != NULL);
	EXPECT(GlobalSize, GlobalSize(g) == 20);
	EXPECT(GlobalReAlloc, (g = GlobalReAlloc(g, 40, GMEM_ZEROINIT)) != NULL);
	EXPECT(GlobalLock, GlobalLock(g) == g);
	EXPECT(GlobalUnlock, !GlobalUnlock(g) && GetLastError() == 0);
	EXPECT(GlobalFree, GlobalFree(g) == NULL);
}

static void test_words(void **state)
{
	char t[4] = "abc", u[4];

	CopyMemory(u, t, 4);
	assert_string_equal(u, "abc");
	MoveMemory(t + 1, t, 3);
	assert_memory_equal(t, "aabc", 4);
	FillMemory(t, 4, 'x');
	assert_memory_equal(t, "xxxx", 4);
	ZeroMemory(t, 2);
	assert_memory_equal(t, "\0\0xx", 4);
	EXPECT(SecureZeroMemory, SecureZeroMemory(t, 4) == t && t[3] == 0);
}

/* ---- Pages: VirtualAlloc and related functions ---------------------------------------------- */

static sigjmp_buf back;

static void on_fault(int number)
{
	siglongjmp(back, 1);
}

#if defined(__SANITIZE_ADDRESS__)
#define UNCHECKED __attribute__((no_sanitize("address")))
#else
#define UNCHECKED
#endif

UNCHECKED static bool can(volatile char *at, bool write)
{
	struct sigaction fault = {.sa_handler = on_fault}, segv, bus;
	bool good = false;

	sigaction(SIGSEGV, &fault, &segv);
	sigaction(SIGBUS, &fault, &bus);
	if (sigsetjmp(back, 1) == 0) {
		char byte = *at;

		if (write)
			*at = byte;
		good = true;
	}
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGBUS, &bus, NULL);
	return good;
}

static void test_VirtualAlloc(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *r = VirtualAlloc(NULL, 1 << 20, MEM_RESERVE, PAGE_READWRITE);

	assert_non_null(r);
	assert_int_equal((uintptr_t)r % 65536, 0);
	assert_false(can(r, false));
	assert_ptr_equal(VirtualAlloc(r + page + 5, 10, MEM_COMMIT, PAGE_READWRITE), r + page);
	assert_true(can(r + page, true));
	assert_int_equal(r[page], 0);
	assert_false(can(r, false));
	assert_false(can(r + 2 * page, false));
	assert_fails(VirtualAlloc(r, (1 << 20) + 1, MEM_COMMIT, PAGE_READWRITE),
		     ERROR_INVALID_ADDRESS);
	assert_fails(VirtualAlloc(r, page, MEM_RESERVE, PAGE_READWRITE), ERROR_INVALID_ADDRESS);
	assert_fails(VirtualAlloc(NULL, 0, MEM_COMMIT, PAGE_READWRITE), ERROR_INVALID_PARAMETER);
	assert_fails(VirtualAlloc(NULL, 1, MEM_COMMIT, PAGE_READWRITE | PAGE_GUARD),
		     ERROR_INVALID_PARAMETER);
	assert_fails(VirtualAlloc(NULL, 1, MEM_RESET, PAGE_READWRITE), ERROR_INVALID_PARAMETER);
	assert_fails(VirtualAlloc(NULL, SIZE_MAX, MEM_RESERVE, PAGE_READWRITE),
		     ERROR_INVALID_PARAMETER);
	assert_fails(VirtualAlloc(NULL, SIZE_MAX / 4, MEM_RESERVE, PAGE_READWRITE),
		     ERROR_NOT_ENOUGH_MEMORY);
	assert_true(VirtualFree(r, 0, MEM_RELEASE));
	char *c = VirtualAlloc(NULL, 3 * page, MEM_COMMIT, PAGE_READONLY);

	assert_true(can(c, false));
	assert_false(can(c, true));
	char *there = VirtualAlloc(r, page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

	assert_true(there == r || there == NULL);
	if (there)
		VirtualFree(there, 0, MEM_RELEASE);
	VirtualFree(c, 0, MEM_RELEASE);
}

static void test_large_pages(void **state)
{
	SIZE_T large = GetLargePageMinimum();

	EXPECT(GetLargePageMinimum, large == 0 || (large & (large - 1)) == 0);
	char *memory = VirtualAlloc(NULL, large ? large : 4096,
				    MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES, PAGE_READWRITE);

	if (!memory) {
		assert_int_equal(GetLastError(), ERROR_NO_SYSTEM_RESOURCES);
		return;
	}
	memory[large - 1] = 1;
	assert_fails(VirtualFree(memory, 0, MEM_DECOMMIT), ERROR_INVALID_ADDRESS);
	assert_true(VirtualFree(memory, 0, MEM_RELEASE));
}

static void test_VirtualFree(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *r = VirtualAlloc(NULL, 4 * page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

	r[page] = 7;
	assert_true(VirtualFree(r + page, 1, MEM_DECOMMIT));
	assert_false(can(r + page, false));
	assert_true(can(r + 2 * page, true));
	assert_ptr_equal(VirtualAlloc(r + page, 1, MEM_COMMIT, PAGE_READWRITE), r + page);
	assert_int_equal(r[page], 0);
	assert_fails(VirtualFree(r + page, 0, MEM_DECOMMIT), ERROR_INVALID_ADDRESS);
	assert_fails(VirtualFree(r, 1 << 24, MEM_DECOMMIT), ERROR_INVALID_PARAMETER);
	assert_true(VirtualFree(r, 0, MEM_DECOMMIT));
	assert_false(can(r + 2 * page, false));
	assert_fails(VirtualFree(r, page, MEM_RELEASE), ERROR_INVALID_PARAMETER);
	assert_fails(VirtualFree(r + page, 0, MEM_RELEASE), ERROR_INVALID_ADDRESS);
	assert_fails(VirtualFree(r, 0, MEM_RESERVE), ERROR_INVALID_PARAMETER);
	assert_true(VirtualFree(r, 0, MEM_RELEASE));
	assert_fails(VirtualFree(r, 0, MEM_RELEASE), ERROR_INVALID_ADDRESS);
}

static void test_VirtualProtect(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *r = VirtualAlloc(NULL, 4 * page, MEM_RESERVE, PAGE_READWRITE);
	static char own[16384 * 3];
	char *inside = (char *)(((uintptr_t)own + page - 1) / page * page);
	DWORD old = 0;

	VirtualAlloc(r, 2 * page, MEM_COMMIT, PAGE_READWRITE);
	assert_true(VirtualProtect(r, page, PAGE_NOACCESS, &old));
	assert_int_equal(old, PAGE_READWRITE);
	assert_false(can(r, false));
	assert_true(VirtualProtect(r, 2 * page, PAGE_EXECUTE_READ, &old));
	assert_int_equal(old, PAGE_NOACCESS);
	assert_true(can(r, false));
	assert_false(can(r, true));
	assert_fails(VirtualProtect(r, 3 * page, PAGE_READWRITE, &old), ERROR_INVALID_ADDRESS);
	assert_fails(VirtualProtect(r, page, 0x123, &old), ERROR_INVALID_PARAMETER);
	assert_fails(VirtualProtect(r, page, PAGE_READWRITE, NULL), ERROR_NOACCESS);
	assert_true(VirtualProtect(inside, page, PAGE_READONLY, &old));
	assert_int_equal(old, PAGE_READWRITE);
	assert_false(can(inside, true));
	assert_true(VirtualProtect(inside, page, old, &old));
	assert_int_equal(old, PAGE_READONLY);
	VirtualFree(r, 0, MEM_RELEASE);
	assert_fails(VirtualProtect(r, page, PAGE_READWRITE, &old), ERROR_INVALID_ADDRESS);
}

static void test_VirtualQuery(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *r = VirtualAlloc(NULL, 8 * page, MEM_RESERVE, PAGE_NOACCESS);
	MEMORY_BASIC_INFORMATION info;
	int local;

	VirtualAlloc(r + 2 * page, 3 * page, MEM_COMMIT, PAGE_READONLY);
	assert_int_equal(VirtualQuery(r, &info, sizeof(info)), sizeof(info));
	assert_true(info.State == MEM_RESERVE && info.RegionSize == 2 * page && info.Protect == 0);
	assert_int_equal(VirtualQuery(r + 3 * page + 1, &info, sizeof(info)), sizeof(info));
	assert_true(info.State == MEM_COMMIT && info.RegionSize == 2 * page &&
		    info.Protect == PAGE_READONLY);
	assert_true(info.BaseAddress == r + 3 * page && info.AllocationBase == r &&
		    info.Type == MEM_PRIVATE);
	assert_true(VirtualFree(r + 3 * page, page, MEM_DECOMMIT));
	VirtualQuery(r + 3 * page, &info, sizeof(info));
	assert_true(info.State == MEM_RESERVE && info.RegionSize == page);
	VirtualFree(r, 0, MEM_RELEASE);
	VirtualQuery(r, &info, sizeof(info));
	assert_int_equal(info.State, MEM_FREE);
	VirtualQuery(&local, &info, sizeof(info));
	assert_true(info.State == MEM_COMMIT && info.Protect == PAGE_READWRITE &&
		    info.Type == MEM_PRIVATE);
	VirtualQuery((void *)(uintptr_t)test_words, &info, sizeof(info));
	assert_true(info.Protect == PAGE_EXECUTE_READ && info.Type == MEM_MAPPED);
	assert_fails(VirtualQuery(&local, &info, 8), ERROR_BAD_LENGTH);
	assert_fails(VirtualQuery((void *)(uintptr_t)0x7FFFFFFF1000, &info, sizeof(info)),
		     ERROR_INVALID_PARAMETER);
}

static void test_locks(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *r = VirtualAlloc(NULL, page, MEM_COMMIT, PAGE_READWRITE);

	EXPECT(VirtualLock, VirtualLock(r, page) || GetLastError() == ERROR_WORKING_SET_QUOTA);
	EXPECT(VirtualUnlock, VirtualUnlock(r, page));
	VirtualFree(r, 0, MEM_RELEASE);
#if !defined(__SANITIZE_ADDRESS__) /* AddressSanitizer's mlock() does nothing and returns success */
	assert_fails(VirtualLock(r, page), ERROR_NOACCESS);
	assert_fails(VirtualUnlock(r, page), ERROR_NOT_LOCKED);
#endif
}

static void test_virtual_ex_functions(void **state)
{
	HANDLE self = GetCurrentProcess();
	char *a = VirtualAllocEx(self, NULL, 1, MEM_COMMIT, PAGE_READWRITE);
	char *b = VirtualAllocExNuma(self, NULL, 1, MEM_COMMIT, PAGE_READWRITE, 0);

	EXPECT(VirtualAllocEx,
	       a && can(a, true) && !VirtualAllocEx(NULL, NULL, 1, MEM_COMMIT, PAGE_READWRITE));
	EXPECT(VirtualAllocExNuma, b && can(b, true));
	EXPECT(VirtualFreeEx,
	       VirtualFreeEx(self, a, 0, MEM_RELEASE) && VirtualFreeEx(self, b, 0, MEM_RELEASE));
	assert_fails(VirtualFreeEx(NULL, a, 0, MEM_RELEASE), ERROR_INVALID_HANDLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heaps),
		cmocka_unit_test(test_local_and_global_memory),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_VirtualAlloc),
		cmocka_unit_test(test_large_pages),
		cmocka_unit_test(test_VirtualFree),
		cmocka_unit_test(test_VirtualProtect),
		cmocka_unit_test(test_VirtualQuery),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_virtual_ex_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
