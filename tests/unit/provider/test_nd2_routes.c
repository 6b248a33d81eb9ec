/* When the network port is removed, RN_EVENT_PORT_GONE reaches each object registered by
 * nd_device_route exactly once, even if many objects share a hash bucket. Later calls of
 * nd_device_route fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "client/client.h"
#include "nd2/device.h"
#include "fake_link.h"

#define MANY 200u

struct hearer {
	struct nd_object obj;
	_Atomic unsigned heard, others;
};

static void event(struct nd_object *obj, const struct rn_event *ev)
{
	struct hearer *h = (struct hearer *)obj;

	atomic_fetch_add(ev->kind == RN_EVENT_PORT_GONE ? &h->heard : &h->others, 1);
}

static const struct nd_class class_of_hearers = {.name = "hearer", .event = event};

/* Returns the i-th of many ids that fall into one hash bucket. The hash multiplies an id by
 * 2654435761 and uses the high bits of the product. For these ids the product is i, whose high bits
 * are 0. */
static uint32_t colliding(uint32_t i)
{
	return i * 0xe8b2f51u; /* 2654435761 * 0xe8b2f51 = 1 (modulo 2^32) */
}

static void port_gone_reaches_each_object_once(void **state)
{
	static struct hearer hearers[MANY];
	const struct timespec pause = {.tv_nsec = 1000000};
	struct nd_device *dev, *again;
	unsigned told = 0;

	assert_int_equal(2654435761u * 0xe8b2f51u, 1u);
	assert_int_equal(nd_device_get(0, &dev), 0);
	struct rn_link *nic = dev->client->link;
	for (unsigned i = 0; i < MANY; i++) {
		nd_object_init(&hearers[i].obj, &class_of_hearers);
		assert_int_equal(nd_device_route(dev, ND_ROUTE_CQ, colliding(i), &hearers[i].obj),
				 0);
	}
	assert_true(nd_device_dispatch(
		dev, &(struct rn_event){.kind = RN_EVENT_CQ, .id = colliding(7)}));
	fake_link_unplug(nic);
	assert_int_equal(nd_device_route(dev, ND_ROUTE_CQ, 12345, &hearers[0].obj), -ENODEV);
	assert_int_equal(nd_device_get(0, &again), -ENODEV);
	for (unsigned ms = 0; ms < 20000 && told < MANY; ms++) {
		told = 0;
		for (unsigned i = 0; i < MANY; i++)
			told += atomic_load(&hearers[i].heard);
		nanosleep(&pause, NULL);
	}
	for (unsigned i = 0; i < MANY; i++) {
		assert_int_equal(atomic_load(&hearers[i].heard), 1);
		assert_int_equal(atomic_load(&hearers[i].others), i == 7);
		nd_device_unroute(dev, ND_ROUTE_CQ, colliding(i));
		nd_object_abandon(&hearers[i].obj);
	}
	atomic_store(&nic->gone, 0);
	nd_device_put(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_gone_reaches_each_object_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
