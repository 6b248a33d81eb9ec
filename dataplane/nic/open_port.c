/* How is the device that an adapter's configuration names opened as a port? Owns nothing. Runs in a
 * control thread, after EAL has started. */
#include "nic/open_port.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_memory.h>

#include "config/pci_device.h"
#include "nic/daemon_service.h"
#include "port/memif_port.h"
#include "port/numa.h"
#include "nic/settings.h"

void rn_open_port_pool_size(const struct rn_config *cfg, unsigned *mbufs, unsigned *room)
{
	struct rn_vdev_spec spec;

	*mbufs = *room = 0;
	for (unsigned i = 0; i < cfg->nadapters; i++) {
		rn_settings_vdev(cfg, i, (const uint8_t *)"\0\0\0\0\0", &spec);
		*mbufs += cfg->adapter[i].shards * cfg->limits.mbufs;
		*room = RN_MAX(*room, rn_vdev_room(&spec));
	}
}

/* Returns the NUMA node on which the packet buffers are best placed. The ports are not open yet, so
 * the kernel is asked. */
static int pool_node(const struct rn_config *cfg)
{
	int node[RN_CONFIG_MAX_ADAPTERS];

	for (unsigned i = 0; i < cfg->nadapters; i++) {
		struct rn_vdev_spec spec;
		struct rn_pci_device d;
		char name[64], args[512];

		node[i] = -1;
		rn_settings_vdev(cfg, i, (const uint8_t *)"\0\0\0\0\0", &spec);
		if (cfg->adapter[i].port != RN_CONFIG_PORT_PCI ||
		    rn_vdev_string(&spec, name, sizeof(name), args, sizeof(args)) != 0)
			continue;
		rn_pci_look(&rn_pci_machine, name, false, &d);
		node[i] = d.numa_node;
	}
	return rn_numa_pool(node, cfg->nadapters);
}

/* Does an adapter use net_af_xdp? This driver needs the packet buffers without gaps. */
static bool has_af_xdp(const struct rn_config *cfg)
{
	bool has = false;

	for (unsigned i = 0; i < cfg->nadapters; i++)
		has = has || strstr(cfg->adapter[i].vdev, "net_af_xdp") != NULL;
	return has;
}

struct rte_mempool *rn_open_port_pool(const struct rn_config *cfg, const char *name, unsigned mbufs,
				      unsigned room)
{
	return rn_pool_create(name, mbufs, room, has_af_xdp(cfg), pool_node(cfg));
}

/* Fails if the kernel has one of the adapter's addresses on the same interface. Kernel and adapter
 * would both answer ARP requests and packets for such an address. */
static int check_kernel_addresses(const struct rn_config_adapter *a, char *err, size_t errlen)
{
	const struct rn_config_nets *nets[2] = {&a->ipv4, &a->ipv6};
	struct rn_gid gid;

	for (unsigned f = 0; f < 2; f++)
		for (unsigned i = 0; i < nets[f]->n; i++) {
			memcpy(gid.b, nets[f]->net[i].ip.b, 16);
			if (!rn_port_iface_has(a->iface, &gid))
				continue;
			snprintf(
				err, errlen,
				"adapter %s: interface %s has the adapter's own address: the kernel would answer too; remove it from the interface",
				a->name, a->iface);
			return -EADDRINUSE;
		}
	return 0;
}

/* Claims the adapter's addresses on the interface: no other softrnic process can then use these
 * addresses (port/claim.h). */
static int claim_addresses(const struct rn_open_port *o, const uint8_t mac[6], char *err,
			   size_t errlen)
{
	const struct rn_config_adapter *a = &o->cfg->adapter[o->index];
	struct rn_port_attr attr;
	char why[200];

	rn_settings_port(a, mac, &o->cfg->protocol, &attr);
	int rc = rn_claims_take(o->claims, a->iface, &attr, why, sizeof(why));
	if (rc != 0)
		snprintf(err, errlen, "adapter %s: %s", a->name, why);
	return rc;
}

/* Returns the highest number of descriptors for a queue of a device, a power of two: they fill a
 * quarter of the shard's packet buffers. A driver may hold one packet buffer for each descriptor of
 * its two queues. If it held all of them, it could receive no frame. */
static uint32_t most_descriptors(const struct rn_config_limits *limits)
{
	return rte_align32prevpow2(limits->mbufs / 4);
}

/* The port of a card cannot be opened, for the reason rc and err. DPDK says little about reasons.
 * If the kernel shows that something is missing, writes a sentence about it to err instead. Returns
 * the errno of what err says, negative. */
static int explain_card(const char *adapter, const char *address, int rc, char *err, size_t errlen)
{
	struct rn_pci_device d;
	char why[512];

	rn_pci_look(&rn_pci_machine, address, true, &d);
	int missing = rn_pci_explain(&d, why, sizeof(why));
	if (missing == 0)
		return rc;
	snprintf(err, errlen, "adapter %s: %s", adapter, why);
	return missing;
}

/* DPDK starts a card even if VFIO could not lock all memory, and the card then reaches none of the
 * packet buffers. Returns 0, or -ENOMEM with a sentence in err. */
static int check_locked(const char *adapter, const char *address, char *err, size_t errlen)
{
	struct rn_pci_device d;
	char why[512];

	rn_pci_look(&rn_pci_machine, address, false, &d);
	if (rn_pci_may_lock(&d, rte_eal_get_physmem_size()))
		return 0;
	int rc = rn_pci_explain(&d, why, sizeof(why));
	snprintf(err, errlen, "adapter %s: %s", adapter, why);
	return rc;
}

struct opening {
	struct rn_port **port;
	const struct rn_port_spec *spec;
	char *err;
	size_t errlen;
};

static int open_device(void *arg)
{
	struct opening *o = arg;

	return rn_port_open(o->port, o->spec, o->err, o->errlen);
}

/* Opens a port of softrnicd. */
static int open_with_daemon(struct opening *o, struct rn_daemon_service *daemon)
{
	int refused = 0;
	int rc = rn_daemon_port_open(&daemon->path, &daemon->link, open_device, o, &refused);

	if (rc != 0 && refused != 0) {
		snprintf(o->err, o->errlen, "adapter %s: softrnicd does not take its port: %s",
			 daemon->name, strerror(-refused));
		return refused;
	}
	return rc;
}

int rn_open_port(struct rn_port **port, const struct rn_open_port *o, char *err, size_t errlen)
{
	const struct rn_config_adapter *a = &o->cfg->adapter[o->index];
	bool kernel = a->port == RN_CONFIG_PORT_AF_PACKET;
	struct rn_memif_port *memif = NULL;
	char name[64], args[512];
	struct rn_vdev_spec v;
	uint8_t mac[6];

	rn_settings_mac(a, mac);
	rn_settings_vdev(o->cfg, o->index, mac, &v);
	if (kernel && check_kernel_addresses(a, err, errlen) != 0)
		return -EADDRINUSE;
	int rc = kernel ? claim_addresses(o, mac, err, errlen) : 0;
	if (rc != 0)
		return rc;
	if (a->port == RN_CONFIG_PORT_MEMIF) {
		rc = rn_memif_port_create(&memif, v.server, a->socket);
		if (rc != 0) {
			snprintf(err, errlen, "adapter %s: socket %s: %s", a->name, a->socket,
				 strerror(-rc));
			return rc;
		}
		v.socket = rn_memif_port_socket(memif);
	}
	if (a->port == RN_CONFIG_PORT_DAEMON)
		v.socket = o->daemon->path.socket;
	rc = rn_vdev_string(&v, name, sizeof(name), args, sizeof(args));
	struct rn_port_spec spec = {
		.name = name,
		.args = args,
		.iface = kernel ? a->iface : NULL,
		.mac = a->mac.set ? a->mac.b : NULL,
		.vlan_id = (uint16_t)a->vlan_id,
		.mtu = (uint16_t)a->mtu,
		.queues = a->shards,
		.sleeps = o->cfg->idle.policy == RN_CONFIG_POLICY_ADAPTIVE,
		.ring = o->cfg->limits.port_ring,
		.ring_most = most_descriptors(&o->cfg->limits),
		.pool = o->pool,
		.memif = memif,
		.steady = a->port == RN_CONFIG_PORT_DAEMON,
		.news = o->news,
		.news_arg = o->news_arg,
	};
	struct opening opening = {port, &spec, err, errlen};
	if (rc != 0)
		snprintf(err, errlen, "adapter %s: device string too long", a->name);
	else
		rc = a->port == RN_CONFIG_PORT_DAEMON ? open_with_daemon(&opening, o->daemon)
						      : open_device(&opening);
	if (rc != 0 && v.kind == RN_VDEV_PCI)
		rc = explain_card(a->name, name, rc, err, errlen);
	else if (rc == 0 && v.kind == RN_VDEV_PCI)
		rc = check_locked(a->name, name, err, errlen);
	if (rc != 0)
		rn_memif_port_destroy(memif);
	return rc;
}
