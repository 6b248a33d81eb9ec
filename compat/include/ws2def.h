/* Address structures, and the control codes of WSAIoctl. */
#ifndef COMPAT_WS2DEF_H
#define COMPAT_WS2DEF_H

#include <netdb.h>
#include <sys/socket.h>

#include "inaddr.h"
#include "windef.h"

typedef struct sockaddr SOCKADDR, *PSOCKADDR, *LPSOCKADDR;
typedef const struct sockaddr *PCSOCKADDR;
typedef struct sockaddr_in SOCKADDR_IN, *PSOCKADDR_IN, *LPSOCKADDR_IN;
typedef struct sockaddr_storage SOCKADDR_STORAGE, SOCKADDR_STORAGE_LH, *PSOCKADDR_STORAGE,
	*LPSOCKADDR_STORAGE;
typedef SOCKET_ADDRESS *PSOCKET_ADDRESS, *LPSOCKET_ADDRESS;
typedef SOCKET_ADDRESS_LIST *PSOCKET_ADDRESS_LIST, *LPSOCKET_ADDRESS_LIST;

typedef struct _WSABUF {
	ULONG len;
	CHAR *buf;
} WSABUF, *LPWSABUF;

typedef struct addrinfo ADDRINFOA, *PADDRINFOA;

typedef struct addrinfoW {
	int ai_flags;
	int ai_family;
	int ai_socktype;
	int ai_protocol;
	size_t ai_addrlen;
	PWSTR ai_canonname;
	struct sockaddr *ai_addr;
	struct addrinfoW *ai_next;
} ADDRINFOW, *PADDRINFOW;

#define SS_PORT(address) (((struct sockaddr_in *)(address))->sin_port)

/*
 * Control codes of WSAIoctl, with their Windows values. Windows builds these values with macros
 * such as IOC_IN. Here they are plain numbers, because <sys/ioctl.h> of Linux defines IOC_IN with
 * another value.
 */
#define SIO_ROUTING_INTERFACE_QUERY 0xC8000014u
#define SIO_ADDRESS_LIST_QUERY	    0x48000016u
#define SIO_ADDRESS_LIST_CHANGE	    0x28000017u /* WSAIoctl refuses this code */

#endif
