/* The client's changes of QPs in a hostile run: state transitions and attributes. */
#ifndef SIM_HOSTILE_MOVE_H
#define SIM_HOSTILE_MOVE_H

#include "hostile_state.h"

/* Makes one state transition or attribute change, valid or not. */
void hostile_move(struct hostile *h, unsigned node, unsigned q);
/* Moves the QP out of SQD and SQE, because only a client can do that. */
void hostile_move_on(struct hostile *h, unsigned node, unsigned q);

#endif
