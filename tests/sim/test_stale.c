/* Forged READ responses with old PSNs. An attacker needs the QPN and two addresses to forge them; a
 * random PSN is old in half of all cases. Forged responses must not prevent a retransmission. They
 * must not delay the end of a work request without limit. Time is virtual. --print shows the
 * measured values without checking them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "craft.h"
#include "wire/psn.h"
#include "wire/stats.h"

#define FIRST_PSN 0x123456u
#define TIMEOUT	  14 /* ACK timeout code 14: 67 ms */
#define LIMIT	  RN_S(60)

enum peer { DEAD, LOSES_ONE, DIES_AFTER_A_READ };

struct course {
	const char *name;
	enum peer peer;
	enum rn_wqe_kind kind;
	unsigned rate;	       /* number of forged responses per second */
	enum rn_status status; /* expected status of the work request */
	/* earliest and latest time at which the work request may complete, in ms */
	unsigned from_ms, to_ms;
	unsigned again; /* least number of retransmitted packets */
};

/* A work request that gets no answer ends after 8 ACK timeouts of 67 ms, that is 537 ms. After the
 * retransmission of a READ, stale responses may delay the end by up to 64 further ACK timeouts. */
static const struct course courses[] = {
	{"SEND, no answer", DEAD, RN_WQE_SEND, 0, RN_STATUS_RETRY_EXC_ERR, 530, 545, 11},
	{"SEND, no answer, 16 forged per second", DEAD, RN_WQE_SEND, 16, RN_STATUS_RETRY_EXC_ERR,
	 530, 545, 10},
	{"SEND, no answer, 50 forged per second", DEAD, RN_WQE_SEND, 50, RN_STATUS_RETRY_EXC_ERR,
	 530, 545, 10},
	{"SEND, no answer, 1000 forged per second", DEAD, RN_WQE_SEND, 1000,
	 RN_STATUS_RETRY_EXC_ERR, 530, 545, 11},
	{"READ, no answer", DEAD, RN_WQE_READ, 0, RN_STATUS_RETRY_EXC_ERR, 530, 545, 11},
	{"READ, no answer, 16 forged per second", DEAD, RN_WQE_READ, 16, RN_STATUS_RETRY_EXC_ERR,
	 537, 5000, 11},
	{"READ, no answer, 50 forged per second", DEAD, RN_WQE_READ, 50, RN_STATUS_RETRY_EXC_ERR,
	 537, 5000, 11},
	{"READ, no answer, 1000 forged per second", DEAD, RN_WQE_READ, 1000,
	 RN_STATUS_RETRY_EXC_ERR, 537, 5000, 11},
	{"SEND after a READ asked for twice, no answer, 1000 per second", DIES_AFTER_A_READ,
	 RN_WQE_SEND, 1000, RN_STATUS_RETRY_EXC_ERR, 537, 5000, 11},
	{"SEND lost once", LOSES_ONE, RN_WQE_SEND, 0, RN_STATUS_SUCCESS, 3, 5, 1},
	{"SEND lost once, 1000 forged per second", LOSES_ONE, RN_WQE_SEND, 1000, RN_STATUS_SUCCESS,
	 3, 5, 1},
	{"READ lost once", LOSES_ONE, RN_WQE_READ, 0, RN_STATUS_SUCCESS, 3, 5, 1},
	{"READ lost once, 1000 forged per second", LOSES_ONE, RN_WQE_READ, 1000, RN_STATUS_SUCCESS,
	 3, 5, 1},
};

struct line {
	bool dead;
	/* The link passes the next `carry` packets of both directions together, and loses the
	 * `lose` packets after them. */
	unsigned carry, lose;
};

static bool carry(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct line *l = arg;

	if (l->dead || pkt->kind != RN_PKT_IB)
		return !l->dead;
	if (l->carry > 0 || l->lose == 0) {
		l->carry -= l->carry > 0;
		return true;
	}
	l->lose--;
	return false;
}

static void post(struct sim *sim, enum rn_wqe_kind kind, uint32_t bytes)
{
	sim_post(sim, 0, 0,
		 &(struct sim_op){.kind = kind, .flags = RN_WQE_SIGNALED, .length = bytes});
}

/* Injects a READ response whose random PSN is before the first PSN of the connection. */
static void forge(struct sim *sim, uint32_t *blind)
{
	static uint8_t payload[1024];
	struct rn_pkt p = craft_packet(sim, 0, 0, RN_T_RC | RN_OP_READ_RESP_MIDDLE, 0);

	*blind = *blind * 1664525u + 1013904223u;
	p.psn = rn_psn_add(FIRST_PSN - 1, -(*blind >> 10) & RN_PSN_MASK);
	p.payload = payload;
	p.payload_len = sizeof(payload);
	craft_inject(sim, 0, &p);
}

struct end {
	bool done;
	uint8_t status;
	rn_time after;
	uint64_t again;
};

static uint64_t sent_again(const struct sim *sim)
{
	struct rn_stats s;

	sim_stats(&sim->node[0], &s);
	return s.tx_retransmitted;
}

/* Injects forged responses at the given rate until the work request completes. */
static struct end wait_for_end(struct sim *sim, const struct course *c)
{
	rn_time start = sim->now, step = c->rate ? RN_S(1) / c->rate : RN_MS(1);
	uint64_t before = sent_again(sim);
	struct rn_cqe cqe = {0};
	struct end e = {0};
	uint32_t blind = 1;

	while (!e.done && sim->now < start + LIMIT) {
		if (c->rate)
			forge(sim, &blind);
		for (rn_time until = sim->now + step; !e.done && sim->now < until;) {
			sim_run(sim, RN_MIN(until, sim->now + RN_MS(1)));
			e.done = sim_poll(sim, 0, &cqe);
		}
	}
	e.status = cqe.status;
	e.after = sim->now - start;
	e.again = sent_again(sim) - before;
	return e;
}

static struct end run(const struct course *c, struct sim *sim)
{
	struct line line = {.dead = c->peer == DEAD, .lose = c->peer == LOSES_ONE};
	struct sim_spec spec;
	struct rn_cqe cqe;
	struct end e;

	sim_spec_default(&spec);
	spec.timeout = TIMEOUT;
	spec.first_psn = FIRST_PSN;
	sim_init(sim, &spec);
	sim_connect(sim, 0);
	sim_post(sim, 1, 0,
		 &(struct sim_op){.kind = RN_WQE_RECV, .flags = RN_WQE_SIGNALED, .length = 100000});
	sim->filter = carry;
	sim->filter_arg = &line;
	if (c->peer == DIES_AFTER_A_READ) {
		line.carry = 2; /* the READ request and the first response pass */
		line.lose = 20;
		post(sim, RN_WQE_READ, 100000);
		sim_run(sim, sim->now + RN_S(1));
		assert_true(sim_poll(sim, 0, &cqe));
		assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
		assert_true(sent_again(sim) > 0);
		line.dead = true;
	}
	/* With LOSES_ONE, send a message of one packet: no later packet can then cause a NAK, and
	 * the timer must detect the loss. */
	post(sim, c->kind, c->peer == LOSES_ONE ? 100 : 100000);
	e = wait_for_end(sim, c);
	print_message("%-62s %s status %2u after %6llu ms, sent again %llu\n", c->name,
		      e.done ? "ends with" : "NO END", e.status,
		      (unsigned long long)(e.after / RN_MS(1)), (unsigned long long)e.again);
	return e;
}

static void test_course(void **state)
{
	static struct sim sim;
	const struct course *c = *state;
	struct end e = run(c, &sim);

	assert_true(e.done);
	assert_int_equal(e.status, c->status);
	assert_in_range(e.after, RN_MS(c->from_ms), RN_MS(c->to_ms));
	assert_true(e.again >= c->again);
	sim_fini(&sim);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[RN_ARRAY_SIZE(courses)];

	for (unsigned i = 0; i < RN_ARRAY_SIZE(courses); i++) {
		tests[i] = (struct CMUnitTest){courses[i].name, test_course, NULL, NULL,
					       (void *)&courses[i]};
		if (argc > 1) {
			static struct sim sim;

			run(&courses[i], &sim);
			sim_fini(&sim);
		}
	}
	return argc > 1 ? 0 : cmocka_run_group_tests_name("stale responses", tests, NULL, NULL);
}
