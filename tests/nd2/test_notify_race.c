/* A long test of row 168 of docs/spec/nd2.md. In each round a reader calls Notify, waits for its
 * end, and fetches all results. Two senders send messages at random intervals. A lost notification
 * fails the test within 20 s.
 *
 * The argument is an idle policy. With an argument the two queue pairs are on different shards and
 * use one completion queue. ND2_ROUNDS=n sets the number of rounds. */
#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

/* With few CREDITS, the sender must often wait until the reader has fetched a result. So the
 * sender's next message arrives at about the time when the reader calls Notify. */
enum { CREDITS = 2, ROUNDS = 100000, PATIENCE_MS = 20000 };

struct feed {
	struct pair *p;
	pthread_t sender;
	_Atomic unsigned *stop;
	_Atomic unsigned received; /* number of received messages; at most CREDITS below `sent` */
	_Atomic unsigned sent;
	unsigned seed;
};

/* Sends single messages with pauses of random length. So messages arrive before, while and after
 * the reader calls Notify. */
static void *send_singly(void *arg)
{
	struct feed *f = arg;
	uint32_t x = f->seed;

	for (unsigned sent = 0; !atomic_load(f->stop);) {
		ND2_RESULT none;

		if (sent - atomic_load(&f->received) >= CREDITS ||
		    CALL(f->p->b.qp, Send, NULL, NULL, 0,
			 ND_OP_FLAG_SILENT_SUCCESS | ND_OP_FLAG_SEND_AND_SOLICIT_EVENT) !=
			    ND_SUCCESS) {
			/* These Sends are silent, so any result is a failure. Under the idle policy
			 * inline, this call polls the NIC. */
			assert_int_equal(CALL(f->p->b.cq, GetResults, &none, 1), 0);
			sched_yield();
			continue;
		}
		atomic_store(&f->sent, ++sent);
		x = x * 1664525 + 1013904223;
		for (volatile unsigned spin = x >> 24 << (x >> 16 & 3); spin != 0; spin--)
			;
	}
	return NULL;
}

struct race {
	IND2CompletionQueue *cq;
	struct feed feed[2];
	HANDLE event;
	unsigned cancelled;
	unsigned long long got;
};

static unsigned drain(struct race *r)
{
	ND2_RESULT result[16];
	unsigned got = 0;
	ULONG n;

	/* GetResults returns fewer results than requested only if the completion queue is empty.
	 * The loop then ends. A result that arrives later must complete the next Notify. */
	do {
		n = CALL(r->cq, GetResults, result, 16);
		for (ULONG i = 0; i < n; i++) {
			struct feed *f = &r->feed[result[i].QueuePairContext == &r->feed[1].p->a];
			unsigned seen = atomic_load(&f->received);

			HR(result[i].Status, ND_SUCCESS);
			assert_int_equal((uintptr_t)result[i].RequestContext, seen);
			HR(CALL(f->p->a.qp, Receive, (void *)(uintptr_t)(seen + CREDITS), NULL, 0),
			   ND_SUCCESS);
			atomic_store(&f->received, seen + 1);
		}
		got += n;
	} while (n == 16);
	return got;
}

/* Fails the test. The printed text shows the cause: the end of Notify was lost, the sender's
 * message was lost, or one of these two came late. */
static void explain(struct race *r, unsigned round, const OVERLAPPED *ov)
{
	HRESULT status = (HRESULT)__atomic_load_n(&ov->Internal, __ATOMIC_ACQUIRE);
	unsigned ahead[2], unread;

	for (int i = 0; i < 2; i++)
		ahead[i] = atomic_load(&r->feed[i].sent) - atomic_load(&r->feed[i].received);
	unread = drain(r);
	fail_msg(
		"round %u: no notification, status %08x; %u and %u messages were under way, %u results unread; a "
		"moment later the event is %sset",
		round, (unsigned)status, ahead[0], ahead[1], unread,
		NdsEventWait(r->event, 1000) == ND_SUCCESS ? "" : "not ");
}

static void one_round(struct race *r, unsigned round)
{
	OVERLAPPED ov = {.hEvent = r->event};
	HRESULT hr =
		CALL(r->cq, Notify, round & 1 ? ND_CQ_NOTIFY_SOLICITED : ND_CQ_NOTIFY_ANY, &ov);
	unsigned got;

	HR(hr, ND_PENDING);
	if (round % 64 == 63)
		CALL(r->cq, CancelOverlappedRequests);
	if (NdsEventWait(r->event, PATIENCE_MS) != ND_SUCCESS)
		explain(r, round, &ov);
	hr = CALL(r->cq, GetOverlappedResult, &ov, 0);
	got = drain(r);
	r->got += got;
	if (hr == ND_CANCELED) {
		assert_int_equal(round % 64, 63);
		r->cancelled++;
		return;
	}
	HR(hr, ND_SUCCESS);
	assert_true(got != 0); /* a Notify that ends without a result would be wrong */
}

static void open_race(struct race *r, struct pair p[2], const struct how *how,
		      _Atomic unsigned *stop)
{
	memset(r, 0, sizeof(*r));
	for (int i = 0; i < 2; i++) {
		pair_open(&p[i], how);
		r->feed[i] = (struct feed){.p = &p[i], .stop = stop, .seed = 77 + (unsigned)i};
	}
	RELEASE(p[1].a.qp);
	p[1].a.qp = new_qp(&p[1].a, p[0].a.cq, &p[1].a, how);
	r->cq = p[0].a.cq;
	HR(NdsEventCreate(0, 0, &r->event), ND_SUCCESS);
	for (int i = 0; i < 2; i++) {
		for (uintptr_t k = 0; k < CREDITS; k++)
			HR(CALL(p[i].a.qp, Receive, (void *)k, NULL, 0), ND_SUCCESS);
		pair_connect(&p[i], how);
	}
}

static void nd2_row_168_drain_and_arm_against_senders(void **state)
{
	const struct how how = {.cq_depth = 256, .depth = 16};
	const char *text = getenv("ND2_ROUNDS");
	unsigned rounds = text != NULL ? (unsigned)strtoul(text, NULL, 10) : ROUNDS;
	_Atomic unsigned stop = 0;
	struct pair p[2];
	struct race r;

	open_race(&r, p, &how, &stop);
	for (int i = 0; i < 2; i++)
		pthread_create(&r.feed[i].sender, NULL, send_singly, &r.feed[i]);
	for (unsigned round = 0; round < rounds; round++)
		one_round(&r, round);
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(r.feed[i].sender, NULL);
	print_message("%u rounds, %llu messages, %u cancelled\n", rounds, r.got, r.cancelled);
	NdsHandleClose(r.event);
	pair_close(&p[1]);
	pair_close(&p[0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_168_drain_and_arm_against_senders),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		use_policy(argv[1]);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
