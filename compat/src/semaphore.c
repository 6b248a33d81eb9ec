/*
 * How many more waits on a semaphore can succeed? This file owns the semaphores. Each semaphore has
 * a count; its event is set while the count is not 0. The functions run on the caller's thread.
 */
#include "last_error.h"
#include "object.h"

#include <synchapi.h>

struct semaphore {
	struct compat_object object;
	LONG count, most;
};

static bool take_one(struct compat_object *object)
{
	struct semaphore *semaphore = (struct semaphore *)object;
	bool taken;

	pthread_mutex_lock(&object->lock);
	taken = semaphore->count > 0;
	semaphore->count -= taken;
	if (!semaphore->count)
		NdsEventReset(object->handle);
	pthread_mutex_unlock(&object->lock);
	return taken;
}

static BOOL add(struct semaphore *semaphore, LONG count, LONG *previous)
{
	bool fits;

	pthread_mutex_lock(&semaphore->object.lock);
	fits = count > 0 && count <= semaphore->most - semaphore->count;
	if (fits) {
		if (previous)
			*previous = semaphore->count;
		semaphore->count += count;
		NdsEventSet(semaphore->object.handle);
	}
	pthread_mutex_unlock(&semaphore->object.lock);
	return fits;
}

static void put_one(struct compat_object *object)
{
	add((struct semaphore *)object, 1, NULL);
}

static BOOL release_one(HANDLE handle)
{
	return ReleaseSemaphore(handle, 1, NULL);
}

static const struct compat_kind kind = {take_one, put_one, release_one};

static HANDLE create(LONG initial, LONG most, const void *name)
{
	struct semaphore *semaphore;

	if (!compat_name_is_absent(name))
		return NULL;
	if (initial < 0 || most <= 0 || initial > most) {
		compat_fail(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	semaphore = compat_object_new(sizeof(*semaphore), &kind);
	if (!semaphore)
		return NULL;
	semaphore->count = initial;
	semaphore->most = most;
	return compat_object_open(&semaphore->object, TRUE, initial > 0);
}

HANDLE CreateSemaphoreA(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCSTR name)
{
	return create(initial, most, name);
}

HANDLE CreateSemaphoreW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name)
{
	return create(initial, most, name);
}

HANDLE CreateSemaphoreExW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name,
			  DWORD flags, DWORD access)
{
	if (!flags)
		return create(initial, most, name);
	compat_fail(ERROR_INVALID_PARAMETER);
	return NULL;
}

BOOL ReleaseSemaphore(HANDLE handle, LONG count, LONG *previous)
{
	struct compat_object *object = compat_object_get(handle, &kind);
	BOOL fits;

	if (!object)
		return compat_fail(ERROR_INVALID_HANDLE);
	fits = add((struct semaphore *)object, count, previous);
	compat_object_put(object);
	return fits || compat_fail(count > 0 ? ERROR_TOO_MANY_POSTS : ERROR_INVALID_PARAMETER);
}
