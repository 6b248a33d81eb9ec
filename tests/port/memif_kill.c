/* What happens to a process that polls a memif port when the process at the other end is killed?
 *
 *   memif_kill survive ROLE GUARD CYCLES PROGRESS SOCKET   polls; starts and kills the victims
 *   memif_kill victim  ROLE SOCKET                         polls until it is killed
 *
 * In each cycle the surviving process lets one victim process open the victim's memif port, and
 * then kills the victim. The survivor writes the number of finished cycles to the file PROGRESS. If
 * the survivor crashes, memif_kill.sh counts the crash and starts the survivor again.
 *
 * A separate thread polls; main() is the control path. The driver frees a connection's memory even
 * while a thread polls the memif port. GUARD selects how the polling thread is protected:
 *   none   not at all
 *   link   calls the driver's burst functions only while the driver reports that the link is up
 *   fault  a SIGSEGV handler jumps out of the burst function
 *   relay  dataplane/port/memif_relay.c stops the polling before a connection ends */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <rte_alarm.h>
#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include "port/memif_relay.h"

#define FRAME 1100
#define BURST 32
#define MAGIC 0x524e4943u

enum guard { NONE, LINK, FAULT, RELAY };
static const char *const guard_names[] = {"none", "link", "fault", "relay"};

static struct {
	uint16_t port;
	struct rte_mempool *pool;
	enum guard guard;
	bool server;
	/* True while the polling thread may poll. With guard relay: from the relay's call of up()
	 * to its call of quiesce(). With another guard: always, except during a restart of the
	 * memif port and at the end. */
	atomic_bool may_poll;
	atomic_bool inside; /* the polling thread is inside one iteration of its loop */
	atomic_bool quit;
	atomic_ulong received, bad, faults;
	char pmd_path[100];
} T;

static __thread sigjmp_buf out_of_burst;
static __thread volatile sig_atomic_t in_burst;

static void fault_seen(int sig, siginfo_t *info, void *ctx)
{
	if (in_burst)
		siglongjmp(out_of_burst, 1);
	signal(sig, SIG_DFL);
}

static void send_burst(void)
{
	struct rte_mbuf *m[BURST];
	uint16_t sent;

	if (rte_pktmbuf_alloc_bulk(T.pool, m, BURST) != 0)
		return;
	for (unsigned i = 0; i < BURST; i++) {
		uint32_t *d = rte_pktmbuf_mtod(m[i], uint32_t *);

		d[0] = MAGIC;
		d[FRAME / 4 - 1] = ~MAGIC;
		m[i]->data_len = m[i]->pkt_len = FRAME;
	}
	sent = rte_eth_tx_burst(T.port, 0, m, BURST);
	if (sent < BURST)
		rte_pktmbuf_free_bulk(m + sent, BURST - sent);
}

static void receive_burst(void)
{
	struct rte_mbuf *m[BURST];
	uint16_t n = rte_eth_rx_burst(T.port, 0, m, BURST);

	for (unsigned i = 0; i < n; i++) {
		const uint32_t *d = rte_pktmbuf_mtod(m[i], const uint32_t *);

		if (m[i]->pkt_len != FRAME || d[0] != MAGIC || d[FRAME / 4 - 1] != ~MAGIC)
			T.bad++;
	}
	T.received += n;
	rte_pktmbuf_free_bulk(m, n);
}

static bool link_is_up(void)
{
	struct rte_eth_link link = {0};

	return rte_eth_link_get_nowait(T.port, &link) == 0 && link.link_status;
}

static void *poll_forever(void *arg)
{
	while (!T.quit) {
		T.inside = true; /* must precede the load of may_poll; both accesses are seq_cst */
		if (T.may_poll && (T.guard != LINK || link_is_up())) {
			if (sigsetjmp(out_of_burst, 0) == 0) {
				in_burst = T.guard == FAULT;
				receive_burst();
				send_burst();
			} else {
				T.faults++;
			}
			in_burst = 0;
		}
		T.inside = false;
		if (!T.may_poll)
			sched_yield();
	}
	return NULL;
}

static void hold_poller(void *arg)
{
	T.may_poll = false;
	while (T.inside)
		sched_yield();
}

static void release_poller(void *arg)
{
	for (int i = 0; i < 1000 && !link_is_up(); i++)
		usleep(100);
	T.may_poll = true;
}

static void second_alarm(void *arg)
{
	sem_post(arg);
}

static void first_alarm(void *arg)
{
	rte_eal_alarm_set(1, second_alarm, arg);
}

static void settle_driver(void *arg)
{
	sem_t handled;

	sem_init(&handled, 0, 0);
	rte_eal_alarm_set(1, first_alarm, &handled);
	while (sem_wait(&handled) != 0)
		;
	sem_destroy(&handled);
}

static int restart_port(void *arg)
{
	rte_eth_dev_stop(T.port);
	return rte_eth_dev_start(T.port);
}

static void open_port(const char *path, bool started)
{
	struct rte_eth_conf conf = {0};
	char args[256];

	snprintf(args, sizeof(args), "role=%s,socket=%s,socket-abstract=no,bsize=2048,rsize=8",
		 T.server ? "server" : "client", path);
	T.pool = rte_pktmbuf_pool_create("pool", 2047, 64, 0, 2048 + RTE_PKTMBUF_HEADROOM, 0);
	if (T.pool == NULL || rte_vdev_init("net_memif0", args) != 0 ||
	    rte_eth_dev_get_port_by_name("net_memif0", &T.port) != 0 ||
	    rte_eth_dev_configure(T.port, 1, 1, &conf) != 0 ||
	    rte_eth_rx_queue_setup(T.port, 0, 256, 0, NULL, T.pool) != 0 ||
	    rte_eth_tx_queue_setup(T.port, 0, 256, 0, NULL) != 0 ||
	    (started && rte_eth_dev_start(T.port) != 0))
		rte_exit(EXIT_FAILURE, "memif_kill: the port does not open\n");
}

static void start_eal(void)
{
	static char prefix[40];
	char *log = getenv("MK_LOG");
	char *argv[] = {"memif_kill",
			"--no-huge",
			"-m",
			"64",
			"--no-pci",
			"--no-shconf",
			"-l",
			"0",
			"--no-telemetry",
			log ? log : "--log-level=1",
			prefix,
			NULL};
	cpu_set_t all;

	snprintf(prefix, sizeof(prefix), "--file-prefix=mk%d", getpid());
	if (rte_eal_init(11, argv) < 0)
		exit(EXIT_FAILURE);
	CPU_ZERO(&all);
	for (int i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		CPU_SET(i, &all);
	sched_setaffinity(0, sizeof(all), &all);
}

/* A victim process initialises EAL at once. The victim opens its memif port only when it reads a
 * byte from standard input. So a cycle (one_cycle()) does not include the start of EAL. */
static int be_victim(const char *path)
{
	char go;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	start_eal();
	if (write(1, "r", 1) != 1 || read(0, &go, 1) != 1)
		return EXIT_FAILURE;
	T.may_poll = true;
	open_port(path, true);
	if (write(1, "o", 1) != 1)
		return EXIT_FAILURE;
	poll_forever(NULL);
	return EXIT_SUCCESS;
}

struct victim {
	pid_t pid;
	int to, from;
};

static struct victim start_victim(const char *path)
{
	int in[2], out[2];
	struct victim v;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		exit(EXIT_FAILURE);
	v.pid = fork();
	if (v.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("/proc/self/exe", "memif_kill", "victim", T.server ? "client" : "server",
		      path, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	v.to = in[1];
	v.from = out[0];
	return v;
}

static void end_victim(struct victim *v)
{
	kill(v->pid, SIGKILL);
	waitpid(v->pid, NULL, 0);
	close(v->to);
	close(v->from);
}

static void heard_from(struct victim *v)
{
	char byte;

	if (read(v->from, &byte, 1) != 1)
		exit(3);
}

static bool wait_for_link(bool up, int ms)
{
	for (int i = 0; i < ms * 10; i++) {
		if (link_is_up() == up)
			return true;
		usleep(100);
	}
	return false;
}

/* Lets one victim process open its memif port, then kills the victim. In about one cycle of five,
 * does not wait for the link before the kill, and returns true. In the other cycles, returns
 * whether the link came up. */
static bool one_cycle(struct victim *v, const char *path)
{
	bool up = true, blind = rand() % 5 == 0;

	if (!T.server)
		unlink(path);
	heard_from(v);
	if (write(v->to, "g", 1) != 1)
		exit(3);
	if (!T.server) {
		heard_from(v);
		if (T.guard != RELAY) {
			hold_poller(NULL);
			for (int i = 0; restart_port(NULL) != 0 && i < 20; i++)
				usleep(10000);
			T.may_poll = true;
		}
	}
	if (blind)
		usleep(rand() % 20000);
	else
		up = wait_for_link(true, 3000);
	usleep(2000 + rand() % 30000);
	end_victim(v);
	if (!wait_for_link(false, 2000))
		exit(4);
	usleep(5000);
	return up;
}

static void report(int cycles, int ups)
{
	char line[64];
	FILE *f = popen("ls /proc/$PPID/fd | wc -l", "r");
	int fds = 0;

	if (f != NULL && fgets(line, sizeof(line), f) != NULL)
		fds = atoi(line);
	if (f != NULL)
		pclose(f);
	printf("survivor: cycles %d links %d frames %lu bad %lu faults %lu mbufs out %u fds %d\n",
	       cycles, ups, T.received, T.bad, T.faults, rte_mempool_in_use_count(T.pool), fds);
}

static int survive(int cycles, const char *progress, const char *path)
{
	struct rn_memif_relay_config cfg = {
		T.server,
		path,
		T.pmd_path,
		{hold_poller, release_poller, settle_driver, restart_port},
		NULL};
	struct rn_memif_relay *relay = NULL;
	struct sigaction act = {.sa_sigaction = fault_seen, .sa_flags = SA_SIGINFO | SA_NODEFER};
	pthread_t poller;
	struct victim next;
	int fd, done = 0, ups = 0;

	next = start_victim(path);
	start_eal();
	srand(getpid());
	if (T.guard == FAULT) {
		sigaction(SIGSEGV, &act, NULL);
		sigaction(SIGBUS, &act, NULL);
	}
	snprintf(T.pmd_path, sizeof(T.pmd_path), "%s.%d", path, getpid());
	if (T.guard == RELAY && rn_memif_relay_create(&relay, &cfg) != 0)
		return 3;
	open_port(relay != NULL ? T.pmd_path : path, T.server || relay != NULL);
	if (relay != NULL && rn_memif_relay_start(relay) != 0)
		return 3;
	T.may_poll = relay == NULL;
	pthread_create(&poller, NULL, poll_forever, NULL);
	fd = open(progress, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	while (done < cycles) {
		struct victim v = next;

		if (done + 1 < cycles)
			next = start_victim(path);
		ups += one_cycle(&v, path);
		done++;
		dprintf(fd, "%d\n", done);
	}
	if (relay != NULL)
		rn_memif_relay_destroy(relay);
	hold_poller(NULL);
	T.quit = true;
	pthread_join(poller, NULL);
	report(done, ups);
	rte_eth_dev_stop(T.port);
	rte_eth_dev_close(T.port);
	/* Do not call rte_eal_cleanup(). A memif server never unregisters its listener from EAL's
	 * interrupt thread. After a cleanup the interrupt thread would read the listener's memory,
	 * which is no longer mapped. */
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "victim") == 0) {
		T.server = strcmp(argv[2], "server") == 0;
		return be_victim(argv[3]);
	}
	if (argc != 7 || strcmp(argv[1], "survive") != 0)
		return 2;
	T.server = strcmp(argv[2], "server") == 0;
	for (unsigned i = 0; i < RTE_DIM(guard_names); i++) {
		if (strcmp(argv[3], guard_names[i]) == 0)
			T.guard = i;
	}
	return survive(atoi(argv[4]), argv[5], argv[6]);
}
