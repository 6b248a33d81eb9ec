/* How does a client talk to softrnicd? Owns the socket. Any thread may call the functions. A mutex
 * lets one request at a time be under way. */
#include "nic/daemon_link.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The bounds of schema.h for `mtu`. */
#define MTU_MIN 1280
#define MTU_MAX 9000
/* Milliseconds for which rn_daemon_link_return() waits for the reply to a new ATTACH. A working
 * daemon replies at once. Other commands of the adapter wait for the caller's locks meanwhile, so
 * the wait is short; if no reply has come, the next call looks for it. */
#define RETURN_MS 20
/* How often a daemon that is not there is looked for, in ms. */
#define ASK_NAP 20

/* struct rn_daemon_reply without the text of SHOW, which is large and not for clients */
struct reply {
	uint32_t version;
	int32_t err;
	union {
		struct rn_daemon_port port;
		uint32_t claimed;
	};
};
static_assert(offsetof(struct reply, err) == offsetof(struct rn_daemon_reply, err) &&
		      offsetof(struct reply, port) == offsetof(struct rn_daemon_reply, port) &&
		      offsetof(struct reply, claimed) == offsetof(struct rn_daemon_reply, claimed),
	      "the beginning of a reply");

/* A ring has 1,024 frames, and a burst 32 unless the daemon is configured otherwise. */
#define MOST_FLUSHES 64u

#define REQUEST_BYTES(m) RN_DAEMON_BYTES(struct rn_daemon_request, m)
#define REPLY_BYTES(m)	 RN_DAEMON_BYTES(struct reply, m)
/* bytes of a request without arguments, and of a reply that has only an error code */
#define REQUEST_HEAD offsetof(struct rn_daemon_request, attach)
#define REPLY_HEAD   offsetof(struct reply, port)

/* ---- the connection ---- */

/* A request that waits until the daemon answers again. */
struct rn_daemon_kept {
	struct rn_daemon_kept *next;
	size_t len;
	struct rn_daemon_request request; /* of which `len` bytes are used */
};

static void drop_first(struct rn_daemon_link *l)
{
	struct rn_daemon_kept *first = l->kept;

	l->kept = first->next;
	if (l->kept == NULL)
		l->tail = &l->kept;
	l->nkept--;
	free(first);
}

/* A daemon that takes the client back is told everything anew, so nothing is kept for it. */
static void hang_up(struct rn_daemon_link *l)
{
	while (l->kept != NULL)
		drop_first(l);
	l->silent = false;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	l->late = 0;
}

/* Connects to the daemon. Returns a descriptor or -errno; -ETIMEDOUT if the backlog of the daemon
 * stays full, for which no time is given if `flags` are SOCK_NONBLOCK. */
static int connect_to(const char *path, int flags)
{
	const struct timeval wait = {.tv_sec = RN_DAEMON_LINK_WAIT_S};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	if (fd < 0)
		return -errno;
	/* The time limit for sending also holds for connect(). */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) != 0 ||
	    connect(fd, (struct sockaddr *)&un, sizeof(un)) != 0) {
		int rc = -errno;

		close(fd);
		return rc == -EAGAIN ? -ETIMEDOUT : rc;
	}
	return fd;
}

static int call_up(struct rn_daemon_link *l)
{
	hang_up(l);
	int fd = connect_to(l->socket, 0);

	if (fd < 0)
		return fd;
	l->fd = fd;
	return 0;
}

/* Gives up an attachment that the daemon has not answered. */
static void stop_returning(struct rn_daemon_link *l)
{
	if (l->returning >= 0)
		close(l->returning);
	l->returning = -1;
}

/* Sends a request of len bytes, with the descriptor `pass` if that is not -1. */
static int send_request(int fd, const void *request, size_t len, int pass)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)request, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (pass >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &pass, sizeof(int));
	}
	do
		n = sendmsg(fd, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Receives one packet until the time `until`. Returns its length, or -errno. */
static ssize_t receive_packet(int fd, void *buf, size_t size, int64_t until)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (;;) {
		int64_t left = until - now_ms();
		int rc = poll(&p, 1, left > 0 ? (int)left : 0);
		ssize_t n;

		if (rc == 0)
			return -ETIMEDOUT;
		if (rc < 0 && errno != EINTR)
			return -errno;
		if (rc < 0)
			continue;
		n = recv(fd, buf, size, MSG_DONTWAIT | MSG_TRUNC);
		if (n > 0)
			return (size_t)n <= size ? n : -EPROTO;
		if (n == 0)
			return -ECONNRESET;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

/* Is a reply of n bytes one that makes sense? It must have `want` bytes unless it is an error. */
static bool makes_sense(const struct reply *reply, ssize_t n, size_t want)
{
	return n >= (ssize_t)REPLY_HEAD && reply->version == RN_DAEMON_VERSION &&
	       reply->err != -EPROTO && reply->err <= 0 && reply->err >= -4095 &&
	       (reply->err != 0 || n >= (ssize_t)want);
}

/* Sends a request, and waits for its reply, which must have `want` bytes unless it is an error.
 * Returns the error of the reply, or of the connection. */
static int exchange(struct rn_daemon_link *l, struct rn_daemon_request *request, size_t len,
		    int pass, struct reply *reply, size_t want)
{
	int64_t until = now_ms() + RN_DAEMON_LINK_WAIT_S * 1000;
	ssize_t n;

	request->version = RN_DAEMON_VERSION;
	int rc = send_request(l->fd, request, len, pass);
	if (rc == -ETIMEDOUT) {
		l->silent = l->late > 0;
		return rc; /* nothing was sent */
	}
	if (rc != 0) {
		hang_up(l);
		return rc;
	}
	l->late++;
	do {
		n = receive_packet(l->fd, reply, sizeof(*reply), until);
		l->silent = n == -ETIMEDOUT;
		if (l->silent)
			return -ETIMEDOUT;
		if (n < (ssize_t)REPLY_HEAD) {
			hang_up(l);
			return n < 0 ? (int)n : -EPROTO;
		}
	} while (--l->late > 0);
	if (!makes_sense(reply, n, want)) {
		hang_up(l);
		return -EPROTO;
	}
	return reply->err;
}

/* ---- a daemon that does not answer ---- */

/* Finds out whether the daemon answers again, without waiting, and then sends what was kept.
 * Returns 0 if requests can be made. */
static int catch_up(struct rn_daemon_link *l)
{
	struct reply reply;
	int rc = 0;

	while (l->silent && l->late > 0) {
		ssize_t n = receive_packet(l->fd, &reply, sizeof(reply), 0);

		if (n == -ETIMEDOUT)
			return -ETIMEDOUT;
		if (n < 0) {
			hang_up(l);
			return (int)n;
		}
		l->late--;
		l->silent = false;
	}
	while (rc == 0 && l->kept != NULL) {
		exchange(l, &l->kept->request, l->kept->len, -1, &reply, REPLY_HEAD);
		if (l->fd < 0)
			return -ENOTCONN;
		drop_first(l);
		rc = l->silent ? -ETIMEDOUT : 0;
	}
	return rc;
}

/* Like exchange(), for any state of the connection. The caller holds the lock. */
static int transact(struct rn_daemon_link *l, struct rn_daemon_request *request, size_t len,
		    int pass, struct reply *reply, size_t want)
{
	if (l->fd < 0)
		return -ENOTCONN;
	int rc = catch_up(l);

	return rc == 0 ? exchange(l, request, len, pass, reply, want) : rc;
}

static void keep(struct rn_daemon_link *l, const struct rn_daemon_request *request, size_t len)
{
	struct rn_daemon_kept *k = l->nkept < RN_DAEMON_LINK_KEPT ? malloc(sizeof(*k)) : NULL;

	if (k == NULL)
		return;
	k->next = NULL;
	k->len = len;
	memcpy(&k->request, request, len);
	*l->tail = k;
	l->tail = &k->next;
	l->nkept++;
}

/* ---- the attributes of the port ---- */

static bool is_unicast(const uint8_t mac[6])
{
	static const uint8_t none[6];

	return (mac[0] & 1) == 0 && memcmp(mac, none, 6) != 0;
}

static bool is_gid(const struct rn_gid *gid, unsigned prefix_len)
{
	static const struct rn_gid none, mapped = {{[10] = 0xff, [11] = 0xff}};
	bool ipv4 = memcmp(gid, &mapped, 12) == 0;

	return memcmp(gid, &none, sizeof(none)) != 0 && prefix_len <= (ipv4 ? 32u : 128u);
}

/* Can an adapter use these attributes? `attached`: the daemon has given a number. */
static bool is_sound(const struct rn_daemon_port *p, bool attached)
{
	unsigned vlan = p->vlan_tci & 0xfff;

	if (!is_unicast(p->mac) || p->ngids == 0 || p->ngids > RN_DAEMON_GIDS || p->mtu < MTU_MIN ||
	    p->mtu > MTU_MAX || p->max_path_mtu < 1 || p->max_path_mtu > 5 || p->hop_limit == 0 ||
	    (p->has_vlan && (vlan == 0 || vlan == 0xfff)))
		return false;
	for (unsigned i = 0; i < p->ngids; i++)
		if (!is_gid(&p->gids[i], p->prefix_len[i]))
			return false;
	return !attached || (p->number >= 1 && p->number <= 254);
}

static int ask_once(const char *socket, struct rn_daemon_port *port)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_INFO};
	struct reply reply;
	struct rn_daemon_link l;

	rn_daemon_link_init(&l, socket);
	int rc = call_up(&l);
	if (rc == 0)
		rc = transact(&l, &request, REQUEST_HEAD, -1, &reply, REPLY_BYTES(port));
	if (rc == 0 && !is_sound(&reply.port, false))
		rc = -EPROTO;
	if (rc == 0)
		*port = reply.port;
	rn_daemon_link_fini(&l);
	return rc;
}

bool rn_daemon_link_absent(int rc)
{
	return rc == -ENOENT || rc == -ECONNREFUSED || rc == -ECONNRESET || rc == -EPIPE;
}

int rn_daemon_link_ask(const char *socket, unsigned wait_ms, struct rn_daemon_port *port)
{
	int64_t until = now_ms() + wait_ms;
	int rc = ask_once(socket, port);

	while (rn_daemon_link_absent(rc) && now_ms() < until) {
		nanosleep(&(struct timespec){.tv_nsec = ASK_NAP * 1000000L}, NULL);
		rc = ask_once(socket, port);
	}
	return rc;
}

/* ---- the messages of a client ---- */

void rn_daemon_link_init(struct rn_daemon_link *l, const char *socket)
{
	*l = (struct rn_daemon_link){.fd = -1, .returning = -1, .tail = &l->kept};
	pthread_mutex_init(&l->lock, NULL);
	snprintf(l->socket, sizeof(l->socket), "%s", socket);
}

void rn_daemon_link_fini(struct rn_daemon_link *l)
{
	hang_up(l);
	stop_returning(l);
	pthread_mutex_destroy(&l->lock);
}

void rn_daemon_link_forget(struct rn_daemon_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	stop_returning(l);
}

static struct rn_daemon_request attachment(const struct rn_daemon_link *l, unsigned queues,
					   const char *name)
{
	struct rn_daemon_request request = {
		.op = RN_DAEMON_ATTACH,
		.version = RN_DAEMON_VERSION,
		.attach = {.number = l->number, .token = l->token, .queues = queues}};

	snprintf(request.attach.name, sizeof(request.attach.name), "%s", name);
	return request;
}

/* Takes what the daemon has given this client. Returns 0 or -EPROTO. */
static int take_port(struct rn_daemon_link *l, const struct rn_daemon_port *given,
		     struct rn_daemon_port *port)
{
	if (!is_sound(given, true) || (l->number != 0 && given->number != l->number))
		return -EPROTO;
	l->number = given->number;
	l->token = given->token;
	*port = *given;
	return 0;
}

int rn_daemon_link_attach(struct rn_daemon_link *l, unsigned queues, const char *name,
			  struct rn_daemon_port *port)
{
	struct reply reply;

	pthread_mutex_lock(&l->lock);
	struct rn_daemon_request request = attachment(l, queues, name);

	stop_returning(l);
	int rc = call_up(l);
	if (rc == 0)
		rc = transact(l, &request, REQUEST_BYTES(attach), -1, &reply, REPLY_BYTES(port));
	if (rc == 0)
		rc = take_port(l, &reply.port, port);
	if (rc != 0)
		hang_up(l);
	pthread_mutex_unlock(&l->lock);
	return rc;
}

/* Connects to a daemon that may hang, and asks it to take this client back. Returns 0 or -errno. */
static int begin_return(struct rn_daemon_link *l, unsigned queues, const char *name)
{
	const struct rn_daemon_request request = attachment(l, queues, name);

	hang_up(l);
	int fd = connect_to(l->socket, SOCK_NONBLOCK);

	if (fd < 0)
		return fd;
	/* The socket is empty, so that the request has room. Later ones may wait for the daemon. */
	int rc = send_request(fd, &request, REQUEST_BYTES(attach), -1);
	if (rc == 0 && fcntl(fd, F_SETFL, 0) != 0)
		rc = -errno;
	if (rc != 0) {
		close(fd);
		return rc;
	}
	l->returning = fd;
	return 0;
}

/* Waits for the daemon's reply to ATTACH until the time `until` (now_ms()). Returns 0 if the daemon
 * has taken the client back, -EINPROGRESS if no reply has come yet, or another negative errno. */
static int end_return(struct rn_daemon_link *l, struct rn_daemon_port *port, int64_t until)
{
	struct reply reply;
	ssize_t n = receive_packet(l->returning, &reply, sizeof(reply), until);

	if (n == -ETIMEDOUT)
		return -EINPROGRESS;
	if (n < 0)
		return (int)n;
	if (!makes_sense(&reply, n, REPLY_BYTES(port)))
		return -EPROTO;
	return reply.err != 0 ? reply.err : take_port(l, &reply.port, port);
}

int rn_daemon_link_return(struct rn_daemon_link *l, unsigned queues, const char *name,
			  struct rn_daemon_port *port)
{
	int64_t until = 0;
	int rc = 0;

	pthread_mutex_lock(&l->lock);
	if (l->returning < 0) {
		rc = begin_return(l, queues, name);
		until = now_ms() + RETURN_MS;
	}
	if (rc == 0)
		rc = end_return(l, port, until);
	if (rc == 0) {
		l->fd = l->returning;
		l->returning = -1;
	} else if (rc != -EINPROGRESS) {
		stop_returning(l);
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}

/* Sends a request whose reply has no data. */
static int order(struct rn_daemon_link *l, struct rn_daemon_request *request, size_t len, int pass)
{
	struct reply reply;

	pthread_mutex_lock(&l->lock);
	int rc = transact(l, request, len, pass, &reply, REPLY_HEAD);
	pthread_mutex_unlock(&l->lock);
	return rc;
}

/* Sends a request like order(). If the daemon is silent, the request is kept instead. */
static int order_surely(struct rn_daemon_link *l, struct rn_daemon_request *request, size_t len)
{
	struct reply reply;
	int rc;

	pthread_mutex_lock(&l->lock);
	rc = l->fd < 0 ? -ENOTCONN : catch_up(l);
	if (rc == 0)
		rc = exchange(l, request, len, -1, &reply, REPLY_HEAD);
	else if (rc == -ETIMEDOUT)
		keep(l, request, len);
	pthread_mutex_unlock(&l->lock);
	return rc;
}

int rn_daemon_link_port(struct rn_daemon_link *l, const char *path)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_PORT};
	int fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	int rc = order(l, &request, REQUEST_HEAD, fd);
	close(fd);
	return rc;
}

int rn_daemon_link_listen(struct rn_daemon_link *l, uint64_t id, const struct rn_gid *addr)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_LISTEN,
					    .service = {.id = id, .addr = *addr}};

	return order(l, &request, REQUEST_BYTES(service), -1);
}

int rn_daemon_link_unlisten(struct rn_daemon_link *l, uint64_t id, const struct rn_gid *addr)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_UNLISTEN,
					    .service = {.id = id, .addr = *addr}};

	return order_surely(l, &request, REQUEST_BYTES(service));
}

int rn_daemon_link_join(struct rn_daemon_link *l, const struct rn_gid *group)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_JOIN, .group = *group};

	return order(l, &request, REQUEST_BYTES(group), -1);
}

int rn_daemon_link_leave(struct rn_daemon_link *l, const struct rn_gid *group)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_LEAVE, .group = *group};

	return order_surely(l, &request, REQUEST_BYTES(group));
}

void rn_daemon_link_flush(struct rn_daemon_link *l)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_FLUSH};

	for (unsigned i = 0; i < MOST_FLUSHES; i++)
		if (order(l, &request, REQUEST_HEAD, -1) != -EAGAIN)
			break;
}

int rn_daemon_link_claim(struct rn_daemon_link *l, const struct rn_daemon_claim *claims, unsigned n,
			 uint32_t *accepted)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_CLAIM, .claims.n = n};
	struct reply reply = {0};

	*accepted = 0;
	if (n > RN_DAEMON_CLAIMS)
		return -EINVAL;
	memcpy(request.claims.of, claims, n * sizeof(*claims));
	pthread_mutex_lock(&l->lock);
	int rc = transact(l, &request, REQUEST_BYTES(claims), -1, &reply, REPLY_BYTES(claimed));
	pthread_mutex_unlock(&l->lock);
	if (reply.version == RN_DAEMON_VERSION && reply.claimed <= n)
		*accepted = reply.claimed;
	return rc;
}

int rn_daemon_link_announce(struct rn_daemon_link *l, const struct rn_daemon_claim *pair)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_CLAIM,
					    .claims = {.n = 1, .of = {*pair}}};

	return order_surely(l, &request, REQUEST_BYTES(claims));
}

int rn_daemon_link_unclaim(struct rn_daemon_link *l, uint32_t remote_qpn, const struct rn_gid *peer)
{
	struct rn_daemon_request request = {.op = RN_DAEMON_UNCLAIM,
					    .pair = {.peer = *peer, .qpn = remote_qpn}};

	return order_surely(l, &request, REQUEST_BYTES(pair));
}

void rn_daemon_link_settle(struct rn_daemon_link *l)
{
	pthread_mutex_lock(&l->lock);
	if (l->fd >= 0)
		catch_up(l);
	pthread_mutex_unlock(&l->lock);
}

bool rn_daemon_link_lost(struct rn_daemon_link *l)
{
	pthread_mutex_lock(&l->lock);
	struct pollfd p = {.fd = l->fd, .events = POLLRDHUP};
	/* A late reply may wait in the socket, and is no news. */
	bool lost = l->fd < 0 || (poll(&p, 1, 0) > 0 &&
				  (p.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0);

	if (lost)
		hang_up(l);
	pthread_mutex_unlock(&l->lock);
	return lost;
}
