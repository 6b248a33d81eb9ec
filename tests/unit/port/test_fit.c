/* Which MTU, how many queues and how many descriptors fit the driver of a card? */
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

static const struct {
	uint16_t preferred;		 /* by the driver; 0: it has no preference */
	uint16_t lowest, highest, step;	 /* the driver's limits */
	uint32_t wanted, most, expected; /* most: as many as the packet buffers allow */
} descriptors[] = {
	/* as the drivers of DPDK 22.11 report for e1000e, vmxnet3, virtio and net_tap; only the
	 * first has a preference */
	{256, 32, 4096, 8, 0, 1024, 256},
	{256, 32, 4096, 8, 1024, 1024, 1024},
	{0, 128, 4096, 1, 0, 1024, 512},
	{0, 32, 32768, 1, 0, 1024, 512},
	{0, 0, 65535, 1, 0, 1024, 512},
	/* no more than the packet buffers allow, a multiple of the step */
	{2048, 32, 4096, 8, 0, 1024, 1024},
	{2048, 32, 4096, 48, 0, 1024, 1008},
	{0, 32, 4096, 8, 0, 128, 128},
	{256, 32, 4096, 8, 1024, 128, 128},
	/* the driver's own limits */
	{250, 32, 4096, 8, 0, 1024, 256},
	{250, 32, 200, 64, 0, 1024, 192},
	{0, 32, 4096, 8, 16384, 16384, 4096},
	{0, 32, 0, 0, 16384, 16384, 16384},
	{16, 64, 4096, 8, 0, 1024, 64},
	{0, 256, 4096, 8, 0, 128, 256},
};

static void a_queue_gets_descriptors_that_driver_and_pool_allow(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(descriptors); i++) {
		const struct rte_eth_dev_portconf preferred = {.ring_size =
								       descriptors[i].preferred};
		const struct rte_eth_desc_lim limit = {
			.nb_min = descriptors[i].lowest,
			.nb_max = descriptors[i].highest,
			.nb_align = descriptors[i].step,
		};

		assert_int_equal(rn_fit_descriptors(&preferred, &limit, descriptors[i].wanted,
						    descriptors[i].most),
				 descriptors[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_that_drops_long_frames_is_refused),
		cmocka_unit_test(a_driver_is_asked_for_no_queue_that_a_card_lacks),
		cmocka_unit_test(a_queue_gets_descriptors_that_driver_and_pool_allow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
