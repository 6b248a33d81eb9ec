/* What a measurement runs on: CPUs, port and way of waiting. With fewer free CPUs than busy
 * threads a measurement shows how long threads wait for a CPU, not how fast the adapter is. Any
 * thread, while an adapter is open. */
#ifndef TOOLS_SURROUNDINGS_H
#define TOOLS_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "rn/link.h"

struct sockaddr;

struct surroundings {
	unsigned cpus;	  /* CPUs that this process may use */
	double load;	  /* load average of the machine over one minute */
	unsigned running; /* runnable threads of the machine now */
	/* threads that this test keeps running, the peer's included if it is on this machine */
	unsigned busy;
};

/* The number of threads that a pair of ends keeps running: the application's, and the adapters'
 * own unless the application drives them. */
unsigned surroundings_busy(const struct rn_link_info *info);
/* The number of CPUs that no other program uses, 0 or more. Counted as used is what is busy both
 * now and over the last minute, so neither a short burst nor an earlier test counts. */
double surroundings_free(const struct surroundings *s);
void surroundings_read(struct surroundings *s, const struct rn_link_info *info);

/* Prints one line about a running test's adapter and machine, and a warning if there are too few
 * CPUs. */
void surroundings_print(const struct rn_link_info *info, const char *head, FILE *to);
/* The same for the open adapter with this address. */
void surroundings_print_at(const struct sockaddr *own, size_t len, FILE *to);

#endif
