/* The structs behind the objects that programs hold, and what the files here share. Programs see
 * the head of each struct (struct ibv_...), whose layout is that of rdma-core 44 (layout.c). */
#ifndef VERBS_PRIVATE_H
#define VERBS_PRIVATE_H

#include "os/child.h"
#include "verbs/device.h"
#include "verbs/engine.h"
#include "verbs/mailbox.h"
#include "verbs/nic.h"
#include "verbs/public.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#define VB_PORT	    1	      /* the number of the only port of a device */
#define VB_PSN_MASK 0xffffffu /* PSNs have 24 bits */

enum { VB_NOTE_ACTIVE, VB_NOTE_ERR, VB_NOTE_FATAL, VB_PORT_NOTES };

struct vb_context {
	struct verbs_context verbs; /* ends with the struct ibv_context that programs hold */
	struct vb_device *device;
	/* NULL: behind softrnicd, and nothing has needed the adapter yet; see vb_context_start() */
	struct vb_nic *_Atomic nic;
	struct vb_target target; /* gets the events of the port */
	struct vb_mailbox async; /* async_fd */
	struct vb_note note[VB_PORT_NOTES];
};

struct vb_pd {
	struct ibv_pd pd;
	uint32_t id;
	_Atomic uint32_t ahs; /* number of address handles */
};

struct vb_mr {
	struct ibv_mr mr;
	uint64_t iova;	 /* the address of the first byte in requests */
	unsigned access; /* as the program gave it */
};

struct vb_mw {
	struct ibv_mw mw; /* type 1: rkey is that of the last bind, guarded by `lock` */
	struct rn_client_mw *nic;
	pthread_mutex_t lock;
};

struct vb_channel {
	struct ibv_comp_channel channel; /* refcnt: number of CQs, guarded by box.lock */
	struct vb_mailbox box;
};

struct vb_cq {
	union { /* the layouts are the same as far as struct ibv_cq goes */
		struct ibv_cq cq;
		struct ibv_cq_ex ex;
	};
	struct rn_client_cq *nic;
	struct vb_target target;
	struct vb_note done, failed; /* for the channel; for the context's async_fd */
	_Atomic uint32_t users;	     /* number of queues of QPs */
	pthread_mutex_t reading;     /* held from start_poll() to end_poll(); guards `now` */
	struct rn_cqe now;	     /* the completion that the extended functions read */
};

/* The events of a QP, one note each: columns: event of the NIC, event of verbs. */
/* clang-format off */
#define VB_QP_EVENT_ROWS(X) \
	X(QP_FATAL,      QP_FATAL) \
	X(QP_REQ_ERR,    QP_REQ_ERR) \
	X(QP_ACCESS_ERR, QP_ACCESS_ERR) \
	X(COMM_EST,      COMM_EST) \
	X(SQ_DRAINED,    SQ_DRAINED) \
	X(QP_LAST_WQE,   QP_LAST_WQE_REACHED)
/* clang-format on */
enum {
#define X(ours, theirs) VB_QP_NOTE_##ours,
	VB_QP_EVENT_ROWS(X)
#undef X
		VB_QP_NOTES
};

struct vb_srq {
	struct ibv_srq srq; /* srq.mutex serialises ibv_modify_srq() and ibv_query_srq() */
	struct rn_client_srq *nic;
	struct vb_target target;
	struct vb_note low;	/* IBV_EVENT_SRQ_LIMIT_REACHED */
	_Atomic uint32_t users; /* number of QPs */
	uint32_t max_wr, max_sge;
	pthread_mutex_t lock; /* guards `limit` and the limit event of `nic` */
	uint32_t limit;	      /* the armed limit; 0: none */
};

struct vb_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex ex;
	};
	struct rn_client_qp *nic;
	uint32_t send_flags;	 /* enum rn_wqe_flag that each send request gets */
	struct vb_group *groups; /* joined by a UD QP (multicast.c); guarded by qp.mutex */
	struct vb_target target;
	struct vb_note note[VB_QP_NOTES];
	/* What programs have set, for ibv_query_qp(). Guarded by qp.mutex, as ibv_modify_qp(). */
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;
	struct vb_draft *draft; /* see post_ex.c; NULL: created without the extended post calls */
};

static inline struct vb_context *vb_context_of(struct ibv_context *context)
{
	return (struct vb_context *)((char *)context - offsetof(struct verbs_context, context));
}

static inline struct ibv_context *vb_public(struct vb_context *context)
{
	return &context->verbs.context;
}

/* What the context's adapter is like. Does not start it. */
static inline const struct rn_link_info *vb_info_of(struct ibv_context *context)
{
	const struct vb_context *c = vb_context_of(context);
	const struct vb_nic *nic = atomic_load(&c->nic);

	return nic != NULL ? &nic->info : &c->device->info;
}

/* The next two are for objects, which exist only while the adapter runs. */
static inline struct vb_nic *vb_nic_of(struct ibv_context *context)
{
	return atomic_load_explicit(&vb_context_of(context)->nic, memory_order_relaxed);
}

static inline struct rn_client *vb_client_of(struct ibv_context *context)
{
	return vb_nic_of(context)->client;
}

/* Returns the errno of a call that makes, changes or destroys an object, as the kernel would give
 * it: positive, ENOMEM instead of a full table, EIO once the device is gone. */
static inline int vb_errno(int negative_errno)
{
	return negative_errno == -ENOSPC   ? ENOMEM
	       : negative_errno == -ENODEV ? EIO
					   : -negative_errno;
}

/* Sets errno and returns NULL, for functions that create objects. */
static inline void *vb_fail(int number)
{
	errno = number;
	return NULL;
}

/* Makes the address vector for packets to attr->grh.dgid; waits for the neighbour's reply. Returns
 * 0 or an errno: EINVAL for what is not valid on RoCE, or as vb_nic_resolve(). */
int vb_ah_resolve(struct vb_nic *nic, const struct ibv_ah_attr *attr, struct rn_av *av);
/* Makes the destination of a datagram that `qp` sends. Returns false for an address handle that is
 * NULL or of another PD. Called on the packet path. */
bool vb_ud_of(const struct vb_qp *qp, const struct ibv_ah *ah, uint32_t qpn, uint32_t qkey,
	      struct rn_ud *ud);

/* Starts the adapter of a context if nothing has needed it so far. Called by what makes the first
 * objects: PDs and CQs. Returns 0 or an errno. */
int vb_context_start(struct ibv_context *context);

/* See device.c. */
void vb_device_starting(bool yes);
/* For the end of the process. vb_ucma_forget(): the adapter is about to be closed, and the ids of
 * rdma_cm must not use it any more; returns false if that cannot be achieved. See ucma/id.c. */
void vb_ucma_end(void);
bool vb_ucma_forget(const struct vb_nic *nic);

/* Functions of other files that contexts offer as operations. */
int vb_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		       struct ibv_device_attr_ex *attr, size_t size);
struct ibv_qp *vb_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init);
int vb_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		  size_t size);
struct ibv_cq_ex *vb_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init);
int vb_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int vb_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int vb_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int vb_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int vb_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
struct ibv_srq *vb_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *init);
int vb_get_srq_num(struct ibv_srq *srq, uint32_t *number);

struct ibv_mw *vb_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int vb_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
int vb_dealloc_mw(struct ibv_mw *mw);

/* Translates a request to bind a window of type 2 to the QP, under the key `rkey`. Fills all
 * members of *to but wr_id and flags. *bind becomes part of *to: it must stay until *to is posted.
 * Returns 0 or the errno with which the request is refused. */
int vb_bind_request(const struct vb_qp *qp, struct ibv_mw *mw, uint32_t rkey,
		    const struct ibv_mw_bind_info *info, struct rn_client_wr *to,
		    struct rn_client_wr_bind *bind);

/* Gives a QP, whose init is set, the extended post calls for `ops` (enum
 * ibv_qp_create_send_ops_flags). Returns 0 or an errno; EOPNOTSUPP: the type of QP has not all of
 * these operations. */
int vb_draft_create(struct vb_qp *qp, uint64_t ops);
void vb_draft_destroy(struct vb_qp *qp);

/* Makes the calls of cq_read.c available through the pointers of an extended CQ. */
void vb_cq_offer_reading(struct vb_cq *cq, uint64_t wc_flags);
/* Posts the event of a CQ that has fired to its channel, if there is one. The caller holds the
 * lock of the CQ. */
void vb_cq_post_event(struct vb_cq *cq);
enum ibv_wc_opcode vb_wc_opcode(const struct rn_cqe *cqe);
unsigned vb_wc_flags(const struct rn_cqe *cqe);
/* Returns the member `sl` of a completion. Ethernet has no service levels. Cards of Mellanox report
 * in the lower 3 bits which IP header a datagram had, 2 for IPv4 and 1 for IPv6, and UCX (ud_verbs)
 * drops datagrams for which these bits are wrong: softrnic reports the same. */
uint8_t vb_wc_sl(const struct rn_cqe *cqe);

#endif
