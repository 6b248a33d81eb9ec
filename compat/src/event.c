/*
 * How are the events of CreateEvent created and set? There are two kinds: an automatic event is
 * reset by a successful wait, a manual event is not. The functions run on the caller's thread.
 */
#include "last_error.h"
#include "object.h"

#include <synchapi.h>

static void set_again(struct compat_object *object)
{
	NdsEventSet(object->handle);
}

/*
 * `give_back` undoes a successful wait. A wait resets an automatic event, so give_back sets it
 * again. A wait does not change a manual event, which therefore has no give_back.
 */
static const struct compat_kind automatic = {.give_back = set_again, .signal = SetEvent};
static const struct compat_kind manual = {.signal = SetEvent};

static HANDLE create(BOOL manual_reset, BOOL initially_set, const void *name)
{
	struct compat_object *object;

	if (!compat_name_is_absent(name))
		return NULL;
	object = compat_object_new(sizeof(*object), manual_reset ? &manual : &automatic);
	return object ? compat_object_open(object, manual_reset, initially_set) : NULL;
}

static HANDLE create_by_flags(DWORD flags, const void *name)
{
	if (flags & ~(DWORD)(CREATE_EVENT_MANUAL_RESET | CREATE_EVENT_INITIAL_SET)) {
		compat_fail(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	return create(flags & CREATE_EVENT_MANUAL_RESET, flags & CREATE_EVENT_INITIAL_SET, name);
}

HANDLE CreateEventA(LPSECURITY_ATTRIBUTES attributes, BOOL manual_reset, BOOL initially_set,
		    LPCSTR name)
{
	return create(manual_reset, initially_set, name);
}

HANDLE CreateEventW(LPSECURITY_ATTRIBUTES attributes, BOOL manual_reset, BOOL initially_set,
		    LPCWSTR name)
{
	return create(manual_reset, initially_set, name);
}

HANDLE CreateEventExA(LPSECURITY_ATTRIBUTES attributes, LPCSTR name, DWORD flags, DWORD access)
{
	return create_by_flags(flags, name);
}

HANDLE CreateEventExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access)
{
	return create_by_flags(flags, name);
}

/*
 * Returns whether the handle is an event; if not, sets the last error. Threads, semaphores and
 * mutexes contain an event too, which SetEvent and ResetEvent must not change. This function
 * returns false for their handles.
 */
static bool is_event(HANDLE handle)
{
	struct compat_object *object = compat_object_get(handle, NULL);
	bool is = !object || object->kind == &automatic || object->kind == &manual;

	if (object)
		compat_object_put(object);
	return is || compat_fail(ERROR_INVALID_HANDLE);
}

BOOL SetEvent(HANDLE event)
{
	HRESULT hr;

	if (!is_event(event))
		return FALSE;
	hr = NdsEventSet(event);
	return SUCCEEDED(hr) || compat_fail_status(hr);
}

BOOL ResetEvent(HANDLE event)
{
	HRESULT hr;

	if (!is_event(event))
		return FALSE;
	hr = NdsEventReset(event);
	return SUCCEEDED(hr) || compat_fail_status(hr);
}
