/* An idle connected QP needs at most 4 KiB beyond its queues: in the NIC, in the client library and
 * in the connection manager. */
#include "rig.h"

#include <malloc.h>

#include "cm/cm_priv.h"
#include "qp/qp.h"
#include "rn/client.h"
#include "shard/core.h"

#define QPS   2000u
#define LIMIT 4096u

static void an_idle_qp_needs_at_most_4_kib(void **state)
{
	const char *path = rig_pair(1, 1500, "idle = { policy = \"inline\"; };");
	static struct rn_client_qp *qp[QPS];
	struct rn_client *client;
	struct rn_client_cq *cq;
	char err[256] = "";
	struct rn_client_qp_init init = {
		.type = RN_QPT_RC, .sq_depth = 1, .rq_depth = 1, .sq_sge = 1, .rq_sge = 1};
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_core_cfg cfg;

	if (rn_client_open(path, 0, &client, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	assert_int_equal(rn_client_pd_create(client, &init.pd), 0);
	assert_int_equal(rn_client_cq_create(client, 2 * QPS, 0, 0, &cq), 0);
	init.send_cq = init.recv_cq = cq;
	/* The first QP makes the CQ's ring, which has room for all. */
	assert_int_equal(rn_client_qp_create(client, &init, &qp[0]), 0);
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (unsigned i = 1; i < QPS; i++)
		assert_int_equal(rn_client_qp_create(client, &init, &qp[i]), 0);
	size_t each = (mallinfo2().uordblks + mallinfo2().hblkhd - before) / (QPS - 1);

	cmd.create_qp.sq_depth = cmd.create_qp.rq_depth = 1;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 1;
	rn_core_defaults(&cfg);
	size_t queues = rn_exec_bytes(&cmd, &cfg) - sizeof(struct rn_qp);
	size_t idle = each - queues + sizeof(struct rn_cm_conn);
	print_message("%zu bytes, %zu of them in the connection manager; queues %zu\n", idle,
		      sizeof(struct rn_cm_conn), queues);
	assert_in_range(idle, sizeof(struct rn_qp), LIMIT);
	for (unsigned i = 0; i < QPS; i++)
		assert_int_equal(rn_client_qp_destroy(qp[i]), 0);
	assert_int_equal(rn_client_cq_destroy(cq), 0);
	assert_int_equal(rn_client_pd_destroy(client, init.pd), 0);
	rn_client_close(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_qp_needs_at_most_4_kib),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
