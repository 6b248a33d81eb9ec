/*
 * How do the string functions work that only Windows has (_stricmp, _itoa and so on)? The functions
 * compare without regard to case, duplicate text, convert numbers from and to text, and reverse
 * bytes. This file keeps no state. Any thread may call the functions.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* ---- Duplicates, comparison, change of case ------------------------------------------------- */

char *_strdup(const char *text)
{
	return text ? strdup(text) : NULL;
}

wchar_t *_wcsdup(const wchar_t *text)
{
	return text ? wcsdup(text) : NULL;
}

int _stricmp(const char *a, const char *b)
{
	return _strnicmp(a, b, SIZE_MAX);
}

int _strnicmp(const char *a, const char *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);

		if (x != y || x == 0)
			return x - y;
	}
	return 0;
}

int _memicmp(const void *a, const void *b, size_t count)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < count; i++)
		if (tolower(x[i]) != tolower(y[i]))
			return tolower(x[i]) - tolower(y[i]);
	return 0;
}

int _wcsicmp(const wchar_t *a, const wchar_t *b)
{
	return _wcsnicmp(a, b, SIZE_MAX);
}

int _wcsnicmp(const wchar_t *a, const wchar_t *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		wint_t x = towlower((wint_t)a[i]), y = towlower((wint_t)b[i]);

		if (x != y)
			return x < y ? -1 : 1;
		if (x == 0)
			return 0;
	}
	return 0;
}

char *_strlwr(char *text)
{
	for (char *c = text; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return text;
}

char *_strupr(char *text)
{
	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return text;
}

wchar_t *_wcslwr(wchar_t *text)
{
	for (wchar_t *c = text; *c; c++)
		*c = (wchar_t)towlower((wint_t)*c);
	return text;
}

wchar_t *_wcsupr(wchar_t *text)
{
	for (wchar_t *c = text; *c; c++)
		*c = (wchar_t)towupper((wint_t)*c);
	return text;
}

char *_strrev(char *text)
{
	for (size_t low = 0, high = strlen(text); low + 1 < high; low++) {
		char c = text[low];

		text[low] = text[--high];
		text[high] = c;
	}
	return text;
}

wchar_t *_wcsrev(wchar_t *text)
{
	for (size_t low = 0, high = wcslen(text); low + 1 < high; low++) {
		wchar_t c = text[low];

		text[low] = text[--high];
		text[high] = c;
	}
	return text;
}

char *strtok_s(char *text, const char *separators, char **state)
{
	return strtok_r(text, separators, state);
}

wchar_t *wcstok_s(wchar_t *text, const wchar_t *separators, wchar_t **state)
{
	return wcstok(text, separators, state);
}

/* ---- Numbers from text ---------------------------------------------------------------------- */

static int64_t to_32_bits(int64_t value)
{
	if (value >= INT32_MIN && value <= INT32_MAX)
		return value;
	errno = ERANGE;
	return value < 0 ? INT32_MIN : INT32_MAX;
}

int _wtoi(const wchar_t *text)
{
	return (int)to_32_bits(_wtoi64(text));
}

long _wtol(const wchar_t *text)
{
	return to_32_bits(_wtoi64(text));
}

int64_t _wtoi64(const wchar_t *text)
{
	return _wcstoi64(text, NULL, 10);
}

double _wtof(const wchar_t *text)
{
	if (!text) {
		errno = EINVAL;
		return 0;
	}
	return wcstod(text, NULL);
}

int64_t _wcstoi64(const wchar_t *text, wchar_t **end, int base)
{
	if (!text) {
		errno = EINVAL;
		return 0;
	}
	return wcstoll(text, end, base);
}

uint64_t _wcstoui64(const wchar_t *text, wchar_t **end, int base)
{
	if (!text) {
		errno = EINVAL;
		return 0;
	}
	return wcstoull(text, end, base);
}

int64_t _atoi64(const char *text)
{
	return _strtoi64(text, NULL, 10);
}

int64_t _strtoi64(const char *text, char **end, int base)
{
	if (!text) {
		errno = EINVAL;
		return 0;
	}
	return strtoll(text, end, base);
}

uint64_t _strtoui64(const char *text, char **end, int base)
{
	if (!text) {
		errno = EINVAL;
		return 0;
	}
	return strtoull(text, end, base);
}

/* ---- Numbers to text ------------------------------------------------------------------------ */

/*
 * Writes a number from the end of `room` towards its beginning: up to 64 digits, a sign and a
 * terminating zero. Returns the start of the text, or NULL unless 2 <= base <= 36.
 */
static char *digits(char room[66], uint64_t value, bool negative, int base)
{
	char *at = room + 65;

	*at = 0;
	if (base < 2 || base > 36)
		return NULL;
	do
		*--at = "0123456789abcdefghijklmnopqrstuvwxyz"[value % (unsigned)base];
	while (value /= (unsigned)base);
	if (negative)
		*--at = '-';
	return at;
}

/*
 * Writes a signed number. In base 10 a negative number has a minus sign. In other bases the
 * function writes the digits of `bits`: the number in two's complement, as wide as the type of the
 * number.
 */
static char *signed_digits(char room[66], int64_t value, uint64_t bits, int base)
{
	bool negative = base == 10 && value < 0;

	return digits(room, negative ? -(uint64_t)value : bits, negative, base);
}

static errno_t give(const char *text, void *buffer, size_t size, bool wide)
{
	errno_t error = !buffer || size == 0 || !text ? EINVAL : strlen(text) >= size ? ERANGE : 0;

	if (error) {
		if (buffer && size > 0)
			wide ? (void)(*(wchar_t *)buffer = 0) : (void)(*(char *)buffer = 0);
		errno = error;
		return error;
	}
	for (size_t i = 0; i <= strlen(text); i++)
		if (wide)
			((wchar_t *)buffer)[i] = text[i];
		else
			((char *)buffer)[i] = text[i];
	return 0;
}

errno_t _itoa_s(int value, char *buffer, size_t size, int base)
{
	char room[66];

	return give(signed_digits(room, value, (uint32_t)value, base), buffer, size, false);
}

errno_t _ltoa_s(long value, char *buffer, size_t size, int base)
{
	return _itoa_s((int)value, buffer, size, base);
}

errno_t _ultoa_s(unsigned long value, char *buffer, size_t size, int base)
{
	return _ui64toa_s((uint32_t)value, buffer, size, base);
}

errno_t _i64toa_s(int64_t value, char *buffer, size_t size, int base)
{
	char room[66];

	return give(signed_digits(room, value, (uint64_t)value, base), buffer, size, false);
}

errno_t _ui64toa_s(uint64_t value, char *buffer, size_t size, int base)
{
	char room[66];

	return give(digits(room, value, false, base), buffer, size, false);
}

errno_t _itow_s(int value, wchar_t *buffer, size_t size, int base)
{
	char room[66];

	return give(signed_digits(room, value, (uint32_t)value, base), buffer, size, true);
}

errno_t _ultow_s(unsigned long value, wchar_t *buffer, size_t size, int base)
{
	return _ui64tow_s((uint32_t)value, buffer, size, base);
}

errno_t _i64tow_s(int64_t value, wchar_t *buffer, size_t size, int base)
{
	char room[66];

	return give(signed_digits(room, value, (uint64_t)value, base), buffer, size, true);
}

errno_t _ui64tow_s(uint64_t value, wchar_t *buffer, size_t size, int base)
{
	char room[66];

	return give(digits(room, value, false, base), buffer, size, true);
}

char *_itoa(int value, char *buffer, int base)
{
	_itoa_s(value, buffer, SIZE_MAX, base);
	return buffer;
}

wchar_t *_itow(int value, wchar_t *buffer, int base)
{
	_itow_s(value, buffer, SIZE_MAX, base);
	return buffer;
}

char *_i64toa(int64_t value, char *buffer, int base)
{
	_i64toa_s(value, buffer, SIZE_MAX, base);
	return buffer;
}

char *_ui64toa(uint64_t value, char *buffer, int base)
{
	_ui64toa_s(value, buffer, SIZE_MAX, base);
	return buffer;
}

/* ---- Byte order ----------------------------------------------------------------------------- */

unsigned short _byteswap_ushort(unsigned short value)
{
	return __builtin_bswap16(value);
}

uint32_t _byteswap_ulong(uint32_t value)
{
	return __builtin_bswap32(value);
}

uint64_t _byteswap_uint64(uint64_t value)
{
	return __builtin_bswap64(value);
}
