/* What the parts of the random driver share: the threads' state, the objects, the records of requests. */
#ifndef RANDOM_H
#define RANDOM_H

#include "../fixture.h"
#include "rules.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define MAX_THREADS 16
#define BASE_BYTES  (64u * 1024)
#define LIFE_MAGIC  0x6c696665u

/* ---- record.c: what was done, and requests under way ---- */

struct actor {
	uint64_t seed;
	_Atomic uint64_t acts; /* done; the watchdog looks at it */
	unsigned index;
};
extern _Thread_local struct actor *me;

/* Prints the sentence, the seed and the last acts of all threads, and ends the program. */
#define BROKEN(...) broken(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition, ...)                \
	do {                                 \
		if (!(condition))            \
			BROKEN(__VA_ARGS__); \
	} while (0)
__attribute__((noreturn, format(printf, 3, 4))) void broken(const char *file, int line,
							    const char *format, ...);
uint64_t now_ms(void);
/* A number below n, of this thread's seed. */
unsigned pick(unsigned n);
static inline bool chance(unsigned percent)
{
	return pick(100) < percent;
}
static inline bool rarely(unsigned in_a_thousand)
{
	return pick(1000) < in_a_thousand;
}
/* One line of history. what: an act, or -1 and a word. */
void note_act(enum act act, const void *object, uint32_t states, HRESULT answer);
void note_word(const char *word, const void *object, uint64_t number);

/* How often each act was made, and taken; acts that never were are told, with `taken` those never taken. */
void acts_count(enum act act, HRESULT answer);
uint64_t acts_taken(enum act act);
unsigned acts_missing(void);

struct record;
/* For a request on behalf of `owner`. packets: its file is bound to the port. NULL: all are in use. */
struct record *record_take(const void *owner, bool packets, enum act act, set_t ends);
OVERLAPPED *record_block(struct record *);
/* The call returned. Other than ND_PENDING: nothing must come any more. */
void record_called(struct record *, HRESULT answer);
/* Takes packets and looks at some requests. */
void records_sweep(void);
/* None of the owner's requests is pending, neither now nor ever. */
void records_none_pending(const void *owner, const char *after);
/* Waits for all. */
void records_drain(void);
extern HANDLE port;

/* ---- objects ---- */

/* One object from its creation to the end of the phase, whichever slot it is in and how often it is released. */
struct thing {
	struct thing *next; /* of all of this phase */
	enum kind kind;
	int adapter;
	IUnknown *obj;
	pthread_rwlock_t turn; /* for writing: nobody else calls what moves it */
	_Atomic uint32_t states;
	bool packets;		/* its requests end in the port */
	void *life;		/* of queue pairs and completion queues, from traffic.c */
	_Atomic uint32_t token; /* of a region, for remote use; 0: none known */
	_Atomic uint16_t port;	/* of a listener */
};

/* things.c */
void things_open(void);
/* Lets go of all, in any order or so that all completions can be seen. No thread is at work any more. */
void things_close(bool any_order);
/* A random one of this kind and adapter, with a reference; NULL: the slot is empty. */
struct thing *thing_any(enum kind kind, int adapter);
void thing_put(struct thing *);
/* Of no more use: out of its slot, and soon gone. */
void thing_drop(struct thing *);
/* A new one into an empty slot; if there is none, it is released. */
void thing_keep(enum kind kind, int adapter, IUnknown *obj, bool packets, void *life);

/* Makes the call with the model's foresight and learns from the answer. ND_TIMEOUT, which nothing answers: not made,
 * since somebody else is at it. */
typedef HRESULT (*call_fn)(struct thing *, OVERLAPPED *ov, const void *arg);
HRESULT thing_act(struct thing *, enum act act, bool overlapped, call_fn call, const void *arg);
/* The answer to an act on an object in one of these states must be one of the rules'. */
void check_answer(enum act act, const void *object, uint32_t states, HRESULT answer);
/* One act of one thread. */
void act_somehow(void);
/* A file to create an object on; `packets`: bound to the port. To be given back. */
HANDLE file_take(int adapter, bool *packets);
void file_give(HANDLE file);

/* resources.c: adapters, regions, completion queues */
void adapter_acts(int adapter);
void region_acts(struct thing *);
void cq_acts(struct thing *);
void srq_acts(struct thing *);
void window_acts(struct thing *);
void create_somehow(enum kind kind, int adapter);

/* connect.c */
void connector_acts(struct thing *);
void listener_acts(struct thing *);

/* ---- traffic.c ---- */

struct base {
	IND2MemoryRegion *mr;
	uint8_t *buf;
	UINT32 local, remote;
};
extern struct base base[2]; /* a region of each adapter that stays */

struct cq_life;
struct qp_life;
struct cq_life *cq_life_new(ULONG depth);
struct qp_life *qp_life_new(struct cq_life *recv, struct cq_life *send);
void lives_free(void);
/* No completion can be taken any more. */
void cq_life_over(struct cq_life *);
/* From now on a connection may be made. Whether none could before and this one can. */
bool qp_life_use(struct qp_life *);
/* By who could use it first and kept others from using it: nothing came of it. */
void qp_life_unuse(struct qp_life *);
bool qp_life_fresh(struct qp_life *);
void qp_acts(struct thing *);
/* Takes completions and checks them; their number. */
unsigned reap_some(struct thing *);
/* All queue pairs are gone and all queues drained: nothing is missing. */
void lives_check(void);
struct traffic {
	uint64_t posted, done, failed, cancelled;
};
struct traffic traffic_count(void);

#endif
