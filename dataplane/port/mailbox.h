/* Runs functions in a shard's thread, between two bursts and after all work requests that the
 * caller submitted before. Each shard has one mailbox. */
#ifndef RN_MAILBOX_H
#define RN_MAILBOX_H

#include <stdatomic.h>

#include "base/types.h"

struct rn_lcore;
struct rn_submit;

/* One call. The caller owns it, usually on its stack, and keeps it until rn_call_done(). To pass
 * arguments, make it the first member of a larger struct. */
struct rn_call {
	/* in the shard's thread */
	void (*run)(struct rn_call *call, struct rn_lcore *lc, rn_time now);
	/* set by rn_mailbox_post() */
	struct rn_call *next;
	uint32_t after; /* position of the submission ring that must be drained first */
	_Atomic uint32_t state;
};

struct rn_mailbox {
	_Atomic(struct rn_call *) in; /* pushed by any thread, newest first */
	/* The shard's own queue, oldest first. Other threads only compare it with NULL. */
	_Atomic(struct rn_call *) first;
	struct rn_call *last;
};

void rn_mailbox_init(struct rn_mailbox *mb);

/* Any thread. Calls posted by one thread run in order, and after the work requests that it
 * submitted before. */
void rn_mailbox_post(struct rn_mailbox *mb, struct rn_call *call, const struct rn_submit *submit);

/* Any thread; for threads other than the shard a hint. */
bool rn_mailbox_empty(const struct rn_mailbox *mb);

/* The shard. Runs the calls whose submission position has been drained. Returns their number. */
unsigned rn_mailbox_run(struct rn_mailbox *mb, struct rn_lcore *lc, const struct rn_submit *submit,
			rn_time now);

/* The caller, after rn_mailbox_post(): asks whether the call has run, or sleeps until it has. */
bool rn_call_done(const struct rn_call *call);
void rn_call_wait(struct rn_call *call);

#endif
