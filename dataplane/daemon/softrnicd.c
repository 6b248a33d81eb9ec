/* softrnicd: owns a port, and shares it and its addresses among processes (docs/daemon.md). The
 * main thread is the control thread: it serves the socket, watches the port and takes signals. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/closer.h"
#include "daemon/notify.h"
#include "daemon/server.h"
#include "nic/eal.h"
#include "nic/open_port.h"
#include "nic/settings.h"
#include "port/log.h"

#define PERIOD_MS 50
/* How often the reset of a card is tried, once a period. */
#define RESET_TRIES 200
/* How long clients may come back after a restart of the daemon. They try every 100 ms. */
#define GRACE RN_S(5)
/* Buffers for the frames that wait for one client. */
#define CLIENT_MBUFS 320u

struct daemon {
	struct rn_config cfg;
	const char *path;
	struct rn_claims claims;
	struct rn_port *port;
	struct rte_mempool *pool;
	struct rn_forward *forward;
	struct rn_seats *seats;
	struct rn_server *server;
	struct rn_session_env env;
	struct rn_clock clock;
	bool link_up;
	unsigned failed_resets; /* how often in a row the card could not be reset */
	rn_time watchdog, fed_at;
};

static int usage(FILE *out, int status)
{
	fprintf(out,
		"usage: softrnicd [-c FILE] [-V]\n"
		"Shares the port of the only adapter in FILE among processes, which use it with\n"
		"port = \"daemon\".\n"
		"  -c FILE  configuration (default: $SOFTRNIC_CONFIG)\n"
		"  -V       version\n"
		"SIGHUP reads the limits of clients again. SIGTERM ends the daemon for good;\n"
		"SIGUSR1 ends it for a restart: clients then come back by themselves.\n");
	return status;
}

static rn_time now_of(const struct daemon *d)
{
	return rn_clock_now(&d->clock);
}

/* ---- start ---- */

static int load(struct daemon *d, char *err, size_t errlen)
{
	int rc = rn_config_load(d->path, &d->cfg, err, errlen);

	if (rc != 0)
		return rc;
	if (d->cfg.nadapters != 1 || d->cfg.adapter[0].port == RN_CONFIG_PORT_RING ||
	    d->cfg.adapter[0].port == RN_CONFIG_PORT_DAEMON) {
		snprintf(err, errlen,
			 "%s: softrnicd needs a configuration with exactly one adapter, whose port "
			 "leads to a network",
			 d->path != NULL ? d->path : "the built-in configuration");
		return -EINVAL;
	}
	d->cfg.adapter[0].shards = 1; /* one thread forwards */
	return 0;
}

/* The attributes of the port as clients use them. */
static struct rn_daemon_port describe(const struct daemon *d, const struct rn_port_attr *attr)
{
	struct rn_daemon_port p = {
		.max_qp = d->cfg.daemon.max_qp,
		.has_vlan = attr->has_vlan,
		.ngids = attr->ngids,
		.vlan_tci = attr->vlan_tci,
		.mtu = attr->mtu,
		.max_path_mtu = attr->max_path_mtu,
		.tclass = attr->tclass,
		.hop_limit = attr->hop_limit,
		.link_up = rn_port_link_up(d->port),
		.speed = rn_port_speed(d->port),
		.gateway4 = attr->gateway4,
		.gateway6 = attr->gateway6,
	};

	static_assert(RN_DAEMON_GIDS == RN_PORT_GIDS, "the reply has all addresses");
	memcpy(p.mac, attr->mac, 6);
	memcpy(p.gids, attr->gids, sizeof(p.gids));
	memcpy(p.prefix_len, attr->prefix_len, sizeof(p.prefix_len));
	return p;
}

static void pass_one_turn(struct rn_forward *f, void *arg, rn_time now)
{
}

/* Waits until the forwarding thread is in no burst that began before. */
static void grace(void *arg)
{
	rn_forward_call(arg, pass_one_turn, NULL);
}

static int open_wire(struct daemon *d, char *err, size_t errlen)
{
	unsigned mbufs, room;

	rn_open_port_pool_size(&d->cfg, &mbufs, &room);
	mbufs += d->cfg.daemon.clients * CLIENT_MBUFS;
	int rc = rn_eal_start(&d->cfg, (uint64_t)mbufs * (room + 1024), err, errlen);

	if (rc != 0)
		return rc;
	rn_clock_init(&d->clock);
	d->pool = rn_open_port_pool(&d->cfg, "rn_daemon", mbufs, room);
	if (d->pool == NULL) {
		snprintf(err, errlen, "no memory for %u packet buffers of %u bytes", mbufs, room);
		return -ENOMEM;
	}
	return rn_open_port(
		&d->port,
		&(struct rn_open_port){.cfg = &d->cfg, .pool = d->pool, .claims = &d->claims}, err,
		errlen);
}

/* Was there a daemon before whose clients may come back? */
static bool expects_clients(const struct daemon *d)
{
	return rn_seats_may_return(d->seats) && !rn_client_set_empty(rn_seats_former(d->seats));
}

/* Creates switch and forwarding thread. */
static int start_forward(struct daemon *d, char *err, size_t errlen)
{
	const struct rn_config_adapter *a = &d->cfg.adapter[0];
	const struct rn_config_daemon *c = &d->cfg.daemon;
	struct rn_forward_cfg f = {
		.port = d->port,
		.pool = d->pool,
		.clock = d->clock,
		.burst = d->cfg.limits.burst,
		.spin = RN_US(d->cfg.idle.spin_us),
		.nap = RN_US(d->cfg.idle.sleep_min_us),
		.sleeps = d->cfg.idle.policy == RN_CONFIG_POLICY_ADAPTIVE,
		.cpu = a->lcores.n > 0 ? (int)a->lcores.cpu[0] : -1,
		.iface = a->iface,
		.packets_s = c->packets_per_s,
		.bits_s = c->mbits_per_s * UINT64_C(1000000),
	};
	struct rn_secrets secrets;
	uint8_t mac[6];
	int rc = rn_settings_secrets(&d->cfg, 0, &secrets);

	rn_settings_mac(a, mac);
	if ((a->port == RN_CONFIG_PORT_AF_PACKET || d->port->card) && !a->mac.set)
		memcpy(mac, d->port->mac, 6);
	rn_switch_defaults(&f.sw);
	rn_settings_port(a, mac, &d->cfg.protocol, &f.sw.port);
	rn_settings_core(&d->cfg, 0, &secrets, &f.sw.core);
	f.sw.strict = c->strict;
	f.sw.connections = c->connections;
	f.sw.connection_share = c->connections / 4;
	f.sw.tokens = *rn_seats_key(d->seats);
	f.sw.former = *rn_seats_former(d->seats);
	memcpy(f.sw.epoch, rn_seats_epochs(d->seats), sizeof(f.sw.epoch));
	f.sw.grace = expects_clients(d) ? GRACE : 0;
	d->env.timewait = f.sw.timewait;
	d->env.port = describe(d, &f.sw.port);
	if (rc == 0)
		rc = rn_forward_create(&d->forward, &f);
	if (rc == 0) {
		rn_port_set_grace(d->port, grace, d->forward);
		rc = rn_forward_start(d->forward);
	}
	if (rc == 0) {
		/* Clients join groups, and have IPv6 addresses that hosts look for by
		 * multicasts. */
		rn_port_groups(d->port, NULL, RN_FILTER_ANY);
		rc = rn_port_go(d->port);
	}
	if (rc != 0)
		snprintf(err, errlen, "adapter %s cannot start: %s", a->name, strerror(-rc));
	return rc;
}

/* Numbers that were in use before the start rest until nobody can come back any more. */
static void let_former_rest(struct daemon *d)
{
	const struct rn_client_set *former = rn_seats_former(d->seats);

	if (expects_clients(d)) {
		d->env.expected = *former;
		d->env.expected_until = now_of(d) + GRACE;
	}
	for (unsigned n = rn_client_set_next(former, 1); n <= RN_CLIENT_MAX;
	     n = rn_client_set_next(former, n + 1)) {
		d->env.rests[n] = now_of(d) + GRACE + d->env.timewait;
		d->env.had[n] = (uid_t)-1; /* nobody knows whose it was */
	}
}

/* A client may have hundreds of descriptors here: an eventfd for each end of each ring. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int start(struct daemon *d, char *err, size_t errlen)
{
	const struct rn_config_daemon *c = &d->cfg.daemon;
	char path[128];

	snprintf(path, sizeof(path), "%s.seats", c->socket);
	allow_descriptors();
	int rc = rn_seats_open(&d->seats, path, err, errlen);
	if (rc == 0)
		rc = open_wire(d, err, errlen);
	if (rc == 0)
		rc = rn_vhost_install();
	if (rc == 0)
		rc = rn_closer_start();
	if (rc == 0)
		rc = start_forward(d, err, errlen);
	if (rc != 0)
		return rc;
	d->env.forward = d->forward;
	d->env.seats = d->seats;
	d->env.clients = c->clients;
	d->env.name = d->cfg.adapter[0].name;
	let_former_rest(d);
	return rn_server_open(&d->server, c->socket, c->group, &d->env, err, errlen);
}

/* ---- work ---- */

static void announce(struct rn_forward *f, void *arg, rn_time now)
{
	rn_switch_announce(rn_forward_switch(f));
}

/* Resets a card whose driver has asked for that. A virtual function may not answer until the reset
 * of its physical function has ended, so a reset that fails is tried again at the next calls. */
static void reset_port(struct daemon *d)
{
	char err[256] = "";

	if (rn_forward_reset_port(d->forward, err, sizeof(err)) == 0) {
		d->failed_resets = 0;
		rn_port_groups(d->port, NULL, RN_FILTER_ANY);
		rn_log(CARD_RESET, d->env.name);
	} else if (++d->failed_resets < RESET_TRIES) {
		rn_port_request_reset(d->port);
	} else {
		rn_log(CARD_LOST, d->env.name, err);
		rn_port_lose(d->port);
	}
}

/* Follows the link of the port. Returns false if the port is gone. */
static bool watch_port(struct daemon *d)
{
	rn_claims_accept(&d->claims);
	if (rn_port_reset_due(d->port))
		reset_port(d);
	bool up = rn_port_link_up(d->port);

	if (rn_port_gone(d->port)) {
		rn_log(ADAPTER_GONE, d->env.name);
		return false;
	}
	if (up && !d->link_up) {
		rn_log(LINK_UP, d->env.name);
		rn_forward_call(d->forward, announce, NULL);
	} else if (!up && d->link_up) {
		rn_log(LINK_DOWN, d->env.name);
	}
	d->link_up = up;
	d->env.port.link_up = up;
	return true;
}

/* Assures the service manager that both threads work. */
static void feed_watchdog(struct daemon *d)
{
	rn_time now = now_of(d);

	if (d->watchdog == 0 || now - d->fed_at < d->watchdog)
		return;
	d->fed_at = now;
	rn_forward_call(d->forward, pass_one_turn, NULL);
	rn_notify("WATCHDOG=1");
}

static void set_rates(struct rn_forward *f, void *arg, rn_time now)
{
	const struct rn_config_daemon *c = arg;

	rn_forward_set_rates(f, c->packets_per_s, c->mbits_per_s * UINT64_C(1000000));
}

/* Reads the configuration again, and takes over what may change while clients are attached. */
static void reload(struct daemon *d)
{
	struct daemon *fresh = calloc(1, sizeof(*fresh));
	char err[512] = "no memory";

	rn_notify("RELOADING=1");
	if (fresh != NULL)
		fresh->path = d->path;
	if (fresh == NULL || load(fresh, err, sizeof(err)) != 0) {
		rn_log(RELOAD_FAILED, err);
	} else {
		d->cfg.daemon.packets_per_s = fresh->cfg.daemon.packets_per_s;
		d->cfg.daemon.mbits_per_s = fresh->cfg.daemon.mbits_per_s;
		d->env.clients = fresh->cfg.daemon.clients;
		d->env.port.max_qp = fresh->cfg.daemon.max_qp;
		rn_forward_call(d->forward, set_rates, &d->cfg.daemon);
		rn_log(RELOADED, d->env.name);
	}
	free(fresh);
	rn_notify("READY=1");
}

/* Why the daemon ends. After a loss of its port it is to be started again when the port is back. */
enum ending { ENDS_FOR_GOOD, ENDS_FOR_RESTART, ENDS_WITHOUT_PORT };

/* Serves until a signal or the loss of the port ends the daemon. */
static enum ending serve(struct daemon *d, int signals)
{
	struct signalfd_siginfo sig;

	for (;;) {
		while (read(signals, &sig, sizeof(sig)) == sizeof(sig)) {
			if (sig.ssi_signo != SIGHUP)
				return sig.ssi_signo == SIGUSR1 ? ENDS_FOR_RESTART : ENDS_FOR_GOOD;
			reload(d);
		}
		rn_server_serve(d->server, PERIOD_MS, now_of(d));
		if (!watch_port(d))
			return ENDS_WITHOUT_PORT;
		feed_watchdog(d);
	}
}

static void stop(struct daemon *d, bool restart)
{
	rn_notify("STOPPING=1");
	if (d->server != NULL)
		rn_server_close(d->server, restart);
	if (d->forward != NULL && !restart)
		/* Time for the messages to the peers of the clients. */
		usleep(20000);
	if (d->port != NULL)
		rn_port_hang_up(d->port);
	if (d->forward != NULL) {
		rn_forward_stop(d->forward);
		rn_forward_destroy(d->forward);
	}
	rn_port_close(d->port);
	rn_pool_destroy(d->pool);
	rn_claims_drop(&d->claims);
	if (d->seats != NULL) {
		if (!restart)
			rn_seats_forget(d->seats);
		rn_seats_close(d->seats);
	}
}

/* Blocks the signals that end or reload the daemon in all threads; they are read from the returned
 * descriptor. */
static int take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct daemon *d = calloc(1, sizeof(*d));
	char err[512] = "";
	int o;

	if (d == NULL)
		return 1;
	while ((o = getopt(argc, argv, "c:Vh")) != -1) {
		if (o == 'V') {
			puts("softrnicd " SOFTRNIC_VERSION);
			return 0;
		}
		if (o != 'c')
			return usage(o == 'h' ? stdout : stderr, o == 'h' ? 0 : 2);
		d->path = optarg;
	}
	if (optind < argc)
		return usage(stderr, 2);
	int signals = take_signals();
	d->path = rn_config_path(d->path);
	int rc = load(d, err, sizeof(err));
	if (rc == 0)
		rc = start(d, err, sizeof(err));
	if (rc != 0) {
		fprintf(stderr, "softrnicd: %s\n", err);
		stop(d, true); /* clients of a former daemon may still come back to another one */
		free(d);
		return 1;
	}
	d->watchdog = rn_notify_watchdog();
	rn_log(DAEMON_UP, d->env.name, d->cfg.daemon.socket, d->env.clients);
	rn_notify("READY=1");
	enum ending why = serve(d, signals);
	stop(d, why != ENDS_FOR_GOOD);
	free(d);
	return why == ENDS_WITHOUT_PORT ? 1 : 0;
}
