/* <malloc.h>, and aligned memory under the names of Windows. */
#include_next <malloc.h>

#ifndef COMPAT_MALLOC_H
#define COMPAT_MALLOC_H

#include <alloca.h>
#include <stddef.h>

#define _alloca alloca

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* NULL, errno EINVAL: the alignment is no power of 2. To be freed with _aligned_free, and with nothing else. */
void *_aligned_malloc(size_t size, size_t alignment);

/* The alignment is that of the allocation; size 0 frees. */
void *_aligned_realloc(void *memory, size_t size, size_t alignment);

/* NULL is nothing to do. */
void _aligned_free(void *memory);

/* At least what was asked for; (size_t)-1 for NULL. */
size_t _msize(void *memory);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
