/* Neighbour discovery messages are parsed and built. Malformed messages are refused by the rules of
 * RFC 4861. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdlib.h>

#include "wire/icmp_msg.h"
#include "wire/nd_msg.h"

static const struct rn_gid none, a = {{0x20, 1, 0x0d, 0xb8, [15] = 1}},
				 b = {{0x20, 1, 0x0d, 0xb8, [13] = 0xab, [15] = 2}};
static const struct rn_gid group = {{0xff, 2, [11] = 1, [12] = 0xff, [13] = 0xab, [15] = 2}};

static void seal(const struct rn_gid *src, const struct rn_gid *dst, uint8_t *p, size_t len)
{
	uint16_t sum;

	p[2] = p[3] = 0;
	sum = rn_ip_checksum(rn_ipv6_pseudo_sum(src, dst, (uint16_t)len, RN_IPPROTO_ICMPV6), p,
			     len);
	p[2] = (uint8_t)(sum >> 8);
	p[3] = (uint8_t)sum;
}

static void both_ways(void **state)
{
	static const struct rn_nd rows[] = {
		{.type = RN_ND_SOLICIT,
		 .target = {{0xfe, 0x80, [15] = 2}},
		 .has_mac = true,
		 .mac = {2, 0, 0, 0, 0, 1}},
		{.type = RN_ND_SOLICIT, .target = {{0xfe, 0x80, [15] = 2}}},
		{.type = RN_ND_ADVERT,
		 .override = true,
		 .solicited = true,
		 .has_mac = true,
		 .mac = {2, [5] = 2}},
		{.type = RN_ND_ADVERT, .router = true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t p[RN_ND_BYTES];
		struct rn_nd nd;
		size_t len = rn_nd_build(&a, &b, &rows[i], p);

		assert_int_equal(len, rows[i].has_mac ? 32 : 24);
		if (rows[i].has_mac) /* a MAC option has type 1 (source) or 2 (target) */
			assert_int_equal(p[24], rows[i].type == RN_ND_SOLICIT ? 1 : 2);
		if (rows[i].type == RN_ND_ADVERT) /* the flags R, S and O (RFC 4861, section 4.4) */
			assert_int_equal(p[4], rows[i].router << 7 | rows[i].solicited << 6 |
						       rows[i].override << 5);
		assert_true(rn_nd_parse(&a, &b, p, len, &nd));
		assert_memory_equal(&nd, &rows[i], sizeof(nd));
		/* with another destination address the message is refused, because the checksum
		 * covers the addresses */
		assert_false(rn_nd_parse(&a, &a, p, len, &nd));
	}
}

static void refuses_the_malformed(void **state)
{
	static const struct {
		const char *what;
		uint8_t type, byte, value;
		const struct rn_gid *src, *dst;
		bool ok;
	} rows[] = {
		{"as built", RN_ND_SOLICIT, 0, RN_ND_SOLICIT, &a, &group, true},
		{"router advertisement", RN_ND_SOLICIT, 0, 134, &a, &group, false},
		{"code", RN_ND_SOLICIT, 1, 1, &a, &group, false},
		{"multicast target", RN_ND_SOLICIT, 8, 0xff, &a, &group, false},
		{"option of length 0", RN_ND_SOLICIT, 25, 0, &a, &group, false},
		{"option beyond the end", RN_ND_SOLICIT, 25, 2, &a, &group, false},
		{"foreign option", RN_ND_SOLICIT, 24, 14, &a, &group, true},
		{"from nobody, with a MAC", RN_ND_SOLICIT, 0, RN_ND_SOLICIT, &none, &group, false},
		{"from nobody, no MAC", RN_ND_SOLICIT, 24, 14, &none, &group, true},
		{"from nobody, to one", RN_ND_SOLICIT, 24, 14, &none, &b, false},
		{"solicited, to a group", RN_ND_ADVERT, 4, 0x40, &a, &group, false},
		{"solicited, to one", RN_ND_ADVERT, 4, 0x40, &a, &b, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_nd nd = {.type = rows[i].type, .target = b, .has_mac = true};
		uint8_t p[RN_ND_BYTES];

		rn_nd_build(rows[i].src, rows[i].dst, &nd, p);
		p[rows[i].byte] = rows[i].value;
		seal(rows[i].src, rows[i].dst, p, sizeof(p));
		if (rn_nd_parse(rows[i].src, rows[i].dst, p, sizeof(p), &nd) != rows[i].ok)
			fail_msg("%s", rows[i].what);
		assert_false(rn_nd_parse(rows[i].src, rows[i].dst, p, 23, &nd));
	}
}

/* A malformed option makes the message invalid. Of two options with the same type the first counts.
 * A target MAC option in a solicitation is ignored. */
static void options(void **state)
{
	struct rn_nd nd = {.type = RN_ND_SOLICIT, .target = b, .has_mac = true, .mac = {2, 4, 6}};
	uint8_t p[RN_ND_BYTES + 8];

	rn_nd_build(&a, &group, &nd, p);
	memcpy(p + 32, p + 24, 8);
	p[34] = 8;
	for (size_t len = 24; len <= sizeof(p); len++) {
		uint8_t *exact = malloc(len);

		memcpy(exact, p, len);
		seal(&a, &group, exact, len);
		assert_int_equal(rn_nd_parse(&a, &group, exact, len, &nd), len % 8 == 0);
		if (len % 8 == 0)
			assert_true(nd.has_mac == (len > 24) && nd.mac[0] == (len > 24 ? 2 : 0));
		free(exact);
	}
	p[24] = 2;
	seal(&a, &group, p, sizeof(p));
	assert_true(rn_nd_parse(&a, &group, p, sizeof(p), &nd));
	assert_int_equal(nd.mac[0], 8);
}

static void solicited_node_group(void **state)
{
	struct rn_gid g;

	rn_nd_solicited_node(&b, &g);
	assert_memory_equal(&g, &group, sizeof(g));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(refuses_the_malformed),
		cmocka_unit_test(options),
		cmocka_unit_test(solicited_node_group),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
