/* Which sockets belong to a net_af_xdp device? The driver neither tells them nor closes all of them
 * when the device is removed, and while a socket is open no other one can have the queue of the
 * interface: the adapter could not be opened again. Owns nothing. Runs in the control thread. */
#include "port/xdp.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* For how long rn_xdp_close() waits. After the last close of a socket the kernel keeps the queue of
 * the interface for a grace period of RCU and until a worker thread has run, and tells nobody when
 * it gives the queue back. Until then a next socket is refused. */
#define RELEASE_MS 300

static bool is_xdp_socket(int fd, ino_t *inode)
{
	struct stat st;
	int domain = 0;
	socklen_t len = sizeof(domain);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0 || domain != AF_XDP ||
	    fstat(fd, &st) != 0)
		return false;
	*inode = st.st_ino;
	return true;
}

static bool is_known(const struct rn_xdp_sockets *known, ino_t inode)
{
	for (unsigned i = 0; i < known->n; i++)
		if (known->inode[i] == inode)
			return true;
	return false;
}

void rn_xdp_find(struct rn_xdp_sockets *found, const struct rn_xdp_sockets *known)
{
	DIR *dir = opendir("/proc/self/fd");
	struct rn_xdp_sockets list = {0};
	struct dirent *e;

	while (dir != NULL && list.n < RN_MAX_SHARDS && (e = readdir(dir)) != NULL) {
		int fd = atoi(e->d_name);
		ino_t inode;
		if (e->d_name[0] == '.' || !is_xdp_socket(fd, &inode) || is_known(known, inode))
			continue;
		list.fd[list.n] = fd;
		list.inode[list.n++] = inode;
	}
	if (dir != NULL)
		closedir(dir);
	*found = list;
}

void rn_xdp_close(const struct rn_xdp_sockets *sockets)
{
	const struct timespec pause = {.tv_nsec = RELEASE_MS * 1000000};

	for (unsigned i = 0; i < sockets->n; i++) {
		ino_t inode;
		/* The number may belong to another file by now. */
		if (is_xdp_socket(sockets->fd[i], &inode) && inode == sockets->inode[i])
			close(sockets->fd[i]);
	}
	if (sockets->n > 0)
		nanosleep(&pause, NULL);
}
