/*
 * A service of pages: clients connect, have messages inverted, lease pages of the server's memory,
 * write and read them by RDMA, and have the server add them up.
 *
 * Requests of the server end at one completion port; its workers find whose they are by
 * CONTAINING_RECORD. Every request under way, overlapped or posted to a queue pair, holds a
 * reference of its connection; the last one to go closes it.
 */
#pragma once

#include <winsock2.h>
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <intrin.h>
#include <tchar.h>
#include <ndsupport.h>
#include <ndstatus.h>

// ---- messages ----

const DWORD SERVICE_VERSION = 3;
const DWORD MESSAGE_BYTES = 512;
const DWORD PAGE_BYTES = 4096;
const DWORD CREDITS = 4; // messages that a client may send before it has an answer

enum SERVICE_OP : WORD {
	OpInvert = 1, // answered with the payload, every bit inverted
	OpLease,      // answered with token and address of a page
	OpAdd,	      // answered with the sum of that page
	OpReturn
};

struct HELLO // private data of the connection, in both directions
{
	DWORD Version;
	DWORD Credits;
	DWORD Pages;
};

struct MESSAGE_HEADER {
	WORD Op;
	WORD Length; // of the payload, in bytes
	DWORD Sequence;
	DWORD Sum; // sum of the payload; in the answer to OpAdd, of the page
	DWORD Page;
	DWORD Token;
	DWORD Reserved;
	ULONGLONG Address;
};

const DWORD PAYLOAD_BYTES = MESSAGE_BYTES - sizeof(MESSAGE_HEADER);

struct MESSAGE {
	MESSAGE_HEADER Header;
	BYTE Payload[PAYLOAD_BYTES];
};

C_ASSERT(sizeof(MESSAGE_HEADER) == 32);
C_ASSERT(sizeof(MESSAGE) == MESSAGE_BYTES);

FORCEINLINE DWORD SumOf(const BYTE *pBytes, SIZE_T cb)
{
	DWORD sum = 1;

	for (SIZE_T i = 0; i < cb; i++)
		sum = _rotl(sum, 5) ^ (sum + pBytes[i]);
	return sum;
}

// ---- failing ----

DECLSPEC_NORETURN void Fatal(PCSTR pszWhat, ULONGLONG ullCode);

FORCEINLINE void MustSucceed(HRESULT hr, PCSTR pszWhat)
{
	if (FAILED(hr))
		Fatal(pszWhat, (ULONG)hr);
}

#define MUST(call) MustSucceed((call), #call)
#define WIN32(call)                                   \
	do {                                          \
		if (!(call))                          \
			Fatal(#call, GetLastError()); \
	} while (0)

// ---- requests that end at the port ----

struct IO;
typedef IO *PIO;
typedef void (*PIO_COMPLETION)(PIO pIo, HRESULT hrStatus);

struct IO {
	OVERLAPPED Ov;
	PIO_COMPLETION pfnComplete; // runs on a worker
	PVOID pOwner;
};

FORCEINLINE OVERLAPPED *StartIo(PIO pIo, PIO_COMPLETION pfnComplete, PVOID pOwner)
{
	ZeroMemory(&pIo->Ov, sizeof(pIo->Ov));
	pIo->pfnComplete = pfnComplete;
	pIo->pOwner = pOwner;
	return &pIo->Ov;
}

// ---- lists ----

FORCEINLINE void ListInit(PLIST_ENTRY pHead)
{
	pHead->Flink = pHead->Blink = pHead;
}

FORCEINLINE BOOL ListIsEmpty(PLIST_ENTRY pHead)
{
	return pHead->Flink == pHead;
}

FORCEINLINE void ListInsertTail(PLIST_ENTRY pHead, PLIST_ENTRY pEntry)
{
	pEntry->Flink = pHead;
	pEntry->Blink = pHead->Blink;
	pHead->Blink->Flink = pEntry;
	pHead->Blink = pEntry;
}

FORCEINLINE void ListRemove(PLIST_ENTRY pEntry)
{
	pEntry->Blink->Flink = pEntry->Flink;
	pEntry->Flink->Blink = pEntry->Blink;
	ListInit(pEntry);
}

// ---- pages.cpp ----

struct PAGE {
	LIST_ENTRY Link; // in the list of free pages, or in that of the connection that leases it
	IO Io;
	DWORD dwIndex;
	BYTE *pBytes;
	IND2MemoryRegion *pMr;
};
typedef PAGE *PPAGE;

// Starts the registration of all pages and returns after the last of them has ended.
void PagesCreate(IND2Adapter *pAdapter, HANDLE hFile, DWORD cPages);
// Deregisters all pages and returns how many are still leased, which should be none.
DWORD PagesDestroy(void);
// Returns a page and adds it to the list; NULL if no page is free.
PPAGE PageLease(PLIST_ENTRY pLeases);
// Returns the page with this index from a connection's list; NULL if the connection has not leased
// it.
PPAGE PageFind(PLIST_ENTRY pLeases, DWORD dwIndex);
void PageReturn(PPAGE pPage);

// ---- connection.cpp ----

struct CONNECTION;
typedef CONNECTION *PCONNECTION;

// Starts waiting for a client; the wait ends with a client, or when the listener is closed.
void ConnectionListen(void);
// Handles a result of a connection's queue pair.
void ConnectionResult(const ND2_RESULT *pResult);
// Starts closing all connections.
void ConnectionsClose(void);

// ---- server.cpp ----

const DWORD MAX_WORKERS = 8;
const ULONG_PTR KeyIo = 1, KeyClose = 2, KeyStop = 3; // completion keys

struct SERVER {
	IND2Adapter *pAdapter;
	HANDLE hFile, hIocp;
	HANDLE hStop, hIdle;
	SRWLOCK ListenerLock; // held shared while the listener is used
	IND2Listener *pListener;
	IND2CompletionQueue *apCq[MAX_WORKERS];
	IO aNotifyIo[MAX_WORKERS];
	DWORD cCqs;
	SRWLOCK ConnectionsLock;
	LIST_ENTRY Connections;
	LONG volatile fStopping, fDrained;
	LONG volatile cLive; // connections, armed completion queues, and 1 for the server
	LONG volatile cAccepted, cRefused, cRequests, cConnected, cPeak;
	LONG64 volatile cbReceived;
};

extern SERVER g_Server;

// Decrements cLive; the last decrement sets hIdle.
void ServerForget(void);
int ServerMain(const SOCKADDR_IN *pAddress, DWORD cWorkers, DWORD cPages);

// ---- load.cpp ----

int LoadMain(const SOCKADDR_IN *pAddress, DWORD cThreads, DWORD cConnections, DWORD cRounds);
