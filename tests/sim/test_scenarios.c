/* Two NICs exchange exactly the expected frames. A scenario is a struct with the posted work
 * requests, the lost frames, and the required transcript and completions, line by line. Each
 * scenario runs twice: with ordinary PSNs and with the first PSN just before the wrap. PSNs in
 * transcripts count from the first PSN, so the expected text is the same in both runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "balance.h"
#include "sim.h"
#include "scenarios.h"

static const struct scenario *current;

static bool lose(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	unsigned *sent = arg;
	if (pkt->kind != RN_PKT_IB) /* ARP and ND messages are not counted and never lost */
		return true;
	unsigned nth = ++sent[from];
	for (unsigned i = 0; i < RN_ARRAY_SIZE(current->lost) && current->lost[i].nth; i++)
		if (current->lost[i].from == from && current->lost[i].nth == nth)
			return false;
	return true;
}

static void post_steps(struct sim *sim, rn_time upto, unsigned *next)
{
	for (; *next < RN_ARRAY_SIZE(current->steps) && current->steps[*next].op.kind; ++*next) {
		const struct scenario_step *s = &current->steps[*next];
		if (RN_MS(1) + s->at > upto)
			return;
		sim_post(sim, s->node, 0, &s->op);
	}
}

static char *completions(struct sim *sim)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct rn_cqe c;
	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(sim, node, &c))
			fprintf(f, "%c %s %llu status=%u bytes=%u\n", "ab"[node],
				c.flags & RN_CQE_RECV ? "recv" : "sent",
				(unsigned long long)c.wr_id, c.status, c.byte_len);
	fclose(f);
	return text;
}

static void run_at(uint32_t first_psn)
{
	struct sim_spec spec;
	struct sim sim;
	unsigned sent[SIM_NODES] = {0}, next = 0;
	char *text = NULL;
	size_t size;
	sim_spec_default(&spec);
	spec.rq_depth = spec.sq_depth = 16;
	if (current->tune)
		current->tune(&spec);
	spec.first_psn = first_psn;
	sim_init(&sim, &spec);
	sim_connect(&sim, 0);
	for (uint32_t i = 0; i < SIM_ARENA / 2; i++)
		sim.node[0].arena[i] = (uint8_t)(i ^ i >> 8),
		sim.node[1].arena[i] = (uint8_t)(i * 7);
	sim.log = open_memstream(&text, &size);
	sim.filter = lose;
	sim.filter_arg = sent;
	rn_time end = RN_MS(1) + (current->until ? current->until : RN_S(30));
	do {
		post_steps(&sim, sim.now, &next);
		rn_time at = next < RN_ARRAY_SIZE(current->steps) && current->steps[next].op.kind
				     ? RN_MS(1) + current->steps[next].at
				     : end;
		sim_run(&sim, at);
	} while (sim.now < end);
	fclose(sim.log);
	char *done = completions(&sim);
	if (getenv("SIM_SHOW"))
		printf("--- %s\n%s---\n%s", current->name, text, done);
	if (current->transcript) /* without a transcript only the completions are checked */
		assert_string_equal(text, current->transcript);
	assert_string_equal(done, current->completions);
	assert_int_equal(sim_balance(&sim, false, stderr), 0);
	assert_int_equal(sim_fini(&sim), 0);
	free(text);
	free(done);
}

static void run_scenario(void **state)
{
	current = *state;
	run_at(1000);
	run_at(0xFFFFFE);
}

int main(void)
{
	struct CMUnitTest *tests = calloc(scenario_count, sizeof(*tests));
	for (unsigned i = 0; i < scenario_count; i++)
		tests[i] = (struct CMUnitTest){scenarios[i].name, run_scenario, NULL, NULL,
					       (void *)&scenarios[i]};
	int failed = _cmocka_run_group_tests("scenarios", tests, scenario_count, NULL, NULL);
	free(tests);
	return failed;
}
