/* Missing responses to READs and atomics: those that arrive ahead of one are kept, and the missing
 * ones are requested alone. The PSNs of the READs here cross the wrap. */
#include "asker.h"
#include "qp/read_gap.h"

#define PACKETS 20u

static const struct rig_opt keeps = {.keep = {64, 64}};

/* ---- between two sides ---- */

/* Loses the frames of lose_side whose numbers are the set bits of lose_number. */
static bool lose_set(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt)
{
	return from == r->lose_side && number < 32 && r->lose_number >> number & 1;
}

static void lose(struct rig *r, int side, uint32_t set)
{
	r->lose = lose_set;
	r->lose_side = side;
	r->lose_number = set << r->s[side].frames;
}

static void fill_peer(struct rig *r)
{
	for (unsigned i = 0; i < PACKETS * MTU; i++)
		r->s[1].mem[0x100 + i] = (uint8_t)(i * 7 + (i >> 10) + 1);
}

/* Adds 3 to the peer's 8 bytes at 0x10000. */
static void post_add(struct rig *r, uint64_t id, uint32_t off)
{
	union {
		struct rn_wqe w;
		uint8_t bytes[RN_ATOMIC_SLOTS * RN_SLOT_BYTES];
	} u = {.w = {.kind = RN_WQE_FETCH_ADD,
		     .slots = RN_ATOMIC_SLOTS,
		     .flags = RN_WQE_SIGNALED,
		     .num_sge = 1,
		     .length = 8,
		     .wr_id = id,
		     .rkey = r->s[1].key,
		     .remote_va = (uintptr_t)r->s[1].mem + 0x10000}};

	u.w.sge[0] = (struct rn_sge){(uintptr_t)r->s[0].mem + off, 8, r->s[0].key};
	*rn_wqe_atomic(&u.w) = (struct rn_atomic){.swap_add = 3};
	rig_post(r, 0, &u.w);
}

static void expect_nothing_kept(const struct rig *r)
{
	const struct rn_qp *qp = r->s[0].qp;

	assert_int_equal(qp->gap.kept.n, 0);
	assert_int_equal(qp->lane->keep.used, 0);
	assert_false(qp->gap.any_acked);
	assert_false(qp->win.reading);
	assert_int_equal(qp->win.nreads, 0);
}

/* A READ of 20 packets, of whose responses side 1 loses the frames of `lost`: each gap costs one
 * request, and each lost response is sent once more. */
static void only_missing_responses_are_requested(void **state)
{
	static const struct {
		uint32_t lost;
		unsigned gaps, again; /* requests, and responses sent once more */
	} rows[] = {
		{1u << 0, 1, 1},
		{1u << 9, 1, 1},
		{1u << 18, 1, 1},
		{1u << 19, 1, 1},
		{1u << 3 | 1u << 4 | 1u << 5, 1, 3},
		{1u << 3 | 1u << 9, 2, 2},
		{1u << 0 | 1u << 9 | 1u << 11 | 1u << 19, 4, 4},
		{1u << 18 | 1u << 19, 1, 2},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		const struct rn_stats *st, *peer;
		struct rig r;

		rig_init(&r, &keeps);
		st = rn_shard_stats(r.s[0].sh);
		peer = rn_shard_stats(r.s[1].sh);
		fill_peer(&r);
		post_read(&r, 9, 8); /* measures the round trip, so that a probe is early */
		rig_run(&r, RN_S(1));
		rig_expect(&r, 0, 9, RN_STATUS_SUCCESS);
		lose(&r, 1, rows[i].lost);
		post_read(&r, 1, PACKETS * MTU);
		rig_run(&r, RN_S(1));
		rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
		assert_memory_equal(r.s[0].mem + 0x8000, r.s[1].mem + 0x100, PACKETS * MTU);
		assert_int_equal(st->tx_retransmitted, rows[i].gaps);
		assert_int_equal(peer->tx_read_responses, 1 + PACKETS + rows[i].again);
		assert_int_equal(st->timeouts, 0);
		expect_nothing_kept(&r);
		rig_fini(&r);
	}
}

/* READs of one packet each, with atomics and a WRITE between them. */
static void other_requests_stay_in_flight(void **state)
{
	for (unsigned lost = 0; lost < 5; lost++) {
		const struct rn_stats *st;
		struct rig r;
		uint64_t sum;

		rig_init(&r, &keeps);
		st = rn_shard_stats(r.s[0].sh);
		fill_peer(&r);
		lose(&r, 1, 1u << lost);
		rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 1, 0x8000, 64, 0x100);
		post_add(&r, 2, 0x9000);
		rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 3, 0x100, 64, 0x12000);
		post_add(&r, 4, 0x9008);
		rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 5, 0x8040, 64, 0x140);
		memcpy(&sum, r.s[1].mem + 0x10000, sizeof(sum));
		rig_run(&r, RN_S(1));
		for (unsigned i = 1; i <= 5; i++)
			rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
		assert_memory_equal(r.s[0].mem + 0x8000, r.s[1].mem + 0x100, 128);
		assert_memory_equal(r.s[0].mem + 0x9000, &sum, sizeof(sum));
		sum += 3;
		assert_memory_equal(r.s[0].mem + 0x9008, &sum, sizeof(sum));
		sum += 3; /* each atomic is executed once */
		assert_memory_equal(r.s[1].mem + 0x10000, &sum, sizeof(sum));
		assert_in_range(st->tx_retransmitted, 0, 1);
		expect_nothing_kept(&r);
		rig_fini(&r);
	}
}

/* The request itself is lost: the peer has executed nothing behind it, so all are sent again. */
static void a_lost_request_is_sent_again(void **state)
{
	for (unsigned lost = 0; lost < 3; lost++) {
		struct rig r;

		rig_init(&r, &keeps);
		fill_peer(&r);
		lose(&r, 0, 1u << lost);
		for (unsigned i = 0; i < 3; i++)
			rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, i, 0x8000 + i * 4096, 4096,
				    0x100 + i * 4096);
		rig_run(&r, RN_S(1));
		for (unsigned i = 0; i < 3; i++)
			rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
		assert_memory_equal(r.s[0].mem + 0x8000, r.s[1].mem + 0x100, 3 * 4096);
		expect_nothing_kept(&r);
		rig_fini(&r);
	}
}

/* With too few slots the rest is requested once more, and with none all packets are. */
static void a_full_pool_costs_more_and_loses_nothing(void **state)
{
	for (uint32_t slots = 0; slots < 6; slots++) {
		struct rig r;

		rig_init(&r, &(struct rig_opt){.keep = {slots, 64}});
		fill_peer(&r);
		lose(&r, 1, 1u << 2 | 1u << 8);
		post_read(&r, 1, PACKETS * MTU);
		rig_run(&r, RN_S(1));
		rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
		assert_memory_equal(r.s[0].mem + 0x8000, r.s[1].mem + 0x100, PACKETS * MTU);
		expect_nothing_kept(&r);
		rig_fini(&r);
	}
}

/* ---- a requester whose peer is the test ---- */

/* Starts a READ of five packets, 5000 bytes, at S + 13. Its fourth PSN is 1. */
static void start_read(struct rig *r)
{
	rig_init(r, &keeps);
	for (unsigned i = 0; i < 13; i++)
		post_send(r, i, 0);
	drain(r);
	ack(r, S + 12);
	for (unsigned i = 0; i < 13; i++)
		rig_expect(r, 0, i, RN_STATUS_SUCCESS);
	for (unsigned i = 0; i < sizeof(junk); i++)
		junk[i] = (uint8_t)(i * 3 + 1);
	post_read(r, 50, 5000);
	expect_read(r, S + 13, 0, 5000);
}

static enum rn_verdict part(struct rig *r, uint8_t opcode, unsigned i)
{
	return reply(r, opcode, S + 13 + i, 0x1F, junk + i * MTU, i == 4 ? 904 : MTU);
}

static void expect_data(struct rig *r)
{
	rig_expect(r, 0, 50, RN_STATUS_SUCCESS);
	assert_memory_equal(r->s[0].mem + 0x8000, junk, 5000);
	assert_int_equal(r->s[0].mem[0x8000 + 5000], 0);
	expect_nothing_kept(r);
}

/* Nothing is placed or completed before its turn. A response that is kept comes again, and one that
 * was missing comes late: neither does harm. The answer may be a Last or Only in the middle. */
static void kept_responses_wait_for_their_turn(void **state)
{
	static const uint8_t styles[] = {RN_OP_READ_RESP_ONLY, RN_OP_READ_RESP_LAST,
					 RN_OP_READ_RESP_MIDDLE};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(styles); i++) {
		struct rig r;

		start_read(&r);
		assert_int_equal(part(&r, RN_OP_READ_RESP_FIRST, 0), RN_V_OK);
		assert_int_equal(part(&r, RN_OP_READ_RESP_MIDDLE, 2), RN_V_RSP_IMPLIED_NAK);
		expect_read(&r, S + 14, MTU, MTU);
		assert_int_equal(part(&r, RN_OP_READ_RESP_MIDDLE, 3), RN_V_RSP_IMPLIED_NAK);
		assert_int_equal(part(&r, RN_OP_READ_RESP_LAST, 4), RN_V_RSP_IMPLIED_NAK);
		assert_int_equal(part(&r, RN_OP_READ_RESP_MIDDLE, 3), RN_V_RSP_IMPLIED_NAK);
		assert_int_equal(r.s[0].qp->gap.kept.n, 3);
		rig_expect_silence(&r, 0);
		rig_expect_none(&r, 0);
		for (unsigned k = MTU; k < 5000; k++)
			assert_int_equal(r.s[0].mem[0x8000 + k], 0);
		assert_int_equal(part(&r, styles[i], 1), RN_V_OK);
		expect_data(&r);
		memset(r.s[0].mem + 0x8000, 0, 5000);
		assert_int_equal(part(&r, RN_OP_READ_RESP_MIDDLE, 1), RN_V_RSP_STALE);
		assert_int_equal(r.s[0].mem[0x8000 + MTU], 0);
		rig_expect_silence(&r, 0);
		rig_fini(&r);
	}
}

/* A response that was kept is checked like any other when its turn comes. */
static void a_bad_kept_response_fails_the_read(void **state)
{
	struct rig r;

	start_read(&r);
	assert_int_equal(part(&r, RN_OP_READ_RESP_FIRST, 0), RN_V_OK);
	assert_int_equal(reply(&r, RN_OP_READ_RESP_MIDDLE, S + 15, 0, junk, 1020),
			 RN_V_RSP_IMPLIED_NAK);
	assert_int_equal(part(&r, RN_OP_READ_RESP_MIDDLE, 3), RN_V_RSP_IMPLIED_NAK);
	drain(&r);
	part(&r, RN_OP_READ_RESP_ONLY, 1);
	rig_expect(&r, 0, 50, RN_STATUS_BAD_RESP_ERR);
	expect_dead(&r);
	assert_int_equal(r.s[0].qp->lane->keep.used, 0);
	rig_fini(&r);
}

static void an_error_drops_kept_responses(void **state)
{
	struct rig r;

	start_read(&r);
	part(&r, RN_OP_READ_RESP_MIDDLE, 2);
	part(&r, RN_OP_READ_RESP_MIDDLE, 3);
	assert_int_equal(r.s[0].qp->gap.kept.n, 2);
	rn_qp_error(r.s[0].qp, 0, false, r.now);
	assert_int_equal(r.s[0].qp->lane->keep.used, 0);
	rig_fini(&r);
	start_read(&r);
	part(&r, RN_OP_READ_RESP_MIDDLE, 2);
	assert_int_equal(r.s[0].qp->gap.kept.n, 1);
	rig_fini(&r); /* fails if a destroyed QP leaves kept packets in the pool */
}

/* The ACK of a SEND behind the READ arrives while a response is missing, and comes only once. */
static void an_ack_is_remembered(void **state)
{
	struct rig r;

	start_read(&r);
	post_send(&r, 51, 8);
	post_send(&r, 52, 8);
	drain(&r);
	part(&r, RN_OP_READ_RESP_FIRST, 0);
	part(&r, RN_OP_READ_RESP_MIDDLE, 1);
	part(&r, RN_OP_READ_RESP_MIDDLE, 2);
	part(&r, RN_OP_READ_RESP_MIDDLE, 3);
	assert_int_equal(ack(&r, S + 19), RN_V_RSP_IMPLIED_NAK);
	expect_read(&r, S + 17, 4 * MTU, 904);
	assert_int_equal(ack(&r, S + 18), RN_V_RSP_IMPLIED_NAK); /* an older one */
	rig_expect_silence(&r, 0);
	assert_int_equal(part(&r, RN_OP_READ_RESP_ONLY, 4), RN_V_OK);
	rig_expect(&r, 0, 50, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 51, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 52, RN_STATUS_SUCCESS);
	expect_nothing_kept(&r);
	rig_fini(&r);
}

/* A response beyond the request for the missing ones shows that its answer was lost: it was sent
 * later. A peer that answers no part gets requests up to the end of the READ instead, and after two
 * parts no more of them. */
static void a_peer_that_answers_no_part(void **state)
{
	struct rig r;

	start_read(&r);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t first = S + 13 + i * 6;

		if (i)
			expect_read(&r, first, 0, 5000);
		reply(&r, RN_OP_READ_RESP_FIRST, first, 0x1F, junk, MTU);
		reply(&r, RN_OP_READ_RESP_MIDDLE, first + 2, 0x1F, junk + 2 * MTU, MTU);
		expect_read(&r, first + 1, MTU, i < 2 ? MTU : 5000 - MTU);
		post_read(&r, 60 + i, 8);
		expect_read(&r, first + 5, 0, 8);
		reply(&r, RN_OP_READ_RESP_ONLY, first + 5, 0x1F, junk, 8);
		expect_read(&r, first + 1, MTU, 5000 - MTU);
		rig_expect_silence(&r, 0);
		for (unsigned k = 1; k < 5; k++)
			reply(&r, k == 4 ? RN_OP_READ_RESP_LAST : RN_OP_READ_RESP_MIDDLE, first + k,
			      0x1F, junk + k * MTU, k == 4 ? 904 : MTU);
		if (!i)
			rig_expect(&r, 0, 50, RN_STATUS_SUCCESS);
		else
			rig_expect(&r, 0, 70 + i, RN_STATUS_SUCCESS);
		rig_expect(&r, 0, 60 + i, RN_STATUS_SUCCESS);
		assert_memory_equal(r.s[0].mem + 0x8000 + 8, junk + 8, 5000 - 8);
		assert_int_equal(r.s[0].qp->gap.refuses, i >= 1);
		expect_nothing_kept(&r);
		post_read(&r, 71 + i, 5000);
	}
	rig_fini(&r);
}

/* Until a round trip has been measured there are no probes, and the timeout shows that a part got
 * no answer. */
static void a_timeout_shows_a_part_without_an_answer(void **state)
{
	struct rig r;

	rig_init(&r, &keeps);
	post_read(&r, 50, 5000);
	expect_read(&r, S, 0, 5000);
	for (unsigned i = 0; i < 3; i++) {
		reply(&r, RN_OP_READ_RESP_MIDDLE, S + i + 1, 0x1F, junk, MTU);
		expect_read(&r, S + i, i * MTU, i < 2 ? MTU : 5000 - 2 * MTU);
		if (i == 2)
			break;
		for (unsigned k = 0; k < 100 && r.s[0].qp->win.cur == r.s[0].qp->win.high; k++)
			rig_wait(&r, RN_MS(1));
		expect_read(&r, S + i, i * MTU, 5000 - i * MTU);
		reply(&r, RN_OP_READ_RESP_FIRST, S + i, 0x1F, junk, MTU);
	}
	assert_true(r.s[0].qp->gap.refuses);
	assert_int_equal(r.s[0].qp->retry.srtt, 0);
	rig_fini(&r);
}

/* The missing response was only late. This says nothing of whether the peer answers parts: only a
 * Last or Only in the middle of a READ does. */
static void a_late_response_is_no_answer_to_a_part(void **state)
{
	for (int answer = 0; answer < 2; answer++) {
		struct rig r;

		start_read(&r);
		part(&r, RN_OP_READ_RESP_FIRST, 0);
		part(&r, RN_OP_READ_RESP_MIDDLE, 2);
		expect_read(&r, S + 14, MTU, MTU);
		part(&r, answer ? RN_OP_READ_RESP_ONLY : RN_OP_READ_RESP_MIDDLE, 1);
		assert_false(r.s[0].qp->gap.part);
		assert_int_equal(r.s[0].qp->gap.answers, answer);
		part(&r, RN_OP_READ_RESP_MIDDLE, 3);
		part(&r, RN_OP_READ_RESP_LAST, 4);
		expect_data(&r);
		rig_fini(&r);
	}
}

/* After a NAK all packets are sent again, and what was kept is dropped. */
static void a_nak_behind_a_gap_goes_back(void **state)
{
	struct rig r;

	start_read(&r);
	post_send(&r, 51, 8);
	drain(&r);
	part(&r, RN_OP_READ_RESP_MIDDLE, 2);
	expect_read(&r, S + 13, 0, 2 * MTU);
	assert_int_equal(nak(&r, S + 18, 0x60), RN_V_RSP_IMPLIED_NAK);
	assert_int_equal(r.s[0].qp->gap.kept.n, 0);
	expect_read(&r, S + 13, 0, 5000);
	expect_packet(&r, RN_OP_SEND_ONLY, S + 18, 8, true);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_missing_responses_are_requested),
		cmocka_unit_test(other_requests_stay_in_flight),
		cmocka_unit_test(a_lost_request_is_sent_again),
		cmocka_unit_test(a_full_pool_costs_more_and_loses_nothing),
		cmocka_unit_test(kept_responses_wait_for_their_turn),
		cmocka_unit_test(a_bad_kept_response_fails_the_read),
		cmocka_unit_test(an_error_drops_kept_responses),
		cmocka_unit_test(an_ack_is_remembered),
		cmocka_unit_test(a_peer_that_answers_no_part),
		cmocka_unit_test(a_timeout_shows_a_part_without_an_answer),
		cmocka_unit_test(a_late_response_is_no_answer_to_a_part),
		cmocka_unit_test(a_nak_behind_a_gap_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
