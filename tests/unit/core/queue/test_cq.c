/* The ring of a completion queue (CQ): how completions are published to the reader, and when an
 * armed CQ makes an event. Also tests growth and overrun. */
#include "queue/cq.h"
#include "rig.h"

struct bench {
	struct rn_cq cq;
	struct rn_cq_shared shared;
	struct rn_cq_ring *ring;
};

static struct rn_cq_ring *new_ring(uint32_t n)
{
	struct rn_cq_ring *ring = aligned_alloc(64, RN_ALIGN_UP(rn_cq_ring_bytes(n), 64));

	rn_cq_ring_init(ring, n);
	return ring;
}

static void start(struct bench *b, uint32_t n)
{
	memset(b, 0, sizeof(*b));
	b->ring = new_ring(n);
	rn_cq_link(&b->cq, 1, &b->shared, b->ring, 2);
}

static bool add(struct bench *b, uint64_t id, uint16_t flags)
{
	struct rn_cqe *c = rn_cq_claim(&b->cq);

	if (!c)
		return false;
	*c = (struct rn_cqe){.wr_id = id, .flags = flags};
	rn_cq_written(&b->cq, flags);
	return true;
}

/* The reader sees a completion only after rn_cq_publish(). */
static void test_publish(void **state)
{
	struct bench b;

	start(&b, 3);
	assert_int_equal(b.ring->size, 4);
	assert_true(add(&b, 1, 0));
	assert_int_equal(atomic_load(&b.ring->tail), 0);
	rn_cq_publish(&b.cq);
	assert_int_equal(atomic_load(&b.ring->tail), 1);
	assert_int_equal(b.ring->cqe[0].wr_id, 1);
	free(b.ring);
}

/* A CQ without room for a completion is marked as overrun, and takes no further completions. */
static void test_overrun(void **state)
{
	struct bench b;

	start(&b, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_true(add(&b, i, 0));
	atomic_store(&b.ring->head, 2);
	assert_true(add(&b, 4, 0));
	assert_true(add(&b, 5, 0));
	assert_false(atomic_load(&b.shared.overrun));
	assert_false(add(&b, 6, 0));
	assert_true(atomic_load(&b.shared.overrun));
	atomic_store(&b.ring->head, 4);
	assert_false(add(&b, 6, 0)); /* an overrun CQ accepts nothing more, even with free room */
	assert_int_equal(b.ring->cqe[1].wr_id, 5);
	free(b.ring);
	/* a head beyond the tail, as a faulty reader could write it, does not count as room */
	start(&b, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_true(add(&b, i, 0));
	atomic_store(&b.ring->head, 9);
	assert_false(add(&b, 4, 0));
	free(b.ring);
}

/* Rows R5, R6 of docs/spec/rocev2.md: which completions fire the event of an armed CQ. */
static void test_arming(void **state)
{
	static const struct {
		uint32_t armed;
		uint16_t flags;
		bool fires;
	} rows[] = {
		{RN_CQ_ARM_NONE, RN_CQE_ERROR, false},
		{RN_CQ_ARM_ANY, 0, true},
		{RN_CQ_ARM_SOLICITED, 0, false},
		{RN_CQ_ARM_SOLICITED, RN_CQE_RECV, false},
		{RN_CQ_ARM_SOLICITED, RN_CQE_SOLICITED, true},
		{RN_CQ_ARM_SOLICITED, RN_CQE_ERROR, true},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct bench b;

		start(&b, 4);
		atomic_store(&b.shared.armed, rows[i].armed);
		add(&b, 1, rows[i].flags);
		add(&b, 2, 0);
		rn_cq_publish(&b.cq);
		assert_int_equal(rn_cq_fires(&b.cq), rows[i].fires);
		assert_int_equal(atomic_load(&b.shared.armed),
				 rows[i].fires ? RN_CQ_ARM_NONE : rows[i].armed);
		assert_false(rn_cq_fires(&b.cq));
		free(b.ring);
	}
}

/* Completions made after a larger ring is linked go to the new ring. */
static void test_grow(void **state)
{
	struct rn_cq_ring *second = new_ring(8);
	struct bench b;

	start(&b, 2);
	add(&b, 1, 0);
	rn_cq_link(&b.cq, 1, &b.shared, second, 2);
	/* linking the new ring publishes the completions in the old one */
	assert_int_equal(atomic_load(&b.ring->tail), 1);
	assert_ptr_equal(atomic_load(&b.ring->next), second);
	add(&b, 2, 0);
	rn_cq_publish(&b.cq);
	assert_int_equal(atomic_load(&b.ring->tail), 1);
	assert_int_equal(second->cqe[0].wr_id, 2);
	free(b.ring);
	free(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_publish),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_arming),
		cmocka_unit_test(test_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
