/* Runs functions in a shard's thread, between two bursts and after all work requests that the
 * caller has submitted. Each shard has one mailbox. */
#ifndef RN_MAILBOX_H
#define RN_MAILBOX_H

#include <stdatomic.h>

#include "base/types.h"

struct rn_lcore;
struct rn_submit;

/* One function call in a shard's thread. The caller owns the struct, which is usually on the
 * caller's stack, and keeps the struct until rn_call_done() returns true. To pass arguments, make
 * this struct the first member of a larger struct. */
struct rn_call {
	/* runs in the shard's thread */
	void (*run)(struct rn_call *call, struct rn_lcore *lc, rn_time now);
	/* rn_mailbox_post() sets the members from here on */
	struct rn_call *next;
	uint32_t after; /* submission ring position that must be drained before the call */
	_Atomic uint32_t state;
};

struct rn_mailbox {
	_Atomic(struct rn_call *) in; /* calls pushed by any thread, newest first */
	/* First call in the shard's own queue, which is oldest first. Other threads may only
	 * compare this pointer with NULL. */
	_Atomic(struct rn_call *) first;
	struct rn_call *last;
};

void rn_mailbox_init(struct rn_mailbox *mb);

/* Queues a call. Any thread may call this function. The calls of one thread run in the order of
 * posting, and after the work requests that the thread submitted before. */
void rn_mailbox_post(struct rn_mailbox *mb, struct rn_call *call, const struct rn_submit *submit);

/* True when no call waits. The answer is exact in the shard's thread, and a hint for other
 * threads. */
bool rn_mailbox_empty(const struct rn_mailbox *mb);

/* Runs the calls for which the submission ring has been drained up to the call's position `after`.
 * Returns the number of calls run. Called by the shard. */
unsigned rn_mailbox_run(struct rn_mailbox *mb, struct rn_lcore *lc, const struct rn_submit *submit,
			rn_time now);

/* To be used by the caller after rn_mailbox_post(). rn_call_done() returns true if the call has
 * run. rn_call_wait() sleeps until the call has run. */
bool rn_call_done(const struct rn_call *call);
void rn_call_wait(struct rn_call *call);

#endif
