/* What do drivers announce about a port? DPDK calls the functions of the table below. Each records
 * what has happened and has the watcher thread look at the port. Owns nothing. The functions for
 * events run in threads of DPDK, rn_callback_listen() in control threads. */
#include "port/callback.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include <rte_ethdev.h>

#include "port/port.h"

/* A device is removed. INTR_RMV comes in EAL's interrupt thread and announces the removal. DESTROY
 * comes in the thread that removes the device from DPDK. DPDK then frees memory that a burst may
 * read, so this function first waits until no burst runs (grace()). */
static int on_removal(uint16_t id, enum rte_eth_event_type event, void *arg, void *ret)
{
	struct rn_port *p = arg;

	atomic_fetch_or(&p->quiet, RN_QUIET_GONE);
	if (event == RTE_ETH_EVENT_DESTROY) {
		if (p->grace != NULL)
			p->grace(p->grace_arg);
		atomic_store(&p->destroyed, 1);
	}
	atomic_store(&p->removed, 1);
	rn_port_notify(p);
	return 0;
}

/* The driver needs a reset of its card, for example after the physical function of a virtual
 * function was reset. Runs in EAL's interrupt thread. */
static int on_reset_request(uint16_t id, enum rte_eth_event_type event, void *arg, void *ret)
{
	struct rn_port *p = arg;

	if (rn_port_request_reset(p) == 0)
		rn_port_notify(p);
	return 0;
}

/* Does the driver unmap memory after this event in which shards switch its signals on or off? Of
 * the drivers with signals net_vhost does, whose peer owns that memory. The memory of
 * net_virtio_user is this process's own, and a card's signals are interrupts. */
static bool unmaps_signals(const struct rn_port *p)
{
	return p->wake != NULL && p->wake->source == RN_WAKE_INTR &&
	       strcmp(p->driver, "net_vhost") == 0;
}

/* The link may have changed. For network cards and net_virtio_user this runs in EAL's interrupt
 * thread, which must not wait. For net_vhost it runs in a thread of the driver. When a peer has
 * left, that thread unmaps the peer's memory afterwards, where a shard may still be switching the
 * signals on or off, so wait for the shards. */
static int on_link(uint16_t id, enum rte_eth_event_type event, void *arg, void *ret)
{
	struct rn_port *p = arg;

	if (unmaps_signals(p) && p->grace != NULL)
		p->grace(p->grace_arg);
	atomic_fetch_add(&p->link_events, 1);
	rn_port_notify(p);
	return 0;
}

static const struct {
	enum rte_eth_event_type event;
	rte_eth_dev_cb_fn fn;
} events[] = {
	{RTE_ETH_EVENT_INTR_RMV, on_removal},
	{RTE_ETH_EVENT_DESTROY, on_removal},
	{RTE_ETH_EVENT_INTR_RESET, on_reset_request},
	{RTE_ETH_EVENT_INTR_LSC, on_link},
};

/* Ends the calls of fn(), and waits until fn() is not running. */
static void end_calls(struct rn_port *p, enum rte_eth_event_type event, rte_eth_dev_cb_fn fn)
{
	int rc = -EAGAIN;

	/* -EAGAIN: the function is running, which takes no time. */
	while (rc == -EAGAIN && rte_eth_dev_is_valid_port(p->id)) {
		rc = rte_eth_dev_callback_unregister(p->id, event, fn, p);
		if (rc == -EAGAIN)
			sched_yield();
	}
	/* DPDK rejects the number of an ethdev that it has destroyed. The function is not running
	 * then: DPDK calls it for the last time before it gives the number up. That matters, since
	 * DPDK leaves a running function registered if asked about all ports, and tells nobody. */
	if (rc != 0)
		rte_eth_dev_callback_unregister(RTE_ETH_ALL, event, fn, p);
}

void rn_callback_listen(struct rn_port *p, bool listen)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(events); i++) {
		if (listen)
			rte_eth_dev_callback_register(p->id, events[i].event, events[i].fn, p);
		else
			end_calls(p, events[i].event, events[i].fn);
	}
}
