/* The rings between shards keep packets and messages in order. A full ring refuses packets;
 * messages are never lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "fake_shard.h"
#include "port/flow_rule.h"
#include "port/steer.h"

struct mbuf {
	struct rte_mbuf m;
	struct rn_pkt priv;
};

static struct rn_steer st[3];
static struct rn_steer *const all[3] = {&st[0], &st[1], &st[2]};
static struct mbuf pool[512];

/* This function replaces that of flow_rule.c. */
static unsigned wishes;

void rn_flow_rule_wish(struct rn_flow_rules *rules, unsigned shard, const struct rn_pkt *pkt)
{
	assert_ptr_equal(rules, &wishes);
	assert_int_equal(shard, 1);
	assert_int_equal(pkt->dest_qpn, 17);
	wishes++;
}

static void keeps_packets_and_messages_in_order(void **state)
{
	struct rn_shard *a = fake_shard_create(), *b = fake_shard_create();
	struct rn_pkt pkt = {0};
	struct rte_mbuf *done[64];
	unsigned ndone;

	assert_int_equal(rn_steer_create(all, 3, 64), 0);
	for (unsigned i = 0; i < 5; i++) {
		pkt.psn = i;
		assert_true(rn_steer_packet(&st[0], 1, &pool[i].m, &pkt));
		a->outbox[0] = (struct rn_msg){.to = 1, .qpn = i};
		a->noutbox = 1;
		assert_int_equal(rn_steer_messages(&st[0], a), 1);
	}
	assert_int_equal(st[0].filled, 1u << 1);
	assert_false(rn_steer_empty(&st[1]));
	assert_int_equal(rn_steer_drain(&st[1], b, done, &ndone, 64, 0), 10);
	assert_int_equal(ndone, 5);
	assert_ptr_equal(done[4], &pool[4].m);
	assert_memory_equal(b->order, "pmpmpmpmpm", 10);
	assert_int_equal(b->rx_psn[4], 4);
	assert_true(rn_steer_empty(&st[1]));
	assert_true(rn_steer_empty(&st[2]));
	rn_steer_destroy(all, 3);
	free(a);
	free(b);
}

static void never_loses_a_message(void **state)
{
	struct rn_shard *a = fake_shard_create(), *b = fake_shard_create(),
			*c = fake_shard_create();
	struct rn_pkt pkt = {0};
	struct rte_mbuf *done[256];
	unsigned ndone, packets = 0, sent = 0;

	assert_int_equal(rn_steer_create(all, 3, 64), 0);
	while (rn_steer_packet(&st[0], 1, &pool[packets].m, &pkt))
		packets++;
	assert_in_range(packets, 30, 63);
	a->noutbox = 40;
	for (unsigned i = 0; i < 40; i++)
		a->outbox[i] = (struct rn_msg){.to = RN_MSG_ALL, .qpn = i};
	/* The ring between the shards is full. Messages that do not fit stay in the outbox of the
	 * sending shard. */
	sent = rn_steer_messages(&st[0], a);
	assert_true(sent > 0 && sent < 40);
	assert_int_equal(a->noutbox, 40 - sent);
	for (unsigned i = 0; i < 10; i++) {
		rn_steer_drain(&st[1], b, done, &ndone, 256, 0);
		rn_steer_drain(&st[2], c, done, &ndone, 256, 0);
		sent += rn_steer_messages(&st[0], a);
	}
	assert_int_equal(sent, 40);
	assert_int_equal(b->ninbox, 40);
	assert_int_equal(c->ninbox, 40);
	assert_int_equal(b->nrx, packets);
	rn_steer_destroy(all, 3);
	free(a);
	free(b);
	free(c);
}

/* Every 64th packet of a QP that had to be handed over makes a wish for a rule. No wish is made
 * without the table for rules, nor for packets that rn_shard_detour() does not count. */
static void wishes_for_a_rule(void **state)
{
	struct rn_shard *b = fake_shard_create();
	struct rn_flow_rules *const rules = (struct rn_flow_rules *)(void *)&wishes;
	struct rn_pkt pkt = {.dest_qpn = 17};
	struct rte_mbuf *done[64];
	unsigned ndone;

	assert_int_equal(rn_steer_create(all, 3, 64), 0);
	for (unsigned round = 0; round < 3; round++) {
		st[1].rules = round > 0 ? rules : NULL;
		b->detours = round == 1 ? 0 : 1;
		for (unsigned i = 0; i < 2 * RN_FLOW_RULE_AFTER; i++) {
			assert_true(rn_steer_packet(&st[0], 1, &pool[i].m, &pkt));
			assert_int_equal(rn_steer_drain(&st[1], b, done, &ndone, 64, 0), 1);
		}
		assert_int_equal(wishes, round == 2 ? 2 : 0);
	}
	rn_steer_destroy(all, 3);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_packets_and_messages_in_order),
		cmocka_unit_test(never_loses_a_message),
		cmocka_unit_test(wishes_for_a_rule),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
