/*
 * Conversion between narrow and wide text: narrow text is UTF-8, a wide character is a Unicode code
 * point. The functions keep no state. Any thread.
 */
#ifndef COMPAT_TEXT_H
#define COMPAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#define COMPAT_REPLACEMENT 0xFFFD /* U+FFFD replaces what is not a valid character */

/*
 * Decodes one character from the first of n > 0 bytes and returns how many bytes it used. If they
 * are no valid UTF-8, sets *valid to false and *out to COMPAT_REPLACEMENT, and returns 1. Reads no
 * byte after the first invalid one.
 */
size_t compat_decode(const char *bytes, size_t n, wchar_t *out, bool *valid);

/*
 * Writes the 1 to 4 bytes of a character and returns their number. An invalid one sets *valid to
 * false and is replaced.
 */
size_t compat_encode(wchar_t character, char out[4], bool *valid);

/*
 * Returns a converted, zero-terminated copy that the caller frees; NULL if text is NULL or memory
 * is short.
 */
wchar_t *compat_widen(const char *text);
char *compat_narrow(const wchar_t *text);

/*
 * Copies a zero-terminated text into a buffer of `room` elements, as wide text if `wide`. Returns
 * the length without the zero; if that is not below `room`, nothing was written.
 */
size_t compat_copy_out(void *buffer, size_t room, bool wide, const char *text);

#endif
