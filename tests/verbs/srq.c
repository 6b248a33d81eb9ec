/* Shared receive queues: several QPs take receives from one queue, in order; the limit and the end
 * of a QP are reported by asynchronous events. Each test runs between two adapters, and between
 * QPs of one adapter. */
#include "side.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

static unsigned other; /* the device of the ends that send: 0 or 1 */

static void make_srq(struct side *s, uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq_init_attr init = {.srq_context = s, .attr = {max_wr, max_sge, 0}};

	s->srq = ibv_create_srq(s->pd, &init);
	assert_non_null(s->srq);
	assert_true(init.attr.max_wr >= max_wr);
	assert_true(init.attr.max_sge >= max_sge);
}

/* Posts `n` receives of 64 bytes, numbered from `first` on, as one list. Returns the errno, and in
 * *bad the number of the receive that was refused. */
static int post(struct side *s, uint64_t first, unsigned n, uint64_t *bad)
{
	struct ibv_recv_wr wr[32], *refused = NULL;
	struct ibv_sge sge[32];
	int rc;

	for (unsigned i = 0; i < n; i++) {
		sge[i] = (struct ibv_sge){(uintptr_t)s->buf + (first + i) * 64, 64, s->mr->lkey};
		wr[i] = (struct ibv_recv_wr){.wr_id = first + i,
					     .next = i + 1 < n ? &wr[i + 1] : NULL,
					     .sg_list = &sge[i],
					     .num_sge = 1};
	}
	rc = ibv_post_srq_recv(s->srq, wr, &refused);
	assert_int_equal(rc == 0, refused == NULL);
	if (rc != 0)
		*bad = refused->wr_id;
	return rc;
}

static struct ibv_srq_attr ask(struct side *s)
{
	struct ibv_srq_attr attr;

	assert_int_equal(ibv_query_srq(s->srq, &attr), 0);
	return attr;
}

static int set_limit(struct side *s, uint32_t limit)
{
	struct ibv_srq_attr attr = {.srq_limit = limit};

	return ibv_modify_srq(s->srq, &attr, IBV_SRQ_LIMIT);
}

static bool has_event(const struct side *s)
{
	struct pollfd p = {.fd = s->context->async_fd, .events = POLLIN};

	return poll(&p, 1, 50) == 1;
}

/* Opens one end with an SRQ, `to`, and its peer. */
static void open_pair(struct side *from, struct side *to, enum ibv_qp_type type)
{
	side_open(from, other);
	side_open(to, 0);
	make_srq(to, 16, 2);
	side_make_qp(from, type, 16);
	side_make_qp(to, type, 16);
	side_join(from, to);
}

static void close_pair(struct side *from, struct side *to)
{
	side_close(from);
	side_close(to);
}

static void capacities_are_checked_and_reported(void **state)
{
	struct ibv_device_attr device;
	struct ibv_srq_init_attr init;
	struct side s;
	uint32_t number = 0;

	side_open(&s, other);
	assert_int_equal(ibv_query_device(s.context, &device), 0);
	assert_true(device.max_srq > 0);
	assert_true(device.max_srq_wr >= 16384);
	assert_true(device.max_srq_sge >= 16);
	init = (struct ibv_srq_init_attr){.attr = {(uint32_t)device.max_srq_wr + 1, 1, 0}};
	assert_null(ibv_create_srq(s.pd, &init));
	assert_int_equal(errno, EINVAL);
	init.attr = (struct ibv_srq_attr){1, (uint32_t)device.max_srq_sge + 1, 0};
	assert_null(ibv_create_srq(s.pd, &init));
	assert_int_equal(errno, EINVAL);
	make_srq(&s, (uint32_t)device.max_srq_wr, (uint32_t)device.max_srq_sge);
	assert_int_equal(ask(&s).max_wr, device.max_srq_wr);
	assert_int_equal(ibv_destroy_srq(s.srq), 0);
	make_srq(&s, 10, 2);
	assert_int_equal(ask(&s).max_wr, 10);
	assert_int_equal(ask(&s).max_sge, 2);
	assert_int_equal(ask(&s).srq_limit, 0);
	assert_ptr_equal(s.srq->srq_context, &s);
	assert_ptr_equal(s.srq->pd, s.pd);
	assert_int_equal(ibv_get_srq_num(s.srq, &number), 0);
	assert_int_not_equal(number, 0);
	assert_int_equal(ibv_dealloc_pd(s.pd), EBUSY);
	side_close(&s);
}

static void extended_creation_makes_basic_srqs_only(void **state)
{
	struct ibv_srq_init_attr_ex init = {.attr = {4, 1, 0}};
	struct side s;

	side_open(&s, other);
	init.pd = s.pd;
	init.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
	init.srq_type = IBV_SRQT_BASIC;
	s.srq = ibv_create_srq_ex(s.context, &init);
	assert_non_null(s.srq);
	assert_int_equal(ibv_destroy_srq(s.srq), 0);
	init.comp_mask |= IBV_SRQ_INIT_ATTR_CQ;
	init.cq = s.cq;
	s.srq = ibv_create_srq_ex(s.context, &init);
	assert_non_null(s.srq);
	init.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_CQ;
	assert_null(ibv_create_srq_ex(s.context, &init));
	assert_int_equal(errno, EINVAL);
	init.comp_mask |= IBV_SRQ_INIT_ATTR_PD;
	for (int type = IBV_SRQT_XRC; type <= IBV_SRQT_TM; type++) {
		init.srq_type = (enum ibv_srq_type)type;
		errno = 0;
		assert_null(ibv_create_srq_ex(s.context, &init));
		assert_int_equal(errno, EOPNOTSUPP);
	}
	init.comp_mask = IBV_SRQ_INIT_ATTR_RESERVED;
	assert_null(ibv_create_srq_ex(s.context, &init));
	assert_int_equal(errno, EOPNOTSUPP);
	side_close(&s);
}

/* Two QPs of one SRQ: the oldest receive goes to the message that comes first. */
static void receive_for_two_qps(enum ibv_qp_type type)
{
	struct side a1, a2, b1, b2;
	uint64_t bad;
	struct ibv_wc wc;

	open_pair(&a1, &b1, type);
	side_open(&a2, other);
	side_make_qp(&a2, type, 16);
	b2 = b1;
	side_make_qp(&b2, type, 16);
	side_join(&a2, &b2);
	assert_ptr_equal(b1.qp->srq, b1.srq);
	assert_int_equal(post(&b1, 0, 9, &bad), 0);
	for (unsigned i = 0; i < 9; i++) {
		struct side *from = i % 3 == 1 ? &a2 : &a1;

		memset(from->buf, (int)i + 1, 64);
		side_send(from, i, 0, 10 + i);
		assert_int_equal(side_wait(from).status, IBV_WC_SUCCESS);
		wc = side_wait(&b1);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.byte_len, 10 + i);
		assert_int_equal(wc.qp_num, (i % 3 == 1 ? b2.qp : b1.qp)->qp_num);
		assert_memory_equal(b1.buf + (size_t)i * 64, from->buf, 10 + i);
	}
	assert_int_equal(ibv_destroy_srq(b1.srq), EBUSY);
	assert_int_equal(ibv_destroy_qp(b2.qp), 0);
	assert_int_equal(ibv_destroy_srq(b1.srq), EBUSY);
	side_close(&a2);
	close_pair(&a1, &b1);
}

static void two_qps_take_from_one_queue(void **state)
{
	receive_for_two_qps(IBV_QPT_RC);
	receive_for_two_qps(IBV_QPT_UC);
}

/* A message that comes before its receive waits, as with a receive queue of the QP's own. */
static void a_message_waits_for_a_receive(void **state)
{
	struct side a, b;
	uint64_t bad;

	open_pair(&a, &b, IBV_QPT_RC);
	side_send(&a, 1, 0, 20);
	assert_int_equal(post(&b, 5, 1, &bad), 0);
	assert_int_equal(side_wait(&b).wr_id, 5);
	assert_int_equal(side_wait(&a).status, IBV_WC_SUCCESS);
	close_pair(&a, &b);
}

static void posts_are_refused_with_the_right_errno(void **state)
{
	struct side s;
	struct ibv_sge sge[3] = {{0}};
	struct ibv_recv_wr wr = {.wr_id = 9, .sg_list = sge, .num_sge = 3}, *bad;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {4, 1u << 30, 1, 1000, 0}};
	uint64_t refused = 0;

	side_open(&s, other);
	make_srq(&s, 20, 2);
	assert_int_equal(ibv_post_srq_recv(s.srq, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(post(&s, 0, 17, &refused), 0);
	assert_int_equal(post(&s, 100, 12, &refused), ENOMEM);
	assert_int_equal(refused, 103);
	/* The sizes of the receive queue do not count; there is none. */
	init.send_cq = init.recv_cq = s.cq;
	init.srq = s.srq;
	s.qp = ibv_create_qp(s.pd, &init);
	assert_non_null(s.qp);
	assert_int_equal(init.cap.max_recv_wr, 0);
	assert_int_equal(init.cap.max_recv_sge, 0);
	assert_int_equal(side_to_init(&s), 0);
	wr.num_sge = 0;
	assert_int_equal(ibv_post_recv(s.qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	side_close(&s);
}

static void the_limit_sends_one_event(void **state)
{
	struct side a, b;
	uint64_t bad;

	open_pair(&a, &b, IBV_QPT_RC);
	assert_int_equal(post(&b, 0, 6, &bad), 0);
	assert_int_equal(set_limit(&b, 17), EINVAL);
	assert_int_equal(set_limit(&b, 4), 0);
	assert_int_equal(ask(&b).srq_limit, 4);
	for (unsigned i = 0; i < 4; i++) {
		side_send(&a, i, 0, 8);
		assert_int_equal(side_wait(&b).status, IBV_WC_SUCCESS);
		assert_int_equal(side_wait(&a).status, IBV_WC_SUCCESS);
		if (i == 1)
			assert_false(has_event(&b)); /* four are left: not below the limit */
	}
	assert_ptr_equal(side_event(&b, IBV_EVENT_SRQ_LIMIT_REACHED), b.srq);
	assert_int_equal(ask(&b).srq_limit, 0);
	assert_false(has_event(&b));
	/* Two receives are left. A limit above sends its event at once, one below waits, and 0
	 * takes the limit back. */
	assert_int_equal(set_limit(&b, 3), 0);
	assert_ptr_equal(side_event(&b, IBV_EVENT_SRQ_LIMIT_REACHED), b.srq);
	assert_int_equal(set_limit(&b, 2), 0);
	assert_int_equal(set_limit(&b, 0), 0);
	side_send(&a, 7, 0, 8);
	assert_int_equal(side_wait(&b).status, IBV_WC_SUCCESS);
	assert_false(has_event(&b));
	assert_int_equal(ask(&b).srq_limit, 0);
	close_pair(&a, &b);
}

static void an_event_that_nobody_takes_ends_with_the_srq(void **state)
{
	struct side s;

	side_open(&s, other);
	make_srq(&s, 4, 1);
	assert_int_equal(set_limit(&s, 1), 0);
	assert_true(has_event(&s));
	assert_int_equal(ibv_destroy_srq(s.srq), 0);
	s.srq = NULL;
	assert_false(has_event(&s));
	side_close(&s);
}

static void srqs_are_resized(void **state)
{
	struct ibv_srq_attr attr = {.max_wr = 30};
	struct side a, b;
	uint64_t bad = 0;

	open_pair(&a, &b, IBV_QPT_RC);
	assert_int_equal(post(&b, 0, 16, &bad), 0);
	assert_int_equal(post(&b, 16, 1, &bad), ENOMEM);
	assert_int_equal(ibv_modify_srq(b.srq, &attr, IBV_SRQ_MAX_WR), 0);
	assert_int_equal(ask(&b).max_wr, 30);
	assert_int_equal(post(&b, 16, 14, &bad), 0);
	assert_int_equal(post(&b, 30, 1, &bad), ENOMEM);
	attr.max_wr = 29; /* thirty are posted */
	attr.srq_limit = 1;
	assert_int_equal(ibv_modify_srq(b.srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), EINVAL);
	attr.max_wr = 1u << 30;
	assert_int_equal(ibv_modify_srq(b.srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), EINVAL);
	attr.max_wr = 0;
	assert_int_equal(ibv_modify_srq(b.srq, &attr, IBV_SRQ_MAX_WR), EINVAL);
	assert_int_equal(ibv_modify_srq(b.srq, &attr, 1 << 2), EINVAL);
	assert_int_equal(ask(&b).max_wr, 30);
	assert_int_equal(ask(&b).srq_limit, 0);
	for (unsigned i = 0; i < 30; i++) {
		side_send(&a, i, 0, 8);
		assert_int_equal(side_wait(&a).status, IBV_WC_SUCCESS);
	}
	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(side_wait(&b).wr_id, i);
	close_pair(&a, &b);
}

/* A QP that fails leaves the receives to the other QPs of the SRQ, and says that it takes no
 * more. */
static void the_end_of_a_qp_leaves_the_receives(void **state)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	struct side a, b, b2;
	struct ibv_wc wc;
	uint64_t bad;

	open_pair(&a, &b, IBV_QPT_RC);
	b2 = b;
	side_make_qp(&b2, IBV_QPT_RC, 4);
	assert_int_equal(side_to_init(&b2), 0);
	assert_int_equal(post(&b, 0, 2, &bad), 0);
	assert_int_equal(ibv_modify_qp(b2.qp, &attr, IBV_QP_STATE), 0);
	assert_ptr_equal(side_event(&b, IBV_EVENT_QP_LAST_WQE_REACHED), b2.qp);
	assert_int_equal(ibv_poll_cq(b.cq, 1, &wc), 0); /* nothing is flushed */
	side_send(&a, 1, 0, 8);
	assert_int_equal(side_wait(&b).wr_id, 0);
	assert_int_equal(ibv_destroy_qp(b2.qp), 0);
	close_pair(&a, &b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capacities_are_checked_and_reported),
		cmocka_unit_test(extended_creation_makes_basic_srqs_only),
		cmocka_unit_test(two_qps_take_from_one_queue),
		cmocka_unit_test(a_message_waits_for_a_receive),
		cmocka_unit_test(posts_are_refused_with_the_right_errno),
		cmocka_unit_test(the_limit_sends_one_event),
		cmocka_unit_test(an_event_that_nobody_takes_ends_with_the_srq),
		cmocka_unit_test(srqs_are_resized),
		cmocka_unit_test(the_end_of_a_qp_leaves_the_receives),
	};
	int failed = 0;

	for (other = 0; other < 2; other++)
		failed += cmocka_run_group_tests_name(other ? "two adapters" : "one adapter", tests,
						      NULL, NULL);
	return failed != 0;
}
