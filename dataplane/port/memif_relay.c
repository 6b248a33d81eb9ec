/* Passes the control messages between the memif driver and the peer. Ends a memif connection only
 * when no thread polls the port any more (memif_relay.h gives the reason). Owns both control
 * sockets of one port and the relay thread. Runs in the relay thread, except create, start and
 * destroy. */
#include "port/memif_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "port/thread.h"

#define RETRY_MS	50
#define TYPE_NONE	0
#define TYPE_ADD_REGION 4
#define TYPE_CONNECTED	7
#define TYPE_OVER	0x10000 /* instead of a message type: the connection must end */
/* Offset of the region size in an ADD_REGION message, behind 16 bits of type and 16 bits of
 * index. */
#define REGION_SIZE_AT 4

struct rn_memif_relay {
	struct rn_memif_relay_config cfg;
	struct sockaddr_un peer_addr, pmd_addr;
	socklen_t peer_len, pmd_len;
	pthread_t thread;
	bool running;
	int stop_fd;
	int listen_fd; /* listening socket at peer_addr (server) or pmd_addr (client) */
};

struct message {
	uint8_t bytes[RN_MEMIF_MSG_BYTES];
	int fd; /* descriptor received with the message and owned here, or -1 */
};

static int address_from(const char *path, struct sockaddr_un *un, socklen_t *len)
{
	size_t n = strlen(path);

	if (n == 0 || n >= sizeof(un->sun_path))
		return -ENAMETOOLONG;
	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, n);
	*len = sizeof(*un);
	if (path[0] == '@') {
		un->sun_path[0] = '\0';
		*len = offsetof(struct sockaddr_un, sun_path) + n;
	}
	return 0;
}

static bool has_abstract_name(const struct sockaddr_un *un)
{
	return un->sun_path[0] == '\0';
}

static int connect_to(const struct sockaddr_un *un, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)un, len) < 0) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

/* Returns a socket that listens at the address, or a negative errno: -EADDRINUSE if a process
 * already listens there. */
static int listen_at(const struct sockaddr_un *un, socklen_t len)
{
	int fd, probe = connect_to(un, len);
	struct stat st;

	if (probe >= 0) {
		close(probe);
		return -EADDRINUSE;
	}
	/* ECONNREFUSED means that no process listens. Remove a stale socket, but no file of another
	 * kind. */
	if (probe == -ECONNREFUSED && !has_abstract_name(un) && lstat(un->sun_path, &st) == 0 &&
	    S_ISSOCK(st.st_mode))
		unlink(un->sun_path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* bind() creates the file with the mode of the socket. So only the owner may connect,
	 * whatever the umask is. */
	if (fchmod(fd, S_IRUSR | S_IWUSR) < 0 || bind(fd, (const struct sockaddr *)un, len) < 0 ||
	    listen(fd, 8) < 0) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

/* Waits until fd0 or fd1 is readable or closed by its peer. A negative fd is never ready. Returns:
 * - 0 if fd0 is ready
 * - 1 if fd1 is ready
 * - -ECANCELED if the relay is being destroyed
 * - -ETIMEDOUT after timeout_ms */
static int wait_either(const struct rn_memif_relay *r, int fd0, int fd1, int timeout_ms)
{
	struct pollfd p[3] = {{fd0, POLLIN, 0}, {fd1, POLLIN, 0}, {r->stop_fd, POLLIN, 0}};

	for (;;) {
		int n = poll(p, 3, timeout_ms);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			return -ETIMEDOUT;
		if (n < 0 || p[2].revents != 0)
			return -ECANCELED;
		return p[0].revents != 0 ? 0 : 1;
	}
}

static bool message_read(int from, struct message *m)
{
	union {
		char bytes[CMSG_LEN(sizeof(int))];
		struct cmsghdr h;
	} ctl;
	struct iovec iov = {m->bytes, sizeof(m->bytes)};
	/* Leave no room for a second descriptor, not even in the padding of CMSG_SPACE(). The
	 * kernel then discards a second descriptor and sets MSG_CTRUNC. */
	struct msghdr mh = {.msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = &ctl,
			    .msg_controllen = CMSG_LEN(sizeof(int))};
	struct cmsghdr *c;
	ssize_t n;

	m->fd = -1;
	do
		n = recvmsg(from, &mh, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return false;
	c = CMSG_FIRSTHDR(&mh);
	if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(&m->fd, CMSG_DATA(c), sizeof(int));
	return n == RN_MEMIF_MSG_BYTES && (mh.msg_flags & MSG_CTRUNC) == 0;
}

static bool message_write(int to, const struct message *m)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} ctl = {0};
	struct iovec iov = {(void *)m->bytes, sizeof(m->bytes)};
	struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1};

	if (m->fd >= 0) {
		struct cmsghdr *c;

		mh.msg_control = ctl.bytes;
		mh.msg_controllen = sizeof(ctl.bytes);
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &m->fd, sizeof(int));
	}
	return sendmsg(to, &mh, MSG_NOSIGNAL) == RN_MEMIF_MSG_BYTES;
}

static unsigned message_type(const struct message *m)
{
	uint16_t type;

	memcpy(&type, m->bytes, sizeof(type));
	return type;
}

/* Does the peer's memory region have its full size, and is the region sealed against shrinking?
 * Otherwise a thread that polls the port could get SIGBUS. */
static bool region_can_be_trusted(const struct message *m)
{
	struct stat st;
	uint32_t size;
	int seals;

	memcpy(&size, m->bytes + REGION_SIZE_AT, sizeof(size));
	if (m->fd < 0 || fstat(m->fd, &st) < 0)
		return false;
	seals = fcntl(m->fd, F_GET_SEALS);
	return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && st.st_size >= 0 &&
	       (uint64_t)st.st_size >= size;
}

/* Relays one message and returns its type. Returns TYPE_OVER if the message cannot be read or sent,
 * or offers a memory region that cannot be trusted. */
static unsigned pass_on(const struct rn_memif_relay *r, int from, int to, bool from_peer)
{
	struct message m;
	unsigned type = TYPE_OVER;

	if (message_read(from, &m) &&
	    (!from_peer || message_type(&m) != TYPE_ADD_REGION || region_can_be_trusted(&m))) {
		if (r->cfg.ops.passes != NULL)
			r->cfg.ops.passes(r->cfg.arg, m.bytes, m.fd);
		if (message_write(to, &m))
			type = message_type(&m);
	}
	if (m.fd >= 0)
		close(m.fd);
	return type;
}

/* Ends the driver's connection, and waits until the driver has processed the disconnect. If
 * rte_eth_dev_stop() ran during the disconnect, both would free the same memory. Waiting for the
 * driver to close its socket would not be enough: a child of this process may have inherited the
 * socket. */
static void disconnect_driver(struct rn_memif_relay *r, int pmd)
{
	close(pmd);
	r->cfg.ops.drain_interrupts(r->cfg.arg);
}

/* Serves one connection from its first message until the driver is disconnected. Threads may poll
 * the port from the CONNECTED message until a socket becomes readable again. On entry and on return
 * no thread polls the port. Returns true if the connection was established. */
static bool serve(struct rn_memif_relay *r, int peer, int pmd)
{
	unsigned type;
	int which;

	/* A server's driver sends the first message. Read this message before anything can end the
	 * connection. A driver that fails to send the message would free a control channel that EAL
	 * still polls. */
	type = r->cfg.server ? pass_on(r, pmd, peer, false) : TYPE_NONE;
	while (type != TYPE_OVER && type != TYPE_CONNECTED) {
		which = wait_either(r, peer, pmd, -1);
		type = which == 0   ? pass_on(r, peer, pmd, true)
		       : which == 1 ? pass_on(r, pmd, peer, false)
				    : TYPE_OVER;
	}
	if (type == TYPE_CONNECTED) {
		r->cfg.ops.up(r->cfg.arg);
		/* After CONNECTED, memif defines only the message DISCONNECT. Wait until DISCONNECT
		 * arrives or one of the two sockets is closed. */
		wait_either(r, peer, pmd, -1);
		r->cfg.ops.quiesce(r->cfg.arg);
	}
	disconnect_driver(r, pmd);
	close(peer);
	return type == TYPE_CONNECTED;
}

/* Checks of the process at the other end of a socket with an abstract name. Such a name has no file
 * mode that keeps other users out. Only this process may use the driver's socket. Only a process of
 * the same user or of root may be the peer, because peers share memory. */
static bool is_this_process(const struct ucred *who)
{
	return who->pid == getpid();
}

static bool is_trusted_user(const struct ucred *who)
{
	return who->uid == geteuid() || who->uid == 0;
}

static bool other_end_is(int fd, bool (*welcome)(const struct ucred *who))
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && welcome(&who);
}

/* Accepts connections until the process of one passes the test `welcome`. Closes the connections
 * that fail the test. Returns the socket, or -EAGAIN if no connection passes. */
static int accept_only(int listen_fd, bool (*welcome)(const struct ucred *who))
{
	int fd;

	while ((fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (other_end_is(fd, welcome))
			return fd;
		close(fd);
	}
	return -EAGAIN;
}

static int accept_driver(const struct rn_memif_relay *r)
{
	return accept_only(r->listen_fd, is_this_process);
}

static int reach_driver(struct rn_memif_relay *r)
{
	if (r->cfg.server)
		return connect_to(&r->pmd_addr, r->pmd_len);
	/* The first connection needs no restart: the driver has already connected in
	 * rte_eth_dev_start(). */
	if (wait_either(r, r->listen_fd, -1, 0) != 0) {
		int ret = r->cfg.ops.restart(r->cfg.arg);

		if (ret < 0)
			return ret;
	}
	if (wait_either(r, r->listen_fd, -1, 1000) != 0)
		return -EAGAIN;
	return accept_driver(r);
}

static int connect_to_server(const struct rn_memif_relay *r)
{
	int fd = connect_to(&r->peer_addr, r->peer_len);

	if (fd >= 0 && has_abstract_name(&r->peer_addr) && !other_end_is(fd, is_trusted_user)) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

static int reach_peer(struct rn_memif_relay *r)
{
	int fd;

	if (!r->cfg.server)
		return connect_to_server(r);
	if (wait_either(r, r->listen_fd, -1, -1) != 0)
		return -ECANCELED;
	if (has_abstract_name(&r->peer_addr))
		return accept_only(r->listen_fd, is_trusted_user);
	fd = accept4(r->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void *relay_main(void *arg)
{
	struct rn_memif_relay *r = arg;
	int peer, pmd;
	bool made;

	rn_thread_set_up("rn-memif");
	do {
		peer = reach_peer(r);
		pmd = peer >= 0 ? reach_driver(r) : -1;
		made = pmd >= 0 && serve(r, peer, pmd);
		if (peer >= 0 && pmd < 0)
			close(peer);
	} while (wait_either(r, -1, -1, made ? 0 : RETRY_MS) != -ECANCELED);
	return NULL;
}

int rn_memif_relay_create(struct rn_memif_relay **relay, const struct rn_memif_relay_config *cfg)
{
	struct rn_memif_relay *r = calloc(1, sizeof(*r));
	int ret;

	if (r == NULL)
		return -ENOMEM;
	r->cfg = *cfg;
	r->listen_fd = -1;
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = r->stop_fd < 0 ? -errno : address_from(cfg->peer_path, &r->peer_addr, &r->peer_len);
	if (ret == 0)
		ret = address_from(cfg->pmd_path, &r->pmd_addr, &r->pmd_len);
	if (ret == 0 && !cfg->server) {
		r->listen_fd = listen_at(&r->pmd_addr, r->pmd_len);
		ret = r->listen_fd < 0 ? r->listen_fd : 0;
	}
	if (ret < 0) {
		rn_memif_relay_destroy(r);
		return ret;
	}
	*relay = r;
	return 0;
}

int rn_memif_relay_start(struct rn_memif_relay *r)
{
	int ret;

	if (r->cfg.server) {
		r->listen_fd = listen_at(&r->peer_addr, r->peer_len);
		if (r->listen_fd < 0)
			return r->listen_fd;
	}
	ret = pthread_create(&r->thread, NULL, relay_main, r);
	r->running = ret == 0;
	return -ret;
}

void rn_memif_relay_destroy(struct rn_memif_relay *r)
{
	const struct sockaddr_un *ours = r->cfg.server ? &r->peer_addr : &r->pmd_addr;
	int pmd;

	if (r->running) {
		eventfd_write(r->stop_fd, 1);
		pthread_join(r->thread, NULL);
	}
	if (r->listen_fd >= 0) {
		/* The driver may have connected to the relay again, although the relay has no peer
		 * for it any more. Accept this connection and close it. */
		pmd = r->cfg.server ? -1 : accept_driver(r);
		if (pmd >= 0)
			disconnect_driver(r, pmd);
		close(r->listen_fd);
		if (!has_abstract_name(ours))
			unlink(ours->sun_path);
	}
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	free(r);
}
