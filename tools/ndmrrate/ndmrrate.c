/* How many memory regions can be registered and deregistered in a second? Several threads use
 * regions of the same adapter and share one completion port. Each thread takes one completion
 * packet for each request that it makes, but a packet may belong to another thread's request.
 *
 * The main thread measures. It reads the clock while all other threads wait at a barrier; otherwise
 * they might already work before the clock is read. Only the main thread ends the program. Another
 * thread that fails stores the reason and goes on to the next barrier. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/endpoint.h"
#include "endpoint/meter.h"
#include "common/stop.h"

#define MOST	 10000 /* greatest number of regions of each thread in a table row */
#define LEAST	 2000  /* regions of each thread in the table row of the largest size */
#define PATIENCE 10000 /* longest wait for one registration, in ms */

static struct sizes sizes = {1, 4 << 20};
/* iterations: regions of each thread in a table row; 0: MOST and LEAST apply */
static unsigned nthreads = 2, iterations;

struct region {
	OVERLAPPED ov;
	IND2MemoryRegion *mr;
};

struct crew {
	struct endpoint e;
	struct options o;
	HANDLE port;
	pthread_barrier_t barrier;
	uint32_t size;		    /* bytes of a region in this row; 0: the worker threads end */
	unsigned count;		    /* regions of each thread in this row */
	_Atomic(const char *) what; /* name of the first call that failed, or NULL */
	_Atomic HRESULT why;
};

struct worker {
	struct crew *crew;
	pthread_t thread;
	uint8_t *mem;
	struct region *regions;
	unsigned count; /* number of this thread's regions, copied from crew->count */
};

static const struct column columns[] = {
	{"Size", "size", 9, 0},
	{"Iter", "iterations", 9, 0},
	{"Register", "register_us", 9, 2},
	{"CPU", "register_cpu_percent", 7, 2},
	{"Reg/Sec", "registrations_per_s", 11, 0},
	{"Deregister", "deregister_us", 10, 2},
	{"CPU", "deregister_cpu_percent", 7, 2},
	{"Dereg/Sec", "deregistrations_per_s", 11, 0},
	{.title = NULL},
};

/* ---- worker threads ---- */

static bool well(struct crew *c, const char *what, HRESULT hr)
{
	const char *nothing = NULL;
	if (SUCCEEDED(hr))
		return true;
	if (atomic_compare_exchange_strong(&c->what, &nothing, what))
		atomic_store(&c->why, hr);
	return false;
}

/* Takes one completion packet from the completion port. The packet may belong to any thread's
 * request. Returns false if that request failed, or if no packet came in time. */
static bool take_packet(struct crew *c, IND2MemoryRegion *any)
{
	NDS_PORT_ENTRY entry;
	ULONG n = 0;
	if (!well(c, "NdsPortGet", NdsPortGet(c->port, &entry, 1, PATIENCE, &n)))
		return false;
	if (n != 1)
		return well(c, "waiting for the completion port", ND_IO_TIMEOUT);
	return well(c, "the end of a request",
		    CALL(any, GetOverlappedResult, entry.lpOverlapped, false));
}

static bool register_one(struct worker *w, struct region *r)
{
	struct crew *c = w->crew;
	memset(&r->ov, 0, sizeof(r->ov));
	return well(c, "CreateMemoryRegion",
		    CALL(c->e.adapter, CreateMemoryRegion, &IID_IND2MemoryRegion, c->e.file,
			 (void **)&r->mr)) &&
	       well(c, "Register",
		    CALL(r->mr, Register, w->mem, c->size, ND_MR_FLAG_ALLOW_LOCAL_WRITE, &r->ov)) &&
	       take_packet(c, r->mr);
}

static bool deregister_one(struct worker *w, struct region *r)
{
	if (r->mr == NULL)
		return true; /* the user stopped the test before this region existed */
	return well(w->crew, "Deregister", CALL(r->mr, Deregister, &r->ov)) &&
	       take_packet(w->crew, r->mr);
}

static void each(struct worker *w, bool (*one)(struct worker *, struct region *))
{
	for (unsigned i = 0; i < w->count && !atomic_load(&w->crew->what) && !stop_asked(); i++)
		if (!one(w, &w->regions[i]))
			return;
}

static void release_all(struct worker *w)
{
	for (unsigned i = 0; i < w->count; i++) {
		if (w->regions[i].mr)
			CALL(w->regions[i].mr, Release);
		w->regions[i].mr = NULL;
	}
}

/* Waits at the barrier twice. Between the two waits the main thread reads the clock. */
static void meet_twice(pthread_barrier_t *b)
{
	pthread_barrier_wait(b);
	pthread_barrier_wait(b);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	pthread_barrier_t *b = &w->crew->barrier;
	while (meet_twice(b), w->crew->size != 0) {
		/* Copied because the main thread may change crew->count for the next row while this
		 * thread still releases this row's regions. */
		w->count = w->crew->count;
		each(w, register_one);
		meet_twice(b);
		each(w, deregister_one);
		pthread_barrier_wait(b);
		release_all(w);
	}
	return NULL;
}

/* ---- the main thread ---- */

/* Returns the number of regions that each thread registers in the table row of this size: the
 * number from the command line, if given. Otherwise MOST, but fewer for large sizes, and LEAST for
 * the largest size. */
static unsigned count_for(uint32_t size)
{
	uint64_t fit = (uint64_t)(sizes.max / size) * LEAST;
	if (iterations)
		return iterations;
	return fit < MOST ? (unsigned)fit : MOST;
}

/* Ends the program if a call has failed in any thread. Called only while all worker threads wait
 * for the next row or have ended. */
static void all_well(struct crew *c)
{
	const char *what = atomic_load(&c->what);
	if (what)
		must(what, atomic_load(&c->why));
}

static void run_row(struct crew *c, struct table *t, uint32_t size)
{
	struct meter reg = {0}, dereg = {0};
	c->size = size;
	c->count = count_for(size);
	pthread_barrier_wait(&c->barrier);
	meter_start(&reg);
	pthread_barrier_wait(&c->barrier);
	pthread_barrier_wait(&c->barrier);
	meter_stop(&reg);
	meter_start(&dereg);
	pthread_barrier_wait(&c->barrier);
	pthread_barrier_wait(&c->barrier);
	meter_stop(&dereg);
	double all = (double)c->count * nthreads;
	if (!atomic_load(&c->what) && !stop_asked())
		table_row(t, (double[]){size, all, reg.seconds * 1e6 / c->count,
					meter_cpu_percent(&reg), all / reg.seconds,
					dereg.seconds * 1e6 / c->count, meter_cpu_percent(&dereg),
					all / dereg.seconds});
}

static void make_worker(struct worker *w, struct crew *c, unsigned regions)
{
	w->crew = c;
	w->mem = malloc(sizes.max);
	w->regions = calloc(regions, sizeof(*w->regions));
	if (w->mem == NULL || w->regions == NULL)
		die("no memory for %u regions", regions);
	memset(w->mem, 1, sizes.max);
}

static void run(struct crew *c)
{
	struct worker *workers = calloc(nthreads, sizeof(*workers));
	struct table t;
	for (unsigned i = 0; workers && i < nthreads; i++)
		make_worker(&workers[i], c, iterations > MOST ? iterations : MOST);
	pthread_barrier_init(&c->barrier, NULL, nthreads + 1);
	for (unsigned i = 0; i < nthreads; i++)
		if (workers == NULL ||
		    pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			die("no memory for %u threads", nthreads);
	printf("%u thread%s\n", nthreads, nthreads == 1 ? "" : "s");
	table_start(&t, columns, "ndmrrate", &c->o);
	for (uint32_t size = sizes.min; size && !atomic_load(&c->what);
	     size = sizes_next(&sizes, size))
		run_row(c, &t, size);
	c->size = 0;
	meet_twice(&c->barrier);
	for (unsigned i = 0; i < nthreads; i++) {
		pthread_join(workers[i].thread, NULL);
		free(workers[i].mem);
		free(workers[i].regions);
	}
	free(workers);
	pthread_barrier_destroy(&c->barrier);
	all_well(c);
	table_end(&t);
}

static const struct option_row rows[] = {
	{'t', "threads", "N", OPT_NUMBER, OPT_ALL, &nthreads, 1, 64, "threads that register"},
	{0, "size", "A[:B]", OPT_SIZES, OPT_ALL, &sizes, 0, 0,
	 "bytes of a region: A, or A, 2A, 4A... to B"},
	{0, "iterations", "N", OPT_NUMBER, OPT_ALL, &iterations, 1, 1000000,
	 "regions of each thread in each row"},
	{.name = NULL},
};

static const struct tool tool = {
	.name = "ndmrrate",
	.purpose = "Measures how many memory regions are registered and deregistered in a second.",
	.address_needed = true,
	.rows = rows,
};

int main(int argc, char **argv)
{
	static struct crew c;
	endpoint_program(&tool, &c.o, argc, argv);
	c.o.server = true; /* with `server`, endpoint_open() opens the given address's adapter */
	endpoint_open(&c.e, &c.o);
	must("NdsPortCreate", NdsPortCreate(&c.port));
	must("NdsPortBind", NdsPortBind(c.port, c.e.file, 0));
	run(&c);
	int status = endpoint_close(&c.e);
	NdsHandleClose(c.port);
	NdCleanup();
	return status;
}
