/* Insides of the objects of include/rn/client.h. */
#ifndef CLIENT_H
#define CLIENT_H

#include "rn/client.h"

#include <pthread.h>

struct rn_client {
	struct rn_link *link;
	bool owns_link;
	struct rn_link_info info;
};

/* Where the reader stands in the rings that one shard feeds. Indices count all entries of that
 * shard since the CQ was made: `base` is the index of slot 0 of `ring`. */
struct rn_client_cq_feed {
	struct rn_cq_ring *ring; /* NULL until the first QP of the shard attaches */
	uint64_t base;
	uint64_t consumed; /* first unread entry */
	uint64_t fired;	   /* entries before this one have been the cause of a firing */
	uint64_t scanned;  /* entries before this one do not meet the armed condition */
};

struct rn_client_cq {
	struct rn_client *client;
	uint32_t id;
	struct rn_cq_view *view;
	pthread_mutex_t lock; /* all below */
	enum rn_cq_arm armed;
	uint32_t turn; /* shard to visit first */
	uint32_t nfeeds;
	struct rn_client_cq_feed feed[RN_MAX_SHARDS];
};

struct rn_client_srq {
	struct rn_client *client;
	uint32_t id;
	struct rn_srq_shared *shared; /* valid until destroy */
	uint32_t max_sge, max_length;
	uint32_t armed;	      /* the limit until it has fired; 0: not armed */
	pthread_mutex_t lock; /* order of posting, and: */
	uint32_t depth;
};

/* One direction of a queue pair. */
struct rn_client_queue {
	pthread_mutex_t lock; /* order of posting */
	_Atomic uint32_t posted;
	uint32_t depth;
	uint32_t max_sge;
};

struct rn_client_qp {
	struct rn_client *client;
	uint32_t qpn, gen, shard;
	struct rn_qp_shared *shared; /* the shard writes it; valid until destroy */
	uint32_t inline_bytes, max_length;
	bool has_srq, is_ud;
	struct rn_client_queue sq, rq;
};

/* Posts a whole request; -ENOMEM: as many as the depth are outstanding. Any thread. */
int rn_client_qp_put(struct rn_client_qp *qp, const struct rn_wqe *wqe);

/* cmd->client and the response are the caller's business; -ENODEV and so on pass through. */
static inline int rn_client_exec(struct rn_client *client, const struct rn_cmd *cmd,
				 struct rn_rsp *rsp)
{
	return client->link->ops->exec(client->link, cmd, rsp);
}

#endif
