/* The progress thread of the inline idle policy. It makes a turn for every shard that no
 * application thread has turned for 100 us while work is due (500 us right after the application
 * stopped making turns), for 1 ms otherwise, and at once after traffic that only the progress
 * thread served. So ACKs, the target side of one-sided operations, connections and timers make
 * progress even when the application makes no calls. */
#ifndef RN_PROGRESS_H
#define RN_PROGRESS_H

#include "port/lcore.h"

struct rn_progress {
	pthread_t thread;
	struct rn_lcore *lcore; /* array of n lcores, not owned */
	unsigned n;
	rn_time nap; /* grows from nap_min to 1 ms while no work comes */
	_Atomic uint32_t stop;
	_Atomic uint64_t turns; /* number of turns made by the progress thread */
	/* a shard's last_turn after the progress thread's last turn */
	_Atomic uint64_t our_turn[RN_MAX_SHARDS];
	bool running;
};

/* Start after rn_lcore_start(), stop before rn_lcore_stop(). Control thread. Returns 0 or
 * -errno. */
int rn_progress_start(struct rn_progress *k, struct rn_lcore *lcore, unsigned n);
void rn_progress_stop(struct rn_progress *k);

#endif
