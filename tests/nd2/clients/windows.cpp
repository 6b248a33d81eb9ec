// A client and a server for one RDMA connection. Both hold the conversation of conversation.h.
//
//	windows -s ADDRESS PORT    serves one client, prints "listening on port N" (PORT 0: any)
//	windows -c ADDRESS PORT    connects as the client
//
// Written as a Windows program, with:
// - wide text, a critical section and interlocked counters
// - a worker thread that waits at a completion port
// - events with the low bit set, so that a request queues no packet at the completion port
// - a COM interface that the program itself defines
//
// The main thread posts all requests and waits for the event of a Notify. The worker thread waits
// at the completion port. Each thread takes the results when its wait ends.
#include <winsock2.h>
#include <windows.h>
#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <tchar.h>
#include <ndsupport.h>
#include <ndstatus.h>

#include "conversation.h"

const DWORD x_WaitMs = 20000;
const ULONG_PTR x_KeyFile = 0x5eed;
const ULONG_PTR x_KeyStop = 0x5709;

static void Fail(PCSTR what, ULONGLONG got)
{
	_ftprintf(stderr, _T("%hs: %I64x\n"), what, got);
	exit(1);
}

static void Must(HRESULT hr, PCSTR what)
{
	if (FAILED(hr))
		Fail(what, (ULONG)hr);
}

static void Demand(BOOL is, PCSTR what, ULONGLONG got = 0)
{
	if (!is)
		Fail(what, got);
}

#define MUST(call)  Must((call), #call)
#define WIN32(call) Demand((call) ? TRUE : FALSE, #call, GetLastError())

// A COM interface of this program. OnResult() is called with each result that a thread takes from a
// completion queue.
#undef INTERFACE
#define INTERFACE IResultSink
DECLARE_INTERFACE_(IResultSink, IUnknown)
{
	STDMETHOD(QueryInterface)(THIS_ REFIID riid, void **ppvObject) PURE;
	STDMETHOD_(ULONG, AddRef)(THIS) PURE;
	STDMETHOD_(ULONG, Release)(THIS) PURE;
	STDMETHOD(OnResult)(THIS_ const ND2_RESULT *pResult) PURE;
};

// Checks results and counts them. Any thread may call OnResult().
class CTally : public IResultSink
{
      public:
	CTally(message *pSlots, LONG peerSays, void *pContext)
	    : m_cRef(1), m_cRequests(0), m_cMessages(0), m_cbMoved(0), m_pSlots(pSlots),
	      m_peerSays(peerSays), m_pContext(pContext)
	{
		InitializeCriticalSection(&m_cs);
	}

	IFACEMETHODIMP QueryInterface(REFIID riid, void **ppvObject)
	{
		if (!IsEqualIID(riid, IID_IUnknown)) {
			*ppvObject = NULL;
			return E_NOINTERFACE;
		}
		*ppvObject = static_cast<IUnknown *>(this);
		AddRef();
		return S_OK;
	}

	IFACEMETHODIMP_(ULONG) AddRef()
	{
		return InterlockedIncrement(&m_cRef);
	}

	IFACEMETHODIMP_(ULONG) Release()
	{
		LONG cRef = InterlockedDecrement(&m_cRef);

		if (cRef == 0)
			delete this;
		return cRef;
	}

	IFACEMETHODIMP OnResult(const ND2_RESULT *pResult);

	BOOL Has(LONG cRequests, LONG cMessages)
	{
		return InterlockedCompareExchange(&m_cRequests, 0, 0) >= cRequests &&
		       InterlockedCompareExchange(&m_cMessages, 0, 0) >= cMessages;
	}

	DWORD Completions() const
	{
		return m_cRequests + m_cMessages;
	}

	ULONGLONG Bytes() const
	{
		return m_cbMoved;
	}

      private:
	virtual ~CTally()
	{
		DeleteCriticalSection(&m_cs);
	}

	LONG volatile m_cRef;
	LONG volatile m_cRequests;
	LONG volatile m_cMessages;
	LONGLONG volatile m_cbMoved;
	message *const m_pSlots;
	// Number of messages that the peer sends. All other receives complete with
	// ND_CANCELED.
	const LONG m_peerSays;
	void *const m_pContext;
	CRITICAL_SECTION m_cs;
};

// Checks one result. The request context of a receive is the address of its message slot. Other
// requests have the request context NULL.
STDMETHODIMP CTally::OnResult(const ND2_RESULT *pResult)
{
	EnterCriticalSection(&m_cs);
	BOOL fReceive = pResult->RequestType == Nd2RequestTypeReceive;
	BOOL fUnanswered = fReceive && m_cMessages >= m_peerSays;

	Demand(pResult->Status == (fUnanswered ? ND_CANCELED : ND_SUCCESS), "a completion's status",
	       (ULONG)pResult->Status);
	Demand(pResult->QueuePairContext == m_pContext, "a completion's queue pair");
	if (fReceive) {
		Demand(pResult->RequestContext == m_pSlots + m_cMessages, "receives out of order");
		Demand(fUnanswered || pResult->BytesTransferred == sizeof(message),
		       "a message's length", pResult->BytesTransferred);
	}
	InterlockedExchangeAdd64(&m_cbMoved, pResult->BytesTransferred);
	InterlockedIncrement(fReceive ? &m_cMessages : &m_cRequests);
	LeaveCriticalSection(&m_cs);
	return S_OK;
}

class CEnd
{
      public:
	CEnd(const SOCKADDR_IN &local, LONG peerSays);
	~CEnd();

	void Accept();
	void Connect(const SOCKADDR_IN &peer);
	void Serve();
	void Converse();
	void AwaitDeparture();
	void Disconnect();

	DWORD Completions() const
	{
		return m_pTally->Completions();
	}

	ULONGLONG Bytes() const
	{
		return m_pTally->Bytes();
	}

      private:
	static unsigned __stdcall WorkerMain(void *pArgument);
	void Work();
	void TakeResults();
	void Finish(HRESULT hr, IND2Overlapped *pObject, PCSTR what);
	message *Slot(DWORD i);
	void ExpectMessages();
	void CheckPrivateData(ULONG cb, ULONG cbField, UINT32 seed);
	void Notified();
	void Until(LONG cRequests, LONG cMessages);
	void Say(UINT32 what, UINT32 token, const void *pAddress, LONG n);
	const message *Hear(UINT32 what, LONG n);
	ND2_SGE Sge(SIZE_T offset, ULONG cb);

	SOCKADDR_IN m_local;
	IND2Adapter *m_pAdapter;
	IND2CompletionQueue *m_pCq;
	IND2MemoryRegion *m_pMr;
	IND2QueuePair *m_pQp;
	IND2Connector *m_pConnector;
	CTally *m_pTally;
	BYTE *m_pRegion;
	HANDLE m_hFile, m_hIocp, m_hWorker;
	HANDLE m_hEvent;    // set at the end of a request that Finish() waits for
	HANDLE m_hDeparted; // set at the end of NotifyDisconnect
	HANDLE m_hTaken;    // set when the worker thread has taken results
	OVERLAPPED m_ov, m_ovDeparture, m_ovEvent, m_ovPort;
	// Number of Notify calls so far. Odd calls (first, third, ...) report their end by the
	// event. Even calls report their end by the completion port.
	DWORD m_cNotified;
};

// Returns the event handle with its low bit set. A request with this hEvent queues no packet at the
// completion port of its file when the request ends.
static HANDLE WithoutPort(HANDLE hEvent)
{
	return (HANDLE)((ULONG_PTR)hEvent | 1);
}

static void Wait(HANDLE h, PCSTR what)
{
	DWORD ret = WaitForSingleObject(h, x_WaitMs);

	Demand(ret == WAIT_OBJECT_0, what, ret);
}

// Waits for the end of a request that has been started, and requires success.
void CEnd::Finish(HRESULT hr, IND2Overlapped *pObject, PCSTR what)
{
	Must(hr, what);
	if (hr == ND_PENDING)
		Wait(m_hEvent, what);
	Must(pObject->GetOverlappedResult(&m_ov, FALSE), what);
}

#define FINISH(object, call) Finish((object)->call, (object), #call)

CEnd::CEnd(const SOCKADDR_IN &local, LONG peerSays) : m_local(local), m_cNotified(0)
{
	ND2_ADAPTER_INFO info = {0};
	ULONG cbInfo = sizeof(info);

	MUST(NdOpenAdapter(IID_IND2Adapter, reinterpret_cast<const struct sockaddr *>(&local),
			   sizeof(local), reinterpret_cast<void **>(&m_pAdapter)));
	info.InfoVersion = ND_VERSION_2;
	MUST(m_pAdapter->Query(&info, &cbInfo));
	Demand(info.MaxCallerData >= CALLER_BYTES && info.MaxCalleeData >= CALLEE_BYTES,
	       "private data", info.MaxCallerData);
	MUST(m_pAdapter->CreateOverlappedFile(&m_hFile));
	m_hIocp = CreateIoCompletionPort(m_hFile, NULL, x_KeyFile, 0);
	WIN32(m_hIocp != NULL);
	WIN32((m_hEvent = CreateEvent(NULL, FALSE, FALSE, NULL)) != NULL);
	WIN32((m_hDeparted = CreateEvent(NULL, TRUE, FALSE, NULL)) != NULL);
	WIN32((m_hTaken = CreateEvent(NULL, FALSE, FALSE, NULL)) != NULL);
	ZeroMemory(&m_ov, sizeof(m_ov));
	m_ovDeparture = m_ovEvent = m_ovPort = m_ov;
	m_ov.hEvent = m_ovEvent.hEvent = WithoutPort(m_hEvent);
	m_ovDeparture.hEvent = WithoutPort(m_hDeparted);
	m_pRegion = static_cast<BYTE *>(
		VirtualAlloc(NULL, REGION_BYTES, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
	WIN32(m_pRegion != NULL);
	m_pTally = new CTally(Slot(0), peerSays, this);
	MUST(m_pAdapter->CreateCompletionQueue(IID_IND2CompletionQueue, m_hFile, 32, 0, 0,
					       reinterpret_cast<void **>(&m_pCq)));
	MUST(m_pAdapter->CreateMemoryRegion(IID_IND2MemoryRegion, m_hFile,
					    reinterpret_cast<void **>(&m_pMr)));
	FINISH(m_pMr, Register(m_pRegion, REGION_BYTES,
			       ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_ALLOW_REMOTE_READ |
				       ND_MR_FLAG_ALLOW_REMOTE_WRITE,
			       &m_ov));
	MUST(m_pAdapter->CreateQueuePair(IID_IND2QueuePair, m_pCq, m_pCq, this, SLOTS, 8, 1, 1, 0,
					 reinterpret_cast<void **>(&m_pQp)));
	MUST(m_pAdapter->CreateConnector(IID_IND2Connector, m_hFile,
					 reinterpret_cast<void **>(&m_pConnector)));
	m_hWorker = reinterpret_cast<HANDLE>(_beginthreadex(NULL, 0, WorkerMain, this, 0, NULL));
	WIN32(m_hWorker != NULL);
}

CEnd::~CEnd()
{
	DWORD exitCode = 0;

	WIN32(PostQueuedCompletionStatus(m_hIocp, 0, x_KeyStop, NULL));
	Wait(m_hWorker, "the worker's end");
	WIN32(GetExitCodeThread(m_hWorker, &exitCode));
	Demand(exitCode == m_cNotified / 2, "entries that the worker got", exitCode);
	FINISH(m_pMr, Deregister(&m_ov));
	Demand(m_pConnector->Release() == 0, "connector is still used");
	Demand(m_pQp->Release() == 0, "queue pair is still used");
	Demand(m_pCq->Release() == 0, "completion queue is still used");
	Demand(m_pMr->Release() == 0, "region is still used");
	m_pAdapter->Release();
	Demand(m_pTally->Release() == 0, "tally is still used");
	HANDLE handles[] = {m_hWorker, m_hEvent, m_hDeparted, m_hTaken, m_hFile, m_hIocp};
	for (SIZE_T i = 0; i < _countof(handles); i++)
		WIN32(CloseHandle(handles[i]));
	WIN32(VirtualFree(m_pRegion, 0, MEM_RELEASE));
}

// ---- completions ----

message *CEnd::Slot(DWORD i)
{
	return reinterpret_cast<message *>(m_pRegion + AT_SLOTS) + i;
}

void CEnd::TakeResults()
{
	IResultSink *pSink = m_pTally;
	ND2_RESULT results[4];

	for (ULONG n; (n = m_pCq->GetResults(results, _countof(results))) > 0;) {
		for (ULONG i = 0; i < n; i++)
			pSink->OnResult(&results[i]);
	}
}

unsigned __stdcall CEnd::WorkerMain(void *pArgument)
{
	CEnd *pEnd = static_cast<CEnd *>(pArgument);
	DWORD cEntries = 0;

	for (;;) {
		DWORD cb;
		ULONG_PTR key;
		OVERLAPPED *pOv;

		WIN32(GetQueuedCompletionStatus(pEnd->m_hIocp, &cb, &key, &pOv, INFINITE));
		if (key == x_KeyStop)
			return cEntries;
		Demand(key == x_KeyFile && pOv == &pEnd->m_ovPort, "the entry at the port", key);
		Must(pEnd->m_pCq->GetOverlappedResult(pOv, FALSE), "Notify by port");
		cEntries++;
		pEnd->TakeResults();
		WIN32(SetEvent(pEnd->m_hTaken));
	}
}

// Calls Notify and waits until the results are taken. In odd calls this thread takes the results,
// after the event. In even calls the worker thread takes the results, after a packet at the
// completion port.
void CEnd::Notified()
{
	if (++m_cNotified % 2 == 0) {
		MUST(m_pCq->Notify(ND_CQ_NOTIFY_ANY, &m_ovPort));
		Wait(m_hTaken, "Notify by port");
		return;
	}
	MUST(m_pCq->Notify(ND_CQ_NOTIFY_ANY, &m_ovEvent));
	Wait(m_hEvent, "Notify by event");
	MUST(m_pCq->GetOverlappedResult(&m_ovEvent, FALSE));
	TakeResults();
}

// Waits until cRequests requests and cMessages receives of this side have completed, counted from
// the start. Cancelled receives count too.
void CEnd::Until(LONG cRequests, LONG cMessages)
{
	while (!m_pTally->Has(cRequests, cMessages))
		Notified();
}

// ---- messages ----

ND2_SGE CEnd::Sge(SIZE_T offset, ULONG cb)
{
	ND2_SGE sge = {m_pRegion + offset, cb, m_pMr->GetLocalToken()};

	return sge;
}

void CEnd::ExpectMessages()
{
	for (DWORD i = 0; i < SLOTS; i++) {
		ND2_SGE sge = Sge(reinterpret_cast<BYTE *>(Slot(i)) - m_pRegion, sizeof(message));

		MUST(m_pQp->Receive(Slot(i), &sge, 1));
	}
}

// Sends a message, then waits until this side has completed n requests, counted from the start.
void CEnd::Say(UINT32 what, UINT32 token, const void *pAddress, LONG n)
{
	message *p = Slot(SLOTS);
	ND2_SGE sge = Sge(reinterpret_cast<BYTE *>(p) - m_pRegion, sizeof(*p));

	p->says = what;
	p->token = token;
	p->address = reinterpret_cast<UINT64>(pAddress);
	fill(p->text, sizeof(p->text), what);
	MUST(m_pQp->Send(NULL, &sge, 1, 0));
	Until(n, 0);
}

// Waits for the n-th message of the peer, counted from 1, and checks its type and text.
const message *CEnd::Hear(UINT32 what, LONG n)
{
	const message *p = Slot(n - 1);

	Until(0, n);
	Demand(p->says == what, "another message", p->says);
	Demand(first_wrong(p->text, sizeof(p->text), what) == sizeof(p->text), "a message's text",
	       what);
	return p;
}

static void CheckBytes(const BYTE *pBytes, UINT32 cb, UINT32 seed, PCSTR what)
{
	Demand(first_wrong(pBytes, cb, seed) == cb, what, first_wrong(pBytes, cb, seed));
}

void CEnd::CheckPrivateData(ULONG cb, ULONG cbField, UINT32 seed)
{
	BYTE *pBytes;
	ULONG cbGot = 0;

	// The first call returns the size of the private data, the second call the data.
	Demand(m_pConnector->GetPrivateData(NULL, &cbGot) == ND_BUFFER_OVERFLOW,
	       "length of private data", cbGot);
	Demand(cbGot == cbField, "length of private data", cbGot);
	WIN32((pBytes = static_cast<BYTE *>(
		       HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, cbGot))) != NULL);
	MUST(m_pConnector->GetPrivateData(pBytes, &cbGot));
	CheckBytes(pBytes, cb, seed, "private data");
	Demand(first_set(pBytes + cb, cbGot - cb) == cbGot - cb, "what follows private data",
	       cbGot);
	WIN32(HeapFree(GetProcessHeap(), 0, pBytes));
}

// ---- client ----

void CEnd::Connect(const SOCKADDR_IN &peer)
{
	BYTE data[CALLER_BYTES];

	fill(data, sizeof(data), SEED_CALLER);
	MUST(m_pConnector->Bind(reinterpret_cast<const struct sockaddr *>(&m_local),
				sizeof(m_local)));
	ExpectMessages();
	FINISH(m_pConnector, Connect(m_pQp, reinterpret_cast<const struct sockaddr *>(&peer),
				     sizeof(peer), 1, 1, data, sizeof(data), &m_ov));
	CheckPrivateData(CALLEE_BYTES, CALLEE_FIELD, SEED_CALLEE);
	FINISH(m_pConnector, CompleteConnect(&m_ov));
}

void CEnd::Converse()
{
	ND2_SGE out = Sge(AT_WRITTEN, BULK_BYTES), in = Sge(AT_READ, BULK_BYTES),
		part = Sge(AT_WINDOW, WINDOW_BYTES);

	Say(SAY_HELLO, 0, NULL, 1);
	const message *pLent = Hear(SAY_LENT, 1);
	fill(m_pRegion + AT_WRITTEN, BULK_BYTES, SEED_WRITTEN);
	MUST(m_pQp->Write(NULL, &out, 1, pLent->address + AT_WRITTEN, pLent->token, 0));
	Say(SAY_WRITTEN, 0, NULL, 3);
	MUST(m_pQp->Read(NULL, &in, 1, pLent->address + AT_READ, pLent->token, 0));
	Until(4, 0);
	CheckBytes(m_pRegion + AT_READ, BULK_BYTES, SEED_READ, "what was read");
	Say(SAY_READ, 0, NULL, 5);
	pLent = Hear(SAY_WINDOW, 2);
	fill(m_pRegion + AT_WINDOW, WINDOW_BYTES, SEED_WINDOW);
	MUST(m_pQp->Write(NULL, &part, 1, pLent->address, pLent->token, 0));
	Say(SAY_FILLED, 0, NULL, 7);
	Hear(SAY_BYE, 3);
}

void CEnd::Disconnect()
{
	FINISH(m_pConnector, Disconnect(&m_ov));
	Until(0, SLOTS);
}

// ---- server ----

void CEnd::Accept()
{
	SOCKADDR_IN bound;
	ULONG cb = sizeof(bound);
	BYTE data[CALLEE_BYTES];
	IND2Listener *pListener;

	MUST(m_pAdapter->CreateListener(IID_IND2Listener, m_hFile,
					reinterpret_cast<void **>(&pListener)));
	MUST(pListener->Bind(reinterpret_cast<const struct sockaddr *>(&m_local), sizeof(m_local)));
	MUST(pListener->Listen(0));
	MUST(pListener->GetLocalAddress(reinterpret_cast<struct sockaddr *>(&bound), &cb));
	_tprintf(_T("listening on port %hu\n"), ntohs(bound.sin_port));
	fflush(stdout);
	FINISH(pListener, GetConnectionRequest(m_pConnector, &m_ov));
	CheckPrivateData(CALLER_BYTES, CALLER_FIELD, SEED_CALLER);
	ExpectMessages();
	fill(data, sizeof(data), SEED_CALLEE);
	FINISH(m_pConnector, Accept(m_pQp, 1, 1, data, sizeof(data), &m_ov));
	MUST(m_pConnector->NotifyDisconnect(&m_ovDeparture));
	Demand(pListener->Release() == 0, "listener is still used");
}

void CEnd::Serve()
{
	BYTE *pLent = m_pRegion + AT_WINDOW;
	const ULONG cbBehind = BULK_BYTES - WINDOW_BYTES;
	IND2MemoryWindow *pMw;

	fill(m_pRegion + AT_READ, BULK_BYTES, SEED_READ);
	Hear(SAY_HELLO, 1);
	Say(SAY_LENT, m_pMr->GetRemoteToken(), m_pRegion, 1);
	Hear(SAY_WRITTEN, 2);
	CheckBytes(m_pRegion + AT_WRITTEN, BULK_BYTES, SEED_WRITTEN, "what was written");
	Hear(SAY_READ, 3);
	CheckBytes(m_pRegion + AT_READ, BULK_BYTES, SEED_READ, "what was lent for reading");
	MUST(m_pAdapter->CreateMemoryWindow(IID_IND2MemoryWindow, reinterpret_cast<void **>(&pMw)));
	MUST(m_pQp->Bind(NULL, m_pMr, pMw, pLent, WINDOW_BYTES, ND_OP_FLAG_ALLOW_WRITE));
	Until(2, 0);
	Say(SAY_WINDOW, pMw->GetRemoteToken(), pLent, 3);
	Hear(SAY_FILLED, 4);
	CheckBytes(pLent, WINDOW_BYTES, SEED_WINDOW, "what was written through the window");
	Demand(first_set(pLent + WINDOW_BYTES, cbBehind) == cbBehind, "what is behind the window");
	MUST(m_pQp->Invalidate(NULL, pMw, 0));
	Until(4, 0);
	Say(SAY_BYE, 0, NULL, 5);
	Demand(pMw->Release() == 0, "window is still used");
}

void CEnd::AwaitDeparture()
{
	Wait(m_hDeparted, "NotifyDisconnect");
	MUST(m_pConnector->GetOverlappedResult(&m_ovDeparture, FALSE));
	Until(0, SLOTS);
}

static void Talk(BOOL fServer, const SOCKADDR_IN &address)
{
	SOCKADDR_IN local = address;
	LARGE_INTEGER frequency, begin, end;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&begin);
	if (!fServer) {
		SIZE_T cb = sizeof(local);

		MUST(NdResolveAddress(reinterpret_cast<const struct sockaddr *>(&address),
				      sizeof(address), reinterpret_cast<struct sockaddr *>(&local),
				      &cb));
	}
	CEnd talker(local, fServer ? 4 : 3);
	if (fServer) {
		talker.Accept();
		talker.Serve();
		talker.AwaitDeparture();
	} else {
		talker.Connect(address);
		talker.Converse();
	}
	talker.Disconnect();
	QueryPerformanceCounter(&end);
	_tprintf(_T("%lu completions, %I64u bytes, %.1f ms\n"), talker.Completions(),
		 talker.Bytes(), (end.QuadPart - begin.QuadPart) * 1000.0 / frequency.QuadPart);
}

int __cdecl _tmain(int argc, TCHAR *argv[])
{
	WSADATA wsaData;
	SOCKADDR_IN address = {0};
	INT cbAddress = sizeof(address);
	int ret = WSAStartup(MAKEWORD(2, 2), &wsaData);

	if (ret != 0)
		Fail("WSAStartup", ret);
	if (argc != 4 ||
	    WSAStringToAddress(argv[2], AF_INET, NULL, reinterpret_cast<LPSOCKADDR>(&address),
			       &cbAddress) != 0) {
		_ftprintf(stderr, _T("usage: %s -s|-c ADDRESS PORT\n"), argv[0]);
		return 2;
	}
	address.sin_port = htons((USHORT)_ttoi(argv[3]));
	MUST(NdStartup());
	Talk(_tcsicmp(argv[1], _T("-s")) == 0, address);
	MUST(NdCleanup());
	WSACleanup();
	_putts(_T("all is well"));
	return 0;
}
