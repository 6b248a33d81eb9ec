/* The command RESOLVE, which finds the MAC for an address, and the commands that only shard 0
 * accepts. The connection manager and the neighbour state machine (ARP and ND) are the real
 * ones. */
#include <errno.h>

#include "rig.h"

static uint8_t answered_mac[6];

static int resolve(struct rig *r, const struct rn_gid *addr)
{
	struct rn_cmd cmd = {.op = RN_CMD_RESOLVE, .user = 4711};
	struct rn_rsp rsp = {0};
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	cmd.cm.local = r->s[0].port.gids[0];
	cmd.cm.peer = *addr;
	rn_shard_exec(r->s[0].sh, &x, r->now);
	memcpy(answered_mac, rsp.query.attr.av.dmac, 6);
	return rsp.err;
}

static bool resolved(struct rig *r, struct rn_event *ev)
{
	while (rn_shard_events(r->s[0].sh, ev, 1))
		if (ev->kind == RN_EVENT_RESOLVED)
			return true;
	return false;
}

static void test_resolve(void **state)
{
	struct rig r;
	struct rn_event ev;
	const struct rn_gid *peer = &r.s[1].port.gids[0];

	rig_init(&r, &(struct rig_opt){0});
	assert_int_equal(resolve(&r, &r.s[0].port.gids[0]), 0); /* the port's own address */
	assert_memory_equal(answered_mac, r.s[0].port.mac, 6);
	assert_int_equal(resolve(&r, peer), -EINPROGRESS);
	assert_false(resolved(&r, &ev));
	for (unsigned i = 0; i < 4; i++)
		rig_move(&r, i & 1, 8);
	assert_true(resolved(&r, &ev));
	assert_int_equal(ev.err, 0);
	assert_int_equal(ev.user, 4711);
	assert_memory_equal(&ev.peer, peer, sizeof(*peer));
	assert_memory_equal(ev.attr.av.dmac, r.s[1].port.mac, 6);
	assert_false(resolved(&r, &ev));
	assert_int_equal(resolve(&r, peer), 0);
	assert_memory_equal(answered_mac, r.s[1].port.mac, 6);
	rig_fini(&r);
}

static void test_resolve_nobody(void **state)
{
	struct rig r;
	struct rn_event ev;
	struct rn_gid nobody;

	rig_init(&r, &(struct rig_opt){0});
	nobody = r.s[0].port.gids[0];
	nobody.b[15] = 200;
	assert_int_equal(resolve(&r, &nobody), -EINPROGRESS);
	ev.kind = RN_EVENT_NONE;
	for (unsigned i = 0; i < 100 && !resolved(&r, &ev); i++) {
		rig_move(&r, 0, 8);
		rig_wait(&r, RN_MS(100));
	}
	assert_int_equal(ev.kind, RN_EVENT_RESOLVED);
	assert_int_equal(ev.err, -EHOSTUNREACH);
	rig_fini(&r);
}

/* While an address is being resolved, the port's own addresses change. The address is then not
 * reachable any more, so the resolution fails. */
static void test_resolve_and_move(void **state)
{
	struct rig r;
	struct rn_event ev;
	struct rn_port_attr port;
	struct rn_gid nobody;

	rig_init(&r, &(struct rig_opt){0});
	nobody = r.s[0].port.gids[0];
	nobody.b[15] = 200;
	assert_int_equal(resolve(&r, &nobody), -EINPROGRESS);
	port = r.s[0].port;
	port.gids[0].b[13]++;
	rn_shard_port(r.s[0].sh, &port, r.now);
	assert_true(resolved(&r, &ev));
	assert_int_equal(ev.err, -EHOSTUNREACH);
	rig_fini(&r);
}

/* Shards other than 0 have no connection manager, and refuse its commands. */
static void test_other_shard(void **state)
{
	struct rn_core_cfg cfg;
	struct rn_port_attr port = {.mtu = 1500, .max_path_mtu = 3};
	struct rn_mr_table *mrs = rn_mr_table_create(1, &(struct rn_secret){{1}});
	struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};
	struct rn_shard *sh;

	rn_core_defaults(&cfg);
	cfg.index = 1;
	cfg.nshards = 2;
	sh = rn_shard_create(&cfg, &port, mrs, &rn_mem_plain, 0);
	rn_shard_exec(sh, &x, 0);
	assert_int_equal(rsp.err, -EINVAL);
	cmd.op = RN_CMD_RESOLVE;
	rn_shard_exec(sh, &x, 0);
	assert_int_equal(rsp.err, -EINVAL);
	assert_true(rn_shard_next(sh) == RN_TIME_NEVER);
	assert_false(rn_shard_wants_tx(sh, 0));
	rn_shard_destroy(sh);
	rn_mr_table_destroy(mrs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_nobody),
		cmocka_unit_test(test_resolve_and_move),
		cmocka_unit_test(test_other_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
