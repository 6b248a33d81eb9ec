/* The table of outcomes as data. */
#include "switch/outcome.h"

const struct rn_outcome_row rn_outcomes[RN_OUTCOMES] = {
#define X(name, kind, text) {#name, RN_OUTCOME_##kind, text},
	RN_OUTCOME_ROWS(X)
#undef X
};
