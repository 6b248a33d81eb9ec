/* The structs of the objects behind the ND2 interfaces, and the functions that these objects call
 * on one another.
 *
 * References:
 * - Every object holds a reference on its adapter.
 * - A queue pair holds references on its completion queues.
 * - A connector and its queue pair hold references on each other while they are tied.
 *
 * Lock orders:
 * - listener, connector, the adapter's `ties`, queue pair
 * - region, the adapter's `bindings`
 *
 * A completion queue's lock is a leaf lock. A command to the NIC may be run with any of these locks
 * held. The NIC never waits for a lock of this library. */
#ifndef ND_ND2_H
#define ND_ND2_H

#include "nd2/com.h"
#include "nd2/device.h"
#include "os/request.h"

/* The limits that an adapter offers its clients; the NIC may lower them further. */
#define ND_MAX_SGE 16u
/* Every queue pair accepts at least this many SGEs per request. Some clients create a queue pair
 * for one SGE and then post two SGEs. */
#define ND_MIN_SGE    2u
#define ND_MAX_INLINE 256u
/* Inline and large-request thresholds in bytes, chosen by measurement (docs/benchmarks.md). */
#define ND_INLINE_THRESHOLD 64u
#define ND_LARGE_THRESHOLD  65536u
#define ND_MAX_READ_LIMIT   16u
#define ND_MAX_QUEUE_DEPTH  8192u
#define ND_MAX_SRQ_DEPTH    16384u
#define ND_MAX_CQ_DEPTH	    65536u
#define ND_MAX_TRANSFER	    (1u << 30)
#define ND_MAX_CALLER_DATA  RN_CM_REQ_DATA
#define ND_MAX_CALLEE_DATA  RN_CM_REJ_DATA /* Accept (REP) and Reject (REJ): the smaller limit */

extern const struct nd_class nd_provider_class, nd_adapter_class, nd_cq_class, nd_mr_class,
	nd_mw_class, nd_srq_class, nd_qp_class, nd_connector_class, nd_listener_class;

/* ---- provider ---- */

/* Adds one client reference to the library's only provider object. */
void nd_provider_addref(void);
/* Drops the reference that a destroyed adapter held on the provider. If the provider's count is 0
 * already, the count stays 0. Some clients never release an adapter, but release the provider too
 * often. */
void nd_provider_drop(void);

/* ---- adapter ---- */

struct nd_adapter {
	struct nd_object obj;
	struct nd_device *dev;
	uint64_t number; /* number of this adapter instance; never reused */
	uint32_t pd;
	ND2_ADAPTER_INFO limits;
	pthread_mutex_t ties;	  /* guards which connector holds which queue pair */
	pthread_mutex_t bindings; /* guards which window is bound to which region */
};

HRESULT nd_adapter_open(unsigned index, REFIID iid, void **out);
/* Returns true when the adapter's network port is gone. Every method then returns
 * ND_DEVICE_REMOVED, except methods that end something (Release, Deregister, Flush,
 * CancelOverlappedRequests).
 *
 * A method that puts a request on a list must notice when the network port goes away. Otherwise the
 * request would wait for ever. The method does one of the following:
 * - It calls nd_gone() under the lock that the handler of RN_EVENT_PORT_GONE takes too.
 * - It runs a command for which the NIC returns -ENODEV. */
static inline bool nd_gone(const struct nd_adapter *adapter)
{
	return rn_client_gone(adapter->dev->client);
}
/* Fills in the ND2_ADAPTER_INFO that Query returns, from the NIC's limits and the adapter's id. */
void nd_adapter_limits(const struct rn_link_info *, uint64_t id, ND2_ADAPTER_INFO *);

/* ---- shared by all objects with OVERLAPPEDs ---- */

struct nd_async {
	struct nd_adapter *adapter;
	struct os_file *file;
	pthread_mutex_t lock;
	struct os_request_list requests;
};

/* Implements GetOverlappedResult for all objects. Needs no pointer to the object, since the status
 * is in the OVERLAPPED. */
HRESULT nd_overlapped_result(OVERLAPPED *, BOOL wait);
/* Implements GetNotifyAffinity for all queues. All queues have the same affinity, since one
 * delivery thread publishes all notifications. */
HRESULT nd_notify_affinity(USHORT *group, KAFFINITY *affinity);
/* Initializes the struct and takes references on the adapter and the overlapped file. Returns
 * ND_INVALID_HANDLE if the handle is not an overlapped file of this adapter instance. */
HRESULT nd_async_init(struct nd_async *, struct nd_adapter *, HANDLE file);
void nd_async_fini(struct nd_async *);

/* ---- completion queue ---- */

HRESULT nd_cq_create(struct nd_adapter *, REFIID iid, HANDLE file, ULONG depth, uint64_t affinity,
		     void **out);

struct nd_cq {
	struct nd_object obj;
	struct nd_async async; /* guarded by rn_client_cq_lock(cq), not by async.lock */
	struct rn_client_cq *cq;
	uint64_t affinity;
	/* ND_SUCCESS until the completion queue has failed; then the status that Notify returns */
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

/* The properties of a memory region that are checked before a window is bound to the region.
 * adapter->bindings guards the struct. The properties are valid while `open` is set. */
struct nd_span {
	bool open; /* the region is registered, and no Deregister has begun */
	uint64_t base, length;
	uint32_t access, lkey;
	struct nd_mw *windows;
};
/* Returns the properties of the region behind an interface pointer. Returns NULL if the pointer
 * does not belong to a region of this adapter instance. */
struct nd_span *nd_mr_span(IUnknown *, const struct nd_adapter *);

/* ---- memory window ---- */

struct nd_mw;
struct nd_qp;

HRESULT nd_mw_create(struct nd_adapter *, REFIID iid, void **out);
/* Returns the memory window behind an interface pointer. Returns NULL if the pointer does not
 * belong to a window of this adapter instance. */
struct nd_mw *nd_mw_known(IUnknown *, const struct nd_adapter *);
/* Posts a work request that binds a window. The caller sets all of `bind` except the lkey.
 * Errors:
 * - ND_ACCESS_VIOLATION: the region is not registered, the range lies outside the region, or
 *   REMOTE_WRITE is requested and the region lacks LOCAL_WRITE.
 * - ND_INVALID_DEVICE_STATE: the window is bound already.
 * - ND_NO_MORE_ENTRIES: the send queue is full. */
HRESULT nd_mw_bind(struct nd_mw *, struct nd_qp *, struct nd_span *,
		   const struct rn_client_bind *bind);
HRESULT nd_mw_invalidate(struct nd_mw *, struct nd_qp *, uint64_t context, uint16_t flags);

/* To be called after a region was registered. Copies the region's properties from `what` and allows
 * windows to be bound to the region. The caller sets all members of `what` except `open` and
 * `windows`. */
void nd_span_open(struct nd_adapter *, struct nd_span *, const struct nd_span *what);
/* To be called before a region is deregistered. From now on no window can be bound to the region.
 * Returns false and changes nothing if a window is bound to the region. */
bool nd_span_close(struct nd_adapter *, struct nd_span *);
/* To be called when a region is released, before it is deregistered. From now on no window can be
 * bound to the region. Empties the region's list of windows. The peer can use these windows until
 * the region is deregistered. */
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
/* Moves the queue pair to RTR and then to RTS, with the attributes that the CM negotiated. Returns
 * 0 or -errno. */
int nd_qp_connect(struct nd_qp *, const struct rn_qp_attr *);
/* Moves the queue pair to ERR. Waits at most FLUSH_WAIT_MS for the completions of all its work
 * requests. */
void nd_qp_flush(struct nd_qp *);
/* Moves the queue pair to SQD: no further work request starts. nd_connector_drained() is called
 * when the work requests in flight have completed. Returns false if the transition failed;
 * nd_connector_drained() is then not called. */
bool nd_qp_drain(struct nd_qp *);
/* True if the queue pair is in the error state, whatever the cause, or was released. */
bool nd_qp_failed(struct nd_qp *);
/* To be called when the connection has ended. From now on the queue pair refuses all work requests
 * except Receive. */
void nd_qp_close(struct nd_qp *);

/* ---- connector ---- */

HRESULT nd_connector_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);

struct nd_listener;

/* Called by a listener under its lock. Marks an idle connector as waiting for a connection request
 * of this listener. Returns ND_CONNECTION_ACTIVE if the connector is not idle. */
HRESULT nd_connector_queue(struct nd_connector *, struct nd_listener *);
/* Called by a listener that stops waiting for a connection request. The connector becomes idle
 * again. */
void nd_connector_unqueue(struct nd_connector *);
/* Called by a listener to give the connector a connection request that has arrived. Errors:
 * - ND_CANCELED: the client has released the connector in the meantime.
 * - ND_INSUFFICIENT_RESOURCES, ND_DEVICE_REMOVED: the connector is idle again. */
HRESULT nd_connector_take(struct nd_connector *, const struct rn_event *request);
/* Called by the queue pair that is tied to the connector:
 * - nd_connector_qp_failed(): the queue pair has failed.
 * - nd_connector_drained(): the work requests in flight have completed.
 * - nd_connector_qp_released(): the client has released the queue pair. */
void nd_connector_qp_failed(struct nd_connector *);
void nd_connector_drained(struct nd_connector *);
void nd_connector_qp_released(struct nd_connector *);

/* ---- listener ---- */

HRESULT nd_listener_create(struct nd_adapter *, REFIID iid, HANDLE file, void **out);
/* Called by a connector, without its lock, when the client releases the connector. A pending
 * GetConnectionRequest for this connector ends with ND_CANCELED. */
void nd_listener_withdraw(struct nd_listener *, const struct nd_connector *);

/* ---- addresses: functions for connectors, listeners and the adapter ---- */

/* Converts a sockaddr to a local address. Returns ND_INVALID_ADDRESS if the sockaddr is neither an
 * address of the adapter nor a wildcard. */
HRESULT nd_local_address(struct nd_adapter *, const struct sockaddr *, ULONG cb,
			 struct rn_client_addr *);
/* Implements GetLocalAddress and GetPeerAddress. Copies the address to the client's buffer and sets
 * *pcb. */
HRESULT nd_return_address(const struct rn_client_addr *, struct sockaddr *, ULONG *pcb);
/* Implements QueryAddressList. Copies n GIDs to the client's buffer as an address list. Returns
 * ND_BUFFER_OVERFLOW if the buffer is too small or the buffer pointer is NULL. */
HRESULT nd_return_address_list(const struct rn_gid *, unsigned n, SOCKET_ADDRESS_LIST *,
			       ULONG *pcb);

#endif
