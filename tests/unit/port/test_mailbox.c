/* Mailbox calls run in order. A call runs after the work requests that were submitted before it.
 * Once rn_call_done() returns true, the shard no longer accesses the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "fake_shard.h"
#include "port/mailbox.h"
#include "port/submit.h"

struct numbered {
	struct rn_call call;
	unsigned number, ran_at_posted;
};

static struct rn_shard *sh;
static unsigned ran[16], nran;

static void run(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	struct numbered *n = (struct numbered *)call;

	n->ran_at_posted = sh->nposted;
	ran[nran++ % 16] = n->number;
}

static void runs_in_order_behind_earlier_work(void **state)
{
	struct numbered a = {{.run = run}, 1, 0}, b = {{.run = run}, 2, 0},
			c = {{.run = run}, 3, 0};
	struct rn_wqe wqe = {.slots = 1};
	struct rn_mailbox mb;
	struct rn_submit s;

	sh = fake_shard_create();
	nran = 0;
	rn_mailbox_init(&mb);
	assert_int_equal(rn_submit_create(&s, 64), 0);
	rn_mailbox_post(&mb, &a.call, &s);
	for (unsigned i = 0; i < 20; i++)
		rn_submit_put(&s, &wqe, 1);
	rn_mailbox_post(&mb, &b.call, &s);
	rn_mailbox_post(&mb, &c.call, &s);

	assert_int_equal(rn_mailbox_run(&mb, NULL, &s, 0), 1);
	assert_true(rn_call_done(&a.call));
	assert_false(rn_mailbox_empty(&mb));
	rn_submit_drain(&s, sh, 16, 0);
	assert_int_equal(rn_mailbox_run(&mb, NULL, &s, 0), 0);
	rn_submit_drain(&s, sh, 16, 0);
	assert_int_equal(rn_mailbox_run(&mb, NULL, &s, 0), 2);
	assert_int_equal(b.ran_at_posted, 20);
	assert_int_equal(ran[0], 1);
	assert_int_equal(ran[1], 2);
	assert_int_equal(ran[2], 3);
	assert_true(rn_mailbox_empty(&mb));
	rn_submit_destroy(&s);
	free(sh);
}

static struct rn_mailbox box;
static struct rn_submit ring;

static void *call_many(void *arg)
{
	for (unsigned i = 0; i < 2000; i++) {
		struct numbered n = {{.run = run}, i, 0};
		rn_mailbox_post(&box, &n.call, &ring);
		rn_call_wait(&n.call);
	}
	return NULL;
}

static void answers_callers_of_several_threads(void **state)
{
	pthread_t t[3];

	sh = fake_shard_create();
	nran = 0;
	rn_mailbox_init(&box);
	assert_int_equal(rn_submit_create(&ring, 64), 0);
	for (unsigned i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, call_many, NULL);
	while (nran < 6000)
		if (rn_mailbox_run(&box, NULL, &ring, 0) == 0)
			sched_yield();
	for (unsigned i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	rn_submit_destroy(&ring);
	free(sh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_in_order_behind_earlier_work),
		cmocka_unit_test(answers_callers_of_several_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
