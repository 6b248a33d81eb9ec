/* The environment of a measurement: CPUs, DPDK port and idle policy. With too few free CPUs a
 * measurement shows how long threads wait for a CPU, not how fast the adapter is. Any thread may
 * call these functions while an adapter is open. */
#ifndef TOOLS_SURROUNDINGS_H
#define TOOLS_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "rn/link.h"

struct sockaddr;

struct surroundings {
	unsigned cpus;	  /* CPUs that this process may use */
	double load;	  /* load average of the machine over the last minute */
	unsigned running; /* runnable threads of the machine at this moment */
	/* number of threads of this test that use a CPU all the time, including the peer's threads
	 * if the peer is on this machine */
	unsigned busy;
};

/* Returns how many threads of a test use a CPU all the time. Each end of the connection has one
 * application thread and the polling threads of its adapter. With the inline idle policy an adapter
 * has no polling thread. The peer's end counts only if it is on this machine (a memif or ring
 * port). */
unsigned surroundings_busy(const struct rn_link_info *info);
/* Returns the number of CPUs that other programs leave free, at least 0. Other programs use as many
 * CPUs as they have runnable threads now, but not more than the load average. So neither a short
 * burst of other threads nor an earlier test counts. */
double surroundings_free(const struct surroundings *s);
void surroundings_read(struct surroundings *s, const struct rn_link_info *info);

/* Prints one line about the adapter and the machine of a test, after the text `head`. Also prints a
 * warning if there are too few free CPUs. */
void surroundings_print(const struct rn_link_info *info, const char *head, FILE *to);
/* Calls surroundings_print() for the open adapter that has the address `own`. */
void surroundings_print_at(const struct sockaddr *own, size_t len, FILE *to);

#endif
