/* The driver net_tap, which needs a signal for each frame that arrives. */
#ifndef RN_TAP_H
#define RN_TAP_H

#include "port/port.h"

/* From now on the calling thread takes the signals by which the kernel tells net_tap of frames, and
 * no thread of the application does. All ports of a process must have the same thread: the driver's
 * handler may not run in two threads at the same time. Does nothing for other drivers. */
void rn_tap_take_signals(const struct rn_port *port);

#endif
