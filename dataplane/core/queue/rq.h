/* Receive queue: a ring of posted receives in the QP's own memory. Runs on the shard's thread.
 * The positions `head` and `tail` grow without wrapping at the ring's size, and head <= tail.
 * `head` is the next receive to use. A receive stays in the ring until rn_rq_retire(). */
#ifndef RN_RQ_H
#define RN_RQ_H

#include "memory/mr.h"
#include "rn/abi.h"
#include "base/types.h"

struct rn_rqe {
	uint64_t wr_id;
	uint32_t length; /* number of bytes that fit into the receive's buffers */
	uint16_t num_sge;
	uint16_t bad; /* nonzero: malformed; the message that takes this receive fails */
	struct rn_sge sge[];
};

struct rn_rq {
	uint8_t *mem;
	uint32_t mask;
	uint32_t stride;
	uint32_t head, tail;
	uint32_t depth;
	uint32_t max_sge;
};

/* Returns the size in bytes of the memory for a receive queue of this depth. */
size_t rn_rq_bytes(uint32_t depth, uint32_t max_sge);
void rn_rq_init(struct rn_rq *rq, void *mem, uint32_t depth, uint32_t max_sge);

static inline struct rn_rqe *rn_rq_at(const struct rn_rq *rq, uint32_t i)
{
	return (struct rn_rqe *)(rq->mem + (size_t)(i & rq->mask) * rq->stride);
}

/* Returns the oldest receive, or NULL if the queue is empty. */
static inline struct rn_rqe *rn_rq_first(const struct rn_rq *rq)
{
	return rq->head == rq->tail ? NULL : rn_rq_at(rq, rq->head);
}

/* rn_rq_push() for a receive of one SGE, without a call. Returns false, with nothing queued, for
 * any other, and if the queue is full; rn_rq_push() then decides. */
static inline bool rn_rq_push_plain(struct rn_rq *rq, const struct rn_wqe *wqe)
{
	struct rn_rqe *e = rn_rq_at(rq, rq->tail);

	if (rn_unlikely(rq->tail - rq->head >= rq->depth || wqe->num_sge != 1 || wqe->slots != 1 ||
			!rq->max_sge))
		return false;
	e->wr_id = wqe->wr_id;
	e->sge[0] = wqe->sge[0];
	e->length = e->sge[0].length;
	e->num_sge = 1;
	e->bad = 0;
	rq->tail++;
	return true;
}

/* Copies a posted receive into the queue. Returns false if the queue is full. */
bool rn_rq_push(struct rn_rq *rq, const struct rn_wqe *wqe);

/* Removes the oldest receive. */
static inline void rn_rq_retire(struct rn_rq *rq)
{
	rn_assert(rq->head != rq->tail);
	rq->head++;
}

/* Copies n bytes of a message into the buffers of receive e, from byte `off` of the message on. off
 * + n <= e->length. Each call checks the L_Keys of the buffers into which it writes. */
enum rn_verdict rn_rq_place(const struct rn_rqe *e, const struct rn_mr_table *mrs,
			    const struct rn_mem_ops *mem, uint32_t pd, uint32_t off, uint32_t n,
			    const uint8_t *src);

#endif
