/*
 * Implements handles: looks up the object that a handle names, and counts the references on the
 * object.
 *
 * Owns the handle table, a static array of slots. So any thread may read a slot at any time, even a
 * thread that still runs after exit(). Unused pages of the array cost no memory.
 *
 * A slot's state is one word {generation, open, references}. A lookup is a compare-and-swap that
 * succeeds only while the slot is open and has the handle's generation. The generation increases
 * when the last reference is dropped. Old handles to the slot then become invalid.
 */
#include "os/handle.h"
#include "os/cancel.h"
#include "os/live.h"
#include "ndstatus.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define INDEX_BITS 20
#define SLOTS	   (1u << INDEX_BITS)

/* Layout of a handle: bits 0-1 belong to the client, bits 2-3 are the kind, bits 4-23 the index,
 * bits 24-55 the generation. A handle is never 0 and never -1. */
#define KIND_SHIFT	 2
#define INDEX_SHIFT	 4
#define GENERATION_SHIFT (INDEX_SHIFT + INDEX_BITS)

#define OPEN	  (UINT64_C(1) << 31)
#define REFS_MASK (OPEN - 1)

_Static_assert(sizeof(HANDLE) == 8, "a handle carries a 32-bit generation");

struct slot {
	_Atomic uint64_t state; /* generation << 32 | open << 31 | references */
	union {
		struct os_object *object; /* valid while the reference count is not 0 */
		/* index + 1 of the next free slot; 0 at the end of the list; guarded by
		 * table.lock */
		uintptr_t next_free;
	};
};

static struct slot slots[SLOTS];

static struct {
	pthread_mutex_t lock;
	uint32_t used;	/* number of slots that were ever taken */
	uintptr_t free; /* index + 1 of the slot that was freed last; 0 if there is none */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct os_live *live_of(enum os_kind kind)
{
	static const enum os_live_kind rows[] = {
		[OS_EVENT] = OS_LIVE_EVENT,
		[OS_PORT] = OS_LIVE_PORT,
		[OS_FILE] = OS_LIVE_FILE,
	};

	return &os_live[rows[kind]];
}

static HANDLE handle_of(uint64_t state, uint32_t index, enum os_kind kind)
{
	return (HANDLE)(uintptr_t)((state >> 32) << GENERATION_SHIFT |
				   (uint64_t)index << INDEX_SHIFT | (uint64_t)kind << KIND_SHIFT);
}

static uint32_t index_in(HANDLE handle)
{
	return (uint32_t)((uintptr_t)handle >> INDEX_SHIFT) & (SLOTS - 1);
}

/* True if the handle names the object in a slot with this state. The slot must be open and have the
 * handle's generation. */
static bool names(HANDLE handle, uint64_t state)
{
	return (uintptr_t)handle >> GENERATION_SHIFT == state >> 32 && (state & OPEN);
}

static bool take_slot(uint32_t *index)
{
	bool taken = true;

	pthread_mutex_lock(&table.lock);
	if (table.free) {
		*index = (uint32_t)table.free - 1;
		table.free = slots[*index].next_free;
	} else if (table.used < SLOTS) {
		*index = table.used++;
	} else {
		taken = false;
	}
	pthread_mutex_unlock(&table.lock);
	return taken;
}

static void give_slot(uint32_t index)
{
	pthread_mutex_lock(&table.lock);
	slots[index].next_free = table.free;
	table.free = index + 1;
	pthread_mutex_unlock(&table.lock);
}

HRESULT os_handle_open(struct os_object *object, const struct os_object_ops *ops, HANDLE *handle)
{
	struct slot *slot;
	uint32_t index;
	uint64_t state;

	if (!take_slot(&index))
		return ND_NO_MEMORY;
	slot = &slots[index];
	object->ops = ops;
	object->index = index;
	slot->object = object;
	os_live_add(live_of(ops->kind));
	state = (atomic_load_explicit(&slot->state, memory_order_relaxed) & ~UINT64_C(0xFFFFFFFF)) |
		OPEN | 1;
	/* Release order: a thread that finds this state then sees the object behind the state. */
	atomic_store_explicit(&slot->state, state, memory_order_release);
	*handle = handle_of(state, index, ops->kind);
	return ND_SUCCESS;
}

struct os_object *os_handle_get(HANDLE handle, enum os_kind kind)
{
	struct slot *slot = &slots[index_in(handle)];
	uint64_t state;

	if (((uintptr_t)handle >> KIND_SHIFT & 3) != (uintptr_t)kind)
		return NULL;
	state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	do {
		if (!names(handle, state))
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(
		&slot->state, &state, state + 1, memory_order_acquire, memory_order_relaxed));
	if (slot->object->ops->kind == kind)
		return slot->object;
	os_object_put(slot->object);
	return NULL;
}

HRESULT os_handle_close(HANDLE handle)
{
	enum os_kind kind = (uintptr_t)handle >> KIND_SHIFT & 3;
	struct os_object *object = os_handle_get(handle, kind);
	struct slot *slot;
	uint64_t state;

	if (!object)
		return ND_INVALID_HANDLE;
	slot = &slots[object->index];
	state = atomic_load(&slot->state);
	do {
		if (!names(handle, state)) { /* another thread closed the handle first */
			os_object_put(object);
			return ND_INVALID_HANDLE;
		}
	} while (!atomic_compare_exchange_weak(&slot->state, &state, state & ~OPEN));
	if (object->ops->close)
		object->ops->close(object);
	os_object_put(object); /* drops the reference that the open handle held */
	os_object_put(object); /* drops the reference that os_handle_get() took */
	return ND_SUCCESS;
}

void os_object_ref(struct os_object *object)
{
	/* Relaxed order is enough: the caller already has a reference and so sees the whole
	 * object. */
	atomic_fetch_add_explicit(&slots[object->index].state, 1, memory_order_relaxed);
}

static void destroy(struct os_object *object)
{
	/* destroy() may close file descriptors, and close() is a cancellation point */
	OS_UNCANCELLED;
	object->ops->destroy(object);
}

void os_object_put(struct os_object *object)
{
	uint32_t index = object->index;
	struct slot *slot = &slots[index];
	struct os_live *live = live_of(object->ops->kind);
	uint64_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);

	if ((before & REFS_MASK) != 1)
		return;
	destroy(object);
	atomic_store_explicit(&slot->state, ((before >> 32) + 1) << 32, memory_order_relaxed);
	give_slot(index);
	os_live_remove(live);
}

unsigned int os_handle_live(void)
{
	unsigned int n = 0;

	for (enum os_kind kind = OS_EVENT; kind <= OS_FILE; kind++)
		n += (unsigned int)atomic_load(&live_of(kind)->count);
	return n;
}
