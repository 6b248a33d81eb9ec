/* Which signals ask a tool to stop, and which signals end the tool? The signals go to a child
 * process, because some signals end the process. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/stop.h"

#define LATER_US 400000

/* Returns the exit status of a child process that calls the function `does` and then ends. */
static int status_of(void (*does)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		does();
		_exit(stop_status(0));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void once(void)
{
	stop_catch();
	if (stop_came())
		_exit(1);
	raise(SIGTERM);
	if (!stop_came() || !stop_asked() || stop_overdue())
		_exit(2);
}

static void asks(void **state)
{
	assert_int_equal(status_of(once), 128 + SIGTERM);
}

static void twice_at_once(void)
{
	stop_catch();
	raise(SIGTERM);
	raise(SIGTERM);
	_exit(stop_came() ? 7 : 1);
}

/* The same signal twice at once, as GNU timeout sends it, counts as one. */
static void repeated_signal_counts_once(void **state)
{
	assert_int_equal(status_of(twice_at_once), 7);
}

static void twice(void)
{
	stop_catch();
	raise(SIGTERM);
	usleep(LATER_US);
	raise(SIGINT);
	_exit(1);
}

static void second_signal_ends_the_tool(void **state)
{
	assert_int_equal(status_of(twice), 128 + SIGINT);
}

static void ignored_before(void)
{
	signal(SIGINT, SIG_IGN);
	stop_catch();
	raise(SIGINT);
	if (stop_came())
		_exit(1);
	raise(SIGTERM);
}

/* A signal that was ignored when the program started stays ignored. For example, a shell may start
 * background programs with SIGINT ignored. */
static void ignored_signal_stays_ignored(void **state)
{
	assert_int_equal(status_of(ignored_before), 128 + SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks),
		cmocka_unit_test(repeated_signal_counts_once),
		cmocka_unit_test(second_signal_ends_the_tool),
		cmocka_unit_test(ignored_signal_stays_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
