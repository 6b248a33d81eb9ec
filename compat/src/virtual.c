/*
 * Which pages are reserved and committed, and how are they protected (VirtualAlloc)? A reservation
 * is a mapping without access rights. This file owns the list of reservations, with one lock, and
 * the state of each reserved page. The kernel's list of mappings gives the state of other memory.
 * Any thread may call the functions.
 */
#include "last_error.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memoryapi.h>

#define GRANULARITY  ((uintptr_t)0x10000)
#define HIGHEST	     ((uintptr_t)0x7FFFFFFF0000)
#define THIS_PROCESS ((HANDLE)(LONG_PTR)-1)

struct reservation {
	struct reservation *next;
	uintptr_t start, end;
	DWORD protect; /* protection given to VirtualAlloc to reserve the range */
	bool large;
	/*
	 * Protection of each page, or 0 if the page is not committed. The array is needed because
	 * the kernel cannot tell an uncommitted page from a committed page without access rights.
	 * The array is a separate mapping; its untouched parts use no memory.
	 */
	uint8_t *pages;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations;

static uintptr_t page_size(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static uintptr_t round_down(uintptr_t at, uintptr_t unit)
{
	return at / unit * unit;
}

/*
 * Rounds the start of a range down to a multiple of `unit`, and the end up to a page. Returns false
 * if the range is empty or exceeds the address space.
 */
static bool page_range(uintptr_t at, size_t bytes, uintptr_t unit, uintptr_t *start, uintptr_t *end)
{
	uintptr_t sum;

	if (__builtin_add_overflow(at, bytes, &sum) ||
	    __builtin_add_overflow(sum, page_size() - 1, &sum))
		return false;
	*start = round_down(at, unit);
	*end = round_down(sum, page_size());
	return *start < *end;
}

/* Returns the PROT_... flags for a PAGE_... constant; -1 for an unknown constant. */
static int native_protection(DWORD protect)
{
	switch (protect) {
	case PAGE_NOACCESS:
		return PROT_NONE;
	case PAGE_READONLY:
		return PROT_READ;
	case PAGE_READWRITE:
	case PAGE_WRITECOPY:
		return PROT_READ | PROT_WRITE;
	case PAGE_EXECUTE:
		return PROT_EXEC;
	case PAGE_EXECUTE_READ:
		return PROT_READ | PROT_EXEC;
	case PAGE_EXECUTE_READWRITE:
	case PAGE_EXECUTE_WRITECOPY:
		return PROT_READ | PROT_WRITE | PROT_EXEC;
	default:
		return -1;
	}
}

static struct reservation *find(uintptr_t at)
{
	for (struct reservation *r = reservations; r; r = r->next)
		if (at >= r->start && at < r->end)
			return r;
	return NULL;
}

static uint8_t *page_of(const struct reservation *r, uintptr_t at)
{
	return &r->pages[(at - r->start) / page_size()];
}

static LPVOID refuse(DWORD error)
{
	compat_fail(error);
	return NULL;
}

/* ---- Allocation ----------------------------------------------------------------------------- */

static size_t states_bytes(size_t bytes)
{
	return bytes / page_size() + 1;
}

static struct reservation *remember(uintptr_t start, uintptr_t end, DWORD protect, bool large)
{
	struct reservation *r = calloc(1, sizeof(*r));
	void *pages = r ? mmap(NULL, states_bytes(end - start), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
			: MAP_FAILED;

	if (pages == MAP_FAILED) {
		free(r);
		return NULL;
	}
	*r = (struct reservation){reservations, start, end, protect, large, pages};
	reservations = r;
	return r;
}

/*
 * Maps `bytes` bytes at a multiple of GRANULARITY. First maps GRANULARITY bytes more, then unmaps
 * the excess at both ends.
 */
static uintptr_t map_anywhere(size_t bytes)
{
	size_t more;

	if (__builtin_add_overflow(bytes, GRANULARITY, &more))
		return 0;
	void *map = mmap(NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return 0;
	uintptr_t start = round_down((uintptr_t)map + GRANULARITY - 1, GRANULARITY);
	size_t before = start - (uintptr_t)map, behind = more - before - bytes;

	if (before)
		munmap(map, before);
	if (behind)
		munmap((void *)(start + bytes), behind);
	return start;
}

static struct reservation *reserve(uintptr_t at, size_t bytes, DWORD protect)
{
	uintptr_t start = 0, end, unused;

	if (!page_range(at, bytes, GRANULARITY, &start, &end) ||
	    !page_range(at, bytes, page_size(), &unused, &end)) {
		refuse(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	size_t size = end - start;

	if (at) {
		void *map = mmap((void *)start, size, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				 -1, 0);

		if (map == MAP_FAILED) {
			refuse(ERROR_INVALID_ADDRESS);
			return NULL;
		}
		start = (uintptr_t)map;
	} else {
		start = map_anywhere(size);
	}
	struct reservation *r = start ? remember(start, start + size, protect, false) : NULL;

	if (start && !r)
		munmap((void *)start, size);
	if (!r)
		refuse(ERROR_NOT_ENOUGH_MEMORY);
	return r;
}

static LPVOID commit(struct reservation *r, uintptr_t at, size_t bytes, DWORD protect)
{
	uintptr_t start, end;

	if (!r || !page_range(at, bytes, page_size(), &start, &end) || end > r->end)
		return refuse(ERROR_INVALID_ADDRESS);
	if (mprotect((void *)start, end - start, native_protection(protect)) != 0)
		return refuse(errno == ENOMEM ? ERROR_NOT_ENOUGH_MEMORY : ERROR_ACCESS_DENIED);
	memset(page_of(r, start), (int)protect, (end - start) / page_size());
	return (LPVOID)start;
}

static LPVOID allocate_large(SIZE_T bytes, DWORD type, DWORD protect)
{
	SIZE_T unit = GetLargePageMinimum();

	if (unit == 0)
		return refuse(ERROR_NO_SYSTEM_RESOURCES);
	if (bytes % unit || (type & (MEM_RESERVE | MEM_COMMIT)) != (MEM_RESERVE | MEM_COMMIT))
		return refuse(ERROR_INVALID_PARAMETER);
	void *map = mmap(NULL, bytes, native_protection(protect),
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	struct reservation *r = NULL;

	if (map == MAP_FAILED)
		return refuse(ERROR_NO_SYSTEM_RESOURCES);
	r = remember((uintptr_t)map, (uintptr_t)map + bytes, protect, true);
	if (!r) {
		munmap(map, bytes);
		return refuse(ERROR_NOT_ENOUGH_MEMORY);
	}
	memset(r->pages, (int)protect, bytes / page_size());
	return map;
}

static void forget(struct reservation *r)
{
	for (struct reservation **at = &reservations; *at; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	munmap(r->pages, states_bytes(r->end - r->start));
	free(r);
}

static LPVOID allocate(uintptr_t at, SIZE_T bytes, DWORD type, DWORD protect)
{
	struct reservation *r = find(at);

	if (type & MEM_LARGE_PAGES)
		return allocate_large(bytes, type, protect);
	if (!(type & MEM_RESERVE) && at)
		return commit(r, at, bytes, protect);
	r = reserve(at, bytes, protect);
	if (!r)
		return NULL;
	uintptr_t start = r->start;

	if (!(type & MEM_COMMIT))
		return (LPVOID)start;
	if (commit(r, start, r->end - r->start, protect))
		return (LPVOID)start;
	munmap((void *)start, r->end - r->start);
	forget(r);
	return NULL;
}

LPVOID VirtualAlloc(LPVOID address, SIZE_T bytes, DWORD type, DWORD protect)
{
	const DWORD known = MEM_RESERVE | MEM_COMMIT | MEM_TOP_DOWN | MEM_LARGE_PAGES;

	if (bytes == 0 || (type & ~known) || !(type & (MEM_RESERVE | MEM_COMMIT)) ||
	    native_protection(protect) < 0)
		return refuse(ERROR_INVALID_PARAMETER);
	pthread_mutex_lock(&lock);
	LPVOID result = allocate((uintptr_t)address, bytes, type, protect);

	pthread_mutex_unlock(&lock);
	return result;
}

static BOOL decommit(struct reservation *r, uintptr_t at, SIZE_T bytes)
{
	uintptr_t start = r->start, end = r->end;

	if (r->large || (bytes == 0 && at != r->start))
		return compat_fail(ERROR_INVALID_ADDRESS);
	if (bytes && (!page_range(at, bytes, page_size(), &start, &end) || end > r->end))
		return compat_fail(ERROR_INVALID_PARAMETER);
	/*
	 * Map new pages in place of the old ones: after the next commit the contents of the pages
	 * must be zero.
	 */
	if (mmap((void *)start, end - start, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		return compat_fail(ERROR_NOT_ENOUGH_MEMORY);
	memset(page_of(r, start), 0, (end - start) / page_size());
	return TRUE;
}

BOOL VirtualFree(LPVOID address, SIZE_T bytes, DWORD type)
{
	uintptr_t at = (uintptr_t)address;
	BOOL done = FALSE;

	if ((type != MEM_DECOMMIT && type != MEM_RELEASE) || (type == MEM_RELEASE && bytes))
		return compat_fail(ERROR_INVALID_PARAMETER);
	pthread_mutex_lock(&lock);
	struct reservation *r = find(at);

	if (!r || (type == MEM_RELEASE && at != r->start)) {
		compat_fail(ERROR_INVALID_ADDRESS);
	} else if (type == MEM_DECOMMIT) {
		done = decommit(r, at, bytes);
	} else {
		munmap((void *)r->start, r->end - r->start);
		forget(r);
		done = TRUE;
	}
	pthread_mutex_unlock(&lock);
	return done;
}

/* ---- Queries and changes of protection ------------------------------------------------------ */

static DWORD protection_of(const char *mode)
{
	static const DWORD table[] = {
		PAGE_NOACCESS, PAGE_READONLY,	  PAGE_READWRITE,	  PAGE_READWRITE,
		PAGE_EXECUTE,  PAGE_EXECUTE_READ, PAGE_EXECUTE_READWRITE, PAGE_EXECUTE_READWRITE};

	return table[(mode[0] == 'r') + 2 * (mode[1] == 'w') + 4 * (mode[2] == 'x')];
}

struct mapping {
	uintptr_t start, end;
	DWORD protect;
	bool there, file;
};

/*
 * Returns the kernel's mapping that contains the address. If no mapping contains the address,
 * returns the gap between the mappings before and after the address.
 */
static struct mapping ask(uintptr_t at)
{
	struct mapping m = {.end = HIGHEST};
	char line[4352], mode[5];
	unsigned long start, end, inode;
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &start, &end, mode, &inode) != 4)
			continue;
		if (start > at) {
			if (start < HIGHEST)
				m.end = start;
			break;
		}
		m.start = end;
		if (at >= end)
			continue;
		m = (struct mapping){start, end, protection_of(mode), true, inode != 0};
		break;
	}
	if (maps)
		fclose(maps);
	return m;
}

static MEMORY_BASIC_INFORMATION of_reservation(const struct reservation *r, uintptr_t at)
{
	uint8_t state = *page_of(r, at);
	uintptr_t end = at;

	while (end < r->end && *page_of(r, end) == state)
		end += page_size();
	return (MEMORY_BASIC_INFORMATION){
		.BaseAddress = (PVOID)at,
		.AllocationBase = (PVOID)r->start,
		.AllocationProtect = r->protect,
		.RegionSize = end - at,
		.State = state ? MEM_COMMIT : MEM_RESERVE,
		.Protect = state,
		.Type = MEM_PRIVATE,
	};
}

static MEMORY_BASIC_INFORMATION of_mapping(const struct mapping *m, uintptr_t at)
{
	MEMORY_BASIC_INFORMATION info = {.BaseAddress = (PVOID)at,
					 .RegionSize = m->end - at,
					 .State = MEM_FREE,
					 .Protect = PAGE_NOACCESS};

	if (!m->there)
		return info;
	info.AllocationBase = (PVOID)m->start;
	info.AllocationProtect = info.Protect = m->protect;
	info.State = MEM_COMMIT;
	info.Type = m->file ? MEM_MAPPED : MEM_PRIVATE;
	return info;
}

SIZE_T VirtualQuery(LPCVOID address, MEMORY_BASIC_INFORMATION *information, SIZE_T bytes)
{
	uintptr_t at = round_down((uintptr_t)address, page_size());

	if (!information || bytes < sizeof(*information)) {
		compat_fail(ERROR_BAD_LENGTH);
		return 0;
	}
	pthread_mutex_lock(&lock);
	struct reservation *r = find(at);

	if (r)
		*information = of_reservation(r, at);
	pthread_mutex_unlock(&lock);
	if (!r) {
		struct mapping m = ask(at);

		if (at >= m.end) {
			compat_fail(ERROR_INVALID_PARAMETER);
			return 0;
		}
		*information = of_mapping(&m, at);
	}
	return sizeof(*information);
}

static BOOL protect_reserved(struct reservation *r, uintptr_t start, uintptr_t end, DWORD protect,
			     DWORD *old)
{
	for (uintptr_t at = start; at < end; at += page_size())
		if (at >= r->end || *page_of(r, at) == 0)
			return compat_fail(ERROR_INVALID_ADDRESS);
	*old = *page_of(r, start);
	if (mprotect((void *)start, end - start, native_protection(protect)) != 0)
		return compat_fail(ERROR_INVALID_ADDRESS);
	memset(page_of(r, start), (int)protect, (end - start) / page_size());
	return TRUE;
}

BOOL VirtualProtect(LPVOID address, SIZE_T bytes, DWORD protect, DWORD *old)
{
	uintptr_t start, end;
	BOOL done;

	if (!old)
		return compat_fail(ERROR_NOACCESS);
	if (native_protection(protect) < 0 || bytes == 0 ||
	    !page_range((uintptr_t)address, bytes, page_size(), &start, &end))
		return compat_fail(ERROR_INVALID_PARAMETER);
	pthread_mutex_lock(&lock);
	struct reservation *r = find(start);

	if (r) {
		done = protect_reserved(r, start, end, protect, old);
	} else {
		struct mapping m = ask(start);

		done = m.there &&
		       mprotect((void *)start, end - start, native_protection(protect)) == 0;
		if (done)
			*old = m.protect;
		else
			compat_fail(ERROR_INVALID_ADDRESS);
	}
	pthread_mutex_unlock(&lock);
	return done;
}

/* ---- Locking, other processes, large pages -------------------------------------------------- */

BOOL VirtualLock(LPVOID address, SIZE_T bytes)
{
	/*
	 * mlock() fails with ENOMEM if the limit for locked memory would be exceeded, and also if a
	 * page is not mapped. To tell these two cases apart, check whether the first page is
	 * mapped. The other pages are not checked.
	 */
	if (mlock(address, bytes) == 0)
		return TRUE;
	return compat_fail(ask((uintptr_t)address).there ? ERROR_WORKING_SET_QUOTA
							 : ERROR_NOACCESS);
}

BOOL VirtualUnlock(LPVOID address, SIZE_T bytes)
{
	return munlock(address, bytes) == 0 ? TRUE : compat_fail(ERROR_NOT_LOCKED);
}

LPVOID VirtualAllocEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect)
{
	return process == THIS_PROCESS ? VirtualAlloc(address, bytes, type, protect)
				       : refuse(ERROR_INVALID_HANDLE);
}

LPVOID VirtualAllocExNuma(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect,
			  DWORD node)
{
	(void)node;
	return VirtualAllocEx(process, address, bytes, type, protect);
}

BOOL VirtualFreeEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type)
{
	return process == THIS_PROCESS ? VirtualFree(address, bytes, type)
				       : compat_fail(ERROR_INVALID_HANDLE);
}

SIZE_T GetLargePageMinimum(void)
{
	char line[256];
	unsigned long long kilobytes = 0;
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Hugepagesize: %llu", &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return (SIZE_T)kilobytes * 1024;
}

PVOID SecureZeroMemory(PVOID memory, SIZE_T bytes)
{
	explicit_bzero(memory, bytes);
	return memory;
}
