/* test_verdicts ROWS...: checks that the simulator produces every verdict in the table of verdicts.
 * Executes the test scripts in the files ROWS (rows.h). Then runs the simulations of mix.h (random
 * work requests), hostile.h (hostile packets) and connect.h (connections). Prints how often each of
 * these four produced each verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connect.h"
#include "hostile.h"
#include "mix.h"
#include "rowfile.h"
#include "rows.h"

int main(int argc, char **argv)
{
	static struct mix_totals mix;
	static struct hostile_totals hostile;
	static struct connect_totals conn;
	static uint32_t rows[RN_V_COUNT];
	static struct rowfile file;
	unsigned bad = 0, missing = 0;
	for (int i = 1; i < argc; i++)
		rowfile_read(&file, argv[i]);
	for (unsigned i = 0; i < file.nrows; i++)
		free(rows_run(file.script[i], 1000, rows));
	for (uint64_t seed = 1; seed <= 40; seed++) {
		bad += mix_run(seed, &mix, stdout, NULL);
		bad += hostile_run(seed, 1000, &hostile, stdout);
		bad += connect_run(seed, &conn, stdout, NULL);
	}
	printf("%10s %10s %10s %10s\n", "rows", "random", "hostile", "connect");
	for (unsigned v = 0; v < RN_V_COUNT; v++) {
		uint64_t sum = rows[v] + mix.verdicts[v] + hostile.verdicts[v] + conn.verdicts[v];
		printf("%10u %10llu %10llu %10llu  %-16s %s\n", rows[v],
		       (unsigned long long)mix.verdicts[v], (unsigned long long)hostile.verdicts[v],
		       (unsigned long long)conn.verdicts[v], rn_verdicts[v].name,
		       sum ? "" : "NEVER HIT");
		missing += sum == 0;
	}
	printf("%u rows never hit, %u objections\n", missing, bad);
	return missing || bad;
}
