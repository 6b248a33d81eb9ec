/* Unregisters the callbacks that ports have registered for ethdev events. Owns nothing. Runs in
 * control threads. */
#include "port/callback.h"

#include <errno.h>
#include <sched.h>

#include "port/port.h"

void rn_callback_remove(struct rn_port *port, enum rte_eth_event_type event, rte_eth_dev_cb_fn fn)
{
	/* When DPDK has destroyed the ethdev it rejects the number. For all ports at once DPDK does
	 * not report whether the function is running, so that is for a destroyed ethdev only. */
	if (atomic_load(&port->destroyed)) {
		rte_eth_dev_callback_unregister(RTE_ETH_ALL, event, fn, port);
		return;
	}
	/* -EAGAIN: the function is running, which takes no time. */
	while (rte_eth_dev_callback_unregister(port->id, event, fn, port) == -EAGAIN)
		sched_yield();
}
