/* Events of connections: their order, and the QP attributes that a REQUEST and a RESPONSE event
 * carry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cm/cm_priv.h"
#include "cm_net.h"

#define EV(name) RN_EVENT_CM_##name

static struct rn_cm_conn *bound(struct net *net)
{
	struct rn_rsp rsp = net_exec(net, 0, (struct rn_cmd){.op = RN_CMD_CM_BIND});

	assert_int_equal(rsp.err, 0);
	return rn_cm_by_id(net->box[0].cm, rsp.id);
}

static void connections_with_events_take_turns(void **state)
{
	static const unsigned order[] = {0, 1, 0, 0};
	struct rn_cm_conn *c[2];
	struct rn_event ev;
	struct net net;
	struct rn_cm *cm;

	net_init(&net);
	cm = net.box[0].cm;
	c[0] = bound(&net);
	c[1] = bound(&net);
	for (uint16_t reason = 0; reason < 3; reason++)
		rn_cm_report_event(cm, c[0], EV(REJECTED), reason, 0);
	rn_cm_report_event(cm, c[1], EV(REJECTED), 0, -5);
	for (unsigned i = 0, reason = 0; i < RN_ARRAY_SIZE(order); i++) {
		assert_true(rn_cm_event(cm, &ev));
		assert_int_equal(ev.id, c[order[i]]->id);
		assert_int_equal(ev.reason, order[i] ? 0 : reason++);
		assert_int_equal(ev.err, order[i] ? -5 : 0);
	}
	assert_false(rn_cm_event(cm, &ev));
	net_destroy(&net, 0, c[0]->id);
	net_destroy(&net, 0, c[1]->id);
	net_fini(&net);
}

static void a_connection_without_a_client_has_no_events(void **state)
{
	struct rn_cm_conn *c;
	struct rn_event ev;
	struct net net;

	net_init(&net);
	c = bound(&net);
	c->orphan = true;
	rn_cm_report_event(net.box[0].cm, c, EV(REJECTED), 0, 0);
	assert_false(rn_cm_event(net.box[0].cm, &ev));
	c->orphan = false;
	net_destroy(&net, 0, c->id);
	net_fini(&net);
}

/* The number of READs and atomics that a side may have in flight is the number of responder
 * resources of its peer. */
static void read_limits_come_from_the_other_side(void **state)
{
	const struct rn_qp_attr *passive, *active;
	uint32_t id, listener;
	struct net net;

	net_init(&net);
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11); /* the REQ has responder resources 4, initiator depth 16 */
	net_pump(&net);			 /* the REP has responder resources 5, initiator depth 3 */
	passive = &net_event(&net, 1, EV(REQUEST))->attr;
	assert_int_equal(passive->max_rd_atomic, 4);
	assert_int_equal(passive->max_dest_rd_atomic, 16);
	assert_int_equal(passive->sq_psn, 0xb0);
	active = &net_event(&net, 0, EV(RESPONSE))->attr;
	assert_int_equal(active->max_rd_atomic, 5);
	assert_int_equal(active->max_dest_rd_atomic, 3);
	assert_int_equal(active->sq_psn, 0xa0);
	assert_int_equal(active->rq_psn, 0xb0);
	assert_int_equal(active->access,
			 RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC);
	net_destroy(&net, 0, id);
	net_run(&net, RN_S(1));
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void with_retries(struct net *net, unsigned box, uint8_t most)
{
	struct box *b = &net->box[box];

	b->cfg.retry_cnt = most;
	rn_cm_destroy(b->cm);
	b->cm = rn_cm_create(&b->cfg, &b->port, b->neigh, net->now);
	assert_non_null(b->cm);
}

/* The retry count in the REQ is meant for both QPs. Each side uses at most its own configured retry
 * count. */
static void the_configuration_bounds_the_retry_count(void **state)
{
	static const struct {
		uint8_t most[2], asked, announced, passive;
	} rows[] = {
		{{7, 7}, 7, 7, 7}, {{7, 7}, 9, 7, 7}, {{7, 7}, 2, 2, 2}, {{3, 7}, 7, 3, 3},
		{{7, 2}, 7, 7, 2}, {{3, 2}, 1, 1, 1}, {{0, 7}, 7, 0, 0}, {{7, 0}, 7, 7, 0},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
		struct net net;
		uint32_t id, listener;

		net_init(&net);
		with_retries(&net, 0, rows[i].most[0]);
		with_retries(&net, 1, rows[i].most[1]);
		cmd.cm.param.retry_cnt = rows[i].asked;
		listener = net_listen(&net, 1, 0);
		id = net_exec(&net, 0, cmd).id;
		net_pump(&net);
		assert_int_equal(net.box[0].last[RN_CM_REQ].req.retry_cnt, rows[i].announced);
		assert_int_equal(net_event(&net, 0, EV(RESPONSE))->attr.retry_cnt,
				 rows[i].announced);
		assert_int_equal(net_event(&net, 1, EV(REQUEST))->attr.retry_cnt, rows[i].passive);
		net_destroy(&net, 0, id);
		net_run(&net, RN_S(1));
		net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_with_events_take_turns),
		cmocka_unit_test(a_connection_without_a_client_has_no_events),
		cmocka_unit_test(read_limits_come_from_the_other_side),
		cmocka_unit_test(the_configuration_bounds_the_retry_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
