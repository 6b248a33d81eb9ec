/* The progress thread of the inline idle policy. It polls shards when the application makes no
 * calls. So ACKs, the target side of one-sided operations, connections and timers make progress.
 *
 * A shard that no application thread polls is polled every 100 us if work is due, otherwise at
 * least every 1 ms. Right after the application stopped polling, work may wait up to 500 us:
 * the progress thread does not poll a shard within 100 us of the application's last poll, and may
 * then begin one more sleep of 400 us (BUSY_NS). A shard whose traffic only the progress thread
 * serves is polled without pause. */
#ifndef RN_PROGRESS_H
#define RN_PROGRESS_H

#include "port/lcore.h"

struct rn_progress {
	pthread_t thread;
	struct rn_lcore *lcore; /* array of n lcores, not owned */
	unsigned n;
	/* longest time between two polls of a shard; doubles from nap_min to 1 ms while no work
	 * comes */
	rn_time nap;
	_Atomic uint32_t stop;
	_Atomic uint64_t turns; /* number of poll iterations that the progress thread has run */
	/* for each shard: time of the progress thread's last poll, copied from
	 * rn_lcore.last_turn */
	_Atomic uint64_t our_turn[RN_MAX_SHARDS];
	/* for each shard: when the progress thread's last poll with work ended. Such a poll may
	 * take longer than lc->spin, and rn_lcore.last_busy is its beginning. */
	rn_time worked_until[RN_MAX_SHARDS];
	rn_time yielded_at; /* when the progress thread last yielded its CPU */
	bool running;
};

/* Start and stop the progress thread. To be started after rn_lcore_start() and stopped before
 * rn_lcore_stop(), in the control thread. rn_progress_start() returns 0 or -errno. */
int rn_progress_start(struct rn_progress *k, struct rn_lcore *lcore, unsigned n);
void rn_progress_stop(struct rn_progress *k);

#endif
