/* Recording objects for the C++ test: one object per NetworkDirect interface, written in C. Each
 * method only records the call: vtable slot, `this`, and every argument as received. */
#include "nd2_recorder.h"
#include "ndspi.h"

#include <stdarg.h>

struct nd2_call nd2_last_call;

static int32_t note(const void *self, unsigned int slot, unsigned int n_args, ...)
{
	va_list ap;

	nd2_last_call.self = self;
	nd2_last_call.slot = slot;
	nd2_last_call.n_args = n_args;
	va_start(ap, n_args);
	for (unsigned int i = 0; i < n_args; i++)
		nd2_last_call.arg[i] = va_arg(ap, uint64_t);
	va_end(ap);
	return nd2_answer(slot);
}

/* Converts a pointer or an integer to uint64_t. */
#define ARG(x) ((uint64_t)(x))

/* A vtable, behind the two words that precede slot 0 in the C++ ABI. */
#define TABLE(interface, name)           \
	static const struct {            \
		ptrdiff_t offset_to_top; \
		const void *type_info;   \
		interface##Vtbl slots;   \
	} name##_table

static HRESULT class_factory_query_interface(IClassFactory *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG class_factory_add_ref(IClassFactory *This)
{
	return note(This, 1, 0);
}

static ULONG class_factory_release(IClassFactory *This)
{
	return note(This, 2, 0);
}

static HRESULT class_factory_create_instance(IClassFactory *This, IUnknown *pUnkOuter, REFIID riid,
					     void **ppv)
{
	return note(This, 3, 3, ARG(pUnkOuter), ARG(riid), ARG(ppv));
}

static HRESULT class_factory_lock_server(IClassFactory *This, BOOL fLock)
{
	return note(This, 4, 1, ARG(fLock));
}

TABLE(IClassFactory, class_factory) = {
	.slots =
		{
			.QueryInterface = class_factory_query_interface,
			.AddRef = class_factory_add_ref,
			.Release = class_factory_release,
			.CreateInstance = class_factory_create_instance,
			.LockServer = class_factory_lock_server,
		},
};

static IClassFactory class_factory = {&class_factory_table.slots};
IClassFactory *const nd2_class_factory = &class_factory;

static HRESULT overlapped_query_interface(IND2Overlapped *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG overlapped_add_ref(IND2Overlapped *This)
{
	return note(This, 1, 0);
}

static ULONG overlapped_release(IND2Overlapped *This)
{
	return note(This, 2, 0);
}

static HRESULT overlapped_cancel_overlapped_requests(IND2Overlapped *This)
{
	return note(This, 3, 0);
}

static HRESULT overlapped_get_overlapped_result(IND2Overlapped *This, OVERLAPPED *pOverlapped,
						BOOL wait)
{
	return note(This, 4, 2, ARG(pOverlapped), ARG(wait));
}

TABLE(IND2Overlapped, overlapped) = {
	.slots =
		{
			.QueryInterface = overlapped_query_interface,
			.AddRef = overlapped_add_ref,
			.Release = overlapped_release,
			.CancelOverlappedRequests = overlapped_cancel_overlapped_requests,
			.GetOverlappedResult = overlapped_get_overlapped_result,
		},
};

static IND2Overlapped overlapped = {&overlapped_table.slots};
IND2Overlapped *const nd2_overlapped = &overlapped;

static HRESULT provider_query_interface(IND2Provider *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG provider_add_ref(IND2Provider *This)
{
	return note(This, 1, 0);
}

static ULONG provider_release(IND2Provider *This)
{
	return note(This, 2, 0);
}

static HRESULT provider_query_address_list(IND2Provider *This, SOCKET_ADDRESS_LIST *pAddressList,
					   ULONG *pcbAddressList)
{
	return note(This, 3, 2, ARG(pAddressList), ARG(pcbAddressList));
}

static HRESULT provider_resolve_address(IND2Provider *This, const struct sockaddr *pAddress,
					ULONG cbAddress, UINT64 *pAdapterId)
{
	return note(This, 4, 3, ARG(pAddress), ARG(cbAddress), ARG(pAdapterId));
}

static HRESULT provider_open_adapter(IND2Provider *This, REFIID iid, UINT64 adapterId,
				     void **ppAdapter)
{
	return note(This, 5, 3, ARG(iid), ARG(adapterId), ARG(ppAdapter));
}

TABLE(IND2Provider, provider) = {
	.slots =
		{
			.QueryInterface = provider_query_interface,
			.AddRef = provider_add_ref,
			.Release = provider_release,
			.QueryAddressList = provider_query_address_list,
			.ResolveAddress = provider_resolve_address,
			.OpenAdapter = provider_open_adapter,
		},
};

static IND2Provider provider = {&provider_table.slots};
IND2Provider *const nd2_provider = &provider;

static HRESULT adapter_query_interface(IND2Adapter *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG adapter_add_ref(IND2Adapter *This)
{
	return note(This, 1, 0);
}

static ULONG adapter_release(IND2Adapter *This)
{
	return note(This, 2, 0);
}

static HRESULT adapter_create_overlapped_file(IND2Adapter *This, HANDLE *phOverlappedFile)
{
	return note(This, 3, 1, ARG(phOverlappedFile));
}

static HRESULT adapter_query(IND2Adapter *This, ND2_ADAPTER_INFO *pInfo, ULONG *pcbInfo)
{
	return note(This, 4, 2, ARG(pInfo), ARG(pcbInfo));
}

static HRESULT adapter_query_address_list(IND2Adapter *This, SOCKET_ADDRESS_LIST *pAddressList,
					  ULONG *pcbAddressList)
{
	return note(This, 5, 2, ARG(pAddressList), ARG(pcbAddressList));
}

static HRESULT adapter_create_completion_queue(IND2Adapter *This, REFIID iid,
					       HANDLE hOverlappedFile, ULONG queueDepth,
					       USHORT group, KAFFINITY affinity,
					       void **ppCompletionQueue)
{
	return note(This, 6, 6, ARG(iid), ARG(hOverlappedFile), ARG(queueDepth), ARG(group),
		    ARG(affinity), ARG(ppCompletionQueue));
}

static HRESULT adapter_create_memory_region(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
					    void **ppMemoryRegion)
{
	return note(This, 7, 3, ARG(iid), ARG(hOverlappedFile), ARG(ppMemoryRegion));
}

static HRESULT adapter_create_memory_window(IND2Adapter *This, REFIID iid, void **ppMemoryWindow)
{
	return note(This, 8, 2, ARG(iid), ARG(ppMemoryWindow));
}

static HRESULT adapter_create_shared_receive_queue(IND2Adapter *This, REFIID iid,
						   HANDLE hOverlappedFile, ULONG queueDepth,
						   ULONG maxRequestSge, ULONG notifyThreshold,
						   USHORT group, KAFFINITY affinity,
						   void **ppSharedReceiveQueue)
{
	return note(This, 9, 8, ARG(iid), ARG(hOverlappedFile), ARG(queueDepth), ARG(maxRequestSge),
		    ARG(notifyThreshold), ARG(group), ARG(affinity), ARG(ppSharedReceiveQueue));
}

static HRESULT adapter_create_queue_pair(IND2Adapter *This, REFIID iid,
					 IUnknown *pReceiveCompletionQueue,
					 IUnknown *pInitiatorCompletionQueue, void *context,
					 ULONG receiveQueueDepth, ULONG initiatorQueueDepth,
					 ULONG maxReceiveRequestSge, ULONG maxInitiatorRequestSge,
					 ULONG inlineDataSize, void **ppQueuePair)
{
	return note(This, 10, 10, ARG(iid), ARG(pReceiveCompletionQueue),
		    ARG(pInitiatorCompletionQueue), ARG(context), ARG(receiveQueueDepth),
		    ARG(initiatorQueueDepth), ARG(maxReceiveRequestSge),
		    ARG(maxInitiatorRequestSge), ARG(inlineDataSize), ARG(ppQueuePair));
}

static HRESULT adapter_create_queue_pair_with_srq(IND2Adapter *This, REFIID iid,
						  IUnknown *pReceiveCompletionQueue,
						  IUnknown *pInitiatorCompletionQueue,
						  IUnknown *pSharedReceiveQueue, void *context,
						  ULONG initiatorQueueDepth,
						  ULONG maxInitiatorRequestSge,
						  ULONG inlineDataSize, void **ppQueuePair)
{
	return note(This, 11, 9, ARG(iid), ARG(pReceiveCompletionQueue),
		    ARG(pInitiatorCompletionQueue), ARG(pSharedReceiveQueue), ARG(context),
		    ARG(initiatorQueueDepth), ARG(maxInitiatorRequestSge), ARG(inlineDataSize),
		    ARG(ppQueuePair));
}

static HRESULT adapter_create_connector(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
					void **ppConnector)
{
	return note(This, 12, 3, ARG(iid), ARG(hOverlappedFile), ARG(ppConnector));
}

static HRESULT adapter_create_listener(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
				       void **ppListener)
{
	return note(This, 13, 3, ARG(iid), ARG(hOverlappedFile), ARG(ppListener));
}

TABLE(IND2Adapter, adapter) = {
	.slots =
		{
			.QueryInterface = adapter_query_interface,
			.AddRef = adapter_add_ref,
			.Release = adapter_release,
			.CreateOverlappedFile = adapter_create_overlapped_file,
			.Query = adapter_query,
			.QueryAddressList = adapter_query_address_list,
			.CreateCompletionQueue = adapter_create_completion_queue,
			.CreateMemoryRegion = adapter_create_memory_region,
			.CreateMemoryWindow = adapter_create_memory_window,
			.CreateSharedReceiveQueue = adapter_create_shared_receive_queue,
			.CreateQueuePair = adapter_create_queue_pair,
			.CreateQueuePairWithSrq = adapter_create_queue_pair_with_srq,
			.CreateConnector = adapter_create_connector,
			.CreateListener = adapter_create_listener,
		},
};

static IND2Adapter adapter = {&adapter_table.slots};
IND2Adapter *const nd2_adapter = &adapter;

static HRESULT completion_queue_query_interface(IND2CompletionQueue *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG completion_queue_add_ref(IND2CompletionQueue *This)
{
	return note(This, 1, 0);
}

static ULONG completion_queue_release(IND2CompletionQueue *This)
{
	return note(This, 2, 0);
}

static HRESULT completion_queue_cancel_overlapped_requests(IND2CompletionQueue *This)
{
	return note(This, 3, 0);
}

static HRESULT completion_queue_get_overlapped_result(IND2CompletionQueue *This,
						      OVERLAPPED *pOverlapped, BOOL wait)
{
	return note(This, 4, 2, ARG(pOverlapped), ARG(wait));
}

static HRESULT completion_queue_get_notify_affinity(IND2CompletionQueue *This, USHORT *pGroup,
						    KAFFINITY *pAffinity)
{
	return note(This, 5, 2, ARG(pGroup), ARG(pAffinity));
}

static HRESULT completion_queue_resize(IND2CompletionQueue *This, ULONG queueDepth)
{
	return note(This, 6, 1, ARG(queueDepth));
}

static HRESULT completion_queue_notify(IND2CompletionQueue *This, ULONG type,
				       OVERLAPPED *pOverlapped)
{
	return note(This, 7, 2, ARG(type), ARG(pOverlapped));
}

static ULONG completion_queue_get_results(IND2CompletionQueue *This, ND2_RESULT results[],
					  ULONG nResults)
{
	return note(This, 8, 2, ARG(results), ARG(nResults));
}

TABLE(IND2CompletionQueue, completion_queue) = {
	.slots =
		{
			.QueryInterface = completion_queue_query_interface,
			.AddRef = completion_queue_add_ref,
			.Release = completion_queue_release,
			.CancelOverlappedRequests = completion_queue_cancel_overlapped_requests,
			.GetOverlappedResult = completion_queue_get_overlapped_result,
			.GetNotifyAffinity = completion_queue_get_notify_affinity,
			.Resize = completion_queue_resize,
			.Notify = completion_queue_notify,
			.GetResults = completion_queue_get_results,
		},
};

static IND2CompletionQueue completion_queue = {&completion_queue_table.slots};
IND2CompletionQueue *const nd2_completion_queue = &completion_queue;

static HRESULT shared_receive_queue_query_interface(IND2SharedReceiveQueue *This, REFIID riid,
						    void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG shared_receive_queue_add_ref(IND2SharedReceiveQueue *This)
{
	return note(This, 1, 0);
}

static ULONG shared_receive_queue_release(IND2SharedReceiveQueue *This)
{
	return note(This, 2, 0);
}

static HRESULT shared_receive_queue_cancel_overlapped_requests(IND2SharedReceiveQueue *This)
{
	return note(This, 3, 0);
}

static HRESULT shared_receive_queue_get_overlapped_result(IND2SharedReceiveQueue *This,
							  OVERLAPPED *pOverlapped, BOOL wait)
{
	return note(This, 4, 2, ARG(pOverlapped), ARG(wait));
}

static HRESULT shared_receive_queue_get_notify_affinity(IND2SharedReceiveQueue *This,
							USHORT *pGroup, KAFFINITY *pAffinity)
{
	return note(This, 5, 2, ARG(pGroup), ARG(pAffinity));
}

static HRESULT shared_receive_queue_modify(IND2SharedReceiveQueue *This, ULONG queueDepth,
					   ULONG notifyThreshold)
{
	return note(This, 6, 2, ARG(queueDepth), ARG(notifyThreshold));
}

static HRESULT shared_receive_queue_notify(IND2SharedReceiveQueue *This, OVERLAPPED *pOverlapped)
{
	return note(This, 7, 1, ARG(pOverlapped));
}

static HRESULT shared_receive_queue_receive(IND2SharedReceiveQueue *This, void *requestContext,
					    const ND2_SGE sge[], ULONG nSge)
{
	return note(This, 8, 3, ARG(requestContext), ARG(sge), ARG(nSge));
}

TABLE(IND2SharedReceiveQueue, shared_receive_queue) = {
	.slots =
		{
			.QueryInterface = shared_receive_queue_query_interface,
			.AddRef = shared_receive_queue_add_ref,
			.Release = shared_receive_queue_release,
			.CancelOverlappedRequests = shared_receive_queue_cancel_overlapped_requests,
			.GetOverlappedResult = shared_receive_queue_get_overlapped_result,
			.GetNotifyAffinity = shared_receive_queue_get_notify_affinity,
			.Modify = shared_receive_queue_modify,
			.Notify = shared_receive_queue_notify,
			.Receive = shared_receive_queue_receive,
		},
};

static IND2SharedReceiveQueue shared_receive_queue = {&shared_receive_queue_table.slots};
IND2SharedReceiveQueue *const nd2_shared_receive_queue = &shared_receive_queue;

static HRESULT memory_region_query_interface(IND2MemoryRegion *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG memory_region_add_ref(IND2MemoryRegion *This)
{
	return note(This, 1, 0);
}

static ULONG memory_region_release(IND2MemoryRegion *This)
{
	return note(This, 2, 0);
}

static HRESULT memory_region_cancel_overlapped_requests(IND2MemoryRegion *This)
{
	return note(This, 3, 0);
}

static HRESULT memory_region_get_overlapped_result(IND2MemoryRegion *This, OVERLAPPED *pOverlapped,
						   BOOL wait)
{
	return note(This, 4, 2, ARG(pOverlapped), ARG(wait));
}

static HRESULT memory_region_register(IND2MemoryRegion *This, const void *pBuffer, SIZE_T cbBuffer,
				      ULONG flags, OVERLAPPED *pOverlapped)
{
	return note(This, 5, 4, ARG(pBuffer), ARG(cbBuffer), ARG(flags), ARG(pOverlapped));
}

static HRESULT memory_region_deregister(IND2MemoryRegion *This, OVERLAPPED *pOverlapped)
{
	return note(This, 6, 1, ARG(pOverlapped));
}

static UINT32 memory_region_get_local_token(IND2MemoryRegion *This)
{
	return note(This, 7, 0);
}

static UINT32 memory_region_get_remote_token(IND2MemoryRegion *This)
{
	return note(This, 8, 0);
}

TABLE(IND2MemoryRegion, memory_region) = {
	.slots =
		{
			.QueryInterface = memory_region_query_interface,
			.AddRef = memory_region_add_ref,
			.Release = memory_region_release,
			.CancelOverlappedRequests = memory_region_cancel_overlapped_requests,
			.GetOverlappedResult = memory_region_get_overlapped_result,
			.Register = memory_region_register,
			.Deregister = memory_region_deregister,
			.GetLocalToken = memory_region_get_local_token,
			.GetRemoteToken = memory_region_get_remote_token,
		},
};

static IND2MemoryRegion memory_region = {&memory_region_table.slots};
IND2MemoryRegion *const nd2_memory_region = &memory_region;

static HRESULT memory_window_query_interface(IND2MemoryWindow *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG memory_window_add_ref(IND2MemoryWindow *This)
{
	return note(This, 1, 0);
}

static ULONG memory_window_release(IND2MemoryWindow *This)
{
	return note(This, 2, 0);
}

static UINT32 memory_window_get_remote_token(IND2MemoryWindow *This)
{
	return note(This, 3, 0);
}

TABLE(IND2MemoryWindow, memory_window) = {
	.slots =
		{
			.QueryInterface = memory_window_query_interface,
			.AddRef = memory_window_add_ref,
			.Release = memory_window_release,
			.GetRemoteToken = memory_window_get_remote_token,
		},
};

static IND2MemoryWindow memory_window = {&memory_window_table.slots};
IND2MemoryWindow *const nd2_memory_window = &memory_window;

static HRESULT queue_pair_query_interface(IND2QueuePair *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG queue_pair_add_ref(IND2QueuePair *This)
{
	return note(This, 1, 0);
}

static ULONG queue_pair_release(IND2QueuePair *This)
{
	return note(This, 2, 0);
}

static HRESULT queue_pair_flush(IND2QueuePair *This)
{
	return note(This, 3, 0);
}

static HRESULT queue_pair_send(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[],
			       ULONG nSge, ULONG flags)
{
	return note(This, 4, 4, ARG(requestContext), ARG(sge), ARG(nSge), ARG(flags));
}

static HRESULT queue_pair_receive(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[],
				  ULONG nSge)
{
	return note(This, 5, 3, ARG(requestContext), ARG(sge), ARG(nSge));
}

static HRESULT queue_pair_bind(IND2QueuePair *This, void *requestContext, IUnknown *pMemoryRegion,
			       IUnknown *pMemoryWindow, const void *pBuffer, SIZE_T cbBuffer,
			       ULONG flags)
{
	return note(This, 6, 6, ARG(requestContext), ARG(pMemoryRegion), ARG(pMemoryWindow),
		    ARG(pBuffer), ARG(cbBuffer), ARG(flags));
}

static HRESULT queue_pair_invalidate(IND2QueuePair *This, void *requestContext,
				     IUnknown *pMemoryWindow, ULONG flags)
{
	return note(This, 7, 3, ARG(requestContext), ARG(pMemoryWindow), ARG(flags));
}

static HRESULT queue_pair_read(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[],
			       ULONG nSge, UINT64 remoteAddress, UINT32 remoteToken, ULONG flags)
{
	return note(This, 8, 6, ARG(requestContext), ARG(sge), ARG(nSge), ARG(remoteAddress),
		    ARG(remoteToken), ARG(flags));
}

static HRESULT queue_pair_write(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[],
				ULONG nSge, UINT64 remoteAddress, UINT32 remoteToken, ULONG flags)
{
	return note(This, 9, 6, ARG(requestContext), ARG(sge), ARG(nSge), ARG(remoteAddress),
		    ARG(remoteToken), ARG(flags));
}

TABLE(IND2QueuePair, queue_pair) = {
	.slots =
		{
			.QueryInterface = queue_pair_query_interface,
			.AddRef = queue_pair_add_ref,
			.Release = queue_pair_release,
			.Flush = queue_pair_flush,
			.Send = queue_pair_send,
			.Receive = queue_pair_receive,
			.Bind = queue_pair_bind,
			.Invalidate = queue_pair_invalidate,
			.Read = queue_pair_read,
			.Write = queue_pair_write,
		},
};

static IND2QueuePair queue_pair = {&queue_pair_table.slots};
IND2QueuePair *const nd2_queue_pair = &queue_pair;

static HRESULT connector_query_interface(IND2Connector *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG connector_add_ref(IND2Connector *This)
{
	return note(This, 1, 0);
}

static ULONG connector_release(IND2Connector *This)
{
	return note(This, 2, 0);
}

static HRESULT connector_cancel_overlapped_requests(IND2Connector *This)
{
	return note(This, 3, 0);
}

static HRESULT connector_get_overlapped_result(IND2Connector *This, OVERLAPPED *pOverlapped,
					       BOOL wait)
{
	return note(This, 4, 2, ARG(pOverlapped), ARG(wait));
}

static HRESULT connector_bind(IND2Connector *This, const struct sockaddr *pAddress, ULONG cbAddress)
{
	return note(This, 5, 2, ARG(pAddress), ARG(cbAddress));
}

static HRESULT connector_connect(IND2Connector *This, IUnknown *pQueuePair,
				 const struct sockaddr *pDestAddress, ULONG cbDestAddress,
				 ULONG inboundReadLimit, ULONG outboundReadLimit,
				 const void *pPrivateData, ULONG cbPrivateData,
				 OVERLAPPED *pOverlapped)
{
	return note(This, 6, 8, ARG(pQueuePair), ARG(pDestAddress), ARG(cbDestAddress),
		    ARG(inboundReadLimit), ARG(outboundReadLimit), ARG(pPrivateData),
		    ARG(cbPrivateData), ARG(pOverlapped));
}

static HRESULT connector_complete_connect(IND2Connector *This, OVERLAPPED *pOverlapped)
{
	return note(This, 7, 1, ARG(pOverlapped));
}

static HRESULT connector_accept(IND2Connector *This, IUnknown *pQueuePair, ULONG inboundReadLimit,
				ULONG outboundReadLimit, const void *pPrivateData,
				ULONG cbPrivateData, OVERLAPPED *pOverlapped)
{
	return note(This, 8, 6, ARG(pQueuePair), ARG(inboundReadLimit), ARG(outboundReadLimit),
		    ARG(pPrivateData), ARG(cbPrivateData), ARG(pOverlapped));
}

static HRESULT connector_reject(IND2Connector *This, const void *pPrivateData, ULONG cbPrivateData)
{
	return note(This, 9, 2, ARG(pPrivateData), ARG(cbPrivateData));
}

static HRESULT connector_get_read_limits(IND2Connector *This, ULONG *pInboundReadLimit,
					 ULONG *pOutboundReadLimit)
{
	return note(This, 10, 2, ARG(pInboundReadLimit), ARG(pOutboundReadLimit));
}

static HRESULT connector_get_private_data(IND2Connector *This, void *pPrivateData,
					  ULONG *pcbPrivateData)
{
	return note(This, 11, 2, ARG(pPrivateData), ARG(pcbPrivateData));
}

static HRESULT connector_get_local_address(IND2Connector *This, struct sockaddr *pAddress,
					   ULONG *pcbAddress)
{
	return note(This, 12, 2, ARG(pAddress), ARG(pcbAddress));
}

static HRESULT connector_get_peer_address(IND2Connector *This, struct sockaddr *pAddress,
					  ULONG *pcbAddress)
{
	return note(This, 13, 2, ARG(pAddress), ARG(pcbAddress));
}

static HRESULT connector_notify_disconnect(IND2Connector *This, OVERLAPPED *pOverlapped)
{
	return note(This, 14, 1, ARG(pOverlapped));
}

static HRESULT connector_disconnect(IND2Connector *This, OVERLAPPED *pOverlapped)
{
	return note(This, 15, 1, ARG(pOverlapped));
}

TABLE(IND2Connector, connector) = {
	.slots =
		{
			.QueryInterface = connector_query_interface,
			.AddRef = connector_add_ref,
			.Release = connector_release,
			.CancelOverlappedRequests = connector_cancel_overlapped_requests,
			.GetOverlappedResult = connector_get_overlapped_result,
			.Bind = connector_bind,
			.Connect = connector_connect,
			.CompleteConnect = connector_complete_connect,
			.Accept = connector_accept,
			.Reject = connector_reject,
			.GetReadLimits = connector_get_read_limits,
			.GetPrivateData = connector_get_private_data,
			.GetLocalAddress = connector_get_local_address,
			.GetPeerAddress = connector_get_peer_address,
			.NotifyDisconnect = connector_notify_disconnect,
			.Disconnect = connector_disconnect,
		},
};

static IND2Connector connector = {&connector_table.slots};
IND2Connector *const nd2_connector = &connector;

static HRESULT listener_query_interface(IND2Listener *This, REFIID riid, void **ppv)
{
	return note(This, 0, 2, ARG(riid), ARG(ppv));
}

static ULONG listener_add_ref(IND2Listener *This)
{
	return note(This, 1, 0);
}

static ULONG listener_release(IND2Listener *This)
{
	return note(This, 2, 0);
}

static HRESULT listener_cancel_overlapped_requests(IND2Listener *This)
{
	return note(This, 3, 0);
}

static HRESULT listener_get_overlapped_result(IND2Listener *This, OVERLAPPED *pOverlapped,
					      BOOL wait)
{
	return note(This, 4, 2, ARG(pOverlapped), ARG(wait));
}

static HRESULT listener_bind(IND2Listener *This, const struct sockaddr *pAddress, ULONG cbAddress)
{
	return note(This, 5, 2, ARG(pAddress), ARG(cbAddress));
}

static HRESULT listener_listen(IND2Listener *This, ULONG backlog)
{
	return note(This, 6, 1, ARG(backlog));
}

static HRESULT listener_get_local_address(IND2Listener *This, struct sockaddr *pAddress,
					  ULONG *pcbAddress)
{
	return note(This, 7, 2, ARG(pAddress), ARG(pcbAddress));
}

static HRESULT listener_get_connection_request(IND2Listener *This, IUnknown *pConnector,
					       OVERLAPPED *pOverlapped)
{
	return note(This, 8, 2, ARG(pConnector), ARG(pOverlapped));
}

TABLE(IND2Listener, listener) = {
	.slots =
		{
			.QueryInterface = listener_query_interface,
			.AddRef = listener_add_ref,
			.Release = listener_release,
			.CancelOverlappedRequests = listener_cancel_overlapped_requests,
			.GetOverlappedResult = listener_get_overlapped_result,
			.Bind = listener_bind,
			.Listen = listener_listen,
			.GetLocalAddress = listener_get_local_address,
			.GetConnectionRequest = listener_get_connection_request,
		},
};

static IND2Listener listener = {&listener_table.slots};
IND2Listener *const nd2_listener = &listener;
