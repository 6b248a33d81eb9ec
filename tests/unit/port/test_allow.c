/* EAL may use only the PCI devices that the configuration names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "nic/allow.h"
#include "base/types.h"

static const struct {
	/* device string of each adapter; NULL: the port of the adapter is not of kind vdev */
	const char *vdev[3];
	const char *arg[3];
} rows[] = {
	{{NULL}, {"--no-pci"}},
	{{"net_tap0,iface=t"}, {"--no-pci"}},
	/* virtual devices whose names do not begin with net_ */
	{{"virtio_user0,path=/dev/vhost-net"}, {"--no-pci"}},
	{{"eth_null0"}, {"--no-pci"}},
	{{""}, {"--no-pci"}},
	{{"0000:01:00.0"}, {"--allow=0000:01:00.0"}},
	{{"01:00.0,rxq_pkt_pad_en=1,x=2"}, {"--allow=0000:01:00.0,rxq_pkt_pad_en=1,x=2"}},
	{{"net_tap0", "pci:01:00.1", NULL}, {"--allow=0000:01:00.1"}},
	{{"0000:01:00.0", NULL, "0000:01:00.1"}, {"--allow=0000:01:00.0", "--allow=0000:01:00.1"}},
};

static void allows_exactly_what_is_named(void **state)
{
	static struct rn_config cfg;
	char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN];

	for (unsigned r = 0; r < RN_ARRAY_SIZE(rows); r++) {
		unsigned wanted = 0;

		memset(&cfg, 0, sizeof(cfg));
		cfg.nadapters = 3;
		for (unsigned i = 0; i < 3; i++) {
			cfg.adapter[i].port = rows[r].vdev[i] != NULL ? RN_CONFIG_PORT_VDEV
								      : RN_CONFIG_PORT_NULLDEV;
			snprintf(cfg.adapter[i].vdev, sizeof(cfg.adapter[i].vdev), "%s",
				 rows[r].vdev[i] ? rows[r].vdev[i] : "");
			wanted += rows[r].arg[i] != NULL;
		}
		assert_int_equal(rn_allow_arguments(&cfg, arg), wanted);
		for (unsigned i = 0; i < wanted; i++)
			assert_string_equal(arg[i], rows[r].arg[i]);
	}
}

static void cuts_no_argument_short(void **state)
{
	static struct rn_config cfg = {.nadapters = 1, .adapter[0].port = RN_CONFIG_PORT_VDEV};
	char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN], *vdev = cfg.adapter[0].vdev;

	memset(vdev, 'x', sizeof(cfg.adapter[0].vdev) - 1);
	memcpy(vdev, "1:0.0,", 6);
	assert_int_equal(rn_allow_arguments(&cfg, arg), 1);
	assert_int_equal(strlen(arg[0]),
			 strlen("--allow=0000:01:00.0") + strlen(vdev) - strlen("1:0.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allows_exactly_what_is_named),
		cmocka_unit_test(cuts_no_argument_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
