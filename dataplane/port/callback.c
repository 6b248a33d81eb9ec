/* Unregisters the callbacks that ports have registered for ethdev events. Owns nothing. Runs in
 * control threads. */
#include "port/callback.h"

#include <errno.h>
#include <sched.h>

#include "port/port.h"

void rn_callback_remove(struct rn_port *port, enum rte_eth_event_type event, rte_eth_dev_cb_fn fn)
{
	int rc = -EAGAIN;

	/* -EAGAIN: the function is running, which takes no time. */
	while (rc == -EAGAIN && rte_eth_dev_is_valid_port(port->id)) {
		rc = rte_eth_dev_callback_unregister(port->id, event, fn, port);
		if (rc == -EAGAIN)
			sched_yield();
	}
	/* DPDK rejects the number of an ethdev that it has destroyed. The function is not running
	 * then: DPDK calls it for the last time before it gives the number up. That matters, since
	 * DPDK leaves a running function registered if asked about all ports, and tells nobody. */
	if (rc != 0)
		rte_eth_dev_callback_unregister(RTE_ETH_ALL, event, fn, port);
}
