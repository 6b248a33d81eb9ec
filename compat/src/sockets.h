/*
 * The socket functions that exist both on Windows and on Linux, and how socket functions report
 * errors. Any thread may call these functions.
 */
#ifndef COMPAT_SOCKETS_H
#define COMPAT_SOCKETS_H

#include <winsock2.h>

/* Returns the Winsock error for an errno value, or WSAEINVAL if Windows has no such error. */
int compat_socket_error(int native);

/* Returns `result`. If `result` is negative, sets the last error to the Winsock error for errno. */
ssize_t compat_socket_result(ssize_t result);

/*
 * Each compat_NAME replaces the function NAME, which Windows and Linux share. winsock2.h redirects
 * a program's calls of NAME to compat_NAME.
 */
int compat_socket(int family, int type, int protocol);
int compat_bind(int socket, const struct sockaddr *address, socklen_t size);
int compat_listen(int socket, int backlog);
int compat_connect(int socket, const struct sockaddr *address, socklen_t size);
int compat_accept(int socket, struct sockaddr *address, socklen_t *size);
ssize_t compat_send(int socket, const void *data, size_t bytes, int flags);
ssize_t compat_sendto(int socket, const void *data, size_t bytes, int flags,
		      const struct sockaddr *to, socklen_t size);
ssize_t compat_recv(int socket, void *data, size_t bytes, int flags);
ssize_t compat_recvfrom(int socket, void *data, size_t bytes, int flags, struct sockaddr *from,
			socklen_t *size);
int compat_shutdown(int socket, int how);
int compat_getsockname(int socket, struct sockaddr *address, socklen_t *size);
int compat_getpeername(int socket, struct sockaddr *address, socklen_t *size);
int compat_setsockopt(int socket, int level, int option, const void *value, socklen_t size);
int compat_getsockopt(int socket, int level, int option, void *value, socklen_t *size);
int compat_select(int ignored, fd_set *readable, fd_set *writable, fd_set *broken,
		  struct timeval *timeout);

#endif
