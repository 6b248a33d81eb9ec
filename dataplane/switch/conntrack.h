/* The connections of each client, as far as the CM messages that pass the switch show them. The
 * switch does not need this table to forward. It serves two purposes:
 * - When a client dies, the switch ends the client's connections in its place (obituary.h).
 * - A strict switch lets a client send packets of RC and UC only where a connection of the client
 *   leads. Datagrams name their sender and need no entry.
 *
 * A message changes an entry only if it comes from the address of the entry's peer. Each client has
 * a share of the table, so that one client cannot fill it. */
#ifndef RN_CONNTRACK_H
#define RN_CONNTRACK_H

#include "switch/outcome.h"
#include "switch/track_table.h"
#include "wire/cm_msg.h"

/* Records a CM message that the client sends. The caller has checked the client's numbers in
 * it. Returns RN_OUT_TO_WIRE, or the outcome for a message that must not be sent: CLIENT_ID for
 * an answer to a request that the client has not received, TRACK_FULL. */
enum rn_outcome rn_conntrack_sent(struct rn_track_table *ct, unsigned client,
				  const struct rn_cm_msg *msg, const struct rn_pkt *pkt);
/* Records a CM message that the client is about to receive. Returns RN_OUT_TO_ID, or TRACK_FULL for
 * a REQ or SIDR_REQ for which the client has no room. */
enum rn_outcome rn_conntrack_received(struct rn_track_table *ct, unsigned client,
				      const struct rn_cm_msg *msg, const struct rn_pkt *pkt);
/* Returns the client that has received a REQ, or a SIDR_REQ, with this communication id from this
 * address, or 0. A repeated request goes to that client, also if its listener is closed by now,
 * and so does the REJ of a peer whose REQ has timed out, because that REJ names its connection in
 * this way. */
unsigned rn_conntrack_asked(const struct rn_track_table *ct, uint32_t remote_id,
			    const struct rn_gid *peer, bool sidr);

/* A connection that a client announces, because the switch has restarted, or because the client
 * has made the connection of an RC or UC QP without the CM. `state` says which of the numbers are
 * set: a PAIR has none but the QPNs, REQ_SENT and SIDR_SENT nothing of the peer, REQ_RCVD and
 * SIDR_RCVD no local_id and no local_qpn. FREE: the connection with this local id has ended. */
struct rn_track_claim {
	enum rn_track_state state;
	uint32_t local_id, remote_id, local_qpn, remote_qpn;
	uint64_t service_id; /* REQ_RCVD and SIDR_RCVD */
	struct rn_mad_way way;
};
/* Adds a connection, or changes or forgets a known one with the same local id. A PAIR to which a
 * connection of the client leads changes nothing. Returns 0, -EINVAL for a state that does not
 * exist, -EPERM if a connection of another client has the peer's communication id or QP, or if the
 * local id is 0, or -ENOSPC.
 *
 * A peer's QP belongs to one client: a claimed connection ends the PAIRs of other clients to it.
 * Messages of the CM end everything that others have claimed about it. */
int rn_conntrack_claim(struct rn_track_table *ct, unsigned client,
		       const struct rn_track_claim *claim);
/* Removes a connection that was claimed as a PAIR. Returns 0, or -ENOENT. */
int rn_conntrack_unclaim(struct rn_track_table *ct, unsigned client, uint32_t remote_qpn,
			 const struct rn_gid *peer);
/* May the client send packets of RC and UC to this QPN at this address? */
bool rn_conntrack_allows(const struct rn_track_table *ct, unsigned client, uint32_t remote_qpn,
			 const struct rn_gid *peer);

/* The client has died: each of its connections gets an obituary or is forgotten. */
void rn_conntrack_bury(struct rn_track_table *ct, unsigned client);
/* Returns an entry whose obituary is to be sent now, or NULL. The caller builds the message
 * (rn_obituary()) and calls rn_conntrack_mourned(). */
struct rn_track *rn_conntrack_due(struct rn_track_table *ct);
bool rn_conntrack_is_due(const struct rn_track_table *ct);
/* The obituary of *t was sent. A DREQ is sent again after a while, until the peer answers or
 * RN_OBITUARY_TRIES were sent; any other entry is forgotten. */
void rn_conntrack_mourned(struct rn_track_table *ct, struct rn_track *t, rn_time now);
/* Makes obituaries due whose time has come. */
void rn_conntrack_tick(struct rn_track_table *ct, rn_time now);
rn_time rn_conntrack_next(const struct rn_track_table *ct);

#endif
