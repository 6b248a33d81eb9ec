/* softrnic: how a front end reaches a NIC. The provider talks through `struct rn_link` and nothing else.
 *
 * Today there is one implementation, in-process (dataplane/nic/inproc.c); a daemon's shared-memory link can stand
 * beside it without the provider noticing. A link is one adapter (one port): its shards, its ids, its events.
 * All functions may be called from any thread unless a line says otherwise.
 */
#ifndef RN_LINK_H
#define RN_LINK_H

#include "rn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rn_link;

#define RN_MAX_SHARDS 16
#define RN_MAX_GIDS   16

/* What an adapter need not be able to do. */
enum rn_link_feature {
	RN_LINK_CQ_RESIZE = 1 << 0, /* RN_CMD_RESIZE_CQ */
};

/* What an adapter is and can do. All limits can be had at once. */
struct rn_link_info {
	uint32_t abi_version;
	uint32_t shards;
	uint32_t features;          /* enum rn_link_feature */
	uint64_t guid;
	uint8_t mac[6];
	uint16_t mtu;               /* Ethernet payload bytes */
	uint8_t max_path_mtu;       /* enum 1..5 */
	uint8_t ngids;
	uint8_t link_up;
	uint8_t max_rd_atomic;      /* both directions */
	struct rn_gid gids[RN_MAX_GIDS];
	uint8_t prefix_len[RN_MAX_GIDS]; /* of the subnet on the link, in bits of the address's own family */
	uint8_t gateway4, gateway6; /* whether peers elsewhere can be reached */
	uint32_t max_qp, max_cq, max_mr, max_pd, max_cm;
	uint32_t max_srq;
	uint32_t max_queue_depth;   /* requests per queue, shared ones too */
	uint32_t max_cqe;
	uint32_t max_sge, max_inline;
	uint32_t max_msg;           /* bytes */
	uint64_t max_mr_bytes;
	char name[32];              /* adapter name of the configuration */
	char port[12], idle[12];    /* kind of the port and idle policy, as the configuration calls them */
	uint8_t hugepages;          /* packets are in hugepages; known once the adapter runs */
};

/* A CQ as its reader sees it. first[s]: oldest ring of shard s, set once when the first QP of that shard attaches
 * (release); the reader remembers where it is and follows ring->next. */
struct rn_cq_view {
	struct rn_cq_shared *shared;
	RN_ATOMIC(struct rn_cq_ring *) first[RN_MAX_SHARDS];
};

struct rn_link_ops {
	/* Executes one command and waits for its response (bounded: the shard answers between two bursts). Never
	 * overtakes work already submitted by this thread. Returns rsp->err. -ENODEV once the port is gone (commands
	 * that destroy still succeed). */
	int (*exec)(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp);

	/* Enqueues one work request (wqe->slots consecutive slots, copied) on the ring of the shard that owns wqe->qpn.
	 * Waits for ring space (momentary by construction). The caller has checked queue depth. */
	void (*submit)(struct rn_link *link, const struct rn_wqe *wqe);
	/* After one or several submits to shard `shard`: wakes it if it sleeps. Inline: may make a turn. */
	void (*doorbell)(struct rn_link *link, uint32_t shard);
	/* The shard that owns a QPN. */
	uint32_t (*shard_of)(struct rn_link *link, uint32_t qpn);

	/* Puts one receive into a shared receive queue: visible to all shards on return. One thread at a time per queue, which
	 * has checked that there is room, and that the request is one of the queue's. */
	void (*srq_post)(struct rn_link *link, uint32_t srq, const struct rn_wqe *wqe);

	/* The reader's view of a CQ; valid from CREATE_CQ until DESTROY_CQ. */
	struct rn_cq_view *(*cq_view)(struct rn_link *link, uint32_t cq);
	/* The reader of `cq` has drained `ring` and moved to ring->next: it may be freed. */
	void (*cq_ring_done)(struct rn_link *link, uint32_t cq, struct rn_cq_ring *ring);

	/* Called by whoever polls a CQ and found nothing, and by waiters: under the inline idle policy it makes a turn (or
	 * does nothing when another thread is at it); else nothing. */
	void (*progress)(struct rn_link *link);

	/* Takes up to n events, waiting at most timeout_ms (-1 = until one comes or rn_link_interrupt). One thread at a
	 * time. Returns the number taken. */
	unsigned (*wait)(struct rn_link *link, struct rn_event *ev, unsigned n, int timeout_ms);
	void (*interrupt)(struct rn_link *link); /* makes a running wait return 0 early */

	void (*info)(struct rn_link *link, struct rn_link_info *info);
	/* Counters by name: calls fn for each, any thread. */
	void (*stats)(struct rn_link *link, void (*fn)(void *arg, const char *name, uint64_t value), void *arg);
};

struct rn_link {
	const struct rn_link_ops *ops;
	RN_ATOMIC(uint32_t) gone; /* the port is gone; set before RN_EVENT_PORT_GONE can be taken */
};

#pragma GCC visibility push(default)

/* Reads the configuration (path, else $SOFTRNIC_CONFIG, else the embedded default: two adapters joined inside the
 * process) and tells which adapters it names, without starting anything. Fills names/addresses of up to n adapters in
 * info (limits too). While adapters are open and path is NULL: those that run, whatever the file says by now. Returns
 * the number of adapters, or -errno with a sentence in err (file, line, key, what was found, what is allowed). */
int rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err, size_t errlen);

/* Starts the runtime (EAL, ports, lcores) on first use and opens adapter `index`. Counted: every open needs a close;
 * the last close stops the ports and lcores. EAL itself is never restarted within a process. 0 or -errno with a
 * sentence in err; -ENODEV: there is no such adapter, or its device is gone. */
int rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err, size_t errlen);
void rn_link_close(struct rn_link *link);

/* Takes the device of a running adapter out of DPDK, as if it had been pulled out; for its owner who wants it back, and
 * for tests of what applications make of that. On return every request has completed as flushed and RN_EVENT_PORT_GONE
 * waits to be taken; the adapter stays as it is, gone, until the runtime stops, and cannot be opened again before. Any
 * thread that no shard waits for. 0, also when it is gone already; -ENOENT: no running adapter has this name. */
int rn_link_unplug(const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
