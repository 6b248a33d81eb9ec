/*
 * The base types of the NetworkDirect headers on Linux, and the native calls for the kernel
 * objects those interfaces speak of: events, completion ports, overlapped files.
 *
 * Widths are those of 64-bit Windows (LLP64), so nothing here is spelled with `long`. Layouts of
 * GUID, OVERLAPPED, SOCKET_ADDRESS and SOCKET_ADDRESS_LIST equal the Windows ones; AF_INET6 keeps
 * its Linux value, therefore a raw sockaddr must never be sent to a peer.
 *
 * Every call may be made by any thread. A HANDLE is a number, not an address: its two low bits
 * belong to the client and are ignored by every call, and a handle that was closed, or was never
 * one of ours, answers ND_INVALID_HANDLE. A thread may be cancelled in the waits (NdsEventWait,
 * NdsEventWaitAny, NdsPortGet); no other call is a cancellation point.
 */
#ifndef NDTYPES_H
#define NDTYPES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef uint8_t UINT8;
typedef uint8_t BYTE;
typedef uint16_t UINT16;
typedef uint16_t USHORT;
typedef uint16_t WORD;
typedef uint16_t ADDRESS_FAMILY;
typedef int32_t LONG;
typedef uint32_t UINT32;
typedef uint32_t ULONG;
typedef uint32_t DWORD;
typedef uint64_t UINT64;
typedef uint64_t ULONGLONG;
typedef int BOOL; /* FALSE, or anything else */
typedef int INT;
typedef size_t SIZE_T;
typedef uintptr_t ULONG_PTR;
typedef uintptr_t DWORD_PTR;
typedef uintptr_t KAFFINITY;
typedef void *PVOID;
typedef void *HANDLE;

#ifndef FALSE
#define FALSE 0
#endif
#ifndef TRUE
#define TRUE 1
#endif

/* An NTSTATUS or COM code. Negative = failure; ND_TIMEOUT and ND_PENDING are success by sign. */
typedef int32_t HRESULT;

#define SUCCEEDED(hr) ((HRESULT)(hr) >= 0)
#define FAILED(hr)    ((HRESULT)(hr) < 0)

#define S_OK			  ((HRESULT)0x00000000)
#define S_FALSE			  ((HRESULT)0x00000001)
#define E_NOTIMPL		  ((HRESULT)0x80004001)
#define E_NOINTERFACE		  ((HRESULT)0x80004002)
#define E_POINTER		  ((HRESULT)0x80004003)
#define E_OUTOFMEMORY		  ((HRESULT)0x8007000E)
#define CLASS_E_NOAGGREGATION	  ((HRESULT)0x80040110)
#define CLASS_E_CLASSNOTAVAILABLE ((HRESULT)0x80040111)

/* 16 bytes, the first three members in host byte order. */
typedef struct GUID {
	uint32_t Data1;
	uint16_t Data2;
	uint16_t Data3;
	uint8_t Data4[8];
} GUID;

typedef GUID IID;
typedef GUID CLSID;

/* A pointer in C, a reference in C++; the same machine word. */
#ifdef __cplusplus
typedef const GUID &REFGUID;
#else
typedef const GUID *REFGUID;
#endif
typedef REFGUID REFIID;
typedef REFGUID REFCLSID;

/*
 * A request block: the client's memory, lent to the provider from the call that answered
 * ND_PENDING until Internal is no longer ND_PENDING. The provider writes the two Internal words
 * and reads hEvent once, at the start.
 */
typedef struct _OVERLAPPED {
	ULONG_PTR Internal;	/* final status as a zero-extended 32-bit number */
	ULONG_PTR InternalHigh; /* bytes; no meaning for ND2 requests */
	__extension__ union {
		__extension__ struct {
			DWORD Offset;
			DWORD OffsetHigh;
		};
		PVOID Pointer;
	};
	HANDLE hEvent; /* set at the end, or NULL; lowest bit set: do not queue to the port */
} OVERLAPPED;

typedef struct _SOCKET_ADDRESS {
	struct sockaddr *lpSockaddr;
	INT iSockaddrLength;
} SOCKET_ADDRESS;

/* Address has iAddressCount elements. */
typedef struct _SOCKET_ADDRESS_LIST {
	INT iAddressCount;
	SOCKET_ADDRESS Address[1];
} SOCKET_ADDRESS_LIST;

/*
 * Constants of the headers are static const: a client needs no library to name an interface, and
 * several definitions cannot clash. Compare GUIDs by value, never by address.
 */
static const GUID IID_IUnknown __attribute__((unused)) = {
	0x00000000, 0x0000, 0x0000, {0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46}};
static const GUID IID_IClassFactory __attribute__((unused)) = {
	0x00000001, 0x0000, 0x0000, {0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46}};

#pragma GCC visibility push(default)

#ifdef __cplusplus

static inline int IsEqualGUID(REFGUID a, REFGUID b)
{
	return __builtin_memcmp(&a, &b, sizeof(GUID)) == 0;
}

static inline bool operator==(REFGUID a, REFGUID b)
{
	return IsEqualGUID(a, b) != 0;
}

static inline bool operator!=(REFGUID a, REFGUID b)
{
	return IsEqualGUID(a, b) == 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/* A virtual destructor would insert two slots: these classes have none, by contract. */
struct IUnknown {
	virtual HRESULT QueryInterface(REFIID riid, void **ppv) = 0; /* 0 */
	virtual ULONG AddRef() = 0;				     /* 1 */
	virtual ULONG Release() = 0;				     /* 2 */
};

struct IClassFactory : public IUnknown {
	virtual HRESULT CreateInstance(IUnknown *pUnkOuter, REFIID riid, void **ppv) = 0; /* 3 */
	virtual HRESULT LockServer(BOOL fLock) = 0;					  /* 4 */
};

#pragma GCC diagnostic pop

extern "C" {
#else /* C */

static inline int IsEqualGUID(REFGUID a, REFGUID b)
{
	return __builtin_memcmp(a, b, sizeof(GUID)) == 0;
}

typedef struct IUnknown IUnknown;
typedef struct IClassFactory IClassFactory;

typedef struct IUnknownVtbl {
	HRESULT (*QueryInterface)(IUnknown *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IUnknown *This);				    /* 1 */
	ULONG (*Release)(IUnknown *This);				    /* 2 */
} IUnknownVtbl;

struct IUnknown {
	const IUnknownVtbl *lpVtbl;
};

typedef struct IClassFactoryVtbl {
	HRESULT (*QueryInterface)(IClassFactory *This, REFIID riid, void **ppv); /* 0 */
	ULONG (*AddRef)(IClassFactory *This);					 /* 1 */
	ULONG (*Release)(IClassFactory *This);					 /* 2 */
	HRESULT (*CreateInstance)
	(IClassFactory *This, IUnknown *pUnkOuter, REFIID riid, void **ppv); /* 3 */
	HRESULT (*LockServer)(IClassFactory *This, BOOL fLock);		     /* 4 */
} IClassFactoryVtbl;

struct IClassFactory {
	const IClassFactoryVtbl *lpVtbl;
};

#endif /* C */

/* ---- Handles ------------------------------------------------------------------------------ */

#define NDS_INFINITE 0xFFFFFFFFu /* a timeout that never comes */
#define NDS_WAIT_MAX 64u	 /* events in one NdsEventWaitAny */

/*
 * Gives up a handle of any kind. The object lives on while others use it: requests in flight keep
 * their event and file, queues and connectors their file, files their port.
 * ND_INVALID_HANDLE: not an open handle.
 */
HRESULT NdsHandleClose(HANDLE handle);

/* ---- Events ------------------------------------------------------------------------------- */

/* manualReset 0: a wait that succeeds clears the event. ND_NO_MEMORY. */
HRESULT NdsEventCreate(BOOL manualReset, BOOL initiallySet, HANDLE *pEvent);
HRESULT NdsEventSet(HANDLE event);
HRESULT NdsEventReset(HANDLE event);

/* ND_SUCCESS: the event was set. ND_TIMEOUT (a success by sign!): it was not, for that long. */
HRESULT NdsEventWait(HANDLE event, ULONG timeoutMs);

/*
 * Waits for one of n events (1..NDS_WAIT_MAX); *pIndex tells which, the lowest if several are set,
 * and only that one is cleared if it resets automatically. ND_TIMEOUT and ND_INVALID_HANDLE as
 * above. Opens a descriptor on each event.
 */
HRESULT NdsEventWaitAny(const HANDLE events[], ULONG n, ULONG timeoutMs, ULONG *pIndex);

/*
 * A descriptor that polls readable while the event is set, for a poll or epoll loop of one's own.
 * It belongs to the event: never read, write or close it; clear the event with NdsEventWait(event,
 * 0) or NdsEventReset. -1: not an event, or no descriptor to be had.
 */
int NdsEventGetFd(HANDLE event);

/* ---- Completion ports --------------------------------------------------------------------- */

/* Same layout as the Windows OVERLAPPED_ENTRY, 32 bytes. */
typedef struct _NDS_PORT_ENTRY {
	ULONG_PTR lpCompletionKey;
	OVERLAPPED *lpOverlapped;
	ULONG_PTR Internal; /* status of the request, zero-extended; 0 for posted entries */
	DWORD dwNumberOfBytesTransferred;
} NDS_PORT_ENTRY;

/* Whether the entry tells of a request that failed or was cancelled. */
static inline BOOL NdsPortEntryFailed(const NDS_PORT_ENTRY *entry)
{
	return (HRESULT)entry->Internal < 0;
}

HRESULT NdsPortCreate(HANDLE *pPort);

/*
 * From now on each request on this file that ends is queued to the port under this key, unless
 * its hEvent has the low bit set. Requests already pending are included.
 * ND_INVALID_PARAMETER: the file is bound already.
 */
HRESULT NdsPortBind(HANDLE port, HANDLE file, ULONG_PTR key);

/* Queues an entry of the client's own; `overlapped` is handed through untouched, may be NULL. */
HRESULT NdsPortPost(HANDLE port, ULONG bytes, ULONG_PTR key, OVERLAPPED *overlapped);

/*
 * Takes up to n > 0 entries, oldest first, waiting for the first one.
 * ND_SUCCESS: *pCount >= 1. ND_TIMEOUT (a success by sign!): none came in time, *pCount = 0.
 * ND_CANCELED: the port was closed meanwhile.
 */
HRESULT NdsPortGet(HANDLE port, NDS_PORT_ENTRY entries[], ULONG n, ULONG timeoutMs, ULONG *pCount);

/* A descriptor that polls readable while entries wait; rules as for NdsEventGetFd. */
int NdsPortGetFd(HANDLE port);

/* ---- Overlapped files (created by IND2Adapter::CreateOverlappedFile) ------------------------ */

/* status is the raw final status of the request: 0, or a negative HRESULT. */
typedef void (*NDS_COMPLETION_ROUTINE)(DWORD status, DWORD bytes, OVERLAPPED *overlapped);

/*
 * From now on each request on this file that ends runs `routine` on a thread of the library, under
 * the same conditions as NdsPortBind. Up to 64 routines run at once, and may wait for one another.
 * ND_INVALID_PARAMETER: the file is bound already.
 */
HRESULT NdsFileBindCallback(HANDLE file, NDS_COMPLETION_ROUTINE routine);

/* Values equal FILE_SKIP_COMPLETION_PORT_ON_SUCCESS and FILE_SKIP_SET_EVENT_ON_HANDLE. */
enum {
	NDS_FILE_SKIP_PORT_ON_SUCCESS = 1,
	NDS_FILE_SKIP_EVENT_ON_FILE = 2,
};

/* Both modes are always on; asking for them succeeds. Other bits: ND_INVALID_PARAMETER. */
HRESULT NdsFileSetModes(HANDLE file, ULONG modes);

/* ---- What is alive ------------------------------------------------------------------------- */

typedef struct _NDS_LIVE {
	const char *Kind; /* "queue pair", "request"...; a constant string */
	UINT64 Count;
} NDS_LIVE;

/*
 * How many objects of the library this process keeps alive, by kind: the interfaces ("adapter",
 * "completion queue", ..., from the first one created), "protection domain" (one for each opened
 * adapter; the NIC keeps it while it holds a region or queue pair of that adapter), "event",
 * "port" and "file" behind handles, "request" (an OVERLAPPED not final), "packet" (queued to a port
 * or a callback). For tests: when everything is released, closed and taken, all are 0 soon; threads
 * of the library may hold a last reference for a moment. Fills up to n rows and returns how many
 * there are (32 at most).
 */
ULONG NdsLiveObjects(NDS_LIVE live[], ULONG n);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
