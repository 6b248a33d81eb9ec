/* The exchange of parameters and results with the other end over a TCP socket of the kernel. Owns
 * the socket. With the inline idle policy, waiting functions poll the adapter, because the peer may
 * still READ from or WRITE to this end. One thread calls these functions. */
#include "talk.h"

#include "common/stop.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TURNS_PER_LOOK 64
#define LINGER_NS      1000000000ull

static int complain(const struct pt_talk *t, const char *what, const char *why)
{
	if (!stop_asked())
		fprintf(stderr, "%s: %s%s%s\n", t->e->o->tool->name, what, why ? ": " : "",
			why ? why : "");
	return -1;
}

static int tcp_send(struct pt_talk *t, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	while (bytes > 0) {
		ssize_t n = send(t->fd, at, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return complain(t, "cannot send to the other end", strerror(errno));
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static void wait_for_bytes(struct pt_talk *t)
{
	struct pollfd p = {.fd = t->fd, .events = POLLIN};

	while (!stop_asked() && poll(&p, 1, 0) == 0)
		for (unsigned i = 0; i < TURNS_PER_LOOK; i++)
			rn_client_progress(t->e->client);
}

static int tcp_recv(struct pt_talk *t, void *data, size_t bytes)
{
	uint8_t *at = data;

	while (bytes > 0) {
		ssize_t n;

		wait_for_bytes(t);
		if (stop_asked()) {
			t->e->stopped = true;
			return -1;
		}
		n = recv(t->fd, at, bytes, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return complain(t, "no answer from the other end", strerror(errno));
		if (n == 0)
			return complain(t, "the other end has closed the connection", NULL);
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int tcp_send_card(struct pt_talk *t, const struct pt_card *card)
{
	char text[PT_TEXT_BYTES];

	pt_card_to_text(card, text);
	return tcp_send(t, text, sizeof(text));
}

static int tcp_recv_card(struct pt_talk *t, struct pt_card *card)
{
	char text[PT_TEXT_BYTES];

	if (tcp_recv(t, text, sizeof(text)) != 0)
		return -1;
	if (!pt_card_from_text(card, text))
		return complain(t, "the other end did not send perftest's queue pair parameters",
				NULL);
	return 0;
}

/* Shuts the TCP connection down and waits, at most LINGER_NS, until the other end has shut down
 * too. Meanwhile polls the adapter, which may still have to answer the other end's last work
 * request. */
static void tcp_close(struct pt_talk *t)
{
	uint64_t end = pt_now_ns() + LINGER_NS;
	char unread[64];

	if (t->fd < 0)
		return;
	shutdown(t->fd, SHUT_WR);
	while (pt_now_ns() < end) {
		ssize_t n = recv(t->fd, unread, sizeof(unread), MSG_DONTWAIT);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
		rn_client_progress(t->e->client);
	}
	close(t->fd);
	t->fd = t->e->peer_fd = -1;
}

const struct pt_talk_ops pt_talk_tcp = {tcp_send, tcp_recv, tcp_send_card, tcp_recv_card,
					tcp_close};

static int listen_at(const struct addrinfo *ai)
{
	int on = 1, fd = socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, 1) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Binds a client's socket to --source_ip. Returns 0, or -1 with errno. */
static int bind_to(int fd, int family, const char *source_ip)
{
	struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM};
	struct addrinfo *own;
	int rc;

	if (getaddrinfo(source_ip, NULL, &hints, &own) != 0) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	rc = bind(fd, own->ai_addr, own->ai_addrlen);
	freeaddrinfo(own);
	return rc;
}

static int connect_to(const struct addrinfo *ai, const char *source_ip)
{
	int fd = socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol), why;

	if (fd >= 0 && source_ip && bind_to(fd, ai->ai_family, source_ip) != 0) {
		why = errno;
		close(fd);
		errno = why;
		return -1;
	}
	if (fd < 0 || connect(fd, ai->ai_addr, ai->ai_addrlen) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Opens a socket for the first address of the list that works. A server tries the IPv6 addresses
 * first, because an IPv6 socket bound to :: accepts IPv4 clients too. */
static int open_any(const struct addrinfo *list, const struct pt_options *o)
{
	bool server = pt_is_server(o);
	int fd = -1;

	for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next)
		if (!server || ai->ai_family == AF_INET6)
			fd = server ? listen_at(ai) : connect_to(ai, o->source_ip);
	for (const struct addrinfo *ai = list; ai && fd < 0 && server; ai = ai->ai_next)
		fd = listen_at(ai);
	return fd;
}

static int await_client(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (!stop_asked())
		if (poll(&p, 1, STOP_LOOK_MS) > 0)
			return accept(fd, NULL, NULL);
	errno = EINTR;
	return -1;
}

int pt_talk_tcp_open(struct pt_talk *t)
{
	const struct pt_options *o = t->e->o;
	bool server = pt_is_server(o);
	const char *host = server ? o->source_ip : o->server;
	struct addrinfo hints = {.ai_family = o->v6_talk ? AF_INET6 : AF_UNSPEC,
				 .ai_socktype = SOCK_STREAM,
				 .ai_flags = server ? AI_PASSIVE : 0};
	struct addrinfo *list;
	int on = 1, fd, rc;
	char port[8];

	snprintf(port, sizeof(port), "%u", o->port);
	rc = getaddrinfo(host, port, &hints, &list);
	if (rc != 0)
		return complain(t, host ? host : "no address", gai_strerror(rc));
	fd = open_any(list, o);
	rc = errno;
	freeaddrinfo(list);
	if (fd < 0)
		return complain(t, server ? "cannot listen" : "cannot connect", strerror(rc));
	if (!server) {
		t->fd = fd;
	} else {
		t->fd = await_client(fd);
		close(fd);
		if (t->fd < 0)
			return complain(t, "no client", strerror(errno));
	}
	setsockopt(t->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	t->e->peer_fd = t->fd;
	return 0;
}
