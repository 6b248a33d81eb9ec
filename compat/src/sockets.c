/*
 * How do the Windows versions of socket(), bind(), send() and so on work? Each function calls the
 * Linux function and sets the last error. No call raises SIGPIPE. Timeouts are in milliseconds.
 *
 * This file keeps no state. Any thread may call the functions.
 */
#include "sockets.h"

#include <errno.h>
#include <stdbool.h>

/*
 * Exports a function compat_NAME from the library. The header winsock2.h redirects a program's
 * calls of NAME, such as socket, to compat_NAME.
 */
#define SHOWN __attribute__((visibility("default")))

static const struct {
	int native, windows;
} errors[] = {
	{EINTR, WSAEINTR},
	{EBADF, WSAENOTSOCK},
	{EACCES, WSAEACCES},
	{EPERM, WSAEACCES},
	{EFAULT, WSAEFAULT},
	{EINVAL, WSAEINVAL},
	{EMFILE, WSAEMFILE},
	{ENFILE, WSAEMFILE},
	{EAGAIN, WSAEWOULDBLOCK},
	{EINPROGRESS, WSAEWOULDBLOCK},
	{EALREADY, WSAEALREADY},
	{ENOTSOCK, WSAENOTSOCK},
	{EDESTADDRREQ, WSAEDESTADDRREQ},
	{EMSGSIZE, WSAEMSGSIZE},
	{EPROTOTYPE, WSAEPROTOTYPE},
	{ENOPROTOOPT, WSAENOPROTOOPT},
	{EPROTONOSUPPORT, WSAEPROTONOSUPPORT},
	{ESOCKTNOSUPPORT, WSAESOCKTNOSUPPORT},
	{EOPNOTSUPP, WSAEOPNOTSUPP},
	{EAFNOSUPPORT, WSAEAFNOSUPPORT},
	{EADDRINUSE, WSAEADDRINUSE},
	{EADDRNOTAVAIL, WSAEADDRNOTAVAIL},
	{ENETDOWN, WSAENETDOWN},
	{ENETUNREACH, WSAENETUNREACH},
	{ENETRESET, WSAENETRESET},
	{ECONNABORTED, WSAECONNABORTED},
	{ECONNRESET, WSAECONNRESET},
	{EPIPE, WSAECONNRESET},
	{ENOBUFS, WSAENOBUFS},
	{ENOMEM, WSAENOBUFS},
	{EISCONN, WSAEISCONN},
	{ENOTCONN, WSAENOTCONN},
	{ESHUTDOWN, WSAESHUTDOWN},
	{ETIMEDOUT, WSAETIMEDOUT},
	{ECONNREFUSED, WSAECONNREFUSED},
	{EHOSTDOWN, WSAEHOSTDOWN},
	{EHOSTUNREACH, WSAEHOSTUNREACH},
};

int compat_socket_error(int native)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].native == native)
			return errors[i].windows;
	return WSAEINVAL;
}

ssize_t compat_socket_result(ssize_t result)
{
	if (result < 0)
		WSASetLastError(compat_socket_error(errno));
	return result;
}

#define RESULT(call) ((int)compat_socket_result(call))

SHOWN int compat_socket(int family, int type, int protocol)
{
	return RESULT(socket(family, type, protocol));
}

SHOWN int compat_bind(int socket, const struct sockaddr *address, socklen_t size)
{
	return RESULT(bind(socket, address, size));
}

SHOWN int compat_listen(int socket, int backlog)
{
	return RESULT(listen(socket, backlog));
}

SHOWN int compat_connect(int socket, const struct sockaddr *address, socklen_t size)
{
	return RESULT(connect(socket, address, size));
}

SHOWN int compat_accept(int socket, struct sockaddr *address, socklen_t *size)
{
	return RESULT(accept(socket, address, size));
}

SHOWN ssize_t compat_send(int socket, const void *data, size_t bytes, int flags)
{
	return compat_socket_result(send(socket, data, bytes, flags | MSG_NOSIGNAL));
}

SHOWN ssize_t compat_sendto(int socket, const void *data, size_t bytes, int flags,
			    const struct sockaddr *to, socklen_t size)
{
	return compat_socket_result(sendto(socket, data, bytes, flags | MSG_NOSIGNAL, to, size));
}

SHOWN ssize_t compat_recv(int socket, void *data, size_t bytes, int flags)
{
	return compat_socket_result(recv(socket, data, bytes, flags));
}

SHOWN ssize_t compat_recvfrom(int socket, void *data, size_t bytes, int flags,
			      struct sockaddr *from, socklen_t *size)
{
	return compat_socket_result(recvfrom(socket, data, bytes, flags, from, size));
}

SHOWN int compat_shutdown(int socket, int how)
{
	return RESULT(shutdown(socket, how));
}

SHOWN int compat_getsockname(int socket, struct sockaddr *address, socklen_t *size)
{
	return RESULT(getsockname(socket, address, size));
}

SHOWN int compat_getpeername(int socket, struct sockaddr *address, socklen_t *size)
{
	return RESULT(getpeername(socket, address, size));
}

/*
 * Returns whether the option's value is a Windows timeout, a DWORD in milliseconds. A timeout of
 * Linux, a struct timeval, has another size.
 */
static bool is_timeout(int level, int option, socklen_t size)
{
	return level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO) &&
	       size == sizeof(DWORD);
}

SHOWN int compat_setsockopt(int socket, int level, int option, const void *value, socklen_t size)
{
	if (level == SOL_SOCKET && option == SO_EXCLUSIVEADDRUSE)
		return 0;
	if (value && is_timeout(level, option, size)) {
		DWORD ms = *(const DWORD *)value;
		struct timeval time = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

		return RESULT(setsockopt(socket, level, option, &time, sizeof(time)));
	}
	return RESULT(setsockopt(socket, level, option, value, size));
}

SHOWN int compat_getsockopt(int socket, int level, int option, void *value, socklen_t *size)
{
	struct timeval time;
	socklen_t room = sizeof(time);

	if (!value || !size || !is_timeout(level, option, *size))
		return RESULT(getsockopt(socket, level, option, value, size));
	int result = RESULT(getsockopt(socket, level, option, &time, &room));

	if (result == 0)
		*(DWORD *)value = (DWORD)(time.tv_sec * 1000 + time.tv_usec / 1000);
	return result;
}

SHOWN int compat_select(int ignored, fd_set *readable, fd_set *writable, fd_set *broken,
			struct timeval *timeout)
{
	/* As on Windows, the first argument is ignored and *timeout does not change. */
	struct timeval left = timeout ? *timeout : (struct timeval){0};

	(void)ignored;
	return RESULT(select(FD_SETSIZE, readable, writable, broken, timeout ? &left : NULL));
}
