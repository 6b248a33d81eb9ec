/* rn_port_pause_stats() reports only the flow-control counters of a driver. The driver is a fake:
 * this program defines rte_eth_xstats_*(). */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include <rte_ethdev.h>

#include "port/pause.h"

static const char *const driver[] = {"rx_good_packets", "rx_prio3_pause",
				     "tx_errors",	"tx_priority3_xoff_packets",
				     "rx_PFC_frames",	"mac_rx_ctrl_flow_control"};
#define DRIVER ((int)(sizeof(driver) / sizeof(driver[0])))
static int error;

int rte_eth_xstats_get_names(uint16_t port, struct rte_eth_xstat_name *names, unsigned size)
{
	for (int i = 0; names != NULL && i < DRIVER && (unsigned)i < size; i++)
		snprintf(names[i].name, sizeof(names[i].name), "%s", driver[i]);
	return error ? error : DRIVER;
}

int rte_eth_xstats_get(uint16_t port, struct rte_eth_xstat *values, unsigned size)
{
	for (int i = 0; i < DRIVER && (unsigned)i < size; i++)
		values[i] = (struct rte_eth_xstat){.id = (uint64_t)i, .value = 100 + (uint64_t)i};
	return DRIVER;
}

static char said[512];

static void note(void *arg, const char *name, uint64_t value)
{
	size_t n = strlen(said);

	snprintf(said + n, sizeof(said) - n, "%s=%llu ", name, (unsigned long long)value);
}

static void test_names(void **state)
{
	static struct rn_port port;

	said[0] = 0;
	rn_port_pause_stats(&port, note, NULL);
	assert_string_equal(
		said,
		"pause_rx_prio3_pause=101 pause_tx_priority3_xoff_packets=103 pause_rx_PFC_frames=104 "
		"pause_mac_rx_ctrl_flow_control=105 ");
}

static void test_no_driver(void **state)
{
	static struct rn_port port;

	said[0] = 0;
	error = -ENODEV;
	rn_port_pause_stats(&port, note, NULL);
	error = 0;
	atomic_store(&port.removed, 1);
	rn_port_pause_stats(&port, note, NULL);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
					   cmocka_unit_test(test_no_driver)};

	return cmocka_run_group_tests_name("pause", tests, NULL, NULL);
}
