/* Connectors: the methods by which a client connects and disconnects. The table of
 * connector_state.h says which method is allowed in which state. While a method waits for the peer,
 * the connector's list of requests contains one request of kind ND_CR_STEP. Any thread may call
 * these functions. */
#include "nd2/connector.h"

#include "os/peek.h"
#include "nd2/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static struct nd_connector *connector_of(IND2Connector *This)
{
	return (struct nd_connector *)This;
}

static struct rn_client *client_of(struct nd_connector *c)
{
	return c->async.adapter->dev->client;
}

/* Returns ND_SUCCESS if the state of the connector allows the method; else the status with which
 * the method fails. The caller holds the connector's lock. So the handler of RN_EVENT_PORT_GONE,
 * which takes this lock, does not run meanwhile. */
static HRESULT state_status(const struct nd_connector *c, enum nd_connector_method method)
{
	return nd_gone(c->async.adapter) ? ND_DEVICE_REMOVED : nd_connector_may(c->state, method);
}

/* Chooses a random starting PSN, which an attacker must not be able to guess. Returns false if the
 * kernel has no random number; the connection then fails. */
static bool choose_psn(struct nd_connector *c)
{
	uint32_t psn;

	if (getrandom(&psn, sizeof(psn), 0) != sizeof(psn))
		return false;
	c->psn = psn & 0xffffff;
	return true;
}

bool nd_connector_tie(struct nd_connector *c, struct nd_qp *qp)
{
	bool free_to_tie;

	pthread_mutex_lock(&qp->adapter->ties);
	free_to_tie = qp->connector == NULL && atomic_load(&qp->phase) == ND_QP_IDLE;
	if (free_to_tie) {
		nd_object_ref(&qp->obj);
		nd_object_ref(&c->obj);
		qp->connector = c;
		c->qp = qp;
	}
	pthread_mutex_unlock(&qp->adapter->ties);
	return free_to_tie;
}

/* Unties the connector's queue pair and returns it, or NULL if no queue pair was tied. The
 * connector's reference on the queue pair passes to the caller. The queue pair's reference on the
 * connector is dropped, so the caller must hold a reference on the connector. */
struct nd_qp *nd_connector_untie(struct nd_connector *c)
{
	struct nd_qp *qp;

	pthread_mutex_lock(&c->async.adapter->ties);
	qp = c->qp;
	c->qp = NULL;
	if (qp != NULL)
		qp->connector = NULL;
	pthread_mutex_unlock(&c->async.adapter->ties);
	if (qp != NULL)
		nd_object_put(&c->obj);
	return qp;
}

void nd_connector_destroy_id(struct nd_connector *c)
{
	if (c->id == 0)
		return;
	nd_device_unroute(c->async.adapter->dev, ND_ROUTE_CM, c->id);
	rn_client_cm_destroy(client_of(c), c->id);
	c->id = 0;
}

static int bind_id(struct nd_connector *c)
{
	uint32_t id;
	int rc = rn_client_cm_bind(client_of(c), &c->local, false, (uintptr_t)c, &id);

	if (rc != 0)
		return rc;
	rc = nd_device_route(c->async.adapter->dev, ND_ROUTE_CM, id, &c->obj);
	if (rc != 0) {
		rn_client_cm_destroy(client_of(c), id);
		return rc;
	}
	c->id = id;
	return 0;
}

/* ---- functions for listeners and queue pairs ---- */

HRESULT nd_connector_queue(struct nd_connector *c, struct nd_listener *listener)
{
	HRESULT hr = ND_CONNECTION_ACTIVE;

	pthread_mutex_lock(&c->async.lock);
	if (c->state == ND_CN_IDLE) {
		c->state = ND_CN_QUEUED;
		c->listener = listener;
		hr = ND_SUCCESS;
	}
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

void nd_connector_unqueue(struct nd_connector *c)
{
	pthread_mutex_lock(&c->async.lock);
	if (c->state == ND_CN_QUEUED)
		c->state = ND_CN_IDLE;
	c->listener = NULL;
	pthread_mutex_unlock(&c->async.lock);
}

HRESULT nd_connector_take(struct nd_connector *c, const struct rn_event *ev)
{
	struct nd_adapter *adapter = c->async.adapter;
	HRESULT hr = ND_CANCELED;

	pthread_mutex_lock(&c->async.lock);
	if (c->state == ND_CN_QUEUED)
		hr = nd_status_short(nd_device_route(adapter->dev, ND_ROUTE_CM, ev->id, &c->obj));
	if (SUCCEEDED(hr)) {
		c->id = ev->id;
		c->local = (struct rn_client_addr){ev->local, ev->port};
		c->peer = (struct rn_client_addr){ev->peer, ev->peer_port};
		c->attr = ev->attr;
		c->inbound = (uint8_t)adapter->limits.MaxInboundReadLimit;
		c->outbound = (uint8_t)adapter->limits.MaxOutboundReadLimit;
		nd_connector_set_limits(c, &ev->param);
		nd_connector_keep_data(c, &ev->param, RN_CM_REQ_DATA);
		c->state = ND_CN_REQ_RECEIVED;
	} else if (c->state == ND_CN_QUEUED) {
		/* the client may now pass the connector to GetConnectionRequest again */
		c->state = ND_CN_IDLE;
	}
	c->listener = NULL;
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

/* Gives up the connection or the connection attempt. The CM sends the peer the CM message that the
 * state requires. A queue pair that was never connected can be used again. */
static void abandon(struct nd_connector *c, HRESULT notify_status)
{
	bool untouched = c->state == ND_CN_REQ_SENT || c->state == ND_CN_REP_RECEIVED;
	struct nd_qp *qp;

	nd_connector_destroy_id(c);
	c->draining = false;
	c->state = ND_CN_DISCONNECTED;
	nd_connector_end_notify(c, notify_status);
	if (!untouched) {
		nd_connector_end_qp(c);
		return;
	}
	qp = nd_connector_untie(c);
	if (qp != NULL)
		nd_object_put(&qp->obj);
}

void nd_connector_qp_released(struct nd_connector *c)
{
	struct os_request *request;

	pthread_mutex_lock(&c->async.lock);
	if (c->state == ND_CN_PEER_GONE) {
		nd_connector_send_drep(c);
		nd_connector_end_qp(c);
	} else if (c->qp != NULL) {
		request = os_request_list_take_kind(&c->async.requests, ND_CR_STEP);
		abandon(c, ND_SUCCESS);
		/* The queue pair is being released. Release must not return before the cancelled
		 * requests have ended. */
		if (request != NULL)
			os_request_finish(request, ND_CANCELED);
	}
	pthread_mutex_unlock(&c->async.lock);
}

/* Counts a new connector against the NIC's limit of CM ids (max_cm). Returns false if the limit is
 * reached: the new connector could never be bound, so its creation fails. */
static bool reserve_place(struct nd_device *dev)
{
	if (atomic_fetch_add(&dev->nconnectors, 1) < dev->info->max_cm)
		return true;
	atomic_fetch_sub(&dev->nconnectors, 1);
	return false;
}

static void give_place_back(struct nd_device *dev)
{
	atomic_fetch_sub(&dev->nconnectors, 1);
}

static void retire(struct nd_object *obj)
{
	struct nd_connector *c = (struct nd_connector *)obj;
	struct nd_listener *listener;

	pthread_mutex_lock(&c->async.lock);
	os_request_list_cancel(&c->async.requests, ND_CANCELED);
	abandon(c, ND_CANCELED);
	give_place_back(c->async.adapter->dev);
	listener = c->listener;
	if (listener != NULL)
		nd_object_ref((struct nd_object *)listener);
	pthread_mutex_unlock(&c->async.lock);
	if (listener == NULL)
		return;
	nd_listener_withdraw(listener, c);
	nd_object_put((struct nd_object *)listener);
}

static void destroy(struct nd_object *obj)
{
	struct nd_connector *c = (struct nd_connector *)obj;

	nd_async_fini(&c->async);
	free(c);
}

/* Copies the private data of the client's Connect, Accept or Reject. To be called before any state
 * changes. */
static HRESULT take_data(struct rn_cm_param *param, const void *data, ULONG len, ULONG max)
{
	memset(param, 0, sizeof(*param));
	if (len > max)
		return ND_INVALID_BUFFER_SIZE;
	if (len != 0 && !os_peek(param->data, data, len))
		return ND_ACCESS_VIOLATION;
	param->data_len = (uint16_t)len;
	return ND_SUCCESS;
}

static void fill_param(const struct nd_connector *c, struct rn_cm_param *param)
{
	param->qpn = c->qp->qpn;
	param->psn = c->psn;
	param->responder_resources = c->inbound;
	param->initiator_depth = c->outbound;
	param->retry_cnt = 7;
	param->rnr_retry = c->qp->srq != NULL ? ND_RNR_UNLIMITED : ND_RNR_RETRY;
	param->srq = c->qp->srq != NULL;
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2Connector)

/* Cancels all pending requests. A connected connector stays connected: only its
 * NotifyDisconnect requests can be pending. */
static HRESULT CancelOverlappedRequests(IND2Connector *This)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);

	pthread_mutex_lock(&c->async.lock);
	os_request_list_cancel(&c->async.requests, ND_CANCELED);
	if (c->state == ND_CN_REQ_SENT || c->state == ND_CN_REP_SENT ||
	    c->state == ND_CN_DISCONNECTING)
		abandon(c, ND_CANCELED);
	pthread_mutex_unlock(&c->async.lock);
	return ND_SUCCESS;
}

static HRESULT GetOverlappedResult(IND2Connector *This, OVERLAPPED *pOverlapped, BOOL wait)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return nd_overlapped_result(pOverlapped, wait);
}

static HRESULT bind_locked(struct nd_connector *c, const struct sockaddr *sa, ULONG cb)
{
	HRESULT hr = state_status(c, ND_CM_BIND);
	int rc;

	if (SUCCEEDED(hr))
		hr = nd_local_address(c->async.adapter, sa, cb, &c->local);
	if (FAILED(hr))
		return hr;
	rc = bind_id(c);
	/* nd_local_address() has accepted the address, so -EADDRNOTAVAIL means that no port number
	 * is free */
	if (rc == -EADDRNOTAVAIL)
		return ND_TOO_MANY_ADDRESSES;
	if (rc == 0)
		c->state = ND_CN_BOUND;
	return nd_status_short(rc);
}

static HRESULT Bind(IND2Connector *This, const struct sockaddr *pAddress, ULONG cbAddress)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);
	HRESULT hr;

	pthread_mutex_lock(&c->async.lock);
	hr = bind_locked(c, pAddress, cbAddress);
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

static bool is_loopback(const struct rn_gid *gid)
{
	static const struct rn_gid v6 = {{[15] = 1}};

	return (rn_client_gid_is_v4(gid) && gid->b[12] == 127) || rn_client_gid_equal(gid, &v6);
}

/* Replaces a loopback address of the peer by the address to which the connector is bound. If that
 * address is a wildcard, the adapter's first address of the same family is used. Returns false if
 * the adapter has no address of that family. */
static bool resolve_loopback(const struct nd_connector *c, struct rn_gid *peer)
{
	const struct rn_link_info *info = c->async.adapter->dev->info;
	bool v4 = rn_client_gid_is_v4(peer);

	if (!is_loopback(peer))
		return true;
	if (!rn_client_gid_is_any(&c->local.gid)) {
		*peer = c->local.gid;
		return true;
	}
	for (unsigned i = 0; i < info->ngids; i++)
		if (rn_client_gid_is_v4(&info->gids[i]) == v4) {
			*peer = info->gids[i];
			return true;
		}
	return false;
}

struct connect_call {
	struct nd_qp *qp;
	struct rn_client_addr peer;
	ULONG inbound, outbound;
	struct rn_cm_param param; /* holds the client's private data */
};

/* Makes all checks that may refuse the Connect, then has the CM send the REQ. Later events of the
 * CM complete the client's request. */
static HRESULT start_connect(struct nd_connector *c, struct connect_call *call,
			     struct os_request *request)
{
	const ND2_ADAPTER_INFO *limits = &c->async.adapter->limits;
	HRESULT hr = state_status(c, ND_CM_CONNECT);
	struct nd_qp *qp;
	int rc;

	if (FAILED(hr))
		return hr;
	if (rn_client_gid_is_any(&call->peer.gid))
		return STATUS_BAD_NETWORK_NAME;
	if (!resolve_loopback(c, &call->peer.gid))
		return ND_INVALID_ADDRESS;
	if (!choose_psn(c))
		return ND_INTERNAL_ERROR;
	if (!nd_connector_tie(c, call->qp))
		return ND_CONNECTION_ACTIVE;
	c->peer = call->peer;
	c->inbound = (uint8_t)(call->inbound < limits->MaxInboundReadLimit
				       ? call->inbound
				       : limits->MaxInboundReadLimit);
	c->outbound = (uint8_t)(call->outbound < limits->MaxOutboundReadLimit
					? call->outbound
					: limits->MaxOutboundReadLimit);
	c->data_len = 0;
	fill_param(c, &call->param);
	rc = rn_client_cm_connect(client_of(c), c->id, &c->local, &c->peer, &call->param,
				  (uintptr_t)c);
	if (rc != 0) {
		qp = nd_connector_untie(c);
		nd_object_put(&qp->obj);
		return nd_status_of_errno(rc);
	}
	c->state = ND_CN_REQ_SENT;
	request->kind = ND_CR_STEP;
	os_request_list_add(&c->async.requests, request);
	return ND_PENDING;
}

static HRESULT Connect(IND2Connector *This, IUnknown *pQueuePair,
		       const struct sockaddr *pDestAddress, ULONG cbDestAddress,
		       ULONG inboundReadLimit, ULONG outboundReadLimit, const void *pPrivateData,
		       ULONG cbPrivateData, OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);
	struct connect_call call = {
		.qp = (struct nd_qp *)nd_object_known(pQueuePair, &nd_qp_class),
		.inbound = inboundReadLimit,
		.outbound = outboundReadLimit,
	};
	struct os_request *request;
	HRESULT hr;

	if (call.qp == NULL || call.qp->adapter != c->async.adapter)
		return ND_INVALID_PARAMETER_1;
	if (pDestAddress == NULL ||
	    rn_client_addr_from_sockaddr(&call.peer, pDestAddress, cbDestAddress) != 0)
		return ND_INVALID_ADDRESS;
	hr = take_data(&call.param, pPrivateData, cbPrivateData,
		       c->async.adapter->limits.MaxCallerData);
	if (FAILED(hr))
		return hr;
	hr = os_request_begin(c->async.file, pOverlapped, &request);
	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&c->async.lock);
	hr = start_connect(c, &call, request);
	if (FAILED(hr))
		os_request_refuse(request, hr);
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

/* Moves the queue pair to RTS and has the CM send the RTU. The CM refuses if the peer has
 * disconnected since its REP. */
static HRESULT establish(struct nd_connector *c)
{
	int rc = nd_connector_to_rts(c);

	if (rc == 0)
		rc = rn_client_cm_establish(client_of(c), c->id);
	if (rc == 0) {
		c->state = ND_CN_CONNECTED;
		return ND_SUCCESS;
	}
	nd_connector_destroy_id(c);
	c->state = ND_CN_DISCONNECTED;
	nd_connector_end_qp(c);
	return rc == -ENODEV ? ND_DEVICE_REMOVED : ND_CONNECTION_ABORTED;
}

static HRESULT CompleteConnect(IND2Connector *This, OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);
	struct os_request *request;
	HRESULT hr = os_request_begin(c->async.file, pOverlapped, &request);

	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&c->async.lock);
	hr = state_status(c, ND_CM_COMPLETE);
	if (FAILED(hr)) {
		os_request_refuse(request, hr);
	} else {
		os_request_complete(request, establish(c));
		hr = ND_PENDING;
	}
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

struct accept_call {
	struct nd_qp *qp;
	ULONG inbound, outbound;
	struct rn_cm_param param; /* holds the client's private data */
};

/* Ties the queue pair, moves the queue pair to RTS and sends the REP. Read limits of the client
 * that exceed the peer's offer are reduced to the offer, without an error. */
static HRESULT start_accept(struct nd_connector *c, struct accept_call *call,
			    struct os_request *request)
{
	HRESULT hr = state_status(c, ND_CM_ACCEPT);
	int rc;

	if (FAILED(hr))
		return hr;
	if (!choose_psn(c))
		return ND_INTERNAL_ERROR;
	if (!nd_connector_tie(c, call->qp))
		return ND_CONNECTION_ACTIVE;
	if (call->inbound < c->inbound)
		c->inbound = (uint8_t)call->inbound;
	if (call->outbound < c->outbound)
		c->outbound = (uint8_t)call->outbound;
	fill_param(c, &call->param);
	request->kind = ND_CR_STEP;
	os_request_list_add(&c->async.requests, request);
	rc = nd_connector_to_rts(c);
	if (rc == 0)
		rc = rn_client_cm_accept(client_of(c), c->id, &call->param, (uintptr_t)c);
	if (rc == 0) {
		c->state = ND_CN_REP_SENT;
		return ND_PENDING;
	}
	nd_connector_destroy_id(c); /* the CM also sends a REJ: the peer still waits for the REP */
	c->state = ND_CN_DISCONNECTED;
	nd_connector_end_qp(c);
	nd_connector_end_step(c, rc == -ENODEV ? ND_DEVICE_REMOVED : ND_CONNECTION_ABORTED);
	return ND_PENDING;
}

static HRESULT Accept(IND2Connector *This, IUnknown *pQueuePair, ULONG inboundReadLimit,
		      ULONG outboundReadLimit, const void *pPrivateData, ULONG cbPrivateData,
		      OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);
	struct accept_call call = {
		.qp = (struct nd_qp *)nd_object_known(pQueuePair, &nd_qp_class),
		.inbound = inboundReadLimit,
		.outbound = outboundReadLimit,
	};
	struct os_request *request;
	HRESULT hr;

	if (call.qp == NULL || call.qp->adapter != c->async.adapter)
		return ND_INVALID_PARAMETER_1;
	hr = take_data(&call.param, pPrivateData, cbPrivateData,
		       c->async.adapter->limits.MaxCalleeData);
	if (FAILED(hr))
		return hr;
	hr = os_request_begin(c->async.file, pOverlapped, &request);
	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&c->async.lock);
	hr = start_accept(c, &call, request);
	if (FAILED(hr))
		os_request_refuse(request, hr);
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

static HRESULT reject_locked(struct nd_connector *c, const struct rn_cm_param *param)
{
	HRESULT hr = state_status(c, ND_CM_REJECT);
	struct nd_qp *qp;
	int rc;

	if (FAILED(hr))
		return hr;
	rc = rn_client_cm_reject(client_of(c), c->id, ND_REASON_CONSUMER, param->data,
				 param->data_len);
	qp = nd_connector_untie(c);
	if (qp != NULL)
		nd_object_put(&qp->obj);
	c->state = ND_CN_DISCONNECTED;
	if (rc == 0 || rc == -ENODEV)
		return nd_status_of_errno(rc);
	return ND_CONNECTION_ABORTED;
}

static HRESULT Reject(IND2Connector *This, const void *pPrivateData, ULONG cbPrivateData)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);
	struct rn_cm_param param;
	HRESULT hr = take_data(&param, pPrivateData, cbPrivateData,
			       c->async.adapter->limits.MaxCalleeData);

	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&c->async.lock);
	hr = reject_locked(c, &param);
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

static HRESULT GetReadLimits(IND2Connector *This, ULONG *pInboundReadLimit,
			     ULONG *pOutboundReadLimit)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_connector *c = connector_of(This);
	HRESULT hr;

	pthread_mutex_lock(&c->async.lock);
	hr = state_status(c, ND_CM_LIMITS);
	if (SUCCEEDED(hr) && pInboundReadLimit != NULL)
		*pInboundReadLimit = c->inbound;
	if (SUCCEEDED(hr) && pOutboundReadLimit != NULL)
		*pOutboundReadLimit = c->outbound;
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

static HRESULT copy_data(struct nd_connector *c, void *out, ULONG *pcb)
{
	HRESULT hr = state_status(c, ND_CM_DATA);
	ULONG have = *pcb, n;

	if (FAILED(hr))
		return hr;
	if (c->data_len == 0)
		return ND_CONNECTION_INVALID;
	n = have < c->data_len ? have : c->data_len;
	if (out != NULL)
		memcpy(out, c->data, n);
	*pcb = c->data_len;
	return out == NULL || n < c->data_len ? ND_BUFFER_OVERFLOW : ND_SUCCESS;
}

static HRESULT GetPrivateData(IND2Connector *This, void *pPrivateData, ULONG *pcbPrivateData)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_connector *c = connector_of(This);
	HRESULT hr;

	pthread_mutex_lock(&c->async.lock);
	hr = copy_data(c, pPrivateData, pcbPrivateData);
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

static HRESULT GetLocalAddress(IND2Connector *This, struct sockaddr *pAddress, ULONG *pcbAddress)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_connector *c = connector_of(This);
	HRESULT hr = ND_CONNECTION_INVALID;

	pthread_mutex_lock(&c->async.lock);
	if (nd_gone(c->async.adapter))
		hr = ND_DEVICE_REMOVED;
	else if (c->state != ND_CN_IDLE && c->state != ND_CN_QUEUED)
		hr = nd_return_address(&c->local, pAddress, pcbAddress);
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

static HRESULT GetPeerAddress(IND2Connector *This, struct sockaddr *pAddress, ULONG *pcbAddress)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_connector *c = connector_of(This);
	HRESULT hr = ND_CONNECTION_INVALID;

	pthread_mutex_lock(&c->async.lock);
	if (nd_gone(c->async.adapter))
		hr = ND_DEVICE_REMOVED;
	else if (c->state >= ND_CN_REP_RECEIVED && c->state != ND_CN_DISCONNECTED)
		hr = nd_return_address(&c->peer, pAddress, pcbAddress);
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

static HRESULT NotifyDisconnect(IND2Connector *This, OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);
	struct os_request *request;
	HRESULT hr = os_request_begin(c->async.file, pOverlapped, &request);

	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&c->async.lock);
	hr = state_status(c, ND_CM_NOTIFY);
	if (FAILED(hr)) {
		os_request_refuse(request, hr);
	} else {
		request->kind = ND_CR_NOTIFY;
		if (c->state == ND_CN_CONNECTED)
			os_request_list_add(&c->async.requests, request);
		else
			os_request_complete(request, ND_SUCCESS);
		hr = ND_PENDING;
	}
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

/* Sends the DREQ, unless the peer has disconnected first. The queue pair is flushed only when the
 * DREP has arrived. No acknowledgement is outstanding then: the peer sends its acknowledgements
 * before its DREP, and this side sends its acknowledgements before its DREQ. */
static void start_disconnect(struct nd_connector *c, struct os_request *request)
{
	int rc;

	nd_connector_end_notify(c, STATUS_CONNECTION_DISCONNECTED);
	/* the peer disconnected first, and work requests in flight still wait for
	 * acknowledgements */
	if (c->draining) {
		c->state = ND_CN_DISCONNECTING;
		os_request_list_add(&c->async.requests, request);
		return;
	}
	if (c->state == ND_CN_PEER_GONE) {
		nd_connector_end_qp(c);
		c->state = ND_CN_DISCONNECTED;
		os_request_complete(request, ND_SUCCESS);
		return;
	}
	rc = rn_client_cm_disconnect(client_of(c), c->id);
	if (rc != 0) { /* the CM no longer has this connection, or the network port is gone */
		nd_connector_end_qp(c);
		c->state = ND_CN_DISCONNECTED;
		os_request_complete(request, rc == -ENODEV ? ND_DEVICE_REMOVED : ND_SUCCESS);
		return;
	}
	c->state = ND_CN_DISCONNECTING;
	os_request_list_add(&c->async.requests, request);
	if (atomic_load(&c->async.adapter->dev->link_down))
		nd_connector_stop_waiting(c);
}

static HRESULT Disconnect(IND2Connector *This, OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_connector *c = connector_of(This);
	struct os_request *request;
	HRESULT hr = os_request_begin(c->async.file, pOverlapped, &request);

	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&c->async.lock);
	hr = state_status(c, ND_CM_DISCONNECT);
	if (FAILED(hr)) {
		os_request_refuse(request, hr);
	} else {
		request->kind = ND_CR_STEP;
		start_disconnect(c, request);
		hr = ND_PENDING;
	}
	pthread_mutex_unlock(&c->async.lock);
	return hr;
}

ND_VTABLE(IND2ConnectorVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			CancelOverlappedRequests,
			GetOverlappedResult,
			Bind,
			Connect,
			CompleteConnect,
			Accept,
			Reject,
			GetReadLimits,
			GetPrivateData,
			GetLocalAddress,
			GetPeerAddress,
			NotifyDisconnect,
			Disconnect,
		},
};

const struct nd_class nd_connector_class = {
	.name = "connector",
	.vtbl = &vtable.v,
	.own = &IID_IND2Connector,
	.base = &IID_IND2Overlapped,
	.retire = retire,
	.destroy = destroy,
	.event = nd_connector_event,
};

HRESULT nd_connector_create(struct nd_adapter *adapter, REFIID iid, HANDLE file, void **out)
{
	struct nd_connector *c;
	HRESULT hr;

	if (!nd_class_implements(&nd_connector_class, iid))
		return E_NOINTERFACE;
	if (!reserve_place(adapter->dev))
		return ND_INSUFFICIENT_RESOURCES;
	c = calloc(1, sizeof(*c));
	hr = c == NULL ? ND_NO_MEMORY : nd_async_init(&c->async, adapter, file);
	if (FAILED(hr)) {
		give_place_back(adapter->dev);
		free(c);
		return hr;
	}
	nd_object_init(&c->obj, &nd_connector_class);
	*out = c;
	return ND_SUCCESS;
}
