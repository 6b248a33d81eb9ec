/* Members of multicast groups, and sets of clients. */
#include <errno.h>

#include "bench.h"
#include "switch/member.h"

static struct rn_gid group(unsigned n)
{
	return (struct rn_gid){{[10] = 0xff, 0xff, 239, 1, 2, (uint8_t)n}};
}

static void sets_hold_every_number(void **state)
{
	static const unsigned some[] = {1, 63, 64, 127, 128, 200, 254, 255};
	struct rn_client_set s = {{0}};
	unsigned n = 0;

	assert_true(rn_client_set_empty(&s));
	assert_int_equal(rn_client_set_next(&s, 0), 256);
	for (unsigned i = 0; i < 8; i++)
		rn_client_set_add(&s, some[i]);
	for (unsigned c = rn_client_set_next(&s, 0); c < 256; c = rn_client_set_next(&s, c + 1))
		assert_int_equal(c, some[n++]);
	assert_int_equal(n, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_true(rn_client_set_has(&s, some[i]));
		rn_client_set_remove(&s, some[i]);
		assert_false(rn_client_set_has(&s, some[i]));
	}
	assert_true(rn_client_set_empty(&s));
}

static void clients_join_and_leave(void **state)
{
	const struct rn_gid one = group(1), two = group(2), host = host_gid(1, false);
	struct rn_members m;

	assert_int_equal(rn_members_create(&m, 4, 4), 0);
	assert_int_equal(rn_members_join(&m, 1, &host), -EINVAL);
	assert_null(rn_members_find(&m, &one));
	assert_int_equal(rn_members_join(&m, 1, &one), 0);
	assert_int_equal(rn_members_join(&m, 1, &one), 0);
	assert_int_equal(rn_members_join(&m, 254, &one), 0);
	assert_int_equal(rn_members_join(&m, 2, &two), 0);
	assert_true(rn_client_set_has(rn_members_find(&m, &one), 1));
	assert_true(rn_client_set_has(rn_members_find(&m, &one), 254));
	assert_false(rn_client_set_has(rn_members_find(&m, &one), 2));
	assert_int_equal(rn_members_leave(&m, 2, &one), -ENOENT);
	assert_int_equal(rn_members_leave(&m, 1, &one), 0);
	assert_int_equal(rn_members_leave(&m, 1, &one), -ENOENT);
	rn_members_remove_client(&m, 254);
	assert_null(rn_members_find(&m, &one));
	assert_non_null(rn_members_find(&m, &two));
	rn_members_destroy(&m);
}

static void shares_and_the_table_are_limited(void **state)
{
	struct rn_members m;
	struct rn_gid g;

	assert_int_equal(rn_members_create(&m, 4, 2), 0);
	for (unsigned i = 0; i < 2; i++) {
		g = group(i);
		assert_int_equal(rn_members_join(&m, 1, &g), 0);
	}
	g = group(2);
	assert_int_equal(rn_members_join(&m, 1, &g), -ENOSPC);
	assert_int_equal(rn_members_join(&m, 2, &g), 0);
	g = group(3);
	assert_int_equal(rn_members_join(&m, 2, &g), 0);
	g = group(4);
	assert_int_equal(rn_members_join(&m, 3, &g), -ENOSPC);
	/* a group that exists needs no further entry */
	g = group(3);
	assert_int_equal(rn_members_join(&m, 3, &g), 0);
	rn_members_destroy(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_hold_every_number),
		cmocka_unit_test(clients_join_and_leave),
		cmocka_unit_test(shares_and_the_table_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
