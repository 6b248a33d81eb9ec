/* What this library exports for libsoftrnic-preload.so (version node SOFTRNIC_PRIVATE): the device
 * /dev/infiniband/rdma_cm as open(), write() and close() see it. Any thread may call. */
#ifndef UCMA_FILE_H
#define UCMA_FILE_H

#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

/* Opens the device. `flags` are those of open(); O_NONBLOCK and O_CLOEXEC count. The descriptor is
 * readable while events are pending. Returns -1 and sets errno: ENODEV without an adapter. */
int softrnic_ucma_open(int flags);
/* Runs one command: struct rdma_ucm_cmd_hdr, then the struct of the command. Returns `len`, or -1
 * and sets errno. The command GET_EVENT waits, unless the descriptor is non-blocking; the wait is a
 * cancellation point. */
ssize_t softrnic_ucma_write(int fd, const void *command, size_t len);
/* To be called before the descriptor is closed: destroys all ids of the file. */
void softrnic_ucma_close(int fd);

#pragma GCC visibility pop

#endif
