/*
 * Tests of the string functions that return an HRESULT. The text is narrow or wide, and sizes are
 * given in characters or in bytes.
 */
#include <strsafe.h>
#include "testing.h"

#define FULL  STRSAFE_E_INSUFFICIENT_BUFFER
#define WRONG STRSAFE_E_INVALID_PARAMETER

static HRESULT list_a(HRESULT (*call)(LPSTR, size_t, LPCSTR, va_list), char *to, size_t room,
		      const char *format, ...)
{
	va_list list;

	va_start(list, format);
	HRESULT result = call(to, room, format, list);

	va_end(list);
	return result;
}

static HRESULT list_w(HRESULT (*call)(LPWSTR, size_t, LPCWSTR, va_list), wchar_t *to, size_t room,
		      const wchar_t *format, ...)
{
	va_list list;

	va_start(list, format);
	HRESULT result = call(to, room, format, list);

	va_end(list);
	return result;
}

static void test_narrow(void **state)
{
	char t[6] = "";
	size_t n = 9;

#define IS(text) (strcmp(t, text) == 0)
	EXPECT(StringCchCopyA, StringCchCopyA(t, 6, "abcde") == S_OK && IS("abcde") &&
				       StringCchCopyA(t, 6, "abcdef") == FULL && IS("abcde"));
	EXPECT(StringCchCopyA, StringCchCopyA(t, 0, "a") == WRONG &&
				       StringCchCopyA(NULL, 6, "a") == WRONG &&
				       StringCchCopyA(t, SIZE_MAX, "a") == WRONG);
	EXPECT(StringCbCopyA, StringCbCopyA(t, 3, "abc") == FULL && IS("ab"));
	EXPECT(StringCchCatA, StringCchCatA(t, 6, "cd") == S_OK && IS("abcd") &&
				      StringCchCatA(t, 6, "efg") == FULL && IS("abcde"));
	EXPECT(StringCbCatA, StringCbCatA(t, 6, "x") == FULL && StringCbCatA(t, 3, "x") == WRONG);
	EXPECT(StringCchCopyNA, StringCchCopyNA(t, 6, "abcdef", 2) == S_OK && IS("ab") &&
					StringCchCopyNA(t, 3, "abcdef", 4) == FULL && IS("ab"));
	EXPECT(StringCbCopyNA, StringCbCopyNA(t, 6, "abcdef", 9) == FULL && IS("abcde"));
	EXPECT(StringCchCatNA, StringCchCopyA(t, 6, "a") == S_OK &&
				       StringCchCatNA(t, 6, "bcdefg", 2) == S_OK && IS("abc"));
	EXPECT(StringCbCatNA, StringCbCatNA(t, 6, "defg", 3) == FULL && IS("abcde"));
	EXPECT(StringCchPrintfA, StringCchPrintfA(t, 6, "%lu", 12345u) == S_OK && IS("12345") &&
					 StringCchPrintfA(t, 3, "%d", 123) == FULL && IS("12"));
	EXPECT(StringCchPrintfA, StringCchPrintfA(t, 6, NULL) == WRONG);
	EXPECT(StringCbPrintfA, StringCbPrintfA(t, 6, "%S", L"w") == S_OK && IS("w"));
	EXPECT(StringCchVPrintfA, list_a(StringCchVPrintfA, t, 6, "%d", 7) == S_OK && IS("7"));
	EXPECT(StringCbVPrintfA, list_a(StringCbVPrintfA, t, 2, "%d", 78) == FULL && IS("7"));
	EXPECT(StringCchLengthA, StringCchLengthA("abc", 4, &n) == S_OK && n == 3 &&
					 StringCchLengthA("abc", 3, &n) == WRONG && n == 0);
	EXPECT(StringCbLengthA, StringCbLengthA("ab", 9, &n) == S_OK && n == 2 &&
					StringCbLengthA(NULL, 9, NULL) == WRONG);
}

static void test_wide(void **state)
{
	wchar_t t[6] = L"";
	size_t n = 9;

#undef IS
#define IS(text) (wcscmp(t, text) == 0)
	EXPECT(StringCchCopyW, StringCchCopyW(t, 6, L"abcde") == S_OK && IS(L"abcde") &&
				       StringCchCopyW(t, 3, L"abc") == FULL && IS(L"ab"));
	EXPECT(StringCbCopyW, StringCbCopyW(t, sizeof(t), L"abcdef") == FULL && IS(L"abcde") &&
				      StringCbCopyW(t, 3, L"a") == WRONG);
	EXPECT(StringCchCatW, StringCchCopyW(t, 6, L"a") == S_OK &&
				      StringCchCatW(t, 6, L"b") == S_OK && IS(L"ab"));
	EXPECT(StringCbCatW, StringCbCatW(t, sizeof(t), L"cdef") == FULL && IS(L"abcde"));
	EXPECT(StringCchCopyNW, StringCchCopyNW(t, 6, L"abc", 2) == S_OK && IS(L"ab"));
	EXPECT(StringCbCopyNW, StringCbCopyNW(t, sizeof(t), L"abc", 4) == S_OK && IS(L"a"));
	EXPECT(StringCchCatNW, StringCchCatNW(t, 6, L"bcd", 1) == S_OK && IS(L"ab"));
	EXPECT(StringCbCatNW, StringCbCatNW(t, sizeof(t), L"cd", 8) == S_OK && IS(L"abcd"));
	EXPECT(StringCchPrintfW, StringCchPrintfW(t, 6, L"%s", L"xy") == S_OK && IS(L"xy"));
	EXPECT(StringCbPrintfW, StringCbPrintfW(t, 8, L"%s", L"xy") == FULL && IS(L"x"));
	EXPECT(StringCchVPrintfW, list_w(StringCchVPrintfW, t, 6, L"%d", 7) == S_OK && IS(L"7"));
	EXPECT(StringCbVPrintfW, list_w(StringCbVPrintfW, t, 8, L"%d", 78) == FULL && IS(L"7"));
	EXPECT(StringCchLengthW, StringCchLengthW(L"abc", 4, &n) == S_OK && n == 3);
	EXPECT(StringCbLengthW, StringCbLengthW(L"abc", 16, &n) == S_OK && n == 12 &&
					StringCbLengthW(L"abc", 12, &n) == WRONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
