/* To whom the neighbour state machine (ARP and ND) sends each frame: to all hosts (broadcast or
 * multicast) or to a single host. Also: which recorded MACs a received message may change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/arp_msg.h"
#include "shard/core.h"
#include "wire/frame.h"
#include "wire/icmp_msg.h"
#include "wire/nd_msg.h"
#include "net/neigh_priv.h"

#define V4(a, b, c, d) ((struct rn_gid){{[10] = 0xff, 0xff, a, b, c, d}})
#define OWN4	       V4(192, 0, 2, 1)
#define PEER4	       V4(192, 0, 2, 9)
#define OWN6	       ((struct rn_gid){{0x20, 1, 0x0d, 0xb8, [13] = 0xab, [15] = 1}})
#define PEER6	       ((struct rn_gid){{0x20, 1, 0x0d, 0xb8, [13] = 0xcd, 0xef, 9}})

static const uint8_t to_all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		     to_nodes[6] = {0x33, 0x33, 0, 0, 0, 1},
		     to_peers[6] = {0x33, 0x33, 0xff, 0xcd, 0xef, 9},
		     peer_mac[6] = {2, 0, 0, 0, 0, 9};
static const struct rn_gid all_nodes = {{0xff, 2, [15] = 1}},
			   peers_group = {{0xff, 2, [11] = 1, [12] = 0xff, [13] = 0xcd, 0xef, 9}};

/* The IPv6 address comes first to show that the order of the port's addresses does not matter. */
static const struct rn_port_attr port = {.mac = {2, 0, 0, 0, 0, 1},
					 .mtu = 1500,
					 .ngids = 2,
					 .gids = {{{0x20, 1, 0x0d, 0xb8, [13] = 0xab, [15] = 1}},
						  {{[10] = 0xff, 0xff, 192, 0, 2, 1}}},
					 .prefix_len = {64, 24}};

/* Returns a neighbour state machine (ARP and ND) for `port`, configured for `probes` probes. */
static struct rn_neigh *machine_of(uint8_t probes)
{
	const struct rn_core_cfg cfg = {.max_neigh = 8,
					.neigh_retry = RN_MS(100),
					.neigh_reachable = RN_S(30),
					.neigh_probes = probes,
					.secrets = rn_secrets_of_seed(1)};
	struct rn_neigh *n = rn_neigh_create(&cfg, &port, 0);

	assert_non_null(n);
	return n;
}

static struct rn_neigh *machine(void)
{
	return machine_of(3);
}

/* Takes the next frame and checks its destination MAC. Also checks the destination address, unless
 * dst is NULL. Returns the parsed packet. */
static struct rn_pkt expect(struct rn_neigh *n, const uint8_t dmac[6], const struct rn_gid *dst,
			    rn_time now)
{
	static uint8_t frame[200];
	unsigned len = rn_neigh_tx(n, frame, sizeof(frame), now);
	struct rn_pkt pkt;

	assert_int_equal(rn_frame_parse(frame, len, &pkt), RN_V_OK);
	assert_memory_equal(pkt.dmac, dmac, 6);
	assert_memory_equal(pkt.smac, port.mac, 6);
	if (dst)
		assert_memory_equal(&pkt.dst, dst, 16);
	return pkt;
}

static void announcements(void **state)
{
	struct rn_neigh *n = machine();
	struct rn_pkt pkt;
	struct rn_arp arp;
	struct rn_nd nd;

	pkt = expect(n, to_nodes, &all_nodes, 0);
	assert_true(rn_nd_parse(&pkt.src, &pkt.dst, pkt.payload, pkt.payload_len, &nd));
	assert_true(nd.type == RN_ND_ADVERT && nd.override && !nd.solicited &&
		    rn_gid_equal(&nd.target, &OWN6));
	pkt = expect(n, to_all, NULL, 0);
	assert_true(rn_arp_parse(pkt.payload, pkt.payload_len, &arp));
	assert_true(rn_gid_equal(&arp.sender, &OWN4) && rn_gid_equal(&arp.target, &OWN4));
	assert_false(rn_neigh_wants_tx(n));
	rn_neigh_destroy(n);
}

/* The first ARP or ND request for an address is broadcast or multicast. Later probes go to the
 * known MAC first, and to all hosts when that MAC does not answer. */
static void questions(void **state)
{
	for (unsigned v6 = 0; v6 < 2; v6++) {
		const struct rn_gid peer = v6 ? PEER6 : PEER4, own = v6 ? OWN6 : OWN4;
		struct rn_neigh *n = machine();
		struct rn_pkt pkt;
		uint8_t mac[6];
		rn_time now = RN_S(1);

		while (rn_neigh_wants_tx(n))
			rn_neigh_tx(n, (uint8_t[200]){0}, 200, 0);
		assert_int_equal(rn_neigh_resolve(n, &own, &peer, mac, 0), RN_NEIGH_PENDING);
		expect(n, v6 ? to_peers : to_all, v6 ? &peers_group : NULL, 0);
		/* the advertisement that the peer would send */
		struct rn_nd nd = {.type = RN_ND_ADVERT,
				   .solicited = true,
				   .override = true,
				   .has_mac = true,
				   .target = peer};
		struct rn_arp arp = {.op = RN_ARP_REPLY, .sender = peer, .target = own};
		uint8_t body[64];

		memcpy(nd.mac, peer_mac, 6);
		memcpy(arp.sender_mac, peer_mac, 6);
		pkt = (struct rn_pkt){.kind = v6 ? RN_PKT_ND : RN_PKT_ARP,
				      .hop_limit = 255,
				      .payload = body,
				      .src = peer,
				      .dst = own};
		memcpy(pkt.smac, peer_mac, 6);
		if (v6)
			pkt.payload_len = (uint32_t)rn_nd_build(&peer, &own, &nd, body);
		else
			rn_arp_build(&arp, body), pkt.payload_len = RN_ARP_BYTES;
		assert_int_equal(rn_neigh_rx(n, &pkt, now), RN_V_OK);
		assert_int_equal(rn_neigh_resolve(n, &own, &peer, mac, now), RN_NEIGH_READY);
		/* the entry stays fresh for neigh_reachable, 30 s */
		assert_int_equal(rn_neigh_resolve(n, &own, &peer, mac, now + RN_S(30) - 1),
				 RN_NEIGH_READY);
		assert_false(rn_neigh_wants_tx(n));
		now += RN_S(30);
		assert_int_equal(rn_neigh_resolve(n, &own, &peer, mac, now), RN_NEIGH_READY);
		expect(n, peer_mac, v6 ? &peer : NULL, now);
		for (unsigned i = 0; i < 2; i++) {
			now += RN_MS(101);
			rn_neigh_tick(n, now);
			expect(n, v6 ? to_peers : to_all, v6 ? &peers_group : NULL, now);
		}
		assert_false(rn_neigh_wants_tx(n));
		rn_neigh_destroy(n);
	}
}

/* A request for any of our addresses is answered, unless its sender is one of our addresses. */
static void answers(void **state)
{
	struct rn_neigh *n = machine();
	struct rn_nd nd = {
		.type = RN_ND_SOLICIT, .has_mac = true, .mac = {2, 0, 0, 0, 0, 9}, .target = OWN6};
	struct rn_gid group, own = OWN6, peer = PEER6;
	uint8_t body[64];
	struct rn_pkt pkt = {.kind = RN_PKT_ND, .hop_limit = 255, .payload = body, .src = PEER6};

	while (rn_neigh_wants_tx(n))
		rn_neigh_tx(n, (uint8_t[200]){0}, 200, 0);
	rn_nd_solicited_node(&own, &group);
	pkt.dst = group;
	pkt.src = own; /* our own solicitation, looped back, is not answered */
	pkt.payload_len = (uint32_t)rn_nd_build(&pkt.src, &group, &nd, body);
	assert_int_equal(rn_neigh_rx(n, &pkt, 0), RN_V_OK);
	assert_false(rn_neigh_wants_tx(n));
	pkt.src = peer;
	pkt.payload_len = (uint32_t)rn_nd_build(&pkt.src, &group, &nd, body);
	assert_int_equal(rn_neigh_rx(n, &pkt, 0), RN_V_OK);
	pkt = expect(n, peer_mac, &peer, 0);
	assert_true(rn_nd_parse(&pkt.src, &pkt.dst, pkt.payload, pkt.payload_len, &nd));
	assert_true(nd.type == RN_ND_ADVERT && nd.override && nd.solicited &&
		    rn_gid_equal(&nd.target, &own));
	rn_neigh_destroy(n);
}

/* Sends the pending frames, then delivers an echo request of the peer with len bytes of data.
 * Returns the length of the ICMP message. */
static uint32_t inject_echo(struct rn_neigh *n, bool ipv4, uint32_t len)
{
	static uint8_t body[RN_NEIGH_ECHO_BYTES + RN_ICMP_ECHO_HDR], data[RN_NEIGH_ECHO_BYTES];
	const struct rn_gid own = ipv4 ? OWN4 : OWN6, peer = ipv4 ? PEER4 : PEER6;
	const struct rn_icmp_echo echo = {.id = 1, .data = data, .data_len = len};
	struct rn_pkt pkt = {.kind = RN_PKT_ICMP,
			     .ipv4 = ipv4,
			     .hop_limit = 64,
			     .src = peer,
			     .dst = own,
			     .payload = body};

	while (rn_neigh_wants_tx(n))
		rn_neigh_tx(n, (uint8_t[200]){0}, 200, 0);
	memcpy(pkt.smac, peer_mac, 6);
	pkt.payload_len =
		(uint32_t)rn_icmp_echo_build(ipv4, &peer, &own, &echo, body, sizeof(body));
	assert_int_equal(pkt.payload_len, RN_ICMP_ECHO_HDR + len);
	assert_int_equal(rn_neigh_rx(n, &pkt, 0), RN_V_OK);
	return pkt.payload_len;
}

/* Echo requests are answered if a VLAN tag and an IPv6 header also fit into the reply buffer. A
 * longer echo request is counted as dropped. */
static void longest_echo(void **state)
{
	enum { MOST = RN_NEIGH_ECHO_BYTES - 14 - 4 - 40 };
	static uint8_t frame[RN_NEIGH_ECHO_BYTES];

	for (uint32_t len = MOST; len <= MOST + 1; len++) {
		struct rn_neigh *n = machine();

		inject_echo(n, false, len - RN_ICMP_ECHO_HDR);
		assert_int_equal(rn_neigh_tx(n, frame, sizeof(frame), 0),
				 len == MOST ? 14 + 40 + MOST : 0);
		assert_int_equal(rn_neigh_dropped(n), len != MOST);
		rn_neigh_destroy(n);
	}
}

/* The reply to an IPv4 echo request has the DF flag. So the reply's IP identification, always 0,
 * need not be unique (RFC 6864 4.1). */
static void an_ipv4_echo_reply_is_not_fragmented(void **state)
{
	struct rn_neigh *n = machine();
	uint32_t len = inject_echo(n, true, 32);
	uint8_t frame[200];

	assert_int_equal(rn_neigh_tx(n, frame, sizeof(frame), 0), 14 + 20 + len);
	assert_int_equal(frame[14 + 6], 0x40);
	assert_int_equal(frame[14 + 7], 0);
	rn_neigh_destroy(n);
}

/* rn_neigh_tx() needs a buffer for the longest ARP or ND frame: 90 bytes, with a VLAN tag and an
 * option. With a smaller buffer rn_neigh_tx() sends nothing, and the frames stay queued. */
static void room(void **state)
{
	struct rn_neigh *n = machine();
	uint8_t frame[200];

	assert_int_equal(rn_neigh_tx(n, frame, 89, 0), 0);
	assert_int_equal(rn_neigh_tx(n, frame, 90, 0), 86);
	assert_true(rn_neigh_wants_tx(n));
	rn_neigh_destroy(n);
}

/* Which addresses are groups, and to which MAC each group maps. */
static void addresses_of_groups(void **state)
{
	static const struct {
		struct rn_gid dst;
		bool group;
		uint8_t mac[6];
	} rows[] = {
		{{{[10] = 0xff, 0xff, 255, 255, 255, 255}},
		 true,
		 {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{{{[10] = 0xff, 0xff, 255, 255, 255, 254}}, false, {0}},
		{{{[10] = 0xff, 0xff, 254, 255, 255, 255}}, false, {0}},
		{{{[10] = 0xff, 0xff, 240, 0, 0, 1}}, false, {0}},
		{{{[10] = 0xff, 0xff, 239, 255, 255, 255}}, true, {1, 0, 0x5e, 0x7f, 0xff, 0xff}},
		{{{[10] = 0xff, 0xff, 224, 128, 0, 1}}, true, {1, 0, 0x5e, 0, 0, 1}},
		{{{[10] = 0xff, 0xff, 223, 255, 255, 255}}, false, {0}},
		{{{0xff, 0x0e, [12] = 1, 2, 3, 4}}, true, {0x33, 0x33, 1, 2, 3, 4}},
		{{{0xfe, 0xff, [15] = 4}}, false, {0}},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_neigh *n = machine();
		uint8_t mac[6];

		/* Without a gateway only groups and addresses of the local network can be
		 * resolved. */
		assert_int_equal(rn_neigh_resolve(n, rn_gid_is_ipv4(&rows[i].dst) ? &OWN4 : &OWN6,
						  &rows[i].dst, mac, 0),
				 rows[i].group ? RN_NEIGH_READY : RN_NEIGH_FAILED);
		if (rows[i].group)
			assert_memory_equal(mac, rows[i].mac, 6);
		rn_neigh_destroy(n);
	}
}

static void answer4(struct rn_neigh *n, const uint8_t mac[6], rn_time now)
{
	struct rn_arp arp = {.op = RN_ARP_REPLY, .sender = PEER4, .target = OWN4};
	uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 8, 6};
	struct rn_pkt pkt;

	memcpy(arp.sender_mac, mac, 6);
	rn_arp_build(&arp, frame + 14);
	assert_int_equal(rn_frame_parse(frame, sizeof(frame), &pkt), RN_V_OK);
	assert_int_equal(rn_neigh_rx(n, &pkt, now), RN_V_OK);
}

/* rn_neigh_probe() is called when a peer has stopped answering a QP. The function broadcasts a new
 * request for the peer's MAC, at most once per neigh_retry. */
static void doubts(void **state)
{
	static const uint8_t wrong[6] = {2, 0, 0, 0, 0x20, 9};
	struct rn_neigh *n = machine();
	rn_time now = RN_S(1);
	uint8_t mac[6], none[200];

	while (rn_neigh_tx(n, none, sizeof(none), 0))
		;
	rn_neigh_probe(n, &PEER4, now); /* no effect: the address has no entry */
	assert_false(rn_neigh_wants_tx(n));
	assert_int_equal(rn_neigh_resolve(n, &OWN4, &PEER4, mac, now), RN_NEIGH_PENDING);
	expect(n, to_all, NULL, now);
	rn_neigh_probe(n, &PEER4, now); /* no effect: the first request is still unanswered */
	assert_false(rn_neigh_wants_tx(n));
	answer4(n, wrong, now);
	/* no effect: the peer answered less than neigh_retry ago */
	rn_neigh_probe(n, &PEER4, now + RN_MS(100) - 1);
	assert_false(rn_neigh_wants_tx(n));
	now += RN_MS(100);
	rn_neigh_probe(n, &PEER4, now);
	rn_neigh_probe(n, &PEER4, now);
	expect(n, to_all, NULL, now);
	assert_false(rn_neigh_wants_tx(n));
	assert_int_equal(rn_neigh_resolve(n, &OWN4, &PEER4, mac, now), RN_NEIGH_READY);
	assert_memory_equal(mac, wrong, 6);
	answer4(n, peer_mac, now);
	assert_int_equal(rn_neigh_resolve(n, &OWN4, &PEER4, mac, now), RN_NEIGH_READY);
	assert_memory_equal(mac, peer_mac, 6);
	assert_true(rn_neigh_next(n) == RN_TIME_NEVER);
	rn_neigh_destroy(n);
}

/* ---- another MAC for an address in use ---- */

enum message { REPLY, GRATUITOUS, REQUEST, ADVERT, SOLICITED_ADVERT, SOLICIT, MESSAGES };

static bool is_nd(enum message kind)
{
	return kind >= ADVERT;
}

/* Delivers an ARP or ND message that seems to come from the peer and gives `mac` as its MAC. */
static void claim(struct rn_neigh *n, enum message kind, const uint8_t mac[6], rn_time now)
{
	struct rn_arp arp = {.op = kind == REPLY ? RN_ARP_REPLY : RN_ARP_REQUEST,
			     .sender = PEER4,
			     .target = kind == GRATUITOUS ? PEER4 : OWN4};
	struct rn_nd nd = {.type = kind == SOLICIT ? RN_ND_SOLICIT : RN_ND_ADVERT,
			   .solicited = kind == SOLICITED_ADVERT,
			   .override = kind != SOLICIT,
			   .has_mac = true,
			   .target = kind == SOLICIT ? OWN6 : PEER6};
	struct rn_gid src = PEER6, dst = kind == ADVERT ? all_nodes : OWN6;
	uint8_t body[64];
	struct rn_pkt pkt = {.kind = is_nd(kind) ? RN_PKT_ND : RN_PKT_ARP,
			     .hop_limit = 255,
			     .payload = body,
			     .payload_len = RN_ARP_BYTES,
			     .src = src,
			     .dst = dst};

	memcpy(arp.sender_mac, mac, 6);
	memcpy(nd.mac, mac, 6);
	memcpy(pkt.smac, mac, 6);
	if (is_nd(kind))
		pkt.payload_len = (uint32_t)rn_nd_build(&src, &dst, &nd, body);
	else
		rn_arp_build(&arp, body);
	assert_int_equal(rn_neigh_rx(n, &pkt, now), RN_V_OK);
}

static void expect_mac(struct rn_neigh *n, enum message kind, const uint8_t want[6], rn_time now)
{
	const struct rn_gid *own = is_nd(kind) ? &OWN6 : &OWN4,
			    *peer = is_nd(kind) ? &PEER6 : &PEER4;
	uint8_t mac[6];

	assert_int_equal(rn_neigh_resolve(n, own, peer, mac, now), RN_NEIGH_READY);
	assert_memory_equal(mac, want, 6);
}

/* Takes all queued frames. Adds to *direct the number of requests sent to the peer's MAC, and to
 * *open the number of requests sent to all hosts. */
static void count_questions(struct rn_neigh *n, rn_time now, unsigned *direct, unsigned *open)
{
	uint8_t frame[200];

	while (rn_neigh_tx(n, frame, sizeof(frame), now)) {
		*direct += memcmp(frame, peer_mac, 6) == 0;
		*open += memcmp(frame, to_all, 6) == 0 || memcmp(frame, to_peers, 6) == 0;
	}
}

/* Delivers an ARP reply or a solicited advertisement that gives `mac` as the peer's MAC. */
static void answer_as(struct rn_neigh *n, enum message kind, const uint8_t mac[6], rn_time now)
{
	claim(n, is_nd(kind) ? SOLICITED_ADVERT : REPLY, mac, now);
}

static const uint8_t other_mac[6] = {2, 0, 0, 0, 0, 0x66};

static struct rn_neigh *machine_that_knows_the_peer(enum message kind, rn_time now)
{
	struct rn_neigh *n = machine();
	unsigned none = 0;
	uint8_t mac[6];

	assert_int_equal(rn_neigh_resolve(n, is_nd(kind) ? &OWN6 : &OWN4,
					  is_nd(kind) ? &PEER6 : &PEER4, mac, now),
			 RN_NEIGH_PENDING);
	answer_as(n, kind, peer_mac, now);
	count_questions(n, now, &none, &none);
	expect_mac(n, kind, peer_mac, now);
	return n;
}

/* A message gives another MAC for the peer. The known MAC is then probed, and stays in the entry
 * while the peer answers from there. */
static void a_claim_is_verified_with_the_peer(void **state)
{
	for (enum message kind = 0; kind < MESSAGES; kind++) {
		rn_time now = RN_S(1);
		struct rn_neigh *n = machine_that_knows_the_peer(kind, now);

		for (unsigned round = 0; round < 3; round++) {
			unsigned direct = 0, open = 0;

			claim(n, kind, other_mac, now);
			claim(n, kind, other_mac, now);
			expect_mac(n, kind, peer_mac, now);
			count_questions(n, now, &direct, &open);
			assert_true(direct >= 1 && open == 0);
			/* while the known MAC is probed, an answer from another MAC is ignored */
			answer_as(n, kind, other_mac, now);
			expect_mac(n, kind, peer_mac, now);
			answer_as(n, kind, peer_mac, now);
			assert_true(rn_neigh_next(n) == RN_TIME_NEVER);
			now += RN_S(1);
		}
		rn_neigh_destroy(n);
	}
}

/* Even when one probe is configured, the known MAC is probed before all hosts are asked. */
static void one_probe_is_not_enough_to_verify(void **state)
{
	struct rn_neigh *n = machine_of(1);
	unsigned direct = 0, open = 0;

	assert_int_equal(rn_neigh_resolve(n, &OWN4, &PEER4, (uint8_t[6]){0}, 0), RN_NEIGH_PENDING);
	answer_as(n, REPLY, peer_mac, 0);
	count_questions(n, 0, &open, &open);
	open = 0;
	claim(n, GRATUITOUS, other_mac, 0);
	count_questions(n, 0, &direct, &open);
	assert_true(direct == 1 && open == 0);
	rn_neigh_tick(n, RN_MS(101));
	count_questions(n, RN_MS(101), &direct, &open);
	assert_true(direct == 1 && open == 1);
	rn_neigh_destroy(n);
}

/* A peer has moved to another MAC. Probes of the old MAC get no answer; a later request to all
 * hosts is answered from the new MAC. The old MAC is probed twice here (three times by default),
 * with one neigh_retry between probes. */
static void a_claim_of_a_peer_that_moved_is_taken(void **state)
{
	for (enum message kind = 0; kind < MESSAGES; kind++) {
		rn_time now = RN_S(1), start = now;
		struct rn_neigh *n = machine_that_knows_the_peer(kind, now);
		unsigned direct = 0, open = 0;

		claim(n, kind, other_mac, now);
		while (open == 0 && now < start + RN_S(1)) {
			count_questions(n, now, &direct, &open);
			expect_mac(n, kind, peer_mac, now);
			if (open)
				break;
			now += RN_MS(1);
			rn_neigh_tick(n, now);
		}
		assert_int_equal(direct, 2);
		assert_in_range(now - start, RN_MS(200), RN_MS(203));
		answer_as(n, kind, other_mac, now);
		expect_mac(n, kind, other_mac, now);
		assert_true(rn_neigh_next(n) == RN_TIME_NEVER);
		rn_neigh_destroy(n);
	}
}

/* A static entry is never probed. */
static void certainties(void **state)
{
	const struct rn_static_neigh given = {.addr = PEER4, .mac = {2, 0, 0, 0, 0, 9}};
	const struct rn_core_cfg cfg = {.max_neigh = 8,
					.neigh_retry = RN_MS(100),
					.neigh_reachable = RN_S(30),
					.neigh_probes = 3,
					.secrets = rn_secrets_of_seed(1),
					.static_neigh = &given,
					.nstatic_neigh = 1};
	struct rn_neigh *n = rn_neigh_create(&cfg, &port, 0);
	uint8_t buf[200];

	while (rn_neigh_tx(n, buf, sizeof(buf), 0))
		;
	rn_neigh_probe(n, &PEER4, RN_S(100));
	/* an address that cannot be reached without a gateway is not probed either */
	rn_neigh_probe(n, &V4(198, 51, 100, 1), RN_S(100));
	assert_false(rn_neigh_wants_tx(n));
	rn_neigh_destroy(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(announcements),
		cmocka_unit_test(questions),
		cmocka_unit_test(answers),
		cmocka_unit_test(longest_echo),
		cmocka_unit_test(an_ipv4_echo_reply_is_not_fragmented),
		cmocka_unit_test(room),
		cmocka_unit_test(addresses_of_groups),
		cmocka_unit_test(doubts),
		cmocka_unit_test(a_claim_is_verified_with_the_peer),
		cmocka_unit_test(one_probe_is_not_enough_to_verify),
		cmocka_unit_test(a_claim_of_a_peer_that_moved_is_taken),
		cmocka_unit_test(certainties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
