/* What may a process ask of the daemon, and what does it get? */
#include "daemon/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/closer.h"
#include "daemon/report.h"
#include "port/log.h"

/* Requests that a session may make: this many per second, and a second's worth at once. */
#define REQUESTS_S 4000u
/* Descriptors that one packet can carry (SCM_MAX_FD of the kernel). */
#define MOST_FDS 253

int rn_session_open(struct rn_session *s, struct rn_session_env *env, int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return -errno;
	*s = (struct rn_session){
		.env = env, .fd = fd, .pid = peer.pid, .uid = peer.uid, .port_fd = -1};
	rn_bucket_init(&s->requests, REQUESTS_S, RN_S(1));
	return 0;
}

/* ---- calls to the switch ---- */

struct switch_call {
	struct rn_session *s;
	const struct rn_daemon_request *rq;
	struct rn_daemon_reply *rp;
	uint32_t epoch; /* of the number that was given */
};

static void attach(struct rn_forward *f, void *arg, rn_time now)
{
	struct switch_call *c = arg;
	struct rn_switch *sw = rn_forward_switch(f);
	int rc = c->rq->attach.number != 0
			 ? rn_switch_reattach(sw, c->rq->attach.number, c->rq->attach.token, now)
			 : rn_switch_attach(sw, now);

	if (rc < 0) {
		c->rp->err = rc;
		return;
	}
	c->s->number = (unsigned)rc;
	c->rp->port.number = (uint32_t)rc;
	c->rp->port.token = rn_switch_token(sw, (unsigned)rc);
	c->epoch = rn_switch_epoch(sw, (unsigned)rc);
	rn_forward_reset(f, (unsigned)rc);
}

static void change_service(struct rn_forward *f, void *arg, rn_time now)
{
	struct switch_call *c = arg;
	struct rn_switch *sw = rn_forward_switch(f);

	c->rp->err = c->rq->op == RN_DAEMON_LISTEN
			     ? rn_switch_listen(sw, c->s->number, c->rq->service.id,
						&c->rq->service.addr)
			     : rn_switch_unlisten(sw, c->s->number, c->rq->service.id,
						  &c->rq->service.addr);
}

static void change_group(struct rn_forward *f, void *arg, rn_time now)
{
	struct switch_call *c = arg;
	struct rn_switch *sw = rn_forward_switch(f);

	c->rp->err = c->rq->op == RN_DAEMON_JOIN ? rn_switch_join(sw, c->s->number, &c->rq->group)
						 : rn_switch_leave(sw, c->s->number, &c->rq->group);
}

static struct rn_track_claim claim_of(const struct rn_daemon_claim *q)
{
	struct rn_track_claim claim = {
		.state = (enum rn_track_state)q->state,
		.local_id = q->local_id,
		.remote_id = q->remote_id,
		.local_qpn = q->local_qpn,
		.remote_qpn = q->remote_qpn,
		.service_id = q->service_id,
		.way = {.src = q->src, .dst = q->dst, .tclass = q->tclass},
	};

	memcpy(claim.way.dmac, q->dmac, 6);
	return claim;
}

static void claim(struct rn_forward *f, void *arg, rn_time now)
{
	struct switch_call *c = arg;

	for (uint32_t i = 0; i < c->rq->claims.n; i++) {
		const struct rn_track_claim q = claim_of(&c->rq->claims.of[i]);
		int rc = rn_switch_claim(rn_forward_switch(f), c->s->number, &q, now);

		c->rp->claimed += rc == 0;
		if (c->rp->err == 0)
			c->rp->err = rc;
	}
}

static void flush(struct rn_forward *f, void *arg, rn_time now)
{
	struct switch_call *c = arg;

	c->rp->err = rn_forward_take(f, c->s->number) > 0 ? -EAGAIN : 0;
}

static void unclaim(struct rn_forward *f, void *arg, rn_time now)
{
	struct switch_call *c = arg;

	/* The client sends UNCLAIM when it has destroyed the queue pair, whose last ACK may still
	 * be in the ring. */
	rn_forward_take(f, c->s->number);
	c->rp->err = rn_switch_unclaim(rn_forward_switch(f), c->s->number, c->rq->pair.qpn,
				       &c->rq->pair.peer);
}

/* ---- the port of a client ---- */

static void port_up(void *arg, int vid)
{
	struct rn_session *s = arg;

	rn_forward_plug(s->env->forward, s->number, vid, s->queues);
}

static void port_changed(void *arg)
{
	const struct rn_session *s = arg;

	rn_forward_changed(s->env->forward, s->number);
}

static void port_down(void *arg)
{
	const struct rn_session *s = arg;

	rn_forward_unplug(s->env->forward, s->number);
}

static const struct rn_vhost_ops port_ops = {port_up, port_changed, port_down};

/* Connects to the client's port. The descriptor must be that of a socket of the client's user:
 * otherwise the daemon could be made to connect to sockets of others. Takes `fd` if it returns
 * 0. */
static int open_port(struct rn_session *s, int fd)
{
	struct stat st;

	if (s->vhost != NULL)
		return -EALREADY;
	if (fd < 0)
		return -EINVAL;
	if (fstat(fd, &st) != 0)
		return -errno;
	/* O_PATH: nothing can wait for this descriptor, whatever the file is. */
	if (!S_ISSOCK(st.st_mode) || (fcntl(fd, F_GETFL) & O_PATH) == 0)
		return -EINVAL;
	if (st.st_uid != s->uid)
		return -EPERM;
	s->port_fd = fd;
	int rc = rn_vhost_open(&s->vhost, fd, &port_ops, s);

	if (rc != 0)
		s->port_fd = -1;
	return rc;
}

/* ---- requests ---- */

/* Says how many bytes the packet of a request has, whether the client must be attached, and, for
 * requests that are one call in the forwarding thread, which call. */
static const struct {
	size_t bytes;
	bool attached;
	void (*run)(struct rn_forward *, void *, rn_time);
} requests[] = {
#define BYTES(m) RN_DAEMON_BYTES(struct rn_daemon_request, m)
	[RN_DAEMON_INFO] = {offsetof(struct rn_daemon_request, attach), false, NULL},
	[RN_DAEMON_ATTACH] = {BYTES(attach), false, NULL},
	[RN_DAEMON_PORT] = {offsetof(struct rn_daemon_request, attach), true, NULL},
	[RN_DAEMON_LISTEN] = {BYTES(service), true, change_service},
	[RN_DAEMON_UNLISTEN] = {BYTES(service), true, change_service},
	[RN_DAEMON_JOIN] = {BYTES(group), true, change_group},
	[RN_DAEMON_LEAVE] = {BYTES(group), true, change_group},
	[RN_DAEMON_CLAIM] = {BYTES(claims), true, NULL},
	[RN_DAEMON_UNCLAIM] = {BYTES(pair), true, unclaim},
	[RN_DAEMON_SHOW] = {BYTES(show), false, NULL},
	[RN_DAEMON_FLUSH] = {offsetof(struct rn_daemon_request, attach), true, flush},
#undef BYTES
};

/* Does the daemon wait for clients of the former one? New clients would take their places. */
static bool expects(const struct rn_session_env *env)
{
	return !rn_client_set_empty(&env->expected);
}

/* Do so many numbers rest because of this user that others might get none? */
static bool uses_up_numbers(const struct rn_session_env *env, uid_t uid)
{
	unsigned n = 0;

	for (unsigned i = 1; i <= RN_CLIENT_MAX; i++)
		n += env->rests[i] != 0 && env->had[i] == uid;
	return n >= RN_CLIENT_MAX / 2;
}

static void answer_attach(struct rn_session *s, struct switch_call *c)
{
	struct rn_session_env *env = s->env;

	c->rp->port = env->port;
	if (s->number != 0)
		c->rp->err = -EALREADY;
	else if (c->rq->attach.queues < 1 || c->rq->attach.queues > RN_MAX_SHARDS)
		c->rp->err = -EINVAL;
	else if (c->rq->attach.number == 0 &&
		 (env->attached >= env->clients || expects(env) || uses_up_numbers(env, s->uid)))
		c->rp->err = -EAGAIN;
	if (c->rp->err != 0)
		return;
	rn_forward_call(env->forward, attach, c);
	if (c->rp->err != 0)
		return;
	s->queues = c->rq->attach.queues;
	snprintf(s->name, sizeof(s->name), "%.31s", c->rq->attach.name);
	for (char *p = s->name; *p != '\0'; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	env->attached++;
	rn_client_set_remove(&env->expected, s->number);
	env->rests[s->number] = 0;
	rn_seats_take(env->seats, s->number, c->epoch);
	rn_log(CLIENT_UP, env->name, s->number, s->name, (int)s->pid, (unsigned)s->uid);
}

/* Executes a request. Returns the number of bytes of the reply. Takes *fd if it is used, and then
 * sets it to -1. */
static size_t execute(struct rn_session *s, const struct rn_daemon_request *rq,
		      struct rn_daemon_reply *rp, int *fd)
{
	struct switch_call c = {s, rq, rp, 0};

	switch (rq->op) {
	case RN_DAEMON_INFO:
		rp->port = s->env->port;
		return RN_DAEMON_BYTES(struct rn_daemon_reply, port);
	case RN_DAEMON_ATTACH:
		answer_attach(s, &c);
		return RN_DAEMON_BYTES(struct rn_daemon_reply, port);
	case RN_DAEMON_PORT:
		rp->err = open_port(s, *fd);
		if (rp->err == 0)
			*fd = -1;
		return offsetof(struct rn_daemon_reply, port);
	case RN_DAEMON_SHOW:
		rn_report(s->env, rq->show.from, rp);
		return RN_DAEMON_BYTES(struct rn_daemon_reply, show);
	case RN_DAEMON_CLAIM:
		if (rq->claims.n > RN_DAEMON_CLAIMS)
			rp->err = -EINVAL;
		else
			rn_forward_call(s->env->forward, claim, &c);
		return RN_DAEMON_BYTES(struct rn_daemon_reply, claimed);
	default:
		rn_forward_call(s->env->forward, requests[rq->op].run, &c);
		return offsetof(struct rn_daemon_reply, port);
	}
}

/* Receives a packet, and the descriptor that came with it (-1: none). All descriptors are accepted,
 * because the kernel would close the others here and now. Returns the length of the packet, 0 at
 * the end, or -errno. */
static ssize_t receive(int sock, struct rn_daemon_request *rq, int *fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(MOST_FDS * sizeof(int))];
	} control;
	struct iovec iov = {rq, sizeof(*rq)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*fd = -1;
	if (n < 0)
		return -errno;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c != NULL; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
			if (*fd >= 0)
				rn_closer_give(*fd);
			memcpy(fd, (const char *)c + at, sizeof(int));
		}
	}
	return (msg.msg_flags & MSG_TRUNC) != 0 ? -EMSGSIZE : n;
}

/* Returns 0, or the error with which a request of this length is refused. */
static int check(const struct rn_session *s, const struct rn_daemon_request *rq, size_t len)
{
	if (len < offsetof(struct rn_daemon_request, attach) || rq->version != RN_DAEMON_VERSION)
		return -EPROTO;
	if (rq->op >= RN_ARRAY_SIZE(requests) || requests[rq->op].bytes == 0)
		return -ENOSYS;
	if (len < requests[rq->op].bytes)
		return -EINVAL;
	return requests[rq->op].attached && s->number == 0 ? -ENOTCONN : 0;
}

bool rn_session_serve(struct rn_session *s, rn_time now)
{
	static struct rn_daemon_reply rp; /* 32 KiB; one thread serves all sessions */
	struct rn_daemon_request rq;
	size_t bytes = offsetof(struct rn_daemon_reply, port);
	int fd;
	ssize_t len = receive(s->fd, &rq, &fd);

	if (len == -EAGAIN || len == -EINTR)
		return true;
	if (len <= 0) {
		if (fd >= 0)
			rn_closer_give(fd);
		return false;
	}
	rn_bucket_take(&s->requests, 1, now);
	memset(&rp, 0, RN_DAEMON_BYTES(struct rn_daemon_reply, port));
	rp.version = RN_DAEMON_VERSION;
	rp.err = check(s, &rq, (size_t)len);
	if (rp.err == 0)
		bytes = execute(s, &rq, &rp, &fd);
	if (fd >= 0)
		rn_closer_give(fd);
	return send(s->fd, &rp, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)bytes;
}

bool rn_session_broken(const struct rn_session *s)
{
	return (s->vhost != NULL && rn_vhost_broken(s->vhost)) ||
	       (s->number != 0 && rn_forward_stuck(s->env->forward, s->number));
}

void rn_session_close(struct rn_session *s, bool restart)
{
	struct rn_session_env *env = s->env;

	if (s->number != 0) {
		/* First what concerns others: no more frames, and messages to the peers. */
		if (restart) {
			rn_forward_unplug(env->forward, s->number);
		} else {
			env->rests[s->number] = rn_forward_detach(env->forward, s->number);
			env->had[s->number] = s->uid;
			rn_log(CLIENT_DOWN, env->name, s->number, s->name,
			       rn_session_broken(s) ? "its shared memory is not usable"
						    : "it has gone");
		}
		env->attached--;
	}
	rn_vhost_close(s->vhost);
	if (s->port_fd >= 0)
		close(s->port_fd);
	close(s->fd);
	s->fd = -1;
}

void rn_session_env_tick(struct rn_session_env *env, rn_time now)
{
	if (now >= env->expected_until)
		env->expected = (struct rn_client_set){0};
	for (unsigned n = 1; n <= RN_CLIENT_MAX; n++)
		if (env->rests[n] != 0 && env->rests[n] <= now) {
			env->rests[n] = 0;
			rn_seats_leave(env->seats, n);
		}
}
