/* What a measurement runs on: processors, port and waiting. A machine with fewer free processors than busy threads shows how long
 * threads wait for their turn, not how fast the adapter is. Any thread, while an adapter is open. */
#ifndef TOOLS_SURROUNDINGS_H
#define TOOLS_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "rn/link.h"

struct sockaddr;

struct surroundings {
	unsigned cpus;    /* that this process may use */
	double load;      /* of the machine, mean of a minute */
	unsigned running; /* threads of the machine that run or want to, now */
	unsigned busy;    /* threads that this test keeps running, the peer's too if that is on this machine */
};

/* Threads that a pair of ends keeps running: the application's, and those of adapters that do not leave the work to it. */
unsigned surroundings_busy(const struct rn_link_info *info);
/* CPUs that nobody else uses, from 0 on. What is busy now and was so for a minute counts: neither a short burst, nor the
 * work of an earlier test. */
double surroundings_free(const struct surroundings *s);
void surroundings_read(struct surroundings *s, const struct rn_link_info *info);

/* One line about the adapter of a running test and where it runs, and a warning when there is too little of it. */
void surroundings_print(const struct rn_link_info *info, const char *head, FILE *to);
/* The same for the open adapter that has this address. */
void surroundings_print_at(const struct sockaddr *own, size_t len, FILE *to);

#endif
