/*
 * The delivery thread, and the two kinds of job it does.
 *
 *   notice  publishes something that has happened: touches leaf locks alone, calls nobody. It may
 *           be run early by any thread that must not return before it is out.
 *   work    a step of an object above (a queue passing its threshold, a connection event): may
 *           take that object's lock. Runs on the delivery thread and nowhere else.
 *
 * Posting either is lock-free and cheap, fit for a thread that polls a NIC.
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

/* Starts the thread unless it runs. ND_INSUFFICIENT_RESOURCES. os_file_create calls it. */
HRESULT os_delivery_start(void);

/* The CPUs that the thread may run on. False: there is no thread, or they cannot be told. */
bool os_delivery_cpus(cpu_set_t *cpus);

/* Published by the delivery thread, in the order of posting. Any thread, never blocks. */
void os_notice_post(struct os_notice *);

/* Published before the return, after everything posted earlier. Any thread, any lock held. */
void os_notice_publish(struct os_notice *);

/* Returns once everything posted earlier is published. Any thread, any lock held. */
void os_notice_flush(void);

void os_work_init(struct os_work *, void (*run)(struct os_work *));

/*
 * Runs once, soon. Posted again while waiting: still once, and false. Posted again while running:
 * once more. What the poster wrote before is visible to the run that follows. Any thread, never
 * blocks. The object must stay alive until the run: hold a reference for each true.
 */
bool os_work_post(struct os_work *);

/*
 * Returns when the work neither waits nor runs. The caller has seen to it that nobody posts it any
 * more, holds no lock that the work takes, and is not the work itself.
 */
void os_work_drain(struct os_work *);

#endif
