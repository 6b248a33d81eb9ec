#ifndef RN_PERF_SAMPLE_H
#define RN_PERF_SAMPLE_H
/* A list of measurements and its order statistics. Not for the measured path: it allocates. */
#include <stddef.h>

struct rn_sample {
	double *v;
	size_t n, room;
};

void rn_sample_add(struct rn_sample *s, double x);
/* The value below which `part` (0..1) of the samples lie (nearest rank); sorts the list. 0 if
 * empty. */
double rn_sample_at(struct rn_sample *s, double part);
void rn_sample_free(struct rn_sample *s);

#endif
