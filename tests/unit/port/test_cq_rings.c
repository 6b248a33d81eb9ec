/* The rings of a completion queue: their size, and when a ring is added or freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nic/cq_rings.h"

#include <errno.h>
#include <stdlib.h>

static struct rn_nic_cq cq;

static int with_depth_100(void **state)
{
	cq = (struct rn_nic_cq){.depth = 100};
	cq.view.shared = &cq.shared;
	return 0;
}

static int free_rings(void **state)
{
	for (unsigned s = 0; s < RN_MAX_SHARDS; s++)
		for (struct rn_cq_ring *r = cq.view.first[s], *next; r != NULL; r = next) {
			next = r->next;
			free(r);
		}
	return 0;
}

/* Appends a ring in two steps. Sets `next` of the newest ring, which in a real NIC the shard does.
 * Then reports the ring as linked, as the caller of rn_cq_rings_grow() must. */
static void link_it(unsigned shard, struct rn_cq_ring *ring)
{
	if (cq.feed[shard].newest != NULL)
		atomic_store(&cq.feed[shard].newest->next, ring);
	rn_cq_rings_linked(&cq, shard, ring);
}

/* Attaches a queue pair to the CQ. `depth` is the sum of the queue pair's depths on this CQ.
 * Returns the number of entries of the new ring, or 0 if no ring is needed. */
static uint32_t attach(unsigned shard, uint64_t depth)
{
	struct rn_cq_ring *ring = NULL;

	assert_int_equal(rn_cq_rings_grow(&cq, shard, depth, &ring), 0);
	if (ring != NULL)
		link_it(shard, ring);
	cq.feed[shard].depths += depth;
	return ring != NULL ? ring->size : 0;
}

/* Resizes the CQ to this depth. Returns the number of entries of the new ring, or 0 if no ring is
 * needed. */
static uint32_t resize(unsigned shard, uint32_t depth)
{
	struct rn_cq_ring *ring = NULL;

	assert_int_equal(rn_cq_rings_resize(&cq, shard, depth, &ring), 0);
	cq.depth = depth;
	if (ring != NULL)
		link_it(shard, ring);
	return ring != NULL ? ring->size : 0;
}

/* Advances the reader to the newest ring, so that the older rings are freed. */
static void read_on(unsigned shard)
{
	for (struct rn_cq_ring *r = cq.view.first[shard]; r->next != NULL; r = cq.view.first[shard])
		rn_cq_rings_done(&cq, r);
}

static void a_ring_comes_with_the_first_queue_pair(void **state)
{
	assert_int_equal(resize(3, 1000), 0);
	assert_null(cq.view.first[3]);
	assert_int_equal(attach(3, 10), 1024);
	assert_ptr_equal(cq.view.first[3], cq.feed[3].newest);
	assert_null(cq.view.first[0]);
}

static void a_ring_holds_all_queue_pairs(void **state)
{
	assert_int_equal(attach(0, 10), 128);
	assert_int_equal(attach(0, 100), 0);
	assert_int_equal(attach(0, 20), 256);
	assert_int_equal(attach(1, 300), 512);
}

static void room_for_what_queue_pairs_gone_left_unread(void **state)
{
	attach(0, 128);
	cq.feed[0].newest->tail = 100;
	cq.feed[0].newest->head = 10;
	cq.feed[0].depths = 0;
	cq.feed[0].gone = 70;
	assert_int_equal(attach(0, 58), 0);
	cq.feed[0].depths = 0;
	assert_int_equal(attach(0, 59), 256);
	assert_int_equal(cq.feed[0].gone, 0);
}

static void larger_and_smaller(void **state)
{
	attach(0, 40);
	assert_int_equal(resize(0, 128), 0);
	assert_int_equal(resize(0, 129), 256);
	read_on(0);
	assert_int_equal(resize(0, 129), 0);
	assert_int_equal(resize(0, 128), 128);
	read_on(0);
	/* the CQ's queue pair of depth 40 still needs a ring of 64 entries */
	assert_int_equal(resize(0, 1), 64);
	read_on(0);
	assert_int_equal(resize(0, 1), 0);
}

static void no_smaller_ring_while_the_reader_lags(void **state)
{
	attach(0, 1);
	assert_int_equal(resize(0, 1000), 1024);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(resize(0, 1), 0);
		assert_int_equal(resize(0, 1024), 0);
	}
	assert_int_equal(resize(0, 1025), 2048);
	read_on(0);
	assert_int_equal(resize(0, 1), 1);
}

static void only_the_oldest_ring_is_freed_and_only_with_a_successor(void **state)
{
	struct rn_cq_ring *first;

	attach(0, 1);
	first = cq.feed[0].newest;
	rn_cq_rings_done(&cq, first);
	assert_ptr_equal(cq.view.first[0], first);
	resize(0, 1000);
	rn_cq_rings_done(&cq, cq.feed[0].newest);
	assert_ptr_equal(cq.view.first[0], first);
	rn_cq_rings_done(&cq, first);
	assert_ptr_equal(cq.view.first[0], cq.feed[0].newest);
}

static void absurd_sums_are_refused(void **state)
{
	struct rn_cq_ring *ring = NULL;

	cq.feed[0].depths = UINT64_C(1) << 28;
	assert_int_equal(rn_cq_rings_grow(&cq, 0, 1, &ring), -ENOMEM);
	assert_null(ring);
}

#define with_cq(f) cmocka_unit_test_setup_teardown(f, with_depth_100, free_rings)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_cq(a_ring_comes_with_the_first_queue_pair),
		with_cq(a_ring_holds_all_queue_pairs),
		with_cq(room_for_what_queue_pairs_gone_left_unread),
		with_cq(larger_and_smaller),
		with_cq(no_smaller_ring_while_the_reader_lags),
		with_cq(only_the_oldest_ring_is_freed_and_only_with_a_successor),
		with_cq(absurd_sums_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
