/* Tests of the functions that copy narrow or wide text with a limit, and of the functions that
 * allocate aligned memory. */
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <wchar.h>
#include "testing.h"

static void test_narrow(void **state)
{
	char t[6] = "";

#define IS(text) (strcmp(t, text) == 0)
	EXPECT(strcpy_s, strcpy_s(t, 6, "abcde") == 0 && IS("abcde") &&
				 strcpy_s(t, 5, "abcde") == ERANGE && IS(""));
	EXPECT(strcpy_s, strcpy_s(t, 6, NULL) == EINVAL && strcpy_s(NULL, 6, "a") == EINVAL &&
				 strcpy_s(t, 0, "a") == EINVAL);
	EXPECT(strcat_s, strcpy_s(t, 6, "ab") == 0 && strcat_s(t, 6, "cde") == 0 && IS("abcde"));
	EXPECT(strcat_s, strcat_s(t, 6, "f") == ERANGE && IS(""));
	memset(t, 'x', sizeof(t));
	EXPECT(strcat_s, strcat_s(t, 6, "f") == EINVAL && IS(""));
	EXPECT(strncpy_s, strncpy_s(t, 6, "abcdef", 3) == 0 && IS("abc") &&
				  strncpy_s(t, 3, "abc", 3) == ERANGE && IS(""));
	EXPECT(strncpy_s, strncpy_s(t, 3, "abc", _TRUNCATE) == STRUNCATE && IS("ab"));
	EXPECT(strncpy_s, strncpy_s(t, 4, "abc", _TRUNCATE) == 0 && IS("abc"));
	EXPECT(strncat_s, strncat_s(t, 6, "defgh", 2) == 0 && IS("abcde"));
	EXPECT(strncat_s, strncat_s(t, 6, "fgh", _TRUNCATE) == STRUNCATE && IS("abcde"));
	EXPECT(strnlen_s, strnlen_s(t, 3) == 3 && strnlen_s(t, 6) == 5 && strnlen_s(NULL, 6) == 0);
	EXPECT(strerror_s, strerror_s(t, 6, EINVAL) == 0 && strlen(t) == 5 &&
				   strerror_s(NULL, 6, EINVAL) == EINVAL);
}

static void test_wide(void **state)
{
	wchar_t t[6] = L"";

#undef IS
#define IS(text) (wcscmp(t, text) == 0)
	EXPECT(wcscpy_s, wcscpy_s(t, 6, L"abcde") == 0 && IS(L"abcde") &&
				 wcscpy_s(t, 5, L"abcde") == ERANGE && IS(L""));
	EXPECT(wcscat_s, wcscpy_s(t, 6, L"ab") == 0 && wcscat_s(t, 6, L"cde") == 0 &&
				 IS(L"abcde") && wcscat_s(t, 6, L"f") == ERANGE);
	EXPECT(wcsncpy_s, wcsncpy_s(t, 6, L"abcdef", 3) == 0 && IS(L"abc") &&
				  wcsncpy_s(t, 3, L"abc", _TRUNCATE) == STRUNCATE && IS(L"ab"));
	EXPECT(wcsncat_s, wcsncat_s(t, 6, L"cdefgh", 2) == 0 && IS(L"abcd") &&
				  wcsncat_s(t, 6, L"ef", _TRUNCATE) == STRUNCATE);
	EXPECT(wcsnlen_s, wcsnlen_s(t, 3) == 3 && wcsnlen_s(t, 6) == 5 && wcsnlen_s(NULL, 6) == 0);
	EXPECT(wmemcpy_s, wmemcpy_s(t, 6, L"xyz", 3) == 0 && t[2] == L'z' &&
				  wmemcpy_s(t, 6, L"xyz", SIZE_MAX) == ERANGE);
	EXPECT(wmemmove_s, wmemmove_s(t + 1, 5, t, 3) == 0 && t[3] == L'z' &&
				   wmemmove_s(t, 2, L"abc", 3) == ERANGE);
}

static void test_memory(void **state)
{
	char t[4] = "abc";

	EXPECT(memcpy_s, memcpy_s(t, 4, "xy", 2) == 0 && t[0] == 'x' &&
				 memcpy_s(t, 4, "12345", 5) == ERANGE && t[0] == 0);
	EXPECT(memcpy_s, memcpy_s(NULL, 4, "a", 1) == EINVAL && memcpy_s(t, 4, NULL, 1) == EINVAL &&
				 memcpy_s(NULL, 0, NULL, 0) == 0);
	memcpy(t, "abc", 4);
	EXPECT(memmove_s, memmove_s(t + 1, 3, t, 3) == 0 && !memcmp(t, "aabc", 4) &&
				  memmove_s(t, 2, "abc", 3) == ERANGE && t[0] == 'a');
}

static void test_aligned(void **state)
{
	char *memory = _aligned_malloc(100, 4096);

	EXPECT(_aligned_malloc, memory && (uintptr_t)memory % 4096 == 0);
	errno = 0;
	EXPECT(_aligned_malloc, !_aligned_malloc(100, 3) && errno == EINVAL);
	EXPECT(_msize, _msize(memory) >= 100 && _msize(NULL) == (size_t)-1);
	strcpy(memory, "kept");
	memory = _aligned_realloc(memory, 10000, 8192);
	EXPECT(_aligned_realloc,
	       memory && (uintptr_t)memory % 8192 == 0 && !strcmp(memory, "kept"));
	EXPECT(_aligned_realloc, !_aligned_realloc(memory, 0, 16));
	_aligned_free(NULL);
	EXPECT(_aligned_free, (memory = _aligned_malloc(0, 1)) != NULL);
	_aligned_free(memory);
	assert_non_null(_alloca(16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_aligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
