/* Unloading the library ends its threads and leaves no memory behind (seen by ASan). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
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

	/* A sanitizer may add a thread of its own when it sees the first one. */
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
		for (int i = 0; threads_now() != before && i < 1000; i++)
			usleep(1000); /* joined, but the kernel may lag in its listing */
		assert_int_equal(threads_now(), before);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unloading_ends_the_threads),
	};

	if (argc != 2)
		return 2;
	plugin = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
