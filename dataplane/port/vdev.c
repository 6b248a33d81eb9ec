/* Makes the DPDK device string (name and arguments) of the port that a configuration describes.
 * Owns nothing. Any thread may call these functions. */
#include "port/vdev.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pci_addr.h"
#include "base/types.h"

#define ETH_AND_VLAN 18
/* Drivers of network cards, and of software ports that imitate one, count headers of their own as
 * part of the frame (virtio: 12 bytes), and hand buffer sizes to the card in steps of 1 KiB. */
#define DRIVER_SPARE 64u
#define DRIVER_STEP  1024u
/* Upper bound for the bytes that the kernel's header takes in front of the frame in an AF_PACKET
 * slot. */
#define TPACKET_HEAD	 128
#define AF_PACKET_BLOCK	 65536u
#define AF_PACKET_FRAMES 512u
/* log2 of the number of memif buffers per direction, so there are 256 buffers. More buffers would
 * only push each other out of the CPU cache (measured with 9 KB frames). */
#define MEMIF_RING_LOG2 8u
/* Descriptors of a ring that is shared with softrnicd. A queue with fewer buffers uses a part of
 * its ring. */
#define DAEMON_RING 1024u

unsigned rn_vdev_frame_bytes(uint16_t mtu)
{
	return mtu + ETH_AND_VLAN;
}

/* Returns the size in bytes of one slot in the AF_PACKET driver's ring, a power of two. The slots
 * then fill each block (AF_PACKET_BLOCK) without a gap, which matters because the driver treats the
 * slots of all blocks as one array. */
static unsigned af_packet_slot(uint16_t mtu)
{
	unsigned slot = 2048;

	while (slot < rn_vdev_frame_bytes(mtu) + TPACKET_HEAD)
		slot *= 2;
	return slot;
}

/* Returns the size of a memif buffer, which holds a whole frame. The driver of DPDK 22.11 corrupts
 * frames of several buffers when the ring is full. */
static unsigned memif_buffer(uint16_t mtu)
{
	return RN_ALIGN_UP(rn_vdev_frame_bytes(mtu), 64u);
}

unsigned rn_vdev_room(const struct rn_vdev_spec *spec)
{
	if (spec->kind == RN_VDEV_AF_PACKET)
		return af_packet_slot(spec->mtu);
	if (spec->kind == RN_VDEV_PCI || spec->kind == RN_VDEV_OTHER ||
	    spec->kind == RN_VDEV_DAEMON)
		return RN_MAX(
			RN_ALIGN_UP(rn_vdev_frame_bytes(spec->mtu) + DRIVER_SPARE, DRIVER_STEP),
			2048u);
	return RN_MAX(RN_ALIGN_UP(rn_vdev_frame_bytes(spec->mtu), 64u), 2048u);
}

/* Returns the base-2 logarithm of n, which must be a power of two. */
static unsigned log2_of(uint32_t n)
{
	return 31 - (unsigned)__builtin_clz(n);
}

/* Writes the arguments of a memif device. For an abstract socket name, which begins with '@', the
 * driver wants the name without '@' and socket-abstract=yes. rsize is the base-2 logarithm of the
 * ring size. */
static int memif_args(const struct rn_vdev_spec *s, char *args, size_t len)
{
	const uint8_t *m = s->mac;
	bool abstract = s->socket[0] == '@';

	return snprintf(args, len,
			"role=%s,id=%u,socket=%s,socket-abstract=%s,bsize=%u,rsize=%u,"
			"mac=%02x:%02x:%02x:%02x:%02x:%02x",
			s->server ? "server" : "client", s->id, s->socket + abstract,
			abstract ? "yes" : "no", memif_buffer(s->mtu),
			RN_MIN(log2_of(s->ring), MEMIF_RING_LOG2), m[0], m[1], m[2], m[3], m[4],
			m[5]);
}

/* Writes the arguments of a virtio_user device. The device is the server of its socket, so that it
 * outlives a daemon that ends, and the next daemon can connect. Split rings, because the driver
 * loses the frames in packed ones when the daemon comes back. */
static int daemon_args(const struct rn_vdev_spec *s, char *args, size_t len)
{
	const uint8_t *m = s->mac;

	return snprintf(args, len,
			"path=%s,server=1,queues=%u,queue_size=%u,packed_vq=0,mrg_rxbuf=1,"
			"mac=%02x:%02x:%02x:%02x:%02x:%02x",
			s->socket, s->queues, DAEMON_RING, m[0], m[1], m[2], m[3], m[4], m[5]);
}

static int pcap_args(const struct rn_vdev_spec *s, char *args, size_t len)
{
	/* Without rx_pcap the device receives nothing. Without tx_pcap the device drops the frames
	 * sent. */
	return snprintf(args, len, "%s%s%s%s%s", s->rx_pcap[0] ? "rx_pcap=" : "", s->rx_pcap,
			s->rx_pcap[0] && s->tx_pcap[0] ? "," : "", s->tx_pcap[0] ? "tx_pcap=" : "",
			s->tx_pcap);
}

static const char *after_comma(const char *s)
{
	s += strcspn(s, ",");
	return *s == ',' ? s + 1 : s;
}

/* The name of a PCI device is its address in the form that DPDK prints. Returns -1 if the string
 * begins with no address. */
static int pci_name(const char *device, char *name, size_t len)
{
	struct rn_pci_addr addr;
	char text[RN_PCI_ADDR_LEN];

	if (!rn_pci_addr_parse(device, &addr))
		return -1;
	rn_pci_addr_print(&addr, text);
	return snprintf(name, len, "%s", text);
}

int rn_vdev_string(const struct rn_vdev_spec *s, char *name, size_t name_len, char *args,
		   size_t args_len)
{
	int n = -1, a = -1;

	switch (s->kind) {
	case RN_VDEV_MEMIF:
		n = snprintf(name, name_len, "net_memif%u", s->number);
		a = memif_args(s, args, args_len);
		break;
	case RN_VDEV_DAEMON:
		/* a name that no configured device string has by chance */
		n = snprintf(name, name_len, "net_virtio_user_rn%u", s->number);
		a = daemon_args(s, args, args_len);
		break;
	case RN_VDEV_AF_PACKET:
		n = snprintf(name, name_len, "net_af_packet%u", s->number);
		a = snprintf(args, args_len, "iface=%s,qpairs=%u,blocksz=%u,framesz=%u,framecnt=%u",
			     s->iface, s->queues, AF_PACKET_BLOCK, af_packet_slot(s->mtu),
			     AF_PACKET_FRAMES);
		break;
	case RN_VDEV_NULL:
		n = snprintf(name, name_len, "net_null%u", s->number);
		a = snprintf(args, args_len, "no-rx=1");
		break;
	case RN_VDEV_PCAP:
		n = snprintf(name, name_len, "net_pcap%u", s->number);
		a = pcap_args(s, args, args_len);
		break;
	/* The configured string is "name,arguments": split it at the first comma. */
	case RN_VDEV_OTHER:
		n = snprintf(name, name_len, "%.*s", (int)strcspn(s->args, ","), s->args);
		a = snprintf(args, args_len, "%s", after_comma(s->args));
		break;
	case RN_VDEV_PCI:
		n = pci_name(s->args, name, name_len);
		a = snprintf(args, args_len, "%s", after_comma(s->args));
		break;
	case RN_VDEV_RING:
		break;
	}
	if (n < 0 || a < 0 || (size_t)n >= name_len || (size_t)a >= args_len)
		return -EINVAL;
	return 0;
}
