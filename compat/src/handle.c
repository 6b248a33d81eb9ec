/*
 * What does CloseHandle do with each kind of handle? This file keeps no state. The functions run on
 * the caller's thread.
 */
#include "last_error.h"
#include "object.h"

BOOL CloseHandle(HANDLE handle)
{
	HRESULT hr;

	/*
	 * -1 and -2 are the pseudo handles of the current process and the current thread. Closing a
	 * pseudo handle has no effect.
	 */
	if (handle == (HANDLE)(LONG_PTR)-1 || handle == (HANDLE)(LONG_PTR)-2)
		return TRUE;
	compat_object_remove(handle);
	hr = NdsHandleClose(handle);
	return SUCCEEDED(hr) || compat_fail_status(hr);
}
