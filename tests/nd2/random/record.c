/* Keeps the history of calls and checks that each request ends once. Owns the history of each
 * thread, the completion port, and the records that hold OVERLAPPEDs.
 *
 * A request on a file that is bound to the completion port ends with exactly one packet there. Any
 * other request ends when its OVERLAPPED gets a final status. Any thread may call these functions;
 * one lock guards the records. */
#include "random.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define HISTORY 4096u
#define RECORDS 2048u
#define DRAIN_S 20

_Thread_local struct actor *me;
HANDLE port;
extern uint64_t seed_of_test;

struct line {
	uint64_t when;
	const char *what;
	const void *object;
	uint64_t number;
	HRESULT answer;
};

static struct line history[MAX_THREADS][HISTORY];
static _Atomic unsigned lines[MAX_THREADS];
static _Atomic uint64_t clock_of_lines;

struct record {
	OVERLAPPED ov;
	const void *owner; /* NULL if the record is free */
	enum act act;
	set_t ends;
	bool packets, calling, ended;
};

static struct {
	pthread_mutex_t lock;
	struct record at[RECORDS];
	unsigned next;
} records = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

unsigned pick(unsigned n)
{
	me->seed = me->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(me->seed >> 33) % n;
}

static void note(const char *what, const void *object, uint64_t number, HRESULT answer)
{
	unsigned n = atomic_fetch_add(&lines[me->index], 1);

	history[me->index][n % HISTORY] =
		(struct line){atomic_fetch_add(&clock_of_lines, 1), what, object, number, answer};
}

void note_act(enum act act, const void *object, uint32_t states, HRESULT answer)
{
	note(act_name(act), object, states, answer);
}

void note_word(const char *word, const void *object, uint64_t number)
{
	note(word, object, number, ND_SUCCESS);
}

/* Prints the history of each thread, oldest line first. The number of a line is its position in the
 * common history of all threads. */
static void print_history(void)
{
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		unsigned n = atomic_load(&lines[t]);

		if (n != 0)
			fprintf(stderr, "thread %u, act %u:\n", t, n);
		for (unsigned i = n > HISTORY ? n - HISTORY : 0; i < n; i++) {
			const struct line *l = &history[t][i % HISTORY];

			fprintf(stderr, "  %8llu %-22s %p %#llx %s\n", (unsigned long long)l->when,
				l->what, l->object, (unsigned long long)l->number,
				status_name(l->answer));
		}
	}
}

void broken(const char *file, int line, const char *format, ...)
{
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	va_list args;

	pthread_mutex_lock(&once); /* never unlocked, so that only the first failure is printed */
	fprintf(stderr, "%s:%d: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nthread %d, seed %llu\n", me != NULL ? (int)me->index : -1,
		(unsigned long long)seed_of_test);
	print_history();
	abort();
}

/* ---- counts of the calls of each act ---- */

static _Atomic uint64_t made[ACTS], taken[ACTS];

void acts_count(enum act act, HRESULT answer)
{
	atomic_fetch_add(&made[act], 1);
	if (answer == ND_SUCCESS || answer == ND_PENDING)
		atomic_fetch_add(&taken[act], 1);
}

uint64_t acts_taken(enum act act)
{
	return atomic_load(&taken[act]);
}

/* Returns the number of untested acts, and prints each of them. An act is untested if it never
 * succeeded although a rule lets it succeed, or if it was never called. */
unsigned acts_missing(void)
{
	const set_t good = S(SUCCESS) | S(PENDING);
	unsigned n = 0;

	for (int a = 0; a < ACTS; a++) {
		bool takes = (rule_call((enum act)a, rule_all(act_kind((enum act)a))) & good) != 0;

		if (atomic_load(takes ? &taken[a] : &made[a]) != 0)
			continue;
		fprintf(stderr, "%s was never %s\n", act_name((enum act)a),
			takes ? "taken" : "made");
		n++;
	}
	return n;
}

/* ---- requests ---- */

struct record *record_take(const void *owner, bool packets, enum act act, set_t ends)
{
	struct record *r = NULL;

	pthread_mutex_lock(&records.lock);
	for (unsigned i = 0; i < RECORDS && r == NULL; i++) {
		struct record *at = &records.at[records.next++ % RECORDS];

		if (at->owner == NULL)
			r = at;
	}
	if (r != NULL)
		*r = (struct record){.owner = owner,
				     .packets = packets,
				     .act = act,
				     .ends = ends,
				     .calling = true};
	pthread_mutex_unlock(&records.lock);
	return r;
}

OVERLAPPED *record_block(struct record *r)
{
	return &r->ov;
}

static HRESULT status_in(struct record *r)
{
	return (HRESULT)__atomic_load_n(&r->ov.Internal, __ATOMIC_ACQUIRE);
}

/* Records that the request has ended with this status. The caller holds records.lock. */
static void end(struct record *r, HRESULT status)
{
	enum status s = status_of(status);

	CHECK(!r->ended, "%s of %p ended twice, now with %s", act_name(r->act), r->owner,
	      status_name(status));
	CHECK(s != STATUSES && r->ends & UINT64_C(1) << s, "%s of %p ended with %08x %s",
	      act_name(r->act), r->owner, (unsigned)status, status_name(status));
	CHECK(status_in(r) == status, "%s of %p: a packet says %08x, the block %08x",
	      act_name(r->act), r->owner, (unsigned)status, (unsigned)status_in(r));
	r->ended = true;
	if (!r->calling)
		r->owner = NULL;
}

void record_called(struct record *r, HRESULT answer)
{
	pthread_mutex_lock(&records.lock);
	r->calling = false;
	if (answer != ND_PENDING)
		CHECK(!r->ended, "%s of %p answered %s and ended all the same", act_name(r->act),
		      r->owner, status_name(answer));
	if (answer != ND_PENDING || r->ended)
		r->owner = NULL;
	pthread_mutex_unlock(&records.lock);
}

static void look(struct record *r)
{
	if (r->owner != NULL && !r->packets && !r->calling && status_in(r) != ND_PENDING)
		end(r, status_in(r));
}

void records_sweep(void)
{
	NDS_PORT_ENTRY entries[16];
	ULONG n = 0;

	NdsPortGet(port, entries, 16, 0, &n);
	pthread_mutex_lock(&records.lock);
	for (ULONG i = 0; i < n; i++) {
		struct record *r = (struct record *)entries[i].lpOverlapped;

		CHECK(r >= records.at && r < records.at + RECORDS && r->owner != NULL && r->packets,
		      "a packet for %p, which waits for none", (void *)r);
		end(r, (HRESULT)entries[i].Internal);
	}
	for (unsigned i = 0; i < 64; i++)
		look(&records.at[(records.next + i) % RECORDS]);
	pthread_mutex_unlock(&records.lock);
}

void records_none_pending(const void *owner, const char *after)
{
	pthread_mutex_lock(&records.lock);
	for (unsigned i = 0; i < RECORDS; i++) {
		struct record *r = &records.at[i];

		CHECK(r->owner != owner || r->calling || status_in(r) != ND_PENDING,
		      "%s of %p is pending after %s", act_name(r->act), owner, after);
		/* A later object may get the address of the released owner. So the owner of this
		 * record is now the record itself, which is never an object. */
		if (r->owner == owner && !r->calling)
			r->owner = r;
	}
	pthread_mutex_unlock(&records.lock);
}

static const struct record *any_left(void)
{
	const struct record *left = NULL;

	pthread_mutex_lock(&records.lock);
	for (unsigned i = 0; i < RECORDS; i++) {
		look(&records.at[i]);
		if (records.at[i].owner != NULL)
			left = &records.at[i];
	}
	pthread_mutex_unlock(&records.lock);
	return left;
}

void records_drain(void)
{
	uint64_t until = now_ms() + DRAIN_S * 1000;
	const struct record *left;

	while ((left = any_left()) != NULL) {
		CHECK(now_ms() < until, "%s of %p has not ended", act_name(left->act), left->owner);
		records_sweep();
		usleep(500);
	}
	usleep(2000); /* a surplus packet may still come; records_sweep() would report it */
	records_sweep();
}
