/* What a port's driver counts of flow control: pause frames, plain and by priority (PFC). Any thread. */
#ifndef RN_PAUSE_H
#define RN_PAUSE_H

#include "port.h"

/* fn(arg, "pause_" and the driver's name, value) for each. Drivers of software ports count none. The caller sees to it that
 * the port is not unplugged meanwhile; nothing is told of one that was. */
void rn_port_pause_stats(const struct rn_port *port, void (*fn)(void *arg, const char *name, uint64_t value), void *arg);

#endif
