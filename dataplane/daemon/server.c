/* Who may connect, and whose request is next? Owns the sessions and the listening socket. */
#include "daemon/server.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/report.h"

/* Clients, and as many processes as may ask without being clients. */
#define SESSIONS (RN_CLIENT_MAX + 64u)
#define BACKLOG	 128
#define EVENTS	 32

struct rn_server {
	struct rn_session session[SESSIONS];
	struct rn_session_env *env;
	char path[108];
	int listener, ep;
};

/* Removes a socket file at the path if nobody listens to the socket. Returns 0 if the path is free
 * now, else -errno. */
static int clear_path(const struct sockaddr_un *un)
{
	struct stat st;

	if (lstat(un->sun_path, &st) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	bool used =
		connect(fd, (const struct sockaddr *)un, sizeof(*un)) == 0 || errno != ECONNREFUSED;
	close(fd);
	if (used)
		return -EADDRINUSE;
	return unlink(un->sun_path) == 0 ? 0 : -errno;
}

/* Sets who may connect, after bind() has made the file with rights for the owner only. */
static int set_rights(const char *path, const char *group)
{
	if (group[0] == '\0')
		return 0;
	errno = 0;
	const struct group *g = getgrnam(group);

	if (g == NULL)
		return errno != 0 ? -errno : -ENOENT;
	if (chown(path, (uid_t)-1, g->gr_gid) != 0 || chmod(path, 0660) != 0)
		return -errno;
	return 0;
}

static int listen_at(struct rn_server *s, const char *group)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct epoll_event event = {.events = EPOLLIN};

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", s->path);
	int rc = clear_path(&un);

	if (rc != 0)
		return rc;
	s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0)
		return -errno;
	mode_t mask = umask(0177);
	rc = bind(s->listener, (struct sockaddr *)&un, sizeof(un)) == 0 ? 0 : -errno;
	umask(mask);
	if (rc == 0)
		rc = set_rights(s->path, group);
	if (rc == 0 && listen(s->listener, BACKLOG) != 0)
		rc = -errno;
	if (rc == 0 && epoll_ctl(s->ep, EPOLL_CTL_ADD, s->listener, &event) != 0)
		rc = -errno;
	return rc;
}

int rn_server_open(struct rn_server **out, const char *path, const char *group,
		   struct rn_session_env *env, char *err, size_t errlen)
{
	struct rn_server *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (s == NULL) {
		snprintf(err, errlen, "no memory");
		return rc;
	}
	for (unsigned i = 0; i < SESSIONS; i++)
		s->session[i].fd = -1;
	s->env = env;
	s->listener = -1;
	s->ep = epoll_create1(EPOLL_CLOEXEC);
	if (snprintf(s->path, sizeof(s->path), "%s", path) >= (int)sizeof(s->path))
		rc = -ENAMETOOLONG;
	else
		rc = s->ep < 0 ? -errno : listen_at(s, group);
	if (rc != 0) {
		snprintf(err, errlen, "socket %s%s%s: %s", path, group[0] ? ", group " : "", group,
			 rc == -ENOENT && group[0] ? "no such group or directory" : strerror(-rc));
		if (s->listener >= 0)
			close(s->listener);
		if (s->ep >= 0)
			close(s->ep);
		free(s);
		return rc;
	}
	rn_report_sessions(s->session, SESSIONS);
	*out = s;
	return 0;
}

static void end(struct rn_server *s, struct rn_session *one, bool restart)
{
	epoll_ctl(s->ep, EPOLL_CTL_DEL, one->fd, NULL);
	rn_session_close(one, restart);
}

static void accept_one(struct rn_server *s)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (unsigned i = 0; i < SESSIONS; i++) {
		if (s->session[i].fd >= 0)
			continue;
		event.data.ptr = &s->session[i];
		if (rn_session_open(&s->session[i], s->env, fd) != 0)
			break;
		if (epoll_ctl(s->ep, EPOLL_CTL_ADD, fd, &event) == 0)
			return;
		s->session[i].fd = -1;
		break;
	}
	close(fd);
}

/* A session that asks too often is not listened to until its bucket opens. */
static void listen_to(struct rn_server *s, struct rn_session *one, bool on)
{
	struct epoll_event event = {.events = on ? EPOLLIN : 0, .data.ptr = one};

	epoll_ctl(s->ep, EPOLL_CTL_MOD, one->fd, &event);
	one->muted = !on;
}

static void look_after(struct rn_server *s, rn_time now)
{
	for (unsigned i = 0; i < SESSIONS; i++) {
		struct rn_session *one = &s->session[i];

		if (one->fd < 0)
			continue;
		if (rn_session_broken(one))
			end(s, one, false);
		else if (one->muted && rn_bucket_open(&one->requests, now))
			listen_to(s, one, true);
	}
}

void rn_server_serve(struct rn_server *s, int timeout_ms, rn_time now)
{
	struct epoll_event event[EVENTS];
	int n = epoll_wait(s->ep, event, EVENTS, timeout_ms);

	/* One request of each session, so that all of them take turns. */
	for (int i = 0; i < n; i++) {
		struct rn_session *one = event[i].data.ptr;

		if (one == NULL)
			accept_one(s);
		else if (!rn_session_serve(one, now) || (event[i].events & EPOLLERR) != 0)
			end(s, one, false);
		else if (!rn_bucket_open(&one->requests, now))
			listen_to(s, one, false);
	}
	rn_forward_watch(s->env->forward);
	look_after(s, now);
	rn_session_env_tick(s->env, now);
}

void rn_server_close(struct rn_server *s, bool restart)
{
	for (unsigned i = 0; i < SESSIONS; i++)
		if (s->session[i].fd >= 0)
			end(s, &s->session[i], restart);
	close(s->listener);
	close(s->ep);
	if (!restart)
		unlink(s->path);
	rn_report_sessions(NULL, 0);
	free(s);
}
