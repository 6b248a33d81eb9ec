/* Tests of how connections end: rows 149 to 157 of docs/spec/nd2.md. */
#include "fixture.h"

static HRESULT disconnect(struct end *e)
{
	OVERLAPPED ov = {0};
	HRESULT hr = CALL(e->connector, Disconnect, &ov);

	return hr == ND_PENDING ? finish(e->connector, &ov) : hr;
}

static void nd2_row_149_the_peer_disconnects(void **state)
{
	OVERLAPPED notify[2] = {{0}};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	HR(post_recv(&p.b, 0, 1000, 2), ND_SUCCESS);
	HR(CALL(p.b.connector, NotifyDisconnect, &notify[0]), ND_PENDING);
	HR(CALL(p.b.connector, NotifyDisconnect, &notify[1]), ND_PENDING);
	HR(disconnect(&p.a), ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_CANCELED);
	/* NotifyDisconnect ends before the first flushed result can be fetched. */
	HR(status_after(&notify[0], 0), ND_SUCCESS);
	HR(status_after(&notify[1], 0), ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_150_notify_after_the_peer_has_gone(void **state)
{
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	HR(disconnect(&p.a), ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_CANCELED);
	ENDS(p.b.connector, CALL(p.b.connector, NotifyDisconnect, &ov), &ov, ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_151_notify_ends_with_ones_own_disconnect(void **state)
{
	OVERLAPPED notify = {0}, later = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.a.connector, NotifyDisconnect, &notify), ND_PENDING);
	HR(disconnect(&p.a), ND_SUCCESS);
	HR(finish(p.a.connector, &notify), STATUS_CONNECTION_DISCONNECTED);
	HR(CALL(p.a.connector, NotifyDisconnect, &later), STATUS_CONNECTION_DISCONNECTED);
	pair_close(&p);
}

static void nd2_row_152_notify_without_a_connection(void **state)
{
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.a.connector, NotifyDisconnect, &ov), ND_CONNECTION_INVALID);
	HR(CALL(p.b.connector, NotifyDisconnect, &ov), ND_CONNECTION_INVALID);
	pair_close(&p);
}

static void nd2_row_153_disconnect_cancels_what_is_posted(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	for (uintptr_t i = 1; i <= 5; i++)
		HR(post_recv(&p.a, 0, 1000, i), ND_SUCCESS);
	HR(disconnect(&p.a), ND_SUCCESS);
	for (uintptr_t i = 1; i <= 5; i++)
		reap_is(p.a.cq, i, ND_CANCELED);
	HR(post_send(&p.a, 0, 10, 6, 0), ND_CONNECTION_INVALID);
	HR(post_recv(&p.a, 0, 10, 7), ND_SUCCESS);
	reap_is(p.a.cq, 7, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_154_both_sides_disconnect(void **state)
{
	OVERLAPPED a = {0}, b = {0};
	struct pair p;
	HRESULT hr;

	/* Both sides call Disconnect at the same time. */
	pair_open_connected(&p, NULL);
	HR(CALL(p.a.connector, Disconnect, &a), ND_PENDING);
	hr = CALL(p.b.connector, Disconnect, &b);
	HR(hr, ND_PENDING);
	HR(finish(p.a.connector, &a), ND_SUCCESS);
	HR(finish(p.b.connector, &b), ND_SUCCESS);
	pair_close(&p);
	/* The second side calls Disconnect after it has handled the Disconnect of the first. */
	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 10, 1), ND_SUCCESS);
	HR(disconnect(&p.a), ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_CANCELED);
	HR(disconnect(&p.b), ND_SUCCESS);
	HR(disconnect(&p.b), ND_CONNECTION_INVALID);
	pair_close(&p);
}

static void nd2_row_155_the_last_message_counts(void **state)
{
	struct pair p;

	for (int round = 0; round < 20; round++) {
		pair_open_connected(&p, NULL);
		HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
		HR(post_send(&p.a, 0, 1000, 2, 0), ND_SUCCESS);
		reap_is(p.b.cq, 1, ND_SUCCESS);
		HR(disconnect(&p.b), ND_SUCCESS);
		reap_is(p.a.cq, 2, ND_SUCCESS);
		pair_close(&p);
	}
}

static void nd2_row_156_disconnect_without_a_connection(void **state)
{
	struct pair p;

	pair_open(&p, NULL);
	HR(disconnect(&p.a), ND_CONNECTION_INVALID);
	HR(disconnect(&p.b), ND_CONNECTION_INVALID);
	pair_close(&p);
}

static void nd2_row_157_release_of_a_connected_queue_pair(void **state)
{
	OVERLAPPED notify = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.a, 0, 1000, 1), ND_SUCCESS);
	HR(post_recv(&p.b, 0, 1000, 2), ND_SUCCESS);
	HR(CALL(p.b.connector, NotifyDisconnect, &notify), ND_PENDING);
	assert_int_equal(CALL(p.a.qp, Release), 0);
	p.a.qp = NULL;
	reap_is(p.a.cq, 1, ND_CANCELED);
	HR(finish(p.b.connector, &notify), ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_CANCELED);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_149_the_peer_disconnects),
	cmocka_unit_test(nd2_row_150_notify_after_the_peer_has_gone),
	cmocka_unit_test(nd2_row_151_notify_ends_with_ones_own_disconnect),
	cmocka_unit_test(nd2_row_152_notify_without_a_connection),
	cmocka_unit_test(nd2_row_153_disconnect_cancels_what_is_posted),
	cmocka_unit_test(nd2_row_154_both_sides_disconnect),
	cmocka_unit_test(nd2_row_155_the_last_message_counts),
	cmocka_unit_test(nd2_row_156_disconnect_without_a_connection),
	cmocka_unit_test(nd2_row_157_release_of_a_connected_queue_pair),
};

nd2_main(tests)
