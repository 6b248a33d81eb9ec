/* Which MTU and how many queues fit the driver of a card? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include <rte_ethdev.h>

#include "base/types.h"
#include "port/fit.h"

static const struct {
	uint16_t mtu;
	/* what the driver reports */
	uint32_t max_rx_pktlen;
	uint16_t max_mtu;
	const char *says; /* "": the card can carry the MTU */
} rows[] = {
	/* the drivers as DPDK 22.11 reports them: e1000e, 82540EM, vmxnet3, virtio */
	{1500, 9234, UINT16_MAX, ""},
	{9000, 9234, UINT16_MAX, ""},
	{9000, 16128, UINT16_MAX, ""},
	{9000, 16384, 9000, ""},
	{9000, 9728, 9698, ""},
	/* no room for the VLAN tag of the longest frame */
	{1500, 1514, UINT16_MAX,
	 "the driver net_x drops frames of more than 1514 bytes: the mtu may be at most 1496, not 1500"},
	{9000, 9728, 1500,
	 "the driver net_x drops frames of more than 1518 bytes: the mtu may be at most 1500, not 9000"},
	{9000, 1518, UINT16_MAX,
	 "the driver net_x drops frames of more than 1518 bytes: the mtu may be at most 1500, not 9000"},
};

static void a_card_that_drops_long_frames_is_refused(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		const struct rte_eth_dev_info info = {
			.driver_name = "net_x",
			.max_rx_pktlen = rows[i].max_rx_pktlen,
			.max_mtu = rows[i].max_mtu,
		};
		char err[256] = "";

		assert_int_equal(rn_fit_card(&info, rows[i].mtu, err, sizeof(err)),
				 rows[i].says[0] != '\0' ? -EINVAL : 0);
		assert_string_equal(err, rows[i].says);
	}
}

static void a_driver_is_asked_for_no_queue_that_a_card_lacks(void **state)
{
	assert_int_equal(rn_fit_queues("net_e1000_em"), 1);
	assert_int_equal(rn_fit_queues("net_e1000_igb"), UINT16_MAX);
	assert_int_equal(rn_fit_queues("net_virtio"), UINT16_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_that_drops_long_frames_is_refused),
		cmocka_unit_test(a_driver_is_asked_for_no_queue_that_a_card_lacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
