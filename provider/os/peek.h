/* Reading memory that a client names, which may not be there. Any thread. */
#ifndef OS_PEEK_H
#define OS_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Copies n bytes. False: not all of them can be read; nothing is raised, `to` is undefined. */
bool os_peek(void *to, const void *from, size_t n);

#endif
