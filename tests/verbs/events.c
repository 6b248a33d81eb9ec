/* Asynchronous events, and what a program may do while it handles an event or reads completions. */
#include "side.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS	  10000
#define GIVE_UP_S 30 /* a deadlock ends the program with SIGALRM */

/* Waits for an event, which must be of the given type, without acknowledging it. */
static struct ibv_async_event take_event(struct side *s, enum ibv_event_type type)
{
	struct pollfd p = {.fd = s->context->async_fd, .events = POLLIN};
	struct ibv_async_event event;

	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	assert_int_equal(ibv_get_async_event(s->context, &event), 0);
	assert_int_equal(event.event_type, type);
	return event;
}

static bool has_event(const struct side *s, int milliseconds)
{
	return poll(&(struct pollfd){.fd = s->context->async_fd, .events = POLLIN}, 1,
		    milliseconds) == 1;
}

/* ---- events of QPs ---- */

/* The completion shows the error, so the side that has sent the request gets no event. */
static void an_error_with_a_completion_is_no_event(void **state)
{
	struct side a, b;
	struct ibv_send_wr *bad;

	side_connect(&a, &b, 0, 1, 4);
	struct ibv_sge sge = {(uintptr_t)a.buf, 8, a.mr->lkey};
	struct ibv_send_wr wr = {.wr_id = 5,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uintptr_t)b.buf, b.mr->rkey + 1}};
	assert_int_equal(ibv_post_send(a.qp, &wr, &bad), 0);
	assert_int_equal(side_wait(&a).status, IBV_WC_REM_ACCESS_ERR);
	assert_false(has_event(&a, 200));
	side_event(&b, IBV_EVENT_QP_ACCESS_ERR);
	side_close(&a);
	side_close(&b);
}

/* Connects two QPs: `a` is in RTR, and gets COMM_EST with the first message of `b`. */
static void connect_one_way(struct side *a, struct side *b)
{
	side_open(a, 0);
	side_open(b, 1);
	side_make_qp(a, IBV_QPT_RC, 4);
	side_make_qp(b, IBV_QPT_RC, 4);
	assert_int_equal(side_to_init(a) | side_to_init(b), 0);
	assert_int_equal(side_to_rtr(a, b) | side_to_rtr(b, a), 0);
	assert_int_equal(side_to_rts(b), 0);
	side_recv(a, 1, 0, 64);
}

static atomic_bool destroyed;

static void *destroy_qp(void *arg)
{
	struct side *s = arg;

	assert_int_equal(ibv_destroy_qp(s->qp), 0);
	atomic_store(&destroyed, true);
	return NULL;
}

/* ibv_destroy_qp() waits for the acknowledgement; until then the QP is there. */
static void a_qp_can_be_used_until_its_events_are_acknowledged(void **state)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;
	struct side a, b;
	pthread_t thread;

	connect_one_way(&a, &b);
	side_send(&b, 2, 0, 8);
	assert_int_equal(side_wait(&b).status, IBV_WC_SUCCESS);
	struct ibv_async_event event = take_event(&a, IBV_EVENT_COMM_EST);
	assert_int_equal(pthread_create(&thread, NULL, destroy_qp, &a), 0);
	usleep(100000);
	assert_false(atomic_load(&destroyed));
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_RTR);
	ibv_ack_async_event(&event);
	pthread_join(thread, NULL);
	a.qp = NULL;
	side_close(&a);
	side_close(&b);
}

/* A program that ends may close its device before it destroys its objects. */
static void objects_may_be_left_when_the_device_is_closed(void **state)
{
	static struct side a; /* keeps what is left reachable for LeakSanitizer */
	struct side b;

	connect_one_way(&a, &b);
	assert_int_equal(ibv_close_device(a.context), 0);
	side_send(&b, 2, 0, 8); /* COMM_EST of the QP that was left */
	assert_int_equal(side_wait(&b).status, IBV_WC_SUCCESS);
	usleep(100000);
	side_close(&b);
}

/* ---- what a program may call between start_poll() and end_poll() ---- */

static void every_function_may_be_called_while_completions_are_read(void **state)
{
	struct ibv_cq_init_attr_ex init = {.cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS};
	struct ibv_poll_cq_attr none = {0};
	struct side a, b;
	struct ibv_cq *cq;
	void *context;
	int rc;

	side_open(&a, 0);
	side_open(&b, 1);
	init.channel = a.channel;
	struct ibv_cq_ex *ex = ibv_create_cq_ex(a.context, &init);
	assert_non_null(ex);
	assert_int_equal(ibv_destroy_cq(a.cq), 0);
	a.cq = ibv_cq_ex_to_cq(ex);
	side_make_qp(&a, IBV_QPT_RC, 8);
	side_make_qp(&b, IBV_QPT_RC, 8);
	side_join(&a, &b);
	side_recv(&a, 1, 0, 64);
	side_recv(&a, 2, 0, 64);
	side_send(&b, 1, 0, 8);
	do
		rc = ibv_start_poll(ex, &none);
	while (rc == ENOENT);
	assert_int_equal(rc, 0);
	assert_int_equal(ex->wr_id, 1);
	assert_int_equal(ibv_req_notify_cq(a.cq, 0), 0);
	side_send(&b, 2, 0, 8); /* the event of the CQ comes now */
	assert_int_equal(poll(&(struct pollfd){.fd = a.channel->fd, .events = POLLIN}, 1, WAIT_MS),
			 1);
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1, .grh = {.dgid = b.gid, .hop_limit = 64}};
	struct ibv_ah *ah = ibv_create_ah(a.pd, &to);
	assert_non_null(ah);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_next_poll(ex), 0);
	assert_int_equal(ex->wr_id, 2);
	ibv_end_poll(ex);
	assert_int_equal(ibv_get_cq_event(a.channel, &cq, &context), 0);
	ibv_ack_cq_events(cq, 1);
	side_close(&a);
	side_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_with_a_completion_is_no_event),
		cmocka_unit_test(a_qp_can_be_used_until_its_events_are_acknowledged),
		cmocka_unit_test(objects_may_be_left_when_the_device_is_closed),
		cmocka_unit_test(every_function_may_be_called_while_completions_are_read),
	};

	alarm(GIVE_UP_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
