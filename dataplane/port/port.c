/* How is a DPDK ethdev set up as a port, and shut down again? Owns the ethdev, the rings of two
 * joined ports, and the mbuf pool. Runs in the control thread, except rn_port_request_reset(). */
#include "port/port.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_ring.h>

#include "port/af_packet.h"
#include "port/callback.h"
#include "port/card.h"
#include "port/device.h"
#include "port/fit.h"
#include "port/flow_rule.h"
#include "port/memif_port.h"
#include "port/sigpipe.h"
#include "port/spread.h"
#include "port/vdev.h"

/* Largest size, in mbufs, of the pool's cache for one shard. Each shard with an lcore id (rxtx.c)
 * has such a cache. */
#define POOL_CACHE 256u

/* Creates a pool on a NUMA node with the mempool driver `ops`; NULL means DPDK's default, a ring. A
 * stack is better than a ring, because it hands out the mbuf that was freed last, whose data is
 * still in a CPU cache. If one shard fills mbufs and another shard frees them, a ring goes through
 * all mbufs (37 MB). A 4 KiB frame then takes 1.5 times as long (docs/benchmarks.md).
 * The stack must be lock-free, because an application's thread may be preempted while using it. */
static struct rte_mempool *pool_of(const char *ops, const char *name, unsigned n, unsigned room,
				   bool packed, int node)
{
	struct rte_pktmbuf_pool_private sizes = {
		.mbuf_data_room_size = (uint16_t)(room + RTE_PKTMBUF_HEADROOM),
		.mbuf_priv_size = RN_ALIGN_UP(sizeof(struct rn_pkt), RTE_MBUF_PRIV_ALIGN),
	};
	unsigned bytes = (unsigned)sizeof(struct rte_mbuf) + sizes.mbuf_priv_size +
			 sizes.mbuf_data_room_size;
	struct rte_mempool *pool =
		rte_mempool_create_empty(name, n, bytes, RN_MIN(POOL_CACHE, n / 2), sizeof(sizes),
					 node, packed ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0);

	if (pool == NULL)
		return NULL;
	int rc = rte_mempool_set_ops_byname(pool, ops != NULL ? ops : rte_mbuf_best_mempool_ops(),
					    NULL);
	if (rc == 0) {
		rte_pktmbuf_pool_init(pool, &sizes);
		rc = rte_mempool_populate_default(pool);
	}
	if (rc < 0) {
		rte_mempool_free(pool);
		return NULL;
	}
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	return pool;
}

struct rte_mempool *rn_pool_create(const char *name, unsigned n, unsigned room, bool packed,
				   int node)
{
	struct rte_mempool *pool = pool_of("lf_stack", name, n, room, packed, node);

	/* Use the default if the installation of DPDK lacks the stack, which is a separate
	 * driver. */
	if (pool == NULL)
		pool = pool_of(NULL, name, n, room, packed, node);
	/* The node may lack memory. Without hugepages DPDK has memory of one node only. */
	if (pool == NULL && node != SOCKET_ID_ANY)
		pool = rn_pool_create(name, n, room, packed, SOCKET_ID_ANY);
	return pool;
}

void rn_pool_destroy(struct rte_mempool *pool)
{
	rte_mempool_free(pool);
}

static void listen_for_events(struct rn_port *p, bool listen)
{
	if (p->card)
		rn_card_watch(p, listen);
	rn_callback_listen(p, listen);
}

/* Chooses the offloads to use from those that the port offers. The rest is done in software: for
 * checksums that is cheaper than to ask the card (docs/decisions/0012-offloads.md). */
static void negotiate(struct rn_port *p, const struct rte_eth_dev_info *info,
		      struct rte_eth_conf *conf)
{
	if (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE)
		conf->txmode.offloads |= RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	rn_spread_ask(p, info, conf);
	/* Do not set the MTU of a software port if the driver reports a lower maximum. Some virtual
	 * drivers report 1518 bytes and refuse a larger MTU, but carry jumbo frames all the
	 * same. */
	if (!p->card && info->max_rx_pktlen >= p->frame_bytes && info->max_mtu >= p->mtu &&
	    info->max_mtu != UINT16_MAX)
		conf->rxmode.mtu = p->mtu;
	p->rx_offloads = conf->rxmode.offloads;
	p->tx_offloads = conf->txmode.offloads;
}

/* Sets up all queues with the driver's default thresholds. Returns 0 or -errno. */
static int set_up_queues(struct rn_port *p)
{
	int socket = rte_eth_dev_socket_id(p->id);
	int err = 0;

	for (uint16_t q = 0; err == 0 && q < p->nrxq; q++)
		err = rte_eth_rx_queue_setup(p->id, q, p->nrxd, (unsigned)socket, NULL, p->pool);
	for (uint16_t q = 0; err == 0 && q < p->ntxq; q++)
		err = rte_eth_tx_queue_setup(p->id, q, p->ntxd, (unsigned)socket, NULL);
	return err;
}

/* Sets up all queues. For net_af_xdp, finds the sockets that the driver opens meanwhile. */
static int set_up_sockets(struct rn_port *p)
{
	struct rn_xdp_sockets others = {0};
	bool xdp = strcmp(p->driver, "net_af_xdp") == 0;

	if (xdp)
		rn_xdp_find(&others, &p->xdp);
	int rc = set_up_queues(p);
	if (xdp)
		rn_xdp_find(&p->xdp, &others);
	return rc;
}

/* Checks that the port's driver can carry the MTU. For a software port also checks the kernel
 * interface under the port, if there is one. */
static int fit(const struct rn_port *p, const struct rte_eth_dev_info *info, char *err,
	       size_t errlen)
{
	char name[IF_NAMESIZE];

	if (p->card)
		return rn_fit_card(info, p->mtu, err, errlen);
	int rc = rn_fit_driver(info, p->mtu, p->pool, err, errlen);

	if (rc == 0 && info->if_index != 0 && if_indextoname(info->if_index, name) != NULL)
		rc = rn_fit_interface(name, p->mtu, err, errlen);
	return rc;
}

/* Configures and starts the device. Returns 0 or -errno. */
static int start(struct rn_port *p, const struct rte_eth_conf *conf)
{
	int rc = rte_eth_dev_configure(p->id, p->nrxq, p->ntxq, conf);

	if (rc == 0)
		rc = set_up_sockets(p);
	return rc == 0 ? rte_eth_dev_start(p->id) : rc;
}

/* Starts a card without receive interrupts: with link interrupts if its driver has them. Returns 0
 * or -errno. */
static int start_with_link_interrupts(struct rn_port *p, const struct rte_eth_dev_info *info,
				      const struct rte_eth_conf *conf)
{
	struct rte_eth_conf with = *conf;

	with.intr_conf.lsc = rn_card_has_link_interrupts(info);
	if (with.intr_conf.lsc && start(p, &with) == 0)
		return 0;
	return start(p, conf);
}

/* Starts a device with receive interrupts, or what its driver has instead of them. Returns false if
 * the driver has none for every queue; the device must then be started without. Link interrupts are
 * not requested at the same time: some drivers then leave them out without an error, and the link
 * would never seem to change, since DPDK does not ask the card but waits for an interrupt. Others
 * report changes of the link without the request. */
static bool start_with_interrupts(struct rn_port *p, const struct rte_eth_conf *conf)
{
	struct rte_eth_conf with = *conf;

	with.intr_conf.rxq = 1;
	if (start(p, &with) != 0)
		return false;
	for (unsigned q = 0; q < p->nrxq; q++)
		if (rn_card_interrupt_fd(p, q) < 0) {
			rte_eth_dev_stop(p->id);
			return false;
		}
	return true;
}

/* Decides how many queues and descriptors the device gets. */
static void choose_sizes(struct rn_port *p, unsigned nrxq, unsigned ntxq,
			 const struct rn_port_spec *spec, const struct rte_eth_dev_info *info)
{
	const unsigned most = rn_fit_queues(info->driver_name);

	p->nrxq = (uint16_t)RN_MIN(RN_MIN(nrxq, most), info->max_rx_queues);
	p->ntxq = (uint16_t)RN_MIN(RN_MIN(ntxq, most), info->max_tx_queues);
	p->ring = spec->ring;
	p->ring_most = spec->ring_most;
	p->nrxd = rn_fit_descriptors(&info->default_rxportconf, &info->rx_desc_lim, spec->ring,
				     spec->ring_most);
	p->ntxd = rn_fit_descriptors(&info->default_txportconf, &info->tx_desc_lim, spec->ring,
				     spec->ring_most);
}

/* Sets up and starts the device, with at most as many queues as wanted. Of `spec` only `ring`,
 * `ring_most`, `mac` and `sleeps` are used. */
static int configure(struct rn_port *p, unsigned nrxq, unsigned ntxq,
		     const struct rn_port_spec *spec, char *err, size_t errlen)
{
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	struct rte_ether_addr own;
	int rc = rte_eth_dev_info_get(p->id, &info);

	if (rc != 0)
		goto failed;
	choose_sizes(p, nrxq, ntxq, spec, &info);
	p->frame_bytes = rn_vdev_frame_bytes(p->mtu);
	p->card = rn_card_is(info.device);
	p->wake = rn_wake_row(p->card ? RN_WAKE_CARD : info.driver_name);
	snprintf(p->driver, sizeof(p->driver), "%s", info.driver_name);
	p->node = p->card ? rte_eth_dev_socket_id(p->id) : SOCKET_ID_ANY;
	rc = fit(p, &info, err, errlen);
	if (rc != 0)
		return rc;
	if (p->card)
		rn_card_request(p, &info, &conf);
	/* makes the driver tell the descriptors of its queues */
	conf.intr_conf.rxq = p->wake->source == RN_WAKE_QUEUE;
	negotiate(p, &info, &conf);
	if (p->wake->source != RN_WAKE_INTR) {
		rc = start(p, &conf);
	} else if ((!spec->sleeps && !p->steady) || !start_with_interrupts(p, &conf)) {
		/* With interrupts, a thread of DPDK looks after the other end of a steady port. */
		p->wake = rn_wake_row(RN_WAKE_OTHER);
		rc = start_with_link_interrupts(p, &info, &conf);
	}
	if (rc != 0)
		goto failed;
	if (rte_eth_macaddr_get(p->id, &own) == 0)
		memcpy(p->mac, own.addr_bytes, 6);
	if (!p->started) {
		memcpy(p->own_mac, p->mac, 6);
		listen_for_events(p, true);
		p->rules = rn_flow_rule_create(p);
	}
	p->started = true;
	rn_spread_check(p, &conf, nrxq);
	p->filter = RN_FILTER_UNSET; /* a reset card has to be asked again */
	if (p->card)
		return rn_filter_unicast(p, spec->mac, err, errlen);
	/* The adapter's MAC comes from the configuration, and the driver's MAC filter may drop
	 * frames to it. */
	rte_eth_promiscuous_enable(p->id);
	return 0;
failed:
	snprintf(err, errlen, "port %s cannot be started: %s", p->name, strerror(-rc));
	return rc;
}

/* Checks three conditions before the device is created: the interface exists, its MTU is large
 * enough, and packet sockets are permitted. The driver would not explain a failure of these
 * conditions. */
static int check_iface(const struct rn_port_spec *spec, char *err, size_t errlen)
{
	int rc = rn_fit_interface(spec->iface, spec->mtu, err, errlen);

	if (rc != 0)
		return rc;
	/* Try a packet socket here: net_af_packet does not report why it cannot open a packet
	 * socket. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		rc = -errno;
		snprintf(err, errlen, "interface %s: no packet sockets%s: %s", spec->iface,
			 rc == -EPERM ? " without CAP_NET_RAW" : "", strerror(-rc));
		return rc;
	}
	close(fd);
	return 0;
}

int rn_port_open(struct rn_port **port, const struct rn_port_spec *spec, char *err, size_t errlen)
{
	RN_NO_SIGPIPE;
	struct rn_port *p = NULL;
	int rc = spec->iface != NULL ? check_iface(spec, err, errlen) : 0;

	if (rc != 0)
		return rc;
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	p->pool = spec->pool;
	p->mtu = spec->mtu;
	p->vlan_id = spec->vlan_id;
	p->steady = spec->steady;
	p->news = spec->news;
	p->news_arg = spec->news_arg;
	atomic_init(&p->quiet, spec->memif != NULL ? RN_QUIET_LINK : 0);
	snprintf(p->name, sizeof(p->name), "%s", spec->name);
	/* The device may exist already, for example from an EAL argument of the application. */
	bool found = rte_eth_dev_get_port_by_name(p->name, &p->id) == 0;
	rc = rn_device_make(p->name, spec->args, &p->id, err, errlen);
	p->attached = rc == 0;
	if (rc == 0) {
		rc = found ? 0 : rn_af_packet_disable_defrag(p->id, spec->args);
		if (rc != 0)
			snprintf(
				err, errlen,
				"port %s would accept reassembled IPv4 fragments, because its sockets "
				"cannot be replaced: %s",
				p->name, strerror(-rc));
		else
			rc = configure(p, spec->queues, spec->queues, spec, err, errlen);
	}
	if (rc != 0) {
		rn_port_close(p);
		return rc;
	}
	/* While the other end is away, the driver would log several errors at once, again and
	 * again. The owner of the port knows about it. */
	if (p->steady)
		rte_log_set_level_pattern("pmd.net.virtio.*", RTE_LOG_CRIT);
	p->memif = spec->memif;
	p->ifindex = spec->iface != NULL ? if_nametoindex(spec->iface) : 0;
	*port = p;
	return 0;
}

void rn_port_set_grace(struct rn_port *p, void (*grace)(void *arg), void *arg)
{
	p->grace_arg = arg;
	/* A callback for an event, in another thread, may call grace() as soon as it is set. */
	atomic_store(&p->grace, grace);
}

int rn_port_go(struct rn_port *p)
{
	RN_NO_SIGPIPE;
	return p->memif != NULL ? rn_memif_port_start(p->memif, p, p->grace, p->grace_arg) : 0;
}

/* Allocates one receive queue of a joined port. The queue has a single producer and a single
 * consumer: one shard sends into the queue, and one shard receives from it. */
static struct rte_ring *frame_ring(uint32_t slots)
{
	size_t bytes = RN_ALIGN_UP((size_t)rte_ring_get_memsize(slots), RTE_CACHE_LINE_SIZE);
	struct rte_ring *r = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);

	if (r != NULL && rte_ring_init(r, "rn_frames", slots, RING_F_SP_ENQ | RING_F_SC_DEQ) != 0) {
		free(r);
		r = NULL;
	}
	return r;
}

static struct rn_port *joined_port(unsigned nrxq, const struct rn_port_spec *spec, unsigned side)
{
	struct rn_port *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->pool = spec->pool;
	p->mtu = spec->mtu;
	p->news = spec->news;
	p->news_arg = spec->news_arg;
	snprintf(p->name, sizeof(p->name), "%s%c", spec->name, 'a' + side);
	for (p->nrings = 0; p->nrings < nrxq; p->nrings++) {
		p->rings[p->nrings] = frame_ring(spec->ring);
		if (p->rings[p->nrings] == NULL) {
			rn_port_close(p);
			return NULL;
		}
	}
	return p;
}

int rn_port_join(struct rn_port *port[2], const unsigned nq[2], const struct rn_port_spec *spec,
		 char *err, size_t errlen)
{
	int rc = -ENOMEM;

	for (unsigned i = 0; i < 2; i++)
		/* Each port receives from the rings into which the other port sends. */
		port[i] = joined_port(nq[!i], spec, i);
	if (port[0] == NULL || port[1] == NULL) {
		snprintf(err, errlen, "no memory for the rings of %s", spec->name);
		goto failed;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct rn_port *p = port[i], *q = port[!i];
		int id = rte_eth_from_rings(p->name, p->rings, p->nrings, q->rings, q->nrings, 0);
		if (id < 0) {
			rc = -ENODEV;
			snprintf(err, errlen, "ring port %s cannot be created", p->name);
			goto failed;
		}
		p->id = (uint16_t)id;
		p->attached = true;
		rc = configure(p, p->nrings, q->nrings, spec, err, errlen);
		if (rc != 0)
			goto failed;
	}
	return 0;
failed:
	for (unsigned i = 0; i < 2; i++) {
		rn_port_close(port[i]);
		port[i] = NULL;
	}
	return rc;
}

/* Stopping other software ports closes what they share with the kernel or a peer. */
static bool can_be_reset(const struct rn_port *p)
{
	return p->card || p->nrings > 0;
}

int rn_port_request_reset(struct rn_port *p)
{
	if (!can_be_reset(p))
		return -ENOTSUP;
	if (atomic_load(&p->removed))
		return -ENODEV;
	atomic_fetch_or(&p->quiet, RN_QUIET_RESET);
	atomic_store(&p->reset_due, 1);
	return 0;
}

bool rn_port_reset_due(const struct rn_port *p)
{
	return atomic_load(&p->reset_due) && !atomic_load(&p->removed);
}

/* Resets the card, or if its driver cannot do that, stops it: most drivers reset their card when
 * they start it. Returns 0 or -errno. */
static int stop_for_reset(struct rn_port *p)
{
	int rc = rte_eth_dev_reset(p->id);

	return rc == -ENOTSUP ? rte_eth_dev_stop(p->id) : rc;
}

/* Stops the card and starts it again. Returns 0, or -errno with a sentence in err. */
static int restart(struct rn_port *p, const struct rn_port_spec *spec, char *err, size_t errlen)
{
	const struct rn_wake_row *wake = p->wake;
	const unsigned nrxq = p->nrxq, ntxq = p->ntxq;
	rn_flow_rule_flush(p->rules);
	int rc = stop_for_reset(p);

	if (rc != 0)
		snprintf(err, errlen, "port %s cannot be stopped: %s", p->name, strerror(-rc));
	else
		rc = configure(p, nrxq, ntxq, spec, err, errlen);
	if (rc == 0 && p->nrxq == nrxq && p->ntxq == ntxq && p->wake == wake)
		return 0;
	if (rc == 0)
		snprintf(err, errlen, "port %s has other queues or interrupts than before",
			 p->name);
	/* The shards, and the next attempt, go by these. */
	p->nrxq = (uint16_t)nrxq;
	p->ntxq = (uint16_t)ntxq;
	p->wake = wake;
	memcpy(p->mac, spec->mac, 6);
	return rc == 0 ? -EIO : rc;
}

int rn_port_reset(struct rn_port *p, char *err, size_t errlen)
{
	uint8_t mac[6];
	const struct rn_port_spec spec = {
		.mac = mac,
		.ring = p->ring,
		.ring_most = p->ring_most,
		.sleeps = p->wake->source == RN_WAKE_INTR,
	};

	memcpy(mac, p->mac, 6);
	atomic_store(&p->reset_due, 0);
	/* The end of an earlier reset may have cleared what the request for this one has set. */
	atomic_fetch_or(&p->quiet, RN_QUIET_RESET);
	if (p->grace != NULL)
		p->grace(p->grace_arg);
	int rc = restart(p, &spec, err, errlen);
	if (rc != 0)
		return rc;
	atomic_fetch_add(&p->resets, 1);
	atomic_fetch_and(&p->quiet, ~RN_QUIET_RESET);
	return 0;
}

void rn_port_lose(struct rn_port *p)
{
	atomic_store(&p->removed, 1);
}

bool rn_port_gone(struct rn_port *p)
{
	char name[IF_NAMESIZE];

	/* Look the interface up by number: the interface may be renamed, and another interface may
	 * get the old name. */
	if (p->ifindex != 0 && if_indextoname(p->ifindex, name) == NULL && errno == ENXIO)
		return true;
	return atomic_load(&p->removed);
}

/* Stops and removes the device. No burst may be running. Does nothing if DPDK has destroyed the
 * device already. */
static void detach(struct rn_port *p)
{
	if (!atomic_load(&p->removed))
		rn_flow_rule_flush(p->rules);
	if (p->started)
		listen_for_events(p, false);
	if (p->started && !atomic_load(&p->destroyed)) {
		if (!atomic_load(&p->removed))
			rn_filter_restore(p);
		rte_eth_dev_stop(p->id);
	}
	p->started = false;
	if (p->attached && !atomic_load(&p->destroyed)) {
		if (p->memif != NULL)
			rn_memif_port_remove(p->memif, p->name);
		else
			rn_device_remove(p->id);
		rn_xdp_close(&p->xdp);
	}
	p->attached = false;
	atomic_store(&p->destroyed, 1);
}

void rn_port_unplug(struct rn_port *p)
{
	RN_NO_SIGPIPE;
	/* Stop the memif relay first: it could otherwise clear `quiet` again (up() in
	 * memif_relay.h). */
	rn_memif_port_stop(p->memif);
	atomic_fetch_or(&p->quiet, RN_QUIET_GONE);
	atomic_store(&p->removed, 1);
	atomic_store(&p->cut, 1);
	if (p->grace != NULL)
		p->grace(p->grace_arg);
	detach(p);
}

void rn_port_hang_up(struct rn_port *p)
{
	if (p != NULL)
		rn_memif_port_stop(p->memif);
}

void rn_port_close(struct rn_port *p)
{
	RN_NO_SIGPIPE;
	void *m;

	if (p == NULL)
		return;
	rn_memif_port_stop(p->memif);
	detach(p);
	rn_memif_port_destroy(p->memif);
	rn_spread_forget(&p->spread);
	for (unsigned i = 0; i < p->nrings; i++) {
		/* Free the frames that are still in the rings: the port at the other end has sent
		 * them, and no shard has received them. */
		while (p->rings[i] != NULL && rte_ring_dequeue(p->rings[i], &m) == 0)
			rte_pktmbuf_free(m);
		free(p->rings[i]);
	}
	rn_flow_rule_destroy(p->rules);
	free(p);
}

void rn_port_groups(struct rn_port *p, const uint8_t (*mac)[6], unsigned n)
{
	RN_NO_SIGPIPE;
	uint8_t list[RN_FILTER_GROUPS][6];
	unsigned used = 0;

	if (atomic_load(&p->destroyed))
		return;
	if (n == RN_FILTER_ANY) {
		rn_filter_groups(p, NULL, n);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;
		/* List each MAC once: several multicast groups may map to the same MAC. */
		while (k < used && memcmp(list[k], mac[i], 6) != 0)
			k++;
		memcpy(list[k], mac[i], 6);
		used += k == used;
	}
	rn_filter_groups(p, (const uint8_t(*)[6])list, used);
}

bool rn_port_carrier(const struct rn_port *p)
{
	struct ifreq ifr = {0};

	if (p->ifindex == 0 || if_indextoname(p->ifindex, ifr.ifr_name) == NULL)
		return true;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool down =
		fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &ifr) == 0 && (ifr.ifr_flags & IFF_RUNNING) == 0;
	if (fd >= 0)
		close(fd);
	return !down;
}

uint32_t rn_port_speed(const struct rn_port *p)
{
	RN_NO_SIGPIPE;
	struct rte_eth_link link;
	bool known = !atomic_load(&p->removed) && rte_eth_link_get_nowait(p->id, &link) == 0 &&
		     link.link_speed != RTE_ETH_SPEED_NUM_NONE &&
		     link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN;

	return known ? link.link_speed : RTE_ETH_SPEED_NUM_10G;
}

bool rn_port_iface_has(const char *iface, const struct rn_gid *addr)
{
	struct ifaddrs *all, *i;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (i = all; i != NULL && !found; i = i->ifa_next) {
		/* The GID starts as IPv4 prefix ::ffff; an IPv6 address overwrites the whole
		 * GID. */
		struct rn_gid gid = {.b = {[10] = 0xff, [11] = 0xff}};
		if (i->ifa_addr == NULL || strcmp(i->ifa_name, iface) != 0)
			continue;
		if (i->ifa_addr->sa_family == AF_INET)
			memcpy(gid.b + 12, &((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr,
			       4);
		else if (i->ifa_addr->sa_family == AF_INET6)
			memcpy(gid.b, &((struct sockaddr_in6 *)(void *)i->ifa_addr)->sin6_addr, 16);
		else
			continue;
		found = memcmp(gid.b, addr->b, 16) == 0;
	}
	freeifaddrs(all);
	return found;
}
