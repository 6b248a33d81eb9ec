/* The client's MODIFY_QP commands in a hostile run: state transitions and attributes. */
#ifndef SIM_HOSTILE_MOVE_H
#define SIM_HOSTILE_MOVE_H

#include "hostile_state.h"

/* Makes one random state transition or attribute change, valid or not. */
void hostile_move(struct hostile *h, unsigned node, unsigned q);
/* Moves the QP from SQD or SQE to RTS, because no QP leaves these states by itself. */
void hostile_move_on(struct hostile *h, unsigned node, unsigned q);

#endif
