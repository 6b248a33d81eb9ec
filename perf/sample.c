/* Order statistics of lists of measurements. Each list is used by one thread, and never while a
 * time is being measured. */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

void rn_sample_add(struct rn_sample *s, double x)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		double *v = realloc(s->v, room * sizeof(*v));

		if (v == NULL) {
			fprintf(stderr, "out of memory\n");
			exit(EXIT_FAILURE);
		}
		s->v = v;
		s->room = room;
	}
	s->v[s->n++] = x;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double rn_sample_at(struct rn_sample *s, double part)
{
	size_t i;

	if (s->n == 0)
		return 0;
	qsort(s->v, s->n, sizeof(*s->v), by_value);
	i = (size_t)(part * (double)s->n);
	return s->v[i < s->n ? i : s->n - 1];
}

void rn_sample_free(struct rn_sample *s)
{
	free(s->v);
	*s = (struct rn_sample){0};
}
