/*
 * The delivery thread, and the two kinds of job it does.
 *
 *   notice  publishes something that has happened. It touches leaf locks only and calls no other
 *           module; a thread that must not return before it is published may run it early.
 *   work    a step of an object above (a queue passes its threshold, a connection event). It may
 *           take that object's lock, and runs on the delivery thread only.
 *
 * Posting either is lock-free and cheap enough for a thread that polls a NIC.
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

/* Starts the thread unless it runs; os_file_create calls it. ND_INSUFFICIENT_RESOURCES. */
HRESULT os_delivery_start(void);

/* The CPUs that the thread may run on. False: there is no thread, or its affinity is not
 * available. */
bool os_delivery_cpus(cpu_set_t *cpus);

/* The delivery thread publishes the notices in the order of posting. Any thread; never blocks. */
void os_notice_post(struct os_notice *);

/* Publishes the notice before it returns, after everything posted earlier. Any thread; any lock
 * may be held. */
void os_notice_publish(struct os_notice *);

/* Returns once everything posted earlier is published. Any thread; any lock may be held. */
void os_notice_flush(void);

void os_work_init(struct os_work *, void (*run)(struct os_work *));

/*
 * Runs the work once, soon. Posted again while it waits, it still runs once, and the result is
 * false; posted again while it runs, it runs once more. The run sees everything the poster wrote
 * before. Any thread; never blocks. The object must stay alive until the run: hold a reference for
 * each true.
 */
bool os_work_post(struct os_work *);

/*
 * Returns when the work neither waits nor runs. The caller has made sure that the work is not
 * posted any more, holds no lock that the work takes, and is not the work itself.
 */
void os_work_drain(struct os_work *);

#endif
