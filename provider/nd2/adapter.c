/* An opened adapter: limits, addresses, and the creation of all other objects. Each OpenAdapter
 * makes an instance with its own protection domain, so tokens of one instance are invalid in
 * another instance. Any thread may call these functions. */
#include "nd2/nd2.h"

#include "os/file.h"
#include "nd2/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct nd_adapter *adapter_of(IND2Adapter *This)
{
	return (struct nd_adapter *)This;
}

/* Returns the counter of live protection domains. The NIC does not destroy a protection domain in
 * which a region or queue pair still exists. NdsLiveObjects then shows the protection domain as a
 * leak. */
static struct os_live *live_pds(void)
{
	return os_live_of("protection domain");
}

static void destroy(struct nd_object *obj)
{
	struct nd_adapter *adapter = (struct nd_adapter *)obj;

	if (rn_client_pd_destroy(adapter->dev->client, adapter->pd) == 0)
		os_live_remove(live_pds());
	pthread_mutex_destroy(&adapter->ties);
	pthread_mutex_destroy(&adapter->bindings);
	nd_device_put(adapter->dev);
	free(adapter);
	nd_provider_drop();
}

static ULONG least(ULONG a, ULONG b)
{
	return a < b ? a : b;
}

void nd_adapter_limits(const struct rn_link_info *nic, uint64_t id, ND2_ADAPTER_INFO *out)
{
	ULONG sge = least(nic->max_sge, ND_MAX_SGE);
	ULONG depth = least(nic->max_queue_depth, ND_MAX_QUEUE_DEPTH);
	ULONG reads = least(nic->max_rd_atomic, ND_MAX_READ_LIMIT);
	ULONG inl = least(nic->max_inline, ND_MAX_INLINE);

	*out = (ND2_ADAPTER_INFO){
		.InfoVersion = ND_VERSION_2,
		.VendorId = 0x5246, /* a number that is no assigned PCI vendor id */
		.DeviceId = 1,
		.AdapterId = id,
		.MaxRegistrationSize = nic->max_mr_bytes,
		.MaxWindowSize = nic->max_mr_bytes,
		.MaxInitiatorSge = sge,
		.MaxReceiveSge = sge,
		.MaxReadSge = sge,
		.MaxTransferLength = least(nic->max_msg, ND_MAX_TRANSFER),
		.MaxInlineDataSize = inl,
		.MaxInboundReadLimit = reads,
		.MaxOutboundReadLimit = reads,
		.MaxReceiveQueueDepth = depth,
		.MaxInitiatorQueueDepth = depth,
		.MaxSharedReceiveQueueDepth = least(nic->max_queue_depth, ND_MAX_SRQ_DEPTH),
		.MaxCompletionQueueDepth = least(nic->max_cqe, ND_MAX_CQ_DEPTH),
		.InlineRequestThreshold = least(inl, ND_INLINE_THRESHOLD),
		.LargeRequestThreshold = ND_LARGE_THRESHOLD,
		.MaxCallerData = ND_MAX_CALLER_DATA,
		.MaxCalleeData = ND_MAX_CALLEE_DATA,
		.AdapterFlags =
			ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED |
			ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED |
			(nic->features & RN_LINK_CQ_RESIZE ? ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED
							   : 0) |
			(nic->shards > 1 ? ND_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED : 0),
	};
}

/* ---- methods, in vtable order ---- */

ND_UNKNOWN_METHODS(IND2Adapter)

static HRESULT CreateOverlappedFile(IND2Adapter *This, HANDLE *phOverlappedFile)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return os_file_create(adapter_of(This)->number, phOverlappedFile);
}

static HRESULT Query(IND2Adapter *This, ND2_ADAPTER_INFO *pInfo, ULONG *pcbInfo)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	ULONG have = *pcbInfo;

	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	*pcbInfo = sizeof(*pInfo);
	if (pInfo == NULL || have < sizeof(*pInfo))
		return ND_BUFFER_OVERFLOW;
	memcpy(pInfo, &adapter_of(This)->limits, sizeof(*pInfo));
	return ND_SUCCESS;
}

static HRESULT QueryAddressList(IND2Adapter *This, SOCKET_ADDRESS_LIST *pAddressList,
				ULONG *pcbAddressList)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	const struct rn_link_info *info = adapter_of(This)->dev->info;

	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return nd_return_address_list(info->gids, info->ngids, pAddressList, pcbAddressList);
}

static HRESULT CreateCompletionQueue(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
				     ULONG queueDepth, USHORT group, KAFFINITY affinity,
				     void **ppCompletionQueue)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	*ppCompletionQueue = NULL;
	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return nd_cq_create(adapter_of(This), iid, hOverlappedFile, queueDepth,
			    group == 0 ? affinity : 0, ppCompletionQueue);
}

static HRESULT CreateMemoryRegion(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
				  void **ppMemoryRegion)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	*ppMemoryRegion = NULL;
	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return nd_mr_create(adapter_of(This), iid, hOverlappedFile, ppMemoryRegion);
}

static HRESULT CreateMemoryWindow(IND2Adapter *This, REFIID iid, void **ppMemoryWindow)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	*ppMemoryWindow = NULL;
	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return nd_mw_create(adapter_of(This), iid, ppMemoryWindow);
}

/* group and affinity are ignored, because one delivery thread publishes the notifications of all
 * SRQs and CQs. */
static HRESULT CreateSharedReceiveQueue(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
					ULONG queueDepth, ULONG maxRequestSge,
					ULONG notifyThreshold, USHORT group, KAFFINITY affinity,
					void **ppSharedReceiveQueue)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	const struct nd_srq_init init = {
		.depth = queueDepth,
		.max_sge = maxRequestSge,
		.threshold = notifyThreshold,
	};

	*ppSharedReceiveQueue = NULL;
	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return nd_srq_create(adapter_of(This), iid, hOverlappedFile, &init, ppSharedReceiveQueue);
}

static HRESULT CreateQueuePair(IND2Adapter *This, REFIID iid, IUnknown *pReceiveCompletionQueue,
			       IUnknown *pInitiatorCompletionQueue, void *context,
			       ULONG receiveQueueDepth, ULONG initiatorQueueDepth,
			       ULONG maxReceiveRequestSge, ULONG maxInitiatorRequestSge,
			       ULONG inlineDataSize, void **ppQueuePair)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_adapter *adapter = adapter_of(This);
	struct nd_qp_init init = {
		.recv_cq = (struct nd_cq *)nd_object_known(pReceiveCompletionQueue, &nd_cq_class),
		.send_cq = (struct nd_cq *)nd_object_known(pInitiatorCompletionQueue, &nd_cq_class),
		.context = context,
		.rq_depth = receiveQueueDepth,
		.sq_depth = initiatorQueueDepth,
		.rq_sge = maxReceiveRequestSge,
		.sq_sge = maxInitiatorRequestSge,
		.inline_bytes = inlineDataSize,
	};

	*ppQueuePair = NULL;
	if (nd_gone(adapter))
		return ND_DEVICE_REMOVED;
	if (init.recv_cq == NULL || init.recv_cq->async.adapter != adapter)
		return ND_INVALID_PARAMETER_2;
	if (init.send_cq == NULL || init.send_cq->async.adapter != adapter)
		return ND_INVALID_PARAMETER_3;
	if (receiveQueueDepth > adapter->limits.MaxReceiveQueueDepth)
		return ND_INVALID_PARAMETER_5;
	if (initiatorQueueDepth > adapter->limits.MaxInitiatorQueueDepth)
		return ND_INVALID_PARAMETER_6;
	if (maxReceiveRequestSge > adapter->limits.MaxReceiveSge)
		return ND_INVALID_PARAMETER_7;
	if (maxInitiatorRequestSge > adapter->limits.MaxInitiatorSge)
		return ND_INVALID_PARAMETER_8;
	if (inlineDataSize > adapter->limits.MaxInlineDataSize)
		return ND_INVALID_PARAMETER_9;
	return nd_qp_create(adapter, iid, &init, ppQueuePair);
}

static HRESULT CreateQueuePairWithSrq(IND2Adapter *This, REFIID iid,
				      IUnknown *pReceiveCompletionQueue,
				      IUnknown *pInitiatorCompletionQueue,
				      IUnknown *pSharedReceiveQueue, void *context,
				      ULONG initiatorQueueDepth, ULONG maxInitiatorRequestSge,
				      ULONG inlineDataSize, void **ppQueuePair)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct nd_adapter *adapter = adapter_of(This);
	struct nd_qp_init init = {
		.recv_cq = (struct nd_cq *)nd_object_known(pReceiveCompletionQueue, &nd_cq_class),
		.send_cq = (struct nd_cq *)nd_object_known(pInitiatorCompletionQueue, &nd_cq_class),
		.srq = (struct nd_srq *)nd_object_known(pSharedReceiveQueue, &nd_srq_class),
		.context = context,
		.sq_depth = initiatorQueueDepth,
		.sq_sge = maxInitiatorRequestSge,
		.inline_bytes = inlineDataSize,
	};

	*ppQueuePair = NULL;
	if (nd_gone(adapter))
		return ND_DEVICE_REMOVED;
	if (init.recv_cq == NULL || init.recv_cq->async.adapter != adapter)
		return ND_INVALID_PARAMETER_2;
	if (init.send_cq == NULL || init.send_cq->async.adapter != adapter)
		return ND_INVALID_PARAMETER_3;
	if (init.srq == NULL || init.srq->async.adapter != adapter)
		return ND_INVALID_PARAMETER_4;
	if (initiatorQueueDepth > adapter->limits.MaxInitiatorQueueDepth)
		return ND_INVALID_PARAMETER_6;
	if (maxInitiatorRequestSge > adapter->limits.MaxInitiatorSge)
		return ND_INVALID_PARAMETER_7;
	if (inlineDataSize > adapter->limits.MaxInlineDataSize)
		return ND_INVALID_PARAMETER_8;
	return nd_qp_create(adapter, iid, &init, ppQueuePair);
}

static HRESULT CreateConnector(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
			       void **ppConnector)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	*ppConnector = NULL;
	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return nd_connector_create(adapter_of(This), iid, hOverlappedFile, ppConnector);
}

static HRESULT CreateListener(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile,
			      void **ppListener)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	*ppListener = NULL;
	if (nd_gone(adapter_of(This)))
		return ND_DEVICE_REMOVED;
	return nd_listener_create(adapter_of(This), iid, hOverlappedFile, ppListener);
}

ND_VTABLE(IND2AdapterVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			CreateOverlappedFile,
			Query,
			QueryAddressList,
			CreateCompletionQueue,
			CreateMemoryRegion,
			CreateMemoryWindow,
			CreateSharedReceiveQueue,
			CreateQueuePair,
			CreateQueuePairWithSrq,
			CreateConnector,
			CreateListener,
		},
};

const struct nd_class nd_adapter_class = {
	.name = "adapter",
	.vtbl = &vtable.v,
	.own = &IID_IND2Adapter,
	.destroy = destroy,
};

/* Returns the status for an adapter that could not be opened. A shortage of memory or other
 * resources becomes ND_NO_MEMORY, the only status for a shortage that Microsoft documents for
 * OpenAdapter. A shortage of file descriptors stays ND_INSUFFICIENT_RESOURCES: a program can close
 * some files and try again. */
static HRESULT not_opened(int rc)
{
	HRESULT hr = nd_status_of_errno(rc);
	bool descriptors = rc == -EMFILE || rc == -ENFILE;

	return hr == ND_INSUFFICIENT_RESOURCES && !descriptors ? ND_NO_MEMORY : hr;
}

HRESULT nd_adapter_open(unsigned index, REFIID iid, void **out)
{
	static _Atomic uint64_t instances;
	struct nd_adapter *adapter;
	int rc;

	if (!nd_class_implements(&nd_adapter_class, iid))
		return E_NOINTERFACE;
	adapter = calloc(1, sizeof(*adapter));
	if (adapter == NULL)
		return ND_NO_MEMORY;
	rc = nd_device_get(index, &adapter->dev);
	if (rc != 0) {
		free(adapter);
		return not_opened(rc);
	}
	rc = rn_client_pd_create(adapter->dev->client, &adapter->pd);
	if (rc != 0) {
		nd_device_put(adapter->dev);
		free(adapter);
		return not_opened(rc);
	}
	os_live_add(live_pds());
	nd_object_init(&adapter->obj, &nd_adapter_class);
	adapter->number = atomic_fetch_add(&instances, 1) + 1;
	pthread_mutex_init(&adapter->ties, NULL);
	pthread_mutex_init(&adapter->bindings, NULL);
	nd_provider_addref();
	*out = adapter;
	return ND_SUCCESS;
}
