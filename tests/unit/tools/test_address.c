/* Parsing of addresses on command lines: every valid form, and invalid texts that resemble a valid
 * form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/address.h"

/* clang-format off */
static const struct {
	/* `words` is the text to parse. `meant` is the expected address and port (the default port
	 * is 99), or NULL if the text is refused. */
	const char *words, *meant;
} rows[] = {
	{"192.0.2.1",             "192.0.2.1:99"},
	{"192.0.2.1:1",           "192.0.2.1:1"},
	{"192.0.2.1:65535",       "192.0.2.1:65535"},
	{"192.0.2.1:0080",        "192.0.2.1:80"},
	{"2001:db8::1",           "[2001:db8::1]:99"},
	{"[2001:db8::1]",         "[2001:db8::1]:99"},
	{"[2001:db8::1]:5000",    "[2001:db8::1]:5000"},
	{"::ffff:192.0.2.1",      "[::ffff:192.0.2.1]:99"},
	{"2001:db8::1:5",         "[2001:db8::1:5]:99"},
	{"",                      NULL},
	{":",                     NULL},
	{":80",                   NULL},
	{"[]",                    NULL},
	{"[",                     NULL},
	{"192.0.2.1:",            NULL},
	{"192.0.2.1:0",           NULL},
	{"192.0.2.1:65536",       NULL},
	{"192.0.2.1:99999",       NULL},
	{"192.0.2.1:100000",      NULL},
	{"192.0.2.1: 80",         NULL},
	{"192.0.2.1:+80",         NULL},
	{"192.0.2.1:80 ",         NULL},
	{"192.0.2.256",           NULL},
	{"192.0.2",               NULL},
	{"[192.0.2.1]:80",        NULL},
	{"[2001:db8::1",          NULL},
	{"[2001:db8::1]80",       NULL},
	{"[2001:db8::1]:",        NULL},
	{"2001:db8::1]:80",       NULL},
	{"[2001:db8:1111:1111:1111:1111:1111:1111:1111:1111:1111]:80", NULL},
	{"localhost",             NULL},
};
/* clang-format on */

static void parses_or_refuses(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sockaddr_storage a;
		char text[ADDRESS_TEXT];
		bool good = address_parse(rows[i].words, 99, &a);
		if (good != (rows[i].meant != NULL))
			fail_msg("'%s' is %s", rows[i].words, good ? "taken" : "refused");
		if (good) {
			assert_string_equal(address_text(&a, text), rows[i].meant);
			assert_int_equal(address_bytes(&a), rows[i].meant[0] == '['
								    ? sizeof(struct sockaddr_in6)
								    : sizeof(struct sockaddr_in));
		}
	}
}

static void port_0_is_not_printed(void **state)
{
	struct sockaddr_storage a;
	char text[ADDRESS_TEXT];
	assert_true(address_parse("2001:db8::1", 0, &a));
	assert_string_equal(address_text(&a, text), "2001:db8::1");
	assert_true(address_parse_ip("192.0.2.1", 0, &a));
	assert_string_equal(address_text(&a, text), "192.0.2.1");
	assert_false(address_parse_ip("192.0.2.1:5", 0, &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_or_refuses),
		cmocka_unit_test(port_0_is_not_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
