/* Posts requests and checks their results. Owns the record of each queue pair and completion queue
 * of the phase: the accepted requests in their order, and the statuses with which each may end.
 *
 * Each queue pair has one lock for sends and one for receives, under which a request gets its
 * number. A result is taken under the lock of its completion queue. Any thread of the driver may
 * call these functions. */
#include "random.h"

#include <arpa/inet.h>

#define RING 1024u
/* Limit of silent requests whose end is not known, for each queue pair. A silent request leaves no
 * result if it succeeds, so its end is unknown until a later result comes. Until then the request
 * may still need an entry of the completion queue. */
#define SILENT_MOST 8u
#define LONGEST	    2048u

enum direction {
	RECEIVES,
	SENDS,
	DIRECTIONS,
};

/* The classes of posted requests, and the statuses with which the requests of each class may
 * end. */
/* clang-format off */
#define CLASS_ROWS(X) \
	X(RECEIVE_GOOD,   S(SUCCESS) | S(CANCELED) | S(OVERRUN)) \
	X(RECEIVE_EMPTY,  S(SUCCESS) | S(CANCELED) | S(OVERRUN)) \
	X(RECEIVE_FOREIGN, S(SUCCESS) | S(CANCELED) | S(OVERRUN) | S(VIOLATION)) \
	X(SEND_GOOD,      S(SUCCESS) | S(CANCELED) | S(TIMED_OUT) | S(DATA)) \
	X(SEND_FOREIGN,   S(CANCELED) | S(TIMED_OUT) | S(DATA) | S(VIOLATION)) \
	X(RDMA_GOOD,      S(SUCCESS) | S(CANCELED) | S(TIMED_OUT)) \
	X(RDMA_FOREIGN,   S(CANCELED) | S(TIMED_OUT) | S(VIOLATION)) \
	X(BIND,           S(SUCCESS) | S(CANCELED) | S(VIOLATION)) \
	X(INVALIDATE,     S(SUCCESS) | S(CANCELED) | S(REQUEST)) \
	X(RDMA_PASSING,   S(SUCCESS) | S(CANCELED) | S(TIMED_OUT) | S(VIOLATION))
/* clang-format on */

enum class {
#define X(name, ends) C_##name,
	CLASS_ROWS(X)
#undef X
};

static const set_t class_ends[] = {
#define X(name, ends) ends,
	CLASS_ROWS(X)
#undef X
};

struct cq_life {
	struct cq_life *next;
	pthread_mutex_t reaping;
	_Atomic int room;
	_Atomic bool over;
};

struct post {
	uint8_t class;
	bool silent;
};

struct flow {
	pthread_mutex_t posting;
	struct cq_life *cq;
	/* `accepted` is the number of accepted requests; the posting threads increment it. `seen`
	 * is the number of the oldest request whose end is not known yet; threads that fetch
	 * results update it. */
	_Atomic uint32_t accepted, seen;
	/* number of accepted silent requests (see SILENT_MOST) whose end is not known yet */
	_Atomic uint32_t silent;
	/* True once a result has reported a failure. All later results must be ND_CANCELED. */
	bool ended;
	struct post post[RING];
};

struct qp_life {
	uint32_t magic;
	struct qp_life *next;
	_Atomic bool used;    /* a thread has called Connect or Accept with this queue pair */
	_Atomic bool flushed; /* the queue pair was flushed and cannot be connected any more */
	struct flow flow[DIRECTIONS];
};

struct base base[2];
static pthread_mutex_t lives_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cq_life *cq_lives;
static struct qp_life *qp_lives;
static _Atomic uint64_t posted, done, failed, cancelled;

struct cq_life *cq_life_new(ULONG depth)
{
	struct cq_life *cq = calloc(1, sizeof(*cq));

	pthread_mutex_init(&cq->reaping, NULL);
	atomic_store(&cq->room, (int)depth);
	pthread_mutex_lock(&lives_lock);
	cq->next = cq_lives;
	cq_lives = cq;
	pthread_mutex_unlock(&lives_lock);
	return cq;
}

struct qp_life *qp_life_new(struct cq_life *recv, struct cq_life *send)
{
	struct qp_life *qp = calloc(1, sizeof(*qp));

	qp->magic = LIFE_MAGIC;
	qp->flow[RECEIVES].cq = recv;
	qp->flow[SENDS].cq = send;
	for (int d = 0; d < DIRECTIONS; d++)
		pthread_mutex_init(&qp->flow[d].posting, NULL);
	pthread_mutex_lock(&lives_lock);
	qp->next = qp_lives;
	qp_lives = qp;
	pthread_mutex_unlock(&lives_lock);
	return qp;
}

void cq_life_over(struct cq_life *cq)
{
	atomic_store(&cq->over, true);
}

bool qp_life_use(struct qp_life *qp)
{
	return !atomic_exchange(&qp->used, true) && !atomic_load(&qp->flushed);
}

void qp_life_unuse(struct qp_life *qp)
{
	atomic_store(&qp->used, false);
}

bool qp_life_fresh(struct qp_life *qp)
{
	return !atomic_load(&qp->used) && !atomic_load(&qp->flushed);
}

struct traffic traffic_count(void)
{
	return (struct traffic){atomic_load(&posted), atomic_load(&done), atomic_load(&failed),
				atomic_load(&cancelled)};
}

/* ---- results ---- */

/* The result of request number `until` has come. So all earlier requests without a known end have
 * succeeded, and are counted as ended. All of them must be silent requests; if one is not, its
 * result is lost. */
static void pass_silent(struct qp_life *qp, enum direction d, uint32_t until)
{
	struct flow *f = &qp->flow[d];
	uint32_t n = atomic_load(&f->seen);

	for (; n != until && f->post[n % RING].silent && !f->ended; n++) {
		atomic_fetch_add(&f->cq->room, 1);
		atomic_fetch_sub(&f->silent, 1);
	}
	CHECK(n == until, "queue pair %p, direction %d: result %u came before %u", (void *)qp, d,
	      until, n);
}

static void result(const struct thing *cq, const ND2_RESULT *r)
{
	struct qp_life *qp = r->QueuePairContext;
	enum direction d = (uintptr_t)r->RequestContext & 1;
	uint32_t n = (uint32_t)((uintptr_t)r->RequestContext >> 1);
	enum status s = status_of(r->Status);
	const struct post *post;
	struct flow *f;

	CHECK(qp != NULL && qp->magic == LIFE_MAGIC, "a result for %p", (void *)qp);
	f = &qp->flow[d];
	post = &f->post[n % RING];
	CHECK(f->cq == cq->life, "a result in the wrong queue");
	CHECK(n - atomic_load(&f->seen) < atomic_load(&f->accepted) - atomic_load(&f->seen),
	      "queue pair %p, direction %d: result %u, seen %u, accepted %u", (void *)qp, d, n,
	      atomic_load(&f->seen), atomic_load(&f->accepted));
	CHECK((r->RequestType == Nd2RequestTypeReceive) == (d == RECEIVES), "type %d",
	      r->RequestType);
	pass_silent(qp, d, n);
	CHECK(s != STATUSES && class_ends[post->class] & UINT64_C(1) << s,
	      "queue pair %p, direction %d: a request of class %d ended with %08x %s", (void *)qp,
	      d, post->class, (unsigned)r->Status, status_name(r->Status));
	CHECK(!f->ended || r->Status == ND_CANCELED,
	      "queue pair %p, direction %d: %s after a failure", (void *)qp, d,
	      status_name(r->Status));
	CHECK(!post->silent || r->Status != ND_SUCCESS, "a silent success that was not");
	if (r->Status != ND_SUCCESS)
		f->ended = true;
	atomic_fetch_add(r->Status == ND_SUCCESS    ? &done
			 : r->Status == ND_CANCELED ? &cancelled
						    : &failed,
			 1);
	if (post->silent)
		atomic_fetch_sub(&f->silent, 1);
	atomic_store(&f->seen, n + 1);
	atomic_fetch_add(&f->cq->room, 1);
}

unsigned reap_some(struct thing *t)
{
	struct cq_life *cq = t->life;
	ND2_RESULT r[32];
	ULONG n;

	pthread_mutex_lock(&cq->reaping);
	n = CALL((IND2CompletionQueue *)t->obj, GetResults, r, 1 + pick(32));
	for (ULONG i = 0; i < n; i++)
		result(t, &r[i]);
	pthread_mutex_unlock(&cq->reaping);
	return n;
}

void lives_check(void)
{
	for (struct qp_life *qp = qp_lives; qp != NULL; qp = qp->next)
		for (int d = 0; d < DIRECTIONS; d++)
			if (!atomic_load(&qp->flow[d].cq->over))
				pass_silent(qp, d, atomic_load(&qp->flow[d].accepted));
}

void lives_free(void)
{
	while (qp_lives != NULL) {
		struct qp_life *qp = qp_lives;

		qp_lives = qp->next;
		free(qp);
	}
	while (cq_lives != NULL) {
		struct cq_life *cq = cq_lives;

		cq_lives = cq->next;
		free(cq);
	}
}

/* ---- posting ---- */

struct request {
	enum direction d;
	enum act act;
	struct post post;
	ND2_SGE sge[2];
	ULONG nsge, flags;
	uint64_t va;
	UINT32 token;
	struct thing *window, *region;
};

static HRESULT call_post(struct thing *t, const struct request *q, void *context)
{
	IND2QueuePair *qp = (IND2QueuePair *)t->obj;

	if (q->d == RECEIVES)
		return CALL(qp, Receive, context, q->sge, q->nsge);
	if (q->act == A_BIND_WINDOW)
		return CALL(qp, Bind, context, q->region->obj, q->window->obj, base[t->adapter].buf,
			    1 + pick(BASE_BYTES), q->flags);
	if (q->act == A_INVALIDATE_WINDOW)
		return CALL(qp, Invalidate, context, q->window->obj, q->flags);
	if (q->act == A_POST_READ)
		return CALL(qp, Read, context, q->sge, q->nsge, q->va, q->token, q->flags);
	if (q->va != 0)
		return CALL(qp, Write, context, q->sge, q->nsge, q->va, q->token, q->flags);
	return CALL(qp, Send, context, q->sge, q->nsge, q->flags);
}

/* Checks the status of a post. If the queue pair was never used for a connection, a Send must be
 * refused. */
static void check_post(struct thing *t, const struct request *q, bool fresh, HRESULT hr)
{
	struct qp_life *qp = t->life;
	bool still = fresh && !atomic_load(&qp->used);

	check_answer(still && q->d == SENDS ? A_POST_FRESH : q->act, t, IN(ONLY), hr);
	/* The post was refused because the connection, or the attempt to connect, has ended. In
	 * some of these cases, replace the queue pair. */
	if (hr == ND_CONNECTION_INVALID && !qp_life_fresh(qp) && rarely(2))
		thing_drop(t);
}

static void post(struct thing *t, const struct request *q)
{
	struct qp_life *qp = t->life;
	struct flow *f = &qp->flow[q->d];
	bool fresh = !atomic_load(&qp->used);
	uint32_t n;
	HRESULT hr;

	if (atomic_fetch_sub(&f->cq->room, 1) <= 0 ||
	    (q->post.silent && atomic_load(&f->silent) >= SILENT_MOST)) {
		atomic_fetch_add(&f->cq->room, 1);
		return;
	}
	pthread_mutex_lock(&f->posting);
	n = atomic_load(&f->accepted);
	f->post[n % RING] = q->post;
	if (q->post.silent)
		atomic_fetch_add(&f->silent, 1);
	/* Count the request before the call: another thread may take the result before the call
	 * returns. */
	atomic_store(&f->accepted, n + 1);
	hr = call_post(t, q, (void *)((uintptr_t)n << 1 | q->d));
	if (hr != ND_SUCCESS) {
		atomic_store(&f->accepted, n);
		atomic_fetch_add(&f->cq->room, 1);
		if (q->post.silent)
			atomic_fetch_sub(&f->silent, 1);
	} else {
		atomic_fetch_add(&posted, 1);
	}
	pthread_mutex_unlock(&f->posting);
	check_post(t, q, fresh, hr);
}

static ND2_SGE good_sge(int adapter)
{
	ULONG len = pick(LONGEST);

	return (ND2_SGE){base[adapter].buf + pick(BASE_BYTES - LONGEST), len, base[adapter].local};
}

static void post_receive(struct thing *t)
{
	struct request q = {
		.d = RECEIVES, .act = A_RECEIVE, .post.class = C_RECEIVE_GOOD, .nsge = 1};

	q.sge[0] = good_sge(t->adapter);
	q.sge[0].BufferLength = chance(95) ? LONGEST : pick(LONGEST);
	if (chance(5)) {
		q.nsge = 0;
		q.post.class = C_RECEIVE_EMPTY;
	} else if (chance(1)) {
		q.sge[0].MemoryRegionToken ^= 0x5a5a5a00;
		q.post.class = C_RECEIVE_FOREIGN;
	}
	post(t, &q);
}

static ULONG some_flags(struct post *post)
{
	post->silent = chance(15);
	return (post->silent ? ND_OP_FLAG_SILENT_SUCCESS : 0) |
	       (chance(15) ? ND_OP_FLAG_READ_FENCE : 0);
}

static void post_send_somehow(struct thing *t)
{
	struct request q = {.d = SENDS, .act = A_POST, .post.class = C_SEND_GOOD, .nsge = 1};

	q.flags = some_flags(&q.post) | (chance(15) ? ND_OP_FLAG_SEND_AND_SOLICIT_EVENT : 0);
	q.sge[0] = good_sge(t->adapter);
	if (chance(10)) {
		q.nsge = 0;
	} else if (chance(1) && q.sge[0].BufferLength != 0) {
		q.sge[0].MemoryRegionToken ^= 0x5a5a5a00;
		q.post.class = C_SEND_FOREIGN;
	}
	post(t, &q);
}

static void post_rdma(struct thing *t)
{
	const struct base *there = &base[1 - t->adapter];
	struct request q = {.d = SENDS, .act = chance(50) ? A_POST : A_POST_READ, .nsge = 1};
	struct thing *region;

	/* The token belongs to a region of the other adapter. It is valid only if the peer's queue
	 * pair is on that adapter. That queue pair may also be on this adapter, so an access error
	 * is allowed too. */
	q.post.class = C_RDMA_PASSING;
	q.flags = some_flags(&q.post);
	q.sge[0] = good_sge(t->adapter);
	q.va = (uintptr_t)there->buf + pick(BASE_BYTES - LONGEST);
	q.token = there->remote;
	if (chance(15)) {
		q.nsge = 0;
		q.post.class = C_RDMA_GOOD;
	} else if (chance(1) && q.sge[0].BufferLength != 0) {
		q.token ^= htonl(0x5a5a5a00);
		q.post.class = C_RDMA_FOREIGN;
	} else if (chance(2) && (region = thing_any(K_REGION, 1 - t->adapter)) != NULL) {
		q.token = atomic_load(&region->token);
		thing_put(region);
	}
	post(t, &q);
}

static void post_window(struct thing *t)
{
	struct request q = {.d = SENDS, .act = A_BIND_WINDOW, .post.class = C_BIND};

	q.window = thing_any(K_WINDOW, t->adapter);
	q.region = thing_any(K_REGION, t->adapter);
	q.flags = some_flags(&q.post);
	if (chance(40)) {
		q.act = A_INVALIDATE_WINDOW;
		q.post.class = C_INVALIDATE;
	} else {
		q.flags |= chance(50) ? ND_OP_FLAG_ALLOW_READ : ND_OP_FLAG_ALLOW_WRITE;
	}
	if (q.window != NULL && q.region != NULL)
		post(t, &q);
	if (q.window != NULL)
		thing_put(q.window);
	if (q.region != NULL)
		thing_put(q.region);
}

/* Calls Flush, or makes a post with invalid arguments. Every state of the queue pair refuses such a
 * post. */
static HRESULT call_refused(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	ND2_SGE sge[32];
	IND2QueuePair *qp = (IND2QueuePair *)t->obj;

	for (unsigned i = 0; i < 32; i++)
		sge[i] = good_sge(t->adapter);
	switch ((int)*(const enum act *)arg) {
	case A_FLUSH:
		atomic_store(&((struct qp_life *)t->life)->flushed, true);
		return CALL(qp, Flush);
	case A_RECEIVE_NO_LIST:
		return CALL(qp, Receive, NULL, NULL, 1 + pick(4));
	case A_RECEIVE_MANY:
		return CALL(qp, Receive, NULL, sge, limits.MaxReceiveSge + 1);
	case A_RECEIVE_LONG:
		sge[0].BufferLength = limits.MaxTransferLength + 1;
		return CALL(qp, Receive, NULL, sge, 1);
	case A_POST_FLAG4:
		return CALL(qp, Send, NULL, sge, 1, ND_OP_FLAG_ALLOW_READ);
	case A_POST_FLAG6:
		if (chance(50))
			return CALL(qp, Read, NULL, sge, 1, 0, 0,
				    ND_OP_FLAG_SEND_AND_SOLICIT_EVENT);
		return CALL(qp, Write, NULL, sge, 1, 0, 0, ND_OP_FLAG_ALLOW_WRITE);
	case A_BIND_FLAGS:
		return CALL(qp, Bind, NULL, (IUnknown *)base[t->adapter].mr, NULL, sge, 1,
			    ND_OP_FLAG_INLINE);
	case A_BIND_NO_REGION:
		return CALL(qp, Bind, NULL, NULL, NULL, sge, 1, 0);
	case A_BIND_NO_WINDOW:
		return CALL(qp, Bind, NULL, (IUnknown *)base[t->adapter].mr, t->obj, sge, 1, 0);
	case A_INVALIDATE_FLAGS:
		return CALL(qp, Invalidate, NULL, NULL, ND_OP_FLAG_ALLOW_READ);
	case A_INVALIDATE_NOTHING:
		return CALL(qp, Invalidate, NULL, (IUnknown *)base[t->adapter].mr, 0);
	case A_POST_MANY:
		return CALL(qp, Send, NULL, sge, limits.MaxInitiatorSge + 1, 0);
	case A_POST_LONG:
		sge[0].BufferLength = limits.MaxTransferLength + 1;
		return CALL(qp, Write, NULL, sge, 1, 0, 0, 0);
	case A_POST_INLINE_LONG:
		sge[0].BufferLength = limits.MaxInlineDataSize + 1;
		return CALL(qp, Send, NULL, sge, 1, ND_OP_FLAG_INLINE);
	default:
		return CALL(qp, Send, NULL, NULL, 2, 0);
	}
}

void qp_acts(struct thing *t)
{
	static const enum act refused[] = {
		A_RECEIVE_NO_LIST,  A_RECEIVE_MANY,	 A_RECEIVE_LONG,   A_POST_FLAG4,
		A_POST_FLAG6,	    A_POST_MANY,	 A_POST_LONG,	   A_POST_INLINE_LONG,
		A_POST_NO_LIST,	    A_BIND_FLAGS,	 A_BIND_NO_REGION, A_BIND_NO_WINDOW,
		A_INVALIDATE_FLAGS, A_INVALIDATE_NOTHING};
	unsigned at = pick(100);
	enum act act;

	if (at < 40) {
		for (unsigned n = 1 + pick(8); n > 0; n--)
			post_receive(t);
	} else if (at < 65) {
		for (unsigned n = 1 + pick(3); n > 0; n--)
			post_send_somehow(t);
	} else if (at < 80) {
		post_rdma(t);
	} else if (at < 86) {
		post_window(t);
	} else {
		act = rarely(5) ? A_FLUSH : refused[pick(sizeof(refused) / sizeof(refused[0]))];
		thing_act(t, act, false, call_refused, &act);
	}
}
