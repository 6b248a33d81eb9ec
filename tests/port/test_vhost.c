/* Two processes joined by shared memory of virtio: the port of one is net_vhost, that of the other
 * net_virtio_user. Data pass in both directions, whichever of the two is the test process; with
 * split and with packed rings; with one queue and with two; with an MTU of 1500 and of 9000.
 * Without data the shards sleep until the peer wakes them. When the vhost side leaves first, the
 * other process lives on. Needs neither privileges nor hugepages. */
#include "pair.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned nsockets;

/* Returns the path of the socket in use. */
static const char *socket_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/rn-vhost-%d-%u", (int)getpid(), nsockets);
	return path;
}

/* Returns the configuration of one side. The vhost side makes the socket, so it must be opened
 * first. */
static const char *config(bool vhost, unsigned queues, bool packed, unsigned mtu)
{
	char device[160];

	if (vhost)
		snprintf(device, sizeof(device), "net_vhost0,iface=%s,queues=%u", socket_path(),
			 queues);
	else
		snprintf(device, sizeof(device),
			 "net_virtio_user0,path=%s,queues=%u,packed_vq=%d,mac=02:00:00:00:00:02",
			 socket_path(), queues, packed);
	return rig_config(
		"adapters = ( { name = \"%s\"; port = \"vdev\"; vdev = \"%s\"; shards = %u; mac = \"02:00:00:00:00:0%d\";\n"
		"  ipv4 = [ \"192.0.2.%d/24\" ]; mtu = %u; } );\n"
		"eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\n",
		vhost ? "a" : "b", device, queues, vhost ? 1 : 2, vhost ? 1 : 2, mtu);
}

/* Does a process listen at this socket? The socket exists before, and the virtio_user driver then
 * cannot connect. A column of /proc/net/unix has the flag for it. */
static bool listens(const char *path)
{
	FILE *f = fopen("/proc/net/unix", "r");
	char line[256], name[128];
	unsigned flags;
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL)
		found = sscanf(line, "%*s %*s %*s %x %*s %*s %*s %127s", &flags, name) == 2 &&
			(flags & 0x10000) != 0 && strcmp(name, path) == 0;
	if (f != NULL)
		fclose(f);
	return found;
}

/* Opens the test process's end and starts the peer process, the vhost side first. */
static pid_t open_both(struct pair_end *e, int *fd, bool vhost, unsigned queues, bool packed,
		       unsigned mtu)
{
	pid_t pid;

	nsockets++;
	if (vhost) {
		pair_open(e, config(true, queues, packed, mtu), queues * 2);
		return pair_start(fd, config(false, queues, packed, mtu), queues * 2);
	}
	pid = pair_start(fd, config(true, queues, packed, mtu), queues * 2);
	for (unsigned i = 0; i < 2000 && !listens(socket_path()); i++)
		usleep(5000);
	pair_open(e, config(false, queues, packed, mtu), queues * 2);
	return pid;
}

static const struct {
	bool vhost; /* the test process is the vhost side */
	unsigned queues;
	bool packed;
	unsigned mtu;
} rows[] = {
	{true, 1, false, 1500},
	{true, 2, true, 9000},
	{false, 1, true, 9000},
	{false, 2, false, 1500},
};

/* How often does each shard look for frames in a second without any? It wakes 10 times a second;
 * without a wake-up by the peer it would wake up to 1,000 times. Then the peer wakes it. */
static void expect_idle(struct pair_end *e, unsigned shards)
{
	usleep(200000);
	uint64_t before = rig_stat(e->link, "lcore_sleeps"), rung = rig_stat(e->link, "lcore_rung");
	usleep(1000000);
	assert_in_range(rig_stat(e->link, "lcore_sleeps") - before, 0, 100 * shards);
	/* On a busy machine a shard may be awake still when the message of the peer comes. */
	for (unsigned i = 0; i < 40 && rig_stat(e->link, "lcore_rung") - rung < 10; i++) {
		usleep(20000);
		pair_round_trip(e, 100, i);
	}
	assert_true(rig_stat(e->link, "lcore_rung") - rung >= 10);
}

static void carries_messages_both_ways(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair_end e;
		int fd;
		pid_t pid = open_both(&e, &fd, rows[i].vhost, rows[i].queues, rows[i].packed,
				      rows[i].mtu);

		pair_converse(&e, fd);
		expect_idle(&e, rows[i].queues);
		pair_part(&e, fd, pid);
		pair_close(&e);
	}
}

/* The first peer ends by itself, the second one is killed. */
static void the_vhost_side_takes_the_next_peer(void **state)
{
	struct pair_end e;
	int fd, status;
	pid_t pid = open_both(&e, &fd, true, 1, false, 1500);

	pair_converse(&e, fd);
	pair_part(&e, fd, pid);
	for (unsigned i = 0; i < 2; i++) {
		pair_renew(&e);
		pid = pair_start(&fd, config(false, 1, false, 1500), 2);
		pair_converse(&e, fd);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		close(fd);
	}
	pair_close(&e);
}

/* The virtio_user driver writes to the socket whose other end is closed. */
static void outlives_the_vhost_side(void **state)
{
	struct sigaction before, after;
	sigset_t mask, pending;
	struct pair_end e;
	struct rn_cqe cqe;
	int fd, status;

	assert_int_equal(sigaction(SIGPIPE, NULL, &before), 0);
	assert_true(before.sa_handler == SIG_DFL);
	pid_t pid = open_both(&e, &fd, false, 1, false, 1500);
	pair_meet(&e, fd);
	pair_round_trip(&e, 5000, 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	unlink(socket_path());
	/* Nobody acknowledges this message; the watcher asks for the link meanwhile. */
	rig_post(&e.qp[0], RN_WQE_SEND, 1, e.buf, 5000, e.lkey, 0, 0);
	rig_poll(&e.scq, &cqe, 300);
	pair_close(&e);
	/* The disposition and the mask of the application are as before, and no signal is left. */
	assert_int_equal(sigaction(SIGPIPE, NULL, &after), 0);
	assert_true(after.sa_handler == SIG_DFL);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
	assert_int_equal(sigismember(&mask, SIGPIPE), 0);
	assert_int_equal(sigpending(&pending), 0);
	assert_int_equal(sigismember(&pending, SIGPIPE), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries_messages_both_ways),
		cmocka_unit_test(the_vhost_side_takes_the_next_peer),
		cmocka_unit_test(outlives_the_vhost_side),
	};

	if (pair_main(argc, argv))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
