/* All counters: one for each verdict on a received packet (verdict.h) and one for each row below. A
 * shard is the part of the NIC that one thread serves. Each shard has its own struct rn_stats,
 * which the shard's thread writes; readers add up the structs of all shards. */
#ifndef RN_STATS_H
#define RN_STATS_H

#include <stdint.h>

#include "wire/verdict.h"

/* clang-format off */
#define RN_STAT_ROWS(X) /* columns: field, text */ \
	X(rx_packets,         "packets received") \
	X(rx_bytes,           "bytes received, Ethernet header included") \
	X(rx_copies,          "multicast datagrams delivered, each member counted") \
	X(rx_ecn_marked,      "packets received with congestion experienced") \
	X(tx_packets,         "packets sent") \
	X(tx_bytes,           "bytes sent, Ethernet header included") \
	X(tx_requests,        "request packets sent, first time") \
	X(tx_retransmitted,   "request packets sent again") \
	X(tx_patches,         "lost packets sent again alone, included in those sent again") \
	X(rx_kept,            "packets kept that arrived ahead of a lost one") \
	X(tx_acks,            "ACKs sent") \
	X(tx_naks,            "NAKs sent") \
	X(tx_rnr_naks,        "RNR NAKs sent") \
	X(tx_read_responses,  "READ response packets sent") \
	X(tx_reads_given_up,  "READ responses ended early: the memory was deregistered") \
	X(tx_atomic_acks,     "responses to atomics sent") \
	X(tx_ud_too_long,     "datagrams not sent: longer than one packet can be") \
	X(tx_mads,            "management datagrams sent") \
	X(tx_arp_nd,          "ARP and neighbour discovery messages and echo replies sent") \
	X(address_conflicts,  "ARP and neighbour messages in which another host claims an address of this port") \
	X(neigh_full,         "addresses not resolved: every entry of the neighbour table was in use") \
	X(tx_given_up,        "management and neighbour messages dropped because a queue or table was full") \
	X(timeouts,           "retransmission timer expiries") \
	X(timeouts_early,     "expiries of the adaptive timer, which count as no retry") \
	X(rnr_waits,          "waits after RNR NAK") \
	X(retry_exceeded,     "QPs that ran out of retries") \
	X(rnr_retry_exceeded, "QPs that ran out of RNR retries") \
	X(posts,              "work requests taken from submission rings") \
	X(posts_dropped,      "work requests dropped: no such QP, or malformed") \
	X(done_send,          "SENDs completed") \
	X(done_write,         "WRITEs completed") \
	X(done_write_imm,     "WRITEs with immediate data completed") \
	X(done_read,          "READs completed") \
	X(done_atomic,        "atomics completed") \
	X(done_recv,          "receives completed") \
	X(done_bind,          "window bindings completed") \
	X(done_invalidate,    "window invalidations completed") \
	X(srq_taken,          "receives taken from shared receive queues") \
	X(done_error,         "completions in error, flushes excluded") \
	X(done_flushed,       "completions flushed") \
	X(bytes_sent,         "payload bytes of completed SENDs and WRITEs") \
	X(bytes_received,     "payload bytes of completed receives, READs and atomics") \
	X(qp_errors,          "QPs that entered the error state") \
	X(cq_overruns,        "completions lost to a full CQ") \
	X(uc_given_up,        "UC messages discarded: a packet was lost or refused") \
	X(credit_waits,       "messages held back until the peer has a receive") \
	X(np_ecn_marked_roce_packets, "data packets of connections received with congestion experienced") \
	X(np_cnp_sent,        "congestion notifications sent") \
	X(rp_cnp_handled,     "congestion notifications handled by a queue pair's rate control") \
	X(rp_cnp_ignored,     "congestion notifications received with rate control off") \
	X(cc_cuts,            "rate reductions after a congestion notification") \
	X(cc_waits,           "times a queue pair waited because of its rate limit") \
	X(cc_limited,         "queue pairs whose rate is limited now") \
	X(cc_limited_rate,    "sum of the rates of the limited queue pairs, bits per second")
/* clang-format on */

struct rn_stats {
	uint64_t verdict[RN_V_COUNT];
#define X(field, text) uint64_t field;
	RN_STAT_ROWS(X)
#undef X
};

/* All counters as a list: the verdicts first, then the rows above. The tables are constant. Any
 * thread may call these functions. */
unsigned rn_stats_count(void);
/* Return the name (such as "rx_bytes", "verdict_ICRC"), text and value of counter i. For i >=
 * rn_stats_count() the functions return "" or 0. */
const char *rn_stats_name(unsigned i);
const char *rn_stats_text(unsigned i);
uint64_t rn_stats_value(const struct rn_stats *s, unsigned i);
/* Adds each counter of s to the same counter of sum. */
void rn_stats_add(struct rn_stats *sum, const struct rn_stats *s);

#endif
