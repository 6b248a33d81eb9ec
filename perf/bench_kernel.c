/* Measures the kernel's TCP and UDP over the loopback interface, for comparison with the adapter:
 * the round trip of a message (--rtt), or the bandwidth of a stream of messages (TCP). The two
 * ends are two processes on two CPUs, and wait in recv() as programs usually do. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "options.h"
#include "sample.h"

struct options {
	bool udp, rtt;
	size_t size;
	double secs;
};

static void give_up(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_on(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set); /* without effect where there is one CPU */
}

/* ---- two connected sockets ---- */

static int bound(const struct options *o, struct sockaddr_in *at)
{
	int fd = socket(AF_INET, o->udp ? SOCK_DGRAM : SOCK_STREAM, 0);
	socklen_t len = sizeof(*at);

	*at = (struct sockaddr_in){.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (struct sockaddr *)at, len) != 0 ||
	    getsockname(fd, (struct sockaddr *)at, &len) != 0)
		give_up("bind");
	return fd;
}

static void open_ends(const struct options *o, int ends[2])
{
	struct sockaddr_in at[2];
	int one = 1;

	ends[0] = bound(o, &at[0]);
	ends[1] = bound(o, &at[1]);
	if (!o->udp && listen(ends[1], 1) != 0)
		give_up("listen");
	if (connect(ends[0], (struct sockaddr *)&at[1], sizeof(at[1])) != 0)
		give_up("connect");
	if (o->udp) {
		if (connect(ends[1], (struct sockaddr *)&at[0], sizeof(at[0])) != 0)
			give_up("connect");
		return;
	}
	int listener = ends[1];
	ends[1] = accept(listener, NULL, NULL);
	if (ends[1] < 0)
		give_up("accept");
	close(listener);
	for (int i = 0; i < 2; i++)
		setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

/* Returns false when the other end has closed the connection. */
static bool take(int fd, uint8_t *p, size_t n)
{
	while (n > 0) {
		ssize_t got = recv(fd, p, n, 0);
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
	}
	return true;
}

static void put(int fd, const uint8_t *p, size_t n)
{
	while (n > 0) {
		ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
		if (done <= 0)
			give_up("send");
		p += done;
		n -= (size_t)done;
	}
}

/* ---- the two ends ---- */

/* Takes messages until the connection is closed. Answers each with --rtt, else the last one only,
 * which has a 1 in its first byte. */
static void serve(const struct options *o, int fd, uint8_t *p)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run_on(1);
	while (take(fd, p, o->size)) {
		if (o->rtt || p[0] == 1)
			put(fd, p, o->rtt ? o->size : 1);
	}
}

static void measure_rtt(const struct options *o, int fd, uint8_t *p, struct rn_sample *ns)
{
	double t0 = now_ns(), t;

	while ((t = now_ns()) - t0 < o->secs * 1e9) {
		put(fd, p, o->size);
		if (!take(fd, p, o->size))
			give_up("recv");
		rn_sample_add(ns, now_ns() - t);
	}
}

static double measure_gbit(const struct options *o, int fd, uint8_t *p)
{
	double t0 = now_ns(), messages = 0;
	bool last;

	do {
		last = now_ns() - t0 >= o->secs * 1e9;
		p[0] = last;
		put(fd, p, o->size);
		messages++;
	} while (!last);
	if (!take(fd, p, 1)) /* the other end has taken all messages */
		give_up("recv");
	return messages * (double)o->size * 8 / (now_ns() - t0);
}

static void take_options(struct options *o, int argc, char **argv)
{
	const struct rn_option options[] = {
		{"udp", NULL, "instead of TCP; with --rtt only", rn_option_true, &o->udp},
		{"rtt", NULL, "ping-pong instead of a stream", rn_option_true, &o->rtt},
		{"size", "BYTES", "of a message [64]", rn_option_bytes, &o->size},
		{"secs", "S", "how long [1]", rn_option_real, &o->secs},
		{0},
	};

	rn_options_take("bench_kernel: TCP and UDP of the kernel over lo", options, argc, argv);
}

int main(int argc, char **argv)
{
	struct options o = {.size = 64, .secs = 1};
	struct rn_sample ns = {0};
	double gbit = 0;
	int ends[2];
	uint8_t *p;
	pid_t child;

	take_options(&o, argc, argv);
	if (o.size == 0 || o.size > 1u << 30 || o.secs <= 0 || o.secs > 600 ||
	    (o.udp && (!o.rtt || o.size > 32768))) {
		fprintf(stderr, "bench_kernel: a value is out of range, or --udp without --rtt\n");
		return 2;
	}
	p = calloc(1, o.size);
	if (p == NULL)
		return EXIT_FAILURE;
	alarm((unsigned)o.secs + 30);
	open_ends(&o, ends);
	child = fork();
	if (child < 0)
		give_up("fork");
	if (child == 0) {
		close(ends[0]);
		serve(&o, ends[1], p);
		_exit(EXIT_SUCCESS);
	}
	close(ends[1]);
	run_on(0);
	if (o.rtt)
		measure_rtt(&o, ends[0], p, &ns);
	else
		gbit = measure_gbit(&o, ends[0], p);
	close(ends[0]);
	if (o.udp)
		kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("{\"bench\": \"kernel\", \"protocol\": \"%s\", \"size\": %zu, ",
	       o.udp ? "udp" : "tcp", o.size);
	if (o.rtt)
		printf("\"rtt_ns_p50\": %.0f, \"rtt_ns_p99\": %.0f, \"rtt_ns_p999\": %.0f}\n",
		       rn_sample_at(&ns, 0.5), rn_sample_at(&ns, 0.99), rn_sample_at(&ns, 0.999));
	else
		printf("\"gbit\": %.2f}\n", gbit);
	rn_sample_free(&ns);
	free(p);
	return EXIT_SUCCESS;
}
