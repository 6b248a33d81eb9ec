/* What a connection manager tells a switch (dataplane/switch) that has restarted: its connections,
 * and the services at which it takes requests. The functions have no side effects. Run on shard 0.
 *
 * The former switch may have passed a message that reaches the manager after the walk. So a client
 * of a switch that has restarted announces a connection again after the connection's next event. */
#ifndef RN_CM_TRACK_H
#define RN_CM_TRACK_H

#include <stdbool.h>

#include "net/mad_pkt.h"
#include "net/track_state.h"

struct rn_cm;

/* A connection as a switch would have seen it. Numbers that its state does not have are 0:
 * REQ_RCVD and SIDR_RCVD have no local_id and no local_qpn, REQ_SENT has no remote_id and no
 * remote_qpn. The SIDR states have no QPN at all. A PAIR has the QPNs alone, and FREE the local_id
 * alone. */
struct rn_cm_track {
	enum rn_track_state state;
	uint32_t local_id, remote_id, local_qpn, remote_qpn;
	uint64_t service_id; /* REQ_RCVD and SIDR_RCVD; otherwise 0 */
	struct rn_mad_way way;
};

/* Fills *out for the CM id `id` (rn_rsp.id, rn_event.id). Its state is FREE if the attempt or the
 * connection with this local_id is over. Returns false if there is nothing to tell: the id does not
 * exist, is that of a listener, or has never tried to connect. */
bool rn_cm_track(const struct rn_cm *cm, uint32_t id, struct rn_cm_track *out);
/* Walks the table of connections, *cursor being 0 for the first call. Fills up to n entries, none
 * of them FREE, and moves *cursor. Returns how many entries were filled, 0 at the end. Connections
 * whose id the client has destroyed are included, until their last exchange of messages is over.
 * Between two calls the table may change: connections that begin then may be missing, and the
 * switch sees their messages. */
unsigned rn_cm_tracks(const struct rn_cm *cm, uint32_t *cursor, struct rn_cm_track *out,
		      unsigned n);

/* A service at which requests are taken, as rn_switch_listen() wants it. */
struct rn_cm_listener_id {
	uint64_t service_id;
	struct rn_gid addr; /* an address of the port, or a wildcard */
};

/* Walks like rn_cm_tracks(). Fills an entry for each listener, and for each id that was bound with
 * RN_CM_FOR_LISTENER. Other bound ids are left out: they may share their port with any other id,
 * and take no requests. */
unsigned rn_cm_listeners(const struct rn_cm *cm, uint32_t *cursor, struct rn_cm_listener_id *out,
			 unsigned n);

#endif
