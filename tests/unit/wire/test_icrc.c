/* The ICRC of frames whose ICRC is known, and of the bytes that the ICRC covers. A change of a
 * masked header field must keep the ICRC; a change of any other byte must change it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/hdr.h"
#include "wire/icrc.h"
#include "base/types.h"
#include "vectors.h"

/* Returns the offset of the IP header in a vector; 0 for RoCEv1, which has no IP header. */
static size_t ip_at(const uint8_t *frame)
{
	uint16_t type = rn_load16(frame + RN_ETH_TYPE);
	if (type == RN_ETHERTYPE_ROCE_V1)
		return 0;
	return type == RN_ETHERTYPE_VLAN ? RN_ETH_BYTES + RN_VLAN_BYTES : RN_ETH_BYTES;
}

static uint32_t trailer(const uint8_t *frame, size_t len)
{
	uint32_t v;
	memcpy(&v, frame + len - RN_ICRC_BYTES, sizeof(v));
	return v;
}

static void wire_row_F1_vectors(void **state)
{
	unsigned checked = 0;
	for (size_t i = 0; i < RN_ARRAY_SIZE(vectors); i++) {
		uint8_t f[VECTOR_BYTES];
		size_t len = unhex(vectors[i].hex, f), ip = ip_at(f);
		if (!ip)
			continue;
		uint32_t crc = rn_icrc_packet(f + ip, len - ip - RN_ICRC_BYTES);
		assert_int_equal(crc, trailer(f, len));
		/* A CRC continued over the frame's own ICRC gives a constant, the CRC residue. */
		assert_int_equal(rn_icrc_add(crc, f + len - RN_ICRC_BYTES, RN_ICRC_BYTES),
				 RN_ICRC_SEED);
		checked++;
	}
	assert_int_equal(checked, 19);
}

static void test_published_values(void **state)
{
	uint8_t f[VECTOR_BYTES];
	size_t len = vector_bytes("T1", f);
	assert_int_equal(rn_icrc_packet(f + 14, len - 18), 0xF353F378);
	len = vector_bytes("T3", f);
	assert_int_equal(rn_icrc_packet(f + 14, len - 18), 0x3B745B3E);
}

static void test_crc_is_zlibs(void **state)
{
	static const uint8_t ones[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
	assert_int_equal(rn_icrc_add(0, "123456789", 9), 0xCBF43926);
	assert_int_equal(rn_icrc_add(0, ones, sizeof(ones)), RN_ICRC_SEED);
}

static void test_pseudo_packets(void **state)
{
	for (size_t i = 0; i < RN_ARRAY_SIZE(pseudo_packets); i++) {
		uint8_t f[VECTOR_BYTES], pseudo[VECTOR_BYTES];
		size_t len = vector_bytes(pseudo_packets[i].name, f);
		size_t n = unhex(pseudo_packets[i].hex, pseudo);
		assert_int_equal(rn_icrc_add(0, pseudo, n), trailer(f, len));
	}
}

/* Each row replaces one byte of the vector O1. Masked fields must keep the ICRC, other fields must
 * change the ICRC. The expected ICRC is in wire byte order. */
static void test_sensitivity(void **state)
{
	/* clang-format off */
	static const struct {
		const char *what;
		size_t at;
		uint8_t value;
		uint32_t icrc;
	} row[] = {
		{"TOS",                   15, 0xFF, 0x21C75160},
		{"TTL",                   22, 0x01, 0x21C75160},
		{"IP checksum, high",     24, 0x00, 0x21C75160},
		{"IP checksum, low",      25, 0x00, 0x21C75160},
		{"UDP checksum, high",    40, 0x12, 0x21C75160},
		{"UDP checksum, low",     41, 0x34, 0x21C75160},
		{"FECN, BECN, reserved",  46, 0xFF, 0x21C75160},
		{"IP id 0x0034",          18, 0x00, 0x063B11FB},
		{"DF",                    20, 0x00, 0x9962882C},
		{"UDP source port 0xC053",34, 0xC0, 0xD611D079},
		{"M",                     43, 0xB0, 0x092B592D},
		{"ack byte",              50, 0xFF, 0xA4D98F36},
		{"last pad byte",         61, 0x01, 0xB7F75617},
	};
	/* clang-format on */
	for (size_t i = 0; i < RN_ARRAY_SIZE(row); i++) {
		uint8_t f[VECTOR_BYTES];
		size_t len = vector_bytes("O1", f);
		assert_int_not_equal(f[row[i].at], row[i].value);
		f[row[i].at] = row[i].value;
		if (__builtin_bswap32(rn_icrc_packet(f + 14, len - 18)) != row[i].icrc)
			fail_msg("%s", row[i].what);
	}
}

/* The CRC-32 of zlib after the eight 0xFF bytes, one byte at a time and without the code under
 * test. */
static uint32_t crc_by_table(const uint8_t *p, size_t len)
{
	static uint32_t table[256];
	uint32_t crc = ~RN_ICRC_SEED;
	for (uint32_t i = 0; !table[255] && i < 256; i++) {
		uint32_t c = i;
		for (unsigned bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0);
		table[i] = c;
	}
	for (size_t i = 0; i < len; i++)
		crc = crc >> 8 ^ table[(crc ^ p[i]) & 0xFF];
	return ~crc;
}

/* Every length up to beyond a block of any kernel, so every way that a CRC is continued. */
static void test_add(void **state)
{
	uint8_t p[600];

	for (unsigned i = 0; i < sizeof(p); i++)
		p[i] = (uint8_t)(i * 13 + i / 256 + 1);
	for (unsigned n = 0; n <= sizeof(p) - 1; n++)
		for (unsigned at = 0; at < 2; at++)
			assert_int_equal(rn_icrc_add(RN_ICRC_SEED, p + at, n),
					 crc_by_table(p + at, n));
}

/* Computes the ICRC literally by the rule, as a reference for the code under test. Copies all
 * bytes, masks them byte by byte, and computes the CRC. */
static uint32_t by_the_letter(const uint8_t *ip, size_t len)
{
	static const unsigned v4[] = {1, 8, 10, 11, 26, 27, 32}, v6[] = {1, 2, 3, 7, 46, 47, 52};
	static uint8_t copy[9800];
	memcpy(copy, ip, len);
	if (ip[0] >> 4 == 6)
		copy[0] |= 0x0F;
	for (size_t i = 0; i < RN_ARRAY_SIZE(v4); i++)
		copy[ip[0] >> 4 == 4 ? v4[i] : v6[i]] = 0xFF;
	return crc_by_table(copy, len);
}

/* The ICRC can be computed in pieces of any length and alignment. The result equals the ICRC of the
 * whole packet. The lengths are below and above every threshold of the code. */
static void test_pieces(void **state)
{
	static uint8_t f[5000];
	for (size_t i = 0; i < sizeof(f); i++)
		f[i] = (uint8_t)(i * 7 + i / 256);
	for (unsigned version = 4; version <= 6; version += 2) {
		size_t least = version == 4 ? 40 : 60;
		f[14] = (uint8_t)(version << 4 | 5);
		for (size_t len = least; len < sizeof(f) - 14; len += len < 1200 ? 1 : 97) {
			uint32_t whole = rn_icrc_packet(f + 14, len);
			assert_int_equal(whole, by_the_letter(f + 14, len));
			assert_int_equal(rn_icrc_packet_by_copy(f + 14, len), whole);
			for (size_t cut = least; cut <= len; cut += 1 + len / 3) {
				uint32_t crc = rn_icrc_packet(f + 14, cut);
				size_t middle = (len - cut) / 3;
				crc = rn_icrc_add(crc, f + 14 + cut, middle);
				crc = rn_icrc_add(crc, f + 14 + cut + middle, len - cut - middle);
				assert_int_equal(crc, whole);
			}
		}
	}
}

/* Tests every length that is a multiple of 4, up to beyond any jumbo frame. So every constant of
 * the CRC tables is used. */
static void test_every_length(void **state)
{
	static uint8_t f[9800];

	for (size_t i = 0; i < sizeof(f); i++)
		f[i] = (uint8_t)(i * 11 + i / 256 + 1);
	for (unsigned version = 4; version <= 6; version += 2) {
		f[0] = (uint8_t)(version << 4 | 5);
		for (size_t len = 60; len <= sizeof(f); len += 4)
			assert_int_equal(rn_icrc_packet(f, len), by_the_letter(f, len));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_F1_vectors), cmocka_unit_test(test_published_values),
		cmocka_unit_test(test_crc_is_zlibs),   cmocka_unit_test(test_pseudo_packets),
		cmocka_unit_test(test_sensitivity),    cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_every_length),   cmocka_unit_test(test_add),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
