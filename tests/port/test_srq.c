/* Commands for shared receive queues, issued through struct rn_link. Invalid commands are refused,
 * objects in use cannot be destroyed, and CQs reserve enough room. */
#include "rig.h"

#include <errno.h>

static struct rn_link *l;
static uint32_t pd;

static int open_link(void **state)
{
	l = rig_open(rig_pair(1, 4200, ""), 0);
	pd = rig_pd(l);
	return 0;
}

static int close_link(void **state)
{
	rn_link_close(l);
	return 0;
}

static int create(uint32_t of, uint32_t depth, uint32_t max_sge, struct rn_rsp *rsp)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_SRQ,
			     .create_srq = {.pd = of, .depth = depth, .max_sge = max_sge}};

	return rig_exec(l, &cmd, rsp);
}

static uint32_t new_srq(uint32_t depth)
{
	struct rn_rsp rsp;

	assert_int_equal(create(pd, depth, 2, &rsp), 0);
	assert_int_not_equal(rsp.id, 0);
	return rsp.id;
}

static int resize(uint32_t srq, uint32_t depth)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_SRQ, .modify_srq = {.id = srq, .depth = depth}};

	return rig_exec(l, &cmd, NULL);
}

static int destroy(enum rn_cmd_op op, uint32_t id)
{
	struct rn_cmd cmd = {.op = op, .obj.id = id};

	return rig_exec(l, &cmd, NULL);
}

static int create_qp(uint32_t srq, const struct rig_cq *cq, uint32_t rq_depth, struct rn_rsp *rsp)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP,
			     .create_qp = {.pd = pd,
					   .type = RN_QPT_RC,
					   .send_cq = cq->id,
					   .recv_cq = cq->id,
					   .srq = srq,
					   .sq_depth = 10,
					   .rq_depth = rq_depth,
					   .sq_sge = 1}};

	return rig_exec(l, &cmd, rsp);
}

static struct rn_rsp new_qp(uint32_t srq, const struct rig_cq *cq)
{
	struct rn_rsp rsp;

	assert_int_equal(create_qp(srq, cq, 0, &rsp), 0);
	return rsp;
}

static void destroy_qp(const struct rn_rsp *qp)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {.qpn = qp->id, .gen = qp->gen}};

	assert_int_equal(rig_exec(l, &cmd, NULL), 0);
}

static void test_what_is_refused(void **state)
{
	struct rig_cq cq = rig_cq(l, 1);
	struct rn_link_info info;
	struct rn_rsp rsp;
	uint32_t srq;

	l->ops->info(l, &info);
	assert_true(info.max_srq > 0);
	assert_int_equal(create(pd, 0, 1, &rsp), -EINVAL);
	assert_int_equal(create(pd, info.max_queue_depth + 1, 1, &rsp), -EINVAL);
	assert_int_equal(create(pd, 1, RN_WQE_MAX_SGE + 1, &rsp), -EINVAL);
	assert_int_equal(create(pd + 1000, 1, 1, &rsp), -ENOENT);
	srq = new_srq(4);
	assert_int_equal(resize(srq, 0), -EINVAL);
	assert_int_equal(resize(srq, info.max_queue_depth + 1), -EINVAL);
	assert_int_equal(resize(srq + 1, 4), -ENOENT);
	assert_int_equal(create_qp(srq + 1, &cq, 0, &rsp), -ENOENT);
	assert_int_equal(create_qp(srq, &cq, 1, &rsp), -EINVAL);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, srq + 1), -ENOENT);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, srq), 0);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, srq), -ENOENT);
	assert_int_equal(destroy(RN_CMD_DESTROY_CQ, cq.id), 0);
}

static void test_objects_in_use_cannot_be_destroyed(void **state)
{
	struct rig_cq cq = rig_cq(l, 1);
	uint32_t srq = new_srq(4);
	struct rn_rsp qp = new_qp(srq, &cq), other = new_qp(srq, &cq);

	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, srq), -EBUSY);
	destroy_qp(&qp);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, srq), -EBUSY);
	destroy_qp(&other);
	assert_int_equal(destroy(RN_CMD_DESTROY_PD, pd), -EBUSY);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, srq), 0);
	assert_int_equal(destroy(RN_CMD_DESTROY_CQ, cq.id), 0);
	assert_int_equal(destroy(RN_CMD_DESTROY_PD, pd), 0);
	pd = rig_pd(l);
}

static void test_posting_counts(void **state)
{
	struct rn_wqe w __attribute__((aligned(64))) = {.kind = RN_WQE_RECV, .slots = 1};
	struct rn_srq_shared *shared;
	struct rn_rsp rsp;

	assert_int_equal(create(pd, 4, 2, &rsp), 0);
	shared = (struct rn_srq_shared *)(uintptr_t)rsp.srq.shared;
	for (unsigned i = 0; i < 4; i++)
		l->ops->srq_post(l, rsp.id, &w);
	assert_int_equal(atomic_load(&shared->posted), 4);
	assert_int_equal(resize(rsp.id, 3), -EOVERFLOW);
	assert_int_equal(resize(rsp.id, 5), 0);
	l->ops->srq_post(l, rsp.id, &w); /* the new depth allows a fifth receive */
	assert_int_equal(resize(rsp.id, 100), 0);
	for (unsigned i = 5; i < 100; i++)
		l->ops->srq_post(l, rsp.id, &w);
	assert_int_equal(resize(rsp.id, 99), -EOVERFLOW);
	assert_int_equal(atomic_load(&shared->posted), 100);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, rsp.id), 0);
}

static uint32_t room_of(const struct rig_cq *cq)
{
	struct rn_cq_ring *ring = atomic_load(&cq->view->first[0]);

	while (atomic_load(&ring->next) != NULL)
		ring = atomic_load(&ring->next);
	return ring->size;
}

/* A CQ reserves entries for:
 * - the depth of an SRQ, counted once;
 * - one more receive for each QP that uses the SRQ;
 * - the depth of each send queue (here 10). */
static void test_room_for_completions(void **state)
{
	struct rig_cq cq = rig_cq(l, 1), own = rig_cq(l, 1);
	uint32_t srq = new_srq(100), second = new_srq(400);
	struct rn_rsp a, b, c, d;

	a = new_qp(srq, &cq);
	assert_int_equal(room_of(&cq), 128); /* needs 10 sends + 101 receives = 111 */
	b = new_qp(srq, &cq);
	assert_int_equal(room_of(&cq), 128); /* needs 20 sends + 102 receives = 122 */
	c = new_qp(srq, &cq);
	assert_int_equal(room_of(&cq), 256); /* needs 30 sends + 103 receives = 133 */
	d = new_qp(srq, &own);
	assert_int_equal(room_of(&own), 128);
	/* A deeper SRQ needs more room in every CQ on which receives of this SRQ can complete. */
	assert_int_equal(resize(srq, 240), 0);
	assert_int_equal(room_of(&cq), 512); /* needs 30 sends + 243 receives = 273 */
	assert_int_equal(room_of(&own), 256);
	/* A smaller SRQ frees no room in the CQ, because completions may be unread. Making the SRQ
	 * larger again therefore needs no further room. */
	assert_int_equal(resize(srq, 10), 0);
	assert_int_equal(resize(srq, 240), 0);
	assert_int_equal(room_of(&cq), 512);
	destroy_qp(&b);
	destroy_qp(&c);
	destroy_qp(&d);
	/* QP `a` still uses the first SRQ, so the CQ still reserves room for the depth of this SRQ.
	 * The new QP uses a second SRQ, whose depth is added. */
	b = new_qp(second, &cq);
	assert_int_equal(room_of(&cq), 1024); /* needs 20 sends + 241 + 401 receives = 662 */
	destroy_qp(&a);
	destroy_qp(&b);
	/* A CQ that no queue pair of the SRQ uses does not grow. */
	assert_int_equal(resize(srq, 8000), 0);
	assert_int_equal(room_of(&cq), 1024);
	assert_int_equal(room_of(&own), 256);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, srq), 0);
	assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, second), 0);
	assert_int_equal(destroy(RN_CMD_DESTROY_CQ, cq.id), 0);
	assert_int_equal(destroy(RN_CMD_DESTROY_CQ, own.id), 0);
}

/* A client closes the adapter without destroying its objects. No memory leaks; the sanitizer builds
 * check this. */
static void test_left_behind(void **state)
{
	struct rig_cq cq = rig_cq(l, 1);
	uint32_t srq = new_srq(4);

	new_qp(srq, &cq);
	new_qp(srq, &cq);
	assert_int_equal(resize(srq, 50), 0);
	new_srq(7);
}

static void test_the_largest_number_of_srqs(void **state)
{
	struct rn_link_info info;
	struct rn_rsp rsp;
	uint32_t *id, n = 0;

	l->ops->info(l, &info);
	id = calloc(info.max_srq + 1, sizeof(*id));
	while (n <= info.max_srq && create(pd, 1, 1, &rsp) == 0)
		id[n++] = rsp.id;
	assert_int_equal(n, info.max_srq);
	assert_int_equal(create(pd, 1, 1, &rsp), -ENOSPC);
	/* The SRQ with the highest possible number works. */
	struct rig_cq cq = rig_cq(l, 1);
	rsp = new_qp(id[n - 1], &cq);
	destroy_qp(&rsp);
	while (n > 0)
		assert_int_equal(destroy(RN_CMD_DESTROY_SRQ, id[--n]), 0);
	free(id);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_what_is_refused),
	cmocka_unit_test(test_objects_in_use_cannot_be_destroyed),
	cmocka_unit_test(test_posting_counts),
	cmocka_unit_test(test_room_for_completions),
	cmocka_unit_test(test_the_largest_number_of_srqs),
	cmocka_unit_test(test_left_behind),
};

int main(void)
{
	return cmocka_run_group_tests(tests, open_link, close_link);
}
