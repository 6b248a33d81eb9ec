/* Long runs of patterns that known clients use: rows 165 to 168 of docs/spec/nd2.md.
 * ND2_STRESS=n makes each test n times as long. */
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static unsigned times(unsigned n)
{
	const char *text = getenv("ND2_STRESS");

	return text != NULL && atoi(text) > 0 ? n * (unsigned)atoi(text) : n;
}

/* ---- row 165: connect, exchange, disconnect on both sides; some notifications cancelled ---- */

static unsigned open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void *connect_and_disconnect(void *arg)
{
	unsigned rounds = times(60);

	for (unsigned i = 0; i < rounds; i++) {
		OVERLAPPED notify[2] = {{0}}, part[2] = {{0}};
		struct pair p;
		HRESULT hr;

		pair_open_connected(&p, NULL);
		HR(CALL(p.a.connector, NotifyDisconnect, &notify[0]), ND_PENDING);
		HR(CALL(p.b.connector, NotifyDisconnect, &notify[1]), ND_PENDING);
		exchange(&p.a, &p.b);
		if (i % 3 == 0)
			HR(CALL(p.b.connector, CancelOverlappedRequests), ND_SUCCESS);
		HR(CALL(p.a.connector, Disconnect, &part[0]), ND_PENDING);
		if (i % 2 == 0)
			HR(finish(p.a.connector, &part[0]), ND_SUCCESS);
		ENDS(p.b.connector, CALL(p.b.connector, Disconnect, &part[1]), &part[1],
		     ND_SUCCESS);
		HR(finish(p.a.connector, &part[0]), ND_SUCCESS);
		for (int s = 0; s < 2; s++) {
			hr = finish(p.a.connector, &notify[s]);
			assert_true(hr == ND_SUCCESS || hr == ND_CANCELED ||
				    hr == STATUS_CONNECTION_DISCONNECTED);
		}
		pair_close(&p);
	}
	return arg;
}

static void nd2_row_165_connect_and_part_on_two_threads(void **state)
{
	pthread_t thread;
	unsigned before;
	struct pair p;

	/* The first connection opens file descriptors that stay open. So make this connection
	 * before counting the open file descriptors. */
	pair_open_connected(&p, NULL);
	pair_close(&p);
	before = open_descriptors();
	pthread_create(&thread, NULL, connect_and_disconnect, NULL);
	connect_and_disconnect(NULL);
	pthread_join(thread, NULL);
	assert_int_equal(open_descriptors(), before);
}

/* ---- row 166: a thousand registrations on each of eight threads ---- */

struct registrar {
	struct end e;
	pthread_t thread;
};

static void *register_many(void *arg)
{
	struct registrar *r = arg;
	unsigned rounds = times(1000);

	for (unsigned i = 0; i < rounds; i++) {
		IND2MemoryRegion *mr = new_mr(&r->e);
		OVERLAPPED ov = {0};

		HR(CALL(mr, Register, r->e.buf, 4096, ND_MR_FLAG_ALLOW_LOCAL_WRITE, &ov),
		   ND_PENDING);
		HR(CALL(r->e.cq, GetOverlappedResult, &ov, 1), ND_SUCCESS);
		HR(CALL(mr, Deregister, &ov), ND_PENDING);
		HR(CALL(mr, GetOverlappedResult, &ov, 1), ND_SUCCESS);
		assert_int_equal(CALL(mr, Release), 0);
	}
	return NULL;
}

static void nd2_row_166_regions_on_eight_threads(void **state)
{
	struct registrar r[8];

	for (int i = 0; i < 8; i++) {
		end_open(&r[i].e, i & 1, NULL);
		pthread_create(&r[i].thread, NULL, register_many, &r[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(r[i].thread, NULL);
		end_close(&r[i].e);
	}
}

/* ---- row 167: a completion queue that both directions fill completely ---- */

static void nd2_row_167_ping_over_a_tight_completion_queue(void **state)
{
	enum { DEPTH = 32 };
	const struct how how = {.cq_depth = DEPTH, .depth = DEPTH};
	unsigned rounds = times(200);
	struct pair p;

	pair_open(&p, &how);
	for (uintptr_t i = 0; i < DEPTH; i++)
		HR(post_recv(&p.a, 0, 64, i), ND_SUCCESS);
	for (uintptr_t i = 0; i < DEPTH; i++)
		HR(post_recv(&p.b, 0, 64, i), ND_SUCCESS);
	pair_connect(&p, &how);
	for (unsigned round = 0; round < rounds; round++) {
		/* Post all Sends of the round on both sides before fetching the first result, so
		 * that the completion queues become as full as possible. */
		for (uintptr_t i = 0; i < DEPTH; i++) {
			HR(post_send(&p.a, 0, 64, 1000 + i, 0), ND_SUCCESS);
			HR(post_send(&p.b, 0, 64, 1000 + i, 0), ND_SUCCESS);
		}
		for (int e = 0; e < 2; e++) {
			struct end *end = e ? &p.b : &p.a;
			uintptr_t sends = 0, recvs = 0;

			while (sends < DEPTH || recvs < DEPTH) {
				ND2_RESULT r = reap(end->cq);

				HR(r.Status, ND_SUCCESS);
				if (r.RequestType == Nd2RequestTypeSend) {
					assert_int_equal((uintptr_t)r.RequestContext,
							 1000 + sends++);
				} else {
					assert_int_equal((uintptr_t)r.RequestContext, recvs++);
				}
			}
			for (uintptr_t i = 0; i < DEPTH; i++)
				HR(post_recv(end, 0, 64, i), ND_SUCCESS);
		}
	}
	pair_close(&p);
}

/* ---- row 168: fetch results, call Notify, wait, against a sender that never pauses ---- */

struct sender {
	struct pair *p;
	unsigned messages;
};

static void *send_all(void *arg)
{
	struct sender *s = arg;

	for (unsigned sent = 0; sent < s->messages;) {
		HRESULT hr = CALL(s->p->a.qp, Send, NULL, NULL, 0, ND_OP_FLAG_SILENT_SUCCESS);

		if (hr == ND_NO_MORE_ENTRIES) {
			ND2_RESULT r;

			/* These Sends are silent, so any result is a failure. Under the idle policy
			 * inline, this call polls the NIC. */
			assert_int_equal(CALL(s->p->a.cq, GetResults, &r, 1), 0);
			continue;
		}
		HR(hr, ND_SUCCESS);
		sent++;
	}
	return NULL;
}

static void nd2_row_168_no_notification_is_lost(void **state)
{
	const struct how how = {.cq_depth = 1024, .depth = 512};
	unsigned got = 0, waits = 0;
	struct sender s;
	pthread_t thread;
	struct pair p;

	pair_open(&p, &how);
	s = (struct sender){&p, times(50000)};
	for (int i = 0; i < 512; i++)
		HR(CALL(p.b.qp, Receive, NULL, NULL, 0), ND_SUCCESS);
	pair_connect(&p, &how);
	pthread_create(&thread, NULL, send_all, &s);
	while (got < s.messages) {
		OVERLAPPED ov = {0};
		ND2_RESULT r[16];
		ULONG n;

		while ((n = CALL(p.b.cq, GetResults, r, 16)) != 0) {
			for (ULONG i = 0; i < n; i++) {
				HR(r[i].Status, ND_SUCCESS);
				HR(CALL(p.b.qp, Receive, NULL, NULL, 0), ND_SUCCESS);
			}
			got += n;
		}
		if (got == s.messages)
			break;
		ENDS(p.b.cq, CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), &ov, ND_SUCCESS);
		waits++;
	}
	pthread_join(thread, NULL);
	print_message("%u messages, %u waits\n", got, waits);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_165_connect_and_part_on_two_threads),
	cmocka_unit_test(nd2_row_166_regions_on_eight_threads),
	cmocka_unit_test(nd2_row_167_ping_over_a_tight_completion_queue),
	cmocka_unit_test(nd2_row_168_no_notification_is_lost),
};

nd2_main(tests)
