/* A QP under random events (repeatable by seed): packets with arbitrary fields, malformed requests,
 * removed regions, state changes midway. No assertion may fail, and only the memory of the QPs and
 * their regions may be touched. Every work request is retired exactly once. */
#include "rig.h"

struct torture {
	struct rig r;
	struct rig_opt opt;
	uint64_t seed;
	uint32_t sq_posted[2], rq_posted[2];
};

static uint8_t data[8192];

static uint32_t draw(struct torture *t, uint32_t n)
{
	t->seed = t->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((t->seed >> 33) % n);
}

static void post(struct torture *t, int side)
{
	static const uint8_t kinds[] = {RN_WQE_SEND, RN_WQE_WRITE, RN_WQE_READ, RN_WQE_SEND,
					RN_WQE_NOP};
	const struct rn_qp *qp = t->r.s[side].qp;
	uint32_t len = draw(t, 4) ? draw(t, 3000) : 0;
	/* rarely (1 in 2000) the work request reaches beyond the end of the region */
	uint32_t off = draw(t, 2000) ? draw(t, RIG_MEM - 4096) : RIG_MEM - 10;

	if (draw(t, 3) == 0) {
		if (qp->rq.tail - qp->rq.head >= RIG_DEPTH)
			return;
		rig_recv(&t->r, side, 0, off, draw(t, 500) ? 4000 : len);
		t->rq_posted[side]++;
	} else {
		if (qp->sq.tail - qp->sq.head >= RIG_DEPTH)
			return;
		rig_request(&t->r, side, kinds[draw(t, 5)], draw(t, draw(t, 500) ? 8 : 16), 0, off,
			    len, draw(t, RIG_MEM - 3000));
		t->sq_posted[side]++;
	}
}

static uint32_t odd_length(struct torture *t)
{
	static const uint32_t lengths[] = {0, 1, 8, 255, 256, 257, 1024, 4096};

	return lengths[draw(t, RN_ARRAY_SIZE(lengths))];
}

/* Gives the QP of `side` a packet with random fields. The PSN is mostly close to one that the QP
 * expects, so that the packet passes the first checks. */
static void inject(struct torture *t, int side)
{
	static const uint8_t likely[] = {
		RN_OP_SEND_FIRST,
		RN_OP_SEND_MIDDLE,
		RN_OP_SEND_LAST,
		RN_OP_SEND_ONLY,
		RN_OP_WRITE_FIRST,
		RN_OP_WRITE_MIDDLE,
		RN_OP_WRITE_LAST,
		RN_OP_WRITE_ONLY,
		RN_OP_READ_REQUEST,
		RN_OP_READ_RESP_FIRST,
		RN_OP_READ_RESP_MIDDLE,
		RN_OP_READ_RESP_LAST,
		RN_OP_READ_RESP_ONLY,
		RN_OP_ACK,
		RN_OP_ACK,
		RN_OP_ACK,
	};
	struct rn_qp *qp = t->r.s[side].qp;
	uint8_t opcode = draw(t, 8) ? likely[draw(t, RN_ARRAY_SIZE(likely))] : draw(t, 256);
	struct rn_pkt p = rig_pkt(&t->r, side, opcode, (int)draw(t, 9) - 6, data, odd_length(t));

	if (p.op->known && p.op->response)
		p.psn = rn_psn_add(draw(t, 2) ? qp->win.una : qp->win.high, draw(t, 9) - 4u);
	if (!draw(t, 10))
		p.psn = draw(t, 1 << 24);
	if (!p.op->known || !p.op->has_payload)
		p.payload_len = p.pad = 0;
	p.dma_len = draw(t, 2) ? p.payload_len : draw(t, 4) ? odd_length(t) : draw(t, 1u << 31) * 2;
	p.va += draw(t, 3) ? draw(t, RIG_MEM) : 0;
	p.rkey ^= draw(t, 10) ? 0 : 1u << draw(t, 32);
	p.ack_req = draw(t, 2);
	p.pad = draw(t, 20) ? p.pad : draw(t, 4);
	p.syndrome = draw(t, 2) ? 0x1F : draw(t, 3) ? 0x60 : draw(t, 256);
	/* A fatal NAK ends the QP, and little is tested afterwards. So seven of eight fatal NAKs
	 * become an RNR NAK. */
	if (p.syndrome > 0x60 && p.syndrome < 0x64 && draw(t, 8))
		p.syndrome = 0x21;
	rig_rx(&t->r, side, &p);
}

/* Changes the state of a QP and, rarely, removes its region. */
static void disturb(struct torture *t, int side)
{
	static const uint8_t states[] = {RN_QPS_SQD, RN_QPS_RTS, RN_QPS_RTS, RN_QPS_ERR,
					 RN_QPS_RESET};
	struct rn_qp_attr a = {.state = states[draw(t, 60) ? draw(t, 3) : draw(t, 5)]};
	struct rig_side *s = &t->r.s[side];

	if (draw(t, 300) == 0)
		rn_mr_remove(s->mrs, s->key);
	rig_modify(&t->r, side, RN_QP_STATE, &a);
}

/* Once a QP is in the error state or RESET, sometimes resets and reconnects both QPs of the
 * test. */
static void revive(struct torture *t)
{
	struct rn_qp_attr reset = {.state = RN_QPS_RESET};

	if (t->r.s[0].qp->state % RN_QPS_ERR && t->r.s[1].qp->state % RN_QPS_ERR)
		return;
	if (draw(t, 16))
		return;
	for (int side = 0; side < 2; side++)
		rig_modify(&t->r, side, RN_QP_STATE, &reset);
	rig_connect(&t->r, &t->opt, RN_QPS_RTS);
}

static void drain_cq(struct torture *t, int side)
{
	struct rn_event ev[4];
	struct rn_cqe c;

	while (rig_poll(&t->r, side, &c))
		assert_true(c.status <= RN_STATUS_GENERAL_ERR);
	while (rn_shard_events(t->r.s[side].sh, ev, 4))
		;
}

static void step(struct torture *t)
{
	int side = (int)draw(t, 2);

	revive(t);
	switch (draw(t, 12)) {
	case 0 ... 3:
		post(t, side);
		break;
	case 4 ... 8:
		rig_move(&t->r, side, 1 + draw(t, 8));
		break;
	case 9:
		if (!draw(t, 3))
			inject(t, side);
		break;
	case 10:
		rig_wait(&t->r, (rn_time)1 << draw(t, 24));
		break;
	case 11:
		if (!draw(t, 8))
			disturb(t, side);
		break;
	}
	drain_cq(t, side);
}

/* Runs one seed and returns how many packets the QPs accepted. test_torture() checks the sum over
 * all seeds. A small sum would mean that the QPs failed at their first packets, and that the test
 * proved nothing. */
static uint64_t torture(uint64_t seed)
{
	struct torture t = {.seed = seed * 7919 + 1};
	struct rn_qp_attr err = {.state = RN_QPS_ERR};
	uint64_t accepted = 0;

	t.opt = (struct rig_opt){
		.mtu = 1 + seed % 3,
		.retry_cnt = 1 + seed % 7,
		.window = 1u << seed % 7,
		.timeout = 8 + seed % 8,
		.reads = 1 + seed % RN_MAX_RD_ATOMIC,
		.rto_initial = RN_US(50),
	};
	rig_init(&t.r, &t.opt);
	for (unsigned i = 0; i < 2000; i++)
		step(&t);
	for (int side = 0; side < 2; side++) {
		const struct rn_qp *qp = t.r.s[side].qp;

		rig_modify(&t.r, side, RN_QP_STATE, &err);
		while (rig_move(&t.r, side, 8))
			;
		drain_cq(&t, side);
		assert_int_equal(atomic_load(&qp->shared.sq_retired), t.sq_posted[side]);
		assert_int_equal(atomic_load(&qp->shared.rq_retired), t.rq_posted[side]);
		assert_int_equal(rn_shard_stats(t.r.s[side].sh)->posts_dropped, 0);
		accepted += rn_shard_stats(t.r.s[side].sh)->verdict[RN_V_OK];
	}
	rig_fini(&t.r);
	return accepted;
}

static void test_torture(void **state)
{
	const char *one = getenv("RN_SEED");
	uint64_t accepted = 0;

	if (one) {
		torture(strtoull(one, NULL, 0));
		return;
	}
	for (uint64_t seed = 1; seed <= 1000; seed++)
		accepted += torture(seed);
	assert_true(accepted > 300000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_torture)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
