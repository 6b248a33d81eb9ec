/* Counters of the adapters that this process runs (docs/counters.md). Any thread may call these
 * functions while an adapter is open. */
#ifndef TOOLS_COUNTERS_H
#define TOOLS_COUNTERS_H

#include <stdint.h>
#include <stdio.h>

/* Calls fn for every counter of every adapter. */
void counters_each(void (*fn)(void *arg, const char *name, uint64_t value), void *arg);
/* Prints one line "value  name" for each counter that is not zero. */
void counters_print(FILE *to);

#endif
