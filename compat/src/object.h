/*
 * The record of an event, semaphore, mutex or thread. Each of these objects has an event, made by
 * NdsEventCreate, and the object's handle is the handle of this event. The record adds a count, an
 * owner or an exit code. Events that a client made with NdsEventCreate have no record.
 *
 * A record lives while its handle is open or a reference is held. Any thread may call these
 * functions.
 */
#ifndef COMPAT_OBJECT_H
#define COMPAT_OBJECT_H

#include <handleapi.h>
#include <pthread.h>
#include <stdbool.h>

struct compat_object;

/*
 * A kind of object (event, semaphore, mutex, thread). There is one constant for each kind, and all
 * records of that kind point to it.
 */
struct compat_kind {
	/*
	 * Completes a wait: decrements a semaphore's count, or makes the caller the owner of a
	 * mutex. Returns false if the object is not available. The member is NULL for events and
	 * threads: when the event is set, or the thread has ended, there is nothing to take.
	 */
	bool (*take)(struct compat_object *);
	/*
	 * Undoes a successful `take`: sets an automatic event again, increments a semaphore's
	 * count, or releases a mutex. A wait for several objects calls this function if a later
	 * object is not available. The member is NULL for manual events and threads, which a wait
	 * does not change.
	 */
	void (*give_back)(struct compat_object *);
	/*
	 * Sets or releases the object for SignalObjectAndWait. The member is NULL for threads,
	 * which SignalObjectAndWait refuses.
	 */
	BOOL (*signal)(HANDLE);
};

/* The common part of all records. It is the first member of each record. */
struct compat_object {
	const struct compat_kind *kind;
	HANDLE handle;
	struct compat_object *next;
	unsigned int references;
	pthread_mutex_t lock; /* protects the members that the record of each kind adds */
};

/*
 * Allocates the record of an object: `bytes` bytes, which begin with a struct compat_object. The
 * rest is zero. The record has one reference, owned by the caller, and no handle yet. On failure
 * returns NULL and sets the last error.
 */
void *compat_object_new(size_t bytes, const struct compat_kind *);

/*
 * Opens an object: creates the event whose handle is the handle of the object, adds the object's
 * record to the hash table and returns the handle. The open handle now owns the reference from
 * compat_object_new. On failure frees the record, sets the last error and returns NULL.
 */
HANDLE compat_object_open(struct compat_object *, BOOL manual_reset, BOOL set);

/*
 * Returns the record of a handle and takes a reference to the record. Returns NULL if there is no
 * record of the given kind; if `kind` is NULL, any kind is accepted. Does not set the last error.
 */
struct compat_object *compat_object_get(HANDLE, const struct compat_kind *);
void compat_object_ref(struct compat_object *);
void compat_object_put(struct compat_object *);

/*
 * Called when a handle is closed: removes the handle's record, if any, from the hash table, and
 * releases the handle's reference.
 */
void compat_object_remove(HANDLE);

/*
 * Returns true if `name` is NULL. Otherwise returns false and sets the last error to
 * ERROR_NOT_SUPPORTED, because named objects do not exist here.
 */
bool compat_name_is_absent(const void *name);

#endif
