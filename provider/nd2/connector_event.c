/* Handlers of the CM's events. All handlers run on the device's event thread and hold the
 * connector's lock. The CM never changes the state of a queue pair: this file and connector.c do
 * so. */
#include "nd2/connector.h"

#include "nd2/status.h"

#include <errno.h>
#include <string.h>

void nd_connector_keep_data(struct nd_connector *c, const struct rn_cm_param *param, uint16_t field)
{
	uint16_t len = param->data_len < field ? param->data_len : field;

	memset(c->data, 0, sizeof(c->data));
	memcpy(c->data, param->data, len);
	c->data_len = field;
}

static uint8_t least(uint32_t a, uint32_t b)
{
	return (uint8_t)(a < b ? a : b);
}

/* The peer's initiator depth limits inbound READs; the peer's responder resources limit outbound
 * READs. */
void nd_connector_set_limits(struct nd_connector *c, const struct rn_cm_param *peer)
{
	c->inbound = least(c->inbound, peer->initiator_depth);
	c->outbound = least(c->outbound, peer->responder_resources);
}

int nd_connector_to_rts(struct nd_connector *c)
{
	struct rn_qp_attr attr = c->attr;

	attr.rq_psn = c->psn;
	attr.max_rd_atomic = c->outbound;
	attr.max_dest_rd_atomic = c->inbound;
	attr.min_rnr_timer = ND_MIN_RNR_TIMER;
	attr.rnr_step = c->qp->srq != NULL ? ND_SRQ_RNR_STEP : ND_RNR_STEP;
	return nd_qp_connect(c->qp, &attr);
}

void nd_connector_end_step(struct nd_connector *c, HRESULT status)
{
	struct os_request *request = os_request_list_take_kind(&c->async.requests, ND_CR_STEP);

	if (request != NULL)
		os_request_complete(request, status);
}

void nd_connector_end_notify(struct nd_connector *c, HRESULT status)
{
	struct os_request *request;

	while ((request = os_request_list_take_kind(&c->async.requests, ND_CR_NOTIFY)) != NULL)
		os_request_finish(request, status);
}

void nd_connector_end_qp(struct nd_connector *c)
{
	struct nd_qp *qp = nd_connector_untie(c);

	if (qp == NULL)
		return;
	nd_qp_flush(qp);
	nd_qp_close(qp);
	nd_object_put(&qp->obj);
}

/* Handles a failed connection attempt: the connector stays bound, and the queue pair can be used
 * again. */
static void connect_failed(struct nd_connector *c, HRESULT status)
{
	struct nd_qp *qp = nd_connector_untie(c);

	if (qp != NULL)
		nd_object_put(&qp->obj);
	c->state = ND_CN_BOUND;
	nd_connector_end_step(c, status);
}

static void on_response(struct nd_connector *c, const struct rn_event *ev)
{
	if (c->state != ND_CN_REQ_SENT)
		return;
	c->attr = ev->attr;
	if (rn_client_gid_is_any(&c->local.gid))
		c->local.gid = ev->local;
	nd_connector_set_limits(c, &ev->param);
	nd_connector_keep_data(c, &ev->param, RN_CM_REP_DATA);
	c->state = ND_CN_REP_RECEIVED;
	nd_connector_end_step(c, ND_SUCCESS);
}

/* Flushes the queue pair and answers the peer's DREQ. Until the client disconnects too, its further
 * work requests are accepted and flushed: a client that counts completions gets one completion for
 * each work request. */
void nd_connector_send_drep(struct nd_connector *c)
{
	c->draining = false;
	if (c->qp != NULL)
		nd_qp_flush(c->qp);
	rn_client_cm_disconnect(c->async.adapter->dev->client, c->id);
	if (c->state != ND_CN_DISCONNECTING)
		return;
	nd_connector_end_qp(c);
	c->state = ND_CN_DISCONNECTED;
	nd_connector_end_step(c, ND_SUCCESS);
}

/* To be called when the peer has disconnected or the queue pair has failed. NotifyDisconnect ends
 * at once, but the queue pair is flushed later. The peer may have received requests whose
 * acknowledgements are late or lost. These requests may still complete before the flush: the peer's
 * queue pair repeats lost acknowledgements until this side answers the peer's DREQ. */
static void peer_gone(struct nd_connector *c)
{
	c->state = ND_CN_PEER_GONE;
	nd_connector_end_notify(c, ND_SUCCESS);
	c->draining = c->qp != NULL && nd_qp_drain(c->qp);
	if (!c->draining)
		nd_connector_send_drep(c);
}

static void drained(struct nd_connector *c)
{
	if (c->draining)
		nd_connector_send_drep(c);
}

/* Ends the connection of a failed queue pair. The DREQ informs the peer, whose queue pair may not
 * have failed. */
static void transport_dead(struct nd_connector *c)
{
	rn_client_cm_disconnect(c->async.adapter->dev->client, c->id);
	peer_gone(c);
}

static void on_established(struct nd_connector *c)
{
	if (c->state != ND_CN_REP_SENT)
		return;
	c->state = ND_CN_CONNECTED;
	nd_connector_end_step(c, ND_SUCCESS);
	/* The queue pair may have failed already. The error event of the queue pair was ignored,
	 * because the connector was not connected yet. */
	if (c->qp != NULL && nd_qp_failed(c->qp))
		transport_dead(c);
}

/* Ends a connection attempt: the peer has sent a REJ, has disconnected, or did not answer. Possible
 * states of the connector:
 * - REQ_SENT, REP_SENT: this side has sent its REQ or REP
 * - REP_RECEIVED: this side's client has yet to call CompleteConnect
 * - REQ_RECEIVED: this side's client has yet to call Accept */
static void peer_refused(struct nd_connector *c, HRESULT connect_status, HRESULT accept_status)
{
	switch (c->state) {
	case ND_CN_REQ_SENT:
		connect_failed(c, connect_status);
		break;
	case ND_CN_REP_SENT:
		c->state = ND_CN_DISCONNECTED;
		nd_connector_end_qp(c);
		nd_connector_end_step(c, accept_status);
		break;
	case ND_CN_REP_RECEIVED:
	case ND_CN_REQ_RECEIVED:
		c->state = ND_CN_DISCONNECTED;
		nd_connector_end_qp(c);
		break;
	default:
		break;
	}
}

static void on_rejected(struct nd_connector *c, const struct rn_event *ev)
{
	bool by_consumer = ev->reason == ND_REASON_CONSUMER;

	/* Keep the private data of a REJ for GetPrivateData. After this side's REP, keep the data
	 * only if the peer's client has sent the REJ (ND_REASON_CONSUMER). */
	if (c->state == ND_CN_REQ_SENT || (c->state == ND_CN_REP_SENT && by_consumer))
		nd_connector_keep_data(c, &ev->param, RN_CM_REJ_DATA);
	peer_refused(c, ev->reason == ND_REASON_TIMEOUT ? ND_IO_TIMEOUT : ND_CONNECTION_REFUSED,
		     by_consumer ? ND_CONNECTION_REFUSED : ND_CONNECTION_ABORTED);
}

static void on_unreachable(struct nd_connector *c, const struct rn_event *ev)
{
	HRESULT status = ev->err != 0 ? nd_status_of_errno(ev->err) : ND_IO_TIMEOUT;

	peer_refused(c, status, ND_IO_TIMEOUT);
}

static void on_disconnected(struct nd_connector *c)
{
	switch (c->state) {
	case ND_CN_REP_SENT: /* the peer's RTU was lost, and the peer has now disconnected */
		nd_connector_end_step(c, ND_SUCCESS);
		peer_gone(c);
		break;
	case ND_CN_CONNECTED:
		peer_gone(c);
		break;
	/* this side's DREQ was answered, timed out, or crossed the peer's DREQ */
	case ND_CN_DISCONNECTING:
		nd_connector_end_qp(c);
		c->state = ND_CN_DISCONNECTED;
		nd_connector_end_step(c, ND_SUCCESS);
		break;
	default:
		peer_refused(c, ND_CONNECTION_ABORTED, ND_CONNECTION_ABORTED);
		break;
	}
}

/* Completes a Disconnect without waiting for the DREP, if the Ethernet link is down or the queue
 * pair has failed. Waiting would be useless, because no work request in flight could complete. The
 * CM repeats the DREQ in the background. */
void nd_connector_stop_waiting(struct nd_connector *c)
{
	if (c->state != ND_CN_DISCONNECTING || c->draining)
		return;
	nd_connector_destroy_id(c);
	nd_connector_end_qp(c);
	c->state = ND_CN_DISCONNECTED;
	nd_connector_end_step(c, ND_SUCCESS);
}

static void on_port_gone(struct nd_connector *c)
{
	nd_connector_end_notify(c, ND_DEVICE_REMOVED);
	nd_connector_end_step(c, ND_DEVICE_REMOVED);
	nd_connector_end_qp(c);
	c->draining = false;
	c->state = ND_CN_DISCONNECTED;
}

void nd_connector_event(struct nd_object *obj, const struct rn_event *ev)
{
	struct nd_connector *c = (struct nd_connector *)obj;

	pthread_mutex_lock(&c->async.lock);
	/* Ignore an event of another CM id: the event was queued before that CM id was
	 * destroyed. */
	if (ev->kind != RN_EVENT_PORT_GONE && ev->kind != RN_EVENT_PORT_DOWN && ev->id != c->id)
		goto out;
	switch (ev->kind) {
	case RN_EVENT_CM_RESPONSE:
		on_response(c, ev);
		break;
	case RN_EVENT_CM_ESTABLISHED:
		on_established(c);
		break;
	case RN_EVENT_CM_REJECTED:
		on_rejected(c, ev);
		break;
	case RN_EVENT_CM_UNREACHABLE:
		on_unreachable(c, ev);
		break;
	case RN_EVENT_CM_DISCONNECTED:
		on_disconnected(c);
		break;
	case RN_EVENT_PORT_GONE:
		on_port_gone(c);
		break;
	case RN_EVENT_PORT_DOWN:
		nd_connector_stop_waiting(c);
		break;
	/* work requests in flight took too long to complete, so the CM has answered the DREQ */
	case RN_EVENT_CM_AUTO_DREP:
		drained(c);
		break;
	default:
		break;
	}
out:
	pthread_mutex_unlock(&c->async.lock);
}

void nd_connector_qp_failed(struct nd_connector *c)
{
	pthread_mutex_lock(&c->async.lock);
	/* The client may have seen the failed work requests and called Disconnect before this event
	 * was handled. */
	if (c->state == ND_CN_CONNECTED)
		transport_dead(c);
	else if (c->draining)
		drained(c);
	else
		nd_connector_stop_waiting(c);
	pthread_mutex_unlock(&c->async.lock);
}

void nd_connector_drained(struct nd_connector *c)
{
	pthread_mutex_lock(&c->async.lock);
	drained(c);
	pthread_mutex_unlock(&c->async.lock);
}
