/* Sets up what only a network card needs: MTU, scattered receive, receive interrupts. Owns nothing.
 * Runs in the control thread, except on_removal(). */
/* for rte_dev_event_callback_register(): without it, DPDK 22.11 does not report that VFIO is asked
 * to give a card back */
#define ALLOW_EXPERIMENTAL_API
#include "port/card.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_ether.h>

#include "port/filter.h"
#include "port/port.h"

bool rn_card_is(const struct rte_device *device)
{
	const struct rte_bus *bus = device != NULL ? rte_dev_bus(device) : NULL;

	return bus != NULL && strcmp(rte_bus_name(bus), "pci") == 0;
}

void rn_card_request(const struct rn_port *port, const struct rte_eth_dev_info *info,
		     struct rte_eth_conf *conf)
{
	/* A card that was not given an MTU drops all frames beyond 1,518 bytes. */
	conf->rxmode.mtu = port->mtu;
	/* The card may use less of a buffer than there is: the cards of net_e1000 take buffers of
	 * 1, 2, 4, 8 or 16 KiB only. The rest of a longer frame then goes to a second mbuf. */
	if (port->mtu > RTE_ETHER_MTU)
		conf->rxmode.offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
	rn_filter_fit(port, info, conf);
}

/* The drivers whose link interrupts were seen to come. Once they are requested DPDK no longer asks
 * the card for the state of its link, so that with a driver whose interrupts do not come the link
 * never seems to change. That was seen with the drivers of e1000, e1000e and vmxnet3 in emulation
 * (QEMU 7.2, DPDK 22.11), which claim to have such interrupts; those of the e1000e came once. */
static const char *const link_interrupts[] = {"net_virtio"};

bool rn_card_has_link_interrupts(const struct rte_eth_dev_info *info)
{
	if (info->dev_flags == NULL || (*info->dev_flags & RTE_ETH_DEV_INTR_LSC) == 0)
		return false;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(link_interrupts); i++)
		if (strcmp(info->driver_name, link_interrupts[i]) == 0)
			return true;
	return false;
}

int rn_card_interrupt_fd(const struct rn_port *port, unsigned queue)
{
	return rte_eth_dev_rx_intr_ctl_q_get_fd(port->id, (uint16_t)queue);
}

void rn_card_interrupt(void *arg, unsigned queue, bool on)
{
	const struct rn_port *port = arg;

	if (atomic_load_explicit(&port->quiet, memory_order_acquire))
		return;
	if (on)
		rte_eth_dev_rx_intr_enable(port->id, (uint16_t)queue);
	else
		rte_eth_dev_rx_intr_disable(port->id, (uint16_t)queue);
}

/* Called by DPDK in EAL's interrupt thread. */
static void on_removal(const char *device, enum rte_dev_event_type event, void *arg)
{
	struct rn_port *port = arg;

	if (event != RTE_DEV_EVENT_REMOVE)
		return;
	atomic_fetch_or(&port->quiet, RN_QUIET_GONE);
	atomic_store(&port->removed, 1);
	rn_port_notify(port);
}

void rn_card_watch(struct rn_port *port, bool watch)
{
	if (watch) {
		rte_dev_event_callback_register(port->name, on_removal, port);
		return;
	}
	/* -EAGAIN: on_removal() is running, which takes no time. It must not be called again when
	 * the port is freed. */
	while (rte_dev_event_callback_unregister(port->name, on_removal, port) == -EAGAIN)
		sched_yield();
}
