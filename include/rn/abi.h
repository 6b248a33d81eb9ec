/* softrnic: the one seam between front ends (ND2, later verbs) and the NIC, as bytes.
 *
 * Fixed-width structures only: no pointers but application addresses, which are resolved through the memory
 * region (MR) table. The same bytes serve a front end in the same process and, later, one behind shared memory.
 * Sizes are asserted below; RN_ABI_VERSION changes with any of them.
 *
 * Ownership: a slot or command belongs to whoever fills it until it is committed; the reader copies it first,
 * validates the copy, then uses the copy.
 */
#ifndef RN_ABI_H
#define RN_ABI_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/status.h"

/* One layout, whatever language it is written in. */
#ifdef __cplusplus
#include <atomic>
#define RN_ATOMIC(type) std::atomic<type>
#else
#include <stdatomic.h>
#define RN_ATOMIC(type) _Atomic(type)
#endif

#define RN_ABI_VERSION 1
#define RN_SLOT_BYTES  64

/* An IPv6 address, or an IPv4 one in its mapped form ::ffff:a.b.c.d: what InfiniBand calls a GID. */
struct rn_gid {
	uint8_t b[16];
};

/* ---- work requests: one to RN_WQE_MAX_SLOTS consecutive 64-byte slots of a submission ring ---- */

/* clang-format off */
#define RN_WQE_ROWS(X) /* name, number, queue */ \
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
	RN_WQE_SIGNALED = 1 << 0,  /* a CQE on success too; errors and flushes always make one */
	RN_WQE_FENCE = 1 << 1,     /* start only when all earlier READs and ATOMICs of this QP are complete */
	RN_WQE_SOLICITED = 1 << 2, /* SE bit on the last packet */
	RN_WQE_INLINE = 1 << 3,    /* data travels in the slots, no SGEs */
};

/* 16 bytes. addr is an application address (or an offset when the MR is zero based). */
struct rn_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* 16 bytes: what a BIND exposes, besides its first byte. */
struct rn_bind {
	uint64_t length;
	uint32_t lkey;   /* the region, which must have RN_ACCESS_MW_BIND */
	uint32_t access; /* enum rn_access, remote rights only; writing needs LOCAL_WRITE on the region */
};

/* 16 bytes: the operands of a CMP_SWAP or FETCH_ADD, host order. */
struct rn_atomic {
	uint64_t swap_add; /* what is stored if the 8 bytes there equal `compare`; or added to them, modulo 2^64 */
	uint64_t compare;  /* CMP_SWAP */
};

/* How to reach a peer. dmac is that of the next hop. has_vlan = 0 leaves the VLAN to the port; another VLAN than the
 * port's is refused. sl is the priority in the tag; 0 leaves that to vlan_tci or the port. tclass and hop_limit of 0
 * are the port's. */
struct rn_av {
	struct rn_gid sgid, dgid;
	uint8_t dmac[6];
	uint16_t vlan_tci;
	uint32_t flow_label;
	uint8_t tclass;    /* DSCP << 2 | ECN */
	uint8_t hop_limit;
	uint8_t sl;
	uint8_t has_vlan;
	uint32_t reserved;
};
static_assert(sizeof(struct rn_av) == 52, "by value in requests");

/* Where one datagram goes: part of every SEND and SEND_IMM on a UD QP. */
struct rn_ud {
	struct rn_av av;
	uint32_t qpn;  /* 24 bits; RN_QPN_GROUP with the GID of a group */
	uint32_t qkey; /* top bit set: the QP's own travels instead (wire rules, 5.1) */
};
static_assert(sizeof(struct rn_ud) == 60, "fits a slot");

#define RN_QPN_GROUP     0xFFFFFFu   /* what packets to a multicast group name as their QP */
#define RN_UD_OWN_QKEY   0x80000000u /* the top bit of rn_ud.qkey */
#define RN_UD_GRH_BYTES  40u         /* in front of each datagram in the receive; counted in byte_len */

/* Head of a work request: the first slot. Further slots hold 4 more SGEs each, or 64 more inline bytes each. Atomics have
 * one SGE of 8 bytes, where the former value goes in host order, and a struct rn_atomic in a second slot. SENDs on a UD QP
 * have their SGEs or inline data as all SENDs, and one more slot behind them, the last one, with a struct rn_ud.
 * `inl` (SEND, WRITE with INLINE) begins at offset 48 and runs through the following slots. */
struct rn_wqe {
	uint8_t kind;       /* enum rn_wqe_kind */
	uint8_t slots;      /* slots in all, this one included; 1..RN_WQE_MAX_SLOTS */
	uint16_t flags;     /* enum rn_wqe_flag */
	uint32_t qpn;       /* 24 bits, names the owning shard too; ignored on a shared receive queue */
	uint32_t qp_gen;    /* generation given at creation; a stale one is dropped; ignored likewise */
	uint16_t num_sge;   /* 0 with INLINE */
	uint16_t reserved;
	uint64_t wr_id;     /* returned in the CQE */
	uint64_t remote_va; /* WRITE, READ; atomics: a multiple of 8. BIND: the first byte the window exposes */
	uint32_t rkey;      /* WRITE, READ, atomics. BIND: the key the window gets: as CREATE_MW gave it but for the low
			     * byte, which is the poster's to choose, 1..255, another each time */
	uint32_t imm;       /* immediate as 4 opaque bytes, or the R_Key to invalidate (host order) */
	uint32_t length;    /* total bytes; 0..2^31. BIND, INVALIDATE: 0, without SGEs */
	uint32_t seq;       /* reserved for a shared-memory ring */
	union {
		struct rn_sge sge[1];
		uint8_t inl[16];
		struct rn_bind bind; /* BIND */
	};
};
static_assert(sizeof(struct rn_wqe) == RN_SLOT_BYTES, "one slot");
static_assert(offsetof(struct rn_wqe, sge) == 48, "first SGE");

#define RN_WQE_MAX_SLOTS  10 /* 1 + 9*4 = 37 SGEs, or 16 + 9*64 = 592 inline bytes */
#define RN_WQE_MAX_SGE    32
#define RN_WQE_MAX_INLINE 512
#define RN_MSG_MAX        (1u << 31)

/* Slots taken by a request of n SGEs / n inline bytes. */
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
#define RN_UD_SLOTS     1 /* besides those of the SGEs or inline data */
static_assert(1 + (RN_WQE_MAX_SGE - 1 + 3) / 4 + RN_UD_SLOTS <= RN_WQE_MAX_SLOTS, "datagrams of many SGEs");
static_assert(1 + (RN_WQE_MAX_INLINE - 16 + 63) / 64 + RN_UD_SLOTS <= RN_WQE_MAX_SLOTS, "inline datagrams");

/* The operands of an atomic, which is RN_ATOMIC_SLOTS long. */
static inline struct rn_atomic *rn_wqe_atomic(struct rn_wqe *wqe)
{
	return (struct rn_atomic *)((uint8_t *)wqe + RN_SLOT_BYTES);
}

/* Where a SEND on a UD QP goes: its last slot, so wqe->slots must count it already. */
static inline struct rn_ud *rn_wqe_ud(struct rn_wqe *wqe)
{
	return (struct rn_ud *)((uint8_t *)wqe + (size_t)(wqe->slots - 1) * RN_SLOT_BYTES);
}

/* ---- completions ---- */

enum rn_cqe_flag {
	RN_CQE_RECV = 1 << 0,      /* of the receive side */
	RN_CQE_SOLICITED = 1 << 1, /* SE was set on the message */
	RN_CQE_IMM = 1 << 2,
	RN_CQE_INVAL = 1 << 3,
	RN_CQE_GRH = 1 << 4,   /* UD, always: the receive begins with the 40 bytes of the IP header (wire rules, 5.2) */
	RN_CQE_ERROR = 1 << 5,
	RN_CQE_WRITE = 1 << 6, /* with RECV and IMM: a WRITE_IMM took the receive, and put nothing into it */
};

struct rn_cqe {
	uint64_t wr_id;
	uint64_t qp_ctx;   /* given at QP creation; survives the QP */
	uint32_t qpn;
	uint32_t byte_len; /* RECV: bytes received, of a WRITE_IMM too, on UD with the 40 of the GRH area; SEND/WRITE/READ/atomics: message length; 0 on error */
	uint32_t imm;      /* immediate (opaque) or invalidated R_Key (host order) */
	uint32_t src_qpn;  /* UD: the sender's QP */
	uint8_t status;    /* enum rn_status */
	uint8_t kind;      /* enum rn_wqe_kind of the request; RECV for receives */
	uint16_t flags;    /* enum rn_cqe_flag */
	uint16_t pkey_index;
	uint8_t sl;
	uint8_t vendor_err; /* enum rn_verdict that caused it, or 0 */
	uint64_t time_ns;
	uint64_t reserved[2];
};
static_assert(sizeof(struct rn_cqe) == 64, "a CQE is one cache line");

/* One single-producer single-consumer ring of CQEs: one per (CQ, shard that feeds it).
 * Producer: the shard, writes tail. Consumer: whoever holds the CQ's application-side lock, writes head.
 * `next` is set once, when a larger ring has been linked behind this one: the producer never writes here again,
 * the consumer drains this ring and then moves on. */
struct rn_cq_ring {
	alignas(64) RN_ATOMIC(uint32_t) tail;
	alignas(64) RN_ATOMIC(uint32_t) head;
	alignas(64) uint32_t size; /* power of two */
	uint32_t mask;
	RN_ATOMIC(struct rn_cq_ring *) next;
	alignas(64) struct rn_cqe cqe[];
};

enum rn_cq_arm { RN_CQ_ARM_NONE, RN_CQ_ARM_SOLICITED, RN_CQ_ARM_ANY };

/* Per CQ, shared by all shards that feed it and by the application. Order of arming: application stores
 * `armed`, full fence, re-reads the tails; shard publishes its tail, full fence, reads `armed`. */
struct rn_cq_shared {
	alignas(64) RN_ATOMIC(uint32_t) armed; /* enum rn_cq_arm; the shard that fires swaps in NONE */
	RN_ATOMIC(uint32_t) overrun;           /* set once, never cleared: the CQ is dead */
};

/* Per QP, written by its shard alone, read by the application: exact queue accounting without messages.
 * posted - retired < depth decides whether a request may be posted (a silent success retires too). */
struct rn_qp_shared {
	alignas(64) RN_ATOMIC(uint32_t) sq_retired;
	RN_ATOMIC(uint32_t) rq_retired;
	RN_ATOMIC(uint32_t) state; /* enum rn_qp_state */
};

/* Per memory window, written by shards, read by the application. A binding lasts from the moment its BIND is posted
 * until `ended` is the key that BIND gave: its INVALIDATE is complete, it failed or was flushed, or its QP ended (error,
 * reset, destruction). Stored with release before the completion that tells of it is published. */
struct rn_mw_shared {
	RN_ATOMIC(uint32_t) ended;
};

/* Per shared receive queue (SRQ): receives are counted from 0 as they are posted, and once more as messages take them,
 * by any shard. posted - taken are in the queue, and must stay below its depth to post one more.
 * limit: as for CQs, one store and one look on either side. The application stores it, then looks at `taken`; a shard
 * counts `taken` up, then looks at it: whoever leaves fewer than `limit` swaps in 0 and tells with RN_EVENT_SRQ_LIMIT. */
struct rn_srq_shared {
	alignas(64) RN_ATOMIC(uint64_t) taken;  /* shards */
	alignas(64) RN_ATOMIC(uint64_t) posted; /* whoever posts: one thread at a time */
	RN_ATOMIC(uint32_t) limit;              /* 0: not armed */
};

/* ---- QP attributes, by mask (as ibv_modify_qp) ---- */

enum rn_qp_type { RN_QPT_RC = 2, RN_QPT_UC = 3, RN_QPT_UD = 4 };

enum rn_qp_state {
	RN_QPS_RESET, RN_QPS_INIT, RN_QPS_RTR, RN_QPS_RTS, RN_QPS_SQD, RN_QPS_SQE, RN_QPS_ERR
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
	RN_QP_CUR_STATE = 1 << 1,  /* refuse unless it is in cur_state */
	RN_QP_SQD_NOTIFY = 1 << 2, /* sqd_notify says whether to tell when the send queue is drained */
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
	uint8_t state;      /* enum rn_qp_state */
	uint8_t path_mtu;   /* enum 1..5: 256 << (n-1) bytes */
	uint8_t timeout;    /* 4.096 us << n, 0 = never */
	uint8_t retry_cnt;  /* 0..7 */
	uint8_t rnr_retry;  /* 0..7, 7 = for ever */
	uint8_t min_rnr_timer;
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	uint8_t rnr_step;   /* with MIN_RNR_TIMER: each further RNR NAK of one PSN asks for a code higher by this, up to 31;
			     * 0 = always min_rnr_timer, as verbs users expect */
	uint8_t cur_state;  /* with CUR_STATE; told by queries as `state` is */
	uint8_t sqd_notify; /* with SQD_NOTIFY: RN_EVENT_SQ_DRAINED, once; 0 or 1 */
	uint8_t sq_draining; /* told by queries: in SQD, and a message that was started is not done */
	uint32_t access;    /* enum rn_access: remote rights of the QP */
	uint32_t dest_qpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint32_t qkey;
	uint16_t pkey_index;
	uint16_t port;
	struct rn_av av;
};

/* ---- commands: executed by a shard (or the NIC's control) between bursts ---- */

/* clang-format off */
#define RN_CMD_ROWS(X) /* name, number, where it runs */ \
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

#define RN_CM_REQ_DATA 56  /* user part of REQ private data after the 36-byte RDMA-CM header */
#define RN_CM_REP_DATA 196
#define RN_CM_REJ_DATA 148
#define RN_CM_DATA_MAX 220
#define RN_CM_RESOLVE_DATA 180 /* of SIDR_REQ, the question for a datagram service, after the RDMA-CM header */
#define RN_CM_ANSWER_DATA  136 /* of SIDR_REP */
#define RN_UDP_QKEY        0x01234567u /* of datagram services, unless they say otherwise */

/* Port spaces of services: the number's high bits in a service id. A port means another service in each. */
enum rn_port_space {
	RN_PS_IPOIB = 0x0002,
	RN_PS_TCP = 0x0106,
	RN_PS_UDP = 0x0111,
	RN_PS_IB = 0x013F,
};

/* Parameters of a connection as the CM messages carry them. */
struct rn_cm_param {
	uint32_t qpn;                /* own QPN */
	uint32_t psn;                /* PSN this side expects first (REQ/REP starting PSN) */
	uint8_t responder_resources; /* READ/ATOMIC this side can serve */
	uint8_t initiator_depth;     /* READ/ATOMIC this side will have in flight */
	uint8_t retry_cnt;           /* REQ: for both directions */
	uint8_t rnr_retry;           /* for the peer's sends */
	uint8_t flow_control;
	uint8_t srq;
	uint8_t path_mtu;            /* REQ: enum; 0 = largest the port allows */
	uint8_t ack_timeout;         /* REQ: local ACK timeout code; 0 = configured default */
	uint16_t data_len;
	uint8_t tclass;
	uint8_t sl;
	uint8_t data[RN_CM_DATA_MAX];
	uint32_t qkey;               /* datagram services: Q_Key that reaches qpn; CM_ACCEPT: 0 = RN_UDP_QKEY */
};

enum rn_cm_flag {
	RN_CM_FOR_LISTENER = 1 << 0, /* CM_BIND: the address and port are meant to be listened at, by nobody else */
};

struct rn_cmd {
	uint16_t op;      /* enum rn_cmd_op */
	uint16_t flags;   /* CM_BIND: enum rn_cm_flag */
	uint32_t client;
	uint64_t user;    /* opaque to the NIC, returned in events of the object */
	union {
		struct {
			uint32_t pd, type, send_cq, recv_cq;
			uint32_t srq;                /* 0: none; else rq_depth is 0 */
			uint32_t sq_depth, rq_depth; /* requests */
			uint32_t sq_sge, rq_sge, inline_bytes;
			uint64_t qp_ctx;
			uint64_t affinity; /* wish: mask of CPUs, 0 = none */
		} create_qp;
		struct {
			uint32_t qpn, gen, mask, reserved;
			struct rn_qp_attr attr;
		} modify_qp;
		struct {
			uint32_t qpn, gen;
		} qp; /* QUERY, DESTROY */
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
			uint32_t id, depth; /* nobody posts meanwhile */
		} modify_srq;
		struct {
			uint32_t id;
		} obj; /* DESTROY_PD, DESTROY_CQ, DESTROY_SRQ, DEREG_MR (lkey), CM_* with an id only */
		struct {
			uint64_t addr, length, iova;
			uint32_t pd, access;
		} reg_mr;
		struct {
			uint32_t pd;
		} create_mw;
		struct {
			uint32_t id;
			uint32_t qpn; /* where its last BIND was posted: requests that name it there lose their effect */
		} destroy_mw;
		struct {
			uint32_t id;          /* CM id; 0 in CM_BIND/CM_LISTEN/CM_CONNECT = make one */
			uint16_t port;        /* host order; CM_BIND: 0 = ephemeral */
			uint16_t peer_port;
			struct rn_gid local;  /* all zero = wildcard */
			struct rn_gid peer;
			uint32_t backlog;     /* CM_LISTEN: requests held unanswered, 0 = no limit */
			uint16_t reason;      /* CM_REJECT: REJ reason code, default 28 */
			uint16_t timeout_ms;  /* CM_CONNECT: 0 = configured */
			struct rn_cm_param param;
			/* of an id that is made: */
			uint16_t port_space; /* enum rn_port_space; 0 = TCP */
			uint8_t qp_type;     /* enum rn_qp_type; 0 = UD in UDP and IPOIB, else RC */
		} cm;
		struct {
			uint32_t qpn, gen; /* a UD QP */
			struct rn_gid gid; /* a multicast address */
		} group; /* ATTACH_GROUP, DETACH_GROUP */
		uint8_t pad[496];
	};
};
static_assert(sizeof(struct rn_cmd) == 512, "commands have one size");

/* err is 0 or a negative errno. */
struct rn_rsp {
	int32_t err;
	uint32_t id;        /* CQ, SRQ, PD, CM id, QPN, lkey; the key of a window before its first one */
	uint32_t gen;       /* QP generation; rkey of a region */
	uint16_t port;      /* CM_BIND, CM_LISTEN, CM_CONNECT: the local port in use */
	uint16_t shard;
	union {
		struct {
			uint64_t shared; /* address of struct rn_qp_shared (in-process link) */
		} qp;
		struct {
			uint64_t shared; /* address of struct rn_mw_shared (in-process link), valid until DESTROY_MW */
		} mw;
		struct {
			uint64_t shared; /* address of struct rn_srq_shared */
		} srq;
		struct {
			struct rn_qp_attr attr; /* RESOLVE: av alone */
			uint64_t send_rate; /* bits per second that congestion control allows; 0 = no limit */
		} query;
		uint8_t pad[240];
	};
};
static_assert(sizeof(struct rn_rsp) == 256, "responses have one size");

/* ---- events: what a shard tells its clients unasked ---- */

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
	X(CM_REQUEST,     16, "connection request: id is the new one, parent the listener's") \
	X(CM_RESPONSE,    17, "REP arrived: QP to RTR and RTS, then CM_ESTABLISH or CM_REJECT") \
	X(CM_ESTABLISHED, 18, "RTU or first data arrived") \
	X(CM_REJECTED,    19, "peer rejected; reason and data") \
	X(CM_UNREACHABLE, 20, "no answer, or no neighbour") \
	X(CM_DISCONNECTED,21, "DREQ from the peer, or DREQ of ours answered or given up") \
	X(CM_TIMEWAIT_EXIT,22,"QPN may be used again") \
	X(RESOLVED,       23, "neighbour resolved or not") \
	X(PORT_DOWN,      24, "link down") \
	X(PORT_UP,        25, "link up") \
	X(PORT_GONE,      26, "device removed: every request has completed, no other event follows") \
	X(CM_PARTED,      27, "the peer's DREQ waited long enough for CM_DISCONNECT and is answered")
/* clang-format on */

enum rn_event_kind {
#define X(name, number, text) RN_EVENT_##name = number,
	RN_EVENT_ROWS(X)
#undef X
};

struct rn_event {
	uint16_t kind;      /* enum rn_event_kind */
	uint16_t reason;    /* REJ reason; CM_DISCONNECTED: 0 by peer, 1 own DREQ finished, 2 own DREQ gave up */
	uint32_t id;        /* CQ, SRQ, QPN or CM id */
	uint32_t gen;       /* QP generation */
	uint32_t parent;    /* CM_REQUEST: the listener's CM id */
	uint64_t user;      /* `user` of the command that made the object; of the listener for CM_REQUEST */
	int32_t err;        /* CM_UNREACHABLE, RESOLVED: negative errno */
	uint16_t port, peer_port;
	struct rn_gid local, peer;
	/* CM_REQUEST, CM_RESPONSE: the peer's parameters, and the attributes that this side's QP must take
	 * to reach RTR and RTS (section 6.7 of the wire rules): dest_qpn, sq_psn, path_mtu, timeout, retry
	 * counts, av with the resolved MAC. rq_psn and the read depths are the front end's to finish. RESOLVED:
	 * attr.av alone. */
	struct rn_cm_param param;
	struct rn_qp_attr attr;
};

#endif
