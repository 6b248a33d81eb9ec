/* Threads that make random calls, drawn from a seed; see README.md. Each phase of a few seconds
 * opens the adapters, lets the threads make calls, releases everything, and checks that no object
 * is left. A watchdog ends the program when no thread makes progress. */
#include "random.h"

#include <getopt.h>
#include <unistd.h>

#define PHASE_MS 3000u
#define HANG_MS	 60000u
#define ENOUGH	 100000u /* after more calls than this, acts_missing() must return 0 */

uint64_t seed_of_test;
static uint64_t end_of_test;
static unsigned nthreads = 3;
static struct actor actors[MAX_THREADS];
static _Atomic bool stop_watching;
static _Atomic uint64_t end_of_phase;

/* Makes random calls. Sleeps now and then to leave CPU time to the library's threads and to other
 * processes. */
static void *act_for_a_while(void *arg)
{
	me = arg;
	while (now_ms() < atomic_load(&end_of_phase)) {
		act_somehow();
		if (chance(25))
			records_sweep();
		atomic_fetch_add(&me->acts, 1);
		if (chance(30))
			usleep(pick(1000));
	}
	return NULL;
}

static void *watch(void *unused)
{
	uint64_t last[MAX_THREADS] = {0}, since = now_ms();

	while (!atomic_load(&stop_watching)) {
		for (unsigned i = 0; i <= nthreads; i++) {
			uint64_t acts = atomic_load(&actors[i].acts);

			if (acts != last[i])
				since = now_ms();
			last[i] = acts;
		}
		CHECK(now_ms() - since < HANG_MS, "no act in %u s: something hangs",
		      HANG_MS / 1000);
		usleep(100000);
	}
	return NULL;
}

static void open_bases(void)
{
	for (int a = 0; a < 2; a++) {
		struct end e = {.which = a};

		HR(CALL(adapters[a], CreateOverlappedFile, &e.file), ND_SUCCESS);
		base[a].mr = new_mr(&e);
		base[a].buf = calloc(1, BASE_BYTES);
		register_mr(base[a].mr, base[a].buf, BASE_BYTES,
			    ND_MR_FLAG_ALLOW_REMOTE_READ | ND_MR_FLAG_ALLOW_REMOTE_WRITE);
		base[a].local = CALL(base[a].mr, GetLocalToken);
		base[a].remote = CALL(base[a].mr, GetRemoteToken);
		HR(NdsHandleClose(e.file), ND_SUCCESS);
	}
}

static void close_bases(void)
{
	for (int a = 0; a < 2; a++) {
		RELEASE(base[a].mr);
		free(base[a].buf);
	}
}

static void phase(unsigned number)
{
	pthread_t thread[MAX_THREADS];

	HR(NdsPortCreate(&port), ND_SUCCESS);
	open_adapters(NULL);
	open_bases();
	things_open();
	atomic_store(&end_of_phase, now_ms() + PHASE_MS);
	for (unsigned i = 0; i < nthreads; i++) {
		actors[i + 1].index = i + 1;
		actors[i + 1].seed = seed_of_test + number * 1000003u + i * 7919u;
		pthread_create(&thread[i], NULL, act_for_a_while, &actors[i + 1]);
	}
	for (unsigned i = 0; i < nthreads; i++)
		pthread_join(thread[i], NULL);
	things_close(chance(30));
	close_bases();
	close_adapters(NULL);
	HR(NdsHandleClose(port), ND_SUCCESS);
	nothing_lives();
}

static void nd2_own_any_method_with_any_argument_at_any_moment(void **state)
{
	uint64_t acts = 0;
	struct traffic t;
	unsigned phases = 0;
	pthread_t watchdog;

	me = &actors[0];
	me->seed = seed_of_test;
	pthread_create(&watchdog, NULL, watch, NULL);
	do {
		phase(phases++);
		atomic_fetch_add(&me->acts, 1);
	} while (now_ms() < end_of_test);
	atomic_store(&stop_watching, true);
	pthread_join(watchdog, NULL);
	for (unsigned i = 1; i <= nthreads; i++)
		acts += atomic_load(&actors[i].acts);
	t = traffic_count();
	print_message(
		"%u phases, %llu acts, %llu connections, %llu requests: %llu done, %llu failed, %llu cancelled\n",
		phases, (unsigned long long)acts, (unsigned long long)acts_taken(A_COMPLETE),
		(unsigned long long)t.posted, (unsigned long long)t.done,
		(unsigned long long)t.failed, (unsigned long long)t.cancelled);
	/* In a short run some kind of call may never have been made, by chance. */
	if (acts > ENOUGH)
		assert_int_equal(acts_missing(), 0);
	assert_true(acts > 0);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: nd2_random [--seed N] [--seconds N] [--threads 1..%u] [--policy P]\n",
		MAX_THREADS - 1);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"seconds", required_argument, NULL, 't'},
						{"threads", required_argument, NULL, 'n'},
						{"policy", required_argument, NULL, 'p'},
						{0}};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_any_method_with_any_argument_at_any_moment),
	};
	const char *policy = NULL;
	uint64_t seconds = 6;
	int c;

	seed_of_test = now_ms();
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			seed_of_test = strtoull(optarg, NULL, 0);
		else if (c == 't')
			seconds = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			nthreads = (unsigned)atoi(optarg);
		else if (c == 'p')
			policy = optarg;
		else
			return usage();
	}
	if (nthreads < 1 || nthreads >= MAX_THREADS || optind != argc)
		return usage();
	if (policy == NULL)
		policy = seed_of_test & 1 ? "inline" : "adaptive";
	use_policy(policy);
	end_of_test = now_ms() + seconds * 1000;
	print_message("seed %llu, policy %s\n", (unsigned long long)seed_of_test, policy);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
