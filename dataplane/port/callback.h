/* Callbacks for ethdev events: DPDK calls them when the driver of a port announces a removal, a
 * change of the link, or that it needs a reset. Called in control threads. */
#ifndef RN_CALLBACK_H
#define RN_CALLBACK_H

#include <stdbool.h>

struct rn_port;

/* Begins or ends to listen for events of the port. When this function has ended it, no callback is
 * running, so the port may be freed. */
void rn_callback_listen(struct rn_port *port, bool listen);

#endif
