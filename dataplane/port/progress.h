/* The progress thread of the inline idle policy. It polls a shard that no application thread has
 * polled for some time: 100 us if work is due, at most 1 ms if none is due. Right after the
 * application stopped polling, work may wait up to 500 us, because the progress thread may be in a
 * sleep of 400 us (BUSY_NS). While only the progress thread serves traffic, it polls without pause.
 * So ACKs, the target side of one-sided operations, connections and timers make progress even when
 * the application makes no calls. */
#ifndef RN_PROGRESS_H
#define RN_PROGRESS_H

#include "port/lcore.h"

struct rn_progress {
	pthread_t thread;
	struct rn_lcore *lcore; /* array of n lcores, not owned */
	unsigned n;
	/* longest time between polls of a shard: doubles from nap_min to 1 ms while no work
	 * comes */
	rn_time nap;
	_Atomic uint32_t stop;
	_Atomic uint64_t turns; /* poll iterations run by the progress thread */
	/* value of each shard's last_turn after the progress thread last polled the shard */
	_Atomic uint64_t our_turn[RN_MAX_SHARDS];
	bool running;
};

/* Starts and stops the thread. Start it after rn_lcore_start(), stop it before rn_lcore_stop().
 * Called in the control thread. Returns 0 or -errno. */
int rn_progress_start(struct rn_progress *k, struct rn_lcore *lcore, unsigned n);
void rn_progress_stop(struct rn_progress *k);

#endif
