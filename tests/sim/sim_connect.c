/* sim_connect --seed N --count M [--log FILE]: makes M random runs with the seeds N .. N+M-1. In
 * each run two nodes connect through the CM over links that lose packets. Exits with 1 when a run
 * failed. Also exits with 1 when something that must be tested (for example a rejected connection)
 * occurred in no run. --log writes a transcript. */
#include <getopt.h>
#include <stdlib.h>

#include "connect.h"

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"count", required_argument, NULL, 'c'},
						{"log", required_argument, NULL, 'l'},
						{0}};
	uint64_t seed = 1, count = 100, failed = 0;
	struct connect_totals t = {0};
	FILE *log = NULL;
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
	for (uint64_t i = 0; i < count && failed < 10; i++) {
		if (connect_run(seed + i, &t, stdout, log) == 0)
			continue;
		printf("FAILED: reproduce with sim_connect --seed %llu --count 1 --log FILE\n",
		       (unsigned long long)(seed + i));
		failed++;
	}
	printf("datagram services resolved %llu  waits for slow clients %llu\n",
	       (unsigned long long)t.resolved, (unsigned long long)t.thought);
	printf("connections %llu  established %llu  rejected %llu  unreachable at first %llu  messages %llu  frames lost %llu\n",
	       (unsigned long long)t.connections, (unsigned long long)t.established,
	       (unsigned long long)t.rejected, (unsigned long long)t.unreachable,
	       (unsigned long long)t.messages, (unsigned long long)t.lost);
	bool idle = !t.established || !t.rejected || !t.lost || !t.resolved || !t.thought;
	printf("%llu passed, %llu failed\n", (unsigned long long)(t.runs - failed),
	       (unsigned long long)failed + idle);
	return failed || idle;
}
