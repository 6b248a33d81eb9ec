/* nd_xfer: moves a file from one process to another over softrnic, using only the NetworkDirect
 * interfaces. This file has options, addresses and the exit status. The client is in client.c, the
 * server in server.c. */
#include "xfer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/counters.h"
#include "common/stop.h"
#include "common/version.h"

#define DEFAULT_PORT  18515
#define DEFAULT_CHUNK (1u << 20)
#define DEFAULT_SLOTS 16u

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
	      "  -o, --output FILE   server: write the received data to FILE (default: only hash it)\n"
	      "  -n, --count N       server: connections to serve, 0 = for ever (default 1)\n"
	      "      --via WHAT      send, write or read (default send)\n"
	      "      --table         a table instead of a file\n"
	      "      --config FILE   configuration (default $SOFTRNIC_CONFIG, else built in)\n"
	      "      --timeout S     give up after S seconds without a message (default 30)\n"
	      "      --stats         print all counters that are not zero at the end\n"
	      "  -q, --quiet         no progress line\n"
	      "Exit status 0 only when every byte arrived and both hashes are equal; 130 when interrupted (143: by SIGTERM).\n",
	      f);
}

struct words {
	const char *server, *client, *local;
	unsigned port;
};

static void parse_options(int argc, char **argv, struct xfer_options *o, struct words *w)
{
	static const struct option options[] = {{"server", 1, 0, 's'}, {"client", 1, 0, 'c'},
						{"local", 1, 0, 'l'},  {"port", 1, 0, 'p'},
						{"output", 1, 0, 'o'}, {"count", 1, 0, 'n'},
						{"via", 1, 0, 'v'},    {"table", 0, 0, 't'},
						{"config", 1, 0, 'C'}, {"timeout", 1, 0, 'T'},
						{"stats", 0, 0, 'S'},  {"quiet", 0, 0, 'q'},
						{"help", 0, 0, 'h'},   {0}};
	for (int c; (c = getopt_long(argc, argv, "s:c:l:p:o:n:qh", options, NULL)) != -1;) {
		switch (c) {
		case 's':
			w->server = optarg;
			break;
		case 'c':
			w->client = optarg;
			break;
		case 'l':
			w->local = optarg;
			break;
		case 'p':
			w->port = session_number(optarg, 1, 65535);
			break;
		case 'o':
			o->file = optarg;
			break;
		case 'n':
			o->count = session_number(optarg, 0, 1000000);
			break;
		case 'C':
			setenv("SOFTRNIC_CONFIG", optarg, 1);
			break;
		case 'T':
			o->timeout_ms = (int)session_number(optarg, 1, 3600) * 1000;
			break;
		case 't':
			o->table = true;
			break;
		case 'S':
			o->stats = true;
			break;
		case 'q':
			o->progress = false;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		case 'v':
			for (o->via = VIA_SEND;
			     o->via <= VIA_READ && strcmp(optarg, via_names[o->via]); o->via++)
				;
			if (o->via <= VIA_READ)
				break;
			fprintf(stderr, "nd_xfer: --via '%s': send, write or read is wanted\n",
				optarg);
			exit(1);
		default:
			usage(stderr);
			exit(1);
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
	struct xfer_options o = {.progress = isatty(2),
				 .chunk = DEFAULT_CHUNK,
				 .slots = DEFAULT_SLOTS,
				 .count = 1,
				 .timeout_ms = 30000};
	struct words w = {.port = DEFAULT_PORT};
	struct session s;
	session_program = "nd_xfer";
	version_if_asked(argc, argv);
	parse_options(argc, argv, &o, &w);
	uint16_t port = (uint16_t)w.port;
	if ((w.server && session_parse_address(w.server, port, &o.local)) ||
	    (w.client && session_parse_address(w.client, port, &o.peer)) ||
	    (w.local && w.client && session_parse_address(w.local, 0, &o.local)))
		return 1;
	stop_catch();
	HRESULT hr = NdStartup();
	if (FAILED(hr)) {
		fprintf(stderr, "nd_xfer: the provider does not start: %s\n", nd_text(hr));
		return 1;
	}
	int err = w.client && !w.local ? session_find_local(&o.peer, &o.local) : 0;
	if (err == 0 &&
	    (err = session_open(&s, (const struct sockaddr *)&o.local, sizeof(o.local))) == 0) {
		err = w.server ? server_run(&s, &o) : client_run(&s, &o);
		if (o.stats)
			counters_print(stdout);
		session_close(&s);
	}
	NdCleanup();
	return stop_status(err ? 1 : 0);
}
