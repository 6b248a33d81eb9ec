/* How does a command reach the shard's thread without overtaking earlier work requests? Any thread
 * pushes a call to a lock-free list, which the shard empties. The caller sleeps on a futex in its
 * struct rn_call. Owns nothing: calls belong to their callers. */
#include "port/mailbox.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/submit.h"

enum { PENDING, SLEEPING, DONE };

void rn_mailbox_init(struct rn_mailbox *mb)
{
	atomic_init(&mb->in, NULL);
	atomic_init(&mb->first, NULL);
	mb->last = NULL;
}

void rn_mailbox_post(struct rn_mailbox *mb, struct rn_call *call, const struct rn_submit *submit)
{
	/* Read the position before publishing the call. The shard runs the call after it has
	 * drained all work requests that this thread has submitted so far. */
	call->after = rn_submit_position(submit);
	atomic_init(&call->state, PENDING);
	/* Push the call onto a lock-free stack. Release makes the members of the call visible to
	 * the shard. */
	struct rn_call *old = atomic_load_explicit(&mb->in, memory_order_relaxed);
	do {
		call->next = old;
	} while (!atomic_compare_exchange_weak_explicit(&mb->in, &old, call, memory_order_release,
							memory_order_relaxed));
}

static struct rn_call *first(const struct rn_mailbox *mb)
{
	return atomic_load_explicit(&mb->first, memory_order_relaxed);
}

static void set_first(struct rn_mailbox *mb, struct rn_call *call)
{
	atomic_store_explicit(&mb->first, call, memory_order_relaxed);
}

bool rn_mailbox_empty(const struct rn_mailbox *mb)
{
	return atomic_load_explicit(&mb->in, memory_order_relaxed) == NULL && first(mb) == NULL;
}

/* Moves the calls from `in` to the shard's queue, and reverses their order to oldest first. */
static void fetch(struct rn_mailbox *mb)
{
	if (atomic_load_explicit(&mb->in, memory_order_relaxed) == NULL)
		return;
	struct rn_call *newest = atomic_exchange_explicit(&mb->in, NULL, memory_order_acquire);
	struct rn_call *oldest = NULL, *last = newest;

	while (newest != NULL) {
		struct rn_call *next = newest->next;
		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	if (first(mb) == NULL)
		set_first(mb, oldest);
	else
		mb->last->next = oldest;
	mb->last = last;
}

static void finish(struct rn_call *call)
{
	/* As soon as the state is DONE, the caller may return, and `call` in the caller's stack
	 * frame may no longer exist. FUTEX_WAKE uses only the address of the state, so a stale
	 * address does no harm. */
	if (atomic_exchange_explicit(&call->state, DONE, memory_order_acq_rel) == SLEEPING)
		syscall(SYS_futex, &call->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

unsigned rn_mailbox_run(struct rn_mailbox *mb, struct rn_lcore *lc, const struct rn_submit *submit,
			rn_time now)
{
	/* Calls run in order: a call that has to wait for the submission ring delays all later
	 * calls. */
	unsigned n = 0;

	fetch(mb);
	for (struct rn_call *call;
	     (call = first(mb)) != NULL && rn_submit_drained(submit, call->after); n++) {
		set_first(mb, call->next);
		call->run(call, lc, now);
		finish(call);
	}
	return n;
}

bool rn_call_done(const struct rn_call *call)
{
	return atomic_load_explicit(&call->state, memory_order_acquire) == DONE;
}

void rn_call_wait(struct rn_call *call)
{
	for (;;) {
		/* The state SLEEPING tells finish() to call FUTEX_WAKE. If the state changes before
		 * FUTEX_WAIT begins, FUTEX_WAIT returns at once, so no wake-up is lost. */
		uint32_t state = PENDING;
		atomic_compare_exchange_strong_explicit(&call->state, &state, SLEEPING,
							memory_order_acq_rel, memory_order_acquire);
		if (state == DONE)
			return;
		syscall(SYS_futex, &call->state, FUTEX_WAIT_PRIVATE, SLEEPING, NULL, NULL, 0);
	}
}
