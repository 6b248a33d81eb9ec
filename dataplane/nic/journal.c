/* Which messages does an adapter write to the log? Only control threads and the watcher thread
 * write, because writing may block. Shards queue their news (connections made or ended, QPs in
 * error) with rn_journal_queue(), and the watcher thread writes the news. */
#include "nic/journal.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <rte_lcore.h>

#include "wire/frame.h"
#include "port/log.h"
#include "port/numa.h"
#include "nic/nic.h"
#include "wire/stats.h"
#include "nic/settings.h"

#define ADDRESSES_LEN (RN_PORT_GIDS * (INET6_ADDRSTRLEN + 5))

/* Prints an address into `out`: an IPv4 address in dotted form, not as ::ffff:a.b.c.d. */
static const char *print_address(const struct rn_gid *gid, char out[INET6_ADDRSTRLEN])
{
	bool mapped = rn_gid_is_ipv4(gid);

	return inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? gid->b + 12 : gid->b, out,
			 INET6_ADDRSTRLEN);
}

/* Prints all addresses of the port with their prefix lengths, in the format of the configuration
 * file. */
static void print_addresses(const struct rn_port_attr *port, char *out, size_t len)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < port->ngids && used < len; i++) {
		const struct rn_gid *gid = &port->gids[i];
		char text[INET6_ADDRSTRLEN];
		bool mapped = rn_gid_is_ipv4(gid);

		inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? gid->b + 12 : gid->b, text,
			  sizeof(text));
		used += (size_t)snprintf(out + used, len - used, "%s%s/%u", i > 0 ? " " : "", text,
					 port->prefix_len[i]);
	}
}

/* Returns the NUMA node of a CPU, or -1 if it is unknown. DPDK's table has an entry for each CPU of
 * the machine, whether it is an lcore of EAL or not. */
static int node_of(int cpu)
{
	return cpu < 0 || cpu >= RTE_MAX_LCORE ? -1 : (int)rte_lcore_to_socket_id((unsigned)cpu);
}

/* Logs each shard whose thread could not be pinned to the configured CPU, or whose CPU is far from
 * the card. */
static void report_lcores(const struct rn_nic *nic)
{
	for (unsigned i = 0; i < nic->nshards; i++)
		if (nic->lcore[i].pin_error != 0)
			rn_log(LCORE_UNPINNED, nic->name, i, nic->lcore[i].cpu,
			       strerror(nic->lcore[i].pin_error));
	for (unsigned i = 0; i < nic->nshards; i++) {
		int cpu = nic->lcore[i].cpu, node = node_of(cpu);
		if (nic->lcore[i].pin_error == 0 && rn_numa_far(nic->port->node, node))
			rn_log(LCORE_FAR, nic->name, i, cpu, node, nic->port->node);
	}
}

void rn_journal_up(const struct rn_nic *nic, uint64_t memory_mb, bool hugepages)
{
	const uint8_t *m = nic->attr.mac;
	char addresses[ADDRESSES_LEN], mac[18], memory[64];

	print_addresses(&nic->attr, addresses, sizeof(addresses));
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
		 m[5]);
	snprintf(memory, sizeof(memory), "%llu MB %s hugepages", (unsigned long long)memory_mb,
		 hugepages ? "in" : "without");
	rn_log(ADAPTER_UP, nic->name, nic->port->driver, mac, addresses, nic->attr.mtu,
	       nic->nshards, rn_settings_policy_word(nic->cfg->idle.policy), memory);
	report_lcores(nic);
}

void rn_journal_link(const struct rn_nic *nic, bool up)
{
	if (up)
		rn_log(LINK_UP, nic->name);
	else
		rn_log(LINK_DOWN, nic->name);
}

/* Logs the loss and return of the carrier. Clients get no event, because connections survive a
 * short loss of the carrier. */
static void log_carrier_change(struct rn_nic *nic)
{
	bool no_carrier = !rn_port_carrier(nic->port);

	if (no_carrier != nic->journal.no_carrier)
		rn_journal_link(nic, !no_carrier);
	nic->journal.no_carrier = no_carrier;
}

void rn_journal_gone(const struct rn_nic *nic)
{
	rn_log(ADAPTER_GONE, nic->name);
}

void rn_journal_reset(const struct rn_nic *nic, const char *failure)
{
	if (failure == NULL)
		rn_log(CARD_RESET, nic->name);
	else
		rn_log(CARD_LOST, nic->name, failure);
}

/* Returns the limit in effect. For max_cm, a configured 0 stands for a default that depends on
 * other keys. Every other limit is in effect as configured. */
static uint32_t used(const struct rn_nic *nic, const uint32_t *limit)
{
	return limit == &nic->cfg->limits.max_cm ? nic->core.max_cm : *limit;
}

/* Logs that command `op` failed because a table is full. For each such command,
 * RN_JOURNAL_TABLE_ROWS names the object and the configuration key that sets the limit. */
void rn_journal_full(const struct rn_nic *nic, unsigned op)
{
	const struct rn_config_limits *limits = &nic->cfg->limits;

	switch (op) {
#define X(command, object, key)                                                       \
	case RN_CMD_##command:                                                        \
		rn_log(TABLE_FULL, nic->name, object, #key, used(nic, &limits->key)); \
		break;
		RN_JOURNAL_TABLE_ROWS(X)
#undef X
	}
}

/* ---- news from the shards: connections made or ended, QPs in error ---- */

void rn_journal_init(struct rn_journal *j)
{
	pthread_mutex_init(&j->lock, NULL);
}

void rn_journal_fini(struct rn_journal *j)
{
	pthread_mutex_destroy(&j->lock);
}

/* All messages about news (connections made or ended, QPs in error) have the log level of the
 * message CONNECTED. If the log drops messages of this level, queues nothing. */
void rn_journal_queue(struct rn_nic *nic, const struct rn_news *news)
{
	struct rn_journal *j = &nic->journal;

	if (!rn_log_wants(RN_LOG_ID_CONNECTED))
		return;
	pthread_mutex_lock(&j->lock);
	if (news->kind == RN_NEWS_LOST)
		j->lost += news->lost;
	else if (j->nnews == RN_JOURNAL_NEWS)
		j->lost++;
	else
		j->news[j->nnews++] = *news;
	pthread_mutex_unlock(&j->lock);
}

#define ENDPOINT_LEN (INET6_ADDRSTRLEN + 8)

/* Prints an address with a port number: "192.0.2.1:7471" or "[2001:db8::1]:7471". */
static const char *endpoint(const struct rn_gid *gid, uint16_t port, char out[ENDPOINT_LEN])
{
	char text[INET6_ADDRSTRLEN];

	print_address(gid, text);
	snprintf(out, ENDPOINT_LEN, rn_gid_is_ipv4(gid) ? "%s:%u" : "[%s]:%u", text, port);
	return out;
}

static void write_news(const struct rn_nic *nic, const struct rn_news *n)
{
	char local[ENDPOINT_LEN], peer[ENDPOINT_LEN];

	endpoint(&n->local, n->port, local);
	endpoint(&n->peer, n->peer_port, peer);
	switch (n->kind) {
	case RN_NEWS_CONNECTED:
		rn_log(CONNECTED, nic->name, local, peer, n->qpn);
		break;
	case RN_NEWS_DISCONNECTED:
		rn_log(DISCONNECTED, nic->name, local, peer, n->qpn, n->why);
		break;
	case RN_NEWS_NOT_CONNECTED:
		rn_log(NOT_CONNECTED, nic->name, local, peer, n->why);
		break;
	case RN_NEWS_QP_ERROR:
		rn_log(QP_ERROR, nic->name, n->qpn, print_address(&n->peer, peer), n->why);
		break;
	}
}

/* Writes the queued news (connections made or ended, QPs in error) to the log. Copies the news
 * under the lock and writes the copy after unlocking, so a shard never waits for the log. */
static void write_all_news(struct rn_nic *nic)
{
	struct rn_journal *j = &nic->journal;
	struct rn_news news[RN_JOURNAL_NEWS];

	pthread_mutex_lock(&j->lock);
	unsigned n = j->nnews;
	uint32_t lost = j->lost;
	memcpy(news, j->news, n * sizeof(*news));
	j->nnews = 0;
	j->lost = 0;
	pthread_mutex_unlock(&j->lock);
	for (unsigned i = 0; i < n; i++)
		write_news(nic, &news[i]);
	if (lost > 0)
		rn_log(NEWS_LOST, nic->name, lost);
}

/* Logs each counter that has grown since the last call. */
static void compare_counters(struct rn_nic *nic)
{
	struct rn_stats sum = {0};

	for (unsigned i = 0; i < nic->nshards; i++)
		rn_stats_add(&sum, rn_shard_stats(nic->lcore[i].shard));
#define X(id, field)                                                  \
	if (sum.field != nic->journal.id)                             \
		rn_log(id, nic->name, (unsigned long long)sum.field); \
	nic->journal.id = sum.field;
	RN_JOURNAL_COUNTER_ROWS(X)
#undef X
}

void rn_journal_watch(struct rn_nic *nic)
{
	write_all_news(nic);
	compare_counters(nic);
	log_carrier_change(nic);
}
