/* Many queue pairs on two shards use one shared receive queue. Each receive is used once. Each
 * message arrives once and in order, and its result has the context of its own queue pair.
 *
 *	test_srq_many [POLICY [MESSAGES]] */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>

#define PAIRS 8u
#define DEPTH 24u /* fewer receives than messages in flight (PAIRS * BURST) */
#define AREA  2048u
#define BURST 8u

struct message {
	uint32_t sender, number, bytes;
};

static struct pair pairs[PAIRS];
static IND2SharedReceiveQueue *srq;
static struct end *home; /* the end that registered the buffer of all receives */
static unsigned messages = 400;
static bool posted[DEPTH];

static void receive(unsigned slot)
{
	ND2_SGE sge = {home->buf + slot * AREA, AREA, home->local};

	assert_false(posted[slot]);
	posted[slot] = true;
	HR(CALL(srq, Receive, (void *)(uintptr_t)slot, &sge, 1), ND_SUCCESS);
}

/* Connects all pairs; each receiving queue pair is on adapter 0, which has two shards. */
static void open_all(void)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		struct end *e = &pairs[i].a;

		pair_open(&pairs[i], NULL);
		if (i == 0) {
			home = e;
			HR(CALL(adapters[0], CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue,
				e->file, DEPTH, 1, DEPTH / 4, 0, 0, (void **)&srq),
			   ND_SUCCESS);
		}
		RELEASE(e->qp);
		HR(CALL(adapters[0], CreateQueuePairWithSrq, &IID_IND2QueuePair, (IUnknown *)e->cq,
			(IUnknown *)e->cq, (IUnknown *)srq, e, 16, 1, 0, (void **)&e->qp),
		   ND_SUCCESS);
		pair_connect(&pairs[i], NULL);
	}
	for (unsigned i = 0; i < DEPTH; i++)
		receive(i);
}

static uint32_t length_of(unsigned sender, unsigned number)
{
	return sizeof(struct message) +
	       (sender * 37 + number * 101) % (AREA - sizeof(struct message));
}

/* Runs on one thread per pair. Keeps up to BURST messages in flight. */
static void *send_all(void *arg)
{
	struct pair *p = arg;
	unsigned sender = (unsigned)(p - pairs), sent = 0, done = 0;

	while (done < messages) {
		ND2_RESULT r;

		for (; sent < messages && sent - done < BURST; sent++) {
			uint8_t *at = p->b.buf + sent % BURST * AREA;
			struct message m = {sender, sent, length_of(sender, sent)};

			memset(at, (int)(sender + sent), m.bytes);
			memcpy(at, &m, sizeof(m));
			HR(post_send(&p->b, (size_t)(at - p->b.buf), m.bytes, sent, 0), ND_SUCCESS);
		}
		r = reap(p->b.cq);
		HR(r.Status, ND_SUCCESS);
		assert_int_equal((uintptr_t)r.RequestContext, done++);
	}
	return NULL;
}

static void take(struct end *e, const ND2_RESULT *r, unsigned *next)
{
	unsigned slot = (unsigned)(uintptr_t)r->RequestContext;
	const uint8_t *at = home->buf + slot * AREA;
	struct message m;

	HR(r->Status, ND_SUCCESS);
	assert_ptr_equal(r->QueuePairContext, e);
	assert_true(slot < DEPTH && posted[slot]);
	posted[slot] = false;
	memcpy(&m, at, sizeof(m));
	assert_ptr_equal(&pairs[m.sender].a, e);
	assert_int_equal(m.number, (*next)++);
	assert_int_equal(m.bytes, length_of(m.sender, m.number));
	assert_int_equal(r->BytesTransferred, m.bytes);
	for (uint32_t i = sizeof(m); i < m.bytes; i++)
		assert_int_equal(at[i], (uint8_t)(m.sender + m.number));
	receive(slot);
}

static void nd2_own_many_queue_pairs_on_one_queue(void **state)
{
	unsigned next[PAIRS] = {0}, total = 0, idle = 0, fired = 0;
	OVERLAPPED ov = {0};
	pthread_t thread[PAIRS];

	open_all();
	HR(CALL(srq, Notify, &ov), ND_PENDING);
	for (unsigned i = 0; i < PAIRS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, send_all, &pairs[i]), 0);
	while (total < PAIRS * messages && idle < 100000) {
		unsigned before = total;

		for (unsigned i = 0; i < PAIRS; i++) {
			ND2_RESULT r[16];
			ULONG n = CALL(pairs[i].a.cq, GetResults, r, 16);

			for (ULONG k = 0; k < n; k++, total++)
				take(&pairs[i].a, &r[k], &next[i]);
		}
		if (status_after(&ov, 0) == ND_SUCCESS) {
			fired++;
			HR(CALL(srq, Notify, &ov), ND_PENDING);
		}
		idle = total != before ? 0 : idle + 1;
		if (idle != 0)
			sleep_ms(0);
	}
	for (unsigned i = 0; i < PAIRS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(total, PAIRS * messages);
	/* With 64 messages in flight and 24 receives, fewer receives than the threshold must have
	 * been left at some time. */
	assert_int_not_equal(fired, 0);
	for (unsigned i = 0; i < PAIRS; i++)
		reap_none(pairs[i].a.cq, 1);
	/* All receives are posted again, so the shared receive queue is full. */
	HR(CALL(srq, Receive, NULL, NULL, 0), ND_NO_MORE_ENTRIES);
	for (unsigned i = 0; i < PAIRS; i++)
		pair_close(&pairs[i]);
	RELEASE(srq);
	HR(status_after(&ov, 0), ND_CANCELED);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_many_queue_pairs_on_one_queue),
};

int main(int argc, char **argv)
{
	if (argc > 2)
		messages = (unsigned)atoi(argv[2]);
	use_policy(argc > 1 ? argv[1] : "adaptive");
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
