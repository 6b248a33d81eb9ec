/* Send queue: stores posted work requests, and walks their scatter/gather lists. Runs on the
 * shard's thread.
 *
 * The form of a work request is checked once, when it is posted: the slot count, the number of
 * SGEs, and whether the lengths of the SGEs add up to the length of the work request. Keys are
 * checked when memory is accessed. */
#include "queue/sq.h"

#include <string.h>

#include "memory/mem_ops.h"
#include "wire/icrc.h"

/* The kinds of work request that have a message of up to RN_MSG_MAX bytes in SGEs. On a UD QP they
 * have a further slot. */
#define PLAIN_KINDS                                                            \
	(1u << RN_WQE_SEND | 1u << RN_WQE_SEND_IMM | 1u << RN_WQE_SEND_INVAL | \
	 1u << RN_WQE_WRITE | 1u << RN_WQE_WRITE_IMM | 1u << RN_WQE_READ)

/* Returns how many bytes one work request takes in the memory of the send queue. These bytes
 * include room for the operands of an atomic and, on a UD QP, for the destination. */
static uint32_t stride_of(uint32_t max_sge, uint32_t max_inline, uint8_t type)
{
	uint32_t a = rn_wqe_slots_sge(max_sge), b = rn_wqe_slots_inline(max_inline);
	uint32_t slots = RN_MAX(a, b) + (type == RN_QPT_UD ? RN_UD_SLOTS : 0);

	return RN_MAX(slots, (uint32_t)RN_ATOMIC_SLOTS) * RN_SLOT_BYTES;
}

size_t rn_sq_bytes(uint32_t depth, uint32_t max_sge, uint32_t max_inline, uint8_t type)
{
	return (size_t)rn_pow2_up(depth) * stride_of(max_sge, max_inline, type);
}

uint32_t rn_sq_kinds(uint8_t type)
{
	uint32_t kinds[RN_QPT_UD + 1] = {0};

#define X(kind, rc, uc, ud)                                 \
	kinds[RN_QPT_RC] |= (rc ? 1u : 0) << RN_WQE_##kind; \
	kinds[RN_QPT_UC] |= (uc ? 1u : 0) << RN_WQE_##kind; \
	kinds[RN_QPT_UD] |= (ud ? 1u : 0) << RN_WQE_##kind;
	RN_SQ_KIND_ROWS(X)
#undef X
	rn_assert(type <= RN_QPT_UD);
	return kinds[type];
}

void rn_sq_init(struct rn_sq *sq, void *mem, uint32_t depth, uint32_t max_sge, uint32_t max_inline,
		uint8_t type)
{
	*sq = (struct rn_sq){
		.mem = mem,
		.mask = rn_pow2_up(depth) - 1,
		.stride = stride_of(max_sge, max_inline, type),
		.depth = depth,
		.max_sge = max_sge,
		.max_inline = max_inline,
		.kinds = rn_sq_kinds(type),
		.plain_kinds = max_sge && type != RN_QPT_UD ? rn_sq_kinds(type) & PLAIN_KINDS : 0,
		.ud = type == RN_QPT_UD,
	};
}

/* Checks the form of an atomic: its operands are in a second slot, and one SGE of 8 bytes receives
 * the former value of the memory word. */
static uint8_t status_of_atomic(const struct rn_sq *sq, const struct rn_wqe *w)
{
	if (w->slots != RN_ATOMIC_SLOTS || w->flags & RN_WQE_INLINE || w->num_sge > 1 ||
	    !sq->max_sge)
		return RN_STATUS_LOC_QP_OP_ERR;
	return w->num_sge == 1 && w->length == RN_ATOMIC_BYTES &&
			       w->sge[0].length == RN_ATOMIC_BYTES
		       ? RN_STATUS_SUCCESS
		       : RN_STATUS_LOC_LEN_ERR;
}

/* Returns the status with which a malformed work request fails, or SUCCESS if the form is
 * correct. */
static uint8_t status_of_form(const struct rn_sq *sq, const struct rn_wqe *w)
{
	uint64_t sum = 0;
	unsigned extra = sq->ud && rn_sq_is_send(w->kind) ? RN_UD_SLOTS : 0;

	/* The application may have written any number as the kind. A shift by 32 or more would be
	 * undefined. */
	if (w->kind >= 32 || !(sq->kinds >> w->kind & 1))
		return RN_STATUS_LOC_QP_OP_ERR;
	/* BIND and INVALIDATE have one slot and no data. */
	if (rn_sq_is_local(w->kind))
		return w->length || w->num_sge || w->slots != 1 || w->flags & RN_WQE_INLINE
			       ? RN_STATUS_LOC_QP_OP_ERR
			       : RN_STATUS_SUCCESS;
	if (rn_sq_is_atomic(w->kind))
		return status_of_atomic(sq, w);
	if (w->length > RN_MSG_MAX)
		return RN_STATUS_LOC_LEN_ERR;
	/* Inline data are in the slots, in place of SGEs. A READ sends no data, and so cannot be
	 * inline. */
	if (w->flags & RN_WQE_INLINE) {
		if (w->kind == RN_WQE_READ || w->num_sge || w->length > sq->max_inline ||
		    w->slots != rn_wqe_slots_inline(w->length) + extra)
			return RN_STATUS_LOC_QP_OP_ERR;
		return RN_STATUS_SUCCESS;
	}
	if (w->num_sge > sq->max_sge || w->slots != rn_wqe_slots_sge(w->num_sge) + extra)
		return RN_STATUS_LOC_QP_OP_ERR;
	for (unsigned i = 0; i < w->num_sge; i++)
		sum += w->sge[i].length;
	return sum == w->length ? RN_STATUS_SUCCESS : RN_STATUS_LOC_LEN_ERR;
}

/* Checks the form of a posted work request, whose first slot has been copied to e. Copies the other
 * slots of a well-formed work request. Returns the status with which a malformed work request
 * fails, or SUCCESS. */
static uint8_t check_form(const struct rn_sq *sq, const struct rn_wqe *w, struct rn_sqe *e)
{
	uint8_t status = (size_t)w->slots * RN_SLOT_BYTES > sq->stride || !w->slots
				 ? RN_STATUS_LOC_QP_OP_ERR
				 : status_of_form(sq, w);

	/* Copy only the first slot of a malformed work request: its slot count cannot be
	 * trusted. */
	if (rn_unlikely(w->slots > 1) && status == RN_STATUS_SUCCESS)
		memcpy((uint8_t *)e + RN_SLOT_BYTES, (const uint8_t *)w + RN_SLOT_BYTES,
		       (size_t)(w->slots - 1) * RN_SLOT_BYTES);
	return status;
}

bool rn_sq_push(struct rn_sq *sq, const struct rn_wqe *wqe)
{
	struct rn_sqe *e = rn_sq_at(sq, sq->tail);

	if (rn_likely(rn_sq_push_plain(sq, wqe)))
		return true;
	if (rn_unlikely(sq->tail - sq->head >= sq->depth))
		return false;
	memcpy(e, wqe, RN_SLOT_BYTES);
	rn_sq_enter(sq, e, check_form(sq, wqe, e));
	return true;
}

/* Returns the SGEs of a work request. sge[] is declared with one SGE; the others are in the slots
 * behind it. */
static const struct rn_sge *sge_list(const struct rn_sqe *e)
{
	return (const struct rn_sge *)((const uint8_t *)e + offsetof(struct rn_sqe, sge));
}

enum rn_verdict rn_sq_gather(const struct rn_sqe *e, const struct rn_mr_table *mrs,
			     const struct rn_mem_ops *mem, uint32_t pd, uint32_t off, uint32_t n,
			     uint8_t *dst, uint32_t *icrc)
{
	const struct rn_sge *s = sge_list(e);

	rn_assert((uint64_t)off + n <= e->length);
	if (e->flags & RN_WQE_INLINE) {
		memcpy(dst, (const uint8_t *)e + offsetof(struct rn_sqe, inl) + off, n);
		if (icrc)
			*icrc = rn_icrc_add(*icrc, dst, n);
		return RN_V_OK;
	}
	for (; n; s++) {
		/* Skips to byte `off` of the message, then takes what is left of this SGE. */
		uint32_t skip = RN_MIN(off, s->length), take = RN_MIN(n, s->length - skip);
		enum rn_verdict v;

		off -= skip;
		if (!take)
			continue;
		v = rn_gather(mrs, mem, s->lkey, pd, s->addr + skip, take, 0, dst, icrc);
		if (v != RN_V_OK)
			return v;
		dst += take;
		n -= take;
	}
	return RN_V_OK;
}

enum rn_verdict rn_sq_place(const struct rn_sqe *e, const struct rn_mr_table *mrs,
			    const struct rn_mem_ops *mem, uint32_t pd, uint32_t off, uint32_t n,
			    const uint8_t *src)
{
	const struct rn_sge *s = sge_list(e);

	rn_assert((uint64_t)off + n <= e->length && !(e->flags & RN_WQE_INLINE));
	for (; n; s++) {
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
