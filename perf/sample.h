#ifndef RN_PERF_SAMPLE_H
#define RN_PERF_SAMPLE_H
/* A list of measurements and its order statistics. Adding and sorting take time: do neither while a
 * time is being measured. */
#include <stddef.h>

struct rn_sample {
	double *v;
	size_t n, room;
};

void rn_sample_add(struct rn_sample *s, double x);
/* Sorts the list and returns the quantile `part` (0..1) by nearest rank; 0.5 gives the median.
 * Returns 0 if the list is empty. */
double rn_sample_at(struct rn_sample *s, double part);
void rn_sample_free(struct rn_sample *s);

#endif
