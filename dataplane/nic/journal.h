/* What an adapter does, told through the log (log.h). */
#ifndef RN_NIC_JOURNAL_H
#define RN_NIC_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "ground/news.h"

struct rn_nic;

/* clang-format off */
/* X(NAME, field): counters of the core (struct rn_stats) that an operator must know of; when one has grown the message
 * NAME says so, with the adapter's name and the count. */
#define RN_JOURNAL_COUNTER_ROWS(X) \
	X(ADDRESS_CONFLICT, address_conflicts) \
	X(VLAN_MISMATCH,    verdict[RN_V_FRAME_VLAN]) \
	X(REQUESTS_REFUSED, verdict[RN_V_CM_FULL]) \
	X(NEIGHBOURS_FULL,  neigh_full)

/* X(command, object, key): a command that finds no room, and the key of the configuration that makes more. */
#define RN_JOURNAL_TABLE_ROWS(X) \
	X(CREATE_PD,  "protection domain", max_pd) \
	X(CREATE_CQ,  "completion queue", max_cq) \
	X(CREATE_SRQ, "shared receive queue", max_srq) \
	X(CREATE_QP,  "queue pair", max_qp) \
	X(REG_MR,     "memory region", max_mr) \
	X(CREATE_MW,  "memory window", max_mr) \
	X(CM_BIND,    "connection or listener", max_cm) \
	X(CM_LISTEN,  "listener", max_cm) \
	X(CM_CONNECT, "connection", max_cm)
/* clang-format on */

#define RN_JOURNAL_NEWS 64u

struct rn_journal {
	/* the watcher's: the counts it has seen */
#define X(name, field) uint64_t name;
	RN_JOURNAL_COUNTER_ROWS(X)
#undef X
	bool no_carrier;
	/* from the shards to the watcher; what finds no room is counted */
	pthread_mutex_t lock;
	struct rn_news news[RN_JOURNAL_NEWS];
	unsigned nnews;
	uint32_t lost;
};

void rn_journal_init(struct rn_journal *j);
void rn_journal_fini(struct rn_journal *j);

/* The adapter has started. memory_mb: packet buffers of the process. Control thread. */
void rn_journal_up(const struct rn_nic *nic, uint64_t memory_mb, bool hugepages);

/* A shard, at the end of its turn: what its news says will be written to the log. Never waits for
 * that. */
void rn_journal_note(struct rn_nic *nic, const struct rn_news *news);

/* A command answered that there is no room. Control. */
void rn_journal_full(const struct rn_nic *nic, unsigned op);

/* The link has come up or gone down, the device has gone. Watcher, control. */
void rn_journal_link(const struct rn_nic *nic, bool up);
void rn_journal_gone(const struct rn_nic *nic);

/* Looks for what has happened since the last look, some 100 ms ago. Watcher, and control once that
 * has stopped. */
void rn_journal_watch(struct rn_nic *nic);

#endif
