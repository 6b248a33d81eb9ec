/* The objects behind the ND2 interfaces: one struct for each, and the functions that one kind of
 * object calls on another.
 *
 * Every object holds a reference on its adapter. A queue pair also holds references on its
 * completion queues. A connector and its queue pair hold references on each other while they are
 * tied. There are two lock orders. The first is: listener, connector, the adapter's `ties`, queue
 * pair. The second is: region, the adapter's `bindings`. A completion queue's lock is a leaf lock.
 * Commands to the NIC may be run with any of these locks held, since the NIC never waits for a lock
 * of this library. */
#ifndef ND_ND2_H
#define ND_ND2_H

#include "nd2/com.h"
#include "nd2/device.h"
#include "os/request.h"

/* The limits that an adapter offers its clients; the NIC may lower them further. */
#define ND_MAX_SGE 16u
/* every queue pair accepts at least this many SGEs per request, since some clients create a queue
 * pair for one SGE and then post two */
#define ND_MIN_SGE    2u
#define ND_MAX_INLINE 256u
/* Thresholds in bytes, chosen by measurement: docs/benchmarks.md. */
#define ND_INLINE_THRESHOLD 64u
#define ND_LARGE_THRESHOLD  65536u
#define ND_MAX_READ_LIMIT   16u
#define ND_MAX_QUEUE_DEPTH  8192u
#define ND_MAX_SRQ_DEPTH    16384u
#define ND_MAX_CQ_DEPTH	    65536u
#define ND_MAX_TRANSFER	    (1u << 30)
#define ND_MAX_CALLER_DATA  RN_CM_REQ_DATA
#define ND_MAX_CALLEE_DATA  RN_CM_REJ_DATA /* Accept and Reject; a REJ holds less than a REP */

extern const struct nd_class nd_provider_class, nd_adapter_class, nd_cq_class, nd_mr_class,
	nd_mw_class, nd_srq_class, nd_qp_class, nd_connector_class, nd_listener_class;

/* ---- provider ---- */

/* Adds one client reference to the library's only provider object. */
void nd_provider_addref(void);
/* Drops the reference that a destroyed adapter held on the provider. The provider's count may be 0
 * already: some clients never release an adapter, but release the provider more often than they
 * should. */
void nd_provider_drop(void);

/* ---- adapter ---- */

struct nd_adapter {
	struct nd_object obj;
	struct nd_device *dev;
	uint64_t number; /* number of this IND2Adapter instance; never reused */
	uint32_t pd;
	ND2_ADAPTER_INFO limits;
	pthread_mutex_t ties;	  /* guards which connector holds which queue pair */
	pthread_mutex_t bindings; /* guards which window is bound to which region */
};

HRESULT nd_adapter_open(unsigned index, REFIID iid, void **out);
/* True when the adapter's network port is gone. Then every method returns ND_DEVICE_REMOVED, except
 * those that end something (Release, Deregister, Flush, CancelOverlappedRequests). A method that
 * puts a request on a list must not miss the port's end, or the request would wait for ever. Such a
 * method either calls nd_gone() under the lock that the handler of RN_EVENT_PORT_GONE takes too, or
 * runs a command for which the NIC returns -ENODEV. */
static inline bool nd_gone(const struct nd_adapter *adapter)
{
	return rn_client_gone(adapter->dev->client);
}
/* Fills in the ND2_ADAPTER_INFO that Query returns for a NIC with these limits. */
void nd_adapter_limits(const struct rn_link_info *, uint64_t id, ND2_ADAPTER_INFO *);

/* ---- shared by all objects with OVERLAPPEDs ---- */

struct nd_async {
	struct nd_adapter *adapter;
	struct os_file *file;
	pthread_mutex_t lock;
	struct os_request_list requests;
};

/* The body of every object's GetOverlappedResult. It does not need the object, since the status is
 * in the OVERLAPPED. */
HRESULT nd_overlapped_result(OVERLAPPED *, BOOL wait);
/* The body of every queue's GetNotifyAffinity. All queues have the same affinity, since one
 * delivery thread publishes the notifications of all objects. */
HRESULT nd_notify_affinity(USHORT *group, KAFFINITY *affinity);
/* Initializes the struct and takes references on the adapter and the file. ND_INVALID_HANDLE: the
 * handle is not an overlapped file of this adapter instance. */
HRESULT nd_async_init(struct nd_async *, struct nd_adapter *, HANDLE file);
void nd_async_fini(struct nd_async *);

/* ---- completion queue ---- */

HRESULT nd_cq_create(struct nd_adapter *, REFIID iid, HANDLE file, ULONG depth, uint64_t affinity,
		     void **out);

struct nd_cq {
	struct nd_object obj;
	struct nd_async async; /* guarded by rn_client_cq_lock(cq) and not by async.lock */
	struct rn_client_cq *cq;
	uint64_t affinity;
	/* the status that Notify returns once the queue has failed; else ND_SUCCESS */
	HRESULT dead;
};

/* ---- shared receive queue ---- */

struct nd_srq {
	struct nd_object obj;
	struct nd_async async; /* async.lock guards the fields below */
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

/* The properties of a memory region that are checked when a window is to be bound to it. Guarded by
 * adapter->bindings while `open` is set. */
struct nd_span {
	bool open; /* the region is registered, and no Deregister has begun */
	uint64_t base, length;
	uint32_t access, lkey;
	struct nd_mw *windows;
};
/* Returns the properties of the region behind an interface pointer. NULL: the pointer is not that
 * of a region of this adapter instance. */
struct nd_span *nd_mr_span(IUnknown *, const struct nd_adapter *);

/* ---- memory window ---- */

struct nd_mw;
struct nd_qp;

HRESULT nd_mw_create(struct nd_adapter *, REFIID iid, void **out);
/* Returns the memory window behind an interface pointer. NULL: the pointer is not that of a window
 * of this adapter instance. */
struct nd_mw *nd_mw_known(IUnknown *, const struct nd_adapter *);
/* Posts a request that binds a window. In `bind`, all values but the lkey are set.
 * ND_ACCESS_VIOLATION: the region is not registered, the range lies outside the region, or
 * REMOTE_WRITE is requested and the region lacks LOCAL_WRITE. ND_INVALID_DEVICE_STATE: the window
 * is bound. ND_NO_MORE_ENTRIES: the send queue is full. */
HRESULT nd_mw_bind(struct nd_mw *, struct nd_qp *, struct nd_span *,
		   const struct rn_client_bind *bind);
HRESULT nd_mw_invalidate(struct nd_mw *, struct nd_qp *, uint64_t context, uint16_t flags);

/* To be called when a region was registered: windows may be bound to it from now on. In `what`, all
 * values but `open` and `windows` are set. */
void nd_span_open(struct nd_adapter *, struct nd_span *, const struct nd_span *what);
/* To be called before a region is deregistered: refuses further bindings. False: a window is bound
 * to the region, and nothing has changed. */
bool nd_span_close(struct nd_adapter *, struct nd_span *);
/* To be called when a region is released: refuses further bindings and empties the region's list of
 * windows. The peer's access through these windows ends with the registration. */
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
	struct nd_srq *srq;	  /* NULL: the queue pair has its own receive queue */
	pthread_mutex_t lock;	  /* guards `nic`, which Release destroys */
	struct rn_client_qp *nic; /* NULL after Release */
	uint32_t qpn;
	_Atomic uint32_t phase;		/* enum nd_qp_phase */
	_Atomic uint32_t max_reads;	/* outbound read limit of the connection */
	struct nd_connector *connector; /* counted reference; guarded by adapter->ties */
};

struct nd_qp_init {
	struct nd_cq *recv_cq, *send_cq;
	struct nd_srq *srq; /* NULL: the queue pair has its own receive queue */
	void *context;
	ULONG rq_depth, sq_depth, rq_sge, sq_sge, inline_bytes;
};
HRESULT nd_qp_create(struct nd_adapter *, REFIID iid, const struct nd_qp_init *, void **out);
/* Moves the queue pair to RTR and RTS with the attributes that the CM negotiated. Returns 0 or
 * -errno. */
int nd_qp_connect(struct nd_qp *, const struct rn_qp_attr *);
/* Moves the queue pair to ERR and waits, at most FLUSH_WAIT_MS, until every request has its
 * completion. */
void nd_qp_flush(struct nd_qp *);
/* Moves the queue pair to SQD: no further request starts, and nd_connector_drained() is called when
 * the requests in flight have completed. False: the transition failed, and nd_connector_drained()
 * will not be called. */
bool nd_qp_drain(struct nd_qp *);
/* True if the queue pair is in the error state, whatever the cause, or was released. */
bool nd_qp_failed(struct nd_qp *);
/* To be called when the connection has ended: from now on the queue pair refuses all requests
 * except Receive. */
void nd_qp_close(struct nd_qp *);

/* ---- connector ---- */

HRESULT nd_connector_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);

struct nd_listener;

/* Called by a listener under its lock: marks an idle connector as waiting for a connection request
 * of this listener. ND_CONNECTION_ACTIVE: the connector is not idle. */
HRESULT nd_connector_queue(struct nd_connector *, struct nd_listener *);
/* Called by a listener when the wait has ended without a connection request: the connector is idle
 * again. */
void nd_connector_unqueue(struct nd_connector *);
/* Called by a listener: gives the connector a connection request that has arrived. ND_CANCELED: the
 * client has released the connector meanwhile. ND_INSUFFICIENT_RESOURCES, ND_DEVICE_REMOVED: the
 * connector is idle again. */
HRESULT nd_connector_take(struct nd_connector *, const struct rn_event *request);
/* Called by the queue pair tied to the connector: nd_connector_qp_failed() when the queue pair has
 * failed, nd_connector_drained() when its requests in flight have completed,
 * nd_connector_qp_released() when the client has released the queue pair. */
void nd_connector_qp_failed(struct nd_connector *);
void nd_connector_drained(struct nd_connector *);
void nd_connector_qp_released(struct nd_connector *);

/* ---- listener ---- */

HRESULT nd_listener_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);
/* Called by a connector, without its lock, when the client releases the connector: the
 * GetConnectionRequest that waits with this connector ends with ND_CANCELED. */
void nd_listener_withdraw(struct nd_listener *, const struct nd_connector *);

/* ---- addresses, for connectors, listeners and the adapter ---- */

/* Converts a sockaddr. ND_INVALID_ADDRESS: it is neither an address of the adapter nor a
 * wildcard. */
HRESULT nd_local_address(struct nd_adapter *, const struct sockaddr *, ULONG cb,
			 struct rn_client_addr *);
/* Copies an address to the client's buffer and sets *pcb: the body of GetLocalAddress and
 * GetPeerAddress. */
HRESULT nd_return_address(const struct rn_client_addr *, struct sockaddr *, ULONG *pcb);
/* Copies n GIDs to the client's buffer as an address list: the body of QueryAddressList.
 * ND_BUFFER_OVERFLOW: the buffer is too small, or the list is NULL. */
HRESULT nd_return_address_list(const struct rn_gid *, unsigned n, SOCKET_ADDRESS_LIST *,
			       ULONG *pcb);

#endif
