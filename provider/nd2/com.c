/* Reference counts and QueryInterface of all ND2 objects. This file has no state. Any thread may
 * call these functions. */
#include "nd2/com.h"

void nd_object_init(struct nd_object *obj, const struct nd_class *cls)
{
	obj->lpVtbl = cls->vtbl;
	obj->cls = cls;
	atomic_init(&obj->clients, 1);
	atomic_init(&obj->refs, 1);
	obj->live = os_live_of(cls->name);
	os_live_add(obj->live);
}

void nd_object_abandon(struct nd_object *obj)
{
	os_live_remove(obj->live);
}

bool nd_class_implements(const struct nd_class *cls, REFIID riid)
{
	return IsEqualGUID(riid, &IID_IUnknown) || IsEqualGUID(riid, cls->own) ||
	       (cls->base != NULL && IsEqualGUID(riid, cls->base));
}

HRESULT nd_object_query(struct nd_object *obj, REFIID riid, void **ppv)
{
	if (ppv == NULL)
		return E_POINTER;
	*ppv = NULL;
	if (!nd_class_implements(obj->cls, riid))
		return E_NOINTERFACE;
	nd_object_addref(obj);
	*ppv = obj;
	return S_OK;
}

ULONG nd_object_addref(struct nd_object *obj)
{
	return atomic_fetch_add(&obj->clients, 1) + 1;
}

ULONG nd_object_release(struct nd_object *obj)
{
	ULONG left = atomic_fetch_sub(&obj->clients, 1) - 1;

	if (left == 0 && !os_child) {
		OS_UNCANCELLED;

		if (obj->cls->retire != NULL)
			obj->cls->retire(obj);
		nd_object_put(obj);
	}
	return left;
}

void nd_object_ref(struct nd_object *obj)
{
	atomic_fetch_add(&obj->refs, 1);
}

void nd_object_put(struct nd_object *obj)
{
	struct os_live *live = obj->live;

	if (atomic_fetch_sub(&obj->refs, 1) == 1) {
		OS_UNCANCELLED;

		obj->cls->destroy(obj);
		os_live_remove(live);
	}
}

struct nd_object *nd_object_known(IUnknown *p, const struct nd_class *cls)
{
	if (p == NULL || (const void *)p->lpVtbl != cls->vtbl)
		return NULL;
	return (struct nd_object *)p;
}
