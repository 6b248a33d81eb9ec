/* The responder's checks and replies: rows R, D and A of docs/spec/rocev2.md. The test builds
 * packets relative to the PSN that the QP expects, and takes the QP's replies. */
#include "rig.h"

#define MTU 1024u
static uint8_t data[8192];

static void start(struct rig *r)
{
	rig_init(r, &(struct rig_opt){0});
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 13 + 5);
}

static uint32_t epsn(struct rig *r)
{
	return r->s[1].qp->rx.epsn;
}

/* Takes the next frame of side 1, which must be an ACK with this syndrome, PSN and MSN. */
static void expect_reply(struct rig *r, uint8_t syndrome, uint32_t psn, uint32_t msn)
{
	struct rn_pkt p;

	assert_true(rig_take(r, 1, &p));
	assert_int_equal(p.opcode, RN_OP_ACK);
	assert_int_equal(p.syndrome, syndrome);
	assert_int_equal(p.psn, psn & RN_PSN_MASK);
	assert_int_equal(p.msn, msn);
	/* row D16: flags, pad and payload of an ACK are zero */
	assert_false(p.se || p.ack_req || p.pad || p.payload_len || p.syndrome >> 7);
	assert_true(p.mig);
	assert_int_equal(p.dest_qpn, r->s[0].qpn);
}

static void expect_response(struct rig *r, uint8_t opcode, uint32_t psn, const void *bytes,
			    uint32_t n)
{
	struct rn_pkt p;

	assert_true(rig_take(r, 1, &p));
	assert_int_equal(p.opcode, opcode);
	assert_int_equal(p.psn, psn & RN_PSN_MASK);
	assert_int_equal(p.payload_len, n);
	if (n)
		assert_memory_equal(p.payload, bytes, n);
	if (p.op->has_aeth)
		assert_int_equal(p.syndrome, 0x1F);
	assert_false(p.se || p.ack_req);
}

static bool has_event(struct rig *r, int side, unsigned kind)
{
	struct rn_event ev;

	while (rn_shard_events(r->s[side].sh, &ev, 1))
		if (ev.kind == kind) {
			assert_int_equal(ev.id, r->s[side].qpn);
			assert_int_equal(ev.gen, r->s[side].gen);
			assert_int_equal(ev.user, 77);
			return true;
		}
	return false;
}

static enum rn_verdict give(struct rig *r, uint8_t opcode, int delta, uint32_t len)
{
	struct rn_pkt p = rig_pkt(r, 1, opcode, delta, data, len);

	return rig_rx(r, 1, &p);
}

/* ---- SEND ---- */

/* Rows R1, R2, R4, R41, D10: 20 SENDs get one ACK, across the PSN wrap. */
static void test_send_only(void **state)
{
	struct rig r;
	struct rn_cqe c;
	uint32_t e;

	start(&r);
	e = epsn(&r);
	for (unsigned i = 0; i < 20; i++)
		rig_recv(&r, 1, i, i * 64, 64);
	for (unsigned i = 0; i < 20; i++) { /* PSNs pass the wrap at 0xFFFFFF */
		struct rn_pkt p = rig_pkt(&r, 1, RN_OP_SEND_ONLY, 0, data, i);

		p.ack_req = i == 19;
		p.se = i == 3;
		assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
		assert_true(rig_poll(&r, 1, &c));
		assert_int_equal(c.wr_id, i);
		assert_int_equal(c.byte_len, i);
		assert_int_equal(c.flags, RN_CQE_RECV | (i == 3 ? RN_CQE_SOLICITED : 0));
		assert_memory_equal(r.s[1].mem + i * 64, data, i);
	}
	expect_reply(&r, 0x1F, e + 19, 20);
	rig_expect_silence(&r, 1);
	assert_int_equal(epsn(&r), rn_psn_add(e, 20));
	rig_fini(&r);
}

static void test_send_three(void **state) /* row R3: one completion and one ACK for three packets */
{
	struct rig r;
	struct rn_cqe c;
	uint32_t e;

	start(&r);
	e = epsn(&r);
	rig_recv(&r, 1, 5, 0, 4096);
	assert_int_equal(give(&r, RN_OP_SEND_FIRST, 0, MTU), RN_V_OK);
	assert_int_equal(give(&r, RN_OP_SEND_MIDDLE, 0, MTU), RN_V_OK);
	rig_expect_none(&r, 1);
	assert_int_equal(give(&r, RN_OP_SEND_LAST, 0, 7), RN_V_OK);
	assert_true(rig_poll(&r, 1, &c));
	assert_int_equal(c.byte_len, 2 * MTU + 7);
	expect_reply(&r, 0x1F, e + 2, 1);
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

static void test_receiver_not_ready(void **state) /* rows R9 R10 R11 R12: RNR NAK, then an ACK */
{
	for (int zero = 0; zero < 2; zero++) {
		struct rig r;
		uint32_t e;

		rig_init(&r, &(struct rig_opt){.min_rnr = zero ? 0xFF : 0});
		e = epsn(&r);
		assert_int_equal(give(&r, RN_OP_SEND_ONLY, 0, 8), RN_V_REQ_RNR);
		expect_reply(&r, zero ? 0x20 : 0x2C, e, 0);
		assert_int_equal(give(&r, RN_OP_SEND_ONLY, 1, 8), RN_V_REQ_RNR_AGAIN);
		assert_int_equal(give(&r, RN_OP_SEND_ONLY, 2, 8), RN_V_REQ_RNR_AGAIN);
		rig_expect_silence(&r, 1);
		assert_int_equal(epsn(&r), e);
		rig_recv(&r, 1, 1, 0, 64);
		assert_int_equal(give(&r, RN_OP_SEND_ONLY, 0, 8), RN_V_OK);
		expect_reply(&r, 0x1F, e, 1);
		rig_expect(&r, 1, 1, RN_STATUS_SUCCESS);
		rig_fini(&r);
	}
}

static void test_rnr_waits_grow(void **state)
{
	static const uint8_t asked[] = {0x2C, 0x30, 0x34, 0x38, 0x3C, 0x3F, 0x3F};
	struct rig r;
	uint32_t e;

	rig_init(&r, &(struct rig_opt){0});
	r.s[1].qp->attr.rnr_step = 4;
	e = epsn(&r);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(asked); i++) {
		assert_int_equal(give(&r, RN_OP_SEND_ONLY, 0, 8), RN_V_REQ_RNR);
		expect_reply(&r, asked[i], e, 0);
	}
	rig_recv(&r, 1, 1, 0, 64);
	assert_int_equal(give(&r, RN_OP_SEND_ONLY, 0, 8), RN_V_OK);
	expect_reply(&r, 0x1F, e, 1);
	rig_expect(&r, 1, 1, RN_STATUS_SUCCESS);
	/* an accepted request resets the RNR waits: the next RNR NAK is 0x2C again */
	assert_int_equal(give(&r, RN_OP_SEND_ONLY, 0, 8), RN_V_REQ_RNR);
	expect_reply(&r, 0x2C, e + 1, 1);
	rig_fini(&r);
}

/* ---- requests that get a fatal NAK ---- */

struct fatal {
	const char *row;
	uint8_t before, before2; /* opcodes of earlier, accepted packets; 0xFF: none */
	uint32_t reth;		 /* RETH length, if `before` is a WRITE */
	uint8_t opcode;
	uint32_t len;
	uint32_t dma_len; /* RETH length of the bad packet; 0: same as len */
	uint8_t pad;
	enum {
		GOOD,
		BAD_KEY,
		OTHER_PD,
		READ_ONLY,
		BEYOND,
		WRAPS,
		NO_QP_WRITE,
		NO_QP_READ,
		NO_READS
	} target;
	uint8_t syndrome;
	enum rn_verdict verdict;
	uint8_t recv_status; /* status of the posted receive; FLUSH: no packet used it */
};

#define NONE  0xFF
#define FLUSH RN_STATUS_WR_FLUSH_ERR
#define QPOP  RN_STATUS_LOC_QP_OP_ERR

/* clang-format off */
static const struct fatal fatals[] = {
	{"R13",  NONE, NONE, 0, RN_OP_SEND_ONLY, 600, 0, 0, GOOD, 0x61, RN_V_REQ_TOO_LONG, RN_STATUS_LOC_LEN_ERR},
	{"R14",  NONE, NONE, 0, RN_OP_SEND_FIRST, MTU - 4, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R17",  NONE, NONE, 0, RN_OP_SEND_ONLY, MTU + 4, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R18",  NONE, NONE, 0, RN_OP_WRITE_FIRST, MTU, 3000, 1, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R19",  NONE, NONE, 0, RN_OP_SEND_MIDDLE, MTU, 0, 0, GOOD, 0x61, RN_V_REQ_SEQUENCE, FLUSH},
	{"R19b", NONE, NONE, 0, RN_OP_SEND_LAST, 8, 0, 0, GOOD, 0x61, RN_V_REQ_SEQUENCE, FLUSH},
	{"R19c", NONE, NONE, 0, RN_OP_WRITE_LAST, 8, 0, 0, GOOD, 0x61, RN_V_REQ_SEQUENCE, FLUSH},
	{"R22",  RN_OP_WRITE_FIRST, NONE, 1500, RN_OP_SEND_LAST, 476, 0, 0, GOOD, 0x61, RN_V_REQ_SEQUENCE, FLUSH},
	{"R22b", RN_OP_WRITE_FIRST, NONE, 1500, RN_OP_READ_REQUEST, 0, 8, 0, GOOD, 0x61, RN_V_REQ_SEQUENCE, FLUSH},
	{"R28",  NONE, NONE, 0, RN_OP_WRITE_ONLY, 8, 0, 0, BAD_KEY, 0x62, RN_V_REQ_RKEY, FLUSH},
	{"R29",  NONE, NONE, 0, RN_OP_WRITE_ONLY, 8, 0, 0, OTHER_PD, 0x62, RN_V_REQ_RKEY, FLUSH},
	{"R30",  NONE, NONE, 0, RN_OP_WRITE_ONLY, 8, 0, 0, READ_ONLY, 0x62, RN_V_REQ_RIGHTS, FLUSH},
	{"R31",  NONE, NONE, 0, RN_OP_WRITE_ONLY, 9, 0, 0, BEYOND, 0x62, RN_V_REQ_BOUNDS, FLUSH},
	{"R31b", NONE, NONE, 0, RN_OP_WRITE_FIRST, MTU, MTU + 1, 0, BEYOND, 0x62, RN_V_REQ_BOUNDS, FLUSH},
	{"R32",  NONE, NONE, 0, RN_OP_WRITE_ONLY, 16, 0, 0, WRAPS, 0x62, RN_V_REQ_BOUNDS, FLUSH},
	{"R33",  NONE, NONE, 0, RN_OP_WRITE_ONLY, 8, 0, 0, NO_QP_WRITE, 0x61, RN_V_REQ_QP_ACCESS, FLUSH},
	{"R34",  NONE, NONE, 0, RN_OP_WRITE_FIRST, MTU, (1u << 31) + 1, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R35",  RN_OP_WRITE_FIRST, NONE, 1500, RN_OP_WRITE_MIDDLE, MTU, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R35b", RN_OP_WRITE_FIRST, NONE, 1500, RN_OP_WRITE_LAST, 475, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R35c", RN_OP_WRITE_FIRST, NONE, 1500, RN_OP_WRITE_LAST, 477, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R36",  NONE, NONE, 0, RN_OP_WRITE_ONLY, 8, 9, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R36b", NONE, NONE, 0, RN_OP_WRITE_FIRST, MTU, MTU, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R37",  RN_OP_WRITE_FIRST, NONE, 4000, RN_OP_WRITE_LAST, MTU, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	{"R39",  NONE, NONE, 0, 0x15, 0, 0, 0, GOOD, 0x61, RN_V_REQ_UNSUPPORTED, FLUSH},
	{"R39b", NONE, NONE, 0, 0x1F, 0, 0, 0, GOOD, 0x61, RN_V_REQ_UNSUPPORTED, FLUSH},
	{"A6",   NONE, NONE, 0, RN_OP_READ_REQUEST, 0, 100, 0, BAD_KEY, 0x62, RN_V_REQ_RKEY, FLUSH},
	{"A6b",  NONE, NONE, 0, RN_OP_READ_REQUEST, 0, 100, 0, BEYOND, 0x62, RN_V_REQ_BOUNDS, FLUSH},
	{"A6c",  NONE, NONE, 0, RN_OP_READ_REQUEST, 0, 100, 0, READ_ONLY, 0x62, RN_V_REQ_RIGHTS, FLUSH},
	{"A7",   NONE, NONE, 0, RN_OP_READ_REQUEST, 0, 100, 0, NO_QP_READ, 0x61, RN_V_REQ_QP_ACCESS, FLUSH},
	{"A8",   NONE, NONE, 0, RN_OP_READ_REQUEST, 0, 100, 0, NO_READS, 0x61, RN_V_REQ_READ_LIMIT, FLUSH},
	{"A34",  NONE, NONE, 0, RN_OP_READ_REQUEST, 0, (1u << 31) + 1, 0, GOOD, 0x61, RN_V_REQ_LENGTH, FLUSH},
	/* an error in the middle of a SEND completes the receive of this SEND with an error */
	{"R15",  RN_OP_SEND_FIRST, NONE, 0, RN_OP_SEND_MIDDLE, MTU - 4, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, QPOP},
	{"R16",  RN_OP_SEND_FIRST, NONE, 0, RN_OP_SEND_LAST, 0, 0, 0, GOOD, 0x61, RN_V_REQ_LENGTH, QPOP},
	{"R20",  RN_OP_SEND_FIRST, NONE, 0, RN_OP_WRITE_ONLY, 8, 0, 0, GOOD, 0x61, RN_V_REQ_SEQUENCE, QPOP},
	{"R21",  RN_OP_SEND_FIRST, NONE, 0, RN_OP_SEND_ONLY, 8, 0, 0, GOOD, 0x61, RN_V_REQ_SEQUENCE, QPOP},
	{"R13b", RN_OP_SEND_FIRST, RN_OP_SEND_MIDDLE, 0, RN_OP_SEND_MIDDLE, MTU, 0, 0, GOOD, 0x61, RN_V_REQ_TOO_LONG,
	 RN_STATUS_LOC_LEN_ERR},
};
/* clang-format on */

static void aim(struct rig *r, const struct fatal *f, struct rn_pkt *p)
{
	struct rn_mr_attr mr = {.ptr = r->s[1].mem,
				.iova = (uintptr_t)r->s[1].mem,
				.length = 4096,
				.pd = 1,
				.access = RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ};
	uint32_t lkey;

	switch (f->target) {
	case GOOD:
		return;
	case BAD_KEY:
		p->rkey ^= 1;
		return;
	case OTHER_PD:
		mr.pd = 2;
		break;
	case READ_ONLY:
		mr.access = RN_ACCESS_LOCAL_WRITE;
		break;
	case BEYOND:
		p->va += 4096 - p->dma_len + 1;
		break;
	case WRAPS:
		p->va = UINT64_MAX - 7;
		break;
	case NO_QP_WRITE:
		r->s[1].qp->access &= ~(uint32_t)RN_ACCESS_REMOTE_WRITE;
		return;
	case NO_QP_READ:
		r->s[1].qp->access &= ~(uint32_t)RN_ACCESS_REMOTE_READ;
		return;
	case NO_READS:
		r->s[1].qp->rx.nrec = 0;
		return;
	}
	assert_int_equal(rn_mr_add(r->s[1].mrs, &mr, &lkey, &p->rkey), 0);
}

static void test_fatal(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(fatals); i++) {
		const struct fatal *f = &fatals[i];
		bool long_recv = !strcmp(f->row, "R13b");
		struct rig r;
		struct rn_pkt p;
		uint32_t e;

		start(&r);
		rig_recv(&r, 1, 1, 0x10000,
			 long_recv		 ? 2 * MTU
			 : strcmp(f->row, "R13") ? 4 * MTU
						 : 512);
		for (int b = 0; b < 2; b++) {
			uint8_t op = b ? f->before2 : f->before;
			struct rn_pkt q = rig_pkt(&r, 1, op, 0, data, MTU);

			if (op == NONE)
				continue;
			q.dma_len = f->reth;
			q.ack_req = false;
			assert_int_equal(rig_rx(&r, 1, &q), RN_V_OK);
		}
		e = epsn(&r);
		p = rig_pkt(&r, 1, f->opcode, 0, data, f->len);
		if (f->dma_len)
			p.dma_len = f->dma_len;
		p.pad = f->pad;
		aim(&r, f, &p);
		memset(r.s[1].mem, 0, 8192);
		if (rig_rx(&r, 1, &p) != f->verdict)
			fail_msg("%s: wrong verdict", f->row);
		assert_int_equal(r.s[1].qp->state, RN_QPS_ERR);
		if (f->opcode >= RN_OP_WRITE_FIRST && f->opcode <= RN_OP_WRITE_ONLY &&
		    f->before == NONE)
			for (unsigned k = 0; k < 8192; k++)
				assert_int_equal(r.s[1].mem[k], 0); /* no byte is written */
		expect_reply(&r, f->syndrome, e, 0);
		rig_expect_silence(&r, 1);
		rig_expect(&r, 1, 1, f->recv_status);
		rig_expect_none(&r, 1);
		if (!has_event(&r, 1,
			       f->syndrome == 0x62 ? RN_EVENT_QP_ACCESS_ERR : RN_EVENT_QP_REQ_ERR))
			fail_msg("%s: no event", f->row);
		/* row D15: after the fatal NAK a valid packet is dropped */
		assert_int_equal(give(&r, RN_OP_SEND_ONLY, 0, 8), RN_V_QP_STATE);
		rig_expect_silence(&r, 1);
		rig_fini(&r);
	}
}

static void test_bad_receive(void **state) /* row R38: NAK 0x63 for an inaccessible buffer */
{
	struct rig r;
	uint32_t e;

	start(&r);
	e = epsn(&r);
	rig_recv(&r, 1, 1, RIG_MEM - 4, 64); /* reaches beyond the region of side 1 */
	rig_recv(&r, 1, 2, 0, 64);
	assert_int_equal(give(&r, RN_OP_SEND_ONLY, 0, 64), RN_V_REQ_LOCAL);
	expect_reply(&r, 0x63, e, 0);
	rig_expect(&r, 1, 1, RN_STATUS_LOC_PROT_ERR);
	rig_expect(&r, 1, 2, RN_STATUS_WR_FLUSH_ERR);
	rig_fini(&r);
}

/* ---- WRITE ---- */

static void test_write(void **state) /* rows R23 R24 R27: WRITEs of 1 packet, 3 packets, 0 bytes */
{
	struct rig r;
	struct rn_pkt p;
	uint32_t e;

	start(&r);
	e = epsn(&r);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 0, 8), RN_V_OK);
	assert_memory_equal(r.s[1].mem, data, 8);
	expect_reply(&r, 0x1F, e, 1);
	p = rig_pkt(&r, 1, RN_OP_WRITE_FIRST, 0, data, MTU);
	p.va += 100;
	p.dma_len = 2 * MTU + 7;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	p = rig_pkt(&r, 1, RN_OP_WRITE_MIDDLE, 0, data + MTU, MTU);
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	p = rig_pkt(&r, 1, RN_OP_WRITE_LAST, 0, data + 2 * MTU, 7);
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	assert_memory_equal(r.s[1].mem + 100, data, 2 * MTU + 7);
	assert_int_equal(r.s[1].mem[100 + 2 * MTU + 7], 0);
	expect_reply(&r, 0x1F, e + 3, 2);
	p = rig_pkt(&r, 1, RN_OP_WRITE_ONLY, 0, data, 0);
	p.rkey = 0xDEAD;
	p.va = 1;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	expect_reply(&r, 0x1F, e + 4, 3);
	rig_expect_none(&r, 1);
	rig_fini(&r);
}

static void test_ready_to_receive(void **state) /* row R40: COMM_EST at the first packet in RTR */
{
	extern unsigned fake_comm_est;

	/* rn_cm_comm_est() is called in RTS too, because data can arrive before the RTU */
	for (int rtr = 0; rtr < 2; rtr++) {
		unsigned before = fake_comm_est;
		struct rig r;
		uint32_t e;

		rig_init(&r, &(struct rig_opt){.only_rtr = rtr});
		e = epsn(&r);
		assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 0, 8), RN_V_OK);
		assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 0, 8), RN_V_OK);
		expect_reply(&r, 0x1F, e + 1, 2);
		assert_int_equal(has_event(&r, 1, RN_EVENT_COMM_EST), rtr);
		assert_false(has_event(&r, 1, RN_EVENT_COMM_EST));
		assert_int_equal(fake_comm_est, before + 1);
		rig_fini(&r);
	}
}

static void test_msn_wrap(void **state) /* row R42: the MSN is modulo 2^24 */
{
	struct rig r;
	uint32_t e;

	start(&r);
	e = epsn(&r);
	r.s[1].qp->rx.msn = 0xFFFFFF;
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 0, 8), RN_V_OK);
	expect_reply(&r, 0x1F, e, 0);
	rig_fini(&r);
}

/* ---- order and duplicates ---- */

static void test_gap(void **state) /* rows D1 D2 D3 D9: one NAK for each gap */
{
	struct rig r;
	uint32_t e;

	start(&r);
	give(&r, RN_OP_WRITE_ONLY, 0, 8);
	e = epsn(&r);
	expect_reply(&r, 0x1F, e - 1, 1);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 1, 8), RN_V_REQ_GAP);
	expect_reply(&r, 0x60, e, 1);
	for (int d = 2; d <= 10; d++)
		assert_int_equal(give(&r, RN_OP_WRITE_ONLY, d, 8), RN_V_REQ_GAP_AGAIN);
	rig_expect_silence(&r, 1);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, -1, 8), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e - 1, 1);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 1, 8), RN_V_REQ_GAP_AGAIN);
	rig_expect_silence(&r, 1);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 0, 8), RN_V_OK);
	expect_reply(&r, 0x1F, e, 2);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 1, 8), RN_V_REQ_GAP);
	expect_reply(&r, 0x60, e + 1, 2);
	rig_fini(&r);
}

static void test_duplicates(void **state) /* rows D4 D5 D6 D7 D8: duplicates get only an ACK */
{
	struct rig r;
	struct rn_pkt p;
	uint32_t e;

	start(&r);
	rig_recv(&r, 1, 1, 0, 4096);
	rig_recv(&r, 1, 2, 0, 4096);
	give(&r, RN_OP_SEND_FIRST, 0, MTU);
	give(&r, RN_OP_SEND_LAST, 0, 8);
	rig_expect(&r, 1, 1, RN_STATUS_SUCCESS);
	e = epsn(&r);
	expect_reply(&r, 0x1F, e - 1, 1);
	assert_int_equal(give(&r, RN_OP_SEND_LAST, -1, 8), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e - 1, 1);
	assert_int_equal(give(&r, RN_OP_SEND_FIRST, -2, MTU), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e - 1, 1);
	assert_int_equal(give(&r, RN_OP_SEND_LAST, -1, 0),
			 RN_V_REQ_DUPLICATE); /* the length of a duplicate is not checked */
	p = rig_pkt(&r, 1, RN_OP_WRITE_ONLY, -1, data, 8);
	p.rkey = 1;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e - 1, 1);
	assert_int_equal(give(&r, RN_OP_SEND_ONLY, -(1 << 23) + 1, 8), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e - 1, 1);
	assert_int_equal(give(&r, RN_OP_SEND_ONLY, (1 << 23) - 1, 8), RN_V_REQ_GAP);
	expect_reply(&r, 0x60, e, 1);
	rig_expect_none(&r, 1);
	rig_fini(&r);
}

/* ---- READ ---- */

static enum rn_verdict ask(struct rig *r, int delta, uint32_t off, uint32_t len)
{
	struct rn_pkt p = rig_pkt(r, 1, RN_OP_READ_REQUEST, delta, NULL, 0);

	p.va += off;
	p.dma_len = len;
	return rig_rx(r, 1, &p);
}

static void start_read(struct rig *r)
{
	start(r);
	memcpy(r->s[1].mem, data, sizeof(data));
}

static void test_read(void **state) /* rows A1 A2 A3 A4 A5 D11 D12: responses and ACKs in order */
{
	struct rig r;
	struct rn_pkt p;
	uint32_t e;

	start_read(&r);
	e = epsn(&r);
	ask(&r, 0, 0, 100);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e, data, 100);
	assert_int_equal(epsn(&r), rn_psn_add(e, 1));
	ask(&r, 0, 50, 3000);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e + 1, data + 50, MTU);
	expect_response(&r, RN_OP_READ_RESP_MIDDLE, e + 2, data + 50 + MTU, MTU);
	expect_response(&r, RN_OP_READ_RESP_LAST, e + 3, data + 50 + 2 * MTU, 952);
	ask(&r, 0, 0, 2048);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e + 4, data, MTU);
	expect_response(&r, RN_OP_READ_RESP_LAST, e + 5, data + MTU, MTU);
	p = rig_pkt(&r, 1, RN_OP_READ_REQUEST, 0, NULL, 0);
	p.rkey = 77;
	p.dma_len = 0;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e + 6, NULL, 0);
	ask(&r, 0, 1, 3);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e + 7, data + 1, 3);
	assert_int_equal(r.s[1].qp->rx.msn, 5);
	/* the first WRITE's ACK precedes the responses; one ACK answers the other two WRITEs */
	give(&r, RN_OP_WRITE_ONLY, 0, 8);
	ask(&r, 0, 100, 2048);
	give(&r, RN_OP_WRITE_ONLY, 0, 8);
	give(&r, RN_OP_WRITE_ONLY, 0, 8);
	expect_reply(&r, 0x1F, e + 8, 6);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e + 9, data + 100, MTU);
	expect_response(&r, RN_OP_READ_RESP_LAST, e + 10, data + 100 + MTU, MTU);
	expect_reply(&r, 0x1F, e + 12, 9);
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

static void test_read_limit(void **state) /* rows A9 A10 D14: 5th READ and wrong PSNs are refused */
{
	struct rig r;
	uint32_t e;

	start_read(&r);
	rig_recv(&r, 1, 1, 0, 64);
	e = epsn(&r);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(ask(&r, 0, i, 2048), RN_V_OK);
	/* a SEND with a PSN from a READ's range is dropped like an old duplicate */
	assert_int_equal(give(&r, RN_OP_SEND_ONLY, -1, 8), RN_V_REQ_DUP_STALE);
	assert_int_equal(give(&r, RN_OP_SEND_ONLY, 1, 8), RN_V_REQ_GAP);
	for (unsigned i = 0; i < 4; i++) {
		expect_response(&r, RN_OP_READ_RESP_FIRST, e + 2 * i, data + i, MTU);
		expect_response(&r, RN_OP_READ_RESP_LAST, e + 2 * i + 1, data + i + MTU, MTU);
	}
	expect_reply(&r, 0x60, e + 8, 4);
	rig_expect_silence(&r, 1);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(ask(&r, 0, i, 8), RN_V_OK);
	assert_int_equal(ask(&r, 0, 0, 8), RN_V_REQ_READ_LIMIT);
	for (unsigned i = 0; i < 4; i++)
		expect_response(&r, RN_OP_READ_RESP_ONLY, e + 8 + i, data + i, 8);
	expect_reply(&r, 0x61, e + 12, 8);
	rig_expect(&r, 1, 1, RN_STATUS_WR_FLUSH_ERR);
	rig_fini(&r);
}

/* Rows A11, A12, A13, A14, A15, A16, A17: which duplicate READ requests are answered. */
static void test_read_again(void **state)
{
	struct rig r;
	struct rn_pkt p;
	uint32_t e;

	start_read(&r);
	e = epsn(&r);
	ask(&r, 0, 0, 3000);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e, data, MTU);
	/* a duplicate READ request between the responses makes the responses start again */
	assert_int_equal(ask(&r, -3, 0, 3000), RN_V_REQ_DUP_READ);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e, data, MTU);
	expect_response(&r, RN_OP_READ_RESP_MIDDLE, e + 1, data + MTU, MTU);
	expect_response(&r, RN_OP_READ_RESP_LAST, e + 2, data + 2 * MTU, 952);
	rig_expect_silence(&r, 1);
	assert_int_equal(ask(&r, -3, 0, 3000), RN_V_REQ_DUP_READ);
	assert_int_equal(ask(&r, -2, MTU, 3000 - MTU), RN_V_REQ_DUP_READ);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e + 1, data + MTU, MTU);
	expect_response(&r, RN_OP_READ_RESP_LAST, e + 2, data + 2 * MTU, 952);
	assert_int_equal(ask(&r, -1, 2 * MTU, 952), RN_V_REQ_DUP_READ);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e + 2, data + 2 * MTU, 952);
	assert_int_equal(ask(&r, -2, MTU + 1, 3000 - MTU), RN_V_REQ_DUP_STALE);
	assert_int_equal(ask(&r, -2, MTU, 3000 - MTU + 1), RN_V_REQ_DUP_STALE);
	assert_int_equal(ask(&r, -2, MTU, 3000 - MTU - 1), RN_V_REQ_DUP_STALE);
	p = rig_pkt(&r, 1, RN_OP_READ_REQUEST, -3, NULL, 0);
	p.rkey ^= 1;
	p.dma_len = 3000;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_REQ_DUP_STALE);
	rig_expect_silence(&r, 1);
	assert_int_equal(epsn(&r), rn_psn_add(e, 3));
	for (unsigned i = 0; i < 4; i++) {
		ask(&r, 0, 0, 8);
		expect_response(&r, RN_OP_READ_RESP_ONLY, e + 3 + i, data, 8);
	}
	assert_int_equal(ask(&r, -7, 0, 3000), RN_V_REQ_DUP_STALE);
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

static void test_replay_in_order(void **state)
{
	struct rig r;
	uint32_t e;

	start_read(&r);
	e = epsn(&r);
	ask(&r, 0, 0, 8);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e, data, 8);
	ask(&r, 0, 1, 8);
	give(&r, RN_OP_WRITE_ONLY, 0, 8);
	/* the duplicate of the first READ must be answered before the unanswered second READ */
	assert_int_equal(ask(&r, -3, 0, 8), RN_V_REQ_DUP_READ);
	memcpy(r.s[1].mem, data, 64);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e, data, 8);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e + 1, data + 1, 8);
	expect_reply(&r, 0x1F, e + 2, 3);
	/* this duplicate's response is dropped: the third new READ takes the old READ's record */
	assert_int_equal(ask(&r, -3, 0, 8), RN_V_REQ_DUP_READ);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(ask(&r, 0, i, 8), RN_V_OK);
	for (unsigned i = 0; i < 3; i++)
		expect_response(&r, RN_OP_READ_RESP_ONLY, e + 3 + i, data + i, 8);
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

static void test_duplicate_before_read(void **state) /* row D13: duplicate older than a READ */
{
	struct rig r;
	uint32_t e;

	start_read(&r);
	e = epsn(&r);
	give(&r, RN_OP_WRITE_ONLY, 0, 8);
	ask(&r, 0, 100, 8);
	expect_reply(&r, 0x1F, e, 1);
	expect_response(&r, RN_OP_READ_RESP_ONLY, e + 1, data + 100, 8);
	give(&r, RN_OP_WRITE_ONLY, 0, 8);
	expect_reply(&r, 0x1F, e + 2, 3);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, -3, 8), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e, 3);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, -1, 8), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e + 2, 3);
	rig_fini(&r);
}

static void test_read_memory_gone(void **state) /* row A18: memory of two READs is deregistered */
{
	struct rig r;
	uint32_t e;

	start_read(&r);
	e = epsn(&r);
	ask(&r, 0, 0, 2048);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e, data, MTU);
	expect_response(&r, RN_OP_READ_RESP_LAST, e + 1, data + MTU, MTU);
	ask(&r, 0, 0, 2048);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e + 2, data, MTU);
	/* this duplicate of the first READ is answered before the rest of the second READ */
	assert_int_equal(ask(&r, -4, 0, 2048), RN_V_REQ_DUP_READ);
	assert_int_equal(rn_mr_remove(r.s[1].mrs, r.s[1].key), 0);
	assert_int_equal(ask(&r, -4, 0, 2048), RN_V_REQ_REPLAY_GONE);
	/* the repeated responses are dropped, and the rest of the second READ gets a NAK */
	expect_reply(&r, 0x62, e + 3, 2);
	assert_int_equal(r.s[1].qp->state, RN_QPS_ERR);
	assert_true(has_event(&r, 1, RN_EVENT_QP_ACCESS_ERR));
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

/* The list of replies that are due but unsent stays within its bound. */
static void test_owed_bounded(void **state)
{
	struct rig r;
	uint32_t seed = 1;

	rig_init(&r, &(struct rig_opt){.reads = RN_MAX_RD_ATOMIC});
	for (unsigned i = 0; i < 200000; i++) {
		static const uint8_t ops[] = {RN_OP_WRITE_ONLY, RN_OP_READ_REQUEST,
					      RN_OP_READ_REQUEST};
		struct rn_pkt p;

		seed = seed * 1664525 + 1013904223;
		p = rig_pkt(&r, 1, ops[(seed >> 8) % 3], 0, data, 0);
		if ((seed >> 16) % 3 == 0)
			p.psn = rn_psn_add(p.psn, (seed >> 20) % 64 - 40);
		if (r.s[1].qp->rx.nowed_reads >= RN_MAX_RD_ATOMIC && p.psn == epsn(&r))
			p.opcode = RN_OP_WRITE_ONLY;
		p.op = rn_opcode_row(p.opcode);
		p.dma_len = 0;
		rig_rx(&r, 1, &p);
		assert_int_equal(r.s[1].qp->state, RN_QPS_RTS);
		assert_true(r.s[1].qp->rx.nowed <= RN_OWED_MAX);
		if ((seed >> 28) == 0)
			rig_take(&r, 1, &p);
	}
	while (rig_take(&r, 1, &(struct rn_pkt){0}))
		;
	rig_fini(&r);
}

/* Sets the expected PSN back to `e`, as if all other PSNs had been used in between. */
static void go_round(struct rig *r, uint32_t e)
{
	struct rn_rx *rx = &r->s[1].qp->rx;

	rx->taken += RN_PSN_MASK + 1 - rn_psn_add(rx->epsn, -e);
	rx->epsn = e;
}

/* After the PSN wrap a duplicate must not match the record of a READ from before the wrap. */
static void test_record_of_last_round(void **state)
{
	struct rig r;
	struct rn_pkt p;
	uint32_t e;

	start(&r);
	e = epsn(&r);
	ask(&r, 0, 0, 3 * MTU);
	for (unsigned i = 0; i < 3; i++)
		assert_true(rig_take(&r, 1, &p));
	go_round(&r, e);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 0, 8), RN_V_OK);
	expect_reply(&r, 0x1F, e + 2, 4);
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, -2, 8), RN_V_REQ_DUPLICATE);
	expect_reply(&r, 0x1F, e + 2, 4);
	/* of two READ records with the same PSNs, a duplicate must match the newer record */
	go_round(&r, e);
	ask(&r, 0, 64, 2 * MTU);
	for (unsigned i = 0; i < 2; i++)
		assert_true(rig_take(&r, 1, &p));
	assert_int_equal(ask(&r, -2, 64, 2 * MTU), RN_V_REQ_DUP_READ);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e, r.s[1].mem + 64, MTU);
	expect_response(&r, RN_OP_READ_RESP_LAST, e + 1, r.s[1].mem + 64 + MTU, MTU);
	rig_fini(&r);
}

/* The longest READ uses half of all PSNs. The ACK of a later packet must still come last. */
static void test_longest_read(void **state)
{
	const uint32_t npkts = RN_PSN_WINDOW;
	struct rig r;
	struct rn_pkt p;
	uint32_t e, key, rkey;

	rig_init(&r, &(struct rig_opt){.mtu = 1});
	e = epsn(&r);
	assert_int_equal(rn_mr_add(r.s[1].mrs,
				   &(struct rn_mr_attr){.ptr = r.s[1].mem,
							.length = RN_MSG_MAX,
							.pd = 1,
							.access = RN_ACCESS_REMOTE_READ},
				   &key, &rkey),
			 0);
	p = rig_pkt(&r, 1, RN_OP_READ_REQUEST, 0, NULL, 0);
	p.va = 0;
	p.rkey = rkey;
	p.dma_len = RN_MSG_MAX;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	expect_response(&r, RN_OP_READ_RESP_FIRST, e, r.s[1].mem, 256);
	/* the first response frees one PSN, so the requester may send one more packet */
	assert_int_equal(give(&r, RN_OP_WRITE_ONLY, 0, 8), RN_V_OK);
	expect_response(&r, RN_OP_READ_RESP_MIDDLE, e + 1, r.s[1].mem + 256, 256);
	assert_int_equal(r.s[1].qp->rx.owed[0].kind, RN_OWE_READ);
	assert_int_equal(r.s[1].qp->rx.owed[1].psn, rn_psn_add(e, npkts));
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send_only),
		cmocka_unit_test(test_send_three),
		cmocka_unit_test(test_receiver_not_ready),
		cmocka_unit_test(test_rnr_waits_grow),
		cmocka_unit_test(test_fatal),
		cmocka_unit_test(test_bad_receive),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_ready_to_receive),
		cmocka_unit_test(test_msn_wrap),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_limit),
		cmocka_unit_test(test_read_again),
		cmocka_unit_test(test_replay_in_order),
		cmocka_unit_test(test_duplicate_before_read),
		cmocka_unit_test(test_read_memory_gone),
		cmocka_unit_test(test_longest_read),
		cmocka_unit_test(test_record_of_last_round),
		cmocka_unit_test(test_owed_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
