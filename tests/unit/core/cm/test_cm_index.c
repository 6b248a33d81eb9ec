/* The connection manager's table of connections. Old ids do not name new connections. Each port
 * space has its own four-tuples (addresses and ports of both ends). A QPN has at most one
 * connection. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cm/cm_priv.h"
#include "cm_net.h"

static struct rn_cmd bind_cmd(uint16_t space, uint16_t port)
{
	return (struct rn_cmd){.op = RN_CMD_CM_BIND,
			       .cm = {.local = net_gid(0, false),
				      .port = port,
				      .port_space = space,
				      .qp_type = RN_QPT_RC}};
}

static int connect_at(struct net *net, uint32_t id, uint32_t qpn)
{
	struct rn_cmd cmd = net_connect_cmd(0, false, qpn);

	cmd.cm.id = id;
	return net_exec(net, 0, cmd).err;
}

/* A second connection has the same addresses and ports as the first one. The CM refuses it in the
 * port space of the first connection and allows it in another port space. */
static void a_four_tuple_belongs_to_a_port_space(void **state)
{
	static const struct {
		uint16_t space;
		int err;
	} rows[] = {{RN_PS_TCP, -EISCONN}, {RN_PS_IB, 0}};
	uint32_t first;
	struct net net;

	net_init(&net);
	first = net_exec(&net, 0, bind_cmd(RN_PS_TCP, 4711)).id;
	assert_int_equal(connect_at(&net, first, 0x11), 0);
	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_rsp rsp = net_exec(&net, 0, bind_cmd(rows[i].space, 4711));

		assert_int_equal(rsp.err, 0);
		assert_int_equal(connect_at(&net, rsp.id, 0x12), rows[i].err);
		net_destroy(&net, 0, rsp.id);
	}
	net_destroy(&net, 0, first);
	net_fini(&net);
}

/* The old id of a destroyed connection does not name the next connection in the same slot, because
 * the id contains a generation number. */
static void an_old_id_does_not_name_a_new_connection(void **state)
{
	struct net net;
	uint32_t old, now;

	net_init(&net);
	for (unsigned i = 0; i < 200; i++) {
		old = net_exec(&net, 0, bind_cmd(RN_PS_TCP, 0)).id;
		assert_non_null(rn_cm_by_id(net.box[0].cm, old));
		net_destroy(&net, 0, old);
		now = net_exec(&net, 0, bind_cmd(RN_PS_TCP, 0)).id;
		assert_int_not_equal(now, old);
		assert_null(rn_cm_by_id(net.box[0].cm, old));
		net_destroy(&net, 0, now);
	}
	net_fini(&net);
}

/* A QPN in use by a connection cannot be used to accept a second connection request. */
static void a_qpn_in_use_is_not_accepted_again(void **state)
{
	struct rn_cmd accept = {.op = RN_CMD_CM_ACCEPT, .cm.param.qpn = 0x50};
	uint32_t listener, id[2], child[2];
	struct net net;

	net_init(&net);
	net.box[1].accept = false;
	listener = net_listen(&net, 1, 0);
	for (unsigned i = 0; i < 2; i++) {
		id[i] = net_connect(&net, 0, 0x11 + i);
		net_pump(&net);
		child[i] = net_event(&net, 1, RN_EVENT_CM_REQUEST)->id;
	}
	accept.cm.id = child[0];
	assert_int_equal(net_exec(&net, 1, accept).err, 0);
	accept.cm.id = child[1];
	assert_int_equal(net_exec(&net, 1, accept).err, -EBUSY);
	accept.cm.param.qpn++;
	assert_int_equal(net_exec(&net, 1, accept).err, 0);
	net_pump(&net);
	for (unsigned i = 0; i < 2; i++) {
		net_destroy(&net, 0, id[i]);
		net_run(&net, RN_S(1));
		net_destroy(&net, 1, child[i]);
	}
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_four_tuple_belongs_to_a_port_space),
		cmocka_unit_test(an_old_id_does_not_name_a_new_connection),
		cmocka_unit_test(a_qpn_in_use_is_not_accepted_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
