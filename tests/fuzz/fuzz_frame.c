/* Fuzz target: parses arbitrary bytes as an Ethernet frame. The parser may not read beyond the
 * frame.
 *
 * If the frame is accepted, a frame is built from the packet and parsed again. Parsing must
 * give the same packet again. The built frame must equal the input, unless the input had padding or
 * other bytes without meaning.
 *
 * A fuzzer rarely finds a valid checksum. So every input is tried twice: unchanged, and with
 * correct IPv4 checksum, UDP checksum and ICRC. */
#include <string.h>

#include "wire/arp_msg.h"
#include "wire/dump.h"
#include "wire/frame.h"
#include "fuzz.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "wire/icrc.h"
#include "wire/nd_msg.h"

#define FRAME_BYTES 9216

static bool pad_is_zero(const struct rn_pkt *pkt)
{
	for (unsigned i = 0; i < pkt->pad; i++) {
		if (pkt->payload[pkt->payload_len + i])
			return false;
	}
	return true;
}

/* Returns true if rn_frame_build() must turn the parsed packet into exactly the input bytes. The
 * conditions are:
 * - The input has nothing after the packet.
 * - All pad bytes are zero.
 * - The frame has no priority tag.
 * - The IPv4 checksum is not 0xFFFF, which means the same as 0. */
static bool canonical(const struct rn_pkt *pkt, const uint8_t *frame, size_t len)
{
	bool tagged = rn_load16(frame + RN_ETH_TYPE) == RN_ETHERTYPE_VLAN;
	bool two_zeros = pkt->ipv4 && rn_load16(pkt->ip + RN_IPV4_CHECKSUM) == 0xFFFF;
	return rn_frame_bytes(pkt) == len && pad_is_zero(pkt) && tagged == pkt->has_vlan &&
	       !two_zeros;
}

static void check_rebuild(const struct rn_pkt *pkt, const uint8_t *frame, size_t len)
{
	static uint8_t once[FRAME_BYTES + 4], twice[FRAME_BYTES + 4];
	struct rn_pkt again;
	unsigned n = rn_frame_build(pkt, once, sizeof(once));

	CHECK(n && n <= len);
	CHECK(rn_frame_parse(once, n, &again) == RN_V_OK);
	CHECK(again.payload_len == pkt->payload_len);
	CHECK(rn_frame_build(&again, twice, sizeof(twice)) == n);
	CHECK(memcmp(once, twice, n) == 0);
	if (canonical(pkt, frame, len))
		CHECK(memcmp(once, frame, n) == 0);
}

static void check_message(const struct rn_pkt *pkt)
{
	struct rn_arp arp;
	struct rn_nd nd;
	struct rn_icmp_echo echo;

	switch ((enum rn_pkt_kind)pkt->kind) {
	case RN_PKT_ARP:
		rn_arp_parse(pkt->payload, pkt->payload_len, &arp);
		break;
	case RN_PKT_ND:
		rn_nd_parse(&pkt->src, &pkt->dst, pkt->payload, pkt->payload_len, &nd);
		break;
	case RN_PKT_ICMP:
		if (rn_icmp_echo_parse(pkt->ipv4, &pkt->src, &pkt->dst, pkt->payload,
				       pkt->payload_len, &echo))
			CHECK(echo.data_len <= pkt->payload_len);
		break;
	case RN_PKT_IB:
		break;
	}
}

static void check_frame(const uint8_t *frame, size_t len)
{
	struct rn_pkt pkt;
	char line[RN_DUMP_BYTES];
	enum rn_verdict v = rn_frame_parse(frame, len, &pkt);

	CHECK(v < RN_V_COUNT);
	CHECK(rn_dump_frame(line, sizeof(line), frame, len) < sizeof(line) - 1);
	if (v != RN_V_OK)
		return;
	CHECK(pkt.payload >= frame && pkt.payload + pkt.payload_len <= frame + len);
	if (pkt.kind == RN_PKT_IB)
		check_rebuild(&pkt, frame, len);
	else
		check_message(&pkt);
}

/* Corrects the IPv4 checksum and the ICRC, as far as the lengths in the headers allow. Sets the UDP
 * checksum to 0 (unused). */
static void repair(uint8_t *frame, size_t len)
{
	size_t at = RN_ETH_BYTES;
	if (len < at + RN_VLAN_BYTES)
		return;
	uint16_t type = rn_load16(frame + RN_ETH_TYPE);
	if (type == RN_ETHERTYPE_VLAN) {
		type = rn_load16(frame + at + 2);
		at += RN_VLAN_BYTES;
	}
	uint8_t *ip = frame + at;
	size_t left = len - at, ip_len = type == RN_ETHERTYPE_IPV4 ? RN_IPV4_BYTES : RN_IPV6_BYTES;
	if ((type != RN_ETHERTYPE_IPV4 && type != RN_ETHERTYPE_IPV6) ||
	    left < ip_len + RN_UDP_BYTES)
		return;
	if (type == RN_ETHERTYPE_IPV4) {
		memset(ip + RN_IPV4_CHECKSUM, 0, 2);
		rn_store16(ip + RN_IPV4_CHECKSUM, rn_ip_checksum(0, ip, RN_IPV4_BYTES));
	}
	uint8_t *udp = ip + ip_len;
	size_t udp_len = rn_load16(udp + RN_UDP_LENGTH);
	if (udp_len < RN_UDP_BYTES + RN_BTH_BYTES + RN_ICRC_BYTES || udp_len > left - ip_len)
		return;
	if (ip[0] >> 4 != (type == RN_ETHERTYPE_IPV4 ? 4 : 6))
		return;
	memset(udp + RN_UDP_CHECKSUM, 0, 2);
	uint32_t icrc = rn_icrc_packet(ip, ip_len + udp_len - RN_ICRC_BYTES);
	memcpy(udp + udp_len - RN_ICRC_BYTES, &icrc, sizeof(icrc));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len == 0 || len > FRAME_BYTES)
		return 0;
	/* The copy has exactly the input's size, so that a sanitizer detects a read of the first
	 * byte beyond it. */
	uint8_t *frame = malloc(len);
	CHECK(frame);
	memcpy(frame, data, len);
	check_frame(frame, len);
	repair(frame, len);
	check_frame(frame, len);
	free(frame);
	return 0;
}
