/* An Ethernet port: any DPDK ethdev, set up so that a frame is one mbuf. Opened, started and stopped by the NIC's
 * control thread; its queues are used by the shards (rxtx.c). */
#ifndef RN_PORT_H
#define RN_PORT_H

#include <stdatomic.h>

#include "core.h"
#include "rn/link.h"
#include "wake.h"

struct rte_mempool;
struct rte_ring;
struct rn_memif_port;

struct rn_port {
	uint16_t id;                 /* ethdev */
	uint16_t nrxq, ntxq;
	uint16_t mtu;
	unsigned frame_bytes;        /* longest frame */
	uint8_t mac[6];              /* the driver's own */
	uint64_t rx_offloads, tx_offloads;
	const struct rn_wake_row *wake;
	struct rte_mempool *pool;
	char name[64];
	char driver[32];             /* as the driver calls itself */
	bool attached;               /* its device is in DPDK, to be taken out by us */
	bool started;
	unsigned ifindex;            /* of the kernel interface it stands on, else 0 */
	_Atomic uint32_t removed;    /* the device is gone for good, or about to go */
	_Atomic uint32_t destroyed;  /* and the ethdev's number is not ours any more */
	_Atomic uint32_t cut;        /* nobody is at the other end for good: what is sent vanishes */
	/* No burst may begin while set; whoever sets it waits for a grace period of the shards. */
	_Atomic uint32_t quiet;
	_Atomic uint32_t ups; /* times the link came up; net_memif only */
	/* PEER: rung after a burst left by queue i; NULL elsewhere. */
	struct rn_wake *peer[RN_MAX_SHARDS];
	struct rte_ring *rings[RN_MAX_SHARDS]; /* joined ports: the receive rings, owned */
	unsigned nrings;
	struct rn_memif_port *memif; /* net_memif only; quiet until its relay says otherwise */
	void (*grace)(void *arg);    /* as given to rn_port_go() */
	void *grace_arg;
	/* Fewer transmit queues than shards: held around a burst. Whoever finds it taken keeps its frames. */
	_Atomic uint32_t tx_lock;
};

struct rn_port_spec {
	const char *name, *args;     /* rn_vdev_string() */
	const char *iface;           /* af_packet: its MTU is checked; else NULL */
	uint16_t mtu;
	unsigned queues;             /* wanted in each direction; fewer are accepted */
	uint32_t ring;               /* descriptors per queue */
	struct rte_mempool *pool;
	struct rn_memif_port *memif; /* the port's once opened; else NULL */
};

/* The pool of all ports of a process: n mbufs, each with `room` bytes of data behind the headroom and a private area
 * for a parsed packet. NULL: no memory. */
struct rte_mempool *rn_pool_create(const char *name, unsigned n, unsigned room);
void rn_pool_destroy(struct rte_mempool *pool);

/* Makes, configures and starts a device. 0, or -errno with a sentence in err. */
int rn_port_open(struct rn_port **port, const struct rn_port_spec *spec, char *err, size_t errlen);

/* Two ports joined by rings inside the process: nq[i] is the number of transmit queues of port[i] (its shards); each has
 * as many receive queues as the other has transmit queues. */
int rn_port_join(struct rn_port *port[2], const unsigned nq[2], uint16_t mtu, uint32_t ring, struct rte_mempool *pool,
		 const char *name, char *err, size_t errlen);

/* Once the shards are ready: lets a memif port meet its peer, does nothing for others. grace(arg) waits until no shard is
 * inside a burst that began before. 0 or -errno. */
int rn_port_go(struct rn_port *port, void (*grace)(void *arg), void *arg);

/* Has the device gone? Also where the driver does not tell: its kernel interface was deleted. */
bool rn_port_gone(struct rn_port *port);
/* Takes the device out of DPDK while the shards run; their bursts do nothing from then on, and what they send vanishes.
 * For a device that has announced its removal, or to bring it about. Once. */
void rn_port_unplug(struct rn_port *port);

/* Frames to these group MACs are to come in: n <= RN_GROUPS (mcast.h), all there are. A port that keeps no such list is
 * asked for all multicast; every port is promiscuous besides, where the driver can. */
void rn_port_groups(struct rn_port *port, const uint8_t (*mac)[6], unsigned n);

/* After the shards stopped. */
void rn_port_close(struct rn_port *port);

/* False once it is gone. */
bool rn_port_link_up(const struct rn_port *port);

/* Does the kernel interface under the port carry frames? Where there is none: yes. net_af_packet says that its link is up
 * whatever becomes of the interface. */
bool rn_port_carrier(const struct rn_port *port);

/* What the driver says it is, Mb/s; 10,000 if it does not, as with ports of software. */
uint32_t rn_port_speed(const struct rn_port *port);

/* Does this kernel interface carry the address? Then two stacks would answer for it. */
bool rn_port_iface_has(const char *iface, const struct rn_gid *addr);

#endif
