/*
 * How is UTF-8 text converted to wide text and back? This file keeps no state. Any thread may call
 * the functions.
 */
#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The UTF-8 encodings of 1 to 4 bytes. (byte & mask) == mark holds for the first byte of a
 * character of `bytes` bytes; byte & bits gives the highest bits of the character. A character
 * below `least` is invalid in this encoding, because a shorter encoding exists.
 */
static const struct form {
	unsigned char mask, mark, bits;
	unsigned bytes;
	uint32_t least;
} forms[] = {
	{0x80, 0x00, 0x7F, 1, 0x0},
	{0xE0, 0xC0, 0x1F, 2, 0x80},
	{0xF0, 0xE0, 0x0F, 3, 0x800},
	{0xF8, 0xF0, 0x07, 4, 0x10000},
};
#define FORMS (sizeof(forms) / sizeof(*forms))

static bool is_character(uint32_t c)
{
	return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
}

size_t compat_decode(const char *bytes, size_t n, wchar_t *out, bool *valid)
{
	const unsigned char *at = (const unsigned char *)bytes;

	*out = COMPAT_REPLACEMENT;
	*valid = false;
	for (size_t f = 0; f < FORMS; f++) {
		if ((at[0] & forms[f].mask) != forms[f].mark)
			continue;
		uint32_t c = at[0] & forms[f].bits;

		for (unsigned i = 1; i < forms[f].bytes; i++) {
			if (i >= n || (at[i] & 0xC0) != 0x80)
				return 1;
			c = c << 6 | (at[i] & 0x3F);
		}
		if (c < forms[f].least || !is_character(c))
			return 1;
		*out = (wchar_t)c;
		*valid = true;
		return forms[f].bytes;
	}
	return 1;
}

size_t compat_encode(wchar_t character, char out[4], bool *valid)
{
	uint32_t c = (uint32_t)character;

	*valid = is_character(c);
	if (!*valid)
		c = COMPAT_REPLACEMENT;
	size_t f = FORMS - 1;

	while (f > 0 && c < forms[f].least)
		f--;
	for (unsigned i = forms[f].bytes - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (c & 0x3F));
		c >>= 6;
	}
	out[0] = (char)(forms[f].mark | c);
	return forms[f].bytes;
}

wchar_t *compat_widen(const char *text)
{
	if (!text)
		return NULL;
	size_t bytes = strlen(text), count = 0;
	wchar_t *wide = calloc(bytes + 1, sizeof(*wide));
	bool valid;

	for (size_t at = 0; wide && at < bytes; count++)
		at += compat_decode(text + at, bytes - at, &wide[count], &valid);
	return wide;
}

char *compat_narrow(const wchar_t *text)
{
	if (!text)
		return NULL;
	size_t length = wcslen(text), count = 0;
	char *bytes = calloc(length + 1, 4);
	bool valid;

	for (size_t i = 0; bytes && i < length; i++)
		count += compat_encode(text[i], bytes + count, &valid);
	return bytes;
}

size_t compat_copy_out(void *buffer, size_t room, bool wide, const char *text)
{
	size_t bytes = strlen(text), count = 0;
	wchar_t c;
	bool valid;

	if (!wide) {
		if (bytes < room)
			memcpy(buffer, text, bytes + 1);
		return bytes;
	}
	for (size_t at = 0; at < bytes; count++)
		at += compat_decode(text + at, bytes - at, &c, &valid);
	if (count >= room)
		return count;
	wchar_t *to = buffer;

	for (size_t at = 0; at < bytes; to++)
		at += compat_decode(text + at, bytes - at, to, &valid);
	*to = 0;
	return count;
}
