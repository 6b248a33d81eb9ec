/* The common part of all objects that have OVERLAPPEDs. struct nd_async has the overlapped file
 * that gets the completions, the list of pending requests, and the lock of this list. Any thread
 * may call. */
#include "nd2/nd2.h"

#include "os/delivery.h"
#include "os/file.h"

HRESULT nd_overlapped_result(OVERLAPPED *overlapped, BOOL wait)
{
	return os_overlapped_result(overlapped, wait != 0);
}

HRESULT nd_notify_affinity(USHORT *group, KAFFINITY *affinity)
{
	KAFFINITY mask = 0;
	cpu_set_t cpus;

	if (group == NULL || affinity == NULL)
		return ND_INVALID_PARAMETER;
	if (os_delivery_cpus(&cpus))
		for (unsigned cpu = 0; cpu < 8 * sizeof(mask); cpu++)
			if (CPU_ISSET(cpu, &cpus))
				mask |= (KAFFINITY)1 << cpu;
	if (mask == 0)
		/* no delivery thread runs, or it has no CPU in group 0 (CPUs 0 to 63) */
		return ND_NOT_SUPPORTED;
	*group = 0;
	*affinity = mask;
	return ND_SUCCESS;
}

HRESULT nd_async_init(struct nd_async *async, struct nd_adapter *adapter, HANDLE file)
{
	async->file = os_file_get(file);
	if (async->file == NULL)
		return ND_INVALID_HANDLE;
	if (os_file_owner(async->file) != adapter->number) {
		os_file_put(async->file);
		return ND_INVALID_HANDLE;
	}
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
