/* Which properties does each state of a connection have? Owns the constant table rn_cm_states, made
 * from RN_CM_STATE_ROWS of cm_priv.h. Any thread may read the table. */
#include "cm/cm_priv.h"

const struct rn_cm_state_row rn_cm_states[RN_CMS_COUNT] = {
#define X(name, flags, text) {#name, flags},
	RN_CM_STATE_ROWS(X)
#undef X
};
