/* What makes a C struct a COM object: reference counts, QueryInterface, and knowing one's own.
 *
 * Two counts. `clients` is what AddRef and Release report; `refs` keeps the memory: all client
 * references together hold one, so does every other object and every running event handler. When
 * the last client reference goes, `retire` runs once, on that thread: it must not return before no
 * OVERLAPPED of the object is pending. `destroy` runs when nobody refers to the object any more, on
 * any thread, the event thread included. Any thread.
 */
#ifndef ND_COM_H
#define ND_COM_H

#include "cancel.h"
#include "child.h"
#include "live.h"
#include "ndspi.h"
#include "rn/abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct nd_object;

struct nd_class {
	const char *name;
	const void *vtbl; /* slot 0 */
	const GUID *own;
	const GUID *base; /* besides IUnknown; may be NULL */
	void (*retire)(struct nd_object *);
	void (*destroy)(struct nd_object *);
	/* An event of the NIC that names this object; the event thread, no lock held. NULL: none
	 * come. */
	void (*event)(struct nd_object *, const struct rn_event *);
};

/* First member of every object; its own first member is what clients call through. */
struct nd_object {
	const void *lpVtbl;
	const struct nd_class *cls;
	_Atomic uint32_t clients;
	_Atomic uint32_t refs;
	struct os_live *live; /* its kind's */
};

/* One client reference. */
void nd_object_init(struct nd_object *, const struct nd_class *);
/* Of one that could not be made whole and was given to nobody; its memory stays the caller's. */
void nd_object_abandon(struct nd_object *);

HRESULT nd_object_query(struct nd_object *, REFIID, void **);
ULONG nd_object_addref(struct nd_object *);
ULONG nd_object_release(struct nd_object *);

void nd_object_ref(struct nd_object *);
void nd_object_put(struct nd_object *);

/* Whether the class has this interface: the check of `iid` in Create methods. */
bool nd_class_answers(const struct nd_class *, REFIID);

/* The object behind an interface pointer if it is one of this class, else NULL; the pointer may be
 * NULL or a foreign object's. No reference is taken. */
struct nd_object *nd_object_known(IUnknown *, const struct nd_class *);

/* A vtable with the two words that C++ compilers expect before slot 0: dynamic_cast<void *> reads
 * the first. */
#define ND_VTABLE(type, name)            \
	static const struct {            \
		ptrdiff_t offset_to_top; \
		const void *type_info;   \
		type v;                  \
	} name

/* Slots 0 to 2, as functions with the interface's own type. */
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
