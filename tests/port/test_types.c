/* QPs of types other than RC, between two adapters. The client changes the QP states with the
 * functions of rn/client.h. */
#include "rig.h"

#include <errno.h>
#include <unistd.h>

#include "rn/client.h"

#define BYTES	 65536
#define PATIENCE 20000 /* longest wait, in ms */

struct side {
	struct rn_client *client;
	struct rn_client_cq *cq;
	struct rn_client_qp *qp;
	uint32_t pd, lkey, rkey;
	uint8_t mem[BYTES];
};

static struct side s[2];

static const uint8_t macs[2][6] = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}};

static struct rn_gid address(int side)
{
	return (struct rn_gid){{[10] = 0xff,
				[11] = 0xff,
				[12] = 192,
				[13] = 0,
				[14] = 2,
				[15] = (uint8_t)(side + 1)}};
}

static int open_both(void **state)
{
	const char *path = rig_pair(1, 1500, "");
	char err[256] = "";

	for (int i = 0; i < 2; i++) {
		assert_int_equal(rn_client_open(path, (unsigned)i, &s[i].client, err, sizeof(err)),
				 0);
		assert_int_equal(rn_client_pd_create(s[i].client, &s[i].pd), 0);
		assert_int_equal(rn_client_cq_create(s[i].client, 64, 0, 0, &s[i].cq), 0);
		assert_int_equal(rn_client_mr_register(
					 s[i].client, s[i].pd, s[i].mem, BYTES, (uintptr_t)s[i].mem,
					 RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE, &s[i].lkey,
					 &s[i].rkey),
				 0);
	}
	return 0;
}

static int close_both(void **state)
{
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rn_client_mr_deregister(s[i].client, s[i].lkey), 0);
		assert_int_equal(rn_client_cq_destroy(s[i].cq), 0);
		assert_int_equal(rn_client_pd_destroy(s[i].client, s[i].pd), 0);
		rn_client_close(s[i].client);
	}
	return 0;
}

static void make(int i, enum rn_qp_type type, struct rn_client_srq *srq)
{
	const struct rn_client_qp_init init = {.pd = s[i].pd,
					       .type = type,
					       .send_cq = s[i].cq,
					       .recv_cq = s[i].cq,
					       .srq = srq,
					       .sq_depth = 8,
					       .rq_depth = srq ? 0 : 8,
					       .sq_sge = 1,
					       .rq_sge = 1,
					       .user = 70 + (uint64_t)i};

	assert_int_equal(rn_client_qp_create(s[i].client, &init, &s[i].qp), 0);
}

/* Connects a UC QP. The attribute masks are literal numbers, to check that this library uses the
 * numbers of ibv_modify_qp(). */
static void connect_uc(int i)
{
	struct rn_qp_attr a = {.state = RN_QPS_INIT,
			       .port = 1,
			       .access = RN_ACCESS_REMOTE_WRITE,
			       .path_mtu = 3,
			       .dest_qpn = rn_client_qp_number(s[!i].qp),
			       .rq_psn = 5,
			       .sq_psn = 5,
			       .av = {.sgid = address(i), .dgid = address(!i), .hop_limit = 64}};

	memcpy(a.av.dmac, macs[!i], 6);
	assert_int_equal(rn_client_qp_modify(s[i].qp, &a, 0x39), 0);
	a.state = RN_QPS_RTR;
	/* The mask for RC is refused on a UC queue pair. */
	assert_int_equal(rn_client_qp_modify(s[i].qp, &a, 0x129181), -EINVAL);
	assert_int_equal(rn_client_qp_modify(s[i].qp, &a, 0x101181), 0);
	a.state = RN_QPS_RTS;
	assert_int_equal(rn_client_qp_modify(s[i].qp, &a, 0x10001), 0);
}

static struct rn_cqe wait_cqe(int i)
{
	struct rn_cqe c;
	bool fired;
	unsigned n = 0;

	for (unsigned ms = 0; n == 0; ms++) {
		assert_true(ms < PATIENCE);
		rn_client_cq_lock(s[i].cq);
		n = rn_client_cq_poll(s[i].cq, &c, 1, &fired);
		rn_client_cq_unlock(s[i].cq);
		if (n == 0)
			usleep(1000);
	}
	return c;
}

static void expect_event(int i, unsigned kind)
{
	struct rn_event ev;

	do
		assert_int_equal(rn_client_wait(s[i].client, &ev, 1, PATIENCE), 1);
	while (ev.kind != kind);
	assert_int_equal(ev.id, rn_client_qp_number(s[i].qp));
	assert_int_equal(ev.user, 70 + i);
}

static void post(int i, uint8_t kind, uint64_t id, uint32_t len)
{
	const struct rn_sge sge = {(uintptr_t)s[i].mem, len, s[i].lkey};
	const struct rn_client_wr wr = {.kind = kind,
					.flags = RN_WQE_SIGNALED,
					.wr_id = id,
					.remote_va = (uintptr_t)s[!i].mem + 32768,
					.rkey = s[!i].rkey,
					.imm = 0x55,
					.sge = &sge,
					.num_sge = 1};

	assert_int_equal(rn_client_qp_post(s[i].qp, &wr), 0);
}

static void test_uc(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_SQD, .sqd_notify = 1};
	struct rn_cqe c;

	make(0, RN_QPT_UC, NULL);
	make(1, RN_QPT_UC, NULL);
	connect_uc(0);
	connect_uc(1);
	for (unsigned k = 0; k < 10000; k++)
		s[0].mem[k] = (uint8_t)(k * 7 + (k >> 8));
	post(1, RN_WQE_RECV, 10, 10000);
	post(1, RN_WQE_RECV, 11, 0);
	post(0, RN_WQE_SEND_IMM, 1, 10000);
	post(0, RN_WQE_WRITE_IMM, 2, 9000);
	assert_int_equal(wait_cqe(0).wr_id, 1);
	assert_int_equal(wait_cqe(0).wr_id, 2);
	c = wait_cqe(1);
	assert_int_equal(c.wr_id, 10);
	assert_int_equal(c.imm, 0x55);
	assert_int_equal(c.byte_len, 10000);
	assert_memory_equal(s[0].mem, s[1].mem, 10000);
	c = wait_cqe(1);
	assert_int_equal(c.wr_id, 11);
	assert_int_equal(c.byte_len, 9000);
	assert_memory_equal(s[0].mem, s[1].mem + 32768, 9000);
	post(0, RN_WQE_READ, 3, 8); /* UC does not support READ */
	c = wait_cqe(0);
	assert_int_equal(c.status, RN_STATUS_LOC_QP_OP_ERR);
	assert_int_equal(rn_client_qp_state(s[0].qp), RN_QPS_SQE);
	a.state = RN_QPS_RTS;
	assert_int_equal(rn_client_qp_modify(s[0].qp, &a, RN_QP_STATE), 0);
	a.state = RN_QPS_SQD;
	assert_int_equal(rn_client_qp_modify(s[0].qp, &a, RN_QP_STATE | RN_QP_SQD_NOTIFY), 0);
	expect_event(0, RN_EVENT_SQ_DRAINED);
	assert_int_equal(rn_client_qp_query(s[0].qp, &a), 0);
	assert_int_equal(a.state, RN_QPS_SQD);
	assert_int_equal(a.sq_psn, 5 + 10 + 9); /* after the packets of two messages */
	for (int i = 0; i < 2; i++)
		assert_int_equal(rn_client_qp_destroy(s[i].qp), 0);
}

static void test_last_of_a_shared_queue(void **state)
{
	const struct rn_client_srq_init init = {.pd = s[0].pd, .depth = 8, .max_sge = 1};
	struct rn_qp_attr a = {.state = RN_QPS_INIT, .port = 1};
	struct rn_client_srq *srq;

	assert_int_equal(rn_client_srq_create(s[0].client, &init, &srq), 0);
	make(0, RN_QPT_RC, srq);
	assert_int_equal(rn_client_qp_modify(s[0].qp, &a, 0x39), 0);
	a.state = RN_QPS_ERR;
	assert_int_equal(rn_client_qp_modify(s[0].qp, &a, RN_QP_STATE), 0);
	expect_event(0, RN_EVENT_QP_LAST_WQE);
	assert_int_equal(rn_client_qp_destroy(s[0].qp), 0);
	assert_int_equal(rn_client_srq_destroy(srq), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uc),
		cmocka_unit_test(test_last_of_a_shared_queue),
	};

	return cmocka_run_group_tests(tests, open_both, close_both);
}
