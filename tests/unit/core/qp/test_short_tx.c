/* A run of requests sent the short way (qp/short_tx.h) keeps the rules of the general way: window,
 * quota, replies before requests, fences, and the end of the PSN space. */
#include "qp/short_tx.h"

#include "rig.h"

#define BURST 32u

/* The frames that side 0 sends at once. */
struct burst {
	uint8_t data[BURST][2048];
	struct rn_txbuf buf[BURST];
	unsigned n;
};

static void take_burst(struct rig *r, struct burst *b)
{
	for (unsigned i = 0; i < BURST; i++)
		b->buf[i] = (struct rn_txbuf){.data = b->data[i], .cap = sizeof(b->data[i])};
	b->n = rn_shard_tx(r->s[0].sh, b->buf, BURST, r->now);
}

/* Returns the opcode and the PSN of frame i. The parser must accept the frame. */
static uint8_t opcode_at(const struct burst *b, unsigned i, uint32_t *psn)
{
	struct rn_pkt pkt;

	assert_true(i < b->n);
	assert_int_equal(rn_frame_parse(b->data[i], b->buf[i].len, &pkt), RN_V_OK);
	*psn = pkt.psn;
	return pkt.opcode;
}

/* Gives all frames of the burst to side 1. */
static void deliver(struct rig *r, const struct burst *b)
{
	for (unsigned i = 0; i < b->n; i++) {
		enum rn_verdict v;

		assert_true(rn_shard_rx_short(r->s[1].sh, b->data[i], b->buf[i].len, &v, r->now));
		assert_int_equal(v, RN_V_OK);
	}
	rn_shard_done(r->s[1].sh, r->now);
}

static void a_run_is_data_in_order(void **state)
{
	struct rig r;
	static struct burst b;
	uint32_t psn;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned i = 0; i < 24; i++) {
		memset(r.s[0].mem + i * 100, (int)i + 1, 100);
		/* The first packet goes the general way. It opens the short way for the others. */
		rig_request(&r, 0, i % 2 ? RN_WQE_WRITE : RN_WQE_SEND, RN_WQE_SIGNALED, i, i * 100,
			    1 + i * 4, 50000 + i * 100);
		rig_recv(&r, 1, i, 60000 + i * 100, 100);
	}
	rig_move(&r, 0, 1);
	rig_move(&r, 1, 1);
	take_burst(&r, &b);
	assert_int_equal(b.n, 23);
	for (unsigned i = 0; i < b.n; i++) {
		uint8_t op = opcode_at(&b, i, &psn);

		assert_int_equal(op, (i + 1) % 2 ? RN_OP_WRITE_ONLY : RN_OP_SEND_ONLY);
		assert_int_equal(psn, rn_psn_add(RIG_PSN_A, i + 1)); /* wraps to 0 on the way */
	}
	deliver(&r, &b);
	rig_run(&r, RN_S(1));
	for (unsigned i = 0; i < 24; i++) {
		rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
		/* SENDs have even numbers and use the receives in order. */
		if (i % 2 == 0)
			rig_expect(&r, 1, i / 2, RN_STATUS_SUCCESS);
	}
	for (unsigned i = 1; i < 24; i += 2)
		assert_memory_equal(r.s[1].mem + 50000 + i * 100, r.s[0].mem + i * 100, 1 + i * 4);
	rig_fini(&r);
}

static void a_run_ends_at_the_window(void **state)
{
	struct rig r;
	static struct burst b;

	rig_init(&r, &(struct rig_opt){.window = 5});
	for (unsigned i = 0; i < 20; i++)
		rig_request(&r, 0, RN_WQE_WRITE, 0, i, 0, 64, 0);
	take_burst(&r, &b);
	assert_int_equal(b.n, 5);
	take_burst(&r, &b);
	assert_int_equal(b.n, 0);
	rig_run(&r, RN_S(1)); /* the five frames are lost and sent again */
	assert_int_equal(r.s[0].qp->sq.head, 20);
	rig_fini(&r);
}

static void a_run_ends_at_the_quota(void **state)
{
	struct rig r;
	struct rn_txbuf buf[BURST];
	static struct burst b;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned i = 0; i < 20; i++)
		rig_request(&r, 0, RN_WQE_WRITE, 0, i, 0, 64, 0);
	r.s[0].qp->quota = 7;
	for (unsigned i = 0; i < BURST; i++)
		buf[i] = (struct rn_txbuf){.data = b.data[i], .cap = sizeof(b.data[i])};
	assert_int_equal(rn_short_tx(r.s[0].qp, buf, BURST, r.now), 7);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

static void replies_go_before_a_run(void **state)
{
	struct rig r;
	static struct burst b;
	uint32_t psn;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 1, RN_WQE_WRITE, 0, 1, 0, 64, 0);
	rig_move(&r, 1, 1);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 2, 0, 64, 0);
	take_burst(&r, &b);
	assert_int_equal(b.n, 2);
	assert_int_equal(opcode_at(&b, 0, &psn), RN_OP_ACK);
	assert_int_equal(opcode_at(&b, 1, &psn), RN_OP_WRITE_ONLY);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* A lone ACK does not get as far as rn_short_tx(); an RNR NAK does. */
static void a_nak_goes_before_a_run(void **state)
{
	struct rig r;
	static struct burst b;
	uint32_t psn;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 1, RN_WQE_SEND, 0, 1, 0, 64, 0); /* no receive is posted */
	rig_move(&r, 1, 1);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 2, 0, 64, 0);
	take_burst(&r, &b);
	assert_int_equal(b.n, 2);
	assert_int_equal(opcode_at(&b, 0, &psn), RN_OP_ACK);
	assert_int_equal(opcode_at(&b, 1, &psn), RN_OP_WRITE_ONLY);
	rig_fini(&r);
}

static void a_fenced_request_waits_for_the_read(void **state)
{
	struct rig r;
	static struct burst b;
	uint32_t psn;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 0, RN_WQE_READ, 0, 1, 0, 64, 0);
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_FENCE, 2, 0, 64, 0);
	take_burst(&r, &b);
	assert_int_equal(b.n, 1);
	assert_int_equal(opcode_at(&b, 0, &psn), RN_OP_READ_REQUEST);
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

/* The run looks up a key once, but checks each request: a run of good requests ends before the
 * request whose key or range is wrong, which fails. */
static void a_run_ends_at_a_wrong_key_or_range(void **state)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		struct rig r;
		static struct burst b;
		struct rn_cqe c;

		rig_init(&r, &(struct rig_opt){0});
		for (unsigned i = 0; i < 4; i++) {
			struct rn_wqe w = {.kind = RN_WQE_WRITE,
					   .slots = 1,
					   .num_sge = 1,
					   .wr_id = i,
					   .remote_va = (uintptr_t)r.s[1].mem,
					   .rkey = r.s[1].key,
					   .length = 64};

			w.sge[0] = (struct rn_sge){(uintptr_t)r.s[0].mem, 64, r.s[0].key};
			if (i == 2 && kind == 0)
				w.sge[0].lkey ^= 0x100;
			if (i == 2 && kind == 1)
				w.sge[0].lkey = 0;
			if (i == 2 && kind == 2)
				w.sge[0].addr += RIG_MEM - 63;
			if (i == 2 && kind == 3)
				w.sge[0].addr -= 1;
			rig_post(&r, 0, &w);
		}
		take_burst(&r, &b);
		assert_int_equal(b.n, 2);
		deliver(&r, &b);
		rig_run(&r, RN_S(1));
		assert_true(rig_poll(&r, 0, &c));
		assert_int_equal(c.wr_id, 2);
		assert_int_equal(c.status, RN_STATUS_LOC_PROT_ERR);
		rig_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_data_in_order),
		cmocka_unit_test(a_run_ends_at_the_window),
		cmocka_unit_test(a_run_ends_at_the_quota),
		cmocka_unit_test(replies_go_before_a_run),
		cmocka_unit_test(a_nak_goes_before_a_run),
		cmocka_unit_test(a_fenced_request_waits_for_the_read),
		cmocka_unit_test(a_run_ends_at_a_wrong_key_or_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
