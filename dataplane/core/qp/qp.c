/* Queue pairs: states, attributes, completions, errors. What a state permits and what a transition
 * needs are the tables of qp.h. Every way into the error state goes through rn_qp_error(), so the
 * flush happens once, in order. Owned by the shard's thread.
 */
#include "qp/qp.h"

#include <errno.h>
#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "qp/pace.h"
#include "shard/shard.h"
#include "qp/ud.h"

const struct rn_qp_state_row rn_qp_states[] = {
#define X(name, recv, send, request_in, start, go_on, response_in)            \
	[RN_QPS_##name] = {#name, RN_POST_##recv, RN_POST_##send, request_in, \
			   start, go_on,	  response_in},
	RN_QP_STATE_ROWS(X)
#undef X
};

static const struct rn_qp_move_row moves[] = {
#define X(types, from, to, mandatory, optional) \
	{RN_QPTS_##types, RN_QPS_##from, RN_QPS_##to, mandatory, optional},
	RN_QP_MOVE_ROWS(X)
#undef X
};

static const struct rn_qp_move_row always = {.types = RN_QPTS_ALL};

const struct rn_qp_move_row *rn_qp_move(uint8_t type, uint8_t from, uint8_t to)
{
	if (to == RN_QPS_ERR || to == RN_QPS_RESET)
		return &always;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(moves); i++)
		if (moves[i].types >> type & 1 && moves[i].from == from && moves[i].to == to)
			return &moves[i];
	return NULL;
}

/* The struct, then the send queue, then the receive queue. */
static size_t head_bytes(void)
{
	return RN_ALIGN_UP(sizeof(struct rn_qp), 64);
}

/* A QP on an SRQ has room for one receive, of any size. */
static uint32_t rq_depth(const struct rn_cmd *cmd)
{
	return cmd->create_qp.srq ? 1 : cmd->create_qp.rq_depth;
}

static uint32_t rq_sge(const struct rn_cmd *cmd)
{
	return cmd->create_qp.srq ? RN_WQE_MAX_SGE : cmd->create_qp.rq_sge;
}

size_t rn_qp_bytes(const struct rn_cmd *cmd)
{
	return head_bytes() +
	       rn_sq_bytes(cmd->create_qp.sq_depth, cmd->create_qp.sq_sge,
			   cmd->create_qp.inline_bytes, cmd->create_qp.type) +
	       rn_rq_bytes(rq_depth(cmd), rq_sge(cmd));
}

static uint8_t transport_of(uint8_t type)
{
	return type == RN_QPT_RC ? RN_T_RC : type == RN_QPT_UC ? RN_T_UC : RN_T_UD;
}

void rn_qp_init(struct rn_qp *qp, struct rn_shard *sh, const struct rn_cmd *cmd)
{
	uint8_t *sq = (uint8_t *)qp + head_bytes();
	uint8_t *rq = sq + rn_sq_bytes(cmd->create_qp.sq_depth, cmd->create_qp.sq_sge,
				       cmd->create_qp.inline_bytes, cmd->create_qp.type);

	memset(qp, 0, sizeof(*qp));
	qp->sh = sh;
	qp->type = cmd->create_qp.type;
	qp->transport = transport_of(qp->type);
	qp->state = RN_QPS_RESET;
	qp->pd = cmd->create_qp.pd;
	qp->ctx = cmd->create_qp.qp_ctx;
	qp->user = cmd->user;
	qp->send_cq = &sh->cq[cmd->create_qp.send_cq];
	qp->recv_cq = &sh->cq[cmd->create_qp.recv_cq];
	qp->srq = cmd->create_qp.srq ? &sh->srq[cmd->create_qp.srq] : NULL;
	qp->recv_pd = qp->srq ? qp->srq->srq->pd : qp->pd;
	qp->mtu_shift = 8;
	rn_list_init(&qp->active);
	rn_list_init(&qp->dirty);
	rn_list_init(&qp->tell);
	rn_list_init(&qp->cnp);
	rn_timer_init(&qp->pace);
	rn_sq_init(&qp->sq, sq, cmd->create_qp.sq_depth, cmd->create_qp.sq_sge,
		   cmd->create_qp.inline_bytes, qp->type);
	rn_rq_init(&qp->rq, rq, rq_depth(cmd), rq_sge(cmd));
	rn_retry_init(&qp->retry, sh->cfg.rto_floor, sh->cfg.rto_initial);
	atomic_init(&qp->shared.sq_retired, 0);
	atomic_init(&qp->shared.rq_retired, 0);
	atomic_init(&qp->shared.state, RN_QPS_RESET);
}

/* ---- windows ---- */

static void settle_window(struct rn_qp *qp, const struct rn_sqe *e, uint8_t status)
{
	if (e->kind == RN_WQE_INVALIDATE && status == RN_STATUS_SUCCESS)
		rn_mw_end(qp->sh->mrs, e->imm, rn_qp_via(qp), &qp->bound);
	if (e->kind == RN_WQE_BIND && !e->ran)
		rn_mw_void(qp->sh->mrs, e->rkey, rn_qp_via(qp));
}

/* Without its queue pair nobody gets through a window, bound or to be bound. */
static void end_windows(struct rn_qp *qp)
{
	rn_mw_drop_all(qp->sh->mrs, &qp->bound);
	for (uint32_t i = qp->sq.head; i != qp->sq.tail; i++)
		settle_window(qp, rn_sq_at(&qp->sq, i), RN_STATUS_WR_FLUSH_ERR);
}

static bool names_window(const struct rn_sqe *e, uint32_t key)
{
	uint32_t named = e->kind == RN_WQE_BIND ? e->rkey : e->imm;

	return rn_sq_is_local(e->kind) && (named ^ key) >> 8 == 0;
}

void rn_qp_forget_window(struct rn_qp *qp, uint32_t key)
{
	rn_mw_drop(qp->sh->mrs, key, rn_qp_via(qp), &qp->bound);
	for (uint32_t i = qp->sq.head; i != qp->sq.tail; i++) {
		struct rn_sqe *e = rn_sq_at(&qp->sq, i);

		if (!names_window(e, key))
			continue;
		settle_window(qp, e, RN_STATUS_WR_FLUSH_ERR); /* its key is not given again */
		e->ran = true;
	}
}

/* Of congestion: neither a limit nor a notification outlives the connection. */
static void end_limit(struct rn_qp *qp)
{
	rn_pace_stop(qp);
	rn_list_del(&qp->cnp);
	qp->cnp_after = 0;
}

void rn_qp_fini(struct rn_qp *qp)
{
	end_windows(qp);
	rn_mcast_forget(&qp->sh->mcast, qp);
	rn_retry_stop(&qp->retry, &qp->sh->wheel);
	end_limit(qp);
	rn_list_del(&qp->active);
	rn_list_del(&qp->dirty);
	rn_list_del(&qp->tell);
}

/* ---- completions ---- */

static void mark_dirty(struct rn_qp *qp)
{
	if (rn_list_empty(&qp->dirty))
		rn_list_add_tail(&qp->sh->dirty_qp, &qp->dirty);
}

/* The entry to fill, written_cqe() follows; NULL when the CQ is full: it dies, and its QPs with it.
 */
static struct rn_cqe *claim_cqe(struct rn_qp *qp, struct rn_cq *cq)
{
	struct rn_cqe *cqe = rn_cq_claim(cq);

	if (rn_unlikely(!cqe)) {
		qp->sh->stats.cq_overruns++;
		if (!cq->overrun_handled)
			qp->sh->overrun = true;
	}
	return cqe;
}

static void written_cqe(struct rn_qp *qp, struct rn_cq *cq, uint8_t status, uint16_t flags)
{
	struct rn_shard *sh = qp->sh;

	rn_cq_written(cq, flags);
	if (rn_list_empty(&cq->dirty))
		rn_list_add_tail(&sh->dirty_cq, &cq->dirty);
	if (status == RN_STATUS_WR_FLUSH_ERR)
		sh->stats.done_flushed++;
	else if (status)
		sh->stats.done_error++;
}

/* Of a request that never got into its queue. */
static void complete_as(struct rn_qp *qp, struct rn_cq *cq, uint8_t kind, uint64_t wr_id,
			uint8_t status, rn_time now)
{
	uint16_t flags = RN_CQE_ERROR | (kind == RN_WQE_RECV ? RN_CQE_RECV : 0);
	struct rn_cqe *cqe = claim_cqe(qp, cq);

	if (!cqe)
		return;
	*cqe = (struct rn_cqe){
		.wr_id = wr_id,
		.qp_ctx = qp->ctx,
		.qpn = qp->qpn,
		.status = status,
		.kind = kind,
		.flags = flags,
		.time_ns = now,
	};
	written_cqe(qp, cq, status, flags);
}

static void count_sent(struct rn_stats *st, const struct rn_sqe *e)
{
	switch (e->kind) {
	case RN_WQE_SEND:
	case RN_WQE_SEND_IMM:
	case RN_WQE_SEND_INVAL:
		st->done_send++;
		st->bytes_sent += e->length;
		break;
	case RN_WQE_WRITE:
	case RN_WQE_WRITE_IMM:
		st->done_write++;
		st->done_write_imm += e->kind == RN_WQE_WRITE_IMM;
		st->bytes_sent += e->length;
		break;
	case RN_WQE_READ:
		st->done_read++;
		st->bytes_received += e->length;
		break;
	case RN_WQE_CMP_SWAP:
	case RN_WQE_FETCH_ADD:
		st->done_atomic++;
		st->bytes_received += e->length;
		break;
	case RN_WQE_BIND:
		st->done_bind++;
		break;
	case RN_WQE_INVALIDATE:
		st->done_invalidate++;
		break;
	}
}

static void write_send_cqe(struct rn_qp *qp, const struct rn_sqe *e, uint8_t status, uint8_t vendor,
			   rn_time now)
{
	uint16_t flags = status ? RN_CQE_ERROR : 0;
	struct rn_cqe *cqe = claim_cqe(qp, qp->send_cq);

	if (rn_unlikely(!cqe))
		return;
	*cqe = (struct rn_cqe){
		.wr_id = e->wr_id,
		.qp_ctx = qp->ctx,
		.qpn = qp->qpn,
		.byte_len = status ? 0 : e->length,
		.status = status,
		.kind = e->kind,
		.flags = flags,
		.vendor_err = vendor,
		.time_ns = now,
	};
	written_cqe(qp, qp->send_cq, status, flags);
}

void rn_qp_complete_send(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now)
{
	const struct rn_sqe *e = rn_sq_at(&qp->sq, qp->sq.head);

	rn_assert(qp->sq.head != qp->sq.tail);
	if (status == RN_STATUS_SUCCESS)
		count_sent(&qp->sh->stats, e);
	if (rn_unlikely(rn_sq_is_local(e->kind)))
		settle_window(qp, e, status);
	if (status != RN_STATUS_SUCCESS || e->flags & RN_WQE_SIGNALED)
		write_send_cqe(qp, e, status, vendor, now);
	qp->sq.head++;
	qp->sq_retired++;
	mark_dirty(qp);
}

static void write_recv_cqe(struct rn_qp *qp, uint8_t status, uint8_t vendor,
			   const struct rn_arrival *a, rn_time now)
{
	struct rn_cqe *cqe = claim_cqe(qp, qp->recv_cq);
	uint16_t flags = RN_CQE_RECV | (status ? RN_CQE_ERROR : a->flags);

	if (rn_unlikely(!cqe))
		return;
	*cqe = (struct rn_cqe){
		.wr_id = rn_rq_at(&qp->rq, qp->rq.head)->wr_id,
		.qp_ctx = qp->ctx,
		.qpn = qp->qpn,
		.byte_len = status ? 0 : a->bytes,
		.imm = status ? 0 : a->imm,
		.src_qpn = status ? 0 : a->src_qpn,
		.sl = status ? 0 : a->sl,
		.status = status,
		.kind = RN_WQE_RECV,
		.flags = flags,
		.vendor_err = vendor,
		.time_ns = now,
	};
	written_cqe(qp, qp->recv_cq, status, flags);
}

void rn_qp_complete_recv(struct rn_qp *qp, uint8_t status, uint8_t vendor,
			 const struct rn_arrival *a, rn_time now)
{
	if (status == RN_STATUS_SUCCESS) {
		qp->sh->stats.done_recv++;
		qp->sh->stats.bytes_received += a->flags & RN_CQE_WRITE ? 0 : a->bytes;
	}
	write_recv_cqe(qp, status, vendor, a, now);
	rn_rq_retire(&qp->rq);
	if (qp->srq)
		return;
	qp->rq_retired++;
	mark_dirty(qp);
}

/* ---- posting ---- */

static void post_recv(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now)
{
	enum rn_qp_posting how = rn_qp_states[qp->state].post_recv;

	if (rn_unlikely(qp->srq)) { /* its place is the SRQ */
		qp->sh->stats.posts_dropped++;
		return;
	}
	if (how == RN_POST_TAKE) {
		if (!rn_rq_push(&qp->rq, wqe))
			qp->sh->stats.posts_dropped++;
		return;
	}
	complete_as(qp, qp->recv_cq, wqe->kind, wqe->wr_id,
		    how == RN_POST_FLUSH ? RN_STATUS_WR_FLUSH_ERR : RN_STATUS_LOC_QP_OP_ERR, now);
	qp->rq_retired++;
	mark_dirty(qp);
}

static void post_send(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now)
{
	enum rn_qp_posting how = rn_qp_states[qp->state].post_send;

	if (how == RN_POST_TAKE) {
		if (!rn_sq_push(&qp->sq, wqe))
			qp->sh->stats.posts_dropped++;
		else
			rn_shard_activate(qp->sh, qp);
		return;
	}
	if (wqe->kind == RN_WQE_BIND)
		rn_mw_void(qp->sh->mrs, wqe->rkey, rn_qp_via(qp));
	complete_as(qp, qp->send_cq, wqe->kind, wqe->wr_id,
		    how == RN_POST_FLUSH ? RN_STATUS_WR_FLUSH_ERR : RN_STATUS_LOC_QP_OP_ERR, now);
	qp->sq_retired++;
	mark_dirty(qp);
}

void rn_qp_post(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now)
{
	if (wqe->kind == RN_WQE_RECV)
		post_recv(qp, wqe, now);
	else
		post_send(qp, wqe, now);
}

/* ---- packets ---- */

enum rn_verdict rn_qp_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	const struct rn_qp_state_row *row = &rn_qp_states[qp->state];

	if (rn_unlikely(qp->type != RN_QPT_RC)) {
		if (!row->request_in)
			return RN_V_QP_STATE;
		return qp->type == RN_QPT_UD ? rn_ud_rx(qp, pkt, now) : rn_uc_rx(qp, pkt, now);
	}
	if (pkt->op->known && pkt->op->response)
		return row->response_in ? rn_requester_rx(qp, pkt, now) : RN_V_QP_STATE;
	return row->request_in ? rn_responder_rx(qp, pkt, now) : RN_V_QP_STATE;
}

static unsigned request_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	if (!rn_qp_states[qp->state].go_on)
		return 0;
	return qp->type == RN_QPT_UD ? rn_ud_tx(qp, buf, now) : rn_requester_tx(qp, buf, now);
}

static bool answers_read(const struct rn_qp *qp)
{
	return qp->rx.nowed && qp->rx.owed[0].kind == RN_OWE_READ;
}

/* Replies go first, but answers to READs can go on for ever: they and requests of our own take
 * turns. */
unsigned rn_qp_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	unsigned n = qp->own_turn && answers_read(qp) ? request_tx(qp, buf, now) : 0;

	qp->own_turn = !n && answers_read(qp);
	if (!n && qp->rx.nowed)
		n = rn_responder_tx(qp, buf, now);
	return n ? n : request_tx(qp, buf, now);
}

/* ---- state ---- */

static void set_state(struct rn_qp *qp, uint8_t state)
{
	qp->state = state;
	qp->attr.state = state;
	atomic_store_explicit(&qp->shared.state, state, memory_order_release);
}

static void flush_sends(struct rn_qp *qp, rn_time now)
{
	qp->sq.send = qp->sq.started = qp->sq.tail;
	while (qp->sq.head != qp->sq.tail)
		rn_qp_complete_send(qp, RN_STATUS_WR_FLUSH_ERR, 0, now);
}

void rn_qp_note_error(struct rn_qp *qp, const char *why)
{
	struct rn_news news = {
		.kind = RN_NEWS_QP_ERROR, .qpn = qp->qpn, .local = qp->own, .peer = qp->peer, .why = why};

	if (qp->state != RN_QPS_ERR && qp->state != RN_QPS_RESET)
		rn_news_put(&qp->sh->news, &news);
}

void rn_qp_error(struct rn_qp *qp, unsigned what, bool keep_owed, rn_time now)
{
	if (qp->state == RN_QPS_ERR || qp->state == RN_QPS_RESET)
		return;
	set_state(qp, RN_QPS_ERR);
	rn_retry_stop(&qp->retry, &qp->sh->wheel);
	end_limit(qp);
	rn_mw_drop_all(qp->sh->mrs, &qp->bound);
	qp->sh->stats.qp_errors += what != 0;
	if (!keep_owed)
		qp->rx.nowed = qp->rx.nowed_reads = 0;
	qp->win.nreads = qp->win.nbig = 0;
	flush_sends(qp, now);
	while (qp->rq.head != qp->rq.tail)
		rn_qp_complete_recv(qp, RN_STATUS_WR_FLUSH_ERR, 0, NULL, now);
	qp->rx.message = RN_RX_IDLE;
	if (qp->srq)
		what |= RN_QPE_LAST_WQE;
	if (what)
		rn_shard_tell_qp(qp->sh, qp, what);
}

void rn_qp_send_failed(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now)
{
	static const char *const texts[] = {
#define X(name, number, text) [number] = text,
		RN_STATUS_ROWS(X)
#undef X
	};

	rn_qp_complete_send(qp, status, vendor, now);
	if (qp->type == RN_QPT_RC) {
		rn_qp_note_error(qp, texts[status]);
		rn_qp_error(qp, RN_QPE_FATAL, false, now);
		return;
	}
	set_state(qp, RN_QPS_SQE);
	flush_sends(qp, now);
	/* PSNs that no packet carried are the next ones again. */
	rn_requester_init(qp, qp->win.cur);
}

void rn_qp_drained(struct rn_qp *qp)
{
	if (qp->state != RN_QPS_SQD || !qp->sqd_notify || qp->sq.head != qp->sq.started)
		return;
	qp->sqd_notify = false;
	rn_shard_tell_qp(qp->sh, qp, RN_QPE_SQ_DRAINED);
}

static void enter_reset(struct rn_qp *qp)
{
	rn_retry_stop(&qp->retry, &qp->sh->wheel);
	rn_retry_init(&qp->retry, qp->sh->cfg.rto_floor, qp->sh->cfg.rto_initial);
	end_limit(qp);
	qp->events = 0; /* of a life that is over */
	rn_list_del(&qp->tell);
	end_windows(qp);
	/* What was queued is forgotten, and counts as retired: the queues are empty for their
	 * poster too. */
	qp->sq_retired += qp->sq.tail - qp->sq.head;
	qp->rq_retired += qp->srq ? 0 : qp->rq.tail - qp->rq.head;
	qp->sq.head = qp->sq.send = qp->sq.started = qp->sq.tail;
	qp->rq.head = qp->rq.tail;
	rn_responder_init(qp, 0, 0);
	rn_window_init(&qp->win, 0, qp->sh->cfg.window_packets, 0);
	rn_list_del(&qp->active);
	mark_dirty(qp);
	qp->attr = (struct rn_qp_attr){0};
	set_state(qp, RN_QPS_RESET);
}

static bool values_fit(const struct rn_qp *qp, uint32_t mask, const struct rn_qp_attr *a)
{
	const struct rn_port_attr *port = &qp->sh->port;

	if (mask & RN_QP_PATH_MTU && (a->path_mtu < 1 || a->path_mtu > port->max_path_mtu))
		return false;
	if (mask & RN_QP_AV && !rn_port_av_fits(port, &a->av))
		return false;
	return !((mask & RN_QP_CUR_STATE && a->cur_state != qp->state) ||
		 (mask & RN_QP_SQD_NOTIFY && a->sqd_notify > 1) ||
		 (mask & RN_QP_ACCESS && a->access & ~(uint32_t)RN_ACCESS_ALL) ||
		 (mask & RN_QP_PKEY_INDEX && a->pkey_index) ||
		 (mask & RN_QP_PORT && a->port > 1) ||
		 (mask & RN_QP_TIMEOUT && a->timeout > 31) ||
		 (mask & RN_QP_RETRY_CNT && a->retry_cnt > 7) ||
		 (mask & RN_QP_RNR_RETRY && a->rnr_retry > 7) ||
		 (mask & RN_QP_MIN_RNR_TIMER && (a->min_rnr_timer > 31 || a->rnr_step > 31)) ||
		 (mask & RN_QP_MAX_RD_ATOMIC && a->max_rd_atomic > RN_MAX_RD_ATOMIC) ||
		 (mask & RN_QP_MAX_DEST_RD_ATOMIC && a->max_dest_rd_atomic > RN_MAX_RD_ATOMIC) ||
		 (mask & RN_QP_DEST_QPN && a->dest_qpn > RN_PSN_MASK) ||
		 (mask & RN_QP_RQ_PSN && a->rq_psn > RN_PSN_MASK) ||
		 (mask & RN_QP_SQ_PSN && a->sq_psn > RN_PSN_MASK));
}

/* clang-format off */
#define ATTR_FIELDS(X) \
	X(ACCESS, access) X(PKEY_INDEX, pkey_index) X(PORT, port) X(QKEY, qkey) X(AV, av) X(PATH_MTU, path_mtu) \
	X(TIMEOUT, timeout) X(RETRY_CNT, retry_cnt) X(RNR_RETRY, rnr_retry) X(RQ_PSN, rq_psn) \
	X(MAX_RD_ATOMIC, max_rd_atomic) X(MIN_RNR_TIMER, min_rnr_timer) X(MIN_RNR_TIMER, rnr_step) X(SQ_PSN, sq_psn) \
	X(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic) X(DEST_QPN, dest_qpn)
/* clang-format on */

void rn_qp_make_headers(struct rn_qp *qp)
{
	struct rn_av av = rn_port_av(&qp->sh->port, &qp->attr.av);

	if (qp->sh->cfg.cc.ecn)
		av.tclass = (av.tclass & 0xFC) | RN_ECT_0;
	rn_tmpl_make(&qp->tmpl, &av, qp->sh->port.mac, qp->qpn, qp->attr.dest_qpn);
}

static void apply(struct rn_qp *qp, uint32_t mask, const struct rn_qp_attr *a)
{
#define X(bit, field)           \
	if (mask & RN_QP_##bit) \
		qp->attr.field = a->field;
	ATTR_FIELDS(X)
#undef X
	qp->access = qp->attr.access;
	if (mask & RN_QP_MAX_DEST_RD_ATOMIC)
		rn_responder_reads(qp, qp->attr.max_dest_rd_atomic);
	if (mask & (RN_QP_AV | RN_QP_DEST_QPN)) {
		qp->own = qp->attr.av.sgid;
		qp->peer = qp->attr.av.dgid;
		rn_qp_make_headers(qp);
	}
	if (mask & RN_QP_PATH_MTU)
		qp->mtu_shift = 7 + qp->attr.path_mtu;
	if (mask & (RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY))
		rn_retry_config(&qp->retry, qp->attr.timeout, qp->attr.retry_cnt,
				qp->attr.rnr_retry);
}

int rn_qp_modify(struct rn_qp *qp, uint32_t mask, const struct rn_qp_attr *a, rn_time now)
{
	uint8_t from = qp->state, to = mask & RN_QP_STATE ? a->state : from;
	const struct rn_qp_move_row *row = to <= RN_QPS_ERR ? rn_qp_move(qp->type, from, to) : NULL;
	uint32_t given = mask & ~(uint32_t)RN_QP_STATE;

	if (!row || (given & row->mandatory) != row->mandatory ||
	    given & ~(row->mandatory | row->optional) || !values_fit(qp, given, a))
		return -EINVAL;
	if (to == RN_QPS_ERR) {
		if (from == RN_QPS_RESET)
			set_state(qp, RN_QPS_ERR);
		rn_qp_error(qp, 0, false, now);
		return 0;
	}
	if (to == RN_QPS_RESET) {
		enter_reset(qp);
		return 0;
	}
	apply(qp, given, a);
	/* What is in flight may run without a timer, or with one of the old length. */
	if (given & RN_QP_TIMEOUT && qp->retry.running)
		rn_retry_progress(&qp->retry, &qp->sh->wheel, qp->win.una, true, now);
	set_state(qp, to);
	if (from == RN_QPS_INIT && to == RN_QPS_RTR)
		rn_responder_init(qp, qp->attr.rq_psn, qp->attr.max_dest_rd_atomic);
	if (from == RN_QPS_RTR && to == RN_QPS_RTS)
		rn_requester_init(qp, qp->attr.sq_psn);
	if (from != to)
		qp->sqd_notify = given & RN_QP_SQD_NOTIFY && a->sqd_notify;
	rn_qp_drained(qp);
	if (rn_qp_states[to].go_on)
		rn_shard_activate(qp->sh, qp);
	return 0;
}

void rn_qp_query(const struct rn_qp *qp, struct rn_qp_attr *attr)
{
	*attr = qp->attr;
	attr->state = attr->cur_state = qp->state;
	attr->sq_draining = qp->state == RN_QPS_SQD && qp->sq.head != qp->sq.started;
}
