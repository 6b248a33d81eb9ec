/* How is EAL started so that a library may do it: quietly, unprivileged, without touching the application's threads,
 * and without leaving files behind? The caller's thread, under the in-process link's lock. */
#include "eal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/mman.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_memory.h>
#include <rte_pdump.h>

#include "thread.h"
#include "types.h"

#define MAX_ARGS 48
#define ARG_LEN  160
/* EAL's own needs: ports' private data, rings, telemetry. */
#define SLACK_MB 48
/* Without hugepages memory is fixed at the start, and costs only when touched: leave room for a later, larger
 * configuration of the same process. */
#define LEAST_MB 384

struct arguments {
	int n;
	char text[MAX_ARGS][ARG_LEN];
	char *argv[MAX_ARGS + 1];
	int result, error;
};

__attribute__((format(printf, 2, 3))) static void add(struct arguments *a, const char *fmt, ...)
{
	va_list ap;

	if (a->n == MAX_ARGS)
		return;
	va_start(ap, fmt);
	vsnprintf(a->text[a->n], ARG_LEN, fmt, ap);
	va_end(ap);
	a->argv[a->n] = a->text[a->n];
	a->n++;
}

/* A mapping tells: the number of free pages includes those promised to somebody. The pages are given back before EAL
 * takes its own, so another process may still come between; that start fails with a sentence. */
static bool hugepages_to_be_had(uint64_t mb)
{
	size_t bytes = RN_ALIGN_UP(mb << 20, (size_t)2 << 20);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);

	if (p == MAP_FAILED)
		return false;
	munmap(p, bytes);
	return true;
}

static unsigned eal_level(enum rn_config_level level)
{
	static const unsigned levels[] = {
		[RN_CONFIG_LEVEL_ERROR] = 4,  [RN_CONFIG_LEVEL_WARNING] = 4, /* EAL warns of the ordinary */
		[RN_CONFIG_LEVEL_NOTICE] = 5, [RN_CONFIG_LEVEL_INFO] = 7,    [RN_CONFIG_LEVEL_DEBUG] = 8,
	};
	return levels[level];
}

static bool wants_telemetry(const struct rn_config_eal *e)
{
	for (unsigned i = 0; i < e->args.n; i++)
		if (strcmp(e->args.arg[i], "--telemetry") == 0)
			return true;
	return e->shared;
}

static void memory_arguments(struct arguments *a, const struct rn_config_eal *e, uint64_t mb)
{
	bool huge = e->shared || e->hugepages == RN_CONFIG_HUGEPAGES_YES ||
		    (e->hugepages == RN_CONFIG_HUGEPAGES_AUTO && hugepages_to_be_had(mb));

	if (e->shared) {
		add(a, "--file-prefix=%s", e->prefix);
		return;
	}
	add(a, "--file-prefix=rn%d", (int)getpid());
	if (huge) {
		add(a, "--in-memory");
	} else {
		/* 22.11 refuses --no-huge together with --in-memory. */
		add(a, "--no-huge");
		add(a, "--no-shconf");
		add(a, "-m");
		add(a, "%llu", (unsigned long long)(e->memory_mb > 0 ? mb : RN_MAX(mb, LEAST_MB)));
	}
}

static unsigned some_cpu(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		for (unsigned i = 0; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &set))
				return i;
	return 0;
}

static void make_arguments(struct arguments *a, const struct rn_config *cfg, uint64_t bytes)
{
	const struct rn_config_eal *e = &cfg->eal;
	uint64_t mb = e->memory_mb > 0 ? e->memory_mb : (bytes >> 20) + SLACK_MB;
	bool real = false;

	for (unsigned i = 0; i < cfg->nadapters; i++)
		real |= cfg->adapter[i].port == RN_CONFIG_PORT_VDEV && strncmp(cfg->adapter[i].vdev, "net_", 4) != 0;
	add(a, "softrnic");
	/* One EAL lcore, which never works: our shards are threads of our own. */
	add(a, "--lcores=0@%u", some_cpu());
	add(a, "--log-level=%u", eal_level(cfg->log.level));
	if (!real)
		add(a, "--no-pci");
	add(a, "--iova-mode=va");
	memory_arguments(a, e, mb);
	if (!wants_telemetry(e))
		add(a, "--no-telemetry");
	for (unsigned i = 0; i < e->args.n; i++)
		if (strcmp(e->args.arg[i], "--telemetry") != 0)
			add(a, "%s", e->args.arg[i]);
}

/* rte_eal_init() pins its caller and makes it the main lcore. This thread takes that upon itself and ends; EAL's
 * own threads inherit that they take no signals. */
static void *init(void *arg)
{
	struct arguments *a = arg;

	rn_thread_settle("rn-eal");
	a->result = rte_eal_init(a->n, a->argv);
	a->error = rte_errno;
	return NULL;
}

static char runtime_dir[256];

/* And the folder it is in, unless another process has its own there. */
static void remove_runtime_dir(void)
{
	char *slash = strrchr(runtime_dir, '/');

	if (slash == NULL)
		return;
	rmdir(runtime_dir);
	*slash = '\0';
	rmdir(runtime_dir);
	*slash = '/';
}

static int unlink_page(const struct rte_memseg_list *list, const struct rte_memseg *page, void *arg)
{
	char link[64], path[PATH_MAX];
	int fd = rte_memseg_get_fd(page);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = fd >= 0 ? readlink(link, path, sizeof(path) - 1) : -1;
	if (n > 0) {
		path[n] = '\0';
		unlink(path);
	}
	return 0;
}

/* eal.shared: others could attach as long as we lived. EAL itself would leave pages and tables to the next start. */
static void remove_shared_files(void)
{
	struct dirent *e;
	DIR *dir = opendir(runtime_dir);

	rte_memseg_walk(unlink_page, NULL);
	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	rmdir(runtime_dir);
}

/* dpdk-dumpcap asks the primary process to copy packets to it. */
static void share(void)
{
	snprintf(runtime_dir, sizeof(runtime_dir), "%s", rte_eal_get_runtime_dir());
	atexit(remove_shared_files);
	rte_pdump_init();
}

int rn_eal_start(const struct rn_config *cfg, uint64_t bytes, char *err, size_t errlen)
{
	static struct arguments a;
	pthread_t thread;

	if (rte_lcore_count() > 0)
		return 0; /* the application's, or ours of an earlier start */
	a = (struct arguments){0};
	make_arguments(&a, cfg, bytes);
	/* Before EAL registers its own: those that remove sockets run first. */
	if (!cfg->eal.shared)
		atexit(remove_runtime_dir);
	int rc = -pthread_create(&thread, NULL, init, &a);
	if (rc == 0) {
		pthread_join(thread, NULL);
		rc = a.result >= 0 || a.error == EALREADY ? 0 : a.error > 0 ? -a.error : -EIO;
	}
	if (rc != 0) {
		snprintf(err, errlen, "DPDK's EAL cannot be started (%s); log.level = \"debug\" tells more", strerror(-rc));
		return rc;
	}
	if (cfg->eal.shared) {
		share();
		return 0;
	}
	/* Private memory leaves nothing in there, unless telemetry has its socket: then at exit. */
	snprintf(runtime_dir, sizeof(runtime_dir), "%s", rte_eal_get_runtime_dir());
	remove_runtime_dir();
	return 0;
}
