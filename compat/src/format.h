/*
 * Format strings as the Windows C library reads them. Differences from Linux:
 * - The size letter `l` means 32 bits. Windows also has the size letters `I64`, `I32` and `I`.
 * - `%s` and `%c` in a wide format take wide text, in a narrow format narrow text. `%S` and `%C`
 *   take the opposite kind. A prefix `h` means narrow text, `w` wide text.
 * - `%p` prints 16 upper-case digits.
 * - Printing with `%n` fails with EINVAL.
 * A unit is a byte of narrow text or a character of wide text.
 */
#ifndef COMPAT_FORMAT_H
#define COMPAT_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

struct compat_units {
	wchar_t *at; /* the text: `count` units, without a terminating zero */
	size_t count, room;
	wchar_t small[256];
	/*
	 * formatting has failed, and errno is ENOMEM, EOVERFLOW (text too long) or EINVAL (wrong
	 * format)
	 */
	bool failed;
};

/* The size of an argument, as given by the letters between `%` and the conversion letter. */
enum compat_size {
	COMPAT_SIZE_NONE,
	COMPAT_SIZE_CHAR,
	COMPAT_SIZE_SHORT,
	COMPAT_SIZE_INT32, /* size letters l and I32 */
	COMPAT_SIZE_INT64, /* size letters ll, I64, I, j, z and t */
	COMPAT_SIZE_LONG_DOUBLE,
};

/*
 * Reads the size letters at *at and moves *at behind the letters. Returns COMPAT_SIZE_NONE if there
 * are no size letters. `l`, `ll` and `w` set *is_wide; `h` and `hh` set *is_narrow.
 */
enum compat_size compat_size_parse(const void *format, size_t *at, bool wide, bool *is_wide,
				   bool *is_narrow);

/* Returns the unit at index `at` of a text: a character if `wide`, otherwise a byte. */
static inline wchar_t compat_unit(const void *format, bool wide, size_t at)
{
	return wide ? ((const wchar_t *)format)[at]
		    : (wchar_t)(unsigned char)((const char *)format)[at];
}

/*
 * Formats the arguments into `out`, which need not be initialized. The caller frees `out` with
 * compat_units_free, after a failure too.
 */
void compat_format(struct compat_units *out, const void *format, bool wide, va_list arguments);

void compat_units_init(struct compat_units *units);
void compat_units_free(struct compat_units *units);
void compat_units_put(struct compat_units *units, wchar_t unit);

/*
 * Returns the text as bytes with a terminating zero; wide text becomes UTF-8. The caller frees the
 * bytes. *bytes receives the number of bytes without the zero. Returns NULL if memory is short.
 */
char *compat_units_bytes(const struct compat_units *units, bool wide, size_t *bytes);

#endif
