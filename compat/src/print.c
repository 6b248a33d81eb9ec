/*
 * Where does formatted text go? There are two places:
 * - a stream, always as bytes: narrow and wide calls may share a stream
 * - a buffer in memory: enum rule says what happens if the buffer is too small
 * This file keeps no state; streams have their own locks. Any thread may call the functions.
 */
#include "format.h"
#include "stream.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

/* ---- Output to streams ---------------------------------------------------------------------- */

bool compat_stream_write(FILE *stream, const char *bytes, size_t n)
{
	bool good = true, valid;
	wchar_t c;

	flockfile(stream);
	if (fwide(stream, 0) > 0) {
		/*
		 * std::wcout or another native call has given this stream wide orientation. The C
		 * library accepts no bytes on such a stream.
		 */
		for (size_t at = 0; at < n && good;) {
			at += compat_decode(bytes + at, n - at, &c, &valid);
			good = putwc_unlocked(c, stream) != WEOF;
		}
	} else {
		good = fwrite_unlocked(bytes, 1, n, stream) == n;
	}
	funlockfile(stream);
	return good;
}

static int to_stream(FILE *stream, const void *format, bool wide, va_list arguments)
{
	struct compat_units units;
	int written = -1;
	size_t n;

	compat_format(&units, format, wide, arguments);
	char *bytes = units.failed ? NULL : compat_units_bytes(&units, wide, &n);

	if (bytes && compat_stream_write(stream, bytes, n))
		written = (int)units.count;
	free(bytes);
	compat_units_free(&units);
	return written;
}

/*
 * The body of a function with variable arguments. `call` is an expression that uses the va_list
 * named `arguments`; the function returns the result of `call`.
 */
#define FORWARD(call)                \
	va_list arguments;           \
	va_start(arguments, format); \
	int result = call;           \
	va_end(arguments);           \
	return result

int compat_vfprintf(FILE *stream, const char *format, va_list arguments)
{
	return to_stream(stream, format, false, arguments);
}

int compat_vprintf(const char *format, va_list arguments)
{
	return to_stream(stdout, format, false, arguments);
}

int compat_printf(const char *format, ...)
{
	FORWARD(to_stream(stdout, format, false, arguments));
}

int compat_fprintf(FILE *stream, const char *format, ...)
{
	FORWARD(to_stream(stream, format, false, arguments));
}

int printf_s(const char *format, ...)
{
	FORWARD(to_stream(stdout, format, false, arguments));
}

int fprintf_s(FILE *stream, const char *format, ...)
{
	FORWARD(to_stream(stream, format, false, arguments));
}

int compat_vfwprintf(FILE *stream, const wchar_t *format, va_list arguments)
{
	return to_stream(stream, format, true, arguments);
}

int compat_vwprintf(const wchar_t *format, va_list arguments)
{
	return to_stream(stdout, format, true, arguments);
}

int compat_wprintf(const wchar_t *format, ...)
{
	FORWARD(to_stream(stdout, format, true, arguments));
}

int compat_fwprintf(FILE *stream, const wchar_t *format, ...)
{
	FORWARD(to_stream(stream, format, true, arguments));
}

int wprintf_s(const wchar_t *format, ...)
{
	FORWARD(to_stream(stdout, format, true, arguments));
}

int fwprintf_s(FILE *stream, const wchar_t *format, ...)
{
	FORWARD(to_stream(stream, format, true, arguments));
}

/* ---- Output to memory ----------------------------------------------------------------------- */

/*
 * The rules for storing a text in a buffer that may be too small. Sizes are in units (bytes, or
 * wide characters).
 */
enum rule {
	WHOLE,	 /* stores the whole text; the caller makes sure that the text fits */
	MEASURE, /* cuts a text that is too long, adds a final zero, returns the full length */
	REFUSE,	 /* cuts a text that is too long, adds a final zero, returns -1 */
	/* like REFUSE, but a text that fills the buffer or is longer gets no final zero */
	FILL,
	SECURE, /* stores an empty text and returns -1 if the text is too long */
};

struct target {
	void *buffer;
	size_t size, count; /* size: of the buffer; count: limit for the text (SECURE) */
	bool wide;
	enum rule rule;
};

static void store(const struct target *to, size_t at, wchar_t unit)
{
	if (to->wide)
		((wchar_t *)to->buffer)[at] = unit;
	else
		((char *)to->buffer)[at] = (char)unit;
}

static int deliver_secure(const struct target *to, const struct compat_units *units)
{
	bool all = units->count <= to->count, fits = (all ? units->count : to->count) < to->size;
	size_t n = all ? units->count : to->count;

	if (to->count == SIZE_MAX - 1) {
		/*
		 * The caller passed _TRUNCATE: a text that is too long is cut, and the result is
		 * then -1.
		 */
		all = fits = units->count < to->size;
		n = fits ? units->count : to->size - 1;
		fits = true;
	}
	if (!fits) {
		store(to, 0, 0);
		errno = ERANGE;
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		store(to, i, units->at[i]);
	store(to, n, 0);
	return all ? (int)n : -1;
}

static int deliver(const struct target *to, const struct compat_units *units)
{
	size_t n = units->count, zero = 1;

	if (to->rule == SECURE)
		return deliver_secure(to, units);
	if (to->rule == FILL)
		zero = n < to->size;
	if (to->rule != WHOLE && n + zero > to->size)
		n = to->size - (to->size > 0 ? zero : 0);
	for (size_t i = 0; i < n; i++)
		store(to, i, units->at[i]);
	if (zero && to->size > 0)
		store(to, n, 0);
	return to->rule == MEASURE || n == units->count ? (int)units->count : -1;
}

static int to_memory(struct target to, const void *format, va_list arguments)
{
	struct compat_units units;
	int result = -1;

	if (to.rule == SECURE && (!to.buffer || to.size == 0)) {
		errno = EINVAL;
		return -1;
	}
	/* With a NULL buffer and a size of 0, the caller only asks for the length. */
	if (!to.buffer && to.size == 0)
		to.rule = MEASURE;
	compat_format(&units, format, to.wide, arguments);
	if (!units.failed)
		result = deliver(&to, &units);
	else if (to.buffer && to.size > 0)
		store(&to, 0, 0);
	compat_units_free(&units);
	return result;
}

#define NARROW(rule_, size_, count_) ((struct target){buffer, size_, count_, false, rule_})
#define WIDE(rule_, size_, count_)   ((struct target){buffer, size_, count_, true, rule_})
/*
 * Values for the member `count` of struct target. ALL stores the whole text. CUT_AT(count) stores
 * at most `count` units. _TRUNCATE has the same value as ALL, so CUT_AT(_TRUNCATE) is SIZE_MAX - 1.
 */
#define ALL	      SIZE_MAX
#define CUT_AT(count) ((count) == (size_t)-1 ? SIZE_MAX - 1 : (count))

int compat_vsprintf(char *buffer, const char *format, va_list arguments)
{
	return to_memory(NARROW(WHOLE, SIZE_MAX, ALL), format, arguments);
}

int compat_sprintf(char *buffer, const char *format, ...)
{
	FORWARD(compat_vsprintf(buffer, format, arguments));
}

int compat_vsnprintf(char *buffer, size_t size, const char *format, va_list arguments)
{
	return to_memory(NARROW(MEASURE, size, ALL), format, arguments);
}

int compat_snprintf(char *buffer, size_t size, const char *format, ...)
{
	FORWARD(compat_vsnprintf(buffer, size, format, arguments));
}

int _vsnprintf(char *buffer, size_t count, const char *format, va_list arguments)
{
	return to_memory(NARROW(FILL, count, ALL), format, arguments);
}

int _snprintf(char *buffer, size_t count, const char *format, ...)
{
	FORWARD(_vsnprintf(buffer, count, format, arguments));
}

int vsprintf_s(char *buffer, size_t size, const char *format, va_list arguments)
{
	return to_memory(NARROW(SECURE, size, ALL), format, arguments);
}

int sprintf_s(char *buffer, size_t size, const char *format, ...)
{
	FORWARD(vsprintf_s(buffer, size, format, arguments));
}

int _vsnprintf_s(char *buffer, size_t size, size_t count, const char *format, va_list arguments)
{
	return to_memory(NARROW(SECURE, size, CUT_AT(count)), format, arguments);
}

int _snprintf_s(char *buffer, size_t size, size_t count, const char *format, ...)
{
	FORWARD(_vsnprintf_s(buffer, size, count, format, arguments));
}

int _vscprintf(const char *format, va_list arguments)
{
	return compat_vsnprintf(NULL, 0, format, arguments);
}

int _scprintf(const char *format, ...)
{
	FORWARD(_vscprintf(format, arguments));
}

int compat_vswprintf(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments)
{
	return to_memory(WIDE(REFUSE, size, ALL), format, arguments);
}

int compat_swprintf(wchar_t *buffer, size_t size, const wchar_t *format, ...)
{
	FORWARD(compat_vswprintf(buffer, size, format, arguments));
}

int _vswprintf(wchar_t *buffer, const wchar_t *format, va_list arguments)
{
	return to_memory(WIDE(WHOLE, SIZE_MAX, ALL), format, arguments);
}

int _swprintf(wchar_t *buffer, const wchar_t *format, ...)
{
	FORWARD(_vswprintf(buffer, format, arguments));
}

int _vsnwprintf(wchar_t *buffer, size_t count, const wchar_t *format, va_list arguments)
{
	return to_memory(WIDE(FILL, count, ALL), format, arguments);
}

int _snwprintf(wchar_t *buffer, size_t count, const wchar_t *format, ...)
{
	FORWARD(_vsnwprintf(buffer, count, format, arguments));
}

int vswprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, va_list arguments)
{
	return to_memory(WIDE(SECURE, size, ALL), format, arguments);
}

int swprintf_s(wchar_t *buffer, size_t size, const wchar_t *format, ...)
{
	FORWARD(vswprintf_s(buffer, size, format, arguments));
}

int _vsnwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format,
		  va_list arguments)
{
	return to_memory(WIDE(SECURE, size, CUT_AT(count)), format, arguments);
}

int _snwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format, ...)
{
	FORWARD(_vsnwprintf_s(buffer, size, count, format, arguments));
}

int _vscwprintf(const wchar_t *format, va_list arguments)
{
	return to_memory((struct target){NULL, 0, ALL, true, MEASURE}, format, arguments);
}

int _scwprintf(const wchar_t *format, ...)
{
	FORWARD(_vscwprintf(format, arguments));
}
