/* Two processes, each with a port on a tap interface of the kernel (net_tap), joined by a bridge in
 * the test's own network namespace. The test is skipped where namespaces or tap interfaces are not
 * available. */
#include "pair.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#define SKIPPED 77

static bool run(const char *command)
{
	return system(command) == 0;
}

static const char *config(unsigned side, unsigned mtu, unsigned shards)
{
	return rig_config(
		"adapters = ( { name = \"%s\"; port = \"vdev\"; vdev = \"net_tap0,iface=tap%u\"; shards = %u;\n"
		"  mac = \"02:00:00:00:00:0%u\"; ipv4 = [ \"192.0.2.%u/24\" ]; mtu = %u; } );\n"
		"eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\n",
		side ? "b" : "a", side, shards, side + 1, side + 1, mtu);
}

/* Waits until the interface exists, and joins it to the bridge. */
static void join_bridge(unsigned side)
{
	char command[200];

	snprintf(command, sizeof(command),
		 "for i in $(seq 3000); do ip link set tap%u master br0 up 2>/dev/null && exit; "
		 "sleep 0.01; done; exit 1",
		 side);
	assert_true(run(command));
}

static void converse(const char *path_a, const char *path_b, unsigned nqps)
{
	struct pair_end e;
	int fd;

	pair_open(&e, path_a, nqps);
	pid_t pid = pair_start(&fd, path_b, nqps);
	join_bridge(0);
	join_bridge(1);
	pair_converse(&e, fd);
	pair_part(&e, fd, pid);
	pair_close(&e);
}

static void carries_messages_through_the_kernel(void **state)
{
	converse(config(0, 1500, 1), config(1, 1500, 1), 1);
}

static void carries_messages_of_two_shards(void **state)
{
	converse(config(0, 1500, 2), config(1, 1500, 2), 4);
}

/* The driver announces a frame to any thread that takes a signal. */
static void an_application_may_block_all_signals(void **state)
{
	sigset_t all, before;

	sigfillset(&all);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
	/* The peer process inherits the mask. */
	converse(config(0, 1500, 1), config(1, 1500, 1), 1);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

/* The driver drops longer frames without a word. */
static void refuses_an_mtu_that_the_driver_cannot_carry(void **state)
{
	struct rn_link *l = NULL;
	char err[256] = "";

	assert_true(rn_link_open(config(0, 9000, 1), 0, &l, err, sizeof(err)) < 0);
	assert_string_equal(
		err, "the driver net_tap drops frames of more than 1522 bytes: the mtu may be "
		     "at most 1504, not 9000");
	assert_true(rn_link_open(config(0, 1504, 1), 0, &l, err, sizeof(err)) < 0);
	assert_string_equal(err, "interface tap0 has an MTU of 1500, the adapter needs 1504");
	rn_link_close(rig_open(config(0, 1500, 1), 0));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries_messages_through_the_kernel),
		cmocka_unit_test(carries_messages_of_two_shards),
		cmocka_unit_test(an_application_may_block_all_signals),
		cmocka_unit_test(refuses_an_mtu_that_the_driver_cannot_carry),
	};

	if (pair_main(argc, argv))
		return 0;
	if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0 ||
	    !run("ip link add br0 type bridge 2>/dev/null && ip link set br0 up && "
		 "ip tuntap add dev probe mode tap 2>/dev/null && ip link del probe"))
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
