/* Events on their way from shards to whoever waits. Never lost: the queue grows. Rare by nature (connections, errors,
 * one per arming of a CQ), so a mutex guards it. */
#ifndef RN_NIC_EVENT_H
#define RN_NIC_EVENT_H

#include <pthread.h>

#include "rn/abi.h"

struct rn_event_queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct rn_event *ring; /* power of two */
	unsigned size, head, n;
	bool waiting, interrupted;
};

int rn_events_init(struct rn_event_queue *q); /* 0 or -ENOMEM */
void rn_events_fini(struct rn_event_queue *q);

/* Any thread. False only without memory: the caller keeps the event and tries again later. */
bool rn_events_put(struct rn_event_queue *q, const struct rn_event *ev);

/* Takes up to n, waiting at most timeout_ms (-1 = no limit). 0 after a timeout or an interrupt. */
unsigned rn_events_wait(struct rn_event_queue *q, struct rn_event *ev, unsigned n, int timeout_ms);
/* Makes the wait that runs, or else the next one, return at once. */
void rn_events_interrupt(struct rn_event_queue *q);

#endif
