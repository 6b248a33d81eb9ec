/*
 * The callback pool: runs the client's completion routines on up to MAX_THREADS threads.
 *
 * The first thread is started when the first file is bound to a callback. Another thread is started
 * when completion packets are queued and no thread is idle. A routine that blocks must not hold up
 * the next routine, and routines may wait for one another.
 *
 * The first PROMPT_THREADS threads take packets at once. A later thread first waits
 * LATE_THREAD_WAIT_MS: most routines are short, and the existing threads can run a burst of short
 * routines in that time. No lock is held while a routine runs.
 */
#include "os/pool.h"
#include "os/child.h"
#include "os/deadline.h"
#include "os/live.h"
#include "ndstatus.h"
#include "os/thread.h"

#include <stdlib.h>

#define MAX_THREADS	    64
#define PROMPT_THREADS	    4
#define LATE_THREAD_WAIT_MS 10

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct os_packet *first;
	struct os_packet **end;
	unsigned int queued;
	/* number of threads that wait for a completion packet, are about to wait, or were just
	 * started */
	unsigned int idle;
	unsigned int threads;
	pthread_t thread[MAX_THREADS];
	/* a late thread (started after the first PROMPT_THREADS threads) is in its first wait */
	bool looking;
	bool ending;
} pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.filled = PTHREAD_COND_INITIALIZER,
	.end = &pool.first,
};

static struct os_packet *unhook_first(void)
{
	struct os_packet *packet = pool.first;

	pool.first = packet->next;
	if (!pool.first)
		pool.end = &pool.first;
	pool.queued--;
	os_live_remove(&os_live[OS_LIVE_PACKET]);
	return packet;
}

static bool add_thread(void);

/* The first wait of a late thread. For LATE_THREAD_WAIT_MS only the other threads take queued
 * packets. */
static void wait_for_others(void)
{
	struct os_deadline deadline = os_deadline_in(LATE_THREAD_WAIT_MS);
	pthread_cond_t never;

	os_cond_init(&never);
	while (!pool.ending && os_cond_wait(&never, &pool.lock, &deadline))
		;
	pthread_cond_destroy(&never);
	pool.looking = false;
	pool.idle++;
}

static void *run_routines(void *late)
{
	os_thread_disable_cancel();
	pthread_mutex_lock(&pool.lock);
	if (late)
		wait_for_others();
	for (;;) {
		struct os_packet packet;
		struct os_packet *taken;

		while (!pool.first && !pool.ending)
			pthread_cond_wait(&pool.filled, &pool.lock);
		pool.idle--;
		if (pool.ending)
			break;
		taken = unhook_first();
		if (pool.queued > pool.idle)
			/* Add a thread before the routine runs. All running routines may be waiting
			 * for a work item that is still queued, which only a new thread can run. */
			add_thread();
		pthread_mutex_unlock(&pool.lock);
		/* Free the work item before its routine is called, because the routine may end the
		 * process. */
		packet = *taken;
		free(taken);
		packet.routine(packet.status, packet.bytes, packet.overlapped);
		pthread_mutex_lock(&pool.lock);
		pool.idle++;
	}
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

static bool add_thread(void)
{
	bool late = pool.threads >= PROMPT_THREADS;

	if (pool.threads == MAX_THREADS || pool.looking || pool.ending)
		return false;
	if (os_thread_start(&pool.thread[pool.threads], "rn-callback", run_routines,
			    late ? &pool : NULL))
		return false;
	pool.threads++;
	if (late)
		pool.looking = true;
	else
		pool.idle++;
	return true;
}

HRESULT os_pool_start(void)
{
	bool ready;

	pthread_mutex_lock(&pool.lock);
	ready = pool.threads || add_thread();
	pthread_mutex_unlock(&pool.lock);
	return ready ? ND_SUCCESS : ND_INSUFFICIENT_RESOURCES;
}

void os_pool_queue(struct os_packet *packet)
{
	os_live_add(&os_live[OS_LIVE_PACKET]);
	pthread_mutex_lock(&pool.lock);
	packet->next = NULL;
	*pool.end = packet;
	pool.end = &packet->next;
	pool.queued++;
	if (pool.queued > pool.idle)
		add_thread(); /* if this fails, the packet waits until a thread is idle */
	pthread_cond_signal(&pool.filled);
	pthread_mutex_unlock(&pool.lock);
}

__attribute__((destructor(202))) static void end_pool(void)
{
	unsigned int threads;

	if (os_child)
		return;
	pthread_mutex_lock(&pool.lock);
	pool.ending = true;
	threads = pool.threads;
	while (pool.first)
		free(unhook_first());
	pthread_cond_broadcast(&pool.filled);
	pthread_mutex_unlock(&pool.lock);
	/* A thread that is blocked in a client's routine does not end within the 1 s for which
	 * os_thread_join() waits. If one join fails, do not wait for the other threads, which are
	 * probably blocked too. */
	for (unsigned int i = 0; i < threads; i++)
		if (!os_thread_join(pool.thread[i]) &&
		    !pthread_equal(pool.thread[i], pthread_self()))
			break;
}
