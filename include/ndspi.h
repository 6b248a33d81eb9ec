/*
 * The NetworkDirect version 2 interfaces, declared twice with the same machine layout: as C++
 * classes and as C vtables. C calls p->lpVtbl->Method(p, ...), C++ calls p->Method(...). Each
 * method is described once, at its C++ declaration. The original interfaces are described by
 * Microsoft: https://github.com/microsoft/NetworkDirect
 *
 * The comment behind each method gives its vtable slot; IUnknown's three methods come first. The
 * C++ classes have no data, no virtual bases and no virtual destructor; objects carry no C++ type
 * information, so typeid, dynamic_cast to a class and -fsanitize=vptr do not work on them.
 *
 * Rules for all methods: any thread may call them. A method with an OVERLAPPED returns ND_PENDING
 * when its request has begun; the request then completes exactly once. Any other status means that
 * no request has begun. Besides the statuses named at its declaration, such a method returns
 * ND_INVALID_PARAMETER if pOverlapped is NULL, ND_INVALID_HANDLE if hEvent is not an event, and
 * ND_INSUFFICIENT_RESOURCES if memory runs out. A status named without an explanation has its usual
 * meaning. When the adapter's network port is gone (its device was removed), pending requests
 * complete with ND_DEVICE_REMOVED and methods return this status, except those that end something
 * (Release, Deregister, Flush, CancelOverlappedRequests). In a forked child of the process that
 * opened the adapter every method with a status returns ND_DEVICE_REMOVED.
 *
 * While an adapter is open the library has a handler for SIGSEGV and SIGBUS. A handler that the
 * client installs later must pass faults that are not its own to the handler that it replaces.
 */
#ifndef NDSPI_H
#define NDSPI_H

#include "nddef.h"
#include "ndstatus.h"
#include "ndtypes.h"

/* INDAdapter is the type of version 1 adapters. Only NdOpenV1Adapter uses it; none exist here. */
#ifdef __cplusplus
struct INDAdapter;
#else
typedef struct INDAdapter INDAdapter;
#endif

static const GUID IID_IND2Overlapped __attribute__((unused)) = {
	0xABF72719, 0xB016, 0x4A40, {0xA6, 0xF7, 0x62, 0x27, 0x91, 0xA7, 0x04, 0x4C}};
static const GUID IID_IND2Provider __attribute__((unused)) = {
	0x49EAE6C1, 0x76C4, 0x46D0, {0x80, 0x03, 0x5C, 0x2E, 0xAA, 0x2C, 0x9A, 0x8E}};
static const GUID IID_IND2Adapter __attribute__((unused)) = {
	0xD89C798C, 0x4823, 0x4D69, {0x84, 0x6C, 0xDF, 0xDC, 0xCF, 0xF9, 0xE5, 0xF3}};
static const GUID IID_IND2CompletionQueue __attribute__((unused)) = {
	0x20CC445E, 0x64A0, 0x4CBB, {0xAA, 0x75, 0xF6, 0xA7, 0x25, 0x1F, 0xDA, 0x9E}};
static const GUID IID_IND2SharedReceiveQueue __attribute__((unused)) = {
	0xAABD67DC, 0x459A, 0x4DB1, {0x82, 0x6B, 0x56, 0xCF, 0xCC, 0x27, 0x88, 0x83}};
static const GUID IID_IND2MemoryRegion __attribute__((unused)) = {
	0x55DFEA2F, 0xBC56, 0x4982, {0x8A, 0x45, 0x03, 0x01, 0xBE, 0x46, 0xC4, 0x13}};
static const GUID IID_IND2MemoryWindow __attribute__((unused)) = {
	0x070FE1F5, 0x0AB5, 0x4361, {0x88, 0xDB, 0x97, 0x4B, 0xA7, 0x04, 0xD4, 0xB9}};
static const GUID IID_IND2QueuePair __attribute__((unused)) = {
	0xEEF2F332, 0xB75D, 0x4063, {0xBC, 0xE3, 0x3A, 0x0B, 0xAD, 0x2D, 0x02, 0xCE}};
static const GUID IID_IND2Connector __attribute__((unused)) = {
	0x7DD615C4, 0x6B4C, 0x4866, {0x95, 0x0C, 0xF3, 0xB1, 0xD2, 0x5A, 0x53, 0x02}};
static const GUID IID_IND2Listener __attribute__((unused)) = {
	0x65D23D83, 0x3A57, 0x4E02, {0x86, 0xA4, 0x35, 0x01, 0x65, 0xC2, 0xD1, 0x30}};

#ifdef __cplusplus

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/* The base of every interface whose methods take an OVERLAPPED. */
struct IND2Overlapped : public IUnknown {
	/*
	 * Ends every request that is pending on this object with ND_CANCELED, oldest first; when
	 * the call returns, all of these requests have completed. A connector that waits for the
	 * peer (Connect, Accept, Disconnect) gives up its connection; a connected one stays
	 * connected, and only its NotifyDisconnect requests end. Returns ND_SUCCESS.
	 */
	virtual HRESULT CancelOverlappedRequests() = 0; /* vtable slot 3 */

	/*
	 * Returns the status of the request that the OVERLAPPED belongs to: ND_PENDING, or the
	 * final status. With `wait` TRUE the call waits until the status is final and then clears
	 * the OVERLAPPED's event if that event resets automatically. The method reads only the
	 * OVERLAPPED, so it may be called on any object.
	 */
	virtual HRESULT GetOverlappedResult(OVERLAPPED *pOverlapped,
					    BOOL wait) = 0; /* vtable slot 4 */
};

/* The adapters of this machine. A client gets the provider from DllGetClassObject. */
struct IND2Provider : public IUnknown {
	/*
	 * Lists the local addresses of all adapters. While no adapter is open, each call reads them
	 * from the configuration. *pcbAddressList: in, bytes of the buffer; out, bytes needed.
	 * ND_BUFFER_OVERFLOW: the buffer is NULL or too small.
	 */
	virtual HRESULT QueryAddressList(SOCKET_ADDRESS_LIST *pAddressList,
					 ULONG *pcbAddressList) = 0; /* vtable slot 3 */

	/*
	 * Finds the adapter that owns a local address; the port number is ignored. The id stays
	 * the same in every process as long as the adapter keeps its name in the configuration.
	 * ND_INVALID_ADDRESS: no adapter has the address.
	 */
	virtual HRESULT ResolveAddress(const struct sockaddr *pAddress, ULONG cbAddress,
				       UINT64 *pAdapterId) = 0; /* vtable slot 4 */

	/*
	 * Opens an adapter; the first call in a process starts the NIC. Each IND2Adapter instance
	 * has its own protection domain: objects and tokens of one instance are invalid in another.
	 * ND_INVALID_PARAMETER: no adapter has this id. ND_NO_MEMORY. ND_INSUFFICIENT_RESOURCES: no
	 * file descriptor is left. ND_DEVICE_REMOVED: the adapter is open already, and its network
	 * port is gone.
	 */
	virtual HRESULT OpenAdapter(REFIID iid, UINT64 adapterId,
				    void **ppAdapter) = 0; /* vtable slot 5 */
};

/*
 * An open adapter, which creates all other objects. Every Create method takes the iid of the
 * interface to return and returns E_NOINTERFACE for any other; hOverlappedFile must be a file of
 * this adapter instance, else the method returns ND_INVALID_HANDLE. Every object holds a reference
 * on its adapter.
 */
struct IND2Adapter : public IUnknown {
	/*
	 * Creates the file through which objects with OVERLAPPEDs report their completions. Bind it
	 * to a completion port or a callback (NdsPortBind, NdsFileBindCallback), or leave it
	 * unbound and use events. Close it with NdsHandleClose; it lives on while objects use it.
	 * ND_NO_MEMORY. ND_INSUFFICIENT_RESOURCES: the thread that delivers completions cannot be
	 * started.
	 */
	virtual HRESULT CreateOverlappedFile(HANDLE *phOverlappedFile) = 0; /* vtable slot 3 */

	/*
	 * Copies the adapter's limits. *pcbInfo: in, bytes of the buffer; out,
	 * sizeof(ND2_ADAPTER_INFO). ND_BUFFER_OVERFLOW: the buffer is NULL or too small.
	 */
	virtual HRESULT Query(ND2_ADAPTER_INFO *pInfo, ULONG *pcbInfo) = 0; /* vtable slot 4 */

	/* Lists this adapter's addresses, with the rules of IND2Provider::QueryAddressList. */
	virtual HRESULT QueryAddressList(SOCKET_ADDRESS_LIST *pAddressList,
					 ULONG *pcbAddressList) = 0; /* vtable slot 5 */

	/*
	 * Creates a completion queue. queueDepth, 1 to MaxCompletionQueueDepth: the queue has room
	 * for at least this number of results, and for more if its queue pairs can have more
	 * requests outstanding. affinity: a mask of CPUs of group 0; the queue pairs are served on
	 * or near these CPUs. With a mask of 0 or another group there is no preference.
	 * ND_INVALID_PARAMETER_3: depth out of range. ND_NO_MEMORY.
	 */
	virtual HRESULT CreateCompletionQueue(REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth,
					      USHORT group, KAFFINITY affinity,
					      void **ppCompletionQueue) = 0; /* vtable slot 6 */

	/* Creates a memory region; IND2MemoryRegion::Register gives it memory. ND_NO_MEMORY. */
	virtual HRESULT CreateMemoryRegion(REFIID iid, HANDLE hOverlappedFile,
					   void **ppMemoryRegion) = 0; /* vtable slot 7 */

	/*
	 * Creates an unbound memory window. ND_INSUFFICIENT_RESOURCES: memory runs out, or the
	 * adapter has reached its limit for the number of regions and windows together.
	 */
	virtual HRESULT CreateMemoryWindow(REFIID iid,
					   void **ppMemoryWindow) = 0; /* vtable slot 8 */

	/*
	 * Creates a shared receive queue. queueDepth: number of receives, 1 to
	 * MaxSharedReceiveQueueDepth. maxRequestSge: buffers of one receive, at most MaxReceiveSge.
	 * notifyThreshold: Notify completes when fewer receives than this are left. group and
	 * affinity have no effect. ND_INVALID_PARAMETER_3: depth out of range.
	 * ND_INVALID_PARAMETER_4: too many buffers. ND_NO_MEMORY.
	 */
	virtual HRESULT
	CreateSharedReceiveQueue(REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth,
				 ULONG maxRequestSge, ULONG notifyThreshold, USHORT group,
				 KAFFINITY affinity,
				 void **ppSharedReceiveQueue) = 0; /* vtable slot 9 */

	/*
	 * Creates a reliable connected queue pair; its two completion queues may be one object.
	 * context is returned in every result (ND2_RESULT.QueuePairContext). Queue depths: numbers
	 * of requests. SGE limits: buffers per request; 2 are always accepted. inlineDataSize:
	 * bytes. ND_INVALID_PARAMETER_2 or _3: not a completion queue of this adapter.
	 * ND_INVALID_PARAMETER_5 to _9: the argument of that number exceeds the adapter's limit.
	 * ND_INSUFFICIENT_RESOURCES.
	 */
	virtual HRESULT CreateQueuePair(REFIID iid, IUnknown *pReceiveCompletionQueue,
					IUnknown *pInitiatorCompletionQueue, void *context,
					ULONG receiveQueueDepth, ULONG initiatorQueueDepth,
					ULONG maxReceiveRequestSge, ULONG maxInitiatorRequestSge,
					ULONG inlineDataSize,
					void **ppQueuePair) = 0; /* vtable slot 10 */

	/*
	 * As CreateQueuePair, for a queue pair that takes its receives from a shared receive queue.
	 * Results of those receives go to the queue pair's own receive completion queue.
	 * ND_INVALID_PARAMETER_2 to _4: not an object of this adapter. ND_INVALID_PARAMETER_6 to
	 * _8: the argument of that number exceeds the adapter's limit.
	 */
	virtual HRESULT CreateQueuePairWithSrq(REFIID iid, IUnknown *pReceiveCompletionQueue,
					       IUnknown *pInitiatorCompletionQueue,
					       IUnknown *pSharedReceiveQueue, void *context,
					       ULONG initiatorQueueDepth,
					       ULONG maxInitiatorRequestSge, ULONG inlineDataSize,
					       void **ppQueuePair) = 0; /* vtable slot 11 */

	/*
	 * Creates a connector without a local address. ND_NO_MEMORY. ND_INSUFFICIENT_RESOURCES: the
	 * adapter has reached its limit of connectors.
	 */
	virtual HRESULT CreateConnector(REFIID iid, HANDLE hOverlappedFile,
					void **ppConnector) = 0; /* vtable slot 12 */

	/* Creates a listener without a local address. ND_NO_MEMORY. */
	virtual HRESULT CreateListener(REFIID iid, HANDLE hOverlappedFile,
				       void **ppListener) = 0; /* vtable slot 13 */
};

/* A queue of results of requests, which can notify the client that results have arrived. */
struct IND2CompletionQueue : public IND2Overlapped {
	/*
	 * Returns group 0 and a mask of the CPUs that the library's delivery thread may run on,
	 * whatever affinity the queue was created with. ND_INVALID_PARAMETER: a pointer is NULL.
	 * ND_NOT_SUPPORTED: none of these CPUs is among the first 64.
	 */
	virtual HRESULT GetNotifyAffinity(USHORT *pGroup,
					  KAFFINITY *pAffinity) = 0; /* vtable slot 5 */

	/*
	 * Makes the queue deeper or shallower, at any time. queueDepth: 1 to
	 * MaxCompletionQueueDepth, else ND_INVALID_PARAMETER. ND_BUFFER_OVERFLOW: the queue holds
	 * more unread results than the new depth. ND_INSUFFICIENT_RESOURCES. After an error the
	 * queue is unchanged.
	 */
	virtual HRESULT Resize(ULONG queueDepth) = 0; /* vtable slot 6 */

	/*
	 * Requests one notification. A request of type ND_CQ_NOTIFY_ANY completes at the next
	 * result; of type ND_CQ_NOTIFY_SOLICITED, at the next failed result or the next receive of
	 * a message sent with ND_OP_FLAG_SEND_AND_SOLICIT_EVENT; of type ND_CQ_NOTIFY_ERRORS, only
	 * when the queue itself fails. A result that is unread and has not completed a Notify
	 * request counts as the next one, so no result between GetResults and Notify is missed.
	 * When a result completes a request, all other waiting requests complete too, except those
	 * of type ND_CQ_NOTIFY_ERRORS. ND_INVALID_PARAMETER_1: not one of these types.
	 * ND_BUFFER_OVERFLOW: the completion queue was overrun.
	 */
	virtual HRESULT Notify(ULONG type, OVERLAPPED *pOverlapped) = 0; /* vtable slot 7 */

	/*
	 * Takes up to nResults results, oldest first, and returns their number; 0 when there are
	 * none. Results of one queue pair arrive in the order of its requests, separately for its
	 * send queue and its receive queue.
	 */
	virtual ULONG GetResults(ND2_RESULT results[], ULONG nResults) = 0; /* vtable slot 8 */
};

/* A queue of receives for any number of queue pairs of the same adapter. */
struct IND2SharedReceiveQueue : public IND2Overlapped {
	/* Returns the same values as IND2CompletionQueue::GetNotifyAffinity. */
	virtual HRESULT GetNotifyAffinity(USHORT *pGroup,
					  KAFFINITY *pAffinity) = 0; /* vtable slot 5 */

	/*
	 * Changes the depth and the threshold of Notify. 0 leaves a value unchanged; an error
	 * leaves both unchanged. A new threshold also applies to Notify requests that wait.
	 * ND_BUFFER_OVERFLOW: more receives than the new depth are posted. ND_INVALID_PARAMETER:
	 * the depth exceeds MaxSharedReceiveQueueDepth. ND_INSUFFICIENT_RESOURCES.
	 */
	virtual HRESULT Modify(ULONG queueDepth, ULONG notifyThreshold) = 0; /* vtable slot 6 */

	/*
	 * Requests one notification: the request completes when fewer receives than the threshold
	 * (notifyThreshold) are left, or at once if fewer are left already. All Notify requests
	 * that wait at that moment complete together.
	 */
	virtual HRESULT Notify(OVERLAPPED *pOverlapped) = 0; /* vtable slot 7 */

	/*
	 * Posts a receive. Its result appears in the receive completion queue of the queue pair
	 * whose message takes the receive. The sge array is copied; its buffers belong to the NIC
	 * until that result. ND_NO_MORE_ENTRIES: the queue is full. ND_DATA_OVERRUN: too many
	 * buffers. ND_BUFFER_OVERFLOW: more bytes than MaxTransferLength. ND_INVALID_PARAMETER_2:
	 * sge is NULL though nSge is not 0.
	 */
	virtual HRESULT Receive(void *requestContext, const ND2_SGE sge[],
				ULONG nSge) = 0; /* vtable slot 8 */
};

/* A region of memory that requests may access once it is registered. */
struct IND2MemoryRegion : public IND2Overlapped {
	/*
	 * Registers cbBuffer bytes with ND_MR_FLAG_ flags; the request completes at once. If the
	 * buffer has at most 64 KB, its pages become resident. The buffer must stay mapped until it
	 * is deregistered. ND_INVALID_BUFFER_SIZE: cbBuffer is 0. ND_INVALID_PARAMETER: pBuffer is
	 * NULL, or cbBuffer exceeds MaxRegistrationSize. ND_INVALID_PARAMETER_3: unknown flags.
	 * ND_ACCESS_VIOLATION: a page is not mapped or lacks the access that the flags ask for.
	 * ND_INVALID_DEVICE_STATE: the region is registered already.
	 */
	virtual HRESULT Register(const void *pBuffer, SIZE_T cbBuffer, ULONG flags,
				 OVERLAPPED *pOverlapped) = 0; /* vtable slot 5 */

	/*
	 * Ends the registration; the request completes at once, and from then on the region's local
	 * and remote tokens are invalid. ND_DEVICE_BUSY: a memory window is bound to the region.
	 * ND_INVALID_DEVICE_STATE: the region is not registered.
	 */
	virtual HRESULT Deregister(OVERLAPPED *pOverlapped) = 0; /* vtable slot 6 */

	/* Returns the token for ND2_SGE.MemoryRegionToken; 0 unless the region is registered. */
	virtual UINT32 GetLocalToken() = 0; /* vtable slot 7 */

	/*
	 * Returns the token for the peer's Read and Write; 0 unless the region is registered.
	 * The token is opaque and in network byte order: send it to the peer unchanged.
	 */
	virtual UINT32 GetRemoteToken() = 0; /* vtable slot 8 */
};

/* A part of a region that the peer may access while the window is bound. */
struct IND2MemoryWindow : public IUnknown {
	/*
	 * Returns the token of the last IND2QueuePair::Bind of this window, valid for the peer once
	 * that Bind has completed; 0 before the first Bind. The token is opaque and in network byte
	 * order, like the remote token of a region.
	 */
	virtual UINT32 GetRemoteToken() = 0; /* vtable slot 3 */
};

/*
 * The send queue and receive queue of a reliable connection. A method that posts a request returns
 * ND_SUCCESS when the request is queued. The outcome of the request is an ND2_RESULT in the
 * completion queue, with the same requestContext; with ND_OP_FLAG_SILENT_SUCCESS a success has no
 * result. The sge array is copied; its buffers belong to the NIC until the request has completed.
 * These methods also return: ND_CONNECTION_INVALID: the queue pair is not connected (except
 * Receive). ND_NO_MORE_ENTRIES: the queue is full. ND_DATA_OVERRUN: more buffers than the queue
 * pair was created for. ND_BUFFER_OVERFLOW: more bytes than MaxTransferLength, or, for inline data,
 * than inlineDataSize. ND_INVALID_PARAMETER_2: sge is NULL though nSge is not 0.
 */
struct IND2QueuePair : public IUnknown {
	/*
	 * Ends all outstanding requests with ND_CANCELED. Waits until GetResults can return their
	 * results, for at most half a second. Afterwards the queue pair cannot be connected.
	 */
	virtual HRESULT Flush() = 0; /* vtable slot 3 */

	/*
	 * Posts a message that the peer takes with a Receive. flags: SILENT_SUCCESS, READ_FENCE
	 * (start after all earlier Reads), SEND_AND_SOLICIT_EVENT, INLINE (the data is copied
	 * before the call returns, and tokens are ignored); others: ND_INVALID_PARAMETER_4.
	 */
	virtual HRESULT Send(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			     ULONG flags) = 0; /* vtable slot 4 */

	/*
	 * Posts the buffers for one message of the peer; allowed in any state of the connection. A
	 * Receive posted after the connection's end gets the result ND_CANCELED.
	 * ND_INVALID_DEVICE_REQUEST: the queue pair has a shared receive queue.
	 */
	virtual HRESULT Receive(void *requestContext, const ND2_SGE sge[],
				ULONG nSge) = 0; /* vtable slot 5 */

	/*
	 * Posts a request that binds a memory window to a part of a registered region. flags:
	 * SILENT_SUCCESS, READ_FENCE, ALLOW_READ, ALLOW_WRITE (the peer's rights); others:
	 * ND_INVALID_PARAMETER_6. ND_INVALID_PARAMETER_2: not a region of this adapter.
	 * ND_INVALID_PARAMETER_3: not a window of this adapter. ND_ACCESS_VIOLATION: the region is
	 * not registered, the range lies outside the region, or flags has ALLOW_WRITE but the
	 * region was registered without local write access. ND_INVALID_DEVICE_STATE: the window is
	 * bound already.
	 */
	virtual HRESULT Bind(void *requestContext, IUnknown *pMemoryRegion, IUnknown *pMemoryWindow,
			     const void *pBuffer, SIZE_T cbBuffer,
			     ULONG flags) = 0; /* vtable slot 6 */

	/*
	 * Posts a request that unbinds a memory window; once it has completed, the window's token
	 * is invalid. flags: SILENT_SUCCESS, READ_FENCE; others: ND_INVALID_PARAMETER_3.
	 * ND_INVALID_PARAMETER_2: not a window of this adapter. The result's status is
	 * ND_INVALID_DEVICE_REQUEST if the window is not bound to this queue pair.
	 */
	virtual HRESULT Invalidate(void *requestContext, IUnknown *pMemoryWindow,
				   ULONG flags) = 0; /* vtable slot 7 */

	/*
	 * Posts an RDMA Read of the peer's memory at remoteAddress into the buffers. remoteToken:
	 * the value that GetRemoteToken returned on the peer. flags: SILENT_SUCCESS, READ_FENCE;
	 * INLINE is ignored; others: ND_INVALID_PARAMETER_6. ND_INVALID_DEVICE_REQUEST: the
	 * outbound read limit is 0.
	 */
	virtual HRESULT Read(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			     UINT64 remoteAddress, UINT32 remoteToken,
			     ULONG flags) = 0; /* vtable slot 8 */

	/*
	 * Posts an RDMA Write of the buffers to the peer's memory at remoteAddress. remoteToken as
	 * for Read. flags: SILENT_SUCCESS, READ_FENCE, INLINE; others: ND_INVALID_PARAMETER_6.
	 */
	virtual HRESULT Write(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			      UINT64 remoteAddress, UINT32 remoteToken,
			      ULONG flags) = 0; /* vtable slot 9 */
};

/*
 * One end of a connection. The active side calls Bind, Connect, CompleteConnect; the passive side
 * hands the connector to IND2Listener::GetConnectionRequest and then calls Accept or Reject. A
 * method that is called too early or too late fails. Its status depends on the method and on the
 * connector's state: ND_CONNECTION_INVALID, ND_CONNECTION_ACTIVE, ND_CONNECTION_ABORTED,
 * ND_INVALID_DEVICE_STATE or STATUS_CONNECTION_DISCONNECTED.
 */
struct IND2Connector : public IND2Overlapped {
	/*
	 * Binds the connector to a local address: an address of the adapter, or a wildcard; port
	 * number 0 chooses a free one. ND_INVALID_ADDRESS: neither an address of the adapter nor a
	 * wildcard. ND_TOO_MANY_ADDRESSES: no port number is free.
	 * STATUS_ADDRESS_ALREADY_ASSOCIATED: the connector is bound already.
	 * ND_INSUFFICIENT_RESOURCES.
	 */
	virtual HRESULT Bind(const struct sockaddr *pAddress,
			     ULONG cbAddress) = 0; /* vtable slot 5 */

	/*
	 * Sends a connection request. The read limits bound the RDMA Reads in flight from the peer
	 * (inbound) and from this side (outbound); they are reduced to the adapter's limits. The
	 * private data, up to MaxCallerData bytes, is copied. The request completes with ND_SUCCESS
	 * when the peer has accepted, ND_CONNECTION_REFUSED when it has rejected, ND_IO_TIMEOUT
	 * when it does not reply, ND_HOST_UNREACHABLE when its link-layer address cannot be
	 * resolved. Statuses returned at once: ND_INVALID_PARAMETER_1 (not a queue pair of this
	 * adapter), ND_INVALID_ADDRESS, STATUS_BAD_NETWORK_NAME (a wildcard or port 0),
	 * STATUS_ADDRESS_NOT_ASSOCIATED (Bind comes first), ND_CONNECTION_ACTIVE (queue pair used
	 * before), ND_INVALID_BUFFER_SIZE and ND_ACCESS_VIOLATION (private data),
	 * ND_ADDRESS_ALREADY_EXISTS (a connection between these addresses and ports exists).
	 */
	virtual HRESULT Connect(IUnknown *pQueuePair, const struct sockaddr *pDestAddress,
				ULONG cbDestAddress, ULONG inboundReadLimit,
				ULONG outboundReadLimit, const void *pPrivateData,
				ULONG cbPrivateData,
				OVERLAPPED *pOverlapped) = 0; /* vtable slot 6 */

	/*
	 * Confirms, on the active side, a connection that the peer has accepted; once the call has
	 * returned, the queue pair takes all requests. The OVERLAPPED completes at once, with
	 * ND_CONNECTION_ABORTED if the peer has gone meanwhile.
	 */
	virtual HRESULT CompleteConnect(OVERLAPPED *pOverlapped) = 0; /* vtable slot 7 */

	/*
	 * Accepts the connection request that the listener gave to this connector. Read limits are
	 * reduced to the peer's offer; private data: up to MaxCalleeData bytes. Once the call has
	 * returned, the queue pair takes all requests. The OVERLAPPED completes with ND_SUCCESS
	 * when the peer has called CompleteConnect, else with ND_CONNECTION_REFUSED,
	 * ND_CONNECTION_ABORTED or ND_IO_TIMEOUT. Statuses returned at once: as for Connect.
	 */
	virtual HRESULT Accept(IUnknown *pQueuePair, ULONG inboundReadLimit,
			       ULONG outboundReadLimit, const void *pPrivateData,
			       ULONG cbPrivateData,
			       OVERLAPPED *pOverlapped) = 0; /* vtable slot 8 */

	/*
	 * Rejects a connection request. On the active side: rejects a connection that the peer has
	 * accepted, in place of CompleteConnect. Private data: up to MaxCalleeData bytes.
	 * ND_CONNECTION_ABORTED: the peer has gone meanwhile.
	 */
	virtual HRESULT Reject(const void *pPrivateData,
			       ULONG cbPrivateData) = 0; /* vtable slot 9 */

	/*
	 * Returns the read limits: on the passive side before Accept those that the peer offers,
	 * after Accept or Connect the negotiated ones. Either pointer may be NULL.
	 */
	virtual HRESULT GetReadLimits(ULONG *pInboundReadLimit,
				      ULONG *pOutboundReadLimit) = 0; /* vtable slot 10 */

	/*
	 * Copies the peer's private data, zero-padded to the size of the field in its message: 56
	 * bytes of a request, 196 of a reply, 148 of a rejection. *pcbPrivateData: in, bytes of the
	 * buffer; out, bytes available. ND_BUFFER_OVERFLOW: the buffer is NULL or too small; the
	 * part that fits is copied. ND_CONNECTION_INVALID: the peer has sent no private data.
	 */
	virtual HRESULT GetPrivateData(void *pPrivateData,
				       ULONG *pcbPrivateData) = 0; /* vtable slot 11 */

	/*
	 * Copies the connector's local address. *pcbAddress: in, bytes of the buffer; out, bytes
	 * needed. ND_BUFFER_OVERFLOW: the buffer is NULL or too small. ND_CONNECTION_INVALID: the
	 * connector has no address yet.
	 */
	virtual HRESULT GetLocalAddress(struct sockaddr *pAddress,
					ULONG *pcbAddress) = 0; /* vtable slot 12 */

	/* Copies the peer's address, as GetLocalAddress does the local one. ND_CONNECTION_INVALID:
	 * no request or reply of a peer has arrived yet, or the connection has ended. */
	virtual HRESULT GetPeerAddress(struct sockaddr *pAddress,
				       ULONG *pcbAddress) = 0; /* vtable slot 13 */

	/*
	 * Requests a notification of the connection's end. The request completes with ND_SUCCESS
	 * when the peer disconnects or the connection fails, before the queue pair is flushed; with
	 * STATUS_CONNECTION_DISCONNECTED when this side disconnects.
	 */
	virtual HRESULT NotifyDisconnect(OVERLAPPED *pOverlapped) = 0; /* vtable slot 14 */

	/*
	 * Ends the connection. The request completes with ND_SUCCESS when the peer has replied and
	 * the queue pair is flushed, so that outstanding requests have their results (ND_CANCELED).
	 * If the peer does not reply, the request completes with ND_SUCCESS too, after at most
	 * about 17 s.
	 */
	virtual HRESULT Disconnect(OVERLAPPED *pOverlapped) = 0; /* vtable slot 15 */
};

/* The passive side: gets the connection requests for one local address and port. */
struct IND2Listener : public IND2Overlapped {
	/*
	 * Binds the listener to a local address, with the rules and statuses of
	 * IND2Connector::Bind. ND_SHARING_VIOLATION: another listener has the address and port.
	 */
	virtual HRESULT Bind(const struct sockaddr *pAddress,
			     ULONG cbAddress) = 0; /* vtable slot 5 */

	/*
	 * Starts to take connection requests. backlog: number of connection requests that may wait
	 * for a GetConnectionRequest, 0 = as many as the adapter has room for; further ones are
	 * rejected. ND_INVALID_DEVICE_STATE: the listener is not bound, or is listening already.
	 */
	virtual HRESULT Listen(ULONG backlog) = 0; /* vtable slot 6 */

	/* Copies the listener's address, like IND2Connector::GetLocalAddress.
	 * ND_INVALID_DEVICE_STATE: the listener is not bound. */
	virtual HRESULT GetLocalAddress(struct sockaddr *pAddress,
					ULONG *pcbAddress) = 0; /* vtable slot 7 */

	/*
	 * Waits for a connection request and gives it to the connector, which must be unused (else
	 * ND_CONNECTION_ACTIVE) and of the same adapter (else ND_INVALID_PARAMETER_1). A call takes
	 * the oldest connection request; if several calls wait, the oldest one takes it.
	 * ND_CANCELED: the connector or the listener was released, or the listener's
	 * CancelOverlappedRequests was called. ND_INVALID_DEVICE_STATE: Listen was not called.
	 */
	virtual HRESULT GetConnectionRequest(IUnknown *pConnector,
					     OVERLAPPED *pOverlapped) = 0; /* vtable slot 8 */
};

#pragma GCC diagnostic pop
#pragma GCC visibility pop

#else /* C: the same interfaces; the methods are described at the C++ classes above */

typedef struct IND2Overlapped IND2Overlapped;
typedef struct IND2Provider IND2Provider;
typedef struct IND2Adapter IND2Adapter;
typedef struct IND2CompletionQueue IND2CompletionQueue;
typedef struct IND2SharedReceiveQueue IND2SharedReceiveQueue;
typedef struct IND2MemoryRegion IND2MemoryRegion;
typedef struct IND2MemoryWindow IND2MemoryWindow;
typedef struct IND2QueuePair IND2QueuePair;
typedef struct IND2Connector IND2Connector;
typedef struct IND2Listener IND2Listener;

typedef struct IND2OverlappedVtbl {
	HRESULT(*QueryInterface)
	(IND2Overlapped *This, REFIID riid, void **ppv);	   /* vtable slot 0 */
	ULONG (*AddRef)(IND2Overlapped *This);			   /* vtable slot 1 */
	ULONG (*Release)(IND2Overlapped *This);			   /* vtable slot 2 */
	HRESULT (*CancelOverlappedRequests)(IND2Overlapped *This); /* vtable slot 3 */
	HRESULT(*GetOverlappedResult)
	(IND2Overlapped *This, OVERLAPPED *pOverlapped, BOOL wait); /* vtable slot 4 */
} IND2OverlappedVtbl;

struct IND2Overlapped {
	const IND2OverlappedVtbl *lpVtbl;
};

typedef struct IND2ProviderVtbl {
	HRESULT (*QueryInterface)(IND2Provider *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IND2Provider *This);					/* vtable slot 1 */
	ULONG (*Release)(IND2Provider *This);					/* vtable slot 2 */
	HRESULT(*QueryAddressList)
	(IND2Provider *This, SOCKET_ADDRESS_LIST *pAddressList,
	 ULONG *pcbAddressList); /* vtable slot 3 */
	HRESULT(*ResolveAddress)
	(IND2Provider *This, const struct sockaddr *pAddress, ULONG cbAddress,
	 UINT64 *pAdapterId); /* vtable slot 4 */
	HRESULT(*OpenAdapter)
	(IND2Provider *This, REFIID iid, UINT64 adapterId, void **ppAdapter); /* vtable slot 5 */
} IND2ProviderVtbl;

struct IND2Provider {
	const IND2ProviderVtbl *lpVtbl;
};

typedef struct IND2AdapterVtbl {
	HRESULT (*QueryInterface)(IND2Adapter *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IND2Adapter *This);				       /* vtable slot 1 */
	ULONG (*Release)(IND2Adapter *This);				       /* vtable slot 2 */
	HRESULT(*CreateOverlappedFile)
	(IND2Adapter *This, HANDLE *phOverlappedFile); /* vtable slot 3 */
	HRESULT(*Query)
	(IND2Adapter *This, ND2_ADAPTER_INFO *pInfo, ULONG *pcbInfo); /* vtable slot 4 */
	HRESULT(*QueryAddressList)
	(IND2Adapter *This, SOCKET_ADDRESS_LIST *pAddressList,
	 ULONG *pcbAddressList); /* vtable slot 5 */
	HRESULT(*CreateCompletionQueue)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth, USHORT group,
	 KAFFINITY affinity, void **ppCompletionQueue); /* vtable slot 6 */
	HRESULT(*CreateMemoryRegion)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
	 void **ppMemoryRegion); /* vtable slot 7 */
	HRESULT(*CreateMemoryWindow)
	(IND2Adapter *This, REFIID iid, void **ppMemoryWindow); /* vtable slot 8 */
	HRESULT(*CreateSharedReceiveQueue)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth,
	 ULONG maxRequestSge, ULONG notifyThreshold, USHORT group, KAFFINITY affinity,
	 void **ppSharedReceiveQueue); /* vtable slot 9 */
	HRESULT(*CreateQueuePair)
	(IND2Adapter *This, REFIID iid, IUnknown *pReceiveCompletionQueue,
	 IUnknown *pInitiatorCompletionQueue, void *context, ULONG receiveQueueDepth,
	 ULONG initiatorQueueDepth, ULONG maxReceiveRequestSge, ULONG maxInitiatorRequestSge,
	 ULONG inlineDataSize, void **ppQueuePair); /* vtable slot 10 */
	HRESULT(*CreateQueuePairWithSrq)
	(IND2Adapter *This, REFIID iid, IUnknown *pReceiveCompletionQueue,
	 IUnknown *pInitiatorCompletionQueue, IUnknown *pSharedReceiveQueue, void *context,
	 ULONG initiatorQueueDepth, ULONG maxInitiatorRequestSge, ULONG inlineDataSize,
	 void **ppQueuePair); /* vtable slot 11 */
	HRESULT(*CreateConnector)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
	 void **ppConnector); /* vtable slot 12 */
	HRESULT(*CreateListener)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
	 void **ppListener); /* vtable slot 13 */
} IND2AdapterVtbl;

struct IND2Adapter {
	const IND2AdapterVtbl *lpVtbl;
};

typedef struct IND2CompletionQueueVtbl {
	HRESULT(*QueryInterface)
	(IND2CompletionQueue *This, REFIID riid, void **ppv);		/* vtable slot 0 */
	ULONG (*AddRef)(IND2CompletionQueue *This);			/* vtable slot 1 */
	ULONG (*Release)(IND2CompletionQueue *This);			/* vtable slot 2 */
	HRESULT (*CancelOverlappedRequests)(IND2CompletionQueue *This); /* vtable slot 3 */
	HRESULT(*GetOverlappedResult)
	(IND2CompletionQueue *This, OVERLAPPED *pOverlapped, BOOL wait); /* vtable slot 4 */
	HRESULT(*GetNotifyAffinity)
	(IND2CompletionQueue *This, USHORT *pGroup, KAFFINITY *pAffinity); /* vtable slot 5 */
	HRESULT (*Resize)(IND2CompletionQueue *This, ULONG queueDepth);	   /* vtable slot 6 */
	HRESULT(*Notify)
	(IND2CompletionQueue *This, ULONG type, OVERLAPPED *pOverlapped); /* vtable slot 7 */
	ULONG(*GetResults)
	(IND2CompletionQueue *This, ND2_RESULT results[], ULONG nResults); /* vtable slot 8 */
} IND2CompletionQueueVtbl;

struct IND2CompletionQueue {
	const IND2CompletionQueueVtbl *lpVtbl;
};

typedef struct IND2SharedReceiveQueueVtbl {
	HRESULT(*QueryInterface)
	(IND2SharedReceiveQueue *This, REFIID riid, void **ppv);	   /* vtable slot 0 */
	ULONG (*AddRef)(IND2SharedReceiveQueue *This);			   /* vtable slot 1 */
	ULONG (*Release)(IND2SharedReceiveQueue *This);			   /* vtable slot 2 */
	HRESULT (*CancelOverlappedRequests)(IND2SharedReceiveQueue *This); /* vtable slot 3 */
	HRESULT(*GetOverlappedResult)
	(IND2SharedReceiveQueue *This, OVERLAPPED *pOverlapped, BOOL wait); /* vtable slot 4 */
	HRESULT(*GetNotifyAffinity)
	(IND2SharedReceiveQueue *This, USHORT *pGroup, KAFFINITY *pAffinity); /* vtable slot 5 */
	HRESULT(*Modify)
	(IND2SharedReceiveQueue *This, ULONG queueDepth, ULONG notifyThreshold); /* vtable slot 6 */
	HRESULT(*Notify)
	(IND2SharedReceiveQueue *This, OVERLAPPED *pOverlapped); /* vtable slot 7 */
	HRESULT(*Receive)
	(IND2SharedReceiveQueue *This, void *requestContext, const ND2_SGE sge[],
	 ULONG nSge); /* vtable slot 8 */
} IND2SharedReceiveQueueVtbl;

struct IND2SharedReceiveQueue {
	const IND2SharedReceiveQueueVtbl *lpVtbl;
};

typedef struct IND2MemoryRegionVtbl {
	HRESULT(*QueryInterface)
	(IND2MemoryRegion *This, REFIID riid, void **ppv);	     /* vtable slot 0 */
	ULONG (*AddRef)(IND2MemoryRegion *This);		     /* vtable slot 1 */
	ULONG (*Release)(IND2MemoryRegion *This);		     /* vtable slot 2 */
	HRESULT (*CancelOverlappedRequests)(IND2MemoryRegion *This); /* vtable slot 3 */
	HRESULT(*GetOverlappedResult)
	(IND2MemoryRegion *This, OVERLAPPED *pOverlapped, BOOL wait); /* vtable slot 4 */
	HRESULT(*Register)
	(IND2MemoryRegion *This, const void *pBuffer, SIZE_T cbBuffer, ULONG flags,
	 OVERLAPPED *pOverlapped);						/* vtable slot 5 */
	HRESULT (*Deregister)(IND2MemoryRegion *This, OVERLAPPED *pOverlapped); /* vtable slot 6 */
	UINT32 (*GetLocalToken)(IND2MemoryRegion *This);			/* vtable slot 7 */
	UINT32 (*GetRemoteToken)(IND2MemoryRegion *This);			/* vtable slot 8 */
} IND2MemoryRegionVtbl;

struct IND2MemoryRegion {
	const IND2MemoryRegionVtbl *lpVtbl;
};

typedef struct IND2MemoryWindowVtbl {
	HRESULT(*QueryInterface)
	(IND2MemoryWindow *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IND2MemoryWindow *This);	   /* vtable slot 1 */
	ULONG (*Release)(IND2MemoryWindow *This);	   /* vtable slot 2 */
	UINT32 (*GetRemoteToken)(IND2MemoryWindow *This);  /* vtable slot 3 */
} IND2MemoryWindowVtbl;

struct IND2MemoryWindow {
	const IND2MemoryWindowVtbl *lpVtbl;
};

typedef struct IND2QueuePairVtbl {
	HRESULT (*QueryInterface)(IND2QueuePair *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IND2QueuePair *This);					 /* vtable slot 1 */
	ULONG (*Release)(IND2QueuePair *This);					 /* vtable slot 2 */
	HRESULT (*Flush)(IND2QueuePair *This);					 /* vtable slot 3 */
	HRESULT(*Send)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
	 ULONG flags); /* vtable slot 4 */
	HRESULT(*Receive)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[],
	 ULONG nSge); /* vtable slot 5 */
	HRESULT(*Bind)
	(IND2QueuePair *This, void *requestContext, IUnknown *pMemoryRegion,
	 IUnknown *pMemoryWindow, const void *pBuffer, SIZE_T cbBuffer,
	 ULONG flags); /* vtable slot 6 */
	HRESULT(*Invalidate)
	(IND2QueuePair *This, void *requestContext, IUnknown *pMemoryWindow,
	 ULONG flags); /* vtable slot 7 */
	HRESULT(*Read)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
	 UINT64 remoteAddress, UINT32 remoteToken, ULONG flags); /* vtable slot 8 */
	HRESULT(*Write)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
	 UINT64 remoteAddress, UINT32 remoteToken, ULONG flags); /* vtable slot 9 */
} IND2QueuePairVtbl;

struct IND2QueuePair {
	const IND2QueuePairVtbl *lpVtbl;
};

typedef struct IND2ConnectorVtbl {
	HRESULT (*QueryInterface)(IND2Connector *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IND2Connector *This);					 /* vtable slot 1 */
	ULONG (*Release)(IND2Connector *This);					 /* vtable slot 2 */
	HRESULT (*CancelOverlappedRequests)(IND2Connector *This);		 /* vtable slot 3 */
	HRESULT(*GetOverlappedResult)
	(IND2Connector *This, OVERLAPPED *pOverlapped, BOOL wait); /* vtable slot 4 */
	HRESULT(*Bind)
	(IND2Connector *This, const struct sockaddr *pAddress, ULONG cbAddress); /* vtable slot 5 */
	HRESULT(*Connect)
	(IND2Connector *This, IUnknown *pQueuePair, const struct sockaddr *pDestAddress,
	 ULONG cbDestAddress, ULONG inboundReadLimit, ULONG outboundReadLimit,
	 const void *pPrivateData, ULONG cbPrivateData,
	 OVERLAPPED *pOverlapped); /* vtable slot 6 */
	HRESULT(*CompleteConnect)
	(IND2Connector *This, OVERLAPPED *pOverlapped); /* vtable slot 7 */
	HRESULT(*Accept)
	(IND2Connector *This, IUnknown *pQueuePair, ULONG inboundReadLimit, ULONG outboundReadLimit,
	 const void *pPrivateData, ULONG cbPrivateData,
	 OVERLAPPED *pOverlapped); /* vtable slot 8 */
	HRESULT(*Reject)
	(IND2Connector *This, const void *pPrivateData, ULONG cbPrivateData); /* vtable slot 9 */
	HRESULT(*GetReadLimits)
	(IND2Connector *This, ULONG *pInboundReadLimit,
	 ULONG *pOutboundReadLimit); /* vtable slot 10 */
	HRESULT(*GetPrivateData)
	(IND2Connector *This, void *pPrivateData, ULONG *pcbPrivateData); /* vtable slot 11 */
	HRESULT(*GetLocalAddress)
	(IND2Connector *This, struct sockaddr *pAddress, ULONG *pcbAddress); /* vtable slot 12 */
	HRESULT(*GetPeerAddress)
	(IND2Connector *This, struct sockaddr *pAddress, ULONG *pcbAddress); /* vtable slot 13 */
	HRESULT(*NotifyDisconnect)
	(IND2Connector *This, OVERLAPPED *pOverlapped);			     /* vtable slot 14 */
	HRESULT (*Disconnect)(IND2Connector *This, OVERLAPPED *pOverlapped); /* vtable slot 15 */
} IND2ConnectorVtbl;

struct IND2Connector {
	const IND2ConnectorVtbl *lpVtbl;
};

typedef struct IND2ListenerVtbl {
	HRESULT (*QueryInterface)(IND2Listener *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IND2Listener *This);					/* vtable slot 1 */
	ULONG (*Release)(IND2Listener *This);					/* vtable slot 2 */
	HRESULT (*CancelOverlappedRequests)(IND2Listener *This);		/* vtable slot 3 */
	HRESULT(*GetOverlappedResult)
	(IND2Listener *This, OVERLAPPED *pOverlapped, BOOL wait); /* vtable slot 4 */
	HRESULT(*Bind)
	(IND2Listener *This, const struct sockaddr *pAddress, ULONG cbAddress); /* vtable slot 5 */
	HRESULT (*Listen)(IND2Listener *This, ULONG backlog);			/* vtable slot 6 */
	HRESULT(*GetLocalAddress)
	(IND2Listener *This, struct sockaddr *pAddress, ULONG *pcbAddress); /* vtable slot 7 */
	HRESULT(*GetConnectionRequest)
	(IND2Listener *This, IUnknown *pConnector, OVERLAPPED *pOverlapped); /* vtable slot 8 */
} IND2ListenerVtbl;

struct IND2Listener {
	const IND2ListenerVtbl *lpVtbl;
};

#endif /* end of the declarations for C */

#endif
