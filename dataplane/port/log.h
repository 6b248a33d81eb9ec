/* What softrnic says to whoever runs it. Every message is a row below: one line on standard error
 * through DPDK's log type "softrnic", "softrnic: LEVEL: text". docs/log.md is printed from the same
 * rows.
 *
 * Any thread but one that makes a shard's turn: writing may block. */
#ifndef RN_LOG_H
#define RN_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */

/* X(NAME, dpdk, word): the levels, most severe first; dpdk is the number of RTE_LOG_*. */
#define RN_LOG_LEVEL_ROWS(X) \
	X(ERROR,   4, "error") \
	X(WARNING, 5, "warning") \
	X(NOTICE,  6, "notice") \
	X(INFO,    7, "info") \
	X(DEBUG,   8, "debug")

/* X(NAME, LEVEL, every_s, text, meaning). The text is a printf format. every_s: for what strangers can bring about, at
 * most one line of that kind and adapter, whose name is the first argument, in so many seconds; the next line says how many
 * were left out. 0 = no limit. */
#define RN_LOG_ROWS(X) \
	X(ADAPTER_UP, INFO, 0, \
	  "adapter %s: up: driver %s, MAC %s, addresses %s, MTU %u, shards %u, idle policy %s, memory %s", \
	  "The adapter is ready. Memory: what packet buffers of the process take, and whether in hugepages.") \
	X(LINK_UP, INFO, 0, \
	  "adapter %s: link up", \
	  "The port carries frames; for memif: the peer is there.") \
	X(LINK_DOWN, INFO, 0, \
	  "adapter %s: link down", \
	  "Connections end when their peers cannot be reached for long.") \
	X(ADAPTER_GONE, WARNING, 0, \
	  "adapter %s: its device is gone", \
	  "Every request has completed with an error. Close the adapter; a new start finds a new device.") \
	X(CONNECTED, INFO, 0, \
	  "adapter %s: connection %s to %s made, queue pair %u", \
	  "The connection is established. Either side may have asked for it.") \
	X(DISCONNECTED, INFO, 0, \
	  "adapter %s: connection %s to %s ended, queue pair %u: %s", \
	  "Why an established connection has ended.") \
	X(NOT_CONNECTED, INFO, 0, \
	  "adapter %s: no connection %s to %s: %s", \
	  "An attempt to connect has failed. After a rejection the text is the reason that the peer gave.") \
	X(QP_ERROR, INFO, 0, \
	  "adapter %s: queue pair %u to %s failed: %s", \
	  "The queue pair is in the error state and its requests are flushed. There is no message when the application itself moved it there.") \
	X(NEWS_LOST, INFO, 0, \
	  "adapter %s: %u more connections or queue pairs came or went", \
	  "More happened at once than the log has room for; the count is right, the details are lost.") \
	X(TABLE_FULL, WARNING, 10, \
	  "adapter %s: no room for another %s: limits.%s is %u", \
	  "The call has failed. Give the key a larger number, or release what is not needed any more.") \
	X(HUGEPAGES_SHORT, WARNING, 0, \
	  "no hugepages to be had for %llu MB: ordinary memory instead", \
	  "The machine has hugepages, but too few are free. Free or add some, or set `eal.hugepages` to no. On a machine without any hugepages there is no message.") \
	X(LCORE_UNPINNED, WARNING, 0, \
	  "adapter %s: shard %u is not pinned to CPU %d of lcores: %s", \
	  "The shard works, on any CPU. Name CPUs in `lcores` that exist and that the process may use.") \
	X(SEED, WARNING, 0, \
	  "adapter %s: protocol.seed is set, which is for tests: strangers can guess keys and numbers of this adapter", \
	  "Keys of memory are all that keeps a peer out of what it was not given. Take `protocol.seed` out of the configuration.") \
	X(ADDRESS_CONFLICT, WARNING, 10, \
	  "adapter %s: another station claims an address of this adapter, %llu messages so far", \
	  "Peers may send to the wrong station. Give one of the two another address.") \
	X(VLAN_MISMATCH, WARNING, 600, \
	  "adapter %s: frames of another VLAN are dropped, %llu so far", \
	  "The frames carry the adapter's MAC address or that of a group. Compare `vlan_id` with the peers and the switch.") \
	X(REQUESTS_REFUSED, WARNING, 60, \
	  "adapter %s: connection requests are refused for want of room, %llu so far", \
	  "A listener's backlog is full, or what `limits.max_cm` leaves to requests that are not answered yet. A flood from strangers looks the same.") \
	X(NEIGHBOURS_FULL, WARNING, 60, \
	  "adapter %s: all entries of the neighbour table are in use, %llu addresses were not asked for", \
	  "Connections to these addresses fail. Give `limits.max_neigh` a larger number.") \
	X(CAPTURE_LOSES, WARNING, 0, \
	  "capture file %s: frames are lost: %s", \
	  "The file takes no more frames, usually because the disk is full. What is in it stays readable, and the capture goes on when there is room again.") \
	X(CAPTURE_LACKS, WARNING, 0, \
	  "capture file %s lacks %llu frames: the disk was full or too slow", \
	  "This message comes when the capture ends. The count includes frames for which a busy shard had no room.")

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

/* The formats once more, as constants that the compiler checks arguments against. */
#define X(name, level, every_s, text, meaning) \
	static const char rn_log_text_##name[] __attribute__((unused)) = text;
RN_LOG_ROWS(X)
#undef X

/* Messages from `level` on, more severe ones included, are written from now on; before the first
 * call those from WARNING on. */
void rn_log_open(enum rn_log_level level);

/* Would this message be written? For callers whose arguments cost something. */
bool rn_log_wants(enum rn_log_id id);

/* rn_log(LCORE_UNPINNED, adapter, shard, cpu, strerror(err)) */
#define rn_log(name, ...) rn_log_write(RN_LOG_ID_##name, rn_log_text_##name, __VA_ARGS__)

__attribute__((format(printf, 2, 3))) void rn_log_write(enum rn_log_id id, const char *text, ...);

/* May a message of this row about this adapter be written now? *left_out: those withheld since the
 * last one. now_s: any clock in whole seconds. */
bool rn_log_may(enum rn_log_id id, const char *adapter, uint64_t now_s, uint32_t *left_out);

const char *rn_log_level_word(enum rn_log_level level);

#endif
