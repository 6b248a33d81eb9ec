/* Which properties does each state of a connection have? This file has the table RN_CM_STATE_ROWS
 * of cm_priv.h as constants, which any thread may read. */
#include "cm/cm_priv.h"

const struct rn_cm_state_row rn_cm_states[RN_CMS_COUNT] = {
#define X(name, flags, text) {#name, flags},
	RN_CM_STATE_ROWS(X)
#undef X
};
