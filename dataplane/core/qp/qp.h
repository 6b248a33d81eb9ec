/* Queue pairs: the object, its states, and what every part of it shares.
 *
 * A QP lives in one block of memory given with CREATE_QP: this struct, then its send queue, then its receive queue.
 * requester.c owns sq, win and retry; responder.c owns rq, rx and owed; qp.c owns the state and everything that must
 * happen when it changes. qp_dispatch.c and qp_modify.c stand above all of them. Shard thread throughout. */
#ifndef RN_QP_H
#define RN_QP_H

#include "flow/cc.h"
#include "ground/core_cfg.h"
#include "ground/txbuf.h"
#include "memory/mr.h"
#include "wire/pkt.h"
#include "wire/verdict.h"
#include "flow/credit.h"
#include "queue/cq.h"
#include "base/list.h"
#include "flow/retry.h"
#include "queue/rq.h"
#include "queue/sq.h"
#include "net/tmpl.h"
#include "flow/window.h"

/* ---- states: what each lets in and out (docs/spec/rocev2.md 4.11) ---- */

/* clang-format off */
/* post_recv, post_send: TAKE into the queue, FLUSH with an error CQE, REFUSE with an error CQE */
#define RN_QP_STATE_ROWS(X) \
	/*  state  post_recv  post_send  requests in  start new  go on  responses in */ \
	X(RESET,   REFUSE,    REFUSE,    false,       false,     false, false) \
	X(INIT,    TAKE,      REFUSE,    false,       false,     false, false) \
	X(RTR,     TAKE,      REFUSE,    true,        false,     false, false) \
	X(RTS,     TAKE,      TAKE,      true,        true,      true,  true) \
	X(SQD,     TAKE,      TAKE,      true,        false,     true,  true) \
	X(SQE,     TAKE,      FLUSH,     true,        false,     false, false) \
	X(ERR,     FLUSH,     FLUSH,     false,       false,     false, false)

/* Sets of types, as bits 1 << enum rn_qp_type. */
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
/* Transitions (those of ibv_modify_qp, without alternate paths); to RESET and ERR from anywhere, with the state alone. RTS
 * to SQE happens when a send of UC or UD fails, and cannot be asked for. */
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

struct rn_qp_move_row {
	uint32_t types; /* RN_QPTS_... */
	uint8_t from, to;
	uint32_t mandatory, optional; /* enum rn_qp_mask, RN_QP_STATE left out */
};
/* The row that allows a QP of this type from -> to, or NULL. */
const struct rn_qp_move_row *rn_qp_move(uint8_t type, uint8_t from, uint8_t to);

/* ---- the responder's memory ---- */

/* A READ or atomic accepted: kept until a newer one takes its place, so that it can be answered again. */
struct rn_read_rec {
	uint64_t va;
	uint32_t rkey, length;
	uint32_t first_psn, npkts; /* npkts 0: no record yet */
	uint32_t start, next;      /* response packets: this answer began with `start`, `next` is to be sent */
	uint64_t end;              /* rn_rx.taken behind its last PSN: tells its PSNs from those of the next round */
	uint64_t orig;             /* atomic: what was there */
	uint8_t op;                /* enum rn_operation of the request */
	bool answered;             /* once, whole */
	bool owed;                 /* an entry of the owed list names it */
};

enum rn_owe_kind { RN_OWE_ACK, RN_OWE_NAK, RN_OWE_READ };

struct rn_owe {
	uint8_t kind;
	uint8_t syndrome; /* NAK */
	uint8_t rec;      /* READ, or an atomic: index into rec[] */
	uint32_t psn;     /* READ: its last */
	uint32_t msn;
};

/* READs and atomics, an ACK before, between and behind them, one NAK. */
#define RN_OWED_MAX (2 * RN_MAX_RD_ATOMIC + 4)

enum rn_rx_message { RN_RX_IDLE, RN_RX_SEND, RN_RX_WRITE };

struct rn_rx {
	uint32_t epsn;
	uint32_t msn;
	uint64_t taken;    /* PSNs so far; does not wrap */
	uint8_t message;   /* enum rn_rx_message: which one is open */
	bool nak_sent;     /* gaps stay unreported until epsn arrives */
	bool nak_rnr;      /* ... because of an RNR NAK */
	bool peer_seen;    /* COMM_EST told */
	uint8_t rnr_naks;  /* in a row, for epsn */
	uint8_t nrec, rec_next; /* ring size (max_dest_rd_atomic), slot of the next READ or atomic */
	uint8_t nowed, nowed_reads;
	uint32_t done;     /* SEND: bytes in the receive; WRITE: bytes placed */
	uint32_t rkey;     /* WRITE */
	uint64_t va;
	uint32_t length;   /* WRITE: of the whole message */
	struct rn_owe owed[RN_OWED_MAX]; /* oldest first, ascending PSN */
	struct rn_read_rec rec[RN_MAX_RD_ATOMIC];
};

/* ---- the QP ---- */

struct rn_lane;
struct rn_srq_ref;

enum rn_qp_event_bit { RN_QPE_FATAL = 1, RN_QPE_REQ_ERR = 2, RN_QPE_ACCESS_ERR = 4, RN_QPE_COMM_EST = 8,
		       RN_QPE_SQ_DRAINED = 16, RN_QPE_LAST_WQE = 32 };

struct rn_qp {
	/* read for every packet */
	struct rn_lane *lane;
	uint32_t qpn, gen;
	uint32_t pd;
	uint8_t type, state;
	uint8_t transport; /* enum rn_transport: that of its packets */
	uint8_t mtu_shift; /* path MTU = 1 << mtu_shift */
	uint8_t events;    /* enum rn_qp_event_bit not yet told */
	uint32_t access;   /* remote rights */
	uint32_t quota;    /* packets it may still send in this turn of the active list */
	bool sqd_notify;   /* tell when the send queue is drained */
	bool own_turn;     /* an answer to a READ went out: a request may go before the next */
	struct rn_gid own, peer; /* addresses packets must carry */
	struct rn_cq *send_cq, *recv_cq;
	struct rn_srq_ref *srq; /* NULL: receives of its own. Else rq holds the one that the open message has taken */
	uint32_t recv_pd;       /* that of the receives: the QP's, or the SRQ's */
	struct rn_list active; /* on the shard's list while it may have something to send */
	struct rn_list dirty;  /* on the shard's list while retired counts are not published */
	struct rn_list tell;   /* on the shard's list while events are not told */
	uint32_t sq_retired, rq_retired; /* receives of an SRQ are not counted */
	struct rn_cc cc;       /* how fast it may send */
	struct rn_timer pace;  /* in the shard's wheel of that name: when a limited QP may go on */
	struct rn_list cnp;    /* on the shard's list while it owes a congestion notification */
	rn_time cnp_after;     /* none is owed before */

	struct rn_sq sq;
	struct rn_window win;
	struct rn_credit credit;
	struct rn_retry retry;
	struct rn_tmpl tmpl;
	struct rn_rq rq;
	struct rn_rx rx;
	struct rn_mw_list bound; /* windows */
	uint32_t ngroups; /* it is in */

	uint64_t ctx, user;
	struct rn_qp_attr attr;
	struct rn_qp_shared shared;
};

static inline uint32_t rn_qp_mtu(const struct rn_qp *qp)
{
	return 1u << qp->mtu_shift;
}

/* Does it know whom it talks to, once and for all? */
static inline bool rn_qp_has_peer(const struct rn_qp *qp)
{
	return qp->type != RN_QPT_UD && qp->state >= RN_QPS_RTR;
}

/* Packets that carry len bytes: at least one. */
static inline uint32_t rn_qp_packets(const struct rn_qp *qp, uint32_t len)
{
	uint32_t n = (uint32_t)(((uint64_t)len + rn_qp_mtu(qp) - 1) >> qp->mtu_shift);
	return n ? n : 1;
}

/* How this QP's peer reaches memory. */
static inline struct rn_mr_via rn_qp_via(const struct rn_qp *qp)
{
	return (struct rn_mr_via){.pd = qp->pd, .qpn = qp->qpn};
}

size_t rn_qp_bytes(const struct rn_cmd *cmd);
void rn_qp_init(struct rn_qp *qp, struct rn_lane *lane, const struct rn_cmd *cmd);
/* Cancels its timer, ends its windows and takes it off every list. */
void rn_qp_fini(struct rn_qp *qp);

/* The window of this key is to be forgotten: what it is bound with here ends, and requests that are still to bind or
 * invalidate it succeed without effect. */
void rn_qp_forget_window(struct rn_qp *qp, uint32_t key);

/* The QP's address vector, its peer's number, the port or a MAC has changed: what its packets begin with does too. */
void rn_qp_make_headers(struct rn_qp *qp);

/* The oldest request fails. A reliable QP enters the error state with it; the others SQE: what is queued behind it is
 * flushed, receiving goes on. */
void rn_qp_send_failed(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now);
/* To be called when requests completed in SQD: tells, if asked to, once no started one is left. */
void rn_qp_drained(struct rn_qp *qp);

/* Before rn_qp_error(), where our own client is not the cause: why, a constant text, for people (news.h). */
void rn_qp_note_error(struct rn_qp *qp, const char *why);

/* Enters the error state: everything queued is flushed, send queue first. what: the event that tells of it (enum
 * rn_qp_event_bit, 0 when the application asked for it). keep_owed: a NAK must still leave. */
void rn_qp_error(struct rn_qp *qp, unsigned what, bool keep_owed, rn_time now);

/* What a message that took a receive says of itself. */
struct rn_arrival {
	uint32_t bytes;
	uint32_t imm;   /* as in struct rn_cqe; so are the two last */
	uint16_t flags; /* enum rn_cqe_flag: SOLICITED, IMM, INVAL, WRITE, GRH */
	uint8_t sl;
	uint32_t src_qpn;
};

/* Completes the oldest send or receive. The arrival is looked at on success only. vendor: enum rn_verdict, 0 = none. Success without SIGNALED is silent. */
void rn_qp_complete_send(struct rn_qp *qp, uint8_t status, uint8_t vendor, rn_time now);
void rn_qp_complete_recv(struct rn_qp *qp, uint8_t status, uint8_t vendor, const struct rn_arrival *a, rn_time now);
/* Completes, on the send or the receive CQ, a request that never got into its queue. */
void rn_qp_complete_unqueued(struct rn_qp *qp, struct rn_cq *cq, uint8_t kind, uint64_t wr_id, uint8_t status, rn_time now);

/* ---- for qp_modify.c ---- */

void rn_qp_set_state(struct rn_qp *qp, uint8_t state);
/* The first request to be sent has this PSN. */
void rn_qp_init_sends(struct rn_qp *qp, uint32_t psn);
/* Ends the rate limit and forgets an owed congestion notification. */
void rn_qp_end_limit(struct rn_qp *qp);
/* Ends the windows that are bound through this QP and those that queued requests are still to bind. */
void rn_qp_end_windows(struct rn_qp *qp);

#endif
