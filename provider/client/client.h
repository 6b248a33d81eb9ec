/* The structs behind the opaque types of include/rn/client.h. */
#ifndef CLIENT_H
#define CLIENT_H

#include "client/lock.h"
#include "rn/client.h"

#include <pthread.h>

struct rn_client {
	struct rn_link *link;
	bool owns_link;
	struct rn_link_info info;
};

/* How far the reader of a CQ has read the rings that one shard writes. Indices count all CQEs that
 * this shard has written since the CQ was created. `base` is the index of slot 0 of `ring`. */
struct rn_client_cq_feed {
	struct rn_cq_ring *ring; /* NULL until the first QP of the shard attaches */
	uint64_t base;
	uint64_t consumed; /* index of the first unread CQE */
	/* the CQEs before this index were written before the CQ last fired, and cause no further
	 * firing */
	uint64_t fired;
	/* the CQEs before this index were checked, and do not meet the armed condition */
	uint64_t scanned;
};

struct rn_client_cq {
	struct rn_client *client;
	uint32_t id;
	struct rn_cq_view *view;
	struct rn_lock lock; /* guards the fields below */
	enum rn_cq_arm armed;
	uint32_t turn; /* the shard whose rings the next poll reads first */
	uint32_t nfeeds;
	struct rn_client_cq_feed feed[RN_MAX_SHARDS];
};

struct rn_client_srq {
	struct rn_client *client;
	uint32_t id;
	struct rn_srq_shared *shared; /* valid until rn_client_srq_destroy() */
	uint32_t max_sge, max_length;
	uint32_t armed;	      /* the armed limit; 0: not armed, or the limit event has fired */
	pthread_mutex_t lock; /* serialises posts, and guards `depth` */
	uint32_t depth;
};

/* The send queue or the receive queue of a QP. */
struct rn_client_queue {
	_Atomic uint32_t posted; /* number of work requests posted since the QP was created */
	uint32_t depth;
	uint32_t max_sge;
};

struct rn_client_qp {
	struct rn_client *client;
	struct rn_link *link; /* of `client` */
	uint32_t qpn, gen;
	uint16_t shard;
	bool has_srq, is_ud;
	uint32_t inline_bytes;
	/* written by the QP's shard; valid until rn_client_qp_destroy() */
	struct rn_qp_shared *shared;
	uint32_t max_length;
	uint32_t plain_kinds; /* kinds of work request that need no slot but the first */
	struct rn_client_queue sq, rq;
};

/* Remembers that a bind request of the window was posted to the QP, for rn_client_mw_destroy(). */
void rn_client_mw_posted(struct rn_client_mw *mw, uint32_t qpn);

/* Posts a work request that is ready for the submission ring. Any thread may call this function.
 * -ENOMEM: the send queue or receive queue is full. */
int rn_client_qp_put(struct rn_client_qp *qp, const struct rn_wqe *wqe);

/* Executes the command in *cmd and stores the response. Returns what rn_link_ops.exec returns: 0 or
 * a negative errno. */
static inline int rn_client_exec(struct rn_client *client, const struct rn_cmd *cmd,
				 struct rn_rsp *rsp)
{
	return client->link->ops->exec(client->link, cmd, rsp);
}

#endif
