/* How does a front end in the same process reach an adapter? Owns the process's runtime: configuration, EAL, pool, ports
 * and adapters, all started by the first open and stopped by the last close. Any thread; opens and closes take turns. */
#include "rn/link.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "capture.h"
#include "eal.h"
#include "mem.h"
#include "memif_port.h"
#include "nic.h"
#include "settings.h"
#include "stats.h"

#define WATCH_MS 100

struct runtime {
	unsigned users;
	char path[256]; /* of the configuration; "" = built in */
	struct rn_config cfg;
	struct rn_clock clock;
	struct rte_mempool *pool;
	struct rn_capture_file *capture;
	struct rn_nic *nic[RN_CONFIG_MAX_ADAPTERS];
	unsigned opens; /* ever, to keep names apart */
	pthread_t watcher;
	bool watching;
	pthread_mutex_t stop_lock;
	pthread_cond_t stop_cond;
	bool stop;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct runtime *rt;

/* ---- struct rn_link ---- */

static struct rn_nic *nic_of(struct rn_link *link)
{
	return (struct rn_nic *)link;
}

static int link_exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	return rn_nic_exec(nic_of(link), cmd, rsp);
}

static uint32_t link_shard_of(struct rn_link *link, uint32_t qpn)
{
	return rn_qpn_shard(qpn, nic_of(link)->nshards);
}

static void link_doorbell(struct rn_link *link, uint32_t shard)
{
	struct rn_lcore *lc = &nic_of(link)->lcore[shard];

	if (lc->idle != RN_IDLE_INLINE) {
		rn_lcore_ring(lc);
		return;
	}
	/* Whoever holds the turn may have drained the ring before we filled it: try again when it is free. */
	for (unsigned i = 0; i < 32 && !rn_lcore_try_turn(lc) && !rn_submit_empty(&lc->submit); i++)
		rte_pause();
}

static void link_submit(struct rn_link *link, const struct rn_wqe *wqe)
{
	uint32_t shard = link_shard_of(link, wqe->qpn);
	struct rn_lcore *lc = &nic_of(link)->lcore[shard];
	uint64_t spin_until = 0;

	while (rn_unlikely(!rn_submit_put(&lc->submit, wqe))) {
		link_doorbell(link, shard);
		if (spin_until == 0)
			spin_until = rte_rdtsc() + rte_get_tsc_hz() / 1000000; /* 1 us */
		else if (rte_rdtsc() > spin_until)
			sched_yield();
	}
}

static struct rn_cq_view *link_cq_view(struct rn_link *link, uint32_t cq)
{
	struct rn_nic *nic = nic_of(link);

	pthread_mutex_lock(&nic->control);
	struct rn_nic_cq *c = rn_objects_cq(&nic->objects, cq);
	pthread_mutex_unlock(&nic->control);
	return c != NULL ? &c->view : NULL;
}

/* Is `ring` the oldest of shard s? Then its successor is, and nobody else knows it. */
static bool retire(struct rn_nic_cq *cq, struct rn_cq_ring *ring)
{
	for (unsigned s = 0; s < RN_MAX_SHARDS; s++) {
		struct rn_cq_ring *next = atomic_load(&ring->next);
		if (next == NULL || atomic_load(&cq->view.first[s]) != ring)
			continue;
		atomic_store_explicit(&cq->view.first[s], next, memory_order_release);
		free(ring);
		return true;
	}
	return false;
}

static void link_cq_ring_done(struct rn_link *link, struct rn_cq_ring *ring)
{
	struct rn_nic *nic = nic_of(link);
	bool found = false;

	/* Rare: once per growth. */
	pthread_mutex_lock(&nic->control);
	for (uint32_t id = 1; id <= nic->objects.max_cq && !found; id++)
		if (nic->objects.cq[id] != NULL)
			found = retire(nic->objects.cq[id], ring);
	pthread_mutex_unlock(&nic->control);
}

static void link_progress(struct rn_link *link)
{
	rn_nic_progress(nic_of(link));
}

static unsigned link_wait(struct rn_link *link, struct rn_event *ev, unsigned n, int timeout_ms)
{
	struct rn_nic *nic = nic_of(link);
	unsigned k = 0;

	/* Inline: a few turns first, then the keeper makes them. */
	if (nic->cfg->idle.policy == RN_CONFIG_POLICY_INLINE)
		for (unsigned i = 0; i < 16 && timeout_ms != 0 && k == 0; i++) {
			rn_nic_progress(nic);
			k = rn_events_wait(&nic->events, ev, n, 0);
		}
	return k > 0 ? k : rn_events_wait(&nic->events, ev, n, timeout_ms);
}

static void link_interrupt(struct rn_link *link)
{
	rn_events_interrupt(&nic_of(link)->events);
}

static void link_info(struct rn_link *link, struct rn_link_info *info)
{
	struct rn_nic *nic = nic_of(link);

	rn_settings_info(nic->cfg, (unsigned)(nic->adapter - nic->cfg->adapter), info);
	memcpy(info->mac, nic->attr.mac, 6);
	info->guid = nic->attr.guid;
	info->link_up = (uint8_t)atomic_load(&nic->link_up);
}

static void link_stats(struct rn_link *link, void (*fn)(void *arg, const char *name, uint64_t value), void *arg)
{
	struct rn_nic *nic = nic_of(link);
	struct rn_stats core = {0};
	struct rn_rxtx_stats x = {0};
	struct rn_lcore_stats l = {0};

	for (unsigned i = 0; i < nic->nshards; i++) {
		const struct rn_lcore *lc = &nic->lcore[i];
		rn_stats_add(&core, rn_shard_stats(lc->shard));
#define X(name, text) x.name += lc->rxtx.stats.name;
		RN_RXTX_STAT_ROWS(X)
#undef X
#define X(name, text) l.name += lc->stats.name;
		RN_LCORE_STAT_ROWS(X)
#undef X
	}
	for (unsigned i = 0; i < rn_stats_count(); i++)
		fn(arg, rn_stats_name(i), rn_stats_value(&core, i));
#define X(name, text) fn(arg, "port_" #name, x.name);
	RN_RXTX_STAT_ROWS(X)
#undef X
#define X(name, text) fn(arg, "lcore_" #name, l.name);
	RN_LCORE_STAT_ROWS(X)
#undef X
}

static const struct rn_link_ops ops = {
	.exec = link_exec,
	.submit = link_submit,
	.doorbell = link_doorbell,
	.shard_of = link_shard_of,
	.cq_view = link_cq_view,
	.cq_ring_done = link_cq_ring_done,
	.progress = link_progress,
	.wait = link_wait,
	.interrupt = link_interrupt,
	.info = link_info,
	.stats = link_stats,
};

/* ---- the runtime ---- */

static void *watch(void *arg)
{
	struct runtime *r = arg;
	struct timespec until;

	pthread_setname_np(pthread_self(), "rn-watch");
	pthread_mutex_lock(&r->stop_lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	while (!r->stop) {
		until.tv_nsec += WATCH_MS * 1000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&r->stop_cond, &r->stop_lock, &until);
		for (unsigned i = 0; i < r->cfg.nadapters && !r->stop; i++)
			rn_nic_watch(r->nic[i]);
	}
	pthread_mutex_unlock(&r->stop_lock);
	return NULL;
}

static void pool_wants(const struct rn_config *cfg, unsigned *mbufs, unsigned *room)
{
	struct rn_vdev_spec spec;

	*mbufs = *room = 0;
	for (unsigned i = 0; i < cfg->nadapters; i++) {
		rn_settings_vdev(cfg, i, (const uint8_t *)"\0\0\0\0\0", &spec);
		*mbufs += cfg->adapter[i].shards * cfg->limits.mbufs;
		*room = RN_MAX(*room, rn_vdev_room(&spec));
	}
}

/* The adapter at the other end of a ring port. */
static unsigned ring_peer(const struct rn_config *cfg, unsigned i)
{
	unsigned j = 0;

	while (strcmp(cfg->adapter[j].name, cfg->adapter[i].peer) != 0)
		j++;
	return j;
}

static int refuse_two_stacks(const struct rn_config_adapter *a, char *err, size_t errlen)
{
	const struct rn_config_nets *nets[2] = {&a->ipv4, &a->ipv6};
	struct rn_gid gid;

	for (unsigned f = 0; f < 2; f++)
		for (unsigned i = 0; i < nets[f]->n; i++) {
			memcpy(gid.b, nets[f]->net[i].ip.b, 16);
			if (!rn_port_iface_has(a->iface, &gid))
				continue;
			snprintf(err, errlen,
				 "adapter %s: interface %s carries the adapter's own address: two stacks would answer",
				 a->name, a->iface);
			return -EADDRINUSE;
		}
	return 0;
}

/* Every kind of port but a ring: a device of its own. */
static int open_device(struct runtime *r, unsigned i, struct rn_port **port, char *err, size_t errlen)
{
	const struct rn_config_adapter *a = &r->cfg.adapter[i];
	bool kernel = a->port == RN_CONFIG_PORT_AF_PACKET;
	struct rn_memif_port *memif = NULL;
	char name[64], args[512];
	struct rn_vdev_spec v;
	uint8_t mac[6];

	rn_settings_mac(a, mac);
	rn_settings_vdev(&r->cfg, i, mac, &v);
	if (kernel && refuse_two_stacks(a, err, errlen) != 0)
		return -EADDRINUSE;
	if (a->port == RN_CONFIG_PORT_MEMIF) {
		int rc = rn_memif_port_create(&memif, v.server, a->socket);
		if (rc != 0) {
			snprintf(err, errlen, "adapter %s: socket %s: %s", a->name, a->socket, strerror(-rc));
			return rc;
		}
		v.socket = rn_memif_port_socket(memif);
	}
	int rc = rn_vdev_string(&v, name, sizeof(name), args, sizeof(args));
	struct rn_port_spec spec = {
		.name = name,
		.args = args,
		.iface = kernel ? a->iface : NULL,
		.mtu = (uint16_t)a->mtu,
		.queues = a->shards,
		.ring = r->cfg.limits.port_ring,
		.pool = r->pool,
		.memif = memif,
	};
	if (rc != 0)
		snprintf(err, errlen, "adapter %s: device string too long", a->name);
	else
		rc = rn_port_open(port, &spec, err, errlen);
	if (rc != 0)
		rn_memif_port_destroy(memif);
	return rc;
}

static int open_port(struct runtime *r, unsigned i, struct rn_port *port[], char *err, size_t errlen)
{
	const struct rn_config_adapter *a = &r->cfg.adapter[i];
	char name[32];

	if (port[i] != NULL)
		return 0;
	if (a->port == RN_CONFIG_PORT_RING) {
		unsigned j = ring_peer(&r->cfg, i);
		unsigned nq[2] = {a->shards, r->cfg.adapter[j].shards};
		struct rn_port *pair[2];
		snprintf(name, sizeof(name), "rn%u_%u", r->opens, i);
		int rc = rn_port_join(pair, nq, (uint16_t)RN_MAX(a->mtu, r->cfg.adapter[j].mtu), r->cfg.limits.port_ring,
				      r->pool, name, err, errlen);
		if (rc == 0) {
			port[i] = pair[0];
			port[j] = pair[1];
		}
		return rc;
	}
	return open_device(r, i, &port[i], err, errlen);
}

static int make_adapters(struct runtime *r, char *err, size_t errlen)
{
	struct rn_port *port[RN_CONFIG_MAX_ADAPTERS] = {0};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++)
		rc = open_port(r, i, port, err, errlen);
	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++) {
		rc = rn_nic_create(&r->nic[i], &r->cfg, i, port[i], &r->clock, r->capture, err, errlen);
		if (rc == 0) {
			r->nic[i]->link.ops = &ops;
			port[i] = NULL; /* the adapter's now */
		}
	}
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		if (port[i] != NULL)
			rn_port_close(port[i]);
	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++)
		if (r->cfg.adapter[i].port == RN_CONFIG_PORT_RING && r->nic[i]->peer == NULL)
			rn_nic_join(r->nic[i], r->nic[ring_peer(&r->cfg, i)]);
	return rc;
}

static void stop_all(struct runtime *r)
{
	if (r->watching) {
		pthread_mutex_lock(&r->stop_lock);
		r->stop = true;
		pthread_cond_signal(&r->stop_cond);
		pthread_mutex_unlock(&r->stop_lock);
		pthread_join(r->watcher, NULL);
		r->watching = false;
	}
	/* All threads before any port: joined adapters ring each other. */
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		if (r->nic[i] != NULL)
			rn_nic_stop(r->nic[i]);
	for (unsigned i = 0; i < r->cfg.nadapters; i++) {
		rn_nic_destroy(r->nic[i]);
		r->nic[i] = NULL;
	}
	if (r->capture != NULL)
		rn_capture_close(r->capture);
	r->capture = NULL;
	rn_pool_destroy(r->pool);
	r->pool = NULL;
	rn_mem_uninstall();
}

static int start_threads(struct runtime *r, char *err, size_t errlen)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++)
		rc = rn_nic_start(r->nic[i], err, errlen);
	if (rc == 0) {
		r->stop = false;
		rc = -pthread_create(&r->watcher, NULL, watch, r);
		r->watching = rc == 0;
		if (rc != 0)
			snprintf(err, errlen, "no thread: %s", strerror(-rc));
	}
	return rc;
}

static int start_all(struct runtime *r, char *err, size_t errlen)
{
	unsigned mbufs, room;
	char name[32];

	pool_wants(&r->cfg, &mbufs, &room);
	int rc = rn_eal_start(&r->cfg, (uint64_t)mbufs * (room + 1024), err, errlen);
	if (rc != 0)
		return rc;
	rc = rn_mem_install();
	if (rc != 0) {
		snprintf(err, errlen, "fault handlers: %s", strerror(-rc));
		return rc;
	}
	rn_clock_init(&r->clock);
	snprintf(name, sizeof(name), "rn_pool%u", r->opens);
	r->pool = rn_pool_create(name, mbufs, room);
	if (r->pool == NULL) {
		snprintf(err, errlen, "no memory for %u packet buffers of %u bytes", mbufs, room);
		rc = -ENOMEM;
	}
	if (rc == 0 && r->cfg.capture.file[0] != '\0') {
		rc = rn_capture_open(&r->capture, r->cfg.capture.file, r->cfg.capture.snaplen);
		if (rc != 0)
			snprintf(err, errlen, "capture file %s: %s", r->cfg.capture.file, strerror(-rc));
	}
	if (rc == 0)
		rc = make_adapters(r, err, errlen);
	if (rc == 0)
		rc = start_threads(r, err, errlen);
	if (rc != 0)
		stop_all(r);
	return rc;
}

/* The runtime, with a configuration read, nothing started. */
static int load(const char *path, char *err, size_t errlen)
{
	pthread_condattr_t attr;

	if (rt == NULL) {
		rt = calloc(1, sizeof(*rt));
		if (rt == NULL) {
			snprintf(err, errlen, "no memory");
			return -ENOMEM;
		}
		pthread_mutex_init(&rt->stop_lock, NULL);
		pthread_condattr_init(&attr);
		pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		pthread_cond_init(&rt->stop_cond, &attr);
		pthread_condattr_destroy(&attr);
	}
	path = rn_config_path(path);
	if (rt->users > 0) {
		if (strcmp(rt->path, path != NULL ? path : "") == 0)
			return 0;
		snprintf(err, errlen, "this process already runs with %s", rt->path[0] ? rt->path : "the built-in configuration");
		return -EBUSY;
	}
	int n = snprintf(rt->path, sizeof(rt->path), "%s", path != NULL ? path : "");
	if (n >= (int)sizeof(rt->path)) {
		snprintf(err, errlen, "path of the configuration is too long");
		return -ENAMETOOLONG;
	}
	return rn_config_load(path, &rt->cfg, err, errlen);
}

int rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err, size_t errlen)
{
	pthread_mutex_lock(&lock);
	int rc = load(path, err, errlen);
	for (unsigned i = 0; rc == 0 && i < rt->cfg.nadapters && i < n; i++) {
		if (rt->users > 0)
			link_info(&rt->nic[i]->link, &info[i]);
		else
			rn_settings_info(&rt->cfg, i, &info[i]);
	}
	if (rc == 0)
		rc = (int)rt->cfg.nadapters;
	pthread_mutex_unlock(&lock);
	return rc;
}

int rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err, size_t errlen)
{
	pthread_mutex_lock(&lock);
	int rc = load(path, err, errlen);
	if (rc == 0 && index >= rt->cfg.nadapters) {
		snprintf(err, errlen, "no adapter %u: the configuration names %u", index, rt->cfg.nadapters);
		rc = -ENODEV;
	}
	if (rc == 0 && rt->users == 0) {
		rt->opens++;
		rc = start_all(rt, err, errlen);
	}
	if (rc == 0) {
		rt->users++;
		*link = &rt->nic[index]->link;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void rn_link_close(struct rn_link *link)
{
	pthread_mutex_lock(&lock);
	if (--rt->users == 0)
		stop_all(rt);
	pthread_mutex_unlock(&lock);
}
