/* Shared by the source files of the random driver, which makes random calls of the NetworkDirect
 * interfaces. Declares the state of the driver's threads, the objects, and the records of
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

/* ---- record.c: the history of calls, and the pending requests ---- */

struct actor {
	uint64_t seed;
	_Atomic uint64_t acts; /* number of calls by this thread so far, for the watchdog */
	unsigned index;
};
extern _Thread_local struct actor *me;

/* Prints the message, the seed and the last calls of all threads, and aborts. */
#define BROKEN(...) broken(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition, ...)                \
	do {                                 \
		if (!(condition))            \
			BROKEN(__VA_ARGS__); \
	} while (0)
__attribute__((noreturn, format(printf, 3, 4))) void broken(const char *file, int line,
							    const char *format, ...);
uint64_t now_ms(void);
/* A random number below n, drawn from this thread's seed. */
unsigned pick(unsigned n);
static inline bool chance(unsigned percent)
{
	return pick(100) < percent;
}
static inline bool rarely(unsigned in_a_thousand)
{
	return pick(1000) < in_a_thousand;
}
/* Both functions add one line to this thread's history. note_act() adds a call and its status,
 * note_word() a word and a number. */
void note_act(enum act act, const void *object, uint32_t states, HRESULT answer);
void note_word(const char *word, const void *object, uint64_t number);

/* An act is a method with one class of arguments. acts_count() counts each call of an act and each
 * success. acts_missing() returns the number of missing acts, and prints them. An act is missing if
 * it was never called, or if it never succeeded although a rule allows success. */
void acts_count(enum act act, HRESULT answer);
uint64_t acts_taken(enum act act);
unsigned acts_missing(void);

struct record;
/* Returns a record for a request of `owner`. The request may end with one of the statuses `ends`.
 * `packets` is true if the owner's file is bound to the completion port. The end of the request
 * then queues a completion packet there. Returns NULL if all records are in use. */
struct record *record_take(const void *owner, bool packets, enum act act, set_t ends);
OVERLAPPED *record_block(struct record *);
/* To be called when the method has returned `answer`. Fails if `answer` is not ND_PENDING and the
 * request was reported as ended nevertheless. */
void record_called(struct record *, HRESULT answer);
/* Takes completion packets from the completion port. Also checks whether some of the requests that
 * queue no packet have ended. */
void records_sweep(void);
/* Fails if a request of the owner is pending. Also removes the owner from its records, since a
 * later object may get the same address. */
void records_none_pending(const void *owner, const char *after);
/* Waits until all requests have ended. */
void records_drain(void);
extern HANDLE port;

/* ---- objects ---- */

/* The record of one object. Kept to the end of the phase, even after the object was taken out of
 * its slot and released. */
struct thing {
	struct thing *next; /* next object in the list of all objects of this phase */
	enum kind kind;
	int adapter;
	IUnknown *obj;
	/* A call of the object holds this lock for reading. A thread that holds the lock for
	 * writing has exclusive use of the object. */
	pthread_rwlock_t turn;
	_Atomic uint32_t states;
	bool packets;		/* the object's file is bound to the completion port */
	void *life;		/* struct qp_life or cq_life; NULL for other kinds of objects */
	_Atomic uint32_t token; /* a region's remote token, 0 if unknown */
	_Atomic uint16_t port;	/* a listener's port number, 0 if unknown */
};

/* ---- things.c: the slots of objects, and calls under an object's lock ---- */
void things_open(void);
/* To be called when the driver's threads have ended. Releases all objects. If any_order is false,
 * releases queue pairs, connectors and listeners first, so that lives_check() can check all
 * results. */
void things_close(bool any_order);
/* Returns a reference to the object in a random slot of this kind and adapter. Returns NULL if that
 * slot is empty. */
struct thing *thing_any(enum kind kind, int adapter);
void thing_put(struct thing *);
/* Takes the object out of its slot and releases the slot's reference. */
void thing_drop(struct thing *);
/* Puts a new object into an empty slot. Releases the object if no slot is empty. */
void thing_keep(enum kind kind, int adapter, IUnknown *obj, bool packets, void *life);

/* thing_act() makes `call`, checks the status against the rules, and updates the object's states.
 * If another thread has locked the object, or no record of record.c is free for the OVERLAPPED,
 * thing_act() does not make the call and returns ND_TIMEOUT. No method returns this status. */
typedef HRESULT (*call_fn)(struct thing *, OVERLAPPED *ov, const void *arg);
HRESULT thing_act(struct thing *, enum act act, bool overlapped, call_fn call, const void *arg);
/* Fails unless the rules allow this status for this act in one of these states. */
void check_answer(enum act act, const void *object, uint32_t states, HRESULT answer);
/* Makes one random call in the calling thread. */
void act_somehow(void);
/* Returns a file on which to create an object. Sets *packets to true if the file is bound to the
 * completion port. The caller returns the file with file_give(). */
HANDLE file_take(int adapter, bool *packets);
void file_give(HANDLE file);

/* ---- resources.c: adapters, regions, queues, windows ---- */
void adapter_acts(int adapter);
void region_acts(struct thing *);
void cq_acts(struct thing *);
void srq_acts(struct thing *);
void window_acts(struct thing *);
void create_somehow(enum kind kind, int adapter);

/* ---- connect.c: connectors and listeners ---- */
void connector_acts(struct thing *);
void listener_acts(struct thing *);

/* ---- traffic.c: posted requests and their results ---- */

struct base {
	IND2MemoryRegion *mr;
	uint8_t *buf;
	UINT32 local, remote;
};
extern struct base base[2]; /* a region of each adapter, registered for the whole phase */

struct cq_life;
struct qp_life;
struct cq_life *cq_life_new(ULONG depth);
struct qp_life *qp_life_new(struct cq_life *recv, struct cq_life *send);
void lives_free(void);
/* To be called after the last Release of the completion queue. From then on no result can be
 * fetched. */
void cq_life_over(struct cq_life *);
/* Marks the queue pair as used for a connection. Returns true if the queue pair was neither used
 * nor flushed before. */
bool qp_life_use(struct qp_life *);
/* Removes the mark that qp_life_use() has set. To be called if Connect or Accept has failed at
 * once. */
void qp_life_unuse(struct qp_life *);
bool qp_life_fresh(struct qp_life *);
void qp_acts(struct thing *);
/* Fetches some results, checks them, and returns the number of results. */
unsigned reap_some(struct thing *);
/* Fails if a result is missing. To be called when all queue pairs are released and all results are
 * fetched. */
void lives_check(void);
struct traffic {
	uint64_t posted, done, failed, cancelled;
};
struct traffic traffic_count(void);

#endif
