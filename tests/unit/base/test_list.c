/* The intrusive list keeps its order. Deleting an element that is in no list does nothing. A loop
 * may delete its current element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/list.h"

struct item {
	struct rn_list link;
	int value;
};

static void expect(struct rn_list *head, const int *values, unsigned n)
{
	struct rn_list *pos;
	unsigned i = 0;
	rn_list_for_each(pos, head)
	{
		assert_true(i < n);
		assert_int_equal(rn_container_of(pos, struct item, link)->value, values[i++]);
	}
	assert_int_equal(i, n);
}

static void test_order(void **state)
{
	struct rn_list head;
	struct item it[4] = {{.value = 0}, {.value = 1}, {.value = 2}, {.value = 3}};
	rn_list_init(&head);
	assert_true(rn_list_empty(&head));
	assert_null(rn_list_pop(&head));
	rn_list_add_tail(&head, &it[1].link);
	rn_list_add_tail(&head, &it[2].link);
	rn_list_add_head(&head, &it[0].link);
	rn_list_add_tail(&head, &it[3].link);
	expect(&head, (int[]){0, 1, 2, 3}, 4);
	rn_list_del(&it[2].link);
	rn_list_del(&it[2].link);
	expect(&head, (int[]){0, 1, 3}, 3);
	assert_ptr_equal(rn_list_pop(&head), &it[0].link);
	expect(&head, (int[]){1, 3}, 2);
}

static void test_delete_while_walking(void **state)
{
	struct rn_list head, *pos, *tmp;
	struct item it[5];
	rn_list_init(&head);
	for (int i = 0; i < 5; i++) {
		it[i].value = i;
		rn_list_add_tail(&head, &it[i].link);
	}
	rn_list_for_each_safe(pos, tmp, &head)
	{
		if (rn_container_of(pos, struct item, link)->value % 2 == 0)
			rn_list_del(pos);
	}
	expect(&head, (int[]){1, 3}, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_delete_while_walking),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
