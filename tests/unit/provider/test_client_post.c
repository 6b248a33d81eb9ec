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
#include <string.h>

static struct rn_qp_shared shared;
static struct rn_srq_shared srq_shared;
static struct rn_cq_view view;
static unsigned submitted;
static bool at_once; /* what submit() returns */
static _Atomic unsigned rung;
static struct {
	_Alignas(RN_SLOT_BYTES) uint8_t bytes[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES];
} last; /* the last request that reached submit() */

static int exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	rsp->id = 3;
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

struct poster {
	struct rn_client_qp *qp;
	unsigned refused;
};

static void *post_many(void *arg)
{
	struct poster *p = arg;

	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < POSTS;) {
		struct rn_client_wr wr = {.kind = RN_WQE_SEND, .wr_id = i};
		int rc = rn_client_qp_post(p->qp, &wr);

		if (rc == 0)
			i++;
		else
			p->refused++;
		if (rc != 0 && rc != -ENOMEM)
			return "another errno than -ENOMEM";
		if (rc != 0)
			sched_yield();
	}
	return NULL;
}

/* With a depth of one work request per thread, no post may be refused: each thread has at most one
 * work request outstanding. With a smaller depth, never more work requests than the depth may be
 * outstanding. */
static void threads_share_the_depth_of_a_queue(void **state)
{
	static const struct rn_link_ops retiring = {.exec = exec,
						    .submit = submit_and_retire,
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
		if (init.sq_depth == POSTERS)
			assert_int_equal(refused, 0);
		assert_int_equal(rn_client_qp_destroy(qp), 0);
	}
	rn_client_cq_destroy(init.send_cq);
	rn_client_close(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_carry_their_operands_in_a_second_slot),
		cmocka_unit_test(a_request_in_its_queue_rings_no_doorbell),
		cmocka_unit_test(both_ways_build_the_same_request),
		cmocka_unit_test(threads_share_the_depth_of_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
