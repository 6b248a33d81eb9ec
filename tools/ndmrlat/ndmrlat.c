/* How long does it take to register and to deregister memory? Measured in two ways:
 * - With an event: the event handle in the OVERLAPPED has its low bit set, so that no completion
 *   packet is queued.
 * - Without an event: a completion packet arrives at the completion port of the overlapped file.
 * Runs in one thread. */
#include <stdio.h>
#include <string.h>

#include "endpoint/endpoint.h"
#include "endpoint/meter.h"

#define MOST	   10000 /* greatest number of iterations of a table row */
#define PATIENCE   10000 /* longest wait for one registration, in ms */
#define NO_PORT(h) ((HANDLE)((uintptr_t)(h) | 1))

static struct sizes sizes = {1, 4 << 20};
static bool by_event, by_port;

struct watch {
	struct endpoint e;
	struct options o;
	IND2MemoryRegion *mr;
	HANDLE port;
	OVERLAPPED ov;
};

/* Times summed over all requests of a table row, in seconds. call: time within the calls. all: time
 * from the calls until the requests completed. */
struct spent {
	double call, all;
};

static const struct column columns[] = {
	{"IOCP", "iocp", 4, 0},
	{"Size", "size", 9, 0},
	{"Iter", "iterations", 7, 0},
	{"Register", "register_call_us", 9, 2},
	{"total", "register_total_us", 9, 2},
	{"Deregister", "deregister_call_us", 10, 2},
	{"total", "deregister_total_us", 9, 2},
	{"CPU", "cpu_percent", 7, 2},
	{.title = NULL},
};

/* Takes one completion packet from the completion port. The packet must belong to the request of
 * w->ov. */
static void take_packet(struct watch *w)
{
	NDS_PORT_ENTRY entry;
	ULONG n = 0;
	must("NdsPortGet", NdsPortGet(w->port, &entry, 1, PATIENCE, &n));
	if (n != 1)
		die("no completion arrived at the completion port");
	if (entry.lpOverlapped != &w->ov || NdsPortEntryFailed(&entry))
		die("the completion port returned another request, or a failed one");
}

static void await(struct watch *w, const char *what, HRESULT started)
{
	must(what, started);
	if (started != ND_PENDING)
		die("%s ended at once", what);
	if (w->ov.hEvent == NULL)
		take_packet(w);
	must(what, CALL(w->mr, GetOverlappedResult, &w->ov, w->ov.hEvent != NULL));
}

static void one_round(struct watch *w, uint32_t size, struct spent *reg, struct spent *dereg)
{
	double t[5] = {meter_now()};
	HRESULT hr = CALL(w->mr, Register, w->e.mem, size, ND_MR_FLAG_ALLOW_LOCAL_WRITE, &w->ov);
	t[1] = meter_now();
	await(w, "Register", hr);
	t[2] = meter_now();
	if (CALL(w->mr, GetLocalToken) == 0)
		die("a registered region without a token");
	t[3] = meter_now();
	hr = CALL(w->mr, Deregister, &w->ov);
	t[4] = meter_now();
	await(w, "Deregister", hr);
	reg->call += t[1] - t[0];
	reg->all += t[2] - t[0];
	dereg->call += t[4] - t[3];
	dereg->all += meter_now() - t[3];
}

static void run_row(struct watch *w, struct table *t, uint32_t size)
{
	struct spent reg = {0}, dereg = {0};
	struct meter m = {0};
	struct plan plan;
	/* plan_start() allows at most PLAN_BYTES / size iterations, but registering moves no bytes.
	 * So a size of 1 is passed here, and the real size is set afterwards. */
	plan_start(&plan, &w->o, 1, MOST);
	plan.size = size;
	for (uint64_t n; (n = plan_next(&plan, &m)) > 0;) {
		meter_start(&m);
		while (n-- > 0)
			one_round(w, size, &reg, &dereg);
		meter_stop(&m);
	}
	double us = 1e6 / (double)plan.done;
	table_row(t,
		  (double[]){w->ov.hEvent == NULL, size, (double)plan.done, reg.call * us,
			     reg.all * us, dereg.call * us, dereg.all * us, meter_cpu_percent(&m)});
}

/* Checks that no completion packet came to the completion port. The event handle had its low bit
 * set, which prevents packets. */
static void nothing_in_port(struct watch *w)
{
	NDS_PORT_ENTRY entry;
	ULONG n;
	HRESULT hr = NdsPortGet(w->port, &entry, 1, 0, &n);
	must("NdsPortGet", hr);
	if (hr != ND_TIMEOUT)
		die("the completion port returned a request whose event has the low bit set");
}

static void run_rows(struct watch *w, struct table *t, HANDLE event)
{
	w->ov = (OVERLAPPED){.hEvent = event};
	for (uint32_t size = sizes.min; size; size = sizes_next(&sizes, size))
		run_row(w, t, size);
}

static void run(struct watch *w)
{
	struct table t;
	HANDLE event;
	must("CreateMemoryRegion", CALL(w->e.adapter, CreateMemoryRegion, &IID_IND2MemoryRegion,
					w->e.file, (void **)&w->mr));
	must("NdsPortCreate", NdsPortCreate(&w->port));
	must("NdsPortBind", NdsPortBind(w->port, w->e.file, 0));
	must("NdsEventCreate", NdsEventCreate(false, false, &event));
	printf("Times in us; IOCP 0: by event, 1: by completion port\n");
	table_start(&t, columns, "ndmrlat", &w->o);
	if (by_event || !by_port)
		run_rows(w, &t, NO_PORT(event));
	nothing_in_port(w);
	if (by_port || !by_event)
		run_rows(w, &t, NULL);
	table_end(&t);
	CALL(w->mr, Release);
	NdsHandleClose(event);
	NdsHandleClose(w->port);
}

static const struct option_row rows[] = {
	{0, "size", "A[:B]", OPT_SIZES, OPT_ALL, &sizes, 0, 0,
	 "bytes of a region: A, or A, 2A, 4A... to B"},
	{'e', "event", NULL, OPT_FLAG, OPT_ALL, &by_event, 0, 0, "wait for events only"},
	{'i', "iocp", NULL, OPT_FLAG, OPT_ALL, &by_port, 0, 0, "wait for the completion port only"},
	{.name = NULL},
};

static const struct tool tool = {
	.name = "ndmrlat",
	.purpose = "Measures how long it takes to register and deregister memory.",
	.groups = OPT_RUN,
	.address_needed = true,
	.rows = rows,
};

int main(int argc, char **argv)
{
	static struct watch w;
	endpoint_program(&tool, &w.o, argc, argv);
	w.o.server = true; /* with `server`, endpoint_open() opens the given address's adapter */
	endpoint_open(&w.e, &w.o);
	endpoint_memory(&w.e, sizes.max, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	memset(w.e.mem, 1, sizes.max);
	run(&w);
	int status = endpoint_close(&w.e);
	NdCleanup();
	return status;
}
