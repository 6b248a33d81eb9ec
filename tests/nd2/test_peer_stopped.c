/* The peer's process is stopped: the memif link stays up, but the peer does not reply. A request
 * times out. Its result may reach the client before the connector learns that the queue pair has
 * failed. A Disconnect at that moment must not wait for the peer. */
#include "peer.h"

#include <signal.h>

#define MANY 24

static const struct peer_plan plan = {
	.name = "peer-stopped", .timers = "ack_timeout = 9;", .connections = MANY};

/* Posts a Send and calls Disconnect as soon as the failed result of the Send has come. Returns the
 * seconds that the Disconnect takes. */
static double disconnect_after_failure(struct end *e)
{
	OVERLAPPED ov = {0};
	ND2_RESULT r;
	double start = now_s();

	HR(post_send(e, 0, 64, 2, 0), ND_SUCCESS);
	while (CALL(e->cq, GetResults, &r, 1) == 0)
		assert_true(now_s() - start < 20);
	HR(r.Status, ND_IO_TIMEOUT);
	start = now_s();
	ENDS(e->connector, CALL(e->connector, Disconnect, &ov), &ov, ND_SUCCESS);
	return now_s() - start;
}

static void nd2_own_disconnect_after_a_failure(void **state)
{
	struct end e[MANY];
	struct peer peer;
	unsigned slow = 0;

	peer_start(&peer, &plan);
	for (int i = 0; i < MANY; i++)
		peer_connect(&peer, &e[i]);
	kill(peer.pid, SIGSTOP);
	/* A Disconnect that waits for the peer takes 17 s. So the test stops after two such
	 * Disconnects. */
	for (int i = 0; i < MANY && slow < 2; i++)
		slow += disconnect_after_failure(&e[i]) > 4;
	peer_kill(&peer);
	assert_int_equal(slow, 0);
	for (int i = 0; i < MANY; i++)
		end_close(&e[i]);
	RELEASE(adapters[0]);
	nothing_lives();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nd2_own_disconnect_after_a_failure)};

	return argc > 1 ? peer_be(&plan) : cmocka_run_group_tests(tests, NULL, NULL);
}
