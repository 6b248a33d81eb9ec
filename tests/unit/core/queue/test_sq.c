/* Send and receive queues: their depth, the wrap of their positions, and reads and writes of
 * scatter/gather lists from any offset. */
#include "rig.h"
#include "wire/icrc.h"

static uint8_t mem[256], out[256];

static struct rn_mr_table *table(uint32_t *key)
{
	struct rn_mr_table *t = rn_mr_table_create(1, &(struct rn_secret){{2}});
	struct rn_mr_attr a = {.ptr = mem,
			       .iova = 0x1000,
			       .length = sizeof(mem),
			       .pd = 1,
			       .access = RN_ACCESS_LOCAL_WRITE};

	assert_int_equal(rn_mr_add(t, &a, key, key), 0);
	for (unsigned i = 0; i < sizeof(mem); i++)
		mem[i] = (uint8_t)i;
	return t;
}

/* Five SGEs of 5, 0, 1, 10 and 0 bytes at scattered addresses form one message of 16 bytes. */
static const struct {
	uint32_t at, length;
} pieces[] = {{100, 5}, {0, 0}, {50, 1}, {200, 10}, {0, 0}};

static uint8_t message_byte(uint32_t off)
{
	return off < 5 ? 100 + off : off < 6 ? 50 : 200 + off - 6;
}

static void fill(struct rn_wqe *w, uint32_t key)
{
	memset(w, 0, 2 * sizeof(*w));
	w->slots = 2;
	w->num_sge = RN_ARRAY_SIZE(pieces);
	w->length = 16;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(pieces); i++) {
		struct rn_sge s = {0x1000 + pieces[i].at, pieces[i].length,
				   pieces[i].length ? key : 1};

		memcpy((uint8_t *)w + offsetof(struct rn_wqe, sge) + i * sizeof(s), &s, sizeof(s));
	}
}

static void test_lists(void **state)
{
	void *smem = aligned_alloc(64, rn_sq_bytes(2, 5, 0, RN_QPT_RC)),
	     *rmem = aligned_alloc(64, rn_rq_bytes(2, 5));
	struct rn_wqe w[2];
	struct rn_sq sq;
	struct rn_rq rq;
	uint32_t key;
	struct rn_mr_table *t = table(&key);

	rn_sq_init(&sq, smem, 2, 5, 0, RN_QPT_RC);
	rn_rq_init(&rq, rmem, 2, 5);
	fill(w, key);
	w->kind = RN_WQE_SEND;
	assert_true(rn_sq_push(&sq, w));
	assert_int_equal(rn_sq_at(&sq, 0)->status, 0);
	w->kind = RN_WQE_RECV;
	assert_true(rn_rq_push(&rq, w));
	assert_int_equal(rn_rq_first(&rq)->length, 16);
	for (uint32_t off = 0; off <= 16; off++)
		for (uint32_t n = 0; off + n <= 16; n++) {
			memset(out, 0xEE, sizeof(out));
			assert_int_equal(rn_sq_gather(rn_sq_at(&sq, 0), t, &rn_mem_plain, 1, off, n,
						      out, NULL),
					 RN_V_OK);
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(out[i], message_byte(off + i));
			assert_int_equal(out[n], 0xEE);
			memset(out, 0xEE, sizeof(out));
			uint32_t icrc = 5;
			assert_int_equal(rn_sq_gather(rn_sq_at(&sq, 0), t, &rn_mem_plain, 1, off, n,
						      out, &icrc),
					 RN_V_OK);
			assert_int_equal(icrc, rn_icrc_add(5, out, n));
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(out[i], message_byte(off + i));
			for (int side = 0; side < 2; side++) {
				uint8_t src[16];
				enum rn_verdict v;

				for (uint32_t i = 0; i < n; i++)
					src[i] = (uint8_t)~message_byte(off + i);
				v = side ? rn_sq_place(rn_sq_at(&sq, 0), t, &rn_mem_plain, 1, off,
						       n, src)
					 : rn_rq_place(rn_rq_first(&rq), t, &rn_mem_plain, 1, off,
						       n, src);
				assert_int_equal(v, RN_V_OK);
				for (unsigned i = 0; i < sizeof(mem); i++) {
					bool hit = false;

					for (uint32_t k = off; k < off + n; k++)
						hit |= message_byte(k) == i;
					assert_int_equal(mem[i], hit ? (uint8_t)~i : i);
					mem[i] = (uint8_t)i;
				}
			}
		}
	assert_int_equal(rn_sq_gather(rn_sq_at(&sq, 0), t, &rn_mem_plain, 2, 0, 1, out, NULL),
			 RN_V_REQ_RKEY);
	rn_mr_table_destroy(t);
	free(smem);
	free(rmem);
}

static void test_depth(void **state)
{
	void *smem = aligned_alloc(64, rn_sq_bytes(3, 1, 100, RN_QPT_RC)),
	     *rmem = aligned_alloc(64, rn_rq_bytes(3, 1));
	struct rn_wqe w = {.kind = RN_WQE_NOP, .slots = 1};
	struct rn_sq sq;
	struct rn_rq rq;

	rn_sq_init(&sq, smem, 3, 1, 100, RN_QPT_RC);
	rn_rq_init(&rq, rmem, 3, 1);
	/* start near the wrap of the 32-bit queue positions */
	sq.head = sq.send = sq.started = sq.tail = UINT32_MAX - 1;
	rq.head = rq.tail = UINT32_MAX - 1;
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned k = 0; k < 3; k++) {
			w.wr_id = 10 * i + k;
			assert_true(rn_sq_push(&sq, &w));
			assert_true(rn_rq_push(&rq, &w));
		}
		assert_false(rn_sq_push(&sq, &w));
		assert_false(rn_rq_push(&rq, &w));
		for (unsigned k = 0; k < 3; k++) {
			assert_int_equal(rn_sq_at(&sq, sq.head++)->wr_id, 10 * i + k);
			assert_int_equal(rn_rq_first(&rq)->wr_id, 10 * i + k);
			rn_rq_retire(&rq);
		}
		assert_null(rn_rq_first(&rq));
	}
	free(smem);
	free(rmem);
}

/* Inline data is copied from the work request, with and without its CRC. */
static void test_inline_data(void **state)
{
	void *smem = aligned_alloc(64, rn_sq_bytes(2, 1, 60, RN_QPT_RC));
	struct rn_wqe w[2] = {
		{.kind = RN_WQE_SEND, .flags = RN_WQE_INLINE, .slots = 2, .length = 60}};
	struct rn_sq sq;
	uint8_t data[60];
	uint32_t icrc = 5;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 3 + 1);
	memcpy((uint8_t *)w + offsetof(struct rn_wqe, inl), data, sizeof(data));
	rn_sq_init(&sq, smem, 2, 1, 60, RN_QPT_RC);
	assert_true(rn_sq_push(&sq, w));
	for (unsigned round = 0; round < 2; round++) {
		memset(out, 0xEE, sizeof(out));
		assert_int_equal(rn_sq_gather(rn_sq_at(&sq, 0), NULL, &rn_mem_plain, 1, 7, 16, out,
					      round ? &icrc : NULL),
				 RN_V_OK);
		assert_memory_equal(out, data + 7, 16);
	}
	assert_int_equal(icrc, rn_icrc_add(5, data + 7, 16));
	free(smem);
}

/* A work request is accepted or refused by its kind, flags, slots and lengths. The rows include the
 * greatest number of SGEs and bytes that fit, and one more. */
static void test_forms(void **state)
{
	enum { OK = RN_STATUS_SUCCESS, OP = RN_STATUS_LOC_QP_OP_ERR, LEN = RN_STATUS_LOC_LEN_ERR };
	static const struct {
		uint8_t kind, flags, slots, num_sge;
		uint32_t length, first; /* first: bytes in the first SGE; further SGEs are empty */
		uint8_t status;
	} rows[] = {
		{RN_WQE_SEND, 0, 1, 0, 0, 0, OK},
		{RN_WQE_SEND, 0, 0, 0, 0, 0, OP},
		{RN_WQE_SEND, 0, 1, 1, 8, 8, OK},
		{RN_WQE_SEND, 0, 1, 1, 8, 7, LEN},
		{RN_WQE_SEND, 0, 2, 1, 8, 8, OP},
		{RN_WQE_SEND, 0, 3, 1, 8, 8, OP},
		{RN_WQE_SEND, 0, 2, 3, 8, 8, OK},
		{RN_WQE_SEND, 0, 2, 4, 8, 8, OP},
		{RN_WQE_SEND, 0, 1, 1, RN_MSG_MAX, RN_MSG_MAX, OK},
		{RN_WQE_SEND, 0, 1, 1, RN_MSG_MAX + 1, RN_MSG_MAX + 1, LEN},
		{RN_WQE_SEND, RN_WQE_INLINE, 2, 0, 60, 0, OK},
		{RN_WQE_SEND, RN_WQE_INLINE, 2, 0, 61, 0, OP},
		{RN_WQE_SEND, RN_WQE_INLINE, 2, 1, 60, 0, OP},
		{RN_WQE_SEND, RN_WQE_INLINE, 1, 1, 8, 8, OP},
		{RN_WQE_SEND, RN_WQE_INLINE, 3, 0, 60, 0, OP},
		{RN_WQE_READ, RN_WQE_INLINE, 2, 0, 60, 0, OP},
		{RN_WQE_READ, 0, 1, 1, 8, 8, OK},
		{RN_WQE_CMP_SWAP, 0, RN_ATOMIC_SLOTS, 1, 8, 8, OK},
		{RN_WQE_CMP_SWAP, 0, RN_ATOMIC_SLOTS, 1, 8, 7, LEN},
		{RN_WQE_CMP_SWAP, 0, RN_ATOMIC_SLOTS, 1, 7, 8, LEN},
		{RN_WQE_FETCH_ADD, 0, RN_ATOMIC_SLOTS, 0, 8, 8, LEN},
		{RN_WQE_FETCH_ADD, 0, RN_ATOMIC_SLOTS, 2, 8, 8, OP},
		{RN_WQE_FETCH_ADD, 0, 1, 1, 8, 8, OP},
		{RN_WQE_FETCH_ADD, RN_WQE_INLINE, RN_ATOMIC_SLOTS, 1, 8, 8, OP},
		{RN_WQE_INVALIDATE, 0, 1, 0, 0, 0, OK},
		{RN_WQE_INVALIDATE, 0, 1, 0, 1, 0, OP},
		{RN_WQE_INVALIDATE, 0, 1, 1, 0, 0, OP},
		{RN_WQE_INVALIDATE, 0, 2, 0, 0, 0, OP},
		{RN_WQE_INVALIDATE, RN_WQE_INLINE, 1, 0, 0, 0, OP},
		{RN_WQE_BIND, 0, 1, 1, 8, 8, OP},
		{RN_WQE_RECV, 0, 1, 0, 0, 0, OP},
		{RN_WQE_RECV, 0, 1, 1, 8, 8, OP},
		{32 + RN_WQE_SEND, 0, 1, 1, 8, 8, OP},
		{31, 0, 1, 0, 0, 0, OP},
		{32, 0, 1, 0, 0, 0, OP},
		{33, 0, 1, 0, 0, 0, OP},
		{255, 0, 1, 0, 0, 0, OP},
	};
	void *smem = aligned_alloc(64, rn_sq_bytes(1, 3, 60, RN_QPT_RC));
	struct rn_sq sq;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_wqe w[4] = {{.kind = rows[i].kind,
				       .flags = rows[i].flags,
				       .slots = rows[i].slots,
				       .num_sge = rows[i].num_sge,
				       .length = rows[i].length}};

		if (rows[i].num_sge)
			w->sge[0].length = rows[i].first;
		rn_sq_init(&sq, smem, 1, 3, 60, RN_QPT_RC);
		assert_true(rn_sq_push(&sq, w));
		if (rn_sq_at(&sq, 0)->status != rows[i].status)
			fail_msg("row %u: %u", i, rn_sq_at(&sq, 0)->status);
		/* The queue is full. */
		assert_false(rn_sq_push_plain(&sq, w));
		sq.head = sq.send = sq.started = sq.tail;
		bool plain = rn_sq_push_plain(&sq, w);
		if (plain != (rows[i].status == OK && rows[i].slots == 1 && rows[i].num_sge == 1))
			fail_msg("row %u: plain", i);
		assert_int_equal(sq.tail, 1 + plain);
		assert_true(!plain || rn_sq_at(&sq, 1)->status == OK);
	}
	free(smem);
}

/* A SEND of one slot and one SGE is malformed on a UD QP, where its destination needs a slot. It is
 * malformed on a queue whose requests have no SGEs, and so is a receive with one SGE. */
static void test_forms_of_queues(void **state)
{
	static const struct {
		uint8_t type;
		uint32_t max_sge;
		uint8_t status;
	} rows[] = {
		{RN_QPT_RC, 1, RN_STATUS_SUCCESS},
		{RN_QPT_UC, 1, RN_STATUS_SUCCESS},
		{RN_QPT_UD, 1, RN_STATUS_LOC_QP_OP_ERR},
		{RN_QPT_RC, 0, RN_STATUS_LOC_QP_OP_ERR},
	};
	struct rn_wqe w = {.kind = RN_WQE_SEND, .slots = 1, .num_sge = 1, .length = 8};

	w.sge[0].length = 8;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		uint32_t max = rows[i].max_sge;
		void *smem = aligned_alloc(64, rn_sq_bytes(1, max, 60, rows[i].type)),
		     *rmem = aligned_alloc(64, rn_rq_bytes(1, max));
		struct rn_sq sq;
		struct rn_rq rq;

		rn_sq_init(&sq, smem, 1, max, 60, rows[i].type);
		rn_rq_init(&rq, rmem, 1, max);
		assert_true(rn_sq_push(&sq, &w));
		assert_true(rn_rq_push(&rq, &w));
		assert_int_equal(rn_sq_at(&sq, 0)->status, rows[i].status);
		assert_int_equal(rn_rq_at(&rq, 0)->bad, !max);
		assert_int_equal(rn_rq_at(&rq, 0)->num_sge, max);
		free(smem);
		free(rmem);
	}
}

static void test_bad_receive(void **state)
{
	void *rmem = aligned_alloc(64, rn_rq_bytes(4, 2));
	struct rn_wqe w[2] = {{.kind = RN_WQE_RECV, .slots = 1, .num_sge = 3}};
	struct rn_rq rq;

	rn_rq_init(&rq, rmem, 4, 2);
	assert_false(rn_rq_push_plain(&rq, w));
	assert_int_equal(rq.tail, 0);
	assert_true(rn_rq_push(&rq, w));
	w->num_sge = 2; /* two SGEs do not fit in one slot */
	assert_true(rn_rq_push(&rq, w));
	w->slots = 2;
	assert_true(rn_rq_push(&rq, w));
	assert_true(rn_rq_at(&rq, 0)->bad);
	assert_true(rn_rq_at(&rq, 1)->bad);
	assert_false(rn_rq_at(&rq, 2)->bad);
	free(rmem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_bad_receive),	cmocka_unit_test(test_forms),
		cmocka_unit_test(test_forms_of_queues), cmocka_unit_test(test_inline_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
