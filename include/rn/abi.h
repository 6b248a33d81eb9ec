/* softrnic: the binary interface between front ends (NetworkDirect, later verbs) and the NIC.
 *
 * All structures have fixed-width members. The only pointers are application addresses, which the
 * NIC resolves through its memory region (MR) table. The same layout serves a front end in the same
 * process and, later, one that uses shared memory. Static assertions below check the sizes; any
 * change of a layout changes RN_ABI_VERSION, too.
 *
 * Ownership: a slot of a submission ring, or a command, belongs to the thread that fills it until
 * that thread submits it. The NIC copies it, validates the copy, and uses only the copy. */
#ifndef RN_ABI_H
#define RN_ABI_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/status.h"

/* RN_ATOMIC(type): an atomic variable, with the same layout in C and C++ programs. */
#ifdef __cplusplus
#include <atomic>
#define RN_ATOMIC(type) std::atomic<type>
#else
#include <stdatomic.h>
#define RN_ATOMIC(type) _Atomic(type)
#endif

#define RN_ABI_VERSION 1
#define RN_SLOT_BYTES  64

/* A GID: an IPv6 address, or an IPv4 address in its mapped form ::ffff:a.b.c.d; network byte
 * order. */
struct rn_gid {
	uint8_t b[16];
};

/* ---- work requests: 1 to RN_WQE_MAX_SLOTS consecutive slots of a submission ring ---- */

/* clang-format off */
#define RN_WQE_ROWS(X) /* columns: name, number, queue */ \
	X(NOP,             0, SQ) \
	X(SEND,            1, SQ) \
	X(SEND_IMM,        2, SQ) \
	X(SEND_INVAL,      3, SQ) \
	X(WRITE,           4, SQ) \
	X(WRITE_IMM,       5, SQ) \
	X(READ,            6, SQ) \
	X(CMP_SWAP,        7, SQ) \
	X(FETCH_ADD,       8, SQ) \
	X(BIND,            9, SQ) \
	X(INVALIDATE,     10, SQ) \
	X(RECV,           16, RQ)
/* clang-format on */

enum rn_wqe_kind {
#define X(name, number, queue) RN_WQE_##name = number,
	RN_WQE_ROWS(X)
#undef X
};

enum rn_wqe_flag {
	RN_WQE_SIGNALED = 1 << 0, /* write a CQE on success too, not only on an error or flush */
	/* start after all earlier READs and atomics of the QP are complete */
	RN_WQE_FENCE = 1 << 1,
	RN_WQE_SOLICITED = 1 << 2, /* set the SE bit in the last packet */
	RN_WQE_INLINE = 1 << 3,	   /* the slots hold the data instead of SGEs */
};

/* A scatter/gather element (SGE). addr is an application address, or an offset if the MR is zero
 * based. */
struct rn_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* The part of a region that a BIND exposes through a window. Its first byte is at
 * rn_wqe.remote_va. */
struct rn_bind {
	uint64_t length;
	uint32_t lkey; /* lkey of the region, which must have RN_ACCESS_MW_BIND */
	/* enum rn_access, remote rights only; for REMOTE_WRITE and REMOTE_ATOMIC the region must
	 * have LOCAL_WRITE */
	uint32_t access;
};

/* The operands of a CMP_SWAP or FETCH_ADD, in host byte order. */
struct rn_atomic {
	/* CMP_SWAP: value to store if the target equals `compare`; FETCH_ADD: value to add, modulo
	 * 2^64 */
	uint64_t swap_add;
	uint64_t compare; /* CMP_SWAP: value to compare with the target */
};

/* An address vector: how to reach a peer. dmac is the MAC of the next hop. tclass and hop_limit of
 * 0 stand for the port's values.
 *
 * Packets are always sent in the port's VLAN. If has_vlan is 1, the VID in vlan_tci must be 0 or
 * that of the port; an address vector with another VID is refused. The priority in the VLAN tag is
 * sl if sl is not 0; else that of vlan_tci if has_vlan is 1; else that of the port. */
struct rn_av {
	struct rn_gid sgid, dgid;
	uint8_t dmac[6];
	uint16_t vlan_tci;
	uint32_t flow_label;
	uint8_t tclass; /* DSCP << 2 | ECN */
	uint8_t hop_limit;
	uint8_t sl;
	uint8_t has_vlan;
	uint32_t reserved;
};
static_assert(sizeof(struct rn_av) == 52, "by value in requests");

/* The destination of one datagram: part of every SEND and SEND_IMM on a UD QP. */
struct rn_ud {
	struct rn_av av;
	uint32_t qpn; /* 24 bits; RN_QPN_GROUP if av.dgid is a multicast group */
	/* if the top bit is set, the QP's own Q_Key is sent instead (IBTA vol. 1, 10.2.5) */
	uint32_t qkey;
};
static_assert(sizeof(struct rn_ud) == 60, "fits a slot");

#define RN_QPN_GROUP   0xFFFFFFu   /* the destination QPN of packets to a multicast group */
#define RN_UD_OWN_QKEY 0x80000000u /* in rn_ud.qkey: send the QP's own Q_Key */
/* bytes that precede the payload in the buffer of a UD receive; byte_len counts them */
#define RN_UD_GRH_BYTES 40u

/* The first slot of a work request. Each further slot holds 4 more SGEs, or 64 more inline bytes.
 * An atomic has one SGE of 8 bytes, which receives the target's former value in host order, and a
 * struct rn_atomic in the second slot. A SEND on a UD QP has SGEs or inline data like any other
 * SEND, and a struct rn_ud in one more slot, the last one. `inl` (SEND, WRITE with INLINE) begins
 * at offset 48 and continues in the following slots. */
struct rn_wqe {
	uint8_t kind;	/* enum rn_wqe_kind */
	uint8_t slots;	/* number of slots, this one included: 1..RN_WQE_MAX_SLOTS */
	uint16_t flags; /* enum rn_wqe_flag */
	uint32_t qpn;	/* 24 bits, determines the shard; ignored in a shared receive queue */
	/* rn_rsp.gen of CREATE_QP; a request with a stale generation is dropped; ignored in a
	 * shared receive queue */
	uint32_t qp_gen;
	uint16_t num_sge; /* number of SGEs; 0 if RN_WQE_INLINE is set */
	uint16_t reserved;
	uint64_t wr_id; /* returned in the CQE */
	/* WRITE, READ: any address; atomics: a multiple of 8; BIND: first byte of the window */
	uint64_t remote_va;
	/* WRITE, READ, atomics: the peer's R_Key. BIND: the new key of the window. Its upper 24
	 * bits are those of the key that CREATE_MW returned. Its low byte is 1..255, and the poster
	 * changes it for each BIND. */
	uint32_t rkey;
	/* immediate data as 4 opaque bytes, or the R_Key to invalidate (host order) */
	uint32_t imm;
	uint32_t length; /* total bytes of the SGEs or inline data, 0..2^31; BIND, INVALIDATE: 0 */
	uint32_t seq;	 /* reserved for a shared-memory ring */
	union {
		struct rn_sge sge[1];
		uint8_t inl[16];
		struct rn_bind bind; /* kind BIND: the range and rights to expose */
	};
};
static_assert(sizeof(struct rn_wqe) == RN_SLOT_BYTES, "one slot");
static_assert(offsetof(struct rn_wqe, sge) == 48, "first SGE");

#define RN_WQE_MAX_SLOTS  10 /* room for 1 + 9*4 = 37 SGEs, or 16 + 9*64 = 592 inline bytes */
#define RN_WQE_MAX_SGE	  32
#define RN_WQE_MAX_INLINE 512
#define RN_MSG_MAX	  (1u << 31)

/* Returns the number of slots of a request with n SGEs, or with n inline bytes. */
static inline unsigned rn_wqe_slots_sge(unsigned n)
{
	return n <= 1 ? 1 : 1 + (n - 1 + 3) / 4;
}

static inline unsigned rn_wqe_slots_inline(unsigned n)
{
	return n <= 16 ? 1 : 1 + (n - 16 + 63) / 64;
}

#define RN_ATOMIC_BYTES 8u
#define RN_ATOMIC_SLOTS 2
#define RN_UD_SLOTS	1 /* slots of a UD SEND besides those of its SGEs or inline data */
static_assert(1 + (RN_WQE_MAX_SGE - 1 + 3) / 4 + RN_UD_SLOTS <= RN_WQE_MAX_SLOTS,
	      "datagrams of many SGEs");
static_assert(1 + (RN_WQE_MAX_INLINE - 16 + 63) / 64 + RN_UD_SLOTS <= RN_WQE_MAX_SLOTS,
	      "inline datagrams");

/* Returns the operands of an atomic, in the second of its RN_ATOMIC_SLOTS slots. */
static inline struct rn_atomic *rn_wqe_atomic(struct rn_wqe *wqe)
{
	return (struct rn_atomic *)((uint8_t *)wqe + RN_SLOT_BYTES);
}

/* Returns the destination of a SEND on a UD QP, in its last slot; wqe->slots must include that
 * slot. */
static inline struct rn_ud *rn_wqe_ud(struct rn_wqe *wqe)
{
	return (struct rn_ud *)((uint8_t *)wqe + (size_t)(wqe->slots - 1) * RN_SLOT_BYTES);
}

/* ---- completions ---- */

enum rn_cqe_flag {
	RN_CQE_RECV = 1 << 0,	   /* completion of a receive */
	RN_CQE_SOLICITED = 1 << 1, /* the message had the SE (solicited event) bit */
	RN_CQE_IMM = 1 << 2,
	RN_CQE_INVAL = 1 << 3,
	/* set on every UD receive: its buffer begins with 40 bytes for the IP header (IBTA vol. 1,
	 * A17.4.5.2) */
	RN_CQE_GRH = 1 << 4,
	RN_CQE_ERROR = 1 << 5,
	/* set together with RN_CQE_RECV and RN_CQE_IMM: a WRITE_IMM consumed the receive without
	 * writing to its buffers */
	RN_CQE_WRITE = 1 << 6,
};

struct rn_cqe {
	uint64_t wr_id;
	uint64_t qp_ctx; /* given at QP creation; valid even after the QP was destroyed */
	uint32_t qpn;
	/* Receives: bytes received; for a WRITE_IMM, the bytes that the peer wrote; on UD, with the
	 * 40 bytes of the GRH area. SEND, WRITE, READ, atomics: message length. 0 on error. */
	uint32_t byte_len;
	uint32_t imm;	  /* immediate data (opaque) or invalidated R_Key (host order) */
	uint32_t src_qpn; /* UD: the sender's QP */
	uint8_t status;	  /* enum rn_status */
	uint8_t kind;	  /* enum rn_wqe_kind of the request; RECV for receives */
	uint16_t flags;	  /* enum rn_cqe_flag */
	uint16_t pkey_index;
	uint8_t sl;
	/* what the NIC found wrong: number of one of its internal error causes, or 0 */
	uint8_t vendor_err;
	uint64_t time_ns;
	uint64_t reserved[2];
};
static_assert(sizeof(struct rn_cqe) == 64, "a CQE is one cache line");

/* A single-producer single-consumer ring of CQEs. Each CQ has one for every shard that feeds it.
 * The producer is the shard, which writes tail; the consumer is the thread that holds the
 * application's lock of the CQ and writes head. `next` is set once, when a further ring is linked
 * after this one: from then on the producer writes to the further ring only, and the consumer moves
 * on to it when this one is drained. */
struct rn_cq_ring {
	alignas(64) RN_ATOMIC(uint32_t) tail;
	alignas(64) RN_ATOMIC(uint32_t) head;
	alignas(64) uint32_t size; /* power of two */
	uint32_t mask;
	RN_ATOMIC(struct rn_cq_ring *) next;
	alignas(64) struct rn_cqe cqe[];
};

enum rn_cq_arm { RN_CQ_ARM_NONE, RN_CQ_ARM_SOLICITED, RN_CQ_ARM_ANY };

/* State of a CQ, shared by the application and all shards that feed the CQ. An armed CQ fires once:
 * at the next CQE that meets the condition in `armed`, a shard disarms the CQ and sends
 * RN_EVENT_CQ. To arm, the application stores `armed`, issues a full fence and then reads the
 * rings' tails again. A shard stores its ring's tail, issues a full fence and then reads `armed`.
 * So at least one of the two sees what the other has stored. */
struct rn_cq_shared {
	/* enum rn_cq_arm; a shard that fires the CQ (sends RN_EVENT_CQ) sets this to
	 * RN_CQ_ARM_NONE, by an atomic exchange */
	alignas(64) RN_ATOMIC(uint32_t) armed;
	RN_ATOMIC(uint32_t) overrun; /* 1: the CQ was overrun and is unusable; never cleared */
};

/* State of a QP, written only by its shard and read by the application. sq_retired and rq_retired
 * count the requests that are finished, whether or not the shard wrote a CQE for them. The
 * application itself counts the requests that it posts to each queue. It may post another one while
 * (posted - retired) is less than the queue's depth. */
struct rn_qp_shared {
	alignas(64) RN_ATOMIC(uint32_t) sq_retired;
	RN_ATOMIC(uint32_t) rq_retired;
	RN_ATOMIC(uint32_t) state; /* enum rn_qp_state */
};

/* State of a memory window, written by shards and read by the application. Each BIND has its own
 * key (rn_wqe.rkey). The window is bound from the posting of a BIND until `ended` equals that
 * BIND's key. A shard stores the key in `ended` when the INVALIDATE is complete, when the BIND
 * failed or was flushed, or when the QP has ended (error, reset, destruction). It stores `ended`,
 * with release order, before it writes the completion that reports the end. */
struct rn_mw_shared {
	RN_ATOMIC(uint32_t) ended;
};

/* State of a shared receive queue (SRQ). Two counters start at 0: `posted` counts the receives that
 * were posted, `taken` those that messages have taken. The queue contains (posted - taken)
 * receives; another one may be posted while this number is less than the depth.
 *
 * A `limit` that is not 0 arms the limit event. The application stores `limit`, then reads `taken`;
 * a shard increments `taken`, then reads `limit`. So at least one of the two sees what the other
 * has stored. The shard that leaves fewer than `limit` receives sets `limit` to 0 (by an atomic
 * exchange) and sends RN_EVENT_SRQ_LIMIT. */
struct rn_srq_shared {
	alignas(64) RN_ATOMIC(uint64_t) taken;	/* written by shards */
	alignas(64) RN_ATOMIC(uint64_t) posted; /* written by posting threads, one at a time */
	RN_ATOMIC(uint32_t) limit;		/* 0: the limit event is not armed */
};

/* ---- QP attributes; a mask selects the attributes to set, as in ibv_modify_qp ---- */

enum rn_qp_type { RN_QPT_RC = 2, RN_QPT_UC = 3, RN_QPT_UD = 4 };

enum rn_qp_state {
	RN_QPS_RESET,
	RN_QPS_INIT,
	RN_QPS_RTR,
	RN_QPS_RTS,
	RN_QPS_SQD,
	RN_QPS_SQE,
	RN_QPS_ERR
};

enum rn_access {
	RN_ACCESS_LOCAL_WRITE = 1 << 0,
	RN_ACCESS_REMOTE_WRITE = 1 << 1,
	RN_ACCESS_REMOTE_READ = 1 << 2,
	RN_ACCESS_REMOTE_ATOMIC = 1 << 3,
	RN_ACCESS_MW_BIND = 1 << 4,
	RN_ACCESS_ALL = (1 << 5) - 1,
};

enum rn_qp_mask {
	RN_QP_STATE = 1 << 0,
	RN_QP_CUR_STATE = 1 << 1,  /* fail unless the QP is in the state attr.cur_state */
	RN_QP_SQD_NOTIFY = 1 << 2, /* attr.sqd_notify is valid */
	RN_QP_ACCESS = 1 << 3,
	RN_QP_PKEY_INDEX = 1 << 4,
	RN_QP_PORT = 1 << 5,
	RN_QP_QKEY = 1 << 6,
	RN_QP_AV = 1 << 7,
	RN_QP_PATH_MTU = 1 << 8,
	RN_QP_TIMEOUT = 1 << 9,
	RN_QP_RETRY_CNT = 1 << 10,
	RN_QP_RNR_RETRY = 1 << 11,
	RN_QP_RQ_PSN = 1 << 12,
	RN_QP_MAX_RD_ATOMIC = 1 << 13,
	RN_QP_MIN_RNR_TIMER = 1 << 15,
	RN_QP_SQ_PSN = 1 << 16,
	RN_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
	RN_QP_DEST_QPN = 1 << 20,
};

struct rn_qp_attr {
	uint8_t state;	   /* enum rn_qp_state */
	uint8_t path_mtu;  /* code n = 1..5: 256 << (n - 1) bytes */
	uint8_t timeout;   /* code n: 4.096 us << n, 0 = never */
	uint8_t retry_cnt; /* 0..7 */
	uint8_t rnr_retry; /* 0..7, 7 = without limit */
	uint8_t min_rnr_timer;
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	/* With RN_QP_MIN_RNR_TIMER: the first RNR NAK for a PSN carries the timer code
	 * min_rnr_timer. The code of each further RNR NAK for this PSN is higher by rnr_step, up to
	 * 31. If min_rnr_timer is 0 (the longest wait), every RNR NAK carries 0. If rnr_step is 0,
	 * every RNR NAK carries min_rnr_timer, as in verbs. */
	uint8_t rnr_step;
	/* with RN_QP_CUR_STATE: the state that the QP must be in; queries return the state */
	uint8_t cur_state;
	/* with RN_QP_SQD_NOTIFY: 1 = send RN_EVENT_SQ_DRAINED once, 0 = do not */
	uint8_t sqd_notify;
	uint8_t sq_draining; /* queries only: 1 = in SQD, and a started message is not finished */
	uint32_t access;     /* enum rn_access: remote rights of the QP */
	uint32_t dest_qpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint32_t qkey;
	uint16_t pkey_index;
	uint16_t port;
	struct rn_av av;
};

/* ---- commands: executed by a shard between packet bursts, or by the NIC's control path ---- */

/* clang-format off */
#define RN_CMD_ROWS(X) /* columns: name, number, where the command runs */ \
	X(NONE,         0, NOWHERE) \
	X(QUERY_PORT,   1, CONTROL) \
	X(CREATE_PD,    2, CONTROL) \
	X(DESTROY_PD,   3, CONTROL) \
	X(CREATE_CQ,    4, CONTROL) \
	X(DESTROY_CQ,   5, CONTROL) \
	X(REG_MR,       6, CONTROL) \
	X(DEREG_MR,     7, CONTROL) \
	X(CREATE_QP,    8, QP_SHARD) \
	X(MODIFY_QP,    9, QP_SHARD) \
	X(QUERY_QP,    10, QP_SHARD) \
	X(DESTROY_QP,  11, QP_SHARD) \
	X(RESIZE_CQ,   12, CONTROL) \
	X(CREATE_MW,   13, CONTROL) \
	X(DESTROY_MW,  14, CONTROL) \
	X(CM_BIND,     16, SHARD_0) \
	X(CM_LISTEN,   17, SHARD_0) \
	X(CM_CONNECT,  18, SHARD_0) \
	X(CM_ESTABLISH,19, SHARD_0) \
	X(CM_ACCEPT,   20, SHARD_0) \
	X(CM_REJECT,   21, SHARD_0) \
	X(CM_DISCONNECT,22,SHARD_0) \
	X(CM_DESTROY,  23, SHARD_0) \
	X(CM_DELAY,    24, SHARD_0) \
	X(RESOLVE,     25, SHARD_0) \
	X(STATS,       26, CONTROL) \
	X(CREATE_SRQ,  27, CONTROL) \
	X(MODIFY_SRQ,  28, CONTROL) \
	X(DESTROY_SRQ, 29, CONTROL) \
	X(ATTACH_GROUP,30, CONTROL) \
	X(DETACH_GROUP,31, CONTROL)
/* clang-format on */

enum rn_cmd_op {
#define X(name, number, where) RN_CMD_##name = number,
	RN_CMD_ROWS(X)
#undef X
		RN_CMD_MAX
};

#define RN_CM_REQ_DATA	    56 /* bytes of user data in a REQ, after the 36-byte RDMA-CM header */
#define RN_CM_REP_DATA	    196
#define RN_CM_REJ_DATA	    148
#define RN_CM_DATA_MAX	    220
#define RN_CM_SIDR_REQ_DATA 180 /* bytes of user data in a SIDR_REQ, after the RDMA-CM header */
#define RN_CM_SIDR_REP_DATA 136 /* bytes of private data in a SIDR_REP */
#define RN_UDP_QKEY	    0x01234567u /* default Q_Key of datagram (UD) services */

/* Port spaces: the bits of a CM service id above the port number. One port number stands for a
 * different service in each port space. */
enum rn_port_space {
	RN_PS_IPOIB = 0x0002,
	RN_PS_TCP = 0x0106,
	RN_PS_UDP = 0x0111,
	RN_PS_IB = 0x013F,
};

/* Parameters of a connection as the CM messages carry them. */
struct rn_cm_param {
	uint32_t qpn; /* QPN of the message's sender */
	/* first PSN that the message's sender expects from its peer (starting PSN of REQ or REP) */
	uint32_t psn;
	/* READs and atomics that the message's sender can serve at once */
	uint8_t responder_resources;
	/* READs and atomics that the message's sender will have in flight */
	uint8_t initiator_depth;
	uint8_t retry_cnt; /* in a REQ: retry count for both sides */
	uint8_t rnr_retry; /* how often the peer is to retry after an RNR NAK */
	uint8_t flow_control;
	uint8_t srq;
	uint8_t path_mtu;    /* in a REQ: path MTU code; 0 = the largest that the port allows */
	uint8_t ack_timeout; /* in a REQ: local ACK timeout code; 0 = configured default */
	uint16_t data_len;
	uint8_t tclass;
	uint8_t sl;
	uint8_t data[RN_CM_DATA_MAX];
	/* datagram services: Q_Key of the QP `qpn`; in CM_ACCEPT 0 = RN_UDP_QKEY */
	uint32_t qkey;
};

enum rn_cm_flag {
	RN_CM_FOR_LISTENER = 1 << 0, /* CM_BIND: reserve the address and port for a listener */
};

struct rn_cmd {
	uint16_t op;	/* enum rn_cmd_op */
	uint16_t flags; /* CM_BIND: enum rn_cm_flag */
	uint32_t client;
	uint64_t user; /* opaque to the NIC; returned in the object's events */
	union {
		struct {
			uint32_t pd, type, send_cq, recv_cq;
			uint32_t srq;		     /* 0: no SRQ; with an SRQ, rq_depth is 0 */
			uint32_t sq_depth, rq_depth; /* number of requests */
			uint32_t sq_sge, rq_sge, inline_bytes;
			uint64_t qp_ctx;
			uint64_t affinity; /* mask of preferred CPUs, 0 = no preference */
		} create_qp;
		struct {
			uint32_t qpn, gen, mask, reserved;
			struct rn_qp_attr attr;
		} modify_qp;
		struct {
			uint32_t qpn, gen;
		} qp; /* QUERY_QP, DESTROY_QP */
		struct {
			uint32_t depth, vector;
			uint64_t affinity;
		} create_cq;
		struct {
			uint32_t id, depth;
		} resize_cq;
		struct {
			uint32_t pd, depth, max_sge;
		} create_srq;
		struct {
			/* the client must post no receive while the command runs */
			uint32_t id, depth;
		} modify_srq;
		/* DESTROY_PD, DESTROY_CQ, DESTROY_SRQ, DEREG_MR (id = lkey), CM commands that need
		 * only an id */
		struct {
			uint32_t id;
		} obj;
		struct {
			uint64_t addr, length, iova;
			uint32_t pd, access;
		} reg_mr;
		struct {
			uint32_t pd;
		} create_mw;
		struct {
			uint32_t id;
			/* QPN of the QP to which the last BIND was posted. BIND and INVALIDATE
			 * requests for this window may still wait in that QP's send queue; they
			 * will have no effect. */
			uint32_t qpn;
		} destroy_mw;
		struct {
			/* CM id; 0 in CM_BIND, CM_LISTEN, CM_CONNECT: create a new id */
			uint32_t id;
			/* host order; CM_BIND: 0 = choose an ephemeral port number */
			uint16_t port;
			uint16_t peer_port;
			struct rn_gid local; /* all zero = wildcard */
			struct rn_gid peer;
			/* CM_LISTEN: maximum number of unanswered connection requests, 0 = no
			 * limit */
			uint32_t backlog;
			uint16_t reason; /* CM_REJECT: REJ reason code, default 28 */
			/* CM_CONNECT: 0 = timers.cm_response_ms of the configuration */
			uint16_t timeout_ms;
			struct rn_cm_param param;
			/* port_space and qp_type are used only when the command creates a CM id */
			uint16_t port_space; /* enum rn_port_space; 0 = TCP */
			uint8_t qp_type;     /* enum rn_qp_type; 0 = UD in UDP and IPOIB, else RC */
		} cm;
		struct {
			uint32_t qpn, gen; /* the UD QP to attach or detach */
			struct rn_gid gid; /* the multicast address */
		} group;		   /* ATTACH_GROUP, DETACH_GROUP */
		uint8_t pad[496];
	};
};
static_assert(sizeof(struct rn_cmd) == 512, "commands have one size");

/* The response to a command. err: 0 or a negative errno. */
struct rn_rsp {
	int32_t err;
	/* names the created object: the id of a CQ, SRQ or PD, the QPN of a QP, the lkey of a
	 * region, the CM id of a connection, the key of a window (each BIND replaces the low byte
	 * of this key) */
	uint32_t id;
	/* CREATE_QP: the generation, a number by which the QP differs from earlier QPs with the
	 * same QPN. REG_MR: the rkey. */
	uint32_t gen;
	uint16_t port; /* CM_BIND, CM_LISTEN, CM_CONNECT: the local port in use */
	uint16_t shard;
	union {
		struct {
			/* address of the QP's struct rn_qp_shared in this process */
			uint64_t shared;
		} qp;
		struct {
			/* address of the window's struct rn_mw_shared in this process, valid until
			 * DESTROY_MW */
			uint64_t shared;
		} mw;
		struct {
			/* address of the SRQ's struct rn_srq_shared in this process */
			uint64_t shared;
		} srq;
		struct {
			struct rn_qp_attr attr; /* RESOLVE: only av is set */
			/* bits per second that congestion control allows; 0 = no limit */
			uint64_t send_rate;
		} query;
		uint8_t pad[240];
	};
};
static_assert(sizeof(struct rn_rsp) == 256, "responses have one size");

/* ---- events: messages from the shards to the front ends ---- */

/* clang-format off */
#define RN_EVENT_ROWS(X) /* name, number, text */ \
	X(NONE,            0, "none") \
	X(CQ,              1, "armed CQ has a completion") \
	X(CQ_OVERRUN,      2, "CQ overrun") \
	X(QP_FATAL,        3, "QP entered the error state") \
	X(QP_REQ_ERR,      4, "peer sent an invalid request") \
	X(QP_ACCESS_ERR,   5, "peer violated access rights") \
	X(COMM_EST,        6, "first data before RTU") \
	X(SQ_DRAINED,      7, "send queue drained") \
	X(SRQ_LIMIT,       8, "armed SRQ has fewer receives than its limit") \
	X(QP_LAST_WQE,     9, "QP with an SRQ entered the error state: it takes no more receives from it") \
	X(CM_REQUEST,     16, "connection request arrived: id is a new CM id, parent the listener's") \
	X(CM_RESPONSE,    17, "REP arrived: move the QP to RTR and RTS, then CM_ESTABLISH, or CM_REJECT") \
	X(CM_ESTABLISHED, 18, "RTU or first data arrived") \
	X(CM_REJECTED,    19, "peer rejected; reason and data are set") \
	X(CM_UNREACHABLE, 20, "peer did not reply, or its address could not be resolved") \
	X(CM_DISCONNECTED,21, "DREQ arrived, or the own DREQ was answered or its retries ran out") \
	X(CM_TIMEWAIT_EXIT,22,"QPN may be used again") \
	X(RESOLVED,       23, "address resolution finished; err is 0 or a negative errno") \
	X(PORT_DOWN,      24, "link down") \
	X(PORT_UP,        25, "link up") \
	X(PORT_GONE,      26, "device removed: every request has completed, no other event follows") \
	X(CM_AUTO_DREP,      27, "the peer's DREQ was answered because CM_DISCONNECT did not come in time")
/* clang-format on */

enum rn_event_kind {
#define X(name, number, text) RN_EVENT_##name = number,
	RN_EVENT_ROWS(X)
#undef X
};

struct rn_event {
	uint16_t kind; /* enum rn_event_kind */
	/* CM_REJECTED: REJ reason or SIDR status. CM_DISCONNECTED: 0 = the peer sent a DREQ, 1 =
	 * this side's DREQ was answered, 2 = it was not answered */
	uint16_t reason;
	uint32_t id;	 /* CQ or SRQ id, QPN, or CM id */
	uint32_t gen;	 /* QP generation */
	uint32_t parent; /* CM_REQUEST: the listener's CM id */
	/* `user` of the command that created the object; CM_REQUEST: `user` of the listener */
	uint64_t user;
	int32_t err; /* CM_UNREACHABLE, RESOLVED: 0 or a negative errno */
	uint16_t port, peer_port;
	struct rn_gid local, peer;
	/* CM_REQUEST, CM_RESPONSE: param has the peer's parameters. attr has the attributes that
	 * move this side's QP to RTR and RTS (IBTA vol. 1, 12.7): dest_qpn, sq_psn, path_mtu,
	 * timeout, retry counts, and av with the resolved MAC. The front end must add rq_psn and
	 * the READ depths. RESOLVED: only attr.av is set. */
	struct rn_cm_param param;
	struct rn_qp_attr attr;
};

#endif
