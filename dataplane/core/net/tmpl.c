/* Which headers does every packet of a connected QP begin with? Owns nothing: the template belongs
 * to the QP. Runs on the shard's thread.
 *
 * The headers are built once. Each packet gets a copy, in which length, opcode, PSN and flags are
 * set. The ICRC state after the UDP header depends on the length only. Consecutive packets often
 * have the same length, so the last ICRC state is cached. */
#include "net/tmpl.h"

#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/icrc.h"

void rn_tmpl_make(struct rn_tmpl *t, const struct rn_av *av, const uint8_t smac[6], uint32_t qpn,
		  uint32_t dest_qpn)
{
	struct rn_pkt pkt = {
		.kind = RN_PKT_IB,
		.has_vlan = av->has_vlan,
		.vlan_tci = av->vlan_tci,
		.src = av->sgid,
		.dst = av->dgid,
		.ipv4 = rn_gid_is_ipv4(&av->dgid),
		.tclass = av->tclass,
		.hop_limit = av->hop_limit ? av->hop_limit : 64,
		.ip_df = true,
		.flow_label = av->flow_label & 0xFFFFF,
		.udp_sport = rn_frame_sport(av->flow_label, qpn, dest_qpn),
		.opcode = RN_OP_SEND_ONLY,
		.mig = true,
		.pkey = 0xFFFF,
		.dest_qpn = dest_qpn,
		.op = rn_opcode_row(RN_OP_SEND_ONLY),
	};

	memcpy(pkt.dmac, av->dmac, 6);
	memcpy(pkt.smac, smac, 6);
	memset(t, 0, sizeof(*t));
	rn_assert(rn_frame_hdr_bytes(&pkt) <= sizeof(t->hdr));
	t->bytes = rn_frame_put_headers(&pkt, t->hdr);
	t->ip_off = RN_ETH_BYTES + (av->has_vlan ? RN_VLAN_BYTES : 0);
	t->ipv4 = pkt.ipv4;
	if (!t->ipv4)
		return;
	/* Length and checksum differ from packet to packet. csum is the sum of all other words of
	 * the header. */
	rn_store16(t->hdr + t->ip_off + RN_IPV4_LENGTH, 0);
	rn_store16(t->hdr + t->ip_off + RN_IPV4_CHECKSUM, 0);
	for (unsigned i = 0; i < RN_IPV4_BYTES; i += 2)
		t->csum += rn_load16(t->hdr + t->ip_off + i);
}

/* Stores the IPv4 header checksum. `sum` is the sum of all other 16-bit words of the header. */
static void put_checksum(uint8_t *ip, uint32_t sum)
{
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	rn_store16(ip + RN_IPV4_CHECKSUM, (uint16_t)~sum);
}

/* Writes the lengths, and the IPv4 checksum, into the template. They stay until a packet of another
 * length is built. */
static void set_length(struct rn_tmpl *t, unsigned udp_len)
{
	uint8_t *ip = t->hdr + t->ip_off;

	if (t->ipv4) {
		unsigned len = RN_IPV4_BYTES + udp_len;

		rn_store16(ip + RN_IPV4_LENGTH, len);
		put_checksum(ip, t->csum + len);
	} else {
		rn_store16(ip + RN_IPV6_LENGTH, udp_len);
	}
	rn_store16(t->hdr + t->bytes - RN_BTH_BYTES - RN_UDP_BYTES + RN_UDP_LENGTH, udp_len);
	t->udp_len = udp_len;
}

void rn_tmpl_put(struct rn_tmpl *t, uint8_t *buf, uint8_t opcode, uint32_t psn, unsigned flags,
		 unsigned ext, unsigned n)
{
	unsigned pad = -n & 3,
		 udp_len = RN_UDP_BYTES + RN_BTH_BYTES + ext + n + pad + RN_ICRC_BYTES;
	uint8_t *bth = buf + t->bytes - RN_BTH_BYTES;

	if (rn_unlikely(udp_len != t->udp_len))
		set_length(t, udp_len);

	/* Copy the whole array, because a copy of constant size is faster. buf has room: at least
	 * RN_FRAME_OVERHEAD_MAX bytes. */
	memcpy(buf, t->hdr, sizeof(t->hdr));
	bth[0] = opcode;
	bth[RN_BTH_FLAGS] = RN_BTH_MIG | (flags & RN_TMPL_SE) | pad << RN_BTH_PAD_SHIFT;
	/* The ICRC counts this byte as all ones. rn_tmpl_seal() writes its real value. */
	bth[RN_BTH_ECN] = 0xFF;
	rn_store32(bth + RN_BTH_ACKREQ_BYTE, (flags & RN_TMPL_ACK_REQ ? 0x80000000u : 0) | psn);
}

/* Returns the CRC state after the UDP header. The CRC counts fields that routers may change as all
 * ones. */
static uint32_t icrc_to_udp(struct rn_tmpl *t, const uint8_t *buf)
{
	const uint8_t *bth = buf + t->bytes - RN_BTH_BYTES;
	uint32_t udp_len = rn_load16(bth - RN_UDP_BYTES + RN_UDP_LENGTH);
	unsigned n = t->bytes - RN_BTH_BYTES - t->ip_off;
	uint8_t masked[RN_IPV6_BYTES + RN_UDP_BYTES];

	if (rn_likely(udp_len == t->icrc_len))
		return t->icrc;
	memcpy(masked, buf + t->ip_off, n);
	if (t->ipv4) {
		masked[RN_IPV4_TOS] = masked[RN_IPV4_TTL] = 0xFF;
		memset(masked + RN_IPV4_CHECKSUM, 0xFF, 2);
	} else {
		masked[0] |= 0x0F;
		memset(masked + 1, 0xFF, 3);
		masked[RN_IPV6_HOPS] = 0xFF;
	}
	memset(masked + n - RN_UDP_BYTES + RN_UDP_CHECKSUM, 0xFF, 2);
	t->icrc = rn_icrc_add(RN_ICRC_SEED, masked, n);
	t->icrc_len = udp_len;
	return t->icrc;
}

unsigned rn_tmpl_close(const struct rn_tmpl *t, uint8_t *buf, unsigned ext, unsigned n)
{
	memset(buf + t->bytes + ext + n, 0, -n & 3);
	return rn_tmpl_frame_bytes(t, ext, n);
}

void rn_tmpl_seal(struct rn_tmpl *t, uint8_t *buf, unsigned len)
{
	uint8_t *bth = buf + t->bytes - RN_BTH_BYTES, *end = buf + len - RN_ICRC_BYTES;
	uint32_t crc = rn_icrc_add(icrc_to_udp(t, buf), bth, end - bth);

	bth[RN_BTH_ECN] = 0;
	/* The wire order of the ICRC is little-endian. */
	memcpy(end, &crc, RN_ICRC_BYTES);
}

/* Changes the traffic class in a complete IP header and adapts the IPv4 checksum. */
static void set_tclass(const struct rn_tmpl *t, uint8_t *ip, uint8_t tclass)
{
	if (!t->ipv4) {
		rn_store32(ip, (rn_load32(ip) & 0xF00FFFFF) | (uint32_t)tclass << 20);
		return;
	}
	put_checksum(ip, t->csum + rn_load16(ip + RN_IPV4_LENGTH) + tclass - ip[RN_IPV4_TOS]);
	ip[RN_IPV4_TOS] = tclass;
}

unsigned rn_tmpl_cnp(struct rn_tmpl *t, uint8_t *buf, uint8_t tclass, uint8_t prio)
{
	uint8_t *bth = buf + t->bytes - RN_BTH_BYTES;
	unsigned len;

	/* A CNP has PSN 0, no flags and a payload of zeros. */
	rn_tmpl_put(t, buf, RN_OPCODE_CNP, 0, 0, RN_CNP_BYTES, 0);
	bth[RN_BTH_FLAGS] = 0;
	memset(buf + t->bytes, 0, RN_CNP_BYTES);
	if (t->ip_off > RN_ETH_BYTES)
		buf[RN_ETH_BYTES] = (uint8_t)(prio << 5 | (buf[RN_ETH_BYTES] & 0x1F));
	set_tclass(t, buf + t->ip_off, tclass);
	len = rn_tmpl_close(t, buf, RN_CNP_BYTES, 0);
	rn_tmpl_seal(t, buf, len);
	bth[RN_BTH_ECN] = RN_BTH_BECN; /* the ICRC counts this byte as all ones */
	return len;
}
