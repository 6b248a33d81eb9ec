/*
 * How many objects of each kind are alive? For tests and for finding leaks: at the end every object
 * must be gone. One counter per kind, never reset. Any thread may call; no lock is taken.
 */
#ifndef OS_LIVE_H
#define OS_LIVE_H

#include <stdatomic.h>
#include <stdint.h>

/* The kinds of provider/os; provider/nd2 adds its kinds by name (os_live_of). */
#define OS_LIVE_ROWS(X)                                                \
	X(EVENT, "event")                                              \
	X(PORT, "port")                                                \
	X(FILE, "file")                                                \
	X(REQUEST, "request") /* its OVERLAPPED has no final status */ \
	X(PACKET, "packet")   /* queued to a port or a callback, not taken yet */

enum os_live_kind {
#define X(kind, name) OS_LIVE_##kind,
	OS_LIVE_ROWS(X)
#undef X
};

/* The greatest number of kinds, those of provider/os included. */
#define OS_LIVE_MAX 32u

struct os_live {
	const char *_Atomic kind; /* NULL: row not taken yet */
	_Atomic uint64_t count;
};

extern struct os_live os_live[OS_LIVE_MAX];

/* Returns the counter of a kind by its name; equal names share a counter. The string `kind` must
 * stay valid for ever. When all rows are taken, all further kinds share the last row. */
struct os_live *os_live_of(const char *kind);

static inline void os_live_add(struct os_live *live)
{
	atomic_fetch_add_explicit(&live->count, 1, memory_order_relaxed);
}

/* Release order: a thread that reads the lower count must see all earlier effects of the object. */
static inline void os_live_remove(struct os_live *live)
{
	atomic_fetch_sub_explicit(&live->count, 1, memory_order_release);
}

#endif
