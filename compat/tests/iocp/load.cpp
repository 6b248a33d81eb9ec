// Does the service work for many clients at once? This file is a load generator. Each thread owns
// clients and a completion queue. All clients of a thread send a request at the same time; the
// thread compares every byte of the answers. The threads share the adapter and the event hGate,
// which starts the requests.
#include "service.h"

#include <process.h>

static const DWORD PATIENCE_MS = 30000;

struct CLIENT {
	IND2Connector *pConnector;
	IND2QueuePair *pQp;
	IND2MemoryRegion *pMr;
	struct MEMORY {
		MESSAGE Out, In;
		BYTE Written[PAGE_BYTES], Read[PAGE_BYTES];
	} * pMemory;
	DWORD dwToken, dwSequence;
	MESSAGE_HEADER Lease;
};

struct LOADER {
	DWORD dwIndex, cClients, cRounds;
	CLIENT *pClients;
	HANDLE hFile, hEvent;
	IND2CompletionQueue *pCq;
	OVERLAPPED Ov, NotifyOv;
	ULONGLONG cRequests, cbMoved;
	// longest time from the first request of a round until all answers are checked, in ticks of
	// QueryPerformanceCounter
	LONGLONG llLongest;
};

static struct {
	SOCKADDR_IN Server, Local;
	IND2Adapter *pAdapter;
	HANDLE hGate;
	LONG volatile cNotConnected; // number of threads with unconnected clients
	LONG volatile cConnected;    // number of connected clients
} s_load;

// Waits for the end of an overlapped request and returns the request's status, which may be a
// failure. Ends the program if the request is still pending after PATIENCE_MS.
static HRESULT Await(LOADER *pLoader, IND2Overlapped *pObject, OVERLAPPED *pOv, HRESULT hr)
{
	if (hr != ND_PENDING)
		return hr;
	if (WaitForSingleObject(pLoader->hEvent, PATIENCE_MS) != WAIT_OBJECT_0)
		Fatal("a request that does not end", pOv->Internal);
	return pObject->GetOverlappedResult(pOv, FALSE);
}

#define AWAIT(loader, object, call) Await((loader), (object), &(loader)->Ov, (object)->call)

// ---- creating and connecting a client ----

static void CreateClient(LOADER *pLoader, CLIENT *p)
{
	MUST(s_load.pAdapter->CreateConnector(IID_IND2Connector, pLoader->hFile,
					      (void **)&p->pConnector));
	MUST(s_load.pAdapter->CreateQueuePair(IID_IND2QueuePair, pLoader->pCq, pLoader->pCq, p, 1,
					      2, 1, 1, 0, (void **)&p->pQp));
	p->pMemory = (CLIENT::MEMORY *)HeapAlloc(GetProcessHeap(), 0, sizeof(*p->pMemory));
	WIN32(p->pMemory != NULL);
	MUST(s_load.pAdapter->CreateMemoryRegion(IID_IND2MemoryRegion, pLoader->hFile,
						 (void **)&p->pMr));
	MUST(AWAIT(pLoader, p->pMr,
		   Register(p->pMemory, sizeof(*p->pMemory), ND_MR_FLAG_ALLOW_LOCAL_WRITE,
			    &pLoader->Ov)));
	p->dwToken = p->pMr->GetLocalToken();
}

static void DestroyClient(LOADER *pLoader, CLIENT *p)
{
	if (p->pQp->Release() != 0 || p->pConnector->Release() != 0)
		Fatal("a client is still used", (ULONG_PTR)p);
	MUST(AWAIT(pLoader, p->pMr, Deregister(&pLoader->Ov)));
	if (p->pMr->Release() != 0)
		Fatal("a client's region is still used", (ULONG_PTR)p);
	WIN32(HeapFree(GetProcessHeap(), 0, p->pMemory));
}

static HRESULT ConnectClient(LOADER *pLoader, CLIENT *p, DWORD dwVersion)
{
	HELLO hello = {dwVersion, 1, 0};
	BYTE data[256];
	ULONG cb = sizeof(data);
	HRESULT hr;

	MUST(p->pConnector->Bind((const struct sockaddr *)&s_load.Local, sizeof(s_load.Local)));
	hr = AWAIT(pLoader, p->pConnector,
		   Connect(p->pQp, (const struct sockaddr *)&s_load.Server, sizeof(s_load.Server),
			   0, 2, &hello, sizeof(hello), &pLoader->Ov));
	if (FAILED(hr))
		return hr;
	MUST(p->pConnector->GetPrivateData(data, &cb));
	CopyMemory(&hello, data, sizeof(hello));
	if (hello.Version != SERVICE_VERSION || hello.Credits != CREDITS)
		Fatal("the server's hello", hello.Version);
	return AWAIT(pLoader, p->pConnector, CompleteConnect(&pLoader->Ov));
}

// ---- rounds: all clients of a thread send a request, then all answers are checked ----

// Waits until cExpected results have been taken from the completion queue. Returns FALSE if any of
// these results is a failure.
static BOOL Collect(LOADER *pLoader, DWORD cExpected)
{
	while (cExpected > 0) {
		ND2_RESULT results[32];
		ULONG cResults = pLoader->pCq->GetResults(results, ARRAYSIZE(results));

		for (ULONG i = 0; i < cResults; i++) {
			if (results[i].Status != ND_SUCCESS)
				return FALSE;
			pLoader->cbMoved += results[i].BytesTransferred;
		}
		if (cResults > cExpected)
			Fatal("more results than requests", cResults);
		cExpected -= cResults;
		if (cResults == 0 && cExpected > 0 &&
		    FAILED(Await(pLoader, pLoader->pCq, &pLoader->NotifyOv,
				 pLoader->pCq->Notify(ND_CQ_NOTIFY_ANY, &pLoader->NotifyOv))))
			return FALSE;
	}
	return TRUE;
}

static BYTE ByteOf(const CLIENT *p, DWORD i)
{
	return (BYTE)(p->dwToken * 31 + p->dwSequence * 17 + i * 7 + (i >> 8));
}

static BOOL Ask(LOADER *pLoader, CLIENT *p, WORD wOp)
{
	MESSAGE *pOut = &p->pMemory->Out;
	ND2_SGE out = {pOut, MESSAGE_BYTES, p->dwToken},
		in = {&p->pMemory->In, MESSAGE_BYTES, p->dwToken};

	pOut->Header = p->Lease;
	pOut->Header.Op = wOp;
	pOut->Header.Length = (WORD)(PAYLOAD_BYTES - p->dwSequence % 64);
	pOut->Header.Sequence = ++p->dwSequence;
	for (DWORD i = 0; i < PAYLOAD_BYTES; i++)
		pOut->Payload[i] = ByteOf(p, i);
	pOut->Header.Sum = SumOf(pOut->Payload, pOut->Header.Length);
	FillMemory(&p->pMemory->In, sizeof(p->pMemory->In), 0xee);
	pLoader->cRequests++;
	return SUCCEEDED(p->pQp->Receive(NULL, &in, 1)) &&
	       SUCCEEDED(p->pQp->Send(NULL, &out, 1, 0));
}

static void CheckAnswer(CLIENT *p, WORD wOp)
{
	const MESSAGE *pIn = &p->pMemory->In, *pOut = &p->pMemory->Out;
	const BYTE bFlip = wOp == OpInvert ? 0xff : 0;

	if (pIn->Header.Op != wOp || pIn->Header.Sequence != p->dwSequence ||
	    pIn->Header.Length != pOut->Header.Length)
		Fatal("an answer to something else", pIn->Header.Sequence);
	for (DWORD i = 0; i < PAYLOAD_BYTES; i++) {
		BYTE bExpected = ByteOf(p, i);

		if (i < pOut->Header.Length)
			bExpected ^= bFlip;
		if (pIn->Payload[i] != bExpected)
			Fatal("a byte of an answer", i);
	}
	if (wOp == OpLease)
		p->Lease = pIn->Header;
	else if (wOp == OpAdd && pIn->Header.Sum != SumOf(p->pMemory->Written, PAGE_BYTES))
		Fatal("the sum of a page", pIn->Header.Sum);
}

static BOOL Round(LOADER *pLoader, WORD wOp)
{
	LARGE_INTEGER begin, end;

	QueryPerformanceCounter(&begin);
	for (DWORD i = 0; i < pLoader->cClients; i++) {
		if (!Ask(pLoader, &pLoader->pClients[i], wOp))
			return FALSE;
	}
	if (!Collect(pLoader, 2 * pLoader->cClients))
		return FALSE;
	for (DWORD i = 0; i < pLoader->cClients; i++)
		CheckAnswer(&pLoader->pClients[i], wOp);
	QueryPerformanceCounter(&end);
	pLoader->llLongest = max(pLoader->llLongest, end.QuadPart - begin.QuadPart);
	return TRUE;
}

static BOOL MovePages(LOADER *pLoader, BOOL fWrite)
{
	for (DWORD i = 0; i < pLoader->cClients; i++) {
		CLIENT *p = &pLoader->pClients[i];
		BYTE *pBytes = fWrite ? p->pMemory->Written : p->pMemory->Read;
		ND2_SGE sge = {pBytes, PAGE_BYTES, p->dwToken};

		for (DWORD j = 0; j < PAGE_BYTES; j++)
			pBytes[j] = fWrite ? ByteOf(p, j) : 0;
		if (FAILED(fWrite ? p->pQp->Write(NULL, &sge, 1, p->Lease.Address, p->Lease.Token,
						  0)
				  : p->pQp->Read(NULL, &sge, 1, p->Lease.Address, p->Lease.Token,
						 0)))
			return FALSE;
	}
	if (!Collect(pLoader, pLoader->cClients))
		return FALSE;
	for (DWORD i = 0; i < pLoader->cClients; i++) {
		struct CLIENT::MEMORY *pMemory = pLoader->pClients[i].pMemory;

		if (!fWrite && !RtlEqualMemory(pMemory->Written, pMemory->Read, PAGE_BYTES))
			Fatal("a page that was read", i);
	}
	return TRUE;
}

static BOOL Rounds(LOADER *pLoader)
{
	for (DWORD i = 0; i < pLoader->cRounds; i++) {
		if (!Round(pLoader, OpInvert))
			return FALSE;
	}
	return Round(pLoader, OpLease) && MovePages(pLoader, TRUE) && MovePages(pLoader, FALSE) &&
	       Round(pLoader, OpAdd) && Round(pLoader, OpReturn);
}

// ---- the threads that load the server ----

static void OpenLoader(LOADER *pLoader)
{
	WIN32((pLoader->hEvent = CreateEvent(NULL, FALSE, FALSE, NULL)) != NULL);
	pLoader->Ov.hEvent = pLoader->NotifyOv.hEvent = pLoader->hEvent;
	MUST(s_load.pAdapter->CreateOverlappedFile(&pLoader->hFile));
	MUST(s_load.pAdapter->CreateCompletionQueue(IID_IND2CompletionQueue, pLoader->hFile,
						    3 * pLoader->cClients + 3, 0, 0,
						    (void **)&pLoader->pCq));
	pLoader->pClients = (CLIENT *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY,
						pLoader->cClients * sizeof(CLIENT));
	WIN32(pLoader->pClients != NULL);
}

static void CloseLoader(LOADER *pLoader)
{
	if (pLoader->pCq->Release() != 0)
		Fatal("a completion queue is still used", pLoader->dwIndex);
	WIN32(CloseHandle(pLoader->hFile) && CloseHandle(pLoader->hEvent));
	WIN32(HeapFree(GetProcessHeap(), 0, pLoader->pClients));
}

// Connects with a wrong protocol version in the private data. The server must reject the
// connection.
static void CheckRefusal(LOADER *pLoader)
{
	CLIENT client;
	HRESULT hr;

	ZeroMemory(&client, sizeof(client));
	CreateClient(pLoader, &client);
	hr = ConnectClient(pLoader, &client, SERVICE_VERSION + 1);
	if (hr != ND_CONNECTION_REFUSED)
		Fatal("a connection that should be refused", (ULONG)hr);
	DestroyClient(pLoader, &client);
}

static BOOL ConnectAll(LOADER *pLoader)
{
	BOOL fAll = TRUE;

	for (DWORD i = 0; i < pLoader->cClients && fAll; i++) {
		fAll = SUCCEEDED(ConnectClient(pLoader, &pLoader->pClients[i], SERVICE_VERSION));
		InterlockedExchangeAdd(&s_load.cConnected, fAll);
	}
	// The last thread whose clients are connected sets hGate, which starts the requests of all
	// threads.
	if (InterlockedDecrement(&s_load.cNotConnected) == 0) {
		_tprintf(_T("connected %ld\n"), s_load.cConnected);
		fflush(stdout);
		WIN32(SetEvent(s_load.hGate));
	}
	if (WaitForSingleObject(s_load.hGate, PATIENCE_MS) != WAIT_OBJECT_0)
		Fatal("threads that do not connect", s_load.cNotConnected);
	return fAll;
}

static unsigned __stdcall LoaderMain(void *pArgument)
{
	LOADER *pLoader = (LOADER *)pArgument;
	BOOL fGood;

	OpenLoader(pLoader);
	if (pLoader->dwIndex == 0)
		CheckRefusal(pLoader);
	for (DWORD i = 0; i < pLoader->cClients; i++)
		CreateClient(pLoader, &pLoader->pClients[i]);
	fGood = ConnectAll(pLoader) && Rounds(pLoader);
	for (DWORD i = 0; i < pLoader->cClients && fGood; i++)
		fGood = SUCCEEDED(
			AWAIT(pLoader, pLoader->pClients[i].pConnector, Disconnect(&pLoader->Ov)));
	for (DWORD i = 0; i < pLoader->cClients; i++)
		DestroyClient(pLoader, &pLoader->pClients[i]);
	CloseLoader(pLoader);
	return fGood ? 0 : 1;
}

int LoadMain(const SOCKADDR_IN *pAddress, DWORD cThreads, DWORD cConnections, DWORD cRounds)
{
	LOADER loaders[MAXIMUM_WAIT_OBJECTS] = {};
	HANDLE ahThreads[MAXIMUM_WAIT_OBJECTS];
	LARGE_INTEGER frequency;
	SIZE_T cb = sizeof(s_load.Local);
	ULONGLONG cRequests = 0, cbMoved = 0;
	LONGLONG llLongest = 0;
	DWORD dwLost = 0;

	QueryPerformanceFrequency(&frequency);
	cThreads = min(min(cThreads, cConnections), (DWORD)MAXIMUM_WAIT_OBJECTS);
	s_load.Server = *pAddress;
	s_load.cNotConnected = cThreads;
	WIN32((s_load.hGate = CreateEvent(NULL, TRUE, FALSE, NULL)) != NULL);
	MUST(NdResolveAddress((const struct sockaddr *)pAddress, sizeof(*pAddress),
			      (struct sockaddr *)&s_load.Local, &cb));
	MUST(NdOpenAdapter(IID_IND2Adapter, (const struct sockaddr *)&s_load.Local,
			   sizeof(s_load.Local), (void **)&s_load.pAdapter));
	for (DWORD i = 0; i < cThreads; i++) {
		loaders[i].dwIndex = i;
		loaders[i].cClients = cConnections / cThreads + (i < cConnections % cThreads);
		loaders[i].cRounds = cRounds;
		ahThreads[i] = (HANDLE)_beginthreadex(NULL, 0, LoaderMain, &loaders[i], 0, NULL);
		WIN32(ahThreads[i] != NULL);
	}
	WaitForMultipleObjects(cThreads, ahThreads, TRUE, INFINITE);
	for (DWORD i = 0; i < cThreads; i++) {
		DWORD dwExitCode;

		WIN32(GetExitCodeThread(ahThreads[i], &dwExitCode));
		WIN32(CloseHandle(ahThreads[i]));
		dwLost |= dwExitCode;
		cRequests += loaders[i].cRequests;
		cbMoved += loaders[i].cbMoved;
		llLongest = max(llLongest, loaders[i].llLongest);
	}
	WIN32(CloseHandle(s_load.hGate));
	s_load.pAdapter->Release();
	_tprintf(_T("%I64u requests, %I64u bytes, longest round %.1f ms, %s\n"), cRequests, cbMoved,
		 llLongest * 1000.0 / frequency.QuadPart,
		 dwLost ? _T("connections lost") : _T("all is well"));
	return dwLost;
}
