/* softrnic: the binary interface between the NIC and its front ends (NetworkDirect; later also
 * verbs).
 *
 * Layout: all members have a fixed width. The only pointers are application addresses, which the
 * NIC looks up in its memory region (MR) table. Static assertions check the sizes. Any change of a
 * layout changes RN_ABI_VERSION.
 *
 * Ownership: until submission, a slot of a submission ring (or a command) belongs to the thread
 * that fills the slot. The NIC copies the slot, validates the copy and uses only the copy. */
#ifndef RN_ABI_H
#define RN_ABI_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/status.h"

/* RN_ATOMIC(type) is an atomic variable with the same layout in C and C++ programs. */
#ifdef __cplusplus
#include <atomic>
#define RN_ATOMIC(type) std::atomic<type>
#else
#include <stdatomic.h>
#define RN_ATOMIC(type) _Atomic(type)
#endif

#define RN_ABI_VERSION 1
#define RN_SLOT_BYTES  64

/* A GID in network byte order: an IPv6 address, or an IPv4 address in the mapped form
 * ::ffff:a.b.c.d. */
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
	/* BIND: the memory window is of type 1 (IBTA vol. 1, 10.6.7.2). The BIND first ends the
	 * window's binding on this QP, if there is one; a BIND of length 0 does no more than that.
	 * Neither an INVALIDATE nor a SEND_INVAL of the peer ends such a binding. */
	RN_WQE_REBIND = 1 << 4,
};

/* A scatter/gather element (SGE). addr is an application address. For a zero-based MR, addr is an
 * offset. */
struct rn_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* The part of a memory region that a BIND exposes through a memory window. The first byte of the
 * part is at rn_wqe.remote_va. */
struct rn_bind {
	uint64_t length;
	uint32_t lkey; /* lkey of the memory region, which must have RN_ACCESS_MW_BIND */
	/* remote rights (enum rn_access). For REMOTE_WRITE and REMOTE_ATOMIC the memory region must
	 * have LOCAL_WRITE. */
	uint32_t access;
};

/* The operands of a CMP_SWAP or FETCH_ADD, in host byte order. */
struct rn_atomic {
	/* CMP_SWAP: new content of the target if the target equals `compare`; FETCH_ADD: number to
	 * add to the target, modulo 2^64 */
	uint64_t swap_add;
	uint64_t compare; /* CMP_SWAP: number to compare with the target */
};

/* An address vector: how packets reach a peer.
 * - dmac: the MAC of the next hop.
 * - tclass, hop_limit: 0 stands for the setting of the network port.
 * - vlan_tci: used if has_vlan is 1. Packets always go to the VLAN of the network port. A VID in
 *   vlan_tci must be 0 or that VLAN; any other VID is refused.
 * - sl: the priority in the VLAN tag. If sl is 0, the priority is that of vlan_tci; if has_vlan is
 *   0 too, that of the network port. */
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
	/* Q_Key to send; if the top bit is set, the QP's own Q_Key is sent instead (IBTA vol. 1,
	 * 10.2.5) */
	uint32_t qkey;
};
static_assert(sizeof(struct rn_ud) == 60, "fits a slot");

#define RN_QPN_GROUP   0xFFFFFFu   /* the destination QPN of packets to a multicast group */
#define RN_UD_OWN_QKEY 0x80000000u /* in rn_ud.qkey: send the QP's own Q_Key */
/* bytes in front of the payload in the buffer of a UD receive; byte_len includes these bytes */
#define RN_UD_GRH_BYTES 40u

#define RN_GROUPS	 64u  /* greatest number of multicast groups of a NIC */
#define RN_GROUP_MEMBERS 128u /* greatest number of QPs of one shard in a multicast group */

/* The first slot of a work request. Later slots:
 * - Each further slot holds 4 more SGEs, or 64 more inline bytes. `inl` (inline data of a SEND or
 *   WRITE) begins at offset 48 of the first slot and continues in the next slot.
 * - The second slot of an atomic holds a struct rn_atomic. An atomic has one SGE of 8 bytes, which
 *   receives the former content of the target in host byte order.
 * - The last slot of a SEND on a UD QP holds a struct rn_ud. */
struct rn_wqe {
	uint8_t kind;	/* enum rn_wqe_kind */
	uint8_t slots;	/* total number of slots of the work request: 1..RN_WQE_MAX_SLOTS */
	uint16_t flags; /* enum rn_wqe_flag */
	uint32_t qpn;	/* 24 bits, determines the shard; ignored in a shared receive queue */
	/* rn_rsp.gen of CREATE_QP. A work request with the generation of an earlier QP is dropped.
	 * Ignored in a shared receive queue. */
	uint32_t qp_gen;
	uint16_t num_sge; /* number of SGEs; 0 if RN_WQE_INLINE is set */
	uint16_t reserved;
	uint64_t wr_id; /* returned in the CQE */
	/* WRITE, READ: any address; atomics: a multiple of 8; BIND: address of the first byte of
	 * the memory window */
	uint64_t remote_va;
	/* WRITE, READ, atomics: the peer's R_Key. BIND: the new R_Key of the memory window. The
	 * upper 24 bits of the new R_Key are those that CREATE_MW returned. The low byte may be
	 * anything, but should change with each BIND, so that the former R_Key is not valid again.
	 * The number 0 is no R_Key. */
	uint32_t rkey;
	/* immediate data as 4 opaque bytes, or the R_Key to invalidate (host order) */
	uint32_t imm;
	uint32_t length; /* total bytes of the SGEs or inline data, 0..2^31; BIND, INVALIDATE: 0 */
	uint32_t seq;	 /* reserved for a submission ring in shared memory */
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

/* Return the number of slots of a work request with n SGEs, or with n inline bytes. */
static inline unsigned rn_wqe_slots_sge(unsigned n)
{
	return n <= 1 ? 1 : 1 + (n - 1 + 3) / 4;
}

static inline unsigned rn_wqe_slots_inline(unsigned n)
{
	return n <= 16 ? 1 : 1 + (n - 16 + 63) / 64;
}

/* Returns the work request behind n others, each of which begins behind the last slot of the one
 * before. */
static inline const struct rn_wqe *rn_wqe_behind(const struct rn_wqe *wqe, uint32_t n)
{
	for (; n > 0; n--)
		wqe += wqe->slots;
	return wqe;
}

#define RN_ATOMIC_BYTES 8u
#define RN_ATOMIC_SLOTS 2
#define RN_UD_SLOTS	1 /* slots of a UD SEND besides those of its SGEs or inline data */
static_assert(1 + (RN_WQE_MAX_SGE - 1 + 3) / 4 + RN_UD_SLOTS <= RN_WQE_MAX_SLOTS,
	      "datagrams of many SGEs");
static_assert(1 + (RN_WQE_MAX_INLINE - 16 + 63) / 64 + RN_UD_SLOTS <= RN_WQE_MAX_SLOTS,
	      "inline datagrams");

/* Returns the operands of an atomic, which are in the second slot. */
static inline struct rn_atomic *rn_wqe_atomic(struct rn_wqe *wqe)
{
	return (struct rn_atomic *)((uint8_t *)wqe + RN_SLOT_BYTES);
}

/* Returns the destination of a SEND on a UD QP, which is in the last slot. wqe->slots must count
 * that slot already. */
static inline struct rn_ud *rn_wqe_ud(struct rn_wqe *wqe)
{
	return (struct rn_ud *)((uint8_t *)wqe + (size_t)(wqe->slots - 1) * RN_SLOT_BYTES);
}

/* ---- completions, and state shared by the application and the NIC ---- */

enum rn_cqe_flag {
	RN_CQE_RECV = 1 << 0,	   /* completion of a receive */
	RN_CQE_SOLICITED = 1 << 1, /* the message had the SE (solicited event) bit */
	RN_CQE_IMM = 1 << 2,
	RN_CQE_INVAL = 1 << 3,
	/* set on every UD receive: the receive buffer begins with 40 bytes for the IP header (IBTA
	 * vol. 1, A17.4.5.2) */
	RN_CQE_GRH = 1 << 4,
	RN_CQE_ERROR = 1 << 5,
	/* set together with RN_CQE_RECV and RN_CQE_IMM: a WRITE_IMM took the receive, and the
	 * buffers of the receive are unchanged */
	RN_CQE_WRITE = 1 << 6,
	/* set together with RN_CQE_GRH: the header is IPv4, in bytes 20 to 39; else it is IPv6 */
	RN_CQE_IPV4 = 1 << 7,
};

struct rn_cqe {
	uint64_t wr_id;
	uint64_t qp_ctx; /* qp_ctx of CREATE_QP; set even if the QP is destroyed by now */
	uint32_t qpn;
	/* Bytes of the message, or 0 on error. Receive of a WRITE_IMM: the bytes that the peer
	 * wrote. UD receive: the 40 bytes of the GRH area are included. */
	uint32_t byte_len;
	uint32_t imm;	  /* immediate data (opaque) or invalidated R_Key (host order) */
	uint32_t src_qpn; /* UD: QPN of the sender */
	uint8_t status;	  /* enum rn_status */
	uint8_t kind;	  /* enum rn_wqe_kind of the work request; RECV for receives */
	uint16_t flags;	  /* enum rn_cqe_flag */
	uint16_t pkey_index;
	uint8_t sl;
	/* the NIC's internal number for the cause of the error; 0: none */
	uint8_t vendor_err;
	uint64_t time_ns;
	uint64_t reserved[2];
};
static_assert(sizeof(struct rn_cqe) == 64, "a CQE is one cache line");

/* A ring of CQEs with one producer and one consumer. A CQ has one such ring for each shard that
 * feeds the CQ.
 * - The producer is the shard, which writes `tail`.
 * - The consumer is the thread that holds the application's lock of the CQ, and writes `head`.
 * - `next` points to a further ring and is set once. From then on the producer writes only to the
 *   further ring. The consumer goes on to the further ring after the old ring is empty. */
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
 * RN_EVENT_CQ.
 *
 * No CQE is missed, because at least one side sees what the other side has stored:
 * - The application arms the CQ: store `armed`, full fence, read the tails of the rings again.
 * - A shard adds a CQE: store the tail of its ring, full fence, read `armed`. */
struct rn_cq_shared {
	/* enum rn_cq_arm. A shard that fires the CQ sets `armed` to RN_CQ_ARM_NONE, by an atomic
	 * exchange. */
	alignas(64) RN_ATOMIC(uint32_t) armed;
	RN_ATOMIC(uint32_t) overrun; /* 1: the CQ was overrun and is unusable; never reset to 0 */
};

/* State of a QP, written by the QP's shard and read by the application. sq_retired and rq_retired
 * count the finished work requests, with or without a CQE. The application counts the work requests
 * that it posts to each queue. The application may post to a queue while (posted - retired) is less
 * than the depth of the queue. */
struct rn_qp_shared {
	alignas(64) RN_ATOMIC(uint32_t) sq_retired;
	RN_ATOMIC(uint32_t) rq_retired;
	RN_ATOMIC(uint32_t) state; /* enum rn_qp_state */
};

/* State of a memory window, written by shards and read by the application. Each BIND has its own
 * key (rn_wqe.rkey). For the application, the window counts as bound from the posting of a BIND
 * until `ended` equals the key of that BIND. A shard stores the key in `ended` in these cases:
 * - the INVALIDATE is complete
 * - the BIND has failed or was flushed
 * - the QP has ended (error, reset, destruction)
 *
 * The shard stores `ended` with release order. The CQE that reports the end follows later. */
struct rn_mw_shared {
	RN_ATOMIC(uint32_t) ended;
};

/* State of a shared receive queue (SRQ). `posted` counts the receives posted, `taken` the receives
 * that messages have taken; both start at 0. A receive may be posted while (posted - taken) is less
 * than the depth.
 *
 * A `limit` that is not 0 arms the limit event. The shard that leaves fewer than `limit` receives
 * sets `limit` to 0 (by an atomic exchange) and sends RN_EVENT_SRQ_LIMIT. No event is lost, because
 * at least one side sees what the other side has stored:
 * - the application stores `limit`, then reads `taken`
 * - a shard increments `taken`, then reads `limit` */
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
	uint8_t retry_cnt; /* number of retries, 0..7 */
	uint8_t rnr_retry; /* number of retries after an RNR NAK, 0..7; 7 = without limit */
	uint8_t min_rnr_timer;
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	/* With RN_QP_MIN_RNR_TIMER. The first RNR NAK for a PSN carries the timer code
	 * min_rnr_timer. Each further RNR NAK for this PSN carries a code higher by rnr_step, up to
	 * 31. With an rnr_step of 0, as in verbs, or a min_rnr_timer of 0 (the longest wait), all
	 * RNR NAKs carry min_rnr_timer. */
	uint8_t rnr_step;
	/* with RN_QP_CUR_STATE: the state that the QP must be in; in the response to a query: the
	 * state of the QP */
	uint8_t cur_state;
	/* with RN_QP_SQD_NOTIFY: 1 = send RN_EVENT_SQ_DRAINED once, 0 = do not send the event */
	uint8_t sqd_notify;
	/* only in responses to a query: 1 = the QP is in SQD, and a started message is not
	 * finished */
	uint8_t sq_draining;
	uint32_t access; /* enum rn_access: remote rights of the QP */
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
	X(REREG_MR,    15, CONTROL) \
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
	uint8_t rnr_retry; /* how often the receiver of the message is to retry after an RNR NAK */
	uint8_t flow_control;
	uint8_t srq;
	uint8_t path_mtu;    /* in a REQ: path MTU code; 0 = the largest that the port allows */
	uint8_t ack_timeout; /* in a REQ: local ACK timeout code; 0 = configured default */
	uint16_t data_len;
	uint8_t tclass;
	uint8_t sl;
	uint8_t data[RN_CM_DATA_MAX];
	/* datagram services: Q_Key of the QP `qpn`; CM_ACCEPT: 0 = RN_UDP_QKEY */
	uint32_t qkey;
};

enum rn_cm_flag {
	RN_CM_FOR_LISTENER = 1 << 0, /* CM_BIND: reserve the address and port for a listener */
};

struct rn_cmd {
	uint16_t op;	/* enum rn_cmd_op */
	uint16_t flags; /* CM_BIND: bits of enum rn_cm_flag */
	uint32_t client;
	uint64_t user; /* returned in the events of the object; opaque to the NIC */
	union {
		struct {
			uint32_t pd, type, send_cq, recv_cq;
			uint32_t srq;		     /* SRQ id, 0 = no SRQ; with an SRQ, rq_depth is
						      * 0 */
			uint32_t sq_depth, rq_depth; /* maximum numbers of work requests */
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
			/* SRQ id and new depth; the client must post no receive while the command
			 * runs */
			uint32_t id, depth;
		} modify_srq;
		/* DESTROY_PD, DESTROY_CQ, DESTROY_SRQ, DEREG_MR (id = lkey), and CM commands with
		 * an id as the only argument */
		struct {
			uint32_t id;
		} obj;
		struct {
			uint64_t addr, length, iova;
			uint32_t pd, access;
			uint32_t lkey; /* REREG_MR: the memory region to change */
		} reg_mr;	       /* REG_MR, REREG_MR */
		struct {
			uint32_t pd;
		} create_mw;
		struct {
			uint32_t id;
			/* QPN of the QP to which the last BIND was posted. The send queue of that
			 * QP may still contain BIND and INVALIDATE requests for this memory window,
			 * which will have no effect. */
			uint32_t qpn;
		} destroy_mw;
		struct {
			/* CM id; CM_BIND, CM_LISTEN, CM_CONNECT: 0 = create a new id */
			uint32_t id;
			/* port number in host byte order; CM_BIND: 0 = choose an ephemeral port
			 * number */
			uint16_t port;
			uint16_t peer_port;
			struct rn_gid local; /* all zero = wildcard */
			struct rn_gid peer;
			/* CM_LISTEN: maximum number of unanswered connection requests, 0 = no
			 * limit */
			uint32_t backlog;
			uint16_t reason; /* CM_REJECT: REJ reason code, default 28 */
			/* CM_CONNECT: time for the peer to answer before the REQ or SIDR_REQ is
			 * sent again; 0 = timers.cm_response_ms of the configuration */
			uint16_t timeout_ms;
			struct rn_cm_param param;
			/* port_space and qp_type are used only by a command that creates a CM id */
			uint16_t port_space; /* enum rn_port_space; 0 = TCP */
			uint8_t qp_type;     /* enum rn_qp_type; 0 = UD in the port spaces UDP and
					      * IPOIB, else RC */
		} cm;
		struct {
			uint32_t qpn, gen; /* the UD QP to attach or detach */
			struct rn_gid gid; /* the address of the multicast group */
		} group;		   /* ATTACH_GROUP, DETACH_GROUP */
		uint8_t pad[496];
	};
};
static_assert(sizeof(struct rn_cmd) == 512, "commands have one size");

/* The response to a command. err: 0 or a negative errno. */
struct rn_rsp {
	int32_t err;
	/* Names the created object. CQ, SRQ, PD: id. QP: QPN. Memory region: lkey. Connection: CM
	 * id. Memory window: R_Key, of which each BIND changes the low byte. */
	uint32_t id;
	/* CREATE_QP: the generation, a number that tells the QP from earlier QPs with the same QPN.
	 * REG_MR, REREG_MR: the rkey. */
	uint32_t gen;
	uint16_t port; /* CM_BIND, CM_LISTEN, CM_CONNECT: the local port number in use */
	uint16_t shard;
	union {
		struct {
			/* address of the QP's struct rn_qp_shared in this process */
			uint64_t shared;
		} qp;
		struct {
			/* address of the memory window's struct rn_mw_shared in this process, valid
			 * until DESTROY_MW */
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
#define RN_EVENT_ROWS(X) /* columns: name, number, text */ \
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

/* The error of a QP_FATAL event is also the status of a completion. IBTA vol. 1, 11.6.3, reserves
 * the "local work queue catastrophic error" for errors that no completion shows. */
#define RN_FATAL_COMPLETED 1

struct rn_event {
	uint16_t kind; /* enum rn_event_kind */
	/* CM_REJECTED: REJ reason or SIDR status. CM_DISCONNECTED: 0 = DREQ received from the peer;
	 * 1 = DREQ sent and answered; 2 = DREQ sent but not answered. QP_FATAL: 0 or
	 * RN_FATAL_COMPLETED. */
	uint16_t reason;
	uint32_t id;	 /* CQ or SRQ id, QPN, or CM id */
	uint32_t gen;	 /* generation of the QP */
	uint32_t parent; /* CM_REQUEST: the listener's CM id */
	/* `user` of the command that created the object; in CM_REQUEST `user` of the listener */
	uint64_t user;
	int32_t err; /* CM_UNREACHABLE, RESOLVED: 0 or a negative errno */
	uint16_t port, peer_port;
	struct rn_gid local, peer;
	/* CM_REQUEST, CM_RESPONSE: param has the parameters of the peer. attr has the attributes
	 * that move this side's QP to RTR and RTS (IBTA vol. 1, 12.7): dest_qpn, sq_psn, path_mtu,
	 * timeout, retry counts, and av with the resolved MAC. The front end must add rq_psn and
	 * the READ depths. RESOLVED: only attr.av is set. */
	struct rn_cm_param param;
	struct rn_qp_attr attr;
};

#endif
