/* The send window (the PSNs in flight). Tests the positions and sizes of the window, with PSNs near
 * the PSN wrap. */
#include "rig.h"
#include "flow/window.h"

struct bench {
	struct rn_sq sq;
	struct rn_window w;
	void *mem;
};

#define P(n) rn_psn_add(0xFFFFFA, n)

/* Pushes n work requests, given as (kind, packets), and marks all of their packets as sent. */
static void start(struct bench *b, const uint8_t (*reqs)[2], unsigned n)
{
	b->mem = aligned_alloc(64, rn_sq_bytes(16, 1, 0, RN_QPT_RC));
	rn_sq_init(&b->sq, b->mem, 16, 1, 0, RN_QPT_RC);
	rn_window_init(&b->w, P(0), 64, 16);
	for (unsigned i = 0; i < n; i++) {
		struct rn_wqe w = {.kind = reqs[i][0], .slots = 1, .num_sge = 0};

		assert_true(rn_sq_push(&b->sq, &w));
		rn_window_start(&b->w, &b->sq, reqs[i][1]);
		if (reqs[i][0] == RN_WQE_READ)
			rn_window_sent(&b->w, &b->sq, reqs[i][1]);
		else
			for (unsigned k = 0; k < reqs[i][1]; k++)
				rn_window_sent(&b->w, &b->sq, 1);
	}
}

static const uint8_t mix[][2] = {
	{RN_WQE_SEND, 3}, {RN_WQE_READ, 5}, {RN_WQE_WRITE, 1}, {RN_WQE_READ, 2}};

/* After rn_window_rewind() sending resumes at una (the oldest unacknowledged PSN), even in the
 * middle of a work request. An ACK of all packets cancels the resend. */
static void test_rewind(void **state)
{
	static const struct {
		/* una: all PSNs before una are acknowledged. send: number of the work request that
		 * is sent next. pkt: number of the next packet in this work request. */
		uint32_t una, send, pkt;
	} rows[] = {{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 1, 0},	 {4, 1, 1},
		    {7, 1, 4}, {8, 2, 0}, {9, 3, 0}, {10, 3, 1}, {11, 4, 0}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct bench b;

		start(&b, mix, 4);
		assert_int_equal(b.w.cur, P(11));
		rn_window_ack(&b.w, &b.sq, P(rows[i].una));
		rn_window_rewind(&b.w, &b.sq);
		assert_int_equal(b.w.cur, P(rows[i].una));
		assert_int_equal(b.sq.send, rows[i].send);
		assert_int_equal(b.w.send_pkt, rows[i].pkt);
		assert_int_equal(b.w.high, P(11));
		/* A late ACK of the first transmission covers all packets, so none is resent. */
		rn_window_ack(&b.w, &b.sq, P(11));
		assert_int_equal(b.w.cur, P(11));
		assert_int_equal(b.sq.send, 4);
		assert_int_equal(b.w.nreads, 0);
		free(b.mem);
	}
}

/* Each row acknowledges all PSNs before `una`. Then it checks the oldest READ in flight and the PSN
 * of its next response. It also checks how many requests and responses are in flight. */
static void test_oldest_read(void **state)
{
	static const struct {
		uint32_t una, read, expect, flight, responses;
	} rows[] = {{0, 1, 3, 4, 7}, {3, 1, 3, 1, 7}, {5, 1, 5, 1, 5},	{7, 1, 7, 1, 3},
		    {8, 3, 9, 1, 2}, {9, 3, 9, 0, 2}, {10, 3, 10, 0, 1}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct bench b;
		uint32_t expect;

		start(&b, mix, 4);
		rn_window_ack(&b.w, &b.sq, P(rows[i].una));
		assert_ptr_equal(rn_window_read(&b.w, &b.sq, &expect),
				 rn_sq_at(&b.sq, rows[i].read));
		assert_int_equal(expect, P(rows[i].expect));
		assert_int_equal(rn_window_requests(&b.w), rows[i].flight);
		assert_int_equal(b.w.responses, rows[i].responses);
		rn_window_rewind(&b.w, &b.sq);
		assert_int_equal(b.w.responses, 0);
		assert_int_equal(rn_window_requests(&b.w), 0);
		free(b.mem);
	}
}

static void test_done(void **state)
{
	static const struct {
		uint32_t una;
		bool done;
	} rows[] = {{0, false}, {2, false}, {3, true}, {4, true}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct bench b;

		start(&b, mix, 4);
		rn_window_ack(&b.w, &b.sq, P(rows[i].una));
		assert_int_equal(rn_window_done(&b.w, rn_sq_at(&b.sq, 0)), rows[i].done);
		free(b.mem);
	}
}

static void test_in_flight(void **state)
{
	struct bench b;

	start(&b, mix, 4);
	rn_window_ack(&b.w, &b.sq, P(2));
	assert_false(rn_window_in_flight(&b.w, P(1)));
	assert_true(rn_window_in_flight(&b.w, P(2)));
	assert_true(rn_window_in_flight(&b.w, P(10)));
	assert_false(rn_window_in_flight(&b.w, P(11)));
	assert_ptr_equal(rn_window_find(&b.w, &b.sq, P(8)), rn_sq_at(&b.sq, 2));
	assert_true(rn_window_fits(&b.w, RN_PSN_WINDOW - 9));
	assert_false(rn_window_fits(&b.w, RN_PSN_WINDOW - 8));
	free(b.mem);
}

/* Four losses in a row cost nothing, and each further loss a quarter of the window, down to 4
 * packets at the least. A timeout sets the window to 1. ACKs let the window grow up to its maximum.
 */
static void test_size(void **state)
{
	struct bench b;

	start(&b, mix, 4);
	assert_int_equal(b.w.size, 64);
	assert_int_equal(rn_window_ask_every(&b.w), 32);
	for (int i = 0; i < 4; i++) { /* the allowance */
		rn_window_lost(&b.w, false);
		assert_int_equal(b.w.size, 63);
	}
	rn_window_lost(&b.w, false);
	assert_int_equal(b.w.size, 48);
	for (int i = 0; i < 20; i++)
		rn_window_lost(&b.w, false);
	assert_int_equal(b.w.size, 4);
	rn_window_timed_out(&b.w);
	assert_int_equal(b.w.size, 1);
	assert_int_equal(rn_window_ask_every(&b.w), 1);
	rn_window_lost(&b.w, false);
	assert_int_equal(b.w.size, 1);
	rn_window_ack(&b.w, &b.sq, P(1));
	assert_int_equal(b.w.size, 2);
	rn_window_ack(&b.w, &b.sq, P(3));
	/* Up to the knee, which is now 4, the window grows by 1 for each acknowledged packet. Above
	 * the knee it grows by 4 for each acknowledged window of packets. */
	assert_int_equal(b.w.size, 4);
	rn_window_ack(&b.w, &b.sq, P(6));
	assert_int_equal(b.w.size, 4);
	rn_window_ack(&b.w, &b.sq, P(7));
	assert_int_equal(b.w.size, 8);
	b.w.size = 62;
	b.w.acked = 61;
	rn_window_ack(&b.w, &b.sq, P(8));
	assert_int_equal(b.w.size, 64);
	free(b.mem);
}

static const uint8_t writes[][2] = {{RN_WQE_WRITE, 3}};

/* A patch leaves the window as it is, but makes it smaller by an eighth when losses are many, or by
 * a quarter when packets wait in queues. */
static void test_size_of_patches(void **state)
{
	struct bench b;

	start(&b, writes, 1);
	for (int i = 0; i < 4; i++) {
		rn_window_patch(&b.w, &b.sq, false);
		assert_int_equal(b.w.size, 63);
		rn_window_sent(&b.w, &b.sq, 1);
	}
	rn_window_patch(&b.w, &b.sq, false);
	assert_int_equal(b.w.size, 56);
	for (int i = 0; i < 40; i++)
		rn_window_patch(&b.w, &b.sq, false);
	assert_int_equal(b.w.size, 7);
	free(b.mem);

	start(&b, writes, 1);
	b.w.size = b.w.max = 1024;
	rn_window_patch(&b.w, &b.sq, true);
	assert_int_equal(b.w.size, 768);
	for (int i = 0; i < 40; i++)
		rn_window_patch(&b.w, &b.sq, true);
	assert_int_equal(b.w.size, 64);
	free(b.mem);
}

/* A loss after which all packets are sent again: when packets wait in queues, it takes half of the
 * window down to 64 packets, or to 32 if the peer is known to drop packets, which a loss then
 * repeats. A window below that stays as it is. */
static void test_size_with_queues(void **state)
{
	static const struct {
		uint32_t size;
		bool drops;
		uint32_t then[4];
	} rows[] = {
		{1024, false, {512, 256, 128, 64}}, {1000, true, {500, 250, 125, 63}},
		{100, false, {64, 64, 64, 64}},	    {100, true, {50, 32, 32, 32}},
		{20, false, {20, 20, 20, 20}},	    {20, true, {20, 20, 20, 20}},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_window w;

		rn_window_init(&w, 0, 1024, 1);
		w.size = rows[i].size;
		w.peer_keeps = rows[i].drops ? RN_PEER_DROPS : RN_PEER_KEEPS;
		for (unsigned k = 0; k < 4; k++) {
			rn_window_lost(&w, true);
			assert_int_equal(w.size, rows[i].then[k]);
			assert_int_equal(w.knee, RN_MAX(w.size, rows[i].drops ? 32u : 64u));
		}
	}
}

/* A loss with packets in queues, while the window grows again after a timeout, does not end the
 * doubling before 64 packets. */
static void test_knee_after_a_timeout(void **state)
{
	struct rn_window w;

	rn_window_init(&w, 0, 1024, 1);
	w.peer_keeps = RN_PEER_KEEPS;
	rn_window_timed_out(&w);
	assert_int_equal(w.knee, 512);
	w.size = 2;
	rn_window_lost(&w, true);
	assert_int_equal(w.size, 2);
	assert_int_equal(w.knee, 64);
}

/* One loss per window leaves the window as it is, however often: the packets that arrive in between
 * pay for it. With two losses per window the window becomes smaller. */
static void test_size_with_one_loss_per_window(void **state)
{
	for (unsigned losses = 1; losses <= 2; losses++) {
		static const uint8_t sends[][2] = {{RN_WQE_SEND, 200}};
		struct bench b;

		start(&b, sends, 1);
		b.w.peer_keeps = RN_PEER_DROPS;
		for (uint32_t una = 1; una < 192; una++) {
			if (una % (64 / losses) == 0)
				rn_window_lost(&b.w, false);
			rn_window_ack(&b.w, &b.sq, P(una));
		}
		for (int i = 0; i < 3; i++)
			rn_window_lost(&b.w, false);
		if (losses == 1)
			assert_int_equal(b.w.size, 63);
		else
			assert_in_range(b.w.size, 4, 47);
		free(b.mem);
	}
}

/* A READ starts after a patch, and then a second gap is found: its responses still count as
 * responses after the second patch. */
static void test_patch_before_a_read(void **state)
{
	struct rn_wqe read = {.kind = RN_WQE_READ, .slots = 1};
	struct bench b;

	start(&b, writes, 1);
	rn_window_patch(&b.w, &b.sq, false);
	rn_window_sent(&b.w, &b.sq, 1);
	assert_true(rn_sq_push(&b.sq, &read));
	rn_window_start(&b.w, &b.sq, 5);
	rn_window_sent(&b.w, &b.sq, 5);
	assert_int_equal(b.w.responses, 5);
	rn_window_ack(&b.w, &b.sq, P(2));
	assert_true(rn_window_patched(&b.w, &b.sq, false));
	assert_int_equal(b.w.cur, P(2));
	rn_window_sent(&b.w, &b.sq, 1);
	assert_int_equal(b.w.cur, P(8));
	assert_int_equal(b.w.responses, 5);
	assert_int_equal(rn_window_requests(&b.w), 1);
	free(b.mem);
}

/* A probe sends the packet at una alone. An ACK that covers more names the next packet to send, but
 * is no sign that the peer keeps packets. After an ACK of the probe alone, the later packets are
 * sent again, unless the next ACK shows that they had arrived. */
static void test_probe(void **state)
{
	struct bench b;

	start(&b, writes, 1);
	assert_true(rn_window_probe(&b.w, &b.sq));
	assert_int_equal(b.w.cur, P(0));
	assert_false(rn_window_probe(&b.w, &b.sq)); /* not sent yet */
	rn_window_sent(&b.w, &b.sq, 1);
	assert_int_equal(b.w.cur, P(3));
	assert_int_equal(b.w.size, 63);
	rn_window_ack(&b.w, &b.sq, P(2));
	assert_true(rn_window_patched(&b.w, &b.sq, false));
	assert_int_equal(b.w.cur, P(2));
	assert_int_equal(b.w.peer_keeps, RN_PEER_UNKNOWN);
	/* An ACK while the probe waits to be sent: nothing is sent again. */
	rn_window_ack(&b.w, &b.sq, P(3));
	assert_false(rn_window_patched(&b.w, &b.sq, false));
	assert_int_equal(b.w.cur, P(3));
	assert_int_equal(b.w.peer_keeps, RN_PEER_UNKNOWN);
	assert_false(rn_window_probe(&b.w, &b.sq)); /* nothing is in flight */
	free(b.mem);

	start(&b, writes, 1);
	assert_true(rn_window_probe(&b.w, &b.sq));
	rn_window_sent(&b.w, &b.sq, 1);
	rn_window_ack(&b.w, &b.sq, P(1));
	assert_true(rn_window_patched(&b.w, &b.sq, false));
	assert_int_equal(b.w.cur, P(1));
	rn_window_ack(&b.w, &b.sq, P(3));
	assert_int_equal(b.w.cur, P(3));
	assert_int_equal(b.w.peer_keeps, RN_PEER_UNKNOWN);
	free(b.mem);
}

/* An ACK for packets that were not resent shows that a timeout was unnecessary. The window then
 * gets its former size back. */
static void test_mistaken_timeout(void **state)
{
	static const struct {
		unsigned timeouts, again; /* again: packets sent again since the last timeout */
		bool nak;
		uint32_t ack[2];
		uint32_t size; /* window size afterwards; 64 before the timeout */
		uint32_t cur;  /* next PSN to send, counted from P(0) */
	} rows[] = {
		/* Packet 0 was resent, packets 1 and 2 were not. So this ACK of all three packets
		 * proves that the first transmission arrived. */
		{1, 1, false, {3}, 64, 8},
		{2, 1, false, {3}, 64, 8},
		/* This ACK may come from the resent packet 0, so the timeout counts as
		 * justified. */
		{1, 1, false, {1}, 2, 1},
		/* the second ACK proves that the first transmission arrived */
		{1, 1, false, {1, 3}, 64, 8},
		{1, 1, false, {6}, 64, 8},
		{1, 1, false, {8}, 64, 8},
		{1, 3, false, {3}, 4, 3},
		/* a NAK shows that packets were really lost, so the window stays small */
		{1, 1, true, {3}, 4, 3},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		static const uint8_t sends[][2] = {{RN_WQE_SEND, 4}, {RN_WQE_SEND, 4}};
		struct bench b;

		start(&b, sends, 2);
		for (unsigned k = 0; k < rows[i].timeouts; k++) {
			rn_window_timed_out(&b.w);
			rn_window_rewind(&b.w, &b.sq);
		}
		for (unsigned k = 0; k < rows[i].again; k++)
			rn_window_sent(&b.w, &b.sq, 1);
		if (rows[i].nak)
			rn_window_lost(&b.w, false);
		for (unsigned k = 0; k < 2 && rows[i].ack[k]; k++)
			rn_window_ack(&b.w, &b.sq, P(rows[i].ack[k]));
		assert_int_equal(b.w.size, rows[i].size);
		assert_int_equal(b.w.cur, P(rows[i].cur));
		assert_int_equal(b.sq.send, rows[i].cur / 4);
		assert_int_equal(b.w.send_pkt, rows[i].cur % 4);
		free(b.mem);
	}
}

/* Half of the last message has been sent when a timeout comes. Then an ACK shows that the timeout
 * was unnecessary. Sending goes on with the second half of the message. If the work request before
 * the message is an incomplete READ, sending goes on at this READ instead. */
static void test_mistaken_timeout_within_a_message(void **state)
{
	static const uint8_t kinds[] = {RN_WQE_WRITE, RN_WQE_READ};

	for (unsigned i = 0; i < 2; i++) {
		const uint8_t reqs[][2] = {{RN_WQE_SEND, 3}, {kinds[i], 2}};
		struct rn_wqe last = {.kind = RN_WQE_SEND, .slots = 1};
		struct bench b;

		start(&b, reqs, 2);
		assert_true(rn_sq_push(&b.sq, &last));
		rn_window_start(&b.w, &b.sq, 4);
		rn_window_sent(&b.w, &b.sq, 1);
		rn_window_sent(&b.w, &b.sq, 1);
		rn_window_timed_out(&b.w);
		rn_window_rewind(&b.w, &b.sq);
		rn_window_sent(&b.w, &b.sq, 1);
		rn_window_ack(&b.w, &b.sq, P(3));
		assert_int_equal(b.w.size, 64);
		assert_int_equal(b.w.cur, P(i ? 3 : 7));
		assert_int_equal(b.sq.send, i ? 1 : 2);
		assert_int_equal(b.w.send_pkt, i ? 0 : 2);
		free(b.mem);
	}
}

/* A long READ is requested in pieces, with one READ request for each piece. The number of packets
 * in a piece depends on the largest window (max) and on the READ depth (depth). */
static void test_size_of_pieces(void **state)
{
	static const struct {
		uint32_t max;
		unsigned depth;
		uint32_t piece;
	} rows[] = {{1024, 16, 64}, {1024, 8, 128}, {1024, 5, 128},
		    {1024, 4, 256}, {1024, 1, 256}, {1024, 0, 256},
		    {1, 1, 64},	    {256, 4, 64},   {65536, 16, 4096}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_window w;

		rn_window_init(&w, 0, rows[i].max, rows[i].depth);
		assert_int_equal(w.piece, rows[i].piece);
	}
}

/* A READ of 150 packets is requested in pieces of at most 64 packets. A READ of 2 packets follows.
 * When all PSNs before una are acknowledged, `asked` READ requests are outstanding. If `rewind` is
 * set, sending starts again at una. `again` lists the READ requests that are then sent. */
static void test_pieces(void **state)
{
	static const struct {
		uint32_t una, asked;
		bool rewind;
		uint32_t again[3]; /* number of responses of each READ request */
	} rows[] = {
		{0, 4, true, {64, 64, 22}}, {1, 4, true, {63, 64, 22}}, {63, 4, true, {1, 64, 22}},
		{64, 3, true, {64, 22, 2}}, {128, 2, true, {22, 2}},	{149, 2, true, {1, 2}},
		{150, 1, true, {2}},	    {151, 1, true, {1}},	{152, 0, false, {0}},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		static const uint8_t reqs[][2] = {{RN_WQE_READ, 150}, {RN_WQE_READ, 2}};
		struct bench b;

		start(&b, reqs, 2);
		rn_window_ack(&b.w, &b.sq, P(rows[i].una));
		assert_int_equal(rn_window_asked(&b.w, &b.sq), rows[i].asked);
		assert_int_equal(b.w.nbig, rows[i].una < 150);
		if (rows[i].rewind) {
			rn_window_rewind(&b.w, &b.sq);
			assert_int_equal(rn_window_asked(&b.w, &b.sq), 0);
		}
		for (unsigned k = 0; k < 3 && rows[i].again[k]; k++) {
			assert_int_equal(rn_window_piece(&b.w, rn_sq_at(&b.sq, b.sq.send)),
					 rows[i].again[k]);
			rn_window_sent(&b.w, &b.sq, rows[i].again[k]);
			assert_int_equal(rn_window_asked(&b.w, &b.sq), k + 1);
		}
		free(b.mem);
	}
}

static void lost(struct rn_window *w)
{
	rn_window_lost(w, false);
}

/* rn_window_ack_read() takes responses at una, and then has the effect of rn_window_ack(). In all
 * other cases it changes nothing. `had` responses have arrived before. */
static void test_ack_of_a_read(void **state)
{
	static const uint8_t one[][2] = {{RN_WQE_READ, 1}, {RN_WQE_READ, 1}, {RN_WQE_SEND, 1}};
	static const uint8_t two[][2] = {{RN_WQE_READ, 2}, {RN_WQE_READ, 1}, {RN_WQE_SEND, 1}};
	static const uint8_t big[][2] = {{RN_WQE_READ, 65}, {RN_WQE_READ, 66}, {RN_WQE_SEND, 1}};
	static const uint8_t late[][2] = {{RN_WQE_SEND, 1}, {RN_WQE_READ, 1}, {RN_WQE_SEND, 1}};
	static const struct {
		const uint8_t (*reqs)[2];
		unsigned had;
		void (*happens)(struct rn_window *w);
		bool rewind, taken;
	} rows[] = {
		{one, 0, NULL, false, true},
		{two, 0, NULL, false, true},
		{two, 1, NULL, false, true},
		{two, 2, NULL, false, true},
		{big, 0, NULL, false, true},
		{big, 64, NULL, false, true},
		{late, 0, NULL, false, false},
		{one, 0, lost, false, false},
		{two, 1, lost, false, false},
		{one, 0, NULL, true, false},
		{one, 0, rn_window_timed_out, false, false},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct bench b;
		struct rn_window before, after;
		const struct rn_sqe *e;
		uint32_t expect;

		start(&b, rows[i].reqs, 3);
		if (rows[i].had)
			rn_window_ack(&b.w, &b.sq, P(rows[i].had));
		if (rows[i].happens)
			rows[i].happens(&b.w);
		if (rows[i].rewind)
			rn_window_rewind(&b.w, &b.sq);
		before = after = b.w;
		e = rn_window_read(&b.w, &b.sq, &expect);
		assert_int_equal(rn_window_ack_read(&after, e->first_psn, e->npkts), rows[i].taken);
		if (rows[i].taken)
			rn_window_ack(&b.w, &b.sq, P(rows[i].had + 1));
		assert_memory_equal(&after, rows[i].taken ? &b.w : &before, sizeof(after));
		free(b.mem);
	}
}

/* After a timeout the window is not yet full again, or the timeout may have been spurious. */
static void test_ack_of_a_read_after_a_timeout(void **state)
{
	static const uint8_t one[][2] = {{RN_WQE_READ, 1}, {RN_WQE_READ, 1}};
	struct bench b;

	for (int spurious = 0; spurious < 2; spurious++) {
		start(&b, one, 2);
		b.w.size -= !spurious;
		b.w.maybe_spurious = spurious;
		assert_false(rn_window_ack_read(&b.w, rn_sq_at(&b.sq, 0)->first_psn, 1));
		free(b.mem);
	}
}

/* rn_window_ack_plain() has the effect of rn_window_ack(). It changes nothing if the window has to
 * grow, a READ is incomplete, a timeout may have been spurious, or packets wait to be sent
 * again. */
static void test_plain_ack(void **state)
{
	static const uint8_t writes[][2] = {{RN_WQE_WRITE, 2}, {RN_WQE_SEND, 1}, {RN_WQE_SEND, 3}};
	static const uint8_t read[][2] = {{RN_WQE_SEND, 1}, {RN_WQE_READ, 1}, {RN_WQE_SEND, 1}};
	static const struct {
		const uint8_t (*reqs)[2];
		bool small, spurious, rewind, taken;
	} rows[] = {
		{writes, false, false, false, true}, {read, false, false, false, false},
		{writes, true, false, false, false}, {writes, false, true, false, false},
		{writes, false, false, true, false},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		for (uint32_t psn = 1; psn <= 3; psn++) {
			struct bench b;
			struct rn_window before, after;

			start(&b, rows[i].reqs, 3);
			b.w.size = b.w.max - rows[i].small;
			b.w.maybe_spurious = rows[i].spurious;
			if (rows[i].rewind)
				rn_window_rewind(&b.w, &b.sq);
			before = after = b.w;
			assert_int_equal(rn_window_ack_plain(&after, P(psn)), rows[i].taken);
			if (rows[i].taken)
				rn_window_ack(&b.w, &b.sq, P(psn));
			assert_memory_equal(&after, rows[i].taken ? &b.w : &before, sizeof(after));
			free(b.mem);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rewind),
		cmocka_unit_test(test_oldest_read),
		cmocka_unit_test(test_done),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_size_of_patches),
		cmocka_unit_test(test_size_with_queues),
		cmocka_unit_test(test_knee_after_a_timeout),
		cmocka_unit_test(test_size_with_one_loss_per_window),
		cmocka_unit_test(test_patch_before_a_read),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_mistaken_timeout),
		cmocka_unit_test(test_mistaken_timeout_within_a_message),
		cmocka_unit_test(test_size_of_pieces),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_ack_of_a_read),
		cmocka_unit_test(test_ack_of_a_read_after_a_timeout),
		cmocka_unit_test(test_plain_ack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
