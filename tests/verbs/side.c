/* Makes the objects of one end of a connection. */
#include "side.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_S 20

void side_open(struct side *s, unsigned index)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);

	memset(s, 0, sizeof(*s));
	assert_non_null(list);
	assert_in_range(n, index + 1, 16);
	s->context = ibv_open_device(list[index]);
	ibv_free_device_list(list);
	assert_non_null(s->context);
	s->pd = ibv_alloc_pd(s->context);
	assert_non_null(s->pd);
	s->buf = calloc(1, SIDE_BYTES);
	s->mr = ibv_reg_mr(s->pd, s->buf, SIDE_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	assert_non_null(s->mr);
	s->channel = ibv_create_comp_channel(s->context);
	assert_non_null(s->channel);
	s->cq = ibv_create_cq(s->context, 512, s, s->channel, 0);
	assert_non_null(s->cq);
	assert_int_equal(ibv_query_gid(s->context, 1, 0, &s->gid), 0);
}

static struct ibv_qp_cap cap_of(uint32_t depth)
{
	return (struct ibv_qp_cap){
		.max_send_wr = depth,
		.max_recv_wr = depth,
		.max_send_sge = 4,
		.max_recv_sge = 4,
		.max_inline_data = 64,
	};
}

void side_make_qp(struct side *s, enum ibv_qp_type type, uint32_t depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.srq = s->srq,
		.qp_type = type,
		.cap = cap_of(depth),
	};

	s->qp = ibv_create_qp(s->pd, &init);
	assert_non_null(s->qp);
}

void side_make_qp_ex(struct side *s, enum ibv_qp_type type, uint32_t depth, uint64_t ops)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.qp_type = type,
		.cap = cap_of(depth),
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = s->pd,
		.send_ops_flags = ops,
	};

	s->qp = ibv_create_qp_ex(s->context, &init);
	assert_non_null(s->qp);
}

void side_close(struct side *s)
{
	if (s->qp != NULL)
		assert_int_equal(ibv_destroy_qp(s->qp), 0);
	if (s->srq != NULL)
		assert_int_equal(ibv_destroy_srq(s->srq), 0);
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(s->channel), 0);
	assert_int_equal(ibv_dereg_mr(s->mr), 0);
	assert_int_equal(ibv_dealloc_pd(s->pd), 0);
	assert_int_equal(ibv_close_device(s->context), 0);
	free(s->buf);
}

/* PSNs as many programs choose them, of 32 random bits. Only the lower 24 count, so both ends of a
 * connection have the same. */
static uint32_t psn_of(const struct side *s, uint32_t rest)
{
	return rest << 24 | (s->qp->qp_num ^ 0x5a5a);
}

int side_to_init(struct side *s)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags =
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};

	return ibv_modify_qp(s->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int side_to_rtr(struct side *s, const struct side *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp->qp_num,
		.rq_psn = psn_of(peer, 0xab),
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.ah_attr = {.is_global = 1,
			    .port_num = 1,
			    .grh = {.dgid = peer->gid, .hop_limit = 64}},
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (s->qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(s->qp, &attr, mask);
}

int side_to_rts(struct side *s)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = psn_of(s, 0x7f),
		.timeout = 18, /* a busy machine may run neither end for long */
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (s->qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(s->qp, &attr, mask);
}

void side_join(struct side *one, struct side *other)
{
	assert_int_equal(side_to_init(one), 0);
	assert_int_equal(side_to_init(other), 0);
	assert_int_equal(side_to_rtr(one, other), 0);
	assert_int_equal(side_to_rtr(other, one), 0);
	assert_int_equal(side_to_rts(one), 0);
	assert_int_equal(side_to_rts(other), 0);
}

void side_connect(struct side *one, struct side *other, unsigned a, unsigned b, uint32_t depth)
{
	side_open(one, a);
	side_open(other, b);
	side_make_qp(one, IBV_QPT_RC, depth);
	side_make_qp(other, IBV_QPT_RC, depth);
	side_join(one, other);
}

void side_recv(struct side *s, uint64_t wr_id, uint32_t at, uint32_t len)
{
	struct ibv_sge sge = {(uintptr_t)s->buf + at, len, s->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1}, *bad;

	assert_int_equal(ibv_post_recv(s->qp, &wr, &bad), 0);
}

void side_send(struct side *s, uint64_t wr_id, uint32_t at, uint32_t len)
{
	struct ibv_sge sge = {(uintptr_t)s->buf + at, len, s->mr->lkey};
	struct ibv_send_wr *bad, wr = {.wr_id = wr_id,
				       .sg_list = &sge,
				       .num_sge = 1,
				       .opcode = IBV_WR_SEND,
				       .send_flags = IBV_SEND_SIGNALED};

	assert_int_equal(ibv_post_send(s->qp, &wr, &bad), 0);
}

struct ibv_wc side_wait(struct side *s)
{
	struct ibv_wc wc = {0};
	time_t end = time(NULL) + WAIT_S;
	int n;

	while ((n = ibv_poll_cq(s->cq, 1, &wc)) == 0)
		assert_true(time(NULL) < end);
	assert_int_equal(n, 1);
	return wc;
}

void *side_event(struct side *s, enum ibv_event_type type)
{
	struct pollfd p = {.fd = s->context->async_fd, .events = POLLIN};
	struct ibv_async_event event;

	assert_int_equal(poll(&p, 1, WAIT_S * 1000), 1);
	assert_int_equal(ibv_get_async_event(s->context, &event), 0);
	assert_int_equal(event.event_type, type);
	ibv_ack_async_event(&event);
	return event.element.qp;
}
