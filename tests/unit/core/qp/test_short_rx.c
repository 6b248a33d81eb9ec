/* Special packets, for example a WRITE without the right: the short way (qp/short_rx.h) leaves such
 * packets to the general way. As in the port, each packet is first given to the short way. */
#include "qp/short_rx.h"

#include "rig.h"
#include "wire/hdr.h"
#include "wire/icrc.h"

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

/* A WRITE without RETH and payload whose pad count is 1: its 62 bytes are in a block of exactly
 * that size, so that a sanitizer detects any read behind the frame. */
static void a_write_without_reth_is_not_read_beyond_its_end(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	for (unsigned opcode = RN_OP_WRITE_FIRST; opcode <= RN_OP_WRITE_ONLY; opcode++) {
		struct rn_pkt pkt = rig_pkt(&r, 1, RN_OP_ACK, 0, NULL, 0);
		uint8_t *frame = malloc(128), *exact = malloc(62);
		uint32_t icrc;
		enum rn_verdict v;

		/* An ACK has 62 bytes. Remove the AETH: shorten both lengths and move the ICRC. */
		assert_int_equal(rn_frame_build(&pkt, frame, 128), 62);
		rn_store16(frame + RN_ETH_BYTES + RN_IPV4_LENGTH, 44);
		rn_store16(frame + 34 + RN_UDP_LENGTH, 24);
		rn_store16(frame + RN_ETH_BYTES + RN_IPV4_CHECKSUM,
			   rn_load16(frame + RN_ETH_BYTES + RN_IPV4_CHECKSUM) + 4);
		frame[42] = (uint8_t)opcode;
		frame[42 + RN_BTH_FLAGS] |= 1 << RN_BTH_PAD_SHIFT;
		icrc = rn_icrc_packet(frame + RN_ETH_BYTES, 40);
		memcpy(frame + 54, &icrc, 4);
		memcpy(exact, frame, 62);
		assert_false(rn_shard_rx_short(r.s[1].sh, exact, 62, &v, r.now));
		assert_int_equal(rn_frame_parse(exact, 62, &pkt), RN_V_BTH_LENGTH);
		free(frame);
		free(exact);
	}
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

/* Makes a rig whose side 1 stays in RTR, and has received its first packet. */
static void receive_only(struct rig *r)
{
	struct rn_qp_attr a = {
		.state = RN_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
		.sq_psn = RIG_PSN_A,
	};
	const struct rn_qp_move_row *row = rn_qp_move(RN_QPT_RC, RN_QPS_RTR, RN_QPS_RTS);

	rig_init(r, &(struct rig_opt){.only_rtr = true});
	assert_int_equal(rig_modify(r, 0, RN_QP_STATE | row->mandatory, &a), 0);
	rig_request(r, 0, RN_WQE_WRITE, 0, 100, 0, 8, 0);
	rig_run(r, RN_S(1));
}

/* The server of ib_write_bw stays in RTR. */
static void a_queue_pair_in_rtr_takes_requests_the_short_way(void **state)
{
	struct rig r;
	uint8_t frame[256];
	struct rn_txbuf buf = {.data = frame, .cap = sizeof(frame)};
	enum rn_verdict v;

	receive_only(&r);
	memset(r.s[0].mem, 0x5A, 64);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 64, 640);
	assert_int_equal(rn_shard_tx(r.s[0].sh, &buf, 1, r.now), 1);
	assert_true(rn_shard_rx_short(r.s[1].sh, frame, buf.len, &v, r.now));
	assert_int_equal(v, RN_V_OK);
	assert_memory_equal(r.s[1].mem + 640, r.s[0].mem, 64);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* No response can belong to a request of a QP in RTR, whatever PSN the response has. */
static void a_queue_pair_in_rtr_refuses_responses(void **state)
{
	const uint8_t responses[] = {RN_OP_ACK, RN_OP_READ_RESP_ONLY, RN_OP_READ_RESP_FIRST,
				     RN_OP_READ_RESP_MIDDLE, RN_OP_READ_RESP_LAST};
	uint8_t data[8] = {0}, frame[128];
	struct rig r;

	receive_only(&r);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(responses); i++)
		for (uint32_t psn = 0xFFFFFC; psn != 4; psn = rn_psn_add(psn, 1)) {
			uint32_t len = responses[i] == RN_OP_ACK ? 0 : sizeof(data);
			struct rn_pkt pkt = rig_pkt(&r, 1, responses[i], 0, data, len);
			enum rn_verdict v;

			pkt.psn = psn;
			len = rn_frame_build(&pkt, frame, sizeof(frame));
			if (!rn_shard_rx_short(r.s[1].sh, frame, len, &v, r.now))
				v = rn_shard_rx(r.s[1].sh, &pkt, r.now);
			assert_int_equal(v, RN_V_QP_STATE);
		}
	rig_expect_none(&r, 1);
	rig_fini(&r);
}

/* Messages of 61 to 64 bytes have the same packet length. Each byte arrives, and none behind. */
static void payloads_around_64_bytes_arrive_whole(void **state)
{
	struct rig r;
	struct rn_cqe c;

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	for (unsigned i = 0; i < 80; i++) {
		uint32_t n = 60 + i % 8, at = 1024 + i * 104 + (i % 4 == 3);
		uint8_t kind = i % 2 ? RN_WQE_SEND : RN_WQE_WRITE;

		for (unsigned k = 0; k < 128; k++)
			r.s[0].mem[k] = (uint8_t)(i + k);
		memset(r.s[1].mem + at - 1, 0xEE, 80);
		if (kind == RN_WQE_SEND)
			rig_recv(&r, 1, i, at, 72);
		rig_request(&r, 0, kind, 0, i, 0, n, at);
		rig_run(&r, RN_S(1));
		assert_memory_equal(r.s[1].mem + at, r.s[0].mem, n);
		assert_int_equal(r.s[1].mem[at - 1], 0xEE);
		assert_int_equal(r.s[1].mem[at + n], 0xEE);
		if (kind == RN_WQE_SEND) {
			assert_true(rig_poll(&r, 1, &c));
			assert_int_equal(c.byte_len, n);
			assert_int_equal(c.wr_id, i);
		}
	}
	rig_fini(&r);
}

/* The ACK of a WRITE does not replace the response to an earlier READ. */
static void ack_behind_a_read_response(uint32_t length)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	memset(r.s[1].mem + 4096, 7, 64);
	for (unsigned i = 0; i < 3; i++)
		rig_request(&r, 0, RN_WQE_WRITE, 0, i, 0, 64, 8192);
	rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 3, 1024, 64, 4096);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 4, 0, length, 8192);
	assert_int_equal(rig_move(&r, 0, 5), 5);
	assert_int_equal(r.s[1].qp->rx.nowed, 3);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 3, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 4, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[0].mem + 1024, r.s[1].mem + 4096, 64);
	rig_fini(&r);
}

static void an_ack_behind_a_read_response_is_owed_too(void **state)
{
	ack_behind_a_read_response(64);
	ack_behind_a_read_response(60);
}

/* More messages than the completion queue has room for are an overrun, which fails the QP. */
static void a_full_completion_queue_overruns(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.cq_entries = 4});
	open_short_way(&r);
	for (unsigned i = 0; i < 8; i++) {
		rig_recv(&r, 1, i, 1024 + i * 64, 64);
		rig_request(&r, 0, RN_WQE_SEND, 0, i, 0, 64, 0);
	}
	rig_run(&r, RN_S(1));
	assert_int_equal(r.s[1].qp->state, RN_QPS_ERR);
	rig_fini(&r);
}

/* The application can write any position of the reader. One far behind means a full ring, also for
 * several requests that one ACK completes. */
static void a_reader_far_behind_is_an_overrun(void **state)
{
	struct rig r;
	struct rn_cq *cq;

	rig_init(&r, &(struct rig_opt){0});
	open_short_way(&r);
	cq = r.s[0].qp->send_cq;
	cq->head_seen = cq->tail - cq->ring->size - 5;
	atomic_store(&cq->ring->head, cq->head_seen);
	for (unsigned i = 0; i < 2; i++)
		rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, i, 0, 64, 0);
	rig_run(&r, RN_S(1));
	assert_true(cq->overrun);
	assert_int_equal(r.s[0].qp->state, RN_QPS_ERR);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_without_the_right_is_refused),
		cmocka_unit_test(a_send_longer_than_the_receive_is_refused),
		cmocka_unit_test(a_packet_longer_than_the_path_mtu_is_refused),
		cmocka_unit_test(a_send_without_a_receive_waits),
		cmocka_unit_test(a_write_without_reth_is_not_read_beyond_its_end),
		cmocka_unit_test(a_draining_queue_pair_takes_requests),
		cmocka_unit_test(a_queue_pair_in_rtr_takes_requests_the_short_way),
		cmocka_unit_test(a_queue_pair_in_rtr_refuses_responses),
		cmocka_unit_test(payloads_around_64_bytes_arrive_whole),
		cmocka_unit_test(an_ack_behind_a_read_response_is_owed_too),
		cmocka_unit_test(a_full_completion_queue_overruns),
		cmocka_unit_test(a_reader_far_behind_is_an_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
