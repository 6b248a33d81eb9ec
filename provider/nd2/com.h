/* The base of every COM object in C: reference counts, QueryInterface, and the check that an
 * interface pointer belongs to this library. Any thread may call these functions.
 *
 * Each object has two counts:
 * - `clients`: the references of clients, which AddRef takes and Release drops. At 0, `retire` runs
 *   once, on the releasing thread. All OVERLAPPEDs of the object must have their final status when
 *   `retire` returns.
 * - `refs`: one for all references of clients together, one for each object that uses this object,
 *   and one for each running event handler. At 0, `destroy` runs, on any thread, and frees the
 *   object. */
#ifndef ND_COM_H
#define ND_COM_H

#include "os/cancel.h"
#include "os/child.h"
#include "os/live.h"
#include "ndspi.h"
#include "rn/abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct nd_object;

struct nd_class {
	const char *name;
	const void *vtbl; /* address of vtable slot 0 */
	const GUID *own;
	/* the interface that the class has besides IUnknown and `own`, or NULL */
	const GUID *base;
	void (*retire)(struct nd_object *);
	void (*destroy)(struct nd_object *);
	/* Handles an event of the NIC for this object. Runs on the event thread, with no locks
	 * held. NULL if objects of this class get no events. */
	void (*event)(struct nd_object *, const struct rn_event *);
};

/* Every ND2 object begins with this struct, and so with lpVtbl, the pointer to the vtable of the
 * object's methods. */
struct nd_object {
	const void *lpVtbl;
	const struct nd_class *cls;
	_Atomic uint32_t clients;
	_Atomic uint32_t refs;
	struct os_live *live; /* the counter of the live objects of this class */
};

/* Initializes an object with one client reference. */
void nd_object_init(struct nd_object *, const struct nd_class *);
/* Undoes nd_object_init() for an object that no client got because its creation failed. The caller
 * frees the memory of the object. */
void nd_object_abandon(struct nd_object *);

HRESULT nd_object_query(struct nd_object *, REFIID, void **);
ULONG nd_object_addref(struct nd_object *);
ULONG nd_object_release(struct nd_object *);

void nd_object_ref(struct nd_object *);
void nd_object_put(struct nd_object *);

/* True if the class implements this interface. Create methods check their argument `iid` with this
 * function. */
bool nd_class_implements(const struct nd_class *, REFIID);

/* Returns the object of an interface pointer if the object is of this class, else NULL. The pointer
 * may be NULL or belong to another library. Takes no reference. */
struct nd_object *nd_object_known(IUnknown *, const struct nd_class *);

/* A vtable with the two words that C++ compilers expect before slot 0. dynamic_cast<void *> reads
 * the word offset_to_top. */
#define ND_VTABLE(type, name)            \
	static const struct {            \
		ptrdiff_t offset_to_top; \
		const void *type_info;   \
		type v;                  \
	} name

/* Defines the methods of vtable slots 0 to 2, with the interface's own type for `This`. */
#define ND_UNKNOWN_METHODS(Interface)                                           \
	static HRESULT QueryInterface(Interface *This, REFIID riid, void **ppv) \
	{                                                                       \
		return nd_object_query((struct nd_object *)This, riid, ppv);    \
	}                                                                       \
	static ULONG AddRef(Interface *This)                                    \
	{                                                                       \
		return nd_object_addref((struct nd_object *)This);              \
	}                                                                       \
	static ULONG Release(Interface *This)                                   \
	{                                                                       \
		return nd_object_release((struct nd_object *)This);             \
	}

#endif
