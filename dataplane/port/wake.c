/* When may a shard sleep, and what wakes the shard? Owns the eventfd and, on kernel interfaces, a
 * packet socket that is used only for poll(). On memif ports and network cards it owns an epoll
 * instance for the eventfd that the peer or the kernel writes, on tap ports a duplicate of the
 * queue's descriptor. The shard's thread sleeps, and any thread may wake it. */
#include "port/wake.h"
#include "port/cancel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

const struct rn_wake_row rn_wake_rows[] = {
#define X(driver, source, calls, text) {driver, #source, text, RN_WAKE_##source, RN_CALLS_##calls},
	RN_WAKE_ROWS(X)
#undef X
};
const unsigned rn_wake_nrows = RN_ARRAY_SIZE(rn_wake_rows);

const struct rn_wake_row *rn_wake_row(const char *driver)
{
	const struct rn_wake_row *row = rn_wake_rows;

	while (strncmp(driver, row->driver, strlen(row->driver)) != 0)
		row++;
	return row;
}

/* Attaches a socket filter that passes one byte of each ARP, ICMP, ICMPv6, UDP and VLAN-tagged
 * frame. The kernel drops all other frames early. The filter does not check UDP ports: their offset
 * varies with IPv6 and VLAN tags, and an unnecessary wake-up is cheap. */
static int attach_filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (unsigned)SKF_AD_OFF + SKF_AD_PROTOCOL),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_ARP, 9, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_8021Q, 8, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 0, 2),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, ETH_HLEN + 6),
		BPF_JUMP(BPF_JMP | BPF_JA, 2, 0, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 5),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, ETH_HLEN + 9),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ICMP, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ICMPV6, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = {.len = RN_ARRAY_SIZE(code), .filter = code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog));
}

static int open_socket(const char *iface)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(iface),
	};
	int one = 1, small = 4096;

	if (addr.sll_ifindex == 0)
		return -errno;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* A small buffer is enough: one queued frame makes the socket readable. */
	if (attach_filter(fd) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)) != 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) != 0 ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0) {
		int err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int rn_wake_open(struct rn_wake *w, enum rn_wake_source source, const char *iface)
{
	int err = 0;

	atomic_init(&w->asleep, 0);
	atomic_init(&w->flags, NULL);
	w->listening = w->signalled = w->unread = false;
	w->interrupt = NULL;
	w->source = source;
	w->fd = -1;
	w->efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (w->efd < 0)
		return -errno;
	if (source == RN_WAKE_SOCKET) {
		w->fd = open_socket(iface);
		err = RN_MIN(w->fd, 0);
	} else if (rn_wake_is_signalled(w)) {
		w->fd = epoll_create1(EPOLL_CLOEXEC);
		err = w->fd < 0 ? -errno : 0;
	}
	if (err != 0)
		rn_wake_close(w);
	return err;
}

void rn_wake_close(struct rn_wake *w)
{
	if (w->efd >= 0)
		close(w->efd);
	if (w->fd >= 0)
		close(w->fd);
	w->efd = w->fd = -1;
}

int rn_wake_watch(struct rn_wake *w, int fd)
{
	w->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return w->fd < 0 ? -errno : 0;
}

int rn_wake_attach(struct rn_wake *w, int fd, _Atomic uint16_t *flags)
{
	/* Edge-triggered: each write of the peer wakes the shard once, although nobody here reads
	 * the eventfd. */
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	if (epoll_ctl(w->fd, EPOLL_CTL_ADD, fd, &event) != 0)
		return -errno;
	atomic_store_explicit(&w->flags, flags, memory_order_release);
	return 0;
}

void rn_wake_detach(struct rn_wake *w, int fd)
{
	struct epoll_event event = {0};

	atomic_store_explicit(&w->flags, NULL, memory_order_release);
	/* Closing the descriptor would not be enough: the peer has the same eventfd. */
	epoll_ctl(w->fd, EPOLL_CTL_DEL, fd, &event);
}

/* Sets or clears RN_WAKE_MASKED. Returns true if it had the other value. */
static bool mask(struct rn_wake *w, uint16_t masked)
{
	_Atomic uint16_t *flags = atomic_load_explicit(&w->flags, memory_order_acquire);

	if (flags == NULL)
		return false;
	/* Only the receiver of a ring writes its flags, so no other write can be lost. */
	uint16_t now = atomic_load_explicit(flags, memory_order_relaxed);
	if ((now & RN_WAKE_MASKED) == masked)
		return false;
	atomic_store_explicit(flags, now ^ RN_WAKE_MASKED, memory_order_relaxed);
	return true;
}

bool rn_wake_listen(struct rn_wake *w)
{
	w->listening = true;
	/* Each time anew: some cards switch the interrupt off when it has come. */
	if (w->interrupt != NULL)
		w->interrupt(w->interrupt_arg, w->interrupt_queue, true);
	return mask(w, 0);
}

void rn_wake_ignore(struct rn_wake *w)
{
	if (rn_likely(!w->listening))
		return;
	w->listening = false;
	if (w->interrupt != NULL)
		w->interrupt(w->interrupt_arg, w->interrupt_queue, false);
	mask(w, RN_WAKE_MASKED);
}

bool rn_wake_pending(struct rn_wake *w)
{
	struct epoll_event event;

	return epoll_wait(w->fd, &event, 1, 0) > 0;
}

void rn_wake_kick(struct rn_wake *w)
{
	/* The thread that clears `asleep` must also write the eventfd, so it must not be cancelled
	 * in between. */
	RN_UNCANCELLED;
	uint64_t one = 1;

	/* A burst of doorbells costs one system call: only the thread that clears `asleep`
	 * writes. */
	if (atomic_exchange_explicit(&w->asleep, 0, memory_order_acq_rel) != 0)
		while (write(w->efd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
}

static void drain_socket(int fd)
{
	char byte[1];

	for (unsigned i = 0; i < 64; i++)
		if (recv(fd, byte, sizeof(byte), MSG_DONTWAIT | MSG_TRUNC) < 0)
			break;
}

void rn_wake_announce(struct rn_wake *w)
{
	/* Empty the packet socket before the shard's last check of the port. A frame that arrives
	 * after the check makes the socket readable again. */
	if (w->source == RN_WAKE_SOCKET)
		drain_socket(w->fd);
	/* The fence pairs with that in rn_wake_ring(): the shard sees the new work, or the ringing
	 * thread sees `asleep` set. */
	atomic_store_explicit(&w->asleep, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

void rn_wake_cancel(struct rn_wake *w)
{
	atomic_store_explicit(&w->asleep, 0, memory_order_relaxed);
}

bool rn_wake_wait(struct rn_wake *w, rn_time ns)
{
	struct pollfd fds[2] = {{.fd = w->efd, .events = POLLIN}, {.fd = w->fd, .events = POLLIN}};
	struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000u),
			      .tv_nsec = (long)(ns % 1000000000u)};
	uint64_t count;

	int n = ppoll(fds, w->fd >= 0 && !w->unread ? 2 : 1, ns == RN_TIME_NEVER ? NULL : &ts,
		      NULL);
	rn_wake_cancel(w);
	/* Reset the eventfd's count: the eventfd must not be readable at the next sleep. */
	if (n > 0 && (fds[0].revents & POLLIN))
		while (read(w->efd, &count, sizeof(count)) < 0 && errno == EINTR)
			;
	w->signalled = n > 0 && fds[1].revents != 0;
	if (rn_wake_is_signalled(w))
		w->signalled = w->signalled && rn_wake_pending(w); /* resets the epoll instance */
	return n > 0;
}
