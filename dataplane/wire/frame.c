/* Translates the bytes of a frame to a packet and back. Pure functions, which any thread may call.
 *
 * Parsing goes down the layers. Each function checks that its header is complete, reads the header
 * and passes the rest on. The first check that fails gives the verdict. Lengths come from the IP
 * and UDP headers, never from the frame, which Ethernet may have padded.
 *
 * Building writes every field that parsing keeps. So an accepted frame re-encodes byte for byte,
 * except for nonzero pad bytes and a VLAN tag with VID 0. */
#include "wire/frame.h"

#include <string.h>

#include "wire/arp_msg.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "wire/icrc.h"
#include "base/types.h"

/* ---- ones' complement sums ---- */

/* Adds up the data as 32-bit words in the byte order of memory, which needs no byte swap. The sum
 * folds to the same 16 bits as the sum of the big-endian 16-bit words (RFC 1071), but in the byte
 * order of memory. */
static uint64_t sum_words(uint64_t sum, const uint8_t *p, size_t len)
{
	while (len > 3) {
		uint32_t v;
		memcpy(&v, p, sizeof(v));
		sum += v;
		p += 4;
		len -= 4;
	}
	if (len) {
		uint32_t v = 0;
		memcpy(&v, p, len);
		sum += v;
	}
	return sum;
}

/* Returns the folded ones' complement sum over the UDP datagram and its pseudo header. The pseudo
 * header has both addresses, the protocol and the length. */
static uint16_t udp_sum(const uint8_t *ip, const uint8_t *udp, uint32_t udp_len)
{
	uint8_t pseudo[4] = {0, RN_IPPROTO_UDP};
	rn_store16(pseudo + 2, (uint16_t)udp_len);

	uint64_t sum = sum_words(0, pseudo, sizeof(pseudo));
	if (ip[0] >> 4 == 4)
		sum = sum_words(sum, ip + RN_IPV4_SRC, 8);
	else
		sum = sum_words(sum, ip + RN_IPV6_SRC, 32);
	return rn_fold_sum(sum_words(sum, udp, udp_len));
}

/* ---- parsing ---- */

/* Turns an IPv4 address into the GID ::ffff:a.b.c.d. */
static void set_ipv4(struct rn_gid *g, const uint8_t *addr)
{
	memset(g->b, 0, 10);
	memset(g->b + 10, 0xFF, 2);
	memcpy(g->b + 12, addr, 4);
}

/* Reads the extension headers in the order in which they follow the BTH. The caller has checked the
 * length of the packet. Returns the start of the payload. */
static const uint8_t *parse_extensions(struct rn_pkt *pkt, const struct rn_opcode_row *op,
				       const uint8_t *p)
{
	if (op->has_deth) {
		pkt->qkey = rn_load32(p);
		pkt->deth_resv = p[4];
		pkt->src_qpn = rn_load24(p + 5);
		p += RN_DETH_BYTES;
	}
	if (op->has_reth) {
		pkt->va = rn_load64(p);
		pkt->rkey = rn_load32(p + 8);
		pkt->dma_len = rn_load32(p + 12);
		p += RN_RETH_BYTES;
	}
	if (op->has_atomic_eth) {
		pkt->va = rn_load64(p);
		pkt->rkey = rn_load32(p + 8);
		pkt->swap_add = rn_load64(p + 12);
		pkt->compare = rn_load64(p + 20);
		p += RN_ATOMIC_ETH_BYTES;
	}
	if (op->has_aeth) {
		pkt->syndrome = p[0];
		pkt->msn = rn_load24(p + 1);
		p += RN_AETH_BYTES;
	}
	if (op->has_atomic_ack) {
		pkt->orig = rn_load64(p);
		p += RN_ATOMIC_ACK_BYTES;
	}
	if (op->has_imm) {
		memcpy(&pkt->imm, p, RN_IMM_BYTES);
		p += RN_IMM_BYTES;
	}
	if (op->has_ieth) {
		pkt->inv_rkey = rn_load32(p);
		p += RN_IETH_BYTES;
	}
	return p;
}

/* Parses the BTH at `bth`. `len` (>= 16) is the number of bytes from the BTH to the end of the
 * ICRC. Checks that these bytes have room for the headers of the opcode, the pad bytes and the
 * ICRC. */
static inline enum rn_verdict parse_bth(struct rn_pkt *pkt, const uint8_t *bth, uint32_t len)
{
	const struct rn_opcode_row *op = rn_opcode_row(bth[0]);
	uint8_t flags = bth[RN_BTH_FLAGS];

	pkt->opcode = bth[0];
	pkt->op = op;
	pkt->se = flags & RN_BTH_SE;
	pkt->mig = flags & RN_BTH_MIG;
	pkt->pad = flags >> RN_BTH_PAD_SHIFT & 3;
	pkt->pkey = rn_load16(bth + RN_BTH_PKEY);
	pkt->fecn = bth[RN_BTH_ECN] & RN_BTH_FECN;
	pkt->becn = bth[RN_BTH_ECN] & RN_BTH_BECN;
	pkt->bth_resv6 = bth[RN_BTH_ECN] & 0x3F;
	pkt->dest_qpn = rn_load24(bth + RN_BTH_QPN);
	pkt->ack_req = bth[RN_BTH_ACKREQ_BYTE] & RN_BTH_ACKREQ;
	pkt->bth_resv7 = bth[RN_BTH_ACKREQ_BYTE] & 0x7F;
	pkt->psn = rn_load24(bth + RN_BTH_PSN);

	if (rn_unlikely(flags & RN_BTH_VERSION))
		return RN_V_BTH_VERSION;
	if (rn_unlikely(op->transport == RN_T_RD || op->transport == RN_T_OTHER))
		return RN_V_BTH_OPCODE;
	/* The length from BTH to ICRC must be a multiple of 4. All headers, the pad bytes and the
	 * ICRC must fit. */
	if (rn_unlikely(len % 4 || len < op->hdr_bytes + pkt->pad + RN_ICRC_BYTES))
		return RN_V_BTH_LENGTH;
	return RN_V_OK;
}

/* Parses what follows the BTH, up to the ICRC at `end`. */
static inline void parse_behind_bth(struct rn_pkt *pkt, const uint8_t *bth, const uint8_t *end)
{
	pkt->payload = parse_extensions(pkt, pkt->op, bth + RN_BTH_BYTES);
	pkt->payload_len = (uint32_t)(end - pkt->payload) - pkt->pad;
}

/* Parses BTH, extension headers, payload and ICRC: the len (>= 16) bytes at bth. Stores the BTH
 * fields before checking the ICRC, so that a counter or trace can name the QP of a damaged packet.
 * Stores the payload only if the ICRC is right. */
static enum rn_verdict parse_ib(struct rn_pkt *pkt, const uint8_t *bth, uint32_t len)
{
	enum rn_verdict v = parse_bth(pkt, bth, len);

	if (rn_unlikely(v != RN_V_OK))
		return v;
	const uint8_t *end = bth + len - RN_ICRC_BYTES;
	uint32_t icrc;
	memcpy(&icrc, end, sizeof(icrc));
	if (rn_unlikely(icrc != rn_icrc_packet(pkt->ip, (size_t)(end - pkt->ip))))
		return RN_V_ICRC;
	parse_behind_bth(pkt, bth, end);
	return RN_V_OK;
}

/* Parses the UDP header and the bytes behind it. `len` is the length of the IP payload. The length
 * in the UDP header may be smaller, but not larger. */
static enum rn_verdict parse_udp(struct rn_pkt *pkt, const uint8_t *udp, uint32_t len)
{
	if (len < RN_UDP_BYTES)
		return RN_V_UDP_LENGTH;
	uint32_t udp_len = rn_load16(udp + RN_UDP_LENGTH);

	pkt->udp_sport = rn_load16(udp + RN_UDP_SPORT);
	if (rn_load16(udp + RN_UDP_DPORT) != RN_ROCE_PORT)
		return RN_V_UDP_PORT;
	if (udp_len < RN_UDP_BYTES + RN_BTH_BYTES + RN_ICRC_BYTES || udp_len > len)
		return RN_V_UDP_LENGTH;
	/* RoCEv2 senders normally write 0, which means no checksum. Any other checksum is
	 * verified. */
	pkt->udp_checksum = rn_load16(udp + RN_UDP_CHECKSUM) != 0;
	if (pkt->udp_checksum && udp_sum(pkt->ip, udp, udp_len) != 0xFFFF)
		return RN_V_UDP_CHECKSUM;
	return parse_ib(pkt, udp + RN_UDP_BYTES, udp_len - RN_UDP_BYTES);
}

/* Separates neighbour discovery from other ICMP messages. icmp_msg.c and nd_msg.c parse the
 * messages. */
static enum rn_verdict parse_icmp(struct rn_pkt *pkt, const uint8_t *msg, uint32_t len, bool v6)
{
	if (len < RN_ICMP_BYTES)
		return RN_V_ICMP_BAD;
	bool nd = v6 && msg[0] >= RN_ND_TYPE_FIRST && msg[0] <= RN_ND_TYPE_LAST;
	pkt->kind = nd ? RN_PKT_ND : RN_PKT_ICMP;
	pkt->payload = msg;
	pkt->payload_len = len;
	return RN_V_OK;
}

static enum rn_verdict parse_ipv4(struct rn_pkt *pkt, const uint8_t *ip, size_t len)
{
	if (len < RN_IPV4_BYTES)
		return RN_V_FRAME_SHORT;
	uint32_t total = rn_load16(ip + RN_IPV4_LENGTH);
	uint16_t fragment = rn_load16(ip + RN_IPV4_FRAGMENT);

	pkt->ip = ip;
	pkt->ipv4 = true;
	pkt->tclass = ip[RN_IPV4_TOS];
	pkt->hop_limit = ip[RN_IPV4_TTL];
	pkt->ip_id = rn_load16(ip + RN_IPV4_ID);
	pkt->ip_df = fragment & RN_IPV4_FLAG_DF;
	pkt->ip_resv = fragment & RN_IPV4_FLAG_RESV;
	set_ipv4(&pkt->src, ip + RN_IPV4_SRC);
	set_ipv4(&pkt->dst, ip + RN_IPV4_DST);

	/* RoCEv2 packets carry no IP options: 0x45 is version 4 with a header of five 32-bit
	 * words. */
	if (ip[0] != 0x45)
		return ip[0] >> 4 == 4 && (ip[0] & 15) >= 6 ? RN_V_IP_OPTIONS : RN_V_IP_HEADER;
	if (total < RN_IPV4_BYTES || total > len || !rn_ipv4_checksum_right(ip))
		return RN_V_IP_HEADER;
	if (fragment & RN_IPV4_IN_PIECES)
		return RN_V_IP_FRAGMENT;
	if (rn_likely(ip[RN_IPV4_PROTOCOL] == RN_IPPROTO_UDP))
		return parse_udp(pkt, ip + RN_IPV4_BYTES, total - RN_IPV4_BYTES);
	if (ip[RN_IPV4_PROTOCOL] == RN_IPPROTO_ICMP)
		return parse_icmp(pkt, ip + RN_IPV4_BYTES, total - RN_IPV4_BYTES, false);
	return RN_V_IP_PROTOCOL;
}

static enum rn_verdict parse_ipv6(struct rn_pkt *pkt, const uint8_t *ip, size_t len)
{
	if (len < RN_IPV6_BYTES)
		return RN_V_FRAME_SHORT;
	uint32_t first = rn_load32(ip);
	uint32_t payload_len = rn_load16(ip + RN_IPV6_LENGTH);

	pkt->ip = ip;
	pkt->tclass = first >> 20 & 0xFF;
	pkt->flow_label = first & 0xFFFFF;
	pkt->hop_limit = ip[RN_IPV6_HOPS];
	memcpy(pkt->src.b, ip + RN_IPV6_SRC, 16);
	memcpy(pkt->dst.b, ip + RN_IPV6_DST, 16);

	if (first >> 28 != 6 || payload_len > len - RN_IPV6_BYTES)
		return RN_V_IP_HEADER;
	/* RoCEv2 over IPv6 uses no IPv6 extension headers. */
	switch (ip[RN_IPV6_NEXT]) {
	case RN_IPPROTO_UDP:
		return parse_udp(pkt, ip + RN_IPV6_BYTES, payload_len);
	case RN_IPPROTO_ICMPV6:
		return parse_icmp(pkt, ip + RN_IPV6_BYTES, payload_len, true);
	case RN_IPPROTO_FRAGMENT:
		return RN_V_IP_FRAGMENT;
	default:
		return RN_V_IP_PROTOCOL;
	}
}

/* Stores an ARP message as payload, which arp_msg.c parses. len may be more than the 28 bytes of an
 * ARP message, because Ethernet may have padded the frame. */
static enum rn_verdict parse_arp(struct rn_pkt *pkt, const uint8_t *arp, size_t len)
{
	pkt->kind = RN_PKT_ARP;
	if (len < RN_ARP_BYTES)
		return RN_V_FRAME_SHORT;
	pkt->payload = arp;
	pkt->payload_len = (uint32_t)len;
	return RN_V_OK;
}

/* Clears *pkt by vector stores. Compilers would choose a string instruction (rep stos) for this
 * size, which takes longer than most of the parsing. */
static inline void clear(struct rn_pkt *pkt)
{
	typedef uint64_t block __attribute__((vector_size(16), aligned(8), may_alias));
	static_assert(sizeof(*pkt) == 13 * sizeof(block), "one store below per block");
	block *p = (block *)pkt;
	const block zero = {0, 0};

	p[0] = p[1] = p[2] = p[3] = p[4] = p[5] = p[6] = zero;
	p[7] = p[8] = p[9] = p[10] = p[11] = p[12] = zero;
}

enum rn_verdict rn_frame_parse(const uint8_t *frame, size_t len, struct rn_pkt *pkt)
{
	size_t at = RN_ETH_BYTES;

	clear(pkt);
	pkt->frame = frame;
	pkt->frame_len = (uint32_t)len;
	if (len < RN_ETH_BYTES)
		return RN_V_FRAME_SHORT;
	memcpy(pkt->dmac, frame, 6);
	memcpy(pkt->smac, frame + RN_ETH_SRC, 6);
	uint16_t type = rn_load16(frame + RN_ETH_TYPE);
	if (type == RN_ETHERTYPE_VLAN) {
		if (len < RN_ETH_BYTES + RN_VLAN_BYTES)
			return RN_V_FRAME_SHORT;
		pkt->vlan_tci = rn_load16(frame + RN_ETH_BYTES);
		/* VID 0 is a priority tag: the frame belongs to no VLAN. */
		pkt->has_vlan = pkt->vlan_tci & RN_VLAN_VID;
		type = rn_load16(frame + RN_ETH_BYTES + 2);
		at += RN_VLAN_BYTES;
	}
	switch (type) {
	case RN_ETHERTYPE_IPV4:
		return parse_ipv4(pkt, frame + at, len - at);
	case RN_ETHERTYPE_IPV6:
		return parse_ipv6(pkt, frame + at, len - at);
	case RN_ETHERTYPE_ARP:
		return parse_arp(pkt, frame + at, len - at);
	case RN_ETHERTYPE_ROCE_V1:
		return RN_V_FRAME_ROCE_V1;
	default:
		return RN_V_FRAME_ETHERTYPE;
	}
}

bool rn_frame_parse_matched(const uint8_t *frame, uint32_t len, const uint8_t *bth,
			    const uint8_t *end, struct rn_pkt *pkt)
{
	clear(pkt);
	pkt->frame = frame;
	pkt->frame_len = len;
	if (parse_bth(pkt, bth, (uint32_t)(end - bth) + RN_ICRC_BYTES) != RN_V_OK)
		return false;
	parse_behind_bth(pkt, bth, end);
	return true;
}

/* ---- building ---- */

static unsigned link_bytes(const struct rn_pkt *pkt)
{
	return RN_ETH_BYTES + (pkt->has_vlan ? RN_VLAN_BYTES : 0);
}

static unsigned ip_bytes(const struct rn_pkt *pkt)
{
	return pkt->ipv4 ? RN_IPV4_BYTES : RN_IPV6_BYTES;
}

/* Returns the number of pad bytes behind the payload, which make its length a multiple of 4. */
static unsigned pad_of(const struct rn_pkt *pkt)
{
	return -pkt->payload_len & 3;
}

/* Returns the UDP length: from the UDP header to the ICRC, both included. */
static unsigned udp_bytes(const struct rn_pkt *pkt)
{
	return RN_UDP_BYTES + rn_opcode_row(pkt->opcode)->hdr_bytes + pkt->payload_len +
	       pad_of(pkt) + RN_ICRC_BYTES;
}

unsigned rn_frame_hdr_bytes(const struct rn_pkt *pkt)
{
	return link_bytes(pkt) + ip_bytes(pkt) + RN_UDP_BYTES +
	       rn_opcode_row(pkt->opcode)->hdr_bytes;
}

unsigned rn_frame_bytes(const struct rn_pkt *pkt)
{
	return link_bytes(pkt) + ip_bytes(pkt) + udp_bytes(pkt);
}

/* Each put_*() function writes one header at p and returns the address behind this header. */
static uint8_t *put_link(const struct rn_pkt *pkt, uint8_t *p)
{
	memcpy(p, pkt->dmac, 6);
	memcpy(p + RN_ETH_SRC, pkt->smac, 6);
	p += RN_ETH_TYPE;
	if (pkt->has_vlan) {
		rn_store16(p, RN_ETHERTYPE_VLAN);
		rn_store16(p + 2, pkt->vlan_tci);
		p += RN_VLAN_BYTES;
	}
	rn_store16(p, pkt->ipv4 ? RN_ETHERTYPE_IPV4 : RN_ETHERTYPE_IPV6);
	return p + 2;
}

static uint8_t *put_ipv4(const struct rn_pkt *pkt, uint8_t *p, unsigned udp_len)
{
	p[0] = 0x45;
	p[RN_IPV4_TOS] = pkt->tclass;
	rn_store16(p + RN_IPV4_LENGTH, (uint16_t)(RN_IPV4_BYTES + udp_len));
	rn_store16(p + RN_IPV4_ID, pkt->ip_id);
	rn_store16(p + RN_IPV4_FRAGMENT,
		   (pkt->ip_df ? RN_IPV4_FLAG_DF : 0) | (pkt->ip_resv ? RN_IPV4_FLAG_RESV : 0));
	p[RN_IPV4_TTL] = pkt->hop_limit;
	p[RN_IPV4_PROTOCOL] = RN_IPPROTO_UDP;
	memset(p + RN_IPV4_CHECKSUM, 0, 2);
	memcpy(p + RN_IPV4_SRC, pkt->src.b + 12, 4);
	memcpy(p + RN_IPV4_DST, pkt->dst.b + 12, 4);
	/* The sum is in network byte order already: rn_fold_sum() adds the words as they lie in the
	 * packet, without swapping bytes. */
	uint16_t sum = (uint16_t)~rn_fold_sum(sum_words(0, p, RN_IPV4_BYTES));
	memcpy(p + RN_IPV4_CHECKSUM, &sum, 2);
	return p + RN_IPV4_BYTES;
}

/* Writes the IPv6 header, whose payload length covers the bytes from the UDP header to the ICRC. */
static uint8_t *put_ipv6(const struct rn_pkt *pkt, uint8_t *p, unsigned udp_len)
{
	rn_store32(p, 6u << 28 | (uint32_t)pkt->tclass << 20 | (pkt->flow_label & 0xFFFFF));
	rn_store16(p + RN_IPV6_LENGTH, (uint16_t)udp_len);
	p[RN_IPV6_NEXT] = RN_IPPROTO_UDP;
	p[RN_IPV6_HOPS] = pkt->hop_limit;
	memcpy(p + RN_IPV6_SRC, pkt->src.b, 16);
	memcpy(p + RN_IPV6_DST, pkt->dst.b, 16);
	return p + RN_IPV6_BYTES;
}

/* Writes the UDP header with checksum 0. rn_frame_finish() computes the checksum if
 * pkt->udp_checksum is set. */
static uint8_t *put_udp(const struct rn_pkt *pkt, uint8_t *p, unsigned udp_len)
{
	rn_store16(p + RN_UDP_SPORT, pkt->udp_sport);
	rn_store16(p + RN_UDP_DPORT, RN_ROCE_PORT);
	rn_store16(p + RN_UDP_LENGTH, (uint16_t)udp_len);
	rn_store16(p + RN_UDP_CHECKSUM, 0);
	return p + RN_UDP_BYTES;
}

static uint8_t *put_bth(const struct rn_pkt *pkt, uint8_t *p)
{
	p[0] = pkt->opcode;
	p[RN_BTH_FLAGS] = (uint8_t)((pkt->se ? RN_BTH_SE : 0) | (pkt->mig ? RN_BTH_MIG : 0) |
				    pad_of(pkt) << RN_BTH_PAD_SHIFT);
	rn_store16(p + RN_BTH_PKEY, pkt->pkey);
	p[RN_BTH_ECN] = (uint8_t)((pkt->fecn ? RN_BTH_FECN : 0) | (pkt->becn ? RN_BTH_BECN : 0) |
				  (pkt->bth_resv6 & 0x3F));
	rn_store24(p + RN_BTH_QPN, pkt->dest_qpn);
	p[RN_BTH_ACKREQ_BYTE] =
		(uint8_t)((pkt->ack_req ? RN_BTH_ACKREQ : 0) | (pkt->bth_resv7 & 0x7F));
	rn_store24(p + RN_BTH_PSN, pkt->psn);
	return p + RN_BTH_BYTES;
}

/* Writes the extension headers in the order and at the offsets that parse_extensions() reads. */
static uint8_t *put_extensions(const struct rn_pkt *pkt, const struct rn_opcode_row *op, uint8_t *p)
{
	if (op->has_deth) {
		rn_store32(p, pkt->qkey);
		p[4] = pkt->deth_resv;
		rn_store24(p + 5, pkt->src_qpn);
		p += RN_DETH_BYTES;
	}
	if (op->has_reth) {
		rn_store64(p, pkt->va);
		rn_store32(p + 8, pkt->rkey);
		rn_store32(p + 12, pkt->dma_len);
		p += RN_RETH_BYTES;
	}
	if (op->has_atomic_eth) {
		rn_store64(p, pkt->va);
		rn_store32(p + 8, pkt->rkey);
		rn_store64(p + 12, pkt->swap_add);
		rn_store64(p + 20, pkt->compare);
		p += RN_ATOMIC_ETH_BYTES;
	}
	if (op->has_aeth) {
		p[0] = pkt->syndrome;
		rn_store24(p + 1, pkt->msn);
		p += RN_AETH_BYTES;
	}
	if (op->has_atomic_ack) {
		rn_store64(p, pkt->orig);
		p += RN_ATOMIC_ACK_BYTES;
	}
	if (op->has_imm) {
		memcpy(p, &pkt->imm, RN_IMM_BYTES);
		p += RN_IMM_BYTES;
	}
	if (op->has_ieth) {
		rn_store32(p, pkt->inv_rkey);
		p += RN_IETH_BYTES;
	}
	return p;
}

unsigned rn_frame_put_headers(const struct rn_pkt *pkt, uint8_t *buf)
{
	unsigned udp_len = udp_bytes(pkt);
	uint8_t *p = put_link(pkt, buf);

	p = pkt->ipv4 ? put_ipv4(pkt, p, udp_len) : put_ipv6(pkt, p, udp_len);
	p = put_udp(pkt, p, udp_len);
	p = put_bth(pkt, p);
	p = put_extensions(pkt, rn_opcode_row(pkt->opcode), p);
	return (unsigned)(p - buf);
}

unsigned rn_frame_finish(const struct rn_pkt *pkt, uint8_t *buf)
{
	uint8_t *ip = buf + link_bytes(pkt), *udp = ip + ip_bytes(pkt);
	uint8_t *end = buf + rn_frame_hdr_bytes(pkt) + pkt->payload_len;

	for (unsigned pad = pad_of(pkt); pad; pad--)
		*end++ = 0;
	uint32_t icrc = rn_icrc_packet(ip, (size_t)(end - ip));
	memcpy(end, &icrc, sizeof(icrc));
	end += RN_ICRC_BYTES;
	if (pkt->udp_checksum) {
		uint16_t sum = (uint16_t)~udp_sum(ip, udp, (uint32_t)(end - udp));
		/* Send a computed checksum of 0 as 0xFFFF, because a UDP checksum of 0 means "none"
		 * (RFC 768). */
		if (sum == 0)
			sum = 0xFFFF;
		memcpy(udp + RN_UDP_CHECKSUM, &sum, sizeof(sum));
	}
	return (unsigned)(end - buf);
}

unsigned rn_frame_build(const struct rn_pkt *pkt, uint8_t *buf, size_t cap)
{
	/* The IP length field has 16 bits. For simplicity this check assumes the largest possible
	 * headers. */
	if (pkt->payload_len > UINT16_MAX - RN_FRAME_OVERHEAD_MAX || rn_frame_bytes(pkt) > cap)
		return 0;
	unsigned hdr = rn_frame_put_headers(pkt, buf);
	if (pkt->payload_len)
		memcpy(buf + hdr, pkt->payload, pkt->payload_len);
	return rn_frame_finish(pkt, buf);
}

uint16_t rn_frame_sport(uint32_t flow_label, uint32_t local_qpn, uint32_t remote_qpn)
{
	uint32_t fl = flow_label & 0xFFFFF;

	/* Without a flow label, derive a flow label from the product of the QPNs, which is the same
	 * in both directions. */
	if (fl == 0) {
		uint64_t v = (uint64_t)local_qpn * remote_qpn;
		fl = (uint32_t)(v ^ v >> 20 ^ v >> 40) & 0xFFFFF;
	}
	/* Fold 20 bits to 14 and set the two top bits, for a UDP port in the range
	 * 0xC000..0xFFFF. */
	return (uint16_t)(((fl & 0x03FFF) ^ (fl & 0xFC000) >> 14) | 0xC000);
}
