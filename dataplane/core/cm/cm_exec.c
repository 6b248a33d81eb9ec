/* How does the connection manager run a client's command?
 *
 * Each command is one function. The function checks all parameters first, so a rule of cm.c runs
 * only for a command that can succeed. cm.h lists the errors. Owns nothing. Runs on shard 0. */
#include <errno.h>
#include <string.h>

#include "cm/cm_priv.h"
#include "wire/frame.h"

static const struct rn_gid any, any_ipv4 = {{[10] = 0xff, [11] = 0xff}};

static bool is_wildcard(const struct rn_gid *g)
{
	return rn_gid_equal(g, &any) || rn_gid_equal(g, &any_ipv4);
}

static bool is_group(const struct rn_gid *g)
{
	return rn_gid_is_ipv4(g) ? g->b[12] >= 224 : g->b[0] == 0xff;
}

/* If cmd->user is not 0, further events of the id go to cmd->user. */
static void adopt(struct rn_cm_conn *c, const struct rn_cmd *cmd)
{
	if (cmd->user)
		c->user = cmd->user;
}

/* Returns the struct rn_cm_why for a rule that runs because of this command. */
static struct rn_cm_why asked_by(const struct rn_cmd *cmd)
{
	return (struct rn_cm_why){.cmd = cmd};
}

/* The service that a command names: its port space, and the type of the QPs that use the
 * service. */
struct service {
	uint16_t port_space;
	uint8_t qp_type;
};

/* Sets *s to the port space and QP type of the command, with defaults for 0. Returns false if the
 * port space has no QPs of this type. TCP has RC and UC, UDP and IPoIB have UD, IB has all three
 * types. */
static bool find_service(const struct rn_cmd *cmd, struct service *s)
{
	bool datagrams = cmd->cm.port_space == RN_PS_UDP || cmd->cm.port_space == RN_PS_IPOIB;

	s->port_space = cmd->cm.port_space ? cmd->cm.port_space : RN_PS_TCP;
	s->qp_type = cmd->cm.qp_type ? cmd->cm.qp_type : datagrams ? RN_QPT_UD : RN_QPT_RC;
	switch (s->port_space) {
	case RN_PS_UDP:
	case RN_PS_IPOIB:
		return s->qp_type == RN_QPT_UD;
	case RN_PS_TCP:
		return s->qp_type == RN_QPT_RC || s->qp_type == RN_QPT_UC;
	case RN_PS_IB:
		return s->qp_type == RN_QPT_RC || s->qp_type == RN_QPT_UC ||
		       s->qp_type == RN_QPT_UD;
	default:
		return false;
	}
}

/* Returns the listener at the command's address and port, or NULL if there is none. An id bound
 * with RN_CM_FOR_LISTENER counts as a listener. */
static struct rn_cm_conn *listener_there(const struct rn_cm *cm, const struct rn_cmd *cmd)
{
	struct service s;

	if (cmd->cm.port == 0 || !find_service(cmd, &s))
		return NULL;
	return rn_cm_listener_at(cm, s.port_space, &cmd->cm.local, cmd->cm.port);
}

/* Creates an id bound to the command's address and port. Returns 0 and sets *out, or returns a
 * negative errno and sets *out to NULL. */
static int bind_new(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **out)
{
	const struct rn_gid *local = &cmd->cm.local;
	struct service service;
	struct rn_cm_conn *c;

	*out = NULL;
	if (!find_service(cmd, &service))
		return -EPROTONOSUPPORT;
	if (!is_wildcard(local) && rn_port_own(cm->port, local) < 0)
		return -EADDRNOTAVAIL;
	c = rn_cm_new(cm);
	if (!c)
		return -ENOSPC;
	c->user = cmd->user;
	c->port_space = service.port_space;
	c->qp_type = service.qp_type;
	c->bound = c->local = *local;
	if (!rn_cm_take_port(cm, c, cmd->cm.port)) {
		rn_cm_release(cm, c);
		return -EADDRNOTAVAIL;
	}
	*out = c;
	return 0;
}

static int exec_bind(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c, rn_time now)
{
	bool listener = cmd->flags & RN_CM_FOR_LISTENER;
	int err;

	if (cmd->cm.id)
		return -EINVAL;
	if (listener && listener_there(cm, cmd))
		return -EADDRINUSE;
	err = bind_new(cm, cmd, c);
	/* Put the id into the table of listeners before CM_LISTEN. A second listener at this
	 * address and port is then refused from now on. */
	if (!err && listener)
		rn_cm_index_listener(cm, *c);
	return err;
}

static int exec_listen(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
		       rn_time now)
{
	const struct rn_cm_why why = asked_by(cmd);
	struct rn_cm_conn *other;
	int err;

	if (*c && (*c)->state != RN_CMS_BOUND)
		return -EINVAL;
	if (*c) {
		/* An earlier CM_CONNECT may have replaced a wildcard in `local` by an address of
		 * this side. Set `local` back to the address that the client bound. */
		(*c)->local = (*c)->bound;
		other = rn_cm_listener_at(cm, (*c)->port_space, &(*c)->local, (*c)->port);
		if (other && other != *c)
			return -EADDRINUSE;
		adopt(*c, cmd);
	} else {
		if (listener_there(cm, cmd))
			return -EADDRINUSE;
		err = bind_new(cm, cmd, c);
		if (err)
			return err;
	}
	rn_cm_step(cm, *c, RN_CMC_LISTEN, &why, now);
	return 0;
}

/* Returns the source address for a connection whose id is bound to a wildcard. Without an IP route
 * to the peer, returns any local address of the peer's family, or NULL. Resolving the peer's MAC
 * address then fails and reports CM_UNREACHABLE. */
static const struct rn_gid *source_for(const struct rn_cm *cm, const struct rn_gid *peer)
{
	struct rn_gid own;

	if (rn_port_source(cm->port, peer, &own))
		return &cm->port->gids[rn_port_own(cm->port, &own)];
	for (int i = 0; i < cm->port->ngids; i++)
		if (rn_gid_same_family(&cm->port->gids[i], peer))
			return &cm->port->gids[i];
	return NULL;
}

/* Checks a CM_CONNECT for the existing id c, or for a new id if c is NULL. Returns 0 and sets
 * *local to the source address of the connection, or returns a negative errno. */
static int check_connect(const struct rn_cm *cm, const struct rn_cmd *cmd,
			 const struct rn_cm_conn *c, struct rn_gid *local)
{
	const struct rn_gid *own = c ? &c->bound : &cmd->cm.local, *peer = &cmd->cm.peer;
	const struct rn_cm_param *p = &cmd->cm.param;
	struct service s = {0};
	bool datagrams;

	if (c && c->state != RN_CMS_BOUND)
		return rn_cm_states[c->state].flags & RN_CM_F_TAKEN ? -EALREADY : -EINVAL;
	if (!c && !find_service(cmd, &s))
		return -EPROTONOSUPPORT;
	datagrams = (c ? c->qp_type : s.qp_type) == RN_QPT_UD;
	if (p->data_len > (datagrams ? RN_CM_SIDR_REQ_DATA : RN_CM_REQ_DATA))
		return -EMSGSIZE;
	if (is_wildcard(peer) || cmd->cm.peer_port == 0)
		return -EDESTADDRREQ;
	if (is_group(peer))
		return -EADDRNOTAVAIL;
	/* QP0, QP1 and the multicast QPN cannot be connected. */
	if (!datagrams && (p->qpn <= RN_GSI_QPN || p->qpn >= RN_MCAST_QPN))
		return -EINVAL;
	if (rn_gid_equal(own, &any_ipv4) && !rn_gid_is_ipv4(peer))
		return -EAFNOSUPPORT;
	if (is_wildcard(own))
		own = source_for(cm, peer);
	if (!own || !rn_gid_same_family(own, peer))
		return -EAFNOSUPPORT;
	/* A QP can have one connection. Before a new attempt, the client must also have fetched all
	 * events of this id's previous attempt. */
	if ((!datagrams && rn_cm_by_qpn(cm, p->qpn)) || (c && c->nnotes))
		return -EBUSY;
	*local = *own;
	return 0;
}

static int exec_connect(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
			rn_time now)
{
	const struct rn_cm_why why = asked_by(cmd);
	bool fresh = !*c;
	struct rn_gid local;
	int err = check_connect(cm, cmd, *c, &local);

	if (err)
		return err;
	if (fresh) {
		err = bind_new(cm, cmd, c);
		if (err)
			return err;
	}
	/* Check the four-tuple after bind_new(), because the four-tuple includes the port number
	 * that bind_new() takes. */
	(*c)->local = local;
	(*c)->peer = cmd->cm.peer;
	(*c)->peer_port = cmd->cm.peer_port;
	if ((*c)->qp_type != RN_QPT_UD && rn_cm_tuple_taken(cm, *c)) {
		if (fresh) {
			rn_cm_release(cm, *c);
			*c = NULL;
		}
		return -EISCONN;
	}
	adopt(*c, cmd);
	rn_cm_step(cm, *c, (*c)->qp_type == RN_QPT_UD ? RN_CMC_RESOLVE : RN_CMC_CONNECT, &why, now);
	rn_cm_resolve_mac(cm, *c, now);
	return 0;
}

/* Runs a command that answers a CM message of the peer. Fails if the connection's state has no rule
 * for the command. -ECONNABORTED: the peer may have withdrawn or ended the connection (the id is
 * CLOSED, or BOUND after an attempt to connect). -EINVAL: any other state. */
static int answer(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn *c,
		  enum rn_cm_cause cause, rn_time now)
{
	const struct rn_cm_why why = asked_by(cmd);

	adopt(c, cmd);
	if (rn_cm_step(cm, c, cause, &why, now))
		return 0;
	return c->state == RN_CMS_CLOSED || (c->state == RN_CMS_BOUND && c->local_id)
		       ? -ECONNABORTED
		       : -EINVAL;
}

static int exec_accept(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
		       rn_time now)
{
	const struct rn_cm_param *p = &cmd->cm.param;
	bool datagrams = (*c)->qp_type == RN_QPT_UD;

	if (p->data_len > (datagrams ? RN_CM_SIDR_REP_DATA : RN_CM_REP_DATA))
		return -EMSGSIZE;
	if (p->qpn <= RN_GSI_QPN || p->qpn >= RN_MCAST_QPN)
		return -EINVAL;
	if ((*c)->state == RN_CMS_REQ_RCVD && rn_cm_by_qpn(cm, p->qpn))
		return -EBUSY;
	return answer(cm, cmd, *c, RN_CMC_ACCEPT, now);
}

static int exec_establish(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
			  rn_time now)
{
	if (cmd->cm.param.data_len > RN_CM_DATA_MAX)
		return -EMSGSIZE;
	return answer(cm, cmd, *c, RN_CMC_ESTABLISH, now);
}

static int exec_reject(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
		       rn_time now)
{
	bool datagrams = (*c)->qp_type == RN_QPT_UD;

	if (cmd->cm.param.data_len > (datagrams ? RN_CM_SIDR_REP_DATA : RN_CM_REJ_DATA))
		return -EMSGSIZE;
	if (datagrams && cmd->cm.reason > RN_CM_SIDR_BAD_VERSION)
		return -EINVAL;
	return answer(cm, cmd, *c, RN_CMC_REJECT, now);
}

static int exec_delay(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
		      rn_time now)
{
	return answer(cm, cmd, *c, RN_CMC_DELAY, now);
}

static int exec_disconnect(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
			   rn_time now)
{
	if ((*c)->state == RN_CMS_DREQ_SENT)
		return -EALREADY;
	/* If the state has no rule for DISCONNECT, there is no connection to end. */
	return rn_cm_step(cm, *c, RN_CMC_DISCONNECT, NULL, now) ? 0 : -ENOTCONN;
}

static int exec_destroy(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c,
			rn_time now)
{
	rn_cm_step(cm, *c, RN_CMC_DESTROY, NULL, now);
	*c = NULL; /* rn_cm_step() may have released the connection */
	return 0;
}

static const struct {
	uint16_t op;
	bool needs_id;
	int (*run)(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_cm_conn **c, rn_time now);
} commands[] = {
	{RN_CMD_CM_BIND, false, exec_bind},
	{RN_CMD_CM_LISTEN, false, exec_listen},
	{RN_CMD_CM_CONNECT, false, exec_connect},
	{RN_CMD_CM_ESTABLISH, true, exec_establish},
	{RN_CMD_CM_ACCEPT, true, exec_accept},
	{RN_CMD_CM_REJECT, true, exec_reject},
	{RN_CMD_CM_DISCONNECT, true, exec_disconnect},
	{RN_CMD_CM_DESTROY, true, exec_destroy},
	{RN_CMD_CM_DELAY, true, exec_delay},
};

void rn_cm_exec(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_time now)
{
	uint32_t id = cmd->cm.id;
	struct rn_cm_conn *c = rn_cm_by_id(cm, id);

	rsp->err = -EINVAL;
	rsp->id = id;
	/* For commands, an id that the client has destroyed no longer exists. Its connection may
	 * still exchange its last CM messages with the peer. */
	if (c && c->orphan)
		c = NULL;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(commands); i++) {
		if (commands[i].op != cmd->op)
			continue;
		rsp->err = (id || commands[i].needs_id) && !c ? -ENOENT
							      : commands[i].run(cm, cmd, &c, now);
		if (c && rsp->err == 0) {
			rsp->id = c->id;
			rsp->port = c->port;
		}
		return;
	}
}
