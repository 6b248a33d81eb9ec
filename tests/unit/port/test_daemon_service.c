/* Tests when a client of softrnicd tells it what, with a fake daemon, and a shard that accepts all
 * commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "config/config.h"
#include "fake_daemon_link.h"
#include "nic/daemon_service.h"
#include "nic/nic.h"

static struct fake_daemon *const d = &fake_daemon;

int rn_daemon_port_make(struct rn_daemon_port_path *p)
{
	return 0;
}

void rn_daemon_port_remove(struct rn_daemon_port_path *p)
{
}

/* ---- the shard ---- */

static unsigned created;
static int exec_rc;
static unsigned claims_at_exec;

static int exec(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	claims_at_exec = d->claims;
	if (exec_rc != 0)
		return exec_rc;
	if (cmd->op == RN_CMD_CM_DESTROY)
		return 0;
	rsp->id = ++created;
	rsp->port = cmd->cm.port != 0 ? cmd->cm.port : (uint16_t)(40000 + created);
	return 0;
}

/* The shard has no connections of the connection manager. */
void __wrap_rn_lcore_call(struct rn_lcore *lc, struct rn_call *call);

void __wrap_rn_lcore_call(struct rn_lcore *lc, struct rn_call *call)
{
}

/* ---- memory ---- */

static bool short_of_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return short_of_memory ? NULL : __real_calloc(n, size);
}

static struct rn_daemon_service *s;

static int begin(void **state)
{
	static const struct rn_config_adapter adapter = {.name = "a", .shards = 1};
	char err[200];

	*d = (struct fake_daemon){0};
	created = 0;
	exec_rc = 0;
	short_of_memory = false;
	return rn_daemon_service_open(&s, &adapter, err, sizeof(err));
}

static int end(void **state)
{
	rn_daemon_service_close(s);
	return 0;
}

static int create_qp(uint32_t *qpn)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_rsp rsp = {0};
	int rc = rn_daemon_service_create_qp(s, NULL, &cmd, &rsp, exec);

	*qpn = rsp.id;
	return rc;
}

static int modify(uint32_t qpn, uint8_t state, uint32_t dest)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp = {0};

	cmd.modify_qp.qpn = qpn;
	cmd.modify_qp.mask = RN_QP_STATE;
	if (state == RN_QPS_RTR)
		cmd.modify_qp.mask |= RN_QP_AV | RN_QP_DEST_QPN;
	cmd.modify_qp.attr.state = state;
	cmd.modify_qp.attr.dest_qpn = dest;
	return rn_daemon_service_modify_qp(s, NULL, &cmd, &rsp, exec);
}

static int cm(uint8_t op, uint32_t id, uint16_t port, uint32_t qpn, struct rn_rsp *rsp)
{
	struct rn_cmd cmd = {.op = op, .flags = RN_CM_FOR_LISTENER};

	cmd.cm.id = id;
	cmd.cm.port = port;
	cmd.cm.param.qpn = qpn;
	*rsp = (struct rn_rsp){0};
	return rn_daemon_service_cm(s, NULL, &cmd, rsp, exec);
}

static void a_queue_pair_is_announced_when_it_is_connected(void **state)
{
	uint32_t qpn;

	assert_int_equal(create_qp(&qpn), 0);
	assert_int_equal(d->claims, 0);
	modify(qpn, RN_QPS_INIT, 0);
	assert_int_equal(d->claims, 0);
	modify(qpn, RN_QPS_RTR, 77);
	assert_int_equal(d->claims, 1);
	assert_int_equal(d->last_claim.local_qpn, qpn);
	assert_int_equal(d->last_claim.remote_qpn, 77);
	modify(qpn, RN_QPS_RESET, 0);
	assert_int_equal(d->unclaims, 1);
	modify(qpn, RN_QPS_RTR, 78);
	assert_int_equal(d->claims, 2);
	rn_daemon_service_forget_qp(s, qpn);
	rn_daemon_service_forget_qp(s, qpn);
	assert_int_equal(d->unclaims, 2);
	modify(qpn, RN_QPS_RTR, 79); /* the queue pair is gone */
	assert_int_equal(d->claims, 2);
}

static void a_pair_is_announced_before_data_flow(void **state)
{
	uint32_t qpn;

	assert_int_equal(create_qp(&qpn), 0);
	modify(qpn, RN_QPS_RTR, 77);
	assert_int_equal(claims_at_exec, 1);
}

/* The queue pair stays connected as it was, or not connected. */
static void a_refused_change_changes_no_announcement(void **state)
{
	uint32_t qpn, other;

	assert_int_equal(create_qp(&qpn), 0);
	exec_rc = -EINVAL;
	assert_int_equal(modify(qpn, RN_QPS_RTR, 77), -EINVAL);
	assert_int_equal(d->claims - d->unclaims, 0);
	exec_rc = 0;
	assert_int_equal(modify(qpn, RN_QPS_RTR, 78), 0);
	assert_int_equal(d->claims - d->unclaims, 1);
	exec_rc = -EINVAL;
	assert_int_equal(modify(qpn, RN_QPS_RTR, 79), -EINVAL);
	assert_int_equal(d->last_unclaimed, 79);
	assert_int_equal(d->claims - d->unclaims, 1);
	unsigned before = d->unclaims;
	assert_int_equal(modify(qpn, RN_QPS_RESET, 0), -EINVAL);
	assert_int_equal(modify(qpn, RN_QPS_RTR, 78), -EINVAL); /* its own peer */
	exec_rc = 0;
	assert_int_equal(create_qp(&other), 0);
	exec_rc = -EINVAL;
	assert_int_equal(modify(other, RN_QPS_RTR, 78), -EINVAL); /* the peer of another */
	assert_int_equal(d->unclaims, before);
	/* the first is still the one that is announced */
	rn_daemon_service_forget_qp(s, qpn);
	assert_int_equal(d->unclaims, before + 1);
	assert_int_equal(d->last_unclaimed, 78);
}

static void connecting_a_queue_pair_needs_no_memory(void **state)
{
	uint32_t qpn;

	short_of_memory = true;
	assert_int_equal(create_qp(&qpn), -ENOMEM);
	assert_int_equal(created, 0);
	short_of_memory = false;
	assert_int_equal(create_qp(&qpn), 0);
	short_of_memory = true;
	modify(qpn, RN_QPS_RTR, 77);
	assert_int_equal(d->claims, 1);
}

static void a_queue_pair_that_was_not_created_is_not_remembered(void **state)
{
	uint32_t qpn;

	exec_rc = -ENOSPC;
	assert_int_equal(create_qp(&qpn), -ENOSPC);
	exec_rc = 0;
	modify(qpn, RN_QPS_RTR, 77);
	assert_int_equal(d->claims, 0);
}

/* The daemon learns these from the messages of the connection manager. */
static void queue_pairs_of_the_connection_manager_are_not_announced(void **state)
{
	struct rn_rsp rsp;
	uint32_t qpn[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(create_qp(&qpn[i]), 0);
	assert_int_equal(cm(RN_CMD_CM_CONNECT, 0, 0, qpn[0], &rsp), 0);
	modify(qpn[0], RN_QPS_RTR, 77);
	assert_int_equal(d->claims, 0);
	/* The passive side connects its queue pair before it accepts. */
	modify(qpn[1], RN_QPS_RTR, 78);
	assert_int_equal(d->claims, 1);
	assert_int_equal(cm(RN_CMD_CM_ACCEPT, 9, 0, qpn[1], &rsp), 0);
	assert_int_equal(d->unclaims, 1);
}

static void a_service_ends_with_its_id(void **state)
{
	struct rn_rsp rsp;

	assert_int_equal(cm(RN_CMD_CM_BIND, 0, 4711, 0, &rsp), 0);
	assert_int_equal(cm(RN_CMD_CM_LISTEN, rsp.id, 0, 0, &rsp), 0);
	assert_int_equal(d->listens, 1);
	exec_rc = -EBUSY;
	assert_int_equal(cm(RN_CMD_CM_DESTROY, 1, 0, 0, &rsp), -EBUSY);
	assert_int_equal(d->unlistens, 0);
	exec_rc = 0;
	assert_int_equal(cm(RN_CMD_CM_DESTROY, 1, 0, 0, &rsp), 0);
	assert_int_equal(d->unlistens, 1);
}

/* Frames flow as soon as the daemon has the port, so it must know everything before. */
static void a_daemon_that_is_back_gets_the_port_last(void **state)
{
	static struct rn_nic nic;
	struct rn_rsp rsp;
	uint32_t qpn;

	assert_int_equal(cm(RN_CMD_CM_BIND, 0, 4711, 0, &rsp), 0);
	assert_int_equal(create_qp(&qpn), 0);
	modify(qpn, RN_QPS_RTR, 77);
	assert_int_equal(d->ports, 0); /* the first time the port is passed while it is opened */
	d->away = true;
	assert_true(rn_daemon_service_watch(s, &nic));
	assert_int_equal(d->ports, 1);
	assert_int_equal(d->listens_at_port, 2);
	assert_int_equal(d->claims_at_port, 2);
}

/* The watcher must not wait in the lock that commands need. */
static void a_daemon_that_hangs_is_not_waited_for(void **state)
{
	static struct rn_nic nic;

	d->away = true;
	d->return_rc = -EINPROGRESS;
	for (unsigned i = 0; i < 100; i++)
		assert_true(rn_daemon_service_watch(s, &nic));
	assert_int_equal(d->returns, 100);
	assert_int_equal(d->ports, 0);
	d->return_rc = 0;
	assert_true(rn_daemon_service_watch(s, &nic));
	assert_int_equal(d->ports, 1);
	assert_int_equal(d->attaches, 1); /* the first time, in begin() */
}

/* Between the question for the port and the attachment the daemon may be started again. */
static void a_new_client_waits_for_the_daemon(void **state)
{
	struct rn_config_adapter adapter = {.name = "b", .shards = 1, .daemon_wait_ms = 60000};
	struct rn_daemon_service *other;
	char err[200];

	d->refusals = 2;
	d->attach_rc = -ECONNREFUSED;
	assert_int_equal(rn_daemon_service_open(&other, &adapter, err, sizeof(err)), 0);
	rn_daemon_service_close(other);
	adapter.daemon_wait_ms = 0;
	d->refusals = 1;
	assert_int_equal(rn_daemon_service_open(&other, &adapter, err, sizeof(err)), -ECONNREFUSED);
	d->attach_rc = -EAGAIN;
	d->refusals = 2;
	assert_int_equal(rn_daemon_service_open(&other, &adapter, err, sizeof(err)), 0);
	rn_daemon_service_close(other);
}

#define row(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		row(a_queue_pair_is_announced_when_it_is_connected),
		row(a_pair_is_announced_before_data_flow),
		row(a_refused_change_changes_no_announcement),
		row(connecting_a_queue_pair_needs_no_memory),
		row(a_queue_pair_that_was_not_created_is_not_remembered),
		row(queue_pairs_of_the_connection_manager_are_not_announced),
		row(a_service_ends_with_its_id),
		row(a_new_client_waits_for_the_daemon),
		row(a_daemon_that_is_back_gets_the_port_last),
		row(a_daemon_that_hangs_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
