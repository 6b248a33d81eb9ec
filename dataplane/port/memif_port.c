/* When may the shards poll a memif port, and what wakes them when frames come? The relay between
 * the driver and the peer (memif_relay.h) decides: from its call of up() to its call of quiesce().
 * At all other times the port's flag `quiet` is set, because the driver may change memory that a
 * burst reads. From up() to quiesce() the peer's eventfds wake the shards too (memif_bells.h).
 *
 * Owns the relay and the driver's private socket. A killed process leaves no socket file behind: a
 * client's socket has an abstract name, and a server's socket file is unlinked as soon as the
 * driver listens. Runs in the control thread. The relay's callbacks run in the relay's thread;
 * rn_memif_relay_destroy() may call drain_interrupts() in the control thread. */
#include "port/memif_port.h"

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

#include "port/memif_bells.h"
#include "port/memif_relay.h"
#include "port/port.h"

#define LAST_FRAMES_NS 50000000

struct rn_memif_port {
	bool server;
	char *path;	     /* path of the socket between this process and the peer */
	char dir[32];	     /* server: private directory of `socket`; "" after its removal */
	char socket[48];     /* name of the driver's socket, as passed to the driver */
	char reached_by[48]; /* name by which the relay connects to `socket` */
	/* server: descriptor of the unlinked socket file, by which the relay can connect; else
	 * -1 */
	int fd;
	struct rn_memif_relay *relay;
	struct rn_memif_bells bells;
	struct rn_port *port;
	void (*grace)(void *arg);
	void *grace_arg;
};

static void quiesce(void *arg)
{
	struct rn_memif_port *mp = arg;

	if (mp->port == NULL)
		return;
	atomic_fetch_or(&mp->port->quiet, RN_QUIET_LINK);
	rn_memif_bells_detach(&mp->bells);
	mp->grace(mp->grace_arg);
	rn_memif_bells_fini(&mp->bells);
}

static void passes(void *arg, const uint8_t *message, int fd)
{
	struct rn_memif_port *mp = arg;

	rn_memif_bells_take(&mp->bells, message, fd);
}

/* Lets the shards poll as soon as the driver reports its link as up. Until then, the driver may
 * still be processing the last message of the handshake. Gives up after 5 s. */
static void up(void *arg)
{
	struct rn_memif_port *mp = arg;
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < 5000 && !rn_port_link_up(mp->port); i++)
		nanosleep(&pause, NULL);
	if (!rn_port_link_up(mp->port))
		return;
	for (unsigned i = 0; i < mp->port->nrxq; i++)
		if (mp->port->sleeper[i] != NULL)
			rn_memif_bells_attach(&mp->bells, i, mp->port->sleeper[i]);
	atomic_fetch_add(&mp->port->ups, 1);
	atomic_fetch_and(&mp->port->quiet, ~RN_QUIET_LINK);
	for (unsigned i = 0; i < RN_MAX_SHARDS; i++)
		if (mp->port->sleeper[i] != NULL)
			rn_wake_ring(mp->port->sleeper[i]);
}

static void second_alarm(void *arg)
{
	sem_post(arg);
}

static void first_alarm(void *arg)
{
	rte_eal_alarm_set(1, second_alarm, arg);
}

/* Waits until EAL's interrupt thread has handled all sockets that were ready at the call. Alarms
 * run in that thread too. The first alarm may run before the handler of such a socket. The first
 * alarm sets the second alarm, which runs after that handler. */
static void drain_interrupts(void *arg)
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
		.ops = {.quiesce = quiesce,
			.up = up,
			.drain_interrupts = drain_interrupts,
			.restart = restart,
			.passes = passes},
		.arg = mp,
	};

	return rn_memif_relay_create(&mp->relay, &cfg);
}

/* Chooses the socket of the memif driver. A server's driver listens on this socket and accepts
 * every process that can reach it, so the socket is in a private directory. A client's driver only
 * connects to the relay, which checks that the connection comes from this process. */
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
		snprintf(mp->socket, sizeof(mp->socket), "@softrnic-%d-%016llx", (int)getpid(),
			 (unsigned long long)random);
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
	rn_memif_bells_init(&mp->bells, server);
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

/* Unlinks the socket file of a server's driver, which is listening by now. The relay reaches the
 * socket through the open file and /proc. Without /proc the file stays. */
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

int rn_memif_port_start(struct rn_memif_port *mp, struct rn_port *port, void (*grace)(void *arg),
			void *arg)
{
	mp->port = port;
	mp->grace = grace;
	mp->grace_arg = arg;
	int rc = mp->server ? hide_socket(mp) : 0;
	if (rc == 0 && mp->server)
		rc = make_relay(mp);
	return rc != 0 ? rc : rn_memif_relay_start(mp->relay);
}

/* Waits 50 ms, so that the peer can take the last frames from the rings, for example the reply to
 * its DREQ. Then ends the connection. Frames that are still in the rings are lost. */
void rn_memif_port_stop(struct rn_memif_port *mp)
{
	const struct timespec moment = {.tv_nsec = LAST_FRAMES_NS};

	if (mp == NULL || mp->relay == NULL)
		return;
	if (mp->port != NULL && atomic_load(&mp->port->quiet) == 0)
		nanosleep(&moment, NULL);
	rn_memif_relay_destroy(mp->relay);
	mp->relay = NULL;
}

/* Removes the device with the driver's log disabled: a server's driver would log an error, because
 * its socket file was unlinked already (hide_socket()). */
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
	rn_memif_bells_fini(&mp->bells);
	if (mp->fd >= 0)
		close(mp->fd);
	free(mp->path);
	free(mp);
}
