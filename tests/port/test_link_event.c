/* Does an announcement of the driver alone make the watcher look? Functions are wrapped: the
 * driver's link is up or down as the test says, the test announces events as a driver would, and
 * the watcher's period of 100 ms is made so long that it does not end. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "rig.h"

#define ROUNDS	20
#define HOUR_S	3600
#define WAIT_MS 30000

static _Atomic bool down;
static rte_eth_dev_cb_fn announce[RTE_MAX_ETHPORTS][RTE_ETH_EVENT_MAX];
static void *announce_arg[RTE_MAX_ETHPORTS];
static _Atomic bool no_period;

int __real_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg);
int __wrap_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg);
int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link);
int __real_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  const struct timespec *until);

int __wrap_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg)
{
	announce[id][event] = fn;
	announce_arg[id] = arg;
	return __real_rte_eth_dev_callback_register(id, event, fn, arg);
}

int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	*link = (struct rte_eth_link){.link_status = atomic_load(&down) ? RTE_ETH_LINK_DOWN
									: RTE_ETH_LINK_UP};
	return 0;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  const struct timespec *until)
{
	struct timespec later = *until;
	char thread[16] = "";

	pthread_getname_np(pthread_self(), thread, sizeof(thread));
	if (atomic_load(&no_period) && strcmp(thread, "rn-watch") == 0)
		later.tv_sec += HOUR_S;
	return __real_pthread_cond_timedwait(cond, mutex, &later);
}

/* Announces from one port only, that of the adapter which was opened first: each further
 * announcement would make the watcher look once more, at a moment that the test does not know. */
static void announce_once(enum rte_eth_event_type event)
{
	for (unsigned id = 0; id < RTE_MAX_ETHPORTS; id++) {
		if (announce[id][event] == NULL)
			continue;
		announce[id][event]((uint16_t)id, event, announce_arg[id], NULL);
		return;
	}
}

static void end_the_period(void)
{
	atomic_store(&no_period, true);
	usleep(300000); /* the wait that has begun before ends */
}

static void an_announced_change_does_not_wait_for_the_period(void **state)
{
	struct rn_link *link = rig_open(rig_pair(1, 1500, ""), 0);
	struct rn_event ev;

	end_the_period();
	for (unsigned i = 0; i < ROUNDS; i++) {
		bool to_down = i % 2 == 0;

		atomic_store(&down, to_down);
		announce_once(RTE_ETH_EVENT_INTR_LSC);
		assert_int_equal(link->ops->wait(link, &ev, 1, 10000), 1);
		assert_int_equal(ev.kind, to_down ? RN_EVENT_PORT_DOWN : RN_EVENT_PORT_UP);
	}
	/* Without an announcement nobody looks. */
	atomic_store(&down, true);
	assert_int_equal(link->ops->wait(link, &ev, 1, 500), 0);
	rn_link_close(link);
	atomic_store(&down, false);
	atomic_store(&no_period, false);
}

static void a_requested_reset_does_not_wait_for_the_period(void **state)
{
	memset(announce, 0, sizeof(announce)); /* the ports of the first test are closed */
	struct rn_link *link = rig_open(rig_pair(1, 1500, ""), 0);

	end_the_period();
	for (uint64_t resets = 1; resets <= ROUNDS; resets++) {
		announce_once(RTE_ETH_EVENT_INTR_RESET);
		for (unsigned ms = 0; rig_stat(link, "port_resets") < resets && ms < WAIT_MS; ms++)
			usleep(1000);
		assert_int_equal(rig_stat(link, "port_resets"), resets);
	}
	rn_link_close(link);
	atomic_store(&no_period, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_announced_change_does_not_wait_for_the_period),
		cmocka_unit_test(a_requested_reset_does_not_wait_for_the_period),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
