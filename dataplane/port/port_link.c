/* Is the link of a port up, and has it changed? The functions ask the port's driver. Any thread may
 * call rn_port_link_up(); on_link() runs in a thread of DPDK. */
#include <rte_ethdev.h>

#include "port/callback.h"
#include "port/port.h"
#include "port/sigpipe.h"

bool rn_port_link_up(const struct rn_port *p)
{
	RN_NO_SIGPIPE;
	struct rte_eth_link link;

	return !atomic_load(&p->removed) && !atomic_load(&p->cut) &&
	       rte_eth_link_get_nowait(p->id, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

/* Called by DPDK: for a network card in EAL's interrupt thread, which must not wait. */
static int on_link(uint16_t id, enum rte_eth_event_type event, void *arg, void *ret)
{
	struct rn_port *p = arg;

	atomic_fetch_add(&p->link_events, 1);
	p->link_event(p->link_event_arg);
	return 0;
}

void rn_port_watch_link(struct rn_port *p, void (*event)(void *arg), void *arg)
{
	p->link_event = event;
	p->link_event_arg = arg;
	rte_eth_dev_callback_register(p->id, RTE_ETH_EVENT_INTR_LSC, on_link, p);
}

void rn_port_unwatch_link(struct rn_port *p)
{
	if (p->link_event == NULL)
		return;
	rn_callback_remove(p, RTE_ETH_EVENT_INTR_LSC, on_link);
	p->link_event = NULL;
}
