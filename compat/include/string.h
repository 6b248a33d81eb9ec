/* <string.h>, and what Windows adds to it. */
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

/* The copy is to be freed; NULL: no memory, or no text. */
char *_strdup(const char *text);

/* Without regard to case, in ASCII. */
int _stricmp(const char *a, const char *b);

/* At most `count` bytes. */
int _strnicmp(const char *a, const char *b, size_t count);

/* As _stricmp, of memory. */
int _memicmp(const void *a, const void *b, size_t count);

/* In place; ASCII. */
char *_strlwr(char *text);

/* In place; ASCII. */
char *_strupr(char *text);

/* In place. */
char *_strrev(char *text);

/* The ..._s functions return an errno value, EINVAL or ERANGE, and leave an empty text; Windows ends the program. */
errno_t strcpy_s(char *to, size_t size, const char *from);

/* Behind the text that is there; EINVAL when that has no end. */
errno_t strcat_s(char *to, size_t size, const char *from);

/* With _TRUNCATE: what fits, and STRUNCATE when that was not all. */
errno_t strncpy_s(char *to, size_t size, const char *from, size_t count);

/* As strcat_s, at most `count`. */
errno_t strncat_s(char *to, size_t size, const char *from, size_t count);

/* 0 for NULL. */
size_t strnlen_s(const char *text, size_t size);

/* As strtok_r. */
char *strtok_s(char *text, const char *separators, char **state);

/* As much of the text as fits. */
errno_t strerror_s(char *buffer, size_t size, int error);

/* When it does not fit: ERANGE, and memcpy_s clears the buffer. */
errno_t memcpy_s(void *to, size_t size, const void *from, size_t count);

/* As memcpy_s, and nothing is cleared. */
errno_t memmove_s(void *to, size_t size, const void *from, size_t count);

#ifdef __cplusplus
}

/* With an array the size need not be said. */
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
