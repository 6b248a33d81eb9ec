/* The delivery thread of provider/os. It publishes notices (a notice is the end of a request) and
 * runs works (a work is a step of a provider object). The tests show:
 * - Notices keep their order.
 * - A work that is posted several times while queued runs once.
 * - os_work_drain() waits until a work has run. */
#include "os_testing.h"

#include "os/delivery.h"

#include <stdatomic.h>

struct numbered {
	struct os_notice notice; /* first member, for the cast in note_number() */
	unsigned int number;
};

static unsigned int published[64];
/* written under the lock `publishing`; read without the lock after os_notice_flush() */
static unsigned int n_published;

static void note_number(struct os_notice *notice)
{
	published[n_published++ % 64] = ((struct numbered *)notice)->number;
}

static void notices_keep_their_order(void **state)
{
	struct numbered n[9];

	os_notice_flush();
	n_published = 0;
	for (unsigned int i = 0; i < 9; i++) {
		n[i] = (struct numbered){.notice.publish = note_number, .number = i};
		if (i % 4 == 3)
			os_notice_publish(&n[i].notice);
		else
			os_notice_post(&n[i].notice);
	}
	os_notice_flush();
	assert_int_equal(n_published, 9);
	for (unsigned int i = 0; i < 9; i++)
		assert_int_equal(published[i], i);
}

struct job {
	struct os_work work; /* first member, for the cast in run_job() */
	_Atomic unsigned int runs;
	_Atomic unsigned int may_go;
	pthread_t ran_on;
};

static void run_job(struct os_work *work)
{
	struct job *job = (struct job *)work;

	job->ran_on = pthread_self();
	job->runs++;
	while (job->runs > job->may_go)
		usleep(100);
}

static bool reaches(const _Atomic unsigned int *counter, unsigned int n)
{
	for (int i = 0; *counter < n && i < 20000; i++)
		usleep(1000);
	return *counter == n;
}

static void work_runs_once_per_need(void **state)
{
	struct job job = {0};

	os_work_init(&job.work, run_job);
	assert_true(os_work_post(&job.work));
	assert_true(reaches(&job.runs, 1));
	/* The first run of the work is still in run_job(). A post during a run queues one more run;
	 * a second post queues no further run. */
	assert_true(os_work_post(&job.work));
	assert_false(os_work_post(&job.work));
	job.may_go = 1;
	assert_true(reaches(&job.runs, 2));
	job.may_go = 2;
	os_work_drain(&job.work);
	assert_int_equal(job.runs, 2);
	assert_false(pthread_equal(job.ran_on, pthread_self()));
}

static void *let_go(void *arg)
{
	struct job *job = arg;

	usleep(20000);
	job->may_go = 9;
	return NULL;
}

static void draining_waits_for_waiting_and_running_work(void **state)
{
	struct job blocker = {0}, waiting = {.may_go = 9};
	pthread_t thread;

	os_work_init(&blocker.work, run_job);
	os_work_init(&waiting.work, run_job);
	os_work_post(&blocker.work);
	os_work_post(&waiting.work);
	pthread_create(&thread, NULL, let_go, &blocker);
	os_work_drain(&waiting.work);
	assert_int_equal(waiting.runs, 1);
	os_work_drain(&blocker.work);
	assert_int_equal(blocker.runs, 1);
	pthread_join(thread, NULL);
	os_work_drain(&waiting.work); /* the work is idle: os_work_drain() returns at once */
}

/* Each posting thread adds to `written` before it posts the work. The last run of the work must see
 * the final sum. */
enum { POSTS = 20000 };

static struct {
	struct os_work work;
	_Atomic unsigned int written;
	unsigned int seen;
} mail;

static void read_mail(struct os_work *work)
{
	mail.seen = mail.written;
}

static void *post_mail(void *unused)
{
	for (int i = 0; i < POSTS; i++) {
		atomic_fetch_add_explicit(&mail.written, 1, memory_order_relaxed);
		os_work_post(&mail.work);
	}
	return NULL;
}

static void the_last_post_is_not_lost(void **state)
{
	pthread_t threads[3];

	os_work_init(&mail.work, read_mail);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, post_mail, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	os_work_drain(&mail.work);
	assert_int_equal(mail.seen, 3 * POSTS);
}

struct own {
	struct os_work work; /* first member, for the cast in free_own() */
	_Atomic unsigned int *freed;
};

static void free_own(struct os_work *work)
{
	(*((struct own *)work)->freed)++;
	free(work);
}

static void work_may_free_itself(void **state)
{
	_Atomic unsigned int freed = 0;

	for (int i = 0; i < 100; i++) {
		struct own *own = calloc(1, sizeof(*own));

		own->freed = &freed;
		os_work_init(&own->work, free_own);
		os_work_post(&own->work);
	}
	assert_true(reaches(&freed, 100));
}

static int start(void **state)
{
	return os_delivery_start();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		os_test(notices_keep_their_order),
		os_test(work_runs_once_per_need),
		os_test(draining_waits_for_waiting_and_running_work),
		os_test(the_last_post_is_not_lost),
		os_test(work_may_free_itself),
	};

	return cmocka_run_group_tests(tests, start, NULL);
}
