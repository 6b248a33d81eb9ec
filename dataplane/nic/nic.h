/* A running adapter: one port, its shards and their threads, its objects and events. The in-process
 * link (inproc.c) creates and destroys adapters under its lock. Any thread may call the other
 * functions, unless a comment says otherwise.
 * A "control thread" is a thread of the application while it executes a command, or opens or closes
 * an adapter. */
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
struct rn_daemon_service;

struct rn_nic {
	struct rn_link link; /* first member: nic_of() casts the link to struct rn_nic */
	char name[32];
	const struct rn_config *cfg;
	const struct rn_config_adapter *adapter;
	struct rn_core_cfg core;
	struct rn_port_attr attr;
	struct rn_static_neigh *neigh;

	struct rn_port *port;
	struct rn_daemon_service *daemon; /* of the runtime; NULL unless the port is softrnicd's */
	struct rn_mr_table *mrs;
	struct rte_rcu_qsbr *qsbr;
	unsigned nshards;
	struct rn_lcore *lcore;
	struct rn_progress progress;
	/* adapter in this process at the other end of the ring pair, or NULL if the port is not a
	 * ring port */
	struct rn_nic *peer;
	/* Inline idle policy: last_turn (the time of the last poll iteration) of each shard of
	 * `peer`, as this adapter last read it. */
	_Atomic uint64_t peer_turn[RN_MAX_SHARDS];
	/* Inline idle policy: number of coming rn_nic_progress() calls that do not poll the shards
	 * of `peer`, because another thread polls these shards. */
	_Atomic uint32_t peer_rest;
	struct rn_event_queue events;
	bool gone_event_pending; /* link.gone is set, but RN_EVENT_PORT_GONE is not yet queued */
	/* guards gone_event_pending; held during the whole removal of the port, which happens only
	 * once, and by control threads that use the device. Taken after `control`. */
	pthread_mutex_t removal;
	unsigned failed_resets; /* how often in a row the card could not be reset */
	_Atomic uint32_t link_up;
	uint32_t ups_seen; /* port->ups (how often the link came up) at the last check */
	struct rn_journal journal;

	pthread_mutex_t control;
	struct rn_objects objects;
	struct rn_nic_groups groups;
};

/* Creates an adapter on an opened port, and starts no thread. `daemon` is NULL unless the port is
 * softrnicd's, and outlives the adapter. Returns 0, or -errno with a sentence
 * in err. On success the adapter owns the port. On failure the caller still owns the port. */
int rn_nic_create(struct rn_nic **nic, const struct rn_config *cfg, unsigned index,
		  struct rn_port *port, struct rn_daemon_service *daemon,
		  const struct rn_clock *clock, struct rn_capture_file *capture, char *err,
		  size_t errlen);
/* Connects the adapters of two joined ring ports. After sending, each adapter then rings the
 * doorbells of the peer's shards. To be called before rn_nic_start(). */
void rn_nic_join(struct rn_nic *a, struct rn_nic *b);
int rn_nic_start(struct rn_nic *nic, char *err, size_t errlen);
void rn_nic_stop(struct rn_nic *nic);
void rn_nic_destroy(struct rn_nic *nic);

/* Waits for an RCU grace period: until every shard has passed a quiescent point. On return no shard
 * uses an object that was unpublished before the call. May sleep. A shard must not call this
 * function. */
void rn_nic_grace(struct rn_nic *nic);

/* Polls each shard of this adapter once, unless another thread is polling the shard at the moment.
 * For a ring pair, also polls the shards of the peer adapter, unless another thread polls those
 * shards regularly. Has an effect only with the inline idle policy. */
void rn_nic_progress(struct rn_nic *nic);

/* Executes a command, for rn_link_ops.exec(). Returns rsp->err: 0 or a negative errno. */
int rn_nic_exec(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);

/* Removes the port of a running adapter and queues RN_EVENT_PORT_GONE. Any thread except a shard's
 * may call this function. On return every work request has completed. From then on commands return
 * -ENODEV, except those of rn_cmd_outlives_port(). A second call has no effect, unless the first
 * call had no memory for the event: then the second call queues the event. */
void rn_nic_unplug(struct rn_nic *nic);

/* Returns the number of management datagrams (MADs) that this adapter has sent. Like every counter
 * read outside its shard, the count may be slightly out of date. */
uint64_t rn_nic_mads(const struct rn_nic *nic);

/* Checks the device, its link and the counters. Reports changes as events and log messages. The
 * watcher thread calls this function about every 100 ms. */
void rn_nic_watch(struct rn_nic *nic);

#endif
