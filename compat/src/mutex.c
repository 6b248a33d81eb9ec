/*
 * Which thread owns a mutex, and how many times has the owner taken it? This file owns the mutexes.
 * The event of a mutex is set while no thread owns the mutex. The functions run on the caller's
 * thread.
 */
#include "last_error.h"
#include "object.h"

#include <processthreadsapi.h>
#include <synchapi.h>

struct mutex {
	struct compat_object object;
	DWORD owner; /* thread id; 0 while no thread owns the mutex */
	ULONG depth;
};

static bool take(struct compat_object *object)
{
	struct mutex *mutex = (struct mutex *)object;
	DWORD self = GetCurrentThreadId();
	bool taken;

	pthread_mutex_lock(&object->lock);
	taken = !mutex->owner || mutex->owner == self;
	if (taken) {
		mutex->owner = self;
		mutex->depth++;
		NdsEventReset(object->handle);
	}
	pthread_mutex_unlock(&object->lock);
	return taken;
}

static bool release(struct mutex *mutex)
{
	bool ours;

	pthread_mutex_lock(&mutex->object.lock);
	ours = mutex->owner == GetCurrentThreadId();
	if (ours && !--mutex->depth) {
		mutex->owner = 0;
		NdsEventSet(mutex->object.handle);
	}
	pthread_mutex_unlock(&mutex->object.lock);
	return ours;
}

static void give_back(struct compat_object *object)
{
	release((struct mutex *)object);
}

static const struct compat_kind kind = {take, give_back, ReleaseMutex};

static HANDLE create(BOOL owned, const void *name)
{
	struct mutex *mutex;

	if (!compat_name_is_absent(name))
		return NULL;
	mutex = compat_object_new(sizeof(*mutex), &kind);
	if (!mutex)
		return NULL;
	if (owned) {
		mutex->owner = GetCurrentThreadId();
		mutex->depth = 1;
	}
	return compat_object_open(&mutex->object, TRUE, !owned);
}

HANDLE CreateMutexA(LPSECURITY_ATTRIBUTES attributes, BOOL owned, LPCSTR name)
{
	return create(owned, name);
}

HANDLE CreateMutexW(LPSECURITY_ATTRIBUTES attributes, BOOL owned, LPCWSTR name)
{
	return create(owned, name);
}

HANDLE CreateMutexExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access)
{
	return create(flags & CREATE_MUTEX_INITIAL_OWNER, name);
}

BOOL ReleaseMutex(HANDLE handle)
{
	struct compat_object *object = compat_object_get(handle, &kind);
	bool ours;

	if (!object)
		return compat_fail(ERROR_INVALID_HANDLE);
	ours = release((struct mutex *)object);
	compat_object_put(object);
	return ours || compat_fail(ERROR_NOT_OWNER);
}
