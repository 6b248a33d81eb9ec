/*
 * Tests of the string functions whose names begin with an underscore or with lstr, and of code
 * pages.
 */
#include <errno.h>
#include <intrin.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "testing.h"

static void test_order(void **state)
{
	EXPECT(_stricmp,
	       _stricmp("ABC", "abc") == 0 && _stricmp("a", "B") < 0 && _stricmp("ab", "a") > 0);
	EXPECT(_strnicmp, _strnicmp("ABx", "aby", 2) == 0 && _strnicmp("ABx", "aby", 3) < 0 &&
				  _strnicmp("a", "b", 0) == 0);
	EXPECT(_memicmp, _memicmp("A\0B", "a\0b", 3) == 0 && _memicmp("a", "b", 1) < 0);
	EXPECT(_wcsicmp, _wcsicmp(L"-S", L"-s") == 0 && _wcsicmp(L"a", L"B") < 0 &&
				 _wcsicmp(L"ab", L"A") > 0);
	EXPECT(_wcsnicmp, _wcsnicmp(L"ABx", L"aby", 2) == 0 && _wcsnicmp(L"ABx", L"aby", 3) < 0);
	EXPECT(lstrcmpA, lstrcmpA("a", "b") < 0 && lstrcmpA(NULL, "") == 0);
	EXPECT(lstrcmpW, lstrcmpW(L"b", L"a") > 0 && lstrcmpW(NULL, L"") == 0);
	EXPECT(lstrcmpiA, lstrcmpiA("A", "a") == 0);
	EXPECT(lstrcmpiW, lstrcmpiW(L"A", L"a") == 0);
	EXPECT(lstrlenA, lstrlenA("abc") == 3 && lstrlenA(NULL) == 0);
	EXPECT(lstrlenW, lstrlenW(L"abc") == 3 && lstrlenW(NULL) == 0);
}

static void test_change(void **state)
{
	char t[16] = "aBc", *rest = NULL, *copy = _strdup(t);
	wchar_t w[16] = L"aBc", *wide_rest = NULL, *wide_copy = _wcsdup(w);

	EXPECT(_strdup, copy != t && !strcmp(copy, "aBc") && !_strdup(NULL));
	EXPECT(_wcsdup, wide_copy != w && !wcscmp(wide_copy, L"aBc") && !_wcsdup(NULL));
	free(copy);
	free(wide_copy);
	EXPECT(_strlwr, !strcmp(_strlwr(t), "abc"));
	EXPECT(_strupr, !strcmp(_strupr(t), "ABC"));
	EXPECT(_strrev, !strcmp(_strrev(t), "CBA"));
	EXPECT(_wcslwr, !wcscmp(_wcslwr(w), L"abc"));
	EXPECT(_wcsupr, !wcscmp(_wcsupr(w), L"ABC"));
	EXPECT(_wcsrev, !wcscmp(_wcsrev(w), L"CBA"));
	EXPECT(lstrcpyA, lstrcpyA(t, "x y") == t && !lstrcpyA(t, NULL));
	EXPECT(strtok_s, !strcmp(strtok_s(t, " ", &rest), "x") &&
				 !strcmp(strtok_s(NULL, " ", &rest), "y") &&
				 !strtok_s(NULL, " ", &rest));
	EXPECT(lstrcpyW, lstrcpyW(w, L"x y") == w && !lstrcpyW(NULL, w));
	EXPECT(wcstok_s, !wcscmp(wcstok_s(w, L" ", &wide_rest), L"x") &&
				 !wcscmp(wcstok_s(NULL, L" ", &wide_rest), L"y"));
	EXPECT(lstrcatA, !strcmp(lstrcatA(t, "z"), "xz") && !lstrcatA(NULL, "z"));
	EXPECT(lstrcatW, !wcscmp(lstrcatW(w, L"z"), L"xz") && !lstrcatW(w, NULL));
	EXPECT(lstrcpynA, !strcmp(lstrcpynA(t, "abcdef", 4), "abc") && !lstrcpynA(t, "a", 0));
	EXPECT(lstrcpynW, !wcscmp(lstrcpynW(w, L"abcdef", 4), L"abc") && !lstrcpynW(w, NULL, 4));
}

static void test_wsprintf(void **state)
{
	char t[1024];
	wchar_t w[1024];

	EXPECT(wsprintfA, wsprintfA(t, "%lu %s", 5u, "x") == 3 && !strcmp(t, "5 x") &&
				  wsprintfA(t, "%2000d", 1) == 1023);
	EXPECT(wsprintfW, wsprintfW(w, L"%lu %s", 5u, L"x") == 3 && !wcscmp(w, L"5 x"));
}

static void test_from_text(void **state)
{
	char *end;
	wchar_t *wide_end;

	EXPECT(_wtoi,
	       _wtoi(L" -42x") == -42 && _wtoi(L"99999999999") == INT32_MAX && errno == ERANGE);
	EXPECT(_wtol,
	       _wtol(L"42") == 42 && _wtol(L"-99999999999") == INT32_MIN && _wtol(NULL) == 0);
	EXPECT(_wtoi64, _wtoi64(L"99999999999") == 99999999999 && _wtoi64(L"") == 0);
	EXPECT(_wtof, _wtof(L"2.5") == 2.5 && _wtof(NULL) == 0);
	EXPECT(_wcstoi64, _wcstoi64(L"-ffz", &wide_end, 16) == -255 && *wide_end == L'z' &&
				  _wcstoi64(NULL, NULL, 10) == 0);
	EXPECT(_wcstoui64, _wcstoui64(L"18446744073709551615", NULL, 10) == UINT64_MAX &&
				   _wcstoui64(NULL, NULL, 10) == 0);
	EXPECT(_atoi64, _atoi64("-99999999999") == -99999999999 && _atoi64("x") == 0);
	EXPECT(_strtoi64,
	       _strtoi64("077z", &end, 8) == 63 && *end == 'z' && _strtoi64(NULL, NULL, 10) == 0);
	EXPECT(_strtoui64, _strtoui64("18446744073709551615", NULL, 10) == UINT64_MAX &&
				   _strtoui64(NULL, NULL, 10) == 0);
}

static void test_to_text(void **state)
{
	char t[70];
	wchar_t w[70];

#define IS(text)      (strcmp(t, text) == 0)
#define IS_WIDE(text) (wcscmp(w, text) == 0)
	EXPECT(_itoa, _itoa(-5, t, 10) == t && IS("-5") && _itoa(-1, t, 16) && IS("ffffffff"));
	EXPECT(_i64toa, _i64toa(INT64_MIN, t, 10) == t && IS("-9223372036854775808"));
	EXPECT(_ui64toa, _ui64toa(UINT64_MAX, t, 2) == t && strlen(t) == 64);
	EXPECT(_itoa_s, _itoa_s(123, t, 4, 10) == 0 && IS("123") &&
				_itoa_s(123, t, 3, 10) == ERANGE && IS("") &&
				_itoa_s(1, t, 9, 1) == EINVAL);
	EXPECT(_ltoa_s, _ltoa_s(-7, t, 9, 10) == 0 && IS("-7"));
	EXPECT(_ultoa_s, _ultoa_s(4294967295ul, t, 70, 10) == 0 && IS("4294967295"));
	EXPECT(_i64toa_s, _i64toa_s(-1, t, 70, 36) == 0 && IS("3w5e11264sgsf") &&
				  _i64toa_s(1, NULL, 9, 10) == EINVAL);
	EXPECT(_ui64toa_s,
	       _ui64toa_s(0, t, 70, 10) == 0 && IS("0") && _ui64toa_s(0, t, 0, 10) == EINVAL);
	EXPECT(_itow, _itow(-5, w, 10) == w && IS_WIDE(L"-5"));
	EXPECT(_itow_s, _itow_s(12, w, 3, 10) == 0 && IS_WIDE(L"12") &&
				_itow_s(12, w, 2, 10) == ERANGE && IS_WIDE(L""));
	EXPECT(_ultow_s, _ultow_s(8, w, 70, 2) == 0 && IS_WIDE(L"1000"));
	EXPECT(_i64tow_s, _i64tow_s(-8, w, 70, 10) == 0 && IS_WIDE(L"-8"));
	EXPECT(_ui64tow_s, _ui64tow_s(UINT64_MAX, w, 70, 16) == 0 && IS_WIDE(L"ffffffffffffffff"));
}

static void test_bits(void **state)
{
	ULONG index = 99;

	EXPECT(_byteswap_ushort, _byteswap_ushort(0x1234) == 0x3412);
	EXPECT(_byteswap_ulong, _byteswap_ulong(0x12345678) == 0x78563412);
	EXPECT(_byteswap_uint64, _byteswap_uint64(1) == UINT64_C(0x0100000000000000));
	EXPECT(_BitScanForward, _BitScanForward(&index, 0x50) && index == 4 &&
					!_BitScanForward(&index, 0) && index == 4);
	EXPECT(_BitScanReverse,
	       _BitScanReverse(&index, 0x50) && index == 6 && !_BitScanReverse(&index, 0));
	EXPECT(_BitScanForward64, _BitScanForward64(&index, UINT64_C(1) << 40) && index == 40);
	EXPECT(_BitScanReverse64, _BitScanReverse64(&index, UINT64_MAX) && index == 63);
	EXPECT(_rotl, _rotl(0x80000001u, 4) == 0x18 && _rotr(0x18u, 4) == 0x80000001u &&
			      _rotl64(1, 65) == 2 && _rotr64(1, 1) == UINT64_C(1) << 63);
	EXPECT(__popcnt, __popcnt(0xF0F) == 8 && __popcnt64(UINT64_MAX) == 64 &&
				 __umulh(UINT64_C(1) << 63, 4) == 2);
}

static void test_code_pages(void **state)
{
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
	wchar_t w[8];
	char t[16];
	BOOL replaced = FALSE;

	EXPECT(MultiByteToWideChar, MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0) == 5);
	EXPECT(MultiByteToWideChar, MultiByteToWideChar(CP_ACP, 0, text, -1, w, 8) == 5 &&
					    !wcscmp(w, L"a\u00e9\u20ac\U0001F600"));
	EXPECT(MultiByteToWideChar,
	       MultiByteToWideChar(CP_UTF8, 0, "ab", 1, w, 8) == 1 && w[0] == L'a');
	EXPECT(MultiByteToWideChar,
	       MultiByteToWideChar(CP_UTF8, 0, "\xc0\x80\xed\xa0\x80\xe2\x82", 7, w, 8) == 7 &&
		       w[0] == 0xFFFD);
	assert_fails(MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, "\xff", -1, w, 8),
		     ERROR_NO_UNICODE_TRANSLATION);
	assert_fails(MultiByteToWideChar(CP_UTF8, 0, text, -1, w, 4), ERROR_INSUFFICIENT_BUFFER);
	assert_fails(MultiByteToWideChar(1252, 0, text, -1, w, 8), ERROR_INVALID_PARAMETER);
	assert_fails(MultiByteToWideChar(CP_UTF8, 0x40, text, -1, w, 8), ERROR_INVALID_FLAGS);
	assert_fails(MultiByteToWideChar(CP_UTF8, 0, text, 0, w, 8), ERROR_INVALID_PARAMETER);
	EXPECT(WideCharToMultiByte, WideCharToMultiByte(CP_UTF8, 0, L"a\u00e9\u20ac\U0001F600", -1,
							NULL, 0, NULL, NULL) == 11);
	EXPECT(WideCharToMultiByte,
	       WideCharToMultiByte(CP_ACP, 0, L"a\u00e9", -1, t, 16, NULL, NULL) == 4 &&
		       !strcmp(t, "a\xc3\xa9"));
	EXPECT(WideCharToMultiByte, WideCharToMultiByte(CP_ACP, 0, (wchar_t[]){0xD800, 0}, -1, t,
							16, "?", &replaced) == 2 &&
					    replaced && t[0] == '?');
	assert_fails(WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, (wchar_t[]){0x110000, 0},
					 -1, t, 16, NULL, NULL),
		     ERROR_NO_UNICODE_TRANSLATION);
	assert_fails(WideCharToMultiByte(CP_UTF8, 0, L"abc", -1, t, 3, NULL, NULL),
		     ERROR_INSUFFICIENT_BUFFER);
	assert_fails(WideCharToMultiByte(CP_UTF8, 0, L"abc", -1, t, 16, "?", NULL),
		     ERROR_INVALID_PARAMETER);
	assert_fails(WideCharToMultiByte(CP_UTF8, 1, L"abc", -1, t, 16, NULL, NULL),
		     ERROR_INVALID_FLAGS);
	EXPECT(GetACP, GetACP() == CP_UTF8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	   cmocka_unit_test(test_change),
		cmocka_unit_test(test_wsprintf),   cmocka_unit_test(test_from_text),
		cmocka_unit_test(test_to_text),	   cmocka_unit_test(test_bits),
		cmocka_unit_test(test_code_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
