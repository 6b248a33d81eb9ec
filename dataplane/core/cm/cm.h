/* The connection manager: IB CM over QP1, with the service ids and the private-data header of
 * RDMA-CM (docs/spec/rocev2.md 6). Has no threads, locks or clock; runs on shard 0.
 *
 * Owns communication ids, local port numbers, listeners, connections and timewait records. The
 * front end, which is the code behind the application's API, owns the QP. After an event that
 * reports a CM message of the peer, the front end modifies its QP and then posts the command that
 * answers the peer.
 *
 * MADs enter through rn_cm_rx() and leave through rn_cm_tx(). Each call of rn_cm_tx() gives one
 * MAD, for one transmit buffer of the shard. Events leave through rn_cm_event().
 *
 * The active side resolves the peer's MAC (neigh.h) before it sends the REQ. The passive side
 * resolves the peer's MAC only after the peer has confirmed the REP. Until then, it uses the MAC in
 * the neighbour table, or else the source MAC of the REQ. */
/* clang-format off */
/* Commands and their errors (rsp->err). An "id" is the client id that a command names or creates.
 *	any            -ENOENT: no such id. -ENOSPC: max_cm ids exist. -EINVAL: the state of the id
 *	               does not allow the command, or the command is malformed. A command that names
 *	               an id and has a non-zero `user` replaces the `user` of the id. Later events
 *	               of the id go to the new `user`. A front end takes over a connection request
 *	               in this way.
 *	CM_BIND        Creates an id at local:port. Port 0 takes an unused ephemeral port
 *	               (49152..65535). Listeners and connecting ids may share a port that is not 0.
 *	               -EPROTONOSUPPORT: unknown port space, or a port space without QPs of this
 *	               type. -EADDRNOTAVAIL: not a local address, or no ephemeral port is free. With
 *	               RN_CM_FOR_LISTENER also -EADDRINUSE, as for CM_LISTEN.
 *	CM_LISTEN      Listens at a bound id. With id 0, creates and binds an id first, and can fail
 *	               like CM_BIND. -EADDRINUSE: another listener has the same address and port. A
 *	               listener at an address may share its port with a listener at the wildcard. A
 *	               connection request goes to the first of these listeners that exists: at the
 *	               destination address of the request, at ::ffff:0.0.0.0 (IPv4 only), at ::
 *	               (both families).
 *	CM_CONNECT     Connects a bound id. With id 0, creates and binds an id first, and can fail
 *	               like CM_BIND. After CM_REJECTED or CM_UNREACHABLE the id may connect again.
 *	               -EMSGSIZE: more than 56 bytes of private data (datagrams: 180).
 *	               -EDESTADDRREQ: the peer address is the wildcard, or the peer port is 0.
 *	               -EADDRNOTAVAIL: the peer address is a multicast group.
 *	               -EAFNOSUPPORT: local and peer address differ in family, or no local address
 *	               has the peer's family.
 *	               -EALREADY: the id is connecting or connected.
 *	               -EISCONN: another id of this side is connecting or connected with the same
 *	               four-tuple. Accepted connections do not count here, so two peers bound to
 *	               their listening ports can connect to each other at the same time.
 *	               -EBUSY: the QPN has a connection, or events of the id's last attempt are
 *	               still queued.
 *	CM_ACCEPT, CM_REJECT, CM_ESTABLISH, CM_DELAY
 *	               -ECONNABORTED: the peer has withdrawn or ended the connection.
 *	               -EMSGSIZE: too much private data.
 *	               CM_ACCEPT also -EBUSY: the QPN has a connection.
 *	               CM_REJECT with reason 0 sends reason 28 (datagrams: SIDR status 2).
 *	               CM_DELAY sends an MRA at once. Without CM_DELAY, an MRA is sent each time the
 *	               peer repeats its REQ or REP before the client has answered.
 *	CM_DISCONNECT  -ENOTCONN: no connection. -EALREADY: the DREQ has been sent.
 *	CM_DESTROY     Allowed in any state; the only error is -ENOENT. Sends what the state
 *	               demands: REJ 4 after a REQ, REJ 28 for an unanswered REQ or REP, DREQ on a
 *	               connection. The exchange of CM messages goes on without a client, and no
 *	               event of the id follows. The port is free at once: timewait keeps only
 *	               communication ids and the QPN.
 *
 * Ids of datagram services (qp_type UD) take BIND, LISTEN, CONNECT, ACCEPT, REJECT and DESTROY and
 * exchange SIDR_REQ and SIDR_REP (cm_sidr.c, client.h). Each port space has its own listeners and
 * four-tuples. The ephemeral ports in use are counted for all port spaces together.
 *
 * Events:
 *	`param` holds the fields of the peer's CM message unchanged. Example: responder_resources of
 *	a CM_REQUEST is the responder resources of the REQ. Private data has the full length of the
 *	field, zero-padded by the sender. `attr` holds the attributes with which the client modifies
 *	its QP to RTR and RTS (docs/spec/rocev2.md 6.7). max_rd_atomic and max_dest_rd_atomic are
 *	upper bounds. rq_psn is set on the active side only.
 *	CM_REJECTED also reports that the peer withdrew its connection request, before or after
 *	CM_ACCEPT. If the peer sent no REJ, the reason is 4. Then either the time for all retries of
 *	the peer's REQ is over, or the peer has begun a new connection with the same QP.
 *	CM_UNREACHABLE has err -EHOSTUNREACH (no neighbour or no route) or -ETIMEDOUT (no answer to
 *	REQ or REP).
 *	CM_DISCONNECTED is reported once per connection. After the peer's DREQ, the client sends the
 *	DREP with CM_DISCONNECT or CM_DESTROY. Until the DREP arrives, the peer's QP goes on
 *	acknowledging. If the client sends no DREP within half the peer's resend interval, at most
 *	500 ms, the manager sends the DREP and reports CM_AUTO_DREP.
 *	CM_TIMEWAIT_EXIT (param.qpn) is reported only while the id exists.
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

/* Creates the connection manager. Copies *cfg. Keeps the pointers port and neigh, whose targets
 * must outlive the manager. A change of *port takes effect at once, except for existing
 * connections. Returns NULL if there is no memory. */
struct rn_cm *rn_cm_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
			   struct rn_neigh *neigh, rn_time now);
void rn_cm_destroy(struct rn_cm *cm);

/* Runs a CM_* command and fills rsp->err, rsp->id and rsp->port. Never blocks and allocates no
 * memory. */
void rn_cm_exec(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_time now);

/* Processes one UD packet for QP1, whose Q_Key the caller has checked. Returns the verdict on the
 * packet. */
enum rn_verdict rn_cm_rx(struct rn_cm *cm, const struct rn_pkt *pkt, rn_time now);

/* The caller reports that a QP has received its first data. If the RTU of the QP's connection is
 * missing, the data stands for the RTU (row C9 of docs/spec/rocev2.md). */
void rn_cm_comm_est(struct rn_cm *cm, uint32_t qpn, rn_time now);

/* Fills *out with the next MAD to send, ready for rn_frame_build(). *out has addresses, MACs, DETH
 * and 256 bytes of payload. The payload stays valid until the next call into cm. Returns false if
 * there is no MAD to send. */
bool rn_cm_tx(struct rn_cm *cm, struct rn_pkt *out, rn_time now);
bool rn_cm_wants_tx(const struct rn_cm *cm);

/* Moves the oldest event to *ev. The events of one id come in the order in which they occurred.
 * Returns false if no event is queued. */
bool rn_cm_event(struct rn_cm *cm, struct rn_event *ev);

/* Moves the oldest log item to *news. An item says that a connection was made, ended or failed.
 * Returns false if there is no item. */
bool rn_cm_news(struct rn_cm *cm, struct rn_news *news);
/* Returns true if rn_cm_event() and rn_cm_news() have nothing to report. */
bool rn_cm_silent(const struct rn_cm *cm);

/* Returns when to call rn_cm_tick() next. 0 means at once: a connection waits for a MAC address,
 * and the neighbour table has changed. Each rn_neigh_rx() and rn_neigh_tick() makes the result
 * outdated. */
rn_time rn_cm_next(const struct rn_cm *cm);
void rn_cm_tick(struct rn_cm *cm, rn_time now);

/* Returns the number of ids in use. A destroyed id counts until its last exchange of CM messages is
 * over. Timewait records do not count. */
unsigned rn_cm_live(const struct rn_cm *cm);
unsigned rn_cm_timewait(const struct rn_cm *cm);
/* Returns true while a connection or a timewait record uses the QPN. Such a QPN must not be given
 * to a new QP (row C32 of docs/spec/rocev2.md). */
bool rn_cm_qpn_waits(const struct rn_cm *cm, uint32_t qpn);
/* Returns the number of replies dropped because the reply queue was full, plus the number of
 * timewait records ended early because their table was full. */
uint64_t rn_cm_dropped(const struct rn_cm *cm);

/* Calls out(arg, state, event, action, next state) once for each rule in cm.c. */
void rn_cm_print_rules(void (*out)(void *arg, const char *state, const char *event,
				   const char *action, const char *next),
		       void *arg);

#endif
