/* ARP messages are parsed and built; malformed ARP messages are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/arp_msg.h"

/* who-has 192.0.2.2 tell 192.0.2.1 */
static const uint8_t request[RN_ARP_BYTES] = {0,   1, 8, 0, 6, 4, 0, 1, 2, 0, 0,   0, 0, 1,
					      192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 192, 0, 2, 2};

static void parses_and_builds_a_request(void **state)
{
	struct rn_arp arp;
	uint8_t again[RN_ARP_BYTES];

	assert_true(rn_arp_parse(request, sizeof(request), &arp));
	assert_int_equal(arp.op, RN_ARP_REQUEST);
	assert_int_equal(arp.sender_mac[5], 1);
	assert_int_equal(arp.sender.b[15], 1);
	assert_int_equal(arp.target.b[15], 2);
	assert_int_equal(arp.target.b[11], 0xff);
	rn_arp_build(&arp, again);
	assert_memory_equal(again, request, sizeof(request));
	arp.op = 0x0102; /* no real operation; its two bytes differ, to check the byte order */
	rn_arp_build(&arp, again);
	assert_int_equal(again[6], 1);
	assert_int_equal(again[7], 2);
}

static void refuses_the_malformed(void **state)
{
	static const struct {
		unsigned byte, value;
	} rows[] = {{1, 6}, {2, 0x86}, {4, 8}, {5, 16}, {7, 0}, {7, 3}, {6, 1}};
	struct rn_arp arp;
	uint8_t p[RN_ARP_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(p, request, sizeof(p));
		p[rows[i].byte] = (uint8_t)rows[i].value;
		assert_false(rn_arp_parse(p, sizeof(p), &arp));
	}
	assert_false(rn_arp_parse(request, RN_ARP_BYTES - 1, &arp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_and_builds_a_request),
		cmocka_unit_test(refuses_the_malformed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
