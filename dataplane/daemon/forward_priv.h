/* What forward.c and forward_client.c share: the state of the forwarding thread. */
#ifndef RN_FORWARD_PRIV_H
#define RN_FORWARD_PRIV_H

#include <pthread.h>
#include <semaphore.h>

#include <rte_mbuf.h>

#include "daemon/bucket.h"
#include "daemon/forward.h"
#include "port/port.h"
#include "port/wake.h"

#define NUMBERS (RN_CLIENT_MAX + 1u)
#define QUEUES	RN_MAX_SHARDS
/* Frames that wait for one ring, and for the wire. */
#define LANE 256u
#define WIRE 1024u

/* Frames on their way to one ring of a client. */
struct lane {
	struct rte_mbuf *m[LANE];
	unsigned n;
	rn_time stuck; /* since when the ring has taken none; 0: it has taken the last */
};

struct client {
	bool plugged;
	bool ahead; /* has had its next turn already (rn_forward_take()) */
	int vid;
	unsigned queues;
	unsigned queue;		  /* whose turn to send is next */
	struct lane *lane;	  /* one per queue pair */
	int kick[QUEUES];	  /* duplicates of the eventfds that the client writes; -1: none */
	_Atomic uint32_t changed; /* the eventfds may be others now */
	_Atomic uint32_t stuck;	  /* the thread has had to be freed from a call for this client */
	struct rn_bucket packets, bits;
	struct rn_forward_stats stats;
};

struct call {
	void (*run)(struct rn_forward *, void *, rn_time);
	void *arg;
	sem_t done;
};

struct rn_forward {
	struct rn_forward_cfg cfg;
	struct rn_switch *sw;
	struct rn_wake wake;
	int ep;		       /* epoll instance of everything that ends a sleep, or -1 */
	struct client *client; /* indexed by client number; [0]: counters of the wire */
	struct rn_client_set plugged;
	unsigned turn_from; /* the next client from this number on has the first turn */
	struct rte_mbuf *wire[WIRE];
	unsigned nwire;
	rn_time wire_stuck; /* since when the wire has taken none; 0: it has taken the last */
	rn_time now, busy_at;
	pthread_t thread;
	bool running;
	_Atomic uint32_t stop;
	/* For rn_forward_watch(): the client whose rings the thread uses, or 0, and how often it
	 * has begun to use any. */
	_Atomic uint32_t serves, calls_made;
	_Atomic uint32_t seen; /* calls_made at the last watch */
	_Atomic pid_t tid;
	/* guards the order of calls */
	pthread_mutex_t calls;
	struct call *_Atomic call;
};

/* Frees n frames that their receiver has not taken, and counts them. */
static inline void rn_forward_drop(struct rte_mbuf **m, unsigned n, struct rn_forward_stats *s)
{
	s->tx_dropped += n;
	rte_pktmbuf_free_bulk(m, n);
}

/* Watches the eventfds that the client writes when it has sent frames. Runs in the thread. */
void rn_forward_find_kicks(struct rn_forward *f, struct client *c);

#endif
