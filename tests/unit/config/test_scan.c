/* Text that libconfig would misread is refused before libconfig reads it; libconfig gets all other
 * text. */
#include "snippet.h"

#define ROWS(...)                                           \
	static const struct snippet rows[] = {__VA_ARGS__}; \
	(void)state;                                        \
	check_snippets(rows, sizeof(rows) / sizeof(rows[0]))

#define NUMBERS \
	"allowed: whole numbers up to 2147483647, or up to 9223372036854775807 with L behind them"

static void test_numbers_are_not_cut(void **state)
{
	ROWS({SECTION("limits = {\n max_qp = 4294967297; };"),
	      "t.conf:3: found 4294967297, " NUMBERS},
	     {SECTION("limits = { max_qp = 2147483648; };"),
	      "t.conf:2: found 2147483648, " NUMBERS},
	     {SECTION("limits = { max_qp = 0x100000001; };"),
	      "t.conf:2: found 0x100000001, " NUMBERS},
	     {SECTION("protocol = { seed = 9223372036854775808L; };"),
	      "t.conf:2: found 9223372036854775808, " NUMBERS},
	     {SECTION("protocol = { seed = 99999999999999999999999L; };"),
	      "t.conf:2: found 99999999999999999999999, " NUMBERS},
	     {SECTION("protocol = { seed = 2147483647; };"), NULL},
	     {SECTION("protocol = { seed = 4294967297L; };"), NULL});
}

static void test_large_numbers_elsewhere_are_text(void **state)
{
	ROWS({SECTION("capture = { file = \"/tmp/99999999999.pcap\"; };"), NULL},
	     {SECTION("capture = { file = \"quote \\\" 99999999999\"; };"), NULL},
	     {SECTION("# 99999999999\n// 99999999999\n/* 99999999999\n 99999999999 */ log = { };"),
	      NULL},
	     {SECTION("impair = { loss = 0.000000000099999999999; dup = 1e1; };"), NULL},
	     {SECTION("/* not ended\n99999999999"),
	      "t.conf:2: found a comment without end, allowed: /* ... */"},
	     {SECTION("/**/ log = { }; /* / */ /***/"), NULL},
	     {SECTION("log = \"not ended 99999999999"),
	      "t.conf:3: syntax error, allowed: key = value; (libconfig syntax)"});
}

static void test_includes_are_refused(void **state)
{
	ROWS({"@include \"/\"\n", "t.conf:1: found @include, allowed: one file, without @include"},
	     {SECTION("  @include \"x\""),
	      "t.conf:2: found @include, allowed: one file, without @include"},
	     {SECTION("capture = { file = \"a@include\"; }; # @include"), NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_not_cut),
		cmocka_unit_test(test_large_numbers_elsewhere_are_text),
		cmocka_unit_test(test_includes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
