/* sim_lend --seed N --count M [--log FILE]: makes M random runs with the seeds N .. N+M-1. In each
 * run the nodes lend each other memory through memory windows. Exits with 1 when a run failed. Also
 * exits with 1 when M is at least 30 and something that must be tested occurred in no run. The seed
 * reproduces a failed run. --log writes the transcript of a single run. */
#include <getopt.h>
#include <stdlib.h>

#include "lend.h"

static bool all_hit(const struct lend_totals *t)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(t->endings); i++)
		if (!t->endings[i])
			return false;
	return t->writes && t->reads && t->moved && t->pipelined && t->silent && t->fenced &&
	       t->said_last && t->lost;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"count", required_argument, NULL, 'c'},
						{"log", required_argument, NULL, 'l'},
						{0}};
	uint64_t seed = 1, count = 100, failed = 0;
	struct lend_totals t = {0};
	FILE *log = NULL;
	bool hit;

	for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (o == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (o == 'l')
			log = fopen(optarg, "w");
		else
			return 2;
	}
	for (uint64_t i = 0; i < count && failed < 10; i++)
		if (lend_run(seed + i, &t, stdout, log)) {
			printf("FAILED: reproduce with sim_lend --seed %llu --count 1 --log FILE\n",
			       (unsigned long long)(seed + i));
			failed++;
		}
#define N(x) (unsigned long long)t.x
	printf("%llu runs, %llu laps, WRITE %llu, READ %llu, moved %llu, pipelined %llu, silent %llu, fenced %llu, ended by the peer %llu\n",
	       N(runs), N(laps), N(writes), N(reads), N(moved), N(pipelined), N(silent), N(fenced),
	       N(said_last));
	printf("frames %llu, lost %llu; ended well %llu, stale %llu, astray %llu, recalled %llu\n",
	       N(frames), N(lost), N(endings[LEND_WELL]), N(endings[LEND_STALE]),
	       N(endings[LEND_OTHER_QP]), N(endings[LEND_INVALIDATED]));
#undef N
	hit = count < 30 || all_hit(&t);
	if (!hit)
		printf("something never came up\n");
	if (log)
		fclose(log);
	return failed || !hit;
}
