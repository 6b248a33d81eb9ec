/*
 * The delivery thread, and the two kinds of job that it runs.
 *
 *   notice  publishes a completion that has happened. It takes leaf locks only and calls no other
 *           module; a thread that must not return before the notice is published may publish it
 *           itself.
 *   work    a step of an object that takes the object's lock. It runs on the delivery thread only.
 *           At present no object of provider/nd2 posts a work.
 *
 * Posting a notice or a work is lock-free, and cheap enough for a thread that polls a NIC.
 */
#ifndef OS_DELIVERY_H
#define OS_DELIVERY_H

#include "ndtypes.h"

#include <sched.h>
#include <stdbool.h>

struct os_notice {
	struct os_notice *next;
	void (*publish)(struct os_notice *);
};

struct os_work {
	struct os_work *next;
	void (*run)(struct os_work *);
	bool queued;
};

/* Starts the delivery thread unless it runs; os_file_create() calls this function.
 * ND_INSUFFICIENT_RESOURCES: the thread cannot be started. */
HRESULT os_delivery_start(void);

/* Stores the CPUs that the delivery thread may run on. False: the thread does not run, or its
 * affinity is not available. */
bool os_delivery_cpus(cpu_set_t *cpus);

/* Queues a notice; the delivery thread publishes notices in the order of posting. Any thread may
 * call; never blocks. */
void os_notice_post(struct os_notice *);

/* Publishes all notices posted earlier and then this one, before the call returns. Any thread may
 * call, with any lock held. */
void os_notice_publish(struct os_notice *);

/* Returns once all notices posted earlier are published. Any thread may call, with any lock
 * held. */
void os_notice_flush(void);

void os_work_init(struct os_work *, void (*run)(struct os_work *));

/*
 * Queues the work to run once, soon. If the work is queued already, it still runs once, and the
 * call returns false. If the work is running, it is run once more. The run sees everything that the
 * posting thread wrote before the post. Any thread may call; never blocks. The object must stay
 * alive until the run: hold one reference for each call that returned true.
 */
bool os_work_post(struct os_work *);

/*
 * Returns when the work is neither queued nor running. The caller must ensure that no thread posts
 * the work any more, and must hold no lock that the work takes. A work must not call this function
 * for itself.
 */
void os_work_drain(struct os_work *);

#endif
