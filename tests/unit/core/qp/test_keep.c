/* Packets that arrive ahead of a lost one: the pool that keeps them, and the requester that sends
 * the lost one alone again. */
#include "rig.h"
#include "qp/keep.h"

#define P(n) rn_psn_add(0xFFFFFA, n)

static bool put(struct rn_keep_pool *pool, struct rn_keep *k, uint32_t psn)
{
	uint8_t data[4] = {(uint8_t)psn, 1, 2, 3};
	struct rn_pkt pkt = {.psn = psn, .payload = data, .payload_len = sizeof(data)};

	return rn_keep_put(pool, k, &pkt, P(0));
}

static void packets_leave_in_psn_order(void **state)
{
	static const uint32_t arrival[] = {4, 2, 9, 3, 9, 1, 4};
	struct rn_keep_pool pool;
	struct rn_keep k = {0};

	assert_true(rn_keep_pool_init(&pool, 16));
	for (unsigned i = 0; i < RN_ARRAY_SIZE(arrival); i++)
		assert_int_equal(put(&pool, &k, P(arrival[i])), i != 4 && i != 6); /* came twice */
	assert_int_equal(k.n, 5);
	assert_int_equal(rn_keep_take(&pool, &k, P(0)), 0);
	for (uint32_t n = 1; n <= 4; n++) {
		uint32_t slot = rn_keep_take(&pool, &k, P(n));

		assert_int_not_equal(slot, 0);
		assert_int_equal(rn_keep_at(&pool, slot)->psn, P(n));
		assert_int_equal(rn_keep_at(&pool, slot)->payload[0], (uint8_t)P(n));
		rn_keep_free(&pool, slot);
	}
	/* The packets up to 9 have arrived another way. */
	assert_int_equal(rn_keep_take(&pool, &k, P(10)), 0);
	assert_int_equal(k.n, 0);
	assert_int_equal(k.last, 0);
	rn_keep_pool_fini(&pool);
}

/* A queue pair gets no more slots than it leaves to the others, so that peers which never send the
 * lost packet leave room, however many they are. */
static void no_queue_pairs_use_up_the_pool(void **state)
{
	static const uint32_t got[] = {8, 4, 2, 1};
	struct rn_keep_pool pool;
	struct rn_keep hogs[4] = {{0}}, k = {0};

	assert_true(rn_keep_pool_init(&pool, 16));
	for (unsigned i = 0; i < 4; i++) {
		for (uint32_t n = 1; n < 20; n++)
			put(&pool, &hogs[i], P(n));
		assert_int_equal(hogs[i].n, got[i]);
	}
	assert_true(put(&pool, &k, P(1)));
	assert_false(put(&pool, &k, P(2)));
	rn_keep_clear(&pool, &hogs[0]);
	assert_int_equal(hogs[0].n, 0);
	assert_true(put(&pool, &k, P(1024)));  /* dropped packets leave room */
	assert_false(put(&pool, &k, P(1025))); /* too far ahead */
	assert_int_equal(k.n, 2);
	rn_keep_pool_fini(&pool);
}

/* Packets come again, from any place of the list on, and while others are taken: each is kept once,
 * in PSN order. */
static void packets_that_come_again_are_kept_once(void **state)
{
	struct rn_keep_pool pool;
	struct rn_keep k = {0};

	assert_true(rn_keep_pool_init(&pool, 64));
	for (uint32_t n = 2; n < 30; n += 2)
		assert_true(put(&pool, &k, P(n)));
	for (uint32_t from = 1; from < 30; from += 5)
		for (uint32_t n = from; n < 30; n += 2)
			assert_int_equal(put(&pool, &k, P(n)), from == 1);
	for (uint32_t n = 1; n < 30; n++) {
		uint32_t slot = rn_keep_take(&pool, &k, P(n));

		assert_true(slot != 0);
		assert_int_equal(rn_keep_at(&pool, slot)->psn, P(n));
		rn_keep_free(&pool, slot);
		if (n + 1 < 30)
			assert_false(put(&pool, &k, P(n + 1)));
	}
	assert_int_equal(k.n, 0);
	rn_keep_pool_fini(&pool);
}

static void a_pool_of_no_slots_keeps_nothing(void **state)
{
	struct rn_keep_pool pool;
	struct rn_keep k = {0};

	assert_true(rn_keep_pool_init(&pool, 0));
	assert_false(put(&pool, &k, P(1)));
	rn_keep_clear(&pool, &k);
	rn_keep_pool_fini(&pool);
}

/* ---- buffers of frames ---- */

/* A frame that is its buffer too: one byte of payload. */
struct frame {
	uint8_t byte;
};

static bool put_frame(struct rn_keep_pool *pool, struct rn_keep *k, struct frame *f, uint32_t psn)
{
	struct rn_pkt pkt = {.psn = psn, .payload = &f->byte, .payload_len = 1, .frame = &f->byte};

	f->byte = (uint8_t)psn;
	return rn_keep_put(pool, k, &pkt, P(0));
}

static void take_and_free(struct rn_keep_pool *pool, struct rn_keep *k, uint32_t psn)
{
	uint32_t slot = rn_keep_take(pool, k, psn);

	assert_int_not_equal(slot, 0);
	assert_int_equal(rn_keep_at(pool, slot)->payload[0], (uint8_t)psn);
	rn_keep_free(pool, slot);
}

/* Takes all buffers back, of which there are n, and notes in `back` which of f[] they are: each is
 * given back once. */
static void expect_back(struct rn_keep_pool *pool, const struct frame *f, unsigned n,
			uint32_t *back)
{
	void *buffer;

	for (; n > 0; n--) {
		assert_int_equal(rn_keep_give_back(pool, &buffer, 1), 1);
		uint32_t bit = 1u << ((struct frame *)buffer - f);
		assert_int_equal(*back & bit, 0);
		*back |= bit;
	}
	assert_int_equal(rn_keep_give_back(pool, &buffer, 1), 0);
	assert_false(rn_keep_waits(pool));
}

static void buffers_are_given_back_once(void **state)
{
	struct frame f[8];
	struct rn_keep_pool pool;
	struct rn_keep k = {0};
	uint32_t back = 0;

	assert_true(rn_keep_pool_init(&pool, 16));
	pool.lent = true;
	for (unsigned i = 0; i < 8; i++) {
		assert_true(put_frame(&pool, &k, &f[i], P(i + 1)));
		assert_true(rn_keep_waits(&pool));
		assert_true(rn_keep_hold(&pool, &f[i].byte, &f[i]));
		assert_false(rn_keep_hold(&pool, &f[i].byte, &f[i]));
		rn_keep_settle(&pool);
		assert_false(rn_keep_waits(&pool));
	}
	assert_true(rn_keep_at(&pool, k.first)->payload == &f[0].byte); /* not copied */
	take_and_free(&pool, &k, P(1));
	take_and_free(&pool, &k, P(2));
	assert_true(rn_keep_waits(&pool));
	expect_back(&pool, f, 2, &back);
	assert_int_equal(back, 0x03);
	/* packets that have come another way */
	take_and_free(&pool, &k, P(5));
	expect_back(&pool, f, 3, &back);
	assert_int_equal(back, 0x1F);
	rn_keep_clear(&pool, &k);
	expect_back(&pool, f, 3, &back);
	assert_int_equal(pool.used, 0);
	rn_keep_pool_fini(&pool);
}

static void a_closed_pool_gives_all_back(void **state)
{
	struct frame f[4];
	struct rn_keep_pool pool;
	struct rn_keep k = {0};
	uint32_t back = 0;

	assert_true(rn_keep_pool_init(&pool, 16));
	pool.lent = true;
	for (unsigned i = 0; i < 4; i++) {
		put_frame(&pool, &k, &f[i], P(i + 1));
		rn_keep_hold(&pool, &f[i].byte, i == 2 ? NULL : &f[i]);
	}
	take_and_free(&pool, &k, P(1));
	rn_keep_abandon(&pool);
	expect_back(&pool, f, 3, &back);
	assert_int_equal(back, 0x0B);
	rn_keep_pool_fini(&pool);
}

/* A packet may have its turn in the burst in which it came, and another may get its slot. */
static void packets_that_leave_in_the_same_burst_hold_no_buffer(void **state)
{
	struct frame f[3];
	struct rn_keep_pool pool;
	struct rn_keep k = {0};
	uint32_t back = 0;

	assert_true(rn_keep_pool_init(&pool, 16));
	pool.lent = true;
	put_frame(&pool, &k, &f[0], P(1));
	take_and_free(&pool, &k, P(1));
	put_frame(&pool, &k, &f[1], P(2));
	put_frame(&pool, &k, &f[2], P(3));
	assert_int_equal(pool.touched, 2);
	assert_false(rn_keep_hold(&pool, &f[0].byte, &f[0]));
	assert_true(rn_keep_hold(&pool, &f[1].byte, &f[1]));
	assert_true(rn_keep_hold(&pool, &f[2].byte, &f[2]));
	rn_keep_settle(&pool);
	rn_keep_clear(&pool, &k);
	expect_back(&pool, f, 2, &back);
	assert_int_equal(back, 0x06);
	rn_keep_pool_fini(&pool);
}

/* The payload of a frame whose buffer the pool does not get is copied before the frame changes. */
static void other_payloads_are_copied(void **state)
{
	static struct frame f[RN_KEEP_FRESH + 2];
	struct rn_keep_pool pool;
	struct rn_keep k = {0};

	assert_true(rn_keep_pool_init(&pool, 2048));
	pool.lent = true;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(f); i++)
		assert_true(put_frame(&pool, &k, &f[i], P(i + 1)));
	/* more than RN_KEEP_FRESH frames: the last two are copied already */
	assert_false(rn_keep_hold(&pool, &f[1].byte, &f[1])); /* not in order */
	assert_false(rn_keep_hold(&pool, &f[0].byte, NULL));
	assert_true(rn_keep_hold(&pool, &f[1].byte, &f[1]));
	rn_keep_settle(&pool);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(f); i++)
		if (i != 1)
			f[i].byte ^= 0xFF;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(f); i++)
		take_and_free(&pool, &k, P(i + 1));
	rn_keep_pool_fini(&pool);
}

/* A slot stays in use until its buffer is given back, so the pool never has more buffers than
 * slots. */
static void a_slot_is_used_until_its_buffer_is_given_back(void **state)
{
	struct frame f[5];
	struct rn_keep_pool pool;
	struct rn_keep k = {0};
	uint32_t back = 0;

	assert_true(rn_keep_pool_init(&pool, 4));
	pool.lent = true;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(put_frame(&pool, &k, &f[i], P(i + 1)), i < 2);
		assert_int_equal(rn_keep_hold(&pool, &f[i].byte, &f[i]), i < 2);
	}
	rn_keep_clear(&pool, &k);
	assert_int_equal(pool.used, 2);
	for (unsigned i = 2; i < 4; i++) {
		assert_int_equal(put_frame(&pool, &k, &f[i], P(i + 1)), i < 3);
		rn_keep_hold(&pool, &f[i].byte, &f[i]);
	}
	rn_keep_settle(&pool);
	expect_back(&pool, f, 2, &back);
	assert_true(put_frame(&pool, &k, &f[4], P(5)));
	rn_keep_pool_fini(&pool);
}

/* ---- between two sides ---- */

/* Loses the frames whose numbers are the set bits of lose_number. */
static bool lose_set(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt)
{
	return from == r->lose_side && number < 32 && r->lose_number >> number & 1;
}

/* Sends 20 WRITEs, of which side 0 loses the frames of `set`. Returns how many were sent again. */
static uint64_t lose_writes(struct rig *r, uint32_t set)
{
	const struct rn_stats *st = rn_shard_stats(r->s[0].sh);
	uint64_t before = st->tx_retransmitted;

	r->lose = lose_set;
	r->lose_number = set << r->s[0].frames;
	for (unsigned i = 0; i < 20; i++) {
		memset(r->s[0].mem + i * 64, (int)(0x11 + i), 64);
		memset(r->s[1].mem + 4096 + i * 64, 0, 64);
		rig_request(r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, i, i * 64, 64, 4096 + i * 64);
	}
	rig_run(r, RN_S(1));
	for (unsigned i = 0; i < 20; i++)
		rig_expect(r, 0, i, RN_STATUS_SUCCESS);
	assert_memory_equal(r->s[1].mem + 4096, r->s[0].mem, 20 * 64);
	assert_false(r->s[1].qp->rx.keeping);
	assert_int_equal(r->s[1].qp->keep.n, 0);
	return st->tx_retransmitted - before;
}

static void only_lost_packets_are_sent_again(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.keep = {64, 64}});
	assert_int_equal(lose_writes(&r, 1u << 3), 1);
	assert_int_equal(rn_shard_stats(r.s[0].sh)->timeouts_early, 0);
	assert_int_equal(rn_shard_stats(r.s[0].sh)->tx_patches, 1);
	assert_in_range(rn_shard_stats(r.s[1].sh)->rx_kept, 1, 16);
	assert_int_equal(r.s[0].qp->win.peer_keeps, RN_PEER_KEEPS);
	rig_fini(&r);
	rig_init(&r, &(struct rig_opt){.keep = {64, 64}});
	assert_int_equal(lose_writes(&r, 1u << 3 | 1u << 9 | 1u << 12), 3);
	rig_fini(&r);
}

/* Within a message few packets request an ACK. The ACK after a patch still names the next missing
 * packet, so that nothing is sent twice. */
static void gaps_within_a_message(void **state)
{
	const struct rn_stats *st;
	struct rig r;

	rig_init(&r, &(struct rig_opt){.keep = {64, 64}});
	st = rn_shard_stats(r.s[0].sh);
	r.lose = lose_set;
	r.lose_number = (1u << 3 | 1u << 9 | 1u << 12 | 1u << 13) << r.s[0].frames;
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 24 * 1024, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	assert_int_equal(st->tx_retransmitted, 4);
	assert_int_equal(st->tx_patches, 4);
	rig_fini(&r);
}

/* Completes one WRITE without loss, and then one of which side 0 loses the frames of `set`. Returns
 * how long the second takes. */
static rn_time time_with_loss(struct rig *r, uint32_t set)
{
	rn_time start;

	rig_request(r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 64, 0);
	rig_run(r, RN_S(1));
	rig_expect(r, 0, 1, RN_STATUS_SUCCESS);
	r->lose = lose_set;
	r->lose_number = set << r->s[0].frames;
	start = r->now;
	rig_request(r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 2, 0, 8 * 1024, 0);
	while (r->s[0].qp->win.una != r->s[0].qp->win.high ||
	       r->s[0].qp->sq.send != r->s[0].qp->sq.tail)
		rig_run(r, RN_US(10));
	rig_expect(r, 0, 2, RN_STATUS_SUCCESS);
	return r->now - start;
}

/* The last packets of a message, or a patch, are lost, so that no NAK comes. Before the adaptive
 * timeout one packet is sent again, and the ACK that answers it names the missing one. */
static void a_probe_replaces_a_lost_packet(void **state)
{
	static const struct {
		uint32_t lost, again; /* frames of side 0 */
		uint32_t keep;	      /* what side 1 keeps */
	} rows[] = {{1u << 7, 2, 64},
		    {1u << 3 | 1u << 8, 2, 64},
		    {1u << 7, 2, 0},
		    {3u << 6, 3, 0},
		    {3u << 6, 3, 64}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rig r;

		rig_init(&r, &(struct rig_opt){.keep = {64, rows[i].keep}});
		assert_true(time_with_loss(&r, rows[i].lost) < RN_US(400));
		assert_int_equal(rn_shard_stats(r.s[0].sh)->tx_retransmitted, rows[i].again);
		assert_int_equal(rn_shard_stats(r.s[0].sh)->timeouts, 0);
		rig_fini(&r);
	}
}

static bool lose_16_frames(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt)
{
	return from == 0 && number - r->lose_number < 16;
}

/* The peer has shown that it keeps packets, and then loses the last 16 packets of a message. One
 * probe finds out that nothing behind it was kept. The NAK before has made probes come early, and
 * each of them doubles the time to the next. */
static void a_lost_tail_takes_one_probe(void **state)
{
	struct rig r;
	rn_time start;

	rig_init(&r, &(struct rig_opt){.keep = {64, 64}});
	lose_writes(&r, 1u << 3);
	assert_int_equal(r.s[0].qp->win.peer_keeps, RN_PEER_KEEPS);
	assert_int_equal(r.s[0].qp->retry.floor, RN_US(20));
	r.lose = lose_16_frames;
	r.lose_number = r.s[0].frames + 8;
	start = r.now;
	rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 2, 0, 24 * 1024, 0);
	while (r.s[0].qp->win.una != r.s[0].qp->win.high ||
	       r.s[0].qp->sq.send != r.s[0].qp->sq.tail)
		rig_run(&r, RN_US(10));
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	assert_true(r.now - start < RN_US(250));
	assert_int_equal(rn_shard_stats(r.s[0].sh)->timeouts_early, 1);
	assert_int_equal(r.s[0].qp->retry.floor, RN_US(40));
	rig_fini(&r);
}

static void a_peer_that_drops_packets_gets_all_again(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.keep = {64, 0}});
	assert_in_range(lose_writes(&r, 1u << 3), 8, 18);
	assert_int_equal(r.s[0].qp->win.peer_keeps, RN_PEER_DROPS);
	assert_false(r.s[0].qp->win.patching);
	rig_fini(&r);
}

/* Lets side 1 keep three packets behind one that does not come. */
static void keep_three(struct rig *r)
{
	rig_init(r, &(struct rig_opt){.keep = {0, 64}});
	for (int ahead = 1; ahead < 4; ahead++) {
		uint8_t byte = 7;
		struct rn_pkt p = rig_pkt(r, 1, RN_OP_SEND_ONLY, ahead, &byte, 1);

		rig_rx(r, 1, &p);
	}
	assert_int_equal(r->s[1].qp->keep.n, 3);
}

/* rig_fini() fails if a destroyed QP leaves kept packets in the pool. */
static void a_destroyed_qp_leaves_no_kept_packets(void **state)
{
	struct rig r;

	keep_three(&r);
	rig_fini(&r);
}

static void an_error_drops_kept_packets(void **state)
{
	struct rig r;

	keep_three(&r);
	assert_true(r.s[1].qp->rx.keeping);
	rn_qp_error(r.s[1].qp, 0, false, r.now);
	assert_int_equal(r.s[1].qp->keep.n, 0);
	assert_false(r.s[1].qp->rx.keeping);
	rig_fini(&r);
}

/* The shard gives the buffers of kept packets back when the lost packet has arrived, and when the
 * queue pair enters ERR. */
static void a_shard_gives_buffers_back(void **state)
{
	for (int error = 0; error < 2; error++) {
		uint8_t frame[4] = {7, 7, 7, 7};
		void *back[4];
		struct rig r;

		rig_init(&r, &(struct rig_opt){.keep = {0, 64}});
		struct rn_shard *sh = r.s[1].sh;
		sh->lane.keep.lent = true;
		for (unsigned i = 0; i < 4; i++)
			rig_recv(&r, 1, i, i * 64, 64);
		for (int ahead = 1; ahead < 4; ahead++) {
			struct rn_pkt p = rig_pkt(&r, 1, RN_OP_SEND_ONLY, ahead, &frame[ahead], 1);

			p.frame = &frame[ahead];
			rig_rx(&r, 1, &p);
		}
		assert_true(rn_shard_keeps(sh));
		assert_true(rn_shard_hold(sh, &frame[1], &frame[1]));
		assert_true(rn_shard_hold(sh, &frame[2], &frame[2]));
		assert_false(rn_shard_hold(sh, &frame[3], NULL));
		rn_shard_settle(sh);
		frame[3] = 9;
		assert_int_equal(rn_shard_give_back(sh, back, 4), 0);
		if (error) {
			rn_qp_error(r.s[1].qp, 0, false, r.now);
		} else {
			struct rn_pkt p = rig_pkt(&r, 1, RN_OP_SEND_ONLY, 0, &frame[0], 1);

			rig_rx(&r, 1, &p);
			for (unsigned i = 0; i < 4; i++)
				assert_int_equal(r.s[1].mem[i * 64], 7);
		}
		assert_true(rn_shard_keeps(sh));
		assert_int_equal(rn_shard_give_back(sh, back, 4), 2);
		assert_ptr_not_equal(back[0], back[1]);
		assert_false(rn_shard_keeps(sh));
		rig_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_leave_in_psn_order),
		cmocka_unit_test(no_queue_pairs_use_up_the_pool),
		cmocka_unit_test(packets_that_come_again_are_kept_once),
		cmocka_unit_test(a_pool_of_no_slots_keeps_nothing),
		cmocka_unit_test(buffers_are_given_back_once),
		cmocka_unit_test(a_closed_pool_gives_all_back),
		cmocka_unit_test(packets_that_leave_in_the_same_burst_hold_no_buffer),
		cmocka_unit_test(other_payloads_are_copied),
		cmocka_unit_test(a_slot_is_used_until_its_buffer_is_given_back),
		cmocka_unit_test(only_lost_packets_are_sent_again),
		cmocka_unit_test(gaps_within_a_message),
		cmocka_unit_test(a_probe_replaces_a_lost_packet),
		cmocka_unit_test(a_lost_tail_takes_one_probe),
		cmocka_unit_test(a_peer_that_drops_packets_gets_all_again),
		cmocka_unit_test(a_destroyed_qp_leaves_no_kept_packets),
		cmocka_unit_test(an_error_drops_kept_packets),
		cmocka_unit_test(a_shard_gives_buffers_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
