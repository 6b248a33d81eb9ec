/* What makes a C struct a COM object: reference counts, QueryInterface, and the check that an
 * interface pointer is one of this library's objects.
 *
 * Each object has two counts. `clients` is the number of references that clients hold, which AddRef
 * and Release return. `refs` keeps the memory allocated. It counts one for all references of
 * clients together, one for each other object that uses this object, and one for each event handler
 * that runs. When the last client reference is released, `retire` runs once, on the releasing
 * thread; it must not return before all OVERLAPPEDs of the object have their final status.
 * `destroy` runs when `refs` reaches 0, on any thread, the event thread included. Any thread may
 * call these functions. */
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
	/* a third interface of the class besides IUnknown and `own`; NULL: none */
	const GUID *base;
	void (*retire)(struct nd_object *);
	void (*destroy)(struct nd_object *);
	/* Handles an event of the NIC for this object. Runs on the event thread without locks.
	 * NULL: objects of this class get no events. */
	void (*event)(struct nd_object *, const struct rn_event *);
};

/* The struct of every ND2 object begins with a struct nd_object, and so with lpVtbl, the vtable
 * pointer through which clients call the object's methods. */
struct nd_object {
	const void *lpVtbl;
	const struct nd_class *cls;
	_Atomic uint32_t clients;
	_Atomic uint32_t refs;
	struct os_live *live; /* the counter of the live objects of this class */
};

/* Initializes an object with one client reference. */
void nd_object_init(struct nd_object *, const struct nd_class *);
/* Undoes nd_object_init() for an object whose creation failed before any client got it; the caller
 * frees the memory. */
void nd_object_abandon(struct nd_object *);

HRESULT nd_object_query(struct nd_object *, REFIID, void **);
ULONG nd_object_addref(struct nd_object *);
ULONG nd_object_release(struct nd_object *);

void nd_object_ref(struct nd_object *);
void nd_object_put(struct nd_object *);

/* True if the class implements this interface; Create methods check their argument `iid` with
 * it. */
bool nd_class_implements(const struct nd_class *, REFIID);

/* Returns the object behind an interface pointer if the object is of this class, else NULL. The
 * pointer may be NULL or belong to an object of another library. Takes no reference. */
struct nd_object *nd_object_known(IUnknown *, const struct nd_class *);

/* A vtable with the two words before slot 0 that C++ compilers expect: dynamic_cast<void *> reads
 * offset_to_top. */
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
