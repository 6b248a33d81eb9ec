/* Reads and writes memory at an address that the client gave. The memory may be unmapped. Any
 * thread may call. */
#ifndef OS_PEEK_H
#define OS_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Copies n bytes. Returns false if some bytes cannot be read; `to` is then undefined. Raises no
 * signal. */
bool os_peek(void *to, const void *from, size_t n);
/* Copies n bytes to the client's memory. Returns false if some bytes cannot be written; others may
 * have been written. Raises no signal. */
bool os_poke(void *to, const void *from, size_t n);

#endif
