/* Which attributes ibv_modify_qp() requires and allows for each transition, as the kernel checks
 * it. The tables in docs/verbs.md are printed from these rows. */
#ifndef VERBS_QP_MOVE_H
#define VERBS_QP_MOVE_H

#include "verbs/public.h"

/* Sets of attributes: IBV_QP_STATE is always implied. */
#define VB_QP(name)   IBV_QP_##name
#define VB_QP_INIT    (VB_QP(PKEY_INDEX) | VB_QP(PORT) | VB_QP(ACCESS_FLAGS))
#define VB_QP_INIT_UD (VB_QP(PKEY_INDEX) | VB_QP(PORT) | VB_QP(QKEY))
#define VB_QP_RTR_UC  (VB_QP(AV) | VB_QP(PATH_MTU) | VB_QP(DEST_QPN) | VB_QP(RQ_PSN))
#define VB_QP_RTR     (VB_QP_RTR_UC | VB_QP(MAX_DEST_RD_ATOMIC) | VB_QP(MIN_RNR_TIMER))
#define VB_QP_RTR_MAY (VB_QP(ALT_PATH) | VB_QP(ACCESS_FLAGS) | VB_QP(PKEY_INDEX))
#define VB_QP_RTS                                                               \
	(VB_QP(TIMEOUT) | VB_QP(RETRY_CNT) | VB_QP(RNR_RETRY) | VB_QP(SQ_PSN) | \
	 VB_QP(MAX_QP_RD_ATOMIC))
#define VB_QP_LATE_UC \
	(VB_QP(CUR_STATE) | VB_QP(ALT_PATH) | VB_QP(ACCESS_FLAGS) | VB_QP(PATH_MIG_STATE))
#define VB_QP_LATE    (VB_QP_LATE_UC | VB_QP(MIN_RNR_TIMER))
#define VB_QP_LATE_UD (VB_QP(CUR_STATE) | VB_QP(QKEY))
#define VB_QP_SQD_UC                                                             \
	(VB_QP(AV) | VB_QP(ALT_PATH) | VB_QP(ACCESS_FLAGS) | VB_QP(PKEY_INDEX) | \
	 VB_QP(PATH_MIG_STATE))
#define VB_QP_SQD                                                                            \
	(VB_QP_SQD_UC | VB_QP(PORT) | VB_QP(TIMEOUT) | VB_QP(RETRY_CNT) | VB_QP(RNR_RETRY) | \
	 VB_QP(MAX_QP_RD_ATOMIC) | VB_QP(MAX_DEST_RD_ATOMIC) | VB_QP(MIN_RNR_TIMER))
#define VB_QP_SQD_UD (VB_QP(PKEY_INDEX) | VB_QP(QKEY))

/* Transitions to RESET and ERR are not in this table: every state allows them, with the state
 * alone, except that RESET does not lead to ERR. */
/* clang-format off */
#define VB_QP_MOVE_ROWS(X) /* columns: type, from, to, required, allowed besides */ \
	X(RC, RESET, INIT, VB_QP_INIT,    0) \
	X(RC, INIT,  INIT, 0,             VB_QP_INIT) \
	X(RC, INIT,  RTR,  VB_QP_RTR,     VB_QP_RTR_MAY) \
	X(RC, RTR,   RTS,  VB_QP_RTS,     VB_QP_LATE) \
	X(RC, RTS,   RTS,  0,             VB_QP_LATE) \
	X(RC, RTS,   SQD,  0,             VB_QP(EN_SQD_ASYNC_NOTIFY)) \
	X(RC, SQD,   SQD,  0,             VB_QP_SQD) \
	X(RC, SQD,   RTS,  0,             VB_QP_LATE) \
	X(UC, RESET, INIT, VB_QP_INIT,    0) \
	X(UC, INIT,  INIT, 0,             VB_QP_INIT) \
	X(UC, INIT,  RTR,  VB_QP_RTR_UC,  VB_QP_RTR_MAY) \
	X(UC, RTR,   RTS,  VB_QP(SQ_PSN), VB_QP_LATE_UC) \
	X(UC, RTS,   RTS,  0,             VB_QP_LATE_UC) \
	X(UC, RTS,   SQD,  0,             VB_QP(EN_SQD_ASYNC_NOTIFY)) \
	X(UC, SQD,   SQD,  0,             VB_QP_SQD_UC) \
	X(UC, SQD,   RTS,  0,             VB_QP_LATE_UC) \
	X(UC, SQE,   RTS,  0,             VB_QP(CUR_STATE) | VB_QP(ACCESS_FLAGS)) \
	X(UD, RESET, INIT, VB_QP_INIT_UD, 0) \
	X(UD, INIT,  INIT, 0,             VB_QP_INIT_UD) \
	X(UD, INIT,  RTR,  0,             VB_QP_SQD_UD) \
	X(UD, RTR,   RTS,  VB_QP(SQ_PSN), VB_QP_LATE_UD) \
	X(UD, RTS,   RTS,  0,             VB_QP_LATE_UD) \
	X(UD, RTS,   SQD,  0,             VB_QP(EN_SQD_ASYNC_NOTIFY)) \
	X(UD, SQD,   SQD,  0,             VB_QP_SQD_UD) \
	X(UD, SQD,   RTS,  0,             VB_QP_LATE_UD) \
	X(UD, SQE,   RTS,  0,             VB_QP_LATE_UD)

/* The attributes and the words for them in tables. */
#define VB_QP_ATTR_ROWS(X) /* columns: attribute, member of struct ibv_qp_attr */ \
	X(CUR_STATE,           cur_qp_state) \
	X(EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify) \
	X(ACCESS_FLAGS,        qp_access_flags) \
	X(PKEY_INDEX,          pkey_index) \
	X(PORT,                port_num) \
	X(QKEY,                qkey) \
	X(AV,                  ah_attr) \
	X(PATH_MTU,            path_mtu) \
	X(TIMEOUT,             timeout) \
	X(RETRY_CNT,           retry_cnt) \
	X(RNR_RETRY,           rnr_retry) \
	X(RQ_PSN,              rq_psn) \
	X(MAX_QP_RD_ATOMIC,    max_rd_atomic) \
	X(ALT_PATH,            alt_ah_attr) \
	X(MIN_RNR_TIMER,       min_rnr_timer) \
	X(SQ_PSN,              sq_psn) \
	X(MAX_DEST_RD_ATOMIC,  max_dest_rd_atomic) \
	X(PATH_MIG_STATE,      path_mig_state) \
	X(DEST_QPN,            dest_qp_num)
/* clang-format on */

/* Checks the attributes in `mask` for a transition. Returns 0 or an errno: EINVAL for what the
 * kernel refuses, EOPNOTSUPP for an alternate path, which softrnic does not have. */
int vb_qp_move_check(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to, int mask);

#endif
