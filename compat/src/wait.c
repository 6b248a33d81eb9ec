/*
 * When does a wait for events, threads, semaphores and mutexes end (WaitForMultipleObjects), and
 * how does the wait change these objects? This file keeps no state except references during a wait.
 * The functions run on the caller's thread.
 */
#include "deadline.h"
#include "last_error.h"
#include "object.h"

#include <poll.h>
#include <synchapi.h>

/* An object to wait for. `object` is NULL for an event made with NdsEventCreate. */
struct target {
	HANDLE handle;
	struct compat_object *object;
};

static void hold(struct target *targets, const HANDLE *handles, DWORD n)
{
	for (DWORD i = 0; i < n; i++)
		targets[i] = (struct target){handles[i], compat_object_get(handles[i], NULL)};
}

static void let_go(struct target *targets, DWORD n)
{
	for (DWORD i = 0; i < n; i++)
		if (targets[i].object)
			compat_object_put(targets[i].object);
}

/*
 * Takes an object without waiting: resets an automatic event, decrements a semaphore, acquires a
 * mutex. Returns STATUS_TIMEOUT if the object is not signalled.
 */
static HRESULT take(const struct target *target)
{
	if (target->object && target->object->kind->take)
		return target->object->kind->take(target->object) ? STATUS_SUCCESS : STATUS_TIMEOUT;
	return NdsEventWait(target->handle, 0);
}

static void give_back(const struct target *target)
{
	/*
	 * `object` is NULL for an event made with NdsEventCreate. take() has reset the event if the
	 * event is automatic, so set the event again.
	 */
	if (!target->object)
		NdsEventSet(target->handle);
	else if (target->object->kind->give_back)
		target->object->kind->give_back(target->object);
}

/*
 * Takes the first signalled object and stores its index in *index. Returns STATUS_TIMEOUT if no
 * object is signalled.
 */
static HRESULT take_any(const struct target *targets, DWORD n, DWORD *index)
{
	for (DWORD i = 0; i < n; i++) {
		HRESULT hr = take(&targets[i]);

		if (hr != STATUS_TIMEOUT) {
			*index = i;
			return hr;
		}
	}
	return STATUS_TIMEOUT;
}

static HRESULT wait_any(const struct target *targets, const HANDLE *handles, DWORD n,
			uint64_t deadline, DWORD *index)
{
	for (;;) {
		HRESULT hr = take_any(targets, n, index);
		DWORD left = compat_deadline_left(deadline);

		if (hr != STATUS_TIMEOUT || !left)
			return hr;
		if (n == 1)
			hr = NdsEventWait(handles[0], left);
		else
			hr = NdsEventWaitAny(handles, n, left, index);
		if (n == 1)
			*index = 0;
		/*
		 * Return after an error, or if the object has no take() function. A semaphore or
		 * mutex must still be taken, and another thread may be faster. The next pass of the
		 * loop tries to take the object.
		 */
		if (FAILED(hr) || (hr == STATUS_SUCCESS &&
				   !(targets[*index].object && targets[*index].object->kind->take)))
			return hr;
	}
}

/* Waits until the object is signalled, and does not take the object. */
static HRESULT wait_until_signalled(const struct target *target, uint64_t deadline)
{
	struct pollfd fd = {.events = POLLIN};
	DWORD left;
	int ready;

	if (target->object && target->object->kind->take &&
	    target->object->kind->take(target->object)) {
		give_back(target);
		return STATUS_SUCCESS;
	}
	fd.fd = NdsEventGetFd(target->handle);
	if (fd.fd < 0)
		return STATUS_INVALID_HANDLE;
	do {
		left = compat_deadline_left(deadline);
		ready = poll(&fd, 1, left > INT_MAX ? INT_MAX : (int)left);
	} while (ready <= 0 && left);
	return ready > 0 ? STATUS_SUCCESS : STATUS_TIMEOUT;
}

static HRESULT wait_all(const struct target *targets, DWORD n, uint64_t deadline)
{
	for (;;) {
		HRESULT hr = STATUS_SUCCESS;
		DWORD taken = 0;

		for (DWORD i = 0; i < n && hr == STATUS_SUCCESS; i++)
			hr = wait_until_signalled(&targets[i], deadline);
		if (hr != STATUS_SUCCESS)
			return hr;
		while (taken < n && (hr = take(&targets[taken])) == STATUS_SUCCESS)
			taken++;
		if (taken == n)
			return STATUS_SUCCESS;
		while (taken)
			give_back(&targets[--taken]);
		if (hr != STATUS_TIMEOUT || !compat_deadline_left(deadline))
			return hr;
	}
}

static bool has_duplicates(const HANDLE *handles, DWORD n)
{
	for (DWORD i = 0; i < n; i++)
		for (DWORD j = 0; j < i; j++)
			if (handles[i] == handles[j])
				return true;
	return false;
}

DWORD WaitForMultipleObjects(DWORD n, const HANDLE *handles, BOOL all, DWORD timeout_ms)
{
	uint64_t deadline = compat_deadline_in(timeout_ms);
	struct target targets[MAXIMUM_WAIT_OBJECTS];
	DWORD index = 0;
	HRESULT hr;

	if (!n || n > MAXIMUM_WAIT_OBJECTS || (all && has_duplicates(handles, n))) {
		compat_fail(ERROR_INVALID_PARAMETER);
		return WAIT_FAILED;
	}
	hold(targets, handles, n);
	if (all && n > 1)
		hr = wait_all(targets, n, deadline);
	else
		hr = wait_any(targets, handles, n, deadline, &index);
	let_go(targets, n);
	if (FAILED(hr)) {
		compat_fail_status(hr);
		return WAIT_FAILED;
	}
	return hr == STATUS_TIMEOUT ? WAIT_TIMEOUT : WAIT_OBJECT_0 + index;
}

DWORD WaitForMultipleObjectsEx(DWORD n, const HANDLE *handles, BOOL all, DWORD timeout_ms,
			       BOOL alertable)
{
	return WaitForMultipleObjects(n, handles, all, timeout_ms);
}

DWORD WaitForSingleObject(HANDLE handle, DWORD timeout_ms)
{
	return WaitForMultipleObjects(1, &handle, FALSE, timeout_ms);
}

DWORD WaitForSingleObjectEx(HANDLE handle, DWORD timeout_ms, BOOL alertable)
{
	return WaitForSingleObject(handle, timeout_ms);
}

DWORD SignalObjectAndWait(HANDLE signalled, HANDLE awaited, DWORD timeout_ms, BOOL alertable)
{
	struct compat_object *object = compat_object_get(signalled, NULL);
	BOOL (*signal)(HANDLE) = object ? object->kind->signal : SetEvent;

	if (object)
		compat_object_put(object);
	if (!signal)
		compat_fail(ERROR_INVALID_HANDLE);
	return signal && signal(signalled) ? WaitForSingleObject(awaited, timeout_ms) : WAIT_FAILED;
}
