/* sim_random [--seed N] [--count M] [--log FILE] [--quiet]: makes M random runs of operations of
 * all kinds (mix.h), with the seeds N .. N+M-1. Exits with 1 when a run failed. Also exits with 1
 * when M is at least 100 and some kind of operation or impairment occurred in no run. The seed
 * reproduces a failed run. --log writes the transcript of a single run. --quiet omits the totals.
 * The last line of the output is `N passed, N failed`. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "mix.h"

static void usage(void)
{
	fprintf(stderr, "usage: sim_random [--seed N] [--count M] [--log FILE] [--quiet]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"count", required_argument, NULL, 'c'},
						{"log", required_argument, NULL, 'l'},
						{"quiet", no_argument, NULL, 'q'},
						{0}};
	uint64_t seed = 1, count = 100, failed = 0;
	bool quiet = false;
	FILE *log = NULL;
	struct mix_totals totals = {0};
	for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (o == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (o == 'l')
			log = fopen(optarg, "w");
		else if (o == 'q')
			quiet = true;
		else
			usage();
	}
	if (optind != argc)
		usage();
	for (uint64_t i = 0; i < count; i++) {
		if (mix_run(seed + i, &totals, stdout, log) == 0)
			continue;
		printf("FAILED: reproduce with sim_random --seed %llu --count 1 --log FILE\n",
		       (unsigned long long)(seed + i));
		if (++failed == 10)
			break;
	}
	if (!quiet)
		mix_print(&totals, stdout);
	bool all_hit = count < 100 ||
		       (totals.sends && totals.sends_imm && totals.writes && totals.writes_imm &&
			totals.reads && totals.atomics && totals.fenced && totals.silent &&
			totals.solicited && totals.inlined && totals.empty && totals.lost &&
			totals.duplicated && totals.reordered && totals.corrupted &&
			totals.wrapped && totals.credit_waits);
	if (!all_hit)
		printf("some kind of operation or impairment never came up\n");
	printf("%llu passed, %llu failed\n", (unsigned long long)(totals.runs - failed),
	       (unsigned long long)failed + !all_hit);
	if (log)
		fclose(log);
	return failed || !all_hit;
}
