/* Measures how fast the multi-producer modes of rte_ring are with more producers than CPUs. Run by
 * hand for docs/decisions/0003-submission-ring.md. Prints one row per mode and number of producers.
 *
 *	ring_modes [runs] [milliseconds per run] */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>
#include <rte_ring_peek_zc.h>

#define SLOTS	 4096
#define BYTES	 64
#define BURST	 256
#define MAX_RUNS 101

static const struct {
	const char *name;
	unsigned flags;
} modes[] = {{"MP", 0}, {"RTS", RING_F_MP_RTS_ENQ}, {"HTS", RING_F_MP_HTS_ENQ}};
#define MODES (sizeof(modes) / sizeof(modes[0]))

static const unsigned producers[] = {1, 4, 8};
#define COUNTS (sizeof(producers) / sizeof(producers[0]))

static struct rte_ring *ring;
static atomic_bool stop;

static void *produce(void *arg)
{
	static const char element[BYTES];

	while (!stop)
		if (rte_ring_enqueue_bulk_elem(ring, element, BYTES, 1, NULL) == 0)
			sched_yield();
	return NULL;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Runs n producers for `length` seconds. Returns millions of elements per second. */
static double run(unsigned mode, unsigned n, double length)
{
	size_t bytes = ((size_t)rte_ring_get_memsize_elem(BYTES, SLOTS) + 63) / 64 * 64;
	struct rte_ring_zc_data zc;
	unsigned long taken = 0;
	pthread_t thread[8];

	ring = aligned_alloc(64, bytes);
	if (ring == NULL ||
	    rte_ring_init(ring, "modes", SLOTS, modes[mode].flags | RING_F_SC_DEQ) != 0)
		exit(1);
	if (modes[mode].flags == RING_F_MP_RTS_ENQ)
		rte_ring_set_prod_htd_max(ring, rte_ring_get_capacity(ring));
	stop = false;
	for (unsigned i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, produce, NULL);
	double start = seconds(), now = start;
	for (; now - start < length; now = seconds()) {
		unsigned got = rte_ring_dequeue_zc_burst_elem_start(ring, BYTES, BURST, &zc, NULL);
		if (got > 0)
			rte_ring_dequeue_zc_elem_finish(ring, got);
		else
			sched_yield();
		taken += got;
	}
	stop = true;
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	free(ring);
	return (double)taken / (now - start) * 1e-6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static double rate[COUNTS][MODES][MAX_RUNS];
	int runs = argc > 1 ? atoi(argv[1]) : 13;
	double length = (argc > 2 ? atoi(argv[2]) : 200) * 1e-3;

	if (runs < 1 || runs > MAX_RUNS || length <= 0)
		return 1;
	/* Alternate between the ring modes, so that other load affects all modes alike. */
	for (int r = 0; r < runs; r++)
		for (unsigned c = 0; c < COUNTS; c++)
			for (unsigned m = 0; m < MODES; m++)
				rate[c][m][r] = run(m, producers[c], length);
	printf("producers  mode      min  lower q.   median  upper q.      max   M/s\n");
	for (unsigned c = 0; c < COUNTS; c++) {
		for (unsigned m = 0; m < MODES; m++) {
			double *v = rate[c][m];
			qsort(v, (size_t)runs, sizeof(*v), ascending);
			printf("%9u  %4s %8.2f %9.2f %8.2f %9.2f %8.2f\n", producers[c],
			       modes[m].name, v[0], v[runs / 4], v[runs / 2], v[3 * runs / 4],
			       v[runs - 1]);
		}
	}
	return 0;
}
