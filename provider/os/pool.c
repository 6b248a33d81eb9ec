/*
 * Who runs the client's completion routines? Owns up to POOL_THREADS threads, one made with the
 * first binding, the others when packets wait and no thread is idle: a routine that blocks must
 * not keep the next one from running. No lock is held while a routine runs.
 */
#include "pool.h"
#include "live.h"
#include "ndstatus.h"
#include "thread.h"

#include <stdlib.h>

#define POOL_THREADS 4

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct os_packet *first;
	struct os_packet **end;
	unsigned int queued;
	unsigned int idle; /* waiting, about to wait, or just made */
	unsigned int threads;
	pthread_t thread[POOL_THREADS];
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

static void *run_routines(void *unused)
{
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		struct os_packet packet;
		struct os_packet *taken;

		while (!pool.first && !pool.ending)
			pthread_cond_wait(&pool.filled, &pool.lock);
		pool.idle--;
		if (pool.ending)
			break;
		taken = unhook_first();
		pthread_mutex_unlock(&pool.lock);
		/* Freed first: the routine may be the last thing this process does. */
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
	if (pool.threads == POOL_THREADS || pool.ending)
		return false;
	if (os_thread_start(&pool.thread[pool.threads], "rn-callback", run_routines, NULL))
		return false;
	pool.threads++;
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
		add_thread(); /* without it the packet waits for a thread to come back */
	pthread_cond_signal(&pool.filled);
	pthread_mutex_unlock(&pool.lock);
}

__attribute__((destructor(202))) static void end_pool(void)
{
	unsigned int threads;

	pthread_mutex_lock(&pool.lock);
	pool.ending = true;
	threads = pool.threads;
	while (pool.first)
		free(unhook_first());
	pthread_cond_broadcast(&pool.filled);
	pthread_mutex_unlock(&pool.lock);
	for (unsigned int i = 0; i < threads; i++)
		os_thread_join(pool.thread[i]);
}
