/* The short way (qp/short_rx.h, qp/short_tx.h) has the same effects as the general way. Each random
 * run is made twice: with the short way, and with the short way turned off. Both must produce the
 * same frames at the same times, the same losses and the same verdicts. mix_run() itself checks
 * data, completions and counters of each run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mix.h"
#include "qp/short_read.h"

#define SEEDS 150

/* Packets of READs that took the short way. A frame that rn_shard_rx_short() has received may have
 * been parsed for the general way after all, so the calls of short_read.h are counted: the linker's
 * option --wrap puts the functions below between short_read.c and its callers. */
static struct {
	uint64_t requests, responses, sent;
} reads;

bool __real_rn_short_read_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now);
bool __wrap_rn_short_read_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now);
bool __wrap_rn_short_read_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	bool taken = __real_rn_short_read_rx(qp, b, now);

	if (b->opcode == RN_OP_READ_REQUEST)
		reads.requests += taken;
	else
		reads.responses += taken;
	return taken;
}

bool __real_rn_short_read_request_rx(struct rn_qp *qp, const struct rn_brief *b);
bool __wrap_rn_short_read_request_rx(struct rn_qp *qp, const struct rn_brief *b);
bool __wrap_rn_short_read_request_rx(struct rn_qp *qp, const struct rn_brief *b)
{
	bool taken = __real_rn_short_read_request_rx(qp, b);

	reads.requests += taken;
	return taken;
}

bool __real_rn_short_read_only_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now);
bool __wrap_rn_short_read_only_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now);
bool __wrap_rn_short_read_only_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	bool taken = __real_rn_short_read_only_rx(qp, b, now);

	reads.responses += taken;
	return taken;
}

unsigned __real_rn_short_read_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now);
unsigned __wrap_rn_short_read_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now);
unsigned __wrap_rn_short_read_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now)
{
	unsigned k = __real_rn_short_read_tx(qp, bufs, n, now);

	reads.sent += k;
	return k;
}

/* Makes the run of this seed; `general` turns the short way off. Returns the transcript of the run,
 * which the caller frees. */
static char *run(uint64_t seed, bool general, struct mix_totals *totals)
{
	char *text = NULL;
	size_t length = 0;
	FILE *log = open_memstream(&text, &length);

	assert_non_null(log);
	if (general)
		setenv("SIM_GENERAL_WAY", "1", 1);
	else
		unsetenv("SIM_GENERAL_WAY");
	assert_int_equal(mix_run(seed, totals, stdout, log), 0);
	fclose(log);
	return text;
}

/* Prints the first line in which two transcripts differ. */
static void print_difference(uint64_t seed, const char *a, const char *b)
{
	const char *line = a;

	for (; *a && *a == *b; a++, b++)
		if (*a == '\n')
			line = a + 1;
	printf("seed %llu, short way: %.*s\ngeneral way: %.*s\n", (unsigned long long)seed,
	       (int)strcspn(line, "\n"), line, (int)strcspn(b, "\n"), b);
}

static void both_ways_send_the_same_frames(void **state)
{
	struct mix_totals ways[2] = {{0}};

	for (uint64_t seed = 70000; seed < 70000 + SEEDS; seed++) {
		char *brief = run(seed, false, &ways[0]), *general = run(seed, true, &ways[1]);

		if (strcmp(brief, general) != 0) {
			print_difference(seed, brief, general);
			fail();
		}
		free(brief);
		free(general);
	}
	/* The short way must have received more than a quarter of the frames in the runs with the
	 * short way, and no frame in the other runs. */
	assert_true(ways[0].short_way > ways[0].frames / 4);
	assert_int_equal(ways[1].short_way, 0);
	/* So must a part of the READs. */
	assert_true(reads.requests > ways[0].reads / 8);
	assert_true(reads.responses > ways[0].reads / 8);
	assert_true(reads.sent > ways[0].reads / 8);
	printf("READs the short way: %llu requests and %llu responses received, %llu packets sent, of %llu READs\n",
	       (unsigned long long)reads.requests, (unsigned long long)reads.responses,
	       (unsigned long long)reads.sent, (unsigned long long)ways[0].reads);
	ways[0].short_way = 0;
	assert_memory_equal(&ways[0], &ways[1], sizeof(ways[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_send_the_same_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
