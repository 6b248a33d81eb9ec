/* How does a queue pair change its state, write completions and handle errors? The tables in qp.h
 * list states and transitions. Every error that moves a QP to ERR calls rn_qp_error(), so the
 * queues are flushed once and in order. Runs on the shard's thread. */
#include "qp/qp.h"
#include "qp/responder.h"

#include <errno.h>
#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "qp/complete.h"
#include "qp/pace.h"
#include "qp/read_gap.h"
#include "qp/requester.h"
#include "qp/short_rx.h"
#include "qp/lane.h"

static const struct rn_qp_move_row moves[] = {
#define X(types, from, to, mandatory, optional) \
	{RN_QPTS_##types, RN_QPS_##from, RN_QPS_##to, mandatory, optional},
	RN_QP_MOVE_ROWS(X)
#undef X
};

/* The row for transitions to RESET and to ERR. Every state allows these transitions, with no
 * attribute but the state. */
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

/* Returns the bytes of struct rn_qp, rounded up so that the send queue behind it starts on a cache
 * line. */
static size_t head_bytes(void)
{
	return RN_ALIGN_UP(sizeof(struct rn_qp), 64);
}

/* Returns the depth of the receive queue. A QP with an SRQ has room for one receive, which the
 * current message has taken from the SRQ. */
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

/* Returns the upper three bits of the BTH opcode in all packets of the QP. */
static uint8_t transport_of(uint8_t type)
{
	return type == RN_QPT_RC ? RN_T_RC : type == RN_QPT_UC ? RN_T_UC : RN_T_UD;
}

void rn_qp_init(struct rn_qp *qp, struct rn_lane *lane, const struct rn_cmd *cmd)
{
	uint8_t *sq = (uint8_t *)qp + head_bytes();
	uint8_t *rq = sq + rn_sq_bytes(cmd->create_qp.sq_depth, cmd->create_qp.sq_sge,
				       cmd->create_qp.inline_bytes, cmd->create_qp.type);

	memset(qp, 0, sizeof(*qp));
	qp->lane = lane;
	qp->type = cmd->create_qp.type;
	qp->transport = transport_of(qp->type);
	qp->state = RN_QPS_RESET;
	qp->pd = cmd->create_qp.pd;
	qp->ctx = cmd->create_qp.qp_ctx;
	qp->user = cmd->user;
	qp->send_cq = &lane->cq[cmd->create_qp.send_cq];
	qp->recv_cq = &lane->cq[cmd->create_qp.recv_cq];
	qp->srq = cmd->create_qp.srq ? &lane->srq[cmd->create_qp.srq] : NULL;
	/* The receives of an SRQ use memory of the SRQ's PD, which may differ from the QP's PD. */
	qp->recv_pd = qp->srq ? qp->srq->srq->pd : qp->pd;
	/* The MTU is 256 bytes, the smallest path MTU, until the transition to RTR sets another
	 * MTU. */
	qp->mtu_shift = 8;
	rn_list_init(&qp->active);
	rn_list_init(&qp->dirty);
	rn_list_init(&qp->tell);
	rn_list_init(&qp->cnp);
	rn_timer_init(&qp->pace);
	rn_sq_init(&qp->sq, sq, cmd->create_qp.sq_depth, cmd->create_qp.sq_sge,
		   cmd->create_qp.inline_bytes, qp->type);
	rn_rq_init(&qp->rq, rq, rq_depth(cmd), rq_sge(cmd));
	rn_retry_init(&qp->retry, rn_requester_floor(&lane->cfg), lane->cfg.rto_initial);
	atomic_init(&qp->shared.sq_retired, 0);
	atomic_init(&qp->shared.rq_retired, 0);
	atomic_init(&qp->shared.state, RN_QPS_RESET);
}

/* ---- memory windows ---- */

/* Called when a work request completes with `status`. A successful INVALIDATE releases the memory
 * window. A BIND that was never executed is cancelled, so that the client can bind the window
 * again. */
static void finish_window_request(struct rn_qp *qp, const struct rn_sqe *e, uint8_t status)
{
	if (e->kind == RN_WQE_INVALIDATE && status == RN_STATUS_SUCCESS)
		rn_mw_release(qp->lane->mrs, e->imm, rn_qp_via(qp), &qp->bound);
	if (e->kind == RN_WQE_BIND && !e->ran)
		rn_mw_cancel_bind(qp->lane->mrs, e->rkey, rn_qp_via(qp));
}

/* Releases all memory windows that are bound on the QP, and cancels queued BIND requests. */
void rn_qp_unbind_all(struct rn_qp *qp)
{
	rn_mw_unbind_all(qp->lane->mrs, &qp->bound);
	for (uint32_t i = qp->sq.head; i != qp->sq.tail; i++)
		finish_window_request(qp, rn_sq_at(&qp->sq, i), RN_STATUS_WR_FLUSH_ERR);
}

/* Returns true if the work request binds or invalidates the window that `key` names. The low byte
 * of a key changes with each bind and is not compared. */
static bool names_window(const struct rn_sqe *e, uint32_t key)
{
	uint32_t named = e->kind == RN_WQE_BIND ? e->rkey : e->imm;

	return rn_sq_is_local(e->kind) && (named ^ key) >> 8 == 0;
}

void rn_qp_unbind_window(struct rn_qp *qp, uint32_t key)
{
	rn_mw_unbind(qp->lane->mrs, key, rn_qp_via(qp), &qp->bound);
	for (uint32_t i = qp->sq.head; i != qp->sq.tail; i++) {
		struct rn_sqe *e = rn_sq_at(&qp->sq, i);

		if (!names_window(e, key))
			continue;
		finish_window_request(qp, e, RN_STATUS_WR_FLUSH_ERR); /* cancels a BIND */
		e->ran = true;
	}
}

/* Called when the connection of the QP ends. Removes the rate limit and drops an unsent CNP to the
 * peer. */
void rn_qp_end_limit(struct rn_qp *qp)
{
	rn_pace_stop(qp);
	rn_list_del(&qp->cnp);
	qp->cnp_after = 0;
}

void rn_qp_fini(struct rn_qp *qp)
{
	rn_qp_unbind_all(qp);
	rn_responder_drop_kept(qp);
	rn_read_gap_forget(qp);
	rn_mcast_detach_all(&qp->lane->mcast, qp);
	rn_retry_stop(&qp->retry, &qp->lane->wheel);
	rn_qp_end_limit(qp);
	rn_list_del(&qp->active);
	rn_list_del(&qp->dirty);
	rn_list_del(&qp->tell);
}

/* ---- completions ---- */

void rn_complete_overran(struct rn_qp *qp, const struct rn_cq *cq)
{
	qp->lane->stats.cq_overruns++;
	if (!cq->overrun_handled)
		qp->lane->overrun = true;
}

/* Writes the CQE of a work request that failed. byte_len is 0 after an error. */
static void write_error(struct rn_qp *qp, struct rn_cq *cq, uint8_t kind, uint64_t wr_id,
			uint8_t status, uint8_t vendor, rn_time now)
{
	struct rn_stats *st = &qp->lane->stats;
	struct rn_cqe *cqe = rn_complete_claim(qp, cq);
	uint16_t flags = RN_CQE_ERROR | (kind == RN_WQE_RECV ? RN_CQE_RECV : 0);

	if (!cqe)
		return;
	*cqe = (struct rn_cqe){
		.wr_id = wr_id,
		.qp_ctx = qp->ctx,
		.qpn = qp->qpn,
		.status = status,
		.kind = kind,
		.flags = flags,
		.vendor_err = vendor,
		.time_ns = now,
	};
	rn_complete_written(qp, cq, flags);
	if (status == RN_STATUS_WR_FLUSH_ERR)
		st->done_flushed++;
	else
		st->done_error++;
}

void rn_qp_complete_unqueued(struct rn_qp *qp, struct rn_cq *cq, uint8_t kind, uint64_t wr_id,
			     uint8_t status, rn_time now)
{
	write_error(qp, cq, kind, wr_id, status, 0, now);
}

void rn_complete_rare_kind(struct rn_qp *qp, const struct rn_sqe *e)
{
	struct rn_stats *st = &qp->lane->stats;

	if (rn_sq_is_local(e->kind))
		finish_window_request(qp, e, RN_STATUS_SUCCESS);
	switch (e->kind) {
	case RN_WQE_SEND_IMM:
	case RN_WQE_SEND_INVAL:
		st->done_send++;
		st->bytes_sent += e->length;
		break;
	case RN_WQE_WRITE_IMM:
		st->done_write++;
		st->done_write_imm++;
		st->bytes_sent += e->length;
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

void rn_qp_complete_send(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now)
{
	const struct rn_sqe *e = rn_sq_at(&qp->sq, qp->sq.head);

	rn_assert(qp->sq.head != qp->sq.tail);
	if (status == RN_STATUS_SUCCESS) {
		rn_complete_request(qp, e, now);
	} else {
		if (rn_sq_is_local(e->kind))
			finish_window_request(qp, e, status);
		write_error(qp, qp->send_cq, e->kind, e->wr_id, status, vendor, now);
	}
	qp->sq.head++;
	qp->sq_retired++;
	rn_lane_mark_dirty(qp);
}

void rn_qp_complete_recv(struct rn_qp *qp, uint8_t status, uint8_t vendor,
			 const struct rn_arrival *a, rn_time now)
{
	const struct rn_rqe *e = rn_rq_at(&qp->rq, qp->rq.head);

	if (status == RN_STATUS_SUCCESS) {
		rn_complete_receive(qp, e, *a, now);
		return;
	}
	write_error(qp, qp->recv_cq, RN_WQE_RECV, e->wr_id, status, vendor, now);
	rn_rq_retire(&qp->rq);
	if (qp->srq) /* counted in the SRQ: see rn_complete_receive() */
		return;
	qp->rq_retired++;
	rn_lane_mark_dirty(qp);
}

/* ---- changes of state, errors, headers ---- */

/* Sets the state and publishes it to the application (struct rn_qp_shared). The peer sends packets
 * that were kept again. */
void rn_qp_set_state(struct rn_qp *qp, uint8_t state)
{
	rn_responder_drop_kept(qp);
	if (!rn_qp_states[state].response_in)
		rn_read_gap_forget(qp);
	qp->state = state;
	qp->attr.state = state;
	atomic_store_explicit(&qp->shared.state, state, memory_order_release);
}

/* Completes all work requests of the send queue, also those in flight, with WR_FLUSH_ERR. */
static void flush_sends(struct rn_qp *qp, rn_time now)
{
	/* Mark all work requests as started and sent, so that the shard sends no more packets for
	 * them. */
	qp->sq.send = qp->sq.started = qp->sq.tail;
	while (qp->sq.head != qp->sq.tail)
		rn_qp_complete_send(qp, RN_STATUS_WR_FLUSH_ERR, 0, now);
}

void rn_qp_note_error(struct rn_qp *qp, const char *why)
{
	struct rn_news news = {.kind = RN_NEWS_QP_ERROR,
			       .qpn = qp->qpn,
			       .local = qp->own,
			       .peer = qp->peer,
			       .why = why};

	/* Only the first error of a QP is logged. A QP in ERR has logged its first error
	 * already. */
	if (qp->state != RN_QPS_ERR && qp->state != RN_QPS_RESET)
		rn_news_put(&qp->lane->news, &news);
}

void rn_qp_error(struct rn_qp *qp, unsigned what, bool keep_owed, rn_time now)
{
	if (qp->state == RN_QPS_ERR || qp->state == RN_QPS_RESET)
		return;
	rn_qp_set_state(qp, RN_QPS_ERR);
	rn_retry_stop(&qp->retry, &qp->lane->wheel);
	rn_qp_end_limit(qp);
	rn_mw_unbind_all(qp->lane->mrs, &qp->bound);
	/* If `what` is 0, the application requested ERR or the DPDK port is gone: do not count this
	 * as an error. */
	qp->lane->stats.qp_errors += what != 0;
	if (!keep_owed)
		qp->rx.nowed = qp->rx.nowed_reads = 0;
	/* flush_sends() completes all READs, so the send window must expect no READ response. */
	qp->win.nreads = qp->win.nbig = 0;
	flush_sends(qp, now);
	while (qp->rq.head != qp->rq.tail)
		rn_qp_complete_recv(qp, RN_STATUS_WR_FLUSH_ERR, 0, NULL, now);
	qp->rx.message = RN_RX_IDLE;
	/* Report "last WQE reached": from now on, this QP takes no receive from its SRQ. */
	if (qp->srq)
		what |= RN_QPE_LAST_WQE;
	if (what)
		rn_lane_report_qp(qp->lane, qp, what);
}

void rn_qp_init_sends(struct rn_qp *qp, uint32_t psn)
{
	rn_window_init(&qp->win, psn, qp->lane->cfg.window_packets, qp->attr.max_rd_atomic);
	qp->gap = (struct rn_read_gap){0};
	rn_credit_init(&qp->credit, qp->lane->cfg.credits && qp->type == RN_QPT_RC);
}

void rn_qp_send_failed(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now)
{
	/* The log text of each status. */
	static const char *const texts[] = {
#define X(name, number, text) [number] = text,
		RN_STATUS_ROWS(X)
#undef X
	};

	rn_qp_complete_send(qp, status, vendor, now);
	if (qp->type == RN_QPT_RC) {
		rn_qp_note_error(qp, texts[status]);
		rn_qp_error(qp, rn_qp_fatal(qp->send_cq), false, now);
		return;
	}
	rn_qp_set_state(qp, RN_QPS_SQE);
	flush_sends(qp, now);
	/* Some PSNs were assigned to flushed work requests but not sent. Take these PSNs back: the
	 * next work request starts at win.cur, the next unsent PSN. */
	rn_qp_init_sends(qp, qp->win.cur);
}

void rn_qp_drained(struct rn_qp *qp)
{
	if (qp->state != RN_QPS_SQD || !qp->sqd_notify || qp->sq.head != qp->sq.started)
		return;
	qp->sqd_notify = false;
	rn_lane_report_qp(qp->lane, qp, RN_QPE_SQ_DRAINED);
}

void rn_qp_make_headers(struct rn_qp *qp)
{
	struct rn_av av = rn_port_av(&qp->lane->port, &qp->attr.av);

	/* Mark packets as ECN-capable, so that switches can signal congestion. Keep the DSCP. */
	if (qp->lane->cfg.cc.ecn)
		av.tclass = (av.tclass & 0xFC) | RN_ECT_0;
	rn_tmpl_make(&qp->tmpl, &av, qp->lane->port.mac, qp->qpn, qp->attr.dest_qpn);
	rn_short_rx_make(qp);
}
