/* Completion queues: the results that GetResults returns, and the OVERLAPPEDs of waiting Notify
 * requests. provider/client decides when a CQ fires (rn_client_cq_arm() and so on). The CQ's lock
 * is held from the firing until the waiting Notify requests have completed. So other threads see
 * the firing and the end of these requests as one step.
 *
 * Notify requests of all types are on one list, so that CancelOverlappedRequests ends them in the
 * order in which Notify was called. A Notify request for ND_CQ_NOTIFY_ERRORS completes when the CQ
 * fails, never by a result.
 *
 * Any thread may call these functions. Events are handled on the event thread. */
#include "nd2/nd2.h"

#include "nd2/status.h"

#include <errno.h>
#include <stdlib.h>

#define BATCH 16

enum waits_for {
	WAITS_FOR_FAILURE,
	WAITS_FOR_RESULTS,
};

static struct nd_cq *cq_of(IND2CompletionQueue *This)
{
	return (struct nd_cq *)This;
}

/* Completes all Notify requests that wait for results. To be called when the CQ has fired. The
 * caller holds the CQ's lock. */
static void complete_waiters(struct nd_cq *cq)
{
	struct os_request *request;

	while ((request = os_request_list_take_kind(&cq->async.requests, WAITS_FOR_RESULTS)) !=
	       NULL)
		os_request_complete(request, ND_SUCCESS);
}

static void cancel(struct nd_cq *cq)
{
	rn_client_cq_lock(cq->cq);
	rn_client_cq_disarm(cq->cq);
	os_request_list_cancel(&cq->async.requests, ND_CANCELED);
	rn_client_cq_unlock(cq->cq);
}

static void retire(struct nd_object *obj)
{
	cancel((struct nd_cq *)obj);
}

/* Runs when the last reference on the CQ is gone. Each queue pair holds a reference on its CQs, so
 * no queue pair uses this CQ any more. */
static void destroy(struct nd_object *obj)
{
	struct nd_cq *cq = (struct nd_cq *)obj;

	nd_device_unroute(cq->async.adapter->dev, ND_ROUTE_CQ, rn_client_cq_id(cq->cq));
	rn_client_cq_destroy(cq->cq);
	nd_async_fini(&cq->async);
	free(cq);
}

static void fail_queue(struct nd_cq *cq, HRESULT status)
{
	cq->dead = status;
	rn_client_cq_disarm(cq->cq);
	os_request_list_complete(&cq->async.requests, status);
}

static void event(struct nd_object *obj, const struct rn_event *ev)
{
	struct nd_cq *cq = (struct nd_cq *)obj;

	rn_client_cq_lock(cq->cq);
	if (ev->kind == RN_EVENT_CQ && rn_client_cq_fired(cq->cq))
		complete_waiters(cq);
	else if (ev->kind == RN_EVENT_CQ_OVERRUN)
		fail_queue(cq, ND_BUFFER_OVERFLOW);
	else if (ev->kind == RN_EVENT_PORT_GONE)
		fail_queue(cq, ND_DEVICE_REMOVED);
	rn_client_cq_unlock(cq->cq);
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2CompletionQueue)

static HRESULT CancelOverlappedRequests(IND2CompletionQueue *This)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	cancel(cq_of(This));
	return ND_SUCCESS;
}

static HRESULT GetOverlappedResult(IND2CompletionQueue *This, OVERLAPPED *pOverlapped, BOOL wait)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return nd_overlapped_result(pOverlapped, wait);
}

static HRESULT GetNotifyAffinity(IND2CompletionQueue *This, USHORT *pGroup, KAFFINITY *pAffinity)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	if (nd_gone(cq_of(This)->async.adapter))
		return ND_DEVICE_REMOVED;
	return nd_notify_affinity(pGroup, pAffinity);
}

static HRESULT Resize(IND2CompletionQueue *This, ULONG queueDepth)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_cq *cq = cq_of(This);
	const ND2_ADAPTER_INFO *limits = &cq->async.adapter->limits;
	HRESULT dead;
	int rc;

	if (nd_gone(cq->async.adapter))
		return ND_DEVICE_REMOVED;
	if (!(limits->AdapterFlags & ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED))
		return ND_NOT_SUPPORTED;
	if (queueDepth == 0 || queueDepth > limits->MaxCompletionQueueDepth)
		return ND_INVALID_PARAMETER;
	rn_client_cq_lock(cq->cq);
	dead = cq->dead;
	rn_client_cq_unlock(cq->cq);
	if (FAILED(dead))
		return dead;
	rc = rn_client_cq_resize(cq->cq, queueDepth);
	return nd_status_short(rc);
}

static HRESULT notify_locked(struct nd_cq *cq, ULONG type, struct os_request *request)
{
	enum rn_cq_arm what = type == ND_CQ_NOTIFY_SOLICITED ? RN_CQ_ARM_SOLICITED : RN_CQ_ARM_ANY;
	HRESULT hr = nd_gone(cq->async.adapter) ? ND_DEVICE_REMOVED : cq->dead;

	if (FAILED(hr)) {
		os_request_refuse(request, hr);
		return hr;
	}
	request->kind = type == ND_CQ_NOTIFY_ERRORS ? WAITS_FOR_FAILURE : WAITS_FOR_RESULTS;
	os_request_list_add(&cq->async.requests, request);
	if (request->kind == WAITS_FOR_RESULTS && rn_client_cq_arm(cq->cq, what))
		complete_waiters(cq);
	return ND_PENDING;
}

static HRESULT Notify(IND2CompletionQueue *This, ULONG type, OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_cq *cq = cq_of(This);
	struct os_request *request;
	HRESULT hr;

	if (type > ND_CQ_NOTIFY_SOLICITED)
		return ND_INVALID_PARAMETER_1;
	hr = os_request_begin(cq->async.file, pOverlapped, &request);
	if (FAILED(hr))
		return hr;
	rn_client_cq_lock(cq->cq);
	hr = notify_locked(cq, type, request);
	rn_client_cq_unlock(cq->cq);
	return hr;
}

static void translate(const struct rn_cqe *cqe, ND2_RESULT *result)
{
	result->Status = nd_status_of_completion(cqe->kind, cqe->status);
	/* A WRITE with immediate data takes a Receive, but stores no data in the buffer of the
	 * Receive. */
	result->BytesTransferred = cqe->status == RN_STATUS_SUCCESS && !(cqe->flags & RN_CQE_WRITE)
					   ? cqe->byte_len
					   : 0;
	result->QueuePairContext = (void *)(uintptr_t)cqe->qp_ctx;
	result->RequestContext = (void *)(uintptr_t)cqe->wr_id;
	result->RequestType =
		cqe->flags & RN_CQE_RECV ? Nd2RequestTypeReceive : nd_request_type(cqe->kind);
}

static ULONG GetResults(IND2CompletionQueue *This, ND2_RESULT results[], ULONG nResults)
{
	OS_REFUSE_CHILD(0);
	struct nd_cq *cq = cq_of(This);
	struct rn_cqe cqe[BATCH];
	ULONG got = 0;

	rn_client_cq_lock(cq->cq);
	while (got < nResults) {
		unsigned want = nResults - got < BATCH ? nResults - got : BATCH;
		bool fired;
		unsigned n = rn_client_cq_poll(cq->cq, cqe, want, &fired);

		if (fired)
			complete_waiters(cq);
		for (unsigned i = 0; i < n; i++)
			translate(&cqe[i], &results[got++]);
		if (n < want)
			break;
	}
	rn_client_cq_unlock(cq->cq);
	return got;
}

ND_VTABLE(IND2CompletionQueueVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			CancelOverlappedRequests,
			GetOverlappedResult,
			GetNotifyAffinity,
			Resize,
			Notify,
			GetResults,
		},
};

const struct nd_class nd_cq_class = {
	.name = "completion queue",
	.vtbl = &vtable.v,
	.own = &IID_IND2CompletionQueue,
	.base = &IID_IND2Overlapped,
	.retire = retire,
	.destroy = destroy,
	.event = event,
};

static HRESULT make(struct nd_cq *cq, struct nd_adapter *adapter, ULONG depth)
{
	int rc = rn_client_cq_create(adapter->dev->client, depth, cq->affinity, (uintptr_t)cq,
				     &cq->cq);

	if (rc == 0) {
		rc = nd_device_route(adapter->dev, ND_ROUTE_CQ, rn_client_cq_id(cq->cq), &cq->obj);
		if (rc != 0)
			rn_client_cq_destroy(cq->cq);
	}
	return nd_status_of_errno(rc);
}

HRESULT nd_cq_create(struct nd_adapter *adapter, REFIID iid, HANDLE file, ULONG depth,
		     uint64_t affinity, void **out)
{
	struct nd_cq *cq;
	HRESULT hr;

	if (!nd_class_implements(&nd_cq_class, iid))
		return E_NOINTERFACE;
	if (depth == 0 || depth > adapter->limits.MaxCompletionQueueDepth)
		return ND_INVALID_PARAMETER_3;
	cq = calloc(1, sizeof(*cq));
	if (cq == NULL)
		return ND_NO_MEMORY;
	hr = nd_async_init(&cq->async, adapter, file);
	if (FAILED(hr)) {
		free(cq);
		return hr;
	}
	nd_object_init(&cq->obj, &nd_cq_class);
	cq->affinity = affinity;
	hr = make(cq, adapter, depth);
	if (FAILED(hr)) {
		nd_object_abandon(&cq->obj);
		nd_async_fini(&cq->async);
		free(cq);
		return hr;
	}
	*out = cq;
	return ND_SUCCESS;
}
