/* sim_hostile --seed N --count M [--frames K]: hostile runs N .. N+M-1, about K frames each; exit 1 when any objected. A
 * failure is reproduced by its seed alone. */
#include <getopt.h>
#include <stdlib.h>

#include "hostile.h"

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'}, {"count", required_argument, NULL, 'c'},
		{"frames", required_argument, NULL, 'f'}, {0}};
	uint64_t seed = 1, count = 20, failed = 0;
	unsigned frames = 1000;
	struct hostile_totals t = {0};
	for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (o == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (o == 'f')
			frames = (unsigned)strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	for (uint64_t i = 0; i < count && failed < 10; i++) {
		if (hostile_run(seed + i, frames, &t, stdout) == 0)
			continue;
		printf("FAILED: reproduce with sim_hostile --seed %llu --count 1 --frames %u\n",
		       (unsigned long long)(seed + i), frames);
		failed++;
	}
	printf("%llu hostile frames, %llu QPs made anew, %llu requests done all the same\n", (unsigned long long)t.frames,
	       (unsigned long long)t.revived, (unsigned long long)t.done);
	for (unsigned v = 0; v < RN_V_COUNT; v++)
		printf("  %10llu  %-16s %s\n", (unsigned long long)t.verdicts[v], rn_verdicts[v].name, rn_verdicts[v].text);
	bool idle = t.done == 0 || t.revived == 0;
	printf("%llu passed, %llu failed\n", (unsigned long long)(t.runs - failed), (unsigned long long)failed + idle);
	return failed || idle;
}
