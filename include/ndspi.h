/*
 * The NetworkDirect version 2 interfaces: one declaration as C vtables, one as C++ classes, of the
 * same machine layout. C calls p->lpVtbl->Method(p, ...), C++ calls p->Method(...).
 *
 * Slots are numbered as they stand in the vtable, IUnknown's three first. The C++ classes have no
 * data, no virtual bases and no virtual destructor; objects carry no C++ type information, so
 * typeid, dynamic_cast to a class and -fsanitize=vptr do not work on them.
 *
 * While an adapter is open SIGSEGV and SIGBUS have a handler of the library's. A handler that the
 * client installs later must call the one it replaces for faults that are not its own.
 */
#ifndef NDSPI_H
#define NDSPI_H

#include "nddef.h"
#include "ndstatus.h"
#include "ndtypes.h"

/* An adapter of version 1. There are none; NdOpenV1Adapter, also as a program's own header declares it, names the type. */
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

/* Base of every object with overlapped requests. */
struct IND2Overlapped : public IUnknown {
	virtual HRESULT CancelOverlappedRequests() = 0;				     /* 3 */
	virtual HRESULT GetOverlappedResult(OVERLAPPED *pOverlapped, BOOL wait) = 0; /* 4 */
};

struct IND2Provider : public IUnknown {
	virtual HRESULT QueryAddressList(SOCKET_ADDRESS_LIST *pAddressList,
					 ULONG *pcbAddressList) = 0; /* 3 */
	virtual HRESULT ResolveAddress(const struct sockaddr *pAddress, ULONG cbAddress,
				       UINT64 *pAdapterId) = 0;				 /* 4 */
	virtual HRESULT OpenAdapter(REFIID iid, UINT64 adapterId, void **ppAdapter) = 0; /* 5 */
};

struct IND2Adapter : public IUnknown {
	virtual HRESULT CreateOverlappedFile(HANDLE *phOverlappedFile) = 0; /* 3 */
	virtual HRESULT Query(ND2_ADAPTER_INFO *pInfo, ULONG *pcbInfo) = 0; /* 4 */
	virtual HRESULT QueryAddressList(SOCKET_ADDRESS_LIST *pAddressList,
					 ULONG *pcbAddressList) = 0; /* 5 */
	virtual HRESULT CreateCompletionQueue(REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth,
					      USHORT group, KAFFINITY affinity,
					      void **ppCompletionQueue) = 0; /* 6 */
	virtual HRESULT CreateMemoryRegion(REFIID iid, HANDLE hOverlappedFile,
					   void **ppMemoryRegion) = 0;		   /* 7 */
	virtual HRESULT CreateMemoryWindow(REFIID iid, void **ppMemoryWindow) = 0; /* 8 */
	virtual HRESULT CreateSharedReceiveQueue(REFIID iid, HANDLE hOverlappedFile,
						 ULONG queueDepth, ULONG maxRequestSge,
						 ULONG notifyThreshold, USHORT group,
						 KAFFINITY affinity,
						 void **ppSharedReceiveQueue) = 0; /* 9 */
	virtual HRESULT CreateQueuePair(REFIID iid, IUnknown *pReceiveCompletionQueue,
					IUnknown *pInitiatorCompletionQueue, void *context,
					ULONG receiveQueueDepth, ULONG initiatorQueueDepth,
					ULONG maxReceiveRequestSge, ULONG maxInitiatorRequestSge,
					ULONG inlineDataSize, void **ppQueuePair) = 0; /* 10 */
	virtual HRESULT CreateQueuePairWithSrq(REFIID iid, IUnknown *pReceiveCompletionQueue,
					       IUnknown *pInitiatorCompletionQueue,
					       IUnknown *pSharedReceiveQueue, void *context,
					       ULONG initiatorQueueDepth,
					       ULONG maxInitiatorRequestSge, ULONG inlineDataSize,
					       void **ppQueuePair) = 0; /* 11 */
	virtual HRESULT CreateConnector(REFIID iid, HANDLE hOverlappedFile,
					void **ppConnector) = 0; /* 12 */
	virtual HRESULT CreateListener(REFIID iid, HANDLE hOverlappedFile,
				       void **ppListener) = 0; /* 13 */
};

struct IND2CompletionQueue : public IND2Overlapped {
	virtual HRESULT GetNotifyAffinity(USHORT *pGroup, KAFFINITY *pAffinity) = 0; /* 5 */
	virtual HRESULT Resize(ULONG queueDepth) = 0;				     /* 6 */
	virtual HRESULT Notify(ULONG type, OVERLAPPED *pOverlapped) = 0;	     /* 7 */
	virtual ULONG GetResults(ND2_RESULT results[], ULONG nResults) = 0;	     /* 8 */
};

struct IND2SharedReceiveQueue : public IND2Overlapped {
	virtual HRESULT GetNotifyAffinity(USHORT *pGroup, KAFFINITY *pAffinity) = 0;	    /* 5 */
	virtual HRESULT Modify(ULONG queueDepth, ULONG notifyThreshold) = 0;		    /* 6 */
	virtual HRESULT Notify(OVERLAPPED *pOverlapped) = 0;				    /* 7 */
	virtual HRESULT Receive(void *requestContext, const ND2_SGE sge[], ULONG nSge) = 0; /* 8 */
};

/* A remote token is opaque and in network byte order: hand it to the peer unchanged. */
struct IND2MemoryRegion : public IND2Overlapped {
	virtual HRESULT Register(const void *pBuffer, SIZE_T cbBuffer, ULONG flags,
				 OVERLAPPED *pOverlapped) = 0;	 /* 5 */
	virtual HRESULT Deregister(OVERLAPPED *pOverlapped) = 0; /* 6 */
	virtual UINT32 GetLocalToken() = 0;			 /* 7 */
	virtual UINT32 GetRemoteToken() = 0;			 /* 8 */
};

struct IND2MemoryWindow : public IUnknown {
	virtual UINT32 GetRemoteToken() = 0; /* 3 */
};

struct IND2QueuePair : public IUnknown {
	virtual HRESULT Flush() = 0; /* 3 */
	virtual HRESULT Send(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			     ULONG flags) = 0;						    /* 4 */
	virtual HRESULT Receive(void *requestContext, const ND2_SGE sge[], ULONG nSge) = 0; /* 5 */
	virtual HRESULT Bind(void *requestContext, IUnknown *pMemoryRegion, IUnknown *pMemoryWindow,
			     const void *pBuffer, SIZE_T cbBuffer, ULONG flags) = 0; /* 6 */
	virtual HRESULT Invalidate(void *requestContext, IUnknown *pMemoryWindow,
				   ULONG flags) = 0; /* 7 */
	virtual HRESULT Read(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			     UINT64 remoteAddress, UINT32 remoteToken, ULONG flags) = 0; /* 8 */
	virtual HRESULT Write(void *requestContext, const ND2_SGE sge[], ULONG nSge,
			      UINT64 remoteAddress, UINT32 remoteToken, ULONG flags) = 0; /* 9 */
};

struct IND2Connector : public IND2Overlapped {
	virtual HRESULT Bind(const struct sockaddr *pAddress, ULONG cbAddress) = 0; /* 5 */
	virtual HRESULT Connect(IUnknown *pQueuePair, const struct sockaddr *pDestAddress,
				ULONG cbDestAddress, ULONG inboundReadLimit,
				ULONG outboundReadLimit, const void *pPrivateData,
				ULONG cbPrivateData, OVERLAPPED *pOverlapped) = 0; /* 6 */
	virtual HRESULT CompleteConnect(OVERLAPPED *pOverlapped) = 0;		   /* 7 */
	virtual HRESULT Accept(IUnknown *pQueuePair, ULONG inboundReadLimit,
			       ULONG outboundReadLimit, const void *pPrivateData,
			       ULONG cbPrivateData, OVERLAPPED *pOverlapped) = 0;  /* 8 */
	virtual HRESULT Reject(const void *pPrivateData, ULONG cbPrivateData) = 0; /* 9 */
	virtual HRESULT GetReadLimits(ULONG *pInboundReadLimit,
				      ULONG *pOutboundReadLimit) = 0;			   /* 10 */
	virtual HRESULT GetPrivateData(void *pPrivateData, ULONG *pcbPrivateData) = 0;	   /* 11 */
	virtual HRESULT GetLocalAddress(struct sockaddr *pAddress, ULONG *pcbAddress) = 0; /* 12 */
	virtual HRESULT GetPeerAddress(struct sockaddr *pAddress, ULONG *pcbAddress) = 0;  /* 13 */
	virtual HRESULT NotifyDisconnect(OVERLAPPED *pOverlapped) = 0;			   /* 14 */
	virtual HRESULT Disconnect(OVERLAPPED *pOverlapped) = 0;			   /* 15 */
};

struct IND2Listener : public IND2Overlapped {
	virtual HRESULT Bind(const struct sockaddr *pAddress, ULONG cbAddress) = 0;	   /* 5 */
	virtual HRESULT Listen(ULONG backlog) = 0;					   /* 6 */
	virtual HRESULT GetLocalAddress(struct sockaddr *pAddress, ULONG *pcbAddress) = 0; /* 7 */
	virtual HRESULT GetConnectionRequest(IUnknown *pConnector,
					     OVERLAPPED *pOverlapped) = 0; /* 8 */
};

#pragma GCC diagnostic pop
#pragma GCC visibility pop

#else /* C */

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

/* Base of every object with overlapped requests. */
typedef struct IND2OverlappedVtbl {
	HRESULT (*QueryInterface)(IND2Overlapped *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2Overlapped *This);					  /* 1 */
	ULONG (*Release)(IND2Overlapped *This);					  /* 2 */
	HRESULT (*CancelOverlappedRequests)(IND2Overlapped *This);		  /* 3 */
	HRESULT (*GetOverlappedResult)
	(IND2Overlapped *This, OVERLAPPED *pOverlapped, BOOL wait); /* 4 */
} IND2OverlappedVtbl;

struct IND2Overlapped {
	const IND2OverlappedVtbl *lpVtbl;
};

typedef struct IND2ProviderVtbl {
	HRESULT (*QueryInterface)(IND2Provider *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2Provider *This);					/* 1 */
	ULONG (*Release)(IND2Provider *This);					/* 2 */
	HRESULT (*QueryAddressList)
	(IND2Provider *This, SOCKET_ADDRESS_LIST *pAddressList, ULONG *pcbAddressList); /* 3 */
	HRESULT (*ResolveAddress)
	(IND2Provider *This, const struct sockaddr *pAddress, ULONG cbAddress,
	 UINT64 *pAdapterId); /* 4 */
	HRESULT (*OpenAdapter)
	(IND2Provider *This, REFIID iid, UINT64 adapterId, void **ppAdapter); /* 5 */
} IND2ProviderVtbl;

struct IND2Provider {
	const IND2ProviderVtbl *lpVtbl;
};

typedef struct IND2AdapterVtbl {
	HRESULT (*QueryInterface)(IND2Adapter *This, REFIID riid, void **ppv);	      /* 0 */
	ULONG (*AddRef)(IND2Adapter *This);					      /* 1 */
	ULONG (*Release)(IND2Adapter *This);					      /* 2 */
	HRESULT (*CreateOverlappedFile)(IND2Adapter *This, HANDLE *phOverlappedFile); /* 3 */
	HRESULT (*Query)(IND2Adapter *This, ND2_ADAPTER_INFO *pInfo, ULONG *pcbInfo); /* 4 */
	HRESULT (*QueryAddressList)
	(IND2Adapter *This, SOCKET_ADDRESS_LIST *pAddressList, ULONG *pcbAddressList); /* 5 */
	HRESULT (*CreateCompletionQueue)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth, USHORT group,
	 KAFFINITY affinity, void **ppCompletionQueue); /* 6 */
	HRESULT (*CreateMemoryRegion)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile, void **ppMemoryRegion);	     /* 7 */
	HRESULT (*CreateMemoryWindow)(IND2Adapter *This, REFIID iid, void **ppMemoryWindow); /* 8 */
	HRESULT (*CreateSharedReceiveQueue)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile, ULONG queueDepth,
	 ULONG maxRequestSge, ULONG notifyThreshold, USHORT group, KAFFINITY affinity,
	 void **ppSharedReceiveQueue); /* 9 */
	HRESULT (*CreateQueuePair)
	(IND2Adapter *This, REFIID iid, IUnknown *pReceiveCompletionQueue,
	 IUnknown *pInitiatorCompletionQueue, void *context, ULONG receiveQueueDepth,
	 ULONG initiatorQueueDepth, ULONG maxReceiveRequestSge, ULONG maxInitiatorRequestSge,
	 ULONG inlineDataSize, void **ppQueuePair); /* 10 */
	HRESULT (*CreateQueuePairWithSrq)
	(IND2Adapter *This, REFIID iid, IUnknown *pReceiveCompletionQueue,
	 IUnknown *pInitiatorCompletionQueue, IUnknown *pSharedReceiveQueue, void *context,
	 ULONG initiatorQueueDepth, ULONG maxInitiatorRequestSge, ULONG inlineDataSize,
	 void **ppQueuePair); /* 11 */
	HRESULT (*CreateConnector)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile, void **ppConnector); /* 12 */
	HRESULT (*CreateListener)
	(IND2Adapter *This, REFIID iid, HANDLE hOverlappedFile, void **ppListener); /* 13 */
} IND2AdapterVtbl;

struct IND2Adapter {
	const IND2AdapterVtbl *lpVtbl;
};

typedef struct IND2CompletionQueueVtbl {
	HRESULT (*QueryInterface)(IND2CompletionQueue *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2CompletionQueue *This);				       /* 1 */
	ULONG (*Release)(IND2CompletionQueue *This);				       /* 2 */
	HRESULT (*CancelOverlappedRequests)(IND2CompletionQueue *This);		       /* 3 */
	HRESULT (*GetOverlappedResult)
	(IND2CompletionQueue *This, OVERLAPPED *pOverlapped, BOOL wait); /* 4 */
	HRESULT (*GetNotifyAffinity)
	(IND2CompletionQueue *This, USHORT *pGroup, KAFFINITY *pAffinity);		   /* 5 */
	HRESULT (*Resize)(IND2CompletionQueue *This, ULONG queueDepth);			   /* 6 */
	HRESULT (*Notify)(IND2CompletionQueue *This, ULONG type, OVERLAPPED *pOverlapped); /* 7 */
	ULONG (*GetResults)
	(IND2CompletionQueue *This, ND2_RESULT results[], ULONG nResults); /* 8 */
} IND2CompletionQueueVtbl;

struct IND2CompletionQueue {
	const IND2CompletionQueueVtbl *lpVtbl;
};

typedef struct IND2SharedReceiveQueueVtbl {
	HRESULT (*QueryInterface)(IND2SharedReceiveQueue *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2SharedReceiveQueue *This);					  /* 1 */
	ULONG (*Release)(IND2SharedReceiveQueue *This);					  /* 2 */
	HRESULT (*CancelOverlappedRequests)(IND2SharedReceiveQueue *This);		  /* 3 */
	HRESULT (*GetOverlappedResult)
	(IND2SharedReceiveQueue *This, OVERLAPPED *pOverlapped, BOOL wait); /* 4 */
	HRESULT (*GetNotifyAffinity)
	(IND2SharedReceiveQueue *This, USHORT *pGroup, KAFFINITY *pAffinity); /* 5 */
	HRESULT (*Modify)
	(IND2SharedReceiveQueue *This, ULONG queueDepth, ULONG notifyThreshold);  /* 6 */
	HRESULT (*Notify)(IND2SharedReceiveQueue *This, OVERLAPPED *pOverlapped); /* 7 */
	HRESULT (*Receive)
	(IND2SharedReceiveQueue *This, void *requestContext, const ND2_SGE sge[],
	 ULONG nSge); /* 8 */
} IND2SharedReceiveQueueVtbl;

struct IND2SharedReceiveQueue {
	const IND2SharedReceiveQueueVtbl *lpVtbl;
};

/* A remote token is opaque and in network byte order: hand it to the peer unchanged. */
typedef struct IND2MemoryRegionVtbl {
	HRESULT (*QueryInterface)(IND2MemoryRegion *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2MemoryRegion *This);				    /* 1 */
	ULONG (*Release)(IND2MemoryRegion *This);				    /* 2 */
	HRESULT (*CancelOverlappedRequests)(IND2MemoryRegion *This);		    /* 3 */
	HRESULT (*GetOverlappedResult)
	(IND2MemoryRegion *This, OVERLAPPED *pOverlapped, BOOL wait); /* 4 */
	HRESULT (*Register)
	(IND2MemoryRegion *This, const void *pBuffer, SIZE_T cbBuffer, ULONG flags,
	 OVERLAPPED *pOverlapped);						/* 5 */
	HRESULT (*Deregister)(IND2MemoryRegion *This, OVERLAPPED *pOverlapped); /* 6 */
	UINT32 (*GetLocalToken)(IND2MemoryRegion *This);			/* 7 */
	UINT32 (*GetRemoteToken)(IND2MemoryRegion *This);			/* 8 */
} IND2MemoryRegionVtbl;

struct IND2MemoryRegion {
	const IND2MemoryRegionVtbl *lpVtbl;
};

typedef struct IND2MemoryWindowVtbl {
	HRESULT (*QueryInterface)(IND2MemoryWindow *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2MemoryWindow *This);				    /* 1 */
	ULONG (*Release)(IND2MemoryWindow *This);				    /* 2 */
	UINT32 (*GetRemoteToken)(IND2MemoryWindow *This);			    /* 3 */
} IND2MemoryWindowVtbl;

struct IND2MemoryWindow {
	const IND2MemoryWindowVtbl *lpVtbl;
};

typedef struct IND2QueuePairVtbl {
	HRESULT (*QueryInterface)(IND2QueuePair *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2QueuePair *This);					 /* 1 */
	ULONG (*Release)(IND2QueuePair *This);					 /* 2 */
	HRESULT (*Flush)(IND2QueuePair *This);					 /* 3 */
	HRESULT (*Send)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
	 ULONG flags); /* 4 */
	HRESULT (*Receive)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge); /* 5 */
	HRESULT (*Bind)
	(IND2QueuePair *This, void *requestContext, IUnknown *pMemoryRegion,
	 IUnknown *pMemoryWindow, const void *pBuffer, SIZE_T cbBuffer, ULONG flags); /* 6 */
	HRESULT (*Invalidate)
	(IND2QueuePair *This, void *requestContext, IUnknown *pMemoryWindow, ULONG flags); /* 7 */
	HRESULT (*Read)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
	 UINT64 remoteAddress, UINT32 remoteToken, ULONG flags); /* 8 */
	HRESULT (*Write)
	(IND2QueuePair *This, void *requestContext, const ND2_SGE sge[], ULONG nSge,
	 UINT64 remoteAddress, UINT32 remoteToken, ULONG flags); /* 9 */
} IND2QueuePairVtbl;

struct IND2QueuePair {
	const IND2QueuePairVtbl *lpVtbl;
};

typedef struct IND2ConnectorVtbl {
	HRESULT (*QueryInterface)(IND2Connector *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2Connector *This);					 /* 1 */
	ULONG (*Release)(IND2Connector *This);					 /* 2 */
	HRESULT (*CancelOverlappedRequests)(IND2Connector *This);		 /* 3 */
	HRESULT (*GetOverlappedResult)
	(IND2Connector *This, OVERLAPPED *pOverlapped, BOOL wait); /* 4 */
	HRESULT (*Bind)
	(IND2Connector *This, const struct sockaddr *pAddress, ULONG cbAddress); /* 5 */
	HRESULT (*Connect)
	(IND2Connector *This, IUnknown *pQueuePair, const struct sockaddr *pDestAddress,
	 ULONG cbDestAddress, ULONG inboundReadLimit, ULONG outboundReadLimit,
	 const void *pPrivateData, ULONG cbPrivateData, OVERLAPPED *pOverlapped); /* 6 */
	HRESULT (*CompleteConnect)(IND2Connector *This, OVERLAPPED *pOverlapped); /* 7 */
	HRESULT (*Accept)
	(IND2Connector *This, IUnknown *pQueuePair, ULONG inboundReadLimit, ULONG outboundReadLimit,
	 const void *pPrivateData, ULONG cbPrivateData, OVERLAPPED *pOverlapped); /* 8 */
	HRESULT (*Reject)
	(IND2Connector *This, const void *pPrivateData, ULONG cbPrivateData); /* 9 */
	HRESULT (*GetReadLimits)
	(IND2Connector *This, ULONG *pInboundReadLimit, ULONG *pOutboundReadLimit); /* 10 */
	HRESULT (*GetPrivateData)
	(IND2Connector *This, void *pPrivateData, ULONG *pcbPrivateData); /* 11 */
	HRESULT (*GetLocalAddress)
	(IND2Connector *This, struct sockaddr *pAddress, ULONG *pcbAddress); /* 12 */
	HRESULT (*GetPeerAddress)
	(IND2Connector *This, struct sockaddr *pAddress, ULONG *pcbAddress);	   /* 13 */
	HRESULT (*NotifyDisconnect)(IND2Connector *This, OVERLAPPED *pOverlapped); /* 14 */
	HRESULT (*Disconnect)(IND2Connector *This, OVERLAPPED *pOverlapped);	   /* 15 */
} IND2ConnectorVtbl;

struct IND2Connector {
	const IND2ConnectorVtbl *lpVtbl;
};

typedef struct IND2ListenerVtbl {
	HRESULT (*QueryInterface)(IND2Listener *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IND2Listener *This);					/* 1 */
	ULONG (*Release)(IND2Listener *This);					/* 2 */
	HRESULT (*CancelOverlappedRequests)(IND2Listener *This);		/* 3 */
	HRESULT (*GetOverlappedResult)
	(IND2Listener *This, OVERLAPPED *pOverlapped, BOOL wait); /* 4 */
	HRESULT (*Bind)
	(IND2Listener *This, const struct sockaddr *pAddress, ULONG cbAddress); /* 5 */
	HRESULT (*Listen)(IND2Listener *This, ULONG backlog);			/* 6 */
	HRESULT (*GetLocalAddress)
	(IND2Listener *This, struct sockaddr *pAddress, ULONG *pcbAddress); /* 7 */
	HRESULT (*GetConnectionRequest)
	(IND2Listener *This, IUnknown *pConnector, OVERLAPPED *pOverlapped); /* 8 */
} IND2ListenerVtbl;

struct IND2Listener {
	const IND2ListenerVtbl *lpVtbl;
};

#endif /* C */

#endif
