/* The connection manager of the fake NIC. It sends no packets. Each command changes the caller's
 * connection id and the peer's connection id, and posts the peer's event at once. */
#include "fake_priv.h"

#include <errno.h>
#include <string.h>

enum phase {
	FREE,
	BOUND,
	LISTENING,
	REQ_SENT,
	REQ_RCVD,
	REP_SENT,
	REP_RCVD,
	CONNECTED,
	DEAD,
};

struct id {
	enum phase phase;
	bool for_listener;
	struct fake_adapter *adapter;
	/* number: the connection id. other: index in ids[] of the peer's connection id, or 0 if
	 * there is none. */
	uint32_t number, other;
	struct rn_gid local, peer;
	uint16_t port, peer_port;
	struct rn_cm_param param;
};

#define IDS 512
static struct id ids[IDS];
static uint32_t uses;

static struct id *find(uint32_t number)
{
	struct id *id = &ids[number % IDS];

	return number != 0 && id->phase != FREE && id->number == number ? id : NULL;
}

static struct id *make(struct fake_adapter *a)
{
	for (uint32_t i = 1; i < IDS; i++)
		if (ids[i].phase == FREE) {
			memset(&ids[i], 0, sizeof(ids[i]));
			ids[i].adapter = a;
			ids[i].number = ++uses * IDS + i;
			return &ids[i];
		}
	return NULL;
}

static bool any(const struct rn_gid *gid)
{
	static const struct rn_gid zero, zero_v4 = {{[10] = 0xff, [11] = 0xff}};

	return memcmp(gid, &zero, sizeof(zero)) == 0 || memcmp(gid, &zero_v4, sizeof(zero)) == 0;
}

static bool same(const struct rn_gid *a, const struct rn_gid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static void tell(struct id *id, enum rn_event_kind kind, uint32_t parent,
		 const struct rn_cm_param *param, uint16_t reason, int err)
{
	struct rn_event ev = {
		.kind = kind,
		.reason = reason,
		.id = id->number,
		.parent = parent,
		.err = err,
		.port = id->port,
		.peer_port = id->peer_port,
		.local = id->local,
		.peer = id->peer,
	};

	if (param != NULL) {
		ev.param = *param;
		ev.attr.dest_qpn = param->qpn;
		ev.attr.sq_psn = param->psn;
		ev.attr.rnr_retry = param->rnr_retry;
	}
	fake_tell(id->adapter, &ev);
}

static struct id *other(struct id *id)
{
	return id->other != 0 ? &ids[id->other] : NULL;
}

/* Returns the adapter that has this GID, or NULL. */
static struct fake_adapter *owner(struct fake_adapter *both, const struct rn_gid *gid)
{
	for (int i = 0; i < 2; i++) {
		struct rn_link_info info;

		if (both[i].link.ops == NULL)
			continue;
		both[i].link.ops->info(&both[i].link, &info);
		for (unsigned g = 0; g < info.ngids; g++)
			if (same(&info.gids[g], gid))
				return &both[i];
	}
	return NULL;
}

static int bind_id(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	static uint16_t ephemeral = 49152;
	struct id *id;

	if (cmd->flags & RN_CM_FOR_LISTENER)
		for (uint32_t i = 1; i < IDS; i++)
			if (ids[i].phase != FREE && ids[i].for_listener && ids[i].adapter == a &&
			    ids[i].port == cmd->cm.port && same(&ids[i].local, &cmd->cm.local))
				return -EADDRINUSE;
	id = make(a);
	if (id == NULL)
		return -ENOSPC;
	id->for_listener = cmd->flags & RN_CM_FOR_LISTENER;
	id->phase = BOUND;
	id->local = cmd->cm.local;
	id->port = cmd->cm.port != 0 ? cmd->cm.port : ephemeral++;
	rsp->id = id->number;
	rsp->port = id->port;
	return 0;
}

static struct id *listener_for(struct fake_adapter *a, const struct rn_gid *gid, uint16_t port)
{
	for (uint32_t i = 1; i < IDS; i++)
		if (ids[i].phase == LISTENING && ids[i].adapter == a && ids[i].port == port &&
		    (any(&ids[i].local) || same(&ids[i].local, gid)))
			return &ids[i];
	return NULL;
}

static bool tuple_taken(const struct id *id)
{
	for (uint32_t i = 1; i < IDS; i++)
		if (&ids[i] != id && ids[i].phase >= REQ_SENT && ids[i].phase <= CONNECTED &&
		    ids[i].adapter == id->adapter && ids[i].port == id->port &&
		    ids[i].peer_port == id->peer_port && same(&ids[i].peer, &id->peer))
			return true;
	return false;
}

static int connect_id(struct id *id, struct fake_adapter *both, const struct rn_cmd *cmd)
{
	struct fake_adapter *to = owner(both, &cmd->cm.peer);
	struct rn_link_info info;
	struct id *listener, *request;

	id->peer = cmd->cm.peer;
	id->peer_port = cmd->cm.peer_port;
	if (tuple_taken(id))
		return -EISCONN;
	id->adapter->link.ops->info(&id->adapter->link, &info);
	if (any(&id->local))
		id->local = info.gids[cmd->cm.peer.b[10] == 0xff ? 0 : 1];
	id->phase = REQ_SENT;
	if (to == NULL) {
		id->phase = BOUND;
		tell(id, RN_EVENT_CM_UNREACHABLE, 0, NULL, 0, -EHOSTUNREACH);
		return 0;
	}
	listener = listener_for(to, &cmd->cm.peer, cmd->cm.peer_port);
	request = listener != NULL ? make(to) : NULL;
	if (request == NULL) {
		id->phase = BOUND;
		tell(id, RN_EVENT_CM_REJECTED, 0, NULL, 8, 0);
		return 0;
	}
	request->phase = REQ_RCVD;
	request->local = id->peer;
	request->port = id->peer_port;
	request->peer = id->local;
	request->peer_port = id->port;
	request->other = (uint32_t)(id - ids);
	id->other = (uint32_t)(request - ids);
	tell(request, RN_EVENT_CM_REQUEST, listener->number, &cmd->cm.param, 0, 0);
	return 0;
}

static void part(struct id *id, enum rn_event_kind kind, const struct rn_cm_param *param,
		 uint16_t reason)
{
	struct id *peer = other(id);

	id->other = 0;
	id->phase = DEAD;
	if (peer != NULL) {
		peer->other = 0;
		peer->phase = peer->phase == REQ_SENT ? BOUND : DEAD;
		tell(peer, kind, 0, param, reason, 0);
	}
}

static int disconnect(struct id *id)
{
	if (id->phase != CONNECTED && id->phase != REP_SENT)
		return -ENOTCONN;
	part(id, RN_EVENT_CM_DISCONNECTED, NULL, 0);
	tell(id, RN_EVENT_CM_DISCONNECTED, 0, NULL, 1, 0);
	return 0;
}

static int destroy(struct id *id)
{
	if (id->phase == CONNECTED)
		part(id, RN_EVENT_CM_DISCONNECTED, NULL, 0);
	else
		part(id, RN_EVENT_CM_REJECTED, NULL, id->phase == REQ_SENT ? 4 : 28);
	id->phase = FREE;
	return 0;
}

static int establish(struct id *id)
{
	struct id *peer = other(id);

	if (id->phase != REP_RCVD || peer == NULL)
		return -ENOTCONN;
	id->phase = CONNECTED;
	if (peer->phase == REP_SENT) {
		peer->phase = CONNECTED;
		tell(peer, RN_EVENT_CM_ESTABLISHED, 0, NULL, 0, 0);
	}
	return 0;
}

static int accept_id(struct id *id, const struct rn_cmd *cmd)
{
	struct id *peer = other(id);

	if (id->phase != REQ_RCVD || peer == NULL)
		return -ENOTCONN;
	id->phase = REP_SENT;
	id->param = cmd->cm.param;
	peer->phase = REP_RCVD;
	tell(peer, RN_EVENT_CM_RESPONSE, 0, &cmd->cm.param, 0, 0);
	return 0;
}

static int reject(struct id *id, const struct rn_cmd *cmd)
{
	if (other(id) == NULL)
		return -ENOTCONN;
	part(id, RN_EVENT_CM_REJECTED, &cmd->cm.param, cmd->cm.reason != 0 ? cmd->cm.reason : 28);
	return 0;
}

int fake_cm_exec(struct fake_adapter *a, struct fake_adapter *both, const struct rn_cmd *cmd,
		 struct rn_rsp *rsp)
{
	struct id *id = find(cmd->cm.id);

	if (cmd->op == RN_CMD_CM_BIND)
		return bind_id(a, cmd, rsp);
	if (id == NULL)
		return -ENOENT;
	switch (cmd->op) {
	case RN_CMD_CM_LISTEN:
		id->phase = LISTENING;
		return 0;
	case RN_CMD_CM_CONNECT:
		return connect_id(id, both, cmd);
	case RN_CMD_CM_ESTABLISH:
		return establish(id);
	case RN_CMD_CM_ACCEPT:
		return accept_id(id, cmd);
	case RN_CMD_CM_REJECT:
		return reject(id, cmd);
	case RN_CMD_CM_DISCONNECT:
		return disconnect(id);
	case RN_CMD_CM_DESTROY:
		return destroy(id);
	default:
		return 0;
	}
}

void fake_cm_comm_est(uint32_t qpn)
{
	for (uint32_t i = 1; i < IDS; i++)
		if (ids[i].phase == REP_SENT && ids[i].param.qpn == qpn) {
			ids[i].phase = CONNECTED;
			tell(&ids[i], RN_EVENT_CM_ESTABLISHED, 0, NULL, 0, 0);
		}
}

unsigned fake_cm_live(void)
{
	unsigned n = 0;

	for (uint32_t i = 1; i < IDS; i++)
		n += ids[i].phase != FREE;
	return n;
}
