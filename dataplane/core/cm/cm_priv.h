/* Internal header of the connection manager, for the files of this folder and their tests.
 *
 *	cm.c        rule table, changes of state, timers
 *	cm_event.c  event queue of each connection; release of connections without a client
 *	cm_act.c    actions of the rules
 *	cm_rx.c     received CM messages: finds the connection and the cause for the rule table
 *	cm_sidr.c   datagram services: actions, SIDR_REQ and SIDR_REP
 *	cm_exec.c   commands of clients
 *	cm_mad.c    building and queueing of CM messages to send
 *	cm_half.c   limits on half-open connections
 *	cm_index.c  table of connections, lookups, port numbers
 *	cm_id.c     allocation of ids, timewait records
 *	cm_label.c  flow labels of connections
 *	cm_state.c  properties of each state
 *	cm_time.c   CM time codes
 *	cm_track.c  what a switch is told after its restart
 *	cm_peer.c   checks of a peer's address
 *	cm_news.c   which changes of state are logged
 */
#ifndef RN_CM_PRIV_H
#define RN_CM_PRIV_H

#include "cm/cm.h"
#include "wire/cm_msg.h"
#include "ground/core_cfg.h"
#include "net/mad_pkt.h"
#include "net/port_attr.h"
#include "base/htab.h"
#include "base/idpool.h"
#include "base/list.h"
#include "ground/news.h"
#include "base/wheel.h"

/* length of a connection's event queue; a connection has fewer events than this */
#define RN_CM_EVENTS	    6
#define RN_CM_REPLIES	    256 /* size of the queue of replies, which all connections share */
#define RN_CM_EPHEMERALS    (RN_CM_EPHEMERAL_LAST - RN_CM_EPHEMERAL_FIRST + 1)
#define RN_CM_TIMEWAIT_CODE 22	       /* longest timewait: 17 s */
#define RN_CM_DREP_WAIT_MAX RN_MS(500) /* longest time a client may delay the DREP */
#define RN_CM_WAIT_MAX	    RN_S(3600) /* default longest wait that a peer's MRAs can cause */
/* Longest resend interval of a REP, as a CM time code: 8.6 s. A field of the REQ proposes the
 * interval. */
#define RN_CM_INTERVAL_CODE 21
/* Limits of struct rn_cm_conn.asking, the time during which the peer repeats an unanswered REQ.
 * This time is the response timeout in the REQ times the number of transmissions of the REQ: 69 s
 * if the peer is Linux. If no repetition arrives within this time, this side drops the REQ. */
#define RN_CM_ASKING_MIN RN_S(5)
#define RN_CM_ASKING_MAX RN_S(90)

enum rn_cm_flags {
	RN_CM_F_TIMED = 1 << 0,	   /* the timer of the connection runs */
	RN_CM_F_RESOLVES = 1 << 1, /* the connection waits for the peer's MAC */
	RN_CM_F_HELD = 1 << 2,	   /* the connection counts against its listener's backlog */
	RN_CM_F_HOP = 1 << 3,	   /* the connection holds its next hop in the neighbour table */
	RN_CM_F_HALF = 1 << 4,	   /* half-open: the peer has not confirmed its address */
	RN_CM_F_TRIES = 1 << 5,	   /* an attempt to connect: a failure is logged */
	/* connecting or connected: a further CM_CONNECT fails with -EALREADY */
	RN_CM_F_TAKEN = 1 << 6,
};

/* clang-format off */
#define RN_CM_STATE_ROWS(X) /* columns: name, flags, text */ \
	X(FREE,           0,                            "unused") \
	X(BOUND,          0,                            "has an address and a port") \
	X(LISTEN,         0,                            "takes requests") \
	X(RESOLVING,      RN_CM_F_RESOLVES | RN_CM_F_TRIES | RN_CM_F_TAKEN, "connecting: the MAC of the next hop is being resolved") \
	X(REQ_SENT,       RN_CM_F_TIMED | RN_CM_F_HOP | RN_CM_F_TRIES | RN_CM_F_TAKEN, "REQ is out") \
	X(REQ_WAIT,       RN_CM_F_TIMED | RN_CM_F_HOP | RN_CM_F_TRIES | RN_CM_F_TAKEN, "an MRA of the peer has delayed the repetition of the REQ") \
	X(REP_RCVD,       RN_CM_F_HOP | RN_CM_F_TRIES | RN_CM_F_TAKEN, "REP is here, client prepares its QP") \
	X(REQ_RCVD,       RN_CM_F_TIMED | RN_CM_F_HELD | RN_CM_F_HALF, "REQ is here, client decides") \
	X(REP_SENT,       RN_CM_F_TIMED | RN_CM_F_HALF | RN_CM_F_TRIES | RN_CM_F_TAKEN, "REP is out") \
	X(REP_WAIT,       RN_CM_F_TIMED | RN_CM_F_HALF | RN_CM_F_TRIES | RN_CM_F_TAKEN, "an MRA of the peer has delayed the repetition of the REP") \
	X(ESTABLISHED,    RN_CM_F_HOP | RN_CM_F_TAKEN,  "connected") \
	X(DREQ_SENT,      RN_CM_F_TIMED | RN_CM_F_HOP | RN_CM_F_TAKEN, "DREQ is out") \
	X(DREQ_RCVD,      RN_CM_F_TIMED | RN_CM_F_HOP | RN_CM_F_TAKEN, "DREQ is here, client drains its QP") \
	X(CLOSED,         0,                            "over; the id lives until it is destroyed") \
	X(SIDR_RESOLVING, RN_CM_F_RESOLVES | RN_CM_F_TAKEN, "resolving a datagram service: the MAC of the next hop is being resolved") \
	X(SIDR_SENT,      RN_CM_F_TIMED | RN_CM_F_TAKEN, "SIDR_REQ is out") \
	X(SIDR_RCVD,      RN_CM_F_TIMED | RN_CM_F_HELD | RN_CM_F_HALF, "SIDR_REQ is here, client decides")

#define RN_CM_CAUSE_ROWS(X) /* columns: name, text */ \
	X(NEIGH_OK,    "MAC known") \
	X(NEIGH_FAIL,  "MAC unknown") \
	X(TIMER,       "no answer yet") \
	X(SPENT,       "no answer at all") \
	X(REQ_AGAIN,   "REQ repeated") \
	X(MRA_REQ,     "MRA of the REQ") \
	X(MRA_REP,     "MRA of the REP") \
	X(REP,         "REP") \
	X(REP_AGAIN,   "REP repeated") \
	X(RTU,         "RTU") \
	X(COMM_EST,    "first data") \
	X(REJ,         "REJ") \
	X(DREQ,        "DREQ") \
	X(DREP,        "DREP") \
	X(STALE,       "the peer no longer has the connection") \
	X(LISTEN,      "command LISTEN") \
	X(CONNECT,     "command CONNECT") \
	X(ESTABLISH,   "command ESTABLISH") \
	X(ACCEPT,      "command ACCEPT") \
	X(REJECT,      "command REJECT") \
	X(DELAY,       "command DELAY") \
	X(DISCONNECT,  "command DISCONNECT") \
	X(DESTROY,     "command DESTROY") \
	X(RESOLVE,     "command CONNECT to a datagram service") \
	X(SIDR_REP,    "SIDR_REP")
/* clang-format on */

enum rn_cm_state {
#define X(name, flags, text) RN_CMS_##name,
	RN_CM_STATE_ROWS(X)
#undef X
		RN_CMS_COUNT
};

/* A row of the table of states (cm_state.c). flags is a set of enum rn_cm_flags bits. */
struct rn_cm_state_row {
	const char *name;
	unsigned flags;
};
extern const struct rn_cm_state_row rn_cm_states[RN_CMS_COUNT];

enum rn_cm_cause {
#define X(name, text) RN_CMC_##name,
	RN_CM_CAUSE_ROWS(X)
#undef X
		RN_CMC_COUNT
};

/* An event in the queue of an id. rn_cm_event() fills the other fields of struct rn_event from the
 * connection's fields. */
struct rn_cm_note {
	uint16_t kind, reason;
	int32_t err;
};

/* A connection, a listener, a bound id, or a SIDR request to a datagram service. `state` says
 * which. */
struct rn_cm_conn {
	uint32_t id; /* client id: generation and slot; 0 = the slot is free */
	uint32_t slot;
	uint8_t state; /* enum rn_cm_state */
	/* The client has destroyed the id. The connection is released when it is CLOSED and has
	 * nothing left to send. */
	bool orphan;
	bool passive;
	bool answered;	   /* passive: the peer has confirmed the REP, so its address is genuine */
	bool end_reported; /* CM_DISCONNECTED has been queued */
	bool has_port, for_listener;
	uint64_t user;
	struct rn_gid bound; /* the address that the client bound; may be a wildcard */
	struct rn_gid local, peer;
	uint16_t port, peer_port;
	uint16_t port_space; /* enum rn_port_space */
	uint8_t qp_type;     /* enum rn_qp_type */

	/* Fields of a listener:
	 * - backlog: largest length of `held`; 0 = no limit.
	 * - nheld: length of `held`.
	 * - nhalf: number of the listener's half-open connections (cm_half.c). */
	uint32_t backlog, nheld, nhalf;
	struct rn_list held; /* connection requests that the client has not answered */
	/* Fields of a passive connection, which a peer has requested from a listener: */
	struct rn_cm_conn *parent; /* listener whose list `held` has this connection; else NULL */
	uint32_t parent_id;	   /* id of the listener, kept after its destruction */
	bool half;		   /* counted as half-open by cm_half.c */
	struct rn_list sibling;	   /* node in parent->held */

	/* Ids and parameters in the CM messages of both sides: */
	uint32_t local_id, remote_id;
	uint64_t tid, remote_guid;
	uint32_t remote_qpn;
	uint8_t max_retries;
	uint8_t timeout_code; /* code of the QP's local ACK timeout and of the timewait */
	uint8_t path_mtu;     /* path MTU code 1..5: 256..4096 bytes */
	bool failover;	      /* the REQ offers an alternate path, which the REP must decline */
	struct rn_cm_param own, theirs;
	struct rn_av av;
	struct rn_hnode by_local, by_remote, by_peer_qp, by_qpn, by_tuple, by_port, by_asker;
	bool in_local, in_remote, in_peer_qp, in_qpn, in_tuple, in_port, in_asker;

	/* timers and retries */
	struct rn_timer timer;
	rn_time interval;     /* time between two transmissions of `mad` */
	rn_time asking;	      /* passive: how long the peer repeats an unanswered REQ */
	rn_time patience_end; /* after this time the peer's MRAs have no effect */
	uint8_t retries;      /* how many retries are left */
	struct rn_list asks;  /* node in cm->asking, while the peer's MAC is resolved */
	struct rn_nbr *hop;   /* held neighbour entry of the next hop; NULL = none */

	/* `mad` is the CM message that may have to be sent again. Active side: REQ, then RTU.
	 * Passive side: REP. Both sides: DREQ or REJ. Datagram services: SIDR_REQ or SIDR_REP. */
	uint16_t mad_attr; /* attribute id of `mad`; 0 = none */
	uint8_t mad[RN_MAD_BYTES];
	struct rn_list says; /* node in cm->mad_queue, while `mad` waits to be sent */

	struct rn_list tells; /* node in cm->event_queue, while events are queued */
	uint8_t nnotes;
	struct rn_cm_note notes[RN_CM_EVENTS];
};

/* A timewait record of a closed connection. It identifies late CM messages. It also keeps the
 * communication ids and the QPN of the connection from being reused too early. */
struct rn_cm_wait {
	struct rn_timer timer;
	uint64_t remote_guid;
	struct rn_gid peer;
	uint32_t local_id, remote_id, qpn;
	uint32_t conn_id; /* client id that gets CM_TIMEWAIT_EXIT if the id still exists */
	/* next record in each hash chain: index of the record + 1; 0 = end of the chain */
	uint32_t next_local, next_remote, next_qpn;
};
static_assert(sizeof(struct rn_cm_wait) <= 80, "timewait is a record");

/* A queued CM message that is sent once and never repeated. */
struct rn_cm_reply {
	struct rn_mad_way way;
	uint8_t mad[RN_MAD_BYTES];
};

struct rn_cm {
	const struct rn_port_attr *port;
	struct rn_neigh *neigh;
	rn_time response_timeout, wait_max;
	uint8_t max_retries, ack_timeout, min_rnr_timer, patience;
	/* upper bound for the retry count of this side's QPs and of sent REQs */
	uint8_t max_retry_cnt;
	uint8_t max_rnr_retry;	 /* upper bound for a peer's RNR retry count */
	struct rn_secret tables; /* secret key of the hash function of all hash tables */
	/* sources of random communication ids, transaction ids, and port numbers; flow labels are
	 * drawn from `ports` too */
	struct rn_stream ids, tids, ports;
	uint32_t client; /* upper part of all communication ids, or RN_CLIENT_NONE */
	uint32_t psn;
	uint32_t nshards;
	struct rn_rx_shards rx_shards;

	struct rn_cm_conn *conns;
	uint32_t max, live, id_bits;
	uint32_t max_half, nhalf, *half_from;
	struct rn_idpool slots;
	uint32_t *slot_ring, *generation;
	struct rn_htab by_local, by_remote, by_peer_qp, by_qpn, by_tuple, by_port, by_asker;
	struct rn_hnode **buckets;

	struct rn_wheel wheel;
	struct rn_list mad_queue, event_queue, asking;
	uint64_t neigh_seen;

	struct rn_cm_wait *waits;
	uint32_t nwaits, max_waits, wait_cursor, wait_mask;
	uint32_t *wait_local, *wait_remote, *wait_qpn, *wait_free;
	uint32_t nwait_free;
	struct rn_wheel wait_wheel;

	struct rn_cm_reply *replies;
	uint32_t reply_head, reply_count;
	bool replied; /* the last MAD sent came from replies[], not from mad_queue */
	uint8_t out[RN_MAD_BYTES];
	uint64_t dropped;
	struct rn_news_ring news;

	uint32_t port_users[RN_CM_EPHEMERALS];
};

/* Why a rule runs: because of a command or a received CM message. Unused members are NULL. */
struct rn_cm_why {
	const struct rn_cmd *cmd;
	const struct rn_cm_msg *msg;
	const struct rn_pkt *pkt;
};

typedef void rn_cm_action(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now);

/* ---- functions of cm.c ---- */
/* Runs the rule for this cause in the state of c. May release c. If there is no such rule, changes
 * nothing and returns false. */
bool rn_cm_step(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_cause cause,
		const struct rn_cm_why *why, rn_time now);
void rn_cm_resolve_mac(struct rn_cm *cm, struct rn_cm_conn *c, rn_time now);

/* ---- functions of cm_event.c ---- */
/* Queues an event for the client of c. Has no effect if the client has destroyed the id. */
void rn_cm_report_event(struct rn_cm *cm, struct rn_cm_conn *c, uint16_t kind, uint16_t reason,
			int32_t err);
/* Releases c if c is closed, has no client, and has no CM message or event queued. */
void rn_cm_release_if_done(struct rn_cm *cm, struct rn_cm_conn *c);
/* Starts the resend timer of c and restores the full number of retries. */
void rn_cm_start_timer(struct rn_cm *cm, struct rn_cm_conn *c, rn_time now);
/* Starts the timer of a REQ or SIDR_REQ that the client of c has not answered. The timer ends c
 * after the time `more` plus c->asking. The peer repeats an unanswered REQ during c->asking. */
void rn_cm_await_repeat(struct rn_cm *cm, struct rn_cm_conn *c, rn_time more, rn_time now);

/* ---- functions of cm_act.c ---- */
/* clang-format off */
#define RN_CM_ACTION_ROWS(X) \
	X(nothing) X(start_listening) X(refuse_backlog) X(note_connect) X(send_req) X(report_unreachable) \
	X(resend) X(give_up_req) X(wait_longer) X(take_rep) X(report_rejected) X(withdraw_req) X(send_rtu) \
	X(delay_rep) X(reject_rep) X(answer_dreq) X(keep_request) X(delay_req) X(send_rep) X(reject_req) \
	X(repeat) X(report_established) X(establish_and_take_dreq) X(give_up_rep) \
	X(withdraw_rep) X(end_by_rej) X(send_dreq) X(send_stale_dreq) X(finish) X(give_up_dreq) X(take_dreq) \
	X(send_drep) X(auto_drep) X(note_resolve) X(send_sidr_req) X(give_up_sidr) X(take_sidr_rep) \
	X(cancel_sidr) X(answer_sidr) X(refuse_sidr)
/* clang-format on */
#define X(name) rn_cm_action rn_cm_do_##name;
RN_CM_ACTION_ROWS(X)
#undef X
/* Returns an ACK timeout code: `code`, but at most cm->ack_timeout + 3, which means eight times as
 * long as the configured ACK timeout. Returns cm->ack_timeout if `code` is 0, which means no
 * timeout. If cm->ack_timeout itself is 0, returns `code` unchanged. */
uint8_t rn_cm_bound_timeout(const struct rn_cm *cm, uint8_t code);

/* CM time code c stands for 4.096 us << c (cm_time.c). rn_cm_code_of() returns the smallest code
 * whose time is at least t, but 31 at most. */
rn_time rn_cm_time_of(uint8_t code);
uint8_t rn_cm_code_of(rn_time t);

/* ---- functions of cm_half.c ---- */
/* Sets cm->max_half, the limit of half-open connections, to `max`. With 0, the limit is about a
 * quarter of the connection table. Allocates the counters per source address; returns false if
 * there is no memory. */
bool rn_cm_half_create(struct rn_cm *cm, uint32_t max);
void rn_cm_half_destroy(struct rn_cm *cm);
bool rn_cm_half_room(struct rn_cm *cm, const struct rn_cm_conn *listener,
		     const struct rn_gid *from);
/* Counts c as half-open. c->parent and c->av.dgid must be set. */
void rn_cm_half_begin(struct rn_cm *cm, struct rn_cm_conn *c);
/* Ends the counting of c as half-open. Does nothing if c->half is false. */
void rn_cm_half_end(struct rn_cm *cm, struct rn_cm_conn *c);
/* Creates the connection for a REQ or SIDR_REQ from the address `from`. The connection counts
 * against the listener's backlog. Returns NULL if the backlog or the connection table is full, or
 * if the listener or `from` has too many half-open connections. */
struct rn_cm_conn *rn_cm_child(struct rn_cm *cm, struct rn_cm_conn *listener,
			       const struct rn_gid *from);

/* ---- functions of cm_index.c ---- */
uint64_t rn_cm_hash2(const struct rn_cm *cm, uint64_t a, uint64_t b);
bool rn_cm_index_create(struct rn_cm *cm, const struct rn_core_cfg *cfg, rn_time now);
void rn_cm_index_destroy(struct rn_cm *cm);
struct rn_cm_conn *rn_cm_new(struct rn_cm *cm);
void rn_cm_release(struct rn_cm *cm, struct rn_cm_conn *c);
struct rn_cm_conn *rn_cm_by_id(const struct rn_cm *cm, uint32_t id);
struct rn_cm_conn *rn_cm_by_local(const struct rn_cm *cm, uint32_t local_id);
/* Finds a connection by the peer's communication id. GUID and address together identify the peer,
 * because a CM message can carry the GUID of another node. */
struct rn_cm_conn *rn_cm_by_remote(const struct rn_cm *cm, uint32_t remote_id, uint64_t guid,
				   const struct rn_gid *from);
struct rn_cm_conn *rn_cm_by_peer_qp(const struct rn_cm *cm, uint32_t qpn, uint64_t guid,
				    const struct rn_gid *from);
struct rn_cm_conn *rn_cm_by_qpn(const struct rn_cm *cm, uint32_t qpn);
bool rn_cm_tuple_taken(const struct rn_cm *cm, const struct rn_cm_conn *c);
struct rn_cm_conn *rn_cm_by_asker(const struct rn_cm *cm, uint32_t request_id,
				  const struct rn_gid *from);
struct rn_cm_conn *rn_cm_listener_at(const struct rn_cm *cm, uint16_t port_space,
				     const struct rn_gid *local, uint16_t port);
/* Returns the listener for connection requests to the address dst, or NULL. service_id is port
 * space << 16 | port. */
struct rn_cm_conn *rn_cm_listener_for(const struct rn_cm *cm, const struct rn_gid *dst,
				      uint64_t service_id);
uint64_t rn_cm_hash_source(const struct rn_cm *cm, const struct rn_gid *from);
void rn_cm_index_local(struct rn_cm *cm, struct rn_cm_conn *c);
/* Enters c into the hash tables of peers. remote_id, remote_guid, remote_qpn and av.dgid of c must
 * be set. */
void rn_cm_index_peer(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_index_qpn(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_index_tuple(struct rn_cm *cm, struct rn_cm_conn *c);
/* Enters c into the hash table of SIDR requests. c->remote_id and c->av.dgid must be set. */
void rn_cm_index_asker(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_index_listener(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_unindex_wire(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_unindex_qps(struct rn_cm *cm, struct rn_cm_conn *c);
bool rn_cm_take_port(struct rn_cm *cm, struct rn_cm_conn *c, uint16_t port);
void rn_cm_leave_port(struct rn_cm *cm, struct rn_cm_conn *c);

/* ---- functions of cm_id.c ---- */
uint32_t rn_cm_fresh_id(struct rn_cm *cm);
uint64_t rn_cm_fresh_tid(struct rn_cm *cm);
void rn_cm_enter_wait(struct rn_cm *cm, struct rn_cm_conn *c, rn_time now);
/* Returns true if a timewait record holds this communication id. */
bool rn_cm_local_waits(const struct rn_cm *cm, uint32_t local_id);
bool rn_cm_remote_waits(const struct rn_cm *cm, uint32_t remote_id, uint64_t guid,
			const struct rn_gid *from);
void rn_cm_wait_tick(struct rn_cm *cm, rn_time now);

/* ---- functions of cm_label.c ---- */
/* Returns the flow label for a connection that this side begins. The ports, addresses and own QPN
 * of c must be set. */
uint32_t rn_cm_choose_label(struct rn_cm *cm, const struct rn_cm_conn *c);

/* ---- functions of cm_mad.c ---- */
/* Queues c->mad for sending. Each rn_cm_build_... function below writes c->mad. */
void rn_cm_queue_mad(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_build_req(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_build_rep(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_build_rtu(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_param *param);
void rn_cm_build_dreq(struct rn_cm *cm, struct rn_cm_conn *c);
void rn_cm_build_rej(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_about about,
		     uint16_t reason, const struct rn_cm_param *param);
/* rn_cm_owe_mra() and rn_cm_owe_drep() queue a CM message to the peer of c. The message is sent
 * only once. */
void rn_cm_owe_mra(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_about about);
void rn_cm_owe_drep(struct rn_cm *cm, struct rn_cm_conn *c);
/* Each rn_cm_reply... function queues a CM message to the sender of pkt, with or without a
 * connection. */
void rn_cm_reply(struct rn_cm *cm, const struct rn_pkt *pkt, const struct rn_cm_msg *msg);
void rn_cm_reply_rej(struct rn_cm *cm, const struct rn_pkt *pkt, const struct rn_cm_msg *in,
		     uint16_t reason, const void *ari, uint8_t ari_len);
void rn_cm_reply_drep(struct rn_cm *cm, const struct rn_pkt *pkt, const struct rn_cm_msg *in);
/* Builds c->mad from *msg. rn_cm_queue_mad() queues c->mad for sending, and the resend timer queues
 * c->mad again. */
void rn_cm_keep(struct rn_cm_conn *c, const struct rn_cm_msg *msg);

/* ---- functions of cm_news.c ---- */
void rn_cm_note_step(struct rn_cm *cm, const struct rn_cm_conn *c, enum rn_cm_state from,
		     enum rn_cm_state to, enum rn_cm_cause cause, const struct rn_cm_why *why);

/* ---- functions of cm_peer.c ---- */
bool rn_cm_is_host(const struct rn_gid *g);
/* Returns true if pkt comes from the address of the connection's peer, or if source checks are off.
 * This check keeps other hosts from ending the connection by DREQ or REJ. */
bool rn_cm_from_peer(const struct rn_cm *cm, const struct rn_cm_conn *c, const struct rn_pkt *pkt);
/* Sets the destination MAC of the CM messages that answer the REQ or SIDR_REQ in pkt: the peer's
 * MAC in the neighbour table, or else the source MAC of pkt. */
void rn_cm_answer_to(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_pkt *pkt);

/* ---- functions of cm_sidr.c ---- */
enum rn_verdict rn_cm_rx_sidr_req(struct rn_cm *cm, const struct rn_pkt *pkt,
				  const struct rn_cm_msg *msg, rn_time now);
enum rn_verdict rn_cm_rx_sidr_rep(struct rn_cm *cm, const struct rn_pkt *pkt,
				  const struct rn_cm_msg *msg, rn_time now);

#endif
