/*
 * Handles: what a client holds instead of a pointer.
 *
 * A HANDLE is a number {generation, index, kind, two bits of the client's}, looked up in a table
 * of 2^20 slots, so a handle that was closed, mistyped or made up answers NULL instead of
 * touching freed memory. An object lives while its reference count, kept in its table slot, is not
 * zero: the open handle is one reference, everybody who uses the object takes another.
 *
 * All calls: any thread, no lock held on return, lookup and counting are lock-free.
 */
#ifndef OS_HANDLE_H
#define OS_HANDLE_H

#include "ndtypes.h"

enum os_kind {
	OS_EVENT = 1,
	OS_PORT = 2,
	OS_FILE = 3,
};

struct os_object;

struct os_object_ops {
	enum os_kind kind;
	/* The handle was closed; others may still use the object. NULL: nothing to do. */
	void (*close)(struct os_object *);
	/* The last reference is gone: release everything, the object's memory included. */
	void (*destroy)(struct os_object *);
};

/* First member of every object. */
struct os_object {
	const struct os_object_ops *ops;
	uint32_t index; /* of its slot */
};

/*
 * Enters an object into the table with one reference, that of the handle. ND_NO_MEMORY: table full;
 * the object is the caller's still.
 */
HRESULT os_handle_open(struct os_object *, const struct os_object_ops *, HANDLE *handle);

/* A new reference on the open object behind a handle, or NULL. Pair with os_object_put. */
struct os_object *os_handle_get(HANDLE, enum os_kind);

/* Drops the handle's own reference. ND_INVALID_HANDLE: not open. */
HRESULT os_handle_close(HANDLE);

/* One more reference, for a caller that has one already. */
void os_object_ref(struct os_object *);
void os_object_put(struct os_object *);

/* Objects alive now, for tests: whatever was created must be gone at the end. */
unsigned int os_handle_live(void);

#endif
