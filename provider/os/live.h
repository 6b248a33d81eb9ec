/*
 * How many objects of each kind are alive? For tests and for finding leaks: at the end every
 * object must be gone. One counter per kind, never reset. Any thread, no lock.
 */
#ifndef OS_LIVE_H
#define OS_LIVE_H

#include <stdatomic.h>
#include <stdint.h>

/* Kinds of this folder; the objects above add theirs by name. */
#define OS_LIVE_ROWS(X)                                             \
	X(EVENT, "event")                                           \
	X(PORT, "port")                                             \
	X(FILE, "file")                                             \
	X(REQUEST, "request") /* begun, its OVERLAPPED not final */ \
	X(PACKET, "packet")   /* in a port or for a callback, not taken yet */

enum os_live_kind {
#define X(kind, name) OS_LIVE_##kind,
	OS_LIVE_ROWS(X)
#undef X
};

/* The greatest number of kinds, those of this folder included. */
#define OS_LIVE_MAX 32u

struct os_live {
	const char *_Atomic kind; /* NULL: row not taken yet */
	_Atomic uint64_t count;
};

extern struct os_live os_live[OS_LIVE_MAX];

/* The counter of a kind by name; equal names share one. `kind` must stay valid for ever. When all
 * rows are taken, the last one counts for all further kinds. */
struct os_live *os_live_of(const char *kind);

static inline void os_live_born(struct os_live *live)
{
	atomic_fetch_add_explicit(&live->count, 1, memory_order_relaxed);
}

/* Release order: a thread that reads the lower count sees everything the object did before. */
static inline void os_live_gone(struct os_live *live)
{
	atomic_fetch_sub_explicit(&live->count, 1, memory_order_release);
}

#endif
