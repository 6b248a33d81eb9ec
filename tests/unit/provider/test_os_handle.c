/* Handles: an open handle gives its object; a closed handle is refused for ever. */
#include "os_testing.h"

struct thing {
	struct os_object object;
	int *closed;
	int *destroyed;
};

static void close_thing(struct os_object *object)
{
	++*((struct thing *)object)->closed;
}

static void destroy_thing(struct os_object *object)
{
	++*((struct thing *)object)->destroyed;
	free(object);
}

static const struct os_object_ops thing_ops = {OS_EVENT, close_thing, destroy_thing};

static HANDLE open_thing(int *closed, int *destroyed)
{
	struct thing *thing = calloc(1, sizeof(*thing));
	HANDLE handle;

	thing->closed = closed;
	thing->destroyed = destroyed;
	assert_status(os_handle_open(&thing->object, &thing_ops, &handle), ND_SUCCESS);
	return handle;
}

static void closing_destroys_when_nobody_uses_it(void **state)
{
	int closed = 0, destroyed = 0;
	HANDLE handle = open_thing(&closed, &destroyed);

	assert_status(os_handle_close(handle), ND_SUCCESS);
	assert_int_equal(closed, 1);
	assert_int_equal(destroyed, 1);
	assert_status(os_handle_close(handle), ND_INVALID_HANDLE);
	assert_null(os_handle_get(handle, OS_EVENT));
}

static void references_outlive_the_handle(void **state)
{
	int closed = 0, destroyed = 0;
	HANDLE handle = open_thing(&closed, &destroyed);
	struct os_object *object = os_handle_get(handle, OS_EVENT);

	assert_non_null(object);
	os_object_ref(object);
	assert_status(os_handle_close(handle), ND_SUCCESS);
	assert_int_equal(closed, 1);
	assert_null(os_handle_get(handle, OS_EVENT));
	os_object_put(object);
	assert_int_equal(destroyed, 0);
	os_object_put(object);
	assert_int_equal(destroyed, 1);
}

static void the_two_low_bits_belong_to_the_client(void **state)
{
	int closed = 0, destroyed = 0;
	HANDLE handle = open_thing(&closed, &destroyed);
	struct os_object *object;

	assert_int_equal((uintptr_t)handle & 3, 0);
	for (uintptr_t bits = 1; bits < 4; bits++) {
		object = os_handle_get(with_bits(handle, bits), OS_EVENT);
		assert_non_null(object);
		os_object_put(object);
	}
	assert_status(os_handle_close(with_bits(handle, 1)), ND_SUCCESS);
	assert_int_equal(destroyed, 1);
}

static void a_reused_slot_does_not_answer_to_old_handles(void **state)
{
	int closed = 0, destroyed = 0;
	HANDLE old = open_thing(&closed, &destroyed);
	HANDLE young;

	os_handle_close(old);
	young = open_thing(&closed, &destroyed);
	assert_ptr_not_equal(old, young);
	assert_null(os_handle_get(old, OS_EVENT));
	assert_status(os_handle_close(old), ND_INVALID_HANDLE);
	assert_status(os_handle_close(young), ND_SUCCESS);
	assert_int_equal(destroyed, 2);
}

static void foreign_values_answer_null(void **state)
{
	int closed = 0, destroyed = 0;
	HANDLE handle = open_thing(&closed, &destroyed);
	int local = 0;
	const HANDLE foreign[] = {
		NULL,
		(HANDLE)(intptr_t)-1,
		(HANDLE)1,
		(HANDLE)3,
		(HANDLE)0x14,
		&local,
		state,
		(HANDLE)((uintptr_t)handle ^ 0x4),	   /* kind 0, which does not exist */
		(HANDLE)((uintptr_t)handle ^ 0xC),	   /* the kind bits of a completion port */
		(HANDLE)((uintptr_t)handle ^ 0x10),	   /* another index in the handle table */
		(HANDLE)((uintptr_t)handle ^ 0x8000000),   /* another generation of this index */
		(HANDLE)((uintptr_t)handle ^ 0x10000000),  /* another generation of this index */
		(HANDLE)((uintptr_t)handle ^ (1ull << 63)) /* a bit above the generation */
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		assert_null(os_handle_get(foreign[i], OS_EVENT));
		assert_status(os_handle_close(foreign[i]), ND_INVALID_HANDLE);
	}
	assert_null(os_handle_get(handle, OS_PORT));
	assert_null(os_handle_get(handle, OS_FILE));
	os_handle_close(handle);
}

static void the_table_grows(void **state)
{
	enum { MANY = 5000 };
	HANDLE *handles = calloc(MANY, sizeof(*handles));
	int closed = 0, destroyed = 0;

	for (int i = 0; i < MANY; i++)
		handles[i] = open_thing(&closed, &destroyed);
	assert_int_equal(os_handle_live(), MANY);
	for (int i = 0; i < MANY; i++) {
		struct os_object *object = os_handle_get(handles[i], OS_EVENT);

		assert_non_null(object);
		os_object_put(object);
		assert_status(os_handle_close(handles[i]), ND_SUCCESS);
	}
	assert_int_equal(destroyed, MANY);
	free(handles);
}

/* One thread opens and closes handles while two other threads look up `current`. */
static HANDLE _Atomic current;
static bool _Atomic over;

static void *look_up(void *found)
{
	unsigned long *n = found;

	while (!over) {
		struct os_object *object = os_handle_get(current, OS_EVENT);

		if (object) {
			os_object_put(object);
			++*n;
		}
	}
	return NULL;
}

static _Atomic int race_destroyed;

static void destroy_raced(struct os_object *object)
{
	race_destroyed++;
	free(object);
}

static void looking_up_races_with_closing(void **state)
{
	static const struct os_object_ops raced_ops = {OS_EVENT, NULL, destroy_raced};
	enum { ROUNDS = 20000 };
	unsigned long found[2] = {0};
	pthread_t threads[2];

	current = NULL;
	over = false;
	race_destroyed = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look_up, &found[i]);
	for (int i = 0; i < ROUNDS; i++) {
		struct os_object *object = calloc(1, sizeof(struct thing));
		HANDLE handle;

		assert_status(os_handle_open(object, &raced_ops, &handle), ND_SUCCESS);
		current = handle;
		assert_status(os_handle_close(handle), ND_SUCCESS);
	}
	over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(race_destroyed, ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		os_test(closing_destroys_when_nobody_uses_it),
		os_test(references_outlive_the_handle),
		os_test(the_two_low_bits_belong_to_the_client),
		os_test(a_reused_slot_does_not_answer_to_old_handles),
		os_test(foreign_values_answer_null),
		os_test(the_table_grows),
		os_test(looking_up_races_with_closing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
