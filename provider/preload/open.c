/* open() and its relatives. Owns nothing; any thread may call. */
#include "preload/next.h"
#include "preload/rdma_cm.h"

#include <stdarg.h>

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

PRELOAD_REPLACES int open(const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = preload_cm_open(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(open)(path, flags, mode);
}

PRELOAD_REPLACES int open64(const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = preload_cm_open(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(open64)(path, flags, mode);
}

PRELOAD_REPLACES int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = preload_cm_open(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(openat)(dir, path, flags, mode);
}

PRELOAD_REPLACES int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);
	int fd = preload_cm_open(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(openat64)(dir, path, flags, mode);
}

PRELOAD_REPLACES int __open_2(const char *path, int flags)
{
	int fd = preload_cm_open(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(__open_2)(path, flags);
}

PRELOAD_REPLACES int __open64_2(const char *path, int flags)
{
	int fd = preload_cm_open(path, flags);

	return fd != PRELOAD_NOT_OURS ? fd : NEXT(__open64_2)(path, flags);
}
