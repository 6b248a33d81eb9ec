/* Rules of a network card that lead the packets of one connection to the receive queue of the shard
 * that owns the connection's queue pair. RSS knows nothing of shards, so without rules most packets
 * arrive at another shard, which hands them over (steer.h).
 *
 * A shard to which others hand over packets of a queue pair again and again asks for a rule
 * (rn_flow_rule_wish()). The watcher thread calls the driver (rn_flow_rule_watch()), which may take
 * milliseconds. Control threads end the rules of a queue pair that is destroyed or connected anew
 * (rn_flow_rule_end()). docs/decisions/0014-flow-rules.md has the reasons. */
#ifndef RN_FLOW_RULE_H
#define RN_FLOW_RULE_H

#include <stdint.h>

#include "base/types.h"

struct rn_flow_rules;
struct rn_pkt;
struct rn_port;

/* Number of packets of one queue pair that are handed over between two wishes for a rule. A rule
 * costs the driver up to milliseconds, and a hand-off costs the shards less than a microsecond, so
 * short connections are better off without. */
#define RN_FLOW_RULE_AFTER 64u
/* Maximum number of rules of a port. It bounds what peers can make the card and the watcher do.
 * Many cards take fewer, and refuse the rest. */
#define RN_FLOW_RULES_MAX 256u

/* clang-format off */
#define RN_FLOW_RULE_STAT_ROWS(X) /* the counters of a port's rules: name, description */ \
	X(flow_rules,         "rules that the card has taken, each for the packets of one queue pair") \
	X(flow_rules_ended,   "of these, rules that were taken back") \
	X(flow_rules_refused, "rules that the card's driver has refused")
/* clang-format on */

struct rn_flow_rule_stats {
#define X(name, text) uint64_t name;
	RN_FLOW_RULE_STAT_ROWS(X)
#undef X
};

/* Asks the driver of a started port whether it takes such rules, and creates the table for them.
 * Returns NULL if it does not, if the port has one receive queue or a VLAN, or if there is no
 * memory; the port then works without rules. All other functions accept NULL. Runs in a control
 * thread. */
struct rn_flow_rules *rn_flow_rule_create(const struct rn_port *port);
void rn_flow_rule_destroy(struct rn_flow_rules *rules);

/* Asks for a rule for packets like *pkt, which the queue pair pkt->dest_qpn has accepted from its
 * peer. The rule leads them to the receive queue of this shard. Has no effect if too many wishes
 * wait. To be called by the thread of the shard. */
void rn_flow_rule_wish(struct rn_flow_rules *rules, unsigned shard, const struct rn_pkt *pkt);

/* Ends the rule of the queue pair: the watcher will take it back. To be called after the shard has
 * destroyed the queue pair or has left the state in which it accepts packets. Any thread except
 * those of shards may call this function. */
void rn_flow_rule_end(struct rn_flow_rules *rules, uint32_t qpn);

/* Makes the rules that shards have asked for, and takes back those that have ended. To be called by
 * the watcher thread. Does not call the driver while the port is `quiet`: the device is removed, or
 * is to be reset. The caller prevents that this is done during the call. */
void rn_flow_rule_watch(struct rn_flow_rules *rules, rn_time now);

/* Takes all rules back, and drops all wishes. To be called before the device is stopped or reset;
 * no other thread may be in rn_flow_rule_watch(). */
void rn_flow_rule_flush(struct rn_flow_rules *rules);

/* Any thread may read the counters. */
void rn_flow_rule_stats(struct rn_flow_rules *rules, struct rn_flow_rule_stats *out);

#endif
