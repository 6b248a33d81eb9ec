/* Memory windows. Records to which region each window is bound, and checks whether a binding is
 * allowed.
 *
 * Each region has a list of the windows that are bound to the region. The lock adapter->bindings
 * guards all these lists. So Deregister() sees every bound window, and every later Bind() fails.
 * The NIC executes BIND and INVALIDATE in send queue order (include/rn/abi.h, struct rn_mw_shared).
 * Any thread may call these functions. */
#include "nd2/nd2.h"

#include "nd2/status.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

struct nd_mw {
	struct nd_object obj;
	struct nd_adapter *adapter;
	struct rn_client_mw *nic;
	/* The region of the last binding, and the previous and next window on that region's list.
	 * The last binding may have ended since. adapter->bindings guards these pointers. */
	struct nd_span *span;
	struct nd_mw *next, *prev;
};

static struct nd_mw *mw_of(IND2MemoryWindow *This)
{
	return (struct nd_mw *)This;
}

static void detach(struct nd_mw *mw)
{
	if (mw->span == NULL)
		return;
	if (mw->next != NULL)
		mw->next->prev = mw->prev;
	if (mw->prev != NULL)
		mw->prev->next = mw->next;
	else
		mw->span->windows = mw->next;
	mw->span = NULL;
}

static void attach(struct nd_mw *mw, struct nd_span *span)
{
	detach(mw);
	mw->span = span;
	mw->prev = NULL;
	mw->next = span->windows;
	if (mw->next != NULL)
		mw->next->prev = mw;
	span->windows = mw;
}

/* ---- functions for memory regions ---- */

void nd_span_open(struct nd_adapter *adapter, struct nd_span *span, const struct nd_span *what)
{
	pthread_mutex_lock(&adapter->bindings);
	*span = *what;
	span->open = true;
	span->windows = NULL;
	pthread_mutex_unlock(&adapter->bindings);
}

/* True if a window is bound to the region. Removes windows whose bindings have ended from the
 * region's list. */
static bool is_bound(struct nd_span *span)
{
	struct nd_mw *next;

	for (struct nd_mw *mw = span->windows; mw != NULL; mw = next) {
		next = mw->next;
		if (rn_client_mw_bound(mw->nic))
			return true;
		detach(mw);
	}
	return false;
}

bool nd_span_close(struct nd_adapter *adapter, struct nd_span *span)
{
	bool closed;

	pthread_mutex_lock(&adapter->bindings);
	closed = !is_bound(span);
	if (closed)
		span->open = false;
	pthread_mutex_unlock(&adapter->bindings);
	return closed;
}

void nd_span_abandon(struct nd_adapter *adapter, struct nd_span *span)
{
	pthread_mutex_lock(&adapter->bindings);
	span->open = false;
	while (span->windows != NULL)
		detach(span->windows);
	pthread_mutex_unlock(&adapter->bindings);
}

/* ---- functions for queue pairs ---- */

static HRESULT check(const struct nd_span *span, const struct rn_client_bind *bind)
{
	uint64_t off = bind->addr - span->base;

	if (!span->open || bind->addr < span->base || off > span->length ||
	    bind->length > span->length - off)
		return ND_ACCESS_VIOLATION;
	if (bind->access & RN_ACCESS_REMOTE_WRITE && !(span->access & RN_ACCESS_LOCAL_WRITE))
		return ND_ACCESS_VIOLATION;
	return ND_SUCCESS;
}

HRESULT nd_mw_bind(struct nd_mw *mw, struct nd_qp *qp, struct nd_span *span,
		   const struct rn_client_bind *bind)
{
	struct rn_client_bind full = *bind;
	HRESULT hr;
	int rc = 0;

	pthread_mutex_lock(&mw->adapter->bindings);
	hr = check(span, bind);
	full.lkey = span->lkey;
	if (SUCCEEDED(hr)) {
		rc = rn_client_qp_bind(qp->nic, mw->nic, &full);
		if (rc == 0)
			attach(mw, span);
	}
	pthread_mutex_unlock(&mw->adapter->bindings);
	if (rc == -EBUSY)
		return ND_INVALID_DEVICE_STATE;
	if (rc == -ENOMEM)
		return ND_NO_MORE_ENTRIES;
	return FAILED(hr) ? hr : nd_status_of_errno(rc);
}

HRESULT nd_mw_invalidate(struct nd_mw *mw, struct nd_qp *qp, uint64_t context, uint16_t flags)
{
	int rc;

	pthread_mutex_lock(&mw->adapter->bindings);
	rc = rn_client_qp_invalidate(qp->nic, mw->nic, context, flags);
	pthread_mutex_unlock(&mw->adapter->bindings);
	return rc == -ENOMEM ? ND_NO_MORE_ENTRIES : nd_status_of_errno(rc);
}

struct nd_mw *nd_mw_known(IUnknown *p, const struct nd_adapter *adapter)
{
	struct nd_mw *mw = (struct nd_mw *)nd_object_known(p, &nd_mw_class);

	return mw != NULL && mw->adapter == adapter ? mw : NULL;
}

/* ---- the window object ---- */

/* Unbinds and destroys the window, even if a BIND or INVALIDATE of the window still waits in a send
 * queue. */
static void retire(struct nd_object *obj)
{
	struct nd_mw *mw = (struct nd_mw *)obj;

	pthread_mutex_lock(&mw->adapter->bindings);
	detach(mw);
	pthread_mutex_unlock(&mw->adapter->bindings);
	rn_client_mw_destroy(mw->nic);
}

static void destroy(struct nd_object *obj)
{
	struct nd_mw *mw = (struct nd_mw *)obj;

	nd_object_put(&mw->adapter->obj);
	free(mw);
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2MemoryWindow)

/* Returns the token of the last Bind that was posted for this window. Returns 0 before the first
 * Bind. */
static UINT32 GetRemoteToken(IND2MemoryWindow *This)
{
	OS_REFUSE_CHILD(0);
	return htonl(rn_client_mw_key(mw_of(This)->nic));
}

ND_VTABLE(IND2MemoryWindowVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			GetRemoteToken,
		},
};

const struct nd_class nd_mw_class = {
	.name = "memory window",
	.vtbl = &vtable.v,
	.own = &IID_IND2MemoryWindow,
	.retire = retire,
	.destroy = destroy,
};

HRESULT nd_mw_create(struct nd_adapter *adapter, REFIID iid, void **out)
{
	struct nd_mw *mw;
	int rc;

	if (!nd_class_implements(&nd_mw_class, iid))
		return E_NOINTERFACE;
	mw = calloc(1, sizeof(*mw));
	if (mw == NULL)
		return ND_INSUFFICIENT_RESOURCES;
	rc = rn_client_mw_create(adapter->dev->client, adapter->pd, &mw->nic);
	if (rc != 0) {
		free(mw);
		return rc == -ENODEV ? ND_DEVICE_REMOVED : ND_INSUFFICIENT_RESOURCES;
	}
	mw->adapter = adapter;
	nd_object_ref(&adapter->obj);
	nd_object_init(&mw->obj, &nd_mw_class);
	*out = mw;
	return ND_SUCCESS;
}
