/* The objects behind the interfaces: one struct each, and the functions they call on one another.
 *
 * References: every object holds its adapter, a queue pair its completion queues; a connector and
 * its queue pair hold each other while they are tied. Lock order: listener, connector, the
 * adapter's `ties`, queue pair; region, the adapter's `bindings`. A completion queue's lock is a
 * leaf. Commands to the NIC are given with locks held: the NIC never waits for a lock of this
 * library. */
#ifndef ND_ND2_H
#define ND_ND2_H

#include "nd2/com.h"
#include "nd2/device.h"
#include "os/request.h"

/* The limits that an adapter offers its clients; each is at most what the NIC can do. */
#define ND_MAX_SGE 16u
/* granted to every queue pair: clients post two SGEs on queue pairs created with one */
#define ND_MIN_SGE    2u
#define ND_MAX_INLINE 256u
/* Bytes; measured, see docs/benchmarks.md. */
#define ND_INLINE_THRESHOLD 64u
#define ND_LARGE_THRESHOLD  65536u
#define ND_MAX_READ_LIMIT   16u
#define ND_MAX_QUEUE_DEPTH  8192u
#define ND_MAX_SRQ_DEPTH    16384u
#define ND_MAX_CQ_DEPTH	    65536u
#define ND_MAX_TRANSFER	    (1u << 30)
#define ND_MAX_CALLER_DATA  RN_CM_REQ_DATA
#define ND_MAX_CALLEE_DATA  RN_CM_REJ_DATA /* Accept could carry more, Reject could not */

extern const struct nd_class nd_provider_class, nd_adapter_class, nd_cq_class, nd_mr_class,
	nd_mw_class, nd_srq_class, nd_qp_class, nd_connector_class, nd_listener_class;

/* ---- provider ---- */

/* Adds one client reference to the library's only provider object. */
void nd_provider_addref(void);
/* Drops the reference of an adapter that is gone. The count may be 0 already: some clients never
 * release their adapters and release the provider once more instead. */
void nd_provider_drop(void);

/* ---- adapter ---- */

struct nd_adapter {
	struct nd_object obj;
	struct nd_device *dev;
	uint64_t number; /* of this instance; never reused */
	uint32_t pd;
	ND2_ADAPTER_INFO limits;
	pthread_mutex_t ties;	  /* guards which connector holds which queue pair */
	pthread_mutex_t bindings; /* guards which window is bound to which region */
};

HRESULT nd_adapter_open(unsigned index, REFIID iid, void **out);
/* True when the port is gone: every method returns ND_DEVICE_REMOVED then, except those that end
 * something. A method that is about to make a request wait checks it under the lock that the
 * handler of RN_EVENT_PORT_GONE takes too, or relies on the NIC's -ENODEV, so no request can wait
 * for ever. */
static inline bool nd_gone(const struct nd_adapter *adapter)
{
	return rn_client_gone(adapter->dev->client);
}
/* Fills in the answer of Query for a NIC with these limits. */
void nd_adapter_limits(const struct rn_link_info *, uint64_t id, ND2_ADAPTER_INFO *);

/* ---- shared by all objects with OVERLAPPEDs ---- */

struct nd_async {
	struct nd_adapter *adapter;
	struct os_file *file;
	pthread_mutex_t lock;
	struct os_request_list requests;
};

/* The body of every GetOverlappedResult: the status is in the block, so the object does not
 * matter. */
HRESULT nd_overlapped_result(OVERLAPPED *, BOOL wait);
/* The body of every GetNotifyAffinity: all objects are notified by the same delivery thread. */
HRESULT nd_notify_affinity(USHORT *group, KAFFINITY *affinity);
/* Takes references on the adapter and the file. ND_INVALID_HANDLE: the handle is not an overlapped
 * file of this adapter instance. */
HRESULT nd_async_init(struct nd_async *, struct nd_adapter *, HANDLE file);
void nd_async_fini(struct nd_async *);

/* ---- completion queue ---- */

HRESULT nd_cq_create(struct nd_adapter *, REFIID iid, HANDLE file, ULONG depth, uint64_t affinity,
		     void **out);

struct nd_cq {
	struct nd_object obj;
	struct nd_async async; /* its lock is not used: the lock of `cq` is */
	struct rn_client_cq *cq;
	uint64_t affinity;
	HRESULT dead; /* what Notify returns since the queue failed, or ND_SUCCESS */
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

/* What binding a window needs to know of a region; under adapter->bindings while open. */
struct nd_span {
	bool open; /* registered, and no Deregister has begun */
	uint64_t base, length;
	uint32_t access, lkey;
	struct nd_mw *windows;
};
/* The region behind an interface pointer if it belongs to this adapter instance, else NULL. */
struct nd_span *nd_mr_span(IUnknown *, const struct nd_adapter *);

/* ---- memory window ---- */

struct nd_mw;
struct nd_qp;

HRESULT nd_mw_create(struct nd_adapter *, REFIID iid, void **out);
/* The window behind an interface pointer if it belongs to this adapter instance, else NULL. */
struct nd_mw *nd_mw_known(IUnknown *, const struct nd_adapter *);
/* Posts a BIND. `bind` has everything but the lkey. ND_ACCESS_VIOLATION: the region is not
 * registered, the range lies outside of it, or it is to be written without LOCAL_WRITE.
 * ND_INVALID_DEVICE_STATE: the window is bound. ND_NO_MORE_ENTRIES: the send queue is full. */
HRESULT nd_mw_bind(struct nd_mw *, struct nd_qp *, struct nd_span *,
		   const struct rn_client_bind *bind);
HRESULT nd_mw_invalidate(struct nd_mw *, struct nd_qp *, uint64_t context, uint16_t flags);

/* For a region that was registered: its windows may be bound from now on. `what` gives all but
 * `open` and `windows`. */
void nd_span_open(struct nd_adapter *, struct nd_span *, const struct nd_span *what);
/* For a region to be deregistered: refuses further bindings. False: a window is bound, and nothing
 * has changed. */
bool nd_span_close(struct nd_adapter *, struct nd_span *);
/* For a region that is released: refuses further bindings and forgets the windows bound to it.
 * The peer's access through them ends with the registration. */
void nd_span_abandon(struct nd_adapter *, struct nd_span *);

/* ---- queue pair ---- */

enum nd_qp_phase {
	ND_QP_IDLE,   /* never connected: takes receives only */
	ND_QP_OPEN,   /* connected, or disconnecting: takes all requests */
	ND_QP_CLOSED, /* disconnected for good: takes receives only, and flushes them */
};

struct nd_connector;

struct nd_qp {
	struct nd_object obj;
	struct nd_adapter *adapter;
	struct nd_cq *recv_cq, *send_cq;
	struct nd_srq *srq;	  /* or NULL */
	pthread_mutex_t lock;	  /* guards `nic` against release */
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
/* Moves the queue pair to RTR and RTS with the attributes that the CM negotiated. 0 or -errno. */
int nd_qp_connect(struct nd_qp *, const struct rn_qp_attr *);
/* Moves the queue pair to ERR and waits until every request has its completion, FLUSH_WAIT_MS at
 * most. */
void nd_qp_flush(struct nd_qp *);
/* Moves the queue pair to SQD: no further request starts, and nd_connector_drained() is called
 * when those in flight have completed. False: the transition failed, so that call will not come. */
bool nd_qp_drain(struct nd_qp *);
/* True in the error state, whatever caused it, and after release. */
bool nd_qp_failed(struct nd_qp *);
/* The connection is over: refuses all requests but receives. */
void nd_qp_close(struct nd_qp *);

/* ---- connector ---- */

HRESULT nd_connector_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);

struct nd_listener;

/* For a listener, under its lock: marks an idle connector as waiting for a request there.
 * ND_CONNECTION_ACTIVE: the connector is not idle. */
HRESULT nd_connector_queue(struct nd_connector *, struct nd_listener *);
/* For a listener: the wait ended without a request, the connector is idle again. */
void nd_connector_unqueue(struct nd_connector *);
/* For a listener: gives the connector a request that arrived. ND_CANCELED: its client released it
 * meanwhile. ND_INSUFFICIENT_RESOURCES, ND_DEVICE_REMOVED: the connector is idle again. */
HRESULT nd_connector_take(struct nd_connector *, const struct rn_event *request);
/* For a queue pair: it failed; its requests in flight have completed; its client released it. */
void nd_connector_transport_dead(struct nd_connector *);
void nd_connector_drained(struct nd_connector *);
void nd_connector_qp_released(struct nd_connector *);

/* ---- listener ---- */

HRESULT nd_listener_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);
/* For a connector, without its lock: its client released it, so the GetConnectionRequest that
 * waits with it ends with ND_CANCELED. */
void nd_listener_withdraw(struct nd_listener *, const struct nd_connector *);

/* ---- addresses, for connectors, listeners and the adapter ---- */

/* Converts a sockaddr, which must be an address of the adapter or a wildcard; else
 * ND_INVALID_ADDRESS. */
HRESULT nd_local_address(struct nd_adapter *, const struct sockaddr *, ULONG cb,
			 struct rn_client_addr *);
/* Copies an address out and sets *pcb, as GetLocalAddress and GetPeerAddress do. */
HRESULT nd_return_address(const struct rn_client_addr *, struct sockaddr *, ULONG *pcb);
/* Copies n GIDs out as an address list, as QueryAddressList does. ND_BUFFER_OVERFLOW whenever list
 * is NULL. */
HRESULT nd_return_address_list(const struct rn_gid *, unsigned n, SOCKET_ADDRESS_LIST *,
			       ULONG *pcb);

#endif
