/* The rows of verdict.h as constant data. Any thread may read these rows. */
#include "wire/verdict.h"

const struct rn_verdict_row rn_verdicts[RN_V_COUNT] = {
#define X(name, reply, qp, text) {#name, text, RN_REPLY_##reply, RN_QP_##qp},
	RN_VERDICT_ROWS(X)
#undef X
};
