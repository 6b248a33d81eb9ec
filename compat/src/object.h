/*
 * The record behind a handle. Every object that a thread can wait for has an event of
 * NdsEventCreate as its handle; what the event cannot hold (a count, an owner, an exit code) is in
 * a record that is found by the handle. A handle without a record is an event made directly with
 * NdsEventCreate, or not a handle of this library.
 *
 * A record lives while its handle is open or a reference is held. Any thread.
 */
#ifndef COMPAT_OBJECT_H
#define COMPAT_OBJECT_H

#include <handleapi.h>
#include <pthread.h>
#include <stdbool.h>

struct compat_object;

/* One constant for each kind of object; records of the same kind point to the same one. */
struct compat_kind {
	/*
	 * Takes what a successful wait takes (a count, ownership); false if it is not available.
	 * NULL: waiting on the event is enough.
	 */
	bool (*take)(struct compat_object *);
	/* Undoes a successful wait. NULL: a wait changes nothing. */
	void (*give_back)(struct compat_object *);
	/* How SignalObjectAndWait signals the object. NULL: such an object cannot be signalled. */
	BOOL (*signal)(HANDLE);
};

/* First member of every record. */
struct compat_object {
	const struct compat_kind *kind;
	HANDLE handle;
	struct compat_object *next;
	unsigned int references;
	pthread_mutex_t lock; /* protects the members that each kind adds */
};

/*
 * Returns a record of `bytes` bytes, all zero, that has no handle yet; NULL with the last error
 * set.
 */
void *compat_object_new(size_t bytes, const struct compat_kind *);

/*
 * Creates the event of a record, enters the record in the table and returns the handle, which holds
 * the first reference. On failure frees the record, sets the last error and returns NULL.
 */
HANDLE compat_object_open(struct compat_object *, BOOL manual_reset, BOOL set);

/*
 * Returns the record of a handle with a new reference; NULL if there is none, or if it is not of
 * `kind` (NULL: any kind). Does not set the last error.
 */
struct compat_object *compat_object_get(HANDLE, const struct compat_kind *);
void compat_object_ref(struct compat_object *);
void compat_object_put(struct compat_object *);

/* Removes the record of a handle that is being closed, if it has one. */
void compat_object_forget(HANDLE);

/*
 * Named objects do not exist here: if `name` is not NULL, sets ERROR_NOT_SUPPORTED and returns
 * false.
 */
bool compat_name_is_absent(const void *name);

#endif
