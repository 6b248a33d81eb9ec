/*
 * Publishes completions on a thread of the library: writes the OVERLAPPED, sets its event, and
 * queues the completion packet to the completion port. So no client code runs on the stack of the
 * thread that reports the completion.
 *
 * Owns the delivery thread, two lock-free stacks and the lock `publishing`. Any thread pushes to
 * the stacks (notices and works, see delivery.h). A consumer takes a whole stack at once and
 * reverses it, so entries are handled in the order of posting.
 *
 * A thread that holds `publishing` publishes all notices posted so far, in the order of posting.
 * Any thread may do so, and no caller has to wait until the delivery thread gets a CPU.
 *
 * Lock order: the locks of provider/nd2's objects; `publishing`; the locks of events, completion
 * ports, files and the callback pool.
 */
#include "os/delivery.h"
#include "os/child.h"
#include "ndstatus.h"
#include "os/thread.h"

#include <errno.h>
#include <semaphore.h>
#include <stddef.h>

static struct {
	pthread_mutex_t publishing;
	struct os_notice *notices; /* the newest notice is first */
	struct os_work *works;	   /* the newest work is first */

	pthread_mutex_t lock; /* guards idle, running and drainers */
	pthread_cond_t idle;
	struct os_work *running;
	unsigned int drainers;

	pthread_mutex_t starting;
	pthread_t thread;
	sem_t wake;
	bool started; /* the delivery thread runs and `wake` is initialized */
	bool ending;
} delivery = {
	.publishing = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.idle = PTHREAD_COND_INITIALIZER,
	.starting = PTHREAD_MUTEX_INITIALIZER,
};

static bool has_thread(void)
{
	return __atomic_load_n(&delivery.started, __ATOMIC_ACQUIRE);
}

static void publish_posted(void)
{
	struct os_notice *notice;

	while ((notice = __atomic_exchange_n(&delivery.notices, NULL, __ATOMIC_ACQUIRE))) {
		struct os_notice *oldest = NULL;

		while (notice) {
			struct os_notice *next = notice->next;

			notice->next = oldest;
			oldest = notice;
			notice = next;
		}
		while (oldest) {
			notice = oldest;
			oldest = notice->next; /* publish() frees the notice */
			notice->publish(notice);
		}
	}
}

void os_notice_flush(void)
{
	pthread_mutex_lock(&delivery.publishing);
	publish_posted();
	pthread_mutex_unlock(&delivery.publishing);
}

void os_notice_publish(struct os_notice *notice)
{
	pthread_mutex_lock(&delivery.publishing);
	publish_posted();
	notice->publish(notice);
	pthread_mutex_unlock(&delivery.publishing);
}

void os_notice_post(struct os_notice *notice)
{
	notice->next = __atomic_load_n(&delivery.notices, __ATOMIC_RELAXED);
	/* Release order: the thread that takes the stack must see the notice's content. */
	while (!__atomic_compare_exchange_n(&delivery.notices, &notice->next, notice, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	if (has_thread())
		sem_post(&delivery.wake);
	else
		os_notice_flush();
}

void os_work_init(struct os_work *work, void (*run)(struct os_work *))
{
	*work = (struct os_work){.run = run};
}

bool os_work_post(struct os_work *work)
{
	/* This exchange has release order, so run_one() sees what this thread wrote before the
	 * post. This holds even if another thread has queued the work. */
	if (__atomic_exchange_n(&work->queued, true, __ATOMIC_ACQ_REL))
		return false;
	work->next = __atomic_load_n(&delivery.works, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&delivery.works, &work->next, work, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	if (has_thread())
		sem_post(&delivery.wake);
	return true;
}

static void run_one(struct os_work *work)
{
	pthread_mutex_lock(&delivery.lock);
	delivery.running = work;
	(void)__atomic_exchange_n(&work->queued, false, __ATOMIC_ACQ_REL);
	pthread_mutex_unlock(&delivery.lock);
	work->run(work); /* the run may free `work` */
	pthread_mutex_lock(&delivery.lock);
	delivery.running = NULL;
	if (delivery.drainers)
		pthread_cond_broadcast(&delivery.idle);
	pthread_mutex_unlock(&delivery.lock);
}

static void run_posted(void)
{
	struct os_work *work = __atomic_exchange_n(&delivery.works, NULL, __ATOMIC_ACQUIRE);
	struct os_work *oldest = NULL;

	while (work) {
		struct os_work *next = work->next;

		work->next = oldest;
		oldest = work;
		work = next;
	}
	while (oldest) {
		work = oldest;
		/* Read this pointer before run_one(). From then on the work may be posted again,
		 * which overwrites work->next. */
		oldest = work->next;
		run_one(work);
		os_notice_flush();
	}
}

void os_work_drain(struct os_work *work)
{
	pthread_mutex_lock(&delivery.lock);
	delivery.drainers++;
	while (__atomic_load_n(&work->queued, __ATOMIC_ACQUIRE) || delivery.running == work)
		pthread_cond_wait(&delivery.idle, &delivery.lock);
	delivery.drainers--;
	pthread_mutex_unlock(&delivery.lock);
}

static void *deliver(void *unused)
{
	os_thread_disable_cancel();
	while (!__atomic_load_n(&delivery.ending, __ATOMIC_ACQUIRE)) {
		while (sem_wait(&delivery.wake) && errno == EINTR)
			;
		/* Consume all wake-ups so far. The notice or work of each wake-up was pushed before
		 * its sem_post, so the two calls below handle that entry. */
		while (!sem_trywait(&delivery.wake))
			;
		os_notice_flush();
		run_posted();
	}
	return NULL;
}

HRESULT os_delivery_start(void)
{
	HRESULT hr = ND_SUCCESS;

	if (has_thread())
		return ND_SUCCESS;
	pthread_mutex_lock(&delivery.starting);
	if (!delivery.started) {
		sem_init(&delivery.wake, 0, 0);
		if (delivery.ending ||
		    os_thread_start(&delivery.thread, "rn-deliver", deliver, NULL))
			hr = ND_INSUFFICIENT_RESOURCES;
		else
			__atomic_store_n(&delivery.started, true, __ATOMIC_RELEASE);
		/* Wakes the delivery thread for works that were posted before the thread was
		 * started. */
		sem_post(&delivery.wake);
	}
	pthread_mutex_unlock(&delivery.starting);
	return hr;
}

bool os_delivery_cpus(cpu_set_t *cpus)
{
	return has_thread() && pthread_getaffinity_np(delivery.thread, sizeof(*cpus), cpus) == 0;
}

/* Runs before the destructor of pool.c, since this function publishes completions that may go to
 * the callback pool. */
__attribute__((destructor(203))) static void end_delivery(void)
{
	if (!has_thread() || os_child)
		return;
	__atomic_store_n(&delivery.ending, true, __ATOMIC_RELEASE);
	sem_post(&delivery.wake);
	if (!os_thread_join(delivery.thread))
		return;
	/* From now on, each thread that posts a notice publishes it itself. */
	__atomic_store_n(&delivery.started, false, __ATOMIC_RELEASE);
	os_notice_flush();
}
