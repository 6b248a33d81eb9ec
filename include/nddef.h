/* Structures, flags and limits of NetworkDirect version 2. The layouts equal those of 64-bit
 * Windows. */
#ifndef NDDEF_H
#define NDDEF_H

#include "ndtypes.h"

#define ND_VERSION_1 0x1
#define ND_VERSION_2 0x20000

#ifndef NDVER
#define NDVER ND_VERSION_2
#endif

/* flags of ND2_ADAPTER_INFO.AdapterFlags */
#define ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED		  0x00000001
#define ND_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED 0x00000004
#define ND_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED		  0x00000008
#define ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED		  0x00000100
#define ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED	  0x00010000

/* values for the `type` argument of IND2CompletionQueue::Notify */
#define ND_CQ_NOTIFY_ERRORS    0
#define ND_CQ_NOTIFY_ANY       1
#define ND_CQ_NOTIFY_SOLICITED 2

/* Flags of IND2MemoryRegion::Register. ALLOW_REMOTE_WRITE includes the bit of ALLOW_LOCAL_WRITE. To
 * test for remote write, use `flags & 4`: `flags & 5` is also true for local write alone. */
#define ND_MR_FLAG_ALLOW_LOCAL_WRITE  0x00000001
#define ND_MR_FLAG_ALLOW_REMOTE_READ  0x00000002
#define ND_MR_FLAG_ALLOW_REMOTE_WRITE 0x00000005
#define ND_MR_FLAG_RDMA_READ_SINK     0x00000008
#define ND_MR_FLAG_DO_NOT_SECURE_VM   0x80000000

/* Flags of the methods of IND2QueuePair that post a work request. Of the methods, Bind alone takes
 * the two ALLOW flags. */
#define ND_OP_FLAG_SILENT_SUCCESS	  0x00000001
#define ND_OP_FLAG_READ_FENCE		  0x00000002
#define ND_OP_FLAG_SEND_AND_SOLICIT_EVENT 0x00000004
#define ND_OP_FLAG_ALLOW_READ		  0x00000008
#define ND_OP_FLAG_ALLOW_WRITE		  0x00000010
#define ND_OP_FLAG_INLINE		  0x00000020

typedef struct _ND2_ADAPTER_INFO {
	ULONG InfoVersion; /* ND_VERSION_2 on return; ignored on input */
	UINT16 VendorId;
	UINT16 DeviceId;
	UINT64 AdapterId;
	SIZE_T MaxRegistrationSize; /* maximum bytes of one memory region */
	SIZE_T MaxWindowSize;
	ULONG MaxInitiatorSge; /* maximum number of buffers (SGEs) in one Send or Write */
	ULONG MaxReceiveSge;
	ULONG MaxReadSge;
	ULONG MaxTransferLength; /* maximum bytes of one work request */
	ULONG MaxInlineDataSize;
	ULONG MaxInboundReadLimit;
	ULONG MaxOutboundReadLimit;
	ULONG MaxReceiveQueueDepth;
	ULONG MaxInitiatorQueueDepth;
	ULONG MaxSharedReceiveQueueDepth; /* 0 = no shared receive queues */
	ULONG MaxCompletionQueueDepth;
	/* up to this many bytes, a send with ND_OP_FLAG_INLINE is at least as fast as a send from a
	 * registered buffer */
	ULONG InlineRequestThreshold;
	/* above this many bytes, RDMA Read and Write are faster than Send */
	ULONG LargeRequestThreshold;
	ULONG MaxCallerData; /* maximum bytes of private data that Connect accepts */
	/* maximum bytes of private data that Accept and Reject accept */
	ULONG MaxCalleeData;
	ULONG AdapterFlags;
} ND2_ADAPTER_INFO;

/* ND2_ADAPTER_INFO in the layout of a 32-bit program. */
typedef struct _ND2_ADAPTER_INFO32 {
	ULONG InfoVersion;
	UINT16 VendorId;
	UINT16 DeviceId;
	UINT64 AdapterId;
	ULONG MaxRegistrationSize;
	ULONG MaxWindowSize;
	ULONG MaxInitiatorSge;
	ULONG MaxReceiveSge;
	ULONG MaxReadSge;
	ULONG MaxTransferLength;
	ULONG MaxInlineDataSize;
	ULONG MaxInboundReadLimit;
	ULONG MaxOutboundReadLimit;
	ULONG MaxReceiveQueueDepth;
	ULONG MaxInitiatorQueueDepth;
	ULONG MaxSharedReceiveQueueDepth;
	ULONG MaxCompletionQueueDepth;
	ULONG InlineRequestThreshold;
	ULONG LargeRequestThreshold;
	ULONG MaxCallerData;
	ULONG MaxCalleeData;
	ULONG AdapterFlags;
} ND2_ADAPTER_INFO32;

typedef enum _ND2_REQUEST_TYPE {
	Nd2RequestTypeReceive = 0,
	Nd2RequestTypeSend = 1,
	Nd2RequestTypeBind = 2,
	Nd2RequestTypeInvalidate = 3,
	Nd2RequestTypeRead = 4,
	Nd2RequestTypeWrite = 5
} ND2_REQUEST_TYPE;

typedef struct _ND2_RESULT {
	HRESULT Status;
	ULONG BytesTransferred;
	void *QueuePairContext; /* the `context` that was given to CreateQueuePair */
	void *RequestContext;	/* the `requestContext` that was given to Send, Receive and so on */
	ND2_REQUEST_TYPE RequestType;
} ND2_RESULT;

/* One buffer of a work request. The layout equals that of struct ibv_sge (libibverbs). */
typedef struct _ND2_SGE {
	void *Buffer;
	ULONG BufferLength;
	UINT32 MemoryRegionToken; /* from IND2MemoryRegion::GetLocalToken */
} ND2_SGE;

#endif
