/* Tests which services are registered with softrnicd for the ids of the connection manager, with a
 * fake daemon, and a shard that accepts all commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_daemon_link.h"
#include "nic/daemon_binds.h"
#include "rn/abi.h"

static struct rn_daemon_binds binds;
static struct rn_daemon_link link;
static struct fake_daemon *const d = &fake_daemon;

/* ---- the shard ---- */

static unsigned created, destroyed;
static int exec_rc;

static int exec(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	if (exec_rc != 0)
		return exec_rc;
	if (cmd->op == RN_CMD_CM_DESTROY) {
		destroyed++;
		return 0;
	}
	if (cmd->cm.id != 0)
		return 0;
	rsp->id = ++created;
	rsp->port = cmd->cm.port != 0 ? cmd->cm.port : (uint16_t)(40000 + created);
	return 0;
}

static int begin(void **state)
{
	*d = (struct fake_daemon){0};
	created = destroyed = 0;
	exec_rc = 0;
	rn_daemon_binds_init(&binds, &link);
	return 0;
}

static int end(void **state)
{
	rn_daemon_binds_fini(&binds);
	return 0;
}

static int create(uint8_t op, uint32_t flags, uint16_t port, uint32_t qpn, struct rn_rsp *rsp)
{
	struct rn_cmd cmd = {.op = op, .flags = flags};

	cmd.cm.port = port;
	cmd.cm.param.qpn = qpn;
	*rsp = (struct rn_rsp){0};
	return rn_daemon_binds_create(&binds, NULL, &cmd, rsp, exec);
}

static int bind_listener(uint16_t port, struct rn_rsp *rsp)
{
	return create(RN_CMD_CM_BIND, RN_CM_FOR_LISTENER, port, 0, rsp);
}

static int listen_at(uint32_t id)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN};
	struct rn_rsp rsp = {0};

	cmd.cm.id = id;
	int rc = rn_daemon_binds_listen(&binds, NULL, &cmd, &rsp, exec);

	assert_int_equal(rsp.err, rc);
	return rc;
}

/* ---- tests ---- */

static void a_port_number_is_taken_before_the_id_exists(void **state)
{
	struct rn_rsp rsp;

	d->listen_rc[0] = -EADDRINUSE;
	assert_int_equal(bind_listener(4711, &rsp), -EADDRINUSE);
	assert_int_equal(rsp.err, -EADDRINUSE);
	assert_int_equal(created, 0);
	assert_int_equal(bind_listener(4711, &rsp), 0);
	assert_int_equal(d->last_service & 0xffff, 4711);
	rn_daemon_binds_drop(&binds, rsp.id);
	assert_int_equal(d->unlistens, 1);
	rn_daemon_binds_drop(&binds, rsp.id); /* not known any more */
	assert_int_equal(d->unlistens, 1);
}

static void another_ephemeral_port_is_tried(void **state)
{
	struct rn_rsp rsp;

	d->listen_rc[0] = d->listen_rc[1] = -EADDRINUSE;
	assert_int_equal(bind_listener(0, &rsp), 0);
	assert_int_equal(d->listens, 3);
	assert_int_equal(destroyed, 2);
	assert_int_equal(d->last_service & 0xffff, rsp.port);
	for (unsigned i = d->listens; i < 16; i++)
		d->listen_rc[i] = -EADDRINUSE;
	assert_int_equal(bind_listener(0, &rsp), -EADDRINUSE);
	assert_int_equal(created - destroyed, 1);
}

static void a_full_table_of_the_daemon_is_no_limit_of_the_adapter(void **state)
{
	struct rn_rsp rsp;

	d->listen_rc[0] = -ENOSPC;
	assert_int_equal(bind_listener(4711, &rsp), -ENOMEM);
}

static void a_late_reply_is_undone(void **state)
{
	struct rn_rsp rsp;

	d->listen_rc[0] = -ETIMEDOUT;
	assert_int_equal(bind_listener(4711, &rsp), -ETIMEDOUT);
	assert_int_equal(d->unlistens, 1);
}

static void listening_succeeds_while_the_daemon_is_away(void **state)
{
	struct rn_rsp rsp;

	d->away = true;
	d->listen_rc[0] = -ENOTCONN;
	assert_int_equal(bind_listener(4711, &rsp), 0);
	d->away = false;
	assert_int_equal(rn_daemon_binds_register(&binds, "a"), 0);
	assert_int_equal(d->listens, 2);
	assert_int_equal(d->last_service & 0xffff, 4711);
}

/* Two listeners at one port, for example of two addresses of a family that the port has once. */
static void a_common_service_ends_with_its_last_id(void **state)
{
	struct rn_rsp one, two;

	assert_int_equal(bind_listener(4711, &one), 0);
	assert_int_equal(bind_listener(4711, &two), 0);
	assert_int_equal(d->listens, 1);
	rn_daemon_binds_drop(&binds, one.id);
	assert_int_equal(d->unlistens, 0);
	rn_daemon_binds_drop(&binds, two.id);
	assert_int_equal(d->unlistens, 1);
}

/* An active id has a port of its own choice, which it takes from others when it listens there. */
static void an_id_takes_its_port_when_it_listens(void **state)
{
	struct rn_rsp rsp;

	assert_int_equal(create(RN_CMD_CM_BIND, 0, 0, 0, &rsp), 0);
	assert_int_equal(d->listens, 0);
	exec_rc = -EINVAL;
	assert_int_equal(listen_at(rsp.id), -EINVAL);
	assert_int_equal(d->listens - d->unlistens, 0);
	exec_rc = 0;
	assert_int_equal(listen_at(rsp.id), 0);
	assert_int_equal(listen_at(rsp.id), 0);
	assert_int_equal(d->listens - d->unlistens, 1);
	assert_int_equal(d->last_service & 0xffff, rsp.port);
	rn_daemon_binds_drop(&binds, rsp.id);
	assert_int_equal(d->listens - d->unlistens, 0);
}

static void an_id_connects_one_queue_pair(void **state)
{
	struct rn_rsp rsp;

	assert_int_equal(create(RN_CMD_CM_CONNECT, 0, 0, 70, &rsp), 0);
	assert_true(rn_daemon_binds_is_connecting(&binds, 70));
	rn_daemon_binds_connect(&binds, rsp.id, 71);
	assert_false(rn_daemon_binds_is_connecting(&binds, 70));
	assert_true(rn_daemon_binds_is_connecting(&binds, 71));
	rn_daemon_binds_connect(&binds, rsp.id + 1, 72); /* an id that was never created */
	assert_false(rn_daemon_binds_is_connecting(&binds, 72));
	rn_daemon_binds_drop(&binds, rsp.id);
	assert_false(rn_daemon_binds_is_connecting(&binds, 71));
}

/* A daemon that has restarted is told the other services too, if it refuses one, but not if it has
 * gone. */
static void a_refused_service_does_not_hold_up_others(void **state)
{
	struct rn_rsp rsp;

	for (uint16_t port = 1; port <= 3; port++)
		assert_int_equal(bind_listener(port, &rsp), 0);
	d->listen_rc[3] = -EADDRINUSE;
	assert_int_equal(rn_daemon_binds_register(&binds, "a"), 0);
	assert_int_equal(d->listens, 6);
	d->away = true;
	d->listen_rc[6] = -ENOTCONN;
	assert_int_equal(rn_daemon_binds_register(&binds, "a"), -ENOTCONN);
	assert_int_equal(d->listens, 7);
}

#define row(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		row(a_port_number_is_taken_before_the_id_exists),
		row(another_ephemeral_port_is_tried),
		row(a_full_table_of_the_daemon_is_no_limit_of_the_adapter),
		row(a_late_reply_is_undone),
		row(listening_succeeds_while_the_daemon_is_away),
		row(a_common_service_ends_with_its_last_id),
		row(an_id_takes_its_port_when_it_listens),
		row(an_id_connects_one_queue_pair),
		row(a_refused_service_does_not_hold_up_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
