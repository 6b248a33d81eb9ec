/* Wakes a sleeping shard. Doorbells, commands and hand-offs always wake a shard, through an
 * eventfd. The port's driver decides whether received frames wake a shard (RN_WAKE_ROWS). */
#ifndef RN_WAKE_H
#define RN_WAKE_H

#include <stdatomic.h>

#include "base/types.h"

/* clang-format off */
/* X(driver, source, calls, text):
 * - driver: beginning of the driver's name
 * - source: what wakes a shard (enum rn_wake_source)
 * - calls: which of the driver's burst functions make system calls (enum rn_calls)
 * - text: description for telemetry */
#define RN_WAKE_ROWS(X) \
	X("net_ring",      PEER,   NONE, "the sending shard rings the receiver's eventfd") \
	X("net_af_packet", SOCKET, TX,   "a filtered AF_PACKET socket, used only as a wake-up") \
	X("net_null",      NEVER,  NONE, "no frames arrive: only doorbells and timers wake") \
	X("net_memif",     EVENTFD, TX,  "the peer writes the eventfd of the ring; looks every 100 ms too") \
	X("net_tap",       QUEUE, BOTH, "the file descriptor of the tap's queue") \
	X("net_af_xdp",    QUEUE, BOTH, "the AF_XDP socket of the queue") \
	X("net_vhost",     INTR,   BOTH, "the eventfd that the virtio side writes after a burst") \
	X("net_virtio_user", INTR, BOTH, "the eventfd that the vhost side writes after a burst") \
	X("net_pcap",      TIMED,  BOTH, "none: sleeps double from sleep_min to sleep_max") \
	X("(card)",        INTR,   BOTH, "the receive interrupt of a network card, if its driver has one per queue") \
	X("",              TIMED,  BOTH, "unknown driver: sleeps double from sleep_min to sleep_max")
/* clang-format on */

enum rn_wake_source {
	RN_WAKE_PEER,
	RN_WAKE_SOCKET,
	RN_WAKE_EVENTFD,
	RN_WAKE_INTR,
	RN_WAKE_QUEUE,
	RN_WAKE_NEVER,
	RN_WAKE_TIMED
};

/* The row of a network card whose driver has receive interrupts, whatever its name; and that of a
 * driver which has no row of its own, or does not provide what its row says. */
#define RN_WAKE_CARD  "(card)"
#define RN_WAKE_OTHER ""

/* Which burst functions of a driver make system calls: none, TX, or both RX and TX. A system call
 * is a cancellation point. Cancellation is disabled during these functions if an application thread
 * polls the shard. */
enum rn_calls { RN_CALLS_NONE, RN_CALLS_TX, RN_CALLS_BOTH };

struct rn_wake_row {
	const char *driver;
	const char *source_name;
	const char *text;
	enum rn_wake_source source;
	enum rn_calls calls;
};

/* Returns the driver's row of RN_WAKE_ROWS. Never returns NULL: the last row fits every driver. */
const struct rn_wake_row *rn_wake_row(const char *driver);
extern const struct rn_wake_row rn_wake_rows[];
extern const unsigned rn_wake_nrows;

struct rn_wake {
	int efd; /* eventfd, owned */
	/* What frames make readable, owned. Wake source SOCKET: a packet socket on the port's
	 * interface. Wake sources EVENTFD and INTR: an epoll instance, which holds the eventfd that
	 * the peer or the kernel writes, while there is one. Wake source QUEUE: a duplicate of the
	 * descriptor of the driver's receive queue, a tap interface or AF_XDP socket. Else -1. */
	int fd;
	enum rn_wake_source source;
	/* the shard sleeps or is about to sleep, so the next doorbell must write to efd */
	_Atomic uint32_t asleep;
	/* Wake source EVENTFD: the flags of the ring with the shard's frames, in memory that the
	 * peer shares. While RN_WAKE_MASKED is set there, the peer does not write the eventfd. NULL
	 * while there is no such ring. */
	_Atomic(_Atomic uint16_t *) flags;
	/* Wake source INTR: switches the receive interrupt of the shard's queue on or off. */
	void (*interrupt)(void *arg, unsigned queue, bool on);
	void *interrupt_arg;
	unsigned interrupt_queue;
	/* Only the shard's thread uses these. */
	/* wake sources EVENTFD and INTR: the eventfd is to be written for frames: the last call was
	 * rn_wake_listen() and not rn_wake_ignore() */
	bool listening;
	/* the last sleep ended because of frames: wake sources EVENTFD and INTR: the eventfd was
	 * written; wake source QUEUE: the descriptor was readable */
	bool signalled;
	/* wake source QUEUE: the descriptor does not end the next sleep: it was readable, but the
	 * driver had no frame, and the shard would not sleep at all */
	bool unread;
};

/* Does the peer or the kernel write an eventfd for frames (wake sources EVENTFD and INTR)? */
static inline bool rn_wake_is_signalled(const struct rn_wake *w)
{
	return w->source == RN_WAKE_EVENTFD || w->source == RN_WAKE_INTR;
}

/* flag MASK_INT of a memif 2.0 ring */
#define RN_WAKE_MASKED 1

/* Prepares the wake-up of a shard. Only the wake sources SOCKET, EVENTFD and INTR need preparation,
 * and QUEUE, by rn_queue_wake_open(). `iface` names the kernel interface for wake source SOCKET.
 * Returns 0 or -errno. */
int rn_wake_open(struct rn_wake *w, enum rn_wake_source source, const char *iface);
void rn_wake_close(struct rn_wake *w);

/* Wake source QUEUE: the shard is woken while `fd` is readable. Returns 0 or -errno. */
int rn_wake_watch(struct rn_wake *w, int fd);

/* Wake sources EVENTFD and INTR: from now on the shard is woken when the peer or the kernel writes
 * `fd`, also if it sleeps already. `flags` are those of the ring, or NULL for INTR. To be called by
 * one thread at a time. Returns 0 or -errno. */
int rn_wake_attach(struct rn_wake *w, int fd, _Atomic uint16_t *flags);
/* Undoes rn_wake_attach(). The shard may use the flags until a grace period of RCU has passed. */
void rn_wake_detach(struct rn_wake *w, int fd);

/* These functions are for the wake sources EVENTFD and INTR. The shard's thread calls them, and
 * must be online in RCU.
 * - rn_wake_listen() asks the peer to write the eventfd for each burst of frames, or switches the
 *   interrupt on. To be called before rn_wake_announce(). Returns true if the peer was not asked
 *   already.
 * - rn_wake_ignore() tells the peer that no write is necessary, since the shard polls. Each write
 *   is a system call of the peer, and while the peer is asked, each receive burst of the driver
 *   makes one too.
 * - rn_wake_pending() returns true if the eventfd was written since the last sleep ended. */
bool rn_wake_listen(struct rn_wake *w);
void rn_wake_ignore(struct rn_wake *w);
bool rn_wake_pending(struct rn_wake *w);

/* Wakes the shard if it sleeps or is about to sleep. Of several concurrent callers only one makes a
 * system call. */
void rn_wake_kick(struct rn_wake *w);
/* Rings the doorbell. To be called by any thread after it has published work for the shard. The
 * cost is one memory fence while the shard is awake, and rn_wake_kick() while the shard sleeps. */
static inline void rn_wake_ring(struct rn_wake *w)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (rn_unlikely(atomic_load_explicit(&w->asleep, memory_order_relaxed)))
		rn_wake_kick(w);
}

/* A shard goes to sleep in three steps, and so misses no doorbell:
 * - The shard calls rn_wake_announce(). From then on a doorbell wakes the shard.
 * - The shard checks all its inputs once more.
 * - The shard calls rn_wake_cancel() if it has found work, else rn_wake_wait(). */
void rn_wake_announce(struct rn_wake *w);
void rn_wake_cancel(struct rn_wake *w);
/* Sleeps until the doorbell is rung, a frame arrives on fd, or ns nanoseconds have passed.
 * RN_TIME_NEVER means no time limit. Returns false if the time has passed. */
bool rn_wake_wait(struct rn_wake *w, rn_time ns);

#endif
