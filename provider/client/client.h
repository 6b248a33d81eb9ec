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

/* The reader's position in the rings that one shard writes. Indices count all entries of that
 * shard since the CQ was created: `base` is the index of slot 0 of `ring`. */
struct rn_client_cq_feed {
	struct rn_cq_ring *ring; /* NULL until the first QP of the shard attaches */
	uint64_t base;
	uint64_t consumed; /* first unread entry */
	uint64_t fired;	   /* entries before this one have already caused a firing */
	uint64_t scanned;  /* entries before this one do not meet the armed condition */
};

struct rn_client_cq {
	struct rn_client *client;
	uint32_t id;
	struct rn_cq_view *view;
	pthread_mutex_t lock; /* guards all below */
	enum rn_cq_arm armed;
	uint32_t turn; /* the shard to read first */
	uint32_t nfeeds;
	struct rn_client_cq_feed feed[RN_MAX_SHARDS];
};

struct rn_client_srq {
	struct rn_client *client;
	uint32_t id;
	struct rn_srq_shared *shared; /* valid until destroy */
	uint32_t max_sge, max_length;
	uint32_t armed;	      /* the armed limit; 0: not armed, or fired */
	pthread_mutex_t lock; /* keeps the order of posting, and guards: */
	uint32_t depth;
};

/* One direction of a queue pair. */
struct rn_client_queue {
	pthread_mutex_t lock; /* keeps the order of posting */
	_Atomic uint32_t posted;
	uint32_t depth;
	uint32_t max_sge;
};

struct rn_client_qp {
	struct rn_client *client;
	uint32_t qpn, gen, shard;
	struct rn_qp_shared *shared; /* written by the shard; valid until destroy */
	uint32_t inline_bytes, max_length;
	bool has_srq, is_ud;
	struct rn_client_queue sq, rq;
};

/* Posts a complete request. -ENOMEM: as many as the queue's depth are outstanding. Any thread. */
int rn_client_qp_put(struct rn_client_qp *qp, const struct rn_wqe *wqe);

/* The caller fills in the command and reads the response; errors of the link (-ENODEV and so on)
 * are returned as they are. */
static inline int rn_client_exec(struct rn_client *client, const struct rn_cmd *cmd,
				 struct rn_rsp *rsp)
{
	return client->link->ops->exec(client->link, cmd, rsp);
}

#endif
