/* On which NUMA node packet buffers are placed, and when a thread is far from its card. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/types.h"
#include "port/numa.h"

static void a_pool_is_on_the_node_of_its_ports(void **state)
{
	static const struct {
		unsigned n;
		int node[4], pool;
	} rows[] = {
		{0, {0}, -1},	      {1, {-1}, -1},	   {1, {0}, 0},
		{1, {1}, 1},	      {3, {-1, 1, -1}, 1}, /* a card and two software ports */
		{4, {1, 1, 1, 1}, 1}, {2, {0, 1}, -1},	   {4, {1, -1, 0, 1}, -1},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++)
		assert_int_equal(rn_numa_pool(rows[i].node, rows[i].n), rows[i].pool);
}

static void a_thread_on_another_node_is_far(void **state)
{
	static const struct {
		int card, thread;
		bool far;
	} rows[] = {
		{0, 0, false},	{1, 1, false},	{0, 1, true},
		{1, 0, true},	{-1, 0, false}, /* the machine does not say */
		{1, -1, false},			/* the thread is not pinned */
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++)
		assert_int_equal(rn_numa_far(rows[i].card, rows[i].thread), rows[i].far);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_is_on_the_node_of_its_ports),
		cmocka_unit_test(a_thread_on_another_node_is_far),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
