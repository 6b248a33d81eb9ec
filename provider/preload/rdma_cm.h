/* The device /dev/infiniband/rdma_cm, through which librdmacm talks to the connection manager of
 * the kernel. While the program has softrnic's libibverbs, opening the device gives a descriptor
 * that is softrnic's: commands written to it go to functions of that library. */
#ifndef PRELOAD_RDMA_CM_H
#define PRELOAD_RDMA_CM_H

#include <stdatomic.h>
#include <stdbool.h>

#define PRELOAD_NOT_OURS (-2)

/* Returns the descriptor, or PRELOAD_NOT_OURS if the real open() is to be called: for another path,
 * without softrnic's library, or without an adapter. Returns -1 and sets errno if softrnic's
 * library cannot open the device. */
int preload_cm_open(const char *path, int flags);

extern _Atomic unsigned preload_cm_files; /* number of descriptors that are softrnic's */
bool preload_cm_is_marked(int fd);

/* Is this descriptor softrnic's? In most processes none is. */
static inline bool preload_cm_owns(int fd)
{
	return __builtin_expect(atomic_load_explicit(&preload_cm_files, memory_order_relaxed) != 0,
				0) &&
	       preload_cm_is_marked(fd);
}

#endif
