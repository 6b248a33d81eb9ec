/* Registered service ids: conflicts within one client and between clients, the order in which a
 * lookup prefers addresses, and the limits. */
#include <errno.h>

#include "bench.h"
#include "switch/service.h"

enum addr { ANY, ANY4, FOUR, FOUR_B, SIX, ADDRS };

static struct rn_gid addr_of(enum addr a)
{
	static const struct rn_gid any, any4 = {{[10] = 0xff, 0xff}};

	switch (a) {
	case ANY:
		return any;
	case ANY4:
		return any4;
	case FOUR:
	case FOUR_B:
		return host_gid(a == FOUR ? 1 : 2, false);
	default:
		return host_gid(1, true);
	}
}

static int add(struct rn_services *s, unsigned client, uint64_t id, enum addr a)
{
	const struct rn_gid addr = addr_of(a);

	return rn_services_add(s, client, id, &addr);
}

static unsigned find(const struct rn_services *s, uint64_t id, enum addr a)
{
	const struct rn_gid addr = addr_of(a);

	return rn_services_find(s, id, &addr);
}

/* Does a listener at `first` keep another client from listening at `second`? */
static const char conflicts[ADDRS][ADDRS + 1] = {
	/* ANY, ANY4, FOUR, FOUR_B, SIX */
	[ANY] = "xxxxx", [ANY4] = "xxxx.", [FOUR] = "xxx..", [FOUR_B] = "xx.x.", [SIX] = "x...x",
};

static void addresses_conflict_as_in_the_kernel(void **state)
{
	for (enum addr first = 0; first < ADDRS; first++)
		for (enum addr second = 0; second < ADDRS; second++) {
			bool conflict = conflicts[first][second] == 'x';
			struct rn_services s;

			assert_int_equal(rn_services_create(&s, 8, 8), 0);
			assert_int_equal(add(&s, 1, 5, first), 0);
			/* another service does not matter */
			assert_int_equal(add(&s, 2, 6, second), 0);
			assert_int_equal(add(&s, 2, 5, second), conflict ? -EADDRINUSE : 0);
			/* within one client only the same address conflicts */
			assert_int_equal(add(&s, 1, 5, second),
					 first == second || !conflict ? -EADDRINUSE : 0);
			rn_services_destroy(&s);
		}
}

static void the_most_exact_address_is_preferred(void **state)
{
	struct rn_services s;

	assert_int_equal(rn_services_create(&s, 8, 8), 0);
	assert_int_equal(find(&s, 5, FOUR), 0);
	/* one client may listen at an address and at the wildcard that covers the address */
	assert_int_equal(add(&s, 3, 5, ANY), 0);
	assert_int_equal(find(&s, 5, FOUR), 3);
	assert_int_equal(find(&s, 5, SIX), 3);
	assert_int_equal(find(&s, 6, SIX), 0);
	rn_services_remove_client(&s, 3);
	assert_int_equal(find(&s, 5, FOUR), 0);
	assert_int_equal(add(&s, 4, 5, ANY4), 0);
	assert_int_equal(find(&s, 5, FOUR), 4);
	assert_int_equal(find(&s, 5, SIX), 0);
	assert_int_equal(add(&s, 5, 5, SIX), 0);
	assert_int_equal(find(&s, 5, SIX), 5);
	assert_int_equal(find(&s, 5, FOUR_B), 4);
	rn_services_destroy(&s);
}

static void shares_and_the_table_are_limited(void **state)
{
	struct rn_services s;
	const struct rn_gid four = addr_of(FOUR), six = addr_of(SIX);

	assert_int_equal(rn_services_create(&s, 5, 3), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(add(&s, 1, i, FOUR), 0);
	assert_int_equal(add(&s, 1, 3, FOUR), -ENOSPC);
	assert_int_equal(add(&s, 2, 3, FOUR), 0);
	assert_int_equal(add(&s, 2, 4, FOUR), 0);
	assert_int_equal(add(&s, 3, 5, FOUR), -ENOSPC);
	assert_int_equal(s.count, 5);
	/* only the owner removes a listener, and by its address */
	assert_int_equal(rn_services_remove(&s, 1, 4, &four), -ENOENT);
	assert_int_equal(rn_services_remove(&s, 2, 4, &six), -ENOENT);
	assert_int_equal(rn_services_remove(&s, 2, 4, &four), 0);
	assert_int_equal(rn_services_remove(&s, 2, 4, &four), -ENOENT);
	assert_int_equal(add(&s, 3, 5, FOUR), 0);
	rn_services_destroy(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_conflict_as_in_the_kernel),
		cmocka_unit_test(the_most_exact_address_is_preferred),
		cmocka_unit_test(shares_and_the_table_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
