/* Queue pairs: checks that the send or receive queue has room, and translates each work request
 * into slots of the submission ring of the QP's shard.
 *
 * The depth is enforced exactly. `posted` counts the work requests of the application. `retired`,
 * written by the shard, counts the finished work requests, with or without a CQE. (posted -
 * retired) never exceeds the depth, so the shard's queue has room for all work requests in the
 * ring.
 *
 * Any thread may call these functions, and several threads at once may post to one queue without a
 * lock. Work requests that two threads post at the same time have no order. */
#include "client/client.h"
#include "client/sgl.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static bool within_limits(const struct rn_link_info *info, const struct rn_client_qp_init *init)
{
	return init->sq_depth <= info->max_queue_depth && init->rq_depth <= info->max_queue_depth &&
	       init->sq_sge <= info->max_sge && init->rq_sge <= info->max_sge &&
	       init->inline_bytes <= info->max_inline && init->max_length <= info->max_msg;
}

static void queue_init(struct rn_client_queue *q, uint32_t depth, uint32_t max_sge)
{
	q->depth = depth;
	q->max_sge = max_sge;
}

/* The kinds of work request that consist of SGEs only: no operands and no destination follow. */
#define PLAIN_KINDS                                                            \
	(1u << RN_WQE_SEND | 1u << RN_WQE_SEND_IMM | 1u << RN_WQE_SEND_INVAL | \
	 1u << RN_WQE_WRITE | 1u << RN_WQE_WRITE_IMM | 1u << RN_WQE_READ | 1u << RN_WQE_RECV)

/* Returns the kinds of work request that build_plain() may translate for this QP: bits 1 << enum
 * rn_wqe_kind. SENDs of a UD QP need a destination, a QP with an SRQ takes no receives, and a queue
 * may take no SGE. */
static uint32_t plain_kinds(const struct rn_client_qp *qp)
{
	const uint32_t recv = 1u << RN_WQE_RECV;
	uint32_t kinds = qp->sq.max_sge != 0 ? PLAIN_KINDS : PLAIN_KINDS & recv;

	if (qp->is_ud)
		kinds &= ~(1u << RN_WQE_SEND | 1u << RN_WQE_SEND_IMM);
	if (qp->has_srq || qp->rq.max_sge == 0)
		kinds &= ~recv;
	return kinds;
}

int rn_client_qp_create(struct rn_client *client, const struct rn_client_qp_init *init,
			struct rn_client_qp **out)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP, .user = init->user};
	struct rn_rsp rsp = {0};
	struct rn_client_qp *qp;
	int rc;

	if (!within_limits(&client->info, init))
		return -EINVAL;
	qp = calloc(1, sizeof(*qp));
	if (qp == NULL)
		return -ENOMEM;
	cmd.create_qp.pd = init->pd;
	cmd.create_qp.type = init->type;
	cmd.create_qp.send_cq = init->send_cq->id;
	cmd.create_qp.recv_cq = init->recv_cq->id;
	cmd.create_qp.srq = init->srq != NULL ? init->srq->id : 0;
	cmd.create_qp.sq_depth = init->sq_depth;
	cmd.create_qp.rq_depth = init->rq_depth;
	cmd.create_qp.sq_sge = init->sq_sge;
	cmd.create_qp.rq_sge = init->rq_sge;
	cmd.create_qp.inline_bytes = init->inline_bytes;
	cmd.create_qp.qp_ctx = init->qp_ctx;
	cmd.create_qp.affinity = init->affinity;
	rc = rn_client_exec(client, &cmd, &rsp);
	if (rc != 0) {
		free(qp);
		return rc;
	}
	qp->client = client;
	qp->link = client->link;
	qp->qpn = rsp.id;
	qp->gen = rsp.gen;
	qp->shard = client->link->ops->shard_of(client->link, rsp.id);
	qp->shared = (struct rn_qp_shared *)(uintptr_t)rsp.qp.shared;
	qp->has_srq = init->srq != NULL;
	qp->is_ud = init->type == RN_QPT_UD;
	qp->inline_bytes = init->inline_bytes;
	qp->max_length = init->max_length != 0 ? init->max_length : client->info.max_msg;
	queue_init(&qp->sq, init->sq_depth, init->sq_sge);
	queue_init(&qp->rq, init->rq_depth, init->rq_sge);
	qp->plain_kinds = plain_kinds(qp);
	*out = qp;
	return 0;
}

int rn_client_qp_modify(struct rn_client_qp *qp, const struct rn_qp_attr *attr, uint32_t mask)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp = {0};

	cmd.modify_qp.qpn = qp->qpn;
	cmd.modify_qp.gen = qp->gen;
	cmd.modify_qp.mask = mask;
	cmd.modify_qp.attr = *attr;
	return rn_client_exec(qp->client, &cmd, &rsp);
}

int rn_client_qp_query(struct rn_client_qp *qp, struct rn_qp_attr *attr)
{
	struct rn_cmd cmd = {.op = RN_CMD_QUERY_QP, .qp = {.qpn = qp->qpn, .gen = qp->gen}};
	struct rn_rsp rsp = {0};
	int rc = rn_client_exec(qp->client, &cmd, &rsp);

	if (rc == 0)
		*attr = rsp.query.attr;
	return rc;
}

int rn_client_qp_destroy(struct rn_client_qp *qp)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {.qpn = qp->qpn, .gen = qp->gen}};
	struct rn_rsp rsp = {0};
	int rc = rn_client_exec(qp->client, &cmd, &rsp);

	if (rc != 0)
		return rc;
	free(qp);
	return 0;
}

uint32_t rn_client_qp_number(const struct rn_client_qp *qp)
{
	return qp->qpn;
}

enum rn_qp_state rn_client_qp_state(const struct rn_client_qp *qp)
{
	return (enum rn_qp_state)atomic_load_explicit(&qp->shared->state, memory_order_acquire);
}

uint32_t rn_client_qp_outstanding(const struct rn_client_qp *qp)
{
	uint32_t sq = atomic_load_explicit(&qp->shared->sq_retired, memory_order_acquire);
	uint32_t rq = atomic_load_explicit(&qp->shared->rq_retired, memory_order_acquire);

	return (atomic_load(&qp->sq.posted) - sq) + (atomic_load(&qp->rq.posted) - rq);
}

static uint64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int rn_client_qp_drain(struct rn_client_qp *qp, unsigned timeout_ms)
{
	uint64_t end = monotonic_ms() + timeout_ms;

	while (rn_client_qp_outstanding(qp) != 0) {
		if (monotonic_ms() > end)
			return -ETIMEDOUT;
		rn_client_progress(qp->client);
		sched_yield();
	}
	return 0;
}

static bool is_atomic(uint8_t kind)
{
	return kind == RN_WQE_CMP_SWAP || kind == RN_WQE_FETCH_ADD;
}

/* Stores the operands of an atomic in the second slot. The SGE of the atomic is in the first slot,
 * and is cut to the length that check() has limited. An SGE of length 0 was left out; the shard
 * will then complete the atomic with an error. */
static void put_operands(struct rn_sgl_slots *out, const struct rn_atomic *operands)
{
	out->head.sge[0].length = out->head.length;
	*rn_wqe_atomic(&out->head) = *operands;
	out->head.slots = RN_ATOMIC_SLOTS;
}

static bool is_datagram(const struct rn_client_qp *qp, uint8_t kind)
{
	return qp->is_ud && (kind == RN_WQE_SEND || kind == RN_WQE_SEND_IMM);
}

/* Adds the destination of the datagram in one more slot, after the slots of the SGEs or the inline
 * data. */
static void put_address(struct rn_sgl_slots *out, const struct rn_ud *ud)
{
	struct rn_ud *slot;

	out->head.slots += RN_UD_SLOTS;
	slot = rn_wqe_ud(&out->head);
	memset(slot, 0, RN_SLOT_BYTES);
	*slot = *ud;
}

static bool is_local(uint8_t kind)
{
	return kind == RN_WQE_BIND || kind == RN_WQE_INVALIDATE;
}

/* Checks a BIND or INVALIDATE. Returns 0 or -EINVAL. */
static int check_local(const struct rn_client_wr *wr)
{
	const struct rn_client_wr_bind *b = wr->bind;

	if (wr->flags & RN_WQE_INLINE || wr->num_sge != 0)
		return -EINVAL;
	if (wr->kind == RN_WQE_BIND && (b == NULL || (rn_client_mw_id(b->mw) ^ wr->rkey) >> 8 != 0))
		return -EINVAL;
	return 0;
}

/* Adds the range and rights of a BIND, and notes which QP has a BIND of the window. */
static void put_bind(const struct rn_client_qp *qp, struct rn_sgl_slots *out,
		     const struct rn_client_wr_bind *b)
{
	out->head.bind = (struct rn_bind){b->length, b->lkey, b->access};
	rn_client_mw_posted(b->mw, qp->qpn);
}

/* Translates the most frequent form of work request, one SGE that is within the limits, in the same
 * way as build() but with fewer instructions. Returns false, with *wqe undefined, for every other
 * work request. build() then decides. */
static inline bool build_plain(const struct rn_client_qp *qp, const struct rn_client_wr *wr,
			       struct rn_wqe *wqe)
{
	uint32_t length;

	/* The application may have written any number as the kind. A shift by 32 or more would be
	 * undefined. */
	if (wr->num_sge != 1 || wr->kind >= 32 || !(qp->plain_kinds >> wr->kind & 1) ||
	    wr->flags & RN_WQE_INLINE)
		return false;
	wqe->sge[0] = rn_sgl_at(wr->sge, 0);
	length = wqe->sge[0].length;
	if (length - 1 >= qp->max_length) /* also if the length is 0 */
		return false;
	/* Each member is stored once. The compiler would fill a compound literal with zeros
	 * first. */
	wqe->kind = wr->kind;
	wqe->slots = 1;
	wqe->flags = wr->flags;
	wqe->qpn = qp->qpn;
	wqe->qp_gen = qp->gen;
	wqe->num_sge = 1;
	wqe->reserved = 0;
	wqe->wr_id = wr->wr_id;
	wqe->remote_va = wr->remote_va;
	wqe->rkey = wr->rkey;
	wqe->imm = wr->imm;
	wqe->length = length;
	wqe->seq = 0;
	return true;
}

/* Checks a work request against the limits of the QP. Returns 0 or a negative errno. If the result
 * is 0 or -EMSGSIZE, stores the length in bytes: the SGEs are only read if there are not too many
 * of them. */
static inline int check(const struct rn_client_qp *qp, const struct rn_client_queue *q,
			const struct rn_client_wr *wr, uint64_t *length)
{
	bool is_inline = wr->flags & RN_WQE_INLINE;

	if (is_atomic(wr->kind) && (is_inline || wr->num_sge != 1 || wr->atomic == NULL))
		return -EINVAL;
	if (is_datagram(qp, wr->kind) && wr->ud == NULL)
		return -EINVAL;
	if (is_local(wr->kind) && check_local(wr) != 0)
		return -EINVAL;
	if (!is_inline && wr->num_sge > q->max_sge)
		return -E2BIG;
	*length = rn_sgl_length(wr->sge, wr->num_sge);
	/* An atomic returns 8 bytes, so only the first 8 bytes of a longer SGE are written. */
	if (is_atomic(wr->kind) && *length > RN_ATOMIC_BYTES)
		*length = RN_ATOMIC_BYTES;
	return *length > (is_inline ? qp->inline_bytes : qp->max_length) ? -EMSGSIZE : 0;
}

/* Translates a work request into slots. First checks the work request against the limits of the QP.
 * A work request that exceeds a limit fails here with an errno, without an error completion. */
static int build(const struct rn_client_qp *qp, const struct rn_client_queue *q,
		 const struct rn_client_wr *wr, struct rn_sgl_slots *out)
{
	uint64_t length;
	bool is_inline = wr->flags & RN_WQE_INLINE;
	int rc = check(qp, q, wr, &length);

	if (rc != 0)
		return rc;
	memset(&out->head, 0, sizeof(out->head));
	out->head.kind = wr->kind;
	out->head.flags = wr->flags;
	out->head.qpn = qp->qpn;
	out->head.qp_gen = qp->gen;
	out->head.wr_id = wr->wr_id;
	out->head.remote_va = wr->remote_va;
	out->head.rkey = wr->rkey;
	out->head.imm = wr->imm;
	out->head.length = (uint32_t)length;
	if (is_inline)
		rn_sgl_put_inline(out, wr->sge, wr->num_sge);
	else
		rn_sgl_put_sges(out, wr->sge, wr->num_sge);
	if (is_atomic(wr->kind))
		put_operands(out, wr->atomic);
	if (is_datagram(qp, wr->kind))
		put_address(out, wr->ud);
	if (wr->kind == RN_WQE_BIND)
		put_bind(qp, out, wr->bind);
	return 0;
}

/* Returns true if a work request that was put into the submission ring needs the shard's doorbell:
 * - A post to the send queue always needs the doorbell.
 * - A receive usually needs no doorbell: a shard takes all posted receives before it handles
 *   packets.
 * - A receive in RESET or ERR needs the doorbell: no packet will wake the shard, and the caller may
 *   wait for the error completion. */
static bool must_ring(const struct rn_client_qp *qp, bool recv)
{
	enum rn_qp_state state;

	if (!recv)
		return true;
	/* Read the QP state after the post. A shard that stores the error state reads its
	 * submission ring once more. So either the shard finds this work request, or this thread
	 * sees ERR. */
	atomic_thread_fence(memory_order_seq_cst);
	state = rn_client_qp_state(qp);
	return state == RN_QPS_RESET || state == RN_QPS_ERR;
}

/* Counts n more work requests in q->posted, or as many as the queue has room for, but at least
 * `fewest`. Returns how many. 0: there is no room for `fewest`, and nothing was counted. */
static inline uint32_t reserve(struct rn_client_queue *q, _Atomic uint32_t *retired,
			       uint32_t fewest, uint32_t n)
{
	uint32_t posted = atomic_load_explicit(&q->posted, memory_order_acquire);

	for (;;) {
		uint32_t done = atomic_load_explicit(retired, memory_order_acquire);
		uint32_t used = posted - done, got;

		if (used >= q->depth || q->depth - used < fewest) {
			/* The queue has no room, unless other threads have posted since this thread
			 * read `posted`: then `done` may count work requests that `posted` does
			 * not. */
			uint32_t again = atomic_load_explicit(&q->posted, memory_order_acquire);
			if (again == posted)
				return 0;
			posted = again;
			continue;
		}
		got = n == 1 || n < q->depth - used ? n : q->depth - used;
		/* If this succeeds, no thread has posted since `posted` was read, and `retired` can
		 * only have grown. */
		if (atomic_compare_exchange_weak_explicit(&q->posted, &posted, posted + got,
							  memory_order_acq_rel,
							  memory_order_acquire))
			return got;
	}
}

/* Rings the doorbell of the shard, if a work request in the submission ring needs it. */
static __attribute__((noinline)) void ring(struct rn_client_qp *qp, bool recv)
{
	if (must_ring(qp, recv))
		qp->link->ops->doorbell(qp->link, qp->shard);
}

/* Posts a work request that is ready for the submission ring, to the send queue or, with `recv`, to
 * the receive queue. */
static inline int put(struct rn_client_qp *qp, const struct rn_wqe *wqe, bool recv)
{
	struct rn_client_queue *q = recv ? &qp->rq : &qp->sq;
	_Atomic uint32_t *retired = recv ? &qp->shared->rq_retired : &qp->shared->sq_retired;
	struct rn_link *link = qp->link;

	if (atomic_load_explicit(&link->gone, memory_order_relaxed))
		return -ENODEV;
	if (reserve(q, retired, 1, 1) == 0)
		return -ENOMEM;
	if (!link->ops->submit(link, qp->shard, wqe))
		ring(qp, recv);
	return 0;
}

int rn_client_qp_put(struct rn_client_qp *qp, const struct rn_wqe *wqe)
{
	return put(qp, wqe, wqe->kind == RN_WQE_RECV);
}

/* Translates a work request for which build_plain() is not enough. */
static __attribute__((noinline)) int
build_any(const struct rn_client_qp *qp, const struct rn_client_wr *wr, struct rn_sgl_slots *out)
{
	bool recv = wr->kind == RN_WQE_RECV;

	return recv && qp->has_srq ? -EINVAL : build(qp, recv ? &qp->rq : &qp->sq, wr, out);
}

/* Posts a work request for which build_plain() is not enough. */
static __attribute__((noinline)) int post_any(struct rn_client_qp *qp,
					      const struct rn_client_wr *wr)
{
	struct rn_sgl_slots wqe;
	int rc = build_any(qp, wr, &wqe);

	return rc != 0 ? rc : rn_client_qp_put(qp, &wqe.head);
}

int rn_client_qp_post(struct rn_client_qp *qp, const struct rn_client_wr *wr)
{
	struct rn_wqe wqe;

	if (build_plain(qp, wr, &wqe))
		return wqe.kind == RN_WQE_RECV ? put(qp, &wqe, true) : put(qp, &wqe, false);
	return post_any(qp, wr);
}

/* ---- lists of work requests ---- */

/* Work requests of one queue that are ready for the submission ring, one behind the other. */
struct batch {
	_Alignas(RN_SLOT_BYTES) struct rn_wqe slot[RN_LINK_LIST_SLOTS];
};
static_assert(RN_WQE_MAX_SLOTS <= RN_LINK_LIST_SLOTS, "room for any work request");

/* Translates the first of n work requests, as many as have room in *b and belong to one queue.
 * Returns how many. Sets *rc if it ends with one that exceeds a limit of the QP, and else leaves
 * *rc as it is. */
static inline uint32_t build_batch(const struct rn_client_qp *qp, const struct rn_client_wr *wr,
				   uint32_t n, struct batch *b, int *rc)
{
	uint32_t built = 0, used = 0;

	for (; built < n && used < RN_LINK_LIST_SLOTS; built++) {
		struct rn_wqe *w = &b->slot[used];

		if (!build_plain(qp, &wr[built], w)) {
			if (used + RN_WQE_MAX_SLOTS > RN_LINK_LIST_SLOTS)
				break;
			*rc = build_any(qp, &wr[built], (struct rn_sgl_slots *)w);
			if (*rc != 0)
				break;
		}
		if ((w->kind == RN_WQE_RECV) != (b->slot[0].kind == RN_WQE_RECV))
			break;
		used += w->slots;
	}
	return built;
}

/* Posts n work requests that are ready for the submission ring. Stores in *posted how many it has
 * posted. */
static inline int put_batch(struct rn_client_qp *qp, const struct batch *b, uint32_t n,
			    uint32_t *posted)
{
	bool recv = b->slot[0].kind == RN_WQE_RECV;
	struct rn_client_queue *q = recv ? &qp->rq : &qp->sq;
	_Atomic uint32_t *retired = recv ? &qp->shared->rq_retired : &qp->shared->sq_retired;
	struct rn_link *link = qp->link;

	*posted = 0;
	if (atomic_load_explicit(&link->gone, memory_order_relaxed))
		return -ENODEV;
	*posted = reserve(q, retired, 1, n);
	if (*posted > 0 && !link->ops->submit_list(link, qp->shard, b->slot, *posted))
		ring(qp, recv);
	return *posted == n ? 0 : -ENOMEM;
}

int rn_client_qp_post_list(struct rn_client_qp *qp, const struct rn_client_wr *wr, uint32_t n,
			   uint32_t *posted)
{
	uint32_t done = 0;
	int rc = 0;

	while (done < n && rc == 0) {
		struct batch b;
		uint32_t put = 0, built = build_batch(qp, wr + done, n - done, &b, &rc);
		int refused = built > 0 ? put_batch(qp, &b, built, &put) : 0;

		/* A work request that the queue refuses comes before one that build_batch()
		 * refuses. */
		if (refused != 0)
			rc = refused;
		done += put;
	}
	*posted = done;
	return rc;
}

/* Checks n work requests that are to be posted together. Returns 0 or the negative errno of the
 * first that is refused. */
static int check_all(const struct rn_client_qp *qp, const struct rn_client_wr *wr, uint32_t n)
{
	uint64_t length;
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = wr[i].kind == RN_WQE_RECV ? -EINVAL : check(qp, &qp->sq, &wr[i], &length);
	return rc;
}

int rn_client_qp_post_all(struct rn_client_qp *qp, const struct rn_client_wr *wr, uint32_t n)
{
	struct rn_link *link = qp->link;
	int rc = check_all(qp, wr, n);
	uint32_t done = 0;
	bool bell = false;

	if (rc != 0 || n == 0)
		return rc;
	if (atomic_load_explicit(&link->gone, memory_order_relaxed))
		return -ENODEV;
	if (reserve(&qp->sq, &qp->shared->sq_retired, n, n) == 0)
		return -ENOMEM;
	while (done < n && rc == 0) {
		struct batch b;
		uint32_t built = build_batch(qp, wr + done, n - done, &b, &rc);

		if (built > 0 && !link->ops->submit_list(link, qp->shard, b.slot, built))
			bell = true;
		done += built;
	}
	if (done < n) /* the caller has changed wr[] meanwhile */
		atomic_fetch_sub(&qp->sq.posted, n - done);
	if (bell)
		ring(qp, false);
	return rc;
}

static int change_group(struct rn_client_qp *qp, uint16_t op, const struct rn_gid *group)
{
	struct rn_cmd cmd = {.op = op, .group = {.qpn = qp->qpn, .gen = qp->gen, .gid = *group}};
	struct rn_rsp rsp = {0};

	return rn_client_exec(qp->client, &cmd, &rsp);
}

int rn_client_qp_attach(struct rn_client_qp *qp, const struct rn_gid *group)
{
	return change_group(qp, RN_CMD_ATTACH_GROUP, group);
}

int rn_client_qp_detach(struct rn_client_qp *qp, const struct rn_gid *group)
{
	return change_group(qp, RN_CMD_DETACH_GROUP, group);
}
