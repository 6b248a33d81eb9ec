/*
 * Names and addresses. getaddrinfo, freeaddrinfo, getnameinfo, inet_pton, inet_ntop and gai_strerror
 * are the native ones, with the error codes (EAI_...) and flags of Linux; GetAddrInfoW and the other
 * wide ones answer the same codes, and set the last error (WSAHOST_NOT_FOUND ...) besides.
 */
#ifndef COMPAT_WS2TCPIP_H
#define COMPAT_WS2TCPIP_H

#include "winsock2.h"
#include "ws2ipdef.h"

COMPAT_BEGIN

/* 0, or an EAI_ code and the last error. To be freed with FreeAddrInfoW. */
INT GetAddrInfoW(PCWSTR node, PCWSTR service, const ADDRINFOW *hints, PADDRINFOW *result);

/* NULL is nothing to do. */
void FreeAddrInfoW(PADDRINFOW info);

/* As getaddrinfo, and sets the last error. */
INT GetAddrInfoA(PCSTR node, PCSTR service, const ADDRINFOA *hints, PADDRINFOA *result);

/* As freeaddrinfo; NULL is nothing to do. */
void FreeAddrInfoA(PADDRINFOA info);

/* 0, or an EAI_ code and the last error; sizes count characters with the zero. */
INT GetNameInfoW(const SOCKADDR *address, socklen_t size, PWCHAR node, DWORD nodeSize, PWCHAR service, DWORD serviceSize, INT flags);

/* The text of an EAI_ code; it stays until the thread asks for another. */
WCHAR *gai_strerrorW(int code);

/* 1; 0: no such address; -1, WSAEAFNOSUPPORT or WSAEFAULT. */
INT InetPtonA(INT family, PCSTR text, PVOID address);

/* As InetPtonA. */
INT InetPtonW(INT family, PCWSTR text, PVOID address);

/* The text, or NULL with WSAEAFNOSUPPORT, or ERROR_INVALID_PARAMETER: no room. */
PCSTR InetNtopA(INT family, const VOID *address, PSTR text, size_t size);

/* As InetNtopA. */
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
