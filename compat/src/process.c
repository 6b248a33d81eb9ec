/*
 * What are the id, the processors and the times of this process? Values that no system call returns
 * come from files in /proc. This file keeps no state. Any thread may call the functions.
 */
#include "last_error.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <process.h>
#include <processclock.h>
#include <sysinfoapi.h>

#define THIS_PROCESS   ((HANDLE)(LONG_PTR)-1)
#define THIS_THREAD    ((HANDLE)(LONG_PTR)-2)
#define FILETIME_PER_S UINT64_C(10000000)
#define MASKED	       64u

HANDLE GetCurrentProcess(void)
{
	return THIS_PROCESS;
}

DWORD GetCurrentProcessId(void)
{
	return (DWORD)getpid();
}

int _getpid(void)
{
	return getpid();
}

DWORD GetProcessId(HANDLE process)
{
	return process == THIS_PROCESS ? GetCurrentProcessId()
				       : (DWORD)compat_fail(ERROR_INVALID_HANDLE);
}

void ExitProcess(UINT code)
{
	exit((int)code);
}

BOOL TerminateProcess(HANDLE process, UINT code)
{
	if (process != THIS_PROCESS)
		return compat_fail(ERROR_INVALID_HANDLE);
	_exit((int)code);
}

BOOL SetProcessWorkingSetSize(HANDLE process, SIZE_T least, SIZE_T most)
{
	(void)least, (void)most;
	return process == THIS_PROCESS ? TRUE : compat_fail(ERROR_INVALID_HANDLE);
}

BOOL SetPriorityClass(HANDLE process, DWORD priority)
{
	(void)priority;
	return process == THIS_PROCESS ? TRUE : compat_fail(ERROR_INVALID_HANDLE);
}

/* ---- Times of the machine, the process and a thread ----------------------------------------- */

static void put(FILETIME *to, uint64_t time)
{
	if (to)
		*to = (FILETIME){.dwLowDateTime = (DWORD)time,
				 .dwHighDateTime = (DWORD)(time >> 32)};
}

BOOL GetSystemTimes(FILETIME *idle, FILETIME *kernel, FILETIME *user)
{
	/*
	 * The clock ticks that /proc/stat counts, in this order: user, nice, system, idle, iowait,
	 * irq, softirq, steal.
	 */
	unsigned long long t[8] = {0};
	FILE *stat = fopen("/proc/stat", "re");
	int n = stat ? fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1],
			      &t[2], &t[3], &t[4], &t[5], &t[6], &t[7])
		     : 0;

	if (stat)
		fclose(stat);
	if (n < 4)
		return compat_fail(ERROR_GEN_FAILURE);
	uint64_t unit = FILETIME_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t still = t[3] + t[4];

	put(idle, still * unit);
	put(kernel, (still + t[2] + t[5] + t[6] + t[7]) * unit);
	put(user, (t[0] + t[1]) * unit);
	return TRUE;
}

static uint64_t time_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * FILETIME_PER_S + (uint64_t)t.tv_usec * 10;
}

/*
 * Returns the time at which a process or thread started, as a FILETIME. `path` is a stat file in
 * /proc. That file contains the start time in clock ticks since the start of the machine.
 */
static uint64_t started(const char *path)
{
	char line[1024];
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(line, 1, sizeof(line) - 1, file) : 0;
	unsigned long long ticks = 0;
	struct timespec up;
	FILETIME at;

	if (file)
		fclose(file);
	line[n] = 0;
	/*
	 * The program name in parentheses may contain spaces, so fields are counted from the
	 * closing parenthesis.
	 */
	char *field = strrchr(line, ')');

	for (int i = 0; field && i < 20; i++)
		field = strchr(field + 1, ' ');
	if (field)
		ticks = strtoull(field, NULL, 10);
	clock_gettime(CLOCK_BOOTTIME, &up);
	GetSystemTimePreciseAsFileTime(&at);
	uint64_t boot = ((uint64_t)at.dwHighDateTime << 32 | at.dwLowDateTime) -
			((uint64_t)up.tv_sec * FILETIME_PER_S + (uint64_t)up.tv_nsec / 100);

	return boot + ticks * (FILETIME_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

static BOOL times(int who, const char *path, FILETIME *created, FILETIME *ended, FILETIME *kernel,
		  FILETIME *user)
{
	struct rusage usage;

	getrusage(who, &usage);
	if (created)
		put(created, started(path));
	put(ended, 0);
	put(kernel, time_of(usage.ru_stime));
	put(user, time_of(usage.ru_utime));
	return TRUE;
}

BOOL GetProcessTimes(HANDLE process, FILETIME *created, FILETIME *ended, FILETIME *kernel,
		     FILETIME *user)
{
	if (process != THIS_PROCESS)
		return compat_fail(ERROR_INVALID_HANDLE);
	return times(RUSAGE_SELF, "/proc/self/stat", created, ended, kernel, user);
}

BOOL GetThreadTimes(HANDLE thread, FILETIME *created, FILETIME *ended, FILETIME *kernel,
		    FILETIME *user)
{
	if (thread != THIS_THREAD)
		return compat_fail(ERROR_INVALID_HANDLE);
	return times(RUSAGE_THREAD, "/proc/thread-self/stat", created, ended, kernel, user);
}

static BOOL cycles_of(clockid_t clock, ULONG64 *cycles)
{
	struct timespec t;

	if (!cycles)
		return compat_fail(ERROR_INVALID_PARAMETER);
	clock_gettime(clock, &t);
	*cycles = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return TRUE;
}

BOOL QueryProcessCycleTime(HANDLE process, ULONG64 *cycles)
{
	return process == THIS_PROCESS ? cycles_of(CLOCK_PROCESS_CPUTIME_ID, cycles)
				       : compat_fail(ERROR_INVALID_HANDLE);
}

BOOL QueryThreadCycleTime(HANDLE thread, ULONG64 *cycles)
{
	return thread == THIS_THREAD ? cycles_of(CLOCK_THREAD_CPUTIME_ID, cycles)
				     : compat_fail(ERROR_INVALID_HANDLE);
}

/* ---- Number and choice of processors -------------------------------------------------------- */

static unsigned online(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

static DWORD_PTR mask_of(const cpu_set_t *set)
{
	DWORD_PTR mask = 0;

	for (unsigned i = 0; i < MASKED; i++)
		if (CPU_ISSET(i, set))
			mask |= (DWORD_PTR)1 << i;
	return mask;
}

static DWORD_PTR all_processors(void)
{
	return online() >= MASKED ? ~(DWORD_PTR)0 : ((DWORD_PTR)1 << online()) - 1;
}

BOOL GetProcessAffinityMask(HANDLE process, DWORD_PTR *mask, DWORD_PTR *system)
{
	cpu_set_t set;

	if (process != THIS_PROCESS)
		return compat_fail(ERROR_INVALID_HANDLE);
	if (!mask || !system || sched_getaffinity(getpid(), sizeof(set), &set) != 0)
		return compat_fail(ERROR_INVALID_PARAMETER);
	*mask = mask_of(&set);
	*system = all_processors() | *mask;
	return TRUE;
}

BOOL SetProcessAffinityMask(HANDLE process, DWORD_PTR mask)
{
	cpu_set_t set;
	DIR *tasks;
	bool good = true;

	if (process != THIS_PROCESS)
		return compat_fail(ERROR_INVALID_HANDLE);
	CPU_ZERO(&set);
	for (unsigned i = 0; i < MASKED; i++)
		if (mask >> i & 1)
			CPU_SET(i, &set);
	tasks = mask ? opendir("/proc/self/task") : NULL;
	if (!tasks)
		return compat_fail(ERROR_INVALID_PARAMETER);
	for (struct dirent *task = readdir(tasks); task && good; task = readdir(tasks))
		if (task->d_name[0] != '.')
			good = sched_setaffinity(atoi(task->d_name), sizeof(set), &set) == 0 ||
			       errno == ESRCH;
	closedir(tasks);
	return good ? TRUE : compat_fail(ERROR_INVALID_PARAMETER);
}

DWORD GetActiveProcessorCount(WORD group)
{
	return group == 0 || group == ALL_PROCESSOR_GROUPS
		       ? online()
		       : (DWORD)compat_fail(ERROR_INVALID_PARAMETER);
}

DWORD GetMaximumProcessorCount(WORD group)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	if (group != 0 && group != ALL_PROCESSOR_GROUPS)
		return (DWORD)compat_fail(ERROR_INVALID_PARAMETER);
	return n > 0 ? (DWORD)n : 1;
}

WORD GetActiveProcessorGroupCount(void)
{
	return 1;
}

WORD GetMaximumProcessorGroupCount(void)
{
	return 1;
}
