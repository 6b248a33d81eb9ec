/* Tests how the client learns that a connection has ended. Every NotifyDisconnect must end, even
 * after a transport failure and under traffic. */
#include "fixture.h"

#include <stdio.h>

#define NOTICES 5

static HRESULT disconnect(struct end *e)
{
	OVERLAPPED ov = {0};
	HRESULT hr = CALL(e->connector, Disconnect, &ov);

	return hr == ND_PENDING ? finish(e->connector, &ov) : hr;
}

/* Each NotifyDisconnect that is pending when the peer disconnects ends at that time. Each later
 * NotifyDisconnect ends at once. CancelOverlappedRequests ends only the NotifyDisconnects that are
 * pending at the time of the call. */
static void nd2_own_every_notice_is_given(void **state)
{
	OVERLAPPED notify[NOTICES], later = {0};
	struct pair p;

	memset(notify, 0, sizeof(notify));
	pair_open_connected(&p, NULL);
	for (int i = 0; i < NOTICES; i++)
		HR(CALL(p.b.connector, NotifyDisconnect, &notify[i]), ND_PENDING);
	HR(CALL(p.b.connector, CancelOverlappedRequests), ND_SUCCESS);
	for (int i = 0; i < NOTICES; i++)
		HR(status_after(&notify[i], 0), ND_CANCELED);
	exchange(&p.a, &p.b);
	for (int i = 0; i < NOTICES; i++)
		HR(CALL(p.b.connector, NotifyDisconnect, &notify[i]), ND_PENDING);
	HR(disconnect(&p.a), ND_SUCCESS);
	for (int i = 0; i < NOTICES; i++)
		HR(finish(p.b.connector, &notify[i]), ND_SUCCESS);
	for (int i = 0; i < NOTICES; i++)
		ENDS(p.b.connector, CALL(p.b.connector, NotifyDisconnect, &later), &later,
		     ND_SUCCESS);
	HR(disconnect(&p.b), ND_SUCCESS);
	HR(CALL(p.b.connector, NotifyDisconnect, &later), STATUS_CONNECTION_DISCONNECTED);
	pair_close(&p);
}

/* kill() posts a request on side a that breaks the connection. A pending NotifyDisconnect must end
 * on each side. */
static void expect_death(void (*kill)(struct pair *p))
{
	OVERLAPPED notify[2] = {{0}}, later = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.a.connector, NotifyDisconnect, &notify[0]), ND_PENDING);
	HR(CALL(p.b.connector, NotifyDisconnect, &notify[1]), ND_PENDING);
	kill(&p);
	HR(finish(p.a.connector, &notify[0]), ND_SUCCESS);
	HR(finish(p.b.connector, &notify[1]), ND_SUCCESS);
	ENDS(p.b.connector, CALL(p.b.connector, NotifyDisconnect, &later), &later, ND_SUCCESS);
	HR(disconnect(&p.a), ND_SUCCESS);
	HR(disconnect(&p.b), ND_SUCCESS);
	pair_close(&p);
}

static void forbidden_write(struct pair *p)
{
	HR(post_recv(&p->b, 0, 64, 1), ND_SUCCESS);
	p->b.remote ^= 0xff00;
	HR(post_write(&p->a, 0, 64, 2, 0, &p->b, 0), ND_SUCCESS);
	reap_is(p->a.cq, 2, ND_ACCESS_VIOLATION);
	reap_is(p->b.cq, 1, ND_CANCELED);
}

static void no_receive(struct pair *p)
{
	HR(post_send(&p->a, 0, 64, 2, 0), ND_SUCCESS);
	reap_is(p->a.cq, 2, ND_IO_TIMEOUT);
}

static void nd2_own_notices_of_a_dead_transport(void **state)
{
	expect_death(forbidden_write);
	expect_death(no_receive);
}

/* The active side's first request has an invalid rkey and breaks the connection, maybe before the
 * passive side has received the RTU. */
static void nd2_own_connection_breaks_before_the_rtu(void **state)
{
	OVERLAPPED accept = {0}, complete = {0}, notify = {0};
	struct pair p;
	HRESULT hr;

	for (int round = 0; round < 20; round++) {
		pair_open(&p, NULL);
		reach_reply(&p, NULL, &accept);
		HR(CALL(p.a.connector, CompleteConnect, &complete), ND_PENDING);
		HR(finish(p.a.connector, &complete), ND_SUCCESS);
		p.b.remote ^= 0xff00;
		HR(post_write(&p.a, 0, 64, 2, 0, &p.b, 0), ND_SUCCESS);
		HR(finish(p.b.connector, &accept), ND_SUCCESS);
		reap_is(p.a.cq, 2, ND_ACCESS_VIOLATION);
		hr = CALL(p.b.connector, NotifyDisconnect, &notify);
		HR(hr == ND_PENDING ? finish(p.b.connector, &notify) : hr, ND_SUCCESS);
		pair_close(&p);
	}
}

static void nd2_own_active_side_disconnects_at_once(void **state)
{
	for (int round = 0; round < 20; round++) {
		OVERLAPPED accept = {0}, complete = {0}, notify = {0};
		struct pair p;

		pair_open(&p, NULL);
		HR(post_recv(&p.b, 0, 64, 1), ND_SUCCESS);
		reach_reply(&p, NULL, &accept);
		HR(CALL(p.a.connector, CompleteConnect, &complete), ND_PENDING);
		if (round % 2)
			HR(finish(p.a.connector, &complete), ND_SUCCESS);
		HR(disconnect(&p.a), ND_SUCCESS);
		HR(finish(p.b.connector, &accept), ND_SUCCESS);
		ENDS(p.b.connector, CALL(p.b.connector, NotifyDisconnect, &notify), &notify,
		     ND_SUCCESS);
		reap_is(p.b.cq, 1, ND_CANCELED);
		pair_close(&p);
	}
}

/* Both directions have requests in flight when one side disconnects, or both sides do. Each request
 * has one completion. The completions of each send queue and of each receive queue come in the
 * order of posting. Each successful Send has completed a receive of the peer. */
static void nd2_own_disconnect_under_traffic(void **state)
{
	enum { FLIGHT = 30, LEN = 20000 };

	for (int round = 0; round < 30; round++) {
		uint32_t sent[2] = {0}, got[2] = {0};
		OVERLAPPED part[2] = {{0}};
		struct end *e[2];
		struct pair p;

		pair_open_connected(&p, NULL);
		e[0] = &p.a;
		e[1] = &p.b;
		for (int s = 0; s < 2; s++)
			for (uintptr_t i = 0; i < FLIGHT; i++)
				HR(post_recv(e[s], 0, LEN, i), ND_SUCCESS);
		for (int s = 0; s < 2; s++)
			for (uintptr_t i = 0; i < FLIGHT; i++)
				HR(post_send(e[s], LEN, LEN, 100 + i, 0), ND_SUCCESS);
		if (round % 5)
			sleep_ms((unsigned)round % 5 - 1);
		HR(CALL(p.a.connector, Disconnect, &part[0]), ND_PENDING);
		if (round % 3 == 0)
			HR(CALL(p.b.connector, Disconnect, &part[1]), ND_PENDING);
		HR(finish(p.a.connector, &part[0]), ND_SUCCESS);
		if (round % 3 == 0)
			HR(finish(p.b.connector, &part[1]), ND_SUCCESS);
		for (int s = 0; s < 2; s++) {
			uintptr_t next[2] = {0, 100};

			for (int i = 0; i < 2 * FLIGHT; i++) {
				ND2_RESULT r = reap(e[s]->cq);
				bool send = r.RequestType == Nd2RequestTypeSend;

				assert_int_equal((uintptr_t)r.RequestContext, next[send]++);
				assert_true(r.Status == ND_SUCCESS || r.Status == ND_CANCELED);
				if (r.Status == ND_SUCCESS)
					*(send ? &sent[s] : &got[s]) += 1;
			}
			reap_none(e[s]->cq, 1);
		}
		/* sent[s] and got[s] count the successful Sends and receives of side s. Each
		 * successful Send has completed a receive of the other side. */
		assert_true(sent[0] <= got[1]);
		assert_true(sent[1] <= got[0]);
		pair_close(&p);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_every_notice_is_given),
	cmocka_unit_test(nd2_own_notices_of_a_dead_transport),
	cmocka_unit_test(nd2_own_connection_breaks_before_the_rtu),
	cmocka_unit_test(nd2_own_active_side_disconnects_at_once),
	cmocka_unit_test(nd2_own_disconnect_under_traffic),
};

nd2_main(tests)
