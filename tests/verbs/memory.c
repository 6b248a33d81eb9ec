/* Regions that change: ibv_rereg_mr() gives a region other rights, another PD or other memory, with
 * the same keys. Each test runs between two adapters, and between two QPs of one adapter. */
#include "side.h"

#include <errno.h>
#include <string.h>

#define LOCAL  IBV_ACCESS_LOCAL_WRITE
#define REMOTE IBV_ACCESS_REMOTE_WRITE

static unsigned other; /* the device of the second end: 0 or 1 */

static const int access_only = IBV_REREG_MR_CHANGE_ACCESS, pd_only = IBV_REREG_MR_CHANGE_PD,
		 memory_only = IBV_REREG_MR_CHANGE_TRANSLATION;

/* Returns the status with which a WRITE of 64 bytes from a to an address of b's region ends. */
static enum ibv_wc_status reach(struct side *a, const struct ibv_mr *mr, uint64_t addr)
{
	struct ibv_sge sge = {(uintptr_t)a->buf, 64, a->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = IBV_WR_RDMA_WRITE,
				       .send_flags = IBV_SEND_SIGNALED,
				       .wr.rdma = {addr, mr->rkey}};

	assert_int_equal(ibv_post_send(a->qp, &wr, &bad), 0);
	return side_wait(a).status;
}

static void rights_change(void **state)
{
	struct side a, b;
	struct ibv_mr *mr;
	uint32_t lkey, rkey;

	side_connect(&a, &b, 0, other, 8);
	mr = ibv_reg_mr(b.pd, b.buf, 4096, LOCAL);
	assert_non_null(mr);
	lkey = mr->lkey;
	rkey = mr->rkey;
	assert_int_equal(ibv_rereg_mr(mr, access_only, NULL, NULL, 0, LOCAL | REMOTE), 0);
	assert_int_equal(mr->lkey, lkey);
	assert_int_equal(mr->rkey, rkey);
	assert_int_equal(reach(&a, mr, (uintptr_t)b.buf), IBV_WC_SUCCESS);
	assert_int_equal(ibv_rereg_mr(mr, access_only, NULL, NULL, 0, LOCAL), 0);
	assert_int_equal(reach(&a, mr, (uintptr_t)b.buf), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	side_close(&a);
	side_close(&b);
}

static void the_pd_changes(void **state)
{
	struct side a, b;
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	side_connect(&a, &b, 0, other, 8);
	pd = ibv_alloc_pd(b.context);
	assert_non_null(pd);
	mr = ibv_reg_mr(b.pd, b.buf, 4096, LOCAL | REMOTE);
	assert_non_null(mr);
	assert_int_equal(ibv_rereg_mr(mr, pd_only, pd, NULL, 0, 0), 0);
	assert_ptr_equal(mr->pd, pd);
	assert_int_equal(ibv_dealloc_pd(pd), EBUSY);
	assert_int_equal(ibv_rereg_mr(mr, pd_only, b.pd, NULL, 0, 0), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0); /* the region is no longer of this PD */
	assert_int_equal(reach(&a, mr, (uintptr_t)b.buf), IBV_WC_SUCCESS);
	pd = ibv_alloc_pd(b.context);
	assert_non_null(pd);
	assert_int_equal(ibv_rereg_mr(mr, pd_only, pd, NULL, 0, 0), 0);
	assert_int_equal(reach(&a, mr, (uintptr_t)b.buf), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	side_close(&a);
	side_close(&b);
}

static void the_memory_changes(void **state)
{
	struct side a, b;
	struct ibv_mr *mr;

	side_connect(&a, &b, 0, other, 8);
	memset(a.buf, 7, 64);
	mr = ibv_reg_mr(b.pd, b.buf, 64, LOCAL | REMOTE);
	assert_non_null(mr);
	assert_int_equal(reach(&a, mr, (uintptr_t)b.buf), IBV_WC_SUCCESS);
	assert_int_equal(ibv_rereg_mr(mr, memory_only, NULL, b.buf + 4096, 128, 0), 0);
	assert_ptr_equal(mr->addr, b.buf + 4096);
	assert_int_equal(mr->length, 128);
	assert_int_equal(reach(&a, mr, (uintptr_t)b.buf + 4096 + 64), IBV_WC_SUCCESS);
	assert_memory_equal(b.buf + 4096 + 64, a.buf, 64);
	/* addresses from 0 on; the next change of the memory keeps that */
	assert_int_equal(ibv_rereg_mr(mr, access_only, NULL, NULL, 0,
				      LOCAL | REMOTE | IBV_ACCESS_ZERO_BASED),
			 0);
	assert_int_equal(reach(&a, mr, 32), IBV_WC_SUCCESS);
	assert_memory_equal(b.buf + 4096 + 32, a.buf, 64);
	assert_int_equal(ibv_rereg_mr(mr, memory_only, NULL, b.buf + 8192, 64, 0), 0);
	assert_int_equal(reach(&a, mr, 0), IBV_WC_SUCCESS);
	assert_memory_equal(b.buf + 8192, a.buf, 64);
	assert_int_equal(reach(&a, mr, 1), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	side_close(&a);
	side_close(&b);
}

/* Everything at once; the lkey of the region stays good for this side's requests. */
static void all_changes_at_once(void **state)
{
	struct side a, b;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_sge sge;
	struct ibv_recv_wr wr = {.wr_id = 3, .sg_list = &sge, .num_sge = 1}, *bad;

	side_connect(&a, &b, 0, other, 8);
	pd = ibv_alloc_pd(b.context);
	mr = ibv_reg_mr(pd, b.buf, 64, 0);
	assert_non_null(mr);
	assert_int_equal(
		ibv_rereg_mr(mr, access_only | pd_only | memory_only, b.pd, b.buf + 100, 64, LOCAL),
		0);
	sge = (struct ibv_sge){(uintptr_t)b.buf + 100, 64, mr->lkey};
	assert_int_equal(ibv_post_recv(b.qp, &wr, &bad), 0);
	memset(a.buf, 9, 64);
	side_send(&a, 1, 0, 64);
	assert_int_equal(side_wait(&a).status, IBV_WC_SUCCESS);
	assert_int_equal(side_wait(&b).wr_id, 3);
	assert_memory_equal(b.buf + 100, a.buf, 64);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	side_close(&a);
	side_close(&b);
}

/* A refused change leaves the region as it was. */
static void refused_changes_change_nothing(void **state)
{
	static const struct {
		int flags;
		size_t length;
		int access, result, error;
	} rows[] = {
		{0, 0, 0, IBV_REREG_MR_ERR_INPUT, EINVAL},
		{1 << 3, 0, 0, IBV_REREG_MR_ERR_INPUT, EINVAL},
		{IBV_REREG_MR_CHANGE_PD, 0, 0, IBV_REREG_MR_ERR_INPUT, EINVAL},
		{IBV_REREG_MR_CHANGE_TRANSLATION, 0, 0, IBV_REREG_MR_ERR_INPUT, EINVAL},
		{IBV_REREG_MR_CHANGE_TRANSLATION, 64, LOCAL, IBV_REREG_MR_ERR_INPUT, EINVAL},
		{IBV_REREG_MR_CHANGE_ACCESS, 0, REMOTE, IBV_REREG_MR_ERR_INPUT, EINVAL},
		{IBV_REREG_MR_CHANGE_ACCESS, 0, IBV_ACCESS_ON_DEMAND, IBV_REREG_MR_ERR_INPUT,
		 EOPNOTSUPP},
		{IBV_REREG_MR_CHANGE_TRANSLATION, 64, 0, IBV_REREG_MR_ERR_CMD, EFAULT},
	};
	struct side a, b;
	struct ibv_mr *mr;

	side_connect(&a, &b, 0, other, 8);
	mr = ibv_reg_mr(b.pd, b.buf, 64, LOCAL | REMOTE);
	assert_non_null(mr);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		errno = 0;
		assert_int_equal(ibv_rereg_mr(mr, rows[i].flags, NULL, (void *)4096, rows[i].length,
					      rows[i].access),
				 rows[i].result);
		assert_int_equal(errno, rows[i].error);
		assert_ptr_equal(mr->addr, b.buf);
		assert_int_equal(mr->length, 64);
		assert_int_equal(reach(&a, mr, (uintptr_t)b.buf), IBV_WC_SUCCESS);
	}
	assert_int_equal(ibv_dereg_mr(mr), 0);
	side_close(&a);
	side_close(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_change),
		cmocka_unit_test(the_pd_changes),
		cmocka_unit_test(the_memory_changes),
		cmocka_unit_test(all_changes_at_once),
		cmocka_unit_test(refused_changes_change_nothing),
	};
	int failed = 0;

	for (other = 0; other < 2; other++)
		failed += cmocka_run_group_tests_name(other ? "two adapters" : "one adapter", tests,
						      NULL, NULL);
	return failed != 0;
}
