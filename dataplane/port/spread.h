/* Are received frames spread over the receive queues of a port, of which each shard polls its own?
 * A network card does that by RSS (receive side scaling): a hash of the addresses and UDP ports
 * selects an entry of a table, and the entry names a queue. A shard that receives a packet of
 * another shard's queue pair hands the packet over (steer.h), so a port without RSS works too.
 * Runs in the control thread. */
#ifndef RN_SPREAD_H
#define RN_SPREAD_H

#include <stdint.h>

#include "rn/abi.h"

struct rn_port;
struct rte_eth_conf;
struct rte_eth_dev_info;

/* Bytes of the key that the hash of an IPv6 packet uses: its 36 bytes of addresses and ports, and
 * four more. */
#define RN_SPREAD_KEY_BYTES 40

/* The RSS of a card, as its driver reports it: which queue gets which packet. */
struct rn_spread {
	uint64_t hash; /* the RTE_ETH_RSS_... kinds of UDP packets that are hashed; 0: not known */
	uint32_t key[RN_SPREAD_KEY_BYTES / 4]; /* in the order of bytes of the network */
	uint32_t size;			       /* entries of the table, a power of two */
	uint8_t *queue;			       /* the table, owned here */
};

/* Requests RSS in *conf if the port has several receive queues and its driver offers RSS for
 * UDP. */
void rn_spread_ask(const struct rn_port *port, const struct rte_eth_dev_info *info,
		   struct rte_eth_conf *conf);

/* Reads back from the started device whether it hashes UDP and whether its table leads to every
 * receive queue. Writes the table if it does not. The result is one line of the log. `wanted` is
 * the number of receive queues that the adapter has a use for, one per shard. Fills port->spread
 * anew; no shard may be reading it. */
void rn_spread_check(struct rn_port *port, const struct rte_eth_conf *conf, unsigned wanted);

/* Returns the receive queue that gets the RoCE packets from the address `from` and the UDP source
 * port `sport` to the address `to`. Returns -1 if that is not known: the port does not spread such
 * packets by RSS, or its driver does not tell how, or the card is being reset. The result
 * is wrong if the card does not use the Toeplitz hash; DPDK 22.11 cannot ask a driver about that.
 * A shard may call this during a turn. */
int rn_spread_queue(const struct rn_port *port, const struct rn_gid *from, const struct rn_gid *to,
		    uint16_t sport);

/* Forgets what is known of the card's RSS, and frees the table. */
void rn_spread_forget(struct rn_spread *spread);

#endif
