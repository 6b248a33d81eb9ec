/* How does softrnicd get to the port of a client? Owns the folders of the sockets. Runs in a
 * control thread, with a helper thread while a port is opened. */
#include "nic/daemon_port.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "nic/daemon_link.h"
#include "nic/rundir.h"
#include "port/thread.h"

#define PREFIX "softrnic-"
/* How long the driver may take to make its socket, and then the daemon to serve it: on a machine
 * with many busy processes either can be late by seconds. */
#define SOCKET_MS  10000
#define CONNECT_MS 10000

/* Folders to remove at exit, if the application does not close its adapters. */
#define FOLDERS 8
static struct rn_daemon_port_path *folders[FOLDERS];
static pid_t owner; /* the process that made them; a forked child must not remove them */

static void remove_all(void)
{
	for (unsigned i = 0; i < FOLDERS && getpid() == owner; i++)
		if (folders[i] != NULL)
			rn_daemon_port_remove(folders[i]);
}

/* The folder's path becomes an argument of the driver, where some characters separate arguments. */
static int make_folder(struct rn_daemon_port_path *p, const char *base)
{
	struct stat st;

	if (base == NULL || base[0] != '/' || strpbrk(base, ",=[]() \t\n") != NULL ||
	    stat(base, &st) != 0 || !S_ISDIR(st.st_mode))
		return -ENOENT;
	if (snprintf(p->folder, sizeof(p->folder), "%s/" PREFIX "%d-XXXXXX", base, (int)getpid()) >=
	    (int)sizeof(p->folder))
		return -ENAMETOOLONG;
	rn_rundir_sweep(base, PREFIX);
	return mkdtemp(p->folder) != NULL ? 0 : -errno;
}

int rn_daemon_port_make(struct rn_daemon_port_path *p)
{
	const char *bases[] = {secure_getenv("XDG_RUNTIME_DIR"), "/tmp", "/run"};
	int rc = -ENOENT;

	for (unsigned i = 0; rc != 0 && i < sizeof(bases) / sizeof(bases[0]); i++)
		rc = make_folder(p, bases[i]);
	if (rc != 0) {
		p->folder[0] = p->socket[0] = '\0';
		return rc;
	}
	snprintf(p->socket, sizeof(p->socket), "%s/port", p->folder);
	if (owner == 0)
		atexit(remove_all);
	owner = getpid();
	for (unsigned i = 0; i < FOLDERS; i++)
		if (folders[i] == NULL || folders[i] == p) {
			folders[i] = p;
			break;
		}
	return 0;
}

void rn_daemon_port_remove(struct rn_daemon_port_path *p)
{
	for (unsigned i = 0; i < FOLDERS; i++)
		if (folders[i] == p)
			folders[i] = NULL;
	if (p->socket[0] == '\0')
		return;
	unlink(p->socket);
	rmdir(p->folder);
	p->folder[0] = p->socket[0] = '\0';
}

/* ---- while the port is opened ---- */

struct handover {
	const struct rn_daemon_port_path *path;
	struct rn_daemon_link *link;
	_Atomic int opened; /* the driver has returned */
	int rc;
};

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Waits until the driver has made its socket. Returns false if it does not. */
static bool wait_for_socket(struct handover *h)
{
	struct stat st;

	for (unsigned ms = 0; ms < SOCKET_MS && !atomic_load(&h->opened); ms++) {
		if (stat(h->path->socket, &st) == 0 && S_ISSOCK(st.st_mode))
			return true;
		nap();
	}
	return false;
}

/* Ends the driver's wait: it gets a peer that leaves at once, and fails. */
static void release_driver(struct handover *h)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", h->path->socket);
	if (fd >= 0) {
		/* The driver may not listen yet. */
		for (unsigned ms = 0; ms < 1000 && !atomic_load(&h->opened) &&
				      connect(fd, (struct sockaddr *)&un, sizeof(un)) != 0;
		     ms++)
			nap();
		close(fd);
	}
}

/* Lets the daemon connect. The driver makes its socket before it listens there, and on a busy
 * machine other threads run in between: the daemon then cannot connect, and is asked again. */
static int pass_to_daemon(struct handover *h)
{
	int rc = chmod(h->path->socket, 0666) == 0 ? 0 : -errno;

	if (rc != 0)
		return rc;
	for (unsigned ms = 0;; ms++) {
		nap();
		rc = rn_daemon_link_port(h->link, h->path->socket);
		if (rc != -EIO || ms >= CONNECT_MS || atomic_load(&h->opened))
			return rc;
	}
}

static void *pass_socket(void *arg)
{
	struct handover *h = arg;

	rn_thread_set_up("rn-pass");
	if (!wait_for_socket(h))
		return NULL;
	h->rc = pass_to_daemon(h);
	for (unsigned ms = 0; h->rc == 0 && ms < CONNECT_MS && !atomic_load(&h->opened); ms++)
		nap();
	if (!atomic_load(&h->opened)) {
		if (h->rc == 0)
			h->rc = -ETIMEDOUT;
		release_driver(h);
	}
	return NULL;
}

int rn_daemon_port_open(const struct rn_daemon_port_path *p, struct rn_daemon_link *link,
			int (*open)(void *arg), void *arg, int *refused)
{
	struct handover h = {.path = p, .link = link};
	pthread_t thread;
	int rc = -pthread_create(&thread, NULL, pass_socket, &h);

	*refused = 0;
	if (rc != 0)
		return rc;
	rc = open(arg);
	atomic_store(&h.opened, 1);
	pthread_join(thread, NULL);
	*refused = h.rc;
	return rc;
}
