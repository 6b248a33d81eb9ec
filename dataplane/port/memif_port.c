/* When may the shards poll a memif port? While its relay says so: the port is quiet whenever the driver may change what a
 * burst looks at. Owns the relay and the driver's private socket, of which a process that is killed leaves nothing: a client's
 * has an abstract name, a server's loses its name as soon as the driver listens. */
#include "memif_port.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <rte_alarm.h>
#include <rte_bus_vdev.h>
#include <rte_ethdev.h>
#include <rte_log.h>

#include "memif_relay.h"
#include "port.h"

#define LAST_WORDS_NS 50000000

struct rn_memif_port {
	bool server;
	char *path;	     /* where the peer meets us */
	char dir[32];	     /* server, until it is started */
	char socket[48];     /* as the driver knows it */
	char reached_by[48]; /* as the relay reaches it */
	int fd;		     /* server: its socket file, which has no name any more */
	struct rn_memif_relay *relay;
	struct rn_port *port;
	void (*grace)(void *arg);
	void *grace_arg;
};

static void quiesce(void *arg)
{
	struct rn_memif_port *mp = arg;

	if (mp->port == NULL)
		return;
	atomic_store(&mp->port->quiet, 1);
	mp->grace(mp->grace_arg);
}

/* The driver may still be handling the last message of the handshake; its link says when it is done. */
static void up(void *arg)
{
	struct rn_memif_port *mp = arg;
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < 5000 && !rn_port_link_up(mp->port); i++)
		nanosleep(&pause, NULL);
	if (rn_port_link_up(mp->port)) {
		atomic_fetch_add(&mp->port->ups, 1);
		atomic_store(&mp->port->quiet, 0);
	}
}

static void second_alarm(void *arg)
{
	sem_post(arg);
}

static void first_alarm(void *arg)
{
	rte_eal_alarm_set(1, second_alarm, arg);
}

/* Alarms run in EAL's interrupt thread; the first may run before a socket that is ready too, the second may not. */
static void settle(void *arg)
{
	sem_t handled;

	sem_init(&handled, 0, 0);
	if (rte_eal_alarm_set(1, first_alarm, &handled) == 0)
		while (sem_wait(&handled) != 0)
			;
	sem_destroy(&handled);
}

static int restart(void *arg)
{
	struct rn_memif_port *mp = arg;
	int rc = rte_eth_dev_stop(mp->port->id);

	return rc != 0 ? rc : rte_eth_dev_start(mp->port->id);
}

static int make_relay(struct rn_memif_port *mp)
{
	struct rn_memif_relay_config cfg = {
		.server = mp->server,
		.peer_path = mp->path,
		.pmd_path = mp->reached_by,
		.ops = {.quiesce = quiesce, .up = up, .settle = settle, .restart = restart},
		.arg = mp,
	};

	return rn_memif_relay_create(&mp->relay, &cfg);
}

/* The driver of a server listens and would let in whoever knows its name: a directory of our own keeps others out. A
 * client's only connects, and the relay looks at who does. */
static int name_socket(struct rn_memif_port *mp)
{
	uint64_t random;

	if (mp->server) {
		snprintf(mp->dir, sizeof(mp->dir), "/tmp/softrnic-XXXXXX");
		if (mkdtemp(mp->dir) == NULL) {
			mp->dir[0] = '\0';
			return -errno;
		}
		snprintf(mp->socket, sizeof(mp->socket), "%s/memif", mp->dir);
	} else {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -errno;
		snprintf(mp->socket, sizeof(mp->socket), "@softrnic-%d-%016llx", (int)getpid(), (unsigned long long)random);
	}
	memcpy(mp->reached_by, mp->socket, sizeof(mp->reached_by));
	return 0;
}

static void remove_names(struct rn_memif_port *mp)
{
	if (mp->dir[0] == '\0')
		return;
	unlink(mp->socket);
	rmdir(mp->dir);
	mp->dir[0] = '\0';
}

int rn_memif_port_create(struct rn_memif_port **out, bool server, const char *path)
{
	struct rn_memif_port *mp = calloc(1, sizeof(*mp));
	int rc;

	if (mp == NULL)
		return -ENOMEM;
	mp->server = server;
	mp->fd = -1;
	mp->path = strdup(path);
	rc = mp->path == NULL ? -ENOMEM : name_socket(mp);
	if (rc == 0 && !server)
		rc = make_relay(mp);
	if (rc != 0) {
		rn_memif_port_destroy(mp);
		return rc;
	}
	*out = mp;
	return 0;
}

const char *rn_memif_port_socket(const struct rn_memif_port *mp)
{
	return mp->socket;
}

/* The driver listens by now. Who holds its file can reach it without a name, where /proc is. */
static int hide_socket(struct rn_memif_port *mp)
{
	char by_fd[32];

	mp->fd = open(mp->socket, O_PATH | O_CLOEXEC);
	if (mp->fd < 0)
		return -errno;
	snprintf(by_fd, sizeof(by_fd), "/proc/self/fd/%d", mp->fd);
	if (access(by_fd, F_OK) != 0)
		return 0;
	remove_names(mp);
	memcpy(mp->reached_by, by_fd, sizeof(by_fd));
	return 0;
}

int rn_memif_port_start(struct rn_memif_port *mp, struct rn_port *port, void (*grace)(void *arg), void *arg)
{
	mp->port = port;
	mp->grace = grace;
	mp->grace_arg = arg;
	int rc = mp->server ? hide_socket(mp) : 0;
	if (rc == 0 && mp->server)
		rc = make_relay(mp);
	return rc != 0 ? rc : rn_memif_relay_start(mp->relay);
}

/* What the peer has not taken from the rings goes with the connection, and often that is the answer to its DREQ: it
 * gets a moment to look. */
void rn_memif_port_stop(struct rn_memif_port *mp)
{
	const struct timespec moment = {.tv_nsec = LAST_WORDS_NS};

	if (mp == NULL || mp->relay == NULL)
		return;
	if (mp->port != NULL && atomic_load(&mp->port->quiet) == 0)
		nanosleep(&moment, NULL);
	rn_memif_relay_destroy(mp->relay);
	mp->relay = NULL;
}

/* A server's driver removes its socket file, and would log that it is gone. */
void rn_memif_port_remove(struct rn_memif_port *mp, const char *device)
{
	int type = mp->server && mp->dir[0] == '\0' ? rte_log_register("pmd.net.memif") : -1;
	int level = type >= 0 ? rte_log_get_level((uint32_t)type) : -1;

	if (level >= 0)
		rte_log_set_level((uint32_t)type, RTE_LOG_EMERG);
	rte_vdev_uninit(device);
	if (level >= 0)
		rte_log_set_level((uint32_t)type, (uint32_t)level);
}

void rn_memif_port_destroy(struct rn_memif_port *mp)
{
	if (mp == NULL)
		return;
	rn_memif_port_stop(mp);
	remove_names(mp);
	if (mp->fd >= 0)
		close(mp->fd);
	free(mp->path);
	free(mp);
}
