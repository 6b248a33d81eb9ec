/*
 * Defines the GUIDs that guid_names.h declares, and implements a counter object in C. The file
 * test_com_cpp.cc defines the same GUIDs a second time; the linker must accept that.
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
 * The table of functions. Callers compiled as C++ treat it as a C++ vtable, where two fields of
 * pointer size, offset_to_top and type_info, stand in front of slot 0.
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
