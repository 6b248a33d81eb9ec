// How does the server start, run and stop? This file owns the adapter, the completion port with its
// worker threads, the completion queues and the listener. The main thread starts and stops the
// server. The worker threads do everything else.
#include "service.h"

#include <process.h>

SERVER g_Server;

static const DWORD PENDING_REQUESTS = 16; // number of connectors that wait for a client
static const DWORD CQ_DEPTH = 4096;

static BOOL WINAPI OnControl(DWORD dwType)
{
	switch (dwType) {
	case CTRL_C_EVENT:
	case CTRL_BREAK_EVENT:
	case CTRL_CLOSE_EVENT:
		return SetEvent(g_Server.hStop);
	default:
		return FALSE;
	}
}

void ServerReleaseCount(void)
{
	if (InterlockedDecrement(&g_Server.cLive) == 0)
		WIN32(SetEvent(g_Server.hIdle));
}

// ---- completion queues ----

static void OnNotify(PIO pIo, HRESULT hrStatus)
{
	IND2CompletionQueue *pCq = (IND2CompletionQueue *)pIo->pOwner;
	ND2_RESULT results[16];
	ULONG cResults;

	if (FAILED(hrStatus)) {
		ServerReleaseCount(); // the server is stopping, so do not arm the queue again
		return;
	}
	while ((cResults = pCq->GetResults(results, ARRAYSIZE(results))) > 0) {
		for (ULONG i = 0; i < cResults; i++)
			ConnectionResult(&results[i]);
	}
	MUST(pCq->Notify(ND_CQ_NOTIFY_ANY, StartIo(pIo, OnNotify, pCq)));
	// Stop may have cancelled the requests of this completion queue just before this Notify, so
	// cancel again.
	if (ReadAcquire(&g_Server.fDrained))
		MUST(pCq->CancelOverlappedRequests());
}

// ---- worker threads ----

static BOOL Dispatch(const OVERLAPPED_ENTRY *pEntry)
{
	PIO pIo;

	switch (pEntry->lpCompletionKey) {
	case KeyIo:
		pIo = CONTAINING_RECORD(pEntry->lpOverlapped, IO, Ov);
		pIo->pfnComplete(pIo, (HRESULT)pEntry->Internal);
		return TRUE;
	case KeyClose:
		pIo = CONTAINING_RECORD(pEntry->lpOverlapped, IO, Ov);
		pIo->pfnComplete(pIo, S_OK);
		WIN32(HeapFree(GetProcessHeap(), 0, pIo));
		return TRUE;
	default:
		return FALSE;
	}
}

static unsigned __stdcall WorkerMain(void *pArgument)
{
	HANDLE hIocp = (HANDLE)pArgument;
	OVERLAPPED_ENTRY entries[8];
	unsigned cServed = 0;

	for (ULONG cStop = 0; cStop == 0;) {
		ULONG cEntries = 0;

		WIN32(GetQueuedCompletionStatusEx(hIocp, entries, ARRAYSIZE(entries), &cEntries,
						  INFINITE, FALSE));
		for (ULONG i = 0; i < cEntries; i++) {
			// One KeyStop entry ends this worker. Further KeyStop entries are meant for
			// other workers and go back to the completion port.
			if (Dispatch(&entries[i]))
				cServed++;
			else if (++cStop > 1)
				WIN32(PostQueuedCompletionStatus(hIocp, 0, KeyStop, NULL));
		}
	}
	return cServed;
}

static void StartWorkers(HANDLE ahWorkers[], DWORD cWorkers)
{
	for (DWORD i = 0; i < cWorkers; i++) {
		ahWorkers[i] = (HANDLE)_beginthreadex(NULL, 0, WorkerMain, g_Server.hIocp, 0, NULL);
		WIN32(ahWorkers[i] != NULL);
	}
}

// Ends the worker threads. Returns the number of entries of the completion port that they have
// handled.
static ULONGLONG StopWorkers(const HANDLE ahWorkers[], DWORD cWorkers)
{
	ULONGLONG cServed = 0;

	for (DWORD i = 0; i < cWorkers; i++)
		WIN32(PostQueuedCompletionStatus(g_Server.hIocp, 0, KeyStop, NULL));
	if (WaitForMultipleObjects(cWorkers, ahWorkers, TRUE, 30000) != WAIT_OBJECT_0)
		Fatal("workers that do not stop", cWorkers);
	for (DWORD i = 0; i < cWorkers; i++) {
		DWORD dwServed;

		WIN32(GetExitCodeThread(ahWorkers[i], &dwServed));
		WIN32(CloseHandle(ahWorkers[i]));
		cServed += dwServed;
	}
	return cServed;
}

// ---- starting and stopping ----

static void Start(const SOCKADDR_IN *pAddress, DWORD cWorkers)
{
	ListInit(&g_Server.Connections);
	InitializeSRWLock(&g_Server.ConnectionsLock);
	InitializeSRWLock(&g_Server.ListenerLock);
	WIN32((g_Server.hStop = CreateEvent(NULL, TRUE, FALSE, NULL)) != NULL);
	WIN32((g_Server.hIdle = CreateEvent(NULL, TRUE, FALSE, NULL)) != NULL);
	WIN32(SetConsoleCtrlHandler(OnControl, TRUE));
	MUST(NdOpenAdapter(IID_IND2Adapter, (const struct sockaddr *)pAddress, sizeof(*pAddress),
			   (void **)&g_Server.pAdapter));
	MUST(g_Server.pAdapter->CreateOverlappedFile(&g_Server.hFile));
	g_Server.hIocp = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, cWorkers);
	WIN32(g_Server.hIocp != NULL);
	WIN32(CreateIoCompletionPort(g_Server.hFile, g_Server.hIocp, KeyIo, 0) == g_Server.hIocp);
	g_Server.cLive = 1; // counts the server itself
}

static void Listen(const SOCKADDR_IN *pAddress)
{
	SOCKADDR_IN bound;
	ULONG cb = sizeof(bound);
	TCHAR szAddress[64];
	DWORD cchAddress = ARRAYSIZE(szAddress);

	for (DWORD i = 0; i < g_Server.cCqs; i++) {
		MUST(g_Server.pAdapter->CreateCompletionQueue(IID_IND2CompletionQueue,
							      g_Server.hFile, CQ_DEPTH, 0, 0,
							      (void **)&g_Server.apCq[i]));
		InterlockedIncrement(&g_Server.cLive);
		MUST(g_Server.apCq[i]->Notify(
			ND_CQ_NOTIFY_ANY,
			StartIo(&g_Server.aNotifyIo[i], OnNotify, g_Server.apCq[i])));
	}
	MUST(g_Server.pAdapter->CreateListener(IID_IND2Listener, g_Server.hFile,
					       (void **)&g_Server.pListener));
	MUST(g_Server.pListener->Bind((const struct sockaddr *)pAddress, sizeof(*pAddress)));
	MUST(g_Server.pListener->Listen(0));
	for (DWORD i = 0; i < PENDING_REQUESTS; i++)
		ConnectionListen();
	MUST(g_Server.pListener->GetLocalAddress((struct sockaddr *)&bound, &cb));
	if (WSAAddressToString((LPSOCKADDR)&bound, cb, NULL, szAddress, &cchAddress) ==
	    SOCKET_ERROR)
		Fatal("WSAAddressToString", WSAGetLastError());
	_tprintf(_T("listening at %s\n"), szAddress);
	fflush(stdout);
}

static void Stop(void)
{
	ULONGLONG ullPatience = GetTickCount64() + 30000;
	IND2Listener *pListener;

	AcquireSRWLockExclusive(&g_Server.ListenerLock);
	pListener = g_Server.pListener;
	g_Server.pListener = NULL;
	InterlockedExchange(&g_Server.fStopping, TRUE);
	ReleaseSRWLockExclusive(&g_Server.ListenerLock);
	if (pListener->Release() != 0)
		Fatal("the listener is still used", 0);
	ConnectionsClose();
	// Wait until all connections have ended: cLive then counts only the server and the
	// completion queues. Keep the completion queues until then, because a connection ends only
	// after the results of its last requests have been fetched.
	while (ReadAcquire(&g_Server.cLive) > (LONG)(1 + g_Server.cCqs) &&
	       GetTickCount64() < ullPatience)
		Sleep(1);
	InterlockedExchange(&g_Server.fDrained, TRUE);
	for (DWORD i = 0; i < g_Server.cCqs; i++)
		MUST(g_Server.apCq[i]->CancelOverlappedRequests());
	ServerReleaseCount(); // subtracts the 1 that Start counted for the server
	if (WaitForSingleObject(g_Server.hIdle, 30000) != WAIT_OBJECT_0)
		Fatal("objects that do not end", g_Server.cLive);
	for (DWORD i = 0; i < g_Server.cCqs; i++) {
		if (g_Server.apCq[i]->Release() != 0)
			Fatal("a completion queue is still used", i);
	}
}

int ServerMain(const SOCKADDR_IN *pAddress, DWORD cWorkers, DWORD cPages)
{
	HANDLE ahWorkers[MAX_WORKERS];
	LARGE_INTEGER begin, ready, end, frequency;
	ULONGLONG cServed;
	DWORD cLost;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&begin);
	Start(pAddress, cWorkers);
	StartWorkers(ahWorkers, cWorkers);
	PagesCreate(g_Server.pAdapter, g_Server.hFile, cPages);
	g_Server.cCqs = cWorkers;
	QueryPerformanceCounter(&ready);
	_tprintf(_T("%lu pages of %lu bytes registered in %.1f ms\n"), cPages, PAGE_BYTES,
		 (ready.QuadPart - begin.QuadPart) * 1000.0 / frequency.QuadPart);
	Listen(pAddress);
	WaitForSingleObject(g_Server.hStop, INFINITE);
	Stop();
	cLost = PagesDestroy();
	cServed = StopWorkers(ahWorkers, cWorkers);
	QueryPerformanceCounter(&end);
	WIN32(SetConsoleCtrlHandler(OnControl, FALSE));
	WIN32(CloseHandle(g_Server.hFile) && CloseHandle(g_Server.hIocp));
	WIN32(CloseHandle(g_Server.hStop) && CloseHandle(g_Server.hIdle));
	g_Server.pAdapter->Release();
	_tprintf(_T("accepted %ld, refused %ld, at once %ld, left %ld, lost pages %lu\n"),
		 g_Server.cAccepted, g_Server.cRefused, g_Server.cPeak, g_Server.cConnected, cLost);
	_tprintf(_T("requests %ld, bytes %I64d, entries %I64u, %I64d ms\n"), g_Server.cRequests,
		 g_Server.cbReceived, cServed,
		 (end.QuadPart - begin.QuadPart) * 1000 / frequency.QuadPart);
	return cLost == 0 && g_Server.cConnected == 0 ? 0 : 1;
}
