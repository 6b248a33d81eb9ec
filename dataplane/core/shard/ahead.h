/* Loads into the CPU's cache what the next packets and work requests of a shard need. With many
 * QPs or regions this is rarely in the cache, and each packet would wait for several misses. The
 * caller has a burst: it takes the first step for an element 2 * RN_AHEAD elements before it
 * processes that element, and with many QPs the second step RN_AHEAD elements before. So the misses
 * of several elements overlap. The loads of a whole burst at once would be more than the CPU can
 * have under way, and the CPU would wait for them.
 *
 * The functions have no other effect. They check nothing: a wrong QPN or key costs only time. Run
 * on the shard's thread. */
#ifndef RN_AHEAD_H
#define RN_AHEAD_H

#include <stdint.h>

struct rn_qp;
struct rn_shard;

/* Sixteen packets take longer than a miss of a large table. A CPU can have some 24 misses under way
 * at the same time. */
#define RN_AHEAD 8u

enum rn_ahead_what { RN_AHEAD_QPS = 1, RN_AHEAD_REGIONS = 2 };

/* Returns what is worth loading ahead (enum rn_ahead_what): what the shard has so many of that they
 * do not fit into a level 2 cache. Returns 0 for a shard with few QPs and regions. */
unsigned rn_ahead_what(const struct rn_shard *sh);

/* First step: loads the region, and the entry of the table that leads to the QP. lkey: the L_Key of
 * the first SGE. Returns what the second step needs; 0: there is no second step, because there are
 * few QPs or because the last call was for the same QP. */
uint32_t rn_ahead_rx(struct rn_shard *sh, unsigned what, const uint8_t *frame, uint32_t len);
uint32_t rn_ahead_post(struct rn_shard *sh, unsigned what, uint32_t qpn, uint32_t lkey);
/* Second step: loads the QP. which: the result of the first step, not 0. */
void rn_ahead_rx_qp(const struct rn_shard *sh, uint32_t which);
void rn_ahead_post_qp(const struct rn_shard *sh, uint32_t which);
/* To be called before `qp` sends, if it is not the only QP on the active list. Loads the requests
 * of the next QP on that list, and the state of the QP after the next. */
void rn_ahead_tx(const struct rn_shard *sh, const struct rn_qp *qp);

#endif
