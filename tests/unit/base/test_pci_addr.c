/* Addresses of PCI devices are read in the ways in which people write them, and printed in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/pci_addr.h"
#include "base/types.h"

static const struct {
	const char *text, *printed;
} good[] = {
	{"0000:04:00.0", "0000:04:00.0"}, {"04:00.0", "0000:04:00.0"},
	{"04:00.0,x=1", "0000:04:00.0"},  {"0000:04:00.0,", "0000:04:00.0"},
	{"1:0.7", "0000:01:00.7"},	  {"0001:AB:1f.7", "0001:ab:1f.7"},
	{"ff:1f.1", "0000:ff:1f.1"},	  {"10000:e1:00.0", "10000:e1:00.0"},
};

static const char *const bad[] = {
	"",
	"0000",
	"04:00",
	"0000:04:00",
	"0000:04:00.8",
	"0000:04:20.0",
	"100:0.0",
	"0:0:0:0.0",
	"04:00.",
	"04:.0",
	":04:00.0",
	" 04:00.0",
	"04:00.0 ",
	"04:00.0;x=1",
	"04:00,x=1",
	"04:00.,0",
	"0x4:00.0",
	"1000000:00:00.0",
	"cafe",
	"0000:04:00.00000000000000001x",
};

static void reads_what_people_write(void **state)
{
	struct rn_pci_addr a;
	char text[RN_PCI_ADDR_LEN];

	for (unsigned i = 0; i < RN_ARRAY_SIZE(good); i++) {
		assert_true(rn_pci_addr_parse(good[i].text, &a));
		rn_pci_addr_print(&a, text);
		assert_string_equal(text, good[i].printed);
	}
}

static void refuses_everything_else(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(bad); i++) {
		struct rn_pci_addr a = {7, 7, 7, 7};

		assert_false(rn_pci_addr_parse(bad[i], &a));
		assert_int_equal(a.domain, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_people_write),
		cmocka_unit_test(refuses_everything_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
