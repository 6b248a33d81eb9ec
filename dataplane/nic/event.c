/* The queue that carries events from shards to a waiting client. Owns one growing queue per
 * adapter. Shards add events; one client thread at a time takes events. */
#include "nic/event.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define FIRST_SIZE 64

int rn_events_init(struct rn_event_queue *q)
{
	pthread_condattr_t attr;

	*q = (struct rn_event_queue){.size = FIRST_SIZE};
	q->ring = calloc(q->size, sizeof(*q->ring));
	if (q->ring == NULL)
		return -ENOMEM;
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	/* Use the monotonic clock: a timeout must not change when the system clock is set. */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->more, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void rn_events_fini(struct rn_event_queue *q)
{
	if (q->ring == NULL)
		return;
	pthread_cond_destroy(&q->more);
	pthread_mutex_destroy(&q->lock);
	free(q->ring);
	q->ring = NULL;
}

/* Doubles the ring until there is room for n more events. Returns false if there is no memory. */
static bool make_room(struct rn_event_queue *q, unsigned n)
{
	unsigned size = q->size;

	while (q->n + n > size)
		size *= 2;
	if (size == q->size)
		return true;
	struct rn_event *ring = calloc(size, sizeof(*ring));
	if (ring == NULL)
		return false;
	/* Copy the events to the front of the new ring, with the oldest event at index 0. */
	for (unsigned i = 0; i < q->n; i++)
		ring[i] = q->ring[(q->head + i) & (q->size - 1)];
	free(q->ring);
	q->ring = ring;
	q->size = size;
	q->head = 0;
	return true;
}

bool rn_events_put(struct rn_event_queue *q, const struct rn_event *ev)
{
	pthread_mutex_lock(&q->lock);
	bool ok = make_room(q, 1);
	if (ok) {
		q->ring[(q->head + q->n++) & (q->size - 1)] = *ev;
		/* Signal only a waiting thread. If no thread waits, the next wait finds the event
		 * in the queue. */
		if (q->waiting)
			pthread_cond_signal(&q->more);
	}
	pthread_mutex_unlock(&q->lock);
	return ok;
}

/* Returns the absolute time `timeout_ms` from now, for pthread_cond_timedwait(). */
static struct timespec deadline(int timeout_ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += timeout_ms / 1000;
	ts.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_nsec -= 1000000000;
		ts.tv_sec++;
	}
	return ts;
}

unsigned rn_events_wait(struct rn_event_queue *q, struct rn_event *ev, unsigned n, int timeout_ms)
{
	struct timespec until = deadline(timeout_ms > 0 ? timeout_ms : 0);
	int err = 0;
	unsigned k = 0;

	pthread_mutex_lock(&q->lock);
	while (q->n == 0 && !q->interrupted && timeout_ms != 0 && err != ETIMEDOUT) {
		/* One flag is enough: only one thread waits at a time. */
		q->waiting = true;
		if (timeout_ms < 0)
			pthread_cond_wait(&q->more, &q->lock);
		else
			err = pthread_cond_timedwait(&q->more, &q->lock, &until);
		q->waiting = false;
	}
	/* A call that may block (timeout not 0) clears the interrupt. A call with timeout 0 only
	 * checks the queue, and leaves the interrupt to the next call that may block. */
	if (timeout_ms != 0)
		q->interrupted = false;
	for (; k < n && q->n > 0; k++, q->n--)
		ev[k] = q->ring[q->head++ & (q->size - 1)];
	q->head &= q->size - 1;
	pthread_mutex_unlock(&q->lock);
	return k;
}

void rn_events_interrupt(struct rn_event_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->interrupted = true;
	pthread_cond_broadcast(&q->more);
	pthread_mutex_unlock(&q->lock);
}
