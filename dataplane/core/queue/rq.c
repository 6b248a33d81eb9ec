/* Receive queue: stores posted receives, and scatters message data into their buffers. Runs on the
 * shard's thread. */
#include "queue/rq.h"

#include <string.h>

#include "memory/mem_ops.h"

/* Returns how many bytes one receive takes in the memory of the receive queue. */
static uint32_t stride_of(uint32_t max_sge)
{
	return sizeof(struct rn_rqe) + max_sge * sizeof(struct rn_sge);
}

size_t rn_rq_bytes(uint32_t depth, uint32_t max_sge)
{
	return RN_ALIGN_UP((size_t)rn_pow2_up(depth) * stride_of(max_sge), 64);
}

void rn_rq_init(struct rn_rq *rq, void *mem, uint32_t depth, uint32_t max_sge)
{
	*rq = (struct rn_rq){
		.mem = mem,
		.mask = rn_pow2_up(depth) - 1,
		.stride = stride_of(max_sge),
		.depth = depth,
		.max_sge = max_sge,
	};
}

/* Sets all members of the queue entry *e, except wr_id, from the posted receive *w, which may have
 * any number of SGEs. */
static void fill(const struct rn_rq *rq, const struct rn_wqe *w, struct rn_rqe *e)
{
	uint64_t sum = 0;

	/* A malformed receive is queued too. It then completes, with an error, after all receives
	 * posted before it. */
	e->bad = w->num_sge > rq->max_sge || w->slots != rn_wqe_slots_sge(w->num_sge);
	e->num_sge = e->bad ? 0 : w->num_sge;
	if (e->num_sge)
		memcpy(e->sge, (const uint8_t *)w + offsetof(struct rn_wqe, sge),
		       e->num_sge * sizeof(struct rn_sge));
	for (unsigned i = 0; i < e->num_sge; i++)
		sum += e->sge[i].length;
	/* A message has at most 2^32 - 1 bytes, so a longer receive counts as 2^32 - 1 bytes
	 * long. */
	e->length = RN_MIN(sum, UINT32_MAX);
}

bool rn_rq_push(struct rn_rq *rq, const struct rn_wqe *wqe)
{
	struct rn_rqe *e = rn_rq_at(rq, rq->tail);

	if (rn_likely(rn_rq_push_plain(rq, wqe)))
		return true;
	if (rn_unlikely(rq->tail - rq->head >= rq->depth))
		return false;
	e->wr_id = wqe->wr_id;
	fill(rq, wqe, e);
	rq->tail++;
	return true;
}

enum rn_verdict rn_rq_place(const struct rn_rqe *e, const struct rn_mr_table *mrs,
			    const struct rn_mem_ops *mem, uint32_t pd, uint32_t off, uint32_t n,
			    const uint8_t *src)
{
	const struct rn_sge *s = e->sge;

	rn_assert((uint64_t)off + n <= e->length);
	for (; n; s++) {
		/* The first `off` bytes of the receive's buffers are skipped. `skip` counts the
		 * skipped bytes in this SGE, and `take` the bytes to write into this SGE behind the
		 * skipped bytes. */
		uint32_t skip = RN_MIN(off, s->length), take = RN_MIN(n, s->length - skip);
		enum rn_verdict v;

		off -= skip;
		if (!take)
			continue;
		v = rn_place(mrs, mem, s->lkey, pd, s->addr + skip, take, RN_ACCESS_LOCAL_WRITE,
			     src);
		if (v != RN_V_OK)
			return v;
		src += take;
		n -= take;
	}
	return RN_V_OK;
}
