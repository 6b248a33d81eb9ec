/* Whole transfers between two shards (docs/spec/rocev2.md row S1). Every kind and size goes over a
 * perfect link first. Then each frame is lost in turn, in both directions. */
#include "rig.h"

static void fill(uint8_t *p, uint32_t n, uint8_t seed)
{
	for (uint32_t i = 0; i < n; i++)
		p[i] = (uint8_t)(seed + i * 7 + (i >> 8));
}

static bool lose_one(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt)
{
	return from == r->lose_side && number == r->lose_number;
}

/* Transfers one message of each kind and size in both directions at once. Checks data and
 * completions. */
static void transfer_all(struct rig *r)
{
	const uint32_t mtu = 128u << r->mtu;
	const uint32_t sizes[] = {0, 1, mtu - 1, mtu, mtu + 1, 3 * mtu + 7};
	const uint8_t kinds[] = {RN_WQE_SEND, RN_WQE_WRITE, RN_WQE_READ};
	uint64_t id = 0, recv = 1000;

	/* each message has 7 KB of memory of its own, at the same offset on both sides */
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < RN_ARRAY_SIZE(sizes); i++, id++)
			for (int side = 0; side < 2; side++) {
				uint32_t off = (uint32_t)id * 0x1C00 + side * 0x20000;
				bool reads = kinds[k] == RN_WQE_READ;

				fill(r->s[reads ? !side : side].mem + off, sizes[i],
				     (uint8_t)(id * 16 + side));
				if (kinds[k] == RN_WQE_SEND)
					rig_recv(r, !side, recv + i, off, sizes[i]);
				rig_request(r, side, kinds[k], RN_WQE_SIGNALED, id, off, sizes[i],
					    off);
			}
	rig_run(r, RN_S(30));
	for (int side = 0; side < 2; side++) {
		uint64_t next_send = 0, next_recv = recv;
		struct rn_cqe c;

		while (rig_poll(r, side, &c)) {
			assert_int_equal(c.status, RN_STATUS_SUCCESS);
			if (c.flags & RN_CQE_RECV) {
				assert_int_equal(c.wr_id, next_recv);
				assert_int_equal(c.byte_len, sizes[next_recv - recv]);
				next_recv++;
			} else {
				assert_int_equal(c.wr_id, next_send);
				next_send++;
			}
		}
		assert_int_equal(next_send, id);
		assert_int_equal(next_recv, recv + RN_ARRAY_SIZE(sizes));
		for (unsigned m = 0; m < id; m++) {
			uint32_t n = sizes[m % RN_ARRAY_SIZE(sizes)],
				 off = m * 0x1C00 + side * 0x20000;
			uint8_t want[16384];

			fill(want, n, (uint8_t)(m * 16 + side));
			assert_memory_equal(r->s[0].mem + off, want, n);
			assert_memory_equal(r->s[1].mem + off, want, n);
			/* nothing is written beyond the message */
			assert_int_equal(r->s[0].mem[off + n], 0);
			assert_int_equal(r->s[1].mem[off + n], 0);
		}
	}
}

static void test_perfect(void **state)
{
	for (uint8_t mtu = 1; mtu <= 4; mtu++) {
		struct rig r;

		rig_init(&r, &(struct rig_opt){.mtu = mtu});
		transfer_all(&r);
		for (int side = 0; side < 2; side++) {
			const struct rn_stats *st = rn_shard_stats(r.s[side].sh);

			assert_int_equal(st->tx_retransmitted, 0);
			assert_int_equal(st->tx_naks + st->tx_rnr_naks, 0);
			assert_int_equal(st->qp_errors, 0);
		}
		rig_fini(&r);
	}
}

/* Repeats transfer_all() with one frame lost, once for each frame that a side sends. */
static void lose_each(uint8_t mtu, uint8_t retry, uint32_t window)
{
	for (int side = 0; side < 2; side++)
		for (uint32_t n = 0;; n++) {
			struct rig r;
			bool beyond;

			rig_init(&r, &(struct rig_opt){
					     .mtu = mtu, .retry_cnt = retry, .window = window});
			r.lose = lose_one;
			r.lose_side = side;
			r.lose_number = n;
			transfer_all(&r);
			beyond = n >= r.s[side].frames;
			rig_fini(&r);
			if (beyond)
				break;
			assert_true(n < 400);
		}
}

static void test_each_loss(void **state)
{
	lose_each(1, 7, 0);
	lose_each(3, 1, 0);
}

static void test_each_loss_small_window(void **state)
{
	lose_each(1, 7, 4);
}

/* A peer that sends READ requests without pause must not keep the QP's own requests, new or resent,
 * from being sent. */
static void test_reads_do_not_block_requests(void **state)
{
	struct rig r;
	struct rn_pkt p;
	unsigned answers = 0;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 1, 0, 64 << 10, 0);
	rig_move(&r, 0, 1);
	rig_request(&r, 1, RN_WQE_SEND, RN_WQE_SIGNALED, 2, 0, 4 * 1024, 0);
	for (unsigned sends = 0; sends < 4; sends++) {
		assert_true(rig_take(&r, 1, &p));
		assert_int_equal(p.op->family, RN_F_READ_RESP);
		answers++;
		assert_true(rig_take(&r, 1, &p));
		assert_int_equal(p.op->family, RN_F_SEND);
	}
	for (; answers < 64; answers++) {
		assert_true(rig_take(&r, 1, &p));
		assert_int_equal(p.op->family, RN_F_READ_RESP);
	}
	rig_expect_silence(&r, 1);
	/* the packets taken above were never delivered, so both sides resend them */
	rig_recv(&r, 0, 3, 0x8000, 8192);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 3, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 1, 2, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* The first packet of a WRITE of the maximum message length is accepted. With one byte more in its
 * RETH length, the packet is refused and nothing is written. */
static void test_longest_write(void **state)
{
	static const uint8_t data[1024] = {1, 2, 3};

	for (uint32_t more = 0; more < 2; more++) {
		struct rig r;
		struct rn_pkt p;
		uint32_t key, rkey;

		rig_init(&r, &(struct rig_opt){0});
		assert_int_equal(rn_mr_add(r.s[1].mrs,
					   &(struct rn_mr_attr){.ptr = r.s[1].mem,
								.length = RN_MSG_MAX + 1ull,
								.pd = 1,
								.access = RN_ACCESS_LOCAL_WRITE |
									  RN_ACCESS_REMOTE_WRITE},
					   &key, &rkey),
				 0);
		p = rig_pkt(&r, 1, RN_OP_WRITE_FIRST, 0, data, sizeof(data));
		p.va = 0;
		p.rkey = rkey;
		p.dma_len = RN_MSG_MAX + more;
		assert_int_equal(rig_rx(&r, 1, &p), more ? RN_V_REQ_LENGTH : RN_V_OK);
		assert_int_equal(r.s[1].mem[2], more ? 0 : 3);
		while (rig_take(&r, 1, &p))
			;
		rig_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perfect),
		cmocka_unit_test(test_each_loss),
		cmocka_unit_test(test_each_loss_small_window),
		cmocka_unit_test(test_reads_do_not_block_requests),
		cmocka_unit_test(test_longest_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
