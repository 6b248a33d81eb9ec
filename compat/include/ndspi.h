/*
 * Includes the ndspi.h of softrnic and the headers that ndspi.h includes on Windows. Also defines
 * macros for C in the style of COM: IND2Adapter_Query(p, ...) calls p->lpVtbl->Query(p, ...).
 */
#ifndef COMPAT_NDSPI_H
#define COMPAT_NDSPI_H

#include <winsock2.h>
#include <unknwn.h>
#include_next <ndspi.h>

#ifndef __cplusplus

#define IND2Overlapped_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2Overlapped_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2Overlapped_Release(This) (This)->lpVtbl->Release((This))
#define IND2Overlapped_CancelOverlappedRequests(This) \
	(This)->lpVtbl->CancelOverlappedRequests((This))
#define IND2Overlapped_GetOverlappedResult(This, pOverlapped, wait) \
	(This)->lpVtbl->GetOverlappedResult((This), (pOverlapped), (wait))

#define IND2Provider_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2Provider_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2Provider_Release(This) (This)->lpVtbl->Release((This))
#define IND2Provider_QueryAddressList(This, pAddressList, pcbAddressList) \
	(This)->lpVtbl->QueryAddressList((This), (pAddressList), (pcbAddressList))
#define IND2Provider_ResolveAddress(This, pAddress, cbAddress, pAdapterId) \
	(This)->lpVtbl->ResolveAddress((This), (pAddress), (cbAddress), (pAdapterId))
#define IND2Provider_OpenAdapter(This, iid, adapterId, ppAdapter) \
	(This)->lpVtbl->OpenAdapter((This), (iid), (adapterId), (ppAdapter))

#define IND2Adapter_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2Adapter_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2Adapter_Release(This) (This)->lpVtbl->Release((This))
#define IND2Adapter_CreateOverlappedFile(This, phOverlappedFile) \
	(This)->lpVtbl->CreateOverlappedFile((This), (phOverlappedFile))
#define IND2Adapter_Query(This, pInfo, pcbInfo) (This)->lpVtbl->Query((This), (pInfo), (pcbInfo))
#define IND2Adapter_QueryAddressList(This, pAddressList, pcbAddressList) \
	(This)->lpVtbl->QueryAddressList((This), (pAddressList), (pcbAddressList))
#define IND2Adapter_CreateCompletionQueue(This, iid, hOverlappedFile, queueDepth, group, affinity, \
					  ppCompletionQueue)                                       \
	(This)->lpVtbl->CreateCompletionQueue((This), (iid), (hOverlappedFile), (queueDepth),      \
					      (group), (affinity), (ppCompletionQueue))
#define IND2Adapter_CreateMemoryRegion(This, iid, hOverlappedFile, ppMemoryRegion) \
	(This)->lpVtbl->CreateMemoryRegion((This), (iid), (hOverlappedFile), (ppMemoryRegion))
#define IND2Adapter_CreateMemoryWindow(This, iid, ppMemoryWindow) \
	(This)->lpVtbl->CreateMemoryWindow((This), (iid), (ppMemoryWindow))
#define IND2Adapter_CreateSharedReceiveQueue(This, iid, hOverlappedFile, queueDepth,             \
					     maxRequestSge, notifyThreshold, group, affinity,    \
					     ppSharedReceiveQueue)                               \
	(This)->lpVtbl->CreateSharedReceiveQueue((This), (iid), (hOverlappedFile), (queueDepth), \
						 (maxRequestSge), (notifyThreshold), (group),    \
						 (affinity), (ppSharedReceiveQueue))
#define IND2Adapter_CreateQueuePair(This, iid, pReceiveCompletionQueue, pInitiatorCompletionQueue, \
				    context, receiveQueueDepth, initiatorQueueDepth,               \
				    maxReceiveRequestSge, maxInitiatorRequestSge, inlineDataSize,  \
				    ppQueuePair)                                                   \
	(This)->lpVtbl->CreateQueuePair(                                                           \
		(This), (iid), (pReceiveCompletionQueue), (pInitiatorCompletionQueue), (context),  \
		(receiveQueueDepth), (initiatorQueueDepth), (maxReceiveRequestSge),                \
		(maxInitiatorRequestSge), (inlineDataSize), (ppQueuePair))
#define IND2Adapter_CreateQueuePairWithSrq(                                                        \
	This, iid, pReceiveCompletionQueue, pInitiatorCompletionQueue, pSharedReceiveQueue,        \
	context, initiatorQueueDepth, maxInitiatorRequestSge, inlineDataSize, ppQueuePair)         \
	(This)->lpVtbl->CreateQueuePairWithSrq(                                                    \
		(This), (iid), (pReceiveCompletionQueue), (pInitiatorCompletionQueue),             \
		(pSharedReceiveQueue), (context), (initiatorQueueDepth), (maxInitiatorRequestSge), \
		(inlineDataSize), (ppQueuePair))
#define IND2Adapter_CreateConnector(This, iid, hOverlappedFile, ppConnector) \
	(This)->lpVtbl->CreateConnector((This), (iid), (hOverlappedFile), (ppConnector))
#define IND2Adapter_CreateListener(This, iid, hOverlappedFile, ppListener) \
	(This)->lpVtbl->CreateListener((This), (iid), (hOverlappedFile), (ppListener))

#define IND2CompletionQueue_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2CompletionQueue_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2CompletionQueue_Release(This) (This)->lpVtbl->Release((This))
#define IND2CompletionQueue_CancelOverlappedRequests(This) \
	(This)->lpVtbl->CancelOverlappedRequests((This))
#define IND2CompletionQueue_GetOverlappedResult(This, pOverlapped, wait) \
	(This)->lpVtbl->GetOverlappedResult((This), (pOverlapped), (wait))
#define IND2CompletionQueue_GetNotifyAffinity(This, pGroup, pAffinity) \
	(This)->lpVtbl->GetNotifyAffinity((This), (pGroup), (pAffinity))
#define IND2CompletionQueue_Resize(This, queueDepth) (This)->lpVtbl->Resize((This), (queueDepth))
#define IND2CompletionQueue_Notify(This, type, pOverlapped) \
	(This)->lpVtbl->Notify((This), (type), (pOverlapped))
#define IND2CompletionQueue_GetResults(This, results, nResults) \
	(This)->lpVtbl->GetResults((This), (results), (nResults))

#define IND2SharedReceiveQueue_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2SharedReceiveQueue_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2SharedReceiveQueue_Release(This) (This)->lpVtbl->Release((This))
#define IND2SharedReceiveQueue_CancelOverlappedRequests(This) \
	(This)->lpVtbl->CancelOverlappedRequests((This))
#define IND2SharedReceiveQueue_GetOverlappedResult(This, pOverlapped, wait) \
	(This)->lpVtbl->GetOverlappedResult((This), (pOverlapped), (wait))
#define IND2SharedReceiveQueue_GetNotifyAffinity(This, pGroup, pAffinity) \
	(This)->lpVtbl->GetNotifyAffinity((This), (pGroup), (pAffinity))
#define IND2SharedReceiveQueue_Modify(This, queueDepth, notifyThreshold) \
	(This)->lpVtbl->Modify((This), (queueDepth), (notifyThreshold))
#define IND2SharedReceiveQueue_Notify(This, pOverlapped) \
	(This)->lpVtbl->Notify((This), (pOverlapped))
#define IND2SharedReceiveQueue_Receive(This, requestContext, sge, nSge) \
	(This)->lpVtbl->Receive((This), (requestContext), (sge), (nSge))

#define IND2MemoryRegion_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2MemoryRegion_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2MemoryRegion_Release(This) (This)->lpVtbl->Release((This))
#define IND2MemoryRegion_CancelOverlappedRequests(This) \
	(This)->lpVtbl->CancelOverlappedRequests((This))
#define IND2MemoryRegion_GetOverlappedResult(This, pOverlapped, wait) \
	(This)->lpVtbl->GetOverlappedResult((This), (pOverlapped), (wait))
#define IND2MemoryRegion_Register(This, pBuffer, cbBuffer, flags, pOverlapped) \
	(This)->lpVtbl->Register((This), (pBuffer), (cbBuffer), (flags), (pOverlapped))
#define IND2MemoryRegion_Deregister(This, pOverlapped) \
	(This)->lpVtbl->Deregister((This), (pOverlapped))
#define IND2MemoryRegion_GetLocalToken(This)  (This)->lpVtbl->GetLocalToken((This))
#define IND2MemoryRegion_GetRemoteToken(This) (This)->lpVtbl->GetRemoteToken((This))

#define IND2MemoryWindow_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2MemoryWindow_AddRef(This)	      (This)->lpVtbl->AddRef((This))
#define IND2MemoryWindow_Release(This)	      (This)->lpVtbl->Release((This))
#define IND2MemoryWindow_GetRemoteToken(This) (This)->lpVtbl->GetRemoteToken((This))

#define IND2QueuePair_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2QueuePair_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2QueuePair_Release(This) (This)->lpVtbl->Release((This))
#define IND2QueuePair_Flush(This)   (This)->lpVtbl->Flush((This))
#define IND2QueuePair_Send(This, requestContext, sge, nSge, flags) \
	(This)->lpVtbl->Send((This), (requestContext), (sge), (nSge), (flags))
#define IND2QueuePair_Receive(This, requestContext, sge, nSge) \
	(This)->lpVtbl->Receive((This), (requestContext), (sge), (nSge))
#define IND2QueuePair_Bind(This, requestContext, pMemoryRegion, pMemoryWindow, pBuffer, cbBuffer, \
			   flags)                                                                 \
	(This)->lpVtbl->Bind((This), (requestContext), (pMemoryRegion), (pMemoryWindow),          \
			     (pBuffer), (cbBuffer), (flags))
#define IND2QueuePair_Invalidate(This, requestContext, pMemoryWindow, flags) \
	(This)->lpVtbl->Invalidate((This), (requestContext), (pMemoryWindow), (flags))
#define IND2QueuePair_Read(This, requestContext, sge, nSge, remoteAddress, remoteToken, flags) \
	(This)->lpVtbl->Read((This), (requestContext), (sge), (nSge), (remoteAddress),         \
			     (remoteToken), (flags))
#define IND2QueuePair_Write(This, requestContext, sge, nSge, remoteAddress, remoteToken, flags) \
	(This)->lpVtbl->Write((This), (requestContext), (sge), (nSge), (remoteAddress),         \
			      (remoteToken), (flags))

#define IND2Connector_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2Connector_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IND2Connector_Release(This) (This)->lpVtbl->Release((This))
#define IND2Connector_CancelOverlappedRequests(This) \
	(This)->lpVtbl->CancelOverlappedRequests((This))
#define IND2Connector_GetOverlappedResult(This, pOverlapped, wait) \
	(This)->lpVtbl->GetOverlappedResult((This), (pOverlapped), (wait))
#define IND2Connector_Bind(This, pAddress, cbAddress) \
	(This)->lpVtbl->Bind((This), (pAddress), (cbAddress))
#define IND2Connector_Connect(This, pQueuePair, pDestAddress, cbDestAddress, inboundReadLimit, \
			      outboundReadLimit, pPrivateData, cbPrivateData, pOverlapped)     \
	(This)->lpVtbl->Connect((This), (pQueuePair), (pDestAddress), (cbDestAddress),         \
				(inboundReadLimit), (outboundReadLimit), (pPrivateData),       \
				(cbPrivateData), (pOverlapped))
#define IND2Connector_CompleteConnect(This, pOverlapped) \
	(This)->lpVtbl->CompleteConnect((This), (pOverlapped))
#define IND2Connector_Accept(This, pQueuePair, inboundReadLimit, outboundReadLimit, pPrivateData, \
			     cbPrivateData, pOverlapped)                                          \
	(This)->lpVtbl->Accept((This), (pQueuePair), (inboundReadLimit), (outboundReadLimit),     \
			       (pPrivateData), (cbPrivateData), (pOverlapped))
#define IND2Connector_Reject(This, pPrivateData, cbPrivateData) \
	(This)->lpVtbl->Reject((This), (pPrivateData), (cbPrivateData))
#define IND2Connector_GetReadLimits(This, pInboundReadLimit, pOutboundReadLimit) \
	(This)->lpVtbl->GetReadLimits((This), (pInboundReadLimit), (pOutboundReadLimit))
#define IND2Connector_GetPrivateData(This, pPrivateData, pcbPrivateData) \
	(This)->lpVtbl->GetPrivateData((This), (pPrivateData), (pcbPrivateData))
#define IND2Connector_GetLocalAddress(This, pAddress, pcbAddress) \
	(This)->lpVtbl->GetLocalAddress((This), (pAddress), (pcbAddress))
#define IND2Connector_GetPeerAddress(This, pAddress, pcbAddress) \
	(This)->lpVtbl->GetPeerAddress((This), (pAddress), (pcbAddress))
#define IND2Connector_NotifyDisconnect(This, pOverlapped) \
	(This)->lpVtbl->NotifyDisconnect((This), (pOverlapped))
#define IND2Connector_Disconnect(This, pOverlapped) \
	(This)->lpVtbl->Disconnect((This), (pOverlapped))

#define IND2Listener_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IND2Listener_AddRef(This)		    (This)->lpVtbl->AddRef((This))
#define IND2Listener_Release(This)		    (This)->lpVtbl->Release((This))
#define IND2Listener_CancelOverlappedRequests(This) (This)->lpVtbl->CancelOverlappedRequests((This))
#define IND2Listener_GetOverlappedResult(This, pOverlapped, wait) \
	(This)->lpVtbl->GetOverlappedResult((This), (pOverlapped), (wait))
#define IND2Listener_Bind(This, pAddress, cbAddress) \
	(This)->lpVtbl->Bind((This), (pAddress), (cbAddress))
#define IND2Listener_Listen(This, backlog) (This)->lpVtbl->Listen((This), (backlog))
#define IND2Listener_GetLocalAddress(This, pAddress, pcbAddress) \
	(This)->lpVtbl->GetLocalAddress((This), (pAddress), (pcbAddress))
#define IND2Listener_GetConnectionRequest(This, pConnector, pOverlapped) \
	(This)->lpVtbl->GetConnectionRequest((This), (pConnector), (pOverlapped))

#endif /* end of the macros for C */

#endif
