/* CPU affinity: which shard serves a queue pair, and what GetNotifyAffinity returns. A shard is the
 * part of the NIC that one thread serves. Here are two shards, on CPUs 0 and 1.
 *
 * A client cannot see shards. So the linker's --wrap replaces rn_link_open, and the test sees the
 * commands to the NIC. */
#include "fixture.h"

#include "rn/link.h"

#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

int __real_rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err,
			size_t errlen);
int __wrap_rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err,
			size_t errlen);

static const char config[] =
	"adapters = (\n"
	"{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
	"  ipv4 = [ \"192.0.2.1/24\" ]; lcores = [ 0, 1 ]; },\n"
	"{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
	"  ipv4 = [ \"192.0.2.2/24\" ]; });\n"
	"eal = { hugepages = \"no\"; };\n";

static const struct rn_link_ops *all;
static struct rn_link_ops overheard;
static unsigned last_shard;

static int exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	int rc = all->exec(link, cmd, rsp);

	if (cmd->op == RN_CMD_CREATE_QP)
		last_shard = rsp->shard;
	return rc;
}

int __wrap_rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err,
			size_t errlen)
{
	int rc = __real_rn_link_open(path, index, link, err, errlen);

	if (rc == 0 && (*link)->ops != &overheard) {
		all = (*link)->ops;
		overheard = *all;
		overheard.exec = exec;
		(*link)->ops = &overheard;
	}
	return rc;
}

static void pin_caller(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static cpu_set_t unpinned;

static void let_caller_go(void)
{
	sched_setaffinity(0, sizeof(unpinned), &unpinned);
}

static IND2CompletionQueue *cq_near(struct end *e, USHORT group, KAFFINITY affinity)
{
	IND2CompletionQueue *cq;

	HR(CALL(adapters[0], CreateCompletionQueue, &IID_IND2CompletionQueue, e->file, 16, group,
		affinity, (void **)&cq),
	   ND_SUCCESS);
	return cq;
}

/* Returns the shard of a new queue pair whose completion queues have these affinities. */
static unsigned shard_of(struct end *e, USHORT group, KAFFINITY receive, KAFFINITY send)
{
	IND2CompletionQueue *r = cq_near(e, group, receive), *s = cq_near(e, group, send);
	IND2QueuePair *qp;

	HR(CALL(adapters[0], CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)r, (IUnknown *)s,
		NULL, 4, 4, 1, 1, 0, (void **)&qp),
	   ND_SUCCESS);
	RELEASE(qp);
	RELEASE(r);
	RELEASE(s);
	return last_shard;
}

static void nd2_own_queue_pairs_follow_the_affinity_of_their_queues(void **state)
{
	static const struct {
		USHORT group;
		KAFFINITY receive, send;
		int caller; /* CPU that the calling thread is pinned to */
		unsigned shard;
	} rows[] = {
		{0, 1, 0, 1, 0},
		{0, 2, 0, 0, 1},
		{0, 2, 1, 0, 1}, /* the affinity of the receive CQ decides */
		{0, 0, 1, 1, 0},
		{0, 0, 2, 0, 1},
		{0, 4, 0, 0, 1}, /* CPU 2 has no shard: the shard on CPU 1 is nearest */
		{0, (KAFFINITY)1 << 63, 0, 0, 1},
		{0, 0, 0, 0, 0}, /* without affinity, the shard on the caller's CPU is chosen */
		{0, 0, 0, 1, 1},
		{1, 1, 1, 1, 1}, /* unknown processor group: the affinity is ignored */
		{7, 2, 2, 0, 0},
	};
	struct end e;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	end_open(&e, 0, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pin_caller(rows[i].caller);
		for (int again = 0; again < 3; again++)
			if (shard_of(&e, rows[i].group, rows[i].receive, rows[i].send) !=
			    rows[i].shard)
				fail_msg("row %zu: shard %u", i, last_shard);
	}
	let_caller_go();
	end_close(&e);
}

static void nd2_own_queue_pairs_are_spread_over_allowed_shards(void **state)
{
	IND2CompletionQueue *cq;
	IND2QueuePair *qp[10];
	unsigned on[2] = {0};
	struct end e;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	end_open(&e, 0, NULL);
	cq = cq_near(&e, 0, 3);
	for (int i = 0; i < 10; i++) {
		qp[i] = new_qp(&e, cq, NULL, NULL);
		on[last_shard]++;
	}
	for (int i = 0; i < 10; i++)
		RELEASE(qp[i]);
	RELEASE(cq);
	end_close(&e);
	assert_in_range(on[0], 4, 6);
	assert_in_range(on[1], 4, 6);
}

static void nd2_own_both_shards_work(void **state)
{
	struct pair p;

	for (KAFFINITY wish = 1; wish <= 2; wish++) {
		pair_open(&p, NULL);
		RELEASE(p.a.qp);
		RELEASE(p.a.cq);
		p.a.cq = cq_near(&p.a, 0, wish);
		p.a.qp = new_qp(&p.a, p.a.cq, &p.a, NULL);
		pair_connect(&p, NULL);
		exchange(&p.a, &p.b);
		exchange(&p.b, &p.a);
		pair_close(&p);
	}
}

/* ---- GetNotifyAffinity ---- */

/* The id of this process's thread with that name, or 0. */
static pid_t thread_named(const char *name)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;
	pid_t found = 0;

	while ((d = readdir(dir)) != NULL) {
		char path[300], comm[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", d->d_name);
		f = fopen(path, "r");
		if (f == NULL)
			continue;
		if (fgets(comm, sizeof(comm), f) != NULL)
			comm[strcspn(comm, "\n")] = '\0';
		fclose(f);
		if (strcmp(comm, name) == 0)
			found = (pid_t)atoi(d->d_name);
	}
	closedir(dir);
	return found;
}

static KAFFINITY reported(IND2CompletionQueue *cq)
{
	KAFFINITY mask = 0;
	USHORT group = 9;

	HR(CALL(cq, GetNotifyAffinity, &group, &mask), ND_SUCCESS);
	assert_int_equal(group, 0);
	return mask;
}

static _Atomic int routine_ran_on = -1;

static void note_cpu(DWORD status, DWORD bytes, OVERLAPPED *ov)
{
	atomic_store(&routine_ran_on, sched_getcpu());
}

static void nd2_own_affinity_is_that_of_the_thread_that_notifies(void **state)
{
	IND2CompletionQueue *cq;
	cpu_set_t set, before;
	KAFFINITY any = 0;
	struct end e;
	pid_t tid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	end_open(&e, 0, NULL);
	tid = thread_named("rn-deliver");
	assert_int_not_equal(tid, 0);
	assert_int_equal(sched_getaffinity(tid, sizeof(before), &before), 0);
	for (unsigned i = 0; i < 64; i++)
		any |= (KAFFINITY)(CPU_ISSET(i, &before) != 0) << i;
	cq = cq_near(&e, 0, 1);
	/* CreateCompletionQueue's affinity does not move the delivery thread. */
	assert_int_equal(reported(cq), any);
	pin_caller(1);
	/* Pinning the calling thread does not move the delivery thread either. */
	assert_int_equal(reported(cq), any);
	let_caller_go();
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		assert_int_equal(sched_setaffinity(tid, sizeof(set), &set), 0);
		assert_int_equal(reported(cq), (KAFFINITY)1 << cpu);
	}
	sched_setaffinity(tid, sizeof(before), &before);
	RELEASE(cq);
	end_close(&e);
}

static void nd2_own_routines_run_within_the_reported_affinity(void **state)
{
	OVERLAPPED ov = {0};
	KAFFINITY mask;
	struct end e;

	end_open(&e, 0, NULL);
	mask = reported(e.cq);
	HR(NdsFileBindCallback(e.file, note_cpu), ND_SUCCESS);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	HR(CALL(e.qp, Receive, NULL, NULL, 0), ND_SUCCESS);
	HR(CALL(e.qp, Flush), ND_SUCCESS);
	for (int i = 0; i < 20000 && atomic_load(&routine_ran_on) < 0; i++)
		sleep_ms(1);
	assert_in_range(atomic_load(&routine_ran_on), 0, 63);
	assert_true(mask >> atomic_load(&routine_ran_on) & 1);
	end_close(&e);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_queue_pairs_follow_the_affinity_of_their_queues),
	cmocka_unit_test(nd2_own_queue_pairs_are_spread_over_allowed_shards),
	cmocka_unit_test(nd2_own_both_shards_work),
	cmocka_unit_test(nd2_own_affinity_is_that_of_the_thread_that_notifies),
	cmocka_unit_test(nd2_own_routines_run_within_the_reported_affinity),
};

int main(void)
{
	sched_getaffinity(0, sizeof(unpinned), &unpinned);
	use_config(config);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
