/* What does closing a handle take? Owns nothing. Runs on the caller's thread. */
#include "last_error.h"
#include "object.h"

BOOL CloseHandle(HANDLE handle)
{
	HRESULT hr;

	/* The pseudo handles of process and thread. */
	if (handle == (HANDLE)(LONG_PTR)-1 || handle == (HANDLE)(LONG_PTR)-2)
		return TRUE;
	compat_object_forget(handle);
	hr = NdsHandleClose(handle);
	return SUCCEEDED(hr) || compat_fail_status(hr);
}
