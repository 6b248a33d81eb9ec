/* How do frames get from the port to clients, from clients to the port, and from client to client?
 * Owns the switch, the queues of the port, and every mbuf between them and the rings of clients. */
#include "daemon/forward.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_vhost.h>

#include "daemon/forward_priv.h"
#include "ground/rx_shard.h"
#include "port/port_wake.h"
#include "port/thread.h"
#include "switch/peek.h"

#define BURST 256u
/* How long frames may wait for a ring or for the wire that takes none. The process at the other end
 * of a memif or vhost wire may have to wait for a CPU; a frame lost then costs its connection more
 * than all clients lose by waiting. */
#define RING_PATIENCE RN_MS(2)
#define WIRE_PATIENCE RN_MS(100)
/* Longest sleep, in case an eventfd of a client is lost. */
#define LONGEST_SLEEP RN_MS(100)
/* How long a call for a client may sleep before it is interrupted. */
#define WATCH_NS 20000000

/* ---- sending ---- */

static void count_sent(struct rn_forward_stats *s, struct rte_mbuf *const *m, unsigned n)
{
	s->tx_frames += n;
	for (unsigned i = 0; i < n; i++)
		s->tx_bytes += m[i]->pkt_len;
}

/* Records for rn_forward_watch() that calls of the library for this client begin; 0: they end. */
static void serve(struct rn_forward *f, uint32_t number)
{
	atomic_store_explicit(&f->serves, number, memory_order_relaxed);
	if (number != 0)
		atomic_store_explicit(&f->calls_made,
				      atomic_load_explicit(&f->calls_made, memory_order_relaxed) +
					      1,
				      memory_order_relaxed);
}

/* Has the client made the thread wait? Its rings are not used any more. */
static bool is_stuck(const struct client *c)
{
	return rn_unlikely(atomic_load_explicit(&c->stuck, memory_order_relaxed) != 0);
}

/* Offers the frames of a lane to its ring. The library copies them. */
static void flush_lane(struct rn_forward *f, struct client *c, unsigned queue)
{
	struct lane *l = &c->lane[queue];

	if (is_stuck(c)) {
		rn_forward_drop(l->m, l->n, &c->stats);
		l->n = 0;
		return;
	}
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
		rn_forward_drop(l->m, l->n, &c->stats);
		l->n = 0;
	}
}

static void to_client(struct rn_forward *f, unsigned number, struct rte_mbuf *m)
{
	struct client *c = &f->client[number];
	unsigned queue = 0;
	struct rn_peek p;

	if (!c->plugged) {
		rn_forward_drop(&m, 1, &c->stats);
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
		rn_forward_drop(&m, 1, &c->stats);
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
		rn_forward_drop(f->wire, f->nwire, s);
		f->nwire = 0;
	}
}

static void to_wire(struct rn_forward *f, struct rte_mbuf *m)
{
	struct rn_forward_stats *s = &f->client[RN_SWITCH_WIRE].stats;

	if (f->nwire == WIRE)
		flush_wire(f);
	if (f->nwire == WIRE) {
		rn_forward_drop(&m, 1, s);
		return;
	}
	s->tx_bytes += m->pkt_len;
	f->wire[f->nwire++] = m;
}

/* Sends a frame where the switch says. The frame goes to the wire as it is; clients get copies by
 * the library, so all of them can use the same mbuf. */
static void deliver(struct rn_forward *f, struct rte_mbuf *m, const struct rn_switch_way *way)
{
	if (way->client != 0) {
		to_client(f, way->client, m);
		return;
	}
	if (way->clients != NULL) {
		const struct rn_client_set set = *way->clients;

		for (unsigned c = rn_client_set_next(&set, 0); c < NUMBERS;
		     c = rn_client_set_next(&set, c + 1)) {
			rte_mbuf_refcnt_update(m, 1);
			to_client(f, c, m);
		}
	}
	if (!way->wire) {
		rte_pktmbuf_free(m);
		return;
	}
	/* Drivers of cards may give a frame back without looking at its other users. */
	if (rn_unlikely(rte_mbuf_refcnt_read(m) > 1)) {
		struct rte_mbuf *copy = rte_pktmbuf_copy(m, f->cfg.pool, 0, UINT32_MAX);

		rte_pktmbuf_free(m);
		m = copy;
	}
	if (m != NULL)
		to_wire(f, m);
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
	for (unsigned i = 0; i < c->queues && n < f->cfg.burst && !is_stuck(c); i++) {
		unsigned q = c->queue;

		c->queue = q + 1 < c->queues ? q + 1 : 0;
		serve(f, number);
		unsigned k = rte_vhost_dequeue_burst(c->vid, (uint16_t)(2 * q + 1), f->cfg.pool, m,
						     (uint16_t)(f->cfg.burst - n));
		uint64_t bits = 0;

		serve(f, 0);
		for (unsigned j = 0; j < k; j++) {
			bits += 8ull * m[j]->pkt_len;
			take_frame(f, number, m[j]);
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

unsigned rn_forward_take(struct rn_forward *f, unsigned client)
{
	struct client *c = &f->client[client];
	unsigned n = c->plugged && !wire_is_full(f) ? from_client(f, client) : 0;

	c->ahead |= n > 0;
	return n;
}

static unsigned from_clients(struct rn_forward *f)
{
	unsigned n = 0, first = rn_client_set_next(&f->plugged, f->turn_from);

	if (first >= NUMBERS)
		first = rn_client_set_next(&f->plugged, 0);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned c = rn_client_set_next(&f->plugged, i == 0 ? first : 0);
		     c < (i == 0 ? NUMBERS : first); c = rn_client_set_next(&f->plugged, c + 1)) {
			if (wire_is_full(f)) {
				f->turn_from = c;
				return n;
			}
			if (rn_unlikely(f->client[c].ahead))
				f->client[c].ahead = false;
			else
				n += from_client(f, c);
		}
	f->turn_from = first + 1;
	return n;
}

/* Sends the frames that the switch itself makes, such as ARP replies. */
static unsigned from_switch(struct rn_forward *f)
{
	struct rn_switch_way way;
	unsigned n = 0;

	for (; n < BURST && rn_switch_wants_tx(f->sw); n++) {
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

/* Waits until the thread has run the call. Interrupts the thread if it waits for a client. */
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

/* ---- the thread ---- */

/* Asks clients to write their eventfds for the frames they send, or no longer to do so. */
static void listen_to_clients(struct rn_forward *f, bool on)
{
	for (unsigned n = rn_client_set_next(&f->plugged, 0); n < NUMBERS;
	     n = rn_client_set_next(&f->plugged, n + 1))
		for (unsigned q = 0; q < f->client[n].queues && !is_stuck(&f->client[n]); q++)
			rte_vhost_enable_guest_notification(f->client[n].vid, (uint16_t)(2 * q + 1),
							    on);
}

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
			rn_forward_find_kicks(f, c);
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

static void change_wake(struct rn_forward *f, void *arg, rn_time now)
{
	if (*(const bool *)arg)
		rn_port_wake_attach(f->cfg.port, 0, &f->wake);
	else
		rn_port_wake_detach(f->cfg.port, 0, &f->wake);
}

int rn_forward_reset_port(struct rn_forward *f, char *err, size_t errlen)
{
	bool interrupt = f->wake.source == RN_WAKE_INTR, on = false;

	if (interrupt)
		rn_forward_call(f, change_wake, &on);
	int rc = rn_port_reset(f->cfg.port, err, errlen);

	on = true;
	if (rc == 0 && interrupt)
		rn_forward_call(f, change_wake, &on);
	return rc;
}
