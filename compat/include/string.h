/* <string.h> and what Windows adds to it. */
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

/* Returns a copy that the caller frees; NULL if memory is short or `text` is NULL. */
char *_strdup(const char *text);

/* Compares without regard to the case of ASCII letters. */
int _stricmp(const char *a, const char *b);

/* Same as _stricmp, for at most `count` bytes. */
int _strnicmp(const char *a, const char *b, size_t count);

/* Same as _stricmp, for `count` bytes of memory. */
int _memicmp(const void *a, const void *b, size_t count);

/* Changes ASCII letters in place. */
char *_strlwr(char *text);

/* Changes ASCII letters in place. */
char *_strupr(char *text);

/* Reverses the text in place. */
char *_strrev(char *text);

/*
 * On failure the ..._s functions return EINVAL or ERANGE and leave an empty text; Windows ends the
 * program.
 */
errno_t strcpy_s(char *to, size_t size, const char *from);

/* Appends to the text in the buffer. Returns EINVAL if that text has no zero within `size`. */
errno_t strcat_s(char *to, size_t size, const char *from);

/* With _TRUNCATE copies what fits and returns STRUNCATE if the text was cut. */
errno_t strncpy_s(char *to, size_t size, const char *from, size_t count);

/* Same as strcat_s, for at most `count` characters. */
errno_t strncat_s(char *to, size_t size, const char *from, size_t count);

/* Returns 0 for NULL. */
size_t strnlen_s(const char *text, size_t size);

/* Same as strtok_r(). */
char *strtok_s(char *text, const char *separators, char **state);

/* Cuts the text to the buffer. */
errno_t strerror_s(char *buffer, size_t size, int error);

/* If the bytes do not fit, clears the buffer and returns ERANGE. */
errno_t memcpy_s(void *to, size_t size, const void *from, size_t count);

/* Same as memcpy_s, but a failure does not clear the buffer. */
errno_t memmove_s(void *to, size_t size, const void *from, size_t count);

#ifdef __cplusplus
}

/* In C++ the size of an array need not be passed. */
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
