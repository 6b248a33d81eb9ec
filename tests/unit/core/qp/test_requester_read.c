/* READs at the requester: lost, refused and reordered responses, the fence, and max_rd_atomic (the
 * limit of READs in flight). The rows Q are in docs/spec/rocev2.md. */
#include "asker.h"

/* Rows Q23, Q24, Q25, Q28, Q45: after a lost READ response the READ is requested again from the
 * lost PSN on. The new responses may begin with First or Middle and end with Last or Only. */
static void test_read_hole(void **state)
{
	for (int style = 0; style < 2; style++) {
		struct rig r;

		start(&r);
		for (unsigned i = 0; i < 13; i++)
			post_send(&r, i, 0);
		drain(&r);
		ack(&r, S + 12);
		for (unsigned i = 0; i < 13; i++)
			rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
		for (unsigned i = 0; i < sizeof(junk); i++)
			junk[i] = (uint8_t)(i * 3 + 1);
		post_read(&r, 50, 5000); /* uses PSNs 0xFFFFFD to 1 */
		expect_read(&r, S + 13, 0, 5000);
		assert_int_equal(reply(&r, RN_OP_READ_RESP_FIRST, S + 13, 0x1F, junk, 1024),
				 RN_V_OK);
		assert_int_equal(reply(&r, RN_OP_READ_RESP_MIDDLE, S + 15, 0, junk + 2048, 1024),
				 RN_V_RSP_IMPLIED_NAK);
		assert_int_equal(reply(&r, RN_OP_READ_RESP_MIDDLE, S + 16, 0, junk + 3072, 1024),
				 RN_V_RSP_IMPLIED_NAK);
		assert_int_equal(reply(&r, RN_OP_READ_RESP_LAST, S + 17, 0x1F, junk + 4096, 904),
				 RN_V_RSP_IMPLIED_NAK);
		expect_read(&r, S + 14, 1024, 3976);
		/* Each of the three responses is an implied NAK. All the same the READ is requested
		 * again only once. */
		rig_expect_silence(&r, 0);
		assert_int_equal(reply(&r, RN_OP_READ_RESP_FIRST, S + 13, 0x1F, r.s[0].mem, 1024),
				 RN_V_RSP_STALE);
		assert_int_equal(reply(&r, style ? RN_OP_READ_RESP_MIDDLE : RN_OP_READ_RESP_FIRST,
				       S + 14, 0x1F, junk + 1024, 1024),
				 RN_V_OK);
		assert_int_equal(reply(&r, RN_OP_READ_RESP_MIDDLE, S + 15, 0, junk + 2048, 1024),
				 RN_V_OK);
		assert_int_equal(reply(&r, RN_OP_READ_RESP_MIDDLE, S + 16, 0, junk + 3072, 1024),
				 RN_V_OK);
		rig_expect_none(&r, 0);
		assert_int_equal(reply(&r, style ? RN_OP_READ_RESP_ONLY : RN_OP_READ_RESP_LAST,
				       S + 17, 0x1F, junk + 4096, 904),
				 RN_V_OK);
		rig_expect(&r, 0, 50, RN_STATUS_SUCCESS);
		assert_memory_equal(r.s[0].mem + 0x8000, junk, 5000);
		assert_int_equal(r.s[0].mem[0x8000 + 5000], 0);
		rig_fini(&r);
	}
}

/* Rows Q26, Q27, Q33: a plain ACK never completes a READ. A READ response acknowledges all requests
 * before the READ. */
static void test_read_and_acks(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 8);
	post_read(&r, 2, 2048);
	post_send(&r, 3, 8);
	drain(&r);
	/* a plain ACK with the READ's last PSN completes the requests before the READ, not the READ
	 * itself */
	assert_int_equal(ack(&r, S + 2), RN_V_RSP_IMPLIED_NAK);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect_none(&r, 0);
	expect_read(&r, S + 1, 0, 2048);
	expect_packet(&r, RN_OP_SEND_ONLY, S + 3, 8, true);
	assert_int_equal(response(&r, RN_OP_READ_RESP_FIRST, S + 1, 1024), RN_V_OK);
	assert_int_equal(ack(&r, S + 3), RN_V_RSP_IMPLIED_NAK);
	rig_expect_none(&r, 0);
	expect_read(&r, S + 2, 1024, 1024);
	expect_packet(&r, RN_OP_SEND_ONLY, S + 3, 8, true);
	assert_int_equal(response(&r, RN_OP_READ_RESP_ONLY, S + 2, 1024), RN_V_OK);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	assert_int_equal(ack(&r, S + 3), RN_V_OK);
	rig_expect(&r, 0, 3, RN_STATUS_SUCCESS);
	/* A READ response also acknowledges the SEND before the READ. The SEND completes first. */
	post_send(&r, 4, 8);
	post_read(&r, 5, 8);
	drain(&r);
	assert_int_equal(response(&r, RN_OP_READ_RESP_ONLY, S + 5, 8), RN_V_OK);
	rig_expect(&r, 0, 4, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 5, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

static void test_second_read_first(void **state)
{
	struct rig r;

	start(&r);
	post_read(&r, 1, 8);
	post_read(&r, 2, 8);
	drain(&r);
	assert_int_equal(response(&r, RN_OP_READ_RESP_ONLY, S + 1, 8), RN_V_RSP_IMPLIED_NAK);
	expect_read(&r, S, 0, 8);
	expect_read(&r, S + 1, 0, 8);
	rig_expect_silence(&r, 0);
	assert_int_equal(response(&r, RN_OP_READ_RESP_ONLY, S, 8), RN_V_OK);
	assert_int_equal(response(&r, RN_OP_READ_RESP_ONLY, S + 1, 8), RN_V_OK);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* Row Q29: a READ response of a wrong length or opcode fails the READ. No data is written. */
static void test_bad_responses(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t delta, len;
		uint8_t syndrome;
	} rows[] = {
		{RN_OP_READ_RESP_FIRST, 1, 1023, 0x1F}, {RN_OP_READ_RESP_FIRST, 1, 1028, 0x1F},
		{RN_OP_READ_RESP_ONLY, 1, 1024, 0x1F},	{RN_OP_READ_RESP_FIRST, 1, 1024, 0x62},
		{RN_OP_READ_RESP_ONLY, 0, 8, 0x1F},	{RN_OP_READ_RESP_ONLY, 3, 8, 0x1F},
		{RN_OP_ATOMIC_ACK, 1, 0, 0x1F},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rig r;
		struct rn_cqe c;

		start(&r);
		post_send(&r, 1, 8);
		post_read(&r, 2, 2000);
		post_send(&r, 3, 8);
		drain(&r);
		assert_int_equal(reply(&r, rows[i].opcode, S + rows[i].delta, rows[i].syndrome,
				       junk, rows[i].len),
				 RN_V_RSP_BAD);
		assert_true(rig_poll(&r, 0, &c));
		if (c.status == RN_STATUS_SUCCESS)
			assert_true(rig_poll(&r, 0, &c));
		assert_int_equal(c.status, RN_STATUS_BAD_RESP_ERR);
		assert_int_equal(c.vendor_err, RN_V_RSP_BAD);
		while (rig_poll(&r, 0, &c))
			assert_int_equal(c.status, RN_STATUS_WR_FLUSH_ERR);
		expect_dead(&r);
		for (unsigned k = 0; k < 2048; k++)
			assert_int_equal(r.s[0].mem[0x8000 + k], 0);
		rig_fini(&r);
	}
}

/* Row Q32: a fatal NAK after two responses of a READ fails the READ. */
static void test_fatal_nak_inside_read(void **state)
{
	static const struct {
		uint8_t syndrome, status, verdict;
	} naks[] = {{0x61, RN_STATUS_REM_INV_REQ_ERR, RN_V_RSP_NAK_INV},
		    {0x62, RN_STATUS_REM_ACCESS_ERR, RN_V_RSP_NAK_ACC},
		    {0x63, RN_STATUS_REM_OP_ERR, RN_V_RSP_NAK_OP}};

	/* The PSN of the NAK is S + 1 + at. `at` selects one of these PSNs:
	 * - 0: the READ request
	 * - 1: the last response received
	 * - 2: the next response
	 * - 3, 4: a later response; the responses before that one are missing */
	for (unsigned i = 0; i < 5 * RN_ARRAY_SIZE(naks); i++) {
		unsigned at = i % 5, k = i / 5;
		struct rig r;

		start(&r);
		post_send(&r, 1, 8);
		post_read(&r, 2, 5000);
		post_send(&r, 3, 8);
		drain(&r);
		response(&r, RN_OP_READ_RESP_FIRST, S + 1, 1024);
		response(&r, RN_OP_READ_RESP_MIDDLE, S + 2, 1024);
		assert_int_equal(nak(&r, S + 1 + at, naks[k].syndrome), naks[k].verdict);
		rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
		rig_expect(&r, 0, 2, naks[k].status);
		rig_expect(&r, 0, 3, RN_STATUS_WR_FLUSH_ERR);
		expect_dead(&r);
		rig_fini(&r);
	}
}

/* The first reply to arrive is a fatal NAK for a READ. Earlier READ responses are missing, as is
 * the ACK of the SEND before the READ. The READ fails and the SEND succeeds. */
static void test_fatal_nak_without_responses(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 8);
	post_read(&r, 2, 5000);
	drain(&r);
	assert_int_equal(nak(&r, S + 3, 0x62), RN_V_RSP_NAK_ACC);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_REM_ACCESS_ERR);
	expect_dead(&r);
	rig_fini(&r);
}

/* Rows Q34, Q35, Q36: a fenced SEND waits for the READ before it. With max_rd_atomic 1 a second
 * READ waits for the first READ. */
static void test_fence_and_depth(void **state)
{
	struct rig r;

	start(&r);
	post_read(&r, 1, 8);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_FENCE, 2, 0, 8, 0);
	expect_read(&r, S, 0, 8);
	rig_expect_silence(&r, 0);
	response(&r, RN_OP_READ_RESP_ONLY, S, 8);
	expect_packet(&r, RN_OP_SEND_ONLY, S + 1, 8, true);
	ack(&r, S + 1);
	rig_fini(&r);

	rig_init(&r, &(struct rig_opt){.reads = 1});
	post_read(&r, 1, 8);
	post_send(&r, 2, 8);
	post_read(&r, 3, 8);
	post_send(&r, 4, 8);
	expect_read(&r, S, 0, 8);
	expect_packet(&r, RN_OP_SEND_ONLY, S + 1, 8, true);
	rig_expect_silence(&r, 0);
	response(&r, RN_OP_READ_RESP_ONLY, S, 8);
	expect_read(&r, S + 2, 0, 8);
	expect_packet(&r, RN_OP_SEND_ONLY, S + 3, 8, true);
	rig_fini(&r);
}

/* Row Q40: the requester stops when 2^23 PSNs are outstanding. */
static void test_psn_space(void **state)
{
	struct rn_mr_attr mr = {
		.iova = 0x1000000000, .length = 1u << 31, .pd = 1, .access = RN_ACCESS_LOCAL_WRITE};
	struct rn_wqe w = {.kind = RN_WQE_READ, .slots = 1, .num_sge = 1, .length = 1u << 31};
	struct rig r;
	struct rn_pkt p;
	uint32_t key;

	rig_init(&r, &(struct rig_opt){.mtu = 1});
	assert_int_equal(rn_mr_add(r.s[0].mrs, &mr, &key, &key), 0);
	w.sge[0] = (struct rn_sge){0x1000000000, 1u << 31, key};
	rig_post(&r, 0, &w);
	rig_request(&r, 0, RN_WQE_READ, 0, 2, 0, 8, 0);
	/* The send window has room for 256 responses. Four READ requests, each for 64 responses of
	 * 256 bytes, fill the window. */
	for (unsigned i = 0; i < 4; i++) {
		assert_true(rig_take(&r, 0, &p));
		assert_int_equal(p.dma_len, 64 << 8);
	}
	rig_expect_silence(&r, 0); /* the first READ uses 2^23 PSNs: the second may not start */
	assert_int_equal(ack(&r, S - 1), RN_V_RSP_STALE);
	rig_fini(&r);
}

static void test_read_target_gone(void **state)
{
	struct rig r;

	start(&r);
	post_read(&r, 1, 8);
	drain(&r);
	assert_int_equal(rn_mr_remove(r.s[0].mrs, r.s[0].key), 0);
	assert_int_equal(response(&r, RN_OP_READ_RESP_ONLY, S, 8), RN_V_RSP_LOCAL);
	rig_expect(&r, 0, 1, RN_STATUS_LOC_PROT_ERR);
	expect_dead(&r);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_hole),
		cmocka_unit_test(test_read_and_acks),
		cmocka_unit_test(test_second_read_first),
		cmocka_unit_test(test_bad_responses),
		cmocka_unit_test(test_fatal_nak_inside_read),
		cmocka_unit_test(test_fatal_nak_without_responses),
		cmocka_unit_test(test_fence_and_depth),
		cmocka_unit_test(test_psn_space),
		cmocka_unit_test(test_read_target_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
