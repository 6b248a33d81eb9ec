/*
 * <wchar.h> for wide text as on Windows: %s is wide in a wide format, and output is UTF-8 on a
 * stream of bytes. wchar_t has 32 bits and holds a whole character.
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

/* Writes to standard output. */
int compat_wprintf(const wchar_t *format, ...);

/* Same as wprintf(), to a stream. */
int compat_fwprintf(FILE *stream, const wchar_t *format, ...);

/* Same as wprintf(), with a va_list. */
int compat_vwprintf(const wchar_t *format, va_list arguments);

/* Same as fwprintf(), with a va_list. */
int compat_vfwprintf(FILE *stream, const wchar_t *format, va_list arguments);

/* Same as wprintf(). */
int wprintf_s(const wchar_t *format, ...);

/* Same as fwprintf(). */
int fwprintf_s(FILE *stream, const wchar_t *format, ...);

/* Returns 0, or EOF on error. */
int compat_fputws(const wchar_t *text, FILE *stream);

/* Writes the text and a line feed. Returns 0, or EOF on error. */
int _putws(const wchar_t *text);

/* Returns the character, or WEOF on error. */
wint_t compat_fputwc(wchar_t character, FILE *stream);

/* Same as fputwc(). */
wint_t compat_putwchar(wchar_t character);

/* ---- From a stream of UTF-8 ---- */

/* Same as fgets(); `count` is in characters. */
wchar_t *compat_fgetws(wchar_t *buffer, int count, FILE *stream);

/* Invalid UTF-8 becomes U+FFFD. */
wint_t compat_fgetwc(FILE *stream);

/* Same as fgetwc(). */
wint_t compat_getwchar(void);

/* ---- To memory, like the narrow functions in <stdio.h> ---- */

/* Returns -1 if the text and its zero do not fit; the buffer then holds what fits. */
int compat_swprintf(wchar_t *buffer, size_t size, const wchar_t *format, ...);

/* Same as swprintf(), with a va_list. */
int compat_vswprintf(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments);

/* Writes without a limit; _stprintf stands for this function. */
int _swprintf(wchar_t *buffer, const wchar_t *format, ...);

/* Same as _swprintf, with a va_list. */
int _vswprintf(wchar_t *buffer, const wchar_t *format, va_list arguments);

/* Same as _snprintf. */
int _snwprintf(wchar_t *buffer, size_t count, const wchar_t *format, ...);

/* Same as _snwprintf, with a va_list. */
int _vsnwprintf(wchar_t *buffer, size_t count, const wchar_t *format, va_list arguments);

/* Same as sprintf_s. */
int swprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, ...);

/* Same as swprintf_s, with a va_list. */
int vswprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments);

/* Same as _snprintf_s. */
int _snwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format, ...);

/* Same as _snwprintf_s, with a va_list. */
int _vsnwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format,
		  va_list arguments);

/* Same as _scprintf. */
int _scwprintf(const wchar_t *format, ...);

/* Same as _scwprintf, with a va_list. */
int _vscwprintf(const wchar_t *format, va_list arguments);

/* ---- From text ---- */

/* Same as sscanf(). */
int compat_swscanf(const wchar_t *text, const wchar_t *format, ...);

/* Same as sscanf_s. */
int swscanf_s(const wchar_t *text, const wchar_t *format, ...);

/* ---- Files, by names in wide text ---- */

/* Same as fopen(). */
FILE *_wfopen(const wchar_t *name, const wchar_t *mode);

/* Same as fopen_s. */
errno_t _wfopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode);

/* Same as freopen(). */
FILE *_wfreopen(const wchar_t *name, const wchar_t *mode, FILE *old);

/* Same as fopen_s. */
errno_t _wfreopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode, FILE *old);

/* Same as _fsopen. */
FILE *_wfsopen(const wchar_t *name, const wchar_t *mode, int share);

/* Same as remove(). */
int _wremove(const wchar_t *name);

/* Same as perror(). */
void _wperror(const wchar_t *message);

/* ---- Strings ---- */

/* Returns a copy that the caller frees; NULL if memory is short or `text` is NULL. */
wchar_t *_wcsdup(const wchar_t *text);

/* Compares without regard to case. */
int _wcsicmp(const wchar_t *a, const wchar_t *b);

/* Same as _wcsicmp, for at most `count` characters. */
int _wcsnicmp(const wchar_t *a, const wchar_t *b, size_t count);

/* Changes the text in place. */
wchar_t *_wcslwr(wchar_t *text);

/* Changes the text in place. */
wchar_t *_wcsupr(wchar_t *text);

/* Reverses the text in place. */
wchar_t *_wcsrev(wchar_t *text);

/*
 * On failure the ..._s functions return EINVAL or ERANGE and leave an empty text; Windows ends the
 * program.
 */
errno_t wcscpy_s(wchar_t *to, size_t size, const wchar_t *from);

/* Same as strcat_s. */
errno_t wcscat_s(wchar_t *to, size_t size, const wchar_t *from);

/* With _TRUNCATE copies what fits and returns STRUNCATE if the text was cut. */
errno_t wcsncpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* Same as strncat_s. */
errno_t wcsncat_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* Returns 0 for NULL. */
size_t wcsnlen_s(const wchar_t *text, size_t size);

/* Same as wcstok() of Linux, which has the same three parameters. */
wchar_t *wcstok_s(wchar_t *text, const wchar_t *separators, wchar_t **state);

/* Same as memcpy_s. */
errno_t wmemcpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* Same as memmove_s. */
errno_t wmemmove_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* ---- Numbers; `long` has 64 bits, but only what fits 32 is returned, as on Windows ---- */

/* A number that does not fit becomes the largest or smallest value and sets ERANGE. */
int _wtoi(const wchar_t *text);

/* Same as _wtoi. */
long _wtol(const wchar_t *text);

/* Returns 0 for text that is not a number. */
int64_t _wtoi64(const wchar_t *text);

/* Returns 0 with EINVAL for NULL. */
double _wtof(const wchar_t *text);

/* Same as wcstoll(); returns 0 with EINVAL for NULL. */
int64_t _wcstoi64(const wchar_t *text, wchar_t **end, int base);

/* Same as wcstoull(); returns 0 with EINVAL for NULL. */
uint64_t _wcstoui64(const wchar_t *text, wchar_t **end, int base);

/* Same as _itoa. */
wchar_t *_itow(int value, wchar_t *buffer, int base);

/* Same as _itoa_s. */
errno_t _itow_s(int value, wchar_t *buffer, size_t size, int base);

/* Same as _ultoa_s. */
errno_t _ultow_s(unsigned long value, wchar_t *buffer, size_t size, int base);

/* Same as _itoa_s. */
errno_t _i64tow_s(int64_t value, wchar_t *buffer, size_t size, int base);

/* Same as _itoa_s. */
errno_t _ui64tow_s(uint64_t value, wchar_t *buffer, size_t size, int base);

/* ---- Environment ---- */

/*
 * The text is valid until the thread's next call. Returns NULL if the variable is not set or has
 * 4096 characters or more.
 */
wchar_t *_wgetenv(const wchar_t *name);

/* Same as system(). */
int _wsystem(const wchar_t *command);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
/* In C++ the size of an array need not be passed. */
extern "C++" {
template <size_t N, class... A>
inline int swprintf_s(wchar_t (&buffer)[N], const wchar_t *format, A... a)
{
	return swprintf_s(static_cast<wchar_t *>(buffer), N, format, a...);
}
template <size_t N>
inline int vswprintf_s(wchar_t (&buffer)[N], const wchar_t *format, va_list arguments)
{
	return vswprintf_s(static_cast<wchar_t *>(buffer), N, format, arguments);
}
template <size_t N, class... A>
inline int _snwprintf_s(wchar_t (&buffer)[N], size_t count, const wchar_t *format, A... a)
{
	return _snwprintf_s(static_cast<wchar_t *>(buffer), N, count, format, a...);
}
template <size_t N>
inline int _vsnwprintf_s(wchar_t (&buffer)[N], size_t count, const wchar_t *format,
			 va_list arguments)
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
} // namespace std
#endif

#include "compat_redirect.h"

#endif
