/* Sets the flag os_child in a forked child of a process that uses the library. The fork handler
 * runs on the thread that called fork. */
#include "os/child.h"

#include <pthread.h>

bool os_child;

static void mark_child(void)
{
	os_child = true;
}

static void watch(void)
{
	pthread_atfork(NULL, NULL, mark_child);
}

void os_child_watch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch);
}
