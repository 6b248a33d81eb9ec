/* A shard, the thread that drives it, and the loop of that thread. Only this thread uses the
 * fields and functions below, unless a comment says otherwise. Under the inline policy a shard
 * has no thread of its own: the thread that gets the turn lock takes the role for one turn. */
#ifndef RN_LCORE_H
#define RN_LCORE_H

#include <pthread.h>

#include "port/clock.h"
#include "shard/core.h"
#include "port/mailbox.h"
#include "port/rxtx.h"
#include "port/steer.h"
#include "port/submit.h"
#include "port/wake.h"

struct rte_rcu_qsbr;

/* clang-format off */
#define RN_IDLE_ROWS(X) /* name, text */ \
	X(POLL,     "spins") \
	X(ADAPTIVE, "spins, then sleeps until the next timer or a wake source") \
	X(INLINE,   "application threads make the turns; when they do not, the progress thread does")
#define RN_LCORE_STAT_ROWS(X) /* name, text */ \
	X(turns,  "turns of the loop") \
	X(busy,   "turns that found work") \
	X(sleeps, "times the shard slept") \
	X(rung,   "sleeps ended by a doorbell, a peer or a frame") \
	X(calls,  "commands and other mailbox calls that the shard ran")
/* clang-format on */

enum rn_idle {
#define X(name, text) RN_IDLE_##name,
	RN_IDLE_ROWS(X)
#undef X
};

struct rn_lcore_stats {
#define X(name, text) uint64_t name;
	RN_LCORE_STAT_ROWS(X)
#undef X
};

struct rn_lcore {
	/* Used by any thread. */
	_Alignas(64) struct rn_submit submit;
	struct rn_mailbox mailbox;
	struct rn_wake wake;
	_Atomic uint32_t stop;
	_Atomic uint32_t turning; /* inline: the turn lock; 1 while a thread makes a turn */
	/* Inline, for the progress thread: times of the last turn and of the last turn with work,
	 * deadline of the next turn. */
	_Atomic uint64_t last_turn, last_busy, due;

	/* Inline: since the application last polled for completions, one request was sent at
	 * once. The next ones are gathered into a burst. */
	_Atomic bool gathers;

	/* Used by the shard's thread only. */
	_Alignas(64) struct rn_shard *shard;
	unsigned index, nshards;
	int cpu;       /* -1: not pinned */
	int pin_error; /* positive errno when the thread could not be pinned, else 0 */
	enum rn_idle idle;
	/* how long to spin without work before sleeping; shortest and longest timed sleep */
	rn_time spin, nap_min, nap_max;
	rn_time nap, last_work; /* length of the next timed sleep; time of the last work */
	struct rn_clock clock;
	rn_time now, timers_seen;  /* time of this turn; when timers were last checked */
	struct rte_rcu_qsbr *qsbr; /* grace periods of the adapter; this thread's id is `index` */
	bool put_off;		   /* the last turn held its ACKs back (may_put_off()) */
	struct rn_rxtx rxtx;
	struct rn_steer steer;
	struct rn_lcore *all; /* the adapter's lcores, nshards of them */
	/* Called at the end of each turn: delivers the shard's events (rn_shard_events()). */
	void (*report)(void *arg, struct rn_lcore *lc);
	void *report_arg;
	struct rn_event event; /* valid if `untold`: an event that is not delivered yet */
	bool untold;	       /* there was no memory to deliver `event`; report() retries */
	struct rn_lcore_stats stats;
	pthread_t thread;
	bool running;
};

/* Makes one turn: takes work requests, frames, commands and timers, and sends. Returns 0 when
 * there was nothing to do. */
unsigned rn_lcore_turn(struct rn_lcore *lc);

/* Inline, any thread: makes a turn unless another thread is making one. Returns whether it made
 * the turn. */
bool rn_lcore_try_turn(struct rn_lcore *lc);

/* Starts and stops the thread (poll, adaptive); under inline no thread is needed. Control thread.
 * Returns 0 or -errno. A thread that cannot be pinned runs unpinned, see pin_error. */
int rn_lcore_start(struct rn_lcore *lc);
void rn_lcore_stop(struct rn_lcore *lc);

/* Any thread: runs `call` in the shard, after all work requests that the calling thread
 * submitted, and waits for it. */
void rn_lcore_call(struct rn_lcore *lc, struct rn_call *call);

/* Any thread: wakes the shard after work was published for it. */
static inline void rn_lcore_ring(struct rn_lcore *lc)
{
	rn_wake_ring(&lc->wake);
}

#endif
