/*
 * Which functions of a program are called on Ctrl-C and similar signals (SetConsoleCtrlHandler)? A
 * signal handler writes the signal's number to a pipe. A thread reads the pipe and calls the
 * program's handlers.
 *
 * This file owns the handlers, the pipe and the thread. Any thread may call the functions.
 */
#include "last_error.h"
#include "text.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <consoleapi.h>
#include <debugapi.h>
#include <stringapiset.h>

#define HANDLERS 64

static const struct {
	int signal;
	DWORD event;
} events[] = {
	{SIGINT, CTRL_C_EVENT},
	{SIGQUIT, CTRL_BREAK_EVENT},
	{SIGTERM, CTRL_CLOSE_EVENT},
	{SIGHUP, CTRL_CLOSE_EVENT},
};
#define EVENTS (sizeof(events) / sizeof(*events))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PHANDLER_ROUTINE handlers[HANDLERS];
static unsigned n_handlers;
static bool ignored, listening;
static int pipe_ends[2] = {-1, -1};

static void on_signal(int number)
{
	unsigned char byte = (unsigned char)number;
	ssize_t written = write(pipe_ends[1], &byte, 1);

	(void)written;
}

static void set(int number, void (*action)(int))
{
	struct sigaction how = {.sa_handler = action, .sa_flags = SA_RESTART};

	sigemptyset(&how.sa_mask);
	sigaction(number, &how, NULL);
}

static void deliver(int number)
{
	PHANDLER_ROUTINE now[HANDLERS];
	DWORD event = CTRL_CLOSE_EVENT;

	pthread_mutex_lock(&lock);
	unsigned n = n_handlers;

	memcpy(now, handlers, sizeof(now));
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < EVENTS; i++)
		if (events[i].signal == number)
			event = events[i].event;
	while (n > 0)
		if (now[--n](event))
			return;
	set(number, SIG_DFL);
	kill(getpid(), number);
}

static void *listen_for_signals(void *unused)
{
	unsigned char number;

	(void)unused;
	while (read(pipe_ends[0], &number, 1) == 1)
		deliver(number);
	return NULL;
}

/*
 * Starts the thread that reads the pipe, unless the thread is running already. The caller holds the
 * lock.
 */
static bool start_listening(void)
{
	pthread_t thread;
	sigset_t all, before;

	if (listening)
		return true;
	if (pipe2(pipe_ends, O_CLOEXEC) != 0)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	listening = pthread_create(&thread, NULL, listen_for_signals, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!listening) {
		close(pipe_ends[0]);
		close(pipe_ends[1]);
		return false;
	}
	pthread_detach(thread);
	return true;
}

/*
 * Sets the action of each signal in events[]: default, ignore, or write to the pipe. Call this
 * function after a change of the handlers or of the flag `ignored`. The caller holds the lock.
 */
static void apply(void)
{
	for (size_t i = 0; i < EVENTS; i++)
		set(events[i].signal, ignored && events[i].signal == SIGINT ? SIG_IGN
				      : n_handlers			    ? on_signal
									    : SIG_DFL);
}

static bool add_handler(PHANDLER_ROUTINE handler)
{
	if (n_handlers == HANDLERS || !start_listening())
		return false;
	handlers[n_handlers++] = handler;
	return true;
}

static bool remove_handler(PHANDLER_ROUTINE handler)
{
	for (unsigned i = n_handlers; i-- > 0;) {
		if (handlers[i] != handler)
			continue;
		n_handlers--;
		memmove(&handlers[i], &handlers[i + 1], (n_handlers - i) * sizeof(*handlers));
		return true;
	}
	return false;
}

BOOL SetConsoleCtrlHandler(PHANDLER_ROUTINE handler, BOOL add)
{
	bool done = true;

	pthread_mutex_lock(&lock);
	if (!handler)
		ignored = add != 0;
	else
		done = add ? add_handler(handler) : remove_handler(handler);
	if (done)
		apply();
	pthread_mutex_unlock(&lock);
	return done ? TRUE : compat_fail(add ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
}

BOOL GenerateConsoleCtrlEvent(DWORD event, DWORD group)
{
	if (group != 0 || event > CTRL_BREAK_EVENT)
		return compat_fail(ERROR_INVALID_PARAMETER);
	return kill(getpid(), events[event].signal) == 0 ? TRUE : compat_fail(ERROR_GEN_FAILURE);
}

static BOOL is_utf8(UINT page)
{
	return page == CP_UTF8 || page == CP_ACP || page == CP_OEMCP
		       ? TRUE
		       : compat_fail(ERROR_INVALID_PARAMETER);
}

BOOL SetConsoleOutputCP(UINT page)
{
	return is_utf8(page);
}

BOOL SetConsoleCP(UINT page)
{
	return is_utf8(page);
}

UINT GetConsoleOutputCP(void)
{
	return CP_UTF8;
}

/* ---- Functions for debugging ---------------------------------------------------------------- */

void OutputDebugStringA(LPCSTR text)
{
	if (text)
		fputs(text, stderr);
}

void OutputDebugStringW(LPCWSTR text)
{
	char *narrow = compat_narrow(text);

	OutputDebugStringA(narrow);
	free(narrow);
}

void DebugBreak(void)
{
	raise(SIGTRAP);
}

BOOL IsDebuggerPresent(void)
{
	char line[128];
	int tracer = 0;
	FILE *status = fopen("/proc/self/status", "re");

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (status)
		fclose(status);
	return tracer != 0;
}
