/* What is an adapter made of, and in which order do its parts start and stop? An adapter owns its
 * shards with their threads and rings, the table of memory regions, the events and the port. Runs
 * in control threads. */
#include "nic/nic.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_rcu_qsbr.h>

#include "port/capture.h"
#include "port/log.h"
#include "port/flow_rule.h"
#include "port/mem.h"
#include "nic/daemon_service.h"
#include "port/port_wake.h"
#include "nic/settings.h"
#include "wire/stats.h"

/* Limit in bytes for the frames that a shard builds in one poll iteration: about 15 frames of the
 * largest path MTU. The last frame may exceed the limit. */
#define TURN_BYTES 65536u
/* A shard may hold the mbufs of kept packets (rn_shard_hold()) up to its mbufs divided by this, so
 * that enough of them are left for what is sent and received meanwhile. */
#define KEPT_SHARE 4
/* How often the reset of a card is tried, every 100 ms. */
#define RESET_TRIES 100
/* Inline idle policy: number of rn_nic_progress() calls that do not poll the shards of nic->peer
 * (the adapter at the other end of a ring pair), after another thread has polled them. */
#define PEER_REST 16

/* Queues the shard's events for the client, and its news (connections made or ended, QPs in error)
 * for the log. Runs at the end of each poll iteration of a shard. If there is no memory to queue an
 * event, the event stays in lc->event and a later iteration retries, so no event is lost. */
static void report(void *arg, struct rn_lcore *lc)
{
	struct rn_nic *nic = arg;
	struct rn_news news;

	while (rn_shard_news(lc->shard, &news))
		rn_journal_queue(nic, &news);
	do {
		if (lc->event_waits && !rn_events_put(&nic->events, &lc->event))
			return;
		lc->event_waits = rn_shard_events(lc->shard, &lc->event, 1) == 1;
	} while (lc->event_waits);
}

/* Fills in shard i and everything that the thread of the shard uses. After an error
 * rn_nic_destroy() releases the parts that were created. */
static int create_lcore(struct rn_nic *nic, unsigned i, const struct rn_clock *clock,
			struct rn_capture_file *capture)
{
	static const enum rn_idle policies[] = {
		[RN_CONFIG_POLICY_POLL] = RN_IDLE_POLL,
		[RN_CONFIG_POLICY_ADAPTIVE] = RN_IDLE_ADAPTIVE,
		[RN_CONFIG_POLICY_INLINE] = RN_IDLE_INLINE,
	};
	const struct rn_config *cfg = nic->cfg;
	const struct rn_config_adapter *a = nic->adapter;
	struct rn_lcore *lc = &nic->lcore[i];
	struct rn_core_cfg core = nic->core;
	rn_time now = rn_clock_now(clock);

	lc->index = i;
	lc->nshards = nic->nshards;
	lc->cpu = a->lcores.n > 0 ? (int)a->lcores.cpu[i % a->lcores.n] : -1;
	lc->idle = policies[cfg->idle.policy];
	lc->spin = RN_US(cfg->idle.spin_us);
	lc->nap_min = RN_US(cfg->idle.sleep_min_us);
	lc->nap_max = RN_US(cfg->idle.sleep_max_us);
	lc->clock = *clock;
	lc->now = now;
	lc->qsbr = nic->qsbr;
	lc->all = nic->lcore;
	lc->report = report;
	lc->report_arg = nic;
	rn_mailbox_init(&lc->mailbox);
	int rc = rn_port_wake_open(nic->port, i, lc->idle == RN_IDLE_ADAPTIVE, nic->adapter->iface,
				   &lc->wake);
	if (rc == 0)
		rc = rn_submit_create(&lc->submit, cfg->limits.submit_slots);
	core.index = i;
	if (rc == 0)
		lc->shard = rn_shard_create(&core, &nic->attr, nic->mrs, &rn_mem_guarded, now);
	if (rc != 0 || lc->shard == NULL)
		return rc != 0 ? rc : -ENOMEM;

	struct rn_rxtx_cfg x = {
		.port = nic->port,
		.index = i,
		.nshards = nic->nshards,
		.burst = cfg->limits.burst,
		.turn_bytes = TURN_BYTES,
		.kept_max = cfg->limits.mbufs / KEPT_SHARE,
		.impair_seed =
			cfg->impair.seed + (uint64_t)(nic->adapter - cfg->adapter) * RN_MAX_SHARDS,
		.capture = capture != NULL ? rn_capture_add(capture, now) : NULL,
		.lent = cfg->idle.policy == RN_CONFIG_POLICY_INLINE,
	};
	if (capture != NULL && x.capture == NULL)
		return -ENOMEM;
	if (nic->daemon == NULL)
		memcpy(x.mac, nic->attr.mac, 6);
	rn_settings_impair(cfg, &x.impair);
	return rn_rxtx_open(&lc->rxtx, &x);
}

static int create_lcores(struct rn_nic *nic, const struct rn_clock *clock,
			 struct rn_capture_file *capture)
{
	struct rn_steer *steer[RN_MAX_SHARDS];
	size_t bytes = RN_ALIGN_UP(nic->nshards * sizeof(struct rn_lcore), (size_t)64);
	int rc = 0;

	nic->lcore = aligned_alloc(64, bytes);
	if (nic->lcore == NULL)
		return -ENOMEM;
	memset(nic->lcore, 0, bytes);
	for (unsigned i = 0; i < nic->nshards; i++) {
		nic->lcore[i].wake.efd = nic->lcore[i].wake.fd = -1;
		steer[i] = &nic->lcore[i].steer;
	}
	for (unsigned i = 0; rc == 0 && i < nic->nshards; i++)
		rc = create_lcore(nic, i, clock, capture);
	if (rc == 0)
		rc = rn_steer_create(steer, nic->nshards, nic->cfg->limits.handoff_slots);
	for (unsigned i = 0; i < nic->nshards; i++)
		steer[i]->rules = nic->port->rules;
	return rc;
}

/* Creates the object of DPDK's RCU library (rte_rcu_qsbr), with which control threads wait until no
 * shard uses a removed object. */
static int create_qsbr(struct rn_nic *nic)
{
	size_t bytes = rte_rcu_qsbr_get_memsize(RN_MAX_SHARDS);

	nic->qsbr =
		aligned_alloc(RTE_CACHE_LINE_SIZE, RN_ALIGN_UP(bytes, (size_t)RTE_CACHE_LINE_SIZE));
	if (nic->qsbr == NULL || rte_rcu_qsbr_init(nic->qsbr, RN_MAX_SHARDS) != 0)
		return -ENOMEM;
	return 0;
}

/* Predicts for the core whether packets arrive at a shard. A card has as many receive queues as the
 * adapter has shards, or fewer; shard i polls queue i, and the last shards may have none. */
static enum rn_rx_shard predict_shard(void *arg, const struct rn_gid *from, const struct rn_gid *to,
				      uint16_t sport, uint32_t shard)
{
	const struct rn_port *port = ((const struct rn_nic *)arg)->port;
	int queue = rn_spread_queue(port, from, to, sport);

	/* A reset may be writing nrxq if the queue is unknown; otherwise `quiet` was not set, and a
	 * reset waits for the end of this shard's turn. */
	if (queue < 0 || shard >= port->nrxq)
		return RN_RX_SHARD_UNKNOWN;
	return (uint32_t)queue == shard ? RN_RX_SHARD_RIGHT : RN_RX_SHARD_WRONG;
}

int rn_nic_create(struct rn_nic **out, const struct rn_config *cfg, unsigned index,
		  struct rn_port *port, struct rn_daemon_service *daemon,
		  const struct rn_clock *clock, struct rn_capture_file *capture, char *err,
		  size_t errlen)
{
	const struct rn_config_limits *l = &cfg->limits;
	struct rn_nic *nic = calloc(1, sizeof(*nic));
	struct rn_secrets secrets;
	uint8_t mac[6];

	if (nic == NULL) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	int rc = rn_settings_secrets(cfg, index, &secrets);
	if (rc != 0) {
		snprintf(err, errlen, "adapter %s: no random numbers from the kernel: %s",
			 cfg->adapter[index].name, strerror(-rc));
		free(nic);
		return rc;
	}
	nic->cfg = cfg;
	nic->adapter = &cfg->adapter[index];
	nic->port = port;
	nic->daemon = daemon;
	nic->nshards = nic->adapter->shards;
	snprintf(nic->name, sizeof(nic->name), "%s", nic->adapter->name);
	pthread_mutex_init(&nic->control, NULL);
	pthread_mutex_init(&nic->removal, NULL);
	rn_journal_init(&nic->journal);

	rn_settings_mac(nic->adapter, mac);
	if ((nic->adapter->port == RN_CONFIG_PORT_AF_PACKET || port->card) &&
	    !nic->adapter->mac.set)
		/* use the MAC of the interface or card: bridges, filters of the kernel and the
		 * filter of the card would drop frames with another MAC */
		memcpy(mac, port->mac, 6);
	rn_settings_port(nic->adapter, mac, &cfg->protocol, &nic->attr);
	rn_settings_core(cfg, index, &secrets, &nic->core);
	if (daemon != NULL)
		rn_settings_client(&nic->core, &daemon->port);
	rn_settings_line(&nic->core, daemon != NULL ? daemon->port.speed : rn_port_speed(port));
	nic->neigh = rn_settings_neigh(nic->adapter, &nic->core.nstatic_neigh);
	nic->core.static_neigh = nic->neigh;
	nic->core.rx_shards = (struct rn_rx_shards){predict_shard, nic};
	nic->mrs = rn_mr_table_create(l->max_mr, &secrets.of[RN_SECRET_KEYS]);

	if (nic->mrs != NULL)
		rn_mr_table_advise(nic->mrs, rn_mem_advise_pages);
	rc = nic->mrs == NULL ? -ENOMEM : 0;
	if (rc == 0)
		rc = rn_events_init(&nic->events);
	if (rc == 0)
		rc = rn_objects_init(&nic->objects, l, nic->nshards);
	if (rc == 0)
		rc = create_qsbr(nic);
	if (rc == 0)
		rc = create_lcores(nic, clock, capture);
	if (rc != 0) {
		snprintf(err, errlen, "adapter %s: %s", nic->name, strerror(-rc));
		/* rn_nic_destroy() must not close the port, which after a failure belongs to the
		 * caller */
		nic->port = NULL;
		rn_nic_destroy(nic);
		return rc;
	}
	*out = nic;
	return 0;
}

void rn_nic_join(struct rn_nic *a, struct rn_nic *b)
{
	struct rn_nic *side[2] = {a, b};

	for (unsigned i = 0; i < 2; i++) {
		struct rn_nic *to = side[!i];
		side[i]->peer = to;
		for (unsigned q = 0; q < side[i]->port->ntxq; q++)
			side[i]->port->peer[q] = &to->lcore[q % to->nshards].wake;
	}
}

/* Calls rn_nic_grace() on behalf of the port: code in port/ has no access to struct rn_nic. */
static void grace(void *arg)
{
	rn_nic_grace(arg);
}

int rn_nic_start(struct rn_nic *nic, char *err, size_t errlen)
{
	int rc = 0;

	if (nic->port->card)
		rn_nic_groups_update_port(nic);
	rn_port_set_grace(nic->port, grace, nic);
	atomic_store(&nic->link_up, rn_port_link_up(nic->port));
	for (unsigned i = 0; rc == 0 && i < nic->nshards; i++)
		rc = rn_lcore_start(&nic->lcore[i]);
	if (rc == 0 && nic->cfg->idle.policy == RN_CONFIG_POLICY_INLINE)
		rc = rn_progress_start(&nic->progress, nic->lcore, nic->nshards);
	if (rc != 0)
		snprintf(err, errlen, "adapter %s cannot start: %s", nic->name, strerror(-rc));
	if (rc == 0) {
		/* The shards run now, so a memif port may connect to its peer. */
		rc = rn_port_go(nic->port);
		if (rc != 0) /* only memif ports, which have a socket, can fail here */
			snprintf(err, errlen, "adapter %s: socket %s: %s", nic->name,
				 nic->adapter->socket, strerror(-rc));
	}
	if (rc != 0)
		rn_nic_stop(nic);
	return rc;
}

/* Stops the progress thread before the shards, because the progress thread polls the shards. */
void rn_nic_stop(struct rn_nic *nic)
{
	rn_progress_stop(&nic->progress);
	for (unsigned i = 0; i < nic->nshards; i++)
		rn_lcore_stop(&nic->lcore[i]);
}

static void destroy_lcores(struct rn_nic *nic)
{
	struct rn_steer *steer[RN_MAX_SHARDS];

	for (unsigned i = 0; i < nic->nshards; i++)
		steer[i] = &nic->lcore[i].steer;
	rn_steer_destroy(steer, nic->nshards);
	for (unsigned i = 0; i < nic->nshards; i++) {
		struct rn_lcore *lc = &nic->lcore[i];
		if (lc->rxtx.port != NULL) {
			rn_shard_abandon(lc->shard);
			rn_rxtx_take_back(&lc->rxtx, lc->shard);
			rn_rxtx_close(&lc->rxtx);
		}
		if (lc->shard != NULL)
			rn_shard_destroy(lc->shard);
		rn_submit_destroy(&lc->submit);
		rn_wake_close(&lc->wake);
	}
}

void rn_nic_destroy(struct rn_nic *nic)
{
	if (nic == NULL)
		return;
	rn_port_hang_up(nic->port);
	if (nic->lcore != NULL)
		destroy_lcores(nic);
	if (nic->port != NULL)
		rn_daemon_service_flush(nic->daemon);
	/* Until here the port may call grace(), which reads the locks of the shards. */
	rn_port_close(nic->port);
	free(nic->lcore);
	if (nic->mrs != NULL)
		rn_mr_table_destroy(nic->mrs);
	rn_objects_fini(&nic->objects);
	rn_events_fini(&nic->events);
	pthread_mutex_destroy(&nic->control);
	pthread_mutex_destroy(&nic->removal);
	rn_journal_fini(&nic->journal);
	free(nic->qsbr);
	free(nic->neigh);
	free(nic);
}

void rn_nic_grace(struct rn_nic *nic)
{
	const struct timespec pause = {.tv_nsec = 20000};

	if (nic->cfg->idle.policy == RN_CONFIG_POLICY_INLINE) {
		for (unsigned i = 0; i < nic->nshards; i++)
			rn_lcore_pass(&nic->lcore[i]);
		return;
	}
	uint64_t token = rte_rcu_qsbr_start(nic->qsbr);

	/* Control threads are not registered as RCU readers, because they never read the tables
	 * that RCU protects. A shard that sleeps, or that no thread polls, is offline for RCU and
	 * need not be waited for. */
	for (unsigned i = 0; rte_rcu_qsbr_check(nic->qsbr, token, false) != 1; i++) {
		if (i < 64)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}

/* Polls shard i of nic->peer (the adapter at the other end of the ring pair) once, unless another
 * thread polls the shard. Two threads that poll a shard alternately would bounce cache lines of the
 * shard. last_turn is the time of the shard's last poll iteration. If last_turn has changed since
 * this adapter last read it, another thread polls the shard. The next PEER_REST calls of
 * progress_peer() then leave out all shards of nic->peer. In a program with one thread for both
 * ends, last_turn is unchanged and the shard is always polled. */
static void turn_peer(struct rn_nic *nic, unsigned i)
{
	struct rn_lcore *lc = &nic->peer->lcore[i];
	uint64_t last = atomic_load_explicit(&lc->last_turn, memory_order_relaxed);

	if (last != atomic_load_explicit(&nic->peer_turn[i], memory_order_relaxed))
		atomic_store_explicit(&nic->peer_rest, PEER_REST, memory_order_relaxed);
	else if (rn_lcore_try_turn(lc))
		last = atomic_load_explicit(&lc->last_turn, memory_order_relaxed);
	atomic_store_explicit(&nic->peer_turn[i], last, memory_order_relaxed);
}

static void progress_peer(struct rn_nic *nic)
{
	uint32_t rest = atomic_load_explicit(&nic->peer_rest, memory_order_relaxed);

	if (rest > 0) {
		atomic_store_explicit(&nic->peer_rest, rest - 1, memory_order_relaxed);
		return;
	}
	for (unsigned i = 0; i < nic->peer->nshards; i++)
		turn_peer(nic, i);
}

void rn_nic_progress(struct rn_nic *nic)
{
	if (nic->cfg->idle.policy != RN_CONFIG_POLICY_INLINE)
		return;
	for (unsigned i = 0; i < nic->nshards; i++) {
		atomic_store_explicit(&nic->lcore[i].gathers, false, memory_order_relaxed);
		rn_lcore_try_turn(&nic->lcore[i]);
	}
	if (nic->peer != NULL)
		progress_peer(nic);
}

/* Tells the shard that the port is gone. First discards an event that could not be queued yet:
 * after the removal of the port only RN_EVENT_PORT_GONE may follow. */
static void run_gone(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	lc->event_waits = false;
	rn_shard_port_gone(lc->shard, now);
}

/* Does nothing: the caller only waits until the shard has run this call. */
static void run_nothing(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
}

/* Runs a function in every shard, one shard after the other, and waits for the end of each run. */
static void call_all(struct rn_nic *nic, void (*run)(struct rn_call *, struct rn_lcore *, rn_time))
{
	for (unsigned i = 0; i < nic->nshards; i++) {
		struct rn_call c = {.run = run};
		rn_lcore_call(&nic->lcore[i], &c);
	}
}

static bool tell(struct rn_nic *nic, enum rn_event_kind kind)
{
	return rn_events_put(&nic->events, &(struct rn_event){.kind = (uint16_t)kind});
}

void rn_nic_unplug(struct rn_nic *nic)
{
	pthread_mutex_lock(&nic->removal);
	if (atomic_exchange(&nic->link.gone, 1) == 0) {
		nic->gone_event_pending = true;
		rn_port_unplug(nic->port);
		if (nic->peer != NULL)
			atomic_store(&nic->peer->port->cut, 1);
		call_all(nic, run_gone);
		/* run_gone() runs in the middle of a shard's poll iteration. The end of that
		 * iteration publishes the flushed completions. When run_nothing() runs, that
		 * iteration is over. */
		call_all(nic, run_nothing);
		rn_journal_gone(nic);
	}
	/* If there is no memory to queue the event, the watcher thread retries every 100 ms. */
	if (nic->gone_event_pending && tell(nic, RN_EVENT_PORT_GONE))
		nic->gone_event_pending = false;
	pthread_mutex_unlock(&nic->removal);
}

static void run_link_up(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	rn_shard_link_up(lc->shard);
}

/* Reports changes of the port's link as events. `ups` counts how often the link came up. If the
 * link came up and went down again between two checks, both events are queued: a client must learn
 * that connections made in between are lost. If there is no memory for an event, the next check
 * tries again to queue the event, unless the link has changed back by then. */
static void report_link(struct rn_nic *nic)
{
	uint32_t ups = atomic_load(&nic->port->ups), up = rn_port_link_up(nic->port);

	if (!atomic_load(&nic->link_up) && (up || ups != nic->ups_seen) &&
	    tell(nic, RN_EVENT_PORT_UP)) {
		struct rn_call c = {.run = run_link_up};

		atomic_store(&nic->link_up, 1);
		rn_lcore_call(&nic->lcore[0], &c);
		rn_journal_link(nic, true);
	}
	if (atomic_load(&nic->link_up) && !up && tell(nic, RN_EVENT_PORT_DOWN)) {
		atomic_store(&nic->link_up, 0);
		rn_journal_link(nic, false);
	}
	nic->ups_seen = ups;
}

/* Resets the card, and attaches its interrupts to the shards again. The caller holds the locks that
 * keep other control threads from the port. */
static int reset_port(struct rn_nic *nic, char *err, size_t errlen)
{
	for (unsigned i = 0; i < nic->nshards; i++)
		if (nic->lcore[i].wake.source == RN_WAKE_INTR)
			rn_port_wake_detach(nic->port, i, &nic->lcore[i].wake);
	int rc = rn_port_reset(nic->port, err, errlen);
	/* A shard whose interrupt cannot be attached counts the frames that came without one, and
	 * then naps (frames_wake() in lcore.c). */
	for (unsigned i = 0; rc == 0 && i < nic->nshards; i++)
		if (nic->lcore[i].wake.source == RN_WAKE_INTR)
			rn_port_wake_attach(nic->port, i, &nic->lcore[i].wake);
	if (rc == 0)
		rn_nic_groups_update_port(nic);
	return rc;
}

/* Resets the card. A virtual function may not answer until the reset of its physical function has
 * ended, so a reset that fails is tried again at the next calls, RESET_TRIES times in all. */
static void reset_card(struct rn_nic *nic)
{
	char err[256] = "";

	pthread_mutex_lock(&nic->control);
	pthread_mutex_lock(&nic->removal);
	bool gone = atomic_load(&nic->link.gone);
	int rc = gone ? 0 : reset_port(nic, err, sizeof(err));
	pthread_mutex_unlock(&nic->removal);
	pthread_mutex_unlock(&nic->control);
	if (rc != 0 && ++nic->failed_resets < RESET_TRIES) {
		rn_port_request_reset(nic->port);
		return;
	}
	nic->failed_resets = 0;
	if (rc != 0)
		rn_port_lose(nic->port);
	/* The interrupts of the card are off now, until the shards have looked for frames. */
	for (unsigned i = 0; i < nic->nshards; i++)
		rn_lcore_ring(&nic->lcore[i]);
	if (!gone)
		rn_journal_reset(nic, rc == 0 ? NULL : err);
}

/* Makes and ends the rules of the card that save hand-offs between shards. */
static void watch_rules(struct rn_nic *nic)
{
	if (nic->port->rules == NULL)
		return;
	pthread_mutex_lock(&nic->removal); /* prevents the removal of the device during the calls */
	if (!atomic_load(&nic->link.gone) && !rn_port_gone(nic->port))
		rn_flow_rule_watch(nic->port->rules, rn_clock_now(&nic->lcore[0].clock));
	pthread_mutex_unlock(&nic->removal);
}

uint64_t rn_nic_mads(const struct rn_nic *nic)
{
	return rn_shard_stats(nic->lcore[0].shard)->tx_mads; /* only shard 0 sends MADs */
}

void rn_nic_watch(struct rn_nic *nic)
{
	rn_journal_watch(nic);
	if (nic->daemon != NULL && !atomic_load(&nic->link.gone) &&
	    !rn_daemon_service_watch(nic->daemon, nic))
		rn_port_lose(nic->port);
	if (rn_port_reset_due(nic->port))
		reset_card(nic);
	if (rn_port_gone(nic->port)) {
		rn_nic_unplug(nic);
		atomic_store(&nic->link_up, 0);
		return;
	}
	watch_rules(nic);
	report_link(nic);
}
