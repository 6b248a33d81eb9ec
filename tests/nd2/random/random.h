/* Shared by the parts of the random driver: the threads' state, the objects, the records of
 * requests. */
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

/* ---- record.c: history of acts, and pending requests ---- */

struct actor {
	uint64_t seed;
	_Atomic uint64_t acts; /* number of acts, for the watchdog */
	unsigned index;
};
extern _Thread_local struct actor *me;

/* Prints the message, the seed and the last acts of all threads, and aborts. */
#define BROKEN(...) broken(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition, ...)                \
	do {                                 \
		if (!(condition))            \
			BROKEN(__VA_ARGS__); \
	} while (0)
__attribute__((noreturn, format(printf, 3, 4))) void broken(const char *file, int line,
							    const char *format, ...);
uint64_t now_ms(void);
/* A random number below n from this thread's seed. */
unsigned pick(unsigned n);
static inline bool chance(unsigned percent)
{
	return pick(100) < percent;
}
static inline bool rarely(unsigned in_a_thousand)
{
	return pick(1000) < in_a_thousand;
}
/* Adds a line to this thread's history: an act, or a word. */
void note_act(enum act act, const void *object, uint32_t states, HRESULT answer);
void note_word(const char *word, const void *object, uint64_t number);

/* acts_count() counts each act and each success of an act. acts_missing() prints the acts that were
 * never made, or never successful although a rule allows success, and returns their number. */
void acts_count(enum act act, HRESULT answer);
uint64_t acts_taken(enum act act);
unsigned acts_missing(void);

struct record;
/* A record for a request of `owner`, which may end with a status of `ends`. packets: the owner's
 * file is bound to the port. Returns NULL if all records are in use. */
struct record *record_take(const void *owner, bool packets, enum act act, set_t ends);
OVERLAPPED *record_block(struct record *);
/* The call has returned; unless it returned ND_PENDING, the request must not end. */
void record_called(struct record *, HRESULT answer);
/* Takes packets from the port, and checks some requests that make none. */
void records_sweep(void);
/* Fails if a request of the owner is pending; none will be looked up under this owner again. */
void records_none_pending(const void *owner, const char *after);
/* Waits until all requests have ended. */
void records_drain(void);
extern HANDLE port;

/* ---- objects ---- */

/* An object from its creation to the end of the phase; lives on after its slot and its last
 * reference. */
struct thing {
	struct thing *next; /* list of all things of this phase */
	enum kind kind;
	int adapter;
	IUnknown *obj;
	pthread_rwlock_t turn; /* held for writing: no other thread makes an act on the object */
	_Atomic uint32_t states;
	bool packets;		/* its file is bound to the port */
	void *life;		/* struct qp_life or cq_life of traffic.c, else NULL */
	_Atomic uint32_t token; /* a region's remote token, 0 if unknown */
	_Atomic uint16_t port;	/* a listener's port, 0 if unknown */
};

/* things.c */
void things_open(void);
/* Releases everything, in random order or so that all results can be checked. The threads have
 * ended. */
void things_close(bool any_order);
/* A reference to the object in a random slot of this kind and adapter; NULL if the slot is
 * empty. */
struct thing *thing_any(enum kind kind, int adapter);
void thing_put(struct thing *);
/* Takes the object out of its slot and releases that reference. */
void thing_drop(struct thing *);
/* Puts a new object into an empty slot; without one the object is released. */
void thing_keep(enum kind kind, int adapter, IUnknown *obj, bool packets, void *life);

/* Makes the call, checks its status against the rules, and updates the object's states. Returns
 * ND_TIMEOUT, which no method returns, if the call was not made: another thread holds the object,
 * or no record is free. */
typedef HRESULT (*call_fn)(struct thing *, OVERLAPPED *ov, const void *arg);
HRESULT thing_act(struct thing *, enum act act, bool overlapped, call_fn call, const void *arg);
/* Fails unless the rules allow this status for the act in one of these states. */
void check_answer(enum act act, const void *object, uint32_t states, HRESULT answer);
/* One random act of the calling thread. */
void act_somehow(void);
/* A file to create an object on, which the caller returns by file_give(). *packets: whether the
 * file is bound to the port. */
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
extern struct base base[2]; /* a region of each adapter that lives for the whole phase */

struct cq_life;
struct qp_life;
struct cq_life *cq_life_new(ULONG depth);
struct qp_life *qp_life_new(struct cq_life *recv, struct cq_life *send);
void lives_free(void);
/* After the queue's last Release: its results cannot be fetched. */
void cq_life_over(struct cq_life *);
/* Marks the queue pair as used for a connection; returns true if it was unused and not flushed. */
bool qp_life_use(struct qp_life *);
/* Takes the mark back, for a first user whose call did not start a connection. */
void qp_life_unuse(struct qp_life *);
bool qp_life_fresh(struct qp_life *);
void qp_acts(struct thing *);
/* Fetches some results and checks them; returns their number. */
unsigned reap_some(struct thing *);
/* Fails if a result is missing. All queue pairs are gone and all queues are drained. */
void lives_check(void);
struct traffic {
	uint64_t posted, done, failed, cancelled;
};
struct traffic traffic_count(void);

#endif
