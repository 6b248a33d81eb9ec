/*
 * Name resolution and conversion of addresses. getaddrinfo, freeaddrinfo, getnameinfo, inet_pton,
 * inet_ntop and gai_strerror are the Linux functions, with the Linux flags and error codes
 * (EAI_...). GetAddrInfoW and the other wide functions also set the last error (WSAHOST_NOT_FOUND
 * and so on).
 */
#ifndef COMPAT_WS2TCPIP_H
#define COMPAT_WS2TCPIP_H

#include "winsock2.h"
#include "ws2ipdef.h"

COMPAT_BEGIN

/*
 * Resolves a name. Returns 0 and stores a list in *result, or returns an EAI_ code and sets the
 * last error. The caller frees the list with FreeAddrInfoW.
 */
INT GetAddrInfoW(PCWSTR node, PCWSTR service, const ADDRINFOW *hints, PADDRINFOW *result);

/* Frees a list that GetAddrInfoW has stored. Does nothing if `info` is NULL. */
void FreeAddrInfoW(PADDRINFOW info);

/* Resolves a name, as getaddrinfo() does, and sets the last error on failure. */
INT GetAddrInfoA(PCSTR node, PCSTR service, const ADDRINFOA *hints, PADDRINFOA *result);

/*
 * Frees a list that GetAddrInfoA has stored. Unlike freeaddrinfo(), does nothing if `info` is NULL.
 */
void FreeAddrInfoA(PADDRINFOA info);

/*
 * Stores the host name and the service name of an address. Returns 0, or an EAI_ code with the last
 * error set. Sizes are in characters with the terminating zero.
 */
INT GetNameInfoW(const SOCKADDR *address, socklen_t size, PWCHAR node, DWORD nodeSize,
		 PWCHAR service, DWORD serviceSize, INT flags);

/*
 * Returns the text that describes an EAI_ code. The text is valid until the calling thread calls
 * gai_strerrorW again.
 */
WCHAR *gai_strerrorW(int code);

/*
 * Reads an address of the given family from text. Returns 1 on success and 0 if the text is not
 * such an address. On failure returns -1 with WSAEAFNOSUPPORT (unknown family) or WSAEFAULT (a NULL
 * argument).
 */
INT InetPtonA(INT family, PCSTR text, PVOID address);

/*
 * InetPtonA for wide text: reads an address of the given family. Returns 1 on success, 0 if the
 * text is not such an address, and -1 on failure.
 */
INT InetPtonW(INT family, PCWSTR text, PVOID address);

/*
 * Writes an address as text and returns the text. On failure returns NULL and sets the last error:
 * - WSAEAFNOSUPPORT: the family is unknown.
 * - ERROR_INVALID_PARAMETER: the buffer is too small, or an argument is NULL.
 */
PCSTR InetNtopA(INT family, const VOID *address, PSTR text, size_t size);

/* InetNtopA for wide text: writes an address as text and returns the text, or NULL on failure. */
PCWSTR InetNtopW(INT family, const VOID *address, PWSTR text, size_t size);

COMPAT_END

#ifdef UNICODE
typedef ADDRINFOW ADDRINFOT, *PADDRINFOT;
#define GetAddrInfo  GetAddrInfoW
#define FreeAddrInfo FreeAddrInfoW
#define GetNameInfo  GetNameInfoW
#define InetPton     InetPtonW
#define InetNtop     InetNtopW
#else
typedef ADDRINFOA ADDRINFOT, *PADDRINFOT;
#define GetAddrInfo  GetAddrInfoA
#define FreeAddrInfo FreeAddrInfoA
#define GetNameInfo  getnameinfo
#define InetPton     InetPtonA
#define InetNtop     InetNtopA
#endif
#define gai_strerrorA gai_strerror

#endif
