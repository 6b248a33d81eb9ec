/* What the receive queues of an adapter with several shards get. */
#include "rig.h"

#include <unistd.h>

#define DEVICE "net_null5"

/* `nothing` is 1 if the device is to receive nothing, and 0 if it is to receive frames of zeros in
 * all queues without an end. */
static const char *config(unsigned shards, unsigned nothing)
{
	return rig_config(
		"adapters = ( { name = \"a\"; port = \"vdev\"; vdev = \"" DEVICE
		",no-rx=%u\"; ipv4 = [ \"192.0.2.1/24\" ]; mtu = 1500; shards = %u; } );\n"
		"eal = { hugepages = \"no\"; }; limits = { mbufs = 2048; };\n",
		nothing, shards);
}

struct frames {
	uint64_t all, of_shard[RN_MAX_SHARDS];
	unsigned shards;
};

static void count(void *arg, const char *name, uint64_t value)
{
	static const char prefix[] = "port_rx_frames_";
	struct frames *f = arg;

	if (strcmp(name, "port_rx_frames") == 0) {
		f->all = value;
	} else if (strncmp(name, prefix, strlen(prefix)) == 0) {
		assert_int_equal(strtoul(name + strlen(prefix), NULL, 10), f->shards);
		f->of_shard[f->shards++] = value;
	}
}

/* Received frames are also counted by shard if there are several shards. */
static void frames_are_counted_by_shard(void **state)
{
	struct rn_link *l = rig_open(config(2, 0), 0);
	struct frames f = {0};

	for (unsigned i = 0; i < 1000 && (f.of_shard[0] == 0 || f.of_shard[1] == 0); i++) {
		usleep(10000);
		f = (struct frames){0};
		l->ops->stats(l, count, &f);
	}
	rn_link_close(l);
	assert_int_equal(f.shards, 2);
	assert_true(f.of_shard[0] > 0 && f.of_shard[1] > 0);
	/* The shards go on while their counters are read, the sum first. */
	assert_true(f.of_shard[0] + f.of_shard[1] >= f.all);

	l = rig_open(config(1, 1), 0);
	f = (struct frames){0};
	l->ops->stats(l, count, &f);
	rn_link_close(l);
	assert_int_equal(f.shards, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_counted_by_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
