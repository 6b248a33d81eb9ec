/* The connection manager: IB CM over QP1, RDMA-CM service ids and private-data header (docs/spec/rocev2.md 6).
 *
 * A pure machine of its own, owned by shard 0. It owns communication ids, local ports, listeners, connections and
 * timewait records, but no QP: front ends move QPs on its events and then tell it to answer. It learns MADs with
 * rn_cm_rx(), speaks through rn_cm_tx() (one MAD at a time, when the shard has a buffer), reports through rn_cm_event().
 * Neighbour resolution is asked of neigh.h before a REQ leaves and, on the passive side, when the peer has answered the REP:
 * until then packets go to where the request came from.
 *
 * States and rules are the table in cm.c; rn_cm_print_rules() prints it into docs/cm-states.md.
 */
/* clang-format off */
/* Commands, and what they answer (rsp->err):
 *	any            -ENOENT no such id; -ENOSPC max_cm objects exist; -EINVAL not in this state or malformed. A
 *	               non-zero `user` of a command that names an id replaces the object's: so a front end adopts a
 *	               request.
 *	CM_BIND        -EPROTONOSUPPORT no such port space, or it has no such queue pairs. New id at local:port; port 0 = ephemeral, 49152..65535, one that nobody uses. -EADDRNOTAVAIL address
 *	               not ours, or no ephemeral port left. Ports are shared between listeners and connectors; with
 *	               RN_CM_FOR_LISTENER also -EADDRINUSE as CM_LISTEN.
 *	CM_LISTEN      id 0 (binds first) or a bound id. -EADDRINUSE another listener has this very address and port; one
 *	               at the wildcard and one at an address may stand side by side, the exact one answers; :: takes
 *	               requests of both families, ::ffff:0.0.0.0 those of IPv4 and before ::.
 *	CM_CONNECT     id 0 (binds first) or a bound id. -EMSGSIZE more than 56 bytes of data; -EDESTADDRREQ peer is the
 *	               wildcard, -EADDRNOTAVAIL a group; -EAFNOSUPPORT other family than local, or none of our addresses
 *	               has it; -EALREADY connecting or connected; -EISCONN the same four-tuple is connecting or connected
 *	               from here; -EBUSY the QPN has a connection, or events of the last attempt are untaken. After
 *	               CM_REJECTED or CM_UNREACHABLE the id is bound again and may connect again. A four-tuple counts
 *	               among those who connect only: two peers bound to their listening ports may connect to each other
 *	               at once.
 *	CM_ACCEPT, CM_REJECT, CM_ESTABLISH, CM_DELAY
 *	               -ECONNABORTED the peer has gone meanwhile; -EMSGSIZE too much data. CM_REJECT's reason 0 means 28.
 *	               CM_DELAY sends an MRA at once; one is sent anyway whenever a message is repeated while its consumer
 *	               thinks.
 *	CM_DISCONNECT  -ENOTCONN; -EALREADY on its way.
 *	CM_DESTROY     in any state: the peer is told what the state demands (REQ sent: REJ 4; a request or a reply held:
 *	               REJ 28; connected: DREQ, and the rest goes on without a client). Never fails but -ENOENT. The port
 *	               is free at once; timewait holds ids and QPNs, never a port. No event comes after it.
 *
 * Ids of datagram services (qp_type UD) take BIND, LISTEN, CONNECT, ACCEPT, REJECT and DESTROY; what they send is SIDR_REQ
 * and SIDR_REP, see cm_sidr.c and client.h. Ports are counted per port space.
 *
 * Events:
 *	`param` is what the peer sent, raw (CM_REQUEST: responder_resources is the REQ's responder resources; private data
 *	padded to the field's size). `attr` is what this side's QP takes for RTR and RTS (docs/spec/rocev2.md 6.7): max_rd_atomic and
 *	max_dest_rd_atomic are upper bounds, rq_psn is filled on the active side only.
 *	CM_REJECTED also comes for a request the peer withdrew before or after CM_ACCEPT, or has not repeated for longer than
 *	it said it would go on (reason 4).
 *	CM_UNREACHABLE err: -EHOSTUNREACH no neighbour or no route, -ETIMEDOUT no answer to REQ or REP.
 *	CM_DISCONNECTED comes once per connection. When it comes for the peer's DREQ, CM_DISCONNECT or CM_DESTROY answers
 *	that; until then the peer's QP still acknowledges, for at most half the time after which the peer asks again
 *	(500 ms): then the DREQ is answered anyway and CM_PARTED says so.
 *	CM_TIMEWAIT_EXIT (param.qpn) comes only while the id exists.
 */
/* clang-format on */
#ifndef RN_CM_H
#define RN_CM_H

#include "net/neigh.h"
#include "wire/pkt.h"
#include "rn/abi.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_cm;
struct rn_news;
struct rn_core_cfg;
struct rn_port_attr;

#define RN_CM_EPHEMERAL_FIRST 49152u
#define RN_CM_EPHEMERAL_LAST  65535u

/* port and neigh are kept, not copied: they outlive the manager, and a change of the port is seen
 * at once (connections keep the address they have). cfg is copied. NULL: no memory. */
struct rn_cm *rn_cm_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
			   struct rn_neigh *neigh, rn_time now);
void rn_cm_destroy(struct rn_cm *cm);

/* CM_* commands. Fills rsp->err, id, port. Never blocks, never allocates. */
void rn_cm_exec(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_time now);

/* One UD packet to QP1 whose Q_Key was right. */
enum rn_verdict rn_cm_rx(struct rn_cm *cm, const struct rn_pkt *pkt, rn_time now);

/* First data on a QP whose REP is unanswered: same effect as RTU (C9). */
void rn_cm_comm_est(struct rn_cm *cm, uint32_t qpn, rn_time now);

/* The next MAD owed, as a packet ready for rn_frame_build(): addresses, MACs, DETH, and 256 bytes
 * of payload that stay valid until the next call into cm. False when nothing is owed. */
bool rn_cm_tx(struct rn_cm *cm, struct rn_pkt *out, rn_time now);
bool rn_cm_wants_tx(const struct rn_cm *cm);

/* The next event; per id in order. False when there is none. */
bool rn_cm_event(struct rn_cm *cm, struct rn_event *ev);

/* What has become of connections, for people. False when nothing has happened. */
bool rn_cm_news(struct rn_cm *cm, struct rn_news *news);

/* Looks at the neighbour table too: call rn_cm_tick() after rn_neigh_rx() and rn_neigh_tick() when
 * this says so. */
rn_time rn_cm_next(const struct rn_cm *cm);
void rn_cm_tick(struct rn_cm *cm, rn_time now);

/* Ids in use: bound, listening, connecting, connected, and those that finish without a client
 * (timewait records not counted). */
unsigned rn_cm_live(const struct rn_cm *cm);
unsigned rn_cm_timewait(const struct rn_cm *cm);
/* A QPN may not be given out again while a connection or a timewait record names it (C32). */
bool rn_cm_qpn_waits(const struct rn_cm *cm, uint32_t qpn);
/* MADs owed to a peer that found no room; a table too small for its timewait records counts here
 * too. */
uint64_t rn_cm_dropped(const struct rn_cm *cm);

/* The rules, one line each: calls out(arg, state, event, action, next state). */
void rn_cm_print_rules(void (*out)(void *arg, const char *state, const char *event,
				   const char *action, const char *next),
		       void *arg);

#endif
