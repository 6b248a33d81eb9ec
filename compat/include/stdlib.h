/*
 * <stdlib.h> of Linux, and functions that Windows adds. strtol() and its relatives return a `long`
 * of 64 bits, as on Linux.
 */
#include_next <stdlib.h>

#if !defined(COMPAT_STDLIB_H) && defined(EXIT_FAILURE)
#define COMPAT_STDLIB_H

#include "corecrt.h"

#define _MAX_PATH  260
#define _MAX_DRIVE 3
#define _MAX_DIR   256
#define _MAX_FNAME 256
#define _MAX_EXT   256

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers as text, in base 2 to 36; negative numbers have a minus sign only in base 10 ---- */

/* Writes a number as text and returns the buffer. The caller makes sure that the text fits. */
char *_itoa(int value, char *buffer, int base);

/*
 * Writes a 64-bit number as text and returns the buffer. The caller makes sure that the text fits.
 */
char *_i64toa(int64_t value, char *buffer, int base);

/*
 * Writes an unsigned 64-bit number as text and returns the buffer. The caller makes sure that the
 * text fits.
 */
char *_ui64toa(uint64_t value, char *buffer, int base);

/*
 * Writes a number as text. Returns 0; on failure returns EINVAL or ERANGE and stores an empty text.
 */
errno_t _itoa_s(int value, char *buffer, size_t size, int base);

/*
 * Writes the low 32 bits of a number as text. Returns 0; on failure returns EINVAL or ERANGE and
 * stores an empty text.
 */
errno_t _ltoa_s(long value, char *buffer, size_t size, int base);

/*
 * Writes the low 32 bits of an unsigned number as text. Returns 0; on failure returns EINVAL or
 * ERANGE and stores an empty text.
 */
errno_t _ultoa_s(unsigned long value, char *buffer, size_t size, int base);

/*
 * Writes a 64-bit number as text. Returns 0; on failure returns EINVAL or ERANGE and stores an
 * empty text.
 */
errno_t _i64toa_s(int64_t value, char *buffer, size_t size, int base);

/*
 * Writes an unsigned 64-bit number as text. Returns 0; on failure returns EINVAL or ERANGE and
 * stores an empty text.
 */
errno_t _ui64toa_s(uint64_t value, char *buffer, size_t size, int base);

/* Converts decimal text to a number. Returns 0 for text that is not a number. */
int64_t _atoi64(const char *text);

/* Converts text to a number, as strtoll() does; returns 0 with errno EINVAL if `text` is NULL. */
int64_t _strtoi64(const char *text, char **end, int base);

/*
 * Converts text to an unsigned number, as strtoull() does; returns 0 with errno EINVAL if `text` is
 * NULL.
 */
uint64_t _strtoui64(const char *text, char **end, int base);

/* ---- Byte order ---- */

/* Reverses the order of the 2 bytes. */
unsigned short _byteswap_ushort(unsigned short value);

/* Reverses the order of the 4 bytes. */
uint32_t _byteswap_ulong(uint32_t value);

/* Reverses the order of the 8 bytes. */
uint64_t _byteswap_uint64(uint64_t value);

/* ---- Environment variables and paths ---- */

/*
 * Copies the value of an environment variable to `buffer`. Sets *needed to the size of the value
 * with the terminating zero, or to 0 if the variable is not set. Returns ERANGE if the buffer is
 * too small.
 */
errno_t getenv_s(size_t *needed, char *buffer, size_t size, const char *name);

/*
 * Stores an allocated copy of an environment variable's value in *buffer, and the size of the copy
 * in *size. If the variable is not set, stores NULL and 0. `size` may be NULL. The caller frees the
 * copy.
 */
errno_t _dupenv_s(char **buffer, size_t *size, const char *name);

/* Sets an environment variable, or removes it if `value` is empty. */
errno_t _putenv_s(const char *name, const char *value);

/* Sets an environment variable from a text NAME=VALUE. Unlike putenv(), copies the text. */
int _putenv(const char *text);

/*
 * Returns the absolute path of a file, in allocated memory if `buffer` is NULL. Returns NULL if the
 * file does not exist; on Windows the file need not exist.
 */
char *_fullpath(char *buffer, const char *name, size_t size);

#ifdef __cplusplus
}

extern "C++" {
template <size_t N> inline errno_t _itoa_s(int value, char (&buffer)[N], int base)
{
	return _itoa_s(value, buffer, N, base);
}
}
#endif
#pragma GCC visibility pop

#endif
