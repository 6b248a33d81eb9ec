/* Wake source QUEUE: the descriptor of a receive queue wakes the shard that polls the queue. */
#ifndef RN_QUEUE_WAKE_H
#define RN_QUEUE_WAKE_H

#include "port/port.h"

/* Lets receive queue `queue` wake the shard of `wake`. If the queue's descriptor is not known, the
 * shard's wake source becomes TIMED. Returns 0 or -errno. Called in the control thread. */
int rn_queue_wake_open(const struct rn_port *port, unsigned queue, struct rn_wake *wake);

#endif
