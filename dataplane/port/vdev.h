/* Turns the port section of a configuration into the device string for EAL, with buffer sizes that
 * fit the MTU. Pure functions, which any thread may call. EAL need not be initialised. */
#ifndef RN_VDEV_H
#define RN_VDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rn_vdev_kind {
	RN_VDEV_RING, /* created by rn_port_join(), without a device string */
	RN_VDEV_MEMIF,
	RN_VDEV_AF_PACKET,
	RN_VDEV_NULL,
	RN_VDEV_PCAP,
	RN_VDEV_PCI,	/* a network card; the configuration gives its address */
	RN_VDEV_DAEMON, /* shared with other processes by softrnicd */
	RN_VDEV_OTHER,	/* the configuration gives the device string */
};

/* What a port needs. A member whose comment begins with a kind (MEMIF, ...) is used for that kind
 * of port. Strings belong to the caller. */
struct rn_vdev_spec {
	enum rn_vdev_kind kind;
	/* number that makes the device's name unique among the process's devices of one driver */
	unsigned number;
	uint16_t mtu;
	uint32_t ring; /* descriptors per queue, a power of two */
	unsigned queues;
	/* MEMIF: path, or @name in the abstract name space. DAEMON: path of the socket to make, to
	 * which the daemon connects */
	const char *socket;
	bool server;		       /* MEMIF: true = role server, false = role client */
	unsigned id;		       /* MEMIF: interface number, the same on both sides */
	const uint8_t *mac;	       /* MEMIF, DAEMON: MAC of 6 bytes */
	const char *iface;	       /* AF_PACKET: kernel interface */
	const char *rx_pcap, *tx_pcap; /* PCAP: paths of the files, one of which may be "" */
	/* OTHER: the device string, such as "net_tap0,iface=tap0". PCI: the card's address, which
	 * may be followed by a comma and arguments of the driver. */
	const char *args;
};

/* Returns the length in bytes of the longest frame at this MTU: with Ethernet header and one VLAN
 * tag, without FCS. */
unsigned rn_vdev_frame_bytes(uint16_t mtu);

/* Returns how many bytes one receive buffer must hold: the data room of an mbuf without its
 * headroom. For af_packet this is the size of a whole slot of the driver's ring. */
unsigned rn_vdev_room(const struct rn_vdev_spec *spec);

/* Writes the device's name and arguments. Returns 0. Returns -EINVAL if a buffer is too small,
 * the kind of port has no device string, or a PCI address is none. */
int rn_vdev_string(const struct rn_vdev_spec *spec, char *name, size_t name_len, char *args,
		   size_t args_len);

#endif
