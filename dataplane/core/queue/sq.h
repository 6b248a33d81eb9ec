/* Send queue: a ring of work requests in the QP's own memory, kept as posted (with SGEs and keys,
 * never pointers). Runs on the shard's thread.
 *
 * Positions count modulo 2^32, not modulo the ring's size: head <= send <= started <= tail.
 *	[head, send)     sent at least once, waiting for the peer
 *	[send, started)  have PSNs, to be sent (again); `send` itself may be sent in part
 *	[started, tail)  posted, without a PSN */
#ifndef RN_SQ_H
#define RN_SQ_H

#include <string.h>

#include "memory/mr.h"
#include "rn/abi.h"
#include "base/types.h"

/* A work request in the send queue: the WQE of abi.h, with the requester's state in place of the
 * fields QPN, generation and sequence. Further slots follow as in the WQE. */
struct rn_sqe {
	uint8_t kind;
	uint8_t slots;
	uint16_t flags;
	uint32_t first_psn; /* valid once the work request has started */
	uint32_t npkts;	    /* number of PSNs that the work request uses */
	uint16_t num_sge;
	/* error with which the work request completes in queue order (enum rn_status); 0 = no
	 * error */
	uint8_t status;
	uint8_t verdict; /* enum rn_verdict that led to `status` */
	uint64_t wr_id;
	uint64_t remote_va;
	uint32_t rkey;
	uint32_t imm;
	uint32_t length;
	/* nonzero: do not execute this BIND or INVALIDATE (again), because it was executed or its
	 * memory window is being destroyed */
	uint32_t ran;
	union {
		struct rn_sge sge[1];
		uint8_t inl[16];
		struct rn_bind bind;
	};
};
static_assert(sizeof(struct rn_sqe) == RN_SLOT_BYTES, "one slot");
static_assert(offsetof(struct rn_sqe, sge) == offsetof(struct rn_wqe, sge), "further slots fit");
static_assert(offsetof(struct rn_sqe, wr_id) == offsetof(struct rn_wqe, wr_id),
	      "copied as a block");

/* clang-format off */
/* The kinds of work request that each type of QP can post. A work request of another kind is queued
 * and fails in queue order (docs/spec/rocev2.md 4.13, 5.1). */
#define RN_SQ_KIND_ROWS(X) \
	/* kind        RC     UC     UD */ \
	X(NOP,         true,  true,  true) \
	X(SEND,        true,  true,  true) \
	X(SEND_IMM,    true,  true,  true) \
	X(SEND_INVAL,  true,  false, false) \
	X(WRITE,       true,  true,  false) \
	X(WRITE_IMM,   true,  true,  false) \
	X(READ,        true,  false, false) \
	X(CMP_SWAP,    true,  false, false) \
	X(FETCH_ADD,   true,  false, false) \
	X(BIND,        true,  true,  false) \
	X(INVALIDATE,  true,  true,  false)
/* clang-format on */

/* Returns the kinds of work request that a QP of this type can post: bits 1 << enum rn_wqe_kind. */
uint32_t rn_sq_kinds(uint8_t type);

struct rn_sq {
	uint8_t *mem;
	uint32_t mask;
	uint32_t stride; /* bytes from one work request to the next */
	uint32_t head, send, started, tail;
	uint32_t depth;
	uint16_t max_sge, max_inline;
	uint32_t kinds; /* kinds of work request that can be posted: bits 1 << enum rn_wqe_kind */
	/* the kinds of work request for which the checks of rn_sq_has_plain_form() are enough */
	uint32_t plain_kinds;
	bool ud; /* the QP is a UD QP: each SEND has a struct rn_ud in its last slot */
};

/* Returns the size in bytes of the memory for the send queue of a QP of this type. */
size_t rn_sq_bytes(uint32_t depth, uint32_t max_sge, uint32_t max_inline, uint8_t type);
void rn_sq_init(struct rn_sq *sq, void *mem, uint32_t depth, uint32_t max_sge, uint32_t max_inline,
		uint8_t type);

static inline struct rn_sqe *rn_sq_at(const struct rn_sq *sq, uint32_t i)
{
	return (struct rn_sqe *)(sq->mem + (size_t)(i & sq->mask) * sq->stride);
}

/* Is this kind of work request a SEND, a SEND with immediate data or a SEND with invalidate? */
static inline bool rn_sq_is_send(uint8_t kind)
{
	return kind == RN_WQE_SEND || kind == RN_WQE_SEND_IMM || kind == RN_WQE_SEND_INVAL;
}

static inline bool rn_sq_is_write(uint8_t kind)
{
	return kind == RN_WQE_WRITE || kind == RN_WQE_WRITE_IMM;
}

/* Does this kind of work request bind or invalidate a memory window? Such a work request is
 * executed locally in queue order, without packets. */
static inline bool rn_sq_is_local(uint8_t kind)
{
	return kind == RN_WQE_BIND || kind == RN_WQE_INVALIDATE;
}

static inline bool rn_sq_is_atomic(uint8_t kind)
{
	return kind == RN_WQE_CMP_SWAP || kind == RN_WQE_FETCH_ADD;
}

/* Is this kind of work request a READ or an atomic? READs and atomics are completed by their
 * responses, never by an ACK. At most max_rd_atomic READs and atomics are outstanding. */
static inline bool rn_sq_is_fetch(uint8_t kind)
{
	return kind == RN_WQE_READ || rn_sq_is_atomic(kind);
}

/* Returns the operands of atomic e, which are in the second slot of e. */
static inline const struct rn_atomic *rn_sq_operands(const struct rn_sqe *e)
{
	return (const struct rn_atomic *)((const uint8_t *)e + RN_SLOT_BYTES);
}

/* Returns the destination of SEND e on a UD QP, which is in the last slot of e. */
static inline const struct rn_ud *rn_sq_ud(const struct rn_sqe *e)
{
	return (const struct rn_ud *)((const uint8_t *)e + (size_t)(e->slots - 1) * RN_SLOT_BYTES);
}

/* Returns true if e, the copy of a posted work request's first slot, is well-formed and has one SGE
 * and one slot. The result is false for some well-formed requests too. */
static inline bool rn_sq_has_plain_form(const struct rn_sq *sq, const struct rn_sqe *e)
{
	uint32_t word;

	/* One comparison for several members: the kind is below 32 (the application may have
	 * written any number, and a shift by 32 or more would be undefined), there is one slot, and
	 * RN_WQE_INLINE is not set. */
	static_assert(offsetof(struct rn_sqe, slots) == 1 && offsetof(struct rn_sqe, flags) == 2,
		      "the members of the word");
	memcpy(&word, e, sizeof(word));
	return (word & (0xE0u | 0xFF00u | (uint32_t)RN_WQE_INLINE << 16)) == 1u << 8 &&
	       sq->plain_kinds >> e->kind & 1 && e->num_sge == 1 && e->sge[0].length == e->length &&
	       e->length <= RN_MSG_MAX;
}

/* Puts e, the copy of a posted work request at the tail of the send queue, into the queue. */
static inline void rn_sq_enter(struct rn_sq *sq, struct rn_sqe *e, uint8_t status)
{
	e->status = status;
	/* These members hold the requester's state, which starts at 0. The copy has filled them
	 * with the WQE's QPN, generation and sequence, which are no longer needed. */
	e->first_psn = e->npkts = e->ran = 0;
	e->verdict = 0;
	sq->tail++;
}

/* rn_sq_push() for a work request of the most frequent form, without a call. Returns false, with
 * nothing queued, for any other, and if the queue is full; rn_sq_push() then decides. */
static inline bool rn_sq_push_plain(struct rn_sq *sq, const struct rn_wqe *wqe)
{
	struct rn_sqe *e = rn_sq_at(sq, sq->tail);

	if (rn_unlikely(sq->tail - sq->head >= sq->depth))
		return false;
	memcpy(e, wqe, RN_SLOT_BYTES);
	if (rn_unlikely(!rn_sq_has_plain_form(sq, e)))
		return false;
	rn_sq_enter(sq, e, RN_STATUS_SUCCESS);
	return true;
}

/* Copies a posted work request into the send queue. Returns false if the application has exceeded
 * the queue depth. A malformed work request is queued with an error status, and fails in queue
 * order. */
bool rn_sq_push(struct rn_sq *sq, const struct rn_wqe *wqe);

/* Copy n bytes of the message of work request e, from byte `off` of the message on. off + n <=
 * e->length. rn_sq_gather() copies out of the memory that the SGEs name, and rn_sq_place() copies
 * into that memory. If icrc is not NULL, rn_sq_gather() continues the CRC *icrc over the bytes in
 * dst. Each call checks the L_Keys of the SGEs that it uses. */
enum rn_verdict rn_sq_gather(const struct rn_sqe *e, const struct rn_mr_table *mrs,
			     const struct rn_mem_ops *mem, uint32_t pd, uint32_t off, uint32_t n,
			     uint8_t *dst, uint32_t *icrc);
enum rn_verdict rn_sq_place(const struct rn_sqe *e, const struct rn_mr_table *mrs,
			    const struct rn_mem_ops *mem, uint32_t pd, uint32_t off, uint32_t n,
			    const uint8_t *src);

#endif
