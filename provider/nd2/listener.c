/* Listeners: match connection requests with waiting connectors. Of two queues at least one is
 * always empty:
 * - `arrived` holds connection requests that wait for a GetConnectionRequest.
 * - `async.requests` holds GetConnectionRequest calls that wait for a connection request. The field
 *   `cookie` of such a call is a counted reference on its connector.
 *
 * The backlog is enforced here and not by the CM, because only the connection requests in `arrived`
 * count. Any thread may call these functions. Connection requests arrive on the event thread. */
#include "nd2/connector.h"

#include "nd2/status.h"

#include <errno.h>
#include <stdlib.h>

enum phase {
	IDLE,
	BOUND,
	LISTENING,
};

struct arrival {
	struct arrival *next;
	struct rn_event ev;
};

struct nd_listener {
	struct nd_object obj;
	struct nd_async async; /* async.lock guards the fields below */
	enum phase phase;
	uint32_t id;
	struct rn_client_addr local;
	ULONG backlog; /* maximum number of connection requests in `arrived`, 0 = no limit */
	ULONG narrived;
	struct arrival *arrived, **arrived_end;
};

static struct nd_listener *listener_of(IND2Listener *This)
{
	return (struct nd_listener *)This;
}

static struct rn_client *client_of(struct nd_listener *l)
{
	return l->async.adapter->dev->client;
}

static void refuse(struct nd_listener *l, uint32_t id, uint16_t reason)
{
	nd_device_unroute(l->async.adapter->dev, ND_ROUTE_CM, id);
	rn_client_cm_reject(client_of(l), id, reason, NULL, 0);
	rn_client_cm_destroy(client_of(l), id);
}

/* Gives a connection request to the oldest waiting GetConnectionRequest whose connector was not
 * released. Returns false if no such GetConnectionRequest waits. */
static bool hand_over(struct nd_listener *l, const struct rn_event *ev)
{
	struct os_request *request;

	while ((request = os_request_list_take(&l->async.requests)) != NULL) {
		struct nd_connector *connector = request->cookie;
		HRESULT hr = nd_connector_take(connector, ev);

		os_request_complete(request, hr);
		nd_object_put((struct nd_object *)connector);
		if (SUCCEEDED(hr))
			return true;
	}
	return false;
}

static void queue_arrival(struct nd_listener *l, const struct rn_event *ev)
{
	struct arrival *a = calloc(1, sizeof(*a));

	if (a == NULL ||
	    nd_device_route(l->async.adapter->dev, ND_ROUTE_CM, ev->id, &l->obj) != 0) {
		free(a);
		refuse(l, ev->id, ND_REASON_NO_RESOURCES);
		return;
	}
	a->ev = *ev;
	*l->arrived_end = a;
	l->arrived_end = &a->next;
	l->narrived++;
}

/* Takes the connection request with this CM id out of the queue `arrived`; with id 0 the oldest
 * connection request. Returns NULL if there is none. */
static struct arrival *take_arrival(struct nd_listener *l, uint32_t id)
{
	struct arrival **at = &l->arrived, *a;

	while ((a = *at) != NULL && id != 0 && a->ev.id != id)
		at = &a->next;
	if (a == NULL)
		return NULL;
	*at = a->next;
	if (a->next == NULL)
		l->arrived_end = at;
	l->narrived--;
	return a;
}

static void on_request(struct nd_listener *l, const struct rn_event *ev)
{
	if (l->phase != LISTENING) {
		refuse(l, ev->id, ND_REASON_CONSUMER);
		return;
	}
	if (hand_over(l, ev))
		return;
	if (l->backlog != 0 && l->narrived >= l->backlog)
		refuse(l, ev->id, ND_REASON_CONSUMER);
	else
		queue_arrival(l, ev);
}

/* Drops a queued connection request that the peer has withdrawn. Returns false if the connection
 * request is not in the queue: a connector has taken it already. */
static bool on_withdrawal(struct nd_listener *l, const struct rn_event *ev)
{
	struct arrival *a = take_arrival(l, ev->id);

	if (a == NULL)
		return false;
	nd_device_unroute(l->async.adapter->dev, ND_ROUTE_CM, ev->id);
	rn_client_cm_destroy(client_of(l), ev->id);
	free(a);
	return true;
}

/* Ends all GetConnectionRequest calls. The connectors become idle first: the client may use a
 * connector as soon as its call has ended. */
static void end_locked(struct nd_listener *l, HRESULT status)
{
	struct os_request *request;

	for (request = l->async.requests.first; request != NULL; request = request->next) {
		nd_connector_unqueue(request->cookie);
		nd_object_put(request->cookie);
	}
	os_request_list_cancel(&l->async.requests, status);
}

/* Ends the GetConnectionRequest call that waits with this connector. The call may be off the list
 * already: hand_over() took the call off the list, found the connector released, and completed the
 * call with ND_CANCELED. os_notice_flush() then publishes that completion. */
void nd_listener_withdraw(struct nd_listener *l, const struct nd_connector *connector)
{
	struct os_request *request;

	pthread_mutex_lock(&l->async.lock);
	request = l->async.requests.first;
	while (request != NULL && request->cookie != connector)
		request = request->next;
	if (request != NULL) {
		os_request_list_remove(&l->async.requests, request);
		nd_object_put(request->cookie);
		os_request_finish(request, ND_CANCELED);
	} else {
		os_notice_flush();
	}
	pthread_mutex_unlock(&l->async.lock);
}

static void event(struct nd_object *obj, const struct rn_event *ev)
{
	struct nd_listener *l = (struct nd_listener *)obj;
	bool ours = true;

	pthread_mutex_lock(&l->async.lock);
	if (ev->kind == RN_EVENT_CM_REQUEST)
		on_request(l, ev);
	else if (ev->kind == RN_EVENT_PORT_GONE)
		end_locked(l, ND_DEVICE_REMOVED);
	else if (ev->kind != RN_EVENT_PORT_DOWN && ev->id != l->id)
		ours = on_withdrawal(l, ev);
	pthread_mutex_unlock(&l->async.lock);
	if (!ours)
		nd_device_dispatch(l->async.adapter->dev, ev);
}

static void retire(struct nd_object *obj)
{
	struct nd_listener *l = (struct nd_listener *)obj;
	struct arrival *a;

	pthread_mutex_lock(&l->async.lock);
	end_locked(l, ND_CANCELED);
	if (l->phase != IDLE) {
		nd_device_unroute(l->async.adapter->dev, ND_ROUTE_CM, l->id);
		rn_client_cm_destroy(client_of(l), l->id);
	}
	l->phase = IDLE;
	while ((a = take_arrival(l, 0)) != NULL) {
		refuse(l, a->ev.id, ND_REASON_CONSUMER);
		free(a);
	}
	pthread_mutex_unlock(&l->async.lock);
}

static void destroy(struct nd_object *obj)
{
	struct nd_listener *l = (struct nd_listener *)obj;

	nd_async_fini(&l->async);
	free(l);
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2Listener)

static HRESULT CancelOverlappedRequests(IND2Listener *This)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_listener *l = listener_of(This);

	pthread_mutex_lock(&l->async.lock);
	end_locked(l, ND_CANCELED);
	pthread_mutex_unlock(&l->async.lock);
	return ND_SUCCESS;
}

static HRESULT GetOverlappedResult(IND2Listener *This, OVERLAPPED *pOverlapped, BOOL wait)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return nd_overlapped_result(pOverlapped, wait);
}

static int take_address(struct nd_listener *l, const struct rn_client_addr *addr)
{
	struct nd_device *dev = l->async.adapter->dev;
	struct rn_client_addr local = *addr;
	uint32_t id;
	int rc = rn_client_cm_bind(dev->client, &local, true, (uintptr_t)l, &id);

	if (rc != 0)
		return rc;
	rc = nd_device_route(dev, ND_ROUTE_CM, id, &l->obj);
	if (rc != 0) {
		rn_client_cm_destroy(dev->client, id);
		return rc;
	}
	l->id = id;
	l->local = local;
	l->phase = BOUND;
	return 0;
}

static HRESULT Bind(IND2Listener *This, const struct sockaddr *pAddress, ULONG cbAddress)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_listener *l = listener_of(This);
	struct rn_client_addr addr;
	HRESULT hr = STATUS_ADDRESS_ALREADY_ASSOCIATED;
	int rc;

	pthread_mutex_lock(&l->async.lock);
	if (nd_gone(l->async.adapter))
		hr = ND_DEVICE_REMOVED;
	else if (l->phase == IDLE)
		hr = nd_local_address(l->async.adapter, pAddress, cbAddress, &addr);
	if (SUCCEEDED(hr)) {
		rc = take_address(l, &addr);
		/* nd_local_address() has accepted the address, so -EADDRNOTAVAIL means that no port
		 * number is free. */
		hr = rc == -EADDRNOTAVAIL ? ND_TOO_MANY_ADDRESSES : nd_status_short(rc);
	}
	pthread_mutex_unlock(&l->async.lock);
	return hr;
}

static HRESULT Listen(IND2Listener *This, ULONG backlog)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_listener *l = listener_of(This);
	HRESULT hr = ND_INVALID_DEVICE_STATE;
	int rc;

	pthread_mutex_lock(&l->async.lock);
	if (nd_gone(l->async.adapter)) {
		hr = ND_DEVICE_REMOVED;
	} else if (l->phase == BOUND) {
		/* Set backlog and phase before the command, because connection requests may arrive
		 * before the command returns. */
		l->backlog = backlog;
		l->phase = LISTENING;
		rc = rn_client_cm_listen(client_of(l), l->id, &l->local, 0, (uintptr_t)l);
		if (rc != 0)
			l->phase = BOUND;
		hr = nd_status_of_errno(rc);
	}
	pthread_mutex_unlock(&l->async.lock);
	return hr;
}

static HRESULT GetLocalAddress(IND2Listener *This, struct sockaddr *pAddress, ULONG *pcbAddress)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct nd_listener *l = listener_of(This);
	HRESULT hr = ND_INVALID_DEVICE_STATE;

	pthread_mutex_lock(&l->async.lock);
	if (nd_gone(l->async.adapter))
		hr = ND_DEVICE_REMOVED;
	else if (l->phase != IDLE)
		hr = nd_return_address(&l->local, pAddress, pcbAddress);
	pthread_mutex_unlock(&l->async.lock);
	return hr;
}

static HRESULT claim_request(struct nd_listener *l, struct nd_connector *connector,
			     struct os_request *request)
{
	struct arrival *a;
	HRESULT hr;

	if (nd_gone(l->async.adapter))
		return ND_DEVICE_REMOVED;
	if (l->phase != LISTENING)
		return ND_INVALID_DEVICE_STATE;
	hr = nd_connector_queue(connector, l);
	if (FAILED(hr))
		return hr;
	nd_object_ref((struct nd_object *)connector);
	request->cookie = connector;
	os_request_list_add(&l->async.requests, request);
	a = take_arrival(l, 0);
	if (a != NULL) {
		if (!hand_over(l, &a->ev))
			refuse(l, a->ev.id, ND_REASON_NO_RESOURCES);
		free(a);
	}
	return ND_PENDING;
}

static HRESULT GetConnectionRequest(IND2Listener *This, IUnknown *pConnector,
				    OVERLAPPED *pOverlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_listener *l = listener_of(This);
	struct nd_object *obj = nd_object_known(pConnector, &nd_connector_class);
	struct os_request *request;
	HRESULT hr;

	/* A CM id belongs to one NIC, so the connector and the listener must be on the same NIC. */
	if (obj == NULL ||
	    ((struct nd_connector *)obj)->async.adapter->dev != l->async.adapter->dev)
		return ND_INVALID_PARAMETER_1;
	hr = os_request_begin(l->async.file, pOverlapped, &request);
	if (FAILED(hr))
		return hr;
	pthread_mutex_lock(&l->async.lock);
	hr = claim_request(l, (struct nd_connector *)obj, request);
	if (FAILED(hr))
		os_request_refuse(request, hr);
	pthread_mutex_unlock(&l->async.lock);
	return hr;
}

ND_VTABLE(IND2ListenerVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			CancelOverlappedRequests,
			GetOverlappedResult,
			Bind,
			Listen,
			GetLocalAddress,
			GetConnectionRequest,
		},
};

const struct nd_class nd_listener_class = {
	.name = "listener",
	.vtbl = &vtable.v,
	.own = &IID_IND2Listener,
	.base = &IID_IND2Overlapped,
	.retire = retire,
	.destroy = destroy,
	.event = event,
};

HRESULT nd_listener_create(struct nd_adapter *adapter, REFIID iid, HANDLE file, void **out)
{
	struct nd_listener *l;
	HRESULT hr;

	if (!nd_class_implements(&nd_listener_class, iid))
		return E_NOINTERFACE;
	l = calloc(1, sizeof(*l));
	if (l == NULL)
		return ND_NO_MEMORY;
	hr = nd_async_init(&l->async, adapter, file);
	if (FAILED(hr)) {
		free(l);
		return hr;
	}
	nd_object_init(&l->obj, &nd_listener_class);
	l->arrived_end = &l->arrived;
	*out = l;
	return ND_SUCCESS;
}
