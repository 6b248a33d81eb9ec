/* Measures how fast frames can pass through a DPDK port at best. The bare frame pump sends frames
 * without a protocol, with one copy and one CRC on each side. All ratios in docs/benchmarks.md
 * divide by the figures of the pump. Runs both ends: on two lcores, in two processes (memif) or on
 * one lcore (--solo). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include "options.h"
#include "pump.h"
#include "pump_frame.h"

static void take_options(struct rn_pump_options *o, int argc, char **argv)
{
	const struct rn_option options[] = {
		{"port", "ring|memif", "net_ring in one process, or memif between two [ring]",
		 rn_option_second, &o->memif},
		{"solo", NULL, "one lcore drives both ends, in one process", rn_option_true,
		 &o->solo},
		{"op", "send|write", "frames as long as those of SEND or WRITE [send]",
		 rn_option_second, &o->write},
		{"size", "BYTES", "of a message [64]", rn_option_number, &o->size},
		{"mtu", "BYTES", "payload of a frame at most [1024]", rn_option_number, &o->mtu},
		{"bare", NULL, "headers only: neither copy nor CRC", rn_option_true, &o->bare},
		{"rtt", NULL, "ping-pong of whole messages instead of a stream", rn_option_true,
		 &o->rtt},
		{"reverse", NULL, "memif: the sender is the server, like the responder of a READ",
		 rn_option_true, &o->reverse},
		{"secs", "S", "how long [3]", rn_option_real, &o->secs},
		{"burst", "N", "frames per burst, at most 256 [32]", rn_option_number, &o->burst},
		{"mbufs", "N", "in each end's pool [4096]", rn_option_number, &o->mbufs},
		{"pool", "ring|stack", "container of the free mbufs of a pool [ring]",
		 rn_option_second, &o->stack},
		{"mbuf-size", "BYTES", "room of one mbuf [9216]", rn_option_number, &o->mbuf_size},
		{"ring", "N", "slots of a net_ring [1024]", rn_option_number, &o->ring},
		{"rsize", "LOG2", "slots of a memif ring, as a power of two [8]", rn_option_number,
		 &o->rsize},
		{"bsize", "BYTES", "of a memif buffer; not below the frame [9216]",
		 rn_option_number, &o->bsize},
		{"buffer", "BYTES", "message memory of each end, used in turn [1048576]",
		 rn_option_bytes, &o->buffer},
		{"cpus", "A,B", "of the two ends [0,1]", rn_option_pair, &o->cpu},
		{"no-huge", NULL, "ordinary pages; also when no huge page is free", rn_option_true,
		 &o->no_huge},
		{"json", NULL, "one JSON object", rn_option_true, &o->json},
		{0},
	};

	rn_options_take("bench_pump: frames over a DPDK port with one copy and one CRC a side",
			options, argc, argv);
}

static const char *options_wrong(struct rn_pump_options *o)
{
	size_t stride = ((size_t)o->size + 63) & ~(size_t)63;

	if (o->buffer < stride + 64)
		o->buffer = stride + 64;
	if (o->mtu == 0 || o->mtu > 9000 || o->size > 1u << 30)
		return "--mtu or --size out of range";
	if (o->burst == 0 || o->burst > 256 || o->mbufs < 2 * o->burst + 512)
		return "--burst is 1..256, --mbufs at least 512 more than two bursts";
	if (o->mbuf_size < o->mtu + PUMP_BASE + PUMP_RETH + 8 || o->mbuf_size > 16384)
		return "--mbuf-size holds no frame";
	if (o->memif && o->bsize < o->mtu + PUMP_BASE + PUMP_RETH + 8)
		return "--bsize below the frame: memif would corrupt it";
	if (o->solo && o->rtt)
		return "--solo has no round trip";
	if (o->secs <= 0 || o->secs > 600)
		return "--secs is above 0 and at most 600";
	return NULL;
}

static bool huge_pages_are_free(void)
{
	char line[128];
	unsigned pages = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "HugePages_Free: %u", &pages) == 1)
			break;
	}
	if (f != NULL)
		fclose(f);
	return pages >= 128;
}

static const char *name_of_port(const struct rn_pump_options *o)
{
	return o->memif ? o->solo ? "memif solo" : "memif" : o->solo ? "ring solo" : "ring";
}

static const char *name_of_regime(const struct rn_pump_options *o, int regime)
{
	return o->solo ? "one" : rn_regime_names[regime];
}

static void print_json(const struct rn_pump_options *o, struct rn_pump_result *r, unsigned frame)
{
	const char *sep = "";

	printf("{\"bench\": \"pump\", \"port\": \"%s\", \"op\": \"%s\", \"size\": %u, \"mtu\": %u, "
	       "\"frame\": %u, \"bare\": %s, \"burst\": %u, \"mbufs\": %u, \"pool\": \"%s\", "
	       "\"huge\": %s, \"epochs\": %lu, \"bad\": %lu, \"lost\": %ld, \"probe_ns\": %.0f, \"regimes\": {",
	       name_of_port(o), o->write ? "write" : "send", o->size, o->mtu, frame,
	       o->bare ? "true" : "false", o->burst, o->mbufs, o->stack ? "stack" : "ring",
	       o->no_huge ? "false" : "true", r->epochs, r->bad, r->lost,
	       rn_sample_at(&r->probes, 0.5));
	for (int g = 0; g < RN_REGIME_COUNT; g++) {
		double mmsg = rn_sample_at(&r->mmsg[g], 0.5);

		if (o->rtt && r->rtt_p50[g].n > 0)
			printf("%s\"%s\": {\"epochs\": %zu, \"rtt_ns_min\": %.0f, "
			       "\"rtt_ns_p50\": %.0f, \"rtt_ns_p99\": %.0f}",
			       sep, name_of_regime(o, g), r->rtt_p50[g].n,
			       rn_sample_at(&r->rtt_p50[g], 0), rn_sample_at(&r->rtt_p50[g], 0.5),
			       rn_sample_at(&r->rtt_p99[g], 0.5));
		else if (r->mpps[g].n > 0)
			printf("%s\"%s\": {\"epochs\": %zu, \"mpps_p10\": %.3f, \"mpps\": %.3f, "
			       "\"mpps_max\": %.3f, \"mmsg\": %.4f, \"gbit\": %.2f}",
			       sep, name_of_regime(o, g), r->mpps[g].n,
			       rn_sample_at(&r->mpps[g], 0.1), rn_sample_at(&r->mpps[g], 0.5),
			       rn_sample_at(&r->mpps[g], 1), mmsg, mmsg * o->size * 8e-3);
		else
			continue;
		sep = ", ";
	}
	printf("}}\n");
}

static void print_table(const struct rn_pump_options *o, struct rn_pump_result *r, unsigned frame)
{
	printf("%s, %s of %u bytes, mtu %u, frame %u, %s, %s pages; probe %.0f ns; bad %lu, lost "
	       "%ld\n",
	       name_of_port(o), o->write ? "write" : "send", o->size, o->mtu, frame,
	       o->bare ? "bare" : "copy+CRC", o->no_huge ? "small" : "huge",
	       rn_sample_at(&r->probes, 0.5), r->bad, r->lost);
	if (o->rtt)
		printf("%-6s %7s %12s %12s %12s\n", "regime", "epochs", "RTT min ns", "RTT p50 ns",
		       "RTT p99 ns");
	else
		printf("%-6s %7s %9s %9s %9s %9s %9s\n", "regime", "epochs", "p10 Mpps", "med Mpps",
		       "max Mpps", "med Mmsg", "Gbit/s");
	for (int g = 0; g < RN_REGIME_COUNT; g++) {
		double mmsg = rn_sample_at(&r->mmsg[g], 0.5);

		if (o->rtt && r->rtt_p50[g].n > 0)
			printf("%-6s %7zu %12.0f %12.0f %12.0f\n", name_of_regime(o, g),
			       r->rtt_p50[g].n, rn_sample_at(&r->rtt_p50[g], 0),
			       rn_sample_at(&r->rtt_p50[g], 0.5),
			       rn_sample_at(&r->rtt_p99[g], 0.5));
		else if (r->mpps[g].n > 0)
			printf("%-6s %7zu %9.2f %9.2f %9.2f %9.3f %9.2f\n", name_of_regime(o, g),
			       r->mpps[g].n, rn_sample_at(&r->mpps[g], 0.1),
			       rn_sample_at(&r->mpps[g], 0.5), rn_sample_at(&r->mpps[g], 1), mmsg,
			       mmsg * o->size * 8e-3);
	}
}

struct serve_arg {
	const struct rn_pump_options *o;
	struct rn_pump_end *b;
	struct rn_pump_shared *sh;
};

static int serve_on_lcore(void *arg)
{
	struct serve_arg *s = arg;

	rn_pump_serve(s->o, s->b, s->sh);
	return 0;
}

static bool run_in_one_process(const struct rn_pump_options *o, struct rn_pump_shared *sh,
			       const char *socket, struct rn_pump_result *r)
{
	struct rn_pump_end a = {0}, b = {0};
	struct serve_arg arg = {o, &b, sh};
	char cpus[32];
	bool ok = true;

	snprintf(cpus, sizeof(cpus), o->solo ? "%u" : "%u,%u", o->cpu[0], o->cpu[1]);
	rn_pump_eal(o, cpus, "");
	if (o->memif) {
		rn_pump_open_memif(o, &b, !o->reverse, socket);
		rn_pump_open_memif(o, &a, o->reverse, socket);
	} else {
		rn_pump_open_rings(o, &a, &b);
	}
	if (!rn_pump_wait_link(a.port, 3000) || !rn_pump_wait_link(b.port, 3000))
		return false;
	if (o->solo) {
		rn_pump_solo(o, &a, &b, r);
		return true;
	}
	rte_eal_remote_launch(serve_on_lcore, &arg, rte_get_next_lcore((unsigned)-1, 1, 0));
	ok = rn_pump_drive(o, &a, sh, r);
	rte_eal_mp_wait_lcore();
	return ok;
}

/* Opens the memif port of one of two processes. A client port starts only when its server listens.
 */
static bool open_in_turn(const struct rn_pump_options *o, struct rn_pump_shared *sh,
			 struct rn_pump_end *e, bool server, const char *socket)
{
	for (int i = 0; !server && !sh->server_ready; i++) {
		if (i == 10000)
			return false;
		usleep(1000);
	}
	rn_pump_open_memif(o, e, server, socket);
	if (server)
		sh->server_ready = 1;
	return rn_pump_wait_link(e->port, 10000);
}

static int run_end_b(const struct rn_pump_options *o, struct rn_pump_shared *sh, const char *socket)
{
	struct rn_pump_end b = {0};
	char cpus[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(cpus, sizeof(cpus), "%u", o->cpu[1]);
	rn_pump_eal(o, cpus, "b");
	if (!open_in_turn(o, sh, &b, !o->reverse, socket))
		return EXIT_FAILURE;
	rn_pump_serve(o, &b, sh);
	return EXIT_SUCCESS;
}

static bool run_in_two_processes(const struct rn_pump_options *o, struct rn_pump_shared *sh,
				 const char *socket, struct rn_pump_result *r)
{
	struct rn_pump_end a = {0};
	char cpus[16];
	pid_t child = fork();
	bool ok;

	if (child == 0)
		_exit(run_end_b(o, sh, socket));
	snprintf(cpus, sizeof(cpus), "%u", o->cpu[0]);
	rn_pump_eal(o, cpus, "a");
	ok = open_in_turn(o, sh, &a, o->reverse, socket) && rn_pump_drive(o, &a, sh, r);
	if (!ok)
		kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return ok;
}

static unsigned frame_bytes(const struct rn_pump_options *o)
{
	unsigned payload = o->size < o->mtu ? o->size : o->mtu;

	return PUMP_BASE + (o->write ? PUMP_RETH : 0) + payload + (-payload & 3) + PUMP_ICRC;
}

int main(int argc, char **argv)
{
	struct rn_pump_options o = {.size = 64,
				    .mtu = 1024,
				    .burst = 32,
				    .mbufs = 4096,
				    .mbuf_size = 9216,
				    .ring = 1024,
				    .rsize = 8,
				    .bsize = 9216,
				    .buffer = 1 << 20,
				    .secs = 3,
				    .cpu = {0, 1}};
	char dir[] = "/tmp/bench_pump.XXXXXX", socket[64];
	struct rn_pump_shared *sh;
	static struct rn_pump_result r;
	const char *wrong;
	bool ok;

	take_options(&o, argc, argv);
	wrong = options_wrong(&o);
	if (wrong != NULL) {
		fprintf(stderr, "bench_pump: %s\n", wrong);
		return 2;
	}
	o.no_huge = o.no_huge || !huge_pages_are_free();
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED || mkdtemp(dir) == NULL)
		return EXIT_FAILURE;
	snprintf(socket, sizeof(socket), "%s/s", dir);
	alarm((unsigned)o.secs + 60);
	ok = o.solo || !o.memif ? run_in_one_process(&o, sh, socket, &r)
				: run_in_two_processes(&o, sh, socket, &r);
	unlink(socket);
	rmdir(dir);
	if (!ok) {
		fprintf(stderr, "bench_pump: the other end does not respond\n");
		return EXIT_FAILURE;
	}
	(o.json ? print_json : print_table)(&o, &r, frame_bytes(&o));
	return r.bad == 0 && r.lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
