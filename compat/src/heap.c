/*
 * Which heap does a block of memory belong to, and how large is the block (HeapAlloc, HeapSize)? A
 * header in front of each block gives the heap and the size. This file owns the heaps; each heap
 * has a lock. Each private heap has a list of its blocks, which HeapDestroy frees. Any thread may
 * call the functions.
 */
#include "last_error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <globalmem.h>
#include <heapapi.h>

#define HEAP_MAGIC UINT64_C(0x70616568736e646e)

struct block {
	struct block *next, *previous; /* links in the heap's list; unused in the process heap */
	struct heap *heap;
	size_t bytes;
};
_Static_assert(sizeof(struct block) % MEMORY_ALLOCATION_ALIGNMENT == 0,
	       "blocks keep the alignment of their headers");

struct heap {
	uint64_t magic;
	pthread_mutex_t lock;
	struct block all; /* head of the circular list of the heap's blocks */
};

static struct heap process_heap = {
	.magic = HEAP_MAGIC,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.all = {&process_heap.all, &process_heap.all, &process_heap, 0},
};

static struct heap *heap_of(HANDLE handle)
{
	struct heap *heap = handle;

	return heap && heap->magic == HEAP_MAGIC ? heap : NULL;
}

static struct block *block_of(struct heap *heap, LPCVOID memory)
{
	if (!heap || !memory || (uintptr_t)memory % MEMORY_ALLOCATION_ALIGNMENT)
		return NULL;
	struct block *block = (struct block *)(uintptr_t)memory - 1;

	return block->heap == heap ? block : NULL;
}

static void chain(struct heap *heap, struct block *block)
{
	if (heap == &process_heap)
		return;
	pthread_mutex_lock(&heap->lock);
	block->next = &heap->all;
	block->previous = heap->all.previous;
	block->previous->next = block->next->previous = block;
	pthread_mutex_unlock(&heap->lock);
}

static void unchain(struct heap *heap, struct block *block)
{
	if (heap == &process_heap)
		return;
	pthread_mutex_lock(&heap->lock);
	block->previous->next = block->next;
	block->next->previous = block->previous;
	pthread_mutex_unlock(&heap->lock);
}

HANDLE GetProcessHeap(void)
{
	return &process_heap;
}

HANDLE HeapCreate(DWORD flags, SIZE_T initial, SIZE_T most)
{
	struct heap *heap = calloc(1, sizeof(*heap));

	(void)flags, (void)initial, (void)most;
	if (!heap) {
		compat_fail(ERROR_NOT_ENOUGH_MEMORY);
		return NULL;
	}
	heap->magic = HEAP_MAGIC;
	pthread_mutex_init(&heap->lock, NULL);
	heap->all.next = heap->all.previous = &heap->all;
	return heap;
}

BOOL HeapDestroy(HANDLE handle)
{
	struct heap *heap = heap_of(handle);

	if (!heap || heap == &process_heap)
		return compat_fail(ERROR_INVALID_PARAMETER);
	for (struct block *block = heap->all.next, *next; block != &heap->all; block = next) {
		next = block->next;
		free(block);
	}
	heap->magic = 0;
	pthread_mutex_destroy(&heap->lock);
	free(heap);
	return TRUE;
}

LPVOID HeapAlloc(HANDLE handle, DWORD flags, SIZE_T bytes)
{
	struct heap *heap = heap_of(handle);
	size_t all;

	if (!heap || __builtin_add_overflow(bytes, sizeof(struct block), &all)) {
		compat_fail(heap ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
		return NULL;
	}
	struct block *block = flags & HEAP_ZERO_MEMORY ? calloc(1, all) : malloc(all);

	if (!block) {
		compat_fail(ERROR_NOT_ENOUGH_MEMORY);
		return NULL;
	}
	block->heap = heap;
	block->bytes = bytes;
	chain(heap, block);
	return block + 1;
}

LPVOID HeapReAlloc(HANDLE handle, DWORD flags, LPVOID memory, SIZE_T bytes)
{
	struct heap *heap = heap_of(handle);
	struct block *block = block_of(heap, memory);
	size_t all, had = block ? block->bytes : 0;

	if (!block) {
		compat_fail(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	if (__builtin_add_overflow(bytes, sizeof(*block), &all) ||
	    ((flags & HEAP_REALLOC_IN_PLACE_ONLY) && bytes > had)) {
		compat_fail(ERROR_NOT_ENOUGH_MEMORY);
		return NULL;
	}
	if (flags & HEAP_REALLOC_IN_PLACE_ONLY) {
		block->bytes = bytes;
		return memory;
	}
	unchain(heap, block);
	struct block *moved = realloc(block, all);

	if (!moved) {
		chain(heap, block);
		compat_fail(ERROR_NOT_ENOUGH_MEMORY);
		return NULL;
	}
	moved->bytes = bytes;
	chain(heap, moved);
	if ((flags & HEAP_ZERO_MEMORY) && bytes > had)
		memset((char *)(moved + 1) + had, 0, bytes - had);
	return moved + 1;
}

BOOL HeapFree(HANDLE handle, DWORD flags, LPVOID memory)
{
	struct heap *heap = heap_of(handle);
	struct block *block = block_of(heap, memory);

	(void)flags;
	if (heap && !memory)
		return TRUE;
	if (!block)
		return compat_fail(ERROR_INVALID_PARAMETER);
	unchain(heap, block);
	block->heap = NULL;
	free(block);
	return TRUE;
}

SIZE_T HeapSize(HANDLE handle, DWORD flags, LPCVOID memory)
{
	struct block *block = block_of(heap_of(handle), memory);

	(void)flags;
	if (!block)
		compat_fail(ERROR_INVALID_PARAMETER);
	return block ? block->bytes : (SIZE_T)-1;
}

BOOL HeapValidate(HANDLE handle, DWORD flags, LPCVOID memory)
{
	struct heap *heap = heap_of(handle);

	(void)flags;
	return heap && (!memory || block_of(heap, memory));
}

BOOL HeapSetInformation(HANDLE heap, HEAP_INFORMATION_CLASS kind, PVOID information, SIZE_T bytes)
{
	(void)heap, (void)kind, (void)information, (void)bytes;
	return TRUE;
}

/* ---- The Local... and Global... functions, which use the process heap ----------------------- */

static DWORD heap_flags(UINT flags)
{
	return flags & LMEM_ZEROINIT ? HEAP_ZERO_MEMORY : 0;
}

HLOCAL LocalAlloc(UINT flags, SIZE_T bytes)
{
	return HeapAlloc(&process_heap, heap_flags(flags), bytes);
}

HLOCAL LocalReAlloc(HLOCAL memory, SIZE_T bytes, UINT flags)
{
	return HeapReAlloc(&process_heap, heap_flags(flags), memory, bytes);
}

SIZE_T LocalSize(HLOCAL memory)
{
	SIZE_T bytes = HeapSize(&process_heap, 0, memory);

	return bytes == (SIZE_T)-1 ? 0 : bytes;
}

HLOCAL LocalFree(HLOCAL memory)
{
	return HeapFree(&process_heap, 0, memory) ? NULL : memory;
}

HGLOBAL GlobalAlloc(UINT flags, SIZE_T bytes)
{
	return LocalAlloc(flags, bytes);
}

HGLOBAL GlobalReAlloc(HGLOBAL memory, SIZE_T bytes, UINT flags)
{
	return LocalReAlloc(memory, bytes, flags);
}

SIZE_T GlobalSize(HGLOBAL memory)
{
	return LocalSize(memory);
}

HGLOBAL GlobalFree(HGLOBAL memory)
{
	return LocalFree(memory);
}

LPVOID GlobalLock(HGLOBAL memory)
{
	return memory;
}

BOOL GlobalUnlock(HGLOBAL memory)
{
	/*
	 * On Windows, FALSE with ERROR_SUCCESS means that the block is no longer locked. Here
	 * blocks are never locked.
	 */
	(void)memory;
	SetLastError(ERROR_SUCCESS);
	return FALSE;
}
