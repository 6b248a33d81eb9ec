/* os_peek copies readable memory, os_poke writable memory. For other memory they report an error
 * instead of faulting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "os/peek.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void readable_memory_is_copied(void **state)
{
	char to[8] = "-------";

	assert_true(os_peek(to, "abc", 4));
	assert_memory_equal(to, "abc\0---", 8);
	assert_true(os_peek(to, NULL, 0));
}

static void unreadable_memory_is_reported(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *two =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t to[64];

	assert_ptr_not_equal(two, MAP_FAILED);
	assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
	assert_true(os_peek(to, two + page - 64, 64));
	assert_false(os_peek(to, two + page - 63, 64));
	assert_false(os_peek(to, two + page, 1));
	assert_false(os_peek(to, NULL, 1));
	assert_int_equal(munmap(two, 2 * page), 0);
	assert_false(os_peek(to, two, 1));
}

static void writable_memory_is_written(void **state)
{
	char to[8] = "-------";

	assert_true(os_poke(to, "abc", 4));
	assert_memory_equal(to, "abc\0---", 8);
	assert_true(os_poke(NULL, to, 0));
}

static void unwritable_memory_is_reported(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *two =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t from[64] = {1};

	assert_ptr_not_equal(two, MAP_FAILED);
	assert_int_equal(mprotect(two + page, page, PROT_READ), 0);
	assert_true(os_poke(two + page - 64, from, 64));
	assert_false(os_poke(two + page - 63, from, 64));
	assert_false(os_poke(two + page, from, 1));
	assert_false(os_poke(NULL, from, 1));
	assert_int_equal(munmap(two, 2 * page), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readable_memory_is_copied),
		cmocka_unit_test(unreadable_memory_is_reported),
		cmocka_unit_test(writable_memory_is_written),
		cmocka_unit_test(unwritable_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
