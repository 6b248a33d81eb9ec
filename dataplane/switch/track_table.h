/* The table of the connections that a switch knows (conntrack.h): entries, the hash tables by which
 * they are found, and the lists of each client. */
#ifndef RN_TRACK_TABLE_H
#define RN_TRACK_TABLE_H

#include "base/htab.h"
#include "base/list.h"
#include "base/secret.h"
#include "base/wheel.h"
#include "net/mad_pkt.h"
#include "net/track_state.h"

/* States of an entry (enum rn_track_state). Columns: name, may the entry give way to a new one of
 * the same client, what the peer is sent when the client has died (obituary.h), meaning. */
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
	X(PAIR,      no,  NOTHING,     "the client has announced that it sends to the peer's QP")
/* clang-format on */

struct rn_track {
	/* hash tables: by (local id), by (remote id, peer), by (remote QPN, peer) */
	struct rn_hnode by_local, by_remote, by_pair;
	bool in_local, in_remote, in_pair;
	bool claimed;  /* announced by the client; the switch has seen no CM message of the pair */
	uint8_t state; /* enum rn_track_state */
	uint8_t client;
	uint8_t tries;	     /* obituaries sent */
	struct rn_list mine; /* list of the client's entries */
	struct rn_list soft; /* list of the client's entries that may give way, oldest first */
	struct rn_list due;  /* list of the client's entries whose obituary is to be sent now */
	struct rn_timer timer;
	uint32_t local_id, remote_id, local_qpn, remote_qpn;
	uint64_t tid;	       /* transaction id of the peer's last message that wants an answer */
	uint64_t service_id;   /* of a SIDR_REQ */
	struct rn_mad_way way; /* way of a MAD to the peer; way.dst is the peer's address */
};

struct rn_track_client {
	struct rn_list entries, soft, due;
	struct rn_list in_turn; /* member of rn_track_table.turns if `due` is not empty */
	uint32_t count;		/* number of entries */
};

struct rn_track_table {
	struct rn_track *of;
	uint32_t max, share; /* entries in all; maximum number of entries of one client */
	uint32_t *free_at, nfree;
	/* how many free entries are kept for clients that have fewer than rn_share_kept() */
	uint32_t reserved;
	struct rn_htab by_local, by_remote, by_pair;
	struct rn_hnode **buckets;
	struct rn_secret key;
	struct rn_track_client *client; /* indexed by client number */
	struct rn_list turns; /* clients with obituaries to be sent, in the order of their turns */
	struct rn_wheel wheel;
};

int rn_track_table_create(struct rn_track_table *ct, uint32_t max, uint32_t share,
			  const struct rn_secret *key, rn_time now);
void rn_track_table_destroy(struct rn_track_table *ct);

/* Returns the entry with this local id, or NULL. Client numbers are part of local ids, so the
 * client need not be given. */
struct rn_track *rn_track_by_local(const struct rn_track_table *ct, uint32_t local_id);
/* Returns an entry in this state with this remote id and peer, or NULL. client 0: of any
 * client. RN_TRACK_FREE: in any state. Two clients may have entries with the same remote id,
 * because the peer chooses that id. */
struct rn_track *rn_track_by_remote(const struct rn_track_table *ct, unsigned client,
				    uint32_t remote_id, const struct rn_gid *peer,
				    enum rn_track_state state);
/* Each of these returns an entry of the client for this QPN at this address, or NULL. client 0: of
 * any client. A connected QP has been named by CM messages, or claimed as that of a connection; an
 * announced QP is that of a PAIR. */
struct rn_track *rn_track_connected(const struct rn_track_table *ct, unsigned client, uint32_t qpn,
				    const struct rn_gid *peer);
struct rn_track *rn_track_announced(const struct rn_track_table *ct, unsigned client, uint32_t qpn,
				    const struct rn_gid *peer);

/* Returns a claimed entry of another client for this QPN at this address, or NULL. pairs: only one
 * that is announced as a PAIR. */
struct rn_track *rn_track_rival(const struct rn_track_table *ct, unsigned client, uint32_t qpn,
				const struct rn_gid *peer, bool pairs);

/* Returns a new entry of the client, which has no state and is in no hash table. A client that has
 * its share, or a full table, costs the client its oldest entry that may give way. Returns NULL if
 * there is none. */
struct rn_track *rn_track_new(struct rn_track_table *ct, unsigned client,
			      const struct rn_mad_way *way);
void rn_track_release(struct rn_track_table *ct, struct rn_track *t);
/* Each of these sets a number of the entry, and enters the entry in the hash table for that
 * number. */
void rn_track_set_local(struct rn_track_table *ct, struct rn_track *t, uint32_t local_id);
void rn_track_set_remote(struct rn_track_table *ct, struct rn_track *t, uint32_t remote_id);
void rn_track_set_pair(struct rn_track_table *ct, struct rn_track *t, uint32_t remote_qpn);
/* Makes the obituary of an entry due, or no longer due. rn_track_next_due() returns the next entry
 * that is due, or NULL; clients take turns, so that one with many connections does not delay
 * the others. */
void rn_track_make_due(struct rn_track_table *ct, struct rn_track *t);
void rn_track_leave_due(struct rn_track_table *ct, struct rn_track *t);
struct rn_track *rn_track_next_due(struct rn_track_table *ct);
void rn_track_set_state(struct rn_track_table *ct, struct rn_track *t, enum rn_track_state state);

#endif
