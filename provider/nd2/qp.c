/* Queue pairs: turns the requests of clients into work requests of the NIC, and moves a queue pair
 * through the states of a connection.
 *
 * A method that posts a work request takes only the lock of the send queue or receive queue. All
 * other functions take qp->lock, so that Release does not destroy qp->nic meanwhile. Any thread may
 * call. */
#include "nd2/nd2.h"

#include "nd2/status.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#define SEND_FLAGS                                                                               \
	(ND_OP_FLAG_SILENT_SUCCESS | ND_OP_FLAG_READ_FENCE | ND_OP_FLAG_SEND_AND_SOLICIT_EVENT | \
	 ND_OP_FLAG_INLINE)
#define WRITE_FLAGS (ND_OP_FLAG_SILENT_SUCCESS | ND_OP_FLAG_READ_FENCE | ND_OP_FLAG_INLINE)
#define READ_FLAGS  (ND_OP_FLAG_SILENT_SUCCESS | ND_OP_FLAG_READ_FENCE)
#define BIND_FLAGS                                                                   \
	(ND_OP_FLAG_SILENT_SUCCESS | ND_OP_FLAG_READ_FENCE | ND_OP_FLAG_ALLOW_READ | \
	 ND_OP_FLAG_ALLOW_WRITE)
#define INVALIDATE_FLAGS (ND_OP_FLAG_SILENT_SUCCESS | ND_OP_FLAG_READ_FENCE)

#define FLUSH_WAIT_MS 500

static_assert(sizeof(ND2_SGE) == sizeof(struct rn_sge), "one layout");
static_assert(offsetof(ND2_SGE, BufferLength) == offsetof(struct rn_sge, length), "one layout");
static_assert(offsetof(ND2_SGE, MemoryRegionToken) == offsetof(struct rn_sge, lkey), "one layout");

static struct nd_qp *qp_of(IND2QueuePair *This)
{
	return (struct nd_qp *)This;
}

static void to_error_locked(struct nd_qp *qp)
{
	struct rn_qp_attr attr = {.state = RN_QPS_ERR};

	if (qp->nic == NULL)
		return;
	rn_client_qp_modify(qp->nic, &attr, RN_QP_STATE);
	rn_client_qp_drain(qp->nic, FLUSH_WAIT_MS);
}

void nd_qp_flush(struct nd_qp *qp)
{
	pthread_mutex_lock(&qp->lock);
	to_error_locked(qp);
	pthread_mutex_unlock(&qp->lock);
}

bool nd_qp_drain(struct nd_qp *qp)
{
	struct rn_qp_attr attr = {.state = RN_QPS_SQD, .sqd_notify = 1};
	bool draining;

	pthread_mutex_lock(&qp->lock);
	draining = qp->nic != NULL &&
		   rn_client_qp_modify(qp->nic, &attr, RN_QP_STATE | RN_QP_SQD_NOTIFY) == 0;
	pthread_mutex_unlock(&qp->lock);
	return draining;
}

bool nd_qp_failed(struct nd_qp *qp)
{
	bool failed;

	pthread_mutex_lock(&qp->lock);
	failed = qp->nic == NULL || rn_client_qp_state(qp->nic) == RN_QPS_ERR;
	pthread_mutex_unlock(&qp->lock);
	return failed;
}

void nd_qp_close(struct nd_qp *qp)
{
	atomic_store(&qp->phase, ND_QP_CLOSED);
}

static int to_init(struct nd_qp *qp)
{
	struct rn_qp_attr attr = {
		.state = RN_QPS_INIT,
		.port = 1,
		.access = RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ,
	};

	return rn_client_qp_modify(qp->nic, &attr,
				   RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS);
}

int nd_qp_connect(struct nd_qp *qp, const struct rn_qp_attr *want)
{
	struct rn_qp_attr attr = *want;
	int rc = -ENOTCONN;

	pthread_mutex_lock(&qp->lock);
	if (qp->nic != NULL) {
		attr.state = RN_QPS_RTR;
		rc = rn_client_qp_modify(qp->nic, &attr,
					 RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN |
						 RN_QP_RQ_PSN | RN_QP_MAX_DEST_RD_ATOMIC |
						 RN_QP_MIN_RNR_TIMER);
	}
	if (rc == 0) {
		attr.state = RN_QPS_RTS;
		rc = rn_client_qp_modify(qp->nic, &attr,
					 RN_QP_STATE | RN_QP_TIMEOUT | RN_QP_RETRY_CNT |
						 RN_QP_RNR_RETRY | RN_QP_SQ_PSN |
						 RN_QP_MAX_RD_ATOMIC);
	}
	if (rc == 0) {
		atomic_store(&qp->max_reads, attr.max_rd_atomic);
		atomic_store(&qp->phase, ND_QP_OPEN);
	}
	pthread_mutex_unlock(&qp->lock);
	return rc;
}

/* Returns the connector tied to the queue pair, with a reference. Returns NULL if there is none. */
static struct nd_connector *tied_connector(struct nd_qp *qp)
{
	struct nd_connector *connector;

	pthread_mutex_lock(&qp->adapter->ties);
	connector = qp->connector;
	if (connector != NULL)
		nd_object_ref((struct nd_object *)connector);
	pthread_mutex_unlock(&qp->adapter->ties);
	return connector;
}

static void release_nic_object(struct nd_qp *qp)
{
	pthread_mutex_lock(&qp->lock);
	to_error_locked(qp);
	if (qp->nic != NULL)
		rn_client_qp_destroy(qp->nic);
	qp->nic = NULL;
	pthread_mutex_unlock(&qp->lock);
}

/* Disconnects the queue pair if it is connected, and destroys the NIC's queue pair. Pending work
 * requests complete with ND_CANCELED. Their results stay in the completion queues. */
static void retire(struct nd_object *obj)
{
	struct nd_qp *qp = (struct nd_qp *)obj;
	struct nd_connector *connector = tied_connector(qp);

	if (connector != NULL) {
		nd_connector_qp_released(connector);
		nd_object_put((struct nd_object *)connector);
	}
	nd_device_unroute(qp->adapter->dev, ND_ROUTE_QP, qp->qpn);
	release_nic_object(qp);
}

static void destroy(struct nd_object *obj)
{
	struct nd_qp *qp = (struct nd_qp *)obj;

	pthread_mutex_destroy(&qp->lock);
	nd_object_put(&qp->recv_cq->obj);
	nd_object_put(&qp->send_cq->obj);
	if (qp->srq != NULL)
		nd_object_put(&qp->srq->obj);
	nd_object_put(&qp->adapter->obj);
	free(qp);
}

static void event(struct nd_object *obj, const struct rn_event *ev)
{
	struct nd_qp *qp = (struct nd_qp *)obj;
	struct nd_connector *connector;

	if (ev->kind != RN_EVENT_QP_FATAL && ev->kind != RN_EVENT_QP_REQ_ERR &&
	    ev->kind != RN_EVENT_QP_ACCESS_ERR && ev->kind != RN_EVENT_SQ_DRAINED)
		return;
	connector = tied_connector(qp);
	if (connector == NULL)
		return;
	if (ev->kind == RN_EVENT_SQ_DRAINED)
		nd_connector_drained(connector);
	else
		nd_connector_qp_failed(connector);
	nd_object_put((struct nd_object *)connector);
}

static uint16_t wqe_flags(ULONG flags)
{
	uint16_t out = 0;

	if (!(flags & ND_OP_FLAG_SILENT_SUCCESS))
		out |= RN_WQE_SIGNALED;
	if (flags & ND_OP_FLAG_READ_FENCE)
		out |= RN_WQE_FENCE;
	if (flags & ND_OP_FLAG_SEND_AND_SOLICIT_EVENT)
		out |= RN_WQE_SOLICITED;
	if (flags & ND_OP_FLAG_INLINE)
		out |= RN_WQE_INLINE;
	return out;
}

/* The queue pair is not connected, so it takes Receives only. Returns the error for any other work
 * request. */
static HRESULT not_open(const struct nd_qp *qp)
{
	return nd_gone(qp->adapter) ? ND_DEVICE_REMOVED : ND_CONNECTION_INVALID;
}

static HRESULT post(struct nd_qp *qp, const struct rn_client_wr *wr)
{
	int rc;

	if (wr->sge == NULL && wr->num_sge != 0)
		return ND_INVALID_PARAMETER_2;
	rc = rn_client_qp_post(qp->nic, wr);
	return rc == -ENOMEM ? ND_NO_MORE_ENTRIES : nd_status_of_errno(rc);
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2QueuePair)

/* Flushes all work requests. A queue pair that was never connected becomes closed, and can then not
 * be connected any more. */
static HRESULT Flush(IND2QueuePair *This)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_qp *qp = qp_of(This);
	uint32_t idle = ND_QP_IDLE;

	atomic_compare_exchange_strong(&qp->phase, &idle, ND_QP_CLOSED);
	nd_qp_flush(qp);
	return ND_SUCCESS;
}

static HRESULT Send(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
		    ULONG flags)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_qp *qp = qp_of(This);
	struct rn_client_wr wr = {
		.kind = RN_WQE_SEND,
		.flags = wqe_flags(flags),
		.wr_id = (uintptr_t)requestContext,
		.sge = (const struct rn_sge *)sge,
		.num_sge = nSge,
	};

	if (flags & ~(ULONG)SEND_FLAGS)
		return ND_INVALID_PARAMETER_4;
	if (atomic_load(&qp->phase) != ND_QP_OPEN)
		return not_open(qp);
	return post(qp, &wr);
}

static HRESULT Receive(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct rn_client_wr wr = {
		.kind = RN_WQE_RECV,
		.flags = RN_WQE_SIGNALED,
		.wr_id = (uintptr_t)requestContext,
		.sge = (const struct rn_sge *)sge,
		.num_sge = nSge,
	};

	if (qp_of(This)->srq != NULL)
		return nd_gone(qp_of(This)->adapter) ? ND_DEVICE_REMOVED
						     : ND_INVALID_DEVICE_REQUEST;
	return post(qp_of(This), &wr);
}

static HRESULT Bind(IND2QueuePair *This, void *requestContext, IUnknown *pMemoryRegion,
		    IUnknown *pMemoryWindow, const void *pBuffer, SIZE_T cbBuffer, ULONG flags)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_qp *qp = qp_of(This);
	struct nd_span *span = nd_mr_span(pMemoryRegion, qp->adapter);
	struct nd_mw *mw = nd_mw_known(pMemoryWindow, qp->adapter);
	const struct rn_client_bind bind = {
		.wr_id = (uintptr_t)requestContext,
		.flags = wqe_flags(flags),
		.addr = (uintptr_t)pBuffer,
		.length = cbBuffer,
		.access = (flags & ND_OP_FLAG_ALLOW_READ ? RN_ACCESS_REMOTE_READ : 0) |
			  (flags & ND_OP_FLAG_ALLOW_WRITE ? RN_ACCESS_REMOTE_WRITE : 0),
	};

	if (flags & ~(ULONG)BIND_FLAGS)
		return ND_INVALID_PARAMETER_6;
	if (nd_gone(qp->adapter) || atomic_load(&qp->phase) != ND_QP_OPEN)
		return not_open(qp);
	if (span == NULL)
		return ND_INVALID_PARAMETER_2;
	if (mw == NULL)
		return ND_INVALID_PARAMETER_3;
	return nd_mw_bind(mw, qp, span, &bind);
}

static HRESULT Invalidate(IND2QueuePair *This, void *requestContext, IUnknown *pMemoryWindow,
			  ULONG flags)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_qp *qp = qp_of(This);
	struct nd_mw *mw = nd_mw_known(pMemoryWindow, qp->adapter);

	if (flags & ~(ULONG)INVALIDATE_FLAGS)
		return ND_INVALID_PARAMETER_3;
	if (nd_gone(qp->adapter) || atomic_load(&qp->phase) != ND_QP_OPEN)
		return not_open(qp);
	if (mw == NULL)
		return ND_INVALID_PARAMETER_2;
	return nd_mw_invalidate(mw, qp, (uintptr_t)requestContext, wqe_flags(flags));
}

/* Ignores ND_OP_FLAG_INLINE, since some clients pass the flags of a Send or Write to Read as
 * well. */
static HRESULT Read(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
		    UINT64 remoteAddress, UINT32 remoteToken, ULONG flags)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_qp *qp = qp_of(This);
	struct rn_client_wr wr = {
		.kind = RN_WQE_READ,
		.flags = wqe_flags(flags & READ_FLAGS),
		.wr_id = (uintptr_t)requestContext,
		.remote_va = remoteAddress,
		.rkey = ntohl(remoteToken),
		.sge = (const struct rn_sge *)sge,
		.num_sge = nSge,
	};

	if (flags & ~(ULONG)(READ_FLAGS | ND_OP_FLAG_INLINE))
		return ND_INVALID_PARAMETER_6;
	if (atomic_load(&qp->phase) != ND_QP_OPEN)
		return not_open(qp);
	if (atomic_load(&qp->max_reads) == 0)
		return ND_INVALID_DEVICE_REQUEST;
	return post(qp, &wr);
}

static HRESULT Write(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
		     UINT64 remoteAddress, UINT32 remoteToken, ULONG flags)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_qp *qp = qp_of(This);
	struct rn_client_wr wr = {
		.kind = RN_WQE_WRITE,
		.flags = wqe_flags(flags),
		.wr_id = (uintptr_t)requestContext,
		.remote_va = remoteAddress,
		.rkey = ntohl(remoteToken),
		.sge = (const struct rn_sge *)sge,
		.num_sge = nSge,
	};

	if (flags & ~(ULONG)WRITE_FLAGS)
		return ND_INVALID_PARAMETER_6;
	if (atomic_load(&qp->phase) != ND_QP_OPEN)
		return not_open(qp);
	return post(qp, &wr);
}

ND_VTABLE(IND2QueuePairVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			Flush,
			Send,
			Receive,
			Bind,
			Invalidate,
			Read,
			Write,
		},
};

const struct nd_class nd_qp_class = {
	.name = "queue pair",
	.vtbl = &vtable.v,
	.own = &IID_IND2QueuePair,
	.retire = retire,
	.destroy = destroy,
	.event = event,
};

static int make(struct nd_qp *qp, const struct nd_qp_init *init)
{
	struct nd_adapter *adapter = qp->adapter;
	struct rn_client_qp_init nic = {
		.pd = adapter->pd,
		.type = RN_QPT_RC,
		.send_cq = init->send_cq->cq,
		.recv_cq = init->recv_cq->cq,
		.srq = init->srq != NULL ? init->srq->srq : NULL,
		.sq_depth = init->sq_depth,
		.rq_depth = init->rq_depth,
		.sq_sge = init->sq_sge < ND_MIN_SGE ? ND_MIN_SGE : init->sq_sge,
		.rq_sge = init->rq_sge < ND_MIN_SGE ? ND_MIN_SGE : init->rq_sge,
		.inline_bytes = init->inline_bytes,
		.max_length = adapter->limits.MaxTransferLength,
		.qp_ctx = (uintptr_t)init->context,
		.affinity = init->send_cq->affinity, /* used if the receive CQ has no affinity */
		.user = (uintptr_t)qp,
	};
	int rc = rn_client_qp_create(adapter->dev->client, &nic, &qp->nic);

	if (rc != 0)
		return rc;
	qp->qpn = rn_client_qp_number(qp->nic);
	rc = to_init(qp);
	if (rc == 0)
		rc = nd_device_route(adapter->dev, ND_ROUTE_QP, qp->qpn, &qp->obj);
	if (rc != 0)
		rn_client_qp_destroy(qp->nic);
	return rc;
}

HRESULT nd_qp_create(struct nd_adapter *adapter, REFIID iid, const struct nd_qp_init *init,
		     void **out)
{
	struct nd_qp *qp;
	int rc;

	if (!nd_class_implements(&nd_qp_class, iid))
		return E_NOINTERFACE;
	qp = calloc(1, sizeof(*qp));
	if (qp == NULL)
		return ND_INSUFFICIENT_RESOURCES;
	nd_object_init(&qp->obj, &nd_qp_class);
	qp->adapter = adapter;
	qp->recv_cq = init->recv_cq;
	qp->send_cq = init->send_cq;
	qp->srq = init->srq;
	pthread_mutex_init(&qp->lock, NULL);
	rc = make(qp, init);
	if (rc != 0) {
		nd_object_abandon(&qp->obj);
		pthread_mutex_destroy(&qp->lock);
		free(qp);
		return rc == -ENODEV ? ND_DEVICE_REMOVED : ND_INSUFFICIENT_RESOURCES;
	}
	nd_object_ref(&adapter->obj);
	nd_object_ref(&qp->recv_cq->obj);
	nd_object_ref(&qp->send_cq->obj);
	if (qp->srq != NULL)
		nd_object_ref(&qp->srq->obj);
	*out = qp;
	return ND_SUCCESS;
}
