/* The queue of events from shards to the client. The queue grows as needed, so no event is lost.
 * Events are rare: connections, errors, and one event each time a client arms a CQ. So a mutex is
 * fast enough. */
#ifndef RN_NIC_EVENT_H
#define RN_NIC_EVENT_H

#include <pthread.h>

#include "rn/abi.h"

struct rn_event_queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct rn_event *ring; /* `size` events (a power of two), owned by the queue */
	unsigned size, head, n;
	bool waiting, interrupted;
};

int rn_events_init(struct rn_event_queue *q); /* returns 0 or -ENOMEM */
void rn_events_fini(struct rn_event_queue *q);

/* Adds an event. Returns false if there is no memory; the caller must then keep the event and retry
 * later. Any thread may call this function. */
bool rn_events_put(struct rn_event_queue *q, const struct rn_event *ev);

/* Takes up to n events into ev[]. Waits at most timeout_ms milliseconds; -1 means without limit, 0
 * means not at all. Returns the number of events taken, or 0 after a timeout or an interrupt. Only
 * one thread may wait at a time. */
unsigned rn_events_wait(struct rn_event_queue *q, struct rn_event *ev, unsigned n, int timeout_ms);
/* Makes a waiting call of rn_events_wait() return at once. If no call is waiting, the next call
 * with a timeout other than 0 returns at once. Any thread may call this function. */
void rn_events_interrupt(struct rn_event_queue *q);

#endif
