/*
 * <wchar.h>, for wide text as Windows has it: %s is wide in a wide format, and output is UTF-8 on a
 * stream that stays one of bytes. wchar_t has 32 bits and holds a whole character.
 */
#include_next <wchar.h>

#if !defined(COMPAT_WCHAR_H) && !defined(COMPAT_CXX_NESTED) && defined(WEOF)
#define COMPAT_WCHAR_H

#include <stdarg.h>
#include <stdio.h>

#include "corecrt.h"

#ifndef _TRUNCATE
#define _TRUNCATE ((size_t)-1)
#endif

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- To a stream: the number of characters written, or -1 ---- */

/* To the standard output. */
int compat_wprintf(const wchar_t *format, ...);

/* As wprintf, to a stream. */
int compat_fwprintf(FILE *stream, const wchar_t *format, ...);

/* As wprintf, with a list. */
int compat_vwprintf(const wchar_t *format, va_list arguments);

/* As fwprintf, with a list. */
int compat_vfwprintf(FILE *stream, const wchar_t *format, va_list arguments);

/* As wprintf. */
int wprintf_s(const wchar_t *format, ...);

/* As fwprintf. */
int fwprintf_s(FILE *stream, const wchar_t *format, ...);

/* 0, or EOF. */
int compat_fputws(const wchar_t *text, FILE *stream);

/* With a line feed behind it. 0, or EOF. */
int _putws(const wchar_t *text);

/* The character, or WEOF. */
wint_t compat_fputwc(wchar_t character, FILE *stream);

/* As fputwc. */
wint_t compat_putwchar(wchar_t character);

/* ---- From a stream of UTF-8 ---- */

/* As fgets; `count` is in characters. */
wchar_t *compat_fgetws(wchar_t *buffer, int count, FILE *stream);

/* What is no character becomes U+FFFD. */
wint_t compat_fgetwc(FILE *stream);

/* As fgetwc. */
wint_t compat_getwchar(void);

/* ---- To memory, as their narrow fellows in <stdio.h> ---- */

/* -1 when the text and its zero do not fit; the buffer holds what fits. */
int compat_swprintf(wchar_t *buffer, size_t size, const wchar_t *format, ...);

/* As swprintf, with a list. */
int compat_vswprintf(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments);

/* Without a limit; what _stprintf means. */
int _swprintf(wchar_t *buffer, const wchar_t *format, ...);

/* As _swprintf, with a list. */
int _vswprintf(wchar_t *buffer, const wchar_t *format, va_list arguments);

/* As _snprintf. */
int _snwprintf(wchar_t *buffer, size_t count, const wchar_t *format, ...);

/* As _snwprintf, with a list. */
int _vsnwprintf(wchar_t *buffer, size_t count, const wchar_t *format, va_list arguments);

/* As sprintf_s. */
int swprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, ...);

/* As swprintf_s, with a list. */
int vswprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments);

/* As _snprintf_s. */
int _snwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format, ...);

/* As _snwprintf_s, with a list. */
int _vsnwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format, va_list arguments);

/* As _scprintf. */
int _scwprintf(const wchar_t *format, ...);

/* As _scwprintf, with a list. */
int _vscwprintf(const wchar_t *format, va_list arguments);

/* ---- From text ---- */

/* As sscanf. */
int compat_swscanf(const wchar_t *text, const wchar_t *format, ...);

/* As sscanf_s. */
int swscanf_s(const wchar_t *text, const wchar_t *format, ...);

/* ---- Files, by names in wide text ---- */

/* As fopen. */
FILE *_wfopen(const wchar_t *name, const wchar_t *mode);

/* As fopen_s. */
errno_t _wfopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode);

/* As freopen. */
FILE *_wfreopen(const wchar_t *name, const wchar_t *mode, FILE *old);

/* As fopen_s. */
errno_t _wfreopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode, FILE *old);

/* As _fsopen. */
FILE *_wfsopen(const wchar_t *name, const wchar_t *mode, int share);

/* As remove. */
int _wremove(const wchar_t *name);

/* As perror. */
void _wperror(const wchar_t *message);

/* ---- Strings ---- */

/* The copy is to be freed; NULL: no memory, or no text. */
wchar_t *_wcsdup(const wchar_t *text);

/* Without regard to case, character by character. */
int _wcsicmp(const wchar_t *a, const wchar_t *b);

/* At most `count` characters. */
int _wcsnicmp(const wchar_t *a, const wchar_t *b, size_t count);

/* In place. */
wchar_t *_wcslwr(wchar_t *text);

/* In place. */
wchar_t *_wcsupr(wchar_t *text);

/* In place. */
wchar_t *_wcsrev(wchar_t *text);

/* The ..._s functions return an errno value, EINVAL or ERANGE, and leave an empty text; Windows ends the program. */
errno_t wcscpy_s(wchar_t *to, size_t size, const wchar_t *from);

/* As strcat_s. */
errno_t wcscat_s(wchar_t *to, size_t size, const wchar_t *from);

/* With _TRUNCATE: what fits, and STRUNCATE when that was not all. */
errno_t wcsncpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* As strncat_s. */
errno_t wcsncat_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* 0 for NULL. */
size_t wcsnlen_s(const wchar_t *text, size_t size);

/* As wcstok of Linux, with its three parameters. */
wchar_t *wcstok_s(wchar_t *text, const wchar_t *separators, wchar_t **state);

/* As memcpy_s. */
errno_t wmemcpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* As memmove_s. */
errno_t wmemmove_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* ---- Numbers; `long` has 64 bits, but only what fits 32 is returned, as on Windows ---- */

/* At the limits ERANGE. */
int _wtoi(const wchar_t *text);

/* As _wtoi. */
long _wtol(const wchar_t *text);

/* 0 for what is no number. */
int64_t _wtoi64(const wchar_t *text);

/* 0 and EINVAL for NULL. */
double _wtof(const wchar_t *text);

/* As wcstoll; 0 and EINVAL for NULL. */
int64_t _wcstoi64(const wchar_t *text, wchar_t **end, int base);

/* As wcstoull; 0 and EINVAL for NULL. */
uint64_t _wcstoui64(const wchar_t *text, wchar_t **end, int base);

/* As _itoa. */
wchar_t *_itow(int value, wchar_t *buffer, int base);

/* As _itoa_s. */
errno_t _itow_s(int value, wchar_t *buffer, size_t size, int base);

/* As _ultoa_s. */
errno_t _ultow_s(unsigned long value, wchar_t *buffer, size_t size, int base);

/* As _itoa_s. */
errno_t _i64tow_s(int64_t value, wchar_t *buffer, size_t size, int base);

/* As _itoa_s. */
errno_t _ui64tow_s(uint64_t value, wchar_t *buffer, size_t size, int base);

/* ---- Environment ---- */

/* The text stays as long as the thread asks for no other. NULL: not set, or 4096 characters and more. */
wchar_t *_wgetenv(const wchar_t *name);

/* As system. */
int _wsystem(const wchar_t *command);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
/* With an array the size need not be said. */
extern "C++" {
template <size_t N, class... A> inline int swprintf_s(wchar_t (&buffer)[N], const wchar_t *format, A... a)
{
	return swprintf_s(static_cast<wchar_t *>(buffer), N, format, a...);
}
template <size_t N> inline int vswprintf_s(wchar_t (&buffer)[N], const wchar_t *format, va_list arguments)
{
	return vswprintf_s(static_cast<wchar_t *>(buffer), N, format, arguments);
}
template <size_t N, class... A>
inline int _snwprintf_s(wchar_t (&buffer)[N], size_t count, const wchar_t *format, A... a)
{
	return _snwprintf_s(static_cast<wchar_t *>(buffer), N, count, format, a...);
}
template <size_t N>
inline int _vsnwprintf_s(wchar_t (&buffer)[N], size_t count, const wchar_t *format, va_list arguments)
{
	return _vsnwprintf_s(static_cast<wchar_t *>(buffer), N, count, format, arguments);
}
template <size_t N> inline errno_t wcscpy_s(wchar_t (&to)[N], const wchar_t *from)
{
	return wcscpy_s(to, N, from);
}
template <size_t N> inline errno_t wcscat_s(wchar_t (&to)[N], const wchar_t *from)
{
	return wcscat_s(to, N, from);
}
template <size_t N> inline errno_t wcsncpy_s(wchar_t (&to)[N], const wchar_t *from, size_t count)
{
	return wcsncpy_s(to, N, from, count);
}
template <size_t N> inline errno_t wcsncat_s(wchar_t (&to)[N], const wchar_t *from, size_t count)
{
	return wcsncat_s(to, N, from, count);
}
template <size_t N> inline errno_t _itow_s(int value, wchar_t (&buffer)[N], int base)
{
	return _itow_s(value, buffer, N, base);
}
}

namespace std
{
using ::compat_fgetwc;
using ::compat_fgetws;
using ::compat_fputwc;
using ::compat_fputws;
using ::compat_fwprintf;
using ::compat_getwchar;
using ::compat_putwchar;
using ::compat_swprintf;
using ::compat_swscanf;
using ::compat_vfwprintf;
using ::compat_vswprintf;
using ::compat_vwprintf;
using ::compat_wprintf;
}
#endif

#include "compat_redirect.h"

#endif
