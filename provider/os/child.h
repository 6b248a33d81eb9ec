/*
 * A forked child of a process that has threads of this library: it has copies of all objects, but
 * none of the threads, and locks that another thread held at that moment stay taken. So every call
 * asks here before it takes a lock, and is refused. A child of a process that has started nothing
 * is a process like any other, and so is one that calls exec.
 */
#ifndef OS_CHILD_H
#define OS_CHILD_H

#include <stdbool.h>

extern bool os_child; /* set by fork in the child, before anybody else runs there */

/* From now on children are told apart. Before the first thread is made; any number of times. */
void os_child_watch(void);

/* The first line of a call: in such a child it ends here. */
#define OS_REFUSE_CHILD(answer)                      \
	do {                                         \
		if (__builtin_expect(os_child, 0))   \
			return answer;               \
	} while (0)

#endif
