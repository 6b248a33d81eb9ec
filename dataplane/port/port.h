/* An Ethernet port: any DPDK ethdev, set up so that every frame fits one mbuf. The NIC's control
 * thread opens, starts and stops the port. The shards use the queues of the port (rxtx.c). */
#ifndef RN_PORT_H
#define RN_PORT_H

#include <stdatomic.h>

#include "shard/core.h"
#include "rn/link.h"
#include "port/filter.h"
#include "port/spread.h"
#include "port/wake.h"
#include "port/xdp.h"

struct rte_mempool;
struct rte_ring;
struct rn_memif_port;
struct rn_flow_rules;

/* Why no burst may begin. Each reason is set and cleared by its own code. */
enum {
	RN_QUIET_LINK = 1,  /* net_memif: the peer is not connected */
	RN_QUIET_RESET = 2, /* the card is to be reset */
	RN_QUIET_GONE = 4,  /* the device is removed */
};

struct rn_port {
	uint16_t id; /* number of the ethdev */
	uint16_t nrxq, ntxq;
	uint16_t mtu;
	uint32_t ring, ring_most; /* descriptors per queue, as in struct rn_port_spec */
	uint16_t nrxd, ntxd;	  /* descriptors that each queue has */
	unsigned frame_bytes;	  /* length of the longest frame */
	uint8_t mac[6];		  /* the card receives frames to this MAC */
	uint8_t own_mac[6];	  /* the MAC that the device had when the port was opened */
	bool mac_changed;	  /* a network card was given another MAC than its own */
	uint64_t rx_offloads, tx_offloads;
	const struct rn_wake_row *wake;
	struct rte_mempool *pool;
	char name[64];
	char driver[32]; /* the driver's name */
	/* true if rn_port_close() must remove the device from DPDK */
	bool attached;
	bool started;
	struct rn_xdp_sockets xdp;  /* net_af_xdp: its sockets, one per receive queue */
	unsigned ifindex;	    /* number of the kernel interface under the port; 0: none */
	bool card;		    /* the device is a network card (card.h) */
	int node;		    /* a network card: its NUMA node (numa.h) */
	uint16_t vlan_id;	    /* VLAN of the adapter's frames; 0: untagged */
	struct rn_spread spread;    /* how the card spreads packets over the receive queues */
	enum rn_filter filter;	    /* a network card: which frames it passes on */
	_Atomic uint32_t removed;   /* the device has been removed or is about to be removed */
	_Atomic uint32_t reset_due; /* a reset is requested and not yet begun */
	_Atomic uint64_t resets;    /* how often rn_port_reset() succeeded */
	/* DPDK has freed the ethdev; another port may have got its number */
	_Atomic uint32_t destroyed;
	/* this port, or the port joined to it, was unplugged; frames to be sent are discarded */
	_Atomic uint32_t cut;
	/* While any bit of `quiet` is set (RN_QUIET_LINK and so on), no burst may begin. To wait
	 * for the bursts that began before, call grace(). */
	_Atomic uint32_t quiet;
	_Atomic uint32_t ups; /* how often the link came up; counted for net_memif only */
	/* Used if this port is joined to another port (wake source PEER), else all NULL. peer[i] is
	 * the doorbell of the shard that receives the frames of transmit queue i. This doorbell is
	 * rung after each burst on queue i. */
	struct rn_wake *peer[RN_MAX_SHARDS];
	/* net_memif: the shards' doorbells, which received frames ring; all NULL if the shards do
	 * not sleep. Shard i polls receive queue i. */
	struct rn_wake *sleeper[RN_MAX_SHARDS];
	struct rte_ring *rings[RN_MAX_SHARDS]; /* joined port: its receive rings, which it owns */
	unsigned nrings;
	/* State of a port with the driver net_memif, owned by the port; NULL for other drivers.
	 * `quiet` stays set until the memif relay has connected to the peer. */
	struct rn_memif_port *memif;
	bool steady;		     /* as in struct rn_port_spec */
	struct rn_flow_rules *rules; /* flow_rule.h; NULL if the driver takes none */
	/* callback given to rn_port_set_grace(); NULL before, when no shard has run yet */
	void (*_Atomic grace)(void *arg);
	void *grace_arg;
	void (*news)(void *arg); /* callback given in struct rn_port_spec, or NULL */
	void *news_arg;
	_Atomic uint32_t link_events; /* how often the driver has announced a change of the link */
	/* Lock that a shard holds during a transmit burst if there are fewer transmit queues than
	 * shards. A shard that does not get the lock keeps its frames for later. */
	_Atomic uint32_t tx_lock;
};

struct rn_port_spec {
	const char *name, *args; /* device name and arguments from rn_vdev_string() */
	/* kernel interface of an af_packet port, whose MTU is checked; else NULL */
	const char *iface;
	/* The MAC address that the configuration gives to the adapter, 6 bytes, or NULL. A network
	 * card must receive frames to this address. */
	const uint8_t *mac;
	uint16_t vlan_id; /* VLAN of the adapter's frames; 0: untagged */
	uint16_t mtu;
	unsigned queues; /* queues wanted in each direction; the driver may have fewer */
	/* Descriptors per queue; 0: as many as the driver prefers. At most ring_most, which bounds
	 * the packet buffers that the driver holds. */
	uint32_t ring, ring_most;
	bool sleeps; /* the shards sleep, so a network card should wake them by interrupts */
	struct rte_mempool *pool;
	struct rn_memif_port *memif; /* for net_memif, else NULL; the opened port owns it */
	/* The link counts as up until the device is removed: the other end of the port may end and
	 * come back, and the driver joins it again in a thread of DPDK. Asking the driver for the
	 * link meanwhile could disturb that thread. */
	bool steady;
	/* Called when the driver announces what the owner of the port should look at: its link may
	 * have changed (rn_port_link_up()), it is removed (rn_port_gone()), or it needs a reset
	 * (rn_port_reset_due()). Drivers of cards announce in a thread of DPDK, those of most
	 * software ports never. It must not wait. NULL: no notification. */
	void (*news)(void *arg);
	void *news_arg;
};

/* Creates the pool of n mbufs for all ports of a process. Each mbuf has DPDK's headroom
 * (RTE_PKTMBUF_HEADROOM), `room` bytes for data, and a private area for a parsed packet (struct
 * rn_pkt). `packed` means that the mbufs lie in memory without gaps, also where one continues on
 * the next page: net_af_xdp needs that. The mbufs are on the NUMA node `node` if it has memory for
 * them; -1 means any. Returns NULL if there is no memory. */
struct rte_mempool *rn_pool_create(const char *name, unsigned n, unsigned room, bool packed,
				   int node);
void rn_pool_destroy(struct rte_mempool *pool);

/* Creates, configures and starts a device. Returns 0, or -errno with a sentence in err. */
int rn_port_open(struct rn_port **port, const struct rn_port_spec *spec, char *err, size_t errlen);

/* Creates a ring pair: two ports joined by rings inside the process. port[i] has nq[i] transmit
 * queues, one per shard. Each port has as many receive queues as the other port has transmit
 * queues. Of `spec` only `name`, `mtu`, `ring`, `ring_most`, `pool` and `news` are used. Returns 0,
 * or -errno with a sentence in err. */
int rn_port_join(struct rn_port *port[2], const unsigned nq[2], const struct rn_port_spec *spec,
		 char *err, size_t errlen);

/* Before the port, or its driver, frees memory that shards may be using, the port calls grace(arg).
 * grace() must return only when no shard is inside a burst that began before the call.
 * To be called before the first shard runs: a peer of an opened net_vhost port may come and leave
 * at any time. */
void rn_port_set_grace(struct rn_port *port, void (*grace)(void *arg), void *arg);

/* Starts the port, and allows a memif port to connect to its peer. To be called when the shards are
 * ready. Returns 0 or -errno. */
int rn_port_go(struct rn_port *port);

/* True when the device has been removed. Also true when its kernel interface was deleted, which the
 * driver does not report. */
bool rn_port_gone(struct rn_port *port);
/* Removes the device from DPDK while the shards run. From then on the shards receive nothing, and
 * their frames to be sent are discarded. To be called at most once, when the device has announced
 * its removal or is to be removed deliberately. */
void rn_port_unplug(struct rn_port *port);

/* A network card that has stopped working can be reset while the shards run. Frames in its rings
 * are lost, and connections go on.
 *
 * rn_port_request_reset() keeps the shards from the card from now on. The watcher thread calls
 * rn_port_reset() when it next looks at the port. Any thread may request a reset; drivers do it in
 * EAL's interrupt thread. Returns -ENOTSUP if the port is neither a card nor joined to another
 * port, and -ENODEV if it is gone. */
int rn_port_request_reset(struct rn_port *port);
/* Is a reset requested, and the card still there? */
bool rn_port_reset_due(const struct rn_port *port);
/* Resets the card and starts it again with the same settings, except the list of multicast groups.
 * The descriptors of receive interrupts are others afterwards. Returns 0, or -errno with a sentence
 * in err; the shards then still keep away from the card, and the reset may be tried again. */
int rn_port_reset(struct rn_port *port, char *err, size_t errlen);
/* Gives a card up that could not be reset: it counts as removed from now on. */
void rn_port_lose(struct rn_port *port);

/* Sets the complete list of multicast MACs to receive, n <= RN_FILTER_GROUPS, or with RN_FILTER_ANY
 * and NULL receives all multicasts. If the driver refuses
 * the list, asks for more frames (filter.h). The caller prevents the removal of the port. */
void rn_port_groups(struct rn_port *port, const uint8_t (*mac)[6], unsigned n);

/* Ends the connection of a memif port to its peer. Does nothing on other ports. To be called when
 * the shards have stopped, before their doorbells are closed. Accepts NULL. */
void rn_port_hang_up(struct rn_port *port);
/* Stops and removes the device and frees the port. The shards must have stopped. Accepts NULL. */
void rn_port_close(struct rn_port *port);

/* Has the owner of the port look at it (`news` of struct rn_port_spec). */
static inline void rn_port_notify(const struct rn_port *port)
{
	if (port->news != NULL)
		port->news(port->news_arg);
}

/* Does the driver report link up? A steady port is not asked. The answer is false if the port has
 * been removed, or if this port or the port joined to it was unplugged. */
bool rn_port_link_up(const struct rn_port *port);
/* Is the kernel interface under the port running? True also if there is no such interface.
 * net_af_packet reports its link as up whatever happens to the interface. */
bool rn_port_carrier(const struct rn_port *port);

/* Returns the link speed that the driver reports, in Mb/s. Returns 10,000 if the driver reports no
 * speed, as drivers of software ports do. */
uint32_t rn_port_speed(const struct rn_port *port);

/* Does the kernel interface have this address? The kernel's IP stack and softrnic would then both
 * answer requests to the address. */
bool rn_port_iface_has(const char *iface, const struct rn_gid *addr);

#endif
