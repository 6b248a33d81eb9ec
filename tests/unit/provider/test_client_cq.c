/* Polling and arming completion queues. The test fills the CQE rings itself, as two shards would,
 * and replaces rings by larger rings. An entry "fires" the queue if it ends the client's pending
 * Notify. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct rn_cq_view view;
static struct rn_cq_shared shared;
static unsigned rings_done;
static uint32_t features;
static struct rn_cmd resized; /* the last RN_CMD_RESIZE_CQ command */
static int resize_answer;
/* The ring that the next resize links behind shard 0's ring, as the NIC does. NULL: no ring. */
static struct rn_cq_ring *linked_by_resize;

static int exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	rsp->id = 3;
	if (cmd->op != RN_CMD_RESIZE_CQ)
		return 0;
	resized = *cmd;
	if (resize_answer == 0 && linked_by_resize != NULL)
		atomic_store(&view.first[0]->next, linked_by_resize);
	return resize_answer;
}

static struct rn_cq_view *cq_view(struct rn_link *link, uint32_t cq)
{
	return &view;
}

static void ring_done(struct rn_link *link, uint32_t cq_id, struct rn_cq_ring *ring)
{
	assert_int_equal(cq_id, 3);
	rings_done++;
	free(ring);
}

static void no_progress(struct rn_link *link)
{
}

static void two_shards(struct rn_link *link, struct rn_link_info *info)
{
	memset(info, 0, sizeof(*info));
	info->shards = 2;
	info->max_cqe = 1000;
	info->features = features;
}

static const struct rn_link_ops ops = {
	.exec = exec,
	.cq_view = cq_view,
	.cq_ring_done = ring_done,
	.progress = no_progress,
	.info = two_shards,
};
static struct rn_link fake = {&ops};
static struct rn_client *client;
static struct rn_client_cq *cq;

static struct rn_cq_ring *new_ring(uint32_t size)
{
	struct rn_cq_ring *ring = aligned_alloc(64, sizeof(*ring) + size * sizeof(struct rn_cqe));

	memset(ring, 0, sizeof(*ring));
	ring->size = size;
	ring->mask = size - 1;
	return ring;
}

static int open_cq(void **state)
{
	memset(&view, 0, sizeof(view));
	memset(&shared, 0, sizeof(shared));
	view.shared = &shared;
	rings_done = 0;
	resize_answer = 0;
	linked_by_resize = NULL;
	features = RN_LINK_CQ_RESIZE;
	client = rn_client_attach(&fake);
	assert_int_equal(rn_client_cq_create(client, 8, 0, 0, &cq), 0);
	return 0;
}

static int close_cq(void **state)
{
	for (int s = 0; s < 2; s++)
		for (struct rn_cq_ring *r = cq->feed[s].ring ? cq->feed[s].ring : view.first[s], *n;
		     r; r = n) {
			n = r->next;
			free(r);
		}
	rn_client_cq_destroy(cq);
	rn_client_close(client);
	return 0;
}

static void produce(struct rn_cq_ring *ring, uint64_t wr_id, uint16_t flags)
{
	ring->cqe[ring->tail & ring->mask] = (struct rn_cqe){.wr_id = wr_id, .flags = flags};
	atomic_fetch_add(&ring->tail, 1);
}

/* Takes one entry of the completion queue. Returns the entry's wr_id, or 0 if the queue is
 * empty. */
static uint64_t take(bool *fired)
{
	struct rn_cqe cqe;

	return rn_client_cq_poll(cq, &cqe, 1, fired) == 1 ? cqe.wr_id : 0;
}

static void empty_until_a_shard_attaches(void **state)
{
	bool fired;

	assert_int_equal(take(&fired), 0);
	assert_false(fired);
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	view.first[1] = new_ring(4);
	produce(view.first[1], 5, 0);
	assert_int_equal(take(&fired), 5);
	assert_true(fired);
}

static void both_shards_are_visited(void **state)
{
	struct rn_cqe cqe[8];
	unsigned seen[2] = {0}, n;
	bool fired;

	view.first[0] = new_ring(8);
	view.first[1] = new_ring(8);
	for (uint64_t i = 0; i < 5; i++) {
		produce(view.first[0], i, 0);
		produce(view.first[1], 100 + i, 0);
	}
	while ((n = rn_client_cq_poll(cq, cqe, 3, &fired)) != 0)
		for (unsigned i = 0; i < n; i++) {
			unsigned s = cqe[i].wr_id >= 100;

			assert_int_equal(cqe[i].wr_id, s * 100 + seen[s]++);
		}
	assert_int_equal(seen[0], 5);
	assert_int_equal(seen[1], 5);
}

static void larger_rings_are_followed(void **state)
{
	struct rn_cq_ring *small = new_ring(4), *large = new_ring(16), *last = new_ring(32);
	bool fired;

	view.first[0] = small;
	for (uint64_t i = 1; i <= 3; i++)
		produce(small, i, 0);
	assert_int_equal(take(&fired), 1);
	atomic_store(&small->next, large);
	produce(large, 4, 0);
	atomic_store(&large->next, last);
	for (uint64_t i = 5; i <= 9; i++)
		produce(last, i, 0);
	/* Arming finds the unread entries, which are in three rings by now. */
	assert_true(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	for (uint64_t i = 2; i <= 9; i++)
		assert_int_equal(take(&fired), i);
	assert_int_equal(take(&fired), 0);
	assert_false(fired);
	assert_int_equal(rings_done, 2);
	produce(last, 10, 0);
	assert_true(rn_client_cq_fired(cq));
}

static void each_entry_fires_once(void **state)
{
	bool fired;

	view.first[0] = new_ring(8);
	produce(view.first[0], 1, 0);
	assert_true(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	assert_int_equal(shared.armed, RN_CQ_ARM_NONE);
	/* Entry 1 has fired the completion queue before, so it does not fire the queue again. */
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	assert_int_equal(shared.armed, RN_CQ_ARM_ANY);
	assert_int_equal(take(&fired), 1);
	assert_false(fired);
	assert_false(rn_client_cq_fired(cq)); /* an RN_EVENT_CQ without a new entry */
	produce(view.first[0], 2, 0);
	shared.armed = RN_CQ_ARM_NONE; /* the shard does this when it posts RN_EVENT_CQ */
	assert_true(rn_client_cq_fired(cq));
	assert_false(rn_client_cq_fired(cq));
}

/* An entry may be read before its RN_EVENT_CQ is handled. Reading the entry fires the completion
 * queue. The later event does not fire the queue again. */
static void an_entry_read_before_its_event_fires(void **state)
{
	bool fired;

	view.first[0] = new_ring(8);
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	produce(view.first[0], 1, 0);
	assert_int_equal(take(&fired), 1);
	assert_true(fired);
	assert_false(rn_client_cq_fired(cq));
}

static void solicited_waits_for_its_kind(void **state)
{
	bool fired;

	view.first[0] = new_ring(16);
	produce(view.first[0], 1, 0);
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_SOLICITED));
	produce(view.first[0], 2, 0);
	assert_false(rn_client_cq_fired(cq));
	produce(view.first[0], 3, RN_CQE_SOLICITED);
	assert_true(rn_client_cq_fired(cq));
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_SOLICITED));
	produce(view.first[0], 4, RN_CQE_ERROR);
	for (uint64_t i = 1; i <= 3; i++) {
		assert_int_equal(take(&fired), i);
		assert_false(fired);
	}
	assert_int_equal(take(&fired), 4);
	assert_true(fired);
	/* The queue is armed for SOLICITED, then for ANY. Entry 5 is not solicited, so it fires the
	 * queue only after the second call. */
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_SOLICITED));
	produce(view.first[0], 5, 0);
	assert_false(rn_client_cq_fired(cq));
	assert_true(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	/* The queue is disarmed: entry 6 does not fire the queue until the queue is armed again. */
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	rn_client_cq_disarm(cq);
	produce(view.first[0], 6, 0);
	assert_false(rn_client_cq_fired(cq));
	assert_true(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
}

static void indices_wrap(void **state)
{
	struct rn_cq_ring *ring = new_ring(4);
	bool fired;

	view.first[0] = ring;
	for (uint64_t i = 1; i <= 100; i++) {
		produce(ring, i, 0);
		assert_int_equal(ring->tail - ring->head, 1);
		assert_int_equal(take(&fired), i);
		assert_int_equal(ring->tail, ring->head);
	}
}

static void resize_asks_for_what_is_possible(void **state)
{
	view.first[0] = new_ring(8);
	view.first[1] = new_ring(8);
	for (uint64_t i = 1; i <= 3; i++) {
		produce(view.first[0], i, 0);
		produce(view.first[1], i, 0);
	}
	memset(&resized, 0, sizeof(resized));
	assert_int_equal(rn_client_cq_resize(cq, 0), -EINVAL);
	assert_int_equal(rn_client_cq_resize(cq, 1001), -EINVAL);
	/* Refused, because six entries are unread. */
	assert_int_equal(rn_client_cq_resize(cq, 5), -EMSGSIZE);
	assert_int_equal(resized.op, 0);
	assert_int_equal(rn_client_cq_resize(cq, 6), 0);
	assert_int_equal(resized.resize_cq.id, 3);
	assert_int_equal(resized.resize_cq.depth, 6);
	resize_answer = -ENOMEM;
	assert_int_equal(rn_client_cq_resize(cq, 1000), -ENOMEM);
	resize_answer = -ENODEV;
	assert_int_equal(rn_client_cq_resize(cq, 10), -ENODEV);
}

static void resize_leaves_an_empty_ring_at_once(void **state)
{
	struct rn_cq_ring *small = new_ring(4);
	bool fired;

	view.first[0] = small;
	produce(small, 1, 0);
	linked_by_resize = new_ring(16);
	assert_int_equal(rn_client_cq_resize(cq, 16), 0);
	assert_int_equal(rings_done, 0);
	assert_int_equal(take(&fired), 1);
	linked_by_resize = NULL;
	assert_int_equal(rn_client_cq_resize(cq, 16), 0);
	assert_int_equal(rings_done, 1);
	produce(cq->feed[0].ring, 2, 0);
	assert_int_equal(take(&fired), 2);
}

static void resize_is_not_asked_for_where_it_is_not_offered(void **state)
{
	cq->client->info.features = 0;
	memset(&resized, 0, sizeof(resized));
	assert_int_equal(rn_client_cq_resize(cq, 16), -EOPNOTSUPP);
	assert_int_equal(resized.op, 0);
}

/* Adds a completion of the QP with this qp_ctx to a ring. */
static void produce_of(struct rn_cq_ring *ring, uint64_t wr_id, uint64_t qp_ctx)
{
	struct rn_cqe *cqe = &ring->cqe[ring->tail & ring->mask];

	produce(ring, wr_id, 0);
	cqe->qp_ctx = qp_ctx;
}

/* The completions of the QP with qp_ctx 7 are removed from all rings of both shards. Those of other
 * QPs stay, in their order. */
static void a_qp_is_forgotten(void **state)
{
	struct rn_cq_ring *small = new_ring(8), *large = new_ring(16), *last = new_ring(32);
	bool fired;

	view.first[0] = small;
	view.first[1] = new_ring(8);
	rn_client_cq_forget(cq, 7); /* nothing is there */
	for (uint64_t i = 1; i <= 5; i++)
		produce_of(small, i, i % 2 ? 7 : 6);
	atomic_store(&small->next, large);
	produce_of(large, 6, 7);
	atomic_store(&large->next, last);
	produce_of(last, 7, 6);
	produce_of(last, 8, 7);
	for (uint64_t i = 101; i <= 103; i++)
		produce_of(view.first[1], i, 7);
	rn_client_cq_forget(cq, 5);
	assert_int_equal(rings_done, 0);
	rn_client_cq_forget(cq, 7);
	produce_of(last, 9, 7); /* of a QP that is made later, with the same number */
	assert_int_equal(take(&fired), 2);
	assert_int_equal(take(&fired), 4);
	assert_int_equal(take(&fired), 7);
	assert_int_equal(take(&fired), 9);
	assert_int_equal(take(&fired), 0);
	assert_int_equal(rings_done, 2);
}

/* Rings whose indices have wrapped, and a full ring, whose places are free afterwards. */
static void a_full_ring_is_forgotten(void **state)
{
	struct rn_cq_ring *ring = new_ring(4);
	bool fired;

	view.first[0] = ring;
	for (uint64_t round = 1; round < 20; round++) {
		for (uint64_t i = 0; i < 4; i++)
			produce_of(ring, round * 4 + i, i == round % 4 ? 6 : 7);
		rn_client_cq_forget(cq, 7);
		assert_int_equal(ring->tail - ring->head, 1);
		assert_int_equal(take(&fired), round * 4 + round % 4);
	}
}

/* An entry that has fired the CQ does not do so again from its new place, and a new one does. */
static void forgetting_keeps_what_has_fired(void **state)
{
	struct rn_cq_ring *ring = new_ring(16);

	view.first[0] = ring;
	produce_of(ring, 1, 6);
	produce_of(ring, 2, 7);
	produce_of(ring, 3, 6);
	assert_true(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	produce_of(ring, 4, 7);
	rn_client_cq_forget(cq, 7);
	assert_false(rn_client_cq_arm(cq, RN_CQ_ARM_ANY));
	assert_false(rn_client_cq_fired(cq));
	produce_of(ring, 5, 6);
	assert_true(rn_client_cq_fired(cq));
}

#define with_cq(f) cmocka_unit_test_setup_teardown(f, open_cq, close_cq)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_cq(empty_until_a_shard_attaches),
		with_cq(both_shards_are_visited),
		with_cq(larger_rings_are_followed),
		with_cq(each_entry_fires_once),
		with_cq(an_entry_read_before_its_event_fires),
		with_cq(solicited_waits_for_its_kind),
		with_cq(indices_wrap),
		with_cq(resize_asks_for_what_is_possible),
		with_cq(resize_leaves_an_empty_ring_at_once),
		with_cq(resize_is_not_asked_for_where_it_is_not_offered),
		with_cq(a_qp_is_forgotten),
		with_cq(a_full_ring_is_forgotten),
		with_cq(forgetting_keeps_what_has_fired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
