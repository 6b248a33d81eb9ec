/* How do frames get from the port to clients, from clients to the port, and from client to client?
 * Owns the switch, the queues of the port, the rings of the clients, and every mbuf between
 * them. */
#include "daemon/forward.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_vhost.h>

#include "daemon/bucket.h"
#include "ground/rx_shard.h"
#include "port/port.h"
#include "port/port_wake.h"
#include "port/thread.h"
#include "switch/peek.h"

#define NUMBERS (RN_CLIENT_MAX + 1u)
#define QUEUES	RN_MAX_SHARDS
#define BURST	256u
/* Frames that wait for one ring, and for the wire. */
#define LANE 256u
#define WIRE 1024u
/* How long frames may wait for a ring or for the wire that takes none. The wire is shared, and its
 * driver may need a moment. */
#define RING_PATIENCE RN_MS(2)
#define WIRE_PATIENCE RN_MS(10)
/* How much a client may send at once after a pause, as a time at its rate. */
#define BUCKET_DEPTH RN_MS(10)
/* Longest sleep, in case an eventfd of a client is lost. */
#define LONGEST_SLEEP RN_MS(100)
/* How long a call for a client may sleep before it is interrupted. */
#define WATCH_NS 20000000

/* Frames on their way to one ring of a client. */
struct lane {
	struct rte_mbuf *m[LANE];
	unsigned n;
	rn_time stuck; /* since when the ring has taken none; 0: it has taken the last */
};

struct client {
	bool plugged;
	int vid;
	unsigned queues;
	struct lane *lane;	  /* one per queue pair */
	int kick[QUEUES];	  /* duplicates of the eventfds that the client writes; -1: none */
	_Atomic uint32_t changed; /* the eventfds may be others now */
	_Atomic uint32_t stuck;	  /* the thread has had to be freed from a call for this client */
	struct rn_bucket packets, bits;
	struct rn_forward_stats stats;
};

struct call {
	void (*run)(struct rn_forward *, void *, rn_time);
	void *arg;
	sem_t done;
};

struct rn_forward {
	struct rn_forward_cfg cfg;
	struct rn_switch *sw;
	struct rn_wake wake;
	int ep;		       /* epoll instance of everything that ends a sleep, or -1 */
	struct client *client; /* indexed by client number; [0]: counters of the wire */
	struct rn_client_set plugged;
	unsigned turn_from; /* the client whose turn is first */
	struct rte_mbuf *wire[WIRE];
	unsigned nwire;
	rn_time wire_stuck; /* since when the wire has taken none; 0: it has taken the last */
	rn_time now, busy_at;
	pthread_t thread;
	bool running;
	_Atomic uint32_t stop;
	/* For rn_forward_watch(): the client whose rings the thread uses, or 0, and how often it
	 * has begun to use any. */
	_Atomic uint32_t serves, calls_made;
	_Atomic uint32_t seen; /* calls_made at the last watch */
	_Atomic pid_t tid;
	/* guards the order of calls */
	pthread_mutex_t calls;
	struct call *_Atomic call;
};

/* ---- sending ---- */

static void drop(struct rte_mbuf **m, unsigned n, struct rn_forward_stats *s)
{
	s->tx_dropped += n;
	rte_pktmbuf_free_bulk(m, n);
}

static void count_sent(struct rn_forward_stats *s, struct rte_mbuf *const *m, unsigned n)
{
	s->tx_frames += n;
	for (unsigned i = 0; i < n; i++)
		s->tx_bytes += m[i]->pkt_len;
}

/* Tells rn_forward_watch() that calls of the library for this client begin, or with 0 end. */
static void serve(struct rn_forward *f, uint32_t number)
{
	atomic_store_explicit(&f->serves, number, memory_order_relaxed);
	if (number != 0)
		atomic_store_explicit(&f->calls_made,
				      atomic_load_explicit(&f->calls_made, memory_order_relaxed) +
					      1,
				      memory_order_relaxed);
}

/* Offers the frames of a lane to its ring. The library copies them. */
static void flush_lane(struct rn_forward *f, struct client *c, unsigned queue)
{
	struct lane *l = &c->lane[queue];

	serve(f, (uint32_t)(c - f->client));
	unsigned n = rte_vhost_enqueue_burst(c->vid, (uint16_t)(2 * queue), l->m, (uint16_t)l->n);

	serve(f, 0);

	count_sent(&c->stats, l->m, n);
	rte_pktmbuf_free_bulk(l->m, n);
	l->n -= n;
	memmove(l->m, l->m + n, l->n * sizeof(l->m[0]));
	if (n > 0) {
		l->stuck = 0;
	} else if (l->stuck == 0) {
		l->stuck = f->now;
	} else if (f->now - l->stuck > RING_PATIENCE) {
		drop(l->m, l->n, &c->stats);
		l->n = 0;
	}
}

static void to_client(struct rn_forward *f, unsigned number, struct rte_mbuf *m)
{
	struct client *c = &f->client[number];
	unsigned queue = 0;
	struct rn_peek p;

	if (!c->plugged) {
		drop(&m, 1, &c->stats);
		return;
	}
	if (c->queues > 1) {
		rn_peek(rte_pktmbuf_mtod(m, const uint8_t *), rte_pktmbuf_data_len(m), &p);
		if (p.kind == RN_PEEK_DATA)
			queue = rn_qpn_shard(p.dest_qpn, c->queues);
	}
	if (c->lane[queue].n == LANE)
		flush_lane(f, c, queue);
	if (c->lane[queue].n == LANE) {
		drop(&m, 1, &c->stats);
		return;
	}
	c->lane[queue].m[c->lane[queue].n++] = m;
}

static void flush_wire(struct rn_forward *f)
{
	struct rn_forward_stats *s = &f->client[RN_SWITCH_WIRE].stats;
	unsigned n = 0;

	if (f->nwire == 0)
		return;
	if (!atomic_load_explicit(&f->cfg.port->quiet, memory_order_acquire) &&
	    !atomic_load_explicit(&f->cfg.port->cut, memory_order_relaxed))
		n = rte_eth_tx_burst(f->cfg.port->id, 0, f->wire, (uint16_t)f->nwire);
	/* The port owns the frames that it took; their lengths were counted before. */
	s->tx_frames += n;
	f->nwire -= n;
	memmove(f->wire, f->wire + n, f->nwire * sizeof(f->wire[0]));
	if (n > 0) {
		f->wire_stuck = 0;
	} else if (f->wire_stuck == 0) {
		f->wire_stuck = f->now;
	} else if (f->now - f->wire_stuck > WIRE_PATIENCE) {
		/* From now on frames do not wait, until the wire takes some again. */
		drop(f->wire, f->nwire, s);
		f->nwire = 0;
	}
}

static void to_wire(struct rn_forward *f, struct rte_mbuf *m)
{
	struct rn_forward_stats *s = &f->client[RN_SWITCH_WIRE].stats;

	if (f->nwire == WIRE)
		flush_wire(f);
	if (f->nwire == WIRE) {
		drop(&m, 1, s);
		return;
	}
	s->tx_bytes += m->pkt_len;
	f->wire[f->nwire++] = m;
}

/* Sends a frame where the switch says. The frame goes to the wire as it is; clients get copies by
 * the library, so all of them can use the same mbuf. */
static void deliver(struct rn_forward *f, struct rte_mbuf *m, const struct rn_switch_way *way)
{
	if (way->clients != NULL) {
		const struct rn_client_set set = *way->clients;

		for (unsigned c = rn_client_set_next(&set, 0); c < NUMBERS;
		     c = rn_client_set_next(&set, c + 1)) {
			rte_mbuf_refcnt_update(m, 1);
			to_client(f, c, m);
		}
	} else if (way->client != 0) {
		rte_mbuf_refcnt_update(m, 1);
		to_client(f, way->client, m);
	}
	if (way->wire)
		to_wire(f, m);
	else
		rte_pktmbuf_free(m);
}

/* ---- receiving ---- */

static void take_frame(struct rn_forward *f, unsigned from, struct rte_mbuf *m)
{
	struct rn_forward_stats *s = &f->client[from].stats;
	struct rn_switch_way way = {0};

	s->rx_frames++;
	s->rx_bytes += m->pkt_len;
	if (rn_unlikely(m->nb_segs > 1 && rte_pktmbuf_linearize(m) != 0)) {
		s->rx_long++;
		rte_pktmbuf_free(m);
		return;
	}
	enum rn_outcome out = rn_switch_rx(f->sw, from, rte_pktmbuf_mtod(m, const uint8_t *),
					   rte_pktmbuf_data_len(m), &way, f->now);
	if (rn_outcomes[out].kind == RN_OUTCOME_FORWARD)
		deliver(f, m, &way);
	else
		rte_pktmbuf_free(m);
}

static unsigned from_wire(struct rn_forward *f)
{
	struct rte_mbuf *m[BURST];
	struct rn_port *port = f->cfg.port;
	unsigned n = 0;

	if (atomic_load_explicit(&port->quiet, memory_order_acquire))
		return 0;
	for (uint16_t q = 0; q < port->nrxq; q++) {
		unsigned k = rte_eth_rx_burst(port->id, q, m, (uint16_t)f->cfg.burst);

		for (unsigned i = 0; i < k; i++)
			take_frame(f, RN_SWITCH_WIRE, m[i]);
		n += k;
	}
	return n;
}

/* Takes one burst from a client, spread over its queues. */
static unsigned from_client(struct rn_forward *f, unsigned number)
{
	struct client *c = &f->client[number];
	struct rte_mbuf *m[BURST];
	unsigned n = 0;

	if (!rn_bucket_open(&c->packets, f->now) || !rn_bucket_open(&c->bits, f->now)) {
		c->stats.held_back++;
		return 0;
	}
	for (unsigned q = 0; q < c->queues && n < f->cfg.burst; q++) {
		serve(f, number);
		unsigned k = rte_vhost_dequeue_burst(c->vid, (uint16_t)(2 * q + 1), f->cfg.pool, m,
						     (uint16_t)(f->cfg.burst - n));
		uint64_t bits = 0;

		serve(f, 0);
		for (unsigned i = 0; i < k; i++) {
			bits += 8ull * m[i]->pkt_len;
			take_frame(f, number, m[i]);
		}
		rn_bucket_take(&c->packets, k, f->now);
		rn_bucket_take(&c->bits, bits, f->now);
		n += k;
	}
	return n;
}

/* While the wire takes nothing, clients wait too: their connections then slow down instead of
 * losing frames. They wait no longer than frames wait for the wire. */
static bool wire_is_full(const struct rn_forward *f)
{
	return f->nwire >= WIRE / 2 &&
	       (f->wire_stuck == 0 || f->now - f->wire_stuck <= WIRE_PATIENCE);
}

static unsigned from_clients(struct rn_forward *f)
{
	unsigned n = 0, first = f->turn_from;

	for (unsigned i = 0; i < 2; i++)
		for (unsigned c = rn_client_set_next(&f->plugged, i == 0 ? first : 0);
		     c < (i == 0 ? NUMBERS : first); c = rn_client_set_next(&f->plugged, c + 1)) {
			if (wire_is_full(f))
				return n;
			n += from_client(f, c);
		}
	f->turn_from = rn_client_set_next(&f->plugged, first + 1);
	if (f->turn_from >= NUMBERS)
		f->turn_from = 0;
	return n;
}

/* Sends what the switch itself has to say. */
static unsigned from_switch(struct rn_forward *f)
{
	struct rn_switch_way way;
	unsigned n = 0;

	for (; n < BURST; n++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(f->cfg.pool);

		if (m == NULL)
			break;
		way = (struct rn_switch_way){0};
		unsigned len = rn_switch_tx(f->sw, rte_pktmbuf_mtod(m, uint8_t *),
					    rte_pktmbuf_tailroom(m), &way, f->now);
		if (len == 0) {
			rte_pktmbuf_free(m);
			break;
		}
		m->pkt_len = m->data_len = (uint16_t)len;
		deliver(f, m, &way);
	}
	return n;
}

/* ---- calls ---- */

static void run_call(struct rn_forward *f)
{
	struct call *call = atomic_load_explicit(&f->call, memory_order_acquire);

	if (rn_likely(call == NULL))
		return;
	atomic_store_explicit(&f->call, NULL, memory_order_relaxed);
	call->run(f, call->arg, f->now);
	sem_post(&call->done);
}

/* Waits until the thread has run the call, and frees it if a client makes it wait. */
static void wait_for_call(struct rn_forward *f, struct call *call)
{
	for (;;) {
		struct timespec at;

		clock_gettime(CLOCK_MONOTONIC, &at);
		at.tv_nsec += WATCH_NS;
		if (at.tv_nsec >= 1000000000) {
			at.tv_nsec -= 1000000000;
			at.tv_sec++;
		}
		if (sem_clockwait(&call->done, CLOCK_MONOTONIC, &at) == 0)
			return;
		if (errno == ETIMEDOUT)
			rn_forward_watch(f);
	}
}

void rn_forward_call(struct rn_forward *f, void (*run)(struct rn_forward *, void *, rn_time),
		     void *arg)
{
	struct call call = {.run = run, .arg = arg};

	pthread_mutex_lock(&f->calls);
	if (f->running) {
		sem_init(&call.done, 0, 0);
		atomic_store_explicit(&f->call, &call, memory_order_release);
		rn_wake_ring(&f->wake);
		wait_for_call(f, &call);
		sem_destroy(&call.done);
	} else {
		run(f, arg, rn_clock_now(&f->cfg.clock));
	}
	pthread_mutex_unlock(&f->calls);
}

/* ---- the eventfds of clients ---- */

static void forget_kick(struct rn_forward *f, struct client *c, unsigned queue)
{
	if (c->kick[queue] < 0)
		return;
	/* The client has the same eventfd, so closing would not remove it from the epoll
	 * instance. */
	epoll_ctl(f->ep, EPOLL_CTL_DEL, c->kick[queue], NULL);
	close(c->kick[queue]);
	c->kick[queue] = -1;
}

/* Watches the eventfds that the client writes when it has sent frames. */
static void find_kicks(struct rn_forward *f, struct client *c)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	struct rte_vhost_vring ring;

	for (unsigned q = 0; q < c->queues; q++) {
		forget_kick(f, c, q);
		if (rte_vhost_get_vhost_vring(c->vid, (uint16_t)(2 * q + 1), &ring) != 0 ||
		    ring.kickfd < 0)
			continue;
		c->kick[q] = fcntl(ring.kickfd, F_DUPFD_CLOEXEC, 0);
		if (c->kick[q] >= 0)
			epoll_ctl(f->ep, EPOLL_CTL_ADD, c->kick[q], &event);
	}
}

/* Asks clients to write their eventfds for the frames they send, or no longer to do so. */
static void listen_to_clients(struct rn_forward *f, bool on)
{
	for (unsigned n = rn_client_set_next(&f->plugged, 0); n < NUMBERS;
	     n = rn_client_set_next(&f->plugged, n + 1))
		for (unsigned q = 0; q < f->client[n].queues; q++)
			rte_vhost_enable_guest_notification(f->client[n].vid, (uint16_t)(2 * q + 1),
							    on);
}

/* ---- the thread ---- */

static unsigned turn(struct rn_forward *f)
{
	unsigned work;

	f->now = rn_clock_now(&f->cfg.clock);
	run_call(f);
	work = from_wire(f) + from_clients(f);
	if (f->now >= rn_switch_next(f->sw))
		rn_switch_tick(f->sw, f->now);
	work += from_switch(f);
	flush_wire(f);
	for (unsigned n = rn_client_set_next(&f->plugged, 0); n < NUMBERS;
	     n = rn_client_set_next(&f->plugged, n + 1)) {
		struct client *c = &f->client[n];

		for (unsigned q = 0; q < c->queues; q++)
			if (c->lane[q].n > 0)
				flush_lane(f, c, q);
		if (rn_unlikely(atomic_load_explicit(&c->changed, memory_order_relaxed)) &&
		    atomic_exchange(&c->changed, 0))
			find_kicks(f, c);
	}
	return work;
}

/* Returns when the thread must wake by itself: for a timer, for frames that wait, for a client that
 * may send again. */
static rn_time wake_time(const struct rn_forward *f)
{
	rn_time at = RN_MIN(rn_switch_next(f->sw), f->now + LONGEST_SLEEP);

	if (f->nwire > 0)
		at = RN_MIN(at, f->now + RN_US(20));
	if (f->wake.source == RN_WAKE_TIMED)
		at = RN_MIN(at, f->now + f->cfg.nap);
	for (unsigned n = rn_client_set_next(&f->plugged, 0); n < NUMBERS;
	     n = rn_client_set_next(&f->plugged, n + 1)) {
		const struct client *c = &f->client[n];
		rn_time opens = RN_MAX(rn_bucket_opens(&c->packets), rn_bucket_opens(&c->bits));

		if (opens > f->now)
			at = RN_MIN(at, opens);
		for (unsigned q = 0; q < c->queues; q++)
			if (c->lane[q].n > 0)
				at = RN_MIN(at, f->now + RN_US(100));
	}
	return at;
}

/* Sleeps until a frame comes, a call is to be run, or a time has come. */
static void rest(struct rn_forward *f)
{
	struct epoll_event event[8];

	listen_to_clients(f, true);
	rn_wake_listen(&f->wake);
	rn_wake_announce(&f->wake);
	if (turn(f) > 0 || atomic_load(&f->stop)) {
		rn_wake_cancel(&f->wake);
		f->busy_at = f->now;
	} else {
		rn_time at = wake_time(f), us = at > f->now ? (at - f->now + 999) / 1000 : 0;
		struct timespec ts = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

		epoll_pwait2(f->ep, event, RN_ARRAY_SIZE(event), &ts, NULL);
		rn_wake_wait(&f->wake, 0); /* resets the doorbell */
	}
	rn_wake_ignore(&f->wake);
	listen_to_clients(f, false);
}

static void nothing(int sig)
{
}

/* rn_thread_set_up() blocks signals; the thread takes the one by which rn_forward_watch() ends a
 * system call. */
static void free_from_calls(void)
{
	struct sigaction sa = {.sa_handler = nothing}; /* without SA_RESTART */
	sigset_t set;

	sigaction(SIGUSR2, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void *forward(void *arg)
{
	struct rn_forward *f = arg;

	rn_thread_set_up("rn-forward");
	free_from_calls();
	atomic_store(&f->tid, gettid());
	/* Gives the thread caches of its own in the pool of mbufs. */
	rte_thread_register();
	while (!atomic_load_explicit(&f->stop, memory_order_relaxed)) {
		if (turn(f) > 0)
			f->busy_at = f->now;
		else if (f->cfg.sleeps && f->now - f->busy_at >= f->cfg.spin)
			rest(f);
	}
	run_call(f);
	rte_thread_unregister();
	return NULL;
}

/* ---- start and stop ---- */

static int open_wake(struct rn_forward *f)
{
	struct epoll_event event = {.events = EPOLLIN};
	int rc = rn_port_wake_open(f->cfg.port, 0, f->cfg.sleeps, f->cfg.iface, &f->wake);

	if (rc != 0)
		return rc;
	f->ep = epoll_create1(EPOLL_CLOEXEC);
	if (f->ep < 0 || epoll_ctl(f->ep, EPOLL_CTL_ADD, f->wake.efd, &event) != 0 ||
	    (f->wake.fd >= 0 && epoll_ctl(f->ep, EPOLL_CTL_ADD, f->wake.fd, &event) != 0))
		return -errno;
	return 0;
}

int rn_forward_create(struct rn_forward **out, const struct rn_forward_cfg *cfg)
{
	struct rn_forward *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return -ENOMEM;
	f->cfg = *cfg;
	f->cfg.burst = RN_MIN(cfg->burst, BURST);
	f->ep = f->wake.efd = f->wake.fd = -1;
	pthread_mutex_init(&f->calls, NULL);
	f->now = rn_clock_now(&cfg->clock);
	f->sw = rn_switch_create(&cfg->sw, f->now);
	f->client = calloc(NUMBERS, sizeof(*f->client));
	int rc = f->sw == NULL || f->client == NULL ? -ENOMEM : open_wake(f);

	for (unsigned n = 0; rc == 0 && n < NUMBERS; n++)
		for (unsigned q = 0; q < QUEUES; q++)
			f->client[n].kick[q] = -1;
	if (rc != 0)
		rn_forward_destroy(f);
	else
		*out = f;
	return rc;
}

int rn_forward_start(struct rn_forward *f)
{
	f->running = true;
	int rc = -pthread_create(&f->thread, NULL, forward, f);

	if (rc != 0) {
		f->running = false;
		return rc;
	}
	if (f->cfg.cpu >= 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET((unsigned)f->cfg.cpu, &set);
		pthread_setaffinity_np(f->thread, sizeof(set), &set);
	}
	return 0;
}

void rn_forward_stop(struct rn_forward *f)
{
	if (!f->running)
		return;
	atomic_store(&f->stop, 1);
	rn_wake_ring(&f->wake);
	pthread_join(f->thread, NULL);
	f->running = false;
}

void rn_forward_destroy(struct rn_forward *f)
{
	rte_pktmbuf_free_bulk(f->wire, f->nwire);
	free(f->client);
	rn_switch_destroy(f->sw);
	if (f->ep >= 0)
		close(f->ep);
	rn_wake_close(&f->wake);
	pthread_mutex_destroy(&f->calls);
	free(f);
}

struct rn_switch *rn_forward_switch(struct rn_forward *f)
{
	return f->sw;
}

/* ---- a client that makes the thread wait ---- */

/* Does the thread wait in the kernel, as opposed to waiting for a CPU? */
static bool sleeps(const struct rn_forward *f)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)atomic_load(&f->tid));
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	const char *state = n > 0 ? strrchr(text, ')') : NULL;

	close(fd);
	return state != NULL && strncmp(state, ") S", 3) == 0;
}

void rn_forward_watch(struct rn_forward *f)
{
	uint32_t made = atomic_load(&f->calls_made), number = atomic_load(&f->serves);

	if (f->running && number != 0 && made == atomic_load(&f->seen) && sleeps(f) &&
	    made == atomic_load(&f->calls_made) && number == atomic_load(&f->serves)) {
		atomic_store(&f->client[number].stuck, 1);
		pthread_kill(f->thread, SIGUSR2);
	}
	atomic_store(&f->seen, made);
}

bool rn_forward_stuck(const struct rn_forward *f, unsigned client)
{
	return atomic_load(&f->client[client].stuck) != 0;
}

/* ---- clients come and go ---- */

struct plug {
	unsigned client, queues;
	int vid;
	struct lane *lane;
};

static void plug(struct rn_forward *f, void *arg, rn_time now)
{
	struct plug *p = arg;
	struct client *c = &f->client[p->client];

	/* The client has gone while its device came up. */
	if (!rn_switch_attached(f->sw, p->client) || c->plugged)
		return;
	c->vid = p->vid;
	c->queues = p->queues;
	c->lane = p->lane;
	p->lane = NULL;
	c->plugged = true;
	rn_client_set_add(&f->plugged, p->client);
	find_kicks(f, c);
}

int rn_forward_plug(struct rn_forward *f, unsigned client, int vid, unsigned queues)
{
	struct plug p = {.client = client, .queues = RN_MIN(queues, QUEUES), .vid = vid};

	p.lane = calloc(p.queues, sizeof(*p.lane));
	if (p.lane == NULL)
		return -ENOMEM;
	rn_forward_call(f, plug, &p);
	free(p.lane);
	return 0;
}

static void unplug(struct rn_forward *f, void *arg, rn_time now)
{
	struct plug *p = arg;
	struct client *c = &f->client[p->client];

	if (!c->plugged)
		return;
	for (unsigned q = 0; q < c->queues; q++) {
		forget_kick(f, c, q);
		drop(c->lane[q].m, c->lane[q].n, &c->stats);
	}
	p->lane = c->lane;
	c->lane = NULL;
	c->plugged = false;
	rn_client_set_remove(&f->plugged, p->client);
}

void rn_forward_unplug(struct rn_forward *f, unsigned client)
{
	struct plug p = {.client = client};

	rn_forward_call(f, unplug, &p);
	free(p.lane);
}

void rn_forward_changed(struct rn_forward *f, unsigned client)
{
	atomic_store(&f->client[client].changed, 1);
	rn_wake_ring(&f->wake);
}

const struct rn_forward_stats *rn_forward_stats(const struct rn_forward *f, unsigned client)
{
	return &f->client[client].stats;
}

void rn_forward_reset(struct rn_forward *f, unsigned client)
{
	struct client *c = &f->client[client];

	c->stats = (struct rn_forward_stats){0};
	atomic_store(&c->stuck, 0);
	rn_bucket_init(&c->packets, f->cfg.packets_s, BUCKET_DEPTH);
	rn_bucket_init(&c->bits, f->cfg.bits_s, BUCKET_DEPTH);
}

void rn_forward_set_rates(struct rn_forward *f, uint64_t packets_s, uint64_t bits_s)
{
	f->cfg.packets_s = packets_s;
	f->cfg.bits_s = bits_s;
	for (unsigned n = 1; n < NUMBERS; n++) {
		f->client[n].packets.rate = packets_s;
		f->client[n].bits.rate = bits_s;
	}
}

bool rn_forward_plugged(const struct rn_forward *f, unsigned client)
{
	return f->client[client].plugged;
}
