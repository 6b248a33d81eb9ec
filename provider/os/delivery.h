/*
 * The delivery thread, and the two kinds of job that it runs.
 *
 *   notice  Publishes a completion that has happened. Takes leaf locks only and calls no other
 *           module. A thread that must not return before a notice is published may publish the
 *           notice itself.
 *   work    A step of an object that takes the object's lock. Runs on the delivery thread only.
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

/* Starts the delivery thread unless it runs already. os_file_create() calls this function. Returns
 * ND_INSUFFICIENT_RESOURCES if the thread cannot be started. */
HRESULT os_delivery_start(void);

/* Stores the CPUs on which the delivery thread may run. Returns false if the thread does not run or
 * its affinity is not available. */
bool os_delivery_cpus(cpu_set_t *cpus);

/* Queues a notice. The delivery thread publishes notices in the order of posting. Any thread may
 * call. Never blocks. */
void os_notice_post(struct os_notice *);

/* Publishes all notices that were posted earlier and then this notice, before the call returns. Any
 * thread may call, with any lock held. */
void os_notice_publish(struct os_notice *);

/* Returns once all notices that were posted earlier are published. Any thread may call, with any
 * lock held. */
void os_notice_flush(void);

void os_work_init(struct os_work *, void (*run)(struct os_work *));

/*
 * Queues the work to run once, soon. If the work is running, it runs once more. Returns false if
 * the work is queued already; the work then still runs once.
 *
 * The run sees everything that the posting thread wrote before the post. The object must stay alive
 * until the run: hold one reference for each call that returned true. Any thread may call. Never
 * blocks.
 */
bool os_work_post(struct os_work *);

/*
 * Returns when the work is neither queued nor running. The caller ensures that no thread posts the
 * work any more, and holds no lock that the work takes. A work must not call this function for
 * itself.
 */
void os_work_drain(struct os_work *);

#endif
