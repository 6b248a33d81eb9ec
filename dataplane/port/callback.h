/* Callbacks for ethdev events: DPDK calls them when the driver of a port announces a removal, a
 * change of the link, or that it needs a reset. Called in control threads. */
#ifndef RN_CALLBACK_H
#define RN_CALLBACK_H

#include <rte_ethdev.h>

struct rn_port;

/* Ends the calls of fn(), which was registered with the port as argument. Waits until fn() is not
 * running, so the port may be freed afterwards. */
void rn_callback_remove(struct rn_port *port, enum rte_eth_event_type event, rte_eth_dev_cb_fn fn);

#endif
