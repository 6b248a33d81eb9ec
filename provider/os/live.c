/*
 * Counts live objects: owns the array of counters, with one element per kind of object. A kind
 * takes the next free element at its first use and keeps that element. So a pointer to a counter is
 * valid at any time, even at the end of the process.
 */
#include "os/live.h"

#include <string.h>

struct os_live os_live[OS_LIVE_MAX] = {
#define X(id, name) [OS_LIVE_##id] = {.kind = name},
	OS_LIVE_ROWS(X)
#undef X
};

struct os_live *os_live_of(const char *kind)
{
	struct os_live *live = os_live;

	for (; live < &os_live[OS_LIVE_MAX - 1]; live++) {
		const char *there = NULL;

		if (atomic_compare_exchange_strong(&live->kind, &there, kind) ||
		    strcmp(there, kind) == 0)
			return live;
	}
	atomic_store(&live->kind, "other");
	return live;
}
