/* open(), fopen() and their relatives. Owns nothing; any thread may call. */
#include "preload/next.h"
#include "preload/paths.h"
#include "preload/rdma_cm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The third argument of open(), which exists only with these flags. */
#define MODE_OF(flags)                                                     \
	({                                                                 \
		mode_t mode_ = 0;                                          \
		if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) { \
			va_list rest_;                                     \
			va_start(rest_, flags);                            \
			mode_ = va_arg(rest_, mode_t);                     \
			va_end(rest_);                                     \
		}                                                          \
		mode_;                                                     \
	})

/* Returns a descriptor, -1 with errno, or PRELOAD_NOT_OURS. */
static int open_ours(const char *path, int flags)
{
	int fd = preload_cm_open(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : preload_path_open(path, flags);
}

PRELOAD_REPLACES int open(const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(open)(path, flags, mode);
}

PRELOAD_REPLACES int open64(const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(open64)(path, flags, mode);
}

PRELOAD_REPLACES int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(openat)(dir, path, flags, mode);
}

PRELOAD_REPLACES int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(openat64)(dir, path, flags, mode);
}

PRELOAD_REPLACES int __open_2(const char *path, int flags)
{
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(__open_2)(path, flags);
}

PRELOAD_REPLACES int __open64_2(const char *path, int flags)
{
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(__open64_2)(path, flags);
}

PRELOAD_REPLACES int __openat_2(int dir, const char *path, int flags)
{
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(__openat_2)(dir, path, flags);
}

PRELOAD_REPLACES int __openat64_2(int dir, const char *path, int flags)
{
	int fd = open_ours(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(__openat64_2)(dir, path, flags);
}

/* Returns a stream for a path that preload_path_may_be_ours(), or NULL with errno. Sets *ours to
 * false if the path is not softrnic's. */
static FILE *stream_of(const char *path, const char *mode, bool *ours)
{
	int flags = strpbrk(mode, "wa+") != NULL ? O_RDWR : O_RDONLY;
	int fd = preload_path_open(path, flags | (strchr(mode, 'e') != NULL ? O_CLOEXEC : 0));
	FILE *f;

	*ours = fd != PRELOAD_NOT_OURS;
	if (fd < 0)
		return NULL;
	f = fdopen(fd, mode);
	if (f == NULL)
		NEXT(close)(fd);
	return f;
}

PRELOAD_REPLACES FILE *fopen(const char *path, const char *mode)
{
	bool ours = preload_path_may_be_ours(path);
	FILE *f = ours ? stream_of(path, mode, &ours) : NULL;

	return ours ? f : NEXT(fopen)(path, mode);
}

PRELOAD_REPLACES FILE *fopen64(const char *path, const char *mode)
{
	bool ours = preload_path_may_be_ours(path);
	FILE *f = ours ? stream_of(path, mode, &ours) : NULL;

	return ours ? f : NEXT(fopen64)(path, mode);
}
