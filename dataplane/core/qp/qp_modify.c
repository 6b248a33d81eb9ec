/* Which changes of its attributes and its state does a QP allow, and what does each change do? qp.h
 * has the table of allowed transitions. Owns nothing. Runs on the shard's thread. */
#include "qp/qp_modify.h"

#include <errno.h>

#include "qp/lane.h"
#include "qp/requester.h"
#include "qp/responder.h"

/* Clears all state of the connection. The QP keeps its QPN and its queues. */
static void enter_reset(struct rn_qp *qp)
{
	rn_retry_stop(&qp->retry, &qp->lane->wheel);
	rn_retry_init(&qp->retry, rn_requester_floor(&qp->lane->cfg), qp->lane->cfg.rto_initial);
	rn_qp_end_limit(qp);
	qp->events = 0; /* drop events of the previous connection */
	rn_list_del(&qp->tell);
	rn_qp_unbind_all(qp);
	/* Drop all queued work requests and write no completions for them. Count them as retired,
	 * so that the application finds both queues empty. */
	qp->sq_retired += qp->sq.tail - qp->sq.head;
	qp->rq_retired += qp->srq ? 0 : qp->rq.tail - qp->rq.head;
	qp->sq.head = qp->sq.send = qp->sq.started = qp->sq.tail;
	qp->rq.head = qp->rq.tail;
	rn_responder_init(qp, 0, 0);
	rn_window_init(&qp->win, 0, qp->lane->cfg.window_packets, 0);
	rn_list_del(&qp->active);
	rn_lane_mark_dirty(qp);
	qp->attr = (struct rn_qp_attr){0};
	rn_qp_set_state(qp, RN_QPS_RESET);
}

/* Returns true if all values that the mask names are in range. The NIC has one port with one P_Key,
 * so `port` must be at most 1 and `pkey_index` must be 0. */
static bool values_fit(const struct rn_qp *qp, uint32_t mask, const struct rn_qp_attr *a)
{
	const struct rn_port_attr *port = &qp->lane->port;

	if (mask & RN_QP_PATH_MTU && (a->path_mtu < 1 || a->path_mtu > port->max_path_mtu))
		return false;
	if (mask & RN_QP_AV && !rn_port_av_fits(port, &a->av))
		return false;
	return !((mask & RN_QP_CUR_STATE && a->cur_state != qp->state) ||
		 (mask & RN_QP_SQD_NOTIFY && a->sqd_notify > 1) ||
		 (mask & RN_QP_ACCESS && a->access & ~(uint32_t)RN_ACCESS_ALL) ||
		 (mask & RN_QP_PKEY_INDEX && a->pkey_index) || (mask & RN_QP_PORT && a->port > 1) ||
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

/* Copies the attributes that the mask names. Updates the fields that depend on these attributes. */
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
		/* path_mtu is a code: 1 is 256 bytes, and each higher code doubles the size. */
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
		/* rn_qp_error() has no effect in RESET, so set the state here. */
		if (from == RN_QPS_RESET)
			rn_qp_set_state(qp, RN_QPS_ERR);
		rn_qp_error(qp, 0, false, now);
		return 0;
	}
	if (to == RN_QPS_RESET) {
		enter_reset(qp);
		return 0;
	}
	apply(qp, given, a);
	/* If packets are in flight, start the retransmission timer with the new timeout. The old
	 * timeout code may have been 0 (no timeout), with which the timer is not armed. */
	if (given & RN_QP_TIMEOUT && qp->retry.running)
		rn_retry_progress(&qp->retry, &qp->lane->wheel, qp->win.una, true, now);
	rn_qp_set_state(qp, to);
	if (from == RN_QPS_INIT && to == RN_QPS_RTR)
		rn_responder_init(qp, qp->attr.rq_psn, qp->attr.max_dest_rd_atomic);
	if (from == RN_QPS_RTR && to == RN_QPS_RTS)
		rn_qp_init_sends(qp, qp->attr.sq_psn);
	if (from != to)
		qp->sqd_notify = given & RN_QP_SQD_NOTIFY && a->sqd_notify;
	rn_qp_drained(qp);
	if (rn_qp_states[to].go_on)
		rn_lane_activate(qp->lane, qp);
	return 0;
}

void rn_qp_query(const struct rn_qp *qp, struct rn_qp_attr *attr)
{
	*attr = qp->attr;
	attr->state = attr->cur_state = qp->state;
	attr->sq_draining = qp->state == RN_QPS_SQD && qp->sq.head != qp->sq.started;
	/* Network cards and rxe return the PSNs of the packets that they send and expect next
	 * (while they resend, of the next packet to be sent again), not those of the first. */
	if (qp->state >= RN_QPS_RTR && qp->type != RN_QPT_UD)
		attr->rq_psn = qp->rx.epsn;
	if (qp->state >= RN_QPS_RTS)
		attr->sq_psn = qp->win.cur;
}
