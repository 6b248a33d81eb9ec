/*
 * The base types of the NetworkDirect headers on Linux, and functions for events, completion ports
 * and overlapped files, which are kernel objects on Windows.
 *
 * Widths are those of 64-bit Windows (LLP64), so no type here is a `long`. Layouts of GUID,
 * OVERLAPPED, SOCKET_ADDRESS and SOCKET_ADDRESS_LIST equal the Windows ones. AF_INET6 has its Linux
 * value, which differs from that of Windows, so never send a raw sockaddr to a peer.
 *
 * Any thread may make any call. A HANDLE is a number, not an address; its two low bits belong to
 * the client and every call ignores them. A closed or made-up handle gets ND_INVALID_HANDLE. The
 * waits (NdsEventWait, NdsEventWaitAny, NdsPortGet) are cancellation points; other calls are not.
 * In a forked child of a process that has opened an adapter every call returns ND_DEVICE_REMOVED.
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
typedef int BOOL; /* 0 (FALSE) is false, any other value is true */
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

/*
 * An NTSTATUS or COM code. Negative numbers are failures, so FAILED() is false for ND_TIMEOUT and
 * ND_PENDING.
 */
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

/* 16 bytes; the first three members are in host byte order. */
typedef struct GUID {
	uint32_t Data1;
	uint16_t Data2;
	uint16_t Data3;
	uint8_t Data4[8];
} GUID;

typedef GUID IID;
typedef GUID CLSID;

/* REFGUID is a pointer in C and a reference in C++; both are passed as the same machine word. */
#ifdef __cplusplus
typedef const GUID &REFGUID;
#else
typedef const GUID *REFGUID;
#endif
typedef REFGUID REFIID;
typedef REFGUID REFCLSID;

/*
 * The state of one request, in the client's memory. The provider may write to it from the start of
 * the call that returns ND_PENDING until Internal holds another status than ND_PENDING. The
 * provider writes only Internal and InternalHigh, and reads hEvent once, when the request begins.
 */
typedef struct _OVERLAPPED {
	/* status of the request: ND_PENDING, then the final status as a zero-extended 32-bit
	 * number */
	ULONG_PTR Internal;
	ULONG_PTR InternalHigh; /* bytes transferred; always 0 for ND2 requests */
	__extension__ union {
		__extension__ struct {
			DWORD Offset;
			DWORD OffsetHigh;
		};
		PVOID Pointer;
	};
	/*
	 * event to set when the request completes, or NULL; if the lowest bit of the handle is set,
	 * no entry is queued to the completion port
	 */
	HANDLE hEvent;
} OVERLAPPED;

typedef struct _SOCKET_ADDRESS {
	struct sockaddr *lpSockaddr;
	INT iSockaddrLength;
} SOCKET_ADDRESS;

/* A list of addresses; the array Address has iAddressCount elements. */
typedef struct _SOCKET_ADDRESS_LIST {
	INT iAddressCount;
	SOCKET_ADDRESS Address[1];
} SOCKET_ADDRESS_LIST;

/*
 * The interface ids are static constants, so each source file that includes the headers has its own
 * copies and needs no library for them. Compare GUIDs by value, never by address.
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

/* These classes must not have a virtual destructor: it would add two slots to the vtable. */
struct IUnknown {
	virtual HRESULT QueryInterface(REFIID riid, void **ppv) = 0; /* vtable slot 0 */
	virtual ULONG AddRef() = 0;				     /* vtable slot 1 */
	virtual ULONG Release() = 0;				     /* vtable slot 2 */
};

struct IClassFactory : public IUnknown {
	virtual HRESULT CreateInstance(IUnknown *pUnkOuter, REFIID riid,
				       void **ppv) = 0; /* vtable slot 3 */
	virtual HRESULT LockServer(BOOL fLock) = 0;	/* vtable slot 4 */
};

#pragma GCC diagnostic pop

extern "C" {
#else /* the same declarations for C */

static inline int IsEqualGUID(REFGUID a, REFGUID b)
{
	return __builtin_memcmp(a, b, sizeof(GUID)) == 0;
}

typedef struct IUnknown IUnknown;
typedef struct IClassFactory IClassFactory;

typedef struct IUnknownVtbl {
	HRESULT (*QueryInterface)(IUnknown *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IUnknown *This);				    /* vtable slot 1 */
	ULONG (*Release)(IUnknown *This);				    /* vtable slot 2 */
} IUnknownVtbl;

struct IUnknown {
	const IUnknownVtbl *lpVtbl;
};

typedef struct IClassFactoryVtbl {
	HRESULT (*QueryInterface)(IClassFactory *This, REFIID riid, void **ppv); /* vtable slot 0 */
	ULONG (*AddRef)(IClassFactory *This);					 /* vtable slot 1 */
	ULONG (*Release)(IClassFactory *This);					 /* vtable slot 2 */
	HRESULT(*CreateInstance)
	(IClassFactory *This, IUnknown *pUnkOuter, REFIID riid, void **ppv); /* vtable slot 3 */
	HRESULT (*LockServer)(IClassFactory *This, BOOL fLock);		     /* vtable slot 4 */
} IClassFactoryVtbl;

struct IClassFactory {
	const IClassFactoryVtbl *lpVtbl;
};

#endif /* end of the declarations for C */

/* ---- Limits of waits, and handles of all kinds -------------------------------------------- */

#define NDS_INFINITE 0xFFFFFFFFu /* timeout in ms that never expires */
#define NDS_WAIT_MAX 64u	 /* maximum number of events of one NdsEventWaitAny */

/*
 * Closes a handle of any kind. The object behind the handle lives on as long as something uses it.
 * A pending request uses its event and its overlapped file. An ND2 object uses the overlapped file
 * that it was created on. An overlapped file uses the completion port that it is bound to.
 * ND_INVALID_HANDLE: not an open handle.
 */
HRESULT NdsHandleClose(HANDLE handle);

/* ---- Events ------------------------------------------------------------------------------- */

/* Creates an event. If manualReset is FALSE, a successful wait clears the event. May fail with
 * ND_NO_MEMORY. */
HRESULT NdsEventCreate(BOOL manualReset, BOOL initiallySet, HANDLE *pEvent);
HRESULT NdsEventSet(HANDLE event);
HRESULT NdsEventReset(HANDLE event);

/*
 * Waits until the event is set, then returns ND_SUCCESS. ND_TIMEOUT: the event was not set within
 * timeoutMs milliseconds; note that FAILED(ND_TIMEOUT) is false.
 */
HRESULT NdsEventWait(HANDLE event, ULONG timeoutMs);

/*
 * Waits until one of n events (1 to NDS_WAIT_MAX) is set and stores its index in *pIndex, the
 * lowest index if several are set. Only that event is cleared, if it resets automatically. Statuses
 * as for NdsEventWait; ND_INSUFFICIENT_RESOURCES: this call needs a file descriptor for each event,
 * and none is left.
 */
HRESULT NdsEventWaitAny(const HANDLE events[], ULONG n, ULONG timeoutMs, ULONG *pIndex);

/*
 * Returns a file descriptor for the client's own poll or epoll loop; it is readable while the event
 * is set. The descriptor belongs to the event: never read, write or close it. Clear the event with
 * NdsEventWait(event, 0) or NdsEventReset. Returns -1 if the handle is not an event or no
 * descriptor is left.
 */
int NdsEventGetFd(HANDLE event);

/* ---- Completion ports --------------------------------------------------------------------- */

/* One entry taken from a completion port; 32 bytes, with the layout of the Windows
 * OVERLAPPED_ENTRY. */
typedef struct _NDS_PORT_ENTRY {
	ULONG_PTR lpCompletionKey;
	OVERLAPPED *lpOverlapped;
	/* status of the request, zero-extended; 0 if NdsPortPost queued the entry */
	ULONG_PTR Internal;
	DWORD dwNumberOfBytesTransferred;
} NDS_PORT_ENTRY;

/* TRUE if the entry's request failed or was cancelled. */
static inline BOOL NdsPortEntryFailed(const NDS_PORT_ENTRY *entry)
{
	return (HRESULT)entry->Internal < 0;
}

HRESULT NdsPortCreate(HANDLE *pPort);

/*
 * Binds an overlapped file to a completion port. From now on, when a request on this file
 * completes, an entry with this key is queued to the port. Requests that are pending now are
 * included. Requests whose hEvent has its lowest bit set are excepted. ND_INVALID_PARAMETER: the
 * file is bound already.
 */
HRESULT NdsPortBind(HANDLE port, HANDLE file, ULONG_PTR key);

/* Queues an entry with the client's own values to a completion port; `overlapped` is not accessed
 * and may be NULL. */
HRESULT NdsPortPost(HANDLE port, ULONG bytes, ULONG_PTR key, OVERLAPPED *overlapped);

/*
 * Takes up to n entries (n > 0) from a completion port, oldest first, and waits until there is at
 * least one. ND_SUCCESS: *pCount >= 1. ND_TIMEOUT: no entry came within timeoutMs milliseconds, and
 * *pCount is 0; note that FAILED(ND_TIMEOUT) is false. ND_CANCELED: the port was closed while the
 * call waited.
 */
HRESULT NdsPortGet(HANDLE port, NDS_PORT_ENTRY entries[], ULONG n, ULONG timeoutMs, ULONG *pCount);

/*
 * Returns a file descriptor that is readable while entries are queued to the completion port; the
 * rules of NdsEventGetFd apply.
 */
int NdsPortGetFd(HANDLE port);

/* ---- Overlapped files (created by IND2Adapter::CreateOverlappedFile) ------------------------ */

/* A completion routine of the client (NdsFileBindCallback). status: final status of the request, 0
 * or a negative HRESULT. */
typedef void (*NDS_COMPLETION_ROUTINE)(DWORD status, DWORD bytes, OVERLAPPED *overlapped);

/*
 * Binds an overlapped file to a callback: from now on the completion of each request on this file,
 * including those pending now, runs `routine` on a thread of the library, unless the request's
 * hEvent has its lowest bit set. Up to 64 routines run at once, so they may wait for one another.
 * ND_INVALID_PARAMETER: the file is bound already.
 */
HRESULT NdsFileBindCallback(HANDLE file, NDS_COMPLETION_ROUTINE routine);

/* Modes of an overlapped file; the values equal those of FILE_SKIP_COMPLETION_PORT_ON_SUCCESS and
 * FILE_SKIP_SET_EVENT_ON_HANDLE on Windows. */
enum {
	NDS_FILE_SKIP_PORT_ON_SUCCESS = 1,
	NDS_FILE_SKIP_EVENT_ON_FILE = 2,
};

/* Both modes are always on, so this call only checks its arguments. ND_INVALID_PARAMETER: `modes`
 * has another bit. */
HRESULT NdsFileSetModes(HANDLE file, ULONG modes);

/* ---- Counts of live objects ---------------------------------------------------------------- */

typedef struct _NDS_LIVE {
	const char *Kind; /* "queue pair", "request"...; a constant string */
	UINT64 Count;
} NDS_LIVE;

/*
 * Counts the objects of the library that are alive in this process. Fills in at most n elements of
 * live[], one per kind of object, and returns the number of kinds, at most 32. The kinds are:
 * - one for each interface: "adapter", "completion queue" and so on, listed once the first object
 *   of it has been created
 * - "protection domain": one for each opened adapter; it stays while the NIC holds a region or
 *   queue pair of that adapter
 * - "event", "port" and "file": events, completion ports and overlapped files
 * - "request": an OVERLAPPED without a final status
 * - "packet": an entry queued to a completion port or a callback
 *
 * Meant for tests. Once all objects are released, all handles closed and all packets taken, all
 * counts soon become 0; until then threads of the library may hold a last reference.
 */
ULONG NdsLiveObjects(NDS_LIVE live[], ULONG n);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
