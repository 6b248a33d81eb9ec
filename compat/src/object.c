/*
 * Which record belongs to the handle of an event, semaphore, mutex or thread? This file owns the
 * records, in a hash table whose key is the handle; each bucket has a lock. The functions run on
 * the caller's thread.
 */
#include "object.h"
#include "last_error.h"

#include <stdlib.h>

#define BUCKETS 256

static struct bucket {
	pthread_mutex_t lock;
	struct compat_object *first;
} buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {PTHREAD_MUTEX_INITIALIZER, NULL}};

static uintptr_t number_of(HANDLE handle)
{
	return (uintptr_t)handle & ~(uintptr_t)3;
}

static struct bucket *bucket_of(HANDLE handle)
{
	uint64_t number = number_of(handle);

	return &buckets[(number * 0x9E3779B97F4A7C15u) >> 56];
}

/*
 * Returns the address of the pointer to the handle's record. The pointer is part of the bucket's
 * list. If there is no such record, returns the address of the NULL pointer that ends the list. The
 * caller holds the bucket's lock.
 */
static struct compat_object **place_of(struct bucket *bucket, HANDLE handle)
{
	struct compat_object **place = &bucket->first;

	while (*place && number_of((*place)->handle) != number_of(handle))
		place = &(*place)->next;
	return place;
}

void *compat_object_new(size_t bytes, const struct compat_kind *kind)
{
	struct compat_object *object = calloc(1, bytes);

	if (!object) {
		compat_fail(ERROR_NOT_ENOUGH_MEMORY);
		return NULL;
	}
	object->kind = kind;
	object->references = 1;
	pthread_mutex_init(&object->lock, NULL);
	return object;
}

HANDLE compat_object_open(struct compat_object *object, BOOL manual_reset, BOOL set)
{
	HRESULT hr = NdsEventCreate(manual_reset, set, &object->handle);
	struct bucket *bucket;

	if (FAILED(hr)) {
		compat_object_put(object);
		compat_fail_status(hr);
		return NULL;
	}
	bucket = bucket_of(object->handle);
	pthread_mutex_lock(&bucket->lock);
	object->next = bucket->first;
	bucket->first = object;
	pthread_mutex_unlock(&bucket->lock);
	return object->handle;
}

struct compat_object *compat_object_get(HANDLE handle, const struct compat_kind *kind)
{
	struct bucket *bucket = bucket_of(handle);
	struct compat_object *object;

	pthread_mutex_lock(&bucket->lock);
	object = *place_of(bucket, handle);
	if (object && kind && object->kind != kind)
		object = NULL;
	if (object)
		compat_object_ref(object);
	pthread_mutex_unlock(&bucket->lock);
	return object;
}

void compat_object_ref(struct compat_object *object)
{
	__atomic_add_fetch(&object->references, 1, __ATOMIC_RELAXED);
}

void compat_object_put(struct compat_object *object)
{
	if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL))
		return;
	pthread_mutex_destroy(&object->lock);
	free(object);
}

void compat_object_remove(HANDLE handle)
{
	struct bucket *bucket = bucket_of(handle);
	struct compat_object **place, *object;

	pthread_mutex_lock(&bucket->lock);
	place = place_of(bucket, handle);
	object = *place;
	if (object)
		*place = object->next;
	pthread_mutex_unlock(&bucket->lock);
	if (object)
		compat_object_put(object);
}

bool compat_name_is_absent(const void *name)
{
	return !name || compat_fail(ERROR_NOT_SUPPORTED);
}
