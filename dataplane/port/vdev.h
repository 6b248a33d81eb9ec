/* From "what carries the frames" to the device string EAL takes, with every buffer fitted to the MTU. Pure text; any
 * thread; no EAL needed. */
#ifndef RN_VDEV_H
#define RN_VDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rn_vdev_kind {
	RN_VDEV_RING, /* made with rn_port_join(), no string */
	RN_VDEV_MEMIF,
	RN_VDEV_AF_PACKET,
	RN_VDEV_NULL,
	RN_VDEV_PCAP,
	RN_VDEV_OTHER, /* string as given */
};

struct rn_vdev_spec {
	enum rn_vdev_kind kind;
	unsigned number;     /* distinguishes devices of one driver in the process */
	uint16_t mtu;
	uint32_t ring;       /* descriptors per queue, a power of two */
	unsigned queues;
	const char *socket;  /* MEMIF: path, or @name in the abstract name space */
	bool server;         /* MEMIF */
	unsigned id;         /* MEMIF */
	const uint8_t *mac;  /* MEMIF */
	const char *iface;   /* AF_PACKET */
	const char *rx_pcap, *tx_pcap; /* PCAP, may be "" */
	const char *args;    /* OTHER: "net_tap0,iface=tap0" */
};

#define RN_VDEV_PCI_LEN 32

/* Does this device string begin with a PCI address, "01:00.0" or with a domain in front? Writes it as DPDK does,
 * "0000:01:00.0"; len is at least RN_VDEV_PCI_LEN. */
bool rn_vdev_pci(const char *device, char *name, size_t len);

/* Bytes of the longest frame at this MTU: Ethernet header and one VLAN tag, no FCS. */
unsigned rn_vdev_frame_bytes(uint16_t mtu);

/* Bytes one receive buffer must hold (the data room of an mbuf without headroom). af_packet asks for its whole slot. */
unsigned rn_vdev_room(const struct rn_vdev_spec *spec);

/* Writes the device's name and its arguments. 0, or -EINVAL when it does not fit or the kind has no string. */
int rn_vdev_string(const struct rn_vdev_spec *spec, char *name, size_t name_len, char *args, size_t args_len);

#endif
