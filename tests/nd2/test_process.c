/* The library's effect on its process: threads, signals, exit. */
#include "fixture.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the mask of the signals that a thread of this process blocks. Stores the thread's name in
 * `name`. */
static unsigned long long blocked_by(const char *tid, char name[32])
{
	unsigned long long mask = 0;
	char path[320], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Name: %31s", name);
		sscanf(line, "SigBlk: %llx", &mask);
	}
	fclose(f);
	return mask;
}

static bool blocks(unsigned long long mask, int sig)
{
	return mask >> (sig - 1) & 1;
}

static void nothing_to_do(DWORD error, DWORD bytes, OVERLAPPED *ov)
{
}

/* Returns the number of the library's threads. Each of these threads must block the application's
 * signals, but neither SIGSEGV nor SIGBUS. If a thread does not comply, `other` gets a text that
 * names the thread. Otherwise `other` is "". */
static unsigned well_behaved_threads(char other[128])
{
	unsigned threads = 0;
	struct dirent *d;
	DIR *tasks = opendir("/proc/self/task");

	assert_non_null(tasks);
	other[0] = '\0';
	while ((d = readdir(tasks)) != NULL) {
		char name[32] = "";
		unsigned long long mask;

		if (d->d_name[0] == '.' || atoi(d->d_name) == getpid())
			continue;
		mask = blocked_by(d->d_name, name);
#ifdef __SANITIZE_THREAD__
		if (strcmp(name, "nd2_process") == 0)
			/* This thread belongs to TSan and has the program's name. The library's
			 * threads have names of their own. */
			continue;
#endif
		if (!blocks(mask, SIGTERM) || !blocks(mask, SIGINT) || !blocks(mask, SIGUSR1) ||
		    blocks(mask, SIGSEGV) || blocks(mask, SIGBUS))
			snprintf(other, 128, "thread %s blocks %016llx", name, mask);
		threads++;
	}
	closedir(tasks);
	return threads;
}

static struct sigaction before; /* of SIGSEGV, when no adapter is open */

/* cmocka installs its own fault handlers when a test starts, so the tests open the adapters, not a
 * setup function. */
static void open_here(void)
{
	sigaction(SIGSEGV, NULL, &before);
	open_adapters(NULL);
}

/* A device may be closed in its event thread, after the caller has released the last reference. The
 * library restores the former fault handlers then. If cmocka restored the default action in
 * between, the library would consider its own handler as replaced, and would not install it for the
 * next test. */
static void close_here(void)
{
	struct sigaction now;

	close_adapters(NULL);
	for (unsigned ms = 0; ms < 20000; ms++) {
		sigaction(SIGSEGV, NULL, &now);
		if (now.sa_handler == before.sa_handler)
			return;
		sleep_ms(1);
	}
	fail_msg("the adapters are not closed after 20 s");
}

/* A signal to the process must be delivered to an application thread. A fault must be handled in
 * the thread that caused the fault. */
static void signals_are_the_applications(void **state)
{
	unsigned threads = 0;
	char other[128] = "";
	struct pair p;

	open_here();
	pair_open_connected(&p, NULL);
	HR(NdsFileBindCallback(p.a.file, nothing_to_do), ND_SUCCESS);
	/* Each new thread of the library first sets its signal mask and its name, but may be
	 * scheduled late. So check again for up to 20 s. */
	for (unsigned i = 0; i < 1000; i++) {
		sleep_ms(20);
		threads = well_behaved_threads(other);
		if (other[0] == '\0' && threads > 3)
			break;
	}
	pair_close(&p);
	close_here();
	assert_string_equal(other, "");
	assert_true(threads > 3);
}

static _Atomic unsigned polled;
static struct pair *of_routine;
static _Atomic bool stop_polling;

/* A completion routine that calls GetResults in a loop. Under the idle policy inline, GetResults
 * polls the NIC in the calling thread. So a NIC access to unmapped memory faults in this thread. */
static void poll_for_a_while(DWORD error, DWORD bytes, OVERLAPPED *ov)
{
	ND2_RESULT r;

	while (!atomic_load(&stop_polling))
		atomic_fetch_add(&polled, CALL(of_routine->a.cq, GetResults, &r, 1));
}

/* The NIC accesses unmapped memory and faults in a thread that runs a completion routine. The
 * request must still end with an error. */
static void faults_of_completion_routines_are_ours(void **state)
{
	uint8_t *gone =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	OVERLAPPED ov = {0};
	IND2MemoryRegion *mr;
	struct pair p;
	ND2_SGE sge;

	open_here();
	pair_open_connected(&p, NULL);
	of_routine = &p;
	mr = new_mr(&p.a);
	register_mr(mr, gone, 4096, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	sge = (ND2_SGE){gone, 64, CALL(mr, GetLocalToken)};
	HR(NdsFileBindCallback(p.a.file, poll_for_a_while), ND_SUCCESS);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	CALL(p.a.cq, CancelOverlappedRequests); /* ends the Notify; the routine then runs */
	munmap(gone, 4096);
	HR(CALL(p.a.qp, Send, NULL, &sge, 1, 0), ND_SUCCESS);
	for (unsigned i = 0; i < 20000 && atomic_load(&polled) == 0; i++)
		sleep_ms(1);
	atomic_store(&stop_polling, true);
	assert_int_equal(atomic_load(&polled), 1);
	sleep_ms(20);
	RELEASE(mr);
	pair_close(&p);
	close_here();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(signals_are_the_applications),
	cmocka_unit_test(faults_of_completion_routines_are_ours),
};

int main(int argc, char **argv)
{
	use_policy(argc > 1 ? argv[1] : "adaptive");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
