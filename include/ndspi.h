/* The NetworkDirect version 2 interfaces, declared as C++ classes and as C vtables with the same
 * machine layout. C++ calls p->Method(...), C calls p->lpVtbl->Method(p, ...). Each method is
 * described at its C++ declaration. Microsoft describes the original interfaces:
 * https://github.com/microsoft/NetworkDirect
 *
 * Layout: the comment behind each method gives its vtable slot. The three methods of IUnknown come
 * first. The C++ classes have no data, no virtual bases and no virtual destructor. Objects carry no
 * C++ type information: typeid, dynamic_cast to a class and -fsanitize=vptr fail on them.
 *
 * Rules for all methods:
 * - Any thread may call any method.
 * - A method with an OVERLAPPED returns ND_PENDING if its request has begun. The request then
 *   completes exactly once. Any other status means that no request has begun.
 * - A method with an OVERLAPPED may also return ND_INVALID_PARAMETER (pOverlapped is NULL),
 *   ND_INVALID_HANDLE (hEvent is not an event) or ND_INSUFFICIENT_RESOURCES (no memory).
 * - A status named without an explanation has its usual meaning.
 * - If the device of the adapter's network port was removed, methods return ND_DEVICE_REMOVED and
 *   pending requests complete with this status. Methods that end something are excepted (Release,
 *   Deregister, Flush, CancelOverlappedRequests).
 * - In a forked child of the process that opened the adapter, every method with a status returns
 *   ND_DEVICE_REMOVED.
 *
 * While an adapter is open, the library handles SIGSEGV and SIGBUS. If the client installs its own
 * handler later, that handler must pass all other faults to the library's handler. */
#ifndef NDSPI_H
#define NDSPI_H

#include "nddef.h"
#include "ndstatus.h"
#include "ndtypes.h"

/* INDAdapter is the type of version 1 adapters, which do not exist here. NdOpenV1Adapter needs the
 * type. */
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
	/* Ends every pending request of this object with ND_CANCELED, oldest first. All these
	 * requests have completed when the call returns. A connector that waits for the peer
	 * (Connect, Accept, Disconnect) gives up its connection. A connected connector stays
	 * connected, but NotifyDisconnect requests end. Returns ND_SUCCESS. */
	virtual HRESULT CancelOverlappedRequests() = 0; /* vtable slot 3 */

	/* Returns the status of the OVERLAPPED's request: ND_PENDING, or the final status. With
	 * `wait` TRUE the call waits for the final status and then clears the OVERLAPPED's event,
	 * if that event resets automatically. Any object may be used for the call, because only the
	 * OVERLAPPED is read. */
	virtual HRESULT GetOverlappedResult(OVERLAPPED *pOverlapped,
					    BOOL wait) = 0; /* vtable slot 4 */
};

/* The adapters of this machine. A client gets the provider from DllGetClassObject. */
struct IND2Provider : public IUnknown {
	/* Lists the local addresses of all adapters. While no adapter is open, each call reads the
	 * addresses from the configuration. *pcbAddressList: in, bytes of the buffer; out, bytes
	 * needed. ND_BUFFER_OVERFLOW: the buffer is NULL or too small. */
	virtual HRESULT QueryAddressList(SOCKET_ADDRESS_LIST *pAddressList,
					 ULONG *pcbAddressList) = 0; /* vtable slot 3 */

	/* Finds the adapter that owns a local address. The port number is ignored. The adapter's id
	 * is the same in every process, and changes only with the adapter's name in the
	 * configuration. ND_INVALID_ADDRESS: no adapter owns the address. */
	virtual HRESULT ResolveAddress(const struct sockaddr *pAddress, ULONG cbAddress,
				       UINT64 *pAdapterId) = 0; /* vtable slot 4 */

	/* Opens an adapter. The first call in a process starts the NIC. Each IND2Adapter instance
	 * has its own protection domain: objects and tokens of one instance are invalid in another
	 * instance. Errors:
	 * - ND_INVALID_PARAMETER: no adapter has this id
	 * - ND_NO_MEMORY
	 * - ND_INSUFFICIENT_RESOURCES: no file descriptor is left
	 * - ND_DEVICE_REMOVED: the adapter is open already, and its network port is gone */
	virtual HRESULT OpenAdapter(REFIID iid, UINT64 adapterId,
				    void **ppAdapter) = 0; /* vtable slot 5 */
};

/* An open adapter, which creates all other objects. `iid` of a Create method is the interface to
 * return; for an unknown iid the method returns E_NOINTERFACE. hOverlappedFile must be a file of
 * this adapter instance; else the method returns ND_INVALID_HANDLE. Every object holds a reference
 * on its adapter. */
struct IND2Adapter : public IUnknown {
	/* Creates an overlapped file, through which objects report completed OVERLAPPEDs. Bind the
	 * file to a completion port (NdsPortBind) or a callback (NdsFileBindCallback), or leave the
	 * file unbound and use events. Close the file with NdsHandleClose; the file lives on while
	 * objects use it. Errors:
	 * - ND_NO_MEMORY
	 * - ND_INSUFFICIENT_RESOURCES: the thread that delivers completions cannot start */
	virtual HRESULT CreateOverlappedFile(HANDLE *phOverlappedFile) = 0; /* vtable slot 3 */

	/* Copies the adapter's limits. *pcbInfo: in, bytes of the buffer; out,
	 * sizeof(ND2_ADAPTER_INFO). ND_BUFFER_OVERFLOW: the buffer is NULL or too small. */
	virtual HRESULT Query(ND2_ADAPTER_INFO *pInfo, ULONG *pcbInfo) = 0; /* vtable slot 4 */

	/* Lists this adapter's addresses, with the rules of IND2Provider::QueryAddressList. */
	virtual HRESULT QueryAddressList(SOCKET_ADDRESS_LIST *pAddressList,
					 ULONG *pcbAddressList) = 0; /* vtable slot 5 */

	/* Creates a completion queue. Arguments:
	 * - queueDepth: number of results, 1 to MaxCompletionQueueDepth. The queue gets more room
	 *   if its queue pairs can have more than queueDepth outstanding requests.
	 * - affinity: a mask of CPUs of group 0. The queue pairs are served on or near these CPUs.
	 *   With a mask of 0 or another group there is no preference.
	 *
	 * Errors: ND_NO_MEMORY. ND_INVALID_PARAMETER_3: queueDepth is out of range. */
	virtual HRESULT CreateCompletionQueue(REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth,
					      USHORT group, KAFFINITY affinity,
					      void **ppCompletionQueue) = 0; /* vtable slot 6 */

	/* Creates a memory region without memory; IND2MemoryRegion::Register adds the memory.
	 * Errors: ND_NO_MEMORY. */
	virtual HRESULT CreateMemoryRegion(REFIID iid, HANDLE hOverlappedFile,
					   void **ppMemoryRegion) = 0; /* vtable slot 7 */

	/* Creates an unbound memory window. ND_INSUFFICIENT_RESOURCES: there is no memory, or the
	 * adapter has reached its limit for regions plus windows. */
	virtual HRESULT CreateMemoryWindow(REFIID iid,
					   void **ppMemoryWindow) = 0; /* vtable slot 8 */

	/* Creates a shared receive queue. Arguments:
	 * - queueDepth: number of receives, 1 to MaxSharedReceiveQueueDepth
	 * - maxRequestSge: buffers of one receive, at most MaxReceiveSge
	 * - notifyThreshold: Notify completes when fewer receives than this number are left
	 * - group, affinity: no effect
	 *
	 * Errors: ND_NO_MEMORY. ND_INVALID_PARAMETER_3: queueDepth is out of range.
	 * ND_INVALID_PARAMETER_4: maxRequestSge is too large. */
	virtual HRESULT
	CreateSharedReceiveQueue(REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth,
				 ULONG maxRequestSge, ULONG notifyThreshold, USHORT group,
				 KAFFINITY affinity,
				 void **ppSharedReceiveQueue) = 0; /* vtable slot 9 */

	/* Creates a reliable connected queue pair. Arguments:
	 * - the two completion queues, which may be one object
	 * - context: returned in every result (ND2_RESULT.QueuePairContext)
	 * - queue depths: numbers of work requests
	 * - SGE limits: buffers per work request; 2 are always accepted
	 * - inlineDataSize: bytes
	 *
	 * Errors: ND_INSUFFICIENT_RESOURCES. ND_INVALID_PARAMETER_2 or _3: not a completion queue
	 * of this adapter. ND_INVALID_PARAMETER_5 to _9: the argument with this number exceeds the
	 * adapter's limit. */
	virtual HRESULT CreateQueuePair(REFIID iid, IUnknown *pReceiveCompletionQueue,
					IUnknown *pInitiatorCompletionQueue, void *context,
					ULONG receiveQueueDepth, ULONG initiatorQueueDepth,
					ULONG maxReceiveRequestSge, ULONG maxInitiatorRequestSge,
					ULONG inlineDataSize,
					void **ppQueuePair) = 0; /* vtable slot 10 */

	/* Creates a queue pair like CreateQueuePair, but with a shared receive queue. Results of
	 * the receives go to the queue pair's own receive completion queue. Errors:
	 * - ND_INVALID_PARAMETER_2 to _4: not an object of this adapter
	 * - ND_INVALID_PARAMETER_6 to _8: the argument with this number exceeds the adapter's
	 *   limit */
	virtual HRESULT CreateQueuePairWithSrq(REFIID iid, IUnknown *pReceiveCompletionQueue,
					       IUnknown *pInitiatorCompletionQueue,
					       IUnknown *pSharedReceiveQueue, void *context,
					       ULONG initiatorQueueDepth,
					       ULONG maxInitiatorRequestSge, ULONG inlineDataSize,
					       void **ppQueuePair) = 0; /* vtable slot 11 */

	/* Creates a connector without a local address. Errors: ND_NO_MEMORY.
	 * ND_INSUFFICIENT_RESOURCES: the adapter has reached its limit of connectors. */
	virtual HRESULT CreateConnector(REFIID iid, HANDLE hOverlappedFile,
					void **ppConnector) = 0; /* vtable slot 12 */

	/* Creates a listener without a local address. Errors: ND_NO_MEMORY. */
	virtual HRESULT CreateListener(REFIID iid, HANDLE hOverlappedFile,
				       void **ppListener) = 0; /* vtable slot 13 */
};

/* A queue with the results of work requests. A Notify request tells the client about new
 * results. */
struct IND2CompletionQueue : public IND2Overlapped {
	/* Returns group 0 and a mask of the CPUs on which the library's delivery thread may run.
	 * The affinity given at creation has no influence. Errors:
	 * - ND_INVALID_PARAMETER: a pointer is NULL
	 * - ND_NOT_SUPPORTED: none of the CPUs is among the first 64 */
	virtual HRESULT GetNotifyAffinity(USHORT *pGroup,
					  KAFFINITY *pAffinity) = 0; /* vtable slot 5 */

	/* Changes the depth of the queue, at any time. After an error the queue is unchanged.
	 * Errors: ND_INSUFFICIENT_RESOURCES. ND_INVALID_PARAMETER: queueDepth is not 1 to
	 * MaxCompletionQueueDepth. ND_BUFFER_OVERFLOW: the queue holds more unread results than
	 * queueDepth. */
	virtual HRESULT Resize(ULONG queueDepth) = 0; /* vtable slot 6 */

	/* Requests one notification. The request completes, depending on its type:
	 * - ND_CQ_NOTIFY_ANY: at the next result
	 * - ND_CQ_NOTIFY_SOLICITED: at the next failed result, or the next receive of a message
	 *   sent with ND_OP_FLAG_SEND_AND_SOLICIT_EVENT
	 * - ND_CQ_NOTIFY_ERRORS: when the completion queue itself fails
	 *
	 * An unread result that has not yet completed a Notify request counts as the next result.
	 * So no result between GetResults and Notify is missed. A result that completes one request
	 * completes all waiting requests, except those of type ND_CQ_NOTIFY_ERRORS. Errors:
	 * ND_INVALID_PARAMETER_1: unknown type. ND_BUFFER_OVERFLOW: the completion queue was
	 * overrun. */
	virtual HRESULT Notify(ULONG type, OVERLAPPED *pOverlapped) = 0; /* vtable slot 7 */

	/* Takes up to nResults results, oldest first. Returns the number of results taken, 0 if
	 * there are none. Results of one send queue or receive queue arrive in the order of its
	 * work requests. */
	virtual ULONG GetResults(ND2_RESULT results[], ULONG nResults) = 0; /* vtable slot 8 */
};

/* A queue of receives that is shared by queue pairs of one adapter. */
struct IND2SharedReceiveQueue : public IND2Overlapped {
	/* Returns the same values as IND2CompletionQueue::GetNotifyAffinity. */
	virtual HRESULT GetNotifyAffinity(USHORT *pGroup,
					  KAFFINITY *pAffinity) = 0; /* vtable slot 5 */

	/* Changes the depth and notifyThreshold, the latter also for waiting Notify requests. If an
	 * argument is 0, its setting is unchanged. After an error both settings are unchanged.
	 * Errors: ND_INSUFFICIENT_RESOURCES. ND_BUFFER_OVERFLOW: more receives than queueDepth are
	 * posted. ND_INVALID_PARAMETER: queueDepth exceeds MaxSharedReceiveQueueDepth. */
	virtual HRESULT Modify(ULONG queueDepth, ULONG notifyThreshold) = 0; /* vtable slot 6 */

	/* Requests one notification. The request completes when fewer receives than notifyThreshold
	 * are left, which may be at once. All waiting Notify requests complete together. */
	virtual HRESULT Notify(OVERLAPPED *pOverlapped) = 0; /* vtable slot 7 */

	/* Posts a receive. The result appears in the receive completion queue of the queue pair
	 * that takes the receive for a message. The sge array is copied. The buffers belong to the
	 * NIC until the result. Errors:
	 * - ND_NO_MORE_ENTRIES: the shared receive queue is full
	 * - ND_DATA_OVERRUN: too many buffers
	 * - ND_BUFFER_OVERFLOW: more bytes than MaxTransferLength
	 * - ND_INVALID_PARAMETER_2: sge is NULL though nSge is not 0 */
	virtual HRESULT Receive(void *requestContext, const ND2_SGE sge[],
				ULONG nSge) = 0; /* vtable slot 8 */
};

/* A region of memory. After Register, work requests may access the region. */
struct IND2MemoryRegion : public IND2Overlapped {
	/* Registers cbBuffer bytes with ND_MR_FLAG_ flags. The request completes at once. The
	 * buffer must stay mapped until Deregister. Pages of a buffer of at most 64 KB become
	 * resident. Errors:
	 * - ND_INVALID_BUFFER_SIZE: cbBuffer is 0
	 * - ND_INVALID_PARAMETER: pBuffer is NULL, or cbBuffer exceeds MaxRegistrationSize
	 * - ND_INVALID_PARAMETER_3: unknown flags
	 * - ND_ACCESS_VIOLATION: a page is not mapped, or its access rights do not allow the flags
	 * - ND_INVALID_DEVICE_STATE: the region is registered already */
	virtual HRESULT Register(const void *pBuffer, SIZE_T cbBuffer, ULONG flags,
				 OVERLAPPED *pOverlapped) = 0; /* vtable slot 5 */

	/* Ends the registration. The request completes at once. From then on the region's local and
	 * remote tokens are invalid. Errors: ND_DEVICE_BUSY: a memory window is bound to the
	 * region. ND_INVALID_DEVICE_STATE: the region is not registered. */
	virtual HRESULT Deregister(OVERLAPPED *pOverlapped) = 0; /* vtable slot 6 */

	/* Returns the token for ND2_SGE.MemoryRegionToken, or 0 while the region is not
	 * registered. */
	virtual UINT32 GetLocalToken() = 0; /* vtable slot 7 */

	/* Returns the token for the peer's Read and Write, or 0 while the region is not registered.
	 * The token is opaque and in network byte order: send the token to the peer unchanged. */
	virtual UINT32 GetRemoteToken() = 0; /* vtable slot 8 */
};

/* A part of a memory region. The peer may access this part while the memory window is bound. */
struct IND2MemoryWindow : public IUnknown {
	/* Returns the token of the last IND2QueuePair::Bind of this memory window, or 0 before the
	 * first Bind. The peer may use the token once that Bind has completed. The token is opaque
	 * and in network byte order: send the token to the peer unchanged. */
	virtual UINT32 GetRemoteToken() = 0; /* vtable slot 3 */
};

/* The send queue and receive queue of a reliable connection. A method that posts a work request
 * returns ND_SUCCESS if the request is queued. The outcome is an ND2_RESULT with the same
 * requestContext in the completion queue. With ND_OP_FLAG_SILENT_SUCCESS there is no ND2_RESULT of
 * a success. The sge array is copied. The buffers belong to the NIC until the request has
 * completed. Methods that post a work request also return:
 * - ND_CONNECTION_INVALID: the queue pair is not connected (Receive is allowed)
 * - ND_NO_MORE_ENTRIES: the send queue or receive queue is full
 * - ND_DATA_OVERRUN: more buffers than the queue pair was created for
 * - ND_BUFFER_OVERFLOW: more bytes than MaxTransferLength, or inline data of more bytes than
 *   inlineDataSize
 * - ND_INVALID_PARAMETER_2: sge is NULL though nSge is not 0 */
struct IND2QueuePair : public IUnknown {
	/* Ends all outstanding work requests with ND_CANCELED. Waits, for at most half a second,
	 * until GetResults can return their results. Afterwards the queue pair cannot be
	 * connected. */
	virtual HRESULT Flush() = 0; /* vtable slot 3 */

	/* Posts a message that the peer takes with a Receive. ND_INVALID_PARAMETER_4: flags has a
	 * bit other than these:
	 * - SILENT_SUCCESS, SEND_AND_SOLICIT_EVENT
	 * - READ_FENCE: start after all earlier Reads
	 * - INLINE: copy the data before the call returns, and ignore the tokens */
	virtual HRESULT Send(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			     ULONG flags) = 0; /* vtable slot 4 */

	/* Posts the buffers for one message of the peer. Allowed in any state of the connection. A
	 * Receive posted after the end of the connection gets the result ND_CANCELED.
	 * ND_INVALID_DEVICE_REQUEST: the queue pair has a shared receive queue. */
	virtual HRESULT Receive(void *requestContext, const ND2_SGE sge[],
				ULONG nSge) = 0; /* vtable slot 5 */

	/* Posts a work request that binds a memory window to a part of a registered region. flags:
	 * SILENT_SUCCESS, READ_FENCE, and the peer's rights ALLOW_READ, ALLOW_WRITE. Errors:
	 * - ND_INVALID_PARAMETER_2: not a region of this adapter
	 * - ND_INVALID_PARAMETER_3: not a memory window of this adapter
	 * - ND_INVALID_PARAMETER_6: other flags
	 * - ND_ACCESS_VIOLATION: the region is not registered; or the range lies outside the
	 *   region; or flags has ALLOW_WRITE but the region was registered without local write
	 *   access
	 * - ND_INVALID_DEVICE_STATE: the memory window is bound already */
	virtual HRESULT Bind(void *requestContext, IUnknown *pMemoryRegion, IUnknown *pMemoryWindow,
			     const void *pBuffer, SIZE_T cbBuffer,
			     ULONG flags) = 0; /* vtable slot 6 */

	/* Posts a work request that unbinds a memory window. Once the work request has completed,
	 * the window's token is invalid. The result is ND_INVALID_DEVICE_REQUEST if the window is
	 * not bound to this queue pair. flags: SILENT_SUCCESS, READ_FENCE. Errors:
	 * ND_INVALID_PARAMETER_2: not a memory window of this adapter. ND_INVALID_PARAMETER_3:
	 * other flags. */
	virtual HRESULT Invalidate(void *requestContext, IUnknown *pMemoryWindow,
				   ULONG flags) = 0; /* vtable slot 7 */

	/* Posts an RDMA Read from the peer's memory at remoteAddress into the buffers. remoteToken
	 * is from the peer's GetRemoteToken. flags: SILENT_SUCCESS, READ_FENCE; INLINE is ignored.
	 * Errors: ND_INVALID_PARAMETER_6: other flags. ND_INVALID_DEVICE_REQUEST: the outbound read
	 * limit is 0. */
	virtual HRESULT Read(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			     UINT64 remoteAddress, UINT32 remoteToken,
			     ULONG flags) = 0; /* vtable slot 8 */

	/* Posts an RDMA Write from the buffers to the peer's memory at remoteAddress. remoteToken
	 * is from the peer's GetRemoteToken. flags: SILENT_SUCCESS, READ_FENCE, INLINE.
	 * ND_INVALID_PARAMETER_6: other flags. */
	virtual HRESULT Write(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			      UINT64 remoteAddress, UINT32 remoteToken,
			      ULONG flags) = 0; /* vtable slot 9 */
};

/* One end of a connection. The active side calls Bind, Connect, CompleteConnect. The passive side
 * passes the connector to IND2Listener::GetConnectionRequest, then calls Accept or Reject. A method
 * called in the wrong state of the connector returns ND_CONNECTION_INVALID, ND_CONNECTION_ACTIVE,
 * ND_CONNECTION_ABORTED, ND_INVALID_DEVICE_STATE or STATUS_CONNECTION_DISCONNECTED. */
struct IND2Connector : public IND2Overlapped {
	/* Binds the connector to an address of the adapter or a wildcard address. Port number 0
	 * chooses a free port number. Errors:
	 * - ND_INSUFFICIENT_RESOURCES
	 * - ND_INVALID_ADDRESS: neither an address of the adapter nor a wildcard
	 * - ND_TOO_MANY_ADDRESSES: no port number is free
	 * - STATUS_ADDRESS_ALREADY_ASSOCIATED: the connector is bound already */
	virtual HRESULT Bind(const struct sockaddr *pAddress,
			     ULONG cbAddress) = 0; /* vtable slot 5 */

	/* Sends a connection request. The private data, up to MaxCallerData bytes, is copied. The
	 * read limits bound the RDMA Reads in flight from the peer (inbound) and to the peer
	 * (outbound). Larger read limits are reduced to the adapter's limits. The OVERLAPPED
	 * completes with:
	 * - ND_SUCCESS: the peer has accepted
	 * - ND_CONNECTION_REFUSED: the peer has rejected
	 * - ND_IO_TIMEOUT: the peer does not reply
	 * - ND_HOST_UNREACHABLE: the peer's link-layer address cannot be resolved
	 *
	 * Statuses returned at once:
	 * - ND_INVALID_PARAMETER_1: not a queue pair of this adapter
	 * - ND_INVALID_ADDRESS
	 * - STATUS_BAD_NETWORK_NAME: a wildcard address, or port 0
	 * - STATUS_ADDRESS_NOT_ASSOCIATED: the connector is not bound
	 * - ND_CONNECTION_ACTIVE: the queue pair was used before
	 * - ND_INVALID_BUFFER_SIZE, ND_ACCESS_VIOLATION: bad private data
	 * - ND_ADDRESS_ALREADY_EXISTS: a connection between these addresses and ports exists */
	virtual HRESULT Connect(IUnknown *pQueuePair, const struct sockaddr *pDestAddress,
				ULONG cbDestAddress, ULONG inboundReadLimit,
				ULONG outboundReadLimit, const void *pPrivateData,
				ULONG cbPrivateData,
				OVERLAPPED *pOverlapped) = 0; /* vtable slot 6 */

	/* Confirms, on the active side, a connection that the peer has accepted. Once the call has
	 * returned, the queue pair takes all work requests. The OVERLAPPED completes at once, with
	 * ND_CONNECTION_ABORTED if the peer has gone meanwhile. */
	virtual HRESULT CompleteConnect(OVERLAPPED *pOverlapped) = 0; /* vtable slot 7 */

	/* Accepts the connection request that the listener gave to this connector. Private data: up
	 * to MaxCalleeData bytes. Read limits are reduced to the peer's offer. Once the call has
	 * returned, the queue pair takes all work requests. Statuses returned at once: as for
	 * Connect. The OVERLAPPED completes with:
	 * - ND_SUCCESS: the peer has called CompleteConnect
	 * - ND_CONNECTION_REFUSED, ND_CONNECTION_ABORTED or ND_IO_TIMEOUT */
	virtual HRESULT Accept(IUnknown *pQueuePair, ULONG inboundReadLimit,
			       ULONG outboundReadLimit, const void *pPrivateData,
			       ULONG cbPrivateData,
			       OVERLAPPED *pOverlapped) = 0; /* vtable slot 8 */

	/* Passive side: rejects the connection request. Active side, in place of CompleteConnect:
	 * rejects the connection after the peer has accepted. Private data: up to MaxCalleeData
	 * bytes. ND_CONNECTION_ABORTED: the peer has gone meanwhile. */
	virtual HRESULT Reject(const void *pPrivateData,
			       ULONG cbPrivateData) = 0; /* vtable slot 9 */

	/* Returns the read limits. Either pointer may be NULL. On the passive side before Accept:
	 * the limits that the peer offers. After Accept or Connect: the negotiated limits. */
	virtual HRESULT GetReadLimits(ULONG *pInboundReadLimit,
				      ULONG *pOutboundReadLimit) = 0; /* vtable slot 10 */

	/* Copies the peer's private data, zero-padded to the size of the field in the CM message:
	 * 56 bytes in a REQ, 196 in a REP, 148 in a REJ. *pcbPrivateData: in, bytes of the buffer;
	 * out, bytes available. Errors:
	 * - ND_BUFFER_OVERFLOW: the buffer is NULL or too small; the part that fits is copied
	 * - ND_CONNECTION_INVALID: the peer has sent no private data */
	virtual HRESULT GetPrivateData(void *pPrivateData,
				       ULONG *pcbPrivateData) = 0; /* vtable slot 11 */

	/* Copies the connector's local address. *pcbAddress: in, bytes of the buffer; out, bytes
	 * needed. Errors: ND_BUFFER_OVERFLOW: the buffer is NULL or too small.
	 * ND_CONNECTION_INVALID: the connector has no address yet. */
	virtual HRESULT GetLocalAddress(struct sockaddr *pAddress,
					ULONG *pcbAddress) = 0; /* vtable slot 12 */

	/* Copies the peer's address, with the rules of GetLocalAddress. ND_CONNECTION_INVALID: no
	 * connection request or reply of the peer has arrived yet, or the connection has ended. */
	virtual HRESULT GetPeerAddress(struct sockaddr *pAddress,
				       ULONG *pcbAddress) = 0; /* vtable slot 13 */

	/* Requests a notification of the end of the connection. The OVERLAPPED completes with:
	 * - ND_SUCCESS: the peer disconnects or the connection fails; the queue pair is not flushed
	 *   yet
	 * - STATUS_CONNECTION_DISCONNECTED: this side disconnects */
	virtual HRESULT NotifyDisconnect(OVERLAPPED *pOverlapped) = 0; /* vtable slot 14 */

	/* Ends the connection. The OVERLAPPED completes with ND_SUCCESS when the peer has replied
	 * and the queue pair is flushed: outstanding work requests then have results (ND_CANCELED).
	 * If the peer does not reply, the OVERLAPPED also completes with ND_SUCCESS, after at most
	 * about 17 s. */
	virtual HRESULT Disconnect(OVERLAPPED *pOverlapped) = 0; /* vtable slot 15 */
};

/* The passive side of connections: gets the connection requests for a local address and port. */
struct IND2Listener : public IND2Overlapped {
	/* Binds the listener to a local address, with the rules and statuses of
	 * IND2Connector::Bind. ND_SHARING_VIOLATION: another listener has this address and port. */
	virtual HRESULT Bind(const struct sockaddr *pAddress,
			     ULONG cbAddress) = 0; /* vtable slot 5 */

	/* Starts to take connection requests. backlog: how many connection requests may wait for
	 * GetConnectionRequest; 0 = as many as the adapter has room for. Further connection
	 * requests are rejected. ND_INVALID_DEVICE_STATE: the listener is not bound, or is
	 * listening already. */
	virtual HRESULT Listen(ULONG backlog) = 0; /* vtable slot 6 */

	/* Copies the listener's address, with the rules of IND2Connector::GetLocalAddress.
	 * ND_INVALID_DEVICE_STATE: the listener is not bound. */
	virtual HRESULT GetLocalAddress(struct sockaddr *pAddress,
					ULONG *pcbAddress) = 0; /* vtable slot 7 */

	/* Waits for a connection request, which then goes to the connector. The oldest waiting call
	 * takes the oldest connection request. Errors:
	 * - ND_CONNECTION_ACTIVE: the connector was used before
	 * - ND_INVALID_PARAMETER_1: not a connector of this adapter
	 * - ND_CANCELED: the connector or the listener was released, or the client called
	 *   CancelOverlappedRequests of the listener
	 * - ND_INVALID_DEVICE_STATE: Listen was not called */
	virtual HRESULT GetConnectionRequest(IUnknown *pConnector,
					     OVERLAPPED *pOverlapped) = 0; /* vtable slot 8 */
};

#pragma GCC diagnostic pop
#pragma GCC visibility pop

#else /* the same interfaces for C; the C++ classes above describe the methods */

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
