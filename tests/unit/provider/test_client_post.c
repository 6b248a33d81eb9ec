/* Atomic requests that a client posts: some reach a shard's submission ring, others are refused at
 * the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/client.h"

#include <errno.h>
#include <string.h>

static struct rn_qp_shared shared;
static struct rn_cq_view view;
static unsigned submitted, rung;
static struct {
	_Alignas(RN_SLOT_BYTES) uint8_t bytes[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES];
} last; /* the last request that reached submit() */

static int exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	rsp->id = 3;
	if (cmd->op == RN_CMD_CREATE_QP)
		rsp->qp.shared = (uintptr_t)&shared;
	return 0;
}

static void submit(struct rn_link *link, const struct rn_wqe *wqe)
{
	memset(&last, 0xEE, sizeof(last));
	memcpy(last.bytes, wqe, (size_t)wqe->slots * RN_SLOT_BYTES);
	submitted++;
}

static void doorbell(struct rn_link *link, uint32_t shard)
{
	rung++;
}

static uint32_t shard_of(struct rn_link *link, uint32_t qpn)
{
	return 0;
}

static struct rn_cq_view *cq_view(struct rn_link *link, uint32_t cq)
{
	return &view;
}

static void one_shard(struct rn_link *link, struct rn_link_info *info)
{
	memset(info, 0, sizeof(*info));
	info->shards = 1;
	info->max_cqe = info->max_queue_depth = 100;
	info->max_sge = 4;
	info->max_inline = 64;
	info->max_msg = 1000;
}

static const struct rn_link_ops ops = {.exec = exec,
				       .submit = submit,
				       .doorbell = doorbell,
				       .shard_of = shard_of,
				       .cq_view = cq_view,
				       .info = one_shard};
static struct rn_link fake = {&ops};

static void atomics_carry_their_operands_in_a_second_slot(void **state)
{
	static const struct {
		uint8_t kind;
		uint16_t flags;
		uint32_t num_sge;
		int rc;
	} rows[] = {
		{RN_WQE_CMP_SWAP, 0, 1, 0},
		{RN_WQE_FETCH_ADD, RN_WQE_SIGNALED, 1, 0},
		{RN_WQE_CMP_SWAP, 0, 0, -EINVAL},
		{RN_WQE_FETCH_ADD, 0, 2, -EINVAL},
		{RN_WQE_FETCH_ADD, RN_WQE_INLINE, 1, -EINVAL},
	};
	const struct rn_sge sge[2] = {{0x5000, 8, 77}, {0x6000, 8, 78}};
	struct rn_client *client = rn_client_attach(&fake);
	struct rn_client_qp_init init = {.sq_depth = 10, .sq_sge = 4, .inline_bytes = 64};
	struct rn_client_qp *qp;

	view.shared = &(struct rn_cq_shared){0};
	assert_int_equal(rn_client_cq_create(client, 8, 0, 0, &init.send_cq), 0);
	init.recv_cq = init.send_cq;
	assert_int_equal(rn_client_qp_create(client, &init, &qp), 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_wqe *w = (struct rn_wqe *)last.bytes;
		struct rn_client_wr wr = {.kind = rows[i].kind,
					  .flags = rows[i].flags,
					  .wr_id = 9,
					  .remote_va = 0x7000,
					  .rkey = 5,
					  .sge = sge,
					  .num_sge = rows[i].num_sge,
					  .atomic = {.swap_add = 11, .compare = 12}};

		submitted = rung = 0;
		assert_int_equal(rn_client_qp_post(qp, &wr), rows[i].rc);
		assert_int_equal(submitted, rows[i].rc == 0);
		assert_int_equal(rung, rows[i].rc == 0);
		if (rows[i].rc)
			continue;
		assert_int_equal(w->kind, rows[i].kind);
		assert_int_equal(w->slots, 2);
		assert_int_equal(w->num_sge, 1);
		assert_int_equal(w->length, 8);
		assert_int_equal(w->remote_va, 0x7000);
		assert_int_equal(w->rkey, 5);
		assert_memory_equal(w->sge, &sge[0], sizeof(sge[0]));
		assert_int_equal(rn_wqe_atomic(w)->swap_add, 11);
		assert_int_equal(rn_wqe_atomic(w)->compare, 12);
	}
	assert_int_equal(rn_client_qp_destroy(qp), 0);
	rn_client_cq_destroy(init.send_cq);
	rn_client_close(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_carry_their_operands_in_a_second_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
