/*
 * Tests of lists (SLIST) shared by threads: the last entry in is the first out, and no entry is
 * lost.
 */
#include "threading.h"

struct item {
	SLIST_ENTRY entry;
	int number;
};

static SLIST_HEADER head;
static struct item items[100];

static int pop(void)
{
	SLIST_ENTRY *entry = InterlockedPopEntrySList(&head);

	return entry ? CONTAINING_RECORD(entry, struct item, entry)->number : -1;
}

static void fill(int n)
{
	InitializeSListHead(&head);
	for (int i = 0; i < n; i++) {
		items[i].number = i;
		InterlockedPushEntrySList(&head, &items[i].entry);
	}
}

static void test_InitializeSListHead(void **state)
{
	memset(&head, 0xFF, sizeof(head));
	InitializeSListHead(&head);
	assert_int_equal(pop(), -1);
	assert_int_equal(QueryDepthSList(&head), 0);
}

static void test_InterlockedPushEntrySList(void **state)
{
	fill(0);
	assert_null(InterlockedPushEntrySList(&head, &items[0].entry));
	assert_ptr_equal(InterlockedPushEntrySList(&head, &items[1].entry), &items[0].entry);
}

static void *move(void *unused)
{
	for (int i = 0; i < 2000; i++) {
		SLIST_ENTRY *entry = InterlockedPopEntrySList(&head);

		if (entry)
			InterlockedPushEntrySList(&head, entry);
	}
	return NULL;
}

static void test_InterlockedPopEntrySList(void **state)
{
	pthread_t other;
	bool seen[20] = {0};

	fill(3);
	for (int i = 2; i >= -1; i--)
		assert_int_equal(pop(), i);
	fill(20);
	other = run_beside(move, NULL);
	move(NULL);
	pthread_join(other, NULL);
	for (int i = 0; i < 20; i++)
		seen[pop()] = true;
	for (int i = 0; i < 20; i++)
		assert_true(seen[i]);
	assert_int_equal(pop(), -1);
}

static void test_InterlockedFlushSList(void **state)
{
	SLIST_ENTRY *entry;
	int n = 0;

	fill(5);
	for (entry = InterlockedFlushSList(&head); entry; entry = entry->Next)
		n++;
	assert_int_equal(n, 5);
	assert_null(InterlockedFlushSList(&head));
}

static void test_QueryDepthSList(void **state)
{
	fill(7);
	assert_int_equal(QueryDepthSList(&head), 7);
	pop();
	assert_int_equal(QueryDepthSList(&head), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_InitializeSListHead),
		cmocka_unit_test(test_InterlockedPushEntrySList),
		cmocka_unit_test(test_InterlockedPopEntrySList),
		cmocka_unit_test(test_InterlockedFlushSList),
		cmocka_unit_test(test_QueryDepthSList),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
