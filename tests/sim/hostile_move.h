/* What the client does to its queue pairs in a hostile run: moves between states, and changes of their attributes. */
#ifndef SIM_HOSTILE_MOVE_H
#define SIM_HOSTILE_MOVE_H

#include "hostile_state.h"

/* A move or a change, right or wrong. */
void hostile_move(struct hostile *h, unsigned node, unsigned q);
/* Out of SQD and SQE, the states that a client is to lead its queue pair out of. */
void hostile_move_on(struct hostile *h, unsigned node, unsigned q);

#endif
