/*
 * How does a thread sleep, or yield the processor? This file keeps no state. The functions run on
 * the caller's thread.
 */
#include "deadline.h"

#include <processthreadsapi.h>
#include <sched.h>
#include <synchapi.h>
#include <unistd.h>

void Sleep(DWORD ms)
{
	struct timespec left = {ms / 1000, (ms % 1000) * 1000000L};

	if (!ms)
		sched_yield();
	while (ms == INFINITE)
		pause();
	while (ms && nanosleep(&left, &left))
		;
}

DWORD SleepEx(DWORD ms, BOOL alertable)
{
	Sleep(ms);
	return 0;
}

BOOL SwitchToThread(void)
{
	return sched_yield() == 0;
}
