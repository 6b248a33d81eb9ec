/* Does a thread of this process sleep? For tests that wait until another thread has begun to wait,
 * in a call that is the only one in which the thread sleeps. */
#ifndef ND2_SLEEPING_H
#define ND2_SLEEPING_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* Returns true if the kernel lists the thread as sleeping. */
static inline bool thread_sleeps(pid_t tid)
{
	char path[64], text[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	const char *line = fgets(text, sizeof(text), f);
	fclose(f);
	return line != NULL && strstr(line, ") S ") != NULL;
}

#endif
