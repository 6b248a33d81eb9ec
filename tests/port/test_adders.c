/* No addition is lost when two shards execute FETCH_ADD on the same word. Each of two threads runs
 * a simulation of two connected QPs, a requester and a responder. The two threads share nothing but
 * the word. The responders access the word through rn_mem_guarded, as in an adapter. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "port/mem.h"
#include "sim.h"

#define EACH 500000u

static _Alignas(8) uint64_t word;
static pthread_barrier_t both;

struct adder {
	struct sim sim;
	uint64_t last;
	uint32_t done, wrong;
};

static void *add(void *arg)
{
	struct adder *a = arg;
	struct sim_spec spec;
	struct rn_mr_attr mr = {(uint8_t *)&word, (uint64_t)(uintptr_t)&word, 8, SIM_PD,
				RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_ATOMIC};
	uint32_t lkey, rkey, posted = 0;
	struct rn_cqe c;

	sim_spec_default(&spec);
	spec.mem = &rn_mem_guarded;
	spec.rd_atomic = 16;
	sim_init(&a->sim, &spec);
	sim_connect(&a->sim, 0);
	if (rn_mr_add(a->sim.node[1].mrs, &mr, &lkey, &rkey))
		abort();
	pthread_barrier_wait(&both);
	while (a->done < EACH) {
		for (; posted < EACH && posted < a->done + 64; posted++)
			sim_post(&a->sim, 0, 0,
				 &(struct sim_op){
					 .kind = RN_WQE_FETCH_ADD,
					 .flags = RN_WQE_SIGNALED,
					 .length = 8,
					 .local = posted % 64 * 8,
					 .rkey = rkey,
					 .atomic = {1, 0},
					 .wr_id = posted,
					 .remote = (uint64_t)(uintptr_t)&word -
						   (uint64_t)(uintptr_t)a->sim.node[1].arena});
		sim_step(&a->sim, RN_S(100000));
		while (sim_poll(&a->sim, 0, &c)) {
			uint64_t before;

			memcpy(&before, a->sim.node[0].arena + c.wr_id % 64 * 8, 8);
			/* Every FETCH_ADD increases the word. So each value that a thread's
			 * FETCH_ADDs return must be greater than the thread's last value. */
			a->wrong += c.status != RN_STATUS_SUCCESS || (a->done && before <= a->last);
			a->last = before;
			a->done++;
		}
	}
	if (rn_mr_remove(a->sim.node[1].mrs, rkey))
		abort();
	rn_mr_reclaim(a->sim.node[1].mrs, rkey);
	a->wrong += sim_fini(&a->sim);
	return NULL;
}

static void wire_row_A27_two_add_a_million_times(void **state)
{
	static struct adder a[2];
	pthread_t thread[2];

	assert_int_equal(rn_mem_install(), 0);
	assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, add, &a[i]), 0);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(a[i].wrong, 0);
	}
	/* The two threads must have run at the same time: the last value that each thread read must
	 * include additions of its companion thread. */
	assert_true(a[0].last >= EACH && a[1].last >= EACH);
	assert_int_equal(word, 2 * EACH);
	pthread_barrier_destroy(&both);
	rn_mem_uninstall();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(wire_row_A27_two_add_a_million_times)};

	return cmocka_run_group_tests_name("adders", tests, NULL, NULL);
}
