/* Reports the flow control counters of a port's driver: counts of global pause frames and of pause
 * frames per priority (PFC). Any thread may call rn_port_pause_stats(), but not while the thread
 * polls a shard. */
#ifndef RN_PAUSE_H
#define RN_PAUSE_H

#include "port/port.h"

/* Calls fn(arg, name, value) for each flow control counter. The name is "pause_" followed by the
 * driver's name of the counter. Drivers of software ports have no such counters. For a removed port
 * fn is not called. The caller makes sure that the port is not unplugged during the call. */
void rn_port_pause_stats(const struct rn_port *port,
			 void (*fn)(void *arg, const char *name, uint64_t value), void *arg);

#endif
