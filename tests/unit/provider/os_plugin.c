/* A library that contains all of provider/os; test_os_unload.c loads and unloads it. */
#include "os/file.h"
#include "os/handle.h"
#include "ndstatus.h"
#include "os/request.h"

int os_plugin_exercise(void);
int os_plugin_call(NDS_COMPLETION_ROUTINE routine);

static _Atomic int calls;

static void count(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	calls++;
}

/* Completes a request on a file that is bound to this completion routine. Returns 0 on success. */
__attribute__((visibility("default"))) int os_plugin_call(NDS_COMPLETION_ROUTINE routine)
{
	OVERLAPPED overlapped = {0};
	struct os_request *request;
	struct os_file *file;
	HANDLE handle;
	HRESULT hr;

	if (FAILED(os_file_create(1, &handle)) || FAILED(NdsFileBindCallback(handle, routine)))
		return 1;
	file = os_file_get(handle);
	if (FAILED(os_request_begin(file, &overlapped, &request)))
		return 2;
	os_request_complete(request, ND_SUCCESS);
	hr = os_overlapped_result(&overlapped, true);
	os_file_put(file);
	NdsHandleClose(handle);
	return hr ? 3 : 0;
}

__attribute__((visibility("default"))) int os_plugin_exercise(void)
{
	return os_plugin_call(count);
}
