/* Internal header of the neighbour table, for neigh.c (table, resolution, timers), neigh_msg.c
 * (received and sent frames) and their tests. */
#ifndef RN_NEIGH_PRIV_H
#define RN_NEIGH_PRIV_H

#include "ground/core_cfg.h"
#include "net/port_attr.h"
#include "base/htab.h"
#include "base/list.h"
#include "net/neigh.h"
#include "base/wheel.h"

#define RN_NEIGH_ANSWERS    64
#define RN_NEIGH_ECHOES	    8
#define RN_NEIGH_ECHO_BYTES 9216

/* least time between two announcements after conflicts, for all addresses together (RFC 5227,
 * 2.4) */
#define RN_NEIGH_DEFEND RN_S(10)

/* maximum number of probes to the known MAC after a message has given another MAC */
#define RN_NEIGH_DISPUTE 3

/* A probe that is still unsent after this many expiries of its timer counts as unanswered. */
#define RN_NEIGH_STUCK 4

/* ASKING: no MAC is known. REFRESHING: the MAC is probed again and packets still use it. */
enum rn_nbr_state { RN_NBR_ASKING, RN_NBR_READY, RN_NBR_REFRESHING, RN_NBR_FAILED };

struct rn_nbr {
	struct rn_hnode node;
	/* Node in n->free or in one of two lists, see `ours`: n->used (local entries, by last use)
	 * or n->strangers (foreign entries, by age). */
	struct rn_list use;
	struct rn_list changed; /* node in n->changed until rn_neigh_changed() reports the entry */
	struct rn_list owed;	/* node in n->owed while a probe waits to be sent */
	/* Runs until the next probe; in state FAILED until probes are allowed again. */
	struct rn_timer timer;
	struct rn_gid addr, probe_src;
	uint8_t mac[6];
	uint8_t state; /* enum rn_nbr_state */
	uint8_t asked; /* number of probes in the present round */
	/* in state REFRESHING: number of probes to the known MAC before the first broadcast */
	uint8_t direct;
	/* number of timer expiries at which the probe was still waiting to be sent */
	uint8_t stuck;
	bool fixed; /* configured entry: never probed, never changed */
	/* True for a local entry, which this NIC has used. False for a foreign entry: an ARP
	 * request or solicitation of the neighbour made the entry, and this NIC has not used it. */
	bool ours;
	uint32_t holds;	   /* number of calls of rn_neigh_hold() without rn_neigh_release() */
	rn_time confirmed; /* when a message last gave or confirmed this MAC */
};

/* A queued ARP reply or neighbour advertisement. */
struct rn_nbr_answer {
	struct rn_gid own, peer;
	uint8_t mac[6];
	bool to_all; /* for all nodes: an announcement, or the answer to a solicitation from :: */
};

/* A queued echo reply, which was built when the echo request arrived. */
struct rn_nbr_echo {
	uint32_t len;
	uint8_t frame[RN_NEIGH_ECHO_BYTES];
};

struct rn_neigh {
	struct rn_port_attr port;
	uint32_t max;
	uint8_t probes;
	rn_time retry, reachable;
	struct rn_secret secret; /* secret key of the hash table's hash function */
	uint64_t epoch, dropped, conflicts, full;
	rn_time defended; /* time of the last announcement after a conflict; 0 = never */
	struct rn_nbr *entries;
	struct rn_hnode **buckets;
	struct rn_htab table;
	struct rn_list used, strangers, free, changed, owed;
	unsigned count;
	struct rn_wheel wheel;
	uint32_t announce; /* bit i: address i of the NIC waits to be announced */
	struct rn_nbr_answer answers[RN_NEIGH_ANSWERS];
	unsigned answer_head, answer_count;
	struct rn_nbr_echo *echoes;
	unsigned echo_head, echo_count;
};

/* The kind of message that gave an address and its MAC. */
enum rn_nbr_source {
	RN_NBR_REPLY,	     /* reply to a probe; the reply to a broadcast can change a known MAC */
	RN_NBR_REQUEST,	     /* request for an address of this NIC; adds an entry for its sender */
	RN_NBR_ANNOUNCEMENT, /* announcement; adds no entry; a changed MAC starts probes */
	RN_NBR_NO_OVERRIDE,  /* advertisement without override flag; a changed MAC is ignored */
};

extern const uint8_t rn_neigh_broadcast[6];
/* Processes an address and MAC that a received message gives for a neighbour. Returns true if the
 * entry now has this MAC as a confirmed MAC. */
bool rn_neigh_update(struct rn_neigh *n, const struct rn_gid *addr, const uint8_t mac[6],
		     enum rn_nbr_source how, rn_time now);

#endif
