/* The log on standard error reports:
 * - adapters that start, and interfaces that go up and down;
 * - configured CPUs that do not exist, full tables, and devices that are gone;
 * - errors of other hosts on the network (an address conflict, another VLAN).
 * Some tests use a veth pair in the test's own network namespace. These tests are skipped where
 * namespaces are not available. */
#include "rig.h"

#include <net/if.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 10000

static bool has_network;
static int saved = -1;
static FILE *caught;
static char text[65536];

/* Redirects standard error to a file. heard() returns all text in this file. */
static int capture_stderr(void **state)
{
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	caught = tmpfile();
	assert_non_null(caught);
	assert_true(dup2(fileno(caught), STDERR_FILENO) >= 0);
	return 0;
}

static const char *heard(void)
{
	fflush(stderr);
	ssize_t n = pread(fileno(caught), text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static int stop_listening(void **state)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(caught);
	return 0;
}

static struct rn_link *start(const char *lcores, const char *level)
{
	return rig_open(rig_config("adapters = (\n"
				   "{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = "
				   "\"02:00:00:00:00:01\";\n"
				   "  ipv4 = [ \"192.0.2.1/24\" ]; ipv6 = [ \"2001:db8::1/64\" ]; "
				   "lcores = %s; mtu = 4200; },\n"
				   "{ name = \"b\"; port = \"ring\"; peer = \"a\"; ipv4 = [ "
				   "\"192.0.2.2/24\" ]; });\n"
				   "eal = { hugepages = \"no\"; };\nlog = { level = \"%s\"; };\n",
				   lcores, level),
			0);
}

static void warns_of_a_cpu_that_does_not_exist(void **state)
{
	rn_link_close(start("[ 0, 1023 ]", "warning"));
	assert_non_null(strstr(
		heard(),
		"softrnic: warning: adapter a: shard 1 is not pinned to CPU 1023 of lcores: "));
	assert_null(strstr(heard(), "shard 0 is not"));
	assert_null(strstr(heard(), "softrnic: info"));
}

static void says_at_info_that_adapters_are_up(void **state)
{
	rn_link_close(start("[ 0 ]", "info"));
	assert_non_null(strstr(
		heard(), "softrnic: info: adapter a: up: driver net_ring, MAC 02:00:00:00:00:01, "
			 "addresses 192.0.2.1/24 2001:db8::1/64, MTU 4200, shards 1, idle policy "
			 "adaptive, memory "));
	assert_non_null(strstr(heard(), "softrnic: info: adapter b: up: "));
	assert_null(strstr(heard(), "warning"));
}

static void is_silent_by_default(void **state)
{
	rn_link_close(start("[ 0 ]", "warning"));
	assert_string_equal(heard(), "");
	rn_link_close(start("[ 0, 1023 ]", "error"));
	assert_string_equal(heard(), "");
}

/* The CM has no room for another connection or listener. The log message then names the key
 * limits.max_cm and its value, even if this value was derived from max_qp. */
static void a_full_table_of_connections_names_its_key(void **state)
{
	static const struct {
		const char *name, *object, *key;
		uint16_t op;
		unsigned room;
	} rows[] = {
		{"x", "connection or listener", "", RN_CMD_CM_BIND, 1025},
		{"y", "listener", "max_cm = 3;", RN_CMD_CM_LISTEN, 3},
		{"z", "connection", "max_cm = 3;", RN_CMD_CM_CONNECT, 3},
	};

	for (unsigned i = 0; i < 3; i++) {
		struct rn_link *l = rig_open(
			rig_config(
				"adapters = ( { name = \"%s\"; port = \"null\"; ipv4 = [ \"192.0.2.1/24\" ]; } );\n"
				"eal = { hugepages = \"no\"; };\nlimits = { max_qp = 1; mbufs = 1024; %s };\n",
				rows[i].name, rows[i].key),
			0);
		struct rn_cmd cmd = {.op = rows[i].op};
		char line[128];
		unsigned n = 0;

		cmd.cm.local = (struct rn_gid){{[10] = 0xff, 0xff, 192, 0, 2, 1}};
		cmd.cm.peer = (struct rn_gid){{[10] = 0xff, 0xff, 192, 0, 2, 2}};
		cmd.cm.peer_port = 7;
		cmd.cm.param.qpn = 100;
		while (n <= rows[i].room && rig_exec(l, &cmd, NULL) == 0) {
			n++;
			cmd.cm.param.qpn++;
		}
		assert_int_equal(n, rows[i].room);
		snprintf(line, sizeof(line),
			 "adapter %s: no room for another %s: limits.max_cm is %u\n", rows[i].name,
			 rows[i].object, rows[i].room);
		assert_non_null(strstr(heard(), line));
		rn_link_close(l);
	}
}

/* ---- tests on a veth pair ---- */

static bool run(const char *command)
{
	return system(command) == 0;
}

static struct rn_link *start_on_veth(const char *more)
{
	if (!has_network)
		skip();
	return rig_open(
		rig_config("adapters = ( { name = \"a\"; port = \"af_packet\"; iface = \"va\"; "
			   "ipv4 = [ \"192.0.2.1/24\" ]; %s } );\n"
			   "eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\nlog = { "
			   "level = \"info\"; };\n",
			   more),
		0);
}

static void await(const char *what)
{
	for (unsigned ms = 0; strstr(heard(), what) == NULL; ms += 10) {
		if (ms >= PATIENCE_MS)
			fail_msg("not heard: %s; but: %s", what, heard());
		usleep(10000);
	}
}

/* Sends a frame from the other end of the veth pair. */
static void send_frame(const uint8_t *frame, size_t n)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("vb"), .sll_halen = 6};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	assert_int_equal(sendto(fd, frame, n, 0, (struct sockaddr *)&to, sizeof(to)), n);
	close(fd);
}

static unsigned occurrences(const char *what)
{
	unsigned n = 0;

	for (const char *at = heard(); (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static void says_that_the_link_goes_and_comes(void **state)
{
	struct rn_link *l = start_on_veth("");

	await("softrnic: info: adapter a: up: driver net_af_packet, MAC 02:00:00:00:00:0a, ");
	assert_true(run("ip link set vb down"));
	await("softrnic: info: adapter a: link down\n");
	assert_true(run("ip link set vb up"));
	await("softrnic: info: adapter a: link up\n");
	rn_link_close(l);
	assert_int_equal(occurrences("link down"), 1);
	assert_int_equal(occurrences("link up"), 1);
}

/* Another MAC claims the adapter's address in many ARP replies. The log gets one line about
 * this in 10 s. */
static void warns_of_an_address_conflict(void **state)
{
	static const uint8_t arp[60] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,	 0, 0, 0, 0,
					0x66, 8,    6,	  0,	1,    8,    0,	 6, 4, 0, 2,
					2,    0,    0,	  0,	0,    0x66, 192, 0, 2, 1, 2,
					0,    0,    0,	  0,	0x66, 192,  0,	 2, 1};
	struct rn_link *l = start_on_veth("");
	time_t began = time(NULL);

	for (unsigned i = 0; i < 500; i++) {
		send_frame(arp, sizeof(arp));
		usleep(1000);
	}
	await("softrnic: warning: adapter a: another host claims an address of this adapter, ");
	rn_link_close(l);
	/* One line in 10 s; on a busy machine the frames take longer than that. */
	assert_in_range(occurrences("claims an address"), 1, 1 + (time(NULL) - began + 1) / 10);
}

static void warns_of_another_vlan(void **state)
{
	static const uint8_t tagged[60] = {2,	 0, 0, 0,   0, 0xa, 2,	 0,    0,   0, 0, 0x66,
					   0x81, 0, 0, 200, 8, 6,   0,	 1,    8,   0, 6, 4,
					   0,	 1, 2, 0,   0, 0,   0,	 0x66, 192, 0, 2, 9,
					   0,	 0, 0, 0,   0, 0,   192, 0,    2,   1};
	struct rn_link *l = start_on_veth("vlan_id = 100;");

	send_frame(tagged, sizeof(tagged));
	await("softrnic: warning: adapter a: frames of another VLAN are dropped, 1 so far\n");
	rn_link_close(l);
}

/* The interface is deleted while the adapter uses it. This test must run last, because the veth
 * pair is not created again. */
static void warns_that_the_device_is_gone(void **state)
{
	struct rn_link *l = start_on_veth("");

	assert_true(run("ip link del va"));
	await("softrnic: warning: adapter a: its device is gone\n");
	rn_link_close(l);
	assert_int_equal(occurrences("is gone"), 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, capture_stderr, stop_listening)
	const struct CMUnitTest tests[] = {
		TEST(warns_of_a_cpu_that_does_not_exist),
		TEST(says_at_info_that_adapters_are_up),
		TEST(is_silent_by_default),
		TEST(a_full_table_of_connections_names_its_key),
		TEST(says_that_the_link_goes_and_comes),
		TEST(warns_of_an_address_conflict),
		TEST(warns_of_another_vlan),
		TEST(warns_that_the_device_is_gone),
	};

	has_network = unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
		      run("ip link add va address 02:00:00:00:00:0a type veth peer name vb "
			  "2>/dev/null && "
			  "ip link set va up && ip link set vb up");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
