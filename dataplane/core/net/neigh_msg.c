/* How are ARP, neighbour discovery and echo messages processed, and which are sent? Runs on shard
 * 0.
 *
 * Owns two bounded queues: ARP replies and neighbour advertisements in one queue, echo replies in
 * the other. A message for a full queue is dropped and counted. An echo reply carries the data of
 * the echo request, so the reply is built when the request arrives. rn_neigh_tx() builds all other
 * frames. */
#include <string.h>

#include "wire/arp_msg.h"
#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "net/group.h"
#include "wire/nd_msg.h"
#include "net/neigh_priv.h"

#define FRAME_MIN 60
#define ECHO_TTL  64

static const struct rn_gid all_nodes = {{0xff, 2, [15] = 1}};

/* ---- receiving ---- */

/* Queues an ARP reply or a neighbour advertisement for `own`, an address of this NIC. With to_all,
 * the frame goes to all nodes. */
static void owe_answer(struct rn_neigh *n, const struct rn_gid *own, const struct rn_gid *peer,
		       const uint8_t mac[6], bool to_all)
{
	struct rn_nbr_answer *a;

	/* A reply to a group MAC would reach many hosts, so send none. */
	if (mac[0] & 1)
		return;
	if (n->answer_count == RN_NEIGH_ANSWERS) {
		n->dropped++;
		return;
	}
	a = &n->answers[(n->answer_head + n->answer_count++) % RN_NEIGH_ANSWERS];
	a->own = *own;
	a->peer = *peer;
	memcpy(a->mac, mac, 6);
	a->to_all = to_all;
}

/* Counts a message in which another host claims an address of this NIC. Announces the address
 * again, because neighbours would otherwise send to the other host. Makes at most one such
 * announcement per RN_NEIGH_DEFEND. */
static void look_for_conflict(struct rn_neigh *n, const struct rn_gid *addr, const uint8_t mac[6],
			      rn_time now)
{
	int own = rn_port_own(&n->port, addr);

	if (own < 0 || memcmp(mac, n->port.mac, 6) == 0)
		return;
	n->conflicts++;
	if (n->defended && now - n->defended < RN_NEIGH_DEFEND)
		return;
	n->defended = now;
	n->announce |= 1u << own;
}

static enum rn_verdict rx_arp(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now)
{
	struct rn_arp arp;
	bool for_us;

	if (!rn_arp_parse(pkt->payload, pkt->payload_len, &arp))
		return RN_V_ARP_BAD;
	/* An ARP request and an ARP reply both give the sender's address and MAC. If the target is
	 * not an address of this NIC, the message counts as an announcement by the sender. */
	look_for_conflict(n, &arp.sender, arp.sender_mac, now);
	for_us = rn_port_own(&n->port, &arp.target) >= 0;
	if (arp.op == RN_ARP_REQUEST) {
		if (for_us && rn_port_own(&n->port, &arp.sender) < 0)
			owe_answer(n, &arp.target, &arp.sender, arp.sender_mac, false);
		rn_neigh_update(n, &arp.sender, arp.sender_mac,
				for_us ? RN_NBR_REQUEST : RN_NBR_ANNOUNCEMENT, now);
	} else {
		rn_neigh_update(n, &arp.sender, arp.sender_mac,
				for_us ? RN_NBR_REPLY : RN_NBR_ANNOUNCEMENT, now);
	}
	return RN_V_OK;
}

static enum rn_verdict rx_nd(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now)
{
	static const struct rn_gid unspecified;
	struct rn_nd nd;

	if (pkt->hop_limit != RN_ND_HOP_LIMIT ||
	    !rn_nd_parse(&pkt->src, &pkt->dst, pkt->payload, pkt->payload_len, &nd))
		return RN_V_ND_BAD;
	if (nd.type == RN_ND_SOLICIT) {
		/* Duplicate address detection: a host that wants to take an address sends a
		 * solicitation for this address from ::. A reply means that another node uses the
		 * address. */
		bool nobody = rn_gid_equal(&pkt->src, &unspecified);

		if (rn_port_own(&n->port, &nd.target) < 0 || rn_port_own(&n->port, &pkt->src) >= 0)
			return RN_V_OK;
		owe_answer(n, &nd.target, nobody ? &all_nodes : &pkt->src,
			   nd.has_mac ? nd.mac : pkt->smac, nobody);
		if (!nobody && nd.has_mac)
			rn_neigh_update(n, &pkt->src, nd.mac, RN_NBR_REQUEST, now);
		return RN_V_OK;
	}
	look_for_conflict(n, &nd.target, nd.has_mac ? nd.mac : pkt->smac, now);
	rn_neigh_update(n, &nd.target, nd.has_mac ? nd.mac : pkt->smac,
			nd.solicited && nd.override ? RN_NBR_REPLY
			: nd.override		    ? RN_NBR_ANNOUNCEMENT
						    : RN_NBR_NO_OVERRIDE,
			now);
	return RN_V_OK;
}

/* Each put_... function writes a header at p and returns the header's length in bytes. */
static unsigned put_ethernet(const struct rn_neigh *n, const uint8_t dmac[6], uint16_t ethertype,
			     uint8_t *p)
{
	unsigned at = 12;

	memcpy(p, dmac, 6);
	memcpy(p + 6, n->port.mac, 6);
	if (n->port.has_vlan) {
		rn_store16(p + at, RN_ETHERTYPE_VLAN);
		rn_store16(p + at + 2, n->port.vlan_tci);
		at += RN_VLAN_BYTES;
	}
	rn_store16(p + at, ethertype);
	return at + 2;
}

static unsigned put_ipv4(const struct rn_gid *src, const struct rn_gid *dst, size_t body,
			 uint8_t *p)
{
	size_t total = RN_IPV4_BYTES + body;
	uint16_t sum;

	memset(p, 0, RN_IPV4_BYTES);
	p[0] = 0x45; /* IP version 4, header of five 32-bit words */
	rn_store16(p + 2, (uint16_t)total);
	p[6] = 0x40; /* flag: don't fragment */
	p[8] = ECHO_TTL;
	p[9] = RN_IPPROTO_ICMP;
	memcpy(p + 12, src->b + 12, 4);
	memcpy(p + 16, dst->b + 12, 4);
	sum = rn_ip_checksum(0, p, RN_IPV4_BYTES);
	rn_store16(p + 10, sum);
	return RN_IPV4_BYTES;
}

static unsigned put_ipv6(const struct rn_gid *src, const struct rn_gid *dst, uint8_t hop_limit,
			 size_t body, uint8_t *p)
{
	memset(p, 0, 8);
	p[0] = 0x60;
	rn_store16(p + 4, (uint16_t)body);
	p[6] = RN_IPPROTO_ICMPV6;
	p[7] = hop_limit;
	memcpy(p + 8, src->b, 16);
	memcpy(p + 24, dst->b, 16);
	return RN_IPV6_BYTES;
}

/* Pads a frame to the Ethernet minimum, because some NICs do not pad. */
static unsigned pad(uint8_t *buf, unsigned len)
{
	unsigned full = RN_MAX(len, FRAME_MIN);

	memset(buf + len, 0, full - len);
	return full;
}

/* Builds and queues the reply to an ICMP or ICMPv6 echo request. */
static enum rn_verdict rx_echo(struct rn_neigh *n, const struct rn_pkt *pkt)
{
	uint32_t len = pkt->payload_len;
	struct rn_icmp_echo echo;
	struct rn_nbr_echo *e;
	unsigned at;

	if (!rn_icmp_echo_parse(pkt->ipv4, &pkt->src, &pkt->dst, pkt->payload, len, &echo))
		return RN_V_ICMP_BAD;
	/* Answer only an echo request from the address of another host to an address of this NIC. A
	 * reply to a group would multiply traffic. */
	if (echo.reply || rn_port_own(&n->port, &pkt->dst) < 0 ||
	    rn_port_own(&n->port, &pkt->src) >= 0 || !rn_gid_is_host(&pkt->src) ||
	    (pkt->smac[0] & 1))
		return RN_V_OK;
	if (n->echo_count == RN_NEIGH_ECHOES ||
	    len > RN_NEIGH_ECHO_BYTES - RN_ETH_BYTES - RN_VLAN_BYTES - RN_IPV6_BYTES) {
		n->dropped++;
		return RN_V_OK;
	}
	/* For the reply, swap source and destination of the echo request. */
	e = &n->echoes[(n->echo_head + n->echo_count++) % RN_NEIGH_ECHOES];
	at = put_ethernet(n, pkt->smac, pkt->ipv4 ? RN_ETHERTYPE_IPV4 : RN_ETHERTYPE_IPV6,
			  e->frame);
	at += pkt->ipv4 ? put_ipv4(&pkt->dst, &pkt->src, len, e->frame + at)
			: put_ipv6(&pkt->dst, &pkt->src, ECHO_TTL, len, e->frame + at);
	echo.reply = true;
	at += (unsigned)rn_icmp_echo_build(pkt->ipv4, &pkt->dst, &pkt->src, &echo, e->frame + at,
					   RN_NEIGH_ECHO_BYTES - at);
	e->len = pad(e->frame, at);
	return RN_V_OK;
}

enum rn_verdict rn_neigh_rx(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now)
{
	switch (pkt->kind) {
	case RN_PKT_ARP:
		return rx_arp(n, pkt, now);
	case RN_PKT_ND:
		return pkt->ipv4 ? RN_V_ND_BAD : rx_nd(n, pkt, now);
	default:
		return rx_echo(n, pkt);
	}
}

/* ---- sending ---- */

/* Each build_... function writes a whole frame into buf and returns the frame's length in bytes. */
static unsigned build_arp(const struct rn_neigh *n, uint16_t op, const struct rn_gid *own,
			  const struct rn_gid *target, const uint8_t target_mac[6],
			  const uint8_t dmac[6], uint8_t *buf)
{
	struct rn_arp arp = {.op = op, .sender = *own, .target = *target};
	unsigned at = put_ethernet(n, dmac, RN_ETHERTYPE_ARP, buf);

	memcpy(arp.sender_mac, n->port.mac, 6);
	if (target_mac)
		memcpy(arp.target_mac, target_mac, 6);
	rn_arp_build(&arp, buf + at);
	return pad(buf, at + RN_ARP_BYTES);
}

static unsigned build_nd(const struct rn_neigh *n, const struct rn_nd *proto,
			 const struct rn_gid *src, const struct rn_gid *dst, const uint8_t dmac[6],
			 uint8_t *buf)
{
	struct rn_nd nd = *proto;
	unsigned at = put_ethernet(n, dmac, RN_ETHERTYPE_IPV6, buf);

	nd.has_mac = true;
	memcpy(nd.mac, n->port.mac, 6);
	at += put_ipv6(src, dst, RN_ND_HOP_LIMIT, RN_ND_BYTES, buf + at);
	return at + (unsigned)rn_nd_build(src, dst, &nd, buf + at);
}

/* Builds a probe. While a known MAC is refreshed, the first probes go to this MAC only. Other hosts
 * are then not disturbed, and the known neighbour can reply first. */
static unsigned build_probe(const struct rn_neigh *n, const struct rn_nbr *e, uint8_t *buf)
{
	bool direct = e->state == RN_NBR_REFRESHING && e->asked <= e->direct;
	struct rn_nd nd = {.type = RN_ND_SOLICIT, .target = e->addr};
	struct rn_gid group;
	uint8_t mac[6];

	if (rn_gid_is_ipv4(&e->addr))
		return build_arp(n, RN_ARP_REQUEST, &e->probe_src, &e->addr, NULL,
				 direct ? e->mac : rn_neigh_broadcast, buf);
	rn_nd_solicited_node(&e->addr, &group);
	rn_group_mac(&group, mac);
	return build_nd(n, &nd, &e->probe_src, direct ? &e->addr : &group, direct ? e->mac : mac,
			buf);
}

static unsigned build_answer(const struct rn_neigh *n, const struct rn_nbr_answer *a, uint8_t *buf)
{
	struct rn_nd nd = {
		.type = RN_ND_ADVERT, .override = true, .solicited = !a->to_all, .target = a->own};
	uint8_t mac[6];

	if (rn_gid_is_ipv4(&a->own))
		return build_arp(n, RN_ARP_REPLY, &a->own, &a->peer, a->mac, a->mac, buf);
	rn_group_mac(&all_nodes, mac);
	return build_nd(n, &nd, &a->own, &a->peer, a->to_all ? mac : a->mac, buf);
}

/* Announces an address of this NIC. IPv4: an ARP request for the address itself. IPv6: an
 * unsolicited advertisement to all nodes. */
static unsigned build_announcement(const struct rn_neigh *n, const struct rn_gid *own, uint8_t *buf)
{
	struct rn_nbr_answer to_all = {.own = *own, .peer = all_nodes, .to_all = true};

	if (rn_gid_is_ipv4(own))
		return build_arp(n, RN_ARP_REQUEST, own, own, NULL, rn_neigh_broadcast, buf);
	return build_answer(n, &to_all, buf);
}

bool rn_neigh_wants_tx(const struct rn_neigh *n)
{
	return !rn_list_empty(&n->owed) || n->announce || n->answer_count || n->echo_count;
}

/* Builds the next ARP or ND frame. Probes go first, because connections wait for the probe
 * replies. */
static unsigned next_frame(struct rn_neigh *n, uint8_t *buf)
{
	struct rn_list *l = rn_list_pop(&n->owed);

	if (l)
		return build_probe(n, rn_container_of(l, struct rn_nbr, owed), buf);
	if (n->answer_count) {
		const struct rn_nbr_answer *a = &n->answers[n->answer_head];

		n->answer_head = (n->answer_head + 1) % RN_NEIGH_ANSWERS;
		n->answer_count--;
		return build_answer(n, a, buf);
	}
	if (n->announce) {
		int i = __builtin_ctz(n->announce);

		n->announce &= n->announce - 1;
		return build_announcement(n, &n->port.gids[i], buf);
	}
	return 0;
}

unsigned rn_neigh_tx(struct rn_neigh *n, uint8_t *buf, size_t cap, rn_time now)
{
	const struct rn_nbr_echo *e;

	/* buf must have room for the longest ARP or ND frame: an ND message with its option, IPv6
	 * header and VLAN tag. */
	if (cap < RN_ETH_BYTES + RN_VLAN_BYTES + RN_IPV6_BYTES + RN_ND_BYTES)
		return 0;
	if (!rn_list_empty(&n->owed) || n->answer_count || n->announce)
		return next_frame(n, buf);
	while (n->echo_count) {
		e = &n->echoes[n->echo_head];
		n->echo_head = (n->echo_head + 1) % RN_NEIGH_ECHOES;
		n->echo_count--;
		if (e->len <= cap) {
			memcpy(buf, e->frame, e->len);
			return e->len;
		}
		n->dropped++;
	}
	return 0;
}
