/* sim_hostile [--seed N] [--count M] [--frames K] [--minutes T]: makes M hostile runs (hostile.h)
 * of about K frames each, with the seeds N .. N+M-1. With --minutes, makes as many runs as fit into
 * T minutes. Prints how often each feature and each verdict occurred. Exits with 1 when a run
 * failed. Also exits with 1 when at least ENOUGH runs were made and some feature occurred in none
 * of them. Seed and K reproduce a failed run. */
#include <getopt.h>
#include <stdlib.h>
#include <time.h>

#include "hostile.h"

#define ENOUGH 80u /* number of runs that is enough to exercise every feature */

struct ask {
	uint64_t seed, count;
	unsigned frames, minutes;
};

static int read_options(int argc, char **argv, struct ask *a)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"count", required_argument, NULL, 'c'},
						{"frames", required_argument, NULL, 'f'},
						{"minutes", required_argument, NULL, 'm'},
						{0}};
	for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (o == 's')
			a->seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			a->count = strtoull(optarg, NULL, 0);
		else if (o == 'f')
			a->frames = (unsigned)strtoul(optarg, NULL, 0);
		else if (o == 'm')
			a->minutes = (unsigned)strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	return 0;
}

static bool more(const struct ask *a, uint64_t runs, time_t began)
{
	return a->minutes ? time(NULL) - began < 60 * (time_t)a->minutes : runs < a->count;
}

int main(int argc, char **argv)
{
	struct ask a = {.seed = 1, .count = 20, .frames = 1000};
	static struct hostile_totals t;
	uint64_t failed = 0;
	time_t began = time(NULL);
	if (read_options(argc, argv, &a))
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seeds from %llu on, %u frames each\n", (unsigned long long)a.seed, a.frames);
	for (uint64_t i = 0; failed < 10 && more(&a, i, began); i++) {
		if (a.minutes && i % 100 == 0)
			printf("seed %llu after %u s\n", (unsigned long long)(a.seed + i),
			       (unsigned)(time(NULL) - began));
		if (hostile_run(a.seed + i, a.frames, &t, stdout) == 0)
			continue;
		printf("FAILED: reproduce with sim_hostile --seed %llu --count 1 --frames %u\n",
		       (unsigned long long)(a.seed + i), a.frames);
		failed++;
	}
	unsigned missing = hostile_coverage(&t, stdout);
	for (unsigned v = 0; v < RN_V_COUNT; v++)
		printf("  %10llu  %-16s %s\n", (unsigned long long)t.verdicts[v],
		       rn_verdicts[v].name, rn_verdicts[v].text);
	bool tame = t.runs >= ENOUGH && missing;
	printf("seeds %llu to %llu: %llu hostile frames; %u features never seen%s\n",
	       (unsigned long long)a.seed, (unsigned long long)(a.seed + t.runs) - 1,
	       (unsigned long long)t.frames, missing, tame ? ": too tame" : "");
	printf("%llu passed, %llu failed\n", (unsigned long long)(t.runs - failed),
	       (unsigned long long)failed + tame);
	return failed || tame || t.runs == 0;
}
