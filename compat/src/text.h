/*
 * Conversion between narrow and wide text: narrow text is UTF-8, a wide character is a Unicode code
 * point. The functions keep no state; any thread may call them.
 */
#ifndef COMPAT_TEXT_H
#define COMPAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#define COMPAT_REPLACEMENT 0xFFFD /* replaces invalid characters */

/*
 * Decodes one character from the first of n > 0 bytes and returns the number of bytes used. If the
 * bytes are not valid UTF-8, sets *valid to false and *out to COMPAT_REPLACEMENT, and returns 1.
 * Reads no byte after the first invalid one.
 */
size_t compat_decode(const char *bytes, size_t n, wchar_t *out, bool *valid);

/*
 * Encodes a character as 1 to 4 bytes and returns their number. For an invalid character sets
 * *valid to false and encodes COMPAT_REPLACEMENT.
 */
size_t compat_encode(wchar_t character, char out[4], bool *valid);

/*
 * Returns an allocated copy of a text: compat_widen converts to wide text, compat_narrow to UTF-8.
 * The caller frees the copy. Returns NULL if `text` is NULL or memory is short.
 */
wchar_t *compat_widen(const char *text);
char *compat_narrow(const wchar_t *text);

/*
 * Copies a text into a buffer of `room` bytes, or of `room` wide characters if `wide`, with a
 * terminating zero. Returns the length without the zero. If the length is not below `room`, nothing
 * was written.
 */
size_t compat_copy_out(void *buffer, size_t room, bool wide, const char *text);

#endif
