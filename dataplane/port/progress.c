/* The progress thread, one per adapter. Under the inline policy it polls the shards while the
 * application does other work, and sleeps most of the time. Like the application's threads it polls
 * through rn_lcore_try_turn(), so that only one thread polls a shard at a time. */
#include "port/progress.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "port/thread.h"

#define IDLE_NS RN_MS(1)   /* a shard without work must be polled again within this time */
#define DUE_NS	RN_US(100) /* a shard with work must be polled again within this time */
/* Longest sleep of the progress thread while the application polls. Sleeps of 100 us would cost too
 * much: with two busy adapters, the wake-ups took 6 % of the CPU time (profiled). */
#define BUSY_NS RN_US(400)
/* How long the progress thread may poll and find work before it yields its CPU to the application.
 * A yield after each poll took 6 % of the time of a thread that places large WRITEs (profiled). */
#define YIELD_NS RN_US(40)

static rn_time last_turn(struct rn_lcore *lc)
{
	return atomic_load_explicit(&lc->last_turn, memory_order_relaxed);
}

/* Has a thread of the application, or another shard, left work for the next poll? */
static bool work_waits(struct rn_lcore *lc)
{
	return !rn_submit_idle(&lc->submit) || !rn_mailbox_empty(&lc->mailbox) ||
	       !rn_steer_empty(&lc->steer);
}

/* Does the progress thread alone serve the shard's traffic? An example is a peer's WRITEs while the
 * application sleeps. The progress thread then polls without pause until no work has come for
 * lc->spin. */
static bool only_progress_thread_serves(struct rn_progress *k, unsigned i, rn_time now)
{
	struct rn_lcore *lc = &k->lcore[i];
	rn_time busy = atomic_load_explicit(&lc->last_busy, memory_order_relaxed);

	/* True if the progress thread was the last to poll the shard, and the shard had work less
	 * than lc->spin ago. */
	return last_turn(lc) == atomic_load_explicit(&k->our_turn[i], memory_order_relaxed) &&
	       RN_MAX(busy, k->worked_until[i]) + lc->spin > now;
}

/* Polls a shard. Returns false if another thread is polling it. Sets *worked if there was work. */
static bool poll_shard(struct rn_progress *k, unsigned i, bool *worked)
{
	struct rn_lcore *lc = &k->lcore[i];

	if (!rn_lcore_try_whole_turn(lc))
		return false;
	atomic_store_explicit(&k->our_turn[i], last_turn(lc), memory_order_relaxed);
	atomic_fetch_add_explicit(&k->turns, 1, memory_order_relaxed);
	if (atomic_load_explicit(&lc->last_busy, memory_order_relaxed) == last_turn(lc)) {
		k->worked_until[i] = rn_clock_now(&lc->clock);
		*worked = true;
	}
	return true;
}

/* Yields the CPU to the application, which may wait for this CPU and be about to poll the shard.
 * `worked` tells whether a poll that began at `now` has found work. */
static void yield(struct rn_progress *k, bool worked, rn_time now)
{
	if (worked && now - k->yielded_at < YIELD_NS)
		return;
	sched_yield();
	k->yielded_at = now;
}

/* Returns the time by which the shard must be polled again. `rung` tells whether the shard's
 * doorbell was rung since the last poll. */
static rn_time deadline(struct rn_progress *k, unsigned i, bool rung, rn_time now)
{
	struct rn_lcore *lc = &k->lcore[i];

	if (only_progress_thread_serves(k, i, now)) {
		k->nap = lc->nap_min;
		return now;
	}
	rn_time due = atomic_load_explicit(&lc->due, memory_order_relaxed);

	if (rung || work_waits(lc))
		due = now;
	return RN_MIN(last_turn(lc) + k->nap, RN_MAX(due, last_turn(lc) + DUE_NS));
}

static void nap(rn_time ns)
{
	struct timespec ts = {.tv_nsec = (long)ns};

	nanosleep(&ts, NULL);
}

/* Sleeps until the doorbell of a shard is rung or the time `next` comes. Sets bit i of *rung if the
 * doorbell of shard i was rung. Used only while no application thread polls. */
static void sleep_on_all(struct rn_progress *k, rn_time next, uint32_t *rung, rn_time now)
{
	struct pollfd fds[RN_MAX_SHARDS];
	uint64_t count;

	for (unsigned i = 0; i < k->n; i++) {
		rn_wake_announce(&k->lcore[i].wake);
		fds[i] = (struct pollfd){.fd = k->lcore[i].wake.efd, .events = POLLIN};
		if (work_waits(&k->lcore[i]))
			next = now;
	}
	struct timespec ts = {.tv_nsec = (long)RN_MIN(next > now ? next - now : 0, IDLE_NS)};
	ppoll(fds, k->n, &ts, NULL);
	for (unsigned i = 0; i < k->n; i++) {
		rn_wake_cancel(&k->lcore[i].wake);
		if ((fds[i].revents & POLLIN) && read(fds[i].fd, &count, sizeof(count)) > 0)
			*rung |= 1u << i;
	}
}

/* Sets the name, the signal mask and the timer slack of the progress thread. The default slack of
 * 50 us would lengthen every sleep. */
static void set_up_thread(void)
{
	rn_thread_set_up("rn-progress");
	prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

static void *run(void *arg)
{
	struct rn_progress *k = arg;
	uint32_t rung = 0;
	rn_time doze = DUE_NS;

	set_up_thread();
	while (!atomic_load_explicit(&k->stop, memory_order_relaxed)) {
		rn_time now = rn_clock_now(&k->lcore[0].clock), next = now + IDLE_NS;
		bool alone = true, worked = false;

		for (unsigned i = 0; i < k->n; i++) {
			struct rn_lcore *lc = &k->lcore[i];
			rn_time mine = atomic_load_explicit(&k->our_turn[i], memory_order_relaxed);
			alone = alone && last_turn(lc) == mine;
			if (deadline(k, i, rung >> i & 1, now) <= now && poll_shard(k, i, &worked))
				rung &= ~(1u << i);
			next = RN_MIN(next, deadline(k, i, rung >> i & 1, now));
		}
		if (next <= now) {
			yield(k, worked, now);
			continue;
		}
		/* If no other thread has polled a shard since the previous iteration (`alone`),
		 * sleep until a doorbell is rung. Otherwise the application polls and no doorbell
		 * needs to wake the progress thread. Then sleep without waiting for doorbells, so
		 * that ringing costs no system call. */
		if (alone) {
			doze = DUE_NS;
			sleep_on_all(k, next, &rung, now);
			k->nap = RN_MIN(2 * k->nap, IDLE_NS);
		} else {
			nap(doze);
			doze = RN_MIN(doze * 2, BUSY_NS);
		}
	}
	return NULL;
}

int rn_progress_start(struct rn_progress *k, struct rn_lcore *lcore, unsigned n)
{
	rn_assert(n >= 1 && n <= RN_MAX_SHARDS);
	k->lcore = lcore;
	k->n = n;
	k->nap = IDLE_NS;
	atomic_store(&k->stop, 0);
	int err = -pthread_create(&k->thread, NULL, run, k);
	k->running = err == 0;
	return err;
}

void rn_progress_stop(struct rn_progress *k)
{
	if (!k->running)
		return;
	atomic_store(&k->stop, 1);
	pthread_join(k->thread, NULL);
	k->running = false;
}
