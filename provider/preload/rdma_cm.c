/* Which descriptors are those of /dev/infiniband/rdma_cm, and the calls that librdmacm and programs
 * make on them: fstat(), write(), close(), and what closes descriptors besides. poll(), fcntl() and
 * epoll need nothing, because the descriptors are pollable.
 *
 * A child of fork() has the descriptors and the marks, but not the connections: commands fail
 * there. In a child of vfork(), which shares the marks, calls go straight to the kernel. Any thread
 * may call these functions. */
#include "preload/rdma_cm.h"

#include "preload/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysmacros.h>

#define PATH	  "/dev/infiniband/rdma_cm"
#define SYSFS	  "/sys/class/misc/rdma_cm/dev"
#define MAX_FILES (1 << 20) /* descriptors from this number on are never softrnic's */
#define WORD_BITS 64

/* What softrnic's libibverbs exports for this library (ucma/file.h). */
typedef int open_device(int flags);
typedef ssize_t write_device(int fd, const void *command, size_t len);
typedef void close_device(int fd);
static open_device *_Atomic device_open;
static write_device *_Atomic device_write;
static close_device *_Atomic device_close;

_Atomic unsigned preload_cm_files;
static _Atomic uint64_t marks[MAX_FILES / WORD_BITS]; /* untouched pages take no memory */
static _Atomic pid_t owner;			      /* the process that the marks belong to */

static uint64_t bit(int fd)
{
	return UINT64_C(1) << (fd % WORD_BITS);
}

bool preload_cm_is_marked(int fd)
{
	return fd >= 0 && fd < MAX_FILES &&
	       atomic_load_explicit(&marks[fd / WORD_BITS], memory_order_relaxed) & bit(fd) &&
	       atomic_load(&owner) == getpid();
}

/* ---- marks ---- */

static void set_mark(int fd)
{
	if (!(atomic_fetch_or(&marks[fd / WORD_BITS], bit(fd)) & bit(fd)))
		atomic_fetch_add(&preload_cm_files, 1);
}

/* Returns false if the descriptor has no mark (any more): of several calls one gets true. */
static bool take_mark(int fd)
{
	if (!(atomic_fetch_and(&marks[fd / WORD_BITS], ~bit(fd)) & bit(fd)))
		return false;
	atomic_fetch_sub(&preload_cm_files, 1);
	return true;
}

static void own_marks(void)
{
	atomic_store(&owner, getpid());
}

/* Tells softrnic's library that a descriptor is about to be closed. */
static void forget(int fd)
{
	int before = errno;

	if (preload_cm_is_marked(fd) && take_mark(fd))
		atomic_load (&device_close)(fd);
	errno = before;
}

static void forget_range(unsigned first, unsigned last)
{
	for (unsigned fd = first; atomic_load(&preload_cm_files) && fd <= last && fd < MAX_FILES;
	     fd++) {
		if (atomic_load_explicit(&marks[fd / WORD_BITS], memory_order_relaxed) == 0)
			fd |= WORD_BITS - 1; /* the next word */
		else
			forget((int)fd);
	}
}

/* ---- opening ---- */

/* Looks for softrnic's libibverbs among the libraries that are loaded. A program of librdmacm has
 * one loaded, perhaps another than softrnic's. Returns false if softrnic's is not there. */
static bool find_library(void)
{
	void *library;

	if (atomic_load(&device_open) != NULL)
		return true;
	library = dlopen("libibverbs.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (library == NULL)
		return false;
	atomic_store(&device_write, (write_device *)dlsym(library, "softrnic_ucma_write"));
	atomic_store(&device_close, (close_device *)dlsym(library, "softrnic_ucma_close"));
	atomic_store(&device_open, (open_device *)dlsym(library, "softrnic_ucma_open"));
	return atomic_load(&device_open) != NULL;
}

static void watch_forks(void)
{
	own_marks();
	pthread_atfork(NULL, NULL, own_marks);
}

static int open_device_file(int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int fd;

	pthread_once(&once, watch_forks);
	fd = atomic_load(&device_open)(flags);
	if (fd < 0)
		return errno == ENODEV ? PRELOAD_NOT_OURS : -1;
	if (fd >= MAX_FILES) {
		atomic_load (&device_close)(fd);
		NEXT(close)(fd);
		errno = EMFILE;
		return -1;
	}
	set_mark(fd);
	return fd;
}

int preload_cm_open(const char *path, int flags)
{
	int before = errno, fd;

	if (path == NULL || strcmp(path, PATH) != 0 || !find_library())
		return PRELOAD_NOT_OURS;
	fd = open_device_file(flags);
	if (fd == PRELOAD_NOT_OURS)
		errno = before;
	return fd;
}

/* ---- calls on open descriptors ---- */

PRELOAD_REPLACES ssize_t write(int fd, const void *buf, size_t n)
{
	return preload_cm_owns(fd) ? atomic_load(&device_write)(fd, buf, n)
				   : NEXT(write)(fd, buf, n);
}

/* Returns the number of the kernel's own rdma_cm device, or that of a misc device without a fixed
 * number if the kernel has none. librdmacm asks the kernel for the number over netlink, which may
 * load the kernel's module, and then accepts no other number. */
static dev_t device_number(void)
{
	struct stat st;
	unsigned major, minor;
	char text[16];
	ssize_t n;
	int fd;

	fd = NEXT(open)(SYSFS, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		NEXT(close)(fd);
		text[n > 0 ? n : 0] = '\0';
		if (sscanf(text, "%u:%u", &major, &minor) == 2)
			return makedev(major, minor);
	}
	if (NEXT(stat)(PATH, &st) == 0 && S_ISCHR(st.st_mode))
		return st.st_rdev;
	return makedev(10, 255);
}

/* Makes the result of fstat() that of a character device; librdmacm takes nothing else. */
static int as_device(int rc, mode_t *mode, dev_t *rdev)
{
	int before = errno;

	if (rc == 0) {
		*mode = S_IFCHR | 0666;
		*rdev = device_number();
		errno = before;
	}
	return rc;
}

PRELOAD_REPLACES int fstat(int fd, struct stat *st)
{
	int rc = NEXT(fstat)(fd, st);

	return preload_cm_owns(fd) ? as_device(rc, &st->st_mode, &st->st_rdev) : rc;
}

PRELOAD_REPLACES int fstat64(int fd, struct stat64 *st)
{
	int rc = NEXT(fstat64)(fd, st);

	return preload_cm_owns(fd) ? as_device(rc, &st->st_mode, &st->st_rdev) : rc;
}

/* See stat.c: __xstat(). */
PRELOAD_REPLACES int __fxstat(int version, int fd, struct stat *st)
{
	return fstat(fd, st);
}

PRELOAD_REPLACES int __fxstat64(int version, int fd, struct stat64 *st)
{
	return fstat64(fd, st);
}

PRELOAD_REPLACES int close(int fd)
{
	if (preload_cm_owns(fd))
		forget(fd);
	return NEXT(close)(fd);
}

PRELOAD_REPLACES int dup2(int from, int to)
{
	if (from != to && preload_cm_owns(to))
		forget(to);
	return NEXT(dup2)(from, to);
}

PRELOAD_REPLACES int dup3(int from, int to, int flags)
{
	if (from != to && preload_cm_owns(to))
		forget(to);
	return NEXT(dup3)(from, to, flags);
}

PRELOAD_REPLACES int close_range(unsigned first, unsigned last, int flags)
{
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		forget_range(first, last);
	return NEXT(close_range)(first, last, flags);
}

PRELOAD_REPLACES void closefrom(int first)
{
	forget_range(first > 0 ? (unsigned)first : 0, UINT_MAX);
	NEXT(closefrom)(first);
}
