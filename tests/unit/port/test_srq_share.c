/* The room that a CQ keeps for completions of receives from a shared receive queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nic/objects.h"

#define DEPTH 100u

struct bench {
	struct rn_nic_srq srq;
	struct rn_nic_cq *cq;
};

static void setup(struct bench *b)
{
	*b = (struct bench){.srq = {.most = DEPTH}, .cq = calloc(1, sizeof(*b->cq))};
	assert_non_null(b->cq);
	rn_list_init(&b->srq.shares);
}

static void teardown(struct bench *b)
{
	assert_true(rn_list_empty(&b->srq.shares));
	assert_int_equal(b->srq.users, 0);
	free(b->cq);
}

/* Finds or creates the share of this SRQ, CQ and shard, and joins the share, as the creation of a
 * QP does. The room that the CQ then needs must grow by `more` completions. */
static struct rn_nic_share *join(struct bench *b, unsigned shard, uint64_t more)
{
	uint64_t room = 0;
	struct rn_nic_share *share = rn_nic_share_find(&b->srq, b->cq, shard, &room);

	assert_non_null(share);
	assert_int_equal(room, more);
	rn_nic_share_join(share);
	return share;
}

static void the_first_qp_adds_the_depth_and_each_qp_adds_one(void **state)
{
	struct rn_nic_share *first;
	struct bench b;

	setup(&b);
	first = join(&b, 0, DEPTH + 1);
	assert_ptr_equal(join(&b, 0, 1), first);
	assert_int_equal(b.cq->feed[0].depths, DEPTH + 2);
	assert_int_equal(b.srq.users, 2);
	rn_nic_share_leave(first);
	assert_int_equal(b.cq->feed[0].depths, DEPTH + 1);
	assert_int_equal(b.cq->feed[0].gone, 1);
	rn_nic_share_leave(first);
	assert_int_equal(b.cq->feed[0].depths, 0);
	assert_int_equal(b.cq->feed[0].gone, DEPTH + 2);
	assert_null(b.cq->feed[0].shares);
	teardown(&b);
}

static void each_shard_has_its_own_share(void **state)
{
	struct rn_nic_share *a, *c;
	struct bench b;

	setup(&b);
	a = join(&b, 0, DEPTH + 1);
	c = join(&b, 1, DEPTH + 1);
	assert_ptr_not_equal(a, c);
	assert_int_equal(b.cq->feed[0].depths, DEPTH + 1);
	assert_int_equal(b.cq->feed[1].depths, DEPTH + 1);
	rn_nic_share_leave(a);
	assert_int_equal(b.cq->feed[1].depths, DEPTH + 1);
	rn_nic_share_leave(c);
	teardown(&b);
}

static void two_srqs_of_one_cq_are_counted_apart(void **state)
{
	struct rn_nic_share *a, *c;
	struct rn_nic_srq other = {.most = 7};
	uint64_t room;
	struct bench b;

	setup(&b);
	rn_list_init(&other.shares);
	a = join(&b, 0, DEPTH + 1);
	c = rn_nic_share_find(&other, b.cq, 0, &room);
	assert_int_equal(room, 7 + 1);
	rn_nic_share_join(c);
	assert_int_equal(b.cq->feed[0].depths, DEPTH + 1 + 7 + 1);
	rn_nic_share_leave(a);
	assert_int_equal(b.cq->feed[0].depths, 7 + 1);
	assert_ptr_equal(b.cq->feed[0].shares, c);
	rn_nic_share_leave(c);
	teardown(&b);
}

/* If the creation of a QP fails, the share made for the QP is freed. A share that another QP uses
 * stays. */
static void a_failed_creation_leaves_nothing(void **state)
{
	struct rn_nic_share *share;
	uint64_t room;
	struct bench b;

	setup(&b);
	rn_nic_share_drop(rn_nic_share_find(&b.srq, b.cq, 0, &room));
	rn_nic_share_drop(NULL);
	assert_null(b.cq->feed[0].shares);
	share = join(&b, 0, DEPTH + 1);
	rn_nic_share_drop(rn_nic_share_find(&b.srq, b.cq, 0, &room));
	assert_int_equal(room, 1);
	assert_ptr_equal(b.cq->feed[0].shares, share);
	rn_nic_share_leave(share);
	teardown(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_qp_adds_the_depth_and_each_qp_adds_one),
		cmocka_unit_test(each_shard_has_its_own_share),
		cmocka_unit_test(two_srqs_of_one_cq_are_counted_apart),
		cmocka_unit_test(a_failed_creation_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
