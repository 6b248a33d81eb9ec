/* Computes bandwidth and latency as perftest does, from the times of the messages. Keeps no state.
 * Any thread may call these functions. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL 2u /* how many of the longest latencies are left out, as in perftest */

static double peak_of(uint64_t size, uint64_t n, double unit, const struct pt_times *t)
{
	double best = 0; /* highest rate so far, in messages per ns */

	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t j = i; j < n; j++) {
			double ns = (double)(t[j].completed - t[i].posted);
			double rate = (double)(j - i + 1) / ns;

			if (t[j].completed > t[i].posted && rate > best)
				best = rate;
		}
	}
	return best * 1e9 * (double)size / unit;
}

struct pt_rates pt_rates_of(uint64_t size, uint64_t n, uint64_t ns, double unit,
			    const struct pt_times *times)
{
	double secs = (double)(ns ? ns : 1) / 1e9;

	return (struct pt_rates){.size = size,
				 .iters = n,
				 .peak = times ? peak_of(size, n, unit, times) : 0,
				 .average = (double)size * (double)n / secs / unit,
				 .mpps = (double)n / secs / 1e6};
}

struct pt_rates pt_rates_sum(const struct pt_rates *a, const struct pt_rates *b)
{
	return (struct pt_rates){.size = a->size,
				 .iters = a->iters,
				 .peak = a->peak + b->peak,
				 .average = a->average + b->average,
				 .mpps = a->mpps + b->mpps};
}

double pt_rate_per_sec(double rate, char unit, uint32_t size)
{
	return unit == 'p' ? rate : rate * (unit == 'g' ? PT_GB : PT_MB) / size;
}

void pt_pace_init(struct pt_pace *p, double per_sec, uint64_t burst)
{
	*p = (struct pt_pace){.gap_ns = (double)burst * 1e9 / per_sec, .burst = burst};
}

bool pt_pace_take(struct pt_pace *p, uint64_t n, uint64_t now)
{
	double at = (double)now;

	if (p->left < n && at < p->next_ns)
		return false;
	if (p->left < n) {
		p->left += p->burst;
		p->next_ns = p->next_ns + p->gap_ns < at ? at + p->gap_ns : p->next_ns + p->gap_ns;
	}
	p->left -= n;
	return true;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void pt_latency_of(const uint64_t *posted, size_t n, unsigned factor, double *deltas,
		   double *unsorted, struct pt_latency *out)
{
	size_t count = n - 1 - TAIL;
	double sum = 0, squares = 0;

	for (size_t i = 0; i + 1 < n; i++)
		deltas[i] = (double)(posted[i + 1] - posted[i]) / 1000.0 / factor;
	if (unsorted)
		memcpy(unsorted, deltas, (n - 1) * sizeof(deltas[0]));
	qsort(deltas, n - 1, sizeof(deltas[0]), by_size);
	for (size_t i = 0; i < count; i++)
		sum += deltas[i];
	out->average = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (deltas[i] - out->average) * (deltas[i] - out->average);
	out->stdev = sqrt(squares / (double)count);
	out->typical =
		count % 2 ? deltas[count / 2] : (deltas[count / 2] + deltas[count / 2 - 1]) / 2;
	out->min = deltas[0];
	out->max = deltas[count];
	out->p99 = deltas[(size_t)ceil((double)count * 0.99)];
	out->p999 = deltas[(size_t)ceil((double)count * 0.999)];
}
