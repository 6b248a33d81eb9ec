/* What the driver of a network card is asked for. The functions of DPDK that a card needs are
 * replaced by those below, which record the calls and answer as a row says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#define ALLOW_EXPERIMENTAL_API /* for rte_dev_event_callback_register() */
#include <rte_dev.h>
#include <rte_ethdev.h>

#include "port/card.h"
#include "port/port.h"

static char calls[64];

static rte_dev_event_cb_fn removal;
static void *removal_arg;
static unsigned busy; /* how often a callback that is being removed still runs */

int rte_dev_event_callback_register(const char *device, rte_dev_event_cb_fn fn, void *arg)
{
	removal = fn;
	removal_arg = arg;
	return 0;
}

int rte_dev_event_callback_unregister(const char *device, rte_dev_event_cb_fn fn, void *arg)
{
	if (busy > 0) {
		busy--;
		return -EAGAIN;
	}
	assert_ptr_equal(fn, removal);
	assert_ptr_equal(arg, removal_arg);
	removal = NULL;
	return 1;
}

int rte_eth_dev_rx_intr_enable(uint16_t id, uint16_t queue)
{
	strcat(calls, queue == 3 ? "on3 " : "on ");
	return 0;
}

int rte_eth_dev_rx_intr_disable(uint16_t id, uint16_t queue)
{
	strcat(calls, queue == 3 ? "off3 " : "off ");
	return 0;
}

#define SCATTER RTE_ETH_RX_OFFLOAD_SCATTER

static const struct {
	uint16_t mtu;
	uint64_t capable, offloads; /* what the driver reports, and what it is asked for */
} requests[] = {
	{1500, SCATTER, 0},
	{9000, SCATTER, SCATTER},
	{9000, 0, 0},
};

static void a_card_is_given_its_mtu(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(requests); i++) {
		const struct rn_port port = {.name = "card", .mtu = requests[i].mtu};
		const struct rte_eth_dev_info info = {.rx_offload_capa = requests[i].capable};
		struct rte_eth_conf conf = {0};

		rn_card_request(&port, &info, &conf);
		assert_int_equal(conf.rxmode.mtu, requests[i].mtu);
		assert_int_equal(conf.rxmode.offloads, requests[i].offloads);
	}
}

static void count(void *arg)
{
	++*(unsigned *)arg;
}

static void the_port_of_a_removed_card_is_gone(void **state)
{
	unsigned notified = 0;
	struct rn_port port = {.name = "card", .news = count, .news_arg = &notified};

	rn_card_watch(&port, true);
	removal(port.name, RTE_DEV_EVENT_ADD, removal_arg);
	assert_int_equal(atomic_load(&port.removed), 0);
	removal(port.name, RTE_DEV_EVENT_REMOVE, removal_arg);
	assert_int_equal(atomic_load(&port.removed), 1);
	assert_int_equal(atomic_load(&port.quiet), RN_QUIET_GONE);
	assert_int_equal(notified, 1);
	busy = 3;
	rn_card_watch(&port, false);
	assert_null(removal);
}

/* A quiet port may be closed already. */
static void no_interrupt_is_set_on_a_quiet_port(void **state)
{
	struct rn_port port = {.name = "card"};

	calls[0] = '\0';
	rn_card_interrupt(&port, 3, true);
	rn_card_interrupt(&port, 3, false);
	assert_string_equal(calls, "on3 off3 ");
	atomic_store(&port.quiet, 1);
	rn_card_interrupt(&port, 3, true);
	rn_card_interrupt(&port, 3, false);
	assert_string_equal(calls, "on3 off3 ");
}

static void some_drivers_have_link_interrupts(void **state)
{
	static const uint32_t claims = RTE_ETH_DEV_INTR_LSC, none = RTE_ETH_DEV_INTR_RMV;
	static const struct {
		const char *driver;
		const uint32_t *flags;
		bool has;
	} rows[] = {
		{"net_virtio", &claims, true},
		{"net_virtio", &none, false}, /* a device that cannot report its link */
		{"net_virtio", NULL, false},
		/* They claim to have them, but they do not come. */
		{"net_e1000_em", &claims, false},
		{"net_vmxnet3", &claims, false},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		const struct rte_eth_dev_info info = {.driver_name = rows[i].driver,
						      .dev_flags = rows[i].flags};

		assert_int_equal(rn_card_has_link_interrupts(&info), rows[i].has);
	}
}

static void a_device_without_a_bus_is_no_card(void **state)
{
	assert_false(rn_card_is(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_is_given_its_mtu),
		cmocka_unit_test(the_port_of_a_removed_card_is_gone),
		cmocka_unit_test(no_interrupt_is_set_on_a_quiet_port),
		cmocka_unit_test(some_drivers_have_link_interrupts),
		cmocka_unit_test(a_device_without_a_bus_is_no_card),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
