/* Stores the header bytes that ordinary frames to a connected QP have. Also owns the masks that say
 * which bits of these bytes are compared with a received frame. */
#include "net/match.h"

#include "wire/frame.h"
#include "wire/icrc.h"
#include "wire/icrc_parts.h"
#include "wire/opcode.h"
#include "wire/pkt.h"

/* clang-format off */
#define FF4 0xFF, 0xFF, 0xFF, 0xFF
#define FF8 FF4, FF4
/* A 1 bit in a mask means that this bit of the frame is compared. Masks of a part of a field:
 * - 0x3F 0xFF: the flag More Fragments and the fragment offset
 * - 0xE0: the transport bits of the opcode
 * - 0x0F: the version of the BTH, in the byte `flags`
 * - 0x7F 0xFF: the P_Key without the bit for full members */
const uint8_t rn_match_mask_v4[RN_MATCH_V4][16] = {
	/* destination MAC, source MAC, type, version and header length, TOS */
	{FF4, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0},
	/* version, TOS, length, identification, fragment, TTL, protocol, checksum, source */
	{0xFF, 0, 0, 0, 0, 0, 0x3F, 0xFF, 0, 0xFF, 0, 0, FF4},
	/* destination, source port, destination port, length, checksum, opcode, flags, P_Key */
	{FF4, 0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0xE0, 0x0F, 0x7F, 0xFF},
	/* ECN bits of the BTH, QPN; PSN and what follows */
	{0, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};
const uint8_t rn_match_mask_v6[RN_MATCH_V6][16] = {
	/* destination MAC, source MAC, type, first two bytes of the IP header */
	{FF4, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xF0, 0},
	/* version, traffic class, flow label, length, next header, hop limit, source */
	{0xF0, 0, 0, 0, 0, 0, 0xFF, 0, FF8},
	/* source, destination */
	{FF8, FF8},
	/* destination, source port, destination port, length, checksum */
	{FF8, 0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF},
	/* opcode, flags, P_Key, ECN bits of the BTH, QPN; PSN and what follows */
	{0xE0, 0x0F, 0x7F, 0xFF, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0},
};
/* clang-format on */

void rn_match_make(struct rn_match *m, const uint8_t mac[6], const struct rn_gid *own,
		   const struct rn_gid *peer, uint32_t qpn)
{
	bool ipv4 = rn_gid_is_ipv4(own);
	uint8_t f[RN_ETH_BYTES + 16 * (RN_MATCH_V6 - 1)] = {0};
	uint8_t *ip = f + RN_ETH_BYTES, *bth = f + rn_match_bth(ipv4);

	memset(m, 0, sizeof(*m));
	if (ipv4 != rn_gid_is_ipv4(peer))
		return;
	memcpy(f, mac, 6);
	if (ipv4) {
		rn_store16(f + RN_ETH_TYPE, RN_ETHERTYPE_IPV4);
		ip[0] = 0x45;
		ip[RN_IPV4_PROTOCOL] = RN_IPPROTO_UDP;
		memcpy(ip + RN_IPV4_SRC, peer->b + 12, 4);
		memcpy(ip + RN_IPV4_DST, own->b + 12, 4);
	} else {
		rn_store16(f + RN_ETH_TYPE, RN_ETHERTYPE_IPV6);
		ip[0] = 0x60;
		ip[RN_IPV6_NEXT] = RN_IPPROTO_UDP;
		memcpy(ip + RN_IPV6_SRC, peer->b, 16);
		memcpy(ip + RN_IPV6_DST, own->b, 16);
	}
	rn_store16(bth - RN_UDP_BYTES + RN_UDP_DPORT, RN_ROCE_PORT);
	bth[0] = RN_T_RC;
	rn_store16(bth + RN_BTH_PKEY, 0x7FFF);
	rn_store24(bth + RN_BTH_QPN, qpn);
	m->blocks = ipv4 ? RN_MATCH_V4 : RN_MATCH_V6;
	memcpy(m->want[0], f, 16);
	for (unsigned k = 1; k < m->blocks; k++)
		memcpy(m->want[k], f + RN_ETH_BYTES + 16 * (k - 1), 16);
}

/* One frame of so many is remembered while the headers differ from those that are remembered. */
#define REMEMBER_EVERY 16

void rn_match_remember(struct rn_match *m, const uint8_t *frame, const uint8_t *ip,
		       const uint8_t *bth, const uint8_t *end)
{
	size_t n = (size_t)(end - bth);
	bool large = n > RN_ICRC_TAIL_MAX;
	struct rn_match_seen *s = large ? &m->large : rn_match_place(m, *bth);

	/* rn_icrc_tail_folded() needs 16 bytes. */
	if (n < 16 || !rn_fold_usable())
		return;
	if (s->wait) {
		s->wait--;
		return;
	}
	s->wait = REMEMBER_EVERY - 1;
	rn_assert(bth + 8 - frame <= (ptrdiff_t)sizeof(s->hdr));
	memcpy(s->hdr, frame, (size_t)(bth + 8 - frame));
	s->crc = rn_icrc_head(ip);
	s->udp_len = (uint16_t)((uint32_t)n + RN_UDP_BYTES + RN_ICRC_BYTES);
	if (large) {
		memcpy(&m->large_masked, end, sizeof(m->large_masked));
		m->large_masked ^= rn_icrc_add(s->crc, bth, n);
	}
}
