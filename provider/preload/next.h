/* The functions that this library stands in front of, and how to call the real ones: those of the
 * library that the loader would have found without this one, usually libc.
 *
 * Rules for each function here: it must cost next to nothing for files that are not softrnic's,
 * change no errno that the real function does not change, and be callable from signal handlers and
 * in a child of vfork(), which shares the memory of its parent. */
#ifndef PRELOAD_NEXT_H
#define PRELOAD_NEXT_H

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Functions that programs call but headers do not declare: the checking forms of open(). */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
/* Functions that glibc has for programs built before version 2.33. */
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags);

/* clang-format off */
#define PRELOAD_ROWS(X) \
	X(open) X(open64) X(openat) X(openat64) \
	X(__open_2) X(__open64_2) X(__openat_2) X(__openat64_2) \
	X(fstat) X(fstat64) X(write) X(close) \
	X(dup2) X(dup3) X(close_range) X(closefrom) \
	X(fopen) X(fopen64) \
	X(stat) X(stat64) X(lstat) X(lstat64) X(fstatat) X(fstatat64) X(statx) X(access) X(faccessat) \
	X(eaccess) X(euidaccess) X(getxattr) X(lgetxattr) \
	X(opendir) X(closedir) X(readdir) X(readdir64) X(rewinddir) X(telldir) X(seekdir)
/* clang-format on */

struct preload_next {
#define X(name) __typeof__(&name) _Atomic name;
	PRELOAD_ROWS(X)
#undef X
};

/* Filled before the program starts; or earlier, by the first call that another library makes. */
extern struct preload_next preload_next;
void preload_fill_next(void);

/* The real function. */
#define NEXT(name)                                                                              \
	({                                                                                      \
		__typeof__(&name) next_ =                                                       \
			atomic_load_explicit(&preload_next.name, memory_order_relaxed);         \
		if (__builtin_expect(next_ == NULL, 0)) {                                       \
			preload_fill_next();                                                    \
			next_ = atomic_load_explicit(&preload_next.name, memory_order_relaxed); \
		}                                                                               \
		next_;                                                                          \
	})

/* Marks a function that takes the place of the real one; everything else is hidden. */
#define PRELOAD_REPLACES __attribute__((visibility("default")))

#endif
