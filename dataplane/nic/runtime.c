/* Starts and stops everything that a process's adapters need, in the right order. Owns the packet
 * pool, the capture, all adapters and the watcher thread. The in-process link (inproc.c) calls
 * these functions under its lock. */
#include "nic/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rte_eal.h>

#include "port/capture.h"
#include "nic/daemon_service.h"
#include "nic/eal.h"
#include "nic/journal.h"
#include "port/mem.h"
#include "nic/open_port.h"
#include "nic/settings.h"
#include "port/tap.h"
#include "port/telemetry.h"
#include "port/thread.h"

#define WATCH_MS 100

void rn_runtime_init(struct rn_runtime *r)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&r->stop_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->stop_cond, &attr);
	pthread_condattr_destroy(&attr);
}

/* Does the periodic work of the watcher thread on all adapters. */
static void watch_adapters(struct rn_runtime *r)
{
	for (unsigned i = 0; i < r->cfg.nadapters; i++) {
		rn_nic_watch(r->nic[i]);
		rn_claims_accept(&r->claims[i]);
	}
}

/* Makes the watcher look now. Called when the driver of a port announces something, in a thread of
 * DPDK. */
static void wake_watcher(void *arg)
{
	struct rn_runtime *r = arg;

	pthread_mutex_lock(&r->stop_lock);
	r->news = true;
	pthread_cond_signal(&r->stop_cond);
	pthread_mutex_unlock(&r->stop_lock);
}

static void *watch(void *arg)
{
	struct rn_runtime *r = arg;
	struct timespec until;
	bool early = false;

	rn_thread_set_up("rn-watch");
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		rn_tap_take_signals(r->nic[i]->port);
	pthread_mutex_lock(&r->stop_lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	while (!r->stop) {
		/* An absolute deadline keeps the period constant however long a check takes. A
		 * check that a driver has asked for comes in addition. */
		if (!early) {
			until.tv_nsec += WATCH_MS * 1000000;
			if (until.tv_nsec >= 1000000000) {
				until.tv_nsec -= 1000000000;
				until.tv_sec++;
			}
		}
		while (!r->stop && !r->news)
			if (pthread_cond_timedwait(&r->stop_cond, &r->stop_lock, &until) != 0)
				break;
		if (r->stop)
			break;
		early = r->news;
		r->news = false;
		/* Unlock stop_lock while the adapters are checked: writing to the log may block,
		 * and rn_runtime_stop() needs stop_lock. */
		pthread_mutex_unlock(&r->stop_lock);
		watch_adapters(r);
		pthread_mutex_lock(&r->stop_lock);
	}
	pthread_mutex_unlock(&r->stop_lock);
	return NULL;
}

/* Returns the index of the adapter at the other end of a ring port. The configuration check ensures
 * that there is such an adapter. */
static unsigned ring_peer(const struct rn_config *cfg, unsigned i)
{
	unsigned j = 0;

	while (strcmp(cfg->adapter[j].name, cfg->adapter[i].peer) != 0)
		j++;
	return j;
}

/* Attaches adapter i to softrnicd. Whether its queue pairs fit is checked before its port is
 * opened: the driver may crash if the port is closed at once. */
static int attach(struct rn_runtime *r, unsigned i, char *err, size_t errlen)
{
	const struct rn_config_adapter *a = &r->cfg.adapter[i];
	struct rn_core_cfg core = {.nshards = a->shards, .max_qp = r->cfg.limits.max_qp};
	char reason[160];
	int rc = rn_daemon_service_open(&r->daemon[i], a, err, errlen);

	if (rc != 0)
		return rc;
	rn_settings_client(&core, &r->daemon[i]->port);
	rc = rn_settings_fit(&core, reason, sizeof(reason));
	if (rc != 0)
		snprintf(err, errlen, "adapter %s: %s", a->name, reason);
	return rc;
}

/* Opens the port of adapter i. Does nothing if the port is open already as the other end of a
 * ring. */
static int open_port(struct rn_runtime *r, unsigned i, struct rn_port *port[], char *err,
		     size_t errlen)
{
	const struct rn_config_adapter *a = &r->cfg.adapter[i];
	char name[32];

	if (port[i] != NULL)
		return 0;
	if (a->port == RN_CONFIG_PORT_RING) {
		unsigned j = ring_peer(&r->cfg, i);
		unsigned nq[2] = {a->shards, r->cfg.adapter[j].shards};
		struct rn_port *pair[2];
		snprintf(name, sizeof(name), "rn%u_%u", r->starts, i);
		const uint32_t ring = rn_settings_ring(&r->cfg);
		const struct rn_port_spec spec = {
			.name = name,
			.mtu = (uint16_t)RN_MAX(a->mtu, r->cfg.adapter[j].mtu),
			.ring = ring,
			.ring_most = ring,
			.pool = r->pool,
			.news = wake_watcher,
			.news_arg = r,
		};
		int rc = rn_port_join(pair, nq, &spec, err, errlen);
		if (rc == 0) {
			port[i] = pair[0];
			port[j] = pair[1];
		}
		return rc;
	}
	if (a->port == RN_CONFIG_PORT_DAEMON) {
		int rc = attach(r, i, err, errlen);
		if (rc != 0)
			return rc;
	}
	const struct rn_open_port spec = {
		.cfg = &r->cfg,
		.index = i,
		.pool = r->pool,
		.claims = &r->claims[i],
		.daemon = r->daemon[i],
		.news = wake_watcher,
		.news_arg = r,
	};
	return rn_open_port(&port[i], &spec, err, errlen);
}

/* Opens all ports, then creates all adapters, then connects the adapters of joined ring ports. On
 * an error this function closes the ports that no adapter owns yet; rn_runtime_stop() releases
 * everything else. */
static int make_adapters(struct rn_runtime *r, char *err, size_t errlen)
{
	struct rn_port *port[RN_CONFIG_MAX_ADAPTERS] = {0};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++)
		rc = open_port(r, i, port, err, errlen);
	for (unsigned i = 0; rc == 0 && i < r->cfg.nadapters; i++) {
		rc = rn_nic_create(&r->nic[i], &r->cfg, i, port[i], r->daemon[i], &r->clock,
				   r->capture, err, errlen);
		if (rc == 0) {
			r->nic[i]->link.ops = r->ops;
			port[i] = NULL; /* rn_nic_create() has taken ownership of the port */
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

/* Has an adapter of this process ever sent a MAD? A peer may then still expect replies. */
static bool had_connections(const struct rn_runtime *r)
{
	uint64_t mads = 0;

	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		mads += r->nic[i] != NULL ? rn_nic_mads(r->nic[i]) : 0;
	return mads > 0;
}

/* Waits timers.close_linger_ms before the stop. A peer whose DREP was lost repeats its DREQ,
 * possibly after the application has closed its adapters. The connection manager still replies
 * during this time. */
static void linger(const struct rn_runtime *r)
{
	struct timespec left = {r->cfg.timers.close_linger_ms / 1000,
				r->cfg.timers.close_linger_ms % 1000 * 1000000L};

	if (!r->watching || !had_connections(r))
		return;
	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

void rn_runtime_stop(struct rn_runtime *r)
{
	linger(r);
	rn_telemetry_withdraw();
	if (r->watching) {
		pthread_mutex_lock(&r->stop_lock);
		r->stop = true;
		pthread_cond_signal(&r->stop_cond);
		pthread_mutex_unlock(&r->stop_lock);
		pthread_join(r->watcher, NULL);
		r->watching = false;
	}
	/* Stop the threads of all adapters before closing a port: shards of adapters with joined
	 * ports ring each other's doorbells. */
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		if (r->nic[i] != NULL)
			rn_nic_stop(r->nic[i]);
	/* Write to the log what the shards have reported with rn_journal_queue() since the watcher
	 * thread's last check. */
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		if (r->nic[i] != NULL)
			rn_journal_watch(r->nic[i]);
	for (unsigned i = 0; i < r->cfg.nadapters; i++) {
		rn_nic_destroy(r->nic[i]);
		r->nic[i] = NULL;
		rn_claims_drop(&r->claims[i]);
		rn_daemon_service_close(r->daemon[i]);
		r->daemon[i] = NULL;
	}
	if (r->capture != NULL)
		rn_capture_close(r->capture);
	r->capture = NULL;
	rn_pool_destroy(r->pool);
	r->pool = NULL;
	rn_mem_uninstall();
}

static const char *adapter_name(void *arg, unsigned i)
{
	return ((struct rn_runtime *)arg)->nic[i]->name;
}

static void adapter_stats(void *arg, unsigned i, void (*fn)(void *, const char *, uint64_t),
			  void *fn_arg)
{
	struct rn_link *link = &((struct rn_runtime *)arg)->nic[i]->link;

	link->ops->stats(link, fn, fn_arg);
}

static int adapter_reset(void *arg, unsigned i)
{
	struct rn_runtime *r = arg;
	int rc = rn_port_request_reset(r->nic[i]->port);

	if (rc == 0)
		wake_watcher(r);
	return rc;
}

static int start_threads(struct rn_runtime *r, char *err, size_t errlen)
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

int rn_runtime_start(struct rn_runtime *r, char *err, size_t errlen)
{
	unsigned mbufs, room;
	char name[32];

	r->starts++;
	rn_open_port_pool_size(&r->cfg, &mbufs, &room);
	/* Estimate the memory: each packet buffer needs 1 KiB in addition to its data, for the
	 * mbuf, the headroom and the private area. */
	int rc = rn_eal_start(&r->cfg, (uint64_t)mbufs * (room + 1024), err, errlen);
	if (rc != 0)
		return rc;
	rc = rn_mem_install();
	if (rc != 0) {
		snprintf(err, errlen, "fault handlers: %s", strerror(-rc));
		return rc;
	}
	rn_clock_init(&r->clock);
	snprintf(name, sizeof(name), "rn_pool%u", r->starts);
	r->pool = rn_open_port_pool(&r->cfg, name, mbufs, room);
	if (r->pool == NULL) {
		snprintf(err, errlen, "no memory for %u packet buffers of %u bytes", mbufs, room);
		rc = -ENOMEM;
	}
	if (rc == 0 && r->cfg.capture.file[0] != '\0') {
		rc = rn_capture_open(&r->capture, r->cfg.capture.file, r->cfg.capture.snaplen);
		if (rc != 0)
			snprintf(err, errlen, "capture file %s: %s", r->cfg.capture.file,
				 strerror(-rc));
	}
	if (rc == 0)
		rc = make_adapters(r, err, errlen);
	if (rc == 0)
		rc = start_threads(r, err, errlen);
	/* rn_runtime_stop() releases only the parts that were created. */
	if (rc != 0) {
		rn_runtime_stop(r);
		return rc;
	}
	for (unsigned i = 0; i < r->cfg.nadapters; i++)
		rn_journal_up(r->nic[i], ((uint64_t)mbufs * (room + 1024)) >> 20,
			      rte_eal_has_hugepages());
	rn_telemetry_publish(&(struct rn_telemetry_source){r->cfg.nadapters, adapter_name,
							   adapter_stats, adapter_reset, r});
	return 0;
}
