/* Tests in which order a command runs in a shard, with a shard that records what is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nic/cq_rings.h"
#include "nic/nic.h"
#include "nic/shard_call.h"

static char order[64];

static void record(const char *what)
{
	strncat(order, what, sizeof(order) - strlen(order) - 1);
}

/* ---- the shard and its lcore ---- */

void rn_shard_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	record(" exec");
}

bool rn_shard_done(struct rn_shard *sh, rn_time now)
{
	record(" publish");
	return true;
}

void rn_shard_cq_link(struct rn_shard *sh, uint32_t cq_id, struct rn_cq_shared *shared,
		      struct rn_cq_ring *ring, uint64_t user)
{
	record(" link_cq");
}

void rn_shard_srq_link(struct rn_shard *sh, uint32_t srq_id, struct rn_srq *srq, uint64_t user)
{
	record(" link_srq");
}

bool rn_submit_idle(const struct rn_submit *s)
{
	return true;
}

/* As the shard does: runs the call, after which the caller goes on. The poll iteration, which
 * would also publish completions, has not ended then. */
void rn_lcore_call(struct rn_lcore *lc, struct rn_call *call)
{
	call->run(call, lc, 0);
	record(" return");
}

void rn_nic_grace(struct rn_nic *nic)
{
	record(" grace");
}

void rn_cq_rings_linked(struct rn_nic_cq *cq, unsigned shard, struct rn_cq_ring *ring)
{
}

int rn_cq_rings_grow(const struct rn_nic_cq *cq, unsigned shard, uint64_t more,
		     struct rn_cq_ring **ring)
{
	return 0;
}

/* ---- tests ---- */

/* When the call returns, the client may look for the completions of a QP that it has reset. */
static void test_completions_are_published_before_a_command_returns(void **state)
{
	static struct rn_lcore lcore;
	static struct rn_nic nic;
	const struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp = {0};

	nic.lcore = &lcore;
	order[0] = '\0';
	assert_int_equal(rn_nic_exec_in(&nic, 0, &cmd, &rsp), 0);
	assert_string_equal(order, " exec publish return");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_completions_are_published_before_a_command_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
