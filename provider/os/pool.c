/*
 * Runs the client's completion routines. Owns up to MAX_THREADS threads: one started with the
 * first binding, the others when packets wait and no thread is idle, because a routine that blocks
 * must not keep the next one from running, and routines may wait for one another. The first
 * PROMPT_THREADS start at once; later ones wait SECOND_LOOK_MS first, because most routines are
 * short and a burst of them needs no more threads. No lock is held while a routine runs.
 */
#include "os/pool.h"
#include "os/child.h"
#include "os/deadline.h"
#include "os/live.h"
#include "ndstatus.h"
#include "os/thread.h"

#include <stdlib.h>

#define MAX_THREADS    64
#define PROMPT_THREADS 4
#define SECOND_LOOK_MS 10

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct os_packet *first;
	struct os_packet **end;
	unsigned int queued;
	unsigned int idle; /* threads that wait, are about to wait, or were just started */
	unsigned int threads;
	pthread_t thread[MAX_THREADS];
	bool looking; /* a late thread is in its first wait */
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
	os_live_gone(&os_live[OS_LIVE_PACKET]);
	return packet;
}

static bool add_thread(void);

/* Gives the other threads time to take the packets that wait. */
static void wait_for_others(void)
{
	struct os_deadline deadline = os_deadline_in(SECOND_LOOK_MS);
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
			/* now, since all other threads may be waiting for this routine */
			add_thread();
		pthread_mutex_unlock(&pool.lock);
		/* The packet is freed first: the routine may end the process. */
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
	os_live_born(&os_live[OS_LIVE_PACKET]);
	pthread_mutex_lock(&pool.lock);
	packet->next = NULL;
	*pool.end = packet;
	pool.end = &packet->next;
	pool.queued++;
	if (pool.queued > pool.idle)
		add_thread(); /* if no thread can be added, the packet waits for an idle one */
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
	/* A thread held up by a client's routine does not end in time; the rest would probably not
	 * either. */
	for (unsigned int i = 0; i < threads; i++)
		if (!os_thread_join(pool.thread[i]) &&
		    !pthread_equal(pool.thread[i], pthread_self()))
			break;
}
