/* Lets an AF_PACKET port receive IP fragments as fragments. The driver net_af_packet joins each of
 * its sockets to a fanout group with defragmentation. The kernel then delivers reassembled packets,
 * which look as if they had never been fragmented. RoCEv2 peers never send fragments, so an
 * attacker's fragments would be accepted as a peer's packet.
 *
 * A socket cannot leave its fanout group, and a socket filter sees only the reassembled packet.
 * Therefore this file replaces every socket of the driver by a new socket without defragmentation.
 * All other settings, the file descriptor and the address of the mapped rings stay the same. Owns
 * nothing after the call. Runs in the control thread. */
#include "port/af_packet.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_kvargs.h>

#include "rn/link.h"
#include "base/types.h"

#define DEFRAG	  ((uint32_t)PACKET_FANOUT_FLAG_DEFRAG << 16)
#define UNIQUE_ID ((uint32_t)PACKET_FANOUT_FLAG_UNIQUEID << 16)
#define GROUP_ID  0xffffu

struct queue {
	int fd, fresh;	/* fd: the driver's socket; fresh: the new socket, or -1 if there is none */
	uint8_t *rings; /* the driver's mapping: the receive ring, followed by the transmit ring */
};

struct device {
	struct tpacket_req req;
	int ifindex;
	uint32_t fanout; /* type and flags of the driver's fanout group, without DEFRAG */
	unsigned n;
	struct queue queue[RN_MAX_SHARDS];
};

static unsigned argument(const struct rte_kvargs *args, const char *key, unsigned missing)
{
	const char *text = rte_kvargs_get(args, key);

	return text != NULL ? (unsigned)strtoul(text, NULL, 10) : missing;
}

/* Derives the ring sizes from the device arguments, because no system call returns the ring sizes
 * of a socket. Missing arguments have the driver's defaults. */
static int read_ring_sizes(struct tpacket_req *req, const char *text)
{
	struct rte_kvargs *args = rte_kvargs_parse(text, NULL);

	if (args == NULL)
		return -EINVAL;
	req->tp_block_size = argument(args, "blocksz", (unsigned)getpagesize());
	req->tp_frame_size = argument(args, "framesz", 2048);
	req->tp_frame_nr = argument(args, "framecnt", 512);
	rte_kvargs_free(args);
	if (req->tp_frame_size == 0 || req->tp_block_size < req->tp_frame_size)
		return -EINVAL;
	req->tp_block_nr = req->tp_frame_nr / (req->tp_block_size / req->tp_frame_size);
	return 0;
}

static size_t rings_bytes(const struct device *d)
{
	return (size_t)2 * d->req.tp_block_size * d->req.tp_block_nr;
}

static bool get_option(int fd, int option, uint32_t *value)
{
	socklen_t len = sizeof(*value);

	return getsockopt(fd, SOL_PACKET, option, value, &len) == 0;
}

/* Returns true if fd is a packet socket on the device's interface, in a fanout group that
 * defragments. Then also stores the type and flags of the group in d->fanout. */
static bool is_defragmenting_socket(struct device *d, int fd)
{
	struct sockaddr_ll addr = {0};
	socklen_t len = sizeof(addr);
	uint32_t fanout;

	if (!get_option(fd, PACKET_FANOUT, &fanout) || (fanout & DEFRAG) == 0 ||
	    getsockname(fd, (struct sockaddr *)&addr, &len) != 0 || addr.sll_ifindex != d->ifindex)
		return false;
	d->fanout = fanout & ~(DEFRAG | GROUP_ID);
	return true;
}

/* Finds the sockets of the device among the open files of the process: the driver has no function
 * that returns its sockets. */
static int find_sockets(struct device *d)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	if (dir == NULL)
		return -errno;
	while ((e = readdir(dir)) != NULL) {
		int fd = atoi(e->d_name);
		if (e->d_name[0] == '.' || !is_defragmenting_socket(d, fd))
			continue;
		if (d->n == RN_MAX_SHARDS) {
			closedir(dir);
			return -E2BIG;
		}
		d->queue[d->n++] = (struct queue){.fd = fd, .fresh = -1};
	}
	closedir(dir);
	return 0;
}

/* Finds the address at which the driver mapped the rings of this socket. The mapping has the inode
 * number of the socket and the size of the rings. */
static int find_rings(const struct device *d, struct queue *q)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to, inode;
	char line[512];
	struct stat st;

	if (maps == NULL)
		return -errno;
	if (fstat(q->fd, &st) != 0)
		st.st_ino = 0;
	while (q->rings == NULL && fgets(line, sizeof(line), maps) != NULL)
		if (strstr(line, " socket:[") != NULL &&
		    sscanf(line, "%lx-%lx %*s %*s %*s %lu", &from, &to, &inode) == 3 &&
		    inode == st.st_ino && to - from == rings_bytes(d))
			q->rings = (uint8_t *)from;
	fclose(maps);
	return q->rings != NULL ? 0 : -ENOTSUP;
}

static int copy_options(int to, int from)
{
	static const int options[] = {PACKET_VERSION, PACKET_LOSS, PACKET_QDISC_BYPASS};
	uint32_t value;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(options); i++)
		if (!get_option(from, options[i], &value) ||
		    setsockopt(to, SOL_PACKET, options[i], &value, sizeof(value)) != 0)
			return -errno;
	return 0;
}

/* Joins the new socket to a fanout group, unless the device has only one queue. The group
 * distributes packets as the driver's group did. The first new socket creates the group. */
static int join_group(struct device *d, int fd)
{
	uint32_t fanout = d->fanout | UNIQUE_ID;

	if (d->n == 1)
		return 0;
	if (d->queue[0].fresh != fd) {
		if (!get_option(d->queue[0].fresh, PACKET_FANOUT, &fanout))
			return -errno;
	}
	return setsockopt(fd, SOL_PACKET, PACKET_FANOUT, &fanout, sizeof(fanout)) == 0 ? 0 : -errno;
}

static int open_socket(struct device *d, struct queue *q)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
				   .sll_protocol = htons(ETH_P_ALL),
				   .sll_ifindex = d->ifindex};

	/* Create the socket with protocol 0: the kernel then queues no frame before bind() names
	 * the interface. */
	q->fresh = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (q->fresh < 0)
		return -errno;
	int rc = copy_options(q->fresh, q->fd);
	if (rc != 0)
		return rc;
	if (setsockopt(q->fresh, SOL_PACKET, PACKET_RX_RING, &d->req, sizeof(d->req)) != 0 ||
	    setsockopt(q->fresh, SOL_PACKET, PACKET_TX_RING, &d->req, sizeof(d->req)) != 0 ||
	    bind(q->fresh, (struct sockaddr *)&addr, sizeof(addr)) != 0)
		return -errno;
	return join_group(d, q->fresh);
}

/* Replaces the mapping (MAP_FIXED) and the file descriptor (dup3()), so the driver uses the new
 * socket without noticing a change. */
static int replace_socket(const struct device *d, struct queue *q)
{
	if (mmap(q->rings, rings_bytes(d), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, q->fresh,
		 0) == MAP_FAILED ||
	    dup3(q->fresh, q->fd, O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

static int replace_sockets(struct device *d)
{
	int rc = 0;

	/* For all sockets, do everything that can fail before the first socket is replaced. */
	for (unsigned i = 0; rc == 0 && i < d->n; i++)
		rc = find_rings(d, &d->queue[i]);
	for (unsigned i = 0; rc == 0 && i < d->n; i++)
		rc = open_socket(d, &d->queue[i]);
	for (unsigned i = 0; rc == 0 && i < d->n; i++)
		rc = replace_socket(d, &d->queue[i]);
	for (unsigned i = 0; i < d->n; i++)
		if (d->queue[i].fresh >= 0)
			close(d->queue[i].fresh);
	return rc;
}

int rn_af_packet_disable_defrag(uint16_t ethdev, const char *args)
{
	struct rte_eth_dev_info info;
	struct device d = {0};
	int rc = rte_eth_dev_info_get(ethdev, &info);

	if (rc != 0 || strcmp(info.driver_name, "net_af_packet") != 0)
		return rc;
	d.ifindex = (int)info.if_index;
	rc = read_ring_sizes(&d.req, args);
	if (rc == 0)
		rc = find_sockets(&d);
	return rc != 0 ? rc : replace_sockets(&d);
}
