/* A running adapter: one port, its shards and their threads, its objects and events. The in-process
 * link creates and destroys it under the link's lock; unless a comment says otherwise, any thread
 * may call the other functions. */
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
	struct rn_link link; /* must be the first member: the link is cast to the adapter */
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
	/* the adapter at the other end of a ring pair in this process, else NULL */
	struct rn_nic *peer;
	/* Inline policy: last_turn of each shard of the peer when this adapter last checked it. */
	_Atomic uint64_t peer_turn[RN_MAX_SHARDS];
	/* polls to skip before checking the peer's shards again */
	_Atomic uint32_t peer_rest;
	struct rn_event_queue events;
	bool gone_untold; /* link.gone is set, but RN_EVENT_PORT_GONE is not queued yet */
	/* guards gone_untold; held during the whole removal, so that it happens once */
	pthread_mutex_t removal;
	_Atomic uint32_t link_up;
	uint32_t ups_seen; /* value of port->ups at the watcher's last look; watcher thread only */
	struct rn_journal journal;

	pthread_mutex_t control;
	struct rn_objects objects;
	struct rn_nic_groups groups;
};

/* Creates an adapter on an opened port; no thread is started. On success the adapter owns the port;
 * on failure the caller still does. Returns 0, or -errno with a sentence in err. */
int rn_nic_create(struct rn_nic **nic, const struct rn_config *cfg, unsigned index,
		  struct rn_port *port, const struct rn_clock *clock,
		  struct rn_capture_file *capture, char *err, size_t errlen);
/* Connects the two ends of a ring pair: each adapter rings the other's shards after it sent. To be
 * called before rn_nic_start(). */
void rn_nic_join(struct rn_nic *a, struct rn_nic *b);
int rn_nic_start(struct rn_nic *nic, char *err, size_t errlen);
void rn_nic_stop(struct rn_nic *nic);
void rn_nic_destroy(struct rn_nic *nic);

/* Waits until every shard has passed a quiescent point. After that no shard uses an object that was
 * unpublished before the call. May sleep; must not be called by a shard. */
void rn_nic_grace(struct rn_nic *nic);

/* Inline policy only: makes a turn for each shard of this adapter that no other thread is turning.
 * It also turns the shards of a peer in the same process, unless another thread does so already. */
void rn_nic_progress(struct rn_nic *nic);

/* Executes a command (struct rn_link_ops.exec). Returns rsp->err: 0 or a negative errno. */
int rn_nic_exec(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);

/* Removes the port while everything runs. On return every request has completed, commands return
 * -ENODEV (except those that destroy objects), and RN_EVENT_PORT_GONE is queued. A second call only
 * repeats a failed attempt to queue the event. Any thread except a shard's. */
void rn_nic_unplug(struct rn_nic *nic);

/* The number of management datagrams (MADs) that this adapter has sent. Any thread; the value may
 * lag slightly, as every counter read outside its shard. */
uint64_t rn_nic_mads(const struct rn_nic *nic);

/* Checks the device, the link and the counters, and reports changes as events and log messages. The
 * watcher thread calls it about every 100 ms. */
void rn_nic_watch(struct rn_nic *nic);

#endif
