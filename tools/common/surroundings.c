/* Which CPUs, DPDK port and idle policy does a measurement use, and are there enough CPUs? Keeps no
 * state. Any thread may call these functions. */
#include "surroundings.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "rn/client.h"

static unsigned own_cpus(void)
{
	cpu_set_t set;
	unsigned n = sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
	unsigned long quota, period;
	/* a container may be limited to fewer CPUs than sched_getaffinity() returns */
	FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
	if (f && fscanf(f, "%lu %lu", &quota, &period) == 2 && period > 0 && quota / period < n)
		n = quota < period ? 1 : (unsigned)(quota / period);
	if (f)
		fclose(f);
	return n;
}

static unsigned running_now(void)
{
	unsigned running = 1;
	FILE *f = fopen("/proc/loadavg", "r");
	if (f && fscanf(f, "%*f %*f %*f %u/", &running) != 1)
		running = 1;
	if (f)
		fclose(f);
	return running;
}

unsigned surroundings_busy(const struct rn_link_info *info)
{
	unsigned of_one = 1 + (strcmp(info->idle, "inline") == 0 ? 0 : info->shards);
	bool peer_is_here = strcmp(info->port, "memif") == 0 || strcmp(info->port, "ring") == 0;
	return peer_is_here ? 2 * of_one : of_one;
}

double surroundings_free(const struct surroundings *s)
{
	double others = s->running > s->busy ? s->running - s->busy : 0;
	others = s->load < others ? s->load : others;
	return s->cpus > others ? s->cpus - others : 0;
}

void surroundings_read(struct surroundings *s, const struct rn_link_info *info)
{
	*s = (struct surroundings){
		.cpus = own_cpus(), .running = running_now(), .busy = surroundings_busy(info)};
	if (getloadavg(&s->load, 1) != 1)
		s->load = 0;
}

void surroundings_print(const struct rn_link_info *info, const char *head, FILE *to)
{
	struct surroundings s;
	surroundings_read(&s, info);
	fprintf(to, "%s%u CPU%s, load %.1f, %s, MTU %u, idle policy %s, %s hugepages\n", head,
		s.cpus, s.cpus == 1 ? "" : "s", s.load, info->port, info->mtu, info->idle,
		info->hugepages ? "with" : "without");
	if (surroundings_free(&s) < s.busy)
		fprintf(to,
			"Warning: %.1f CPUs are free for %u busy threads: the figures show how long threads wait for a CPU\n",
			surroundings_free(&s), s.busy);
	fflush(to);
}

static bool has_address(const struct rn_link_info *info, const struct rn_gid *gid)
{
	for (unsigned i = 0; i < info->ngids; i++)
		if (rn_client_gid_equal(&info->gids[i], gid))
			return true;
	return false;
}

void surroundings_print_at(const struct sockaddr *own, size_t len, FILE *to)
{
	struct rn_client_addr at;
	int n = rn_link_list(NULL, NULL, 0, NULL, 0);
	if (rn_client_addr_from_sockaddr(&at, own, len) != 0)
		return;
	for (int i = 0; i < n; i++) {
		struct rn_link_info info;
		struct rn_link *link;
		if (rn_link_open(NULL, (unsigned)i, &link, NULL, 0) != 0)
			continue;
		link->ops->info(link, &info);
		rn_link_close(link);
		if (has_address(&info, &at.gid)) {
			surroundings_print(&info, "Runs on ", to);
			return;
		}
	}
}
