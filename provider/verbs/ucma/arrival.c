/* Events of the adapters as events of librdmacm. Runs on the event thread of an adapter, under the
 * lock of its target table (nic.c), and takes the lock of this folder. Commands take that lock
 * first; so nothing here or below may add or remove targets. */
#include "ucma/ucma.h"

#include <stdlib.h>
#include <string.h>

#define UNANSWERED 2 /* rn_event.reason of CM_DISCONNECTED: the peer did not answer the DREQ */

/* Copies the private data that the peer has sent. `field` is the length of the message's private
 * data, and so at most the room at `to`. An event without a message has no private data. */
static void copy_data(uint8_t *to, uint8_t *to_len, const struct rn_cm_param *from, size_t field)
{
	*to_len = (uint8_t)(from->data_len < field ? from->data_len : field);
	memcpy(to, from->data, *to_len);
}

/* The parameters of a REQ or REP as this side sees them: what the peer initiates, this side
 * answers. */
static void fill_conn(struct rdma_ucm_conn_param *to, const struct rn_cm_param *from, size_t field)
{
	copy_data(to->private_data, &to->private_data_len, from, field);
	to->responder_resources = from->initiator_depth;
	to->initiator_depth = from->responder_resources;
	to->flow_control = from->flow_control;
	to->retry_count = from->retry_cnt;
	to->rnr_retry_count = from->rnr_retry;
	to->srq = from->srq;
	to->qp_num = from->qpn;
}

/* ---- a request ---- */

/* Makes the id of a connection that a peer asks for. */
static struct ucma_id *child_of(const struct ucma_id *listener, struct ucma_adapter *adapter,
				const struct rn_event *ev)
{
	struct ucma_id *id = ucma_id_new(listener->file, listener->port_space, listener->qp_type);

	if (id == NULL)
		return NULL;
	id->state = UCMA_CONNECT;
	id->adapter = adapter;
	id->src = ucma_addr_of(&ev->local, ev->port);
	id->dst = ucma_addr_of(&ev->peer, ev->peer_port);
	id->sgid = ev->attr.av.sgid;
	id->dgid = ev->attr.av.dgid;
	id->tos = listener->tos;
	id->has_timeout = listener->has_timeout;
	id->ack_timeout = listener->ack_timeout;
	id->attr = ev->attr;
	id->has_peer = true;
	return id;
}

/* Does the listener serve this family? The adapter's wildcard of IPv6 also gets requests for
 * IPv4. */
static bool serves(const struct ucma_id *listener, const struct rn_event *ev)
{
	return !listener->one_family || listener->src.sa.sa_family != AF_INET6 ||
	       !vb_engine.gid_is_v4(&ev->local);
}

/* Queues a request. Returns false if there is no room, or nobody to take it. */
static bool queue_request(struct ucma_id *listener, struct ucma_adapter *adapter,
			  const struct rn_event *ev)
{
	struct ucma_event *out;

	if (listener == NULL || listener->state != UCMA_LISTEN || listener->room == 0 ||
	    !serves(listener, ev))
		return false;
	out = ucma_event_new(listener, UCMA_CONNECT_REQUEST, 0);
	if (out == NULL)
		return false;
	out->child = child_of(listener, adapter, ev);
	if (out->child == NULL) {
		free(out);
		return false;
	}
	out->child->cm = ev->id;
	out->resp.id = out->child->handle;
	if (listener->qp_type == IBV_QPT_UD)
		copy_data(out->resp.param.ud.private_data, &out->resp.param.ud.private_data_len,
			  &ev->param, RN_CM_SIDR_REQ_DATA);
	else
		fill_conn(&out->resp.param.conn, &ev->param, RN_CM_REQ_DATA);
	listener->room--;
	ucma_event_send(out);
	return true;
}

static void on_request(struct ucma_id *listener, struct ucma_adapter *adapter,
		       const struct rn_event *ev)
{
	struct rn_client *client = adapter->nic->client;

	if (!queue_request(listener, adapter, ev))
		vb_engine.cm_destroy(client, ev->id); /* sends a REJ with reason 28 */
	else if (listener->qp_type != IBV_QPT_UD)
		vb_engine.cm_delay(client, ev->id); /* as in Linux: the program may take its time */
}

/* ---- what happens to a connection ---- */

/* The answer of a datagram service. */
static void on_service(struct ucma_id *id, const struct rn_event *ev)
{
	struct ucma_event *out = ucma_event_new(id, UCMA_ESTABLISHED, 0);
	struct rdma_ucm_ud_param *ud;

	if (out == NULL)
		return;
	ud = &out->resp.param.ud;
	copy_data(ud->private_data, &ud->private_data_len, &ev->param, RN_CM_SIDR_REP_DATA);
	ud->qp_num = ev->param.qpn;
	ud->qkey = ev->param.qkey;
	ucma_attr_ah(id->adapter, &ev->attr.av, &ud->ah_attr);
	ucma_event_send(out);
}

static void on_response(struct ucma_id *id, const struct rn_event *ev)
{
	struct ucma_event *out;

	if (id->state != UCMA_CONNECT)
		return;
	if (id->qp_type == IBV_QPT_UD) {
		on_service(id, ev);
		return;
	}
	id->attr = ev->attr;
	id->has_peer = true;
	out = ucma_event_new(id, UCMA_CONNECT_RESPONSE, 0);
	if (out == NULL)
		return;
	fill_conn(&out->resp.param.conn, &ev->param, RN_CM_REP_DATA);
	ucma_event_send(out);
	vb_engine.cm_delay(id->adapter->nic->client, id->cm);
}

static void on_rejected(struct ucma_id *id, const struct rn_event *ev)
{
	bool datagrams = id->qp_type == IBV_QPT_UD;
	struct ucma_event *out =
		ucma_event_new(id, datagrams ? UCMA_UNREACHABLE : UCMA_REJECTED, ev->reason);

	if (out == NULL)
		return;
	if (datagrams)
		copy_data(out->resp.param.ud.private_data, &out->resp.param.ud.private_data_len,
			  &ev->param, RN_CM_SIDR_REP_DATA);
	else
		copy_data(out->resp.param.conn.private_data, &out->resp.param.conn.private_data_len,
			  &ev->param, RN_CM_REJ_DATA);
	ucma_event_send(out);
}

static void on_disconnected(struct ucma_id *id, const struct rn_event *ev)
{
	if (id->state != UCMA_CONNECT)
		return;
	id->state = UCMA_ENDED;
	ucma_event_post(id, UCMA_DISCONNECTED, ev->reason == UNANSWERED ? -ETIMEDOUT : 0);
}

static void on_connection(struct ucma_id *id, const struct rn_event *ev)
{
	switch (ev->kind) {
	case RN_EVENT_CM_RESPONSE:
		on_response(id, ev);
		break;
	case RN_EVENT_CM_ESTABLISHED:
		ucma_event_post(id, UCMA_ESTABLISHED, 0);
		break;
	case RN_EVENT_CM_REJECTED:
		on_rejected(id, ev);
		break;
	case RN_EVENT_CM_UNREACHABLE:
		ucma_event_post(id, UCMA_UNREACHABLE, ev->err != 0 ? ev->err : -ETIMEDOUT);
		break;
	case RN_EVENT_CM_DISCONNECTED:
		on_disconnected(id, ev);
		break;
	case RN_EVENT_CM_TIMEWAIT_EXIT:
		ucma_event_post(id, UCMA_TIMEWAIT_EXIT, 0);
		break;
	default:
		break;
	}
}

/* The adapter's port was removed. The ids of the adapter can only be destroyed now. */
static void on_removal(const struct ucma_adapter *adapter)
{
	struct ucma_id *id;
	uint32_t at = 0;

	while ((id = ucma_id_next(&at)) != NULL)
		if (id->adapter == adapter && id->state != UCMA_ADAPTER_REMOVED) {
			id->state = UCMA_ADAPTER_REMOVED;
			ucma_event_post(id, UCMA_DEVICE_REMOVAL, 0);
		}
}

static void dispatch(struct ucma_adapter *adapter, const struct rn_event *ev)
{
	struct ucma_id *id = ucma_id_find((uint32_t)(ev->user >> VB_TARGET_TAG_SHIFT));

	if (ev->kind == RN_EVENT_PORT_GONE)
		on_removal(adapter);
	else if (ev->kind == RN_EVENT_CM_REQUEST)
		on_request(id, adapter, ev);
	else if (ev->kind == RN_EVENT_RESOLVED)
		ucma_resolved(adapter, id, ev->err, &ev->attr.av);
	else if (id == NULL || id->state == UCMA_ADAPTER_REMOVED)
		return;
	else if (id->cm ==
		 ev->id) /* else a request that was not accepted yet: Linux says nothing */
		on_connection(id, ev);
}

void ucma_deliver(struct vb_target *target, const struct rn_event *ev)
{
	struct ucma_adapter *adapter =
		(struct ucma_adapter *)((char *)target - offsetof(struct ucma_adapter, target));

	pthread_mutex_lock(&ucma_lock);
	if (!adapter->ended)
		dispatch(adapter, ev);
	pthread_mutex_unlock(&ucma_lock);
}
