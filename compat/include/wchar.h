/*
 * <wchar.h> for wide text as on Windows: %s in a wide format takes wide text, and wide output is
 * written as UTF-8. wchar_t has 32 bits and holds any character.
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

/* ---- Formatted output to a stream: returns the number of characters written, or -1 ---- */

/* Writes formatted wide text to standard output. */
int compat_wprintf(const wchar_t *format, ...);

/* wprintf() to a stream: writes formatted wide text to `stream`. */
int compat_fwprintf(FILE *stream, const wchar_t *format, ...);

/* wprintf() with a va_list: writes formatted wide text to standard output. */
int compat_vwprintf(const wchar_t *format, va_list arguments);

/* fwprintf() with a va_list: writes formatted wide text to `stream`. */
int compat_vfwprintf(FILE *stream, const wchar_t *format, va_list arguments);

/* Writes formatted wide text to standard output, exactly as wprintf() does. */
int wprintf_s(const wchar_t *format, ...);

/* Writes formatted wide text to `stream`, exactly as fwprintf() does. */
int fwprintf_s(FILE *stream, const wchar_t *format, ...);

/* Writes wide text to a stream. Returns 0, or EOF on error. */
int compat_fputws(const wchar_t *text, FILE *stream);

/* Writes wide text and a line feed to standard output. Returns 0, or EOF on error. */
int _putws(const wchar_t *text);

/* Writes one character to a stream. Returns the character, or WEOF on error. */
wint_t compat_fputwc(wchar_t character, FILE *stream);

/* Writes one character to standard output. Returns the character, or WEOF on error. */
wint_t compat_putwchar(wchar_t character);

/* ---- Input from a stream of UTF-8 ---- */

/*
 * Reads a line of at most `count` - 1 characters, as fgets() does for bytes. Returns NULL at the
 * end of the input.
 */
wchar_t *compat_fgetws(wchar_t *buffer, int count, FILE *stream);

/*
 * Reads and returns one character from a stream, or returns WEOF at the end of the stream. Invalid
 * UTF-8 becomes U+FFFD.
 */
wint_t compat_fgetwc(FILE *stream);

/*
 * Reads and returns one character from standard input, or returns WEOF at the end of the input.
 * Invalid UTF-8 becomes U+FFFD.
 */
wint_t compat_getwchar(void);

/* ---- Formatted output to memory ---- */

/*
 * Writes formatted wide text to memory. If the text with its terminating zero does not fit, stores
 * the part that fits and returns -1.
 */
int compat_swprintf(wchar_t *buffer, size_t size, const wchar_t *format, ...);

/*
 * swprintf() with a va_list: writes formatted wide text to memory. Returns -1 if the text and its
 * terminating zero do not fit.
 */
int compat_vswprintf(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments);

/*
 * Writes formatted wide text to memory. Does not check the size of the buffer. In a UNICODE build
 * the macro _stprintf expands to the name of this function.
 */
int _swprintf(wchar_t *buffer, const wchar_t *format, ...);

/* _swprintf with a va_list: writes formatted wide text to memory, without a check of the size. */
int _vswprintf(wchar_t *buffer, const wchar_t *format, va_list arguments);

/*
 * _snprintf for wide text: writes formatted text to memory. A text of `count` characters or more
 * gets no terminating zero.
 */
int _snwprintf(wchar_t *buffer, size_t count, const wchar_t *format, ...);

/*
 * _snwprintf with a va_list: writes formatted wide text to memory. A text of `count` characters or
 * more gets no terminating zero.
 */
int _vsnwprintf(wchar_t *buffer, size_t count, const wchar_t *format, va_list arguments);

/*
 * sprintf_s for wide text: writes formatted text to memory. If the text does not fit, stores an
 * empty text and returns -1.
 */
int swprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, ...);

/*
 * swprintf_s with a va_list: writes formatted wide text to memory. If the text does not fit, stores
 * an empty text and returns -1.
 */
int vswprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments);

/*
 * _snprintf_s for wide text: writes at most `count` characters of formatted text to memory, or as
 * many as fit if `count` is _TRUNCATE.
 */
int _snwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format, ...);

/*
 * _snwprintf_s with a va_list: writes at most `count` characters of formatted wide text to memory,
 * or as many as fit if `count` is _TRUNCATE.
 */
int _vsnwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format,
		  va_list arguments);

/* Returns the length that the formatted wide text would have, and writes nothing. */
int _scwprintf(const wchar_t *format, ...);

/* _scwprintf with a va_list: returns the length that the formatted wide text would have. */
int _vscwprintf(const wchar_t *format, va_list arguments);

/* ---- Formatted input from text ---- */

/*
 * sscanf() for wide text: reads fields from `text` and returns the number of fields stored, or EOF.
 */
int compat_swscanf(const wchar_t *text, const wchar_t *format, ...);

/*
 * sscanf_s for wide text: reads fields from `text`. The caller passes the size of each text buffer
 * after the pointer to the buffer.
 */
int swscanf_s(const wchar_t *text, const wchar_t *format, ...);

/* ---- Files whose names are wide text ---- */

/* fopen() for a wide name: opens a file. */
FILE *_wfopen(const wchar_t *name, const wchar_t *mode);

/*
 * fopen_s for a wide name: opens a file and returns 0. On failure sets *stream to NULL and returns
 * an errno value.
 */
errno_t _wfopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode);

/*
 * freopen() for a wide name: closes the file of the stream `old` and opens another file on the
 * stream.
 */
FILE *_wfreopen(const wchar_t *name, const wchar_t *mode, FILE *old);

/*
 * freopen_s for a wide name: closes the file of the stream `old` and opens another file on the
 * stream. Returns 0. On failure sets *stream to NULL and returns an errno value.
 */
errno_t _wfreopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode, FILE *old);

/*
 * _fsopen for a wide name: opens a file. The sharing mode is ignored, because files are always
 * shared.
 */
FILE *_wfsopen(const wchar_t *name, const wchar_t *mode, int share);

/* remove() for a wide name: deletes a file. */
int _wremove(const wchar_t *name);

/* perror() for wide text: writes `message` and the text of errno to standard error. */
void _wperror(const wchar_t *message);

/* ---- Strings ---- */

/*
 * Returns a copy of `text`, or NULL if memory is short or `text` is NULL. The caller frees the
 * copy.
 */
wchar_t *_wcsdup(const wchar_t *text);

/* Compares two wide texts without regard to case. */
int _wcsicmp(const wchar_t *a, const wchar_t *b);

/*
 * _wcsicmp with a limit: compares at most `count` characters of two wide texts without regard to
 * case.
 */
int _wcsnicmp(const wchar_t *a, const wchar_t *b, size_t count);

/* Changes the letters to lower case in place and returns `text`. */
wchar_t *_wcslwr(wchar_t *text);

/* Changes the letters to upper case in place and returns `text`. */
wchar_t *_wcsupr(wchar_t *text);

/* Reverses the order of the characters in place and returns `text`. */
wchar_t *_wcsrev(wchar_t *text);

/*
 * Copies a wide text into a buffer of `size` characters. If the text does not fit, stores an empty
 * text and returns ERANGE; on Windows the program ends. Returns EINVAL if a pointer is NULL.
 */
errno_t wcscpy_s(wchar_t *to, size_t size, const wchar_t *from);

/*
 * Appends a wide text to the text in a buffer of `size` characters. Returns ERANGE if the text does
 * not fit. Returns EINVAL if the buffer contains no terminating zero. After an error the buffer
 * holds an empty text.
 */
errno_t wcscat_s(wchar_t *to, size_t size, const wchar_t *from);

/*
 * Copies at most `count` characters of a wide text and adds a terminating zero. If the characters
 * do not fit, stores an empty text and returns ERANGE. If `count` is _TRUNCATE, copies as many
 * characters as fit, and returns STRUNCATE if the text was cut.
 */
errno_t wcsncpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/*
 * wcscat_s with a limit: appends at most `count` characters of a wide text. If `count` is
 * _TRUNCATE, appends as many characters as fit, and returns STRUNCATE if the text was cut.
 */
errno_t wcsncat_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* Returns the length of a wide text, at most `size`; 0 if `text` is NULL. */
size_t wcsnlen_s(const wchar_t *text, size_t size);

/* Splits a wide text at separators: each call returns the next part. Equals wcstok() of Linux. */
wchar_t *wcstok_s(wchar_t *text, const wchar_t *separators, wchar_t **state);

/*
 * Copies `count` wide characters. If the characters do not fit, fills `to` with zeros and returns
 * ERANGE.
 */
errno_t wmemcpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/*
 * Copies `count` wide characters between buffers that may overlap. If the characters do not fit,
 * returns ERANGE and does not change `to`.
 */
errno_t wmemmove_s(wchar_t *to, size_t size, const wchar_t *from, size_t count);

/* ---- Numbers and text ---- */

/*
 * Converts decimal wide text to a number. If the number does not fit into 32 bits, sets errno to
 * ERANGE and returns the largest or smallest 32-bit number.
 */
int _wtoi(const wchar_t *text);

/*
 * Converts decimal wide text to a number. If the number does not fit into 32 bits, sets errno to
 * ERANGE and returns the largest or smallest 32-bit number.
 */
long _wtol(const wchar_t *text);

/* Converts decimal wide text to a 64-bit number. Returns 0 for text that is not a number. */
int64_t _wtoi64(const wchar_t *text);

/* Converts wide text to a floating-point number. Returns 0 with errno EINVAL if `text` is NULL. */
double _wtof(const wchar_t *text);

/*
 * Converts wide text to a number, as wcstoll() does; returns 0 with errno EINVAL if `text` is NULL.
 */
int64_t _wcstoi64(const wchar_t *text, wchar_t **end, int base);

/*
 * Converts wide text to an unsigned number, as wcstoull() does; returns 0 with errno EINVAL if
 * `text` is NULL.
 */
uint64_t _wcstoui64(const wchar_t *text, wchar_t **end, int base);

/*
 * _itoa for wide text: writes a number as text and returns the buffer. The caller makes sure that
 * the text fits.
 */
wchar_t *_itow(int value, wchar_t *buffer, int base);

/*
 * _itoa_s for wide text: writes a number as text. Returns 0; on failure returns EINVAL or ERANGE
 * and stores an empty text.
 */
errno_t _itow_s(int value, wchar_t *buffer, size_t size, int base);

/*
 * _ultoa_s for wide text: writes the low 32 bits of an unsigned number as text. Returns 0; on
 * failure stores an empty text and returns EINVAL or ERANGE.
 */
errno_t _ultow_s(unsigned long value, wchar_t *buffer, size_t size, int base);

/*
 * _i64toa_s for wide text: writes a 64-bit number as text. Returns 0; on failure returns EINVAL or
 * ERANGE and stores an empty text.
 */
errno_t _i64tow_s(int64_t value, wchar_t *buffer, size_t size, int base);

/*
 * _ui64toa_s for wide text: writes an unsigned 64-bit number as text. Returns 0; on failure returns
 * EINVAL or ERANGE and stores an empty text.
 */
errno_t _ui64tow_s(uint64_t value, wchar_t *buffer, size_t size, int base);

/* ---- Environment variables and commands ---- */

/*
 * Returns the value of an environment variable, or NULL if the variable is not set or has 4096
 * characters or more. The text is valid until the calling thread calls _wgetenv again.
 */
wchar_t *_wgetenv(const wchar_t *name);

/* system() for a wide text: runs a command with the shell. */
int _wsystem(const wchar_t *command);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
/* The following overloads for C++ take the buffer as an array and derive its size from the type. */
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
} // end of namespace std
#endif

#include "compat_redirect.h"

#endif
