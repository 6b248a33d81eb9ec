/* Two adapters on the two ends of a veth pair, in the test's own network namespace. Frames pass
 * through the kernel and wake sleeping shards. An adapter is refused if its address or MTU
 * conflicts with the interface. The test is skipped where namespaces are not available. */
#include "rig.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_mempool.h>

#include "port/port.h"

#define LEN	100000u
#define DEPTH	16
#define ALL	(RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)
#define SKIPPED 77

static bool run(const char *command)
{
	return system(command) == 0;
}

static const char *config(unsigned mtu, const char *ip_a)
{
	return rig_config(
		"adapters = ( { name = \"a\"; port = \"af_packet\"; iface = \"va\"; ipv4 = [ \"%s/24\" ]; mtu = %u; },\n"
		"  { name = \"b\"; port = \"af_packet\"; iface = \"vb\"; ipv4 = [ \"192.0.2.2/24\" ]; mtu = %u; } );\n"
		"eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\n"
		/* so that some frames arrive ahead of a lost one */
		"impair = { loss = 1.0; seed = 3; };\n",
		ip_a, mtu, mtu);
}

static void carries_messages_through_the_kernel(void **state)
{
	static const unsigned mtus[] = {4200, 1500};

	for (unsigned m = 0; m < 2; m++) {
		const char *path = config(mtus[m], "192.0.2.1");
		struct rn_link *l[2];
		struct rig_cq cq[2];
		struct rig_qp qp[2];
		uint32_t pd[2], lkey[2];
		uint8_t *buf[2];

		for (unsigned i = 0; i < 2; i++) {
			l[i] = rig_open(path, i);
			pd[i] = rig_pd(l[i]);
			cq[i] = rig_cq(l[i], DEPTH);
			qp[i] = rig_qp(l[i], pd[i], &cq[i], &cq[i], DEPTH);
			buf[i] = calloc(1, LEN);
			rig_reg(l[i], pd[i], buf[i], LEN, ALL, &lkey[i], NULL);
		}
		rig_connect(&qp[0], &qp[1], 0);
		for (unsigned r = 0; r < 20; r++) {
			uint32_t len = r < 15 ? 10 * r + 1 : LEN;
			memset(buf[r % 2], (int)r + 1, len);
			if (r % 4 == 3)
				usleep(3000); /* long enough for both shards to fall asleep */
			rig_post(&qp[!(r % 2)], RN_WQE_RECV, r, buf[!(r % 2)], LEN, lkey[!(r % 2)],
				 0, 0);
			rig_post(&qp[r % 2], RN_WQE_SEND, r, buf[r % 2], len, lkey[r % 2], 0, 0);
			for (unsigned i = 0; i < 2; i++) {
				struct rn_cqe cqe = rig_wait(&cq[i]);
				assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
				assert_int_equal(cqe.wr_id, r);
			}
			assert_memory_equal(buf[0], buf[1], len);
		}
		assert_true(rig_stat(l[1], "lcore_sleeps") > 0);
		assert_true(rig_stat(l[1], "lcore_rung") > 0);
		for (unsigned i = 0; i < 2; i++) {
			struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {qp[i].qpn, qp[i].gen}};
			assert_int_equal(rig_exec(l[i], &cmd, NULL), 0);
			rn_link_close(l[i]);
			free(buf[i]);
		}
	}
}

static void uses_the_interfaces_mac(void **state)
{
	static const uint8_t va[6] = {2, 0, 0, 0, 0, 0xa};
	struct rn_link *l = rig_open(config(1500, "192.0.2.1"), 0);
	struct rn_link_info info;

	l->ops->info(l, &info);
	assert_memory_equal(info.mac, va, 6);
	rn_link_close(l);
}

static void refuses_interfaces_that_clash(void **state)
{
	struct rn_link *l = NULL;
	char err[256] = "";

	assert_true(run("ip addr add 192.0.2.77/24 dev va"));
	assert_true(rn_link_open(config(1500, "192.0.2.77"), 0, &l, err, sizeof(err)) < 0);
	assert_non_null(strstr(err, "the kernel would answer too"));
	assert_true(rn_link_open(config(9000, "192.0.2.1"), 0, &l, err, sizeof(err)) < 0);
	assert_non_null(strstr(err, "MTU"));
	/* Nothing is left of the refused adapters, so an adapter can be opened on the same
	 * interface. */
	rn_link_close(rig_open(config(1500, "192.0.2.1"), 0));
}

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/* The buffers of the pool are too small for a frame. The driver refuses them when rn_port_open()
 * sets up the queues. The DPDK port exists by then, but is not started. */
static void a_port_that_cannot_start_leaves_no_sockets(void **state)
{
	struct rte_mempool *pool = rn_pool_create("small", 512, 256, false, -1);
	struct rn_port_spec spec = {
		.name = "net_af_packet77",
		.args = "iface=va,qpairs=2,blocksz=65536,framesz=2048,framecnt=512",
		.iface = "va",
		.mtu = 1500,
		.queues = 2,
		.ring = 256,
		.ring_most = 256,
		.pool = pool,
	};
	unsigned before = open_files();

	assert_non_null(pool);
	for (unsigned i = 0; i < 3; i++) {
		struct rn_port *port = NULL;
		char err[256] = "";

		assert_true(rn_port_open(&port, &spec, err, sizeof(err)) < 0);
		assert_non_null(strstr(err, "cannot be started"));
		assert_int_equal(open_files(), before);
	}
	rn_pool_destroy(pool);
}

/* This machine has no node 7. On another machine a node may have no memory. */
static void a_pool_is_elsewhere_if_its_node_has_no_memory(void **state)
{
	struct rte_mempool *pool = rn_pool_create("far", 512, 256, false, 7);

	assert_non_null(pool);
	assert_int_equal(pool->socket_id, SOCKET_ID_ANY);
	rn_pool_destroy(pool);
}

/* Starts another process of this program. The process keeps adapter "a" open until it is killed. */
static pid_t start_holder(const char *path)
{
	int ready[2];
	char byte = 0, fd[16];

	assert_int_equal(pipe(ready), 0);
	snprintf(fd, sizeof(fd), "%d", ready[1]);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/proc/self/exe", "test_af_packet", "hold", path, fd, NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static int hold(const char *path, int ready)
{
	char err[256], byte = 1;
	struct rn_link *l;

	if (rn_link_open(path, 0, &l, err, sizeof(err)) != 0 || write(ready, &byte, 1) != 1)
		return 1;
	for (;;)
		pause();
}

static void refuses_an_address_that_another_process_has(void **state)
{
	const char *path = config(1500, "192.0.2.1");
	struct rn_link *l = NULL;
	char err[256] = "", wanted[128];
	pid_t pid = start_holder(path);

	snprintf(wanted, sizeof(wanted), "adapter a: interface va: process %d (", (int)pid);
	assert_int_equal(rn_link_open(path, 0, &l, err, sizeof(err)), -EADDRINUSE);
	assert_non_null(strstr(err, wanted));
	assert_non_null(strstr(err, "uses the address 192.0.2.1 already"));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	rn_link_close(rig_open(path, 0));
}

/* A child process is forked while the adapter is open. The child must not keep the address claimed
 * after the adapter is closed. */
static void a_forked_child_keeps_no_address(void **state)
{
	const char *path = config(1500, "192.0.2.1");
	struct rn_link *l = rig_open(path, 0);
	char err[256] = "";
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	rn_link_close(l);
	int rc = rn_link_open(path, 0, &l, err, sizeof(err));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_string_equal(err, "");
	assert_int_equal(rc, 0);
	rn_link_close(l);
}

/* When a process may not open packet sockets, the error names the missing capability. */
static void says_which_capability_is_missing(void **state)
{
	const char *path = config(1500, "192.0.2.1");
	char err[256] = "";
	int out[2];

	assert_int_equal(pipe(out), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_CAPBSET_DROP, CAP_NET_RAW);
		dup2(out[1], STDOUT_FILENO);
		execl("/proc/self/exe", "test_af_packet", "try", path, NULL);
		_exit(1);
	}
	close(out[1]);
	assert_true(read(out[0], err, sizeof(err) - 1) > 0);
	close(out[0]);
	waitpid(pid, NULL, 0);
	assert_string_equal(
		err,
		"interface va: no packet sockets without CAP_NET_RAW: Operation not permitted");
}

static int try(const char *path)
{
	char err[256] = "opened";
	struct rn_link *l;

	(void)rn_link_open(path, 0, &l, err, sizeof(err));
	printf("%s", err);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries_messages_through_the_kernel),
		cmocka_unit_test(uses_the_interfaces_mac),
		cmocka_unit_test(refuses_interfaces_that_clash),
		cmocka_unit_test(a_port_that_cannot_start_leaves_no_sockets),
		cmocka_unit_test(a_pool_is_elsewhere_if_its_node_has_no_memory),
		cmocka_unit_test(refuses_an_address_that_another_process_has),
		cmocka_unit_test(a_forked_child_keeps_no_address),
		cmocka_unit_test(says_which_capability_is_missing),
	};

	if (argc == 3)
		return try(argv[2]);
	if (argc == 4)
		return hold(argv[2], atoi(argv[3]));
	if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return SKIPPED;
	if (!run("ip link add va mtu 4200 address 02:00:00:00:00:0a type veth peer name vb mtu 4200 2>/dev/null && "
		 "ip link set va up && ip link set vb up"))
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
