/* The connection manager: IB CM over QP1, RDMA-CM service ids and private-data header (wire rules, section 6).
 *
 * A pure machine of its own, owned by shard 0. It owns communication ids, local ports, listeners, connections and
 * timewait records, but no QP: front ends move QPs on its events and then tell it to answer. It learns MADs with
 * rn_cm_rx(), speaks through rn_cm_tx() (one MAD at a time, when the shard has a buffer), reports through
 * rn_cm_event(). Neighbour resolution is asked of neigh.h before a REQ leaves and before a request is reported.
 */
#ifndef RN_CM_H
#define RN_CM_H

#include "neigh.h"
#include "pkt.h"
#include "rn/abi.h"
#include "types.h"
#include "verdict.h"

struct rn_cm;
struct rn_core_cfg;
struct rn_port_attr;

struct rn_cm *rn_cm_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port, struct rn_neigh *neigh,
			   rn_time now); /* NULL: no memory */
void rn_cm_destroy(struct rn_cm *cm);

/* CM_* commands. Fills rsp->err, id, port. Never blocks, never allocates. */
void rn_cm_exec(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_time now);

/* One UD packet to QP1 whose Q_Key was right. */
enum rn_verdict rn_cm_rx(struct rn_cm *cm, const struct rn_pkt *pkt, rn_time now);

/* First data on a QP whose REP is unanswered: same effect as RTU (C9). */
void rn_cm_comm_est(struct rn_cm *cm, uint32_t qpn, rn_time now);

/* The next MAD owed, as a packet ready for rn_frame_build(): addresses, MACs, DETH, and 256 bytes of payload that stay
 * valid until the next call into cm. False when nothing is owed. */
bool rn_cm_tx(struct rn_cm *cm, struct rn_pkt *out, rn_time now);
bool rn_cm_wants_tx(const struct rn_cm *cm);

bool rn_cm_event(struct rn_cm *cm, struct rn_event *ev);

rn_time rn_cm_next(const struct rn_cm *cm);
void rn_cm_tick(struct rn_cm *cm, rn_time now);

/* Live listeners and connections (timewait records not counted). */
unsigned rn_cm_live(const struct rn_cm *cm);
unsigned rn_cm_timewait(const struct rn_cm *cm);
/* A QPN may not be given out again while a timewait record names it (C32). */
bool rn_cm_qpn_waits(const struct rn_cm *cm, uint32_t qpn);

#endif
