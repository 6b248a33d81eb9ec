/* Macros and includes that the tests in this folder share. */
#ifndef COMPAT_TESTING_H
#define COMPAT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#include <cmocka.h>
}
#else
#include <cmocka.h>
#endif
#include <windows.h>

/* Checks that the call returns a false value and sets the last error to `error`. */
#define assert_fails(call, error)                          \
	do {                                               \
		SetLastError(0xDEAD);                      \
		assert_false((call));                      \
		assert_int_equal(GetLastError(), (error)); \
	} while (0)

/*
 * Checks a condition on a result of one function of the library. If the condition is false, the
 * test fails and reports the name `function`.
 */
#define EXPECT(function, condition)                                \
	do {                                                       \
		if (!(condition))                                  \
			fail_msg("%s: %s", #function, #condition); \
	} while (0)

#endif
