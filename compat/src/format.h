/*
 * Formats as the Windows C library reads them. What differs from Linux: l is 32 bits wide, I64, I32
 * and I are sizes, s and c are wide in a wide format, S and C are the other kind, h and w before
 * them say which, p is 16 upper-case digits, n is refused.
 *
 * Text is made of units: bytes for a narrow format, characters for a wide one.
 */
#ifndef COMPAT_FORMAT_H
#define COMPAT_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

struct compat_units {
	wchar_t *at; /* count of them, no zero behind */
	size_t count, room;
	wchar_t small[256];
	bool failed; /* no memory, too long, or a format that is refused: errno tells */
};

/* A size or kind that a directive may name. */
enum compat_size {
	COMPAT_SIZE_NONE,
	COMPAT_SIZE_CHAR,
	COMPAT_SIZE_SHORT,
	COMPAT_SIZE_INT32, /* l and I32 */
	COMPAT_SIZE_INT64, /* ll, I64, j, and I, z, t */
	COMPAT_SIZE_LONG_DOUBLE,
};

/* The size in front of a conversion; moves *at behind it. `l` and `w` set *wide, `h` *narrow. */
enum compat_size compat_size_parse(const void *format, size_t *at, bool wide, bool *is_wide,
				   bool *is_narrow);

/* One unit of a format. */
static inline wchar_t compat_unit(const void *format, bool wide, size_t at)
{
	return wide ? ((const wchar_t *)format)[at]
		    : (wchar_t)(unsigned char)((const char *)format)[at];
}

/* Formats into `out`; end it with compat_units_free in any case. */
void compat_format(struct compat_units *out, const void *format, bool wide, va_list arguments);

void compat_units_init(struct compat_units *units);
void compat_units_free(struct compat_units *units);
void compat_units_put(struct compat_units *units, wchar_t unit);

/* The units as bytes: a narrow text as it is, a wide one in UTF-8. To be freed; NULL: no memory. */
char *compat_units_bytes(const struct compat_units *units, bool wide, size_t *bytes);

#endif
