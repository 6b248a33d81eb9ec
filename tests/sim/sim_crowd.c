/* sim_crowd --seed N --count M: makes M random runs with the seeds N .. N+M-1. In each run the
 * clients of two switches connect to each other while a client dies or a switch restarts. Exits
 * with 1 when a run failed, or when something that must be tested occurred in no run. */
#include <getopt.h>
#include <stdlib.h>

#include "crowd.h"

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"count", required_argument, NULL, 'c'},
						{0}};
	uint64_t seed = 1, count = 100, failed = 0;
	struct crowd_totals t = {0};

	for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (o == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			count = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	for (uint64_t i = 0; i < count && failed < 10; i++) {
		if (crowd_run(seed + i, &t, stdout) == 0)
			continue;
		printf("FAILED: reproduce with sim_crowd --seed %llu --count 1\n",
		       (unsigned long long)(seed + i));
		failed++;
	}
	for (unsigned o = 0; o < RN_OUTCOMES; o++)
		printf("%-16s %10llu  %s\n", rn_outcomes[o].name, (unsigned long long)t.outcomes[o],
		       rn_outcomes[o].text);
	printf("connections %llu (%llu within a host, %llu with a client that died)  messages %llu  deaths %llu  restarts %llu  frames %llu  lost %llu\n",
	       (unsigned long long)t.connections, (unsigned long long)t.inside,
	       (unsigned long long)t.bereaved, (unsigned long long)t.messages,
	       (unsigned long long)t.deaths, (unsigned long long)t.restarts,
	       (unsigned long long)t.frames, (unsigned long long)t.lost);
	printf("longest time until a peer heard of a death, without loss: %llu us\n",
	       (unsigned long long)(t.slowest_news / 1000));
	bool idle = !t.inside || !t.bereaved || !t.deaths || !t.restarts || !t.lost ||
		    !t.slowest_news || !t.outcomes[RN_OUT_NO_SERVICE] || !t.outcomes[RN_OUT_TO_QP];
	printf("%llu passed, %llu failed\n", (unsigned long long)(t.runs - failed),
	       (unsigned long long)failed + idle);
	return failed || idle;
}
