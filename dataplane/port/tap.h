/* The driver net_tap, which needs a signal for each frame that arrives. Runs in the control thread,
 * except rn_tap_take_signals(). */
#ifndef RN_TAP_H
#define RN_TAP_H

#include "port/port.h"

/* From now on the calling thread takes the signals by which the kernel tells net_tap of frames, and
 * no thread of the application does. All ports of a process must have the same thread: the driver's
 * handler may not run in two threads at the same time. Does nothing for other drivers. */
void rn_tap_take_signals(const struct rn_port *port);

/* Lets the descriptor of receive queue `queue` wake the shard of this queue (wake source QUEUE). If
 * the driver does not tell the descriptor, the shard's wake source becomes TIMED. Returns 0 or
 * -errno. */
int rn_tap_watch(const struct rn_port *port, unsigned queue, struct rn_wake *wake);

#endif
