/* The ring of log records (struct rn_news). A QP that fails makes one record with the reason.
 * Records that do not fit into the ring are counted. */
#include "rig.h"

/* Records are read in the order in which they were made. When records did not fit into the ring,
 * one extra record says how many. */
static void news_come_in_order_and_the_rest_is_counted(void **state)
{
	struct rn_news_ring ring = {0};
	struct rn_news n;

	assert_false(rn_news_take(&ring, &n));
	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < RN_NEWS_RING + 5; i++)
			rn_news_put(&ring, &(struct rn_news){.kind = RN_NEWS_QP_ERROR, .qpn = i});
		for (uint32_t i = 0; i < RN_NEWS_RING; i++) {
			assert_true(rn_news_take(&ring, &n));
			assert_int_equal(n.kind, RN_NEWS_QP_ERROR);
			assert_int_equal(n.qpn, i);
		}
		assert_true(rn_news_take(&ring, &n));
		assert_int_equal(n.kind, RN_NEWS_LOST);
		assert_int_equal(n.lost, 5);
		assert_false(rn_news_take(&ring, &n));
	}
}

static void expect_error(struct rig *r, int side, const char *why)
{
	struct rn_news n;

	assert_true(rn_shard_news(r->s[side].sh, &n));
	assert_int_equal(n.kind, RN_NEWS_QP_ERROR);
	assert_int_equal(n.qpn, r->s[side].qpn);
	assert_memory_equal(&n.local, &r->s[side].port.gids[0], sizeof(n.local));
	assert_memory_equal(&n.peer, &r->s[1 - side].port.gids[0], sizeof(n.peer));
	assert_string_equal(n.why, why);
	assert_false(rn_shard_news(r->s[side].sh, &n));
}

/* The responder's record names the fault in the requester's packet; the requester's record names
 * the NAK. */
static void both_sides_say_why_a_write_was_refused(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	r.s[1].key ^= 0x100; /* the requester uses a wrong rkey */
	rig_request(&r, 0, RN_WQE_WRITE, 0, 1, 0, 8, 0);
	rig_run(&r, RN_S(10));
	rig_expect(&r, 0, 1, RN_STATUS_REM_ACCESS_ERR);
	expect_error(&r, 1, rn_verdicts[RN_V_REQ_RKEY].text);
	expect_error(&r, 0, "remote access error");
	r.s[1].key ^= 0x100;
	rig_fini(&r);
}

static bool lose_all(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt)
{
	return true;
}

/* A QP whose peer does not answer records that its transport retries are exceeded. */
static void retries_exceeded_are_logged(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	r.lose = lose_all;
	rig_request(&r, 0, RN_WQE_SEND, 0, 1, 0, 8, 0);
	rig_run(&r, RN_S(100));
	rig_expect(&r, 0, 1, RN_STATUS_RETRY_EXC_ERR);
	expect_error(&r, 0, "transport retry counter exceeded");
	rig_fini(&r);
}

/* A QP that the application itself moves to the error state makes no log record. */
static void error_state_set_by_client_is_not_logged(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_ERR};
	struct rn_news n;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
	assert_false(rn_shard_news(r.s[0].sh, &n));
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(news_come_in_order_and_the_rest_is_counted),
		cmocka_unit_test(both_sides_say_why_a_write_was_refused),
		cmocka_unit_test(retries_exceeded_are_logged),
		cmocka_unit_test(error_state_set_by_client_is_not_logged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
