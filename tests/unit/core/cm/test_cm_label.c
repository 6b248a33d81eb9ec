/* Does the side that connects choose a flow label with which the peer's packets arrive at the shard
 * of its QP? A function of this test stands for the RSS of a card. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cm_net.h"
#include "wire/frame.h"

#define CONNECTIONS 64 /* as many as the bench's connection manager has room for */

struct card {
	uint32_t shards;
	bool knows;
	bool deaf; /* no packet arrives at the shard of a QP */
	struct rn_gid from, to;
	unsigned calls;
};

/* The shard at which a packet arrives. */
static uint32_t shard_of(const struct card *card, const struct rn_gid *from, uint16_t sport)
{
	return ((sport & 0x3fffu) * 7 + from->b[15]) % card->shards;
}

static enum rn_rx_shard predict(void *arg, const struct rn_gid *from, const struct rn_gid *to,
				uint16_t sport, uint32_t shard)
{
	struct card *card = arg;

	assert_true(shard < card->shards);

	card->from = *from;
	card->to = *to;
	card->calls++;
	if (!card->knows)
		return RN_RX_SHARD_UNKNOWN;
	return !card->deaf && shard_of(card, from, sport) == shard ? RN_RX_SHARD_RIGHT
								   : RN_RX_SHARD_WRONG;
}

/* Creates the connection manager of host 0 anew, with this card. */
static void give_card(struct net *net, struct card *card)
{
	struct box *b = &net->box[0];

	b->cfg.nshards = card->shards;
	b->cfg.rx_shards = (struct rn_rx_shards){predict, card};
	rn_cm_destroy(b->cm);
	b->cm = rn_cm_create(&b->cfg, &b->port, b->neigh, net->now);
	assert_non_null(b->cm);
}

/* Connects QP `qpn` of host 0, and returns the flow label of the REQ. Checks that the card was
 * asked about packets from the peer. *usual is set to the flow label of a host without a card. */
static uint32_t label_of(struct net *net, const struct card *card, bool ipv6, uint32_t qpn,
			 uint32_t *usual)
{
	struct rn_gid own = net_gid(0, ipv6), peer = net_gid(1, ipv6);
	struct rn_rsp rsp = net_exec(net, 0, net_connect_cmd(0, ipv6, qpn));

	assert_int_equal(rsp.err, 0);
	net_pump(net);
	assert_true(rn_gid_equal(&card->from, &peer));
	assert_true(rn_gid_equal(&card->to, &own));
	*usual = (rsp.port * 31u + NET_PORT) & 0xfffff;
	net_destroy(net, 0, rsp.id);
	return net->box[0].last[RN_CM_REQ].req.flow_label;
}

static void answers_arrive_at_the_shard_of_the_qp(void **state)
{
	static const uint32_t shards[] = {2, 3, 8, 16};

	for (unsigned i = 0; i < 2 * RN_ARRAY_SIZE(shards); i++) {
		struct card card = {.shards = shards[i / 2], .knows = true};
		const bool ipv6 = i % 2;
		unsigned kept = 0;
		struct net net;

		net_init(&net);
		give_card(&net, &card);
		for (uint32_t qpn = 0x100; qpn < 0x100 + CONNECTIONS / 2; qpn++) {
			uint32_t usual, label = label_of(&net, &card, ipv6, qpn, &usual);
			struct rn_gid peer = net_gid(1, ipv6);

			assert_int_equal(shard_of(&card, &peer, rn_frame_sport(label, 0, 0)),
					 rn_qpn_shard(qpn, card.shards));
			kept += label == usual;
		}
		/* A flow label that already leads to the right shard stays as it is. */
		assert_in_range(kept, 1, CONNECTIONS / 2 - 1);
		net_fini(&net);
	}
}

static int by_number(const void *a, const void *b)
{
	uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;

	return (x > y) - (x < y);
}

/* The source ports of many connections to one shard differ, and come from the whole range: routers
 * spread packets over links by the port. */
static void labels_are_spread(void **state)
{
	struct card card = {.shards = 4, .knows = true};
	uint16_t ports[CONNECTIONS / 2];
	unsigned different = 1, upper = 0, total = 0;
	struct net net;

	net_init(&net);
	give_card(&net, &card);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(ports); i++) {
		uint32_t usual, label = label_of(&net, &card, false, 0x100 + 4 * i, &usual);

		assert_true(label > 0 && label < 1u << 20);
		ports[i] = rn_frame_sport(label, 0, 0);
		upper += ports[i] >= 0xe000;
		total++;
	}
	qsort(ports, total, sizeof(*ports), by_number);
	for (unsigned i = 1; i < total; i++)
		different += ports[i] != ports[i - 1];
	/* 32 random ports out of 4,096: two of them are equal in one of eight sets. */
	assert_in_range(different, total - 3, total);
	assert_in_range(upper, total / 5, total - total / 5);
	net_fini(&net);
}

/* Without a prediction the flow label is that of Linux, and nothing is tried. */
static void an_unknown_card_changes_nothing(void **state)
{
	struct card card = {.shards = 2};
	uint32_t usual;
	struct net net;

	net_init(&net);
	give_card(&net, &card);
	for (uint32_t qpn = 0x100; qpn < 0x110; qpn++) {
		uint32_t label = label_of(&net, &card, qpn % 2, qpn, &usual);

		assert_int_equal(label, usual);
	}
	assert_int_equal(card.calls, 16);
	net_fini(&net);
}

/* If no flow label leads to the shard, the search ends, and the flow label is that of Linux. */
static void the_search_ends(void **state)
{
	struct card card = {.shards = 16, .knows = true, .deaf = true};
	uint32_t usual, label;
	struct net net;

	net_init(&net);
	give_card(&net, &card);
	label = label_of(&net, &card, false, 0x100, &usual);
	assert_int_equal(label, usual);
	assert_in_range(card.calls, 16, 16 * 16);
	net_fini(&net);
}

/* The flow label may be 0 by Linux's formula. The peer's source port then depends on a QPN that
 * nobody knows yet, so it is not what this side hopes for. */
static void a_label_of_zero_is_replaced(void **state)
{
	struct card card = {.shards = 2, .knows = true};
	struct rn_cmd cmd = net_connect_cmd(0, false, 0x100);
	struct rn_rsp rsp;
	struct net net;

	net_init(&net);
	give_card(&net, &card);
	/* 33,825 * 31 + 1 = 1 << 20 */
	cmd.cm.port = 33825;
	cmd.cm.peer_port = 1;
	rsp = net_exec(&net, 0, cmd);
	assert_int_equal(rsp.err, 0);
	net_pump(&net);
	assert_int_not_equal(net.box[0].last[RN_CM_REQ].req.flow_label, 0);
	net_destroy(&net, 0, rsp.id);
	net_fini(&net);
}

/* The passive side does not choose: it takes the flow label of the REQ, or the prediction fails. */
static void the_passive_side_takes_the_label_over(void **state)
{
	struct card card = {.shards = 2, .knows = true};
	uint32_t listener, id;
	struct net net;

	net_init(&net);
	give_card(&net, &card);
	listener = net_listen(&net, 0, 8);
	net.box[0].accept = false;
	id = net_connect(&net, 1, 0x41);
	net_pump(&net);
	const struct rn_event *ev = net_event(&net, 0, RN_EVENT_CM_REQUEST);
	assert_int_equal(ev->attr.av.flow_label, net.box[1].last[RN_CM_REQ].req.flow_label);
	assert_int_equal(card.calls, 0);
	net_destroy(&net, 0, ev->id);
	net_destroy(&net, 1, id);
	net_destroy(&net, 0, listener);
	net_fini(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_arrive_at_the_shard_of_the_qp),
		cmocka_unit_test(labels_are_spread),
		cmocka_unit_test(an_unknown_card_changes_nothing),
		cmocka_unit_test(the_search_ends),
		cmocka_unit_test(a_label_of_zero_is_replaced),
		cmocka_unit_test(the_passive_side_takes_the_label_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
