/*
 * A service that leases pages of memory to clients. The server inverts the bytes of a client's
 * message, leases a page to the client, or returns the checksum of a leased page. The client writes
 * and reads leased pages by RDMA.
 *
 * All requests of the server end at one completion port. A worker thread finds the structure of a
 * request with the macro CONTAINING_RECORD. Every pending request holds a reference of its
 * connection. Releasing the last reference frees the connection.
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

// ---- messages between client and server ----

const DWORD SERVICE_VERSION = 3;
const DWORD MESSAGE_BYTES = 512;
const DWORD PAGE_BYTES = 4096;
const DWORD CREDITS = 4; // number of unanswered messages that a client may have

enum SERVICE_OP : WORD {
	OpInvert = 1, // the answer is the payload with every bit inverted
	OpLease,      // the answer contains the remote token and the address of a page
	OpAdd,	      // the answer contains the checksum of a leased page
	OpReturn
};

struct HELLO // private data of Connect, and of the Accept or Reject that answers it
{
	DWORD Version;
	DWORD Credits;
	DWORD Pages;
};

struct MESSAGE_HEADER {
	WORD Op;
	WORD Length; // length of the payload, in bytes
	DWORD Sequence;
	DWORD Sum; // checksum of the payload, or of the page in the answer to OpAdd
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

// ---- ending the program on an error ----

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

// ---- overlapped requests that end at the completion port ----

struct IO;
typedef IO *PIO;
typedef void (*PIO_COMPLETION)(PIO pIo, HRESULT hrStatus);

struct IO {
	OVERLAPPED Ov;
	PIO_COMPLETION pfnComplete; // called by a worker thread
	PVOID pOwner;
};

FORCEINLINE OVERLAPPED *StartIo(PIO pIo, PIO_COMPLETION pfnComplete, PVOID pOwner)
{
	ZeroMemory(&pIo->Ov, sizeof(pIo->Ov));
	pIo->pfnComplete = pfnComplete;
	pIo->pOwner = pOwner;
	return &pIo->Ov;
}

// ---- doubly linked lists ----

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

// ---- pages of memory: pages.cpp ----

struct PAGE {
	LIST_ENTRY Link; // links the page into the list of free pages or of a connection's leases
	IO Io;
	DWORD dwIndex;
	BYTE *pBytes;
	IND2MemoryRegion *pMr;
};
typedef PAGE *PPAGE;

// Registers a memory region for each page, and returns when the last registration has ended.
void PagesCreate(IND2Adapter *pAdapter, HANDLE hFile, DWORD cPages);
// Deregisters all pages and returns the number of pages that are still leased, which should be 0.
DWORD PagesDestroy(void);
// Moves a free page to the list pLeases and returns the page, or returns NULL if no page is free.
PPAGE PageLease(PLIST_ENTRY pLeases);
// Returns the page with this index from the leases of a connection, or NULL if the connection has
// not leased the page.
PPAGE PageFind(PLIST_ENTRY pLeases, DWORD dwIndex);
void PageReturn(PPAGE pPage);

// ---- connections to clients: connection.cpp ----

struct CONNECTION;
typedef CONNECTION *PCONNECTION;

// Creates a connection and starts its wait for a client. The wait ends when a client connects or
// the listener is closed.
void ConnectionListen(void);
// Handles one result from a completion queue, which belongs to the queue pair of some connection.
void ConnectionResult(const ND2_RESULT *pResult);
// Starts to close all connections, and returns before the connections are closed.
void ConnectionsClose(void);

// ---- the server: server.cpp ----

const DWORD MAX_WORKERS = 8;
// Completion keys: they tell a worker what a completion entry means. KeyIo: an overlapped request
// has ended. KeyClose: the worker must close a connection. KeyStop: the worker must end.
const ULONG_PTR KeyIo = 1, KeyClose = 2, KeyStop = 3;

struct SERVER {
	IND2Adapter *pAdapter;
	HANDLE hFile, hIocp;
	HANDLE hStop, hIdle;
	SRWLOCK ListenerLock; // held (shared) by a thread while it uses pListener
	IND2Listener *pListener;
	IND2CompletionQueue *apCq[MAX_WORKERS];
	IO aNotifyIo[MAX_WORKERS];
	DWORD cCqs;
	SRWLOCK ConnectionsLock;
	LIST_ENTRY Connections;
	LONG volatile fStopping, fDrained;
	LONG volatile cLive; // connections + armed completion queues + 1 for the server
	LONG volatile cAccepted, cRefused, cRequests, cConnected, cPeak;
	LONG64 volatile cbReceived;
};

extern SERVER g_Server;

// Decrements cLive. When cLive becomes 0, sets the event hIdle. The main thread waits for hIdle
// before the server stops.
void ServerReleaseCount(void);
int ServerMain(const SOCKADDR_IN *pAddress, DWORD cWorkers, DWORD cPages);

// ---- the clients that load a server: load.cpp ----

int LoadMain(const SOCKADDR_IN *pAddress, DWORD cThreads, DWORD cConnections, DWORD cRounds);
