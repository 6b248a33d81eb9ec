/*
 * Makes every call fail in a forked child of a process that has threads of this library. The child
 * has copies of all objects, but none of the threads. Locks that other threads held stay taken in
 * the child. So every call checks the flag os_child before it takes a lock.
 *
 * Two cases are not affected: a process that forks before it starts a thread, and a child that
 * calls exec.
 */
#ifndef OS_CHILD_H
#define OS_CHILD_H

#include <stdbool.h>

extern bool os_child; /* set in the child by fork, before other code runs there */

/* Installs the fork handler. To be called before the first thread is started. Repeated calls have
 * no effect. */
void os_child_watch(void);

/* The first line of every public function. Makes the function return `answer` in a forked child of
 * a process that has threads of this library. */
#define OS_REFUSE_CHILD(answer)                    \
	do {                                       \
		if (__builtin_expect(os_child, 0)) \
			return answer;             \
	} while (0)

#endif
