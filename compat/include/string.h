/* <string.h> of Linux, and functions that Windows adds to this header. */
#include_next <string.h>

#if !defined(COMPAT_STRING_H) && (defined(_STRING_H) || defined(_STRING_H_))
#define COMPAT_STRING_H

#include "corecrt.h"

#ifndef _TRUNCATE
#define _TRUNCATE ((size_t)-1)
#endif

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns a copy of `text`, or NULL if memory is short or `text` is NULL. The caller frees the
 * copy.
 */
char *_strdup(const char *text);

/* Compares two texts without regard to the case of ASCII letters. */
int _stricmp(const char *a, const char *b);

/*
 * _stricmp with a limit: compares at most `count` bytes of two texts without regard to the case of
 * ASCII letters.
 */
int _strnicmp(const char *a, const char *b, size_t count);

/* Compares `count` bytes of memory without regard to the case of ASCII letters. */
int _memicmp(const void *a, const void *b, size_t count);

/* Changes upper-case ASCII letters to lower case, in place, and returns `text`. */
char *_strlwr(char *text);

/* Changes lower-case ASCII letters to upper case, in place, and returns `text`. */
char *_strupr(char *text);

/* Reverses the order of the bytes in place and returns `text`. */
char *_strrev(char *text);

/*
 * Copies a text into a buffer of `size` bytes. If the text does not fit, stores an empty text and
 * returns ERANGE; on Windows the program ends. Returns EINVAL if a pointer is NULL.
 */
errno_t strcpy_s(char *to, size_t size, const char *from);

/*
 * Appends a text to the text in a buffer of `size` bytes. Returns ERANGE if the text does not fit.
 * Returns EINVAL if the buffer contains no terminating zero. After an error the buffer holds an
 * empty text.
 */
errno_t strcat_s(char *to, size_t size, const char *from);

/*
 * Copies at most `count` bytes of a text and adds a terminating zero. If the bytes do not fit,
 * stores an empty text and returns ERANGE. If `count` is _TRUNCATE, copies as many bytes as fit,
 * and returns STRUNCATE if the text was cut.
 */
errno_t strncpy_s(char *to, size_t size, const char *from, size_t count);

/*
 * strcat_s with a limit: appends at most `count` bytes of a text. If `count` is _TRUNCATE, appends
 * as many bytes as fit, and returns STRUNCATE if the text was cut.
 */
errno_t strncat_s(char *to, size_t size, const char *from, size_t count);

/* Returns the length of a text, at most `size`; 0 if `text` is NULL. */
size_t strnlen_s(const char *text, size_t size);

/* Splits a text at separators, as strtok_r() does: each call returns the next part. */
char *strtok_s(char *text, const char *separators, char **state);

/* Stores the text that describes an errno value, cut to the size of the buffer. */
errno_t strerror_s(char *buffer, size_t size, int error);

/* Copies `count` bytes. If the bytes do not fit, clears the buffer and returns ERANGE. */
errno_t memcpy_s(void *to, size_t size, const void *from, size_t count);

/*
 * Copies `count` bytes between buffers that may overlap. If the bytes do not fit, returns ERANGE
 * and does not change `to`.
 */
errno_t memmove_s(void *to, size_t size, const void *from, size_t count);

#ifdef __cplusplus
}

/* The following C++ overloads take an array as the buffer and deduce the size N of the array. */
extern "C++" {
template <size_t N> inline errno_t strcpy_s(char (&to)[N], const char *from)
{
	return strcpy_s(to, N, from);
}
template <size_t N> inline errno_t strcat_s(char (&to)[N], const char *from)
{
	return strcat_s(to, N, from);
}
template <size_t N> inline errno_t strncpy_s(char (&to)[N], const char *from, size_t count)
{
	return strncpy_s(to, N, from, count);
}
template <size_t N> inline errno_t strncat_s(char (&to)[N], const char *from, size_t count)
{
	return strncat_s(to, N, from, count);
}
}
#endif
#pragma GCC visibility pop

#endif
