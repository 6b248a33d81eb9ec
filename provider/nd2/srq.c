/* A shared receive queue holds the receives of all queue pairs that were created with this queue.
 * The object also has the Notify requests that wait until few receives are left.
 *
 * - async.lock guards the OVERLAPPEDs of Notify requests, the threshold and the armed limit.
 *   Receive() posts without async.lock.
 * - All waiting Notify requests complete when fewer receives than the threshold are left. The limit
 *   event, Notify() or Modify() may be the first to notice this shortage.
 * - The queue fails only when the adapter's network port is gone.
 *
 * Any thread may call. Events are handled on the event thread. */
#include "nd2/nd2.h"

#include "nd2/status.h"

#include <errno.h>
#include <stdlib.h>

static struct nd_srq *srq_of(IND2SharedReceiveQueue *This)
{
	return (struct nd_srq *)This;
}

/* complete_if_fired() and arm() complete the waiting Notify requests if the number of receives has
 * fallen below the limit. Otherwise arm() arms the limit event. The callers hold async.lock. */

static void complete_if_fired(struct nd_srq *srq)
{
	if (rn_client_srq_fired(srq->srq))
		os_request_list_complete(&srq->async.requests, ND_SUCCESS);
}

static void arm(struct nd_srq *srq)
{
	if (rn_client_srq_arm(srq->srq, srq->threshold))
		os_request_list_complete(&srq->async.requests, ND_SUCCESS);
}

static void cancel(struct nd_srq *srq)
{
	pthread_mutex_lock(&srq->async.lock);
	rn_client_srq_disarm(srq->srq);
	os_request_list_cancel(&srq->async.requests, ND_CANCELED);
	pthread_mutex_unlock(&srq->async.lock);
}

static void retire(struct nd_object *obj)
{
	cancel((struct nd_srq *)obj);
}

/* Runs when the last reference is dropped. No queue pair uses this SRQ any more, since each queue
 * pair holds a reference on its SRQ. */
static void destroy(struct nd_object *obj)
{
	struct nd_srq *srq = (struct nd_srq *)obj;

	nd_device_unroute(srq->async.adapter->dev, ND_ROUTE_SRQ, rn_client_srq_id(srq->srq));
	rn_client_srq_destroy(srq->srq);
	nd_async_fini(&srq->async);
	free(srq);
}

static void event(struct nd_object *obj, const struct rn_event *ev)
{
	struct nd_srq *srq = (struct nd_srq *)obj;

	pthread_mutex_lock(&srq->async.lock);
	if (ev->kind == RN_EVENT_SRQ_LIMIT)
		complete_if_fired(srq);
	else if (ev->kind == RN_EVENT_PORT_GONE)
		os_request_list_complete(&srq->async.requests, ND_DEVICE_REMOVED);
	pthread_mutex_unlock(&srq->async.lock);
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2SharedReceiveQueue)

static HRESULT CancelOverlappedRequests(IND2SharedReceiveQueue *This)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	cancel(srq_of(This));
	return ND_SUCCESS;
}

static HRESULT GetOverlappedResult(IND2SharedReceiveQueue *This, OVERLAPPED *pOverlapped, BOOL wait)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return nd_overlapped_result(pOverlapped, wait);
}

static HRESULT GetNotifyAffinity(IND2SharedReceiveQueue *This, USHORT *pGroup, KAFFINITY *pAffinity)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	if (nd_gone(srq_of(This)->async.adapter))
		return ND_DEVICE_REMOVED;
	return nd_notify_affinity(pGroup, pAffinity);
}

/* Changes the depth and the threshold, or neither of them. Changes the depth first, since only this
 * step can fail. A new threshold also applies to Notify requests that wait already. */
static HRESULT modify_locked(struct nd_srq *srq, ULONG depth, ULONG threshold)
{
	int rc = depth != 0 ? rn_client_srq_resize(srq->srq, depth) : 0;

	if (rc != 0)
		return rc == -ENOMEM ? ND_INSUFFICIENT_RESOURCES : nd_status_of_errno(rc);
	if (threshold == 0)
		return ND_SUCCESS;
	complete_if_fired(srq);
	srq->threshold = threshold;
	if (!os_request_list_empty(&srq->async.requests))
		arm(srq);
	return ND_SUCCESS;
}

static HRESULT Modify(IND2SharedReceiveQueue *This, ULONG queueDepth, ULONG notifyThreshold)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_srq *srq = srq_of(This);
	HRESULT hr;

	if (nd_gone(srq->async.adapter))
		return ND_DEVICE_REMOVED;
	if (queueDepth > srq->async.adapter->limits.MaxSharedReceiveQueueDepth)
		return ND_INVALID_PARAMETER;
	pthread_mutex_lock(&srq->async.lock);
	hr = modify_locked(srq, queueDepth, notifyThreshold);
	pthread_mutex_unlock(&srq->async.lock);
	return hr;
}

static HRESULT notify_locked(struct nd_srq *srq, struct os_request *request)
{
	/* The caller holds async.lock, which the handler of RN_EVENT_PORT_GONE takes too. So no
	 * Notify request is added after that event. */
	if (nd_gone(srq->async.adapter)) {
		os_request_refuse(request, ND_DEVICE_REMOVED);
		return ND_DEVICE_REMOVED;
	}
	/* If the limit event has fired by now, it belongs to the earlier Notify requests. Complete
	 * these before the new request is added. */
	complete_if_fired(srq);
	os_request_list_add(&srq->async.requests, request);
	arm(srq);
	return ND_PENDING;
}

static HRESULT Notify(IND2SharedReceiveQueue *This, OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_srq *srq = srq_of(This);
	struct os_request *request;
	HRESULT hr = os_request_begin(srq->async.file, pOverlapped, &request);

	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&srq->async.lock);
	hr = notify_locked(srq, request);
	pthread_mutex_unlock(&srq->async.lock);
	return hr;
}

static HRESULT Receive(IND2SharedReceiveQueue *This, void *requestContext, const ND2_SGE sge[],
		       ULONG nSge)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_srq *srq = srq_of(This);
	const struct rn_client_wr wr = {
		.kind = RN_WQE_RECV,
		.wr_id = (uintptr_t)requestContext,
		.sge = (const struct rn_sge *)sge,
		.num_sge = nSge,
	};
	int rc;

	if (sge == NULL && nSge != 0)
		return ND_INVALID_PARAMETER_2;
	rc = rn_client_srq_post(srq->srq, &wr);
	return rc == -ENOMEM ? ND_NO_MORE_ENTRIES : nd_status_of_errno(rc);
}

ND_VTABLE(IND2SharedReceiveQueueVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			CancelOverlappedRequests,
			GetOverlappedResult,
			GetNotifyAffinity,
			Modify,
			Notify,
			Receive,
		},
};

const struct nd_class nd_srq_class = {
	.name = "shared receive queue",
	.vtbl = &vtable.v,
	.own = &IID_IND2SharedReceiveQueue,
	.base = &IID_IND2Overlapped,
	.retire = retire,
	.destroy = destroy,
	.event = event,
};

static int make(struct nd_srq *srq, const struct nd_srq_init *init)
{
	struct nd_adapter *adapter = srq->async.adapter;
	const struct rn_client_srq_init nic = {
		.pd = adapter->pd,
		.depth = init->depth,
		.max_sge = init->max_sge,
		.max_length = adapter->limits.MaxTransferLength,
		.user = (uintptr_t)srq,
	};

	srq->threshold = init->threshold;
	return rn_client_srq_create(adapter->dev->client, &nic, &srq->srq);
}

HRESULT nd_srq_create(struct nd_adapter *adapter, REFIID iid, HANDLE file,
		      const struct nd_srq_init *init, void **out)
{
	struct nd_srq *srq;
	HRESULT hr;
	int rc;

	if (!nd_class_implements(&nd_srq_class, iid))
		return E_NOINTERFACE;
	if (init->depth == 0 || init->depth > adapter->limits.MaxSharedReceiveQueueDepth)
		return ND_INVALID_PARAMETER_3;
	if (init->max_sge > adapter->limits.MaxReceiveSge)
		return ND_INVALID_PARAMETER_4;
	srq = calloc(1, sizeof(*srq));
	if (srq == NULL)
		return ND_NO_MEMORY;
	hr = nd_async_init(&srq->async, adapter, file);
	if (FAILED(hr)) {
		free(srq);
		return hr;
	}
	rc = make(srq, init);
	if (rc != 0) {
		nd_async_fini(&srq->async);
		free(srq);
		return nd_status_of_errno(rc);
	}
	/* From now on, dropping the last reference destroys the object. */
	nd_object_init(&srq->obj, &nd_srq_class);
	rc = nd_device_route(adapter->dev, ND_ROUTE_SRQ, rn_client_srq_id(srq->srq), &srq->obj);
	if (rc != 0) {
		nd_object_put(&srq->obj);
		return nd_status_of_errno(rc);
	}
	*out = srq;
	return ND_SUCCESS;
}
