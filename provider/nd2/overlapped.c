/* What do all objects with OVERLAPPEDs have in common? A file to complete to, a list of pending
 * requests and the lock that guards it. Any thread. */
#include "nd2.h"

#include "file.h"

HRESULT nd_overlapped_result(OVERLAPPED *overlapped, BOOL wait)
{
	return os_overlapped_result(overlapped, wait != 0);
}

HRESULT nd_async_init(struct nd_async *async, struct nd_adapter *adapter, HANDLE file)
{
	async->file = os_file_get(file);
	if (async->file == NULL)
		return ND_INVALID_HANDLE;
	async->adapter = adapter;
	nd_object_ref(&adapter->obj);
	pthread_mutex_init(&async->lock, NULL);
	os_request_list_init(&async->requests);
	return ND_SUCCESS;
}

void nd_async_fini(struct nd_async *async)
{
	pthread_mutex_destroy(&async->lock);
	os_file_put(async->file);
	nd_object_put(&async->adapter->obj);
}
