/*
 * Text between the two alphabets of this library: bytes are UTF-8, wide characters are code points.
 * No state, any thread.
 */
#ifndef COMPAT_TEXT_H
#define COMPAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#define COMPAT_REPLACEMENT 0xFFFD /* stands for what is not a character */

/*
 * One character from n > 0 bytes. Returns how many bytes it took, 1 or more; *valid is false when
 * they were no character, which is then COMPAT_REPLACEMENT.
 */
size_t compat_decode(const char *bytes, size_t n, wchar_t *out, bool *valid);

/* The 1..4 bytes of a character; *valid as above. */
size_t compat_encode(wchar_t character, char out[4], bool *valid);

/* A zero-terminated copy in the other alphabet, to be freed. NULL: no memory, or text was NULL. */
wchar_t *compat_widen(const char *text);
char *compat_narrow(const wchar_t *text);

/*
 * Copies a zero-terminated text into a buffer of `room` elements, converted if the buffer is wide.
 * Returns its length without the zero; when that is not below room, nothing was written.
 */
size_t compat_copy_out(void *buffer, size_t room, bool wide, const char *text);

#endif
