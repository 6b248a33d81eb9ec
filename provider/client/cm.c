/* Connections: each rn_client_cm_ function makes a command for the connection manager (CM). The CM
 * owns the CM ids and reports results as events. This file keeps no state. Any thread may call
 * these functions. */
#include "client/client.h"

#include <errno.h>
#include <string.h>

static int run(struct rn_client *client, struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	memset(rsp, 0, sizeof(*rsp));
	return rn_client_exec(client, cmd, rsp);
}

/* Runs a command whose only argument is the CM id. */
static int run_on_id(struct rn_client *client, enum rn_cmd_op op, uint32_t id)
{
	struct rn_cmd cmd = {.op = (uint16_t)op};
	struct rn_rsp rsp;

	cmd.cm.id = id;
	return run(client, &cmd, &rsp);
}

int rn_client_cm_bind(struct rn_client *client, struct rn_client_addr *local, bool to_listen,
		      uint64_t user, uint32_t *id)
{
	return rn_client_cm_bind_service(client, RN_PS_TCP, RN_QPT_RC, local, to_listen, user, id);
}

int rn_client_cm_bind_service(struct rn_client *client, unsigned port_space, unsigned qp_type,
			      struct rn_client_addr *local, bool to_listen, uint64_t user,
			      uint32_t *id)
{
	struct rn_cmd cmd = {
		.op = RN_CMD_CM_BIND,
		.flags = to_listen ? RN_CM_FOR_LISTENER : 0,
		.user = user,
	};
	struct rn_rsp rsp;
	int rc;

	if (port_space > UINT16_MAX || qp_type > UINT8_MAX)
		return -EPROTONOSUPPORT;
	cmd.cm.port_space = (uint16_t)port_space;
	cmd.cm.qp_type = (uint8_t)qp_type;
	cmd.cm.port = local->port;
	cmd.cm.local = local->gid;
	rc = run(client, &cmd, &rsp);
	if (rc == 0) {
		*id = rsp.id;
		local->port = rsp.port;
	}
	return rc;
}

int rn_client_cm_listen(struct rn_client *client, uint32_t id, const struct rn_client_addr *local,
			uint32_t backlog, uint64_t user)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN, .user = user};
	struct rn_rsp rsp;

	cmd.cm.id = id;
	cmd.cm.port = local->port;
	cmd.cm.local = local->gid;
	cmd.cm.backlog = backlog;
	return run(client, &cmd, &rsp);
}

int rn_client_cm_connect(struct rn_client *client, uint32_t id, const struct rn_client_addr *local,
			 const struct rn_client_addr *peer, const struct rn_cm_param *param,
			 uint64_t user)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT, .user = user};
	struct rn_rsp rsp;

	if (param->data_len > RN_CM_SIDR_REQ_DATA)
		return -EMSGSIZE;
	cmd.cm.id = id;
	cmd.cm.port = local->port;
	cmd.cm.local = local->gid;
	cmd.cm.peer_port = peer->port;
	cmd.cm.peer = peer->gid;
	cmd.cm.param = *param;
	return run(client, &cmd, &rsp);
}

int rn_client_cm_establish(struct rn_client *client, uint32_t id)
{
	return run_on_id(client, RN_CMD_CM_ESTABLISH, id);
}

int rn_client_cm_accept(struct rn_client *client, uint32_t id, const struct rn_cm_param *param,
			uint64_t user)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_ACCEPT, .user = user};
	struct rn_rsp rsp;

	if (param->data_len > RN_CM_REP_DATA)
		return -EMSGSIZE;
	cmd.cm.id = id;
	cmd.cm.param = *param;
	return run(client, &cmd, &rsp);
}

int rn_client_cm_reject(struct rn_client *client, uint32_t id, uint16_t reason, const void *data,
			uint16_t len)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_REJECT};
	struct rn_rsp rsp;

	if (len > RN_CM_REJ_DATA)
		return -EMSGSIZE;
	cmd.cm.id = id;
	cmd.cm.reason = reason;
	cmd.cm.param.data_len = len;
	if (len != 0)
		memcpy(cmd.cm.param.data, data, len);
	return run(client, &cmd, &rsp);
}

int rn_client_cm_disconnect(struct rn_client *client, uint32_t id)
{
	return run_on_id(client, RN_CMD_CM_DISCONNECT, id);
}

int rn_client_cm_delay(struct rn_client *client, uint32_t id)
{
	return run_on_id(client, RN_CMD_CM_DELAY, id);
}

int rn_client_cm_destroy(struct rn_client *client, uint32_t id)
{
	return run_on_id(client, RN_CMD_CM_DESTROY, id);
}

int rn_client_av_resolve(struct rn_client *client, const struct rn_gid *local,
			 const struct rn_gid *peer, uint64_t user, struct rn_av *av)
{
	struct rn_cmd cmd = {.op = RN_CMD_RESOLVE, .user = user};
	struct rn_rsp rsp;
	int rc;

	cmd.cm.local = *local;
	cmd.cm.peer = *peer;
	rc = run(client, &cmd, &rsp);
	if (rc == 0)
		*av = rsp.query.attr.av;
	return rc;
}

int rn_client_resolve(struct rn_client *client, const struct rn_gid *local,
		      const struct rn_gid *peer, uint64_t user, uint8_t mac[6])
{
	struct rn_av av;
	int rc = rn_client_av_resolve(client, local, peer, user, &av);

	if (rc == 0)
		memcpy(mac, av.dmac, 6);
	return rc;
}
