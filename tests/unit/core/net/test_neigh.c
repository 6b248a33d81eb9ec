/* The neighbour state machine (ARP and ND): hand-made frames, and two state machines that talk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/arp_msg.h"
#include "shard/core.h"
#include "wire/frame.h"
#include "wire/icmp_msg.h"
#include "wire/nd_msg.h"
#include "net/neigh.h"

#define RETRY RN_MS(100)

static const struct rn_gid none, all_nodes = {{0xff, 2, [15] = 1}};
static const uint8_t mac_x[6] = {2, 0, 0, 0, 0, 0x77};

static struct rn_gid v4(uint8_t c, uint8_t d)
{
	return (struct rn_gid){{[10] = 0xff, 0xff, 192, 0, c, d}};
}

static struct rn_gid v6(uint8_t net, uint8_t host)
{
	return (struct rn_gid){{0x20, 1, 0x0d, 0xb8, [7] = net, [13] = 0xab, [15] = host}};
}

static struct rn_gid local6(uint8_t host)
{
	return (struct rn_gid){{0xfe, 0x80, [13] = 0xcd, [15] = host}};
}

static struct rn_core_cfg config(uint32_t entries)
{
	return (struct rn_core_cfg){.max_neigh = entries,
				    .neigh_retry = RETRY,
				    .neigh_reachable = RN_S(30),
				    .neigh_probes = 3,
				    .secrets = rn_secrets_of_seed(1)};
}

static struct rn_port_attr port_of(uint8_t host)
{
	return (struct rn_port_attr){.mac = {2, 0, 0, 0, 0, host},
				     .mtu = 1500,
				     .ngids = 3,
				     .gids = {v4(2, host), v6(1, host), local6(host)},
				     .prefix_len = {24, 64, 64},
				     .gateway4 = v4(2, 254),
				     .gateway6 = v6(1, 254)};
}

static struct rn_neigh *machine(uint8_t host, uint32_t entries)
{
	struct rn_core_cfg cfg = config(entries);
	struct rn_port_attr port = port_of(host);
	struct rn_neigh *n = rn_neigh_create(&cfg, &port, 0);

	assert_non_null(n);
	return n;
}

static unsigned discard(struct rn_neigh *n, rn_time now)
{
	uint8_t buf[2048];
	unsigned frames = 0;

	while (rn_neigh_tx(n, buf, sizeof(buf), now))
		frames++;
	assert_false(rn_neigh_wants_tx(n));
	return frames;
}

static enum rn_verdict receive(struct rn_neigh *n, const uint8_t *frame, unsigned len, rn_time now)
{
	struct rn_pkt pkt;
	enum rn_verdict v = rn_frame_parse(frame, len, &pkt);

	return v == RN_V_OK ? rn_neigh_rx(n, &pkt, now) : v;
}

/* Delivers all queued frames of `a` to `b`; returns the number of frames. */
static unsigned carry(struct rn_neigh *a, struct rn_neigh *b, rn_time now)
{
	uint8_t buf[10000];
	unsigned len, frames = 0;

	while ((len = rn_neigh_tx(a, buf, sizeof(buf), now))) {
		assert_int_equal(receive(b, buf, len, now), RN_V_OK);
		frames++;
	}
	return frames;
}

static enum rn_neigh_state resolve(struct rn_neigh *n, struct rn_gid src, struct rn_gid dst,
				   uint8_t mac[6], rn_time now)
{
	return rn_neigh_resolve(n, &src, &dst, mac, now);
}

static void wire_row_C28_two_find_each_other(void **state)
{
	const struct {
		struct rn_gid src, dst;
	} rows[] = {{v4(2, 1), v4(2, 2)},   {v6(1, 1), v6(1, 2)}, {v6(1, 1), local6(2)},
		    {local6(1), local6(2)}, {none, v4(2, 2)},	  {none, v6(1, 2)}};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_neigh *a = machine(1, 8), *b = machine(2, 8);
		enum rn_neigh_state told;
		struct rn_gid addr;
		uint8_t mac[6];
		uint64_t epoch;

		discard(a, 0);
		discard(b, 0);
		assert_int_equal(resolve(a, rows[i].src, rows[i].dst, mac, 0), RN_NEIGH_PENDING);
		assert_int_equal(resolve(a, rows[i].src, rows[i].dst, mac, 0), RN_NEIGH_PENDING);
		epoch = rn_neigh_epoch(a);
		assert_int_equal(carry(a, b, 1), 1);
		assert_int_equal(carry(b, a, 2), 1);
		assert_int_equal(resolve(a, rows[i].src, rows[i].dst, mac, 3), RN_NEIGH_READY);
		assert_int_equal(mac[5], 2);
		assert_true(rn_neigh_epoch(a) > epoch);
		assert_true(rn_neigh_changed(a, &addr, mac, &told));
		assert_memory_equal(&addr, &rows[i].dst, 16);
		assert_int_equal(told, RN_NEIGH_READY);
		assert_int_equal(mac[5], 2);
		assert_false(rn_neigh_changed(a, &addr, mac, &told));
		/* `b` has recorded the address and MAC of `a` from the ARP or ND request */
		assert_int_equal(rn_neigh_count(b), 1);
		assert_true(rn_neigh_changed(b, &addr, mac, &told));
		assert_int_equal(mac[5], 1);
		assert_int_equal(resolve(b, none, addr, mac, 4), RN_NEIGH_READY);
		assert_false(rn_neigh_wants_tx(a) || rn_neigh_wants_tx(b));
		assert_true(rn_neigh_next(a) == RN_TIME_NEVER);
		rn_neigh_destroy(a);
		rn_neigh_destroy(b);
	}
}

/* While an ARP or ND request stays unsent, the resolution fails only after four times the usual
 * time. */
static void questions_that_cannot_leave(void **state)
{
	for (int comes_up = 0; comes_up < 2; comes_up++) {
		struct rn_neigh *a = machine(1, 8), *b = machine(2, 8);
		const struct rn_gid src = v6(1, 1), dst = v6(1, 2);
		uint8_t mac[6];
		rn_time now = 0;

		discard(a, 0);
		discard(b, 0);
		assert_int_equal(resolve(a, src, dst, mac, now), RN_NEIGH_PENDING);
		for (; now < 3 * 4 * RETRY - RN_MS(1); now += RN_MS(1)) {
			rn_neigh_tick(a, now);
			assert_int_equal(resolve(a, src, dst, mac, now), RN_NEIGH_PENDING);
		}
		if (comes_up) {
			assert_int_equal(carry(a, b, now), 1);
			assert_int_equal(carry(b, a, now), 1);
			assert_int_equal(resolve(a, src, dst, mac, now), RN_NEIGH_READY);
		} else {
			rn_neigh_tick(a, now + RN_MS(2));
			assert_int_equal(resolve(a, src, dst, mac, now + RN_MS(2)),
					 RN_NEIGH_FAILED);
		}
		rn_neigh_destroy(a);
		rn_neigh_destroy(b);
	}
}

static void silence_ends_in_failure(void **state)
{
	struct rn_neigh *a = machine(1, 8);
	enum rn_neigh_state told;
	struct rn_gid addr;
	uint8_t mac[6];
	rn_time now = 0;
	unsigned questions = 0;

	discard(a, 0);
	assert_int_equal(resolve(a, v4(2, 1), v4(2, 9), mac, now), RN_NEIGH_PENDING);
	while (!rn_neigh_changed(a, &addr, mac, &told)) {
		questions += discard(a, now);
		assert_true(rn_neigh_next(a) <= now + RETRY);
		now = RN_MAX(now + 1, rn_neigh_next(a));
		rn_neigh_tick(a, now);
		assert_true(now < RN_S(2));
	}
	assert_int_equal(questions, 3);
	assert_int_equal(told, RN_NEIGH_FAILED);
	assert_true(now >= 3 * RETRY && now < 3 * RETRY + RN_MS(1));
	/* a failure lasts for neigh_retry; then the next resolve sends a new request */
	assert_int_equal(resolve(a, v4(2, 1), v4(2, 9), mac, now), RN_NEIGH_FAILED);
	assert_int_equal(discard(a, now), 0);
	now += RETRY + RN_MS(1);
	rn_neigh_tick(a, now);
	assert_int_equal(rn_neigh_count(a), 0);
	assert_int_equal(resolve(a, v4(2, 1), v4(2, 9), mac, now), RN_NEIGH_PENDING);
	assert_int_equal(discard(a, now), 1);
	rn_neigh_destroy(a);
}

static void routes(void **state)
{
	static const struct rn_gid group4 = {{[10] = 0xff, 0xff, 239, 0x81, 2, 3}};
	static const struct rn_gid group6 = {{0xff, 2, [12] = 7, [15] = 9}};
	struct rn_neigh *a = machine(1, 8);
	struct rn_port_attr bare = port_of(1);
	uint8_t mac[6];

	/* two peers behind the gateway share the gateway's entry */
	assert_int_equal(resolve(a, v4(2, 1), v4(3, 1), mac, 0), RN_NEIGH_PENDING);
	assert_int_equal(resolve(a, v4(2, 1), v4(3, 2), mac, 0), RN_NEIGH_PENDING);
	assert_int_equal(rn_neigh_count(a), 1);
	/* own addresses and groups resolve without an ARP or ND request */
	assert_int_equal(resolve(a, v4(2, 1), v4(2, 1), mac, 0), RN_NEIGH_READY);
	assert_int_equal(mac[5], 1);
	assert_int_equal(resolve(a, v4(2, 1), group4, mac, 0), RN_NEIGH_READY);
	assert_memory_equal(mac, ((uint8_t[]){1, 0, 0x5e, 1, 2, 3}), 6);
	assert_int_equal(resolve(a, v6(1, 1), group6, mac, 0), RN_NEIGH_READY);
	assert_memory_equal(mac, ((uint8_t[]){0x33, 0x33, 7, 0, 0, 9}), 6);
	/* without a gateway, addresses beyond the local network cannot be resolved */
	bare.gateway4 = bare.gateway6 = none;
	rn_neigh_port(a, &bare, 0);
	assert_int_equal(resolve(a, v4(2, 1), v4(3, 1), mac, 0), RN_NEIGH_FAILED);
	assert_int_equal(resolve(a, v6(1, 1), v6(2, 1), mac, 0), RN_NEIGH_FAILED);
	rn_neigh_destroy(a);
}

static void arp_frame(uint8_t *frame, uint16_t op, struct rn_gid sender, const uint8_t mac[6],
		      struct rn_gid target)
{
	struct rn_arp arp = {.op = op, .sender = sender, .target = target};

	memset(frame, 0xff, 60);
	memcpy(arp.sender_mac, mac, 6);
	memcpy(frame + 6, mac, 6);
	memcpy(frame + 12, "\x08\x06", 2);
	rn_arp_build(&arp, frame + 14);
}

static unsigned advert_frame(uint8_t *frame, struct rn_gid target, const uint8_t mac[6],
			     bool override)
{
	struct rn_nd nd = {
		.type = RN_ND_ADVERT, .override = override, .target = target, .has_mac = true};

	memcpy(nd.mac, mac, 6);
	memset(frame, 0, 54);
	memcpy(frame, "\x33\x33\0\0\0\x01", 6);
	memcpy(frame + 6, mac, 6);
	memcpy(frame + 12, "\x86\xdd\x60", 3);
	frame[19] = RN_ND_BYTES;
	frame[20] = 58;
	frame[21] = 255;
	memcpy(frame + 22, target.b, 16);
	memcpy(frame + 38, all_nodes.b, 16);
	return 54 + (unsigned)rn_nd_build(&target, &all_nodes, &nd, frame + 54);
}

static void static_entries_stay(void **state)
{
	struct rn_static_neigh fixed[] = {{v4(2, 50), {2, 0, 0, 0, 0, 0x50}},
					  {v6(1, 50), {2, 0, 0, 0, 0, 0x51}}};
	struct rn_core_cfg cfg = config(2);
	struct rn_port_attr port = port_of(1);
	struct rn_neigh *a;
	uint8_t frame[60], mac[6];

	cfg.static_neigh = fixed;
	cfg.nstatic_neigh = 2;
	a = rn_neigh_create(&cfg, &port, 0);
	arp_frame(frame, RN_ARP_REPLY, v4(2, 50), mac_x, v4(2, 1));
	assert_int_equal(receive(a, frame, sizeof(frame), 0), RN_V_OK);
	for (uint8_t i = 0; i < 20; i++) /* neither age nor a full table removes static entries */
		resolve(a, v4(2, 1), v4(2, 100 + i), mac, RN_S(100));
	assert_int_equal(resolve(a, v4(2, 1), v4(2, 50), mac, RN_S(100000)), RN_NEIGH_READY);
	assert_int_equal(mac[5], 0x50);
	assert_int_equal(resolve(a, v6(1, 1), v6(1, 50), mac, RN_S(100000)), RN_NEIGH_READY);
	assert_int_equal(mac[5], 0x51);
	assert_int_equal(rn_neigh_count(a), 4);
	rn_neigh_destroy(a);
}

static void unsolicited_arp_adds_no_entry(void **state)
{
	struct rn_neigh *a = machine(1, 8);
	uint8_t frame[100];
	unsigned len;

	discard(a, 0);
	/* Messages that make no entry: an unsolicited reply, a gratuitous request, a request for
	 * another host, and an unsolicited advertisement. */
	arp_frame(frame, RN_ARP_REPLY, v4(2, 9), mac_x, v4(2, 1));
	assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 9), mac_x, v4(2, 9));
	assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 9), mac_x, v4(2, 8));
	assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	len = advert_frame(frame, v6(1, 9), mac_x, true);
	assert_int_equal(receive(a, frame, len, 0), RN_V_OK);
	assert_int_equal(rn_neigh_count(a), 0);
	assert_false(rn_neigh_wants_tx(a));
	/* an ARP probe for our address (sender 0.0.0.0) is answered but makes no entry */
	arp_frame(frame, RN_ARP_REQUEST, v4(0, 0), mac_x, v4(2, 1));
	memset(frame + 28, 0, 4);
	assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	assert_int_equal(rn_neigh_count(a), 0);
	assert_int_equal(discard(a, 0), 1);
	/* a request from a sender outside our subnet makes no entry */
	arp_frame(frame, RN_ARP_REQUEST, v4(3, 9), mac_x, v4(2, 1));
	receive(a, frame, 60, 0);
	assert_int_equal(rn_neigh_count(a), 0);
	rn_neigh_destroy(a);
}

static void the_queue_of_answers_is_bounded(void **state)
{
	struct rn_neigh *a = machine(1, 8);
	uint8_t frame[60];

	discard(a, 0);
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 9), mac_x, v4(2, 1));
	for (int i = 0; i < 100; i++)
		assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	assert_int_equal(discard(a, 0), 64);
	assert_int_equal(rn_neigh_dropped(a), 36);
	rn_neigh_destroy(a);
}

/* Leaves probes of the known MAC unanswered; returns when the first broadcast probe is sent. */
static rn_time silent_until_everybody_is_asked(struct rn_neigh *n, rn_time now)
{
	uint8_t buf[200];

	for (; now < RN_S(10); now += RN_MS(10)) {
		rn_neigh_tick(n, now);
		while (rn_neigh_tx(n, buf, sizeof(buf), now))
			if (buf[0] & 1)
				return now;
	}
	fail_msg("only one is asked");
	return now;
}

static void unsolicited_arp_starts_a_probe(void **state)
{
	static const uint8_t mac_y[6] = {2, 0, 0, 0, 0, 0x78}, group[6] = {3, 0, 0, 0, 0, 1};
	struct rn_neigh *a = machine(1, 8);
	enum rn_neigh_state told;
	struct rn_gid addr;
	uint8_t frame[100], mac[6];
	unsigned len;
	rn_time now;

	discard(a, 0);
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 9), mac_x, v4(2, 1));
	assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	assert_int_equal(rn_neigh_count(a), 1);
	assert_int_equal(discard(a, 0), 1);
	assert_true(rn_neigh_changed(a, &addr, mac, &told));
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 9), mac_y, v4(2, 9));
	assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	assert_false(rn_neigh_changed(a, &addr, mac, &told));
	now = silent_until_everybody_is_asked(a, 0);
	arp_frame(frame, RN_ARP_REPLY, v4(2, 9), mac_y, v4(2, 1));
	assert_int_equal(receive(a, frame, 60, now), RN_V_OK);
	assert_true(rn_neigh_changed(a, &addr, mac, &told));
	assert_int_equal(mac[5], 0x78);
	/* a message that claims our own address makes no entry; a group MAC is never recorded */
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 1), mac_x, v4(2, 1));
	assert_int_equal(receive(a, frame, 60, 0), RN_V_OK);
	assert_int_equal(rn_neigh_count(a), 1);
	assert_int_equal(discard(a, 0), 1); /* the frame announces our address, to defend it */
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 9), group, v4(2, 9));
	receive(a, frame, 60, 0);
	assert_int_equal(resolve(a, none, v4(2, 9), mac, 0), RN_NEIGH_READY);
	assert_int_equal(mac[5], 0x78);
	/* an advertisement without the override flag answers a request, but replaces no MAC */
	discard(a, 0);
	assert_int_equal(resolve(a, none, v6(1, 9), mac, 0), RN_NEIGH_PENDING);
	len = advert_frame(frame, v6(1, 9), mac_x, false);
	receive(a, frame, len, 0);
	assert_int_equal(resolve(a, none, v6(1, 9), mac, 0), RN_NEIGH_READY);
	len = advert_frame(frame, v6(1, 9), mac_y, false);
	receive(a, frame, len, 0);
	assert_int_equal(resolve(a, none, v6(1, 9), mac, 0), RN_NEIGH_READY);
	assert_int_equal(mac[5], 0x77);
	rn_neigh_destroy(a);
}

static void old_entries_are_confirmed_while_in_use(void **state)
{
	for (int alive = 0; alive < 2; alive++) {
		struct rn_neigh *a = machine(1, 8), *b = machine(2, 8);
		enum rn_neigh_state told = RN_NEIGH_READY;
		struct rn_gid addr;
		rn_time now = RN_S(31);
		uint8_t mac[6], buf[200];

		discard(a, 0);
		discard(b, 0);
		resolve(a, v6(1, 1), v6(1, 2), mac, 0);
		carry(a, b, 0);
		carry(b, a, 0);
		assert_true(rn_neigh_changed(a, &addr, mac, &told));
		/* an old entry that is not used is not probed */
		rn_neigh_tick(a, now);
		assert_false(rn_neigh_wants_tx(a));
		assert_int_equal(resolve(a, v6(1, 1), v6(1, 2), mac, now), RN_NEIGH_READY);
		if (alive) {
			unsigned len = rn_neigh_tx(a, buf, sizeof(buf), now);

			assert_int_equal(buf[0], 2); /* the probe goes to the known MAC */
			assert_int_equal(receive(b, buf, len, now), RN_V_OK);
			carry(b, a, now);
			assert_true(rn_neigh_next(a) == RN_TIME_NEVER);
			assert_false(rn_neigh_changed(a, &addr, mac, &told));
		} else {
			unsigned questions = 0;

			for (int i = 0; i < 100 && !rn_neigh_changed(a, &addr, mac, &told); i++) {
				questions += discard(a, now);
				now += RN_MS(10);
				rn_neigh_tick(a, now);
			}
			assert_int_equal(questions, 3);
			assert_int_equal(told, RN_NEIGH_FAILED);
		}
		rn_neigh_destroy(a);
		rn_neigh_destroy(b);
	}
}

static void a_full_table_gives_up_the_longest_unused(void **state)
{
	struct rn_neigh *a = machine(1, 4);
	uint8_t frame[60], mac[6];

	for (uint8_t i = 0; i < 4; i++) {
		arp_frame(frame, RN_ARP_REQUEST, v4(2, 10 + i), mac_x, v4(2, 1));
		receive(a, frame, 60, i);
	}
	resolve(a, none, v4(2, 10), mac, 5); /* .10 is used, so .11 is now the longest unused */
	arp_frame(frame, RN_ARP_REQUEST, v4(2, 20), mac_x, v4(2, 1));
	receive(a, frame, 60, 6);
	assert_int_equal(rn_neigh_count(a), 4);
	assert_int_equal(resolve(a, none, v4(2, 10), mac, 7), RN_NEIGH_READY);
	assert_int_equal(resolve(a, none, v4(2, 12), mac, 7), RN_NEIGH_READY);
	assert_int_equal(resolve(a, none, v4(2, 11), mac, 7), RN_NEIGH_PENDING);
	/* no entry with an unanswered request is displaced: .11 and 3 more fill the table */
	for (uint8_t i = 0; i < 3; i++)
		assert_int_equal(resolve(a, none, v4(2, 30 + i), mac, 8), RN_NEIGH_PENDING);
	assert_int_equal(resolve(a, none, v4(2, 40), mac, 8), RN_NEIGH_FAILED);
	rn_neigh_destroy(a);
}

static void announces_and_reannounces(void **state)
{
	struct rn_neigh *a = machine(1, 8), *b = machine(2, 8);
	struct rn_port_attr port = port_of(1);
	enum rn_neigh_state told;
	struct rn_gid addr;
	uint8_t mac[6], frame[60];

	assert_int_equal(discard(a, 0), 3);
	discard(b, 0);
	resolve(b, v4(2, 2), v4(2, 1), mac, 0);
	carry(b, a, 0);
	carry(a, b, 0);
	while (rn_neigh_changed(b, &addr, mac, &told))
		;
	port.mac[5] = 0x99;
	rn_neigh_port(a, &port, 1);
	assert_int_equal(carry(a, b, 1), 3);
	assert_false(rn_neigh_changed(b, &addr, mac, &told));
	arp_frame(frame, RN_ARP_REPLY, v4(2, 1), port.mac, v4(2, 2));
	receive(b, frame, sizeof(frame), silent_until_everybody_is_asked(b, 2));
	assert_true(rn_neigh_changed(b, &addr, mac, &told));
	assert_int_equal(mac[5], 0x99);
	/* one more address causes one more announcement */
	port.gids[3] = v4(2, 7);
	port.prefix_len[3] = 24;
	port.ngids = 4;
	rn_neigh_port(a, &port, 2);
	assert_int_equal(discard(a, 2), 1);
	/* after the port was down, every address is announced */
	rn_neigh_announce(a);
	assert_int_equal(discard(a, 2), 4);
	/* when the port moves to another network, the only neighbour (b) is dropped */
	assert_int_equal(rn_neigh_count(a), 1);
	port.ngids = 1;
	port.gids[0] = v4(9, 1);
	rn_neigh_port(a, &port, 3);
	assert_int_equal(rn_neigh_count(a), 0);
	rn_neigh_destroy(a);
	rn_neigh_destroy(b);
}

/* Builds an ARP or ND message in which another host (mac_x) claims `addr`; returns its length. */
static unsigned claim(uint8_t *frame, uint16_t op, const struct rn_gid *addr)
{
	struct rn_arp arp = {.op = op, .sender = *addr, .target = *addr};
	struct rn_nd nd = {
		.type = RN_ND_ADVERT, .override = true, .has_mac = true, .target = *addr};

	memset(frame, 0, 100);
	memset(frame, 0xff, 6);
	memcpy(frame + 6, mac_x, 6);
	memcpy(arp.sender_mac, mac_x, 6);
	memcpy(nd.mac, mac_x, 6);
	if (rn_gid_is_ipv4(addr)) {
		memcpy(frame + 12, "\x08\x06", 2);
		rn_arp_build(&arp, frame + 14);
		return 60;
	}
	memcpy(frame, "\x33\x33\0\0\0\x01", 6);
	memcpy(frame + 12, "\x86\xdd\x60", 3);
	frame[19] = RN_ND_BYTES;
	frame[20] = 58;
	frame[21] = 255;
	memcpy(frame + 22, addr->b, 16);
	memcpy(frame + 38, all_nodes.b, 16);
	return 54 + (unsigned)rn_nd_build(addr, &all_nodes, &nd, frame + 54);
}

/* RFC 5227, 2.4: at most one announcement per ten seconds defends an address. Otherwise two hosts
 * with one address would answer each other for ever. */
static void defends_its_addresses(void **state)
{
	struct rn_gid own[] = {v4(2, 1), v6(1, 1)}, other = v4(2, 9);
	uint8_t frame[200], reply[200];
	struct rn_pkt pkt;
	unsigned len;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(own); i++) {
		struct rn_neigh *a = machine(1, 8);

		discard(a, 0);
		len = claim(frame, RN_ARP_REQUEST, &other);
		receive(a, frame, len, RN_S(1));
		assert_int_equal(rn_neigh_conflicts(a), 0);
		for (unsigned op = RN_ARP_REQUEST; op <= RN_ARP_REPLY; op++) {
			len = claim(frame, (uint16_t)op, &own[i]);
			assert_int_equal(receive(a, frame, len, RN_S(1)), RN_V_OK);
		}
		assert_int_equal(rn_neigh_conflicts(a), 2);
		assert_int_equal(rn_neigh_count(a), 0);
		len = rn_neigh_tx(a, reply, sizeof(reply), RN_S(1));
		assert_int_equal(rn_frame_parse(reply, len, &pkt), RN_V_OK);
		assert_true(pkt.dmac[0] & 1); /* the announcement is broadcast or multicast */
		assert_memory_equal(pkt.smac, "\x02\0\0\0\0\x01", 6);
		assert_false(rn_neigh_wants_tx(a));
		len = claim(frame, RN_ARP_REPLY, &own[i]);
		receive(a, frame, len, RN_S(10));
		assert_int_equal(rn_neigh_conflicts(a), 3);
		assert_false(rn_neigh_wants_tx(a));
		receive(a, frame, len, RN_S(11));
		assert_int_equal(discard(a, RN_S(11)), 1);
		/* our own announcement, when it is looped back to us, is no conflict */
		memcpy(frame + 6, "\x02\0\0\0\0\x01", 6);
		rn_neigh_announce(a);
		while ((len = rn_neigh_tx(a, reply, sizeof(reply), RN_S(30))))
			receive(a, reply, len, RN_S(30));
		assert_int_equal(rn_neigh_conflicts(a), 4);
		rn_neigh_destroy(a);
	}
}

static unsigned echo_frame(uint8_t *frame, const struct rn_gid *src, const struct rn_gid *dst,
			   uint32_t n)
{
	static uint8_t data[9000];
	struct rn_icmp_echo echo = {.id = 5, .seq = 6, .data = data, .data_len = n};
	bool ipv4 = rn_gid_is_ipv4(src);
	unsigned at = 14;
	uint16_t sum;

	memset(frame, 0, 54);
	memcpy(frame, "\x02\0\0\0\0\x01", 6);
	memcpy(frame + 6, mac_x, 6);
	if (ipv4) {
		memcpy(frame + 12, "\x08\0\x45", 3);
		frame[16] = (uint8_t)((28 + n) >> 8);
		frame[17] = (uint8_t)(28 + n);
		frame[22] = 64;
		frame[23] = 1;
		memcpy(frame + 26, src->b + 12, 4);
		memcpy(frame + 30, dst->b + 12, 4);
		sum = rn_ip_checksum(0, frame + 14, 20);
		frame[24] = (uint8_t)(sum >> 8);
		frame[25] = (uint8_t)sum;
		at += 20;
	} else {
		memcpy(frame + 12, "\x86\xdd\x60", 3);
		frame[18] = (uint8_t)((8 + n) >> 8);
		frame[19] = (uint8_t)(8 + n);
		frame[20] = 58;
		frame[21] = 64;
		memcpy(frame + 22, src->b, 16);
		memcpy(frame + 38, dst->b, 16);
		at += 40;
	}
	return at + (unsigned)rn_icmp_echo_build(ipv4, src, dst, &echo, frame + at, 9100);
}

static void echoes(void **state)
{
	static const uint32_t sizes[] = {0, 1, 56, 1472, 8000};
	static uint8_t frame[9300], reply[9300];
	struct rn_neigh *a = machine(1, 8);

	discard(a, 0);
	for (int ipv4 = 0; ipv4 < 2; ipv4++) {
		struct rn_gid src = ipv4 ? v4(2, 9) : v6(1, 9), dst = ipv4 ? v4(2, 1) : v6(1, 1);
		struct rn_gid other = ipv4 ? v4(2, 3) : v6(1, 3);
		struct rn_icmp_echo echo;
		struct rn_pkt pkt;
		unsigned len;

		for (size_t i = 0; i < RN_ARRAY_SIZE(sizes); i++) {
			len = echo_frame(frame, &src, &dst, sizes[i]);
			assert_int_equal(receive(a, frame, len, 0), RN_V_OK);
			len = rn_neigh_tx(a, reply, sizeof(reply), 0);
			assert_true(len >= 60);
			assert_int_equal(rn_frame_parse(reply, len, &pkt), RN_V_OK);
			assert_int_equal(pkt.kind, RN_PKT_ICMP);
			assert_memory_equal(pkt.dmac, mac_x, 6);
			assert_memory_equal(&pkt.src, &dst, 16);
			assert_memory_equal(&pkt.dst, &src, 16);
			assert_true(rn_icmp_echo_parse(ipv4, &pkt.src, &pkt.dst, pkt.payload,
						       pkt.payload_len, &echo));
			assert_true(echo.reply && echo.id == 5 && echo.seq == 6 &&
				    echo.data_len == sizes[i]);
		}
		len = echo_frame(frame, &src, &other, 56);
		receive(a, frame, len, 0);
		assert_false(rn_neigh_wants_tx(a));
		len = echo_frame(frame, &src, &dst, 56);
		frame[len - 1] ^= 1;
		assert_int_equal(receive(a, frame, len, 0), RN_V_ICMP_BAD);
		/* up to 8 echo replies are queued; further echo requests are dropped and counted */
		len = echo_frame(frame, &src, &dst, 56);
		for (int i = 0; i < 12; i++)
			receive(a, frame, len, 0);
		assert_int_equal(discard(a, 0), 8);
		assert_int_equal(rn_neigh_dropped(a), ipv4 ? 8 : 4);
	}
	rn_neigh_destroy(a);
}

static void wire_row_C28_answers_duplicate_address_detection(void **state)
{
	struct rn_neigh *a = machine(1, 8);
	struct rn_nd nd = {.type = RN_ND_SOLICIT, .target = v6(1, 1)};
	uint8_t frame[100] = {0x33, 0x33, 0xff, 0xab, 0, 1, 2, 0, 0, 0, 0, 0x77, 0x86, 0xdd, 0x60};
	struct rn_gid group;
	struct rn_pkt pkt;
	unsigned len;

	discard(a, 0);
	rn_nd_solicited_node(&nd.target, &group);
	frame[19] = RN_ND_MIN;
	frame[20] = 58;
	frame[21] = 255;
	memcpy(frame + 38, group.b, 16);
	rn_nd_build(&none, &group, &nd, frame + 54);
	assert_int_equal(receive(a, frame, 54 + RN_ND_MIN, 0), RN_V_OK);
	assert_int_equal(rn_neigh_count(a), 0);
	len = rn_neigh_tx(a, frame, sizeof(frame), 0);
	assert_int_equal(rn_frame_parse(frame, len, &pkt), RN_V_OK);
	assert_true(rn_nd_parse(&pkt.src, &pkt.dst, pkt.payload, pkt.payload_len, &nd));
	assert_true(nd.type == RN_ND_ADVERT && !nd.solicited && nd.override &&
		    pkt.dst.b[0] == 0xff);
	/* a hop limit below 255 shows that the packet passed a router */
	frame[21] = 254;
	assert_int_equal(receive(a, frame, len, 0), RN_V_ND_BAD);
	rn_neigh_destroy(a);
}

static void tagged_frames(void **state)
{
	struct rn_core_cfg cfg = config(4);
	struct rn_port_attr port = port_of(1);
	struct rn_neigh *a;
	struct rn_pkt pkt;
	uint8_t buf[200];
	unsigned len;

	port.has_vlan = true;
	port.vlan_tci = 0x6064;
	a = rn_neigh_create(&cfg, &port, 0);
	for (int i = 0; i < 3; i++) {
		len = rn_neigh_tx(a, buf, sizeof(buf), 0);
		assert_int_equal(rn_frame_parse(buf, len, &pkt), RN_V_OK);
		assert_true(pkt.has_vlan && pkt.vlan_tci == 0x6064);
	}
	rn_neigh_destroy(a);
}

/* Truncated or bit-flipped frames neither crash the state machine nor overfill its table. */
static void survives_garbage(void **state)
{
	static uint8_t frame[1600], buf[10000];
	struct rn_neigh *a = machine(1, 16);
	uint64_t x = 88172645463325252ull;
	struct rn_gid own = v6(1, 1);

	for (unsigned i = 0; i < 50000; i++) {
		struct rn_gid peer;
		unsigned len = 60;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		peer = v6(1, (uint8_t)(x >> 8));
		if (i % 4 == 0)
			arp_frame(frame, 1 + (x & 1), v4(2, (uint8_t)(x >> 8)), mac_x, v4(2, 1));
		else if (i % 4 == 1)
			len = advert_frame(frame, peer, mac_x, x & 1);
		else
			len = echo_frame(frame, &peer, &own, 64);
		if (x & 0x10000)
			frame[12 + (x >> 20) % (len - 12)] ^= (uint8_t)(1u << ((x >> 40) & 7));
		if (x & 0x20000)
			len = (unsigned)((x >> 24) % (len + 1));
		receive(a, frame, len, RN_MS(i));
		rn_neigh_tick(a, RN_MS(i));
		if (x & 0x40000)
			while (rn_neigh_tx(a, buf, sizeof(buf), RN_MS(i)))
				;
		assert_true(rn_neigh_count(a) <= 16);
	}
	rn_neigh_destroy(a);
}

/* Messages from a group MAC, a group address or one of our own addresses get no answer. */
static void nobody_answers_groups(void **state)
{
	static const uint8_t to_all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct rn_neigh *n = machine(1, 8);
	const struct rn_gid group4 = {{[10] = 0xff, 0xff, 224, [15] = 1}};
	const struct rn_gid any4 = {{[10] = 0xff, 0xff}};
	/* sources of echo requests; the last two are our own addresses */
	const struct rn_gid sources[] = {group4, any4, all_nodes, none, v4(2, 1), v6(1, 1)};
	struct rn_arp arp = {.op = RN_ARP_REQUEST, .sender = v4(2, 9), .target = v4(2, 1)};
	struct rn_nd nd = {.type = RN_ND_SOLICIT, .target = v6(1, 1), .has_mac = true};
	const struct rn_gid own = v6(1, 1), peer = v6(1, 9);
	uint8_t body[128], frame[10000];
	struct rn_pkt pkt = {.kind = RN_PKT_ARP, .payload = body, .payload_len = RN_ARP_BYTES};

	discard(n, 0);
	memcpy(arp.sender_mac, to_all, 6);
	rn_arp_build(&arp, body);
	rn_neigh_rx(n, &pkt, 0);
	assert_false(rn_neigh_wants_tx(n));
	memcpy(nd.mac, to_all, 6);
	pkt = (struct rn_pkt){.kind = RN_PKT_ND, .src = peer, .dst = own, .hop_limit = 255};
	pkt.payload = body;
	pkt.payload_len = (uint32_t)rn_nd_build(&peer, &own, &nd, body);
	rn_neigh_rx(n, &pkt, 0);
	assert_false(rn_neigh_wants_tx(n));
	for (size_t i = 0; i < RN_ARRAY_SIZE(sources); i++) {
		struct rn_gid dst = rn_gid_is_ipv4(&sources[i]) ? v4(2, 1) : v6(1, 1);
		unsigned len = echo_frame(frame, &sources[i], &dst, 8);

		receive(n, frame, len, 0);
		assert_false(rn_neigh_wants_tx(n));
	}
	rn_neigh_destroy(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_C28_two_find_each_other),
		cmocka_unit_test(questions_that_cannot_leave),
		cmocka_unit_test(silence_ends_in_failure),
		cmocka_unit_test(routes),
		cmocka_unit_test(static_entries_stay),
		cmocka_unit_test(unsolicited_arp_adds_no_entry),
		cmocka_unit_test(the_queue_of_answers_is_bounded),
		cmocka_unit_test(unsolicited_arp_starts_a_probe),
		cmocka_unit_test(old_entries_are_confirmed_while_in_use),
		cmocka_unit_test(a_full_table_gives_up_the_longest_unused),
		cmocka_unit_test(announces_and_reannounces),
		cmocka_unit_test(defends_its_addresses),
		cmocka_unit_test(echoes),
		cmocka_unit_test(nobody_answers_groups),
		cmocka_unit_test(wire_row_C28_answers_duplicate_address_detection),
		cmocka_unit_test(tagged_frames),
		cmocka_unit_test(survives_garbage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
