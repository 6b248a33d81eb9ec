/* A shard that gets the packets of a queue pair from another shard, again and again, asks for a
 * rule of the card. Two joined ports stand for the cards, and the functions below for a driver that
 * takes rules: they count, and move no frame. tests/hardware has a driver whose rules work. */
#include "rig.h"

#include <stdatomic.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <rte_ethdev.h>
#include <rte_flow.h>

#define PAIRS 4u
#define DEPTH 16u
#define LEN   64u
#define ALL   (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

static _Atomic unsigned made, taken_back, queues;

int rte_flow_validate(uint16_t id, const struct rte_flow_attr *attr,
		      const struct rte_flow_item item[], const struct rte_flow_action action[],
		      struct rte_flow_error *error)
{
	return 0;
}

struct rte_flow *rte_flow_create(uint16_t id, const struct rte_flow_attr *attr,
				 const struct rte_flow_item item[],
				 const struct rte_flow_action action[],
				 struct rte_flow_error *error)
{
	const struct rte_flow_item_ipv4 *ip = item[1].spec;
	const struct rte_flow_action_queue *queue = action[0].conf;

	/* from one adapter of the pair to the other */
	assert_int_equal(ntohl(ip->hdr.src_addr) + ntohl(ip->hdr.dst_addr),
			 2 * 0xc0000200u + 1 + 2);
	atomic_fetch_or(&queues, 1u << queue->index);
	atomic_fetch_add(&made, 1);
	return (struct rte_flow *)(void *)&made;
}

int rte_flow_destroy(uint16_t id, struct rte_flow *rule, struct rte_flow_error *error)
{
	assert_ptr_equal(rule, &made);
	atomic_fetch_add(&taken_back, 1);
	return 0;
}

/* Waits until a counter has a value, for at most 20 s. */
static unsigned wait_for(_Atomic unsigned *counter, unsigned value)
{
	for (unsigned ms = 0; atomic_load(counter) < value && ms < 20000; ms++)
		usleep(1000);
	return atomic_load(counter);
}

struct ends {
	struct rn_link *l[2];
	struct rig_cq cq[2];
	struct rig_qp qp[2][PAIRS];
	uint32_t pd[2], lkey[2], rkey[2];
};

/* Of each end: what it writes, and behind that what the other end writes. */
static uint8_t data[2][2 * LEN];

static void open_ends(struct ends *e, const char *policy, const char *timers)
{
	char more[160];

	snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };\n%s", policy, timers);
	const char *path = rig_pair(2, 1500, more);
	atomic_store(&made, 0);
	atomic_store(&taken_back, 0);
	atomic_store(&queues, 0);
	for (unsigned i = 0; i < 2; i++) {
		e->l[i] = rig_open(path, i);
		e->pd[i] = rig_pd(e->l[i]);
		e->cq[i] = rig_cq(e->l[i], 2 * PAIRS * DEPTH);
		rig_reg(e->l[i], e->pd[i], data[i], sizeof(data[i]), ALL, &e->lkey[i], &e->rkey[i]);
		for (unsigned k = 0; k < PAIRS; k++)
			e->qp[i][k] = rig_qp(e->l[i], e->pd[i], &e->cq[i], &e->cq[i], DEPTH);
	}
}

static unsigned shard_of(const struct rig_qp *qp)
{
	return qp->link->ops->shard_of(qp->link, qp->qpn);
}

/* Connects queue pair k of the first end with one of the other shard of the second end, so that
 * each packet has to be handed over: what a shard sends arrives at the shard of the same number. */
static void cross(struct ends *e, bool cross)
{
	bool used[PAIRS] = {false};

	for (unsigned k = 0; k < PAIRS; k++)
		for (unsigned j = 0; j < PAIRS; j++)
			if (!used[j] &&
			    (shard_of(&e->qp[0][k]) != shard_of(&e->qp[1][j])) == cross) {
				rig_connect(&e->qp[0][k], &e->qp[1][j], 0);
				used[j] = true;
				break;
			}
}

/* Each queue pair of both ends writes DEPTH messages, `rounds` times. So each receives at least
 * DEPTH packets a round, and at most twice as many with the acknowledgements. */
static void converse(struct ends *e, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned side = 0; side < 2; side++)
			for (unsigned k = 0; k < PAIRS * DEPTH; k++)
				rig_post(&e->qp[side][k % PAIRS], RN_WQE_WRITE, k, data[side], LEN,
					 e->lkey[side], (uintptr_t)data[!side] + LEN,
					 e->rkey[!side]);
		for (unsigned side = 0; side < 2; side++)
			for (unsigned k = 0; k < PAIRS * DEPTH; k++)
				assert_int_equal(rig_wait(&e->cq[side]).status, RN_STATUS_SUCCESS);
	}
}

static void destroy(const struct rig_qp *qp)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {.qpn = qp->qpn, .gen = qp->gen}};

	assert_int_equal(rig_exec(qp->link, &cmd, NULL), 0);
}

static void close_ends(struct ends *e)
{
	rn_link_close(e->l[0]);
	rn_link_close(e->l[1]);
}

static void rules_are_made_and_end(const char *policy)
{
	struct ends e;

	print_message("%s\n", policy);
	/* On a busy machine a shard may not get a CPU for a while. Its peers must not send packets
	 * again meanwhile, because those would count. */
	open_ends(&e, policy, "timers = { rto_floor_us = 1000000; rto_initial_us = 1000000; };");
	cross(&e, true);
	converse(&e, 1); /* a short connection needs no rule */
	usleep(250000);
	assert_int_equal(atomic_load(&made), 0);
	converse(&e, 8);
	/* one rule for each queue pair */
	assert_int_equal(wait_for(&made, 2 * PAIRS), 2 * PAIRS);
	converse(&e, 8);
	usleep(250000);
	assert_int_equal(atomic_load(&made), 2 * PAIRS);
	assert_int_equal(atomic_load(&queues), 3);
	assert_int_equal(rig_stat(e.l[0], "port_flow_rules"), PAIRS);
	/* A command that leaves the state alone leaves the rule alone. */
	struct rn_cmd timer = {.op = RN_CMD_MODIFY_QP,
			       .modify_qp = {.qpn = e.qp[1][0].qpn,
					     .gen = e.qp[1][0].gen,
					     .mask = RN_QP_MIN_RNR_TIMER,
					     .attr.min_rnr_timer = 5}};
	assert_int_equal(rig_exec(e.l[1], &timer, NULL), 0);
	usleep(250000);
	assert_int_equal(atomic_load(&taken_back), 0);
	/* connected anew */
	struct rn_cmd reset = {.op = RN_CMD_MODIFY_QP,
			       .modify_qp = {.qpn = e.qp[1][0].qpn,
					     .gen = e.qp[1][0].gen,
					     .mask = RN_QP_STATE,
					     .attr.state = RN_QPS_RESET}};
	assert_int_equal(rig_exec(e.l[1], &reset, NULL), 0);
	assert_int_equal(wait_for(&taken_back, 1), 1);
	/* destroyed */
	for (unsigned k = 0; k < PAIRS; k++)
		destroy(&e.qp[0][k]);
	assert_int_equal(wait_for(&taken_back, PAIRS + 1), PAIRS + 1);
	assert_int_equal(rig_stat(e.l[0], "port_flow_rules_ended"), PAIRS);
	/* The rest ends with the port. */
	close_ends(&e);
	assert_int_equal(atomic_load(&taken_back), 2 * PAIRS);
	assert_int_equal(atomic_load(&made), 2 * PAIRS);
}

static void rules_are_made_and_end_under_each_policy(void **state)
{
	static const char *const policies[] = {"adaptive", "poll", "inline"};

	for (unsigned i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		rules_are_made_and_end(policies[i]);
}

/* Packets that arrive at the right shard need no rule. */
static void no_rule_without_hand_offs(void **state)
{
	struct ends e;

	open_ends(&e, "adaptive", "");
	cross(&e, false);
	converse(&e, 8);
	usleep(250000);
	assert_int_equal(atomic_load(&made), 0);
	close_ends(&e);
}

/* As in test_reset.c: the headers of DPDK declare neither the function by which a driver asks for a
 * reset nor the array rte_eth_devices, whose first element is DPDK port 0. */
struct rte_eth_dev;
extern char rte_eth_devices[];
int rte_eth_dev_callback_process(struct rte_eth_dev *dev, enum rte_eth_event_type event, void *ret);

static void rules_come_back_after_a_reset(void **state)
{
	struct ends e;

	open_ends(&e, "adaptive", "");
	cross(&e, true);
	converse(&e, 8);
	assert_int_equal(wait_for(&made, 2 * PAIRS), 2 * PAIRS);
	rte_eth_dev_callback_process((struct rte_eth_dev *)(void *)rte_eth_devices,
				     RTE_ETH_EVENT_INTR_RESET, NULL);
	/* those of the port that is reset */
	assert_int_equal(wait_for(&taken_back, PAIRS), PAIRS);
	converse(&e, 16);
	assert_int_equal(wait_for(&made, 3 * PAIRS), 3 * PAIRS);
	assert_int_equal(atomic_load(&taken_back), PAIRS);
	close_ends(&e);
	assert_int_equal(atomic_load(&taken_back), 3 * PAIRS);
}

static void a_removed_port_is_left_alone(void **state)
{
	struct ends e;

	open_ends(&e, "adaptive", "");
	cross(&e, true);
	converse(&e, 8);
	assert_int_equal(wait_for(&made, 2 * PAIRS), 2 * PAIRS);
	assert_int_equal(rn_link_unplug("b"), 0);
	usleep(250000);
	for (unsigned k = 0; k < PAIRS; k++)
		destroy(&e.qp[1][k]);
	usleep(250000);
	assert_int_equal(atomic_load(&taken_back), 0);
	close_ends(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_made_and_end_under_each_policy),
		cmocka_unit_test(no_rule_without_hand_offs),
		cmocka_unit_test(rules_come_back_after_a_reset),
		cmocka_unit_test(a_removed_port_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
