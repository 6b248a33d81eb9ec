/* softrnic: `struct rn_link`, the interface between a front end (the code behind an API such as
 * NetworkDirect) and a NIC. A link stands for one adapter (one network port). A shard is the part
 * of the adapter's protocol state that one thread serves. The only implementation runs the NIC
 * inside the application's process. Any thread may call any function unless a comment says
 * otherwise. */
#ifndef RN_LINK_H
#define RN_LINK_H

#include "rn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rn_link;

#define RN_MAX_SHARDS 16
/* maximum number of slots of a list of work requests, fewer than a submission ring has */
#define RN_LINK_LIST_SLOTS 32
#define RN_MAX_GIDS	   16

/* Optional features of an adapter. */
enum rn_link_feature {
	RN_LINK_CQ_RESIZE = 1 << 0, /* RN_CMD_RESIZE_CQ is supported */
};

/* Properties and limits of an adapter. An application may reach all limits at the same time. */
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
	/* maximum number of READs and atomics in flight per QP, separately for each direction */
	uint8_t max_rd_atomic;
	struct rn_gid gids[RN_MAX_GIDS];
	/* length in bits of each GID's subnet prefix: 0..32 for IPv4, 0..128 for IPv6 */
	uint8_t prefix_len[RN_MAX_GIDS];
	/* 1: a gateway for IPv4 (gateway4) or IPv6 (gateway6) is configured, so peers outside the
	 * subnets can be reached */
	uint8_t gateway4, gateway6;
	uint32_t max_qp, max_cq, max_mr, max_pd, max_cm;
	uint32_t max_srq;
	uint32_t max_queue_depth; /* work requests per send queue, receive queue or SRQ */
	uint32_t max_cqe;
	uint32_t max_sge, max_inline; /* per work request: number of SGEs; bytes of inline data */
	uint32_t max_msg;	      /* bytes per message */
	uint64_t max_mr_bytes;
	char name[32]; /* the adapter's name in the configuration */
	/* names from the configuration: the kind of network port; the idle policy (what a shard
	 * without work does) */
	char port[12], idle[12];
	/* 1: packet buffers are in hugepages; meaningful only while the adapter runs */
	uint8_t hugepages;
};

/* What the reader of a CQ (the application) needs to find its entries. first[s] is the first ring
 * that shard s fills. first[s] is set once (with release order), when the first QP of shard s
 * attaches to the CQ. The reader finds the later rings of shard s through ring->next. The reader
 * stores its position elsewhere. */
struct rn_cq_view {
	struct rn_cq_shared *shared;
	RN_ATOMIC(struct rn_cq_ring *) first[RN_MAX_SHARDS];
};

struct rn_link_ops {
	/* Executes one command and waits for its response. The wait is short, because a shard
	 * executes commands after each burst of packets. All work requests that this thread has
	 * submitted before are executed first. Returns rsp->err. Returns -ENODEV once the network
	 * port has been removed, but commands that destroy objects still succeed. */
	int (*exec)(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp);

	/* Hands a copy of one work request (wqe->slots slots) to `shard`, which owns wqe->qpn. The
	 * caller has checked that the queue of the QP has room. *wqe must not change during the
	 * call.
	 * Returns true if the work request is in the queue of its QP already, and no doorbell is
	 * needed. This happens under the inline idle policy only.
	 * Returns false if the work request is in the shard's submission ring; the caller then
	 * rings the doorbell. Waits for space in the ring; the shard frees space in every poll
	 * iteration. */
	bool (*submit)(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe);
	/* Like submit(), for a list of n work requests of one QP, either receives only or no
	 * receives; n is at least 1. Each work request begins behind the last slot of the one
	 * before, and together they have at most RN_LINK_LIST_SLOTS slots. Returns true if all of
	 * them are in the queue of their QP, and false if some are in the submission ring. */
	bool (*submit_list)(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe,
			    uint32_t n);
	/* To be called after one or several submits to `shard` that returned false. Wakes a
	 * sleeping shard. Under the inline idle policy the calling thread may run a poll iteration
	 * of the shard. */
	void (*doorbell)(struct rn_link *link, uint32_t shard);
	/* Returns the shard that owns a QPN. */
	uint32_t (*shard_of)(struct rn_link *link, uint32_t qpn);

	/* Posts one receive to a shared receive queue. On return all shards can use the receive.
	 * Only one thread at a time may post to one SRQ. The caller has checked that the SRQ has
	 * room and that the receive is within the SRQ's limits. */
	void (*srq_post)(struct rn_link *link, uint32_t srq, const struct rn_wqe *wqe);

	/* Returns the reader's view of a CQ, valid from CREATE_CQ until DESTROY_CQ. */
	struct rn_cq_view *(*cq_view)(struct rn_link *link, uint32_t cq);
	/* To be called when the reader of `cq` has drained `ring` and gone on to ring->next. The
	 * NIC may then free `ring`. */
	void (*cq_ring_done)(struct rn_link *link, uint32_t cq, struct rn_cq_ring *ring);

	/* Lets the calling thread drive the NIC. To be called, repeatedly if necessary, when a poll
	 * of a CQ has found no entry. Under the inline idle policy the calling thread runs a poll
	 * iteration of each shard, except shards that another thread is running. Under other
	 * policies the call does nothing. */
	void (*progress)(struct rn_link *link);

	/* Takes up to n events and returns the number of events. Waits at most timeout_ms for the
	 * first event; -1 = without limit. interrupt() ends the wait. Only one thread at a time may
	 * call wait(). */
	unsigned (*wait)(struct rn_link *link, struct rn_event *ev, unsigned n, int timeout_ms);
	void (*interrupt)(struct rn_link *link); /* makes a running wait() return 0 at once */

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

/* Lists the adapters of a configuration and starts nothing. Stores name, addresses and limits of
 * the first n adapters in info[]. The configuration is one of these:
 * - `path` is not NULL: the file `path`
 * - an adapter is open: the configuration of the running adapters, even if the file has changed
 * - $SOFTRNIC_CONFIG is set: the file that $SOFTRNIC_CONFIG names
 * - else: two adapters that are joined inside the process (built in)
 *
 * Returns the number of adapters, or -errno with a sentence in err (file, line, key, the text
 * found, what is allowed). */
int rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err, size_t errlen);

/* Opens adapter `index`. The first call starts the runtime (DPDK's EAL, the network ports, the
 * threads of the shards). Every open needs a close. The last close stops the network ports and
 * threads; the EAL is never restarted within a process. Returns 0, or -errno with a sentence in
 * err. -ENODEV: there is no such adapter, or its device was removed. */
int rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err, size_t errlen);
void rn_link_close(struct rn_link *link);

/* Removes the device of a running adapter from DPDK, as if the device had been unplugged. Meant for
 * giving the device back to the system, and for tests. On return all work requests have completed
 * as flushed, and RN_EVENT_PORT_GONE can be taken. The adapter cannot be opened again until the
 * runtime stops. The call waits for all shards, so a thread must not make the call while a shard
 * may be waiting for this thread. Returns 0, also if the device was removed before. -ENOENT: no
 * running adapter has this name. */
int rn_link_unplug(const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
