/* Measures how many messages per second an adapter carries over a DPDK port. With --rtt measures
 * the round trip time of a message. docs/benchmarks.md divides these figures by the figures of
 * bench_pump. Runs both ends: in two threads, in two processes (memif) or in one thread
 * (--solo). */
#include "bench_link.h"
#include "ops.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void take_options(struct link_options *o, int argc, char **argv)
{
	const struct rn_option options[] = {
		{"port", "ring|memif", "net_ring in one process, or memif between two [ring]",
		 rn_option_second, &o->memif},
		{"solo", NULL, "one thread drives both ends, over net_ring", rn_option_true,
		 &o->solo},
		{"messages", "N", "with --solo: send N messages, or make N round trips, and exit",
		 rn_option_number, &o->messages},
		{"idle", "N", "with --solo: poll N times without work, and exit", rn_option_number,
		 &o->idle},
		{"posts", "N", "with --solo: post and reap N batches of --batch requests",
		 rn_option_number, &o->posts},
		{"warm", "N", "with --messages: as many messages before them", rn_option_number,
		 &o->warm},
		{"batch", "N", "requests of a batch of --posts, at most 64 [16]", rn_option_number,
		 &o->batch},
		{"virtual-time", NULL,
		 "with --solo: the adapters' clocks advance per poll, so that counts repeat",
		 rn_option_true, &o->virtual_time},
		{"op", "send|write|read", "the requests that end a posts [send]", rn_option_op,
		 &o->kind},
		{"size", "BYTES", "of a message [64]", rn_option_number, &o->size},
		{"mtu", "BYTES", "path MTU: 256, 512, 1024, 2048 or 4096 [1024]", rn_option_number,
		 &o->mtu},
		{"rtt", NULL, "ping-pong of SENDs instead of a stream", rn_option_true, &o->rtt},
		{"window", "N", "messages outstanding [128; of 64 KiB and more 8]",
		 rn_option_number, &o->window},
		{"signal", "N", "every Nth message is signaled [1]", rn_option_number, &o->signal},
		{"post-list", "N",
		 "requests, and receives, are posted in lists of N, at most 64; 1: one by one [1]",
		 rn_option_number, &o->list},
		{"loss", "PERCENT", "of the frames that each end drops on sending [0]",
		 rn_option_real, &o->loss},
		{"turns", NULL, "every other epoch is without loss, for comparison", rn_option_true,
		 &o->turns},
		{"drop", NULL,
		 "with --port=memif: end b drops packets that arrive ahead of a lost one",
		 rn_option_true, &o->drop},
		{"secs", "S", "how long [3]", rn_option_real, &o->secs},
		{"burst", "N", "frames per burst, at most 256 [32]", rn_option_number, &o->burst},
		{"mbufs", "N", "packet buffers of each end [4096]", rn_option_number, &o->mbufs},
		{"ring", "N", "slots of a port's ring; memif has at most 256 [1024]",
		 rn_option_number, &o->ring},
		{"buffer", "BYTES", "message memory of each end, used in turn [1048576]",
		 rn_option_bytes, &o->buffer},
		{"poll", NULL,
		 "idle policy poll: shards in threads of their own; else inline, driven by the ends",
		 rn_option_true, &o->poll},
		{"cpus", "A,B", "of the two ends [0,1]", rn_option_pair, &o->cpu},
		{"huge", NULL, "huge pages", rn_option_true, &o->huge},
		{"stats", NULL, "counters of end a that are not zero, on standard error",
		 rn_option_true, &o->stats},
		{"json", NULL, "one JSON object", rn_option_true, &o->json},
		{0},
	};

	rn_options_take("bench_link: messages over a DPDK port through the client API", options,
			argc, argv);
}

static const char *options_wrong(struct link_options *o)
{
	if (o->mtu < 256 || o->mtu > 4096 || (o->mtu & (o->mtu - 1)) != 0)
		return "--mtu is 256, 512, 1024, 2048 or 4096";
	if (o->size == 0 || o->size > 1u << 30)
		return "--size is 1 byte to 1 GiB";
	if (o->window == 0)
		o->window = o->size >= 65536 ? 8 : 128;
	if (o->window > 4096 || o->signal == 0 || o->signal > o->window)
		return "--window is 1..4096, --signal 1..window";
	if (o->list == 0 || o->list > LINK_BATCH_MAX || o->list > o->window)
		return "--post-list is 1..64 and at most --window";
	if (o->buffer < 2 * ((size_t)o->size + 64))
		o->buffer = 2 * ((size_t)o->size + 64);
	if (o->burst == 0 || o->burst > 256)
		return "--burst is 1..256";
	if (o->solo && o->memif)
		return "--solo is over net_ring";
	if (o->solo && o->rtt && o->messages == 0)
		return "--solo --rtt needs --messages";
	if (o->messages > 0 &&
	    (!o->solo || o->messages % o->signal != 0 || o->warm % o->signal != 0))
		return "--messages needs --solo and a multiple of --signal";
	if (o->warm > 0 && o->messages == 0)
		return "--warm needs --messages";
	if (o->idle > 0 && (!o->solo || o->messages > 0))
		return "--idle needs --solo, without --messages";
	if (o->posts > 0 && (!o->solo || o->messages > 0 || o->idle > 0))
		return "--posts needs --solo, without --messages and --idle";
	if (o->posts > 0 && (o->batch == 0 || o->batch > LINK_BATCH_MAX || o->batch >= o->burst))
		return "--batch is 1..64 and below --burst";
	if (o->posts > 0 && (o->signal != 1 || o->window <= o->batch || o->kind == RN_WQE_READ))
		return "--posts needs --signal=1, a --window above the batch, and no READ";
	if (o->virtual_time && (!o->solo || (o->messages == 0 && o->idle == 0 && o->posts == 0)))
		return "--virtual-time needs --solo with --messages, --idle or --posts";
	if (o->list > 1 && (o->rtt || (o->messages > 0 && o->signal % o->list != 0) ||
			    (o->posts > 0 && o->batch % o->list != 0)))
		return "--post-list does not work with --rtt; --signal (with --messages) or --batch (with --posts) "
		       "must be a multiple of it";
	if (o->rtt && o->kind != RN_WQE_SEND)
		return "--rtt works with SENDs only";
	if (o->drop && !o->memif)
		return "--drop needs --port=memif"; /* the ends of a ring share one configuration */
	if (!(o->loss >= 0 && o->loss <= 50))
		return "--loss is 0 to 50";
	if (o->turns && (o->loss == 0 || o->solo || o->rtt || o->poll))
		return "--turns needs --loss, and goes with neither --solo nor --rtt nor --poll";
	if (o->secs <= 0 || o->secs > 600)
		return "--secs is above 0 and at most 600";
	return NULL;
}

/* ---- configuration ---- */

static void put_adapter(FILE *f, const struct link_options *o, const char *dir, unsigned side,
			const char *more)
{
	fprintf(f,
		"{ name = \"end%u\"; mac = \"02:00:00:00:00:%02u\"; ipv4 = [ \"192.0.2.%u/24\" ];\n"
		"  mtu = 9000; ",
		side, side + 1, side + 1);
	if (o->memif)
		fprintf(f, "port = \"memif\"; socket = \"%s/s\"; role = \"%s\"; ", dir,
			side ? "server" : "client");
	else
		fprintf(f, "port = \"ring\"; peer = \"end%u\"; ", !side);
	if (o->poll)
		fprintf(f, "lcores = [ %u ]; ", o->cpu[side]);
	else
		fprintf(f, "shards = 1; ");
	fprintf(f, "}%s\n", more);
}

/* Writes the configuration file. For net_ring the file has both adapters. For memif each process
 * has one adapter, and the file has the adapter of `side`. */
static void write_config(const struct link_options *o, const char *dir, const char *path,
			 unsigned side)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	fprintf(f, "adapters = (\n");
	if (o->memif) {
		put_adapter(f, o, dir, side, ");");
	} else {
		put_adapter(f, o, dir, 0, ",");
		put_adapter(f, o, dir, 1, ");");
	}
	fprintf(f,
		"idle = { policy = \"%s\"; };\neal = { hugepages = \"%s\"; };\n"
		"limits = { mbufs = %u; burst = %u; port_ring = %u; %s};\n",
		o->poll ? "poll" : "inline", o->huge ? "yes" : "no", o->mbufs, o->burst, o->ring,
		o->drop && side == 1 ? "keep_packets = 0; " : "");
	if (o->loss > 0)
		fprintf(f, "impair = { loss = %.3f; };\n", o->loss);
	fclose(f);
}

/* ---- the two ends of the connection ---- */

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void run_on(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

struct serve_arg {
	const struct link_options *o;
	struct link_end *b;
	struct link_shared *sh;
};

static void *serve_in_thread(void *arg)
{
	struct serve_arg *s = arg;

	run_on(s->o->cpu[1]);
	link_serve(s->o, s->b, s->sh);
	return NULL;
}

static void print_counter(void *arg, const char *name, uint64_t value)
{
	if (value != 0)
		fprintf(stderr, "%-24s %12lu\n", name, value);
}

static bool run_solo(const struct link_options *o, struct link_end *a, struct link_end *b,
		     struct link_result *r)
{
	run_on(o->cpu[0]);
	if (o->virtual_time)
		link_virtual_time(a, b);
	if (o->warm > 0 && !link_solo_warm(o, a, b))
		return false;
	rn_count_from_here();
	if (o->messages > 0)
		return link_solo_messages(o, a, b);
	if (o->posts > 0)
		return link_solo_posts(o, a, b, r);
	if (o->idle > 0)
		link_solo_idle(o, a);
	else
		link_solo(o, a, b, r);
	return true;
}

static bool run_in_one_process(const struct link_options *o, struct link_shared *sh,
			       const char *config, struct link_result *r)
{
	static struct link_end a, b;
	struct serve_arg arg = {o, &b, sh};
	pthread_t thread;
	bool ok = true;

	link_end_open(o, &a, sh, config, 0, 0);
	link_end_open(o, &b, sh, config, 1, 1);
	link_end_connect(o, &a, sh, 0);
	r->start_ms = now_ms() - r->start_ms;
	link_end_connect(o, &b, sh, 1);
	if (o->solo) {
		ok = run_solo(o, &a, &b, r);
	} else {
		if (pthread_create(&thread, NULL, serve_in_thread, &arg) != 0)
			return false;
		run_on(o->cpu[0]);
		ok = link_drive(o, &a, sh, r);
		pthread_join(thread, NULL);
	}
	if (o->stats)
		rn_client_stats(a.client, print_counter, NULL);
	link_end_close(&a);
	link_end_close(&b);
	return ok;
}

static int run_end_b(const struct link_options *o, struct link_shared *sh, const char *config)
{
	static struct link_end b;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	link_end_open(o, &b, sh, config, 0, 1);
	link_end_connect(o, &b, sh, 1);
	run_on(o->cpu[1]);
	link_serve(o, &b, sh);
	return b.bad == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool run_in_two_processes(const struct link_options *o, struct link_shared *sh,
				 const char *dir, const char *config, struct link_result *r)
{
	static struct link_end a;
	pid_t child;
	bool ok;

	write_config(o, dir, config, 1);
	child = fork();
	if (child == 0)
		_exit(run_end_b(o, sh, config));
	/* Both processes read the same configuration file. Wait until the child has read the file
	 * and set card[1].ready; then rewrite the file for end a. */
	for (int i = 0; !sh->card[1].ready && i < 20000; i++)
		usleep(1000);
	write_config(o, dir, config, 0);
	link_end_open(o, &a, sh, config, 0, 0);
	link_end_connect(o, &a, sh, 0);
	r->start_ms = now_ms() - r->start_ms;
	run_on(o->cpu[0]);
	ok = link_drive(o, &a, sh, r);
	if (o->stats)
		rn_client_stats(a.client, print_counter, NULL);
	if (!ok)
		kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	link_end_close(&a);
	return ok;
}

/* ---- printing ---- */

static const char *name_of_port(const struct link_options *o)
{
	return o->memif ? "memif" : o->solo ? "ring solo" : "ring";
}

static const char *name_of_regime(const struct link_options *o, int regime)
{
	return o->solo ? "one" : rn_regime_names[regime];
}

/* Under loss an epoch is fast or waits for a timer, so that the median says little. */
static double mean(const struct rn_sample *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->v[i];
	return s->n > 0 ? sum / (double)s->n : 0;
}

static void print_json(const struct link_options *o, struct link_result *r)
{
	const char *sep = "";

	if (o->posts > 0) {
		printf("{\"bench\": \"post\", \"op\": \"%s\", \"size\": %u, \"batch\": %u, "
		       "\"list\": %u, \"post_ns\": %.1f, \"reap_ns\": %.1f}\n",
		       rn_ops[o->kind], o->size, o->batch, o->list, rn_sample_at(&r->post_ns, 0.5),
		       rn_sample_at(&r->reap_ns, 0.5));
		return;
	}
	printf("{\"bench\": \"link\", \"port\": \"%s\", \"op\": \"%s\", \"size\": %u, \"mtu\": %u, "
	       "\"window\": %u, \"signal\": %u, \"burst\": %u, \"list\": %u, \"mbufs\": %u, "
	       "\"huge\": %s, "
	       "\"idle\": \"%s\", \"epochs\": %lu, \"bad\": %lu, \"probe_ns\": %.0f, "
	       "\"round_trips\": %lu, \"removed\": %lu, \"start_ms\": %.0f, \"regimes\": {",
	       name_of_port(o), rn_ops[o->kind], o->size, o->mtu, o->window, o->signal, o->burst,
	       o->list, o->mbufs, o->huge ? "true" : "false", o->poll ? "poll" : "inline",
	       r->epochs, r->bad, rn_sample_at(&r->probes, 0.5), r->round_trips, r->removed,
	       r->start_ms);
	for (int g = 0; g < RN_REGIME_COUNT; g++) {
		double mmsg = rn_sample_at(&r->mmsg[g], 0.5);

		if (r->rtt_p50[g].n > 0)
			printf("%s\"%s\": {\"epochs\": %zu, \"rtt_ns_min\": %.0f, "
			       "\"rtt_ns_p50\": %.0f, \"rtt_ns_p99\": %.0f, \"rtt_ns_p999\": %.0f}",
			       sep, name_of_regime(o, g), r->rtt_p50[g].n,
			       rn_sample_at(&r->rtt_p50[g], 0), rn_sample_at(&r->rtt_p50[g], 0.5),
			       rn_sample_at(&r->rtt_p99[g], 0.5),
			       rn_sample_at(&r->rtt_p999[g], 0.5));
		else if (r->mmsg[g].n > 0)
			printf("%s\"%s\": {\"epochs\": %zu, \"mmsg_p10\": %.4f, \"mmsg\": %.4f, "
			       "\"mmsg_max\": %.4f, \"gbit\": %.2f, \"gbit_mean\": %.2f, "
			       "\"gbit_clean\": %.2f}",
			       sep, name_of_regime(o, g), r->mmsg[g].n,
			       rn_sample_at(&r->mmsg[g], 0.1), mmsg, rn_sample_at(&r->mmsg[g], 1),
			       mmsg * o->size * 8e-3, mean(&r->mmsg[g]) * o->size * 8e-3,
			       mean(&r->clean[g]) * o->size * 8e-3);
		else
			continue;
		sep = ", ";
	}
	printf("}}\n");
}

static void print_table(const struct link_options *o, struct link_result *r)
{
	if (o->posts > 0) {
		printf("%s of %u bytes, batch %u, list %u: post %.1f ns, reap %.1f ns a request\n",
		       rn_ops[o->kind], o->size, o->batch, o->list, rn_sample_at(&r->post_ns, 0.5),
		       rn_sample_at(&r->reap_ns, 0.5));
		return;
	}
	printf("%s, %s of %u bytes, mtu %u, window %u, signal %u, burst %u, list %u, %s; "
	       "probe %.0f ns; bad %lu\n",
	       name_of_port(o), rn_ops[o->kind], o->size, o->mtu, o->window, o->signal, o->burst,
	       o->list, o->poll ? "poll" : "inline", rn_sample_at(&r->probes, 0.5), r->bad);
	if (o->rtt)
		printf("%-6s %7s %12s %12s %12s\n", "regime", "epochs", "RTT min ns", "RTT p50 ns",
		       "RTT p99 ns");
	else
		printf("%-6s %7s %9s %9s %9s %9s\n", "regime", "epochs", "p10 Mmsg", "med Mmsg",
		       "max Mmsg", "Gbit/s");
	for (int g = 0; g < RN_REGIME_COUNT; g++) {
		double mmsg = rn_sample_at(&r->mmsg[g], 0.5);

		if (r->rtt_p50[g].n > 0)
			printf("%-6s %7zu %12.0f %12.0f %12.0f\n", name_of_regime(o, g),
			       r->rtt_p50[g].n, rn_sample_at(&r->rtt_p50[g], 0),
			       rn_sample_at(&r->rtt_p50[g], 0.5),
			       rn_sample_at(&r->rtt_p99[g], 0.5));
		else if (r->mmsg[g].n > 0)
			printf("%-6s %7zu %9.3f %9.3f %9.3f %9.2f\n", name_of_regime(o, g),
			       r->mmsg[g].n, rn_sample_at(&r->mmsg[g], 0.1), mmsg,
			       rn_sample_at(&r->mmsg[g], 1), mmsg * o->size * 8e-3);
		if (r->clean[g].n > 0)
			printf("       mean %.2f Gbit/s, without loss %.2f Gbit/s\n",
			       mean(&r->mmsg[g]) * o->size * 8e-3,
			       mean(&r->clean[g]) * o->size * 8e-3);
	}
}

int main(int argc, char **argv)
{
	struct link_options o = {.kind = RN_WQE_SEND,
				 .size = 64,
				 .mtu = 1024,
				 .signal = 1,
				 .list = 1,
				 .secs = 3,
				 .burst = 32,
				 .mbufs = 4096,
				 .batch = 16,
				 .ring = 1024,
				 .buffer = 1 << 20,
				 .cpu = {0, 1}};
	char dir[] = "/tmp/bench_link.XXXXXX", config[64];
	static struct link_result r;
	struct link_shared *sh;
	const char *wrong;
	bool ok;

	take_options(&o, argc, argv);
	wrong = options_wrong(&o);
	if (wrong != NULL) {
		fprintf(stderr, "bench_link: %s\n", wrong);
		return 2;
	}
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED || mkdtemp(dir) == NULL)
		return EXIT_FAILURE;
	snprintf(config, sizeof(config), "%s/conf", dir);
	alarm((unsigned)o.secs + 60);
	r.start_ms = now_ms();
	if (o.memif) {
		ok = run_in_two_processes(&o, sh, dir, config, &r);
	} else {
		write_config(&o, dir, config, 0);
		ok = run_in_one_process(&o, sh, config, &r);
	}
	unlink(config);
	snprintf(config, sizeof(config), "%s/s", dir);
	unlink(config);
	rmdir(dir);
	if (!ok) {
		fprintf(stderr,
			"bench_link: a message failed, or the other end does not respond\n");
		return EXIT_FAILURE;
	}
	(o.json ? print_json : print_table)(&o, &r);
	return r.bad == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
