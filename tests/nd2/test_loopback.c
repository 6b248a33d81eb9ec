/* An adapter that is connected to itself. Both ends are on one adapter instance (one OpenAdapter),
 * on two instances, or have queue pairs on different shards. Every kind of request works in both
 * directions, with long messages and with many requests at once. usage: nd2_loopback [POLICY] */
#include "fixture.h"

#include <stdio.h>

#define PAIRS 6
#define LARGE 100000u /* length in bytes of a message of many packets */

/* Connects two ends on adapter 0; b uses the adapter instance adapters[which_b]. */
static void open_pair(struct pair *p, int which_b, const struct how *how)
{
	struct sockaddr_in at = address_of(0, 0);
	OVERLAPPED connect = {0}, request = {0}, accept = {0}, complete = {0};
	ULONG cb = sizeof(at);

	end_open(&p->a, 0, how);
	end_open(&p->b, which_b, how);
	p->listener = new_listener(&p->b);
	HR(CALL(p->listener, Bind, SA(&at), sizeof(at)), ND_SUCCESS);
	HR(CALL(p->listener, Listen, 0), ND_SUCCESS);
	HR(CALL(p->listener, GetLocalAddress, (struct sockaddr *)&at, &cb), ND_SUCCESS);
	bind_any(&p->a, p->a.connector);
	HR(CALL(p->a.connector, Connect, (IUnknown *)p->a.qp, SA(&at), sizeof(at), 4, 4, NULL, 0,
		&connect),
	   ND_PENDING);
	ENDS(p->listener,
	     CALL(p->listener, GetConnectionRequest, (IUnknown *)p->b.connector, &request),
	     &request, ND_SUCCESS);
	HR(CALL(p->b.connector, Accept, (IUnknown *)p->b.qp, 4, 4, NULL, 0, &accept), ND_PENDING);
	HR(finish(p->a.connector, &connect), ND_SUCCESS);
	ENDS(p->a.connector, CALL(p->a.connector, CompleteConnect, &complete), &complete,
	     ND_SUCCESS);
	HR(finish(p->b.connector, &accept), ND_SUCCESS);
}

static void every_request(struct end *e, struct end *peer)
{
	const ULONG lengths[] = {1, 128, 4096, LARGE};

	for (unsigned i = 0; i < 4; i++) {
		ULONG len = lengths[i], flags = len <= 128 ? ND_OP_FLAG_INLINE : 0;

		fill(e, 0, len, 3 + i);
		HR(post_recv(peer, LARGE, LARGE, 1), ND_SUCCESS);
		HR(post_send(e, 0, len, 2, flags | ND_OP_FLAG_SEND_AND_SOLICIT_EVENT), ND_SUCCESS);
		reap_is(e->cq, 2, ND_SUCCESS);
		reap_is(peer->cq, 1, ND_SUCCESS);
		assert_true(filled(peer, LARGE, len, 3 + i));
		fill(e, 0, len, 13 + i);
		HR(post_write(e, 0, len, 3, flags, peer, LARGE), ND_SUCCESS);
		reap_is(e->cq, 3, ND_SUCCESS);
		assert_true(filled(peer, LARGE, len, 13 + i));
		fill(peer, 0, len, 23 + i);
		HR(post_read(e, LARGE, len, 4, 0, peer, 0), ND_SUCCESS);
		reap_is(e->cq, 4, ND_SUCCESS);
		assert_true(filled(e, LARGE, len, 23 + i));
	}
}

static void part(struct pair *p)
{
	OVERLAPPED notify = {0}, ov = {0};

	HR(post_recv(&p->b, 0, 64, 9), ND_SUCCESS);
	HR(CALL(p->b.connector, NotifyDisconnect, &notify), ND_PENDING);
	ENDS(p->a.connector, CALL(p->a.connector, Disconnect, &ov), &ov, ND_SUCCESS);
	HR(finish(p->b.connector, &notify), ND_SUCCESS);
	reap_is(p->b.cq, 9, ND_CANCELED);
	pair_close(p);
}

static void nd2_own_loopback_is_advertised(void **state)
{
	assert_true(limits.AdapterFlags & ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED);
}

static void nd2_own_every_request_to_oneself(void **state)
{
	struct pair p[PAIRS];

	/* Open PAIRS connections, so that the two queue pairs of some connections are on different
	 * shards. */
	for (int i = 0; i < PAIRS; i++)
		open_pair(&p[i], 0, NULL);
	for (int i = 0; i < PAIRS; i++) {
		every_request(&p[i].a, &p[i].b);
		every_request(&p[i].b, &p[i].a);
	}
	for (int i = 0; i < PAIRS; i++)
		part(&p[i]);
}

static void nd2_own_two_instances_of_one_adapter(void **state)
{
	IND2Adapter *other = adapters[1];
	OVERLAPPED ov = {0};
	IND2QueuePair *qp;
	struct pair p;

	adapters[1] = open_adapter(0);
	open_pair(&p, 1, NULL);
	every_request(&p.a, &p.b);
	every_request(&p.b, &p.a);
	/* A connector refuses a queue pair of another instance. */
	qp = new_qp(&p.a, p.a.cq, NULL, NULL);
	HR(CALL(p.b.connector, Accept, (IUnknown *)qp, 0, 0, NULL, 0, &ov), ND_INVALID_PARAMETER_1);
	RELEASE(qp);
	part(&p);
	RELEASE(adapters[1]);
	adapters[1] = other;
}

/* ---- all pairs at once, in both directions, with FLIGHT requests in flight ---- */

enum { FLIGHT = 16, ROUNDS = 400, LEN = 4000 };

struct stream {
	struct end *e;
	unsigned sent, acked, got;
};

static void stream_send(struct stream *s)
{
	if (s->sent == ROUNDS)
		return;
	HR(post_send(s->e, 0, LEN, 2, 0), ND_SUCCESS);
	s->sent++;
}

/* Takes up to 8 results and posts the next requests. Returns the number of results. */
static unsigned stream_turn(struct stream *s)
{
	ND2_RESULT r[8];
	ULONG n = CALL(s->e->cq, GetResults, r, 8);

	for (ULONG i = 0; i < n; i++) {
		HR(r[i].Status, ND_SUCCESS);
		if (r[i].RequestType == Nd2RequestTypeReceive) {
			assert_int_equal(r[i].BytesTransferred, LEN);
			HR(post_recv(s->e, LARGE, LEN, 1), ND_SUCCESS);
			s->got++;
		} else {
			s->acked++;
			stream_send(s);
		}
	}
	return n;
}

static void nd2_own_loopback_streams(void **state)
{
	const struct how how = {.cq_depth = 4 * FLIGHT, .depth = 2 * FLIGHT};
	struct stream s[2 * PAIRS] = {{0}};
	struct pair p[PAIRS];
	unsigned done, idle = 0;

	for (int i = 0; i < PAIRS; i++) {
		open_pair(&p[i], 0, &how);
		s[2 * i].e = &p[i].a;
		s[2 * i + 1].e = &p[i].b;
	}
	for (int i = 0; i < 2 * PAIRS; i++)
		for (int k = 0; k < 2 * FLIGHT; k++)
			HR(post_recv(s[i].e, LARGE, LEN, 1), ND_SUCCESS);
	for (int i = 0; i < 2 * PAIRS; i++)
		for (int k = 0; k < FLIGHT; k++)
			stream_send(&s[i]);
	do {
		unsigned moved = 0;

		done = 0;
		for (int i = 0; i < 2 * PAIRS; i++) {
			moved += stream_turn(&s[i]);
			done += s[i].acked == ROUNDS && s[i].got == ROUNDS;
		}
		idle = moved ? 0 : idle + 1;
		if (moved == 0)
			sleep_ms(1);
	} while (done < 2 * PAIRS && idle < 20000);
	assert_int_equal(done, 2 * PAIRS);
	for (int i = 0; i < PAIRS; i++)
		pair_close(&p[i]);
}

/* Accept refuses a queue pair that is the active end of the connection to be accepted. */
static void nd2_own_not_to_the_very_same_queue_pair(void **state)
{
	struct sockaddr_in to;
	OVERLAPPED connect = {0}, request = {0}, accept = {0};
	IND2Connector *c;
	IND2Listener *l;
	uint16_t port;
	struct end e;

	end_open(&e, 0, NULL);
	listen_on(&e, &l, &port, 0);
	c = new_connector(&e);
	bind_any(&e, e.connector);
	to = address_of(0, port);
	HR(CALL(e.connector, Connect, (IUnknown *)e.qp, SA(&to), sizeof(to), 0, 0, NULL, 0,
		&connect),
	   ND_PENDING);
	ENDS(l, CALL(l, GetConnectionRequest, (IUnknown *)c, &request), &request, ND_SUCCESS);
	HR(CALL(c, Accept, (IUnknown *)e.qp, 0, 0, NULL, 0, &accept), ND_CONNECTION_ACTIVE);
	HR(CALL(c, Reject, "no", 2), ND_SUCCESS);
	HR(finish(e.connector, &connect), ND_CONNECTION_REFUSED);
	RELEASE(c);
	RELEASE(l);
	end_close(&e);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_loopback_is_advertised),
	cmocka_unit_test(nd2_own_every_request_to_oneself),
	cmocka_unit_test(nd2_own_two_instances_of_one_adapter),
	cmocka_unit_test(nd2_own_loopback_streams),
	cmocka_unit_test(nd2_own_not_to_the_very_same_queue_pair),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		use_policy(argv[1]);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
