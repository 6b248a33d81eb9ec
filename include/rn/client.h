/* softrnic: the API for front ends. A front end (NetworkDirect today, verbs later) translates its
 * own calls into calls of these functions and implements no protocol itself.
 *
 * Rules for all functions, unless a comment says otherwise:
 * - Any thread may call any function.
 * - A function returns 0 or a negative errno. -ENODEV means that the network port was removed.
 * - No function is a cancellation point, not even rn_client_wait(): a cancelled thread finishes the
 *   call first.
 * - The caller creates and destroys all objects. An object that uses another object must be
 *   destroyed first: a queue pair before its CQs and its PD.
 * - The CM never changes the state of a queue pair. On CM events the front end does so with
 *   rn_client_qp_modify().
 * - In a forked child of a process that has opened an adapter, functions that execute a command, or
 *   that open or list adapters, return -ENODEV. The child may call no other function.
 *
 * While an adapter is open, softrnic handles SIGSEGV and SIGBUS. If the application installs its
 * own handler later, that handler must pass every signal that it does not handle to softrnic's
 * handler. */
#ifndef RN_CLIENT_H
#define RN_CLIENT_H

#include "rn/abi.h"
#include "rn/link.h"

#include <netinet/in.h>
#include <sys/socket.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct rn_client;
struct rn_client_cq;
struct rn_client_qp;
struct rn_client_mw;
struct rn_client_srq;
struct rn_client_wr;

/* ---- adapters ---- */

/* List and open adapters, like rn_link_list() and rn_link_open(). May also fail with -ENOMEM. Every
 * open needs a close. */
int rn_client_list(const char *path, struct rn_link_info *info, unsigned n, char *err,
		   size_t errlen);
int rn_client_open(const char *path, unsigned index, struct rn_client **client, char *err,
		   size_t errlen);
void rn_client_close(struct rn_client *client);
/* Creates a client for a link (struct rn_link) that the caller has opened. The caller must close
 * the link. Returns NULL if there is no memory. */
struct rn_client *rn_client_attach(struct rn_link *link);

/* Returns the properties that the adapter had when it was opened; link_up is not updated. The
 * pointer is valid until rn_client_close(). */
const struct rn_link_info *rn_client_info(const struct rn_client *client);
void rn_client_stats(struct rn_client *client,
		     void (*fn)(void *arg, const char *name, uint64_t value), void *arg);

/* Takes up to n events and returns the number of events. Waits at most timeout_ms for the first
 * event; -1 = without limit. rn_client_interrupt() ends the wait. Only one thread at a time may
 * call rn_client_wait(). */
unsigned rn_client_wait(struct rn_client *client, struct rn_event *ev, unsigned n, int timeout_ms);
void rn_client_interrupt(struct rn_client *client);
/* Under the inline idle policy (threads of the application drive the NIC): polls each shard of the
 * adapter once, on the calling thread. Under other policies: does nothing. Call this function in
 * loops that wait without polling a CQ. */
void rn_client_progress(struct rn_client *client);
/* True once the adapter's network port has been removed. This function returns true before any call
 * returns -ENODEV, and before RN_EVENT_PORT_GONE can be taken. */
bool rn_client_gone(const struct rn_client *client);

/* ---- protection domains and regions ---- */

int rn_client_pd_create(struct rn_client *client, uint32_t *pd);
int rn_client_pd_destroy(struct rn_client *client, uint32_t pd);

/* Registers `length` bytes at addr. access: enum rn_access. iova: the address of the region's first
 * byte in work requests and for peers, usually addr itself. */
int rn_client_mr_register(struct rn_client *client, uint32_t pd, void *addr, uint64_t length,
			  uint64_t iova, uint32_t access, uint32_t *lkey, uint32_t *rkey);
/* Gives a registered region another memory, PD and access; its keys stay. Accesses of peers and
 * work requests that come while the call runs may find no region, and then fail. After the call the
 * NIC no longer accesses the former memory. After an error the region is unchanged. */
int rn_client_mr_reregister(struct rn_client *client, uint32_t lkey, uint32_t pd, void *addr,
			    uint64_t length, uint64_t iova, uint32_t access);
/* Deregisters a memory region. After this call the NIC no longer accesses the memory. */
int rn_client_mr_deregister(struct rn_client *client, uint32_t lkey);

/* ---- completion queues ---- */

/* Creates a completion queue. RN_EVENT_CQ and RN_EVENT_CQ_OVERRUN return `user`. affinity: mask of
 * preferred CPUs, 0 = no preference. */
int rn_client_cq_create(struct rn_client *client, uint32_t depth, uint64_t affinity, uint64_t user,
			struct rn_client_cq **cq);
/* Destroys a completion queue. Unread completions are lost. The caller must have destroyed all
 * queue pairs that use the completion queue. */
int rn_client_cq_destroy(struct rn_client_cq *cq);
uint32_t rn_client_cq_id(const struct rn_client_cq *cq);
/* Changes the depth of a completion queue in use. Even with a small `depth` the CQ keeps room for
 * the completions of all work requests of its queue pairs. Takes the CQ's lock, so the caller must
 * not hold that lock. After an error the CQ is unchanged. Errors:
 * -EMSGSIZE: more completions than `depth` are unread
 * -EINVAL: `depth` is 0 or exceeds the adapter's limit
 * -EOPNOTSUPP: the adapter cannot change depths
 * -ENOMEM */
int rn_client_cq_resize(struct rn_client_cq *cq, uint32_t depth);

/* Takes the CQ's lock. The caller must hold this lock when it calls rn_client_cq_poll(), _arm(),
 * _fired(), _disarm() or _forget(). None of these functions blocks. */
void rn_client_cq_lock(struct rn_client_cq *cq);
void rn_client_cq_unlock(struct rn_client_cq *cq);

/* Takes up to n completions. Returns the number of completions taken. Completions of one send queue
 * or receive queue are in the order of its work requests. *fired becomes true if one of the
 * completions met the armed condition. The CQ is then disarmed, and the caller must notify its
 * waiters. */
unsigned rn_client_cq_poll(struct rn_client_cq *cq, struct rn_cqe *cqe, unsigned n, bool *fired);
/* Arms the CQ: the CQ will fire once, at a completion that meets the condition `what`. If the CQ is
 * armed already, the wider condition counts. Returns true if an unread completion that came after
 * the last firing meets the condition: the CQ has then fired at once and is disarmed. Each
 * completion causes at most one firing. */
bool rn_client_cq_arm(struct rn_client_cq *cq, enum rn_cq_arm what);
/* To be called on RN_EVENT_CQ. Returns true if an unread completion meets the armed condition: the
 * CQ has then fired and is disarmed. Otherwise returns false and changes nothing: an event that
 * comes too late or too early does no harm. */
bool rn_client_cq_fired(struct rn_client_cq *cq);
/* Disarms the CQ without firing it. */
void rn_client_cq_disarm(struct rn_client_cq *cq);
/* Removes the unread completions of the queue pair with this qp_ctx (rn_client_qp_init.qp_ctx). To
 * be called after a transition to RESET, or the destruction of the queue pair, if the front end
 * must not show them: the NIC has then published all of them. */
void rn_client_cq_forget(struct rn_client_cq *cq, uint64_t qp_ctx);

/* ---- shared receive queues: several queue pairs take receives from one queue ---- */

struct rn_client_srq_init {
	uint32_t pd; /* PD of the SRQ; the memory regions of the receives must be of this PD */
	/* maximum number of receives in the SRQ, at least 1; enforced exactly */
	uint32_t depth;
	uint32_t max_sge;    /* SGEs per receive, 0..RN_WQE_MAX_SGE */
	uint32_t max_length; /* bytes per receive; 0 = the adapter's largest message */
	uint64_t user;	     /* returned in RN_EVENT_SRQ_LIMIT */
};

/* Creates a shared receive queue. -EINVAL: a member of *init exceeds the limit of the adapter. */
int rn_client_srq_create(struct rn_client *client, const struct rn_client_srq_init *init,
			 struct rn_client_srq **srq);
/* Destroys a shared receive queue. No thread may be posting receives to the SRQ. Receives left in
 * the SRQ are dropped without a completion. -EBUSY: a queue pair uses the SRQ. */
int rn_client_srq_destroy(struct rn_client_srq *srq);
uint32_t rn_client_srq_id(const struct rn_client_srq *srq);

/* Changes the depth of a shared receive queue; posting threads wait meanwhile. After an error the
 * SRQ is unchanged. -EOVERFLOW: the SRQ contains more receives than `depth`. -EINVAL: `depth` is 0
 * or exceeds the adapter's limit. */
int rn_client_srq_resize(struct rn_client_srq *srq, uint32_t depth);

/* Posts one receive. When the call returns, every queue pair of the SRQ can use the receive. Of *wr
 * only wr_id and the SGEs are used. -ENOMEM: the SRQ is full. -E2BIG, -EMSGSIZE, -ENODEV: as for
 * rn_client_qp_post(). */
int rn_client_srq_post(struct rn_client_srq *srq, const struct rn_client_wr *wr);
/* Posts n receives in the order of wr[], with the rules and errors of rn_client_qp_post_list(). */
int rn_client_srq_post_list(struct rn_client_srq *srq, const struct rn_client_wr *wr, uint32_t n,
			    uint32_t *posted);
/* Returns the number of receives in the SRQ. */
uint32_t rn_client_srq_level(const struct rn_client_srq *srq);

/* Only one thread at a time may call rn_client_srq_arm(), rn_client_srq_fired() and
 * rn_client_srq_disarm() for one SRQ.
 *
 * rn_client_srq_arm() arms the limit event: RN_EVENT_SRQ_LIMIT is sent once, when fewer than
 * `limit` receives are left. `limit` replaces the limit of an earlier call; 0 disarms. Returns
 * true, and leaves the limit event disarmed, in two cases:
 * - fewer than `limit` receives are left already
 * - the number of receives has fallen below the earlier limit, and no call has returned true for
 *   that limit yet */
bool rn_client_srq_arm(struct rn_client_srq *srq, uint32_t limit);
/* To be called on RN_EVENT_SRQ_LIMIT; may be called at any time. Returns true, and disarms the
 * limit event, if the number of receives has been below the armed limit since the arming. False
 * after an RN_EVENT_SRQ_LIMIT means that the event belonged to an earlier limit. */
bool rn_client_srq_fired(struct rn_client_srq *srq);
void rn_client_srq_disarm(struct rn_client_srq *srq);

/* ---- queue pairs ---- */

struct rn_client_qp_init {
	uint32_t pd;
	enum rn_qp_type type;
	struct rn_client_cq *send_cq, *recv_cq;
	/* NULL: the QP has its own receive queue. With an SRQ, rq_depth is 0. */
	struct rn_client_srq *srq;
	uint32_t sq_depth, rq_depth; /* maximum numbers of outstanding work requests, enforced
				      * exactly */
	uint32_t sq_sge, rq_sge;     /* SGEs per work request, 1..RN_WQE_MAX_SGE */
	uint32_t inline_bytes;	     /* inline data per work request, 0..RN_WQE_MAX_INLINE */
	uint32_t max_length;	     /* bytes per work request; 0 = the adapter's largest message */
	uint64_t qp_ctx;	     /* returned in completions */
	uint64_t affinity;	     /* mask of preferred CPUs, 0 = no preference */
	uint64_t user;		     /* returned in events */
};

/* Creates a queue pair in state RESET. -EINVAL: a member of *init exceeds the limit of the
 * adapter. */
int rn_client_qp_create(struct rn_client *client, const struct rn_client_qp_init *init,
			struct rn_client_qp **qp);
/* Changes the attributes named by `mask` (enum rn_qp_mask), and the state if `mask` contains
 * RN_QP_STATE. The transitions are those of ibv_modify_qp for the type of QP. Each transition
 * requires and allows certain attributes: addresses, QPN and PSNs for RC and UC, a Q_Key for UD.
 *
 * A transition has these effects:
 * - to RESET: both queues are emptied without completions; the completions that were written before
 *   can be read when the call returns
 * - to ERR: both queues are flushed
 * - to SQD: the NIC finishes the started messages and starts no others; then RN_EVENT_SQ_DRAINED
 *   follows if sqd_notify is set
 *
 * -EINVAL, with nothing changed:
 * - the transition does not exist
 * - an attribute is missing or not allowed
 * - a PSN or QPN has more than 24 bits
 * - the path MTU exceeds that of the network port
 * - the source address is not an address of the network port
 * - another attribute is out of range */
int rn_client_qp_modify(struct rn_client_qp *qp, const struct rn_qp_attr *attr, uint32_t mask);
int rn_client_qp_query(struct rn_client_qp *qp, struct rn_qp_attr *attr);
/* Destroys the queue pair. No thread may be posting to the queue pair. Completions that are already
 * in the CQs stay there; all can be read when the call returns. */
int rn_client_qp_destroy(struct rn_client_qp *qp);
uint32_t rn_client_qp_number(const struct rn_client_qp *qp);
enum rn_qp_state rn_client_qp_state(const struct rn_client_qp *qp);
/* Returns the number of unfinished work requests in both queues. Receives of an SRQ do not
 * count. */
uint32_t rn_client_qp_outstanding(const struct rn_client_qp *qp);
/* Waits at most timeout_ms until no work request is outstanding. After a transition to ERR, this
 * means that every work request has its completion. Returns 0 or -ETIMEDOUT. */
int rn_client_qp_drain(struct rn_client_qp *qp, unsigned timeout_ms);

/* What a BIND posted as struct rn_client_wr binds. */
struct rn_client_wr_bind {
	struct rn_client_mw *mw;
	uint64_t length; /* in bytes; 0 with RN_WQE_REBIND: only ends the binding */
	uint32_t lkey;	 /* lkey and access: as in struct rn_client_bind */
	uint32_t access;
};

/* One work request in the form that front ends use: with a pointer to an array of SGEs. */
struct rn_client_wr {
	uint8_t kind;	/* enum rn_wqe_kind */
	uint16_t flags; /* enum rn_wqe_flag */
	uint64_t wr_id;
	uint64_t remote_va; /* BIND: address of the first byte of the range */
	uint32_t rkey;	    /* BIND: the new R_Key of the memory window */
	/* SEND_IMM, WRITE_IMM: 4 opaque bytes; SEND_INVAL: the peer's R_Key; INVALIDATE: the R_Key
	 * of a memory window that is bound to this QP */
	uint32_t imm;
	/* array of num_sge SGEs; may be reused after the call. Any struct of 16 bytes with the
	 * layout {u64 address, u32 length, u32 key} may stand for an SGE. */
	const struct rn_sge *sge;
	uint32_t num_sge;
	/* operands of CMP_SWAP and FETCH_ADD; may be reused after the call. The work request needs
	 * one SGE of at least 8 bytes; its first 8 get the former content of the target. */
	const struct rn_atomic *atomic;
	/* SEND, SEND_IMM on a UD QP: destination of the datagram; may be reused after the call */
	const struct rn_ud *ud;
	/* BIND: the window and what it exposes; may be reused after the call. BIND and INVALIDATE
	 * have no SGEs. */
	const struct rn_client_wr_bind *bind;
};

/* Posts one work request. The send requests of a QP reach the NIC in the order of the calls, and so
 * do the receives. A wrong key gives a completion with an error. Errors of the call:
 * -EINVAL: a receive on a QP with an SRQ; an atomic that is inline, without operands or without
 *   exactly one SGE; a datagram without destination; a BIND without rn_client_wr.bind or with an
 *   R_Key of another window; or a BIND or INVALIDATE that is inline or has SGEs
 * -ENOMEM: the send queue or receive queue is full
 * -E2BIG: more SGEs than the QP allows
 * -EMSGSIZE: more bytes than the QP allows (max_length, or inline_bytes with RN_WQE_INLINE)
 * -ENODEV: the network port was removed
 *
 * UD QPs:
 * - A SEND with an invalid destination (a source address that the port does not have, or a QPN of
 *   more than 24 bits) completes with RN_STATUS_LOC_QP_OP_ERR, and the QP enters SQE.
 * - A datagram longer than the port's path MTU is not sent, but completes with success.
 * - A receive needs room for RN_UD_GRH_BYTES and the payload. A datagram that finds no receive, or
 *   does not fit into the receive, is dropped; that receive stays posted. */
int rn_client_qp_post(struct rn_client_qp *qp, const struct rn_client_wr *wr);
/* Posts n work requests in the order of wr[], with the same effect as n calls of
 * rn_client_qp_post(), but at less cost: locks are taken, and the queue's room is checked, for
 * many work requests at a time (up to 32 slots of 64 bytes). ibv_post_send() and ibv_post_recv()
 * take such lists. wr[], its SGEs, operands and destinations belong to the caller and may be reused
 * after the call.
 *
 * Stores in *posted how many work requests were posted, and returns 0 if all were. Otherwise wr[0]
 * to wr[*posted - 1] are posted, wr[*posted] was refused with the errno that the call returns, and
 * later ones were not looked at. A list longer than the queue has room for is posted in part, and
 * then fails with -ENOMEM. n may be 0.
 *
 * Fastest is a list of requests only or of receives only; it may also have both. Work requests that
 * another thread posts to the queue at the same time may get between those of the list. */
int rn_client_qp_post_list(struct rn_client_qp *qp, const struct rn_client_wr *wr, uint32_t n,
			   uint32_t *posted);
/* Posts n requests to the send queue in the order of wr[]: all of them, or none. Returns 0, or the
 * errno with which rn_client_qp_post() refuses the first that is wrong; -EINVAL: wr[] has a
 * receive; -ENOMEM: the send queue has no room for all n. wr[], its SGEs, operands and destinations
 * must not change during the call, and may be reused after it. ibv_wr_complete() posts in this way.
 * Work requests that another thread posts at the same time may get between those of wr[]. n may be
 * 0. */
int rn_client_qp_post_all(struct rn_client_qp *qp, const struct rn_client_wr *wr, uint32_t n);

/* Attaches a UD QP to a multicast group. The QP then receives all datagrams to the group, also
 * those of this adapter. Attaching twice has no further effect. No IGMP or MLD report is sent, so
 * a switch that forwards only to reported members must be configured to forward to this adapter.
 * Errors:
 * -EINVAL: not a UD QP, or not a group address
 * -ENOSPC: the adapter has 64 groups already, or the group has 128 members on the QP's shard */
int rn_client_qp_attach(struct rn_client_qp *qp, const struct rn_gid *group);
/* Detaches the QP from a multicast group. The destruction of a QP detaches the QP from all groups.
 * -ENOENT: the QP is not attached to the group. */
int rn_client_qp_detach(struct rn_client_qp *qp, const struct rn_gid *group);

/* ---- memory windows ----
 *
 * There are two ways to bind a window; a front end uses one of them for a window.
 *
 * - rn_client_qp_bind(), rn_client_qp_invalidate(): rn_client chooses the R_Key, and knows whether
 *   the window is bound (rn_client_mw_key(), rn_client_mw_bound()).
 * - Work requests of kind BIND and INVALIDATE in rn_client_qp_post() or _post_list(): the front end
 *   chooses the R_Key, of whose bits the upper 24 are those of rn_client_mw_id(). That is the way
 *   of verbs. A window of type 2 (IBTA vol. 1, 10.6.7.2) is bound by a plain BIND, which fails if
 *   the window is bound; a window of type 1 by a BIND with RN_WQE_REBIND, which replaces the
 *   binding of the window on the same QP. All errors that the NIC finds give a completion with
 *   RN_STATUS_MW_BIND_ERR: so does the INVALIDATE of an R_Key that is not bound to the QP.
 *
 * A peer can use a window only through the QP to which the window is bound. */

/* Creates an unbound memory window. -ENOSPC: the adapter has reached its limit for regions plus
 * windows. */
int rn_client_mw_create(struct rn_client *client, uint32_t pd, struct rn_client_mw **mw);
/* Invalidates the R_Key and destroys the memory window. Bind and invalidate requests of this window
 * that still wait in a send queue will complete with success but change nothing. The region may be
 * deregistered before the memory window is destroyed. */
int rn_client_mw_destroy(struct rn_client_mw *mw);
/* Returns the memory window's number, which never changes. Its upper 24 bits are those of all
 * R_Keys of the window; the number itself is never the R_Key of a peer's access before a bind
 * request names it. */
uint32_t rn_client_mw_id(const struct rn_client_mw *mw);
/* Returns the R_Key of the last posted bind request, or 0 before the first bind request. */
uint32_t rn_client_mw_key(const struct rn_client_mw *mw);
/* True while the memory window is bound: from a successful rn_client_qp_bind() until one of these
 * events:
 * - the bind request has failed, and its completion can be read
 * - the invalidate request has completed, and its completion can be read
 * - a SEND_INVAL of the peer has invalidated the R_Key
 * - the queue pair has ended (error, reset, destruction) */
bool rn_client_mw_bound(const struct rn_client_mw *mw);

struct rn_client_bind {
	uint64_t wr_id;
	uint16_t flags; /* enum rn_wqe_flag: SIGNALED and FENCE are allowed */
	/* address of the first byte of the range; the first byte of the memory region has the
	 * address iova */
	uint64_t addr;
	uint64_t length; /* in bytes; the range must lie within the region */
	/* lkey of a memory region of the window's PD. The region must have RN_ACCESS_MW_BIND, and
	 * also RN_ACCESS_LOCAL_WRITE if `access` has remote writes or atomics. */
	uint32_t lkey;
	uint32_t access; /* remote rights of the memory window (enum rn_access) */
};

/* Posts a work request that binds the memory window to this queue pair with a new R_Key. After the
 * call rn_client_mw_key() returns the new R_Key. The send queue executes its work requests in
 * order. Errors that the NIC finds give a completion with RN_STATUS_MW_BIND_ERR. Errors of the
 * call, which change nothing:
 * -EBUSY: the memory window is bound
 * -ENOMEM: the send queue is full */
int rn_client_qp_bind(struct rn_client_qp *qp, struct rn_client_mw *mw,
		      const struct rn_client_bind *bind);
/* Posts a work request that invalidates the memory window. The work request completes with
 * RN_STATUS_MW_BIND_ERR if the window is not bound to this queue pair at its execution.
 * -ENOMEM: the send queue is full. */
int rn_client_qp_invalidate(struct rn_client_qp *qp, struct rn_client_mw *mw, uint64_t wr_id,
			    uint16_t flags);

/* ---- connections ----
 *
 * The CM manages CM ids and port numbers. Front ends change the queue pairs. */

/* A GID, and a port number in host byte order. An all-zero GID is the wildcard. */
struct rn_client_addr {
	struct rn_gid gid;
	uint16_t port;
};

/* Creates a CM id bound to a local address. For port number 0 the CM chooses an ephemeral port
 * number and stores that number in *local. One listener and any number of connecting CM ids may
 * share an address and port number. Errors:
 * -EADDRNOTAVAIL: not an address of this adapter, or no ephemeral port number is left
 * -EADDRINUSE: with to_listen, another listener has the port number */
int rn_client_cm_bind(struct rn_client *client, struct rn_client_addr *local, bool to_listen,
		      uint64_t user, uint32_t *id);
/* Like rn_client_cm_bind(), but for any port space and type of queue pair. The CM id keeps port
 * space and type for listening and connecting. port_space: enum rn_port_space, 0 = TCP. qp_type:
 * - 0: UD in the port spaces UDP and IPOIB, else RC
 * - RN_QPT_UC: connections between UC queue pairs only
 * - RN_QPT_UD: a datagram service; peers ask for its QPN and Q_Key by SIDR messages
 *
 * For a datagram service the functions below do the following:
 * - rn_client_cm_connect() sends a SIDR_REQ with up to RN_CM_SIDR_REQ_DATA bytes and no QPN. One of
 *   three events follows, after which the CM id may connect again:
 *   RN_EVENT_CM_RESPONSE with param.qpn, param.qkey and address vector attr.av of the service;
 *   RN_EVENT_CM_REJECTED with a SIDR status as reason;
 *   RN_EVENT_CM_UNREACHABLE.
 * - rn_client_cm_accept(), to be called after RN_EVENT_CM_REQUEST, replies with param->qpn,
 *   param->qkey (0 = RN_UDP_QKEY) and up to RN_CM_SIDR_REP_DATA bytes. No event follows. Until its
 *   destruction, the CM id replies to repeated SIDR_REQs.
 * - rn_client_cm_reject() takes a SIDR status, 1..5, as reason. 0 stands for 2, "rejected".
 *
 * -EPROTONOSUPPORT: the port space is unknown or has no such queue pairs. */
int rn_client_cm_bind_service(struct rn_client *client, unsigned port_space, unsigned qp_type,
			      struct rn_client_addr *local, bool to_listen, uint64_t user,
			      uint32_t *id);
/* Listens for connection requests. backlog: maximum number of unanswered connection requests, 0 =
 * no limit. */
int rn_client_cm_listen(struct rn_client *client, uint32_t id, const struct rn_client_addr *local,
			uint32_t backlog, uint64_t user);
/* Sends a REQ. RN_EVENT_CM_RESPONSE, _REJECTED or _UNREACHABLE follows. After _REJECTED or
 * _UNREACHABLE the CM id may connect again. If `local` is the wildcard, the CM uses the adapter's
 * address that reaches the peer. -EISCONN: this adapter has a connection between these two
 * addresses and port numbers already. */
int rn_client_cm_connect(struct rn_client *client, uint32_t id, const struct rn_client_addr *local,
			 const struct rn_client_addr *peer, const struct rn_cm_param *param,
			 uint64_t user);
/* Sends an RTU. To be called after RN_EVENT_CM_RESPONSE, with the QP in RTS. */
int rn_client_cm_establish(struct rn_client *client, uint32_t id);
/* Sends a REP. To be called after RN_EVENT_CM_REQUEST, with the QP in RTS. RN_EVENT_CM_ESTABLISHED,
 * _REJECTED or _UNREACHABLE follows. */
int rn_client_cm_accept(struct rn_client *client, uint32_t id, const struct rn_cm_param *param,
			uint64_t user);
/* Sends a REJ in answer to a REQ or REP. reason: REJ code; 0 stands for 28, "consumer reject". */
int rn_client_cm_reject(struct rn_client *client, uint32_t id, uint16_t reason, const void *data,
			uint16_t len);
/* Sends a DREQ, or, if the peer's DREQ has arrived, a DREP. */
int rn_client_cm_disconnect(struct rn_client *client, uint32_t id);
/* Sends an MRA: this side needs more time to answer the peer's REQ or REP. */
int rn_client_cm_delay(struct rn_client *client, uint32_t id);
/* Destroys a CM id in any state. Sends the peer the CM message that this state requires (such as a
 * REJ or a DREQ). After the call rn_client_wait() takes no event of the CM id. A listener is an
 * exception: RN_EVENT_CM_REQUEST may still come for connection requests that arrived before. The
 * client must reject or destroy the CM ids of these events. */
int rn_client_cm_destroy(struct rn_client *client, uint32_t id);

/* ---- addresses ---- */

/* Finds the MAC for packets from `local` to `peer` (rn_av.dmac): that of the peer, of the gateway
 * or of the multicast group. Results:
 * 0: the MAC is in `mac`
 * -EINPROGRESS: the MAC is not known yet. RN_EVENT_RESOLVED with `user` follows, with the MAC in
 *   attr.av.dmac or an error in err.
 * -EHOSTUNREACH: the neighbour does not reply, or there is no route
 * -EAGAIN: too many addresses are being resolved now */
int rn_client_resolve(struct rn_client *client, const struct rn_gid *local,
		      const struct rn_gid *peer, uint64_t user, uint8_t mac[6]);

/* Makes the address vector for packets to `peer`, for use in rn_qp_attr.av and rn_client_wr.ud. Hop
 * limit, traffic class and VLAN are those of the network port. An all-zero `local` stands for the
 * port's address that reaches the peer. Results:
 * 0: the address vector is in *av
 * -EINPROGRESS: the MAC is not known yet. RN_EVENT_RESOLVED with `user` follows, with the address
 *   vector in attr.av or an error in err.
 * -EHOSTUNREACH, -EAGAIN: as for rn_client_resolve()
 * -EADDRNOTAVAIL: `local` is not an address of the port
 * -EAFNOSUPPORT: `local` and `peer` have different address families; or `local` is all zero and
 *   the port has no address of the peer's family or no route to the peer
 *
 * The MAC is always known for the port's own addresses (loopback) and for multicast groups (RFC
 * 1112, RFC 2464). */
int rn_client_av_resolve(struct rn_client *client, const struct rn_gid *local,
			 const struct rn_gid *peer, uint64_t user, struct rn_av *av);

/* Converts a socket address to a GID and a port number. len may be larger than needed.
 * -EAFNOSUPPORT: neither IPv4 nor IPv6. -EINVAL: len is too small for the address family. */
int rn_client_addr_from_sockaddr(struct rn_client_addr *addr, const struct sockaddr *sa,
				 size_t len);
/* Converts a GID and a port number to a socket address. Returns the number of bytes written: 16 for
 * an IPv4-mapped GID, 28 for any other. */
size_t rn_client_addr_to_sockaddr(const struct rn_client_addr *addr, struct sockaddr_storage *sa);
/* True for the wildcard address of IPv6 (all zero) or IPv4 (::ffff:0.0.0.0). */
bool rn_client_gid_is_any(const struct rn_gid *gid);
bool rn_client_gid_is_v4(const struct rn_gid *gid);
bool rn_client_gid_equal(const struct rn_gid *a, const struct rn_gid *b);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
