/* Two processes, each with a port on one end of a veth pair through AF_XDP sockets (net_af_xdp), in
 * the test's own network namespace. The test is skipped, with the reason, where the kernel or DPDK
 * lacks AF_XDP, or the user may not load programs into the kernel. */
#include "pair.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#define SKIPPED 77

/* Switches the leak sanitizer off: the driver does not free the record of a device's memory. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

static const char *config(unsigned side, unsigned mtu, unsigned mbufs)
{
	return rig_config(
		"adapters = ( { name = \"%s\"; port = \"vdev\"; vdev = \"net_af_xdp0,iface=v%u\";\n"
		"  mac = \"02:00:00:00:00:0%u\"; ipv4 = [ \"192.0.2.%u/24\" ]; mtu = %u; } );\n"
		"eal = { hugepages = \"no\"; };\nlimits = { mbufs = %u; };\n",
		side ? "b" : "a", side, side + 1, side + 1, mtu, mbufs);
}

/* The driver lends the kernel less memory than the packet buffers take if there are gaps between
 * them. With many packet buffers, all those that the driver uses first would lie outside. */
static void carries_messages_through_the_kernel(void **state)
{
	static const unsigned mbufs[] = {4096, 8192};

	for (unsigned i = 0; i < 2; i++) {
		struct pair_end e;
		int fd;

		pair_open(&e, config(0, 1500, mbufs[i]), 1);
		pid_t pid = pair_start(&fd, config(1, 1500, mbufs[i]), 1);
		pair_converse(&e, fd);
		pair_part(&e, fd, pid);
		pair_close(&e);
		/* On a busy machine the kernel may give the queue back later than
		 * rn_xdp_close() expects. */
		usleep(1000000);
	}
}

/* The buffers for this MTU are longer than a page, which the driver does not explain. */
static void refuses_buffers_of_more_than_a_page(void **state)
{
	struct rn_link *l = NULL;
	char err[256] = "";

	assert_int_equal(rn_link_open(config(0, 9000, 4096), 0, &l, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err,
			       "the driver net_af_xdp takes packet buffers of at most 4096 bytes, "
			       "and the largest mtu of the process's adapters makes them "));
}

static void refuses_too_few_buffers(void **state)
{
	struct rn_link *l = NULL;
	char err[256] = "";

	assert_int_equal(rn_link_open(config(0, 1500, 1024), 0, &l, err, sizeof(err)), -EINVAL);
	assert_string_equal(err,
			    "the driver net_af_xdp keeps 2048 packet buffers: limits.mbufs must be "
			    "at least 4096, not 1024");
}

/* The kernel would drop longer frames. */
static void refuses_an_interface_with_a_smaller_mtu(void **state)
{
	struct rn_link *l = NULL;
	char err[256] = "";

	assert_int_equal(rn_link_open(config(0, 1900, 4096), 0, &l, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "interface v0 has an MTU of 1600, the adapter needs 1900");
}

/* Returns NULL, or why the test cannot run. */
static const char *prepare(void)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return strerror(errno);
	close(fd);
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0)
		return "no namespaces without root";
	/* The driver keeps its map in a file system for BPF objects. */
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL) != 0)
		return "no file system for BPF objects";
	if (system("ip link add v0 mtu 1600 type veth peer name v1 mtu 1600 && ip link set v0 up && "
		   "ip link set v1 up") != 0)
		return "no veth interfaces";
	return NULL;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries_messages_through_the_kernel),
		cmocka_unit_test(refuses_buffers_of_more_than_a_page),
		cmocka_unit_test(refuses_too_few_buffers),
		cmocka_unit_test(refuses_an_interface_with_a_smaller_mtu),
	};

	if (pair_main(argc, argv))
		return 0;
	const char *why = prepare();
	if (why != NULL) {
		printf("skipped: AF_XDP: %s\n", why);
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
