/* The vectors of vectors.h, whose bytes are known to be correct, are parsed and rebuilt byte for
 * byte. Every malformed frame gets the verdict of its first error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "wire/arp_msg.h"
#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "wire/icrc.h"
#include "base/rng.h"
#include "base/types.h"
#include "vectors.h"

/* Parses from a heap block of exactly len bytes, so that a sanitizer detects any read beyond the
 * block. */
static enum rn_verdict parse_exact(const uint8_t *frame, size_t len)
{
	struct rn_pkt pkt;
	uint8_t *copy = malloc(len);
	if (len)
		memcpy(copy, frame, len);
	enum rn_verdict v = rn_frame_parse(copy, len, &pkt);
	if (v == RN_V_OK && pkt.payload_len)
		assert_true(pkt.payload > copy && pkt.payload + pkt.payload_len <= copy + len);
	free(copy);
	return v;
}

static void expect_verdict(const char *what, enum rn_verdict got, enum rn_verdict want)
{
	if (got != want)
		fail_msg("%s: got \"%s\", want \"%s\"", what, rn_verdicts[got].text,
			 rn_verdicts[want].text);
}

/* The checksums that are recomputed after a change to a frame, so that the change is the frame's
 * only error. */
enum repair { AS_IS = 0, SUM = 1, CRC = 2 };

static size_t ip_at(const uint8_t *f)
{
	return rn_load16(f + RN_ETH_TYPE) == RN_ETHERTYPE_VLAN ? 18 : 14;
}

static void repair_frame(uint8_t *f, size_t len, enum repair repair)
{
	uint8_t *ip = f + ip_at(f);
	if (repair & SUM) {
		uint32_t sum = 0;
		rn_store16(ip + RN_IPV4_CHECKSUM, 0);
		for (unsigned i = 0; i < (ip[0] & 15u) * 4; i += 2)
			sum += rn_load16(ip + i);
		while (sum >> 16)
			sum = (sum >> 16) + (sum & 0xFFFF);
		rn_store16(ip + RN_IPV4_CHECKSUM, (uint16_t)~sum);
	}
	/* After a change of the IP version, the frame may be too short for the headers. */
	if ((repair & CRC) && len >= ip_at(f) + (ip[0] >> 4 == 4 ? 20 : 40) + 8 + 12 + 4) {
		uint32_t crc = rn_icrc_packet(ip, (size_t)(f + len - 4 - ip));
		memcpy(f + len - 4, &crc, 4);
	}
}

/* Row F1 of docs/spec/rocev2.md: every vector is parsed and rebuilt byte for byte. */
static void test_vectors_rebuild(void **state)
{
	unsigned rebuilt = 0;
	for (size_t i = 0; i < RN_ARRAY_SIZE(vectors); i++) {
		uint8_t f[VECTOR_BYTES], out[VECTOR_BYTES];
		size_t len = unhex(vectors[i].hex, f);
		struct rn_pkt pkt;
		enum rn_verdict v = rn_frame_parse(f, len, &pkt);
		if (vectors[i].name[0] == 'T' && vectors[i].name[1] >= '4') {
			/* Row F32 of docs/spec/rocev2.md: a RoCEv1 frame is dropped */
			expect_verdict(vectors[i].name, v, RN_V_FRAME_ROCE_V1);
			continue;
		}
		expect_verdict(vectors[i].name, v, RN_V_OK);
		memset(out, 0xAA, sizeof(out));
		assert_int_equal(rn_frame_bytes(&pkt), len);
		assert_int_equal(rn_frame_build(&pkt, out, sizeof(out)), len);
		assert_memory_equal(out, f, len);
		assert_int_equal(rn_frame_build(&pkt, out, len - 1), 0);
		assert_int_equal(rn_frame_build(&pkt, out, len), len);
		rebuilt++;
	}
	assert_int_equal(rebuilt, 19);
}

/* Each row replaces one byte of a correct frame and names the expected verdict. Offsets in the
 * frame:
 * - IPv4: IP 14, UDP 34, BTH 42, payload of a SEND 54
 * - IPv6: IP 14, UDP 54, BTH 62
 * - vector O6: 4 more, because of its VLAN tag */
/* clang-format off */
static const struct {
	const char *what, *vector;
	size_t at;
	uint8_t value;
	enum repair repair;
	enum rn_verdict verdict;
} change[] = {
	{"LLDP",                         "O1",  12, 0x88, AS_IS, RN_V_FRAME_ETHERTYPE},
	{"tag within a tag",             "O6",  16, 0x81, AS_IS, RN_V_FRAME_ETHERTYPE},
	{"F2 payload bit",               "O1",  54, 'I',  AS_IS, RN_V_ICRC},
	{"F3 pad bit",                   "O1",  59, 0x01, AS_IS, RN_V_ICRC},
	{"F4 TTL",                       "O1",  22, 0x07, SUM,   RN_V_OK},
	{"F4 DSCP",                      "O1",  15, 0xC2, SUM,   RN_V_OK},
	{"F4 ECN",                       "O1",  15, 0x03, SUM,   RN_V_OK},
	{"F4 FECN and BECN",             "O1",  46, 0xC0, AS_IS, RN_V_OK},
	{"F4 v6 traffic class",          "O4",  14, 0x6F, AS_IS, RN_V_OK},
	{"F4 v6 flow label",             "O4",  17, 0x55, AS_IS, RN_V_OK},
	{"F4 v6 hop limit",              "O4",  21, 0x01, AS_IS, RN_V_OK},
	{"F5 IP id",                     "O1",  18, 0x00, SUM,   RN_V_ICRC},
	{"F5 DF",                        "O1",  20, 0x00, SUM,   RN_V_ICRC},
	{"F5 UDP source port",           "O1",  34, 0xC0, AS_IS, RN_V_ICRC},
	{"reserved flag of IPv4",        "O1",  20, 0xC0, SUM | CRC, RN_V_OK},
	{"F6 pad bytes not zero",        "O1",  59, 0x55, CRC,   RN_V_OK},
	{"F9 wrong UDP checksum",        "T1",  40, 0xAD, AS_IS, RN_V_UDP_CHECKSUM},
	{"F9 wrong UDP checksum v6",     "T3",  60, 0xE8, AS_IS, RN_V_UDP_CHECKSUM},
	{"F12 destination port 4790",    "O1",  37, 0xB6, CRC,   RN_V_UDP_PORT},
	{"F13 IPv4 options",             "O1",  14, 0x46, SUM,   RN_V_IP_OPTIONS},
	{"F14 more fragments",           "O1",  20, 0x20, SUM | CRC, RN_V_IP_FRAGMENT},
	{"F14 fragment offset",          "O1",  21, 0x01, SUM | CRC, RN_V_IP_FRAGMENT},
	{"F14 v6 fragment header",       "O4",  20, 44,   AS_IS, RN_V_IP_FRAGMENT},
	{"F16 UDP length 23",            "O1",  39, 23,   CRC,   RN_V_UDP_LENGTH},
	{"F16 UDP length 7",             "O1",  39, 7,    CRC,   RN_V_UDP_LENGTH},
	{"F16 UDP length 0",             "O1",  39, 0,    CRC,   RN_V_UDP_LENGTH},
	{"F16 pad without payload",      "O2",  43, 0x10, CRC,   RN_V_BTH_LENGTH},
	{"F16 not a multiple of four",   "O1",  39, 31,   AS_IS, RN_V_BTH_LENGTH},
	{"F16 extension header missing", "O1",  42, 0x0A, CRC,   RN_V_BTH_LENGTH},
	{"F16 extension beyond the end", "O2",  42, 0x13, CRC,   RN_V_BTH_LENGTH},
	{"F17 UDP longer than IP",       "O1",  39, 33,   CRC,   RN_V_UDP_LENGTH},
	{"F17 UDP much longer than IP",  "O1",  38, 0xFF, CRC,   RN_V_UDP_LENGTH},
	{"F17 UDP longer than IPv6",     "O4",  59, 44,   CRC,   RN_V_UDP_LENGTH},
	{"F18 transport version",        "O1",  43, 0xF1, CRC,   RN_V_BTH_VERSION},
	{"F18 transport version 8",      "O1",  43, 0xF8, CRC,   RN_V_BTH_VERSION},
	{"opcode of RD",                 "O1",  42, 0x44, CRC,   RN_V_BTH_OPCODE},
	{"opcode of XRC",                "O1",  42, 0xA4, CRC,   RN_V_BTH_OPCODE},
	{"opcode of a manufacturer",     "O1",  42, 0xFF, CRC,   RN_V_BTH_OPCODE},
	{"reserved opcode of RC",        "O1",  42, 0x15, CRC,   RN_V_OK},
	{"reserved opcode of UD",        "O1",  42, 0x60, CRC,   RN_V_OK},
	{"F22 limited P_Key",            "O1",  44, 0x7F, CRC,   RN_V_OK},
	{"F25 M = 0",                    "O1",  43, 0xB0, CRC,   RN_V_OK},
	{"F26 reserved beside FECN",     "O1",  46, 0x3F, AS_IS, RN_V_OK},
	{"F26 reserved beside ack",      "O1",  50, 0xFF, CRC,   RN_V_OK},
	{"F26 reserved of the DETH",     "O10", 58, 0x99, CRC,   RN_V_OK},
	{"F28 priority tag",             "O6",  15, 0x00, AS_IS, RN_V_OK},
	{"F29 TTL 1",                    "O1",  22, 1,    SUM,   RN_V_OK},
	{"F29 TTL 255",                  "O1",  22, 255,  SUM,   RN_V_OK},
	{"IPv4 version 6",               "O1",  14, 0x65, SUM,   RN_V_IP_HEADER},
	{"IPv4 version 0",               "O1",  14, 0x05, SUM,   RN_V_IP_HEADER},
	{"IPv4 header of 16 bytes",      "O1",  14, 0x44, SUM,   RN_V_IP_HEADER},
	{"IPv4 header of 0 bytes",       "O1",  14, 0x40, SUM,   RN_V_IP_HEADER},
	{"IPv4 header checksum",         "O1",  24, 0xA5, AS_IS, RN_V_IP_HEADER},
	{"IPv4 longer than the frame",   "O1",  17, 0x35, SUM,   RN_V_IP_HEADER},
	{"IPv4 shorter than its header", "O1",  17, 19,   SUM,   RN_V_IP_HEADER},
	{"IPv4 without room for UDP",    "O1",  17, 27,   SUM,   RN_V_UDP_LENGTH},
	{"TCP",                          "O1",  23, 6,    SUM,   RN_V_IP_PROTOCOL},
	{"IPv6 version 4",               "O4",  14, 0x40, AS_IS, RN_V_IP_HEADER},
	{"IPv6 longer than the frame",   "O4",  19, 0x29, AS_IS, RN_V_IP_HEADER},
	{"IPv6 without room for UDP",    "O4",  19, 7,    AS_IS, RN_V_UDP_LENGTH},
	{"IPv6 hop-by-hop options",      "O4",  20, 0,    AS_IS, RN_V_IP_PROTOCOL},
	{"IPv6 TCP",                     "O4",  20, 6,    AS_IS, RN_V_IP_PROTOCOL},
};
/* clang-format on */

/* An accepted frame must rebuild byte for byte, with two exceptions. Non-zero pad bytes (row F6 of
 * docs/spec/rocev2.md) and a priority tag (row F28) are not kept. */
static void expect_rebuild(const char *what, const uint8_t *f, size_t len)
{
	uint8_t out[VECTOR_BYTES];
	struct rn_pkt pkt;
	bool slack = strncmp(what, "F6", 2) == 0 || strncmp(what, "F28", 3) == 0;

	assert_int_equal(rn_frame_parse(f, len, &pkt), RN_V_OK);
	if (!slack && (rn_frame_build(&pkt, out, sizeof(out)) != len || memcmp(out, f, len) != 0))
		fail_msg("%s: does not rebuild", what);
}

static void test_changes(void **state)
{
	for (size_t i = 0; i < RN_ARRAY_SIZE(change); i++) {
		uint8_t f[VECTOR_BYTES];
		size_t len = vector_bytes(change[i].vector, f);
		if (f[change[i].at] == change[i].value)
			fail_msg("%s: changes nothing", change[i].what);
		f[change[i].at] = change[i].value;
		repair_frame(f, len, change[i].repair);
		expect_verdict(change[i].what, parse_exact(f, len), change[i].verdict);
		if (change[i].verdict == RN_V_OK)
			expect_rebuild(change[i].what, f, len);
	}
}

/* Row F7 of docs/spec/rocev2.md: an ICRC in big-endian byte order is rejected. */
static void test_icrc_big_endian(void **state)
{
	uint8_t f[VECTOR_BYTES];
	size_t len = vector_bytes("O1", f);
	rn_store32(f + len - 4, rn_load32(f + len - 4) ^ 1);
	assert_int_equal(parse_exact(f, len), RN_V_ICRC);
	rn_store32(f + len - 4, __builtin_bswap32(rn_load32(f + len - 4) ^ 1));
	assert_int_equal(parse_exact(f, len), RN_V_ICRC);
}

static struct rn_pkt plain_packet(uint8_t opcode, bool ipv4)
{
	struct rn_pkt pkt = {
		.ipv4 = ipv4, .opcode = opcode, .pkey = 0xFFFF, .dest_qpn = 0x123, .hop_limit = 64};
	memset(pkt.dst.b + 10, 0xFF, 2);
	memset(pkt.src.b + 10, 0xFF, 2);
	return pkt;
}

/* A computed UDP checksum of 0 is sent as 0xFFFF, because 0 on the wire means "no checksum". */
static void test_udp_checksum_of_zero(void **state)
{
	unsigned ones = 0;
	for (uint32_t psn = 0; psn < 400000; psn++) {
		struct rn_pkt pkt = plain_packet(RN_OP_SEND_ONLY, true), got;
		uint8_t f[64];
		pkt.udp_checksum = true;
		pkt.psn = psn;
		unsigned len = rn_frame_build(&pkt, f, sizeof(f));
		uint16_t sum = rn_load16(f + 40);
		assert_int_not_equal(sum, 0);
		if (sum == 0xFFFF) {
			assert_int_equal(rn_frame_parse(f, len, &got), RN_V_OK);
			assert_true(got.udp_checksum);
			ones++;
		}
	}
	assert_true(ones > 0);
}

/* Row F11 of docs/spec/rocev2.md: any UDP source port is accepted. */
static void test_any_source_port(void **state)
{
	static const uint16_t port[] = {0, 0x8CD1, 1024, 4791, 65535};
	for (size_t i = 0; i < RN_ARRAY_SIZE(port); i++) {
		uint8_t f[VECTOR_BYTES];
		size_t len = vector_bytes("O1", f);
		rn_store16(f + 34, port[i]);
		repair_frame(f, len, CRC);
		assert_int_equal(parse_exact(f, len), RN_V_OK);
	}
}

/* Row F15 of docs/spec/rocev2.md: Ethernet pads an empty SEND of 58 bytes to 60 bytes. The padding
 * is ignored. */
static void test_ethernet_padding(void **state)
{
	uint8_t f[64] = {0};
	struct rn_pkt pkt = plain_packet(RN_OP_SEND_ONLY, true), got;
	assert_int_equal(rn_frame_build(&pkt, f, sizeof(f)), 58);
	assert_int_equal(rn_frame_parse(f, 60, &got), RN_V_OK);
	assert_int_equal(got.payload_len, 0);
	assert_int_equal(rn_frame_bytes(&got), 58);
}

/* Row F16 of docs/spec/rocev2.md: a UDP length too small for headers, pad and ICRC is rejected,
 * even if the frame has enough bytes. Tried with every opcode and pad count. */
static void test_udp_length_too_small(void **state)
{
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		for (unsigned pad = 0; pad < 4; pad++) {
			struct rn_pkt pkt = plain_packet((uint8_t)opcode, true);
			uint8_t zeros[64] = {0}, f[256];
			pkt.payload = zeros;
			pkt.payload_len = sizeof(zeros);
			unsigned len = rn_frame_build(&pkt, f, sizeof(f));
			f[43] |= (uint8_t)(pad << 4);
			unsigned need = 8u + rn_opcode_row((uint8_t)opcode)->hdr_bytes + pad + 4;
			for (unsigned udp_len = 0; udp_len < need; udp_len++) {
				rn_store16(f + 38, (uint16_t)udp_len);
				repair_frame(f, len, CRC);
				enum rn_verdict v = parse_exact(f, len);
				assert_true(v == RN_V_UDP_LENGTH || v == RN_V_BTH_LENGTH ||
					    v == RN_V_BTH_OPCODE);
			}
		}
	}
}

/* Bytes between the end of the UDP datagram and the end of the IP packet are ignored. */
static void test_junk_after_udp(void **state)
{
	uint8_t f[VECTOR_BYTES];
	struct rn_pkt pkt;
	size_t len = vector_bytes("O1", f);
	memset(f + len, 0x77, 8);
	rn_store16(f + 16, (uint16_t)(len - 14 + 8));
	repair_frame(f, len + 8, SUM);
	uint32_t crc = rn_icrc_packet(f + 14, len - 18);
	memcpy(f + len - 4, &crc, 4);
	assert_int_equal(rn_frame_parse(f, len + 8, &pkt), RN_V_OK);
	assert_int_equal(pkt.payload_len, 5);
	assert_memory_equal(pkt.payload, "HELLO", 5);
}

/* Rows F27 and F28 of docs/spec/rocev2.md: a VLAN tag is parsed. A tag with VID 0 (priority tag)
 * counts as no VLAN. */
static void test_vlan(void **state)
{
	uint8_t f[VECTOR_BYTES];
	struct rn_pkt pkt;
	size_t len = vector_bytes("O6", f);
	assert_int_equal(rn_frame_parse(f, len, &pkt), RN_V_OK);
	assert_true(pkt.has_vlan);
	assert_int_equal(pkt.vlan_tci, 0x6064);
	rn_store16(f + 14, 0x6000);
	assert_int_equal(rn_frame_parse(f, len, &pkt), RN_V_OK);
	assert_false(pkt.has_vlan);
	assert_int_equal(pkt.vlan_tci, 0x6000);
	assert_int_equal(rn_frame_bytes(&pkt), len - 4);
}

/* Every vector is accepted only as a whole frame. A truncated frame is refused, and no byte beyond
 * its end is read. */
static void test_truncation(void **state)
{
	for (size_t i = 0; i < RN_ARRAY_SIZE(vectors); i++) {
		uint8_t f[VECTOR_BYTES];
		size_t full = unhex(vectors[i].hex, f);
		for (size_t len = 0; len < full; len++) {
			enum rn_verdict v = parse_exact(f, len);
			assert_int_not_equal(v, RN_V_OK);
			if (len < 14)
				assert_int_equal(v, RN_V_FRAME_SHORT);
		}
	}
}

/* A header is read only if the whole header is in the frame. Each row changes 16 bits of a vector,
 * repairs the IP checksum, and cuts the frame behind a header. */
static void test_headers_that_just_fit(void **state)
{
	static const struct {
		const char *what, *vector;
		size_t at;
		uint16_t value;
		size_t len;
		/* `least` is the verdict for len bytes, `less` the verdict for len - 1 bytes */
		enum rn_verdict least, less;
	} row[] = {
		{"Ethernet", "O1", 12, 0x88CC, 14, RN_V_FRAME_ETHERTYPE, RN_V_FRAME_SHORT},
		{"VLAN tag", "O6", 16, 0x88CC, 18, RN_V_FRAME_ETHERTYPE, RN_V_FRAME_SHORT},
		{"IPv4", "O1", 16, 20, 34, RN_V_UDP_LENGTH, RN_V_FRAME_SHORT},
		{"IPv4, tagged", "O6", 20, 20, 38, RN_V_UDP_LENGTH, RN_V_FRAME_SHORT},
		{"IPv6", "O4", 18, 0, 54, RN_V_UDP_LENGTH, RN_V_FRAME_SHORT},
		{"IPv4 length", "O1", 16, 28, 42, RN_V_UDP_LENGTH, RN_V_IP_HEADER},
		{"IPv6 length", "O4", 18, 8, 62, RN_V_UDP_LENGTH, RN_V_IP_HEADER},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(row); i++) {
		uint8_t f[VECTOR_BYTES];
		vector_bytes(row[i].vector, f);
		rn_store16(f + row[i].at, row[i].value);
		if (f[ip_at(f)] >> 4 == 4)
			repair_frame(f, row[i].len, SUM);
		expect_verdict(row[i].what, parse_exact(f, row[i].len), row[i].least);
		expect_verdict(row[i].what, parse_exact(f, row[i].len - 1), row[i].less);
	}
}

/* A UDP datagram without payload is well-formed. With a UDP port other than RoCE's it gets
 * RN_V_UDP_PORT. Without room for the UDP header it gets RN_V_UDP_LENGTH. */
static void test_empty_datagram_to_another_port(void **state)
{
	uint8_t f[VECTOR_BYTES];

	vector_bytes("O1", f);
	rn_store16(f + 16, 28);
	rn_store16(f + 36, 53);
	repair_frame(f, 42, SUM);
	assert_int_equal(parse_exact(f, 42), RN_V_UDP_PORT);
	rn_store16(f + 16, 27);
	repair_frame(f, 42, SUM);
	assert_int_equal(parse_exact(f, 42), RN_V_UDP_LENGTH);
}

/* Random bytes of random vectors are replaced, half of the time with a recomputed ICRC. The parser
 * must not read outside the frame, and its pointers must stay inside. */
static void test_random_damage(void **state)
{
	struct rn_rng rng;
	unsigned accepted = 0;
	rn_rng_seed(&rng, 1);
	for (unsigned n = 0; n < 100000; n++) {
		uint8_t f[VECTOR_BYTES];
		size_t len = unhex(vectors[rn_rng_below(&rng, RN_ARRAY_SIZE(vectors))].hex, f);
		for (uint64_t hits = 1 + rn_rng_below(&rng, 3); hits; hits--)
			f[12 + rn_rng_below(&rng, RN_MIN(len, 80) - 12)] =
				(uint8_t)rn_rng_next(&rng);
		if (rn_rng_chance(&rng, 500000))
			repair_frame(f, len, CRC);
		accepted += parse_exact(f, len) == RN_V_OK;
	}
	assert_true(accepted > 1000);
}

static void fill_random(struct rn_pkt *pkt, struct rn_rng *rng)
{
	const struct rn_opcode_row *op = rn_opcode_row(pkt->opcode);
	for (unsigned i = 0; i < 6; i++) {
		pkt->dmac[i] = (uint8_t)rn_rng_next(rng);
		pkt->smac[i] = (uint8_t)rn_rng_next(rng);
	}
	for (unsigned i = pkt->ipv4 ? 12 : 0; i < 16; i++) {
		pkt->src.b[i] = (uint8_t)rn_rng_next(rng);
		pkt->dst.b[i] = (uint8_t)rn_rng_next(rng);
	}
	pkt->has_vlan = rn_rng_chance(rng, 500000);
	pkt->vlan_tci = pkt->has_vlan ? (uint16_t)rn_rng_next(rng) | 1 : 0;
	pkt->tclass = (uint8_t)rn_rng_next(rng);
	pkt->hop_limit = (uint8_t)rn_rng_next(rng);
	pkt->ip_id = pkt->ipv4 ? (uint16_t)rn_rng_next(rng) : 0;
	pkt->ip_df = pkt->ipv4;
	pkt->flow_label = pkt->ipv4 ? 0 : (uint32_t)rn_rng_below(rng, 1 << 20);
	pkt->udp_sport = (uint16_t)rn_rng_next(rng);
	pkt->udp_checksum = rn_rng_chance(rng, 300000);
	pkt->se = rn_rng_chance(rng, 500000);
	pkt->mig = rn_rng_chance(rng, 500000);
	pkt->ack_req = rn_rng_chance(rng, 500000);
	pkt->fecn = rn_rng_chance(rng, 500000);
	pkt->becn = rn_rng_chance(rng, 500000);
	pkt->pkey = (uint16_t)rn_rng_next(rng);
	pkt->dest_qpn = (uint32_t)rn_rng_below(rng, 1 << 24);
	pkt->psn = (uint32_t)rn_rng_below(rng, 1 << 24);
	if (op->has_reth || op->has_atomic_eth) {
		pkt->va = rn_rng_next(rng);
		pkt->rkey = (uint32_t)rn_rng_next(rng);
	}
	pkt->dma_len = op->has_reth ? (uint32_t)rn_rng_next(rng) : 0;
	pkt->swap_add = op->has_atomic_eth ? rn_rng_next(rng) : 0;
	pkt->compare = op->has_atomic_eth ? rn_rng_next(rng) : 0;
	pkt->syndrome = op->has_aeth ? (uint8_t)rn_rng_next(rng) : 0;
	pkt->msn = op->has_aeth ? (uint32_t)rn_rng_below(rng, 1 << 24) : 0;
	pkt->orig = op->has_atomic_ack ? rn_rng_next(rng) : 0;
	pkt->imm = op->has_imm ? (uint32_t)rn_rng_next(rng) : 0;
	pkt->inv_rkey = op->has_ieth ? (uint32_t)rn_rng_next(rng) : 0;
	pkt->qkey = op->has_deth ? (uint32_t)rn_rng_next(rng) : 0;
	pkt->src_qpn = op->has_deth ? (uint32_t)rn_rng_below(rng, 1 << 24) : 0;
}

#define SAME(field) assert_memory_equal(&got.field, &pkt.field, sizeof(pkt.field))

/* Row F31 of docs/spec/rocev2.md: packets are the same after building and parsing. The packets have
 * random fields, every known opcode, and small or largest payloads. */
static void test_build_then_parse(void **state)
{
	static uint8_t payload[4096], f[4096 + RN_FRAME_OVERHEAD_MAX];
	struct rn_rng rng;
	rn_rng_seed(&rng, 2);
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)rn_rng_next(&rng);
	for (unsigned n = 0; n < 40000; n++) {
		struct rn_pkt pkt = plain_packet((uint8_t)rn_rng_below(&rng, 0x82),
						 rn_rng_chance(&rng, 500000)),
			      got;
		if (!rn_opcode_row(pkt.opcode)->known)
			continue;
		fill_random(&pkt, &rng);
		pkt.payload = payload;
		pkt.payload_len = n % 50 == 0 ? 4096 : (uint32_t)rn_rng_below(&rng, 300);
		unsigned len = rn_frame_build(&pkt, f, sizeof(f));
		assert_int_equal(len, rn_frame_bytes(&pkt));
		assert_int_equal(rn_frame_hdr_bytes(&pkt) + RN_ALIGN_UP(pkt.payload_len, 4) + 4,
				 len);
		assert_int_equal(rn_frame_parse(f, len, &got), RN_V_OK);
		assert_int_equal(got.payload_len, pkt.payload_len);
		assert_memory_equal(got.payload, payload, pkt.payload_len);
		assert_int_equal(got.pad, -pkt.payload_len & 3);
		SAME(ipv4), SAME(dmac), SAME(smac), SAME(src), SAME(dst), SAME(has_vlan),
			SAME(vlan_tci);
		SAME(tclass), SAME(hop_limit), SAME(ip_id), SAME(ip_df), SAME(flow_label),
			SAME(udp_sport);
		SAME(udp_checksum), SAME(opcode), SAME(se), SAME(mig), SAME(ack_req), SAME(fecn),
			SAME(becn);
		SAME(pkey), SAME(dest_qpn), SAME(psn), SAME(va), SAME(rkey), SAME(dma_len),
			SAME(syndrome);
		SAME(msn), SAME(imm), SAME(inv_rkey), SAME(qkey), SAME(src_qpn), SAME(swap_add),
			SAME(compare);
		SAME(orig);
		assert_ptr_equal(got.op, rn_opcode_row(pkt.opcode));
	}
}

/* A payload too long for the 16-bit IP length is refused. */
static void test_payload_too_long(void **state)
{
	uint8_t f[64];
	struct rn_pkt pkt = plain_packet(RN_OP_SEND_ONLY, true);
	pkt.payload_len = 65530;
	assert_int_equal(rn_frame_build(&pkt, f, SIZE_MAX), 0);
	pkt.payload_len = UINT32_MAX;
	assert_int_equal(rn_frame_build(&pkt, f, SIZE_MAX), 0);

	/* The longest payload that still fits with the longest headers is accepted. */
	static uint8_t longest[UINT16_MAX], whole[UINT16_MAX + 64];
	pkt.payload = longest;
	pkt.payload_len = UINT16_MAX - RN_FRAME_OVERHEAD_MAX;
	assert_int_equal(rn_frame_build(&pkt, whole, sizeof(whole)), rn_frame_bytes(&pkt));
	pkt.payload_len++;
	assert_int_equal(rn_frame_build(&pkt, whole, sizeof(whole)), 0);
}

/* After a parse error the fields parsed before the error are valid, for counters and traces. */
static void test_fields_parsed_before_an_error(void **state)
{
	uint8_t f[VECTOR_BYTES];
	struct rn_pkt pkt;
	size_t len = vector_bytes("O1", f);
	f[54] ^= 1;
	assert_int_equal(rn_frame_parse(f, len, &pkt), RN_V_ICRC);
	assert_int_equal(pkt.dest_qpn, 0x123);
	assert_int_equal(pkt.src.b[15], 1);
	assert_int_equal(pkt.payload_len, 0);
	f[12] = 0;
	assert_int_equal(rn_frame_parse(f, len, &pkt), RN_V_FRAME_ETHERTYPE);
	assert_null(pkt.op);
	assert_null(pkt.ip);
}

/* ARP, neighbour discovery and ICMP frames are recognised. The bodies of these frames are not
 * parsed. */
static void test_other_protocols(void **state)
{
	uint8_t f[100] = {0};
	struct rn_pkt pkt;

	rn_store16(f + 12, RN_ETHERTYPE_ARP);
	assert_int_equal(rn_frame_parse(f, 60, &pkt), RN_V_OK);
	assert_int_equal(pkt.kind, RN_PKT_ARP);
	assert_ptr_equal(pkt.payload, f + 14);
	assert_int_equal(pkt.payload_len, 46);
	assert_int_equal(parse_exact(f, 14 + 28), RN_V_OK);
	assert_int_equal(parse_exact(f, 14 + 27), RN_V_FRAME_SHORT);

	rn_store16(f + 12, RN_ETHERTYPE_IPV4);
	f[14] = 0x45;
	rn_store16(f + 16, 20 + 8 + 3);
	f[23] = RN_IPPROTO_ICMP;
	repair_frame(f, 60, SUM);
	assert_int_equal(rn_frame_parse(f, 60, &pkt), RN_V_OK);
	assert_int_equal(pkt.kind, RN_PKT_ICMP);
	assert_ptr_equal(pkt.ip, f + 14);
	assert_ptr_equal(pkt.payload, f + 34);
	assert_int_equal(pkt.payload_len, 11);
	rn_store16(f + 16, 20 + 7);
	repair_frame(f, 60, SUM);
	assert_int_equal(parse_exact(f, 60), RN_V_ICMP_BAD);

	memset(f + 14, 0, 60);
	rn_store16(f + 12, RN_ETHERTYPE_IPV6);
	f[14] = 0x60;
	f[19] = 32;
	f[20] = RN_IPPROTO_ICMPV6;
	for (unsigned type = 0; type < 256; type++) {
		f[54] = (uint8_t)type;
		assert_int_equal(rn_frame_parse(f, 86, &pkt), RN_V_OK);
		assert_int_equal(pkt.kind, type >= 133 && type <= 137 ? RN_PKT_ND : RN_PKT_ICMP);
		assert_ptr_equal(pkt.payload, f + 54);
		assert_int_equal(pkt.payload_len, 32);
	}
	f[19] = 7;
	assert_int_equal(parse_exact(f, 86), RN_V_ICMP_BAD);
}

static void test_source_port_entropy(void **state)
{
	/* clang-format off */
	static const struct {
		uint32_t flow_label, local, remote;
		uint16_t sport;
	} row[] = {
		{0,       0x000011, 0x000123, 0xD353},
		{0,       0x000123, 0x000011, 0xD353},
		{0,       0x012345, 0x06789A, 0xFA58},
		{0,       0x06789A, 0x012345, 0xFA58},
		{0,       0xFFFFFF, 0xFFFFFE, 0xFF12},
		{0x12345, 1,        2,        0xE341},
		{0xFFFFF, 1,        2,        0xFFC0},
		{0x00001, 1,        2,        0xC001},
	};
	/* clang-format on */
	for (size_t i = 0; i < RN_ARRAY_SIZE(row); i++)
		assert_int_equal(rn_frame_sport(row[i].flow_label, row[i].local, row[i].remote),
				 row[i].sport);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors_rebuild),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_icrc_big_endian),
		cmocka_unit_test(test_udp_checksum_of_zero),
		cmocka_unit_test(test_any_source_port),
		cmocka_unit_test(test_ethernet_padding),
		cmocka_unit_test(test_udp_length_too_small),
		cmocka_unit_test(test_junk_after_udp),
		cmocka_unit_test(test_vlan),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_headers_that_just_fit),
		cmocka_unit_test(test_empty_datagram_to_another_port),
		cmocka_unit_test(test_random_damage),
		cmocka_unit_test(test_build_then_parse),
		cmocka_unit_test(test_payload_too_long),
		cmocka_unit_test(test_fields_parsed_before_an_error),
		cmocka_unit_test(test_other_protocols),
		cmocka_unit_test(test_source_port_entropy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
