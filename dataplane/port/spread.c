/* Asks a driver for RSS, checks what came of it, and predicts which queue a packet comes to. Owns
 * the copy of the card's table. Runs in the control thread, except rn_spread_queue(). */
#include "port/spread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_thash.h>

#include "port/log.h"
#include "port/port.h"
#include "wire/frame.h"
#include "wire/hdr.h"

#define UDP_V4	 RTE_ETH_RSS_NONFRAG_IPV4_UDP
#define UDP_V6	 RTE_ETH_RSS_NONFRAG_IPV6_UDP
#define UDP_HASH (UDP_V4 | UDP_V6)
/* Entries of the table in one struct rte_eth_rss_reta_entry64. */
#define GROUP RTE_ETH_RETA_GROUP_SIZE

void rn_spread_ask(const struct rn_port *port, const struct rte_eth_dev_info *info,
		   struct rte_eth_conf *conf)
{
	uint64_t offered = info->flow_type_rss_offloads & UDP_HASH;

	if (port->nrxq < 2 || offered == 0)
		return;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = offered;
}

static const char *families(uint64_t hash)
{
	if ((hash & UDP_HASH) == UDP_HASH)
		return "IPv4 and IPv6";
	return (hash & UDP_V4) != 0 ? "IPv4" : "IPv6";
}

/* Marks all entries as those that a call is about. The mask of the last group has no bits for
 * entries beyond the end of the table. */
static void mark_all(struct rte_eth_rss_reta_entry64 *table, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		table[i / GROUP].mask |= UINT64_C(1) << (i % GROUP);
}

/* Returns true if the table leads to each receive queue of the port and to no other queue; else
 * `why` tells what is wrong. */
static bool leads_well(const struct rn_port *port, const struct rte_eth_rss_reta_entry64 *table,
		       unsigned size, char *why, size_t len)
{
	bool reached[RN_MAX_SHARDS] = {false};

	for (unsigned i = 0; i < size; i++) {
		unsigned queue = table[i / GROUP].reta[i % GROUP];
		if (queue >= port->nrxq) {
			snprintf(why, len, "its table leads to queue %u, which is not used", queue);
			return false;
		}
		reached[queue] = true;
	}
	for (unsigned queue = 0; queue < port->nrxq; queue++)
		if (!reached[queue]) {
			snprintf(why, len, "its table does not lead to queue %u", queue);
			return false;
		}
	return true;
}

/* Writes a table in which the queues take turns. Returns 0 or -errno. */
static int write_table(const struct rn_port *port, struct rte_eth_rss_reta_entry64 *table,
		       unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		table[i / GROUP].reta[i % GROUP] = (uint16_t)(i % port->nrxq);
	return rte_eth_dev_rss_reta_update(port->id, table, (uint16_t)size);
}

/* Reads the table, and writes it if it does not lead to every queue. Returns 0, or -errno if the
 * table cannot be read. `why` must be empty; it stays so if the table is right, else it tells what
 * is wrong. *written tells whether the table was written. */
static int mend_table(const struct rn_port *port, struct rte_eth_rss_reta_entry64 *table,
		      unsigned size, bool *written, char *why, size_t len)
{
	int rc = rte_eth_dev_rss_reta_query(port->id, table, (uint16_t)size);

	*written = false;
	if (rc != 0 || leads_well(port, table, size, why, len))
		return rc;
	if (write_table(port, table, size) != 0)
		return 0;
	*written = true;
	rc = rte_eth_dev_rss_reta_query(port->id, table, (uint16_t)size);
	if (rc == 0 && leads_well(port, table, size, why, len))
		why[0] = '\0';
	return rc;
}

void rn_spread_forget(struct rn_spread *spread)
{
	free(spread->queue);
	*spread = (struct rn_spread){0};
}

/* Reads the key of the hash. Returns false if the driver does not tell it. */
static bool read_key(const struct rn_port *port, const struct rte_eth_dev_info *info,
		     uint32_t out[RN_SPREAD_KEY_BYTES / 4])
{
	static const uint8_t zero[RN_SPREAD_KEY_BYTES];
	/* Some drivers write a key of the length in info->hash_key_size, which has 8 bits,
	 * whatever the length of the buffer. */
	uint8_t key[UINT8_MAX + 1] = {0};
	struct rte_eth_rss_conf rss = {.rss_key = key, .rss_key_len = UINT8_MAX};

	if (info->hash_key_size < RN_SPREAD_KEY_BYTES ||
	    rte_eth_dev_rss_hash_conf_get(port->id, &rss) != 0)
		return false;
	memcpy(out, key, RN_SPREAD_KEY_BYTES);
	/* A driver that does not know its key leaves the buffer as it was. */
	return memcmp(key, zero, RN_SPREAD_KEY_BYTES) != 0;
}

/* Keeps what rn_spread_queue() needs. Without it, the queue of a packet stays unknown. */
static void remember(struct rn_port *port, const struct rte_eth_dev_info *info, uint64_t hash,
		     const struct rte_eth_rss_reta_entry64 *table)
{
	struct rn_spread *spread = &port->spread;
	unsigned size = info->reta_size;

	/* Cards take the low bits of the hash as the index, so a table of another size is used in a
	 * way that is not known. */
	if ((size & (size - 1)) != 0 || !read_key(port, info, spread->key))
		return;
	spread->queue = calloc(size, sizeof(*spread->queue));
	if (spread->queue == NULL)
		return;
	for (unsigned i = 0; i < size; i++)
		spread->queue[i] = (uint8_t)table[i / GROUP].reta[i % GROUP];
	spread->size = size;
	spread->hash = hash;
}

int rn_spread_queue(const struct rn_port *port, const struct rn_gid *from, const struct rn_gid *to,
		    uint16_t sport)
{
	const struct rn_spread *spread = &port->spread;
	const bool ipv4 = rn_gid_is_ipv4(from);
	const unsigned first = ipv4 ? 12 : 0; /* where the IP address begins in a GID */
	uint32_t tuple[9];		      /* addresses and ports: source, destination */
	unsigned words = 0;

	/* While the card is reset the control thread fills *spread anew. The acquire order and the
	 * grace period after `quiet` was set keep the two apart, as for bursts. */
	if (atomic_load_explicit(&port->quiet, memory_order_acquire) != 0 ||
	    (spread->hash & (ipv4 ? UDP_V4 : UDP_V6)) == 0)
		return -1;
	for (unsigned i = first; i < 16; i += 4)
		tuple[words++] = rn_load32(from->b + i);
	for (unsigned i = first; i < 16; i += 4)
		tuple[words++] = rn_load32(to->b + i);
	tuple[words++] = (uint32_t)sport << 16 | RN_ROCE_PORT;

	uint32_t hash = rte_softrss(tuple, words, (const uint8_t *)spread->key);
	return spread->queue[hash & (spread->size - 1)];
}

/* Checks a port whose driver was asked for RSS. Returns 0 after a line in the log, or -errno if the
 * driver cannot read it back. */
static int check_hash(struct rn_port *port, uint64_t *hash)
{
	struct rte_eth_rss_conf rss = {0};
	struct rte_eth_dev_info info;
	char why[96] = "";
	bool written;
	int rc = rte_eth_dev_rss_hash_conf_get(port->id, &rss);

	if (rc != 0)
		return rc;
	*hash &= rss.rss_hf;
	if (*hash == 0) {
		rn_log(RSS_FAILS, port->name, "UDP is not hashed, although the driver offers it");
		return 0;
	}
	/* Ask again: the length of the table may depend on how the device was configured. */
	rc = rte_eth_dev_info_get(port->id, &info);
	if (rc != 0 || info.reta_size == 0)
		return rc != 0 ? rc : -ENOTSUP;
	struct rte_eth_rss_reta_entry64 *table =
		calloc((info.reta_size + GROUP - 1u) / GROUP, sizeof(*table));
	if (table == NULL)
		return -ENOMEM;
	mark_all(table, info.reta_size);
	rc = mend_table(port, table, info.reta_size, &written, why, sizeof(why));
	if (rc == 0 && why[0] == '\0')
		remember(port, &info, *hash, table);
	free(table);
	if (rc != 0)
		return rc;
	if (why[0] != '\0')
		rn_log(RSS_FAILS, port->name, why);
	else
		rn_log(RSS_ON, port->name, families(*hash), port->nrxq, info.reta_size,
		       written ? ", which softrnic has written" : "");
	return 0;
}

void rn_spread_check(struct rn_port *port, const struct rte_eth_conf *conf, unsigned wanted)
{
	uint64_t hash = conf->rx_adv_conf.rss_conf.rss_hf;

	rn_spread_forget(&port->spread);
	if (conf->rxmode.mq_mode == RTE_ETH_MQ_RX_RSS) {
		int rc = check_hash(port, &hash);
		if (rc != 0)
			rn_log(RSS_UNSEEN, port->name, families(hash), strerror(-rc));
	} else if (port->card && wanted > 1) {
		/* Over the queues of a software port the peer or the kernel spreads the frames. */
		rn_log(RSS_NONE, port->name,
		       port->nrxq < 2 ? "the port has one receive queue"
				      : "its driver offers no RSS for UDP");
	}
}
