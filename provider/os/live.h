/*
 * Counts how many objects of each kind are alive, for tests and for finding leaks. When a client
 * has released everything, every count must be 0. Each kind has one counter, which is never reset.
 * Any thread may call. Takes no lock.
 */
#ifndef OS_LIVE_H
#define OS_LIVE_H

#include <stdatomic.h>
#include <stdint.h>

/* The kinds of object in provider/os. provider/nd2 adds its own kinds by name (os_live_of). */
#define OS_LIVE_ROWS(X)                                                      \
	X(EVENT, "event")                                                    \
	X(PORT, "port")                                                      \
	X(FILE, "file")                                                      \
	X(REQUEST, "request") /* alive until its OVERLAPPED has completed */ \
	X(PACKET, "packet")   /* completion that is queued to a completion port or a callback */

enum os_live_kind {
#define X(kind, name) OS_LIVE_##kind,
	OS_LIVE_ROWS(X)
#undef X
};

/* The greatest number of kinds in total. */
#define OS_LIVE_MAX 32u

struct os_live {
	const char *_Atomic kind; /* NULL if this element is not taken yet */
	_Atomic uint64_t count;
};

extern struct os_live os_live[OS_LIVE_MAX];

/* Returns the counter of the live objects of one kind, such as "event". Equal names share a
 * counter. The string `kind` must stay valid for ever. When OS_LIVE_MAX kinds exist, all further
 * kinds share the last counter. */
struct os_live *os_live_of(const char *kind);

static inline void os_live_add(struct os_live *live)
{
	atomic_fetch_add_explicit(&live->count, 1, memory_order_relaxed);
}

/* Release order: a thread that reads the decremented count then sees everything that was done with
 * the object before the decrement. */
static inline void os_live_remove(struct os_live *live)
{
	atomic_fetch_sub_explicit(&live->count, 1, memory_order_release);
}

#endif
