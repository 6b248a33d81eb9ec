/*
 * Names and addresses. getaddrinfo, freeaddrinfo, getnameinfo, inet_pton, inet_ntop and
 * gai_strerror are those of Linux, with its error codes (EAI_...) and flags. GetAddrInfoW and the
 * other wide functions return the same codes and also set the last error (WSAHOST_NOT_FOUND and so
 * on).
 */
#ifndef COMPAT_WS2TCPIP_H
#define COMPAT_WS2TCPIP_H

#include "winsock2.h"
#include "ws2ipdef.h"

COMPAT_BEGIN

/* Returns 0, or an EAI_ code and sets the last error. Free the list with FreeAddrInfoW. */
INT GetAddrInfoW(PCWSTR node, PCWSTR service, const ADDRINFOW *hints, PADDRINFOW *result);

/* Does nothing for NULL. */
void FreeAddrInfoW(PADDRINFOW info);

/* Same as getaddrinfo(), and sets the last error. */
INT GetAddrInfoA(PCSTR node, PCSTR service, const ADDRINFOA *hints, PADDRINFOA *result);

/* Same as freeaddrinfo(), but does nothing for NULL. */
void FreeAddrInfoA(PADDRINFOA info);

/* Returns 0, or an EAI_ code and sets the last error. Sizes count characters with the zero. */
INT GetNameInfoW(const SOCKADDR *address, socklen_t size, PWCHAR node, DWORD nodeSize,
		 PWCHAR service, DWORD serviceSize, INT flags);

/* Returns the text of an EAI_ code, valid until the thread's next call. */
WCHAR *gai_strerrorW(int code);

/* Returns 1, or 0 if the text is no address, or -1 with WSAEAFNOSUPPORT or WSAEFAULT. */
INT InetPtonA(INT family, PCSTR text, PVOID address);

/* Same as InetPtonA. */
INT InetPtonW(INT family, PCWSTR text, PVOID address);

/*
 * Returns the text, or NULL with WSAEAFNOSUPPORT, or with ERROR_INVALID_PARAMETER if the buffer is
 * too small.
 */
PCSTR InetNtopA(INT family, const VOID *address, PSTR text, size_t size);

/* Same as InetNtopA. */
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
