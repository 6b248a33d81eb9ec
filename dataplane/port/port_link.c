/* Is the link of a port up? The function asks the port's driver. Any thread may call it. */
#include <rte_ethdev.h>

#include "port/port.h"
#include "port/sigpipe.h"

bool rn_port_link_up(const struct rn_port *p)
{
	RN_NO_SIGPIPE;
	struct rte_eth_link link;

	if (atomic_load(&p->removed) || atomic_load(&p->cut))
		return false;
	return p->steady ||
	       (rte_eth_link_get_nowait(p->id, &link) == 0 && link.link_status == RTE_ETH_LINK_UP);
}
