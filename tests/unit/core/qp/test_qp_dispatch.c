/* Which posted requests and which received packets does a QP accept in each of its states? */
#include "states.h"

/* Which posts and packets each state accepts (docs/spec/rocev2.md 4.11). */
static const struct {
	uint8_t state;
	int recv, send; /* status with which a post completes at once; -1: the post is queued */
	enum rn_verdict request, response;
} takes[] = {
	{RN_QPS_RESET, RN_STATUS_LOC_QP_OP_ERR, RN_STATUS_LOC_QP_OP_ERR, RN_V_QP_STATE,
	 RN_V_QP_STATE},
	{RN_QPS_INIT, -1, RN_STATUS_LOC_QP_OP_ERR, RN_V_QP_STATE, RN_V_QP_STATE},
	{RN_QPS_RTR, -1, RN_STATUS_LOC_QP_OP_ERR, RN_V_OK, RN_V_QP_STATE},
	{RN_QPS_RTS, -1, -1, RN_V_OK, RN_V_RSP_UNSENT},
	{RN_QPS_SQD, -1, -1, RN_V_OK, RN_V_RSP_UNSENT},
	{RN_QPS_ERR, RN_STATUS_WR_FLUSH_ERR, RN_STATUS_WR_FLUSH_ERR, RN_V_QP_STATE, RN_V_QP_STATE},
};

/* rn_shard_take() takes a work request exactly if the state queues it, and has no effect otherwise.
 * rn_shard_take_request() and rn_shard_take_receive() do the same, but only for one SGE. */
static void expect_take(struct rig *r, uint8_t kind, bool taken)
{
	struct rn_wqe w = {.kind = kind, .slots = 1, .qpn = r->s[0].qpn, .qp_gen = r->s[0].gen};
	const struct rn_stats *stats = rn_shard_stats(r->s[0].sh);
	uint64_t posts = stats->posts, dropped = stats->posts_dropped;
	bool (*plain)(struct rn_shard *, const struct rn_wqe *) =
		kind == RN_WQE_RECV ? rn_shard_take_receive : rn_shard_take_request;

	assert_false(plain(r->s[0].sh, &w));
	w.num_sge = 1;
	w.length = w.sge[0].length = 8;
	w.qp_gen++;
	assert_false(plain(r->s[0].sh, &w));
	w.qp_gen--;
	assert_int_equal(plain(r->s[0].sh, &w), taken);
	assert_int_equal(stats->posts, posts + taken);
	posts = stats->posts;
	assert_int_equal(rn_shard_take(r->s[0].sh, &w), taken);
	assert_int_equal(stats->posts, posts + taken);
	assert_int_equal(stats->posts_dropped, dropped);
	rig_expect_none(r, 0);
}

/* Row F21: for each state, which packets are dropped, and whether posted requests and receives are
 * queued, flushed or refused. */
static void test_takes(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(takes); i++) {
		struct rig r;
		struct rn_pkt p;

		rig_init(&r, &(struct rig_opt){.unconnected = true});
		put_in(&r, takes[i].state);
		p = rig_pkt(&r, 0, RN_OP_WRITE_ONLY, 0, NULL, 0);
		assert_int_equal(rig_rx(&r, 0, &p), takes[i].request);
		p = rig_pkt(&r, 0, RN_OP_ACK, 0, NULL, 0);
		assert_int_equal(rig_rx(&r, 0, &p), takes[i].response);
		while (rig_take(&r, 0, &p))
			;
		expect_take(&r, RN_WQE_RECV, takes[i].recv < 0);
		expect_take(&r, RN_WQE_SEND, takes[i].send < 0);
		rig_recv(&r, 0, 1, 0, 8);
		if (takes[i].recv >= 0)
			rig_expect(&r, 0, 1, takes[i].recv);
		rig_request(&r, 0, RN_WQE_SEND, 0, 2, 0, 8, 0);
		if (takes[i].send >= 0)
			rig_expect(&r, 0, 2, takes[i].send);
		rig_expect_none(&r, 0);
		if (takes[i].state == RN_QPS_SQD)
			rig_expect_silence(&r, 0);
		rig_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
