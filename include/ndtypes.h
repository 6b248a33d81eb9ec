/* The base types of the NetworkDirect headers on Linux, and functions for events, completion ports
 * and overlapped files (kernel objects on Windows).
 *
 * Types:
 * - Widths are those of 64-bit Windows (LLP64): no type here is a `long`.
 * - Layouts of GUID, OVERLAPPED, SOCKET_ADDRESS and SOCKET_ADDRESS_LIST equal those of Windows.
 * - AF_INET6 has its Linux value, not that of Windows: never send a raw sockaddr to a peer.
 * - A HANDLE is a number, not an address. The client may use the two low bits; every call ignores
 *   them. For a closed or made-up handle a call returns ND_INVALID_HANDLE.
 *
 * Calls:
 * - Any thread may make any call.
 * - NdsEventWait, NdsEventWaitAny and NdsPortGet are cancellation points; other calls are not.
 * - In a forked child of a process that has opened an adapter every call returns
 *   ND_DEVICE_REMOVED. */
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

/* An NTSTATUS or COM code. Negative numbers are failures, so FAILED() is false for ND_TIMEOUT and
 * ND_PENDING. */
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

/* The state of one request, in the client's memory. The provider may write Internal and
 * InternalHigh until Internal holds a final status (not ND_PENDING). The provider reads hEvent
 * once, when the request begins. */
typedef struct _OVERLAPPED {
	/* status of the request: first ND_PENDING, later the final status; the 32-bit status is
	 * zero-extended */
	ULONG_PTR Internal;
	ULONG_PTR InternalHigh; /* bytes transferred; always 0 for ND2 requests */
	__extension__ union {
		__extension__ struct {
			DWORD Offset;
			DWORD OffsetHigh;
		};
		PVOID Pointer;
	};
	/* event to set when the request completes, or NULL; if the lowest bit of the handle is set,
	 * the request queues no entry to the completion port */
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

/* The interface ids are static constants: each source file has its own copies, and no library is
 * needed. Compare GUIDs by value, never by address. */
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

/* The interface classes must not have a virtual destructor, which would add two slots to the
 * vtable. */
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
#else /* the classes above, declared for C */

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

/* Closes a handle of any kind. The object behind the handle lives on while something uses it:
 * - a pending request uses its event and its overlapped file
 * - an ND2 object uses the overlapped file that was given at its creation
 * - a bound overlapped file uses its completion port
 *
 * Returns ND_INVALID_HANDLE if the handle is not open. */
HRESULT NdsHandleClose(HANDLE handle);

/* ---- Events ------------------------------------------------------------------------------- */

/* Creates an event. With manualReset FALSE, a successful wait clears the event. May return
 * ND_NO_MEMORY. */
HRESULT NdsEventCreate(BOOL manualReset, BOOL initiallySet, HANDLE *pEvent);
HRESULT NdsEventSet(HANDLE event);
HRESULT NdsEventReset(HANDLE event);

/* Waits until the event is set, then returns ND_SUCCESS. ND_TIMEOUT: the event was not set within
 * timeoutMs milliseconds. Note that FAILED(ND_TIMEOUT) is false. */
HRESULT NdsEventWait(HANDLE event, ULONG timeoutMs);

/* Waits until one of n events (1 to NDS_WAIT_MAX) is set. Stores the index of this event in
 * *pIndex; if several events are set, the lowest index. The event with this index is cleared, if it
 * resets automatically. Statuses: as for NdsEventWait. ND_INSUFFICIENT_RESOURCES: the call needs a
 * file descriptor for each event, and none is left. */
HRESULT NdsEventWaitAny(const HANDLE events[], ULONG n, ULONG timeoutMs, ULONG *pIndex);

/* Returns a file descriptor for the client's own poll or epoll loop, readable while the event is
 * set. Never read, write or close the descriptor, which belongs to the event. Clear the event with
 * NdsEventWait(event, 0) or NdsEventReset. Returns -1 if the handle is not an event, or no
 * descriptor is left. */
int NdsEventGetFd(HANDLE event);

/* ---- Completion ports --------------------------------------------------------------------- */

/* One entry taken from a completion port. 32 bytes, with the layout of the Windows
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

/* Binds an overlapped file to a completion port. From now on each request of this file queues an
 * entry with `key` to the port when the request completes. Requests that are pending now do so too.
 * A request whose hEvent has its lowest bit set queues no entry. ND_INVALID_PARAMETER: the file is
 * bound already. */
HRESULT NdsPortBind(HANDLE port, HANDLE file, ULONG_PTR key);

/* Queues an entry with the client's own values to a completion port. `overlapped` may be NULL and
 * is not accessed. */
HRESULT NdsPortPost(HANDLE port, ULONG bytes, ULONG_PTR key, OVERLAPPED *overlapped);

/* Takes up to n entries (n > 0) from a completion port, oldest first. Waits until there is an
 * entry.
 * - ND_SUCCESS: *pCount >= 1
 * - ND_TIMEOUT: no entry came within timeoutMs milliseconds, and *pCount is 0. Note that
 *   FAILED(ND_TIMEOUT) is false.
 * - ND_CANCELED: the port was closed while the call waited */
HRESULT NdsPortGet(HANDLE port, NDS_PORT_ENTRY entries[], ULONG n, ULONG timeoutMs, ULONG *pCount);

/* Returns a file descriptor that is readable while the completion port has entries. The rules of
 * NdsEventGetFd apply. */
int NdsPortGetFd(HANDLE port);

/* ---- Overlapped files (created by IND2Adapter::CreateOverlappedFile) ------------------------ */

/* A completion routine of the client (see NdsFileBindCallback). status: the final status of the
 * request, 0 or a negative HRESULT. */
typedef void (*NDS_COMPLETION_ROUTINE)(DWORD status, DWORD bytes, OVERLAPPED *overlapped);

/* Binds an overlapped file to a callback. From now on each request of this file runs `routine` on a
 * thread of the library when the request completes. Requests that are pending now do so too. A
 * request whose hEvent has its lowest bit set does not run `routine`. Up to 64 routines run at
 * once: routines may wait for one another. ND_INVALID_PARAMETER: the file is bound already. */
HRESULT NdsFileBindCallback(HANDLE file, NDS_COMPLETION_ROUTINE routine);

/* Modes of an overlapped file. The numbers equal FILE_SKIP_COMPLETION_PORT_ON_SUCCESS and
 * FILE_SKIP_SET_EVENT_ON_HANDLE of Windows. */
enum {
	NDS_FILE_SKIP_PORT_ON_SUCCESS = 1,
	NDS_FILE_SKIP_EVENT_ON_FILE = 2,
};

/* Checks its arguments and does nothing else: both modes are always on. ND_INVALID_PARAMETER:
 * `modes` has another bit. */
HRESULT NdsFileSetModes(HANDLE file, ULONG modes);

/* ---- Counts of live objects ---------------------------------------------------------------- */

typedef struct _NDS_LIVE {
	const char *Kind; /* "queue pair", "request"...; a constant string */
	UINT64 Count;
} NDS_LIVE;

/* Counts the live objects of the library in this process, for tests. Fills in at most n elements of
 * live[], one for each kind of object. Returns the number of kinds, at most 32. Kinds:
 * - "adapter", "completion queue" and so on: one kind for each interface of which an object has
 *   been created
 * - "protection domain": one for each opened adapter; stays while the NIC holds a region or queue
 *   pair of that adapter
 * - "event", "port" and "file": events, completion ports and overlapped files
 * - "request": an OVERLAPPED without a final status
 * - "packet": an entry queued to a completion port or a callback
 *
 * All counts become 0 after all objects are released, all handles closed and all packets taken.
 * This may take a short time, because threads of the library may hold a last reference. */
ULONG NdsLiveObjects(NDS_LIVE live[], ULONG n);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
