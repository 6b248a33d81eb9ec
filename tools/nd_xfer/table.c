/* Measures and prints the table of bandwidth and latency by message size. Bandwidth is measured
 * with up to WINDOW RDMA Writes in flight, latency with a ping-pong of Sends. Each figure is the
 * median of several short rounds, because the machine may be shared. */
#include "xfer.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/surroundings.h"

#define ROUNDS	     5
#define ROUND_SECS   0.12
#define WINDOW	     32
#define SIGNAL_EVERY 8
#define PINGS_MAX    2000

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static int finish_writes(struct session *s, const struct xfer_options *o, ULONG upto)
{
	struct done d;
	while (s->in_flight > upto)
		if (session_next(s, &d, o->timeout_ms) != 1)
			return -1;
	return 0;
}

static int write_round(struct session *s, const struct xfer_options *o, uint32_t n, uint64_t addr,
		       uint32_t token, double *bytes_per_s)
{
	uint64_t count = 0;
	double start = seconds_now(), now;
	do {
		for (unsigned i = 0; i < SIGNAL_EVERY; i++, count++)
			if (session_write_slot(s, 0, n, addr, token, i + 1 < SIGNAL_EVERY) != 0)
				return -1;
		if (finish_writes(s, o, WINDOW / SIGNAL_EVERY - 1) != 0)
			return -1;
		now = seconds_now();
	} while (now - start < ROUND_SECS);
	if (finish_writes(s, o, 0) != 0)
		return -1;
	*bytes_per_s = (double)count * n / (seconds_now() - start);
	return 0;
}

static int ping_round(struct session *s, const struct xfer_options *o, uint32_t n,
		      double *round_trip)
{
	unsigned count = 0;
	double start = seconds_now(), now;
	do {
		struct done d = {DONE_SEND, 0, 0, NULL};
		if (session_send_slot(s, 0, n) != 0)
			return -1;
		while (d.kind != DONE_RECV)
			if (session_next(s, &d, o->timeout_ms) != 1)
				return -1;
		if (session_repost(s, d.index) != 0)
			return -1;
		now = seconds_now();
	} while (++count < PINGS_MAX && now - start < ROUND_SECS);
	*round_trip = (now - start) / count;
	return finish_writes(s, o, 0);
}

int table_run(struct session *s, const struct xfer_options *o, uint64_t addr, uint32_t token)
{
	static const uint32_t sizes[] = {64, 512, 4096, 65536, 1 << 20};
	uint64_t before = retransmissions();
	surroundings_print_at((const struct sockaddr *)&o->local, sizeof(o->local), stdout);
	printf("%10s %14s %14s %16s\n", "bytes", "write MB/s", "write Gbit/s", "round trip us");
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double bw[ROUNDS], rtt[ROUNDS];
		uint32_t n = sizes[i] < s->chunk ? sizes[i] : s->chunk;
		for (unsigned r = 0; r < ROUNDS; r++)
			if (write_round(s, o, n, addr, token, &bw[r]) != 0 ||
			    ping_round(s, o, n, &rtt[r]) != 0)
				return -1;
		qsort(bw, ROUNDS, sizeof(bw[0]), ascending);
		qsort(rtt, ROUNDS, sizeof(rtt[0]), ascending);
		printf("%10u %14.1f %14.2f %16.2f\n", n, bw[ROUNDS / 2] / 1e6,
		       bw[ROUNDS / 2] * 8 / 1e9, rtt[ROUNDS / 2] * 1e6);
		fflush(stdout);
	}
	printf("medians of %d rounds; writes: window %d, one in %d signalled; %llu packets retransmitted\n",
	       ROUNDS, WINDOW, SIGNAL_EVERY, (unsigned long long)(retransmissions() - before));
	return 0;
}
