/* Two adapters on the ends of a veth pair, in a network namespace of the test's own: frames pass through the kernel,
 * sleepers are woken by them, and interfaces that would clash are refused. Skipped where namespaces are not to be had. */
#include "rig.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define LEN   100000u
#define DEPTH 16
#define ALL   (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)
#define SKIPPED 77

static bool run(const char *command)
{
	return system(command) == 0;
}

static const char *config(unsigned mtu, const char *ip_a)
{
	return rig_config("adapters = ( { name = \"a\"; port = \"af_packet\"; iface = \"va\"; ipv4 = [ \"%s/24\" ]; mtu = %u; },\n"
			  "  { name = \"b\"; port = \"af_packet\"; iface = \"vb\"; ipv4 = [ \"192.0.2.2/24\" ]; mtu = %u; } );\n"
			  "eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\n",
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
				usleep(3000); /* long enough for both shards to sleep */
			rig_post(&qp[!(r % 2)], RN_WQE_RECV, r, buf[!(r % 2)], LEN, lkey[!(r % 2)], 0, 0);
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
	assert_non_null(strstr(err, "two stacks"));
	assert_true(rn_link_open(config(9000, "192.0.2.1"), 0, &l, err, sizeof(err)) < 0);
	assert_non_null(strstr(err, "MTU"));
	/* A refusal leaves nothing behind: */
	rn_link_close(rig_open(config(1500, "192.0.2.1"), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries_messages_through_the_kernel),
		cmocka_unit_test(uses_the_interfaces_mac),
		cmocka_unit_test(refuses_interfaces_that_clash),
	};

	if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return SKIPPED;
	if (!run("ip link add va mtu 4200 address 02:00:00:00:00:0a type veth peer name vb mtu 4200 2>/dev/null && "
		 "ip link set va up && ip link set vb up"))
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
