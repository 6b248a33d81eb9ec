/* The peer's process is killed. The peer sends nothing more, and the memif link goes down.
 * Connections must still end soon. */
#include "peer.h"

#define MANY 3

static const struct peer_plan plan = {
	.name = "peer-death", .timers = "ack_timeout = 14;", .connections = MANY};

static void disconnect(struct end *e)
{
	double start = now_s();
	OVERLAPPED ov = {0};

	ENDS(e->connector, CALL(e->connector, Disconnect, &ov), &ov, ND_SUCCESS);
	assert_true(now_s() - start < 8); /* all retransmissions together would take 17 s */
}

static void nd2_own_the_peer_is_killed(void **state)
{
	OVERLAPPED notify = {0};
	struct end e[MANY];
	struct peer peer;

	peer_start(&peer, &plan);
	for (int i = 0; i < MANY; i++) {
		peer_connect(&peer, &e[i]);
		HR(post_recv(&e[i], 0, 64, 1), ND_SUCCESS);
	}
	HR(CALL(e[2].connector, NotifyDisconnect, &notify), ND_PENDING);
	peer_kill(&peer);
	/* The memif link goes down while this Disconnect waits for the DREP. */
	disconnect(&e[0]);
	reap_is(e[0].cq, 1, ND_CANCELED);
	/* The memif link is already down when this Disconnect is called. */
	disconnect(&e[1]);
	reap_is(e[1].cq, 1, ND_CANCELED);
	/* Nobody calls Disconnect on the third connection. The connection breaks when a request
	 * times out. */
	HR(post_send(&e[2], 0, 64, 2, 0), ND_SUCCESS);
	reap_is(e[2].cq, 2, ND_IO_TIMEOUT);
	reap_is(e[2].cq, 1, ND_CANCELED);
	HR(finish(e[2].connector, &notify), ND_SUCCESS);
	disconnect(&e[2]);
	for (int i = 0; i < MANY; i++)
		end_close(&e[i]);
	RELEASE(adapters[0]);
	nothing_lives();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nd2_own_the_peer_is_killed)};

	return argc > 1 ? peer_be(&plan) : cmocka_run_group_tests(tests, NULL, NULL);
}
