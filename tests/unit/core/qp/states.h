/* Helper for tests of QP states: moves the QP of side 0 of the bench into a state. A failed check
 * fails the test. */
#ifndef STATES_H
#define STATES_H

#include "qp/qp_modify.h"
#include "rig.h"

#define ST   RN_QP_STATE
#define INIT (RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS)

/* Returns QP attributes for the move to `state`, valid for every transition. */
static inline struct rn_qp_attr good(struct rig *r, uint8_t state)
{
	struct rn_qp_attr a = {
		.state = state,
		.path_mtu = 3,
		.access = RN_ACCESS_REMOTE_WRITE,
		.dest_qpn = r->s[1].qpn,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.av = {.sgid = r->s[0].port.gids[0], .dgid = r->s[1].port.gids[0]},
	};

	return a;
}

/* Moves the QP of side 0 into a state by the regular transitions. */
static inline void put_in(struct rig *r, uint8_t state)
{
	struct rn_qp_attr a = good(r, RN_QPS_RESET);

	assert_int_equal(rig_modify(r, 0, ST, &a), 0);
	if (state == RN_QPS_RESET)
		return;
	a.state = RN_QPS_INIT;
	assert_int_equal(rig_modify(r, 0, ST | INIT, &a), 0);
	if (state == RN_QPS_INIT)
		return;
	a.state = RN_QPS_RTR;
	assert_int_equal(rig_modify(r, 0, ST | RN_QPM_RTR, &a), 0);
	if (state == RN_QPS_RTR)
		return;
	a.state = RN_QPS_RTS;
	assert_int_equal(rig_modify(r, 0, ST | RN_QPM_RTS, &a), 0);
	if (state == RN_QPS_RTS)
		return;
	a.state = state;
	assert_int_equal(rig_modify(r, 0, ST, &a), 0);
}

#endif
