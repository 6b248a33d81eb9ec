/* Tests of formatted output with formats as Windows reads them, to memory and to streams. */
#include <errno.h>
#include <inttypes.h>
#include <io.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include "testing.h"

/* ---- Formats: most are given as narrow text, some as wide text ------------------------------ */

#define BOTH(wanted, ...)                                  \
	do {                                               \
		char text[128];                            \
		snprintf(text, sizeof(text), __VA_ARGS__); \
		assert_string_equal(text, wanted);         \
	} while (0)
#define BOTH_WIDE(wanted, ...)                                                           \
	do {                                                                             \
		wchar_t text[128];                                                       \
		assert_int_equal(swprintf(text, 128, __VA_ARGS__), (int)wcslen(wanted)); \
		assert_int_equal(wcscmp(text, wanted), 0);                               \
	} while (0)

static void test_numbers(void **state)
{
	ULONG u = 4000000000u;

	BOTH("4000000000 -294967296", "%lu %ld", u, u);
	BOTH("1 2", "%lu %d", 0xFFFFFFFF00000001ul, 2);
	BOTH("18446744073709551615", "%I64u", UINT64_MAX);
	BOTH("-9 18446744073709551615", "%Id %Iu", (SSIZE_T)-9, (SIZE_T)-1);
	BOTH("4294967295", "%I32u", UINT32_MAX);
	BOTH("-1 1", "%I64d %I32d", INT64_C(-1), 1);
	BOTH("255 65535 -1 -1", "%hhu %hu %hhd %hd", 0xFFF, 0x1FFFF, 0xFF, 0xFFFF);
	BOTH("18446744073709551615 7 8 9", "%llu %zu %td %jd", UINT64_MAX, (size_t)7, (ptrdiff_t)8,
	     (intmax_t)9);
	BOTH("c0000120 0xc0000120 0X1F 017", "%08x %#x %#X %#o", 0xC0000120u, 0xC0000120u, 31, 15);
	BOTH("c0000120", "%08lx", (HRESULT)0xC0000120);
	BOTH("[    5][5    ][00005][+5][ 5]", "[%5d][%-5d][%05d][%+d][% d]", 5, 5, 5, 5, 5);
	BOTH("[   05][00007]", "[%*.*d][%.*d]", 5, 2, 5, 5, 7);
	BOTH("[5    ]", "[%*d]", -5, 5);
	BOTH("   5l", "%4ul", 5);
	BOTH("3.50   7.0 1.5e+00 2.5", "%.2f %5.1f %.1e %g", 3.5, 7.0, 1.5, 2.5);
	BOTH("1.5 0x1p+1", "%.1Lf %a", 1.5L, 2.0);
	BOTH("00000000DEADBEEF", "%p", (void *)0xDEADBEEF);
	BOTH("[  00000000000000AB]", "[%18p]", (void *)0xAB);
	BOTH("50% q", "%d%% %q", 50);
	BOTH("18446744073709551615 ff", "%" PRIu64 " %" PRIx64, UINT64_MAX, UINT64_C(255));
	BOTH_WIDE(L"4000000000 5 00000000000000AB", L"%lu %Iu %p", u, (SIZE_T)5, (void *)0xAB);
}

static void test_texts(void **state)
{
	char unended[3] = {'a', 'b', 'c'};

	BOTH("wide narrow", "%S %hs", L"wide", "narrow");
	BOTH("a b c", "%ls %ws %s", L"a", L"b", "c");
	BOTH("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "%S", L"\u00e9\u20ac\U0001F600");
	BOTH("[  x][x  ][ab]", "[%3s][%-3s][%.2s]", "x", "x", "abc");
	BOTH("abc", "%.3s", unended);
	BOTH("[\xc3\xa9]", "[%.3S]", L"\u00e9\u20ac");
	BOTH("(null) (nu", "%s %.3S", (char *)NULL, (wchar_t *)NULL);
	BOTH("xyz\xc3\xa9", "%c%hc%C%lc", 'x', 'y', L'z', L'\u00e9');
	BOTH_WIDE(L"wide narrow \u00e9", L"%s %S %hs", L"wide", "narrow", "\xc3\xa9");
	BOTH_WIDE(L"x\u00e9z", L"%c%lc%C", L'x', L'\u00e9', 'z');
	BOTH_WIDE(L"[  \u20ac][ab]", L"[%3s][%.2hs]", L"\u20ac", "abc");
	BOTH_WIDE(L"\uFFFD", L"%S", "\xff");
}

static void test_refused(void **state)
{
	char text[8] = "before";
	int n;

	errno = 0;
	assert_int_equal(snprintf(text, sizeof(text), "abc%n", &n), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(text, "");
	assert_int_equal(snprintf(NULL, 0, "%20000000d", 1), -1);
	assert_int_equal(errno, EOVERFLOW);
	assert_int_equal(snprintf(NULL, 0, NULL), -1);
}

/* ---- Output to memory ----------------------------------------------------------------------- */

static int list_narrow(int (*call)(char *, size_t, const char *, va_list), char *to, size_t size,
		       const char *format, ...)
{
	va_list list;

	va_start(list, format);
	int result = call(to, size, format, list);

	va_end(list);
	return result;
}

static int list_wide(int (*call)(wchar_t *, size_t, const wchar_t *, va_list), wchar_t *to,
		     size_t size, const wchar_t *format, ...)
{
	va_list list;

	va_start(list, format);
	int result = call(to, size, format, list);

	va_end(list);
	return result;
}

static int without_size(char *to, size_t size, const char *format, va_list list)
{
	return vsprintf(to, format, list);
}

static int without_size_wide(wchar_t *to, size_t size, const wchar_t *format, va_list list)
{
	return _vswprintf(to, format, list);
}

static int cut(char *to, size_t size, const char *format, va_list list)
{
	return _vsnprintf_s(to, size, _TRUNCATE, format, list);
}

static int cut_wide(wchar_t *to, size_t size, const wchar_t *format, va_list list)
{
	return _vsnwprintf_s(to, size, _TRUNCATE, format, list);
}

static int count_only(char *to, size_t size, const char *format, va_list list)
{
	return _vscprintf(format, list);
}

static int count_only_wide(wchar_t *to, size_t size, const wchar_t *format, va_list list)
{
	return _vscwprintf(format, list);
}

static void test_memory(void **state)
{
	char t[8];

#define CLEAR memset(t, '#', sizeof(t))
	CLEAR;
	EXPECT(compat_sprintf, sprintf(t, "%d", 12345) == 5 && !strcmp(t, "12345"));
	EXPECT(compat_vsprintf,
	       list_narrow(without_size, t, 0, "%s", "ab") == 2 && !strcmp(t, "ab"));
	CLEAR;
	EXPECT(compat_snprintf,
	       snprintf(t, 4, "%s", "abcdef") == 6 && !strcmp(t, "abc") && t[4] == '#');
	EXPECT(compat_snprintf, snprintf(NULL, 0, "%s", "abcdef") == 6);
	EXPECT(compat_vsnprintf, list_narrow(vsnprintf, t, 3, "%d", 1234) == 4 && !strcmp(t, "12"));
	CLEAR;
	EXPECT(_snprintf, _snprintf(t, 4, "%s", "abc") == 3 && !strcmp(t, "abc"));
	CLEAR;
	EXPECT(_snprintf, _snprintf(t, 3, "%s", "abc") == 3 && t[3] == '#');
	CLEAR;
	EXPECT(_snprintf, _snprintf(t, 2, "%s", "abc") == -1 && t[1] == 'b' && t[2] == '#');
	EXPECT(_snprintf, _snprintf(NULL, 0, "%s", "abc") == 3);
	EXPECT(_vsnprintf, list_narrow(_vsnprintf, t, 2, "%d", 123) == -1);
	EXPECT(sprintf_s, sprintf_s(t, sizeof(t), "%s", "abcdefg") == 7 && !strcmp(t, "abcdefg"));
	errno = 0;
	EXPECT(sprintf_s,
	       sprintf_s(t, sizeof(t), "%s", "abcdefgh") == -1 && t[0] == 0 && errno == ERANGE);
	EXPECT(sprintf_s,
	       sprintf_s(NULL, 1, "x") == -1 && errno == EINVAL && sprintf_s(t, 0, "x") == -1);
	EXPECT(vsprintf_s, list_narrow(vsprintf_s, t, 3, "%d", 12) == 2 &&
				   list_narrow(vsprintf_s, t, 2, "%d", 12) == -1);
	EXPECT(_snprintf_s,
	       _snprintf_s(t, sizeof(t), 3, "%s", "abcdef") == -1 && !strcmp(t, "abc"));
	EXPECT(_snprintf_s, _snprintf_s(t, sizeof(t), _TRUNCATE, "%s", "abcdefghij") == -1 &&
				    !strcmp(t, "abcdefg"));
	EXPECT(_snprintf_s, _snprintf_s(t, sizeof(t), 20, "%s", "abcdefghij") == -1 && t[0] == 0);
	EXPECT(_snprintf_s, _snprintf_s(t, sizeof(t), 20, "%s", "abc") == 3 && !strcmp(t, "abc"));
	EXPECT(_vsnprintf_s, list_narrow(cut, t, 3, "%d", 123) == -1 && !strcmp(t, "12"));
	EXPECT(_scprintf, _scprintf("%5d", 1) == 5);
	EXPECT(_vscprintf, list_narrow(count_only, NULL, 0, "%7d", 1) == 7);
}

static void test_wide_memory(void **state)
{
	wchar_t t[8];

#define IS(text) (wcscmp(t, text) == 0)
	EXPECT(compat_swprintf, swprintf(t, 8, L"%d", 12345) == 5 && IS(L"12345"));
	EXPECT(compat_swprintf, swprintf(t, 4, L"%s", L"abcd") == -1 && IS(L"abc"));
	EXPECT(compat_vswprintf, list_wide(vswprintf, t, 4, L"%s", L"abc") == 3 && IS(L"abc"));
	EXPECT(_swprintf, _swprintf(t, L"%d", 7) == 1 && IS(L"7"));
	EXPECT(_vswprintf, list_wide(without_size_wide, t, 0, L"%d", 89) == 2 && IS(L"89"));
	t[2] = L'#';
	EXPECT(_snwprintf, _snwprintf(t, 2, L"%s", L"ab") == 2 && t[2] == L'#');
	EXPECT(_vsnwprintf, list_wide(_vsnwprintf, t, 2, L"%s", L"abc") == -1 && t[2] == L'#');
	EXPECT(swprintf_s, swprintf_s(t, 8, L"%s", L"abc") == 3 &&
				   swprintf_s(t, 3, L"%s", L"abc") == -1 && t[0] == 0);
	EXPECT(vswprintf_s, list_wide(vswprintf_s, t, 3, L"%d", 12) == 2 &&
				    list_wide(vswprintf_s, t, 2, L"%d", 12) == -1);
	EXPECT(_snwprintf_s, _snwprintf_s(t, 8, 3, L"%s", L"abcdef") == -1 && IS(L"abc"));
	EXPECT(_vsnwprintf_s, list_wide(cut_wide, t, 3, L"%d", 123) == -1 && IS(L"12"));
	EXPECT(_scwprintf, _scwprintf(L"%5d", 1) == 5);
	EXPECT(_vscwprintf, list_wide(count_only_wide, NULL, 0, L"%7d", 1) == 7);
}

/* ---- Output to streams ---------------------------------------------------------------------- */

static int list_stream(FILE *f, const char *format, ...)
{
	va_list list, again;

	va_start(list, format);
	va_copy(again, list);
	int result = f ? vfprintf(f, format, list) : vprintf(format, again);

	va_end(again);
	va_end(list);
	return result;
}

static int list_wide_stream(FILE *f, const wchar_t *format, ...)
{
	va_list list, again;

	va_start(list, format);
	va_copy(again, list);
	int result = f ? vfwprintf(f, format, list) : vwprintf(format, again);

	va_end(again);
	va_end(list);
	return result;
}

static void assert_holds(FILE *f, const char *wanted)
{
	char text[256] = "";

	fflush(f);
	assert_int_equal(pread(fileno(f), text, sizeof(text), 0), strlen(wanted));
	assert_string_equal(text, wanted);
	fclose(f);
}

/* Narrow and wide text written to one stream appear in the order of the calls. */
static void test_streams(void **state)
{
	FILE *f = tmpfile();

	EXPECT(compat_fprintf, fprintf(f, "%S,", L"\u00e9") == 3);
	EXPECT(compat_fwprintf, fwprintf(f, L"%s,", L"\u20ac") == 2);
	EXPECT(compat_vfprintf, list_stream(f, "%lu,", 1u) == 2);
	EXPECT(compat_vfwprintf, list_wide_stream(f, L"%lu,", 2u) == 2);
	EXPECT(fprintf_s, fprintf_s(f, "%d,", 3) == 2);
	EXPECT(fwprintf_s, fwprintf_s(f, L"%d", 4) == 1);
	assert_holds(f, "\xc3\xa9,\xe2\x82\xac,1,2,3,4");
	f = fopen("/dev/full", "w");
	setbuf(f, NULL);
	assert_int_equal(fprintf(f, "%d", 1), -1);
	fclose(f);
	/*
	 * Another library may have given a stream wide orientation. Output to such a stream works
	 * too.
	 */
	f = tmpfile();
	assert_true(fwide(f, 1) > 0);
	assert_int_equal(fprintf(f, "%d ", 5), 2);
	assert_int_equal(fwprintf(f, L"%d", 6), 1);
	assert_holds(f, "5 6");
}

static void test_standard_output(void **state)
{
	FILE *f = tmpfile();
	int rows[6], saved = dup(1);

	fflush(stdout);
	dup2(_fileno(f), 1);
	rows[0] = printf("%d,", 1);
	rows[1] = wprintf(L"%s,", L"2");
	rows[2] = list_stream(NULL, "%d,", 3);
	rows[3] = list_wide_stream(NULL, L"%d,", 4);
	rows[4] = printf_s("%d,", 5);
	rows[5] = wprintf_s(L"%d", 66);
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	EXPECT(compat_printf, rows[0] == 2);
	EXPECT(compat_wprintf, rows[1] == 2);
	EXPECT(compat_vprintf, rows[2] == 2);
	EXPECT(compat_vwprintf, rows[3] == 2);
	EXPECT(printf_s, rows[4] == 2);
	EXPECT(wprintf_s, rows[5] == 2);
	assert_holds(f, "1,2,3,4,5,66");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_refused),		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_wide_memory),	cmocka_unit_test(test_streams),
		cmocka_unit_test(test_standard_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
