/* The id pool hands out every id once before it hands out any id again. After that it hands out the
 * free id that was put back first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/idpool.h"

static void test_every_id_once(void **state)
{
	uint32_t ring[5];
	struct rn_idpool p;
	rn_idpool_init(&p, ring, 100, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(rn_idpool_get(&p), 100 + i);
	assert_int_equal(rn_idpool_get(&p), RN_ID_NONE);
}

static void test_reuse_is_delayed(void **state)
{
	uint32_t ring[4];
	struct rn_idpool p;
	rn_idpool_init(&p, ring, 0, 4);
	for (uint32_t round = 0; round < 20; round++) {
		uint32_t id = rn_idpool_get(&p);
		assert_int_equal(id, round % 4);
		rn_idpool_put(&p, id);
	}
}

static void test_order_of_return(void **state)
{
	uint32_t ring[4];
	struct rn_idpool p;
	rn_idpool_init(&p, ring, 1, 4);
	for (int i = 0; i < 4; i++)
		rn_idpool_get(&p);
	rn_idpool_put(&p, 3);
	rn_idpool_put(&p, 1);
	assert_int_equal(rn_idpool_get(&p), 3);
	rn_idpool_put(&p, 4);
	assert_int_equal(rn_idpool_get(&p), 1);
	assert_int_equal(rn_idpool_get(&p), 4);
	assert_int_equal(rn_idpool_get(&p), RN_ID_NONE);
}

static void test_empty_pool(void **state)
{
	struct rn_idpool p;
	rn_idpool_init(&p, NULL, 0, 0);
	assert_int_equal(rn_idpool_get(&p), RN_ID_NONE);
}

/* A pool of a billion ids uses no ring memory until an id is put back. */
static void test_init_touches_nothing(void **state)
{
	struct rn_idpool p;
	rn_idpool_init(&p, NULL, 7, 1000000000);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(rn_idpool_get(&p), 7 + i);
}

/* An id that was put back is handed out again only after all ids that were never handed out. */
static void test_unused_ids_come_first(void **state)
{
	uint32_t ring[4];
	struct rn_idpool p;
	rn_idpool_init(&p, ring, 0, 4);
	rn_idpool_put(&p, rn_idpool_get(&p));
	for (uint32_t i = 1; i < 4; i++)
		assert_int_equal(rn_idpool_get(&p), i);
	assert_int_equal(rn_idpool_get(&p), 0);
	assert_int_equal(rn_idpool_get(&p), RN_ID_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_id_once),
		cmocka_unit_test(test_reuse_is_delayed),
		cmocka_unit_test(test_order_of_return),
		cmocka_unit_test(test_empty_pool),
		cmocka_unit_test(test_init_touches_nothing),
		cmocka_unit_test(test_unused_ids_come_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
