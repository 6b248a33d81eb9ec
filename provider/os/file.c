/*
 * Overlapped files: where the completions of the requests on a file go. Owns each file's binding to
 * a completion port or a callback. The binding is set at most once, at any time. A request uses the
 * binding that exists when the request ends.
 */
#include "os/file.h"
#include "os/delivery.h"
#include "os/handle.h"
#include "ndstatus.h"
#include "os/pool.h"

#include <pthread.h>
#include <stdlib.h>

struct os_file {
	struct os_object object;
	uint64_t owner;
	pthread_mutex_t lock; /* guards the binding until it is set */
	/* counted reference; NULL if the file is not bound to a completion port */
	struct os_port *port;
	ULONG_PTR key;
	NDS_COMPLETION_ROUTINE routine;
};

static void destroy_file(struct os_object *object)
{
	struct os_file *file = (struct os_file *)object;

	if (file->port)
		os_port_put(file->port);
	pthread_mutex_destroy(&file->lock);
	free(file);
}

static const struct os_object_ops file_ops = {.kind = OS_FILE, .destroy = destroy_file};

HRESULT os_file_create(uint64_t owner, HANDLE *handle)
{
	struct os_file *file;
	HRESULT hr = os_delivery_start();

	if (FAILED(hr))
		return hr;
	file = calloc(1, sizeof(*file));
	if (!file)
		return ND_NO_MEMORY;
	pthread_mutex_init(&file->lock, NULL);
	file->owner = owner;
	hr = os_handle_open(&file->object, &file_ops, handle);
	if (FAILED(hr))
		destroy_file(&file->object);
	return hr;
}

struct os_file *os_file_get(HANDLE handle)
{
	return (struct os_file *)os_handle_get(handle, OS_FILE);
}

void os_file_ref(struct os_file *file)
{
	os_object_ref(&file->object);
}

void os_file_put(struct os_file *file)
{
	os_object_put(&file->object);
}

uint64_t os_file_owner(const struct os_file *file)
{
	return file->owner;
}

HRESULT os_file_bind_port(struct os_file *file, struct os_port *port, ULONG_PTR key)
{
	HRESULT hr = ND_INVALID_PARAMETER;

	pthread_mutex_lock(&file->lock);
	if (!file->port && !file->routine) {
		os_port_ref(port);
		file->port = port;
		file->key = key;
		hr = ND_SUCCESS;
	}
	pthread_mutex_unlock(&file->lock);
	return hr;
}

HRESULT os_file_bind_callback(struct os_file *file, NDS_COMPLETION_ROUTINE routine)
{
	HRESULT hr = os_pool_start();

	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&file->lock);
	if (!file->port && !file->routine)
		file->routine = routine;
	else
		hr = ND_INVALID_PARAMETER;
	pthread_mutex_unlock(&file->lock);
	return hr;
}

void os_file_address(struct os_file *file, struct os_packet *packet)
{
	pthread_mutex_lock(&file->lock);
	packet->port = file->port;
	packet->key = file->key;
	packet->routine = file->routine;
	pthread_mutex_unlock(&file->lock);
}

void os_file_deliver(struct os_packet *packet)
{
	if (packet->port)
		os_port_queue(packet->port, packet);
	else if (packet->routine)
		os_pool_queue(packet);
	else
		free(packet);
}
