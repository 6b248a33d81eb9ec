/* softrnic: the API for front ends. A front end (NetworkDirect today, verbs later) translates its
 * own calls into calls of these functions and implements no protocol itself.
 *
 * The caller creates and destroys all objects. An object that uses another one must be destroyed
 * first: a queue pair before its CQs and its PD. Unless a comment says otherwise, a function may be
 * called from any thread and returns 0 or a negative errno; -ENODEV means that the port was
 * removed. The CM never changes the state of a queue pair: the front end does so with
 * rn_client_qp_modify() when it gets events of the CM.
 *
 * No function is a cancellation point, not even rn_client_wait(): a thread that is cancelled
 * (pthread_cancel, deferred) finishes the call first.
 *
 * While an adapter is open, softrnic has handlers for SIGSEGV and SIGBUS. If the application
 * installs a handler for one of these signals later, that handler must call softrnic's handler for
 * every signal that it does not handle itself.
 *
 * In a forked child of a process that has opened an adapter, functions that execute a command, and
 * those that open or list adapters, return -ENODEV. The child may call no other function. */
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

/* These functions list and open adapters as rn_link_list() and rn_link_open() do; they may also
 * fail with -ENOMEM. Every open needs a close. */
int rn_client_list(const char *path, struct rn_link_info *info, unsigned n, char *err,
		   size_t errlen);
int rn_client_open(const char *path, unsigned index, struct rn_client **client, char *err,
		   size_t errlen);
void rn_client_close(struct rn_client *client);
/* Creates a client on a link that the caller has opened and will close itself. NULL: out of
 * memory. */
struct rn_client *rn_client_attach(struct rn_link *link);

/* Returns the adapter's properties as they were when it was opened; link_up is not updated. The
 * pointer is valid until rn_client_close(). */
const struct rn_link_info *rn_client_info(const struct rn_client *client);
void rn_client_stats(struct rn_client *client,
		     void (*fn)(void *arg, const char *name, uint64_t value), void *arg);

/* Takes up to n events, waiting at most timeout_ms (-1: until an event comes or
 * rn_client_interrupt() is called). Only one thread at a time may call. Returns the number of
 * events. */
unsigned rn_client_wait(struct rn_client *client, struct rn_event *ev, unsigned n, int timeout_ms);
void rn_client_interrupt(struct rn_client *client);
/* Under the inline idle policy polls each shard of the adapter once, on the calling thread; under
 * other policies does nothing. To be called in loops that wait without polling a CQ. */
void rn_client_progress(struct rn_client *client);
/* True once the adapter's network port has been removed. This function returns true before any call
 * returns -ENODEV and before RN_EVENT_PORT_GONE can be taken. */
bool rn_client_gone(const struct rn_client *client);

/* ---- protection domains and regions ---- */

int rn_client_pd_create(struct rn_client *client, uint32_t *pd);
int rn_client_pd_destroy(struct rn_client *client, uint32_t pd);

/* Registers length bytes at addr. access: enum rn_access. iova: the address of the region's first
 * byte in work requests and for peers, usually addr itself. */
int rn_client_mr_register(struct rn_client *client, uint32_t pd, void *addr, uint64_t length,
			  uint64_t iova, uint32_t access, uint32_t *lkey, uint32_t *rkey);
/* After this call the NIC no longer accesses the memory. */
int rn_client_mr_deregister(struct rn_client *client, uint32_t lkey);

/* ---- completion queues ---- */

/* `user` is returned in RN_EVENT_CQ and RN_EVENT_CQ_OVERRUN. affinity: mask of preferred CPUs, 0 =
 * no preference. */
int rn_client_cq_create(struct rn_client *client, uint32_t depth, uint64_t affinity, uint64_t user,
			struct rn_client_cq **cq);
/* The caller must have destroyed all queue pairs that use the completion queue. Unread completions
 * are lost. */
int rn_client_cq_destroy(struct rn_client_cq *cq);
uint32_t rn_client_cq_id(const struct rn_client_cq *cq);
/* Changes the depth while the queue is in use; the new depth may be larger or smaller. With any
 * depth the queue has room for the completions of all requests of its queue pairs. Takes the CQ's
 * lock for a moment, so the caller must not hold it. -EMSGSIZE: more completions than the new depth
 * are unread; -EINVAL: the depth is 0 or over the limit; -EOPNOTSUPP: not supported by the adapter;
 * -ENOMEM. After an error the queue is unchanged. */
int rn_client_cq_resize(struct rn_client_cq *cq, uint32_t depth);

/* Takes the CQ's lock. The caller must hold it when it calls rn_client_cq_poll(), _arm(), _fired()
 * or _disarm(); none of these functions blocks. */
void rn_client_cq_lock(struct rn_client_cq *cq);
void rn_client_cq_unlock(struct rn_client_cq *cq);

/* Takes up to n completions and returns their number. Completions of one send queue or receive
 * queue are in the order of its requests. *fired is true when one of them met the armed condition;
 * the CQ is then disarmed, and the caller must notify its waiters. */
unsigned rn_client_cq_poll(struct rn_client_cq *cq, struct rn_cqe *cqe, unsigned n, bool *fired);
/* Arms the CQ: it will fire once, at a completion that meets the condition `what`. If the CQ is
 * armed already, the wider of the two conditions counts. Returns true when an unread completion
 * that came after the last firing meets the condition: then the CQ has fired at once and is
 * disarmed. Each completion causes at most one firing. */
bool rn_client_cq_arm(struct rn_client_cq *cq, enum rn_cq_arm what);
/* To be called on RN_EVENT_CQ. Returns true when an unread completion meets the armed condition:
 * the CQ has fired and is disarmed. Returns false, and changes nothing, when no unread completion
 * meets it or the CQ is not armed: an event that comes too late or too early does no harm. */
bool rn_client_cq_fired(struct rn_client_cq *cq);
/* Disarms the CQ without firing it. */
void rn_client_cq_disarm(struct rn_client_cq *cq);

/* ---- shared receive queues: any number of queue pairs can take receives from one queue ---- */

struct rn_client_srq_init {
	uint32_t pd; /* the receives' memory regions must be of this PD */
	/* maximum number of receives posted and not taken, at least 1; enforced exactly */
	uint32_t depth;
	uint32_t max_sge;    /* per receive, 0..RN_WQE_MAX_SGE */
	uint32_t max_length; /* bytes per receive; 0 = the adapter's largest message */
	uint64_t user;	     /* returned in RN_EVENT_SRQ_LIMIT */
};

/* -EINVAL: a value exceeds the limit of the adapter. */
int rn_client_srq_create(struct rn_client *client, const struct rn_client_srq_init *init,
			 struct rn_client_srq **srq);
/* Destroys the queue. No thread may be posting to it. Receives that were not taken are dropped
 * without a completion. -EBUSY: a queue pair uses the queue. */
int rn_client_srq_destroy(struct rn_client_srq *srq);
uint32_t rn_client_srq_id(const struct rn_client_srq *srq);

/* Changes the depth; posting threads wait meanwhile. -EOVERFLOW: more receives than the new depth
 * are in the queue; -EINVAL: the depth is 0 or over the adapter's limit. After an error the queue
 * is unchanged. */
int rn_client_srq_resize(struct rn_client_srq *srq, uint32_t depth);

/* Posts one receive; of *wr only wr_id and the SGEs are used. When the call returns, every queue
 * pair of the queue can use the receive. -ENOMEM: the queue is full; -E2BIG, -EMSGSIZE and -ENODEV
 * as for rn_client_qp_post(). */
int rn_client_srq_post(struct rn_client_srq *srq, const struct rn_client_wr *wr);
/* Returns the number of receives posted and not taken. */
uint32_t rn_client_srq_level(const struct rn_client_srq *srq);

/* Only one thread at a time may call rn_client_srq_arm(), rn_client_srq_fired() and
 * rn_client_srq_disarm() for one queue.
 *
 * Arms the limit event: RN_EVENT_SRQ_LIMIT is sent once, when fewer than `limit` receives are left.
 * The new limit replaces the limit of an earlier call; a limit of 0 disarms. Returns true, and
 * leaves the event disarmed, in two cases: fewer than `limit` receives are left already, or the
 * number of receives has fallen below the limit of the earlier call and no call has returned true
 * for that yet. Otherwise returns false. */
bool rn_client_srq_arm(struct rn_client_srq *srq, uint32_t limit);
/* To be called on RN_EVENT_SRQ_LIMIT, or at any time. Returns true, and disarms, when the number of
 * receives has been below the limit at any time since the limit was armed. Otherwise returns false;
 * if there was an RN_EVENT_SRQ_LIMIT, it belonged to a limit that was armed earlier. */
bool rn_client_srq_fired(struct rn_client_srq *srq);
void rn_client_srq_disarm(struct rn_client_srq *srq);

/* ---- queue pairs ---- */

struct rn_client_qp_init {
	uint32_t pd;
	enum rn_qp_type type;
	struct rn_client_cq *send_cq, *recv_cq;
	/* NULL: the QP has its own receive queue; with an SRQ, rq_depth is 0 */
	struct rn_client_srq *srq;
	uint32_t sq_depth, rq_depth; /* maximum numbers of outstanding requests, enforced exactly */
	uint32_t sq_sge, rq_sge;     /* per request, 1..RN_WQE_MAX_SGE */
	uint32_t inline_bytes;	     /* per request, 0..RN_WQE_MAX_INLINE */
	uint32_t max_length;	     /* bytes per request; 0 = the adapter's largest message */
	uint64_t qp_ctx;	     /* returned in completions */
	uint64_t affinity;	     /* mask of preferred CPUs, 0 = no preference */
	uint64_t user;		     /* returned in events */
};

/* Creates a queue pair in state RESET. -EINVAL: a value exceeds the limit of the adapter. */
int rn_client_qp_create(struct rn_client *client, const struct rn_client_qp_init *init,
			struct rn_client_qp **qp);
/* Changes the attributes that `mask` (enum rn_qp_mask) names. If `mask` contains RN_QP_STATE,
 * changes the state too. The allowed transitions, and the attributes that each of them requires and
 * allows, are those of ibv_modify_qp for the type of QP: RC and UC QPs take addresses, QPN and
 * PSNs, UD QPs a Q_Key.
 *
 * A transition to RESET empties both queues without completions. A transition to ERR flushes both
 * queues. In SQD the NIC finishes the messages that it has started and starts no others; then
 * RN_EVENT_SQ_DRAINED follows if sqd_notify is set.
 *
 * -EINVAL, with nothing changed: the transition does not exist, an attribute is missing or not
 * allowed, or a value is out of range (a PSN or QPN of more than 24 bits, a path MTU above the
 * port's, a source address that is not the port's). */
int rn_client_qp_modify(struct rn_client_qp *qp, const struct rn_qp_attr *attr, uint32_t mask);
int rn_client_qp_query(struct rn_client_qp *qp, struct rn_qp_attr *attr);
/* Destroys the queue pair. No thread may be posting to it. Its completions that are already in the
 * CQs stay there. */
int rn_client_qp_destroy(struct rn_client_qp *qp);
uint32_t rn_client_qp_number(const struct rn_client_qp *qp);
enum rn_qp_state rn_client_qp_state(const struct rn_client_qp *qp);
/* Returns the number of requests in both queues that the NIC has not finished with; receives of an
 * SRQ do not count. */
uint32_t rn_client_qp_outstanding(const struct rn_client_qp *qp);
/* Waits at most timeout_ms until no request is outstanding. After a transition to ERR this means
 * that every request has its completion. Returns 0 or -ETIMEDOUT. */
int rn_client_qp_drain(struct rn_client_qp *qp, unsigned timeout_ms);

/* One work request in the form that front ends use: with a pointer to the SGEs. */
struct rn_client_wr {
	uint8_t kind;	/* enum rn_wqe_kind */
	uint16_t flags; /* enum rn_wqe_flag */
	uint64_t wr_id;
	uint64_t remote_va;
	uint32_t rkey;
	uint32_t imm; /* SEND_IMM, WRITE_IMM: 4 opaque bytes; SEND_INVAL: the peer's R_Key */
	/* array of num_sge SGEs. It may be an array of any struct of 16 bytes with the layout {u64
	 * address, u32 length, u32 key}. The array may be reused after the call. */
	const struct rn_sge *sge;
	uint32_t num_sge;
	/* operands of CMP_SWAP and FETCH_ADD. Such a request has one SGE of 8 bytes, which gets the
	 * former value of the target. */
	struct rn_atomic atomic;
	struct rn_ud ud; /* SEND, SEND_IMM on a UD QP: destination of the datagram; else ignored */
};

/* Posts one request. The sends of a QP reach the NIC in the order of the calls, and so do its
 * receives. Keys are not checked here: a wrong key gives a completion with an error.
 * -EINVAL: a receive on a QP with an SRQ, or an atomic that is inline or does not have exactly one
 * SGE.
 * -ENOMEM: the queue is full.
 * -E2BIG: more SGEs than the QP allows.
 * -EMSGSIZE: more bytes than the QP allows (max_length, or inline_bytes with RN_WQE_INLINE).
 * -ENODEV: the port was removed.
 *
 * On a UD QP, a SEND with an invalid destination (a source address that is not the port's, or a QPN
 * of more than 24 bits) completes with RN_STATUS_LOC_QP_OP_ERR, and the QP enters SQE. A datagram
 * longer than the port's path MTU is not sent and completes with success. The SGEs of a receive
 * must have room for RN_UD_GRH_BYTES and the payload. A datagram that arrives is dropped if no
 * receive is posted, or if it does not fit into the receive; that receive stays posted. */
int rn_client_qp_post(struct rn_client_qp *qp, const struct rn_client_wr *wr);

/* Attaches a UD QP to a multicast group. The QP then receives all datagrams to the group, also
 * those that this adapter sends. Attaching twice has no further effect. No IGMP or MLD report is
 * sent: a switch that forwards only to reported members must be configured by other means. -EINVAL:
 * not a UD QP, or not a group address; -ENOSPC: the adapter has 64 groups already, or the group has
 * 128 members on the QP's shard. */
int rn_client_qp_attach(struct rn_client_qp *qp, const struct rn_gid *group);
/* Detaches the QP from a multicast group. -ENOENT: the QP is not attached to the group. Destroying
 * a QP detaches it from all groups. */
int rn_client_qp_detach(struct rn_client_qp *qp, const struct rn_gid *group);

/* ---- memory windows ---- */

/* Creates a memory window that is not bound. -ENOSPC: the adapter has reached its limit of regions
 * and windows. */
int rn_client_mw_create(struct rn_client *client, uint32_t pd, struct rn_client_mw **mw);
/* Invalidates the R_Key and destroys the window. If bind or invalidate requests of the window still
 * wait in a send queue, they will complete with success but change nothing. The region may be
 * deregistered before the window is destroyed. */
int rn_client_mw_destroy(struct rn_client_mw *mw);
/* Returns the R_Key of the last bind request that was posted; 0 before the first. */
uint32_t rn_client_mw_key(const struct rn_client_mw *mw);
/* Becomes true with a successful rn_client_qp_bind(). Becomes false when the bind request has
 * failed and its completion can be read, when the invalidate request has completed and its
 * completion can be read, when a SEND_INVAL of the peer has invalidated the key, or when the queue
 * pair has ended (error, reset, destruction). */
bool rn_client_mw_bound(const struct rn_client_mw *mw);

struct rn_client_bind {
	uint64_t wr_id;
	uint16_t flags; /* enum rn_wqe_flag: SIGNALED and FENCE are allowed */
	/* address of the first byte of the range; the first byte of the region has the region's
	 * iova as its address */
	uint64_t addr;
	uint64_t length; /* in bytes; the range must lie within the region */
	/* lkey of a region of the window's PD. The region must have RN_ACCESS_MW_BIND, and
	 * RN_ACCESS_LOCAL_WRITE if `access` has remote writes or atomics. */
	uint32_t lkey;
	uint32_t access; /* enum rn_access: remote rights of the window */
};

/* Posts a request that binds the window to this queue pair with a new R_Key, which
 * rn_client_mw_key() returns after the call. The request is executed in the order of the send
 * queue; errors that the NIC finds give RN_STATUS_MW_BIND_ERR. -EBUSY: the window is bound.
 * -ENOMEM: the send queue is full. After an error nothing has changed. */
int rn_client_qp_bind(struct rn_client_qp *qp, struct rn_client_mw *mw,
		      const struct rn_client_bind *bind);
/* Posts a request that invalidates the window. If the window is not bound to this queue pair when
 * the request is executed, the request completes with RN_STATUS_MW_BIND_ERR. -ENOMEM: the send
 * queue is full. */
int rn_client_qp_invalidate(struct rn_client_qp *qp, struct rn_client_mw *mw, uint64_t wr_id,
			    uint16_t flags);

/* ---- connections: the CM manages CM ids and port numbers, but never changes queue pairs ---- */

/* A GID, and a port number in host byte order. An all-zero GID is the wildcard. */
struct rn_client_addr {
	struct rn_gid gid;
	uint16_t port;
};

/* Creates a CM id bound to a local address. Port number 0 chooses an ephemeral one and writes it to
 * *local. Any number of connecting ids and one listener may share an address and port number.
 * -EADDRNOTAVAIL: not an address of this adapter, or no ephemeral port number is left; with
 * to_listen also -EADDRINUSE: another listener has the port number. */
int rn_client_cm_bind(struct rn_client *client, struct rn_client_addr *local, bool to_listen,
		      uint64_t user, uint32_t *id);
/* As rn_client_cm_bind(), but in any port space and for queue pairs of any type. The CM id keeps
 * port space and type for listening and connecting. port_space: enum rn_port_space, 0 = TCP.
 * qp_type:
 * - 0: UD in the port spaces UDP and IPOIB, else RC.
 * - RN_QPT_UC: connections between UC queue pairs only.
 * - RN_QPT_UD: a datagram service, whose QPN and Q_Key peers find out by SIDR messages.
 *
 * For a datagram service the functions below do the following:
 * - rn_client_cm_connect() sends a SIDR_REQ with up to RN_CM_SIDR_REQ_DATA bytes and no QPN. One of
 *   three events follows: RN_EVENT_CM_RESPONSE with the service's param.qpn, param.qkey and address
 *   vector attr.av; RN_EVENT_CM_REJECTED with a SIDR status as reason; RN_EVENT_CM_UNREACHABLE.
 *   After each of them the id may connect again.
 * - rn_client_cm_accept(), to be called after RN_EVENT_CM_REQUEST, replies with param->qpn,
 *   param->qkey (0 = RN_UDP_QKEY) and up to RN_CM_SIDR_REP_DATA bytes. No event follows; the id
 *   replies to repeated requests until it is destroyed.
 * - rn_client_cm_reject() takes a SIDR status, 1..5, as reason; 0 stands for 2, "rejected".
 *
 * -EPROTONOSUPPORT: the port space is unknown or has no such queue pairs. */
int rn_client_cm_bind_service(struct rn_client *client, unsigned port_space, unsigned qp_type,
			      struct rn_client_addr *local, bool to_listen, uint64_t user,
			      uint32_t *id);
/* Listens for connection requests. backlog: maximum number of unanswered requests, 0 = no limit. */
int rn_client_cm_listen(struct rn_client *client, uint32_t id, const struct rn_client_addr *local,
			uint32_t backlog, uint64_t user);
/* Sends a REQ. One of RN_EVENT_CM_RESPONSE, _REJECTED and _UNREACHABLE follows; after _REJECTED or
 * _UNREACHABLE the id may connect again. -EISCONN: this adapter has a connection between these two
 * addresses and ports already. local may be the wildcard: then the CM uses the adapter's address
 * from which the peer is reached. */
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
/* Sends an MRA, which asks the peer for more time to answer its REQ or REP. */
int rn_client_cm_delay(struct rn_client *client, uint32_t id);
/* Destroys a CM id in any state, and sends the peer the message that this state requires (a REJ or
 * a DREQ, for instance). rn_client_wait() takes no event of the id after this call. A listener is
 * an exception: connection requests that arrived before its destruction may still be delivered as
 * RN_EVENT_CM_REQUEST; the client must reject or destroy their ids. */
int rn_client_cm_destroy(struct rn_client *client, uint32_t id);

/* ---- addresses ---- */

/* Finds the value of rn_av.dmac for packets from `local` to `peer`: the MAC of the peer, of the
 * gateway or of the multicast group. Returns 0 and the MAC in mac. Returns -EINPROGRESS if the MAC
 * is not known yet: RN_EVENT_RESOLVED with `user` follows, with the MAC in attr.av.dmac unless err
 * is set. -EHOSTUNREACH: the neighbour does not reply, or there is no route. -EAGAIN: too many
 * addresses are being resolved now. */
int rn_client_resolve(struct rn_client *client, const struct rn_gid *local,
		      const struct rn_gid *peer, uint64_t user, uint8_t mac[6]);

/* Makes the whole address vector for packets to `peer`, for rn_qp_attr.av and rn_client_wr.ud, with
 * the port's hop limit, traffic class and VLAN. If local is all zero, it stands for the port's
 * address from which the peer is reached.
 *
 * Returns 0 and stores the result in *av. Returns -EINPROGRESS if the MAC is not known yet:
 * RN_EVENT_RESOLVED with `user` follows, with the result in attr.av unless err is set. For the
 * port's own addresses (loopback) and for multicast groups (RFC 1112, RFC 2464) the MAC is always
 * known. -EHOSTUNREACH and -EAGAIN: as for rn_client_resolve(). -EADDRNOTAVAIL: local is not an
 * address of the port. -EAFNOSUPPORT: local is of another address family than peer, or local is all
 * zero and the port has no address of the peer's family or no route to the peer. */
int rn_client_av_resolve(struct rn_client *client, const struct rn_gid *local,
			 const struct rn_gid *peer, uint64_t user, struct rn_av *av);

/* Converts a socket address to a GID and a port number. -EAFNOSUPPORT: neither IPv4 nor IPv6;
 * -EINVAL: len is too small for the family. len may be larger than needed. */
int rn_client_addr_from_sockaddr(struct rn_client_addr *addr, const struct sockaddr *sa,
				 size_t len);
/* Converts a GID and a port number to a socket address. Returns the number of bytes written: 16 for
 * an IPv4-mapped GID, else 28. */
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
