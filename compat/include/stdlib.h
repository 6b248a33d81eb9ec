/*
 * <stdlib.h> and what Windows adds to it. strtol() and its family return Linux's `long` of 64 bits.
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

/* ---- Numbers and text; base 2..36, and base 10 alone writes a sign ---- */

/* Returns the buffer. The caller makes sure that the text fits. */
char *_itoa(int value, char *buffer, int base);

/* Same as _itoa. */
char *_i64toa(int64_t value, char *buffer, int base);

/* Same as _itoa. */
char *_ui64toa(uint64_t value, char *buffer, int base);

/* Returns 0, or EINVAL or ERANGE with an empty text in the buffer. */
errno_t _itoa_s(int value, char *buffer, size_t size, int base);

/* Same as _itoa_s, with the low 32 bits of the value. */
errno_t _ltoa_s(long value, char *buffer, size_t size, int base);

/* Same as _itoa_s, with the low 32 bits of the value, unsigned. */
errno_t _ultoa_s(unsigned long value, char *buffer, size_t size, int base);

/* Same as _itoa_s. */
errno_t _i64toa_s(int64_t value, char *buffer, size_t size, int base);

/* Same as _itoa_s. */
errno_t _ui64toa_s(uint64_t value, char *buffer, size_t size, int base);

/* Returns 0 for text that is not a number. */
int64_t _atoi64(const char *text);

/* Same as strtoll(); returns 0 with EINVAL for NULL. */
int64_t _strtoi64(const char *text, char **end, int base);

/* Same as strtoull(); returns 0 with EINVAL for NULL. */
uint64_t _strtoui64(const char *text, char **end, int base);

/* ---- Bits ---- */

/* Reverses the order of the bytes. */
unsigned short _byteswap_ushort(unsigned short value);

/* Same as _byteswap_ushort. */
uint32_t _byteswap_ulong(uint32_t value);

/* Same as _byteswap_ushort. */
uint64_t _byteswap_uint64(uint64_t value);

/* ---- Environment ---- */

/*
 * *needed is the size with the zero, or 0 if the variable is not set. Returns ERANGE if the buffer
 * is too small.
 */
errno_t getenv_s(size_t *needed, char *buffer, size_t size, const char *name);

/* The caller frees *buffer, which is NULL if the variable is not set. */
errno_t _dupenv_s(char **buffer, size_t *size, const char *name);

/* An empty value removes the variable. */
errno_t _putenv_s(const char *name, const char *value);

/* Copies the text NAME=VALUE, unlike putenv(). */
int _putenv(const char *text);

/*
 * Returns the absolute path, allocated if `buffer` is NULL. Returns NULL if there is no such file;
 * Windows does not check that.
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
