/* Reads Ethernet, IP, UDP and BTH from fixed offsets. Reads no byte behind the frame, whatever the
 * lengths in the headers say. */
#include "switch/peek.h"

#include <string.h>

#include "wire/hdr.h"
#include "wire/opcode.h"
#include "wire/pkt.h"

static void set_ipv4(struct rn_gid *g, const uint8_t *addr)
{
	memset(g->b, 0, 10);
	memset(g->b + 10, 0xFF, 2);
	memcpy(g->b + 12, addr, 4);
}

/* Reads UDP, BTH and, for a datagram, DETH: the `len` bytes behind the IP header. */
static enum rn_peek_kind peek_udp(struct rn_peek *p, const uint8_t *udp, size_t len)
{
	const uint8_t *bth = udp + RN_UDP_BYTES;

	if (len < RN_UDP_BYTES + RN_BTH_BYTES || rn_load16(udp + RN_UDP_DPORT) != RN_ROCE_PORT)
		return RN_PEEK_BAD;
	p->opcode = bth[0];
	p->dest_qpn = rn_load24(bth + RN_BTH_QPN);
	if ((p->opcode & 0xE0) == RN_T_UD) {
		if (len < RN_UDP_BYTES + RN_BTH_BYTES + RN_DETH_BYTES)
			return RN_PEEK_BAD;
		p->src_qpn = rn_load24(bth + RN_BTH_BYTES + 5);
	}
	return p->dest_qpn == RN_GSI_QPN ? RN_PEEK_MAD : RN_PEEK_DATA;
}

static enum rn_peek_kind peek_ipv4(struct rn_peek *p, const uint8_t *ip, size_t len)
{
	if (len < RN_IPV4_BYTES || ip[0] != 0x45 ||
	    rn_load16(ip + RN_IPV4_FRAGMENT) & RN_IPV4_IN_PIECES)
		return RN_PEEK_BAD;
	if (ip[RN_IPV4_PROTOCOL] != RN_IPPROTO_UDP)
		return RN_PEEK_OTHER;
	set_ipv4(&p->src, ip + RN_IPV4_SRC);
	set_ipv4(&p->dst, ip + RN_IPV4_DST);
	return peek_udp(p, ip + RN_IPV4_BYTES, len - RN_IPV4_BYTES);
}

static enum rn_peek_kind peek_ipv6(struct rn_peek *p, const uint8_t *ip, size_t len)
{
	if (len < RN_IPV6_BYTES || ip[0] >> 4 != 6)
		return RN_PEEK_BAD;
	if (ip[RN_IPV6_NEXT] != RN_IPPROTO_UDP)
		return RN_PEEK_OTHER;
	memcpy(p->src.b, ip + RN_IPV6_SRC, 16);
	memcpy(p->dst.b, ip + RN_IPV6_DST, 16);
	return peek_udp(p, ip + RN_IPV6_BYTES, len - RN_IPV6_BYTES);
}

void rn_peek(const uint8_t *frame, size_t len, struct rn_peek *p)
{
	size_t at = RN_ETH_BYTES;
	uint16_t type;

	memset(p, 0, sizeof(*p));
	p->dmac = frame;
	p->smac = frame + RN_ETH_SRC;
	if (len < RN_ETH_BYTES)
		return;
	type = rn_load16(frame + RN_ETH_TYPE);
	if (type == RN_ETHERTYPE_VLAN) {
		if (len < RN_ETH_BYTES + RN_VLAN_BYTES)
			return;
		p->vid = rn_load16(frame + RN_ETH_BYTES) & RN_VLAN_VID;
		type = rn_load16(frame + RN_ETH_BYTES + 2);
		at += RN_VLAN_BYTES;
	}
	if (type == RN_ETHERTYPE_IPV4)
		p->kind = peek_ipv4(p, frame + at, len - at);
	else if (type == RN_ETHERTYPE_IPV6)
		p->kind = peek_ipv6(p, frame + at, len - at);
	else
		p->kind = RN_PEEK_OTHER;
}
