/* State transitions and attribute changes by the client; see hostile_move.h. Timeouts stay short,
 * so that work requests time out within the run. */
#include "hostile_move.h"

#include "hostile_ledger.h"

static bool change(struct hostile *h, unsigned node, unsigned q, uint32_t mask, struct rn_qp_attr a)
{
	return sim_modify(&h->sim, node, q, mask, &a) == 0;
}

void hostile_move_on(struct hostile *h, unsigned node, unsigned q)
{
	unsigned state = qp_state(h, node, q);
	if (state != RN_QPS_SQD && state != RN_QPS_SQE)
		return;
	if (change(h, node, q, RN_QP_STATE, (struct rn_qp_attr){.state = RN_QPS_RTS}))
		SEEN(h, MOVE_RTS);
	else
		OBJECT(h, "node %u QP %u: no move from state %u to RTS", node, q, state);
}

static void reset(struct hostile *h, unsigned node, unsigned q)
{
	ledger_end(h, node, q);
	if (!change(h, node, q, RN_QP_STATE, (struct rn_qp_attr){.state = RN_QPS_RESET}))
		OBJECT(h, "node %u QP %u: cannot be reset", node, q);
	SEEN(h, MOVE_RESET);
}

/* Changes limits and timeouts of the QP, which is allowed only in SQD. */
static void change_limits(struct hostile *h, unsigned node, unsigned q)
{
	struct rn_qp_attr a = {.max_rd_atomic = (uint8_t)below(h, 18),
			       .max_dest_rd_atomic = (uint8_t)below(h, 18),
			       .timeout = (uint8_t)(6 + below(h, 4)),
			       .retry_cnt = (uint8_t)below(h, 8),
			       .rnr_retry = (uint8_t)below(h, 7),
			       .min_rnr_timer = (uint8_t)(1 + below(h, 8))};
	uint32_t reads = below(h, 4),
		 mask = one_in(h, 2) ? RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY : 0;
	mask |= (reads & 1 ? RN_QP_MAX_RD_ATOMIC : 0) | (reads & 2 ? RN_QP_MAX_DEST_RD_ATOMIC : 0);
	if (change(h, node, q, mask, a) && reads)
		SEEN(h, MOVE_LIMITS);
}

static void change_anything(struct hostile *h, unsigned node, unsigned q)
{
	struct rn_qp_attr a = {.state = (uint8_t)(1 + below(h, 8)),
			       .path_mtu = (uint8_t)below(h, 7),
			       .timeout = (uint8_t)(6 + below(h, 5)),
			       .retry_cnt = (uint8_t)below(h, 10),
			       .rnr_retry = (uint8_t)below(h, 10),
			       .max_rd_atomic = (uint8_t)below(h, 18),
			       .max_dest_rd_atomic = (uint8_t)below(h, 18),
			       .access = below(h, 64),
			       .cur_state = (uint8_t)below(h, 8),
			       .qkey = SIM_QKEY};
	if (!change(h, node, q, (uint32_t)rn_rng_next(&h->rng) & 0x1FFFFF, a))
		SEEN(h, MOVE_REFUSED);
}

void hostile_move(struct hostile *h, unsigned node, unsigned q)
{
	unsigned state = qp_state(h, node, q);
	switch (below(h, 8)) {
	case 0:
	case 1:
		if (change(h, node, q, RN_QP_STATE | RN_QP_SQD_NOTIFY,
			   (struct rn_qp_attr){.state = RN_QPS_SQD,
					       .sqd_notify = (uint8_t)below(h, 2)}))
			SEEN(h, MOVE_SQD);
		break;
	case 2:
	case 3:
		if (state == RN_QPS_SQD)
			change_limits(h, node, q);
		break;
	case 4:
		if (change(h, node, q, RN_QP_ACCESS,
			   (struct rn_qp_attr){.access = below(h, 16) & ~1u}))
			SEEN(h, MOVE_ACCESS);
		break;
	case 5:
		if (one_in(h, 6) &&
		    change(h, node, q, RN_QP_STATE, (struct rn_qp_attr){.state = RN_QPS_ERR}))
			SEEN(h, MOVE_ERR);
		break;
	case 6:
		if (one_in(h, 6))
			reset(h, node, q);
		break;
	default:
		change_anything(h, node, q);
	}
}
