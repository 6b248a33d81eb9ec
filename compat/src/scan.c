/*
 * What does a Windows format read from text or from a stream (scanf)? The functions look ahead by
 * one character at most. Each value is stored with the width of its Windows type: %ld stores 32
 * bits.
 *
 * This file keeps no state; a stream is locked while it is read. Any thread may call the functions.
 */
#include "format.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define END ((wint_t)-1)

/* The input of a scan: a narrow or wide text, or a stream of bytes. */
struct source {
	FILE *stream;
	const void *text;
	bool wide;
	size_t at;
	int taken; /* number of bytes or wide characters read so far, for %n */
};

struct scan {
	struct source from;
	const void *format;
	bool wide, secure;
	struct {
		va_list list;
	} to;
	int filled;
	bool ended;
};

struct field {
	bool suppressed, is_wide, is_narrow;
	int width; /* 0 if the field has no width */
	enum compat_size size;
	wchar_t type;
	size_t set, set_end; /* positions in the format: after `[`, of the final `]` */
};

static wint_t next(struct source *from)
{
	wint_t c;

	if (from->stream) {
		int byte = getc_unlocked(from->stream);

		c = byte == EOF ? END : (wint_t)byte;
	} else {
		c = (wint_t)compat_unit(from->text, from->wide, from->at);
		if (c == 0)
			return END;
		from->at++;
	}
	if (c != END)
		from->taken++;
	return c;
}

static void give_back(struct source *from, wint_t c)
{
	if (c == END)
		return;
	from->taken--;
	if (from->stream)
		ungetc((int)c, from->stream);
	else
		from->at--;
}

static void skip_space(struct source *from)
{
	wint_t c;

	do
		c = next(from);
	while (c != END && (from->wide ? iswspace(c) : isspace((int)c)));
	give_back(from, c);
}

/* ---- Reading numbers ------------------------------------------------------------------------ */

struct digits {
	char text[128];
	size_t n;
	int left; /* how many more characters the field may have */
};

/*
 * Reads the next character if `allowed` contains the character. Otherwise leaves the character in
 * the input and returns false.
 */
static bool take(struct source *from, struct digits *d, const char *allowed)
{
	wint_t c = d->left > 0 ? next(from) : END;

	if (c == END)
		return false;
	if (c >= 0x80 || !strchr(allowed, (int)c) || d->n + 1 >= sizeof(d->text)) {
		give_back(from, c);
		return false;
	}
	d->text[d->n++] = (char)c;
	d->text[d->n] = 0;
	d->left--;
	return true;
}

static void take_all(struct source *from, struct digits *d, const char *allowed)
{
	while (take(from, d, allowed))
		;
}

static struct digits digits_of(int width)
{
	return (struct digits){.left = width ? width : INT_MAX};
}

static bool read_integer(struct source *from, const struct field *f, uint64_t *value)
{
	struct digits d = digits_of(f->width);
	int base = f->type == 'd' || f->type == 'u' ? 10
		   : f->type == 'o'		    ? 8
		   : f->type == 'i'		    ? 0
						    : 16;
	static const char *const alphabets[] = {
		[8] = "01234567", [10] = "0123456789", [16] = "0123456789abcdefABCDEF"};

	skip_space(from);
	take(from, &d, "+-");
	size_t sign = d.n;

	if ((base == 0 || base == 16) && take(from, &d, "0")) {
		if (take(from, &d, "xX"))
			base = 16;
		else if (base == 0)
			base = 8;
	}
	if (base == 0)
		base = 10;
	take_all(from, &d, alphabets[base]);
	if (d.n == sign || d.text[d.n - 1] == 'x' || d.text[d.n - 1] == 'X')
		return false;
	*value = f->type == 'd' || f->type == 'i' ? (uint64_t)strtoll(d.text, NULL, base)
						  : strtoull(d.text, NULL, base);
	return true;
}

static bool read_real(struct source *from, const struct field *f, long double *value)
{
	struct digits d = digits_of(f->width);
	char *end;

	skip_space(from);
	take(from, &d, "+-");
	if (take(from, &d, "iInN")) {
		take_all(from, &d, "aAfFiInNtTyY");
	} else {
		take_all(from, &d, "0123456789");
		if (take(from, &d, "."))
			take_all(from, &d, "0123456789");
		if (d.n > 0 && take(from, &d, "eE")) {
			take(from, &d, "+-");
			take_all(from, &d, "0123456789");
		}
	}
	*value = strtold(d.text, &end);
	return d.n > 0 && *end == 0;
}

static void store_integer(void *to, enum compat_size size, uint64_t value)
{
	switch (size) {
	case COMPAT_SIZE_CHAR:
		*(uint8_t *)to = (uint8_t)value;
		return;
	case COMPAT_SIZE_SHORT:
		*(uint16_t *)to = (uint16_t)value;
		return;
	case COMPAT_SIZE_INT64:
		*(uint64_t *)to = value;
		return;
	default:
		*(uint32_t *)to = (uint32_t)value;
	}
}

/* ---- Reading text --------------------------------------------------------------------------- */

/*
 * The buffer for the text of a field, with room for `room` bytes or wide characters. If `to` is
 * NULL, the text is discarded.
 */
struct sink {
	void *to;
	bool wide;
	size_t room, count;
	/*
	 * the bytes read so far of an incomplete UTF-8 character; used if input is narrow and `to`
	 * is wide
	 */
	char part[4];
	size_t parts;
	bool full;
};

static void sink_unit(struct sink *s, wchar_t unit)
{
	if (!s->to)
		return;
	if (s->count >= s->room) {
		s->full = true;
		return;
	}
	if (s->wide)
		((wchar_t *)s->to)[s->count++] = unit;
	else
		((char *)s->to)[s->count++] = (char)unit;
}

static void sink_put(struct sink *s, wint_t c, bool from_wide)
{
	char bytes[4];
	wchar_t character;
	bool valid;

	if (s->wide == from_wide)
		return sink_unit(s, (wchar_t)c);
	if (from_wide) {
		size_t n = compat_encode((wchar_t)c, bytes, &valid);

		for (size_t i = 0; i < n; i++)
			sink_unit(s, (unsigned char)bytes[i]);
		return;
	}
	s->part[s->parts++] = (char)c;
	compat_decode(s->part, s->parts, &character, &valid);
	if (valid || s->parts == sizeof(s->part)) {
		sink_unit(s, character);
		s->parts = 0;
	}
}

/* Returns whether the character belongs to the set of %[...]. */
static bool in_set(const struct scan *s, const struct field *f, wint_t c)
{
	size_t at = f->set;
	bool negated = compat_unit(s->format, s->wide, at) == '^', found = false;

	at += negated;
	for (; at < f->set_end; at++) {
		wchar_t low = compat_unit(s->format, s->wide, at), high = low;

		if (at + 2 < f->set_end && compat_unit(s->format, s->wide, at + 1) == '-') {
			high = compat_unit(s->format, s->wide, at + 2);
			at += 2;
		}
		found |= (wchar_t)c >= low && (wchar_t)c <= high;
	}
	return found != negated;
}

static bool belongs(const struct scan *s, const struct field *f, wint_t c)
{
	if (f->type == 'c' || f->type == 'C')
		return true;
	if (f->type == '[')
		return in_set(s, f, c);
	return !(s->from.wide ? iswspace(c) : isspace((int)c));
}

static bool sink_is_wide(const struct scan *s, const struct field *f)
{
	if (f->is_wide || f->is_narrow)
		return f->is_wide;
	return (f->type == 'S' || f->type == 'C') != s->wide;
}

static bool read_text(struct scan *s, const struct field *f)
{
	bool character = f->type == 'c' || f->type == 'C';
	struct sink sink = {.wide = sink_is_wide(s, f), .room = SIZE_MAX};
	int left = f->width ? f->width : character ? 1 : INT_MAX, taken = 0;

	if (!f->suppressed) {
		sink.to = va_arg(s->to.list, void *);
		if (s->secure)
			sink.room = va_arg(s->to.list, unsigned);
		if (!character && sink.room != SIZE_MAX && sink.room > 0)
			sink.room--; /* keeps room for the terminating zero */
		else if (!character && sink.room == 0)
			return false;
	}
	if (f->type == 's' || f->type == 'S')
		skip_space(&s->from);
	for (; left > 0; left--, taken++) {
		wint_t c = next(&s->from);

		if (c == END || !belongs(s, f, c)) {
			give_back(&s->from, c);
			break;
		}
		sink_put(&sink, c, s->from.wide);
	}
	if (sink.full) {
		/*
		 * A field that is too long for its buffer stores an empty text and ends the scan.
		 */
		sink.count = sink.full = 0;
		if (sink.room > 0)
			sink_unit(&sink, 0);
		return false;
	}
	if (sink.to && !character) {
		sink.room = SIZE_MAX;
		sink_unit(&sink, 0);
	}
	return character ? left == 0 : taken > 0;
}

/* ---- Parsing and executing directives ------------------------------------------------------- */

static struct field parse(struct scan *s, size_t *at)
{
	struct field f = {0};
	wchar_t c = compat_unit(s->format, s->wide, *at);

	f.suppressed = c == '*';
	*at += f.suppressed;
	for (c = compat_unit(s->format, s->wide, *at); c >= '0' && c <= '9';
	     c = compat_unit(s->format, s->wide, ++*at))
		f.width = f.width > (INT_MAX - 9) / 10 ? INT_MAX : f.width * 10 + (int)(c - '0');
	f.size = compat_size_parse(s->format, at, s->wide, &f.is_wide, &f.is_narrow);
	f.type = compat_unit(s->format, s->wide, *at);
	if (f.type)
		(*at)++;
	if (f.type != '[')
		return f;
	f.set = *at;
	if (compat_unit(s->format, s->wide, *at) == '^')
		(*at)++;
	/* A `]` right after `[` or `[^` belongs to the set and does not end the set. */
	do {
		if (!compat_unit(s->format, s->wide, *at))
			break;
		(*at)++;
	} while (compat_unit(s->format, s->wide, *at) != ']');
	f.set_end = *at;
	if (compat_unit(s->format, s->wide, *at))
		(*at)++;
	return f;
}

/* Reads and stores one field. Returns false if the input does not match, which ends the scan. */
static bool convert(struct scan *s, const struct field *f)
{
	uint64_t integer = 0;
	long double real;

	switch (f->type) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'p':
		if (!read_integer(&s->from, f, &integer))
			return false;
		if (!f->suppressed)
			store_integer(va_arg(s->to.list, void *),
				      f->type == 'p' ? COMPAT_SIZE_INT64 : f->size, integer);
		break;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		if (!read_real(&s->from, f, &real))
			return false;
		if (f->suppressed)
			break;
		if (f->size == COMPAT_SIZE_LONG_DOUBLE)
			*va_arg(s->to.list, long double *) = real;
		else if (f->size == COMPAT_SIZE_INT32)
			*va_arg(s->to.list, double *) = (double)real;
		else
			*va_arg(s->to.list, float *) = (float)real;
		break;
	case 's':
	case 'S':
	case 'c':
	case 'C':
	case '[':
		if (!read_text(s, f))
			return false;
		break;
	case 'n':
		if (!f->suppressed)
			store_integer(va_arg(s->to.list, void *), f->size, (uint64_t)s->from.taken);
		return true;
	default: {
		/* %% matches `%`, and the letter of an unknown directive matches itself. */
		wint_t c = next(&s->from);

		if (c == (wint_t)f->type && f->type)
			return true;
		give_back(&s->from, c);
		return false;
	}
	}
	s->filled += !f->suppressed;
	return true;
}

static bool at_end(struct source *from)
{
	wint_t c = next(from);

	give_back(from, c);
	return c == END;
}

static int scan(struct scan *s)
{
	wchar_t c;

	for (size_t at = 0; !s->ended && (c = compat_unit(s->format, s->wide, at));) {
		at++;
		if (s->wide ? iswspace((wint_t)c) : c < 0x80 && isspace((int)c)) {
			skip_space(&s->from);
			continue;
		}
		if (c != '%') {
			wint_t got = next(&s->from);

			if (got == (wint_t)c)
				continue;
			give_back(&s->from, got);
			s->ended = got == END;
			break;
		}
		struct field f = parse(s, &at);

		/*
		 * All directives except %c, %C, %[, %n and %% first skip white space in the input.
		 * The scan ends if no input is left for the directive (%n needs none), or if the
		 * input does not match the directive. The result is the number of fields stored. If
		 * the input has ended and no field was stored, the result is EOF.
		 */
		if (!strchr("cC[n%", (int)f.type))
			skip_space(&s->from);
		s->ended = f.type != 'n' && at_end(&s->from);
		if (s->ended || !convert(s, &f))
			break;
	}
	return s->filled == 0 && s->ended ? EOF : s->filled;
}

static int scan_all(struct source from, const void *format, bool wide, bool secure,
		    va_list arguments)
{
	struct scan s = {.from = from, .format = format, .wide = wide, .secure = secure};

	if (!format || (!from.stream && !from.text)) {
		errno = EINVAL;
		return EOF;
	}
	va_copy(s.to.list, arguments);
	if (from.stream)
		flockfile(from.stream);
	int result = scan(&s);

	if (from.stream)
		funlockfile(from.stream);
	va_end(s.to.list);
	return result;
}

/* ---- The exported functions ----------------------------------------------------------------- */

#define FORWARD(call)                \
	va_list arguments;           \
	va_start(arguments, format); \
	int result = call;           \
	va_end(arguments);           \
	return result
#define STREAM(s) ((struct source){.stream = s})
#define TEXT(t)	  ((struct source){.text = t})
#define WIDE(t)	  ((struct source){.text = t, .wide = true})

int compat_vsscanf(const char *text, const char *format, va_list arguments)
{
	return scan_all(TEXT(text), format, false, false, arguments);
}

int compat_sscanf(const char *text, const char *format, ...)
{
	FORWARD(compat_vsscanf(text, format, arguments));
}

int sscanf_s(const char *text, const char *format, ...)
{
	FORWARD(scan_all(TEXT(text), format, false, true, arguments));
}

int compat_fscanf(FILE *stream, const char *format, ...)
{
	FORWARD(scan_all(STREAM(stream), format, false, false, arguments));
}

int fscanf_s(FILE *stream, const char *format, ...)
{
	FORWARD(scan_all(STREAM(stream), format, false, true, arguments));
}

int compat_scanf(const char *format, ...)
{
	FORWARD(scan_all(STREAM(stdin), format, false, false, arguments));
}

int scanf_s(const char *format, ...)
{
	FORWARD(scan_all(STREAM(stdin), format, false, true, arguments));
}

int compat_swscanf(const wchar_t *text, const wchar_t *format, ...)
{
	FORWARD(scan_all(WIDE(text), format, true, false, arguments));
}

int swscanf_s(const wchar_t *text, const wchar_t *format, ...)
{
	FORWARD(scan_all(WIDE(text), format, true, true, arguments));
}
