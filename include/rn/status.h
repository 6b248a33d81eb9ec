/* softrnic: completion statuses. RN_STATUS_ROWS has one row for each status: name, number, text.
 * The numbers equal those of `enum ibv_wc_status` (libibverbs), which static assertions check. A
 * verbs front end can therefore pass the numbers on unchanged. */
#ifndef RN_STATUS_H
#define RN_STATUS_H

#include <stdint.h>

/* clang-format off */
#define RN_STATUS_ROWS(X) \
	X(SUCCESS,            0, "success") \
	X(LOC_LEN_ERR,        1, "local length error") \
	X(LOC_QP_OP_ERR,      2, "local QP operation error") \
	X(LOC_EEC_OP_ERR,     3, "local EE context operation error") \
	X(LOC_PROT_ERR,       4, "local protection error") \
	X(WR_FLUSH_ERR,       5, "work request flushed") \
	X(MW_BIND_ERR,        6, "memory window bind error") \
	X(BAD_RESP_ERR,       7, "bad response") \
	X(LOC_ACCESS_ERR,     8, "local access error") \
	X(REM_INV_REQ_ERR,    9, "remote invalid request") \
	X(REM_ACCESS_ERR,    10, "remote access error") \
	X(REM_OP_ERR,        11, "remote operation error") \
	X(RETRY_EXC_ERR,     12, "transport retry counter exceeded") \
	X(RNR_RETRY_EXC_ERR, 13, "RNR retry counter exceeded") \
	X(LOC_RDD_VIOL_ERR,  14, "local RDD violation") \
	X(REM_INV_RD_REQ_ERR,15, "remote invalid RD request") \
	X(REM_ABORT_ERR,     16, "remote abort") \
	X(INV_EECN_ERR,      17, "invalid EE context number") \
	X(INV_EEC_STATE_ERR, 18, "invalid EE context state") \
	X(FATAL_ERR,         19, "fatal error") \
	X(RESP_TIMEOUT_ERR,  20, "response timeout") \
	X(GENERAL_ERR,       21, "general error")
/* clang-format on */

enum rn_status {
#define X(name, number, text) RN_STATUS_##name = number,
	RN_STATUS_ROWS(X)
#undef X
};

#endif
