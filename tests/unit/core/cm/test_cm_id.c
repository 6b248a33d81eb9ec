/* Communication ids: a new id cannot be predicted. The ids and the QPN of a closed connection are
 * not used again before timewait ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cm/cm_priv.h"
#include "cm_net.h"

#define WAITS 2u
#define CODE  14 /* local ACK timeout: 67 ms */

struct bench {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_neigh *neigh;
	struct rn_cm *cm;
};

static void setup(struct bench *b, uint64_t seed)
{
	b->cfg = (struct rn_core_cfg){.max_cm = 8,
				      .max_timewait = WAITS,
				      .max_neigh = 1,
				      .cm_response_timeout = RN_S(1),
				      .secrets = rn_secrets_of_seed(seed)};
	b->port = (struct rn_port_attr){.ngids = 1, .gids = {net_gid(0, false)}};
	b->neigh = rn_neigh_create(&b->cfg, &b->port, 0);
	b->cm = rn_cm_create(&b->cfg, &b->port, b->neigh, 0);
	assert_non_null(b->cm);
}

static void teardown(struct bench *b)
{
	rn_cm_destroy(b->cm);
	rn_neigh_destroy(b->neigh);
}

/* Binds a new CM id and gives it the state of a closed connection. The communication ids are 10 * n
 * (local) and 10 * n + 1 (remote), and the QPN is 16 + n. */
static struct rn_cm_conn *closed(struct bench *b, uint32_t n)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_BIND};
	struct rn_cm_conn *c;
	struct rn_rsp rsp;

	rn_cm_exec(b->cm, &cmd, &rsp, 0);
	assert_int_equal(rsp.err, 0);
	c = rn_cm_by_id(b->cm, rsp.id);
	c->local_id = 10 * n;
	c->remote_id = 10 * n + 1;
	c->remote_guid = 77;
	c->av.dgid = net_gid(1, false);
	c->own.qpn = 16 + n;
	c->timeout_code = CODE;
	return c;
}

static void new_ids_differ_and_depend_on_the_secret(void **state)
{
	static uint32_t drawn[2][256];
	unsigned equal = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct bench b;

		setup(&b, i + 1);
		for (unsigned k = 0; k < 256; k++) {
			drawn[i][k] = rn_cm_fresh_id(b.cm);
			assert_int_not_equal(drawn[i][k], 0);
			for (unsigned earlier = 0; earlier < k; earlier++)
				assert_int_not_equal(drawn[i][k], drawn[i][earlier]);
		}
		teardown(&b);
	}
	for (unsigned k = 0; k < 256; k++)
		equal += drawn[0][k] == drawn[1][k];
	assert_int_equal(equal, 0);
}

/* A timewait record holds the communication id that was just drawn. This id is discarded, and
 * another id is drawn. */
static void a_new_id_is_not_one_in_timewait(void **state)
{
	struct bench b;
	struct rn_cm_conn *c;
	uint32_t next;

	setup(&b, 1);
	next = rn_cm_fresh_id(b.cm);
	teardown(&b);
	setup(&b, 1);
	c = closed(&b, 1);
	c->local_id = next;
	rn_cm_enter_wait(b.cm, c, 0);
	assert_int_not_equal(rn_cm_fresh_id(b.cm), next);
	teardown(&b);
}

static void timewait_holds_both_ids_and_the_qpn(void **state)
{
	const struct rn_gid peer = net_gid(1, false), other = net_gid(2, false);
	rn_time end = rn_cm_time_of(CODE);
	struct rn_event ev;
	struct bench b;

	setup(&b, 1);
	rn_cm_enter_wait(b.cm, closed(&b, 1), 0);
	assert_int_equal(rn_cm_timewait(b.cm), 1);
	assert_true(rn_cm_local_waits(b.cm, 10));
	assert_false(rn_cm_local_waits(b.cm, 11));
	assert_true(rn_cm_remote_waits(b.cm, 11, 77, &peer));
	assert_false(rn_cm_remote_waits(b.cm, 11, 78, &peer));
	assert_false(rn_cm_remote_waits(b.cm, 11, 77, &other));
	assert_false(rn_cm_remote_waits(b.cm, 10, 77, &peer));
	assert_true(rn_cm_qpn_waits(b.cm, 17));
	assert_false(rn_cm_qpn_waits(b.cm, 18));
	rn_cm_wait_tick(b.cm, end / 2);
	assert_true(rn_cm_local_waits(b.cm, 10));
	assert_false(rn_cm_event(b.cm, &ev));
	rn_cm_wait_tick(b.cm, 2 * end);
	assert_int_equal(rn_cm_timewait(b.cm), 0);
	assert_false(rn_cm_local_waits(b.cm, 10) || rn_cm_remote_waits(b.cm, 11, 77, &peer) ||
		     rn_cm_qpn_waits(b.cm, 17));
	assert_true(rn_cm_event(b.cm, &ev));
	assert_int_equal(ev.kind, RN_EVENT_CM_TIMEWAIT_EXIT);
	teardown(&b);
}

static void a_full_table_ends_its_oldest_record(void **state)
{
	struct rn_event ev;
	struct bench b;

	setup(&b, 1);
	for (uint32_t n = 1; n <= WAITS + 1; n++)
		rn_cm_enter_wait(b.cm, closed(&b, n), n);
	assert_int_equal(rn_cm_timewait(b.cm), WAITS);
	assert_int_equal(rn_cm_dropped(b.cm), 1);
	assert_int_equal(rn_cm_local_waits(b.cm, 10) + rn_cm_local_waits(b.cm, 20), 1);
	assert_true(rn_cm_local_waits(b.cm, 30));
	assert_true(rn_cm_event(b.cm, &ev));
	assert_int_equal(ev.kind, RN_EVENT_CM_TIMEWAIT_EXIT);
	assert_false(rn_cm_event(b.cm, &ev));
	teardown(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_ids_differ_and_depend_on_the_secret),
		cmocka_unit_test(a_new_id_is_not_one_in_timewait),
		cmocka_unit_test(timewait_holds_both_ids_and_the_qpn),
		cmocka_unit_test(a_full_table_ends_its_oldest_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
