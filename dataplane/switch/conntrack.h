/* The connections of each client, as far as the CM messages that pass the switch show them. The
 * switch does not need this table to forward. It serves two purposes:
 * - When a client dies, the switch ends the client's connections in its place (obituary.h).
 * - A strict switch lets a client send data only where a connection of the client leads.
 *
 * A message changes an entry only if it comes from the address of the entry's peer. Each client has
 * a share of the table, so that one client cannot fill it. */
#ifndef RN_CONNTRACK_H
#define RN_CONNTRACK_H

#include "base/htab.h"
#include "base/list.h"
#include "base/secret.h"
#include "base/wheel.h"
#include "net/mad_pkt.h"
#include "switch/outcome.h"
#include "wire/cm_msg.h"

/* States of an entry. Columns: name, may the entry give way to a new one of the same client, what
 * the peer is sent when the client has died (obituary.h), meaning. */
/* clang-format off */
#define RN_TRACK_ROWS(X) \
	X(FREE,      no,  NOTHING,     "not in use") \
	X(REQ_SENT,  no,  REJ_TIMEOUT, "the client has sent a REQ") \
	X(REP_RCVD,  no,  REJ_REP,     "the peer has sent a REP") \
	X(REQ_RCVD,  yes, REJ_REQ,     "the peer has sent a REQ") \
	X(REP_SENT,  no,  REJ_OTHER,   "the client has sent a REP") \
	X(UP,        no,  DREQ,        "the active side has sent an RTU") \
	X(DREQ_SENT, yes, DREQ,        "the client has sent a DREQ") \
	X(DREQ_RCVD, yes, DREP,        "the peer has sent a DREQ") \
	X(SIDR_SENT, yes, NOTHING,     "the client has sent a SIDR_REQ") \
	X(SIDR_RCVD, yes, SIDR_REP,    "the peer has sent a SIDR_REQ") \
	X(PAIR,      no,  NOTHING,     "the client may send datagrams to the peer's QP")
/* clang-format on */

enum rn_track_state {
#define X(name, yields, obituary, text) RN_TRACK_##name,
	RN_TRACK_ROWS(X)
#undef X
};

struct rn_track {
	/* hash tables: by (local id), by (remote id, peer), by (client, remote QPN, peer) */
	struct rn_hnode by_local, by_remote, by_pair;
	bool in_local, in_remote, in_pair;
	uint8_t state; /* enum rn_track_state */
	uint8_t client;
	uint8_t tries;	     /* obituaries sent */
	struct rn_list mine; /* list of the client's entries */
	struct rn_list soft; /* list of the client's entries that may give way, oldest first */
	struct rn_list due;  /* list of entries whose obituary is to be sent now */
	struct rn_timer timer;
	uint32_t local_id, remote_id, local_qpn, remote_qpn;
	uint64_t tid;	       /* transaction id of the peer's last message that wants an answer */
	uint64_t service_id;   /* of a SIDR_REQ */
	struct rn_mad_way way; /* way of a MAD to the peer; way.dst is the peer's address */
};

struct rn_track_client {
	struct rn_list entries, soft;
	uint32_t count;
};

struct rn_conntrack {
	struct rn_track *of;
	uint32_t max, share; /* entries in all; maximum number of entries of one client */
	uint32_t *free_at, nfree;
	struct rn_htab by_local, by_remote, by_pair;
	struct rn_hnode **buckets;
	struct rn_secret key;
	struct rn_track_client *client; /* indexed by client number */
	struct rn_list due;
	struct rn_wheel wheel;
};

int rn_conntrack_create(struct rn_conntrack *ct, uint32_t max, uint32_t share,
			const struct rn_secret *key, rn_time now);
void rn_conntrack_destroy(struct rn_conntrack *ct);

/* Records a CM message that the client sends. The caller has checked the client's numbers in it.
 * Returns RN_OUT_TO_WIRE, or the outcome for a message that must not be sent: CLIENT_ID for a REP
 * that answers no REQ, TRACK_FULL. */
enum rn_outcome rn_conntrack_sent(struct rn_conntrack *ct, unsigned client,
				  const struct rn_cm_msg *msg, const struct rn_pkt *pkt);
/* Records a CM message that the client is about to receive. Returns RN_OUT_TO_ID, or TRACK_FULL for
 * a REQ or SIDR_REQ for which the client has no room. */
enum rn_outcome rn_conntrack_received(struct rn_conntrack *ct, unsigned client,
				      const struct rn_cm_msg *msg, const struct rn_pkt *pkt);
/* Returns the client that has received a REQ with this communication id from this address, or 0. A
 * peer whose REQ has timed out names its connection in this way. */
unsigned rn_conntrack_asked(const struct rn_conntrack *ct, uint32_t remote_id,
			    const struct rn_gid *peer);

/* A connection that a client announces, because the switch has restarted, or because the client
 * has made the connection without the CM. `state` says which of the numbers are set: a PAIR has
 * none but the QPNs, REQ_SENT and SIDR_SENT nothing of the peer, REQ_RCVD and SIDR_RCVD no
 * local_id and no local_qpn. FREE: the connection with this local id has ended. */
struct rn_track_claim {
	enum rn_track_state state;
	uint32_t local_id, remote_id, local_qpn, remote_qpn;
	struct rn_mad_way way;
};
/* Adds a connection, or changes or forgets a known one with the same local id. Returns 0, -EINVAL
 * for a state that does not exist, or -ENOSPC. */
int rn_conntrack_claim(struct rn_conntrack *ct, unsigned client,
		       const struct rn_track_claim *claim);
/* Removes a connection that was claimed as a PAIR. Returns 0, or -ENOENT. */
int rn_conntrack_unclaim(struct rn_conntrack *ct, unsigned client, uint32_t remote_qpn,
			 const struct rn_gid *peer);
/* May the client send data to this QPN at this address? */
bool rn_conntrack_allows(const struct rn_conntrack *ct, unsigned client, uint32_t remote_qpn,
			 const struct rn_gid *peer);

/* The client has died: each of its connections gets an obituary or is forgotten. */
void rn_conntrack_bury(struct rn_conntrack *ct, unsigned client);
/* Forgets all connections of the client without a message. */
void rn_conntrack_forget(struct rn_conntrack *ct, unsigned client);
/* Returns an entry whose obituary is to be sent now, or NULL. The caller builds the message
 * (rn_obituary()) and calls rn_conntrack_mourned(). */
struct rn_track *rn_conntrack_due(struct rn_conntrack *ct);
/* The obituary of *t was sent. A DREQ is sent again after a while, until the peer answers or
 * RN_OBITUARY_TRIES were sent; any other entry is forgotten. */
void rn_conntrack_mourned(struct rn_conntrack *ct, struct rn_track *t, rn_time now);
/* Makes obituaries due whose time has come. */
void rn_conntrack_tick(struct rn_conntrack *ct, rn_time now);
rn_time rn_conntrack_next(const struct rn_conntrack *ct);

#endif
