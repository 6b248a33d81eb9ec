/* What a driver announces is recorded in the port, and the owner of the port is notified. The
 * functions of DPDK are replaced by those below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>

#include "port/callback.h"
#include "port/port.h"

static struct {
	rte_eth_dev_cb_fn fn;
	void *arg;
} callbacks[RTE_ETH_EVENT_MAX];
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
	callbacks[event].fn = fn;
	callbacks[event].arg = arg;
	return 0;
}

int rte_eth_dev_callback_unregister(uint16_t id, enum rte_eth_event_type event,
				    rte_eth_dev_cb_fn fn, void *arg)
{
	assert_int_equal(id, destroyed ? RTE_ETH_ALL : 7);
	assert_ptr_equal(fn, callbacks[event].fn);
	assert_ptr_equal(arg, callbacks[event].arg);
	if (busy > 0) {
		/* For all ports at once DPDK does not say that the callback was running. */
		if (id == RTE_ETH_ALL)
			return 0;
		busy--;
		destroyed = being_destroyed && busy == 0;
		return -EAGAIN;
	}
	callbacks[event].fn = NULL;
	return 0;
}

static unsigned asked; /* how often the driver was asked for its link */

int rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	asked++;
	*link = (struct rte_eth_link){.link_status = RTE_ETH_LINK_UP};
	return 0;
}

static int reset_answer;

int rn_port_request_reset(struct rn_port *p)
{
	if (reset_answer == 0)
		atomic_store(&p->reset_due, 1);
	return reset_answer;
}

static unsigned registered(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < RTE_ETH_EVENT_MAX; i++)
		n += callbacks[i].fn != NULL;
	return n;
}

static void announce(enum rte_eth_event_type event)
{
	callbacks[event].fn(7, event, callbacks[event].arg, NULL);
}

static void count(void *arg)
{
	++*(unsigned *)arg;
}

static const struct {
	enum rte_eth_event_type event;
	int reset_answer; /* of rn_port_request_reset() */
	/* how many times the owner is notified, and the port afterwards */
	unsigned notified, link_events, reset_due, removed, destroyed, quiet, graces;
} rows[] = {
	{RTE_ETH_EVENT_INTR_LSC, 0, 1, 1, 0, 0, 0, 0, 0},
	{RTE_ETH_EVENT_INTR_RESET, 0, 1, 0, 1, 0, 0, 0, 0},
	/* a port that cannot be reset */
	{RTE_ETH_EVENT_INTR_RESET, -ENOTSUP, 0, 0, 0, 0, 0, 0, 0},
	{RTE_ETH_EVENT_INTR_RMV, 0, 1, 0, 0, 1, 0, RN_QUIET_GONE, 0},
	{RTE_ETH_EVENT_DESTROY, 0, 1, 0, 0, 1, 1, RN_QUIET_GONE, 1},
};

static void each_event_is_recorded_and_notified(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		unsigned notified = 0, graces = 0;
		struct rn_port port = {
			.id = 7,
			.news = count,
			.news_arg = &notified,
			.grace = count,
			.grace_arg = &graces,
		};

		reset_answer = rows[i].reset_answer;
		rn_callback_listen(&port, true);
		assert_int_equal(registered(), 4);
		announce(rows[i].event);
		assert_int_equal(notified, rows[i].notified);
		assert_int_equal(graces, rows[i].graces);
		assert_int_equal(atomic_load(&port.link_events), rows[i].link_events);
		assert_int_equal(atomic_load(&port.reset_due), rows[i].reset_due);
		assert_int_equal(atomic_load(&port.removed), rows[i].removed);
		assert_int_equal(atomic_load(&port.destroyed), rows[i].destroyed);
		assert_int_equal(atomic_load(&port.quiet), rows[i].quiet);
		destroyed = rows[i].destroyed;
		busy = destroyed ? 0 : 3;
		rn_callback_listen(&port, false);
		assert_int_equal(registered(), 0);
		assert_int_equal(busy, 0);
		destroyed = false;
	}
}

/* While DPDK destroys an ethdev it calls the callback of this event, and the watcher may close the
 * port before the callback has returned. */
static void a_callback_of_the_destruction_has_returned(void **state)
{
	struct rn_port port = {.id = 7};

	rn_callback_listen(&port, true);
	announce(RTE_ETH_EVENT_DESTROY);
	being_destroyed = true;
	busy = 3;
	rn_callback_listen(&port, false);
	assert_int_equal(busy, 0);
	assert_int_equal(registered(), 0);
	being_destroyed = destroyed = false;
}

/* The driver net_vhost gives a peer's memory up when its callback has returned. */
static void shards_have_left_the_memory_of_a_peer(void **state)
{
	static const struct rn_wake_row signals = {.source = RN_WAKE_INTR},
					naps = {.source = RN_WAKE_TIMED};
	unsigned graces = 0;
	struct rn_port port = {.id = 7,
			       .driver = "net_vhost",
			       .wake = &naps,
			       .grace = count,
			       .grace_arg = &graces};

	rn_callback_listen(&port, true);
	announce(RTE_ETH_EVENT_INTR_LSC);
	assert_int_equal(graces, 0);
	port.wake = &signals;
	announce(RTE_ETH_EVENT_INTR_LSC);
	assert_int_equal(graces, 1);
	/* These announce the event in EAL's interrupt thread, which must not wait. */
	strcpy(port.driver, "net_virtio_user");
	announce(RTE_ETH_EVENT_INTR_LSC);
	strcpy(port.driver, "net_vmxnet3");
	port.card = true;
	announce(RTE_ETH_EVENT_INTR_LSC);
	assert_int_equal(graces, 1);
	rn_callback_listen(&port, false);
}

static void nobody_need_be_notified(void **state)
{
	struct rn_port port = {.id = 7};

	rn_callback_listen(&port, true);
	announce(RTE_ETH_EVENT_INTR_LSC);
	assert_int_equal(atomic_load(&port.link_events), 1);
	rn_callback_listen(&port, false);
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

/* The driver of a steady port may be joining the port to its other end in another thread. */
static void the_driver_of_a_steady_port_is_not_asked(void **state)
{
	struct rn_port port = {.id = 7, .steady = true};

	asked = 0;
	assert_true(rn_port_link_up(&port));
	assert_int_equal(asked, 0);
	atomic_store(&port.removed, 1);
	assert_false(rn_port_link_up(&port));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_recorded_and_notified),
		cmocka_unit_test(a_callback_of_the_destruction_has_returned),
		cmocka_unit_test(shards_have_left_the_memory_of_a_peer),
		cmocka_unit_test(nobody_need_be_notified),
		cmocka_unit_test(a_removed_port_has_no_link),
		cmocka_unit_test(the_driver_of_a_steady_port_is_not_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
