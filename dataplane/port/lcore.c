/* What does a shard's thread do? It runs poll iterations ("turns") in a loop. Without work it spins
 * or sleeps, depending on the idle policy. Owns the thread. Runs in the thread that holds the lock
 * `turning`: the shard's thread while it is awake, or another thread under the inline policy and
 * while the shard's thread sleeps. */
#include "port/lcore.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

#include <rte_lcore.h>
#include <rte_pause.h>
#include <rte_rcu_qsbr.h>

#include "port/mem.h"
#include "port/thread.h"

#define SUBMIT_SLOTS_PER_TURN 256
#define HANDOFFS_PER_TURN     256
/* Time between two checks of the timers. Timers have a resolution of about 1 us, so more checks
 * gain nothing. */
#define TIMER_STEP RN_US(1)
/* How much later than that the timers are checked while something more urgent is to be done. */
#define TIMER_DELAY RN_US(10)
/* Longest sleep on a port whose peer signals frames (wake source EVENTFD) or whose card interrupts
 * (INTR). A peer or card that does not signal is detected by the first frames that the shard finds
 * without a signal: the interrupts of some cards do not work with DPDK. Also the longest
 * sleep while a port without a peer has frames to send. 10 wakes a second cost less than 0.1 % of
 * a core. */
#define LONGEST_LOOK RN_MS(100)
/* How many sleeps in a row may end with frames that were not signalled, before the shard no longer
 * relies on signals. One may, since the peer signals a frame a little after it has stored it. */
#define UNSIGNALLED_MAX 2
/* How often a thread with a call checks whether an awake shard has run the call, before the thread
 * sleeps: for about 2 us. */
#define CALL_SPINS 50

/* Hands messages to other shards, and wakes every shard to which this poll iteration has handed
 * packets or messages. Rings one doorbell per shard. Returns the number of messages. */
static __attribute__((noinline)) unsigned publish_handoffs(struct rn_lcore *lc)
{
	unsigned n = rn_steer_messages(&lc->steer, lc->shard);

	while (lc->steer.filled != 0) {
		unsigned i = (unsigned)__builtin_ctz(lc->steer.filled);
		lc->steer.filled &= lc->steer.filled - 1;
		rn_lcore_ring(&lc->all[i]);
	}
	return n;
}

/* Receives the packets and messages that other shards handed to this shard. */
static __attribute__((noinline)) unsigned receive_handoffs(struct rn_lcore *lc, rn_time now)
{
	struct rte_mbuf *done[HANDOFFS_PER_TURN];
	unsigned ndone, n;

	n = rn_steer_drain(&lc->steer, lc->shard, done, &ndone, HANDOFFS_PER_TURN, now);
	rn_rxtx_finish(&lc->rxtx, lc->shard, done, ndone);
	return n;
}

/* Should the shard hold its ACKs back until the next poll iteration? Under the inline policy the
 * application waits for the completions that were just published, and will soon poll again, perhaps
 * after posting a reply. ACKs and reply then leave in one burst, and the peer processes both at
 * once. ACKs are held back for one iteration only. */
static bool may_hold_acks(const struct rn_lcore *lc)
{
	return lc->idle == RN_IDLE_INLINE && !lc->acks_held && !rn_rxtx_backlog(&lc->rxtx) &&
	       rn_shard_only_acks(lc->shard);
}

/* Sends, unless `hold` is true, and then publishes completions, events and messages to other
 * shards. This is the second half of a poll iteration. Returns the amount of work done. */
static unsigned send_and_publish(struct rn_lcore *lc, bool hold, rn_time now)
{
	unsigned work = 0;

	lc->acks_held = hold;
	lc->gathered = 0;
	if (!hold)
		work += rn_tx_turn(&lc->rxtx, lc->shard, now);
	rn_shard_done(lc->shard, now);
	if (rn_unlikely(lc->event_waits || !rn_shard_silent(lc->shard)))
		lc->report(lc->report_arg, lc);
	if (lc->nshards > 1)
		work += publish_handoffs(lc);
	if (lc->idle != RN_IDLE_INLINE)
		rte_rcu_qsbr_quiescent(lc->qsbr, lc->index);
	lc->stats.turns++;
	return work;
}

/* Begins a poll iteration. Returns its time. */
static rn_time begin(struct rn_lcore *lc)
{
	rn_time now = rn_clock_now(&lc->clock);

	lc->now = RN_MAX(lc->now, now);
	if (lc->idle == RN_IDLE_INLINE)
		rn_mem_unblock(lc->now);
	return lc->now;
}

/* Notes at the end of a poll iteration whether the shard has anything left to do: ACKs or frames
 * that are held back, or that the port has not taken, or a shard that wants to send. If an
 * iteration found no work although the shard wants to send, an iteration at once would find none
 * either. */
static void note_calm(struct rn_lcore *lc, unsigned work)
{
	const struct rn_rxtx *x = &lc->rxtx;
	bool calm = !lc->acks_held && (work == 0 || x->sent_all) && x->nout + x->nheld == 0;

	lc->idle_left = calm ? RN_CLOCKED_TURN - 1 : 0;
}

/* Runs the timers that are due, if `step` has passed since the last look at them. Returns whether
 * one was due. */
static bool run_timers(struct rn_lcore *lc, rn_time step, rn_time now)
{
	if (now - lc->timers_seen < step)
		return false;
	lc->timers_seen = now;
	if (rn_shard_next(lc->shard) > now)
		return false;
	rn_shard_tick(lc->shard, now);
	return true;
}

/* Runs the commands of other threads. First sends the replies that are owed: a program that has
 * polled a message may destroy its QP at once, and a destroyed QP replies no more. A peer whose
 * last message was not acknowledged would take it for lost. */
static __attribute__((noinline)) unsigned run_commands(struct rn_lcore *lc, rn_time now)
{
	rn_tx_turn(&lc->rxtx, lc->shard, now);
	return rn_mailbox_run(&lc->mailbox, lc, &lc->submit, now);
}

static unsigned turn(struct rn_lcore *lc)
{
	rn_time now = begin(lc);

	/* Process work requests before frames, but take the frames first. Posting a receive rings
	 * no doorbell, and a message must find a receive that was posted before the peer sent the
	 * message, even if this thread is preempted between the two. */
	unsigned work = 0, calls = 0;
	rn_rx_take(&lc->rxtx);
	if (!rn_submit_idle(&lc->submit))
		work = rn_submit_drain(&lc->submit, lc->shard, SUBMIT_SLOTS_PER_TURN, now);
	unsigned came = rn_rx_turn(&lc->rxtx, lc->shard, &lc->steer, now);
	if (lc->nshards > 1)
		came += receive_handoffs(lc, now);
	bool completed = came > 0 && rn_shard_done(lc->shard, now);
	work += came;
	if (!rn_mailbox_empty(&lc->mailbox))
		calls = run_commands(lc, now);
	/* If the application waits for the completions that were just published, its reply comes
	 * before the timers. */
	bool hold = completed && may_hold_acks(lc);
	if (run_timers(lc, hold ? TIMER_DELAY : TIMER_STEP, now)) {
		hold = hold && may_hold_acks(lc);
		work++;
	}
	work += send_and_publish(lc, hold, now);
	lc->stats.calls += calls;
	lc->stats.busy += work + calls > 0;
	note_calm(lc, work + calls);
	return work + calls;
}

/* Runs a poll iteration of a shard that has nothing to do: looks for frames, work requests,
 * commands and messages. Returns false if there are any, or if time may have brought work (expired
 * timers, frames that impairment holds back, a port that takes frames again, memory for an event);
 * then a whole poll iteration has to follow. */
static bool idle_turn(struct rn_lcore *lc)
{
	if (lc->idle_left == 0 || !rn_submit_idle(&lc->submit) || !rn_mailbox_empty(&lc->mailbox) ||
	    (lc->nshards > 1 && !rn_steer_empty(&lc->steer)) || !rn_rx_quiet(&lc->rxtx))
		return false;
	if (lc->idle != RN_IDLE_INLINE)
		rte_rcu_qsbr_quiescent(lc->qsbr, lc->index);
	lc->idle_left--;
	lc->stats.turns++;
	return true;
}

/* Sends what was posted, with the ACKs that the last poll iteration held back, and takes no frames.
 * Running this instead of a whole poll iteration lets a lone request leave sooner. */
static unsigned send_only(struct rn_lcore *lc)
{
	unsigned work = send_and_publish(lc, false, begin(lc));

	note_calm(lc, work);
	/* An idle poll may follow each request, and timers must still run. They may have packets
	 * sent: the next poll iteration is then a whole one. */
	if (run_timers(lc, TIMER_STEP, lc->now)) {
		lc->idle_left = 0;
		work++;
	}
	lc->stats.busy += work > 0;
	return work;
}

/* Runs a function of this file in the calling thread, under the lcore id of the shard. Under the
 * inline policy the caller may be an application's thread with its own lcore id, which is set again
 * afterwards. */
static unsigned run_as_shard(struct rn_lcore *lc, unsigned (*what)(struct rn_lcore *))
{
	unsigned former = RTE_PER_LCORE(_lcore_id);

	RTE_PER_LCORE(_lcore_id) = lc->rxtx.lcore_id;
	unsigned work = what(lc);
	RTE_PER_LCORE(_lcore_id) = former;
	return work;
}

/* idle_turn() under the lcore id of the shard. */
static bool stays_idle(struct rn_lcore *lc)
{
	unsigned former = RTE_PER_LCORE(_lcore_id);

	RTE_PER_LCORE(_lcore_id) = lc->rxtx.lcore_id;
	bool idle = idle_turn(lc);
	RTE_PER_LCORE(_lcore_id) = former;
	return idle;
}

unsigned rn_lcore_turn(struct rn_lcore *lc)
{
	return stays_idle(lc) ? 0 : run_as_shard(lc, turn);
}

/* Returns the deadline of the next poll iteration, or 0 if the shard must be polled at once. To be
 * called after an iteration without work. */
static rn_time due(struct rn_lcore *lc)
{
	if (rn_rxtx_backlog(&lc->rxtx) || rn_shard_wants_tx(lc->shard, lc->now))
		return 0;
	rn_time timer = rn_shard_next(lc->shard), held = rn_rxtx_next(&lc->rxtx);

	return RN_MIN(timer, held);
}

/* Do received frames wake the shard? On a memif port without a peer there are no frames, and the
 * port rings the shard's doorbell when it has a peer. */
static bool frames_wake(const struct rn_lcore *lc)
{
	const struct rn_port *port = lc->rxtx.port;

	if (port->wake->source == RN_WAKE_INTR)
		return lc->unsignalled < UNSIGNALLED_MAX;
	if (port->wake->source == RN_WAKE_QUEUE)
		return lc->wake.source == RN_WAKE_QUEUE && !lc->wake.unread;
	if (port->wake->source != RN_WAKE_EVENTFD)
		return port->wake->source != RN_WAKE_TIMED;
	return atomic_load_explicit(&port->quiet, memory_order_acquire) ||
	       (lc->unsignalled < UNSIGNALLED_MAX &&
		atomic_load_explicit(&lc->wake.flags, memory_order_relaxed) != NULL);
}

/* Returns true if the driver may have no empty mbufs. A memif peer and a network card then have
 * nowhere to put frames, and do not signal any. */
static bool starves(const struct rn_lcore *lc)
{
	return rn_wake_is_signalled(&lc->wake) && rn_rxtx_short(&lc->rxtx);
}

/* Adaptive policy, after a poll iteration in another thread: must the shard's sleeping thread
 * be woken? That thread does not know of a timer that was started meanwhile. On a port that
 * cannot wake a sleeper, the thread must begin with short sleeps if frames were sent, because
 * the peer will reply to them. If frames came, the driver may have read the eventfd with which
 * the peer signalled them, so that it no longer wakes the thread, and more frames may be left
 * in the ring. An event that could not be queued (`event_waits`) is tried again only by turns.
 * `sent` and `came` are the frames sent and received before the iteration. */
static bool sleeps_too_long(struct rn_lcore *lc, uint64_t sent, uint64_t came)
{
	if (lc->event_waits)
		return true;
	if ((lc->wake.source == RN_WAKE_EVENTFD && lc->rxtx.stats.rx_frames != came) || starves(lc))
		return true;
	if (lc->rxtx.stats.tx_frames != sent && !frames_wake(lc)) {
		lc->nap = lc->nap_min;
		return true;
	}
	return due(lc) < lc->wakes_at;
}

/* Takes the lock of the poll loop. Returns false if another thread has it. */
static bool lock_shard(struct rn_lcore *lc)
{
	return atomic_load_explicit(&lc->turning, memory_order_relaxed) == 0 &&
	       atomic_exchange_explicit(&lc->turning, 1, memory_order_acquire) == 0;
}

static void unlock_shard(struct rn_lcore *lc)
{
	atomic_store_explicit(&lc->turning, 0, memory_order_release);
}

/* Runs a poll iteration, or a part of one, outside the shard's thread, and leaves word for the
 * progress thread. The caller holds the lock of the poll loop. */
static __attribute__((noinline)) void run_outside(struct rn_lcore *lc,
						  unsigned (*what)(struct rn_lcore *))
{
	/* Under the inline policy the lock of the poll loop takes the place of RCU
	 * (rn_lcore_pass()). */
	bool rcu = lc->idle != RN_IDLE_INLINE;

	if (rcu)
		rte_rcu_qsbr_thread_online(lc->qsbr, lc->index);
	unsigned work = run_as_shard(lc, what);
	rn_mem_restore();
	if (work > 0)
		atomic_store_explicit(&lc->last_busy, lc->now, memory_order_relaxed);
	if (rcu)
		rte_rcu_qsbr_thread_offline(lc->qsbr, lc->index);
	atomic_store_explicit(&lc->last_turn, lc->now, memory_order_relaxed);
	atomic_store_explicit(&lc->due, work > 0 ? 0 : due(lc), memory_order_relaxed);
}

/* Runs a whole poll iteration outside the shard's thread, releases the lock, and wakes the shard's
 * sleeping thread if that is necessary. */
static void run_and_unlock(struct rn_lcore *lc)
{
	/* idle_turn() may have taken frames already, which are counted. */
	uint64_t sent = lc->rxtx.stats.tx_frames, came = lc->rxtx.stats.rx_frames - lc->rxtx.nin;

	run_outside(lc, turn);
	bool wake = lc->idle == RN_IDLE_ADAPTIVE && sleeps_too_long(lc, sent, came);
	unlock_shard(lc);
	if (wake)
		rn_lcore_ring(lc);
}

bool rn_lcore_try_turn(struct rn_lcore *lc)
{
	if (!lock_shard(lc))
		return false;
	if (stays_idle(lc))
		unlock_shard(lc);
	else
		run_and_unlock(lc);
	return true;
}

bool rn_lcore_try_whole_turn(struct rn_lcore *lc)
{
	if (!lock_shard(lc))
		return false;
	run_and_unlock(lc);
	return true;
}

/* Leaves a work request that is now in its send queue to the next poll iteration. */
static inline void await_turn(struct rn_lcore *lc)
{
	lc->idle_left = 0;
	atomic_store_explicit(&lc->due, 0, memory_order_relaxed);
}

/* Decides when n work requests that are now in their send queue are sent: at once, if they are the
 * first after the application has polled a CQ; else when a burst is full or the application polls a
 * CQ again. If neither happens, the progress thread sends. */
static inline void send_or_gather(struct rn_lcore *lc, unsigned n)
{
	if (!atomic_load_explicit(&lc->gathers, memory_order_relaxed)) {
		atomic_store_explicit(&lc->gathers, true, memory_order_relaxed);
		run_outside(lc, send_only);
	} else if (rn_unlikely((lc->gathered += n) >= lc->rxtx.burst)) {
		run_outside(lc, turn);
	} else {
		await_turn(lc);
	}
}

/* rn_lcore_post_plain() for a receive. */
static inline bool receive_plain(struct rn_lcore *lc, const struct rn_wqe *wqe)
{
	if (!lock_shard(lc))
		return false;
	bool taken = rn_submit_idle(&lc->submit) && rn_shard_take_receive(lc->shard, wqe);
	unlock_shard(lc);
	return taken;
}

/* rn_lcore_post_plain() for any other work request. */
static inline bool request_plain(struct rn_lcore *lc, const struct rn_wqe *wqe)
{
	if (!atomic_load_explicit(&lc->gathers, memory_order_relaxed) || !lock_shard(lc))
		return false;
	/* `gathers` again: another thread may have polled before this one had the lock. */
	bool taken = atomic_load_explicit(&lc->gathers, memory_order_relaxed) &&
		     rn_submit_idle(&lc->submit) && lc->gathered + 1 < lc->rxtx.burst &&
		     rn_shard_take_request(lc->shard, wqe);
	if (rn_likely(taken)) {
		lc->gathered++;
		await_turn(lc);
	}
	unlock_shard(lc);
	return taken;
}

bool rn_lcore_post_plain(struct rn_lcore *lc, const struct rn_wqe *wqe)
{
	return wqe->kind == RN_WQE_RECV ? receive_plain(lc, wqe) : request_plain(lc, wqe);
}

bool rn_lcore_post(struct rn_lcore *lc, const struct rn_wqe *wqe)
{
	if (!lock_shard(lc))
		return false;
	/* rn_submit_idle() and not rn_submit_empty(): an unfinished enqueue of another thread may
	 * hide a work request that this thread has put into the ring behind it. */
	bool taken = rn_submit_idle(&lc->submit) && rn_shard_take(lc->shard, wqe);
	if (taken && wqe->kind != RN_WQE_RECV)
		send_or_gather(lc, 1);
	unlock_shard(lc);
	return taken;
}

uint32_t rn_lcore_post_list(struct rn_lcore *lc, const struct rn_wqe *wqe, uint32_t n)
{
	uint32_t taken = 0;

	if (!lock_shard(lc))
		return 0;
	if (rn_likely(rn_submit_idle(&lc->submit)))
		taken = rn_shard_take_list(lc->shard, wqe, n);
	if (taken > 0 && wqe->kind != RN_WQE_RECV)
		send_or_gather(lc, taken);
	unlock_shard(lc);
	return taken;
}

/* Returns for how many nanoseconds the shard may sleep after a poll iteration without work.
 * RN_TIME_NEVER means until a doorbell is rung. `fresh` tells whether the peer was asked just now
 * to signal frames (rn_wake_listen()). */
static rn_time sleep_length(struct rn_lcore *lc, bool fresh)
{
	bool quiet = atomic_load_explicit(&lc->rxtx.port->quiet, memory_order_acquire);
	rn_time next = RN_MIN(rn_shard_next(lc->shard), rn_rxtx_next(&lc->rxtx));
	rn_time ns = next == RN_TIME_NEVER ? next : next > lc->now ? next - lc->now : 0;

	/* Frames or an event may still wait because the port's queue was full, or mbufs or memory
	 * were short. No doorbell is rung when this shortage ends, so look again, at first
	 * soon. A port that waits for its first peer takes no frame for as long as that lasts. */
	bool looks = rn_rxtx_backlog(&lc->rxtx) || rn_shard_wants_tx(lc->shard, lc->now) ||
		     lc->event_waits || !frames_wake(lc) || starves(lc);
	/* Do not sleep while a producer is still putting a work request into the submission ring.
	 * Later work requests in the ring cannot be taken yet, although their producers have rung
	 * the doorbell already. The producer of a receive rings no doorbell at all. */
	if (!rn_mailbox_empty(&lc->mailbox) || !rn_submit_idle(&lc->submit))
		return 0;
	rn_time longest = RN_MAX(lc->nap_max, LONGEST_LOOK);
	if (looks) {
		ns = RN_MIN(ns, lc->nap);
		lc->nap = RN_MIN(lc->nap * 2, quiet && !lc->event_waits ? longest : lc->nap_max);
	} else if (rn_wake_is_signalled(&lc->wake) && !quiet) {
		/* A peer that has just stored a frame may have read the flags of the ring before
		 * they changed, while the frame was still in its store buffer and the last check
		 * missed it. So look again soon. */
		ns = RN_MIN(ns, fresh ? lc->nap_min : longest);
	}
	return ns;
}

/* Takes the lock of the poll loop. Waits while another thread runs a poll iteration, which is
 * short. If that thread was preempted, yielding might not let it run: its priority may be lower. */
static void take_lock_back(struct rn_lcore *lc)
{
	const struct timespec pause = {.tv_nsec = 20000};

	for (unsigned i = 0; atomic_exchange_explicit(&lc->turning, 1, memory_order_acquire) != 0;
	     i++) {
		if (i < 64)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}

void rn_lcore_pass(struct rn_lcore *lc)
{
	take_lock_back(lc);
	unlock_shard(lc);
}

/* A poll iteration of the shard's thread has found work: the shard stays awake. */
static void found_work(struct rn_lcore *lc)
{
	lc->last_work = lc->now;
	lc->nap = lc->nap_min;
	rn_wake_ignore(&lc->wake);
}

/* Wake sources EVENTFD and INTR, after a sleep that nothing has ended but time: are there frames
 * for which the eventfd was not written? */
static void check_for_signals(struct rn_lcore *lc)
{
	/* Look before the turn, in which the driver may read the eventfd. */
	bool signalled = rn_wake_pending(&lc->wake);
	uint64_t before = lc->rxtx.stats.rx_frames;

	if (rn_lcore_turn(lc) > 0)
		found_work(lc);
	if (signalled)
		lc->unsignalled = 0;
	else if (lc->rxtx.stats.rx_frames != before)
		lc->unsignalled = RN_MIN(lc->unsignalled + 1, UNSIGNALLED_MAX);
}

/* For wake source QUEUE, to be called after a sleep. If the queue's descriptor has woken the shard,
 * the driver should have frames. If the driver has none, the next sleep is a timed one: net_tap
 * does not read its interface before another thread has taken the signal for the frame. */
static void check_queue(struct rn_lcore *lc)
{
	bool found = lc->wake.signalled && rn_lcore_turn(lc) > 0;

	if (found)
		found_work(lc);
	lc->wake.unread = lc->wake.signalled && !found;
}

static void try_to_sleep(struct rn_lcore *lc)
{
	bool fresh = rn_wake_listen(&lc->wake);

	rn_wake_announce(&lc->wake);
	/* rn_wake_announce() requires a last check of all inputs, and sleep_length() the current
	 * time, so run a whole poll iteration. */
	lc->idle_left = 0;
	rn_time ns = rn_lcore_turn(lc) > 0 ? 0 : sleep_length(lc, fresh);
	if (ns == 0 || atomic_load_explicit(&lc->stop, memory_order_relaxed)) {
		rn_wake_cancel(&lc->wake);
		return;
	}
	rte_rcu_qsbr_thread_offline(lc->qsbr, lc->index);
	lc->stats.sleeps++;
	lc->wakes_at = ns == RN_TIME_NEVER ? ns : lc->now + ns;
	atomic_store_explicit(&lc->turning, 0, memory_order_release);
	bool rung = rn_wake_wait(&lc->wake, ns);
	take_lock_back(lc);
	rte_rcu_qsbr_thread_online(lc->qsbr, lc->index);
	lc->stats.rung += rung;
	if (lc->wake.source == RN_WAKE_QUEUE)
		check_queue(lc);
	else if (lc->wake.signalled)
		lc->unsignalled = 0;
	else if (!rung && rn_wake_is_signalled(&lc->wake))
		check_for_signals(lc);
	/* After a doorbell, spin as if work had just been found. After a timeout, poll once and
	 * sleep again. */
	if (rung)
		lc->last_work = lc->now = RN_MAX(lc->now, rn_clock_now(&lc->clock));
}

/* Sets the thread's name, its signals and a timer slack of 1 us. The default slack of 50 us would
 * lengthen every timed sleep. */
static void set_up_thread(const struct rn_lcore *lc)
{
	char name[16];

	snprintf(name, sizeof(name), "rn-shard%u", lc->index);
	rn_thread_set_up(name);
	prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

static void *loop(void *arg)
{
	struct rn_lcore *lc = arg;

	set_up_thread(lc);
	rte_rcu_qsbr_thread_online(lc->qsbr, lc->index);
	while (!atomic_load_explicit(&lc->stop, memory_order_relaxed)) {
		if (rn_lcore_turn(lc) > 0) {
			found_work(lc);
		} else if (lc->idle == RN_IDLE_ADAPTIVE && lc->now - lc->last_work >= lc->spin) {
			try_to_sleep(lc);
		}
	}
	rte_rcu_qsbr_thread_offline(lc->qsbr, lc->index);
	return NULL;
}

/* Pins the shard's new thread. Runs in the thread that called rn_lcore_start(), because only that
 * thread can return the error to the caller. */
static int pin(const struct rn_lcore *lc)
{
	cpu_set_t cpus;

	if (lc->cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	CPU_SET((unsigned)lc->cpu, &cpus);
	return pthread_setaffinity_np(lc->thread, sizeof(cpus), &cpus);
}

int rn_lcore_start(struct rn_lcore *lc)
{
	atomic_store(&lc->stop, 0);
	lc->nap = lc->nap_min;
	lc->now = lc->last_work = rn_clock_now(&lc->clock);
	rte_rcu_qsbr_thread_register(lc->qsbr, lc->index);
	if (lc->idle == RN_IDLE_INLINE)
		return 0;
	atomic_store(&lc->turning, 1); /* on behalf of the new thread */
	int err = -pthread_create(&lc->thread, NULL, loop, lc);
	lc->running = err == 0;
	if (err == 0)
		lc->pin_error = pin(lc);
	return err;
}

void rn_lcore_stop(struct rn_lcore *lc)
{
	if (lc->running) {
		atomic_store(&lc->stop, 1);
		rn_lcore_ring(lc);
		pthread_join(lc->thread, NULL);
		lc->running = false;
	}
	rte_rcu_qsbr_thread_unregister(lc->qsbr, lc->index);
}

/* Adaptive policy: runs the call in this thread if the shard's thread sleeps. To wake that thread
 * and wait for it would cost two context switches. Returns false if the shard's thread is awake. */
static bool run_here(struct rn_lcore *lc, const struct rn_call *call)
{
	while (!rn_call_done(call)) {
		rn_mem_unblock(rn_clock_now(&lc->clock));
		if (!rn_lcore_try_whole_turn(lc)) {
			rn_mem_restore();
			return false;
		}
		/* The call waits while another thread is still submitting a work request. */
		if (rn_unlikely(!rn_call_done(call)))
			sched_yield();
	}
	return true;
}

/* Adaptive policy: returns true if the call has run soon, either here or in the shard's thread,
 * which may be awake on another CPU. */
static bool run_soon(struct rn_lcore *lc, const struct rn_call *call)
{
	for (unsigned i = 0; i < CALL_SPINS; i++) {
		if (run_here(lc, call))
			return true;
		rte_pause();
	}
	return false;
}

void rn_lcore_call(struct rn_lcore *lc, struct rn_call *call)
{
	rn_mailbox_post(&lc->mailbox, call, &lc->submit);
	if (lc->idle == RN_IDLE_ADAPTIVE && run_soon(lc, call))
		return;
	if (lc->idle != RN_IDLE_INLINE) {
		rn_lcore_ring(lc);
		rn_call_wait(call);
		return;
	}
	while (!rn_call_done(call))
		if (!rn_lcore_try_turn(lc))
			sched_yield();
}
