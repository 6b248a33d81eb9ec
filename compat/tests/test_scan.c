/*
 * Tests of formatted input (scanf) as Windows reads formats: widths of numbers, sizes of buffers,
 * narrow and wide text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include "testing.h"

static void test_numbers(void **state)
{
	struct {
		ULONG value, guard;
	} u = {0, 0xDEADBEEF};
	uint64_t wide = 0;
	SIZE_T size = 0;
	short s = 0;
	signed char c = 0;
	int i = 0, n = 0;
	float f = 0;
	double d = 0;
	void *p = NULL;

	EXPECT(compat_sscanf, sscanf("4000000000", "%lu", &u.value) == 1 &&
				      u.value == 4000000000u && u.guard == 0xDEADBEEF);
	assert_int_equal(sscanf("18446744073709551615 12", "%I64u %Iu", &wide, &size), 2);
	assert_true(wide == UINT64_MAX && size == 12);
	assert_int_equal(sscanf("-7 -8 0x1F", "%hd %hhd %i", &s, &c, &i), 3);
	assert_true(s == -7 && c == -8 && i == 31);
	assert_int_equal(sscanf("ff 17 010", "%x %o %i", &i, &n, &i), 3);
	assert_true(n == 15 && i == 8);
	assert_int_equal(sscanf("1.5 -2.5e3 inf", "%f %lf %*f", &f, &d), 2);
	assert_true(f == 1.5f && d == -2500.0);
	assert_int_equal(sscanf("00DEADBEEF", "%p", &p), 1);
	assert_ptr_equal(p, (void *)0xDEADBEEF);
	assert_int_equal(sscanf("123456", "%3d%d%n", &i, &n, &n), 2);
	assert_true(i == 123 && n == 6);
	assert_int_equal(sscanf("99", "%" SCNu64, &wide), 1);
	assert_int_equal(wide, 99);
	assert_int_equal(sscanf("x", "%d", &i), 0);
	assert_int_equal(sscanf("", "%d", &i), EOF);
	assert_int_equal(sscanf("12:34", "%d:%d", &i, &n), 2);
	assert_int_equal(sscanf("12;34", "%d:%d", &i, &n), 1);
	assert_int_equal(sscanf("5%6", "%d%%%d", &i, &n), 2);
	assert_int_equal(sscanf("0x", "%i", &i), 0);
	assert_int_equal(sscanf(NULL, "%d", &i), EOF);
}

static void test_texts(void **state)
{
	char a[16], b[16];
	wchar_t w[16];

	assert_int_equal(sscanf("  word [in]", "%s [%[a-z]]", a, b), 2);
	assert_string_equal(a, "word");
	assert_string_equal(b, "in");
	assert_int_equal(sscanf("abc123", "%[^0-9]%2c", a, b), 2);
	assert_string_equal(a, "abc");
	assert_memory_equal(b, "12", 2);
	assert_int_equal(sscanf("a]b", "%[]a]", a), 1);
	assert_string_equal(a, "a]");
	assert_int_equal(sscanf("123", "%[a-z]%s", a, b), 0);
	assert_int_equal(sscanf("\xc3\xa9z", "%S", w), 1);
	assert_int_equal(wcscmp(w, L"\u00e9z"), 0);
	EXPECT(compat_swscanf, swscanf(L"\u00e9 narrow 7", L"%s %hs %lu", w, a, (ULONG *)b) == 3 &&
				       w[0] == L'\u00e9' && !strcmp(a, "narrow"));
}

static int list(const char *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int result = vsscanf(text, format, arguments);

	va_end(arguments);
	return result;
}

static void test_lists_and_rooms(void **state)
{
	char a[8] = "before", c[2];
	wchar_t w[4];
	int i = 0;

	EXPECT(compat_vsscanf, list("5", "%d", &i) == 1 && i == 5);
	EXPECT(sscanf_s, sscanf_s("seven77 8", "%s %d", a, (unsigned)sizeof(a), &i) == 2 &&
				 !strcmp(a, "seven77") && i == 8);
	EXPECT(sscanf_s,
	       sscanf_s("eight888 8", "%s %d", a, (unsigned)sizeof(a), &i) == 0 && a[0] == 0);
	EXPECT(sscanf_s, sscanf_s("xy", "%2c", c, 2u) == 1 && c[1] == 'y' &&
				 sscanf_s("xy", "%2c", c, 1u) == 0);
	EXPECT(sscanf_s, sscanf_s("abc", "%[a-c]", a, 0u) == 0);
	EXPECT(swscanf_s, swscanf_s(L"abc", L"%s", w, 4u) == 1 &&
				  swscanf_s(L"abcd", L"%s", w, 4u) == 0 && w[0] == 0);
}

static FILE *file_of(const char *text)
{
	FILE *f = tmpfile();

	fputs(text, f);
	rewind(f);
	return f;
}

static void test_streams(void **state)
{
	FILE *f = file_of("12 word 4000000000 rest");
	char a[8];
	int i = 0, saved = dup(0);
	ULONG u = 0;

	EXPECT(compat_fscanf, fscanf(f, "%d %s", &i, a) == 2 && i == 12 && !strcmp(a, "word"));
	EXPECT(fscanf_s, fscanf_s(f, "%lu %s", &u, a, (unsigned)sizeof(a)) == 2 &&
				 u == 4000000000u && !strcmp(a, "rest"));
	assert_int_equal(fscanf(f, "%d", &i), EOF);
	fclose(f);
	f = file_of("31 thing");
	dup2(fileno(f), 0);
	EXPECT(compat_scanf, scanf("%d", &i) == 1 && i == 31);
	EXPECT(scanf_s, scanf_s("%s", a, (unsigned)sizeof(a)) == 1 && !strcmp(a, "thing"));
	dup2(saved, 0);
	close(saved);
	fclose(f);
	clearerr(stdin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_lists_and_rooms),
		cmocka_unit_test(test_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
