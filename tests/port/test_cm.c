/* The connection manager end to end: address resolution, REQ, REP, RTU, data, DREQ. Rings join two
 * adapters of one process. The tests use one or two shards, and idle policies with and without
 * threads. */
#include "rig.h"

#include <errno.h>

#define PORT  7471
#define DEPTH 16
#define PSN   0x123456u

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint8_t buf[4096];
	uint32_t pd, lkey;
};

static void open_end(struct end *e, const char *path, unsigned i)
{
	e->link = rig_open(path, i);
	e->pd = rig_pd(e->link);
	e->cq = rig_cq(e->link, DEPTH);
	e->qp = rig_qp(e->link, e->pd, &e->cq, &e->cq, DEPTH);
	rig_reg(e->link, e->pd, e->buf, sizeof(e->buf), RN_ACCESS_LOCAL_WRITE, &e->lkey, NULL);
}

static void close_end(struct end *e)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {e->qp.qpn, e->qp.gen}};

	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
	rn_link_close(e->link);
}

/* Waits for the next event of this kind and skips other events (link up, QPs in error). */
static struct rn_event event(struct end *e, enum rn_event_kind kind)
{
	uint64_t until = rig_now_ns() + 15000000000u;
	struct rn_event ev;

	while (rig_now_ns() < until)
		if (e->link->ops->wait(e->link, &ev, 1, 1000) == 1 && ev.kind == kind)
			return ev;
	fail_msg("event %d did not come", kind);
	return ev;
}

static void ready(struct end *e, const struct rn_qp_attr *given)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP,
			     .modify_qp = {.qpn = e->qp.qpn, .gen = e->qp.gen}};
	struct rn_qp_attr *a = &cmd.modify_qp.attr;

	a->state = RN_QPS_INIT;
	a->port = 1;
	cmd.modify_qp.mask = RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS;
	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
	*a = *given;
	a->state = RN_QPS_RTR;
	a->rq_psn = PSN;
	a->min_rnr_timer = 12;
	cmd.modify_qp.mask = RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN |
			     RN_QP_RQ_PSN | RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER;
	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
	a->state = RN_QPS_RTS;
	cmd.modify_qp.mask = RN_QP_STATE | RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY |
			     RN_QP_SQ_PSN | RN_QP_MAX_RD_ATOMIC;
	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
}

static struct rn_cm_param param(const struct end *e)
{
	return (struct rn_cm_param){.qpn = e->qp.qpn,
				    .psn = PSN,
				    .responder_resources = 4,
				    .initiator_depth = 4,
				    .retry_cnt = 7,
				    .rnr_retry = 7,
				    .flow_control = 1,
				    .data_len = 5,
				    .data = "hello"};
}

static uint32_t command(struct end *e, uint16_t op, uint32_t id)
{
	struct rn_cmd cmd = {.op = op, .user = 1000};
	struct rn_rsp rsp;

	if (op == RN_CMD_CM_LISTEN || op == RN_CMD_CM_CONNECT || op == RN_CMD_CM_ACCEPT) {
		cmd.cm.id = id;
		cmd.cm.local = e->qp.info.gids[0];
		cmd.cm.param = param(e);
		cmd.cm.port = op == RN_CMD_CM_LISTEN ? PORT : 0;
	} else {
		cmd.obj.id = id;
	}
	assert_int_equal(rig_exec(e->link, &cmd, &rsp), 0);
	return rsp.id;
}

static uint32_t call(struct end *from, const struct end *to)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT, .user = 7};
	struct rn_rsp rsp;

	cmd.cm.local = from->qp.info.gids[0];
	cmd.cm.peer = to->qp.info.gids[0];
	cmd.cm.peer_port = PORT;
	cmd.cm.param = param(from);
	assert_int_equal(rig_exec(from->link, &cmd, &rsp), 0);
	return rsp.id;
}

static void send_one(struct end *from, struct end *to)
{
	rig_post(&to->qp, RN_WQE_RECV, 1, to->buf, 4096, to->lkey, 0, 0);
	rig_post(&from->qp, RN_WQE_SEND, 2, from->buf, 3000, from->lkey, 0, 0);
	assert_int_equal(rig_wait(&to->cq).status, RN_STATUS_SUCCESS);
	assert_int_equal(rig_wait(&from->cq).status, RN_STATUS_SUCCESS);
}

static void live_and_die(unsigned shards, const char *policy)
{
	static struct end a, b;
	char more[64];

	snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", policy);
	const char *path = rig_pair(shards, 1500, more);
	open_end(&a, path, 0);
	open_end(&b, path, 1);
	uint32_t listener = command(&b, RN_CMD_CM_LISTEN, 0);
	uint32_t id = call(&a, &b);
	struct rn_event req = event(&b, RN_EVENT_CM_REQUEST);
	assert_int_equal(req.parent, listener);
	assert_memory_equal(req.param.data, "hello", 5);
	ready(&b, &req.attr);
	command(&b, RN_CMD_CM_ACCEPT, req.id);
	struct rn_event rep = event(&a, RN_EVENT_CM_RESPONSE);
	assert_int_equal(rep.id, id);
	ready(&a, &rep.attr);
	command(&a, RN_CMD_CM_ESTABLISH, id);
	event(&b, RN_EVENT_CM_ESTABLISHED);
	send_one(&a, &b);
	send_one(&b, &a);
	command(&a, RN_CMD_CM_DISCONNECT, id);
	event(&b, RN_EVENT_CM_DISCONNECTED);
	event(&a, RN_EVENT_CM_DISCONNECTED);
	command(&a, RN_CMD_CM_DESTROY, id);
	command(&b, RN_CMD_CM_DESTROY, req.id);
	command(&b, RN_CMD_CM_DESTROY, listener);
	close_end(&a);
	close_end(&b);
}

static void connections_live_and_die(void **state)
{
	live_and_die(1, "adaptive");
	live_and_die(2, "adaptive");
	live_and_die(1, "inline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(connections_live_and_die)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
