/* nd_rping: the counterpart of rdma-core's rping over softrnic. nd_rping uses rping's own protocol,
 * so its peer may be rping on a Linux host with any RoCE hardware or soft-RoCE.
 *
 * The protocol, per round:
 * - The client SENDs {address, rkey, size} of its source.
 * - The server READs the source and SENDs go-ahead.
 * - The client SENDs {address, rkey, size} of its sink.
 * - The server WRITEs the data back into the sink and SENDs go-ahead.
 * - The client compares source and sink. */
#include <arpa/inet.h>
#include <endian.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/counters.h"
#include "common/session.h"
#include "common/stop.h"
#include "common/version.h"

#define RPING_PORT  7174
#define PING_MIN    23 /* smallest ping in bytes; rping takes 23 to 65535 */
#define PING_MAX    65536
#define PARTING_MS  5000 /* longest wait for the peer to disconnect after the last round */
#define SLOT_SOURCE 0
#define SLOT_SINK   1
#define VISITS_MAX  256 /* greatest number of clients that a server with -P serves at a time */
/* A server with -P ends after this many failed attempts in a row. Once the adapter is gone, every
 * attempt fails. */
#define FAILURES_MAX 100

static int wait_ms = 20000; /* longest wait for a message of the peer; option --timeout */

/* rping's message, in network byte order on the wire. An ND2 token is already in network byte
 * order, so the token is stored unchanged as rkey. */
struct rping_info {
	uint64_t buf;
	uint32_t rkey;
	uint32_t size;
};

struct options {
	bool server, persistent, verbose, validate, stats;
	struct sockaddr_storage local, peer;
	unsigned count, size; /* count: number of rounds, 0: no limit; size: bytes of a ping */
};

static void usage(FILE *f)
{
	fputs("usage: nd_rping -s -a ADDR [-P] [-p PORT] [-C COUNT] [-v] [-V]\n"
	      "       nd_rping -c -a ADDR [-l LOCAL] [-p PORT] [-C COUNT] [-S SIZE] [-v] [-V]\n"
	      "  -s / -c     server / client (counterparts of rping)\n"
	      "  -a ADDR     address to listen on / to connect to\n"
	      "  -l LOCAL    own address (default: the one from which ADDR is reached)\n"
	      "  -p PORT     default 7174\n"
	      "  -P          server: serve any number of clients, also at the same time, until interrupted\n"
	      "  -C COUNT    rounds, 0: no limit (client default 10; server default 0: until the client leaves)\n"
	      "  -S SIZE     bytes of a ping, 23..65536 (default 64)\n"
	      "  -v          print the data   -V  compare the data\n"
	      "      --config FILE  configuration (default $SOFTRNIC_CONFIG, else built in)\n"
	      "      --timeout S    give up after S seconds without a message (default 20)\n"
	      "      --stats        print all counters that are not zero at the end\n"
	      "Exit status 0 only when every round was right; 130 when interrupted (143: by SIGTERM).\n",
	      f);
}

/* Waits up to `ms` milliseconds for a completion of the given kind, and skips completions of other
 * kinds. Returns 1 with a completion, 0 if none came in time. Returns -1 after an error, or if the
 * peer disconnected. */
static int await_for(struct session *s, enum done_kind kind, struct done *d, int ms)
{
	int got;
	do {
		got = session_next(s, d, ms);
	} while (got == 1 && d->kind != kind);
	return got;
}

/* Waits for a completion of the given kind. A timeout (wait_ms) is an error. */
static int await(struct session *s, enum done_kind kind, struct done *d)
{
	int got = await_for(s, kind, d, wait_ms);
	if (got == 0)
		fprintf(stderr, "nd_rping: no message from the peer for %d s\n", wait_ms / 1000);
	return got == 1 ? 1 : -1;
}

static int take_info(struct session *s, const struct done *d, struct rping_info *info)
{
	if (d->bytes != sizeof(*info)) {
		fprintf(stderr, "nd_rping: message of %u bytes, 16 expected\n", d->bytes);
		return -1;
	}
	memcpy(info, d->data, sizeof(*info));
	return session_repost(s, d->index);
}

static int await_info(struct session *s, struct rping_info *info)
{
	struct done d;
	return await(s, DONE_RECV, &d) == 1 ? take_info(s, &d, info) : -1;
}

static int send_info(struct session *s, unsigned slot, uint32_t size)
{
	struct rping_info info = {htobe64((uint64_t)(uintptr_t)session_slot(s, slot)),
				  s->remote_token, htonl(size)};
	return session_send_msg(s, &info, sizeof(info));
}

/* Makes the text that rping sends: a header, printable characters, NUL. In each round the
 * characters start one character later. */
static void make_ping(char *buf, unsigned size, unsigned round)
{
	int head = snprintf(buf, size, "rdma-ping-%u: ", round);
	unsigned c = 65 + round % (122 - 65);
	for (unsigned i = (unsigned)head; i < size - 1; i++) {
		buf[i] = (char)c;
		c = c == 122 ? 65 : c + 1;
	}
	buf[size - 1] = 0;
}

static void print_partial(const struct options *o, unsigned rounds)
{
	if (o->count)
		printf("nd_rping: %u of %u rounds of %u bytes\n", rounds, o->count, o->size);
	else
		printf("nd_rping: %u rounds of %u bytes\n", rounds, o->size);
}

static int client(struct session *s, const struct options *o)
{
	struct rping_info info;
	for (unsigned round = 0; o->count == 0 || round < o->count; round++) {
		char *source = (char *)session_slot(s, SLOT_SOURCE),
		     *sink = (char *)session_slot(s, SLOT_SINK);
		make_ping(source, o->size, round);
		memset(sink, 0, o->size);
		if (send_info(s, SLOT_SOURCE, o->size) != 0 || await_info(s, &info) != 0 ||
		    send_info(s, SLOT_SINK, o->size) != 0 || await_info(s, &info) != 0) {
			if (stop_came())
				print_partial(o, round);
			return -1;
		}
		if (o->validate && memcmp(source, sink, o->size) != 0) {
			fprintf(stderr, "nd_rping: data mismatch in round %u\n", round);
			return -1;
		}
		if (o->verbose)
			/* prints at most `size` bytes, because the server's data need not end with
			 * NUL */
			printf("ping data: %.*s\n", (int)o->size, sink);
	}
	printf("nd_rping: %u rounds of %u bytes%s\n", o->count, o->size,
	       o->validate ? ", data compared" : "");
	return 0;
}

enum round { ROUND_DONE, ROUND_FAILED, CLIENT_LEFT, CLIENT_SILENT };

/* Serves one round. Returns CLIENT_SILENT if the client does not begin a round within `ms`. */
static enum round serve_round(struct session *s, const struct options *o, int ms)
{
	struct rping_info info;
	struct done d;
	/* Between two rounds a flushed receive means that the client has disconnected. This is no
	 * error, so print no message. */
	s->quiet = true;
	int got = await_for(s, DONE_RECV, &d, ms);
	if (got != 1)
		return got == 0 ? CLIENT_SILENT : CLIENT_LEFT;
	s->quiet = false;
	if (take_info(s, &d, &info) != 0)
		return ROUND_FAILED;
	uint32_t size = ntohl(info.size);
	if (size == 0 || size > PING_MAX) {
		fprintf(stderr, "nd_rping: the client advertises %u bytes\n", size);
		return ROUND_FAILED;
	}
	if (session_read_slot(s, SLOT_SOURCE, size, be64toh(info.buf), info.rkey) != 0 ||
	    await(s, DONE_READ, &d) != 1)
		return ROUND_FAILED;
	char *data = (char *)session_slot(s, SLOT_SOURCE);
	data[size - 1] = 0;
	if (o->verbose)
		printf("server ping data: %s\n", data);
	if (send_info(s, SLOT_SOURCE, size) != 0 || await_info(s, &info) != 0)
		return ROUND_FAILED;
	if (ntohl(info.size) < size)
		size = ntohl(info.size);
	if (session_write_slot(s, SLOT_SOURCE, size, be64toh(info.buf), info.rkey, false) != 0 ||
	    await(s, DONE_WRITE, &d) != 1)
		return ROUND_FAILED;
	return send_info(s, SLOT_SOURCE, size) != 0 ? ROUND_FAILED : ROUND_DONE;
}

/* Serves rounds until the connection ends, and stores the reason in *end. Returns 0 if all rounds
 * succeeded, otherwise -1. */
static int server(struct session *s, const struct options *o, enum round *end)
{
	unsigned rounds = 0;
	for (;; rounds++) {
		bool all = o->count && rounds == o->count;
		*end = serve_round(s, o, all ? PARTING_MS : wait_ms);
		if (*end == CLIENT_SILENT)
			fprintf(stderr, "nd_rping: no %s from the peer for %d s\n",
				all ? "disconnect" : "message",
				(all ? PARTING_MS : wait_ms) / 1000);
		if (*end != ROUND_DONE)
			break;
	}
	/* The client has not left if this side's adapter has lost its port. */
	if (*end == CLIENT_LEFT && session_port_is_gone(s))
		*end = ROUND_FAILED;
	printf("nd_rping: served %u rounds\n", rounds);
	if (o->count && rounds != o->count) {
		fprintf(stderr, "nd_rping: %u rounds were expected\n", o->count);
		return -1;
	}
	return *end == ROUND_FAILED || rounds == 0 ? -1 : 0;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {{"config", 1, 0, 'X'},
					      {"stats", 0, 0, 'T'},
					      {"timeout", 1, 0, 'W'},
					      {"help", 0, 0, 'h'},
					      {0}};
	const char *addr = NULL, *local = NULL;
	bool client = false, counted = false;
	unsigned port = RPING_PORT;
	for (int c; (c = getopt_long(argc, argv, "sPca:l:p:C:S:vVh", longs, NULL)) != -1;) {
		switch (c) {
		case 's':
			o->server = true;
			break;
		case 'P':
			o->persistent = true;
			break;
		case 'c':
			client = true;
			break;
		case 'a':
			addr = optarg;
			break;
		case 'l':
			local = optarg;
			break;
		case 'p':
			port = session_number(optarg, 1, 65535);
			break;
		case 'C':
			o->count = session_number(optarg, 0, 1000000), counted = true;
			break;
		case 'S':
			o->size = session_number(optarg, PING_MIN, PING_MAX);
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'V':
			o->validate = true;
			break;
		case 'X':
			setenv("SOFTRNIC_CONFIG", optarg, 1);
			break;
		case 'T':
			o->stats = true;
			break;
		case 'W':
			wait_ms = (int)session_number(optarg, 1, 3600) * 1000;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			return -1;
		}
	}
	if (o->server == client || (o->persistent && client) || !addr || optind != argc) {
		usage(stderr);
		return -1;
	}
	if (client && !counted)
		o->count = 10;
	if (session_parse_address(addr, (uint16_t)port, o->server ? &o->local : &o->peer) != 0)
		return -1;
	return local && !o->server ? session_parse_address(local, 0, &o->local) : 0;
}

/* Serves the connected client until the connection ends. Returns 0 if all rounds succeeded. */
static int serve(struct session *s, const struct options *o)
{
	enum round end;
	int err = server(s, o, &end);
	fflush(stdout);
	/* Do not wait for a DREQ from a silent client: a client process that exits sends its DREQ
	 * only once, and that DREQ may be lost. */
	if (end == CLIENT_SILENT)
		session_disconnect(s, false);
	else
		session_wait_closed(s, err == 0);
	return err;
}

static int prepare(struct session *s)
{
	s->recv_bytes = sizeof(struct rping_info); /* as in rping, a longer message is an error */
	return session_prepare(s, PING_MAX, 2);
}

/* ---- option -P: the server has a thread for each client ---- */

struct visit {
	struct session s;
	const struct options *o;
};

static atomic_uint visits;

static void end_visit(struct visit *v)
{
	session_close(&v->s);
	free(v);
	atomic_fetch_sub(&visits, 1);
}

static void *receive_visitor(void *arg)
{
	struct visit *v = arg;
	serve(&v->s, v->o);
	end_visit(v);
	return NULL;
}

/* Prepares a session and waits for a client on the listener of `host`. Then serves the client in a
 * new thread. */
static int welcome(struct session *host, const struct options *o)
{
	struct visit *v = calloc(1, sizeof(*v));
	pthread_t thread;
	if (v == NULL)
		return -1;
	v->o = o;
	atomic_fetch_add(&visits, 1);
	int err = session_open(&v->s, (const struct sockaddr *)&o->local, sizeof(o->local));
	if (err == 0)
		err = prepare(&v->s);
	if (err == 0)
		err = session_accept_at(&v->s, host->listener);
	if (err == 0 && (err = pthread_create(&thread, NULL, receive_visitor, v)) != 0)
		fprintf(stderr, "nd_rping: no thread for another client: %s\n", strerror(err));
	if (err == 0)
		pthread_detach(thread);
	else
		end_visit(v);
	return err;
}

/* Serves any number of clients until the user stops the program. Also ends when FAILURES_MAX
 * attempts in a row have failed. */
static int serve_all(struct session *host, const struct options *o)
{
	unsigned failures = 0;
	while (!stop_came() && failures < FAILURES_MAX) {
		if (atomic_load(&visits) < VISITS_MAX && welcome(host, o) == 0) {
			failures = 0;
			continue;
		}
		failures += atomic_load(&visits) < VISITS_MAX;
		usleep(STOP_LOOK_MS * 1000);
	}
	while (atomic_load(&visits) > 0)
		usleep(STOP_LOOK_MS * 1000);
	return -1;
}

static int run_server(struct session *s, const struct options *o)
{
	uint16_t port;
	if ((!o->persistent && prepare(s) != 0) || session_listen(s, &o->local, &port) != 0)
		return -1;
	printf("nd_rping: listening on port %u\n", port);
	fflush(stdout);
	if (o->persistent)
		return serve_all(s, o);
	return session_accept(s) != 0 ? -1 : serve(s, o);
}

static int run_client(struct session *s, const struct options *o)
{
	if (prepare(s) != 0 || session_connect(s, &o->local, &o->peer) != 0)
		return -1;
	int err = client(s, o);
	session_disconnect(s, err == 0);
	return err;
}

int main(int argc, char **argv)
{
	struct options o = {.size = 64};
	struct session s;
	session_program = "nd_rping";
	version_if_asked(argc, argv);
	if (parse_options(argc, argv, &o) != 0)
		return 1;
	stop_catch();
	HRESULT hr = NdStartup();
	if (FAILED(hr)) {
		fprintf(stderr, "nd_rping: the provider does not start: %s\n", nd_text(hr));
		return 1;
	}
	int err = o.server || o.local.ss_family ? 0 : session_find_local(&o.peer, &o.local);
	if (err == 0 &&
	    (err = session_open(&s, (const struct sockaddr *)&o.local, sizeof(o.local))) == 0) {
		err = o.server ? run_server(&s, &o) : run_client(&s, &o);
		if (o.stats)
			counters_print(stdout);
		session_close(&s);
	}
	NdCleanup();
	return stop_status(err ? 1 : 0);
}
