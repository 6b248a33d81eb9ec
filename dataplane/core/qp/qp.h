/* Queue pairs: the object, its states, and the declarations that the files of this folder share.
 * Runs on the shard's thread.
 *
 * The command CREATE_QP gives the shard one block of memory: struct rn_qp, then send queue, then
 * receive queue. requester.c owns sq, win and retry. responder.c owns rq, rx and owed. qp.c owns
 * the state and what happens at its changes. qp_dispatch.c and qp_modify.c call these files. */
#ifndef RN_QP_H
#define RN_QP_H

#include "flow/cc.h"
#include "ground/core_cfg.h"
#include "ground/txbuf.h"
#include "memory/mr.h"
#include "wire/pkt.h"
#include "wire/verdict.h"
#include "flow/credit.h"
#include "qp/keep.h"
#include "queue/cq.h"
#include "base/list.h"
#include "flow/retry.h"
#include "queue/rq.h"
#include "queue/sq.h"
#include "net/match.h"
#include "net/tmpl.h"
#include "flow/window.h"

/* ---- states: what each permits (docs/spec/rocev2.md 4.11) ---- */

/* clang-format off */
/* What each state permits:
 *	post_recv, post_send  what posting does. TAKE queues the work request. FLUSH completes it
 *		at once with WR_FLUSH_ERR. REFUSE completes it at once with LOC_QP_OP_ERR.
 *	requests in, responses in  received packets of this kind are accepted
 *	start new   a work request may get its PSNs and be sent
 *	go on       packets of work requests that have PSNs may be sent
 */
#define RN_QP_STATE_ROWS(X) \
	/*  state  post_recv  post_send  requests in  start new  go on  responses in */ \
	X(RESET,   REFUSE,    REFUSE,    false,       false,     false, false) \
	X(INIT,    TAKE,      REFUSE,    false,       false,     false, false) \
	X(RTR,     TAKE,      REFUSE,    true,        false,     false, false) \
	X(RTS,     TAKE,      TAKE,      true,        true,      true,  true) \
	X(SQD,     TAKE,      TAKE,      true,        false,     true,  true) \
	X(SQE,     TAKE,      FLUSH,     true,        false,     false, false) \
	X(ERR,     FLUSH,     FLUSH,     false,       false,     false, false)

/* Sets of QP types: 1 << t stands for type t (enum rn_qp_type). */
#define RN_QPTS_RC    (1u << RN_QPT_RC)
#define RN_QPTS_UC    (1u << RN_QPT_UC)
#define RN_QPTS_UD    (1u << RN_QPT_UD)
#define RN_QPTS_RC_UC (RN_QPTS_RC | RN_QPTS_UC)
#define RN_QPTS_ALL   (RN_QPTS_RC_UC | RN_QPTS_UD)

#define RN_QPM(name) RN_QP_##name
#define RN_QPM_INIT    (RN_QPM(PKEY_INDEX) | RN_QPM(PORT) | RN_QPM(ACCESS))
#define RN_QPM_INIT_UD (RN_QPM(PKEY_INDEX) | RN_QPM(PORT) | RN_QPM(QKEY))
#define RN_QPM_RTR_UC  (RN_QPM(AV) | RN_QPM(PATH_MTU) | RN_QPM(DEST_QPN) | RN_QPM(RQ_PSN))
#define RN_QPM_RTR     (RN_QPM_RTR_UC | RN_QPM(MAX_DEST_RD_ATOMIC) | RN_QPM(MIN_RNR_TIMER))
#define RN_QPM_RTS     (RN_QPM(TIMEOUT) | RN_QPM(RETRY_CNT) | RN_QPM(RNR_RETRY) | RN_QPM(SQ_PSN) | RN_QPM(MAX_RD_ATOMIC))
#define RN_QPM_LATE    (RN_QPM(CUR_STATE) | RN_QPM(ACCESS) | RN_QPM(MIN_RNR_TIMER))
#define RN_QPM_LATE_UC (RN_QPM(CUR_STATE) | RN_QPM(ACCESS))
#define RN_QPM_LATE_UD (RN_QPM(CUR_STATE) | RN_QPM(QKEY))
#define RN_QPM_SQD_UC  (RN_QPM(AV) | RN_QPM(PKEY_INDEX) | RN_QPM(ACCESS))
#define RN_QPM_SQD     (RN_QPM_SQD_UC | RN_QPM(PORT) | RN_QPM(TIMEOUT) | RN_QPM(RETRY_CNT) | RN_QPM(RNR_RETRY) | \
			RN_QPM(MAX_RD_ATOMIC) | RN_QPM(MAX_DEST_RD_ATOMIC) | RN_QPM(MIN_RNR_TIMER))
/* The transitions that an application may request: those of ibv_modify_qp, without alternate paths.
 * Transitions to RESET and ERR are not in this table: any state allows them, with the state
 * attribute alone. The QP itself goes from RTS to SQE when a send of UC or UD fails. */
#define RN_QP_MOVE_ROWS(X) \
	/* types  from   to     mandatory        optional */ \
	X(RC_UC, RESET, INIT,  RN_QPM_INIT,     0) \
	X(UD,    RESET, INIT,  RN_QPM_INIT_UD,  0) \
	X(RC_UC, INIT,  INIT,  0,               RN_QPM_INIT) \
	X(UD,    INIT,  INIT,  0,               RN_QPM_INIT_UD) \
	X(RC,    INIT,  RTR,   RN_QPM_RTR,      RN_QPM(ACCESS) | RN_QPM(PKEY_INDEX)) \
	X(UC,    INIT,  RTR,   RN_QPM_RTR_UC,   RN_QPM(ACCESS) | RN_QPM(PKEY_INDEX)) \
	X(UD,    INIT,  RTR,   0,               RN_QPM(PKEY_INDEX) | RN_QPM(QKEY)) \
	X(RC,    RTR,   RTS,   RN_QPM_RTS,      RN_QPM_LATE) \
	X(UC,    RTR,   RTS,   RN_QPM(SQ_PSN),  RN_QPM_LATE_UC) \
	X(UD,    RTR,   RTS,   RN_QPM(SQ_PSN),  RN_QPM_LATE_UD) \
	X(RC,    RTS,   RTS,   0,               RN_QPM_LATE) \
	X(UC,    RTS,   RTS,   0,               RN_QPM_LATE_UC) \
	X(UD,    RTS,   RTS,   0,               RN_QPM_LATE_UD) \
	X(ALL,   RTS,   SQD,   0,               RN_QPM(SQD_NOTIFY)) \
	X(RC,    SQD,   SQD,   0,               RN_QPM_SQD) \
	X(UC,    SQD,   SQD,   0,               RN_QPM_SQD_UC) \
	X(UD,    SQD,   SQD,   0,               RN_QPM(PKEY_INDEX) | RN_QPM(QKEY)) \
	X(RC,    SQD,   RTS,   0,               RN_QPM_LATE) \
	X(UC,    SQD,   RTS,   0,               RN_QPM_LATE_UC) \
	X(UD,    SQD,   RTS,   0,               RN_QPM_LATE_UD) \
	X(UC,    SQE,   RTS,   0,               RN_QPM_LATE_UC) \
	X(UD,    SQE,   RTS,   0,               RN_QPM_LATE_UD)
/* clang-format on */

enum rn_qp_posting { RN_POST_TAKE, RN_POST_FLUSH, RN_POST_REFUSE };

struct rn_qp_state_row {
	const char *name;
	enum rn_qp_posting post_recv, post_send;
	bool request_in, start, go_on, response_in;
};
extern const struct rn_qp_state_row rn_qp_states[];

/* The states in which a receive, or another work request, enters its queue: bits 1 << enum
 * rn_qp_state. */
#define X(name, recv, send, request_in, start, go_on, response_in) \
	+((RN_POST_##recv == RN_POST_TAKE) << RN_QPS_##name)
static const uint32_t rn_qp_takes_recvs = 0 RN_QP_STATE_ROWS(X);
#undef X
#define X(name, recv, send, request_in, start, go_on, response_in) \
	+((RN_POST_##send == RN_POST_TAKE) << RN_QPS_##name)
static const uint32_t rn_qp_takes_sends = 0 RN_QP_STATE_ROWS(X);
#undef X

struct rn_qp_move_row {
	uint32_t types; /* set of QP types (RN_QPTS_...) */
	uint8_t from, to;
	/* sets of enum rn_qp_mask bits; RN_QP_STATE is always implied */
	uint32_t mandatory, optional;
};
/* Returns the row of RN_QP_MOVE_ROWS that allows a QP of this type to go from `from` to `to`.
 * Returns NULL if the transition is not allowed. */
const struct rn_qp_move_row *rn_qp_move(uint8_t type, uint8_t from, uint8_t to);

/* ---- state of the responder ---- */

/* The record of an accepted READ or atomic, from which a repeated request is answered again. A
 * record stays until a newer record takes its slot. */
struct rn_read_rec {
	uint64_t va;
	uint32_t rkey, length;
	uint32_t first_psn, npkts; /* npkts 0 = unused slot */
	/* The packets of the response are numbered from 0. next: number of the next packet to send.
	 * start: number of the first packet to send; above 0 if the peer requested only the last
	 * part of the data again. */
	uint32_t next;
	uint32_t start : 24;
	uint32_t op : 6;       /* enum rn_operation of the READ or atomic */
	uint32_t answered : 1; /* the whole response has been sent at least once */
	uint32_t owed : 1;     /* an entry of rn_rx.owed refers to this record */
	uint64_t end; /* value of rn_rx.taken right after this READ or atomic was accepted */
	union {
		uint64_t orig; /* atomic: the value in memory before the operation */
		/* READ: the peer may request again some packets that are not the last ones (a
		 * part). part_end: number of the packet behind the part. resume: number of the
		 * packet with which the response that the part has interrupted goes on. 0: there
		 * is no part, or it has interrupted no response. */
		struct {
			uint32_t part_end, resume;
		};
	};
};
static_assert(RN_MSG_MAX / 256 < 1u << 24, "`start` holds the number of any packet of a READ");

enum rn_owe_kind { RN_OWE_ACK, RN_OWE_NAK, RN_OWE_READ };

struct rn_owe {
	uint8_t kind;
	uint8_t syndrome; /* for a NAK: AETH syndrome */
	uint8_t rec;	  /* for a READ or atomic: index into rec[] */
	uint32_t psn;	  /* for an ACK or NAK: its PSN; else last PSN of the response */
	uint32_t msn;
};

/* Maximum number of replies owed at the same time: responses to RN_MAX_RD_ATOMIC READs and atomics,
 * ACKs before, between and after these, and one NAK. */
#define RN_OWED_MAX (2 * RN_MAX_RD_ATOMIC + 4)

enum rn_rx_message { RN_RX_IDLE, RN_RX_SEND, RN_RX_WRITE };

/* State of the responder. PSNs and MSN have 24 bits. */
struct rn_rx {
	/* The members up to `taken` are in the last line of the template (struct rn_qp). */
	uint32_t epsn;
	uint32_t msn;
	uint8_t message; /* enum rn_rx_message: kind of the message being received */
	bool nak_sent;	 /* a NAK was sent: no further NAK until epsn arrives */
	bool nak_rnr;	 /* the last NAK was an RNR NAK */
	/* The first packet from the peer has arrived, and rn_lane_comm_est() was called. */
	bool peer_seen;
	bool keeping;	  /* rn_qp.keep holds packets: no request takes the short way */
	uint8_t rnr_naks; /* number of consecutive RNR NAKs sent for the expected PSN */
	uint8_t nowed, nowed_reads;
	uint64_t taken; /* how many PSNs were accepted so far; never wraps */
	/* rec[] is a ring. nrec is its size (max_dest_rd_atomic), rec_next the slot to fill
	 * next. */
	uint8_t nrec, rec_next;
	uint32_t done;	 /* how many bytes of the current message have been placed */
	uint32_t rkey;	 /* R_Key of the current message, if it is a WRITE */
	uint32_t length; /* bytes of the whole message, if it is a WRITE */
	uint64_t va;
	struct rn_owe owed[RN_OWED_MAX]; /* replies to send, in PSN order */
	struct rn_read_rec rec[RN_MAX_RD_ATOMIC];
	/* how many packets from the peer other shards have received and handed over */
	uint32_t detours;
};

/* ---- state of the requester (read_gap.h) ---- */

/* Responses of READs and atomics that arrived ahead of a missing one. */
struct rn_read_gap {
	struct rn_keep kept;
	/* The newest PSN that an ACK, or a response that was not kept, has shown to be accepted by
	 * the peer, if any_acked is set. */
	uint32_t acked;
	bool any_acked;
	bool overflow; /* a response was not kept: for lack of room, or it was kept before */
	/* A part is a READ request that ends before the request that it repeats. */
	bool part;     /* the present request for missing responses is a part */
	bool any_part; /* a part was requested: a response in the middle may be a Last or Only */
	bool answers;  /* the peer has answered at least one part */
	bool refuses;  /* the peer does not seem to answer parts */
	uint8_t vain;  /* how many parts in a row got no answer */
};

/* ---- the QP ---- */

struct rn_lane;
struct rn_srq_ref;

enum rn_qp_event_bit {
	RN_QPE_FATAL = 1,
	RN_QPE_REQ_ERR = 2,
	RN_QPE_ACCESS_ERR = 4,
	RN_QPE_COMM_EST = 8,
	RN_QPE_SQ_DRAINED = 16,
	RN_QPE_LAST_WQE = 32,
	RN_QPE_COMPLETED = 64 /* with FATAL, no event of its own: a completion has the error too */
};

/* The order of the members decides how many cache lines a packet touches, which is most of what a
 * packet costs when there are many QPs. The members of a block are used together.
 * test_qp_layout.c counts the lines that each kind of packet touches, and shard/ahead.c loads
 * them. */
struct rn_qp {
	/* every packet and every posted work request */
	struct rn_lane *lane;
	uint32_t qpn;
	uint32_t pd;
	uint8_t type, state;
	uint8_t transport; /* enum rn_transport of this QP's packets */
	uint8_t mtu_shift; /* path MTU = 1 << mtu_shift */
	bool own_turn;	   /* last packet was a READ response, so send a request next */
	bool short_way;	   /* rn_match_on(&match); here so that sending does not touch `match` */
	uint16_t quota;	   /* packets this QP may send before the next QP sends */
	uint32_t access;   /* what the peer may do on this QP (enum rn_access) */
	uint32_t recv_pd;  /* PD of the receives: the PD of the QP or of its SRQ */
	/* node in rn_lane.active while the QP may have something to send */
	struct rn_list active;

	/* received requests */
	struct rn_mr_last rx_key; /* the last key of a received request, the short way */
	struct rn_rq rq;
	struct rn_cq *recv_cq;
	/* The SRQ of this QP, or NULL if the QP has its own receive queue `rq`. With an SRQ, `rq`
	 * holds at most one receive, which the current message has taken from the SRQ. */
	struct rn_srq_ref *srq;

	/* Header bytes that ordinary packets from the peer have. The headers of a request are one
	 * line, what precedes them is in the line of `rq`, and those of a response begin a line. */
	struct rn_match match;

	/* sent requests and their acknowledgements */
	/* the last key of an own request, the short way */
	_Alignas(64) struct rn_mr_last tx_key;
	struct rn_credit credit;
	uint32_t gen;
	struct rn_sq sq;
	uint64_t ctx;
	struct rn_cq *send_cq;
	struct rn_list
		dirty; /* in rn_lane.dirty_qp while sq_retired or rq_retired is unpublished */
	/* number of completed sends; number of completed receives that did not come from an SRQ */
	uint32_t sq_retired, rq_retired;
	struct rn_window win;
	struct rn_retry retry;
	struct rn_cc cc;	 /* rate limit (congestion control) */
	struct rn_gid own, peer; /* expected destination and source of received packets */
	/* rarely used; here to fill the line */
	struct rn_keep keep; /* received requests whose turn comes after a lost one */
	uint64_t user;	     /* the application's value for events of this QP */
	uint32_t ngroups;    /* number of multicast groups this QP is in */
	uint8_t events;	     /* events not yet reported (enum rn_qp_event_bit) */
	bool sqd_notify;     /* in state SQD: report SQ_DRAINED when all started work requests are
			      * complete */

	/* all sent packets; the first members of rx share the last line of the template */
	_Alignas(64) struct rn_tmpl tmpl;

	/* received requests and owed replies; up to the first owed reply */
	struct rn_rx rx;

	/* What follows is used by few packets. */
	struct rn_timer pace;	 /* timer in rn_lane.pace, expires when the QP may send again */
	struct rn_list cnp;	 /* node in rn_shard.cnp while the QP owes a CNP */
	struct rn_list tell;	 /* node in rn_lane.pending_qp while the QP has unreported events */
	rn_time cnp_after;	 /* before this time no further CNP becomes due */
	struct rn_mw_list bound; /* memory windows bound on this QP */
	struct rn_read_gap gap;
	struct rn_qp_attr attr;
	struct rn_qp_shared shared;
};

static inline uint32_t rn_qp_mtu(const struct rn_qp *qp)
{
	return 1u << qp->mtu_shift;
}

/* Returns false if the QP certainly has nothing to send: it owes no reply, and its send queue has
 * no packet that waits to be sent, for the first time or again. */
static inline bool rn_qp_has_more(const struct rn_qp *qp)
{
	return qp->rx.nowed || qp->sq.send != qp->sq.tail;
}

/* Returns true if this QP has one fixed peer: RC and UC from RTR on, also in ERR. */
static inline bool rn_qp_has_peer(const struct rn_qp *qp)
{
	return qp->type != RN_QPT_UD && qp->state >= RN_QPS_RTR;
}

/* Returns the number of packets of a message of len bytes, at least one. */
static inline uint32_t rn_qp_packets(const struct rn_qp *qp, uint32_t len)
{
	uint32_t n = (uint32_t)(((uint64_t)len + rn_qp_mtu(qp) - 1) >> qp->mtu_shift);
	return n ? n : 1;
}

/* Returns the QP's PD and QPN, against which the peer's memory accesses are checked. */
static inline struct rn_mr_via rn_qp_via(const struct rn_qp *qp)
{
	return (struct rn_mr_via){.pd = qp->pd, .qpn = qp->qpn};
}

/* Returns the bytes of memory for the QP that the CREATE_QP command describes: struct rn_qp and
 * both queues. */
size_t rn_qp_bytes(const struct rn_cmd *cmd);
/* Initialises *qp, a block of rn_qp_bytes() bytes, aligned to 64 bytes. The caller has checked the
 * command. */
void rn_qp_init(struct rn_qp *qp, struct rn_lane *lane, const struct rn_cmd *cmd);
/* Prepares a QP for destruction. Cancels its timers, releases its memory windows, and takes it off
 * all lists and out of all multicast groups. The caller frees the memory. */
void rn_qp_fini(struct rn_qp *qp);

/* To be called when the memory window `key` is destroyed. Releases the window if the window is
 * bound on this QP. Queued work requests that would bind or invalidate the window will succeed
 * without effect. */
void rn_qp_unbind_window(struct rn_qp *qp, uint32_t key);

/* Rebuilds the packet headers. Called after a change of the address vector, the peer's QPN, the
 * NIC's attributes or a MAC address. */
void rn_qp_make_headers(struct rn_qp *qp);

/* Completes the oldest work request of the send queue with an error. An RC QP then enters ERR. A UC
 * or UD QP enters SQE: its send queue is flushed, and receiving continues. */
void rn_qp_send_failed(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now);
/* Reports the event SQ_DRAINED if the application asked for this event and no started work request
 * is left. Called when work requests have completed in the state SQD. */
void rn_qp_drained(struct rn_qp *qp);

/* Reports `why`, the reason of an error, to the log (news.h). `why` must be a string constant.
 * Called before rn_qp_error(), unless the application requested ERR. Has no effect in RESET and
 * ERR. */
void rn_qp_note_error(struct rn_qp *qp, const char *why);

/* Enters ERR and flushes all work requests, the send queue first. Has no effect in RESET and ERR.
 * `what` is the event to report (enum rn_qp_event_bit); 0 = none. A QP with an SRQ also reports
 * LAST_WQE. With keep_owed, owed replies, such as a NAK, are still sent. */
void rn_qp_error(struct rn_qp *qp, unsigned what, bool keep_owed, rn_time now);
/* `what` of an error for which a completion was written to `cq`, if the CQ had room for it. */
static inline unsigned rn_qp_fatal(const struct rn_cq *cq)
{
	return cq->overrun ? RN_QPE_FATAL : RN_QPE_FATAL | RN_QPE_COMPLETED;
}

/* The part of a CQE that describes a received message. */
struct rn_arrival {
	uint32_t bytes;
	uint32_t imm;	/* imm, sl and src_qpn are as in struct rn_cqe */
	uint16_t flags; /* bits of enum rn_cqe_flag: SOLICITED, IMM, INVAL, WRITE, GRH, IPV4 */
	uint8_t sl;
	uint32_t src_qpn;
};

/* rn_qp_complete_send() completes the oldest work request of the send queue, rn_qp_complete_recv()
 * the oldest receive. `vendor` is an enum rn_verdict; 0 = none. `a` may be NULL unless `status` is
 * SUCCESS. A successful send without SIGNALED writes no CQE. */
void rn_qp_complete_send(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now);
void rn_qp_complete_recv(struct rn_qp *qp, uint8_t status, uint8_t vendor,
			 const struct rn_arrival *a, rn_time now);
/* Writes an error CQE for a work request that never entered its queue. `cq` is the QP's send CQ or
 * receive CQ. */
void rn_qp_complete_unqueued(struct rn_qp *qp, struct rn_cq *cq, uint8_t kind, uint64_t wr_id,
			     uint8_t status, rn_time now);

/* ---- functions for qp_modify.c ---- */

void rn_qp_set_state(struct rn_qp *qp, uint8_t state);
/* Initialises the send window and the count of the peer's end-to-end credits. `psn` is the first
 * PSN that the next work request gets. */
void rn_qp_init_sends(struct rn_qp *qp, uint32_t psn);
/* Removes the rate limit of the QP and drops an owed CNP. */
void rn_qp_end_limit(struct rn_qp *qp);
/* Releases the windows that are bound on this QP, and cancels queued BIND requests. */
void rn_qp_unbind_all(struct rn_qp *qp);

#endif
