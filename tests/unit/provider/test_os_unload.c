/* Unloading the library ends the library's threads and leaks no memory (checked under ASan). A
 * process can exit whatever its completion routines are doing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ndtypes.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *plugin;

static int threads_now(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void *nothing(void *unused)
{
	return NULL;
}

static void unloading_ends_the_threads(void **state)
{
	pthread_t thread;
	int before;

	/* When a program creates its first thread, a sanitizer may start a thread too. Let this
	 * happen before the threads are counted. */
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	before = threads_now();
	for (int round = 0; round < 3; round++) {
		void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
		int (*exercise)(void);

		if (!library)
			fail_msg("%s", dlerror());
		exercise = (int (*)(void))dlsym(library, "os_plugin_exercise");
		assert_int_equal(exercise(), 0);
		assert_int_equal(threads_now(), before + 2);
		assert_int_equal(dlclose(library), 0);
		for (int i = 0; threads_now() != before && i < 20000; i++)
			/* The threads were joined, but the kernel may list joined threads a moment
			 * longer. */
			usleep(1000);
		assert_int_equal(threads_now(), before);
	}
}

static void exit_here(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	exit(7);
}

static int entered[2];

static void never_return(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	if (write(entered[1], "", 1) == 1)
		for (;;)
			pause();
}

/* Runs in a child process. The library calls the completion routine, and this function waits for a
 * byte from the routine. The child then exits with status 7 while the routine still runs. */
static void call_and_exit(NDS_COMPLETION_ROUTINE routine)
{
	void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
	int (*call)(NDS_COMPLETION_ROUTINE);
	char byte;

	call = (int (*)(NDS_COMPLETION_ROUTINE))dlsym(library, "os_plugin_call");
	alarm(10);
	if (call(routine) || read(entered[0], &byte, 1) != 1)
		_exit(1);
	exit(7);
}

static void routines_cannot_keep_a_process_from_ending(void **state)
{
	const NDS_COMPLETION_ROUTINE routines[] = {exit_here, never_return};

	for (int i = 0; i < 2; i++) {
		pid_t child;
		int status;

		assert_int_equal(pipe(entered), 0);
		child = fork();
		if (!child)
			call_and_exit(routines[i]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 7);
		close(entered[0]);
		close(entered[1]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routines_cannot_keep_a_process_from_ending),
		cmocka_unit_test(unloading_ends_the_threads),
	};

	if (argc != 2)
		return 2;
	plugin = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
