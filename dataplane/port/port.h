/* An Ethernet port: any DPDK ethdev, set up so that every frame fits one mbuf. The NIC's control
 * thread opens, starts and stops it; the shards use its queues (rxtx.c). */
#ifndef RN_PORT_H
#define RN_PORT_H

#include <stdatomic.h>

#include "shard/core.h"
#include "rn/link.h"
#include "port/wake.h"

struct rte_mempool;
struct rte_ring;
struct rn_memif_port;

struct rn_port {
	uint16_t id; /* number of the ethdev */
	uint16_t nrxq, ntxq;
	uint16_t mtu;
	unsigned frame_bytes; /* length of the longest frame */
	uint8_t mac[6];	      /* the MAC that the driver reports */
	uint64_t rx_offloads, tx_offloads;
	const struct rn_wake_row *wake;
	struct rte_mempool *pool;
	char name[64];
	char driver[32]; /* the driver's name */
	/* rn_port_close() must remove the device from DPDK */
	bool attached;
	bool started;
	unsigned ifindex;	  /* number of the kernel interface under the port, else 0 */
	_Atomic uint32_t removed; /* the device has been removed or is about to be */
	/* DPDK has freed the ethdev; another port may have got its number */
	_Atomic uint32_t destroyed;
	/* this port or the port joined to it was unplugged: frames to be sent are discarded */
	_Atomic uint32_t cut;
	/* While set, no burst may begin. The thread that sets it then waits for a grace period of
	 * the shards. */
	_Atomic uint32_t quiet;
	_Atomic uint32_t ups; /* number of times the link came up; net_memif only */
	/* Used only if the port is joined to another one (wake source PEER), else all NULL. peer[i]
	 * is the doorbell of the shard that receives the frames of transmit queue i. It is rung
	 * after each burst on that queue. */
	struct rn_wake *peer[RN_MAX_SHARDS];
	struct rte_ring *rings[RN_MAX_SHARDS]; /* receive rings of a joined port, which owns them */
	unsigned nrings;
	/* NULL unless the driver is net_memif. The port owns this object. `quiet` stays set until
	 * the memif relay has connected to the peer. */
	struct rn_memif_port *memif;
	void (*grace)(void *arg); /* callback given to rn_port_go() */
	void *grace_arg;
	/* Lock that a shard holds during a transmit burst, used when there are fewer transmit
	 * queues than shards. A shard that does not get the lock keeps its frames for later. */
	_Atomic uint32_t tx_lock;
};

struct rn_port_spec {
	const char *name, *args; /* device name and arguments from rn_vdev_string() */
	/* af_packet: kernel interface, whose MTU is checked; else NULL */
	const char *iface;
	uint16_t mtu;
	unsigned queues; /* queues wanted in each direction; a driver may have fewer */
	uint32_t ring;	 /* descriptors per queue */
	struct rte_mempool *pool;
	struct rn_memif_port *memif; /* net_memif only, else NULL; the port owns it after opening */
};

/* Creates the mbuf pool of all ports of a process: n mbufs. Each mbuf has DPDK's headroom
 * (RTE_PKTMBUF_HEADROOM), then `room` bytes for data, and a private area for a parsed packet
 * (struct rn_pkt). Returns NULL when there is no memory. */
struct rte_mempool *rn_pool_create(const char *name, unsigned n, unsigned room);
void rn_pool_destroy(struct rte_mempool *pool);

/* Creates, configures and starts a device. Returns 0, or -errno with a sentence in err. */
int rn_port_open(struct rn_port **port, const struct rn_port_spec *spec, char *err, size_t errlen);

/* Creates a ring pair: two ports joined by rings inside the process. nq[i] is the number of
 * transmit queues of port[i] (its shards); each port has as many receive queues as the other has
 * transmit queues. Returns 0, or -errno with a sentence in err. */
int rn_port_join(struct rn_port *port[2], const unsigned nq[2], uint16_t mtu, uint32_t ring,
		 struct rte_mempool *pool, const char *name, char *err, size_t errlen);

/* Starts the port; to be called when the shards are ready. From now on a memif port may connect to
 * its peer. Before the port frees memory that shards may be using, it calls grace(arg), which must
 * return only when no shard is inside a burst that began before the call. Returns 0 or -errno. */
int rn_port_go(struct rn_port *port, void (*grace)(void *arg), void *arg);

/* True when the device has been removed, or when its kernel interface was deleted, which the
 * driver does not report. */
bool rn_port_gone(struct rn_port *port);
/* Removes the device from DPDK while the shards run. From then on the shards receive nothing, and
 * the frames that they send are discarded. To be called at most once: when the device has announced
 * its removal, or to remove it deliberately. */
void rn_port_unplug(struct rn_port *port);

/* Sets the complete list of group MACs to receive, n <= RN_GROUPS (mcast.h). A driver without such
 * a list is set to receive all multicast. In addition every port is promiscuous, if its driver
 * supports that. */
void rn_port_groups(struct rn_port *port, const uint8_t (*mac)[6], unsigned n);

/* Stops and removes the device and frees the port; accepts NULL. The shards must have stopped. */
void rn_port_close(struct rn_port *port);

/* The link state that the driver reports. False when the port has been removed, or when it or the
 * port joined to it was unplugged. */
bool rn_port_link_up(const struct rn_port *port);

/* True when the kernel interface under the port is running, or when there is no such interface.
 * Needed because net_af_packet reports its link as up whatever happens to the interface. */
bool rn_port_carrier(const struct rn_port *port);

/* The link speed in Mb/s that the driver reports; 10,000 when it reports none, as software ports
 * do. */
uint32_t rn_port_speed(const struct rn_port *port);

/* True when the kernel interface has this address. Then the kernel's IP stack and softrnic would
 * both answer requests to the address. */
bool rn_port_iface_has(const char *iface, const struct rn_gid *addr);

#endif
