/* What a client posts: some work requests reach a shard, others are refused at the call. The depth
 * of a queue is enforced when several threads post to it at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/client.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static struct rn_qp_shared shared;
static struct rn_srq_shared srq_shared;
static struct rn_mw_shared mw_shared;
static uint32_t destroyed_on; /* the QPN of the last DESTROY_MW */
static struct rn_cq_view view;
static unsigned submitted;
static bool at_once; /* what submit() returns */
static _Atomic unsigned rung;
static struct {
	_Alignas(RN_SLOT_BYTES) uint8_t bytes[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES];
} last; /* the last request that reached submit() */

static int exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	rsp->id = cmd->op == RN_CMD_CREATE_MW ? 0x12345677 : 3;
	if (cmd->op == RN_CMD_CREATE_MW)
		rsp->mw.shared = (uintptr_t)&mw_shared;
	if (cmd->op == RN_CMD_DESTROY_MW)
		destroyed_on = cmd->destroy_mw.qpn;
	if (cmd->op == RN_CMD_CREATE_QP)
		rsp->qp.shared = (uintptr_t)&shared;
	if (cmd->op == RN_CMD_CREATE_SRQ)
		rsp->srq.shared = (uintptr_t)&srq_shared;
	return 0;
}

static bool submit(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe)
{
	memset(&last, 0xEE, sizeof(last));
	memcpy(last.bytes, wqe, (size_t)wqe->slots * RN_SLOT_BYTES);
	submitted++;
	return at_once;
}

static void doorbell(struct rn_link *link, uint32_t shard)
{
	rung++;
}

static uint32_t shard_of(struct rn_link *link, uint32_t qpn)
{
	return 0;
}

static struct rn_cq_view *cq_view(struct rn_link *link, uint32_t cq)
{
	return &view;
}

static void one_shard(struct rn_link *link, struct rn_link_info *info)
{
	memset(info, 0, sizeof(*info));
	info->shards = 1;
	info->max_cqe = info->max_queue_depth = 100;
	info->max_sge = 4;
	info->max_inline = 64;
	info->max_msg = 1000;
}

static const struct rn_link_ops ops = {.exec = exec,
				       .submit = submit,
				       .doorbell = doorbell,
				       .shard_of = shard_of,
				       .cq_view = cq_view,
				       .info = one_shard};
static struct rn_link fake = {&ops};

static void atomics_carry_their_operands_in_a_second_slot(void **state)
{
	static const struct {
		uint8_t kind;
		uint16_t flags;
		uint32_t num_sge;
		int rc;
		bool no_operands;
	} rows[] = {
		{RN_WQE_CMP_SWAP, 0, 1, 0},
		{RN_WQE_FETCH_ADD, RN_WQE_SIGNALED, 1, 0},
		{RN_WQE_CMP_SWAP, 0, 0, -EINVAL},
		{RN_WQE_FETCH_ADD, 0, 2, -EINVAL},
		{RN_WQE_FETCH_ADD, RN_WQE_INLINE, 1, -EINVAL},
		{RN_WQE_FETCH_ADD, 0, 1, -EINVAL, true},
	};
	const struct rn_atomic operands = {.swap_add = 11, .compare = 12};
	const struct rn_sge sge[2] = {{0x5000, 8, 77}, {0x6000, 8, 78}};
	struct rn_client *client = rn_client_attach(&fake);
	struct rn_client_qp_init init = {.sq_depth = 10, .sq_sge = 4, .inline_bytes = 64};
	struct rn_client_qp *qp;

	view.shared = &(struct rn_cq_shared){0};
	assert_int_equal(rn_client_cq_create(client, 8, 0, 0, &init.send_cq), 0);
	init.recv_cq = init.send_cq;
	assert_int_equal(rn_client_qp_create(client, &init, &qp), 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_wqe *w = (struct rn_wqe *)last.bytes;
		struct rn_client_wr wr = {.kind = rows[i].kind,
					  .flags = rows[i].flags,
					  .wr_id = 9,
					  .remote_va = 0x7000,
					  .rkey = 5,
					  .sge = sge,
					  .num_sge = rows[i].num_sge,
					  .atomic = rows[i].no_operands ? NULL : &operands};

		submitted = 0;
		rung = 0;
		assert_int_equal(rn_client_qp_post(qp, &wr), rows[i].rc);
		assert_int_equal(submitted, rows[i].rc == 0);
		assert_int_equal(rung, rows[i].rc == 0);
		if (rows[i].rc)
			continue;
		assert_int_equal(w->kind, rows[i].kind);
		assert_int_equal(w->slots, 2);
		assert_int_equal(w->num_sge, 1);
		assert_int_equal(w->length, 8);
		assert_int_equal(w->remote_va, 0x7000);
		assert_int_equal(w->rkey, 5);
		assert_memory_equal(w->sge, &sge[0], sizeof(sge[0]));
		assert_int_equal(rn_wqe_atomic(w)->swap_add, 11);
		assert_int_equal(rn_wqe_atomic(w)->compare, 12);
	}
	assert_int_equal(rn_client_qp_destroy(qp), 0);
	rn_client_cq_destroy(init.send_cq);
	rn_client_close(client);
}

/* A BIND names the window by a key of the front end's; an INVALIDATE has a key only. */
static void binds_and_invalidates_have_no_data(void **state)
{
	const struct rn_sge sge = {0x5000, 8, 77};
	struct rn_client *client = rn_client_attach(&fake);
	struct rn_client_qp_init init = {.sq_depth = 10, .sq_sge = 4, .inline_bytes = 64};
	struct rn_wqe *w = (struct rn_wqe *)last.bytes;
	struct rn_client_wr_bind bind = {.length = 9, .lkey = 8, .access = 7};
	struct rn_client_qp *qp;
	uint32_t posted;

	view.shared = &(struct rn_cq_shared){0};
	assert_int_equal(rn_client_cq_create(client, 8, 0, 0, &init.send_cq), 0);
	init.recv_cq = init.send_cq;
	assert_int_equal(rn_client_qp_create(client, &init, &qp), 0);
	assert_int_equal(rn_client_mw_create(client, 0, &bind.mw), 0);
	assert_int_equal(rn_client_mw_id(bind.mw), 0x12345677);
	const struct rn_client_wr good[2] = {{.kind = RN_WQE_BIND,
					      .flags = RN_WQE_REBIND,
					      .wr_id = 4,
					      .remote_va = 0x7000,
					      .rkey = 0x12345600,
					      .bind = &bind},
					     {.kind = RN_WQE_INVALIDATE, .imm = 0x12345600}};
	struct rn_client_wr bad[5] = {good[0], good[0], good[0], good[0], good[1]};

	bad[0].bind = NULL;
	bad[1].rkey ^= 0x100; /* of another window */
	bad[2].flags |= RN_WQE_INLINE;
	bad[3].sge = bad[4].sge = &sge;
	bad[3].num_sge = bad[4].num_sge = 1;
	submitted = 0;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(rn_client_qp_post(qp, &bad[i]), -EINVAL);
	assert_int_equal(rn_client_qp_post_list(qp, bad, 1, &posted), -EINVAL);
	assert_int_equal(submitted, 0);
	assert_int_equal(rn_client_qp_post(qp, &good[0]), 0);
	assert_int_equal(w->kind, RN_WQE_BIND);
	assert_int_equal(w->slots, 1);
	assert_int_equal(w->flags, RN_WQE_REBIND);
	assert_int_equal(w->num_sge, 0);
	assert_int_equal(w->length, 0);
	assert_int_equal(w->remote_va, 0x7000);
	assert_int_equal(w->rkey, 0x12345600);
	assert_int_equal(w->bind.length, 9);
	assert_int_equal(w->bind.lkey, 8);
	assert_int_equal(w->bind.access, 7);
	assert_int_equal(rn_client_qp_post(qp, &good[1]), 0);
	assert_int_equal(w->kind, RN_WQE_INVALIDATE);
	assert_int_equal(w->imm, 0x12345600);
	assert_int_equal(rn_client_mw_destroy(bind.mw), 0);
	assert_int_equal(destroyed_on, rn_client_qp_number(qp));
	assert_int_equal(rn_client_qp_destroy(qp), 0);
	rn_client_cq_destroy(init.send_cq);
	rn_client_close(client);
}

/* A SEND needs the doorbell unless the shard has put it into its queue. A receive needs the
 * doorbell only in a state in which it fails at once, and only if it went through the submission
 * ring. */
static void a_request_in_its_queue_rings_no_doorbell(void **state)
{
	static const struct {
		uint8_t kind, state;
		bool at_once;
		unsigned rung;
	} rows[] = {
		{RN_WQE_SEND, RN_QPS_RTS, false, 1}, {RN_WQE_SEND, RN_QPS_RTS, true, 0},
		{RN_WQE_RECV, RN_QPS_RTS, false, 0}, {RN_WQE_RECV, RN_QPS_RTS, true, 0},
		{RN_WQE_RECV, RN_QPS_ERR, false, 1}, {RN_WQE_RECV, RN_QPS_ERR, true, 0},
	};
	struct rn_client *client = rn_client_attach(&fake);
	struct rn_client_qp_init init = {.sq_depth = 10, .rq_depth = 10, .sq_sge = 1, .rq_sge = 1};
	struct rn_client_qp *qp;

	view.shared = &(struct rn_cq_shared){0};
	atomic_store(&shared.sq_retired, 0);
	assert_int_equal(rn_client_cq_create(client, 8, 0, 0, &init.send_cq), 0);
	init.recv_cq = init.send_cq;
	assert_int_equal(rn_client_qp_create(client, &init, &qp), 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_client_wr wr = {.kind = rows[i].kind};

		rung = 0;
		at_once = rows[i].at_once;
		atomic_store(&shared.state, rows[i].state);
		assert_int_equal(rn_client_qp_post(qp, &wr), 0);
		assert_int_equal(rung, rows[i].rung);
	}
	at_once = false;
	assert_int_equal(rn_client_qp_destroy(qp), 0);
	rn_client_cq_destroy(init.send_cq);
	rn_client_close(client);
}

/* A work request of one SGE takes a short way through the client. A second SGE of length 0, which
 * is left out, keeps it on the general way. Both ways must lead to the same slots and the same
 * errors, for every kind, flag and length, and every sort of QP. */
static void both_ways_build_the_same_request(void **state)
{
	static const uint8_t kinds[] = {RN_WQE_NOP,	  RN_WQE_SEND,
					RN_WQE_SEND_IMM,  RN_WQE_SEND_INVAL,
					RN_WQE_WRITE,	  RN_WQE_WRITE_IMM,
					RN_WQE_READ,	  RN_WQE_CMP_SWAP,
					RN_WQE_BIND,	  RN_WQE_INVALIDATE,
					RN_WQE_RECV,	  RN_WQE_RECV + 1,
					32 + RN_WQE_SEND, 255};
	static const uint16_t flags[] = {0, RN_WQE_SIGNALED, RN_WQE_FENCE | RN_WQE_SOLICITED,
					 RN_WQE_INLINE};
	static const uint32_t lengths[] = {0, 1, 64, 65, 500, 501, 0xFFFFFFFF};
	static uint8_t data[64];
	struct rn_client *client = rn_client_attach(&fake);
	struct rn_client_srq_init srq_init = {.depth = 4, .max_sge = 1};
	struct rn_client_srq *srq;
	struct rn_client_cq *cq;
	unsigned taken = 0;

	view.shared = &(struct rn_cq_shared){0};
	assert_int_equal(rn_client_cq_create(client, 8, 0, 0, &cq), 0);
	assert_int_equal(rn_client_srq_create(client, &srq_init, &srq), 0);
	for (unsigned sort = 0; sort < 4; sort++) {
		struct rn_client_qp_init init = {.send_cq = cq,
						 .recv_cq = cq,
						 .type = sort == 1 ? RN_QPT_UD : RN_QPT_RC,
						 .srq = sort == 2 ? srq : NULL,
						 .sq_depth = 1,
						 .rq_depth = sort == 2 ? 0 : 1,
						 .sq_sge = 2,
						 .rq_sge = 2,
						 .inline_bytes = 64,
						 .max_length = 500};
		struct rn_client_qp *qp;

		assert_int_equal(rn_client_qp_create(client, &init, &qp), 0);
		for (unsigned i = 0; i < sizeof(kinds) * 4 * 7; i++) {
			const struct rn_sge sge[2] = {{(uintptr_t)data, lengths[i % 7], 77},
						      {0, 0, 78}};
			struct rn_client_wr wr = {.kind = kinds[i / 28],
						  .flags = flags[i / 7 % 4],
						  .wr_id = 0x1234567890ABCDEF,
						  .remote_va = 0xFEDCBA0987654321,
						  .rkey = 0x11223344,
						  .imm = 0x55667788,
						  .sge = sge,
						  .atomic = &(struct rn_atomic){1, 2},
						  .ud = &(struct rn_ud){.qpn = 5, .qkey = 6}};
			uint8_t built[2][sizeof(last.bytes)];
			int rc[2];

			/* atomics of two SGEs are refused, so the two ways cannot be compared */
			if (wr.kind == RN_WQE_CMP_SWAP && wr.flags != RN_WQE_INLINE)
				continue;
			for (unsigned general = 0; general < 2; general++) {
				/* sort 3: full queues */
				atomic_store(&shared.sq_retired,
					     atomic_load(&qp->sq.posted) - (sort == 3));
				atomic_store(&shared.rq_retired,
					     atomic_load(&qp->rq.posted) - (sort == 3));
				memset(&last, 0, sizeof(last));
				wr.num_sge = 1 + general;
				rc[general] = rn_client_qp_post(qp, &wr);
				memcpy(built[general], last.bytes, sizeof(last.bytes));
			}
			assert_int_equal(rc[0], rc[1]);
			assert_memory_equal(built[0], built[1], sizeof(last.bytes));
			taken += rc[0] == 0;
		}
		atomic_store(&shared.sq_retired, 0);
		atomic_store(&shared.rq_retired, 0);
		assert_int_equal(rn_client_qp_destroy(qp), 0);
	}
	assert_in_range(taken, 200, 1000);
	rn_client_srq_destroy(srq);
	rn_client_cq_destroy(cq);
	rn_client_close(client);
}

/* ---- lists ---- */

#define LIST_MAX  90
#define LIST_RUNS 3000

/* What reached the link: the bytes of all slots in their order, and how many work requests came in
 * how many calls. */
static struct {
	_Alignas(RN_SLOT_BYTES) uint8_t bytes[2 * LIST_MAX * RN_WQE_MAX_SLOTS * RN_SLOT_BYTES];
	size_t used;
	unsigned requests, calls;
} stream;

static bool keep_one(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe)
{
	bool is_inline = wqe->flags & RN_WQE_INLINE;
	size_t n = (size_t)wqe->slots * RN_SLOT_BYTES;
	size_t end = offsetof(struct rn_wqe, sge) +
		     (is_inline ? wqe->length : wqe->num_sge * sizeof(struct rn_sge));

	/* the rest of a slot may have any content, and so only this part is kept */
	if (wqe->kind == RN_WQE_CMP_SWAP)
		end += sizeof(struct rn_atomic);
	memcpy(stream.bytes + stream.used, wqe, end);
	if (end <= n - RN_SLOT_BYTES) /* the destination of a datagram */
		memcpy(stream.bytes + stream.used + n - RN_SLOT_BYTES,
		       (const uint8_t *)wqe + n - RN_SLOT_BYTES, RN_SLOT_BYTES);
	stream.used += n;
	stream.requests++;
	return at_once;
}

/* Checks what struct rn_link_ops asks of a list. */
static bool keep_list(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe, uint32_t n)
{
	const struct rn_wqe *first = wqe;

	assert_in_range(n, 1, RN_LINK_LIST_SLOTS);
	assert_int_equal((uintptr_t)wqe % RN_SLOT_BYTES, 0);
	assert_in_range(rn_wqe_behind(wqe, n) - wqe, n, RN_LINK_LIST_SLOTS);
	for (; n > 0; n--, wqe += wqe->slots) {
		assert_int_equal(wqe->kind == RN_WQE_RECV, first->kind == RN_WQE_RECV);
		keep_one(link, shard, wqe);
	}
	stream.calls++;
	return at_once;
}

static const struct rn_link_ops list_ops = {.exec = exec,
					    .submit = keep_one,
					    .submit_list = keep_list,
					    .doorbell = doorbell,
					    .shard_of = shard_of,
					    .cq_view = cq_view,
					    .info = one_shard};
static struct rn_link list_link = {&list_ops};

struct list_qp {
	struct rn_client *client;
	struct rn_client_cq *cq;
	struct rn_client_srq *srq;
	struct rn_client_qp *qp;
};

static struct list_qp open_qp(bool with_srq, enum rn_qp_type type, uint32_t depth)
{
	struct list_qp l = {.client = rn_client_attach(&list_link)};
	struct rn_client_srq_init srq_init = {.depth = 4, .max_sge = 1};
	struct rn_client_qp_init init = {.type = type,
					 .sq_depth = depth,
					 .rq_depth = with_srq ? 0 : depth,
					 .sq_sge = 4,
					 .rq_sge = 2,
					 .inline_bytes = 64,
					 .max_length = 500};

	view.shared = &(struct rn_cq_shared){0};
	atomic_store(&shared.state, RN_QPS_RTS);
	atomic_store(&shared.sq_retired, 0);
	atomic_store(&shared.rq_retired, 0);
	atomic_store(&list_link.gone, 0);
	assert_int_equal(rn_client_cq_create(l.client, 8, 0, 0, &l.cq), 0);
	init.send_cq = init.recv_cq = l.cq;
	assert_int_equal(rn_client_srq_create(l.client, &srq_init, &l.srq), 0);
	init.srq = with_srq ? l.srq : NULL;
	assert_int_equal(rn_client_qp_create(l.client, &init, &l.qp), 0);
	memset(&stream, 0, sizeof(stream));
	at_once = false;
	rung = 0;
	return l;
}

static void close_qp(struct list_qp *l)
{
	assert_int_equal(rn_client_qp_destroy(l->qp), 0);
	rn_client_srq_destroy(l->srq);
	rn_client_cq_destroy(l->cq);
	rn_client_close(l->client);
}

static uint32_t random_below(uint32_t n)
{
	static uint32_t x = 1;

	x = x * 1664525 + 1013904223;
	return (x >> 8) % n;
}

/* Makes a work request of any form; about one in 40 is wrong. With `calm`, makes SENDs and WRITEs
 * only, and one in 500 is wrong, so that long lists come about. */
static struct rn_client_wr any_request(uint64_t wr_id, bool calm)
{
	static const struct rn_atomic operands = {1, 2};
	static const struct rn_ud to = {.qpn = 5, .qkey = 6};
	static uint8_t data[512];
	static struct rn_sge sge[5];
	static const uint8_t kinds[] = {RN_WQE_SEND, RN_WQE_WRITE, RN_WQE_RECV,
					RN_WQE_SEND, RN_WQE_READ,  RN_WQE_CMP_SWAP};
	struct rn_client_wr wr = {.kind = kinds[random_below(calm	       ? 2
							     : random_below(2) ? 3
									       : 6)],
				  .flags = random_below(4) == 0 ? RN_WQE_SIGNALED : 0,
				  .wr_id = wr_id,
				  .remote_va = 0x7000,
				  .rkey = 5,
				  .sge = sge,
				  .num_sge = 1,
				  .atomic = random_below(20) ? &operands : NULL,
				  .ud = calm || random_below(60) ? &to : NULL};

	for (unsigned i = 0; i < 5; i++)
		sge[i] = (struct rn_sge){(uintptr_t)data, 8, 77 + i};
	if (wr.kind == RN_WQE_SEND && random_below(3) == 0)
		wr.flags |= RN_WQE_INLINE;
	if (wr.kind != RN_WQE_CMP_SWAP && random_below(3) == 0)
		wr.num_sge = random_below(calm ? 160 : 13) == 0 ? 5 : random_below(5);
	return wr;
}

/* A list has the same effect as single posts: the same slots reach the link in the same order, the
 * same number is posted, and the error is that of the first one that is refused, whether the queue
 * is full or the work request is wrong. */
static void a_list_is_posted_like_single_requests(void **state)
{
	unsigned full = 0, wrong = 0, whole = 0, cut = 0;

	for (unsigned run = 0; run < LIST_RUNS; run++) {
		uint32_t n = random_below(LIST_MAX), posted = 12345, one = 0;
		struct list_qp l = open_qp(run % 8 == 0, run % 8 == 1 ? RN_QPT_UD : RN_QPT_RC,
					   1 + random_below(80));
		uint32_t used[2] = {random_below(l.qp->sq.depth + 1),
				    random_below(l.qp->rq.depth + 1)};
		static struct rn_client_wr wr[LIST_MAX];
		static typeof(stream) expected;
		int rc = 0, got = 0;

		for (unsigned i = 0; i < n; i++)
			wr[i] = any_request(i, run % 2 == 0);
		if (run % 16 == 2)
			list_link.gone = 1;
		for (unsigned lists = 0; lists < 2; lists++) {
			memset(&stream, 0, sizeof(stream));
			atomic_store(&l.qp->sq.posted, used[0]);
			atomic_store(&l.qp->rq.posted, used[1]);
			if (lists) {
				got = rn_client_qp_post_list(l.qp, wr, n, &posted);
				break;
			}
			while (one < n && (rc = rn_client_qp_post(l.qp, &wr[one])) == 0)
				one++;
			expected = stream;
		}
		assert_int_equal(got, rc);
		assert_int_equal(posted, one);
		assert_int_equal(stream.requests, one);
		assert_int_equal(stream.used, expected.used);
		assert_memory_equal(stream.bytes, expected.bytes, stream.used);
		assert_int_equal(rn_client_qp_outstanding(l.qp), used[0] + used[1] + one);
		full += rc == -ENOMEM && posted > 0;
		wrong += rc != 0 && rc != -ENOMEM && posted > 0;
		whole += rc == 0 && n > RN_LINK_LIST_SLOTS;
		cut += stream.calls > 1;
		close_qp(&l);
	}
	assert_in_range(full, 100, LIST_RUNS);
	assert_in_range(wrong, 100, LIST_RUNS);
	assert_in_range(cut, 100, LIST_RUNS);
	printf("%u full, %u wrong, %u whole, %u in parts\n", full, wrong, whole, cut);
}

/* One reservation and one doorbell serve a whole list of plain requests. */
static void a_list_goes_to_the_link_at_once(void **state)
{
	static const struct rn_sge sge = {0x5000, 8, 77};
	struct list_qp l = open_qp(false, RN_QPT_RC, 40);
	struct rn_client_wr wr[40];
	uint32_t posted = 7;

	for (unsigned i = 0; i < 40; i++)
		wr[i] = (struct rn_client_wr){.kind = RN_WQE_SEND, .sge = &sge, .num_sge = 1};
	assert_int_equal(rn_client_qp_post_list(l.qp, wr, 0, &posted), 0);
	assert_int_equal(posted, 0);
	assert_int_equal(stream.calls, 0);
	assert_int_equal(rn_client_qp_post_list(l.qp, wr, RN_LINK_LIST_SLOTS, &posted), 0);
	assert_int_equal(posted, RN_LINK_LIST_SLOTS);
	assert_int_equal(stream.calls, 1);
	assert_int_equal(rung, 1);
	/* a list that is in its queue already rings no doorbell, and more than the queue holds is
	 * posted in part */
	at_once = true;
	assert_int_equal(rn_client_qp_post_list(l.qp, wr, 40, &posted), -ENOMEM);
	assert_int_equal(posted, 40 - RN_LINK_LIST_SLOTS);
	assert_int_equal(rung, 1);
	assert_int_equal(rn_client_qp_post_list(l.qp, wr, 1, &posted), -ENOMEM);
	assert_int_equal(posted, 0);
	/* receives ring the doorbell only if they fail at once */
	at_once = false;
	for (unsigned i = 0; i < 40; i++)
		wr[i].kind = RN_WQE_RECV;
	assert_int_equal(rn_client_qp_post_list(l.qp, wr, 2, &posted), 0);
	assert_int_equal(rung, 1);
	atomic_store(&shared.state, RN_QPS_ERR);
	assert_int_equal(rn_client_qp_post_list(l.qp, wr, 2, &posted), 0);
	assert_int_equal(rung, 2);
	close_qp(&l);
}

/* All requests reach the link as single posts would, or, when one of them is wrong or the queue has
 * no room for all, none does and the queue is as before. */
static void requests_are_posted_all_or_none(void **state)
{
	unsigned whole = 0, full = 0, wrong = 0;

	for (unsigned run = 0; run < LIST_RUNS; run++) {
		uint32_t n = random_below(run % 2 ? 20 : LIST_MAX), one = 0;
		struct list_qp l = open_qp(false, run % 8 == 1 ? RN_QPT_UD : RN_QPT_RC, LIST_MAX);
		uint32_t used = random_below(LIST_MAX + 1) * (run % 3 == 0);
		static struct rn_client_wr wr[LIST_MAX];
		static typeof(stream) expected;
		int rc = 0, got;

		at_once = run % 2;
		for (unsigned i = 0; i < n; i++)
			wr[i] = any_request(i, run % 4 != 0);
		for (; one < n && rc == 0; one++)
			rc = wr[one].kind == RN_WQE_RECV ? -EINVAL
							 : rn_client_qp_post(l.qp, &wr[one]);
		list_link.gone = run % 64 == 2;
		if (rc == 0 && n > 0 && list_link.gone)
			rc = -ENODEV;
		else if (rc == 0 && n > LIST_MAX - used)
			rc = -ENOMEM;
		expected = stream;
		memset(&stream, 0, sizeof(stream));
		rung = 0;
		atomic_store(&l.qp->sq.posted, used);
		got = rn_client_qp_post_all(l.qp, wr, n);
		assert_int_equal(got, rc);
		assert_int_equal(stream.requests, rc == 0 ? n : 0);
		assert_int_equal(rn_client_qp_outstanding(l.qp), used + (rc == 0 ? n : 0));
		assert_int_equal(rung, rc == 0 && n > 0 && !at_once);
		if (rc == 0)
			assert_memory_equal(stream.bytes, expected.bytes, expected.used);
		whole += rc == 0 && n > RN_LINK_LIST_SLOTS;
		full += rc == -ENOMEM;
		wrong += rc != 0 && rc != -ENOMEM && rc != -ENODEV;
		close_qp(&l);
	}
	assert_in_range(whole, 100, LIST_RUNS);
	assert_in_range(full, 100, LIST_RUNS);
	assert_in_range(wrong, 100, LIST_RUNS);
}

static void too_many_sges_are_not_read(void **state)
{
	struct list_qp l = open_qp(false, RN_QPT_RC, 4);
	struct rn_client_wr wr = {RN_WQE_SEND, .sge = (struct rn_sge *)8, .num_sge = UINT32_MAX};

	assert_int_equal(rn_client_qp_post(l.qp, &wr), -E2BIG);
	close_qp(&l);
}

static unsigned srq_posts;

static void srq_post(struct rn_link *link, uint32_t srq, const struct rn_wqe *wqe)
{
	assert_int_equal(wqe->wr_id, srq_posts);
	srq_posts++;
	atomic_fetch_add(&srq_shared.posted, 1);
}

static void a_list_of_shared_receives_ends_with_the_first_refused(void **state)
{
	static const struct rn_sge sge[2] = {{0x5000, 8, 77}, {0x6000, 8, 78}};
	static const struct {
		unsigned n, two_sges, too_long, taken, posted; /* index of the wrong one, or 99 */
		int rc;
		bool gone;
	} rows[] = {
		{0, 99, 99, 0, 0, 0},
		{4, 99, 99, 0, 4, 0},
		{1, 99, 99, 0, 0, -ENOMEM},
		{3, 99, 99, 2, 2, -ENOMEM},
		{4, 1, 99, 4, 1, -E2BIG},
		{4, 99, 2, 1, 2, -EMSGSIZE},
		{2, 99, 99, 2, 0, -ENODEV, true},
	};
	struct rn_link_ops with_srq = list_ops;
	struct rn_link link = {&with_srq};
	struct rn_client *client = rn_client_attach(&link);
	struct rn_client_srq_init init = {.depth = 4, .max_sge = 1, .max_length = 100};
	struct rn_client_srq *srq;

	with_srq.srq_post = srq_post;
	atomic_store(&srq_shared.posted, 0);
	atomic_store(&srq_shared.taken, 0);
	srq_posts = 0;
	assert_int_equal(rn_client_srq_create(client, &init, &srq), 0);
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct rn_client_wr wr[4];
		struct rn_sge longer = {0x5000, 101, 77};
		uint32_t posted = 99;

		for (unsigned i = 0; i < 4; i++)
			wr[i] = (struct rn_client_wr){.kind = RN_WQE_RECV,
						      .wr_id = srq_posts + i,
						      .sge = i == rows[r].too_long ? &longer : sge,
						      .num_sge = i == rows[r].two_sges ? 2 : 1};
		atomic_fetch_add(&srq_shared.taken, rows[r].taken);
		link.gone = rows[r].gone;
		assert_int_equal(rn_client_srq_post_list(srq, wr, rows[r].n, &posted), rows[r].rc);
		assert_int_equal(posted, rows[r].posted);
	}
	link.gone = 0;
	assert_int_equal(rn_client_srq_destroy(srq), 0);
	rn_client_close(client);
}

/* ---- several threads post to one queue ---- */

#define POSTERS 4
#define POSTS	100000

static _Atomic unsigned in_queue, most;
static pthread_barrier_t start;

/* A shard that completes each work request while it is posted. Counts the work requests between
 * posting and completion. */
static bool submit_and_retire(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe)
{
	unsigned n = atomic_fetch_add(&in_queue, 1) + 1, former = atomic_load(&most);

	while (n > former && !atomic_compare_exchange_weak(&most, &former, n))
		;
	if (wqe->wr_id % 1024 == 0)
		sched_yield();
	atomic_fetch_sub(&in_queue, 1);
	atomic_fetch_add(&shared.sq_retired, 1);
	return true;
}

static bool submit_and_retire_list(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe,
				   uint32_t n)
{
	for (; n > 0; n--, wqe += wqe->slots)
		submit_and_retire(link, shard, wqe);
	return true;
}

struct poster {
	bool lists;
	struct rn_client_qp *qp;
	unsigned refused;
};

static void *post_many(void *arg)
{
	struct poster *p = arg;

	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < POSTS;) {
		struct rn_client_wr wr[3] = {{.kind = RN_WQE_SEND, .wr_id = i},
					     {.kind = RN_WQE_SEND, .wr_id = i + 1},
					     {.kind = RN_WQE_SEND, .wr_id = i + 2}};
		uint32_t n = !p->lists ? 1 : POSTS - i < 3 ? POSTS - i : 3, posted = 0;
		int rc = p->lists ? rn_client_qp_post_list(p->qp, wr, n, &posted)
				  : rn_client_qp_post(p->qp, wr);

		i += p->lists ? posted : rc == 0;
		if (rc != 0)
			p->refused++;
		if (rc != 0 && rc != -ENOMEM)
			return "another errno than -ENOMEM";
		if (rc != 0)
			sched_yield();
	}
	return NULL;
}

/* With a depth of one work request per thread, no post may be refused: each thread has at most one
 * work request outstanding. With a smaller depth, or with lists, never more work requests than the
 * depth may be outstanding. */
static void share_the_depth_of_a_queue(bool lists)
{
	static const struct rn_link_ops retiring = {.exec = exec,
						    .submit = submit_and_retire,
						    .submit_list = submit_and_retire_list,
						    .doorbell = doorbell,
						    .shard_of = shard_of,
						    .cq_view = cq_view,
						    .info = one_shard};
	static struct rn_link link = {&retiring};
	struct rn_client *client = rn_client_attach(&link);
	struct rn_client_qp_init init = {.sq_sge = 1};

	view.shared = &(struct rn_cq_shared){0};
	assert_int_equal(rn_client_cq_create(client, 8, 0, 0, &init.send_cq), 0);
	init.recv_cq = init.send_cq;
	for (init.sq_depth = 1; init.sq_depth <= POSTERS; init.sq_depth++) {
		struct poster p[POSTERS] = {0};
		pthread_t t[POSTERS];
		struct rn_client_qp *qp;
		unsigned refused = 0;
		void *why;

		atomic_store(&shared.sq_retired, 0);
		atomic_store(&most, 0);
		assert_int_equal(rn_client_qp_create(client, &init, &qp), 0);
		assert_int_equal(pthread_barrier_init(&start, NULL, POSTERS), 0);
		for (unsigned i = 0; i < POSTERS; i++) {
			p[i].qp = qp;
			p[i].lists = lists;
			assert_int_equal(pthread_create(&t[i], NULL, post_many, &p[i]), 0);
		}
		for (unsigned i = 0; i < POSTERS; i++) {
			pthread_join(t[i], &why);
			assert_null(why);
			refused += p[i].refused;
		}
		pthread_barrier_destroy(&start);
		assert_int_equal(atomic_load(&shared.sq_retired), POSTERS * POSTS);
		assert_int_equal(rn_client_qp_outstanding(qp), 0);
		assert_in_range(atomic_load(&most), 1, init.sq_depth);
		if (init.sq_depth == POSTERS && !lists)
			assert_int_equal(refused, 0);
		assert_int_equal(rn_client_qp_destroy(qp), 0);
	}
	rn_client_cq_destroy(init.send_cq);
	rn_client_close(client);
}

static void threads_share_the_depth_of_a_queue(void **state)
{
	share_the_depth_of_a_queue(false);
}

static void lists_of_threads_share_the_depth_of_a_queue(void **state)
{
	share_the_depth_of_a_queue(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_carry_their_operands_in_a_second_slot),
		cmocka_unit_test(binds_and_invalidates_have_no_data),
		cmocka_unit_test(a_request_in_its_queue_rings_no_doorbell),
		cmocka_unit_test(both_ways_build_the_same_request),
		cmocka_unit_test(a_list_is_posted_like_single_requests),
		cmocka_unit_test(a_list_goes_to_the_link_at_once),
		cmocka_unit_test(requests_are_posted_all_or_none),
		cmocka_unit_test(too_many_sges_are_not_read),
		cmocka_unit_test(a_list_of_shared_receives_ends_with_the_first_refused),
		cmocka_unit_test(threads_share_the_depth_of_a_queue),
		cmocka_unit_test(lists_of_threads_share_the_depth_of_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
