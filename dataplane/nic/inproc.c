/* The in-process link: a front end (such as the ND2 provider) reaches an adapter in the same
 * process by direct calls. Owns the configuration and the runtime (runtime.h) of the process. The
 * first rn_link_open() starts the runtime, and the last rn_link_close() stops the runtime. Any
 * thread may call these functions; a lock serialises opening and closing. */
#include "rn/link.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_pause.h>

#include "port/cancel.h"
#include "port/flow_rule.h"
#include "nic/cq_rings.h"
#include "nic/daemon_service.h"
#include "nic/runtime.h"
#include "nic/settings.h"
#include "port/log.h"
#include "port/pause.h"
#include "wire/stats.h"

struct process {
	struct rn_runtime rt;
	unsigned users;
	char path[256]; /* path of the configuration file, or "" for the built-in configuration */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct process *process;
/* Set in a forked child of a process that has opened adapters. The child must not drive the port,
 * which belongs to the parent. The child has a copy of the memory but no copy of the threads, and
 * locks may be held for ever. */
static bool forked;

static void mark_child(void)
{
	forked = true;
	/* Close the child's copies of the claim sockets (port/claim.h) and of those to softrnicd.
	 * Otherwise a child that outlives its parent would keep the parent's addresses in use, and
	 * the daemon would not notice that the parent has ended. */
	for (unsigned i = 0; i < RN_CONFIG_MAX_ADAPTERS; i++) {
		rn_claims_drop(&process->rt.claims[i]);
		rn_daemon_service_forget(process->rt.daemon[i]);
	}
	for (unsigned i = 0; process->users > 0 && i < process->rt.cfg.nadapters; i++)
		atomic_store(&process->rt.nic[i]->link.gone, 1);
}

/* Registers mark_child() once, before the first thread is created. */
static void register_fork_handler(void)
{
	static bool logged;

	if (!logged)
		pthread_atfork(NULL, NULL, mark_child);
	logged = true;
}

/* Fails with a message for the caller: a forked child may open adapters only after exec(). */
static int refuse_child(char *err, size_t errlen)
{
	snprintf(
		err, errlen,
		"a forked child of a process that has opened adapters cannot use any: call exec first");
	return -ENODEV;
}

/* ---- the functions of struct rn_link_ops ---- */

static struct rn_nic *nic_of(struct rn_link *link)
{
	return (struct rn_nic *)link;
}

static int link_exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	if (rn_unlikely(forked))
		return -ENODEV;
	RN_UNCANCELLED;
	return rn_nic_exec(nic_of(link), cmd, rsp);
}

static uint32_t link_shard_of(struct rn_link *link, uint32_t qpn)
{
	return rn_qpn_shard(qpn, nic_of(link)->nshards);
}

static void ring_doorbell(struct rn_lcore *lc)
{
	if (lc->idle != RN_IDLE_INLINE) {
		rn_lcore_ring(lc);
		return;
	}
	/* With the inline idle policy this thread runs the shard itself, unless the work requests
	 * in the ring still have to fill a burst (struct rn_lcore.gathers). */
	if (atomic_load_explicit(&lc->gathers, memory_order_relaxed) &&
	    rn_submit_count(&lc->submit) < lc->rxtx.burst)
		return;
	atomic_store_explicit(&lc->gathers, true, memory_order_relaxed);
	/* Retry for a moment, until this thread can poll the shard or the submission ring is empty.
	 * Another thread may be polling the shard now, but may have read the ring before this work
	 * request came. */
	for (unsigned i = 0; i < 32 && !rn_lcore_try_turn(lc) && !rn_submit_empty(&lc->submit); i++)
		rte_pause();
}

static void link_doorbell(struct rn_link *link, uint32_t shard)
{
	if (rn_likely(!forked))
		ring_doorbell(&nic_of(link)->lcore[shard]);
}

/* Puts n work requests, which lie one behind the other, into the submission ring of the shard.
 * While the ring is full, spins for 1 us, then yields the CPU between attempts. The limit of posted
 * work requests per QP (rn_qp_shared) does not prevent a full ring: all QPs of a shard share one
 * ring. */
static __attribute__((noinline)) void put_on_ring(struct rn_lcore *lc, const struct rn_wqe *wqe,
						  uint32_t n)
{
	uint64_t spin_until = 0;

	while (rn_unlikely(!rn_submit_put(&lc->submit, wqe, n)) && !forked) {
		ring_doorbell(lc);
		if (spin_until == 0)
			spin_until = rte_rdtsc() + rte_get_tsc_hz() / 1000000; /* 1 us */
		else if (rte_rdtsc() > spin_until)
			sched_yield();
	}
}

/* Submits a work request that rn_lcore_post_plain() has not taken. */
static __attribute__((noinline)) bool submit_any(struct rn_lcore *lc, const struct rn_wqe *wqe)
{
	if (lc->idle == RN_IDLE_INLINE && rn_likely(!forked) && rn_lcore_post(lc, wqe))
		return true;
	put_on_ring(lc, wqe, 1);
	return false;
}

/* The only call is the last statement, so that this function saves no registers. */
static bool link_submit(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe)
{
	struct rn_lcore *lc = &nic_of(link)->lcore[shard];

	if (lc->idle == RN_IDLE_INLINE && rn_likely(!forked) &&
	    rn_likely(rn_lcore_post_plain(lc, wqe)))
		return true;
	return submit_any(lc, wqe);
}

static bool link_submit_list(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe,
			     uint32_t n)
{
	struct rn_lcore *lc = &nic_of(link)->lcore[shard];
	uint32_t taken = 0;

	if (lc->idle == RN_IDLE_INLINE && rn_likely(!forked))
		taken = rn_lcore_post_list(lc, wqe, n);
	if (rn_likely(taken == n))
		return true;
	put_on_ring(lc, rn_wqe_behind(wqe, taken), n - taken);
	return false;
}

static void link_srq_post(struct rn_link *link, uint32_t srq, const struct rn_wqe *wqe)
{
	/* The front end has checked that the SRQ has room, so the post cannot fail. */
	bool put = rn_srq_post(&nic_of(link)->objects.srq[srq]->srq, wqe);

	rn_assert(put);
}

static struct rn_cq_view *link_cq_view(struct rn_link *link, uint32_t cq)
{
	struct rn_nic *nic = nic_of(link);

	pthread_mutex_lock(&nic->control);
	struct rn_nic_cq *c = rn_objects_cq(&nic->objects, cq);
	pthread_mutex_unlock(&nic->control);
	return c != NULL ? &c->view : NULL;
}

static void link_cq_ring_done(struct rn_link *link, uint32_t cq, struct rn_cq_ring *ring)
{
	struct rn_nic *nic = nic_of(link);

	/* The lock costs little: the reader of a CQ calls this function only when it has emptied a
	 * ring and goes on to the next ring. */
	pthread_mutex_lock(&nic->control);
	struct rn_nic_cq *c = rn_objects_cq(&nic->objects, cq);
	if (c != NULL)
		rn_cq_rings_done(c, ring);
	pthread_mutex_unlock(&nic->control);
}

static void link_progress(struct rn_link *link)
{
	if (rn_unlikely(forked))
		return;
	rn_nic_progress(nic_of(link));
}

static unsigned link_wait(struct rn_link *link, struct rn_event *ev, unsigned n, int timeout_ms)
{
	if (rn_unlikely(forked))
		return 0;
	RN_UNCANCELLED;
	struct rn_nic *nic = nic_of(link);
	unsigned k = 0;

	/* With the inline idle policy, poll the shards a few times before sleeping. While this
	 * thread sleeps, the progress thread polls the shards. */
	if (nic->cfg->idle.policy == RN_CONFIG_POLICY_INLINE)
		for (unsigned i = 0; i < 16 && timeout_ms != 0 && k == 0; i++) {
			rn_nic_progress(nic);
			k = rn_events_wait(&nic->events, ev, n, 0);
		}
	return k > 0 ? k : rn_events_wait(&nic->events, ev, n, timeout_ms);
}

static void link_interrupt(struct rn_link *link)
{
	if (rn_unlikely(forked))
		return;
	rn_events_interrupt(&nic_of(link)->events);
}

/* Fills in the configured values. Then replaces some of the configured values by values of the
 * running adapter, such as its MAC. */
static void link_info(struct rn_link *link, struct rn_link_info *info)
{
	struct rn_nic *nic = nic_of(link);

	rn_settings_info(nic->cfg, (unsigned)(nic->adapter - nic->cfg->adapter), info);
	memcpy(info->mac, nic->attr.mac, 6);
	info->guid = nic->attr.guid;
	info->max_qp = nic->core.max_qp * nic->nshards;
	info->link_up = (uint8_t)atomic_load(&nic->link_up);
	info->hugepages = (uint8_t)rte_eal_has_hugepages();
}

static void link_stats(struct rn_link *link,
		       void (*fn)(void *arg, const char *name, uint64_t value), void *arg)
{
	if (rn_unlikely(forked))
		return;
	RN_UNCANCELLED;
	struct rn_nic *nic = nic_of(link);
	struct rn_stats core = {0};
	struct rn_rxtx_stats x = {0};
	struct rn_lcore_stats l = {0};
	struct rn_flow_rule_stats rules;

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
	rn_flow_rule_stats(nic->port->rules, &rules);
#define X(name, text) fn(arg, "port_" #name, rules.name);
	RN_FLOW_RULE_STAT_ROWS(X)
#undef X
	fn(arg, "port_resets", atomic_load(&nic->port->resets));
	for (unsigned i = 0; nic->nshards > 1 && i < nic->nshards; i++) {
		char name[32];
		snprintf(name, sizeof(name), "port_rx_frames_%u", i);
		fn(arg, name, nic->lcore[i].rxtx.stats.rx_frames);
	}
	pthread_mutex_lock(&nic->removal); /* prevents the removal of the device during the call */
	fn(arg, "port_link_events", atomic_load(&nic->port->link_events));
	rn_port_pause_stats(nic->port, fn, arg);
	pthread_mutex_unlock(&nic->removal);
}

static const struct rn_link_ops ops = {
	.exec = link_exec,
	.submit = link_submit,
	.submit_list = link_submit_list,
	.doorbell = link_doorbell,
	.shard_of = link_shard_of,
	.srq_post = link_srq_post,
	.cq_view = link_cq_view,
	.cq_ring_done = link_cq_ring_done,
	.progress = link_progress,
	.wait = link_wait,
	.interrupt = link_interrupt,
	.info = link_info,
	.stats = link_stats,
};

/* ---- listing, opening, closing and unplugging adapters ---- */

/* Where a process without a configuration looks for softrnicd. Tests set the variable. */
static const char *default_daemon(void)
{
	const char *env = secure_getenv("SOFTRNIC_DAEMON");

	return env != NULL && env[0] != '\0' ? env : RN_DAEMON_SOCKET;
}

/* Reads the file, or without a file uses softrnicd if it answers, else the built-in
 * configuration. */
static int read_configuration(const char *path, struct rn_config *cfg, char *err, size_t errlen)
{
	struct rn_daemon_port port;

	if (path == NULL && rn_daemon_link_ask(default_daemon(), 0, &port) == 0)
		return rn_config_load_daemon(default_daemon(), cfg, err, errlen);
	return rn_config_load(path, cfg, err, errlen);
}

/* Asks softrnicd for the attributes of each adapter with a port of the daemon. */
static int ask_daemons(struct rn_config *cfg, char *err, size_t errlen)
{
	struct rn_daemon_port port;

	for (unsigned i = 0; i < cfg->nadapters; i++) {
		struct rn_config_adapter *a = &cfg->adapter[i];

		if (a->port != RN_CONFIG_PORT_DAEMON)
			continue;
		int rc = rn_daemon_link_ask(a->socket, a->daemon_wait_ms, &port);
		if (rc == 0)
			rc = rn_settings_daemon(a, &port);
		if (rc != 0) {
			snprintf(err, errlen, "adapter %s: no softrnicd answers at %s: %s", a->name,
				 a->socket, strerror(-rc));
			return rc;
		}
	}
	return 0;
}

/* Creates the runtime if there is none, and reads the configuration. Starts no adapter. Returns 0
 * or a negative errno: -EBUSY if the process already runs with another configuration. */
static int load(const char *path, char *err, size_t errlen)
{
	if (process == NULL) {
		process = calloc(1, sizeof(*process));
		if (process == NULL) {
			snprintf(err, errlen, "no memory");
			return -ENOMEM;
		}
		rn_runtime_init(&process->rt);
		process->rt.ops = &ops;
	}
	/* A caller that names no file gets the running configuration, even if the environment
	 * variable has changed since the start. */
	if (path == NULL && process->users > 0)
		return 0;
	path = rn_config_path(path);
	if (process->users > 0) {
		if (strcmp(process->path, path != NULL ? path : "") == 0)
			return 0;
		snprintf(err, errlen, "this process already runs with %s",
			 process->path[0] ? process->path : "the built-in configuration");
		return -EBUSY;
	}
	int n = snprintf(process->path, sizeof(process->path), "%s", path != NULL ? path : "");
	if (n >= (int)sizeof(process->path)) {
		snprintf(err, errlen, "path of the configuration is too long");
		return -ENAMETOOLONG;
	}
	int rc = read_configuration(path, &process->rt.cfg, err, errlen);
	return rc == 0 ? ask_daemons(&process->rt.cfg, err, errlen) : rc;
}

int rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err, size_t errlen)
{
	if (forked)
		return refuse_child(err, errlen);
	RN_UNCANCELLED;
	pthread_mutex_lock(&lock);
	int rc = load(path, err, errlen);
	for (unsigned i = 0; rc == 0 && i < process->rt.cfg.nadapters && i < n; i++) {
		if (process->users > 0)
			link_info(&process->rt.nic[i]->link, &info[i]);
		else
			rn_settings_info(&process->rt.cfg, i, &info[i]);
	}
	if (rc == 0)
		rc = (int)process->rt.cfg.nadapters;
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Logs which configuration a process without a file has. */
static void log_default(const struct rn_config *cfg)
{
	if (cfg->adapter[0].port == RN_CONFIG_PORT_DAEMON)
		rn_log(DAEMON_DEFAULT, cfg->adapter[0].socket);
	else
		rn_log(RING_DEFAULT, default_daemon());
}

int rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err, size_t errlen)
{
	if (forked)
		return refuse_child(err, errlen);
	RN_UNCANCELLED;
	pthread_mutex_lock(&lock);
	int rc = load(path, err, errlen);
	if (rc == 0 && index >= process->rt.cfg.nadapters) {
		snprintf(err, errlen, "no adapter %u: the configuration names %u", index,
			 process->rt.cfg.nadapters);
		rc = -ENODEV;
	}
	if (rc == 0)
		register_fork_handler();
	if (rc == 0 && process->users == 0) {
		rc = rn_runtime_start(&process->rt, err, errlen);
		if (rc == 0 && process->path[0] == '\0')
			log_default(&process->rt.cfg);
	} else if (rc == 0 && atomic_load(&process->rt.nic[index]->link.gone)) {
		snprintf(err, errlen, "adapter %s: its device is gone",
			 process->rt.nic[index]->name);
		rc = -ENODEV;
	}
	if (rc == 0) {
		process->users++;
		*link = &process->rt.nic[index]->link;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

/* The last call stops the runtime. EAL keeps running for a later rn_link_open(). */
void rn_link_close(struct rn_link *link)
{
	if (forked)
		return;
	RN_UNCANCELLED;
	pthread_mutex_lock(&lock);
	if (--process->users == 0)
		rn_runtime_stop(&process->rt);
	pthread_mutex_unlock(&lock);
}

int rn_link_unplug(const char *name)
{
	if (forked)
		return -ENODEV;
	RN_UNCANCELLED;
	int rc = -ENOENT;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; process != NULL && process->users > 0 && i < process->rt.cfg.nadapters;
	     i++) {
		struct rn_nic *nic = process->rt.nic[i];
		if (strcmp(nic->name, name) != 0)
			continue;
		rn_nic_unplug(nic);
		rc = 0;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
