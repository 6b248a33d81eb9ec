/* Handles SIGINT and SIGTERM. Owns both signals. The handler may run in any thread. The time of
 * the first signal is stored before the signal's number. So whoever sees the number also sees
 * the time. */
#include "stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* GNU timeout sends a signal to the tool and to the tool's process group, so the tool receives the
 * signal twice. A second signal within ECHO_MS milliseconds is such a repetition. */
#define ECHO_MS 250

static atomic_int caught; /* number of the first signal; 0: none came */
static _Atomic uint64_t caught_ms;
static atomic_bool said;
static _Thread_local bool leaving;

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void on_signal(int number)
{
	uint64_t now = now_ms(), first = 0;
	if (atomic_compare_exchange_strong(&caught_ms, &first, now))
		atomic_store(&caught, number);
	else if (now > first + ECHO_MS)
		_exit(128 + number);
}

static void install(int number, const struct sigaction *act)
{
	struct sigaction inherited;
	if (sigaction(number, NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
		sigaction(number, act, NULL);
}

void stop_catch(void)
{
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigemptyset(&act.sa_mask);
	install(SIGINT, &act);
	install(SIGTERM, &act);
}

bool stop_asked(void)
{
	return atomic_load_explicit(&caught, memory_order_relaxed) && !leaving;
}

bool stop_came(void)
{
	return atomic_load(&caught) != 0;
}

bool stop_overdue(void)
{
	return stop_asked() && now_ms() - atomic_load(&caught_ms) > STOP_PATIENCE_MS;
}

void stop_leave(const char *program)
{
	int number = atomic_load(&caught);
	leaving = true;
	if (!number || atomic_exchange(&said, true))
		return;
	fflush(stdout);
	fprintf(stderr, "%s: interrupted by SIG%s\n", program, sigabbrev_np(number));
}

int stop_status(int status)
{
	int number = atomic_load(&caught);
	return number ? 128 + number : status;
}
