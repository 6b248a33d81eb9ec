/* No accepted request is lost. One thread posts as fast as it can; another flushes, disconnects or
 * releases at any moment; a third takes completions. In some rounds no thread takes completions
 * until the end of the round, so that the completion queue holds more completions.
 *
 * Checks:
 * - Each accepted request has exactly one completion. A successful request with
 *   ND_OP_FLAG_SILENT_SUCCESS has none.
 * - The completions of a queue pair's receives come in the order of posting, and so do those of its
 *   sends.
 * - Failures come after all successes. They are ND_CANCELED; only the first may be
 *   ND_IO_TIMEOUT.
 * - Completions of a released queue pair can still be fetched.
 *
 * usage: nd2_flush_race POLICY [SEED [SECONDS]] */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* maximum of accepted requests whose result is not yet fetched; cq depth is 256 */
#define UNREAPED    200u
#define LEN	    512u
#define PATIENCE_MS 20000u

enum direction {
	RECEIVES,
	SENDS,
	DIRECTIONS,
};

static uint64_t seed_of_test, seed_of_round, end_of_test;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static unsigned pick(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % n;
}

/* The asserts of cmocka can end a test only from the main thread. CHECK() works in every thread. */
#define CHECK(condition, ...)                                                              \
	do {                                                                               \
		if (!(condition)) {                                                        \
			fprintf(stderr, "%s:%d: %s, in a round of seed %#llx: ", __FILE__, \
				__LINE__, #condition, (unsigned long long)seed_of_round);  \
			fprintf(stderr, __VA_ARGS__);                                      \
			fputc('\n', stderr);                                               \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* ---- one queue pair: its poster, its reaper, and what they count ---- */

struct flow {
	_Atomic uint32_t accepted; /* number of accepted requests; written by the poster */
	_Atomic uint32_t seen;	   /* number of the next result to fetch; written by the reaper */
	uint32_t successes, cancelled, silent;
	bool ended; /* true once a request has failed; all later requests must be cancelled */
};

struct side {
	struct end *e;
	struct flow flow[DIRECTIONS];
	uint64_t seed, reaper_seed;
	pthread_t poster, reaper;
	_Atomic bool stop_posting, stop_reaping;
	bool owns_reference;
};

/* Each fifth request of direction SENDS is posted with ND_OP_FLAG_SILENT_SUCCESS. */
static bool is_silent(enum direction d, uint32_t number)
{
	return d == SENDS && number % 5 == 3;
}

static void *context_of(enum direction d, uint32_t number)
{
	return (void *)((uintptr_t)number << 1 | d);
}

static uint32_t unreaped(struct side *s)
{
	uint32_t n = 0;

	for (int d = 0; d < DIRECTIONS; d++)
		n += atomic_load(&s->flow[d].accepted) - atomic_load(&s->flow[d].seen);
	return n;
}

static HRESULT post_send_like(struct side *s, void *context, ULONG flags)
{
	ND2_SGE sge = {s->e->buf + pick(&s->seed, 4096), 1 + pick(&s->seed, LEN), s->e->local};

	switch (pick(&s->seed, 3)) {
	case 0:
		return CALL(s->e->qp, Send, context, &sge, 1, flags);
	case 1: /* a Write of no bytes needs no remote token */
		sge.BufferLength = 0;
		return CALL(s->e->qp, Write, context, &sge, 1, 0, 0, flags);
	default:
		sge.BufferLength = 1 + pick(&s->seed, 64);
		return CALL(s->e->qp, Send, context, &sge, 1, flags | ND_OP_FLAG_INLINE);
	}
}

static void post_one(struct side *s, enum direction d)
{
	struct flow *f = &s->flow[d];
	uint32_t number = atomic_load(&f->accepted);
	void *context = context_of(d, number);
	ND2_SGE sge = {s->e->buf + 8192, LEN, s->e->local};
	HRESULT hr;

	/* Count the request before the call: another thread may take its completion before the call
	 * returns. */
	atomic_store(&f->accepted, number + 1);
	if (d == RECEIVES)
		hr = CALL(s->e->qp, Receive, context, &sge, 1);
	else
		hr = post_send_like(s, context,
				    is_silent(d, number) ? ND_OP_FLAG_SILENT_SUCCESS : 0);
	if (hr == ND_SUCCESS)
		return;
	atomic_store(&f->accepted, number);
	CHECK(hr == ND_NO_MORE_ENTRIES || (d == SENDS && hr == ND_CONNECTION_INVALID),
	      "a request was refused with %08x", (unsigned)hr);
}

static void *post_all(void *arg)
{
	struct side *s = arg;

	while (!atomic_load(&s->stop_posting)) {
		if (unreaped(s) < UNREAPED)
			post_one(s, pick(&s->seed, 3) ? RECEIVES : SENDS);
		else
			sched_yield();
	}
	if (s->owns_reference)
		CALL(s->e->qp, Release);
	return NULL;
}

static void note(struct side *s, const ND2_RESULT *r)
{
	enum direction d = (uintptr_t)r->RequestContext & 1;
	struct flow *f = &s->flow[d];
	uint32_t number = (uint32_t)((uintptr_t)r->RequestContext >> 1), next = f->seen;

	CHECK((r->RequestType == Nd2RequestTypeReceive) == (d == RECEIVES), "type %d",
	      r->RequestType);
	for (; !f->ended && next < number && is_silent(d, next); next++)
		f->silent++;
	CHECK(next == number, "direction %d: completion %u, expected %u", d, number, next);
	if (r->Status == ND_SUCCESS) {
		CHECK(!f->ended, "a success after a failure");
		CHECK(!is_silent(d, number), "a silent success that is not");
		f->successes++;
	} else {
		/* A peer whose queue pair was flushed sends no ACKs. So the first failed request
		 * may also have timed out. */
		CHECK(r->Status == ND_CANCELED || (!f->ended && r->Status == ND_IO_TIMEOUT),
		      "completion status %08x", (unsigned)r->Status);
		f->ended = true;
		f->cancelled++;
	}
	atomic_store(&f->seen, number + 1);
}

static unsigned take(struct side *s)
{
	ND2_RESULT r[16];
	ULONG n = CALL(s->e->cq, GetResults, r, 1 + pick(&s->reaper_seed, 16));

	for (ULONG i = 0; i < n; i++)
		note(s, &r[i]);
	return n;
}

static void *reap_all(void *arg)
{
	struct side *s = arg;

	while (!atomic_load(&s->stop_reaping))
		if (take(s) == 0)
			usleep(20);
	return NULL;
}

/* ---- one round ---- */

enum action {
	FLUSH,
	FLUSH_TWICE,
	DISCONNECT,
	RELEASE_QP,
	FLUSH_AND_RELEASE,
	RELEASE_CONNECTOR,
	ACTIONS,
};

/* Disturbs the queue pair of one side with this action. Runs in the main thread, at the same time
 * as the posting threads. */
static void act(struct side *s, enum action action)
{
	OVERLAPPED ov = {0};

	switch (action) {
	case FLUSH_TWICE:
		HR(CALL(s->e->qp, Flush), ND_SUCCESS);
		/* fall through */
	case FLUSH:
		HR(CALL(s->e->qp, Flush), ND_SUCCESS);
		break;
	case DISCONNECT:
		if (CALL(s->e->connector, Disconnect, &ov) == ND_PENDING)
			HR(finish(s->e->connector, &ov), ND_SUCCESS);
		break;
	case FLUSH_AND_RELEASE:
		HR(CALL(s->e->qp, Flush), ND_SUCCESS);
		/* fall through */
	case RELEASE_QP: /* the posting thread holds a reference too; the last Release flushes */
		CALL(s->e->qp, Release);
		break;
	default:
		RELEASE(s->e->connector);
		break;
	}
}

static void side_start(struct side *s, bool reaping)
{
	pthread_create(&s->poster, NULL, post_all, s);
	if (reaping)
		pthread_create(&s->reaper, NULL, reap_all, s);
}

static void side_stop(struct side *s)
{
	atomic_store(&s->stop_posting, true);
	pthread_join(s->poster, NULL);
}

/* Returns the number of silent requests in a row, beginning with request f->seen. A silent request
 * that succeeds leaves no result, so these requests may all have completed. */
static uint32_t silent_rest(const struct flow *f, enum direction d)
{
	uint32_t n = f->seen;

	while (!f->ended && n < f->accepted && is_silent(d, n))
		n++;
	return n - f->seen;
}

static uint32_t missing(struct side *s)
{
	return unreaped(s) - silent_rest(&s->flow[RECEIVES], RECEIVES) -
	       silent_rest(&s->flow[SENDS], SENDS);
}

/* Checks that each accepted request has its completion. After Release, all completions can be
 * fetched at once. After Flush, missing completions have PATIENCE_MS to arrive, because a shard
 * completes nothing while nobody polls it. */
static void side_check(struct side *s, bool reaping, bool released)
{
	uint64_t end = now_ms() + (released ? 0 : PATIENCE_MS);

	atomic_store(&s->stop_reaping, true);
	if (reaping)
		pthread_join(s->reaper, NULL);
	while (take(s) != 0 || (missing(s) != 0 && now_ms() < end))
		;
	for (int d = 0; d < DIRECTIONS; d++) {
		struct flow *f = &s->flow[d];

		f->silent += silent_rest(f, d);
		CHECK(f->successes + f->cancelled + f->silent == f->accepted,
		      "direction %d: %u accepted, %u + %u silent done, %u cancelled", d,
		      f->accepted, f->successes, f->silent, f->cancelled);
	}
}

static struct {
	uint64_t rounds, accepted, cancelled;
} total;

static void add_up(const struct side *s)
{
	for (int d = 0; d < DIRECTIONS; d++) {
		total.accepted += s->flow[d].accepted;
		total.cancelled += s->flow[d].cancelled;
	}
}

static void one_round(uint64_t seed)
{
	enum action action = pick(&seed, ACTIONS);
	bool connected = pick(&seed, 3) != 0, reaping = pick(&seed, 3) != 0;
	struct side a = {.seed = seed ^ 1, .reaper_seed = seed ^ 3};
	struct side b = {.seed = seed ^ 2, .reaper_seed = seed ^ 4};
	struct pair p;

	if (connected)
		pair_open_connected(&p, NULL);
	else
		pair_open(&p, NULL);
	a.e = &p.a;
	b.e = &p.b;
	a.owns_reference = action == RELEASE_QP || action == FLUSH_AND_RELEASE;
	if (a.owns_reference)
		CALL(p.a.qp, AddRef);
	side_start(&b, true);
	side_start(&a, reaping);
	usleep(pick(&seed, 3000));
	act(&a, action);
	usleep(pick(&seed, 500));
	side_stop(&a);
	if (a.owns_reference)
		p.a.qp = NULL;
	else
		HR(CALL(p.a.qp, Flush), ND_SUCCESS);
	side_check(&a, reaping, a.owns_reference);
	side_stop(&b);
	RELEASE(p.b.qp);
	side_check(&b, true, true);
	add_up(&a);
	add_up(&b);
	total.rounds++;
	pair_close(&p);
}

static void nd2_own_each_accepted_request_completes_once_however_it_ends(void **state)
{
	uint64_t seed = seed_of_test;

	do {
		seed_of_round = seed;
		one_round(seed++);
	} while (now_ms() < end_of_test);
	print_message("%llu rounds, %llu requests, %llu cancelled\n",
		      (unsigned long long)total.rounds, (unsigned long long)total.accepted,
		      (unsigned long long)total.cancelled);
	assert_true(total.rounds < 20 || total.cancelled > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_each_accepted_request_completes_once_however_it_ends),
	};
	unsigned seconds = argc > 3 ? (unsigned)atoi(argv[3]) : 3;

	use_policy(argc > 1 ? argv[1] : "adaptive");
	seed_of_test = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)now_ms() * 1000003;
	end_of_test = now_ms() + seconds * 1000u;
	print_message("seed %#llx\n", (unsigned long long)seed_of_test);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
