/* Which services has the connection manager of this client taken, and for which of its ids? Owns
 * the records of both: of an id that is bound to a port, and of an address and service id, with a
 * count of the ids that have it.
 * Runs in control threads and in the watcher thread. */
#include "nic/daemon_binds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "port/log.h"
#include "rn/abi.h"
#include "wire/cm_msg.h"
#include "wire/frame.h"

/* How often another ephemeral port is tried, if another client listens at the one that was
 * chosen. */
#define PORT_TRIES 8

/* A registered service. */
struct service {
	struct rn_hnode node;
	uint64_t id;
	struct rn_gid addr;
	unsigned users; /* ids with this service */
};

/* An id of the connection manager that a command has bound. */
struct bound_id {
	struct rn_hnode node;
	uint32_t id;
	struct rn_hnode by_qpn; /* in the table `connecting`, unless qpn is 0 */
	uint32_t qpn;		/* the queue pair that the id has begun to connect, or 0 */
	uint64_t service;
	struct rn_gid addr;
	struct service *registered; /* or NULL */
};

void rn_daemon_binds_init(struct rn_daemon_binds *r, struct rn_daemon_link *link)
{
	r->link = link;
	rn_htab_init(&r->ids, r->bucket[0], RN_DAEMON_BINDS_BUCKETS);
	rn_htab_init(&r->services, r->bucket[1], RN_DAEMON_BINDS_BUCKETS);
	rn_htab_init(&r->connecting, r->bucket[2], RN_DAEMON_BINDS_BUCKETS);
}

#define free_all(table, type)                                                \
	do {                                                                 \
		for (unsigned i = 0; i < RN_DAEMON_BINDS_BUCKETS; i++)       \
			while ((table).bucket[i] != NULL) {                  \
				struct rn_hnode *n = (table).bucket[i];      \
				rn_htab_del(&(table), n);                    \
				free(rn_container_of(n, struct type, node)); \
			}                                                    \
	} while (0)

void rn_daemon_binds_fini(struct rn_daemon_binds *r)
{
	free_all(r->ids, bound_id);
	free_all(r->services, service);
}

/* ---- services registered with the daemon ---- */

static uint64_t hash_service(uint64_t id, const struct rn_gid *addr)
{
	return rn_hash_bytes(addr, sizeof(*addr), id);
}

static struct service *find_service(const struct rn_daemon_binds *r, uint64_t id,
				    const struct rn_gid *addr)
{
	for (struct rn_hnode *n = rn_htab_first(&r->services, hash_service(id, addr)); n != NULL;
	     n = rn_htab_next(n)) {
		struct service *v = rn_container_of(n, struct service, node);

		if (v->id == id && rn_gid_equal(&v->addr, addr))
			return v;
	}
	return NULL;
}

/* Registers the service, unless it is registered. Returns 0 or -errno. A table of the daemon that
 * is full is not a limit of this adapter, which -ENOSPC would mean. */
static int take_service(struct rn_daemon_binds *r, uint64_t id, const struct rn_gid *addr,
			struct service **out)
{
	struct service *v = find_service(r, id, addr);

	if (v == NULL) {
		v = calloc(1, sizeof(*v));
		if (v == NULL)
			return -ENOMEM;
		int rc = rn_daemon_link_listen(r->link, id, addr);

		if (rc != 0 && !rn_daemon_link_away(r->link, rc)) {
			/* The daemon may have carried out a request that it was too slow to
			 * answer. */
			if (rc == -ETIMEDOUT)
				rn_daemon_link_unlisten(r->link, id, addr);
			free(v);
			return rc == -ENOSPC ? -ENOMEM : rc;
		}
		v->id = id;
		v->addr = *addr;
		rn_htab_add(&r->services, &v->node, hash_service(id, addr));
	}
	v->users++;
	*out = v;
	return 0;
}

static void drop_service(struct rn_daemon_binds *r, struct service *v)
{
	if (v == NULL || --v->users > 0)
		return;
	rn_daemon_link_unlisten(r->link, v->id, &v->addr);
	rn_htab_del(&r->services, &v->node);
	free(v);
}

/* ---- ids of the connection manager ---- */

static struct bound_id *find_id(const struct rn_daemon_binds *r, uint32_t id)
{
	for (struct rn_hnode *n = rn_htab_first(&r->ids, rn_hash_u64(id)); n != NULL;
	     n = rn_htab_next(n)) {
		struct bound_id *b = rn_container_of(n, struct bound_id, node);

		if (b->id == id)
			return b;
	}
	return NULL;
}

/* The id begins to connect the queue pair qpn, or none if qpn is 0. */
static void set_qpn(struct rn_daemon_binds *r, struct bound_id *b, uint32_t qpn)
{
	if (b->qpn != 0)
		rn_htab_del(&r->connecting, &b->by_qpn);
	b->qpn = qpn;
	if (qpn != 0)
		rn_htab_add(&r->connecting, &b->by_qpn, rn_hash_u64(qpn));
}

void rn_daemon_binds_drop(struct rn_daemon_binds *r, uint32_t id)
{
	struct bound_id *b = find_id(r, id);

	if (b == NULL)
		return;
	drop_service(r, b->registered);
	set_qpn(r, b, 0);
	rn_htab_del(&r->ids, &b->node);
	free(b);
}

static uint64_t service_of(const struct rn_cmd *cmd, uint16_t port)
{
	return rn_cm_service_id(cmd->cm.port_space != 0 ? cmd->cm.port_space : RN_PS_TCP, port);
}

/* Does a command that creates an id take its port from other clients? */
static bool takes_port(const struct rn_cmd *cmd)
{
	if (cmd->op == RN_CMD_CM_BIND)
		return (cmd->flags & RN_CM_FOR_LISTENER) != 0 || cmd->cm.port != 0;
	return cmd->op == RN_CMD_CM_LISTEN;
}

/* Undoes a command that has created an id. */
static void destroy_id(struct rn_nic *nic, uint32_t id, rn_daemon_exec *exec)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_DESTROY};
	struct rn_rsp rsp = {0};

	cmd.cm.id = id;
	exec(nic, &cmd, &rsp);
}

int rn_daemon_binds_create(struct rn_daemon_binds *r, struct rn_nic *nic, const struct rn_cmd *cmd,
			   struct rn_rsp *rsp, rn_daemon_exec *exec)
{
	struct bound_id *b = calloc(1, sizeof(*b));
	struct service *v = NULL;
	int rc = b != NULL ? 0 : -ENOMEM;

	/* If the command names a port, register that port with the daemon before the shard executes
	 * the command, so that no other client can take the port meanwhile. Otherwise the shard
	 * chooses a port that no other id of this adapter has. Another client may have that port:
	 * then destroy the id and let the shard choose again. */
	if (rc == 0 && takes_port(cmd) && cmd->cm.port != 0)
		rc = take_service(r, service_of(cmd, cmd->cm.port), &cmd->cm.local, &v);
	for (unsigned i = 0; rc == 0; i++) {
		rc = exec(nic, cmd, rsp);
		if (rc != 0 || !takes_port(cmd) || v != NULL)
			break;
		rc = take_service(r, service_of(cmd, rsp->port), &cmd->cm.local, &v);
		if (rc == 0)
			break;
		destroy_id(nic, rsp->id, exec);
		if (rc == -EADDRINUSE && i + 1 < PORT_TRIES)
			rc = 0;
	}
	if (rc != 0) {
		drop_service(r, v);
		free(b);
		rsp->err = rc;
		return rc;
	}
	*b = (struct bound_id){
		.id = rsp->id,
		.service = service_of(cmd, rsp->port),
		.addr = cmd->cm.local,
		.registered = v,
	};
	rn_htab_add(&r->ids, &b->node, rn_hash_u64(b->id));
	if (cmd->op == RN_CMD_CM_CONNECT)
		set_qpn(r, b, cmd->cm.param.qpn);
	return 0;
}

int rn_daemon_binds_listen(struct rn_daemon_binds *r, struct rn_nic *nic, const struct rn_cmd *cmd,
			   struct rn_rsp *rsp, rn_daemon_exec *exec)
{
	struct bound_id *b = find_id(r, cmd->cm.id);
	struct service *v = NULL;
	int rc = 0;

	if (b != NULL && b->registered == NULL)
		rc = take_service(r, b->service, &b->addr, &v);
	if (rc == 0)
		rc = exec(nic, cmd, rsp);
	if (rc != 0)
		drop_service(r, v);
	else if (v != NULL)
		b->registered = v;
	rsp->err = rc;
	return rc;
}

void rn_daemon_binds_connect(struct rn_daemon_binds *r, uint32_t id, uint32_t qpn)
{
	struct bound_id *b = find_id(r, id);

	if (b != NULL)
		set_qpn(r, b, qpn);
}

bool rn_daemon_binds_is_connecting(const struct rn_daemon_binds *r, uint32_t qpn)
{
	for (struct rn_hnode *n = rn_htab_first(&r->connecting, rn_hash_u64(qpn)); n != NULL;
	     n = rn_htab_next(n))
		if (rn_container_of(n, struct bound_id, by_qpn)->qpn == qpn)
			return true;
	return false;
}

/* ---- the daemon has restarted ---- */

int rn_daemon_binds_register(struct rn_daemon_binds *r, const char *adapter)
{
	for (unsigned i = 0; i < RN_DAEMON_BINDS_BUCKETS; i++)
		for (struct rn_hnode *n = r->services.bucket[i]; n != NULL; n = n->next) {
			const struct service *v = rn_container_of(n, struct service, node);
			int rc = rn_daemon_link_listen(r->link, v->id, &v->addr);

			if (rn_daemon_link_away(r->link, rc))
				return rc;
			if (rc != 0)
				rn_log(LISTENER_REFUSED, adapter, (unsigned)(v->id & 0xffff),
				       strerror(-rc));
		}
	return 0;
}
