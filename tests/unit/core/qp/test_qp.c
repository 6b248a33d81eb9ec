/* A QP in the error state: the order in which its work requests are flushed. Also overruns of
 * completion queues. */
#include "rig.h"

/* In the error state all requests are flushed in order, then all receives. */
static void test_flush_order(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_ERR};
	struct rig r;
	struct rn_event ev;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned i = 0; i < 3; i++) {
		rig_recv(&r, 0, 10 + i, 0, 8);
		rig_request(&r, 0, RN_WQE_SEND, 0, i, 0, 8, 0);
	}
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
	for (unsigned i = 0; i < 6; i++)
		rig_expect(&r, 0, i < 3 ? i : 7 + i, RN_STATUS_WR_FLUSH_ERR);
	rig_expect_none(&r, 0);
	rig_expect_silence(&r, 0);
	/* the application itself set the error state: no event */
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 0);
	rig_fini(&r);
}

/* An overrun CQ moves its QPs to the error state; the CQ and the QP each report an event. */
static void test_cq_overrun(void **state)
{
	struct rig r;
	struct rn_event ev;
	unsigned seen = 0;

	rig_init(&r, &(struct rig_opt){.cq_entries = 2});
	for (unsigned i = 0; i < 4; i++)
		rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, i, 0, 8, 0);
	rig_run(&r, RN_S(1));
	assert_int_equal(r.s[0].qp->state, RN_QPS_ERR);
	assert_true(atomic_load(&r.s[0].cq_shared.overrun));
	while (rn_shard_events(r.s[0].sh, &ev, 1)) {
		seen |= 1u << ev.kind;
		if (ev.kind == RN_EVENT_CQ_OVERRUN) {
			assert_int_equal(ev.id, 3);
			assert_int_equal(ev.user, 99);
		}
	}
	assert_int_equal(seen, 1u << RN_EVENT_CQ_OVERRUN | 1u << RN_EVENT_QP_FATAL);
	rig_fini(&r);
}

/* The CQ has no room for the completion that would show the error, so QP_FATAL must show it. */
static void test_error_with_a_full_cq(void **state)
{
	struct rig r;
	struct rn_event ev;
	bool fatal = false;

	rig_init(&r, &(struct rig_opt){.cq_entries = 2});
	for (unsigned i = 0; i < 2; i++)
		rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, i, 0, 8, 0);
	rig_run(&r, RN_S(1));
	assert_int_equal(rn_mr_remove(r.s[0].mrs, r.s[0].key), 0);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 2, 0, 8, 0);
	rig_run(&r, RN_S(1));
	assert_int_equal(r.s[0].qp->state, RN_QPS_ERR);
	while (rn_shard_events(r.s[0].sh, &ev, 1))
		if (ev.kind == RN_EVENT_QP_FATAL) {
			fatal = true;
			assert_int_equal(ev.reason, 0);
		}
	assert_true(fatal);
	rig_fini(&r);
}

/* A CQ has a ring per shard; an overrun of one ring moves the QPs of all shards to the error
 * state. */
static void test_cq_overrun_on_another_shard(void **state)
{
	struct rig r;
	struct rn_event ev;
	unsigned seen = 0;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 8, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	atomic_store(&r.s[0].cq_shared.overrun, 1);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 2, 0, 8, 0);
	rig_run(&r, RN_S(1));
	/* request 2 completes before its shard sees the overrun */
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	rn_shard_done(r.s[0].sh, r.now);
	assert_int_equal(r.s[0].qp->state, RN_QPS_ERR);
	while (rn_shard_events(r.s[0].sh, &ev, 1)) {
		seen |= 1u << ev.kind;
		assert_int_equal(ev.reason, 0); /* no completion shows the overrun */
	}
	assert_int_equal(seen, 1u << RN_EVENT_CQ_OVERRUN | 1u << RN_EVENT_QP_FATAL);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flush_order),
		cmocka_unit_test(test_cq_overrun),
		cmocka_unit_test(test_error_with_a_full_cq),
		cmocka_unit_test(test_cq_overrun_on_another_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
