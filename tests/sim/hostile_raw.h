/* Raw requests in a hostile run: work requests made of any bytes that an application could write
 * into the slots of its submission ring. */
#ifndef SIM_HOSTILE_RAW_H
#define SIM_HOSTILE_RAW_H

#include "hostile_state.h"

void hostile_raw_post(struct hostile *h, unsigned node, unsigned q);

#endif
