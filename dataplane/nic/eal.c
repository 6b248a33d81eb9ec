/* Starts EAL from within a library: quietly, without privileges, without changing the application's
 * threads, and without leaving files behind. Runs in the caller's thread, under the lock of the
 * in-process link (inproc.c). */
#include "nic/eal.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <linux/mman.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_pdump.h>

#include "nic/allow.h"
#include "port/log.h"
#include "nic/rundir.h"
#include "port/thread.h"
#include "base/types.h"

#define MAX_ARGS 48
#define ARG_LEN	 RN_ALLOW_LEN /* bytes per EAL argument; the longest is --allow= */
/* Memory in MB for EAL itself: private data of ports, rings, telemetry. */
#define SLACK_MB 48
/* Least memory in MB to request without hugepages. EAL cannot add memory after its start, but the
 * process may later start a larger configuration. Untouched memory costs nothing. */
#define LEAST_MB	384
#define EAL_DESCRIPTORS 7

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

/* Tests with a trial mapping whether `mb` megabytes of hugepages are free. The kernel's count of
 * free pages would include reserved pages. Another process can still take the pages before EAL maps
 * its own; EAL's start then fails with a message. */
static bool hugepages_available(uint64_t mb)
{
	size_t bytes = RN_ALIGN_UP(mb << 20, (size_t)2 << 20);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);

	if (p == MAP_FAILED)
		return false;
	munmap(p, bytes);
	return true;
}

/* Log levels of DPDK and of softrnic for each configured level. DPDK warns about ordinary
 * conditions. So DPDK logs only errors at "warning", and only errors and warnings at "notice". */
static const struct {
	unsigned dpdk;
	enum rn_log_level ours;
} levels[] = {
	[RN_CONFIG_LEVEL_ERROR] = {4, RN_LOG_ERROR},
	[RN_CONFIG_LEVEL_WARNING] = {4, RN_LOG_WARNING},
	[RN_CONFIG_LEVEL_NOTICE] = {5, RN_LOG_NOTICE},
	[RN_CONFIG_LEVEL_INFO] = {7, RN_LOG_INFO},
	[RN_CONFIG_LEVEL_DEBUG] = {8, RN_LOG_DEBUG},
};

/* Sets the log level of DPDK by a pattern: EAL's global level would also suppress softrnic's
 * messages. At info and debug no argument is added, and DPDK's log types keep their own levels. */
static void log_arguments(struct arguments *a, enum rn_config_level level)
{
	if (levels[level].dpdk < 7)
		add(a, "--log-level=*:%u", levels[level].dpdk);
}

static bool wants_telemetry(const struct rn_config_eal *e)
{
	for (unsigned i = 0; i < e->args.n; i++)
		if (strcmp(e->args.arg[i], "--telemetry") == 0)
			return true;
	return e->shared;
}

/* Returns true when the administrator has reserved hugepages on this machine. */
static bool machine_has_hugepages(void)
{
	FILE *f = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "re");
	unsigned long n = 0;

	if (f == NULL)
		return false;
	bool some = fscanf(f, "%lu", &n) == 1 && n > 0;
	fclose(f);
	return some;
}

/* Does an adapter share memory with softrnicd? The driver shares all memory of the process, in at
 * most eight files. */
static bool shares_with_daemon(const struct rn_config *cfg)
{
	bool shares = false;

	for (unsigned i = 0; i < cfg->nadapters; i++)
		shares = shares || cfg->adapter[i].port == RN_CONFIG_PORT_DAEMON;
	return shares;
}

static void memory_arguments(struct arguments *a, const struct rn_config *cfg, uint64_t mb)
{
	const struct rn_config_eal *e = &cfg->eal;
	bool few_files = shares_with_daemon(cfg);
	/* EAL makes a file of each hugepage, unless told otherwise. Without hugepages all memory is
	 * one file, which is what the tests of softrnicd use. */
	bool try = e->hugepages == RN_CONFIG_HUGEPAGES_AUTO && !few_files;
	bool huge = e->shared || e->hugepages == RN_CONFIG_HUGEPAGES_YES ||
		    (try && hugepages_available(mb));

	if (huge && few_files)
		add(a, "--single-file-segments");
	if (!huge && try && machine_has_hugepages())
		rn_log(HUGEPAGES_SHORT, (unsigned long long)mb);
	if (e->shared) {
		add(a, "--file-prefix=%s", e->prefix);
		return;
	}
	add(a, "--file-prefix=rn%d", (int)getpid());
	if (huge) {
		add(a, "--in-memory");
	} else {
		/* DPDK 22.11 rejects --no-huge together with --in-memory. */
		add(a, "--no-huge");
		add(a, "--no-shconf");
		add(a, "-m");
		add(a, "%llu", (unsigned long long)(e->memory_mb > 0 ? mb : RN_MAX(mb, LEAST_MB)));
	}
}

/* Returns the first CPU that this process may use, for EAL's one lcore. */
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
	char devices[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN];
	unsigned n = rn_allow_arguments(cfg, devices);

	add(a, "softrnic");
	/* EAL needs one lcore, but that lcore has no work: shards run in threads that softrnic
	 * creates. */
	add(a, "--lcores=0@%u", some_cpu());
	log_arguments(a, cfg->log.level);
	for (unsigned i = 0; i < n; i++)
		add(a, "%s", devices[i]);
	memory_arguments(a, cfg, mb);
	if (!wants_telemetry(e))
		add(a, "--no-telemetry");
	for (unsigned i = 0; i < e->args.n; i++)
		if (strcmp(e->args.arg[i], "--telemetry") != 0)
			add(a, "%s", e->args.arg[i]);
}

/* Runs in a temporary thread and starts EAL. In the application's thread, rte_eal_init() would pin
 * that thread and make it the main lcore. EAL's own threads inherit the signal mask of the
 * temporary thread, which blocks the application's signals. */
static void *init(void *arg)
{
	struct arguments *a = arg;

	rn_thread_set_up("rn-eal");
	a->result = rte_eal_init(a->n, a->argv);
	a->error = rte_errno;
	return NULL;
}

/* Can this process open EAL_DESCRIPTORS more descriptors? EAL holds that many at one time while it
 * starts. With fewer, one of EAL's threads would abort the process. Returns 0 or -errno. */
static int try_descriptors(void)
{
	int fd[EAL_DESCRIPTORS], n = 0;

	while (n < EAL_DESCRIPTORS && (fd[n] = eventfd(0, EFD_CLOEXEC)) >= 0)
		n++;
	int rc = n == EAL_DESCRIPTORS ? 0 : -errno;
	while (n > 0)
		close(fd[--n]);
	return rc;
}

/* Starts EAL. Returns 0 when EAL runs, even if the application has started EAL in the meantime.
 * Otherwise returns -errno. If rte_eal_init() fails, also sets *failed to the error. EAL does not
 * undo a failed start, so EAL cannot be started again in this process. */
static int run_init(const struct rn_config *cfg, uint64_t bytes, int *failed)
{
	static struct arguments a;
	pthread_t thread;

	a = (struct arguments){0};
	make_arguments(&a, cfg, bytes);
	int rc = -pthread_create(&thread, NULL, init, &a);
	if (rc != 0)
		return rc;
	pthread_join(thread, NULL);
	/* EAL has applied the log level of log_arguments() to all log types, also to softrnic's.
	 * So set softrnic's log level again. */
	rn_log_open(levels[cfg->log.level].ours);
	if (a.result < 0 && a.error != EALREADY)
		*failed = rc = a.error > 0 ? -a.error : -EIO;
	return rc;
}

int rn_eal_start(const struct rn_config *cfg, uint64_t bytes, char *err, size_t errlen)
{
	static int failed;
	int rc;

	rn_log_open(levels[cfg->log.level].ours);
	if (failed != 0) {
		snprintf(
			err, errlen,
			"an earlier start of DPDK's EAL failed in this process (%s); only a new process can try again",
			strerror(-failed));
		return failed;
	}
	if (rte_lcore_count() > 0)
		return 0; /* the application or an earlier call has started EAL already */
	rc = try_descriptors();
	if (rc != 0) {
		snprintf(err, errlen, "DPDK's EAL needs %d file descriptors: %s", EAL_DESCRIPTORS,
			 strerror(-rc));
		return rc;
	}
	if (!cfg->eal.shared)
		rn_rundir_at_exit();
	rc = run_init(cfg, bytes, &failed);
	if (rc != 0) {
		rn_rundir_failed();
		snprintf(
			err, errlen,
			"DPDK's EAL cannot be started (%s); log.level = \"debug\" gives more details",
			strerror(-rc));
		return rc;
	}
	/* With private memory (eal.shared is false) EAL's run directory is empty now, and
	 * rn_rundir_started() removes the directory. If telemetry has a socket in the directory,
	 * the directory is removed at exit instead. */
	rn_rundir_started(cfg->eal.shared);
	if (cfg->eal.shared)
		/* dpdk-dumpcap requests copies of packets from the primary process through
		 * rte_pdump */
		rte_pdump_init();
	return 0;
}
