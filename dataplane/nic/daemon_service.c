/* What does softrnicd have to know about this client, and how does it learn that again after a
 * restart? Owns the connection to the daemon and three tables:
 * - ids: the ids of the connection manager that are bound to a port, and queue pairs that an id has
 *   connected
 * - services: the addresses and service ids that are registered, each with a count of its ids
 * - pairs: all queue pairs; those that are connected without the connection manager are announced
 * Runs in control threads and in the watcher thread. */
#include "nic/daemon_service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/config.h"
#include "nic/nic.h"
#include "port/log.h"
#include "shard/claims.h"
#include "wire/cm_msg.h"
#include "wire/frame.h"

/* How long a new client waits for a daemon that does not take it yet. */
#define ATTACH_MS  10000
#define ATTACH_NAP 50
/* How long, and how often, connections are announced again after a restart: the client may handle
 * messages later that the former daemon had passed. */
#define CLAIM_MS    5000
#define CLAIM_EVERY 500
/* How often in a row, every 100 ms, the daemon may refuse to take the client back. */
#define REFUSALS 10
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

/* A queue pair. Exists as long as the queue pair, so that connecting needs no memory. */
struct pair {
	struct rn_hnode node;
	uint32_t qpn;
	bool announced;		 /* it is connected without the connection manager */
	struct rn_hnode by_peer; /* in the table `peers`, if it is announced */
	struct rn_daemon_claim claim;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- attaching for the first time ---- */

int rn_daemon_service_open(struct rn_daemon_service **out, const struct rn_config_adapter *a,
			   char *err, size_t errlen)
{
	struct rn_daemon_service *s = calloc(1, sizeof(*s));
	uint64_t start = now_ms();
	int rc;

	if (s == NULL) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	rn_daemon_link_init(&s->link, a->socket);
	pthread_mutex_init(&s->lock, NULL);
	rn_htab_init(&s->ids, s->bucket[0], RN_DAEMON_BUCKETS);
	rn_htab_init(&s->services, s->bucket[1], RN_DAEMON_BUCKETS);
	rn_htab_init(&s->pairs, s->bucket[2], RN_DAEMON_BUCKETS);
	rn_htab_init(&s->connecting, s->bucket[3], RN_DAEMON_BUCKETS);
	rn_htab_init(&s->peers, s->bucket[4], RN_DAEMON_BUCKETS);
	snprintf(s->name, sizeof(s->name), "%s", a->name);
	s->queues = a->shards;
	rc = rn_daemon_link_attach(&s->link, s->queues, program_invocation_short_name, &s->port);
	while ((rc == -EAGAIN && now_ms() < start + ATTACH_MS) ||
	       (rn_daemon_link_absent(rc) && now_ms() < start + a->daemon_wait_ms)) {
		nanosleep(&(struct timespec){.tv_nsec = ATTACH_NAP * 1000000L}, NULL);
		rc = rn_daemon_link_attach(&s->link, s->queues, program_invocation_short_name,
					   &s->port);
	}
	if (rc == -EAGAIN)
		snprintf(err, errlen,
			 "adapter %s: softrnicd at %s has its full number of clients, or waits for "
			 "former ones",
			 a->name, a->socket);
	else if (rc != 0)
		snprintf(err, errlen, "adapter %s: no softrnicd answers at %s: %s", a->name,
			 a->socket, strerror(-rc));
	if (rc == 0) {
		rc = rn_daemon_port_make(&s->path);
		if (rc != 0)
			snprintf(err, errlen,
				 "adapter %s: no folder for the socket of its port: %s", a->name,
				 strerror(-rc));
	}
	s->attached = rc == 0;
	if (rc != 0) {
		rn_daemon_service_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

#define free_all(table, type)                                                \
	do {                                                                 \
		for (unsigned i = 0; i < RN_DAEMON_BUCKETS; i++)             \
			while ((table).bucket[i] != NULL) {                  \
				struct rn_hnode *n = (table).bucket[i];      \
				rn_htab_del(&(table), n);                    \
				free(rn_container_of(n, struct type, node)); \
			}                                                    \
	} while (0)

void rn_daemon_service_close(struct rn_daemon_service *s)
{
	if (s == NULL)
		return;
	rn_daemon_port_remove(&s->path);
	rn_daemon_link_fini(&s->link);
	free_all(s->ids, bound_id);
	free_all(s->services, service);
	free_all(s->pairs, pair);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void rn_daemon_service_forget(struct rn_daemon_service *s)
{
	if (s != NULL)
		rn_daemon_link_forget(&s->link);
}

/* Is this the result of a request that could not be made, because the daemon is away? */
static bool is_away(struct rn_daemon_service *s, int rc)
{
	return rc != 0 && rn_daemon_link_lost(&s->link);
}

/* ---- services ---- */

static uint64_t hash_service(uint64_t id, const struct rn_gid *addr)
{
	return rn_hash_bytes(addr, sizeof(*addr), id);
}

static struct service *find_service(const struct rn_daemon_service *s, uint64_t id,
				    const struct rn_gid *addr)
{
	for (struct rn_hnode *n = rn_htab_first(&s->services, hash_service(id, addr)); n != NULL;
	     n = rn_htab_next(n)) {
		struct service *v = rn_container_of(n, struct service, node);

		if (v->id == id && rn_gid_equal(&v->addr, addr))
			return v;
	}
	return NULL;
}

/* Registers the service, unless it is registered. Returns 0 or -errno. A table of the daemon that
 * is full is not a limit of this adapter, which -ENOSPC would mean. */
static int take_service(struct rn_daemon_service *s, uint64_t id, const struct rn_gid *addr,
			struct service **out)
{
	struct service *v = find_service(s, id, addr);

	if (v == NULL) {
		v = calloc(1, sizeof(*v));
		if (v == NULL)
			return -ENOMEM;
		int rc = rn_daemon_link_listen(&s->link, id, addr);

		if (rc != 0 && !is_away(s, rc)) {
			/* The daemon may have carried out a request that it was too slow to
			 * answer. */
			if (rc == -ETIMEDOUT)
				rn_daemon_link_unlisten(&s->link, id, addr);
			free(v);
			return rc == -ENOSPC ? -ENOMEM : rc;
		}
		v->id = id;
		v->addr = *addr;
		rn_htab_add(&s->services, &v->node, hash_service(id, addr));
	}
	v->users++;
	*out = v;
	return 0;
}

static void drop_service(struct rn_daemon_service *s, struct service *v)
{
	if (v == NULL || --v->users > 0)
		return;
	rn_daemon_link_unlisten(&s->link, v->id, &v->addr);
	rn_htab_del(&s->services, &v->node);
	free(v);
}

/* ---- ids of the connection manager ---- */

static struct bound_id *find_id(const struct rn_daemon_service *s, uint32_t id)
{
	for (struct rn_hnode *n = rn_htab_first(&s->ids, rn_hash_u64(id)); n != NULL;
	     n = rn_htab_next(n)) {
		struct bound_id *b = rn_container_of(n, struct bound_id, node);

		if (b->id == id)
			return b;
	}
	return NULL;
}

/* The id begins to connect the queue pair qpn, or none if qpn is 0. */
static void set_qpn(struct rn_daemon_service *s, struct bound_id *b, uint32_t qpn)
{
	if (b->qpn != 0)
		rn_htab_del(&s->connecting, &b->by_qpn);
	b->qpn = qpn;
	if (qpn != 0)
		rn_htab_add(&s->connecting, &b->by_qpn, rn_hash_u64(qpn));
}

static void drop_id(struct rn_daemon_service *s, uint32_t id)
{
	struct bound_id *b = find_id(s, id);

	if (b == NULL)
		return;
	drop_service(s, b->registered);
	set_qpn(s, b, 0);
	rn_htab_del(&s->ids, &b->node);
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

typedef int exec_fn(struct rn_nic *, const struct rn_cmd *, struct rn_rsp *);

/* Undoes a command that has created an id. */
static void destroy_id(struct rn_nic *nic, uint32_t id, exec_fn *exec)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_DESTROY};
	struct rn_rsp rsp = {0};

	cmd.cm.id = id;
	exec(nic, &cmd, &rsp);
}

/* Creates an id. If the port is known, it is registered first: then no other client can get it in
 * between. Otherwise the shard chooses one that no other id of this adapter has, and another client
 * may have it. */
static int create_id(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd,
		     struct rn_rsp *rsp, exec_fn *exec)
{
	struct bound_id *b = calloc(1, sizeof(*b));
	struct service *v = NULL;
	int rc = b != NULL ? 0 : -ENOMEM;

	if (rc == 0 && takes_port(cmd) && cmd->cm.port != 0)
		rc = take_service(s, service_of(cmd, cmd->cm.port), &cmd->cm.local, &v);
	for (unsigned i = 0; rc == 0; i++) {
		rc = exec(nic, cmd, rsp);
		if (rc != 0 || !takes_port(cmd) || v != NULL)
			break;
		rc = take_service(s, service_of(cmd, rsp->port), &cmd->cm.local, &v);
		if (rc == 0)
			break;
		destroy_id(nic, rsp->id, exec);
		if (rc == -EADDRINUSE && i + 1 < PORT_TRIES)
			rc = 0;
	}
	if (rc != 0) {
		drop_service(s, v);
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
	rn_htab_add(&s->ids, &b->node, rn_hash_u64(b->id));
	if (cmd->op == RN_CMD_CM_CONNECT)
		set_qpn(s, b, cmd->cm.param.qpn);
	return 0;
}

/* An id that was bound becomes a listener. */
static int listen_at_id(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd,
			struct rn_rsp *rsp, exec_fn *exec)
{
	struct bound_id *b = find_id(s, cmd->cm.id);
	struct service *v = NULL;
	int rc = 0;

	if (b != NULL && b->registered == NULL)
		rc = take_service(s, b->service, &b->addr, &v);
	if (rc == 0)
		rc = exec(nic, cmd, rsp);
	if (rc != 0)
		drop_service(s, v);
	else if (v != NULL)
		b->registered = v;
	rsp->err = rc;
	return rc;
}

/* ---- queue pairs that are connected without the connection manager ---- */

static struct pair *find_pair(const struct rn_daemon_service *s, uint32_t qpn)
{
	for (struct rn_hnode *n = rn_htab_first(&s->pairs, rn_hash_u64(qpn)); n != NULL;
	     n = rn_htab_next(n)) {
		struct pair *p = rn_container_of(n, struct pair, node);

		if (p->qpn == qpn)
			return p;
	}
	return NULL;
}

static uint64_t hash_peer(const struct rn_daemon_claim *claim)
{
	return rn_hash_bytes(&claim->dst, sizeof(claim->dst), claim->remote_qpn);
}

/* Several queue pairs of this adapter may send to one queue pair of a peer. */
static bool is_announced(const struct rn_daemon_service *s, const struct rn_daemon_claim *claim)
{
	for (struct rn_hnode *n = rn_htab_first(&s->peers, hash_peer(claim)); n != NULL;
	     n = rn_htab_next(n)) {
		const struct pair *p = rn_container_of(n, struct pair, by_peer);

		if (p->claim.remote_qpn == claim->remote_qpn &&
		    rn_gid_equal(&p->claim.dst, &claim->dst))
			return true;
	}
	return false;
}

static void withdraw(struct rn_daemon_service *s, struct pair *p)
{
	if (p == NULL || !p->announced)
		return;
	rn_htab_del(&s->peers, &p->by_peer);
	p->announced = false;
	if (!is_announced(s, &p->claim))
		rn_daemon_link_unclaim(&s->link, p->claim.remote_qpn, &p->claim.dst);
}

/* Does an id of the connection manager connect the queue pair? The daemon has seen its REQ then. */
static bool is_connecting(const struct rn_daemon_service *s, uint32_t qpn)
{
	for (struct rn_hnode *n = rn_htab_first(&s->connecting, rn_hash_u64(qpn)); n != NULL;
	     n = rn_htab_next(n))
		if (rn_container_of(n, struct bound_id, by_qpn)->qpn == qpn)
			return true;
	return false;
}

static struct rn_daemon_claim claim_of(const struct rn_cm_track *t)
{
	struct rn_daemon_claim claim = {
		.state = t->state,
		.local_id = t->local_id,
		.remote_id = t->remote_id,
		.local_qpn = t->local_qpn,
		.remote_qpn = t->remote_qpn,
		.tclass = t->way.tclass,
		.service_id = t->service_id,
		.src = t->way.src,
		.dst = t->way.dst,
	};

	memcpy(claim.dmac, t->way.dmac, 6);
	return claim;
}

/* Tells the daemon about a pair before data flow. A daemon that is not strict does not need that,
 * and one that refuses it drops the data: the connection then fails as with a peer that does not
 * answer. */
static void claim_pair(struct rn_daemon_service *s, const struct rn_daemon_claim *claim)
{
	rn_daemon_link_announce(&s->link, claim);
}

/* The queue pair is connected with this peer, which the daemon has been told, and no longer with
 * another. */
static void remember(struct rn_daemon_service *s, struct pair *p,
		     const struct rn_daemon_claim *claim)
{
	struct pair former = *p;

	if (p->announced)
		rn_htab_del(&s->peers, &p->by_peer);
	p->claim = *claim;
	p->announced = true;
	rn_htab_add(&s->peers, &p->by_peer, hash_peer(claim));
	if (former.announced && !is_announced(s, &former.claim))
		rn_daemon_link_unclaim(&s->link, former.claim.remote_qpn, &former.claim.dst);
}

int rn_daemon_service_create_qp(struct rn_daemon_service *s, struct rn_nic *nic,
				const struct rn_cmd *cmd, struct rn_rsp *rsp, exec_fn *exec)
{
	struct pair *p = calloc(1, sizeof(*p));
	int rc = p != NULL ? exec(nic, cmd, rsp) : -ENOMEM;

	if (rc != 0) {
		free(p);
		return rc;
	}
	p->qpn = rsp->id;
	pthread_mutex_lock(&s->lock);
	rn_htab_add(&s->pairs, &p->node, rn_hash_u64(p->qpn));
	pthread_mutex_unlock(&s->lock);
	return 0;
}

struct pair_call {
	struct rn_call call; /* first member: run_pair() casts `call` to this struct */
	uint32_t qpn;
	struct rn_cm_track track;
	bool found;
};

static void run_pair(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	struct pair_call *c = (struct pair_call *)call;

	c->found = rn_shard_pair(lc->shard, c->qpn, &c->track);
}

/* A change in SQD may have changed the address of the peer. */
static void follow_peer(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd)
{
	struct pair_call c = {.call.run = run_pair, .qpn = cmd->modify_qp.qpn};
	struct rn_daemon_claim claim;
	struct pair *p;

	rn_lcore_call(&nic->lcore[rn_qpn_shard(c.qpn, nic->nshards)], &c.call);
	if (!c.found)
		return;
	pthread_mutex_lock(&s->lock);
	p = find_pair(s, c.qpn);
	if (p != NULL) {
		claim = claim_of(&c.track);
		claim_pair(s, &claim);
		remember(s, p, &claim);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Executes a command that connects a queue pair, or disconnects it (RESET). If the command is
 * refused, the daemon must have the same announcements afterwards as before. */
static int change_pair(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd,
		       struct rn_rsp *rsp, const struct rn_cm_track *track, exec_fn *exec)
{
	struct rn_daemon_claim claim;
	struct pair *p;
	int rc;

	pthread_mutex_lock(&s->lock);
	p = find_pair(s, cmd->modify_qp.qpn);
	if (p == NULL || track == NULL || is_connecting(s, p->qpn)) {
		rc = exec(nic, cmd, rsp);
		if (rc == 0)
			withdraw(s, p);
	} else {
		claim = claim_of(track);
		claim_pair(s, &claim);
		rc = exec(nic, cmd, rsp);
		if (rc == 0)
			remember(s, p, &claim);
		else if (!is_announced(s, &claim))
			rn_daemon_link_unclaim(&s->link, claim.remote_qpn, &claim.dst);
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int rn_daemon_service_modify_qp(struct rn_daemon_service *s, struct rn_nic *nic,
				const struct rn_cmd *cmd, struct rn_rsp *rsp, exec_fn *exec)
{
	bool reset = (cmd->modify_qp.mask & RN_QP_STATE) != 0 &&
		     cmd->modify_qp.attr.state == RN_QPS_RESET;
	struct rn_cm_track track;
	bool connects = rn_cmd_pair(cmd, &track);
	int rc;

	if (connects || reset)
		return change_pair(s, nic, cmd, rsp, connects ? &track : NULL, exec);
	rc = exec(nic, cmd, rsp);
	if (rc == 0 && (cmd->modify_qp.mask & RN_QP_AV) != 0)
		follow_peer(s, nic, cmd);
	return rc;
}

void rn_daemon_service_forget_qp(struct rn_daemon_service *s, uint32_t qpn)
{
	struct pair *p;

	pthread_mutex_lock(&s->lock);
	p = find_pair(s, qpn);
	withdraw(s, p);
	if (p != NULL)
		rn_htab_del(&s->pairs, &p->node);
	pthread_mutex_unlock(&s->lock);
	free(p);
}

/* ---- commands of the connection manager ---- */

int rn_daemon_service_cm(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd,
			 struct rn_rsp *rsp, exec_fn *exec)
{
	struct bound_id *b;
	int rc;

	pthread_mutex_lock(&s->lock);
	switch (cmd->op) {
	case RN_CMD_CM_BIND:
	case RN_CMD_CM_LISTEN:
	case RN_CMD_CM_CONNECT:
		if (cmd->cm.id == 0) {
			rc = create_id(s, nic, cmd, rsp, exec);
			break;
		}
		if (cmd->op == RN_CMD_CM_LISTEN) {
			rc = listen_at_id(s, nic, cmd, rsp, exec);
			break;
		}
		rc = exec(nic, cmd, rsp);
		b = find_id(s, cmd->cm.id);
		if (rc == 0 && b != NULL && cmd->op == RN_CMD_CM_CONNECT)
			set_qpn(s, b, cmd->cm.param.qpn);
		break;
	case RN_CMD_CM_ACCEPT:
		/* The queue pair is connected before this command. From now on the daemon knows
		 * the pair from the REP. */
		withdraw(s, find_pair(s, cmd->cm.param.qpn));
		rc = exec(nic, cmd, rsp);
		break;
	case RN_CMD_CM_DESTROY:
		rc = exec(nic, cmd, rsp);
		if (rc == 0)
			drop_id(s, cmd->cm.id);
		break;
	default:
		rc = exec(nic, cmd, rsp);
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* ---- multicast groups ---- */

static bool has_group(const struct rn_gid *of, unsigned n, const struct rn_gid *group)
{
	for (unsigned i = 0; i < n; i++)
		if (rn_gid_equal(&of[i], group))
			return true;
	return false;
}

int rn_daemon_service_join(struct rn_daemon_service *s, const struct rn_gid *group)
{
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	if (!has_group(s->group, s->ngroups, group)) {
		rc = s->ngroups < RN_GROUPS ? rn_daemon_link_join(&s->link, group) : -ENOMEM;
		if (rc == -ENOSPC)
			rc = -ENOMEM; /* as in take_service() */
		if (s->ngroups < RN_GROUPS && is_away(s, rc))
			rc = 0;
		if (rc == 0)
			s->group[s->ngroups++] = *group;
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void rn_daemon_service_leave(struct rn_daemon_service *s, const struct rn_nic_groups *groups)
{
	unsigned kept = 0;

	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < s->ngroups; i++) {
		bool used = false;

		for (unsigned k = 0; k < groups->n; k++)
			used = used || rn_gid_equal(&groups->group[k].gid, &s->group[i]);
		if (used)
			s->group[kept++] = s->group[i];
		else
			rn_daemon_link_leave(&s->link, &s->group[i]);
	}
	s->ngroups = kept;
	pthread_mutex_unlock(&s->lock);
}

/* ---- the daemon has restarted ---- */

struct tracks_call {
	struct rn_call call; /* first member: run_tracks() casts `call` to this struct */
	uint32_t cursor;
	struct rn_cm_track of[RN_DAEMON_CLAIMS];
	unsigned n;
};

static void run_tracks(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	struct tracks_call *c = (struct tracks_call *)call;

	c->n = rn_shard_tracks(lc->shard, &c->cursor, c->of, RN_ARRAY_SIZE(c->of));
}

/* Announces the connections of the connection manager, which shard 0 has. */
static int claim_connections(struct rn_daemon_service *s, struct rn_nic *nic)
{
	struct rn_daemon_claim of[RN_DAEMON_CLAIMS];
	struct tracks_call c = {.call.run = run_tracks};
	uint32_t accepted;
	int rc = 0;

	while (!is_away(s, rc)) {
		rn_lcore_call(&nic->lcore[0], &c.call);
		if (c.n == 0)
			return 0;
		for (unsigned i = 0; i < c.n; i++)
			of[i] = claim_of(&c.of[i]);
		rc = rn_daemon_link_claim(&s->link, of, c.n, &accepted);
	}
	return rc;
}

/* Announces all connections, first those of the connection manager: a pair to which one of them
 * leads adds nothing then. What the daemon refuses is over, or known to it already. Returns 0, or
 * -errno if the daemon is away. */
static int claim_all(struct rn_daemon_service *s, struct rn_nic *nic)
{
	struct rn_daemon_claim of[RN_DAEMON_CLAIMS];
	uint32_t accepted;
	unsigned n = 0;
	int rc = claim_connections(s, nic);

	for (unsigned i = 0; i < RN_DAEMON_BUCKETS; i++)
		for (struct rn_hnode *h = s->bucket[2][i]; h != NULL; h = h->next) {
			const struct pair *p = rn_container_of(h, struct pair, node);

			if (!p->announced)
				continue;
			of[n++] = p->claim;
			if (n == RN_DAEMON_CLAIMS) {
				rc = rn_daemon_link_claim(&s->link, of, n, &accepted);
				n = 0;
			}
		}
	if (n > 0)
		rc = rn_daemon_link_claim(&s->link, of, n, &accepted);
	return is_away(s, rc) ? rc : 0;
}

/* The addresses and the VLAN are in the headers of all connections, and the client has told its
 * application about the MTU. */
static bool is_same_port(const struct rn_daemon_port *a, const struct rn_daemon_port *b)
{
	return memcmp(a->mac, b->mac, 6) == 0 && a->has_vlan == b->has_vlan &&
	       (!a->has_vlan || a->vlan_tci == b->vlan_tci) && a->mtu <= b->mtu &&
	       a->ngids == b->ngids && memcmp(a->gids, b->gids, a->ngids * sizeof(a->gids[0])) == 0;
}

/* Registers services and groups again. Returns 0 or -errno. */
static int register_all(struct rn_daemon_service *s)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < RN_DAEMON_BUCKETS; i++)
		for (struct rn_hnode *n = s->bucket[1][i]; rc == 0 && n != NULL; n = n->next) {
			const struct service *v = rn_container_of(n, struct service, node);

			rc = rn_daemon_link_listen(&s->link, v->id, &v->addr);
			if (rc == 0 || is_away(s, rc))
				continue;
			rn_log(LISTENER_REFUSED, s->name, (unsigned)(v->id & 0xffff),
			       strerror(-rc));
			rc = 0;
		}
	for (unsigned i = 0; rc == 0 && i < s->ngroups; i++) {
		rc = rn_daemon_link_join(&s->link, &s->group[i]);
		if (rc != 0 && !is_away(s, rc))
			rc = 0;
	}
	return rc;
}

/* Tries to become a client again. Returns 0, or -errno: the daemon is not there, or has refused. */
static int come_back(struct rn_daemon_service *s, struct rn_nic *nic)
{
	struct rn_daemon_port port;
	int rc = rn_daemon_link_attach(&s->link, s->queues, program_invocation_short_name, &port);

	if (rc == 0 && !is_same_port(&s->port, &port))
		return -EADDRNOTAVAIL;
	if (rc == 0)
		rc = register_all(s);
	if (rc == 0)
		rc = claim_all(s, nic);
	/* From now on frames flow. A strict daemon must know before where they may go. */
	if (rc == 0)
		rc = rn_daemon_link_port(&s->link, s->path.socket);
	if (rc == 0) {
		s->attached = true;
		s->refusals = 0;
		s->claim_next = now_ms();
		s->claim_until = s->claim_next + CLAIM_MS;
		rn_log(DAEMON_BACK, s->name);
	}
	return rc;
}

/* Is this what a daemon answers to a client that it will not take back? */
static bool is_refusal(int rc)
{
	return rc == -EBUSY || rc == -EPERM || rc == -EPROTO || rc == -EADDRNOTAVAIL;
}

bool rn_daemon_service_watch(struct rn_daemon_service *s, struct rn_nic *nic)
{
	bool wanted = true;
	int rc;

	pthread_mutex_lock(&s->lock);
	if (s->attached && rn_daemon_link_lost(&s->link)) {
		s->attached = false;
		rn_log(DAEMON_LOST, s->name);
	}
	if (s->attached) {
		rn_daemon_link_settle(&s->link);
		if (now_ms() >= s->claim_next && s->claim_next < s->claim_until) {
			s->claim_next += CLAIM_EVERY;
			claim_all(s, nic);
		}
	} else {
		rc = come_back(s, nic);
		s->refusals = is_refusal(rc) ? s->refusals + 1 : 0;
		wanted = s->refusals < REFUSALS;
		if (!wanted)
			rn_log(DAEMON_REFUSES, s->name, strerror(-rc));
	}
	pthread_mutex_unlock(&s->lock);
	return wanted;
}
