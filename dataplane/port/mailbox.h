/* Calls into a shard: "run this between two bursts, after everything submitted so far". One mailbox per shard. */
#ifndef RN_MAILBOX_H
#define RN_MAILBOX_H

#include <stdatomic.h>

#include "types.h"

struct rn_lcore;
struct rn_submit;

/* One call; lives with the caller (usually on its stack) until rn_call_done(). Embed it first in a larger struct. */
struct rn_call {
	void (*run)(struct rn_call *call, struct rn_lcore *lc, rn_time now); /* in the shard's thread */
	/* filled by rn_mailbox_post() */
	struct rn_call *next;
	uint32_t after; /* submission ring position that must be passed first */
	_Atomic uint32_t state;
};

struct rn_mailbox {
	_Atomic(struct rn_call *) in; /* newest first, pushed by anyone */
	/* The shard's own queue, oldest first; others only look whether there is one. */
	_Atomic(struct rn_call *) first;
	struct rn_call *last;
};

void rn_mailbox_init(struct rn_mailbox *mb);

/* Any thread. Calls of one thread run in order, and after what that thread submitted before. */
void rn_mailbox_post(struct rn_mailbox *mb, struct rn_call *call, const struct rn_submit *submit);

bool rn_mailbox_empty(const struct rn_mailbox *mb);

/* The shard: runs the calls whose turn has come. Returns how many. */
unsigned rn_mailbox_run(struct rn_mailbox *mb, struct rn_lcore *lc, const struct rn_submit *submit, rn_time now);

/* The caller, after post. */
bool rn_call_done(const struct rn_call *call);
void rn_call_wait(struct rn_call *call);

#endif
