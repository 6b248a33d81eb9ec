/* The requester: how work requests become packets, completions, retries and errors (rows Q of
 * docs/spec/rocev2.md). Side 0 is the requester. The test takes the frames of side 0 and builds
 * each response itself. */
#include "asker.h"

/* ---- packets of a request ---- */

/* Rows Q1, Q2, Q3: how SENDs, WRITEs and READs are split into packets, and which PSNs they use. */
static void test_packets(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 3000);
	post_read(&r, 2, 5000);
	post_read(&r, 3, 0);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 4, 0, 1025, 64);
	post_send(&r, 5, 0);
	expect_packet(&r, RN_OP_SEND_FIRST, S, 1024, false);
	expect_packet(&r, RN_OP_SEND_MIDDLE, S + 1, 1024, false);
	expect_packet(&r, RN_OP_SEND_LAST, S + 2, 952, true);
	expect_read(&r, S + 3, 0, 5000);
	expect_read(&r, S + 8, 0, 0);
	{
		struct rn_pkt p;

		assert_true(rig_take(&r, 0, &p));
		assert_int_equal(p.opcode, RN_OP_WRITE_FIRST);
		assert_int_equal(p.dma_len, 1025);
		assert_int_equal(p.va, (uintptr_t)r.s[1].mem + 64);
	}
	expect_packet(&r, RN_OP_WRITE_LAST, S + 10, 1, true);
	expect_packet(&r, RN_OP_SEND_ONLY, S + 11, 0, true);
	rig_expect_silence(&r, 0);
	rig_fini(&r);
}

static void test_solicited_inline_sges(void **state)
{
	struct rn_wqe w[4] = {{.kind = RN_WQE_SEND,
			       .flags = RN_WQE_INLINE | RN_WQE_SOLICITED,
			       .slots = 3,
			       .length = 100}};
	struct rig r;
	struct rn_pkt p;
	struct rn_sge *sge = w[0].sge;

	start(&r);
	memcpy((uint8_t *)w + offsetof(struct rn_wqe, inl), r.s[0].mem, 100);
	rig_post(&r, 0, w);
	assert_true(rig_take(&r, 0, &p));
	assert_true(p.se);
	assert_memory_equal(p.payload, r.s[0].mem, 100);
	memset(w, 0, sizeof(w));
	w[0].kind = RN_WQE_WRITE;
	w[0].flags = RN_WQE_SOLICITED; /* ignored: this WRITE has no immediate data */
	w[0].slots = 2;
	w[0].num_sge = 4;
	w[0].length = 1500;
	w[0].rkey = r.s[1].key;
	/* this hides from the compiler that the SGE list continues into the next slot */
	__asm__("" : "+r"(sge));
	sge[0] = (struct rn_sge){(uintptr_t)r.s[0].mem, 1000, r.s[0].key};
	sge[1] = (struct rn_sge){(uintptr_t)r.s[0].mem, 0, 0};
	sge[2] = (struct rn_sge){(uintptr_t)r.s[0].mem + 1000, 30, r.s[0].key};
	sge[3] = (struct rn_sge){(uintptr_t)r.s[0].mem + 1030, 470, r.s[0].key};
	rig_post(&r, 0, w);
	assert_true(rig_take(&r, 0, &p));
	assert_false(p.se);
	assert_memory_equal(p.payload, r.s[0].mem, 1024);
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.payload_len, 476);
	assert_memory_equal(p.payload, r.s[0].mem + 1024, 476);
	assert_int_equal(ack(&r, S + 2), RN_V_OK);
	rig_expect_none(&r, 0); /* the WRITE is unsignaled: no completion */
	assert_int_equal(atomic_load(&r.s[0].qp->shared.sq_retired), 2);
	rig_fini(&r);
}

/* Row Q39: a message of 200 packets requests an ACK at least every 64 packets. */
static void test_long_message(void **state)
{
	struct rig r;
	struct rn_pkt p;
	unsigned since = 0, n = 0;

	start(&r);
	post_send(&r, 1, 200 * MTU);
	while (rig_take(&r, 0, &p)) {
		since = p.ack_req ? 0 : since + 1;
		assert_true(since < 64);
		n++;
	}
	assert_int_equal(n, 200);
	assert_true(p.ack_req);
	rig_fini(&r);
}

/* ---- ACKs, and resends after a timeout ---- */

/* Rows Q4, Q5, Q6: an ACK completes all requests up to the ACK's PSN. An ACK is ignored if its PSN
 * was not sent yet or is already acknowledged. */
static void test_acks(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 3000);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 2, 0, 8, 0);
	post_send(&r, 3, 8);
	post_send(&r, 4, 8);
	assert_int_equal(ack(&r, S), RN_V_RSP_UNSENT);
	drain(&r);
	assert_int_equal(ack(&r, S + 6), RN_V_RSP_UNSENT);
	assert_int_equal(ack(&r, S - 1), RN_V_RSP_STALE);
	rig_expect_none(&r, 0);
	assert_int_equal(ack(&r, S + 1), RN_V_OK);
	rig_expect_none(&r, 0);
	assert_int_equal(ack(&r, S + 4), RN_V_OK);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 3, RN_STATUS_SUCCESS);
	rig_expect_none(&r, 0);
	assert_int_equal(ack(&r, S + 2), RN_V_RSP_STALE);
	assert_int_equal(ack(&r, S + 5), RN_V_OK);
	rig_expect(&r, 0, 4, RN_STATUS_SUCCESS);
	assert_int_equal(ack(&r, S + 5), RN_V_RSP_STALE);
	rig_wait(&r, RN_S(10));
	rig_expect_silence(&r, 0);
	rig_fini(&r);
}

/* Rows Q7, Q41: after a timeout the requester resumes at the first unacknowledged packet, with the
 * same bytes. */
static void test_timeout_resumes(void **state)
{
	struct rig r;
	struct rn_pkt p;

	start(&r);
	post_send(&r, 1, 5000);
	drain(&r);
	assert_int_equal(ack(&r, S + 1), RN_V_OK);
	rig_wait(&r, RN_MS(80));
	/* after a timeout a single packet is resent; the others follow when it is acknowledged */
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.opcode, RN_OP_SEND_MIDDLE);
	assert_int_equal(p.psn, rn_psn_add(S, 2));
	assert_memory_equal(p.payload, r.s[0].mem + 2048, 1024);
	assert_true(p.ack_req);
	rig_expect_silence(&r, 0);
	assert_int_equal(ack(&r, S + 2), RN_V_OK);
	expect_packet(&r, RN_OP_SEND_MIDDLE, S + 3, 1024, true);
	expect_packet(&r, RN_OP_SEND_LAST, S + 4, 904, true);
	rig_expect_silence(&r, 0);
	/* another timeout: an ACK of the first transmission arrives before anything is resent */
	rig_wait(&r, RN_MS(80));
	assert_int_equal(ack(&r, S + 4), RN_V_OK);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect_silence(&r, 0);
	rig_fini(&r);
}

/* ---- NAKs ---- */

/* Rows Q8, Q9: after a sequence NAK the packets from the NAK's PSN on are resent. A second NAK
 * right behind the first causes no resend. */
static void test_nak_sequence(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 8);
	post_send(&r, 2, 3000);
	drain(&r);
	assert_int_equal(nak(&r, S + 2, 0x60), RN_V_RSP_NAK_SEQ);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	assert_int_equal(nak(&r, S + 2, 0x60), RN_V_RSP_NAK_AGAIN);
	expect_packet(&r, RN_OP_SEND_MIDDLE, S + 2, 1024, false);
	expect_packet(&r, RN_OP_SEND_LAST, S + 3, 952, true);
	assert_int_equal(nak(&r, S + 2, 0x60), RN_V_RSP_NAK_AGAIN);
	rig_expect_silence(&r, 0);
	assert_int_equal(nak(&r, S + 1, 0x60), RN_V_RSP_STALE);
	assert_int_equal(ack(&r, S + 3), RN_V_OK);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* Row Q10: retry_cnt + 1 sequence NAKs without progress fail the request. */
static void test_nak_sequence_exceeded(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.retry_cnt = 3, .timeout = 20});
	post_send(&r, 1, 8);
	post_send(&r, 2, 8);
	for (int i = 0; i < 3; i++) {
		drain(&r);
		assert_int_equal(nak(&r, S, 0x60), RN_V_RSP_NAK_SEQ);
		/* A sequence NAK after an early (adaptive) resend uses up a retry. The early resend
		 * itself uses up no retry. */
		rig_wait(&r, RN_MS(4) << (i + 1));
		drain(&r);
	}
	assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
	assert_int_equal(nak(&r, S, 0x60), RN_V_RSP_NAK_SEQ);
	rig_expect(&r, 0, 1, RN_STATUS_RETRY_EXC_ERR);
	rig_expect(&r, 0, 2, RN_STATUS_WR_FLUSH_ERR);
	expect_dead(&r);
	rig_fini(&r);
}

/* Rows Q20, Q43: a fatal NAK fails the request with the NAK's PSN, even an unsignaled request.
 * Earlier requests succeed and later requests are flushed. */
static void test_fatal_naks(void **state)
{
	static const struct {
		uint8_t syndrome, status;
	} rows[] = {
		{0x61, RN_STATUS_REM_INV_REQ_ERR},
		{0x62, RN_STATUS_REM_ACCESS_ERR},
		{0x63, RN_STATUS_REM_OP_ERR},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rig r;

		start(&r);
		rig_recv(&r, 0, 100, 0, 8);
		rig_recv(&r, 0, 101, 0, 8);
		post_send(&r, 1, 8);
		rig_request(&r, 0, RN_WQE_WRITE, 0, 2, 0, 3000, 0);
		rig_request(&r, 0, RN_WQE_SEND, 0, 3, 0, 8, 0);
		post_send(&r, 4, 8);
		drain(&r);
		nak(&r, S + 2, rows[i].syndrome);
		rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
		rig_expect(&r, 0, 2, rows[i].status);
		rig_expect(&r, 0, 3, RN_STATUS_WR_FLUSH_ERR);
		rig_expect(&r, 0, 4, RN_STATUS_WR_FLUSH_ERR);
		rig_expect(&r, 0, 100, RN_STATUS_WR_FLUSH_ERR);
		rig_expect(&r, 0, 101, RN_STATUS_WR_FLUSH_ERR);
		expect_dead(&r);
		/* row Q44: requests posted in the error state are flushed */
		post_send(&r, 5, 8);
		rig_recv(&r, 0, 102, 0, 8);
		rig_expect(&r, 0, 5, RN_STATUS_WR_FLUSH_ERR);
		rig_expect(&r, 0, 102, RN_STATUS_WR_FLUSH_ERR);
		assert_int_equal(atomic_load(&r.s[0].qp->shared.sq_retired), 5);
		assert_int_equal(atomic_load(&r.s[0].qp->shared.rq_retired), 3);
		assert_int_equal(ack(&r, S + 5), RN_V_QP_STATE);
		rig_fini(&r);
	}
}

/* Rows Q21, Q22: NAKs with a reserved code, and AETHs of the reserved class, are ignored. */
static void test_reserved_syndromes(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 8);
	drain(&r);
	assert_int_equal(nak(&r, S, 0x65), RN_V_RSP_RESERVED);
	assert_int_equal(nak(&r, S, 0x64), RN_V_RSP_RESERVED);
	assert_int_equal(nak(&r, S, 0x40), RN_V_RSP_RESERVED);
	rig_expect_silence(&r, 0);
	rig_expect_none(&r, 0);
	assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
	rig_fini(&r);
}

/* ---- timeouts ---- */

/* Rows Q11, Q13: without an answer a request is sent retry_cnt + 1 times and then fails. An ACK of
 * a new PSN makes all retries available again. */
static void test_no_answer(void **state)
{
	const rn_time full = (rn_time)4096 << 14; /* transport timeout of code 14: 67 ms */
	extern unsigned fake_probes;
	extern struct rn_gid fake_probed;
	struct rig r;
	unsigned sent = 0, doubts;
	rn_time begun;

	/* the first adaptive timeout is longer than the transport timeout, so that no early resend
	 * comes */
	rig_init(&r, &(struct rig_opt){.retry_cnt = 2, .rto_initial = RN_S(100)});
	doubts = fake_probes;
	post_send(&r, 1, 8);
	post_send(&r, 2, 8);
	drain(&r);
	begun = r.now;
	for (unsigned i = 0; i < 10000 && r.s[0].qp->state == RN_QPS_RTS; i++) {
		struct rn_pkt p;

		rig_wait(&r, RN_MS(1));
		while (rig_take(&r, 0, &p))
			sent++;
	}
	assert_int_equal(sent, 2);
	assert_in_range(r.now - begun, 3 * full, 3 * full + RN_MS(5));
	/* each of the two timeouts that resent the request called rn_neigh_probe() for the peer's
	 * address */
	assert_int_equal(fake_probes - doubts, 2);
	assert_memory_equal(&fake_probed, &r.s[1].port.gids[0], 16);
	rig_expect(&r, 0, 1, RN_STATUS_RETRY_EXC_ERR);
	rig_expect(&r, 0, 2, RN_STATUS_WR_FLUSH_ERR);
	expect_dead(&r);
	rig_fini(&r);

	/* An ACK of a new PSN makes all retries available again. So with retry_cnt 1 each of the
	 * five requests survives a timeout. */
	rig_init(&r, &(struct rig_opt){.retry_cnt = 1, .rto_initial = RN_S(100)});
	for (unsigned i = 0; i < 5; i++) {
		post_send(&r, i, 8);
		drain(&r);
		rig_wait(&r, full + RN_MS(1));
		expect_packet(&r, RN_OP_SEND_ONLY, S + i, 8, true);
		assert_int_equal(ack(&r, S + i), RN_V_OK);
		rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
	}
	rig_fini(&r);
}

/* Early (adaptive) resends use up no retry until the transport timeout has passed. */
static void test_early_resends(void **state)
{
	struct rig r;
	const struct rn_stats *st;

	/* transport timeout 4.3 s; in struct rig_opt a retry_cnt of 0xFF means no retry */
	rig_init(&r, &(struct rig_opt){.retry_cnt = 0xFF, .timeout = 20});
	st = rn_shard_stats(r.s[0].sh);
	post_send(&r, 1, 8);
	drain(&r);
	for (unsigned i = 0; i < 4000; i++) {
		rig_wait(&r, RN_MS(1));
		drain(&r);
	}
	assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
	assert_in_range(st->timeouts_early, 5, 12);
	assert_int_equal(st->timeouts, 0);
	rig_wait(&r, RN_MS(400));
	rig_expect(&r, 0, 1, RN_STATUS_RETRY_EXC_ERR);
	rig_fini(&r);
}

/* Row Q12: with timeout code 0 no timer resends a request. */
static void test_no_timer(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.timeout = 0xFF});
	post_send(&r, 1, 8);
	drain(&r);
	assert_true(rn_shard_next(r.s[0].sh) == RN_TIME_NEVER);
	rig_wait(&r, RN_S(10000));
	rig_expect_silence(&r, 0);
	rig_fini(&r);
}

/* ---- receiver not ready ---- */

/* Rows Q14, Q15, Q16, Q19: an RNR NAK demands a wait, during which nothing is sent. Neither a
 * sequence NAK nor the transport timer shortens the wait. */
static void test_rnr(void **state)
{
	for (int code = 0; code <= 12; code += 12) {
		const rn_time wait = code ? RN_US(640) : RN_US(655360);
		struct rig r;

		rig_init(&r, &(struct rig_opt){.timeout = 8,
					       /* 0xFF: no retry, so a transport timeout (1 ms)
					        * would fail the QP */
					       .retry_cnt = 0xFF});
		post_send(&r, 1, 8);
		post_send(&r, 2, 8);
		drain(&r);
		assert_int_equal(nak(&r, S, 0x20 + code), RN_V_RSP_RNR);
		rig_expect_silence(&r, 0);
		assert_int_equal(nak(&r, S, 0x60), RN_V_RSP_NAK_AGAIN);
		post_send(&r, 3, 8);
		rig_wait(&r, wait - RN_US(2));
		rig_expect_silence(&r, 0);
		rig_wait(&r, RN_US(4));
		expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
		expect_packet(&r, RN_OP_SEND_ONLY, S + 1, 8, true);
		expect_packet(&r, RN_OP_SEND_ONLY, S + 2, 8, true);
		assert_int_equal(ack(&r, S + 2), RN_V_OK);
		rig_fini(&r);
	}
}

/* Rows Q17, Q18: with rnr_retry 3 a request fails after three resends. With rnr_retry 7 the request
 * is resent without end. */
static void test_rnr_exceeded(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.rnr_retry = 3});
	post_send(&r, 1, 8);
	for (int i = 0; i < 3; i++) {
		expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
		assert_int_equal(nak(&r, S, 0x21), RN_V_RSP_RNR);
		rig_wait(&r, RN_MS(1));
	}
	expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
	nak(&r, S, 0x21);
	rig_expect(&r, 0, 1, RN_STATUS_RNR_RETRY_EXC_ERR);
	expect_dead(&r);
	rig_fini(&r);

	rig_init(&r, &(struct rig_opt){.rnr_retry = 7});
	post_send(&r, 1, 8);
	for (int i = 0; i < 100; i++) {
		expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
		assert_int_equal(nak(&r, S, 0x21), RN_V_RSP_RNR);
		rig_wait(&r, RN_MS(1));
	}
	assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
	rig_fini(&r);
}

/* An RNR NAK proves that the packet arrived. All retries are then available again, even those used
 * up by earlier timeouts. So timeouts and RNR NAKs may alternate without end. */
static void test_rnr_and_loss(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.rnr_retry = 7, .timeout = 8, .retry_cnt = 1});
	post_send(&r, 1, 8);
	for (int i = 0; i < 100; i++) {
		rig_wait(&r, RN_US(1300)); /* longer than the transport timeout of 1.05 ms */
		drain(&r);
		assert_int_equal(nak(&r, S, 0x21), RN_V_RSP_RNR);
		rig_wait(&r, RN_US(20));
		drain(&r);
	}
	assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
	/* without any answer the QP still fails */
	for (int i = 0; i < 3; i++) {
		rig_wait(&r, RN_US(1300));
		drain(&r);
	}
	rig_expect(&r, 0, 1, RN_STATUS_RETRY_EXC_ERR);
	rig_fini(&r);
}

/* ---- local errors, a late timeout, credit codes ---- */

/* Row Q42: a SEND from memory outside its region completes with a local protection error. The QP
 * enters the error state. */
static void test_local_fault(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 8);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 2, RIG_MEM - 1500, 3000, 0);
	post_send(&r, 3, 8);
	expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
	expect_packet(&r, RN_OP_SEND_FIRST, S + 1, 1024, false);
	rig_expect_silence(&r, 0);
	rig_expect_none(&r, 0); /* the error of request 2 is reported after request 1 completes */
	assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
	assert_int_equal(ack(&r, S), RN_V_OK);
	rig_expect_silence(&r, 0);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_LOC_PROT_ERR);
	rig_expect(&r, 0, 3, RN_STATUS_WR_FLUSH_ERR);
	expect_dead(&r);
	rig_fini(&r);
}

/* The region that a SEND reads is removed before the SEND is resent. The QP then fails with a local
 * protection error. */
static void test_key_dies_before_resend(void **state)
{
	struct rig r;

	start(&r);
	post_send(&r, 1, 8);
	drain(&r);
	assert_int_equal(rn_mr_remove(r.s[0].mrs, r.s[0].key), 0);
	assert_int_equal(nak(&r, S, 0x60), RN_V_RSP_NAK_SEQ);
	rig_expect_silence(&r, 0);
	rig_expect(&r, 0, 1, RN_STATUS_LOC_PROT_ERR);
	expect_dead(&r);
	rig_fini(&r);
}

/* A malformed request sends no packet. The request completes with its error after the requests
 * posted before. */
static void test_bad_form(void **state)
{
	static const struct {
		uint8_t kind;
		uint16_t flags, num_sge;
		uint8_t slots;
		uint32_t length, status;
	} rows[] = {
		{RN_WQE_SEND_IMM, 0, 1, 1, 9, RN_STATUS_LOC_LEN_ERR},
		{RN_WQE_CMP_SWAP, 0, 1, 1, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_CMP_SWAP, 0, 2, 2, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_FETCH_ADD, RN_WQE_INLINE, 0, 2, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_FETCH_ADD, 0, 0, 2, 0, RN_STATUS_LOC_LEN_ERR},
		{RN_WQE_FETCH_ADD, 0, 1, 2, 4, RN_STATUS_LOC_LEN_ERR},
		{200, 0, 1, 1, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_SEND, 0, 5, 2, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_SEND, 0, 1, 2, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_SEND, 0, 1, 0, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_SEND, 0, 1, 1, 9, RN_STATUS_LOC_LEN_ERR},
		{RN_WQE_SEND, RN_WQE_INLINE, 0, 4, 201, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_READ, RN_WQE_INLINE, 0, 1, 8, RN_STATUS_LOC_QP_OP_ERR},
		{RN_WQE_SEND, 0, 0, 1, (1u << 31) + 1, RN_STATUS_LOC_LEN_ERR},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_wqe w[8] = {{.kind = rows[i].kind,
				       .flags = rows[i].flags,
				       .slots = rows[i].slots,
				       .num_sge = rows[i].num_sge,
				       .length = rows[i].length,
				       .wr_id = 2}};
		struct rig r;

		start(&r);
		w[0].sge[0] = (struct rn_sge){(uintptr_t)r.s[0].mem, 8, r.s[0].key};
		w[0].qpn = r.s[0].qpn;
		w[0].qp_gen = r.s[0].gen;
		post_send(&r, 1, 8);
		rn_shard_post(r.s[0].sh, w, r.now);
		expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
		rig_expect_silence(&r, 0);
		ack(&r, S);
		rig_expect_silence(&r, 0);
		rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
		rig_expect(&r, 0, 2, rows[i].status);
		expect_dead(&r);
		rig_fini(&r);
	}
}

static void test_nop(void **state)
{
	struct rn_wqe w = {.kind = RN_WQE_NOP, .slots = 1, .flags = RN_WQE_SIGNALED, .wr_id = 2};
	struct rig r;

	start(&r);
	post_send(&r, 1, 8);
	rig_post(&r, 0, &w);
	post_send(&r, 3, 8);
	drain(&r);
	rig_expect_none(&r, 0);
	ack(&r, S + 1);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 3, RN_STATUS_SUCCESS);
	w.wr_id = 4;
	rig_post(&r, 0, &w);
	rig_expect_silence(&r, 0);
	rig_expect(&r, 0, 4, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* A timeout set while a request is in flight counts from the moment of the change. */
static void test_timeout_set_late(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.timeout = 0xFF});
	post_send(&r, 1, 8);
	drain(&r);
	rig_wait(&r, RN_S(100));
	rig_expect_silence(&r, 0);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &(struct rn_qp_attr){.state = RN_QPS_SQD}),
			 0);
	assert_int_equal(rig_modify(&r, 0, RN_QP_TIMEOUT, &(struct rn_qp_attr){.timeout = 14}), 0);
	rig_expect_silence(&r, 0);
	rig_wait(&r, RN_MS(70));
	expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
	ack(&r, S);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* With credits configured, only positive acknowledgements carry a credit code. The low bits of an
 * RNR NAK are a timer code, those of other NAKs an error code. */
static void test_only_acks_carry_credits(void **state)
{
	static const struct {
		uint8_t syndrome, mode;
	} rows[] = {{0x23, RN_CREDIT_UNHEARD},
		    {0x43, RN_CREDIT_UNHEARD},
		    {0x60, RN_CREDIT_UNHEARD},
		    {0x03, RN_CREDIT_LIMITED},
		    {0x1F, RN_CREDIT_OFF}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rig r;

		start(&r);
		r.s[0].qp->credit.mode = RN_CREDIT_UNHEARD;
		post_send(&r, 1, 8);
		expect_packet(&r, RN_OP_SEND_ONLY, S, 8, true);
		nak(&r, S, rows[i].syndrome);
		assert_int_equal(r.s[0].qp->credit.mode, rows[i].mode);
		rig_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_solicited_inline_sges),
		cmocka_unit_test(test_long_message),
		cmocka_unit_test(test_only_acks_carry_credits),
		cmocka_unit_test(test_acks),
		cmocka_unit_test(test_timeout_resumes),
		cmocka_unit_test(test_nak_sequence),
		cmocka_unit_test(test_nak_sequence_exceeded),
		cmocka_unit_test(test_fatal_naks),
		cmocka_unit_test(test_reserved_syndromes),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_early_resends),
		cmocka_unit_test(test_no_timer),
		cmocka_unit_test(test_rnr),
		cmocka_unit_test(test_rnr_exceeded),
		cmocka_unit_test(test_rnr_and_loss),
		cmocka_unit_test(test_local_fault),
		cmocka_unit_test(test_key_dies_before_resend),
		cmocka_unit_test(test_bad_form),
		cmocka_unit_test(test_nop),
		cmocka_unit_test(test_timeout_set_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
