/* Forged congestion notification packets (CNPs). To forge a CNP an attacker needs the QPN and two
 * addresses, and no PSN. Forged CNPs may reduce the rate to the configured minimum while they
 * arrive, and must do no other harm. The connection stays up, and its rate recovers by itself. Time
 * is virtual. --print shows the measured values without checking them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "craft.h"
#include "shard/shard.h"
#include "wire/stats.h"

#define LINE	  UINT64_C(10000000000)
#define MESSAGE	  4096u
#define IN_FLIGHT 64u
#define SETTLE	  RN_MS(100)
#define MEASURE	  RN_MS(200)
#define LIMIT	  RN_S(5)

struct course {
	const char *name;
	unsigned every_us; /* interval of forged CNPs in us; 0 = none */
	uint64_t floor;	   /* rpg_min_rate in bits per second; 0: the default, 10 Mb/s */
	double from, to;   /* lowest and highest allowed payload rate while CNPs arrive, in Mb/s */
	unsigned back_ms;  /* longest time from the last CNP to the end of the rate limit, in ms */
};

static const struct course courses[] = {
	{"none", 0, 0, 9700, 10000, 0},
	{"one in 10 ms", 10000, 0, 9500, 10000, 20},
	{"one in 1 ms", 1000, 0, 2500, 4500, 150},
	{"one in 300 us", 300, 0, 9, 10, 300},
	{"one in 50 us", 50, 0, 9, 10, 10},
	{"one in 4 us", 4, 0, 9, 10, 10},
	{"one in 1 us", 1, 0, 9, 10, 10},
	{"one in 50 us, floor 1000 Mb/s", 50, UINT64_C(1000000000), 950, 1000, 10},
};

struct flow {
	struct sim sim;
	uint64_t bytes; /* payload bytes of successful WRITEs */
};

static void post(struct flow *f)
{
	struct sim_qp *qp = &f->sim.node[0].qp[0];

	while (qp->sq_posted - atomic_load(&qp->shared->sq_retired) < IN_FLIGHT)
		sim_post(&f->sim, 0, 0,
			 &(struct sim_op){.kind = RN_WQE_WRITE,
					  .flags = RN_WQE_SIGNALED,
					  .length = MESSAGE});
}

static void forge(struct sim *sim)
{
	static uint8_t zero[16];
	struct rn_pkt p = craft_packet(sim, 0, 0, RN_OPCODE_CNP, 0);

	p.payload = zero;
	p.payload_len = sizeof(zero);
	p.becn = true;
	assert_int_equal(craft_inject(sim, 0, &p), RN_V_CNP);
}

/* Keeps WRITEs posted until the time `until`. Injects a CNP every `every_us` us. No WRITE may
 * fail. */
static void go_on(struct flow *f, unsigned every_us, rn_time until)
{
	rn_time next = f->sim.now;
	struct rn_cqe cqe;

	while (f->sim.now < until) {
		rn_time step = f->sim.now + RN_US(50);

		post(f);
		if (every_us && f->sim.now >= next) {
			forge(&f->sim);
			next += RN_US(every_us);
		}
		sim_run(&f->sim, RN_MIN(until, every_us ? RN_MIN(step, next) : step));
		while (sim_poll(&f->sim, 0, &cqe)) {
			assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
			f->bytes += MESSAGE;
		}
	}
}

struct effect {
	double mbps;
	rn_time back;
};

static struct effect run(const struct course *c, struct flow *f)
{
	struct rn_core_cfg cfg;
	struct sim_spec spec;
	struct effect e = {0};
	rn_time stopped;

	rn_core_defaults(&cfg);
	cfg.cc.line_rate = LINE;
	if (c->floor)
		cfg.cc.min_rate = c->floor;
	sim_spec_default(&spec);
	spec.path_mtu = 5;
	spec.link[0].rate = spec.link[1].rate = LINE;
	spec.cc = &cfg.cc;
	sim_init(&f->sim, &spec);
	sim_connect(&f->sim, 0);
	go_on(f, c->every_us, f->sim.now + SETTLE);
	f->bytes = 0;
	go_on(f, c->every_us, f->sim.now + MEASURE);
	e.mbps = (double)f->bytes * 8 * 1000 / (double)MEASURE;
	stopped = f->sim.now;
	while (rn_shard_stats(f->sim.node[0].shard)->cc_limited && f->sim.now < stopped + LIMIT)
		go_on(f, 0, f->sim.now + RN_MS(1));
	e.back = f->sim.now - stopped;
	print_message("%-30s %8.1f Mb/s, %4llu ms until no limit is left\n", c->name, e.mbps,
		      (unsigned long long)(e.back / RN_MS(1)));
	return e;
}

static struct flow flow;

static void test_course(void **state)
{
	const struct course *c = *state;
	struct effect e = run(c, &flow);

	assert_true(e.mbps >= c->from && e.mbps <= c->to);
	assert_true(e.back <= RN_MS(c->back_ms));
	assert_int_equal(rn_shard_stats(flow.sim.node[0].shard)->retry_exceeded, 0);
	sim_fini(&flow.sim);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[RN_ARRAY_SIZE(courses)];

	for (unsigned i = 0; i < RN_ARRAY_SIZE(courses); i++) {
		tests[i] = (struct CMUnitTest){courses[i].name, test_course, NULL, NULL,
					       (void *)&courses[i]};
		if (argc > 1) {
			run(&courses[i], &flow);
			sim_fini(&flow.sim);
		}
	}
	return argc > 1 ? 0
			: cmocka_run_group_tests_name("forged notifications", tests, NULL, NULL);
}
