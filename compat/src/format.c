/*
 * How does printf turn a Windows format string and its arguments into text? The functions parse
 * each directive and read its argument with the width of Windows. The C library prints the numbers.
 *
 * This file keeps no state; the caller owns the output text. Any thread may call the functions.
 */
#include "format.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The limit of an output text, in units (bytes or wide characters). Formatting a longer text fails
 * with EOVERFLOW; the usual cause is a wrong width or precision.
 */
#define MOST_UNITS ((size_t)1 << 24)

struct directive {
	bool left, plus, space, alternate, zero;
	int width;     /* 0 if the directive has no width */
	int precision; /* -1 if the directive has no precision */
	enum compat_size size;
	bool is_wide, is_narrow;
	wchar_t type;
};

/*
 * A va_list inside a struct. Functions take a pointer to the struct, and each function reads the
 * next argument. A pointer to a va_list parameter is not portable, because a va_list may be an
 * array.
 */
struct arguments {
	va_list list;
};

/* ---- The output text (compat_units), which grows as units are appended ---------------------- */

void compat_units_init(struct compat_units *units)
{
	units->at = units->small;
	units->count = 0;
	units->room = sizeof(units->small) / sizeof(*units->small);
	units->failed = false;
}

void compat_units_free(struct compat_units *units)
{
	if (units->at != units->small)
		free(units->at);
	compat_units_init(units);
}

static void fail(struct compat_units *units, int error)
{
	units->failed = true;
	errno = error;
}

void compat_units_put(struct compat_units *units, wchar_t unit)
{
	if (units->failed)
		return;
	if (units->count == units->room) {
		size_t room = units->room * 2;

		if (room > MOST_UNITS)
			return fail(units, EOVERFLOW);
		wchar_t *grown = malloc(room * sizeof(*grown));

		if (!grown)
			return fail(units, ENOMEM);
		memcpy(grown, units->at, units->count * sizeof(*grown));
		if (units->at != units->small)
			free(units->at);
		units->at = grown;
		units->room = room;
	}
	units->at[units->count++] = unit;
}

char *compat_units_bytes(const struct compat_units *units, bool wide, size_t *bytes)
{
	char *out = malloc(units->count * 4 + 1), *at = out;
	bool valid;

	if (!out)
		return NULL;
	for (size_t i = 0; i < units->count; i++)
		if (wide)
			at += compat_encode(units->at[i], at, &valid);
		else
			*at++ = (char)units->at[i];
	*at = 0;
	*bytes = (size_t)(at - out);
	return out;
}

static void put_padding(struct compat_units *out, int width, size_t length, wchar_t unit)
{
	for (size_t n = length; width > 0 && n < (size_t)width && !out->failed; n++)
		compat_units_put(out, unit);
}

/* ---- Parsing of a directive ----------------------------------------------------------------- */

static bool digits_follow(const void *format, bool wide, size_t at, const char *digits)
{
	for (; *digits; digits++, at++)
		if (compat_unit(format, wide, at) != (wchar_t)*digits)
			return false;
	return true;
}

enum compat_size compat_size_parse(const void *format, size_t *at, bool wide, bool *is_wide,
				   bool *is_narrow)
{
	/*
	 * The first row that matches counts. Therefore "ll" must stand before "l", and so on.
	 */
	static const struct {
		const char *text;
		enum compat_size size;
		bool is_wide, is_narrow;
	} sizes[] = {
		{"I64", COMPAT_SIZE_INT64, false, false},
		{"I32", COMPAT_SIZE_INT32, false, false},
		{"I", COMPAT_SIZE_INT64, false, false},
		{"hh", COMPAT_SIZE_CHAR, false, true},
		{"h", COMPAT_SIZE_SHORT, false, true},
		{"ll", COMPAT_SIZE_INT64, true, false},
		{"l", COMPAT_SIZE_INT32, true, false},
		{"w", COMPAT_SIZE_NONE, true, false},
		{"j", COMPAT_SIZE_INT64, false, false},
		{"z", COMPAT_SIZE_INT64, false, false},
		{"t", COMPAT_SIZE_INT64, false, false},
		{"L", COMPAT_SIZE_LONG_DOUBLE, false, false},
	};

	*is_wide = *is_narrow = false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (!digits_follow(format, wide, *at, sizes[i].text))
			continue;
		*at += strlen(sizes[i].text);
		*is_wide = sizes[i].is_wide;
		*is_narrow = sizes[i].is_narrow;
		return sizes[i].size;
	}
	return COMPAT_SIZE_NONE;
}

/*
 * Reads a width or precision at *at. For a `*` returns the next argument. A number above INT_MAX
 * becomes INT_MAX; the text is then too long, and formatting fails later.
 */
static int parse_number(const void *format, bool wide, size_t *at, struct arguments *arguments)
{
	wchar_t c = compat_unit(format, wide, *at);
	int number = 0;

	if (c == '*') {
		(*at)++;
		return va_arg(arguments->list, int);
	}
	for (; c >= '0' && c <= '9'; c = compat_unit(format, wide, ++*at))
		number = number > (INT_MAX - 9) / 10 ? INT_MAX : number * 10 + (int)(c - '0');
	return number;
}

static struct directive parse(const void *format, bool wide, size_t *at,
			      struct arguments *arguments)
{
	struct directive d = {.precision = -1};

	for (;; (*at)++) {
		wchar_t c = compat_unit(format, wide, *at);

		if (c == '-')
			d.left = true;
		else if (c == '+')
			d.plus = true;
		else if (c == ' ')
			d.space = true;
		else if (c == '#')
			d.alternate = true;
		else if (c == '0')
			d.zero = true;
		else
			break;
	}
	d.width = parse_number(format, wide, at, arguments);
	if (d.width < 0) {
		d.left = true;
		d.width = d.width == INT_MIN ? INT_MAX : -d.width;
	}
	if (compat_unit(format, wide, *at) == '.') {
		(*at)++;
		d.precision = parse_number(format, wide, at, arguments);
		if (d.precision < 0)
			d.precision = -1;
	}
	d.size = compat_size_parse(format, at, wide, &d.is_wide, &d.is_narrow);
	d.type = compat_unit(format, wide, *at);
	if (d.type)
		(*at)++;
	return d;
}

/* ---- Conversion of the arguments to text ---------------------------------------------------- */

static intmax_t fetch_signed(enum compat_size size, struct arguments *arguments)
{
	if (size == COMPAT_SIZE_INT64)
		return va_arg(arguments->list, int64_t);
	int value = va_arg(arguments->list, int);

	return size == COMPAT_SIZE_CHAR	   ? (signed char)value
	       : size == COMPAT_SIZE_SHORT ? (short)value
					   : value;
}

static uintmax_t fetch_unsigned(enum compat_size size, struct arguments *arguments)
{
	if (size == COMPAT_SIZE_INT64)
		return va_arg(arguments->list, uint64_t);
	unsigned value = va_arg(arguments->list, unsigned);

	return size == COMPAT_SIZE_CHAR	   ? (unsigned char)value
	       : size == COMPAT_SIZE_SHORT ? (unsigned short)value
					   : value;
}

/*
 * Writes the directive to `spec` in the form that snprintf() takes. The width and the precision
 * become `*`, because the caller passes both numbers as arguments.
 */
static void spell(const struct directive *d, const char *size, char spec[16])
{
	snprintf(spec, 16, "%%%s%s%s%s%s*%s%s%c", d->left ? "-" : "", d->plus ? "+" : "",
		 d->space ? " " : "", d->alternate ? "#" : "", d->zero ? "0" : "",
		 d->precision >= 0 ? ".*" : "", size, (char)d->type);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define PRINT(value)                                                                 \
	(d->precision >= 0 ? snprintf(to, room, spec, d->width, d->precision, value) \
			   : snprintf(to, room, spec, d->width, value))

struct number {
	enum { SIGNED, UNSIGNED, REAL, LONG_REAL } kind;
	union {
		intmax_t i;
		uintmax_t u;
		double r;
		long double lr;
	} is;
};

static int print_number(char *to, size_t room, const struct directive *d, const struct number *n)
{
	static const char *const sizes[] = {
		[SIGNED] = "j", [UNSIGNED] = "j", [REAL] = "", [LONG_REAL] = "L"};
	char spec[16];

	spell(d, sizes[n->kind], spec);
	switch (n->kind) {
	case SIGNED:
		return PRINT(n->is.i);
	case UNSIGNED:
		return PRINT(n->is.u);
	case REAL:
		return PRINT(n->is.r);
	default:
		return PRINT(n->is.lr);
	}
}

#pragma GCC diagnostic pop

static void put_number(struct compat_units *out, const struct directive *d, const struct number *n)
{
	char small[128], *text = small;
	int length = print_number(small, sizeof(small), d, n);

	if (length < 0 || (size_t)length > MOST_UNITS)
		return fail(out, EOVERFLOW);
	if ((size_t)length >= sizeof(small)) {
		text = malloc((size_t)length + 1);
		if (!text)
			return fail(out, ENOMEM);
		print_number(text, (size_t)length + 1, d, n);
	}
	for (int i = 0; i < length; i++)
		compat_units_put(out, (unsigned char)text[i]);
	if (text != small)
		free(text);
}

/*
 * Converts wide text for a narrow format to UTF-8: at most `limit` bytes, and only whole
 * characters.
 */
static void wide_to_bytes(struct compat_units *part, const wchar_t *text, size_t limit)
{
	char bytes[4];
	bool valid;

	for (; part->count < limit && *text; text++) {
		size_t n = compat_encode(*text, bytes, &valid);

		if (n > limit - part->count)
			return;
		for (size_t i = 0; i < n; i++)
			compat_units_put(part, (unsigned char)bytes[i]);
		if (part->failed)
			return;
	}
}

static void bytes_to_wide(struct compat_units *part, const char *text, size_t limit)
{
	wchar_t c;
	bool valid;

	while (part->count < limit && *text && !part->failed) {
		/*
		 * The text may end within these 4 bytes. The decoder stops at the terminating zero,
		 * because a zero is never a UTF-8 continuation byte.
		 */
		text += compat_decode(text, 4, &c, &valid);
		compat_units_put(part, c);
	}
}

static void same_kind(struct compat_units *part, const void *text, bool wide, size_t limit)
{
	for (size_t i = 0; i < limit && compat_unit(text, wide, i) && !part->failed; i++)
		compat_units_put(part, compat_unit(text, wide, i));
}

static void put_part(struct compat_units *out, const struct directive *d, struct compat_units *part)
{
	wchar_t padding = d->zero && !d->left ? '0' : ' ';

	if (!d->left)
		put_padding(out, d->width, part->count, padding);
	for (size_t i = 0; i < part->count; i++)
		compat_units_put(out, part->at[i]);
	if (d->left)
		put_padding(out, d->width, part->count, ' ');
	if (part->failed)
		out->failed = true;
	compat_units_free(part);
}

static void put_text(struct compat_units *out, const struct directive *d, const void *text,
		     bool wide, bool text_wide)
{
	size_t limit = d->precision >= 0 ? (size_t)d->precision : SIZE_MAX;
	struct compat_units part;

	if (!text) {
		text = "(null)";
		text_wide = false;
	}
	compat_units_init(&part);
	if (text_wide == wide)
		same_kind(&part, text, wide, limit);
	else if (wide)
		bytes_to_wide(&part, text, limit);
	else
		wide_to_bytes(&part, text, limit);
	put_part(out, d, &part);
}

static void put_character(struct compat_units *out, const struct directive *d, int value, bool wide,
			  bool is_wide)
{
	struct compat_units part;
	char byte = (char)value;
	wchar_t c = value;
	bool valid;

	compat_units_init(&part);
	if (!is_wide && wide)
		compat_decode(&byte, 1, &c, &valid);
	if (is_wide && !wide && value)
		wide_to_bytes(&part, (wchar_t[]){c, 0}, SIZE_MAX);
	else
		compat_units_put(&part, is_wide || wide ? c : (wchar_t)(unsigned char)byte);
	put_part(out, d, &part);
}

static void put_pointer(struct compat_units *out, const struct directive *d, const void *pointer,
			bool wide)
{
	struct directive text = *d;
	char digits[17];

	snprintf(digits, sizeof(digits), "%016llX", (unsigned long long)(uintptr_t)pointer);
	text.zero = false;
	text.precision = -1;
	put_text(out, &text, digits, wide, false);
}

/* Returns whether the argument of this %s or %c directive is wide. */
static bool is_wide(const struct directive *d, bool wide)
{
	if (d->is_wide || d->is_narrow)
		return d->is_wide;
	return (d->type == 'S' || d->type == 'C') != wide;
}

static void convert(struct compat_units *out, const struct directive *d, bool wide,
		    struct arguments *arguments)
{
	struct number n;

	switch (d->type) {
	case 'd':
	case 'i':
		n.kind = SIGNED;
		n.is.i = fetch_signed(d->size, arguments);
		return put_number(out, d, &n);
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		n.kind = UNSIGNED;
		n.is.u = fetch_unsigned(d->size, arguments);
		return put_number(out, d, &n);
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		n.kind = d->size == COMPAT_SIZE_LONG_DOUBLE ? LONG_REAL : REAL;
		if (n.kind == LONG_REAL)
			n.is.lr = va_arg(arguments->list, long double);
		else
			n.is.r = va_arg(arguments->list, double);
		return put_number(out, d, &n);
	case 's':
	case 'S':
		return put_text(out, d, va_arg(arguments->list, const void *), wide,
				is_wide(d, wide));
	case 'c':
	case 'C':
		return put_character(out, d, va_arg(arguments->list, int), wide, is_wide(d, wide));
	case 'p':
		return put_pointer(out, d, va_arg(arguments->list, void *), wide);
	case 'n':
		return fail(out, EINVAL);
	default:
		/*
		 * The second `%` of `%%` and the letter of an unknown directive are printed
		 * unchanged. d->type is 0 if the format ends within the directive.
		 */
		if (d->type)
			compat_units_put(out, d->type);
	}
}

void compat_format(struct compat_units *out, const void *format, bool wide, va_list arguments)
{
	struct arguments list;
	wchar_t c;

	compat_units_init(out);
	if (!format)
		return fail(out, EINVAL);
	va_copy(list.list, arguments);
	for (size_t at = 0; (c = compat_unit(format, wide, at)) && !out->failed;) {
		at++;
		if (c != '%') {
			compat_units_put(out, c);
			continue;
		}
		struct directive d = parse(format, wide, &at, &list);

		convert(out, &d, wide, &list);
	}
	va_end(list.list);
}
