/* Which adapter uses an address of a kernel interface? The adapter that has claimed the address
 * with a listening socket (claim.h). Owns these sockets. Runs in the control thread and the watcher
 * thread. */
#include "port/claim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire/frame.h"

#define CLAIM_BACKLOG 16 /* how many connections may wait for rn_claims_accept() */
#define TRIES	      10 /* number of attempts to bind a name, 1 ms apart */

struct name {
	struct sockaddr_un addr;
	socklen_t len;
	char text[INET6_ADDRSTRLEN]; /* the claimed address, for error messages */
};

static void make_name(struct name *name, unsigned ifindex, const struct rn_port_attr *port,
		      const struct rn_gid *gid)
{
	bool mapped = rn_gid_is_ipv4(gid);

	*name = (struct name){.addr.sun_family = AF_UNIX};
	inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? gid->b + 12 : gid->b, name->text,
		  sizeof(name->text));
	/* The first byte of sun_path stays zero, which makes the name abstract (no file). */
	int n = snprintf(name->addr.sun_path + 1, sizeof(name->addr.sun_path) - 1,
			 "softrnic-interface%u-vlan%u-%s", ifindex,
			 port->has_vlan ? port->vlan_tci & 0xfffu : 0, name->text);
	name->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Returns the id of the process that listens under this name. Returns 0 if the id is unknown, for
 * example because the process is in another PID namespace. Returns -ENOENT if no process
 * listens. */
static int find_holder(const struct name *name)
{
	struct ucred holder = {0};
	socklen_t len = sizeof(holder);
	int rc = 0, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return 0;
	if (connect(fd, (const struct sockaddr *)&name->addr, name->len) != 0)
		rc = errno == ECONNREFUSED ? -ENOENT : 0;
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &holder, &len) == 0)
		rc = holder.pid;
	close(fd);
	return rc;
}

/* Takes a claim: binds a socket to the name and listens, so that find_holder() of another process
 * can connect. Returns 0 or -errno; -EADDRINUSE means that another socket has the name. */
static int listen_as(const struct name *name, int *fd)
{
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return -errno;
	if (bind(*fd, (const struct sockaddr *)&name->addr, name->len) != 0 ||
	    listen(*fd, CLAIM_BACKLOG) != 0) {
		int err = -errno;
		close(*fd);
		return err;
	}
	return 0;
}

/* Takes the claim of one name. Tries again after a moment if another process has bound the name but
 * does not listen: that process is about to listen or about to end. */
static int take_one(const struct name *name, int *fd, int *holder)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int rc = -EADDRINUSE;

	for (unsigned i = 0; i < TRIES; i++) {
		rc = listen_as(name, fd);
		if (rc != -EADDRINUSE)
			return rc;
		*holder = find_holder(name);
		if (*holder >= 0)
			return rc;
		nanosleep(&pause, NULL);
	}
	return rc;
}

/* Writes the id and name of the process that holds the address to `who`. */
static void describe(int holder, char *who, size_t len)
{
	char path[32], command[64] = "?\n";

	if (holder <= 0 || holder == getpid()) {
		snprintf(who, len, "%s",
			 holder <= 0 ? "another process" : "another adapter of this process");
		return;
	}
	/* The holder may have ended since. Its name is then left empty or "?". */
	snprintf(path, sizeof(path), "/proc/%d/comm", holder);
	FILE *comm = fopen(path, "re");
	if (comm != NULL && fgets(command, sizeof(command), comm) == NULL)
		command[0] = '\0';
	if (comm != NULL)
		fclose(comm);
	command[strcspn(command, "\n")] = '\0';
	snprintf(who, len, "process %d (%s)", holder, command);
}

/* Writes to `err` which process holds the address, or which error a system call has returned. */
static void explain(int rc, int holder, const struct name *name, const char *iface, char *err,
		    size_t errlen)
{
	char who[128];

	if (rc == -EADDRINUSE) {
		describe(holder, who, sizeof(who));
		snprintf(err, errlen, "interface %s: %s uses the address %s already", iface, who,
			 name->text);
	} else {
		snprintf(err, errlen, "interface %s: address %s cannot be claimed: %s", iface,
			 name->text, strerror(-rc));
	}
}

int rn_claims_take(struct rn_claims *claims, const char *iface, const struct rn_port_attr *port,
		   char *err, size_t errlen)
{
	unsigned ifindex = if_nametoindex(iface);
	int rc = 0, holder = 0;
	struct name name;

	for (unsigned i = 0; rc == 0 && i < port->ngids; i++) {
		make_name(&name, ifindex, port, &port->gids[i]);
		rc = take_one(&name, &claims->fd[claims->n], &holder);
		if (rc == 0)
			claims->n++;
	}
	if (rc != 0) {
		explain(rc, holder, &name, iface, err, errlen);
		rn_claims_drop(claims);
	}
	return rc;
}

void rn_claims_accept(const struct rn_claims *claims)
{
	for (unsigned i = 0; i < claims->n; i++) {
		/* Close the connection at once: the other process connected only to read
		 * SO_PEERCRED, which names the holder of the claim. */
		int fd = accept4(claims->fd[i], NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
}

void rn_claims_drop(struct rn_claims *claims)
{
	while (claims->n > 0)
		close(claims->fd[--claims->n]);
}
