/* When may the shards poll a memif port? While its relay says so: the port is quiet whenever the driver may change what a
 * burst looks at. Owns the relay and the private directory of the driver's socket. */
#include "memif_port.h"

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <rte_alarm.h>
#include <rte_ethdev.h>

#include "memif_relay.h"
#include "port.h"

struct rn_memif_port {
	char dir[32], socket[48];
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
	if (rn_port_link_up(mp->port))
		atomic_store(&mp->port->quiet, 0);
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

int rn_memif_port_create(struct rn_memif_port **out, bool server, const char *path)
{
	struct rn_memif_port *mp = calloc(1, sizeof(*mp));

	if (mp == NULL)
		return -ENOMEM;
	snprintf(mp->dir, sizeof(mp->dir), "/tmp/softrnic-XXXXXX");
	if (mkdtemp(mp->dir) == NULL) {
		int rc = -errno;
		free(mp);
		return rc;
	}
	snprintf(mp->socket, sizeof(mp->socket), "%s/memif", mp->dir);
	struct rn_memif_relay_config cfg = {
		.server = server,
		.peer_path = path,
		.pmd_path = mp->socket,
		.ops = {.quiesce = quiesce, .up = up, .settle = settle, .restart = restart},
		.arg = mp,
	};
	int rc = rn_memif_relay_create(&mp->relay, &cfg);
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

int rn_memif_port_start(struct rn_memif_port *mp, struct rn_port *port, void (*grace)(void *arg), void *arg)
{
	mp->port = port;
	mp->grace = grace;
	mp->grace_arg = arg;
	return rn_memif_relay_start(mp->relay);
}

void rn_memif_port_stop(struct rn_memif_port *mp)
{
	if (mp == NULL || mp->relay == NULL)
		return;
	rn_memif_relay_destroy(mp->relay);
	mp->relay = NULL;
}

void rn_memif_port_destroy(struct rn_memif_port *mp)
{
	if (mp == NULL)
		return;
	rn_memif_port_stop(mp);
	unlink(mp->socket);
	rmdir(mp->dir);
	free(mp);
}
