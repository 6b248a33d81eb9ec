/* A client of softrnicd that breaks every rule. It attaches as a client does, plays the virtio_user
 * side of vhost-user itself, and then lets the daemon read rings, descriptors and frames that are
 * right, slightly wrong, or random. The seed determines a run. Prints how many frames and ring
 * states it has offered. The daemon must survive, and the connections of others must not suffer
 * (run.py checks that).
 *
 * usage: hostile SOCKET SEED STATES */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/virtio_ring.h>

#include "base/rng.h"
#include "rn/daemon.h"

#define RING	 256u
#define MEM	 (4u << 20)
#define RINGS_AT 0u	     /* two rings of 16 KiB each */
#define DATA_AT	 (64u << 10) /* frames: 2 KiB per descriptor */
#define SLOT	 2048u
#define BASE	 UINT64_C(0x100000000) /* guest address of the memory */

struct vu_msg {
	uint32_t request, flags, size;
	union {
		uint64_t u64;
		struct {
			uint32_t index, num;
		} state;
		struct {
			uint32_t index, flags;
			uint64_t desc, used, avail, log;
		} addr;
		struct {
			uint32_t n, pad;
			struct {
				uint64_t guest, size, user, offset;
			} region[1];
		} mem;
		uint8_t raw[256];
	};
} __attribute__((packed));

struct ring {
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;
	int kick, call;
};

static struct {
	struct rn_rng rng;
	int control, listener, vu, memfd;
	char dir[64], path[96];
	uint8_t *mem;
	struct ring ring[2]; /* 0: to this client, 1: from it */
	struct rn_daemon_port port;
	uint64_t states, frames, connections;
} h;

static uint32_t below(uint64_t n)
{
	return (uint32_t)rn_rng_below(&h.rng, n);
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- the daemon's socket ---- */

/* Sends a packet, with a descriptor unless that is -1. */
static ssize_t send_packet(int sock, const void *packet, size_t bytes, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {(void *)(uintptr_t)packet, bytes};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL);
}

static int request(struct rn_daemon_request *rq, size_t bytes, int fd, struct rn_daemon_reply *rp)
{
	rq->version = RN_DAEMON_VERSION;
	if (send_packet(h.control, rq, bytes, fd) < 0 || recv(h.control, rp, sizeof(*rp), 0) < 8)
		return -EPIPE;
	return rp->err;
}

static struct rn_daemon_reply reply;

static int attach(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct rn_daemon_request rq = {.op = RN_DAEMON_ATTACH,
				       .attach = {.queues = 1, .name = "hostile"}};

	if (h.control >= 0)
		close(h.control);
	h.control = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	if (connect(h.control, (struct sockaddr *)&un, sizeof(un)) != 0)
		return -errno;
	int rc = request(&rq, sizeof(rq), -1, &reply);
	h.port = reply.port;
	return rc;
}

/* ---- vhost-user ---- */

static void send_msg(const struct vu_msg *m, int fd)
{
	(void)!send_packet(h.vu, m, 12 + m->size, fd);
}

static void say_u64(uint32_t request, uint64_t value, int fd)
{
	struct vu_msg m = {.request = request, .flags = 1, .size = 8, .u64 = value};

	send_msg(&m, fd);
}

static uint64_t ask(uint32_t request)
{
	struct vu_msg m = {.request = request, .flags = 1}, r;
	struct pollfd p = {h.vu, POLLIN, 0};

	send_msg(&m, -1);
	return poll(&p, 1, 500) == 1 && recv(h.vu, &r, sizeof(r), 0) >= 20 ? r.u64 : 0;
}

static void say_state(uint32_t request, uint32_t index, uint32_t num)
{
	struct vu_msg m = {.request = request, .flags = 1, .size = 8, .state = {index, num}};

	send_msg(&m, -1);
}

static void say_memory(void)
{
	struct vu_msg m = {.request = 5, .flags = 1, .size = 8 + 32};

	m.mem.n = 1;
	m.mem.region[0].guest = BASE;
	m.mem.region[0].size = MEM;
	m.mem.region[0].user = (uintptr_t)h.mem;
	send_msg(&m, h.memfd);
}

static void say_ring(uint32_t i)
{
	struct vu_msg m = {.request = 9, .flags = 1, .size = 40};

	say_state(8, i, RING);
	say_state(10, i, h.ring[i].used->idx);
	m.addr.index = i;
	m.addr.desc = (uintptr_t)h.ring[i].desc;
	m.addr.used = (uintptr_t)h.ring[i].used;
	m.addr.avail = (uintptr_t)h.ring[i].avail;
	send_msg(&m, -1);
	say_u64(13, i, h.ring[i].call);
	say_u64(12, i, h.ring[i].kick);
	say_state(18, i, 1);
}

static void say_hello(void)
{
	uint64_t features = ask(1);

	say_u64(2, features & ~(1ull << 22), -1);
	ask(15);
	say_u64(16, 0, -1);
	say_u64(3, 0, -1);
	say_memory();
	say_ring(0);
	say_ring(1);
}

static void make_memory(void)
{
	if (h.mem != NULL) {
		munmap(h.mem, MEM);
		close(h.memfd);
	}
	h.memfd = memfd_create("hostile", MFD_CLOEXEC);
	if (h.memfd < 0 || ftruncate(h.memfd, MEM) != 0)
		die("memfd");
	h.mem = mmap(NULL, MEM, PROT_READ | PROT_WRITE, MAP_SHARED, h.memfd, 0);
	if (h.mem == MAP_FAILED)
		die("mmap");
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *at = h.mem + RINGS_AT + i * (16u << 10);

		h.ring[i].desc = (void *)at;
		h.ring[i].avail = (void *)(at + RING * sizeof(struct vring_desc));
		h.ring[i].used = (void *)(at + (8u << 10));
		if (h.ring[i].kick == 0) {
			h.ring[i].kick = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
			h.ring[i].call = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		}
	}
}

/* Listens where the daemon is to connect, and gives the daemon the socket. Returns 0 or -errno. */
static int plug(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct rn_daemon_request rq = {.op = RN_DAEMON_PORT};
	struct pollfd p;

	if (h.listener >= 0)
		close(h.listener);
	if (h.vu >= 0)
		close(h.vu);
	h.vu = -1;
	unlink(h.path);
	h.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", h.path);
	if (bind(h.listener, (struct sockaddr *)&un, sizeof(un)) != 0 || listen(h.listener, 4) != 0)
		die("listen");
	int fd = open(h.path, O_PATH | O_CLOEXEC);
	int rc = request(&rq, 8, fd, &reply);

	close(fd);
	if (rc != 0)
		return rc;
	p = (struct pollfd){h.listener, POLLIN, 0};
	if (poll(&p, 1, 3000) != 1)
		return -ETIMEDOUT;
	h.vu = accept4(h.listener, NULL, NULL, SOCK_CLOEXEC);
	if (h.vu < 0)
		return -errno;
	h.connections++;
	say_hello();
	return 0;
}

/* ---- frames ---- */

/* Writes a frame that is a RoCEv2 datagram from the port's address, with random faults. Returns its
 * length. */
static uint32_t make_frame(uint8_t *f)
{
	uint32_t len = 60 + below(400);
	uint32_t udp = len - 34;

	memset(f, 0, 64);
	memset(f, below(4) ? 0x02 : 0xff, 6);
	if (below(3) == 0)
		memcpy(f, h.port.mac, 6);
	memcpy(f + 6, h.port.mac, 6);
	f[12] = 0x08;
	f[14] = 0x45;
	f[16] = (uint8_t)((len - 14) >> 8);
	f[17] = (uint8_t)(len - 14);
	f[22] = 64;
	f[23] = 17;
	memcpy(f + 26, h.port.gids[0].b + 12, 4);
	memcpy(f + 30, h.port.gids[0].b + 12, 4);
	f[33] = (uint8_t)(below(3) ? f[33] : f[33] + 1);
	f[36] = 0x12;
	f[37] = 0xb7;
	f[38] = (uint8_t)(udp >> 8);
	f[39] = (uint8_t)udp;
	f[42] = (uint8_t)below(256);
	f[44] = f[45] = 0xff;
	f[47] = (uint8_t)(below(4) ? below(8) : 0);
	f[48] = (uint8_t)below(3);
	f[49] = (uint8_t)(below(2) ? 1 : below(256));
	for (uint32_t i = 50; i < len; i++)
		f[i] = (uint8_t)(below(4) ? 0 : rn_rng_next(&h.rng));
	for (uint32_t k = below(4); k > 0; k--)
		f[below(len)] = (uint8_t)rn_rng_next(&h.rng);
	h.frames++;
	return len;
}

/* ---- ring states ---- */

static uint64_t any_address(void)
{
	switch (below(6)) {
	case 0:
		return rn_rng_next(&h.rng);
	case 1:
		return BASE + MEM - below(64);
	case 2:
		return BASE - below(64);
	case 3:
		return BASE + below(DATA_AT); /* the rings themselves */
	default:
		return BASE + DATA_AT + below(MEM - DATA_AT);
	}
}

/* Fills one descriptor of a ring with a frame or buffer, right or wrong. */
static void offer(struct ring *r, bool out, unsigned wrong)
{
	uint16_t at = r->avail->idx;
	uint16_t slot = at % RING;
	struct vring_desc *d = &r->desc[slot];
	uint32_t off = DATA_AT + (out ? RING * SLOT : 0) + slot * SLOT;

	*d = (struct vring_desc){
		.addr = BASE + off, .len = SLOT, .flags = out ? 0 : VRING_DESC_F_WRITE};
	if (out) {
		memset(h.mem + off, 0, 12); /* virtio-net header */
		d->len = 12 + make_frame(h.mem + off + 12);
		if (below(20) == 0)
			h.mem[off + below(12)] = (uint8_t)rn_rng_next(&h.rng);
	}
	if (below(100) < wrong)
		switch (below(5)) {
		case 0:
			d->addr = any_address();
			break;
		case 1:
			d->len = below(2) ? (uint32_t)rn_rng_next(&h.rng) : below(64);
			break;
		case 2:
			d->flags = (uint16_t)below(8);
			d->next = (uint16_t)(below(2) ? below(RING) : rn_rng_next(&h.rng));
			break;
		case 3:
			d->addr = any_address();
			d->len = (uint32_t)rn_rng_next(&h.rng);
			d->flags = (uint16_t)below(8);
			d->next = (uint16_t)below(RING);
			break;
		default:
			r->avail->ring[slot] = (uint16_t)rn_rng_next(&h.rng);
			__atomic_store_n(&r->avail->idx, (uint16_t)(at + 1), __ATOMIC_RELEASE);
			h.states++;
			return;
		}
	r->avail->ring[slot] = slot;
	__atomic_store_n(&r->avail->idx, (uint16_t)(at + 1), __ATOMIC_RELEASE);
	h.states++;
}

static void kick(const struct ring *r)
{
	uint64_t one = 1;

	(void)!write(r->kick, &one, sizeof(one));
}

/* Waits a moment until the daemon has taken most of what was offered. Returns false if the ring is
 * so wrong that the daemon takes nothing more. */
static bool let_take(const struct ring *r)
{
	for (unsigned i = 0; i < 100; i++) {
		uint16_t left = (uint16_t)(r->avail->idx - *(volatile uint16_t *)&r->used->idx);

		if (left < RING / 2)
			return true;
		usleep(20);
	}
	return false;
}

/* One turn: a batch of descriptors in both rings. Afterwards the indices are sometimes moved.
 * Returns false if the daemon takes nothing more. */
static bool batch(unsigned wrong)
{
	for (unsigned i = 0; i < 64; i++) {
		offer(&h.ring[1], true, wrong);
		offer(&h.ring[0], false, wrong);
	}
	if (wrong > 0 && below(50) == 0)
		h.ring[below(2)].avail->idx = (uint16_t)rn_rng_next(&h.rng);
	if (wrong > 0 && below(50) == 0)
		h.ring[below(2)].used->idx = (uint16_t)rn_rng_next(&h.rng);
	if (wrong > 0 && below(100) == 0)
		for (unsigned i = 0; i < 4096; i++)
			h.mem[below(DATA_AT)] = (uint8_t)rn_rng_next(&h.rng);
	kick(&h.ring[1]);
	return let_take(&h.ring[1]);
}

/* A message of vhost-user that is wrong, or begun and not finished. */
static void bad_message(void)
{
	struct vu_msg m = {.request = below(48), .flags = 1 | below(16), .size = below(200)};

	for (unsigned i = 0; i < sizeof(m.raw); i++)
		m.raw[i] = (uint8_t)rn_rng_next(&h.rng);
	if (below(3) == 0)
		m.size = (uint32_t)rn_rng_next(&h.rng);
	if (below(3) == 0)
		m.state.index = below(3);
	(void)!send(h.vu, &m, below(8) == 0 ? below(12) : RN_MIN(12 + m.size, sizeof(m)),
		    MSG_NOSIGNAL);
}

/* The daemon has closed the session or the connection, as it may: begin again. */
static void begin(const char *path)
{
	for (unsigned i = 0;; i++) {
		make_memory();
		if (attach(path) == 0 && plug() == 0)
			return;
		if (i == 300)
			die("the daemon does not take this client back");
		usleep(100000);
	}
}

/* Shortens the memory that the daemon is using. This process must not touch it either. */
static void shorten(const char *path)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 32; k++)
			offer(&h.ring[i], i == 1, 0);
	if (ftruncate(h.memfd, below(2) ? below(MEM) : 0) != 0)
		die("ftruncate");
	kick(&h.ring[1]);
	usleep(5000);
	begin(path);
}

static bool connected(void)
{
	struct pollfd p[2] = {{h.vu, POLLIN, 0}, {h.control, POLLIN, 0}};
	char drain[512];

	if (poll(p, 2, 0) < 0)
		return false;
	if (p[0].revents & POLLIN)
		(void)!recv(h.vu, drain, sizeof(drain), MSG_DONTWAIT);
	return !((p[0].revents | p[1].revents) & (POLLHUP | POLLERR | POLLNVAL));
}

int main(int argc, char **argv)
{
	uint64_t want;

	if (argc != 4)
		return 2;
	rn_rng_seed(&h.rng, strtoull(argv[2], NULL, 10));
	want = strtoull(argv[3], NULL, 10);
	h.control = h.listener = h.vu = -1;
	snprintf(h.dir, sizeof(h.dir), "/tmp/hostile-XXXXXX");
	if (mkdtemp(h.dir) == NULL)
		die("mkdtemp");
	snprintf(h.path, sizeof(h.path), "%s/vhost", h.dir);
	begin(argv[1]);
	while (h.states < want) {
		unsigned wrong = below(3) ? 0 : 1 + below(60);

		for (unsigned i = 0; i < 50 && h.states < want; i++)
			if (!batch(wrong) && below(3) == 0)
				begin(argv[1]);
		if (below(100) == 0)
			bad_message();
		if (below(200) == 0)
			shorten(argv[1]);
		if (below(200) == 0 || !connected())
			begin(argv[1]);
	}
	unlink(h.path);
	rmdir(h.dir);
	printf("%llu ring states, %llu frames, %llu connections\n", (unsigned long long)h.states,
	       (unsigned long long)h.frames, (unsigned long long)h.connections);
	return 0;
}
