/* Asks the driver of a network card to receive no more frames than the adapter needs. Owns nothing;
 * the step that was reached is in the port. Runs in control threads. */
#include "port/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_ether.h>

#include "port/log.h"
#include "port/port.h"

const char *rn_filter_text(enum rn_filter filter)
{
	static const char *const texts[] = {
#define X(name, text) [RN_FILTER_##name] = text,
		RN_FILTER_ROWS(X)
#undef X
	};

	return texts[filter];
}

/* Drivers whose card drops tagged frames until their VLAN is entered, because a VLAN filter is on
 * that the driver cannot switch off. virtio's also drops frames with a tag that only gives a
 * priority. Of the virtual functions (the other rows) this was read, and not tried.
 * With other drivers the filter is off unless it is requested. It is not requested there, because
 * the adapter reports frames of a wrong VLAN (message VLAN_MISMATCH) only if it receives them. */
static const struct {
	const char *driver;
	bool always; /* true: enter VLAN 0 even if the adapter has no vlan_id */
} vlan_filters[] = {
	{"net_virtio", true},
	{"net_ixgbe_vf", false},
	{"net_e1000_igb_vf", false},
	{"net_iavf", false},
};

static bool needs_vlan(const struct rn_port *port)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(vlan_filters); i++)
		if (strcmp(port->driver, vlan_filters[i].driver) == 0)
			return vlan_filters[i].always || port->vlan_id != 0;
	return false;
}

/* The driver of these virtual functions passes on the first 30 addresses of a list, which one
 * mailbox message holds, and reports success. */
static bool is_cut(const struct rn_port *port, unsigned n)
{
	return n > 30 && strcmp(port->driver, "net_ixgbe_vf") == 0;
}

void rn_filter_fit(const struct rn_port *port, const struct rte_eth_dev_info *info,
		   struct rte_eth_conf *conf)
{
	if (needs_vlan(port))
		conf->rxmode.offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
}

/* Enters the port's VLAN if the card filters VLANs. Returns false if frames of the VLAN are
 * dropped. */
static bool enter_vlan(const struct rn_port *port)
{
	if ((port->rx_offloads & RTE_ETH_RX_OFFLOAD_VLAN_FILTER) == 0)
		return true;
	/* VLAN 0: a tag that only gives a priority; untagged frames may carry one */
	int rc = rte_eth_dev_vlan_filter(port->id, 0, 1);

	if (port->vlan_id != 0)
		rc = rte_eth_dev_vlan_filter(port->id, port->vlan_id, 1);
	return rc == 0;
}

/* Makes the card receive frames to `mac`. Returns false if its driver does neither change the
 * card's address nor accept a second one. */
static bool enter_mac(struct rn_port *port, const uint8_t *mac)
{
	struct rte_ether_addr addr;

	if (mac == NULL || memcmp(mac, port->mac, 6) == 0)
		return true;
	memcpy(addr.addr_bytes, mac, 6);
	if (rte_eth_dev_default_mac_addr_set(port->id, &addr) == 0) {
		port->mac_changed = true;
		return true;
	}
	return rte_eth_dev_mac_addr_add(port->id, &addr, 0) == 0;
}

int rn_filter_unicast(struct rn_port *port, const uint8_t *mac, char *err, size_t errlen)
{
	bool has_mac = enter_mac(port, mac), has_vlan = enter_vlan(port);
	int rc = has_mac && has_vlan ? 0 : rte_eth_promiscuous_enable(port->id);

	if (rc == 0 && mac != NULL)
		memcpy(port->mac, mac, 6);
	if (has_mac && has_vlan)
		return 0;
	if (rc == 0) {
		port->filter = RN_FILTER_ALL;
		rn_log(RECEIVES, port->name, rn_filter_text(port->filter));
		return 0;
	}
	/* A virtual function (SR-IOV) may be refused promiscuous mode. */
	if (has_mac)
		snprintf(
			err, errlen,
			"port %s receives no frames of VLAN %u: its driver neither enters the VLAN in the "
			"card's filter nor enters promiscuous mode (%s); leave out vlan_id",
			port->name, port->vlan_id, strerror(-rc));
	else
		snprintf(
			err, errlen,
			"port %s receives no frames to the MAC address of the adapter: its driver neither "
			"changes the card's address nor enters promiscuous mode (%s); leave out mac, and the "
			"adapter has the card's own",
			port->name, strerror(-rc));
	return rc;
}

void rn_filter_restore(struct rn_port *port)
{
	struct rte_ether_addr addr;

	if (!port->mac_changed)
		return;
	memcpy(addr.addr_bytes, port->own_mac, 6);
	int rc = rte_eth_dev_default_mac_addr_set(port->id, &addr);
	if (rc != 0)
		rn_log(MAC_KEPT, port->name, strerror(-rc));
	port->mac_changed = false;
}

/* Asks the driver for one step. Returns 0 or -errno. */
static int ask(const struct rn_port *port, enum rn_filter step, struct rte_ether_addr *list,
	       unsigned n)
{
	if (step == RN_FILTER_LIST) {
		int rc = n == RN_FILTER_ANY || is_cut(port, n)
				 ? -ENOSPC
				 : rte_eth_dev_set_mc_addr_list(port->id, list, n);
		return n == 0 ? 0 : rc; /* no address is needed, so no driver lacks one */
	}
	if (step == RN_FILTER_MULTICAST)
		return rte_eth_allmulticast_enable(port->id);
	return rte_eth_promiscuous_enable(port->id);
}

void rn_filter_groups(struct rn_port *port, const uint8_t (*mac)[6], unsigned n)
{
	struct rte_ether_addr list[RN_FILTER_GROUPS];
	enum rn_filter before = port->filter, step = before;
	int rc = 0;

	for (unsigned i = 0; i < n && n != RN_FILTER_ANY; i++)
		memcpy(list[i].addr_bytes, mac[i], 6);
	/* A software port is in promiscuous mode if its driver has that. */
	if (!port->card) {
		if (ask(port, RN_FILTER_LIST, list, n) != 0)
			ask(port, RN_FILTER_MULTICAST, list, n);
		return;
	}
	if (before == RN_FILTER_ALL)
		return;
	/* A step that was taken is never gone back from: a list that has become shorter is tried
	 * only by a port that receives no multicast frames at all. */
	if (before == RN_FILTER_UNSET || before == RN_FILTER_DEAF)
		step = RN_FILTER_LIST;
	while (step < RN_FILTER_DEAF) {
		rc = ask(port, step, list, n);
		if (rc == 0)
			break;
		step++;
	}
	port->filter = step;
	if (step == before)
		return;
	if (step == RN_FILTER_DEAF)
		rn_log(MULTICAST_DEAF, port->name, strerror(-rc));
	else
		rn_log(RECEIVES, port->name, rn_filter_text(step));
}
