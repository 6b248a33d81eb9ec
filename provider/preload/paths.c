/* Which paths are softrnic's, and what is there. Files are read from memory; nothing is written to
 * a disk. Any thread may call these functions. */
#include "preload/paths.h"

#include "preload/next.h"
#include "preload/rdma_cm.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>

#define MAX_PATH 512
#define DEVICES	 PRELOAD_SYSFS "/softrnic" /* how the folder of each device begins */

typedef unsigned look_up(const char *path, char *text, size_t size);

/* Returns the function of softrnic's libibverbs (verbs/sysfs.h), or NULL if the program has not
 * loaded that library. With `load` this function loads it, which only the environment of
 * softrnic-run makes possible. */
static look_up *library(bool load)
{
	static look_up *_Atomic found;
	void *handle;

	if (atomic_load(&found) != NULL)
		return atomic_load(&found);
	handle = dlopen("libibverbs.so.1", RTLD_LAZY | (load ? 0 : RTLD_NOLOAD));
	if (handle == NULL)
		return NULL;
	atomic_store(&found, (look_up *)dlsym(handle, "softrnic_sysfs"));
	return atomic_load(&found);
}

/* Copies a path without double slashes and without one at its end. Returns false if it is too long
 * to be softrnic's. */
static bool tidy(const char *path, char *to)
{
	size_t n = 0;

	for (; *path != '\0'; path++) {
		if (*path == '/' && (path[1] == '/' || path[1] == '\0'))
			continue;
		if (n == MAX_PATH - 1)
			return false;
		to[n++] = *path;
	}
	to[n] = '\0';
	return true;
}

unsigned preload_path_look(const char *path, char *text)
{
	char tidied[MAX_PATH];
	int before = errno;
	look_up *look;
	unsigned kind;

	if (!preload_path_may_be_ours(path) || !tidy(path, tidied))
		return 0;
	look = library(strncmp(tidied, DEVICES, sizeof(DEVICES) - 1) == 0);
	text[0] = '\0';
	if (look != NULL)
		kind = look(tidied, text, PRELOAD_TEXT);
	else
		kind = strcmp(tidied, PRELOAD_SYSFS) == 0 ? S_IFDIR : 0;
	errno = before;
	return kind;
}

const char *preload_path_stand_in(const char *path)
{
	char text[PRELOAD_TEXT];

	if (!preload_path_may_be_ours(path))
		return path;
	switch (preload_path_look(path, text)) {
	case S_IFREG:
		return "/proc/version";
	case S_IFDIR:
		return "/sys/class";
	case S_IFCHR:
		return "/dev/null";
	default:
		return path;
	}
}

/* Returns a descriptor from which a program reads `text`. */
static int open_text(const char *text, int flags)
{
	size_t n = strlen(text);
	int fd = memfd_create("softrnic", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd >= 0 && NEXT(write)(fd, text, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		NEXT(close)(fd);
	errno = ENOMEM;
	return -1;
}

int preload_path_open(const char *path, int flags)
{
	char text[PRELOAD_TEXT];

	if (!preload_path_may_be_ours(path))
		return PRELOAD_NOT_OURS;
	switch (preload_path_look(path, text)) {
	case S_IFREG:
		if ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_DIRECTORY))
			return open_text(text, flags);
		errno = flags & O_DIRECTORY ? ENOTDIR : EACCES;
		return -1;
	case S_IFDIR: /* only opendir() lists these folders */
		errno = EACCES;
		return -1;
	case S_IFCHR:
		return NEXT(open)("/dev/null", flags, 0);
	default:
		return PRELOAD_NOT_OURS;
	}
}
