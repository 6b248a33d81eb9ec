/*
 * Defines the GUIDs of guid_names.h and implements the interface ICounter in C. test_com_cpp.cc
 * defines the same GUIDs again, which the linker must accept.
 */
#include <initguid.h>

#include "guid_names.h"

#include <stdlib.h>

struct counter {
	ICounter face;
	ULONG references, sum;
};

static HRESULT STDMETHODCALLTYPE query(ICounter *This, REFIID riid, LPVOID *ppv)
{
	if (!IsEqualIID(riid, &IID_ICounter) && !IsEqualIUnknown(riid))
		return E_NOINTERFACE;
	This->lpVtbl->AddRef(This);
	*ppv = This;
	return S_OK;
}

static ULONG STDMETHODCALLTYPE add_ref(ICounter *This)
{
	return ++((struct counter *)This)->references;
}

static ULONG STDMETHODCALLTYPE release(ICounter *This)
{
	ULONG left = --((struct counter *)This)->references;

	if (!left)
		free(This);
	return left;
}

static STDMETHODIMP add(ICounter *This, ULONG n, ULONG *sum)
{
	((struct counter *)This)->sum += n;
	if (sum)
		*sum = ((struct counter *)This)->sum;
	return S_OK;
}

/*
 * The table of functions. C++ callers treat this table as a C++ vtable. In front of slot 0 a vtable
 * has the two fields offset_to_top and type_info, each of pointer size.
 */
static const struct {
	ptrdiff_t offset_to_top;
	const void *type_info;
	ICounterVtbl slots;
} table = {0, NULL, {query, add_ref, release, add}};

ICounter *new_counter(void)
{
	struct counter *counter = calloc(1, sizeof(*counter));

	counter->face.lpVtbl = &table.slots;
	counter->references = 1;
	return &counter->face;
}
