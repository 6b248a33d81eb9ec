/* A card's driver or an operator requests a reset while the shards use the card. Connections go on,
 * and no byte is lost. Two joined ports stand for the cards here; tests/hardware resets cards. */
#include "rig.h"

#include <errno.h>
#include <unistd.h>

#include <rte_ethdev.h>

#define DEPTH	16
#define LEN	65536u
#define RESETS	8
#define WAIT_MS 30000
#define ALL	(RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

/* A DPDK driver calls rte_eth_dev_callback_process() when its card needs a reset. The installed
 * headers of DPDK declare neither this function nor the array rte_eth_devices. DPDK port 0 is the
 * first element of the array. */
struct rte_eth_dev;
extern char rte_eth_devices[];
int rte_eth_dev_callback_process(struct rte_eth_dev *dev, enum rte_eth_event_type event, void *ret);

static void request_reset(void)
{
	rte_eth_dev_callback_process((struct rte_eth_dev *)(void *)rte_eth_devices,
				     RTE_ETH_EVENT_INTR_RESET, NULL);
}

/* How often the reset of the device still fails. This function replaces that of DPDK. */
static unsigned failures;

int rte_eth_dev_reset(uint16_t id)
{
	if (failures == 0)
		return -ENOTSUP; /* as the driver net_ring says: the port is stopped and started */
	failures--;
	return -EIO;
}

static uint8_t from[LEN], to[LEN];

/* Writes `from` to `to`, DEPTH pieces in another order each round, and compares. */
static void write_round(struct rig_qp *qp, struct rig_cq *cq, uint32_t lkey, uint32_t rkey,
			unsigned round)
{
	const unsigned piece = LEN / DEPTH;

	for (unsigned i = 0; i < LEN; i++)
		from[i] = (uint8_t)(i * 13 + i / 251 + round);
	for (unsigned i = 0; i < DEPTH; i++) {
		unsigned at = (i * 7 + round) % DEPTH * piece;

		rig_post(qp, RN_WQE_WRITE, i, from + at, piece, lkey, (uintptr_t)to + at, rkey);
	}
	for (unsigned i = 0; i < DEPTH; i++)
		assert_int_equal(rig_wait(cq).status, RN_STATUS_SUCCESS);
	assert_memory_equal(from, to, LEN);
}

static void data_flow_across_resets(const char *policy)
{
	char more[64];
	uint32_t pd[2], lkey, rkey, unused;
	unsigned round = 0;

	snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", policy);
	const char *path = rig_pair(1, 4200, more);
	struct rn_link *l[2] = {rig_open(path, 0), rig_open(path, 1)};
	struct rig_cq cq[2];
	struct rig_qp qp[2];
	print_message("%s\n", policy);
	for (unsigned i = 0; i < 2; i++) {
		pd[i] = rig_pd(l[i]);
		cq[i] = rig_cq(l[i], 2 * DEPTH);
		qp[i] = rig_qp(l[i], pd[i], &cq[i], &cq[i], DEPTH);
	}
	rig_reg(l[0], pd[0], from, LEN, ALL, &lkey, &unused);
	rig_reg(l[1], pd[1], to, LEN, ALL, &unused, &rkey);
	rig_connect(&qp[0], &qp[1], 0);
	write_round(&qp[0], &cq[0], lkey, rkey, round++);
	for (unsigned i = 0; i < RESETS; i++) {
		uint64_t before = rig_stat(l[0], "port_resets");

		failures = i % 3; /* it is tried again */
		request_reset();
		for (unsigned ms = 0; rig_stat(l[0], "port_resets") == before && ms < WAIT_MS;
		     ms++) {
			write_round(&qp[0], &cq[0], lkey, rkey, round++);
			usleep(1000);
		}
		assert_int_equal(rig_stat(l[0], "port_resets"), before + 1);
	}
	write_round(&qp[0], &cq[0], lkey, rkey, round++);
	rn_link_close(l[0]);
	rn_link_close(l[1]);
}

static void data_flow_across_resets_under_each_policy(void **state)
{
	static const char *const policies[] = {"adaptive", "poll", "inline"};

	for (unsigned i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		data_flow_across_resets(policies[i]);
}

/* A card that does not start again counts as removed. */
static void a_card_that_cannot_be_reset_is_given_up(void **state)
{
	struct rn_link *l = rig_open(rig_pair(1, 4200, ""), 0);
	struct rn_event ev;
	uint32_t pd = rig_pd(l), lkey, rkey;
	struct rig_cq cq = rig_cq(l, DEPTH);
	struct rig_qp qp = rig_qp(l, pd, &cq, &cq, DEPTH);

	rig_reg(l, pd, from, LEN, ALL, &lkey, &rkey);
	rig_connect(&qp, &qp, 0);
	rig_post(&qp, RN_WQE_RECV, 1, from, 8, lkey, 0, 0);
	failures = 1000000;
	request_reset();
	do
		assert_int_equal(l->ops->wait(l, &ev, 1, 30000), 1);
	while (ev.kind != RN_EVENT_PORT_GONE);
	failures = 0;
	assert_int_equal(rig_wait(&cq).status, RN_STATUS_WR_FLUSH_ERR);
	assert_true(atomic_load(&l->gone));
	rn_link_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_that_cannot_be_reset_is_given_up),
		cmocka_unit_test(data_flow_across_resets_under_each_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
