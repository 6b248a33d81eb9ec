/* softrnic: the interface through which a front end (the code behind an API such as NetworkDirect)
 * reaches a NIC: `struct rn_link`.
 *
 * The only implementation runs the NIC inside the application's process. An implementation that
 * reaches a daemon through shared memory could be added without changes to front ends. A link
 * stands for one adapter (one network port) and has the adapter's shards, ids and events. A shard
 * is the part of the protocol state that one thread serves. Any thread may call any function unless
 * the function's comment says otherwise. */
#ifndef RN_LINK_H
#define RN_LINK_H

#include "rn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rn_link;

#define RN_MAX_SHARDS 16
#define RN_MAX_GIDS   16

/* Optional features of an adapter. */
enum rn_link_feature {
	RN_LINK_CQ_RESIZE = 1 << 0, /* RN_CMD_RESIZE_CQ is supported */
};

/* Properties and limits of an adapter. All limits can be reached at the same time. */
struct rn_link_info {
	uint32_t abi_version;
	uint32_t shards;
	uint32_t features; /* enum rn_link_feature */
	uint64_t guid;
	uint8_t mac[6];
	uint16_t mtu;	      /* maximum payload of an Ethernet frame, in bytes */
	uint8_t max_path_mtu; /* path MTU code 1..5: 256 << (code - 1) bytes */
	uint8_t ngids;
	uint8_t link_up;
	/* maximum number of READs and atomics in flight per QP, in each direction */
	uint8_t max_rd_atomic;
	struct rn_gid gids[RN_MAX_GIDS];
	/* subnet prefix of each GID in bits: 0..32 for IPv4, 0..128 for IPv6 */
	uint8_t prefix_len[RN_MAX_GIDS];
	/* 1: a gateway for IPv4 (IPv6) is configured, so peers outside the subnets can be
	 * reached */
	uint8_t gateway4, gateway6;
	uint32_t max_qp, max_cq, max_mr, max_pd, max_cm;
	uint32_t max_srq;
	uint32_t max_queue_depth; /* requests per send queue, receive queue or SRQ */
	uint32_t max_cqe;
	uint32_t max_sge, max_inline; /* per request: number of SGEs; bytes of inline data */
	uint32_t max_msg;	      /* bytes per message */
	uint64_t max_mr_bytes;
	char name[32]; /* the adapter's name in the configuration */
	/* names from the configuration: the kind of network port, and the idle policy (what a shard
	 * does when it has no work) */
	char port[12], idle[12];
	/* 1: packet buffers are in hugepages; valid while the adapter runs */
	uint8_t hugepages;
};

/* The part of a CQ that its reader, the application, uses. first[s] is the first ring that shard s
 * fills; it is set once (with release order), when the first QP of that shard attaches to the CQ.
 * From first[s] the reader follows ring->next. The reader's position is not stored here: the reader
 * keeps it itself. */
struct rn_cq_view {
	struct rn_cq_shared *shared;
	RN_ATOMIC(struct rn_cq_ring *) first[RN_MAX_SHARDS];
};

struct rn_link_ops {
	/* Executes one command and waits for its response. The wait is short: a shard executes
	 * commands after each burst of packets. The command is executed after all requests that
	 * this thread has submitted before. Returns rsp->err; -ENODEV once the port has been
	 * removed (commands that destroy objects still succeed). */
	int (*exec)(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp);

	/* Copies one work request (wqe->slots slots) to the submission ring of the shard that owns
	 * wqe->qpn. Waits for ring space, which the shard frees in every poll iteration. The caller
	 * has checked that the QP's queue has room. */
	void (*submit)(struct rn_link *link, const struct rn_wqe *wqe);
	/* To be called after one or several submits to `shard`: wakes it if it sleeps. Under the
	 * inline idle policy the calling thread may run a poll iteration of the shard. */
	void (*doorbell)(struct rn_link *link, uint32_t shard);
	/* Returns the shard that owns a QPN. */
	uint32_t (*shard_of)(struct rn_link *link, uint32_t qpn);

	/* Posts one receive to a shared receive queue; on return all shards can use the receive.
	 * Only one thread at a time may post to the same SRQ. The caller has checked that the SRQ
	 * has room and that the request is within its limits. */
	void (*srq_post)(struct rn_link *link, uint32_t srq, const struct rn_wqe *wqe);

	/* Returns the reader's view of a CQ, valid from CREATE_CQ until DESTROY_CQ. */
	struct rn_cq_view *(*cq_view)(struct rn_link *link, uint32_t cq);
	/* To be called when the reader of `cq` has drained `ring` and moved on to ring->next: the
	 * NIC may free `ring`. */
	void (*cq_ring_done)(struct rn_link *link, uint32_t cq, struct rn_cq_ring *ring);

	/* Lets the calling thread drive the NIC. To be called when a poll of a CQ has found no
	 * entry; a thread that waits for one calls it repeatedly. Under the inline idle policy the
	 * calling thread runs a poll iteration of each shard, unless another thread is running one;
	 * under other policies the call does nothing. */
	void (*progress)(struct rn_link *link);

	/* Takes up to n events, waiting at most timeout_ms (-1: until an event comes or interrupt()
	 * is called). Only one thread at a time may call. Returns the number of events taken. */
	unsigned (*wait)(struct rn_link *link, struct rn_event *ev, unsigned n, int timeout_ms);
	void (*interrupt)(struct rn_link *link); /* makes a wait in progress return 0 at once */

	void (*info)(struct rn_link *link, struct rn_link_info *info);
	/* Calls fn(arg, name, value) for each counter. */
	void (*stats)(struct rn_link *link, void (*fn)(void *arg, const char *name, uint64_t value),
		      void *arg);
};

struct rn_link {
	const struct rn_link_ops *ops;
	/* 1: the network port was removed; set before RN_EVENT_PORT_GONE can be taken */
	RN_ATOMIC(uint32_t) gone;
};

#pragma GCC visibility push(default)

/* Lists the adapters of a configuration and starts nothing. The configuration is read from the file
 * `path`. If `path` is NULL, it is read from the file that $SOFTRNIC_CONFIG names. If this is not
 * set either, the built-in configuration is used: two adapters that are joined inside the process.
 * Stores name, addresses and limits of the first n adapters in info[]. When adapters are open and
 * `path` is NULL, describes the running adapters instead, even if the file has changed. Returns the
 * number of adapters, or -errno with a sentence in err (file, line, key, the value found, the
 * values allowed). */
int rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err, size_t errlen);

/* Opens adapter `index`; the first call starts the runtime (DPDK's EAL, the ports, the shards'
 * threads). Calls are counted: every open needs a close, and the last close stops ports and
 * threads. The EAL itself is never restarted within a process. Returns 0, or -errno with a sentence
 * in err; -ENODEV: there is no such adapter, or its device was removed. */
int rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err, size_t errlen);
void rn_link_close(struct rn_link *link);

/* Removes the device of a running adapter from DPDK, as if the device had been unplugged: to give
 * it back to the system, or to test how an application reacts. On return every request has
 * completed as flushed and RN_EVENT_PORT_GONE can be taken. The adapter stays removed until the
 * runtime stops and cannot be opened again before that. The call waits for all shards, so it must
 * not be made on a thread that a shard may be waiting for. Returns 0, also when the device was
 * removed before; -ENOENT: no running adapter has this name. */
int rn_link_unplug(const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
