/* A thread has blocked every signal, even SIGSEGV and SIGBUS, while memory of a registered region
 * is unmapped. A request that uses this memory ends with an error, and the process survives. This
 * holds even if the thread itself polls the NIC and hits the fault.
 *
 * The thread's signal mask is unchanged after each call. usage: nd2_blocked POLICY */
#include "fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEN 4096u

/* The library's signal handlers. Saved because the test framework replaces them by its own. */
static struct sigaction library_handler[2];
static const int faults[2] = {SIGSEGV, SIGBUS};

static void put_library_handlers_back(void)
{
	for (int i = 0; i < 2; i++)
		sigaction(faults[i], &library_handler[i], NULL);
}

static void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static bool all_blocked(void)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGSEGV) == 1 && sigismember(&now, SIGBUS) == 1 &&
	       sigismember(&now, SIGUSR1) == 1;
}

struct hole {
	uint8_t *at;
	IND2MemoryRegion *mr;
	UINT32 local, remote;
};

static void open_hole(struct hole *h, struct end *e)
{
	h->at = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	h->mr = new_mr(e);
	register_mr(h->mr, h->at, LEN,
		    ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_ALLOW_REMOTE_WRITE);
	h->local = CALL(h->mr, GetLocalToken);
	h->remote = CALL(h->mr, GetRemoteToken);
}

static void take_away(struct hole *h)
{
	assert_int_equal(munmap(h->at, LEN), 0);
	/* The library caches a thread's signal mask for up to 50 us, so wait longer than 50 us. */
	usleep(1000);
}

/* A thread of these tests and its objects. The thread blocks all signals and then calls
 * `request`. */
struct life {
	struct pair p;
	struct hole h;
	void (*request)(struct life *);
};

static void sends(struct life *l)
{
	ND2_SGE sge = {l->h.at, LEN, l->h.local};

	HR(post_recv(&l->p.b, 0, LEN, 1), ND_SUCCESS);
	HR(CALL(l->p.a.qp, Send, (void *)2, &sge, 1, 0), ND_SUCCESS);
	reap_is(l->p.a.cq, 2, ND_ACCESS_VIOLATION);
}

/* The peer's Write into the unmapped memory is executed while this thread polls the NIC. */
static void is_written_to(struct life *l)
{
	ND2_SGE sge = {l->p.b.buf, LEN, l->p.b.local};

	HR(CALL(l->p.b.qp, Write, (void *)3, &sge, 1, (uintptr_t)l->h.at, l->h.remote, 0),
	   ND_SUCCESS);
	reap_is(l->p.b.cq, 3, ND_ACCESS_VIOLATION);
}

static void *live(void *arg)
{
	struct life *l = arg;

	exchange(&l->p.a, &l->p.b);
	block_all();
	take_away(&l->h);
	l->request(l);
	assert_true(all_blocked());
	return NULL;
}

static void one_life(void (*request)(struct life *))
{
	struct life l = {.request = request};
	pthread_t thread;

	pair_open_connected(&l.p, NULL);
	open_hole(&l.h, &l.p.a);
	pthread_create(&thread, NULL, live, &l);
	pthread_join(thread, NULL);
	RELEASE(l.h.mr);
	pair_close(&l.p);
}

static void memory_sent_from(void **state)
{
	put_library_handlers_back();
	one_life(sends);
}

static void memory_written_to(void **state)
{
	put_library_handlers_back();
	one_life(is_written_to);
}

static int open_all(void **state)
{
	open_adapters(state);
	for (int i = 0; i < 2; i++)
		sigaction(faults[i], NULL, &library_handler[i]);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(memory_sent_from),
	cmocka_unit_test(memory_written_to),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		use_policy(argv[1]);
	return cmocka_run_group_tests(tests, open_all, close_adapters);
}
