/*
 * Tests of the functions that read clocks, convert dates, or describe the machine (processors,
 * memory, names) or the process (times, priority, exit).
 */
#include <process.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "testing.h"

#define THIS_THREAD ((HANDLE)(LONG_PTR)-2)
#define NOT_OURS    ((HANDLE)0x1000)

static ULONGLONG whole(FILETIME t)
{
	return (ULONGLONG)t.dwHighDateTime << 32 | t.dwLowDateTime;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

static void test_counters(void **state)
{
	LARGE_INTEGER a, b, f;
	ULONGLONG ticks = GetTickCount64();

	EXPECT(QueryPerformanceFrequency, QueryPerformanceFrequency(&f) &&
						  f.QuadPart == 1000000000 &&
						  !QueryPerformanceFrequency(NULL));
	EXPECT(QueryPerformanceCounter,
	       QueryPerformanceCounter(&a) && !QueryPerformanceCounter(NULL));
	sleep_ms(20);
	QueryPerformanceCounter(&b);
	EXPECT(QueryPerformanceCounter, b.QuadPart - a.QuadPart >= 20 * f.QuadPart / 1000 &&
						b.QuadPart - a.QuadPart < 60 * f.QuadPart);
	EXPECT(GetTickCount64, GetTickCount64() - ticks >= 19 && GetTickCount64() - ticks < 60000);
	EXPECT(GetTickCount, GetTickCount() - (DWORD)ticks < 60000);
	EXPECT(timeGetTime, timeGetTime() - (DWORD)ticks < 60000);
	EXPECT(timeBeginPeriod, timeBeginPeriod(1) == TIMERR_NOERROR);
	EXPECT(timeEndPeriod, timeEndPeriod(1) == TIMERR_NOERROR);
}

static void test_dates(void **state)
{
	FILETIME t, p;
	SYSTEMTIME s, back;
	time_t now = time(NULL);

	GetSystemTimeAsFileTime(&t);
	time_t took = time(NULL) - now; /* in seconds; on a busy machine more than 0 */
	GetSystemTimePreciseAsFileTime(&p);
	EXPECT(GetSystemTimeAsFileTime,
	       (time_t)(whole(t) / 10000000 - 11644473600) - now <= 1 + took);
	EXPECT(GetSystemTimePreciseAsFileTime, whole(p) >= whole(t));
	GetSystemTime(&s);
	took = time(NULL) - now;
	EXPECT(GetSystemTime,
	       SystemTimeToFileTime(&s, &p) &&
		       whole(p) / 10000000 - whole(t) / 10000000 <= 1 + (UINT64)took);
	setenv("TZ", "UTC-2", 1);
	tzset();
	GetLocalTime(&back);
	took = time(NULL) - now;
	EXPECT(GetLocalTime,
	       SystemTimeToFileTime(&back, &p) &&
		       (whole(p) + 10000000 - whole(t)) / 10000000 - 7200 <= 2 + (UINT64)took);
	EXPECT(FileTimeToLocalFileTime,
	       FileTimeToLocalFileTime(&t, &p) && whole(p) - whole(t) == UINT64_C(72000000000));
	unsetenv("TZ");
	tzset();
	s = (SYSTEMTIME){.wYear = 2000,
			 .wMonth = 2,
			 .wDay = 29,
			 .wHour = 23,
			 .wMinute = 59,
			 .wSecond = 58,
			 .wMilliseconds = 123};
	EXPECT(SystemTimeToFileTime,
	       SystemTimeToFileTime(&s, &t) && whole(t) == UINT64_C(125963423981230000));
	EXPECT(FileTimeToSystemTime, FileTimeToSystemTime(&t, &back) && back.wDayOfWeek == 2 &&
					     back.wDay == 29 && back.wMilliseconds == 123);
	s.wYear = 1900;
	assert_fails(SystemTimeToFileTime(&s, &t), ERROR_INVALID_PARAMETER);
	p = (FILETIME){0, 0x80000000};
	assert_fails(FileTimeToSystemTime(&p, &back), ERROR_INVALID_PARAMETER);
	assert_fails(FileTimeToLocalFileTime(&p, &t), ERROR_INVALID_PARAMETER);
	EXPECT(CompareFileTime, CompareFileTime(&t, &p) == -1 && CompareFileTime(&p, &t) == 1 &&
					CompareFileTime(&t, &t) == 0);
}

static void test_c_library(void **state)
{
	struct tm tm;
	time_t t = 951868798;
	__time64_t wide = 0;
	char text[26];

	EXPECT(gmtime_s, gmtime_s(&tm, &t) == 0 && tm.tm_mday == 29 && tm.tm_hour == 23 &&
				 gmtime_s(NULL, &t) != 0);
	EXPECT(asctime_s, asctime_s(text, 26, &tm) == 0 &&
				  !strcmp(text, "Tue Feb 29 23:59:58 2000\n") &&
				  asctime_s(text, 25, &tm) != 0);
	EXPECT(localtime_s,
	       localtime_s(&tm, &t) == 0 && mktime(&tm) == t && localtime_s(&tm, NULL) != 0);
	EXPECT(ctime_s,
	       ctime_s(text, 26, &t) == 0 && strlen(text) == 25 && ctime_s(text, 26, NULL) != 0);
	EXPECT(_time64, _time64(&wide) == wide && wide - time(NULL) <= 1);
	EXPECT(_gmtime64_s, _gmtime64_s(&tm, &t) == 0 && tm.tm_sec == 58);
	EXPECT(_localtime64_s, _localtime64_s(&tm, &t) == 0 && tm.tm_sec == 58);
}

static void test_process_times(void **state)
{
	FILETIME created, ended, kernel, user, kernel2, user2;
	ULONG64 a = 0, b = 0;
	HANDLE self = GetCurrentProcess();

	GetSystemTimes(&ended, &kernel, &user);
	EXPECT(GetSystemTimes, whole(kernel) >= whole(ended) && whole(user) > 0 &&
				       GetSystemTimes(NULL, NULL, NULL));
	EXPECT(QueryProcessCycleTime,
	       QueryProcessCycleTime(self, &a) && a > 0 && !QueryProcessCycleTime(NOT_OURS, &a));
	for (volatile unsigned i = 0; i < 5000000; i++)
		;
	EXPECT(QueryThreadCycleTime, QueryThreadCycleTime(THIS_THREAD, &b) && b > 1000000 &&
					     !QueryThreadCycleTime(self, &b));
	EXPECT(GetProcessTimes, GetProcessTimes(self, &created, &ended, &kernel, &user) &&
					whole(user) + whole(kernel) > 0 && whole(ended) == 0);
	GetSystemTimeAsFileTime(&ended);
	EXPECT(GetProcessTimes, whole(ended) - whole(created) < UINT64_C(10000000) * 600 ||
					whole(created) - whole(ended) < 10000000);
	assert_fails(GetProcessTimes(NOT_OURS, &created, &ended, &kernel, &user),
		     ERROR_INVALID_HANDLE);
	EXPECT(GetThreadTimes, GetThreadTimes(THIS_THREAD, &created, &ended, &kernel2, &user2) &&
				       whole(user2) + whole(kernel2) > 0);
	assert_fails(GetThreadTimes(NOT_OURS, &created, &ended, &kernel, &user),
		     ERROR_INVALID_HANDLE);
}

static void test_process(void **state)
{
	EXPECT(GetCurrentProcess, GetCurrentProcess() == (HANDLE)(LONG_PTR)-1);
	EXPECT(GetCurrentProcessId, GetCurrentProcessId() == (DWORD)getpid());
	EXPECT(_getpid, _getpid() == getpid());
	EXPECT(GetProcessId, GetProcessId(GetCurrentProcess()) == (DWORD)getpid());
	assert_fails(GetProcessId(NOT_OURS), ERROR_INVALID_HANDLE);
	EXPECT(SetProcessWorkingSetSize, SetProcessWorkingSetSize(GetCurrentProcess(), 1, 2) &&
						 !SetProcessWorkingSetSize(NOT_OURS, 1, 2));
	EXPECT(SetPriorityClass, SetPriorityClass(GetCurrentProcess(), HIGH_PRIORITY_CLASS) &&
					 !SetPriorityClass(NOT_OURS, 1));
}

static int child(void (*run)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		run();
		_exit(99);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void say_left(void)
{
	_exit(43);
}

static void leave(void)
{
	atexit(say_left);
	ExitProcess(42);
}

static void end(void)
{
	atexit(say_left);
	TerminateProcess(GetCurrentProcess(), 44);
}

static void test_ends(void **state)
{
	EXPECT(ExitProcess, WEXITSTATUS(child(leave)) == 43);
	EXPECT(TerminateProcess, WEXITSTATUS(child(end)) == 44);
	assert_fails(TerminateProcess(NOT_OURS, 1), ERROR_INVALID_HANDLE);
}

static void test_processors(void **state)
{
	DWORD_PTR mask = 0, all = 0, lowest;
	HANDLE self = GetCurrentProcess();

	EXPECT(GetProcessAffinityMask,
	       GetProcessAffinityMask(self, &mask, &all) && mask && (mask & all) == mask);
	assert_fails(GetProcessAffinityMask(NOT_OURS, &mask, &all), ERROR_INVALID_HANDLE);
	assert_fails(GetProcessAffinityMask(self, NULL, &all), ERROR_INVALID_PARAMETER);
	lowest = mask & -mask;
	EXPECT(SetProcessAffinityMask,
	       SetProcessAffinityMask(self, lowest) && GetProcessAffinityMask(self, &all, &all));
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	EXPECT(SetProcessAffinityMask, CPU_COUNT(&set) == 1 && SetProcessAffinityMask(self, mask));
	assert_fails(SetProcessAffinityMask(self, 0), ERROR_INVALID_PARAMETER);
	assert_fails(SetProcessAffinityMask(NOT_OURS, mask), ERROR_INVALID_HANDLE);
	EXPECT(GetActiveProcessorCount,
	       GetActiveProcessorCount(0) == GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) &&
		       GetActiveProcessorCount(0) > 0 && !GetActiveProcessorCount(1));
	EXPECT(GetMaximumProcessorCount,
	       GetMaximumProcessorCount(0) >= GetActiveProcessorCount(0) &&
		       !GetMaximumProcessorCount(1));
	EXPECT(GetActiveProcessorGroupCount, GetActiveProcessorGroupCount() == 1);
	EXPECT(GetMaximumProcessorGroupCount, GetMaximumProcessorGroupCount() == 1);
}

static void test_system(void **state)
{
	SYSTEM_INFO info, native;
	MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};

	GetSystemInfo(&info);
	GetNativeSystemInfo(&native);
	EXPECT(GetSystemInfo, info.dwPageSize == (DWORD)sysconf(_SC_PAGESIZE) &&
				      info.dwAllocationGranularity == 65536 &&
				      info.dwNumberOfProcessors > 0 && info.dwActiveProcessorMask);
	EXPECT(GetNativeSystemInfo, native.dwNumberOfProcessors == info.dwNumberOfProcessors);
	EXPECT(GlobalMemoryStatusEx, GlobalMemoryStatusEx(&memory) &&
					     memory.ullTotalPhys >= memory.ullAvailPhys &&
					     memory.dwMemoryLoad <= 100);
	memory.dwLength = 1;
	assert_fails(GlobalMemoryStatusEx(&memory), ERROR_INVALID_PARAMETER);
}

static void test_names(void **state)
{
	char name[256], host[256] = "";
	wchar_t wide[256];
	DWORD size = sizeof(name), none = 0;

	gethostname(host, sizeof(host) - 1);
	EXPECT(GetComputerNameA, GetComputerNameA(name, &size) && size == strlen(name) &&
					 size <= MAX_COMPUTERNAME_LENGTH);
	EXPECT(GetComputerNameA, !GetComputerNameA(name, &none) && none == size + 1 &&
					 GetLastError() == ERROR_BUFFER_OVERFLOW);
	size = 256;
	EXPECT(GetComputerNameW, GetComputerNameW(wide, &size) && size == wcslen(wide));
	size = 256;
	EXPECT(GetComputerNameExA, GetComputerNameExA(ComputerNameDnsFullyQualified, name, &size) &&
					   !strcmp(name, host));
	size = 1;
	EXPECT(GetComputerNameExA, !GetComputerNameExA(ComputerNameDnsHostname, name, &size) &&
					   GetLastError() == ERROR_MORE_DATA);
	size = 256;
	EXPECT(GetComputerNameExA,
	       GetComputerNameExA(ComputerNameDnsDomain, name, &size) &&
		       GetComputerNameExA(ComputerNameNetBIOS, host, (size = 256, &size)));
	assert_fails(GetComputerNameExA(ComputerNameMax, name, &size), ERROR_INVALID_PARAMETER);
	size = 256;
	EXPECT(GetComputerNameExW,
	       GetComputerNameExW(ComputerNameDnsHostname, wide, &size) && size == wcslen(wide));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),   cmocka_unit_test(test_dates),
		cmocka_unit_test(test_c_library),  cmocka_unit_test(test_process_times),
		cmocka_unit_test(test_process),	   cmocka_unit_test(test_ends),
		cmocka_unit_test(test_processors), cmocka_unit_test(test_system),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
