/*
 * How do those functions of Winsock work that have no counterpart on Linux (WSAStartup, WSACleanup,
 * WSASocket, closesocket, ioctlsocket, WSAIoctl)? This file owns the start count: calls of
 * WSAStartup minus calls of WSACleanup. Any thread may call the functions.
 */
#include "sockets.h"

#include <errno.h>
#include <ifaddrs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <mstcpip.h>
#include <ntstatus.h>
#include <synchapi.h>

#define KEEPALIVE_PROBES 10

static atomic_int started;

static int fail(int error)
{
	WSASetLastError(error);
	return SOCKET_ERROR;
}

int WSAStartup(WORD version, LPWSADATA data)
{
	const WORD highest = MAKEWORD(2, 2);

	if (!data)
		return WSAEFAULT;
	if (LOBYTE(version) == 0)
		return WSAVERNOTSUPPORTED;
	*data = (WSADATA){
		.wVersion = LOBYTE(version) > 2 || version == MAKEWORD(2, 2) ? highest : version,
		.wHighVersion = highest,
		.szDescription = "sockets of Linux",
		.szSystemStatus = "Running",
	};
	atomic_fetch_add(&started, 1);
	return 0;
}

int WSACleanup(void)
{
	int count = atomic_load(&started);

	while (count > 0)
		if (atomic_compare_exchange_weak(&started, &count, count - 1))
			return 0;
	return fail(WSANOTINITIALISED);
}

static SOCKET open_socket(int family, int type, int protocol, bool described)
{
	int result;

	if (described) {
		fail(WSAEINVAL);
		return INVALID_SOCKET;
	}
	result = compat_socket(family, type | SOCK_CLOEXEC, protocol);
	return result < 0 ? INVALID_SOCKET : (SOCKET)result;
}

SOCKET WSASocketW(int family, int type, int protocol, LPWSAPROTOCOL_INFOW info, GROUP group,
		  DWORD flags)
{
	(void)group, (void)flags;
	return open_socket(family, type, protocol, info != NULL);
}

SOCKET WSASocketA(int family, int type, int protocol, LPWSAPROTOCOL_INFOA info, GROUP group,
		  DWORD flags)
{
	(void)group, (void)flags;
	return open_socket(family, type, protocol, info != NULL);
}

/*
 * Returns whether the descriptor is a socket. Functions that close or change a socket call this
 * function first, to leave files of other kinds alone.
 */
static bool is_socket(SOCKET socket)
{
	int type;
	socklen_t size = sizeof(type);

	return socket <= INT32_MAX &&
	       getsockopt((int)socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

int closesocket(SOCKET socket)
{
	if (!is_socket(socket))
		return fail(WSAENOTSOCK);
	return (int)compat_socket_result(close((int)socket));
}

int compat_ioctlsocket(SOCKET socket, long command, void *argument, size_t size)
{
	int value = 0;

	if (!is_socket(socket))
		return fail(WSAENOTSOCK);
	if (!argument || size < sizeof(value))
		return fail(WSAEFAULT);
	if (command != (long)FIONBIO && command != (long)FIONREAD)
		return fail(WSAEINVAL);
	if (command == (long)FIONBIO)
		memcpy(&value, argument, sizeof(value));
	int result = (int)compat_socket_result(ioctl((int)socket, (unsigned long)command, &value));

	if (result == 0 && command == (long)FIONREAD) {
		memset(argument, 0, size);
		memcpy(argument, &value, sizeof(value));
	}
	return result;
}

int WSAPoll(LPWSAPOLLFD descriptors, ULONG count, INT timeout)
{
	return (int)compat_socket_result(poll(descriptors, count, timeout));
}

/* ---- Control codes of WSAIoctl -------------------------------------------------------------- */

struct control {
	int socket;
	const void *in;
	DWORD in_bytes;
	void *out;
	DWORD out_bytes;
	DWORD *returned;
};

static int give(const struct control *c, const void *data, size_t bytes)
{
	*c->returned = (DWORD)bytes;
	if (!c->out || c->out_bytes < bytes)
		return fail(WSAEFAULT);
	memcpy(c->out, data, bytes);
	return 0;
}

static int set_blocking(const struct control *c)
{
	if (!c->in || c->in_bytes < sizeof(ULONG))
		return fail(WSAEFAULT);
	ULONG value = *(const ULONG *)c->in;

	return compat_ioctlsocket((SOCKET)c->socket, FIONBIO, &value, sizeof(value));
}

static int count_bytes(const struct control *c)
{
	ULONG value;

	if (compat_ioctlsocket((SOCKET)c->socket, FIONREAD, &value, sizeof(value)) != 0)
		return SOCKET_ERROR;
	return give(c, &value, sizeof(value));
}

static int keep_alive(const struct control *c)
{
	const struct tcp_keepalive *wish = c->in;

	if (!wish || c->in_bytes < sizeof(*wish))
		return fail(WSAEFAULT);
	const struct {
		int level, option, value;
	} options[] = {
		{SOL_SOCKET, SO_KEEPALIVE, wish->onoff != 0},
		{IPPROTO_TCP, TCP_KEEPIDLE, (int)((wish->keepalivetime + 999ull) / 1000)},
		{IPPROTO_TCP, TCP_KEEPINTVL, (int)((wish->keepaliveinterval + 999ull) / 1000)},
		{IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES},
	};

	for (size_t i = 0; i < (wish->onoff ? 4 : 1); i++)
		if (compat_setsockopt(c->socket, options[i].level, options[i].option,
				      &options[i].value, sizeof(int)) != 0)
			return SOCKET_ERROR;
	return 0;
}

static int no_change(const struct control *c)
{
	(void)c;
	return 0;
}

/*
 * Stores the local address from which packets to a given address are sent. To learn that address,
 * the function connects a datagram socket, which sends no packet.
 */
static int routing_interface(const struct control *c)
{
	const struct sockaddr *to = c->in;
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);

	if (!to || c->in_bytes < sizeof(*to))
		return fail(WSAEFAULT);
	struct sockaddr_storage target = {0};

	memcpy(&target, to, c->in_bytes < sizeof(target) ? c->in_bytes : sizeof(target));
	if (target.ss_family != AF_INET && target.ss_family != AF_INET6)
		return fail(WSAEAFNOSUPPORT);
	if (SS_PORT(&target) == 0)
		SS_PORT(&target) = htons(9);
	int s = compat_socket(target.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (s < 0)
		return SOCKET_ERROR;
	int result = compat_connect(s, (struct sockaddr *)&target, c->in_bytes);

	if (result == 0)
		result = compat_getsockname(s, (struct sockaddr *)&from, &size);
	close(s);
	if (result != 0)
		return SOCKET_ERROR;
	SS_PORT(&from) = 0;
	return give(c, &from, size);
}

static size_t address_size(const struct ifaddrs *i, int family)
{
	if (!i->ifa_addr || i->ifa_addr->sa_family != family)
		return 0;
	return family == AF_INET    ? sizeof(struct sockaddr_in)
	       : family == AF_INET6 ? sizeof(struct sockaddr_in6)
				    : 0;
}

/*
 * Writes a SOCKET_ADDRESS_LIST of those addresses of this host that have the socket's address
 * family. The list holds pointers to the addresses, which are stored behind the list in the same
 * buffer.
 */
static int address_list(const struct control *c)
{
	struct ifaddrs *all;
	int family, count = 0;
	socklen_t size = sizeof(family);
	size_t bytes = 0;

	if (getsockopt(c->socket, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 ||
	    getifaddrs(&all) != 0)
		return (int)compat_socket_result(-1);
	for (struct ifaddrs *i = all; i; i = i->ifa_next) {
		count += address_size(i, family) != 0;
		bytes += address_size(i, family);
	}
	size_t head =
		offsetof(SOCKET_ADDRESS_LIST, Address) + (size_t)count * sizeof(SOCKET_ADDRESS);

	*c->returned = (DWORD)(head + bytes);
	if (!c->out || c->out_bytes < head + bytes) {
		freeifaddrs(all);
		return fail(WSAEFAULT);
	}
	SOCKET_ADDRESS_LIST *list = c->out;
	char *at = (char *)c->out + head;

	list->iAddressCount = 0;
	for (struct ifaddrs *i = all; i; i = i->ifa_next) {
		size_t n = address_size(i, family);

		if (!n)
			continue;
		memcpy(at, i->ifa_addr, n);
		list->Address[list->iAddressCount++] =
			(SOCKET_ADDRESS){(struct sockaddr *)at, (INT)n};
		at += n;
	}
	freeifaddrs(all);
	return 0;
}

static const struct {
	DWORD code;
	int (*act)(const struct control *c);
} controls[] = {
	{(DWORD)FIONBIO, set_blocking},
	{(DWORD)FIONREAD, count_bytes},
	{SIO_KEEPALIVE_VALS, keep_alive},
	{SIO_LOOPBACK_FAST_PATH, no_change},
	{SIO_ROUTING_INTERFACE_QUERY, routing_interface},
	{SIO_ADDRESS_LIST_QUERY, address_list},
};

int WSAIoctl(SOCKET socket, DWORD code, LPVOID in, DWORD inBytes, LPVOID out, DWORD outBytes,
	     LPDWORD returned, LPWSAOVERLAPPED overlapped,
	     LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
	struct control control = {(int)socket, in, inBytes, out, outBytes, returned};

	if (!is_socket(socket))
		return fail(WSAENOTSOCK);
	if (!returned)
		return fail(WSAEFAULT);
	*returned = 0;
	if (overlapped || routine)
		return fail(WSAEOPNOTSUPP);
	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		if (controls[i].code == code)
			return controls[i].act(&control);
	return fail(WSAEOPNOTSUPP);
}

int WSAProviderConfigChange(LPHANDLE notification, LPWSAOVERLAPPED overlapped,
			    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
	if (!notification)
		return fail(WSAEFAULT);
	if (!*notification) {
		*notification = CreateEventW(NULL, TRUE, FALSE, NULL);
		return *notification ? 0 : fail(WSA_NOT_ENOUGH_MEMORY);
	}
	if (!overlapped || routine)
		return fail(WSAEOPNOTSUPP);
	if (WaitForSingleObject(*notification, 0) == WAIT_FAILED)
		return fail(WSA_INVALID_HANDLE);
	if (overlapped->hEvent)
		ResetEvent(overlapped->hEvent);
	overlapped->Internal = (DWORD)STATUS_PENDING;
	return fail(WSA_IO_PENDING);
}
