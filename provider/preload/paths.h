/* The files of sysfs and the devices that programs look for beside libibverbs:
 * /sys/class/infiniband with the folders of softrnic's devices, and /dev/infiniband/uverbsN. What
 * they contain is known to softrnic's libibverbs; while the program has not loaded it, the folder
 * /sys/class/infiniband is there and empty. Paths that name one of softrnic's devices load it: so a
 * program can run `ls` to look into the folder of a device. Paths of devices of the kernel are left
 * alone. */
#ifndef PRELOAD_PATHS_H
#define PRELOAD_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PRELOAD_TEXT 2048 /* bytes that the content of any file or folder fits into */

#define PRELOAD_SYSFS "/sys/class/infiniband"
#define PRELOAD_NODE  "/dev/infiniband/uverbs"

/* Is the path that of a folder, or does it lead into the folder? */
static inline bool preload_path_is_below(const char *path, const char *folder, size_t len)
{
	return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Could softrnic provide a file at this path? For every other path, this check is the only extra
 * work. Folders whose names only begin alike, such as infiniband_verbs, are not softrnic's: a look
 * at them must not make the library list its devices. */
static inline bool preload_path_may_be_ours(const char *path)
{
	return path != NULL && path[0] == '/' &&
	       (preload_path_is_below(path, PRELOAD_SYSFS, sizeof(PRELOAD_SYSFS) - 1) ||
		strncmp(path, PRELOAD_NODE, sizeof(PRELOAD_NODE) - 1) == 0);
}

/* Returns which kind of file softrnic provides at this path: S_IFREG, S_IFDIR, S_IFCHR, or 0 for no
 * file. Stores in `text` (PRELOAD_TEXT bytes) the content of the file, or the names in the folder,
 * each followed by a newline. */
unsigned preload_path_look(const char *path, char *text);

/* Returns a path at which the kernel has a file of the same kind and with the same access rights,
 * or `path` itself if that is not softrnic's. */
const char *preload_path_stand_in(const char *path);

/* Opens a path of softrnic's. Returns the descriptor, -1 with errno, or PRELOAD_NOT_OURS. */
int preload_path_open(const char *path, int flags);

#endif
