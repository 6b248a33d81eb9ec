/*
 * How is text copied and appended to a buffer of limited size (strcpy_s and its relatives)? Narrow
 * and wide text share the code. This file keeps no state. Any thread may call the functions.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* The destination of a copy: a buffer of `size` characters, for wide text if `wide` is true. */
struct buffer {
	void *at;
	size_t size;
	bool wide;
};

static wchar_t unit(const void *text, bool wide, size_t i)
{
	return wide ? ((const wchar_t *)text)[i] : ((const char *)text)[i];
}

static void put(const struct buffer *b, size_t i, wchar_t u)
{
	if (b->wide)
		((wchar_t *)b->at)[i] = u;
	else
		((char *)b->at)[i] = (char)u;
}

static errno_t refuse(const struct buffer *b, errno_t error)
{
	if (b->at && b->size > 0)
		put(b, 0, 0);
	errno = error;
	return error;
}

/*
 * Copies at most `count` characters of `from` to index `at` of the buffer and adds a terminating
 * zero. If `count` is _TRUNCATE, copies as many characters as fit.
 */
static errno_t place(const struct buffer *b, size_t at, const void *from, size_t count)
{
	if (!from && count > 0)
		return refuse(b, EINVAL);
	for (size_t i = 0;; i++, at++) {
		wchar_t u = i < count || count == _TRUNCATE ? unit(from, b->wide, i) : 0;

		if (u == 0) {
			put(b, at, 0);
			return 0;
		}
		if (at + 1 < b->size) {
			put(b, at, u);
			continue;
		}
		if (count != _TRUNCATE)
			return refuse(b, ERANGE);
		put(b, at, 0);
		return STRUNCATE;
	}
}

static errno_t copy(struct buffer b, const void *from, size_t count)
{
	if (!b.at || b.size == 0) {
		errno = EINVAL;
		return EINVAL;
	}
	return place(&b, 0, from, count);
}

static errno_t join(struct buffer b, const void *from, size_t count)
{
	size_t end = 0;

	if (!b.at || b.size == 0) {
		errno = EINVAL;
		return EINVAL;
	}
	while (end < b.size && unit(b.at, b.wide, end))
		end++;
	if (end == b.size)
		return refuse(&b, EINVAL);
	return place(&b, end, from, count);
}

#define NARROW ((struct buffer){to, size, false})
#define WIDE   ((struct buffer){to, size, true})
#define WHOLE  (SIZE_MAX - 1) /* value of `count`: copy the whole text, or fail if it is too long */

errno_t strcpy_s(char *to, size_t size, const char *from)
{
	return copy(NARROW, from, WHOLE);
}

errno_t strncpy_s(char *to, size_t size, const char *from, size_t count)
{
	return copy(NARROW, from, count);
}

errno_t strcat_s(char *to, size_t size, const char *from)
{
	return join(NARROW, from, WHOLE);
}

errno_t strncat_s(char *to, size_t size, const char *from, size_t count)
{
	return join(NARROW, from, count);
}

errno_t wcscpy_s(wchar_t *to, size_t size, const wchar_t *from)
{
	return copy(WIDE, from, WHOLE);
}

errno_t wcsncpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count)
{
	return copy(WIDE, from, count);
}

errno_t wcscat_s(wchar_t *to, size_t size, const wchar_t *from)
{
	return join(WIDE, from, WHOLE);
}

errno_t wcsncat_s(wchar_t *to, size_t size, const wchar_t *from, size_t count)
{
	return join(WIDE, from, count);
}

size_t strnlen_s(const char *text, size_t size)
{
	return text ? strnlen(text, size) : 0;
}

size_t wcsnlen_s(const wchar_t *text, size_t size)
{
	return text ? wcsnlen(text, size) : 0;
}

errno_t strerror_s(char *buffer, size_t size, int error)
{
	char text[256];

	return strncpy_s(buffer, size, strerror_r(error, text, sizeof(text)), _TRUNCATE) == EINVAL
		       ? EINVAL
		       : 0;
}

/* ---- Copying of memory ---------------------------------------------------------------------- */

static errno_t check_memory(void *to, size_t bytes, const void *from, size_t count, bool clear)
{
	errno_t error = !to || !from ? EINVAL : count > bytes ? ERANGE : 0;

	if (count == 0)
		return 0;
	if (error && to && clear)
		memset(to, 0, bytes);
	if (error)
		errno = error;
	return error;
}

errno_t memcpy_s(void *to, size_t size, const void *from, size_t count)
{
	errno_t error = check_memory(to, size, from, count, true);

	if (!error && count > 0)
		memcpy(to, from, count);
	return error;
}

errno_t memmove_s(void *to, size_t size, const void *from, size_t count)
{
	errno_t error = check_memory(to, size, from, count, false);

	if (!error && count > 0)
		memmove(to, from, count);
	return error;
}

errno_t wmemcpy_s(wchar_t *to, size_t size, const wchar_t *from, size_t count)
{
	size_t most = SIZE_MAX / sizeof(wchar_t);

	if (size > most || count > most)
		return ERANGE;
	return memcpy_s(to, size * sizeof(wchar_t), from, count * sizeof(wchar_t));
}

errno_t wmemmove_s(wchar_t *to, size_t size, const wchar_t *from, size_t count)
{
	size_t most = SIZE_MAX / sizeof(wchar_t);

	if (size > most || count > most)
		return ERANGE;
	return memmove_s(to, size * sizeof(wchar_t), from, count * sizeof(wchar_t));
}

/* ---- Aligned memory, which comes from posix_memalign() and is released by free() ------------ */

void *_aligned_malloc(size_t size, size_t alignment)
{
	void *memory = NULL;

	if (alignment == 0 || (alignment & (alignment - 1))) {
		errno = EINVAL;
		return NULL;
	}
	int error = posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment,
				   size ? size : 1);

	if (error) {
		errno = error;
		return NULL;
	}
	return memory;
}

void *_aligned_realloc(void *memory, size_t size, size_t alignment)
{
	if (memory && size == 0) {
		free(memory);
		return NULL;
	}
	void *moved = _aligned_malloc(size, alignment);

	if (moved && memory) {
		size_t had = malloc_usable_size(memory);

		memcpy(moved, memory, had < size ? had : size);
		free(memory);
	}
	return moved;
}

void _aligned_free(void *memory)
{
	free(memory);
}

size_t _msize(void *memory)
{
	return memory ? malloc_usable_size(memory) : (size_t)-1;
}
