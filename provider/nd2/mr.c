/* Memory regions. Register() executes one command on the NIC and knows the tokens before it
 * returns. Even so, a successful Register() returns ND_PENDING and reports success through the
 * OVERLAPPED. Any thread may call these functions. */
#include "nd2/nd2.h"

#include "nd2/status.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#define KNOWN_FLAGS                                                    \
	(ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_ALLOW_REMOTE_READ | \
	 ND_MR_FLAG_ALLOW_REMOTE_WRITE | ND_MR_FLAG_RDMA_READ_SINK | ND_MR_FLAG_DO_NOT_SECURE_VM)
/* the bit of ALLOW_REMOTE_WRITE alone, without the included LOCAL_WRITE bit */
#define REMOTE_WRITE_BIT (ND_MR_FLAG_ALLOW_REMOTE_WRITE & ~ND_MR_FLAG_ALLOW_LOCAL_WRITE)

struct nd_mr {
	struct nd_object obj;
	struct nd_async async;
	bool registered;
	/* address range and rights, checked when a memory window is bound */
	struct nd_span span;
	_Atomic uint32_t lkey, rkey; /* 0 while the region is not registered */
};

static struct nd_mr *mr_of(IND2MemoryRegion *This)
{
	return (struct nd_mr *)This;
}

static int deregister_now(struct nd_mr *mr)
{
	int rc;

	if (!mr->registered)
		return 0;
	rc = rn_client_mr_deregister(mr->async.adapter->dev->client, mr->lkey);
	if (rc == 0) {
		mr->registered = false;
		mr->lkey = 0;
		mr->rkey = 0;
	}
	return rc;
}

static void retire(struct nd_object *obj)
{
	struct nd_mr *mr = (struct nd_mr *)obj;

	pthread_mutex_lock(&mr->async.lock);
	nd_span_abandon(mr->async.adapter, &mr->span);
	deregister_now(mr);
	os_request_list_cancel(&mr->async.requests, ND_CANCELED);
	pthread_mutex_unlock(&mr->async.lock);
}

static void destroy(struct nd_object *obj)
{
	struct nd_mr *mr = (struct nd_mr *)obj;

	nd_async_fini(&mr->async);
	free(mr);
}

static uint32_t access_of(ULONG flags)
{
	uint32_t access = RN_ACCESS_MW_BIND;

	if (flags & ND_MR_FLAG_ALLOW_LOCAL_WRITE)
		access |= RN_ACCESS_LOCAL_WRITE;
	if (flags & ND_MR_FLAG_ALLOW_REMOTE_READ)
		access |= RN_ACCESS_REMOTE_READ;
	if (flags & REMOTE_WRITE_BIT)
		access |= RN_ACCESS_REMOTE_WRITE | RN_ACCESS_LOCAL_WRITE;
	return access;
}

struct nd_span *nd_mr_span(IUnknown *p, const struct nd_adapter *adapter)
{
	struct nd_mr *mr = (struct nd_mr *)nd_object_known(p, &nd_mr_class);

	return mr != NULL && mr->async.adapter == adapter ? &mr->span : NULL;
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2MemoryRegion)

/* Cancels nothing: the NIC executes Register() and Deregister() before these methods return.
 * Publishes the completions of earlier requests, which must be visible when the method returns. */
static HRESULT CancelOverlappedRequests(IND2MemoryRegion *This)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_mr *mr = mr_of(This);

	pthread_mutex_lock(&mr->async.lock);
	os_request_list_cancel(&mr->async.requests, ND_CANCELED);
	pthread_mutex_unlock(&mr->async.lock);
	return ND_SUCCESS;
}

static HRESULT GetOverlappedResult(IND2MemoryRegion *This, OVERLAPPED *pOverlapped, BOOL wait)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return nd_overlapped_result(pOverlapped, wait);
}

static void open_span(struct nd_mr *mr, const void *buffer, SIZE_T size, ULONG flags)
{
	const struct nd_span span = {
		.base = (uintptr_t)buffer,
		.length = size,
		.access = access_of(flags),
		.lkey = mr->lkey,
	};

	nd_span_open(mr->async.adapter, &mr->span, &span);
}

static HRESULT register_locked(struct nd_mr *mr, const void *buffer, SIZE_T size, ULONG flags)
{
	uint32_t lkey, rkey;
	int rc;

	if (mr->registered)
		return ND_INVALID_DEVICE_STATE;
	rc = rn_client_mr_register(mr->async.adapter->dev->client, mr->async.adapter->pd,
				   (void *)(uintptr_t)buffer, size, (uintptr_t)buffer,
				   access_of(flags), &lkey, &rkey);
	if (rc != 0)
		return nd_status_short(rc);
	mr->lkey = lkey;
	mr->rkey = rkey;
	mr->registered = true;
	open_span(mr, buffer, size, flags);
	return ND_SUCCESS;
}

/* Reports a status that is known when the method returns: an error as the return value, success
 * through the OVERLAPPED. */
static HRESULT end_request(struct os_request *request, HRESULT status)
{
	if (FAILED(status)) {
		os_request_refuse(request, status);
		return status;
	}
	os_request_complete(request, status);
	return ND_PENDING;
}

static HRESULT Register(IND2MemoryRegion *This, const void *pBuffer, SIZE_T cbBuffer, ULONG flags,
			OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_mr *mr = mr_of(This);
	struct os_request *request;
	HRESULT hr;

	if (nd_gone(mr->async.adapter))
		return ND_DEVICE_REMOVED;
	if (pBuffer == NULL)
		return ND_INVALID_PARAMETER;
	if (cbBuffer == 0)
		return ND_INVALID_BUFFER_SIZE;
	if (cbBuffer > mr->async.adapter->limits.MaxRegistrationSize)
		return ND_INVALID_PARAMETER;
	if ((uintptr_t)pBuffer + cbBuffer < (uintptr_t)pBuffer)
		return ND_ACCESS_VIOLATION;
	if (flags & ~(ULONG)KNOWN_FLAGS)
		return ND_INVALID_PARAMETER_3;
	hr = os_request_begin(mr->async.file, pOverlapped, &request);
	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&mr->async.lock);
	hr = end_request(request, register_locked(mr, pBuffer, cbBuffer, flags));
	pthread_mutex_unlock(&mr->async.lock);
	return hr;
}

static HRESULT Deregister(IND2MemoryRegion *This, OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_mr *mr = mr_of(This);
	struct os_request *request;
	HRESULT hr = os_request_begin(mr->async.file, pOverlapped, &request);

	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&mr->async.lock);
	if (!mr->registered)
		hr = ND_INVALID_DEVICE_STATE;
	else if (!nd_span_close(mr->async.adapter, &mr->span))
		hr = ND_DEVICE_BUSY;
	else
		hr = nd_status_of_errno(deregister_now(mr));
	hr = end_request(request, hr);
	pthread_mutex_unlock(&mr->async.lock);
	return hr;
}

static UINT32 GetLocalToken(IND2MemoryRegion *This)
{
	OS_REFUSE_CHILD(0);
	return mr_of(This)->lkey;
}

static UINT32 GetRemoteToken(IND2MemoryRegion *This)
{
	OS_REFUSE_CHILD(0);
	return htonl(mr_of(This)->rkey);
}

ND_VTABLE(IND2MemoryRegionVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			CancelOverlappedRequests,
			GetOverlappedResult,
			Register,
			Deregister,
			GetLocalToken,
			GetRemoteToken,
		},
};

const struct nd_class nd_mr_class = {
	.name = "memory region",
	.vtbl = &vtable.v,
	.own = &IID_IND2MemoryRegion,
	.base = &IID_IND2Overlapped,
	.retire = retire,
	.destroy = destroy,
};

HRESULT nd_mr_create(struct nd_adapter *adapter, REFIID iid, HANDLE file, void **out)
{
	struct nd_mr *mr;
	HRESULT hr;

	if (!nd_class_implements(&nd_mr_class, iid))
		return E_NOINTERFACE;
	mr = calloc(1, sizeof(*mr));
	if (mr == NULL)
		return ND_NO_MEMORY;
	hr = nd_async_init(&mr->async, adapter, file);
	if (FAILED(hr)) {
		free(mr);
		return hr;
	}
	nd_object_init(&mr->obj, &nd_mr_class);
	*out = mr;
	return ND_SUCCESS;
}
