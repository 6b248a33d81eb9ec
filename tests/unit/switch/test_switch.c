/* Where data go: by QPN and group; what a client may not send; ARP and neighbour discovery; and the
 * numbers of clients. */
#include <errno.h>

#include "bench.h"
#include "wire/arp_msg.h"
#include "wire/hdr.h"
#include "wire/nd_msg.h"

#define RC_SEND 0x04
#define UD_SEND 0x64
#define CNP	0x81

/* ---- data from the wire ---- */

static void data_goes_to_the_client_of_its_qpn(void **state)
{
	static const unsigned clients[] = {1, 2, 200, RN_CLIENT_MAX};
	struct bench b;

	bench_start(&b);
	for (unsigned i = 0; i < 4; i++)
		bench_attach(&b, clients[i]);
	for (unsigned i = 0; i < 4; i++) {
		struct rn_pkt p = packet(PEER, OWN, i & 1 ? CNP : RC_SEND, qpn_of(clients[i], i));

		assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_TO_QP);
		assert_int_equal(b.way.client, clients[i]);
		assert_false(b.way.wire);
		assert_null(b.way.clients);
	}
	assert_int_equal(rn_switch_count(b.sw, RN_SWITCH_WIRE, RN_OUT_TO_QP), 4);
	bench_stop(&b);
}

static void data_without_a_client_is_dropped(void **state)
{
	static const uint32_t qpns[] = {0, 16, 0x030100, 0xFF0000, 0xFFFFFE};
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	for (unsigned i = 0; i < 5; i++) {
		struct rn_pkt p = packet(PEER, OWN, RC_SEND, qpns[i]);

		assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NO_QP);
		assert_int_equal(b.way.client, 0);
	}
	/* the client has gone */
	rn_switch_detach(b.sw, 1, b.now);
	struct rn_pkt p = packet(PEER, OWN, RC_SEND, qpn_of(1, 0));
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NO_QP);
	bench_stop(&b);
}

static void frames_for_others_are_dropped(void **state)
{
	struct bench b;
	struct rn_pkt p;

	bench_start(&b);
	bench_attach(&b, 1);
	p = packet(PEER, OWN, RC_SEND, qpn_of(1, 0));
	p.dmac[5]++;
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NOT_OURS);
	p = packet(PEER, OWN, RC_SEND, qpn_of(1, 0));
	p.dst = host_gid(99, false);
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NOT_OURS);
	p = packet(PEER, OWN, RC_SEND, qpn_of(1, 0));
	p.has_vlan = true;
	p.vlan_tci = 5;
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NOT_OURS);
	p = packet(PEER, OWN, RC_SEND, qpn_of(1, 0));
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_TO_QP);
	/* addresses of the port never come from the wire */
	p.src = host_gid(OWN, false);
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NOT_OURS);
	p = packet(PEER, OWN, RC_SEND, qpn_of(1, 0));
	give(&b, RN_SWITCH_WIRE, &p);
	for (unsigned len = 0; len < 54; len++)
		assert_int_not_equal(rn_outcomes[give_bytes(&b, RN_SWITCH_WIRE, b.frame, len)].kind,
				     RN_OUTCOME_FORWARD);
	bench_stop(&b);
}

static void a_switch_on_a_vlan_takes_that_vlan_alone(void **state)
{
	struct bench b;
	struct rn_pkt p;

	bench_start(&b);
	b.cfg.port.has_vlan = true;
	b.cfg.port.vlan_tci = 0x2007;
	bench_again(&b);
	bench_attach(&b, 1);
	for (unsigned from = 0; from < 2; from++) {
		p = from ? packet(OWN, PEER, RC_SEND, 77)
			 : packet(PEER, OWN, RC_SEND, qpn_of(1, 0));
		p.has_vlan = true;
		p.vlan_tci = 0x6007; /* another priority */
		assert_int_equal(rn_outcomes[give(&b, from, &p)].kind, RN_OUTCOME_FORWARD);
		p.vlan_tci = 8;
		assert_int_equal(give(&b, from, &p), from ? RN_OUT_CLIENT_VLAN : RN_OUT_NOT_OURS);
		p.has_vlan = false;
		assert_int_equal(give(&b, from, &p), from ? RN_OUT_CLIENT_VLAN : RN_OUT_NOT_OURS);
	}
	bench_stop(&b);
}

/* ---- data from clients ---- */

static void data_of_clients_goes_out_or_stays_inside(void **state)
{
	struct bench b;
	struct rn_pkt p;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	p = packet(OWN, PEER, RC_SEND, 77);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
	assert_true(b.way.wire);
	assert_int_equal(b.way.client, 0);
	/* to another client, and to a QP of its own */
	for (unsigned to = 1; to <= 2; to++) {
		p = packet(OWN, OWN, RC_SEND, qpn_of(to, 3));
		assert_int_equal(give(&b, 1, &p), RN_OUT_TO_QP);
		assert_int_equal(b.way.client, to);
		assert_false(b.way.wire);
	}
	/* to a client that does not exist: nothing of this reaches the wire */
	p = packet(OWN, OWN, RC_SEND, qpn_of(3, 3));
	assert_int_equal(give(&b, 1, &p), RN_OUT_NO_QP);
	assert_false(b.way.wire);
	bench_stop(&b);
}

static void a_client_cannot_pretend_to_be_another(void **state)
{
	struct bench b;
	struct rn_pkt p;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	p = packet(OWN, PEER, RC_SEND, 77);
	p.smac[5]++;
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_MAC);
	p = packet(OWN, PEER, RC_SEND, 77);
	p.src = host_gid(99, false);
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_ADDRESS);
	/* another address of the port is no lie */
	p = packet(OWN, PEER, RC_SEND, 77);
	p.ipv4 = false;
	p.src = host_gid(OWN, true);
	p.dst = host_gid(PEER, true);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
	p = packet(OWN, PEER, UD_SEND, 77);
	p.src_qpn = qpn_of(2, 0);
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_QPN);
	p.src_qpn = qpn_of(1, 0);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
	/* the MAC and the IP address name different receivers */
	p = packet(OWN, PEER, RC_SEND, 77);
	memcpy(p.dmac, b.cfg.port.mac, 6);
	assert_int_equal(give(&b, 1, &p), RN_OUT_NOT_OURS);
	p = packet(OWN, OWN, RC_SEND, qpn_of(2, 0));
	p.dmac[5] = PEER;
	assert_int_equal(give(&b, 1, &p), RN_OUT_NOT_OURS);
	/* the QPN of groups with the address of a host */
	p = packet(OWN, OWN, UD_SEND, RN_MCAST_QPN);
	p.src_qpn = qpn_of(1, 0);
	assert_int_equal(give(&b, 1, &p), RN_OUT_NOT_OURS);
	assert_false(b.way.wire);
	bench_stop(&b);
}

static void a_strict_switch_wants_a_connection(void **state)
{
	struct bench b;
	struct rn_pkt p;

	bench_start(&b);
	b.cfg.strict = true;
	bench_again(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	p = packet(OWN, PEER, RC_SEND, qpn_of(0, 5));
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_PAIR);
	connect_out(&b, 1, 5);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
	/* the connection is that of client 1, and leads to this QPN at this address */
	assert_int_equal(give(&b, 2, &p), RN_OUT_CLIENT_PAIR);
	p.dest_qpn++;
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_PAIR);
	p = packet(OWN, PEER + 1, RC_SEND, qpn_of(0, 5));
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_PAIR);
	/* a pair that the client announces */
	struct rn_track_claim claim = {
		.state = RN_TRACK_PAIR,
		.local_qpn = qpn_of(1, 1),
		.remote_qpn = qpn_of(0, 5),
		.way = {.src = host_gid(OWN, false), .dst = host_gid(PEER + 1, false)}};
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, b.now), 0);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
	assert_int_equal(rn_switch_unclaim(b.sw, 1, qpn_of(0, 5), &claim.way.dst), 0);
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_PAIR);
	/* a QP that is connected with another client */
	connect_out(&b, 2, 8);
	claim.remote_qpn = qpn_of(0, 8);
	claim.way.dst = host_gid(PEER, false);
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, b.now), -EPERM);
	/* announcing what belongs to others */
	claim.local_qpn = qpn_of(2, 1);
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, b.now), -EPERM);
	claim.local_qpn = qpn_of(1, 1);
	claim.local_id = id_of(2, 1);
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, b.now), -EPERM);
	claim.local_id = id_of(1, 1);
	claim.way.src = host_gid(9, false);
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, b.now), -EADDRNOTAVAIL);
	assert_int_equal(rn_switch_claim(b.sw, 3, &claim, b.now), -ENOENT);
	bench_stop(&b);
}

static struct rn_pkt group_packet(unsigned from, const struct rn_gid *group)
{
	struct rn_pkt p = packet(from, 0, UD_SEND, RN_MCAST_QPN);

	p.dst = *group;
	p.dmac[0] = 1;
	p.dmac[2] = 0x5e;
	p.src_qpn = from == OWN ? qpn_of(1, 0) : 77;
	return p;
}

/* Datagrams name their sender, so a strict switch lets them go anywhere. What is no known datagram
 * counts as a packet of a connection. */
static void a_strict_switch_lets_datagrams_pass(void **state)
{
	/* RC, UC, RD, reserved UD opcodes, CNP, XRC, and those of manufacturers */
	static const uint8_t bound[] = {0x04, 0x00, 0x11, 0x0C, 0x24, 0x2A, 0x44,
					0x60, 0x66, 0x7F, 0x81, 0xA4, 0xC0, 0xFF};
	static const uint8_t datagrams[] = {UD_SEND, UD_SEND + 1};
	const struct rn_gid group = {{[10] = 0xff, 0xff, 239, 1, 2, 3}};
	struct bench b;
	struct rn_pkt p;

	bench_start(&b);
	b.cfg.strict = true;
	bench_again(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	for (unsigned i = 0; i < 2; i++) {
		p = packet(OWN, PEER, datagrams[i], qpn_of(0, 5));
		p.src_qpn = qpn_of(1, 0);
		assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
		p.src_qpn = qpn_of(2, 0);
		assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_QPN);
		p = packet(OWN, OWN, datagrams[i], qpn_of(2, 5));
		p.src_qpn = qpn_of(1, 0);
		assert_int_equal(give(&b, 1, &p), RN_OUT_TO_QP);
	}
	p = group_packet(OWN, &group);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_GROUP);
	p = packet(OWN, PEER, UD_SEND, qpn_of(0, 5));
	p.src_qpn = qpn_of(1, 0);
	give(&b, 1, &p);
	for (unsigned i = 0; i < sizeof(bound); i++) {
		b.frame[14 + 20 + 8] = bound[i]; /* the opcode, behind Ethernet, IPv4 and UDP */
		assert_int_equal(give_bytes(&b, 1, b.frame, b.len), RN_OUT_CLIENT_PAIR);
		assert_false(b.way.wire);
	}
	bench_stop(&b);
}

static struct rn_track_claim claim_of(unsigned client, unsigned n, enum rn_track_state state)
{
	bool pair = state == RN_TRACK_PAIR;

	return (struct rn_track_claim){
		.state = state,
		.local_id = pair ? 0 : id_of(client, n),
		.remote_id = pair ? 0 : id_of(0, n),
		.local_qpn = qpn_of(client, n),
		.remote_qpn = qpn_of(0, n),
		.way = {.src = host_gid(OWN, false), .dst = host_gid(PEER, false)}};
}

/* A client announces the peers of all its QPs. Those of its connections are known already, and a
 * pair changes nothing about them. */
static void a_pair_does_not_replace_a_connection(void **state)
{
	const struct rn_gid peer = host_gid(PEER, false);

	for (unsigned pair_first = 0; pair_first < 2; pair_first++) {
		struct rn_track_claim pair = claim_of(1, 5, RN_TRACK_PAIR);
		struct rn_track_claim up = claim_of(1, 5, RN_TRACK_UP);
		struct bench b;
		struct rn_cm_msg m;
		struct rn_pkt p;

		bench_start(&b);
		b.cfg.strict = true;
		bench_again(&b);
		bench_attach(&b, 1);
		assert_int_equal(rn_switch_claim(b.sw, 1, pair_first ? &pair : &up, 0), 0);
		assert_int_equal(rn_switch_claim(b.sw, 1, pair_first ? &up : &pair, 0), 0);
		assert_int_equal(rn_switch_connections(b.sw, 1), 1 + pair_first);
		/* the end of the pair is not that of the connection */
		assert_int_equal(rn_switch_unclaim(b.sw, 1, qpn_of(0, 5), &peer),
				 pair_first ? 0 : -ENOENT);
		p = packet(OWN, PEER, RC_SEND, qpn_of(0, 5));
		assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
		rn_switch_detach(b.sw, 1, b.now);
		assert_true(take(&b, &p, &m));
		assert_int_equal(m.attr, RN_CM_DREQ);
		bench_stop(&b);
	}
}

/* The pair of a client does not hide a connection of another from the check of claims, whichever
 * came first. */
static void a_pair_hides_no_connection(void **state)
{
	for (unsigned pair_first = 0; pair_first < 2; pair_first++) {
		const struct rn_track_claim pair = claim_of(2, 5, RN_TRACK_PAIR);
		const struct rn_track_claim late = claim_of(1, 5, RN_TRACK_PAIR);
		struct bench b;

		bench_start(&b);
		for (unsigned client = 1; client <= 3; client++)
			bench_attach(&b, client);
		if (pair_first)
			assert_int_equal(rn_switch_claim(b.sw, 2, &pair, b.now), 0);
		connect_out(&b, 3, 5);
		if (!pair_first)
			assert_int_equal(rn_switch_claim(b.sw, 2, &pair, b.now), -EPERM);
		assert_int_equal(rn_switch_claim(b.sw, 1, &late, b.now), -EPERM);
		bench_stop(&b);
	}
}

/* Only a client that has just come back has connections whose messages the switch has not seen. */
static void connections_are_claimed_after_a_restart_only(void **state)
{
	struct rn_track_claim claim;
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1); /* at 0 s */
	bench_listen(&b, 1);
	for (unsigned i = RN_TRACK_FREE + 1; i < RN_TRACK_STATES; i++) {
		claim = claim_of(1, i, (enum rn_track_state)i);
		claim.service_id = SERVICE;
		assert_int_equal(rn_switch_claim(b.sw, 1, &claim, b.cfg.grace - 1), 0);
		claim = claim_of(1, 20 + i, (enum rn_track_state)i);
		claim.service_id = SERVICE;
		assert_int_equal(rn_switch_claim(b.sw, 1, &claim, b.cfg.grace),
				 i == RN_TRACK_PAIR ? 0 : -EPERM);
	}
	/* a new client, also in place of one that may claim */
	rn_switch_detach(b.sw, 1, 0);
	int number = rn_switch_attach(b.sw, b.now);
	assert_in_range(number, 1, RN_CLIENT_MAX);
	claim = claim_of((unsigned)number, 1, RN_TRACK_UP);
	assert_int_equal(rn_switch_claim(b.sw, (unsigned)number, &claim, b.now), -EPERM);
	assert_int_equal(rn_switch_claim(b.sw, (unsigned)number, &claim, 0), -EPERM);
	claim = claim_of((unsigned)number, 1, RN_TRACK_PAIR);
	assert_int_equal(rn_switch_claim(b.sw, (unsigned)number, &claim, b.now), 0);
	bench_stop(&b);
}

/* A client has claimed a QP of a peer before the CM connects it with another client. */
static void the_cm_ends_claims_of_others(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		bool in = i & 1;
		struct rn_track_claim claim = claim_of(2, 5, i & 2 ? RN_TRACK_UP : RN_TRACK_PAIR);
		struct rn_pkt p = packet(OWN, PEER, RC_SEND, qpn_of(0, 5));
		struct bench b;

		claim.remote_id = i & 2 ? id_of(0, 6) : 0;
		bench_start(&b);
		b.cfg.strict = true;
		bench_again(&b);
		bench_attach(&b, 1);
		bench_attach(&b, 2);
		bench_listen(&b, 1);
		assert_int_equal(rn_switch_claim(b.sw, 2, &claim, 0), 0);
		assert_int_equal(give(&b, 2, &p), RN_OUT_TO_WIRE);
		(in ? connect_in : connect_out)(&b, 1, 5);
		assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
		assert_int_equal(give(&b, 2, &p), RN_OUT_CLIENT_PAIR);
		assert_int_equal(rn_switch_connections(b.sw, 2), 0);
		assert_int_equal(rn_switch_claim(b.sw, 2, &claim, 0), -EPERM);
		bench_stop(&b);
	}
}

/* A client does not lose what it has claimed itself, nor what the CM has connected. */
static void the_cm_ends_nothing_else(void **state)
{
	const struct rn_track_claim pair = claim_of(1, 5, RN_TRACK_PAIR);
	struct rn_track_claim sent = claim_of(2, 5, RN_TRACK_REQ_SENT);
	const struct rn_cm_msg second = rep(id_of(0, 5), id_of(2, 5), qpn_of(0, 5));
	struct rn_pkt p = packet(OWN, PEER, RC_SEND, qpn_of(0, 5));
	struct bench b;

	bench_start(&b);
	b.cfg.strict = true;
	bench_again(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	assert_int_equal(rn_switch_claim(b.sw, 1, &pair, 0), 0);
	connect_out(&b, 1, 5);
	assert_int_equal(rn_switch_connections(b.sw, 1), 2);
	rn_switch_detach(b.sw, 1, 0);
	/* the request was claimed, but the answer has shown the pair */
	bench_again(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	assert_int_equal(rn_switch_claim(b.sw, 2, &sent, 0), 0);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &second), RN_OUT_TO_ID);
	connect_out(&b, 1, 5);
	assert_int_equal(give(&b, 2, &p), RN_OUT_TO_WIRE);
	bench_stop(&b);
}

/* After a restart a client may announce the QP of another client's connection as a pair first. */
static void a_claimed_connection_ends_pairs_of_others(void **state)
{
	const struct rn_track_claim pair = claim_of(2, 5, RN_TRACK_PAIR);
	const struct rn_track_claim up = claim_of(1, 5, RN_TRACK_UP);
	struct rn_pkt p = packet(OWN, PEER, RC_SEND, qpn_of(0, 5));
	struct bench b;

	bench_start(&b);
	b.cfg.strict = true;
	bench_again(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	assert_int_equal(rn_switch_claim(b.sw, 2, &pair, 0), 0);
	assert_int_equal(give(&b, 2, &p), RN_OUT_TO_WIRE);
	assert_int_equal(rn_switch_claim(b.sw, 1, &up, 0), 0);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_WIRE);
	assert_int_equal(give(&b, 2, &p), RN_OUT_CLIENT_PAIR);
	bench_stop(&b);
}

/* ---- groups ---- */

static void multicast_goes_to_members(void **state)
{
	const struct rn_gid group = {{[10] = 0xff, 0xff, 239, 1, 2, 3}};
	struct bench b;
	struct rn_pkt p;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	bench_attach(&b, 3);
	p = group_packet(PEER, &group);
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NO_MEMBER);
	assert_int_equal(rn_switch_join(b.sw, 1, &group), 0);
	assert_int_equal(rn_switch_join(b.sw, 2, &group), 0);
	assert_int_equal(rn_switch_join(b.sw, 9, &group), -ENOENT);
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_TO_GROUP);
	assert_false(b.way.wire);
	assert_true(rn_client_set_has(b.way.clients, 1) && rn_client_set_has(b.way.clients, 2));
	assert_false(rn_client_set_has(b.way.clients, 3));
	/* from a member: to the wire and to the other members */
	p = group_packet(OWN, &group);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_GROUP);
	assert_true(b.way.wire);
	assert_false(rn_client_set_has(b.way.clients, 1));
	assert_true(rn_client_set_has(b.way.clients, 2));
	assert_int_equal(rn_switch_leave(b.sw, 2, &group), 0);
	assert_int_equal(give(&b, 1, &p), RN_OUT_TO_GROUP);
	assert_true(b.way.wire);
	assert_null(b.way.clients);
	/* a dead member is no member */
	rn_switch_detach(b.sw, 1, b.now);
	p = group_packet(PEER, &group);
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NO_MEMBER);
	bench_stop(&b);
}

/* ---- neighbours ---- */

static enum rn_outcome give_arp(struct bench *b, unsigned from, uint16_t op, unsigned sender,
				unsigned target, bool broadcast)
{
	struct rn_arp arp = {.op = op,
			     .sender_mac = {2, 0, 0, 0, 0, (uint8_t)sender},
			     .sender = host_gid(sender, false),
			     .target = host_gid(target, false)};
	uint8_t frame[60] = {0};

	memset(frame, 0xff, 6);
	if (!broadcast)
		memcpy(frame, (uint8_t[]){2, 0, 0, 0, 0, (uint8_t)target}, 6);
	memcpy(frame + 6, from == RN_SWITCH_WIRE ? arp.sender_mac : b->cfg.port.mac, 6);
	rn_store16(frame + 12, RN_ETHERTYPE_ARP);
	rn_arp_build(&arp, frame + 14);
	return give_bytes(b, from, frame, sizeof(frame));
}

static void arp_is_answered_and_spread(void **state)
{
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct rn_arp arp;
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	/* the switch answers for the clients */
	assert_int_equal(give_arp(&b, RN_SWITCH_WIRE, RN_ARP_REQUEST, PEER, OWN, true),
			 RN_OUT_NEIGHBOUR);
	assert_true(take(&b, &p, &m));
	assert_int_equal(p.kind, RN_PKT_ARP);
	assert_true(b.way.wire);
	assert_true(rn_arp_parse(p.payload, p.payload_len, &arp));
	assert_int_equal(arp.op, RN_ARP_REPLY);
	assert_memory_equal(arp.sender_mac, b.cfg.port.mac, 6);
	/* answers and announcements of others reach all clients; a request for others nobody */
	assert_int_equal(give_arp(&b, RN_SWITCH_WIRE, RN_ARP_REPLY, PEER, OWN, false),
			 RN_OUT_TO_ALL);
	assert_true(rn_client_set_has(b.way.clients, 1) && rn_client_set_has(b.way.clients, 2));
	assert_int_equal(give_arp(&b, RN_SWITCH_WIRE, RN_ARP_REQUEST, PEER, PEER, true),
			 RN_OUT_TO_ALL);
	assert_int_equal(give_arp(&b, RN_SWITCH_WIRE, RN_ARP_REQUEST, PEER, PEER + 1, true),
			 RN_OUT_NEIGHBOUR);
	/* the port's link has come up again */
	rn_switch_announce(b.sw);
	assert_true(take(&b, &p, &m));
	assert_int_equal(p.kind, RN_PKT_ARP);
	assert_true(b.way.wire && (p.dmac[0] & 1));
	/* a host that claims the port's address does not mislead the clients */
	assert_int_equal(give_arp(&b, RN_SWITCH_WIRE, RN_ARP_REPLY, OWN, OWN, false),
			 RN_OUT_NEIGHBOUR);
	bench_stop(&b);
}

static void a_client_may_only_ask(void **state)
{
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	assert_int_equal(give_arp(&b, 1, RN_ARP_REQUEST, OWN, PEER, true), RN_OUT_TO_WIRE);
	assert_true(b.way.wire);
	assert_int_equal(give_arp(&b, 1, RN_ARP_REPLY, OWN, PEER, false), RN_OUT_CLIENT_KIND);
	assert_int_equal(give_arp(&b, 1, RN_ARP_REQUEST, OWN, OWN, true), RN_OUT_CLIENT_KIND);
	/* the sender in the message is another host */
	assert_int_equal(give_arp(&b, 1, RN_ARP_REQUEST, PEER, PEER + 1, true), RN_OUT_CLIENT_MAC);
	assert_false(b.way.wire);
	bench_stop(&b);
}

/* Sends a neighbour message of host `sender` about host `target`. */
static enum rn_outcome give_nd(struct bench *b, unsigned from, uint8_t type, unsigned sender,
			       unsigned target)
{
	struct rn_nd nd = {.type = type,
			   .solicited = type == RN_ND_ADVERT,
			   .target = host_gid(target, true),
			   .has_mac = true,
			   .mac = {2, 0, 0, 0, 0, (uint8_t)sender}};
	unsigned to = type == RN_ND_ADVERT && from == RN_SWITCH_WIRE ? OWN : target;
	const struct rn_gid src = host_gid(sender, true), dst = host_gid(to, true);
	uint8_t frame[14 + 40 + RN_ND_BYTES] = {2, 0, 0, 0, 0, (uint8_t)to};
	size_t len = rn_nd_build(&src, &dst, &nd, frame + 54);

	memcpy(frame + 6, from == RN_SWITCH_WIRE ? nd.mac : b->cfg.port.mac, 6);
	rn_store16(frame + 12, RN_ETHERTYPE_IPV6);
	rn_store32(frame + 14, 6u << 28);
	rn_store16(frame + 18, (uint16_t)len);
	frame[20] = 58;
	frame[21] = RN_ND_HOP_LIMIT;
	memcpy(frame + 22, src.b, 16);
	memcpy(frame + 38, dst.b, 16);
	return give_bytes(b, from, frame, 54 + (unsigned)len);
}

static void neighbour_discovery_follows_the_same_rules(void **state)
{
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	assert_int_equal(give_nd(&b, RN_SWITCH_WIRE, RN_ND_SOLICIT, PEER, OWN), RN_OUT_NEIGHBOUR);
	assert_true(take(&b, &p, &m));
	assert_int_equal(p.kind, RN_PKT_ND);
	assert_int_equal(give_nd(&b, RN_SWITCH_WIRE, RN_ND_ADVERT, PEER, PEER), RN_OUT_TO_ALL);
	assert_int_equal(give_nd(&b, 1, RN_ND_SOLICIT, OWN, PEER), RN_OUT_TO_WIRE);
	assert_int_equal(give_nd(&b, 1, RN_ND_ADVERT, OWN, PEER), RN_OUT_CLIENT_KIND);
	assert_int_equal(give_nd(&b, 1, RN_ND_SOLICIT, PEER, PEER + 1), RN_OUT_CLIENT_MAC);
	bench_stop(&b);
}

/* ---- numbers of clients ---- */

static void numbers_rest_before_they_are_used_again(void **state)
{
	struct bench b;

	bench_start(&b);
	for (unsigned n = 1; n <= RN_CLIENT_MAX; n++)
		assert_int_equal(rn_switch_attach(b.sw, b.now), n);
	assert_int_equal(rn_switch_attach(b.sw, b.now), -EAGAIN);
	struct rn_pkt in = packet(PEER, OWN, RC_SEND, qpn_of(9, 0));
	struct rn_pkt out = packet(OWN, PEER, RC_SEND, 0x1234);

	assert_int_equal(give(&b, RN_SWITCH_WIRE, &in), RN_OUT_TO_QP);
	assert_int_equal(give(&b, 7, &out), RN_OUT_TO_WIRE);
	assert_int_equal(rn_switch_detach(b.sw, 9, b.now), b.now + b.cfg.timewait);
	assert_int_equal(rn_switch_detach(b.sw, 9, b.now), b.now);
	assert_false(rn_switch_attached(b.sw, 9));
	rn_switch_detach(b.sw, 7, b.now + 1);
	b.now += b.cfg.timewait - 1;
	assert_int_equal(rn_switch_attach(b.sw, b.now), -EAGAIN);
	b.now += 2;
	assert_int_equal(rn_switch_attach(b.sw, b.now), 9); /* unused for longer than 7 */
	assert_int_equal(rn_switch_attach(b.sw, b.now), 7);
	assert_int_equal(rn_switch_count(b.sw, 9, RN_OUT_TO_WIRE), 0);
	bench_stop(&b);
}

/* A process that only looks at the adapter does not use up a number: no frame can come for it. */
static void a_number_that_nobody_knows_is_free_at_once(void **state)
{
	struct bench b;

	bench_start(&b);
	for (unsigned n = 1; n <= RN_CLIENT_MAX; n++)
		assert_int_equal(rn_switch_attach(b.sw, b.now), n);
	struct rn_pkt refused = packet(PEER, OWN, RC_SEND, 0x1234);

	assert_int_equal(give(&b, 9, &refused), RN_OUT_CLIENT_MAC);
	assert_int_equal(rn_switch_detach(b.sw, 9, b.now), b.now);
	assert_int_equal(rn_switch_attach(b.sw, b.now), 9);
	/* Peers know a client that was there before a restart. */
	b.cfg.grace = b.now + 1000;
	rn_client_set_add(&b.cfg.former, 9);
	bench_again(&b);
	assert_int_equal(rn_switch_reattach(b.sw, 9, rn_switch_token(b.sw, 9), b.now), 9);
	assert_int_equal(rn_switch_detach(b.sw, 9, b.now), b.now + b.cfg.timewait);
	bench_stop(&b);
}

/* A number that the former switch had not given away is free at once. A client that had the number
 * before the present client cannot take it, because its token was another one. */
static void other_numbers_are_free_after_a_restart(void **state)
{
	struct bench b;
	uint64_t old, token;

	bench_start(&b);
	b.now += b.cfg.timewait;
	b.cfg.former = (struct rn_client_set){0};
	b.cfg.grace = 0;
	bench_again(&b);
	assert_int_equal(rn_switch_attach(b.sw, b.now), 1);
	old = rn_switch_token(b.sw, 1);
	rn_switch_detach(b.sw, 1, b.now);
	for (unsigned n = 2; n <= RN_CLIENT_MAX; n++)
		assert_int_equal(rn_switch_attach(b.sw, b.now), n);
	b.now += b.cfg.timewait;
	assert_int_equal(rn_switch_attach(b.sw, b.now), 1);
	token = rn_switch_token(b.sw, 1);
	assert_true(token != old);

	rn_client_set_add(&b.cfg.former, 1);
	b.cfg.epoch[1] = rn_switch_epoch(b.sw, 1);
	b.cfg.grace = RN_S(1);
	bench_again(&b);
	b.now = 0;
	assert_int_equal(rn_switch_attach(b.sw, b.now), 2);
	assert_int_equal(rn_switch_reattach(b.sw, 1, old, b.now), -EPERM);
	assert_int_equal(rn_switch_reattach(b.sw, 3, rn_switch_token(b.sw, 3), b.now), -EBUSY);
	assert_int_equal(rn_switch_reattach(b.sw, 1, token, b.now), 1);
	bench_stop(&b);
}

/* After a restart clients come back with the token of their number. Until the time for that is
 * over, nobody else gets such a number, and peers of clients that are still away are not
 * refused. */
static void numbers_are_kept_for_those_who_come_back(void **state)
{
	struct rn_cm_msg r = req(id_of(0, 1), qpn_of(0, 1)), d = dreq(id_of(0, 1), id_of(5, 1), 7);
	struct bench b;
	uint64_t token;

	bench_start(&b);
	token = rn_switch_token(b.sw, 5);
	b.now = b.cfg.grace - 1;
	assert_int_equal(rn_switch_attach(b.sw, b.now), -EAGAIN);
	assert_int_equal(rn_switch_reattach(b.sw, 5, token + 1, b.now), -EPERM);
	assert_int_equal(rn_switch_reattach(b.sw, 6, token, b.now), -EPERM);
	assert_int_equal(rn_switch_reattach(b.sw, 0, rn_switch_token(b.sw, 0), b.now), -EPERM);
	assert_int_equal(rn_switch_reattach(b.sw, 255, rn_switch_token(b.sw, 255), b.now), -EPERM);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_TOO_EARLY);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &d), RN_OUT_TOO_EARLY);
	expect_nothing(&b);
	assert_int_equal(rn_switch_reattach(b.sw, 5, token, b.now), 5);
	assert_int_equal(rn_switch_reattach(b.sw, 5, token, b.now), -EBUSY);
	b.now++;
	assert_int_equal(rn_switch_reattach(b.sw, 6, rn_switch_token(b.sw, 6), b.now), -EBUSY);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_NO_SERVICE);
	/* the other numbers rest: their clients may have died just before */
	b.now += b.cfg.timewait - 1;
	assert_int_equal(rn_switch_attach(b.sw, b.now), -EAGAIN);
	assert_int_equal(rn_switch_attach(b.sw, b.now + 1), 1);
	/* another switch has other tokens */
	b.cfg.tokens.key[0] = 1;
	bench_again(&b);
	assert_int_equal(rn_switch_reattach(b.sw, 5, token, 0), -EPERM);
	bench_stop(&b);
}

/* A switch that has restarted: clients attach with their former numbers and announce what they
 * have. */
static void clients_come_back_with_their_numbers(void **state)
{
	struct rn_track_claim claim = {.state = RN_TRACK_UP,
				       .local_id = id_of(40, 1),
				       .remote_id = id_of(0, 1),
				       .local_qpn = qpn_of(40, 1),
				       .remote_qpn = qpn_of(0, 1),
				       .way = {.src = host_gid(OWN, false),
					       .dst = host_gid(PEER, false),
					       .dmac = {2, 0, 0, 0, 0, PEER}}};
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 40);
	assert_int_equal(rn_switch_claim(b.sw, 40, &claim, 0), 0);
	/* announced again: still one connection */
	assert_int_equal(rn_switch_claim(b.sw, 40, &claim, 0), 0);
	claim.state = (enum rn_track_state)99;
	assert_int_equal(rn_switch_claim(b.sw, 40, &claim, 0), -EINVAL);
	assert_int_equal(rn_switch_connections(b.sw, 40), 1);
	claim.state = RN_TRACK_FREE;
	assert_int_equal(rn_switch_claim(b.sw, 40, &claim, 0), 0);
	assert_int_equal(rn_switch_connections(b.sw, 40), 0);
	claim.state = RN_TRACK_UP;
	assert_int_equal(rn_switch_claim(b.sw, 40, &claim, 0), 0);
	assert_int_equal(rn_switch_connections(b.sw, 40), 1);
	rn_switch_detach(b.sw, 40, b.now);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_DREQ);
	assert_int_equal(m.dreq.remote_id, id_of(0, 1));
	assert_int_equal(m.dreq.remote_qpn, qpn_of(0, 1));
	assert_memory_equal(p.dmac, claim.way.dmac, 6);
	bench_stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_goes_to_the_client_of_its_qpn),
		cmocka_unit_test(data_without_a_client_is_dropped),
		cmocka_unit_test(frames_for_others_are_dropped),
		cmocka_unit_test(a_switch_on_a_vlan_takes_that_vlan_alone),
		cmocka_unit_test(data_of_clients_goes_out_or_stays_inside),
		cmocka_unit_test(a_client_cannot_pretend_to_be_another),
		cmocka_unit_test(a_strict_switch_wants_a_connection),
		cmocka_unit_test(a_strict_switch_lets_datagrams_pass),
		cmocka_unit_test(a_pair_does_not_replace_a_connection),
		cmocka_unit_test(a_pair_hides_no_connection),
		cmocka_unit_test(connections_are_claimed_after_a_restart_only),
		cmocka_unit_test(the_cm_ends_claims_of_others),
		cmocka_unit_test(the_cm_ends_nothing_else),
		cmocka_unit_test(a_claimed_connection_ends_pairs_of_others),
		cmocka_unit_test(multicast_goes_to_members),
		cmocka_unit_test(arp_is_answered_and_spread),
		cmocka_unit_test(a_client_may_only_ask),
		cmocka_unit_test(neighbour_discovery_follows_the_same_rules),
		cmocka_unit_test(numbers_rest_before_they_are_used_again),
		cmocka_unit_test(a_number_that_nobody_knows_is_free_at_once),
		cmocka_unit_test(numbers_are_kept_for_those_who_come_back),
		cmocka_unit_test(other_numbers_are_free_after_a_restart),
		cmocka_unit_test(clients_come_back_with_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
