/* The keeper: under the inline policy, the thread that makes a turn for every shard nobody has turned for 100 us while
 * work is due (500 us right after the application stopped turning it), or 1 ms otherwise; sooner after traffic that
 * nobody else served. So ACKs, one-sided targets, connections and timers do not depend on the application
 * calling. */
#ifndef RN_KEEPER_H
#define RN_KEEPER_H

#include "lcore.h"

struct rn_keeper {
	pthread_t thread;
	struct rn_lcore *lcore; /* n of them */
	unsigned n;
	rn_time nap;            /* grows from the shortest to IDLE_NS while nothing comes */
	_Atomic uint32_t stop;
	_Atomic uint64_t turns;                   /* made by the keeper */
	_Atomic uint64_t our_turn[RN_MAX_SHARDS]; /* last_turn after the last of them */
	bool running;
};

/* After rn_lcore_start(); stop before rn_lcore_stop(). 0 or -errno. */
int rn_keeper_start(struct rn_keeper *k, struct rn_lcore *lcore, unsigned n);
void rn_keeper_stop(struct rn_keeper *k);

#endif
