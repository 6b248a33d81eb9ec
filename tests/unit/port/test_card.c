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
#include "port/log.h"

static int mac_answer, promiscuous_answer, multicast_answer;
static char calls[64];

int rte_eth_dev_default_mac_addr_set(uint16_t id, struct rte_ether_addr *addr)
{
	strcat(calls, "mac ");
	return mac_answer;
}

int rte_eth_promiscuous_enable(uint16_t id)
{
	strcat(calls, "promiscuous ");
	return promiscuous_answer;
}

int rte_eth_allmulticast_enable(uint16_t id)
{
	strcat(calls, "multicast ");
	return multicast_answer;
}

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

static const uint8_t own[6] = {2, 0, 0, 0, 0, 1}, other[6] = {2, 0, 0, 0, 0, 2};

static const struct {
	const uint8_t *mac;
	int mac_answer, promiscuous_answer, multicast_answer;
	const char *calls;
	const uint8_t *has; /* the card's address afterwards */
	int rc;
} listens[] = {
	{NULL, 0, 0, 0, "promiscuous ", own, 0},
	{own, 0, 0, 0, "promiscuous ", own, 0},
	{other, 0, 0, 0, "mac promiscuous ", other, 0},
	/* The card keeps its address and receives all frames. */
	{other, -ENOTSUP, 0, 0, "mac promiscuous ", own, 0},
	/* a virtual function that is refused promiscuous mode */
	{other, 0, -EPERM, 0, "mac promiscuous multicast ", other, 0},
	{NULL, 0, -ENOTSUP, 0, "promiscuous multicast ", own, 0},
	{NULL, 0, -ENOTSUP, -ENOTSUP, "promiscuous multicast ", own, 0},
	/* Frames to the adapter would be dropped. */
	{other, -EPERM, -EPERM, 0, "mac promiscuous ", own, -EPERM},
};

static void a_card_receives_frames_to_the_adapter(void **state)
{
	rn_log_open(RN_LOG_ERROR);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(listens); i++) {
		struct rn_port port = {.name = "card"};
		char err[300] = "";

		memcpy(port.mac, own, 6);
		mac_answer = listens[i].mac_answer;
		promiscuous_answer = listens[i].promiscuous_answer;
		multicast_answer = listens[i].multicast_answer;
		calls[0] = '\0';
		assert_int_equal(rn_card_listen(&port, listens[i].mac, err, sizeof(err)),
				 listens[i].rc);
		assert_string_equal(calls, listens[i].calls);
		assert_memory_equal(port.mac, listens[i].has, 6);
		assert_int_equal(err[0] != '\0', listens[i].rc != 0);
	}
}

static void the_port_of_a_removed_card_is_gone(void **state)
{
	struct rn_port port = {.name = "card"};

	rn_card_watch(&port, true);
	removal(port.name, RTE_DEV_EVENT_ADD, removal_arg);
	assert_int_equal(atomic_load(&port.removed), 0);
	removal(port.name, RTE_DEV_EVENT_REMOVE, removal_arg);
	assert_int_equal(atomic_load(&port.removed), 1);
	assert_int_equal(atomic_load(&port.quiet), 1);
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

static void a_device_without_a_bus_is_no_card(void **state)
{
	assert_false(rn_card_is(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_is_given_its_mtu),
		cmocka_unit_test(a_card_receives_frames_to_the_adapter),
		cmocka_unit_test(the_port_of_a_removed_card_is_gone),
		cmocka_unit_test(no_interrupt_is_set_on_a_quiet_port),
		cmocka_unit_test(a_device_without_a_bus_is_no_card),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
