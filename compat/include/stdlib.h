/* <stdlib.h>, and what Windows adds to it. strtol and its family keep the 64-bit `long` of Linux. */
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

/* Returns the buffer, which has room. */
char *_itoa(int value, char *buffer, int base);

/* As _itoa. */
char *_i64toa(int64_t value, char *buffer, int base);

/* As _itoa. */
char *_ui64toa(uint64_t value, char *buffer, int base);

/* EINVAL or ERANGE leave an empty text. */
errno_t _itoa_s(int value, char *buffer, size_t size, int base);

/* Of the low 32 bits. */
errno_t _ltoa_s(long value, char *buffer, size_t size, int base);

/* Of the low 32 bits. */
errno_t _ultoa_s(unsigned long value, char *buffer, size_t size, int base);

/* As _itoa_s. */
errno_t _i64toa_s(int64_t value, char *buffer, size_t size, int base);

/* As _itoa_s. */
errno_t _ui64toa_s(uint64_t value, char *buffer, size_t size, int base);

/* 0 for what is no number. */
int64_t _atoi64(const char *text);

/* As strtoll; 0 and EINVAL for NULL. */
int64_t _strtoi64(const char *text, char **end, int base);

/* As strtoull; 0 and EINVAL for NULL. */
uint64_t _strtoui64(const char *text, char **end, int base);

/* ---- Bits ---- */

/* The bytes in the other order. */
unsigned short _byteswap_ushort(unsigned short value);

/* As _byteswap_ushort. */
uint32_t _byteswap_ulong(uint32_t value);

/* As _byteswap_ushort. */
uint64_t _byteswap_uint64(uint64_t value);

/* ---- Environment ---- */

/* *needed counts the zero, and is 0 when the variable is not set. ERANGE: the buffer is too small. */
errno_t getenv_s(size_t *needed, char *buffer, size_t size, const char *name);

/* *buffer is to be freed, or NULL when the variable is not set. */
errno_t _dupenv_s(char **buffer, size_t *size, const char *name);

/* An empty value takes the variable away. */
errno_t _putenv_s(const char *name, const char *value);

/* NAME=VALUE, which is copied. */
int _putenv(const char *text);

/* The whole path of a file that exists, to be freed if buffer was NULL. NULL when it does not exist: Windows does not look. */
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
