/* A shard and the thread that drives it: the loop. Everything in here belongs to that thread unless a line says
 * otherwise. Under the inline policy there is no thread of its own: whoever gets the turn lock is it for one turn. */
#ifndef RN_LCORE_H
#define RN_LCORE_H

#include <pthread.h>

#include "clock.h"
#include "core.h"
#include "mailbox.h"
#include "rxtx.h"
#include "steer.h"
#include "submit.h"
#include "wake.h"

struct rte_rcu_qsbr;

/* clang-format off */
#define RN_IDLE_ROWS(X) /* name, text */ \
	X(POLL,     "spins") \
	X(ADAPTIVE, "spins, then sleeps until the next timer or a wake source") \
	X(INLINE,   "application threads make the turns, a keeper helps out")
#define RN_LCORE_STAT_ROWS(X) /* name, text */ \
	X(turns,  "turns of the loop") \
	X(busy,   "turns that found work") \
	X(sleeps, "times the shard slept") \
	X(rung,   "sleeps ended by a doorbell, a peer or a frame") \
	X(calls,  "commands and other calls run")
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
	/* any thread */
	_Alignas(64) struct rn_submit submit;
	struct rn_mailbox mailbox;
	struct rn_wake wake;
	_Atomic uint32_t stop;
	_Atomic uint32_t turning;  /* inline: the turn lock */
	_Atomic uint64_t last_turn, last_busy, due; /* inline: for the keeper */

	_Atomic bool gathers;      /* inline: a request left by its own turn since the last look for completions */

	/* the shard's thread */
	_Alignas(64) struct rn_shard *shard;
	unsigned index, nshards;
	int cpu;                   /* -1: not pinned */
	int pin_error;             /* of rn_lcore_start(): why the thread is not on `cpu`, a positive errno; else 0 */
	enum rn_idle idle;
	rn_time spin, nap_min, nap_max, nap, last_work;
	struct rn_clock clock;
	rn_time now, timers_seen;
	struct rte_rcu_qsbr *qsbr; /* of the adapter; our id is `index` */
	bool put_off;              /* the last turn sent nothing although ACKs were owed */
	struct rn_rxtx rxtx;
	struct rn_steer steer;
	struct rn_lcore *all;      /* the adapter's lcores, nshards of them */
	void (*report)(void *arg, struct rn_lcore *lc); /* end of turn: take rn_shard_events() */
	void *report_arg;
	struct rn_event event;     /* of report: taken from the shard, not yet told for want of memory */
	bool untold;
	struct rn_lcore_stats stats;
	pthread_t thread;
	bool running;
};

/* One turn. Returns 0 when there was nothing to do. */
unsigned rn_lcore_turn(struct rn_lcore *lc);

/* Inline: a turn by the calling thread if nobody else is at it. True when it made one. */
bool rn_lcore_try_turn(struct rn_lcore *lc);

/* Starts and stops the thread (poll, adaptive); does nothing for inline. 0 or -errno. A thread that cannot be pinned
 * works all the same, see pin_error. */
int rn_lcore_start(struct rn_lcore *lc);
void rn_lcore_stop(struct rn_lcore *lc);

/* Any thread: run `call` in the shard after all that this thread submitted, and wait for it. */
void rn_lcore_call(struct rn_lcore *lc, struct rn_call *call);

/* Any thread: the shard has something to look at. */
static inline void rn_lcore_ring(struct rn_lcore *lc)
{
	rn_wake_ring(&lc->wake);
}

#endif
