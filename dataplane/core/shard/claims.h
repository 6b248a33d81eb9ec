/* What a client announces to the switch (dataplane/switch) that carries its frames: after a restart
 * of the switch all that the shards have, and before data flow the peer of a QP that is connected
 * without the connection manager. All functions but rn_cmd_pair() run on the shard's thread; only
 * shard 0 has connections and listeners. The functions have no side effects. */
#ifndef RN_CLAIMS_H
#define RN_CLAIMS_H

#include "cm/cm_track.h"
#include "rn/abi.h"

struct rn_shard;

/* rn_cm_track(), rn_cm_tracks() and rn_cm_listeners() of the shard's connection manager. A shard
 * without one has nothing to tell: false or 0. */
bool rn_shard_track(const struct rn_shard *sh, uint32_t id, struct rn_cm_track *out);
unsigned rn_shard_tracks(const struct rn_shard *sh, uint32_t *cursor, struct rn_cm_track *out,
			 unsigned n);
unsigned rn_shard_listeners(const struct rn_shard *sh, uint32_t *cursor,
			    struct rn_cm_listener_id *out, unsigned n);

/* Fills *out with the peer of this QP, as a PAIR. Returns false if there is no such QP, or if the
 * QP has no peer to which it may still send: a UD QP, and any QP before RTR or in ERR. To be called
 * after a MODIFY_QP that has changed the address of the peer in SQD. */
bool rn_shard_pair(const struct rn_shard *sh, uint32_t qpn, struct rn_cm_track *out);
/* Walks through the QPs of the shard like rn_cm_tracks(), and fills what rn_shard_pair() does. QPs
 * that the connection manager has connected are among them. A switch ignores a PAIR to which a
 * connection of the same client leads, so the connections are announced first. */
unsigned rn_shard_pairs(const struct rn_shard *sh, uint32_t *cursor, struct rn_cm_track *out,
			unsigned n);
/* Fills *out with the peer to which this command connects a QP, as a PAIR. Returns false for all
 * commands but MODIFY_QP to RTR with an address vector and a destination QPN, which UD QPs do not
 * have. Reads the command alone, on any thread. */
bool rn_cmd_pair(const struct rn_cmd *cmd, struct rn_cm_track *out);

#endif
