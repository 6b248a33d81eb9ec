// How does a connection of the server begin, serve its client and end? A CONNECTION owns its
// connector, queue pair, memory region and buffers. The server frees the CONNECTION when none of
// its requests is pending any more. The functions run on the worker threads. The results of a queue
// pair are handled one at a time.
#include "service.h"

struct SLOT // a message buffer: receives a message, and later holds the answer to send
{
	PCONNECTION pConnection;
	MESSAGE *pMessage;
};

struct CONNECTION {
	LIST_ENTRY Link;
	LONG volatile cRef;
	LONG volatile fClosing, fConnected;
	BOOL fRegistered;
	// used in turn for GetConnectionRequest, Register, Accept and NotifyDisconnect
	IO Io;
	IO CloseIo; // used for Disconnect and Deregister
	IND2Connector *pConnector;
	IND2QueuePair *pQp;
	IND2MemoryRegion *pMr;
	MESSAGE *pMessages;
	SLOT aSlots[CREDITS];
	LIST_ENTRY Leases;
};

// Number of queue pairs created so far. The number modulo cCqs is the index of the completion queue
// of the newest queue pair.
static LONG volatile s_cQueuePairs;

static void Destroy(PCONNECTION p)
{
	while (!ListIsEmpty(&p->Leases))
		PageReturn(CONTAINING_RECORD(p->Leases.Flink, PAGE, Link));
	if (p->pQp != NULL && p->pQp->Release() != 0)
		Fatal("a queue pair is still used", (ULONG_PTR)p);
	if (p->pConnector->Release() != 0)
		Fatal("a connector is still used", (ULONG_PTR)p);
	if (p->pMr != NULL && p->pMr->Release() != 0)
		Fatal("a region is still used", (ULONG_PTR)p);
	if (ReadAcquire(&p->fConnected))
		InterlockedDecrement(&g_Server.cConnected);
	AcquireSRWLockExclusive(&g_Server.ConnectionsLock);
	ListRemove(&p->Link);
	ReleaseSRWLockExclusive(&g_Server.ConnectionsLock);
	if (p->pMessages != NULL)
		WIN32(HeapFree(GetProcessHeap(), 0, p->pMessages));
	WIN32(HeapFree(GetProcessHeap(), 0, p));
	ServerReleaseCount();
}

static void OnDeregistered(PIO pIo, HRESULT hrStatus)
{
	MustSucceed(hrStatus, "a connection's Deregister");
	Destroy((PCONNECTION)pIo->pOwner);
}

static void Dereference(PCONNECTION p)
{
	if (InterlockedDecrement(&p->cRef) > 0)
		return;
	if (p->fRegistered)
		MUST(p->pMr->Deregister(StartIo(&p->CloseIo, OnDeregistered, p)));
	else
		Destroy(p);
}

// Takes a reference of a connection and returns TRUE. Returns FALSE if the connection has no
// references any more and is being destroyed.
static BOOL TryReference(PCONNECTION p)
{
	for (LONG cRef = ReadAcquire(&p->cRef); cRef > 0;) {
		LONG cWas = InterlockedCompareExchange(&p->cRef, cRef + 1, cRef);

		if (cWas == cRef)
			return TRUE;
		cRef = cWas;
	}
	return FALSE;
}

static void OnDisconnected(PIO pIo, HRESULT hrStatus)
{
	PCONNECTION p = (PCONNECTION)pIo->pOwner;

	// Flush the queue pair even if Disconnect failed. Each posted request holds a reference of
	// the connection until the request ends, and Flush ends all posted requests.
	p->pQp->Flush();
	Dereference(p);
}

static void Close(PCONNECTION p)
{
	if (InterlockedExchange(&p->fClosing, TRUE))
		return;
	InterlockedIncrement(&p->cRef);
	HRESULT hr = p->pConnector->Disconnect(StartIo(&p->CloseIo, OnDisconnected, p));
	if (FAILED(hr))
		OnDisconnected(&p->CloseIo, hr);
}

// ---- answering messages ----

static ND2_SGE SgeOf(const SLOT *pSlot)
{
	ND2_SGE sge = {pSlot->pMessage, MESSAGE_BYTES, pSlot->pConnection->pMr->GetLocalToken()};

	return sge;
}

// Posts a receive request for a slot's buffer. The caller holds a reference of the connection for
// this slot, which the receive request takes over. If posting fails, the reference is released.
static void Receive(SLOT *pSlot)
{
	ND2_SGE sge = SgeOf(pSlot);

	if (FAILED(pSlot->pConnection->pQp->Receive(pSlot, &sge, 1)))
		Dereference(pSlot->pConnection);
}

static BOOL Answer(PCONNECTION p, MESSAGE *pMessage)
{
	MESSAGE_HEADER *pHeader = &pMessage->Header;
	PPAGE pPage;

	if (pHeader->Length > PAYLOAD_BYTES ||
	    SumOf(pMessage->Payload, pHeader->Length) != pHeader->Sum)
		return FALSE;
	switch (pHeader->Op) {
	case OpInvert:
		for (DWORD i = 0; i < pHeader->Length; i++)
			pMessage->Payload[i] = (BYTE)~pMessage->Payload[i];
		pHeader->Sum = SumOf(pMessage->Payload, pHeader->Length);
		return TRUE;
	case OpLease:
		if ((pPage = PageLease(&p->Leases)) == NULL)
			return FALSE;
		pHeader->Page = pPage->dwIndex;
		pHeader->Token = pPage->pMr->GetRemoteToken();
		pHeader->Address = (ULONG_PTR)pPage->pBytes;
		return TRUE;
	case OpAdd:
		if ((pPage = PageFind(&p->Leases, pHeader->Page)) == NULL)
			return FALSE;
		pHeader->Sum = SumOf(pPage->pBytes, PAGE_BYTES);
		return TRUE;
	case OpReturn:
		if ((pPage = PageFind(&p->Leases, pHeader->Page)) == NULL)
			return FALSE;
		PageReturn(pPage);
		return TRUE;
	default:
		return FALSE;
	}
}

void ConnectionResult(const ND2_RESULT *pResult)
{
	SLOT *pSlot = (SLOT *)pResult->RequestContext;
	PCONNECTION p = pSlot->pConnection;
	ND2_SGE sge;

	if (pResult->Status != ND_SUCCESS) {
		if (pResult->Status != ND_CANCELED)
			Close(p);
		Dereference(p);
		return;
	}
	if (pResult->RequestType == Nd2RequestTypeSend) {
		Receive(pSlot);
		return;
	}
	InterlockedIncrement(&g_Server.cRequests);
	InterlockedExchangeAdd64(&g_Server.cbReceived, pResult->BytesTransferred);
	sge = SgeOf(pSlot);
	if (pResult->BytesTransferred != MESSAGE_BYTES || !Answer(p, pSlot->pMessage) ||
	    FAILED(p->pQp->Send(pSlot, &sge, 1, 0))) {
		Close(p);
		Dereference(p);
	}
}

// ---- from listening to connected: a chain of requests that share one reference ----

static void OnPeerDisconnected(PIO pIo, HRESULT hrStatus)
{
	PCONNECTION p = (PCONNECTION)pIo->pOwner;

	Close(p);
	Dereference(p);
}

static void OnAccepted(PIO pIo, HRESULT hrStatus)
{
	PCONNECTION p = (PCONNECTION)pIo->pOwner;
	LONG cConnected, cPeak;

	if (FAILED(hrStatus)) {
		p->pQp->Flush(); // ends the posted receives
		Dereference(p);
		return;
	}
	InterlockedExchange(&p->fConnected, TRUE);
	InterlockedIncrement(&g_Server.cAccepted);
	cConnected = InterlockedIncrement(&g_Server.cConnected);
	while ((cPeak = ReadAcquire(&g_Server.cPeak)) < cConnected)
		InterlockedCompareExchange(&g_Server.cPeak, cConnected, cPeak);
	if (FAILED(p->pConnector->NotifyDisconnect(StartIo(&p->Io, OnPeerDisconnected, p))))
		OnPeerDisconnected(&p->Io, ND_UNSUCCESSFUL);
	else if (ReadAcquire(&g_Server.fStopping))
		// the server is stopping: close here too, because OnCloseEntry may have run before
		// fConnected was set
		Close(p);
}

static void OnRegistered(PIO pIo, HRESULT hrStatus)
{
	PCONNECTION p = (PCONNECTION)pIo->pOwner;
	HELLO hello = {SERVICE_VERSION, CREDITS, 1};

	MustSucceed(hrStatus, "a connection's Register");
	p->fRegistered = TRUE;
	for (DWORD i = 0; i < CREDITS; i++) {
		InterlockedIncrement(&p->cRef);
		Receive(&p->aSlots[i]);
	}
	if (FAILED(p->pConnector->Accept(p->pQp, 2, 0, &hello, sizeof(hello),
					 StartIo(&p->Io, OnAccepted, p))))
		OnAccepted(&p->Io, ND_UNSUCCESSFUL);
}

static BOOL HelloIsValid(PCONNECTION p)
{
	BYTE data[256];
	ULONG cb = sizeof(data);
	const HELLO *pHello = (const HELLO *)data;

	return SUCCEEDED(p->pConnector->GetPrivateData(data, &cb)) && cb >= sizeof(*pHello) &&
	       pHello->Version == SERVICE_VERSION && pHello->Credits <= CREDITS;
}

static void OnRequest(PIO pIo, HRESULT hrStatus)
{
	PCONNECTION p = (PCONNECTION)pIo->pOwner;
	IND2CompletionQueue *pCq;

	if (FAILED(hrStatus)) {
		Dereference(p); // the listener has been closed, so the request was cancelled
		return;
	}
	ConnectionListen(); // creates another connection, which waits for the next client
	if (!HelloIsValid(p)) {
		HELLO hello = {SERVICE_VERSION, 0, 0};

		InterlockedIncrement(&g_Server.cRefused);
		p->pConnector->Reject(&hello, sizeof(hello));
		Dereference(p);
		return;
	}
	pCq = g_Server.apCq[(ULONG)InterlockedIncrement(&s_cQueuePairs) % g_Server.cCqs];
	MUST(g_Server.pAdapter->CreateQueuePair(IID_IND2QueuePair, pCq, pCq, p, CREDITS, CREDITS, 1,
						1, 0, (void **)&p->pQp));
	WIN32((p->pMessages = (MESSAGE *)HeapAlloc(GetProcessHeap(), 0, CREDITS * MESSAGE_BYTES)) !=
	      NULL);
	for (DWORD i = 0; i < CREDITS; i++) {
		p->aSlots[i].pConnection = p;
		p->aSlots[i].pMessage = &p->pMessages[i];
	}
	MUST(g_Server.pAdapter->CreateMemoryRegion(IID_IND2MemoryRegion, g_Server.hFile,
						   (void **)&p->pMr));
	MUST(p->pMr->Register(p->pMessages, CREDITS * MESSAGE_BYTES, ND_MR_FLAG_ALLOW_LOCAL_WRITE,
			      StartIo(&p->Io, OnRegistered, p)));
}

void ConnectionListen(void)
{
	PCONNECTION p =
		(PCONNECTION)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(CONNECTION));
	HRESULT hr = ND_CANCELED;

	WIN32(p != NULL);
	p->cRef = 1;
	ListInit(&p->Leases);
	MUST(g_Server.pAdapter->CreateConnector(IID_IND2Connector, g_Server.hFile,
						(void **)&p->pConnector));
	InterlockedIncrement(&g_Server.cLive);
	AcquireSRWLockExclusive(&g_Server.ConnectionsLock);
	ListInsertTail(&g_Server.Connections, &p->Link);
	ReleaseSRWLockExclusive(&g_Server.ConnectionsLock);
	AcquireSRWLockShared(&g_Server.ListenerLock);
	if (g_Server.pListener != NULL)
		hr = g_Server.pListener->GetConnectionRequest(p->pConnector,
							      StartIo(&p->Io, OnRequest, p));
	ReleaseSRWLockShared(&g_Server.ListenerLock);
	if (FAILED(hr))
		Dereference(p);
}

// ---- closing connections ----

static void OnCloseEntry(PIO pIo, HRESULT hrStatus)
{
	PCONNECTION p = (PCONNECTION)pIo->pOwner;

	if (ReadAcquire(&p->fConnected))
		Close(p);
	else
		p->pConnector->CancelOverlappedRequests(); // ends a pending Accept
	Dereference(p);
}

// Starts to close all connections: posts an entry with the key KeyClose for each connection to the
// completion port. A worker thread then runs OnCloseEntry.
void ConnectionsClose(void)
{
	AcquireSRWLockShared(&g_Server.ConnectionsLock);
	for (PLIST_ENTRY pEntry = g_Server.Connections.Flink; pEntry != &g_Server.Connections;
	     pEntry = pEntry->Flink) {
		PCONNECTION p = CONTAINING_RECORD(pEntry, CONNECTION, Link);
		PIO pCloseIo;

		if (!TryReference(p))
			continue;
		WIN32((pCloseIo = (PIO)HeapAlloc(GetProcessHeap(), 0, sizeof(*pCloseIo))) != NULL);
		WIN32(PostQueuedCompletionStatus(g_Server.hIocp, sizeof(*pCloseIo), KeyClose,
						 StartIo(pCloseIo, OnCloseEntry, p)));
	}
	ReleaseSRWLockShared(&g_Server.ConnectionsLock);
}
