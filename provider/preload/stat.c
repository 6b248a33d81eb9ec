/* Replaces the functions that ask for the attributes of a path: stat(), access() and so on.
 * Softrnic's files exist in memory only. So for the path of such a file, each function here asks
 * libc about a real file of the same kind instead. Owns nothing; any thread may call. */
#include "preload/next.h"
#include "preload/paths.h"

PRELOAD_REPLACES int stat(const char *path, struct stat *st)
{
	return NEXT(stat)(preload_path_stand_in(path), st);
}

PRELOAD_REPLACES int stat64(const char *path, struct stat64 *st)
{
	return NEXT(stat64)(preload_path_stand_in(path), st);
}

PRELOAD_REPLACES int lstat(const char *path, struct stat *st)
{
	return NEXT(lstat)(preload_path_stand_in(path), st);
}

PRELOAD_REPLACES int lstat64(const char *path, struct stat64 *st)
{
	return NEXT(lstat64)(preload_path_stand_in(path), st);
}

PRELOAD_REPLACES int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return NEXT(fstatat)(dir, preload_path_stand_in(path), st, flags);
}

PRELOAD_REPLACES int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return NEXT(fstatat64)(dir, preload_path_stand_in(path), st, flags);
}

/* Programs that were built with a glibc before 2.33 call these. `version` is the layout of the
 * struct, of which 64-bit Linux has one. */
PRELOAD_REPLACES int __xstat(int version, const char *path, struct stat *st)
{
	return stat(path, st);
}

PRELOAD_REPLACES int __xstat64(int version, const char *path, struct stat64 *st)
{
	return stat64(path, st);
}

PRELOAD_REPLACES int __lxstat(int version, const char *path, struct stat *st)
{
	return lstat(path, st);
}

PRELOAD_REPLACES int __lxstat64(int version, const char *path, struct stat64 *st)
{
	return lstat64(path, st);
}

PRELOAD_REPLACES int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags)
{
	return fstatat(dir, path, st, flags);
}

PRELOAD_REPLACES int __fxstatat64(int version, int dir, const char *path, struct stat64 *st,
				  int flags)
{
	return fstatat64(dir, path, st, flags);
}

PRELOAD_REPLACES int statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
	return NEXT(statx)(dir, preload_path_stand_in(path), flags, mask, st);
}

PRELOAD_REPLACES int access(const char *path, int mode)
{
	return NEXT(access)(preload_path_stand_in(path), mode);
}

PRELOAD_REPLACES int faccessat(int dir, const char *path, int mode, int flags)
{
	return NEXT(faccessat)(dir, preload_path_stand_in(path), mode, flags);
}

PRELOAD_REPLACES int eaccess(const char *path, int mode)
{
	return NEXT(eaccess)(preload_path_stand_in(path), mode);
}

PRELOAD_REPLACES int euidaccess(const char *path, int mode)
{
	return NEXT(euidaccess)(preload_path_stand_in(path), mode);
}

/* `ls -l` asks for these attributes of each file. */
PRELOAD_REPLACES ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	return NEXT(getxattr)(preload_path_stand_in(path), name, value, size);
}

PRELOAD_REPLACES ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	return NEXT(lgetxattr)(preload_path_stand_in(path), name, value, size);
}
