/* The objects behind the interfaces: one struct each, and what they ask of one another.
 *
 * References: every object holds its adapter; a queue pair its queues; a connector and its
 * queue pair each other while they are tied. Locks, in this order: listener, connector, adapter's
 * `ties`, queue pair; region, adapter's `bindings`; a queue's is a leaf. Commands to the NIC are given with locks held: it never
 * waits for us.
 */
#ifndef ND_ND2_H
#define ND_ND2_H

#include "com.h"
#include "device.h"
#include "request.h"

/* What an adapter lets its clients have, out of what the NIC can do. */
#define ND_MAX_SGE	    16u
#define ND_MIN_SGE	    2u /* granted to everybody: clients send two on queue pairs made with one */
#define ND_MAX_INLINE	    256u
/* Measured, see docs/benchmarks.md. */
#define ND_INLINE_THRESHOLD 64u
#define ND_LARGE_THRESHOLD  65536u
#define ND_MAX_READ_LIMIT   16u
#define ND_MAX_QUEUE_DEPTH  8192u
#define ND_MAX_SRQ_DEPTH    16384u
#define ND_MAX_CQ_DEPTH	    65536u
#define ND_MAX_TRANSFER	    (1u << 30)
#define ND_MAX_CALLER_DATA  RN_CM_REQ_DATA
#define ND_MAX_CALLEE_DATA  RN_CM_REJ_DATA /* Accept could carry more, Reject not */

extern const struct nd_class nd_provider_class, nd_adapter_class, nd_cq_class, nd_mr_class,
	nd_mw_class, nd_srq_class, nd_qp_class, nd_connector_class, nd_listener_class;

/* ---- provider ---- */

/* One more client reference to the one of this library. */
void nd_provider_addref(void);
/* An adapter is gone. The count may have reached 0 before: some clients never release adapters and
 * release the provider in their stead. */
void nd_provider_drop(void);

/* ---- adapter ---- */

struct nd_adapter {
	struct nd_object obj;
	struct nd_device *dev;
	uint64_t number; /* of this instance, never used again */
	uint32_t pd;
	ND2_ADAPTER_INFO limits;
	pthread_mutex_t ties; /* which connector holds which queue pair */
	pthread_mutex_t bindings; /* which window was bound to which region */
};

HRESULT nd_adapter_open(unsigned index, REFIID iid, void **out);
/* The port is gone: every method but those that end something answers ND_DEVICE_REMOVED. Who makes a request wait looks
 * under the lock that the event takes too, or gets the answer from the NIC. */
static inline bool nd_gone(const struct nd_adapter *adapter)
{
	return rn_client_gone(adapter->dev->client);
}
/* What Query says, for a NIC with these limits. */
void nd_adapter_limits(const struct rn_link_info *, uint64_t id, ND2_ADAPTER_INFO *);

/* ---- things all objects with OVERLAPPEDs have ---- */

struct nd_async {
	struct nd_adapter *adapter;
	struct os_file *file;
	pthread_mutex_t lock;
	struct os_request_list requests;
};

/* The body of GetOverlappedResult: the block decides, the object does not matter. */
HRESULT nd_overlapped_result(OVERLAPPED *, BOOL wait);
/* The body of GetNotifyAffinity, for every object: all share the threads that tell of an event. */
HRESULT nd_notify_affinity(USHORT *group, KAFFINITY *affinity);
/* ND_INVALID_HANDLE: not an overlapped file of this adapter instance. Takes references on adapter and file. */
HRESULT nd_async_init(struct nd_async *, struct nd_adapter *, HANDLE file);
void nd_async_fini(struct nd_async *);

/* ---- completion queue ---- */

HRESULT nd_cq_create(struct nd_adapter *, REFIID iid, HANDLE file, ULONG depth, uint64_t affinity,
		     void **out);

struct nd_cq {
	struct nd_object obj;
	struct nd_async async; /* its lock is not used: the CQ's own is */
	struct rn_client_cq *cq;
	uint64_t affinity;
	HRESULT dead; /* what Notify says from now on, or ND_SUCCESS */
};

/* ---- shared receive queue ---- */

struct nd_srq {
	struct nd_object obj;
	struct nd_async async; /* its lock guards all below */
	struct rn_client_srq *srq;
	uint32_t threshold;
};

struct nd_srq_init {
	ULONG depth, max_sge, threshold;
};
HRESULT nd_srq_create(struct nd_adapter *, REFIID iid, HANDLE file, const struct nd_srq_init *,
		      void **out);

/* ---- memory region ---- */

HRESULT nd_mr_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);

/* What binding a window asks of a region; under adapter->bindings while open. */
struct nd_span {
	bool open; /* registered, and not about to be deregistered */
	uint64_t base, length;
	uint32_t access, lkey;
	struct nd_mw *windows;
};
/* The region behind an interface pointer, if it is one of this adapter instance; else NULL. */
struct nd_span *nd_mr_span(IUnknown *, const struct nd_adapter *);

/* ---- memory window ---- */

struct nd_mw;
struct nd_qp;

HRESULT nd_mw_create(struct nd_adapter *, REFIID iid, void **out);
/* The window behind an interface pointer, if it is one of this adapter instance; else NULL. */
struct nd_mw *nd_mw_known(IUnknown *, const struct nd_adapter *);
/* bind: all but its lkey. ND_ACCESS_VIOLATION: not registered, outside, or write without
 * LOCAL_WRITE. ND_INVALID_DEVICE_STATE: bound. ND_NO_MORE_ENTRIES. */
HRESULT nd_mw_bind(struct nd_mw *, struct nd_qp *, struct nd_span *, const struct rn_client_bind *bind);
HRESULT nd_mw_invalidate(struct nd_mw *, struct nd_qp *, uint64_t context, uint16_t flags);

/* For a region: registered as `what` says (but for `open` and `windows`). */
void nd_span_open(struct nd_adapter *, struct nd_span *, const struct nd_span *what);
/* No window is bound to it, and none will be. False: one is. */
bool nd_span_close(struct nd_adapter *, struct nd_span *);
/* The same without asking: windows are left with what they were bound to, and it with nobody. */
void nd_span_abandon(struct nd_adapter *, struct nd_span *);

/* ---- queue pair ---- */

enum nd_qp_phase {
	ND_QP_IDLE,   /* never connected: receives only */
	ND_QP_OPEN,   /* connected, or on the way down: all requests are taken */
	ND_QP_CLOSED, /* disconnected for good: receives only, and they are flushed */
};

struct nd_connector;

struct nd_qp {
	struct nd_object obj;
	struct nd_adapter *adapter;
	struct nd_cq *recv_cq, *send_cq;
	struct nd_srq *srq; /* or NULL */
	pthread_mutex_t lock;	  /* nic, against release */
	struct rn_client_qp *nic; /* NULL once released */
	uint32_t qpn;
	_Atomic uint32_t phase;		/* enum nd_qp_phase */
	_Atomic uint32_t max_reads;	/* outbound read limit of the connection */
	struct nd_connector *connector; /* under adapter->ties; counted */
};

struct nd_qp_init {
	struct nd_cq *recv_cq, *send_cq;
	struct nd_srq *srq; /* or NULL */
	void *context;
	ULONG rq_depth, sq_depth, rq_sge, sq_sge, inline_bytes;
};
HRESULT nd_qp_create(struct nd_adapter *, REFIID iid, const struct nd_qp_init *, void **out);
/* To RTR and RTS with the attributes the CM found. 0 or -errno. */
int nd_qp_connect(struct nd_qp *, const struct rn_qp_attr *);
/* To ERR; returns when every request has its completion (waits a moment for it at most). */
void nd_qp_flush(struct nd_qp *);
/* Starts no more requests and tells nd_connector_drained() when those in flight are done. False: that
 * will not come. */
bool nd_qp_drain(struct nd_qp *);
/* Whether it is in the error state, for whatever reason. */
bool nd_qp_failed(struct nd_qp *);
/* The connection is over: no more requests but receives. */
void nd_qp_close(struct nd_qp *);

/* ---- connector ---- */

HRESULT nd_connector_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);

struct nd_listener;

/* For a listener, under its lock. Marks an idle connector as waiting for a request there:
 * ND_CONNECTION_ACTIVE if it is not idle. */
HRESULT nd_connector_queue(struct nd_connector *, struct nd_listener *);
/* No request came: idle again. */
void nd_connector_unqueue(struct nd_connector *);
/* Gives it a request that arrived. ND_CANCELED: its client let go of it meanwhile; ND_INSUFFICIENT_RESOURCES,
 * ND_DEVICE_REMOVED: it is idle again. */
HRESULT nd_connector_take(struct nd_connector *, const struct rn_event *request);
/* For a queue pair: it failed / nothing it started is unfinished / its client released it. */
void nd_connector_transport_dead(struct nd_connector *);
void nd_connector_drained(struct nd_connector *);
void nd_connector_qp_released(struct nd_connector *);

/* ---- listener ---- */

HRESULT nd_listener_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);
/* For a connector, without its lock: its client let go of it, the request that waits with it is cancelled. */
void nd_listener_withdraw(struct nd_listener *, const struct nd_connector *);

/* ---- shared by the last two and the adapter ---- */

/* A sockaddr into addr, which must be one of the adapter's or a wildcard: ND_INVALID_ADDRESS. */
HRESULT nd_local_address(struct nd_adapter *, const struct sockaddr *, ULONG cb,
			 struct rn_client_addr *);
/* The in-out pattern of GetLocalAddress and GetPeerAddress. */
HRESULT nd_return_address(const struct rn_client_addr *, struct sockaddr *, ULONG *pcb);
/* The in-out pattern of QueryAddressList, for n GIDs; ND_BUFFER_OVERFLOW whenever list is NULL. */
HRESULT nd_return_address_list(const struct rn_gid *, unsigned n, SOCKET_ADDRESS_LIST *,
			       ULONG *pcb);

#endif
