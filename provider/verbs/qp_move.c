/* The table of transitions. Owns nothing; all functions are pure. */
#include "verbs/qp_move.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static const struct {
	enum ibv_qp_type type;
	enum ibv_qp_state from, to;
	int required, allowed;
} rows[] = {
#define X(type, from, to, required, allowed) \
	{IBV_QPT_##type, IBV_QPS_##from, IBV_QPS_##to, required, allowed},
	VB_QP_MOVE_ROWS(X)
#undef X
};

int vb_qp_move_check(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	int given = mask & ~IBV_QP_STATE;

	if (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET))
		return mask == IBV_QP_STATE ? 0 : EINVAL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].type != type || rows[i].from != from || rows[i].to != to)
			continue;
		if ((given & rows[i].required) != rows[i].required ||
		    given & ~(rows[i].required | rows[i].allowed))
			return EINVAL;
		return given & IBV_QP_ALT_PATH ? EOPNOTSUPP : 0;
	}
	return EINVAL;
}
