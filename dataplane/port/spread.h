/* Are received frames spread over the receive queues of a port, of which each shard polls its own?
 * A network card does that by RSS (receive side scaling): a hash of the addresses and UDP ports
 * selects an entry of a table, and the entry names a queue. A shard that receives a packet of
 * another shard's queue pair hands the packet over (steer.h), so a port without RSS works too.
 * Runs in the control thread. */
#ifndef RN_SPREAD_H
#define RN_SPREAD_H

struct rn_port;
struct rte_eth_conf;
struct rte_eth_dev_info;

/* Requests RSS in *conf if the port has several receive queues and its driver offers RSS for
 * UDP. */
void rn_spread_ask(const struct rn_port *port, const struct rte_eth_dev_info *info,
		   struct rte_eth_conf *conf);

/* Reads back from the started device whether it hashes UDP and whether its table leads to every
 * receive queue. Writes the table if it does not. The result is one line of the log. `wanted` is
 * the number of receive queues that the adapter has a use for, one per shard. */
void rn_spread_check(const struct rn_port *port, const struct rte_eth_conf *conf, unsigned wanted);

#endif
