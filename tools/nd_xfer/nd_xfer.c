/* nd_xfer: moves a file from one process to another over softrnic, driven only through the NetworkDirect interfaces.
 * Options, addresses, progress and the exit status; the two roles are in client.c and server.c. */
#include "xfer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/counters.h"
#include "common/stop.h"
#include "common/version.h"

#define DEFAULT_PORT  18515
#define DEFAULT_CHUNK (1u << 20)
#define DEFAULT_SLOTS 16u

const char *const via_names[] = {"send", "write", "read"};

static void usage(FILE *f)
{
	fputs("usage: nd_xfer -s ADDR [-o FILE] [-n COUNT]          receive\n"
	      "       nd_xfer -c ADDR [--via send|write|read] FILE  send FILE\n"
	      "       nd_xfer -c ADDR --table                       bandwidth and latency by size\n"
	      "\n"
	      "  -s, --server ADDR   listen on this address of an adapter\n"
	      "  -c, --client ADDR   connect to this address\n"
	      "  -l, --local ADDR    own address (default: the one from which ADDR is reached)\n"
	      "  -p, --port N        port of the server (default 18515)\n"
	      "  -o, --output FILE   server: write what comes to FILE (default: only hash it)\n"
	      "  -n, --count N       server: connections to serve, 0 = for ever (default 1)\n"
	      "      --via WHAT      send, write or read (default send)\n"
	      "      --table         a table instead of a file\n"
	      "      --config FILE   configuration (default $SOFTRNIC_CONFIG, else built in)\n"
	      "      --timeout S     give up after S seconds without a word (default 30)\n"
	      "      --stats         print all counters that are not zero at the end\n"
	      "  -q, --quiet         no progress line\n"
	      "Exit status 0 only when every byte arrived and both hashes are equal; 130 when interrupted (143: by SIGTERM).\n", f);
}

double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(struct progress *p, uint64_t size, bool on)
{
	*p = (struct progress){size, seconds_now(), 0, on};
}

void progress_show(struct progress *p, uint64_t at, bool last)
{
	double now = p->on ? seconds_now() : 0;
	if (!p->on || (!last && now - p->shown < 0.2))
		return;
	p->shown = now;
	double secs = now - p->start;
	fprintf(stderr, "\r%3.0f %%  %.1f of %.1f MB  %.1f MB/s ", p->size ? 100.0 * (double)at / (double)p->size : 100.0,
		(double)at / 1e6, (double)p->size / 1e6, secs > 0 ? (double)at / 1e6 / secs : 0);
	if (last)
		fputc('\n', stderr);
	fflush(stderr);
}

void sha_text(const uint8_t sha[XFER_SHA], char text[2 * XFER_SHA + 1])
{
	for (unsigned i = 0; i < XFER_SHA; i++)
		snprintf(text + 2 * i, 3, "%02x", sha[i]);
}

int send_msg(struct session *s, struct xfer_msg *msg)
{
	msg->magic = XFER_MAGIC;
	msg->version = XFER_VERSION;
	return session_send_msg(s, msg, sizeof(*msg));
}

const struct xfer_msg *as_msg(const struct done *d)
{
	const struct xfer_msg *m = (const struct xfer_msg *)d->data;
	if (d->bytes == sizeof(*m) && m->magic == XFER_MAGIC && m->version == XFER_VERSION)
		return m;
	fprintf(stderr, "nd_xfer: the peer does not speak this tool's protocol\n");
	return NULL;
}

int next_msg(struct session *s, const struct xfer_options *o, struct xfer_msg *msg)
{
	struct done d;
	do {
		int got = session_next(s, &d, o->timeout_ms);
		if (got == 0)
			fprintf(stderr, "nd_xfer: no word from the peer for %d s\n", o->timeout_ms / 1000);
		if (got <= 0)
			return -1;
	} while (d.kind != DONE_RECV);
	const struct xfer_msg *m = as_msg(&d);
	if (m == NULL)
		return -1;
	*msg = *m;
	return session_repost(s, d.index);
}

static void add_retransmitted(void *arg, const char *name, uint64_t value)
{
	if (strcmp(name, "tx_retransmitted") == 0)
		*(uint64_t *)arg += value;
}

uint64_t retransmissions(void)
{
	uint64_t sum = 0;
	counters_each(add_retransmitted, &sum);
	return sum;
}

struct words {
	const char *server, *client, *local;
	unsigned port;
};

static void parse_options(int argc, char **argv, struct xfer_options *o, struct words *w)
{
	static const struct option options[] = {
		{"server", 1, 0, 's'}, {"client", 1, 0, 'c'}, {"local", 1, 0, 'l'},  {"port", 1, 0, 'p'},
		{"output", 1, 0, 'o'}, {"count", 1, 0, 'n'},  {"via", 1, 0, 'v'},    {"table", 0, 0, 't'},
		{"config", 1, 0, 'C'}, {"timeout", 1, 0, 'T'}, {"stats", 0, 0, 'S'},  {"quiet", 0, 0, 'q'}, {"help", 0, 0, 'h'}, {0}};
	for (int c; (c = getopt_long(argc, argv, "s:c:l:p:o:n:qh", options, NULL)) != -1;) {
		switch (c) {
		case 's': w->server = optarg; break;
		case 'c': w->client = optarg; break;
		case 'l': w->local = optarg; break;
		case 'p': w->port = session_number(optarg, 1, 65535); break;
		case 'o': o->file = optarg; break;
		case 'n': o->count = session_number(optarg, 0, 1000000); break;
		case 'C': setenv("SOFTRNIC_CONFIG", optarg, 1); break;
		case 'T': o->timeout_ms = (int)session_number(optarg, 1, 3600) * 1000; break;
		case 't': o->table = true; break;
		case 'S': o->stats = true; break;
		case 'q': o->progress = false; break;
		case 'h': usage(stdout); exit(0);
		case 'v':
			for (o->via = VIA_SEND; o->via <= VIA_READ && strcmp(optarg, via_names[o->via]); o->via++)
				;
			if (o->via <= VIA_READ)
				break;
			fprintf(stderr, "nd_xfer: --via '%s': send, write or read is wanted\n", optarg);
			exit(1);
		default: usage(stderr); exit(1);
		}
	}
	if (w->client && !o->table && optind < argc)
		o->file = argv[optind++];
	if (!w->server == !w->client || optind != argc || (w->client && !o->table && !o->file)) {
		usage(stderr);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct xfer_options o = {.progress = isatty(2), .chunk = DEFAULT_CHUNK, .slots = DEFAULT_SLOTS, .count = 1,
				 .timeout_ms = 30000};
	struct words w = {.port = DEFAULT_PORT};
	struct session s;
	session_program = "nd_xfer";
	version_if_asked(argc, argv);
	parse_options(argc, argv, &o, &w);
	uint16_t port = (uint16_t)w.port;
	if ((w.server && session_parse_address(w.server, port, &o.local)) || (w.client && session_parse_address(w.client, port, &o.peer)) ||
	    (w.local && w.client && session_parse_address(w.local, 0, &o.local)))
		return 1;
	stop_catch();
	HRESULT hr = NdStartup();
	if (FAILED(hr)) {
		fprintf(stderr, "nd_xfer: the provider does not start: %s\n", nd_text(hr));
		return 1;
	}
	int err = w.client && !w.local ? session_find_local(&o.peer, &o.local) : 0;
	if (err == 0 && (err = session_open(&s, (const struct sockaddr *)&o.local, sizeof(o.local))) == 0) {
		err = w.server ? server_run(&s, &o) : client_run(&s, &o);
		if (o.stats)
			counters_print(stdout);
		session_close(&s);
	}
	NdCleanup();
	return stop_status(err ? 1 : 0);
}
