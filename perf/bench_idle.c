/* Measures what an idle adapter costs under the adaptive policy, and how soon a packet wakes it.
 * Both adapters belong to this process. First neither has work, and the CPU time of the process is
 * divided by two; then one writes into the memory of the other, which sleeps. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "bench_link.h"
#include "options.h"

#define SETTLE_US   300000 /* until the shards sleep as long as they may */
#define PATIENCE_NS 1000000000.0

struct idle_options {
	const char *port;
	const char *pair; /* of kernel interfaces, separated by a comma */
	char ifaces[2][16];
	const char *devices; /* device strings for vdev, separated by a space */
	char device[2][128];
	double secs;
	unsigned wakes, pause_ms;
	bool json;
};

struct idle_result {
	double percent; /* of one core, for each adapter */
	struct rn_sample wake_ns;
	uint64_t bad;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return ((double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec) * 1e9 +
	       ((double)u.ru_utime.tv_usec + (double)u.ru_stime.tv_usec) * 1e3;
}

static void put_adapter(FILE *f, const struct idle_options *o, const char *dir, unsigned side)
{
	fprintf(f,
		"{ name = \"end%u\"; mac = \"02:00:00:00:00:%02u\"; ipv4 = [ \"192.0.2.%u/24\" ]; "
		"shards = 1; port = \"%s\"; ",
		side, side + 1, side + 1, o->port);
	if (strcmp(o->port, "ring") == 0)
		fprintf(f, "peer = \"end%u\"; ", !side);
	else if (strcmp(o->port, "memif") == 0)
		fprintf(f, "socket = \"%s/s\"; role = \"%s\"; ", dir, side ? "server" : "client");
	else if (strcmp(o->port, "vdev") == 0)
		fprintf(f, "vdev = \"%s\"; mtu = 1500; ", o->device[side]);
	else
		fprintf(f, "iface = \"%s\"; ", o->ifaces[side]);
	fprintf(f, "}%s\n", side ? ");" : ",");
}

static void write_config(const struct idle_options *o, const char *dir, const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	fprintf(f, "adapters = (\n");
	put_adapter(f, o, dir, 0);
	put_adapter(f, o, dir, 1);
	fprintf(f, "idle = { policy = \"adaptive\"; };\neal = { hugepages = \"no\"; };\n");
	fclose(f);
}

/* Writes 64 bytes into the memory of b, whose shard sleeps. Returns after how many nanoseconds the
 * last byte was there. */
static double wake(const struct link_options *o, struct link_end *a, struct link_end *b)
{
	size_t last = a->from.addr - (uintptr_t)a->mem + o->size - 1;
	volatile uint8_t *there = &b->mem[last];
	uint64_t sent = a->sent + 1;
	uint8_t old = *there;
	double since, ns = 0;

	a->mem[last] = (uint8_t)~old;
	since = now_ns();
	link_post_request(o, a, RN_WQE_WRITE);
	/* The shards need a CPU, and the scheduler may have woken one on this CPU. */
	while (*there == old && ns < PATIENCE_NS) {
		sched_yield();
		ns = now_ns() - since;
	}
	ns = now_ns() - since;
	while (a->send_done != sent && a->bad == 0 && now_ns() - since < 2 * PATIENCE_NS) {
		sched_yield();
		link_poll(a);
	}
	a->bad += *there == old || a->send_done != sent;
	return ns;
}

static void measure(const struct idle_options *o, const struct link_options *l, struct link_end *a,
		    struct link_end *b, struct idle_result *r)
{
	double t, c;

	usleep(SETTLE_US);
	t = now_ns();
	c = cpu_ns();
	usleep((unsigned)(o->secs * 1e6));
	c = cpu_ns() - c;
	r->percent = 100 * c / (now_ns() - t) / 2;
	for (unsigned i = 0; i < o->wakes && a->bad == 0; i++) {
		/* not a multiple of a period in which the shard looks by itself */
		usleep(o->pause_ms * 1000 + i % 10 * 117);
		rn_sample_add(&r->wake_ns, wake(l, a, b));
	}
	r->bad = a->bad + b->bad;
}

static void print(const struct idle_options *o, struct idle_result *r)
{
	printf(o->json ? "{\"bench\": \"idle\", \"port\": \"%s\", \"percent\": %.3f, \"wake_us_p50\": "
			 "%.1f, \"wake_us_p99\": %.1f, \"wake_us_max\": %.1f}\n"
		       : "%s: %.3f %% of a core idle; a packet wakes it in %.1f us, 99 %% %.1f, at "
			 "most %.1f\n",
	       o->port, r->percent, rn_sample_at(&r->wake_ns, 0.5) / 1e3,
	       rn_sample_at(&r->wake_ns, 0.99) / 1e3, rn_sample_at(&r->wake_ns, 1) / 1e3);
}

static void take_options(struct idle_options *o, int argc, char **argv)
{
	const struct rn_option options[] = {
		{"port", "ring|memif|af_packet|vdev", "[ring]", rn_option_text, &o->port},
		{"ifaces", "A,B", "two kernel interfaces that are joined, for af_packet",
		 rn_option_text, &o->pair},
		{"devices", "'A B'", "two device strings for vdev, such as net_tap0,iface=tap0",
		 rn_option_text, &o->devices},
		{"secs", "S", "how long to measure the idle adapters [3]", rn_option_real,
		 &o->secs},
		{"wakes", "N", "how often to wake them, at most 10000 [100]", rn_option_number,
		 &o->wakes},
		{"pause-ms", "N", "time between two wakes, at most 1000 [20]", rn_option_number,
		 &o->pause_ms},
		{"json", NULL, "one JSON object", rn_option_true, &o->json},
		{0},
	};

	rn_options_take("bench_idle: CPU time of an idle adapter, and how soon a packet wakes it",
			options, argc, argv);
}

static bool options_fit(struct idle_options *o)
{
	bool named =
		o->pair != NULL && sscanf(o->pair, "%15[^,],%15s", o->ifaces[0], o->ifaces[1]) == 2;
	bool given = o->devices != NULL &&
		     sscanf(o->devices, "%127s %127s", o->device[0], o->device[1]) == 2;

	return o->secs > 0 && o->secs <= 60 && o->wakes > 0 && o->wakes <= 10000 &&
	       o->pause_ms > 0 && o->pause_ms <= 1000 &&
	       (strcmp(o->port, "ring") == 0 || strcmp(o->port, "memif") == 0 ||
		(strcmp(o->port, "af_packet") == 0 && named) ||
		(strcmp(o->port, "vdev") == 0 && given));
}

int main(int argc, char **argv)
{
	struct idle_options o = {.port = "ring", .secs = 3, .wakes = 100, .pause_ms = 20};
	struct link_options l = {.kind = RN_WQE_WRITE,
				 .size = 64,
				 .mtu = 1024,
				 .window = 16,
				 .signal = 1,
				 .burst = 32,
				 .buffer = 1 << 16};
	char dir[] = "/tmp/bench_idle.XXXXXX", config[64];
	static struct link_shared shared;
	static struct link_end a, b;
	struct idle_result r = {0};

	take_options(&o, argc, argv);
	if (!options_fit(&o)) {
		fprintf(stderr, "bench_idle: a value is out of range, see --help\n");
		return 2;
	}
	if (mkdtemp(dir) == NULL)
		return EXIT_FAILURE;
	snprintf(config, sizeof(config), "%s/conf", dir);
	write_config(&o, dir, config);
	alarm((unsigned)(o.secs + o.wakes * (o.pause_ms + 1) / 1000) + 60);
	link_end_open(&l, &b, &shared, config, 1, 1);
	link_end_open(&l, &a, &shared, config, 0, 0);
	link_end_connect(&l, &a, &shared, 0);
	link_end_connect(&l, &b, &shared, 1);
	measure(&o, &l, &a, &b, &r);
	link_end_close(&a);
	link_end_close(&b);
	unlink(config);
	snprintf(config, sizeof(config), "%s/s", dir);
	unlink(config);
	rmdir(dir);
	print(&o, &r);
	if (r.bad != 0)
		fprintf(stderr, "bench_idle: a request failed, or the other end did not wake\n");
	return r.bad == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
