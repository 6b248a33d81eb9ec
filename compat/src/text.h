/*
 * Conversion between narrow text (UTF-8) and wide text. A wide character is a Unicode code point.
 * The functions keep no state. Any thread may call the functions.
 */
#ifndef COMPAT_TEXT_H
#define COMPAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#define COMPAT_REPLACEMENT 0xFFFD /* replaces invalid characters */

/*
 * Decodes one character from n > 0 bytes and returns the number of bytes used. For invalid UTF-8
 * sets *valid to false and *out to COMPAT_REPLACEMENT, and returns 1. Reads no byte after the first
 * invalid byte.
 */
size_t compat_decode(const char *bytes, size_t n, wchar_t *out, bool *valid);

/*
 * Encodes a character as 1 to 4 bytes and returns the number of bytes. For an invalid character
 * sets *valid to false and encodes COMPAT_REPLACEMENT.
 */
size_t compat_encode(wchar_t character, char out[4], bool *valid);

/*
 * compat_widen converts a text to wide text, compat_narrow to UTF-8. Both return an allocated copy,
 * which the caller frees. Both return NULL if `text` is NULL or memory is short.
 */
wchar_t *compat_widen(const char *text);
char *compat_narrow(const wchar_t *text);

/*
 * Copies a text with its terminating zero into a buffer of `room` bytes, or of `room` wide
 * characters if `wide`. Returns the length without the zero. If the length is `room` or more,
 * nothing was written.
 */
size_t compat_copy_out(void *buffer, size_t room, bool wide, const char *text);

#endif
