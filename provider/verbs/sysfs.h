/* What programs find below /sys/class/infiniband and in /dev/infiniband on a machine with these
 * devices. libsoftrnic-preload.so shows it to programs (version node SOFTRNIC_PRIVATE). */
#ifndef VERBS_SYSFS_H
#define VERBS_SYSFS_H

#include <stddef.h>

/* Looks at an absolute path without double slashes, dots, or a slash at its end. Returns 0 if it
 * names nothing of softrnic's, or one of:
 * - S_IFREG: a file; its content goes to `text`
 * - S_IFDIR: a folder; the names in it go to `text`, each with a newline
 * - S_IFCHR: a device; `text` is empty
 * `text` always ends with a zero byte; what exceeds `size` bytes is cut off. The first call lists
 * the devices; later calls take no lock, and allocate memory only to look through the addresses of
 * the host, for the files that name an interface. Any thread may call. */
__attribute__((visibility("default"))) unsigned softrnic_sysfs(const char *path, char *text,
							       size_t size);

#endif
