/*
 * The record behind the handle of an event, semaphore, mutex or thread. For each of these objects
 * NdsEventCreate creates an event, and the handle of this event is also the handle of the object.
 * The record contains what the event lacks: a count, an owner or an exit code. compat_object_get
 * finds the record of a handle. A handle without a record is either an event made with
 * NdsEventCreate or not a handle of this library.
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
	 * Completes a wait: decrements a semaphore's count, or makes the caller own a mutex.
	 * Returns false if the object is not available. The member is NULL for kinds (event,
	 * thread) for which waiting for the object's event is enough.
	 */
	bool (*take)(struct compat_object *);
	/*
	 * Undoes a successful `take`: sets an automatic event again, increments a semaphore's
	 * count, or releases a mutex. A thread that waits for all of several objects calls it for
	 * the objects already taken when another one is not available. The member is NULL for kinds
	 * that a wait does not change (manual event, thread).
	 */
	void (*give_back)(struct compat_object *);
	/*
	 * Sets or releases the object for SignalObjectAndWait. The member is NULL for the kind that
	 * SignalObjectAndWait refuses (thread).
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
 * Returns a new record of `bytes` bytes, which are zero except for the common part. The record has
 * no handle yet. On failure returns NULL and sets the last error.
 */
void *compat_object_new(size_t bytes, const struct compat_kind *);

/*
 * Creates the event of a record, enters the record into the hash table and returns the handle. The
 * open handle owns the reference that compat_object_new took. On failure frees the record, sets the
 * last error and returns NULL.
 */
HANDLE compat_object_open(struct compat_object *, BOOL manual_reset, BOOL set);

/*
 * Returns the record of a handle and takes a reference to it. Returns NULL if the handle has no
 * record, or if the record is not of the given kind; a `kind` of NULL accepts any. Does not set the
 * last error.
 */
struct compat_object *compat_object_get(HANDLE, const struct compat_kind *);
void compat_object_ref(struct compat_object *);
void compat_object_put(struct compat_object *);

/*
 * For a handle that is being closed: removes its record, if there is one, from the hash table, and
 * releases the handle's reference.
 */
void compat_object_remove(HANDLE);

/*
 * Returns true if `name` is NULL. Otherwise returns false and sets the last error to
 * ERROR_NOT_SUPPORTED, because named objects do not exist here.
 */
bool compat_name_is_absent(const void *name);

#endif
