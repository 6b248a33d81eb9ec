/* The state that all parts of a hostile run share: clients, bystander and attacker. The seed
 * determines the whole state. */
#ifndef SIM_HOSTILE_STATE_H
#define SIM_HOSTILE_STATE_H

#include "hostile.h"
#include "hostile_cm.h"
#include "qp/qp.h"

#define PART   4096u /* size of a region and of a gap, in bytes */
#define RECENT 64u   /* number of frames kept for replay */
/* number of memory windows of each node; the last one is in the other protection domain */
#define WINDOWS	       5u
#define FOREIGN_WINDOW (WINDOWS - 1)
#define FOREIGN_PD     (SIM_PD + 1)

enum hostile_region {
	WRITABLE,
	READABLE,
	LOCAL,
	FOREIGN,
	STALE,
	GONE,
	ATOMIC,
	LENT,
	VIEW,
	HOME,
	REGIONS
};

struct hostile_recent {
	uint32_t len;
	uint8_t data[SIM_FRAME_MAX];
};

struct hostile_window {
	struct rn_mw_shared shared;
	uint32_t id, key; /* id: the first key (rn_mw_add()). key: key of the last BIND, or id */
	uint8_t q;	  /* QP on which the BIND was posted */
	uint64_t va;	  /* address of the first byte that the memory window exposes */
	uint32_t length;
	bool used;
};

enum ledger_state { LEDGER_POSTED, LEDGER_DONE, LEDGER_VOID };

/* A posted work request. Its wr_id is its index in the ledger plus 1. */
struct ledger_entry {
	uint8_t state, node, q;
	bool recv, raw;
	bool must, forbidden; /* must: has to complete; forbidden: must not succeed */
};

/* What the checks record about a QP since it was created. */
struct hostile_life {
	/* ledger index of the QP's first work request; earlier entries belong to former QPs in the
	 * same slot of sim_node.qp[] */
	uint32_t first;
	uint32_t last[2]; /* wr_id of the last completion: [0] sends, [1] receives */
};

struct hostile {
	struct sim sim;
	struct rn_rng rng;
	uint64_t seed;
	uint8_t *block[SIM_NODES]; /* layout: gap, region, gap, region, ..., gap */
	uint32_t key[SIM_NODES][REGIONS];
	struct hostile_window window[SIM_NODES][WINDOWS];
	struct hostile_recent recent[RECENT];
	unsigned nrecent;
	struct ledger_entry *entry;
	uint32_t nentries, capentries;
	struct hostile_life life[SIM_NODES][SIM_MAX_QP];
	/* shared_open: number of receives that were posted to the SRQ and have not completed.
	 * shared_lost: how many of these receives were lost because their QP was reset or
	 * destroyed. */
	uint32_t shared_open, shared_lost;
	uint32_t bystander_sent, bystander_got;
	bool neighbours; /* the attacker also sends ARP and ND messages */
	/* Each member is a number of rounds. On average a raw request is posted once in pace_raw
	 * rounds, a QP's state is changed once in pace_moves, and an attack is made once in
	 * pace_frames. */
	unsigned pace_raw, pace_moves, pace_frames;
	bool has_group;
	struct rn_gid group;
	struct hostile_cm cm;
	struct hostile_totals *t;
	unsigned objections;
	FILE *out;
};

#define OBJECT(h, ...)                                                                   \
	do {                                                                             \
		if ((h)->objections++ < 10) {                                            \
			fprintf((h)->out, "seed %llu: ", (unsigned long long)(h)->seed); \
			fprintf((h)->out, __VA_ARGS__);                                  \
			fputc('\n', (h)->out);                                           \
		}                                                                        \
	} while (0)

#define SEEN(h, feature) ((h)->t->seen[HOSTILE_##feature]++)

static inline uint32_t below(struct hostile *h, uint64_t n)
{
	return (uint32_t)rn_rng_below(&h->rng, n);
}

static inline bool one_in(struct hostile *h, unsigned n)
{
	return below(h, n) == 0;
}

static inline unsigned qp_state(const struct hostile *h, unsigned node, unsigned q)
{
	return atomic_load(&h->sim.node[node].qp[q].shared->state);
}

static inline struct rn_shard *shard_of_qpn(const struct hostile *h, unsigned node, uint32_t qpn)
{
	const struct sim_node *n = &h->sim.node[node];
	return n->second && rn_qpn_shard(qpn, 2) ? n->second : n->shard;
}

#endif
