/* <malloc.h> of Linux, and functions for aligned memory under their Windows names. */
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

/*
 * Allocates memory at a multiple of `alignment`. Fails with EINVAL if `alignment` is not a power of
 * 2. Free the memory with _aligned_free only.
 */
void *_aligned_malloc(size_t size, size_t alignment);

/*
 * Changes the size of aligned memory. Pass the alignment of the first allocation. A size of 0 frees
 * the memory.
 */
void *_aligned_realloc(void *memory, size_t size, size_t alignment);

/* Frees aligned memory; does nothing for NULL. */
void _aligned_free(void *memory);

/*
 * Returns the usable size of a block, which is at least the size that was allocated. Returns
 * (size_t)-1 if `memory` is NULL.
 */
size_t _msize(void *memory);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
