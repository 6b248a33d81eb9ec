/* Reads memory at an address given by the client; the memory may be unmapped. Any thread may
 * call. */
#ifndef OS_PEEK_H
#define OS_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Copies n bytes. False: some of them cannot be read, and `to` is undefined; no signal is
 * raised. */
bool os_peek(void *to, const void *from, size_t n);

#endif
