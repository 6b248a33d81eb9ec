/* Starts and stops everything that a process's adapters need, in the right order. Owns the packet
 * pool, the capture, all adapters and the watcher thread. The in-process link (inproc.c) calls
 * these functions under its lock. */
#include "nic/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_memory.h>

#include "config/pci_device.h"
#include "port/capture.h"
#include "nic/eal.h"
#include "nic/journal.h"
#include "port/mem.h"
#include "port/memif_port.h"
#include "port/numa.h"
#include "nic/settings.h"
#include "port/tap.h"
#include "port/telemetry.h"
#include "port/thread.h"

#define WATCH_MS 100

void rn_runtime_init(struct rn_runtime *r)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&r->stop_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->stop_cond, &attr);
	pthread_condattr_destroy(&attr);
}

/* Does the periodic work of the watcher thread on all adapters. */
static void watch_adapters(struct rn_runtime *r)
{
	for (unsigned i = 0; i < r->cfg.nadapters; i++) {
		rn_nic_watch(r->nic[i]);
		rn_claims_accept(&r->claims[i]);
	}
}

/* Makes the watcher look now. Called when the driver of a port announces something, in a thread of
 * DPDK. */
static void wake_watcher(void *arg)
{
	struct rn_runtime *r = arg;

	pthread_mutex_lock(&r->stop_lock);
	r->news = true;
	pthread_cond_signal(&r->stop_cond);
	pthread_mutex_unlock(&r->stop_lock);
}

static void *watch(void *arg)
{
	struct rn_runtime *r = arg;
	struct timespec until;
	bool early = false;

	rn_thread_set_up("rn-watch");
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		rn_tap_take_signals(r->nic[i]->port);
	pthread_mutex_lock(&r->stop_lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	while (!r->stop) {
		/* An absolute deadline keeps the period constant however long a check takes. A
		 * check that a driver has asked for comes in addition. */
		if (!early) {
			until.tv_nsec += WATCH_MS * 1000000;
			if (until.tv_nsec >= 1000000000) {
				until.tv_nsec -= 1000000000;
				until.tv_sec++;
			}
		}
		while (!r->stop && !r->news)
			if (pthread_cond_timedwait(&r->stop_cond, &r->stop_lock, &until) != 0)
				break;
		if (r->stop)
			break;
		early = r->news;
		r->news = false;
		/* Unlock stop_lock while the adapters are checked: writing to the log may block,
		 * and rn_runtime_stop() needs stop_lock. */
		pthread_mutex_unlock(&r->stop_lock);
		watch_adapters(r);
		pthread_mutex_lock(&r->stop_lock);
	}
	pthread_mutex_unlock(&r->stop_lock);
	return NULL;
}

/* Computes the number of packet buffers that all adapters need, and how many bytes of data each
 * packet buffer must hold. */
static void pool_size(const struct rn_config *cfg, unsigned *mbufs, unsigned *room)
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

/* Returns the index of the adapter at the other end of a ring port. The configuration check ensures
 * that there is such an adapter. */
static unsigned ring_peer(const struct rn_config *cfg, unsigned i)
{
	unsigned j = 0;

	while (strcmp(cfg->adapter[j].name, cfg->adapter[i].peer) != 0)
		j++;
	return j;
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
static int claim_addresses(struct rn_runtime *r, unsigned i, const uint8_t mac[6], char *err,
			   size_t errlen)
{
	const struct rn_config_adapter *a = &r->cfg.adapter[i];
	struct rn_port_attr attr;
	char why[200];

	rn_settings_port(a, mac, &r->cfg.protocol, &attr);
	int rc = rn_claims_take(&r->claims[i], a->iface, &attr, why, sizeof(why));
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

/* Opens a port of any kind except a ring port, which has no device. */
static int open_device(struct rn_runtime *r, unsigned i, struct rn_port **port, char *err,
		       size_t errlen)
{
	const struct rn_config_adapter *a = &r->cfg.adapter[i];
	bool kernel = a->port == RN_CONFIG_PORT_AF_PACKET;
	struct rn_memif_port *memif = NULL;
	char name[64], args[512];
	struct rn_vdev_spec v;
	uint8_t mac[6];

	rn_settings_mac(a, mac);
	rn_settings_vdev(&r->cfg, i, mac, &v);
	if (kernel && check_kernel_addresses(a, err, errlen) != 0)
		return -EADDRINUSE;
	int rc = kernel ? claim_addresses(r, i, mac, err, errlen) : 0;
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
	rc = rn_vdev_string(&v, name, sizeof(name), args, sizeof(args));
	struct rn_port_spec spec = {
		.name = name,
		.args = args,
		.iface = kernel ? a->iface : NULL,
		.mac = a->mac.set ? a->mac.b : NULL,
		.vlan_id = (uint16_t)a->vlan_id,
		.mtu = (uint16_t)a->mtu,
		.queues = a->shards,
		.sleeps = r->cfg.idle.policy == RN_CONFIG_POLICY_ADAPTIVE,
		.ring = r->cfg.limits.port_ring,
		.ring_most = most_descriptors(&r->cfg.limits),
		.pool = r->pool,
		.memif = memif,
		.news = wake_watcher,
		.news_arg = r,
	};
	if (rc != 0)
		snprintf(err, errlen, "adapter %s: device string too long", a->name);
	else
		rc = rn_port_open(port, &spec, err, errlen);
	if (rc != 0 && v.kind == RN_VDEV_PCI)
		rc = explain_card(a->name, name, rc, err, errlen);
	else if (rc == 0 && v.kind == RN_VDEV_PCI)
		rc = check_locked(a->name, name, err, errlen);
	if (rc != 0)
		rn_memif_port_destroy(memif);
	return rc;
}

/* Opens the port of adapter i. Does nothing if the port is open already as the other end of a
 * ring. */
static int open_port(struct rn_runtime *r, unsigned i, struct rn_port *port[], char *err,
		     size_t errlen)
{
	const struct rn_config_adapter *a = &r->cfg.adapter[i];
	char name[32];

	if (port[i] != NULL)
		return 0;
	if (a->port == RN_CONFIG_PORT_RING) {
		unsigned j = ring_peer(&r->cfg, i);
		unsigned nq[2] = {a->shards, r->cfg.adapter[j].shards};
		struct rn_port *pair[2];
		snprintf(name, sizeof(name), "rn%u_%u", r->starts, i);
		const uint32_t ring = rn_settings_ring(&r->cfg);
		const struct rn_port_spec spec = {
			.name = name,
			.mtu = (uint16_t)RN_MAX(a->mtu, r->cfg.adapter[j].mtu),
			.ring = ring,
			.ring_most = ring,
			.pool = r->pool,
			.news = wake_watcher,
			.news_arg = r,
		};
		int rc = rn_port_join(pair, nq, &spec, err, errlen);
		if (rc == 0) {
			port[i] = pair[0];
			port[j] = pair[1];
		}
		return rc;
	}
	return open_device(r, i, &port[i], err, errlen);
}

/* Opens all ports, then creates all adapters, then connects the adapters of joined ring ports. On
 * an error this function closes the ports that no adapter owns yet; rn_runtime_stop() releases
 * everything else. */
static int make_adapters(struct rn_runtime *r, char *err, size_t errlen)
{
	struct rn_port *port[RN_CONFIG_MAX_ADAPTERS] = {0};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++)
		rc = open_port(r, i, port, err, errlen);
	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++) {
		rc = rn_nic_create(&r->nic[i], &r->cfg, i, port[i], &r->clock, r->capture, err,
				   errlen);
		if (rc == 0) {
			r->nic[i]->link.ops = r->ops;
			port[i] = NULL; /* rn_nic_create() has taken ownership of the port */
		}
	}
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		if (port[i] != NULL)
			rn_port_close(port[i]);
	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++)
		if (r->cfg.adapter[i].port == RN_CONFIG_PORT_RING && r->nic[i]->peer == NULL)
			rn_nic_join(r->nic[i], r->nic[ring_peer(&r->cfg, i)]);
	return rc;
}

/* Has an adapter of this process ever sent a MAD? A peer may then still expect replies. */
static bool had_connections(const struct rn_runtime *r)
{
	uint64_t mads = 0;

	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		mads += r->nic[i] != NULL ? rn_nic_mads(r->nic[i]) : 0;
	return mads > 0;
}

/* Waits timers.close_linger_ms before the stop. A peer whose DREP was lost repeats its DREQ,
 * possibly after the application has closed its adapters. The connection manager still replies
 * during this time. */
static void linger(const struct rn_runtime *r)
{
	struct timespec left = {r->cfg.timers.close_linger_ms / 1000,
				r->cfg.timers.close_linger_ms % 1000 * 1000000L};

	if (!r->watching || !had_connections(r))
		return;
	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

void rn_runtime_stop(struct rn_runtime *r)
{
	linger(r);
	rn_telemetry_withdraw();
	if (r->watching) {
		pthread_mutex_lock(&r->stop_lock);
		r->stop = true;
		pthread_cond_signal(&r->stop_cond);
		pthread_mutex_unlock(&r->stop_lock);
		pthread_join(r->watcher, NULL);
		r->watching = false;
	}
	/* Stop the threads of all adapters before closing a port: shards of adapters with joined
	 * ports ring each other's doorbells. */
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		if (r->nic[i] != NULL)
			rn_nic_stop(r->nic[i]);
	/* Write to the log what the shards have reported with rn_journal_queue() since the watcher
	 * thread's last check. */
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		if (r->nic[i] != NULL)
			rn_journal_watch(r->nic[i]);
	for (unsigned i = 0; i < r->cfg.nadapters; i++) {
		rn_nic_destroy(r->nic[i]);
		r->nic[i] = NULL;
		rn_claims_drop(&r->claims[i]);
	}
	if (r->capture != NULL)
		rn_capture_close(r->capture);
	r->capture = NULL;
	rn_pool_destroy(r->pool);
	r->pool = NULL;
	rn_mem_uninstall();
}

static const char *adapter_name(void *arg, unsigned i)
{
	return ((struct rn_runtime *)arg)->nic[i]->name;
}

static void adapter_stats(void *arg, unsigned i, void (*fn)(void *, const char *, uint64_t),
			  void *fn_arg)
{
	struct rn_link *link = &((struct rn_runtime *)arg)->nic[i]->link;

	link->ops->stats(link, fn, fn_arg);
}

static int adapter_reset(void *arg, unsigned i)
{
	struct rn_runtime *r = arg;
	int rc = rn_port_request_reset(r->nic[i]->port);

	if (rc == 0)
		wake_watcher(r);
	return rc;
}

static int start_threads(struct rn_runtime *r, char *err, size_t errlen)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++)
		rc = rn_nic_start(r->nic[i], err, errlen);
	if (rc == 0) {
		r->stop = false;
		rc = -pthread_create(&r->watcher, NULL, watch, r);
		r->watching = rc == 0;
		if (rc != 0)
			snprintf(err, errlen, "no thread: %s", strerror(-rc));
	}
	return rc;
}

int rn_runtime_start(struct rn_runtime *r, char *err, size_t errlen)
{
	unsigned mbufs, room;
	char name[32];

	r->starts++;
	pool_size(&r->cfg, &mbufs, &room);
	/* Estimate the memory: each packet buffer needs 1 KiB in addition to its data, for the
	 * mbuf, the headroom and the private area. */
	int rc = rn_eal_start(&r->cfg, (uint64_t)mbufs * (room + 1024), err, errlen);
	if (rc != 0)
		return rc;
	rc = rn_mem_install();
	if (rc != 0) {
		snprintf(err, errlen, "fault handlers: %s", strerror(-rc));
		return rc;
	}
	rn_clock_init(&r->clock);
	snprintf(name, sizeof(name), "rn_pool%u", r->starts);
	r->pool = rn_pool_create(name, mbufs, room, has_af_xdp(&r->cfg), pool_node(&r->cfg));
	if (r->pool == NULL) {
		snprintf(err, errlen, "no memory for %u packet buffers of %u bytes", mbufs, room);
		rc = -ENOMEM;
	}
	if (rc == 0 && r->cfg.capture.file[0] != '\0') {
		rc = rn_capture_open(&r->capture, r->cfg.capture.file, r->cfg.capture.snaplen);
		if (rc != 0)
			snprintf(err, errlen, "capture file %s: %s", r->cfg.capture.file,
				 strerror(-rc));
	}
	if (rc == 0)
		rc = make_adapters(r, err, errlen);
	if (rc == 0)
		rc = start_threads(r, err, errlen);
	/* rn_runtime_stop() releases only the parts that were created. */
	if (rc != 0) {
		rn_runtime_stop(r);
		return rc;
	}
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		rn_journal_up(r->nic[i], ((uint64_t)mbufs * (room + 1024)) >> 20,
			      rte_eal_has_hugepages());
	rn_telemetry_publish(&(struct rn_telemetry_source){r->cfg.nadapters, adapter_name,
							   adapter_stats, adapter_reset, r});
	return 0;
}
