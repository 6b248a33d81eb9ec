/* An adapter at work: one port, its shards and their threads, its objects and events. Made and unmade by the in-process
 * link under its lock; everything else may be called from any thread. */
#ifndef RN_NIC_H
#define RN_NIC_H

#include <pthread.h>

#include "config/config.h"
#include "shard/core.h"
#include "nic/event.h"
#include "nic/groups.h"
#include "nic/journal.h"
#include "port/progress.h"
#include "port/lcore.h"
#include "nic/objects.h"
#include "port/port.h"
#include "rn/link.h"

struct rte_rcu_qsbr;
struct rn_capture_file;

struct rn_nic {
	struct rn_link link; /* first */
	char name[32];
	const struct rn_config *cfg;
	const struct rn_config_adapter *adapter;
	struct rn_core_cfg core;
	struct rn_port_attr attr;
	struct rn_static_neigh *neigh;

	struct rn_port *port;
	struct rn_mr_table *mrs;
	struct rte_rcu_qsbr *qsbr;
	unsigned nshards;
	struct rn_lcore *lcore;
	struct rn_progress progress;
	struct rn_nic *peer;  /* joined by rings in this process, else NULL */
	_Atomic uint64_t peer_turn[RN_MAX_SHARDS]; /* inline: last_turn of the peer's shards when we looked */
	_Atomic uint32_t peer_rest;                /* looks for work of ours until we look at them again */
	struct rn_event_queue events;
	bool gone_untold; /* link.gone is set and RN_EVENT_PORT_GONE still to come */
	pthread_mutex_t removal; /* gone_untold, and only one removes */
	_Atomic uint32_t link_up;
	uint32_t ups_seen; /* of the port; the watcher's */
	struct rn_journal journal;

	pthread_mutex_t control;
	struct rn_objects objects;
	struct rn_nic_groups groups;
};

/* Port ready, nothing runs yet. The port becomes the adapter's. 0 or -errno with a sentence in err. */
int rn_nic_create(struct rn_nic **nic, const struct rn_config *cfg, unsigned index, struct rn_port *port,
		  const struct rn_clock *clock, struct rn_capture_file *capture, char *err, size_t errlen);
/* a and b are the two ends of a ring pair: each rings the other's shards. Before start. */
void rn_nic_join(struct rn_nic *a, struct rn_nic *b);
int rn_nic_start(struct rn_nic *nic, char *err, size_t errlen);
void rn_nic_stop(struct rn_nic *nic);
void rn_nic_destroy(struct rn_nic *nic);

/* Waits until every shard has passed a quiescent point: what was unpublished before is no longer seen by any. */
void rn_nic_grace(struct rn_nic *nic);

/* Inline: turns for whichever shards nobody is turning; the peer's too, if it lives in this process and nobody else
 * turns it. */
void rn_nic_progress(struct rn_nic *nic);

/* link->exec (control.c). */
int rn_nic_exec(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);

/* Takes the device away while everything runs. On return every request has completed, commands answer -ENODEV, and
 * RN_EVENT_PORT_GONE waits to be taken. Again: nothing happens. Any thread but a shard's. */
void rn_nic_unplug(struct rn_nic *nic);

/* Management datagrams this adapter has sent. Any thread; as any counter it may be a moment old. */
uint64_t rn_nic_mads(const struct rn_nic *nic);

/* Looks at device and link and reports changes; every 100 ms or so. */
void rn_nic_watch(struct rn_nic *nic);

#endif
