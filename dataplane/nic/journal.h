/* The messages that an adapter writes to the log. port/log.h has the texts. */
#ifndef RN_NIC_JOURNAL_H
#define RN_NIC_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "ground/news.h"

struct rn_nic;

/* clang-format off */
/* X(NAME, field): counters of struct rn_stats that an operator must watch. When such a counter has
 * grown, message NAME is logged with the adapter's name and the count. */
#define RN_JOURNAL_COUNTER_ROWS(X) \
	X(ADDRESS_CONFLICT, address_conflicts) \
	X(VLAN_MISMATCH,    verdict[RN_V_FRAME_VLAN]) \
	X(REQUESTS_REFUSED, verdict[RN_V_CM_FULL]) \
	X(NEIGHBOURS_FULL,  neigh_full)

/* X(command, object, key): a command that can fail with -ENOSPC, the kind of object, and the
 * configuration key that raises the limit. */
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
	/* counter values at the last call of rn_journal_watch(), the only function that uses
	 * them */
#define X(name, field) uint64_t name;
	RN_JOURNAL_COUNTER_ROWS(X)
#undef X
	bool no_carrier;
	/* News (connections made or ended, QPs in error) that shards have reported and the watcher
	 * thread has not yet written to the log. `lost` counts news for which there was no room.
	 * `lock` guards the members below. */
	pthread_mutex_t lock;
	struct rn_news news[RN_JOURNAL_NEWS];
	unsigned nnews;
	uint32_t lost;
};

void rn_journal_init(struct rn_journal *j);
void rn_journal_fini(struct rn_journal *j);

/* Logs that the adapter has started. memory_mb is the size in MB of the packet buffers of the whole
 * process. Called in a control thread. */
void rn_journal_up(const struct rn_nic *nic, uint64_t memory_mb, bool hugepages);

/* Queues one piece of news (a connection made or ended, a QP in error) for the log. A shard calls
 * this function at the end of a poll iteration. The watcher thread writes the log line later. */
void rn_journal_queue(struct rn_nic *nic, const struct rn_news *news);

/* Logs that command `op` failed because a table is full (-ENOSPC). Called in a control thread. */
void rn_journal_full(const struct rn_nic *nic, unsigned op);

/* rn_journal_link() logs that the port's link has come up or gone down. rn_journal_gone() logs that
 * the device was removed. rn_journal_reset() logs that a card was reset, or why it does not start
 * again (`failure`, else NULL). Called in the watcher thread or a control thread. */
void rn_journal_link(const struct rn_nic *nic, bool up);
void rn_journal_gone(const struct rn_nic *nic);
void rn_journal_reset(const struct rn_nic *nic, const char *failure);

/* Writes to the log the queued news, the counters that have grown since the last call, and a change
 * of the carrier. The watcher thread calls this function every 100 ms. A control thread calls it
 * once more after the watcher thread has stopped. */
void rn_journal_watch(struct rn_nic *nic);

#endif
