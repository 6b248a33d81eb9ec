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
	/* the port of each adapter; NULL: the port is of another kind than vdev and pci */
	struct {
		const char *vdev, *pci;
	} port[3];
	const char *arg[3];
} rows[] = {
	{{{NULL}}, {"--no-pci", "--iova-mode=va"}},
	{{{"net_tap0,iface=t"}}, {"--no-pci", "--iova-mode=va"}},
	/* virtual devices whose names do not begin with net_ */
	{{{"virtio_user0,path=/dev/vhost-net"}}, {"--no-pci", "--iova-mode=va"}},
	{{{"eth_null0"}}, {"--no-pci", "--iova-mode=va"}},
	{{{""}}, {"--no-pci", "--iova-mode=va"}},
	{{{.pci = "0000:01:00.0"}}, {"--allow=0000:01:00.0"}},
	{{{.pci = "01:00.0,rxq_pkt_pad_en=1,x=2"}}, {"--allow=0000:01:00.0,rxq_pkt_pad_en=1,x=2"}},
	{{{"net_tap0"}, {.pci = "01:00.1"}, {NULL}}, {"--allow=0000:01:00.1"}},
	{{{.pci = "0000:01:00.0"}, {NULL}, {.pci = "0000:01:00.1"}},
	 {"--allow=0000:01:00.0", "--allow=0000:01:00.1"}},
};

static void set(char *to, size_t len, const char *text)
{
	snprintf(to, len, "%s", text != NULL ? text : "");
}

static void allows_exactly_what_is_named(void **state)
{
	static struct rn_config cfg;
	char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN];

	for (unsigned r = 0; r < RN_ARRAY_SIZE(rows); r++) {
		unsigned wanted = 0;

		memset(&cfg, 0, sizeof(cfg));
		cfg.nadapters = 3;
		for (unsigned i = 0; i < 3; i++) {
			struct rn_config_adapter *a = &cfg.adapter[i];

			a->port = rows[r].port[i].vdev != NULL	? RN_CONFIG_PORT_VDEV
				  : rows[r].port[i].pci != NULL ? RN_CONFIG_PORT_PCI
								: RN_CONFIG_PORT_NULLDEV;
			set(a->vdev, sizeof(a->vdev), rows[r].port[i].vdev);
			set(a->pci, sizeof(a->pci), rows[r].port[i].pci);
			wanted += rows[r].arg[i] != NULL;
		}
		assert_int_equal(rn_allow_arguments(&cfg, arg), wanted);
		for (unsigned i = 0; i < wanted; i++)
			assert_string_equal(arg[i], rows[r].arg[i]);
	}
}

static void cuts_no_argument_short(void **state)
{
	static struct rn_config cfg = {.nadapters = 1, .adapter[0].port = RN_CONFIG_PORT_PCI};
	char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN], *pci = cfg.adapter[0].pci;

	memset(pci, 'x', sizeof(cfg.adapter[0].pci) - 1);
	memcpy(pci, "1:0.0,", 6);
	assert_int_equal(rn_allow_arguments(&cfg, arg), 1);
	assert_int_equal(strlen(arg[0]),
			 strlen("--allow=0000:01:00.0") + strlen(pci) - strlen("1:0.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allows_exactly_what_is_named),
		cmocka_unit_test(cuts_no_argument_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
