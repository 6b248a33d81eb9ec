/* Is this process a forked child of one that used the library? Owns the flag; the thread that forks. */
#include "child.h"

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
