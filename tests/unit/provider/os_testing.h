/* Includes and helpers of all tests of provider/os. */
#ifndef OS_TESTING_H
#define OS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "os/handle.h"
#include "ndstatus.h"

#define assert_status(call, status) assert_int_equal((uint32_t)(call), (uint32_t)(status))

/* Teardown: fails if an object of the test still exists after 20 s. The wait is needed because the
 * delivery thread may release the last object a moment after the test. */
static inline int nothing_is_left(void **state)
{
	for (int i = 0; os_handle_live() && i < 20000; i++)
		usleep(1000);
	return os_handle_live() != 0;
}

static inline bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static inline double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static inline HANDLE with_bits(HANDLE handle, uintptr_t bits)
{
	return (HANDLE)((uintptr_t)handle | bits);
}

#define os_test(f) cmocka_unit_test_teardown(f, nothing_is_left)

#endif
