/* Tests of the environment, loaded libraries, texts of error numbers, and the console. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include "testing.h"
#include <ndstatus.h>

static void test_environment(void **state)
{
	char t[32];
	wchar_t w[32];

#define IS(text)      (strcmp(t, text) == 0)
#define IS_WIDE(text) (wcscmp(w, text) == 0)
	EXPECT(SetEnvironmentVariableA, SetEnvironmentVariableA("COMPAT_A", "value") &&
						!strcmp(getenv("COMPAT_A"), "value"));
	assert_fails(SetEnvironmentVariableA("A=B", "x"), ERROR_INVALID_PARAMETER);
	EXPECT(SetEnvironmentVariableW, SetEnvironmentVariableW(L"COMPAT_W", L"\u00e9") &&
						!strcmp(getenv("COMPAT_W"), "\xc3\xa9"));
	EXPECT(GetEnvironmentVariableA, GetEnvironmentVariableA("COMPAT_A", t, 32) == 5 &&
						IS("value") &&
						GetEnvironmentVariableA("COMPAT_A", t, 5) == 6);
	assert_fails(GetEnvironmentVariableA("COMPAT_NONE", t, 32), ERROR_ENVVAR_NOT_FOUND);
	EXPECT(GetEnvironmentVariableW, GetEnvironmentVariableW(L"COMPAT_W", w, 32) == 1 &&
						IS_WIDE(L"\u00e9") &&
						GetEnvironmentVariableW(L"COMPAT_W", NULL, 0) == 2);
	EXPECT(ExpandEnvironmentStringsA,
	       ExpandEnvironmentStringsA("%COMPAT_A%-100%-%NO_X%", t, 32) == 18 &&
		       IS("value-100%-%NO_X%"));
	EXPECT(ExpandEnvironmentStringsA, ExpandEnvironmentStringsA("abc", NULL, 0) == 4 &&
						  !ExpandEnvironmentStringsA(NULL, t, 32));
	EXPECT(ExpandEnvironmentStringsW,
	       ExpandEnvironmentStringsW(L"<%COMPAT_W%>", w, 32) == 4 && IS_WIDE(L"<\u00e9>"));
	EXPECT(_wgetenv, !wcscmp(_wgetenv(L"COMPAT_A"), L"value") && !_wgetenv(L"COMPAT_NONE"));
	SetEnvironmentVariableA("COMPAT_A", NULL);
	assert_null(getenv("COMPAT_A"));
}

static void test_c_library(void **state)
{
	char t[8], *copy = NULL, path[PATH_MAX], *same;
	size_t n = 9;

	EXPECT(_putenv, _putenv("COMPAT_P=1=2") == 0 && !strcmp(getenv("COMPAT_P"), "1=2") &&
				_putenv("none") == -1 && errno == EINVAL);
	EXPECT(_putenv_s, _putenv_s("COMPAT_P", "long text") == 0 && _putenv_s(NULL, "") == EINVAL);
	EXPECT(getenv_s, getenv_s(&n, t, 8, "COMPAT_P") == ERANGE && n == 10 &&
				 getenv_s(&n, NULL, 0, "COMPAT_NONE") == 0 && n == 0 &&
				 getenv_s(NULL, t, 8, "X") == EINVAL);
	EXPECT(_dupenv_s,
	       _dupenv_s(&copy, &n, "COMPAT_P") == 0 && !strcmp(copy, "long text") && n == 10);
	free(copy);
	EXPECT(_dupenv_s, _dupenv_s(&copy, &n, "COMPAT_NONE") == 0 && !copy &&
				  _dupenv_s(NULL, &n, "X") == EINVAL);
	EXPECT(_putenv_s, _putenv_s("COMPAT_P", "") == 0 && !getenv("COMPAT_P"));
	EXPECT(_fullpath, _fullpath(path, "/tmp/../tmp/.", PATH_MAX) == path &&
				  !strcmp(path, "/tmp") && !_fullpath(path, "/tmp", 4));
	EXPECT(_fullpath, (same = _fullpath(NULL, "/", 0)) && !strcmp(same, "/") &&
				  !_fullpath(path, "/there/is/none", PATH_MAX));
	free(same);
	EXPECT(_wsystem, WEXITSTATUS(_wsystem(L"exit 3")) == 3);
}

static void test_places(void **state)
{
	char here[PATH_MAX], t[PATH_MAX];
	wchar_t w[PATH_MAX];

	assert_non_null(getcwd(here, sizeof(here)));
	EXPECT(GetCurrentDirectoryA, GetCurrentDirectoryA(PATH_MAX, t) == strlen(here) &&
					     !strcmp(t, here) &&
					     GetCurrentDirectoryA(1, t) == strlen(here) + 1);
	EXPECT(GetCurrentDirectoryW,
	       GetCurrentDirectoryW(PATH_MAX, w) == strlen(here) && w[0] == L'/');
	EXPECT(GetCommandLineA,
	       strstr(GetCommandLineA(), "process_text") && GetCommandLineA() == GetCommandLineA());
	EXPECT(GetCommandLineW, wcsstr(GetCommandLineW(), L"process_text") != NULL);
}

static void test_modules(void **state)
{
	char t[PATH_MAX], self[PATH_MAX] = "";
	wchar_t w[PATH_MAX];
	HMODULE m = LoadLibraryA("libm.so.6"), k = LoadLibraryW(L"KERNEL32.dll"),
		program = GetModuleHandleA(NULL), x;

	EXPECT(LoadLibraryA, m != NULL);
	assert_fails(LoadLibraryA("libthere_is_none.so"), ERROR_MOD_NOT_FOUND);
	assert_fails(LoadLibraryA(NULL), ERROR_INVALID_PARAMETER);
	EXPECT(LoadLibraryW, k && GetProcAddress(k, "GetTickCount64") == (FARPROC)GetTickCount64);
	EXPECT(LoadLibraryExA,
	       (x = LoadLibraryExA("libm.so.6", NULL, LOAD_WITH_ALTERED_SEARCH_PATH)) == m &&
		       FreeLibrary(x));
	assert_fails(LoadLibraryExA("libm.so.6", NULL, LOAD_LIBRARY_AS_DATAFILE),
		     ERROR_INVALID_PARAMETER);
	EXPECT(LoadLibraryExW, (x = LoadLibraryExW(L"libm.so.6", NULL, 0)) == m && FreeLibrary(x));
	EXPECT(GetProcAddress, GetProcAddress(m, "cos") != NULL);
	assert_fails(GetProcAddress(m, "there_is_none"), ERROR_PROC_NOT_FOUND);
	assert_fails(GetProcAddress(m, (LPCSTR)5), ERROR_PROC_NOT_FOUND);
	assert_fails(GetProcAddress((HMODULE)0x1000, "cos"), ERROR_INVALID_HANDLE);
	EXPECT(GetModuleHandleA, program && GetModuleHandleA("libm.so.6") == m &&
					 !GetModuleHandleA("libthere_is_none.so"));
	EXPECT(GetModuleHandleW, GetModuleHandleW(L"ntdll") == k);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	EXPECT(GetModuleFileNameA,
	       GetModuleFileNameA(NULL, t, PATH_MAX) == strlen(self) && !strcmp(t, self));
	EXPECT(GetModuleFileNameA, GetModuleFileNameA(m, t, PATH_MAX) && strstr(t, "libm"));
	EXPECT(GetModuleFileNameA, GetModuleFileNameA(NULL, t, 4) == 4 &&
					   GetLastError() == ERROR_INSUFFICIENT_BUFFER &&
					   strlen(t) == 3);
	assert_fails(GetModuleFileNameA((HMODULE)0x1000, t, 4), ERROR_INVALID_HANDLE);
	EXPECT(GetModuleFileNameW,
	       GetModuleFileNameW(NULL, w, PATH_MAX) == strlen(self) && w[0] == L'/');
	EXPECT(DisableThreadLibraryCalls,
	       DisableThreadLibraryCalls(m) && !DisableThreadLibraryCalls((HMODULE)0x1000));
	EXPECT(FreeLibrary, FreeLibrary(m) && FreeLibrary(k));
	assert_fails(FreeLibrary((HMODULE)0x1000), ERROR_INVALID_HANDLE);
}

static DWORD list_message(DWORD flags, const char *format, char *to, DWORD size, ...)
{
	va_list list;

	va_start(list, size);
	DWORD n = FormatMessageA(flags, format, 0, 0, to, size, &list);

	va_end(list);
	return n;
}

static void test_messages(void **state)
{
	const DWORD quiet = FORMAT_MESSAGE_IGNORE_INSERTS,
		    system = FORMAT_MESSAGE_FROM_SYSTEM | quiet;
	DWORD_PTR values[] = {(DWORD_PTR) "one", 2};
	DWORD_PTR wide_values[] = {(DWORD_PTR)L"one"};
	char t[64], *allocated = NULL;
	wchar_t w[64], *wide_allocated = NULL;

	EXPECT(FormatMessageA,
	       FormatMessageA(system, NULL, ERROR_ACCESS_DENIED, 0, t, 64, NULL) == 19 &&
		       IS("Access is denied.\r\n"));
	EXPECT(FormatMessageA, FormatMessageA(system | FORMAT_MESSAGE_MAX_WIDTH_MASK, NULL,
					      (DWORD)ND_CANCELED, 0, t, 64, NULL) &&
				       IS("The request was canceled. "));
	EXPECT(FormatMessageA, FormatMessageA(system, NULL, 0x80070005, 0, t, 64, NULL) &&
				       !strncmp(t, "Access", 6));
	EXPECT(FormatMessageA, FormatMessageA(system | FORMAT_MESSAGE_ALLOCATE_BUFFER, NULL,
					      WSAECONNREFUSED, 0, (LPSTR)&allocated, 0, NULL) &&
				       strstr(allocated, "refused"));
	LocalFree(allocated);
	assert_fails(FormatMessageA(system, NULL, 123456, 0, t, 64, NULL), ERROR_MR_MID_NOT_FOUND);
	assert_fails(FormatMessageA(system, NULL, 5, 0, t, 5, NULL), ERROR_INSUFFICIENT_BUFFER);
	assert_fails(FormatMessageA(0, NULL, 5, 0, t, 64, NULL), ERROR_INVALID_PARAMETER);
	EXPECT(FormatMessageA,
	       FormatMessageA(FORMAT_MESSAGE_FROM_STRING | FORMAT_MESSAGE_ARGUMENT_ARRAY,
			      "%1-%2!04lu!%%%n%0x", 0, 0, t, 64, (va_list *)values) == 11 &&
		       IS("one-0002%\r\n"));
	EXPECT(FormatMessageA,
	       list_message(FORMAT_MESSAGE_FROM_STRING, "%2 %1!x!", t, 64, 255, "b") == 4 &&
		       IS("b ff"));
	EXPECT(FormatMessageA, FormatMessageA(FORMAT_MESSAGE_FROM_STRING | quiet, "%1 %n", 0, 0, t,
					      64, NULL) == 5 &&
				       IS("%1 %n"));
	EXPECT(FormatMessageW, FormatMessageW(system | FORMAT_MESSAGE_ALLOCATE_BUFFER, NULL, 5, 0,
					      (LPWSTR)&wide_allocated, 0, NULL) &&
				       !wcsncmp(wide_allocated, L"Access", 6));
	LocalFree(wide_allocated);
	EXPECT(FormatMessageW,
	       FormatMessageW(FORMAT_MESSAGE_FROM_STRING | FORMAT_MESSAGE_ARGUMENT_ARRAY, L"<%1>",
			      0, 0, w, 64, (va_list *)wide_values) == 5 &&
		       IS_WIDE(L"<one>"));
}

/* ---- The console: control handlers, code pages, debugging output ---------------------------- */

static sem_t seen;
static DWORD last_event = 99;

static BOOL take(DWORD event)
{
	last_event = event;
	sem_post(&seen);
	return TRUE;
}

static BOOL pass_on(DWORD event)
{
	return FALSE;
}

static bool arrived(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	return sem_timedwait(&seen, &until) == 0;
}

static void test_control(void **state)
{
	sem_init(&seen, 0, 0);
	EXPECT(SetConsoleCtrlHandler,
	       SetConsoleCtrlHandler(take, TRUE) && SetConsoleCtrlHandler(pass_on, TRUE));
	EXPECT(GenerateConsoleCtrlEvent, GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) && arrived() &&
						 last_event == CTRL_C_EVENT);
	kill(getpid(), SIGTERM);
	EXPECT(SetConsoleCtrlHandler, arrived() && last_event == CTRL_CLOSE_EVENT);
	assert_fails(GenerateConsoleCtrlEvent(CTRL_CLOSE_EVENT, 0), ERROR_INVALID_PARAMETER);
	assert_true(SetConsoleCtrlHandler(pass_on, FALSE));
	assert_fails(SetConsoleCtrlHandler(pass_on, FALSE), ERROR_INVALID_PARAMETER);
	assert_true(SetConsoleCtrlHandler(take, FALSE));
	assert_true(SetConsoleCtrlHandler(NULL, TRUE));
	raise(SIGINT);
	assert_true(SetConsoleCtrlHandler(NULL, FALSE));
	/* The test has removed its control handlers, so SIGTERM ends a process. To check this, a
	 * child process raises SIGTERM. */
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		raise(SIGTERM);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void test_pages(void **state)
{
	EXPECT(SetConsoleOutputCP, SetConsoleOutputCP(CP_UTF8) && !SetConsoleOutputCP(437));
	EXPECT(SetConsoleCP, SetConsoleCP(CP_UTF8) && !SetConsoleCP(437));
	EXPECT(GetConsoleOutputCP, GetConsoleOutputCP() == CP_UTF8);
}

static void test_debugging(void **state)
{
	int status, ends[2], saved = dup(2);
	char t[16] = "";

	EXPECT(IsDebuggerPresent, !IsDebuggerPresent());
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], 2);
	OutputDebugStringA("narrow,");
	OutputDebugStringA(NULL);
	OutputDebugStringW(L"\u00e9");
	dup2(saved, 2);
	close(saved);
	/*
	 * OutputDebugString wrote the text in several pieces, so one read may return only part of
	 * it.
	 */
	for (ssize_t n = 0, at = 0; at < 9; at += n)
		assert_true((n = read(ends[0], t + at, 15 - (size_t)at)) > 0);
	EXPECT(OutputDebugStringA, !strncmp(t, "narrow,", 7));
	EXPECT(OutputDebugStringW, !strcmp(t + 7, "\xc3\xa9"));
	pid_t pid = fork();

	if (pid == 0) {
		DebugBreak();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	EXPECT(DebugBreak, WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		_exit(IsDebuggerPresent() ? 7 : 8);
	}
	waitpid(pid, &status, 0);
	EXPECT(IsDebuggerPresent, WEXITSTATUS(status) == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment), cmocka_unit_test(test_c_library),
		cmocka_unit_test(test_places),	    cmocka_unit_test(test_modules),
		cmocka_unit_test(test_messages),    cmocka_unit_test(test_control),
		cmocka_unit_test(test_pages),	    cmocka_unit_test(test_debugging),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
