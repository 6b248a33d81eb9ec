/* ICMP and ICMPv6 echo messages are parsed and built. Their checksums are compared with known
 * values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/icmp_msg.h"

static const struct rn_gid a = {{0x20, 1, 0x0d, 0xb8, [15] = 1}},
			   b = {{0x20, 1, 0x0d, 0xb8, [15] = 2}};

static void checksum_of_a_known_header(void **state)
{
	/* The IPv4 header of a captured frame, with its correct checksum 0x9e95. */
	static const uint8_t hdr[20] = {0x45, 0,    1,	 0x34, 0x17, 0x20, 0x40, 0, 0x40, 0x11,
					0x9e, 0x95, 192, 0,    2,    2,	   192,	 0, 2,	  1};
	uint8_t zeroed[20];

	assert_int_equal(rn_ip_checksum(0, hdr, 20), 0);
	memcpy(zeroed, hdr, 20);
	zeroed[10] = zeroed[11] = 0;
	assert_int_equal(rn_ip_checksum(0, zeroed, 20), 0x9e95);
	assert_int_equal(rn_ip_checksum(0, (const uint8_t[]){0x12}, 1), 0xedff);
}

static void echo_both_ways(void **state)
{
	for (int ipv4 = 0; ipv4 < 2; ipv4++) {
		for (uint32_t n = 0; n < 100; n++) {
			uint8_t data[100], msg[128];
			struct rn_icmp_echo in = {.reply = n & 1,
						  .id = 0x1234,
						  .seq = 0x5678,
						  .data = data,
						  .data_len = n};
			struct rn_icmp_echo out;
			size_t len;

			memset(data, 0x5a, sizeof(data));
			len = rn_icmp_echo_build(ipv4, &a, &b, &in, msg, sizeof(msg));
			assert_int_equal(len, n + 8);
			assert_true(rn_icmp_echo_parse(ipv4, &a, &b, msg, len, &out));
			assert_int_equal(out.reply, in.reply);
			assert_int_equal(out.id, 0x1234);
			assert_int_equal(out.seq, 0x5678);
			assert_int_equal(msg[0], ipv4 ? (n & 1 ? 0 : 8) : 128 + (n & 1));
			assert_memory_equal(msg + 4, "\x12\x34\x56\x78", 4);
			assert_int_equal(out.data_len, n);
			msg[4] ^= 1;
			assert_false(rn_icmp_echo_parse(ipv4, &a, &b, msg, len, &out));
			msg[4] ^= 1;
			if (n & 1)
				continue;
			/* Only ICMPv6 fails with a wrong address, because its checksum covers the
			 * addresses. */
			assert_int_equal(rn_icmp_echo_parse(ipv4, &a, &a, msg, len, &out), ipv4);
		}
	}
}

/* A message longer than the 16-bit IP length can express is refused. */
static void the_longest(void **state)
{
	static uint8_t data[65536], msg[65536 + 8];

	for (uint32_t n = 65535 - 8; n <= 65536 - 8; n++) {
		struct rn_icmp_echo echo = {.data = data, .data_len = n};
		size_t len = rn_icmp_echo_build(true, &a, &b, &echo, msg, sizeof(msg));

		assert_int_equal(len, n + 8);
		assert_int_equal(rn_icmp_echo_parse(true, &a, &b, msg, len, &echo), len == 65535);
		assert_int_equal(rn_icmp_echo_build(true, &a, &b, &echo, msg, len), len);
	}
}

static void refuses_the_rest(void **state)
{
	uint8_t msg[16] = {3, 1, 0xfc, 0xfe};
	struct rn_icmp_echo echo = {.data_len = 9, .data = msg};

	assert_false(rn_icmp_echo_parse(true, &a, &b, msg, sizeof(msg), &echo));
	assert_false(
		rn_icmp_echo_parse(true, &a, &b, (const uint8_t[8]){8, 0, 0xf7, 0xff}, 7, &echo));
	assert_true(
		rn_icmp_echo_parse(true, &a, &b, (const uint8_t[8]){8, 0, 0xf7, 0xff}, 8, &echo));
	assert_false(
		rn_icmp_echo_parse(false, &a, &b, (const uint8_t[8]){8, 0, 0xf7, 0xff}, 8, &echo));
	echo.data_len = 9;
	assert_int_equal(rn_icmp_echo_build(true, &a, &b, &echo, msg, 16), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksum_of_a_known_header),
		cmocka_unit_test(echo_both_ways),
		cmocka_unit_test(the_longest),
		cmocka_unit_test(refuses_the_rest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
