/*
 * Handles: numbers that clients hold instead of pointers.
 *
 * A HANDLE consists of a generation, the index of a slot in a table of 2^20 slots, the object's
 * kind, and two bits for the client. So the lookup of a handle that is closed, made up, or of
 * another kind gives NULL, and never a pointer to freed memory.
 *
 * An object lives while the reference count in its slot is not 0. The open handle is one reference,
 * and every user of the object takes another. Any thread may call. Lookup and reference counting
 * are lock-free. No lock is held on return.
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
	/* Called when the client has closed the handle. Other references may still exist. NULL if
	 * there is nothing to do. */
	void (*close)(struct os_object *);
	/* Called when the last reference is dropped. Frees everything, including the object's
	 * memory. */
	void (*destroy)(struct os_object *);
};

/* First member of the struct of every object that a handle can name. */
struct os_object {
	const struct os_object_ops *ops;
	uint32_t index; /* index of the object's slot in the table */
};

/*
 * Enters an object into the handle table, with one reference for the open handle. Returns
 * ND_NO_MEMORY if the table is full; the caller then still owns the object.
 */
HRESULT os_handle_open(struct os_object *, const struct os_object_ops *, HANDLE *handle);

/* Returns a new reference on the open object behind a handle, or NULL. The caller drops the
 * reference with os_object_put(). */
struct os_object *os_handle_get(HANDLE, enum os_kind);

/* Closes a handle and drops the handle's own reference. Returns ND_INVALID_HANDLE if the handle is
 * not open. */
HRESULT os_handle_close(HANDLE);

/* Adds a reference to an object. The caller must hold a reference already. */
void os_object_ref(struct os_object *);
void os_object_put(struct os_object *);

/* Returns the number of events, completion ports and files that are alive. Used by tests: the
 * number must be 0 at the end of a test. */
unsigned int os_handle_live(void);

#endif
