/* A shard, the thread that polls the shard, and the loop of that thread. A "turn" is one iteration
 * of the poll loop (rn_lcore_turn()). Only the shard's thread uses the fields and functions below,
 * unless a comment says otherwise.
 * Under the inline policy a shard has no thread of its own. Any thread that gets the lock `turning`
 * acts as the shard's thread for one turn. */
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
#define RN_IDLE_ROWS(X) /* the idle policies: name, who polls a shard and when */ \
	X(POLL,     "spins") \
	X(ADAPTIVE, "spins, then sleeps until the next timer or a wake source") \
	X(INLINE,   "application threads run the shard; when they do not, the progress thread does")
#define RN_LCORE_STAT_ROWS(X) /* the counters of a shard: name, description */ \
	X(turns,  "poll iterations (turns) of the shard") \
	X(busy,   "poll iterations that found work") \
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
	/* Any thread may use the members from here to `gathers`. */
	_Alignas(64) struct rn_submit submit;
	struct rn_mailbox mailbox;
	struct rn_wake wake;
	_Atomic uint32_t stop;
	/* Lock of the poll loop. Under the inline policy 1 while a thread polls. Else the shard's
	 * thread has the lock whenever it is awake. */
	_Atomic uint32_t turning;
	/* Inline policy, for the progress thread: time of the last poll iteration, time of the last
	 * poll iteration with work, and deadline of the next poll iteration. */
	_Atomic uint64_t last_turn, last_busy, due;

	/* Inline policy: true while posted SENDs, READs and so on wait until they fill a burst.
	 * Without waiting, each burst would have only one frame. While `gathers` is false, the next
	 * work request is sent at once and sets `gathers`. Polling a CQ clears `gathers`. */
	_Atomic bool gathers;

	/* Only the shard's thread uses the members from here on. */
	_Alignas(64) struct rn_shard *shard;
	unsigned index, nshards;
	int cpu;       /* CPU to run on, or -1 if the thread is not pinned */
	int pin_error; /* positive errno if the thread could not be pinned, else 0 */
	enum rn_idle idle;
	/* how long to spin without work before sleeping, and the shortest and the longest timed
	 * sleep */
	rn_time spin, nap_min, nap_max;
	rn_time nap, last_work; /* length of the next timed sleep; time when work was last found */
	struct rn_clock clock;
	rn_time now, timers_seen; /* time of this poll iteration; time of the last timer check */
	/* RCU state of the adapter; the shard's thread has the id `index` */
	struct rte_rcu_qsbr *qsbr;
	rn_time wakes_at; /* adaptive policy: when the sleeping thread wakes up by itself */
	/* Wake sources EVENTFD and INTR: how many sleeps in a row have ended with frames for which
	 * the eventfd was not written. From UNSIGNALLED_MAX on the shard looks for frames as on a
	 * port without wake source, until the eventfd is written. */
	unsigned unsignalled;
	bool acks_held; /* the last poll iteration held ACKs back (may_hold_acks()) */
	/* number of work requests that rn_lcore_post() has put into send queues since the last poll
	 * iteration */
	unsigned gathered;
	/* How many idle poll iterations (idle_turn()) may follow until the next whole one. 0 if the
	 * shard has something to do. */
	unsigned idle_left;
	struct rn_rxtx rxtx;
	struct rn_steer steer;
	struct rn_lcore *all; /* array of the adapter's nshards lcores */
	/* Called at the end of each poll iteration. Delivers the shard's events
	 * (rn_shard_events()). */
	void (*report)(void *arg, struct rn_lcore *lc);
	void *report_arg;
	struct rn_event event; /* event that is not yet delivered, if `event_waits` is set */
	bool event_waits;      /* there was no memory to deliver `event`, so report() retries */
	struct rn_lcore_stats stats;
	pthread_t thread;
	bool running;
};

/* Runs one poll iteration. Takes work requests, received frames, commands and expired timers, and
 * sends frames. Returns 0 if there was nothing to do.
 * An iteration after one without work looks only for new work. If there is none, it reads no clock,
 * so that it costs next to nothing; every RN_CLOCKED_TURN-th iteration is a whole one again. */
#define RN_CLOCKED_TURN 16
unsigned rn_lcore_turn(struct rn_lcore *lc);

/* Runs one poll iteration of the shard, unless another thread has the lock `turning`. Returns true
 * if the iteration was run. Any thread may call this function. */
bool rn_lcore_try_turn(struct rn_lcore *lc);
/* Like rn_lcore_try_turn(), but the poll iteration is a whole one. For the progress thread, which
 * runs the timers, and for threads with a command. */
bool rn_lcore_try_whole_turn(struct rn_lcore *lc);

/* Inline policy: puts a work request straight into the queue of its QP, without the submission
 * ring, and sends it as `gathers` says. Returns false, without any effect, in three cases, in which
 * the caller puts the work request into the submission ring:
 * - another thread is polling the shard
 * - a work request in the submission ring, perhaps of this thread, must come first
 * - the QP's queue does not take the work request (rn_shard_take())
 * Any thread may call this function. */
bool rn_lcore_post(struct rn_lcore *lc, const struct rn_wqe *wqe);
/* rn_lcore_post() for a work request of one slot and one SGE that need not be sent at once. Returns
 * false, without any effect, for any other; rn_lcore_post() then decides. */
bool rn_lcore_post_plain(struct rn_lcore *lc, const struct rn_wqe *wqe);
/* rn_lcore_post() for a list of work requests as in rn_link_ops.submit_list(). Returns how many of
 * the first ones are in their queue. The caller puts the others into the submission ring. If the
 * first work request is to be sent at once, all of them are. */
uint32_t rn_lcore_post_list(struct rn_lcore *lc, const struct rn_wqe *wqe, uint32_t n);

/* Inline policy: waits until the poll iteration that another thread is running, if any, has ended.
 * Every later poll iteration sees what this thread has written. Any thread may call this function
 * that is not polling the shard itself. */
void rn_lcore_pass(struct rn_lcore *lc);

/* rn_lcore_start() registers the shard with RCU and starts the shard's thread. rn_lcore_stop() ends
 * the thread and unregisters the shard. Under the inline policy there is no thread. To be called in
 * the control thread.
 * rn_lcore_start() returns 0 or -errno. If the thread cannot be pinned, the thread runs unpinned
 * and pin_error is set. */
int rn_lcore_start(struct rn_lcore *lc);
void rn_lcore_stop(struct rn_lcore *lc);

/* Runs `call` in the shard, after all work requests that the calling thread has submitted. The
 * calling thread runs the call itself under the inline policy, or if the shard's thread sleeps.
 * Returns when the call has run. Any thread may call this function. */
void rn_lcore_call(struct rn_lcore *lc, struct rn_call *call);

/* Wakes the shard. To be called by any thread that has published work for the shard. */
static inline void rn_lcore_ring(struct rn_lcore *lc)
{
	rn_wake_ring(&lc->wake);
}

#endif
