/*
 * Makes every call fail in a forked child of a process that has threads of this library. The child
 * has copies of all objects but none of the threads, and locks that other threads held stay taken;
 * so every call checks the flag os_child before it takes a lock. A process that forks before it
 * starts a thread, and a child that calls exec, are not affected.
 */
#ifndef OS_CHILD_H
#define OS_CHILD_H

#include <stdbool.h>

extern bool os_child; /* set in the child by fork, before other code runs there */

/* Installs the fork handler. To be called before the first thread is started; repeated calls do
 * nothing. */
void os_child_watch(void);

/* The first line of every public function: returns `answer` in a forked child of a process that has
 * threads of this library. */
#define OS_REFUSE_CHILD(answer)                    \
	do {                                       \
		if (__builtin_expect(os_child, 0)) \
			return answer;             \
	} while (0)

#endif
