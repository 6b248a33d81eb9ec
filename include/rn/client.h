/* softrnic: the API for front ends. A front end (NetworkDirect today, verbs later) translates its
 * own calls into these and holds no protocol of its own.
 *
 * Objects are made and destroyed by the caller; destroy children before parents. Unless a line says
 * otherwise a function may be called from any thread, returns 0 or a negative errno, and -ENODEV
 * means that the port is gone. Nothing here moves a queue pair by itself: the front end does, on
 * the CM's events. No function is a cancellation point, rn_client_wait() included: a thread that is
 * cancelled (pthread_cancel, deferred) finishes the call it is in. While an adapter is open SIGSEGV
 * and SIGBUS have a handler of ours: one that is installed later passes on what is not its own. In a
 * forked child of a process that has opened an adapter commands, opening and listing answer -ENODEV;
 * nothing else may be called there.
 */
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

/* As rn_link_list() and rn_link_open(). -ENOMEM too. */
int rn_client_list(const char *path, struct rn_link_info *info, unsigned n, char *err,
		   size_t errlen);
int rn_client_open(const char *path, unsigned index, struct rn_client **client, char *err,
		   size_t errlen);
void rn_client_close(struct rn_client *client);
/* On a link that somebody else opened and will close. NULL: no memory. */
struct rn_client *rn_client_attach(struct rn_link *link);

/* As it was at opening; link_up is not kept current. Valid until close. */
const struct rn_link_info *rn_client_info(const struct rn_client *client);
void rn_client_stats(struct rn_client *client,
		     void (*fn)(void *arg, const char *name, uint64_t value), void *arg);

/* Takes up to n events, waiting at most timeout_ms (-1: until one comes or rn_client_interrupt).
 * One thread. */
unsigned rn_client_wait(struct rn_client *client, struct rn_event *ev, unsigned n, int timeout_ms);
void rn_client_interrupt(struct rn_client *client);
/* Lets an inline NIC make a turn; for loops that wait without polling a CQ. */
void rn_client_progress(struct rn_client *client);
/* The port is gone: from the first -ENODEV on, and before RN_EVENT_PORT_GONE. */
bool rn_client_gone(const struct rn_client *client);

/* ---- protection domains and regions ---- */

int rn_client_pd_create(struct rn_client *client, uint32_t *pd);
int rn_client_pd_destroy(struct rn_client *client, uint32_t pd);

/* access: enum rn_access. iova is the address that names the first byte in requests; usually that
 * of the memory. */
int rn_client_mr_register(struct rn_client *client, uint32_t pd, void *addr, uint64_t length,
			  uint64_t iova, uint32_t access, uint32_t *lkey, uint32_t *rkey);
/* On return the NIC touches the memory no more. */
int rn_client_mr_deregister(struct rn_client *client, uint32_t lkey);

/* ---- completion queues ---- */

/* `user` comes back in RN_EVENT_CQ and RN_EVENT_CQ_OVERRUN. affinity: wish, mask of CPUs, 0 = none.
 */
int rn_client_cq_create(struct rn_client *client, uint32_t depth, uint64_t affinity, uint64_t user,
			struct rn_client_cq **cq);
/* No queue pair uses it any more. Unread completions are lost. */
int rn_client_cq_destroy(struct rn_client_cq *cq);
uint32_t rn_client_cq_id(const struct rn_client_cq *cq);
/* Depth as at creation, larger or smaller, while the queue is in use; its queue pairs keep the room
 * they need. Takes the lock below for a moment. -EMSGSIZE: more completions are unread than that;
 * -EINVAL: 0 or over the limit; -EOPNOTSUPP: the adapter cannot; -ENOMEM. Failed: as before. */
int rn_client_cq_resize(struct rn_client_cq *cq, uint32_t depth);

/* The CQ's own lock. The four functions below want it held; none of them blocks while it is. */
void rn_client_cq_lock(struct rn_client_cq *cq);
void rn_client_cq_unlock(struct rn_client_cq *cq);

/* Takes up to n completions, in order per QP and direction. *fired: one of them met the armed
 * condition, which is disarmed now: notify whoever waits. */
unsigned rn_client_cq_poll(struct rn_client_cq *cq, struct rn_cqe *cqe, unsigned n, bool *fired);
/* Arms, or widens what is armed. True: a completion that came after the last firing and is still
 * unread meets the condition; the CQ has fired and is disarmed. Each completion is the cause of one
 * firing at most. */
bool rn_client_cq_arm(struct rn_client_cq *cq, enum rn_cq_arm what);
/* To be called on RN_EVENT_CQ. True: fired, as above; false: too late or too early, still armed as
 * it was. */
bool rn_client_cq_fired(struct rn_client_cq *cq);
/* Disarms without firing. */
void rn_client_cq_disarm(struct rn_client_cq *cq);

/* ---- shared receive queues: any number of queue pairs takes its receives from one ---- */

struct rn_client_srq_init {
	uint32_t pd;	     /* whose regions the receives name */
	uint32_t depth;	     /* receives posted and not taken; kept to exactly; 1.. */
	uint32_t max_sge;    /* per receive, 0..RN_WQE_MAX_SGE */
	uint32_t max_length; /* bytes per receive; 0 = what the adapter sends */
	uint64_t user;	     /* returned in RN_EVENT_SRQ_LIMIT */
};

/* -EINVAL: a limit is over the adapter's. */
int rn_client_srq_create(struct rn_client *client, const struct rn_client_srq_init *init,
			 struct rn_client_srq **srq);
/* Nobody posts any more; receives not taken are forgotten. -EBUSY: a queue pair uses it. */
int rn_client_srq_destroy(struct rn_client_srq *srq);
uint32_t rn_client_srq_id(const struct rn_client_srq *srq);

/* Another depth. Who posts waits meanwhile. -EOVERFLOW: more receives than that are in the queue;
 * -EINVAL: 0 or over the adapter's limit. After an error it is as it was. */
int rn_client_srq_resize(struct rn_client_srq *srq, uint32_t depth);

/* Posts one receive; kind, flags and what concerns the peer are ignored. It is there for any
 * message on return. -ENOMEM: as many as the depth are posted and not taken; -E2BIG, -EMSGSIZE and
 * -ENODEV as for queue pairs. */
int rn_client_srq_post(struct rn_client_srq *srq, const struct rn_client_wr *wr);
/* Receives posted and not taken. */
uint32_t rn_client_srq_level(const struct rn_client_srq *srq);

/* The three below are made one at a time, the caller sees to that.
 *
 * Asks to be told when fewer than `limit` receives are left, 0 = no more; in place of what was
 * armed before. True: it is so now, or became so for what was armed before; nothing is armed then.
 */
bool rn_client_srq_arm(struct rn_client_srq *srq, uint32_t limit);
/* To be called on RN_EVENT_SRQ_LIMIT, or at any time. True: fewer than the limit were left at some
 * moment since arming; nothing is armed any more. False: too late or too early. */
bool rn_client_srq_fired(struct rn_client_srq *srq);
void rn_client_srq_disarm(struct rn_client_srq *srq);

/* ---- queue pairs ---- */

struct rn_client_qp_init {
	uint32_t pd;
	enum rn_qp_type type;
	struct rn_client_cq *send_cq, *recv_cq;
	struct rn_client_srq *srq;   /* NULL: receives of its own; else rq_depth is 0 */
	uint32_t sq_depth, rq_depth; /* requests; kept to exactly */
	uint32_t sq_sge, rq_sge;     /* per request, 1..RN_WQE_MAX_SGE */
	uint32_t inline_bytes;	     /* per request, 0..RN_WQE_MAX_INLINE */
	uint32_t max_length;	     /* bytes per request; 0 = what the adapter sends */
	uint64_t qp_ctx;	     /* returned in completions */
	uint64_t affinity;
	uint64_t user; /* returned in events */
};

/* In RESET. -EINVAL: a limit is over the adapter's. */
int rn_client_qp_create(struct rn_client *client, const struct rn_client_qp_init *init,
			struct rn_client_qp **qp);
/* Moves it, or sets attributes in the state it is in (mask without RN_QP_STATE). mask: enum
 * rn_qp_mask. Which moves there are, and what must and may be given with each, is the table of
 * ibv_modify_qp per type, docs/qp-states.md: RC and UC take addresses, QPN and PSNs here, UD a
 * Q_Key. -EINVAL, with nothing changed: no such move, an attribute missing, one given that does
 * not belong, or a value out of range (PSNs and QPNs have 24 bits; a path MTU above the port's; a
 * source address that is not the port's). To RESET: both queues are empty, without completions.
 * To ERR: both are flushed. To SQD: messages that were started go on, no other is;
 * RN_EVENT_SQ_DRAINED follows if sqd_notify asked for it. */
int rn_client_qp_modify(struct rn_client_qp *qp, const struct rn_qp_attr *attr, uint32_t mask);
int rn_client_qp_query(struct rn_client_qp *qp, struct rn_qp_attr *attr);
/* Nobody posts any more. Completions already in the CQs stay there. */
int rn_client_qp_destroy(struct rn_client_qp *qp);
uint32_t rn_client_qp_number(const struct rn_client_qp *qp);
enum rn_qp_state rn_client_qp_state(const struct rn_client_qp *qp);
/* Requests posted and not yet completed by the NIC, both queues; none of an SRQ. */
uint32_t rn_client_qp_outstanding(const struct rn_client_qp *qp);
/* Waits until nothing is outstanding, at most timeout_ms: after a move to ERR every request has its
 * completion then. 0 or -ETIMEDOUT. */
int rn_client_qp_drain(struct rn_client_qp *qp, unsigned timeout_ms);

/* One request as front ends see it: the buffer list apart from the head. */
struct rn_client_wr {
	uint8_t kind;	/* enum rn_wqe_kind */
	uint16_t flags; /* enum rn_wqe_flag */
	uint64_t wr_id;
	uint64_t remote_va;
	uint32_t rkey;
	uint32_t imm; /* SEND_IMM, WRITE_IMM: 4 opaque bytes; SEND_INVAL: the peer's R_Key */
	/* May be any 16-byte {address, u32 length, u32 key}; read before return. */
	const struct rn_sge *sge;
	uint32_t num_sge;
	struct rn_atomic atomic; /* CMP_SWAP, FETCH_ADD: one SGE of 8 bytes takes the former value */
	struct rn_ud ud; /* SEND, SEND_IMM on a UD QP: where this datagram goes, copied; else not looked at */
};

/* Posts one request; those of one QP and direction reach the NIC in the order of the calls.
  * -EINVAL: a receive, and the QP has an SRQ; an atomic without exactly one SGE, or inline. -ENOMEM: as many as the depth are outstanding. -E2BIG:
 * more SGEs than the QP takes. -EMSGSIZE: longer than the adapter sends, or than the QP's inline
 * size. -ENODEV. Keys are not looked at. */
int rn_client_qp_post(struct rn_client_qp *qp, const struct rn_client_wr *wr);

/* Datagrams (UD): a request that goes nowhere valid, from an address that is not the port's or to a
 * QPN beyond 24 bits, completes with RN_STATUS_LOC_QP_OP_ERR and the QP enters SQE. One longer than
 * the port's path MTU is sent nowhere and succeeds. Receives need RN_UD_GRH_BYTES more than the
 * payload; what does not fit, or finds none, is dropped and the receive stays.
 *
 * Has a UD QP receive what is sent to a multicast group, from whomever, also from this adapter. A
 * member twice is a member once. No report (IGMP, MLD) is sent: a switch that forwards to reported
 * members only must be told by other means. -EINVAL: no UD QP, or no group address; -ENOSPC: the
 * adapter has 64 groups, or the group 128 members on the QP's shard. */
int rn_client_qp_attach(struct rn_client_qp *qp, const struct rn_gid *group);
/* -ENOENT: it is no member. QPs leave their groups when they are destroyed. */
int rn_client_qp_detach(struct rn_client_qp *qp, const struct rn_gid *group);

/* ---- memory windows ---- */

/* Not bound to anything. -ENOSPC: as many regions and windows as the adapter has. */
int rn_client_mw_create(struct rn_client *client, uint32_t pd, struct rn_client_mw **mw);
/* What it is bound with is worth nothing from now on; requests that name it and are still queued
 * succeed without effect. No region needs to be there any more. */
int rn_client_mw_destroy(struct rn_client_mw *mw);
/* The R_Key of the last binding accepted; 0 before the first. */
uint32_t rn_client_mw_key(const struct rn_client_mw *mw);
/* Bound: since a rn_client_qp_bind() succeeded, until the completion of its invalidation, or of
 * the binding if that failed, could be read, the peer's SEND_INVAL named its key, or the queue pair
 * ended (error, reset, destruction). */
bool rn_client_mw_bound(const struct rn_client_mw *mw);

struct rn_client_bind {
	uint64_t wr_id;
	uint16_t flags;	 /* enum rn_wqe_flag: SIGNALED, FENCE */
	uint64_t addr;	 /* the first byte, as the region's iova counts */
	uint64_t length; /* bytes; within the region */
	uint32_t lkey;	 /* the region's: same PD, RN_ACCESS_MW_BIND; for writing also LOCAL_WRITE */
	uint32_t access; /* enum rn_access: remote rights */
};

/* Posts a request that gives the window to the peer of this queue pair, with a new key that
 * rn_client_mw_key() tells on return. It takes effect in the order of the send queue; what the NIC
 * finds wrong ends in RN_STATUS_MW_BIND_ERR. -EBUSY: bound. -ENOMEM: as rn_client_qp_post(). Neither
 * leaves a trace. */
int rn_client_qp_bind(struct rn_client_qp *qp, struct rn_client_mw *mw,
		      const struct rn_client_bind *bind);
/* Posts a request that takes it back. Not bound on this queue pair when its turn comes:
 * RN_STATUS_MW_BIND_ERR. -ENOMEM as above. */
int rn_client_qp_invalidate(struct rn_client_qp *qp, struct rn_client_mw *mw, uint64_t wr_id,
			    uint16_t flags);

/* ---- connections: the CM owns ids and ports, never queue pairs ---- */

/* A GID and a port, host order. An all-zero GID is the wildcard. */
struct rn_client_addr {
	struct rn_gid gid;
	uint16_t port;
};

/* Makes an id at a local address; port 0: an ephemeral one, written back. Ports are shared by
 * connectors and one listener. -EADDRNOTAVAIL: not our address, or no ephemeral port left; with
 * to_listen also -EADDRINUSE: another listener has it. */
int rn_client_cm_bind(struct rn_client *client, struct rn_client_addr *local, bool to_listen,
		      uint64_t user, uint32_t *id);
/* The same for a service in another port space, or on other queue pairs than RC: both stay the id's,
 * what it listens to and asks for. qp_type RN_QPT_UC: connections between UC queue pairs alone.
 * RN_QPT_UD: a datagram service; the calls below then ask and answer where it is:
 *   _connect    data up to RN_CM_RESOLVE_DATA, no QPN. RN_EVENT_CM_RESPONSE tells param.qpn and
 *               param.qkey, attr.av leads there; _REJECTED: reason is a SIDR status; _UNREACHABLE.
 *               After each of them the id may ask again.
 *   _accept     after CM_REQUEST: answers param->qpn and ->qkey (0 = RN_UDP_QKEY), data up to
 *               RN_CM_ANSWER_DATA. No event follows; the id answers repetitions until it is
 *               destroyed.
 *   _reject     reason: SIDR status 1..5, 0 = 2, "rejected".
 * port_space: enum rn_port_space, 0 = TCP. qp_type 0: UD in UDP and IPOIB, else RC. -EPROTONOSUPPORT:
 * the port space is unknown or has no such queue pairs. */
int rn_client_cm_bind_service(struct rn_client *client, unsigned port_space, unsigned qp_type,
			      struct rn_client_addr *local, bool to_listen, uint64_t user,
			      uint32_t *id);
/* backlog: requests held unanswered, 0 = no limit. */
int rn_client_cm_listen(struct rn_client *client, uint32_t id, const struct rn_client_addr *local,
			uint32_t backlog, uint64_t user);
/* Sends a REQ. Answers: RN_EVENT_CM_RESPONSE, _REJECTED or _UNREACHABLE; after the latter two the
 * id may connect again. -EISCONN: the same two ends are connected from here already. local may be
 * the wildcard: the port's own address for that peer is taken. */
int rn_client_cm_connect(struct rn_client *client, uint32_t id, const struct rn_client_addr *local,
			 const struct rn_client_addr *peer, const struct rn_cm_param *param,
			 uint64_t user);
/* After CM_RESPONSE, with the QP in RTS: sends RTU. */
int rn_client_cm_establish(struct rn_client *client, uint32_t id);
/* After CM_REQUEST, with the QP in RTS: sends REP. Then RN_EVENT_CM_ESTABLISHED, _REJECTED or
 * _UNREACHABLE. */
int rn_client_cm_accept(struct rn_client *client, uint32_t id, const struct rn_cm_param *param,
			uint64_t user);
/* Refuses a request or a response. reason 0 = 28, "consumer". */
int rn_client_cm_reject(struct rn_client *client, uint32_t id, uint16_t reason, const void *data,
			uint16_t len);
int rn_client_cm_disconnect(struct rn_client *client, uint32_t id);
/* Tells the peer to be patient with the answer to its REQ or REP. */
int rn_client_cm_delay(struct rn_client *client, uint32_t id);
/* In any state; the peer is told what the state calls for. No event of this id comes from now on,
 * apart from those taken already. A listener's: requests on their way to the client may still come
 * as RN_EVENT_CM_REQUEST, and are the client's to refuse or destroy. */
int rn_client_cm_destroy(struct rn_client *client, uint32_t id);

/* ---- addresses ---- */

/* The MAC to put into rn_av.dmac for packets from `local` to `peer`: of the peer, its gateway or its
 * group. 0: in mac. -EINPROGRESS: asked for; RN_EVENT_RESOLVED with `user` says more, its
 * attr.av.dmac is the MAC unless err. -EHOSTUNREACH: nobody answers, or no way there. -EAGAIN: too
 * many are being asked for. */
int rn_client_resolve(struct rn_client *client, const struct rn_gid *local,
		      const struct rn_gid *peer, uint64_t user, uint8_t mac[6]);

/* The whole address vector for packets to `peer`, to be used in rn_qp_attr.av and rn_client_wr.ud:
 * hop limit, class and VLAN are the port's. local may be all zero: the port's own address for that
 * peer is taken. 0: in *av, at once for own addresses (loopback) and groups (wire rules, 1.8).
 * -EINPROGRESS: RN_EVENT_RESOLVED with `user` brings it in attr.av, unless its err says otherwise.
 * -EHOSTUNREACH and -EAGAIN as above; -EADDRNOTAVAIL: local is not the port's; -EAFNOSUPPORT: local
 * is of another family, or the port has no address of the peer's. */
int rn_client_av_resolve(struct rn_client *client, const struct rn_gid *local,
			 const struct rn_gid *peer, uint64_t user, struct rn_av *av);

/* -EAFNOSUPPORT: neither IPv4 nor IPv6; -EINVAL: len is short for the family. More bytes than
 * needed are fine. */
int rn_client_addr_from_sockaddr(struct rn_client_addr *addr, const struct sockaddr *sa,
				 size_t len);
/* Bytes written: 16 for an IPv4-mapped GID, else 28. */
size_t rn_client_addr_to_sockaddr(const struct rn_client_addr *addr, struct sockaddr_storage *sa);
/* The wildcard of either family: 0.0.0.0 travels as ::ffff:0.0.0.0. */
bool rn_client_gid_is_any(const struct rn_gid *gid);
bool rn_client_gid_is_v4(const struct rn_gid *gid);
bool rn_client_gid_equal(const struct rn_gid *a, const struct rn_gid *b);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
