/* The log. Every message is a row below and becomes one line "softrnic: LEVEL: text" on standard
 * error, through DPDK's log type "softrnic". docs/log.md is generated from the same rows.
 *
 * Any thread may write, but not while the thread polls a shard, because writing may block. */
#ifndef RN_LOG_H
#define RN_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */

/* The levels, most severe first: X(NAME, dpdk, word), where dpdk is the number of the constant
 * RTE_LOG_*. */
#define RN_LOG_LEVEL_ROWS(X) \
	X(ERROR,   4, "error") \
	X(WARNING, 5, "warning") \
	X(NOTICE,  6, "notice") \
	X(INFO,    7, "info") \
	X(DEBUG,   8, "debug")

/* The messages: X(NAME, LEVEL, every_s, text, meaning). The text is a printf format.
 * every_s limits a message that a remote host can cause: at most one line of the message per
 * adapter in every_s seconds. The next line gives the number of suppressed lines. The first
 * argument of such a message is the adapter's name. An every_s of 0 means no limit. */
#define RN_LOG_ROWS(X) \
	X(ADAPTER_UP, INFO, 0, \
	  "adapter %s: up: driver %s, MAC %s, addresses %s, MTU %u, shards %u, idle policy %s, memory %s", \
	  "The adapter is ready. Memory: the size of the process's packet buffers, and whether they are in hugepages.") \
	X(LINK_UP, INFO, 0, \
	  "adapter %s: link up", \
	  "The port carries frames; for memif: the peer is connected.") \
	X(LINK_DOWN, INFO, 0, \
	  "adapter %s: link down", \
	  "Connections end when their peers stay unreachable until the retries run out.") \
	X(ADAPTER_GONE, WARNING, 0, \
	  "adapter %s: its device is gone", \
	  "Every request has completed with an error. Close the adapter; a new start finds a new device.") \
	X(DAEMON_DEFAULT, INFO, 0, \
	  "no configuration: using softrnicd at %s", \
	  "The process has no configuration file, and the daemon answers: the process has one adapter, with a port of the daemon.") \
	X(RING_DEFAULT, INFO, 0, \
	  "no configuration, and no softrnicd at %s: using two adapters joined inside the process", \
	  "Other processes and hosts cannot be reached. Start the daemon, or name a configuration file in `$SOFTRNIC_CONFIG`.") \
	X(DAEMON_LOST, WARNING, 0, \
	  "adapter %s: softrnicd has ended: waiting for the next one", \
	  "No frames pass meanwhile. Connections survive if the daemon is back before the retries of their peers run out.") \
	X(DAEMON_BACK, NOTICE, 0, \
	  "adapter %s: softrnicd is back", \
	  "The adapter has its former number, and has told the daemon about its listeners and connections.") \
	X(DAEMON_REFUSES, ERROR, 0, \
	  "adapter %s: softrnicd does not take the adapter back: %s", \
	  "The daemon came back too late, or with other addresses. The adapter continues as if its device were gone. Close it; a new start attaches to the daemon again.") \
	X(LISTENER_REFUSED, WARNING, 0, \
	  "adapter %s: softrnicd, back again, refuses the listener at port %u: %s", \
	  "Requests for this port do not reach the listener; another client may have the port. Close the listener.") \
	X(CARD_RESET, WARNING, 0, \
	  "adapter %s: its network card was reset", \
	  "The card's driver or an operator asked for it. Frames in the card are lost, and connections go on.") \
	X(CARD_LOST, ERROR, 0, \
	  "adapter %s: its network card does not start again after a reset: %s", \
	  "The adapter continues as if its device were gone. Close it; a new start may find the card working.") \
	X(CONNECTED, INFO, 0, \
	  "adapter %s: connection %s to %s made, queue pair %u", \
	  "The connection is established. Either side may have initiated it.") \
	X(DISCONNECTED, INFO, 0, \
	  "adapter %s: connection %s to %s ended, queue pair %u: %s", \
	  "An established connection has ended; the text gives the reason.") \
	X(NOT_CONNECTED, INFO, 0, \
	  "adapter %s: no connection %s to %s: %s", \
	  "An attempt to connect has failed. After a rejection the text is the reason that the peer gave.") \
	X(QP_ERROR, INFO, 0, \
	  "adapter %s: queue pair %u to %s failed: %s", \
	  "The queue pair is in the error state and its requests are flushed. There is no message when the application itself moved it there.") \
	X(NEWS_LOST, INFO, 0, \
	  "adapter %s: %u more events of connections or queue pairs, not logged one by one", \
	  "More happened at once than the log can record; the count is exact, the details are lost.") \
	X(TABLE_FULL, WARNING, 10, \
	  "adapter %s: no room for another %s: limits.%s is %u", \
	  "The call has failed. Increase the value of the key, or release objects that are no longer needed.") \
	X(HUGEPAGES_SHORT, WARNING, 0, \
	  "not enough free hugepages for %llu MB: using ordinary memory instead", \
	  "The machine has hugepages, but too few are free. Free or add some, or set `eal.hugepages` to no. On a machine without any hugepages there is no message.") \
	X(RECEIVES, INFO, 0, \
	  "port %s receives %s", \
	  "Which frames the network card passes on. The driver was asked for the fewest frames first: those to the adapter's MAC address, broadcasts, and the multicasts of neighbour discovery and of joined groups.") \
	X(MULTICAST_DEAF, WARNING, 0, \
	  "port %s receives no multicast frames: its driver refuses promiscuous mode and reception of all multicast: %s", \
	  "Peers cannot find the adapter's IPv6 addresses, and multicast groups receive nothing unless the driver takes their list. IPv4 works. Give the card other rights; for a virtual function: `ip link set PF vf N trust on`.") \
	X(MAC_KEPT, WARNING, 0, \
	  "port %s: its driver does not give the card its own MAC address back: %s", \
	  "The next driver of the card may take that address for the card's own. Set the address with that driver, or bind the card once more.") \
	X(RSS_ON, INFO, 0, \
	  "port %s: RSS spreads UDP over %s to %u receive queues, by a table of %u entries%s", \
	  "The card does what it was asked for: its hash and its table were read back when the port had started.") \
	X(RSS_UNSEEN, INFO, 0, \
	  "port %s: RSS of UDP over %s was requested, but its driver cannot read it back: %s", \
	  "Frames may arrive in any of the receive queues, or in one only; the counters `port_rx_frames_0` and so on show in which. Shards hand packets over where it is needed.") \
	X(RSS_NONE, INFO, 0, \
	  "port %s: received frames are not spread by RSS: %s", \
	  "A shard that receives a packet for a queue pair of another shard hands it over. That costs time, and the shard which receives may be the slowest.") \
	X(RSS_FAILS, WARNING, 0, \
	  "port %s: RSS was requested, and does not spread received frames: %s", \
	  "Shards hand packets over as they do without RSS. If the table leads to a queue that is not used, packets may be lost: set `shards` to 1, and report the driver.") \
	X(FLOW_RULES, INFO, 0, \
	  "port %s: its driver takes rules that lead connections over %s to the receive queue of their shard", \
	  "A connection whose packets arrive at the wrong shard again and again gets such a rule. The counters `port_flow_rules` and so on count them, `port_handed_off` the packets that had to be handed over.") \
	X(FLOW_RULE_REFUSED, INFO, 60, \
	  "port %s: its driver refuses a rule for a connection: %s", \
	  "The packets of this and of other connections are handed over as without rules. No rule of the same address family is tried for 10 seconds, unless another rule has ended before: the card may have no room for more.") \
	X(DAEMON_UP, NOTICE, 0, \
	  "adapter %s: softrnicd shares the port at %s, up to %u clients", \
	  "Clients can attach.") \
	X(CLIENT_UP, INFO, 0, \
	  "adapter %s: client %u: %s, process %d of user %u", \
	  "A process has attached to softrnicd.") \
	X(CLIENT_DOWN, INFO, 0, \
	  "adapter %s: client %u (%s) is detached: %s", \
	  "The daemon has ended the client's connections. A client whose shared memory is not usable has broken the rules of vhost-user, or has shortened its memory.") \
	X(RELOADED, NOTICE, 0, \
	  "adapter %s: softrnicd has read its limits again", \
	  "SIGHUP. Limits apply to clients that are attached, too.") \
	X(RELOAD_FAILED, WARNING, 0, \
	  "softrnicd keeps its settings: %s", \
	  "SIGHUP, but the configuration has an error.") \
	X(LCORE_UNPINNED, WARNING, 0, \
	  "adapter %s: shard %u is not pinned to CPU %d of lcores: %s", \
	  "The shard works, on any CPU. Name CPUs in `lcores` that exist and that the process may use.") \
	X(LCORE_FAR, WARNING, 0, \
	  "adapter %s: shard %u runs on CPU %d of NUMA node %d, its card is on node %d", \
	  "The shard works, but each frame crosses from one node to the other, which costs throughput and latency. Name CPUs of the card's node in `lcores`; `lscpu` lists them.") \
	X(SEED, WARNING, 0, \
	  "adapter %s: protocol.seed is set, which is for tests: attackers can guess keys and numbers of this adapter", \
	  "Only the memory keys keep a peer away from memory that it was not given access to. Remove `protocol.seed` from the configuration.") \
	X(ADDRESS_CONFLICT, WARNING, 10, \
	  "adapter %s: another host claims an address of this adapter, %llu messages so far", \
	  "Peers may send to the wrong host. Give one of the two hosts another address.") \
	X(VLAN_MISMATCH, WARNING, 600, \
	  "adapter %s: frames of another VLAN are dropped, %llu so far", \
	  "The frames carry the adapter's MAC address or that of a group. Compare `vlan_id` with the peers and the switch.") \
	X(REQUESTS_REFUSED, WARNING, 60, \
	  "adapter %s: connection requests are refused because a backlog or table is full, %llu so far", \
	  "A listener's backlog is full, or the part of `limits.max_cm` that is left for unanswered requests. A flood of requests from an attacker looks the same.") \
	X(NEIGHBOURS_FULL, WARNING, 60, \
	  "adapter %s: all entries of the neighbour table are in use, %llu addresses were not resolved", \
	  "Connections to these addresses fail. Increase `limits.max_neigh`.") \
	X(CAPTURE_LOSES, WARNING, 0, \
	  "capture file %s: frames are lost: %s", \
	  "No more frames can be written, usually because the disk is full. The file stays readable, and the capture continues when there is space again.") \
	X(CAPTURE_LACKS, WARNING, 0, \
	  "capture file %s lacks %llu frames: the disk was full or too slow", \
	  "This message is written when the capture ends. The count includes frames that did not fit into the capture buffer of a busy shard.")

/* clang-format on */

enum rn_log_level {
#define X(name, dpdk, word) RN_LOG_##name = dpdk,
	RN_LOG_LEVEL_ROWS(X)
#undef X
};

enum rn_log_id {
#define X(name, level, every_s, text, meaning) RN_LOG_ID_##name,
	RN_LOG_ROWS(X)
#undef X
		RN_LOG_COUNT
};

struct rn_log_row {
	const char *name, *text, *meaning;
	enum rn_log_level level;
	unsigned every_s;
};

extern const struct rn_log_row rn_log_rows[RN_LOG_COUNT];

/* For each message, a constant with the format of the message. rn_log() passes this constant to let
 * the compiler check the arguments against the format. */
#define X(name, level, every_s, text, meaning) \
	static const char rn_log_text_##name[] __attribute__((unused)) = text;
RN_LOG_ROWS(X)
#undef X

/* Sets the log level: messages of `level` and of more severe levels are written. Before the first
 * call, only messages of WARNING and ERROR are written. */
void rn_log_open(enum rn_log_level level);

/* Is the level of this message enabled? If not, callers need not compute the arguments of the
 * message. */
bool rn_log_wants(enum rn_log_id id);

/* Writes the message of row `name`. Example: rn_log(LCORE_UNPINNED, adapter, shard, cpu,
 * strerror(err)). */
#define rn_log(name, ...) rn_log_write(RN_LOG_ID_##name, rn_log_text_##name, __VA_ARGS__)

__attribute__((format(printf, 2, 3))) void rn_log_write(enum rn_log_id id, const char *text, ...);

/* Applies the rate limit. Returns true if message `id` about this adapter may be written now. Sets
 * *left_out to the number of lines of this message suppressed since the last line written. now_s is
 * the time of any monotonic clock in whole seconds. */
bool rn_log_may(enum rn_log_id id, const char *adapter, uint64_t now_s, uint32_t *left_out);

const char *rn_log_level_word(enum rn_log_level level);

#endif
