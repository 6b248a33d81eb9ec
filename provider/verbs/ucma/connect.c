/* Connections: the commands that listen, connect, answer and disconnect. What follows are events
 * (arrival.c). The callers hold the lock.
 *
 * The adapter's CM gives an id of its own to a listener or a connection when it is made, bound to
 * the address and port number that bind.c has chosen. */
#include "ucma/ucma.h"

#include <string.h>

#define MAX_BACKLOG	    1024u
#define MAX_RETRIES	    7
#define REASON_VENDOR	    35 /* the only reason besides 28 that a program may give */
#define REASON_CONSUMER	    28
#define SIDR_REASON_DEFAULT 0

static struct rn_client *client_of(const struct ucma_id *id)
{
	return id->adapter->nic->client;
}

/* The errno of a command of the CM, as the kernel gives it. */
static int cm_errno(int negative_errno)
{
	return negative_errno == -ENOSPC ? ENOMEM : -negative_errno;
}

/* From now on the process must not end before its messages are on the wire (nic.c). */
static void talk(const struct ucma_id *id)
{
	atomic_store(&id->adapter->nic->talked, true);
}

/* ---- LISTEN ---- */

static int listen_on(struct ucma_id *id, struct ucma_adapter *adapter)
{
	struct rn_client_addr local = ucma_bound_address(id);
	uint32_t *cm = &id->listener[adapter->device->index];
	uint64_t user = ucma_id_user(id, adapter);
	struct rn_client *client = adapter->nic->client;
	int rc = vb_engine.cm_bind_service(client, id->port_space, id->qp_type, &local, true, user,
					   cm);

	if (rc != 0)
		return cm_errno(rc);
	rc = vb_engine.cm_listen(client, *cm, &local, 0, user);
	if (rc != 0) {
		vb_engine.cm_destroy(client, *cm);
		*cm = 0;
	}
	return cm_errno(rc);
}

/* Listens on every adapter that starts and has an address of the family. Returns 0 if at least one
 * adapter listens, else an errno. */
static int listen_on_all(struct ucma_id *id)
{
	unsigned n, listening = 0;
	struct ucma_adapter *all = ucma_adapters(&n);
	int rc = ENODEV;

	for (unsigned i = 0; i < n; i++) {
		int why = ucma_adapter_start(&all[i]);

		if (why == 0)
			why = listen_on(id, &all[i]);
		if (why == 0)
			listening++;
		else
			rc = why;
	}
	return listening > 0 ? 0 : rc;
}

int ucma_listen(struct ucma_call *call)
{
	static const union ucma_addr any = {.sa.sa_family = AF_INET};
	uint32_t backlog = call->in.listen.backlog;
	struct ucma_id *id;
	int rc = ucma_call_id(call, call->in.listen.id, false, &id);

	if (rc == 0 && id->state == UCMA_IDLE)
		rc = ucma_bind(id, &any);
	if (rc != 0)
		return rc;
	if (id->state != UCMA_BOUND)
		return EINVAL;
	if (id->reuse_addr)
		rc = ucma_bind_alone(id);
	if (rc != 0)
		return rc;
	id->room = backlog > 0 && backlog < MAX_BACKLOG ? backlog : MAX_BACKLOG;
	id->state = UCMA_LISTEN;
	rc = id->adapter != NULL ? listen_on(id, id->adapter) : listen_on_all(id);
	if (rc != 0)
		id->state = UCMA_BOUND;
	else
		id->reuse_addr = false;
	return rc;
}

/* ---- CONNECT ---- */

static void fill_param(const struct ucma_id *id, const struct rdma_ucm_conn_param *from,
		       struct rn_cm_param *to)
{
	*to = (struct rn_cm_param){
		.qpn = from->qp_num,
		.psn = id->psn,
		.responder_resources = from->responder_resources,
		.initiator_depth = from->initiator_depth,
		.retry_cnt = from->retry_count < MAX_RETRIES ? from->retry_count : MAX_RETRIES,
		.rnr_retry =
			from->rnr_retry_count < MAX_RETRIES ? from->rnr_retry_count : MAX_RETRIES,
		.flow_control = from->flow_control,
		.srq = from->srq,
		.ack_timeout = id->has_timeout ? id->ack_timeout : 0,
		.tclass = id->tos,
		.qkey = from->qkey,
	};
}

/* Copies the program's private data. */
static int take_data(const struct rdma_ucm_conn_param *from, struct rn_cm_param *to, size_t max)
{
	if (from->private_data_len > max)
		return EINVAL;
	to->data_len = from->private_data_len;
	memcpy(to->data, from->private_data, from->private_data_len);
	return 0;
}

static int start_connect(struct ucma_id *id, const struct rn_cm_param *param)
{
	struct rn_client_addr local = {id->sgid, ucma_addr_port(&id->src)};
	struct rn_client_addr peer = {id->dgid, ucma_addr_port(&id->dst)};
	uint64_t user = ucma_id_user(id, id->adapter);
	int rc = vb_engine.cm_bind_service(client_of(id), id->port_space, id->qp_type, &local,
					   false, user, &id->cm);

	if (rc != 0)
		return rc;
	rc = vb_engine.cm_connect(client_of(id), id->cm, &local, &peer, param, user);
	if (rc != 0) {
		vb_engine.cm_destroy(client_of(id), id->cm);
		id->cm = 0;
	}
	return rc;
}

int ucma_connect(struct ucma_call *call)
{
	const struct rdma_ucm_conn_param *conn = &call->in.connect.conn_param;
	struct rn_cm_param param;
	struct ucma_id *id;
	int rc;

	if (!conn->valid)
		return EINVAL;
	rc = ucma_call_id(call, call->in.connect.id, true, &id);
	if (rc != 0)
		return rc;
	if (id->state != UCMA_ROUTE_KNOWN)
		return EINVAL;
	fill_param(id, conn, &param);
	rc = take_data(conn, &param,
		       id->qp_type == IBV_QPT_UD ? RN_CM_SIDR_REQ_DATA : RN_CM_REQ_DATA);
	if (rc == 0)
		rc = cm_errno(start_connect(id, &param));
	if (rc == 0) {
		id->state = UCMA_CONNECT;
		id->patient = conn->rnr_retry_count < MAX_RETRIES;
		talk(id);
	}
	return rc;
}

/* ---- ACCEPT: a REP of the passive side, or the RTU of the active side ---- */

static int answer_request(struct ucma_id *id, const struct rdma_ucm_conn_param *conn)
{
	struct rn_cm_param param;
	int rc;

	fill_param(id, conn, &param);
	rc = take_data(conn, &param,
		       id->qp_type == IBV_QPT_UD ? RN_CM_SIDR_REP_DATA : RN_CM_REP_DATA);
	if (rc == 0)
		rc = cm_errno(vb_engine.cm_accept(client_of(id), id->cm, &param,
						  ucma_id_user(id, id->adapter)));
	return rc;
}

int ucma_accept(struct ucma_call *call)
{
	const struct rdma_ucm_accept *cmd = &call->in.accept;
	uint64_t uid;
	struct ucma_id *id;
	int rc = ucma_call_id(call, cmd->id, true, &id);

	if (rc != 0)
		return rc;
	if (id->state != UCMA_CONNECT || id->cm == 0)
		return EINVAL;
	talk(id);
	uid = id->uid;
	if (cmd->conn_param.valid) {
		id->uid = cmd->uid; /* an event may follow before the command returns */
		rc = answer_request(id, &cmd->conn_param);
	} else if (id->qp_type == IBV_QPT_UD) {
		rc = cm_errno(
			vb_engine.cm_reject(client_of(id), id->cm, SIDR_REASON_DEFAULT, NULL, 0));
	} else {
		rc = cm_errno(vb_engine.cm_establish(client_of(id), id->cm));
	}
	if (rc != 0) {
		id->uid = uid;
		vb_engine.cm_reject(client_of(id), id->cm, 0, NULL, 0);
	}
	return rc;
}

/* ---- REJECT, DISCONNECT, NOTIFY ---- */

int ucma_reject(struct ucma_call *call)
{
	const struct rdma_ucm_reject *cmd = &call->in.reject;
	bool datagrams;
	struct ucma_id *id;
	int rc;

	if (cmd->reason != 0 && cmd->reason != REASON_CONSUMER && cmd->reason != REASON_VENDOR)
		return EINVAL;
	rc = ucma_call_id(call, cmd->id, true, &id);
	if (rc != 0)
		return rc;
	datagrams = id->qp_type == IBV_QPT_UD;
	if (id->cm == 0 ||
	    cmd->private_data_len > (datagrams ? RN_CM_SIDR_REP_DATA : RN_CM_REJ_DATA))
		return EINVAL;
	talk(id);
	return cm_errno(vb_engine.cm_reject(client_of(id), id->cm,
					    datagrams ? SIDR_REASON_DEFAULT : cmd->reason,
					    cmd->private_data, cmd->private_data_len));
}

/* Sends a DREQ, or answers the peer's; there is nothing to do for a connection that has ended. */
int ucma_disconnect(struct ucma_call *call)
{
	struct ucma_id *id;
	int rc = ucma_call_id(call, call->in.disconnect.id, true, &id);

	if (rc != 0)
		return rc;
	if (id->cm == 0)
		return EINVAL;
	talk(id);
	rc = -vb_engine.cm_disconnect(client_of(id), id->cm);
	return rc == EALREADY || rc == ENOTCONN ? 0 : rc;
}

/* A program reports that data arrived before the RTU. The adapter has seen that itself. */
int ucma_notify(struct ucma_call *call)
{
	struct ucma_id *id;
	int rc = ucma_call_id(call, call->in.notify.id, true, &id);

	if (rc != 0)
		return rc;
	return id->state == UCMA_CONNECT && call->in.notify.event == IBV_EVENT_COMM_EST ? 0
											: EINVAL;
}
