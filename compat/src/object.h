/*
 * What stands behind a handle beside its event. Everything that can be waited for has an event of
 * NdsEventCreate as its handle; what more there is to know is a record found by that handle. A handle
 * without a record is a plain event made with NdsEventCreate, or nothing of ours.
 *
 * A record lives while its handle is open or somebody holds a reference. Any thread.
 */
#ifndef COMPAT_OBJECT_H
#define COMPAT_OBJECT_H

#include <handleapi.h>
#include <pthread.h>
#include <stdbool.h>

struct compat_object;

/* One for each kind of object; its address is the kind. */
struct compat_kind {
	/* Takes what a wait takes, if it is there. NULL: the event says and keeps it all. */
	bool (*take)(struct compat_object *);
	/* Undoes it. NULL: a wait takes nothing. */
	void (*give_back)(struct compat_object *);
	/* What SignalObjectAndWait does with it. NULL: it cannot. */
	BOOL (*signal)(HANDLE);
};

/* First member of every record. */
struct compat_object {
	const struct compat_kind *kind;
	HANDLE handle;
	struct compat_object *next;
	unsigned int references;
	pthread_mutex_t lock; /* of whatever follows */
};

/* A zeroed record of that size; NULL with the last error set. */
void *compat_object_new(size_t bytes, const struct compat_kind *);

/*
 * Gives a record its event and enters it; the handle is the first reference. NULL with the last error
 * set; the record is freed then.
 */
HANDLE compat_object_open(struct compat_object *, BOOL manual_reset, BOOL set);

/* A new reference on the record of a handle, of that kind if one is asked for; NULL: none. Leaves the last error alone. */
struct compat_object *compat_object_get(HANDLE, const struct compat_kind *);
void compat_object_ref(struct compat_object *);
void compat_object_put(struct compat_object *);

/* The handle is being closed: forgets the record, if it has one. */
void compat_object_forget(HANDLE);

/* The name of an object: none, or the call fails with ERROR_NOT_SUPPORTED. */
bool compat_name_is_absent(const void *name);

#endif
