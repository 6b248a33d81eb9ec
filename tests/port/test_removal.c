/* A device is removed while its shards use it, in one of four ways:
 * - rn_link_unplug() removes the device;
 * - other code removes the device through EAL;
 * - the device's driver announces the removal;
 * - the kernel interface of the device is deleted.
 * All work requests complete, and one event reports the removal. The remaining objects can be
 * destroyed, and the device can be created again. */
#include "rig.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_ethdev.h>

#define DEPTH 16
#define LEN   4096u
#define ALL   (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

/* A DPDK driver calls rte_eth_dev_callback_process() when its device is removed. The installed
 * headers of DPDK declare neither this function nor the array rte_eth_devices. DPDK port 0 is the
 * first element of the array. */
struct rte_eth_dev;
extern char rte_eth_devices[];
int rte_eth_dev_callback_process(struct rte_eth_dev *dev, enum rte_eth_event_type event, void *ret);

struct end {
	struct rn_link *link;
	uint32_t pd, lkey, rkey;
	struct rig_cq cq;
	struct rig_qp qp;
	uint8_t *buf;
};

static void make_end(struct end *e, const char *path, unsigned index)
{
	e->link = rig_open(path, index);
	e->pd = rig_pd(e->link);
	e->cq = rig_cq(e->link, DEPTH);
	e->qp = rig_qp(e->link, e->pd, &e->cq, &e->cq, DEPTH);
	e->buf = calloc(1, LEN);
	rig_reg(e->link, e->pd, e->buf, LEN, ALL, &e->lkey, &e->rkey);
}

static int destroy(struct end *e, uint16_t op, uint32_t id, uint32_t gen)
{
	struct rn_cmd cmd = {.op = op};

	if (op == RN_CMD_DESTROY_QP) {
		cmd.qp.qpn = id;
		cmd.qp.gen = gen;
	} else {
		cmd.obj.id = id;
	}
	return rig_exec(e->link, &cmd, NULL);
}

static void unmake_end(struct end *e)
{
	assert_int_equal(destroy(e, RN_CMD_DESTROY_QP, e->qp.qpn, e->qp.gen), 0);
	assert_int_equal(destroy(e, RN_CMD_DEREG_MR, e->lkey, 0), 0);
	assert_int_equal(destroy(e, RN_CMD_DESTROY_CQ, e->cq.id, 0), 0);
	assert_int_equal(destroy(e, RN_CMD_DESTROY_PD, e->pd, 0), 0);
	rn_link_close(e->link);
	free(e->buf);
}

/* ---- ways in which a device is removed ---- */

static void by_us(void)
{
	struct rn_link_info info[2];
	char err[256];

	assert_int_equal(rn_link_list(getenv("SOFTRNIC_CONFIG"), info, 2, err, sizeof(err)), 2);
	assert_int_equal(rn_link_unplug(info[0].name), 0);
}

/* Removes the device through EAL and not through softrnic, as an application or a tool might do. */
static void by_somebody_else(void)
{
	char name[RTE_ETH_NAME_MAX_LEN];

	assert_int_equal(rte_eth_dev_get_name_by_port(0, name), 0);
	assert_int_equal(rte_eal_hotplug_remove("vdev", name), 0);
}

static void announced(void)
{
	rte_eth_dev_callback_process((struct rte_eth_dev *)(void *)rte_eth_devices,
				     RTE_ETH_EVENT_INTR_RMV, NULL);
}

static void interface_deleted(void)
{
	assert_int_equal(system("ip link del va"), 0);
}

struct row {
	const char *name, *policy;
	bool kernel;
	void (*go)(void);
	bool both; /* true: the device of the second adapter is removed too */
};

static const struct row rows[] = {
	{"by us", "adaptive", false, by_us},
	{"by us", "inline", false, by_us},
	{"by somebody else", "adaptive", false, by_somebody_else},
	{"by somebody else", "poll", false, by_somebody_else},
	{"by somebody else", "inline", false, by_somebody_else},
	{"announced by the driver", "adaptive", false, announced},
	{"announced by the driver", "inline", false, announced},
	{"by us, kernel interface", "adaptive", true, by_us},
	{"interface deleted", "adaptive", true, interface_deleted, true},
	{"interface deleted", "inline", true, interface_deleted, true},
};

static const char *config_of(const struct row *row)
{
	char more[128];

	snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", row->policy);
	if (!row->kernel)
		return rig_pair(strcmp(row->policy, "poll") == 0 ? 1 : 2, 4200, more);
	return rig_config(
		"adapters = ( { name = \"a\"; port = \"af_packet\"; iface = \"va\"; ipv4 = [ \"192.0.2.1/24\" ]; mtu = 1500; },\n"
		"  { name = \"b\"; port = \"af_packet\"; iface = \"vb\"; ipv4 = [ \"192.0.2.2/24\" ]; mtu = 1500; } );\n"
		"eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\n%s\n",
		more);
}

static bool veth(void)
{
	return system("ip link del va 2>/dev/null; ip link add va type veth peer name vb && ip link set va up && ip link set vb up") ==
	       0;
}

/* Expects exactly one RN_EVENT_PORT_GONE, and no event after it. */
static void expect_port_gone_once(struct rn_link *l)
{
	struct rn_event ev;
	unsigned n;

	do {
		n = l->ops->wait(l, &ev, 1, 5000);
		assert_int_equal(n, 1);
	} while (ev.kind != RN_EVENT_PORT_GONE);
	assert_int_equal(l->ops->wait(l, &ev, 1, 200), 0);
}

static void goes(const struct row *row)
{
	const char *path = config_of(row);
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_PD};
	struct rn_link *again;
	struct rn_rsp rsp;
	struct end a, b;
	char err[256];

	print_message("%s, %s\n", row->name, row->policy);
	setenv("SOFTRNIC_CONFIG", path, 1);
	make_end(&a, path, 0);
	make_end(&b, path, 1);
	rig_connect(&a.qp, &b.qp, 0);
	for (unsigned i = 0; i < 20; i++) {
		rig_post(&a.qp, RN_WQE_WRITE, i, a.buf, LEN, a.lkey, (uintptr_t)b.buf, b.rkey);
		assert_int_equal(rig_wait(&a.cq).status, RN_STATUS_SUCCESS);
	}
	rig_post(&a.qp, RN_WQE_RECV, 7, a.buf, 8, a.lkey, 0, 0);
	/* The SEND does not complete before the removal, because the other adapter has no receive
	 * posted. */
	rig_post(&a.qp, RN_WQE_SEND, 8, a.buf, 8, a.lkey, 0, 0);
	row->go();
	for (unsigned i = 0; i < 2; i++) {
		struct rn_cqe cqe = rig_wait(&a.cq);
		assert_int_equal(cqe.status, RN_STATUS_WR_FLUSH_ERR);
		assert_int_equal(cqe.wr_id, 8 - i);
	}
	expect_port_gone_once(a.link);
	assert_true(atomic_load(&a.link->gone));
	assert_int_equal(rig_exec(a.link, &cmd, NULL), -ENODEV);
	assert_int_equal(rn_link_open(path, 0, &again, err, sizeof(err)), -ENODEV);
	if (!row->both) {
		assert_false(atomic_load(&b.link->gone));
		assert_int_equal(rig_exec(b.link, &cmd, &rsp), 0);
		assert_int_equal(destroy(&b, RN_CMD_DESTROY_PD, rsp.id, 0), 0);
	}
	unmake_end(&a);
	unmake_end(&b);
}

static void a_device_can_be_removed_in_every_way(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].kernel && !veth())
			print_message("no namespace, not shown: %s\n", rows[i].name);
		else
			goes(&rows[i]);
	}
}

/* A shard stops polling when its DPDK port is removed, even when frames are left to send and timers
 * are running. */
static void removed_port_is_not_polled(void **state)
{
	const char *path = rig_pair(1, 4200, "idle = { policy = \"adaptive\"; };");
	struct end a, b;
	uint64_t turns;

	setenv("SOFTRNIC_CONFIG", path, 1);
	make_end(&a, path, 0);
	make_end(&b, path, 1);
	rig_connect(&a.qp, &b.qp, 0);
	for (unsigned i = 0; i < DEPTH; i++)
		rig_post(&a.qp, RN_WQE_WRITE, i, a.buf, LEN, a.lkey, (uintptr_t)b.buf, b.rkey);
	by_us();
	usleep(50000);
	turns = rig_stat(a.link, "lcore_turns");
	usleep(200000);
	assert_in_range(rig_stat(a.link, "lcore_turns") - turns, 0, 50);
	unmake_end(&a);
	unmake_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_can_be_removed_in_every_way),
		cmocka_unit_test(removed_port_is_not_polled),
	};

	/* The rows of the test's table that use kernel interfaces need a network namespace and are
	 * skipped without one. */
	if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0)
		print_message("no network namespace\n");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
