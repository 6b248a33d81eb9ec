/* What did a run cost this end, and which counters did it change? Owns nothing: the caller keeps
 * the values. One thread calls these functions. */
#include "usage.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The counters that make a figure doubtful when they move: packets were lost, or congestion slowed
 * the sender. */
static const char *const always[] = {"tx_retransmitted", "timeouts",	  "tx_naks",
				     "rnr_waits",	 "verdict_ICRC",  "rx_ecn_marked",
				     "np_cnp_sent",	 "rp_cnp_handled"};
#define NALWAYS (sizeof(always) / sizeof(always[0]))

/* Reads the time stamp counter; 0 on a machine without one, where -C is refused. */
static uint64_t cycles_now(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static uint64_t process_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Reads the ticks of all CPUs since the machine started. */
static void machine_ticks(uint64_t *busy, uint64_t *total)
{
	/* user, nice, system, idle, waiting for a disk, interrupts, softirqs, other guests */
	uint64_t t[8] = {0};
	FILE *f = fopen("/proc/stat", "r");

	*busy = *total = 0;
	if (f && fscanf(f, "cpu %lu %lu %lu %lu %lu %lu %lu %lu", &t[0], &t[1], &t[2], &t[3], &t[4],
			&t[5], &t[6], &t[7]) >= 4) {
		for (unsigned i = 0; i < 8; i++)
			*total += t[i];
		*busy = *total - t[3] - t[4];
	}
	if (f)
		fclose(f);
}

static void note_counter(void *arg, const char *name, uint64_t value)
{
	struct pt_usage *u = arg;

	for (unsigned i = 0; i < u->n; i++)
		if (!strcmp(u->names[i], name))
			u->values[i] = value - u->values[i];
}

static void mark_known(void *arg, const char *name, uint64_t value)
{
	struct pt_usage *u = arg;

	for (unsigned i = 0; i < u->n; i++)
		if (!strcmp(u->names[i], name))
			u->values[i] = 1;
}

static int split_names(struct pt_usage *u, const struct pt_end *e)
{
	char *at = u->text, *name;

	if (strlen(e->o->counters) >= sizeof(u->text)) {
		fprintf(stderr, "%s: -W is too long\n", e->o->tool->name);
		return -1;
	}
	memcpy(u->text, e->o->counters, strlen(e->o->counters) + 1);
	while ((name = strsep(&at, ",")) != NULL) {
		if (u->n == PT_COUNTERS) {
			fprintf(stderr, "%s: -W takes at most %u counters\n", e->o->tool->name,
				PT_COUNTERS - u->nalways);
			return -1;
		}
		u->names[u->n++] = name;
	}
	return 0;
}

int pt_usage_init(struct pt_usage *u, const struct pt_end *e)
{
	*u = (struct pt_usage){.n = NALWAYS, .nalways = NALWAYS};
	memcpy(u->names, always, sizeof(always));
	if (e->o->counters && split_names(u, e) != 0)
		return -1;
	rn_client_stats(e->client, mark_known, u);
	for (unsigned i = NALWAYS; i < u->n; i++) {
		if (u->values[i])
			continue;
		fprintf(stderr,
			"%s: -W: the adapter has no counter '%s'; docs/counters.md lists them\n",
			e->o->tool->name, u->names[i]);
		return -1;
	}
	return 0;
}

void pt_usage_start(struct pt_usage *u, const struct pt_end *e)
{
	memset(u->values, 0, sizeof(u->values));
	rn_client_stats(e->client, note_counter, u);
	machine_ticks(&u->busy, &u->total);
	u->process_ns = process_ns();
	u->ns = pt_now_ns();
	u->cycles = cycles_now();
}

void pt_usage_stop(struct pt_usage *u, const struct pt_end *e)
{
	uint64_t busy, total;

	u->cycles = cycles_now() - u->cycles;
	u->ns = pt_now_ns() - u->ns;
	u->process_ns = process_ns() - u->process_ns;
	machine_ticks(&busy, &total);
	u->busy = busy - u->busy;
	u->total = total - u->total;
	rn_client_stats(e->client, note_counter, u);
}

double pt_usage_cpu_percent(const struct pt_usage *u)
{
	return u->total ? 100.0 * (double)u->busy / (double)u->total : 0;
}

double pt_usage_cycles_per_us(const struct pt_usage *u)
{
	return u->ns ? (double)u->cycles * 1e3 / (double)u->ns : 0;
}

double pt_usage_cycles(const struct pt_usage *u)
{
	return pt_usage_cycles_per_us(u) * (double)u->process_ns / 1e3;
}
