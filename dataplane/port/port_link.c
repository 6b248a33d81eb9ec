/* Is the link of a port up, and has it changed? The functions ask the port's driver. Any thread may
 * call rn_port_link_up(); on_link() runs in a thread of DPDK. */
#include <errno.h>
#include <sched.h>

#include <rte_ethdev.h>

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
	/* -EAGAIN: on_link() is running, which takes no time. It must not be called again when the
	 * port is freed. RTE_ETH_ALL: DPDK rejects p->id if the ethdev was destroyed. */
	while (rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_INTR_LSC, on_link, p) ==
	       -EAGAIN)
		sched_yield();
	p->link_event = NULL;
}
