/* The rate that a QP reaches on a link that loses frames, or towards a node that pauses polling, in
 * percent of the link's rate. Time is virtual, so the results are properties of the protocol and
 * the same on every computer. --print shows the table without checking it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sim.h"
#include "wire/stats.h"

struct course {
	const char *name;
	enum rn_wqe_kind kind;
	uint32_t length, messages;
	uint32_t loss_ppm; /* loss in each direction, in parts per million */
	unsigned gbits;
	unsigned mtu;	   /* path MTU code */
	unsigned delay_us; /* delay in each direction, in us */
	unsigned demanded; /* required payload rate, in percent of the link's rate */
	unsigned window;   /* packets in flight, messages of 1 MiB then 4; 0 = 256 and 32 */
	bool drops;	   /* node 1 drops packets that arrive ahead of a lost one */
	unsigned nap_us, nap_every_us; /* node 1 stops polling for nap_us in every nap_every_us */
};

/* clang-format off */
static const struct course courses[] = {
	{"no loss, 10G, WRITE 64K", RN_WQE_WRITE, 65536, 200, 0, 10, 5, 5, 90},
	{"no loss, 100G, WRITE 64K", RN_WQE_WRITE, 65536, 200, 0, 100, 5, 5, 90},
	{"no loss, 10G, READ 64K", RN_WQE_READ, 65536, 200, 0, 10, 5, 5, 90},
	{"1 %, 10G, WRITE 64K", RN_WQE_WRITE, 65536, 1000, 10000, 10, 5, 5, 90},
	{"1 %, 100G, WRITE 64K", RN_WQE_WRITE, 65536, 1000, 10000, 100, 5, 5, 75},
	{"1 %, 10G, WRITE 1M", RN_WQE_WRITE, 1 << 20, 60, 10000, 10, 5, 5, 60},
	{"1 %, 10G, SEND 4K", RN_WQE_SEND, 4096, 10000, 10000, 10, 5, 5, 60},
	{"1 %, 10G, READ 64K", RN_WQE_READ, 65536, 1000, 10000, 10, 5, 5, 85},
	{"1 %, 100G, READ 64K", RN_WQE_READ, 65536, 1000, 10000, 100, 5, 5, 65},
	{"1 %, 10G, WRITE 64K, MTU 1024", RN_WQE_WRITE, 65536, 300, 10000, 10, 3, 5, 50},
	{"5 %, 10G, SEND 4K", RN_WQE_SEND, 4096, 10000, 50000, 10, 5, 5, 20},
	{"5 %, 10G, WRITE 64K", RN_WQE_WRITE, 65536, 1000, 50000, 10, 5, 5, 20},
	{"1 %, 10G, WRITE 64K, 100 us away", RN_WQE_WRITE, 65536, 1000, 10000, 10, 5, 100, 60},
	{"1 %, 10G, READ 64K, 100 us away", RN_WQE_READ, 65536, 1000, 10000, 10, 5, 100, 50},
	{"no loss, 40G, WRITE 1M", RN_WQE_WRITE, 1 << 20, 300, 0, 40, 5, 5, 90, 1024},
	{"0.1 %, 40G, WRITE 1M", RN_WQE_WRITE, 1 << 20, 600, 1000, 40, 5, 5, 96, 1024},
	{"1 %, 40G, WRITE 1M", RN_WQE_WRITE, 1 << 20, 600, 10000, 40, 5, 5, 84, 1024},
	{"0.1 %, 40G, WRITE 1M, peer drops", RN_WQE_WRITE, 1 << 20, 600, 1000, 40, 5, 5, 88, 1024, true},
	{"1 %, 40G, WRITE 1M, peer drops", RN_WQE_WRITE, 1 << 20, 600, 10000, 40, 5, 5, 60, 1024, true},
	{"no loss, 40G, READ 1M", RN_WQE_READ, 1 << 20, 300, 0, 40, 5, 5, 90, 1024},
	{"0.1 %, 40G, READ 1M", RN_WQE_READ, 1 << 20, 600, 1000, 40, 5, 5, 92, 1024},
	{"1 %, 40G, READ 1M", RN_WQE_READ, 1 << 20, 600, 10000, 40, 5, 5, 75, 1024},
	{"0.1 %, 40G, READ 1M, peer drops", RN_WQE_READ, 1 << 20, 600, 1000, 40, 5, 5, 92, 1024, true},
	{"1 %, 40G, READ 1M, peer drops", RN_WQE_READ, 1 << 20, 600, 10000, 40, 5, 5, 75, 1024, true},
	{"naps 5 of 50 ms, 10G, WRITE 64K", RN_WQE_WRITE, 65536, 4000, 0, 10, 5, 5, 85, 0, false, 5000, 50000},
	{"naps 5 of 20 ms, 10G, WRITE 64K", RN_WQE_WRITE, 65536, 4000, 0, 10, 5, 5, 70, 0, false, 5000, 20000},
	{"naps 5 of 20 ms, 10G, 100 us", RN_WQE_WRITE, 65536, 4000, 0, 10, 5, 100, 70, 0, false, 5000, 20000},
	{"naps 5 of 20 ms, 10G, SEND 4K 100 us", RN_WQE_SEND, 4096, 40000, 0, 10, 5, 100, 35, 0, false, 5000, 20000},
	{"naps 9 of 30 ms, 10G, 100 us", RN_WQE_WRITE, 65536, 4000, 0, 10, 5, 100, 65, 0, false, 9000, 30000},
	{"20 %, 10G, SEND 4K", RN_WQE_SEND, 4096, 3000, 200000, 10, 5, 5, 0},
	{"5 %, 10G, READ 64K", RN_WQE_READ, 65536, 1000, 50000, 10, 5, 5, 60},
	{"naps 5 of 20 ms, 10G, READ 64K", RN_WQE_READ, 65536, 4000, 0, 10, 5, 5, 65, 0, false, 5000, 20000},
};
/* clang-format on */

struct outcome {
	unsigned percent;
	uint64_t done, again, timeouts, early, naks, errors;
};

static struct outcome run_course(const struct course *c, uint64_t seed)
{
	struct sim_spec spec;
	struct sim sim;
	struct rn_cqe cqe;
	struct outcome o = {0};
	uint32_t posted = 0, received = 0;
	sim_spec_default(&spec);
	spec.seed = seed;
	spec.path_mtu = (uint8_t)c->mtu;
	spec.window = c->window;
	spec.drops = c->drops;
	for (unsigned i = 0; i < SIM_NODES; i++) {
		spec.link[i].rate = c->gbits * 1000000000ull;
		spec.link[i].impair.loss_ppm = c->loss_ppm;
		spec.link[i].impair.delay_min_ns = RN_US(c->delay_us);
		spec.link[i].nap = i == 0 ? RN_US(c->nap_us) : 0;
		spec.link[i].nap_every = RN_US(c->nap_every_us);
	}
	sim_init(&sim, &spec);
	sim_connect(&sim, 0);
	rn_time start = sim.now, last = start;
	while (o.done + o.errors < c->messages && sim.now < start + RN_S(600)) {
		struct sim_qp *a = &sim.node[0].qp[0], *b = &sim.node[1].qp[0];
		while (c->kind == RN_WQE_SEND && received < c->messages + 64 &&
		       b->rq_posted - atomic_load(&b->shared->rq_retired) < 128) {
			sim_post(&sim, 1, 0,
				 &(struct sim_op){.kind = RN_WQE_RECV, .length = c->length});
			received++;
		}
		while (posted < c->messages &&
		       a->sq_posted - atomic_load(&a->shared->sq_retired) < (c->window ? 4 : 32)) {
			sim_post(&sim, 0, 0,
				 &(struct sim_op){.kind = c->kind,
						  .flags = RN_WQE_SIGNALED,
						  .length = c->length});
			posted++;
		}
		sim_step(&sim, start + RN_S(600));
		while (sim_poll(&sim, 0, &cqe)) {
			o.done += cqe.status == RN_STATUS_SUCCESS;
			o.errors += cqe.status != RN_STATUS_SUCCESS;
			last = sim.now;
		}
		while (sim_poll(&sim, 1, &cqe))
			;
	}
	const struct rn_stats *s = rn_shard_stats(sim.node[0].shard);
	o.again = s->tx_retransmitted;
	o.timeouts = s->timeouts;
	o.early = s->timeouts_early;
	o.naks = s->verdict[RN_V_RSP_NAK_SEQ] + s->verdict[RN_V_RSP_IMPLIED_NAK];
	/* payload bits per nanosecond, that is Gb/s, in percent of the link's Gb/s */
	o.percent = last == start
			    ? 0
			    : (unsigned)(o.done * c->length * 8 * 100 / (last - start) / c->gbits);
	sim_fini(&sim);
	return o;
}

static struct outcome course(const struct course *c)
{
	struct outcome o = run_course(c, 7);
	print_message(
		"%-32s %3u %% of rate  resent %llu  NAKs %llu  timeouts %llu  early %llu  errors %llu\n",
		c->name, o.percent, (unsigned long long)o.again, (unsigned long long)o.naks,
		(unsigned long long)o.timeouts, (unsigned long long)o.early,
		(unsigned long long)o.errors);
	return o;
}

static void test_course(void **state)
{
	const struct course *c = *state;
	struct outcome o = course(c);
	assert_int_equal(o.errors, 0);
	assert_int_equal(o.done, c->messages);
	assert_true(o.percent >= c->demanded);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[RN_ARRAY_SIZE(courses)];
	for (unsigned i = 0; i < RN_ARRAY_SIZE(courses); i++) {
		tests[i] = (struct CMUnitTest){courses[i].name, test_course, NULL, NULL,
					       (void *)&courses[i]};
		if (argc > 1)
			course(&courses[i]);
	}
	return argc > 1 ? 0 : cmocka_run_group_tests_name("performance", tests, NULL, NULL);
}
