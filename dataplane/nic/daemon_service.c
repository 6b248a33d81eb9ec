/* What does softrnicd have to know about this client, and how does it learn that again after a
 * restart? Owns the connection to the daemon, and the registries of what is bound (daemon_binds.h),
 * of queue pairs (daemon_pairs.h) and of multicast groups.
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
	rn_daemon_binds_init(&s->binds, &s->link);
	rn_daemon_pairs_init(&s->pairs, &s->link);
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

void rn_daemon_service_close(struct rn_daemon_service *s)
{
	if (s == NULL)
		return;
	rn_daemon_port_remove(&s->path);
	rn_daemon_link_fini(&s->link);
	rn_daemon_binds_fini(&s->binds);
	rn_daemon_pairs_fini(&s->pairs);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void rn_daemon_service_flush(struct rn_daemon_service *s)
{
	if (s != NULL)
		rn_daemon_link_flush(&s->link);
}

void rn_daemon_service_forget(struct rn_daemon_service *s)
{
	if (s != NULL)
		rn_daemon_link_forget(&s->link);
}

/* ---- queue pairs ---- */

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

int rn_daemon_service_create_qp(struct rn_daemon_service *s, struct rn_nic *nic,
				const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_daemon_exec *exec)
{
	struct rn_daemon_pair *p = rn_daemon_pair_create();
	int rc = p != NULL ? exec(nic, cmd, rsp) : -ENOMEM;

	if (rc != 0) {
		free(p);
		return rc;
	}
	pthread_mutex_lock(&s->lock);
	rn_daemon_pairs_add(&s->pairs, p, rsp->id);
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
	struct rn_daemon_pair *p;

	rn_lcore_call(&nic->lcore[rn_qpn_shard(c.qpn, nic->nshards)], &c.call);
	if (!c.found)
		return;
	pthread_mutex_lock(&s->lock);
	p = rn_daemon_pairs_find(&s->pairs, c.qpn);
	if (p != NULL) {
		claim = claim_of(&c.track);
		rn_daemon_pairs_announce(&s->pairs, &claim);
		rn_daemon_pairs_connected(&s->pairs, p, &claim);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Executes a command that connects a queue pair, or disconnects it (RESET). If the command is
 * refused, the daemon must have the same announcements afterwards as before. */
static int change_pair(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd,
		       struct rn_rsp *rsp, const struct rn_cm_track *track, rn_daemon_exec *exec)
{
	struct rn_daemon_claim claim;
	struct rn_daemon_pair *p;
	int rc;

	pthread_mutex_lock(&s->lock);
	p = rn_daemon_pairs_find(&s->pairs, cmd->modify_qp.qpn);
	if (p == NULL || track == NULL || rn_daemon_binds_is_connecting(&s->binds, p->qpn)) {
		rc = exec(nic, cmd, rsp);
		if (rc == 0)
			rn_daemon_pairs_withdraw(&s->pairs, p);
	} else {
		claim = claim_of(track);
		rn_daemon_pairs_announce(&s->pairs, &claim);
		rc = exec(nic, cmd, rsp);
		if (rc == 0)
			rn_daemon_pairs_connected(&s->pairs, p, &claim);
		else
			rn_daemon_pairs_refused(&s->pairs, &claim);
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int rn_daemon_service_modify_qp(struct rn_daemon_service *s, struct rn_nic *nic,
				const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_daemon_exec *exec)
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
	pthread_mutex_lock(&s->lock);
	rn_daemon_pairs_remove(&s->pairs, qpn);
	pthread_mutex_unlock(&s->lock);
}

/* ---- commands of the connection manager ---- */

int rn_daemon_service_cm(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd,
			 struct rn_rsp *rsp, rn_daemon_exec *exec)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	switch (cmd->op) {
	case RN_CMD_CM_BIND:
	case RN_CMD_CM_LISTEN:
	case RN_CMD_CM_CONNECT:
		if (cmd->cm.id == 0) {
			rc = rn_daemon_binds_create(&s->binds, nic, cmd, rsp, exec);
			break;
		}
		if (cmd->op == RN_CMD_CM_LISTEN) {
			rc = rn_daemon_binds_listen(&s->binds, nic, cmd, rsp, exec);
			break;
		}
		rc = exec(nic, cmd, rsp);
		if (rc == 0 && cmd->op == RN_CMD_CM_CONNECT)
			rn_daemon_binds_connect(&s->binds, cmd->cm.id, cmd->cm.param.qpn);
		break;
	case RN_CMD_CM_ACCEPT:
		/* The queue pair is connected before this command. From now on the daemon knows
		 * the pair from the REP. */
		rn_daemon_pairs_withdraw(&s->pairs,
					 rn_daemon_pairs_find(&s->pairs, cmd->cm.param.qpn));
		rc = exec(nic, cmd, rsp);
		break;
	case RN_CMD_CM_DESTROY:
		rc = exec(nic, cmd, rsp);
		if (rc == 0)
			rn_daemon_binds_drop(&s->binds, cmd->cm.id);
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
			rc = -ENOMEM; /* as in rn_daemon_binds_create() */
		if (s->ngroups < RN_GROUPS && rn_daemon_link_away(&s->link, rc))
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

	while (!rn_daemon_link_away(&s->link, rc)) {
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
	int rc = claim_connections(s, nic);

	return rc != 0 ? rc : rn_daemon_pairs_register(&s->pairs);
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
	int rc = rn_daemon_binds_register(&s->binds, s->name);

	for (unsigned i = 0; rc == 0 && i < s->ngroups; i++) {
		rc = rn_daemon_link_join(&s->link, &s->group[i]);
		if (rc != 0 && !rn_daemon_link_away(&s->link, rc))
			rc = 0;
	}
	return rc;
}

/* Tries to become a client again. Returns 0, or -errno: the daemon is not there, has not answered
 * yet, or has refused. Must not wait for a daemon that hangs: commands wait for the lock, and all
 * adapters of the process for the watcher. */
static int come_back(struct rn_daemon_service *s, struct rn_nic *nic)
{
	struct rn_daemon_port port;
	int rc = rn_daemon_link_return(&s->link, s->queues, program_invocation_short_name, &port);

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
