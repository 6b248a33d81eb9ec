/* Each QP of a shard gets its share of the frames that the shard sends, even while another QP
 * always has frames to send. The shard sends in bursts of 8 frames. The tests count frames and
 * measure no time. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "sim.h"

#define QPS   8u
#define QUOTA 32u

struct watch {
	unsigned frames[QPS]; /* number of frames that node `who` sent, by QP */
	unsigned all;
	unsigned first[QPS]; /* position of each QP's first frame among all frames, from 1 */
	unsigned who;
};

static bool note(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct watch *w = arg;
	if (from != w->who || pkt->kind != RN_PKT_IB)
		return true;
	for (unsigned q = 0; q < QPS; q++)
		if (pkt->dest_qpn == sim->node[1 - from].qp[q].qpn) {
			w->all++;
			if (w->frames[q]++ == 0)
				w->first[q] = w->all;
		}
	return true;
}

static void start(struct sim *sim, struct watch *w, unsigned who)
{
	struct sim_spec spec;
	sim_spec_default(&spec);
	spec.quota = QUOTA;
	spec.qps = QPS;
	sim_init(sim, &spec);
	for (unsigned q = 0; q < QPS; q++)
		sim_connect(sim, q);
	sim_run(sim, sim->now + RN_MS(1)); /* lets the ARP and ND messages of the start pass */
	*w = (struct watch){.who = who};
	sim->filter = note;
	sim->filter_arg = w;
}

static void post(struct sim *sim, unsigned node, unsigned q, enum rn_wqe_kind kind, uint32_t n)
{
	sim_post(sim, node, q,
		 &(struct sim_op){.kind = kind,
				  .flags = RN_WQE_SIGNALED,
				  .length = n,
				  .local = 1 << 20,
				  .remote = 2 << 20});
}

/* QP 0 has 1024 packets to send. A small SEND on another QP waits for at most QUOTA packets of QP 0
 * and for the small SENDs of the remaining QPs. */
static void test_big_write(void **state)
{
	struct sim sim;
	struct watch w;
	start(&sim, &w, 0);
	for (unsigned i = 0; i < 4; i++)
		post(&sim, 0, 0, RN_WQE_WRITE, 256 * 1024);
	sim_send(&sim, 0, 8); /* QP 0 is sending when the SENDs are posted */
	for (unsigned q = 1; q < QPS; q++) {
		post(&sim, 1, q, RN_WQE_RECV, 64);
		post(&sim, 0, q, RN_WQE_SEND, 64);
	}
	for (unsigned i = 0; i < 16; i++)
		sim_send(&sim, 0, 8);
	for (unsigned q = 1; q < QPS; q++) {
		assert_int_equal(w.frames[q], 1);
		assert_in_range(w.first[q], 9, QUOTA + QPS);
	}
	/* Each other QP sent one frame. QP 0 sent all other frames, about 128. */
	assert_in_range(w.frames[0], 100, 200);
	sim_run(&sim, sim.now + RN_S(1));
	assert_int_equal(w.frames[0], 1024);
	assert_int_equal(sim_fini(&sim), 0);
}

/* A node answers a large READ on QP 0. Each of its own small SENDs on other QPs waits for at most
 * QUOTA READ responses and for the other small SENDs. */
static void test_big_read_answer(void **state)
{
	struct sim sim;
	struct watch w;
	start(&sim, &w, 0);
	post(&sim, 1, 0, RN_WQE_READ, 256 * 1024);
	sim_send(&sim, 1, UINT32_MAX);
	while (w.frames[0] < 8) {
		sim_send(&sim, 0, 8);
		if (w.all == 0)
			sim_step(&sim, sim.now + RN_US(10));
	}
	unsigned before = w.all;
	for (unsigned q = 1; q < QPS; q++) {
		post(&sim, 1, q, RN_WQE_RECV, 64);
		post(&sim, 0, q, RN_WQE_SEND, 64);
	}
	for (unsigned i = 0; i < 8; i++)
		sim_send(&sim, 0, 8);
	for (unsigned q = 1; q < QPS; q++)
		assert_in_range(w.first[q], before + 1, before + QUOTA + QPS);
	sim_run(&sim, sim.now + RN_S(1));
	assert_int_equal(sim_fini(&sim), 0);
}

/* QPs that are equally busy get equal shares: at every moment their frame counts differ by at most
 * QUOTA. */
static void test_equals(void **state)
{
	struct sim sim;
	struct watch w;
	start(&sim, &w, 0);
	for (unsigned q = 0; q < QPS; q++)
		post(&sim, 0, q, RN_WQE_WRITE, 256 * 1024);
	for (unsigned i = 0; i < 100; i++) {
		sim_send(&sim, 0, 8);
		unsigned least = UINT32_MAX, most = 0;
		for (unsigned q = 0; q < QPS; q++) {
			least = RN_MIN(least, w.frames[q]);
			most = RN_MAX(most, w.frames[q]);
		}
		assert_true(most - least <= QUOTA);
	}
	sim_run(&sim, sim.now + RN_S(1));
	assert_int_equal(sim_fini(&sim), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_big_write),
		cmocka_unit_test(test_big_read_answer),
		cmocka_unit_test(test_equals),
	};
	return cmocka_run_group_tests_name("fairness", tests, NULL, NULL);
}
