/*
 * Format strings as the Windows C library reads them. Unlike on Linux, `l` means 32 bits; `I64`,
 * `I32` and `I` are sizes; `%s` and `%c` take wide text in a wide format, `%S` and `%C` the other
 * kind, and `h` or `w` in front of them chooses narrow or wide; `%p` prints 16 upper-case digits;
 * `%n` is refused.
 *
 * Text consists of units: bytes in narrow text, characters in wide text.
 */
#ifndef COMPAT_FORMAT_H
#define COMPAT_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

struct compat_units {
	wchar_t *at; /* `count` units, without a zero at the end */
	size_t count, room;
	wchar_t small[256];
	bool failed; /* errno: ENOMEM, EOVERFLOW (text too long) or EINVAL (format refused) */
};

/* The size of an argument, from the letters in front of the conversion. */
enum compat_size {
	COMPAT_SIZE_NONE,
	COMPAT_SIZE_CHAR,
	COMPAT_SIZE_SHORT,
	COMPAT_SIZE_INT32, /* l and I32 */
	COMPAT_SIZE_INT64, /* ll, I64, I, j, z and t */
	COMPAT_SIZE_LONG_DOUBLE,
};

/*
 * Reads the size letters at *at and moves *at past them; without any the size is COMPAT_SIZE_NONE.
 * `l`, `ll` and `w` set *is_wide, `h` and `hh` set *is_narrow.
 */
enum compat_size compat_size_parse(const void *format, size_t *at, bool wide, bool *is_wide,
				   bool *is_narrow);

/* The unit at index `at` of a narrow or wide text. */
static inline wchar_t compat_unit(const void *format, bool wide, size_t at)
{
	return wide ? ((const wchar_t *)format)[at]
		    : (wchar_t)(unsigned char)((const char *)format)[at];
}

/*
 * Formats into `out`, which it initializes. The caller frees it with compat_units_free, also after
 * a failure.
 */
void compat_format(struct compat_units *out, const void *format, bool wide, va_list arguments);

void compat_units_init(struct compat_units *units);
void compat_units_free(struct compat_units *units);
void compat_units_put(struct compat_units *units, wchar_t unit);

/*
 * Returns the units as zero-terminated bytes, wide text as UTF-8, and their number in *bytes. The
 * caller frees them; NULL means out of memory.
 */
char *compat_units_bytes(const struct compat_units *units, bool wide, size_t *bytes);

#endif
