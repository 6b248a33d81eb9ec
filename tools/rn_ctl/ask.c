/* How does softrnicd answer a question? Owns nothing. Runs in one thread. */
#include "ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_S = 5, MAX_PARTS = 300 };

static void complain(const char *what)
{
	fprintf(stderr, "rn_ctl: %s\n", what);
}

static const char *why_not(int err)
{
	switch (err) {
	case ENOENT:
		return "no such socket; is softrnicd running, and is this its socket?";
	case ECONNREFUSED:
		return "nobody listens there; softrnicd has ended";
	case EACCES:
		return "this user may not connect; see the key `group` of softrnicd's configuration";
	case EPROTOTYPE:
	case ENOTSOCK:
		return "this is not the socket of a softrnicd";
	default:
		return strerror(err);
	}
}

int ask_connect(const char *path)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(un.sun_path)) {
		fprintf(stderr, "rn_ctl: the path of the socket is too long: %s\n", path);
		return -1;
	}
	strcpy(un.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		complain(strerror(errno));
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&un, sizeof(un)) != 0) {
		fprintf(stderr, "rn_ctl: no daemon answers at %s: %s\n", path, why_not(errno));
		close(fd);
		return -1;
	}
	return fd;
}

/* Sends a request and receives a reply of at least `least` bytes. */
static bool ask(int fd, const struct rn_daemon_request *rq, size_t bytes,
		struct rn_daemon_reply *rp, size_t least)
{
	ssize_t n = send(fd, rq, bytes, MSG_NOSIGNAL);

	if (n == (ssize_t)bytes)
		n = recv(fd, rp, sizeof(*rp), 0);
	if (n < 0) {
		fprintf(stderr, "rn_ctl: the daemon does not answer: %s\n",
			errno == EAGAIN ? "it takes too long" : strerror(errno));
		return false;
	}
	if (n == 0) {
		complain("the daemon has closed the connection: it ends, or has no room for one "
			 "more process");
		return false;
	}
	if ((size_t)n < offsetof(struct rn_daemon_reply, port) ||
	    rp->version != RN_DAEMON_VERSION || rp->err == -EPROTO) {
		complain("the daemon is of another version of softrnic");
		return false;
	}
	if (rp->err != 0 || (size_t)n < least) {
		fprintf(stderr, "rn_ctl: the daemon refuses: %s\n",
			rp->err != 0 ? strerror(-rp->err) : "its reply is too short");
		return false;
	}
	return true;
}

bool ask_port(int fd, struct rn_daemon_port *port)
{
	static struct rn_daemon_reply rp;
	const struct rn_daemon_request rq = {.version = RN_DAEMON_VERSION, .op = RN_DAEMON_INFO};

	if (!ask(fd, &rq, offsetof(struct rn_daemon_request, attach), &rp,
		 RN_DAEMON_BYTES(struct rn_daemon_reply, port)))
		return false;
	*port = rp.port;
	return true;
}

/* Adds a part to the whole: its clients to the list, everything else as it is. */
static bool merge(json_t *whole, json_t *part)
{
	json_t *list = json_object_get(part, "clients");

	if (!json_is_array(list))
		return false;
	if (json_object_get(whole, "clients") == NULL)
		return json_object_update(whole, part) == 0;
	return json_array_extend(json_object_get(whole, "clients"), list) == 0;
}

json_t *ask_report(int fd)
{
	static struct rn_daemon_reply rp;
	struct rn_daemon_request rq = {.version = RN_DAEMON_VERSION, .op = RN_DAEMON_SHOW};
	json_t *whole = json_object();

	for (unsigned parts = 0; parts < MAX_PARTS; parts++) {
		if (!ask(fd, &rq, RN_DAEMON_BYTES(struct rn_daemon_request, show), &rp,
			 RN_DAEMON_BYTES(struct rn_daemon_reply, show)))
			break;
		rp.show.text[sizeof(rp.show.text) - 1] = '\0';
		json_t *part = json_loads(rp.show.text, 0, NULL);
		bool merged = merge(whole, part);

		json_decref(part);
		if (!merged || (rp.show.next != 0 && rp.show.next <= rq.show.from)) {
			complain("the report of the daemon cannot be read");
			break;
		}
		if (rp.show.next == 0)
			return whole;
		rq.show.from = rp.show.next;
	}
	json_decref(whole);
	return NULL;
}
