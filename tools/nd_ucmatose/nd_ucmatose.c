/* nd_ucmatose: the counterpart of rdma-core's ucmatose over softrnic. The peer may be ucmatose on
 * any RoCEv2 host.
 *
 * The protocol:
 * - The client makes all connections first.
 * - The server sends COUNT messages of SIZE bytes on each connection.
 * - When all messages have arrived, the client sends COUNT messages with the received data on each
 *   connection.
 * - When all messages have arrived, the server disconnects. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/counters.h"
#include "common/session.h"
#include "common/stop.h"
#include "common/version.h"

#define UCMATOSE_PORT 7471
#define WAIT_MS	      20000

struct options {
	bool server, stats, share;
	struct sockaddr_storage local, peer;
	unsigned connections, count, size, receives, nap_ms;
};

static void usage(FILE *f)
{
	fputs("usage: nd_ucmatose -b ADDR [-p PORT] [-c CONNECTIONS] [-C COUNT] [-S SIZE] [-Q]            server\n"
	      "       nd_ucmatose -s ADDR [-b LOCAL] [-p PORT] [-c CONNECTIONS] [-C COUNT] [-S SIZE] [-Q] client\n"
	      "  -s ADDR         server to connect to\n"
	      "  -b ADDR         own address\n"
	      "  -p PORT         default 7471\n"
	      "  -c CONNECTIONS  default 1\n"
	      "  -C COUNT        messages per connection and direction, 0..10000 (default 10)\n"
	      "  -S SIZE         bytes of a message, 1..1048576 (default 100)\n"
	      "  -r RECEIVES     posted at a time (default: all); with fewer, the peer gets RNR NAKs\n"
	      "  -w MS           wait MS before polling for the first message (default 0)\n"
	      "  -Q              receives go through a shared receive queue\n"
	      "      --config FILE  configuration (default $SOFTRNIC_CONFIG, else built in)\n"
	      "      --stats     print all counters that are not zero at the end\n"
	      "Both ends must be given the same numbers. Exit status 0 only when every byte was right; 130 when interrupted (143: by SIGTERM).\n",
	      f);
}

static void fill(uint8_t *data, unsigned size, unsigned connection)
{
	for (unsigned i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 7 + i / 251 + connection * 31 + 1);
}

static int send_all(struct session *s, const struct options *o)
{
	for (unsigned i = 0; i < o->count; i++)
		if (session_send_slot(s, 0, o->size) != 0)
			return -1;
	return 0;
}

static void nap(unsigned ms)
{
	for (; ms > 0 && !stop_asked(); ms -= ms < STOP_LOOK_MS ? ms : STOP_LOOK_MS)
		usleep((ms < STOP_LOOK_MS ? ms : STOP_LOOK_MS) * 1000);
}

/* Waits until no Send is in flight and `receives` messages have arrived. Each message must equal
 * the data in slot 0. A server's slot 0 holds the data that the server has sent. A client copies
 * its first received message to slot 0. */
static int complete(struct session *s, const struct options *o, unsigned receives)
{
	bool known = o->server;
	unsigned posted = s->nrecv < receives ? s->nrecv : receives, missing = receives - posted;
	struct done d;
	if (receives)
		nap(o->nap_ms);
	while (receives || s->in_flight) {
		int got = session_next(s, &d, WAIT_MS);
		if (got == 0)
			fprintf(stderr, "nd_ucmatose: no message from the peer for %d s\n",
				WAIT_MS / 1000);
		if (got <= 0)
			return -1;
		if (d.kind != DONE_RECV)
			continue;
		if (receives == 0) {
			fprintf(stderr, "nd_ucmatose: more messages came than %u\n", o->count);
			return -1;
		}
		if (!known)
			memcpy(session_slot(s, 0), d.data, o->size);
		known = true;
		if (d.bytes != o->size || memcmp(d.data, session_slot(s, 0), o->size) != 0) {
			fprintf(stderr,
				"nd_ucmatose: a message of %u bytes is not what was expected\n",
				d.bytes);
			return -1;
		}
		receives--;
		if (missing && session_repost(s, d.index) != 0)
			return -1;
		missing -= missing > 0;
	}
	return 0;
}

static int serve(struct session *s, const struct options *o)
{
	for (unsigned i = 0; i < o->connections; i++) {
		fill(session_slot(&s[i], 0), o->size, i);
		if (send_all(&s[i], o) != 0)
			return -1;
	}
	for (unsigned i = 0; i < o->connections; i++)
		if (complete(&s[i], o, o->count) != 0)
			return -1;
	for (unsigned i = 0; i < o->connections; i++)
		session_disconnect(&s[i], true);
	return 0;
}

static int request(struct session *s, const struct options *o)
{
	for (unsigned i = 0; i < o->connections; i++)
		if (complete(&s[i], o, o->count) != 0)
			return -1;
	for (unsigned i = 0; i < o->connections; i++)
		if (send_all(&s[i], o) != 0 || complete(&s[i], o, 0) != 0)
			return -1;
	for (unsigned i = 0; i < o->connections; i++)
		session_wait_closed(&s[i], true);
	return 0;
}

/* Runs one session per connection. A server accepts all sessions from the first session's
 * listener. */
static int run(struct session *s, const struct options *o)
{
	uint16_t port;
	for (unsigned i = 0; i < o->connections; i++) {
		if (session_open(&s[i], (const struct sockaddr *)&o->local, sizeof(o->local)) != 0)
			return -1;
		s[i].nrecv = o->receives;
		s[i].share = o->share;
		if (session_prepare(&s[i], o->size, o->count ? o->count : 1) != 0)
			return -1;
	}
	if (o->server) {
		if (session_listen(&s[0], &o->local, &port) != 0)
			return -1;
		printf("nd_ucmatose: listening on port %u\n", port);
		fflush(stdout);
	}
	for (unsigned i = 0; i < o->connections; i++) {
		int err = o->server ? session_accept_at(&s[i], s[0].listener)
				    : session_connect(&s[i], &o->local, &o->peer);
		if (err != 0)
			return -1;
	}
	printf("nd_ucmatose: connected\n");
	fflush(stdout);
	int err = o->server ? serve(s, o) : request(s, o);
	if (err == 0)
		printf("nd_ucmatose: %u connections, %u messages of %u bytes each way, data compared\n",
		       o->connections, o->count, o->size);
	return err;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{"config", 1, 0, 'X'}, {"stats", 0, 0, 'T'}, {"help", 0, 0, 'h'}, {0}};
	const char *peer = NULL, *local = NULL;
	unsigned port = UCMATOSE_PORT;
	for (int c; (c = getopt_long(argc, argv, "s:b:p:c:C:S:r:w:Qh", longs, NULL)) != -1;) {
		switch (c) {
		case 's':
			peer = optarg;
			break;
		case 'b':
			local = optarg;
			break;
		case 'p':
			port = session_number(optarg, 1, 65535);
			break;
		case 'c':
			o->connections = session_number(optarg, 1, 256);
			break;
		case 'C':
			o->count = session_number(optarg, 0, 10000);
			break;
		case 'S':
			o->size = session_number(optarg, 1, 1048576);
			break;
		case 'r':
			o->receives = session_number(optarg, 1, 10000);
			break;
		case 'w':
			o->nap_ms = session_number(optarg, 0, 60000);
			break;
		case 'Q':
			o->share = true;
			break;
		case 'X':
			setenv("SOFTRNIC_CONFIG", optarg, 1);
			break;
		case 'T':
			o->stats = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			return -1;
		}
	}
	o->server = !peer;
	if (optind != argc || (o->server && !local)) {
		usage(stderr);
		return -1;
	}
	if (peer && session_parse_address(peer, (uint16_t)port, &o->peer) != 0)
		return -1;
	return local ? session_parse_address(local, o->server ? (uint16_t)port : 0, &o->local) : 0;
}

int main(int argc, char **argv)
{
	struct options o = {.connections = 1, .count = 10, .size = 100};
	session_program = "nd_ucmatose";
	version_if_asked(argc, argv);
	if (parse_options(argc, argv, &o) != 0)
		return 1;
	struct session *s = calloc(o.connections, sizeof(*s));
	stop_catch();
	HRESULT hr = s ? NdStartup() : ND_NO_MEMORY;
	if (FAILED(hr)) {
		fprintf(stderr, "nd_ucmatose: the provider does not start: %s\n", nd_text(hr));
		free(s);
		return 1;
	}
	int err = o.local.ss_family ? 0 : session_find_local(&o.peer, &o.local);
	if (err == 0) {
		err = run(s, &o);
		if (o.stats)
			counters_print(stdout);
		for (unsigned i = 0; i < o.connections; i++)
			session_close(&s[i]);
	}
	NdCleanup();
	free(s);
	return stop_status(err ? 1 : 0);
}
