/* The objects of the random driver, and the states in which each object may be. Owns the slots from
 * which threads pick objects, the list of all objects of a phase, and the overlapped files.
 *
 * A thread that uses an object holds a reference to it. So the object lives on if another thread
 * releases it. */
#include "random.h"

#include <unistd.h>

#define MAX_SLOTS 6u
#define FILES	  3

static const unsigned slots_of[KINDS] = {
	[K_REGION] = 4,	  [K_CQ] = 3,	  [K_QP] = 5, [K_CONNECTOR] = 6,
	[K_LISTENER] = 2, [K_WINDOW] = 4, [K_SRQ] = 2};

struct slot {
	pthread_mutex_t guard;
	struct thing *thing;
};

static struct slot slots[2][KINDS][MAX_SLOTS];
static HANDLE files[2][FILES]; /* files[a][0] is not bound to the completion port, all others are */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct thing *all;

void things_open(void)
{
	for (int a = 0; a < 2; a++) {
		for (int k = 0; k < KINDS; k++)
			for (unsigned i = 0; i < MAX_SLOTS; i++)
				pthread_mutex_init(&slots[a][k][i].guard, NULL);
		for (int i = 0; i < FILES; i++) {
			HR(CALL(adapters[a], CreateOverlappedFile, &files[a][i]), ND_SUCCESS);
			if (i != 0)
				HR(NdsPortBind(port, files[a][i], (ULONG_PTR)i), ND_SUCCESS);
		}
	}
}

HANDLE file_take(int adapter, bool *packets)
{
	int i = (int)pick(FILES + 1);
	HANDLE file;

	*packets = i != 0;
	if (i < FILES)
		return files[adapter][i];
	/* A new file for one object. file_give() closes the file as soon as the object is created,
	 * so the object outlives its file. */
	check_answer(A_CREATE_FILE, adapters[adapter], IN(ONLY),
		     CALL(adapters[adapter], CreateOverlappedFile, &file));
	CHECK(NdsPortBind(port, file, 99) == ND_SUCCESS, "the file cannot be bound");
	return file;
}

void file_give(HANDLE file)
{
	for (int a = 0; a < 2; a++)
		for (int i = 0; i < FILES; i++)
			if (files[a][i] == file)
				return;
	CHECK(NdsHandleClose(file) == ND_SUCCESS, "the file cannot be closed");
}

struct thing *thing_any(enum kind kind, int adapter)
{
	struct slot *slot = &slots[adapter][kind][pick(slots_of[kind])];
	struct thing *t;

	pthread_mutex_lock(&slot->guard);
	t = slot->thing;
	if (t != NULL)
		CALL(t->obj, AddRef);
	pthread_mutex_unlock(&slot->guard);
	return t;
}

void thing_put(struct thing *t)
{
	if (CALL(t->obj, Release) != 0)
		return;
	note_word("last release", t, t->kind);
	records_none_pending(t, "its last release");
	if (t->kind == K_CQ)
		cq_life_over(t->life);
}

static bool put_into(struct slot *slot, struct thing *t)
{
	bool empty;

	pthread_mutex_lock(&slot->guard);
	empty = slot->thing == NULL;
	if (empty)
		slot->thing = t;
	pthread_mutex_unlock(&slot->guard);
	return empty;
}

void thing_keep(enum kind kind, int adapter, IUnknown *obj, bool packets, void *life)
{
	struct thing *t = calloc(1, sizeof(*t));
	bool kept = false;

	*t = (struct thing){
		.kind = kind, .adapter = adapter, .obj = obj, .packets = packets, .life = life};
	pthread_rwlock_init(&t->turn, NULL);
	atomic_store(&t->states, rule_first(kind));
	pthread_mutex_lock(&all_lock);
	t->next = all;
	all = t;
	pthread_mutex_unlock(&all_lock);
	for (unsigned i = 0; i < slots_of[kind] && !kept; i++)
		kept = put_into(&slots[adapter][kind][i], t);
	if (!kept)
		thing_put(t);
}

static struct thing *thing_out(struct slot *slot)
{
	struct thing *t;

	pthread_mutex_lock(&slot->guard);
	t = slot->thing;
	slot->thing = NULL;
	pthread_mutex_unlock(&slot->guard);
	return t;
}

void thing_drop(struct thing *t)
{
	for (unsigned i = 0; i < MAX_SLOTS; i++) {
		struct slot *slot = &slots[t->adapter][t->kind][i];
		bool mine;

		pthread_mutex_lock(&slot->guard);
		mine = slot->thing == t;
		if (mine)
			slot->thing = NULL;
		pthread_mutex_unlock(&slot->guard);
		if (mine)
			thing_put(t);
	}
}

void check_answer(enum act act, const void *object, uint32_t states, HRESULT answer)
{
	note_act(act, object, states, answer);
	acts_count(act, answer);
	if (rule_next(act, states, answer) != 0)
		return;
	for (int s = 0; s < STATUSES; s++)
		if (rule_call(act, states) & UINT64_C(1) << s)
			fprintf(stderr, "allowed: %d\n", s);
	BROKEN("%s of %p, states %#x, answered %08x %s", act_name(act), object, states,
	       (unsigned)answer, status_name(answer));
}

static HRESULT act_in_turn(struct thing *t, enum act act, bool overlapped, call_fn call,
			   const void *arg, bool mine)
{
	uint32_t states = mine ? rule_drift(t->kind, atomic_load(&t->states)) : rule_all(t->kind);
	struct record *r = NULL;
	HRESULT hr;

	if (overlapped) {
		r = record_take(t, t->packets, act, rule_end(act, states));
		if (r == NULL)
			return ND_TIMEOUT;
	}
	hr = call(t, r != NULL ? record_block(r) : NULL, arg);
	check_answer(act, t, states, hr);
	if (r != NULL)
		record_called(r, hr);
	if (mine)
		atomic_store(&t->states, rule_next(act, states, hr));
	else if (rule_moves(act))
		atomic_store(&t->states, rule_all(t->kind));
	if (mine && (act == A_CQ_CANCEL || act == A_CONNECTOR_CANCEL || act == A_LISTENER_CANCEL ||
		     act == A_SRQ_CANCEL))
		records_none_pending(t, "its cancellation");
	return hr;
}

HRESULT thing_act(struct thing *t, enum act act, bool overlapped, call_fn call, const void *arg)
{
	bool mine = chance(60) && pthread_rwlock_trywrlock(&t->turn) == 0;
	HRESULT hr;

	if (!mine && pthread_rwlock_tryrdlock(&t->turn) != 0)
		return ND_TIMEOUT;
	hr = act_in_turn(t, act, overlapped, call, arg, mine);
	pthread_rwlock_unlock(&t->turn);
	return hr;
}

static const struct weight {
	enum kind kind;
	unsigned percent;
	void (*acts)(struct thing *);
} weights[] = {
	{K_QP, 27, qp_acts},	    {K_CONNECTOR, 36, connector_acts},
	{K_CQ, 12, cq_acts},	    {K_LISTENER, 10, listener_acts},
	{K_REGION, 6, region_acts}, {K_SRQ, 3, srq_acts},
	{K_WINDOW, 2, window_acts},
};

void act_somehow(void)
{
	int adapter = (int)pick(2);
	unsigned at = pick(100);
	struct thing *t;

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		const struct weight *w = &weights[i];

		if (at >= w->percent) {
			at -= w->percent;
			continue;
		}
		t = thing_any(w->kind, adapter);
		if (t == NULL) {
			create_somehow(w->kind, adapter);
			return;
		}
		if (rarely(3))
			thing_drop(t);
		else
			w->acts(t);
		thing_put(t);
		return;
	}
	adapter_acts(adapter);
}

/* ---- the end of a phase ---- */

static void let_go(const enum kind *kinds, unsigned n)
{
	struct thing *mine[2 * KINDS * MAX_SLOTS];
	unsigned count = 0;

	for (int a = 0; a < 2; a++)
		for (unsigned k = 0; k < n; k++)
			for (unsigned i = 0; i < MAX_SLOTS; i++) {
				struct thing *t = thing_out(&slots[a][kinds[k]][i]);

				if (t != NULL)
					mine[count++] = t;
			}
	while (count != 0) {
		unsigned i = pick(count);

		thing_put(mine[i]);
		mine[i] = mine[--count];
	}
}

static void drain_queues(void)
{
	for (int a = 0; a < 2; a++)
		for (unsigned i = 0; i < MAX_SLOTS; i++) {
			struct thing *t = slots[a][K_CQ][i].thing;

			while (t != NULL && reap_some(t) != 0)
				;
		}
}

void things_close(bool any_order)
{
	static const enum kind every[] = {K_REGION,   K_CQ,	K_QP, K_CONNECTOR,
					  K_LISTENER, K_WINDOW, K_SRQ};

	if (!any_order) {
		let_go((const enum kind[]){K_QP, K_CONNECTOR, K_LISTENER}, 3);
		drain_queues();
		lives_check();
	}
	let_go(every, 7);
	for (int a = 0; a < 2; a++)
		for (int i = 0; i < FILES; i++)
			HR(NdsHandleClose(files[a][i]), ND_SUCCESS);
	records_drain();
	while (all != NULL) {
		struct thing *t = all;

		all = t->next;
		pthread_rwlock_destroy(&t->turn);
		free(t);
	}
	lives_free();
}
