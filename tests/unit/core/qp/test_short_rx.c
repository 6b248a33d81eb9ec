/* Special packets, for example a WRITE without the right: the short way (qp/short_rx.h) leaves such
 * packets to the general way. As in the port, each packet is first given to the short way. */
#include "qp/short_rx.h"

#include "rig.h"

/* Makes each QP receive its first packet. The short way handles only later packets. */
static void open_short_way(struct rig *r)
{
	for (int side = 0; side < 2; side++)
		rig_request(r, side, RN_WQE_WRITE, 0, 100, 0, 8, 0);
	rig_run(r, RN_S(1));
}

static void a_write_without_the_right_is_refused(void **state)
{
	struct rig r;
	struct rn_qp_attr a = {.access = RN_ACCESS_REMOTE_READ};

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	assert_int_equal(rig_modify(&r, 1, RN_QP_ACCESS, &a), 0);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 64, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_REM_INV_REQ_ERR);
	rig_fini(&r);
}

static void a_send_longer_than_the_receive_is_refused(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	rig_recv(&r, 1, 5, 0, 63);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 64, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 1, 5, RN_STATUS_LOC_LEN_ERR);
	rig_expect(&r, 0, 1, RN_STATUS_REM_INV_REQ_ERR);
	rig_fini(&r);
}

/* The packet is longer than the receiver's path MTU, but fits into the receive. */
static void a_packet_longer_than_the_path_mtu_is_refused(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	r.s[1].qp->mtu_shift = 8;
	rig_recv(&r, 1, 5, 0, 1024);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 300, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_REM_INV_REQ_ERR);
	rig_fini(&r);
}

static void a_send_without_a_receive_waits(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 64, 0);
	rig_run(&r, RN_US(10));
	rig_recv(&r, 1, 5, 0, 64);
	rig_wait(&r, RN_MS(1)); /* longer than the RNR timer */
	rig_run(&r, RN_S(1));
	rig_expect(&r, 1, 5, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	assert_true(rn_shard_stats(r.s[1].sh)->tx_rnr_naks > 0);
	rig_fini(&r);
}

/* In the state SQD a QP still takes requests, by the general way. */
static void a_draining_queue_pair_takes_requests(void **state)
{
	struct rig r;
	struct rn_qp_attr a = {.state = RN_QPS_SQD};

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	assert_int_equal(rig_modify(&r, 1, RN_QP_STATE, &a), 0);
	memset(r.s[0].mem, 0x5A, 64);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 64, 640);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[1].mem + 640, r.s[0].mem, 64);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_without_the_right_is_refused),
		cmocka_unit_test(a_send_longer_than_the_receive_is_refused),
		cmocka_unit_test(a_packet_longer_than_the_path_mtu_is_refused),
		cmocka_unit_test(a_send_without_a_receive_waits),
		cmocka_unit_test(a_draining_queue_pair_takes_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
