/* A driver's announcement that the link has changed. The functions of DPDK are replaced by those
 * below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include <rte_ethdev.h>

#include "port/port.h"

static rte_eth_dev_cb_fn callback;
static void *callback_arg;
static unsigned busy;	     /* how often a callback that is being removed still runs */
static bool destroyed;	     /* DPDK has given up the number of the ethdev */
static bool being_destroyed; /* DPDK gives the number up when the callback has returned */

int rte_eth_dev_is_valid_port(uint16_t id)
{
	assert_int_equal(id, 7);
	return !destroyed;
}

int rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event, rte_eth_dev_cb_fn fn,
				  void *arg)
{
	assert_int_equal(id, 7);
	assert_int_equal(event, RTE_ETH_EVENT_INTR_LSC);
	callback = fn;
	callback_arg = arg;
	return 0;
}

int rte_eth_dev_callback_unregister(uint16_t id, enum rte_eth_event_type event,
				    rte_eth_dev_cb_fn fn, void *arg)
{
	assert_int_equal(id, destroyed ? RTE_ETH_ALL : 7);
	assert_int_equal(event, RTE_ETH_EVENT_INTR_LSC);
	assert_ptr_equal(fn, callback);
	assert_ptr_equal(arg, callback_arg);
	if (busy > 0) {
		/* For all ports at once DPDK does not say that the callback was running. */
		if (id == RTE_ETH_ALL)
			return 0;
		busy--;
		destroyed = being_destroyed && busy == 0;
		return -EAGAIN;
	}
	callback = NULL;
	return 0;
}

int rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	*link = (struct rte_eth_link){.link_status = RTE_ETH_LINK_UP};
	return 0;
}

static void count(void *arg)
{
	++*(unsigned *)arg;
}

static void each_event_is_passed_on(void **state)
{
	struct rn_port port = {.id = 7};
	unsigned came = 0;

	rn_port_watch_link(&port, count, &came);
	callback(7, RTE_ETH_EVENT_INTR_LSC, callback_arg, NULL);
	callback(7, RTE_ETH_EVENT_INTR_LSC, callback_arg, NULL);
	assert_int_equal(came, 2);
	assert_int_equal(atomic_load(&port.link_events), 2);
	busy = 3;
	rn_port_unwatch_link(&port);
	assert_null(callback);
	assert_int_equal(busy, 0);
	rn_port_unwatch_link(&port); /* not watched any more: DPDK is not called */
}

/* DPDK rejects the number of an ethdev that it has destroyed, but finds the callback among those of
 * all ports. */
static void a_destroyed_port_is_not_watched_any_more(void **state)
{
	struct rn_port port = {.id = 7};
	unsigned came = 0;

	rn_port_watch_link(&port, count, &came);
	destroyed = true;
	atomic_store(&port.destroyed, 1);
	rn_port_unwatch_link(&port);
	assert_null(callback);
	destroyed = false;
}

/* While DPDK destroys an ethdev it calls the callback of this event, and the watcher may close the
 * port before the callback has returned. */
static void a_callback_of_the_destruction_has_returned(void **state)
{
	struct rn_port port = {.id = 7};
	unsigned came = 0;

	rn_port_watch_link(&port, count, &came);
	atomic_store(&port.destroyed, 1);
	being_destroyed = true;
	busy = 3;
	rn_port_unwatch_link(&port);
	assert_int_equal(busy, 0);
	assert_null(callback);
	being_destroyed = destroyed = false;
}

static void a_removed_port_has_no_link(void **state)
{
	struct rn_port port = {.id = 7};

	assert_true(rn_port_link_up(&port));
	atomic_store(&port.cut, 1);
	assert_false(rn_port_link_up(&port));
	atomic_store(&port.cut, 0);
	atomic_store(&port.removed, 1);
	assert_false(rn_port_link_up(&port));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_passed_on),
		cmocka_unit_test(a_destroyed_port_is_not_watched_any_more),
		cmocka_unit_test(a_callback_of_the_destruction_has_returned),
		cmocka_unit_test(a_removed_port_has_no_link),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
