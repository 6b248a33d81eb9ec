/* Prints the counters of the adapters that this process runs. Reads the counters through the public
 * interface rn/link.h. Any thread may call these functions. */
#include "counters.h"

#include <stddef.h>

#include "rn/link.h"

void counters_each(void (*fn)(void *arg, const char *name, uint64_t value), void *arg)
{
	int n = rn_link_list(NULL, NULL, 0, NULL, 0);
	for (int i = 0; i < n; i++) {
		struct rn_link *link;
		if (rn_link_open(NULL, (unsigned)i, &link, NULL, 0) != 0)
			continue;
		link->ops->stats(link, fn, arg);
		rn_link_close(link);
	}
}

static void print_counter(void *arg, const char *name, uint64_t value)
{
	if (value)
		fprintf(arg, "%14llu  %s\n", (unsigned long long)value, name);
}

void counters_print(FILE *to)
{
	counters_each(print_counter, to);
	fflush(to);
}
