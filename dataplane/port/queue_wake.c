/* Which descriptor is readable while frames wait in a receive queue? Owns nothing. Runs in the
 * control thread. */
#include "port/queue_wake.h"

#include <rte_ethdev.h>

static int descriptor_of(const struct rn_port *port, unsigned queue)
{
	/* With several sockets it is not known which one belongs to which queue. */
	if (port->xdp.n > 0)
		return port->xdp.n == 1 ? port->xdp.fd[0] : -1;
	return rte_eth_dev_rx_intr_ctl_q_get_fd(port->id, (uint16_t)queue);
}

int rn_queue_wake_open(const struct rn_port *port, unsigned queue, struct rn_wake *wake)
{
	if (queue >= port->nrxq)
		return 0; /* the shard receives no frames but those that other shards hand over */
	int fd = descriptor_of(port, queue);
	if (fd >= 0)
		return rn_wake_watch(wake, fd);
	wake->source = RN_WAKE_TIMED;
	return 0;
}
