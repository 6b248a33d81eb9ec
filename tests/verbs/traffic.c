/* Data and completions: what a QP sends arrives, in order, once, and is reported as verbs programs
 * expect it. Each test runs between two adapters, and between two QPs of one adapter. */
#include "side.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static unsigned other; /* the device of the second end: 0 or 1 */

static void fill(uint8_t *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(i * 7 + seed);
}

static void assert_success(struct ibv_wc wc, uint64_t wr_id, enum ibv_wc_opcode opcode)
{
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.opcode, opcode);
}

static int post(struct side *s, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int rc = ibv_post_send(s->qp, wr, &bad);

	if (rc == 0)
		assert_null(bad);
	return rc;
}

/* Several SGEs, several requests in a list, immediate data, inline data that is reused at once. */
static void sends_arrive_in_order(void **state)
{
	struct side a, b;
	struct ibv_wc wc;

	side_connect(&a, &b, 0, other, 16);
	fill(a.buf, 5000, 1);
	for (unsigned i = 0; i < 3; i++)
		side_recv(&b, 100 + i, i * 8192, 8192);
	char text[32] = "inline data";
	struct ibv_sge some[3] = {{(uintptr_t)a.buf, 1000, a.mr->lkey},
				  {(uintptr_t)a.buf + 1000, 1, a.mr->lkey},
				  {(uintptr_t)a.buf + 1001, 3999, a.mr->lkey}};
	struct ibv_sge in = {(uintptr_t)text, sizeof(text), 0};
	struct ibv_send_wr third = {.wr_id = 3,
				    .opcode = IBV_WR_SEND_WITH_IMM,
				    .imm_data = 0x01020304,
				    .send_flags = IBV_SEND_SIGNALED};
	struct ibv_send_wr second = {.wr_id = 2,
				     .next = &third,
				     .sg_list = &in,
				     .num_sge = 1,
				     .opcode = IBV_WR_SEND,
				     .send_flags = IBV_SEND_INLINE};
	struct ibv_send_wr first = {.wr_id = 1,
				    .next = &second,
				    .sg_list = some,
				    .num_sge = 3,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED};
	assert_int_equal(post(&a, &first), 0);
	memset(text, 0, sizeof(text));
	wc = side_wait(&b);
	assert_success(wc, 100, IBV_WC_RECV);
	assert_int_equal(wc.byte_len, 5000);
	assert_int_equal(wc.qp_num, b.qp->qp_num);
	assert_memory_equal(b.buf, a.buf, 5000);
	wc = side_wait(&b);
	assert_success(wc, 101, IBV_WC_RECV);
	assert_string_equal((char *)b.buf + 8192, "inline data");
	wc = side_wait(&b);
	assert_success(wc, 102, IBV_WC_RECV);
	assert_int_equal(wc.byte_len, 0);
	assert_true(wc.wc_flags & IBV_WC_WITH_IMM);
	assert_int_equal(wc.imm_data, 0x01020304);
	assert_success(side_wait(&a), 1, IBV_WC_SEND);
	assert_success(side_wait(&a), 3, IBV_WC_SEND);
	side_close(&a);
	side_close(&b);
}

static struct ibv_send_wr one_sided(const struct side *a, const struct side *b, struct ibv_sge *sge,
				    enum ibv_wr_opcode opcode, uint32_t len)
{
	*sge = (struct ibv_sge){(uintptr_t)a->buf, len, a->mr->lkey};
	return (struct ibv_send_wr){.wr_id = opcode,
				    .sg_list = sge,
				    .num_sge = 1,
				    .opcode = opcode,
				    .send_flags = IBV_SEND_SIGNALED,
				    .wr.rdma = {(uintptr_t)b->buf + 128, b->mr->rkey}};
}

static void writes_and_reads_move_data(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_send_wr wr;

	side_connect(&a, &b, 0, other, 16);
	fill(a.buf, 30001, 3);
	wr = one_sided(&a, &b, &sge, IBV_WR_RDMA_WRITE, 30001);
	assert_int_equal(post(&a, &wr), 0);
	assert_success(side_wait(&a), wr.wr_id, IBV_WC_RDMA_WRITE);
	assert_memory_equal(a.buf, b.buf + 128, 30001);
	fill(b.buf + 128, 30001, 9);
	wr = one_sided(&a, &b, &sge, IBV_WR_RDMA_READ, 30001);
	assert_int_equal(post(&a, &wr), 0);
	assert_success(side_wait(&a), wr.wr_id, IBV_WC_RDMA_READ);
	assert_memory_equal(a.buf, b.buf + 128, 30001);
	side_recv(&b, 7, 0, 0);
	wr = one_sided(&a, &b, &sge, IBV_WR_RDMA_WRITE_WITH_IMM, 10);
	wr.imm_data = 77;
	assert_int_equal(post(&a, &wr), 0);
	struct ibv_wc wc = side_wait(&b);
	assert_success(wc, 7, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.imm_data, 77);
	assert_int_equal(wc.byte_len, 10);
	side_close(&a);
	side_close(&b);
}

static void atomics_return_the_former_number(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	uint64_t number = 40;

	side_connect(&a, &b, 0, other, 16);
	memcpy(b.buf + 128, &number, 8);
	wr = one_sided(&a, &b, &sge, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	wr.wr.atomic.remote_addr = (uintptr_t)b.buf + 128;
	wr.wr.atomic.rkey = b.mr->rkey;
	wr.wr.atomic.compare_add = 2;
	assert_int_equal(post(&a, &wr), 0);
	assert_success(side_wait(&a), wr.wr_id, IBV_WC_FETCH_ADD);
	assert_int_equal(*(uint64_t *)a.buf, 40);
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 42;
	wr.wr.atomic.swap = 5;
	assert_int_equal(post(&a, &wr), 0);
	assert_success(side_wait(&a), wr.wr_id, IBV_WC_COMP_SWAP);
	assert_int_equal(*(uint64_t *)a.buf, 42);
	assert_int_equal(*(uint64_t *)(b.buf + 128), 5);
	sge.length = 16; /* more than the former number needs */
	memset(a.buf + 8, 7, 8);
	assert_int_equal(post(&a, &wr), 0);
	assert_success(side_wait(&a), wr.wr_id, IBV_WC_COMP_SWAP);
	assert_int_equal(*(uint64_t *)a.buf, 5);
	assert_int_equal(a.buf[8], 7);
	side_close(&a);
	side_close(&b);
}

/* Only one request in a hundred is signalled, as perftest does it. */
static void unsignalled_requests_make_room(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_send_wr wr;

	side_connect(&a, &b, 0, other, 128);
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < 100; i++) {
			wr = one_sided(&a, &b, &sge, IBV_WR_RDMA_WRITE, 64);
			wr.send_flags = i == 99 ? IBV_SEND_SIGNALED : 0;
			wr.wr_id = round;
			assert_int_equal(post(&a, &wr), 0);
		}
		assert_success(side_wait(&a), round, IBV_WC_RDMA_WRITE);
	}
	side_close(&a);
	side_close(&b);
}

static void posts_are_refused_with_the_right_errno(void **state)
{
	struct side a, b;
	struct ibv_sge sge[5], many[5] = {{0}};
	struct ibv_send_wr wr[5], *bad;
	struct ibv_recv_wr recv = {.wr_id = 1}, *bad_recv;

	side_open(&a, 0);
	side_make_qp(&a, IBV_QPT_RC, 2);
	wr[0] = (struct ibv_send_wr){.opcode = IBV_WR_SEND};
	assert_int_equal(ibv_post_send(a.qp, &wr[0], &bad), EINVAL); /* not in RTS */
	assert_ptr_equal(bad, &wr[0]);
	assert_int_equal(ibv_post_recv(a.qp, &recv, &bad_recv), EINVAL); /* in RESET */
	side_close(&a);
	side_connect(&a, &b, 0, other, 3);
	for (unsigned i = 0; i < 5; i++) {
		wr[i] = one_sided(&a, &b, &sge[i], IBV_WR_SEND, 64);
		wr[i].next = i < 4 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(ibv_post_send(a.qp, wr, &bad), ENOMEM); /* no receive: three wait */
	assert_ptr_equal(bad, &wr[3]);
	wr[0].sg_list = many;
	wr[0].num_sge = 5;
	assert_int_equal(ibv_post_send(b.qp, &wr[0], &bad), EINVAL);
	assert_ptr_equal(bad, &wr[0]);
	wr[1].send_flags = IBV_SEND_INLINE;
	sge[1].length = 65;
	assert_int_equal(ibv_post_send(b.qp, &wr[1], &bad), EINVAL);
	wr[0].send_flags = IBV_SEND_INLINE; /* the limit of SGEs holds for inline data too */
	assert_int_equal(ibv_post_send(b.qp, &wr[0], &bad), EINVAL);
	wr[0].num_sge = -1;
	assert_int_equal(ibv_post_send(b.qp, &wr[0], &bad), EINVAL);
	wr[1].opcode = IBV_WR_LOCAL_INV; /* there are no data that could be inline */
	assert_int_equal(ibv_post_send(b.qp, &wr[1], &bad), EINVAL);
	wr[1].opcode = IBV_WR_TSO;
	assert_int_equal(ibv_post_send(b.qp, &wr[1], &bad), EOPNOTSUPP);
	side_close(&a);
	side_close(&b);
}

/* The request that fails says why; all later ones are flushed in order, signalled or not, and so
 * are receives. */
static void an_error_flushes_the_rest(void **state)
{
	struct side a, b;
	struct ibv_sge sge[3];
	struct ibv_send_wr wr[3];
	struct ibv_wc wc;
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	side_connect(&a, &b, 0, other, 8);
	side_recv(&a, 50, 0, 64);
	for (unsigned i = 0; i < 3; i++) {
		wr[i] = one_sided(&a, &b, &sge[i], IBV_WR_RDMA_WRITE, 64);
		wr[i].wr_id = i;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	wr[0].wr.rdma.rkey ^= 0x100;
	wr[1].send_flags = 0;
	assert_int_equal(post(&a, wr), 0);
	wc = side_wait(&a);
	assert_int_equal(wc.wr_id, 0);
	assert_int_equal(wc.status, IBV_WC_REM_ACCESS_ERR);
	unsigned next = 1, receives = 0;
	for (unsigned i = 0; i < 3; i++) {
		wc = side_wait(&a);
		assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
		if (wc.wr_id == 50)
			receives++;
		else
			assert_int_equal(wc.wr_id, next++);
	}
	assert_int_equal(receives, 1);
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_ERR);
	wr[2].next = NULL;
	assert_int_equal(post(&a, &wr[2]), 0); /* accepted, and flushed */
	assert_int_equal(side_wait(&a).status, IBV_WC_WR_FLUSH_ERR);
	side_close(&a);
	side_close(&b);
}

/* A QP that is reset or destroyed takes its completions along; those of other QPs stay. */
static void completions_go_with_their_qp(void **state)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	struct side a, b, a2;
	struct ibv_wc wc;

	side_connect(&a, &b, 0, other, 8);
	a2 = a;
	side_make_qp(&a2, IBV_QPT_RC, 8);
	assert_int_equal(side_to_init(&a2), 0);
	for (unsigned i = 0; i < 3; i++) {
		side_recv(&a, i, 0, 64);
		side_recv(&a2, 10 + i, 0, 64);
	}
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(a2.qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(side_wait(&a).wr_id, 10 + i);
	assert_int_equal(ibv_destroy_qp(a2.qp), 0);
	assert_int_equal(ibv_poll_cq(a.cq, 1, &wc), 0);
	side_close(&a);
	side_close(&b);
}

static void set_nonblocking(int fd)
{
	assert_int_equal(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
}

/* An armed CQ sends one event, with the context of the program; then it must be armed again. */
static void an_armed_cq_sends_one_event(void **state)
{
	struct side a, b;
	struct ibv_cq *cq;
	void *context;

	side_connect(&a, &b, 0, other, 16);
	set_nonblocking(b.channel->fd);
	struct pollfd p = {.fd = b.channel->fd, .events = POLLIN};
	assert_int_equal(ibv_get_cq_event(b.channel, &cq, &context), -1);
	assert_int_equal(errno, EAGAIN);
	for (unsigned i = 0; i < 3; i++)
		side_recv(&b, i, 0, 64);
	assert_int_equal(ibv_req_notify_cq(b.cq, 0), 0);
	assert_int_equal(poll(&p, 1, 0), 0);
	side_send(&a, 1, 0, 64);
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(ibv_get_cq_event(b.channel, &cq, &context), 0);
	assert_ptr_equal(cq, b.cq);
	assert_ptr_equal(context, &b);
	side_send(&a, 2, 0, 64);
	assert_success(side_wait(&b), 0, IBV_WC_RECV);
	assert_success(side_wait(&b), 1, IBV_WC_RECV);
	assert_int_equal(poll(&p, 1, 20), 0);		 /* no event: the CQ is not armed */
	assert_int_equal(ibv_req_notify_cq(b.cq, 1), 0); /* for solicited messages only */
	side_send(&a, 3, 0, 64);
	assert_success(side_wait(&b), 2, IBV_WC_RECV);
	assert_int_equal(poll(&p, 1, 20), 0);
	ibv_ack_cq_events(b.cq, 1);
	side_close(&a);
	side_close(&b);
}

/* ibv_query_qp() returns the PSNs of the next packets, as with network cards and rxe. */
static void psns_of_the_next_packets_are_reported(void **state)
{
	struct ibv_qp_attr sender, receiver;
	struct ibv_qp_init_attr init;
	struct side a, b;

	side_connect(&a, &b, 0, other, 8);
	for (unsigned i = 0; i < 3; i++) {
		side_recv(&b, i, 0, 64);
		side_send(&a, i, 0, 8);
		assert_success(side_wait(&a), i, IBV_WC_SEND);
	}
	assert_int_equal(ibv_query_qp(a.qp, &sender, IBV_QP_SQ_PSN, &init), 0);
	assert_int_equal(ibv_query_qp(b.qp, &receiver, IBV_QP_RQ_PSN, &init), 0);
	assert_int_equal(sender.sq_psn, ((a.qp->qp_num ^ 0x5a5a) + 3) & 0xffffff);
	assert_int_equal(receiver.rq_psn, sender.sq_psn);
	side_close(&a);
	side_close(&b);
}

static void extended_cqs_are_read_member_by_member(void **state)
{
	struct side a, b;
	struct ibv_poll_cq_attr attr = {0};
	struct ibv_cq_init_attr_ex init = {.cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS};
	unsigned got = 0;

	side_open(&a, 0);
	init.wc_flags |= IBV_WC_EX_WITH_CVLAN;
	assert_null(ibv_create_cq_ex(a.context, &init));
	assert_int_equal(errno, EOPNOTSUPP);
	init.wc_flags &= ~(uint64_t)IBV_WC_EX_WITH_CVLAN;
	struct ibv_cq_ex *ex = ibv_create_cq_ex(a.context, &init);
	assert_non_null(ex);
	assert_int_equal(ibv_start_poll(ex, &attr), ENOENT);
	assert_int_equal(ibv_destroy_cq(a.cq), 0);
	a.cq = ibv_cq_ex_to_cq(ex);
	side_open(&b, other);
	side_make_qp(&a, IBV_QPT_RC, 8);
	side_make_qp(&b, IBV_QPT_RC, 8);
	assert_int_equal(side_to_init(&a) | side_to_init(&b), 0);
	assert_int_equal(side_to_rtr(&a, &b) | side_to_rtr(&b, &a), 0);
	assert_int_equal(side_to_rts(&a) | side_to_rts(&b), 0);
	for (unsigned i = 0; i < 4; i++)
		side_recv(&a, i, 0, 64);
	for (unsigned i = 0; i < 4; i++)
		side_send(&b, i, 0, 10 + i);
	while (got < 4) {
		int rc = ibv_start_poll(ex, &attr);

		if (rc == ENOENT)
			continue;
		for (; rc == 0; rc = ibv_next_poll(ex)) {
			assert_int_equal(ex->status, IBV_WC_SUCCESS);
			assert_int_equal(ex->wr_id, got);
			assert_int_equal(ibv_wc_read_opcode(ex), IBV_WC_RECV);
			assert_int_equal(ibv_wc_read_byte_len(ex), 10 + got);
			assert_int_equal(ibv_wc_read_qp_num(ex), a.qp->qp_num);
			got++;
		}
		assert_int_equal(rc, ENOENT);
		ibv_end_poll(ex);
	}
	side_close(&a);
	side_close(&b);
}

/* A region whose addresses begin elsewhere: peers use those, not the pointers of this process. */
static void regions_may_have_other_addresses(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	const unsigned access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	side_connect(&a, &b, 0, other, 8);
	struct ibv_mr *far = ibv_reg_mr_iova(b.pd, b.buf, 4096, UINT64_C(0x7000000000), access);
	struct ibv_mr *zero = ibv_reg_mr(b.pd, b.buf, 4096, access | IBV_ACCESS_ZERO_BASED);
	assert_non_null(far);
	assert_non_null(zero);
	fill(a.buf, 100, 5);
	wr = one_sided(&a, &b, &sge, IBV_WR_RDMA_WRITE, 100);
	wr.wr.rdma.rkey = far->rkey;
	wr.wr.rdma.remote_addr = UINT64_C(0x7000000000) + 8;
	assert_int_equal(post(&a, &wr), 0);
	assert_success(side_wait(&a), wr.wr_id, IBV_WC_RDMA_WRITE);
	assert_memory_equal(b.buf + 8, a.buf, 100);
	wr.wr.rdma.rkey = zero->rkey;
	wr.wr.rdma.remote_addr = 1000;
	assert_int_equal(post(&a, &wr), 0);
	assert_success(side_wait(&a), wr.wr_id, IBV_WC_RDMA_WRITE);
	assert_memory_equal(b.buf + 1000, a.buf, 100);
	assert_int_equal(ibv_dereg_mr(far) | ibv_dereg_mr(zero), 0);
	side_close(&a);
	side_close(&b);
}

#define PER_THREAD 2000

static _Atomic unsigned posted, polled, unsuccessful;

/* Posts requests, but leaves room in the CQ: a request that has completed makes room in the send
 * queue even if nobody has polled its completion. */
static void *write_many(void *arg)
{
	struct side **ends = arg;
	struct ibv_sge sge;
	struct ibv_send_wr *bad, wr = one_sided(ends[0], ends[1], &sge, IBV_WR_RDMA_WRITE, 32);

	for (unsigned i = 0; i < PER_THREAD;) {
		if (posted - polled >= 256 || ibv_post_send(ends[0]->qp, &wr, &bad) != 0) {
			sched_yield();
			continue;
		}
		posted++;
		i++;
	}
	return NULL;
}

static void *poll_many(void *arg)
{
	struct side *s = arg;
	struct ibv_wc wc[8];

	while (polled < 2 * PER_THREAD) {
		int n = ibv_poll_cq(s->cq, 8, wc);

		for (int i = 0; i < n; i++)
			unsuccessful += wc[i].status != IBV_WC_SUCCESS;
		polled += (unsigned)n;
	}
	return NULL;
}

/* Two threads post to one QP and two poll its CQ: each request has one completion. */
static void threads_share_a_qp(void **state)
{
	struct side a, b, *ends[2] = {&a, &b};
	pthread_t thread[4];
	struct ibv_wc wc;

	side_connect(&a, &b, 0, other, 64);
	posted = polled = unsuccessful = 0;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, i < 2 ? write_many : poll_many,
						i < 2 ? (void *)ends : &a),
				 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(polled, 2 * PER_THREAD);
	assert_int_equal(unsuccessful, 0);
	assert_int_equal(ibv_poll_cq(a.cq, 1, &wc), 0);
	side_close(&a);
	side_close(&b);
}

#define TESTS                                                                                  \
	cmocka_unit_test(sends_arrive_in_order), cmocka_unit_test(writes_and_reads_move_data), \
		cmocka_unit_test(atomics_return_the_former_number),                            \
		cmocka_unit_test(unsignalled_requests_make_room),                              \
		cmocka_unit_test(posts_are_refused_with_the_right_errno),                      \
		cmocka_unit_test(an_error_flushes_the_rest),                                   \
		cmocka_unit_test(completions_go_with_their_qp),                                \
		cmocka_unit_test(an_armed_cq_sends_one_event),                                 \
		cmocka_unit_test(psns_of_the_next_packets_are_reported),                       \
		cmocka_unit_test(extended_cqs_are_read_member_by_member),                      \
		cmocka_unit_test(regions_may_have_other_addresses),                            \
		cmocka_unit_test(threads_share_a_qp)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {TESTS};
	int failed = 0;

	for (other = 0; other < 2; other++)
		failed += cmocka_run_group_tests_name(other ? "two adapters" : "one adapter", tests,
						      NULL, NULL);
	return failed != 0;
}
