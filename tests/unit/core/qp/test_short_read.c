/* READs the short way (qp/short_read.h): which packets are taken, with which effects, and that a
 * packet that is not taken changes nothing. */
#include "qp/short_read.h"

#include "rig.h"
#include "wire/hdr.h"

#define BURST 32u
#define MTU   1024u

/* Frames that one side sends at once. */
struct burst {
	uint8_t data[BURST][2048];
	struct rn_txbuf buf[BURST];
	unsigned n;
};
static struct burst b;

static unsigned send_burst(struct rig *r, int side)
{
	for (unsigned i = 0; i < BURST; i++)
		b.buf[i] = (struct rn_txbuf){.data = b.data[i], .cap = sizeof(b.data[i])};
	b.n = rn_shard_tx(r->s[side].sh, b.buf, BURST, r->now);
	return b.n;
}

static struct rn_pkt sent(unsigned i)
{
	struct rn_pkt pkt;

	assert_true(i < b.n);
	assert_int_equal(rn_frame_parse(b.data[i], b.buf[i].len, &pkt), RN_V_OK);
	return pkt;
}

/* Gives a frame to the short way of the QP of `side`. If the short way does not take the frame, the
 * QP must be unchanged, but it may remember where it has found a key. */
static bool takes_frame(struct rig *r, int side, const uint8_t *frame, uint32_t len)
{
	struct rn_qp *qp = r->s[side].qp, *before = malloc(sizeof(*qp));
	struct rn_brief brief;
	uint32_t qpn;
	bool ipv4, taken;

	memcpy(before, qp, sizeof(*qp));
	assert_true(rn_match_qpn(frame, len, &ipv4, &qpn));
	assert_true(rn_match_frame(&qp->match, frame, len, ipv4, &brief));
	taken = rn_short_read_rx(qp, &brief, r->now);
	before->rx_key = qp->rx_key;
	before->tx_key = qp->tx_key;
	if (!taken)
		assert_memory_equal(before, qp, sizeof(*qp));
	free(before);
	return taken;
}

static bool takes(struct rig *r, int side, const struct rn_pkt *pkt)
{
	uint8_t *frame = malloc(4096), *exact;
	int len = rn_frame_build(pkt, frame, 4096);
	bool taken;

	/* In a block of exactly this size, so that a sanitizer detects any read behind the
	 * frame. */
	assert_true(len > 0);
	exact = malloc((size_t)len);
	memcpy(exact, frame, (size_t)len);
	taken = takes_frame(r, side, exact, (uint32_t)len);
	free(exact);
	free(frame);
	return taken;
}

/* Gives all frames of the burst to the short way of `side`, which must take them. */
static void deliver(struct rig *r, int side)
{
	for (unsigned i = 0; i < b.n; i++)
		assert_true(takes_frame(r, side, b.data[i], b.buf[i].len));
	rn_shard_done(r->s[side].sh, r->now);
}

/* Makes each QP receive its first packet. The short way handles only later packets. */
static void start(struct rig *r, const struct rig_opt *o)
{
	rig_init(r, o);
	for (unsigned i = 0; i < 0x8000; i++)
		r->s[1].mem[i] = (uint8_t)(i * 7 + i / 256 + 1);
	for (int side = 0; side < 2; side++)
		rig_request(r, side, RN_WQE_WRITE, 0, 100, 0xF000, 8, 0xF000);
	rig_run(r, RN_S(1));
}

static void read_at(struct rig *r, uint64_t id, uint32_t off, uint32_t len)
{
	rig_request(r, 0, RN_WQE_READ, RN_WQE_SIGNALED, id, 0x8000 + off, len, off);
}

/* ---- ordinary READs ---- */

static void reads_take_the_short_way_at_both_ends(void **state)
{
	static const uint32_t lens[] = {1, 2, 3, 4, 64, MTU - 1, MTU};
	struct rig r;

	start(&r, &(struct rig_opt){.reads = 16});
	for (unsigned i = 0; i < RN_ARRAY_SIZE(lens); i++)
		read_at(&r, i, i * MTU, lens[i]);
	assert_int_equal(send_burst(&r, 0), RN_ARRAY_SIZE(lens));
	for (unsigned i = 0; i < b.n; i++) {
		struct rn_pkt p = sent(i);

		assert_int_equal(p.opcode, RN_OP_READ_REQUEST);
		assert_int_equal(p.psn, rn_psn_add(RIG_PSN_A, i + 1));
		assert_int_equal(p.dma_len, lens[i]);
		assert_true(p.ack_req);
	}
	deliver(&r, 1);
	assert_int_equal(send_burst(&r, 1), RN_ARRAY_SIZE(lens));
	for (unsigned i = 0; i < b.n; i++) {
		struct rn_pkt p = sent(i);

		assert_int_equal(p.opcode, RN_OP_READ_RESP_ONLY);
		assert_int_equal(p.psn, rn_psn_add(RIG_PSN_A, i + 1));
		assert_int_equal(p.msn, 2 + i); /* the WRITE of start() had MSN 1 */
		assert_int_equal(p.syndrome, 0x1F);
	}
	deliver(&r, 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(lens); i++) {
		rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
		assert_memory_equal(r.s[0].mem + 0x8000 + i * MTU, r.s[1].mem + i * MTU, lens[i]);
		assert_int_equal(r.s[0].mem[0x8000 + i * MTU + lens[i]], 0);
	}
	assert_int_equal(r.s[1].qp->rx.nowed + r.s[1].qp->rx.nowed_reads, 0);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* The responses to a READ of several packets are taken too. Their first and last have an AETH. */
static void a_long_read_is_stored_the_short_way(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){0});
	read_at(&r, 1, 5, 5 * MTU - 3);
	assert_int_equal(send_burst(&r, 0), 1);
	/* A request for several packets is left to the general way. */
	assert_false(takes_frame(&r, 1, b.data[0], b.buf[0].len));
	rig_run(&r, RN_S(1)); /* the request was lost and is sent again */
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	read_at(&r, 2, 5, 5 * MTU - 3);
	rig_move(&r, 0, 1);
	memset(r.s[0].mem + 0x8000, 0, 8 * MTU);
	assert_int_equal(send_burst(&r, 1), 5);
	deliver(&r, 0);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[0].mem + 0x8005, r.s[1].mem + 5, 5 * MTU - 3);
	assert_int_equal(r.s[0].mem[0x8005 + 5 * MTU - 3], 0);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* A READ waits until the window has room for one more response. Each response before makes room. */
static void a_response_makes_room_for_the_next_read(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){0});
	r.s[0].qp->win.size = r.s[0].qp->win.max = 3;
	read_at(&r, 1, 0, 3 * MTU);
	read_at(&r, 2, 0x2000, 64);
	assert_int_equal(rig_move(&r, 0, 2), 1);
	assert_int_equal(send_burst(&r, 1), 3);
	assert_true(takes_frame(&r, 0, b.data[0], b.buf[0].len));
	assert_true(takes_frame(&r, 0, b.data[1], b.buf[1].len));
	assert_int_equal(rig_move(&r, 0, 1), 1);
	assert_true(takes_frame(&r, 0, b.data[2], b.buf[2].len));
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* A response acknowledges a WRITE before its READ, the short way or the general way. Returns the
 * adaptive timeout of the QP, which each step forward shortens. */
static rn_time timeout_after_response(bool general)
{
	struct rig r;
	struct rn_pkt p;
	rn_time rto;

	start(&r, &(struct rig_opt){0});
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 64, 0x9000);
	read_at(&r, 2, 0, 64);
	assert_int_equal(rig_move(&r, 0, 2), 2);
	assert_int_equal(send_burst(&r, 1), 2);
	assert_int_equal(sent(0).opcode, RN_OP_ACK);
	r.s[0].qp->retry.sampling = false;
	r.s[0].qp->retry.rto = RN_S(1);
	p = sent(1);
	if (general)
		assert_int_equal(rig_rx(&r, 0, &p), RN_V_OK);
	else
		assert_true(takes_frame(&r, 0, b.data[1], b.buf[1].len));
	rto = r.s[0].qp->retry.rto;
	rn_shard_done(r.s[0].sh, r.now);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[0].mem + 0x8000, r.s[1].mem, 64);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
	return rto;
}

/* The requests before the READ complete first. */
static void a_response_acknowledges_earlier_requests(void **state)
{
	rn_time rto = timeout_after_response(false);

	assert_true(rto < RN_S(1));
	assert_int_equal(rto, timeout_after_response(true));
}

/* A request without packets waits behind a READ, and completes with it. The READ behind that one is
 * incomplete. */
static void a_request_without_packets_completes_with_its_read(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){0});
	read_at(&r, 1, 0, 64);
	rig_post(&r, 0,
		 &(struct rn_wqe){
			 .kind = RN_WQE_NOP, .slots = 1, .flags = RN_WQE_SIGNALED, .wr_id = 2});
	read_at(&r, 3, 64, 64);
	assert_int_equal(rig_move(&r, 0, 2), 2);
	assert_int_equal(send_burst(&r, 1), 2);
	assert_true(takes_frame(&r, 0, b.data[0], b.buf[0].len));
	rn_shard_done(r.s[0].sh, r.now);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	rig_expect_silence(&r, 0);
	assert_true(takes_frame(&r, 0, b.data[1], b.buf[1].len));
	rn_shard_done(r.s[0].sh, r.now);
	rig_expect(&r, 0, 3, RN_STATUS_SUCCESS);
	assert_int_equal(r.s[0].qp->shared.sq_retired, 4); /* with the WRITE of start() */
	rig_fini(&r);
}

/* ---- received packets that are not ordinary ---- */

/* Changes a request that would be ordinary, or the QP that receives the request. */
enum request_fault {
	NONE,
	LATER_PSN,
	EARLIER_PSN,
	IN_A_WRITE,
	FIRST_PACKET,
	NO_RIGHT,
	NO_RECORD,
	RECORDS_FULL,
	BAD_KEY,
	OUT_OF_BOUNDS,
	WRAPS,
	EMPTY,
	TWO_PACKETS,
	PAYLOAD,
	REQUEST_FAULTS
};

static void spoil_request(struct rn_qp *qp, struct rn_pkt *p, enum request_fault fault)
{
	p->psn = rn_psn_add(p->psn, fault == LATER_PSN ? 1 : fault == EARLIER_PSN ? -1u : 0);
	qp->rx.message = fault == IN_A_WRITE ? RN_RX_WRITE : RN_RX_IDLE;
	qp->rx.peer_seen = fault != FIRST_PACKET;
	if (fault == NO_RIGHT)
		qp->access &= ~(uint32_t)RN_ACCESS_REMOTE_READ;
	if (fault == NO_RECORD)
		qp->rx.nrec = 0;
	for (unsigned i = 0; i < qp->rx.nrec && fault == RECORDS_FULL; i++)
		qp->rx.rec[i].npkts = 1;
	p->rkey += fault == BAD_KEY ? 256 : 0;
	p->va = fault == WRAPS ? UINT64_MAX - 7
			       : p->va + (fault == OUT_OF_BOUNDS ? RIG_MEM - 63 : 0);
	p->dma_len = fault == EMPTY ? 0 : fault == TWO_PACKETS ? MTU + 1 : 64;
	p->payload_len = fault == PAYLOAD ? 4 : 0;
}

static void special_requests_are_left_alone(void **state)
{
	for (unsigned fault = NONE; fault < REQUEST_FAULTS; fault++) {
		struct rig r;
		struct rn_pkt p;

		start(&r, &(struct rig_opt){0});
		p = rig_pkt(&r, 1, RN_OP_READ_REQUEST, 0, "abcd", 0);
		spoil_request(r.s[1].qp, &p, fault);
		if (takes(&r, 1, &p) != (fault == NONE))
			fail_msg("request fault %u", fault);
		rig_fini(&r);
	}
}

enum response_fault {
	R_NONE,
	R_LATER_PSN,
	R_EARLIER_PSN,
	R_TOO_SHORT,
	R_TOO_LONG,
	R_NOT_THE_LAST,
	R_NAK,
	R_NO_READ,
	R_NOT_SENT,
	R_ATOMIC,
	R_TWO_SGES,
	R_CREDITS,
	R_MEMORY_GONE,
	RESPONSE_FAULTS
};

static void read_into_two(struct rig *r)
{
	struct rn_wqe w[2] = {{.kind = RN_WQE_READ,
			       .slots = 2,
			       .num_sge = 2,
			       .length = 8,
			       .remote_va = (uintptr_t)r->s[1].mem,
			       .rkey = r->s[1].key}};
	struct rn_sge sge[2] = {{(uintptr_t)r->s[0].mem, 4, r->s[0].key},
				{(uintptr_t)r->s[0].mem + 64, 4, r->s[0].key}};

	memcpy((uint8_t *)w + offsetof(struct rn_wqe, sge), sge, sizeof(sge));
	rig_post(r, 0, w);
}

/* Posts the request that the response answers, with `before` unacknowledged WRITEs before it. */
static void ask(struct rig *r, enum response_fault fault, unsigned before)
{
	struct rn_sq *sq = &r->s[0].qp->sq;

	for (unsigned i = 0; i < before; i++)
		rig_request(r, 0, RN_WQE_WRITE, 0, 0, 0x8000, 8, 0xF000);
	assert_int_equal(send_burst(r, 0), before);

	if (fault == R_NO_READ)
		rig_request(r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0x8000, 8, 0);
	else if (fault == R_TWO_SGES)
		read_into_two(r);
	else
		read_at(r, 1, 0, 8);
	if (fault == R_NOT_SENT) {
		r->s[0].qp->win.size = 0;
		/* as an earlier request has left the next place of the queue */
		rn_sq_at(sq, sq->head + before + 1)->npkts = 1;
	}
	assert_int_equal(send_burst(r, 0), fault == R_NOT_SENT ? 0 : 1);
	if (fault == R_ATOMIC)
		rn_sq_at(sq, sq->head + before)->kind = RN_WQE_FETCH_ADD;
}

static void leave_special_responses_alone(unsigned before)
{
	static const uint8_t data[16] = "0123456789abcde";

	for (unsigned fault = R_NONE; fault < RESPONSE_FAULTS; fault++) {
		struct rig r;
		struct rn_pkt p;
		uint32_t len = fault == R_TOO_SHORT ? 7 : fault == R_TOO_LONG ? 9 : 8;

		start(&r, &(struct rig_opt){0});
		ask(&r, fault, before);
		p = rig_pkt(&r, 0,
			    fault == R_NOT_THE_LAST ? RN_OP_READ_RESP_FIRST : RN_OP_READ_RESP_ONLY,
			    0, data, len);
		p.psn = rn_psn_add(RIG_PSN_A, before + (fault == R_LATER_PSN	 ? 2
							: fault == R_EARLIER_PSN ? 0
										 : 1));
		p.ack_req = false;
		if (fault == R_NAK)
			p.syndrome = 0x62;
		if (fault == R_CREDITS)
			r.s[0].qp->credit.mode = 1;
		if (fault == R_MEMORY_GONE)
			assert_int_equal(rn_mr_remove(r.s[0].mrs, r.s[0].key), 0);
		if (takes(&r, 0, &p) != (fault == R_NONE))
			fail_msg("response fault %u behind %u", fault, before);
		if (fault == R_NONE)
			assert_memory_equal(r.s[0].mem + 0x8000, data, 8);
		rig_fini(&r);
	}
}

/* The oldest request has a function of its own. */
static void special_responses_are_left_alone(void **state)
{
	leave_special_responses_alone(0);
	leave_special_responses_alone(1);
}

/* ---- runs of requests ---- */

static void a_run_of_reads_ends_at_the_depth(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){.reads = 4});
	for (unsigned i = 0; i < 10; i++)
		read_at(&r, i, i * 64, 64);
	for (unsigned left = 10; left; left -= RN_MIN(left, 4u)) {
		assert_int_equal(send_burst(&r, 0), RN_MIN(left, 4u));
		rig_expect_silence(&r, 0);
		deliver(&r, 1);
		send_burst(&r, 1);
		deliver(&r, 0);
	}
	for (unsigned i = 0; i < 10; i++)
		rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* Returns how many of 10 READs the short way sends when one member of the QP is changed. */
static unsigned run_with(void (*change)(struct rn_qp *qp))
{
	struct rig r;
	unsigned n;

	start(&r, &(struct rig_opt){.reads = 16});
	for (unsigned i = 0; i < 10; i++)
		read_at(&r, i, i * 64, 64);
	change(r.s[0].qp);
	for (unsigned i = 0; i < BURST; i++)
		b.buf[i] = (struct rn_txbuf){.data = b.data[i], .cap = sizeof(b.data[i])};
	n = rn_short_read_tx(r.s[0].qp, b.buf, BURST, r.now);
	rig_fini(&r);
	return n;
}

static void nothing(struct rn_qp *qp)
{
}

static void window_of_3(struct rn_qp *qp)
{
	qp->win.size = 3;
}

static void window_with_2_of_3_responses(struct rn_qp *qp)
{
	qp->win.size = 3;
	qp->win.responses = 2;
}

static void quota_of_2(struct rn_qp *qp)
{
	qp->quota = 2;
}

static void few_psns_left(struct rn_qp *qp)
{
	qp->win.una = rn_psn_add(qp->win.next, -(RN_PSN_WINDOW - 5));
}

static void long_read_in_flight(struct rn_qp *qp)
{
	qp->win.nbig = 1;
}

static void resending(struct rn_qp *qp)
{
	qp->win.cur = rn_psn_add(qp->win.cur, -1u);
}

static void draining(struct rn_qp *qp)
{
	qp->state = RN_QPS_SQD;
}

static void credits(struct rn_qp *qp)
{
	qp->credit.mode = RN_CREDIT_LIMITED;
}

static void rate_limit(struct rn_qp *qp)
{
	qp->cc.limited = true;
}

static void short_way_off(struct rn_qp *qp)
{
	qp->short_way = false;
}

static void third_is_fenced(struct rn_qp *qp)
{
	rn_sq_at(&qp->sq, qp->sq.head + 2)->flags |= RN_WQE_FENCE;
}

static void third_is_malformed(struct rn_qp *qp)
{
	rn_sq_at(&qp->sq, qp->sq.head + 2)->status = RN_STATUS_LOC_LEN_ERR;
}

static void third_is_empty(struct rn_qp *qp)
{
	rn_sq_at(&qp->sq, qp->sq.head + 2)->length = 0;
}

static void third_is_long(struct rn_qp *qp)
{
	rn_sq_at(&qp->sq, qp->sq.head + 2)->length = MTU + 1;
}

static void third_is_a_write(struct rn_qp *qp)
{
	rn_sq_at(&qp->sq, qp->sq.head + 2)->kind = RN_WQE_WRITE;
}

static void a_run_of_reads_keeps_the_limits(void **state)
{
	assert_int_equal(run_with(nothing), 10);
	assert_int_equal(run_with(window_of_3), 3);
	assert_int_equal(run_with(window_with_2_of_3_responses), 1);
	assert_int_equal(run_with(quota_of_2), 2);
	assert_int_equal(run_with(few_psns_left), 5);
	assert_int_equal(run_with(long_read_in_flight), 0);
	assert_int_equal(run_with(resending), 0);
	assert_int_equal(run_with(draining), 0);
	assert_int_equal(run_with(credits), 0);
	assert_int_equal(run_with(rate_limit), 0);
	assert_int_equal(run_with(short_way_off), 0);
	assert_int_equal(run_with(third_is_fenced), 2);
	assert_int_equal(run_with(third_is_malformed), 2);
	assert_int_equal(run_with(third_is_empty), 2);
	assert_int_equal(run_with(third_is_long), 2);
	assert_int_equal(run_with(third_is_a_write), 2);
}

/* ---- runs of responses ---- */

/* Side 1 takes READs of 64 bytes from side 0. */
static void owe_responses(struct rig *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		read_at(r, i, i * 64, 64);
	assert_int_equal(send_burst(r, 0), n);
	deliver(r, 1);
}

/* Responses alternate with the requests of the same QP, which must not wait for them. */
static void responses_alternate_with_requests(void **state)
{
	static const uint8_t order[] = {RN_OP_READ_RESP_ONLY, RN_OP_WRITE_ONLY,
					RN_OP_READ_RESP_ONLY, RN_OP_WRITE_ONLY,
					RN_OP_READ_RESP_ONLY};
	struct rig r;

	start(&r, &(struct rig_opt){0});
	owe_responses(&r, 3);
	for (unsigned i = 0; i < 2; i++)
		rig_request(&r, 1, RN_WQE_WRITE, 0, i, 0, 8, 0xF000);
	assert_int_equal(send_burst(&r, 1), RN_ARRAY_SIZE(order));
	for (unsigned i = 0; i < b.n; i++)
		assert_int_equal(sent(i).opcode, order[i]);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* READ requests and responses alternate the short way too. */
static void responses_alternate_with_reads(void **state)
{
	static const uint8_t order[] = {RN_OP_READ_RESP_ONLY, RN_OP_READ_REQUEST,
					RN_OP_READ_RESP_ONLY, RN_OP_READ_REQUEST,
					RN_OP_READ_REQUEST};
	struct rig r;
	unsigned n = 0;

	start(&r, &(struct rig_opt){0});
	owe_responses(&r, 2);
	for (unsigned i = 0; i < 3; i++)
		rig_request(&r, 1, RN_WQE_READ, RN_WQE_SIGNALED, 7 + i, 0x9000 + i * 64, 64, 0);
	for (unsigned i = 0; i < BURST; i++)
		b.buf[i] = (struct rn_txbuf){.data = b.data[i], .cap = sizeof(b.data[i])};
	while (n < RN_ARRAY_SIZE(order)) {
		unsigned k = rn_short_read_tx(r.s[1].qp, b.buf + n, BURST - n, r.now);

		assert_int_equal(k, n < 4 - 1 ? 1 : 2);
		n += k;
	}
	b.n = n;
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sent(i).opcode, order[i]);
	rig_run(&r, RN_S(1));
	for (unsigned i = 0; i < 3; i++)
		rig_expect(&r, 1, 7 + i, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* READs that wait for the end of earlier READs do not divide a run of responses. */
static void waiting_reads_do_not_end_a_run_of_responses(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){.reads = 4});
	for (unsigned i = 0; i < 6; i++)
		rig_request(&r, 1, RN_WQE_READ, RN_WQE_SIGNALED, 7 + i, 0x9000 + i * 64, 64, 0);
	assert_int_equal(send_burst(&r, 1), 4);
	owe_responses(&r, 4);
	for (unsigned i = 0; i < BURST; i++)
		b.buf[i] = (struct rn_txbuf){.data = b.data[i], .cap = sizeof(b.data[i])};
	assert_int_equal(rn_short_read_tx(r.s[1].qp, b.buf, BURST, r.now), 4);
	rig_run(&r, RN_S(1));
	for (unsigned i = 0; i < 6; i++)
		rig_expect(&r, 1, 7 + i, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* The next piece of a READ that has begun may be requested, although no other READ may start. */
static void a_begun_read_takes_turns_with_responses(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){.reads = 1});
	rig_request(&r, 1, RN_WQE_READ, RN_WQE_SIGNALED, 7, 0x4000, 3 * MTU, 0x4000);
	r.s[1].qp->win.piece = 2;
	assert_int_equal(rig_move(&r, 1, 2), 1);
	assert_int_equal(send_burst(&r, 0), 2);
	deliver(&r, 1); /* now the second piece may be requested */
	owe_responses(&r, 1);
	r.s[1].qp->own_turn = true;
	assert_int_equal(send_burst(&r, 1), 2);
	assert_int_equal(sent(0).opcode, RN_OP_READ_REQUEST);
	assert_int_equal(sent(1).opcode, RN_OP_READ_RESP_ONLY);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 1, 7, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* The response to a READ of several packets is a run, which goes on where the last run ended. */
static void a_long_response_is_sent_in_runs(void **state)
{
	static const uint8_t ops[] = {RN_OP_READ_RESP_FIRST,  RN_OP_READ_RESP_MIDDLE,
				      RN_OP_READ_RESP_MIDDLE, RN_OP_READ_RESP_MIDDLE,
				      RN_OP_READ_RESP_LAST,   RN_OP_READ_RESP_ONLY};
	static const unsigned lens[] = {2, 3, 1};
	struct rig r;
	unsigned n = 0;

	start(&r, &(struct rig_opt){0});
	read_at(&r, 1, 5, 5 * MTU - 3);
	read_at(&r, 2, 0x2000, 64);
	assert_int_equal(rig_move(&r, 0, 2), 2);
	for (unsigned i = 0; i < BURST; i++)
		b.buf[i] = (struct rn_txbuf){.data = b.data[i], .cap = sizeof(b.data[i])};
	for (unsigned i = 0; i < RN_ARRAY_SIZE(lens); n += lens[i++])
		assert_int_equal(rn_short_read_tx(r.s[1].qp, b.buf + n, i ? BURST - n : 2, r.now),
				 lens[i]);
	b.n = n;
	for (unsigned i = 0; i < n; i++) {
		struct rn_pkt p = sent(i);

		assert_int_equal(p.opcode, ops[i]);
		assert_int_equal(p.psn, rn_psn_add(RIG_PSN_A, 1 + i));
	}
	assert_int_equal(rn_shard_stats(r.s[1].sh)->tx_read_responses, n);
	deliver(&r, 0);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[0].mem + 0x8005, r.s[1].mem + 5, 5 * MTU - 3);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* After a run of responses it is the turn of the QP's own requests. */
static void a_request_follows_a_run_of_responses(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){0});
	owe_responses(&r, 4);
	for (unsigned i = 0; i < 2; i++)
		b.buf[i] = (struct rn_txbuf){.data = b.data[i], .cap = sizeof(b.data[i])};
	assert_int_equal(rn_shard_tx(r.s[1].sh, b.buf, 2, r.now), 2);
	rig_request(&r, 1, RN_WQE_WRITE, 0, 1, 0, 8, 0xF000);
	assert_int_equal(send_burst(&r, 1), 3);
	assert_int_equal(sent(0).opcode, RN_OP_WRITE_ONLY);
	assert_int_equal(sent(1).opcode, RN_OP_READ_RESP_ONLY);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* A WRITE between two READs: its ACK stands between the two responses. */
static void a_run_of_responses_ends_at_an_ack(void **state)
{
	static const uint8_t order[] = {RN_OP_READ_RESP_ONLY, RN_OP_ACK, RN_OP_READ_RESP_ONLY};
	struct rig r;

	start(&r, &(struct rig_opt){0});
	read_at(&r, 1, 0, 64);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 2, 0, 8, 0xF000);
	read_at(&r, 3, 64, 64);
	rig_move(&r, 0, 3);
	assert_int_equal(send_burst(&r, 1), RN_ARRAY_SIZE(order));
	for (unsigned i = 0; i < b.n; i++)
		assert_int_equal(sent(i).opcode, order[i]);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* The memory of a READ is deregistered after its request was taken: the QP sends a NAK. */
static void a_run_of_responses_ends_at_lost_memory(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){0});
	owe_responses(&r, 2);
	assert_int_equal(rn_mr_remove(r.s[1].mrs, r.s[1].key), 0);
	assert_int_equal(send_burst(&r, 1), 1);
	assert_int_equal(sent(0).opcode, RN_OP_ACK);
	assert_int_equal(sent(0).syndrome, 0x62);
	assert_int_equal(rn_shard_stats(r.s[1].sh)->tx_reads_given_up, 1);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* All READs were taken, but their responses are lost. The repeated requests are duplicates. */
static void lost_responses_are_sent_again(void **state)
{
	struct rig r;

	start(&r, &(struct rig_opt){0});
	owe_responses(&r, 4);
	assert_int_equal(send_burst(&r, 1), 4);
	rig_run(&r, RN_S(1));
	for (unsigned i = 0; i < 4; i++)
		rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[0].mem + 0x8000, r.s[1].mem, 256);
	assert_true(rn_shard_stats(r.s[1].sh)->verdict[RN_V_REQ_DUP_READ] > 0);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_take_the_short_way_at_both_ends),
		cmocka_unit_test(a_long_read_is_stored_the_short_way),
		cmocka_unit_test(a_response_makes_room_for_the_next_read),
		cmocka_unit_test(a_response_acknowledges_earlier_requests),
		cmocka_unit_test(a_request_without_packets_completes_with_its_read),
		cmocka_unit_test(special_requests_are_left_alone),
		cmocka_unit_test(special_responses_are_left_alone),
		cmocka_unit_test(a_run_of_reads_ends_at_the_depth),
		cmocka_unit_test(a_run_of_reads_keeps_the_limits),
		cmocka_unit_test(responses_alternate_with_requests),
		cmocka_unit_test(responses_alternate_with_reads),
		cmocka_unit_test(waiting_reads_do_not_end_a_run_of_responses),
		cmocka_unit_test(a_begun_read_takes_turns_with_responses),
		cmocka_unit_test(a_long_response_is_sent_in_runs),
		cmocka_unit_test(a_request_follows_a_run_of_responses),
		cmocka_unit_test(a_run_of_responses_ends_at_an_ack),
		cmocka_unit_test(a_run_of_responses_ends_at_lost_memory),
		cmocka_unit_test(lost_responses_are_sent_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
