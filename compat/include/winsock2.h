/*
 * Linux sockets with the functions of Winsock. WSAGetLastError returns Winsock error numbers.
 * Constants such as AF_INET6, SO_..., MSG_... and AI_... have their Linux values. Overlapped
 * sockets (WSARecv, AcceptEx) do not exist here, and a socket is not a HANDLE.
 */
#ifndef COMPAT_WINSOCK2_H
#define COMPAT_WINSOCK2_H

#include "windows.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "inaddr.h"
#include "in6addr.h"
#include "ws2def.h"

typedef UINT_PTR SOCKET;
typedef unsigned int GROUP;

#define INVALID_SOCKET ((SOCKET) ~(SOCKET)0)
#define SOCKET_ERROR   (-1)

#define WSADESCRIPTION_LEN 256
#define WSASYS_STATUS_LEN  128

typedef struct WSAData {
	WORD wVersion;
	WORD wHighVersion;
	unsigned short iMaxSockets;
	unsigned short iMaxUdpDg;
	char *lpVendorInfo;
	char szDescription[WSADESCRIPTION_LEN + 1];
	char szSystemStatus[WSASYS_STATUS_LEN + 1];
} WSADATA, *LPWSADATA;

typedef struct pollfd WSAPOLLFD, *PWSAPOLLFD, *LPWSAPOLLFD;
typedef struct linger LINGER, *PLINGER, *LPLINGER;
typedef struct hostent HOSTENT, *PHOSTENT, *LPHOSTENT;
typedef struct timeval TIMEVAL, *PTIMEVAL, *LPTIMEVAL;
typedef OVERLAPPED WSAOVERLAPPED, *LPWSAOVERLAPPED;
typedef void (*LPWSAOVERLAPPED_COMPLETION_ROUTINE)(DWORD error, DWORD bytes,
						   LPWSAOVERLAPPED overlapped, DWORD flags);

#define WSA_FLAG_OVERLAPPED	   0x01 /* WSASocket ignores this flag and the next flag */
#define WSA_FLAG_NO_HANDLE_INHERIT 0x80
#define SD_RECEIVE		   SHUT_RD
#define SD_SEND			   SHUT_WR
#define SD_BOTH			   SHUT_RDWR

/*
 * A socket option of Windows that has no effect here: on Linux an address is exclusive unless
 * SO_REUSEADDR is set.
 */
#define SO_EXCLUSIVEADDRUSE (-5)

#define MAX_PROTOCOL_CHAIN 7
#define WSAPROTOCOL_LEN	   255
#define BASE_PROTOCOL	   1
#define LAYERED_PROTOCOL   0

#define PFL_MULTIPLE_PROTO_ENTRIES  0x00000001
#define PFL_RECOMMENDED_PROTO_ENTRY 0x00000002
#define PFL_HIDDEN		    0x00000004
#define PFL_MATCHES_PROTOCOL_ZERO   0x00000008
#define PFL_NETWORKDIRECT_PROVIDER  0x00000010

#define XP1_CONNECTIONLESS	0x00000001
#define XP1_GUARANTEED_DELIVERY 0x00000002
#define XP1_GUARANTEED_ORDER	0x00000004
#define XP1_MESSAGE_ORIENTED	0x00000008
#define XP1_PSEUDO_STREAM	0x00000010
#define XP1_GRACEFUL_CLOSE	0x00000020
#define XP1_EXPEDITED_DATA	0x00000040
#define XP1_CONNECT_DATA	0x00000080
#define XP1_IFS_HANDLES		0x00020000

typedef struct _WSAPROTOCOLCHAIN {
	int ChainLen;
	DWORD ChainEntries[MAX_PROTOCOL_CHAIN];
} WSAPROTOCOLCHAIN, *LPWSAPROTOCOLCHAIN;

typedef struct _WSAPROTOCOL_INFOW {
	DWORD dwServiceFlags1;
	DWORD dwServiceFlags2;
	DWORD dwServiceFlags3;
	DWORD dwServiceFlags4;
	DWORD dwProviderFlags;
	GUID ProviderId;
	DWORD dwCatalogEntryId;
	WSAPROTOCOLCHAIN ProtocolChain;
	int iVersion;
	int iAddressFamily;
	int iMaxSockAddr;
	int iMinSockAddr;
	int iSocketType;
	int iProtocol;
	int iProtocolMaxOffset;
	int iNetworkByteOrder;
	int iSecurityScheme;
	DWORD dwMessageSize;
	DWORD dwProviderReserved;
	WCHAR szProtocol[WSAPROTOCOL_LEN + 1];
} WSAPROTOCOL_INFOW, *LPWSAPROTOCOL_INFOW;

typedef struct _WSAPROTOCOL_INFOA {
	DWORD dwServiceFlags1;
	DWORD dwServiceFlags2;
	DWORD dwServiceFlags3;
	DWORD dwServiceFlags4;
	DWORD dwProviderFlags;
	GUID ProviderId;
	DWORD dwCatalogEntryId;
	WSAPROTOCOLCHAIN ProtocolChain;
	int iVersion;
	int iAddressFamily;
	int iMaxSockAddr;
	int iMinSockAddr;
	int iSocketType;
	int iProtocol;
	int iProtocolMaxOffset;
	int iNetworkByteOrder;
	int iSecurityScheme;
	DWORD dwMessageSize;
	DWORD dwProviderReserved;
	CHAR szProtocol[WSAPROTOCOL_LEN + 1];
} WSAPROTOCOL_INFOA, *LPWSAPROTOCOL_INFOA;

COMPAT_BEGIN

/*
 * Adds 1 to the start count and stores the version of this library in *data. Returns 0,
 * WSAVERNOTSUPPORTED for a version below 1.0, or WSAEFAULT if `data` is NULL. Socket functions work
 * without this call too.
 */
int WSAStartup(WORD version, LPWSADATA data);

/*
 * Subtracts 1 from the start count of WSAStartup. Fails with WSANOTINITIALISED if the count is 0.
 */
int WSACleanup(void);

/* Returns the last error of the calling thread, as GetLastError does. */
int WSAGetLastError(void);

/* Sets the last error of the calling thread, as SetLastError does. */
void WSASetLastError(int error);

/*
 * Creates a socket. Fails with WSAEINVAL if `info` is not NULL. `group` and `flags` are ignored. No
 * call on the socket raises SIGPIPE.
 */
SOCKET WSASocketW(int family, int type, int protocol, LPWSAPROTOCOL_INFOW info, GROUP group,
		  DWORD flags);

/*
 * WSASocketW with narrow-text `info`: creates a socket. Fails with WSAEINVAL if `info` is not NULL.
 */
SOCKET WSASocketA(int family, int type, int protocol, LPWSAPROTOCOL_INFOA info, GROUP group,
		  DWORD flags);

/* Closes a socket. Fails with WSAENOTSOCK for a descriptor that is not a socket. */
int closesocket(SOCKET socket);

/*
 * The function behind the macro ioctlsocket(). `argument` points to a number of `size` bytes.
 * Accepts the commands FIONBIO and FIONREAD; other commands fail with WSAEINVAL.
 */
int compat_ioctlsocket(SOCKET socket, long command, void *argument, size_t size);

/*
 * Controls a socket. Accepts the codes FIONBIO, FIONREAD, SIO_KEEPALIVE_VALS,
 * SIO_ROUTING_INTERFACE_QUERY and SIO_ADDRESS_LIST_QUERY. SIO_LOOPBACK_FAST_PATH is accepted too,
 * but has no effect.
 *
 * Other codes fail with WSAEOPNOTSUPP, as do calls with an OVERLAPPED or a completion routine. If
 * the output buffer is too small, fails with WSAEFAULT and sets *returned to the size needed.
 */
int WSAIoctl(SOCKET socket, DWORD code, LPVOID in, DWORD inBytes, LPVOID out, DWORD outBytes,
	     LPDWORD returned, LPWSAOVERLAPPED overlapped,
	     LPWSAOVERLAPPED_COMPLETION_ROUTINE routine);

/*
 * Asks for a notification when the network providers change. The providers never change here, so
 * the notification never comes. The Nd* helper functions detect changed provider files by
 * themselves.
 * - *notification is NULL: creates an event, stores its handle in *notification and returns 0. The
 *   caller closes the handle with CloseHandle.
 * - *notification is a handle from an earlier call: returns SOCKET_ERROR with WSA_IO_PENDING. The
 *   request in *overlapped stays pending for ever.
 * In the second case the call fails with WSAEOPNOTSUPP if `overlapped` is NULL or `routine` is not
 * NULL. It fails with WSA_INVALID_HANDLE if WaitForSingleObject rejects the handle.
 */
int WSAProviderConfigChange(LPHANDLE notification, LPWSAOVERLAPPED overlapped,
			    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine);

/* Waits for events on several sockets, as poll() does. */
int WSAPoll(LPWSAPOLLFD descriptors, ULONG count, INT timeout);

/*
 * Reads an address from text of the form 1.2.3.4, 1.2.3.4:port, ::1, ::1%2 or [::1%2]:port. Parts
 * of an IPv4 address may be octal or hexadecimal. Fails with WSAEINVAL for other texts. If *size is
 * too small for the address, sets *size to the size needed and fails with WSAEFAULT.
 */
INT WSAStringToAddressA(LPSTR text, INT family, LPWSAPROTOCOL_INFOA info, struct sockaddr *address,
			LPINT size);

/* WSAStringToAddressA for wide text: reads an IPv4 or IPv6 address, optionally with a port. */
INT WSAStringToAddressW(LPWSTR text, INT family, LPWSAPROTOCOL_INFOW info, struct sockaddr *address,
			LPINT size);

/*
 * Writes an address as text that WSAStringToAddressA can read. Leaves out a port of 0. If the
 * buffer is too small, fails with WSAEFAULT and sets *length to the size needed with the
 * terminating zero.
 */
INT WSAAddressToStringA(struct sockaddr *address, DWORD size, LPWSAPROTOCOL_INFOA info, LPSTR text,
			LPDWORD length);

/* WSAAddressToStringA for wide text: writes an address as text. Leaves out a port of 0. */
INT WSAAddressToStringW(struct sockaddr *address, DWORD size, LPWSAPROTOCOL_INFOW info, LPWSTR text,
			LPDWORD length);

COMPAT_END

#define ioctlsocket(socket, command, argument) \
	compat_ioctlsocket(socket, command, argument, sizeof(*(argument)))

#ifdef UNICODE
#define WSASocket	   WSASocketW
#define WSAStringToAddress WSAStringToAddressW
#define WSAAddressToString WSAAddressToStringW
typedef WSAPROTOCOL_INFOW WSAPROTOCOL_INFO, *LPWSAPROTOCOL_INFO;
#else
#define WSASocket	   WSASocketA
#define WSAStringToAddress WSAStringToAddressA
#define WSAAddressToString WSAAddressToStringA
typedef WSAPROTOCOL_INFOA WSAPROTOCOL_INFO, *LPWSAPROTOCOL_INFO;
#endif

/*
 * The following functions have the same name on Windows and on Linux. These declarations redirect a
 * program's calls to this library, which calls the Linux function and sets the last error.
 */
#ifndef COMPAT_BUILD
COMPAT_BEGIN
extern int __REDIRECT_NTH(socket, (int family, int type, int protocol), compat_socket);
extern int __REDIRECT_NTH(bind, (int socket, __CONST_SOCKADDR_ARG address, socklen_t size),
			  compat_bind);
extern int __REDIRECT_NTH(listen, (int socket, int backlog), compat_listen);
extern int __REDIRECT(connect, (int socket, __CONST_SOCKADDR_ARG address, socklen_t size),
		      compat_connect);
extern int __REDIRECT(accept, (int socket, __SOCKADDR_ARG address, socklen_t *__restrict size),
		      compat_accept);
extern ssize_t __REDIRECT(send, (int socket, const void *data, size_t bytes, int flags),
			  compat_send);
extern ssize_t __REDIRECT(sendto,
			  (int socket, const void *data, size_t bytes, int flags,
			   __CONST_SOCKADDR_ARG to, socklen_t size),
			  compat_sendto);
extern ssize_t __REDIRECT(recv, (int socket, void *data, size_t bytes, int flags), compat_recv);
extern ssize_t __REDIRECT(recvfrom,
			  (int socket, void *__restrict data, size_t bytes, int flags,
			   __SOCKADDR_ARG from, socklen_t *__restrict size),
			  compat_recvfrom);
extern int __REDIRECT_NTH(shutdown, (int socket, int how), compat_shutdown);
extern int __REDIRECT_NTH(getsockname,
			  (int socket, __SOCKADDR_ARG address, socklen_t *__restrict size),
			  compat_getsockname);
extern int __REDIRECT_NTH(getpeername,
			  (int socket, __SOCKADDR_ARG address, socklen_t *__restrict size),
			  compat_getpeername);
extern int __REDIRECT_NTH(setsockopt,
			  (int socket, int level, int option, const void *value, socklen_t size),
			  compat_setsockopt);
extern int __REDIRECT_NTH(getsockopt,
			  (int socket, int level, int option, void *__restrict value,
			   socklen_t *__restrict size),
			  compat_getsockopt);
extern int __REDIRECT(select,
		      (int ignored, fd_set *__restrict readable, fd_set *__restrict writable,
		       fd_set *__restrict broken, struct timeval *__restrict timeout),
		      compat_select);
COMPAT_END

#ifdef __cplusplus
/*
 * These functions take a pointer to the size of an address or an option. The size is an int on
 * Windows and a socklen_t on Linux. The overloads accept a pointer to int.
 */
extern "C++" {
static inline int accept(SOCKET socket, struct sockaddr *address, int *size)
{
	return accept(static_cast<int>(socket), address, reinterpret_cast<socklen_t *>(size));
}
static inline int getsockname(SOCKET socket, struct sockaddr *address, int *size)
{
	return getsockname(static_cast<int>(socket), address, reinterpret_cast<socklen_t *>(size));
}
static inline int getpeername(SOCKET socket, struct sockaddr *address, int *size)
{
	return getpeername(static_cast<int>(socket), address, reinterpret_cast<socklen_t *>(size));
}
static inline int getsockopt(SOCKET socket, int level, int option, void *value, int *size)
{
	return getsockopt(static_cast<int>(socket), level, option, value,
			  reinterpret_cast<socklen_t *>(size));
}
static inline ssize_t recvfrom(SOCKET socket, void *data, size_t bytes, int flags,
			       struct sockaddr *from, int *size)
{
	return recvfrom(static_cast<int>(socket), data, bytes, flags, from,
			reinterpret_cast<socklen_t *>(size));
}
}
#endif
#endif

#endif
