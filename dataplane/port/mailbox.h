/* Runs functions in a shard's thread, between two bursts and after all work requests that the
 * caller submitted before. Each shard has one mailbox. */
#ifndef RN_MAILBOX_H
#define RN_MAILBOX_H

#include <stdatomic.h>

#include "base/types.h"

struct rn_lcore;
struct rn_submit;

/* One function call in a shard's thread. The caller owns the struct, which is usually on its stack,
 * and keeps it until rn_call_done() returns true. To pass arguments, make this struct the first
 * member of a larger one. */
struct rn_call {
	/* runs in the shard's thread */
	void (*run)(struct rn_call *call, struct rn_lcore *lc, rn_time now);
	/* the fields from here on are set by rn_mailbox_post() */
	struct rn_call *next;
	uint32_t after; /* position up to which the submission ring must be drained first */
	_Atomic uint32_t state;
};

struct rn_mailbox {
	_Atomic(struct rn_call *) in; /* pushed by any thread, newest first */
	/* First call in the shard's own queue, oldest first. Other threads only compare this
	 * pointer with NULL. */
	_Atomic(struct rn_call *) first;
	struct rn_call *last;
};

void rn_mailbox_init(struct rn_mailbox *mb);

/* Queues a call; any thread may do this. Calls posted by one thread run in order, and after the
 * work requests that this thread submitted before. */
void rn_mailbox_post(struct rn_mailbox *mb, struct rn_call *call, const struct rn_submit *submit);

/* True when no call waits. Exact only in the shard's thread; for other threads a hint. */
bool rn_mailbox_empty(const struct rn_mailbox *mb);

/* Called by the shard: runs each call for which the submission ring has been drained up to the
 * call's position `after`. Returns their number. */
unsigned rn_mailbox_run(struct rn_mailbox *mb, struct rn_lcore *lc, const struct rn_submit *submit,
			rn_time now);

/* Used by the caller after rn_mailbox_post(): rn_call_done() returns whether the call has run,
 * rn_call_wait() sleeps until it has. */
bool rn_call_done(const struct rn_call *call);
void rn_call_wait(struct rn_call *call);

#endif
