/* Which headers does every packet of a connected QP begin with? Owns nothing: the template belongs
 * to the QP. Runs on the shard's thread.
 *
 * The headers are built once. Each packet gets a copy, in which length, opcode, PSN and flags are
 * set. The ICRC state after the UDP header depends on the length only. Packets of a connection
 * mostly have one of two lengths, so two ICRC states are cached. */
#include "net/tmpl.h"

#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/icrc.h"
#include "wire/icrc_parts.h"

/* Adds the carry of a sum of 16-bit words to the sum. */
static uint32_t fold(uint32_t sum)
{
	return (sum & 0xFFFF) + (sum >> 16);
}

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
	uint32_t sum = 0;

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
		sum += rn_load16(t->hdr + t->ip_off + i);
	t->csum = (uint16_t)fold(fold(sum));
}

/* Stores the IPv4 header checksum. `sum` is the sum of all other 16-bit words of the header, less
 * than 0x1FFFF. */
static void put_checksum(uint8_t *ip, uint32_t sum)
{
	rn_store16(ip + RN_IPV4_CHECKSUM, (uint16_t)~fold(sum));
}

void rn_tmpl_set_length(struct rn_tmpl *t, unsigned udp_len)
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
	t->udp_len = (uint16_t)udp_len;
}

void rn_tmpl_cache_icrc(struct rn_tmpl *t, const uint8_t *buf)
{
	uint16_t len = rn_load16(buf + t->bytes - RN_BTH_BYTES - RN_UDP_BYTES + RN_UDP_LENGTH);
	uint16_t former_len = t->icrc_len[0];
	uint32_t former = t->icrc[0];

	t->icrc_len[0] = t->icrc_len[1];
	t->icrc[0] = t->icrc[1];
	t->icrc_len[1] = former_len;
	t->icrc[1] = former;
	if (t->icrc_len[0] == len)
		return;
	t->icrc[0] = rn_icrc_head(buf + t->ip_off);
	t->icrc_len[0] = len;
}

void rn_tmpl_icrc_to_payload(struct rn_tmpl *t, uint8_t *buf, unsigned ext)
{
	uint8_t *bth = buf + t->bytes - RN_BTH_BYTES;

	if (rn_unlikely(t->udp_len != t->icrc_len[0]))
		rn_tmpl_cache_icrc(t, buf);
	/* The ICRC counts this byte as all ones. */
	bth[RN_BTH_ECN] = 0xFF;
	t->so_far = rn_icrc_add(t->icrc[0], bth, RN_BTH_BYTES + ext);
}

unsigned rn_tmpl_close_sealed(const struct rn_tmpl *t, uint8_t *buf, unsigned ext, unsigned n)
{
	unsigned len = rn_tmpl_close(t, buf, ext, n), pad = -n & 3;
	uint32_t crc = t->so_far;

	if (pad)
		crc = rn_icrc_add(crc, buf + t->bytes + ext + n, pad);
	/* The wire order of the ICRC is little-endian. */
	memcpy(buf + len - RN_ICRC_BYTES, &crc, RN_ICRC_BYTES);
	return len;
}

void rn_tmpl_seal_long(struct rn_tmpl *t, uint8_t *buf, unsigned len)
{
	uint8_t *bth = buf + t->bytes - RN_BTH_BYTES, *end = buf + len - RN_ICRC_BYTES;

	/* The ICRC counts this byte as all ones. A frame that has its ICRC from
	 * rn_tmpl_close_sealed() still has all ones here. */
	if (bth[RN_BTH_ECN] == 0) {
		uint32_t crc;

		if (rn_unlikely((unsigned)(end - bth) + RN_UDP_BYTES + RN_ICRC_BYTES !=
				t->icrc_len[0]))
			rn_tmpl_cache_icrc(t, buf);
		bth[RN_BTH_ECN] = 0xFF;
		crc = rn_icrc_add(t->icrc[0], bth, (size_t)(end - bth));
		memcpy(end, &crc, RN_ICRC_BYTES);
	}
	bth[RN_BTH_ECN] = 0;
}

RN_FOLDING void rn_tmpl_seal_run(struct rn_tmpl *t, struct rn_txbuf *bufs, unsigned n)
{
	struct rn_txbuf *b = bufs, *end = bufs + n;
	uint32_t at = t->bytes - RN_BTH_BYTES, len, icrc;
	size_t bytes;

	while (b != end) {
		len = b->len;
		bytes = len - RN_ICRC_BYTES - at;
		if (rn_unlikely(bytes > RN_ICRC_TAIL_MAX || bytes < 16)) {
			rn_tmpl_seal(t, b->data, len);
			b++;
			continue;
		}
		if (rn_unlikely(bytes + RN_UDP_BYTES + RN_ICRC_BYTES != t->icrc_len[0]))
			rn_tmpl_cache_icrc(t, b->data);
		/* the CRC up to the BTH of all frames of this length */
		icrc = t->icrc[0];
		for (; b != end && b->len == len; b++) {
			uint8_t *bth = b->data + at;
			uint32_t crc = rn_icrc_tail_folded(icrc, bth, bytes);

			memcpy(bth + bytes, &crc, RN_ICRC_BYTES);
		}
	}
}

/* Changes the traffic class in a complete IP header and adapts the IPv4 checksum. */
static void set_tclass(const struct rn_tmpl *t, uint8_t *ip, uint8_t tclass)
{
	if (!t->ipv4) {
		rn_store32(ip, (rn_load32(ip) & 0xF00FFFFF) | (uint32_t)tclass << 20);
		return;
	}
	/* 0xFFFF counts as 0 in this sum, which must not become negative. */
	put_checksum(ip, fold(t->csum + rn_load16(ip + RN_IPV4_LENGTH) + tclass + 0xFFFF -
			      ip[RN_IPV4_TOS]));
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
