/* How soon is a change of the link noticed when a driver announces it? Two functions of DPDK are
 * wrapped: the driver's link is up or down as the test says, and the test announces changes as a
 * driver would. Without an announcement the watcher reads the link every 100 ms. */
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "rig.h"

#define ROUNDS	  21
#define SLOW_US	  100000 /* the watcher's period */
#define EXPECT_US 25000	 /* reading the link periodically takes twice as long, half of the time */

static _Atomic bool down;
static rte_eth_dev_cb_fn announce[RTE_MAX_ETHPORTS];
static void *announce_arg[RTE_MAX_ETHPORTS];

int __real_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg);
int __wrap_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg);
int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link);

int __wrap_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg)
{
	if (event == RTE_ETH_EVENT_INTR_LSC) {
		announce[id] = fn;
		announce_arg[id] = arg;
	}
	return __real_rte_eth_dev_callback_register(id, event, fn, arg);
}

int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	*link = (struct rte_eth_link){.link_status = atomic_load(&down) ? RTE_ETH_LINK_DOWN
									: RTE_ETH_LINK_UP};
	return 0;
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Changes the link and returns after how many microseconds the event has come. */
static uint64_t change(struct rn_link *link, bool to_down, bool announced)
{
	uint64_t start = now_us();
	struct rn_event ev;

	atomic_store(&down, to_down);
	for (unsigned id = 0; announced && id < RTE_MAX_ETHPORTS; id++)
		if (announce[id] != NULL)
			announce[id]((uint16_t)id, RTE_ETH_EVENT_INTR_LSC, announce_arg[id], NULL);
	assert_int_equal(link->ops->wait(link, &ev, 1, 5000), 1);
	assert_int_equal(ev.kind, to_down ? RN_EVENT_PORT_DOWN : RN_EVENT_PORT_UP);
	return now_us() - start;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(struct rn_link *link, bool announced)
{
	uint64_t took[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		usleep(SLOW_US / ROUNDS * i); /* at any time between two looks */
		took[i] = change(link, !atomic_load(&down), announced);
	}
	qsort(took, ROUNDS, sizeof(took[0]), compare);
	return took[ROUNDS / 2];
}

static void an_announced_change_is_noticed_at_once(void **state)
{
	struct rn_link *link = rig_open(rig_pair(1, 1500, ""), 0);
	uint64_t announced = median(link, true), read = median(link, false);

	print_message("announced: %llu us, read periodically: %llu us\n",
		      (unsigned long long)announced, (unsigned long long)read);
	assert_true(announced < EXPECT_US);
	rn_link_close(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_announced_change_is_noticed_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
