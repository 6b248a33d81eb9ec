/* Shared by neigh.c (table, resolution, time) and neigh_msg.c (frames in and out). Nobody else
 * includes it. */
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

#define RN_NEIGH_DEFEND RN_S(10) /* between two defences (RFC 5227, 2.4) */

#define RN_NEIGH_DISPUTE 3 /* questions to the MAC at hand when somebody claims another one */

#define RN_NEIGH_STUCK 4 /* so many questions that cannot leave count as one */

/* ASKING knows no MAC; REFRESHING still uses the one it has. */
enum rn_nbr_state { RN_NBR_ASKING, RN_NBR_READY, RN_NBR_REFRESHING, RN_NBR_FAILED };

struct rn_nbr {
	struct rn_hnode node;
	struct rn_list use;	/* in n->used or n->strangers by last use, or in n->free */
	struct rn_list changed; /* in n->changed when news is untold */
	struct rn_list owed;	/* in n->owed when a question is owed */
	struct rn_timer timer;
	struct rn_gid addr, ask_as;
	uint8_t mac[6];
	uint8_t state; /* enum rn_nbr_state */
	uint8_t asked; /* questions so far */
	uint8_t direct; /* REFRESHING: so many of them go to the MAC at hand, the others to everybody */
	uint8_t stuck; /* times the one owed could not leave */
	bool fixed;    /* from the configuration: never asked for, never changes */
	bool ours;     /* somebody of ours wants it; else its owner asked for us */
	uint32_t holds; /* rn_neigh_hold() */
	rn_time confirmed;
};

/* An ARP reply or neighbour advertisement owed. */
struct rn_nbr_answer {
	struct rn_gid own, peer;
	uint8_t mac[6];
	bool to_all; /* the question came from :: */
};

struct rn_nbr_echo {
	uint32_t len;
	uint8_t frame[RN_NEIGH_ECHO_BYTES];
};

struct rn_neigh {
	struct rn_port_attr port;
	uint32_t max;
	uint8_t probes;
	rn_time retry, reachable;
	struct rn_secret secret; /* of the table's hash */
	uint64_t epoch, dropped, conflicts, full;
	rn_time defended; /* when an address was last claimed back, 0: never */
	struct rn_nbr *entries;
	struct rn_hnode **buckets;
	struct rn_htab table;
	struct rn_list used, strangers, free, changed, owed;
	unsigned count;
	struct rn_wheel wheel;
	uint32_t announce; /* bit per own address */
	struct rn_nbr_answer answers[RN_NEIGH_ANSWERS];
	unsigned answer_head, answer_count;
	struct rn_nbr_echo *echoes;
	unsigned echo_head, echo_count;
};

/* How an address-MAC pair came to our ears. */
enum rn_nbr_source {
	RN_NBR_ANSWERED, /* answer to a question */
	RN_NBR_ASKED_US, /* it wants to talk to us: worth an entry */
	RN_NBR_GOSSIP,	 /* announced to everybody: makes no entry */
	RN_NBR_HINT,	 /* as GOSSIP, but no reason to doubt a MAC we have */
};

extern const uint8_t rn_neigh_broadcast[6];
bool rn_neigh_learn(struct rn_neigh *n, const struct rn_gid *addr, const uint8_t mac[6],
		    enum rn_nbr_source how, rn_time now);

#endif
